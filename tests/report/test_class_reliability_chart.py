"""Reliability diagrams of classes, one panel a question."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from properly import evaluate
from properly.report._page_words import few
from properly.report._reliability_chart import reliability_chart
from properly.report._vega import Chart, short

RNG = np.random.default_rng(12)
P = RNG.dirichlet([1.0, 2.0, 1.5], 120)
Y = np.array([RNG.choice(3, p=row) for row in P])
Q = P**2 / np.sum(P**2, axis=1, keepdims=True)
LABELS = ["none", "minor", "severe"]
HOSTILE = "</script><b>'\"{{1}}\x1b[2J\n\u202e"


def evaluated(task: Any = "ordinal", **options: Any) -> Any:
    defaults: dict[str, Any] = {"labels": LABELS, "rng": 1, "replicates": 9}
    models = options.pop("models", {"sharp": Q, "plain": P})
    return evaluate(Y, models, task=task, **(defaults | options))


ORDINAL = evaluated()


def drawn(evaluation: Any) -> Chart:
    chart = reliability_chart(evaluation)
    assert chart is not None
    return chart


def rows(chart: Chart, kind: str, **where: Any) -> list[dict[str, Any]]:
    fields = where | {"kind": kind}
    return [row for row in chart.spec["data"]["values"] if fields.items() <= row.items()]


def test_bins_are_those_of_the_records() -> None:
    chart = drawn(ORDINAL)
    for name, by_question in ORDINAL.reliability.items():
        for k, record in enumerate(by_question.values()):
            bin_rows = rows(chart, "bin", model=name, question=k)
            bins = record.bins
            columns = {"x": bins.x_min, "x2": bins.x_max, "y": bins.event_rate}
            for field, column in columns.items():
                assert [row[field] for row in bin_rows] == [short(x) for x in column]
            assert [row["cases"] for row in bin_rows] == [str(n) for n in bins.weight]


def test_bands_lie_where_there_are_forecasts_and_are_those_of_the_records() -> None:
    chart = drawn(ORDINAL)
    record = ORDINAL.reliability["plain"]["severe"]
    band = rows(chart, "band", model="plain", question=1)
    x = np.array([row["x"] for row in band])
    assert (x[0], x[-1]) == (short(record.value[0]), short(record.value[-1]))
    lower, upper = record.band.at(np.clip(x, record.value[0], record.value[-1]))
    assert [row["y"] for row in band] == pytest.approx(lower, abs=1e-4)
    assert [row["y2"] for row in band] == pytest.approx(np.minimum(upper, 1), abs=1e-4)


def test_a_band_is_seen_if_one_model_is_left() -> None:
    layers = drawn(ORDINAL).spec["spec"]["layer"]
    alone = [
        layer["transform"][-1]["filter"]
        for layer in layers
        if "condition" in layer.get("encoding", {}).get("opacity", {})
    ]
    tests = {
        layer["encoding"]["opacity"]["condition"]["test"]
        for layer in layers
        if "condition" in layer.get("encoding", {}).get("opacity", {})
    }
    assert tests == {"length(shown) == 1"}
    assert alone == ["indexof(shown, datum.model) >= 0", "datum.kind == 'note'"]
    shown = {"filter": "indexof(shown, datum.model) >= 0"}
    unswitched = [
        layer["transform"][0]["filter"] for layer in layers if shown not in layer["transform"]
    ]
    assert unswitched == ["datum.kind == 'diagonal'"]


def test_a_panel_says_what_recalibration_would_save() -> None:
    chart = drawn(ORDINAL)
    (note,) = rows(chart, "note", model="sharp", question=0)
    part = ORDINAL.decompositions["sharp"]["rps"]["minor or higher"]
    assert note["note"] == f"MCB {few(part.miscalibration)} · DSC {few(part.discrimination)}"
    assert chart.table is not None
    assert chart.table.rows[0][:2] == ("minor or higher", "sharp")
    assert chart.table.rows[0][4] == few(part.miscalibration, 3)


def test_questions_are_cuts_if_there_is_an_order_and_else_classes() -> None:
    chart = drawn(ORDINAL)
    params = {param["name"]: param["value"] for param in chart.spec["params"]}
    assert params == {"shown": ["sharp", "plain"], "questions": ["minor or higher", "severe"]}
    assert "this class or a higher one" in chart.lead
    chart = drawn(evaluated("multiclass", replicates=0))
    params = {param["name"]: param["value"] for param in chart.spec["params"]}
    assert params["questions"] == LABELS
    assert "higher one" not in chart.lead


def strings(x: Any, path: str = "") -> Any:
    """Yield every text of a specification, and where it stands."""
    if isinstance(x, dict):
        for key, value in x.items():
            assert HOSTILE not in key
            yield from strings(value, f"{path}.{key}")
    elif isinstance(x, list):
        for value in x:
            yield from strings(value, path)
    elif isinstance(x, str):
        yield path, x


def test_many_questions_of_many_models_stay_a_small_page() -> None:
    rng = np.random.default_rng(3)
    models = {f"model {k}": rng.dirichlet(np.ones(12), 300) for k in range(5)}
    e = evaluate(rng.integers(0, 12, 300), models, task="multiclass", replicates=0)
    chart = drawn(e)
    assert len(chart.spec["params"][1]["value"]) == 12
    assert len(json.dumps(chart.spec)) < 300_000
    assert chart.table is not None
    assert len(chart.table.rows) == 30
