"""Standard errors, recalibration and tests against statsmodels, which computes them another way.

A mean is the fit of a constant. Its robust covariances there and the variance of influences here
are the same formulas, but for factors of small samples, which are written out below.
"""

from __future__ import annotations

import math
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
import statsmodels.api as sm
from scipy.special import logit
from scipy.stats import chi2, studentized_range
from scipy.stats import t as student
from statsmodels.nonparametric.smoothers_lowess import lowess
from statsmodels.stats.meta_analysis import combine_effects
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.weightstats import ttost_paired

import properly
from properly.inference._multiplicity import holm, max_t_of_pairs
from properly.rules import Bounded, Brier, Log

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from properly.calibration._calibration_summary import CalibrationSummary

    Floats = NDArray[np.float64]

N = 240
RULES = [Brier(), Log(), Bounded(Brier(), (0.1, 0.4))]
rules = pytest.mark.parametrize("rule", RULES, ids=repr)


def draw() -> dict[str, Any]:
    """Draw 240 cases of 36 clusters of different sizes, 60 times, and two models."""
    rng = np.random.default_rng(20240711)
    truth = rng.beta(2, 3, N)
    return {
        "y": (rng.random(N) < truth).astype(int),
        "a": np.clip(truth + rng.normal(0, 0.1, N), 0.02, 0.98).round(3),
        "b": np.clip(truth + rng.normal(0.05, 0.2, N), 0.02, 0.98).round(2),
        "weight": rng.choice([0.5, 1.0, 1.25, 3.0], N),
        "clusters": np.minimum(rng.integers(0, 36, N), rng.integers(0, 36, N)),
        "time": np.arange(N) // 4,
    }


DATA = draw()
Y, A, B, WEIGHT = DATA["y"], DATA["a"], DATA["b"], DATA["weight"]
# Numbered without gaps, as statsmodels wants them.
CLUSTERS = np.unique(DATA["clusters"], return_inverse=True)[1]
G = int(CLUSTERS.max()) + 1
# Within one stratum, clusters of any size have the factor G / (G - 1), as there.
SURVEY: dict[str, Any] = {"clusters": CLUSTERS, "strata": np.zeros(N)}


def losses(rule: Any, p: Floats = A) -> Floats:
    return np.asarray(rule.loss(Y, p))


def constant(loss: Floats, weight: Floats | None = None) -> Any:
    """Return the model of one number for all cases."""
    ones = np.ones(len(loss))
    return sm.OLS(loss, ones) if weight is None else sm.WLS(loss, ones, weights=weight)


def estimate(rule: Any, *, serial: Any = "cosines", **known: Any) -> properly.inference.Estimate:
    return properly.score_interval(properly.Cases(Y, A, **known), rule, serial=serial)


def assert_agrees(found: properly.inference.Estimate, fitted: Any, factor: float = 1.0) -> None:
    assert found.value == pytest.approx(fitted.params[0], rel=1e-12)
    assert found.standard_error == pytest.approx(math.sqrt(factor) * fitted.bse[0], rel=1e-10)


# Standard errors of means


@rules
def test_independent_cases(rule: Any) -> None:
    fitted = constant(losses(rule)).fit()
    found = estimate(rule)
    assert_agrees(found, fitted)
    assert found.interval == pytest.approx(tuple(fitted.conf_int()[0]), rel=1e-10)


@rules
def test_weights_are_those_of_sampling(rule: Any) -> None:
    """HC1 is the sum of squared influences times n / (n - 1), as here."""
    fitted = constant(losses(rule), WEIGHT).fit(cov_type="HC1")
    assert_agrees(estimate(rule, weight=WEIGHT), fitted)


@rules
def test_clusters(rule: Any) -> None:
    """The correction is G / (G - 1) times (n - 1) / (n - 1) for a single coefficient."""
    how = {"groups": CLUSTERS, "use_correction": True}
    fitted = constant(losses(rule)).fit(cov_type="cluster", cov_kwds=how, use_t=True)
    found = estimate(rule, **SURVEY)
    assert_agrees(found, fitted)
    assert found.degrees == G - 1
    assert found.interval == pytest.approx(tuple(fitted.conf_int()[0]), rel=1e-10)


@rules
def test_weighted_clusters(rule: Any) -> None:
    how = {"groups": CLUSTERS, "use_correction": False}
    fitted = constant(losses(rule), WEIGHT).fit(cov_type="cluster", cov_kwds=how)
    assert_agrees(estimate(rule, **SURVEY, weight=WEIGHT), fitted, G / (G - 1))


