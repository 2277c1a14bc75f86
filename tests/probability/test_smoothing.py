"""Event rates around each forecast, against plain loops and laws."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import examples

import properly.probability._sources as room
from properly import tally
from properly.probability._sources import nearest, smooth

Column = np.ndarray[Any, Any]
Table = tuple[Column, Column, Column]


def nearest_by_hand(value: list[Fraction], weight: Column, events: Column, k: float) -> list[float]:
    """Widen the circle around each forecast, one distance after the other."""
    rates = []
    for centre in value:
        for radius in sorted({abs(v - centre) for v in value}):
            near = [j for j, v in enumerate(value) if abs(v - centre) <= radius]
            cases = sum(int(weight[j]) for j in near)
            if cases >= k or len(near) == len(value):
                rates.append(sum(int(events[j]) for j in near) / cases)
                break
    return rates


def smooth_by_hand(value: Column, weight: Column, events: Column, h: float) -> list[float]:
    rates = []
    for a in value:
        above = below = 0.0
        for b, w, e in zip(value, weight, events, strict=True):
            if 0 < a < 1 and 0 < b < 1:
                u = (math.log(a / (1 - a)) - math.log(b / (1 - b))) / h
                kernel = math.exp(-u * u / 2)
            else:
                kernel = float(a == b)
            above += e * kernel
            below += w * kernel
        rates.append(above / below)
    return rates


@pytest.fixture(params=["pairs", "boxes"])
def form(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Force one of the two ways to add up the kernel."""
    monkeypatch.setattr(room, "PAIRS_UP_TO", {"pairs": 10**9, "boxes": 0}[request.param])
    return str(request.param)


def both_forms(table: Table, *args: float | None) -> tuple[Column, Column]:
    found = []
    for most in (10**9, 0):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(room, "PAIRS_UP_TO", most)
            found.append(smooth(*table, *args))
    return found[0], found[1]


def table_of(seed: int, rows: int, most: int = 4, *, ends: bool = False) -> Table:
    rng = np.random.default_rng(seed)
    value = np.unique(rng.beta(0.6, 0.9, rows))
    if ends:
        value = np.unique(np.concatenate([[0.0], value, [1.0]]))
    weight = rng.integers(1, most, len(value), endpoint=True)
    return value, weight, rng.binomial(weight, value)


# Nearest


@st.composite
def decimal_tables(draw: st.DrawFn) -> tuple[list[Fraction], Column, Column, int]:
    fortieths = draw(st.sets(st.integers(0, 40), min_size=1, max_size=12))
    value = [Fraction(k, 40) for k in sorted(fortieths)]
    weight = [draw(st.integers(1, 4)) for _ in value]
    events = [draw(st.integers(0, w)) for w in weight]
    return value, np.array(weight), np.array(events), draw(st.integers(1, sum(weight) + 3))


@examples(80)
@given(decimal_tables())
def test_the_nearest_are_those_of_a_widening_circle_with_all_ties_of_decimals(
    drawn: tuple[list[Fraction], Column, Column, int],
) -> None:
    value, weight, events, k = drawn
    rounded = np.array([float(v) for v in value])
    expected = nearest_by_hand(value, weight, events, k)
    np.testing.assert_array_equal(nearest(rounded, weight, events, k), expected)


@pytest.mark.parametrize("more", [0, 1, 10**6])
@pytest.mark.parametrize("dtype", [np.int64, np.float64])
def test_all_cases_give_the_event_rate(more: int, dtype: type) -> None:
    value, weight, events = table_of(2, 200, ends=True)
    rate = nearest(value, weight.astype(dtype), events.astype(dtype), weight.sum() + more)
    np.testing.assert_array_equal(rate, events.sum() / weight.sum())


# Smooth


@pytest.mark.slow
@pytest.mark.usefixtures("form")
@pytest.mark.parametrize("h", [0.03, 0.4, 3.0, 50.0])
def test_the_kernel_weighs_cases_as_a_plain_loop_does(h: float) -> None:
    value, weight, events = table_of(5, 120, ends=True)
    expected = smooth_by_hand(value, weight, events, h)
    np.testing.assert_allclose(smooth(value, weight, events, h), expected, rtol=0, atol=1e-13)


@pytest.mark.usefixtures("form")
def test_the_bandwidth_follows_the_spread_and_the_number_of_cases_between_0_and_1() -> None:
    value, weight, events = table_of(6, 120, ends=True)
    each = np.repeat(value[1:-1], weight[1:-1])
    h = 1.06 * np.std(np.log(each / (1 - each)), ddof=1) * len(each) ** -0.2
    expected = smooth_by_hand(value, weight, events, h)
    np.testing.assert_allclose(smooth(value, weight, events), expected, rtol=0, atol=1e-13)


def test_weights_of_less_than_one_case_have_a_bandwidth() -> None:
    value, weight, events = np.array([0.2, 0.8]), np.array([0.5, 0.5]), np.array([0.5, 0.0])
    h = 1.06 * math.log(4)  # log-odds of -ln 4 and ln 4, and n = 1
    expected = smooth_by_hand(value, weight, events, h)
    np.testing.assert_allclose(smooth(value, weight, events), expected, rtol=1e-14)


