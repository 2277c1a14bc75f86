"""Files of a few awkward rows, for engines that read files on a cluster."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyarrow import parquet

# A number that is not short, the smallest of all, gaps, leading zeros, quotes, and whole numbers
# that no float holds.
COLUMNS: list[list[Any]] = [
    [0.1, 0.2, 0.30000000000000004, 1.0, 5e-324, 0.7],
    [0, 1, 1, 0, 1, None],
    [True, False, None, True, True, False],
    ["007", "x", "a,b", 'say "a"', "ü", None],
    [2**60 + 1, 2**60 + 2, None, 2**60 + 3, 2**60 + 4, 2**60 + 5],
]


def written(names: list[str], folder: Path, kind: str, rows: slice, name: str) -> Path:
    """Write some of the rows to a file, one row a group where there are groups."""
    table = pa.table({name: values[rows] for name, values in zip(names, COLUMNS, strict=True)})
    path = folder / f"{name}.{kind}"
    if kind == "parquet":
        parquet.write_table(table, path, row_group_size=1)
        return path
    if kind == "jsonl":
        text = "".join(json.dumps(row) + "\n" for row in table.to_pylist())
    else:
        lines = [",".join(f'"{name}"' for name in names)]
        lines += [",".join(map(field, row.values())) for row in table.to_pylist()]
        text = "\n".join(lines) + "\n"
    if kind.endswith("gz"):
        path.write_bytes(gzip.compress(text.encode()))
    else:
        path.write_text(text, encoding="utf-8")
    return path


def field(value: object) -> str:
    if isinstance(value, str):
        doubled = value.replace('"', '""')
        return f'"{doubled}"'
    return "NA" if value is None else repr(value)


def parqueted(**columns: Any) -> bytes:
    sink = pa.BufferOutputStream()
    parquet.write_table(pa.table(columns), sink)
    return bytes(sink.getvalue().to_pybytes())
