"""How good decisions are if the least certain cases are referred to somebody else."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from properly._boundary._plain import printable
from properly.report._chart import (
    Chart,
    Spec,
    Table,
    model_color,
    model_dash,
    only_shown,
    short,
    shown,
)
from properly.report._words import fixed, listed, percent

if TYPE_CHECKING:
    from properly.decisions._retention_areas import Retention
    from properly.evaluation._class_evaluation import ClassEvaluation

Row: TypeAlias = dict[str, Any]

HEIGHT = 300
# Shares that are put into the table.
LOOKED_UP = (0.0, 0.05, 0.1, 0.15, 0.2)
KAPPA = "quadratic_weighted_kappa"
WORDS = {KAPPA: "quadratic weighted kappa", "expected_cost": "error rate"}
LEAD = (
    "Each model decides for the likeliest class, and hands the cases that it is least sure of to "
    "somebody else: the further to the right, the more of them. The line shows the {metric} of the "
    "decisions that are left; {better} is better. A line that {improves} says that the model knows "
    "when it does not know."
)
SAID = {KAPPA: ("higher", "rises"), "expected_cost": ("lower", "falls")}


def retention_chart(evaluation: ClassEvaluation) -> Chart | None:
    """Draw a metric of the decisions that are left, as uncertain cases are referred."""
    curves = evaluation.retention
    if not curves:
        return None
    metric = next(iter(curves.values())).metric
    better, improves = SAID[metric]
    return Chart(
        name="retention",
        title="Referring the uncertain cases",
        lead=LEAD.format(metric=WORDS[metric], better=better, improves=improves),
        spec=_spec(curves, WORDS[metric]),
        alt=_alt(curves, WORDS[metric]),
        table=_table(curves, WORDS[metric]),
    )


def _spec(curves: dict[str, Retention], metric: str) -> Spec:
    names = list(curves)
    color = model_color(names)
    place: Spec = {
        "x": REFERRED | {"axis": {"format": "~%", "tickCount": 5}, "scale": {"nice": False}},
        "y": _value(metric) | {"axis": {"tickCount": 5}, "scale": {"zero": False}},
    }
    told = [
        {"field": "model", "type": "nominal", "title": "model"},
        REFERRED | {"format": ".0%"},
        {"field": "kept", "type": "quantitative", "title": "cases left", "format": ","},
        _value(metric) | {"format": ".4f"},
    ]
    line = {"color": color, "strokeDash": model_dash(names)}
    dot = {"type": "point", "filled": True}
    return {
        "width": "container",
        "height": HEIGHT,
        "params": [shown(names)],
        "data": {"values": _rows(curves)},
        "transform": [only_shown()],
        "encoding": place,
        "layer": [
            {"mark": {"type": "line", "strokeWidth": 2}, "encoding": line},
            {"mark": dot | {"size": 22, "opacity": 1}, "encoding": {"color": color}},
            # What a pointer finds is wider than what the eye sees.
            {"mark": dot | {"size": 180, "opacity": 0}, "encoding": {"tooltip": told}},
        ],
    }


REFERRED: Spec = {
    "field": "removed",
    "type": "quantitative",
    "title": "share of cases referred",
}


def _value(metric: str) -> Spec:
    return {"field": "value", "type": "quantitative", "title": metric}


def _rows(curves: dict[str, Retention]) -> list[Row]:
    return [
        {"model": name, "removed": short(removed), "value": short(value), "kept": kept}
        for name, curve in curves.items()
        for removed, value, kept in zip(
            curve.removed.tolist(), curve.value.tolist(), curve.kept.tolist(), strict=True
        )
    ]


def _alt(curves: dict[str, Retention], metric: str) -> str:
    told = [
        f"{printable(name)} from {fixed(curve.value[0], 3)} to {fixed(curve.value[-1], 3)}"
        for name, curve in curves.items()
    ]
    most = float(next(iter(curves.values())).removed[-1])
    return (
        f"If {percent(most)} of cases are referred, the {metric} of the rest goes: {listed(told)}."
    )


def _table(curves: dict[str, Retention], metric: str) -> Table:
    first = next(iter(curves.values())).removed
    places = [int(k) for k in np.flatnonzero(np.isin(first, LOOKED_UP))]
    rows = [
        (printable(name), *(fixed(float(curve.value[k]), 4) for k in places))
        for name, curve in curves.items()
    ]
    head = (metric, *(f"{100 * first[k]:g} % referred" for k in places))
    return Table(head, tuple(rows))
