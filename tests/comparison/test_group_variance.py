"""Degrees of freedom of groups with few cases, or clusters, of their own."""

from __future__ import annotations

import numpy as np
import pytest

from properly.comparison._group_variance import count_units, of_differences, of_groups
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
        assert not units.both.any()
        np.testing.assert_array_equal(units.common, np.diag([2] * 3))
    across = count_units(GROUP, Design(ONES, cluster=ACROSS))
    assert across.inside.tolist() == across.outside.tolist() == across.both.tolist() == [4] * 3
    np.testing.assert_array_equal(across.common, np.full((3, 3), 4))


def test_a_stratum_that_is_all_of_one_side_takes_a_degree_of_freedom() -> None:
    # Two strata make up the first group, and four the rest of it.
    units = count_units(GROUP, Design(ONES, stratum=NESTED))
    assert units.free_inside.tolist() == [4 - 2] * 3
    assert units.free_outside.tolist() == [8 - 4] * 3
    # A stratum that every group has cases of is no group's own.
    shared = count_units(GROUP, Design(ONES, stratum=ACROSS))
    assert shared.free_inside.tolist() == [4 - 1] * 3
    assert shared.free_outside.tolist() == [8 - 1] * 3


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
