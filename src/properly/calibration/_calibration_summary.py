"""How well forecasts are calibrated, as clinical papers report it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias, get_args, overload

from properly._boundary._options import as_drawing, check_choice
from properly.calibration._calibration_distances import AbsoluteError, find_distances
from properly.calibration._calibration_fits import Fit
from properly.calibration._calibration_table import CalibrationSummary, ClassCalibrationSummary
from properly.calibration._line import Subject, find_line, observed_expected
from properly.counts._cases import has_classes, require_classes
from properly.counts._reductions import cumulative, one_vs_rest
from properly.errors import DataError
from properly.inference._means import warn_of_clusters, warn_of_few

if TYPE_CHECKING:
    import numpy as np

    from properly._boundary._options import Drawing
    from properly.counts._cases import Cases
    from properly.counts._tally import Tally

__all__ = ["AbsoluteError", "CalibrationSummary", "ClassCalibrationSummary", "calibration_summary"]

Reduction: TypeAlias = Literal["one_vs_rest", "cumulative"]
REDUCTIONS = {"one_vs_rest": one_vs_rest, "cumulative": cumulative}


@overload
def calibration_summary(
    cases: Tally | Cases,
    *,
    fit: Fit = ...,
    reduction: None = ...,
    level: float = ...,
    replicates: int = ...,
    rng: int | np.random.Generator | None = ...,
) -> CalibrationSummary: ...
@overload
def calibration_summary(
    cases: Tally | Cases,
    *,
    fit: Fit = ...,
    reduction: Reduction,
    level: float = ...,
    replicates: int = ...,
    rng: int | np.random.Generator | None = ...,
) -> ClassCalibrationSummary: ...
def calibration_summary(
    cases: Tally | Cases,
    *,
    fit: Fit = "spline",
    reduction: Reduction | None = None,
    level: float = 0.95,
    replicates: int = 999,
    rng: int | np.random.Generator | None = None,
) -> CalibrationSummary | ClassCalibrationSummary:
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
    fit : {"spline", "isotonic", "lowess"}
        The curve. A logistic regression on a restricted cubic spline of the log odds, with knots at
        the 5, 27.5, 50, 72.5 and 95 % quantiles, or at the 10, 50 and 90 % ones where these are not
        five; the best increasing curve; or local lines in windows of two thirds of the cases, with
        tricube weights and no steps to make it robust.
    reduction : {"one_vs_rest", "cumulative"}, optional
        Which questions to ask of classes.
    level : float
        How sure to be.
    replicates : int
        Random draws, to say what the distances are of calibrated forecasts.
    rng : int or numpy Generator, optional
        Seed or source of the randomness; without it, every call draws anew.

    Returns
    -------
    CalibrationSummary or ClassCalibrationSummary
        The latter with a `reduction`.

    Notes
    -----
    **Intervals.** Those of the coefficients are Wald's, from the information if cases are
    independent and of equal weight; else from the influences
    :math:`w_i I^{-1} z_i (y_i - \mu_i)` and the design (sandwich), with Student's t. That of
    observed over expected is one of the logarithm, with the influences
    :math:`w_i (y_i / O - p_i / E)`. If there was no event it reaches from 0 to
    :math:`-\log((1 - \text{level}) / 2) / E`, the exact one of a Poisson distribution; if none was
    expected, the ratio is infinite, or NaN if none happened, and has no interval.

    **Tests** are likelihood-ratio tests, or Wald's where there is a design. If some forecast tells
    all events from all others the slope is infinite, no likelihood is largest, and score tests take
    their place.

    **Distances** are absolute values, and so are never 0, not even of calibrated forecasts: read
    them beside what calibrated ones have. These are draws of independent outcomes, each with the
    probability of its forecast, so with clusters or times they say too little. An interval by
    resampling would be wrong near calibration, and there is none. Quantiles are those of type 7, or
    of the weighted distribution. A distance is tied to no decision; miscalibration, of
    `properly.decompose`, is.

    **Certain forecasts**, of exactly 0 or 1, have no log odds. If there are any, calibration in the
    large, intercept, slope and their tests are NaN, and the spline is fitted and measured without
    these cases. Nothing is ever moved away from 0 or 1.

    **Many forecasts.** Of more than 32,768 distinct forecasts the drawn outcomes, and nothing else,
    are counted in 16,384 cells of about as many cases each, and 2,048 forecasts at either end one
    by one. With 100,000 and with a million forecasts that changed the mean distances of splines by
    at most 0.02 %, and those of increasing curves by at most 0.5 %.

    The cost of lowess grows with the square of the number of distinct forecasts; a tally with
    ``cells=1000`` groups them.

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
    ICI (mean)                  0.1940              0.0055         0.0093
    E50 (median)                0.0990              0.0041         0.0070
    E90                         0.5513              0.0130         0.0241
    Emax                        0.5954              0.0154         0.0265
    <BLANKLINE>
    371 events in 8,879 cases of 4,973 clusters; event rate 0.0418, mean
    forecast 0.2358
    tests (Wald, sandwich): in the large p < 0.001, slope p = 0.625,
    joint p < 0.001
    distances from: restricted cubic spline of the log odds with 5 knots;
    if calibrated: from 99 draws of independent outcomes
    """
    check_choice(fit, get_args(Fit), "fit")
    drawing = as_drawing(level, replicates, rng)
    if reduction is not None:
        check_choice(reduction, get_args(Reduction), "reduction")
        questions = REDUCTIONS[reduction](require_classes(cases))
        parts = {name: _summarise(part, fit, drawing) for name, part in questions.items()}
        return ClassCalibrationSummary(reduction, parts)
    if has_classes(cases):
        message = (
            "a calibration summary is one of an event, or needs a reduction of classes to "
            f"events; these cases have {cases.classes} classes"
        )
        raise DataError(message, hint="write reduction='one_vs_rest' or reduction='cumulative'.")
    return _summarise(cases, fit, drawing)


def _summarise(cases: Tally | Cases, fit: Fit, drawing: Drawing) -> CalibrationSummary:
    subject = Subject.of(cases)
    warn_of_few(cases)
    if subject.design is not None:
        warn_of_clusters(subject.design)
    line = find_line(subject, drawing.level)
    found = find_distances(subject, fit, drawing)
    sample = subject.sample
    total = float(sample.weight.sum())
    return CalibrationSummary(
        observed_expected(subject, drawing.level),
        *line[:3],
        *found[:4],
        tests=line.tests,
        test_method=line.test_method,
        fit=fit,
        curve=found.curve,
        mean_forecast=float(sample.weight @ sample.value) / total,
        event_rate=float(sample.events.sum()) / total,
        cases=subject.about["cases"],
        events=subject.events,
        certain=subject.certain,
        design=subject.about["design"],
        level=drawing.level,
        replicates=drawing.replicates,
    )
