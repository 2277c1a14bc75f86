"""Grids of thresholds: what is taken, and what is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from properly import Interval
from properly.decisions._grid import check_thresholds, round_thresholds, settle
from properly.errors import DataWarning

HUNDREDTHS = np.arange(101) / 100


def test_the_usual_thresholds_are_decimals() -> None:
    found = check_thresholds(None)
    assert found is not None
    assert found.tolist() == [float(f"0.{k:02}") for k in range(1, 100)]


@pytest.mark.parametrize(("some", "taken"), [((0, 0.5), [0.0, 0.5]), (0, [0.0]), (0.1, [0.1])])
def test_thresholds_of_any_kind_become_floats(some: Any, taken: list[float]) -> None:
    found = check_thresholds(some)
    assert found is not None
    assert found.dtype == np.float64
    assert found.tolist() == taken


def test_a_grid_may_end_in_one_which_is_left_out() -> None:
    with pytest.warns(DataWarning, match="the threshold 1 is left out"):
        found = check_thresholds(np.linspace(0, 1, 101))
    assert found is not None
    assert found.tolist() == np.linspace(0, 1, 101)[:-1].tolist()


@pytest.mark.parametrize(("away", "moved"), [(-2e-9, False), (-5e-10, True), (5e-10, True)])
def test_forecasts_within_a_billionth_of_a_threshold_are_at_it(away: float, moved: bool) -> None:
    for threshold in (0.3, 3e-12):
        p = threshold * (1 + away)
        assert settle(np.array([p]), np.array([threshold]))[0] == (threshold if moved else p)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=8))
def test_forecasts_stay_in_order(p: list[float]) -> None:
    grid = HUNDREDTHS[1:100]
    before = np.sort(np.array([*p, *(grid[:9] * (1 + 4e-10))]))
    after = settle(before, grid)
    assert (np.diff(after) >= 0).all()
    assert ((after == before) | np.isin(after, grid)).all()
    assert (np.isin(after, grid)).sum() >= 9


def test_single_precision_is_compared_in_single_precision() -> None:
    p = HUNDREDTHS.astype(np.float32)
    assert (p.astype(np.float64) < HUNDREDTHS).sum() > 20
    np.testing.assert_array_equal(settle(p, HUNDREDTHS[:100])[:100], HUNDREDTHS[:100])
    assert settle(p, np.array([0.5]))[7] == np.float64(np.float32(0.07))


@pytest.mark.parametrize(
    ("within", "count", "some"),
    [
        ((0.01, 0.1), 37, [0.01, 0.0125, 0.05, 0.1]),
        ((0.05, 0.2), 31, [0.05, 0.055, 0.2]),
        ((0.0123, 0.0456), 35, [0.0123, 0.013, 0.014, 0.0456]),
        ((0.5, 1), 25, [0.5, 0.52, 0.98]),
        ((0, 0.05), 19, [0.00001, 0.01, 0.05]),
        (None, 33, [0.001, 0.01, 0.05, 0.1, 0.9]),
    ],
)
def test_thresholds_to_look_up_are_round(
    within: tuple[float, float] | None, count: int, some: list[float]
) -> None:
    found = round_thresholds(None if within is None else Interval(*within))
    assert len(found) == count
    assert set(some) <= set(found.tolist())


@given(
    st.floats(0, 1, exclude_max=True, allow_subnormal=False),
    st.floats(0, 1, allow_subnormal=False),
)
def test_thresholds_to_look_up_are_few_and_inside_the_range(one: float, other: float) -> None:
    lower, upper = sorted((one, other))
    if upper - lower <= 1e-9 * upper or upper < 1e-290:
        return
    found = round_thresholds(Interval(lower, upper))
    assert 1 <= len(found) <= 42
    assert np.all(np.diff(found) > 0)
    assert found[0] >= lower
    assert found[-1] <= upper
    assert 0 < found[0] <= found[-1] < 1
    assert {x for x in (lower, upper) if 0 < x < 1} <= set(found.tolist())
