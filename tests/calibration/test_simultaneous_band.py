"""Bounds of the whole curve, against their definition run by run."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
import pytest
from scipy.stats import beta

from properly.calibration._reliability_bands import honest_band, upper_bounds

Column: TypeAlias = np.ndarray[Any, Any]


def least_of_all_runs(cases: Column, events: Column, share: float) -> Column:
    """Find the limit of each run of cells, and the least of those that begin there or after."""
    bound = np.ones(len(cases))
    for first in range(len(cases)):
        n, o = np.cumsum(cases[first:]), np.cumsum(events[first:])
        some = o < n
        limits = beta.isf(share, o[some] + 1, (n - o)[some])
        bound[: first + 1] = np.minimum(bound[: first + 1], limits.min(initial=1.0))
    return bound


# From nearly nothing to many cases a cell, with all and none of them events among the cells.
SIZES = {"single": 1, "few": 4, "some": 60, "many": 5000}


@pytest.mark.parametrize("most", SIZES.values(), ids=SIZES)
@pytest.mark.parametrize("share", [0.2, 1e-3, 1e-8])
@pytest.mark.parametrize("seed", range(4))
def test_the_bounds_are_the_best_of_all_runs(most: int, share: float, seed: int) -> None:
    rng = np.random.default_rng(seed)
    cells = int(rng.integers(1, 25))
    cases = rng.integers(1, most + 1, cells)
    rate = rng.choice([0.0, 1.0, 0.02, 0.5, 0.9], size=cells)
    if seed % 2:
        rate.sort()
    events = rng.binomial(cases, rate)
    got = upper_bounds(cases, events, share)
    np.testing.assert_allclose(got, least_of_all_runs(cases, events, share), rtol=0, atol=1e-12)
    assert (np.diff(got) >= 0).all()


def test_without_an_event_the_bound_has_a_formula() -> None:
    # Of n cases none: 1 - share^(1 / n), and the run from each cell to the end is the longest.
    got = upper_bounds(np.array([2, 3, 5]), np.zeros(3, dtype=int), 0.01)
    np.testing.assert_allclose(got, 1 - 0.01 ** (1 / np.array([10, 8, 5])), rtol=0, atol=1e-14)


def test_where_all_had_the_event_nothing_bounds_from_above() -> None:
    assert upper_bounds(np.array([2, 3]), np.array([2, 3]), 0.01).tolist() == [1, 1]
    # What lies below has the better of the bounds above it.
    got = upper_bounds(np.array([1, 50, 2]), np.array([1, 0, 2]), 0.01)
    assert got[0] == got[1] == pytest.approx(1 - 0.01 ** (1 / 50), abs=1e-14)
    assert got[2] == 1


@pytest.mark.parametrize("grouped", [False, True])
def test_a_smaller_share_of_the_error_bounds_less(grouped: bool) -> None:
    rng = np.random.default_rng(5)
    value = np.sort(rng.random(300))
    weight, events = np.ones(300, dtype=int), (rng.random(300) < value).astype(int)
    narrow, wide = (
        honest_band(value, weight, events, level, grouped=grouped) for level in (0.5, 0.99)
    )
    np.testing.assert_array_equal(narrow.x, wide.x)
    assert (wide.lower <= narrow.lower).all()
    assert (wide.upper >= narrow.upper).all()
    assert (wide.upper > narrow.upper).any()


def test_cells_are_made_from_the_forecasts_alone_and_have_two_ends() -> None:
    value, weight = np.linspace(0.1, 0.9, 200), np.full(200, 2)
    none, every = (
        honest_band(value, weight, events, 0.9, grouped=True) for events in (0 * weight, weight)
    )
    np.testing.assert_array_equal(none.x, every.x)
    # 400 cases: 2 * 400^(2/5) = 21.97, so 22 cells of nine or ten forecasts.
    assert len(none.x) == 44
    assert (none.x[0], none.x[-1]) == (0.1, 0.9)
    assert (none.lower == 0).all()
    assert (every.upper == 1).all()
    # From the first cell on all cases bear on the bound: shared by 22 * 23 / 2 runs, two sides.
    share = 0.1 / (22 * 23)
    assert none.upper[0] == pytest.approx(1 - share ** (1 / 400), abs=1e-12)
    assert every.lower[-1] == pytest.approx(share ** (1 / 400), abs=1e-12)


def test_a_cell_of_one_forecast_has_both_bounds_there() -> None:
    band = honest_band(np.array([0.3]), np.array([20]), np.array([6]), 0.9, grouped=True)
    assert band.x.tolist() == [0.3]
    # Clopper and Pearson's interval.
    np.testing.assert_allclose(band.lower, beta.ppf(0.05, 6, 15), rtol=0, atol=1e-12)
    np.testing.assert_allclose(band.upper, beta.isf(0.05, 7, 14), rtol=0, atol=1e-12)
