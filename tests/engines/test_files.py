"""Columns of files, as arrays."""

from __future__ import annotations

import bz2
import csv
import gzip
import io
import json
import os
import subprocess
import sys
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import duckdb
import numpy as np
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st
from pyarrow import feather, ipc, parquet
from tests.examples import examples

from properly.engines import read
from properly.engines._files._read import open_files
from properly.errors import DataError, DataWarning

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

CSV = b"y,p\n1,0.5\n0,0.25\n"
JSON = b'{"y": 1, "p": 0.5}\n{"y": 0, "p": 0.25}\n'
TABLE = pa.table({"y": [1, 0], "p": [0.5, 0.25]})


pytestmark = pytest.mark.usefixtures("one_database")


def stream(table: pa.Table = TABLE) -> bytes:
    sink = io.BytesIO()
    with ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    return sink.getvalue()


def feathered(table: pa.Table = TABLE, **options: Any) -> bytes:
    sink = io.BytesIO()
    feather.write_feather(table, sink, **options)
    return sink.getvalue()


def parqueted(table: pa.Table = TABLE) -> bytes:
    sink = io.BytesIO()
    parquet.write_table(table, sink)
    return sink.getvalue()


def zstd(data: bytes) -> bytes:
    return bytes(pa.Codec("zstd").compress(data, asbytes=True))


def lists(found: dict[str, np.ndarray[Any, Any]]) -> dict[str, list[Any]]:
    return {name: column.tolist() for name, column in found.items()}


def text(data: str, **options: Any) -> dict[str, list[Any]]:
    """Read a CSV file with this text."""
    with open("data.csv", "w", encoding="utf-8", newline="") as file:  # noqa: PTH123
        file.write(data)
    return lists(read("data.csv", **options))


FORMATS: dict[str, Callable[[], bytes]] = {
    "a.csv": lambda: CSV,
    "a.CSV": lambda: CSV,
    "a.tsv": lambda: CSV.replace(b",", b"\t"),
    "a.csv.gz": lambda: gzip.compress(CSV),
    "a.csv.bz2": lambda: bz2.compress(CSV),
    "a.csv.zst": lambda: zstd(CSV),
    "marked.csv.zst": lambda: zstd(b"\xef\xbb\xbf" + CSV),
    "two members.csv.gz": lambda: gzip.compress(CSV[:10]) + gzip.compress(CSV[10:]),
    "a.parquet": parqueted,
    "a.parquet.gz": lambda: gzip.compress(parqueted()),
    "a.pq.bz2": lambda: bz2.compress(parqueted()),
    "a.arrow": stream,
    "a.feather": feathered,
    "a.ipc.gz": lambda: gzip.compress(feathered()),
    "a.jsonl": lambda: JSON,
    "a.ndjson.gz": lambda: gzip.compress(JSON),
    "a.json.zst": lambda: zstd(JSON),
    "a.json": lambda: b'[{"y": 1, "p": 0.5}, {"y": 0, "p": 0.25}]',
    "misnamed.csv": lambda: gzip.compress(CSV),
    "a.dat": lambda: CSV.replace(b",", b"|"),
    "no suffix": parqueted,
    "no suffix, gzip": lambda: gzip.compress(JSON),
    "no suffix, gzip of Parquet": lambda: gzip.compress(parqueted()),
    "no suffix, zstd": lambda: zstd(JSON),
    "no suffix, zstd of CSV": lambda: zstd(CSV),
    "no suffix, bzip2": lambda: bz2.compress(feathered()),
    "no suffix, stream": stream,
}


@pytest.mark.parametrize("name", FORMATS)
def test_every_format_gives_the_same_columns(folder: Path, name: str) -> None:
    (folder / name).write_bytes(FORMATS[name]())
    found = read(name)
    assert lists(found) == {"y": [1, 0], "p": [0.5, 0.25]}
    assert [column.dtype for column in found.values()] == [np.int64, np.float64]


# Without a time, so that every worker gives the test the same name.
ZIPPED = gzip.compress(CSV, mtime=0)


