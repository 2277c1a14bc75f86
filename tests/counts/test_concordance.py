"""Concordance: pairs of an event and a non-event."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from properly.counts._scoring import concordance

counts = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=1, max_size=8)


def by_pairs(none: list[int], events: list[int], every: tuple[int, int]) -> Fraction:
    """Compare every event with every non-event."""
    twice = sum(
        m * o * (2 if low < high else 1)
        for low, m in enumerate(none)
        for high, o in enumerate(events)
        if low <= high
    )
    return Fraction(twice, 2 * every[0] * every[1])


@given(counts)
def test_it_is_the_share_of_pairs_in_order_rounded_once(rows: list[tuple[int, int]]) -> None:
    none, events = ([row[k] for row in rows] for k in (0, 1))
    found = concordance(np.array(none), np.array(events))
    every = sum(none), sum(events)
    if 0 in every:
        assert math.isnan(found)
    else:
        assert found == float(by_pairs(none, events, every))


@given(counts, st.data())
def test_a_part_is_the_share_of_its_pairs_among_all(
    rows: list[tuple[int, int]], data: st.DataObject
) -> None:
    none, events = (np.array([row[k] for row in rows]) for k in (0, 1))
    kept = np.array(data.draw(st.lists(st.booleans(), min_size=len(rows), max_size=len(rows))))
    every = int(none.sum()), int(events.sum())
    among = np.stack([none, events])
    for some, others in ((none * kept, events), (none, events * kept)):
        found = concordance(some, others, among=among)
        if 0 in every:
            assert math.isnan(found)
        else:
            assert found == float(by_pairs(some.tolist(), others.tolist(), every))


@pytest.mark.parametrize("often", [1, 2**29, 2**59 - 1])
def test_whole_numbers_are_exact_however_large(often: int) -> None:
    none, events = np.array([9, 2, 1]) * often, np.array([0, 1, 2]) * often
    assert concordance(none, events) == (1 * (2 * 9 + 2) + 2 * (2 * 11 + 1)) / (2 * 12 * 3)
    middle = np.array([0, 1, 0])
    among = np.stack([none, events])
    assert concordance(none * middle, events, among=among) == 2 * (1 + 2 * 2) / (2 * 12 * 3)
    assert concordance(none, events * middle, among=among) == (2 * 9 + 2) / (2 * 12 * 3)


def test_rounding_does_not_lift_it_above_one() -> None:
    weight = np.random.default_rng(5).random(1000)
    none, events = np.zeros(2000), np.zeros(2000)
    none[:1000], events[1000:] = weight, weight[::-1]
    assert 1 - 1e-15 < concordance(none, events) <= 1
