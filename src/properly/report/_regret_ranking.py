"""The ranking of models by mean regret, over a range of thresholds that the reader drags.

The mean regret over a range from a to b is (A(b) - A(a)) / (b - a), with A the integral of the
regret from 0 on. The chart holds A, exactly, at each of `EDGES`; ends that are dragged are moved to
the nearest of them. The rest is done by Vega-Lite, without a script.

A script may use what Vega-Lite makes of it:

- The signal ``brush_x`` is the range in pixels between 0 and the signal ``width``; it is ``[]``
  before anything is chosen. To set it sets the range: ``view.scale("x")`` turns a threshold into
  pixels. ``[0, 0]`` clears it, so that all thresholds count.
- The signal ``brush_threshold`` follows as a pair of thresholds, or null.
- The signals ``lower`` and ``upper`` are the ends that count, after rounding.
- Marks of the range, of class ``brush_brush``, lie above the curves: with ``pointer-events: none``
  the curves below them can be pointed at.
- The data set `RANKING` has a row for each baseline and each model that is shown, with the fields
  ``model``, ``baseline`` (true or false), ``mean_regret``, ``rank``, and ``row``, the rank without
  ties.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from properly.report._chart import Column, Spec, model_color
from properly.report._threshold_axis import BORDER, COARSE, EDGES, FINE, PLAIN

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from properly.decisions._murphy import MurphyCurve

# The name that Vega-Lite gives to what the transforms make of the data.
RANKING = "data_6"
# Pixels: where the ranking begins and how wide it is, its head, and each row of it.
LEFT, WIDTH, HEAD, STEP = 680, 270, 46, 30
# The numbers of the edges on either side of the border.
FINES = round(BORDER * FINE)
SKIPPED = FINES - round(BORDER * COARSE)


def integrals(curve: MurphyCurve, edges: Column) -> Column:
    """Integrate a curve, which is straight between its thresholds, from 0 to each edge."""
    knot, start, end = curve.threshold, curve.right[:-1], curve.left[1:]
    steps = np.diff(knot)
    # So many small sums would lose digits, and differences of the results would show it.
    before = np.cumsum(np.append(0, steps * (start + end) / 2), dtype=np.longdouble)
    piece = np.clip(np.searchsorted(knot, edges, side="right") - 1, 0, len(steps) - 1)
    along = edges - knot[piece]
    reached = start[piece] + along / steps[piece] * (end - start)[piece]
    found: Column = (before[piece] + along * (start[piece] + reached) / 2).astype(np.float64)
    return found


def chosen_ends() -> list[Spec]:
    """Find the edges nearest to the ends of what is dragged, at least one step apart."""
    low, high = (_nearest(f"brush.threshold[{k}]") for k in (0, 1))
    most = len(EDGES) - 1
    # Who begins to drag in the margin begins outside of [0, 1].
    first, last = f"clamp({low}, 0, {most - 1})", f"clamp({high}, first + 1, {most})"
    return [
        {"name": "first", "expr": f"brush.threshold ? {first} : 0"},
        {"name": "last", "expr": f"brush.threshold ? {last} : {most}"},
        {"name": "lower", "expr": _edge("first")},
        {"name": "upper", "expr": _edge("last")},
    ]


def _nearest(threshold: str) -> str:
    """Write how the edge nearest to a threshold is numbered, as an expression."""
    fine, coarse = f"round({threshold} * {FINE})", f"{SKIPPED} + round({threshold} * {COARSE})"
    return f"({threshold} < {BORDER} ? {fine} : {coarse})"


def _edge(number: str) -> str:
    """Write which edge has a number, as an expression."""
    return f"{number} < {FINES} ? {number} / {FINE} : ({number} - {SKIPPED}) / {COARSE}"


def ranking(
    curves: Iterable[tuple[str, bool, MurphyCurve]], names: Sequence[str], digits: int
) -> Spec:
    """Write names and means beside the curves, the least first, with a bar below each.

    The curves come with a name and whether they are baselines.
    """
    rows = [
        {"model": name, "baseline": baseline, "area": integrals(curve, EDGES).tolist()}
        for name, baseline, curve in curves
    ]
    return {
        "data": {"name": "areas", "values": rows},
        "transform": [*_ranked(), *_placed()],
        "layer": [*_bars(names, digits), *_words(digits)],
    }


def _ranked() -> list[Spec]:
    mean = "(datum.area[last] - datum.area[first]) / (upper - lower)"
    # What differs by a rounding error has the same rank.
    settled = f"round({mean} * 1e14) / 1e14"
    order = [{"op": "rank", "as": "rank"}, {"op": "row_number", "as": "row"}]
    return [
        {"filter": "datum.baseline || indexof(shown, datum.model) >= 0"},
        {"calculate": settled, "as": "mean_regret"},
        {"window": order, "sort": [{"field": "mean_regret", "order": "ascending"}]},
        {"joinaggregate": [{"op": "max", "field": "mean_regret", "as": "most"}]},
    ]


def _placed() -> list[Spec]:
    """Turn ranks and means into pixels."""
    share = "(datum.most > 0 ? datum.mean_regret / datum.most : 0)"
    return [
        {"calculate": f"{HEAD} + {STEP} * (datum.row - 0.5)", "as": "line"},
        {"calculate": f"{HEAD} + {STEP} * datum.row - 5", "as": "below"},
        {"calculate": f"{LEFT}", "as": "start"},
        {"calculate": f"{LEFT} + {WIDTH} * {share}", "as": "end"},
    ]


def _pixels(field: str) -> Spec:
    return {"field": field, "type": "quantitative", "scale": None, "axis": None}


def _bars(names: Sequence[str], digits: int) -> list[Spec]:
    place = {"x": _pixels("start"), "x2": {"field": "end"}, "y": _pixels("below")}
    return [
        {
            "transform": [{"filter": "!datum.baseline"}],
            "mark": {"type": "rule", "strokeWidth": 5},
            "encoding": place | {"color": model_color(names), "tooltip": _tooltip(digits)},
        },
        {
            "transform": [{"filter": "datum.baseline"}],
            "mark": {"type": "rule", "strokeWidth": 3} | PLAIN,
            "encoding": place | {"tooltip": _tooltip(digits)},
        },
    ]


def _tooltip(digits: int) -> list[Spec]:
    return [
        {"field": "model", "type": "nominal", "title": "model"},
        {
            "field": "mean_regret",
            "type": "quantitative",
            "title": "mean regret",
            "format": f".{digits + 1}f",
        },
        {"field": "rank", "type": "quantitative", "title": "rank"},
    ]


def _words(digits: int) -> list[Spec]:
    text: Spec = {"type": "text", "color": "currentColor", "baseline": "middle", "fontSize": 12}
    y, pale = _pixels("line"), {"condition": {"test": "datum.baseline", "value": 0.65}, "value": 1}
    name = {"field": "model", "type": "nominal"}
    mean = {"field": "mean_regret", "type": "quantitative", "format": f".{digits}f"}
    beside = text | {"align": "left", "limit": WIDTH - 60}
    return [
        {
            "name": "ranking",
            "mark": beside,
            "encoding": {"x": {"value": LEFT}, "y": y, "text": name, "opacity": pale},
        },
        {
            "mark": text | {"align": "right"},
            "encoding": {"x": {"value": LEFT + WIDTH}, "y": y, "text": mean, "opacity": pale},
        },
    ]


def heading() -> list[Spec]:
    """Say what the ranking is of, and over which thresholds."""
    lower, upper = (f"format(100 * {end}, '.4~r') + ' %'" for end in ("lower", "upper"))
    said = {"Mean regret": 600, f"'thresholds ' + {lower} + ' to ' + {upper}": 400}
    return [
        {
            "data": {"values": [{}]},
            "mark": {
                "type": "text",
                "text": {"expr": text} if "'" in text else text,
                "fontWeight": weight,
                "fontSize": 12,
                "align": "left",
                "baseline": "middle",
                "color": "currentColor",
            },
            "encoding": {"x": {"value": LEFT}, "y": {"value": 10 + 17 * k}},
        }
        for k, (text, weight) in enumerate(said.items())
    ]
