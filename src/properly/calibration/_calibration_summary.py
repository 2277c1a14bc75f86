"""Calibration summary, as clinical papers report it: O/E, intercept, slope, ICI."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, get_args

from properly._boundary._options import Drawing, as_drawing, check_choice
from properly._boundary._record import Record
from properly._boundary._text import SMALLEST_P, many, p_text, table
from properly.calibration._curve_fits import AbsoluteError, Fit, find_distances
from properly.calibration._line import UNTESTED, Subject, find_line, observed_expected
from properly.counts._calls import takes_rows
from properly.counts._cases import Cases, has_time
from properly.inference._averages import Estimate, warn_of_clusters, warn_of_outcomes
from properly.inference._cells import in_fine_cells
from properly.inference._dependence import Dependence, measure

if TYPE_CHECKING:
    import numpy as np

    from properly.counts._tally import Tally


# How estimates are told in a table, and what they are of calibrated forecasts.
ESTIMATES = {
    "observed_expected": ("observed / expected", 1),
    "in_the_large": ("calibration in the large", 0),
    "intercept": ("intercept", 0),
    "slope": ("slope", 1),
}
COLUMNS = (
    *("measure", "value", "standard_error", "lower", "upper", "p_value"),
    *("mean_if_calibrated", "upper_if_calibrated"),
)
UNMEASURED = (AbsoluteError(math.nan, math.nan, math.nan),) * 4, "none"
ERRORS = {"ici": "ICI (mean)", "e50": "E50 (median)", "e90": "E90", "emax": "Emax"}


@dataclass(frozen=True, eq=False, repr=False)
class CalibrationSummary(Record):
    """How well forecasts are calibrated, as clinical papers report it.

    Attributes
    ----------
    observed_expected : Estimate
        Events that happened over events that were expected; 1 if right on average.
    in_the_large : Estimate
        By how much all log odds would have to be shifted; 0 if right on average.
    intercept, slope : Estimate
        The line of the log odds that would recalibrate them: 0 and 1. A slope below 1 says that
        forecasts are too extreme. This intercept is not calibration in the large.
    ici, e50, e90, emax : AbsoluteError
        Mean, median, 90 % quantile and maximum of the distances between forecasts and a curve that
        is fitted to what happened.
    tests : dict
        p-values: of ``"joint"``, that the line is the diagonal; of ``"in_the_large"``; of
        ``"slope"``, that it is 1 whatever the intercept. ``"joint_wald"`` is the first by Wald's
        test.
    test_method : str
        ``"likelihood ratio"``; ``"Wald, sandwich"`` with weights, clusters, strata or times;
        ``"score"`` where no line fits best; ``"none"``.
    fit, curve : str
        The kind of curve that was asked for, and what was fitted, in words.
    mean_forecast, event_rate : float
        Means over all cases.
    cases, events, certain, measured : int
        How many there are, had the event, had forecasts of exactly 0 or 1, and are in the
        distances: coefficients, their tests and a spline are of those that are not certain.
    design : str
        How cases were taken to be sampled.
    level : float
        How sure intervals are, and calibrated forecasts to stay below the upper points.
    replicates : int
        Random draws.
    dependence : Dependence or None
        Of cases with times, how much they depend on one another, as in `CalibrationTest`.

    Examples
    --------
    >>> import properly
    >>> t = properly.Tally.from_counts([0.2, 0.5, 0.8], [90, 70, 40], [15, 38, 33])
    >>> found = properly.calibration_summary(t, rng=1)
    >>> found
    CalibrationSummary(observed / expected 1.012, slope 1.17, ICI 0.035; 86 events in 200)
    >>> print(found.slope)
    1.17 (95 % interval 0.823 to 1.518; 200 independent cases)
    >>> round(found.tests["joint"], 3)
    0.607
    """

    observed_expected: Estimate
    in_the_large: Estimate
    intercept: Estimate
    slope: Estimate
    ici: AbsoluteError
    e50: AbsoluteError
    e90: AbsoluteError
    emax: AbsoluteError
    tests: dict[str, float]
    test_method: str
    fit: str
    curve: str
    mean_forecast: float
    event_rate: float
    cases: int
    events: int
    certain: int
    measured: int
    design: str
    level: float
    replicates: int
    dependence: Dependence | None = None

    _optional: ClassVar = ("dependence",)

    def __repr__(self) -> str:
        ratio, slope = self.observed_expected.value, self.slope.value
        text = f"observed / expected {ratio:.4g}, slope {slope:.4g}, ICI {self.ici.value:.4g}"
        return f"CalibrationSummary({text}; {many(self.events, 'event')} in {self.cases:,})"

    def __str__(self) -> str:
        """Lay out a table as papers print it, and below it what was done."""
        sure = f"{100 * self.level:g} %"
        lines: list[tuple[str, ...]] = [("", "estimate", f"{sure} interval", "if calibrated")]
        for name, (label, ideal) in ESTIMATES.items():
            x = getattr(self, name)
            lines.append((label, _number(x.value, 3), _interval(x.interval), str(ideal)))
        lines += [("",) * 4, ("", "distance", "mean if calibrated", f"{sure} below")]
        for name, label in ERRORS.items():
            x = getattr(self, name)
            numbers = (x.value, x.mean_if_calibrated, x.upper_if_calibrated)
            lines.append((label, *(_number(number, 4) for number in numbers)))
        head, *rows = lines
        shown = table(head, rows)
        width = max(map(len, shown.splitlines()))
        notes = (textwrap.fill(note, width, break_on_hyphens=False) for note in self._notes())
        return "\n".join([shown, "", *notes])

    def _notes(self) -> Iterator[str]:
        """Say what was judged, and how."""
        cases = "" if "independent" in self.design else f"{many(self.cases, 'case')} of "
        rates = f"event rate {self.event_rate:.4f}, mean forecast {self.mean_forecast:.4f}"
        yield f"{many(self.events, 'event')} in {cases}{self.design}; {rates}"
        if self.test_method != "none":
            names = ("in_the_large", "slope", "joint")
            p = [f"{name.replace('_', ' ')} {_p_value(self.tests[name])}" for name in names]
            yield f"tests ({self.test_method}): {', '.join(p)}"
        drawn = f"from {many(self.replicates, 'draw')} of independent outcomes"
        if self.dependence is not None:
            yield self.dependence.text
            drawn = f"from {self.replicates:,} {self.dependence.draws}"
            if self.dependence.is_too_long:
                drawn = "unknown, since dependence is too long"
        yield f"distances from: {self.curve}; if calibrated: {drawn}"
        if self.certain:
            have = "has" if self.certain == 1 else "have"
            apart = "coefficients" + " and distances" * (self.measured < self.cases)
            others = many(self.cases - self.certain, "case")
            yield (
                f"{many(self.certain, 'forecast')} of exactly 0 or 1 {have} no log odds: "
                f"{apart} are of the other {others}"
            )

    def _columns(self) -> dict[str, list[Any]]:
        rows = [*_rows(self)]
        return {name: [row.get(name) for row in rows] for name in COLUMNS}


def _rows(part: CalibrationSummary) -> Iterator[dict[str, Any]]:
    for name in ESTIMATES:
        x = getattr(part, name)
        ends = {"lower": x.interval[0], "upper": x.interval[1], "p_value": part.tests.get(name)}
        yield {"measure": name, "value": x.value, "standard_error": x.standard_error} | ends
    for name in ERRORS:
        yield {"measure": name} | vars(getattr(part, name))


def _number(x: float, digits: int) -> str:
    # Adding 0 makes 0 of what would be written as -0.
    return "-" if math.isnan(x) else f"{round(x, digits) + 0.0:.{digits}f}"


def _interval(ends: tuple[float, float]) -> str:
    lower, upper = ends
    return "-" if math.isnan(lower) else f"{_number(lower, 3)} to {_number(upper, 3)}"


def _p_value(p: float) -> str:
    if math.isnan(p):
        return "-"
    return p_text(p) if p < SMALLEST_P else f"p = {p:.3f}"


@takes_rows
def calibration_summary(
    cases: Tally | Cases,
    *,
    fit: Fit = "spline",
    level: float = 0.95,
    replicates: int = 999,
    rng: int | np.random.Generator | None = None,
) -> CalibrationSummary:
    r"""Summarise calibration as clinical papers report it.

    With :math:`v = \operatorname{logit} p` the log odds of a forecast,

    - observed over expected events, :math:`\sum w y / \sum w p`;
    - calibration in the large, the :math:`a` of
      :math:`\operatorname{logit} P(y = 1) = a + v`;
    - intercept and slope, :math:`\operatorname{logit} P(y = 1) = a + b v`;
    - ICI, E50, E90 and Emax, the mean, the median, the 90 % quantile and the maximum of
      :math:`|g(p) - p|` over the cases, where :math:`g` is a curve fitted to what happened.

    Parameters
    ----------
    cases : Tally or Cases
        The forecasts and what happened. `Cases` say how they were sampled: weights, of which only
        the ratios matter, clusters, strata, time. A tally is one of independent cases, and holds
        counts.
    fit : {"spline", "isotonic", "lowess", "loess"}
        The curve. A logistic regression on a restricted cubic spline of the log odds, with knots at
        the 5, 27.5, 50, 72.5 and 95 % quantiles, or at the 10, 50 and 90 % ones where these are not
        five; the best increasing curve; or local lines in windows of two thirds of the cases, or
        parabolas in windows of three quarters, with tricube weights and no steps to make them
        robust. `properly.calibration.calibration_curve` returns all of these but the second.
    level : float
        How sure to be.
    replicates : int
        Random draws, to say what the distances are of calibrated forecasts.
    rng : int or numpy Generator, optional
        Seed or source of the randomness; without it, every call draws anew.

    Returns
    -------
    CalibrationSummary

    Notes
    -----
    **Intervals.** Those of the coefficients are Wald's. Intercept and slope have the information
    if cases are independent and of equal weight; else, and for calibration in the large always,
    since it holds the slope at 1, the influences :math:`w_i I^{-1} z_i (y_i - \mu_i)` and the
    design (sandwich) with Student's t. That of
    observed over expected is one of the logarithm, with the influences
    :math:`w_i (y_i / O - p_i / E)`. If there was no event it reaches from 0 to
    :math:`-\log((1 - \text{level}) / 2) / E`, the exact one of a Poisson distribution; if none was
    expected, the ratio is infinite, or NaN if none happened, and has no interval.

    **Tests** are likelihood-ratio tests of calibrated forecasts, or Wald's where there is a design.
    If some forecast tells all events from all others the slope is infinite, no likelihood is
    largest, and score tests take their place.

    **Distances** are absolute values, and so are never 0, not even of calibrated forecasts: read
    them beside what calibrated ones have. These are draws of independent outcomes, each with the
    probability of its forecast, so with clusters they say too little. Of cases with times they
    depend on one another, as in `properly.calibration_test`. An interval by
    resampling would be wrong near calibration, and there is none. Quantiles are those of type 7, or
    of the weighted distribution. A distance is tied to no decision; miscalibration, of
    `properly.decompose`, is.

    **Certain forecasts**, of exactly 0 or 1, have no log odds. Calibration in the large, intercept,
    slope, their tests and the spline are of the other cases; NaN if there are none. Observed over
    expected events is of all cases. Nothing is ever moved away from 0 or 1, and a certain forecast
    that was wrong does not show in a slope: `properly.calibration_test` counts it.

    **Many forecasts.** The drawn outcomes, and nothing else, are counted in cells, with single
    forecasts at either end: for a spline, more than 2,048 distinct forecasts in some 600 cells; for
    other curves, more than 8,192 in some 1,300. In the same draws that changed the mean distances
    of splines by 0.3 % at most.

    The cost of lowess and loess grows with the square of the number of distinct forecasts; a tally
    with ``cells=1000`` groups them.

    References
    ----------
    .. [1] D. R. Cox (1958). Two further applications of a model for binary regression. Biometrika
       45:562-565. `doi:10.1093/biomet/45.3-4.562 <https://doi.org/10.1093/biomet/45.3-4.562>`__
    .. [2] P. C. Austin, E. W. Steyerberg (2019). The Integrated Calibration Index (ICI) and related
       metrics for quantifying the calibration of logistic regression models. Statistics in Medicine
       38:4051-4065. `doi:10.1002/sim.8281 <https://doi.org/10.1002/sim.8281>`__

    Examples
    --------
    >>> import properly
    >>> crash = properly.datasets.crash()
    >>> cases = properly.Cases(
    ...     crash.died, crash.forecasts["balanced_boosting"], clusters=crash.cluster
    ... )
    >>> print(properly.calibration_summary(cases, replicates=99, rng=1))
                              estimate       95 % interval  if calibrated
    observed / expected          0.177      0.161 to 0.195              1
    calibration in the large    -2.719    -2.835 to -2.602              0
    intercept                   -2.704    -2.833 to -2.576              0
    slope                        0.978      0.889 to 1.067              1
    <BLANKLINE>
                              distance  mean if calibrated     95 % below
    ICI (mean)                  0.1940              0.0055         0.0096
    E50 (median)                0.0990              0.0041         0.0069
    E90                         0.5513              0.0131         0.0220
    Emax                        0.5954              0.0155         0.0255
    <BLANKLINE>
    371 events in 8,879 cases of 4,973 clusters; event rate 0.0418, mean
    forecast 0.2358
    tests (Wald, sandwich): in the large p < 0.001, slope p = 0.625,
    joint p < 0.001
    distances from: restricted cubic spline of the log odds with 5 knots;
    if calibrated: from 99 draws of independent outcomes
    """
    check_choice(fit, get_args(Fit), "fit")
    return summarize(cases, as_drawing(level, replicates, rng), fit)


def summarize(cases: Tally | Cases, drawing: Drawing, fit: Fit | None) -> CalibrationSummary:
    """Summarise calibration, with distances if a curve is named, compared if there are draws."""
    subject = Subject.of(in_fine_cells(cases))
    warn_of_outcomes(*subject.with_log_odds().outcomes)
    if subject.design is not None:
        warn_of_clusters(subject.design)
    dependence = measure(cases) if has_time(cases) else None
    known = dependence is None or not dependence.warn()
    line = find_line(subject, drawing.level)
    errors, curve = UNMEASURED
    if fit is not None:
        compared = known and drawing.replicates > 0
        errors, curve = find_distances(subject, fit, drawing, compared=compared)
    sample = subject.sample
    total = float(sample.weight.sum())
    return CalibrationSummary(
        observed_expected(subject, drawing.level),
        *line[:3],
        *errors,
        tests=line.tests if known else UNTESTED,
        test_method=line.test_method if known else "none",
        fit=fit or "none",
        curve=curve,
        mean_forecast=float(sample.weight @ sample.value) / total,
        event_rate=float(sample.events.sum()) / total,
        cases=subject.about["cases"],
        events=subject.events,
        certain=subject.certain,
        measured=subject.about["cases"] - (subject.certain if fit == "spline" else 0),
        design=subject.about["design"],
        level=drawing.level,
        replicates=drawing.replicates,
        dependence=dependence,
    )
