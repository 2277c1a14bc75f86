"""Counts: the tally of the whole, whatever the parts."""

from __future__ import annotations

import pickle
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import properly
from properly.engines import _cell_counts
from properly.engines._cell_counts import Counts, as_exact, cell_of
from properly.engines._exact_sums import Total
from properly.engines._long_integers import as_whole_numbers
from properly.errors import DataError

RNG = np.random.default_rng(3)
# Certain, next to certain, on borders, as small as can be, and ordinary.
ODD = np.array([0.0, 1.0, 5e-324, 1e-310, 1e-20, 0.1, 1 / 3, 0.5, 2 / 3, 0.7, 1 - 2**-53])
P = np.concatenate([ODD, ODD, RNG.random(60), np.round(RNG.random(40), 1)])
Y = RNG.random(len(P)) < 0.4
WEIGHTS: dict[str, Any] = {
    "none": None,
    "small": RNG.integers(0, 5, len(P)),
    "whole floats": RNG.integers(1, 9, len(P)).astype(float),
    "huge": RNG.integers(1, 2**50, len(P)),
}
FRACTIONS = RNG.random(len(P)) * 3
HALVES = slice(50), slice(50, None)


def some(x: Any, rows: Any) -> Any:
    return None if x is None else x[rows]


@pytest.mark.parametrize("cells", [1, 2, 3, 10, 1000])
@pytest.mark.parametrize("weight", WEIGHTS.values(), ids=WEIGHTS)
def test_cells_are_those_of_a_grouped_tally(weight: Any, cells: int) -> None:
    found = Counts.of_rows(Y, P, weight, cells).tally()
    expected = properly.tally(Y, P, weight=weight).group(cells)
    np.testing.assert_array_equal(found.weight, expected.weight)
    np.testing.assert_array_equal(found.events, expected.events)
    np.testing.assert_allclose(found.value, expected.value, rtol=1e-15, atol=0)
    assert found.cells == cells
    assert (found.event_squares is None) == (weight is None)
    for name in ("event_squares", "nonevent_squares") if weight is not None else ():
        # Exact digits are rounded once, floats at every addition.
        np.testing.assert_allclose(getattr(found, name), getattr(expected, name), rtol=1e-14)


@pytest.mark.parametrize("cells", [1, 3, 1000])
def test_fractions_in_cells_are_those_of_a_grouped_tally(cells: int) -> None:
    found = Counts.of_rows(Y, P, FRACTIONS, cells).tally()
    expected = properly.tally(Y, P, weight=FRACTIONS).group(cells)
    for name in ("weight", "events", "event_squares", "nonevent_squares"):
        np.testing.assert_allclose(getattr(found, name), getattr(expected, name), rtol=1e-14)
    np.testing.assert_allclose(found.value, expected.value, rtol=1e-15, atol=1e-322)


@pytest.mark.parametrize("weight", [*WEIGHTS.values(), FRACTIONS], ids=[*WEIGHTS, "fractions"])
def test_distinct_forecasts_are_those_of_a_tally(weight: Any) -> None:
    found = Counts.of_rows(Y, P, weight).tally()
    expected = properly.tally(Y, P, weight=weight)
    np.testing.assert_array_equal(found.value, expected.value)
    np.testing.assert_array_equal(found.weight, expected.weight)
    np.testing.assert_array_equal(found.events, expected.events)
    assert (found.event_squares is None) == (expected.event_squares is None)
    assert found.weight.dtype == expected.weight.dtype


@pytest.mark.parametrize("cells", [1, 2, 3, 7, 10, 49, 1000, 99_991])
def test_a_cell_is_one_more_than_the_borders_that_a_forecast_reaches(cells: int) -> None:
    edges = np.arange(1, cells) / cells
    near = np.concatenate([edges, np.nextafter(edges, 0), np.nextafter(edges, 1), P])
    expected = 1 + np.searchsorted(edges, near, side="right")
    expected = np.where(near == 0, 0, np.where(near == 1, cells + 1, expected))
    np.testing.assert_array_equal(cell_of(near, cells), expected)


