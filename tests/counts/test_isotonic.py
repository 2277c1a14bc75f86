"""Recalibration at sizes and shapes that need each of its ways."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from scipy.optimize import isotonic_regression

from properly import Tally, reliability, tally
from properly._boundary._chunks import MANY, PIECE
from properly.counts import _isotonic as isotonic
from properly.inference._draws import Counts


@pytest.mark.parametrize("rows", [PIECE + 1, 2 * PIECE, MANY * PIECE + 5])
@pytest.mark.parametrize("ties", [False, True])
def test_pieces_join_to_the_fit_of_the_whole(rows: int, ties: bool) -> None:
    rng = np.random.default_rng(rows)
    p = rng.random(rows)
    if ties:
        p = np.round(p * rows) / rows  # about a third of the forecasts share their value
    t = tally(rng.random(rows) < np.sqrt(p), p)
    expected = isotonic_regression(t.events / t.weight, weights=t.weight).x
    np.testing.assert_allclose(reliability(t).recalibrated, expected, rtol=0, atol=1e-12)


def test_an_input_built_to_need_a_pass_a_point_is_finished_in_order() -> None:
    # Rates rise slowly, then one huge group far below undoes every rise, last one first.
    k = 40 * isotonic.PASSES
    events = np.append(np.arange(k), 0)
    weight = np.append(np.full(k, k), k**3)
    t = Tally.from_counts(np.linspace(0, 1, k + 1), weight, events)
    fit = isotonic.recalibrate(t)
    assert fit.end[-1] == k + 1
    assert fit.weight.sum() == weight.sum()
    assert (np.diff(fit.event_rate) > 0).all()
    expected = isotonic_regression(events / weight, weights=weight).x
    np.testing.assert_allclose(reliability(t).recalibrated, expected, rtol=0, atol=1e-12)


def test_counts_whose_products_overflow_are_compared_exactly() -> None:
    n = 4 * isotonic.PRODUCTS_FIT
    # The first rates differ in the tenth digit and rise, the last two are equal.
    t = Tally.from_counts(
        [0.1, 0.2, 0.3, 0.4], [n, n + 1, 2 * n, 4 * n], [n // 2, n // 2 + 1, n + 2, 2 * n + 4]
    )
    fit = isotonic.recalibrate(t)
    assert fit.end.tolist() == [1, 2, 4]
    assert fit.weight.sum() == t.total


def test_neighbours_of_equal_rate_are_one_bin() -> None:
    t = Tally.from_counts([0.1, 0.2, 0.3, 0.9], [3, 6, 9, 1], [1, 2, 3, 1])
    assert reliability(t).bins.weight.tolist() == [18, 1]


def test_fractional_weights_of_very_different_size_still_give_increasing_rates() -> None:
    rng = np.random.default_rng(7)
    p = rng.random(2000)
    weight = 10.0 ** rng.uniform(-9, 9, p.size)
    rate = reliability(tally(rng.random(p.size) < p, p, weight=weight)).bins.event_rate
    assert (np.diff(rate) > 0).all()
    assert rate[0] >= 0
    assert rate[-1] <= 1


def test_blocks_that_each_defy_the_passes_are_finished_exactly() -> None:
    k, blocks = 300, 60
    events = np.tile(np.append(np.arange(1, k), 0), blocks)
    weight = np.tile(np.append(np.full(k - 1, k), 10 * k), blocks)
    t = Tally.from_counts(np.linspace(0, 1, k * blocks), weight, events)
    fit = isotonic.recalibrate(t)
    n, o = np.cumsum(fit.weight), np.cumsum(fit.events)
    rate = [Fraction(int(e), int(w)) for e, w in zip(fit.events, fit.weight, strict=True)]
    assert all(left < right for left, right in pairwise(rate))
    expected = isotonic_regression(events / weight, weights=weight).x
    np.testing.assert_allclose(fit.spread(fit.event_rate), expected, rtol=1e-12)
    assert (n[-1], o[-1]) == (weight.sum(), events.sum())


# Random tallies

Column = np.ndarray[Any, Any]
Bins = list[tuple[int, int, Fraction]]


def merged(bins: Bins, cases: list[int]) -> Bins:
    """Make one bin of neighbours of equal event rate, which may stay two; nothing may fall."""
    found: Bins = []
    for bin_, size in zip(bins, cases, strict=True):
        assert size > 0
        if found and found[-1][2] == bin_[2]:
            found[-1] = (found[-1][0], bin_[1], bin_[2])
        else:
            assert not found or found[-1][2] < bin_[2]
            found.append(bin_)
    return found


def bins_of(fit: isotonic.Refit) -> Bins:
    rates = [Fraction(int(o), int(n)) for o, n in zip(fit.events, fit.weight, strict=True)]
    bins = list(zip(fit.first.tolist(), fit.last.tolist(), rates, strict=True))
    return merged(bins, fit.weight.tolist())


def bins_of_sequences(forecast: Column, happened: Column) -> list[Bins]:
    """Return the bins of each replicate in forecasts, with the rates as fractions."""
    fit, cases = isotonic.refit_sequences(happened), forecast.shape[1]
    found = []
    for row in range(len(happened)):
        part = fit.row == row
        first, last = fit.first[part] - row * cases, fit.last[part] - row * cases
        assert (first[0], last[-1]) == (0, cases - 1)
        assert (first[1:] == last[:-1] + 1).all()  # every case is in one bin
        sizes = (last - first + 1).tolist()
        rates = [Fraction(r).limit_denominator(cases) for r in fit.event_rate[part].tolist()]
        ends = [forecast[row, x].tolist() for x in (first, last)]
        found.append(merged(list(zip(*ends, rates, strict=True)), sizes))
    return found


def padded(outcomes: Any) -> Column:
    y = np.atleast_2d(np.asarray(outcomes, dtype=bool))
    return np.pad(y, ((0, 0), (1, 1)), constant_values=((False, False), (True, False)))


def counted(forecast: Column, y: Column, forecasts: int) -> tuple[Column, Column]:
    weight = np.bincount(forecast, minlength=forecasts)
    return weight, np.bincount(forecast[y], minlength=forecasts)


@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize("seed", range(3))
def test_sequences_have_the_bins_of_their_counts(seed: int, ties: bool) -> None:
    rng = np.random.default_rng(seed)
    weight = rng.integers(1, 5, 15) if ties else np.ones(15, dtype=np.int64)
    probability = np.linspace(0, 1, 15) ** rng.uniform(0.3, 3)
    drawn = next(Counts(probability, weight).sequences(probability, [40], rng))
    found = bins_of_sequences(drawn.forecast, drawn.happened)
    for forecast, y, bins in zip(drawn.forecast, drawn.happened[:, 1:-1], found, strict=True):
        assert bins == bins_of(isotonic.refit(*counted(forecast, y, 15)))


@pytest.mark.parametrize("cases", [1, 2, 7])
def test_replicates_of_all_and_of_no_events_keep_apart(cases: int) -> None:
    rows = [[1] * cases, [0] * cases, [0] * cases, [1] * cases, [1] * cases]
    forecast = np.tile(np.arange(cases), (5, 1))
    found = bins_of_sequences(forecast, padded(rows))
    assert found == [[(0, cases - 1, Fraction(row[0]))] for row in rows]
    for row, bins in zip(rows, found, strict=True):
        assert bins == bins_of(isotonic.refit(np.ones(cases), np.array(row)))


def test_every_short_sequence_has_the_bins_of_its_counts() -> None:
    rows = [[k >> i & 1 for i in range(8)] for k in range(256)]
    forecast = np.tile(np.arange(8), (256, 1))
    found = bins_of_sequences(forecast, padded(rows))
    for row, bins in zip(rows, found, strict=True):
        assert bins == bins_of(isotonic.refit(np.ones(8, dtype=int), np.array(row)))


def test_one_forecast_drawn_again_and_again_is_one_bin() -> None:
    found = bins_of_sequences(
        np.zeros((2, 5), dtype=int), padded([[1, 1, 0, 0, 0], [1, 1, 1, 1, 0]])
    )
    assert found == [[(0, 0, Fraction(2, 5))], [(0, 0, Fraction(4, 5))]]


@pytest.mark.parametrize("seed", range(3))
def test_a_refit_of_all_forecasts_is_the_recalibration(seed: int) -> None:
    rng = np.random.default_rng(seed)
    weight = rng.integers(1, 9, 50)
    t = Tally.from_counts(np.linspace(0, 1, 50), weight, rng.binomial(weight, 0.5))
    fit = isotonic.recalibrate(t)
    start = np.append(0, fit.end[:-1]).tolist()
    rates = [Fraction(int(o), int(n)) for o, n in zip(fit.events, fit.weight, strict=True)]
    expected = list(zip(start, (fit.end - 1).tolist(), rates, strict=True))
    assert bins_of(isotonic.refit(t.weight, t.events)) == expected


def test_a_refit_leaves_out_forecasts_that_were_not_drawn() -> None:
    fit = isotonic.refit(np.array([0, 2, 0, 1, 4, 0]), np.array([0, 1, 0, 0, 3, 0]))
    assert bins_of(fit) == [(1, 3, Fraction(1, 3)), (4, 4, Fraction(3, 4))]
    np.testing.assert_allclose(fit.event_rate, [1 / 3, 3 / 4], rtol=1e-15)


def test_a_refit_of_fractional_weights_adds_them_up() -> None:
    fit = isotonic.refit(np.array([0.5, 1.5, 0.0, 2.0]), np.array([0.5, 0.25, 0.0, 1.5]))
    assert (fit.first.tolist(), fit.last.tolist()) == ([0, 3], [1, 3])
    np.testing.assert_allclose(fit.event_rate, [0.375, 0.75], rtol=1e-15)


def test_no_rounding_of_fractional_weights_makes_a_rate_greater_than_1() -> None:
    rng = np.random.default_rng(0)
    weight = rng.gamma(2, size=300)
    events = weight * rng.random((100, 300))
    events[:, -40:] = weight[-40:]
    assert isotonic.refit(weight, events).event_rate.max() == 1


def test_a_curve_is_flat_on_bins_straight_between_them_and_nowhere_beyond() -> None:
    value = np.array([0.0, 0.1, 0.2, 0.3, 0.5, 0.7, 1.0])
    fit = isotonic.refit(np.array([0, 2, 0, 1, 4, 0, 0]), np.array([0, 1, 0, 0, 3, 0, 0]))
    x = np.array([0.0, 0.09, 0.1, 0.17, 0.3, 0.4, 0.5, 0.51, 1.0])
    half_way = (1 / 3 + 3 / 4) / 2
    nan = np.nan
    expected = [nan, nan, 1 / 3, 1 / 3, 1 / 3, half_way, 3 / 4, nan, nan]
    (curve,) = fit.curves(value[fit.corners], x)
    np.testing.assert_allclose(curve, expected, rtol=1e-14)


@pytest.mark.parametrize("outcome", [0, 1])
def test_one_case_has_a_curve_at_its_forecast_alone(outcome: int) -> None:
    fit = isotonic.refit(np.array([0, 1, 0]), np.array([0, outcome, 0]))
    value = np.array([0.1, 0.4, 0.8])
    (got,) = fit.curves(value[fit.corners], value)
    np.testing.assert_array_equal(got, [np.nan, outcome, np.nan])


def test_corners_and_curves_of_many_are_those_of_each() -> None:
    rng = np.random.default_rng(3)
    weight = rng.integers(1, 5, (6, 20))
    events = rng.binomial(weight, np.linspace(0.1, 0.9, 20))
    found, value = isotonic.refit(weight, events), np.linspace(0, 1, 20)
    curves = found.curves(value[found.corners % 20], value)
    for row, curve in enumerate(curves):
        fit = isotonic_regression(events[row] / weight[row], weights=weight[row])
        first, last = fit.blocks[:-1], fit.blocks[1:] - 1
        corner = found.corners[np.repeat(found.row == row, 2)] - 20 * row
        np.testing.assert_array_equal(corner, np.stack([first, last], axis=1).ravel())
        np.testing.assert_allclose(curve, fit.x, rtol=1e-14)
    assert len(curves) == 6
