"""Likelihood-ratio bounds, against a general optimiser; critical values, by hand."""

from __future__ import annotations

import math
from typing import Any, TypeAlias

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.stats import chi2, norm
from scipy.stats import t as student

import properly
from properly.calibration._reliability_bands import critical_value, likelihood_bounds
from properly.counts._isotonic import recalibrate

Column: TypeAlias = np.ndarray[Any, Any]

# Cases and events at each forecast: in order, out of order, none and all among them, one alone.
TALLIES = {
    "rising": ([6, 5, 7], [1, 2, 5]),
    "falling": ([4, 6, 5], [3, 3, 1]),
    "certain": ([5, 3, 4], [0, 1, 4]),
    "mixed": ([2, 9, 1, 6], [1, 2, 1, 3]),
    "alone": ([11], [3]),
}
every_tally = pytest.mark.parametrize("name", TALLIES)
TINY = 1e-13


def log_likelihood(weight: Column, events: Column, p: Column) -> float:
    p = np.clip(p, TINY, 1 - TINY)
    return float(events @ np.log(p) + (weight - events) @ np.log1p(-p))


def best_log_likelihood(weight: Column, events: Column, fixed: dict[int, float]) -> float:
    """Search increasing curves, through a point or not, without knowing what the best are."""
    k = len(weight)
    limits = [(fixed[i], fixed[i]) if i in fixed else (TINY, 1 - TINY) for i in range(k)]
    rising = np.diff(np.eye(k), axis=0)
    # A line from 0 through the point to 1.
    start = np.interp(np.arange(k), [-1, *fixed, k], [0, *fixed.values(), 1])

    def gradient(p: Column) -> Column:
        p = np.clip(p, TINY, 1 - TINY)
        slope: Column = (weight - events) / (1 - p) - events / p
        return slope

    found = minimize(
        lambda p: -log_likelihood(weight, events, p),
        start,
        jac=gradient,
        bounds=limits,
        constraints={"type": "ineq", "fun": lambda p: rising @ p, "jac": lambda _: rising},
        method="SLSQP",
        options={"ftol": 1e-15, "maxiter": 500},
    )
    return log_likelihood(weight, events, np.maximum.accumulate(found.x))


@pytest.mark.slow
@every_tally
@pytest.mark.parametrize("level", [0.5, 0.9])
def test_bounds_are_those_of_a_general_optimiser_to_six_digits(name: str, level: float) -> None:
    weight, events = (np.array(column, dtype=float) for column in TALLIES[name])
    critical = float(chi2.ppf(level, 1))
    lower, upper = likelihood_bounds(weight, events, np.arange(len(weight)), critical)
    best = best_log_likelihood(weight, events, {})

    def refused(place: int, value: float) -> bool:
        return 2 * (best - best_log_likelihood(weight, events, {place: value})) > critical

    for place, (low, high) in enumerate(zip(lower.tolist(), upper.tolist(), strict=True)):
        for bound, end, outwards in ((low, 0.0, -1e-6), (high, 1.0, 1e-6)):
            if bound != end:
                assert refused(place, bound + outwards)
            assert not refused(place, min(max(bound - outwards, 1e-9), 1 - 1e-9))


def test_the_bound_of_nothing_seen_is_that_of_a_count_of_none() -> None:
    # Without events the likelihood of p is (1 - p)^n, and so the bound has a formula.
    critical = 2.7
    lower, upper = likelihood_bounds(np.array([5, 15]), np.array([0, 0]), np.arange(2), critical)
    assert lower.tolist() == [0, 0]
    expected = [-math.expm1(-critical / 2 / n) for n in (20, 15)]
    np.testing.assert_allclose(upper, expected, rtol=0, atol=1e-14)
    lower, upper = likelihood_bounds(np.array([5, 15]), np.array([5, 15]), np.arange(2), critical)
    assert upper.tolist() == [1, 1]
    expected = [math.exp(-critical / 2 / n) for n in (5, 20)]
    np.testing.assert_allclose(lower, expected, rtol=0, atol=1e-14)


@pytest.mark.parametrize("seed", range(4))
def test_a_bound_does_not_depend_on_where_else_bounds_are_asked_for(seed: int) -> None:
    rng = np.random.default_rng(seed)
    weight = rng.integers(1, 6, 40)
    events = rng.binomial(weight, np.linspace(0.1, 0.8, 40))
    every = likelihood_bounds(weight, events, np.arange(40), 2.7)
    for row in ([0], [39], [7, 8, 31], [0, 20, 39]):
        some = likelihood_bounds(weight, events, np.array(row), 2.7)
        for got, all_of_them in zip(some, every, strict=True):
            np.testing.assert_allclose(got, all_of_them[row], rtol=0, atol=1e-9)


# Critical values


def critical_of(source: Any, level: float) -> float:
    return critical_value(source, recalibrate(getattr(source, "tally", lambda: source)()), level)


