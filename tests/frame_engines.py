"""Engines that hold frames, each made of a table of pyarrow."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import duckdb
import polars as pl

if TYPE_CHECKING:
    from collections.abc import Callable

ENGINES: dict[str, Callable[[Any], Any]] = {
    "pandas": lambda table: table.to_pandas(),
    "polars": pl.from_arrow,
    "polars lazy": pl.LazyFrame,
    "pyarrow": lambda table: table,
    "duckdb": duckdb.from_arrow,
}
