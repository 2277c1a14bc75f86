"""How well forecasts separate events from other cases: ROC curves and risk distributions."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from properly._boundary._text import printable
from properly.comparison._pairs import interval_name
from properly.report import _vega as vega
from properly.report._page_words import chance, fixed, from_to, lead_of, percent
from properly.report._reliability_chart import COLUMNS, frame_of
from properly.report._vega import Chart, NumberTable, short

if TYPE_CHECKING:
    from properly.decisions._roc import RocCurve
    from properly.evaluation._record import Evaluation
    from properly.report._reliability_chart import Frame
    from properly.report._vega import Spec
    from properly.typing import Column

SIZE = 340
# Points of all curves together, so that many models do not make a large page.
ALL_POINTS = 3000
# Pixels of a line of the list in the lower right corner.
LINE = 17
DIAGONAL = [{"x": 0, "y": 0}, {"x": 1, "y": 1}]
HEIGHT, BARS = 170, 30
KINDS = ("event", "other")
RISKS_HEAD = ("model", "mean forecast, events", "mean forecast, others", "difference")


def roc_chart(evaluation: Evaluation) -> Chart | None:
    """Draw true positives against false positives; None if all or none had the event."""
    if not any(math.isfinite(auc.value) for auc in evaluation.aucs.values()):
        return None
    summed = ["summed"] * (evaluation.summed and len(evaluation.aucs) > 1)
    return Chart(
        "roc",
        lead_of("roc", "lead", *summed),
        _roc_spec(evaluation),
        _roc_alt(evaluation),
        _roc_table(evaluation),
        _differences(evaluation),
    )


def _roc_spec(evaluation: Evaluation) -> Spec:
    names = list(evaluation.roc)
    most = min(vega.MOST_POINTS, ALL_POINTS // len(names))
    rows = [{"model": name} | _corners(curve, most) for name, curve in evaluation.roc.items()]
    unfolded = vega.unfold("fpr", "tpr", "from", to=("x", "y", "threshold"))
    dashed = vega.ink("line", opacity=0.5, strokeDash=[5, 3])
    curves = {"data": {"name": "curves", "values": rows}, "layer": _curves(names)}
    return {
        "width": SIZE,
        "height": SIZE,
        "params": [vega.shown(names)],
        "layer": [
            vega.layer(dashed, _rates(), values=DIAGONAL),
            curves | {"transform": vega.kept(vega.SHOWN, unfolded)},
            _areas(evaluation),
        ],
    }


def _corners(curve: RocCurve, most: int) -> dict[str, list[float | None]]:
    """Return the curve as lists; above the highest forecast there is no threshold."""
    columns = curve.false_positive_rate, curve.true_positive_rate, curve.threshold
    points = vega.thinned(*columns, most=most, along=columns[0] + columns[1])
    return dict(zip(("fpr", "tpr", "from"), map(vega.shortened, points), strict=True))


def _rates() -> Spec:
    titles = {"x": "share of non-events acted on", "y": "share of events acted on"}
    axis, scale = {"format": "~%", "tickCount": 5}, vega.from_to(0, 1)
    return {
        field: vega.measure(field, scale=scale, axis=axis | {"title": title})
        for field, title in titles.items()
    }


def _curves(names: list[str]) -> list[Spec]:
    place = _rates() | {"color": vega.model_color(names)}
    titles = {
        "model": "model",
        "y": ("of the events", ".1%"),
        "x": ("of the non-events", ".1%"),
        "threshold": ("forecasts from", ".4f"),
    }
    line = {"strokeDash": vega.model_dash(names), "order": vega.measure("x")}
    pointed = {"opacity": vega.POINTED, "tooltip": vega.hover(titles)}
    steps: list[Spec | str] = [
        # At the first point nobody is acted on. Fewer points will do to be hit.
        "isValid(datum.threshold)",
        {"window": [vega.ROW_NUMBER], "groupby": ["model"]},
        "datum.row % 3 == 1",
    ]
    return [
        vega.layer(vega.mark("line", strokeWidth=2), place | line),
        vega.layer(vega.dot(80), place | pointed, *steps) | vega.pointer("x", "y"),
    ]


def _areas(evaluation: Evaluation) -> Spec:
    """List the areas under the curves in the lower right corner, the greatest first."""
    rows = [{"model": name, "auc": short(x.value)} for name, x in evaluation.aucs.items()]
    text = vega.ink("text", align="right", fontSize=12)
    top = SIZE - LINE * len(rows) - 12
    y, right = {"y": vega.pixels("line")}, {"x": {"value": SIZE - 4}}
    name = {"x": {"value": SIZE - 46}, "text": vega.category("model")}
    area = {"text": vega.measure("auc", format=".3f")}
    title = text | {"text": "AUC", "fontWeight": 600}
    put = {"calculate": f"{top} + {LINE} * datum.row", "as": "line"}
    return {
        "data": {"values": rows},
        "transform": vega.kept(vega.SHOWN, vega.numbered("auc", "descending"), put),
        "layer": [
            vega.layer(title, right | {"y": {"value": top}}, values=[{}]),
            vega.layer(text | {"limit": 170}, name | y),
            vega.layer(text, right | y | area),
        ],
    }


def _roc_alt(evaluation: Evaluation) -> str:
    ranked = sorted(evaluation.aucs.items(), key=lambda item: -item[1].value)
    listing = ", ".join(f"{printable(name)} {estimate.value:.3f}" for name, estimate in ranked)
    return f"Area under the ROC curve, the greatest first: {listing}. Chance has 0.5."


def _roc_table(evaluation: Evaluation) -> NumberTable:
    rows = [
        (name, fixed(x.value, 4), from_to(x.interval, 4)) for name, x in evaluation.aucs.items()
    ]
    return NumberTable(("model", "AUC", f"{100 * evaluation.level:g} % interval"), rows)


def _differences(evaluation: Evaluation) -> NumberTable | None:
    """Compare the greatest area with each other one; that takes rows, and two models."""
    comparison = evaluation.auc_differences
    if comparison is None:
        return None
    best, *others = sorted(evaluation.aucs, key=lambda name: -evaluation.aucs[name].value)
    pairs = {other: comparison[best, other] for other in others}
    rows = [
        (
            other,
            fixed(pair.difference, 4, sign=True),
            from_to(pair.simultaneous, 4),
            chance(pair.adjusted_p_value),
        )
        for other, pair in pairs.items()
    ]
    head = (f"{best} against", "difference", interval_name(comparison), "adjusted p")
    return NumberTable(head, rows, "AUC differences")


def risks_chart(evaluation: Evaluation) -> Chart | None:
    """Draw the forecasts by what happened, one panel per model; there must be some of both."""
    if not 0 < evaluation.event_rate < 1:
        return None
    frame = frame_of(evaluation.reliability.values(), evaluation.event_rate)
    rows = [
        {"model": name, "panel": k} | bars
        for k, (name, curve) in enumerate(evaluation.roc.items())
        for bars in _bars(curve, frame)
    ]
    names = list(evaluation.roc)
    panel = {"width": vega.PANEL, "height": HEIGHT, "layer": _sides(names, frame)}
    steps = _transform(rows, frame)
    means = {name: _means(curve) for name, curve in evaluation.roc.items()}
    pairs = [
        f"{printable(name)} {percent(a)} against {percent(b)}" for name, (a, b) in means.items()
    ]
    table = [(name, *(percent(x, 3) for x in (a, b, a - b))) for name, (a, b) in means.items()]
    return Chart(
        "risks",
        lead_of("risks", "lead", *["root"] * frame.root),
        vega.model_panels(names, rows, panel, vega.PANEL, COLUMNS, transform=steps),
        f"Mean forecast of cases with the event against all others: {'; '.join(pairs)}.",
        NumberTable(RISKS_HEAD, table),
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


def _transform(rows: list[Spec], frame: Frame) -> list[Spec]:
    """Say where bars stand and how high: events above the line, others below it."""
    happened = "datum.kind == 'event'"
    most = {k: max(x for row in rows if row["kind"] == k for x in row["part"]) for k in KINDS}
    height = f"{happened} ? datum.share / {most['event']} : -datum.share / {most['other']}"
    fields = {
        "x": _at_step("datum.k", frame),
        "x2": _at_step("(datum.k + 1)", frame),
        "height": height,
        "who": f"{happened} ? 'cases with the event' : 'all others'",
    }
    return vega.kept(
        vega.SHOWN,
        vega.unfold("step", "part", to=("k", "share")),
        *({"calculate": expression, "as": name} for name, expression in fields.items()),
    )


def _sides(names: list[str], frame: Frame) -> list[Spec]:
    """Draw the bars, and the line between events and others."""
    bare = {"title": "others | events", "labels": False, "ticks": False, "grid": False}
    grey = {"condition": {"test": "datum.kind == 'other'", "value": "#8a939c"}}
    words, ends = {"model": "model", "who": "of"}, {"x": "forecasts from", "x2": "to"}
    titles = words | {field: (title, ".2~%") for field, title in ends.items()}
    encoding = {
        "x": vega.measure("x", scale=frame.scale, axis={"title": "forecast"} | frame.axis),
        "x2": {"field": "x2"},
        "y": vega.measure("height", scale=vega.from_to(-1, 1), axis=bare),
        "y2": {"datum": 0},
        "color": grey | vega.model_color(names),
        "tooltip": vega.hover(titles | {"share": ("share", ".1%")}),
    }
    return [
        vega.layer(vega.mark("rect", clip=True, opacity=0.85), encoding),
        vega.layer(vega.mark("rule", opacity=0.5), {"y": {"datum": 0}}, values=[{}]),
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
