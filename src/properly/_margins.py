"""How far off a Murphy curve may be: bounds from tallies, and from rows in pairs and clusters."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

import numpy as np

from properly._cases import (
    Cases,
    number_clusters,
    require_no_time,
    rows_in_use,
    weights_of,
)
from properly._elementary import (
    Mistakes,
    Outcomes,
    effective,
    if_calibrated,
    mean_cost,
    root,
    shares,
)
from properly._libraries import to_numpy
from properly.errors import ArgumentTypeError, DataError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from properly._tally import Tally

Column: TypeAlias = np.ndarray[Any, Any]
Bounds: TypeAlias = tuple[Column, Column, Column]

# Where dependent cases are looked at: only independent ones have a closed form everywhere.
GRID = np.arange(1, 200) / 200
# Fewer events or non-events than this, judged differently by two forecasts, carry no bounds.
ENOUGH = 10


def confidence_bounds(
    x: Tally | Cases, found: Outcomes, knot: Column, mean: Column, level: float
) -> Bounds:
    """Return thresholds, and bounds there of the population's mean elementary score.

    The forecasts are those of `found`: the one that all cases share, or those of `x`.
    """
    require_no_time(x, "the band of a Murphy curve")
    rows = _clustered(x)
    if rows is None:
        return _score_bounds(knot, found, mean, level)
    p = np.full_like(rows.p, found.value[0]) if len(found.value) == 1 else rows.p
    mean, error = rows.mean_and_error(rows.costs(p, rows.happened))
    return _bounds(GRID, mean, error * _student(rows.clusters - 1, level), least=0)


def _score_bounds(knot: Column, found: Outcomes, mean: Column, level: float) -> Bounds:
    """Bound the two kinds of mistakes by score intervals, and put these together.

    Mistakes may be few and each of them costly, so a standard error from those that happened is not
    to be trusted. The distances to the ends of Wilson's intervals for the shares of either kind,
    weighed by their costs, add up as standard deviations do, with the correlation of two shares of
    a whole.
    """
    n = effective(found.total, found.squares)
    if n <= 1:
        return _bounds(knot, mean, np.full_like(mean, np.nan), least=0)
    share = shares(knot, found)
    with np.errstate(divide="ignore", invalid="ignore"):
        odds = share.in_vain / (1 - share.in_vain) * share.missed / (1 - share.missed)
        correlation = -np.sqrt(np.nan_to_num(odds).clip(0, 1))
    below, above = [], []
    costs = ((2 * knot, share.in_vain, share.acted), (2 - 2 * knot, share.missed, share.left))
    for cost, wrong, possible in costs:
        lower, upper = _wilson(wrong, n, level)
        # Where nobody is acted upon, no alarm can be in vain; where all are, no event is missed.
        below.append(np.where(possible > 0, cost * (wrong - lower), 0.0))
        above.append(np.where(possible > 0, cost * (upper - wrong), 0.0))
    down, up = (
        np.sqrt(np.maximum(a**2 + b**2 + 2 * correlation * a * b, 0)) for a, b in (below, above)
    )
    ends = np.maximum(mean - down, 0), np.minimum(mean + up, 2 * np.maximum(knot, 1 - knot))
    return np.repeat(knot, 2), ends[0].T.ravel(), ends[1].T.ravel()


def _wilson(share: Column, n: float, level: float) -> tuple[Column, Column]:
    """Return Wilson's score interval of a share."""
    from scipy.special import ndtri

    z2 = float(ndtri((1 + level) / 2)) ** 2
    middle = (share + z2 / (2 * n)) / (1 + z2 / n)
    half = np.sqrt(z2 * (share * (1 - share) / n + z2 / (4 * n**2))) / (1 + z2 / n)
    return np.maximum(middle - half, 0), np.minimum(middle + half, 1)


