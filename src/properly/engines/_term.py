"""Formulas of columns that are not there yet.

A formula is a number, or a `Term`: an operation and what it is applied to. Every term knows bounds
of its values.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from typing import TypeGuard

Value: TypeAlias = "Term | float"

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
    """An operation on columns; terms are equal by their formulas, whatever is known of them."""

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
