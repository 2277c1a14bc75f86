"""Counts as intervals take them: squares of weights."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from properly.engines import Summary
from properly.evaluation._summed_scores import is_weighted, weighed
from properly.rules import Brier

Y, P = np.array([True, False, True]), np.array([0.2, 0.2, 0.7])


def test_whole_weights_have_squares() -> None:
    summary = Summary.of_rows([Brier()], Y, {"m": P}, np.array([2, 3, 1]))
    found = weighed(summary, "m")
    assert is_weighted(summary.sums)
    assert found.weight.tolist() == [5, 1]
    assert found.event_squares is not None
    assert found.event_squares.tolist() == [4, 1]
    assert found.nonevent_squares is not None
    assert found.nonevent_squares.tolist() == [9, 0]


def test_squares_that_were_not_kept_are_shared_out() -> None:
    summary = Summary.of_rows([Brier()], Y, {"m": P}, np.array([2, 3, 1]))
    bare = replace(summary.counts["m"], event_squares=None, nonevent_squares=None)
    found = weighed(replace(summary, counts={"m": bare}), "m")
    # Events weigh 3 in all, and the sum of their squares is 5.
    assert found.event_squares is not None
    assert found.event_squares.tolist() == pytest.approx([2 * 5 / 3, 5 / 3])
    assert found.nonevent_squares is not None
    assert found.nonevent_squares.tolist() == pytest.approx([9, 0])


def test_without_weights_counts_are_counts() -> None:
    summary = Summary.of_rows([Brier()], Y, {"m": P})
    assert not is_weighted(summary.sums)
    assert weighed(summary, "m").event_squares is None
    # Weights that are all 1 are none.
    assert not is_weighted(Summary.of_rows([Brier()], Y, {"m": P}, np.ones(3)).sums)
    assert is_weighted(Summary.of_rows([Brier()], Y, {"m": P}, np.full(3, 2.0)).sums)