@rules
def test_series(rule: Any) -> None:
    """Bartlett's weights up to the lag 4 (240 / 100)^(2/9), without a correction."""
    lag = math.floor(4 * 2.4 ** (2 / 9))
    how = {"maxlags": lag, "use_correction": False}
    fitted = constant(losses(rule)).fit(cov_type="HAC", cov_kwds=how)
    assert_agrees(estimate(rule, serial="newey-west", time=np.arange(N)), fitted)


@rules
def test_panels_of_several_cases_a_time(rule: Any) -> None:
    """Losses of a time are added first: the form of Driscoll and Kraay."""
    lag = math.floor(4 * 0.6 ** (2 / 9))
    how = {"time": DATA["time"], "maxlags": lag, "use_correction": False}
    fitted = constant(losses(rule)).fit(cov_type="hac-groupsum", cov_kwds=how)
    assert_agrees(estimate(rule, serial="newey-west", time=DATA["time"]), fitted)


@rules
def test_weighted_series(rule: Any) -> None:
    how = {"maxlags": 4, "use_correction": False}
    fitted = constant(losses(rule), WEIGHT).fit(cov_type="HAC", cov_kwds=how)
    found = estimate(rule, serial="newey-west", time=np.arange(N), weight=WEIGHT)
    assert_agrees(found, fitted)


# Differences of two models


@rules
def test_differences_between_clustered_cases(rule: Any) -> None:
    apart = losses(rule, A) - losses(rule, B)
    how = {"groups": CLUSTERS, "use_correction": True}
    fitted = constant(apart).fit(cov_type="cluster", cov_kwds=how, use_t=True)
    models = {"a": A, "b": B}
    found = properly.compare(Y, models, rule=rule, **SURVEY, method="t", rng=1)["a", "b"]
    assert found.difference == pytest.approx(fitted.params[0], rel=1e-12)
    assert found.standard_error == pytest.approx(fitted.bse[0], rel=1e-10)
    assert found.p_value == pytest.approx(fitted.pvalues[0], rel=1e-9)
    assert found.interval == pytest.approx(tuple(fitted.conf_int()[0]), rel=1e-9)


@rules
@pytest.mark.parametrize("margin", [0.001, 0.01, 0.1])
def test_equivalence(rule: Any, margin: float) -> None:
    expected = ttost_paired(losses(rule, A), losses(rule, B), -margin, margin)[0]
    models = {"a": A, "b": B}
    found = properly.compare(Y, models, rule=rule, margin=margin, method="t", rng=1)["a", "b"]
    assert found.equivalence_p_value == pytest.approx(expected, rel=1e-9)


@pytest.mark.slow
def test_holm() -> None:
    rng = np.random.default_rng(3)
    for size in (1, 2, 5, 20):
        p = rng.random(size) ** 3
        p[-1] = p[0]
        expected = multipletests(p, method="holm")[1]
        np.testing.assert_allclose(holm(p), expected, rtol=1e-14, atol=0)


def test_adjusted_p_values_are_those_of_tukey_for_independent_means() -> None:
    rng = np.random.default_rng(4)
    (first, second), degrees = np.array(list(combinations(range(4), 2))).T, 12.0
    errors, free = np.full(6, math.sqrt(2)), np.full(6, degrees)
    family = max_t_of_pairs(np.eye(4), (first, second), errors, free, rng)
    t = np.array([1.0, 2.5, 3.0, 3.5])
    expected = studentized_range.sf(math.sqrt(2) * t, 4, degrees)
    found = family.adjust(2 * student.sf(t, degrees))
    np.testing.assert_allclose(found[1:], expected[1:], atol=0.004)


def test_the_ratio_of_two_scores_has_the_error_of_a_regression_without_constant() -> None:
    """With the weights 1 / r, the fit of s on r is the ratio of their sums."""
    loss, reference = losses(Brier(), A), losses(Brier(), B)
    found = properly.inference.skill_interval(properly.Cases(Y, A), Brier(), reference=B)
    fitted = sm.WLS(loss, reference, weights=1 / reference).fit(cov_type="HC1")
    assert 1 - found.value == pytest.approx(fitted.params[0], rel=1e-12)
    assert found.standard_error == pytest.approx(fitted.bse[0], rel=1e-10)


# Recalibration


