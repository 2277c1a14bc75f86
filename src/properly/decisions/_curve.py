"""Decision curves: the net benefit of acting on forecasts, at many thresholds."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Literal

import numpy as np

from properly._boundary._libraries import to_numpy
from properly._boundary._options import check_choice, check_level
from properly.counts._baselines import TREAT_ALL, TREAT_NONE, baselines
from properly.counts._cases import Cases, event_among, has_clusters, require_no_time
from properly.counts._device import condense, stays
from properly.counts._tally import Tally, as_tally
from properly.decisions._elementary import Outcomes, clustered, knots, outcomes
from properly.decisions._grid import (
    Acted,
    acted_anywhere,
    acted_at,
    check_harm,
    check_thresholds,
    check_tolerance,
    require_no_drift,
    settle,
    settled,
)
from properly.decisions._models import require_same_totals
from properly.decisions._murphy_bands import GRID, paired_bounds
from properly.decisions._net_benefit import DecisionCurve, DecisionDifference
from properly.decisions._net_benefit_bands import cluster_bounds, share_bounds
from properly.inference._band import Band

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from properly.typing import Column


def decision_curve(
    tally: Tally | Cases,
    thresholds: ArrayLike | Literal["every"] | None = None,
    *,
    harm: float = 0.0,
    tolerance: float = 0.0,
    band: Literal["confidence"] | None = None,
    level: float = 0.9,
) -> DecisionCurve:
    r"""Trace the net benefit of acting on forecasts over thresholds.

    .. math:: \text{NB}(t) = \frac{\#\{p_i \ge t,\, y_i = 1\}}{n}
        - \frac{t}{1 - t} \cdot \frac{\#\{p_i \ge t,\, y_i = 0\}}{n} = \pi - \frac{R(t)}{1 - t},

    with the event rate :math:`\pi` and the regret :math:`R`.

    Parameters
    ----------
    tally : Tally or Cases
        The forecasts and what happened.
    thresholds : array-like or "every", optional
        Increasing thresholds in [0, 1); 0.01, 0.02, …, 0.99 if left out. ``"every"``: 0 and all
        distinct forecasts below 1, so that the curve is exact at any threshold.
    harm : float
        What making the forecast costs, in net benefit; subtracted from that of the forecasts, not
        from that of acting on all.
    tolerance : float
        Forecasts no further than this from a threshold count as at it. Without it, thresholds that
        miss a forecast by rounding alone are refused, as many of ``numpy.arange(0.01, 1, 0.01)``
        would; write ``numpy.arange(1, 100) / 100``. Forecasts of single precision are at a
        threshold that would be rounded to them, and thresholds of single precision are the
        shortest decimals that they print as.
    band : {"confidence"}, optional
        Where the curve of the population may lie, at each threshold by itself.
    level : float
        Coverage of the band.

    Returns
    -------
    DecisionCurve

    Notes
    -----
    A confidence band bounds the shares of true and of false positives by Wilson's score intervals
    and puts these together, so that it is not too narrow where true positives are few. Fractional
    weights count as the number of equal weights that would be as precise, each share by its own.
    Where nobody is acted upon, and for a single case, it is NaN. An exact curve has bounds at both
    limits of each threshold. If the cases have clusters, the number of cases is divided by the
    design effect, with a quantile of Student's t, and the band of an exact curve is given at 0.005,
    0.01, …, 0.995.

    References
    ----------
    .. [1] A. J. Vickers, E. B. Elkin (2006). Decision curve analysis: a novel method for evaluating
       prediction models. Medical Decision Making 26:565-574.
       `doi:10.1177/0272989X06295361 <https://doi.org/10.1177/0272989X06295361>`__

    Examples
    --------
    >>> import properly
    >>> t = properly.tally([0, 1, 0, 1], [0.1, 0.3, 0.6, 0.9])
    >>> curve = properly.decision_curve(t, [0.1, 0.25, 0.5], band="confidence")
    >>> curve.net_benefit.round(3), curve.treat_all.round(3)
    (array([0.444, 0.417, 0.   ]), array([0.444, 0.333, 0.   ]))
    >>> curve.band
    Band(90 % confidence, score, at 3 points)
    """
    threshold, harm = check_thresholds(thresholds), check_harm(harm)
    tolerance, level = check_tolerance(tolerance, threshold), check_level(level)
    found = _outcomes(tally, threshold, tolerance)
    acted = acted_anywhere(found) if threshold is None else acted_at(found, threshold)
    total, every = found.total, acted.threshold
    events, nonevents = (float(x.sum()) / total for x in (found.events, found.nonevents))
    benefit, right, treat_all = acted.curves(total, (events, nonevents), harm)
    curve = DecisionCurve(
        every,
        benefit,
        right,
        treat_all,
        np.zeros(len(every)),
        events,
        harm,
        beyond=acted.beyond(total) if threshold is None else None,
    )
    if band is None:
        return curve
    check_choice(band, ("confidence",), "band")
    source = settled(tally, threshold, tolerance)
    return replace(curve, band=_band(source, found, acted, curve, level))


def decision_difference(
    first: Tally | Cases,
    second: Tally | Cases | Literal["treat all", "treat none"],
    thresholds: ArrayLike | Literal["every"] | None = None,
    *,
    tolerance: float = 0.0,
    band: Literal["confidence"] | None = None,
    level: float = 0.9,
) -> DecisionDifference:
    """Compare the net benefit of two forecasts at many thresholds.

    Where the difference is positive, the first forecast is better: it is the regret of the second
    minus that of the first, over 1 - t.

    Parameters
    ----------
    first, second : Tally or Cases
        Two forecasts of the same outcomes. The second may also be ``"treat all"`` or
        ``"treat none"``.
    thresholds, tolerance
        As in `properly.decision_curve`; ``"every"`` means the forecasts of both.
    band : {"confidence"}, optional
        Where the difference in the population may lie, at each threshold by itself. It needs two
        `properly.Cases`, row by row of the same outcomes, since pairs differ less than strangers.
    level : float
        Coverage of the band.

    Returns
    -------
    DecisionDifference

    Notes
    -----
    Only cases with a threshold between their two forecasts are judged differently there. The
    band, from the standard error of paired differences, is NaN at thresholds where these are fewer
    than 10 events or fewer than 10 non-events. If the cases have clusters and all thresholds were
    asked for, it is given at 0.005, 0.01, …, 0.995.

    Examples
    --------
    >>> import properly
    >>> y = [0, 1, 0, 1]
    >>> first = properly.tally(y, [0.1, 0.6, 0.3, 0.9])
    >>> second = properly.tally(y, [0.1, 0.3, 0.6, 0.9])
    >>> found = properly.decisions.decision_difference(first, second)
    >>> better = found.threshold[found.net_benefit > 0]
    >>> better[[0, -1]]
    array([0.31, 0.6 ])
    """
    threshold, level = check_thresholds(thresholds), check_level(level)
    tolerance, second = check_tolerance(tolerance, threshold), _rival(first, second)
    pair = [_outcomes(x, threshold, tolerance) for x in (first, second)]
    if band is None:
        require_same_totals(dict(zip(("first", "second"), pair, strict=True)))
    every = knots(*(x.value for x in pair))[:-1] if threshold is None else threshold
    one, other = (acted_at(x, every) for x in pair)
    totals = [x.total for x in pair]
    difference = one.benefit(totals[0]) - other.benefit(totals[1])
    beyond = None if threshold is not None else one.beyond(totals[0]) - other.beyond(totals[1])
    bounds = None
    if band is not None:
        check_choice(band, ("confidence",), "band")
        sources = [settled(x, threshold, tolerance) for x in (first, second)]
        bounds = _paired_band(sources, every, difference, threshold is None, level)
    return DecisionDifference(every, difference[0], difference[1], bounds, beyond)


def _rival(first: Tally | Cases, second: Tally | Cases | str) -> Tally | Cases:
    """Give the same cases a forecast of 1, or of 0, if that is what to compare with."""
    if not isinstance(second, str):
        return second
    check_choice(second, (TREAT_ALL, TREAT_NONE), "what to compare with, in words,")
    if not isinstance(first, Cases):
        return baselines(first)[second]
    return event_among(first, first.y, np.full(len(first), float(second == TREAT_ALL)))


def _outcomes(source: Tally | Cases, threshold: Column | None, tolerance: float) -> Outcomes:
    """Take what happened, with forecasts moved to the thresholds that they are meant to be at."""
    t = as_tally(source)
    if threshold is None:
        return outcomes(t)
    if stays(t):
        t = condense(t, threshold, tolerance)
    found = outcomes(t)
    value = settle(to_numpy(t.value), threshold, tolerance)
    require_no_drift(value, threshold)
    return found._replace(value=value)


def _band(
    source: Tally | Cases, found: Outcomes, acted: Acted, curve: DecisionCurve, level: float
) -> Band:
    """Bound a curve at its thresholds, on both sides of each if it is exact."""
    require_no_time(source, "the band of a decision curve")
    rows, sides = clustered(source), 2 if curve.exact else 1
    if rows is not None and curve.exact:
        acted, sides = acted_at(found, GRID), 1
    squares = acted_at(found.squared(), acted.threshold) if found.weighted else acted
    acted, squares = (Acted(a.threshold, *(y[:sides] for y in a[1:])) for a in (acted, squares))
    if rows is None:
        bounds, method = share_bounds(acted, squares, found, level), "score"
    else:
        bounds, method = cluster_bounds(rows, acted, squares, found, level), "clusters"
    x = np.repeat(acted.threshold, sides)
    lower, upper = (bound.T.ravel() - curve.harm for bound in bounds)
    return Band(x, lower, upper, method, level, "confidence")


def _paired_band(
    sources: list[Tally | Cases], threshold: Column, difference: Column, exact: bool, level: float
) -> Band:
    """Bound a difference, which is one of regret over 1 - t with the sign turned."""
    # On the Brier scale, twice the regret.
    cost, grid = -2 * (1 - threshold) * difference, GRID if exact else threshold
    bounds = paired_bounds(sources[0], sources[1], threshold, cost, level, grid=grid)
    alone = not has_clusters(sources[0])
    x, lower, upper = (bound[:: 2 if alone and not exact else 1] for bound in bounds)
    scale = -2 * (1 - x)
    method = "normal" if alone else "clusters"
    return Band(x, upper / scale, lower / scale, method, level, "confidence")
