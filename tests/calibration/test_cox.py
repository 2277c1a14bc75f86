"""Cox's tests: likelihood ratios, and coefficients of weighted cases and of clusters."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy.stats import chi2, f

import properly
from properly.calibration._event_tests import by_likelihood, by_sandwich
from properly.calibration._statistics import Sample
from properly.inference._design import Design


def drawn(n: int, seed: int, **known: Any) -> properly.Cases:
    rng = np.random.default_rng(seed)
    p = np.round(rng.uniform(0.05, 0.95, n), 2)
    return properly.Cases((rng.random(n) < p).astype(int), p, **known)


def likelihood(cases: properly.Cases, *, joint: bool = True) -> Any:
    return by_likelihood(Sample.of(cases.tally()), joint=joint)


def sandwich(cases: properly.Cases, *, joint: bool = True) -> Any:
    y = np.asarray(cases.y, dtype=float)
    return by_sandwich(np.asarray(cases.p), y, Design.of(cases), joint=joint)


def numbers(line: Any) -> list[float]:
    return [line.statistic, line.p_value, line.in_the_large, line.slope]


def test_a_shift_of_one_forecast_by_hand() -> None:
    # 18 of 50 where 10 were expected.
    t = properly.Tally.from_counts([0.2], [50], [18])
    ratio = 2 * (18 * math.log(0.36 / 0.2) + 32 * math.log(0.64 / 0.8))
    for joint in (True, False):
        found = by_likelihood(Sample.of(t), joint=joint)
        assert found is not None
        assert found.statistic == pytest.approx(ratio, rel=1e-12)
        assert found.degrees == 1
        assert found.p_value == found.in_the_large == pytest.approx(chi2.sf(ratio, 1), rel=1e-11)
        assert math.isnan(found.slope)


def test_two_forecasts_are_fitted_exactly() -> None:
    # Two coefficients for two event rates: the likelihood is that of the rates themselves.
    t = properly.Tally.from_counts([0.2, 0.7], [50, 40], [18, 25])
    ratio = 2 * (18 * math.log(0.36 / 0.2) + 32 * math.log(0.64 / 0.8))
    ratio += 2 * (25 * math.log(0.625 / 0.7) + 15 * math.log(0.375 / 0.3))
    found = by_likelihood(Sample.of(t), joint=True)
    assert found is not None
    assert found.statistic == pytest.approx(ratio, rel=1e-11)
    assert found.degrees == 2
    assert found.p_value == pytest.approx(chi2.sf(ratio, 2), rel=1e-10)


def test_the_ratios_of_level_and_slope_add_up() -> None:
    found = likelihood(drawn(120, 1))
    level = likelihood(drawn(120, 1), joint=False)
    assert found.in_the_large == level.p_value
    parts = chi2.isf(found.in_the_large, 1) + chi2.isf(found.slope, 1)
    assert parts == pytest.approx(found.statistic, rel=1e-8)


def test_the_sandwich_of_one_forecast_by_hand() -> None:
    # The intercept moves the rate r: its error is that of a mean, over r (1 - r).
    weight = np.array([1.0, 2.0, 1.5, 0.5, 1.0, 3.0])
    cases = properly.Cases([1, 0, 1, 0, 0, 1], np.full(6, 0.3), weight=weight)
    y = np.array([1, 0, 1, 0, 0, 1.0])
    rate = weight @ y / weight.sum()
    error = math.sqrt(6 / 5 * ((weight * (y - rate)) ** 2).sum()) / weight.sum()
    shift = math.log(rate / (1 - rate)) - math.log(0.3 / 0.7)
    expected = (shift * rate * (1 - rate) / error) ** 2
    found = sandwich(cases)
    assert found.statistic == pytest.approx(expected, rel=1e-11)
    assert found.degrees == (1, 5)
    assert found.p_value == pytest.approx(f.sf(expected, 1, 5), rel=1e-10)


def test_clusters_of_one_are_cases() -> None:
    alone = sandwich(drawn(80, 2, clusters=np.arange(80)))
    assert numbers(alone) == pytest.approx(numbers(sandwich(drawn(80, 2))), rel=1e-11)
    assert alone.degrees == (2, 78)


def test_degrees_of_freedom_are_those_of_clusters() -> None:
    found = sandwich(drawn(80, 2, clusters=np.arange(80) // 8))
    assert found.degrees == (2, 8)
    assert found.p_value == pytest.approx(f.sf(found.statistic, 2, 8), rel=1e-11)
    strata = sandwich(drawn(80, 2, clusters=np.arange(80) // 8, strata=np.arange(80) // 40))
    assert strata.degrees == (2, 7)
    two = sandwich(drawn(80, 2, clusters=np.arange(80) // 40))
    assert math.isnan(two.p_value)
    assert two.degrees == (2, 0)
    assert 0 < two.in_the_large < 1


def test_scaling_weights_changes_nothing() -> None:
    weight = np.random.default_rng(3).gamma(1.5, size=80)
    found, ten = (sandwich(drawn(80, 2, weight=w)) for w in (weight, 10 * weight))
    assert numbers(found) == pytest.approx(numbers(ten), rel=1e-9)


def test_robust_and_likelihood_tests_agree_on_many_cases() -> None:
    cases = drawn(20_000, 4)
    ratio, wald = likelihood(cases), sandwich(cases)
    assert 2 * wald.statistic == pytest.approx(ratio.statistic, rel=0.05)
    assert wald.slope == pytest.approx(ratio.slope, rel=0.05)


@pytest.mark.parametrize("y", [[0, 0, 0, 0], [1, 1, 1, 1], [0, 0, 1, 1], [1, 1, 0, 0]])
def test_no_line_is_best_where_data_separate(y: list[int]) -> None:
    cases = properly.Cases(y, [0.1, 0.2, 0.3, 0.4])
    assert likelihood(cases) is None
    assert sandwich(cases) is None
    assert (likelihood(cases, joint=False) is None) == (len(set(y)) == 1)
    assert (sandwich(cases, joint=False) is None) == (len(set(y)) == 1)
