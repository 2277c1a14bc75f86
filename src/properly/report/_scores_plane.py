"""Miscalibration against discrimination: what the scores of models are made of."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

from properly._boundary._text import listed, printable
from properly.decisions._grid import round_step
from properly.report._chart import Chart, Spec, Table, model_color, only_shown, short, shown
from properly.report._words import (
    LONGEST,
    decimals_for,
    few,
    fixed,
    from_to,
    label_places,
    score_in_words,
    step_decimals,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from properly.calibration._decomposition import Decomposition
    from properly.evaluation._record import Evaluation
    from properly.plots._names import Box

    Models = Mapping[str, Decomposition]

# Pixels of a panel, how many stand in a row, how many there are at most, and what they are apart.
# The scores at the ends of lines stand right of a panel.
WIDTH, HEIGHT, COLUMNS, PANELS, GAP = 410, 280, 2, 4, 110
# Lines of equal score at most.
LINES = 7
ROWS = 30
AIR = 1.12


class Window(NamedTuple):
    """What a panel shows: from 0 to these, with lines around this score."""

    right: float
    top: float
    uncertainty: float

    def pixels(self, x: float, y: float) -> tuple[float, float]:
        """Return where a point lies, from the upper left corner."""
        return WIDTH * x / self.right, HEIGHT * (1 - y / self.top)


def plane_chart(evaluation: Evaluation) -> Chart | None:
    """Draw miscalibration against discrimination, one panel a rule."""
    panels = {rule: models for rule in _rules(evaluation) if (models := _finite(evaluation, rule))}
    if not panels:
        return None
    chosen = dict(list(panels.items())[:PANELS])
    return Chart(
        name="plane",
        title="What scores are made of",
        lead=_lead(evaluation),
        spec={
            "params": [shown(evaluation.decompositions)],
            "columns": COLUMNS,
            "bounds": "flush",
            "spacing": GAP,
            "concat": [_panel(evaluation, rule, models) for rule, models in chosen.items()],
        },
        alt=_alt(score_in_words(evaluation, next(iter(panels))), next(iter(panels.values()))),
        table=_table(evaluation),
        wide=len(chosen) > 1,
    )


def _rules(evaluation: Evaluation) -> list[str]:
    """Name the rules, the one that models are judged by first."""
    names = [rule.name for rule in evaluation.rules]
    return sorted(names, key=lambda name: name != evaluation.primary)


def _finite(evaluation: Evaluation, rule: str) -> dict[str, Decomposition]:
    parts = {name: by_rule[rule] for name, by_rule in evaluation.decompositions.items()}
    return {
        name: x
        for name, x in parts.items()
        if math.isfinite(x.miscalibration) and math.isfinite(x.discrimination)
    }


def _lead(evaluation: Evaluation) -> str:
    lead = (
        "A score is uncertainty, which no model can help, plus miscalibration less discrimination. "
        "Miscalibration is what it costs that forecasts do not mean what they say, discrimination "
        "what they know. Good models are "
        "high and to the left. Models on one slanted line have the same score; below the thicker "
        "line they are worse than the constant event rate."
    )
    if any(parts.intervals for by in evaluation.decompositions.values() for parts in by.values()):
        lead += (
            f" Bars are {100 * evaluation.level:g} % intervals. They are corrected for a bias that "
            "points have, which may lie outside of them."
        )
    for rule in _rules(evaluation):
        drawn = _finite(evaluation, rule)
        missing = [name for name in evaluation.decompositions if name not in drawn]
        if missing:
            score = score_in_words(evaluation, rule)
            lead += f" Infinite by the {score}, and not drawn: {listed(missing)}."
    return lead


def _panel(evaluation: Evaluation, rule: str, models: Models) -> Spec:
    window = _window(models.values())
    names = list(evaluation.decompositions)
    x, y = (
        {
            "field": field,
            "type": "quantitative",
            "title": title,
            "scale": {"domain": [0, end], "nice": False},
            "axis": {"grid": False, "tickCount": 4},
        }
        for field, title, end in (
            ("x", "miscalibration", window.right),
            ("y", "discrimination", window.top),
        )
    )
    place = {"x": x, "y": y}
    return {
        # Room for the scores at the ends of lines, which stand above the panel.
        "title": {
            "text": score_in_words(evaluation, rule),
            "anchor": "start",
            "fontSize": 12,
            "offset": 16,
        },
        "width": WIDTH,
        "height": HEIGHT,
        "layer": [*_isolines(window, place), *_models(models, names, window, place)],
    }


def _window(models: Iterable[Decomposition]) -> Window:
    models = list(models)
    ends = [x.intervals for x in models if x.intervals]
    right = _farthest([x.miscalibration for x in models] + [end.miscalibration[1] for end in ends])
    top = _farthest([x.discrimination for x in models] + [end.discrimination[1] for end in ends])
    uncertainty = models[0].uncertainty
    other = right or top or uncertainty or 1.0
    return Window(AIR * (right or other), AIR * (top or other), uncertainty)


def _farthest(values: Iterable[float]) -> float:
    return max((value for value in values if math.isfinite(value)), default=0.0)


def _isolines(window: Window, place: Spec) -> list[Spec]:
    """Draw lines of equal score, with the score where each leaves the picture."""
    rows = [_isoline(window, score, label) for score, label in _scores(window).items()]
    thin = {"type": "rule", "color": "currentColor", "clip": True}
    ends = {"x2": {"field": "x2"}, "y2": {"field": "y2"}}
    weight = {"condition": {"test": "datum.none", "value": 1.4}, "value": 0.7}
    paler = {"condition": {"test": "datum.none", "value": 0.6}, "value": 0.25}
    text = {"type": "text", "color": "currentColor", "opacity": 0.65, "fontSize": 10}
    stand = {name: {"expr": f"datum.{name}"} for name in ("dx", "dy", "align", "baseline")}
    at_end = {"x": place["x"] | {"field": "x2"}, "y": place["y"] | {"field": "y2"}}
    return [
        {
            "data": {"values": rows},
            "layer": [
                {
                    "mark": thin,
                    "encoding": place | ends | {"strokeWidth": weight, "opacity": paler},
                },
                {
                    "mark": text | stand,
                    "encoding": at_end | {"text": {"field": "label", "type": "nominal"}},
                },
            ],
        }
    ]


def _isoline(window: Window, score: float, label: str) -> Spec:
    height = window.uncertainty - score  # of the line, where the miscalibration is zero
    start, end = max(0.0, -height), min(window.right, window.top - height)
    ends = {"x": start, "y": start + height, "x2": end, "y2": end + height}
    above = {"dx": 0, "dy": -3, "align": "center", "baseline": "bottom"}
    beside = {"dx": 3, "dy": 0, "align": "left", "baseline": "middle"}
    stand = above if end < window.right else beside
    return {"label": label, "none": score == window.uncertainty} | ends | stand


def _scores(window: Window) -> dict[float, str]:
    """Choose round scores, none so near to that of no skill that two labels would collide."""
    least, most = max(window.uncertainty - window.top, 0.0), window.uncertainty + window.right
    step = round_step((most - least) / LINES)
    digits = step_decimals(step)
    first, last = math.ceil(least / step - 1e-9), math.floor(most / step + 1e-9)
    labels = {
        k * step: f"{k * step:.{digits}f}"
        for k in range(first, last + 1)
        if abs(k * step - window.uncertainty) > 0.6 * step
    }
    return labels | {window.uncertainty: few(window.uncertainty, 3)}


def _models(models: Models, names: list[str], window: Window, place: Spec) -> list[Spec]:
    color = {"color": model_color(names)}
    spans = [span for name, parts in models.items() for span in _spans(name, parts, window)]
    ends = {"x2": {"field": "x2"}, "y2": {"field": "y2"}}
    dot = {"type": "point", "filled": True, "size": 70, "opacity": 1}
    # A name has the colour of its point: others may be nearer.
    text = {"type": "text", "fontSize": 11, "fontWeight": 600, "limit": LONGEST}
    stand = {name: {"expr": f"datum.{name}"} for name in ("dx", "dy", "align", "baseline")}
    name = {"field": "model", "type": "nominal", "title": "model"}
    numbers = [
        {"field": field, "type": "quantitative", "title": title, "format": ".5f"}
        for field, title in (("score", "score"), ("x", "miscalibration"), ("y", "discrimination"))
    ]
    bars = {
        "data": {"values": spans},
        "transform": [only_shown()],
        "mark": {"type": "rule", "strokeWidth": 1.2, "opacity": 0.8},
        "encoding": place | ends | color,
    }
    return [
        *([bars] if spans else []),
        {
            "data": {"values": _points(models, window, spans)},
            "transform": [only_shown()],
            "layer": [
                {"mark": dot, "encoding": place | color | {"tooltip": [name, *numbers]}},
                {"mark": text | stand, "encoding": place | color | {"text": name}},
            ],
        },
    ]


def _spans(name: str, parts: Decomposition, window: Window) -> list[Spec]:
    """Return the bars across a point, as far as there are intervals and they fit."""
    if parts.intervals is None:
        return []
    x, y = parts.miscalibration, parts.discrimination
    left, right = (min(max(end, 0.0), window.right) for end in parts.intervals.miscalibration)
    bottom, top = (min(max(end, 0.0), window.top) for end in parts.intervals.discrimination)
    bars = ({"x": left, "x2": right, "y": y, "y2": y}, {"x": x, "x2": x, "y": bottom, "y2": top})
    return [
        {"model": name} | {key: short(value) for key, value in span.items()}
        for span in bars
        if not any(math.isnan(value) for value in span.values())
    ]


def _points(models: Models, window: Window, spans: Iterable[Spec]) -> list[Spec]:
    taken: list[Box] = []
    for span in spans:
        (left, low), (right, high) = (
            window.pixels(span["x"], span["y"]),
            window.pixels(span["x2"], span["y2"]),
        )
        taken.append((left - 1, high - 1, right + 1, low + 1))
    places = [window.pixels(x.miscalibration, x.discrimination) for x in models.values()]
    stands = label_places(places, list(models), (WIDTH, HEIGHT), taken)
    return [
        {
            "model": name,
            "x": short(x.miscalibration),
            "y": short(x.discrimination),
            "score": short(x.score),
        }
        | stand._asdict()
        for (name, x), stand in zip(models.items(), stands, strict=True)
    ]


def _alt(score: str, models: Models) -> str:
    order = sorted(models, key=lambda name: models[name].score)
    equations = [
        f"{printable(name)} {few(x.score, 4)} = {few(x.uncertainty, 4)} + "
        f"{few(x.miscalibration, 3)} - {few(x.discrimination, 3)}"
        for name in order
        for x in [models[name]]
    ]
    return (
        f"Scores by the {score}, as uncertainty plus miscalibration minus discrimination, the best "
        f"first: {'; '.join(equations)}."
    )


def _table(evaluation: Evaluation) -> Table:
    rows = [
        _row(name, score_in_words(evaluation, rule), evaluation.decompositions[name][rule])
        for rule in _rules(evaluation)
        for name in evaluation.decompositions
    ]
    ends = "corrected interval"
    head = ("model", "by the", "score", "miscalibration", ends, "discrimination", ends)
    return Table(head, tuple(rows[:ROWS]))


def _row(name: str, rule: str, parts: Decomposition) -> tuple[str, ...]:
    digits = max(decimals_for(parts.uncertainty, 4), 5)
    cells: list[Any] = [printable(name), rule, fixed(parts.score, digits)]
    for what in ("miscalibration", "discrimination"):
        ends = getattr(parts.intervals, what) if parts.intervals else (math.nan, math.nan)
        cells += [fixed(getattr(parts, what), digits), from_to(ends, digits)]
    return tuple(cells)
