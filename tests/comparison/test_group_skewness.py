"""Differences of means of skewed cases."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import skew

from properly.comparison._contrasts import bend, skewness, straighten


def test_the_skewness_of_a_mean_falls_with_the_root_of_the_number() -> None:
    x = np.array([0.0, 0.0, 1.0, 2.0, 7.0])
    assert skewness((x - x.mean()) / 5) == pytest.approx(skew(x) / np.sqrt(5))
    assert skewness(np.zeros(3)) == 0


@given(st.floats(-8, 8), st.floats(-1, 1))
def test_what_is_bent_is_straightened(t: float, a: float) -> None:
    back = bend(straighten(np.array([t]), np.array([a])), np.array([a]))
    # Where the cubic is flat, rounding is seen.
    assert back[0] == pytest.approx(t, abs=1e-4)


def test_without_skewness_nothing_is_bent_and_no_difference_stays_none() -> None:
    t = np.array([-3.0, 0.0, 2.0])
    np.testing.assert_array_equal(straighten(t, np.zeros(3)), t)
    np.testing.assert_array_equal(bend(t, np.zeros(3)), t)
    assert straighten(np.zeros(1), np.array([0.5])) == 0


def test_low_means_of_cases_skewed_to_the_right_are_less_far_off() -> None:
    assert straighten(np.array([-2.0]), np.array([0.3]))[0] == pytest.approx(-2 + 0.4 - 0.72 / 27)