def recalibration(offset: bool = False, **options: Any) -> Any:
    """Return the logistic model of outcomes given the log-odds of the forecasts."""
    terms = np.ones((N, 1)) if offset else np.stack([np.ones(N), logit(A)], axis=1)
    moved = {"offset": logit(A)} if offset else {}
    return sm.GLM(Y, terms, family=sm.families.Binomial(), **moved, **options)


def summary(**known: Any) -> CalibrationSummary:
    return properly.calibration_summary(properly.Cases(Y, A, **known), replicates=1, rng=1)


def check_recalibration(
    found: Any, free: Any, fixed: Any, factor: float, factor_of_shift: float
) -> None:
    for estimate, fitted, place, more in (
        (found.intercept, free, 0, factor),
        (found.slope, free, 1, factor),
        (found.in_the_large, fixed, 0, factor_of_shift),
    ):
        assert estimate.value == pytest.approx(fitted.params[place], rel=1e-8)
        error = math.sqrt(more) * fitted.bse[place]
        assert estimate.standard_error == pytest.approx(error, rel=1e-7)


def test_recalibration_of_independent_cases() -> None:
    free = recalibration().fit(tol=1e-14)
    # The shift alone is wrong where the slope is not 1: its error is the sandwich.
    fixed = recalibration(offset=True).fit(tol=1e-14, cov_type="HC0")
    found = summary()
    check_recalibration(found, free, fixed, 1, N / (N - 1))
    assert found.slope.interval == pytest.approx(tuple(free.conf_int()[1]), rel=1e-7)


def test_recalibration_of_clusters() -> None:
    how = {"groups": CLUSTERS, "use_correction": False}
    free, fixed = (
        recalibration(offset=offset).fit(tol=1e-14, cov_type="cluster", cov_kwds=how)
        for offset in (False, True)
    )
    check_recalibration(summary(**SURVEY), free, fixed, *[G / (G - 1)] * 2)


def test_recalibration_of_weighted_cases() -> None:
    free, fixed = (
        recalibration(offset=offset, var_weights=WEIGHT).fit(tol=1e-14, cov_type="HC0")
        for offset in (False, True)
    )
    check_recalibration(summary(weight=WEIGHT), free, fixed, *[N / (N - 1)] * 2)


def test_likelihood_ratios() -> None:
    free, fixed = recalibration().fit(tol=1e-14), recalibration(offset=True).fit(tol=1e-14)
    asked = float(np.log(np.where(Y == 1, A, 1 - A)).sum())
    cases = properly.Cases(Y, A)
    joint = properly.calibration_test(cases, statistic="cox")
    large = properly.calibration_test(cases, statistic="citl")
    assert joint.statistic == pytest.approx(2 * (free.llf - asked), rel=1e-9)
    assert large.statistic == pytest.approx(2 * (fixed.llf - asked), rel=1e-9)


def test_lowess() -> None:
    order = np.argsort(A, kind="stable")
    smooth = lowess(Y[order], A[order], frac=2 / 3, it=0, delta=0.0, return_sorted=True)
    # Equal forecasts share one value.
    forecasts, first = np.unique(smooth[:, 0], return_index=True)
    away = np.abs(np.interp(A, forecasts, smooth[first, 1]) - A)
    found = properly.calibration_summary(properly.Cases(Y, A), fit="lowess", replicates=1, rng=1)
    assert found.ici.value == pytest.approx(away.mean(), rel=1e-9)
    assert found.e50.value == pytest.approx(float(np.median(away)), rel=1e-9)
    assert found.e90.value == pytest.approx(float(np.quantile(away, 0.9)), rel=1e-9)
    assert found.emax.value == pytest.approx(away.max(), rel=1e-9)


# Groups


def test_groups_are_homogeneous_as_studies_are() -> None:
    groups = CLUSTERS % 4
    table = properly.by_group(properly.Cases(Y, A, groups=groups), Brier(), replicates=1, rng=1)
    score, error = np.asarray(table.score), np.asarray(table.standard_error)
    expected = combine_effects(score, error**2, method_re="dl")
    statistic, degrees, p = table.homogeneity
    assert statistic == pytest.approx(expected.q, rel=1e-10)
    assert degrees == 3
    chance = expected.test_homogeneity().pvalue
    assert chi2.sf(statistic, degrees) == pytest.approx(chance, rel=1e-9)
    assert p > chance  # an F, for the variances are estimates
    between = max(expected.tau2, 0)
    middle = expected.mean_effect_re if between else expected.mean_effect_fe
    shrunk = (between * score + error**2 * middle) / (between + error**2)
    np.testing.assert_allclose(table.shrunk, shrunk, rtol=1e-10)
