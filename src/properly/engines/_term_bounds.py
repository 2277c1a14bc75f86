"""Bounds of what an operation makes of values whose bounds are known.

Rounding keeps the order of numbers, so bounds of rounded arithmetic are the rounded bounds.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from properly.engines._term import Term, ends

if TYPE_CHECKING:
    from collections.abc import Sequence

    from properly.engines._term import Value

Bounds: TypeAlias = "tuple[float, float]"

ANY = (-math.inf, math.inf)
TRUTH = (False, True)
RISING = {"sqrt": np.sqrt, "log": np.log, "log1p": np.log1p, "exp": np.exp, "expm1": np.expm1}
# Below this, a function has no value.
DOMAIN = {"sqrt": 0.0, "log": 0.0, "log1p": -1.0}


def bounds_of(op: str, args: Sequence[Value]) -> Bounds:
    """Return the least and the greatest value that an operation can have."""
    if op in ("not", "and", "or"):
        return TRUTH
    found = [ends(x) for x in args]
    with np.errstate(all="ignore"):
        low, high = _bounds(op, found, args)
    # What cannot be said, such as infinity minus infinity, is not.
    return ANY if math.isnan(low) or math.isnan(high) else (low, high)


def _bounds(op: str, found: list[Bounds], args: Sequence[Value]) -> Bounds:
    if op in ("lt", "eq"):
        return _comparison(op, *found)
    if op == "where":
        return min(low for low, _ in found[1:]), max(high for _, high in found[1:])
    if op in ("most", "least"):
        choose = max if op == "most" else min
        return choose(low for low, _ in found), choose(high for _, high in found)
    if op in RISING:
        low, high = (float(RISING[op](max(x, DOMAIN.get(op, -math.inf)))) for x in found[0])
        return low, high
    if op == "div" and _is_share(*args):
        return min(found[0][0], 0.0), 1.0
    return _arithmetic(op, found)


def _arithmetic(op: str, found: list[Bounds]) -> Bounds:
    a, b = found[0], found[-1]
    if op in ("neg", "abs"):
        return (-a[1], -a[0]) if op == "neg" else (0.0, max(abs(a[0]), abs(a[1])))
    if op == "add":
        return a[0] + b[0], a[1] + b[1]
    if op == "sub":
        return a[0] - b[1], a[1] - b[0]
    if op == "mul":
        return _hull([_times(x, y) for x in a for y in b])
    if op == "clip":
        return _clipped(*found)
    return _quotient(a, b) if op == "div" else _power(a, b[0])


def _comparison(op: str, a: Bounds, b: Bounds) -> Bounds:
    if op == "lt":
        return (True, True) if a[1] < b[0] else (False, False) if a[0] >= b[1] else TRUTH
    return (False, False) if a[1] < b[0] or b[1] < a[0] else TRUTH


def _times(x: float, y: float) -> float:
    """Multiply bounds: an infinite one is not reached, so that nothing times it is nothing."""
    return x * y if x and y else 0.0


def _clipped(a: Bounds, lower: Bounds, upper: Bounds) -> Bounds:
    return float(np.clip(a[0], lower[0], upper[0])), float(np.clip(a[1], lower[1], upper[1]))


def _quotient(a: Bounds, b: Bounds) -> Bounds:
    if b[0] > 0 or b[1] < 0:
        return _hull([float(np.divide(x, y)) for x in a for y in b])
    # A quotient of what is not negative is not negative, even over 0.
    return (0.0, math.inf) if a[0] >= 0 and b[0] >= 0 else ANY


def _is_share(a: Value, b: Value) -> bool:
    """Tell whether one of several values is divided by the greatest of them."""
    return isinstance(b, Term) and b.op == "most" and b.low >= 0 and a in b.args


def _power(a: Bounds, exponent: float) -> Bounds:
    return ANY if a[0] < 0 else _hull([float(np.power(float(x), exponent)) for x in a])


def _hull(found: list[float]) -> Bounds:
    return min(found), max(found)


def within(a: Bounds, b: Bounds) -> Bounds:
    """Return what two bounds leave open together; whole numbers stay whole."""
    low, high = max(a[0], b[0]), min(a[1], b[1])
    if isinstance(a[0], int) and isinstance(a[1], int):
        return math.ceil(low), math.floor(high)
    return low, high
