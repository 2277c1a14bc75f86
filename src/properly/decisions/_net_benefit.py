"""Decision curves: the net benefit of acting on forecasts, as a function of the threshold."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import ClassVar, Literal

import numpy as np

from properly._boundary._libraries import infinities, to_numpy
from properly._boundary._options import check_choice, check_level
from properly._boundary._record import Record
from properly._boundary._text import many
from properly.counts._baselines import TREAT_ALL, TREAT_NONE, baselines
from properly.counts._calls import takes_rows, takes_two
from properly.counts._cases import Cases, event_among
from properly.counts._device import condense, stays
from properly.counts._tally import Tally, as_tally
from properly.decisions._elementary import (
    GRID,
    OutcomeCounts,
    Split,
    dependence,
    dependent_split,
    knots,
    laid_out,
    outcomes,
    paired_bounds,
    require_same_totals,
    score_bounds,
    split_at,
)
from properly.decisions._grid import CurveSteps, check_harm, check_thresholds, odds, settle, settled
from properly.inference._averages import warn_of_few
from properly.inference._band import Band
from properly.typing import ArrayLike, Column


@dataclass(frozen=True, eq=False, repr=False)
class NetBenefit(Record):
    """What a decision curve and the difference of two have in common."""

    threshold: Column
    net_benefit: Column
    right: Column
    band: Band | None = field(default=None, kw_only=True)
    beyond: float | None = field(default=None, kw_only=True)

    _derived = ("exact",)
    _optional = ("band",)
    _series: ClassVar[tuple[str, ...]] = ("threshold", "net_benefit", "right")

    def __repr__(self) -> str:
        thresholds = many(len(self.threshold), "threshold")
        return f"{type(self).__name__}({'exact, ' * self.exact}at {thresholds})"

    @property
    def exact(self) -> bool:
        """Whether the thresholds are all at which the curve may jump, so that nothing is left out.

        Between them it is then a straight line in the odds t / (1 - t).
        """
        return self.beyond is not None

    @property
    def steps(self) -> CurveSteps:
        """Net benefit, or the difference, as a function of the threshold."""
        return CurveSteps(self.threshold, self.net_benefit, self.right, self.beyond)

    def at(self, t: ArrayLike) -> Column:
        """Return net benefit at any thresholds in [0, 1), NaN outside; of an exact curve only.

        Parameters
        ----------
        t : array-like
            Thresholds; at these themselves one acts.
        """
        return self.steps.at(t)

    def curve(self) -> tuple[Column, Column]:
        """Return points to draw straight lines between.

        Of an exact curve, each threshold twice, with its value and its limit from the right, and
        the values at k / 1000 in between. Otherwise the values at the thresholds.
        """
        return self.steps.curve()


@dataclass(frozen=True, eq=False, repr=False)
class DecisionCurve(NetBenefit):
    """Net benefit as a function of the threshold.

    Attributes
    ----------
    threshold : array
        Increasing thresholds t. One acts if and only if the forecast is t or more.
    net_benefit : array
        True positives minus t / (1 - t) times the false positives, as shares of all cases, minus
        the harm.
    right : array
        Its limits just above each threshold, where the forecasts at it are no longer acted upon.
    treat_all, treat_none : array
        Net benefit of acting on all, and on nobody, which is 0.
    event_rate : float
        Share of the cases that had the event: the greatest net benefit there can be.
    harm : float
        What the forecast itself costs.
    band : Band or None
        Bounds, if they were asked for.
    beyond : float or None
        Of an exact curve, the share of all cases that are false positives at each threshold above
        the last: those with a forecast of 1. None if thresholds were chosen.

    Examples
    --------
    >>> import properly
    >>> t = properly.tally([0, 1, 0, 1], [0.1, 0.3, 0.6, 0.9])
    >>> curve = properly.decision_curve(t, "every")
    >>> curve
    DecisionCurve(exact, at 5 thresholds)
    >>> curve.threshold, curve.net_benefit.round(3)
    (array([0. , 0.1, 0.3, 0.6, 0.9]), array([ 0.5  ,  0.444,  0.393, -0.125,  0.25 ]))
    >>> curve.at(0.5)
    array(0.)
    """

    treat_all: Column
    treat_none: Column
    event_rate: float
    harm: float = 0.0

    _series = (
        *("threshold", "net_benefit", "right", "treat_all", "treat_none"),
        *("standardized", "interventions_avoided"),
    )

    @property
    def standardized(self) -> Column:
        """Net benefit over the event rate: 1 at best; NaN or infinite without events."""
        with infinities():
            return np.asarray(self.net_benefit / np.float64(self.event_rate))

    @property
    def interventions_avoided(self) -> Column:
        """The gain over acting on all, in actions saved per case; NaN at 0, where they are free."""
        t = np.where(self.threshold > 0, self.threshold, np.nan)
        with infinities():
            return np.asarray((self.net_benefit - self.treat_all) * (1 - t) / t)

    @property
    def missed(self) -> CurveSteps:
        """What net benefit falls short of the event rate, as a function of the threshold."""
        value, right = (self.event_rate - x for x in (self.net_benefit, self.right))
        return CurveSteps(
            self.threshold, value, right, None if self.beyond is None else -self.beyond
        )


@dataclass(frozen=True, eq=False, repr=False)
class DecisionDifference(NetBenefit):
    """How much more net benefit one forecast has than another, by threshold.

    Attributes
    ----------
    threshold : array
        Increasing thresholds.
    net_benefit : array
        That of the first minus that of the second.
    right : array
        Its limits just above each threshold.
    band : Band or None
        Bounds, if they were asked for.
    beyond : float or None
        Of an exact difference, by how much the first has more false positives than the second at
        each threshold above the last, as a share of all cases. None if thresholds were chosen.

    Examples
    --------
    >>> import properly
    >>> y = [0, 1, 0, 1]
    >>> first = properly.tally(y, [0.1, 0.6, 0.3, 0.9])
    >>> second = properly.tally(y, [0.1, 0.3, 0.6, 0.9])
    >>> found = properly.decisions.decision_difference(first, second, [0.2, 0.5])
    >>> found
    DecisionDifference(at 2 thresholds)
    >>> found.net_benefit
    array([0. , 0.5])
    >>> properly.decisions.decision_difference(first, second, "every").at(0.35)
    array(0.38461538)
    """


def without_model(event_rate: float) -> dict[str, DecisionCurve]:
    """Return the curves of acting on all cases, and on none."""
    zero, all_events = np.zeros(1), np.array([event_rate])
    starts = {TREAT_ALL: (all_events, 1 - event_rate), TREAT_NONE: (zero, 0.0)}
    return {
        name: DecisionCurve(zero, start, start, all_events, zero, event_rate, beyond=beyond)
        for name, (start, beyond) in starts.items()
    }


@takes_rows
def decision_curve(
    tally: Tally | Cases,
    thresholds: ArrayLike | Literal["every"] | None = None,
    *,
    harm: float = 0.0,
    band: Literal["confidence"] | None = None,
    level: float = 0.95,
) -> DecisionCurve:
    r"""Trace the net benefit of acting on forecasts over thresholds.

    .. math:: \text{NB}(t) = \frac{\#\{p_i \ge t,\, y_i = 1\}}{n}
        - \frac{t}{1 - t} \cdot \frac{\#\{p_i \ge t,\, y_i = 0\}}{n} = \pi - \frac{R(t)}{1 - t},

    with the event rate :math:`\pi` and the regret :math:`R`.

    Parameters
    ----------
    tally : Tally or Cases
        The forecasts and what happened.
    thresholds : float, array-like or "every", optional
        One threshold in [0, 1), or several that increase; 0.01, 0.02, …, 0.99 if left out. A grid
        may end in 1, which is left out with a note. ``"every"``: 0 and all distinct forecasts
        below 1, so that the curve is exact at any threshold. Forecasts that miss a threshold by a
        billionth of it at most are at it, as many would of ``numpy.arange(0.01, 1, 0.01)``.
        Forecasts of single precision are at a threshold that would
        be rounded to them, and thresholds of single precision are the shortest decimals that they
        print as.
    harm : float
        What making the forecast costs, in net benefit; subtracted from that of the forecasts, not
        from that of acting on all.
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
    and puts these together, so that it is not too narrow where true positives are few. Weights
    count as the number of equal weights that would be as precise, each share by its own. Where
    nobody is acted upon, and for a single case, it is NaN. An exact curve has bounds at both limits
    of each threshold. If the cases have clusters, times or both, the number of cases is divided by
    the design effect, as for `properly.murphy_curve`, with a quantile of Student's t, and the band
    of an exact curve is given at 0.005, 0.01, …, 0.995.

    References
    ----------
    .. [1] A. J. Vickers, E. B. Elkin (2006). Decision curve analysis: a novel method for evaluating
       prediction models. Medical Decision Making 26:565-574.
       `doi:10.1177/0272989X06295361 <https://doi.org/10.1177/0272989X06295361>`__

    Examples
    --------
    >>> import properly
    >>> t = properly.Tally.from_counts([0.2, 0.5, 0.8], [90, 70, 40], [15, 38, 33])
    >>> curve = properly.decision_curve(t, [0.1, 0.25, 0.5], band="confidence")
    >>> curve.net_benefit.round(3), curve.treat_all.round(3)
    (array([0.367, 0.29 , 0.16 ]), array([ 0.367,  0.24 , -0.14 ]))
    >>> curve.band
    Band(95 % confidence, score, at 3 points)
    """
    threshold, harm = check_thresholds(thresholds), check_harm(harm)
    level = check_level(level)
    result = outcomes_at(tally, threshold)
    # At 1 the odds are infinite.
    every = knots(result.value)[:-1] if threshold is None else threshold
    split = Split(result, every) if threshold is None else split_at(result, every, both=True)
    total = result.total
    events, nonevents = (float(x.sum()) / total for x in (result.events, result.nonevents))
    benefit, right = _benefit(split)
    benefit -= harm
    right -= harm
    curve = DecisionCurve(
        every,
        benefit,
        right,
        events - nonevents * odds(every),
        np.zeros(len(every)),
        events,
        harm,
        beyond=_beyond(result) if threshold is None else None,
    )
    if band is None:
        return curve
    check_choice(band, ("confidence",), "band")
    warn_of_few(tally)
    source = settled(tally, threshold)
    return replace(curve, band=_band(source, split, curve, level))


@takes_two
def decision_difference(
    first: Tally | Cases,
    second: Tally | Cases | Literal["treat all", "treat none"],
    thresholds: ArrayLike | Literal["every"] | None = None,
    *,
    band: Literal["confidence"] | None = None,
    level: float = 0.95,
) -> DecisionDifference:
    """Compare the net benefit of two forecasts at many thresholds.

    Where the difference is positive, the first forecast is better: it is the regret of the second
    minus that of the first, over 1 - t.

    Parameters
    ----------
    first, second : Tally or Cases
        Two forecasts of the same outcomes. The second may also be ``"treat all"`` or
        ``"treat none"``.
    thresholds
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
    than 10 events or fewer than 10 non-events. If the cases have clusters or times, and all
    thresholds were asked for, it is given at 0.005, 0.01, …, 0.995.

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
    second = _rival(first, second)
    pair = [outcomes_at(x, threshold) for x in (first, second)]
    if band is None:
        require_same_totals(dict(zip(("first", "second"), pair, strict=True)))
    every = knots(*(x.value for x in pair))[:-1] if threshold is None else threshold
    one, other = (split_at(x, every, both=True) for x in pair)
    difference = _benefit(one) - _benefit(other)
    beyond = None if threshold is not None else _beyond(pair[0]) - _beyond(pair[1])
    bounds = None
    if band is not None:
        check_choice(band, ("confidence",), "band")
        sources = [settled(x, threshold) for x in (first, second)]
        bounds = _paired_band(sources, every, difference, threshold is None, level)
    return DecisionDifference(every, *difference, band=bounds, beyond=beyond)


def _rival(first: Tally | Cases, second: Tally | Cases | str) -> Tally | Cases:
    """Give the same cases a forecast of 1, or of 0, if that is what to compare with."""
    if not isinstance(second, str):
        return second
    check_choice(second, (TREAT_ALL, TREAT_NONE), "what to compare with, in words,")
    if not isinstance(first, Cases):
        return baselines(first)[second]
    return event_among(first, first.y, np.full(len(first), float(second == TREAT_ALL)))


def outcomes_at(source: Tally | Cases, threshold: Column | None) -> OutcomeCounts:
    """Take what happened, with forecasts moved to the thresholds that they are meant to be at."""
    t = as_tally(source)
    if threshold is None:
        return outcomes(t)
    if stays(t):
        t = condense(t, threshold)
    result = outcomes(t)
    result = result._replace(value=settle(to_numpy(t.value), threshold))
    return result.pooled(threshold)


def _benefit(split: Split) -> Column:
    """Return what is gained by events that are found, less what actions in vain cost."""
    # In place: these may be many millions.
    result: Column = odds(split.threshold) * split.acted(split.counts.nonevents)
    np.subtract(split.acted(split.counts.events), result, out=result)
    result /= split.counts.total
    return result


def _beyond(counts: OutcomeCounts) -> float:
    """Return the share of all cases that are false positives above the last threshold."""
    return float(counts.nonevents[counts.value == 1].sum()) / counts.total


def _band(source: Tally | Cases, split: Split, curve: DecisionCurve, level: float) -> Band:
    """Bound a curve at its thresholds, on both sides of each if it is exact.

    The shares of true and of false alarms have score intervals, which are put together; dependent
    cases count as fewer, but independent ones. Where nobody is acted upon, nothing is known about
    who would be.
    """
    counts = split.counts
    at = split.threshold
    split = dependent_split(source, split) if curve.exact else split_at(counts, at)
    lower, upper = score_bounds(source, split, level, benefit=True)
    nobody = split.acted(counts.nonevents + counts.events) == 0
    ends = (np.where(nobody, np.nan, x) - curve.harm for x in (lower, upper))
    bounds = laid_out(split.threshold, *ends)
    return Band(*bounds, dependence(source) or "score", level, "confidence")


def _paired_band(
    sources: list[Tally | Cases], threshold: Column, difference: Column, exact: bool, level: float
) -> Band:
    """Bound a difference, which is one of regret over 1 - t with the sign turned."""
    # On the Brier scale, twice the regret.
    cost, grid = -2 * (1 - threshold) * difference, GRID if exact else threshold
    bounds = paired_bounds(sources[0], sources[1], threshold, cost, level, grid=grid)
    together = dependence(sources[0])
    x, lower, upper = (bound[:: 1 if together or exact else 2] for bound in bounds)
    scale = -2 * (1 - x)
    return Band(x, upper / scale, lower / scale, together or "normal", level, "confidence")
