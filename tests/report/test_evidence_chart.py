"""Evidence of a monitor on the page."""

from __future__ import annotations

import json
import math
from functools import cache
from typing import Any

import altair as alt
import numpy as np
import pytest
from tests.report.chart_subjects import class_evaluation, evaluation, obeyed, with_little_data
from tests.report.threshold_subjects import NAMES

import properly
from properly._boundary._text import printable
from properly.errors import ArgumentTypeError
from properly.report._page import page
from properly.report._time_charts import MOST_QUIET, MOST_ROWS, evidence_chart

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
    chart = evidence_chart(watch, evaluation())
    assert chart is not None
    return chart


def rows(chart: Any) -> list[dict[str, Any]]:
    """Return the corners of lines, each with what is told of its line."""
    told = {row["line"]: row for row in chart.spec["transform"][0]["from"]["data"]["values"]}
    return [row | told[row["line"]] for row in chart.spec["data"]["values"]]


def layer(chart: Any, kind: str) -> list[dict[str, Any]]:
    return [x for x in chart.spec["layer"] if x["mark"]["type"] == kind]


def test_it_is_valid_and_names_are_data() -> None:
    for options in ({}, {"run_length": 100.0}):
        chart = chart_of(watched(**options))
        spec = with_little_data(json.loads(json.dumps(chart.spec, allow_nan=False)))
        alt.TopLevelSpec.validate(spec)
        assert {"name": "shown", "value": list(NAMES)} in chart.spec["params"]
        for words in obeyed(chart.spec):
            assert not any(part in words for part in ("script", "{{", "<b>", "plain"))
        assert not any("\n" in row["claim"] for row in rows(chart))
        assert chart.alt.endswith(".")
        assert all(len(row) == len(chart.table.head) for row in chart.table.rows)


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


def test_what_is_no_monitor_is_refused() -> None:
    given: Any = "watch.json"
    with pytest.raises(ArgumentTypeError) as error:
        page(evaluation(), monitor=given)
    assert str(error.value) == (
        "monitor must be a properly.Monitor; got str\n\nHint: properly.Monitor.load reads a state."
    )
    board = properly.leaderboard(properly.datasets.tournament(40).answers, rng=1)
    with pytest.raises(ArgumentTypeError) as other:
        page(board, monitor=watched())
    assert str(other.value) == "monitor goes with an Evaluation; got a Leaderboard"
