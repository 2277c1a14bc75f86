r"""Exact sums: not a bit depends on the order of the rows, or on their batches.

A sum of doubles is usually rounded at every addition. Its last digits then depend on the order of
the rows, so that batches, shards and numbers of workers each give another result. Here nothing is
rounded before the end.

**In memory** a sum is a `Total`: a whole number of :math:`2^{-1074}`, the smallest positive double.
Every finite double is such a number, Python's integers have any length, and their addition is
associative: order and grouping cannot matter. Rounding happens once, in ``float(total)`` or
``total.over(other)``, to the nearest double. To be fast, `exact_sum` does not convert each number.
It adds to all numbers of a chunk one constant that cuts them at a common binary place; the leading
parts have a sum that a double holds exactly, and the rests, which are exact too, are cut again,
until nothing is left.

**Inside an engine** (`_sums`), which adds doubles only and in an order of its own, each number is
cut in two: ``(x + c) - c`` with ``c = 1.5 * 2**32`` is the nearest multiple of :math:`2^{-20}`, and
the rest is at most :math:`2^{-21}`. Sums of multiples of :math:`2^{-20}` are exact in any order as
long as they stay below :math:`2^{33}`. The rests are added as doubles: of n rows they change the
mean by at most :math:`n\, 2^{-74}`, which for a million rows is less than half a unit in the last
place of 1. What the engine returns, by outcome and group, becomes totals, which add exactly.

What is exact, bit for bit:

* numbers of rows, of events and of infinite losses, and whole weights;
* sums of losses and of weights in memory;
* whatever is added later: totals of batches, shards and files.

What is rounded, once and by itself, so that order and batches still change no bit:

* the loss of a row, the product of a loss and a weight, and each square: a product is rounded, and
  their sum (`sum_of_products`) is not.

What is rounded as doubles are:

* the sums of rests, and sums of squares and products, that an engine computes;
* sums within a cluster, whose rows are first sorted by all their columns, so that their order does
  not matter. Sums of clusters do not add, since rows of one cluster may be in two batches;
* counts of fractional weights (`_counts`); those of whole weights are exact.

>>> import numpy as np
>>> from properly.engines._exact_sums import Total, exact_sum
>>> x = np.array([1e16, 1.0, -1e16])
>>> float(x.sum())
0.0
>>> float(exact_sum(x)), float(exact_sum(x[:1]) + exact_sum(x[1:]))
(1.0, 1.0)
>>> Total.of(0.5).scaled == 2**1073
True

A `ScoreSums` holds such sums of losses, of their squares and of the squares of their paired
differences: all that the intervals of scores and the comparison of models need of the rows.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import partial, reduce
from itertools import combinations, pairwise
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

from properly._boundary._chunks import share_out
from properly._boundary._text import many
from properly.counts._cases import number_ids
from properly.counts._scoring import price
from properly.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from properly.rules import Rule
    from properly.typing import Column

Key: TypeAlias = tuple[Any, ...]

# How many of the smallest positive double make one.
UNIT = 1 << 1074
# Entries that are added up at a time, which stay in the cache and leave 38 bits to each.
CHUNK = 1 << 15
HEADROOM = 14
# Beyond this, what is added to split a number would overflow.
LARGE = 2.0**900
# Forecasts of a piece of rows, of all models together: what is made of them takes some megabytes.
PIECE = 1 << 18


@dataclass(frozen=True)
class Total:
    """An exact sum of finite doubles.

    Totals add, also with `sum`, and the order does not matter at all.

    Attributes
    ----------
    scaled : int
        The sum, in units of the smallest positive double, :math:`2^{-1074}`.

    Examples
    --------
    >>> from properly.engines._exact_sums import Total
    >>> float(Total.of(1e100) + Total.of(0.1) + Total.of(-1e100))
    0.1
    >>> 1e100 + 0.1 - 1e100
    0.0
    """

    scaled: int = 0

    @classmethod
    def of(cls, x: float | np.generic | Column) -> Total:
        """Take a number as it is, or add up an array."""
        if isinstance(x, np.ndarray) and x.ndim:
            return exact_sum(x)
        number = x.item() if isinstance(x, np.ndarray | np.generic) else x
        if isinstance(number, int):
            return cls(int(number) * UNIT)
        return cls(_scaled(_finite(float(number))))

    def __add__(self, other: Total) -> Total:
        """Add two totals."""
        return Total(self.scaled + other.scaled) if isinstance(other, Total) else NotImplemented

    def __radd__(self, other: int) -> Total:
        """Let `sum` start from 0."""
        return self if isinstance(other, int) and other == 0 else NotImplemented

    def __sub__(self, other: Total) -> Total:
        """Subtract, without a digit lost."""
        return Total(self.scaled - other.scaled) if isinstance(other, Total) else NotImplemented

    def __float__(self) -> float:
        """Round to the nearest double; infinite if it is beyond them all."""
        return quotient(self.scaled, UNIT)

    def over(self, other: Total) -> float:
        """Return the double nearest to the quotient of two totals; NaN of two zeros."""
        return quotient(self.scaled, other.scaled)


def exact_sum(x: Column) -> Total:
    """Add up finite doubles without rounding.

    Every number is cut at one common binary place, so that the leading parts have a sum that a
    double can hold, and the rest is added up in the same way until nothing is left [1]_.

    References
    ----------
    .. [1] S. M. Rump, T. Ogita, S. Oishi (2008). Accurate floating-point summation part I: faithful
       rounding. SIAM Journal on Scientific Computing 31:189-224.
       `doi:10.1137/050645671 <https://doi.org/10.1137/050645671>`__

    Examples
    --------
    >>> import numpy as np
    >>> from properly.engines._exact_sums import exact_sum
    >>> float(exact_sum(np.full(10, 0.1))), float(np.cumsum(np.full(10, 0.1))[-1])
    (1.0, 0.9999999999999999)
    """
    x = np.asarray(x, dtype=np.float64)
    return Total(sum(_sum_of_chunk(x[i : i + CHUNK]) for i in range(0, len(x), CHUNK)))


def sum_of_products(a: Column, b: Column) -> Total:
    """Add up products, each rounded once, exactly; also such as are no doubles any more."""
    with np.errstate(over="ignore"):
        products = a * b
    beyond = ~np.isfinite(products)
    if not beyond.any():
        return exact_sum(products)
    scaled = [np.ldexp(_all_finite(x[beyond]), -512) for x in (a, b)]
    return exact_sum(products[~beyond]) + Total(exact_sum(scaled[0] * scaled[1]).scaled << 1024)


def _sum_of_chunk(x: Column) -> int:
    """Cut, add up, go on with the rest; of huge numbers, which are rare, in smaller units."""
    total, top = 0, _largest(_all_finite(x))
    if top >= LARGE:
        huge = np.abs(x) >= LARGE
        total, x = _sum_of_chunk(np.ldexp(x[huge], -512)) << 512, np.where(huge, 0.0, x)
        top = _largest(x)
    while top > 0:
        # Adding this rounds to one place: the sum of a chunk of leading parts is below 2**53 units.
        cut = math.ldexp(1.5, max(math.frexp(top)[1] + HEADROOM, -1022))
        leading = (x + cut) - cut
        total += _scaled(float(leading.sum()))
        x = x - leading
        top = _largest(x)
    return total


def _largest(x: Column) -> float:
    return max(float(x.max()), -float(x.min())) if len(x) else 0.0


def _all_finite(x: Column) -> Column:
    """Refuse what has no sum; losses that are infinite are counted apart before they come here."""
    if len(x):
        _finite(_largest(x))
    return x


def _finite(x: float) -> float:
    if not math.isfinite(x):
        message = f"an exact sum is of finite numbers; got {x:g}"
        raise DataError(message)
    return x


def _scaled(x: float) -> int:
    above, below = x.as_integer_ratio()
    return above * (UNIT // below)


def quotient(above: int, below: int) -> float:
    """Return the double nearest to a quotient; infinite beyond them all, NaN of two zeros."""
    if below == 0 and above == 0:
        return math.nan
    try:
        return above / below
    except (OverflowError, ZeroDivisionError):
        return math.inf if (above > 0) == (below >= 0) else -math.inf


@dataclass(frozen=True, eq=False, repr=False)
class ScoreSums:
    r"""All that scores and comparisons need of the rows, in sums that add exactly.

    Let :math:`w_i` be the weight of a row, :math:`l_i` its loss, 0 where that is infinite, and
    :math:`y_i` whether the event happened. A unit u is a row, or a cluster, and
    :math:`W_u, Y_u, L_u` add up :math:`w_i, w_i y_i, w_i l_i` in it. Rows of weight 0 are left out.

    Attributes
    ----------
    models : tuple of str
        Whose forecasts they are.
    rules : tuple of Rule
        What they were priced by.
    classes : int or None
        The number of classes; None for one event.
    clustered : bool
        Whether units are clusters.
    totals : dict of Total
        The sums by their keys, those of `keys_of`.

        * ``("rows",)``, ``("units",)``: how many there are.
        * ``("weight",)``, ``("weight2",)``: sums of :math:`W_u` and of :math:`W_u^2`;
          ``("row_squares",)`` of :math:`w_i^2`.
        * of an event: ``("event_rows",)``; sums of :math:`Y_u`, :math:`Y_u^2` and
          :math:`Y_u W_u` in ``("event",)``, ``("event2",)``, ``("event_weight",)``; of
          :math:`w_i^2 y_i` in ``("event_squares",)``.
        * of class k: ``("class", k)``, the weight of its rows; ``("class_rows", k)``, their number;
          ``("class_squares", k)``, the sum of their squared weights.
        * by rule r and model j: ``("loss", r, j)``, ``("loss2", r, j)``,
          ``("loss_weight", r, j)``: sums of :math:`L_u`, :math:`L_u^2` and :math:`L_u W_u`;
          ``("infinite", r, j)``, ``("infinite_weight", r, j)``: rows of infinite loss and their
          weight; of an event ``("loss_event", r, j)``, the sum of :math:`L_u Y_u`; of classes
          ``("loss_class", r, j, k)``, the sum of :math:`w_i^2 l_i` over the rows of class k.
        * by rule and pair of models j < k: ``("apart2", r, j, k)``, the sum of
          :math:`(L_{uj} - L_{uk})^2`, and ``("differing", r, j, k)``, rows whose losses differ.
        * of clusters, all squares and products but those in ``("weight2",)`` are divided by
          :math:`1 - h_u`, with :math:`h_u` the share of :math:`W_u` in all weight, as Bell and
          McCaffrey do; ``("corrected2",)`` and ``("corrected4",)`` are then the sums of
          :math:`W_u^2 / (1 - h_u)` and of its square.

    Examples
    --------
    >>> import numpy as np
    >>> from properly.engines._exact_sums import ScoreSums
    >>> from properly.rules import Brier
    >>> y, p = np.array([False, True]), np.array([0.5, 0.25])
    >>> sums = ScoreSums.of_rows(["a"], [Brier()], y, {"a": p}, None)
    >>> sums
    ScoreSums(2 rows, 1 model, 1 rule)
    >>> (sums + sums).totals["loss", 0, 0].over((sums + sums).totals["weight",])
    0.40625
    """

    models: tuple[str, ...]
    rules: tuple[Rule, ...]
    classes: int | None
    clustered: bool
    totals: Mapping[Key, Total] = field(repr=False)

    @classmethod
    def of_rows(
        cls,
        models: Sequence[str],
        rules: Sequence[Rule],
        y: Column,
        forecasts: Mapping[str, Column],
        weight: Column | None,
        *,
        classes: int | None = None,
        clusters: Column | None = None,
        times: Column | None = None,
    ) -> ScoreSums:
        """Price rows that have been checked, piece by piece.

        Parameters
        ----------
        models : sequence of str
            Which forecasts to price, in order.
        rules : sequence of Rule
            Rules for an event, or for classes.
        y : numpy array
            Booleans, or class numbers.
        forecasts : dict of numpy arrays
            By model, of shape (n,) or (n, K).
        weight : numpy array, optional
            The weight of each row; without it, each weighs 1.
        classes : int, optional
            The number of classes; left out of an event.
        clusters : numpy array, optional
            The cluster of each row.
        times : numpy array of int64, optional
            How many like cases each row stands for; not with clusters.
        """
        columns = [np.asarray(forecasts[name], dtype=np.float64) for name in models]
        outcomes = np.asarray(y, dtype=bool if classes is None else np.intp)
        rows = _Rows(outcomes, columns, weight, None if clusters is None else np.asarray(clusters))
        clustered = clusters is not None
        zero = dict.fromkeys(keys_of(models, rules, classes, clustered=clustered), Total())
        totals: dict[Key, Total] = zero
        for some, power in rows.doubled(times):
            used = some.in_use()
            summed = partial(
                _Rows.sums,
                rules=tuple(rules),
                classes=classes,
                whole=used.total() if clustered else None,
            )
            parts = share_out(summed, list(used.pieces()))
            added = reduce(_added, parts, zero)
            totals = _added(totals, {key: Total(x.scaled << power) for key, x in added.items()})
        return cls(tuple(models), tuple(rules), classes, clustered, totals)

    def __add__(self, other: ScoreSums) -> ScoreSums:
        """Put the sums of different rows together."""
        if not isinstance(other, ScoreSums):
            return NotImplemented
        _require_alike(self, other)
        totals = _added(self.totals, other.totals)
        return ScoreSums(self.models, self.rules, self.classes, self.clustered, totals)

    def __radd__(self, other: int) -> ScoreSums:
        """Let `sum` start from 0."""
        return self if isinstance(other, int) and other == 0 else NotImplemented

    def __repr__(self) -> str:
        rows = many(int(float(self.totals["rows",])), "row")
        clusters = ""
        if self.clustered:
            clusters = f" in {many(int(float(self.totals['units',])), 'cluster')}"
        sizes = f"{many(len(self.models), 'model')}, {many(len(self.rules), 'rule')}"
        return f"ScoreSums({rows}{clusters}, {sizes})"


def keys_of(
    models: Sequence[str], rules: Sequence[Rule], classes: int | None, *, clustered: bool = False
) -> list[Key]:
    """List the keys of all sums that are kept."""
    keys: list[Key] = [("rows",), ("units",), ("weight",), ("weight2",), ("row_squares",)]
    if classes is None:
        names = ("event_rows", "event", "event2", "event_weight", "event_squares")
        keys += [(name,) for name in names]
    else:
        for k in range(classes):
            keys += [("class", k), ("class_rows", k), ("class_squares", k)]
    for r in range(len(rules)):
        for j in range(len(models)):
            names = ("loss", "loss2", "loss_weight", "infinite", "infinite_weight")
            keys += [(name, r, j) for name in names]
            keys += [("loss_class", r, j, k) for k in range(classes or 0)]
            keys += [("loss_event", r, j)] if classes is None else []
        for j, k in combinations(range(len(models)), 2):
            keys += [("apart2", r, j, k), ("differing", r, j, k)]
    return keys + [("corrected2",), ("corrected4",)] * clustered


def _added(one: Mapping[Key, Total], other: Mapping[Key, Total]) -> dict[Key, Total]:
    return {key: total + other[key] for key, total in one.items()}


def _require_alike(one: ScoreSums, other: ScoreSums) -> None:
    """Refuse sums that do not belong together."""
    # Rules of one's own need not be comparable; what is written is.
    descriptions = {
        "the same models, in order": [", ".join(map(repr, x.models)) for x in (one, other)],
        "the same rules, in order": [", ".join(map(repr, x.rules)) for x in (one, other)],
        "one event, or of as many classes": [
            "one event" if x.classes is None else f"{x.classes} classes" for x in (one, other)
        ],
    }
    for what, (first, second) in descriptions.items():
        if first != second:
            message = f"sums that are added must be of {what}; got {first} and {second}"
            raise DataError(message)
    if one.clustered or other.clustered:
        message = "sums of clusters do not add; rows of one cluster may be in both"
        raise DataError(message, hint="sum all rows at once, or take cases as independent.")


class _Rows(NamedTuple):
    """Some rows: outcomes, the forecasts of each model, weights, and numbers of clusters."""

    y: Column
    forecasts: list[Column]
    weight: Column | None
    cluster: Column | None

    def of(self, rows: Any) -> _Rows:
        """Take some of the rows."""
        weight = None if self.weight is None else self.weight[rows]
        cluster = None if self.cluster is None else self.cluster[rows]
        return _Rows(self.y[rows], [p[rows] for p in self.forecasts], weight, cluster)

    def doubled(self, times: Column | None) -> Iterator[tuple[_Rows, int]]:
        """Take rows by the binary digits of how often they count, with the power of two of each.

        Sums are then doubled rather than multiplied, which rounds nothing.
        """
        if times is None:
            yield self, 0
            return
        for power in range(int(times.max()).bit_length()):
            yield self.of((times >> power) & 1 == 1), power

    def in_use(self) -> _Rows:
        """Leave out rows of weight 0; put clusters together."""
        rows = self
        if self.weight is not None and not (self.weight > 0).all():
            rows = rows.of(self.weight > 0)
        if rows.cluster is None:
            return rows
        rows = rows._replace(cluster=number_ids(rows.cluster))
        # By all columns: sums in a cluster must not depend on the order of its rows.
        keys = [column for p in rows.forecasts for column in (p.T if p.ndim > 1 else p[None])]
        weights = [] if rows.weight is None else [rows.weight]
        return rows.of(np.lexsort((*keys, *weights, rows.y, rows.cluster)))

    def pieces(self) -> Iterator[_Rows]:
        """Cut the rows, but no cluster, into pieces that need little memory."""
        wide = sum(p.shape[1] if p.ndim > 1 else 1 for p in self.forecasts)
        size = max(PIECE // max(wide, 1), 1)
        ends = list(range(size, len(self.y), size))
        if self.cluster is not None:
            ends = sorted(set(np.searchsorted(self.cluster, self.cluster[ends], "left").tolist()))
        for start, stop in pairwise([0, *(x for x in ends if x), len(self.y)]):
            yield self.of(slice(start, stop))

    def gathered(self, x: Column) -> Column:
        """Add up over each cluster; single rows stay as they are."""
        if self.cluster is None:
            return x
        first = np.flatnonzero(np.diff(self.cluster, prepend=-1))
        return np.asarray(np.add.reduceat(x, first))

    def total(self) -> float:
        """Add up all weights."""
        return float(len(self.y) if self.weight is None else exact_sum(self.weight))

    def sums(
        self, rules: tuple[Rule, ...], classes: int | None, whole: float | None
    ) -> dict[Key, Total]:
        """Find all sums; of clusters, given the weight of all."""
        w = np.ones(len(self.y)) if self.weight is None else self.weight.astype(np.float64)
        unit = self.gathered(w)
        totals: dict[Key, Total] = {
            ("rows",): Total.of(len(w)),
            ("units",): Total.of(len(unit)),
            ("weight",): exact_sum(unit),
            ("weight2",): sum_of_products(unit, unit),
            ("row_squares",): sum_of_products(w, w),
        }
        root = np.ones(1) if whole is None else _roots(unit, whole)
        unit = unit * root
        if whole is not None:
            totals["corrected2",] = sum_of_products(unit, unit)
            totals["corrected4",] = sum_of_products(unit**2, unit**2)
        totals |= self._outcomes(w, unit, root) if classes is None else self._classes(w, classes)
        for r, rule in enumerate(rules):
            totals |= self._losses(w, (unit, root), r, rule, classes)
        return totals

    def _outcomes(self, w: Column, unit: Column, root: Column) -> dict[Key, Total]:
        event = self.gathered(np.where(self.y, w, 0.0))
        total, event = exact_sum(event), event * root
        return {
            ("event_rows",): Total.of(int(np.count_nonzero(self.y))),
            ("event",): total,
            ("event2",): sum_of_products(event, event),
            ("event_weight",): sum_of_products(event, unit),
            ("event_squares",): sum_of_products(w[self.y], w[self.y]),
        }

    def _classes(self, w: Column, classes: int) -> dict[Key, Total]:
        totals: dict[Key, Total] = {}
        for k in range(classes):
            own = w[self.y == k]
            totals["class", k] = exact_sum(own)
            totals["class_rows", k] = Total.of(len(own))
            totals["class_squares", k] = sum_of_products(own, own)
        return totals

    def _losses(
        self, w: Column, units: tuple[Column, Column], r: int, rule: Rule, classes: int | None
    ) -> dict[Key, Total]:
        """Price the rows of each model, and add up what a rule says.

        Units have their weights, and the roots that their sums are multiplied by.
        """
        totals: dict[Key, Total] = {}
        unit, root = units
        loss = [price(rule, self.y, p, classes=classes is not None) for p in self.forecasts]
        paid, event = [], None if classes else self.gathered(np.where(self.y, w, 0.0)) * root
        for j, row in enumerate(loss):
            with np.errstate(over="ignore"):
                amount = w * row
            endless = ~np.isfinite(amount)
            amount = np.where(endless, 0.0, amount)
            amounts = self.gathered(amount)
            paid.append(amounts * root)
            totals["infinite", r, j] = Total.of(int(np.count_nonzero(endless)))
            totals["infinite_weight", r, j] = exact_sum(w[endless])
            totals["loss", r, j] = exact_sum(amounts)
            totals["loss2", r, j] = sum_of_products(paid[j], paid[j])
            totals["loss_weight", r, j] = sum_of_products(paid[j], unit)
            if event is not None:
                totals["loss_event", r, j] = sum_of_products(paid[j], event)
            for k in range(classes or 0):
                some = self.y == k
                totals["loss_class", r, j, k] = sum_of_products(amount[some], w[some])
        for j, k in combinations(range(len(loss)), 2):
            apart = paid[j] - paid[k]
            totals["apart2", r, j, k] = sum_of_products(apart, apart)
            totals["differing", r, j, k] = Total.of(int(np.count_nonzero(loss[j] != loss[k])))
        return totals


def _roots(unit: Column, whole: float) -> Column:
    """Return the roots of one over one minus the share of each cluster; 0 if it has all weight."""
    rest = 1 - unit / whole
    return np.sqrt(np.divide(1.0, rest, out=np.zeros(len(rest)), where=rest > 0))
