"""Forecasts of any kind and shape go through a map and come out as they went in."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from tests.recalibration.map_examples import fitted, given

import properly
from properly.errors import ArgumentTypeError, DataError, DataWarning
from properly.recalibration import Identity, Isotonic, Logistic, Map, PriorShift, loads
from properly.recalibration._knot_maps import Knots

MAPS = {name: x for name, x in (fitted() | given()).items() if name != "refuse"}
ALL = pytest.mark.parametrize("mapping", MAPS.values(), ids=list(MAPS))
LINE = Logistic(intercept=0.3, slope=0.5)
P = [0.2, 0.5, 0.7, 0.9]
Q = LINE.at(P)
FRAMES: dict[str, Callable[[Any], Any]] = {
    "polars": pl.DataFrame,
    "pandas": pd.DataFrame,
    "pyarrow": pa.table,
}
MISSING = {
    "polars": pl.Series([0.1, 0.2, None, 0.3]),
    "polars nan": pl.Series([0.1, 0.2, float("nan"), 0.3]),
    "pandas": pd.Series([0.1, 0.2, None, 0.3]),
    "nullable": pd.Series([0.1, 0.2, None, 0.3], dtype="Float64"),
    "nullable integers": pd.Series([1, 0, None, 1], dtype="Int64"),
    "pyarrow": pa.chunked_array([[0.1, 0.2], [None, 0.3]]),
    "pyarrow in pandas": pd.Series([0.1, 0.2, None, 0.3], dtype="double[pyarrow]"),
    "list": [0.1, 0.2, None, 0.3],
    "masked": np.ma.masked_equal([0.1, 0.2, 0.9, 0.3], 0.9),
}


def of_rows(mapping: Map, p: Any) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        return mapping.at(p)


def test_a_number_gives_a_number() -> None:
    for p in (0.5, Fraction(1, 2)):
        assert type(LINE.at(p)) is float
        assert LINE.at(p) == Q[1]
    assert type(Identity().at(1)) is float
    half = LINE.at(np.float32(0.5))
    assert half.dtype == np.float32
    assert half == np.float32(Q[1])


@ALL
def test_arrays_keep_their_shape_and_precision(mapping: Map) -> None:
    p = np.linspace(0.01, 0.99, 24)
    flat = of_rows(mapping, p)
    for shape in ((24,), (4, 6), (2, 3, 4), (24, 1)):
        q = of_rows(mapping, p.reshape(shape))
        assert q.shape == shape
        np.testing.assert_array_equal(q.ravel(), flat)
    single = of_rows(mapping, p.astype(np.float32))
    assert single.dtype == np.float32
    np.testing.assert_array_equal(
        single, of_rows(mapping, p.astype(np.float32).astype(float)).astype(np.float32)
    )


def test_a_map_and_a_choice_of_maps_are_called_as_others_are() -> None:
    p = np.linspace(0.1, 0.9, 400)
    y = np.random.default_rng(1).random(400) < p**2
    chosen = properly.recalibrate(y, p, LINE.kind, rng=1)
    for mapping, used in ((LINE, LINE), (chosen, chosen.map)):
        for call in (mapping, mapping.transform, mapping.predict):
            np.testing.assert_array_equal(call(P), used.at(P))


def test_lists_and_arrays_without_dimensions() -> None:
    np.testing.assert_array_equal(LINE.at(P), Q)
    np.testing.assert_array_equal(LINE.at(tuple(P)), Q)
    np.testing.assert_array_equal(LINE.at([P[:2], P[2:]]), Q.reshape(2, 2))
    point = LINE.at(np.array(0.5))
    assert point.shape == ()
    assert point == Q[1]


def test_long_columns_are_computed_alike_in_pieces() -> None:
    p = np.random.default_rng(0).random(300_000)
    q = LINE.at(p)
    np.testing.assert_array_equal(q[:1000], LINE.at(p[:1000]))
    np.testing.assert_array_equal(q[-1000:], LINE.at(p[-1000:]))
    np.testing.assert_array_equal(LINE.at(p[::-1]), q[::-1])


def test_what_was_given_is_not_changed() -> None:
    for mapping in (LINE, Identity(), MAPS["Isotonic linear 1"]):
        p = np.array(P)
        q = mapping.at(p)
        q[0] = 7
        np.testing.assert_array_equal(p, P)


def test_no_rows_are_no_rows() -> None:
    assert LINE.at([]).shape == (0,)
    assert LINE.at(np.empty((0, 3), dtype=np.float32)).shape == (0, 3)
    assert len(LINE.at(pl.DataFrame({"p": pl.Series([], dtype=pl.Float64)}), forecast="p")) == 0


@pytest.mark.parametrize("kind", [pl.Series, pd.Series])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_a_series_keeps_its_kind_name_and_precision(kind: Any, dtype: Any) -> None:
    series = kind(name="risk", **{"data" if kind is pd.Series else "values": np.array(P, dtype)})
    result = LINE.at(series)
    assert type(result) is kind
    assert result.name == "risk"
    np.testing.assert_array_equal(result.to_numpy(), LINE.at(np.array(P, dtype)))
    assert result.to_numpy().dtype == dtype


def test_a_series_of_pandas_keeps_its_index() -> None:
    series = pd.Series(P, index=list("dbca"))
    result = LINE.at(series)
    assert result.index.equals(series.index)
    assert result.name is None
    np.testing.assert_array_equal(result, Q)
    nullable = LINE.at(series.astype("Float64"))
    np.testing.assert_array_equal(nullable.to_numpy(float), Q)


def test_a_chunked_array_stays_one() -> None:
    result = LINE.at(pa.chunked_array([P[:1], P[1:]]))
    assert isinstance(result, pa.ChunkedArray)
    np.testing.assert_array_equal(result.to_numpy(), Q)


@pytest.mark.parametrize("kind", FRAMES)
def test_a_frame_gets_a_new_column(kind: str) -> None:
    frame = FRAMES[kind]({"id": [1, 2, 3, 4], "p": P})
    result = LINE.at(frame, forecast="p")
    assert type(result) is type(frame)
    columns = getattr(result, "column_names", None) or list(result.columns)
    assert columns == ["id", "p", "p_recalibrated"]
    np.testing.assert_array_equal(np.asarray(result["p_recalibrated"]), Q)
    np.testing.assert_array_equal(np.asarray(result["p"]), P)
    named = LINE.at(frame, forecast="p", name="q")
    np.testing.assert_array_equal(np.asarray(named["q"]), Q)
    assert len(getattr(frame, "column_names", None) or list(frame.columns)) == 2


def test_a_frame_of_pandas_keeps_its_index() -> None:
    frame = pd.DataFrame({"p": P}, index=[7, 3, 3, 1])
    result = LINE.at(frame, forecast="p")
    assert result.index.equals(frame.index)
    np.testing.assert_array_equal(result["p_recalibrated"], Q)


@pytest.mark.parametrize("name", ["Logistic", "Isotonic linear 1", "VennAbers log"])
def test_lazy_frames_stay_lazy(name: str) -> None:
    mapping = MAPS[name]
    wanted = of_rows(mapping, P)
    lazy = mapping.at(pl.LazyFrame({"p": P}), forecast="p", name="q")
    assert isinstance(lazy, pl.LazyFrame)
    assert lazy.collect_schema().names() == ["p", "q"]
    np.testing.assert_allclose(lazy.collect()["q"], wanted, rtol=1e-12)
    relation = duckdb.connect().from_arrow(pa.table({"p": P}))
    added = mapping.at(relation, forecast="p", name="q")
    assert isinstance(added, duckdb.DuckDBPyRelation)
    assert added.columns == ["p", "q"]
    np.testing.assert_allclose(added.df()["q"], wanted, rtol=1e-12)


def test_what_is_no_forecast_becomes_missing_in_a_lazy_frame() -> None:
    lazy = LINE.at(pl.LazyFrame({"p": [None, 1.5, 0.5]}), forecast="p")
    assert lazy.collect()["p_recalibrated"].to_list()[:2] == [None, None]


@pytest.mark.parametrize("p", MISSING.values(), ids=list(MISSING))
def test_missing_forecasts_are_refused_with_the_row(p: Any) -> None:
    with pytest.raises(DataError, match="row 2 is"):
        of_rows(LINE, p)
    if isinstance(p, pd.Series | pl.Series | pa.ChunkedArray):
        kind = "polars" if isinstance(p, pl.Series) else "pandas"
        frame = pa.table({"p": p}) if isinstance(p, pa.ChunkedArray) else FRAMES[kind]({"p": p})
        with pytest.raises(DataError, match="row 2 is"):
            of_rows_of_frame(frame)


def of_rows_of_frame(frame: Any) -> Any:
    return LINE.at(frame, forecast="p")


@pytest.mark.parametrize(
    ("p", "place"),
    [
        ([0.1, 1.7], "row 1 is 1.7"),
        ([[0.1, 0.2], [0.3, 1.7]], "row 1, column 1 is 1.7"),
        (np.full((2, 2, 2), -1.0), r"row 0, column 0 is -1.0 \(2 such rows\)"),
        ([[0.1, 0.2], [None, 0.7]], "row 1, column 0 is None"),
        (np.array(1.7), "row 0 is 1.7"),
        (1.7, "row 0 is 1.7"),
        (float("nan"), "row 0 is nan"),
    ],
)
def test_what_is_no_forecast_is_refused_with_its_place(p: Any, place: str) -> None:
    with pytest.raises(DataError, match=place):
        LINE.at(p)


@pytest.mark.parametrize("p", [["0.1"], "0.1", None, [0.1j], object()])
def test_what_is_no_number_is_refused(p: Any) -> None:
    with pytest.raises(DataError):
        LINE.at(p)


def test_columns_are_named_for_frames_only() -> None:
    frame = pl.DataFrame({"p": P})
    for forecast in (None, "q"):
        with pytest.raises(DataError, match=r"(?s)a frame needs the name .*columns are p"):
            LINE.at(frame, forecast=forecast)
    with pytest.raises(ArgumentTypeError, match="for columns of a frame; got list"):
        LINE.at(P, forecast="p")
    with pytest.raises(ArgumentTypeError, match="for columns of a frame; got Series"):
        LINE.at(frame["p"], name="q")


def test_a_long_ladder_is_refused_in_a_lazy_frame_only() -> None:
    p = np.arange(1, 1000) / 1000
    curve = Isotonic(knots=Knots(p, p / 2))
    assert len(curve.at(pl.DataFrame({"p": P}), forecast="p")) == 4
    with pytest.raises(DataError, match="256 knots"):
        curve.at(pl.LazyFrame({"p": P}), forecast="p")


def test_forecasts_outside_the_range_are_told_once() -> None:
    mapping = MAPS["Logistic inside"]
    with pytest.warns(DataWarning, match="2 forecasts outside 0.01 to 0.99") as told:
        mapping.at(np.array([0.001, 0.5, 0.999]))
    assert len(told) == 1


def test_numbers_below_all_normal_ones_are_not_lost() -> None:
    # The shift by a factor of 99 of the odds, in the smallest numbers there are.
    q = PriorShift(0.5, 0.01).at([1e-307, 1e-310, 5e-324])
    np.testing.assert_allclose(q, [1e-307 / 99, 1e-310 / 99, 5e-324], rtol=1e-10, atol=5e-324)


def test_cases_come_back_with_other_forecasts_and_all_else_they_had() -> None:
    y, p = np.array([0, 1] * 30), np.arange(1, 61) / 61
    cases = properly.Cases(y, p, clusters=np.arange(60) // 2)
    fitted = Logistic().fit(cases)
    with pytest.warns(DataWarning, match="was fitted to these very cases"):
        same = fitted.at(cases)
    np.testing.assert_array_equal(same.p, fitted.at(p))
    np.testing.assert_array_equal(same.clusters, cases.clusters)
    # Read back it knows as much, and of other outcomes it says nothing.
    with pytest.warns(DataWarning, match="was fitted to these very cases"):
        loads(fitted.dumps()).at(cases)
    fitted.at(properly.Cases(1 - y, p))
