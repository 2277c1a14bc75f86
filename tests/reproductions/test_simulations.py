"""Simulated forecasts against their exact distributions.

Seeds are fixed. A tolerance is the 99.9 % point of the statistic if the simulation is right.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from reproductions.decisions.patients import SimulatedModels, assel
from reproductions.reliability.simulation import corp
from scipy.special import expit, logit
from scipy.stats import chi2, kstwo, norm

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    Numbers = NDArray[np.float64]

N = 20_000
CDF: dict[str, Callable[[Numbers], Numbers]] = {
    "uniform": lambda x: x,
    "linear": lambda x: 0.4 * x + 0.6 * x**2,
    "beta-mixture": lambda x: 0.75 * (1 - (1 - x) ** 10) + 0.25 * x,
}
# First and second moments, by hand from the densities.
MOMENTS = {
    "uniform": (1 / 2, 1 / 3),
    "linear": (0.4 / 2 + 1.2 / 3, 0.4 / 3 + 1.2 / 4),
    "beta-mixture": (0.75 / 11 + 0.25 / 2, 0.75 * 2 / 132 + 0.25 / 3),
}
DENSITY: dict[str, Callable[[Numbers], Numbers]] = {
    "uniform": np.ones_like,
    "linear": lambda x: 0.4 + 1.2 * x,
    "beta-mixture": lambda x: 7.5 * (1 - x) ** 9 + 0.25,
}


@pytest.mark.parametrize("distribution", CDF)
def test_forecasts_have_the_stated_distribution(distribution: str) -> None:
    p = np.sort(corp(N, distribution=distribution, rng=1).p)
    cdf = CDF[distribution](p)
    distance = max(np.max(np.arange(1, N + 1) / N - cdf), np.max(cdf - np.arange(N) / N))
    assert distance < kstwo.ppf(0.999, N)


@pytest.mark.parametrize("distribution", MOMENTS)
def test_forecasts_have_the_stated_mean(distribution: str) -> None:
    mean, square = MOMENTS[distribution]
    error = np.sqrt((square - mean**2) / N)
    p = corp(N, distribution=distribution, rng=2).p
    assert abs(p.mean() - mean) < norm.ppf(0.9995) * error


@pytest.mark.parametrize("distribution", DENSITY)
@pytest.mark.parametrize("k", [1, 10, 50])
def test_discrete_forecasts_follow_the_density(distribution: str, k: int) -> None:
    s = corp(N, distribution=distribution, values=k, rng=3)
    x = (2 * np.arange(1, k + 1) - 1) / (2 * k)
    assert set(s.p) <= set(x)
    expected = DENSITY[distribution](x) / DENSITY[distribution](x).sum() * N
    counts = np.array([(s.p == value).sum() for value in x])
    assert ((counts - expected) ** 2 / expected).sum() <= chi2.ppf(0.999, max(k - 1, 1))


@pytest.mark.parametrize("curve", [None, np.sqrt, lambda p: np.where(p < 0.5, 0.25, 0.75)])
@pytest.mark.parametrize("distribution", CDF)
def test_outcomes_follow_the_truth_in_every_tenth(distribution: str, curve: Any) -> None:
    s = corp(N, distribution=distribution, curve=curve, rng=4)
    assert np.array_equal(s.truth, s.p if curve is None else curve(s.p))
    tenth = np.minimum((10 * s.p).astype(int), 9)
    excess = np.bincount(tenth, s.y - s.truth)
    z = excess / np.sqrt(np.bincount(tenth, s.truth * (1 - s.truth)))
    assert len(z) == 10
    assert (z**2).sum() < chi2.ppf(0.999, 10)


def test_a_seed_decides_everything_and_the_curve_does_not_move_the_forecasts() -> None:
    one = corp(50, distribution="beta-mixture", rng=5)
    two = corp(50, distribution="beta-mixture", curve=np.sqrt, rng=5)
    again = corp(50, distribution="beta-mixture", rng=np.random.default_rng(5))
    assert np.array_equal(one.p, two.p)
    assert np.array_equal(one.y, again.y)
    assert not np.array_equal(one.p, corp(50, distribution="beta-mixture", rng=6).p)


# Assel et al.

INTERCEPT = {"paper": -0.9, "original": -1.65}
SHIFTS = {
    "paper": {"Overestimating risk": 0.361, "Underestimating risk": -0.285},
    "original": {"Overestimating risk": 1.0, "Underestimating risk": -1.0},
}
SEVERE = {"paper": -3.04, "original": -2.0}


def marker_of(s: SimulatedModels, process: str) -> Numbers:
    found: Numbers = logit(s.forecasts["Well calibrated"]) - INTERCEPT[process]
    return found


@pytest.mark.parametrize("process", INTERCEPT)
def test_tests_that_report_a_risk_are_shifts_of_one_another(process: str) -> None:
    s = assel(N, process=process, rng=1)
    marker = marker_of(s, process)
    shifts = SHIFTS[process] | {"Severely underestimating risk": SEVERE[process]}
    for test, shift in shifts.items():
        wanted = expit(INTERCEPT[process] + marker + shift)
        np.testing.assert_allclose(s.forecasts[test], wanted, rtol=1e-9)


@pytest.mark.parametrize("process", INTERCEPT)
def test_markers_are_normal(process: str) -> None:
    s = assel(N, process=process, rng=2)
    marker = marker_of(s, process)
    # One sample in either group, or one in all.
    groups = [(~s.y, 0.0), (s.y, 0.95)] if process == "paper" else [(s.y | ~s.y, 0.0)]
    for group, mean in groups:
        x = np.sort(marker[group])
        n, cdf = len(x), norm.cdf(x - mean)
        distance = max(np.max(np.arange(1, n + 1) / n - cdf), np.max(cdf - np.arange(n) / n))
        assert distance < kstwo.ppf(0.999, n)


@pytest.mark.parametrize(("process", "rate"), [("paper", 0.2), ("original", 0.19996)])
def test_the_event_rate_is_as_stated(process: str, rate: float) -> None:
    s = assel(N, process=process, rng=3)
    assert abs(s.y.mean() - rate) < norm.ppf(0.9995) * np.sqrt(rate * (1 - rate) / N)


@pytest.mark.parametrize("process", INTERCEPT)
def test_the_truth_is_the_probability_given_the_marker(process: str) -> None:
    s = assel(N, process=process, rng=4)
    tenth = np.argsort(np.argsort(marker_of(s, process))) * 10 // N
    excess = np.bincount(tenth, s.y - s.truth)
    z = excess / np.sqrt(np.bincount(tenth, s.truth * (1 - s.truth)))
    assert (z**2).sum() < chi2.ppf(0.999, 10)
    calibrated = np.allclose(s.truth, s.forecasts["Well calibrated"], rtol=1e-12)
    assert calibrated == (process == "original")


def test_verdicts_have_their_sensitivity_and_specificity_and_nothing_in_common() -> None:
    s = assel(N, rng=5)
    z = norm.ppf(0.9995)
    for test, rates in {"Highly sensitive": (0.95, 0.5), "Highly specific": (0.5, 0.95)}.items():
        right = s.forecasts[test] == s.y
        for group, rate in zip((s.y, ~s.y), rates, strict=True):
            error = np.sqrt(rate * (1 - rate) / group.sum())
            assert abs(right[group].mean() - rate) < z * error
    assert set(s.forecasts["Assume all positive"]) == {1.0}
    assert set(s.forecasts["Assume all negative"]) == {0.0}
    both = [s.forecasts[test][s.y] for test in ("Highly sensitive", "Highly specific")]
    (_, together), _ = np.asarray(np.corrcoef(both))
    assert abs(together) < z / np.sqrt(s.y.sum())
