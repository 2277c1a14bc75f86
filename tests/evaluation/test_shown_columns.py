"""Columns that are shown beside the worst cases, such as the numbers of patients."""

from __future__ import annotations

import gc
import json
import weakref
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pytest

import properly
from properly import evaluate
from properly.errors import DataError

RNG = np.random.default_rng(4)
ROWS = 60
P = RNG.random(ROWS).round(3)
Y = (RNG.random(ROWS) < P).astype(int)
PATIENT = [f"{k:05d}" for k in range(ROWS)]
DAYS = np.datetime64("2024-01-01") + np.arange(ROWS)
FRAME = pd.DataFrame(
    {"y": Y, "p": P, "patient": PATIENT, "age": np.arange(ROWS) + 20, "day": DAYS.astype("M8[ns]")}
)
SHOWN = ["patient", "age", "day"]


def expected(rows: Any) -> dict[str, tuple[Any, ...]]:
    rows = rows.tolist()
    return {
        "patient": tuple(PATIENT[row] for row in rows),
        "age": tuple(row + 20 for row in rows),
        "day": tuple(str(DAYS[row]) for row in rows),
    }


FRAMES = {
    "pandas": FRAME,
    "polars": pl.from_pandas(FRAME),
    "lazy": pl.from_pandas(FRAME).lazy(),
    "pyarrow": pl.from_pandas(FRAME).to_arrow(),
    "duckdb": duckdb.from_df(FRAME),
}


@pytest.mark.parametrize("kind", FRAMES)
def test_columns_of_a_frame_are_shown_by_their_names(kind: str) -> None:
    e = evaluate(FRAMES[kind], ["p"], outcome="y", show=SHOWN, replicates=0)
    assert e.worst["p"].beside == expected(e.worst["p"].row)


@pytest.mark.parametrize(
    "show",
    [
        FRAME[SHOWN],
        pl.from_pandas(FRAME[SHOWN]),
        {name: FRAME[name] for name in SHOWN},
        {"patient": PATIENT, "age": np.arange(ROWS) + 20, "day": DAYS},
    ],
    ids=["pandas", "polars", "columns", "arrays"],
)
def test_columns_are_shown_beside_arrays(show: Any) -> None:
    e = evaluate(Y, {"a": P, "b": P**2}, show=show, replicates=0)
    for worst in e.worst.values():
        assert worst.beside == expected(worst.row)


def test_a_single_column_is_called_after_itself() -> None:
    assert list(evaluate(Y, P, show=PATIENT, replicates=0).worst["forecast"].beside) == ["id"]
    named = evaluate(Y, P, show=FRAME["patient"], replicates=0).worst["forecast"]
    assert list(named.beside) == ["patient"]
    by_name = evaluate(FRAME, "p", outcome="y", show="patient", replicates=0).worst["p"]
    assert by_name.beside == named.beside


def test_classes_and_rows_of_weight_zero_have_their_own_identifiers() -> None:
    table, weight = np.column_stack([1 - P, P / 2, P / 2]), (np.arange(ROWS) % 2).astype(float)
    e = evaluate(Y, {"m": table}, weight=weight, show={"patient": PATIENT}, replicates=0)
    assert e.worst["m"].beside["patient"] == tuple(PATIENT[row] for row in e.worst["m"].row)
    assert (e.worst["m"].row % 2 == 1).all()


def test_what_is_shown_is_in_the_text_the_frame_and_json() -> None:
    e = evaluate(Y[:3], P[:3], show=FRAME[SHOWN][:3], replicates=0)
    worst = e.worst["forecast"]
    assert str(worst).splitlines()[0].split() == ["row", *SHOWN, "log", "outcome", "p"]
    for backend in ("pandas", "polars", "pyarrow"):
        frame = pl.DataFrame(worst.to_frame(backend))
        assert frame.columns == ["row", *SHOWN, "loss", "outcome", "p"]
        assert frame["patient"].to_list() == list(expected(worst.row)["patient"])
    told = json.loads(e.to_json())["worst"]["forecast"]["beside"]
    assert told == {name: list(values) for name, values in expected(worst.row).items()}


def test_what_is_not_shown_is_not_kept() -> None:
    column = np.arange(ROWS)
    there = weakref.ref(column)
    e = evaluate(Y, {"forecast": P, "other": P / 2}, show={"patient": column}, replicates=0)
    assert len(e.worst["forecast"].beside["patient"]) == 10
    del column
    gc.collect()
    assert there() is None
    assert evaluate(Y, P, replicates=0).worst["forecast"].beside == {}
    assert "worst" not in evaluate(Y, P, replicates=0).to_dict()


def test_missing_values_are_a_dash_and_long_ones_are_cut() -> None:
    show = {
        "text": np.array(["a", None, "x" * 200], dtype=object),
        "number": [1.0, np.nan, 2.5],
        "masked": np.ma.masked_array([10**9, 2, 3], [False, True, False]),
        "day": np.array(["2024-05-31T00:00", "NaT", "2024-05-31T14:30"], dtype="M8[us]"),
        "NA": pd.array([1, None, 3], dtype="Int64"),
        "mixed": [1, None, "x"],
    }
    worst = evaluate([1, 1, 1], [0.1, 0.2, 0.3], show=show, replicates=0).worst["forecast"]
    cells = [line.split() for line in str(worst).splitlines()[1:]]
    cut = "x" * 32 + "…" + "x" * 31
    assert cells[0][1:7] == ["a", "1", "1000000000", "2024-05-31", "1", "1"]
    assert cells[1][1:7] == ["-"] * 6
    assert cells[2][1:7] == [cut, "2.5", "3", "2024-05-31T14:30:00", "3", "x"]
    assert worst.beside["text"] == ("a", None, cut)
    for backend in ("pandas", "polars", "pyarrow"):
        assert pl.DataFrame(worst.to_frame(backend))["mixed"].to_list() == ["1", None, "x"]


def test_columns_called_as_ours_are_kept_apart() -> None:
    show = {"row": [7, 8], "outcome": ["died", "lived"], "p": [1, 2], "p low": [3, 4]}
    worst = evaluate([1, 0], [0.2, 0.3], show=show, replicates=0).worst["forecast"]
    names = [f"{name} (given)" for name in show]
    assert list(worst.columns()) == ["row", *names, "loss", "outcome", "p"]
    assert list(worst.to_frame("pandas").columns) == ["row", *names, "loss", "outcome", "p"]
    assert worst.to_dict()["row"] == [0, 1]
    assert worst.to_dict()["beside"]["row"] == [7, 8]


HOSTILE = "</script><img src=x onerror=alert(1)>\x1b[31m"


def test_values_are_data_on_the_page(tmp_path: Any) -> None:
    show = {HOSTILE: [HOSTILE] * ROWS}
    e = evaluate(Y, {"m": P}, show=show, replicates=0)
    page = properly.report.write(tmp_path / "page.html", e).read_text(encoding="utf-8")
    assert "<img src=x" not in page
    assert "\x1b" not in page
    assert page.count("<td><bdi>&lt;/script&gt;&lt;img src=x onerror=alert(1)&gt;\\x1b[31m") == 10
    assert "\x1b" not in str(e.worst["m"])


def test_without_rows_nothing_can_be_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("properly.engines._frame.MOST_ROWS", 10)
    with pytest.raises(DataError, match="show needs the rows in memory, up to 10;"):
        evaluate(FRAME, ["p"], outcome="y", show="patient")
