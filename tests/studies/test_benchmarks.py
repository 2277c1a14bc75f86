"""The benchmark itself, on small data: its rows run and agree; no timing is asserted."""

from __future__ import annotations

import importlib
import importlib.util
import math
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import properly

if TYPE_CHECKING:
    from types import ModuleType

BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks"
CASES = 2000
# To run is all that is asked: fewer do.
FEW = 500


def load(script: str) -> ModuleType:
    """Load a script, which is no part of a package, and leave the search path as it was."""
    path = list(sys.path)
    name = f"benchmarks_{script}"
    spec = importlib.util.spec_from_file_location(name, BENCHMARKS / f"{script}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    sys.path[:] = path
    return module


run, sizes = load("run"), load("sizes")
size_words = sys.modules["benchmarks.size_words"]
rows_frames = importlib.import_module("benchmarks.rows_frames")
ROWS = [
    pytest.param(
        row,
        id=row.label,
        marks=pytest.mark.skipif(
            bool(row.missing),
            reason=f"not installed: {', '.join(row.missing)}; `make bench` installs it",
        ),
    )
    for row in run.ROWS
]
SAME = [param for param, row in zip(ROWS, run.ROWS, strict=True) if row.tolerance is not None]


@pytest.mark.parametrize("row", ROWS)
def test_both_sides_of_every_row_run(row: Any) -> None:
    data = row.make(FEW)
    ours, peer = (row.quantity.of(side, data) for side in (row.ours, row.peer))
    assert math.isfinite(row.ratio(ours, peer))


@pytest.mark.parametrize("row", SAME)
def test_ours_and_the_peer_return_the_same_numbers(row: Any) -> None:
    data = row.make(CASES)
    np.testing.assert_allclose(row.ours(data), row.peer(data), rtol=0, atol=row.tolerance)


def test_names_of_rows_are_distinct() -> None:
    labels = [row.label for row in run.ROWS]
    assert len(set(labels)) == len(labels)


def test_the_plain_loop_tests_what_the_library_tests() -> None:
    data = sys.modules["benchmarks.samples"].make_job(5000)
    by_loop = importlib.import_module("benchmarks.rows_jobs").plain_loop(data)
    for p, other in zip(data.forecasts.values(), by_loop, strict=True):
        tally = properly.tally(data.y, p)
        found = properly.calibration_test(tally, statistic="mcb", replicates=199, rng=1)
        # Four standard errors of the difference of two shares of 199 draws.
        assert found.p_value == pytest.approx(other, abs=4 * math.sqrt(0.5 / 200))


@pytest.mark.parametrize("digits", [None, 2])
def test_a_tally_of_a_file_has_the_counts_of_sql(digits: int | None) -> None:
    data = rows_frames.make_stored(10_000, digits)
    ours, counts = rows_frames.tally(data), rows_frames.counts_by_hand(data)
    order = np.argsort(counts["p"])
    for column, name in ((ours.value, "p"), (ours.weight, "n"), (ours.events, "events")):
        np.testing.assert_array_equal(column, counts[name][order])
    assert ours.total == 10_000
    assert len(ours) == (10_000 if digits is None else 101)


def test_scores_of_a_file_are_those_of_sql() -> None:
    data = rows_frames.make_stored(10_000)
    ours, by_hand = rows_frames.scores(data), rows_frames.scores_by_hand(data)
    np.testing.assert_allclose(ours, by_hand, rtol=0, atol=1e-12)
    # What uniform forecasts x of an event of probability sqrt(x) cost on average.
    np.testing.assert_allclose(ours[0], 1 / 5, rtol=0, atol=4 * ours[1])
    np.testing.assert_allclose(ours[2], (4 * math.log(2) - 1) / 3, rtol=0, atol=4 * ours[3])


def test_the_guide_has_the_marks_of_the_table() -> None:
    page = (BENCHMARKS.parent / "docs" / "any-size.md").read_text(encoding="utf-8")
    assert size_words.with_table(page, "table").count("table\n" + size_words.END) == 1


def test_the_front_page_has_rows_of_the_pages_below_and_every_target_that_is_missed() -> None:
    docs = BENCHMARKS.parent / "docs"
    front = {row[:4] for row in _rows(docs / "benchmarks.md")}
    below = [row for page in (docs / "benchmarks").glob("*.md") for row in _rows(page)]
    assert len(front) > 10
    assert front <= {row[:4] for row in below}
    missed = {row[:4] for row in below if row[-1] == "no"}
    assert missed <= front


def _rows(page: Path) -> list[tuple[str, ...]]:
    lines = page.read_text(encoding="utf-8").splitlines()
    return [tuple(line[2:-2].split(" | ")) for line in lines if line.startswith("| ")]
