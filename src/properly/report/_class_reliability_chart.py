"""Reliability diagrams of classes, one panel a question."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from properly._boundary._plain import count_of_cases, printable
from properly.report._chart import (
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
from properly.report._words import few, listed, percent

if TYPE_CHECKING:
    from properly.calibration._decomposition import Decomposition
    from properly.calibration._reliability import Reliability
    from properly.evaluation._class_evaluation import ClassEvaluation

Row: TypeAlias = dict[str, Any]
Column: TypeAlias = np.ndarray[Any, Any]

# Pixels of a panel, how many stand in a row, and how many panels make even rows of three.
SIZE, COLUMNS, BY_THREE = 176, 4, (3, 5, 6, 9)
# Bins of all curves together, so that many panels do not make a large page.
ALL_BINS, FEWEST_BINS, BAND_POINTS = 1500, 15, 40
MOST_ROWS = 30
ASKED = {
    "ordinal": "Each panel asks of every case: was it this class or a higher one?",
    "multiclass": "Each panel asks of every case: was it this class?",
}
LEAD = (
    "The line says how often the answer was yes after each forecast of it: on the diagonal "
    "forecasts mean what they say, below it yes came less often than was said, above it more "
    "often. Axes end where the forecasts of a panel do."
)
BAND = (
    "In the grey band the line of calibrated forecasts would run, at each point in 90 of 100 "
    "samples; somewhere, most lines leave it by chance. MCB is what recalibration would save, DSC "
    "what the forecasts know."
)
# One band after the other can be read, not several at once.
SEVERAL = "One line is one model. Switch all but one off to see where chance could have led it."


def class_reliability_chart(evaluation: ClassEvaluation) -> Chart | None:
    """Draw how often each answer was yes after each forecast of it, one panel a question."""
    records = evaluation.reliability
    if not records:
        return None
    questions = list(next(iter(records.values())))
    names = list(records)
    asked = ASKED[evaluation.task]
    banded = any(x.band is not None for by_name in records.values() for x in by_name.values())
    several = SEVERAL if banded else "One line is one model."
    more = ([several] if len(names) > 1 else []) + ([BAND] if banded else [])
    return Chart(
        name="reliability",
        title="Reliability: do forecasts mean what they say?",
        lead=" ".join([asked, LEAD, *more]),
        spec=_spec(names, questions, _rows(evaluation, questions)),
        alt=_alt(evaluation, questions),
        table=_table(evaluation, questions),
        wide=True,
    )


def _rows(evaluation: ClassEvaluation, questions: list[str]) -> list[Row]:
    """Lay out all that the panels show as rows of one table."""
    records = evaluation.reliability
    most = max(ALL_BINS // (len(records) * len(questions)), FEWEST_BINS)
    found: list[Row] = []
    for k, question in enumerate(questions):
        end = _end(evaluation, question)
        ends = (0, short(end))
        found += [{"question": k, "kind": "diagonal", "x": x, "y": x} for x in ends]
        for name, by_question in records.items():
            of_panel = {"question": k, "model": name}
            record = by_question[question]
            rows = [*_bins(record, most), *_band(record, end), *_note(evaluation, name, question)]
            found += [of_panel | row for row in rows]
    return found


def _end(evaluation: ClassEvaluation, question: str) -> float:
    """Return how far forecasts and event rates of a question reach."""
    found = [by_question[question] for by_question in evaluation.reliability.values()]
    return float(max(max(x.value[-1], x.bins.event_rate[-1]) for x in found)) or 1.0


def _bins(record: Reliability, most: int) -> list[Row]:
    bins = record.bins
    columns = thinned(bins.x_min, bins.x_max, bins.weight, bins.event_rate, most=most)
    return [
        {
            "kind": "bin",
            "x": short(low),
            "x2": short(high),
            "y": short(rate),
            "cases": count_of_cases(count),
        }
        for low, high, count, rate in zip(*(column.tolist() for column in columns), strict=True)
    ]


def _band(record: Reliability, end: float) -> list[Row]:
    """Return the band where there are forecasts; beyond them nothing is claimed."""
    if record.band is None:
        return []
    grid = np.linspace(record.value[0], record.value[-1], BAND_POINTS)
    lower, upper = record.band.at(grid)
    known = ~(np.isnan(lower) | np.isnan(upper))
    columns = (column[known].tolist() for column in (grid, lower, np.minimum(upper, end)))
    return [
        {"kind": "band", "x": short(x), "y": short(low), "y2": short(high)}
        for x, low, high in zip(*columns, strict=True)
    ]


def _note(evaluation: ClassEvaluation, name: str, question: str) -> list[Row]:
    part = _part(evaluation, name, question)
    if part is None:
        return []
    told = f"MCB {few(part.miscalibration)} · DSC {few(part.discrimination)}"
    return [{"kind": "note", "note": told}]


def _part(evaluation: ClassEvaluation, name: str, question: str) -> Decomposition | None:
    """Find what the score of a question is made of, by the first rule that asks it."""
    for found in evaluation.decompositions[name].values():
        if question in found.names:
            return found.parts[found.names.index(question)]
    return None


def _spec(names: list[str], questions: list[str], rows: list[Row]) -> Spec:
    axis = {"format": "~%", "tickCount": 4}
    place: Spec = {"type": "quantitative", "axis": axis, "scale": {"zero": True, "nice": False}}
    x = {"field": "x", "title": "forecast"} | place
    y = {"field": "y", "title": "how often it happened"} | place
    header = {
        "title": None,
        # Names are data of a parameter, and looked up by number: nothing in them is obeyed.
        "labelExpr": "questions[datum.value]",
        "labelLimit": SIZE,
        "labelFontWeight": "bold",
        "labelAnchor": "start",
    }
    told = {"name": "questions", "value": [printable(question) for question in questions]}
    return {
        "params": [shown(names), told],
        "data": {"values": rows},
        "facet": {"field": "question", "type": "ordinal", "header": header},
        "columns": 3 if len(questions) in BY_THREE else COLUMNS,
        "resolve": {
            "scale": {"x": "independent", "y": "independent"},
            "axis": {"x": "independent", "y": "independent"},
        },
        "spec": {
            "width": SIZE,
            "height": SIZE,
            "encoding": {"x": x, "y": y},
            "layer": _layers(names),
        },
    }


def _layers(names: list[str]) -> list[Spec]:
    ink: Spec = {"color": "currentColor"}
    color, dash = model_color(names), model_dash(names)
    corners: list[Spec] = [
        {"calculate": "[datum.x, datum.x2]", "as": "corner"},
        {"flatten": ["corner"]},
    ]
    line = {"x": {"field": "corner"}, "color": color, "strokeDash": dash}
    end = {"field": "x2"}
    return [
        _layer(
            "band",
            {"type": "area"} | ink,
            y2={"field": "y2"},
            detail={"field": "model", "type": "nominal"},
            opacity=_alone(0.16),
        ),
        {
            "transform": [{"filter": "datum.kind == 'diagonal'"}],
            "mark": {"type": "line", "opacity": 0.5, "strokeDash": [4, 3]} | ink,
        },
        _layer("bin", {"type": "line", "strokeWidth": 1.6}, *corners, **line),
        _layer("bin", {"type": "point", "filled": True, "size": 12, "opacity": 1}, color=color),
        # What a pointer finds is wider than what the eye sees.
        _layer("bin", {"type": "rule", "strokeWidth": 12, "opacity": 0}, x2=end, tooltip=TOLD),
        _layer("bin", {"type": "point", "size": 120, "opacity": 0, "filled": True}, tooltip=TOLD),
        _layer(
            "note",
            {"type": "text", "align": "left", "baseline": "top"} | ink,
            opacity=_alone(0.8),
            x={"value": 6},
            y={"value": 5},
            text={"field": "note", "type": "nominal"},
        ),
    ]


TOLD: list[Spec] = [
    {"field": "model", "type": "nominal", "title": "model"},
    {"field": "x", "type": "quantitative", "title": "forecasts from", "format": ".1%"},
    {"field": "x2", "type": "quantitative", "title": "to", "format": ".1%"},
    {"field": "cases", "type": "nominal", "title": "cases"},
    {"field": "y", "type": "quantitative", "title": "how often it happened", "format": ".1%"},
]


def _layer(kind: str, mark: Spec, *steps: Spec, **encoding: Any) -> Spec:
    """Draw the rows of one kind, of models that are switched on; places are those of the panel."""
    kept = [only_shown(), {"filter": f"datum.kind == '{kind}'"}, *steps]
    found: Spec = {"transform": kept, "mark": mark, "encoding": encoding}
    return found


def _alone(opacity: float) -> Spec:
    """Show only what belongs to a single model; a filter would leave scales without data."""
    return {"condition": {"test": "length(shown) == 1", "value": opacity}, "value": 0}


def _alt(evaluation: ClassEvaluation, questions: list[str]) -> str:
    told = []
    for name, by_question in evaluation.reliability.items():
        apart = {q: r.mean_forecast - r.event_rate for q, r in by_question.items()}
        worst = max(apart, key=lambda question: abs(apart[question]))
        said, was = by_question[worst].mean_forecast, by_question[worst].event_rate
        told.append(
            f"Of {printable(name)} mean forecast and frequency differ most for the question "
            f"{printable(worst)}: {percent(said)} forecast, {percent(was)} happened."
        )
    return f"Panels for {listed(questions)}. {' '.join(told[:2])}"


def _table(evaluation: ClassEvaluation, questions: list[str]) -> Table:
    rows = []
    for question in questions:
        for name, by_question in evaluation.reliability.items():
            record, part = by_question[question], _part(evaluation, name, question)
            rates = (percent(x, 3) for x in (record.mean_forecast, record.event_rate))
            parts = (getattr(part, x, math.nan) for x in ("miscalibration", "discrimination"))
            told = (few(x, 3) for x in parts)
            rows.append((printable(question), printable(name), *rates, *told))
    head = ("question", "model", "mean forecast", "how often it happened", "MCB", "DSC")
    return Table(head, tuple(rows[:MOST_ROWS]))
