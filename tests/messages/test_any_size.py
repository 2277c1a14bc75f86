"""Messages about files that are larger than memory, or elsewhere; others are in ``files.txt``."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import duckdb
import pytest
from tests.command_line import GRADES, run, write_forecasts

from properly.cli import _engine
from properly.engines._files import Files, open_files
from properly.errors import DataError

if TYPE_CHECKING:
    from pathlib import Path

CSV = b"y,p\n1,0.5\n0,0.25\n"
ONE = ("--outcome", "y", "--forecast", "good")
TWO = (*ONE, "--forecast", "poor")


pytestmark = pytest.mark.usefixtures("folder")


TOO_LITTLE = "\n\nHint: give more by --memory, or name a folder with more space by TMPDIR."


def test_too_little_memory_is_said_in_one_sentence(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "a.csv").write_bytes(CSV)
    with pytest.raises(DataError) as caught, open_files("a.csv"):
        raise duckdb.OutOfMemoryException
    assert str(caught.value) == (
        "the work must fit into the memory and the temporary folder; "
        f"that of this machine does not do{TOO_LITTLE}"
    )

    def measured(*_: object) -> None:
        raise duckdb.OutOfMemoryException

    monkeypatch.setattr("properly.engines._files._read.measured", measured)
    with pytest.raises(DataError) as caught, open_files("a.csv", memory="2MB") as files:
        files.shapes(["p"])
    assert str(caught.value) == (
        f"the work must fit into the memory and the temporary folder; '2MB' does not do{TOO_LITTLE}"
    )


def test_what_duckdb_says_later_is_said_in_one_sentence(folder: Path) -> None:
    (folder / "a.csv").write_bytes(CSV)
    with pytest.raises(DataError) as caught, open_files("a.csv") as files:
        files.relation({"c0": "y"})[0].project("c9").fetchall()
    assert str(caught.value).startswith(
        "duckdb must be able to work on the files to their end; it says: Binder Error: "
    )


@pytest.mark.parametrize(
    "address", ["s3://bucket/a.parquet", "https://host/a.csv.gz?x=1", "gs://bucket/a.jsonl.zst"]
)
def test_a_file_elsewhere_is_left_to_duckdb_and_its_extensions(
    folder: Path, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.undo()
    # A folder without extensions, wherever the tests run.
    connect = duckdb.connect

    def bare(config: dict[str, Any]) -> Any:
        return connect(config=config | {"extension_directory": str(folder)})

    monkeypatch.setattr(duckdb, "connect", bare)
    monkeypatch.setitem(sys.modules, "s3fs", None)
    extra = "pip install 'properly[s3]', or " if address.startswith("s3:") else ""
    with pytest.raises(DataError) as caught, open_files(address):
        pass
    assert str(caught.value) == (
        f"a file elsewhere must be one that duckdb reaches; {address!r} is not: "
        "its extension httpfs is not there"
        f"\n\nHint: {extra}INSTALL httpfs is the command of duckdb that fetches it."
    )


def test_a_file_elsewhere_that_no_one_reaches_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    with pytest.raises(DataError) as caught, open_files("nowhere://a.csv"):
        pass
    assert str(caught.value).startswith(
        "a file elsewhere must be one that duckdb reaches; 'nowhere://a.csv' is not: IO Error: "
    )
    monkeypatch.setitem(sys.modules, "s3fs", None)
    with pytest.raises(DataError) as caught, open_files("s3://bucket/a.arrow"):
        pass
    assert str(caught.value) == (
        "an Arrow file must lie on this machine; got 's3://bucket/a.arrow'"
    )


@pytest.fixture
def written(folder: Path) -> None:
    write_forecasts(folder / "all.csv")


@pytest.fixture
def no_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    """Take every file for a large one, and fail if rows are read."""

    def read(*_: Any) -> None:
        pytest.fail("rows of a large file were read into memory")

    monkeypatch.setattr(_engine, "MOST_ROWS", 10)
    monkeypatch.setattr(Files, "read", read)


def refused(code: int, *arguments: str | Path) -> str:
    """Return what is said of a call that is refused, without how the command is used."""
    result = run(*arguments)
    assert (result.exit_code, result.stdout) == (code, ""), result.stdout
    return result.stderr.rpartition("Error: ")[2].rstrip("\n")


FEWER = "\n\nHint: leave it out, or give fewer rows."
GRADED = ("--outcome", "grade", "--forecast", "p", "--classes", ",".join(GRADES))


@pytest.mark.usefixtures("written", "no_rows")
@pytest.mark.parametrize(
    ("arguments", "option"),
    [
        (("score", *TWO, "--time", "accident"), "--time"),
        (("report", *TWO, "--strata", "sex", "--output", "nowhere.html"), "--strata"),
        (("report", *TWO, "--id", "sex", "--output", "nowhere.html"), "--show"),
        (("score", *GRADED, "--normalize"), "--normalize"),
        (("compare", *TWO, "--rule", "auc"), "--rule auc"),
        (("compare", *TWO, "--reference", "poor"), "--reference"),
        (("compare", *TWO, "--margin", "0.01"), "--margin"),
    ],
)
def test_what_needs_the_rows_is_refused(arguments: tuple[str, ...], option: str) -> None:
    command, *options = arguments
    assert refused(1, command, "all.csv", *options) == (
        f"{option} needs the rows in memory; there are more than 10 of them{FEWER}"
    )


@pytest.mark.usefixtures("written", "no_rows")
def test_the_same_data_are_refused_in_the_same_words() -> None:
    text = ("--outcome", "y", "--forecast", "sex")
    assert refused(1, "score", "all.csv", *text).startswith(
        "column 'sex' must hold numbers; row 0 (line 2 of all.csv) is 'f' (80 such rows)"
    )
    assert refused(2, "score", "all.csv", "--outcome", "sex", "--forecast", "good") == (
        "Which label is the event? The outcome 'sex' has 'f', 'm'; give --event, such as --event m."
    )
    assert refused(1, "score", "all.csv", *GRADED, "--within", "0.1", "0.2").startswith(
        "--within is for forecasts of one event; these are of several classes"
    )
    assert refused(1, "score", "all.csv", "--outcome", "yy").startswith(
        "the file must have the column 'yy'; it has 9 others"
    )


@pytest.mark.usefixtures("written", "no_rows")
def test_labels_are_not_counted_without_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_engine, "MOST_LABELS", 5)
    said = refused(2, "score", "all.csv", "--outcome", "accident", "--forecast", "good")
    assert said.startswith("The outcome 'accident' has more than 5 labels, ")