@pytest.mark.parametrize("weight", [None, WEIGHTS["huge"]], ids=["none", "huge"])
def test_the_mean_of_a_cell_is_rounded_once(weight: Any) -> None:
    found = Counts.of_rows(Y, P, weight, 3).tally()
    for cell, value in enumerate(found.value):
        rows = np.flatnonzero(cell_of(P, 3) == cell)
        w = [1 if weight is None else int(weight[i]) for i in rows]
        moment = sum(w[i] * Fraction(P[row]) for i, row in enumerate(rows))
        assert value == float(moment / sum(w))


def test_a_cell_with_one_forecast_keeps_it() -> None:
    counts = Counts.of_rows(np.array([True, False, True]), np.full(3, 1e-310), None, 10)
    assert counts.tally().value.tolist() == [1e-310]
    assert (counts + counts + counts).tally().value.tolist() == [1e-310]


@pytest.mark.parametrize("weight", WEIGHTS.values(), ids=WEIGHTS)
@pytest.mark.parametrize("cells", [None, 10])
def test_parts_add_to_the_whole_bit_for_bit(weight: Any, cells: int | None) -> None:
    whole = Counts.of_rows(Y, P, weight, cells)
    order = RNG.permutation(len(P))
    parts = [
        Counts.of_rows(Y[rows], P[rows], some(weight, rows), cells)
        for rows in np.array_split(order, 7)
    ]
    found = sum(parts[1:4], start=parts[0]) + sum(parts[5:], start=parts[4])
    for name in Counts.__dataclass_fields__:
        one, two = getattr(whole, name), getattr(found, name)
        np.testing.assert_array_equal(one, two)
        assert getattr(one, "dtype", None) == getattr(two, "dtype", None)


def test_grouping_before_adding_is_grouping_after_it() -> None:
    left, right = (Counts.of_rows(Y[rows], P[rows]) for rows in (slice(50), slice(50, None)))
    whole = Counts.of_rows(Y, P, None, 10)
    for found in (left + right.grouped(10), left.grouped(1000) + right.grouped(10)):
        assert found.cells == 10
        assert found.least == whole.least
        np.testing.assert_array_equal(found.moment, whole.moment)
        np.testing.assert_array_equal(found.tally().value, whole.tally().value)


def test_the_squares_of_whole_weights_are_exact_however_large() -> None:
    counts = Counts.of_rows(Y, P, WEIGHTS["huge"], 1)
    assert counts.event_squares is not None
    assert counts.nonevent_squares is not None
    inside = (P > 0) & (P < 1)
    for squares, rows in ((counts.event_squares, Y), (counts.nonevent_squares, ~Y)):
        expected = sum(int(w) ** 2 for w in WEIGHTS["huge"][inside & rows])
        assert as_whole_numbers(squares)[1] == expected
    rounded: Any = counts.tally().event_squares
    expected = sum(int(w) ** 2 for w in WEIGHTS["huge"][inside & Y])
    assert rounded[1] == pytest.approx(float(expected), rel=1e-15)


def test_whole_weights_before_fractions_are_squared_as_weights() -> None:
    y, p = np.array([True, False, True]), np.array([0.25, 0.25, 0.25])
    whole = Counts.of_rows(y[:2], p[:2], np.array([3, 2]))
    plain = Counts.of_rows(y[2:], p[2:], np.array([1]))
    fraction = Counts.of_rows(y[2:], p[2:], np.array([0.5]))
    for found in (whole + plain + fraction, fraction + (plain + whole), whole + (fraction + plain)):
        tally: Any = found.tally()
        assert (tally.weight.tolist(), tally.events.tolist()) == ([6.5], [4.5])
        assert tally.event_squares.tolist() == [9 + 1 + 0.25]
        assert tally.nonevent_squares.tolist() == [4.0]
        assert found.grouped(4).tally().value.tolist() == [0.25]
    in_cells = (whole.grouped(4) + fraction.grouped(4)).tally()
    assert in_cells.value.tolist() == [0.25]


