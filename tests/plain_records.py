"""Records as JSON can hold them, compared number by number."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator


def differing(one: Any, other: Any, path: str = "") -> Iterator[str]:
    """List where two plain records differ by more than rounding."""
    if isinstance(one, dict):
        if set(one) ^ set(other):
            yield f"{path}: {set(one) ^ set(other)}"
        for key in set(one) & set(other):
            yield from differing(one[key], other[key], f"{path}/{key}")
    elif isinstance(one, list) and len(one) == len(other):
        for k, pair in enumerate(zip(one, other, strict=True)):
            yield from differing(*pair, f"{path}/{k}")
    elif isinstance(one, float) and isinstance(other, float):
        if not math.isclose(one, other, rel_tol=1e-10, abs_tol=1e-12):
            yield f"{path}: {one} {other}"
    elif one != other:
        yield f"{path}: {one} {other}"
