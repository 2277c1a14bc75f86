"""Score intervals: what a test of the share itself would not refuse."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.special import ndtri, stdtrit

from properly._score_interval import Term, reach, student, wilson


@pytest.mark.parametrize(("share", "n"), [(0.02, 50), (0.3, 12.5), (0.97, 400)])
def test_at_the_ends_the_share_is_just_so_many_standard_deviations_away(
    share: float, n: float
) -> None:
    for end in wilson(share, n, 0.9):
        away = (share - end) / math.sqrt(end * (1 - end) / n)
        assert abs(away) == pytest.approx(ndtri(0.95), rel=1e-12)


def test_none_and_all_have_exact_ends() -> None:
    lower, upper = wilson(np.array([0.0, 1.0]), 7.3, 0.95)
    z2 = ndtri(0.975) ** 2
    assert (lower[0], upper[1]) == (0, 1)
    assert upper[0] == pytest.approx(z2 / (7.3 + z2), rel=1e-12)
    assert lower[1] == pytest.approx(1 - upper[0], rel=1e-12)


def test_a_share_of_nothing_has_no_interval() -> None:
    assert np.isnan(wilson(math.nan, math.nan, 0.9)).all()


def test_two_shares_that_make_a_whole_are_one() -> None:
    """What is 2 for the one and -3 for the other is 5 for the one, but for a constant."""
    first, second = Term(2.0, np.array([0.2]), True), Term(-3.0, np.array([0.8]), True)
    down, up = reach(first, second, 40, 0.9)
    lower, upper = wilson(0.2, 40, 0.9)
    assert down[0] == pytest.approx(5 * (0.2 - lower), rel=1e-12)
    assert up[0] == pytest.approx(5 * (upper - 0.2), rel=1e-12)


def test_a_share_that_cannot_be_adds_nothing() -> None:
    first, second = Term(2.0, np.array([0.2]), True), Term(3.0, np.array([0.0]), False)
    down, up = reach(first, second, 40, 0.9)
    lower, upper = wilson(0.2, 40, 0.9)
    assert (down[0], up[0]) == pytest.approx((2 * (0.2 - lower), 2 * (upper - 0.2)), rel=1e-12)


def test_errors_of_shares_that_are_added_make_up_for_one_another() -> None:
    share = np.array([0.3])
    added = reach(Term(1.0, share, True), Term(1.0, share, True), 100, 0.9)
    subtracted = reach(Term(1.0, share, True), Term(-1.0, share, True), 100, 0.9)
    assert added[0] < subtracted[0]
    assert subtracted[0] == pytest.approx(subtracted[1], rel=1e-12)


def test_student_needs_a_degree_of_freedom() -> None:
    assert student(4.5, 0.9) == stdtrit(4.5, 0.95)
    assert math.isnan(student(0, 0.9))
