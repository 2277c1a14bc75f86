r"""Maps of knots: isotonic ones, and those of Venn and Abers.

Isotonic maps are straight lines through the centres of the bins of a reliability diagram. A
Venn-Abers map is two recalibrations, one of which is calibrated. At a forecast x, a case is added
that had the event, then one that had not; the isotonic recalibration of either is read off at x.
Both are found for all forecasts in one pass.

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

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from numbers import Real
from typing import Any, ClassVar, Literal, NamedTuple, Self, get_args

import numpy as np

from properly._boundary._arrays import check_forecasts
from properly._boundary._chunks import PIECE
from properly._boundary._libraries import (
    infinities,
    is_numpy,
    namespace,
    read_only,
    to_library_of,
    to_numpy,
)
from properly._boundary._options import as_number, check_choice
from properly.counts._isotonic import PRODUCTS_FIT, recalibrate
from properly.counts._tally import Tally
from properly.errors import DataError
from properly.recalibration._expression import LinePiece, straight_pieces
from properly.recalibration._log_odds_maps import few_notes
from properly.recalibration._map import Map
from properly.recalibration._training import Sample, Training, require_both_outcomes
from properly.typing import Array, ArrayLike, Column

Interpolation = Literal["linear", "flat"]
Merge = Literal["log", "brier"]
# Forecasts of a cell are taken for their mean: within cells this narrow it hardly matters.
FINE = 1000
# With more corners than this share of the points, each point is looked at closely.
MANY_CORNERS = 0.2


class Knots(NamedTuple):
    """Forecasts, increasing, and what they become."""

    p: Column
    q: Column


def as_knots(make: Any, given: Any) -> Any:
    """Take columns of probabilities, by name or in order; the first increases, no other falls."""
    columns = make(**given) if isinstance(given, Mapping) else make(*given)
    columns = make(*(read_only(np.array(x, dtype=np.float64)) for x in columns))
    shapes = [x.shape for x in columns]
    if len(set(shapes)) > 1 or len(shapes[0]) != 1 or shapes[0] == (0,):
        message = f"knots must be columns of equally many numbers, at least one; got {shapes}"
        raise DataError(message)
    for name, column in columns._asdict().items():
        steps = np.diff(column)
        falls = np.append(False, steps <= 0 if name == "p" else steps < 0)
        order = "increasing" if name == "p" else "never falling"
        outside = ~((column >= 0) & (column <= 1))
        for bad, rule in ((outside, "in [0, 1]"), (falls, order)):
            if bad.any():
                row = int(np.argmax(bad))
                message = f"knots must be {rule}; {name} has {column[row]} in row {row}"
                raise DataError(message)
    return columns


# Equally wide cells of [0, 1], at least so many and no more: a power of two, so that a product
# with it is exact. There are about as many as knots, and few of these in a cell.
LEAST, GREATEST = 14, 20
# Fewer forecasts are found sooner by bisection.
SHORT = 1 << 12


class Lookup(NamedTuple):
    """Knots, and how many of them lie below each of many cells.

    Attributes
    ----------
    knots : numpy array
        Numbers in [0, 1], increasing, and infinity often enough that no cell is read beyond them.
    below : numpy array
        How many knots lie below each cell.
    steps : tuple of ints
        Powers of two, falling: taken or left, they lead past any number of knots in a cell.
    """

    knots: Column
    below: Column
    steps: tuple[int, ...]

    @classmethod
    def of(cls, knots: Column) -> Lookup:
        """Count the knots below each cell."""
        cells = 1 << min(max(len(knots).bit_length(), LEAST), GREATEST)
        inside = np.bincount((knots * cells).astype(np.intp), minlength=cells + 1)
        below = (np.cumsum(inside) - inside).astype(np.int32)
        steps = tuple(1 << k for k in reversed(range(int(inside.max()).bit_length())))
        return cls(np.append(knots, np.full(sum(steps) + 1, np.inf)), below, steps)

    def before(self, p: Column, side: Literal["left", "right"]) -> Column:
        """Count the knots below each number in [0, 1]; on the right, those equal to it as well."""
        if len(p) < SHORT:
            return np.searchsorted(self.knots, p, side=side)
        is_before = np.less if side == "left" else np.less_equal
        row = np.take(self.below, (p * (len(self.below) - 1)).astype(np.int32))
        for step in self.steps:
            row += is_before(np.take(self.knots[step - 1 :], row), p) * np.int32(step)
        return row


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class KnotMap(Map):
    """A map that is a table of forecasts, increasing, and what they become."""

    parameters: ClassVar[tuple[str, ...]] = ("knots",)
    knots: Any = None

    def _fit(self, source: Any) -> Self:
        if source.cells is not None and source.cells < FINE:
            message = (
                "a curve through all forecasts needs them one by one, or in at least "
                f"{FINE} cells; these were grouped into {source.cells} cells"
            )
            raise DataError(message, hint="Logistic() can be fitted to cells.")
        sample = Sample.of(source)
        require_both_outcomes(sample)
        knots, notes = self._knots_of(source, sample)
        return self.learnt(
            few_notes(sample) + notes,
            knots=knots,
            range=(float(sample.value[0]), float(sample.value[-1])),
            training=Training.of(source),
        )

    def _knots_of(self, tally: Tally, sample: Sample) -> tuple[Any, list[str]]:
        """Find the table, and what is to be noted about it."""
        raise NotImplementedError

    def turns(self) -> Column:
        """Return the forecasts where the map turns, or jumps."""
        return np.empty(0) if self.knots is None else self.knots.p

    def __repr__(self) -> str:
        if self.knots is None:
            return super().__repr__()
        return f"{type(self).__name__}({len(self.knots.p)} knots)"


@dataclass(frozen=True, eq=False, repr=False)
class Isotonic(KnotMap):
    """The best increasing curve, made continuous and never certain.

    The bins of the reliability diagram are joined by straight lines through their mean forecasts,
    as in centred isotonic regression [1]_. Each bin's event rate is first drawn one case towards
    the rate of all, so that none is 0 or 1. Beyond the first and the last bin the map is constant.
    Forecasts of exactly 0 and 1 are numbers like others. The bins are best under every proper rule,
    so there is no rule to choose.

    Parameters
    ----------
    interpolation : {"linear", "flat"}
        Straight lines through the centres of bins; or bins as they are, with lines between their
        ends.
    shrink : float
        By how many cases the rate of each bin is drawn towards that of all. With 0 the map may
        give 0 and 1.

    Attributes
    ----------
    knots : Knots or None
        Forecasts, increasing, and what they become.

    References
    ----------
    .. [1] A. P. Oron, N. Flournoy (2017). Centered isotonic regression: point and interval
       estimation for dose-response studies. Statistics in Biopharmaceutical Research 9:258-267.
       `doi:10.1080/19466315.2017.1286256 <https://doi.org/10.1080/19466315.2017.1286256>`__

    Examples
    --------
    >>> import properly
    >>> from properly.recalibration import Isotonic
    >>> tally = properly.Tally.from_counts([0.2, 0.4, 0.7], [19, 19, 19], [3, 9, 15])
    >>> curve = Isotonic().fit(tally)
    >>> curve
    Isotonic(3 knots)
    >>> curve.at([0.0, 0.2, 0.3, 1.0]).round(4)
    array([0.1737, 0.1737, 0.3237, 0.7737])
    """

    options: ClassVar[tuple[str, ...]] = ("interpolation", "shrink")
    interpolation: Interpolation = "linear"
    shrink: float = 1.0

    def __post_init__(self) -> None:
        check_choice(self.interpolation, get_args(Interpolation), "interpolation")
        shrink = as_number(self.shrink, "shrink")
        if not 0 <= shrink < np.inf:
            message = f"shrink must be a number of cases, 0 or more; got {self.shrink!r}"
            raise DataError(message)
        object.__setattr__(self, "shrink", shrink)
        if self.knots is not None:
            object.__setattr__(self, "knots", as_knots(Knots, self.knots))

    def _knots_of(self, tally: Tally, sample: Sample) -> tuple[Knots, list[str]]:
        """Pool adjacent violators; draw rates towards that of all, and pool what then falls."""
        from scipy.optimize import isotonic_regression

        bins = recalibrate(tally)
        end = to_numpy(bins.end)
        start = np.append(0, end[:-1])
        total, events = (x.astype(np.float64) for x in (bins.weight, bins.events))
        p, last, rate = sample.value[start], sample.value[end - 1], events / total
        if self.shrink:
            size = total
            if tally.event_squares is not None:
                size = total**2 / np.add.reduceat(sample.squares, start)
            drawn = size * rate + self.shrink * (events.sum() / total.sum())
            size = size + self.shrink
            rate = isotonic_regression(drawn / size, weights=size).x
        sure = rate[0] == 0 or rate[-1] == 1
        note = "some forecasts become exactly 0 or 1: a single error costs infinity"
        if self.interpolation == "linear":
            p = np.clip(np.add.reduceat(sample.weight * sample.value, start) / total, p, last)
        else:
            p, rate = np.stack([p, last], axis=1).ravel(), np.repeat(rate, 2)
        # Rounding may leave two knots at one forecast.
        new = np.append(True, np.diff(p) > 0)
        return Knots(p[new], rate[new]), [note] if sure else []

    def mapped(self, p: Array) -> Array:
        assert self.knots is not None  # noqa: S101, `at` has asked
        x, q = self.knots
        if len(x) == 1:
            return namespace(p).full_like(p, float(q[0]))
        table, slopes = self._table
        # From one subnormal forecast to the next a rise may be steeper than any double.
        if not is_numpy(p) or not np.isfinite(slopes).all():
            return _interpolated(p, x, q)
        row = np.clip(table.before(p, "right") - 1, 0, len(x) - 2)
        result: Column = np.take(slopes, row)
        result *= p - np.take(x, row)
        result += np.take(q, row)
        # Beyond the ends the map is constant, and rounding carries nothing beyond them.
        return np.clip(result, q[0], q[-1], out=result)

    @cached_property
    def _table(self) -> tuple[Lookup, Column]:
        """Look up between which knots forecasts lie, and how fast the curve rises there."""
        assert self.knots is not None  # noqa: S101
        x, q = self.knots
        with infinities():
            return Lookup.of(x), np.diff(q) / np.diff(x)

    def pieces(self) -> list[LinePiece] | None:
        return None if self.knots is None else straight_pieces(*self.knots)


def _interpolated(p: Array, x: Column, q: Column) -> Array:
    """Interpolate tensors on their device, with gradients."""
    xp = namespace(p)
    knots, values = (xp.astype(to_library_of(v, p), p.dtype) for v in (x, q))
    row = xp.clip(xp.searchsorted(knots, p, side="right") - 1, 0, len(x) - 2)
    left, right = xp.take(knots, row), xp.take(knots, row + 1)
    low, high = xp.take(values, row), xp.take(values, row + 1)
    share = xp.clip((p - left) / (right - left), 0.0, 1.0)
    return low + share * (high - low)


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
    return np.append(x[:1] * 0, np.cumsum(x))


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

    options: ClassVar[tuple[str, ...]] = ("merge",)
    merge: Merge = "log"

    def __post_init__(self) -> None:
        check_choice(self.merge, get_args(Merge), "merge")
        if self.knots is not None:
            pairs = as_knots(PairKnots, self.knots)
            bad = ~((pairs.p0 <= pairs.p1) & (pairs.p0 < 1) & (pairs.p1 > 0))
            for row in np.flatnonzero(bad)[:1]:
                found = f"{pairs.p0[row]} and {pairs.p1[row]} in row {row}"
                message = f"knots must be pairs with p0 <= p1, p0 < 1 and p1 > 0; got {found}"
                raise DataError(message)
            object.__setattr__(self, "knots", pairs)

    def _knots_of(self, tally: Tally, sample: Sample) -> tuple[PairKnots, list[str]]:
        return pairs_of(tally, sample), []

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
        xp = namespace(p)
        wide = xp.astype(p, xp.float64)

        def at_knots(values: Column, side: str) -> Array:
            row = xp.searchsorted(to_library_of(value, wide), wide, side=side)
            return xp.astype(xp.take(to_library_of(values, wide), row), p.dtype)

        return at_knots(np.append(0.0, lower), "right"), at_knots(np.append(upper, 1.0), "left")

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
