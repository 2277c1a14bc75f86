"""Any data frame, in and out."""

from __future__ import annotations

from typing import Any

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import properly

DATA = {
    "died": [0, 1, 1, 0],
    "p": [0.1, 0.4, 0.4, 0.8],
    "w": [1.0, 0.5, 2.0, 0.0],
    "x": list("abcd"),
}

FRAMES: dict[str, Any] = {
    "pandas": pd.DataFrame,
    "polars": pl.DataFrame,
    "polars lazy": pl.LazyFrame,
    "pyarrow": pa.table,
    "duckdb": lambda data: duckdb.from_arrow(pa.table(data)),
}


@pytest.mark.parametrize(
    ("backend", "kind"),
    [
        ("pandas", pd.DataFrame),
        ("polars", pl.DataFrame),
        ("pyarrow", pa.Table),
        (None, pl.DataFrame),
    ],
)
def test_results_become_frames_of_the_library_that_is_asked_for(backend: Any, kind: type) -> None:
    t = properly.tally(DATA["died"], DATA["p"])
    parts = properly.decompose(t, properly.rules.Brier()).to_frame(backend)
    bins = properly.reliability(t).to_frame(backend)
    table = properly.evaluate(DATA["died"], DATA["p"], replicates=0).to_frame(backend)
    assert all(isinstance(frame, kind) for frame in (parts, bins, table))
    assert (parts.shape, bins.shape, table.shape) == ((1, 5), (2, 4), (8, 10))


@pytest.mark.parametrize("frame", FRAMES.values(), ids=FRAMES.keys())
def test_the_columns_of_a_frame_are_models(frame: Any) -> None:
    models = {"low": [0.1, 0.2, 0.3, 0.1], "high": [0.9, 0.8, 0.7, 0.6]}
    found = properly.evaluate(DATA["died"], frame(models), replicates=0).decompositions
    assert found == properly.evaluate(DATA["died"], models, replicates=0).decompositions
