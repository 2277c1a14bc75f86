"""The benchmark itself, on small data: its rows run and agree; no timing is asserted."""

from __future__ import annotations

import importlib
import importlib.util
import json
import math
import platform
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
harness = sys.modules["benchmarks.harness"]
writing = sys.modules["benchmarks.writing"]
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


def row_of(**changes: Any) -> Any:
    """Return a row that costs nothing."""
    fields: dict[str, Any] = {
        "name": "`ours`",
        "against": "`theirs`",
        "make": lambda cases: cases,
        "ours": lambda cases: 2 * cases,
        "peer": lambda cases: 8 * cases,
        "cases": 5,
        "quantity": harness.REPORTED_TIME,
    }
    return harness.Row(**(fields | changes))


def found_by(*rows: Any, rounds: int = 1, **options: Any) -> Any:
    """Return the run that measures the rows, as briefly as can be."""
    brief = {"rounds": rounds, "round_seconds": 0} | options
    results = (harness.measure(row, **brief) for row in rows if not row.missing)
    left_out = tuple(row for row in rows if row.missing)
    return writing.Run("python benchmarks/run.py", rounds, tuple(results), left_out)


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


def test_sides_take_turns_and_the_first_one_changes_each_round() -> None:
    calls: list[str] = []

    def side(name: str) -> Any:
        def call(_: int) -> float:
            calls.append(name)
            return 1.0

        return call

    row = row_of(ours=side("A"), peer=side("B"))
    harness.measure(row, rounds=2, round_seconds=0)
    assert "".join(calls) == "AB" + "ABAB" + "BABA"


def test_a_least_target_is_about_how_many_times_faster_we_are() -> None:
    at_most, at_least, none = (
        found_by(row_of(target=target)).results[0] for target in ("<= 0.25", ">= 4.5", None)
    )
    assert (at_most.median, at_most.holds) == (0.25, True)
    assert (at_least.median, at_least.holds) == (4.0, False)
    assert (none.median, none.holds) == (0.25, None)


def test_json_says_what_was_measured_with_what_and_whether_the_target_holds() -> None:
    found = json.loads(found_by(row_of(target="<= 2.2"), rounds=3).to_json())
    assert set(found) == {"command", "versions", "machine", "rounds", "rows", "left_out"}
    assert found["versions"]["python"] == platform.python_version()
    assert {"properly", "numpy", "scipy"} <= set(found["versions"])
    about = {"cores", "arch", "system", "processor", "blas", "load"}
    assert set(found["machine"]) == about
    assert found["machine"]["processor"]
    assert found["machine"]["load"] is None or len(found["machine"]["load"]) == 3
    (row,) = found["rows"]
    assert (row["target"], row["holds"], row["median"]) == ("<= 2.2", True, 0.25)
    assert row["spread"] == [0.25, 0.25]
    assert (row["ratio"], row["unit"], row["cases"]) == ("ours / peer", "seconds", 5)
    assert row["ours"] == [10, 10, 10]


def test_the_page_has_the_table_and_names_neither_the_machine_nor_a_path() -> None:
    page = found_by(row_of(target=">= 3"), row_of(name="a | b")).to_markdown()
    assert "| `ours` | `theirs` | 5 | 4 times faster | 4 to 4 | >= 3 | yes |" in page
    assert r"| a \| b | `theirs` | 5 | 0.25 | 0.25 to 0.25 |  |  |" in page
    assert f"numpy {np.__version__}" in page
    assert platform.machine() in page
    assert "$" not in page
    assert platform.node() not in page
    assert str(BENCHMARKS.parent) not in page


def test_the_plain_loop_tests_what_the_library_tests() -> None:
    data = sys.modules["benchmarks.samples"].make_job(5000)
    by_loop = importlib.import_module("benchmarks.rows_jobs").plain_loop(data)
    for p, other in zip(data.forecasts.values(), by_loop, strict=True):
        tally = properly.tally(data.y, p)
        found = properly.calibration_test(tally, statistic="mcb", replicates=199, rng=1)
        # Four standard errors of the difference of two shares of 199 draws.
        assert found.p_value == pytest.approx(other, abs=4 * math.sqrt(0.5 / 200))


def test_a_row_without_its_peer_is_left_out_visibly() -> None:
    found = found_by(row_of(needs=("a_module_nobody_has",)), row_of())
    line = "Left out, since a_module_nobody_has is not installed: ours / theirs."
    assert found.notes == [line]
    assert line in found.to_markdown()
    assert json.loads(found.to_json())["left_out"] == ["ours / theirs"]


