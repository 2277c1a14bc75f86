"""Regret curves, with a range of thresholds to drag over which models are ranked.

The ranking of models by mean regret, over a range of thresholds that the reader drags.

The mean regret over a range from a to b is (A(b) - A(a)) / (b - a), with A the integral of the
regret from 0 on. The chart holds A, exactly, at each of `EDGES`; ends that are dragged are moved to
the nearest of them. The rest is done by Vega-Lite, without a script.

A script may use what Vega-Lite makes of it:

- The signal ``brush_x`` is the range in pixels between 0 and the signal ``width``; it is ``[]``
  before anything is chosen. To set it sets the range: ``view.scale("x")`` turns a threshold into
  pixels. ``[0, 0]`` clears it, so that all thresholds count.
- The signal ``brush_threshold`` follows as a pair of thresholds, or null.
- The signals ``lower`` and ``upper`` are the ends that count, after rounding.
- The signal ``zoomed``, where there is one, says whether a range is looked at or all thresholds.
- Marks of the range, of class ``brush_brush``, lie above the curves: with ``pointer-events: none``
  the curves below them can be pointed at.
- What Vega-Lite leaves alone, ``usermeta``, has what a script needs to say how sure the means are,
  and which models can be told apart: standard errors and p-values over all ranges between fewer
  ends, as numbers of 32 bits, and the range that the headline speaks of.
- The data set `RANKING` has a row for each baseline and each model that is shown, with the fields
  ``model``, ``number``, ``baseline`` (true or false), ``mean_regret``, ``rank``, and ``row``, the
  rank without ties.
"""

from __future__ import annotations

from base64 import b64encode
from typing import TYPE_CHECKING

import numpy as np

from properly._boundary._text import percent, printable
from properly.counts._baselines import TREAT_ALL, TREAT_NONE
from properly.report import _vega as vega
from properly.report._chart import Chart, NumberTable
from properly.report._threshold_views import (
    BORDER,
    COARSE,
    DASHED,
    EDGES,
    FINE,
    PALE,
    PLAIN,
    ThresholdView,
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
from properly.rules._interval import Interval

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from properly.decisions._murphy import MurphyCurve
    from properly.evaluation._record import Evaluation
    from properly.report._vega import Spec
    from properly.typing import Column


# The name that Vega-Lite gives to what the transforms make of the data.
RANKING = "data_6"
# Pixels: where the ranking begins and how wide it is, its head, and each row of it.
LEFT, RANKING_WIDTH, HEAD, STEP = vega.WIDE - vega.PANEL, vega.PANEL, 46, 30
# The numbers of the edges on either side of the border.
FINES = round(BORDER * FINE)
SKIPPED = FINES - round(BORDER * COARSE)
# Pixels of the curves.
WIDTH, HEIGHT = LEFT - 42, 320
# A curve with few thresholds is drawn with its jumps upright.
FEW = 200
# Models that are far worse than none leave the picture at so many times what none costs.
TALLEST = 2.5


def integrals(curve: MurphyCurve, edges: Column) -> Column:
    """Integrate a curve, which is straight between its thresholds, from 0 to each edge."""
    knot, start, end = curve.threshold, curve.right[:-1], curve.left[1:]
    steps = np.diff(knot)
    # So many small sums would lose digits, and differences of the results would show it.
    before = np.cumsum(np.append(0, steps * (start + end) / 2), dtype=np.longdouble)
    piece = np.clip(np.searchsorted(knot, edges, side="right") - 1, 0, len(steps) - 1)
    along = edges - knot[piece]
    reached = start[piece] + along / steps[piece] * (end - start)[piece]
    area: Column = (before[piece] + along * (start[piece] + reached) / 2).astype(np.float64)
    return area


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
        {"model": name, "baseline": baseline, "number": k}
        | {"area": integrals(curve, EDGES).tolist()}
        for k, (name, baseline, curve) in enumerate(curves)
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
        {"calculate": f"{LEFT} + {RANKING_WIDTH} * {share}", "as": "end"},
    ]


def _pixels(field: str) -> Spec:
    return vega.measure(field, scale=None, axis=None)


def _bars(names: Sequence[str], digits: int) -> list[Spec]:
    titles = {"model": "model", "mean_regret": ("mean regret", f".{digits + 1}f")}
    tooltip = [*vega.hover(titles), vega.measure("rank", "rank")]
    place: Spec = {"x": _pixels("start"), "x2": {"field": "end"}, "y": _pixels("below")}
    place |= {"tooltip": tooltip}
    ink = {"color": vega.model_color(names)}
    return [
        vega.layer(vega.mark("rule", strokeWidth=5), place | ink, {"filter": "!datum.baseline"}),
        vega.layer(vega.mark("rule", strokeWidth=3, **PLAIN), place, {"filter": "datum.baseline"}),
    ]