def consistency_bounds(x: Tally | Cases, found: Outcomes, knot: Column, level: float) -> Bounds:
    """Return thresholds, and bounds there of the mean elementary score of calibrated forecasts.

    The outcomes of a cluster may depend on one another even then, so it is clusters whose
    deviations from the forecasts are squared.
    """
    from scipy.special import ndtri

    require_no_time(x, "the band of a Murphy curve")
    rows = _clustered(x)
    if rows is None:
        mean, error = if_calibrated(knot, found)
        return _bounds(knot, mean, error * ndtri((1 + level) / 2), least=0)
    mean, _ = rows.mean_and_error(rows.costs(rows.p, rows.p))
    surprises = _minus(rows.costs(rows.p, rows.happened), rows.costs(rows.p, rows.p))
    _, error = rows.mean_and_error(surprises)
    return _bounds(GRID, mean, error * _student(rows.clusters - 1, level), least=0)


def paired_bounds(
    first: Tally | Cases, second: Tally | Cases, knot: Column, mean: Column, level: float
) -> Bounds:
    """Return thresholds, and bounds there of a mean difference, NaN where too few cases differ."""
    for cases in (first, second):
        require_no_time(cases, "the band of a difference")
    one, other = _pair(first, second)
    if _clustered(first) is None:
        spare = effective(one.weight.sum(), one.square.sum()) - 1
        margin = _paired_error(knot, one, other, mean) * _student(spare, level)
        few = np.minimum(*_between(knot, one, other, one.number)) < ENOUGH
    else:
        costs = _minus(*(rows.costs(rows.p, rows.happened) for rows in (one, other)))
        mean, error = one.mean_and_error(costs)
        knot, margin = GRID, error * _student(one.clusters - 1, level)
        few = np.minimum(*_between(GRID, one, other, one.number))[0] < ENOUGH
    return _bounds(knot, mean, np.where(few, np.nan, margin), least=-np.inf)


class Rows(NamedTuple):
    """Cases of positive weight, and how much each of them is.

    Whole numbers are counts, so that a weight of 3 is three cases. Fractions enter squared, and
    count as one case. Clusters are numbered from 0.
    """

    p: Column
    happened: Column
    weight: Column
    square: Column
    number: Column
    cluster: Column

    @property
    def clusters(self) -> int:
        """The number of clusters."""
        return int(self.cluster.max()) + 1

    def costs(self, p: Column, event: Column) -> Iterator[Column]:
        """Yield what the forecasts cost each cluster, at one threshold of the grid after the other.

        Each case is an event to the given extent, and a non-event for the rest.
        """
        cell = np.searchsorted(GRID, p, side="right")
        order = np.argsort(cell, kind="stable")
        start = np.searchsorted(cell[order], np.arange(GRID.shape[0] + 1))
        none, event = self.weight * (1 - event), self.weight * event
        clusters, size = self.cluster, self.clusters
        in_vain, missed = np.bincount(clusters, none, size), np.zeros(size)
        for threshold, first, last in zip(GRID, start[:-1], start[1:], strict=True):
            below = order[first:last]
            in_vain -= np.bincount(clusters[below], none[below], size)
            missed += np.bincount(clusters[below], event[below], size)
            yield 2 * (threshold * in_vain + (1 - threshold) * missed)

    def mean_and_error(self, costs: Iterable[Column]) -> tuple[Column, Column]:
        """Return the mean cost and its standard error at each threshold of the grid."""
        weight, total = np.bincount(self.cluster, self.weight), self.weight.sum()
        share = self.clusters / (self.clusters - 1) if self.clusters > 1 else np.nan
        found = []
        for cost in costs:
            mean = cost.sum() / total
            influence = (cost - mean * weight) / total
            found.append((mean, np.sqrt(share * np.sum(influence**2))))
        means, errors = np.array(found).T
        return means, errors


def _clustered(x: Tally | Cases) -> Rows | None:
    return _rows(x) if isinstance(x, Cases) and x.clusters is not None else None


def _rows(cases: Cases) -> Rows:
    y, p, weight, used = rows_in_use(cases)
    cluster = np.arange(len(p)) if cases.clusters is None else number_clusters(cases, used)
    whole = bool(np.all(weight == np.floor(weight)))
    square, number = (weight, weight) if whole else (weight**2, np.ones_like(weight))
    p, happened = p.astype(np.float64), y.astype(np.float64)
    return Rows(p, happened, weight, square, number, cluster)


