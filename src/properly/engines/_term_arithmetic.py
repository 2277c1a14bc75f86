"""Arithmetic on formulas that can be left out, or done ahead.

Each function takes `make`, which applies an operation, and returns None if there is nothing to do.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, TypeAlias, TypeGuard

from properly.engines._term import Term, cost

if TYPE_CHECKING:
    from collections.abc import Callable

    from properly.engines._term import Value

Make: TypeAlias = "Callable[..., Value]"

# Products of constants outside of this range are not formed ahead.
SAFE = 1e100
# Powers up to this, of terms no longer than that, are written as products.
LOW, SHORT = 3, 30


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
    found: Value = 1.0
    for _ in range(int(b)):
        found = make("mul", a, found)
    return found


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
