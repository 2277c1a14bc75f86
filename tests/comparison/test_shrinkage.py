"""Estimates of groups drawn together, and whether groups differ."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chi2, f

from properly.comparison._group_variance import cochran, homogeneity, shrink

VALUE = np.array([1.0, 2.0, 6.0])
VARIANCE = np.array([1.0, 2.0, 4.0])

numbers = st.lists(st.tuples(st.floats(-5, 5), st.floats(0.01, 10)), min_size=2, max_size=8).map(
    lambda pairs: tuple(np.array(pairs).T)
)


def test_the_numbers_are_those_of_a_calculation_by_hand() -> None:
    # a = 1, 1/2, 1/4; m = 3.5 / 1.75 = 2; Q = 1 + 0 + 4 = 5.
    assert cochran(VALUE, VARIANCE) == pytest.approx(5)
    # tau2 = (5 - 2) / (1.75 - (1 + 1/4 + 1/16) / 1.75) = 3.
    found = shrink(VALUE, VARIANCE)
    assert found.between == pytest.approx(3)
    # Weights 1/4, 1/5, 1/7: m* = (35 + 56 + 120) / (35 + 28 + 20) = 211 / 83.
    mean = 211 / 83
    assert found.mean == pytest.approx(mean)
    drawn = [(3 + mean) / 4, (6 + 2 * mean) / 5, (18 + 4 * mean) / 7]
    np.testing.assert_allclose(found.value, drawn)
    square = np.array([3 / 4, 6 / 5, 12 / 7]) + np.array([1 / 4, 2 / 5, 4 / 7]) ** 2 * 140 / 83
    np.testing.assert_allclose(found.error, np.sqrt(square))


def test_groups_that_hardly_differ_are_all_drawn_to_the_mean() -> None:
    found = shrink(np.array([1.0, 1.1]), np.array([1.0, 1.0]))
    assert found.between == 0
    np.testing.assert_allclose(found.value, 1.05)
    # The mean of two is known better than either, but not exactly.
    np.testing.assert_allclose(found.error, np.sqrt(0.5))


def test_groups_without_a_variance_take_no_part() -> None:
    value = np.append(VALUE, [100.0, np.inf, 3.0])
    variance = np.append(VARIANCE, [np.nan, 1.0, 0.0])
    found, known = shrink(value, variance), shrink(VALUE, VARIANCE)
    np.testing.assert_allclose(found.value[:3], known.value)
    assert np.isnan(found.value[3:]).all()
    assert np.isnan(found.error[3:]).all()
    test = homogeneity(value, np.diag(variance))
    assert test.statistic == pytest.approx(5)
    assert test.degrees == 2


@pytest.mark.parametrize("value", [[1.0], [1.0, np.nan]])
def test_one_group_has_nothing_to_be_drawn_to(value: list[float]) -> None:
    found = shrink(np.array(value), np.ones(len(value)))
    assert np.isnan([*found.value, *found.error, found.mean, found.between]).all()
    assert np.isnan(homogeneity(np.array(value), np.eye(len(value))).p_value)


def test_the_test_of_independent_groups_is_chi_squared() -> None:
    found = homogeneity(VALUE, np.diag(VARIANCE))
    assert found.degrees == 2
    assert found.p_value == pytest.approx(chi2.sf(5, 2))


def test_with_few_degrees_of_freedom_the_test_is_one_of_f() -> None:
    found = homogeneity(VALUE, np.diag(VARIANCE), degrees=9)
    assert found.p_value == pytest.approx(f.sf(5 / 2 * 8 / 9, 2, 8))
    assert np.isnan(homogeneity(VALUE, np.diag(VARIANCE), degrees=1).p_value)


def test_what_groups_have_in_common_does_not_make_them_differ() -> None:
    # A shared shift of variance 5 adds 5 to every entry, and nothing to any difference.
    assert homogeneity(VALUE, np.diag(VARIANCE) + 5).statistic == pytest.approx(5)


def test_groups_that_vary_only_together_cannot_be_tested() -> None:
    assert np.isnan(homogeneity(VALUE, np.ones((3, 3))).p_value)


@given(numbers)
def test_a_shrunk_value_lies_between_the_raw_one_and_the_mean(
    groups: tuple[np.ndarray, np.ndarray],
) -> None:
    value, variance = groups
    found = shrink(value, variance)
    low, high = np.minimum(value, found.mean), np.maximum(value, found.mean)
    assert (found.value >= low - 1e-9).all()
    assert (found.value <= high + 1e-9).all()


@given(numbers, st.floats(-10, 10))
def test_q_is_the_least_distance_from_any_common_value(
    groups: tuple[np.ndarray, np.ndarray], other: float
) -> None:
    value, variance = groups
    assert cochran(value, variance) <= float(((value - other) ** 2 / variance).sum()) + 1e-9
