"""Groups with few cases: their degrees of freedom, and estimates drawn together."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import f

from properly.comparison._group_variance import (
    _satterthwaite,
    cochran,
    count_units,
    homogeneity,
    of_differences,
    of_groups,
    shrink,
)
from properly.inference._design import Design

ONES = np.ones(12)

GROUP = np.repeat([0, 1, 2], 4)

NESTED, ACROSS = np.arange(12) // 2, np.arange(12) % 4

ALL = np.full(3, True)


def test_units_are_cases_clusters_or_times() -> None:
    cases = count_units(GROUP, Design(ONES))
    assert (cases.inside.tolist(), cases.outside.tolist()) == ([4] * 3, [8] * 3)
    for design in (Design(ONES, cluster=NESTED), Design(ONES, time=NESTED)):
        units = count_units(GROUP, design)
        assert (units.inside.tolist(), units.outside.tolist()) == ([2] * 3, [4] * 3)
        np.testing.assert_allclose(units.shared, 0, atol=1e-15)
        np.testing.assert_allclose(units.common, np.eye(3), atol=1e-15)
    across = count_units(GROUP, Design(ONES, cluster=ACROSS))
    assert across.inside.tolist() == across.outside.tolist() == [4] * 3
    np.testing.assert_allclose(across.common, np.full((3, 3), 1 / 3))
    np.testing.assert_allclose(across.shared, np.full(3, 1 / 3))


def test_groups_within_clusters_have_the_degrees_of_bell_and_mccaffrey() -> None:
    """Compare with whole matrices: the means of two groups, fitted at once."""
    rng = np.random.default_rng(5)
    group, cluster = rng.integers(0, 2, 40), np.minimum(rng.integers(0, 9, 40), 6)
    design = np.eye(2)[group]
    inverse = np.linalg.inv(design.T @ design)
    rest = np.eye(40) - design @ inverse @ design.T
    columns = []
    for g in np.unique(cluster):
        some = cluster == g
        value, vector = np.linalg.eigh(rest[np.ix_(some, some)])
        root = vector @ np.diag(value**-0.5) @ vector.T
        columns.append(rest[some].T @ root @ design[some] @ inverse @ [1.0, -1.0])
    joint = np.stack(columns) @ np.stack(columns).T
    units = count_units(group, Design(np.ones(40), cluster=cluster))
    variance = 1 / np.bincount(group)
    found = _satterthwaite(variance, variance[::-1], units)
    np.testing.assert_allclose(found, np.trace(joint) ** 2 / (joint**2).sum(), rtol=1e-12)


def test_a_difference_has_the_degrees_of_welch() -> None:
    units = count_units(GROUP, Design(ONES))
    # Twice the variance of the rest is what half as many cases have if all vary alike.
    found = of_differences(np.full(3, 2.0), np.full(3, 1.0), units)
    np.testing.assert_allclose(found, 9 / (4 / 3 + 1 / 7))
    # If a group seems to vary less, its degrees are no more; if it varies more, they are fewer.
    less = of_differences(np.full(3, 0.5), np.full(3, 1.0), units)
    np.testing.assert_allclose(less, found)
    more = of_differences(np.full(3, 20.0), np.full(3, 1.0), units)
    np.testing.assert_allclose(more, 441 / (400 / 3 + 1 / 7))


@pytest.mark.parametrize("variance", [1.0, 0.01, 100.0])
def test_clusters_that_are_all_in_both_have_the_degrees_of_all(variance: float) -> None:
    units = count_units(GROUP, Design(ONES, cluster=ACROSS))
    np.testing.assert_allclose(of_differences(np.full(3, variance), np.ones(3), units), 3)
    assert of_groups(np.array([variance, 1.0, 2.0]), units, ALL) == pytest.approx(3)


def test_of_two_groups_the_joint_degrees_are_those_of_the_difference() -> None:
    two = np.repeat([0, 1], [5, 7])
    for cluster in (None, NESTED, ACROSS):
        units = count_units(two, Design(ONES, cluster=cluster))
        variance = np.array([2.0, 0.7])
        wanted = of_differences(variance, variance[::-1], units)
        assert of_groups(variance, units, ALL[:2]) == pytest.approx(wanted[0])


def test_the_joint_degrees_are_those_of_a_calculation_by_hand() -> None:
    # Alike, 1 - h = 2/3 and each has 3 degrees: 2 * 3 / (2 * 3 * (4/9) / 3) = 6.75.
    units = count_units(GROUP, Design(ONES))
    assert of_groups(np.ones(3), units, ALL) == pytest.approx(6.75)
    # Without the third it is that of two: 1 / (2 * (1/4) / 3).
    assert of_groups(np.ones(3), units, np.array([True, True, False])) == pytest.approx(6)


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
