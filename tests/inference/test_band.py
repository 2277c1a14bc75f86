"""Lower and upper bounds along a curve."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from properly import murphy_curve, reliability, tally
from properly.inference import Band

NAN = float("nan")


def lines(x: list[float], lower: list[float], upper: list[float]) -> Band:
    return Band(np.array(x), np.array(lower), np.array(upper), "likelihood", 0.9, "confidence")


def steps(x: list[float], lower: list[float], upper: list[float]) -> Band:
    bounds = np.array(lower), np.array(upper)
    return Band(np.array(x), *bounds, "cells", 0.9, "simultaneous", steps=True)


LINES = lines([0.2, 0.6], [0.1, 0.3], [0.5, 0.9])
STEPS = steps([0.2, 0.6], [0.1, 0.3], [0.4, 0.9])


def test_a_pointwise_band_is_straight_between_its_points_and_nowhere_beyond() -> None:
    lower, upper = LINES.at([0.1, 0.2, 0.3, 0.6, 0.7])
    np.testing.assert_allclose(lower, [NAN, 0.1, 0.15, 0.3, NAN], rtol=0, atol=1e-15)
    np.testing.assert_allclose(upper, [NAN, 0.5, 0.6, 0.9, NAN], rtol=0, atol=1e-15)


def test_a_simultaneous_band_is_everywhere() -> None:
    lower, upper = STEPS.at([0.0, 0.1, 0.2, 0.3, 0.6, 0.7, 1.0])
    assert lower.tolist() == [0, 0, 0.1, 0.1, 0.3, 0.3, 0.3]
    assert upper.tolist() == [0.4, 0.4, 0.4, 0.9, 0.9, 1, 1]


def test_the_outline_of_lines_is_the_points_and_that_of_steps_their_corners() -> None:
    for got, expected in zip(LINES.outline(), (LINES.x, LINES.lower, LINES.upper), strict=True):
        np.testing.assert_array_equal(got, expected)
    x, lower, upper = STEPS.outline()
    assert x.tolist() == [0, 0.2, 0.2, 0.6, 0.6, 1]
    assert lower.tolist() == [0, 0, 0.1, 0.1, 0.3, 0.3]
    assert upper.tolist() == [0.4, 0.4, 0.9, 0.9, 1, 1]


@pytest.mark.parametrize(
    ("band", "ranges"),
    [
        (LINES, []),
        (STEPS, []),
        (lines([0.0, 1.0], [0.2, 0.2], [0.8, 0.8]), [(0, 0.2), (0.8, 1)]),
        (lines([0.1, 0.9], [0.2, 0.2], [0.8, 0.8]), [(0.1, 0.2), (0.8, 0.9)]),
        (
            lines([0.1, 0.3, 0.5], [0.2, 0.2, 0.6], [0.25, 0.25, 0.7]),
            [(0.1, 0.2), (0.25, 0.34), (0.4, 0.5)],
        ),
        (lines([0.1, 0.5, 0.9], [NAN, 0.2, 0.2], [NAN, 0.8, 0.8]), [(0.8, 0.9)]),
        (steps([0.2, 0.6], [0.0, 0.0], [0.1, 0.3]), [(0.1, 0.2), (0.3, 0.6)]),
        (steps([0.2, 0.6], [0.5, 0.9], [1.0, 1.0]), [(0.2, 0.5), (0.6, 0.9)]),
    ],
)
def test_the_diagonal_leaves_the_band_exactly_where_it_does(
    band: Band, ranges: list[tuple[float, float]]
) -> None:
    np.testing.assert_allclose(np.ravel(band.outside()), np.ravel(ranges), rtol=0, atol=1e-14)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("kind", ["confidence", "simultaneous"])
def test_the_ranges_are_those_of_a_fine_grid(kind: Any, seed: int) -> None:
    rng = np.random.default_rng(seed)
    p = rng.random(600)
    band = reliability(tally(rng.random(600) < p**3, p), band=kind).band
    assert band is not None
    x = np.linspace(0, 1, 5003)
    lower, upper = band.at(x)
    outside = (upper < x) | (lower > x)
    assert outside.any()
    ranges = band.outside()
    inside = [(low < x) & (x < high) for low, high in ranges]
    np.testing.assert_array_equal(np.any(inside, axis=0), outside)


def test_bounds_that_refute_an_increasing_curve_are_left_as_they_are() -> None:
    # All of the low forecasts came true and none of the high ones.
    t = tally(np.repeat([1, 0], 200), np.repeat([0.2, 0.8], 200))
    band = reliability(t, band="simultaneous").band
    assert band is not None
    assert band.lower[-1] > 0.9
    assert band.upper[0] < 0.1


@pytest.mark.filterwarnings("ignore:with 2 events")
def test_the_last_jump_of_a_curve_is_seen_from_inside() -> None:
    t = tally([0, 1, 0, 1], [0.1, 0.3, 1.0, 1.0])
    curve = murphy_curve(t, band="confidence")
    assert curve.band is not None
    lower, upper = curve.band.at(1)
    assert lower <= curve.at(1) <= upper
