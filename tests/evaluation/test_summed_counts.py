"""Counts as intervals take them: squares of weights."""

from __future__ import annotations

import numpy as np
import pytest

from properly.counts._tally import weighed
from properly.engines import Summary
from properly.rules import Brier

Y, P = np.array([True, False, True]), np.array([0.2, 0.2, 0.7])


def test_whole_weights_have_squares() -> None:
    summary = Summary.of_rows([Brier()], Y, {"m": P}, np.array([2, 3, 1]))
    found = weighed(summary.tallies["m"])
    assert summary.is_weighted
    assert found.weight.tolist() == [5, 1]
    assert found.event_squares is not None
    assert found.event_squares.tolist() == [4, 1]
    assert found.nonevent_squares is not None
    assert found.nonevent_squares.tolist() == [9, 0]


def test_without_weights_counts_are_counts() -> None:
    summary = Summary.of_rows([Brier()], Y, {"m": P})
    assert not summary.is_weighted
    assert weighed(summary.tallies["m"]).event_squares is None


@pytest.mark.parametrize("each", [1, 2, 0.1])
def test_equal_weights_are_none_but_stay_on_the_scale_of_the_sums(each: float) -> None:
    summary = Summary.of_rows([Brier()], Y, {"m": P}, np.full(3, each))
    assert summary.has_weights
    assert not summary.is_weighted
    assert summary.total == 3
    assert summary.tallies["m"].weight.tolist() == [2, 1]
    assert weighed(summary.tallies["m"]).weight.tolist() == pytest.approx([2 * each, each])


def test_counts_are_cases() -> None:
    summary = Summary.of_rows([Brier()], Y, {"m": P}, times=np.array([2, 3, 1]))
    assert not summary.has_weights
    assert not summary.is_weighted
    assert (summary.rows, summary.total) == (6, 6)
    assert weighed(summary.tallies["m"]).weight.tolist() == [5, 1]
    assert weighed(summary.tallies["m"]).event_squares is None
