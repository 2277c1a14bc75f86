"""Weights and numbers of like cases: arrays, frames of every engine and streams say the same."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pytest
from tests.frame_engines import ENGINES

import properly
from properly.engines import _frame
from properly.errors import DataError

if TYPE_CHECKING:
    from properly import Summary, Tally

RNG = np.random.default_rng(12)
ROWS = 90
P = {"a": np.round(RNG.beta(1, 2, ROWS), 1).clip(0.05, 0.95), "b": RNG.beta(1, 2, ROWS).round(2)}
P["b"] = P["b"].clip(0.01, 0.99)
Y = (RNG.random(ROWS) < P["b"]).astype(int)
GROUP = np.array(["new", "old"])[RNG.integers(0, 2, ROWS)]
WEIGHTS: dict[str, Any] = {
    "no weights": None,
    "whole": RNG.integers(0, 6, ROWS),
    "whole floats": RNG.integers(1, 6, ROWS).astype(float),
    "fractions": RNG.random(ROWS) * 3,
    "equal": np.full(ROWS, 3),
    "equal fractions": np.full(ROWS, 0.1),
    "equal or 0": np.where(RNG.random(ROWS) < 0.3, 0.0, 0.7),
    "equal in a group": np.where(GROUP == "new", 2, RNG.integers(1, 4, ROWS)),
}
COUNTS: dict[str, Any] = {
    "no counts": None,
    "counts": RNG.integers(0, 4, ROWS),
    "float counts": RNG.integers(0, 4, ROWS).astype(float),
}
BOTH = [(weight, count) for weight in WEIGHTS for count in COUNTS]


def known(weight: str, count: str) -> dict[str, Any]:
    return {"weight": WEIGHTS[weight], "count": COUNTS[count]}


def frame_of(engine: str, **columns: Any) -> tuple[Any, dict[str, Any]]:
    """Make a frame, and name the columns that there are."""
    given = {name: x for name, x in columns.items() if x is not None}
    table = pa.table({"y": Y, **P, "group": GROUP, **given})
    return ENGINES[engine](table), {name: name for name in given}


def assert_same(found: Tally, expected: Tally) -> None:
    for name in ("value", "weight", "events", "event_squares", "nonevent_squares"):
        one, two = getattr(found, name), getattr(expected, name)
        assert (one is None) == (two is None), name
        if one is not None:
            np.testing.assert_allclose(one, two, rtol=1e-12, atol=0, err_msg=name)
            assert one.dtype == two.dtype


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(("weight", "count"), BOTH)
def test_a_frame_is_tallied_as_its_arrays(engine: str, weight: str, count: str) -> None:
    frame, names = frame_of(engine, **known(weight, count))
    for options in ({}, {"cells": 4}, {"snap": 0.25}, {"snap": 0.25, "cells": 2}):
        found = properly.tally(frame, outcome="y", forecast="b", **names, **options)
        assert_same(found, properly.tally(Y, P["b"], **known(weight, count), **options))


def streamed(**columns: Any) -> Summary:
    """Sum up batches, of which some have equal weights."""
    stream = properly.stream()
    for rows in (slice(0, 1), slice(1, 30), slice(30, None)):
        some = {name: None if x is None else x[rows] for name, x in columns.items()}
        stream.add(Y[rows], {name: p[rows] for name, p in P.items()}, **some)
    return stream.summary()


@pytest.mark.parametrize("source", ["stream", *ENGINES])
@pytest.mark.parametrize(("weight", "count"), BOTH)
def test_a_summary_has_the_tallies_of_its_arrays(source: str, weight: str, count: str) -> None:
    columns = known(weight, count)
    if source == "stream":
        if any(x is not None and not x[0] for x in columns.values()):
            columns = {name: None if x is None else shifted(x) for name, x in columns.items()}
        found = streamed(**columns, groups=GROUP)
    else:
        frame, names = frame_of(source, **columns)
        found = properly.summarize(frame, ["a", "b"], outcome="y", groups="group", **names)
    assert found.has_weights == (weight != "no weights")
    for name, p in P.items():
        assert_same(found.tallies[name], properly.tally(Y, p, **columns))
        for label, part in found.groups.items():
            rows = label == GROUP
            some = {what: None if x is None else x[rows] for what, x in columns.items()}
            assert_same(part.tallies[name], properly.tally(Y[rows], p[rows], **some))


def shifted(column: Any) -> Any:
    """Begin with a row that is not left out: a batch of nothing is refused."""
    return np.concatenate([[column.max()], column[1:]]).astype(column.dtype)


@pytest.mark.slow
@pytest.mark.parametrize("engine", ["pandas", "polars lazy", "duckdb"])
def test_classes_are_counted_as_so_many_rows(engine: str) -> None:
    p = RNG.dirichlet([1, 2, 1], ROWS)
    table = pa.table({"y": Y + (P["a"] > 0.4), **{f"p{k}": p[:, k] for k in range(3)}})
    times = COUNTS["counts"]
    counted = ENGINES[engine](table.append_column("n", [times]))
    repeated = ENGINES[engine](table.take(np.repeat(np.arange(ROWS), times)))
    models = {"m": ["p0", "p1", "p2"]}
    one = properly.summarize(counted, models, outcome="y", count="n")
    two = properly.summarize(repeated, models, outcome="y")
    np.testing.assert_array_equal(one.confusion["m"], two.confusion["m"])
    assert one.confusion["m"].dtype == two.confusion["m"].dtype
    for key, tally in two.tallies.items():
        assert_same(one.tallies[key], tally)
    for key, total in two.sums.totals.items():
        assert one.sums.totals[key] == pytest.approx(total, rel=1e-12), key


def test_counts_that_are_all_zero_are_refused() -> None:
    frame, names = frame_of("polars", count=np.zeros(ROWS, dtype=int))
    with pytest.raises(DataError, match="at least one count must be positive; all 90 are 0"):
        properly.tally(frame, outcome="y", forecast="a", **names)
    even = np.arange(ROWS) % 2
    frame, names = frame_of("polars", count=even, weight=1 - even)
    with pytest.raises(DataError, match="a weight and a count above 0; none has both"):
        properly.tally(frame, outcome="y", forecast="a", **names)


def test_counts_are_a_column_of_numbers_in_the_frame() -> None:
    frame, _ = frame_of("polars")
    with pytest.raises(DataError, match="column 'group' must hold numbers; it holds text"):
        properly.tally(frame, outcome="y", forecast="a", count="group")
    with pytest.raises(properly.errors.ArgumentTypeError, match="count names a column of a frame"):
        properly.tally(Y, P["a"], count="n")


def test_a_frame_of_many_cases_is_summed_up_however_few_its_rows(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(_frame, "MOST_ROWS", 100)
    frame, names = frame_of("polars", count=COUNTS["counts"])
    large = properly.evaluate(frame, ["a", "b"], outcome="y", **names, replicates=0)
    assert large.summed
    few = properly.evaluate(frame, ["a", "b"], outcome="y", replicates=0)
    assert not few.summed
    rows = properly.evaluate(Y, P, count=COUNTS["counts"], replicates=0)
    assert (large.rows, large.total) == (rows.rows, rows.total)
    for name in P:
        assert large.scores[name]["brier"].interval == pytest.approx(
            rows.scores[name]["brier"].interval, rel=1e-12
        )


@pytest.mark.slow
@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("name", ["weight", "count"])
@pytest.mark.parametrize("cells", [None, 4])
def test_a_group_without_weight_is_left_out_of_a_frame_as_of_a_stream(
    engine: str, name: str, cells: int | None
) -> None:
    column = {name: np.where(GROUP == "new", 0, 2)}
    frame, names = frame_of(engine, **column)
    found = properly.summarize(
        frame, "b", outcome="y", groups="group", rules=properly.rules.Brier(), cells=cells, **names
    )
    assert list(found.groups) == list(streamed(groups=GROUP, **column).groups) == ["old"]
    assert_same(found.groups["old"].tallies["b"], found.tallies["b"])
