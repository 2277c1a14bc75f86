"""Rules inside engines: the array formula of a rule, written as expressions of narwhals.

A rule is Python code on arrays. A frame of pandas, polars, pyarrow, duckdb, Dask or Spark has no
arrays to hand over, and its rows should stay where they are. So the rule is called once with
`Symbols`: arrays of formulas, with the functions of the array API standard that rules use
(`Functions`). No rule is written twice. Whatever would need numbers, such as ``if p > 0`` or a
function of numpy, raises TypeError: such a rule is not expressible (`is_expressible`).

A formula is a number, or a `Formula`: an operation and its arguments. Equal ones are one object, so
that `with_formulas` computes what is needed several times once, as a column of its own; all else is
written in one expression. Losses are those of the rule on arrays but for rounding: the logarithm,
exponential and power of an engine may differ from numpy's in the last bit.

The regret at a threshold, computed by polars:

>>> import narwhals.stable.v2 as nw
>>> import polars as pl
>>> from properly.engines._symbols import loss_of, with_formulas
>>> from properly.rules import Brier, Elementary
>>> loss_of(Brier(), "rain", ("chance",))
where(rain, mul(sub(1, chance), sub(1, chance)), mul(chance, chance))
>>> frame = nw.from_native(pl.LazyFrame({"rain": [True, False], "chance": [0.1, 0.5]}))
>>> frame = with_formulas(frame, {"loss": loss_of(Elementary(0.2), "rain", ("chance",))})
>>> frame.select("loss").collect()["loss"].to_list()
[0.8, 0.2]
"""

from __future__ import annotations

import math
import operator
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import partial, partialmethod, reduce
from typing import Any, TypeAlias
from weakref import WeakValueDictionary

import narwhals.stable.v2 as nw
import numpy as np

from properly._boundary._libraries import infinities
from properly.rules import Rule
from properly.rules._class_rule import require_class_rule
from properly.rules._rule import require_binary

Number: TypeAlias = "Formula | float"

NUMBER, TRUTH = np.dtype(np.float64), np.dtype(np.bool_)
TRUTHS = ("lt", "eq", "not", "and", "or")
# Formulas of more operations than these are not written.
LONGEST = 5_000
# Formulas no longer than this are quicker computed again than kept as a column.
SHORT = 3
# Powers up to this are written as products.
LOW = 3
# From here on, what rounding takes from 1 + x is nothing to its logarithm.
FAR = 1.0
# Below the first, exp(x) - 1 is -1; above the second, exp(x) is infinite.
LOWEST, HIGHEST = -40.0, 709.78
# How each operation is done: on numbers of numpy, which is done ahead, and on columns.
OPERATORS: dict[str, Callable[..., Any]] = {
    "add": operator.add,
    "sub": operator.sub,
    "mul": operator.mul,
    "div": operator.truediv,
    "pow": operator.pow,
    "neg": operator.neg,
    "lt": operator.lt,
    "eq": operator.eq,
    "not": operator.invert,
    "and": operator.and_,
    "or": operator.or_,
}
FUNCTIONS_OF_ONE = ("abs", "sqrt", "log", "exp", "floor")
FOLD = OPERATORS | {name: getattr(np, name) for name in FUNCTIONS_OF_ONE}
FOLD |= {"where": lambda condition, a, b: a if condition else b}
WRITE = OPERATORS | {name: getattr(nw.Expr, name) for name in FUNCTIONS_OF_ONE}
WRITE |= {"where": lambda condition, a, b: nw.when(condition).then(a).otherwise(b)}


class Formula:
    """An operation and its arguments; `formula` makes equal ones the same object."""

    __slots__ = ("__weakref__", "args", "op", "size")

    def __init__(self, op: str, args: tuple[Any, ...]) -> None:
        self.op, self.args = op, args
        self.size: int = 1 + sum(x.size for x in args if isinstance(x, Formula))

    def __repr__(self) -> str:
        listed = ", ".join(map(repr, self.args))
        return str(self.args[0]) if self.op == "column" else f"{self.op}({listed})"


KNOWN: WeakValueDictionary[tuple[Any, ...], Formula] = WeakValueDictionary()


