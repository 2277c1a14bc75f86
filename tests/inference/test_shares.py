"""Score intervals: what a test of the share itself would not refuse, and where that begins."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy.special import ndtri, stdtrit

from properly.inference._shares import (
    ShareTerm,
    bisect,
    design_effect,
    reach,
    student,
    variance,
    wilson,
)

Z = ndtri(0.95)


@pytest.mark.parametrize(("share", "n"), [(0.02, 50), (0.3, 12.5), (0.97, 400)])
def test_at_the_ends_the_share_is_just_so_many_standard_deviations_away(
    share: float, n: float
) -> None:
    for end in wilson(share, n, Z):
        away = (share - end) / math.sqrt(end * (1 - end) / n)
        assert abs(away) == pytest.approx(Z, rel=1e-12)


def test_none_and_all_have_exact_ends() -> None:
    lower, upper = wilson(np.array([0.0, 1.0]), 7.3, ndtri(0.975))
    z2 = ndtri(0.975) ** 2
    assert (lower[0], upper[1]) == (0, 1)
    assert upper[0] == pytest.approx(z2 / (7.3 + z2), rel=1e-12)
    assert lower[1] == pytest.approx(1 - upper[0], rel=1e-12)


def test_a_share_of_nothing_has_no_interval() -> None:
    assert np.isnan(wilson(math.nan, math.nan, Z)).all()


def test_two_shares_that_make_a_whole_are_one() -> None:
    """What is 2 for the one and -3 for the other is 5 for the one, but for a constant."""
    first, second = ShareTerm(2.0, np.array([0.2]), True), ShareTerm(-3.0, np.array([0.8]), True)
    down, up = reach(first, second, 40, Z)
    lower, upper = wilson(0.2, 40, Z)
    assert down[0] == pytest.approx(5 * (0.2 - lower), rel=1e-12)
    assert up[0] == pytest.approx(5 * (upper - 0.2), rel=1e-12)


def test_a_share_that_cannot_be_adds_nothing() -> None:
    first, second = ShareTerm(2.0, np.array([0.2]), True), ShareTerm(3.0, np.array([0.0]), False)
    down, up = reach(first, second, 40, Z)
    lower, upper = wilson(0.2, 40, Z)
    assert (down[0], up[0]) == pytest.approx((2 * (0.2 - lower), 2 * (upper - 0.2)), rel=1e-12)


def test_errors_of_shares_that_are_added_make_up_for_one_another() -> None:
    share = np.array([0.3])
    added = reach(ShareTerm(1.0, share, True), ShareTerm(1.0, share, True), 100, Z)
    subtracted = reach(ShareTerm(1.0, share, True), ShareTerm(-1.0, share, True), 100, Z)
    assert added[0] < subtracted[0]
    assert subtracted[0] == pytest.approx(subtracted[1], rel=1e-12)


@pytest.fixture
def kinds() -> tuple[Any, Any, Any]:
    """Sixty cases: their weights, and two kinds of them, one of which is heavier than the rest."""
    rng = np.random.default_rng(3)
    kind = rng.choice(3, 60, p=[0.2, 0.3, 0.5])
    weight = rng.exponential(size=60) * np.array([4.0, 0.5, 1.0])[kind]
    return weight, kind == 0, kind == 1


def term(amount: float, weight: Any, kind: Any) -> ShareTerm:
    share, squares = (x[kind].sum() / x.sum() for x in (weight, weight**2))
    return ShareTerm(amount, share, True, squares / share)


def covariance(weight: Any, one: Any, other: Any) -> float:
    """Linearise two shares, case by case."""
    away = [weight * (kind - weight[kind].sum() / weight.sum()) for kind in (one, other)]
    return float((away[0] * away[1]).sum() / weight.sum() ** 2)


def test_a_share_has_the_cases_that_its_variance_takes(kinds: tuple[Any, Any, Any]) -> None:
    weight, heavy, light = kinds
    n = weight.sum() ** 2 / (weight**2).sum()
    for kind in (heavy, light):
        found, p = term(1, weight, kind), weight[kind].sum() / weight.sum()
        expected = p * (1 - p) / covariance(weight, kind, kind)
        assert found.cases(n) == pytest.approx(expected, rel=1e-12)
    assert term(1, weight, heavy).cases(n) < n < term(1, weight, light).cases(n)


def test_shares_of_cases_of_any_weight_are_correlated_as_they_are(
    kinds: tuple[Any, Any, Any],
) -> None:
    """For a small quantile, an interval is so many linearised standard deviations either way."""
    weight, heavy, light = kinds
    n = weight.sum() ** 2 / (weight**2).sum()
    first, second = term(2, weight, heavy), term(-3, weight, light)
    parts = [covariance(weight, *pair) for pair in ((heavy, heavy), (heavy, light), (light, light))]
    expected = 4 * parts[0] - 12 * parts[1] + 9 * parts[2]
    assert variance(first, second, n) == pytest.approx(expected, rel=1e-12)
    for away in reach(first, second, n, 1e-7):
        assert away == pytest.approx(1e-7 * math.sqrt(expected), rel=1e-5)


def test_dependent_cases_are_never_worth_more_than_independent_ones() -> None:
    found = design_effect(np.array([0.4, 0.1, 0.0, 0.3]), np.array([0.2, 0.2, 0.2, 0.0]))
    np.testing.assert_array_equal(found, [2, 1, 1, np.nan])
    # All cases are of one kind or of the other, and both count the same: nothing varies.
    assert variance(ShareTerm(1.0, 0.3, True), ShareTerm(1.0, 0.7, True), 50) == 0


def test_student_needs_a_degree_of_freedom() -> None:
    assert student(4.5, 0.9) == stdtrit(4.5, 0.95)
    assert math.isnan(student(0, 0.9))


@pytest.mark.parametrize(
    ("degrees", "level", "quantile"),
    [
        (1000, 0.5, 0.674735164607009437),
        (1000, 0.8, 1.28239872146092456),
        (1000, 0.9999, 3.90634373670140826),
        (1234.5, 0.9, 1.64608888026901962),
        (9999, 0.95, 1.9602012636213573),
        (9999, 0.99, 2.57632109585659743),
        (10**6, 0.9, 1.64485515072204006),
        (math.inf, 0.5, 0.674489750196081743),
        (math.inf, 0.95, 1.95996398454005386),
        (math.inf, 0.9999, 3.89059188641312069),
    ],
)
def test_student_of_many_is_that_of_forty_digits(
    degrees: float, level: float, quantile: float
) -> None:
    """Where mpmath finds that the tail has what is left of the level."""
    assert student(degrees, level) == pytest.approx(quantile, rel=1e-15)


ENDS = np.array([0.3, 1 / 3, 0.5, 2**-30, 1 - 2**-40, 1e-15])


def test_each_entry_has_its_own_end_to_the_last_digit() -> None:
    found = bisect(lambda x: x > ENDS, np.zeros(6), np.ones(6))
    assert (found <= ENDS).all()
    np.testing.assert_allclose(found, ENDS, rtol=0, atol=2**-53)