@pytest.mark.parametrize("data", [CSV, JSON, parqueted(), stream(), ZIPPED, zstd(CSV)])
def test_standard_input_is_told_by_its_first_bytes(
    data: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
    assert lists(read("-")) == {"y": [1, 0], "p": [0.5, 0.25]}


def test_a_pipe_is_read_though_it_gives_its_bytes_once() -> None:
    source, target = os.pipe()
    os.write(target, CSV)
    os.close(target)
    assert lists(read(f"/dev/fd/{source}"))["p"] == [0.5, 0.25]
    os.close(source)


def test_columns_come_as_asked_and_no_others_are_looked_at(folder: Path) -> None:
    (folder / "a.csv").write_text("y,p,note\n1,0.5,\n0,0.25,NA\n")
    assert list(read("a.csv", ["p", "y", "p"])) == ["p", "y"]
    assert lists(read(folder / "a.csv", "p")) == {"p": [0.5, 0.25]}


KINDS: dict[str, tuple[list[str], list[Any]]] = {
    "i8": (["1", "-2", " 3"], [1, -2, 3]),
    "i8, largest": (["9223372036854775807", "1", "2"], [9223372036854775807, 1, 2]),
    "f8": (["1", "-2", "+3.5"], [1, -2, 3.5]),
    "f8, short": ([".5", "1.", "2e-3"], [0.5, 1, 0.002]),
    "f8, infinite": (["inf", "-Infinity", "0"], [np.inf, -np.inf, 0]),
    "b1": (["true", "False", "TRUE"], [True, False, True]),
    "O": (["yes", "no", "no"], ["yes", "no", "no"]),
    "O, letters": (["T", "F", "F"], ["T", "F", "F"]),
    "O, codes": (["007", "1", "2"], ["007", "1", "2"]),
    "O, ids": (["12345678901234567890", "1", "2"], ["12345678901234567890", "1", "2"]),
    "O, underscore": (["1_000", "1", "2"], ["1_000", "1", "2"]),
    "O, hexadecimal": (["0x1F", "1", "2"], ["0x1F", "1", "2"]),
    "O, comment": (["#1", "1", "2"], ["#1", "1", "2"]),
    "O, hours": (["12:30", "1:00", "2:00"], ["12:30", "1:00", "2:00"]),
    "O, no date": (["2024-13-01", "2024-01-02", "2024-01-02"], ["2024-13-01", *["2024-01-02"] * 2]),
    "M8[us], days": (
        ["2024-01-02", "2023-12-31", "1969-01-01"],
        ["2024-01-02", "2023-12-31", "1969-01-01"],
    ),
    "M8[us], times": (
        ["2024-01-02 03:04", "2024-01-02", "2024-01-02T03:04:05.5"],
        ["2024-01-02T03:04", "2024-01-02", "2024-01-02T03:04:05.5"],
    ),
    "M8[us], zones": (
        ["2024-01-02T03:04:05Z", "2024-01-02 03:04:05+02:00", "2024-01-02T03:04-0130"],
        ["2024-01-02T03:04:05", "2024-01-02T01:04:05", "2024-01-02T04:34"],
    ),
}


def test_a_column_of_csv_has_the_narrowest_kind_that_fits(folder: Path) -> None:
    with (folder / "a.csv").open("w", newline="") as file:
        rows = zip(*(written for written, _ in KINDS.values()), strict=True)
        csv.writer(file).writerows([tuple(KINDS), *rows])
    found = read("a.csv")
    assert {name: found[name].dtype.str[1:] for name in KINDS} == {
        name: name.partition(",")[0] for name in KINDS
    }
    for name, (_, values) in KINDS.items():
        assert found[name].tolist() == np.array(values, found[name].dtype).tolist()


def test_a_value_far_down_still_decides_the_kind_of_its_column(folder: Path) -> None:
    rows = 12_000
    (folder / "a.csv").write_text("x,z\n" + "1,1\n" * rows + "1.5,one\n")
    found = read("a.csv")
    assert found["x"][[0, -1]].tolist() == [1, 1.5]
    assert found["z"][[0, -1]].tolist() == ["1", "one"]


def test_rows_keep_the_order_of_the_file(folder: Path) -> None:
    numbers = np.random.default_rng(5).random(20_000)
    # So wide that the file is read by several threads.
    wide = "x" * 500
    (folder / "a.csv").write_text("p,x\n" + "".join(f"{p!r},{wide}\n" for p in numbers.tolist()))
    parquet.write_table(pa.table({"p": numbers}), "a.parquet", row_group_size=2048)
    assert np.array_equal(read("a.csv", "p")["p"], numbers)
    assert np.array_equal(read("a.parquet")["p"], numbers)


@examples(8, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(
        st.tuples(
            st.floats(allow_nan=False),
            st.text(st.characters(codec="utf-8", exclude_characters="\0\r"), min_size=1).filter(
                lambda word: word.strip() not in ("", "NA", "NaN", "nan", "NULL", "null")
            ),
        ),
        min_size=1,
    )
)
def test_what_is_written_is_read(folder: Path, rows: list[tuple[float, str]]) -> None:
    with (folder / "a.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, quoting=csv.QUOTE_NONNUMERIC, lineterminator="\n")
        # The first word makes the column one of text.
        writer.writerows([("number", "word"), (0.0, "word"), *rows])
    found = read("a.csv")
    assert found["number"][1:].tolist() == [number for number, _ in rows]
    assert found["word"][1:].tolist() == [word for _, word in rows]


@pytest.mark.parametrize(
    "data",
    [
        "\ufeffy,p\n1,0.5\n",
        "y,p\r\n1,0.5\r\n",
        "y,p\r1,0.5\r",
        '"y";"p"\n1;0.5\n',
        "y\tp\n1\t0.5",
        "y|p\n1|0.5\n",
        " y , p\n1, 0.5\n",
        '"y",p\n"1","0.5"\n',
        "\n\ny,p\n1,0.5\n",
        "y,p\n\n1,0.5\n\n",
        ",y,p,\n7,1,0.5,\n",
    ],
)
def test_csv_is_read_as_people_write_it(folder: Path, data: str) -> None:
    del folder
    assert text(data) == {"y": [1], "p": [0.5]}


def test_quotes_keep_separators_lines_and_quotes_together(folder: Path) -> None:
    del folder
    found = text('"a;b",x\n"1,5","two\nlines"\n2,"say ""no"""\n')
    assert found == {"a;b": ["1,5", "2"], "x": ["two\nlines", 'say "no"']}


def test_a_separator_fits_the_first_two_lines(folder: Path) -> None:
    del folder
    assert text("p(a,b);y\n0.5;1\n") == {"p(a,b)": [0.5], "y": [1]}
    assert text("p;y\n0,5;1\n") == {"p": ["0,5"], "y": [1]}


def test_names_that_differ_in_case_are_two_columns(folder: Path) -> None:
    assert text("p,P\n1,2\n", columns=["P"]) == {"P": [2]}
    (folder / "a.parquet").write_bytes(parqueted(pa.table({"p": [1], "s": [{"p": 3}], "P": [2]})))
    assert lists(read("a.parquet", ["P", "p"])) == {"P": [2], "p": [1]}


def test_types_of_parquet_become_few_kinds(folder: Path) -> None:
    table = pa.table(
        {
            "float32": pa.array([0.5, 0.25], pa.float32()),
            "float16": pa.array(np.array([0.5, 0.25], np.float16)),
            "decimal": [Decimal("0.50"), Decimal("0.25")],
            "wide": pa.array([Decimal(10**20), Decimal(1)], pa.decimal128(30, 0)),
            "whole": pa.array([Decimal(7), Decimal(1)], pa.decimal128(30, 0)),
            "small": pa.array([7, 1], pa.uint8()),
            "unsigned": pa.array([2**64 - 1, 1], pa.uint64()),
            "category": pa.array(["a", "b"]).dictionary_encode(),
            "day": [date(2024, 1, 2), date(2024, 1, 3)],
            "zoned": [datetime(2024, 1, 2, tzinfo=UTC), datetime(2024, 1, 3, tzinfo=UTC)],
            "truth": [True, False],
            "nested": [[1], [2, 3]],
        }
    )
    days = np.array(["2024-01-02", "2024-01-03"], "M8[us]").tolist()
    expected = {
        "float32": [0.5, 0.25],
        "float16": [0.5, 0.25],
        "decimal": [0.5, 0.25],
        "wide": ["100000000000000000000", "1"],
        "whole": [7, 1],
        "small": [7, 1],
        "unsigned": ["18446744073709551615", "1"],
        "category": ["a", "b"],
        "day": days,
        "zoned": days,
        "truth": [True, False],
        "nested": ["[1]", "[2, 3]"],
    }
    (folder / "a.parquet").write_bytes(parqueted(table))
    (folder / "a.feather").write_bytes(feathered(table))
    for found in (read("a.parquet"), read("a.feather")):
        assert lists(found) == expected
        assert {column.dtype.str[1:] for column in found.values()} == {
            "i8",
            "f8",
            "O",
            "b1",
            "M8[us]",
        }


def test_json_of_several_kinds_becomes_text(folder: Path) -> None:
    lines = [{"y": "no", "p": True}, {"y": 1.5, "p": False}]
    (folder / "a.jsonl").write_text("\n".join(map(json.dumps, lines)))
    assert lists(read("a.jsonl")) == {"y": ["no", "1.5"], "p": [True, False]}


def test_rows_with_a_gap_are_dropped_on_request_and_counted(folder: Path) -> None:
    gaps = ["", "NA", "NaN", "nan", "NULL", "null", '""', " NA "]
    rows = "".join(f"1,{gap}\n" for gap in gaps)
    (folder / "a.csv").write_text(f"y,p\n1,0.5\n,NA\n{rows}0,1\n")
    with pytest.warns(DataWarning) as caught:
        found = read("a.csv", missing="drop")
    assert lists(found) == {"y": [1, 0], "p": [0.5, 1]}
    (warning,) = caught
    assert str(warning.message) == (
        "dropped 9 of 11 rows for missing values: 1 lacks 'y', 9 lack 'p'"
    )
    assert warning.filename == __file__


@pytest.mark.parametrize("name", ["a.parquet", "a.feather", "a.jsonl"])
def test_null_and_nan_are_missing_and_infinity_is_not(folder: Path, name: str) -> None:
    table = pa.table({"y": [1, None, 3, 4], "p": [0.5, 1.0, float("nan"), float("inf")]})
    lines = '{"y": 1, "p": 0.5}\n{"p": 1.0}\n{"y": 3, "p": NaN}\n{"y": 4, "p": Infinity}\n'
    written = {"a.parquet": parqueted(table), "a.feather": feathered(table)}
    (folder / name).write_bytes(written.get(name, lines.encode()))
    with pytest.warns(DataWarning, match="dropped 2 of 4 rows"):
        found = read(name, missing="drop")
    assert lists(found) == {"y": [1, 4], "p": [0.5, float("inf")]}
    assert found["y"].dtype == np.int64


def test_files_are_read_one_after_the_other_whatever_the_order_of_their_columns(
    folder: Path,
) -> None:
    (folder / "b.csv").write_text("p,y\n0.25,0\n")
    (folder / "a.jsonl").write_text('{"y": 1, "p": 1}\n')
    assert lists(read(["b.csv", "a.jsonl"])) == {"p": [0.25, 1.0], "y": [0, 1]}


def test_a_pattern_stands_for_its_files_by_name(folder: Path) -> None:
    for name, number in {"b.csv": 2, "a.csv": 1, "c.csv": 3}.items():
        (folder / name).write_text(f"y\n{number}\n")
    (folder / "d.csv").mkdir()
    assert lists(read("*.csv")) == {"y": [1, 2, 3]}
    assert lists(read(["c.csv", f"{folder}/[ab].csv"])) == {"y": [3, 1, 2]}


def test_a_file_of_just_that_name_wins_over_the_pattern(folder: Path) -> None:
    (folder / "a1.csv").write_text("y\n1\n")
    (folder / "a[1].csv").write_text("y\n2\n")
    assert lists(read("a[1].csv")) == {"y": [2]}


@pytest.mark.parametrize(
    "name",
    ["it's.csv", "a'); DROP TABLE t; --.csv", '"quoted".csv', "*.csv", "$1.csv", "a b\n.csv"],
)
def test_a_name_is_never_part_of_a_query(folder: Path, name: str) -> None:
    (folder / "other.csv").write_text("y\n2\n")
    (folder / name).write_text(f'"{name.replace(chr(34), chr(34) * 2)}"\n1\n')
    column = name.strip()
    assert lists(read(name)) == {column: [1]}
    assert lists(read(name, [column])) == {column: [1]}


def test_a_folder_with_an_equals_sign_is_no_column(folder: Path) -> None:
    (folder / "year=2024").mkdir()
    for name, data in {"a.csv": CSV, "a.parquet": parqueted(), "a.jsonl": JSON}.items():
        (folder / "year=2024" / name).write_bytes(data)
        assert list(read(f"year=2024/{name}")) == ["y", "p"]


def test_kinds_of_several_files_are_brought_together(folder: Path) -> None:
    (folder / "a.csv").write_text("x,z,t\n1,1,2024-01-01\n2,2,\n")
    (folder / "b.csv").write_text("x,z,t\n0.5,north,\n,,\n")
    (folder / "c.csv").write_text("x,z,t\ntrue,,\ntrue,,\n")
    with open_files("?.csv") as files:
        rows = files.read()
    assert rows.columns["x"].dtype == np.float64
    assert rows.columns["x"][~rows.missing["x"]].tolist() == [1, 2, 0.5, 1, 1]
    assert rows.columns["z"][~rows.missing["z"]].tolist() == ["1", "2", "north"]
    assert rows.columns["t"].dtype.kind == "M"
    assert rows.missing["t"].tolist() == [False, True, True, True, True, True]


def test_numbers_written_as_text_are_numbers_where_these_are_needed(folder: Path) -> None:
    (folder / "a.csv").write_text("p,y\n00.5,1\n1,0\nNA,1\n")
    with open_files("a.csv") as files:
        rows = files.read(["p", "y"]).with_numbers(["p", "y"])
    assert rows.columns["p"][:2].tolist() == [0.5, 1]
    assert rows.columns["y"].tolist() == [1, 0, 1]


@pytest.mark.parametrize(
    ("data", "place"),
    [
        (b"y,p\n1,2\n1,x\n", "row 1 (line 3 of a)"),
        (b"y,p\r\n1,2\r\n1,x", "row 1 (line 3 of a)"),
        (gzip.compress(b"y,p\n1,2\n1,x", mtime=0), "row 1 (line 3 of a)"),
        (bz2.compress(b"y,p\n1,2\n1,x"), "row 1 (line 3 of a)"),
        (b'y,p\n"1\n2",2\n1,x\n', "row 1 of a"),
        (b"y,p\n\n1,2\n1,x\n", "row 1 of a"),
        (zstd(b"y,p\n1,2\n1,x\n"), "row 1 (line 3 of a)"),
        (b'{"p": 2}\n{"p": "x"}', "row 1 of a"),
    ],
)
def test_a_line_is_named_only_where_it_is_sure(folder: Path, data: bytes, place: str) -> None:
    (folder / "a").write_bytes(data)
    with open_files("a") as files, pytest.raises(DataError) as caught:
        files.read(["p"]).with_numbers(["p"])
    assert str(caught.value).startswith(f"column 'p' must hold numbers; {place} is 'x'")


def test_data_of_zstd_are_whole_or_cut_short(folder: Path) -> None:
    rows = "".join(f"{x!r}\n" for x in np.random.default_rng(3).random(20_000).tolist())
    skipped = b"\x50\x2a\x4d\x18\x03\x00\x00\x00abc"
    whole = zstd(b"p\n") + skipped + zstd(rows.encode())
    path = folder / "a.csv.zst"
    path.write_bytes(whole)
    assert read(path)["p"].tolist() == [float(row) for row in rows.split()]
    for length in (30, len(whole) // 2, len(whole) - 1):
        path.write_bytes(whole[:length])
        with pytest.raises(DataError, match="is damaged or cut short"):
            read(path)


def test_reading_leaves_nothing_behind_and_loads_no_frame_library(folder: Path) -> None:
    # The first duckdb looks for the missing values of pandas in whatever it is given.
    libraries = ("pandas", "polars", "pyarrow") if duckdb.__version__ >= "2" else ("polars",)
    (folder / "a.csv").write_bytes(bz2.compress(CSV))
    (folder / "tmp").mkdir()
    code = (
        "import sys, properly.engines._files._read as files; files.read('a.csv'); "
        f"print([m for m in {libraries} if m in sys.modules])"
    )
    found = subprocess.run(  # noqa: S603
        [sys.executable, "-c", code],
        capture_output=True,
        check=True,
        text=True,
        env=os.environ | {"TMPDIR": str(folder / "tmp")},
    )
    assert found.stdout == "[]\n"
    assert sorted(path.name for path in folder.rglob("*")) == ["a.csv", "tmp"]


def test_lines_of_other_lengths_are_named_in_a_compressed_file_too(folder: Path) -> None:
    ragged = b"y,p\n" + b"1,0.5\n" * 3000 + b"0,0.5,7\n" + b"0,0.25\n" * 10
    (folder / "a.csv.gz").write_bytes(gzip.compress(ragged))
    with pytest.raises(DataError, match="as many fields as its header; line 3002 of"):
        read(folder / "a.csv.gz")
