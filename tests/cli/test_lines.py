"""Refusals name rows by where they are in the files that were given."""

from __future__ import annotations

import gzip
from typing import TYPE_CHECKING

import polars as pl
from tests.command_line import run

if TYPE_CHECKING:
    from pathlib import Path


def test_compressed_files_have_lines_and_others_rows(tmp_path: Path) -> None:
    data = pl.DataFrame({"y": [0, 1] * 20, "p": [*[0.2, 0.8] * 8, 0.2, 1.2, *[0.2, 0.8] * 11]})
    packed, rows = tmp_path / "a.csv.gz", tmp_path / "a.parquet"
    packed.write_bytes(gzip.compress(data.write_csv().encode()))
    data.write_parquet(rows)
    for file, place in ((packed, f"row 17 (line 19 of {packed})"), (rows, f"row 17 of {rows}")):
        result = run("score", file, "--outcome", "y", "--forecast", "p")
        assert (result.exit_code, f"; {place} is 1.2" in result.stderr) == (1, True)
