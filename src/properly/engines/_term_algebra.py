"""Simplification of formulas: arithmetic ahead of time, branches left out.

`make` applies an operation and `where` chooses between formulas. Comparisons that can have one
outcome only are not made, branches that cannot be reached are not written, and what a condition
says is a fact in the branch behind it. The functions of arithmetic (`add` to `magnitude`) take
`make`, and return None if there is nothing to simplify. See `_symbols` for the whole.
"""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias, TypeGuard, cast

import numpy as np

from properly.engines._terms import (
    Bounds,
    Facts,
    Term,
    Value,
    bounds_of,
    cost,
    is_column,
    length,
    within,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence


Make: TypeAlias = "Callable[..., Value]"

# Products of constants outside of this range are not formed ahead.
SAFE = 1e100
# Powers up to this, of terms no longer than that, are written as products.
LOW, SHORT = 3, 30
# Operations on numbers, which are done ahead.
FOLD: dict[str, Any] = {
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "div": np.divide,
    "pow": np.power,
    "neg": np.negative,
    "abs": np.abs,
    "sqrt": np.sqrt,
    "log": np.log,
    "log1p": np.log1p,
    "exp": np.exp,
    "expm1": np.expm1,
    "lt": np.less,
    "eq": np.equal,
    "not": np.logical_not,
    "and": np.logical_and,
    "or": np.logical_or,
    "clip": np.clip,
    "most": lambda *x: np.max(x),
    "least": lambda *x: np.min(x),
    "where": lambda condition, a, b: a if condition else b,
}


def add(make: Make, a: Value, b: Value) -> Value | None:
    """Leave out zeros, and turn what is negative round."""
    if _is(a, 0):
        return b
    if _is(b, 0):
        return a
    if _has(b, "neg"):
        return make("sub", a, b.args[0])
    return make("sub", b, a.args[0]) if _has(a, "neg") else None


def sub(make: Make, a: Value, b: Value) -> Value | None:
    """Leave out zeros, and turn what is negative round."""
    if _is(b, 0):
        return a
    return make("add", a, b.args[0]) if _has(b, "neg") else None


def mul(make: Make, a: Value, b: Value) -> Value | None:
    """Put numbers first, and multiply them ahead; nothing times anything is nothing."""
    if isinstance(a, Term):
        if not isinstance(b, Term):
            return make("mul", b, a)
        return make("mul", a.args[0], make("mul", a.args[1], b)) if _is_scaled(a) else None
    if a == 0:
        return 0.0
    if a == 1:
        return b
    if _is_scaled(b) and 1 / SAFE < abs(a * b.args[0]) < SAFE:
        return make("mul", a * b.args[0], b.args[1])
    return make("neg", b) if a == -1 else None


def div(make: Make, a: Value, b: Value) -> Value | None:
    """Multiply by the inverse where that is exact; nothing divided by anything is nothing."""
    if _is(a, 0) or _is(b, 1):
        return a
    if not isinstance(b, Term) and math.isfinite(b) and abs(math.frexp(b)[0]) == 0.5:
        return make("mul", 1 / b, a)
    return None


def neg(make: Make, a: Term) -> Value | None:
    """Turn a difference round."""
    if a.op == "neg":
        return a.args[0]  # type: ignore[no-any-return]
    return make("sub", a.args[1], a.args[0]) if a.op == "sub" else None


def power(make: Make, a: Value, b: Value) -> Value | None:
    """Write low whole powers as products, and halves as roots."""
    if isinstance(b, Term):
        message = "a column cannot be an exponent"
        raise TypeError(message)
    if b == 0.5:
        return make("sqrt", a)
    if b < 0 and float(b).is_integer():
        return make("div", 1.0, make("pow", a, -b))
    if b not in range(LOW + 1) or cost(a) > SHORT:
        return None
    product: Value = 1.0
    for _ in range(int(b)):
        product = make("mul", a, product)
    return product


def magnitude(make: Make, a: Term) -> Value | None:  # noqa: ARG001
    """Leave out the sign where it is known."""
    return a if a.low >= 0 else None


def _is(x: Value, number: float) -> bool:
    return not isinstance(x, Term) and x == number


def _has(x: Value, op: str) -> TypeGuard[Term]:
    return isinstance(x, Term) and x.op == op


def _is_scaled(x: Value) -> TypeGuard[Term]:
    return isinstance(x, Term) and x.op == "mul" and not isinstance(x.args[0], Term)


ARITHMETIC: dict[str, Callable[..., Value | None]] = {
    "add": add,
    "sub": sub,
    "mul": mul,
    "div": div,
    "neg": neg,
    "pow": power,
    "abs": magnitude,
}


def make(op: str, *args: Value) -> Value:
    """Apply an operation, simplified."""
    if not any(isinstance(x, Term) for x in args):
        with np.errstate(all="ignore"):
            value = FOLD[op](*args)
        return value.item() if isinstance(value, np.generic) else value  # type: ignore[no-any-return]
    simpler = SIMPLER[op](*args) if op in SIMPLER else None
    if simpler is not None:
        return simpler
    low, high = bounds_of(op, args)
    return bool(low) if op in ("lt", "eq") and low == high else Term(op, args, low, high)


def turned(op: str, *args: Value) -> Value:
    """Apply an operation; conditions of its arguments come before it if that is shorter."""
    term = make(op, *args)
    if isinstance(term, Term) and term.op != "where" and not is_column(term):
        for x in term.args:
            if isinstance(x, Term) and x.op == "where":
                shorter = _condition_first(x.args[0], term)
                if shorter is not term:
                    return shorter
    return term


def _condition_first(condition: Term, term: Term) -> Value:
    sides = [[given(x, condition, happened) for x in term.args] for happened in (True, False)]
    # What is longer anyway is not tried, or trying would take longer and longer.
    if 2 + condition.cost + sum(length(term.op, *args) for args in sides) > term.cost:
        return term
    branched = where(condition, *(turned(term.op, *args) for args in sides))
    return branched if cost(branched) <= term.cost else term


def where(condition: Value, a: Value, b: Value) -> Value:
    """Choose between two formulas; each is simplified by the condition under which it is chosen."""
    if not isinstance(condition, Term):
        return a if condition else b
    sides = given(a, condition, True), given(b, condition, False)
    for x, side, happened in ((b, sides[0], True), (a, sides[1], False)):
        # If the other branch says the same here, there is nothing to ask.
        if not isinstance(side, Term) and isinstance(x, Term) and x.op in ("where", "lt"):
            free = anywhere(x)
            if given(free, condition, happened) == side:
                return free
    return branches(condition, *sides)


def branches(condition: Value, a: Value, b: Value) -> Value:
    """Choose between two formulas that have been simplified."""
    if not isinstance(condition, Term):
        return a if condition else b
    if condition.op == "not":
        return branches(condition.args[0], b, a)
    if a == b and isinstance(a, bool) == isinstance(b, bool):
        return _merged([a, b])
    if isinstance(a, bool) and isinstance(b, bool):
        return condition if a else make("not", condition)
    if not isinstance(a, Term) and _has(condition, "lt") and a in condition.args:
        column = condition.args[condition.args[0] == a]
        if _at(b, column, a) == a:
            # On the border of a range, the number that is used beyond it, which is priced here:
            # engines may round the price of a column another way.
            condition, a, b = cast("Term", make("lt", *condition.args[::-1])), b, a
    term = Term("where", (condition, a, b), *bounds_of("where", (condition, a, b)))
    return _in_turn(term) if condition.op == "where" else term


def _at(x: Value, column: Value, number: Value) -> Value:
    """Return what a choice between a column and numbers is where the column is some number."""
    if x == column or not isinstance(x, Term):
        return number if x == column else x
    if x.op == "lt":
        a, b = (_at(arg, column, number) for arg in x.args)
        return x if isinstance(a, Term) or isinstance(b, Term) else a < b
    condition = _at(x.args[0], column, number) if x.op == "where" else x
    return x if isinstance(condition, Term) else _at(x.args[1 if condition else 2], column, number)


def _in_turn(term: Term) -> Value:
    """Ask a condition inside of a condition first, if that is shorter."""
    (first, *rest), a, b = term.args[0].args, *term.args[1:]
    sides = [
        (then, given(a, first, happened), given(b, first, happened))
        for then, happened in zip(rest, (True, False), strict=True)
    ]
    expected = sum(
        length("where", *side) if isinstance(side[0], Term) else cost(side[1 if side[0] else 2])
        for side in sides
    )
    if 2 + cost(first) + expected > term.cost:
        return term
    branched = where(first, *(where(*side) for side in sides))
    return branched if cost(branched) <= term.cost else term


def choose(index: Value, options: Sequence[Value]) -> Value:
    """Take the option that an index says; what all options share is written once."""
    if not isinstance(index, Term):
        return options[int(index)]
    if all(x == options[0] for x in options):
        return _merged(options)
    if index.op == "argmax" and index.args == tuple(options):
        return make("most", *options)
    shared = _shared(index, options)
    if shared is not None:
        return shared
    chosen = options[-1]
    for k in range(len(options) - 2, -1, -1):
        chosen = where(make("eq", index, k), options[k], chosen)
    return chosen


def _shared(index: Value, options: Sequence[Value]) -> Value | None:
    """Choose inside of an operation, if all options are the same one but for one argument."""
    terms = [x for x in options if isinstance(x, Term) and not is_column(x)]
    if len(terms) < len(options) or len({(x.op, len(x.args)) for x in terms}) > 1:
        return None
    places = list(zip(*(x.args for x in terms), strict=True))
    if sum(len(set(args)) > 1 for args in places) > 1:
        return None
    return make(terms[0].op, *(choose(index, args) for args in places))


def given(x: Value, condition: Value, happened: bool) -> Value:
    """Simplify a formula by the facts where a condition holds, or does not."""
    if not isinstance(x, Term) or not isinstance(condition, Term):
        return x
    facts = Facts(condition, happened)
    return _rewritten(x, facts.conditions.get, facts.limits)


def anywhere(x: Value) -> Value:
    """Return a formula without the facts of one branch only."""
    return _rewritten(
        x, lambda t: Term(t.op, t.args, *t.args[1:]) if is_column(t) else None, {}, anew=True
    )


def _merged(same: Sequence[Value]) -> Value:
    """Return what equal formulas from several branches have in common."""
    return same[0] if all(x is same[0] for x in same) else anywhere(same[0])


def _rewritten(
    x: Value,
    replace: Callable[[Term], Value | None],
    limits: Mapping[Term, Bounds],
    *,
    anew: bool = False,
) -> Value:
    """Build a formula with some terms replaced and some narrowed, or all of it anew."""
    # Not by the formula: in another branch, other things are known of the same.
    seen: dict[int, Value] = {}

    def visit(t: Value) -> Value:
        if not isinstance(t, Term):
            return t
        if id(t) not in seen:
            result = replace(t)
            if result is None:
                result = build(t)
                if t in limits and isinstance(result, Term):
                    result = _narrowed(result, limits[t])
            seen[id(t)] = result
        return seen[id(t)]

    def build(t: Term) -> Value:
        if is_column(t):
            return t
        args = [visit(x) for x in t.args]
        if not anew and all(a is b for a, b in zip(args, t.args, strict=True)):
            return t
        return branches(*args) if t.op == "where" else make(t.op, *args)

    return visit(x)


def _narrowed(x: Term, limits: Bounds) -> Value:
    """Return a term of which more is known; a number if all is."""
    low, high = within((x.low, x.high), limits)
    if low == high:
        return low
    # Where nothing is left open, nobody will come.
    return x if low > high or (low, high) == (x.low, x.high) else Term(x.op, x.args, low, high)


def _equal(a: Value, b: Value) -> Value | None:
    if a == b:
        return True
    if not isinstance(a, Term) or (isinstance(b, Term) and b.op == "argmax"):
        return make("eq", b, a)
    if a.op != "argmax":
        return None
    firsts = [_is_first(a.args, k) for k in range(len(a.args))]
    return choose(b, firsts)


def _is_first(values: Sequence[Value], k: int) -> Value:
    """Tell whether value k is the greatest, and the first such."""
    first: Value = True
    for j, value in enumerate(values):
        if j != k:
            less = make("lt", value, values[k]) if j < k else make("lt", values[k], value)
            first = make("and", first, less if j < k else make("not", less))
    return first


def _opposite(a: Term) -> Value | None:
    if a.op == "where":
        return branches(a.args[0], make("not", a.args[1]), make("not", a.args[2]))
    return a.args[0] if a.op == "not" else None


def _both(a: Value, b: Value) -> Value | None:
    if not isinstance(a, Term):
        return b if a else False
    rest = given(b, a, True)
    if not isinstance(rest, Term):
        return a if rest else False
    return None if rest == b else make("and", a, rest)


def _either(a: Value, b: Value) -> Value:
    return make("not", make("and", make("not", a), make("not", b)))


SIMPLER: dict[str, Callable[..., Value | None]] = {
    op: partial(function, make) for op, function in ARITHMETIC.items()
} | {"eq": _equal, "not": _opposite, "and": _both, "or": _either, "where": where}
