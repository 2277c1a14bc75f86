"""Counts."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

from properly import Tally, decompose, tally
from properly._boundary._chunks import PIECE
from properly.rules import Log


def columns(t: Tally) -> list[Any]:
    kept = (getattr(t, name) for name in Tally.__dataclass_fields__)
    return [None if x is None else x.tolist() for x in kept if not isinstance(x, int)]


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_forecasts_that_differ_in_the_last_bit_stay_apart(dtype: Any) -> None:
    p = np.array([0, np.nextafter(dtype(0), dtype(1)), 0.5, np.nextafter(dtype(0.5), dtype(1)), 1])
    t = tally([0, 1, 1, 0, 1], p.astype(dtype))
    assert len(t) == 5
    assert t.value.tolist() == p.astype(dtype).tolist()
    assert t.events.tolist() == [0, 1, 1, 0, 1]


def test_zero_and_negative_zero_are_one_forecast() -> None:
    t = tally([0, 1], [0.0, -0.0])
    assert (t.value.tolist(), t.weight.tolist(), t.events.tolist()) == ([0.0], [2], [1])


def test_many_ties_are_counted_as_unique_counts_them() -> None:
    rng = np.random.default_rng(1)
    p = rng.integers(0, 2**16, 3 * PIECE) / 2**16
    y = rng.random(p.size) < p
    value, inverse = np.unique(p, return_inverse=True)
    t = tally(y, p)
    np.testing.assert_array_equal(t.value, value)
    np.testing.assert_array_equal(t.weight, np.bincount(inverse))
    np.testing.assert_array_equal(t.events, np.bincount(inverse, weights=y))


@pytest.mark.parametrize("kind", [int, float, np.float32, np.uint8])
def test_whole_weights_are_added_up_exactly_whatever_their_type(kind: Any) -> None:
    t = tally([1, 0], [0.3, 0.3], weight=np.array([3, 2], dtype=kind))
    assert t.weight.dtype == t.events.dtype == np.int64
    assert columns(t) == [[0.3], [5], [3], [9.0], [4.0], None]
    assert repr(t) == "Tally(weight 5 at 1 distinct forecast, event rate 0.6)"


def test_weights_too_large_to_count_are_sums() -> None:
    assert tally([1, 0], [0.3, 0.4], weight=[2.0**53, 1.0]).weight.dtype == np.float64
    large = tally([1, 0], [0.3, 0.4], weight=np.array([2**62, 2**63], dtype=np.uint64))
    assert large.weight.tolist() == [2.0**62, 2.0**63]
    often = tally([1, 0], [0.3, 0.4], weight=[2**40, 1], count=[2**40, 1])
    assert often.weight.tolist() == [2.0**80, 1.0]
    assert often.event_squares is not None
    assert often.event_squares.tolist() == [2.0**120, 0.0]
    both = tally([1, 0], [0.3, 0.4], weight=[2**62, 1]) + tally(
        [1, 0], [0.3, 0.4], weight=[2**62, 3]
    )
    assert both.weight.tolist() == [2.0**63, 4.0]
    assert both.weight.dtype == both.events.dtype == np.float64


def test_equal_weights_of_a_part_are_weights_of_the_whole() -> None:
    # What is divided out of one part need not be what is divided out of another.
    light, heavy = (tally([1, 0], [0.3, 0.3], weight=[w, w]) for w in (0.5, 2))
    mixed = tally([1, 0], [0.3, 0.4], weight=[1, 3])
    assert columns(light + heavy) == [[0.3], [5.0], [2.5], [4.25], [4.25], None]
    assert columns(heavy + mixed) == [[0.3, 0.4], [5, 3], [3, 0], [5.0, 0.0], [4.0, 9.0], None]
    assert (heavy + mixed).weight.dtype == np.int64
    assert columns(light.group(2) + mixed)[1:4] == [[5.0], [1.5], [1.25]]
    again = pickle.loads(pickle.dumps(light))  # noqa: S301
    assert columns(again + mixed) == columns(mixed + light)
    # Of one weight they stay counted, and so they do beside cases without.
    for other in (light, tally([1, 0], [0.3, 0.3])):
        assert columns(light + other) == [[0.3], [4], [2], None, None, None]


def test_counts_in_any_order_make_a_tally() -> None:
    t = Tally.from_counts([0.5, 0.1, 0.5, 0.7], [2, 3, 1, 0], [1, 0, 1, 0])
    assert columns(t)[:3] == [[0.1, 0.5], [3, 3], [0, 2]]


def test_cells_keep_mean_forecasts_totals_and_the_certain_forecasts() -> None:
    p = [0.0, 0.05, 0.2, 0.29, 0.3, 0.99, 1.0]
    t = tally([0, 0, 1, 0, 1, 1, 1], p, cells=10)
    assert t.cells == 10
    np.testing.assert_allclose(t.value, [0, 0.05, 0.245, 0.3, 0.99, 1], rtol=1e-15)
    assert t.weight.tolist() == [1, 1, 2, 1, 1, 1]
    assert t.events.tolist() == [0, 0, 1, 1, 1, 1]
    assert (
        repr(t)
        == "Tally(7 cases at 6 distinct forecasts, grouped into 10 cells, event rate 0.5714)"
    )


@pytest.mark.parametrize(("low", "cases"), [(0.9, [7, 2]), (0.86, [1, 5])])
def test_rounding_carries_no_mean_out_of_its_cell(low: float, cases: list[int]) -> None:
    values = [low, float(np.nextafter(low, 1))]
    mean = sum(v * n for v, n in zip(values, cases, strict=True)) / sum(cases)
    assert not values[0] <= mean <= values[1]
    (grouped,) = Tally.from_counts(values, cases, [1, 1]).group(4).value.tolist()
    assert grouped == (values[0] if mean < values[0] else values[1])


def test_grouping_is_remembered_by_sums() -> None:
    t = tally([0, 1], [0.1, 0.8])
    assert (t.group(5) + t).cells == 5
    assert (t + t).cells is None


@pytest.mark.parametrize(
    ("snap", "expected"),
    [
        (0.1, [0.2, 0.3]),
        (0.5, [0.0, 0.5]),
        (1, [0.0]),
        ([0.2, 0.8], [0.2]),
        ([0.0, 0.5, 1.0], [0.0, 0.5]),
    ],
)
def test_snapping_moves_to_the_nearest_value_and_half_way_up(snap: Any, expected: Any) -> None:
    assert tally([0, 1, 0], [0.21, 0.249, 0.25], snap=snap).value.tolist() == expected


def test_snapping_comes_before_pooling() -> None:
    # The reference implementation snaps after its sort and reports four heights for one forecast.
    t = tally([0, 1, 0, 1], [0.21, 0.22, 0.23, 0.24], snap=[0.2, 0.8])
    assert columns(t)[:3] == [[0.2], [4], [2]]


def test_a_snapping_grid_is_made_of_the_decimals_themselves() -> None:
    p = [0.07, 0.14, 0.29, 0.57, 0.58]
    assert tally([0] * 5, p, snap=0.01).value.tolist() == p


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_half_way_is_where_a_decimal_says_it_is(dtype: Any) -> None:
    p = np.array([0.05, 0.15, 0.25, 0.35, 0.45, 0.55, 0.65, 0.75, 0.85, 0.95], dtype=dtype)
    assert tally([0] * 10, p, snap=0.1).value.tolist() == [k / 10 for k in range(1, 11)]


def test_shards_can_be_summed() -> None:
    shards = [tally([0, 1], [0.1, 0.2]), tally([1], [0.2]), tally([0], [0.3])]
    whole = sum(shards)
    assert isinstance(whole, Tally)
    assert columns(whole)[:3] == [[0.1, 0.2, 0.3], [1, 2, 1], [0, 2, 0]]


def test_grouped_shards_sum_to_the_grouped_whole() -> None:
    rng = np.random.default_rng(3)
    p, y = rng.random(1000), rng.random(1000) < 0.4
    shards = [tally(y[i::10], p[i::10], cells=20) for i in range(10)]
    whole, summed = tally(y, p, cells=20), sum(shards[1:], start=shards[0])
    np.testing.assert_allclose(summed.value, whole.value, rtol=1e-14)
    assert columns(summed)[1:3] == columns(whole)[1:3]
    assert summed.cells == 20


def test_a_light_case_beside_a_heavy_one_is_not_lost() -> None:
    t = tally([1, 0], [1.0, 1.0], weight=[1.0, 1e-20])
    assert decompose(t, Log()).score == np.inf


@pytest.mark.parametrize("column", [list, np.array, pd.Series, pl.Series, np.float32])
def test_counts_may_come_in_any_kind_of_column(column: Any) -> None:
    t = Tally.from_counts(column([0.25, 0.5]), column([3, 2]), column([1, 2]))
    assert columns(t)[:3] == [[0.25, 0.5], [3, 2], [1, 2]]


@pytest.mark.parametrize("rows", [PIECE + 1, 9 * PIECE])
def test_runs_of_equal_forecasts_are_never_cut_in_two(rows: int) -> None:
    p = np.repeat([0.1, 0.2, 0.3], [PIECE // 2, rows - PIECE, PIECE // 2])
    y = np.arange(p.size) % 3 == 0
    t = tally(y, p)
    assert t.weight.tolist() == [PIECE // 2, rows - PIECE, PIECE // 2]
    assert t.events.sum() == y.sum()


@pytest.mark.parametrize("column", [list, np.array, pd.Series])
def test_a_tally_written_by_hand_is_checked_copied_and_frozen(column: Any) -> None:
    weight = column([1.0, 2.0])
    t = Tally(column([0.1, 0.2]), weight, column([True, False]))
    assert columns(t)[:3] == [[0.1, 0.2], [1, 2], [1, 0]]
    assert t.weight is not weight
    assert not t.weight.flags.writeable
    assert decompose(t, Log()).score > 0


def test_a_tally_of_fractions_can_be_written_by_hand() -> None:
    t = tally([0, 1], [0.1, 0.1], weight=[0.5, 0.25])
    again = Tally(t.value, t.weight, t.events, t.event_squares, t.nonevent_squares)
    assert columns(again) == columns(t)
