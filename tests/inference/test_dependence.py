"""How much outcomes depend on one another in time, and draws that have as much."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import properly
from properly.inference._dependence import Dependence, Latent, Residuals, psi_of, rho_of
from properly.inference._draws import DrawnRows, sampler

DRAWS = 4000


def series(times: int, each: int = 1, *, seed: int = 1, **known: Any) -> properly.Cases:
    """Return calibrated forecasts of independent outcomes, so many at each time."""
    rng = np.random.default_rng(seed)
    p = rng.uniform(0.05, 0.95, times * each)
    return properly.Cases(rng.random(len(p)) < p, p, time=np.arange(len(p)) // each, **known)


def latent(times: int, each: int, *, shared: float, rho: float) -> Latent:
    """Return numbers of a dependence that is known as if from very many times."""
    time, slot = np.repeat(np.arange(times), each), np.tile(np.arange(each), times)
    psi = float(psi_of(np.array([rho]), times)[0])
    return Latent(time, slot, times, 2 / math.pi * math.asin(shared), psi, 1e12)


def of_psi(psi: float, times: int = 400) -> Dependence:
    return Dependence(1.5, psi, 0.5, times, times / max(psi, 1), 21.0)


# How much there is


def test_psi_is_the_sum_of_all_correlations() -> None:
    rho, times = 0.7, 50
    sign = 2 / math.pi * np.arcsin(rho ** np.abs(np.subtract.outer(range(times), range(times))))
    assert psi_of(np.array([rho]), times)[0] == pytest.approx(sign.sum() / times, rel=1e-12)


@pytest.mark.parametrize("rho", [0.0, 0.2, 0.56, 0.9, 0.99])
def test_rho_is_what_makes_psi(rho: float) -> None:
    psi = float(psi_of(np.array([rho]), 400)[0])
    assert rho_of(psi, 400) == pytest.approx(rho, abs=1e-10)


@pytest.mark.parametrize(
    ("psi", "times", "long", "too_long"),
    [
        (1.99, 20, False, False),
        (2.01, 400, False, False),
        (4.01, 400, True, False),
        (3.99, 400, False, False),
        (13.4, 400, True, True),
        (13.3, 400, True, False),
        (0.5, 20, False, False),
    ],
)
def test_few_effective_times_matter_where_there_is_dependence(
    psi: float, times: int, long: bool, too_long: bool
) -> None:
    found = of_psi(psi, times)
    assert (found.is_long, found.is_too_long) == (long, too_long)


def test_the_same_outcome_at_each_time_is_shared() -> None:
    rng = np.random.default_rng(2)
    happened = np.repeat(rng.random(200) < 0.5, 4)
    p = rng.uniform(0.3, 0.7, 800)
    alike = Residuals.of(properly.Cases(happened, p, time=np.arange(800) // 4))
    assert alike.latent().shared > 0.9
    assert Residuals.of(series(200, 4)).latent().shared < 0.3


# Draws


@pytest.mark.slow
@pytest.mark.parametrize(("each", "shared"), [(1, 0.0), (4, 0.0), (4, 0.5), (4, 1.0)])
@pytest.mark.parametrize("rho", [0.0, 0.6])
def test_numbers_are_normal_and_as_dependent_as_they_should_be(
    each: int, shared: float, rho: float
) -> None:
    rng, times = np.random.default_rng(1), 30
    numbers = latent(times, each, shared=shared, rho=rho)
    z = np.stack([numbers.draw(rng) for _ in range(DRAWS)]).reshape(DRAWS, times, each)
    error = 4 / math.sqrt(DRAWS)
    assert z.mean(axis=0) == pytest.approx(0, abs=1.2 * error)
    assert z.var(axis=0) == pytest.approx(1, abs=1.2 * error * math.sqrt(2))
    assert np.mean(z[:, 9, 0] * z[:, 10, 0]) == pytest.approx(rho, abs=1.5 * error)
    assert np.mean(z[:, 0, 0] * z[:, 2, 0]) == pytest.approx(rho**2, abs=1.5 * error)
    if each > 1:
        assert np.mean(z[:, 9, 0] * z[:, 9, 1]) == pytest.approx(shared, abs=1.5 * error)


@pytest.mark.parametrize("each", [1, 3])
def test_sums_of_drawn_outcomes_vary_by_psi(each: int) -> None:
    rng, times = np.random.default_rng(3), 60
    numbers = latent(times, each, shared=0.0, rho=0.6)
    z = np.stack([numbers.draw(rng) for _ in range(DRAWS)])
    total = np.where(z < 0, 1.0, -1.0).sum(axis=1)
    assert total.var() / (times * each) == pytest.approx(numbers.psi, rel=4 * math.sqrt(2 / DRAWS))


def test_an_outcome_has_the_probability_of_its_forecast() -> None:
    draws = sampler(series(100))
    assert isinstance(draws, DrawnRows)
    events = sum(d.events for d in draws.outcomes(draws.value, DRAWS, np.random.default_rng(1)))
    error = np.sqrt(draws.value * (1 - draws.value) / DRAWS)
    assert (np.abs(events / DRAWS - draws.value) < 4.5 * error).all()


def test_forecasts_stay_and_weights_travel() -> None:
    weight = np.random.default_rng(5).gamma(2, size=60)
    cases = series(60, weight=weight)
    draws = sampler(cases)
    for drawn in (draws.draws, draws.outcomes):
        for replicate in drawn(draws.value, 3, np.random.default_rng(1)):
            np.testing.assert_allclose(replicate.weight, draws.total)
            assert (replicate.events <= replicate.weight).all()
            some = replicate.events > 0
            np.testing.assert_allclose(replicate.events[some], replicate.weight[some])