@pytest.mark.parametrize("level", [0.5, 0.9, 0.99])
def test_counts_have_the_quantile_of_chi_squared_and_weights_a_multiple(level: float) -> None:
    t = properly.Tally.from_counts([0.2, 0.6], [4, 7], [1, 5])
    assert critical_of(t, level) == pytest.approx(float(chi2.ppf(level, 1)), rel=1e-12)
    y, p, number = [0, 1, 1], [0.2, 0.2, 0.6], [3, 1, 2]
    for cases in (properly.Cases(y, p, count=number), properly.Cases(y, p, weight=[7, 7, 7])):
        assert critical_of(cases, level) == pytest.approx(float(chi2.ppf(level, 1)), rel=1e-12)
    # The curve is 1/4 and 1: the squares are those of weights 3 and 1 around 1/4.
    phi = (9 / 16 + 9 / 16) / (4 * 3 / 16)
    for scale in (1, 7, 0.3):
        cases = properly.Cases(y, p, weight=[x * scale for x in number])
        for source in (cases, cases.tally()):
            # The likelihood ratio has the unit of the weights, and so has the critical value.
            expected = scale * phi * float(chi2.ppf(level, 1))
            assert critical_of(source, level) == pytest.approx(expected, rel=1e-12)


def test_weights_multiply_by_how_much_they_add_to_the_variance() -> None:
    # At .4 an event of weight 1.5 and a non-event of .5, at .8 two events of weight 2.5: the rates
    # are .75 and 1. Only the first bin varies: 1.5^2 .25^2 + .5^2 .75^2 for 2 * .75 * .25.
    cases = properly.Cases([1, 0, 1, 1], [0.4, 0.4, 0.8, 0.8], weight=[1.5, 0.5, 2.5, 2.5])
    effect = 0.28125 / 0.375
    expected = effect * float(norm.ppf(0.95)) ** 2
    assert critical_of(cases, 0.9) == pytest.approx(expected, rel=1e-12)
    assert critical_of(cases.tally(), 0.9) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("y", [0, 1])
def test_outcomes_that_did_not_vary_leave_the_squares_of_weights(y: int) -> None:
    cases = properly.Cases([y, y, y], [0.1, 0.4, 0.4], weight=[0.5, 1.0, 2.5])
    expected = (0.25 + 1 + 6.25) / 4 * float(norm.ppf(0.95)) ** 2
    assert critical_of(cases, 0.9) == pytest.approx(expected, rel=1e-12)


def test_clusters_multiply_by_the_variance_of_their_sums() -> None:
    # One bin of rate 1/2. The deviations from it add up to 1, 0 and -1 in the clusters: 2 where
    # six independent cases have 6 / 4. One bin hides one of three clusters.
    y, label = [1, 1, 1, 0, 0, 0], ["a", "a", "b", "b", "c", "c"]
    cases = properly.Cases(y, [0.3] * 6, clusters=label)
    expected = 2 * 3 / 2 / 1.5 * float(student.ppf(0.95, 2)) ** 2
    assert critical_of(cases, 0.9) == pytest.approx(expected, rel=1e-12)


def test_clusters_of_weighted_cases_add_up_weights() -> None:
    # Bins of rate 1/4 and 3/4. Deviations times weights, by cluster: -.75, .75 in the first bin;
    # 1.5, -1.5 in the second. A case of weight 0 is not there, nor is its cluster.
    cases = properly.Cases(
        [0, 1, 1, 0, 1, 1],
        [0.1, 0.1, 0.9, 0.9, 0.9, 0.9],
        weight=[3.0, 1.0, 4.0, 2.0, 2.0, 0.0],
        clusters=[1, 2, 1, 2, 1, 3],
    )
    sums = [-0.75, 0.75, 1.0 + 0.5, -1.5]
    shown = max(2 - 2, 2 / 2)
    effect = sum(s**2 for s in sums) * 2 / shown / (4 * 3 / 16 + 8 * 3 / 16)
    expected = effect * float(student.ppf(0.95, 1)) ** 2
    assert critical_of(cases, 0.9) == pytest.approx(expected, rel=1e-12)


def test_outcomes_that_balance_within_clusters_do_not_narrow_the_band() -> None:
    cases = properly.Cases([0, 1] * 50, [0.5] * 100, clusters=np.repeat(np.arange(50), 2))
    assert critical_of(cases, 0.9) == pytest.approx(float(student.ppf(0.95, 49)) ** 2, rel=1e-12)


def test_clusters_whose_outcomes_did_not_vary_are_taken_whole() -> None:
    cases = properly.Cases([0] * 5, [0.1, 0.2, 0.2, 0.3, 0.4], clusters=[1, 1, 1, 2, 2])
    expected = (9 + 4) / 5 * float(student.ppf(0.95, 1)) ** 2
    assert critical_of(cases, 0.9) == pytest.approx(expected, rel=1e-12)
