"""Changes of sign, and series of forecasts several steps ahead."""

from __future__ import annotations

import math
from itertools import product
from typing import Any

import numpy as np
import pytest

from properly.comparison._differences import long_run, sign_flip


def test_all_signs_are_tried_if_few_differ() -> None:
    total = np.array([0.0, 1.0, -0.25, 0.5, 0.0, 2.0])
    some = total[total != 0]
    sums = [abs(np.dot(signs, some)) for signs in product((-1, 1), repeat=4)]
    expected = np.mean(np.array(sums) >= abs(some.sum()) - 1e-12)
    assert sign_flip(total, 99, np.random.default_rng(1)).p_value == expected == 4 / 16


def test_drawn_signs_come_near_the_normal() -> None:
    rng = np.random.default_rng(5)
    total = rng.normal(0.1, 1, 400)
    z = total.sum() / np.sqrt((total**2).sum())
    from scipy.stats import norm

    p = sign_flip(total, 4000, rng).p_value
    expected = 2 * norm.sf(abs(z))
    assert p == pytest.approx(expected, abs=4 * np.sqrt(expected * (1 - expected) / 4000) + 0.005)


def test_a_p_value_from_draws_is_never_zero() -> None:
    assert sign_flip(np.ones(60), 99, np.random.default_rng(1)) == (1 / 100, True)


def series(size: int = 50) -> Any:
    noise = np.random.default_rng(2).normal(size=size)
    return (noise - noise.mean()) / size


def test_one_step_ahead_it_is_the_standard_error_of_a_mean() -> None:
    u = series()
    found = long_run(u, 1)
    assert found.error == pytest.approx((50 * u).std(ddof=1) / np.sqrt(50), rel=1e-12)
    assert found.degrees == 49
    assert found.method == "Diebold-Mariano"


def test_three_steps_ahead_two_autocovariances_count_and_the_sample_is_small() -> None:
    u, times, h = np.convolve(series(52), np.ones(3), "valid"), 50, 3
    u -= u.mean()
    gamma = [sum(u[j + t] * u[t] for t in range(times - j)) / times for j in range(h)]
    correction = (times + 1 - 2 * h + h * (h - 1) / times) / times
    expected = math.sqrt(times * (gamma[0] + 2 * gamma[1] + 2 * gamma[2]) / correction)
    assert long_run(u, h).error == pytest.approx(expected, rel=1e-12)


def test_a_variance_that_is_not_positive_gets_weights_that_decrease() -> None:
    u = np.tile([1.0, -1.0], 20) / 40
    found = long_run(u, 2)
    assert found.method == "Diebold-Mariano, Bartlett weights"
    assert found == long_run(u, 2, bartlett=True)
    assert found.error > 0
