"""JSON inside HTML, from which no string can break out."""

from __future__ import annotations

import json
from typing import Any

from properly._boundary._plain import printable

# What could end the element, begin another one, or end a line of a script.
ESCAPED = {ord(c): f"\\u{ord(c):04x}" for c in "<>&\u2028\u2029"}


def embedded(x: Any) -> str:
    """Write as JSON that can stand inside a script element."""
    text = json.dumps(_legible(x), ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return text.translate(ESCAPED)


def _legible(x: Any) -> Any:
    """Show control characters in strings as what they are; half a surrogate too."""
    if isinstance(x, str):
        return printable(x)
    if isinstance(x, dict):
        return {_legible(key): _legible(value) for key, value in x.items()}
    return [_legible(value) for value in x] if isinstance(x, list | tuple) else x
