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


# Classes


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
