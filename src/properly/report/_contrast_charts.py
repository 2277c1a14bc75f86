"""Differences on the page: between groups, and between models."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from operator import itemgetter

import numpy as np

from properly._boundary._text import many, printable
from properly.comparison._groups_record import Groups
from properly.comparison._pairs import Comparison, Pair, interval_name, is_significant
from properly.evaluation._record import Evaluation
from properly.plots._forest_plots import by_score
from properly.report import _page_words as words
from properly.report import _vega as vega
from properly.report._page_words import chance, fixed, from_to, lead_of, score_in_words
from properly.report._vega import MOST_ROWS, Chart, NumberTable, Spec, short

# Panels in a row, and pixels: between panels, of a row, and of a name.
COLUMNS, GAP = 3, 20
STEP, LONGEST = 24, 125
# Groups that are drawn; of more, those with the most cases.
MOST_GROUPS = 30
TOO_FEW = "too few to test"
# Where the model of the row is better, and where that of the column is.
BETTER, WORSE = vega.PALETTE[0], vega.PALETTE[1]
# Differences of more standard errors than this have the strongest colour.
MOST_ERRORS = 4.0
# How strong colours are: of the clearest difference, of the least that is told apart, and of one
# that is not; the page shines through, so that both light and dark pages have letters to read.
STRONG, FAINT, OPEN = 0.7, 0.3, 0.1
# Pixels of the height of a cell, of few models and of many, and of a name.
CELL, CLOSE, MANY, LONG_NAME = 44, 30, 8, 120
# Pixels beside the names of rows, on half of the page and on all of it, and those of a letter.
HALF, WHOLE, LETTER = 370, 880, 6.5
# What the table of pairs has of a cell.
NUMBERS = ("interval", "chance", "told")
# Models that fit on half of the page, whatever their names.
FEW_MODELS = 6


def groups_chart(evaluation: Evaluation) -> Chart | None:
    """Draw the difference of each group from the rest, with intervals for all at once."""
    by_model = evaluation.groups
    if not by_model:
        return None
    one = next(iter(by_model.values()))
    order = _group_order(by_model)
    each = [[_group_row(x, g, _group_decimals(x)) for g in order] for x in by_model.values()]
    rows = [
        {"model": name, "panel": k} | row | {"place": place}
        for k, (name, own) in enumerate(zip(by_model, each, strict=True))
        for place, row in enumerate(own)
    ]
    table = [
        (one.name[g], f"{one.cases[g]:,}", *map(_group_cell, of_group))
        for g, *of_group in zip(order, *each, strict=True)
    ]
    clauses = [f"{printable(name)}: {_differ(groups)}" for name, groups in by_model.items()]
    left = many(len(clauses) - words.LISTED, "more model")
    more = f"; and {left}" * (len(clauses) > words.LISTED)
    parts = ["lead", "classes" if one.events is None else "event"]
    parts += ["largest"] * (len(one) > MOST_GROUPS)
    score = score_in_words(evaluation, one.rule)
    lead = lead_of("groups", *parts, score=score, most=MOST_GROUPS, groups=len(one))
    spec, alt = _groups_spec(list(by_model), rows, one), "; ".join(clauses[: words.LISTED])
    numbers = NumberTable(("group", "cases", *by_model), table)
    return Chart("groups", lead, spec, f"{alt}{more}.", numbers, wide=True)


def _group_order(by_model: dict[str, Groups]) -> list[int]:
    """Sort groups by how much worse they are on average over the models, the worst first."""
    one = next(iter(by_model.values()))
    kept = np.sort(np.argsort(-one.cases, kind="stable")[:MOST_GROUPS])
    each = np.stack([groups.difference for groups in by_model.values()])
    valid = np.isfinite(each) & np.stack([groups.enough for groups in by_model.values()])
    count = valid.sum(axis=0)
    mean = np.where(valid, each, 0).sum(axis=0) / np.maximum(count, 1)
    # Groups without an interval stand below all others.
    mean = np.where(count > 0, mean, -np.inf)
    return [int(g) for g in sorted(kept, key=lambda g: -mean[g])]


def _group_decimals(groups: Groups) -> int:
    return words.decimals_of_least(np.diff(groups.simultaneous)[:, 0] / 2)


def _group_row(groups: Groups, g: int, decimals: int) -> Spec:
    """Say all that is known of one group; what is too small has no dot, but a word."""
    lower, upper = groups.simultaneous[g].tolist()
    difference, bounded = float(groups.difference[g]), math.isfinite(lower + upper)
    row: Spec = {
        "group": f"{printable(groups.name[g])} ({groups.cases[g]:,})",
        "said": "" if bounded else TOO_FEW if not groups.enough[g] else "no interval",
        "sure": "yes" if bounded and not lower <= 0 <= upper else "no",
        "cases": f"{groups.cases[g]:,}",
        "score": fixed(float(groups.score[g]), decimals),
        "told": fixed(difference, decimals, sign=True),
        "interval": from_to((lower, upper), decimals),
        "chance": chance(float(groups.adjusted_p_value[g])),
        "skill": words.few(float(groups.skill[g])),
    }
    if bounded:
        row |= {"x": short(difference), "lower": short(lower), "upper": short(upper)}
    if groups.events is not None:
        row["events"] = f"{groups.events[g]:,}"
        row["expected"] = words.few(float(groups.observed_expected[g]), 3)
    return row


def _groups_spec(names: list[str], rows: list[Spec], one: Groups) -> Spec:
    room = vega.name_axis((row["group"] for row in rows), LONGEST)
    columns = min(len(names), COLUMNS)
    # Numbers at the ends of axes stand over by a few pixels.
    width = (vega.WHOLE - (columns - 1) * (GAP + 6)) // columns - room["minExtent"]
    y = vega.category("group", sort={"field": "place", "op": "min"}, axis=vega.BARE | room)
    absent = ("events", "expected") if one.events is None else ()
    titles = words.page_words()["group_titles"].items()
    level = f"{100 * one.level:g}"
    tooltip = vega.hover({k: x.format(level=level) for k, x in titles if k not in absent})
    layers = _group_layers(vega.model_color(names), {"y": y, "tooltip": tooltip})
    panel = {"width": width, "height": {"step": STEP}, "layer": layers}
    return vega.model_panels(names, rows, panel, 200, COLUMNS, spacing=GAP)


def _group_layers(color: Spec, row: Spec) -> list[Spec]:
    title = "score of the group minus all others"
    x = vega.measure("x", title, axis={"tickCount": 4, "format": "~g"})
    word = vega.ink("text", align="left", dx=6, opacity=0.6, fontStyle="italic")
    ends = {"x": x | {"field": "lower"}, "x2": {"field": "upper"}, "color": color}
    # Hollow, with the colour of the page inside, where zero is in the interval.
    test = {"condition": {"test": "datum.sure == 'yes'"} | color, "value": "var(--paper, Canvas)"}
    dot, zero = vega.mark("point", size=65, strokeWidth=1.8, opacity=1), {"x": {"datum": 0}}
    place, said = {"x": x, "stroke": color, "fill": test}, {"text": vega.category("said")}
    return [
        # One line, not one per row on top of each other.
        vega.layer(vega.ink("rule", opacity=0.5), zero, values=[{}]),
        vega.layer(vega.mark("rule", strokeWidth=2.2), row | ends),
        vega.layer(dot, row | place, "isValid(datum.x)"),
        vega.layer(word, row | zero | said, "datum.said != ''"),
    ]


def _differ(groups: Groups) -> str:
    """Count the groups that are found to differ, and name the worst if it is one of them."""
    lower, upper = groups.simultaneous.T
    differ, worst = int(((lower > 0) | (upper < 0)).sum()), groups.worst
    clause = f"{differ} of {many(len(groups), 'group')} found to differ from the rest"
    if worst is None or worst.simultaneous[0] <= 0:
        return clause
    by = fixed(worst.difference, _group_decimals(groups), sign=True)
    return f"{clause}, {printable(worst.name)} for the worse ({by})"


def _group_cell(row: Spec) -> str:
    if row["interval"] == words.NONE:
        return TOO_FEW if row["said"] == TOO_FEW else words.NONE
    return f"{row['told']} ({row['interval']})"


def matrix_chart(evaluation: Evaluation) -> Chart | None:
    """Draw the difference between any two models as a cell of a matrix, the best first."""
    comparison = evaluation.comparisons.get(evaluation.primary)
    if comparison is None or len(comparison.models) < 2:
        return None
    order = [name for name in by_score(comparison) if name in evaluation.models]
    score, best = score_in_words(evaluation, evaluation.primary), by_score(comparison)[0]
    # The score is named above the chart, and needs no name in every sentence.
    comparison = replace(comparison, unit="")
    apart = [pair for pair in comparison if _is_apart(pair)]
    ahead = sum(best in (pair.first, pair.second) for pair in apart)
    numbers = {"apart": len(apart), "pairs": many(len(comparison.pairs), "pair"), "score": score}
    numbers |= {"best": printable(best), "value": words.few(comparison.scores[best].value, 3)}
    others = many(len(comparison.models) - 1, "other")
    alt = lead_of("comparisons", "alt", **numbers, ahead=ahead, others=others)
    spec = _matrix_spec(list(evaluation.models), _cells(comparison, order), comparison)
    lead, table = lead_of("comparisons", score=score), _matrix_table(comparison)
    return Chart("comparisons", lead, spec, alt, table, wide=_is_wide(order))


def _cells(comparison: Comparison, order: list[str]) -> list[Spec]:
    """Lay out all cells, each with what is written in it and told about it."""
    decimals = _decimals(comparison)
    return [
        {"model": order[i], "row": i, "column": j, "other": order[j]}
        | (_own if i == j else _cell)(comparison, (order[i], order[j]), decimals)
        for i, j in np.ndindex(len(order), len(order))
    ]


def _decimals(comparison: Comparison) -> int:
    """Write as many decimals as show the least standard error, and that an interval lacks zero."""
    ends = [abs(end) for pair in comparison if _is_apart(pair) for end in pair.simultaneous]
    return words.decimals_of_least([*comparison.standard_error.tolist(), *ends], 1)


def _own(comparison: Comparison, names: tuple[str, str], decimals: int) -> Spec:
    score = comparison.scores[names[0]]
    written = fixed(score.value, decimals)
    cell: Spec = {"text": written, "side": "own", "strength": 0}
    told = f"{printable(names[0])}: score {written}"
    return cell | {"told": told, "interval": from_to(score.interval, decimals), "chance": ""}


def _cell(comparison: Comparison, names: tuple[str, str], decimals: int) -> Spec:
    """Describe a cell; an infinite difference is as clear as any."""
    pair = comparison[names]
    apart = _is_apart(pair)
    better = (pair.difference > 0) == comparison.higher_is_better
    z = abs(pair.difference) / pair.standard_error if pair.standard_error > 0 else 0.0
    z = 1.0 if math.isinf(pair.difference) else min(z / MOST_ERRORS, 1.0)
    known = not math.isnan(pair.difference)
    written = fixed(pair.difference, decimals, sign=True) if known else "both ∞"
    return {
        "text": written + ("" if apart else " ?"),
        "side": "row" if better else "column",
        "strength": short(FAINT + (STRONG - FAINT) * z) if apart else OPEN,
        "told": pair.sentence,
        "interval": from_to(pair.simultaneous, decimals),
        "chance": chance(pair.adjusted_p_value, is_bound=pair.adjusted_p_is_bound),
    }


def _matrix_spec(names: list[str], cells: list[Spec], comparison: Comparison) -> Spec:
    axis: Spec = {"title": None, "ticks": False, "domain": False, "labelLimit": LONG_NAME}
    room = WHOLE if _is_wide(names) else HALF
    above = {"orient": "top", "labelAngle": 0, "labelLimit": max(room / len(names), 40)}
    x, y = (
        vega.category(field, sort={"field": by, "op": "min"}, axis=axis | more)
        for field, by, more in (("other", "column", above), ("model", "row", {}))
    )
    numbers = {"interval": interval_name(comparison), "chance": "adjusted p-value"}
    text = vega.layer(vega.ink("text"), {"text": vega.category("text")})
    # Colour by who is better, as strongly as that is clear; a gap sets cells apart.
    sides = {"domain": ["row", "column", "own"], "range": [BETTER, WORSE, "transparent"]}
    gap = {"xOffset": 1, "x2Offset": -1, "yOffset": 1, "y2Offset": -1}
    strength = {"domain": [0, 1], "range": [0, 1]}
    paint = {
        "color": vega.category("side", scale=sides, legend=None),
        "opacity": vega.measure("strength", scale=strength, legend=None),
    }
    colored = vega.layer(vega.mark("rect", cornerRadius=3, **gap), paint)
    look = {
        "width": "container",
        "height": (CELL if len(names) <= MANY else CLOSE) * len(names),
        "encoding": {"x": x, "y": y, "tooltip": vega.hover({"told": "pair"} | numbers)},
        "layer": [colored, text],
    }
    return vega.of_models(names, cells, "indexof(shown, datum.other) >= 0", **look)


def _is_wide(names: Sequence[str]) -> bool:
    """Return whether names side by side need all of the page."""
    return len(names) > FEW_MODELS or max(map(len, names)) * LETTER > HALF / len(names)


def _is_apart(pair: Pair) -> bool:
    """Return whether one is better; an infinite score needs no test."""
    return is_significant(pair) or math.isinf(pair.difference)


def _matrix_table(comparison: Comparison) -> NumberTable:
    decimals, best = _decimals(comparison), by_score(comparison)[0]
    head = ("pair", "difference", interval_name(comparison), "adjusted p", "verdict")
    # Among more pairs, only those with the best model.
    pairs = [(x.first, x.second) for x in comparison]
    pairs = [x for x in pairs if len(comparison) <= MOST_ROWS or best in x]
    cells, numbers = [_cell(comparison, x, decimals) for x in pairs], itemgetter(*NUMBERS)
    rows = [
        (f" {words.MINUS} ".join(names), cell["text"].removesuffix(" ?"), *numbers(cell))
        for names, cell in zip(pairs, cells, strict=True)
    ]
    return NumberTable(head, rows)
