"""A tally only counts: copies, order, shards and rows of no weight never matter."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import properly

from .subjects import (
    EPS,
    RULES,
    Rows,
    any_rows,
    are_alike,
    assert_same_tallies,
    counted_rows,
    counts_of,
    many,
    quick_counts,
    seeds,
    tally_of,
    without_unit,
)

if TYPE_CHECKING:
    from properly import Tally
    from properly.rules import BinaryRule


def copies(found: Rows) -> Rows:
    """Write a row that counts three as three rows."""
    y, p = np.repeat(found.y, found.weight), np.repeat(found.p, found.weight)
    return Rows(y, p, np.ones(len(y), dtype=int))


def joined(left: Rows, right: Rows) -> Rows:
    return Rows(*map(np.concatenate, zip(left, right, strict=True)))


def assert_same_counts(left: Tally, right: Tally) -> None:
    assert left.event_squares is None
    assert_same_tallies(left, right)


# Sums of at most 75 weights, added up in another order.
assert_same_sums = partial(assert_same_tallies, rounding=75 * EPS)


@many
@given(found=any_rows, counted=counted_rows)
def test_a_tally_adds_up_what_happened_at_each_distinct_forecast(
    found: Rows, counted: Rows
) -> None:
    require_sums(tally_of(found), found._replace(weight=without_unit(found.weight)))
    require_sums(counts_of(counted), counted)


def require_sums(tally: Tally, found: Rows) -> None:
    kept = found.weight > 0
    np.testing.assert_array_equal(tally.value, np.unique(found.p[kept]))
    assert len(tally) == len(tally.value)
    for value, weight, events in zip(tally.value, tally.weight, tally.events, strict=True):
        here = kept & (found.p == value)
        assert weight == pytest.approx(found.weight[here].sum(), rel=25 * EPS)
        happened = found.weight[here & (found.y == 1)].sum()
        assert events == pytest.approx(happened, rel=25 * EPS, abs=0)
    assert tally.total == pytest.approx(found.weight.sum(), rel=25 * EPS)
    rate = (found.weight * found.y).sum() / found.weight.sum()
    assert tally.event_rate == pytest.approx(rate, rel=50 * EPS)


@many
@given(found=counted_rows)
def test_counts_and_whole_weights_are_exact_whatever_their_type(found: Rows) -> None:
    as_floats = found._replace(weight=found.weight.astype(float))
    assert_same_counts(counts_of(found), counts_of(as_floats))
    for tally in (*map(counts_of, (found, as_floats)), *map(tally_of, (found, as_floats))):
        assert np.asarray(tally.weight).dtype == np.int64
        assert np.asarray(tally.events).dtype == np.int64
    assert_same_tallies(tally_of(found), tally_of(as_floats))


@many
@given(found=any_rows)
def test_weights_keep_their_sums_of_squares_apart(found: Rows) -> None:
    assume(not are_alike(found.weight))
    tally = tally_of(found)
    assert tally.event_squares is not None
    assert tally.nonevent_squares is not None
    squares = found.weight**2
    for place, value in enumerate(tally.value):
        here = (found.weight > 0) & (found.p == value)
        events = squares[here & (found.y == 1)].sum()
        others = squares[here & (found.y == 0)].sum()
        assert tally.event_squares[place] == pytest.approx(events, rel=25 * EPS, abs=0)
        assert tally.nonevent_squares[place] == pytest.approx(others, rel=25 * EPS, abs=0)


@many
@given(found=counted_rows)
def test_a_count_of_three_is_three_copies_in_the_tally(found: Rows) -> None:
    assert_same_counts(counts_of(found), tally_of(copies(found)))
    plain = copies(found)
    assert_same_counts(counts_of(found), properly.tally(plain.y, plain.p))


@pytest.mark.parametrize("rule", RULES, ids=repr)
@given(found=quick_counts)
def test_a_count_of_three_is_three_copies_in_the_decomposition(
    rule: BinaryRule, found: Rows
) -> None:
    once = properly.decompose(counts_of(found), rule)
    thrice = properly.decompose(tally_of(copies(found)), rule)
    assert once == thrice


@many
@given(found=any_rows)
def test_rows_of_weight_zero_are_as_if_absent(found: Rows) -> None:
    kept = found.weight > 0
    without = Rows(found.y[kept], found.p[kept], found.weight[kept])
    for make in (tally_of, counts_of) if (found.weight % 1 == 0).all() else (tally_of,):
        assert_same_tallies(make(found), make(without))


@many
@given(found=any_rows)
def test_every_door_counts_the_same(found: Rows) -> None:
    tally = tally_of(found)
    doors = [
        properly.Tally.from_arrays(found.y, found.p, weight=found.weight),
        properly.Cases(found.y, found.p, weight=found.weight).tally(),
    ]
    for other in doors:
        assert_same_tallies(other, tally)


@many
@given(found=counted_rows)
def test_a_tally_made_from_its_own_counts_is_itself(found: Rows) -> None:
    tally = counts_of(found)
    assert_same_counts(tally, properly.Tally.from_counts(tally.value, tally.weight, tally.events))
    cases = properly.Cases(found.y, found.p, count=found.weight)
    assert_same_counts(tally, cases.tally())


@many
@given(found=any_rows)
def test_a_tally_made_from_its_own_weights_is_itself(found: Rows) -> None:
    tally = tally_of(found)
    assume(tally.event_squares is not None)
    columns = [getattr(tally, name) for name in properly.Tally.__dataclass_fields__][:-1]
    again = properly.Tally(*columns)
    for name, column in zip(properly.Tally.__dataclass_fields__, columns, strict=False):
        np.testing.assert_array_equal(getattr(again, name), column)
        assert getattr(again, name).dtype == column.dtype


# Counts add up exactly, weights to rounding.
counts_or_weights = pytest.mark.parametrize(
    ("make", "drawn", "require_same"),
    [(counts_of, counted_rows, assert_same_counts), (tally_of, any_rows, assert_same_sums)],
    ids=["counts", "weights"],
)


@counts_or_weights
@many
@given(data=st.data())
def test_tallies_add_up_in_any_order_to_that_of_the_whole(
    make: Any, drawn: Any, require_same: Any, data: st.DataObject
) -> None:
    rows = [data.draw(drawn) for _ in range(3)]
    a, b, c = map(make, rows)
    require_same(make(joined(*rows[:2])), a + b)
    require_same(a + b, b + a)
    require_same((a + b) + c, a + (b + c))


@counts_or_weights
@many
@given(data=st.data(), seed=seeds)
def test_the_order_of_rows_never_matters(
    make: Any, drawn: Any, require_same: Any, data: st.DataObject, seed: int
) -> None:
    found = data.draw(drawn)
    order = np.random.default_rng(seed).permutation(len(found.y))
    require_same(make(found), make(Rows(*(column[order] for column in found))))
