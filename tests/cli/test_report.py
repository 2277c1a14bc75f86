"""``properly report``: a page, its words, its figures, and how to make it again."""

from __future__ import annotations

import errno
import os
import re
import shlex
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from tests.command_line import GRADES, run, write_forecasts

import properly

TWO = ("--outcome", "y", "--forecast", "good", "--forecast", "poor")
QUICK = ("--rule", "brier", "--replicates", "0")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Work in a folder of its own, with a file of forecasts."""
    write_forecasts(tmp_path / "forecasts.csv")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def written(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, Any, dict[str, Any]]]:
    """Note what pages are made of, and make none."""
    found: list[tuple[str, Any, dict[str, Any]]] = []

    def write(path: str, evaluation: Any, **words: Any) -> None:
        found.append((path, evaluation, words))

    monkeypatch.setattr(properly.report, "write", write)
    return found


def _there() -> list[str]:
    return sorted(path.name for path in Path().iterdir())


def test_a_page_is_written_and_the_verdict_printed() -> None:
    result = run("report", "forecasts.csv", *TWO, *QUICK, "--cases", "people")
    assert (result.exit_code, result.stderr) == (0, "")
    data = properly.read("forecasts.csv")
    e = properly.evaluate(
        data["y"],
        {name: data[name] for name in ("good", "poor")},
        rules=properly.rules.Brier(),
        replicates=0,
        rng=0,
    )
    verdict = properly.verdict(e, cases="people")
    assert result.stdout == f"{verdict}\n\nThe page is in report.html.\n"
    page = Path("report.html").read_text(encoding="utf-8")
    assert page.startswith("<!doctype html>")
    assert verdict.headline in page
    assert "properly report forecasts.csv --outcome y --forecast good" in page
    assert _there() == ["forecasts.csv", "report.html"]


def test_the_words_reach_the_page(written: list[Any]) -> None:
    words = ("--title", "Crashes & more", "--cases", "people", "--event-name", "death")
    result = run("report", "forecasts.csv", *TWO, *QUICK, *words, "--output", "page.html")
    assert result.stdout.endswith("\n\nThe page is in page.html.\n")
    (path, evaluation, given) = written[0]
    assert path == "page.html"
    assert list(evaluation.decompositions) == ["good", "poor"]
    assert {name: given[name] for name in ("title", "cases", "event", "overwrite")} == {
        "title": "Crashes & more",
        "cases": "people",
        "event": "death",
        "overwrite": False,
    }


@pytest.mark.slow
def test_a_map_is_chosen_or_named(written: list[Any]) -> None:
    run("report", "forecasts.csv", *TWO, *QUICK, "--recalibrate")
    run("report", "forecasts.csv", *TWO, *QUICK, "--recalibrate=venn-abers", "--force")
    run("report", "forecasts.csv", *TWO, *QUICK, "--force")
    auto, named, none = (e.repairs for _, e, _ in written)
    assert auto["good"].result.gain.nested
    assert named["good"].kind == "venn_abers"
    assert none == {}


def test_the_command_is_the_one_that_was_typed(written: list[Any]) -> None:
    arguments = ["forecasts.csv", *TWO, *QUICK, "--title", "it's a $test", "--force"]
    run("report", *arguments)
    command = written[0][2]["command"]
    assert shlex.split(command) == ["properly", "report", *arguments]
    run(*shlex.split(command)[1:])
    assert written[1][2]["command"] == command


@pytest.mark.slow
@pytest.mark.parametrize(
    "options",
    [
        (*TWO, *QUICK),
        (*TWO, *QUICK, "--within", "0.1", "0.4", "--clusters", "accident", "--groups", "sex"),
        (*TWO, "--rule", "Bounded(Log(), (0.1, 0.5))", "--replicates", "5", "--seed", "2"),
        ("--outcome", "sex", "--event", "m", "--forecast", "good", *QUICK, "--title", "a'b"),
        ("--outcome", "y", "--forecast", "good", "--weight", "poor", *QUICK, "--level", "0.8"),
        (*TWO, *QUICK, "--recalibrate", "--within", "0.1", "0.4"),
        (*TWO, *QUICK, "--recalibrate=venn-abers"),
        (*TWO, *QUICK, "--id", "accident", "--show", "sex", "--show", "accident"),
        (*QUICK,),
        (
            *("--outcome", "grade", "--classes", ",".join(GRADES), "--forecast", "p"),
            *("--rule", "rps", "--ordered", "--replicates", "0", "--normalize"),
        ),
    ],
)
def test_the_python_makes_the_same_page(options: tuple[str, ...], written: list[Any]) -> None:
    result = run("report", "forecasts.csv", *options)
    assert result.exit_code == 0, result.stderr
    exec(compile(written[0][2]["python"], "page", "exec"), {})  # noqa: S102
    (path, evaluation, given), (again, same, words) = written
    assert again == path
    assert same.to_dict() == evaluation.to_dict()
    kept = {name: given[name] for name in ("title", "cases", "event") if given[name] is not None}
    assert words == kept


def test_a_monitor_is_on_the_page_and_in_the_python(folder: Path, written: list[Any]) -> None:
    watch = properly.Monitor()
    watch.add([0, 1], {"good": [0.2, 0.7]})
    watch.save(folder / "it's.json")
    run("report", "forecasts.csv", *TWO, *QUICK, "--monitor", "it's.json")
    exec(compile(written[0][2]["python"], "page", "exec"), {})  # noqa: S102
    first, second = (words["monitor"] for _, _, words in written)
    assert first.to_dict() == second.to_dict() == watch.to_dict()


def test_the_python_reads_names_as_names(folder: Path, written: list[Any]) -> None:
    hostile = "p');print(\"x{{7}}\\"
    file = folder / "it's.csv"
    rows = "".join(f"{k % 2},{0.3 + 0.4 * (k % 2)}\n" for k in range(40))
    quoted = hostile.replace('"', '""')
    file.write_text(f'y,"{quoted}"\n{rows}', encoding="utf-8")
    run("report", "it's.csv", "--outcome", "y", "--forecast", hostile, *QUICK)
    exec(compile(written[0][2]["python"], "page", "exec"), {})  # noqa: S102
    assert list(written[1][1].decompositions) == [hostile]


def test_rows_that_were_dropped_are_dropped_again(folder: Path, written: list[Any]) -> None:
    lines = (folder / "forecasts.csv").read_text(encoding="utf-8").splitlines()
    lines[3] = ",".join(["0", "", "0.5", *lines[3].split(",")[3:]])
    (folder / "gaps.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    result = run("report", "gaps.csv", *TWO, *QUICK, "--missing", "drop")
    assert result.stderr == "Dropped 1 of 80 rows for missing values: 1 lacks 'good'.\n"
    with pytest.warns(properly.errors.DataWarning, match="dropped 1 of 80 rows"):
        exec(compile(written[0][2]["python"], "page", "exec"), {})  # noqa: S102
    assert written[0][1].rows == written[1][1].rows == 79


def test_columns_stand_beside_the_worst_cases_in_the_order_of_the_options() -> None:
    result = run("report", "forecasts.csv", *TWO, *QUICK, "--id", "sex", "--show", "accident")
    assert result.exit_code == 0, result.stderr
    page = Path("report.html").read_text(encoding="utf-8")
    names = ("row", "sex", "accident", "loss", "outcome", "p")
    assert "".join(f'<th scope="col"><bdi>{name}</bdi></th>' for name in names) in page
    cells = r"<bdi>(\d+)</bdi></th><td><bdi>(.)</bdi></td><td><bdi>(\d+)<"
    table = re.findall(f'<th scope="row">{cells}', page)
    assert len(table) == 20
    assert all((sex, int(of)) == ("fm"[int(k) % 2], int(k) // 2) for k, sex, of in table)


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_what_is_missing_beside_a_case_drops_no_row(suffix: str, written: list[Any]) -> None:
    data = pl.read_csv("forecasts.csv").with_row_index("patient")
    gaps = pl.when(pl.col("patient") % 3 > 0)
    data = data.with_columns(
        patient=gaps.then(pl.col("patient") + 1000),
        day=gaps.then(pl.date(2024, 1, 1) + pl.duration(days="patient")),
        good=pl.when(pl.col("patient") != 4).then("good"),
    )
    getattr(data, f"write_{suffix}")(f"gaps.{suffix}")
    options = (*TWO, *QUICK, "--missing", "drop", "--id", "patient", "--show", "day")
    result = run("report", f"gaps.{suffix}", *options, "--show", "sex")
    assert result.stderr == "Dropped 1 of 80 rows for missing values: 1 lacks 'good'.\n"
    worst = written[0][1].worst["good"]
    rows = [k + (k >= 4) for k in worst.row.tolist()]
    first = np.datetime64("2024-01-01")
    days = [None if k % 3 == 0 else str(first + np.timedelta64(k, "D")) for k in rows]
    assert worst.beside == {
        "patient": tuple(None if k % 3 == 0 else 1000 + k for k in rows),
        "day": tuple(days),
        "sex": tuple("fm"[k % 2] for k in rows),
    }
    assert None in days
    python = written[0][2]["python"]
    assert "# Not shown here, since values are missing: ['patient', 'day']\n" in python
    with pytest.warns(properly.errors.DataWarning, match="dropped 1 of 80 rows"):
        exec(compile(python, "page", "exec"), {})  # noqa: S102
    assert written[1][1].worst["good"].beside == {"sex": worst.beside["sex"]}


@pytest.mark.usefixtures("written")
def test_figures_are_written_beside_the_page(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Any] = []

    def figures(folder: str, evaluation: Any, **options: Any) -> list[Path]:
        asked.append((folder, list(evaluation.decompositions), options))
        return [Path(folder, f"{k}.svg") for k in range(3)]

    monkeypatch.setattr(properly.report, "figures", figures)
    formats = ("--figure-format", "svg", "--figure-format", "png")
    result = run("report", "forecasts.csv", *TWO, *QUICK, "--figures", "figures", *formats)
    assert result.stdout.endswith("\nThe page is in report.html.\n3 figures are in figures.\n")
    run("report", "forecasts.csv", *TWO, *QUICK, "--figures", "figures", "--force")
    models = ["good", "poor"]
    assert asked == [
        ("figures", models, {"formats": ("svg", "png"), "overwrite": False}),
        ("figures", models, {"formats": ("svg",), "overwrite": True}),
    ]


@pytest.fixture
def nothing_done(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fail if long work begins."""

    def evaluate(*_: Any, **__: Any) -> None:
        pytest.fail("the work began before the output was looked at")

    monkeypatch.setattr(properly, "evaluate", evaluate)