def _words(digits: int) -> list[Spec]:
    text = vega.mark("text", baseline="middle", fontSize=12, **vega.INK)
    line = {"y": _pixels("line"), "opacity": PALE}
    name = {"x": {"value": LEFT}, "text": vega.category("model")}
    mean = vega.measure("mean_regret", format=f".{digits}f")
    right = {"x": {"value": LEFT + RANKING_WIDTH}, "text": mean}
    beside = text | {"align": "left", "limit": RANKING_WIDTH - 60}
    return [
        {"name": "ranking"} | vega.layer(beside, line | name),
        vega.layer(text | {"align": "right"}, line | right),
    ]


def heading() -> list[Spec]:
    """Say what the ranking is of, and over which thresholds."""
    lower, upper = (f"format(100 * {end}, '.4~r') + ' %'" for end in ("lower", "upper"))
    said = {"Mean regret": 600, f"'thresholds ' + {lower} + ' to ' + {upper}": 400}
    look = vega.mark("text", fontSize=12, align="left", baseline="middle", **vega.INK)
    return [
        vega.layer(
            look | {"text": {"expr": text} if "'" in text else text, "fontWeight": weight},
            {"x": {"value": LEFT}, "y": {"value": 10 + 17 * k}},
            values=[{}],
        )
        for k, (text, weight) in enumerate(said.items())
    ]


def regret_chart(evaluation: Evaluation) -> Chart:
    """Draw the regret of models, with a range to drag over which they are ranked."""
    ends = evaluation.within or Interval(0, 1)
    return Chart(
        name="regret",
        title="What decisions cost, and for which thresholds",
        lead=(
            "The threshold is the risk at which one begins to act. Regret is what mistakes cost "
            "there, false alarms and missed events alike: the lower, the better. A model above a "
            "dashed line costs more than to act on everybody, or on nobody. Drag across the curves "
            "to choose the thresholds that matter to you, or double-click to take all of them. The "
            "mean regret, the ranking and what can be told apart follow."
        ),
        spec=_spec(evaluation),
        alt=_alt(evaluation, ends),
        table=_table(evaluation, ends),
        wide=True,
        zoom=zoom_words(evaluation),
    )


def _sure(evaluation: Evaluation) -> Spec:
    """Hand over what intervals and tiers are made of, or say why there are none."""
    ends, over = evaluation.within or Interval(0, 1), evaluation.over_ranges
    told: Spec = {"headline": [ends.lower, ends.upper]}
    if over is None:
        why = (
            "of a summary without the rows"
            if evaluation.summed
            else "of tensors, or of very many clusters"
        )
        return told | {"why": f"There are no intervals over other ranges {why}."}
    return told | {
        "models": len(over.models),
        "thresholds": over.threshold.tolist(),
        "errors": _packed(over.standard_error),
        "chances": _packed(over.p_value),
        "quantile": over.quantile if np.isfinite(over.quantile) else None,
        "alpha": _alpha_of_each(evaluation),
        "level": f"{100 * over.level:g} %",
    }


def _alpha_of_each(evaluation: Evaluation) -> float:
    """Return the level of single tests that the comparison of the headline is adjusted by.

    It depends on how differences are correlated, which changes little from range to range.
    """
    from scipy.special import stdtr

    compared = evaluation.comparisons.get(evaluation.primary)
    if compared is None:
        return 1 - evaluation.level
    known = compared.standard_error > 0
    # Where signs were flipped, one side may have been extended to zero.
    sides = np.abs(compared.simultaneous - compared.difference[:, None]).min(axis=1)[known]
    reach = sides / compared.standard_error[known]
    if len(reach) == 0:
        return 1 - evaluation.level
    return float(2 * stdtr(compared.degrees, -reach.max()))


def _packed(x: Column) -> str:
    """Write numbers as text, 32 bits each."""
    return b64encode(x.astype("<f4").tobytes()).decode()


def _curves(evaluation: Evaluation) -> Iterator[tuple[str, bool, MurphyCurve]]:
    """Return each name, whether it is a baseline, and its curve."""
    for name, curve in evaluation.regret.items():
        yield name, False, curve
    for name, curve in evaluation.baseline_regret.items():
        yield name, True, curve


