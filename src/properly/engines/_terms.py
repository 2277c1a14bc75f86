"""Formulas of columns, bounds of their values, and what a condition says of them.

A formula is a number or a `Term`: an operation and its arguments. `bounds_of` derives the bounds of
an operation from those of its arguments; `Facts` are the conditions and bounds that hold in one
branch. See `_symbols` for how a rule becomes a formula, and a formula an expression.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, TypeAlias, TypeGuard

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence


Value: TypeAlias = "Term | float"
Bounds: TypeAlias = "tuple[float, float]"

ANY = (-math.inf, math.inf)
TRUTH = (False, True)
RISING = {"sqrt": np.sqrt, "log": np.log, "log1p": np.log1p, "exp": np.exp, "expm1": np.expm1}
# Below this, a function has no value.
DOMAIN = {"sqrt": 0.0, "log": 0.0, "log1p": -1.0}
COLUMNS = ("event", "class", "forecast")
TRUTHS = ("event", "lt", "eq", "not", "and", "or")
# How often an argument is written, and what is written beside it: engines have neither log1p nor
# expm1, and narwhals repeats what it guards.
WRITTEN = {
    "log": (4, 6),
    "log1p": (6, 16),
    "expm1": (10, 20),
    "sqrt": (2, 2),
    "where": (1, 2),
    "clip": (2, 1),
    "most": (2, 1),
    "least": (2, 1),
}
# Formulas longer than this are not written.
LONGEST = 40_000


class Term:
    """An operation on columns; terms are equal by their formulas, whatever their bounds."""

    __slots__ = ("_hash", "args", "cost", "high", "low", "op")

    def __init__(self, op: str, args: tuple[Any, ...], low: float, high: float) -> None:
        self.op, self.args, self.low, self.high = op, args, low, high
        self._hash = hash((op, args))
        self.cost = 1 if op in COLUMNS else length(op, *args)
        if self.cost > LONGEST:
            message = "this formula is too long for an engine"
            raise TypeError(message)

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if not isinstance(other, Term) or self._hash != other._hash:
            return False
        return self.op == other.op and self.args == other.args

    def __repr__(self) -> str:
        return self.op if self.op in COLUMNS else f"{self.op}({', '.join(map(repr, self.args))})"

    @property
    def is_truth(self) -> bool:
        """Whether the values are true and false, not numbers."""
        branches = self.args[1:] if self.op == "where" else ()
        return self.op in TRUTHS or any(
            x.is_truth if isinstance(x, Term) else isinstance(x, bool) for x in branches
        )


def leaf(name: str, low: float, high: float, place: int = 0) -> Term:
    """Return a column that a name and a place stand for, and its bounds."""
    return Term(name, (place, low, high), low, high)


def is_column(x: Value) -> TypeGuard[Term]:
    """Tell whether a formula is a column itself."""
    return isinstance(x, Term) and x.op in COLUMNS


def ends(x: Value) -> tuple[float, float]:
    """Return the bounds of a formula."""
    return (x.low, x.high) if isinstance(x, Term) else (x, x)


def cost(x: Value) -> int:
    """Return how long a formula is, once it is written."""
    return x.cost if isinstance(x, Term) else 1


def length(op: str, *args: Value) -> int:
    """Return how long an operation is once it is written, or more; of numbers, it is a number."""
    if not any(isinstance(x, Term) for x in args):
        return 1
    times, beside = WRITTEN.get(op, (1, 1))
    return beside + times * sum(cost(x) for x in args)


def bounds_of(op: str, args: Sequence[Value]) -> Bounds:
    """Return the least and the greatest value that an operation can have."""
    if op in ("not", "and", "or"):
        return TRUTH
    bounds = [ends(x) for x in args]
    with np.errstate(all="ignore"):
        low, high = _bounds(op, bounds, args)
    # What cannot be said, such as infinity minus infinity, is not.
    return ANY if math.isnan(low) or math.isnan(high) else (low, high)


def _bounds(op: str, bounds: list[Bounds], args: Sequence[Value]) -> Bounds:
    if op in ("lt", "eq"):
        return _comparison(op, *bounds)
    if op == "where":
        return min(low for low, _ in bounds[1:]), max(high for _, high in bounds[1:])
    if op in ("most", "least"):
        choose = max if op == "most" else min
        return choose(low for low, _ in bounds), choose(high for _, high in bounds)
    if op in RISING:
        low, high = (float(RISING[op](max(x, DOMAIN.get(op, -math.inf)))) for x in bounds[0])
        return low, high
    if op == "div" and _is_share(*args):
        return min(bounds[0][0], 0.0), 1.0
    return _arithmetic(op, bounds)


def _arithmetic(op: str, bounds: list[Bounds]) -> Bounds:
    a, b = bounds[0], bounds[-1]
    if op in ("neg", "abs"):
        return (-a[1], -a[0]) if op == "neg" else (0.0, max(abs(a[0]), abs(a[1])))
    if op == "add":
        return a[0] + b[0], a[1] + b[1]
    if op == "sub":
        return a[0] - b[1], a[1] - b[0]
    if op == "mul":
        # An infinite bound is not reached, so that nothing times it is nothing.
        return _hull([x * y if x and y else 0.0 for x in a for y in b])
    if op == "clip":
        low, high = (float(np.clip(*ends)) for ends in zip(*bounds, strict=True))
        return low, high
    return _quotient(a, b) if op == "div" else _power(a, b[0])


def _comparison(op: str, a: Bounds, b: Bounds) -> Bounds:
    if op == "lt":
        return (True, True) if a[1] < b[0] else (False, False) if a[0] >= b[1] else TRUTH
    return (False, False) if a[1] < b[0] or b[1] < a[0] else TRUTH


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


def _hull(values: list[float]) -> Bounds:
    return min(values), max(values)


def within(a: Bounds, b: Bounds) -> Bounds:
    """Return what two bounds leave open together; whole numbers stay whole."""
    low, high = max(a[0], b[0]), min(a[1], b[1])
    if isinstance(a[0], int) and isinstance(a[1], int):
        return math.ceil(low), math.floor(high)
    return low, high


class Facts:
    """Conditions that are known to hold or not, and bounds of terms."""

    def __init__(self, condition: Term, happened: bool) -> None:
        self.conditions: dict[Term, bool] = {}
        self.limits: dict[Term, Bounds] = {}
        self._learn(condition, happened)

    def _learn(self, condition: Value, happened: bool) -> None:
        if not isinstance(condition, Term):
            return
        self.conditions[condition] = happened
        op, args = condition.op, condition.args
        if op == "not":
            self._learn(args[0], not happened)
        elif op == "and" and happened:
            for part in args:
                self._learn(part, True)
        elif op == "where":
            # If the outcome is not what one branch always says, the other one was taken.
            for branch, other, taken in ((1, 2, False), (2, 1, True)):
                if isinstance(args[branch], bool) and args[branch] is not happened:
                    self._learn(args[0], taken)
                    self._learn(args[other], happened)
        elif op == "lt":
            self._compare(*args, less=happened)
        elif op == "eq" and happened:
            self._limit(args[0], *ends(args[1]))

    def _compare(self, a: Value, b: Value, *, less: bool) -> None:
        if less:
            # There is no number between a double and the next one.
            self._limit(a, -math.inf, math.nextafter(ends(b)[1], -math.inf))
            self._limit(b, math.nextafter(ends(a)[0], math.inf), math.inf)
        else:
            self._limit(a, ends(b)[0], math.inf)
            self._limit(b, -math.inf, ends(a)[1])

    def _limit(self, x: Value, low: float, high: float) -> None:
        if isinstance(x, Term):
            self.limits[x] = within(self.limits.get(x, ends(x)), (low, high))
            if x.op == "abs":
                greatest = self.limits[x][1]
                self._limit(x.args[0], -greatest, greatest)
