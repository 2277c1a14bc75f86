"""A map computed by a database or by a frame gives what `at` gives."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import duckdb
import narwhals.stable.v2 as nw
import numpy as np
import pandas as pd
import polars as pl
import pytest
from tests.recalibration.map_examples import fitted, forecasts, given

from properly.recalibration import Identity, Isotonic, Logistic, Map, PriorShift, VennAbers
from properly.recalibration._knot_maps import Knots, PairKnots

MAPS = fitted() | given()
ALL = pytest.mark.parametrize("mapping", MAPS.values(), ids=list(MAPS))
ODD = 'a "quoted" `name`; --'
BAD = [None, float("nan"), -1e-300, -1.0, 1 + 2**-52, 2.0, float("inf"), float("-inf")]
FRAMES: dict[str, Callable[[pl.DataFrame], Any]] = {
    "polars": lambda frame: frame,
    "lazy": pl.DataFrame.lazy,
    "pandas": pl.DataFrame.to_pandas,
    # Whether infinity is a whole number, pandas finds out by a cast.
    "nullable": np.errstate(invalid="ignore")(lambda frame: frame.to_pandas().convert_dtypes()),
    "pyarrow": pl.DataFrame.to_arrow,
    "duckdb": lambda frame: duckdb.connect().from_arrow(frame.to_arrow()),
}


def values(mapping: Map, p: np.ndarray) -> np.ndarray:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result: np.ndarray = mapping.at(p)
    return result


def by_sql(mapping: Map, frame: pl.DataFrame) -> list[Any]:
    con = duckdb.connect()
    con.register("rows", frame.to_arrow())
    column = frame.columns[0]
    rows = con.sql(f"SELECT {mapping.sql(column)} FROM rows").fetchall()  # noqa: S608
    return [row[0] for row in rows]


def by_frame(mapping: Map, frame: Any, column: str) -> list[Any]:
    data = nw.from_native(frame).lazy().select(q=mapping.expression(column)).collect()
    return [None if x is pd.NA or x != x else x for x in data["q"].to_list()]  # noqa: PLR0124


def assert_agree(computed: list[Any], wanted: np.ndarray) -> None:
    # The last bit of a subnormal number is more than 1e-12 of it.
    np.testing.assert_allclose(np.array(computed, dtype=float), wanted, rtol=1e-12, atol=1e-322)


@pytest.mark.slow
@ALL
def test_duckdb_computes_what_at_computes(mapping: Map) -> None:
    p = forecasts(mapping)
    assert_agree(by_sql(mapping, pl.DataFrame({ODD: p})), values(mapping, p))


@ALL
@pytest.mark.parametrize("frame", FRAMES)
def test_frames_compute_what_at_computes(mapping: Map, frame: str) -> None:
    p = forecasts(mapping)
    rows = FRAMES[frame](pl.DataFrame({ODD: p}))
    assert_agree(by_frame(mapping, rows, ODD), values(mapping, p))


@pytest.mark.slow
@ALL
def test_what_is_no_forecast_becomes_null(mapping: Map) -> None:
    frame = pl.DataFrame({"p": [*BAD, 0.5]})
    for result in (by_sql(mapping, frame), by_frame(mapping, frame, "p")):
        assert result[:-1] == [None] * len(BAD)
        assert result[-1] is not None


@pytest.mark.slow
@pytest.mark.parametrize("name", ["Logistic", "Beta keep", "Isotonic linear 1", "VennAbers log"])
@pytest.mark.parametrize("frame", FRAMES)
def test_what_is_no_forecast_becomes_missing_in_any_frame(name: str, frame: str) -> None:
    rows = FRAMES[frame](pl.DataFrame({"p": [*BAD, 0.5]}))
    result = by_frame(MAPS[name], rows, "p")
    assert result[:-1] == [None] * len(BAD)
    assert result[-1] is not None


def test_certain_forecasts_become_missing_where_they_are_refused() -> None:
    frame = pl.DataFrame({"p": [0.0, 0.5, 1.0]})
    mapping = Logistic(intercept=0.1, slope=0.4, certain="refuse")
    for result in (by_sql(mapping, frame), by_frame(mapping, frame, "p")):
        assert [x is None for x in result] == [True, False, True]


@pytest.mark.parametrize("kind", ["DECIMAL(9, 6)", "FLOAT", "INTEGER", "BOOLEAN"])
def test_a_column_of_another_type_is_computed_in_doubles(kind: str) -> None:
    mapping = MAPS["Beta inside"]
    query = f"CAST(1 AS {kind}) AS p"
    if kind in ("DECIMAL(9, 6)", "FLOAT"):
        query = f"CAST(0.123456 AS {kind}) AS p"
    text = f"SELECT {mapping.sql('p')}, typeof({mapping.sql('p')}), p FROM (SELECT {query})"  # noqa: S608
    q, its_type, p = duckdb.connect().execute(text).fetchall()[0]
    assert its_type == "DOUBLE"
    assert_agree([q], values(mapping, np.array([float(p)])))


def test_negative_zero_is_zero() -> None:
    for mapping in (Identity(), PriorShift(0.5, 0.1)):
        for result in (
            by_sql(mapping, pl.DataFrame({"p": [-0.0]})),
            by_frame(mapping, pl.DataFrame({"p": [-0.0]}), "p"),
        ):
            assert str(result[0]) == "0.0"


@pytest.mark.parametrize("mapping", [Logistic(intercept=-0.1, slope=0.9), MAPS["Isotonic flat 1"]])
def test_dialects_differ_in_names_and_numbers_only(mapping: Map) -> None:
    name = 'a`b\\"c'
    plain = mapping.sql("p")
    quoted = {
        "postgres": '"a`b\\""c"',
        "bigquery": '`a\\`b\\\\"c`',
        "snowflake": '"a`b\\""c"',
        "spark": '`a``b\\"c`',
    }
    doubles = {"postgres": "DOUBLE PRECISION", "bigquery": "FLOAT64"}
    for dialect, column in quoted.items():
        text = mapping.sql(name, dialect=dialect)
        text = text.replace(column, '"p"').replace(doubles.get(dialect, "DOUBLE"), "DOUBLE")
        if dialect == "postgres":
            text = text.replace("FLOAT8 '", "").replace("e0'", "e0")
        assert text == plain


def test_a_ladder_is_as_deep_as_a_search_tree() -> None:
    p = np.arange(1, 257) / 257
    curve = Isotonic(knots=Knots(p, p / 2 + 0.1))
    text = curve.sql("p")
    depth = deepest = 0
    for word in text.replace("(", " ").replace(")", " ").split():
        depth += (word == "CASE") - (word == "END")
        deepest = max(deepest, depth)
    assert deepest == 10
    assert_agree(by_sql(curve, pl.DataFrame({"p": p})), p / 2 + 0.1)


LADDERS = [name for name in MAPS if name.startswith(("Isotonic", "VennAbers", "one forecast"))]


@pytest.mark.parametrize("name", LADDERS)
def test_a_joined_table_gives_what_at_gives(name: str) -> None:
    mapping = MAPS[name]
    p = forecasts(mapping)
    rows, table = pl.DataFrame({"p": p}), mapping.table("polars")
    assert table.columns == ["forecast", "recalibrated", "slope"]
    joined = rows.join_asof(table, left_on="p", right_on="forecast")
    line = pl.col("recalibrated") + pl.col("slope") * (pl.col("p") - pl.col("forecast"))
    assert_agree(joined.select(line).to_series().to_list(), values(mapping, p))


def test_other_tables_are_made_of_hundredths() -> None:
    mapping = MAPS["Logistic"]
    table = mapping.table("pandas")
    assert list(table.columns) == ["forecast", "recalibrated"]
    assert len(table) == 101
    np.testing.assert_array_equal(table["recalibrated"], values(mapping, table["forecast"]))
    assert len(MAPS["refuse"].table()) == 99


def test_a_table_may_be_as_long_as_it_needs() -> None:
    p = np.arange(1, 5001) / 5001
    assert len(Isotonic(knots=Knots(p, p)).table()) == 5001
    assert len(VennAbers(knots=PairKnots(p, p * 0.9, p)).table()) > 5000
