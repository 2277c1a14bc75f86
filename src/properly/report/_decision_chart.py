"""Decision curves: net benefit at each threshold."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TypeAlias

import numpy as np

from properly._boundary._text import percent, printable
from properly.counts._baselines import TREAT_ALL, TREAT_NONE
from properly.decisions._grid import round_middle
from properly.decisions._net_benefit import DecisionCurve, without_model
from properly.evaluation._record import Evaluation
from properly.report import _threshold_charts as thresholds
from properly.report import _vega as vega
from properly.report._page_words import fixed, lead_of
from properly.report._threshold_charts import DRAWN, PALE, PLAIN, ThresholdView, by_view, views
from properly.report._vega import Chart, NumberTable, Spec

# A number, and the ends of its interval.
Benefit: TypeAlias = tuple[float, float, float]

HEIGHT = 320
# The picture ends so far below zero, and above the event rate, in event rates.
BELOW, ABOVE = 0.25, 1.1
# Where nothing is gained, as much of the event rate is seen.
LEAST = 0.05
# A name stands no further to the right than this, as a share of what is seen, or than that.
LAST = (0.85, 0.65)
# Pixels: a line of the list, a name in it, the gap before it, and what is too narrow for it.
LINE, NAME, GAP, NARROW = 17, 130, 20, 640
# Bands are drawn of so many models; intervals at a threshold stand so many pixels aside.
FEW_BANDS, ASIDE = 3, 4
# Where no interval is near, one can point at every fifth threshold that is drawn, or at so many of
# what is seen.
FEWER, FEW = 5, 40
AT_RULE: Spec = {"filter": {"param": "at", "empty": False}}


def decision_chart(evaluation: Evaluation) -> Chart:
    """Draw the net benefit of models, of acting on all and of acting on none."""
    lead = f"{lead_of('decision', rate=evaluation.event_rate)} {_sure(evaluation)}"
    parts = _spec(evaluation), _alt(evaluation), _table(evaluation)
    zoom = thresholds.zoom_words(evaluation)
    return vega.Chart("decision", lead, *parts, wide=True, zoom=zoom)


def _sure(evaluation: Evaluation) -> str:
    """Say what the intervals are, or why there are none."""
    if not any(intervals(evaluation).values()):
        why = ": sums do not tell how clusters vary" if evaluation.summed else ""
        return lead_of("decision", "unsure", why=why)
    where = "" if evaluation.within is None else " within the range"
    if "time" in evaluation.design:
        where += ", allowing for dependence in time"
    level = f"{100 * evaluation.level:g} %"
    return lead_of("decision", "sure", level=level, where=where, bands=FEW_BANDS)


def _spec(evaluation: Evaluation) -> Spec:
    at = thresholds.drawn_at(evaluation)
    rows = [
        {"model": name, "baseline": baseline}
        | thresholds.series(thresholds.heights(curve, at), digits=7)
        for name, baseline, curve in _curves(evaluation)
    ]
    seen: list[Spec | str] = [*thresholds.unfolded("net_benefit"), *thresholds.seen(evaluation)]
    pointed_at = {"name": "pointed_at", "value": _pointed_at(evaluation)}
    grid, zoomed = thresholds.grid(evaluation), thresholds.zoomed(evaluation)
    at_each = _each_threshold("height", "low", "high")
    return {
        "width": "container",
        "height": max(HEIGHT, _above(evaluation) + 200),
        "params": [vega.shown(evaluation.decision), grid, pointed_at, *zoomed],
        "layer": [
            *_shaded(evaluation),
            {
                "data": {"name": "numbers", "values": _numbers(evaluation)},
                "transform": vega.kept(vega.SHOWN_OR_PLAIN, *at_each),
                "layer": [*_bands(evaluation), *_list(evaluation)],
            },
            {
                "data": {"name": "curves", "values": rows},
                "transform": vega.kept(vega.SHOWN_OR_PLAIN, *seen),
                "layer": _lines(evaluation),
            },
            _dots(evaluation),
            _pointer(evaluation),
        ],
    }


def _curves(evaluation: Evaluation) -> list[tuple[str, bool, DecisionCurve]]:
    """Return each name, whether it is a baseline, and its curve."""
    plain = without_model(evaluation.event_rate)
    models = [(name, False, curve) for name, curve in evaluation.decision.items()]
    return models + [(name, True, curve) for name, curve in plain.items()]


def intervals(evaluation: Evaluation) -> dict[str, dict[float, Benefit]]:
    """Return net benefit by model and threshold, with its interval where it has one.

    These are the thresholds at which the evaluation judges models, the range's if it has one. Where
    nobody is acted upon, and of sums of clusters, there is no interval.
    """
    result = dict[str, dict[float, Benefit]]()
    for name, by_threshold in evaluation.at_thresholds.items():
        found = {at.threshold: at.estimate("net_benefit") for at in by_threshold}
        result[name] = {t: benefit for t, benefit in found.items() if math.isfinite(benefit[1])}
    return result


def _pointed_at(evaluation: Evaluation) -> list[float]:
    """Return the thresholds to point at: those with intervals, and some wherever these are rare."""
    exact = sorted({t for found in intervals(evaluation).values() for t in found if t > 0})
    among = views(evaluation)
    others = [*DRAWN[FEWER::FEWER], *(t for view in among[1:] for t in view.steps(FEW))]
    alone = [
        t
        for t in others
        if t > 0 and all(abs(among[-1].place(t) - among[-1].place(x)) > 1 / FEW for x in exact)
    ]
    return sorted({*exact, *map(float, alone)})


def _at(evaluation: Evaluation, at: Sequence[float]) -> Iterator[tuple[str, bool, list[Benefit]]]:
    """Yield each name, whether it is a baseline, and net benefit with its interval, if any."""
    found = intervals(evaluation)
    for name, baseline, curve in _curves(evaluation):
        here = {} if baseline else found.get(name, {})
        plain = [(x, math.nan, math.nan) for x in curve.at(at).tolist()]
        yield name, baseline, [here.get(t, x) for t, x in zip(at, plain, strict=True)]


def _numbers(evaluation: Evaluation) -> list[Spec]:
    """Return net benefit, and the ends of its interval, where one may point at."""
    rows = []
    for name, baseline, found in _at(evaluation, _pointed_at(evaluation)):
        height, low, high = (vega.shortened(x, 7) for x in np.array(found).T)
        row: Spec = {"model": name, "baseline": baseline, "height": height}
        rows.append(row if baseline else row | {"low": low, "high": high})
    return rows


def _each_threshold(*fields: str) -> list[Spec]:
    """Unfold lists into rows, one per threshold that one may point at."""
    return [
        {"calculate": "pointed_at", "as": "at"},
        # What needs no model has no intervals.
        *({"calculate": f"datum.{name} || []", "as": name} for name in fields),
        vega.unfold("at", *fields, to=("threshold", *fields)),
    ]


def _bands(evaluation: Evaluation) -> list[Spec]:
    """Draw faint bands of few models, and intervals at the threshold that was pointed at.

    Bands of many models cannot be told apart; their intervals stand side by side.
    """
    place, seen = _place(evaluation), thresholds.seen(evaluation)
    ends = place | {"y": place["y"] | {"field": "low"}, "y2": {"field": "high"}}
    ends |= {"color": vega.model_color(evaluation.decision)}
    aside = {"expr": f"{ASIDE} * (indexof(shown, datum.model) - (length(shown) - 1) / 2)"}
    band = vega.mark("area", opacity=0.13, clip=True)
    upright = vega.mark("rule", strokeWidth=2, opacity=0.7, clip=True, xOffset=aside)
    return [
        vega.layer(look, ends, "isValid(datum.low)", some, *seen)
        for look, some in ((band, f"length(shown) <= {FEW_BANDS}"), (upright, AT_RULE))
    ]


def _dots(evaluation: Evaluation) -> Spec:
    """Mark the curves at the threshold that was pointed at."""
    place, seen = _place(evaluation), thresholds.seen(evaluation)
    steps: list[Spec | str] = [vega.SHOWN_OR_PLAIN, "!datum.baseline"]
    steps += [*_each_threshold("height"), AT_RULE]
    at = {"y": place["y"] | {"field": "height"}, "color": vega.model_color(evaluation.decision)}
    dots = vega.layer(vega.dot(45, opacity=1, clip=True), place | at, *steps, *seen)
    return dots | {"data": {"name": "numbers"}}


def _place(evaluation: Evaluation) -> Spec:
    most = [_most(evaluation, view) for view in views(evaluation)]
    ends = (by_view([share * x for x in most]) for share in (-BELOW, ABOVE))
    scale = vega.from_to(*ends, range=[{"expr": "height"}, _top(evaluation)])
    axis = {"title": "net benefit", "tickCount": 6}
    return {"x": _across(evaluation), "y": vega.measure("net_benefit", scale=scale, axis=axis)}


def _across(evaluation: Evaluation) -> Spec:
    """Encode thresholds, with room for the list beside them."""
    x = thresholds.threshold_axis(evaluation)
    beside = _columns(evaluation)[0] + NAME + GAP
    end = {"expr": f"width < {NARROW} ? width : width - {beside}"}
    return x | {"scale": x["scale"] | {"range": [0, end]}}


def _shaded(evaluation: Evaluation) -> list[Spec]:
    """Shade the range of thresholds softly, if there is one."""
    within = evaluation.within
    if within is None:
        return []
    lowest, highest = (
        f"({x['expr']})" if isinstance(x, dict) else str(x)
        for x in (by_view([view[k] for view in views(evaluation)]) for k in (0, 1))
    )
    cut = [
        {"calculate": f"clamp(datum.{end}, {lowest}, {highest})", "as": end}
        for end in ("lower", "upper")
    ]
    x = {"x": _across(evaluation) | {"field": "lower"}, "x2": {"field": "upper"}}
    # The script of the page moves it along with the range that is chosen.
    ends = {"name": "range", "values": [{"lower": within.lower, "upper": within.upper}]}
    shade = vega.layer(vega.ink("rect", opacity=0.07), x | _upright(evaluation), *cut)
    return [shade | {"data": ends}]


def _top(evaluation: Evaluation) -> Spec:
    """Return where the curves begin, in pixels: the list stands beside them, or above."""
    return {"expr": f"width < {NARROW} ? {_above(evaluation)} : 0"}


def _upright(evaluation: Evaluation) -> Spec:
    """Reach from the top of the curves to the bottom."""
    return {"y": {"value": _top(evaluation)}, "y2": {"value": {"expr": "height"}}}


def _above(evaluation: Evaluation) -> int:
    """Return how many pixels the list is high."""
    return LINE * (len(evaluation.decision) + 4)


def _most(evaluation: Evaluation, view: ThresholdView) -> float:
    """Return the most that is gained where it is seen; over all thresholds, the event rate."""
    rate, at = evaluation.event_rate, thresholds.drawn_at(evaluation)
    if view.lower == 0:
        return rate or 0.2
    inside = at[(at >= view.lower) & (at <= view.upper)]
    curves = [without_model(rate)[TREAT_ALL], *evaluation.decision.values()]
    return max(LEAST * (rate or 0.2), *(float(curve.at(inside).max()) for curve in curves))


def _lines(evaluation: Evaluation) -> list[Spec]:
    place, names = _place(evaluation), list(evaluation.decision)
    color = {"color": vega.model_color(names), "strokeDash": vega.model_dash(names)}
    one, line = {"detail": vega.category("model")}, vega.mark("line", clip=True)
    # Dashes are laid on paper as far as a line leads, seen or not.
    floor = -2 * BELOW * (evaluation.event_rate or 0.2)
    cut = {"calculate": f"max(datum.net_benefit, {floor:.6g})", "as": "net_benefit"}
    return [
        vega.layer(line | thresholds.DASHED, place | one, "datum.baseline", cut),
        vega.layer(line | {"strokeWidth": 2}, place | color, "!datum.baseline", cut),
        thresholds.plain_names(evaluation, place, _names, dy=-7),
    ]


def _names(evaluation: Evaluation, view: ThresholdView) -> list[Spec]:
    """Put one name at the left end of its line, the other where its line leaves, if it is seen."""
    rate, most = evaluation.event_rate, _most(evaluation, view)
    odds = (rate + 0.7 * BELOW * most) / (1 - rate) if rate < 1 else 1.0
    ends = [view.lower + share * (view.upper - view.lower) for share in LAST]
    ends = [min(odds / (1 + odds), end) for end in ends]
    benefits = without_model(rate)[TREAT_ALL].at(ends).tolist()
    # Not on the line of the other.
    apart = (pair for pair in zip(ends, benefits, strict=True) if abs(pair[1]) > 0.1 * most)
    end, benefit = next(apart, (ends[0], benefits[0]))
    start = {"threshold": view.lower, "net_benefit": 0, "align": "left", "dx": 5}
    leaves = {"threshold": end, "net_benefit": benefit} | thresholds.beside(view, end)
    words = [{"model": TREAT_NONE} | start, {"model": TREAT_ALL} | leaves]
    return [word for word in words if word["threshold"] >= view.lower]


def _list(evaluation: Evaluation) -> list[Spec]:
    """List the numbers at the threshold that was pointed at, the best first."""
    written = f".{thresholds.decimals(evaluation)}f"
    value, name = vega.measure("height", format=written), vega.category("model")
    put = {"calculate": f"{LINE} * (datum.row + 1)", "as": "line"}
    low, high = (f"format(datum.{end}, '{written}')" for end in ("low", "high"))
    ends = {"calculate": f"isValid(datum.low) ? {low} + ' to ' + {high} : ''", "as": "ends"}
    text = vega.ink("text", fontSize=12, align="right")
    left, middle, right = _columns(evaluation)
    room, pale = {"limit": {"expr": f"min({NAME}, width - {left})"}}, {"opacity": PALE}
    steps, y = [AT_RULE, vega.numbered("height", "descending"), put, ends], vega.pixels("line")
    columns: list[tuple[int, Spec, Spec]] = [
        (left, room, {"text": name} | pale),
        (middle, {}, {"text": value} | pale),
        (right, {"opacity": 0.75}, {"text": vega.category("ends")}),
    ]
    return [
        vega.layer(text | look, {"x": _from_right(place), "y": y} | what, *steps)
        for place, look, what in columns
    ]


def _from_right(pixels: int) -> Spec:
    """Stand so far from the right."""
    return {"value": {"expr": f"width - {pixels}"}}


def _columns(evaluation: Evaluation) -> tuple[int, int, int]:
    """Return where the columns of the list end, in pixels from the right, signs included."""
    digits = thresholds.decimals(evaluation)
    # Two numbers of the interval, and a word between them.
    ends = 7 * (2 * digits + 12) if any(intervals(evaluation).values()) else 0
    return 4 + ends + 7 * (digits + 4), 4 + ends, 4


def _pointer(evaluation: Evaluation) -> Spec:
    """Let a threshold be pointed at: a rule stands there, and its number above the list."""
    x = {"x": _across(evaluation)}
    select = {"type": "point", "on": "pointermove", "nearest": True, "encodings": ["x"]}
    pointed = {"name": "at", "select": select | {"clear": False}, "value": [_start(evaluation)]}
    rule = vega.layer(vega.mark("rule", **PLAIN), x | _upright(evaluation), AT_RULE)
    unseen = vega.layer(vega.mark("point", opacity=0), x) | {"params": [pointed]}
    return {
        "data": {"name": "thresholds", "values": [{}]},
        "transform": vega.kept(*_each_threshold(), *thresholds.seen(evaluation)),
        "layer": [rule, *_head(evaluation), unseen],
    }


def _head(evaluation: Evaluation) -> list[Spec]:
    """Write which threshold is pointed at, and what stands in the columns."""
    number, word = vega.measure("threshold", format=".4~%"), vega.category("word")
    text = vega.ink("text", align="right", fontWeight=600, fontSize=12)
    words = ["'threshold'", "", f"'{100 * evaluation.level:g} % interval'"]
    columns = list(zip(_columns(evaluation), words, (word, number, word), strict=True))
    return [
        vega.layer(
            text,
            {"x": _from_right(left), "y": {"value": LINE}, "text": what},
            *(AT_RULE, {"calculate": said or "''", "as": "word"}),
        )
        for left, said, what in columns[: 3 if any(intervals(evaluation).values()) else 2]
    ]


def _start(evaluation: Evaluation) -> dict[str, float]:
    """Begin at a round number in the middle of the range, or else near the event rate."""
    middle = round_middle(evaluation.within, evaluation.event_rate)
    return {"threshold": min(_pointed_at(evaluation), key=lambda t: abs(t - middle))}


def _alt(evaluation: Evaluation) -> str:
    at, digits = _start(evaluation)["threshold"], thresholds.decimals(evaluation)
    benefits = {name: float(curve.at(at)) for name, curve in evaluation.decision.items()}
    order = sorted(benefits, key=benefits.__getitem__, reverse=True)
    listing = ", ".join(f"{printable(name)} {fixed(benefits[name], digits)}" for name in order)
    benefit = fixed(float(without_model(evaluation.event_rate)[TREAT_ALL].at(at)), digits)
    words = {"at": percent(at), "listing": listing, "all": TREAT_ALL, "none": TREAT_NONE}
    return lead_of("decision", "alt", benefit=benefit, **words)


def _table(evaluation: Evaluation) -> NumberTable:
    digits, at = thresholds.decimals(evaluation), thresholds.looked_up(evaluation)

    def cell(benefit: Benefit) -> str:
        value, *ends = (fixed(x, digits) for x in benefit if not math.isnan(x))
        return f"{value} ({' to '.join(ends)})" if ends else value

    rows = [(name, *map(cell, found)) for name, _, found in _at(evaluation, at)]
    return vega.NumberTable(("net benefit", *(f"at {percent(t)}" for t in at)), rows)
