"""Every message about files and their columns, word for word."""

from __future__ import annotations

import errno
import gzip
import io
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

from properly.cli._columns import chosen
from properly.engines import read
from properly.engines._files._read import open_files
from properly.errors import ArgumentTypeError, DataError, MissingExtraError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

DROP = (
    '\n\nHint: missing="drop", or --missing drop, leaves such rows out, which biases results where '
    "an outcome is missing because follow-up ended (censored)."
)
GAP = "\n\nHint: a missing value is written as NA, or as nothing."


def parqueted(table: pa.Table) -> bytes:
    sink = io.BytesIO()
    parquet.write_table(table, sink)
    return sink.getvalue()


def numbers(*paths: str) -> None:
    """Read the column p, which must hold numbers."""
    with open_files(paths) as files:
        files.read(["p"]).with_numbers(["p"])


def dates(path: str, form: str) -> None:
    """Read the column t, which must hold dates in a form."""
    with open_files(path) as files:
        files.keep_text("t")
        files.read(["t"]).with_dates("t", form)


# What the files hold, what is asked for, and what is said.
SAID: list[tuple[Mapping[str, bytes], Callable[[], Any], str]] = [
    # which files
    ({}, lambda: read([]), "at least one file is needed; got none"),
    (
        {"forecasts.csv": b"y\n1\n"},
        lambda: read("forcasts.csv"),
        "a path must name a file that exists; 'forcasts.csv' does not\n\nHint: did you mean 'forecasts.csv'?",
    ),
    (
        {"forecasts.csv": b"y\n1\n"},
        lambda: read("data/y.csv"),
        "a path must name a file that exists; 'data/y.csv' does not",
    ),
    (
        {},
        lambda: read(Path("/dev")),
        "a path must name a file; '/dev' is a directory\n\nHint: name the files in it: '/dev/*.csv'.",
    ),
    ({}, lambda: read("*.csv"), "a pattern must match a file; '*.csv' matches none"),
    (
        {"a.csv": b"y\n1\n"},
        lambda: read(["?.csv", "./a.csv"]),
        "each file must be given once; got './a.csv' again",
    ),
    ({}, lambda: read("a\0.csv"), r"a path must not contain a null character; got 'a\x00.csv'"),
    (
        {"a.csv": b"y\n1\n"},
        lambda: read("a.csv", missing="keep"),  # type: ignore[arg-type]
        "missing must be 'refuse' or 'drop'; got 'keep'",
    ),
    # what is in them
    ({"a.csv": b""}, lambda: read("a.csv"), "a file must have columns and rows; 'a.csv' is empty"),
    (
        {"a.csv": b"\n\n"},
        lambda: read("a.csv"),
        "a file must have columns and rows; 'a.csv' is empty",
    ),
    (
        {"a.csv": b"y,p\n"},
        lambda: read("a.csv"),
        "a file must have rows; 'a.csv' has 2 columns and no rows",
    ),
    (
        {"a.csv": b"y\n1\n", "b.parquet": parqueted(pa.table({"y": pa.array([], pa.int64())}))},
        lambda: read(["a.csv", "b.parquet"]),
        "a file must have rows; 'b.parquet' has 1 column and no rows",
    ),
    (
        {"a.csv": b"0;0.1\n1;0.2\n"},
        lambda: read("a.csv"),
        "the first line of a CSV file must name its columns; that of 'a.csv' is '0;0.1'",
    ),
    (
        {"a.csv": b"y,p\n1,0.5\n0,0.5,1\n"},
        lambda: read("a.csv"),
        (
            "each line of a CSV file must have as many fields as its header; line 3 of 'a.csv' has 3 instead of 2"
            "\n\nHint: text that contains the separator must be quoted."
        ),
    ),
    (
        {"a.csv": b'y,p\n1,"0.5\n0,0.5\n'},
        lambda: read("a.csv"),
        (
            "a field that begins with a quote must end with one; that on line 2 of 'a.csv' does not"
            "\n\nHint: a quote within a quoted field is written twice."
        ),
    ),
    (
        {"a.csv": b"y,p\n1,0.5\ncaf\xe9,0.5\n"},
        lambda: read("a.csv"),
        (
            "a CSV file must be text in UTF-8; line 3 of 'a.csv' is not"
            '\n\nHint: save it again; spreadsheets call this "CSV UTF-8".'
        ),
    ),
    (
        {"a.csv": b"y,p\n" + b"1,0.5\n" * 200_000 + b"caf\xe9,0.5\n"},
        lambda: read("a.csv"),
        (
            "a CSV file must be text in UTF-8; line 200002 of 'a.csv' is not"
            '\n\nHint: save it again; spreadsheets call this "CSV UTF-8".'
        ),
    ),
    (
        {"a.csv": b"y,p\n1,0.5\r\n1,0.5\n"},
        lambda: read("a.csv"),
        "a file must be whole and in one format; 'a.csv' is not valid CSV\n\nHint: line ends may be mixed.",
    ),
    (
        {"a.jsonl": b'{"y": 1}\n{"y": \n'},
        lambda: read("a.jsonl"),
        "a file must be whole and in one format; 'a.jsonl', line 3, is not valid JSON lines\n\nHint: it may be cut short.",
    ),
    (
        {"a.parquet": parqueted(pa.table({"y": [1]}))[:60]},
        lambda: read("a.parquet"),
        "a file must be whole and in one format; 'a.parquet' is not valid Parquet\n\nHint: it may be cut short.",
    ),
    (
        {"a.arrow": b"ARROW1 and more"},
        lambda: read("a.arrow"),
        "a file must be whole and in one format; 'a.arrow' is not valid Arrow\n\nHint: it may be cut short.",
    ),
    (
        {"a.csv.gz": gzip.compress(b"y,p\n1,0.5\n")[:-9]},
        lambda: read("a.csv.gz"),
        "compressed data must be whole; 'a.csv.gz' is damaged or cut short",
    ),
    (
        # Whole as far as the header is looked for.
        {
            "a.csv.gz": gzip.compress(
                b"y\n" + np.random.default_rng(1).bytes(1_500_000).hex().encode()
            )[:-9]
        },
        lambda: read("a.csv.gz"),
        "compressed data must be whole; 'a.csv.gz' is damaged or cut short",
    ),
    (
        # Whole as far as the format is looked for.
        {
            "a.csv.gz": gzip.compress(
                b"y\n" + np.random.default_rng(1).bytes(9_000).hex().encode()
            )[:-9]
        },
        lambda: read("a.csv.gz"),
        "compressed data must be whole; 'a.csv.gz' is damaged or cut short",
    ),
    (
        {"a.csv.zst": pa.Codec("zstd").compress(b"y\n1\n", asbytes=True)[:-1]},
        lambda: read("a.csv.zst"),
        "compressed data must be whole; 'a.csv.zst' is damaged or cut short",
    ),
    (
        {"a.pq.zst": pa.Codec("zstd").compress(b"PAR1", asbytes=True)},
        lambda: read("a.pq.zst"),
        "zstd must compress text; 'a.pq.zst' is to hold parquet\n\nHint: unpack it first.",
    ),
    (
        {"a.xlsx": b"PK\x03\x04\x14\x00\x06\x00"},
        lambda: read("a.xlsx"),
        (
            "a file must be CSV, TSV, Parquet, Arrow or JSON lines; 'a.xlsx' is none of them"
            "\n\nHint: save it as one of these, with its suffix."
        ),
    ),
    # which columns
    (
        {"a.csv": b"died,logistic\n1,0.5\n"},
        lambda: read("a.csv", ["died", "Logistik"]),
        "the file must have the column 'Logistik'; it has 2 others\n\nHint: did you mean one of 'logistic'?",
    ),
    (
        {"a.csv": b"y\n1\n", "b.csv": b"y\n1\n"},
        lambda: read(["a.csv", "b.csv"], "p"),
        "each file must have the column 'p'; it has 1 others\n\nHint: did you mean one of 'y'?",
    ),
    ({"a.csv": b"y\n1\n"}, lambda: read("a.csv", []), "columns must name at least one; got none"),
    (
        {"a.csv": b"y,p,q\n1,0.5,1\n", "b.csv": b"p,y,q\n1,0.5,1\n", "c.csv": b"y,p,r\n1,0.5,1\n"},
        lambda: read("?.csv"),
        "files must have the same columns; compared with 'a.csv', 'c.csv' lacks 'q' and has 'r' besides",
    ),
    (
        {"a.csv": b"a,b,c,d,e,f\n1,1,1,1,1,1\n", "b.csv": b"x\n1\n"},
        lambda: read("?.csv", "a"),
        (
            "files must have the same columns; compared with 'a.csv', 'b.csv' lacks 'a', 'b', 'c', 'd', 'e', … (6 in all) "
            "and has 'x' besides"
        ),
    ),
    (
        {"a.csv": b"y,p, p\n1,0.5,1\n"},
        lambda: read("a.csv", "y"),
        "names of columns must differ; 'a.csv' has 'p' 2 times",
    ),
    # what is in the columns
    (
        {"a.csv": b"y,p\n1,0.5\n0,high\n0,\n1,low\n"},
        lambda: numbers("a.csv"),
        f"column 'p' must hold numbers; row 1 (line 3 of a.csv) is 'high' (2 such rows){GAP}",
    ),
    (
        {"a.csv": b"p\n1\n", "b.jsonl": b'{"p": 1}\n{"p": "\\u001b[31m"}'},
        lambda: numbers("a.csv", "b.jsonl"),
        rf"column 'p' must hold numbers; row 1 of b.jsonl is '\x1b[31m'{GAP}",
    ),
    (
        {"a.csv": b"y;p\n1;0,5\n"},
        lambda: numbers("a.csv"),
        "column 'p' must hold numbers; row 0 (line 2 of a.csv) is '0,5'\n\nHint: write numbers with a decimal point.",
    ),
    (
        {"a.csv": b"p\n12.5 %\n"},
        lambda: numbers("a.csv"),
        (
            "column 'p' must hold numbers; row 0 (line 2 of a.csv) is '12.5 %'"
            "\n\nHint: for percentages, leave out the sign and divide by 100 first."
        ),
    ),
    (
        {"a.csv": b"p\n2024-01-02\n"},
        lambda: numbers("a.csv"),
        f"column 'p' must hold numbers; row 0 (line 2 of a.csv) is 2024-01-02T00:00:00.000000{GAP}",
    ),
    (
        {"a.parquet": parqueted(pa.table({"t": pa.array([0], pa.timestamp("us"))}))},
        lambda: dates("a.parquet", "%d.%m.%Y"),
        (
            "column 't' must hold text to be read as '%d.%m.%Y'; it holds dates"
            "\n\nHint: leave out --date-format."
        ),
    ),
    (
        {"a.csv": b"y,p\n1,0.5\n1,NA\n,\n"},
        lambda: read("a.csv"),
        f"values must not be missing; of 3 rows, 1 lacks 'y', 2 lack 'p'; the first is row 1 (line 3 of a.csv){DROP}",
    ),
    (
        {"a.parquet": parqueted(pa.table({name: [None, 1.0] for name in "abcdef"}))},
        lambda: read("a.parquet"),
        (
            "values must not be missing; of 2 rows, 1 lacks 'a', 1 lacks 'b', 1 lacks 'c', 1 lacks 'd', 1 lacks 'e', "
            f"… (6 in all); the first is row 0 of a.parquet{DROP}"
        ),
    ),
    (
        {"a.csv": b"y,p\n1,\n,1\n"},
        lambda: read("a.csv", missing="drop"),
        "some rows must have no missing values; of 2 rows, 1 lacks 'y', 1 lacks 'p'",
    ),
]


