"""Bands of the parts of a Murphy curve, against sums over cases and exact probabilities."""

from __future__ import annotations

import math
from typing import Any, TypeAlias

import numpy as np
import pytest
from scipy.stats import binom, norm

import properly
from properly._boundary._options import as_drawing
from properly.decisions import _murphy_bands
from properly.decisions._murphy_bands import GRID, _part, _plug_in_error, _true_part, part_bounds

Column: TypeAlias = np.ndarray[Any, Any]

PARTS = ("miscalibration", "discrimination")
every_part = pytest.mark.parametrize("part", PARTS)

N = 70
RNG = np.random.default_rng(20240608)
P = RNG.choice([0.0, 0.08, 0.25, 0.4, 0.65, 0.9, 1.0], size=N)
Y = RNG.random(N) < 0.1 + 0.7 * P**2
T = properly.tally(Y, P)


def elementary(p: Any, y: Column, t: float) -> Column:
    """Return the cost of acting from t on, on the Brier scale, case by case."""
    return np.asarray(2 * np.where(np.asarray(p) >= t, t * (1 - y), (1 - t) * y))


def compared(part: str, y: Column, p: Column) -> Column:
    """Return the forecasts that recalibration is compared with."""
    return p if part == "miscalibration" else np.full(len(y), y.mean())


# At one threshold


@every_part
def test_a_part_is_the_mean_cost_that_recalibration_saves(part: str) -> None:
    best = properly.reliability(T).recalibrated[np.searchsorted(T.value, P)]
    got = _part(T.value, T.weight - T.events, T.events, part)
    for value, t in zip(got, GRID, strict=True):
        saved = elementary(compared(part, Y, P), Y, t) - elementary(best, Y, t)
        assert value == pytest.approx(saved.mean(), abs=1e-14)


@every_part
def test_forecasts_that_are_not_there_do_not_matter_to_a_part(part: str) -> None:
    weight, events = (np.insert(x, [2, 7], 0) for x in (T.weight, T.events))
    value = np.insert(T.value, [2, 7], [0.1, 1.0])
    got = _part(value, weight - events, events, part)
    np.testing.assert_allclose(got, _part(T.value, T.weight - T.events, T.events, part), atol=1e-15)


@every_part
def test_the_part_of_a_known_world_is_an_expected_cost(part: str) -> None:
    truth = 0.1 + 0.7 * T.value**2
    share = T.weight / T.weight.sum()
    worse = T.value if part == "miscalibration" else np.full(len(truth), share @ truth)
    got = _true_part(T.value, T.weight, truth, part)
    for value, t in zip(got, GRID, strict=True):
        cost = [
            truth * elementary(p, np.ones(7), t) + (1 - truth) * elementary(p, np.zeros(7), t)
            for p in (worse, truth)
        ]
        assert value == pytest.approx(share @ (cost[0] - cost[1]), abs=1e-14)


def test_a_calibrated_world_has_no_miscalibration_and_a_constant_one_no_discrimination() -> None:
    calibrated = _true_part(T.value, T.weight, T.value, "miscalibration")
    constant = _true_part(T.value, T.weight, np.full(7, 0.3), "discrimination")
    np.testing.assert_allclose(calibrated, 0, rtol=0, atol=1e-15)
    np.testing.assert_allclose(constant, 0, rtol=0, atol=1e-15)


@every_part
@pytest.mark.parametrize("block", [1, 5 * 7, 1 << 21])
def test_the_standard_error_is_that_of_the_cost_that_is_saved(
    part: str, block: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_murphy_bands, "BLOCK", block)  # however many thresholds go together
    recalibrated = np.asarray(properly.reliability(T).recalibrated)
    best = recalibrated[np.searchsorted(T.value, P)]
    got = _plug_in_error(T, T.value, recalibrated, part)
    assert len(got) == len(GRID)
    for value, t in zip(got, GRID, strict=True):
        saved = elementary(compared(part, Y, P), Y, t) - elementary(best, Y, t)
        assert value == pytest.approx(saved.std(ddof=1) / math.sqrt(N), abs=1e-14)


# Bounds


def drawn_bounds(source: Any, part: str, band: str, **options: Any) -> Any:
    options = {"level": 0.9, "replicates": 300, "rng": 1} | options
    return part_bounds(source, part, band, as_drawing(**options))


def test_the_consistency_band_of_one_forecast_holds_the_quantiles_of_a_binomial() -> None:
    # Recalibration moves all cases to their event rate: at a threshold above the forecast it saves
    # 2 (rate - t) where the rate is t or more, below the forecast 2 (t - rate) where it is less.
    cases, p = 40, 0.3
    t = properly.Tally.from_counts([p], [cases], [12])
    x, lower, upper = drawn_bounds(t, "miscalibration", "consistency", replicates=2000)
    np.testing.assert_array_equal(x, GRID)
    rate = np.arange(cases + 1) / cases
    chance = np.cumsum(binom.pmf(np.arange(cases + 1), cases, p))
    for place in (30, 48, 52, 58, 66, 80):
        threshold = x[place]
        saves = 2 * np.maximum(rate - threshold if threshold > p else threshold - rate, 0)
        # Three standard errors either side of the probability.
        ends = [(0.05, lower[place]), (0.95, upper[place])]
        for tail, got in ends if threshold > p else [(1 - q, end) for q, end in ends]:
            at = [saves[np.searchsorted(chance, tail + slack)] for slack in (-0.015, 0.015)]
            assert min(at) - 1e-12 <= got <= max(at) + 1e-12


@pytest.mark.slow
@every_part
def test_a_corrected_band_reaches_a_normal_quantile_beyond_both_biases(part: str) -> None:
    # Far too sure of themselves, and yet not without merit.
    t = properly.Tally.from_counts([0.1, 0.5, 0.9], [150, 100, 150], [50, 50, 95])
    narrow, wide = (drawn_bounds(t, part, "confidence", level=level) for level in (0.5, 0.9))
    assert (wide[1] >= 0).all()
    # The same draws: only the quantile differs, so where nothing is cut both ends move as far.
    uncut = wide[1] > 0
    assert uncut.sum() > 10
    lower, upper = (narrow[1] - wide[1])[uncut], (wide[2] - narrow[2])[uncut]
    np.testing.assert_allclose(lower, upper, rtol=0, atol=1e-14)
    error = lower / float(norm.ppf(0.95) - norm.ppf(0.75))
    recalibrated = np.asarray(properly.reliability(t).recalibrated)
    assert (error >= _plug_in_error(t, t.value, recalibrated, part)[uncut] - 1e-14).all()
    # Two biases of so many cases differ by less than the error, and are small beside the part.
    raw = _part(t.value, t.weight - t.events, t.events, part)[uncut]
    assert (abs((wide[1] + wide[2])[uncut] / 2 - raw) < error).all()


@every_part
def test_one_case_has_a_band(part: str) -> None:
    for band in ("consistency", "confidence"):
        _, lower, upper = drawn_bounds(properly.tally([1], [0.3]), part, band, replicates=20)
        assert ((lower >= 0) & (lower <= upper) & np.isfinite(upper)).all()


@every_part
def test_forecasts_that_are_certain_and_right_have_nothing_to_lose(part: str) -> None:
    t = properly.tally([0, 0, 1], [0.0, 0.0, 1.0])
    _, lower, upper = drawn_bounds(t, part, "consistency", replicates=20)
    found = _part(t.value, t.weight - t.events, t.events, part)
    np.testing.assert_allclose([lower, upper], [found, found], rtol=0, atol=1e-15)
