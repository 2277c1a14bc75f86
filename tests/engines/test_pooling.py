"""Counting inside engines: cells at their very borders, and events that are made of classes."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import duckdb
import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet
from tests.frame_engines import ENGINES

import properly
from properly.errors import DataError
from properly.rules import Brier

if TYPE_CHECKING:
    from pathlib import Path


def borders(cells: int) -> Any:
    """Return all borders of cells, and the doubles next to them."""
    k = np.arange(cells + 1) / cells
    return np.unique(np.concatenate([k, np.nextafter(k, 0).clip(0), np.nextafter(k, 1)]))


@pytest.mark.slow
@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("cells", [3, 49, 4999])
def test_a_border_belongs_to_the_cell_above_it_in_every_engine(engine: str, cells: int) -> None:
    p = borders(cells)
    y = np.arange(len(p)) % 2
    expected = properly.tally(y, p, cells=cells)
    frame = ENGINES[engine](pa.table({"y": y, "p": p}))
    found = properly.tally(frame, outcome="y", forecast="p", cells=cells)
    np.testing.assert_array_equal(found.weight, expected.weight)
    np.testing.assert_array_equal(found.events, expected.events)
    np.testing.assert_allclose(found.value, expected.value, rtol=1e-15, atol=0)
    assert found.cells == cells


@pytest.mark.slow
@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("labels", [None, ("none", "mild", "severe", "fatal")])
def test_questions_about_classes_are_counted_as_those_of_arrays(
    engine: str, labels: tuple[str, ...] | None
) -> None:
    rng = np.random.default_rng(3)
    p = rng.dirichlet([1, 2, 1, 0.5], 300).round(2)
    p[:, 0] = (1 - p[:, 1:].sum(axis=1)).round(2)
    p = np.abs(p[p[:, 0] >= 0])
    y = (rng.random(len(p))[:, None] > p.cumsum(axis=1)[:, :-1]).sum(axis=1)
    weight = rng.integers(0, 3, len(p))
    names = [f"p{k}" for k in range(4)]
    outcome = y if labels is None else np.array(labels)[y]
    table = pa.table({"y": outcome, "w": weight} | dict(zip(names, p.T, strict=True)))
    summary = properly.summarize(
        ENGINES[engine](table), {"m": names}, outcome="y", weight="w", task="ordinal", labels=labels
    )
    cases = properly.Cases(y, p, weight=weight)
    views = {"above": properly.cumulative(cases), "class": properly.one_vs_rest(cases)}
    for view, events in views.items():
        for k, each in enumerate(events.values()):
            found, expected = summary.tallies["m", (view, k)], each.tally()
            for column in ("value", "weight", "events"):
                np.testing.assert_array_equal(getattr(found, column), getattr(expected, column))
    decided = np.zeros((4, 4), dtype=int)
    np.add.at(decided, (y, p.argmax(axis=1)), weight)
    np.testing.assert_array_equal(summary.confusion["m"], decided)


@pytest.mark.slow
@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(("classes", "whole"), [(3, 30), (3, 1000), (5, 365)])
def test_equal_sums_at_a_cut_are_one_forecast_in_every_engine(
    engine: str, classes: int, whole: int
) -> None:
    rng = np.random.default_rng(whole)
    parts = rng.multinomial(whole, rng.dirichlet(np.ones(classes)), 200)
    y, p = rng.integers(0, classes, 200), parts / whole
    names = [f"p{k}" for k in range(classes)]
    frame = ENGINES[engine](pa.table({"y": y} | dict(zip(names, p.T, strict=True))))
    roles: dict[str, Any] = {"outcome": "y", "task": "ordinal", "rules": [Brier()]}
    summary = properly.summarize(frame, {"m": names}, **roles)
    for k, each in enumerate(properly.cumulative(properly.Cases(y, p)).values()):
        found, expected = summary.tallies["m", ("above", k)], each.tally()
        exact = np.unique(parts[:, k + 1 :].sum(axis=1)) / whole
        assert found.value.tolist() == expected.value.tolist()
        np.testing.assert_allclose(found.value, exact, atol=1e-12)
        assert found.weight.tolist() == expected.weight.tolist()
        assert found.events.tolist() == expected.events.tolist()


# Rules are dealt out to engines; in the end each is held in each.


@pytest.mark.parametrize("engine", ENGINES)
def test_sums_do_not_drift_in_any_engine(engine: str) -> None:
    # Added one after the other, so many tenths are off in the eleventh digit.
    rows = 200_000
    table = pa.table({"y": np.zeros(rows, dtype=int), "p": np.full(rows, math.sqrt(0.1))})
    frame = ENGINES[engine](table)
    summary = properly.summarize(frame, "p", outcome="y", rules=[Brier()])
    loss = float(np.float64(math.sqrt(0.1)) ** 2)
    assert summary.sums.totals["loss", 0, 0] == pytest.approx(rows * loss, rel=1e-15)


@pytest.mark.parametrize("engine", ENGINES)
def test_squares_of_differences_are_those_of_rows(engine: str) -> None:
    rng = np.random.default_rng(2)
    y, a, b = rng.random(40) < 0.4, rng.integers(0, 65, 40) / 64, rng.integers(0, 65, 40) / 64
    frame = ENGINES[engine](pa.table({"y": y.astype(int), "a": a, "b": b}))
    totals = properly.summarize(frame, ["a", "b"], outcome="y", rules=[Brier()]).sums.totals
    apart = (a - y) ** 2 - (b - y) ** 2
    assert totals["apart2", 0, 0, 1] == (apart**2).sum()
    assert totals["differing", 0, 0, 1] == np.count_nonzero(apart)


@pytest.mark.parametrize("column", ["y", "p", "w"])
def test_what_is_not_a_number_is_seen_in_parquet(column: str, tmp_path: Path) -> None:
    """By the statistics of the file, which leave it out, duckdb would say that there is none."""
    table = {"y": [1.0, 1.0, 0.0], "p": [0.5, 1.0, 0.25], "w": [1.0, 2.0, 3.0]}
    table[column][0] = math.nan
    parquet.write_table(pa.table(table), tmp_path / "a.parquet")
    frame = duckdb.read_parquet(str(tmp_path / "a.parquet"))
    message = f"must not be missing; 1 of 3 rows of column '{column}'"
    with pytest.raises(DataError, match=message):
        properly.tally(frame, outcome="y", weight="w", forecast="p")
    with pytest.raises(DataError, match=message):
        properly.summarize(frame, "p", outcome="y", weight="w")