def test_counted_cases_and_weighed_ones_do_not_add() -> None:
    y, p = np.array([True, False]), np.array([0.25, 0.5])
    counted = Counts.of_rows(y, p, times=np.array([1, 3]))
    for weight in (np.array([1, 2]), np.array([1, 1]), np.array([0.5, 0.7])):
        weighed = Counts.of_rows(y, p, weight)
        for one, two in ((counted, weighed), (weighed, counted)):
            with pytest.raises(DataError, match="both be of counted cases, or both of weighted"):
                one + two


@pytest.mark.parametrize("each", [1, 3, 3.0, 0.1, 2**53 - 1])
@pytest.mark.parametrize("cells", [None, 3])
def test_equal_weights_are_divided_out_of_a_tally_only(each: Any, cells: int | None) -> None:
    weight = np.where(np.arange(len(P)) % 5, each, 0)
    rows = np.flatnonzero(weight > 0)
    parts = [Counts.of_rows(Y[some], P[some], weight[some], cells) for some in HALVES]
    found = parts[0] + parts[1]
    assert found.is_weighted
    assert found.has_equal_weights
    tally, expected = found.tally(), Counts.of_rows(Y[rows], P[rows], None, cells).tally()
    assert tally.event_squares is None
    np.testing.assert_array_equal(tally.weight, expected.weight)
    np.testing.assert_array_equal(tally.events, expected.events)
    np.testing.assert_allclose(tally.value, expected.value, rtol=1e-14)
    kept: Any = found.tally(divided=False)
    np.testing.assert_allclose(kept.weight, each * expected.weight, rtol=1e-14)
    np.testing.assert_allclose(kept.event_squares, float(each) ** 2 * expected.events, rtol=1e-14)


def test_a_part_of_equal_weights_adds_to_one_of_others() -> None:
    y, p = np.array([True, False, True]), np.array([0.25, 0.25, 0.5])
    weight = np.array([2, 2, 5])
    found = Counts.of_rows(y[:2], p[:2], weight[:2]) + Counts.of_rows(y[2:], p[2:], weight[2:])
    tally: Any = found.tally()
    assert found.weights == (2, 5)
    assert (tally.weight.tolist(), tally.events.tolist()) == ([4, 5], [2, 5])
    assert (tally.event_squares.tolist(), tally.nonevent_squares.tolist()) == ([4, 25], [4, 0])


@pytest.mark.parametrize("weight", [*WEIGHTS.values(), FRACTIONS], ids=[*WEIGHTS, "fractions"])
@pytest.mark.parametrize("cells", [None, 10])
def test_a_row_that_counts_often_is_so_many_rows(weight: Any, cells: int | None) -> None:
    times = np.arange(len(P)) % 4
    row = np.repeat(np.arange(len(P)), times)
    found = Counts.of_rows(Y, P, weight, cells, times=times)
    expected = Counts.of_rows(Y[row], P[row], some(weight, row), cells)
    assert (found.weights, found.least) == (expected.weights, expected.least)
    for name in ("place", "weight", "events", "event_squares", "nonevent_squares", "moment"):
        one, two = getattr(found, name), getattr(expected, name)
        assert (one is None) == (two is None)
        if one is not None:
            exact = weight is not FRACTIONS
            np.testing.assert_allclose(one, two, rtol=0 if exact else 1e-13, atol=0)


def test_sums_in_cells_are_taken_as_they_are() -> None:
    cell, moment = np.array([5, 0, 2, 2, 1]), np.array([2.0, 0.0, 0.75, 0.5, 1e-300])
    weight, events = np.array([2, 3, 2, 1, 1]), np.array([1, 0, 1, 0, 0])
    found = Counts.of_cells(4, cell, weight, events, None, None, moment)
    assert found.tally().value.tolist() == [0.0, 1e-300, 1.25 / 3, 1.0]
    assert found.tally().weight.tolist() == [3, 1, 3, 2]
    again = Counts.of_rows(np.array([False, True]), np.array([0.5, 0.375]), None, 4)
    assert (found + again).tally().value.tolist() == [0.0, 1e-300, 1.625 / 4, 0.5, 1.0]


