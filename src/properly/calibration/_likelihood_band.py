"""Pointwise confidence for an increasing curve, by the likelihood ratio.

To ask whether the curve may pass through a point, fit it once freely and once through the point,
and compare how likely the outcomes are under both. In the limit the ratio has a distribution that
depends on nothing: not on the slope of the curve, not on the density of the forecasts. All points
that are not refused form the interval. It never leaves [0, 1], and a stretch without events gives
an upper bound as any count of none does.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from properly._boundary._libraries import to_numpy
from properly.counts._cases import has_clusters, number_clusters, rows_in_use
from properly.counts._isotonic import refit
from properly.counts._tally import as_tally
from properly.inference._shares import bisect

if TYPE_CHECKING:
    from properly.counts._cases import Cases
    from properly.counts._isotonic import Recalibration
    from properly.counts._tally import Tally
    from properly.inference._dependence import Dependence
    from properly.typing import Column, Floats


class Side(NamedTuple):
    """The bins of all cases on one side of each point, those of one point after those of another.

    Totals run over the bins from the start; `first` and `last` bound the bins of a point.
    """

    key: Floats
    first: Column
    last: Column
    totals: Floats


def critical_value(
    source: Tally | Cases, fit: Recalibration, level: float, dependence: Dependence | None = None
) -> float:
    r"""Return the value of twice the log-likelihood ratio beyond which a point is refused.

    With few distinct forecasts, and inside a flat stretch of the curve, the ratio is about
    :math:`\chi^2` with one degree of freedom. Where the curve rises through a density of forecasts
    it is smaller (Banerjee and Wellner 2001); nobody can be sure of that from the data, so the
    larger value serves throughout. Weights, clusters and times change the variance of sums of
    outcomes; the value is multiplied by how much they do so within bins. Of weights this is

    .. math:: \phi = \frac{\sum_i w_i^2 (y_i - c_i)^2}{\sum_b W_b\, c_b (1 - c_b)} ,

    with :math:`c` the curve and :math:`W_b` the weight of its bins: 1 of cases that were counted.
    Dependence in time is measured by others, who give theirs.
    """
    from scipy.special import ndtri, stdtrit

    tail = (1 + level) / 2
    if dependence is not None:
        return dependence.phi * float(stdtrit(dependence.degrees, tail)) ** 2
    if has_clusters(source):
        effect, clusters = _effect_of_clusters(source, fit)
        return effect * float(stdtrit(clusters - 1, tail)) ** 2
    return _effect_of_weights(as_tally(source), fit) * float(ndtri(tail)) ** 2


def _effect_of_weights(tally: Tally, fit: Recalibration) -> float:
    if tally.event_squares is None or tally.nonevent_squares is None:
        return 1.0
    rate = fit.spread(fit.event_rate)
    events, others = to_numpy(tally.event_squares), to_numpy(tally.nonevent_squares)
    whole = float((events.sum() + others.sum()) / fit.weight.sum())
    return _ratio(float(events @ (1 - rate) ** 2 + others @ rate**2), fit, whole)


def _effect_of_clusters(cases: Cases, fit: Recalibration) -> tuple[float, int]:
    """Compare the variance of sums over clusters with that of independent cases, bin by bin."""
    y, p, weight, used = rows_in_use(cases)
    cluster = number_clusters(cases, used)
    row = np.unique(p, return_inverse=True)[1]
    bins = np.searchsorted(fit.end, row, side="right")
    clusters = int(cluster.max()) + 1
    sums = np.bincount(
        bins * clusters + cluster, weight * (y - fit.event_rate[bins]), len(fit.end) * clusters
    )
    # The bins follow the outcomes, which hides as much of their variance as there are bins.
    shown = max(clusters - len(fit.end), clusters / 2)
    size = np.bincount(cluster, weight)
    whole = float(size @ size / size.sum())
    # Outcomes that balance within clusters are no reason to be surer than of independent ones.
    alone = _effect_of_weights(cases.tally(), fit)
    return max(_ratio(float(sums @ sums) * clusters / shown, fit, whole), alone), clusters


def _ratio(variance: float, fit: Recalibration, whole: float) -> float:
    """Divide by the variance of independent cases; if no outcome varied, take clusters whole."""
    independent = float(fit.weight @ (fit.event_rate * (1 - fit.event_rate)))
    return variance / independent if independent > 0 else whole


def likelihood_bounds(
    weight: Column, events: Column, row: Column, critical: float
) -> tuple[Floats, Floats]:
    """Return the values that the curve may have at some rows of a tally.

    Parameters
    ----------
    weight, events : numpy array
        Cases and events at each distinct forecast.
    row : numpy array
        Increasing rows of the points.
    critical : float
        The value of twice the log-likelihood ratio that is just not refused.
    """
    left = _side(_bins_before(weight, events, row))
    mirrored = _bins_before(weight[::-1], (weight - events)[::-1], (len(weight) - 1 - row)[::-1])
    right = _side([_mirror(bins) for bins in mirrored[::-1]])
    here = np.stack([weight[row], events[row], np.zeros(len(row))]).astype(np.float64)
    fit = refit(weight, events)
    best = _log_likelihood(fit.weight, fit.events).sum()
    middle = np.repeat(fit.event_rate, 2)
    corner = np.stack([fit.first, fit.last], axis=1).ravel()
    estimate = np.interp(row, corner, middle)

    def refused(theta: Floats) -> Any:
        return 2 * (best - _constrained(left, right, here, theta)) > critical

    lower = bisect(refused, estimate, np.zeros(len(row)))
    return lower, bisect(refused, estimate, np.ones(len(row)))


def _constrained(left: Side, right: Side, here: Floats, theta: Floats) -> Floats:
    """Return the largest log-likelihood of curves that pass through theta at each point."""
    point = np.arange(len(theta))
    cut = np.searchsorted(left.key, theta + 2 * point, side="right")
    pooled = left.totals[:, left.last] - left.totals[:, cut]
    free: Floats = left.totals[2, cut] - left.totals[2, left.first]
    cut = np.searchsorted(right.key, theta + 2 * point, side="left")
    pooled = pooled + right.totals[:, cut] - right.totals[:, right.first] + here
    free += right.totals[2, right.last] - right.totals[2, cut]
    with np.errstate(divide="ignore", invalid="ignore"):
        yes = np.where(pooled[1] > 0, pooled[1] * np.log(theta), 0.0)
        none = pooled[0] - pooled[1]
        no = np.where(none > 0, none * np.log1p(-theta), 0.0)
    free += yes + no
    return free


def _log_likelihood(weight: Column, events: Column) -> Floats:
    from scipy.special import xlogy

    rate = events / weight
    result: Floats = xlogy(events, rate) + xlogy(weight - events, 1 - rate)
    return result


def _side(bins: list[Floats]) -> Side:
    """Lay the bins of all points end to end, the event rates of each shifted beyond the last."""
    size = np.array([b.shape[1] for b in bins])
    last = np.cumsum(size)
    weight, events = np.concatenate(bins, axis=1)
    key = events / weight + 2 * np.repeat(np.arange(len(bins)), size)
    columns = np.stack([weight, events, _log_likelihood(weight, events)])
    totals = np.concatenate([np.zeros((3, 1)), np.cumsum(columns, axis=1)], axis=1)
    return Side(key, last - size, last, totals)


def _mirror(bins: Floats) -> Floats:
    weight, events = bins[:, ::-1]
    return np.stack([weight, weight - events])


def _bins_before(weight: Column, events: Column, row: Column) -> list[Floats]:
    """Fit the rows before each of some increasing rows.

    The rows between two points are pooled among themselves once; their bins are then laid upon
    those that are there already, pooling what is out of order.
    """
    stack: list[tuple[float, float]] = []
    result, start = [], 0
    for stop in row.tolist():
        if stop > start:
            part = refit(weight[start:stop], events[start:stop])
            for n, o in zip(part.weight.tolist(), part.events.tolist(), strict=True):
                total, happened = n, o
                while stack and stack[-1][1] * total >= happened * stack[-1][0]:
                    more, also = stack.pop()
                    total, happened = total + more, happened + also
                stack.append((total, happened))
        result.append(np.array(stack, dtype=np.float64).reshape(-1, 2).T)
        start = stop
    return result
