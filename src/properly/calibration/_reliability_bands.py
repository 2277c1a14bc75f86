"""Bands of the reliability curve: consistency, confidence and simultaneous; `find_band` chooses.

**By the likelihood ratio**, point by point: fit the curve once freely and once through a point, and
compare how likely the outcomes are under both. In the limit the ratio has a distribution that
depends on nothing: not on the slope of the curve, not on the density of the forecasts. All points
that are not refused form the interval. It never leaves [0, 1], and a stretch without events gives
an upper bound as any count of none does.

**For the whole curve at once**, whatever the sample size. Assumed are independent outcomes and a
curve that does not fall. In any run of neighbouring forecasts, decided on without looking at the
outcomes, the number of events is then stochastically at least binomial with the curve's value at
the lowest of them, and at most binomial with its value at the highest. So an exact upper limit
(Clopper and Pearson) from the run bounds the curve at its lowest forecast and everywhere below, and
a lower limit at its highest and above. Sharing the error probability evenly among all runs and both
sides makes all limits hold together.

**By the large-sample distribution** of isotonic estimates. With few distinct forecasts the estimate
at each of them is in the limit that of its own cases alone, and normal. With forecasts from a
density it converges at the rate of a cube root, to the distribution of Chernoff: that of the place
at which two-sided Brownian motion minus a parabola is highest.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np

from properly._boundary._chunks import sweep
from properly._boundary._libraries import infinities, to_numpy
from properly._boundary._options import Drawing, check_choice
from properly._boundary._tolerances import SAME_SUM
from properly.calibration._statistics import ForecastSample
from properly.counts._cases import (
    Cases,
    has_clusters,
    has_time,
    is_dependent,
    number_clusters,
    number_forecasts,
    rows_in_use,
)
from properly.counts._histogram import equal_count
from properly.counts._isotonic import Recalibration, refit
from properly.counts._tally import Tally, as_tally
from properly.errors import DataError
from properly.inference._band import Band, Kind, pointwise_bounds, resampled_bounds
from properly.inference._cells import cell_starts
from properly.inference._dependence import Dependence, measure
from properly.inference._draws import Counts, fast_stream, sampler
from properly.inference._shares import bisect
from properly.inference._variance import effective_total
from properly.typing import Column, Floats


class CurveSide(NamedTuple):
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
    y, _, weight, used = rows_in_use(cases)
    cluster = number_clusters(cases, used)
    bins = np.searchsorted(fit.end, number_forecasts(cases), side="right")
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
    turned = (bins[:, ::-1] for bins in mirrored[::-1])
    right = _side([np.stack([weight, weight - events]) for weight, events in turned])
    here = np.stack([weight[row], events[row], np.zeros(len(row))]).astype(np.float64)
    fit = refit(weight, events)
    best = _log_likelihood(fit.weight, fit.events).sum()
    middle = np.repeat(fit.event_rate, 2)
    estimate = np.interp(row, fit.corners, middle)

    def refused(theta: Floats) -> Any:
        return 2 * (best - _constrained(left, right, here, theta)) > critical

    lower = bisect(refused, estimate, np.zeros(len(row)))
    return lower, bisect(refused, estimate, np.ones(len(row)))


def _constrained(left: CurveSide, right: CurveSide, here: Floats, theta: Floats) -> Floats:
    """Return the largest log-likelihood of curves that pass through theta at each point."""
    point = np.arange(len(theta))
    cut = np.searchsorted(left.key, theta + 2 * point, side="right")
    pooled = left.totals[:, left.last] - left.totals[:, cut]
    free: Floats = left.totals[2, cut] - left.totals[2, left.first]
    cut = np.searchsorted(right.key, theta + 2 * point, side="left")
    pooled = pooled + right.totals[:, cut] - right.totals[:, right.first] + here
    free += right.totals[2, right.last] - right.totals[2, cut]
    with infinities():
        yes = np.where(pooled[1] > 0, pooled[1] * np.log(theta), 0.0)
        none = pooled[0] - pooled[1]
        no = np.where(none > 0, none * np.log1p(-theta), 0.0)
    free += yes + no
    return free


def _log_likelihood(weight: Column, events: Column) -> Floats:
    from scipy.special import xlogy

    rate = events / weight
    return np.asarray(xlogy(events, rate) + xlogy(weight - events, 1 - rate))


def _side(bins: list[Floats]) -> CurveSide:
    """Lay the bins of all points end to end, the event rates of each shifted beyond the last."""
    size = np.array([b.shape[1] for b in bins])
    last = np.cumsum(size)
    weight, events = np.concatenate(bins, axis=1)
    key = events / weight + 2 * np.repeat(np.arange(len(bins)), size)
    columns = np.stack([weight, events, _log_likelihood(weight, events)])
    totals = np.concatenate([np.zeros((3, 1)), np.cumsum(columns, axis=1)], axis=1)
    return CurveSide(key, last - size, last, totals)


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


def honest_band(
    value: Floats, weight: Column, events: Column, level: float, *, grouped: bool
) -> Band:
    """Bound the curve at all forecasts at once.

    Grouping the forecasts into cells of about equal size, by the forecasts alone, leaves fewer
    runs to share the error among: the band is narrower for it, and soon computed for any number of
    cases.
    """
    first = np.arange(len(value))
    if grouped:
        cells = math.ceil(2 * float(weight.sum()) ** 0.4)
        first = np.unique(equal_count(weight, cells), return_index=True)[1]
    cases, happened = (np.add.reduceat(x, first) for x in (weight, events))
    last = np.append(first[1:], len(value)) - 1
    share = (1 - level) / (len(first) * (len(first) + 1))
    upper = upper_bounds(cases, happened, share)
    lower = 1 - upper_bounds(cases[::-1], (cases - happened)[::-1], share)[::-1]
    row, low, high = _at_both_ends(first, last, lower, upper)
    method = "cells" if grouped else "ungrouped"
    return Band(value[row], low, high, method, level, "simultaneous", steps=True)


def _at_both_ends(
    first: Column, last: Column, lower: Floats, upper: Floats
) -> tuple[Column, Floats, Floats]:
    """Give the bounds at both ends of each cell, at which they are tightest.

    The upper bound of a cell holds at its least forecast and below, the lower bound at its greatest
    and above; at the other end of a cell of several forecasts, those of its neighbours hold.
    """
    several = first < last
    at_first = np.stack([np.where(several, np.append(0, lower[:-1]), lower), upper])
    at_last = np.stack([lower, np.append(upper[1:], 1)])
    row = np.concatenate([first, last[several]])
    bounds = np.concatenate([at_first, at_last[:, several]], axis=1)
    order = np.argsort(row, kind="stable")
    low, high = bounds[:, order]
    return row[order], low, high


def upper_bounds(cases: Column, events: Column, share: float) -> Floats:
    r"""Return the least upper limit of all runs that begin at each cell or after it.

    A run can only help if its first cell has a non-event and the cell after its last has an event,
    since others are contained in better ones. One that lowers the limit :math:`u` so far must have
    an event rate :math:`q < u`, and :math:`N \operatorname{KL}(q, u) + \log(8 N q (1 - q)) / 2 >
    -\log \text{share}`, as the binomial tail is no smaller than that. Only for those is the limit
    computed.
    """
    total = np.append(0, np.cumsum(cases))
    happened = np.append(0, np.cumsum(events))
    stop = np.nonzero(np.append(events[1:] > 0, True))[0] + 1
    after = np.searchsorted(stop, np.arange(len(cases)), side="right")
    ends = total[stop], happened[stop]
    bound = np.ones(len(cases))
    least = 1.0
    for i in range(len(cases) - 1, -1, -1):
        if events[i] < cases[i]:
            n, o = ends[0][after[i] :] - total[i], ends[1][after[i] :] - happened[i]
            least = min(least, _least_limit(n, o, least, share))
        bound[i] = least
    return bound


def _least_limit(n: Column, o: Column, so_far: float, share: float) -> float:
    """Return the least limit of some runs: of the most promising one, and of what that leaves."""
    from scipy.special import betaincinv

    n, o, excess = _promising(n, o, so_far, share)
    if len(n) > 1 and so_far < 1:
        best = int(np.argmax(excess))
        so_far = min(so_far, float(1 - betaincinv(n[best] - o[best], o[best] + 1, share)))
        n, o, _ = _promising(n, o, so_far, share)
    if not len(n):
        return so_far
    return min(so_far, float((1 - betaincinv(n - o, o + 1, share)).min()))


def _promising(n: Column, o: Column, so_far: float, share: float) -> tuple[Column, Column, Column]:
    r"""Leave the runs that may have a lower limit, and say how much speaks for each.

    Most are ruled out without a logarithm, since :math:`8 q (1 - q)` is at most 2, and
    :math:`\operatorname{KL}(q, u)` at most :math:`(u - q)^2` over :math:`u (1 - u)`, and over
    twice the least :math:`x (1 - x)` between q and u.
    """
    from scipy.special import xlogy

    least, spread = -math.log(share), so_far * (1 - so_far)
    q = o / n
    short = so_far - q
    scale = np.maximum(2 * np.minimum(q * (1 - q), spread), spread)
    enough = (least - math.log(2 * float(n[-1])) / 2) * (1 - SAME_SUM)
    some = np.flatnonzero((short > 0) & (n * short * short >= enough * scale))
    n, o, q = n[some], o[some], q[some]
    # At a limit of 1 the distance is infinite wherever there was a non-event.
    with infinities():
        distance = xlogy(q, q / so_far) + xlogy(1 - q, (1 - q) / (1 - so_far))
        slack = np.where((q > 0) & (q < 1), np.log(8 * n * q * (1 - q)) / 2, 0.0)
    excess = n * distance + slack - least
    some = np.flatnonzero(excess > 0)
    return n[some], o[some], excess[some]


GRID = np.arange(101) / 100
# Rows of a piece of the kernel sums: with a hundred columns of doubles it stays in the cache.
PIECE = 1 << 11
# Cells of more forecasts than these, all of the same width.
NARROW = 1 << 15
Method: TypeAlias = Literal[
    "auto", "corp", "resampling", "discrete", "continuous", "likelihood", "cells", "ungrouped"
]
METHODS: dict[Kind, tuple[str, ...]] = {
    "consistency": ("auto", "corp", "resampling", "discrete", "continuous"),
    "confidence": ("auto", "corp", "likelihood", "resampling", "discrete", "continuous"),
    "simultaneous": ("auto", "cells", "ungrouped"),
}
ASYMPTOTIC = ("discrete", "continuous")
# Beyond so many cases the tails of binomial distributions are no longer computed well.
COUNTABLE = 10**13
# An ungrouped band takes the square of these: of so many, up to ten seconds.
UNGROUPED = 15_000
# Of more forecasts than this, quantiles are found at so many and are straight in between.
POINTS = 1200
# More forecasts than this are drawn in cells, so many for up to so many cases, and single forecasts
# at either end.
DRAWN = 5000
CELLS, ENDS, MANY = 1 << 10, 1 << 7, 10**6


def chernoff_half_width(mean: Column, density: Column, cases: float, level: float) -> Column:
    """Return the half width of an interval for an isotonic estimate where its curve has slope 1."""
    variance = mean * (1 - mean)
    # Far from all forecasts the density may be 0: anything between 0 and 1 is possible there.
    with infinities():
        scale = np.where(variance > 0, np.cbrt(4 * variance / (cases * density)), 0.0)
    return np.asarray(chernoff_quantile((1 - level) / 2) * scale)


def kernel_density(value: Column, weight: Column, cases: float) -> Column:
    r"""Estimate the density of forecasts at 0, 0.01, …, 1 with Chen's first beta kernel.

    .. math:: \hat f(x) = \frac1n \sum_i \mathrm{Beta}(x_i;\; x / b + 1,\; (1 - x) / b + 1),
        \qquad b = n^{-2/5}.

    It is not rescaled to integrate to one. Very many forecasts are taken in cells far narrower
    than a kernel, at their mean, which changes less than a ten-thousandth of it.
    """
    from scipy.special import betaln

    if len(value) > NARROW:
        start = np.flatnonzero(np.diff(np.floor(value * (NARROW / 2)), prepend=-1))
        total, moment = (np.add.reduceat(x, start) for x in (weight, weight * value))
        value, weight = moment / total, total

    b = cases ** (-2 / 5)
    powers = np.stack([GRID / b, (1 - GRID) / b])
    constant = betaln(powers[0] + 1, powers[1] + 1)

    def add_up(value: Column, weight: Column) -> Column:
        total = np.zeros(len(GRID))
        for start in range(0, len(value), PIECE):
            x, w = value[start : start + PIECE], weight[start : start + PIECE]
            with infinities():
                logs = np.stack([np.log(x), np.log1p(-x)])
            # At the ends of the grid one power is 0, and 0 * log(0) must count as 0. Logarithms
            # may be infinite, which a matrix product would multiply by the zeros of its padding.
            inner = np.multiply.outer(logs[0], powers[0, 1:-1])
            inner += np.multiply.outer(logs[1], powers[1, 1:-1])
            inner -= constant[1:-1]
            total[1:-1] += w @ np.exp(inner, out=inner)
            total[0] += w @ np.exp(logs[1] * powers[1, 0] - constant[0])
            total[-1] += w @ np.exp(logs[0] * powers[0, -1] - constant[-1])
        return total

    columns = value.astype(np.float64, copy=False), weight.astype(np.float64, copy=False)
    return np.asarray(np.sum(sweep(add_up, *columns), axis=0) / weight.sum())


def chernoff_quantile(tail: float) -> float:
    r"""Return the point that Chernoff's distribution exceeds with a given probability, up to 1/2.

    Its density is :math:`g(z)\, g(-z) / 2`, where :math:`g` has the Fourier transform
    :math:`2^{1/3} / \mathrm{Ai}(2^{-1/3} i s)` (Groeneboom 1989). Both the sum over :math:`s` and
    the polynomial through the density converge at once, so the quantile is right to nine digits.
    """
    from numpy.polynomial import Chebyshev
    from scipy.optimize import brentq

    # Nothing that a level can ask for lies above 4.
    below: Any = Chebyshev.interpolate(_chernoff_density, 100, domain=[-1, 4]).integ(lbnd=4)
    return float(brentq(lambda z: below(z) + tail, -1, 4, xtol=1e-12))


def _chernoff_density(z: Column) -> Column:
    from scipy.special import airy

    step = 0.1
    s = np.arange(0, 40, step)
    transform = 2 ** (1 / 3) / airy(2 ** (-1 / 3) * 1j * s)[0] * step / np.pi
    transform[0] /= 2
    angle = np.outer(z, s)
    even = np.sum(np.cos(angle) * transform.real, axis=1)
    odd = np.sum(np.sin(angle) * transform.imag, axis=1)
    # g(z) is their sum and g(-z) their difference.
    return np.asarray((even**2 - odd**2) / 2)


@dataclass(frozen=True, eq=False)
class BandRequest:
    """A band that was asked for, and all that it is made from."""

    source: Tally | Cases
    tally: Tally
    fit: Recalibration
    drawing: Drawing

    @cached_property
    def sample(self) -> ForecastSample:
        """What happened at each distinct forecast."""
        return ForecastSample.of(self.tally)

    @property
    def recalibrated(self) -> Floats:
        """The recalibrated probability of each distinct forecast."""
        return self.fit.spread(self.fit.event_rate)

    @cached_property
    def dependence(self) -> Dependence | None:
        """How much cases depend on one another in time, if they have times."""
        return measure(self.source) if has_time(self.source) else None


def find_band(request: BandRequest, kind: Kind, method: str) -> Band | None:
    """Compute the band of a kind that was asked for, or refuse; none if dependence is too long."""
    check_choice(kind, tuple(METHODS), "band")
    check_choice(method, METHODS[kind], f"method of a {kind} band")
    _require_fitting(request, kind, method)
    if request.dependence is not None and request.dependence.warn():
        return None
    (value, weight, events, _), level = request.sample, request.drawing.level
    if kind == "simultaneous":
        return honest_band(value, weight, events, level, grouped=method != "ungrouped")
    if kind == "confidence":
        method = {"auto": "likelihood", "corp": "resampling"}.get(method, method)
    elif method in ("auto", "corp"):
        method = automatic(request, method)
    if method == "likelihood":
        row = _spread_rows(value)
        critical = critical_value(request.source, request.fit, level, request.dependence)
        lower, upper = likelihood_bounds(weight, events, row, critical)
        return Band(value[row], lower, upper, method, level, kind)
    if method == "resampling":
        x, estimate, lower, upper = _resampling(request, kind)
    else:
        x, estimate, lower, upper = _asymptotic(request, kind, method)
    if kind == "confidence":
        # Where the estimate is certain its variance is 0: straight lines bridge all but the ends.
        kept = (estimate != 0) & (estimate != 1)
        kept[[0, -1]] = True
        lower, upper = (
            np.where(kept, bound, np.interp(x, x[kept], bound[kept])) for bound in (lower, upper)
        )
    replicates = request.drawing.replicates if method == "resampling" else None
    if request.dependence is not None:
        method = request.dependence.draws
    return Band(x, lower, upper, method, level, kind, replicates)


def automatic(request: BandRequest, method: str) -> str:
    """Choose how to find a consistency band: by the paper's rule, or by drawing where that can be.

    The paper draws up to 5,000 cases, for the sake of time. The limits for large samples that it
    has for more need forecasts spread over [0, 1], and many events at each of them; dependent
    cases have none. Without their weights one by one, cases cannot be drawn.
    """
    unweighted = request.tally.event_squares is None
    if is_dependent(request.source) or (unweighted and method == "auto"):
        return "resampling"
    cases, forecasts = effective_total(request.tally), len(request.tally)
    drawable = unweighted or not isinstance(request.source, Tally)
    if drawable and cases <= max(1000, min(DRAWN, 50 * forecasts)):
        return "resampling"
    return "discrete" if cases >= 8 * forecasts**2 else "continuous"


def binned_band(request: BandRequest, mean: Floats, first: Column) -> Band | None:
    """Find where event rates of bins would lie: draw forecasts, and outcomes as these say.

    Independent cases without weights fall into a bin with the share of cases that it has, and there
    have the event with the mean forecast; so bins are drawn instead of forecasts.
    """
    dependence, (level, replicates, rng) = request.dependence, request.drawing
    if dependence is not None and dependence.warn():
        return None
    draws = sampler(request.source)
    if isinstance(draws, Counts):
        draws, first = Counts(mean, np.add.reduceat(draws.weight, first)), np.arange(len(first))
    drawn = draws.draws(draws.value, replicates, fast_stream(rng), request.recalibrated)
    with infinities():
        rates = [np.add.reduceat(d.events, first) / np.add.reduceat(d.weight, first) for d in drawn]
    lower, upper = pointwise_bounds(np.stack(rates), level)
    method = "resampling" if dependence is None else dependence.draws
    return Band(mean, lower, upper, method, level, "consistency", replicates)


def _require_fitting(request: BandRequest, kind: Kind, method: str) -> None:
    """Refuse what a band cannot allow for."""
    if (kind == "simultaneous" or method in ASYMPTOTIC) and is_dependent(request.source):
        named = "a simultaneous band" if kind == "simultaneous" else f"the method {method!r}"
        known, hint = "clusters", ""
        if has_time(request.source):
            known, hint = "times", "; or keep every m-th time, far enough apart, without time="
        message = f"{named} takes cases as independent; these have {known}"
        allow = "a consistency band by resampling and a confidence band by likelihood allow for"
        raise DataError(message, hint=f"{allow} them{hint}.")
    if kind == "simultaneous":
        _require_countable(request.tally)
    if method == "ungrouped" and (count := len(request.tally)) > UNGROUPED:
        message = f"an ungrouped band takes up to {UNGROUPED:,} distinct forecasts; got {count:,}"
        hint = "method='cells' holds as surely, is narrower, and takes any number."
        raise DataError(message, hint=hint)


def _require_countable(tally: Tally) -> None:
    """Refuse to count what is no longer there to be counted, or too much to be."""
    if tally.event_squares is not None:
        message = "a simultaneous band counts cases; these have weights"
        hint = "for numbers of like cases pass count=; a confidence band by likelihood allows for"
        raise DataError(message, hint=f"{hint} weights.")
    if tally.cells is not None:
        message = f"a simultaneous band needs every forecast; these are in {tally.cells} cells"
        raise DataError(message, hint="make the tally without cells; the band groups by itself.")
    if tally.total > COUNTABLE:
        message = f"a simultaneous band takes up to {COUNTABLE:g} cases; got {tally.total:g}"
        raise DataError(message)


def _resampling(request: BandRequest, kind: Kind) -> tuple[Floats, Floats, Floats, Floats]:
    value, recalibrated = request.sample.value, request.recalibrated
    if len(value) > DRAWN:
        return _resampling_in_cells(request, kind)
    x = value[np.linspace(0, len(value) - 1, min(len(value), POINTS)).round().astype(int)]
    probability = value if kind == "consistency" else recalibrated
    bounds = resampled_bounds(
        sampler(request.source), x, probability, recalibrated, request.drawing
    )
    lower, upper = bounds if len(x) == len(value) else (np.interp(value, x, b) for b in bounds)
    return value, recalibrated, lower, upper


def _resampling_in_cells(request: BandRequest, kind: Kind) -> tuple[Floats, Floats, Floats, Floats]:
    """Draw very many forecasts in cells far narrower than what one bound is drawn from."""
    (value, weight, _, _), fitted = request.sample, request.recalibrated
    # An isotonic estimate looks about it as far as the cube root of the number of cases says.
    size = round(CELLS * max(1.0, float(request.tally.total) / MANY) ** (1 / 3))
    start = cell_starts(value, weight, (size, ENDS), DRAWN)
    draws = sampler(request.source, start=start)
    if start is not None:
        fitted = np.add.reduceat(weight * fitted, start) / draws.total
    probability = draws.value if kind == "consistency" else fitted
    row = _spread_rows(draws.value)
    x = draws.value[row]
    lower, upper = resampled_bounds(draws, x, probability, fitted, request.drawing)
    return x, fitted[row], lower, upper


def _asymptotic(
    request: BandRequest, kind: Kind, method: str
) -> tuple[Floats, Floats, Floats, Floats]:
    """Return the bounds for many cases: at each of few forecasts, or along a smooth curve."""
    from scipy.special import ndtri

    sample, level, x = request.sample, request.drawing.level, GRID
    if method == "discrete":
        x, estimate = sample.value, request.recalibrated
        mean = x if kind == "consistency" else estimate
        half = -ndtri((1 - level) / 2) * np.sqrt(mean * (1 - mean) / sample.effective)
    else:
        estimate = np.interp(x, sample.value, request.recalibrated, left=np.nan, right=np.nan)
        mean, cases = x if kind == "consistency" else estimate, effective_total(request.tally)
        density = kernel_density(sample.value, sample.weight, cases)
        half = chernoff_half_width(mean, density, cases, level)
    return x, estimate, np.maximum(mean - half, 0), np.minimum(mean + half, 1)


def _spread_rows(value: Floats) -> Any:
    """Choose enough forecasts to draw a line through: evenly by rank, and evenly by value."""
    by_rank = np.linspace(0, len(value) - 1, min(len(value), 201)).round().astype(int)
    by_value = np.searchsorted(value, GRID).clip(max=len(value) - 1)
    return np.unique(np.concatenate([by_rank, by_value]))