def formula(op: str, *args: Any) -> Number:
    """Apply an operation: to numbers at once, to formulas where it changes anything."""
    if op != "column":
        if not any(isinstance(x, Formula) for x in args):
            with infinities():
                value = FOLD[op](*(np.asarray(x)[()] for x in args))
            return value.item()  # type: ignore[no-any-return]
        simple = SIMPLER[op](*args) if op in SIMPLER else None
        if simple is not None:
            return simple
    key = op, *(x if isinstance(x, Formula) else (type(x), x) for x in args)
    return KNOWN.setdefault(key, Formula(op, args))


def _is(x: Number, number: float) -> bool:
    return not isinstance(x, Formula) and x == number


def _sum(a: Number, b: Number) -> Number | None:
    return b if _is(a, 0) else a if _is(b, 0) else None


def _product(a: Number, b: Number) -> Number | None:
    if _is(a, 0) or _is(b, 0):
        return 0.0
    return b if _is(a, 1) else a if _is(b, 1) else None


def _connected(is_and: bool, a: Number, b: Number) -> Number | None:
    """Leave out what is known to be true or false."""
    known, other = (a, b) if isinstance(a, bool) else (b, a)
    if not isinstance(known, bool):
        return None
    return other if known is is_and else known


def _branch(condition: Number, a: Number, b: Number) -> Number | None:
    """Choose between two formulas; truths without a choice."""
    if not isinstance(condition, Formula):
        return a if condition else b
    if a is b or (not isinstance(a, Formula) and not isinstance(b, Formula) and a == b):
        return a
    if any(isinstance(x, bool) or (isinstance(x, Formula) and x.op in TRUTHS) for x in (a, b)):
        other = formula("and", formula("not", condition), b)
        return formula("or", formula("and", condition, a), other)
    return None


def _power(a: Number, b: Number) -> Number | None:
    """Write low whole powers as products, and halves as roots."""
    if isinstance(b, Formula):
        message = "a column cannot be an exponent"
        raise TypeError(message)
    if b == 0.5:
        return formula("sqrt", a)
    if b < 0 and float(b).is_integer():
        return formula("div", 1.0, formula("pow", a, -b))
    if b not in range(LOW + 1):
        return None
    product: Number = 1.0
    for _ in range(int(b)):
        product = formula("mul", a, product)
    return product


SIMPLER: dict[str, Callable[..., Number | None]] = {
    "add": _sum,
    "sub": lambda a, b: a if _is(b, 0) else None,
    "mul": _product,
    "div": lambda a, b: a if _is(b, 1) or _is(a, 0) else None,
    "pow": _power,
    "and": partial(_connected, True),
    "or": partial(_connected, False),
    "where": _branch,
}


# Functions that engines lack, or that they warn of or refuse.


def logarithm(x: Number) -> Number:
    """Return a logarithm, of 0 without asking the engine for it."""
    possible = formula("lt", 0.0, x)
    log = formula("log", formula("where", possible, x, 1.0))
    return formula("where", possible, log, -math.inf)


def exponential(x: Number) -> Number:
    """Return an exponential, which is infinite where it is beyond all doubles."""
    finite = formula("lt", x, HIGHEST)
    exp = formula("exp", formula("where", finite, x, HIGHEST))
    return formula("where", finite, exp, math.inf)


def log1p(x: Number) -> Number:
    """Return ``log(1 + x)``, and add what rounding took from ``1 + x``.

    That is to be divided by ``1 + x``, which is nearly 1 wherever it matters.
    """
    inner = formula("add", 1.0, x)
    lost = formula("sub", x, formula("sub", inner, 1.0))
    lost = formula("where", formula("lt", x, FAR), lost, 0.0)
    return formula("add", logarithm(inner), lost)


def expm1(x: Number) -> Number:
    """Return ``exp(x) - 1``, and add what rounding took from ``exp(x)``."""
    inside = extreme(False, extreme(True, x, LOWEST), FAR)
    raised = formula("exp", inside)
    # That is to be multiplied by exp(x), which is nearly 1 wherever it matters.
    lost = formula("sub", inside, formula("log", raised))
    near = formula("add", formula("sub", raised, 1.0), lost)
    far = formula("sub", exponential(x), 1.0)
    return formula("where", formula("lt", x, FAR), near, far)


def extreme(greatest: bool, a: Number, b: Number) -> Number:
    """Return the greater or the smaller of two numbers."""
    is_less = formula("lt", a, b)
    return formula("where", is_less, b, a) if greatest else formula("where", is_less, a, b)


