r"""Venn-Abers maps: two recalibrations, one of which is calibrated.

At a forecast x, a case is added that had the event, then one that had not; the isotonic
recalibration of either is read off at x. Both are found for all forecasts in one pass.

**The pass.** Cumulated events :math:`O_j` are plotted against cumulated cases :math:`W_j`, as for
the isotonic recalibration. A line of slope s touches their lower hull where
:math:`O_j - s W_j` is least, at g(s). With an event of weight u added at row i, points from i on
move by (u, u). The recalibration at i is at least s if and only if the least
:math:`O_j - s W_j` before row i is not above that from i on, moved. The lesser of both unmoved
minima is g(s), so this is: some j before i has :math:`(O_j - u) - s (W_j - u) \le g(s)`. In words,
the line of slope s through the point j, moved back, passes below the hull. The greatest such s is
the slope of the tangent from that point to the hull, and the recalibration at i is the greatest of
those slopes over all j before i. Only points that come to lie on or below the hull have one, and
those are few. The tangent is found by bisection of the corners. With the event not happening,
events and others change places, and so do the ends.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from numbers import Real
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple, NoReturn, get_args

import numpy as np

from properly._boundary._arrays import check_forecasts
from properly._boundary._chunks import PIECE
from properly._boundary._libraries import is_numpy, namespace, to_library_of, to_numpy
from properly._boundary._options import check_choice
from properly.counts._isotonic import PRODUCTS_FIT, recalibrate
from properly.errors import DataError
from properly.recalibration._isotonic_map import KnotMap, Lookup, as_knots
from properly.recalibration._map import Map

if TYPE_CHECKING:
    from collections.abc import Iterable

    from properly.counts._tally import Tally
    from properly.recalibration._training import Sample
    from properly.typing import Array, ArrayLike, Column

Merge = Literal["log", "brier"]
# With more corners than this share of the points, each point is looked at closely.
MANY_CORNERS = 0.2


class PairKnots(NamedTuple):
    """Forecasts, increasing, and what they become if the case had no event, and if it had."""

    p: Column
    p0: Column
    p1: Column


class _CumulatedPath(NamedTuple):
    """Cumulated events and cases with (0, 0) before them, and the corners of their hull."""

    events: Column
    cases: Column
    corner: Column


def pairs_of(tally: Tally, sample: Sample) -> PairKnots:
    """Find both recalibrations; forecasts where none of them changes are left out."""
    weight, events, unit = _in_units(tally, sample)
    end, rows = np.append(0, to_numpy(recalibrate(tally).end)), len(weight)
    upper = _with_event(_CumulatedPath(_from_zero(events), _from_zero(weight), end), unit)
    # In this order, what others are is forgotten before cases are added up.
    others = _from_zero((weight - events)[::-1])
    lower = _with_event(_CumulatedPath(others, _from_zero(weight[::-1]), rows - end[::-1]), unit)
    # The upper one holds up to each forecast, the lower one from it on.
    last = np.append(upper.row[1:] - 1, rows - 1)
    first = rows - 1 - np.append(lower.row[1:] - 1, rows - 1)
    kept = np.union1d(last, first)
    up, of = upper.at(kept)
    down, out_of = lower.at(rows - 1 - kept)
    # Subtracted as counts: one less a rounded quotient would be rounded twice. Sums of fractions
    # are rounded all the same, by which a rate of 0 or 1 may be missed.
    pair = (np.clip(x, 0.0, 1.0) for x in ((out_of - down) / out_of, up / of))
    return PairKnots(sample.value[kept], *pair)


def _in_units(tally: Tally, sample: Sample) -> tuple[Column, Column, Any]:
    """Return cases, events and the weight of the added case: 1, or the mean one of a case."""
    weight, events = to_numpy(tally.weight), to_numpy(tally.events)
    if tally.event_squares is None and sample.totals[0] < PRODUCTS_FIT:
        return weight, events, 1
    # Products of whole numbers might overflow.
    unit = float(sample.squares.sum() / weight.sum())
    return weight.astype(np.float64), events.astype(np.float64), unit


def _from_zero(x: Column) -> Column:
    """Add up one after the other, with 0 before them."""
    result = np.zeros(len(x) + 1, x.dtype)
    np.cumsum(x, out=result[1:])
    return result


class _RateSteps(NamedTuple):
    """A step function of rows: where it rises, and to which rate; the first row is among them."""

    row: Column
    events: Column
    cases: Column

    def at(self, rows: Column) -> tuple[Column, Column]:
        """Return events and cases, of which the rate at some rows is the quotient."""
        place = np.searchsorted(self.row, rows, side="right") - 1
        return self.events[place], self.cases[place]


def _with_event(path: _CumulatedPath, unit: Any) -> _RateSteps:
    """Return the recalibration at each row with an event added there."""
    point = _below_hull(path, unit)
    events, cases = _tangents(path, point, unit)
    # Point j counts from row j on; the first one, (0, 0), is always among them.
    best = np.maximum.accumulate(events / cases)
    rises = np.append(True, best[1:] > best[:-1])
    return _RateSteps(point[rises], events[rises], cases[rises])


def _below_hull(path: _CumulatedPath, unit: Any) -> Column:
    """Find the points that lie on or below the hull, or before it, once moved back by the unit."""
    events, cases, corner = path
    point = _near_hull(path, unit)
    x, y = cases[point] - unit, events[point] - unit
    at, up = cases[corner], events[corner]
    edge = np.clip(np.searchsorted(at, x, side="right") - 1, 0, len(corner) - 2)
    wide, high = np.diff(at)[edge], np.diff(up)[edge]
    below = (y - up[edge]) * wide <= high * (x - at[edge])
    result: Column = point[below | (x < 0)]
    return result


def _near_hull(path: _CumulatedPath, unit: Any) -> Column:
    """Find the points that lie no more than the unit above the hull; no other can come below it."""
    events, cases, corner = path
    if len(corner) > MANY_CORNERS * len(cases):
        return np.arange(len(cases) - 1)
    at, up = cases[corner], events[corner]
    wide, high = np.diff(at), np.diff(up)
    # Twice the unit, since sums of fractions are rounded; the exact question comes next.
    most = (up[:-1] + 2 * unit) * wide - at[:-1] * high
    found = []
    for start in range(0, len(cases) - 1, PIECE):
        stop = min(start + PIECE, len(cases) - 1)
        edges = slice(*np.searchsorted(corner, [start, stop - 1], side="right") - [1, 0])
        rows = np.diff(np.clip(corner[edges.start : edges.stop + 1], start, stop))
        # Above the edge, times its width; of counts as whole numbers.
        level = events[start:stop] * np.repeat(wide[edges], rows)
        level -= cases[start:stop] * np.repeat(high[edges], rows)
        found.append(start + np.flatnonzero(level <= np.repeat(most[edges], rows)))
    return np.concatenate(found)


def _tangents(path: _CumulatedPath, point: Column, unit: Any) -> tuple[Column, Column]:
    """Return rise and run of the tangents from points, moved back by the unit, to the hull."""
    events, cases, corner = path
    at, up = cases[corner], events[corner]
    x, y = cases[point] - unit, events[point] - unit
    # The first corner ahead; from there on, slopes fall until the tangent and then rise.
    low = np.searchsorted(at, x, side="right")
    high = np.full(len(point), len(corner) - 1)
    while (low < high).any():
        middle = np.minimum((low + high) // 2, len(corner) - 2)
        here = (up[middle] - y) * (at[middle + 1] - x)
        there = (up[middle + 1] - y) * (at[middle] - x)
        falls = (there < here) & (low < high)
        rises = ~falls & (low < high)
        low, high = np.where(falls, middle + 1, low), np.where(rises, middle, high)
    return up[low] - y, at[low] - x


def merged(p0: Array, p1: Array, merge: Merge) -> Array:
    """Make one forecast of two, the best against either under the rule."""
    if merge == "log":
        return p1 / (1 - p0 + p1)
    return p1 + (p0**2 - p1**2) / 2


@dataclass(frozen=True, eq=False, repr=False)
class VennAbers(KnotMap):
    r"""Venn-Abers prediction: a pair of forecasts, one of which is calibrated.

    At a forecast x, p0 is the isotonic recalibration once a case without the event is added at x,
    and p1 that with a case that had it [1]_. If cases are exchangeable, one of the two is perfectly
    calibrated: that which belongs to what happens. They are merged into one forecast,
    :math:`p_1 / (1 - p_0 + p_1)` for the log score or :math:`p_1 + (p_0^2 - p_1^2) / 2` for the
    Brier score. It is never 0 or 1.

    Parameters
    ----------
    merge : {"log", "brier"}
        For which score the pair becomes one forecast.

    Attributes
    ----------
    knots : PairKnots or None
        Forecasts, increasing, with p0 and p1 there. Between two of them, p1 is that of the next
        and p0 that of the one before.

    References
    ----------
    .. [1] V. Vovk, I. Petej, V. Fedorova (2015). Large-scale probabilistic predictors with and
       without guarantees of validity. Advances in Neural Information Processing Systems 28.
       `arXiv:1511.00213 <https://arxiv.org/abs/1511.00213>`__

    Examples
    --------
    >>> import properly
    >>> from properly.recalibration import VennAbers
    >>> tally = properly.Tally.from_counts([0.2, 0.7], [49, 49], [9, 39])
    >>> fitted = VennAbers().fit(tally)
    >>> p0, p1 = fitted.pair_at([0.2])
    >>> p0, p1, fitted.at([0.2])
    (array([0.18]), array([0.2]), array([0.19607843]))
    """

    kind: ClassVar[str] = "venn_abers"
    options: ClassVar[tuple[str, ...]] = ("merge",)
    merge: Merge = "log"

    def __post_init__(self) -> None:
        check_choice(self.merge, get_args(Merge), "merge")
        if self.knots is not None:
            pairs = as_knots(PairKnots, self.knots)
            bad = ~((pairs.p0 <= pairs.p1) & (pairs.p0 < 1) & (pairs.p1 > 0))
            if bad.any():
                row = int(np.argmax(bad))
                found = f"{pairs.p0[row]} and {pairs.p1[row]} in row {row}"
                message = f"knots must be pairs with p0 <= p1, p0 < 1 and p1 > 0; got {found}"
                raise DataError(message)
            object.__setattr__(self, "knots", pairs)

    def _knots_of(self, tally: Tally, sample: Sample) -> tuple[PairKnots, list[str]]:
        return pairs_of(tally, sample), []

    @classmethod
    def cross(cls, tallies: Iterable[Any], merge: Merge = "log") -> CrossVennAbers:
        """Join the maps of several folds, each of which had a model of its own.

        Parameters
        ----------
        tallies : iterable of Tally or Cases
            What happened at the forecasts that each model made for its own fold.
        merge : {"log", "brier"}
            For which score the pairs become one forecast.
        """
        return CrossVennAbers(tuple(cls(merge).fit(tally) for tally in tallies), merge)

    def pair_at(self, p: ArrayLike) -> tuple[Array, Array]:
        """Return both forecasts: one of the two is calibrated.

        Parameters
        ----------
        p : float or array-like
            Forecasts in [0, 1].

        Returns
        -------
        p0, p1 : float or array
            What they become if the case will not have the event, and if it will.
        """
        self._require_fitted()
        if isinstance(p, Real):
            p0, p1 = self._pair(check_forecasts([p]))
            return float(p0[0]), float(p1[0])
        return self._pair(check_forecasts(p))

    def _pair(self, p: Array) -> tuple[Array, Array]:
        assert self.knots is not None  # noqa: S101, who calls has asked
        value, lower, upper = self.knots
        xp, dtype = namespace(p), p.dtype
        knots = to_library_of(value, xp.astype(p, xp.float64))
        wide = xp.astype(p, xp.float64)
        after = xp.searchsorted(knots, wide, side="left")
        before = xp.searchsorted(knots, wide, side="right")
        p1 = xp.take(to_library_of(np.append(upper, 1.0), wide), after)
        p0 = xp.take(to_library_of(np.append(0.0, lower), wide), before)
        return xp.astype(p0, dtype), xp.astype(p1, dtype)

    def mapped(self, p: Array) -> Array:
        if not is_numpy(p):
            return merged(*self._pair(p), self.merge)
        table, values = self._table
        row = table.before(p, "left")
        return np.take(values, 2 * row + (np.take(table.knots, row) == p))

    @cached_property
    def _table(self) -> tuple[Lookup, Column]:
        """Look up what forecasts become: between knots and at them in turn."""
        assert self.knots is not None  # noqa: S101
        value, lower, upper = self.knots
        before, after = np.append(0.0, lower), np.append(upper, 1.0)
        values = np.empty(2 * len(value) + 1)
        values[::2] = merged(before, after, self.merge)
        values[1::2] = merged(lower, upper, self.merge)
        return Lookup.of(value), values

    def _why_no_inverse(self) -> str:
        assert self.knots is not None  # noqa: S101
        value = self.knots.p
        first, second = (value[0], value[1]) if len(value) > 1 else (value[0], 1.0)
        return f"the map is flat between {first:.4g} and {second:.4g}"


@dataclass(frozen=True, eq=False, repr=False)
class CrossVennAbers(Map):
    """Venn-Abers maps of several folds, each with a model of its own, joined.

    Attributes
    ----------
    maps : tuple of VennAbers
        One a fold.
    merge : {"log", "brier"}
        For which score their pairs become one forecast.
    """

    kind: ClassVar[str] = "cross_venn_abers"
    parameters: ClassVar[tuple[str, ...]] = ("maps",)
    options: ClassVar[tuple[str, ...]] = ("merge",)
    maps: tuple[VennAbers, ...] = ()
    merge: Merge = "log"

    def __post_init__(self) -> None:
        check_choice(self.merge, get_args(Merge), "merge")
        object.__setattr__(self, "maps", tuple(self.maps))
        if not self.maps or not all(isinstance(one, VennAbers) for one in self.maps):
            message = "a cross Venn-Abers map needs a Venn-Abers map of each fold, at least one; "
            message += f"got {self.maps!r}"
            raise DataError(message)

    def fit(self, source: Any, p: ArrayLike | None = None, /, **columns: Any) -> NoReturn:  # noqa: ARG002
        """Refuse: each fold has its own forecasts."""
        message = "a cross Venn-Abers map is fitted to several tallies, one a fold"
        raise DataError(message, hint="write VennAbers.cross([tally, ...]).")

    def mapped(self, p: Array) -> Array:
        xp = namespace(p)
        pairs = [one._pair(p) for one in self.maps]  # noqa: SLF001
        folds = len(pairs)
        if self.merge == "brier":
            return sum(merged(p0, p1, "brier") for p0, p1 in pairs) / folds
        up, down = (xp.zeros_like(p) for _ in range(2))
        for p0, p1 in pairs:
            up, down = up + xp.log(p1), down + xp.log1p(-p0)
        return 1 / (1 + xp.exp((down - up) / folds))

    def turns(self) -> Column:
        return np.unique(np.concatenate([one.turns() for one in self.maps]))
