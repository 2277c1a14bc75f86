"""Counting in pieces and by places gives what one sort of keys gives."""

from __future__ import annotations

from collections import Counter
from typing import Any

import array_api_strict as strict
import numpy as np
import pytest
from tests.long_tallies import KINDS, sample

from properly._boundary._arrays import MOST
from properly.counts._pooling import EXACT, count, count_tensors, exact_weights, order_of


def counted(y: Any, p: Any) -> tuple[list[float], list[int], list[int]]:
    """Count one row after the other."""
    cases, events = Counter(p.tolist()), Counter(p[y].tolist())
    value = sorted(cases)
    return value, [cases[x] for x in value], [events[x] for x in value]


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_every_way_of_counting_counts_rows(kind: str, dtype: str) -> None:
    y, p = sample(kind, dtype)
    expected = counted(y, p)
    ways = [count(y, p), count(strict.asarray(y), strict.asarray(p))]
    ways += [count_tensors(y, p, piece) for piece in (7, 300, len(p) - 1, len(p))]
    for value, cases, events in ways:
        got = tuple(np.asarray(x) for x in (value, cases, events))
        assert tuple(x.tolist() for x in got) == expected
        assert [x.dtype for x in got] == [p.dtype, np.int64, np.int64]


def test_rows_that_no_cut_parts_are_counted_in_halves() -> None:
    # The first value of the sample fills all of its quantiles, and yet it is not the only one.
    p = np.array([0.25] * 99 + [0.75])
    y = np.arange(100) % 2 == 1
    value, cases, events = count_tensors(y, p, 10)
    assert value.tolist() == [0.25, 0.75]
    assert (cases.tolist(), events.tolist()) == ([99, 1], [49, 1])


@pytest.mark.parametrize("kind", KINDS)
def test_forecasts_are_put_in_order(kind: str) -> None:
    _, p = sample(kind, "float64")
    order = order_of(p)
    assert sorted(order.tolist()) == list(range(len(p)))
    np.testing.assert_array_equal(p[order], np.sort(p))


def test_forecasts_that_differ_in_their_last_bits_are_put_in_order() -> None:
    near = 0.3 + np.arange(1000)[::-1] * 2.0**-54
    np.testing.assert_array_equal(near[order_of(near)], np.sort(near))
    # Minus 0 is 0, the lowest of all.
    zeros = np.array([0.5, -0.0, 0.0, 5e-324])
    assert zeros[order_of(zeros)].tolist() == [0.0, 0.0, 5e-324, 0.5]


def test_sums_that_whole_numbers_cannot_hold_are_fractions() -> None:
    half = MOST // 2
    assert exact_weights(np.array([half, half // 2])).dtype == np.int64
    assert exact_weights(np.array([half, half])).dtype == np.float64
    # Of rows that stand for several cases, all of these count.
    for times, kind in ((1, np.int64), (2, np.float64)):
        assert exact_weights(np.array([half]), np.array([times])).dtype == kind
    for x, kind in ((EXACT - 2.0, np.int64), (float(EXACT), np.float64), (2.5, np.float64)):
        assert exact_weights(np.array([x])).dtype == kind
