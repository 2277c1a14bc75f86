"""Recalibration at sizes and shapes that need each of its ways."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.optimize import isotonic_regression

from properly import Tally, reliability, tally
from properly._isotonic import PASSES, PRODUCTS_FIT, SHORT, _all_above, recalibrate
from properly._sweep import MANY, PIECE


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
    k = 40 * PASSES
    events = np.append(np.arange(k), 0)
    weight = np.append(np.full(k, k), k**3)
    t = Tally.from_counts(np.linspace(0, 1, k + 1), weight, events)
    fit = recalibrate(t)
    assert fit.end[-1] == k + 1
    assert fit.weight.sum() == weight.sum()
    assert (np.diff(fit.event_rate) > 0).all()
    expected = isotonic_regression(events / weight, weights=weight).x
    np.testing.assert_allclose(reliability(t).recalibrated, expected, rtol=0, atol=1e-12)


def test_counts_whose_products_overflow_are_compared_exactly() -> None:
    n = 4 * PRODUCTS_FIT
    # The first rates differ in the tenth digit and rise, the last two are equal.
    t = Tally.from_counts(
        [0.1, 0.2, 0.3, 0.4], [n, n + 1, 2 * n, 4 * n], [n // 2, n // 2 + 1, n + 2, 2 * n + 4]
    )
    fit = recalibrate(t)
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
    fit = recalibrate(t)
    n, o = np.cumsum(fit.weight), np.cumsum(fit.events)
    rate = [Fraction(int(e), int(w)) for e, w in zip(fit.events, fit.weight, strict=True)]
    assert all(left < right for left, right in pairwise(rate))
    assert _all_above(np.cumsum(weight), np.cumsum(events), fit.end - 1)
    assert (n[-1], o[-1]) == (weight.sum(), events.sum())


def test_a_point_below_the_line_is_noticed() -> None:
    cases, events = np.array([1, 2, 3]), np.array([0, 0, 2])
    assert _all_above(cases, events, np.array([1, 2]))
    assert not _all_above(cases, events, np.array([2]))


def test_the_walk_stands_in_where_scipy_misses_a_corner(monkeypatch: pytest.MonkeyPatch) -> None:
    k = 3 * SHORT
    # Convex, so that no pass drops a point and all of them reach the finish.
    weight, events = np.full(k, 10 * k), np.arange(k)
    t = Tally.from_counts(np.linspace(0, 1, k), weight, events)
    expected = recalibrate(t)
    assert len(expected.end) == k

    def one_block(*_: object, **__: object) -> SimpleNamespace:
        return SimpleNamespace(blocks=np.array([0, k]))

    monkeypatch.setattr("scipy.optimize.isotonic_regression", one_block)
    np.testing.assert_array_equal(recalibrate(t).end, expected.end)
