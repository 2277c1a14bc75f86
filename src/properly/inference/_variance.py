r"""Variance of an estimate, from the influence of each case and the sampling design.

Every estimate is, but for smaller terms, its true value plus a sum of one influence a case; these
add up to 0. Its variance depends on the influences and on the design, not on which estimate it was.
A row of losses is one model. Sums over times that depend on their neighbours have a long-run
variance.

References
----------
.. [1] E. Lazarus, D. J. Lewis, J. H. Stock, M. W. Watson (2018). HAR inference: recommendations for
   practice. Journal of Business & Economic Statistics 36:541-559.
   doi:10.1080/07350015.2018.1506926.
.. [2] W. K. Newey, K. D. West (1994). Automatic lag selection in covariance matrix estimation.
   Review of Economic Studies 61:631-653. doi:10.2307/2297912.
.. [3] H. D. Chiang, B. E. Hansen, Y. Sasaki (2022). Standard errors for two-way clustering with
   serially correlated time effects. doi:10.48550/arXiv.2201.11304.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from properly._boundary._chunks import sweep
from properly._boundary._interrupts import checkpoint
from properly._boundary._libraries import infinities, is_numpy, namespace, to_numpy
from properly._boundary._tolerances import CANCELLED
from properly.counts._cases import (
    Cases,
    as_counted,
    has_strata,
    is_dependent,
    number_forecasts,
    rows_in_use,
)
from properly.counts._pooling import order_of
from properly.counts._tally import Tally, sums_of
from properly.errors import DataError
from properly.inference._design import TIMES, Design, Serial, add_up, is_alike
from properly.inference._moments import Correction, Moments, Spread, deviations, dot
from properly.typing import Column

# So many values of the series of clusters are held at a time.
AT_ONCE = 1 << 20
# Series of more than `LONG` times are pooled into runs, at least `FINE` of them for each cosine.
LONG, FINE = 1 << 15, 32


def of_mean(loss: Column, weight: Column, out: Column | None = None) -> tuple[Column, Column]:
    r"""Return weighted means, and the influences :math:`w_i (s_i - \bar s) / W`, in `out` if given.

    Where a loss is infinite so is the mean, and there are no influences, which are then NaN.
    """
    xp, alike = namespace(loss), is_alike(weight)
    # Some kernels of BLAS raise the flag of an invalid number where a loss is infinite.
    with infinities():
        mean = xp.mean(loss, axis=-1) if alike else loss @ weight / weight.sum()
        away = mean[..., None]
        influence = np.subtract(loss, away, out=out) if is_numpy(loss) else loss - away
        _drop_rounding(influence, mean)
        influence *= 1 / len(weight) if alike else weight / weight.sum()
    return mean if is_numpy(loss) else to_numpy(mean), influence


def of_auc(
    happened: Column, p: Column, weight: Column, rates: Rates | None = None
) -> tuple[float, Column]:
    """Return the area under the ROC curve, ties counted half, and the influence of each case.

    That of an event is how much larger the share of non-events below it is than the area, over the
    weight of all events; that of a non-event likewise. NaN without events, or without others.
    """
    area, place = placements(happened, p, weight, rates)
    place -= area
    place *= shares_of_sides(happened, weight)
    return area, place


def shares_of_sides(happened: Column, weight: Column) -> Column:
    """Return the share of each case in the weight of its outcome."""
    sides = [weight[case].sum() for case in (happened, ~happened)]
    return np.asarray(weight / np.where(happened, *sides))


def placements(
    happened: Column, p: Column, weight: Column, rates: Rates | None = None
) -> tuple[float, Column]:
    """Return the area, and with what share of the other outcome each case is in order.

    Between two false positive rates, the mean height of the curve and how cases move it.
    """
    order = order_of(p)
    checkpoint()
    ranked, event, mass = p[order], happened[order], weight[order]
    sums = [np.where(event, 0.0, mass), np.where(event, mass, 0.0)]
    first = np.flatnonzero(np.append(True, ranked[1:] != ranked[:-1]))
    if len(first) < len(p):
        sums = [np.add.reduceat(x, first) for x in sums]
    none, events = sums
    checkpoint()
    if rates is None:
        area, *places = places_of_counts(none, events)
    else:
        area, *places = places_between(none, events, rates)
    if len(first) < len(p):
        places = [np.repeat(x, np.diff(first, append=len(p))) for x in places]
    place = np.empty(len(p))
    place[order] = np.where(event, *places)
    return area, place


def delong_degrees(influence: Column, happened: Column) -> float:
    """Return the degrees of freedom of DeLong's variance, from the influences of the cases."""
    sides = influence[happened], influence[~happened]
    factors = [Correction.from_count(len(x)).factor for x in sides]
    return area_degrees(
        [(float(x @ x * f), float(len(x))) for x, f in zip(sides, factors, strict=True)]
    )


