"""Numbers as JSON can hold them, and names as a terminal can show them."""

from __future__ import annotations

import math
from typing import Any


def plain(x: Any) -> Any:
    """Write what is not a number as None and infinity as a word, inside lists and dicts too."""
    if isinstance(x, dict):
        return {key: plain(value) for key, value in x.items()}
    if isinstance(x, list | tuple):
        return [plain(value) for value in x]
    if not isinstance(x, float):
        return x
    if math.isinf(x):
        return "Infinity" if x > 0 else "-Infinity"
    return None if math.isnan(x) else x


def printable(name: str) -> str:
    """Show a name in a terminal without obeying what it may contain."""
    return name if name.isprintable() else repr(name)[1:-1]
