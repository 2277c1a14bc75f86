"""Residuals under a normal kernel that is reflected at 0 and at 1."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy.special import ndtr

from properly.calibration._error import LEAST_SCALE, error_at, fixed_point, variation

Column = np.ndarray[Any, np.dtype[np.float64]]


def drawn(seed: int, n: int = 20) -> tuple[Column, Column]:
    """Residuals of both signs, some at the very ends, whose absolute values add up to 1."""
    rng = np.random.default_rng(seed)
    value = np.append(rng.random(n), [0.0, 1.0, 0.999])
    residual = rng.normal(size=n + 3)
    return value, residual / np.abs(residual).sum()


def by_quadrature(value: Column, residual: Column, scale: float, points: int = 50_000) -> float:
    """Add up images of the normal density, and take the midpoint rule."""
    t = (np.arange(points) + 0.5) / points
    smooth = np.zeros(points)
    for image in range(-2 - math.ceil(5 * scale), 3 + math.ceil(5 * scale)):
        for x, r in zip(value, residual, strict=True):
            for place in (2 * image - x, 2 * image + x):
                smooth += r * np.exp(-(((t - place) / scale) ** 2) / 2)
    return float(np.abs(smooth).mean()) / (scale * math.sqrt(2 * math.pi))


@pytest.mark.slow
@pytest.mark.parametrize("scale", [0.01, 0.05, 0.3, 1.0])
def test_errors_agree_with_brute_force(scale: float) -> None:
    # The midpoint rule itself is off by about the number of zeros over the square of its points.
    assert error_at(*drawn(1), scale) == pytest.approx(by_quadrature(*drawn(1), scale), abs=2e-8)


@pytest.mark.parametrize("scale", [0.0002, 0.0079, 0.01, 0.05])
@pytest.mark.parametrize("distance", [0.5, 1.0, 3.0])
def test_two_opposite_residuals_have_a_closed_form(scale: float, distance: float) -> None:
    # Far from both ends: half of each at the distance d leaves 2 Phi(d / 2) - 1.
    value = 0.43 + np.array([0.0, distance * scale])
    expected = 2 * ndtr(distance / 2) - 1
    assert error_at(value, np.array([0.5, -0.5]), scale) == pytest.approx(expected, abs=2.5e-8)


@pytest.mark.parametrize("scale", [0.001, 0.003, 0.2, 1.0])
def test_no_smoothing_moves_what_has_one_sign(scale: float) -> None:
    value, residual = drawn(3)
    found = error_at(value, np.abs(residual), scale)
    assert found == pytest.approx(1, abs=1e-12)


def test_the_error_does_not_increase_with_the_scale() -> None:
    value, residual = drawn(4)
    errors = [error_at(value, residual, scale) for scale in np.geomspace(1e-3, 1, 40)]
    assert np.all(np.diff(errors) <= 1e-12)
    assert errors[-1] >= abs(residual.sum())


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(5))
def test_at_the_fixed_point_error_and_scale_are_equal(seed: int) -> None:
    value, residual = drawn(seed)
    for size in (1.0, 0.05, 0.002):
        found, scale = fixed_point(value, size * residual)
        assert found == scale
        assert error_at(value, size * residual, scale) == pytest.approx(scale, abs=1e-9)


def test_the_grid_makes_no_difference() -> None:
    value, residual = drawn(6)
    coarse = error_at(value, residual, 1 / 128)
    fine = error_at(value, residual, (1 - 1e-13) / 128)
    assert coarse == pytest.approx(fine, abs=2e-8)
    assert coarse != fine


@pytest.mark.parametrize("scale", [0.0005, 0.002])
def test_a_grid_may_end_where_no_forecast_reaches(scale: float) -> None:
    value, residual = drawn(7)
    # A residual of no size at 1 makes the grid reach there.
    whole = error_at(np.append(value / 50, 1.0), np.append(residual, 0.0), scale)
    assert error_at(value / 50, residual, scale) == pytest.approx(whole, abs=2e-8)


def test_below_the_least_scale_the_error_is_that_at_it() -> None:
    value, residual = np.array([0.0, 0.001]), np.array([2e-6, -1e-6])
    found, scale = fixed_point(value, residual)
    assert found == pytest.approx(3e-6, rel=1e-9)
    assert scale == LEAST_SCALE


def test_a_cubic_may_turn_twice_within_a_step() -> None:
    # u (u - 1/2) (u - 1) goes up, down and up by 1 / (12 sqrt 3), twice that, and once more.
    twice = variation(np.zeros(2), np.array([0.5, 0.5]))
    assert twice == pytest.approx(4 / (12 * math.sqrt(3)), rel=1e-14)
    # u - u**2 goes up by a quarter and down again, and a straight line only up.
    assert variation(np.zeros(2), np.array([1.0, -1.0])) == pytest.approx(0.5, rel=1e-14)
    assert variation(np.array([0.0, 1.0, 3.0]), np.array([1.0, 1.5, 2.0])) == 3.0
