"""Counts as intervals and draws take them: runs of neighbours, and squares of weights."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from properly import Tally
from properly.engines import Summary
from properly.evaluation._summed_scores import in_runs, is_weighted, weighed
from properly.rules import Brier

RNG = np.random.default_rng(2)


def test_runs_keep_cases_events_and_the_mean_forecast() -> None:
    value = np.unique(np.concatenate([[0.0, 1.0], RNG.random(500)]))
    weight = RNG.integers(1, 50, len(value))
    tally = Tally(value, weight, RNG.binomial(weight, value))
    found = in_runs(tally, 40)
    assert len(found) <= 42
    assert found.total == tally.total
    assert found.event_rate == tally.event_rate
    assert found.value @ found.weight == pytest.approx(value @ weight)
    # Forecasts that are certain stay alone.
    assert found.weight[0] == weight[0]
    assert found.weight[-1] == weight[-1]
    inside = found.weight[1:-1]
    assert inside.max() <= tally.total / 40 + weight.max()


def test_few_forecasts_stay_as_they_are() -> None:
    tally = Tally.from_counts([0.1, 0.4, 0.9], [5, 5, 5], [1, 2, 5])
    assert in_runs(tally, 3) is tally
    assert in_runs(tally, 1).value.tolist() == pytest.approx([7 / 15])


def test_runs_of_weights_keep_their_squares() -> None:
    tally = Tally.from_arrays([0, 1, 1], [0.1, 0.2, 0.3], [0.5, 1.0, 1.5])
    found = in_runs(tally, 1)
    assert found.event_squares is not None
    assert found.nonevent_squares is not None
    assert found.event_squares.tolist() == [3.25]
    assert found.nonevent_squares.tolist() == [0.25]


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
