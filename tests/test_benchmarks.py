"""The benchmark itself, on small data: its rows run and agree; no timing is asserted."""

from __future__ import annotations

import importlib.util
import json
import math
import platform
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

if TYPE_CHECKING:
    from types import ModuleType

BENCHMARKS = Path(__file__).resolve().parent.parent / "benchmarks"
CASES = 2000
# To run is all that is asked: fewer do.
FEW = 500


def load_run() -> ModuleType:
    """Load the script, which is no part of a package, and leave the search path as it was."""
    path = list(sys.path)
    spec = importlib.util.spec_from_file_location("benchmarks_run", BENCHMARKS / "run.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    sys.path[:] = path
    return module


run = load_run()
harness = sys.modules["benchmarks.harness"]
writing = sys.modules["benchmarks.writing"]
ROWS = [
    pytest.param(
        row,
        id=row.label,
        marks=pytest.mark.skipif(
            bool(row.missing),
            reason=f"not installed: {', '.join(row.missing)}; `make test-peers` installs it",
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


def test_the_sample_is_the_same_however_often_it_is_made() -> None:
    make_sample = sys.modules["benchmarks.samples"].make_sample
    once, again = make_sample(100_000), make_sample(100_000)
    np.testing.assert_array_equal(once.y, again.y)
    np.testing.assert_array_equal(once.p, again.p)
    assert len(np.unique(once.p)) == 100_000
    np.testing.assert_allclose(once.y.mean(), 2 / 3, atol=0.01)
    assert once.bytes == 900_000


@pytest.mark.parametrize(("make", "classes"), [("make_grades", 5), ("make_many_classes", 1000)])
def test_outcomes_of_several_classes_follow_the_forecasts(make: str, classes: int) -> None:
    make_classes = getattr(sys.modules["benchmarks.samples"], make)
    once, again = make_classes(20_000), make_classes(20_000)
    np.testing.assert_array_equal(once.y, again.y)
    np.testing.assert_array_equal(once.p, again.p)
    assert once.p.shape == (20_000, classes)
    assert once.p.dtype == (np.float64 if classes == 5 else np.float32)
    np.testing.assert_allclose(once.p.sum(axis=1), 1, atol=1e-5)
    # Of a forecast that is uniform over all distributions, what happens had 2 / (K + 1) on average.
    hit = once.p[np.arange(20_000), once.y].mean()
    np.testing.assert_allclose(hit, 2 / (classes + 1), rtol=0.03)
    np.testing.assert_allclose(once.y.mean(), (classes - 1) / 2, rtol=0.02)


def test_half_of_the_scored_cases_is_the_first_half() -> None:
    whole = sys.modules["benchmarks.samples"].make_scored(100)
    half = whole.half
    np.testing.assert_array_equal(half.p, whole.p[:50])
    np.testing.assert_array_equal(half.y, whole.y[:50])
    assert [len(x) for x in half.scores.values()] == [50] * 4


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


def test_slow_sides_run_once_a_round(monkeypatch: pytest.MonkeyPatch) -> None:
    assert found_by(row_of()).results[0].repeats == 2
    monkeypatch.setattr(harness, "SLOW_SECONDS", 0.0)
    result = found_by(row_of(), rounds=3).results[0]
    assert result.repeats == 1
    assert result.ratios == (0.25, 0.25, 0.25)


def test_a_least_target_is_about_how_many_times_faster_we_are() -> None:
    at_most, at_least, none = (
        found_by(row_of(target=target)).results[0] for target in ("<= 0.25", ">= 4.5", None)
    )
    assert (at_most.median, at_most.holds) == (0.25, True)
    assert (at_least.median, at_least.holds) == (4.0, False)
    assert (none.median, none.holds) == (0.25, None)


def test_a_row_is_measured_at_its_own_size_unless_another_is_asked_for() -> None:
    assert found_by(row_of()).results[0].cases == 5
    assert found_by(row_of(), cases=7).results[0].cases == 7
    assert (
        found_by(row_of(cases=0, ours=lambda _: 1, peer=lambda _: 1), cases=7).results[0].cases == 0
    )


def test_json_says_what_was_measured_with_what_and_whether_the_target_holds() -> None:
    found = json.loads(found_by(row_of(target="<= 2.2"), rounds=3).to_json())
    assert set(found) == {"command", "versions", "machine", "rounds", "rows", "left_out"}
    assert found["versions"]["python"] == platform.python_version()
    assert {"properly", "numpy", "scipy"} <= set(found["versions"])
    assert set(found["machine"]) == {"cores", "arch", "system"}
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


def test_tables_look_alike_with_and_without_rich(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    results = found_by(row_of(target="<= 0.1")).results
    monkeypatch.setattr(writing, "find_spec", lambda _: None)
    writing.print_table(results)
    plain = capsys.readouterr().out
    line = plain.splitlines()[1]
    assert " ".join(line.split()) == "ours theirs 5 0.25 0.25 to 0.25 <= 0.1 no"
    monkeypatch.undo()
    writing.print_table(results)
    assert set(plain.split()) <= set(capsys.readouterr().out.replace("┃", " ").split())


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
    assert page.read_text().startswith("# Benchmarks\n")


def test_results_at_another_size_say_that_targets_were_not_meant_for_it() -> None:
    assert "not for this one" in found_by(row_of(target="<= 1"), cases=7).to_markdown()
    assert found_by(row_of(target="<= 1")).notes == []


def test_rows_are_chosen_by_pattern(capsys: pytest.CaptureFixture[str]) -> None:
    assert [row.against for row in run.choose("^IMPORT properly")] == [
        "`import numpy, scipy.optimize`"
    ]
    assert run.main(["--only", "no such row"]) == 0
    assert "no row matches 'no such row'" in capsys.readouterr().out


def test_quick_is_a_hundred_thousand_cases() -> None:
    options = run.parse(["--quick", "--only", "tally"])
    assert options.rows == 100_000
    expected = "python benchmarks/run.py --rounds 5 --rows 100000 --only 'tally'"
    assert run.command_of(options) == expected