def _spec(evaluation: Evaluation) -> Spec:
    names = list(evaluation.regret)
    rows = len(names) + len(evaluation.baseline_regret)
    return {
        "width": WIDTH,
        "height": max(HEIGHT, HEAD + STEP * rows),
        "usermeta": _sure(evaluation),
        "params": [
            vega.shown(names),
            grid(evaluation, closed=True),
            *zoomed(evaluation),
            *chosen_ends(),
        ],
        "layer": [
            _brush(evaluation),
            *_plain_curves(evaluation),
            _model_curves(evaluation),
            ranking(_curves(evaluation), names, decimals(evaluation)),
            *heading(),
        ],
    }


def _brush(evaluation: Evaluation) -> Spec:
    """Let a range be dragged, anywhere but on the bars of the ranking."""
    ink = {"fill": "currentColor", "fillOpacity": 0.08, "stroke": "currentColor"}
    elsewhere = "!event.item || event.item.mark.marktype !== 'rule'"
    select = {
        "type": "interval",
        "encodings": ["x"],
        "on": f"[pointerdown[{elsewhere}], window:pointerup] > window:pointermove!",
        # To drag inside the range begins another one, and the wheel is for the page.
        "translate": False,
        "zoom": False,
        "mark": ink | {"strokeOpacity": 0.4, "cursor": "crosshair"},
    }
    brush: Spec = {"name": "brush", "select": select}
    if evaluation.within is not None:
        brush["value"] = {"x": [evaluation.within.lower, evaluation.within.upper]}
    unseen = vega.mark("point", opacity=0, tooltip=None, clip=True)
    ends = [{"threshold": 0}, {"threshold": 1}]
    return {"params": [brush]} | vega.layer(unseen, {"x": threshold_axis(evaluation)}, values=ends)


def _model_curves(evaluation: Evaluation) -> Spec:
    names = list(evaluation.regret)
    rows = [
        {"model": name} | _drawn(evaluation, curve, jumps=len(curve.threshold) <= FEW)
        for name, curve in evaluation.regret.items()
    ]
    place = _place(evaluation) | {"color": vega.model_color(names)}
    line = vega.mark("line", strokeWidth=2, clip=True)
    hover = {"type": "point", "on": "pointerover", "clear": "pointerout"}
    pointed = {"name": "pointed", "select": hover | {"fields": ["model", "threshold"]}}
    return {
        "data": {"name": "curves", "values": rows},
        "transform": [vega.only_shown(), *unfolded("regret"), *seen(evaluation)],
        "layer": [
            vega.layer(line, place | {"strokeDash": vega.model_dash(names)}),
            _pointed(place, "model", decimals(evaluation)) | {"params": [pointed]},
        ],
    }


def _pointed(place: Spec, said: str, digits: int) -> Spec:
    """Show the numbers of a curve that is pointed at."""
    visible = {"condition": {"param": "pointed", "empty": False, "value": 1}, "value": 0}
    numbers = {"threshold": ("threshold", ".2~%"), "regret": ("regret", f".{digits}f")}
    return vega.layer(
        vega.dot(80, clip=True),
        place | {"opacity": visible, "tooltip": vega.hover({"model": said} | numbers)},
        # Fewer points will do to be hit, and the page is quicker.
        {"window": [{"op": "row_number", "as": "row"}], "groupby": ["model"]},
        {"filter": "datum.row % 3 == 0"},
    )


def _drawn(evaluation: Evaluation, curve: MurphyCurve, *, jumps: bool) -> Spec:
    """Return the curve on a grid, since the axis may bend what is straight, and its jumps."""
    at = np.append(drawn_at(evaluation), 1.0)
    if not jumps:
        # A jump at 0 itself would lie on the axis.
        return series(np.append(curve.right[0], curve.at(at[1:])))
    between = np.setdiff1d(at, curve.threshold)
    x, y = (column[1:] for column in curve.curve())
    t = np.concatenate([x, between])
    order = np.argsort(t, kind="stable")
    return series(np.concatenate([y, curve.at(between)])[order], t[order])


def _place(evaluation: Evaluation) -> Spec:
    top = by_view([_tallest(evaluation, view) for view in views(evaluation)])
    scale = {"domain": [0, top], "nice": False}
    y = vega.measure("regret", axis={"title": "regret", "tickCount": 5}, scale=scale)
    return {"x": threshold_axis(evaluation), "y": y}