def area_degrees(sides: Sequence[tuple[float, float]]) -> float:
    """Return Satterthwaite's degrees of freedom, given variance and number of either outcome.

    If the variance of a few events comes out low by chance these are too many, so they are found
    as well as if events and others varied alike, and the lower of the two is returned.
    """
    alike = [(1 / cases, cases) for _, cases in sides]
    return min(
        sum(v for v, _ in x) ** 2 / sum(v**2 / (cases - 1) for v, cases in x)
        for x in (sides, alike)
        if sum(v for v, _ in x) > 0
    )


def places_of_counts(none: Column, events: Column) -> tuple[float, Column, Column]:
    """Return the area, and what share of the others is in order with an event, and with none.

    `none` and `events` are sums of weights at increasing forecasts.
    """
    xp = namespace(none)
    with infinities():
        below, above = (xp.cumulative_sum(x, dtype=xp.float64) for x in (none, events))
        for place, count in ((below, none), (above, events)):
            sweep(_to_middle, place, count)
            place /= float(xp.sum(count))  # noqa: PLW2901 - in place: these are long
        # One minus this, in its place.
        above *= -1
        above += 1
        area = float(np.minimum(dot(below, events) / float(xp.sum(events)), 1.0))
    return area, below, above


def _to_middle(place: Column, count: Column) -> None:
    """Take half of what is counted at each forecast from running sums, in place."""
    xp = namespace(place)
    place -= xp.astype(count, xp.float64, copy=False) / 2


class Rates(NamedTuple):
    """A part of a ROC curve: between two false positive rates, or true ones (of events)."""

    lower: float
    upper: float
    of_events: bool = False


def places_between(none: Column, events: Column, rates: Rates) -> tuple[float, Column, Column]:
    r"""Return the mean height of a ROC curve between two rates, and the places of cases in it.

    With T(f) the true positive rate at a false positive rate of f, and f_k that of the k-th
    forecast, an event there adds :math:`(b - \max(f_k, a))^+ / (b - a)` to the mean. A non-event
    moves the curve sideways, and so the mean as :math:`T(\min(\max(f_k, a), b)) / (b - a)` does;
    a constant makes the mean of these the height as well. Tied cases are spread evenly over their
    part of the curve.
    """
    none, events = (to_numpy(x).astype(np.float64)[::-1] for x in (none, events))
    first, last, of_events = rates
    if of_events:
        # From the other end, events are what non-events were: the curve is turned around.
        area, other, event = places_between(events, none, Rates(1 - last, 1 - first))
        return area, event[::-1], other[::-1]
    width = last - first
    with infinities():
        x, y = (np.append(0.0, np.cumsum(side)) / side.sum() for side in (none, events))
        # The integral of what is clipped, from 0 on, at the ends of ties.
        inside = np.clip(x, first, last)
        fallen = width * np.minimum(x, first) + (last - (inside + first) / 2) * (inside - first)
        step = np.diff(x)
        event = np.divide(np.diff(fallen), step, out=last - inside[1:], where=step > 0) / width
        ends = np.interp([first, last], x, y)
        before, beyond = ends[0] * np.minimum(x, first), ends[1] * np.maximum(x - last, 0)
        height = np.select([x < first, x > last], [ends[0], ends[1]], y)
        area_of = np.append(0.0, np.cumsum(np.diff(inside) * (height[1:] + height[:-1]) / 2))
        moved = np.divide(
            np.diff(before + area_of + beyond), step, out=np.zeros(len(step)), where=step > 0
        )
        area = float(np.minimum(event @ events / events.sum(), 1.0))
        other = (moved - moved @ none / none.sum()) / width + area
    return area, event[::-1], other[::-1]


