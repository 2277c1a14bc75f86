"""The compiler of rules: the loss of a rule as an expression of an engine.

A rule is Python code on arrays. A frame of pandas, polars, pyarrow, duckdb, Dask or Spark has no
arrays to hand over, and its rows should stay where they are. So the rule is run once on symbols,
its arithmetic is recorded as a formula, and the formula is written in the engine's own language.
No rule is written twice.

1. **Tracing** (this module). `Symbols` is an array whose entries are formulas of columns: one row
   that stands for all rows. It has the operators of an array and, as its namespace, the functions
   of the array API standard that rules use (`Functions`). A rule that is called with symbols
   returns symbols. Whatever would need numbers, such as ``if p > 0`` or a function of numpy, raises
   TypeError; such a rule is not expressible (`is_expressible`) and needs its columns in memory.
2. **Formulas** (`_terms`). A `Term` is an operation and its arguments: columns, numbers, terms. It
   holds the least and the greatest value that it can have, from those of its arguments. Rounding
   keeps the order of numbers, so rounded bounds are bounds of rounded arithmetic.
3. **Simplification** (`_term_algebra`). `make` applies an operation: on numbers at once; on terms
   after the identities that hold to the last bit, such as ``x + 0`` or ``1 * x``. A comparison
   whose bounds leave one outcome is that outcome. In a branch, its condition is a fact: it narrows
   the bounds of columns there (`Facts`), so that comparisons, branches and guards fall away. A
   condition is moved before an operation, or before another condition, only if that is shorter.
4. **Writing** (`_term_writing`). A `Writer` turns a term into an expression of narwhals, which each
   engine takes for its own. Engines lack ``log1p`` and ``expm1``, which are expanded with the term
   that rounding took; and they may compute both branches of a condition, so that logarithms of 0
   and exponentials beyond all doubles are guarded unless the bounds exclude them.

A formula that would be too long (`_terms.LONGEST`) is refused, as is a rule that cannot be traced.
Losses are those of the rule on arrays but for rounding: the logarithm, exponential and power of an
engine may differ from numpy's in the last bit.

The Brier score of an event, traced, with the bounds of its values:

>>> from properly.engines._symbols import FORECAST, event_loss, price
>>> from properly.rules import Brier, Elementary
>>> loss = event_loss(Brier())
>>> loss
where(event, mul(sub(1, forecast), sub(1, forecast)), mul(forecast, forecast))
>>> loss.low, loss.high
(0.0, 1.0)

No probability is negative, and one below 0.2 is below 0.5, so there is nothing to compare:

>>> from properly.engines._term_algebra import make, where
>>> make("lt", FORECAST, 0.0)
False
>>> where(make("lt", FORECAST, 0.2), make("lt", FORECAST, 0.5), False)
lt(forecast, 0.2)

The regret at a threshold, computed by polars:

>>> import narwhals.stable.v2 as nw
>>> import polars as pl
>>> frame = nw.from_native(pl.LazyFrame({"rain": [True, False], "chance": [0.1, 0.5]}))
>>> loss = price(Elementary(0.2), nw.col("rain"), nw.col("chance"))
>>> frame.select(loss=loss).collect()["loss"].to_list()
[0.8, 0.2]
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial, reduce
from typing import TYPE_CHECKING, Any, cast

import narwhals.stable.v2 as nw
import numpy as np

from properly.engines._term_algebra import choose, make, turned, where
from properly.engines._term_writing import Writer
from properly.engines._terms import TRUTHS, Term, Value, leaf
from properly.rules._class_rule import require_class_rule
from properly.rules._rule import require_binary

if TYPE_CHECKING:
    from properly.rules import Rule


Objects = np.ndarray[Any, Any]

UFUNCS: dict[str, Any] = {
    op: np.frompyfunc(lambda *args, op=op: turned(op, *args), count, 1)
    for op, count in [
        *((op, 1) for op in ("neg", "abs", "sqrt", "log", "log1p", "exp", "expm1", "not")),
        *((op, 2) for op in ("add", "sub", "mul", "div", "pow", "lt", "eq", "and", "or")),
        *((op, 2) for op in ("most", "least")),
        ("where", 3),
    ]
}
NUMBER, TRUTH = np.dtype(np.float64), np.dtype(np.bool_)
# Functions of the standard by the names of operations.
NAMED = {name: name for name in ("abs", "sqrt", "log", "log1p", "exp", "expm1", "pow", "add")}
NAMED |= {"maximum": "most", "minimum": "least", "subtract": "sub", "multiply": "mul"}
NAMED |= {"divide": "div", "negative": "neg"}
# Rows sum to 1 only nearly, so that a class may have a little more than all.
MOST = 2.0
EVENT = leaf("event", 0, 1)
FORECAST = leaf("forecast", 0.0, 1.0)


def _operator(op: str, *, swapped: bool = False) -> Callable[..., Symbols]:
    """Make the method of an operator, of both operands in order or in the reverse order."""
    dtype = TRUTH if op in TRUTHS else NUMBER
    return lambda *args: apply(op, *(args[::-1] if swapped else args), dtype=dtype)


class Symbols:
    """An array of formulas, one row of them for all rows of a frame.

    A column of forecasts has the shape ``(1,)``, a table of class probabilities ``(1, K)``; numbers
    that do not depend on the row have any shape. Whatever asks for numbers, such as a function of
    numpy or an ``if``, is refused.
    """

    __array_ufunc__ = None
    device = "cpu"

    def __init__(self, values: Any, dtype: Any = NUMBER) -> None:
        self.values: Objects = np.asarray(values, dtype=object)
        self.dtype = np.dtype(dtype)
        self.shape, self.ndim = self.values.shape, self.values.ndim

    def __array_namespace__(self, api_version: str | None = None) -> Functions:
        return FUNCTIONS

    def __array__(self, *args: Any, **options: Any) -> Objects:
        raise _no_numbers()

    def __bool__(self) -> bool:
        raise _no_numbers()

    def __float__(self) -> float:
        raise _no_numbers()

    def __iter__(self) -> Any:
        raise _no_numbers()

    __int__ = __index__ = __len__ = __float__

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
    __eq__ = _operator("eq")  # type: ignore[assignment]
    __hash__ = None  # type: ignore[assignment]

    def __ge__(self, other: Any) -> Symbols:
        return apply("not", self < other, dtype=TRUTH)

    def __le__(self, other: Any) -> Symbols:
        return apply("not", self > other, dtype=TRUTH)

    def __ne__(self, other: object) -> Symbols:  # type: ignore[override]
        return apply("not", self == other, dtype=TRUTH)

    def __matmul__(self, other: Symbols) -> Symbols:
        b = other.values
        a = self.values if b.ndim == 1 else self.values[:, :, None]
        return Symbols(UFUNCS["add"].reduce(UFUNCS["mul"](a, b[None]), axis=1))


def apply(op: str, *args: Any, dtype: Any = NUMBER) -> Symbols:
    """Apply an operation entry by entry."""
    with np.errstate(all="ignore"):
        return Symbols(UFUNCS[op](*(values_of(x) for x in args)), dtype)


def values_of(x: Any) -> Any:
    """Return the formulas of an array; a number stays one."""
    if isinstance(x, Symbols):
        return x.values
    return x.item() if isinstance(x, np.generic) else x


def _no_numbers() -> TypeError:
    message = "a column that is not there yet has no numbers"
    return TypeError(message)


def _reduce(op: str, x: Symbols, *, axis: int, keepdims: bool = False) -> Symbols:
    """Put the columns of each row together."""
    _require_columns(x, axis)
    sum_of = partial(reduce, partial(turned, "add"))
    values = np.array([sum_of(row) if op == "add" else make(op, *row) for row in x.values], object)
    return Symbols(values[:, None] if keepdims else values, x.dtype)


def _require_columns(x: Symbols, axis: int) -> None:
    """Refuse to look at several rows at once: there is one only, and it stands for all."""
    if x.ndim != 2 or axis not in (1, -1):
        message = f"rows cannot be put together; got axis {axis} of shape {x.shape}"
        raise TypeError(message)


class Functions:
    """What a rule finds where it looks for the functions of an array library."""

    __name__ = "columns that are not there yet"
    int64, uint8, float32, float64 = np.int64, np.uint8, np.float32, np.float64
    inf, pi, e = math.inf, math.pi, math.e
    finfo = staticmethod(np.finfo)
    # Of the columns of each row.
    sum, max, min = (staticmethod(partial(_reduce, op)) for op in ("add", "most", "least"))

    def __getattr__(self, name: str) -> Callable[..., Symbols]:
        """Find a function of one or two arrays by its name."""
        if name not in NAMED:
            message = f"there is no function {name!r} of {self.__name__}"
            raise AttributeError(message)
        return lambda *args: apply(NAMED[name], *args)

    @staticmethod
    def where(condition: Any, a: Any, b: Any) -> Symbols:
        """Choose between two arrays."""
        return apply("where", condition, a, b)

    @staticmethod
    def clip(x: Symbols, lower: Any, upper: Any) -> Symbols:
        """Move numbers to the nearer end of a range."""
        above = apply("where", x < lower, lower, x)
        return apply("where", above > upper, upper, above)

    @staticmethod
    def logaddexp(a: Any, b: Any) -> Symbols:
        """Return the logarithm of the sum of two exponentials."""
        more, less = apply("most", a, b), apply("least", a, b)
        apart = apply("where", a == b, 0.0, less - more)  # two infinities are not apart
        return more + apply("log1p", apply("exp", apart))

    @staticmethod
    def full_like(x: Symbols, value: float) -> Symbols:
        """Return an array of one number."""
        return Symbols(np.full(x.shape, float(value), dtype=object), x.dtype)

    def zeros_like(self, x: Symbols) -> Symbols:
        """Return an array of zeros."""
        return self.full_like(x, 0.0)

    def ones_like(self, x: Symbols) -> Symbols:
        """Return an array of ones."""
        return self.full_like(x, 1.0)

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
        places = [Term("argmax", tuple(row), 0, x.shape[1] - 1) for row in x.values]
        return Symbols(places, np.int64)

    @staticmethod
    def cumulative_sum(x: Symbols, *, axis: int) -> Symbols:
        """Add up the columns of each row, one after the other."""
        _require_columns(x, axis)
        return Symbols(UFUNCS["add"].accumulate(x.values, axis=1), x.dtype)

    @staticmethod
    def flip(x: Symbols, *, axis: int) -> Symbols:
        """Turn the columns round."""
        _require_columns(x, axis)
        return Symbols(x.values[:, ::-1], x.dtype)

    @staticmethod
    def concat(arrays: Sequence[Symbols], *, axis: int) -> Symbols:
        """Put the columns of arrays beside each other."""
        return Symbols(np.concatenate([x.values for x in arrays], axis=axis))

    @staticmethod
    def stack(arrays: Sequence[Symbols], *, axis: int) -> Symbols:
        """Make columns of arrays."""
        return Symbols(np.stack([x.values for x in arrays], axis=axis))

    @staticmethod
    def reshape(x: Symbols, shape: tuple[int, ...]) -> Symbols:
        """Arrange the entries anew."""
        return Symbols(x.values.reshape(shape), x.dtype)

    @staticmethod
    def take(x: Symbols, index: Symbols) -> Symbols:
        """Take the entry that an index says, which may be a formula."""
        chosen: list[Value] = [choose(k, list(x.values)) for k in index.values]
        return Symbols(chosen, x.dtype)


FUNCTIONS = Functions()


def price(
    rule: Rule, y: nw.Expr, p: nw.Expr | Sequence[nw.Expr], *, guarded: bool = True
) -> nw.Expr:
    """Price forecasts that are columns of a frame, whatever its engine.

    Parameters
    ----------
    rule : Rule
        For one event a `BinaryRule`, for classes a `ClassRule`.
    y : Expr
        Whether the event happened, or the number of the class that did.
    p : Expr or sequence of Expr
        The probability of the event, or one for each class; nothing is checked.
    guarded : bool
        Whether the engine would warn of log(0), as those do that compute with numpy.

    Returns
    -------
    Expr
        One loss a row. Infinity is a possible loss; NaN is not.
    """
    if not isinstance(p, Sequence):
        return Writer({EVENT: y, FORECAST: p}, guarded=guarded).loss(event_loss(rule), y)
    happened, forecasts = class_leaves(len(p))
    columns = dict(zip([happened, *forecasts], [y, *p], strict=True))
    return Writer(columns, guarded=guarded).loss(class_loss(rule, len(p)), y)


def is_expressible(rule: Rule, classes: int | None = None) -> bool:
    """Tell whether a rule can price columns of an engine: whether it does.

    Parameters
    ----------
    rule : Rule
        The rule.
    classes : int, optional
        The number of classes; without it, the probability of one event is priced.
    """
    p = nw.col("p") if classes is None else [nw.col("p")] * classes
    try:
        price(rule, nw.col("y"), p)
    except Exception:  # noqa: BLE001 - a rule of one's own may fail in any way
        return False
    return True


def event_loss(rule: Rule) -> Value:
    """Return the formula of the loss of one event; each row is priced on its own side."""
    p, rule = Symbols([FORECAST]), require_binary(rule)
    return where(EVENT, _only(rule.loss_if_event(p)), _only(rule.loss_if_none(p)))


def class_loss(rule: Rule, classes: int) -> Value:
    """Return the formula of the loss of classes."""
    rule = require_class_rule(rule)
    rule.require_classes(classes)
    happened, forecasts = class_leaves(classes)
    return _only(rule.price(Symbols([happened], np.int64), Symbols([forecasts])))


def class_leaves(classes: int) -> tuple[Term, list[Term]]:
    """Return what stands for the class that happened, and for the probability of each."""
    forecasts = [leaf("forecast", 0.0, MOST, k) for k in range(classes)]
    return leaf("class", 0, classes - 1), forecasts


def _only(loss: Any) -> Value:
    """Return the formula of an array that has one; a number is a formula, too."""
    if isinstance(loss, Symbols):
        (value,) = loss.values.reshape(-1)
        return cast("Value", value)
    return float(loss)
