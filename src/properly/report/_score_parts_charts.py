"""What scores are made of: model against source, and miscalibration against discrimination."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from properly._boundary._text import amount_of, listed, printable
from properly.plots._names import label_places
from properly.plots._score_plane import plane_of
from properly.probability._power_means import LABELS, POWERS
from properly.report import _vega as vega
from properly.report._page_words import (
    decimals_for,
    few,
    fixed,
    from_to,
    lead_of,
    percent,
    score_in_words,
)
from properly.report._vega import INK, Chart, NumberTable, short

if TYPE_CHECKING:
    from collections.abc import Mapping

    from properly.calibration._decomposition import Decomposition
    from properly.evaluation._record import Evaluation
    from properly.plots._score_plane import Isoline, ScorePlane
    from properly.probability._means import Means
    from properly.report._vega import Spec

    Models = Mapping[str, Decomposition]

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
WIDTH, HEIGHT, COLUMNS, PANELS, GAP = 410, 280, 2, 4, 110
# Pixels of a name at most, of a letter on average, and of the height of letters.
LONGEST, LETTER, HIGH = 150, 6.1, 12.0
# The other ends of lines, and words that stand beside their point as its row says.
ENDS: Spec = {field: {"field": field} for field in ("x2", "y2")}
STAND: Spec = {name: {"expr": f"datum.{name}"} for name in ("dx", "dy", "align", "baseline")}


def source_chart(evaluation: Evaluation) -> Chart | None:
    """Draw three means of the probability of what happened, of each model and of its source."""
    if not evaluation.means:
        return None
    means = evaluation.means
    order = sorted(means, key=lambda name: -means[name].mean_probability)
    rows = [row for place, name in enumerate(order) for row in _rows(name, place, means[name])]
    spec = _source_spec(list(means), rows, next(iter(means.values())).baseline)
    return Chart("source", lead_of("source"), spec, _source_alt(means, order), _source_table(means))


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
    layers = [
        *_baseline(baseline, at["x"]),
        *_marks("model", at, vega.model_color(names)),
        *_marks("source", at, None),
        *_written(at),
    ]
    look = {"width": "container", "height": ROW * len(names), "layer": layers}
    return vega.of_models(names, rows, **look)


def _marks(whose: str, at: Spec, color: Spec | None) -> list[Spec]:
    """Draw three marks and the line that joins them: full for a model, hollow for a source."""
    chosen = f"datum.whose == '{whose}' && isValid(datum.mean)"
    look: Spec = {} if color else {"opacity": 0.7} | INK
    paint: Spec = {"color": color} if color else {}
    ends = {"x": at["x"] | {"aggregate": "min"}, "x2": {"field": "x", "aggregate": "max"}}
    legend = {"title": None, "orient": "top"} | dict.fromkeys(
        ("symbolFillColor", "symbolStrokeColor"), "currentColor"
    )
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


def _written(at: Spec) -> list[Spec]:
    """Write the mean probability above its mark; or, where it is 0, why."""
    above = vega.ink("text", baseline="bottom", dy=-7)
    own = "datum.whose == 'model' && datum.mean == 'mean probability' && datum.x > 0"
    number, said = ({"text": x} for x in (vega.measure("x", format=".1%"), vega.category("said")))
    return [
        vega.layer(above | {"opacity": 0.85}, at | number, own),
        vega.layer(above | {"align": "left", "dx": 8}, at | said, "isValid(datum.said)"),
    ]


def _baseline(baseline: float, x: Spec) -> list[Spec]:
    """Draw the mean probability of forecasts that are the event rate."""
    place = {"x": x | {"field": "at"}}
    rows = [{"at": short(baseline), "who": "event rate"}]
    tooltip = {"tooltip": vega.hover({"at": ("event rate", ".2%")})}
    words = {"y": {"value": 0}, "text": vega.category("who")}
    dashed = vega.ink("rule", strokeDash=[4, 3], strokeWidth=1.2, opacity=0.55)
    text = vega.ink("text", baseline="bottom", dy=-3, opacity=0.55)
    return [
        vega.layer(dashed, place | tooltip, values=rows),
        vega.layer(text, place | words, values=rows),
    ]


def _source_alt(means: dict[str, Means], order: list[str]) -> str:
    probabilities = [
        f"{printable(name)} {percent(means[name].mean_probability, 3)}"
        f" where its source has {percent(means[name].source.mean_probability, 3)}"
        for name in order
    ]
    baseline = percent(means[order[0]].baseline, 3)
    return (
        "Mean probability of the outcome, a geometric mean: "
        f"{listed(probabilities)}. No model has {baseline}."
    )


def _source_table(means: dict[str, Means]) -> NumberTable:
    head = ("model", *LABELS.values(), "mean probability of the source", "ratio to the source")
    rows = [
        (name, *(percent(x, 3) for x in (*three, source)), few(one.divergence, 3))
        for name, one in means.items()
        for three in [[getattr(one.model, mean) for mean in POWERS]]
        for source in [one.source.mean_probability]
    ]
    return NumberTable(head, rows)


def plane_chart(evaluation: Evaluation) -> Chart | None:
    """Draw miscalibration against discrimination, one panel per rule."""
    panels = {rule: models for rule in _rules(evaluation) if (models := _finite(evaluation, rule))}
    if not panels:
        return None
    chosen = dict(list(panels.items())[:PANELS])
    rows = [
        _plane_row(name, score_in_words(evaluation, rule), evaluation.decompositions[name][rule])
        for rule in _rules(evaluation)
        for name in evaluation.decompositions
    ]
    ends = "corrected interval"
    head = ("model", "by the", "score", "miscalibration", ends, "discrimination", ends)
    panels_of_rules = [_panel(evaluation, rule, models) for rule, models in chosen.items()]
    look = {"columns": COLUMNS, "bounds": "flush", "spacing": GAP, "concat": panels_of_rules}
    return Chart(
        "plane",
        _plane_lead(evaluation),
        {"params": [vega.shown(evaluation.decompositions)]} | look,
        _plane_alt(score_in_words(evaluation, next(iter(panels))), next(iter(panels.values()))),
        NumberTable(head, rows[: vega.MOST_ROWS]),
        wide=len(chosen) > 1,
    )


def _rules(evaluation: Evaluation) -> list[str]:
    """Name the rules, the one that models are judged by first."""
    names = [rule.name for rule in evaluation.rules]
    return sorted(names, key=lambda name: name != evaluation.primary)


def _finite(evaluation: Evaluation, rule: str) -> dict[str, Decomposition]:
    parts = {name: by_rule[rule] for name, by_rule in evaluation.decompositions.items()}
    return {
        name: x for name, x in parts.items() if math.isfinite(x.miscalibration + x.discrimination)
    }


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
    label = few(line.score, 3) if none else f"{line.score:.{line.digits}f}"
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
        f"{printable(name)} {few(x.score, 4)} = {few(x.uncertainty, 4)} + "
        f"{few(x.miscalibration, 3)} - {few(x.discrimination, 3)}"
        for name, x in sorted(models.items(), key=lambda item: item[1].score)
    ]
    return (
        f"Scores by the {score}, as uncertainty plus miscalibration minus discrimination, the best "
        f"first: {'; '.join(equations)}."
    )


def _plane_row(name: str, rule: str, parts: Decomposition) -> tuple[str, ...]:
    digits = max(decimals_for(parts.uncertainty, 4), 5)
    cells: list[Any] = [name, rule, fixed(parts.score, digits)]
    for what in ("miscalibration", "discrimination"):
        ends = getattr(parts.intervals, what) if parts.intervals else (math.nan, math.nan)
        cells += [fixed(getattr(parts, what), digits), from_to(ends, digits)]
    return tuple(cells)