def _drop_rounding(away: Column, mean: Any) -> None:
    """Set deviations to exactly 0 if all losses of a row are alike but for rounding."""
    xp = namespace(away)
    rows, means = (away, mean) if away.ndim > 1 else (away[None], mean[None])
    for row, slack in zip(rows, CANCELLED * abs(means), strict=True):
        if xp.abs(row[0]) <= slack and xp.all(xp.abs(row) <= slack):
            row[:] = 0.0


def by_cosines(total: Column) -> tuple[Column, int]:
    """Find the covariance of sums over times by equally weighted cosines.

    With T times, the first ``0.4 T**(2/3)`` cosine sums are about independent and equally spread,
    which leaves as many degrees of freedom. A row of `total` is one series of mean 0.
    """
    waves = cosine_sums(total)
    cosines = waves.shape[-1]
    return dot(waves, waves) / cosines, cosines


def cosine_sums(total: Column) -> Column:
    """Return the first cosine sums of series, each with about the long-run variance of the sum.

    Neighbours of a long series are added up first, into runs short enough that the fastest wave
    turns by a tenth of a radian within one; their number is a power of two, for a fast transform.
    """
    from scipy.fft import dct

    times, waves = total.shape[-1], cosines_of(total.shape[-1])
    runs = max(LONG, 1 << (FINE * waves).bit_length())
    if times > runs:
        total = np.add.reduceat(total, np.arange(runs) * times // runs, axis=-1)
    return np.asarray(dct(total, axis=-1)[..., 1 : waves + 1] / math.sqrt(2))


def cosines_of(times: int) -> int:
    """Return how many cosines so many times allow."""
    return math.floor(0.4 * math.pow(times, 2 / 3))


def by_lags(total: Column, lag: int) -> Column:
    """Find it by autocovariances up to a lag, which count the less the farther they reach."""
    result = total @ total.T
    for j in range(1, lag + 1):
        both = total[:, j:] @ total[:, :-j].T
        result = result + (1 - j / (lag + 1)) * (both + both.T)
    return result


def rule_lag(times: int) -> int:
    """Return the lag that goes by the number of times alone."""
    return math.floor(4 * math.pow(times / 100, 2 / 9))


def data_lag(series: Column) -> float:
    """Return the lag that also goes by how long dependence lasts; its whole part is used."""
    times = len(series)
    most = rule_lag(times)
    result = autocovariances(series, most)
    level = result[0] + 2 * result[1:].sum()
    slope = 2 * np.arange(1, most + 1) @ result[1:]
    if level == 0:
        return 0.0
    return float(1.1447 * np.cbrt((slope / level) ** 2) * times ** (1 / 3))


def autocovariances(series: Column, most: int) -> Column:
    """Return autocovariances of a series of mean 0, from lag 0 on, each over its length."""
    times = len(series)
    return np.array([series[j:] @ series[: times - j] for j in range(most + 1)]) / times


def covariance(influence: Column, design: Design) -> Spread:
    r"""Find the covariance of estimates from the influences of cases, a row an estimate.

    With :math:`t_g` the sum of the influences of the g-th of G clusters, and :math:`h_g` its share
    of the weight, it is :math:`\sum_g t_g t_g' / (1 - h_g)`, with the degrees of freedom of
    `properly.inference._design.correction_of`; influences add up to 0. For clusters of equal
    weight, and for single cases, that is :math:`G / (G - 1) \sum_g t_g t_g'` with
    :math:`G - 1` degrees. With strata, as many terms of the latter kind are added up, each about
    its own mean.

    Of a panel, the variance by clusters and that by times are added up, less that of the series of
    each cluster alone, which is in both [3]_. No variance is less than either. A difference of two
    estimates has influences of its own, and is to be asked for as one.
    """
    checkpoint()
    spread = spread_of_totals(design.totals(influence), design)
    is_plain = design.cluster is None and design.stratum is None and design.time is None
    return spread if is_plain else _certain(influence, spread)


def spread_of_totals(total: Column, design: Design) -> Spread:
    """Find the same from influences added up over clusters, times or cells, or of single cases."""
    with infinities():
        if design.is_panel:
            of_clusters, of_times, own = panel_parts(total, design)
            joint = of_parts(of_clusters.covariance, of_times.covariance, own)
            return Spread(joint, min(of_clusters.degrees, of_times.degrees))
        if design.time is not None:
            return _over_time(total, design.serial)
        if design.stratum is not None:
            return _in_strata(total, design.stratum_of_units())
        return _independent(total, design)


def degrees_of(design: Design) -> float:
    """Return the degrees of freedom that a design leaves; refuse one that leaves none."""
    if design.time is None and design.stratum is None:
        return design.correction.degrees
    return float(spread_of_totals(np.zeros((1, design.units)), design).degrees)


def _certain(influence: Column, spread: Spread) -> Spread:
    """Set to exactly 0 what cancels within clusters, strata or times but for rounding."""
    with infinities():
        lost = spread.errors <= CANCELLED * np.array([np.abs(x).sum() for x in influence])
    joint = np.where(lost[:, None] | lost, 0.0, spread.covariance)
    return Spread(joint, spread.degrees)


def _independent(total: Column, design: Design) -> Spread:
    """Add up the squares of clusters, or of single cases."""
    correction = design.correction
    with infinities():
        # Influences add up to 0, so there is no mean to subtract.
        if np.ndim(correction.factor):
            total = total * np.sqrt(correction.factor)
            return Spread(dot(total, total), correction.degrees)
        return Spread(dot(total, total) * correction.factor, correction.degrees)


def _in_strata(total: Column, stratum: Column) -> Spread:
    units = np.bincount(stratum)
    with infinities():
        means = add_up(total, stratum, len(units)) / units
        away = (total - means[:, stratum]) * np.sqrt(units / (units - 1))[stratum]
        return Spread(dot(away, away), total.shape[1] - len(units))


def _over_time(total: Column, serial: Serial) -> Spread:
    """Allow for dependence between neighbouring times; cases of one time were added up."""
    times = total.shape[1]
    if times < TIMES:
        message = f"dependence in time needs at least {TIMES} different times; got {times}"
        hint = "clusters= instead of time= allows for dependence within times, not between them."
        raise DataError(message, hint=hint)
    if serial == "cosines":
        return Spread(*by_cosines(total))
    lag = rule_lag(times)
    if serial == "newey-west-auto":
        # One lag for all of them keeps their covariance matrix a covariance matrix.
        lag = max(int(data_lag(series)) for series in total)
    return Spread(by_lags(total, lag), times - 1)


def panel_parts(total: Column, design: Design) -> tuple[Spread, Spread, Column]:
    """Find the spread by clusters, that by times, and what is in both, from totals of cells.

    Clusters may be lastingly off, and times depend on their neighbours.
    """
    _, cluster, time = design.cells
    of_clusters = _independent(add_up(total, cluster, design.clusters), design)
    of_times = _over_time(add_up(total, time, design.times), design.serial)
    return of_clusters, of_times, _own_series(total, design)


def of_parts(of_clusters: Column, of_times: Column, own: Column) -> Column:
    """Put the covariance of a panel together from three; the last is in both of the others."""
    with infinities():
        joint = of_clusters + of_times - own
        variance = np.max([np.diagonal(x) for x in (joint, of_clusters, of_times)], axis=0)
    return _with_variances(joint, variance)


def _own_series(total: Column, design: Design) -> Column:
    """Add up the covariance by cosines of the series of each cluster, 0 where it has no case."""
    (_, cluster, time), times = design.cells, design.times
    step, waves = max(1, AT_ONCE // (len(total) * times)), cosines_of(times)
    result = np.zeros((len(total),) * 2)
    for first in range(0, design.clusters, step):
        last = min(first + step, design.clusters)
        some = slice(*np.searchsorted(cluster, (first, last)))
        at, when, values = cluster[some] - first, time[some], total[:, some]
        if len(at) * waves < (last - first) * times:
            # Of a few cells, cosines one by one are less work than those of whole series.
            angle = np.outer(np.arange(1, waves + 1), when + 0.5) * (np.pi / times)
            begin = np.flatnonzero(np.diff(at, prepend=-1))
            parts = values[:, None] * (math.sqrt(2) * np.cos(angle))
            sums = np.add.reduceat(parts, begin, axis=-1)
        else:
            series = np.zeros((len(total), last - first, times))
            series[:, at, when] = values
            sums = cosine_sums(series)
        sums = sums.reshape(len(total), -1)
        result += dot(sums, sums)
    return result / waves


def _with_variances(joint: Column, variance: Column) -> Column:
    """Return the nearest covariance matrix, scaled to have these variances; NaN stays NaN."""
    result = np.where(np.isnan(joint), np.nan, np.diag(variance))
    known = np.flatnonzero(np.isfinite(variance))
    if len(known) > 1:
        values, vectors = np.linalg.eigh(joint[np.ix_(known, known)])
        near = (vectors * np.maximum(values, 0)) @ vectors.T
        own = np.diagonal(near)
        scale = np.sqrt(np.divide(variance[known], own, out=np.zeros(len(own)), where=own > 0))
        result[np.ix_(known, known)] = near * np.outer(scale, scale)
        result[known, known] = variance[known]
    return result


def spread_of_means(
    source: Tally | Cases, if_event: Column, if_none: Column, place: Column | None = None
) -> Spread:
    """Find the spread of means of what each case adds up to.

    Parameters
    ----------
    source : Tally or Cases
        The cases.
    if_event, if_none : numpy array
        For each mean a row, for each distinct forecast a column: the amount of a case that had the
        event, and of one that did not.
    place : numpy array, optional
        The column of each distinct forecast of cases, if several share one.
    """
    source = as_counted(source)
    if isinstance(source, Tally):
        return Moments.from_tally(source, if_event, if_none).spread
    row, happened, design = number_forecasts(source), rows_in_use(source).y, Design.of(source)
    row = row if place is None else place[row]
    sides = [np.bincount(row, design.weight * x, if_none.shape[1]) for x in (happened, ~happened)]
    total = np.sum(sides)
    with infinities():
        # An amount that no case has may be infinite.
        amounts = [np.where(n > 0, x, 0.0) for n, x in zip(sides, (if_event, if_none), strict=True)]
        mean = np.sum([x @ n for n, x in zip(sides, amounts, strict=True)], axis=0) / total
        event, none = (deviations(x, mean) / total for x in amounts)
    return spread_of_sums(event, none, row, happened, design)


def spread_of_sums(
    if_event: Column, if_none: Column, row: Column, happened: Column, design: Design
) -> Spread:
    """Find the covariance of estimates, given what a case of weight 1 adds to each.

    A row an estimate, a column a forecast; `row` is the column of each case.
    """
    kind, influence = row + if_none.shape[1] * happened, np.empty((len(if_none), len(row)))
    # One estimate after the other: both tables beside one another may be the longest there are.
    for each, *both in zip(influence, if_none, if_event, strict=True):
        np.concatenate(both).take(kind, out=each, mode="clip")
    with infinities():
        influence *= design.weight
    return covariance(influence, design)


def spread_of_rows(source: Cases, amount: Column) -> Spread:
    """Find the spread of means of amounts that are known for each row of positive weight."""
    design = Design.of(source)
    weight = design.weight
    with infinities():
        influence = weight * deviations(amount, amount @ weight / weight.sum()) / weight.sum()
    return covariance(influence, design)


def has_design(source: Cases) -> bool:
    """Tell whether cases are in clusters or strata, or follow one another in time."""
    return is_dependent(source) or has_strata(source)


def effective_total(tally: Tally) -> float:
    """Return how many cases of equal weight would say as much in all."""
    total, squares = float(tally.total), sums_of(tally)[2:]
    xp = namespace(tally.weight)
    return total**2 / float(sum(map(xp.sum, squares))) if squares else total
