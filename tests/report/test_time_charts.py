"""Scores over time, and the evidence of a monitor."""

from __future__ import annotations

import datetime as dt
import json
import math
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest
from tests.report.chart_subjects import class_evaluation, evaluation, made, require_good, rows_of
from tests.report.threshold_subjects import NAMES

import properly
from properly._boundary._text import printable
from properly.comparison import over_time
from properly.report._page import page
from properly.report._time_charts import FEW_PERIODS, MOST_QUIET, evidence_chart, time_chart
from properly.report._vega import MOST_ROWS
from properly.rules import Brier

N = 1680
RISING = np.linspace(0.2, 0.8, N)
TURNS = np.arange(N) % 2 == 0


def at(time: Any, **more: Any) -> Any:
    """Draw scores at some times."""
    cases = properly.Cases(TURNS, RISING, time=time)
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
    chart = made(time_chart, evaluation())
    assert chart.alt.startswith("The Brier score in 3 periods from 2001 to 2003: plain ")
    assert "The event rate lies between" in chart.alt
    assert chart.table.head == ("period", "cases", "event rate", *NAMES)
    assert [row[:2] for row in chart.table.rows] == [(f"200{k}", "100") for k in (1, 2, 3)]
    long = at(np.arange(N) // 40, periods=MOST_ROWS + 5)
    assert len(long.table.rows) == MOST_ROWS
    assert long.table.rows[-1][0] == "41"


RNG = np.random.default_rng(9)
P = RNG.beta(1, 3, 500)
Y = (RNG.random(500) < P).astype(int)
HOSTILE = "<script>alert(1)</script>\n{{7*7}}"


@cache
def watched(**options: Any) -> properly.Monitor:
    """Watch the models of the evaluation, and one more, in groups of which one is hostile."""
    watch = properly.Monitor(against=HOSTILE, **options)
    y = np.where(np.arange(500) < 250, Y, 1)
    forecasts = {NAMES[0]: P, NAMES[1]: P / 2, HOSTILE: np.sqrt(P)}
    watch.add(y, forecasts, groups=np.where(np.arange(500) % 2, "even", HOSTILE))
    return watch


def chart_of(watch: properly.Monitor) -> Any:
    return made(evidence_chart, watch, evaluation())


def rows(chart: Any) -> list[dict[str, Any]]:
    """Return the corners of lines, each with what is told of its line."""
    told = {row["line"]: row for row in chart.spec["transform"][0]["from"]["data"]["values"]}
    return [row | told[row["line"]] for row in chart.spec["data"]["values"]]


def layer(chart: Any, kind: str) -> list[dict[str, Any]]:
    return [x for x in chart.spec["layer"] if x["mark"]["type"] == kind]


@pytest.mark.parametrize("options", [{}, {"run_length": 100.0}])
def test_evidence_is_valid_and_names_are_data(options: dict[str, Any]) -> None:
    chart = chart_of(watched(**options))
    require_good(chart)
    assert not any("\n" in row["claim"] for row in rows(chart))


def test_without_a_monitor_or_cases_there_is_no_chart() -> None:
    assert evidence_chart(None, evaluation()) is None
    assert evidence_chart(properly.Monitor(), evaluation()) is None
    assert 'id="monitor"' not in page(evaluation(), monitor=properly.Monitor())


def test_lines_are_those_of_the_record_and_end_at_the_edges() -> None:
    watch = watched()
    chart = chart_of(watch)
    low, high = chart.spec["layer"][0]["encoding"]["y"]["scale"]["domain"]
    for one in watch.evidence:
        own = [row for row in rows(chart) if row["claim"] == printable(one.claim)]
        known = {0: 0.0} | dict(zip(one.times.tolist(), one.path.tolist(), strict=True))
        assert own
        for row in own:
            if row["case"] in known:
                expected = np.clip(known[row["case"]] / math.log(10), low, high)
                assert row["evidence"] == pytest.approx(expected, rel=1e-3, abs=1e-3)


def test_alarms_are_marked_and_lines_named_at_their_ends() -> None:
    watch = watched()
    chart = chart_of(watch)
    (dots,) = layer(chart, "point")
    found = sorted(row["case"] for row in dots["data"]["values"])
    assert found == sorted(alarm.case for alarm in watch.alarms)
    assert len(found) > 2
    names = layer(chart, "text")[-1]["data"]["values"]
    loud = {x["claim"] for x in rows(chart) if not x["quiet"]}
    assert {row["claim"] for row in names} == loud
    pixels = chart.spec["height"] / np.diff(
        chart.spec["layer"][0]["encoding"]["y"]["scale"]["domain"]
    )
    heights = np.sort([row["evidence"] for row in names]) * pixels
    assert np.diff(heights).min() > 12


def test_models_without_a_switch_are_always_shown() -> None:
    chart = chart_of(watched())
    assert {row["model"] for row in rows(chart) if row["apart"]} == {HOSTILE}
    filters = [x for x in chart.spec["transform"] if "filter" in x]
    assert filters == [{"filter": "datum.apart || indexof(shown, datum.model) >= 0"}]
    # The models of the page keep their colours.
    scale = layer(chart, "line")[1]["encoding"]["color"]["scale"]
    assert scale["domain"] == [*NAMES, HOSTILE]


def test_of_many_groups_those_with_most_evidence_are_drawn_and_listed() -> None:
    watch = properly.Monitor()
    watch.add(Y, {"p": P}, groups=np.arange(500) % 60)
    chart = chart_of(watch)
    quiet = {row["line"] for row in rows(chart) if row["quiet"]}
    assert len(quiet) == MOST_QUIET
    assert len(chart.table.rows) == MOST_ROWS
    assert chart.table.title == "Claims, those nearest to an alarm of 61"
    # On a page that has no such model.
    assert {row["apart"] for row in rows(chart)} == {True}


@pytest.mark.parametrize("kind", ["event", "classes"])
def test_the_page_has_a_section_in_which_names_are_escaped(kind: str) -> None:
    watch = watched()
    text = page(evaluation() if kind == "event" else class_evaluation(), monitor=watch)
    _, _, section = text.partition('<section id="monitor"')
    assert ">Evidence over time</h2>" in section
    assert '<a href="#monitor">Evidence over time</a>' in text
    assert "<script>alert(1)" not in text
    assert "{{7*7}}" in text
    (numbers,) = [x for x in text.split("<script") if '"event_rate"' in x and '"alarms"' in x]
    record = json.loads(numbers.partition(">")[2].partition("</script>")[0])["monitor"]
    assert record["cases"] == 500
    assert [x["case"] for x in record["alarms"]] == [x.case for x in watch.alarms]
    assert not any("path" in x for x in record["evidence"])
