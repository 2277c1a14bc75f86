"""Nothing depends on which rows come first, which come together, or where they are summed up."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import examples
from tests.summary_numbers import nearly, numbers_of

import properly
from properly.counts._tally import sums_of
from properly.engines import _summary
from properly.evaluation import stream
from properly.rules import Brier, Log

from .subjects import LIKELY, rows_of_seed, seeds

if TYPE_CHECKING:
    from collections.abc import Iterator

    from properly.evaluation._stream import Stream


WEIGHTS: dict[str, list[Any]] = {
    "none": [1],
    "whole": [0, 1, 2, 5],
    "equal": [0, 3],
    "whole floats": [0.0, 1.0, 3.0],
    "huge": [1, 2**40 + 1, 2**53 - 1],
    "fractions": [0.0, 0.1, 1.0, 2.5],
}
RULES = Brier(), Log()
few = examples(6)


class Fed(NamedTuple):
    """Rows of two models in three groups."""

    y: Any
    p: Any
    weight: Any
    groups: Any
    times: Any = None

    def of(self, rows: Any) -> Fed:
        weight, times = (None if x is None else x[rows] for x in (self.weight, self.times))
        return Fed(self.y[rows], self.p[:, rows], weight, self.groups[rows], times)

    @property
    def used(self) -> Any:
        """Which rows weigh anything, and stand for any case."""
        amounts = (x for x in (self.weight, self.times) if x is not None)
        return np.logical_and.reduce([x > 0 for x in amounts] or [np.full(len(self.y), True)])

    def fill(self, found: Stream) -> Stream:
        # A batch in which nothing weighs anything is refused, as by an evaluation.
        if self.used.any():
            forecasts = {"a": self.p[0], "b": self.p[1]}
            found.add(self.y, forecasts, self.weight, self.groups, self.times)
        return found

    def repeated(self) -> Fed:
        """Write each row as often as it counts."""
        return self.of(np.repeat(np.arange(len(self.y)), self.times))._replace(times=None)


def draw(seed: int, count: int, kind: str, weights: list[Any], *, counted: bool = False) -> Fed:
    rng = np.random.default_rng(seed)
    y, p, weight = rows_of_seed(seed, count, weights)
    other = np.where(rng.random(count) < 0.3, rng.choice(LIKELY, count), rng.random(count))
    groups = rng.choice(np.array(["x", "y", "z"]), count)
    times = rng.choice([0, 1, 1, 2, 7], count) if counted else None
    fed = Fed(y, np.stack([p, other]), None if kind == "none" else weight, groups, times)
    # One row at least that is not left out.
    if not fed.used.any():
        fed.times[0] = 1
        fed = fed if fed.weight is None else fed._replace(weight=np.maximum(fed.weight, 1))
    return fed


def shuffled(fed: Fed, seed: int, cells: int | None) -> Stream:
    """Put rows in another order, share them out to streams in batches, and merge these by twos."""
    rng = np.random.default_rng(seed)
    shards = [stream(RULES, cells=cells) for _ in range(rng.integers(1, 5))]
    order = rng.permutation(len(fed.y))
    cuts = np.sort(rng.integers(0, len(order) + 1, rng.integers(0, 8)))
    for batch in np.split(order, cuts):
        if len(batch):
            fed.of(batch).fill(shards[rng.integers(len(shards))])
    while len(shards) > 1:
        one = shards.pop(rng.integers(len(shards)))
        at = rng.integers(len(shards))
        shards[at] = one + shards[at] if rng.random() < 0.5 else shards[at] + one
    return shards[0]


@contextmanager
def small(most: int, cells: int) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_summary, "MOST_DISTINCT", most)
        patch.setattr(_summary, "CELLS", cells)
        yield


@examples(15)
@given(
    seed=seeds,
    other=seeds,
    count=st.integers(1, 40),
    kind=st.sampled_from(sorted(WEIGHTS)),
    cells=st.sampled_from([None, None, 7]),
    counted=st.booleans(),
)
def test_order_batches_and_shards_change_nothing(
    *, seed: int, other: int, count: int, kind: str, cells: int | None, counted: bool
) -> None:
    fed = draw(seed, count, kind, WEIGHTS[kind], counted=counted)
    # So few that forecasts are grouped in some examples, of all rows, of groups, or of both.
    with small(15, 10):
        whole = fed.fill(stream(RULES, cells=cells)).summary()
        assert numbers_of(shuffled(fed, other, cells).summary()) == nearly(whole)


@few
@given(
    seed=seeds,
    count=st.integers(1, 40),
    kind=st.sampled_from(sorted(WEIGHTS)),
    cells=st.sampled_from([None, 7]),
)
def test_a_count_is_so_many_rows(seed: int, count: int, kind: str, cells: int | None) -> None:
    fed = draw(seed, count, kind, WEIGHTS[kind], counted=True)
    whole = fed.repeated().fill(stream(RULES, cells=cells)).summary()
    assert numbers_of(shuffled(fed, seed, cells).summary()) == nearly(whole)


@few
@given(
    seed=seeds,
    count=st.integers(1, 40),
    kind=st.sampled_from(sorted(WEIGHTS)),
    counted=st.booleans(),
)
def test_a_tally_of_a_stream_is_that_of_its_arrays(
    seed: int, count: int, kind: str, counted: bool
) -> None:
    fed = draw(seed, count, kind, WEIGHTS[kind], counted=counted)
    found = shuffled(fed, seed, None).summary()
    for name, p in zip("ab", fed.p, strict=True):
        expected = properly.tally(fed.y, p, weight=fed.weight, count=fed.times)
        one, two = sums_of(found.tallies[name]), sums_of(expected)
        np.testing.assert_array_equal(found.tallies[name].value, expected.value)
        for column, other in zip(one, two, strict=True):
            np.testing.assert_allclose(column, other, rtol=1e-12, atol=0)
            assert column.dtype == other.dtype


@few
@given(seed=seeds, count=st.integers(1, 40), cells=st.integers(1, 60))
def test_counts_in_cells_are_the_grouped_tally_of_the_whole(
    seed: int, count: int, cells: int
) -> None:
    fed = draw(seed, count, "none", WEIGHTS["none"], counted=True)
    found = shuffled(fed, seed, cells).summary()
    for name, p in zip("ab", fed.p, strict=True):
        tally = properly.tally(fed.y, p, count=fed.times, cells=cells)
        assert found.tallies[name].event_squares is None
        np.testing.assert_array_equal(found.tallies[name].weight, tally.weight)
        np.testing.assert_array_equal(found.tallies[name].events, tally.events)
        np.testing.assert_allclose(found.tallies[name].value, tally.value, rtol=1e-15, atol=0)


@examples(3)
@given(seed=seeds, size=st.sampled_from([7, 100, 600]))
def test_memory_does_not_grow_with_the_rows(seed: int, size: int) -> None:
    rng = np.random.default_rng(seed)
    most, cells = 200, 50
    p = rng.random((2, 3 * most))
    y = rng.random(3 * most) < p[0]
    with small(most, cells):
        found = stream(Brier())
        for start in range(0, len(y), size):
            rows = slice(start, start + size)
            found.add(y[rows], {"a": p[0, rows], "b": p[1, rows]})
            held = [len(found.summary().tallies[name]) for name in "ab"]
            assert max(held) <= most
        assert max(held) <= cells + 2
        before = held
        found.add(y, {"a": p[0], "b": p[1]})
        assert [len(found.summary().tallies[name]) for name in "ab"] == before
