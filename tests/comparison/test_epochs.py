"""The best epoch, and when to stop."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from properly.comparison import BestEpoch, EarlyStopping

VALUES = st.lists(
    st.floats(-3, 3).map(lambda x: round(x, 1)) | st.sampled_from([math.inf, -math.inf]), min_size=1
)


def feed(values: list[float], watch: Any) -> list[bool]:
    return [watch.update(epoch, value, state=epoch) for epoch, value in enumerate(values)]


@given(VALUES)
def test_the_best_is_the_first_of_the_least_values(values: list[float]) -> None:
    best = BestEpoch()
    feed(values, best)
    assert best.epoch == best.state == int(np.argmin(values))
    assert best.value == min(values)
    assert best.history == tuple(enumerate(values))


@given(VALUES)
def test_the_greatest_is_the_best_the_other_way_round(values: list[float]) -> None:
    up, down = BestEpoch(mode="max"), BestEpoch()
    assert feed(values, up) == feed([-x for x in values], down)
    assert up.epoch == int(np.argmax(values))
    assert up.value == max(values)


def test_a_value_must_be_better_by_more_than_min_delta() -> None:
    best = BestEpoch(min_delta=0.25)
    assert feed([1.0, 0.75, 0.5, 0.25], best) == [True, False, True, False]
    best = BestEpoch(mode="max", min_delta=0.25)
    assert feed([0.0, 0.25, 0.5], best) == [True, False, True]


def test_a_state_is_made_only_for_the_best_epoch() -> None:
    weights, made = [0.0], []

    def copied() -> list[float]:
        made.append(weights[0])
        return list(weights)

    best = BestEpoch()
    for epoch, loss in enumerate([0.9, 0.4, 0.6, 0.5]):
        weights[0] = epoch
        best.update(epoch, loss, copied)
    assert made == [0, 1]
    assert best.state == [1]


def test_a_state_that_cannot_be_made_leaves_all_as_it_was() -> None:
    def broken() -> None:
        message = "no room"
        raise OSError(message)

    best = BestEpoch()
    best.update(0, 0.5, "kept")
    with pytest.raises(OSError, match="no room"):
        best.update(1, 0.4, broken)
    assert (best.epoch, best.value, best.state, best.history) == (0, 0.5, "kept", ((0, 0.5),))
    assert best.update(1, 0.4, "next")


def test_it_says_what_it_knows() -> None:
    best = BestEpoch()
    assert repr(best) == "BestEpoch(no epoch yet)"
    assert (best.epoch, best.value, best.state, best.history) == (None, None, None, ())
    best.update(0, 0.25)
    assert repr(best) == "BestEpoch(0.25 at epoch 0, of 1 value)"
    stopping = EarlyStopping(1)
    assert repr(stopping) == "EarlyStopping(going on, patience 1, BestEpoch(no epoch yet))"
    feed([0.25, 0.5], stopping)
    assert repr(stopping) == (
        "EarlyStopping(stopped at epoch 1, patience 1, BestEpoch(0.25 at epoch 0, of 2 values))"
    )


def stop_by_hand(values: list[float], patience: int) -> int | None:
    """Find the first epoch whose last values are all no better than what came before them."""
    for k in range(patience, len(values)):
        if min(values[k - patience + 1 : k + 1]) >= min(values[: k - patience + 1]):
            return k
    return None


@given(VALUES, st.integers(1, 4))
def test_training_stops_once_patience_is_used_up(values: list[float], patience: int) -> None:
    stopping, stop = EarlyStopping(patience), stop_by_hand(values, patience)
    for epoch, value in enumerate(values):
        assert stopping.update(epoch, value, epoch) is (epoch == stop)
        if epoch == stop:
            break
    assert stopping.stopped == stop
    seen = values if stop is None else values[: stop + 1]
    assert stopping.best.epoch == stopping.best.state == int(np.argmin(seen))
    if stop is not None:
        assert stop - int(np.argmin(seen)) == patience


def test_patience_counts_values_not_numbers_of_epochs() -> None:
    stopping = EarlyStopping(2)
    assert [stopping.update(e, v) for e, v in ((0, 0.1), (10, 0.2), (20, 0.3))] == [
        False,
        False,
        True,
    ]
    assert stopping.stopped == 20
