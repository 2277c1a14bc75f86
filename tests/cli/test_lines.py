"""Refusals name rows by where they are in the files that were given."""

from __future__ import annotations

import gzip
from pathlib import Path

import polars as pl
import pytest
from tests.command_line import run

import properly
from properly.errors import DataError

ROWS = [(k % 2, round(0.2 + 0.6 * (k % 2), 1), k) for k in range(40)]
BAD = 17


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Work in a folder of its own."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def frame() -> pl.DataFrame:
    data = pl.DataFrame(ROWS, schema=["y", "p", "patient"], orient="row")
    return data.with_columns(p=pl.when(pl.col("patient") == BAD).then(1.2).otherwise("p"))


def said(command: str, *files: str, **options: str) -> str:
    given = [word for name, value in options.items() for word in (f"--{name}", value)]
    result = run(command, *files, "--outcome", "y", "--forecast", "p", *given)
    assert result.exit_code == 1
    return result.stderr.split("Error: ")[1].split("\n")[0]


@pytest.mark.parametrize("command", ["score", "report"])
def test_the_line_of_a_csv_is_the_one_that_an_editor_shows(command: str) -> None:
    frame().write_csv("a.csv")
    line = Path("a.csv").read_text(encoding="utf-8").splitlines().index(f"1,1.2,{BAD}") + 1
    words = f"forecasts must be probabilities in [0, 1]; row {BAD} (line {line} of a.csv) is 1.2"
    assert said(command, "a.csv") == words
    assert f"(line {line})" in run("check", "a.csv", "--outcome", "y", "--forecast", "p").stdout


def test_compressed_files_have_lines_and_others_rows() -> None:
    text = frame().write_csv()
    Path("a.csv.gz").write_bytes(gzip.compress(text.encode()))
    frame().write_parquet("a.parquet")
    assert f"; row {BAD} (line {BAD + 2} of a.csv.gz) is 1.2" in said("score", "a.csv.gz")
    assert f"; row {BAD} of a.parquet is 1.2" in said("score", "a.parquet")


def test_several_files_and_rows_that_were_dropped() -> None:
    gaps = frame().with_columns(y=pl.when(pl.col("patient") % 5 != 0).then("y"))
    gaps.head(10).write_csv("a.csv")
    gaps.tail(30).write_csv("b.csv")
    place = f"row {BAD - 10} (line {BAD - 8} of b.csv)"
    assert place in said("score", "a.csv", "b.csv", missing="drop")


def test_quoted_line_breaks_leave_the_row() -> None:
    notes = frame().with_columns(note=pl.lit("two\nlines"))
    notes.write_csv("a.csv")
    assert f"; row {BAD} of a.csv is 1.2" in said("score", "a.csv")


def test_the_library_itself_counts_rows_from_0() -> None:
    with pytest.raises(DataError, match=f"row {BAD} is 1.2"):
        properly.evaluate(frame()["y"], frame()["p"])
