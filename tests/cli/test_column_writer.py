"""A column is added to files of every format, and all else stays."""

from __future__ import annotations

import bz2
import gzip
import json
from decimal import Decimal
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.ipc
import pyarrow.parquet as pq
import pytest
from tests.command_line import run

from properly.recalibration import Logistic

if TYPE_CHECKING:
    from pathlib import Path

    from click.testing import Result

LINE = Logistic(0.2, 0.8)
P = [0.1, None, 0.75, 0.5]


@pytest.fixture(scope="module")
def stored(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return LINE.save(tmp_path_factory.mktemp("map") / "map.json")


def apply(file: Path, stored: Path, out: Path, *options: str) -> Result:
    given = ("--map", stored, "--forecast", "p", "--missing", "keep", "--output", out)
    return run("recalibrate", "apply", file, *given, *options)


def expected() -> list[float | None]:
    return [None if p is None else LINE.at(p) for p in P]


def frame() -> pa.Table:
    """Return columns of many types, which a round trip through others would change."""
    days = pd.to_datetime(["2024-05-01", None, "1969-12-31", "2262-01-01"])
    return pa.table(
        {
            "id": pa.array(["007", "", None, "NA"]),
            "p": pa.array(P),
            "half": pa.array(np.array([0.5, 1, 2, 3], np.float16)),
            "ward": pa.array(["a", "b", None, "a"]).dictionary_encode(),
            "small": pa.array([1, None, 3, 4], pa.uint8()),
            "large": pa.array([2**63, 1, 2, 3], pa.uint64()),
            "when": pa.array(days.to_numpy(), pa.timestamp("ns")),
            "zoned": pa.array(days.to_numpy(), pa.timestamp("us", "Europe/Paris")),
            "exact": pa.array([Decimal("1.10"), None, Decimal("2.00"), Decimal("3.45")]),
            "several": pa.array([[1, 2], [], None, [3]]),
            "inside": pa.array([{"x": 1}, None, {"x": None}, {"x": 4}]),
            "bytes": pa.array([b"\x00\xff", b"", None, b"x"]),
        },
        metadata={"pandas": "kept", "own": "words"},
    )


@pytest.mark.parametrize("codec", ["snappy", "zstd", "gzip", "none"])
def test_parquet_keeps_types_groups_and_packing(codec: str, stored: Path, tmp_path: Path) -> None:
    file, out = tmp_path / "in.parquet", tmp_path / "out.parquet"
    table = frame()
    pq.write_table(table, file, compression=codec, row_group_size=3)
    result = apply(file, stored, out)
    assert (result.exit_code, result.stderr) == (0, "")
    found = pq.read_table(out)
    assert found.drop_columns("p_recalibrated").equals(pq.read_table(file), check_metadata=True)
    assert found["p_recalibrated"].to_pylist() == expected()
    before, after = (pq.ParquetFile(x).metadata for x in (file, out))
    assert [after.row_group(i).num_rows for i in range(after.num_row_groups)] == [3, 1]
    packed = [x.row_group(0).column(0).compression for x in (before, after)]
    assert packed[0] == packed[1]


def test_a_frame_of_pandas_comes_back_with_its_index(stored: Path, tmp_path: Path) -> None:
    file, out = tmp_path / "in.parquet", tmp_path / "out.parquet"
    index = pd.Index(["w", "x", "y", "z"], name="key")
    before = pd.DataFrame({"p": P, "kind": pd.Categorical(list("abba"))}, index=index)
    before.to_parquet(file)
    assert apply(file, stored, out).exit_code == 0
    after = pd.read_parquet(out)
    pd.testing.assert_frame_equal(after[["p", "kind"]], before)
    assert after.columns[-1] == "p_recalibrated"


@pytest.mark.parametrize("is_stream", [False, True])
def test_arrow_keeps_types_and_batches(
    is_stream: bool,
    stored: Path,
    tmp_path: Path,
) -> None:
    file, out = tmp_path / "in.arrow", tmp_path / "out.arrow"
    table = frame()
    make = pa.ipc.new_stream if is_stream else pa.ipc.new_file
    with make(file, table.schema) as sink:
        sink.write_table(table, max_chunksize=3)
    result = apply(file, stored, out)
    assert (result.exit_code, result.stderr) == (0, "")
    reader = (pa.ipc.open_stream if is_stream else pa.ipc.open_file)(out.read_bytes())
    found = reader.read_all()
    assert found.drop_columns("p_recalibrated").equals(table, check_metadata=True)
    assert found["p_recalibrated"].to_pylist() == expected()
    assert found["p"].num_chunks == 2


LINES = (
    '{"p":0.1, "id": "007","x":1e400}\r\n'
    "\n"
    '  {"id":"é","p":null}\n'
    '{"p": "0.75" }  \n'
    '{"y": {"p": 1}, "p": 5e-1}'
)


def test_json_lines_stay_as_they_are_written(stored: Path, tmp_path: Path) -> None:
    file, out = tmp_path / "in.jsonl", tmp_path / "out.jsonl"
    file.write_bytes(LINES.replace("1e400", "1.50").encode())
    result = apply(file, stored, out, "--as", 'q "new"')
    assert result.exit_code == 0, result.stderr
    q = [repr(LINE.at(p)) for p in (0.1, 0.75, 0.5)]
    assert out.read_bytes().decode() == (
        f'{{"p":0.1, "id": "007","x":1.50, "q \\"new\\"": {q[0]}}}\r\n'
        "\n"
        '  {"id":"é","p":null, "q \\"new\\"": null}\n'
        f'{{"p": "0.75", "q \\"new\\"": {q[1]}}}  \n'
        f'{{"y": {{"p": 1}}, "p": 5e-1, "q \\"new\\"": {q[2]}}}'
    )
    assert [json.loads(x)['q "new"'] for x in out.read_text("utf-8").split("\n") if x]


@pytest.mark.parametrize(("suffix", "module"), [(".gz", gzip), (".bz2", bz2), ("", None)])
def test_text_is_packed_as_the_new_name_says(
    suffix: str, module: object, stored: Path, tmp_path: Path
) -> None:
    text = "p,x\n0.5,007\n"
    file, out = tmp_path / f"in.csv{suffix}", tmp_path / f"out.csv{suffix}"
    opener = getattr(module, "open", open)
    with opener(file, "wb") as target:
        target.write(text.encode())
    assert apply(file, stored, out).exit_code == 0
    with opener(out, "rb") as source:
        assert source.read().decode() == f"p,x,p_recalibrated\n0.5,007,{LINE.at(0.5)!r}\n"
    again = tmp_path / f"again.csv{suffix}"
    assert apply(file, stored, again).exit_code == 0
    assert again.read_bytes() == out.read_bytes()


def test_a_header_without_rows_gets_a_longer_one(stored: Path, tmp_path: Path) -> None:
    file, out = tmp_path / "in.csv", tmp_path / "out.csv"
    file.write_text("\n\np,x\n", encoding="utf-8")
    assert apply(file, stored, out).stdout.startswith("0 rows in ")
    assert out.read_text(encoding="utf-8") == "\n\np,x,p_recalibrated\n"


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("in.csv", b'p,x\n0.5,"open\n', "begins with a quote must end with one; that on line 2 of"),
        ("in.csv", b"p,x\n0.5,1\n0.5,\xff\n", "a CSV file must be text in UTF-8; line 3 of"),
        ("in.csv.gz", gzip.compress(b"p\n" + b"0.5\n" * 99, mtime=0)[:-9], "damaged or cut short"),
        ("in.jsonl", b'{"p": 0.5}\n{"p": true}\n', "column 'p' must hold numbers; row 1 of"),
    ],
)
def test_what_is_damaged_is_refused_and_nothing_written(
    name: str, content: bytes, said: str, stored: Path, tmp_path: Path
) -> None:
    file, out = tmp_path / name, tmp_path / f"out{name[2:]}"
    file.write_bytes(content)
    result = apply(file, stored, out)
    assert (result.exit_code, result.stdout, out.exists()) == (1, "", False)
    assert said in result.stderr


def test_a_file_that_is_cut_short_is_refused(stored: Path, tmp_path: Path) -> None:
    file, out = tmp_path / "in.parquet", tmp_path / "out.parquet"
    pq.write_table(pa.table({"p": np.linspace(0, 1, 5000)}), file)
    content = bytearray(file.read_bytes())
    content[200:400] = bytes(200)
    file.write_bytes(content)
    result = apply(file, stored, out)
    assert (result.exit_code, out.exists()) == (1, False)


def test_rows_of_small_floats_are_computed_in_full(stored: Path, tmp_path: Path) -> None:
    file, out = tmp_path / "in.parquet", tmp_path / "out.parquet"
    p = np.linspace(0.01, 0.99, 50, dtype=np.float32)
    pq.write_table(pa.table({"p": p}), file)
    assert apply(file, stored, out).exit_code == 0
    found = pq.read_table(out)["p_recalibrated"].to_numpy()
    assert found.dtype == np.float64
    np.testing.assert_array_equal(found, LINE.at(p.astype(np.float64)))
