"""Elementary scores at every threshold at once, of cases and of clusters."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from properly import Cases, tally
from properly.decisions import _elementary as elementary


def test_knots_are_distinct_and_reach_from_zero_to_one() -> None:
    value = np.array([0.2, 0.5])
    np.testing.assert_array_equal(elementary.knots(value), [0, 0.2, 0.5, 1])
    np.testing.assert_array_equal(elementary.knots(np.array([0.0, 1.0])), [0, 1])
    np.testing.assert_array_equal(
        elementary.knots(value, np.array([0.5, 0.9])), [0, 0.2, 0.5, 0.9, 1]
    )


@given(
    st.lists(
        st.tuples(st.booleans(), st.sampled_from([0.0, 0.1, 0.25, 0.5, 0.75, 1.0])),
        min_size=1,
        max_size=12,
    )
)
def test_at_its_own_forecast_one_acts_and_just_beyond_one_does_not(
    rows: list[tuple[bool, float]],
) -> None:
    y, p = (np.array(x) for x in zip(*rows, strict=True))
    counts = elementary.outcomes(tally(y, p))
    every = elementary.Split(counts, elementary.knots(counts.value))
    np.testing.assert_array_equal(every.threshold, np.unique([*p, 0.0, 1.0]))
    for split in (every, elementary.split_at(counts, every.threshold, both=True)):
        for k, t in enumerate(every.threshold):
            for side, acted in enumerate((p >= t, p > t)):
                assert split.acted(counts.events)[side, k] == (acted & y).sum()
                assert split.left(counts.events)[side, k] == (~acted & y).sum()
                cost = 2 * np.where(acted, t * ~y, (1 - t) * y).mean()
                assert split.cost[side, k] == pytest.approx(cost, rel=1e-14)


def test_how_heavy_those_are_who_were_misjudged() -> None:
    """Events weigh 1/2 and 3/2, the others 5/2 and 1/2: 9 squared over a weight of 5."""
    found = elementary.outcomes(
        tally([1, 0, 1, 0], [0.2, 0.4, 0.6, 0.8], weight=[0.5, 2.5, 1.5, 0.5])
    )
    assert (found.total, found.squares, found.effective) == (5, 9, 25 / 9)
    at = elementary.split_at(found, np.array([0.1, 0.3, 0.7, 0.9]))
    mean = 9 / 5
    # At first no event is missed; nobody is left, so it would be as heavy as other events are.
    missed = at.term(1, acted=False, event=True)
    np.testing.assert_allclose(missed.share[0], np.array([0, 0.5, 2, 2]) / 5, rtol=1e-14)
    heavy = np.array([2.5 / 2, 0.5, 2.5 / 2, 2.5 / 2]) / mean
    np.testing.assert_allclose(missed.heavy[0], heavy, rtol=1e-14)
    # At last nobody is acted upon in vain, nor at all.
    in_vain = at.term(1, acted=True, event=False)
    heavy = np.array([6.5 / 3, 6.5 / 3, 0.5, 6.5 / 3]) / mean
    np.testing.assert_allclose(in_vain.heavy[0], heavy, rtol=1e-14)
    assert in_vain.possible[0].tolist() == [True, True, True, False]
    # Of those not acted upon, an event that was not seen may be as heavy as a heavier other.
    few = elementary.outcomes(tally([0, 1, 0], [0.1, 0.6, 0.8], weight=[4.5, 0.5, 0.5]))
    heavy = elementary.split_at(few, np.array([0.5])).term(1, acted=False, event=True).heavy
    np.testing.assert_allclose(heavy, 4.5 * few.total / few.squares, rtol=1e-14)


N = 60

RNG = np.random.default_rng(11)

P = RNG.random(N).round(1)

Y = RNG.random(N) < P

CLUSTER = RNG.integers(0, 9, N)

WEIGHTS = {
    "none": None,
    "whole": RNG.integers(0, 4, N),
    "fractional": RNG.exponential(size=N) * (np.arange(N) % 5 > 0),
}

every_weight = pytest.mark.parametrize("weight", WEIGHTS.values(), ids=WEIGHTS)


@every_weight
def test_rows_of_no_weight_are_left_out_and_the_others_known_by_their_place(weight: Any) -> None:
    rows = elementary.rows_of(Cases(Y, P, weight=weight))
    used = np.arange(N) if weight is None else np.flatnonzero(weight)
    np.testing.assert_array_equal(rows.row, used)
    np.testing.assert_array_equal(rows.p, P[used])
    np.testing.assert_array_equal(rows.happened, Y[used])
    np.testing.assert_array_equal(rows.unit, np.arange(len(used)))
    assert rows.design.unit is None


def test_only_known_clusters_are_clusters() -> None:
    assert elementary.dependent(tally(Y, P)) is None
    assert elementary.dependent(Cases(Y, P)) is None
    rows = elementary.dependent(Cases(Y, P, clusters=CLUSTER))
    assert rows is not None
    assert rows.design.unit is not None
    assert rows.design.units == len(np.unique(CLUSTER))


@pytest.mark.parametrize("dtype", [np.int64, np.float64])
def test_sums_run_from_each_row_on(dtype: Any) -> None:
    column = np.array([1, 2, 4], dtype=dtype)
    assert elementary.from_each_on(column).tolist() == [7, 6, 4, 0]
    assert elementary.from_each_on(column).dtype == dtype
