"""Calibration as clinical papers report it."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy.special import expit, logit
from scipy.stats import norm, poisson
from scipy.stats import t as student
from tests.inference_numbers import (
    CLUSTER,
    STRATUM,
    TIME,
    WEIGHT,
    assert_published,
    cases_of,
    tally_of,
)
from tests.score_oracles import corrected

import properly
from properly.calibration import _curve_fits, calibration_summary
from properly.errors import DataWarning
from properly.inference import _cells

ESTIMATES = ("observed_expected", "in_the_large", "intercept", "slope")
ERRORS = ("ici", "e50", "e90", "emax")
FITS: tuple[Any, ...] = ("spline", "isotonic", "lowess")
HALVES = np.linspace(0.05, 0.95, 50)


def few(*rows: Any, **known: Any) -> Any:
    """Summarise cases with so few events that there is a warning."""
    options = {name: known.pop(name) for name in ("fit", "replicates", "level") if name in known}
    with pytest.warns(DataWarning, match="intervals may cover less than their level"):
        return calibration_summary(
            properly.Cases(*rows, **known), rng=1, **{"replicates": 9, **options}
        )


def brief(source: Any, **options: Any) -> Any:
    return calibration_summary(source, **{"replicates": 9, "rng": 1, **options})


def limited(source: Any) -> Any:
    """Summarise cases whose spline goes on to infinity, and says so."""
    said = (
        "the likelihood of the spline has no maximum: distances are from its limit, which is 0 or "
        '1 at some forecasts; fit="isotonic" and fit="loess" have no such limit'
    )
    with pytest.warns(DataWarning) as caught:
        found = brief(source)
    assert str(caught[-1].message) == said
    assert found.curve.endswith(", at its limit")
    return found


# Published numbers


@pytest.mark.parametrize("forecast", ["p1", "p2"])
def test_estimates_and_tests_are_the_published_ones(forecast: str) -> None:
    found = brief(tally_of(forecast))
    ratio = found.observed_expected
    assert_published(f"oe.{forecast}", ratio.value)
    assert_published(f"oe.{forecast}.se_log", ratio.standard_error / ratio.value)
    assert_published(f"oe.{forecast}.lower95", ratio.interval[0])
    assert_published(f"oe.{forecast}.upper95", ratio.interval[1])
    named = {"citl": found.in_the_large, "intercept": found.intercept, "slope": found.slope}
    for name, estimate in named.items():
        assert_published(f"cox.{forecast}.{name}", estimate.value)
        if name == "citl":
            assert (estimate.method, estimate.degrees) == ("Wald, sandwich", 299)
            continue
        assert_published(f"cox.{forecast}.{name}.se", estimate.standard_error)
        half = norm.ppf(0.975) * estimate.standard_error
        ends = (estimate.value - half, estimate.value + half)
        assert estimate.interval == pytest.approx(ends, rel=1e-12)
        assert estimate.method == "Wald, information"
    names = ("lr_joint", "lr_citl", "lr_slope", "wald_joint")
    for name, p in zip(names, found.tests.values(), strict=True):
        assert_published(f"cox.{forecast}.{name}.p", p)
    assert list(found.tests) == ["joint", "in_the_large", "slope", "joint_wald"]
    assert found.test_method == "likelihood ratio"


def test_weighted_coefficients_are_the_published_ones() -> None:
    found = brief(cases_of("p1", weight=WEIGHT))
    assert_published("cox.weighted.p1.intercept", found.intercept.value)
    assert_published("cox.weighted.p1.slope", found.slope.value)
    assert_published("cox.weighted.p1.slope.se", found.slope.standard_error)
    assert found.slope.method == found.test_method == "Wald, sandwich"
    assert found.slope.degrees == 299


# What it depends on


# Designs


def test_every_case_its_own_cluster_is_the_sandwich_of_independent_cases() -> None:
    found = brief(cases_of("p1", clusters=np.arange(300)))
    x, y = np.asarray(cases_of("p1").p, dtype=float), np.asarray(cases_of("p1").y)
    Z = np.column_stack([np.ones(300), logit(x)])
    mean = expit(Z @ (found.intercept.value, found.slope.value))
    inverse = np.linalg.inv(Z.T @ (Z * (mean * (1 - mean))[:, None]))
    left = (y - mean)[:, None] * Z @ inverse
    errors = np.sqrt(300 / 299 * np.diagonal(left.T @ left))
    assert found.intercept.standard_error == pytest.approx(errors[0], rel=1e-8)
    assert found.slope.standard_error == pytest.approx(errors[1], rel=1e-8)
    # The same first order as the information has, but not the same.
    plain = brief(cases_of("p1"))
    assert found.slope.value == pytest.approx(plain.slope.value, rel=1e-9)
    assert found.slope.standard_error != pytest.approx(plain.slope.standard_error, rel=1e-3)


@pytest.mark.parametrize(
    ("known", "degrees", "design"),
    [
        (
            {"clusters": CLUSTER},
            corrected(np.unique(CLUSTER, return_counts=True)[1])[1],
            "30 clusters",
        ),
        ({"clusters": CLUSTER, "strata": STRATUM}, 27, "30 clusters in 3 strata"),
        ({"time": TIME}, 17, "300 times"),
    ],
)
def test_designs_have_intervals_by_students_t(
    known: dict[str, Any], degrees: float, design: str
) -> None:
    found = brief(cases_of("p1", **known))
    slope, ratio = found.slope, found.observed_expected
    quantile = student.ppf(0.975, degrees)
    assert (slope.degrees, ratio.degrees) == pytest.approx((degrees, degrees))
    assert slope.interval[1] - slope.value == pytest.approx(quantile * slope.standard_error)
    ends = ratio.value * np.exp(np.array([-1, 1]) * quantile * ratio.standard_error / ratio.value)
    assert ratio.interval == pytest.approx(tuple(ends))
    away = (slope.value - 1) / slope.standard_error
    assert found.tests["slope"] == pytest.approx(2 * student.sf(abs(away), degrees))
    assert found.tests["joint"] == pytest.approx(found.tests["joint_wald"])
    assert found.design == slope.design == design
    assert found.cases == 300


def test_strata_without_clusters_keep_the_normal_interval_of_the_ratio() -> None:
    found = brief(cases_of("p1", strata=STRATUM))
    assert found.observed_expected.degrees == math.inf
    assert found.slope.degrees == 297
    assert found.slope.method == "Wald, sandwich"


# Where something is undefined


def test_certain_forecasts_are_counted_and_never_moved() -> None:
    cases = cases_of("edge")
    p = np.asarray(cases.p)
    uncertain = (p > 0) & (p < 1)
    found = few(cases.y, cases.p)
    assert found.certain == 12
    assert math.isfinite(found.observed_expected.value)
    # The spline leaves them out; other curves do not.
    rest = few(np.asarray(cases.y)[uncertain], p[uncertain])
    assert found.ici.value == rest.ici.value
    assert found.emax.value == rest.emax.value
    assert (found.measured, found.cases) == (28, 40)
    said = (
        "12 forecasts of exactly 0 or 1 have no log odds: coefficients and distances are of the "
        "other 28 cases"
    )
    assert said in " ".join(str(found).split())
    isotonic = few(cases.y, cases.p, fit="isotonic")
    assert isotonic.measured == 40
    recalibrated = properly.reliability(cases.tally()).recalibrated
    away = np.abs(recalibrated - np.asarray(cases.tally().value))
    assert isotonic.emax.value == pytest.approx(away.max())


HALF = np.arange(120) % 2
DESIGNS: dict[str, dict[str, Any]] = {
    "cases": {},
    "weights": {"weight": 1.0 + HALF},
    "clusters": {"clusters": np.arange(120) // 4},
    "both": {"clusters": np.arange(120) // 4, "weight": 1.0 + HALF},
    "strata": {"strata": HALF},
    "times": {"time": np.arange(120)},
}


@pytest.mark.parametrize("known", DESIGNS.values(), ids=DESIGNS)
def test_slope_and_intercept_are_of_the_forecasts_that_have_log_odds(known: Any) -> None:
    p, u = np.random.default_rng(1).random((2, 120))
    y = u < 0.2 + 0.6 * p
    # The last two are certain: one was right, the other wrong.
    more: Any = {name: np.append(column, column[-2:]) for name, column in known.items()}
    found = brief(properly.Cases(np.append(y, [1, 1]), np.append(p, [1.0, 0.0]), **more))
    rest = brief(properly.Cases(y, p, **known))
    assert (found.certain, found.cases) == (2, 122)
    for name in ESTIMATES[1:]:
        one, other = getattr(found, name), getattr(rest, name)
        assert (one.value, one.cases) == (pytest.approx(other.value, rel=1e-9), 120)
        exact = "time" not in known and "strata" not in known
        assert one.interval == pytest.approx(other.interval, rel=1e-9 if exact else 0.05)
        assert one.method == other.method
    if "time" not in known and "strata" not in known:
        assert found.tests == pytest.approx(rest.tests, rel=1e-9)
    assert found.test_method == rest.test_method


@pytest.mark.parametrize("known", DESIGNS.values(), ids=DESIGNS)
def test_events_with_certain_forecasts_do_not_count_for_a_slope(known: Any) -> None:
    y, p = np.arange(120) % 4 == 0, np.arange(1, 121) / 200
    p[y & (p < 0.4)] = 1.0
    with pytest.warns(DataWarning, match="^with 10 events and "):
        brief(properly.Cases(y, p, **known), fit="isotonic")


def test_certain_forecasts_alone_have_no_spline() -> None:
    found = few([1, 0, 1], [1.0, 0.0, 1.0])
    assert math.isnan(found.ici.value)
    assert math.isnan(found.slope.value)
    assert found.slope.method == "none: forecasts of exactly 0 or 1 have no log odds"
    assert found.curve == "none: all forecasts are 0 or 1"
    assert few([1, 0, 1], [1.0, 0.0, 1.0], fit="isotonic").emax.value == 0
    # Nothing varied, so nothing is known of how much it might.
    assert found.observed_expected.value == 1
    assert all(map(math.isnan, found.observed_expected.interval))


@pytest.mark.parametrize(("sign", "slope"), [(1, math.inf), (-1, -math.inf)])
def test_separated_outcomes_have_an_infinite_slope_and_score_tests(sign: int, slope: float) -> None:
    y = sign * (HALVES - 0.5) > 0
    found = limited(properly.Cases(y, HALVES))
    assert found.slope.value == slope
    assert math.isnan(found.intercept.value)
    assert all(map(math.isnan, found.slope.interval))
    assert math.isfinite(found.in_the_large.standard_error)
    assert found.test_method == "score"
    z, v = np.stack([np.ones(50), logit(HALVES)]), HALVES * (1 - HALVES)
    score = z @ (y - HALVES)
    statistic = score @ np.linalg.solve((z * v) @ z.T, score)
    assert found.tests["joint"] == pytest.approx(math.exp(-statistic / 2))
    assert math.isnan(found.tests["joint_wald"])
    # In the large is exactly right here, so the slope alone is refused.
    assert found.tests["in_the_large"] == pytest.approx(1)
    assert found.tests["slope"] < found.tests["joint"]


def test_separated_outcomes_in_clusters_keep_the_clustered_score_test() -> None:
    clusters = np.arange(50) // 5
    found = limited(properly.Cases(HALVES > 0.5, HALVES, clusters=clusters))
    assert found.slope.value == math.inf
    assert 0 < found.tests["joint"] < 0.1
    assert found.tests["in_the_large"] == pytest.approx(1)
    assert math.isnan(found.tests["slope"])
    weighted = limited(properly.Cases(HALVES > 0.5, HALVES, weight=1 + np.arange(50) % 2))
    assert weighted.slope.value == math.inf
    assert 0 < weighted.tests["joint"] < 1e-3


def test_separated_outcomes_in_time_keep_the_score_test_by_cosines() -> None:
    order = np.random.default_rng(11).permutation(50)
    cases = properly.Cases(HALVES > 0.5, HALVES, time=order)
    found = limited(cases)
    assert found.slope.value == math.inf
    assert found.tests["joint"] == properly.calibration_test(cases).p_value
    assert found.tests["in_the_large"] == pytest.approx(1)
    assert "tests (score): in the large p = 1.000, slope -, joint p" in str(found)


def test_two_clusters_leave_no_degree_of_freedom_for_two_coefficients() -> None:
    with pytest.warns(DataWarning, match="^with 2 clusters, intervals may cover less"):
        found = brief(cases_of("p1", clusters=np.arange(300) % 2))
    assert found.slope.degrees == 1
    assert math.isnan(found.tests["joint"])
    assert math.isnan(found.tests["joint_wald"])
    assert 0 < found.tests["slope"] < 1


def test_without_events_the_ratio_has_the_exact_interval_of_a_poisson_distribution() -> None:
    found = few(np.zeros(50, dtype=int), HALVES, level=0.9)
    ratio = found.observed_expected
    assert ratio.value == ratio.interval[0] == 0
    assert poisson.cdf(0, ratio.interval[1] * HALVES.sum()) == pytest.approx(0.05)
    assert ratio.method == "exact Poisson"
    assert found.in_the_large.value == -math.inf
    assert math.isnan(found.slope.value)
    assert found.ici.value == pytest.approx(HALVES.mean())
    assert found.tests["in_the_large"] < 1e-6
    assert math.isnan(found.tests["slope"])


def test_without_events_clusters_leave_the_ratio_without_an_interval() -> None:
    found = few(np.zeros(50, dtype=int), HALVES, clusters=np.arange(50) // 5)
    ratio = found.observed_expected
    assert ratio.value == 0
    assert all(map(math.isnan, ratio.interval))
    assert ratio.method == "none: no event among weighted or dependent cases"


@pytest.mark.parametrize(("events", "ratio"), [(1, math.inf), (0, math.nan)])
def test_where_no_event_was_expected_the_ratio_is_infinite_or_undefined(
    events: int, ratio: float
) -> None:
    found = few([1] * events + [0] * (9 - events), np.zeros(9)).observed_expected
    assert found.value == pytest.approx(ratio, nan_ok=True)
    assert all(map(math.isnan, found.interval))
    assert found.method == "none: no event was expected"


def test_equal_forecasts_have_no_slope() -> None:
    found = brief(properly.Tally.from_counts([0.3], [100], [40]))
    assert math.isnan(found.slope.value)
    assert found.slope.method == "none: all forecasts are alike"
    assert found.in_the_large.value == pytest.approx(logit(0.4) - logit(0.3))
    assert found.tests["joint"] == found.tests["in_the_large"]
    assert [getattr(found, name).value for name in ERRORS] == pytest.approx([0.1] * 4)


# Distances if calibrated


def test_distances_if_calibrated_are_those_of_binomial_counts() -> None:
    # At one distinct forecast every distance is that of the event rate from it.
    found = calibration_summary(properly.Tally.from_counts([0.3], [50], [20]), rng=8)
    away = np.abs(np.arange(51) / 50 - 0.3)
    share = np.array([math.comb(50, k) * 0.3**k * 0.7 ** (50 - k) for k in range(51)])
    mean = float(away @ share)
    error = math.sqrt((away**2 @ share - mean**2) / 999)
    for name in ERRORS:
        assert abs(getattr(found, name).mean_if_calibrated - mean) <= 4 * error
        above = share[away > getattr(found, name).upper_if_calibrated + 1e-12].sum()
        assert above <= 0.05 + 4 * math.sqrt(0.05 * 0.95 / 999)


@pytest.mark.slow
@pytest.mark.parametrize("fit", FITS)
@pytest.mark.parametrize("known", [{}, {"weight": 1 + np.arange(600) % 3}], ids=["counts", "rows"])
def test_of_very_many_forecasts_random_outcomes_are_counted_in_cells(
    fit: Any, known: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(12)
    p = rng.uniform(0.05, 0.95, 600)
    cases = properly.Cases(rng.random(600) < p, p, **known)
    exact = brief(cases, fit=fit, replicates=199)
    for name, size in (("CELLS", 150), ("ENDS", 30)):
        monkeypatch.setattr(_cells, name, size)
    for name in ("LONG", "FEW"):
        monkeypatch.setattr(_curve_fits, name, 500)
    monkeypatch.setattr(_curve_fits, "SMOOTH", (150, 30))
    monkeypatch.setattr(_curve_fits, "PIECE", 100)
    found = brief(cases, fit=fit, replicates=199)
    assert found.slope == exact.slope
    assert found.curve == exact.curve
    for name in ERRORS:
        one, other = getattr(found, name), getattr(exact, name)
        assert one.value == pytest.approx(other.value, rel=1e-8)
        assert one.mean_if_calibrated != other.mean_if_calibrated
        assert one.mean_if_calibrated == pytest.approx(other.mean_if_calibrated, rel=0.12)
        assert one.upper_if_calibrated == pytest.approx(other.upper_if_calibrated, rel=0.25)
