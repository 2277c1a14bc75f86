"""Charts of classes on the page: scores by class, confusion tables, and retention."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from properly._boundary._classes import names_of_labels
from properly._boundary._text import count_of_cases, listed, many, printable
from properly.calibration._decomposition import ClassDecomposition
from properly.decisions._confusion import Confusion
from properly.decisions._retention import Retention
from properly.evaluation._record import Evaluation
from properly.report import _vega as vega
from properly.report._page_words import LISTED, few, fixed, lead_of, percent
from properly.report._vega import MOST_ROWS, Chart, NumberTable, Spec, short
from properly.rules._parse import rule_in_words

PARTS = {
    "score": "score",
    "miscalibration": "miscalibration (MCB)",
    "discrimination": "discrimination (DSC)",
}
GAP, OVER = 44, 12
# Pixels for each model of a question, and for the question itself.
STEP, LEAST = 12, 30
# Questions and classes that can be read at most.
MOST = 12
SCORES_COLUMNS = ("score", "skill", "miscalibration", "discrimination", "uncertainty")
# Pixels of a map and of its cells, and how many maps stand in a row.
SIDE, CELL, WIDEST, COLUMNS = 300, 24, 64, 2
NUMBERS = {
    "accuracy": "accuracy",
    "macro_f1": "macro F1",
    "mean_absolute_error": "mean absolute error",
    "quadratic_kappa": "quadratic kappa",
    "expected_cost": "expected cost",
}
# These go by the distance of classes.
NEED_ORDER = ("mean_absolute_error", "quadratic_kappa")
# Pixels of the curves of retention.
HEIGHT = 300
# Shares that are put into the table.
LOOKED_UP = (0.0, 0.05, 0.1, 0.15, 0.2)
KAPPA = "quadratic_weighted_kappa"
WORDS = {KAPPA: "quadratic weighted kappa", "expected_cost": "error rate"}
DIRECTIONS = {KAPPA: ("higher", "rises"), "expected_cost": ("lower", "falls")}


def class_scores_chart(evaluation: Evaluation) -> Chart | None:
    """Draw score, miscalibration and discrimination of each question as dots."""
    every = evaluation.decompositions
    # The first rule that is a sum over questions.
    named = next((rule for by_rule in every.values() for rule in by_rule), None)
    if named is None:
        return None
    by_model = {name: by_rule[named] for name, by_rule in every.items()}
    first = next(iter(by_model.values()))
    # The questions whose answers are the least clear beforehand, in their order.
    questions, unsure = list(first), np.array([part.uncertainty for part in first.values()])
    chosen = [questions[k] for k in sorted(np.argsort(-unsure, kind="stable")[:MOST])]
    score = rule_in_words(first.rule)
    some = ["some"] * (len(chosen) < len(first))
    clauses = []
    for name, record in by_model.items():
        worst = max(chosen, key=lambda question: record[question].miscalibration)
        saved = few(record[worst].miscalibration)
        clauses.append(f"{printable(name)}, {printable(worst)} ({saved})")
    more = f"; and {len(clauses) - LISTED} models more" * (len(clauses) > LISTED)
    rows = [
        (question, name, *(few(getattr(record[question], part), 3) for part in SCORES_COLUMNS))
        for question in chosen
        for name, record in by_model.items()
    ]
    head = ("question", "model", score, "skill", "MCB", "DSC", "UNC")
    lead = lead_of("class-scores", "lead", *some, shown=len(chosen), all=len(first))
    alt = f"Where miscalibration ({score}) is largest: {'; '.join(clauses[:LISTED])}{more}."
    spec, table = _scores_spec(by_model, chosen), NumberTable(head, rows[:MOST_ROWS])
    return Chart("class-scores", lead, spec, alt, table, wide=True)


def _scores_spec(by_model: dict[str, ClassDecomposition], chosen: list[str]) -> Spec:
    names, questions = list(by_model), [printable(question) for question in chosen]
    height = len(chosen) * max(STEP * len(names), LEAST)
    labels = {"labelExpr": "questions[datum.value]", "labelPadding": 8}
    room: Spec = labels | vega.name_axis(questions, 190)
    width = (vega.WHOLE - room["minExtent"] - GAP * (len(PARTS) - 1) - OVER) // len(PARTS)
    panels = [
        _scores_panel(names, part, room if k == 0 else {"labels": False})
        | {"width": width, "height": height}
        for k, part in enumerate(PARTS)
    ]
    asked = {"params": [vega.shown(names), vega.name_list("questions", questions)]}
    look = asked | {"spacing": GAP, "bounds": "flush", "hconcat": panels}
    rows = [
        {"question": k, "model": name, "place": model}
        | {part: short(getattr(record[question], part)) for part in PARTS}
        for k, question in enumerate(chosen)
        for model, (name, record) in enumerate(by_model.items())
    ]
    return vega.of_models(names, rows, **look)


def _scores_panel(names: list[str], part: str, labels: Spec) -> Spec:
    """Draw one number of all questions."""
    y = {"field": "question", "type": "ordinal", "axis": vega.BARE | labels}
    axis = {"tickCount": 4, "labelFlush": False}
    lane = {"field": "place", "type": "ordinal", "scale": {"domain": list(range(len(names)))}}
    titles = {name: (title, ".4f") for name, title in PARTS.items()}
    tooltip, color = vega.hover({"model": "model"} | titles), {"color": vega.model_color(names)}
    x = vega.measure(part, PARTS[part], scale={"zero": True}, axis=axis)
    place = {"y": y | {"scale": {"paddingInner": 0.25}}, "x": x, "yOffset": lane}
    line = vega.layer(vega.mark("rule", strokeWidth=1.2, opacity=0.5), {"x2": {"datum": 0}} | color)
    dots = vega.layer(vega.dot(70, opacity=1), color | {"tooltip": tooltip})
    return {"encoding": place, "layer": [line, dots]}


def confusion_chart(evaluation: Evaluation) -> Chart | None:
    """Draw the confusion table of each model, decided for the likeliest class."""
    if len(evaluation.labels) > MOST:
        return None
    tables = {name: decisions.argmax.confusion for name, decisions in evaluation.decisions.items()}
    names, labels = list(tables), names_of_labels(evaluation.labels)
    accuracies = [f"{printable(k)} {percent(table.accuracy, 3)}" for k, table in tables.items()]
    total = many(next(iter(tables.values())).total, "case")
    alt = f"Of {total}, so many were decided for the class that was true: {listed(accuracies)}."
    cell = min(max(SIDE // len(labels), CELL), WIDEST)
    x, y = _class_axis("decision", "decided", labelAngle=-40), _class_axis("truth", "true")
    panel: Spec = dict.fromkeys(("width", "height"), cell * len(labels))
    panel |= {"encoding": {"x": x, "y": y}, "layer": _cell_layers(cell)}
    params = [vega.shown(names), vega.name_list("names", names), vega.name_list("labels", labels)]
    spec = vega.model_panels(names, _confusion_rows(tables), panel, SIDE, COLUMNS, params=params)
    table = _confusion_table(tables, labels)
    return Chart("confusion", lead_of("confusion"), spec, alt, table, wide=True)


def hard_table(evaluation: Evaluation) -> NumberTable:
    """Lay out the usual scores of decisions, for the likeliest class and at least cost."""
    ordered = evaluation.task == "ordinal"
    columns = [name for name in NUMBERS if ordered or name not in NEED_ORDER]
    ways = {"argmax": "likeliest class"}
    # At zero-one costs, the likeliest class is what costs least.
    ways |= {"bayes": "least expected cost"} if ordered else {}
    rows = [
        (name, words, *(fixed(getattr(getattr(decisions, way), x), 4) for x in columns))
        for name, decisions in evaluation.decisions.items()
        for way, words in ways.items()
        if way == "argmax" or way in decisions.ways
    ]
    return NumberTable(("model", "decides for", *(NUMBERS[x] for x in columns)), rows)


def _class_axis(field: str, title: str, **more: Any) -> Spec:
    """Put classes along one side of a map."""
    plain = {"ticks": False, "domain": False, "grid": False}
    axis = {"labelExpr": "labels[datum.value]", "labelLimit": 110} | plain | more
    scale = {"paddingInner": 0.04, "paddingOuter": 0}
    return {"field": field, "title": title, "type": "ordinal", "axis": axis, "scale": scale}


def _cell_layers(cell: int) -> list[Spec]:
    # By opacity, so that an empty cell is the page itself, light or dark.
    scale, share = {"domain": [0, 1], "range": [0.04, 0.75]}, ("share of the true class", ".1%")
    tooltip = vega.hover({"model": "model", "cases": "cases", "share": share})
    shade = {"opacity": vega.measure("share", scale=scale, legend=None), "tooltip": tooltip}
    text = vega.ink("text", fontSize=11 if cell >= 40 else 9, tooltip=None)
    return [
        vega.layer(vega.mark("rect", color=vega.PALETTE[0]), shade),
        vega.layer(text, {"text": vega.category("written")}),
    ]


def _confusion_rows(tables: dict[str, Confusion]) -> list[Spec]:
    """Lay out the cells of all tables; a class that never happened has no shares."""
    return [
        {
            "model": name,
            "panel": panel,
            "truth": truth,
            "decision": decision,
            "share": short(count / total) if (total := sum(row)) else 0,
            "cases": count_of_cases(count),
            "written": _written(count) if count else "",
        }
        for panel, (name, table) in enumerate(tables.items())
        for truth, row in enumerate(table.counts.tolist())
        for decision, count in enumerate(row)
    ]


def _written(count: float) -> str:
    """Write a count so that it fits into a cell."""
    if count >= 99_950:
        return f"{count:.2g}" if count >= 1e9 else f"{round(count / 1000):,}k"
    return f"{count:,}" if isinstance(count, int) else f"{count:,.4g}"


def _confusion_table(tables: dict[str, Confusion], labels: list[str]) -> NumberTable:
    """Say of each class how often it was found, and how often it was right to decide for it."""
    rows = []
    for k, label in enumerate(labels):
        for name, table in tables.items():
            counts = table.counts
            right, was, said = counts[k, k], counts[k].sum(), counts[:, k].sum()
            shares = (right / n if n else math.nan for n in (was, said))
            numbers = (count_of_cases(x.item()) for x in (was, said, right))
            written = (few(x) if math.isnan(x) else f"{100 * x:.1f} %" for x in shares)
            rows.append((label, name, *numbers, *written))
    head = ("class", "model", "cases", "decided", "right", "found (recall)", "right (precision)")
    return NumberTable(head, rows[:MOST_ROWS])


def retention_chart(evaluation: Evaluation) -> Chart | None:
    """Draw a metric of the decisions that are left, as uncertain cases are referred."""
    curves = evaluation.retention
    if not curves:
        return None
    first = next(iter(curves.values()))
    metric, (better, improves) = WORDS[first.metric], DIRECTIONS[first.metric]
    places = np.flatnonzero(np.isin(first.removed, LOOKED_UP))
    values, rows = [], []
    for name, curve in curves.items():
        ends = f"from {fixed(curve.value[0], 3)} to {fixed(curve.value[-1], 3)}"
        values.append(f"{printable(name)} {ends}")
        rows.append((name, *(fixed(x, 4) for x in curve.value[places].tolist())))
    most = percent(float(first.removed[-1]))
    head = (metric, *(f"{100 * share:g} % referred" for share in first.removed[places]))
    lead = lead_of("retention", metric=metric, better=better, improves=improves)
    alt = f"If {most} of cases are referred, the {metric} of the rest goes: {listed(values)}."
    return Chart("retention", lead, _retention_spec(curves, metric), alt, NumberTable(head, rows))


def _retention_spec(curves: dict[str, Retention], metric: str) -> Spec:
    names, referred = list(curves), "share of cases referred"
    color, dash = {"color": vega.model_color(names)}, {"strokeDash": vega.model_dash(names)}
    left = {"kept": ("cases left", ","), "value": (metric, ".4f")}
    titles = {"model": "model", "removed": (referred, ".0%")} | left
    rows: list[Spec] = []
    for name, curve in curves.items():
        columns = {"removed": curve.removed, "value": curve.value, "kept": curve.kept.tolist()}
        rows += vega.rows_of(columns, model=name)
    across = {"format": "~%", "tickCount": 5}
    place = {
        "x": vega.measure("removed", referred, axis=across, scale={"nice": False}),
        "y": vega.measure("value", metric, axis={"tickCount": 5}, scale={"zero": False}),
    }
    layers = [
        vega.layer(vega.mark("line", strokeWidth=2), color | dash),
        vega.layer(vega.dot(22, opacity=1), color),
        # Invisible wide marks make tooltips easy to hit.
        vega.layer(vega.dot(180, opacity=0), {"tooltip": vega.hover(titles)}),
    ]
    look = {"width": "container", "height": HEIGHT, "encoding": place, "layer": layers}
    return vega.of_models(names, rows, **look)
