"""Validation of options: levels, numbers, choices, sources of randomness."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, NamedTuple

from properly.errors import ArgumentTypeError, DataError

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np


class Drawing(NamedTuple):
    """How sure to be, and how often and from where to draw."""

    level: float
    replicates: int
    rng: np.random.Generator


def as_drawing(level: float, replicates: int, rng: int | np.random.Generator | None) -> Drawing:
    """Check all three."""
    return Drawing(check_level(level), check_whole(replicates, "replicates"), as_generator(rng))


def check_level(level: float) -> float:
    """Take a confidence level strictly between 0 and 1."""
    return check_inside(level, "level", "a level")


def check_inside(value: float, name: str, subject: str | None = None) -> float:
    """Take a number strictly between 0 and 1, and guess at percentages in the hint only."""
    number = as_number(value, name)
    if not 0 < number < 1:
        message = f"{subject or name} must lie between 0 and 1, both left out; got {number:g}"
        hint = f"write {number / 100:g} for {number:g} %." if 1 < number < 100 else None
        raise DataError(message, hint=hint)
    return number


def check_whole(number: object, name: str, least: int = 1) -> int:
    """Take a whole number of something, not below the least."""
    try:
        count = operator.index(number)  # type: ignore[arg-type]
    except TypeError:
        count = least - 1
    if count < least:
        message = f"{name} must be a whole number, {least} or more; got {number!r}"
        raise DataError(message)
    return count


def check_choice(value: str, choices: Sequence[str], name: str) -> str:
    """Take one of a few words."""
    if not isinstance(value, str) or value not in choices:
        *some, last = (repr(choice) for choice in choices)
        listed = f"{', '.join(some)} or {last}" if some else last
        message = f"{name} must be {listed}; got {value!r}"
        raise DataError(message)
    return value


def check_flag(value: object, name: str) -> bool:
    """Take True or False, and nothing that merely counts as one of them."""
    import numpy as np

    if not isinstance(value, bool | np.bool_):
        message = f"{name} must be True or False; got {value!r}"
        hint = f"write {name}=True, level={value:g}." if isinstance(value, float) else None
        raise DataError(message, hint=hint)
    return bool(value)


def as_generator(rng: int | np.random.Generator | None) -> np.random.Generator:
    """Take a generator as it is, a whole number as a seed, and None as no seed at all."""
    import numpy as np

    if isinstance(rng, np.random.Generator):
        return rng
    try:
        return np.random.default_rng(None if rng is None else operator.index(rng))
    except (TypeError, ValueError):
        message = f"rng must be a whole number, a numpy Generator or None; got {rng!r}"
        raise ArgumentTypeError(message) from None


def as_number(value: object, name: str) -> float:
    """Take a number as a float, and refuse anything else by name."""
    try:
        # Not float(value) alone, which would read text as well.
        return float(operator.pos(value))  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        message = f"the {name} must be a number; got {value!r}"
        raise ArgumentTypeError(message) from None