SPECIAL: dict[str, Callable[..., Number]] = {
    "log": logarithm,
    "exp": exponential,
    "log1p": log1p,
    "expm1": expm1,
    "most": partial(extreme, True),
    "least": partial(extreme, False),
    "round": lambda x: formula("floor", formula("add", x, 0.5)),
    "le": lambda a, b: formula("not", formula("lt", b, a)),
    "ne": lambda a, b: formula("not", formula("eq", a, b)),
}
# Functions of the standard by the names of operations.
NAMED = {"maximum": "most", "minimum": "least", "subtract": "sub", "multiply": "mul"}
NAMED |= {"divide": "div", "negative": "neg"}
NAMED |= {name: name for name in (*FUNCTIONS_OF_ONE, "log1p", "expm1", "round", "pow", "add")}
NAMED |= {"where": "where"}


def _operator(op: str, *, swapped: bool = False) -> Callable[..., Symbols]:
    """Make the method of an operator, of both operands in order or in the reverse order."""
    return lambda *args: apply(op, *(args[::-1] if swapped else args))


class Symbols:
    """An array of formulas, one row of them for all rows of a frame.

    A column of forecasts has the shape ``(1,)``, a table of class probabilities ``(1, K)``; numbers
    that do not depend on the row have any shape. Whatever asks for numbers, such as a function of
    numpy or an ``if``, is refused.
    """

    __array_ufunc__ = None
    device = "cpu"

    def __init__(self, values: Any, dtype: Any = NUMBER) -> None:
        self.values: np.ndarray[Any, Any] = np.asarray(values, dtype=object)
        self.dtype = np.dtype(dtype)
        self.shape, self.ndim = self.values.shape, self.values.ndim

    def __array_namespace__(self, api_version: str | None = None) -> Functions:
        return FUNCTIONS

    def __array__(self, *args: Any, **options: Any) -> Any:
        message = "a column that is not there yet has no numbers"
        raise TypeError(message)

    __bool__ = __float__ = __iter__ = __int__ = __index__ = __len__ = __array__

    @property
    def T(self) -> Symbols:
        """The same, rows and columns exchanged."""
        return Symbols(self.values.T, self.dtype)

    def __getitem__(self, key: Any) -> Symbols:
        return Symbols(self.values[key], self.dtype)

    __add__, __radd__ = _operator("add"), _operator("add", swapped=True)
    __sub__, __rsub__ = _operator("sub"), _operator("sub", swapped=True)
    __mul__, __rmul__ = _operator("mul"), _operator("mul", swapped=True)
    __truediv__, __rtruediv__ = _operator("div"), _operator("div", swapped=True)
    __pow__, __neg__, __abs__ = _operator("pow"), _operator("neg"), _operator("abs")
    __and__, __or__, __invert__ = _operator("and"), _operator("or"), _operator("not")
    __lt__, __gt__ = _operator("lt"), _operator("lt", swapped=True)
    __le__, __ge__ = _operator("le"), _operator("le", swapped=True)
    __eq__, __ne__ = _operator("eq"), _operator("ne")  # type: ignore[assignment]
    __hash__ = None  # type: ignore[assignment]

    def __matmul__(self, other: Symbols) -> Symbols:
        b = other.values
        products = values_of(apply("mul", self if b.ndim == 1 else self[:, :, None], other[None]))
        return FUNCTIONS.sum(Symbols(products), axis=1)


def apply(op: str, *args: Any) -> Symbols:
    """Apply an operation entry by entry."""
    function = np.frompyfunc(SPECIAL.get(op) or partial(formula, op), len(args), 1)
    values = function(*(values_of(x) for x in args))
    return Symbols(values, TRUTH if op in (*TRUTHS, "le", "ne") else NUMBER)


def values_of(x: Any) -> Any:
    """Return the formulas of an array; a number stays one."""
    if isinstance(x, Symbols):
        return x.values
    return x.item() if isinstance(x, np.generic) else x


def _require_columns(x: Symbols, axis: int) -> None:
    """Refuse to look at several rows at once: there is one only, and it stands for all."""
    if x.ndim < 2 or axis not in (1, -1):
        message = f"rows cannot be put together; got axis {axis} of shape {x.shape}"
        raise TypeError(message)


def _reduced(op: str, x: Symbols, *, axis: int, keepdims: bool = False) -> Symbols:
    """Put the columns of each row together."""
    _require_columns(x, axis)
    columns = [x[:, k] for k in range(x.shape[1])]
    result = reduce(partial(apply, op), columns)
    return result[:, None] if keepdims else result


