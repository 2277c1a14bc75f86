"""Murphy curves, also on the scale of regret: the cost of forecasts at thresholds, and in money."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal, TypeAlias, get_args

import numpy as np

from properly._boundary._libraries import to_numpy
from properly._boundary._options import as_number, check_choice, check_level
from properly._boundary._record import Record
from properly._boundary._tolerances import SAME_FORECAST
from properly.counts._baselines import EVENT_RATE, TREAT_ALL, TREAT_NONE, baselines
from properly.counts._calls import takes_rows, takes_two
from properly.counts._cases import Cases, is_dependent
from properly.counts._device import murphy_limits, stays
from properly.counts._isotonic import recalibrate
from properly.counts._scoring import mean_score
from properly.counts._tally import Tally, as_tally
from properly.decisions import _elementary as elementary
from properly.decisions._elementary import OutcomeCounts, Split
from properly.decisions._grid import CurveSteps
from properly.errors import ArgumentTypeError, DataError
from properly.inference._averages import warn_of_few
from properly.inference._band import Band
from properly.inference._variance import spread_of_means
from properly.rules import Elementary, Regret
from properly.rules._interval import Amount, Interval, as_interval
from properly.typing import ArrayLike, Column

Scale: TypeAlias = Literal["brier", "regret"]
Part: TypeAlias = Literal["score", "miscalibration", "discrimination", "uncertainty"]
Around: TypeAlias = Literal["confidence", "consistency"]


@dataclass(frozen=True, eq=False, repr=False)
class MurphyCurve(Record):
    """The mean elementary score, or a part of it, as a function of the threshold.

    The curve is straight between its thresholds and jumps at them; nothing is left out.

    Attributes
    ----------
    threshold : array
        Where the curve may jump or bend, from 0 to 1.
    left, right : array
        Its limits there. From the left, it is the value at the threshold itself.
    part : str
        ``"score"``, ``"miscalibration"``, ``"discrimination"``, ``"uncertainty"``, or
        ``"difference"`` of two scores.
    band : Band or None
        Bounds at each limit, if they were asked for.
    scale : str
        ``"brier"``, on which the area under the curve is the Brier score, or ``"regret"``, half of
        it, on which the height is the regret.
    event_rate : float or None
        Share of the cases that had the event; None for a difference.

    Examples
    --------
    >>> import properly
    >>> curve = properly.murphy_curve(properly.tally([0, 1], [0.25, 0.5]))
    >>> curve
    MurphyCurve(score at 4 thresholds, area 0.1562)
    >>> curve.threshold, curve.left, curve.right
    (array([0.  , 0.25, 0.5 , 1.  ]), array([0.  , 0.25, 0.  , 0.  ]), array([0. , 0. , 0.5, 0. ]))
    """

    threshold: Column
    left: Column
    right: Column
    part: str
    scale: Scale = "brier"
    event_rate: float | None = None
    band: Band | None = None

    _optional = ("band",)
    _series = ("threshold", "left", "right")

    def __repr__(self) -> str:
        what = self.part if self.scale == "brier" else f"{self.part}, regret scale,"
        return f"MurphyCurve({what} at {len(self.threshold):,} thresholds, area {self.area():.4g})"

    def on_regret_scale(self) -> MurphyCurve:
        """Return the same curve at half its height, which is regret."""
        if self.scale == "regret":
            return self
        band = self.band
        if band is not None:
            band = replace(band, lower=band.lower / 2, upper=band.upper / 2)
        return replace(self, left=self.left / 2, right=self.right / 2, band=band, scale="regret")

    def at(self, t: ArrayLike) -> Column:
        """Return the curve at any thresholds, the limit from the left; NaN outside of [0, 1].

        Parameters
        ----------
        t : array-like
            Thresholds in [0, 1]; a forecast of exactly t is acted upon there.
        """
        return self.steps.at(t)

    def area(self, within: Interval | tuple[float, float] | None = None) -> float:
        """Return the exact area under the curve.

        Parameters
        ----------
        within : Interval or pair of floats, optional
            The thresholds that matter; all of them if left out. The area under the score curve is
            then the mean of ``Bounded(Brier(), within, scale="integral")``, or half of it on the
            regret scale.

        Examples
        --------
        >>> import properly
        >>> from properly.rules import Bounded, Brier
        >>> curve = properly.murphy_curve(properly.tally([0, 1], [0.25, 0.5]))
        >>> curve.area(), Brier()([0, 1], [0.25, 0.5])
        (0.15625, 0.15625)
        >>> curve.area((0.5, 0.75))
        0.09375
        """
        t, start, end = self.steps.pieces(Interval(0, 1) if within is None else as_interval(within))
        return float(np.sum(np.diff(t) * (start + end))) / 2

    def curve(self) -> tuple[Column, Column]:
        """Return the corners of the curve: each threshold twice, with both of its limits."""
        return np.repeat(self.threshold, 2), np.stack([self.left, self.right], axis=1).ravel()

    @property
    def steps(self) -> CurveSteps:
        """The curve as a function of the threshold."""
        return CurveSteps(self.threshold, self.left, self.right, 0.0, np.asarray)


@takes_rows
def murphy_curve(
    tally: Tally | Cases, *, part: Part = "score", band: Around | None = None, level: float = 0.95
) -> MurphyCurve:
    r"""Score forecasts at every threshold.

    .. math:: \bar S(t) = \frac 1 n \sum_i s_t(p_i, y_i), \qquad
        s_t(p, 0) = 2 t \, [p \ge t], \qquad s_t(p, 1) = 2 (1 - t) \, [p < t] .

    Parameters
    ----------
    tally : Tally or Cases
        The forecasts and what happened.
    part : {"score", "miscalibration", "discrimination", "uncertainty"}
        The score, or one of the three parts that `properly.decompose` splits it into, here at each
        threshold: score = miscalibration - discrimination + uncertainty.
    band : {"confidence", "consistency"}, optional
        ``"confidence"``: where the curve of the population may lie, at each threshold by itself.
        ``"consistency"``: where the curve would lie if the forecasts were calibrated. Only the
        score has bands.
    level : float
        Coverage of the band.

    Returns
    -------
    MurphyCurve

    Notes
    -----
    This is twice the usual elementary score, so that the area under the curve is the Brier score,
    and the areas under the parts are those of the Brier score.

    The bands need no random numbers. A confidence band bounds the shares of both kinds of mistakes
    by score intervals and puts these together, so that it is not too narrow where mistakes are few
    and costly. Weights count as the number of equal weights
    that would be as precise, each share by its own; for a single case the band is NaN. If the cases
    have clusters, times or both, the number of cases is divided by the design effect: how many
    times the variance of `properly.score_interval` is that of independent cases, if more than once.
    The quantile is then one of Student's t. A consistency band is the mean that calibrated
    forecasts would have, give or take a quantile of the normal distribution times their standard
    deviation, or that of clusters and times. With either, bands are given at 0.005, 0.01, …, 0.995.

    A mistake that is made for days on end looks like one mistake: where one of the two kinds comes
    in fewer than 10 separate spells, times say little about how it depends, and a band may be too
    narrow.

    References
    ----------
    .. [1] W. Ehm, T. Gneiting, A. Jordan, F. Krüger (2016). Of quantiles and expectiles: consistent
       scoring functions, Choquet representations and forecast rankings. Journal of the Royal
       Statistical Society B 78:505-562.
       `doi:10.1111/rssb.12154 <https://doi.org/10.1111/rssb.12154>`__
    .. [2] T. Dimitriadis, T. Gneiting, A. I. Jordan, P. Vogel (2024). Evaluating probabilistic
       classifiers: the triptych. International Journal of Forecasting 40:1101-1122.
       `doi:10.1016/j.ijforecast.2023.09.007 <https://doi.org/10.1016/j.ijforecast.2023.09.007>`__

    Examples
    --------
    >>> import properly
    >>> t = properly.tally([0, 0, 1, 0, 1], [0.1, 0.3, 0.3, 0.6, 0.9])
    >>> properly.murphy_curve(t)
    MurphyCurve(score at 6 thresholds, area 0.192)
    >>> properly.murphy_curve(t, part="miscalibration").at([0.2, 0.5])
    array([0. , 0.2])
    >>> t = properly.Tally.from_counts([0.2, 0.5, 0.8], [90, 70, 40], [15, 38, 33])
    >>> properly.murphy_curve(t, band="confidence").band
    Band(95 % confidence, score, at 10 points)
    """
    check_choice(part, get_args(Part), "part")
    t = as_tally(tally)
    if part == "score" and band is None and stays(t):
        knot, limits = murphy_limits(t)
        return MurphyCurve(knot, limits[0], limits[1], part, event_rate=t.event_rate)
    split, limits = _limits(*_terms(t, part))
    result = None
    if band is not None:
        check_choice(band, get_args(Around), "band")
        level = check_level(level)
        if part != "score":
            message = f"only the score has a band; got part={part!r} and band={band!r}"
            raise DataError(message, hint="decompose(…, interval=True) has intervals of the parts.")
        if band == "confidence":
            warn_of_few(tally)
            at = elementary.dependent_split(tally, split)
            bounds = elementary.laid_out(at.threshold, *elementary.score_bounds(tally, at, level))
        else:
            bounds = elementary.consistency_bounds(tally, split, level)
        usual = "score" if band == "confidence" else "normal"
        result = Band(*bounds, elementary.dependence(tally) or usual, level, band)
    return MurphyCurve(
        split.threshold, limits[0], limits[1], part, event_rate=t.event_rate, band=result
    )


@takes_two
def murphy_difference(
    first: Tally | Cases,
    second: Tally | Cases,
    *,
    band: Literal["confidence"] | None = None,
    level: float = 0.95,
) -> MurphyCurve:
    """Compare two forecasts at every threshold.

    The curve is the score of the first minus that of the second: where it is negative, the first
    is better.

    Parameters
    ----------
    first, second : Tally or Cases
        Two forecasts of the same outcomes.
    band : {"confidence"}, optional
        Where the difference in the population may lie, at each threshold by itself. It needs two
        `properly.Cases`, row by row of the same outcomes, since pairs differ less than strangers.
    level : float
        Coverage of the band.

    Returns
    -------
    MurphyCurve
        With the part ``"difference"``.

    Notes
    -----
    Only cases with a threshold between their two forecasts are judged differently there. The
    band, from the standard error of paired differences, is NaN at thresholds where these are fewer
    than 10 events or fewer than 10 non-events. If the cases have clusters or times, it is given at
    the thresholds 0.005, 0.01, …, 0.995.

    Examples
    --------
    >>> import properly
    >>> y = [0, 1, 0, 1]
    >>> better = properly.tally(y, [0.1, 0.6, 0.3, 0.9])
    >>> worse = properly.tally(y, [0.1, 0.3, 0.6, 0.9])
    >>> properly.decisions.murphy_difference(better, worse)
    MurphyCurve(difference at 6 thresholds, area -0.15)
    """
    terms = [elementary.outcomes(as_tally(x)) for x in (first, second)]
    if band is None:
        elementary.require_same_totals(dict(zip(("first", "second"), terms, strict=True)))
    split, limits = _limits(*terms)
    result = None
    if band is not None:
        check_choice(band, ("confidence",), "band")
        level = check_level(level)
        bounds = elementary.paired_bounds(first, second, split.threshold, limits, level)
        result = Band(*bounds, elementary.dependence(first) or "normal", level, band)
    return MurphyCurve(split.threshold, limits[0], limits[1], "difference", band=result)


@takes_rows
def regret_curve(
    tally: Tally | Cases, *, part: Part = "score", band: Around | None = None, level: float = 0.95
) -> MurphyCurve:
    r"""Find the regret of forecasts at every threshold, exactly.

    .. math:: R(t) = t \cdot \text{FP}(t) + (1 - t) \cdot \text{FN}(t),

    with the shares of all cases that are false positives and false negatives if one acts if and
    only if :math:`p \ge t`.

    Parameters
    ----------
    tally : Tally or Cases
        The forecasts and what happened.
    part : {"score", "miscalibration", "discrimination", "uncertainty"}
        The regret, or one of the three parts it is made of; the uncertainty is the regret of the
        constant event rate, the least of treating all and treating none.
    band, level
        As in `properly.murphy_curve`.

    Returns
    -------
    MurphyCurve
        With the scale ``"regret"``.

    Notes
    -----
    This is the Brier curve: half of `properly.murphy_curve`. Its area over a range, divided by the
    width of the range, is the mean regret, ``Regret(within)``.

    References
    ----------
    .. [1] J. Hernández-Orallo, P. Flach, C. Ferri (2011). Brier curves: a new cost-based
       visualisation of classifier performance. Proceedings of the 28th International Conference on
       Machine Learning:585-592.

    Examples
    --------
    >>> import properly
    >>> from properly.rules import Regret
    >>> t = properly.tally([0, 0, 1, 0, 1], [0.1, 0.3, 0.3, 0.6, 0.9])
    >>> curve = properly.regret_curve(t)
    >>> curve
    MurphyCurve(score, regret scale, at 6 thresholds, area 0.096)
    >>> curve.at([0.2, 0.5])
    array([0.08, 0.2 ])
    >>> round(curve.area((0.2, 0.4)) / 0.2, 4)
    0.15
    >>> round(properly.decompose(t, Regret((0.2, 0.4))).score, 4)
    0.15
    """
    return murphy_curve(tally, part=part, band=band, level=level).on_regret_scale()


def _limits(*terms: OutcomeCounts) -> tuple[Split, Column]:
    """Split one term at all knots; return its mean cost there, less that of another."""
    if len(terms) == 1:
        split = Split(terms[0], elementary.knots(terms[0].value))
        return split, split.cost
    knot = elementary.knots(*(term.value for term in terms))
    one, other = (elementary.split_at(term, knot, both=True) for term in terms)
    return one, one.cost - other.cost


def _terms(tally: Tally, part: str) -> list[OutcomeCounts]:
    """Return whose curve it is, and whose is to be subtracted."""
    result = elementary.outcomes(tally)
    if part == "score":
        return [result]
    if part == "uncertainty":
        return [result.constant()]
    fit = recalibrate(tally)
    bins = fit.weight - fit.events, fit.events
    recalibrated = OutcomeCounts(fit.event_rate, *bins, *bins)
    return [result if part == "miscalibration" else result.constant(), recalibrated]


@dataclass(frozen=True, repr=False)
class Money(Record):
    """What decisions by forecasts cost, beside what simpler ones do.

    All amounts are regrets, what is lost against knowing every outcome beforehand, of `per` cases.

    Attributes
    ----------
    regret : float
        Of acting if the forecast is at the threshold or above.
    treat_all, treat_none, constant : float
        Of acting always, of acting never, and of acting by the event rate alone: whoever's cost is
        low enough acts always, everybody else never.
    saved : float
        What the forecasts save against the best of the three; negative if it would be better to do
        without them.
    interval : pair of floats
        How far off `regret` may be, cut at 0; NaN where nothing can be said.
    threshold : float or Interval
        The cost divided by the loss: the probability from which on acting pays.
    per : float
        The number of cases.
    level : float
        Coverage aimed at by the interval.

    Examples
    --------
    >>> import properly
    >>> t = properly.Tally.from_counts([0.05, 0.3], [900, 100], [20, 30])
    >>> money = properly.decisions.regret_in_money(t, cost=100, loss=1000)
    >>> money
    Money(25,000 lost per 1,000 cases, 20,000 saved)
    >>> money.treat_all, money.treat_none, money.threshold
    (95000.0, 45000.0, 0.1)
    """

    regret: float
    treat_all: float
    treat_none: float
    constant: float
    saved: float
    interval: tuple[float, float]
    threshold: float | Interval
    per: float
    level: float

    def __repr__(self) -> str:
        lost, saved = _readable(self.regret), _readable(self.saved)
        return f"Money({lost} lost per {self.per:,g} cases, {saved} saved)"

    def _columns(self) -> dict[str, list[Any]]:
        """Return one row, with the ends of both ranges."""
        row = asdict(self)
        row["interval_lower"], row["interval_upper"] = row.pop("interval")
        threshold = row.pop("threshold")
        ends = threshold if isinstance(threshold, dict) else {}
        row |= {f"threshold_{end}": ends.get(end, threshold) for end in ("lower", "upper")}
        return {name: [value] for name, value in row.items()}


@takes_rows
def regret_in_money(
    tally: Tally | Cases, *, cost: Amount, loss: float, per: float = 1000, level: float = 0.95
) -> Money:
    r"""Say in money what decisions by these forecasts cost.

    With the cost :math:`C` of acting and the loss :math:`L` that acting averts, one acts if the
    forecast is at least :math:`c = C / L`. Against knowing the outcome this loses, a case,

    .. math:: L\, R(c) = C \cdot \text{FP}(c) + (L - C) \cdot \text{FN}(c),

    with the shares of cases that are acted upon in vain and that are not although they should be.

    Parameters
    ----------
    tally : Tally or Cases
        The forecasts and what happened.
    cost : float or pair of floats
        What acting costs; or the least and the greatest cost, all between being as likely.
    loss : float
        What acting averts if the event would happen, in the same currency.
    per : float
        How many cases the amounts are for.
    level : float
        Coverage aimed at by the interval.

    Returns
    -------
    Money

    Notes
    -----
    With a pair of costs everyone acts at the threshold of their own cost, and the amount is the
    mean over all costs. The loss must be one number, since the amount is a multiple of it.

    The interval is that of a mean, by Student's t; clusters or times in `Cases` are allowed for. It
    tells how the amount may vary between samples, not how wrong the costs may be. With fewer than
    about 20 events, or non-events, it covers too seldom.

    References
    ----------
    .. [1] A. K. Angström (1922). On the effectivity of weather warnings. Nordisk Statistisk
       Tidskrift 1:394-408.
    .. [2] A. H. Murphy (1977). The value of climatological, categorical and probabilistic forecasts
       in the cost-loss ratio situation. Monthly Weather Review 105:803-816.

    Examples
    --------
    A warning costs 5 to 20 and averts a damage of 100:

    >>> import properly
    >>> t = properly.Tally.from_counts([0.05, 0.3], [900, 100], [20, 30])
    >>> money = properly.decisions.regret_in_money(t, cost=(5, 20), loss=100)
    >>> money.threshold
    Interval(lower=0.05, upper=0.2)
    >>> print(f"{money.regret:.0f}, between {money.interval[0]:.0f} and {money.interval[1]:.0f}")
    2625, between 1847 and 3403
    """
    threshold, t = _threshold(cost, loss), as_tally(tally)
    value = to_numpy(t.value).astype(np.float64)
    if not isinstance(threshold, Interval):
        # A quotient may miss a forecast by its own rounding, as 2.1 / 3 misses 0.7.
        nearest = float(value[np.argmin(np.abs(value - threshold))])
        if abs(nearest - threshold) <= SAME_FORECAST * threshold:
            threshold = nearest
    rule = Regret(threshold) if isinstance(threshold, Interval) else Elementary(threshold)
    cases, level = as_number(per, "number of cases"), check_level(level)
    if not 0 < cases < math.inf:
        message = f"per must be a number of cases greater than 0; got {per!r}"
        raise DataError(message)
    unit = float(loss) * cases
    regret = unit * mean_score(t, rule)
    others = {name: unit * mean_score(x, rule) for name, x in baselines(t).items()}
    # Independent cases are in the tally already, unless they have weights.
    source = tally if is_dependent(tally) or t.event_squares is not None else t
    prices = (rule.loss_if_event(value)[None], rule.loss_if_none(value)[None])
    half = unit * float(spread_of_means(source, *prices).half_widths(level)[0])
    return Money(
        regret=regret,
        treat_all=others[TREAT_ALL],
        treat_none=others[TREAT_NONE],
        constant=others[EVENT_RATE],
        saved=min(others.values()) - regret,
        interval=(float(np.maximum(regret - half, 0.0)), regret + half),
        threshold=threshold,
        per=cases,
        level=level,
    )


def _readable(amount: float) -> str:
    return f"{amount:,.0f}" if abs(amount) >= 1000 else f"{amount:.4g}"


def _threshold(cost: Amount, loss: float) -> float | Interval:
    """Divide the cost by the loss, which must be one number."""
    if isinstance(loss, Iterable):
        message = f"regret in money needs one loss, by which it is multiplied; got {loss!r}"
        raise ArgumentTypeError(message, hint="give the range to the cost, or call once a loss.")
    loss = as_number(loss, "loss")
    if isinstance(cost, Iterable):
        return Interval.from_costs(cost, loss)
    amount = as_number(cost, "cost")
    if not 0 < amount < loss < math.inf:
        message = (
            "a cost must be more than 0, and less than the loss, which is finite; "
            f"got cost = {cost!r}, loss = {loss:g}"
        )
        raise DataError(message, hint="at a cost of 0 one always acts, at the loss never.")
    return amount / loss
