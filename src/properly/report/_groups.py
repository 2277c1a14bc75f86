"""How groups of cases differ from the rest, one panel a model."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from properly._boundary._text import many, printable
from properly.report._chart import (
    WHOLE,
    Chart,
    Table,
    model_color,
    name_axis,
    only_shown,
    short,
    shown,
)
from properly.report._words import (
    LISTED,
    NONE,
    chance,
    decimals_of_least,
    few,
    fixed,
    from_to,
    score_in_words,
)

if TYPE_CHECKING:
    from properly.comparison._groups_record import Groups
    from properly.evaluation._record import Evaluation
    from properly.report._chart import Spec

Row: TypeAlias = dict[str, Any]

# Panels in a row, and pixels: between panels, of a row, and of a name.
COLUMNS, GAP = 3, 20
STEP, LONGEST = 24, 125
# Groups that are drawn; of more, those with the most cases.
MOST = 30
LEAD = (
    "A row is a group of cases, with their number. The dot is its {score} less that of all "
    "other cases: right of zero, the group scores worse. Bars are intervals that hold for all "
    "groups at once; hollow dots may be chance. Where {common} there is more to "
    "lose, so a group may score worse under perfect forecasts too. Skill{expected}, shown on "
    "hover, say more about the forecasts."
)
TOO_FEW = "too few to test"


def groups_chart(evaluation: Evaluation) -> Chart | None:
    """Draw the difference of each group from the rest, with intervals for all at once."""
    by_model = evaluation.groups
    if not by_model:
        return None
    one = next(iter(by_model.values()))
    order = _order(by_model)
    rows = [
        {"model": name, "panel": k} | row
        for k, (name, groups) in enumerate(by_model.items())
        for row in _rows(groups, order)
    ]
    return Chart(
        name="groups",
        title="Groups: for whom are the forecasts worse?",
        lead=_lead(one, score_in_words(evaluation, one.rule)),
        spec=_spec(list(by_model), rows, one),
        alt=_alt(by_model),
        table=_table(by_model, order),
        wide=True,
    )


def _lead(one: Groups, score: str) -> str:
    event = one.events is not None
    lead = LEAD.format(
        score=score,
        common="an event is common" if event else "classes are about as common as each other",
        expected=" and observed to expected events" if event else "",
    )
    lead = lead if event else lead.replace("say more about", "says more about")
    if len(one) > MOST:
        lead += f" The {MOST} largest of {len(one)} groups are drawn."
    return lead


def _order(by_model: dict[str, Groups]) -> list[int]:
    """Sort groups by how much worse they are on average over the models, the worst first."""
    one = next(iter(by_model.values()))
    kept = np.sort(np.argsort(-one.cases, kind="stable")[:MOST])
    each = np.stack([groups.difference for groups in by_model.values()])
    valid = np.isfinite(each) & np.stack([groups.enough for groups in by_model.values()])
    count = valid.sum(axis=0)
    mean = np.where(valid, each, 0).sum(axis=0) / np.maximum(count, 1)
    # Groups without an interval stand below all others.
    mean = np.where(count > 0, mean, -np.inf)
    return [int(g) for g in sorted(kept, key=lambda g: -mean[g])]


def _rows(groups: Groups, order: list[int]) -> list[Row]:
    decimals = _decimals(groups)
    return [_row(groups, g, decimals) | {"place": place} for place, g in enumerate(order)]


def _decimals(groups: Groups) -> int:
    return decimals_of_least(np.diff(groups.simultaneous)[:, 0] / 2)


def _row(groups: Groups, g: int, decimals: int) -> Row:
    """Say all that is known of one group; what is too small has no dot, but a word."""
    lower, upper = groups.simultaneous[g].tolist()
    difference, bounded = float(groups.difference[g]), math.isfinite(lower + upper)
    said = "" if bounded else TOO_FEW if not groups.enough[g] else "no interval"
    row: Row = {
        "group": f"{printable(groups.name[g])} ({groups.cases[g]:,})",
        "said": said,
        "sure": "yes" if bounded and not lower <= 0 <= upper else "no",
        "cases": f"{groups.cases[g]:,}",
        "score": fixed(float(groups.score[g]), decimals),
        "told": fixed(difference, decimals, sign=True),
        "interval": from_to((lower, upper), decimals),
        "chance": chance(float(groups.adjusted_p_value[g])),
        "skill": few(float(groups.skill[g])),
    }
    if bounded:
        row |= {"x": short(difference), "lower": short(lower), "upper": short(upper)}
    if groups.events is not None:
        row["events"] = f"{groups.events[g]:,}"
        row["expected"] = few(float(groups.observed_expected[g]), 3)
    return row


def _spec(names: list[str], rows: list[Row], one: Groups) -> Spec:
    header = {
        "title": None,
        # Names are data of a parameter, and looked up by number: nothing in them is obeyed.
        "labelExpr": "names[datum.value]",
        "labelLimit": 200,
        "labelAnchor": "start",
    }
    room = name_axis((row["group"] for row in rows), LONGEST)
    columns = min(len(names), COLUMNS)
    # Numbers at the ends of axes stand over by a few pixels.
    width = (WHOLE - (columns - 1) * (GAP + 6)) // columns - room["minExtent"]
    axis = {"title": None, "ticks": False, "domain": False, "grid": False} | room
    y = {
        "field": "group",
        "type": "nominal",
        "sort": {"field": "place", "op": "min"},
        "axis": axis,
    }
    return {
        "params": [shown(names), {"name": "names", "value": [printable(name) for name in names]}],
        "data": {"values": rows},
        "transform": [only_shown()],
        "facet": {"field": "panel", "type": "ordinal", "header": header},
        "columns": COLUMNS,
        "spacing": GAP,
        # Axes in every panel: else they also stand where the last row has no panel.
        "resolve": {"axis": {"x": "independent", "y": "independent"}},
        "spec": {
            "width": width,
            "height": {"step": STEP},
            "layer": _layers(model_color(names), {"y": y, "tooltip": _tooltip(one)}),
        },
    }


def _layers(color: Spec, row: Spec) -> list[Spec]:
    x: Spec = {
        "field": "x",
        "type": "quantitative",
        "title": "score of the group minus all others",
        "axis": {"tickCount": 4, "format": "~g"},
    }
    ink: Spec = {"color": "currentColor"}
    word: Spec = {"type": "text", "align": "left", "dx": 6, "opacity": 0.6, "fontStyle": "italic"}
    ends = {"x": x | {"field": "lower"}, "x2": {"field": "upper"}, "color": color}
    return [
        {
            # One line, not one a row on top of each other.
            "data": {"values": [{}]},
            "mark": {"type": "rule", "opacity": 0.5} | ink,
            "encoding": {"x": {"datum": 0}},
        },
        {"mark": {"type": "rule", "strokeWidth": 2.2}, "encoding": row | ends},
        {
            # Hollow, with the colour of the page inside, where zero is in the interval.
            "transform": [{"filter": "isValid(datum.x)"}],
            "mark": {"type": "point", "size": 65, "strokeWidth": 1.8, "opacity": 1},
            "encoding": row | {"x": x, "stroke": color, "fill": _only_sure(color)},
        },
        {
            "transform": [{"filter": "datum.said != ''"}],
            "mark": word | ink,
            "encoding": row | {"x": {"datum": 0}, "text": {"field": "said", "type": "nominal"}},
        },
    ]


def _only_sure(color: Spec) -> Spec:
    return {"condition": {"test": "datum.sure == 'yes'"} | color, "value": "var(--paper, Canvas)"}


def _tooltip(one: Groups) -> list[Spec]:
    titles = {
        "model": "model",
        "group": "group",
        "cases": "cases",
        "events": "events",
        "score": "score",
        "told": "minus that of all others",
        "interval": f"{100 * one.level:g} % interval, all groups at once",
        "chance": "adjusted p-value",
        "skill": "skill",
        "expected": "observed to expected events",
    }
    if one.events is None:
        del titles["events"], titles["expected"]
    return [{"field": field, "type": "nominal", "title": words} for field, words in titles.items()]


def _alt(by_model: dict[str, Groups]) -> str:
    clauses = [f"{printable(name)}: {_differ(groups)}" for name, groups in by_model.items()]
    more = f"; and {many(len(clauses) - LISTED, 'more model')}" if len(clauses) > LISTED else ""
    return f"{'; '.join(clauses[:LISTED])}{more}."


def _differ(groups: Groups) -> str:
    """Count the groups that are found to differ, and name the worst if it is one of them."""
    lower, upper = groups.simultaneous.T
    differ, worst = int(((lower > 0) | (upper < 0)).sum()), groups.worst
    clause = f"{differ} of {many(len(groups), 'group')} found to differ from the rest"
    if worst is None or worst.simultaneous[0] <= 0:
        return clause
    by = fixed(worst.difference, _decimals(groups), sign=True)
    return f"{clause}, {printable(worst.name)} for the worse ({by})"


def _table(by_model: dict[str, Groups], order: list[int]) -> Table:
    one = next(iter(by_model.values()))
    decimals = {name: _decimals(groups) for name, groups in by_model.items()}
    rows = []
    for g in order:
        cells = [_cell(groups, g, decimals[name]) for name, groups in by_model.items()]
        rows.append((one.name[g], f"{one.cases[g]:,}", *cells))
    return Table(("group", "cases", *by_model), tuple(rows))


def _cell(groups: Groups, g: int, decimals: int) -> str:
    between = from_to(groups.simultaneous[g].tolist(), decimals)
    if between == NONE:
        return TOO_FEW if not groups.enough[g] else NONE
    return f"{fixed(float(groups.difference[g]), decimals, sign=True)} ({between})"