def test_weighed_sums_in_cells_are_taken_as_they_are() -> None:
    cell, moment = np.array([2.0, 2.0]), np.array([0.125, 0.375])
    weight, events = np.array([0.5, 1.0]), np.array([0.5, 0.0])
    squares = np.array([0.25, 0.0]), np.array([0.0, 1.0])
    tally: Any = Counts.of_cells(4, cell, weight, events, *squares, moment).tally()
    assert tally.value.tolist() == [0.5 / 1.5]
    assert (tally.event_squares.tolist(), tally.nonevent_squares.tolist()) == ([0.25], [1.0])


def test_squares_of_whole_weights_in_cells_are_taken_as_they_are() -> None:
    cell, moment = np.array([2, 2]), np.array([1.0, 0.75])
    squares = np.array([5.0, 0.0]), np.array([0.0, 4.0])
    whole = Counts.of_cells(4, cell, np.array([3, 2]), np.array([3, 0]), *squares, moment)
    fraction = Counts.of_rows(np.array([True]), np.array([0.375]), np.array([0.5]), 4)
    tally: Any = (whole + fraction).tally()
    assert (tally.event_squares.tolist(), tally.nonevent_squares.tolist()) == ([5.25], [4.0])
    assert tally.value.tolist() == [1.9375 / 5.5]


@pytest.mark.parametrize("weight", [None, FRACTIONS], ids=["none", "fractions"])
@pytest.mark.parametrize("cells", [None, 7])
def test_a_tally_comes_back_from_its_counts(weight: Any, cells: int | None) -> None:
    tally = properly.tally(Y, P, weight=weight, cells=cells)
    found = Counts.of_tally(tally).tally()
    assert found.cells == cells
    np.testing.assert_allclose(found.value, tally.value, rtol=1e-15, atol=0)
    np.testing.assert_array_equal(found.weight, tally.weight)
    np.testing.assert_array_equal(found.events, tally.events)


def test_forecasts_in_single_precision_are_counted_at_their_values() -> None:
    tally = properly.tally([0, 1], np.array([0.1, 0.7], dtype=np.float32))
    assert Counts.of_tally(tally).place.tolist() == [float(np.float32(0.1)), float(np.float32(0.7))]


def test_counts_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    counts = Counts.of_rows(Y, P)
    assert counts.bounded() is counts
    assert counts.bounded(most=len(counts)) is counts
    assert counts.bounded(most=len(counts) - 1, cells=4).cells == 4
    monkeypatch.setattr(_cell_counts, "MOST_DISTINCT", 20)
    monkeypatch.setattr(_cell_counts, "CELLS", 10)
    assert counts.bounded().cells == 10
    assert len(counts.bounded()) == 12
    assert counts.grouped(50).bounded().cells == 50


def test_weights_are_whole_one_by_one() -> None:
    assert as_exact(np.array([1.0, 2.0**52])).dtype == np.int64
    assert as_exact(np.full(5, 2.0**52)).dtype == np.int64
    assert as_exact(np.array([1.0, 2.0**53])).dtype == np.float64
    assert as_exact(np.array([1.0, 2.5])).dtype == np.float64
    assert as_exact(np.array([1, 2], dtype=np.uint8)).dtype == np.int64


def test_counts_are_short_in_words() -> None:
    y, p = np.array([True, False]), np.array([0.25, 0.75])
    assert repr(Counts.of_rows(y, p)) == "Counts(2 cases at 2 distinct forecasts)"
    assert repr(Counts.of_rows(y, p, None, 1)) == "Counts(2 cases in 1 of 1 cell)"
    weighed = Counts.of_rows(y, p, np.array([0.5, 1.0]))
    assert repr(weighed) == "Counts(weight 1.5 at 2 distinct forecasts)"


def test_counts_keep_what_they_hold() -> None:
    counts = Counts.of_rows(Y, P, WEIGHTS["small"], 10)
    with pytest.raises(ValueError, match="read-only"):
        counts.weight[0] = 5
    found = pickle.loads(pickle.dumps(counts))  # noqa: S301
    np.testing.assert_array_equal(found.tally().value, counts.tally().value)
    assert found.least == counts.least
    assert isinstance(found.least, Total)


def test_counts_add_to_counts_only() -> None:
    counts = Counts.of_rows(Y, P)
    assert sum([counts]) is counts
    with pytest.raises(TypeError):
        counts + 1
    with pytest.raises(TypeError):
        1 + counts
