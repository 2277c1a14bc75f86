"""What is known of columns where a condition holds, or does not."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from properly.engines._term import Term, ends
from properly.engines._term_bounds import within

if TYPE_CHECKING:
    from properly.engines._term import Value
    from properly.engines._term_bounds import Bounds


class Facts:
    """Conditions that are known to hold or not, and bounds of terms."""

    def __init__(self, condition: Term, happened: bool) -> None:
        self.known: dict[Term, bool] = {}
        self.limits: dict[Term, Bounds] = {}
        self._learn(condition, happened)

    def _learn(self, condition: Value, happened: bool) -> None:
        if not isinstance(condition, Term):
            return
        self.known[condition] = happened
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
