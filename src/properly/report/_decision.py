"""Decision curves: net benefit at each threshold."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from properly._boundary._record import printable
from properly.counts._baselines import TREAT_ALL, TREAT_NONE
from properly.decisions._net_benefit import without_model
from properly.report._chart import Chart, Spec, Table, model_color, model_dash, shown
from properly.report._threshold_axis import (
    DASHED,
    PLAIN,
    View,
    as_percent,
    beside,
    by_view,
    decimals,
    drawn_at,
    grid,
    looked_up,
    placed_words,
    seen,
    series,
    threshold_axis,
    unfolded,
    views,
    zoom_words,
    zoomed,
)
from properly.report._words import fixed

if TYPE_CHECKING:
    from properly.evaluation._record import Evaluation

HEIGHT = 320
# The picture ends so far below zero, and above the event rate, in event rates.
BELOW, ABOVE = 0.25, 1.1
# Where nothing is gained, as much of the event rate is seen.
LEAST = 0.05
# A name stands no further to the right than this, as a share of what is seen.
LAST = 0.85
# Pixels: a line of the list, how wide it is with a gap, and how wide a chart has no room for it.
LINE, BESIDE, NARROW = 17, 340, 640
# Rows of models that are switched on, and of what needs no model.
SHOWN: Spec = {"filter": "datum.baseline || indexof(shown, datum.model) >= 0"}
AT_RULE: Spec = {"filter": {"param": "at", "empty": False}}


def decision_chart(evaluation: Evaluation) -> Chart:
    """Draw the net benefit of models, of acting on all and of acting on none."""
    return Chart(
        name="decision",
        title="What decisions gain",
        lead=(
            "Net benefit is the share of events that were acted on, less that of false alarms at "
            "the price that the threshold puts on them. The higher, the better. To act "
            "on nobody gains nothing, and the most there is to gain is the event rate, "
            f"{evaluation.event_rate:.4g}. Below a dashed line a model does harm; what falls far "
            "below zero is cut off. Point at a threshold to read all numbers there."
        ),
        spec=_spec(evaluation),
        alt=_alt(evaluation),
        table=_table(evaluation),
        wide=True,
        zoom=zoom_words(evaluation),
    )


def _spec(evaluation: Evaluation) -> Spec:
    names = list(evaluation.decision)
    curves = [(name, False, curve) for name, curve in evaluation.decision.items()]
    plain = [(name, True, curve) for name, curve in without_model(evaluation.event_rate).items()]
    at, rows = drawn_at(evaluation), []
    for name, baseline, curve in curves + plain:
        # A jump at 0 itself would lie on the axis.
        heights = np.append(curve.right[0], curve.at(at[1:]))
        rows.append({"model": name, "baseline": baseline} | series(heights, digits=7))
    return {
        "width": "container",
        "height": max(HEIGHT, _above(evaluation) + 200),
        "params": [shown(names), grid(evaluation), *zoomed(evaluation)],
        "layer": [
            *_shaded(evaluation),
            {
                "data": {"name": "curves", "values": rows},
                "transform": [SHOWN, *unfolded("net_benefit")],
                "layer": [
                    {"transform": seen(evaluation), "layer": _lines(evaluation)},
                    *_list(evaluation),
                ],
            },
            *_pointer(evaluation),
        ],
    }


def _place(evaluation: Evaluation) -> Spec:
    most = [_most(evaluation, view) for view in views(evaluation)]
    ends = (by_view([share * x for x in most]) for share in (-BELOW, ABOVE))
    scale = {"domain": list(ends), "nice": False}
    scale["range"] = [{"expr": "height"}, _top(evaluation)]
    axis = {"title": "net benefit", "tickCount": 6}
    y = {"field": "net_benefit", "type": "quantitative", "scale": scale, "axis": axis}
    return {"x": _across(evaluation), "y": y}


def _across(evaluation: Evaluation) -> Spec:
    """Encode thresholds, with room for the list beside them."""
    x = threshold_axis(evaluation)
    end = {"expr": f"width < {NARROW} ? width : width - {BESIDE}"}
    return x | {"scale": x["scale"] | {"range": [0, end]}}


def _shaded(evaluation: Evaluation) -> list[Spec]:
    """Shade the range of thresholds softly, if there is one."""
    within = evaluation.within
    if within is None:
        return []
    lowest, highest = (by_view([view[k] for view in views(evaluation)]) for k in (0, 1))
    ends = {"lower": within.lower, "upper": within.upper}
    cut = [
        {"calculate": f"clamp(datum.{end}, {_written(lowest)}, {_written(highest)})", "as": end}
        for end in ends
    ]
    x = {"x": _across(evaluation) | {"field": "lower"}, "x2": {"field": "upper"}}
    return [
        {
            # The script of the page moves it along with the range that is chosen.
            "data": {"name": "range", "values": [ends]},
            "transform": cut,
            "mark": {"type": "rect", "color": "currentColor", "opacity": 0.07},
            "encoding": x | _upright(evaluation),
        }
    ]


def _written(value: Any) -> str:
    """Write a number, or an expression, as a part of an expression."""
    return f"({value['expr']})" if isinstance(value, dict) else str(value)


def _top(evaluation: Evaluation) -> Spec:
    """Return where the curves begin, in pixels: the list stands beside them, or above."""
    return {"expr": f"width < {NARROW} ? {_above(evaluation)} : 0"}


def _upright(evaluation: Evaluation) -> Spec:
    """Reach from the top of the curves to the bottom."""
    return {"y": {"value": _top(evaluation)}, "y2": {"value": {"expr": "height"}}}


def _above(evaluation: Evaluation) -> int:
    """Return how many pixels the list is high."""
    return LINE * (len(evaluation.decision) + 4)


def _most(evaluation: Evaluation, view: View) -> float:
    """Return the most that is gained where it is seen; over all thresholds, the event rate."""
    rate, at = evaluation.event_rate, drawn_at(evaluation)
    if view.lower == 0:
        return rate or 0.2
    inside = at[(at >= view.lower) & (at <= view.upper)]
    curves = [without_model(rate)[TREAT_ALL], *evaluation.decision.values()]
    return max(LEAST * (rate or 0.2), *(float(curve.at(inside).max()) for curve in curves))


def _lines(evaluation: Evaluation) -> list[Spec]:
    place, names = _place(evaluation), list(evaluation.decision)
    color, line = {"color": model_color(names)}, {"type": "line", "clip": True}
    dash, one = {"strokeDash": model_dash(names)}, {"detail": {"field": "model", "type": "nominal"}}
    stand = {"align": {"expr": "datum.align"}, "dx": {"expr": "datum.dx"}, "dy": -7}
    plain, models = {"filter": "datum.baseline"}, {"filter": "!datum.baseline"}
    dot = {"type": "point", "filled": True, "size": 45, "opacity": 1, "clip": True}
    # Dashes are laid on paper as far as a line leads, seen or not.
    floor = -2 * BELOW * (evaluation.event_rate or 0.2)
    cut = {"calculate": f"max(datum.net_benefit, {floor:.6g})", "as": "net_benefit"}
    return [
        {"transform": [plain, cut], "mark": line | DASHED, "encoding": place | one},
        {
            "transform": [models, cut],
            "mark": line | {"strokeWidth": 2},
            "encoding": place | color | dash,
        },
        {"transform": [models, AT_RULE], "mark": dot, "encoding": place | color},
        {
            **placed_words(evaluation, _names),
            "mark": {"type": "text"} | stand | PLAIN,
            "encoding": place | {"text": {"field": "model", "type": "nominal"}},
        },
    ]


def _names(evaluation: Evaluation, view: View) -> list[Spec]:
    """Put one name at the left end of its line, the other where its line leaves, if it is seen."""
    rate = evaluation.event_rate
    lost = 0.7 * BELOW * _most(evaluation, view)
    odds = (rate + lost) / (1 - rate) if rate < 1 else 1.0
    end = min(odds / (1 + odds), view.lower + LAST * (view.upper - view.lower))
    leaves = {"threshold": end, "net_benefit": float(without_model(rate)[TREAT_ALL].at(end))}
    start = {"threshold": view.lower, "net_benefit": 0, "align": "left", "dx": 5}
    words = [{"model": TREAT_NONE} | start, {"model": TREAT_ALL} | leaves | beside(view, end)]
    return [word for word in words if word["threshold"] >= view.lower]


def _list(evaluation: Evaluation) -> list[Spec]:
    """List the numbers at the threshold that was pointed at, the best first."""
    value = {"field": "net_benefit", "type": "quantitative", "format": f".{decimals(evaluation)}f"}
    name = {"field": "model", "type": "nominal"}
    order = {
        "window": [{"op": "row_number", "as": "row"}],
        "sort": [{"field": "net_benefit", "order": "descending"}],
    }
    put = {"calculate": f"{LINE} * (datum.row + 1)", "as": "line"}
    y = {"field": "line", "type": "quantitative", "scale": None, "axis": None}
    text: Spec = {"type": "text", "fontSize": 12, "align": "right", "color": "currentColor"}
    pale = {"condition": {"test": "datum.baseline", "value": 0.65}, "value": 1}
    columns: list[Spec] = [
        {
            "transform": [AT_RULE, order, put],
            "mark": text | {"limit": 190},
            "encoding": {
                "x": {"value": {"expr": f"width - {left}"}},
                "y": y,
                "text": what,
                "opacity": pale,
            },
        }
        for left, what in ((_column(evaluation), name), (4, value))
    ]
    return columns


def _column(evaluation: Evaluation) -> int:
    """Return how many pixels the numbers take, a sign and a gap included."""
    return 4 + 7 * (decimals(evaluation) + 4)


def _pointer(evaluation: Evaluation) -> list[Spec]:
    """Let a threshold be pointed at: a rule stands there, and its number above the list."""
    x = _across(evaluation)
    select = {"type": "point", "on": "pointermove", "nearest": True, "encodings": ["x"]}
    pointed = {"name": "at", "select": select | {"clear": False}, "value": [_start(evaluation)]}
    each = [{"calculate": "slice(grid, 1)", "as": "at"}, {"flatten": ["at"], "as": ["threshold"]}]
    place = {"x": x} | _upright(evaluation)
    rule = {"transform": [AT_RULE], "mark": {"type": "rule"} | PLAIN, "encoding": place}
    unseen = {"type": "point", "opacity": 0}
    return [
        {
            "data": {"name": "thresholds", "values": [{}]},
            "transform": [*each, *seen(evaluation)],
            "layer": [
                rule,
                *_head(evaluation),
                {"params": [pointed], "mark": unseen, "encoding": {"x": x}},
            ],
        }
    ]


def _head(evaluation: Evaluation) -> list[Spec]:
    """Write which threshold is pointed at."""
    word = {"field": "word", "type": "nominal"}
    number = {"field": "threshold", "type": "quantitative", "format": ".2~%"}
    text = {"type": "text", "align": "right", "fontWeight": 600, "fontSize": 12}
    return [
        {
            "transform": [AT_RULE, {"calculate": "'threshold'", "as": "word"}],
            "mark": text | {"color": "currentColor"},
            "encoding": {
                "x": {"value": {"expr": f"width - {left}"}},
                "y": {"value": LINE},
                "text": what,
            },
        }
        for left, what in ((_column(evaluation), word), (4, number))
    ]


def _start(evaluation: Evaluation) -> dict[str, float]:
    """Begin at a round number in the middle of the range, or else near the event rate."""
    within = evaluation.within
    middle = evaluation.event_rate
    if within is not None:
        middle = math.sqrt(within.lower * within.upper) or within.upper / 2
    middle = float(f"{middle:.1g}")
    at = drawn_at(evaluation)[1:]
    return {"threshold": float(at[np.argmin(np.abs(at - middle))])}


def _alt(evaluation: Evaluation) -> str:
    at, digits = _start(evaluation)["threshold"], decimals(evaluation)
    benefits = {name: float(curve.at(at)) for name, curve in evaluation.decision.items()}
    order = sorted(benefits, key=benefits.__getitem__, reverse=True)
    listing = ", ".join(f"{printable(name)} {fixed(benefits[name], digits)}" for name in order)
    everybody = float(without_model(evaluation.event_rate)[TREAT_ALL].at(at))
    return (
        f"Net benefit at a threshold of {as_percent(at)}, the greatest first: {listing}. "
        f"To {TREAT_ALL} has {fixed(everybody, digits)}, to {TREAT_NONE} 0."
    )


def _table(evaluation: Evaluation) -> Table:
    digits, at = decimals(evaluation), looked_up(evaluation)
    plain = without_model(evaluation.event_rate)
    rows = [
        (printable(name), *(fixed(x, digits) for x in curve.at(at).tolist()))
        for name, curve in [*evaluation.decision.items(), *plain.items()]
    ]
    return Table(("net benefit", *(f"at {as_percent(t)}" for t in at)), tuple(rows))
