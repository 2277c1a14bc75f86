"""Logistic recalibration: observed over expected events, intercept and slope."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from properly.calibration._statistics import (
    ForecastSample,
    clustered_score,
    score_axes,
    score_rows,
    score_statistic,
)
from properly.counts._cases import Cases, as_counted, number_forecasts, rows_in_use
from properly.counts._scoring import mean_loss
from properly.counts._tally import Tally, as_tally
from properly.inference._averages import Estimate, about_design, about_tally
from properly.inference._design import Design, effective_number, is_alike
from properly.inference._draws import require_counts
from properly.inference._logistic import Columns, Fitted, fit_columns, logit
from properly.inference._moments import Correction, Spread
from properly.inference._shares import student
from properly.inference._variance import covariance, spread_of_sums
from properly.rules import Log
from properly.typing import Column

UNKNOWN = (math.nan, math.nan)
UNTESTED = dict.fromkeys(("joint", "in_the_large", "slope", "joint_wald"), math.nan)
# Estimates that are correlated more closely than this are one but for rounding.
ALIKE = 1e-13


class Subject(NamedTuple):
    """What is judged.

    Attributes
    ----------
    source : Tally or Cases
        Counts, or cases of a design.
    sample : ForecastSample
        What happened at each distinct forecast; cases of equal weight are counted.
    about : dict
        How cases were sampled, and how many there are.
    design : Design or None
        The same for computing; None for independent cases of equal weight.
    row, happened : numpy array or None
        The number of each case's forecast, and its outcome, if there is a design.
    """

    source: Tally | Cases
    sample: ForecastSample
    about: dict[str, Any]
    design: Design | None = None
    row: Any = None
    happened: Any = None

    @classmethod
    def of(cls, source: Tally | Cases) -> Subject:
        """Take a tally of counts, or cases of an event."""
        source = as_counted(source)
        tally = as_tally(source)
        sample = ForecastSample.of(tally)
        if not isinstance(source, Cases):
            require_counts(tally)
            return cls(source, sample, about_tally(tally))
        design, row = Design.of(source), number_forecasts(source)
        return cls(source, sample, about_design(design), design, row, rows_in_use(source).y)

    @property
    def is_counted(self) -> bool:
        """Whether cases are of equal weight."""
        return self.design is None or is_alike(self.design.weight)

    @property
    def is_dependent(self) -> bool:
        """Whether cases come in clusters, or follow one another in time."""
        design = self.design
        return design is not None and not (design.cluster is None and design.time is None)

    @property
    def events(self) -> int:
        """The number of cases that had the event."""
        return int((self.sample.events if self.design is None else self.happened).sum())

    @property
    def outcomes(self) -> tuple[float, float]:
        """As many events, and as many others, of equal weight would say as much."""
        if self.design is None:
            return float(self.events), float(self.sample.weight.sum()) - self.events
        weight = self.design.weight
        used, others = self.happened & (weight > 0), ~self.happened & (weight > 0)
        return effective_number(weight[used]), effective_number(weight[others])

    @property
    def certain(self) -> int:
        """The number of forecasts of exactly 0 or 1."""
        is_certain = ~self.sample.is_uncertain
        if self.design is None:
            return int(self.sample.weight[is_certain].sum())
        return int(is_certain[self.row].sum())

    def with_log_odds(self) -> Subject:
        """Leave out forecasts of exactly 0 or 1."""
        used = self.sample.is_uncertain
        if used.all() or not used.any():
            return self
        sample = self.sample.among(used)
        if self.design is None:
            cases = np.broadcast_to(1.0, int(sample.weight.sum()))
            return self._replace(sample=sample, about=about_design(Design(cases)))
        kept = used[self.row]
        design, rows = self.design.among(kept)
        about = about_design(Design(self.design.weight[kept])) | {"design": design.text}
        row = (np.cumsum(used) - 1)[self.row[rows]]
        return Subject(self.source, sample, about, design, row, self.happened[rows])

    def spread(self, if_event: Column, if_none: Column) -> Spread:
        """Find the covariance of estimates, given what a case of weight 1 adds to each.

        A row an estimate, a column a distinct forecast.
        """
        if self.design is None:
            events, none = self.sample.events, self.sample.weight - self.sample.events
            summed = (events * if_event) @ if_event.T + (none * if_none) @ if_none.T
            factor, degrees = Correction.from_count(float(self.sample.weight.sum()))
            return Spread(summed * factor, degrees)
        return spread_of_sums(if_event, if_none, self.row, self.happened, self.design)

    def estimate(self, value: float, spread: Spread, level: float, method: str) -> Estimate:
        """Put an interval around a number; around what is not finite or did not vary, none."""
        error, interval = float(spread.errors[0]), UNKNOWN
        if math.isfinite(value) and error > 0:
            half = student(spread.degrees, level) * error
            interval = (value - half, value + half)
        if not math.isfinite(value):
            error = math.nan
        return Estimate(value, error, interval, level, spread.degrees, method, **self.about)


def observed_expected(subject: Subject, level: float) -> Estimate:
    """Divide the events by the sum of the forecasts; the interval is one of the logarithm."""
    sample = subject.sample
    observed, expected = float(sample.events.sum()), float(sample.weight @ sample.value)
    about = {"level": level, "degrees": math.inf} | subject.about
    if expected == 0:
        value = math.inf if observed else math.nan
        return Estimate(value, math.nan, UNKNOWN, method="none: no event was expected", **about)
    if observed == 0:
        if subject.design is not None:
            label = "none: no event among weighted or dependent cases"
            return Estimate(0.0, math.nan, UNKNOWN, method=label, **about)
        highest = -math.log((1 - level) / 2) / expected
        return Estimate(0.0, math.nan, (0.0, highest), method="exact Poisson", **about)
    share = sample.value / expected
    spread = subject.spread(1 / observed - share[None], -share[None])
    # The logarithm is nearly normal; the number of clusters or of times is what may be small.
    degrees = spread.degrees if subject.is_dependent else math.inf
    label = "Student's t of the logarithm" if subject.is_dependent else "normal of the logarithm"
    log = subject.estimate(0.0, Spread(spread.covariance, degrees), level, label)
    ratio = observed / expected
    ends = (ratio * math.exp(log.interval[0]), ratio * math.exp(log.interval[1]))
    about["degrees"] = degrees
    return Estimate(ratio, ratio * log.standard_error, ends, method=label, **about)


class LineTest(NamedTuple):
    """A test of a fitted line, and of its parts alone.

    Attributes
    ----------
    statistic : float
        The likelihood ratio, or Wald's divided by what makes it an F.
    degrees : float or pair of floats
        Degrees of freedom, of the denominator too if the statistic is an F.
    p_value : float
        Of both coefficients together, or of the only one.
    in_the_large, slope : float
        The p-value of the intercept with the slope held at 1, and of the slope; NaN without a
        slope.
    """

    statistic: float
    degrees: float | tuple[float, float]
    p_value: float
    in_the_large: float
    slope: float


def shift(odds: Column) -> tuple[Column, Column]:
    """Return the column of an intercept beside a slope of 1."""
    return np.ones((len(odds), 1)), odds


def line(odds: Column) -> tuple[Column, Column]:
    """Return the columns of an intercept and a slope."""
    return np.stack([np.ones(len(odds)), odds]).T, np.zeros(len(odds))


class CalibrationLine(NamedTuple):
    """A shift of the log odds, a line of them, and tests whether either is needed."""

    in_the_large: Estimate
    intercept: Estimate
    slope: Estimate
    tests: dict[str, float]
    test_method: str


def find_line(subject: Subject, level: float) -> CalibrationLine:
    """Fit a shift and a line to the log odds of the forecasts other than 0 and 1."""
    subject = subject.with_log_odds()
    if subject.certain:
        unknown = _unknown(subject, level)
        return CalibrationLine(unknown, unknown, unknown, UNTESTED, "none")
    shifted, free = (_coefficients(subject, columns) for columns in (shift, line))
    large, intercept, slope = (
        subject.estimate(float(result.value[i]), result.at(i), level, _method(subject, result))
        for result, i in ((shifted, 0), (free, 0), (free, 1))
    )
    result = _against_diagonal(subject, shifted, free)
    if result is None:
        return CalibrationLine(large, intercept, slope, _score_tests(subject, shifted), "score")
    joint_wald = wald(free.value - (0, 1), free.spread)[2]
    p = (result.p_value, result.in_the_large, result.slope, joint_wald)
    label = "likelihood ratio" if subject.design is None else "Wald, sandwich"
    return CalibrationLine(large, intercept, slope, dict(zip(UNTESTED, p, strict=True)), label)


def find_slope(subject: Subject, level: float) -> Estimate:
    """Fit a line to the log odds of the forecasts other than 0 and 1, for its slope alone."""
    subject = subject.with_log_odds()
    if subject.certain:
        return _unknown(subject, level)
    free = _coefficients(subject, line)
    return subject.estimate(float(free.value[1]), free.at(1), level, _method(subject, free))


def _unknown(subject: Subject, level: float) -> Estimate:
    method = "none: forecasts of exactly 0 or 1 have no log odds"
    return Estimate(math.nan, math.nan, UNKNOWN, level, math.nan, method, **subject.about)


class LineEstimates(NamedTuple):
    """Fitted coefficients and their covariance."""

    value: Column
    spread: Spread
    fitted: Fitted

    def at(self, i: int) -> Spread:
        """Return the spread of one of them."""
        return Spread(self.spread.covariance[i : i + 1, i : i + 1], self.spread.degrees)


def _coefficients(subject: Subject, columns: Columns) -> LineEstimates:
    """Fit, and say how far off the coefficients may be."""
    from scipy.special import expit

    sample, odds = subject.sample, logit(subject.sample.value)
    fitted = fit_columns(columns, odds, sample.events, sample.weight)
    value, size = _ends(fitted, sample), len(fitted.coefficients)
    if not (np.isfinite(value).all() and np.isfinite(fitted.information_inverse).all()):
        return LineEstimates(value, Spread(np.full((size, size), np.nan), np.nan), fitted)
    if not _is_robust(subject, size):
        return LineEstimates(value, Spread(fitted.information_inverse, np.inf), fitted)
    Z, offset = columns(odds)
    mean = expit(offset + Z @ value)
    turn = fitted.information_inverse @ Z.T
    return LineEstimates(value, subject.spread(turn * (1 - mean), turn * -mean), fitted)


def _is_robust(subject: Subject, size: int) -> bool:
    """Return whether the sandwich is needed: a shift alone is wrong where the slope is not 1."""
    return subject.design is not None or size == 1


def _method(subject: Subject, coefficients: LineEstimates) -> str:
    if coefficients.fitted.separated:
        return "none: some forecast tells events from others without error"
    if not np.isfinite(coefficients.value).all():
        return "none: all forecasts are alike"
    is_robust = _is_robust(subject, len(coefficients.value))
    return "Wald, sandwich" if is_robust else "Wald, information"


def _ends(fitted: Fitted, sample: ForecastSample) -> Column:
    """Return coefficients, or what is known of them where the outcomes separate.

    A slope without end takes any intercept along; where all outcomes are alike there is no slope.
    """
    if not fitted.separated or len(fitted.coefficients) == 1:
        return fitted.coefficients
    alike = sample.events.sum() in (0, sample.weight.sum())
    return np.array([np.nan, np.nan if alike else fitted.coefficients[1]])


def line_test(subject: Subject, *, joint: bool) -> LineTest | None:
    """Compare a fitted line, or a shift alone, with the diagonal; None if none fits best."""
    subject = subject.with_log_odds()
    shifted = _coefficients(subject, shift)
    return _against_diagonal(subject, shifted, _coefficients(subject, line) if joint else None)


def _against_diagonal(
    subject: Subject, shifted: LineEstimates, free: LineEstimates | None
) -> LineTest | None:
    """Compare likelihoods of counts; of a design, coefficients with 0 and 1 by their covariance.

    A p-value is NaN if the coefficients, or some line through them, did not vary.
    """
    if not np.ptp(logit(subject.sample.value)) > 0:
        free = None
    fits = [x.fitted for x in (shifted, free) if x is not None]
    if any(fitted.separated for fitted in fits):
        return None
    if subject.design is None:
        return _by_likelihood(subject.sample, *fits)
    if not all(np.isfinite(fitted.information_inverse).all() for fitted in fits):
        return None
    large = wald(shifted.value, shifted.spread)
    if free is None:
        return LineTest(*large, large[2], math.nan)
    away = free.value - (0.0, 1.0)
    return LineTest(*wald(away, free.spread), large[2], wald(away[1:], free.at(1))[2])


def _by_likelihood(sample: ForecastSample, shifted: Fitted, free: Fitted | None = None) -> LineTest:
    """Compare the likelihood of a fitted line with that of the diagonal."""
    from scipy.special import chdtrc

    price = mean_loss(sample.value, sample.weight, sample.events, Log())
    likelihood = -float(sample.weight.sum()) * price
    large = max(2 * (shifted.log_likelihood - likelihood), 0.0)
    p_large = float(chdtrc(1, large))
    if free is None:
        return LineTest(large, 1.0, p_large, p_large, math.nan)
    slope = max(2 * (free.log_likelihood - shifted.log_likelihood), 0.0)
    both = large + slope
    return LineTest(both, 2.0, float(chdtrc(2, both)), p_large, float(chdtrc(1, slope)))


def wald(away: Column, spread: Spread) -> tuple[float, tuple[float, float], float]:
    """Return the F statistic of coefficients, its degrees of freedom and its p-value."""
    from scipy.special import chdtrc, fdtrc

    size = len(away)
    degrees = (float(size), float(spread.degrees) - size + 1)
    if not degrees[1] > 0 or not _varies_all_ways(spread):
        return math.nan, degrees, math.nan
    distance = float(away @ np.linalg.pinv(spread.covariance, hermitian=True) @ away)
    if math.isinf(spread.degrees):
        return distance / size, degrees, float(chdtrc(size, distance))
    statistic = distance / size * degrees[1] / spread.degrees
    return statistic, degrees, float(fdtrc(*degrees, statistic))


def _varies_all_ways(spread: Spread) -> bool:
    """Tell whether no estimate, nor any sum of them, is known without error."""
    error = spread.errors
    if not ((error > 0) & np.isfinite(error)).all():
        return False
    correlation = spread.covariance / error / error[:, None]
    return bool(np.linalg.eigvalsh(correlation)[0] > ALIKE)


def score_over_time(
    p: Column, happened: Column, design: Design
) -> tuple[float, tuple[float, float], float]:
    """Return the F statistic of the score test of cases with times, its degrees and its p-value.

    The covariance of the score is that which the design leaves. Certain forecasts add nothing;
    without any others there is nothing to test.
    """
    used, influence = score_rows(p, happened, design.weight)
    if not used.any():
        return 0.0, (0.0, 0.0), 1.0
    return wald(influence.sum(axis=1), covariance(influence, design))


def _score_tests(subject: Subject, shifted: LineEstimates) -> dict[str, float]:
    """Test without a fit, which the outcomes do not have: Rao's tests."""
    from scipy.special import chdtrc

    result = dict(UNTESTED)
    if subject.design is None:
        axes = score_axes(subject.sample)
        excess = subject.sample.excess
        result["joint"] = float(chdtrc(len(axes), score_statistic(axes, excess)))
        result["in_the_large"] = float(chdtrc(1, score_statistic(axes[:1], excess)))
        result["slope"] = _slope_score(subject.sample, float(shifted.value[0]))
    else:
        design, p = subject.design, subject.sample.value[subject.row]
        happened = np.asarray(subject.happened)
        if design.time is not None:
            result["joint"] = score_over_time(p, happened, design)[2]
        elif design.stratum is None:
            cluster = np.arange(len(p)) if design.cluster is None else design.cluster
            result["joint"] = clustered_score(p, happened, design.weight, cluster).p_value
        large = _against_diagonal(subject, shifted, None)
        result["in_the_large"] = math.nan if large is None else large.p_value
    return result


def _slope_score(sample: ForecastSample, shift: float) -> float:
    """Test whether the slope is 1 beside the fitted shift."""
    from scipy.special import chdtrc, expit

    if not math.isfinite(shift) or len(sample.value) < 2:
        return math.nan
    odds = logit(sample.value)
    mean = expit(shift + odds)
    # Not 1 - mean, which is 0 next to 1.
    spread = sample.weight * mean * expit(-shift - odds)
    if not spread.sum() > 0:
        return math.nan
    away = odds - odds @ spread / spread.sum()
    excess, square = away @ (sample.events - sample.weight * mean), spread @ away**2
    return float(chdtrc(1, excess**2 / square)) if square > 0 else math.nan