@pytest.mark.parametrize(("files", "call", "message"), SAID, ids=[said[2][:70] for said in SAID])
def test_a_message_is_word_for_word(
    folder: Path, files: Mapping[str, bytes], call: Callable[[], Any], message: str
) -> None:
    for name, data in files.items():
        (folder / name).write_bytes(data)
    with pytest.raises(DataError) as caught:
        call()
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: read([3]), "a path must be text or a pathlib.Path; got 3"),  # type: ignore[list-item]
        (lambda: read("a.csv", [3]), "columns must be names; got 3"),  # type: ignore[list-item]
    ],
)
def test_an_argument_of_the_wrong_kind_is_named(
    folder: Path, call: Callable[[], Any], message: str
) -> None:
    (folder / "a.csv").write_bytes(b"y\n1\n")
    with pytest.raises(ArgumentTypeError) as caught:
        call()
    assert str(caught.value) == message


def test_a_file_that_may_not_be_read_is_named(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError(errno.EACCES, "Permission denied")

    (folder / "a.csv").write_bytes(b"y\n1\n")
    monkeypatch.setattr(Path, "open", refuse)
    with pytest.raises(DataError) as caught:
        read("a.csv")
    assert str(caught.value) == "a file must be readable; 'a.csv' is not: Permission denied"


@pytest.mark.parametrize(
    ("package", "name", "message"),
    [
        (
            "duckdb",
            "a.csv",
            "this needs duckdb, which is not installed\n\nHint: pip install 'properly[app]'",
        ),
        (
            "pyarrow",
            "a.arrow",
            "an Arrow file needs pyarrow, which is not installed\n\nHint: pip install pyarrow",
        ),
    ],
)
def test_a_package_that_is_not_installed_is_named(
    folder: Path, monkeypatch: pytest.MonkeyPatch, package: str, name: str, message: str
) -> None:
    (folder / name).write_bytes(b"ARROW1")
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(MissingExtraError) as caught:
        read(name)
    assert str(caught.value) == message


EVENT = "y,p,q,g\n1,0.5,2,north\n0,0.25,3,south\n"
GRADES = "grade,a,b,m_a,m_b,x\na,0.5,0.5,1,0,1\nb,0.25,0.75,0,1,1\n"

# What the file holds, the options, and what is said about their use.
USAGE: list[tuple[str, dict[str, Any], str]] = [
    (
        "d,e,p\n1,0,0.5\n0,1,0.25\n",
        {},
        "Which column is the outcome? 'd', 'e' could be. Give --outcome COLUMN; the columns are 'd', 'e', 'p'.",
    ),
    (
        "d,p\nno,0.5\nyes,0.25\n",
        {},
        "Which column is the outcome? Give --outcome COLUMN; the columns are 'd', 'p'.",
    ),
    (
        "y,Outcome,p\n1,0,0.5\n",
        {"forecast": ("p",)},
        "Which column is the outcome? 'y', 'Outcome' could be. Give --outcome COLUMN; the columns are 'y', 'Outcome', 'p'.",
    ),
    (
        EVENT,
        {"outcome": "y", "groups": "p"},
        "Which column is the forecast? Give --forecast COLUMN; the columns are 'y', 'p', 'q', 'g'.",
    ),
    (
        ",".join(f"x{i}" for i in range(21)) + "\n" + ",".join("5" * 21) + "\n",
        {"outcome": "x0"},
        (
            "Which column is the forecast? Give --forecast COLUMN; the columns are "
            + ", ".join(f"'x{i}'" for i in range(20))
            + ", … (21 in all)."
        ),
    ),
    (
        GRADES,
        {"classes": "b,c", "outcome": "grade"},
        (
            "Which columns are the forecast? Give --forecast NAME for NAME_b, NAME_c; "
            "the columns are 'grade', 'a', 'b', 'm_a', 'm_b', 'x'."
        ),
    ),
    (
        EVENT,
        {"outcome": "p", "forecast": ("p",)},
        "The column 'p' cannot be both the outcome and a forecast.",
    ),
    (
        EVENT,
        {"outcome": "g", "forecast": ("p",)},
        "Which label is the event? The outcome 'g' has 'north', 'south'; give --event, such as --event south.",
    ),
    (
        "y,p\nit's,0.5\n",
        {"outcome": "y", "forecast": ("p",)},
        "Which label is the event? The outcome 'y' has \"it's\"; give --event, such as --event 'it'\"'\"'s'.",
    ),
    (
        "y,p\n1,0.5\n2,0.5\n3,0.5\n4,0.5\n5,0.5\n",
        {},
        (
            "The outcome 'y' has 5 labels, '1', '2', '3', '4', …"
            "; give --classes with the labels that have forecasts, or an outcome with two."
        ),
    ),
    (EVENT, {"ordered": True}, "--ordered is about classes; give their labels by --classes."),
    (EVENT, {"normalize": True}, "--normalize is about classes; give their labels by --classes."),
    (
        GRADES,
        {"classes": "a,b", "event": "a"},
        "--event is for one event, --classes for several; give only one of them.",
    ),
    (
        GRADES,
        {"classes": "a,,b"},
        "--classes takes two or more labels, such as none,minor,severe; got 'a,,b'.",
    ),
    (
        GRADES,
        {"classes": "a"},
        "--classes takes two or more labels, such as none,minor,severe; got 'a'.",
    ),
    (
        GRADES,
        {"classes": "a,a"},
        "--classes takes two or more labels, such as none,minor,severe; got 'a,a'.",
    ),
]


@pytest.mark.parametrize(
    ("data", "options", "message"), USAGE, ids=[said[2][:70] for said in USAGE]
)
def test_what_to_give_is_said_word_for_word(
    folder: Path, data: str, options: dict[str, Any], message: str
) -> None:
    (folder / "a.csv").write_text(data)
    with pytest.raises(click.UsageError) as caught:
        chosen(paths=("a.csv",), **options)
    assert caught.value.message == message
