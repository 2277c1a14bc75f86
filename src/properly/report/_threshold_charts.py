"""The axis of thresholds, and regret curves, with a range to drag over which models are ranked.

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

import json
import math
from base64 import b64encode
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from properly._boundary._text import percent, printable
from properly.counts._baselines import TREAT_ALL, TREAT_NONE
from properly.decisions._grid import round_multiples
from properly.decisions._murphy import MurphyCurve
from properly.decisions._net_benefit import DecisionCurve
from properly.evaluation._record import Evaluation
from properly.report import _vega as vega
from properly.report._page_words import lead_of
from properly.report._vega import INK, Chart, NumberTable, Spec
from properly.rules._interval import Interval
from properly.typing import Column

# Steps of 0.01 % below 1 %, where rare events are decided, and of 0.1 % above.
FINE, COARSE, BORDER = 10_000, 1_000, 0.01
EDGES = np.concatenate([np.arange(100) / FINE, np.arange(10, COARSE + 1) / COARSE])
# To draw at, fewer steps will do: 0.5 % from 10 % on. Net benefit has no value at 1.
DRAWN = np.concatenate([EDGES[EDGES <= 0.1], np.arange(21, 199) / 200])
# Small thresholds take more room where the range ends low or events are rare, and very much more
# where it ends very low or they are very rare.
LOW, RARE = (0.3, 0.03), (0.1, 0.01)
# Around a range this share of it is seen on either side, from 0 on if that is near. A view of more
# than so much of all thresholds is none.
MARGIN, NEAR_ZERO, MOST = 0.25, 0.1, 0.8
# Within a range small thresholds take more room if it begins at so small a share of its end.
SMALL_SHARES = (0.05, 0.002)
# A view of a range is drawn at some such number of steps, and has so many ticks, which are at least
# so far apart.
STEPS, MOST_TICKS, APART = 400, 8, 0.06
EVEN_TICKS = (0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1)
TICKS = (0, 0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.8, 1)
SMALL_TICKS = (0, 0.0001, 0.001, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.4, 0.6, 1)
USUAL = (0.01, 0.05, 0.1, 0.2, 0.5)
# What needs no model is grey and dashed.
PLAIN: Spec = {"opacity": 0.55} | INK
DASHED: Spec = PLAIN | {"strokeDash": [5, 3], "strokeWidth": 1.2}
# Words of what needs no model.
PALE: Spec = {"condition": {"test": "datum.baseline", "value": 0.65}, "value": 1}


def looked_up(evaluation: Evaluation) -> tuple[float, ...]:
    """Return thresholds for a table, below 1: round ones, and the ends of the range."""
    within = evaluation.within
    ends = () if within is None else (within.lower, within.upper)
    return tuple(sorted({*USUAL, *(t for t in ends if t < 1)}))


def decimals(evaluation: Evaluation) -> int:
    """Count the decimals that show four digits of what the event rate costs, and at least five."""
    rate = evaluation.event_rate
    most = rate * (1 - rate)
    return max(5, 3 - math.floor(math.log10(most))) if most > 0 else 5


class ThresholdView(NamedTuple):
    """The thresholds that are seen, and the power of them along the axis."""

    lower: float
    upper: float
    power: float

    def place(self, threshold: Any) -> Any:
        """Return how far along the axis a threshold is, from 0 to 1."""
        start, end, here = (x**self.power for x in (self.lower, self.upper, threshold))
        return (here - start) / (end - start)

    def steps(self, most: int) -> list[float]:
        """Return the multiples of a round number that are seen, about so many."""
        return round_multiples(self.lower, self.upper, most)

    def ticks(self) -> list[float]:
        """Return thresholds to name: even steps, or else powers of ten, then 5 and 2 of them."""
        if (self.lower, self.upper) == (0, 1):
            return list({1.0: EVEN_TICKS, 0.5: TICKS}.get(self.power, SMALL_TICKS))
        if self.power == 1:
            return self.steps(MOST_TICKS)
        least = math.floor(math.log10(self.upper)) - 5
        candidates = [float(f"{x}e{k}") for x in (1, 5, 2) for k in range(0, least, -1)]
        result = [0.0] if self.lower == 0 else []
        for t in candidates:
            beside = (abs(self.place(t) - self.place(x)) for x in result)
            if self.lower <= t <= self.upper and min(beside, default=1.0) >= APART:
                result.append(t)
        return sorted(result)


def views(evaluation: Evaluation) -> tuple[ThresholdView, ...]:
    """Return the view of all thresholds and, if it shows much less, that of the range."""
    within, rate = evaluation.within, evaluation.event_rate
    end = 1.0 if within is None else within.upper
    # Where small thresholds matter, they have more room.
    power = 0.5 if end <= LOW[0] or rate < RARE[0] else 1.0
    if end <= LOW[1] or (within is None and rate < RARE[1]):
        power = 0.25
    whole = ThresholdView(0.0, 1.0, power)
    if within is None:
        return (whole,)
    margin = MARGIN * (within.upper - within.lower)
    ends = within.lower - margin, min(within.upper + margin, 1.0)
    lower, upper = (float(f"{x:.6g}") for x in ends)
    lower = 0.0 if lower < NEAR_ZERO * upper else lower
    start = (within.lower or evaluation.event_rate) / within.upper
    power = 0.25 if start < SMALL_SHARES[1] else 0.5 if start < SMALL_SHARES[0] else 1.0
    # A range that six digits do not tell from a point has nothing to zoom to.
    return (whole, ThresholdView(lower, upper, power)) if 0 < upper - lower <= MOST else (whole,)


def by_view(values: Sequence[Any]) -> Any:
    """Write what is the same in all views, or how it depends on the parameter `zoomed`."""
    whole, *within = values
    if within in ([], [whole]):
        return whole
    return {"expr": f"zoomed ? {json.dumps(within[0])} : {json.dumps(whole)}"}


def zoomed(evaluation: Evaluation) -> list[Spec]:
    """Begin with the view of the range, if there is one; the script of the page changes it."""
    return [{"name": "zoomed", "value": True}] if len(views(evaluation)) > 1 else []


def zoom_words(evaluation: Evaluation) -> str:
    """Say which range can be zoomed to."""
    within = evaluation.within
    if within is None or not zoomed(evaluation):
        return ""
    return f"{percent(within.lower)} to {percent(within.upper)}"


def seen(evaluation: Evaluation) -> list[str]:
    """Keep the rows whose threshold is seen."""
    ends = by_view([view[:2] for view in views(evaluation)])
    return [f"inrange(datum.threshold, {ends['expr']})" for _ in zoomed(evaluation)]


def plain_names(
    evaluation: Evaluation,
    place: Spec,
    words: Callable[[Evaluation, ThresholdView], list[Spec]],
    **look: Any,
) -> Spec:
    """Name what needs no model, at places in each view; those of the view that is seen are kept."""
    rows = [
        row | {"zoomed": k > 0}
        for k, view in enumerate(views(evaluation))
        for row in words(evaluation, view)
    ]
    stand = {name: {"expr": f"datum.{name}"} for name in ("align", "dx")}
    steps = ["datum.zoomed == zoomed" for _ in zoomed(evaluation)]
    text = vega.mark("text", **stand, **look, **PLAIN)
    return vega.layer(text, place | {"text": vega.category("model")}, *steps, values=rows)


def drawn_at(evaluation: Evaluation) -> Column:
    """Return thresholds below 1 to draw curves at, more of them where a range is looked at."""
    more = [x for view in views(evaluation)[1:] for x in (*view[:2], *view.steps(STEPS))]
    both = np.union1d(DRAWN, more)
    return both[both < 1]


def heights(curve: MurphyCurve | DecisionCurve, at: Column) -> Column:
    """Return a curve at thresholds from 0 on; a jump at 0 itself would lie on the axis."""
    return np.append(curve.right[0], curve.at(at[1:]))


def threshold_axis(evaluation: Evaluation) -> Spec:
    """Encode thresholds from left to right."""
    axis: Spec = {"title": "threshold", "format": "~%", "grid": False}
    lower, upper, power = map(by_view, zip(*(among := views(evaluation)), strict=True))
    scale = vega.from_to(lower, upper)
    if power != 1:
        scale |= {"type": "sqrt"} if power == 0.5 else {"type": "pow", "exponent": power}
    if power != 1 or len(among) > 1:
        axis["values"] = by_view([view.ticks() for view in among])
        # Left to itself, the axis writes 0.1 % as 0 %.
        axis["format"] = ".4~%"
    return vega.measure("threshold", scale=scale, axis=axis)


def beside(view: ThresholdView, threshold: float) -> dict[str, Any]:
    """Put a word to the left of a steep line, or to the right if there is no room."""
    room = view.place(threshold) > 0.18
    return {"align": "right", "dx": -7} if room else {"align": "left", "dx": 6}


def grid(evaluation: Evaluation, *, closed: bool = False) -> Spec:
    """Name the thresholds that most curves are drawn at, 1 among them if they have a value there.

    Each curve would otherwise repeat them.
    """
    return {"name": "grid", "value": np.append(drawn_at(evaluation), [1.0] * closed).tolist()}


def series(value: Column, threshold: Column | None = None, digits: int = 5) -> dict[str, Any]:
    """Give a curve as a list, and one of its thresholds if they are not the grid.

    The chart unfolds them into rows. Names of models would otherwise be repeated at each of some
    hundred points.
    """
    height = {"height": vega.shortened(value, digits)}
    return height if threshold is None else {"at": threshold.tolist()} | height


def unfolded(value: str) -> list[Spec]:
    """Unfold the lists of `series` into rows with a threshold and a value."""
    at = {"calculate": "datum.at || grid", "as": "at"}
    return [at, vega.unfold("at", "height", to=("threshold", value))]


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
    low, high = (
        f"({end} < {BORDER} ? round({end} * {FINE}) : {SKIPPED} + round({end} * {COARSE}))"
        for end in ("brush.threshold[0]", "brush.threshold[1]")
    )
    most = len(EDGES) - 1
    # Who begins to drag in the margin begins outside of [0, 1].
    first, last = f"clamp({low}, 0, {most - 1})", f"clamp({high}, first + 1, {most})"
    signals = {
        "first": f"brush.threshold ? {first} : 0",
        "last": f"brush.threshold ? {last} : {most}",
    }
    # Which edge has a number.
    for end, k in (("lower", "first"), ("upper", "last")):
        signals[end] = f"{k} < {FINES} ? {k} / {FINE} : ({k} - {SKIPPED}) / {COARSE}"
    return [{"name": name, "expr": expression} for name, expression in signals.items()]


def _ranking(evaluation: Evaluation) -> Spec:
    """Write names and means beside the curves, the least first, with a bar below each."""
    rows = [
        {"model": name, "baseline": baseline, "number": k}
        | {"area": integrals(curve, EDGES).tolist()}
        for k, (name, baseline, curve) in enumerate(_curves(evaluation))
    ]
    mean = "(datum.area[last] - datum.area[first]) / (upper - lower)"
    share = "(datum.most > 0 ? datum.mean_regret / datum.most : 0)"
    # Ranks and means in pixels.
    places = {
        "line": f"{HEAD} + {STEP} * (datum.row - 0.5)",
        "below": f"{HEAD} + {STEP} * datum.row - 5",
        "start": f"{LEFT}",
        "end": f"{LEFT} + {RANKING_WIDTH} * {share}",
    }
    steps: list[Spec | str] = [
        vega.SHOWN_OR_PLAIN,
        # What differs by a rounding error has the same rank.
        {"calculate": f"round({mean} * 1e14) / 1e14", "as": "mean_regret"},
        vega.numbered("mean_regret", "ascending", {"op": "rank", "as": "rank"}),
        {"joinaggregate": [{"op": "max", "field": "mean_regret", "as": "most"}]},
        *({"calculate": expression, "as": name} for name, expression in places.items()),
    ]
    digits = decimals(evaluation)
    titles = {"model": "model", "mean_regret": ("mean regret", f".{digits + 1}f")}
    place: Spec = {"x": vega.pixels("start"), "x2": {"field": "end"}, "y": vega.pixels("below")}
    place |= {"tooltip": [*vega.hover(titles), vega.measure("rank", "rank")]}
    color, wide = vega.model_color(evaluation.regret), vega.mark("rule", strokeWidth=5)
    bars = [
        vega.layer(wide, place | {"color": color}, "!datum.baseline"),
        vega.layer(vega.mark("rule", strokeWidth=3, **PLAIN), place, "datum.baseline"),
    ]
    data, layer = {"name": "areas", "values": rows}, [*bars, *_words(digits)]
    return {"data": data, "transform": vega.kept(*steps), "layer": layer}


def _words(digits: int) -> list[Spec]:
    text = vega.ink("text", baseline="middle", fontSize=12)
    line = {"y": vega.pixels("line"), "opacity": PALE}
    name = {"x": {"value": LEFT}, "text": vega.category("model")}
    mean = vega.measure("mean_regret", format=f".{digits}f")
    right = {"x": {"value": LEFT + RANKING_WIDTH}, "text": mean}
    beside = text | {"align": "left", "limit": RANKING_WIDTH - 60}
    return [
        {"name": "ranking"} | vega.layer(beside, line | name),
        vega.layer(text | {"align": "right"}, line | right),
    ]


def _heading() -> list[Spec]:
    """Say what the ranking is of, and over which thresholds."""
    lower, upper = (f"format(100 * {end}, '.4~r') + ' %'" for end in ("lower", "upper"))
    over = {"expr": f"'thresholds ' + {lower} + ' to ' + {upper}"}
    look = vega.ink("text", fontSize=12, align="left", baseline="middle")
    return [
        vega.layer(
            look | {"text": text, "fontWeight": weight},
            {"x": {"value": LEFT}, "y": {"value": y}},
            values=[{}],
        )
        for text, weight, y in (("Mean regret", 600, 10), (over, 400, 27))
    ]


def regret_chart(evaluation: Evaluation) -> Chart:
    """Draw the regret of models, with a range to drag over which they are ranked."""
    ends = evaluation.within or Interval(0, 1)
    parts = _spec(evaluation), _alt(evaluation, ends), _table(evaluation, ends)
    zoom = zoom_words(evaluation)
    return vega.Chart("regret", lead_of("regret"), *parts, wide=True, zoom=zoom)


def _sure(evaluation: Evaluation) -> Spec:
    """Hand over what intervals and tiers are made of, or say why there are none."""
    ends, over = evaluation.within or Interval(0, 1), evaluation.over_ranges
    headline: Spec = {"headline": [ends.lower, ends.upper]}
    if over is None:
        summary, other = "a summary without the rows", "tensors, or of very many clusters"
        why = summary if evaluation.summed else other
        return headline | {"why": f"There are no intervals over other ranges of {why}."}
    return headline | {
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
    known = None if compared is None else compared.standard_error > 0
    if compared is None or not np.any(known):
        return 1 - evaluation.level
    # Where signs were flipped, one side may have been extended to zero.
    sides = np.abs(compared.simultaneous - compared.difference[:, None]).min(axis=1)
    reach = sides[known] / compared.standard_error[known]
    return float(2 * stdtr(compared.degrees, -reach.max()))


def _packed(x: Column) -> str:
    """Write numbers as text, 32 bits each."""
    return b64encode(x.astype("<f4").tobytes()).decode()


def _curves(evaluation: Evaluation) -> list[tuple[str, bool, MurphyCurve]]:
    """Return each name, whether it is a baseline, and its curve."""
    both = (False, evaluation.regret), (True, evaluation.baseline_regret)
    return [(name, plain, curve) for plain, curves in both for name, curve in curves.items()]


def _spec(evaluation: Evaluation) -> Spec:
    names, steps = list(evaluation.regret), grid(evaluation, closed=True)
    rows = len(names) + len(evaluation.baseline_regret)
    drawn = *_plain_curves(evaluation), _model_curves(evaluation)
    return {
        "width": WIDTH,
        "height": max(HEIGHT, HEAD + STEP * rows),
        "usermeta": _sure(evaluation),
        "params": [vega.shown(names), steps, *zoomed(evaluation), *chosen_ends()],
        "layer": [_brush(evaluation), *drawn, _ranking(evaluation), *_heading()],
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
    x, ends = {"x": threshold_axis(evaluation)}, [{"threshold": 0}, {"threshold": 1}]
    return {"params": [brush]} | vega.layer(unseen, x, values=ends)


def _model_curves(evaluation: Evaluation) -> Spec:
    names = list(evaluation.regret)
    rows = [
        {"model": name} | _drawn(evaluation, curve, jumps=len(curve.threshold) <= FEW)
        for name, curve in evaluation.regret.items()
    ]
    place = _place(evaluation) | {"color": vega.model_color(names)}
    line = vega.mark("line", strokeWidth=2, clip=True)
    return _unfolded(evaluation, "curves", rows, vega.SHOWN) | {
        "layer": [
            vega.layer(line, place | {"strokeDash": vega.model_dash(names)}),
            _pointed(evaluation, place, "model") | vega.pointer("threshold"),
        ]
    }


def _unfolded(evaluation: Evaluation, name: str, rows: list[Spec], *first: str) -> Spec:
    """Unfold curves into points, and keep those that are seen."""
    steps = vega.kept(*first, *unfolded("regret"), *seen(evaluation))
    return {"data": {"name": name, "values": rows}, "transform": steps}


def _pointed(evaluation: Evaluation, place: Spec, said: str) -> Spec:
    """Show the numbers of a curve that is pointed at."""
    regret = ("regret", f".{decimals(evaluation)}f")
    numbers = {"model": said, "threshold": ("threshold", ".2~%"), "regret": regret}
    return vega.layer(
        vega.dot(80, clip=True),
        place | {"opacity": vega.POINTED, "tooltip": vega.hover(numbers)},
        # Fewer points will do to be hit, and the page is quicker.
        {"window": [vega.ROW_NUMBER], "groupby": ["model"]},
        "datum.row % 3 == 0",
    )


def _drawn(evaluation: Evaluation, curve: MurphyCurve, *, jumps: bool) -> Spec:
    """Return the curve on a grid, since the axis may bend what is straight, and its jumps."""
    at = np.append(drawn_at(evaluation), 1.0)
    if not jumps:
        return series(heights(curve, at))
    between = np.setdiff1d(at, curve.threshold)
    x, y = (column[1:] for column in curve.curve())
    t = np.concatenate([x, between])
    order = np.argsort(t, kind="stable")
    return series(np.concatenate([y, curve.at(between)])[order], t[order])


def _place(evaluation: Evaluation) -> Spec:
    tops = [_tallest(evaluation, view) for view in views(evaluation)]
    scale = vega.from_to(0, by_view(tops))
    y = vega.measure("regret", axis={"title": "regret", "tickCount": 5}, scale=scale)
    return {"x": threshold_axis(evaluation), "y": y}


def _tallest(evaluation: Evaluation, view: ThresholdView) -> float:
    """Make room for all models, unless one is far worse than none."""
    rate = evaluation.event_rate
    most = min(max(rate, view.lower), view.upper)
    none = min(most * (1 - rate), (1 - most) * rate) or 0.1
    # The most that curves reach where they are seen.
    highest, ends = 0.0, [view.lower, view.upper]
    for curve in evaluation.regret.values():
        inside = (curve.threshold >= view.lower) & (curve.threshold <= view.upper)
        limits = (x[inside].max(initial=0) for x in (curve.left, curve.right))
        highest = float(max(highest, *limits, curve.at(ends).max()))
    return 1.08 * max(none, min(highest, TALLEST * none))


def _plain_curves(evaluation: Evaluation) -> list[Spec]:
    """Draw what it costs to act on all and on none; the event rate has the lesser of the two."""
    place = _place(evaluation)
    rows = [
        {"model": name} | _drawn(evaluation, evaluation.baseline_regret[name], jumps=False)
        for name in (TREAT_ALL, TREAT_NONE)
    ]
    line = vega.mark("line", clip=True, **DASHED)
    plain = place | {"color": {"value": "currentColor"}}
    layers = [
        vega.layer(line, place | {"detail": vega.category("model")}),
        _pointed(evaluation, plain, "without a model"),
    ]
    return [
        _unfolded(evaluation, "baselines", rows) | {"layer": layers},
        plain_names(evaluation, place, _names, baseline="bottom", dy=-3),
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
    words = {"lower": percent(ends.lower), "upper": percent(ends.upper), "listing": listing}
    return lead_of("regret", "alt", **words, none=f"{none[best]:.{digits}f}", cheapest=best)


def _table(evaluation: Evaluation, ends: Interval) -> NumberTable:
    digits, at = decimals(evaluation), looked_up(evaluation)
    ranges = dict.fromkeys([ends, Interval(0, 1)])
    over = [f"mean, {percent(r.lower)} to {percent(r.upper)}" for r in ranges]
    rows = [
        (name, *(f"{x:.{digits}f}" for x in (*(_mean(curve, r) for r in ranges), *curve.at(at))))
        for name, _, curve in _curves(evaluation)
    ]
    return vega.NumberTable(("regret", *over, *(f"at {percent(t)}" for t in at)), rows)