def _arranged(name: str, x: Symbols | Sequence[Symbols], *args: Any, axis: int = 1) -> Symbols:
    """Arrange the entries of arrays anew, as numpy does; rows stay where they are."""
    if isinstance(x, Symbols):
        _require_columns(x, axis)
        return Symbols(getattr(np, name)(x.values, *args, axis=axis), x.dtype)
    return Symbols(getattr(np, name)([each.values for each in x], axis=axis))


class Functions:
    """What a rule finds where it looks for the functions of an array library."""

    __name__ = "columns that are not there yet"
    int64, uint8, float32, float64 = np.int64, np.uint8, np.float32, np.float64
    inf, pi, e = math.inf, math.pi, math.e
    finfo = staticmethod(np.finfo)
    # Of the columns of each row.
    sum, max, min = (staticmethod(partial(_reduced, op)) for op in ("add", "most", "least"))
    flip, stack = (staticmethod(partial(_arranged, name)) for name in ("flip", "stack"))
    concat = staticmethod(partial(_arranged, "concatenate"))

    def __getattr__(self, name: str) -> Callable[..., Symbols]:
        """Find a function of one or two arrays by its name."""
        if name not in NAMED:
            message = f"there is no function {name!r} of {self.__name__}"
            raise AttributeError(message)
        return partial(apply, NAMED[name])

    @staticmethod
    def clip(x: Symbols, lower: Any, upper: Any) -> Symbols:
        """Move numbers to the nearer end of a range."""
        return apply("least", apply("most", x, lower), upper)

    @staticmethod
    def logaddexp(a: Any, b: Any) -> Symbols:
        """Return the logarithm of the sum of two exponentials."""
        more, less = apply("most", a, b), apply("least", a, b)
        apart = apply("where", a == b, 0.0, less - more)  # two infinities are not apart
        return more + apply("log1p", apply("exp", apart))

    def full_like(self, x: Symbols, value: float) -> Symbols:
        """Return an array of one number."""
        return Symbols(np.full(x.shape, float(value), dtype=object), x.dtype)

    zeros_like, ones_like = partialmethod(full_like, value=0.0), partialmethod(full_like, value=1.0)

    @staticmethod
    def asarray(x: Any, *, dtype: Any = NUMBER, device: Any = None) -> Symbols:  # noqa: ARG004
        """Take numbers that do not depend on the row."""
        return Symbols(np.asarray(x, dtype=dtype).astype(object), dtype)

    @staticmethod
    def arange(stop: int, *, dtype: Any, device: Any = None) -> Symbols:  # noqa: ARG004
        """Return 0, 1, 2, ..."""
        return Symbols(np.arange(stop, dtype=dtype).astype(object), dtype)

    @staticmethod
    def astype(x: Symbols, dtype: Any, *, copy: bool = True) -> Symbols:  # noqa: ARG004
        """Make numbers of truths."""
        to = np.dtype(dtype)
        if x.dtype != TRUTH or to == TRUTH:
            return Symbols(x.values, to)
        return Symbols(apply("where", x, to.type(1).item(), to.type(0).item()).values, to)

    @staticmethod
    def argmax(x: Symbols, *, axis: int) -> Symbols:
        """Return the place of the greatest number of each row, the first of several."""
        _require_columns(x, axis)
        best, top = Symbols([0], np.int64), x[:, 0]
        for k in range(1, x.shape[1]):
            best = Symbols(apply("where", top < x[:, k], k, best).values, np.int64)
            top = apply("most", top, x[:, k])
        return best

    @staticmethod
    def cumulative_sum(x: Symbols, *, axis: int) -> Symbols:
        """Add up the columns of each row, one after the other."""
        _require_columns(x, axis)
        add = np.frompyfunc(partial(formula, "add"), 2, 1)
        return Symbols(add.accumulate(x.values, axis=1), x.dtype)

    @staticmethod
    def reshape(x: Symbols, shape: tuple[int, ...]) -> Symbols:
        """Arrange the entries anew."""
        return Symbols(x.values.reshape(shape), x.dtype)

    @staticmethod
    def take(x: Symbols, index: Symbols) -> Symbols:
        """Take the entry that an index says, which may be a formula."""
        chosen = []
        for at in index.values:
            entry = x.values[-1]
            for k in range(len(x.values) - 2, -1, -1):
                entry = formula("where", formula("eq", at, k), x.values[k], entry)
            chosen.append(entry)
        return Symbols(chosen, x.dtype)


FUNCTIONS = Functions()