def test_a_missed_target_is_said_and_is_no_failure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(run, "ROWS", (row_of(target="<= 0.1"), row_of(name="kept", target="<= 1")))
    kept, page = tmp_path / "new" / "kept.json", tmp_path / "page.md"
    assert run.main(["--rounds", "1", "--json", str(kept), "--markdown", str(page)]) == 0
    said = capsys.readouterr().out
    assert "1 of 2 targets hold\ndoes not hold: ours / theirs\n" in said
    assert json.loads(kept.read_text())["command"] == "python benchmarks/run.py --rounds 1"
    assert page.read_text().startswith("# Benchmarks of computing\n")


def test_rows_are_chosen_by_pattern(capsys: pytest.CaptureFixture[str]) -> None:
    assert [row.against for row in run.choose("^IMPORT properly")] == [
        "`import numpy, scipy.optimize`"
    ]
    assert run.main(["--only", "no such row"]) == 0
    assert "no row matches 'no such row'" in capsys.readouterr().out


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


def test_files_of_models_are_drawn_alike_each_time_and_one_is_calibrated(tmp_path: Path) -> None:
    duckdb = pytest.importorskip("duckdb")
    files = sys.modules["benchmarks.parquet_files"]
    columns = []
    for name in ("once", "again"):
        files.write_models(tmp_path / name, 20_000)
        columns.append(duckdb.read_parquet(str(tmp_path / name)).fetchnumpy())
    once, again = columns
    assert list(once) == ["y", *files.MODELS]
    for name, column in once.items():
        np.testing.assert_array_equal(column, again[name])
    brier = {name: float(((once["y"] - once[name]) ** 2).mean()) for name in files.MODELS}
    assert min(brier, key=brier.__getitem__) == "right"
    assert abs(float(once["right"].mean() - once["y"].mean())) < 0.01


def test_time_and_memory_of_a_process_are_its_own(tmp_path: Path) -> None:
    pytest.importorskip("resource")
    file = tmp_path / "file"
    file.write_bytes(b"123")
    code = "import sys, time; x = bytes(range(256)) * (1 << 20); time.sleep(0.2)"
    work = sizes.Work("work", ("-c", code, "FILE"), limit=7)
    found = sizes.measure(work, [file], 1)
    assert (found.work, found.rows, found.file_bytes, found.limit, found.failed) == (
        "work", 1, 3, 7, "",
    )  # fmt: skip
    assert found.seconds > 0.2
    assert 1 << 28 < found.peak_bytes < 1 << 30
    failing = sizes.Work("work", ("-c", "import sys; sys.exit(f'no {sys.argv[1]}')", "PAGE"))
    assert sizes.measure(failing, [file], 1).failed == f"no {file}.html"


def test_the_table_of_sizes_replaces_the_one_in_the_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    page, kept = tmp_path / "page.md", tmp_path / "kept.json"
    page.write_text(f"# Title\n\n{size_words.BEGIN}\nold\n{size_words.END}\n\nEnd.\n")
    work = sizes.Work("work", ("-c", "import sys; open(sys.argv[1], 'rb').close()", "FILE"))
    absent = sizes.Work("absent", (), needs=("a_module_nobody_has",))
    monkeypatch.setattr(sizes, "WORKS", (work, absent))
    asked = ["--most", "1000", "--markdown", str(page), "--json", str(kept)]
    assert sizes.main(asked) == 0
    text = page.read_text()
    assert text.startswith(f"# Title\n\n{size_words.BEGIN}\n\n| rows | file | work |\n")
    assert text.endswith(f"\n\n{size_words.END}\n\nEnd.\n")
    assert "old" not in text
    assert "- absent was left out: it needs a_module_nobody_has." in text
    said = capsys.readouterr().out
    assert "writing 1,000 rows\nmeasuring work, 1,000 rows\nrows   file   work\n1,000" in said
    found = json.loads(kept.read_text())
    assert [each["rows"] for each in found["found"]] == [1000]
    about = {"cores", "arch", "system", "processor", "blas", "load", "memory"}
    assert set(found["machine"]) == about
    with pytest.raises(ValueError, match="the page must have the lines"):
        size_words.with_table("# Title\n", "table")


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
