"""Sums over times that depend on their neighbours, against the formulas written out."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.fft import dct

from properly.inference._variance import by_cosines, by_lags, data_lag, rule_lag

RNG = np.random.default_rng(7)
TOTAL = RNG.normal(size=(2, 60))
TOTAL -= TOTAL.mean(axis=1, keepdims=True)


def test_cosine_sums_are_those_of_the_definition() -> None:
    times = TOTAL.shape[1]
    cosines = math.floor(0.4 * times ** (2 / 3))
    t = np.arange(1, times + 1)
    waves = np.array(
        [
            [math.sqrt(2 / times) * (u @ np.cos(np.pi * j * (t - 0.5) / times)) for u in TOTAL]
            for j in range(1, cosines + 1)
        ]
    )
    covariance, degrees = by_cosines(TOTAL)
    np.testing.assert_allclose(covariance, waves.T @ waves * times / cosines, rtol=1e-12)
    assert degrees == cosines == 6


def test_runs_of_a_long_series_have_the_waves_of_its_times() -> None:
    times = 99_991
    series = np.random.default_rng(3).normal(size=(2, times))
    found, degrees = by_cosines(series)
    waves = dct(series, axis=-1)[:, 1 : int(degrees) + 1] / math.sqrt(2)
    assert degrees == math.floor(0.4 * times ** (2 / 3))
    np.testing.assert_allclose(np.diag(found), (waves**2).mean(axis=1), rtol=2e-3)


def test_lags_count_less_the_farther_they_reach() -> None:
    first, second = TOTAL
    crossed = first @ second
    for j, share in ((1, 2 / 3), (2, 1 / 3)):
        crossed += share * (first[j:] @ second[:-j] + second[j:] @ first[:-j])
    found = by_lags(TOTAL, 2)
    assert found[0, 1] == found[1, 0] == pytest.approx(crossed, rel=1e-13)


@pytest.mark.parametrize(("times", "lag"), [(20, 2), (100, 4), (300, 5), (10_000, 11)])
def test_the_rule_goes_by_the_number_of_times(times: int, lag: int) -> None:
    assert rule_lag(times) == lag


def test_a_series_that_does_not_vary_needs_no_lag() -> None:
    assert data_lag(np.zeros(50)) == 0