@pytest.mark.slow
@pytest.mark.parametrize("h", [None, 0.002, 0.3, 8.0])
@pytest.mark.parametrize("weights", ["counts", "fractions", "wild"])
def test_boxes_give_what_all_pairs_give(h: float | None, weights: str) -> None:
    value, weight, events = table_of(8, 1200, ends=True)
    factor = {
        "counts": np.ones(len(value), dtype=np.int64),
        "fractions": np.random.default_rng(8).random(len(value)),
        "wild": 10.0 ** np.random.default_rng(9).uniform(-9, 9, len(value)),
    }[weights]
    pairs, boxes = both_forms((value, weight * factor, events * factor), h, 2000.0)
    np.testing.assert_allclose(boxes, pairs, rtol=0, atol=1e-12)


def test_boxes_are_precise_where_a_crowd_far_away_is_as_heavy_as_the_case_itself() -> None:
    # A crowd of events around log-odds 0, and lone non-events up to 8 bandwidths away.
    x = np.concatenate([np.linspace(-0.3, 0.3, 2000), np.linspace(1.5, 8, 60)])
    events = (np.arange(len(x)) < 2000).astype(np.int64)
    pairs, boxes = both_forms((1 / (1 + np.exp(-x)), np.ones_like(events), events), 1.0)
    assert pairs[2000] > 0.9
    assert pairs[-1] < 1e-8
    np.testing.assert_allclose(boxes, pairs, rtol=1e-10, atol=0)


@pytest.mark.usefixtures("form")
@pytest.mark.parametrize("h", [1e9, math.inf])
def test_a_wide_kernel_gives_the_event_rate_of_all_but_certain_forecasts(h: float) -> None:
    value, weight, events = table_of(10, 300, ends=True)
    rate = smooth(value, weight, events, h)
    overall = events[1:-1].sum() / weight[1:-1].sum()
    np.testing.assert_allclose(rate[1:-1], overall, rtol=1e-12)
    np.testing.assert_array_equal(rate[[0, -1]], (events / weight)[[0, -1]])


@pytest.mark.usefixtures("form")
@pytest.mark.parametrize("h", [0.0, 1e-320, 1e-9])
def test_a_narrow_kernel_gives_each_forecast_its_own_rate(h: float) -> None:
    value, weight, events = table_of(11, 300, ends=True)
    np.testing.assert_allclose(smooth(value, weight, events, h), events / weight, rtol=1e-14)


@pytest.mark.usefixtures("form")
@pytest.mark.parametrize("value", [[0.3], [0.0], [1.0], [0.0, 1.0], [0.0, 0.3, 1.0]])
def test_a_single_forecast_between_0_and_1_has_its_own_rate(value: list[float]) -> None:
    weight, events = np.full(len(value), 4), np.array([3, 0, 4])[: len(value)]
    rate = smooth(np.array(value), weight, events)
    np.testing.assert_allclose(rate, events / weight, rtol=1e-15)


# Both

RATES = [
    pytest.param(nearest, id="nearest"),
    pytest.param(lambda v, w, e: nearest(v, w, e, 3), id="nearest 3"),
    pytest.param(smooth, id="smooth"),
    pytest.param(lambda v, w, e: smooth(v, w, e, 0.05), id="smooth 0.05"),
]


@pytest.mark.usefixtures("form")
@pytest.mark.parametrize("rate", RATES)
def test_counts_are_repeated_rows_in_any_order(rate: Any) -> None:
    rng = np.random.default_rng(12)
    value, weight, events = table_of(12, 200)
    y = np.concatenate([np.arange(w) < e for w, e in zip(weight, events, strict=True)])
    p = np.repeat(value, weight)
    order = rng.permutation(len(p))
    t = tally(y[order], p[order])
    np.testing.assert_array_equal(rate(t.value, t.weight, t.events), rate(value, weight, events))


@pytest.mark.usefixtures("form")
@pytest.mark.parametrize("rate", RATES)
@pytest.mark.parametrize("grid", [100, 2**20])
def test_what_does_not_happen_is_the_mirror_image(rate: Any, grid: int) -> None:
    rng = np.random.default_rng(13)
    value = np.unique(rng.integers(0, grid, 300, endpoint=True)) / grid
    weight = rng.integers(1, 3, len(value), endpoint=True)
    events = rng.binomial(weight, value)
    mirrored = rate((1 - value)[::-1], weight[::-1], (weight - events)[::-1])
    np.testing.assert_allclose(1 - mirrored[::-1], rate(value, weight, events), rtol=0, atol=1e-13)


@pytest.mark.usefixtures("form")
@pytest.mark.parametrize("rate", RATES)
@pytest.mark.parametrize("happened", [0, 1])
def test_where_all_is_alike_the_rate_is_exact(rate: Any, happened: int) -> None:
    value, weight, _ = table_of(14, 500)
    fraction = weight * np.random.default_rng(14).random(len(weight))
    for w in (weight, fraction):
        assert (rate(value, w, happened * w) == happened).all()


@pytest.mark.usefixtures("form")
@pytest.mark.parametrize("rate", RATES)
def test_no_outcome_that_happened_is_impossible_however_light(rate: Any) -> None:
    rng = np.random.default_rng(15)
    value = np.sort(rng.random(600))
    weight = 10.0 ** rng.uniform(-150, 150, len(value))
    happened = rng.random(len(value)) < value
    found = rate(value, weight, weight * happened)
    assert ((found >= 0) & (found <= 1)).all()
    assert (found[happened] > 0).all()
    assert (1 - found[~happened] > 0).all()