# Rules


def loss_of(rule: Rule, happened: str, forecasts: Sequence[str]) -> Number:
    """Return the formula of the loss of a row, given the names of columns.

    Parameters
    ----------
    rule : Rule
        For one event a `BinaryRule`, for classes a `ClassRule`.
    happened : str
        Whether the event happened, or the number of the class that did.
    forecasts : sequence of str
        The probability of the event, or one for each class; nothing is checked.
    """
    y = columns_of([happened])[0]
    if len(forecasts) > 1:
        rule = require_class_rule(rule)
        rule.require_classes(len(forecasts))
        return only(rule.price(Symbols(y.values, np.int64), columns_of(forecasts)))
    rule = require_binary(rule)
    p = columns_of(forecasts)[0]
    sides = [only(side(p)) for side in (rule.loss_if_event, rule.loss_if_none)]
    return formula("where", y.values[0], *sides)


def columns_of(names: Sequence[str]) -> Symbols:
    """Return a table of the columns of these names."""
    return Symbols([[formula("column", name) for name in names]])


def only(loss: Any) -> Number:
    """Return the formula of an array that has one; a number is a formula, too."""
    if not isinstance(loss, Symbols):
        return float(loss)
    (value,) = loss.values.reshape(-1)
    if isinstance(value, Formula) and len(_users([value])) > LONGEST:
        # Too long for an engine: such a rule reads its rows in batches.
        raise TypeError
    return value  # type: ignore[no-any-return]


def is_expressible(rule: Rule, classes: int | None = None) -> bool:
    """Return whether a rule can price columns of an engine: of classes, or of one event."""
    try:
        loss_of(rule, "y", ["p"] if classes is None else [f"p{k}" for k in range(classes)])
    except Exception:  # noqa: BLE001 - a rule of one's own may fail in any way
        return False
    return True


def with_formulas(data: nw.LazyFrame[Any], formulas: Mapping[str, Number]) -> nw.LazyFrame[Any]:
    """Add columns to a frame; what several formulas need is computed once, before them."""
    trees = [x for x in formulas.values() if isinstance(x, Formula)]
    shared = [x for x, count in _users(trees).items() if count > 1 and x.size > SHORT]
    names = {x: f"shared_{k}" for k, x in enumerate(shared)}
    levels: dict[Formula, int] = {}
    for x in sorted(shared, key=lambda x: x.size):
        below = _users(x.args).keys() & names.keys()
        levels[x] = 1 + max((levels[y] for y in below), default=0)
    for level in sorted(set(levels.values())):
        here = [x for x in shared if levels[x] == level]
        data = data.with_columns(**{names[x]: _operation(x, names) for x in here})
    if not formulas:
        return data
    first = nw.col(data.collect_schema().names()[0])
    written = {name: _written(x, names) for name, x in formulas.items()}
    # A number depends on a column as well, or it would be one row.
    return data.with_columns(
        **{
            name: x if isinstance(x, nw.Expr) else nw.when(first.is_null()).then(x).otherwise(x)
            for name, x in written.items()
        }
    )


def _users(formulas: Sequence[Number]) -> Counter[Formula]:
    """Count in how many formulas each operation is an argument."""
    users: Counter[Formula] = Counter()
    waiting = [x for x in formulas if isinstance(x, Formula) and x.op != "column"]
    while waiting:
        x = waiting.pop()
        users[x] += 1
        if users[x] == 1:
            waiting += [y for y in x.args if isinstance(y, Formula) and y.op != "column"]
    return users


def _written(x: Number, names: Mapping[Formula, str]) -> Any:
    """Return the expression of a formula; a number stays a number."""
    if not isinstance(x, Formula):
        return x
    return nw.col(names[x]) if x in names else _operation(x, names)


def _operation(x: Formula, names: Mapping[Formula, str]) -> Any:
    if x.op == "column":
        return nw.col(x.args[0])
    args = [_written(arg, names) for arg in x.args]
    if x.op != "div":
        return WRITE[x.op](*args)
    below = x.args[1]
    values = below.args[1:] if isinstance(below, Formula) and below.op == "where" else (below,)
    if not any(isinstance(arg, Formula) for arg in values):
        # polars would multiply by the rounded inverse of a constant.
        while x.op != "column":
            x = next(arg for arg in x.args if isinstance(arg, Formula))
        args[1] = nw.col(x.args[0]) * 0 + args[1]
    return args[0] / args[1]
