"""Columns of files as one table inside duckdb."""

from __future__ import annotations

import gzip
import io
import shutil
from pathlib import Path
from typing import Any, NamedTuple

import duckdb
import numpy as np
import pyarrow as pa
import pytest
from pyarrow import ipc, parquet

from properly.engines import read
from properly.engines._files import _paths, open_files
from properly.engines._files._duckdb_tables import batches_in
from properly.engines._files._paths import find_files, is_here, require_package
from properly.engines._files._read import as_size, limits_of
from properly.errors import DataError

from .test_files import feathered, parqueted

CSV = b"y,p,g\n1,0.5,a\n0,0.25,b\n1,1,a\n"
TABLE = pa.table({"y": [1, 0, 1], "p": [0.5, 0.25, 1.0], "g": ["a", "b", "a"]})
JSON = b'{"y": 1, "p": 0.5, "g": "a"}\n{"y": 0, "p": 0.25, "g": "b"}\n{"y": 1, "p": 1, "g": "a"}\n'


pytestmark = pytest.mark.usefixtures("folder", "one_database")


def stream(*batches: pa.RecordBatch) -> bytes:
    sink = io.BytesIO()
    with ipc.new_stream(sink, batches[0].schema) as writer:
        for batch in batches:
            writer.write_batch(batch)
    return sink.getvalue()


def rows(paths: str | list[str], *names: str, **options: Any) -> tuple[list[Any], str | None]:
    """Return the rows of a relation, in the order of their first column."""
    with open_files(paths) as files:
        columns = {f"c{i}": name for i, name in enumerate(names or files.names)}
        relation, dropped = files.relation(columns, **options)
        assert relation.columns == list(columns)
        return sorted(relation.fetchall(), key=repr), dropped


HOSTILE = "p'); DROP TABLE t; --\""
# By what they show, the contents of files that are one table, in their order.
TABLES: dict[str, list[bytes]] = {
    "CSV": [CSV],
    "packed": [gzip.compress(CSV), bytes(pa.Codec("zstd").compress(CSV, asbytes=True))],
    "Parquet": [parqueted(TABLE), gzip.compress(parqueted(TABLE))],
    "Arrow": [feathered(TABLE), stream(*TABLE.to_batches())],
    "JSON": [JSON, CSV],
    "names": [f'y,"{HOSTILE.replace(chr(34), 2 * chr(34))}"\n1,0.5\n'.encode()],
    "gaps": [
        b"y,p\n1,0.5\n,1\n0,NA\n1,inf\n",
        parqueted(pa.table({"y": [1, None, 0], "p": [0.5, 1.0, float("nan")]})),
        b'{"y": 1, "p": 0.5}\n{"p": 1.0}\n{"y": 0, "p": NaN}\n',
    ],
    "nothing but gaps": [b"y,p\n1,\n0,NA\n", b"y,p\n1,0.5\n"],
    "moments": [b"t\n2024-01-02T03:04:05+02:00\n", b"t\n2024-01-01\n"],
    "whole numbers": [b"w\n1\n2\n", b"w\ntrue\n"],
    "numbers and moments beside text": [
        b"x,k,t\ntrue,0.5,2024-01-01\n",
        b"x,k,t\nyes,no,never\n",
    ],
}


@pytest.mark.parametrize("table", TABLES.values(), ids=TABLES)
def test_a_relation_has_the_rows_that_are_read(folder: Path, table: list[bytes]) -> None:
    for i, content in enumerate(table):
        (folder / f"it's $1 {i}").write_bytes(content)
    paths = [f"it's $1 {i}" for i in range(len(table))]
    with open_files(paths) as files:
        columns, said = files.read().complete("drop")
    expected = zip(*(column.tolist() for column in columns.values()), strict=True)
    assert rows(paths, missing="drop") == (sorted(expected, key=repr), said)


def test_a_name_is_never_part_of_a_query(folder: Path) -> None:
    hostile = "p'); DROP TABLE t; --\""
    (folder / "it's $1.csv").write_text('y,"' + hostile.replace('"', '""') + '"\n1,0.5\n')
    assert rows("it's $1.csv", hostile) == ([(0.5,)], None)


def test_columns_are_named_as_asked_and_hold_numbers_where_they_must(folder: Path) -> None:
    (folder / "a.csv").write_text("p,g\n00.5,a\n 1e-3,\n-INF,b\n")
    found = rows("a.csv", "p", "p", numbers=["p"])[0]
    assert found == [(-np.inf, -np.inf), (0.001, 0.001), (0.5, 0.5)]