def _pair(first: Tally | Cases, second: Tally | Cases) -> tuple[Rows, Rows]:
    """Take the rows of two forecasts of the same cases."""
    if not (isinstance(first, Cases) and isinstance(second, Cases)):
        got = " and ".join(type(x).__name__ for x in (first, second))
        message = f"the band of a difference needs Cases twice, row by row the same; got {got}"
        raise ArgumentTypeError(message, hint="tallies no longer know which rows belong together.")
    if len(first) != len(second):
        message = f"both Cases must have the same rows; got {len(first)} and {len(second)} of them"
        raise DataError(message)
    _require_same("outcomes", to_numpy(first.y), to_numpy(second.y))
    _require_same("weights", weights_of(first), weights_of(second))
    if (first.clusters is None) != (second.clusters is None):
        message = "both Cases must have the same clusters; got clusters in one of them only"
        raise DataError(message)
    if first.clusters is not None:
        _require_same("clusters", to_numpy(first.clusters), to_numpy(second.clusters))
    return _rows(first), _rows(second)


def _require_same(name: str, first: Column, second: Column) -> None:
    differ = np.flatnonzero(first != second)
    if differ.size:
        row = int(differ[0])
        got = " and ".join(repr(x[row : row + 1].tolist()[0]) for x in (first, second))
        message = f"both Cases must have the same {name}; row {row} has {got}"
        raise DataError(message)


def _paired_error(knot: Column, one: Rows, other: Rows, mean: Column) -> Column:
    """Return the standard error of a mean difference, from its deviations squared.

    A case differs only where the threshold lies between its two forecasts, and by plus or minus
    what a mistake costs there.
    """
    total, squares = float(one.weight.sum()), float(one.square.sum())
    sign = np.sign(one.p - other.p) * (1 - 2 * one.happened)
    square = _between(knot, one, other, one.square)
    sums = mean_cost(knot, _between(knot, one, other, one.square * sign), 1)
    deviation = 4 * (knot**2 * square.in_vain + (1 - knot) ** 2 * square.missed)
    deviation += mean * (squares * mean - 2 * sums)
    return root(np.maximum(deviation, 0), total, squares)


def _between(threshold: Column, one: Rows, other: Rows, amount: Column) -> Mistakes:
    """Add up the non-events, and the events, whose two forecasts have the threshold between."""
    low, high = np.minimum(one.p, other.p), np.maximum(one.p, other.p)
    size = threshold.shape[0] + 1
    sums = np.empty((2, 2, size - 1))
    sides: tuple[Literal["right", "left"], ...] = ("right", "left")
    for row, side in enumerate(sides):
        # The first threshold beyond a forecast: from there on, it is no reason to act.
        begin, end = (np.searchsorted(threshold, x, side=side) for x in (low, high))
        for outcome in (0, 1):
            case = one.happened == outcome
            net = np.bincount(begin[case], amount[case], size)
            net -= np.bincount(end[case], amount[case], size)
            sums[outcome, row] = np.cumsum(net)[:-1]
    return Mistakes(sums[0], sums[1])


def _minus(first: Iterable[Column], second: Iterable[Column]) -> Iterator[Column]:
    return (a - b for a, b in zip(first, second, strict=True))


def _student(spare: float, level: float) -> float:
    """Return the quantile of Student's t, NaN without a degree of freedom."""
    from scipy.special import stdtrit

    return float(stdtrit(spare, (1 + level) / 2)) if spare > 0 else np.nan


def _bounds(threshold: Column, mean: Column, margin: Column, least: float) -> Bounds:
    """Lay both limits of each threshold side by side."""
    lower, upper = np.maximum(mean - margin, least), mean + margin
    if mean.ndim == 1:
        return threshold, lower, upper
    return np.repeat(threshold, 2), lower.T.ravel(), upper.T.ravel()
