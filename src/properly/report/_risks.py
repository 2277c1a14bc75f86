"""Risk distributions: the forecasts of those who had the event, and of those who had not."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from properly._boundary._text import printable
from properly.report._chart import (
    PANEL,
    Chart,
    Spec,
    Table,
    facet,
    model_color,
    only_shown,
    shown,
)
from properly.report._reliability import COLUMNS, frame_of
from properly.report._words import percent

if TYPE_CHECKING:
    from properly.decisions._roc import RocCurve
    from properly.evaluation._record import Evaluation
    from properly.report._reliability import Frame
    from properly.typing import Column


HEIGHT, BARS = 170, 30
KINDS = ("event", "other")
LEAD = (
    "Above the line stand the forecasts of cases with the event, below it those of all others. "
    "Each side has a scale of its own, which all panels share. The further apart the two are, the "
    "better a model tells them apart; that they are apart does not say that forecasts are right."
)
HEAD = ("model", "mean forecast, events", "mean forecast, others", "difference")


def risks_chart(evaluation: Evaluation) -> Chart | None:
    """Draw the forecasts by what happened, one panel a model; there must be some of both."""
    if not 0 < evaluation.event_rate < 1:
        return None
    records = evaluation.reliability
    frame = frame_of(records.values(), evaluation.event_rate)
    rows = [
        {"model": name, "panel": k} | bars
        for k, (name, curve) in enumerate(evaluation.roc.items())
        for bars in _bars(curve, frame)
    ]
    return Chart(
        name="risks",
        title="Risk distributions: how far apart are events and others?",
        lead=f"{LEAD} The axis has a square-root scale." if frame.root else LEAD,
        spec=_spec(list(evaluation.roc), rows, frame),
        alt=_alt(evaluation),
        table=_table(evaluation),
        wide=True,
    )


def _bars(curve: RocCurve, frame: Frame) -> list[Spec]:
    """Count shares between equally wide steps, from what the ROC curve has at each of them."""
    edges = np.array([frame.at(k / BARS) for k in range(BARS)])
    # From the highest forecast down, the last point at or above an edge has all that lie there.
    reached = np.searchsorted(-curve.threshold, -edges, side="right") - 1
    rows = []
    rates = curve.true_positive_rate, curve.false_positive_rate
    for kind, rate in zip(KINDS, rates, strict=True):
        share = -np.diff(rate[reached], append=0.0)
        kept = np.flatnonzero(share > 0)
        parts = [float(f"{x:.3g}") for x in share[kept].tolist()]
        rows.append({"kind": kind, "step": kept.tolist(), "part": parts})
    return rows


def _spec(names: list[str], rows: list[Spec], frame: Frame) -> Spec:
    return {
        "params": [shown(names), {"name": "names", "value": [printable(name) for name in names]}],
        "data": {"values": rows},
        "transform": _transform(rows, frame),
        "facet": facet("panel", "names", PANEL),
        "columns": COLUMNS,
        "resolve": {"axis": {"x": "independent", "y": "independent"}},
        "spec": {"width": PANEL, "height": HEIGHT, "layer": _layers(names, frame)},
    }


def _transform(rows: list[Spec], frame: Frame) -> list[Spec]:
    """Say where bars stand and how high: events above the line, others below it."""
    happened = "datum.kind == 'event'"
    most = {k: max(x for row in rows if row["kind"] == k for x in row["part"]) for k in KINDS}
    height = f"{happened} ? datum.share / {most['event']} : -datum.share / {most['other']}"
    return [
        only_shown(),
        {"flatten": ["step", "part"], "as": ["k", "share"]},
        {"calculate": _at_step("datum.k", frame), "as": "x"},
        {"calculate": _at_step("(datum.k + 1)", frame), "as": "x2"},
        {"calculate": height, "as": "height"},
        {"calculate": f"{happened} ? 'cases with the event' : 'all others'", "as": "who"},
    ]


def _layers(names: list[str], frame: Frame) -> list[Spec]:
    """Draw the bars, and the line between events and others."""
    axis = {"title": "forecast"} | frame.axis
    bare = {"title": "others | events", "labels": False, "ticks": False, "grid": False}
    scale = {"domain": [-1, 1], "nice": False}
    grey = {"condition": {"test": "datum.kind == 'other'", "value": "#8a939c"}}
    encoding = {
        "x": {"field": "x", "type": "quantitative", "scale": frame.scale, "axis": axis},
        "x2": {"field": "x2"},
        "y": {"field": "height", "type": "quantitative", "scale": scale, "axis": bare},
        "y2": {"datum": 0},
        "color": grey | model_color(names),
        "tooltip": [
            {"field": "model", "type": "nominal", "title": "model"},
            {"field": "who", "type": "nominal", "title": "of"},
            {"field": "x", "type": "quantitative", "title": "forecasts from", "format": ".2~%"},
            {"field": "x2", "type": "quantitative", "title": "to", "format": ".2~%"},
            {"field": "share", "type": "quantitative", "title": "share", "format": ".1%"},
        ],
    }
    line = {"data": {"values": [{}]}, "mark": {"type": "rule", "opacity": 0.5}}
    return [
        {"mark": {"type": "rect", "clip": True, "opacity": 0.85}, "encoding": encoding},
        line | {"encoding": {"y": {"datum": 0}}},
    ]


def _at_step(step: str, frame: Frame) -> str:
    """Say where a step is, as an expression."""
    return f"{frame.top} * pow({step} / {BARS}, {2 if frame.root else 1})"


def _means(curve: RocCurve) -> tuple[float, float]:
    """Return the mean forecast of events and of others."""
    value: Column = curve.threshold[1:]
    rates = curve.true_positive_rate, curve.false_positive_rate
    events, others = (float(value @ np.diff(rate)) for rate in rates)
    return events, others


def _alt(evaluation: Evaluation) -> str:
    told = []
    for name, curve in evaluation.roc.items():
        events, others = _means(curve)
        told.append(f"{printable(name)} {percent(events)} against {percent(others)}")
    return f"Mean forecast of cases with the event against that of all others: {'; '.join(told)}."


def _table(evaluation: Evaluation) -> Table:
    rows = []
    for name, curve in evaluation.roc.items():
        events, others = _means(curve)
        rows.append((printable(name), *(percent(x, 3) for x in (events, others, events - others))))
    return Table(HEAD, tuple(rows))