def test_rows_of_all_files_are_counted_and_no_more_than_need_be(folder: Path) -> None:
    (folder / "a.csv").write_bytes(CSV)
    (folder / "b.parquet").write_bytes(parqueted(TABLE))
    (folder / "c.feather").write_bytes(feathered(TABLE))
    with open_files(["a.csv", "b.parquet", "c.feather"]) as files:
        assert files.count() == 9
        assert [files.exceed(most) for most in (0, 2, 3, 8, 9, 10)] == [True] * 4 + [False] * 2


def test_a_file_that_is_broken_further_down_is_not_read_that_far(folder: Path) -> None:
    (folder / "a.csv").write_text("y,p\n" + "1,0.5\n" * 400_000 + "1,0.5,7\n")
    with open_files("a.csv") as files:
        assert files.exceed(10)
        with pytest.raises(DataError, match=r"line 400002 of 'a\.csv' has 3 instead of 2"):
            files.count()
        with pytest.raises(DataError, match=r"line 400002 of 'a\.csv' has 3 instead of 2"):
            files.relation({"c0": "y"})


MIXED = {
    "a.csv": "x,z,t,n,b\n1,1,2024-01-01,,true\n2,2,2024-01-02,,false\n",
    "b.csv": "z,x,t,n,b\nnorth,0.5,2024-01-03,7,1\n0.25,3,2024-01-03T04:05:06,8,0\n",
    "c.jsonl": '{"x": true, "z": true, "t": "2024-01-04", "n": 9, "b": 1}\n',
}


def test_kinds_of_several_files_are_brought_together_as_they_are_read(folder: Path) -> None:
    for name, text in MIXED.items():
        (folder / name).write_text(text)
    names = ["x", "z", "t", "b"]
    found, dropped = rows(list(MIXED), *names)
    columns = read(list(MIXED), names)
    expected = zip(*(column.tolist() for column in columns.values()), strict=True)
    assert (found, dropped) == (sorted(expected, key=repr), None)
    with open_files(list(MIXED)) as files:
        shapes = files.shapes(["x", "z", "t", "n", "b"])
    letters = {name: shape.letter for name, shape in shapes.items()}
    assert letters == {"x": "f", "z": "O", "t": "M", "n": "i", "b": "i"}
    assert shapes["x"][1:] == (0.5, 3, False)
    assert shapes["n"][1:] == (7, 9, False)
    assert shapes["b"][1:] == (0, 1, True)
    assert shapes["z"][1:] == (None, None, False)


@pytest.mark.parametrize("name", ["a.feather", "a.arrow"])
def test_arrow_files_keep_the_order_of_their_batches(folder: Path, name: str) -> None:
    numbers = np.random.default_rng(3).random(30_000)
    table = pa.table({"p": numbers, "P": -numbers})
    batches = table.to_batches(max_chunksize=1_000)
    written = stream(*batches) if name == "a.arrow" else feathered(table, chunksize=1_000)
    (folder / name).write_bytes(written)
    found = read(name)
    assert np.array_equal(found["p"], numbers)
    assert np.array_equal(found["P"], -numbers)
    assert np.array_equal(read(name, "P")["P"], -numbers)


def test_categories_of_a_stream_may_differ_from_batch_to_batch(folder: Path) -> None:
    batches = [
        pa.record_batch({"g": pa.array(values).dictionary_encode()})
        for values in (["a", "b"], ["c", "a"])
    ]
    (folder / "a.arrow").write_bytes(stream(*batches))
    assert read("a.arrow")["g"].tolist() == ["a", "b", "c", "a"]


def test_an_arrow_file_is_copied_only_where_it_must(folder: Path) -> None:
    halves = pa.table({"p": pa.array(np.array([0.5], np.float16))})
    for name, data, copied in (
        ("a.feather", feathered(TABLE), False),
        ("b.arrow", stream(*TABLE.to_batches()), True),
        ("c.feather", feathered(halves), True),
    ):
        (folder / name).write_bytes(data)
        rows = batches_in(folder / name, folder / f"{name} copied")
        assert rows.count_rows() == (1 if "c" in name[0] else 3)
        assert (folder / f"{name} copied").exists() == copied


def test_text_is_rewritten_once_unless_there_is_no_room(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "a.csv").write_bytes(CSV)
    (folder / "b.parquet").write_bytes(parqueted(TABLE))
    columns = {"c0": "y", "c1": "p", "c2": "g"}
    found = []
    for room, kept in ((1 << 40, ["settled_0"]), (1, [])):
        monkeypatch.setattr(shutil, "disk_usage", lambda _, room=room: Room(free=room))
        with open_files(["a.csv", "b.parquet"]) as files:
            relation, _ = files.relation(columns)
            assert [path.name for path in files.folder.glob("settled*")] == kept
            found.append(sorted(relation.fetchall()))
    assert found[0] == found[1] == [(0, 0.25, "b")] * 2 + [(1, 0.5, "a")] * 2 + [(1, 1.0, "a")] * 2


