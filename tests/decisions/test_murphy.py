"""The record of a Murphy curve, on either scale."""

from __future__ import annotations

import numpy as np
import pytest

from properly import Cases, murphy_curve, regret_curve, tally
from properly.counts import baselines
from properly.counts._scoring import mean_score
from properly.decisions import murphy_difference, regret_difference
from properly.rules import Elementary, Regret

Y = np.array([0, 0, 1, 0, 1, 1, 0, 1] * 20)
P = np.array([0.1, 0.3, 0.3, 0.6, 0.9, 1.0, 0.0, 0.2] * 20)
Q = np.array([0.2, 0.3, 0.1, 0.5, 0.8, 0.9, 0.1, 0.4] * 20)
T = tally(Y, P)


@pytest.mark.parametrize("part", ["score", "miscalibration", "discrimination", "uncertainty"])
def test_regret_is_half_of_the_murphy_curve(part: str) -> None:
    whole, half = murphy_curve(T, part=part), regret_curve(T, part=part)  # type: ignore[arg-type]
    np.testing.assert_array_equal(half.threshold, whole.threshold)
    np.testing.assert_array_equal(2 * half.left, whole.left)
    np.testing.assert_array_equal(2 * half.right, whole.right)
    assert half.area((0.1, 0.7)) == pytest.approx(whole.area((0.1, 0.7)) / 2, rel=1e-15)
    assert (whole.scale, half.scale) == ("brier", "regret")


def test_the_band_is_halved_too() -> None:
    whole, half = murphy_curve(T, band="confidence").band, regret_curve(T, band="confidence").band
    assert whole is not None
    assert half is not None
    np.testing.assert_array_equal(2 * half.lower, whole.lower)
    np.testing.assert_array_equal(2 * half.upper, whole.upper)


def test_a_curve_of_regret_stays_one() -> None:
    curve = regret_curve(T)
    assert curve.on_regret_scale() is curve


def test_the_height_is_the_mean_elementary_loss() -> None:
    curve = regret_curve(T)
    for t in (0.05, 0.1, 0.25, 0.3, 0.6, 0.9, 0.95):
        assert float(curve.at(t)) == pytest.approx(mean_score(T, Elementary(t)), rel=1e-14)


def test_the_mean_height_over_a_range_is_the_mean_regret() -> None:
    for a, b in ((0.05, 0.2), (0.0, 1.0), (0.3, 0.6), (0.31, 0.32)):
        mean = regret_curve(T).area((a, b)) / (b - a)
        assert mean == pytest.approx(mean_score(T, Regret((a, b))), rel=1e-13)


def test_the_baselines_are_straight_lines() -> None:
    t, rate = np.array([0.1, 0.4, 0.7]), T.event_rate
    curves = {name: regret_curve(constant) for name, constant in baselines(T).items()}
    np.testing.assert_allclose(curves["treat all"].at(t), t * (1 - rate), rtol=1e-15)
    np.testing.assert_allclose(curves["treat none"].at(t), (1 - t) * rate, rtol=1e-15)
    least = np.minimum(t * (1 - rate), (1 - t) * rate)
    np.testing.assert_allclose(curves["event rate"].at(t), least, rtol=1e-15)


def test_the_difference_of_two_regrets_is_half_that_of_the_curves() -> None:
    first, second = Cases(Y, P), Cases(Y, Q)
    whole = murphy_difference(first, second, band="confidence", level=0.8)
    half = regret_difference(first, second, band="confidence", level=0.8)
    np.testing.assert_array_equal(2 * half.left, whole.left)
    assert whole.band is not None
    assert half.band is not None
    np.testing.assert_array_equal(2 * half.band.upper, whole.band.upper)
    assert half.band.level == 0.8
    assert repr(half).startswith("MurphyCurve(difference, regret scale, at ")
    assert half.to_dict()["scale"] == "regret"
