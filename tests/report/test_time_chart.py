"""Scores over time on the page."""

from __future__ import annotations

import datetime as dt
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from tests.report.chart_subjects import evaluation, rows_of
from tests.report.threshold_subjects import NAMES

import properly
from properly.comparison import over_time
from properly.report._time_charts import FEW_PERIODS, time_chart
from properly.report._vega import MOST_ROWS
from properly.rules import Brier

N = 1680
P = np.linspace(0.2, 0.8, N)
Y = np.arange(N) % 2 == 0


def at(time: Any, **more: Any) -> Any:
    """Draw scores at some times."""
    cases = properly.Cases(Y, P, time=time)
    chart = time_chart(
        replace(evaluation(), over_time={"plain": over_time(cases, Brier(), **more)})
    )
    assert chart is not None
    return chart


def test_numbers_are_those_of_the_record() -> None:
    rows = rows_of(time_chart(evaluation()))
    for name, record in evaluation().over_time.items():
        own = [row for row in rows if row["model"] == name]
        assert [row["period"] for row in own] == ["2001", "2002", "2003"]
        fields = {"rate": "event_rate", "forecast": "mean_forecast"}
        for field in ("score", "lower", "upper", "rate", "forecast"):
            column = getattr(record, fields.get(field, field))
            np.testing.assert_allclose([row[field] for row in own], column, rtol=1e-4)


def test_a_few_periods_stand_side_by_side_with_bars() -> None:
    chart = time_chart(evaluation())
    assert chart is not None
    upper = chart.spec["vconcat"][0]
    assert [layer["mark"]["type"] for layer in upper["layer"]] == ["rule", "point"]
    assert upper["layer"][1]["encoding"]["x"]["type"] == "ordinal"
    assert upper["layer"][1]["encoding"]["xOffset"]["scale"]["domain"] == list(NAMES)
    assert chart.wide


def test_many_periods_have_a_line_with_a_ribbon() -> None:
    chart = at(np.arange(N), periods=FEW_PERIODS + 4)
    upper = chart.spec["vconcat"][0]
    assert [layer["mark"]["type"] for layer in upper["layer"]] == ["area", "line", "point"]
    assert chart.wide
    places = [row["time"] for row in rows_of(chart)]
    assert places[:2] == [83.5, 251.5]


@pytest.mark.parametrize("kind", ["numpy", "python"])
def test_dates_are_placed_in_the_middle_of_their_period(kind: str) -> None:
    time = np.datetime64("2020-01-01") + np.arange(N)
    chart = at(time if kind == "numpy" else time.astype(object), periods=10)
    x = chart.spec["vconcat"][0]["layer"][1]["encoding"]["x"]
    assert x["type"] == "temporal"
    assert x["scale"]["type"] == "utc"
    assert x["axis"]["format"] == "%b %Y"
    assert rows_of(chart)[0]["time"] == "2020-03-24T12:00:00Z"


def test_dates_with_time_zones_become_universal_time() -> None:
    zone = dt.timezone(dt.timedelta(hours=5))
    start = dt.datetime(2020, 1, 1, tzinfo=zone)
    chart = at(np.array([start + dt.timedelta(days=k // 168) for k in range(N)], dtype=object))
    assert len(rows_of(chart)) == 10
    assert rows_of(chart)[0]["time"] == "2019-12-31T19:00:00Z"


def test_a_period_with_too_few_cases_has_no_point_and_no_event_rate() -> None:
    chart = at(np.where(np.arange(N) < 5, 1, 2 + np.arange(N) // 240))
    first = rows_of(chart)[0]
    assert first["score"] is first["lower"] is first["rate"] is None
    lower = chart.spec["vconcat"][1]
    rates = [layer["data"]["values"] for layer in lower["layer"] if "data" in layer]
    assert all(row["rate"] is not None for values in rates for row in values)
    assert chart.table.rows[0] == ("1", "5", "–", "–")


def test_alt_and_table_tell_the_numbers() -> None:
    chart = time_chart(evaluation())
    assert chart is not None
    assert chart.alt.startswith("The Brier score in 3 periods from 2001 to 2003: plain ")
    assert "The event rate lies between" in chart.alt
    assert chart.table is not None
    assert chart.table.head == ("period", "cases", "event rate", *NAMES)
    assert [row[:2] for row in chart.table.rows] == [
        ("2001", "100"),
        ("2002", "100"),
        ("2003", "100"),
    ]
    long = at(np.arange(N) // 40, periods=MOST_ROWS + 5)
    assert len(long.table.rows) == MOST_ROWS
    assert long.table.rows[-1][0] == "41"
