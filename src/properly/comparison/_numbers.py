"""Numbers as the tables of comparisons write them, with a dash for NaN, and counts as they take."""

from __future__ import annotations

import math
import operator
from typing import TYPE_CHECKING

from properly._boundary._record import SMALLEST_P, p_text
from properly.errors import DataError

if TYPE_CHECKING:
    from properly.typing import Column


def number(x: float, form: str = ".4f") -> str:
    """Write a number."""
    return "-" if math.isnan(x) else f"{x:{form}}"


def numbers(x: Column, form: str = ".4f") -> list[str]:
    """Write each of several numbers."""
    return [number(value, form) for value in x.tolist()]


def chance(p: float, *, is_bound: bool = False) -> str:
    """Write a p-value."""
    if is_bound or p < SMALLEST_P:
        return p_text(p, is_bound=is_bound).removeprefix("p ")
    return number(p, ".3f")


def ranges(ends: Column, form: str = ".4f") -> list[str]:
    """Write the two ends of each of several intervals."""
    pairs = zip(numbers(ends[:, 0], form), numbers(ends[:, 1], form), strict=True)
    return ["-" if low == high == "-" else f"{low} to {high}" for low, high in pairs]


def as_count(given: object, message: str) -> int:
    """Take a whole number, 0 or more; refuse anything else with a message."""
    try:
        count = operator.index(given)  # type: ignore[arg-type]
    except TypeError:
        count = -1
    if count < 0:
        raise DataError(message)
    return count
