"""Scores of classes, question by question, as dots."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from properly._boundary._plain import printable
from properly.report._chart import Chart, Table, model_color, only_shown, short, shown
from properly.report._words import LISTED, few

if TYPE_CHECKING:
    from properly.calibration._class_decomposition import ClassDecomposition
    from properly.evaluation._class_evaluation import ClassEvaluation
    from properly.report._chart import Spec

Row: TypeAlias = dict[str, Any]

PARTS = {
    "score": "score",
    "miscalibration": "miscalibration (MCB)",
    "discrimination": "discrimination (DSC)",
}
WIDTH = 240
# Pixels for each model of a question, and for the question itself.
STEP, LEAST = 12, 30
MOST, MOST_ROWS = 12, 30
LEAD = (
    "One row is one question about the class, and a dot what a model scores on it. The score is "
    "better the lower it is. Miscalibration is what recalibrating the forecasts of that question "
    "would save, so lower is better; discrimination is what the forecasts know, so higher is "
    "better."
)


def class_scores_chart(evaluation: ClassEvaluation) -> Chart | None:
    """Draw score, miscalibration and discrimination of each question as dots."""
    found = _decompositions(evaluation)
    if not found:
        return None
    first = next(iter(found.values()))
    chosen = _chosen(first)
    some = f" Shown are {len(chosen)} of {len(first.names)}." * (len(chosen) < len(first.names))
    return Chart(
        name="class-scores",
        title="Where it goes wrong: scores class by class",
        lead=f"{LEAD}{some}",
        spec=_spec(found, chosen),
        alt=_alt(found, chosen),
        table=_table(found, chosen),
        wide=True,
    )


def _decompositions(evaluation: ClassEvaluation) -> dict[str, ClassDecomposition]:
    """Take the first rule that is a sum over questions, of each model."""
    every = evaluation.decompositions
    named = next((rule for by_rule in every.values() for rule in by_rule), None)
    return {} if named is None else {name: by_rule[named] for name, by_rule in every.items()}


def _chosen(found: ClassDecomposition) -> list[int]:
    """Take the questions whose answers are the least clear beforehand, in their order."""
    unsure = np.array([part.uncertainty for part in found.parts])
    return sorted(int(k) for k in np.argsort(-unsure, kind="stable")[:MOST])


def _spec(found: dict[str, ClassDecomposition], chosen: list[int]) -> Spec:
    names, first = list(found), next(iter(found.values()))
    questions = [printable(first.names[k]) for k in chosen]
    height = len(chosen) * max(STEP * len(names), LEAST)
    return {
        "params": [shown(names), {"name": "questions", "value": questions}],
        "data": {"values": _rows(found, chosen)},
        "transform": [only_shown()],
        "spacing": 24,
        "hconcat": [_panel(names, height, part, labelled=k == 0) for k, part in enumerate(PARTS)],
    }


def _rows(found: dict[str, ClassDecomposition], chosen: list[int]) -> list[Row]:
    return [
        {"question": k, "model": name, "place": model}
        | {part: short(getattr(record.parts[number], part)) for part in PARTS}
        for k, number in enumerate(chosen)
        for model, (name, record) in enumerate(found.items())
    ]


def _panel(names: list[str], height: int, part: str, *, labelled: bool) -> Spec:
    """Draw one number of all questions."""
    axis: Spec = {"title": None, "grid": False, "domain": False, "ticks": False}
    # Names are data of a parameter, and looked up by number: nothing in them is obeyed.
    words = {"labelExpr": "questions[datum.value]", "labelLimit": 190, "labelPadding": 8}
    y = {
        "field": "question",
        "type": "ordinal",
        "axis": axis | (words if labelled else {"labels": False}),
        "scale": {"paddingInner": 0.25},
    }
    x = {
        "field": part,
        "type": "quantitative",
        "title": PARTS[part],
        "scale": {"zero": True},
        "axis": {"tickCount": 4, "labelFlush": False},
    }
    lane = {"field": "place", "type": "ordinal", "scale": {"domain": list(range(len(names)))}}
    told = [
        {"field": "model", "type": "nominal", "title": "model"},
        *(
            {"field": name, "type": "quantitative", "title": title, "format": ".4f"}
            for name, title in PARTS.items()
        ),
    ]
    ink = {"color": model_color(names), "tooltip": told}
    thin = {"type": "rule", "strokeWidth": 1.2, "opacity": 0.5}
    dot = {"type": "point", "filled": True, "size": 70, "opacity": 1}
    return {
        "width": WIDTH,
        "height": height,
        "encoding": {"y": y, "x": x, "yOffset": lane},
        "layer": [
            {"mark": thin, "encoding": {"x2": {"datum": 0}, "color": model_color(names)}},
            {"mark": dot, "encoding": ink},
        ],
    }


def _alt(found: dict[str, ClassDecomposition], chosen: list[int]) -> str:
    """Say of a few models where recalibration would save most."""
    told = []
    for name, record in found.items():
        worst = max(chosen, key=lambda k: record.parts[k].miscalibration)
        saved = few(record.parts[worst].miscalibration)
        told.append(f"{printable(name)}, {printable(record.names[worst])} ({saved})")
    first = next(iter(found.values()))
    more = f"; and {len(told) - LISTED} models more" * (len(told) > LISTED)
    kind = first.rule.name
    return f"Where miscalibration ({kind}) is largest: {'; '.join(told[:LISTED])}{more}."


def _table(found: dict[str, ClassDecomposition], chosen: list[int]) -> Table:
    rows = [
        (
            printable(record.names[k]),
            printable(name),
            *(few(getattr(record.parts[k], part), 3) for part in ("score", "skill", *LATER)),
        )
        for k in chosen
        for name, record in found.items()
    ]
    rule = next(iter(found.values())).rule.name
    head = ("question", "model", f"score ({rule})", "skill", "MCB", "DSC", "UNC")
    return Table(head, tuple(rows[:MOST_ROWS]))


LATER = ("miscalibration", "discrimination", "uncertainty")
