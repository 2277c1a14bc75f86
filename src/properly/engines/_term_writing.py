"""Formulas written as expressions of narwhals, which every engine computes.

See `_symbols` for how a formula comes about.
"""

from __future__ import annotations

import math
import operator
from functools import partial
from typing import TYPE_CHECKING, Any

import narwhals.stable.v2 as nw

from properly.engines._term_algebra import anywhere, make, where
from properly.engines._terms import Term, Value, ends, is_column

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

OPPOSITE: dict[str, Callable[[Any, Any], Any]] = {"lt": operator.ge, "eq": operator.ne}
# From here on, what rounding takes from 1 + x is nothing to its logarithm.
FAR = 1.0
# Up to here, it need not be divided by 1 + x.
NEAR = 100.0
# Below the first, exp(x) - 1 is -1; above the second, exp(x) is infinite.
LOWEST, HIGHEST = -40.0, 709.78
# The least double above 0.
TINIEST = 5e-324
# Formulas no longer than this are quicker written twice.
SHORT = 8


def _extreme(bound: str, fold: Callable[..., Any], *args: Any) -> Any:
    """Find the greatest or the least of several columns: one of them, clipped by the others.

    Whatever else finds it does not let Dask know that rows stay where they are.
    """
    columns = [x for x in args if isinstance(x, nw.Expr)]
    numbers = [x for x in args if not isinstance(x, nw.Expr)]
    extreme = fold(numbers) if numbers else columns.pop()
    for column in columns:
        extreme = column.clip(**{bound: extreme})
    return extreme


SIMPLE: dict[str, Callable[..., Any]] = {
    "add": operator.add,
    "sub": operator.sub,
    "mul": operator.mul,
    "div": operator.truediv,
    "pow": operator.pow,
    "lt": operator.lt,
    "eq": operator.eq,
    "and": operator.and_,
    "neg": operator.neg,
    "abs": nw.Expr.abs,
    "sqrt": nw.Expr.sqrt,
    "clip": nw.Expr.clip,
    "most": partial(_extreme, "lower_bound", max),
    "least": partial(_extreme, "upper_bound", min),
}


class Writer:
    """Writes terms as expressions, each of them once.

    Nothing is asked of an engine that it might refuse, or warn of. Some compute both branches of a
    condition and choose afterwards: the facts of a branch alone do not guard a logarithm. For
    engines that compute log(0) as minus infinity without a warning, `guarded` may be false.
    """

    def __init__(self, columns: Mapping[Term, nw.Expr], *, guarded: bool = True) -> None:
        self.columns, self.guarded = columns, guarded
        self.written: dict[int, tuple[Term, Any]] = {}

    def loss(self, x: Value, y: nw.Expr) -> nw.Expr:
        """Return the expression of a formula; a number depends on a column as well."""
        expression = self.write(x)
        if isinstance(expression, nw.Expr):
            return expression
        return nw.when(y.is_null()).then(expression).otherwise(expression)

    def write(self, x: Value) -> Any:
        """Return the expression of a formula; a number stays a number."""
        if not isinstance(x, Term):
            return x
        # Not by the formula: equal ones, of which different things are known, differ in guards.
        if id(x) not in self.written:
            self.written[id(x)] = x, self._write(x)
        return self.written[id(x)][1]

    def _write(self, x: Term) -> Any:
        if is_column(x):
            return self.columns[x]
        if x.op == "where":
            return self._where(x)
        if x.op in ("log", "exp", "not"):
            write = {"log": self._log, "exp": self._exp, "not": self._opposite}[x.op]
            return write(x.args[0])
        expanded = _expanded(x)
        if expanded is not x:
            return self.write(expanded)
        return SIMPLE[x.op](*(self.write(arg) for arg in x.args))

    def _where(self, x: Term) -> Any:
        condition, a, b = (self.write(arg) for arg in x.args)
        if not x.is_truth:
            return nw.when(condition).then(a).otherwise(b)
        if isinstance(a, bool):
            return condition | b if a else ~condition & b
        if isinstance(b, bool):
            return ~condition | a if b else condition & a
        return (condition & a) | (~condition & b)

    def _opposite(self, x: Term) -> Any:
        if x.op in OPPOSITE:
            return OPPOSITE[x.op](*(self.write(arg) for arg in x.args))
        if x.op == "and":
            a, b = (self.write(make("not", arg)) for arg in x.args)
            return a | b
        return ~self.write(x)

    def _log(self, x: Term) -> Any:
        value, least = self.write(x), ends(anywhere(x))[0]
        if least > 0 or not self.guarded:
            return value.log()
        possible = value > 0
        guarded = (
            nw.when(possible).then(value).otherwise(1.0)
            if x.cost <= SHORT
            else value.clip(lower_bound=TINIEST)
        )
        log = guarded.log()
        return log if x.low > 0 else nw.when(possible).then(log).otherwise(-math.inf)

    def _exp(self, x: Term) -> Any:
        value, greatest = self.write(x), ends(anywhere(x))[1]
        if greatest <= HIGHEST:
            return value.exp()
        finite = value < HIGHEST
        exp = value.clip(upper_bound=HIGHEST).exp()
        return exp if x.high <= HIGHEST else nw.when(finite).then(exp).otherwise(math.inf)


def log1p(x: Value) -> Value:
    """Return ``log(1 + x)``, and add what rounding took from ``1 + x``.

    That is to be divided by ``1 + x``, which is nearly 1 wherever it matters.
    """
    negative = x.args[0] if isinstance(x, Term) and x.op == "neg" else None
    inner = make("add", 1.0, x) if negative is None else make("sub", 1.0, negative)
    lost = (
        make("sub", x, make("sub", inner, 1.0))
        if negative is None
        else make("sub", negative, make("sub", 1.0, inner))
    )
    if ends(x)[1] > NEAR:
        lost = where(make("lt", x, FAR), lost, 0.0)
    return make("add" if negative is None else "sub", make("log", inner), lost)


def expm1(x: Value) -> Value:
    """Return ``exp(x) - 1``, and add what rounding took from ``exp(x)``."""
    inside = make("clip", x, LOWEST, FAR)
    raised = make("exp", inside)
    # That is to be multiplied by exp(x), which is nearly 1 wherever it matters.
    lost = make("sub", inside, make("log", raised))
    near = make("add", make("sub", raised, 1.0), lost)
    return where(make("lt", x, FAR), near, make("sub", make("exp", x), 1.0))


def _expanded(x: Value) -> Value:
    """Return a formula without functions that engines do not have."""
    if isinstance(x, Term) and x.op in EXPANDED:
        return EXPANDED[x.op](x.args[0])
    if isinstance(x, Term) and x.op == "neg":
        inner = _expanded(x.args[0])
        return x if inner is x.args[0] else make("neg", inner)
    return x


EXPANDED = {"log1p": log1p, "expm1": expm1}
