"""How often bands hold the curve that is true."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from reproductions.reliability.simulation import corp
from scipy.stats import beta

import properly
from properly import murphy_curve, roc_curve, tally

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from properly.inference import Band

    Floats = NDArray[np.float64]

# Intervals and bands of few events warn.
pytestmark = pytest.mark.filterwarnings("ignore:with .* intervals may cover less")

CURVES: dict[str, Callable[[Floats], Floats]] = {
    "calibrated": lambda p: p,
    "root": np.sqrt,
    "flat": lambda p: np.full_like(p, 0.3),
}


def outcomes_of(curve: str, sets: int) -> list[tuple[NDArray[np.bool_], Floats]]:
    rng = np.random.default_rng(20240605)
    p = rng.random((sets, 100))
    return list(zip(rng.random((sets, 100)) < CURVES[curve](p), p, strict=True))


def band_of(data: Any, kind: Any, method: Any = "auto") -> Band:
    band = properly.reliability(data, band=kind, method=method).band
    assert band is not None
    return band


@pytest.mark.parametrize(
    ("curve", "method"), [*((curve, "cells") for curve in CURVES), ("flat", "ungrouped")]
)
def test_a_simultaneous_band_covers_all_of_the_curve_as_often_as_it_says(
    curve: str, method: str
) -> None:
    x = np.linspace(0, 1, 1001)
    covered = 0
    for y, p in outcomes_of(curve, 200):
        lower, upper = band_of(properly.tally(y, p), "simultaneous", method).at(x)
        truth = CURVES[curve](x)
        covered += bool(((lower <= truth) & (truth <= upper)).all())
    assert covered / 200 >= 0.9


@pytest.mark.parametrize("curve", CURVES)
def test_a_band_by_likelihood_covers_each_point_about_as_often_as_it_says(curve: str) -> None:
    x = np.array([0.1, 0.3, 0.5, 0.7, 0.9])
    truth = CURVES[curve](x)
    covered = np.zeros(5)
    for y, p in outcomes_of(curve, 60):
        lower, upper = band_of(properly.tally(y, p), "confidence").at(x)
        covered += (lower <= truth) & (truth <= upper)
    # The band is conservative where the curve rises, and a little short near the ends of a flat
    # one, where an isotonic fit bends most.
    assert (covered / 60 >= 0.75).all()
    assert 0.86 <= covered.mean() / 60 <= 0.99


@pytest.mark.parametrize("method", ["resampling", "discrete"])
def test_a_consistency_band_contains_the_curve_of_calibrated_forecasts(method: Any) -> None:
    rng = np.random.default_rng(20240606)
    value, weight = np.arange(1, 10) / 10, np.full(9, 60)
    covered = np.zeros(9)
    for _ in range(60):
        t = properly.Tally.from_counts(value, weight, rng.binomial(weight, value))
        record = properly.reliability(
            t, band="consistency", method=method, level=0.9, replicates=200, rng=rng
        )
        assert record.band is not None
        inside = (record.band.lower <= record.recalibrated) & (
            record.recalibrated <= record.band.upper
        )
        covered += inside
    assert 0.84 <= covered.mean() / 60 <= 0.97


@pytest.mark.parametrize("t", [0.01, 0.02, 0.05, 0.3])
def test_a_confidence_band_covers_where_mistakes_are_few_and_dear(t: float) -> None:
    """Of forecasts from Beta(1, 19), at low thresholds hardly any event is missed."""
    rng, held = np.random.default_rng(5), []
    in_vain = 2 * t * 0.95 * beta.sf(t, 1, 20)
    truth = in_vain + 2 * (1 - t) * 0.05 * beta.cdf(t, 2, 19)
    for _ in range(300):
        p = rng.beta(1, 19, 300)
        band = murphy_curve(tally(rng.random(300) < p, p), band="confidence").band
        assert band is not None
        lower, upper = band.at(t)
        held.append(lower <= truth <= upper)
    # 90 % and four standard errors of a share of 300 below, somewhat conservative above.
    assert 0.83 < np.mean(held) < 0.99


def test_the_band_covers_the_curve_of_the_population() -> None:
    """Of calibrated, uniform forecasts the curve is known: FPR (1 - t)^2, TPR 1 - t^2."""
    t, alarm, held = np.linspace(0, 1, 2001), np.arange(1, 20) / 20, []
    for seed in range(300):
        data = corp(100, rng=seed)
        pi, band = (
            data.y.mean(),
            roc_curve(tally(data.y, data.p), band="confidence", level=0.9).band,
        )
        assert band is not None
        line = pi * (1 - t**2) + (1 - pi) * (1 - t) ** 2
        truth = np.interp(alarm, line[::-1], (1 - t[::-1]) ** 2)
        low, high = (
            np.interp(alarm, band.alarm_rate, x)
            for x in (band.upper_false_positive_rate, band.lower_false_positive_rate)
        )
        held.append((low <= truth) & (truth <= high))
    covered = np.mean(held, axis=0)
    # Four standard errors of a share of 300; at both ends of the curve too.
    assert np.abs(covered - 0.9).max() < 4 * math.sqrt(0.09 / 300)
