"""How well models rank, and what their scores are made of.

Ranking: ROC curves, and how far apart the forecasts of events and of others are. Scores: model
against source, and miscalibration against discrimination.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from itertools import product
from typing import TypeAlias

import numpy as np

from properly._boundary._text import amount_of, listed, printable
from properly.calibration._decomposition import Decomposition
from properly.comparison._pairs import interval_name
from properly.decisions._roc import RocCurve
from properly.evaluation._record import Evaluation
from properly.plots._diagrams import Isoline, ScorePlane, plane_of
from properly.plots._names import label_places
from properly.probability._means import Means
from properly.probability._power_means import LABELS, POWERS
from properly.report import _page_words as words
from properly.report import _vega as vega
from properly.report._calibration_charts import COLUMNS, Frame, frame_of
from properly.report._page_words import fixed, from_to, lead_of, percent, score_in_words
from properly.report._vega import INK, Chart, NumberTable, Spec, short

Models: TypeAlias = Mapping[str, "Decomposition"]

SIZE = 340
# Points of all curves together, so that many models do not make a large page.
ALL_POINTS = 3000
# Pixels of a line of the list in the lower right corner.
LINE = 17
DIAGONAL = [{"x": 0, "y": 0}, {"x": 1, "y": 1}]
RISKS_HIGH, BARS = 170, 30
KINDS = ("event", "other")
RISKS_HEAD = ("model", "mean forecast, events", "mean forecast, others", "difference")
# The marks of the three means, as in the figures of the library.
SHAPES = {
    "decisiveness": "triangle-up",
    "mean probability": "diamond",
    "robustness": "triangle-down",
}
# Pixels of a row, and the part of the axis below the least number.
ROW, AIR = 54, 0.04
# Pixels of a panel, how many stand in a row, how many there are at most, and what they are apart.
# The scores at the ends of lines stand right of a panel.
WIDTH, HEIGHT, IN_A_ROW, PANELS, GAP = 410, 280, 2, 4, 110
# Pixels of a name at most, of a letter on average, and of the height of letters.
LONGEST, LETTER, HIGH = 150, 6.1, 12.0
# The other ends of lines, and words that stand beside their point as its row says.
ENDS: Spec = {field: {"field": field} for field in ("x2", "y2")}
STAND: Spec = {name: {"expr": f"datum.{name}"} for name in ("dx", "dy", "align", "baseline")}


def roc_chart(evaluation: Evaluation) -> Chart | None:
    """Draw true positives against false positives; None if all or none had the event."""
    if not any(math.isfinite(auc.value) for auc in evaluation.aucs.values()):
        return None
    aucs = evaluation.aucs
    lead = lead_of("roc", "lead", *["summed"] * (evaluation.summed and len(aucs) > 1))
    ranked = sorted(aucs.items(), key=lambda item: -item[1].value)
    listing = ", ".join(f"{printable(name)} {estimate.value:.3f}" for name, estimate in ranked)
    alt = f"Area under the ROC curve, the greatest first: {listing}. Chance has 0.5."
    rows = [(name, fixed(x.value, 4), from_to(x.interval, 4)) for name, x in aucs.items()]
    table = NumberTable(("model", "AUC", f"{100 * evaluation.level:g} % interval"), rows)
    return Chart("roc", lead, _roc_spec(evaluation), alt, table, _differences(evaluation))


def _roc_spec(evaluation: Evaluation) -> Spec:
    names = list(evaluation.roc)
    most = min(vega.MOST_POINTS, ALL_POINTS // len(names))
    rows = []
    for name, curve in evaluation.roc.items():
        # Above the highest forecast there is no threshold.
        columns = curve.false_positive_rate, curve.true_positive_rate, curve.threshold
        points = vega.thinned(*columns, most=most, along=columns[0] + columns[1])
        lists = zip(("fpr", "tpr", "from"), map(vega.shortened, points), strict=True)
        rows.append({"model": name} | dict(lists))
    unfolded = vega.unfold("fpr", "tpr", "from", to=("x", "y", "threshold"))
    dashed = vega.ink("line", opacity=0.5, strokeDash=[5, 3])
    curves: Spec = {"data": {"name": "curves", "values": rows}, "layer": _curves(names)}
    curves |= {"transform": vega.kept(vega.SHOWN, unfolded)}
    layers = [vega.layer(dashed, _rates(), values=DIAGONAL), curves, _areas(evaluation)]
    return {"width": SIZE, "height": SIZE, "params": [vega.shown(names)], "layer": layers}


def _rates() -> Spec:
    titles = {"x": "share of non-events acted on", "y": "share of events acted on"}
    axis, scale = {"format": "~%", "tickCount": 5}, vega.from_to(0, 1)
    return {
        field: vega.measure(field, scale=scale, axis=axis | {"title": title})
        for field, title in titles.items()
    }


def _curves(names: list[str]) -> list[Spec]:
    place = _rates() | {"color": vega.model_color(names)}
    shares = {"y": ("of the events", ".1%"), "x": ("of the non-events", ".1%")}
    titles = {"model": "model"} | shares | {"threshold": ("forecasts from", ".4f")}
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


def _differences(evaluation: Evaluation) -> NumberTable | None:
    """Compare the greatest area with each other one; that takes rows, and two models."""
    comparison = evaluation.auc_differences
    if comparison is None:
        return None
    best, *others = sorted(evaluation.aucs, key=lambda name: -evaluation.aucs[name].value)
    rows = []
    for other in others:
        pair = comparison[best, other]
        numbers = fixed(pair.difference, 4, sign=True), from_to(pair.simultaneous, 4)
        rows.append((other, *numbers, words.chance(pair.adjusted_p_value)))
    head = (f"{best} against", "difference", interval_name(comparison), "adjusted p")
    return NumberTable(head, rows, "AUC differences")


def risks_chart(evaluation: Evaluation) -> Chart | None:
    """Draw the forecasts by what happened, one panel per model; there must be some of both."""
    if not 0 < evaluation.event_rate < 1:
        return None
    frame = frame_of(evaluation.reliability.values(), evaluation.event_rate)
    names, curves = list(evaluation.roc), list(evaluation.roc.values())
    rows = [
        {"model": names[k], "panel": k} | bars
        for k, curve in enumerate(curves)
        for bars in _bars(curve, frame)
    ]
    panel = {"width": vega.PANEL, "height": RISKS_HIGH, "layer": _sides(names, frame)}
    steps = _transform(rows, frame)
    pairs, table = [], []
    for name, curve in evaluation.roc.items():
        rates = curve.true_positive_rate, curve.false_positive_rate
        # The mean forecast of events and of others.
        a, b = (float(curve.threshold[1:] @ np.diff(rate)) for rate in rates)
        pairs.append(f"{printable(name)} {percent(a)} against {percent(b)}")
        table.append((name, *(percent(x, 3) for x in (a, b, a - b))))
    lead = lead_of("risks", "lead", *["root"] * frame.root)
    spec = vega.model_panels(names, rows, panel, vega.PANEL, COLUMNS, transform=steps)
    alt = f"Mean forecast of cases with the event against all others: {'; '.join(pairs)}."
    return Chart("risks", lead, spec, alt, NumberTable(RISKS_HEAD, table), wide=True)


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
        parts = vega.shortened(share[kept], 3)
        rows.append({"kind": kind, "step": kept.tolist(), "part": parts})
    return rows


def _transform(rows: list[Spec], frame: Frame) -> list[Spec]:
    """Say where bars stand and how high: events above the line, others below it."""
    happened = "datum.kind == 'event'"
    most = {k: max(x for row in rows if row["kind"] == k for x in row["part"]) for k in KINDS}
    height = f"{happened} ? datum.share / {most['event']} : -datum.share / {most['other']}"
    power = 2 if frame.root else 1
    edges = [f"{frame.top} * pow({k} / {BARS}, {power})" for k in ("datum.k", "(datum.k + 1)")]
    who = f"{happened} ? 'cases with the event' : 'all others'"
    fields = dict(zip(("x", "x2", "height", "who"), (*edges, height, who), strict=True))
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


def source_chart(evaluation: Evaluation) -> Chart | None:
    """Draw three means of the probability of what happened, of each model and of its source."""
    if not evaluation.means:
        return None
    means, baseline = evaluation.means, next(iter(evaluation.means.values())).baseline
    order = sorted(means, key=lambda name: -means[name].mean_probability)
    rows = [row for place, name in enumerate(order) for row in _rows(name, place, means[name])]
    said = [
        f"{printable(name)} {percent(means[name].mean_probability, 3)}"
        f" where its source has {percent(means[name].source.mean_probability, 3)}"
        for name in order
    ]
    alt = f"Mean probability of the outcome, a geometric mean: {listed(said)}. "
    alt += f"No model has {percent(baseline, 3)}."
    head = ("model", *LABELS.values(), "mean probability of the source", "ratio to the source")
    numbers = []
    for name, x in means.items():
        four = (*(getattr(x.model, mean) for mean in POWERS), x.source.mean_probability)
        numbers.append((name, *(percent(p, 3) for p in four), words.few(x.divergence, 3)))
    spec = _source_spec(list(means), rows, baseline)
    return Chart("source", lead_of("source"), spec, alt, NumberTable(head, numbers))


def _rows(name: str, place: int, means: Means) -> list[Spec]:
    """Lay out the marks of the model and of the source, and what is to be said about a zero."""
    both = {"model": means.model, "source": means.source}
    row: Spec = {"model": name, "place": place}
    rows = [
        row
        | {"whose": whose, "mean": LABELS[mean], "x": short(getattr(three, mean))}
        | {"own": short(getattr(means.model, mean)), "source": short(getattr(means.source, mean))}
        for whose, three in both.items()
        for mean in POWERS
    ]
    if means.impossible:
        words = f"0: called impossible what happened in {amount_of(means.impossible)}"
        rows.append(row | {"whose": "model", "said": words, "x": 0})
    return rows


def _source_spec(names: list[str], rows: list[Spec], baseline: float) -> Spec:
    least = min(row["x"] for row in rows)
    low = 0 if least < 0.3 else round(int(10 * (least - AIR)) / 10, 1)
    axis = {"format": "~%", "tickCount": 6, "title": "average probability given to what happened"}
    sort = {"field": "place", "op": "min"}
    lanes = {"domain": ["model", "source"], "paddingOuter": 0.6}
    at = {
        "y": vega.category("model", sort=sort, axis=vega.BARE | {"labelLimit": 150}),
        "x": vega.measure("x", scale=vega.from_to(low, 1, zero=False), axis=axis),
        "yOffset": vega.category("whose", scale=lanes),
    }
    # The mean probability of forecasts that are the event rate.
    none, values = {"x": at["x"] | {"field": "at"}}, [{"at": short(baseline), "who": "event rate"}]
    tooltip = {"tooltip": vega.hover({"at": ("event rate", ".2%")})}
    who = {"y": {"value": 0}, "text": vega.category("who")}
    dashed = vega.ink("rule", strokeDash=[4, 3], strokeWidth=1.2, opacity=0.55)
    text = vega.ink("text", baseline="bottom", dy=-3, opacity=0.55)
    # The mean probability stands above its mark; or, where it is 0, why.
    above = vega.ink("text", baseline="bottom", dy=-7)
    own = "datum.whose == 'model' && datum.mean == 'mean probability' && datum.x > 0"
    number, said = ({"text": x} for x in (vega.measure("x", format=".1%"), vega.category("said")))
    layers = [
        vega.layer(dashed, none | tooltip, values=values),
        vega.layer(text, none | who, values=values),
        *_marks("model", at, vega.model_color(names)),
        *_marks("source", at, None),
        vega.layer(above | {"opacity": 0.85}, at | number, own),
        vega.layer(above | {"align": "left", "dx": 8}, at | said, "isValid(datum.said)"),
    ]
    look = {"width": "container", "height": ROW * len(names), "layer": layers}
    return vega.of_models(names, rows, **look)


def _marks(whose: str, at: Spec, color: Spec | None) -> list[Spec]:
    """Draw three marks and the line that joins them: full for a model, hollow for a source."""
    chosen = f"datum.whose == '{whose}' && isValid(datum.mean)"
    look: Spec = {} if color else {"opacity": 0.7} | INK
    paint: Spec = {"color": color} if color else {}
    ends = {"x": at["x"] | {"aggregate": "min"}, "x2": {"field": "x", "aggregate": "max"}}
    symbols = dict.fromkeys(("symbolFillColor", "symbolStrokeColor"), "currentColor")
    legend = {"title": None, "orient": "top"} | symbols
    scale = {"domain": list(SHAPES), "range": list(SHAPES.values())}
    titles = {"own": ("of the forecasts", ".2%"), "source": ("of the source", ".2%")}
    shown = {
        "shape": vega.category("mean", scale=scale, legend=legend),
        "tooltip": vega.hover({"model": "model", "mean": "mean"} | titles),
    }
    point = vega.mark("point", filled=color is not None, size=90, strokeWidth=1.6)
    return [
        vega.layer(vega.mark("rule", strokeWidth=1.6) | look, at | ends | paint, chosen),
        vega.layer(point | (look or {"opacity": 1}), at | paint | shown, chosen),
    ]


def plane_chart(evaluation: Evaluation) -> Chart | None:
    """Draw miscalibration against discrimination, one panel per rule."""
    panels = {rule: models for rule in _rules(evaluation) if (models := _finite(evaluation, rule))}
    if not panels:
        return None
    chosen = dict(list(panels.items())[:PANELS])
    rows = []
    for rule, name in product(_rules(evaluation), evaluation.decompositions):
        parts = evaluation.decompositions[name][rule]
        digits = max(words.decimals_for(parts.uncertainty, 4), 5)
        cells = [name, score_in_words(evaluation, rule), fixed(parts.score, digits)]
        for what in ("miscalibration", "discrimination"):
            pair = getattr(parts.intervals, what) if parts.intervals else (math.nan, math.nan)
            cells += [fixed(getattr(parts, what), digits), from_to(pair, digits)]
        rows.append(tuple(cells))
    ends = "corrected interval"
    head = ("model", "by the", "score", "miscalibration", ends, "discrimination", ends)
    panels_of_rules = [_panel(evaluation, rule, models) for rule, models in chosen.items()]
    look = {"columns": IN_A_ROW, "bounds": "flush", "spacing": GAP, "concat": panels_of_rules}
    (rule, models), table = next(iter(panels.items())), NumberTable(head, rows[: vega.MOST_ROWS])
    spec = {"params": [vega.shown(evaluation.decompositions)]} | look
    alt, wide = _plane_alt(score_in_words(evaluation, rule), models), len(chosen) > 1
    return Chart("plane", _plane_lead(evaluation), spec, alt, table, wide=wide)


def _rules(evaluation: Evaluation) -> list[str]:
    """Name the rules, the one that models are judged by first."""
    names = [rule.name for rule in evaluation.rules]
    return sorted(names, key=lambda name: name != evaluation.primary)


def _finite(evaluation: Evaluation, rule: str) -> dict[str, Decomposition]:
    parts = {name: by_rule[rule] for name, by_rule in evaluation.decompositions.items()}
    return {k: x for k, x in parts.items() if math.isfinite(x.miscalibration + x.discrimination)}


def _plane_lead(evaluation: Evaluation) -> str:
    every = [parts for by in evaluation.decompositions.values() for parts in by.values()]
    bars = ["bars"] * any(parts.intervals for parts in every)
    said = [lead_of("plane", "lead", *bars, level=f"{100 * evaluation.level:g} %")]
    for rule in _rules(evaluation):
        drawn = _finite(evaluation, rule)
        missing = [name for name in evaluation.decompositions if name not in drawn]
        if missing:
            score, models = score_in_words(evaluation, rule), listed(missing)
            said.append(lead_of("plane", "missing", score=score, models=models))
    return " ".join(said)


def _panel(evaluation: Evaluation, rule: str, models: Models) -> Spec:
    plane, names = plane_of(models.values()), list(evaluation.decompositions)
    axis = {"grid": False, "tickCount": 4}
    ends = (("x", "miscalibration", plane.right), ("y", "discrimination", plane.top))
    place = {
        field: vega.measure(field, title, scale=vega.from_to(0, end), axis=axis)
        for field, title, end in ends
    }
    # Room for the scores at the ends of lines, which stand above the panel.
    title = {"anchor": "start", "fontSize": 12, "offset": 16}
    return {
        "title": {"text": score_in_words(evaluation, rule)} | title,
        "width": WIDTH,
        "height": HEIGHT,
        "layer": [_isolines(plane, place), *_models(models, names, plane, place)],
    }


def _isolines(plane: ScorePlane, place: Spec) -> Spec:
    """Draw lines of equal score, with the score where each leaves the picture."""
    look = {
        channel: {"condition": {"test": "datum.none", "value": of_none}, "value": other}
        for channel, of_none, other in (("strokeWidth", 1.4, 0.7), ("opacity", 0.6, 0.25))
    }
    at_end = {"x": place["x"] | {"field": "x2"}, "y": place["y"] | {"field": "y2"}}
    text = vega.ink("text", opacity=0.65, fontSize=10, **STAND)
    return {
        "data": {"values": [_isoline(plane, line) for line in plane.isolines()]},
        "layer": [
            vega.layer(vega.ink("rule", clip=True), place | ENDS | look),
            vega.layer(text, at_end | {"text": vega.category("label")}),
        ],
    }


def _isoline(plane: ScorePlane, line: Isoline) -> Spec:
    above = {"dx": 0, "dy": -3, "align": "center", "baseline": "bottom"}
    beside = {"dx": 3, "dy": 0, "align": "left", "baseline": "middle"}
    none = line.score == plane.uncertainty
    label = words.few(line.score, 3) if none else f"{line.score:.{line.digits}f}"
    corners = zip(("x", "y", "x2", "y2"), (*line.start, *line.end), strict=True)
    stand = above if line.end[0] < plane.right else beside
    return {"label": label, "none": none} | dict(corners) | stand


def _models(models: Models, names: list[str], plane: ScorePlane, place: Spec) -> list[Spec]:
    color = {"color": vega.model_color(names)}
    bars = [
        {"model": name} | dict(zip(("x", "y", "x2", "y2"), map(short, bar), strict=True))
        for name, parts in models.items()
        for bar in plane.bars(parts)
    ]
    # A name has the colour of its point: others may be nearer.
    text = vega.mark("text", fontSize=11, fontWeight=600, limit=LONGEST, **STAND)
    numbers = {"score": "score", "x": "miscalibration", "y": "discrimination"}
    titles = {"model": "model"} | {field: (title, ".5f") for field, title in numbers.items()}
    thin, place = vega.mark("rule", strokeWidth=1.2, opacity=0.8), place | color
    points = {
        "data": {"values": _points(models, plane, bars)},
        "transform": vega.kept(vega.SHOWN),
        "layer": [
            vega.layer(vega.dot(70, opacity=1), place | {"tooltip": vega.hover(titles)}),
            vega.layer(text, place | {"text": vega.category("model", "model")}),
        ],
    }
    return [vega.layer(thin, place | ENDS, vega.SHOWN, values=bars), points] if bars else [points]


def _points(models: Models, plane: ScorePlane, bars: list[Spec]) -> list[Spec]:
    """Place points, and their names where they cover least."""

    def pixels(x: float, y: float) -> tuple[float, float]:
        return WIDTH * x / plane.right, HEIGHT * (1 - y / plane.top)

    taken = []
    for bar in bars:
        (left, low), (right, high) = pixels(bar["x"], bar["y"]), pixels(bar["x2"], bar["y2"])
        taken.append((left - 1, high - 1, right + 1, low + 1))
    places = [pixels(x.miscalibration, x.discrimination) for x in models.values()]
    sizes = [(min(LETTER * len(name), LONGEST), HIGH) for name in models]
    stands = label_places(places, sizes, (0.0, 0.0, WIDTH, HEIGHT), taken)
    parts = {"x": "miscalibration", "y": "discrimination", "score": "score"}
    return [
        {"model": name, **{field: short(getattr(x, part)) for field, part in parts.items()}}
        | stand._asdict()
        for (name, x), stand in zip(models.items(), stands, strict=True)
    ]


def _plane_alt(score: str, models: Models) -> str:
    equations = [
        f"{printable(name)} {words.few(x.score, 4)} = {words.few(x.uncertainty, 4)} + "
        f"{words.few(x.miscalibration, 3)} - {words.few(x.discrimination, 3)}"
        for name, x in sorted(models.items(), key=lambda item: item[1].score)
    ]
    what = f"Scores by the {score}, as uncertainty plus miscalibration minus discrimination"
    return f"{what}, the best first: {'; '.join(equations)}."
