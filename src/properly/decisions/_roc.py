"""ROC curves, the bands around them, and how well forecasts rank cases: AUC and average precision.

Act on a given share of the cases, those with the highest forecasts. How many alarms are then in
vain is, given the numbers of events and of alarms, the only unknown of a table with two rows and
two columns. So along each line of constant alarm rate the curve is bounded by a score interval for
one cell of such a table, which keeps its width where no alarm, or no missed event, was seen.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any, Literal, NamedTuple

import numpy as np

from properly._boundary._libraries import infinities, to_numpy
from properly._boundary._options import check_choice, check_level
from properly._boundary._record import Record
from properly.counts._calls import takes_rows
from properly.counts._cases import Cases, is_dependent
from properly.counts._device import rates, stays
from properly.counts._isotonic import recalibrate
from properly.counts._scoring import concordance
from properly.counts._tally import Tally, as_tally
from properly.decisions._elementary import CaseRows, OutcomeCounts, dependent, outcomes, split_at
from properly.inference._averages import warn_of_few
from properly.inference._shares import bisect, normal, student
from properly.inference._variance import degrees_of, effective_total, spread_of_totals
from properly.rules._interval import Interval, as_interval
from properly.typing import Column

# Alarm rates at which a band is given, at most: from counts, and from cases one by one.
RATES, RATES_OF_ROWS = 501, 101


@dataclass(frozen=True, repr=False)
class Ranking(Record):
    """Measures of how well forecasts rank cases.

    Attributes
    ----------
    auc : float
        Area under the ROC curve: how often an event has a higher forecast than a non-event, ties
        counted half.
    auc_skill : float
        ``2 * auc - 1``: 0 for forecasts that say nothing, 1 for a perfect ranking.
    average_precision : float
        The share of events among the cases at or above a forecast, averaged over the events.
    auc_if_calibrated : float
        What the AUC would be if the forecasts were calibrated, from their regret.
    gap : float
        ``auc - auc_if_calibrated``. If it is not 0, the forecasts are miscalibrated.
    kolmogorov_smirnov : float
        KS: how far the ROC curve rises above the diagonal at most, the greatest difference between
        the shares of events and of non-events at or above a threshold.
    least_error_rate : float
        MER: the share of cases decided wrongly at the threshold that suits these very cases best.
    within : Interval or None
        The range of forecasts that the others are about, which are None without it.
    partial_auc_above : float or None
        pAUC+: the part of the area under the curve that belongs to the non-events in the range.
    partial_auc_beside : float or None
        pAUC-: the part of the area to the right of the curve that belongs to the events in the
        range.
    balanced_average_accuracy : float or None
        Or concordant partial AUC: both, divided by the shares of non-events and of events in the
        range. How often these are on the right side of a case of the other kind.
    regret_at_scores : float or None
        The mean regret over the cases in the range, each with its own forecast as the threshold.

    Examples
    --------
    >>> import properly
    >>> found = properly.decisions.ranking(properly.tally([0, 1, 0, 1], [0.1, 0.3, 0.6, 0.9]))
    >>> found
    Ranking(AUC 0.75, average precision 0.8333)
    >>> found.auc_skill, round(found.auc_if_calibrated, 4), round(found.gap, 4)
    (0.5, 0.8, -0.05)
    """

    auc: float
    auc_skill: float
    average_precision: float
    auc_if_calibrated: float
    gap: float
    kolmogorov_smirnov: float
    least_error_rate: float
    within: Interval | None = None
    partial_auc_above: float | None = None
    partial_auc_beside: float | None = None
    balanced_average_accuracy: float | None = None
    regret_at_scores: float | None = None

    _optional = (
        *("within", "partial_auc_above", "partial_auc_beside"),
        *("balanced_average_accuracy", "regret_at_scores"),
    )

    def __repr__(self) -> str:
        return f"Ranking(AUC {self.auc:.4g}, average precision {self.average_precision:.4g})"

    def _columns(self) -> dict[str, list[Any]]:
        """Return one row, with the ends of the range."""
        row = {name: x for name, x in asdict(self).items() if x is not None}
        row |= {f"within_{end}": x for end, x in row.pop("within", {}).items()}
        return {name: [x] for name, x in row.items()}


@takes_rows
def ranking(
    tally: Tally | Cases, *, within: Interval | tuple[float, float] | None = None
) -> Ranking:
    r"""Measure how well forecasts rank cases: AUC and average precision.

    Parameters
    ----------
    tally : Tally or Cases
        The forecasts and what happened.
    within : Interval or pair of floats, optional
        A range of forecasts, not of thresholds, both ends included, to look at more closely.

    Returns
    -------
    Ranking

    Notes
    -----
    Ranking is what matters if a fixed number of cases can be acted upon. If each case is decided
    by itself, the AUC is a mean over thresholds that nobody chose. If the forecasts are calibrated,
    it is a mean of the regret :math:`R`, but with each case's own forecast as the threshold:

    .. math:: \text{AUC} = 1 - \frac{1}{2 \pi (1 - \pi)} \cdot \frac1n \sum_i R(p_i) ,

    with the event rate :math:`\pi`. So two models are compared over two different distributions of
    thresholds. The right-hand side is `auc_if_calibrated`; as the AUC does not feel miscalibration
    and the regret does, their `gap` betrays it. No gap is no proof of calibration.

    Average precision is :math:`\sum_k (r_k - r_{k-1})\, s_k` over the distinct forecasts, the
    highest first, with the share :math:`r_k` of events at or above the k-th and the share
    :math:`s_k` of events among all such cases. Ties are pooled, nothing is interpolated.

    With the shares of events :math:`F_1` and of non-events :math:`F_0` below a forecast, ties
    counted half, the parts of the AUC are

    .. math:: \text{pAUC}_+ = \int_a^b (1 - F_1)\, dF_0, \qquad
        \text{pAUC}_- = \int_a^b F_0\, dF_1 ,

    which are both the AUC over (0, 1), and the balanced average accuracy is
    :math:`(\text{pAUC}_+ + \text{pAUC}_-) / (\Delta F_0 + \Delta F_1)`, with the shares of
    non-events and events whose forecast lies in the range. If the forecasts are calibrated,

    .. math:: \pi (1 - \pi) (\text{pAUC}_+ + \text{pAUC}_-) = q\, (\pi + (1 - 2 \pi)\, \bar y -
        \bar R) ,

    with the share :math:`q` of cases in the range, their event rate :math:`\bar y` and their mean
    regret :math:`\bar R` (`regret_at_scores`).

    Two numbers belong to the one threshold that is best in hindsight, infinity included:

    .. math:: \text{KS} = \max_t \, (\text{TPR}(t) - \text{FPR}(t)), \qquad
        \text{MER} = \min_t \, \big( (1 - \pi)\, \text{FPR}(t) + \pi\, (1 - \text{TPR}(t)) \big) .

    Both are the same for recalibrated forecasts, whose mistakes at one half MER counts. Each
    weighs the two kinds of mistakes in its own way, KS as the event rate has it; nobody chose
    these either. KS is one-sided: a curve that is nowhere above the diagonal has 0.

    NaN is what is undefined: both AUCs, parts and KS without events or without non-events,
    average precision without events, and means over a range without forecasts.

    References
    ----------
    .. [1] D. J. Hand (2009). Measuring classifier performance: a coherent alternative to the area
       under the ROC curve. Machine Learning 77:103-123. `doi:10.1007/s10994-009-5119-5
       <https://doi.org/10.1007/s10994-009-5119-5>`__
    .. [2] A. M. Carrington et al. (2020). A new concordant partial AUC and partial c statistic for
       imbalanced data in the evaluation of machine learning algorithms. BMC Medical Informatics and
       Decision Making 20:4. `doi:10.1186/s12911-019-1014-6
       <https://doi.org/10.1186/s12911-019-1014-6>`__
    .. [3] G. Flores, A. Schiff, A. H. Smith, J. A. Fukuyama, A. C. Wilson (2026). A
       consequentialist critique of binary classification evaluation: theory, practice, and tools.
       `arXiv:2504.04528 <https://arxiv.org/abs/2504.04528>`__

    Examples
    --------
    >>> import properly
    >>> t = properly.tally([0, 1, 0, 1], [0.1, 0.3, 0.6, 0.9])
    >>> found = properly.decisions.ranking(t)
    >>> found.auc, found.kolmogorov_smirnov, found.least_error_rate
    (0.75, 0.5, 0.25)
    >>> part = properly.decisions.ranking(t, within=(0.2, 0.7))
    >>> part.partial_auc_above, part.partial_auc_beside, part.balanced_average_accuracy
    (0.25, 0.25, 0.5)
    """
    counts = outcomes(as_tally(tally))
    none, events = counts.nonevents, counts.events
    weight, auc = (none + events).astype(np.float64), concordance(none, events)
    # At its own forecast a case is acted upon, since it is at the threshold.
    regret = split_at(counts, counts.value).cost[0] / 2
    pairs = 2 * float(none.sum()) * float(events.sum())
    expected = 1 - _ratio(float(regret @ weight) * counts.total, pairs)
    acted, true, false = (np.append(0, np.cumsum(x[::-1])) for x in (weight, events, none))
    ends = None if within is None else as_interval(within)
    return Ranking(
        auc,
        auc_skill=2 * auc - 1,
        average_precision=_ratio(float(events[::-1] @ (true[1:] / acted[1:])), float(true[-1])),
        auc_if_calibrated=expected,
        gap=auc - expected,
        kolmogorov_smirnov=float((_rate(events) - _rate(none)).max()),
        # Of integers, which are subtracted exactly, this is exact.
        least_error_rate=float((false - true).min() + true[-1]) / float(true[-1] + false[-1]),
        within=ends,
        **({} if ends is None else _parts(counts, regret * weight, ends)),
    )


def _parts(counts: OutcomeCounts, regret: Column, within: Interval) -> dict[str, float]:
    inside = (counts.value >= within.lower) & (counts.value <= within.upper)
    both = none, events = np.stack([counts.nonevents, counts.events])
    above = concordance(none * inside, events, among=both)
    beside = concordance(none, events * inside, among=both)
    shares = [_ratio(float(x[inside].sum()), float(x.sum())) for x in both]
    return {
        "partial_auc_above": above,
        "partial_auc_beside": beside,
        "balanced_average_accuracy": _ratio(above + beside, sum(shares)),
        "regret_at_scores": _ratio(float(regret[inside].sum()), float(both[:, inside].sum())),
    }


def _ratio(part: float, whole: float) -> float:
    """Divide; what is divided by nothing is undefined."""
    return float(part / whole) if whole else np.nan


@dataclass(frozen=True, eq=False, repr=False)
class RocBand(Record):
    """Bounds of a ROC curve, along lines of constant alarm rate.

    Attributes
    ----------
    alarm_rate : array
        Shares of the cases that one would act on, in increasing order.
    lower_false_positive_rate, lower_true_positive_rate : array
        The lower bound: less discrimination, that is more alarms in vain among as many.
    upper_false_positive_rate, upper_true_positive_rate : array
        The upper bound.
    level : float
        Coverage aimed at, at each alarm rate by itself.

    Examples
    --------
    >>> import properly
    >>> t = properly.Tally.from_counts([0.2, 0.5, 0.8], [90, 70, 40], [15, 38, 33])
    >>> properly.roc_curve(t, band="confidence").band
    RocBand(95 % confidence, at 201 alarm rates)
    """

    alarm_rate: Column
    lower_false_positive_rate: Column
    lower_true_positive_rate: Column
    upper_false_positive_rate: Column
    upper_true_positive_rate: Column
    level: float

    _series = (
        "alarm_rate",
        *("lower_false_positive_rate", "lower_true_positive_rate"),
        *("upper_false_positive_rate", "upper_true_positive_rate"),
    )

    def __repr__(self) -> str:
        rates = f"{len(self.alarm_rate)} alarm rates"
        return f"RocBand({100 * self.level:.4g} % confidence, at {rates})"

    def outline(self) -> tuple[Column, Column]:
        """Return false and true positive rates of a closed polygon: there below, back above."""
        lower = self.lower_false_positive_rate, self.lower_true_positive_rate
        upper = self.upper_false_positive_rate, self.upper_true_positive_rate
        x, y = (np.append(a, b[::-1]) for a, b in zip(lower, upper, strict=True))
        return x, y


class AlarmTable(NamedTuple):
    """Cases by alarm and outcome, at each alarm rate: all cases, events, alarms, alarms in vain."""

    total: float
    events: float
    alarms: Column
    in_vain: Column

    @property
    def ends(self) -> tuple[Column, Column]:
        """The least and the greatest number of alarms in vain that there can be."""
        least = np.maximum(self.alarms - self.events, 0)
        return least, np.minimum(self.alarms, self.total - self.events)

    def variance(self, in_vain: Column) -> tuple[Column, Column]:
        """Return the variance of the alarms in vain if so many are expected, for either side alone.

        Given how many events there are, what one side has the other lacks: the two variances
        combine as resistances in parallel do.
        """
        others = self.total - self.alarms
        missed = self.events - self.alarms + in_vain
        with infinities():
            acted = in_vain * (1 - in_vain / self.alarms)
            left = missed * (1 - missed / others)
        return np.nan_to_num(acted).clip(min=0), np.nan_to_num(left).clip(min=0)


def find_roc_band(source: Tally | Cases, level: float) -> RocBand:
    """Bound the curve at each alarm rate by itself."""
    t = as_tally(source)
    weight, events = (to_numpy(x)[::-1] for x in (t.weight, t.events))
    counted = t.event_squares is None and not is_dependent(source)
    most = min(int(weight.sum()), RATES - 1) if counted else RATES_OF_ROWS - 1
    alarm = np.linspace(0, 1, most + 1)
    reached, none = (np.append(0.0, np.cumsum(x)) for x in (weight, weight - events))
    alarms = alarm * reached[-1]
    table = AlarmTable(
        reached[-1], reached[-1] - none[-1], alarms, np.interp(alarms, reached, none)
    )
    rows = dependent(source)
    quantile = normal(level) if rows is None else student(degrees_of(rows.design), level)
    critical = np.full(len(alarm), quantile**2)
    if not counted:
        critical *= _design_effect(t, rows, table)
    (upper, high), (lower, low) = (_rates(table, x) for x in _score_bounds(table, critical))
    return RocBand(alarm, lower, low, upper, high, level)


def _rates(table: AlarmTable, in_vain: Column) -> tuple[Column, Column]:
    """Return false and true positive rates; without both kinds of cases there are none."""
    others = table.total - table.events
    if not (table.events > 0 and others > 0):
        return np.full(len(in_vain), np.nan), np.full(len(in_vain), np.nan)
    return in_vain / others, ((table.alarms - in_vain) / table.events).clip(0, 1)


def _score_bounds(table: AlarmTable, critical: Column) -> tuple[Column, Column]:
    """Return the least and the greatest number of alarms in vain that are not refused."""

    def refused(in_vain: Column) -> Column:
        acted, left = table.variance(in_vain)
        away = (table.in_vain - in_vain) ** 2 * (acted + left)
        # Where neither side varies nothing else is possible than what was seen.
        certain = (acted + left == 0) & (in_vain != table.in_vain)
        return np.asarray(certain | (away > critical * acted * left))

    least, greatest = (bisect(refused, table.in_vain, end) for end in table.ends)
    return least, greatest


def _design_effect(t: Tally, rows: CaseRows | None, table: AlarmTable) -> Column:
    """Compare the variance of the alarms in vain with that of as many independent cases.

    Each case on the side of the alarms counts with the share of its own side in the uncertainty,
    each other case with the rest, and both by how far they are from the event rate of their side.
    """
    weight, events = (to_numpy(x)[::-1] for x in (t.weight, t.events))
    reached, (least, greatest) = np.append(0.0, np.cumsum(weight)), table.ends
    # Every cell of the table is half a case away from being empty, so that it has a variance.
    room = np.minimum(table.total / effective_total(t) / 2, (greatest - least) / 2)
    in_vain = np.clip(table.in_vain, least + room, greatest - room)
    acted, left = table.variance(in_vain)
    with infinities():
        lean = np.nan_to_num(acted / (acted + left))
        high = np.nan_to_num(1 - in_vain / table.alarms)
        missed = table.events - table.alarms + in_vain
        low = np.nan_to_num(missed / (table.total - table.alarms))
    result, summed = [], _summed_squares(t, rows)
    for alarms, h, first, second in zip(table.alarms, lean, high, low, strict=True):
        inside = np.clip((alarms - reached[:-1]) / weight, 0, 1)
        up, down = inside * (1 - h), (1 - inside) * h
        if_event, if_none = up * (1 - first) - down * (1 - second), down * second - up * first
        alone = float(events @ if_event**2 + (weight - events) @ if_none**2)
        result.append(summed(if_event, if_none) / alone if alone > 0 else 1.0)
    return np.array(result)


def _summed_squares(t: Tally, rows: CaseRows | None) -> Callable[[Column, Column], float]:
    """Prepare to add up squares: of weighted amounts, or of their sums over clusters or times.

    Amounts are given for each distinct forecast, the highest first.
    """
    if rows is None:
        squares = [to_numpy(x)[::-1] for x in (t.event_squares, t.nonevent_squares)]
        return lambda event, none: float(squares[0] @ event**2 + squares[1] @ none**2)
    row = len(t) - 1 - np.unique(rows.p, return_inverse=True)[1]
    happened = rows.happened > 0

    def summed(event: Column, none: Column) -> float:
        amount = rows.weight * np.where(happened, event[row], none[row])
        total = np.bincount(rows.unit, amount, rows.design.units)[None]
        return float(spread_of_totals(total, rows.design).covariance[0, 0])

    return summed


@dataclass(frozen=True, eq=False, repr=False)
class RocCurve(Record):
    r"""How many events are found, at the price of how many alarms in vain.

    Attributes
    ----------
    false_positive_rate : array
        Share of the non-events at or above each distinct forecast, the highest first: from 0 to 1.
    true_positive_rate : array
        Share of the events there. Between its points the curve is straight.
    threshold : array
        Acting at this threshold gives the point: the distinct forecasts, the highest first, after
        infinity, at which nobody is acted upon. Of the hull, the recalibrated forecasts.
    area : float
        The area under the curve. Without `hull`, it is the AUC: the probability that an event has a
        higher forecast than a non-event, with ties counted half.
    hull : bool
        Whether the curve is that of the recalibrated forecasts, whose area is never smaller.
    band : RocBand or None
        Bounds, if they were asked for.
    event_rate : float
        The share of events among the cases.
    precision : array
        The share of events among the cases at or above each threshold; NaN where there are none.

    Notes
    -----
    The true positive rate is also called recall, and the *precision-recall curve* is `precision`
    against it, which `properly.plots.roc` draws with ``precision_recall=True``. At a point of the
    ROC curve

    .. math:: \text{precision} = \frac{\pi\, \text{TPR}}{\pi\, \text{TPR} + (1 - \pi)\,
        \text{FPR}} ,

    so that it depends on the event rate :math:`\pi` as the ROC curve does not: forecasts that say
    nothing have the precision :math:`\pi` at any recall.

    References
    ----------
    .. [1] J. Davis, M. Goadrich (2006). The relationship between precision-recall and ROC curves.
       Proceedings of the 23rd International Conference on Machine Learning, 233-240.
       `doi:10.1145/1143844.1143874 <https://doi.org/10.1145/1143844.1143874>`__

    Examples
    --------
    >>> import properly
    >>> t = properly.tally([0, 1, 0, 1], [0.1, 0.3, 0.6, 0.9])
    >>> properly.roc_curve(t)
    RocCurve(AUC 0.75)
    >>> properly.roc_curve(t, hull=True)
    RocCurve(area 0.875 under the hull, not the AUC)
    >>> properly.roc_curve(t).precision.round(3), round(properly.roc_curve(t).average_precision, 4)
    (array([  nan, 1.   , 0.5  , 0.667, 0.5  ]), 0.8333)
    """

    false_positive_rate: Column
    true_positive_rate: Column
    threshold: Column
    area: float
    hull: bool
    band: RocBand | None = None
    event_rate: float = np.nan

    _optional = ("band",)
    _series = ("false_positive_rate", "true_positive_rate", "threshold", "precision")

    @property
    def precision(self) -> Column:
        """The share of events among the cases at or above each threshold."""
        return self.precision_at(self.false_positive_rate, self.true_positive_rate)

    @property
    def average_precision(self) -> float:
        """The area under the precision-recall curve, as steps: that of `ranking`."""
        return float(np.diff(self.true_positive_rate) @ self.precision[1:])

    def precision_at(self, false_positive_rate: Column, true_positive_rate: Column) -> Column:
        """Return the share of events among the cases acted on, at points of the ROC plane."""
        found = self.event_rate * np.asarray(true_positive_rate)
        # Without non-events there are no false positives.
        in_vain = np.nan_to_num((1 - self.event_rate) * np.asarray(false_positive_rate))
        with infinities():
            return found / (found + in_vain)

    def __repr__(self) -> str:
        if self.hull:
            return f"RocCurve(area {self.area:.4g} under the hull, not the AUC)"
        return f"RocCurve(AUC {self.area:.4g})"


@takes_rows
def roc_curve(
    tally: Tally | Cases,
    *,
    hull: bool = False,
    band: Literal["confidence"] | None = None,
    level: float = 0.95,
) -> RocCurve:
    r"""Trace the rates of true and false positives over all thresholds.

    .. math:: \text{FPR}(t) = \frac{\#\{p_i \ge t,\, y_i = 0\}}{\#\{y_i = 0\}}, \qquad
        \text{TPR}(t) = \frac{\#\{p_i \ge t,\, y_i = 1\}}{\#\{y_i = 1\}} .

    Parameters
    ----------
    tally : Tally or Cases
        The forecasts and what happened.
    hull : bool
        Trace the isotonically recalibrated forecasts instead: the upper hull of the curve. Its area
        is larger than the AUC unless the curve is concave already.
    band : {"confidence"}, optional
        Where the curve of the population may lie, at each alarm rate by itself.
    level : float
        Coverage of the band.

    Returns
    -------
    RocCurve

    Notes
    -----
    Without events the true positive rate is NaN, without non-events the false positive rate, and
    without either the area.

    A ROC curve says nothing about calibration: any increasing change of the forecasts leaves it as
    it is.

    The band is given along lines of constant alarm rate :math:`R`, the share of cases acted on.
    Given also how many events there are, only one number is unknown, the alarms in vain; a score
    interval bounds it, with the variance at the bound and not at the estimate. So the band has a
    width where no alarm was in vain, and it is right at both ends of the curve, where drawing
    cases again is not. It is a band of the curve of the forecasts as they are, also with `hull`;
    the hull lies above that curve and may leave the band. Where the curve is far from concave,
    the band is somewhat too narrow. Weights, clusters and times, in `Cases`, multiply the variance
    by how much they change it.

    References
    ----------
    .. [1] T. Fawcett (2006). An introduction to ROC analysis. Pattern Recognition Letters
       27:861-874. `doi:10.1016/j.patrec.2005.10.010
       <https://doi.org/10.1016/j.patrec.2005.10.010>`__
    .. [2] T. Dimitriadis, T. Gneiting, A. I. Jordan, P. Vogel (2024). Evaluating probabilistic
       classifiers: the triptych. International Journal of Forecasting 40:1101-1122.
       `doi:10.1016/j.ijforecast.2023.09.007 <https://doi.org/10.1016/j.ijforecast.2023.09.007>`__

    Examples
    --------
    >>> import properly
    >>> curve = properly.roc_curve(properly.tally([0, 1, 0, 1], [0.1, 0.3, 0.6, 0.9]))
    >>> curve.false_positive_rate, curve.true_positive_rate
    (array([0. , 0. , 0.5, 0.5, 1. ]), array([0. , 0.5, 0.5, 1. , 1. ]))
    >>> curve.threshold
    array([inf, 0.9, 0.6, 0.3, 0.1])
    """
    t = as_tally(tally)
    result = None
    if band is not None:
        check_choice(band, ("confidence",), "band")
        warn_of_few(tally)
        result = find_roc_band(tally, check_level(level))
    if stays(t) and not hull:
        return RocCurve(*rates(t), hull, result, float(t.event_rate))
    value, weight, events = (to_numpy(x) for x in (t.value, t.weight, t.events))
    if hull:
        fit = recalibrate(t)
        value, weight, events = fit.event_rate, fit.weight, fit.events
    return traced(value, weight - events, events, hull=hull, band=result)


@takes_rows
def predicted_roc_curve(tally: Tally | Cases) -> RocCurve:
    r"""Trace the ROC curve that the forecasts promise, whatever happened.

    Each case counts as an event with its probability :math:`p_i`, and as a non-event with the rest:

    .. math:: \text{FPR}(t) = \frac{\sum_{p_i \ge t} w_i (1 - p_i)}{\sum_i w_i (1 - p_i)}, \qquad
        \text{TPR}(t) = \frac{\sum_{p_i \ge t} w_i p_i}{\sum_i w_i p_i} .

    Parameters
    ----------
    tally : Tally or Cases
        The forecasts; of what happened nothing is used.

    Returns
    -------
    RocCurve
        Its area is the predicted AUC.

    Notes
    -----
    If forecasts are calibrated, the curve of `roc_curve` differs from this one by chance alone. A
    predicted curve above the actual one promises more than the forecasts keep, as over-confident
    ones do; one below promises less. The predicted curve is always concave, since a higher
    forecast is one with more of the event. A case is compared with itself too, as a tie.

    References
    ----------
    .. [1] K. P. Nelson (2017). Assessing probabilistic inference by comparing the generalized mean
       of the model and source probabilities. Entropy 19:286. `doi:10.3390/e19060286
       <https://doi.org/10.3390/e19060286>`__

    Examples
    --------
    >>> import properly
    >>> t = properly.tally([0, 1, 0, 1], [0.1, 0.3, 0.6, 0.9])
    >>> properly.decisions.predicted_roc_curve(t), properly.roc_curve(t)
    (RocCurve(AUC 0.8383), RocCurve(AUC 0.75))
    """
    t = as_tally(tally)
    value, weight = to_numpy(t.value).astype(np.float64), to_numpy(t.weight)
    return traced(value, weight * (1 - value), weight * value)


def traced(
    value: Column, none: Column, events: Column, *, hull: bool = False, band: RocBand | None = None
) -> RocCurve:
    """Trace the curve of forecasts, increasing, with the non-events and events at each."""
    rates = _rate(none), _rate(events), np.append(np.inf, value[::-1].astype(np.float64))
    share = _ratio(float(events.sum()), float(none.sum() + events.sum()))
    return RocCurve(*rates, concordance(none, events), hull, band, share)


def _rate(cases: Column) -> Column:
    """Return the share of cases from each forecast on, the highest first."""
    result = np.append(0, np.cumsum(cases[::-1]))
    return result / result[-1] if result[-1] > 0 else np.full(result.shape, np.nan)