def _tallest(evaluation: Evaluation, view: ThresholdView) -> float:
    """Make room for all models, unless one is far worse than none."""
    rate = evaluation.event_rate
    most = min(max(rate, view.lower), view.upper)
    none = min(most * (1 - rate), (1 - most) * rate) or 0.1
    highest = max(_highest(curve, view) for curve in evaluation.regret.values())
    return 1.08 * max(none, min(highest, TALLEST * none))


def _highest(curve: MurphyCurve, view: ThresholdView) -> float:
    """Return the most that a curve reaches where it is seen."""
    first = np.searchsorted(curve.threshold, view.lower)
    last = np.searchsorted(curve.threshold, view.upper, side="right")
    inside = (limits[first:last].max(initial=0) for limits in (curve.left, curve.right))
    return float(max(*inside, curve.at([view.lower, view.upper]).max()))


def _plain_curves(evaluation: Evaluation) -> list[Spec]:
    """Draw what it costs to act on all and on none; the event rate has the lesser of the two."""
    place, name = _place(evaluation), vega.category("model")
    rows = [
        {"model": name} | _drawn(evaluation, evaluation.baseline_regret[name], jumps=False)
        for name in (TREAT_ALL, TREAT_NONE)
    ]
    line = {"type": "line", "clip": True} | DASHED
    stand = {"align": {"expr": "datum.align"}, "dx": {"expr": "datum.dx"}, "dy": -3}
    words = vega.mark("text", baseline="bottom", **stand, **PLAIN)
    ink = {"color": {"value": "currentColor"}}
    return [
        {
            "data": {"name": "baselines", "values": rows},
            "transform": [*unfolded("regret"), *seen(evaluation)],
            "layer": [
                {"mark": line, "encoding": place | {"detail": name}},
                _pointed(place | ink, "without a model", decimals(evaluation)),
            ],
        },
        {
            **placed_words(evaluation, _names),
            "mark": words,
            "encoding": place | {"text": name},
        },
    ]


def _names(evaluation: Evaluation, view: ThresholdView) -> list[Spec]:
    """Put names where their lines leave at the top, or near an end of them, if they are seen."""
    high, rate = 0.93 * _tallest(evaluation, view), evaluation.event_rate
    last = view.lower + 0.8 * (view.upper - view.lower)
    rises = min(high / (1 - rate), last) if rate < 1 else last
    falls = max(1 - high / rate, view.lower) if rate > 0 else view.lower
    left = {"align": "left", "dx": 7}
    everybody = {"threshold": rises, "regret": rises * (1 - rate)}
    nobody = {"threshold": falls, "regret": (1 - falls) * rate}
    cut = falls > view.lower
    words: list[Spec] = [
        {"model": TREAT_NONE} | nobody | (beside(view, falls) if cut else left),
        {"model": TREAT_ALL} | everybody | (left if cut else beside(view, rises)),
    ]
    return [word for word in words if view.lower <= word["threshold"] <= last]


def _mean(curve: MurphyCurve, ends: Interval) -> float:
    return curve.area(ends) / (ends.upper - ends.lower)


def _alt(evaluation: Evaluation, ends: Interval) -> str:
    digits = decimals(evaluation)
    means, none = (
        {name: _mean(curve, ends) for name, curve in curves.items()}
        for curves in (evaluation.regret, evaluation.baseline_regret)
    )
    order, best = sorted(means, key=means.__getitem__), min(none, key=none.__getitem__)
    listing = ", ".join(f"{printable(name)} {means[name]:.{digits}f}" for name in order)
    return (
        f"Mean regret over thresholds from {percent(ends.lower)} to {percent(ends.upper)}, "
        f"the least first: {listing}. "
        f"Without a model, the least is {none[best]:.{digits}f} ({best})."
    )


def _table(evaluation: Evaluation, ends: Interval) -> NumberTable:
    digits, at = decimals(evaluation), looked_up(evaluation)
    ranges = [ends] if ends == Interval(0, 1) else [ends, Interval(0, 1)]
    over = [f"mean, {percent(r.lower)} to {percent(r.upper)}" for r in ranges]
    rows = [
        (printable(name), *(f"{x:.{digits}f}" for x in (*means, *curve.at(at))))
        for name, _, curve in _curves(evaluation)
        for means in [[_mean(curve, r) for r in ranges]]
    ]
    head = ("regret", *over, *(f"at {percent(t)}" for t in at))
    return NumberTable(head, tuple(rows))
