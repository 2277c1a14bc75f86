"""What model and source gave to what happened."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import properly
from properly import Cases, Tally, tally
from properly.probability import (
    EqualCount,
    EqualWidth,
    IsotonicSource,
    Kernel,
    Neighbours,
    Source,
)
from properly.probability._by_source import SourceSide, questions, sides, sums_by_class
from properly.probability._power_means import sums_of_powers

Y, P = [0, 1, 0, 1, 1, 0], [0.125, 0.25, 0.25, 0.5, 0.875, 0.875]
THREE = [[0.5, 0.25, 0.25], [0.25, 0.5, 0.25], [0.5, 0.5, 0.0], [0.125, 0.25, 0.625]]


def counted(values: Any, weight: Any) -> dict[float, float]:
    """Return how often each probability was given."""
    found: dict[float, float] = {}
    for value, w in zip(values.tolist(), weight.tolist(), strict=True):
        found[round(value, 12)] = found.get(round(value, 12), 0) + w
    return found


def of_source(side: SourceSide) -> dict[float, float]:
    return counted(side.p, side.p_weight)


def assert_side(found: SourceSide, name: str, model: dict[float, float], source: Any) -> None:
    """Compare with how often each probability was given."""
    assert found.name == name
    assert counted(found.t, found.weight) == model
    assert of_source(found) == {round(p, 12): weight for p, weight in source.items()}


# An event


@pytest.mark.parametrize("cases", [tally(Y, P), Cases(Y, P)], ids=["tally", "cases"])
def test_an_event_has_two_sides(cases: Tally | Cases) -> None:
    # Recalibrated, the forecasts are 0, 1/2, and 2/3 from 0.5 on.
    event, none = sides(cases, IsotonicSource())
    assert_side(event, "event", {0.25: 1, 0.5: 1, 0.875: 1}, {0.5: 1, 2 / 3: 2})
    assert_side(none, "no event", {0.875: 1, 0.75: 1, 0.125: 1}, {1: 1, 0.5: 1, 1 / 3: 1})


@pytest.mark.parametrize("outcome", [0, 1])
def test_a_side_that_never_happened_is_left_out(outcome: int) -> None:
    for cases in (tally([outcome] * 2, [0.25, 0.75]), Cases([outcome] * 2, [0.25, 0.75])):
        (side,) = sides(cases, IsotonicSource())
        assert_side(side, "event" if outcome else "no event", {0.25: 1, 0.75: 1}, {1: 2})
        (added,) = sums_by_class(cases, IsotonicSource())
        assert added.name == side.name
        assert added.model.weight == added.source.weight == 2


def test_weights_say_how_often_a_probability_was_given() -> None:
    for weight in ([2, 3, 0, 1], [0.5, 1.5, 0.0, 0.25]):
        a, b, _, c = weight
        event, none = sides(
            Cases([1, 1, 0, 0], [0.75, 0.75, 0.5, 0.25], weight=weight), IsotonicSource()
        )
        assert_side(event, "event", {0.75: a + b}, {1: a + b})
        assert_side(none, "no event", {0.75: c}, {1: c})


def test_no_event_is_the_event_in_a_mirror() -> None:
    t = Tally.from_counts([0.125, 0.25, 0.75], [4, 2, 2], [1, 1, 2])
    event, none = questions(t, EqualCount(bins=2))
    assert (event.name, none.name) == ("event", "no event")
    assert event.tally is t
    assert event.fit.end.tolist() == [1, 3]
    assert event.fit.rate.tolist() == [1 / 4, 3 / 4]
    assert none.tally.value.tolist() == [0.25, 0.75, 0.875]
    assert none.tally.weight.tolist() == [2, 2, 4]
    assert none.tally.events.tolist() == [0, 1, 3]
    assert none.fit.end.tolist() == [2, 3]
    assert none.fit.weight.tolist() == [4, 4]
    assert none.fit.events.tolist() == [1, 3]
    assert none.fit.rate.tolist() == [1 / 4, 3 / 4]
    assert none.fit.spread().tolist() == [1 / 4, 1 / 4, 3 / 4]


def test_a_share_next_to_one_leaves_the_mirror_a_little() -> None:
    t = Tally.from_counts([0.5], [10**17 + 1], [10**17])
    event, none = questions(t, IsotonicSource())
    assert event.fit.rate.tolist() == [1]
    assert none.fit.rate.tolist() == [1e-17]
    assert none.fit.events.tolist() == [1]
    (_, model, source), (_, _, behind) = sums_by_class(t, IsotonicSource())
    assert (model.weight, source.log, behind.weight) == (10**17, 0, 1)
    assert behind.log == pytest.approx(-17 * np.log(10), rel=1e-15)


def test_squares_of_fractions_are_mirrored_too() -> None:
    t = tally([1, 0, 1], [0.25, 0.25, 0.5], weight=[0.5, 1.5, 3.0])
    none = questions(t, IsotonicSource())[1].tally
    assert none.weight.tolist() == [3.0, 2.0]
    assert none.events.tolist() == [0.0, 1.5]
    assert none.event_squares is not None
    assert none.nonevent_squares is not None
    assert none.event_squares.tolist() == [0.0, 2.25]
    assert none.nonevent_squares.tolist() == [9.0, 0.25]


def test_a_source_is_looked_up_at_every_row() -> None:
    event, none = questions(Cases(Y, P), IsotonicSource())
    fitted = np.array([0, 1 / 2, 1 / 2, 2 / 3, 2 / 3, 2 / 3])
    np.testing.assert_allclose(event.at_rows(np.array(P)), fitted, rtol=1e-15)
    np.testing.assert_allclose(none.at_rows(1 - np.array(P)), 1 - fitted, rtol=1e-15)


# Classes


def test_each_class_has_a_side_of_its_own() -> None:
    first, second, third = sides(Cases([0, 1, 1, 2], THREE), IsotonicSource())
    # Class 0 happened at one of two forecasts of 0.5, class 1 at both of 0.5, class 2 at 0.625.
    assert_side(first, "0", {0.5: 1}, {0.5: 1})
    assert_side(second, "1", {0.5: 2}, {1: 2})
    assert_side(third, "2", {0.625: 1}, {1: 1})


def test_pooled_columns_are_fitted_together() -> None:
    cases = Cases([0, 1, 1, 2], THREE)
    (asked,) = questions(cases, IsotonicSource(pooled=True))
    assert asked.name == "all"
    # Twelve probabilities: 0, 0.125, five of 0.25, four of 0.5 and 0.625.
    assert asked.tally.value.tolist() == [0, 0.125, 0.25, 0.5, 0.625]
    assert asked.tally.weight.tolist() == [1, 1, 5, 4, 1]
    assert asked.tally.events.tolist() == [0, 0, 0, 3, 1]
    first, second, third = sides(cases, IsotonicSource(pooled=True))
    assert_side(first, "0", {0.5: 1}, {0.75: 1})
    assert_side(second, "1", {0.5: 2}, {0.75: 2})
    assert_side(third, "2", {0.625: 1}, {1: 1})


def test_one_minus_a_decimal_is_that_decimal() -> None:
    # 1 - 0.07 is a little less than 0.93; the two would not be pooled.
    for cases in (tally([1, 0], [0.07, 0.93]), Cases([1, 0], [0.07, 0.93])):
        (asked,) = questions(cases, IsotonicSource(pooled=True))
        assert asked.tally.value.tolist() == [0.07, 0.93]
        assert questions(cases, IsotonicSource())[1].tally.value.tolist() == [0.07, 0.93]


POOLED = [
    IsotonicSource(pooled=True),
    EqualCount(pooled=True),
    EqualWidth(pooled=True),
    Neighbours(pooled=True),
    Kernel(pooled=True),
]


@pytest.mark.parametrize("fractional", [False, True], ids=["counted", "weighted"])
@pytest.mark.parametrize("source", POOLED, ids=repr)
def test_a_tally_is_pooled_as_its_rows_are(source: Source, fractional: bool) -> None:
    rng = np.random.default_rng(0)
    p = np.repeat([0.125, 0.25, 0.625, 0.75], 25)
    weight = np.where(np.arange(100) % 5 == 0, 0.9, 0.1) if fractional else rng.integers(0, 4, 100)
    cases = Cases(rng.random(100) < p, p, weight=weight)
    one, two = (properly.means(x, source=source) for x in (cases, cases.tally()))
    assert one.source.mean_probability == pytest.approx(two.source.mean_probability, rel=1e-12)
    assert one.source.robustness == pytest.approx(two.source.robustness, rel=1e-12)


# Ties in the order of the rows


def test_ties_stay_together_or_are_split_in_the_order_of_the_rows() -> None:
    p = [0.5, 0.5, 0.5, 0.75]
    third, two_thirds = round(1 / 3, 12), round(2 / 3, 12)
    for y, together, split in (
        ([1, 0, 1, 0], {two_thirds: 2}, {0.5: 2}),
        ([1, 1, 0, 0], {two_thirds: 2}, {1: 2}),
        ([0, 0, 1, 1], {third: 1, 1: 1}, {1: 2}),
    ):
        assert of_source(sides(Cases(y, p), EqualCount(bins=2))[0]) == together
        assert of_source(sides(Cases(y, p), EqualCount(bins=2, ties="split"))[0]) == split


def test_split_ties_are_found_again_at_their_rows() -> None:
    # By forecast, and then by row: rows 1, 3 and 4, then 0 and 2; row 5 does not count.
    cases = Cases(
        [1, 0, 0, 1, 0, 1], [0.75, 0.25, 0.75, 0.25, 0.25, 0.25], weight=[1, 1, 1, 1, 1, 0]
    )
    event, none = questions(cases, EqualCount(bins=5, ties="split"))
    assert event.order is not None
    assert none.order is not None
    assert event.order.tolist() == [1, 3, 4, 0, 2]
    assert none.order.tolist() == [2, 0, 4, 3, 1]
    q = np.array([0.75, 0.25, 0.75, 0.25, 0.25])
    assert event.at_rows(q).tolist() == [1, 0, 0, 1, 0]
    assert none.at_rows(1 - q).tolist() == [0, 1, 1, 0, 1]


def test_split_ties_of_counts_and_of_fractions() -> None:
    y, p = [1, 0, 1], [0.5, 0.5, 0.5]
    counted = questions(Cases(y, p, count=[2, 1, 1]), EqualCount(bins=2, ties="split"))[0]
    assert counted.tally.weight.dtype == np.int64
    assert counted.tally.event_squares is None
    assert counted.fit.weight.tolist() == [2, 2]
    assert counted.fit.rate.tolist() == [1, 0.5]
    whole = questions(Cases(y, p, weight=[2.0, 1.0, 1.0]), EqualCount(bins=2, ties="split"))[0]
    assert whole.tally.weight.dtype == np.int64
    assert whole.tally.event_squares is not None
    assert whole.tally.event_squares.tolist() == [4, 0, 1]
    assert whole.fit.weight.tolist() == [2, 2]
    assert whole.fit.rate.tolist() == [1, 0.5]
    weighed = questions(Cases(y, p, weight=[1.5, 1.0, 0.5]), EqualCount(bins=2, ties="split"))[0]
    assert weighed.tally.event_squares is not None
    assert weighed.tally.nonevent_squares is not None
    assert weighed.tally.event_squares.tolist() == [2.25, 0, 0.25]
    assert weighed.tally.nonevent_squares.tolist() == [0, 1, 0]
    assert weighed.fit.weight.tolist() == [1.5, 1.5]
    np.testing.assert_allclose(weighed.fit.rate, [1, 1 / 3], rtol=1e-15)


def test_ties_of_classes_are_split_column_by_column() -> None:
    cases = Cases([0, 1, 2, 0], [[0.5, 0.25, 0.25]] * 4)
    first, second, third = sides(cases, EqualCount(bins=2, ties="split"))
    # Rows 0 and 1 are the lower bin of each class, rows 2 and 3 the upper one.
    assert_side(first, "0", {0.5: 2}, {0.5: 2})
    assert_side(second, "1", {0.25: 1}, {0.5: 1})
    assert_side(third, "2", {0.25: 1}, {0.5: 1})


def test_pooled_ties_are_split_row_by_row() -> None:
    cases = Cases([0, 0, 1], [[0.5, 0.5]] * 3)
    (asked,) = questions(cases, EqualCount(bins=3, pooled=True, ties="split"))
    assert asked.fit.weight.tolist() == [2, 2, 2]
    # Each bin is one row, in which one of two came true.
    assert asked.fit.rate.tolist() == [0.5, 0.5, 0.5]
    found = sides(cases, EqualCount(bins=6, pooled=True, ties="split"))
    assert_side(found[0], "0", {0.5: 2}, {1: 2})
    assert_side(found[1], "1", {0.5: 1}, {1: 1})


# Sums


@pytest.mark.parametrize("weight", [None, [1, 0, 2, 3, 1, 1], [0.5, 0.0, 1.5, 1.0, 0.25, 2.0]])
@pytest.mark.parametrize(
    "source", [IsotonicSource(), EqualCount(2), EqualWidth(3), Neighbours(2), Kernel(1.0)], ids=repr
)
def test_sums_are_those_of_the_sides(source: Source, weight: Any) -> None:
    for cases in (Cases(Y, P, weight=weight), tally(Y, P, weight=weight)):
        added, found = sums_by_class(cases, source), sides(cases, source)
        assert [part.name for part in added] == [side.name for side in found]
        for part, side in zip(added, found, strict=True):
            assert part.model == pytest.approx(sums_of_powers(side.t, side.weight), rel=1e-13)
            assert part.source == pytest.approx(sums_of_powers(side.p, side.p_weight), rel=1e-13)
