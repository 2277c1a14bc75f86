"""What public code for coupled distributions and means gets wrong, each met here as a test.

Seen by reading Nonlinear-Statistical-Coupling (Photrek): its sampler takes location and scale in
twice and lacks a factor of two in the gamma draw, it cannot draw for negative couplings, and zeros
become 1e-300, which hides that an accuracy is 0.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from reproductions.means.coupled import CoupledGaussian

import properly

CASES = 20_000


def share_inside(coupled: CoupledGaussian, low: float, high: float) -> float:
    x = coupled.sample(CASES, rng=1)
    return float(np.mean((x > low) & (x < high)))


# Of a Student t with two degrees of freedom, 1/sqrt(3) lies within 1; four standard errors.
@pytest.mark.parametrize(("location", "scale"), [(0.0, 1.0), (5.0, 1.0), (-3.0, 4.0), (10.0, 0.25)])
def test_draws_have_the_tails_of_their_coupling(location: float, scale: float) -> None:
    expected, width = 1 / math.sqrt(3), math.sqrt(scale)
    coupled = CoupledGaussian(location, scale, 0.5)
    error = math.sqrt(expected * (1 - expected) / CASES)
    found = share_inside(coupled, location - width, location + width)
    assert found == pytest.approx(expected, abs=4 * error)


def test_negative_couplings_can_be_drawn_and_stay_in_their_support() -> None:
    # The density is proportional to 1 - x^2 / 3 within the root of 3.
    coupled = CoupledGaussian(coupling=-1 / 3)
    x = coupled.sample(CASES, rng=2)
    assert np.all(x * x < 3)
    inside = (1 - 1 / 9) / (2 * math.sqrt(3) / 3)
    error = math.sqrt(inside * (1 - inside) / CASES)
    assert share_inside(coupled, -1, 1) == pytest.approx(inside, abs=4 * error)


@pytest.mark.parametrize("power", [0, -2 / 3, -1, -math.inf])
def test_a_zero_is_not_replaced_by_something_small(power: float) -> None:
    assert properly.generalized_mean([0.9, 0.8, 0.0], power) == 0
    found = properly.means(properly.tally([1, 1, 1], [0.9, 0.8, 0.0]))
    assert (found.mean_probability, found.robustness, found.impossible) == (0, 0, 1)
    # Replaced by 1e-300, the geometric mean of a million cases would be 0.999.
    many = properly.Tally.from_counts([0.0, 1.0], [1, 10**6], [1, 10**6])
    assert properly.means(many).mean_probability == 0
