"""ROC curves: how well cases are told apart."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from properly._boundary._text import printable
from properly.comparison._pairs import interval_name
from properly.report._chart import (
    MOST_POINTS,
    Chart,
    Spec,
    Table,
    model_color,
    model_dash,
    only_shown,
    short,
    shown,
    thinned,
)
from properly.report._words import chance, fixed, from_to

if TYPE_CHECKING:
    from properly.decisions._roc import RocCurve
    from properly.evaluation._record import Evaluation

SIZE = 340
# Points of all curves together, so that many models do not make a large page.
ALL_POINTS = 3000
# Pixels of a line of the list in the lower right corner.
LINE = 17
LEAD = (
    "Whoever acts on the cases with the highest forecasts finds this share of the events, at the "
    "price of that share of the non-events. The nearer to the upper left corner, the better; the "
    "diagonal is chance. AUC is the chance that an event had a higher forecast than a non-event. "
    "Only the order of the forecasts counts here: a model may be far off in what it says, and this "
    "picture would not show it."
)
ROWS = " Differences of AUC take the rows, which a summary does not keep."
DIAGONAL = [{"x": 0, "y": 0}, {"x": 1, "y": 1}]


def roc_chart(evaluation: Evaluation) -> Chart | None:
    """Draw true positives against false positives; None if all or none had the event."""
    if not any(math.isfinite(auc.value) for auc in evaluation.aucs.values()):
        return None
    return Chart(
        name="roc",
        title="How well cases are told apart (ROC)",
        lead=LEAD + (ROWS if evaluation.summed and len(evaluation.aucs) > 1 else ""),
        spec=_spec(evaluation),
        alt=_alt(evaluation),
        table=_table(evaluation),
        below=_differences(evaluation),
    )


def _spec(evaluation: Evaluation) -> Spec:
    names = list(evaluation.roc)
    most = min(MOST_POINTS, ALL_POINTS // len(names))
    rows = [{"model": name} | _corners(curve, most) for name, curve in evaluation.roc.items()]
    unfolded = {"flatten": ["fpr", "tpr", "from"], "as": ["x", "y", "threshold"]}
    return {
        "width": SIZE,
        "height": SIZE,
        "params": [shown(names)],
        "layer": [
            _diagonal(),
            {
                "data": {"name": "curves", "values": rows},
                "transform": [only_shown(), unfolded],
                "layer": _curves(names),
            },
            _list(evaluation),
        ],
    }


def _corners(curve: RocCurve, most: int) -> dict[str, list[float | None]]:
    """Return the curve as lists; above the highest forecast there is no threshold to tell."""
    columns = curve.false_positive_rate, curve.true_positive_rate, curve.threshold
    along = columns[0] + columns[1]
    named = zip(("fpr", "tpr", "from"), thinned(*columns, most=most, along=along), strict=True)
    return {name: [short(x) for x in column.tolist()] for name, column in named}


def _place() -> Spec:
    titles = {"x": "share of non-events acted on", "y": "share of events acted on"}
    return {
        field: {
            "field": field,
            "type": "quantitative",
            "scale": {"domain": [0, 1], "nice": False},
            "axis": {"title": title, "format": "~%", "tickCount": 5},
        }
        for field, title in titles.items()
    }


def _diagonal() -> Spec:
    mark = {"type": "line", "color": "currentColor", "opacity": 0.5, "strokeDash": [5, 3]}
    return {"data": {"values": DIAGONAL}, "mark": mark, "encoding": _place()}


def _curves(names: list[str]) -> list[Spec]:
    place = _place() | {"color": model_color(names)}
    # Not the nearest point: Vega-Lite then loses the name in the tooltip.
    select = {"type": "point", "on": "pointerover", "clear": "pointerout"}
    pointed = {"name": "pointed", "select": select | {"fields": ["model", "x", "y"]}}
    visible = {"condition": {"param": "pointed", "empty": False, "value": 1}, "value": 0}
    tooltip = [
        {"field": "model", "type": "nominal", "title": "model"},
        {"field": "y", "type": "quantitative", "title": "of the events", "format": ".1%"},
        {"field": "x", "type": "quantitative", "title": "of the non-events", "format": ".1%"},
        {"field": "threshold", "type": "quantitative", "title": "forecasts from", "format": ".4f"},
    ]
    return [
        {
            "mark": {"type": "line", "strokeWidth": 2},
            "encoding": place
            | {"strokeDash": model_dash(names), "order": {"field": "x", "type": "quantitative"}},
        },
        {
            "params": [pointed],
            "transform": [
                # At the first point nobody is acted on. Fewer points will do to be hit.
                {"filter": "isValid(datum.threshold)"},
                {"window": [{"op": "row_number", "as": "row"}], "groupby": ["model"]},
                {"filter": "datum.row % 3 == 1"},
            ],
            "mark": {"type": "point", "filled": True, "size": 80},
            "encoding": place | {"opacity": visible, "tooltip": tooltip},
        },
    ]


def _list(evaluation: Evaluation) -> Spec:
    """List the areas under the curves in the lower right corner, the greatest first."""
    rows = [{"model": name, "auc": short(x.value)} for name, x in evaluation.aucs.items()]
    order = [{"field": "auc", "order": "descending"}]
    text: Spec = {"type": "text", "align": "right", "color": "currentColor", "fontSize": 12}
    top = SIZE - LINE * len(rows) - 12
    y = {"field": "line", "type": "quantitative", "scale": None, "axis": None}
    name = {"field": "model", "type": "nominal"}
    auc = {"field": "auc", "type": "quantitative", "format": ".3f"}
    right = {"x": {"value": SIZE - 4}}
    return {
        "data": {"values": rows},
        "transform": [
            only_shown(),
            {"window": [{"op": "row_number", "as": "row"}], "sort": order},
            {"calculate": f"{top} + {LINE} * datum.row", "as": "line"},
        ],
        "layer": [
            {
                "data": {"values": [{}]},
                "mark": text | {"text": "AUC", "fontWeight": 600},
                "encoding": right | {"y": {"value": top}},
            },
            {
                "mark": text | {"limit": 170},
                "encoding": {"x": {"value": SIZE - 46}, "y": y, "text": name},
            },
            {"mark": text, "encoding": right | {"y": y, "text": auc}},
        ],
    }


def _alt(evaluation: Evaluation) -> str:
    ranked = sorted(evaluation.aucs.items(), key=lambda item: -item[1].value)
    listing = ", ".join(f"{printable(name)} {estimate.value:.3f}" for name, estimate in ranked)
    return f"Area under the ROC curve, the greatest first: {listing}. Chance has 0.5."


def _table(evaluation: Evaluation) -> Table:
    rows = [
        (printable(name), fixed(x.value, 4), from_to(x.interval, 4))
        for name, x in evaluation.aucs.items()
    ]
    return Table(("model", "AUC", f"{100 * evaluation.level:g} % interval"), tuple(rows))


def _differences(evaluation: Evaluation) -> Table | None:
    """Compare the greatest area with each other one; that takes rows, and two models."""
    comparison = evaluation.auc_differences
    if comparison is None:
        return None
    best, *others = sorted(evaluation.aucs, key=lambda name: -evaluation.aucs[name].value)
    rows = tuple(
        (
            printable(other),
            fixed(pair.difference, 4, sign=True),
            from_to(pair.simultaneous, 4),
            chance(pair.adjusted_p_value),
        )
        for other, pair in ((other, comparison[best, other]) for other in others)
    )
    head = (f"{printable(best)} against", "difference", interval_name(comparison), "adjusted p")
    return Table(head, rows, "AUC differences")