@pytest.mark.usefixtures("nothing_done")
@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--output", "forecasts.csv"), "forecasts.csv exists already and is not overwritten"),
        (("--output", "."), ". is a directory"),
        (("--output", "nowhere/page.html"), "the folder nowhere does not exist"),
        (("--figures", "forecasts.csv"), "forecasts.csv is a file, not a folder"),
        (("--figures", "nowhere/figures"), "the folder nowhere does not exist"),
    ],
)
def test_outputs_are_looked_at_before_the_work(options: tuple[str, ...], said: str) -> None:
    result = run("report", "forecasts.csv", *TWO, *options)
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr.startswith(f"Error: {said}")


def test_a_page_that_appears_meanwhile_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    evaluate = properly.evaluate

    def meanwhile(*values: Any, **options: Any) -> Any:
        Path("report.html").write_text("another's", encoding="utf-8")
        return evaluate(*values, **options)

    monkeypatch.setattr(properly, "evaluate", meanwhile)
    result = run("report", "forecasts.csv", *TWO, *QUICK)
    assert result.exit_code == 1
    assert result.stderr.startswith("Error: report.html exists already and is not overwritten")
    assert Path("report.html").read_text(encoding="utf-8") == "another's"
    assert run("report", "forecasts.csv", *TWO, *QUICK, "--force").exit_code == 0
    assert Path("report.html").read_text(encoding="utf-8").startswith("<!doctype html>")


@pytest.mark.slow
def test_a_page_that_has_no_room_leaves_no_figures(monkeypatch: pytest.MonkeyPatch) -> None:
    files: list[int] = []
    real = os.fsync

    def fill(number: int) -> None:
        files.append(number)
        if os.fstat(number).st_size > 500_000:  # the page; figures are smaller
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        real(number)

    monkeypatch.setattr(os, "fsync", fill)
    result = run("report", "forecasts.csv", *TWO, *QUICK, "--figures", "figures")
    said = "there is no room left on the disk for report.html; nothing was written"
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr.endswith(f"Error: {said}\n")
    assert len(files) > 5
    assert _there() == ["forecasts.csv"]