class Room(NamedTuple):
    free: int


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
def test_a_folder_that_is_full_after_all_does_no_harm(folder: Path) -> None:
    (folder / "a.csv").write_bytes(CSV)
    with open_files("a.csv") as files:
        (files.folder / "settled_0").symlink_to("/dev/full")
        relation, _ = files.relation({"c0": "y", "c1": "p"})
        assert not (files.folder / "settled_0").exists()
        assert sorted(relation.fetchall()) == [(0, 0.25), (1, 0.5), (1, 1.0)]


def test_memory_is_a_limit_of_duckdb(
    folder: Path, monkeypatch: pytest.MonkeyPatch, database: Any
) -> None:
    (folder / "a.csv").write_bytes(CSV)
    asked: list[dict[str, str]] = []

    def connect(config: dict[str, str]) -> Any:
        asked.append(config)
        return database.cursor()

    monkeypatch.setattr(duckdb, "connect", connect)
    for memory in (None, "1.5 GiB"):
        with open_files("a.csv", memory=memory):
            pass
    assert "memory_limit" not in asked[0]
    assert asked[1]["memory_limit"] == f"{3 << 29}B"
    assert asked[1]["autoinstall_known_extensions"] == "false"
    assert asked[1]["temp_directory"] not in ("", str(folder))


@pytest.mark.parametrize(
    ("memory", "size", "cores"),
    [
        ("1GB", 10**9, 8),
        ("2 gib", 1 << 31, None),
        ("500MB", 5 * 10**8, 4),
        ("0.1GB", 10**8, 1),
        ("1kB", 1000, 1),
    ],
)
def test_little_memory_is_for_few_cores(
    memory: str, size: int, cores: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("os.cpu_count", lambda: 16)
    limits = {} if cores is None else {"threads": str(cores)}
    assert as_size(memory) == size
    assert limits_of(memory) == {"memory_limit": f"{size}B", **limits}


def test_what_does_not_fit_into_memory_goes_to_the_temporary_folder(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.undo()
    monkeypatch.chdir(folder)
    numbers = np.random.default_rng(0).random(1_000_000)
    parquet.write_table(pa.table({"p": numbers}), "a.parquet")
    with open_files("a.parquet", memory="40MB") as files:
        relation, _ = files.relation({"c0": "p"})
        ((count,),) = relation.distinct().aggregate("count(*)").fetchall()
    assert count == len(np.unique(numbers))
    assert [path.name for path in folder.iterdir()] == ["a.parquet"]


def test_the_first_row_that_is_wrong_is_found_among_many(folder: Path) -> None:
    wide = "x" * 400
    lines = [f"{k},{wide}\n" for k in range(30_000)]
    lines[21_000] = lines[29_000] = f"no,{wide}\n"
    (folder / "a.csv").write_text("p,x\n" + "".join(lines))
    with pytest.raises(DataError, match=r"row 21000 \(line 21002 of a\.csv\) is 'no' \(2 such"):
        rows("a.csv", "p", numbers=["p"])


def test_an_address_keeps_its_slashes_and_tells_its_format() -> None:
    found = find_files(["s3://b/a.csv.gz", "http://h/x.parquet?a=b.csv", "gs://b/x"], Path("/"))
    assert [(file.name, file.format, file.compression) for file in found] == [
        ("s3://b/a.csv.gz", "csv", "gzip"),
        ("http://h/x.parquet?a=b.csv", "parquet", "none"),
        ("gs://b/x", "text", "none"),
    ]
    assert not any(map(is_here, found))


def test_files_of_this_machine_come_before_those_with_an_address(folder: Path) -> None:
    (folder / "a.csv").write_bytes(CSV)
    found = find_files(["s3://b/b.csv", "a.csv"], folder)
    assert [file.name for file in found] == ["a.csv", "s3://b/b.csv"]
    with pytest.raises(DataError, match="at least one file is needed; got none"):
        find_files([], folder)


def test_a_file_of_that_name_comes_before_the_address(folder: Path) -> None:
    (folder / "s3:").mkdir()
    (folder / "s3:" / "a.csv").write_bytes(CSV)
    assert read("s3://a.csv")["y"].tolist() == [1, 0, 1]


def test_an_address_names_the_package_that_reaches_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(_paths.PACKAGES, "s3", "json")
    assert require_package("s3://bucket/a.csv") == "s3"
    assert require_package("gs://bucket/s3") is None
