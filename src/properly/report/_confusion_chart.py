"""What was decided, by what was true: heat maps, and a table of what is read from them."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, TypeAlias

from properly._boundary._labels import names_of_labels
from properly._boundary._plain import count_of_cases, many, printable
from properly.report._chart import PALETTE, Chart, Table, only_shown, short, shown
from properly.report._words import few, fixed, listed, percent

if TYPE_CHECKING:
    from properly.decisions._confusion import Confusion
    from properly.evaluation._class_evaluation import ClassEvaluation
    from properly.report._chart import Spec

Row: TypeAlias = dict[str, Any]

# Classes beyond which no cell can be read.
MOST, MOST_ROWS = 12, 30
# Pixels of a map and of its cells, and how many maps stand in a row.
SIDE, CELL, WIDEST, COLUMNS = 300, 24, 64, 2
LEAD = (
    "Every case was decided for its likeliest class. A row is what was true, a column what was "
    "decided; the number counts cases, and the darker a cell, the larger its share of the row. "
    "The best decisions lie on the diagonal. Probabilities say more than such decisions: two "
    "models with the same table may differ much in their scores."
)
NUMBERS = {
    "accuracy": "accuracy",
    "macro_f1": "macro F1",
    "mean_absolute_error": "mean absolute error",
    "quadratic_kappa": "quadratic kappa",
    "expected_cost": "mean cost",
}
# These go by the distance of classes.
NEED_ORDER = ("mean_absolute_error", "quadratic_kappa")


def confusion_chart(evaluation: ClassEvaluation) -> Chart | None:
    """Draw the confusion table of each model, decided for the likeliest class."""
    if len(evaluation.labels) > MOST:
        return None
    tables = {name: found.argmax.confusion for name, found in evaluation.decisions.items()}
    return Chart(
        name="confusion",
        title="Decisions for the likeliest class",
        lead=LEAD,
        spec=_spec(tables, names_of_labels(evaluation.labels)),
        alt=_alt(tables),
        table=_table(tables, names_of_labels(evaluation.labels)),
        wide=True,
    )


def hard_table(evaluation: ClassEvaluation) -> Table:
    """Lay out what is usually told of decisions, for the likeliest class and at least cost."""
    ordered = evaluation.task == "ordinal"
    columns = [name for name in NUMBERS if ordered or name not in NEED_ORDER]
    rows = []
    for name, found in evaluation.decisions.items():
        ways = {"likeliest class": found.argmax}
        # At zero-one costs, the likeliest class is what costs least.
        if ordered and "bayes" in found.ways:
            ways["least expected cost"] = found.bayes
        for way, scores in ways.items():
            numbers = (fixed(getattr(scores, column), 4) for column in columns)
            rows.append((printable(name), way, *numbers))
    head = ("model", "decides for", *(NUMBERS[column] for column in columns))
    return Table(head, tuple(rows))


def _spec(tables: dict[str, Confusion], labels: list[str]) -> Spec:
    names, cell = list(tables), min(max(SIDE // len(labels), CELL), WIDEST)
    header = {
        "title": None,
        # Names are data of parameters, and looked up by number: nothing in them is obeyed.
        "labelExpr": "names[datum.value]",
        "labelLimit": SIDE,
        "labelFontWeight": "bold",
        "labelAnchor": "start",
    }
    return {
        "params": [
            shown(names),
            {"name": "names", "value": [printable(name) for name in names]},
            {"name": "labels", "value": [printable(label) for label in labels]},
        ],
        "data": {"values": _rows(tables)},
        "transform": [only_shown()],
        "facet": {"field": "panel", "type": "ordinal", "header": header},
        "columns": COLUMNS,
        "resolve": {"axis": {"x": "independent", "y": "independent"}},
        "spec": {
            "width": cell * len(labels),
            "height": cell * len(labels),
            "encoding": {
                "x": _place("decision", "decided", labelAngle=-40),
                "y": _place("truth", "true"),
            },
            "layer": _layers(cell),
        },
    }


def _place(field: str, title: str, **more: Any) -> Spec:
    """Put classes along one side of a map."""
    plain = {"ticks": False, "domain": False, "grid": False}
    axis = {"labelExpr": "labels[datum.value]", "labelLimit": 110} | plain | more
    scale = {"paddingInner": 0.04, "paddingOuter": 0}
    return {"field": field, "title": title, "type": "ordinal", "axis": axis, "scale": scale}


def _layers(cell: int) -> list[Spec]:
    share: Spec = {"field": "share", "type": "quantitative"}
    # By opacity, so that an empty cell is the page itself, light or dark.
    shade = share | {"scale": {"domain": [0, 1], "range": [0.04, 0.75]}, "legend": None}
    words = [
        {"field": "model", "type": "nominal", "title": "model"},
        {"field": "cases", "type": "nominal", "title": "cases"},
        share | {"title": "share of the true class", "format": ".1%"},
    ]
    size = 11 if cell >= 40 else 9
    return [
        {
            "mark": {"type": "rect", "color": PALETTE[0]},
            "encoding": {"opacity": shade, "tooltip": words},
        },
        {
            "mark": {"type": "text", "color": "currentColor", "fontSize": size, "tooltip": None},
            "encoding": {"text": {"field": "written", "type": "nominal"}},
        },
    ]


def _rows(tables: dict[str, Confusion]) -> list[Row]:
    """Lay out the cells of all tables; a class that never happened has no shares."""
    found = []
    for panel, (name, table) in enumerate(tables.items()):
        for truth, row in enumerate(table.counts.tolist()):
            total = sum(row)
            for decision, count in enumerate(row):
                found.append(
                    {
                        "model": name,
                        "panel": panel,
                        "truth": truth,
                        "decision": decision,
                        "share": short(count / total) if total else 0,
                        "cases": count_of_cases(count),
                        "written": _written(count) if count else "",
                    }
                )
    return found


def _written(count: float) -> str:
    """Write a count so that it fits into a cell."""
    if count >= 99_950:
        return f"{count:.2g}" if count >= 1e9 else f"{round(count / 1000):,}k"
    return f"{count:,}" if isinstance(count, int) else f"{count:,.4g}"


def _alt(tables: dict[str, Confusion]) -> str:
    first = next(iter(tables.values()))
    told = [f"{printable(name)} {percent(table.accuracy, 3)}" for name, table in tables.items()]
    return (
        f"Of {many(first.total, 'case')}, so many were decided for the class that was true: "
        f"{listed(told)}."
    )


def _table(tables: dict[str, Confusion], labels: list[str]) -> Table:
    """Say of each class how often it was found, and how often it was right to decide for it."""
    rows = []
    for k, label in enumerate(labels):
        for name, table in tables.items():
            counts = table.counts
            right, was, said = counts[k, k], counts[k].sum(), counts[:, k].sum()
            shares = (right / n if n else math.nan for n in (was, said))
            numbers = (count_of_cases(x.item()) for x in (was, said, right))
            rows.append((printable(label), printable(name), *numbers, *map(_share, shares)))
    head = ("class", "model", "cases", "decided", "right", "found (recall)", "right (precision)")
    return Table(head, tuple(rows[:MOST_ROWS]))


def _share(x: float) -> str:
    return few(x) if math.isnan(x) else f"{100 * x:.1f} %"
