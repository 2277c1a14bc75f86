"""Differences on the page: between groups, between models, and over time."""

from __future__ import annotations

import datetime as dt
import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from properly._boundary._text import listed, many, printable
from properly.comparison._pairs import interval_name, is_significant
from properly.comparison._periods import words
from properly.plots._forest_plots import by_score
from properly.report import _vega as vega
from properly.report._chart import Chart, NumberTable, short
from properly.report._page_words import (
    LISTED,
    NONE,
    chance,
    decimals_of_least,
    few,
    fixed,
    from_to,
    percent,
    score_in_words,
)
from properly.report._vega import INK

if TYPE_CHECKING:
    from collections.abc import Sequence

    from properly.comparison._groups_record import Groups
    from properly.comparison._pairs import Comparison, Pair
    from properly.comparison._periods import OverTime
    from properly.evaluation._record import Evaluation
    from properly.report._vega import Spec
    from properly.typing import Column

# Panels in a row, and pixels: between panels, of a row, and of a name.
COLUMNS, GAP = 3, 20
STEP, LONGEST = 24, 125
# Groups that are drawn; of more, those with the most cases.
MOST_GROUPS = 30
GROUPS_LEAD = (
    "A row is a group of cases, with their number. The dot is its {score} less that of all "
    "other cases: right of zero, the group scores worse. Bars are intervals that hold for all "
    "groups at once; hollow dots may be chance. Where {common} there is more to "
    "lose, so a group may score worse under perfect forecasts too. Skill{expected}, shown on "
    "hover, say more about the forecasts."
)
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
# Models that fit on half of the page, whatever their names.
FEW_MODELS = 6
# Pairs, or periods, that a table has; of more pairs, only those with the best model.
MOST_ROWS = 30
MATRIX_LEAD = (
    "A cell has the {score} of the model in its row less that of its column. Blue: the "
    "row is better; orange: the column is. The stronger the colour, the more standard errors the "
    "two are apart. Pale cells with a question mark cannot be told apart, adjusted for the number "
    "of pairs. The scores themselves stand on the diagonal."
)
# Pixels: the heights of the two panels of time.
HIGH, LOW = 250, 130
# Pixels to the left and right of all points; days from which on months are enough.
PADDING, MONTHS = 20, 200
# So many times are all written below the axis.
MARKED = 12
# So few periods stand side by side, with the models beside each other in each.
FEW_PERIODS = 6
TIME_LEAD = (
    "The {score} of consecutive periods, lower is better, with {level} % intervals of each "
    "period taken alone."
)
BELOW = (
    " Below: how often the event happened (grey) and what was forecast on average. A score "
    "moves with the event rate even if forecasts are as good as before; that forecasts move away "
    "from it is another matter."
)


def groups_chart(evaluation: Evaluation) -> Chart | None:
    """Draw the difference of each group from the rest, with intervals for all at once."""
    by_model = evaluation.groups
    if not by_model:
        return None
    one = next(iter(by_model.values()))
    order = _group_order(by_model)
    decimals = {name: _group_decimals(groups) for name, groups in by_model.items()}
    rows = [
        {"model": name, "panel": k} | _group_row(groups, g, decimals[name]) | {"place": place}
        for k, (name, groups) in enumerate(by_model.items())
        for place, g in enumerate(order)
    ]
    table = [
        (
            one.name[g],
            f"{one.cases[g]:,}",
            *(_group_cell(x, g, decimals[m]) for m, x in by_model.items()),
        )
        for g in order
    ]
    clauses = [f"{printable(name)}: {_differ(groups)}" for name, groups in by_model.items()]
    more = f"; and {many(len(clauses) - LISTED, 'more model')}" if len(clauses) > LISTED else ""
    return Chart(
        name="groups",
        title="Groups: for whom are the forecasts worse?",
        lead=_groups_lead(one, score_in_words(evaluation, one.rule)),
        spec=_groups_spec(list(by_model), rows, one),
        alt=f"{'; '.join(clauses[:LISTED])}{more}.",
        table=NumberTable(("group", "cases", *by_model), tuple(table)),
        wide=True,
    )


def _groups_lead(one: Groups, score: str) -> str:
    event = one.events is not None
    lead = GROUPS_LEAD.format(
        score=score,
        common="an event is common" if event else "classes are about as common as each other",
        expected=" and observed to expected events" if event else "",
    )
    lead = lead if event else lead.replace("say more about", "says more about")
    if len(one) > MOST_GROUPS:
        lead += f" The {MOST_GROUPS} largest of {len(one)} groups are drawn."
    return lead


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
    return decimals_of_least(np.diff(groups.simultaneous)[:, 0] / 2)


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
        "skill": few(float(groups.skill[g])),
    }
    if bounded:
        row |= {"x": short(difference), "lower": short(lower), "upper": short(upper)}
    if groups.events is not None:
        row["events"] = f"{groups.events[g]:,}"
        row["expected"] = few(float(groups.observed_expected[g]), 3)
    return row


def _groups_spec(names: list[str], rows: list[Spec], one: Groups) -> Spec:
    room = vega.name_axis((row["group"] for row in rows), LONGEST)
    columns = min(len(names), COLUMNS)
    # Numbers at the ends of axes stand over by a few pixels.
    width = (vega.WHOLE - (columns - 1) * (GAP + 6)) // columns - room["minExtent"]
    sort = {"field": "place", "op": "min"}
    row = {
        "y": vega.category("group", sort=sort, axis=vega.BARE | room),
        "tooltip": _group_titles(one),
    }
    layers = _group_layers(vega.model_color(names), row)
    panel = {"width": width, "height": {"step": STEP}, "layer": layers}
    return vega.model_panels(names, rows, panel, 200, COLUMNS, spacing=GAP)


def _group_layers(color: Spec, row: Spec) -> list[Spec]:
    title = "score of the group minus all others"
    x = vega.measure("x", title, axis={"tickCount": 4, "format": "~g"})
    word = vega.mark("text", align="left", dx=6, opacity=0.6, fontStyle="italic", **INK)
    ends = {"x": x | {"field": "lower"}, "x2": {"field": "upper"}, "color": color}
    # Hollow, with the colour of the page inside, where zero is in the interval.
    test = {"condition": {"test": "datum.sure == 'yes'"} | color, "value": "var(--paper, Canvas)"}
    said = {"x": {"datum": 0}, "text": vega.category("said")}
    return [
        # One line, not one per row on top of each other.
        vega.layer(vega.mark("rule", opacity=0.5, **INK), {"x": {"datum": 0}}, values=[{}]),
        vega.layer(vega.mark("rule", strokeWidth=2.2), row | ends),
        vega.layer(
            vega.mark("point", size=65, strokeWidth=1.8, opacity=1),
            row | {"x": x, "stroke": color, "fill": test},
            {"filter": "isValid(datum.x)"},
        ),
        vega.layer(word, row | said, {"filter": "datum.said != ''"}),
    ]


def _group_titles(one: Groups) -> list[Spec]:
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
    return vega.hover(titles)


def _differ(groups: Groups) -> str:
    """Count the groups that are found to differ, and name the worst if it is one of them."""
    lower, upper = groups.simultaneous.T
    differ, worst = int(((lower > 0) | (upper < 0)).sum()), groups.worst
    clause = f"{differ} of {many(len(groups), 'group')} found to differ from the rest"
    if worst is None or worst.simultaneous[0] <= 0:
        return clause
    by = fixed(worst.difference, _group_decimals(groups), sign=True)
    return f"{clause}, {printable(worst.name)} for the worse ({by})"


def _group_cell(groups: Groups, g: int, decimals: int) -> str:
    between = from_to(groups.simultaneous[g].tolist(), decimals)
    if between == NONE:
        return TOO_FEW if not groups.enough[g] else NONE
    return f"{fixed(float(groups.difference[g]), decimals, sign=True)} ({between})"


def matrix_chart(evaluation: Evaluation) -> Chart | None:
    """Draw the difference between any two models as a cell of a matrix, the best first."""
    comparison = evaluation.comparisons.get(evaluation.primary)
    if comparison is None or len(comparison.models) < 2:
        return None
    order = [name for name in by_score(comparison) if name in evaluation.models]
    score = score_in_words(evaluation, evaluation.primary)
    # The score is named above the chart, and needs no name in every sentence.
    comparison = replace(comparison, unit="")
    return Chart(
        name="comparisons",
        title="Every model against every other",
        lead=MATRIX_LEAD.format(score=score),
        spec=_matrix_spec(list(evaluation.models), _cells(comparison, order), comparison),
        alt=_matrix_alt(comparison, score),
        table=_matrix_table(comparison),
        wide=_is_wide(order),
    )


def _cells(comparison: Comparison, order: list[str]) -> list[Spec]:
    """Lay out all cells, each with what is written in it and told about it."""
    decimals = _decimals(comparison)
    return [
        {"model": row, "row": i, "column": j, "other": column}
        | (
            _own(comparison, row, decimals)
            if row == column
            else _cell(comparison, comparison[row, column], decimals)
        )
        for i, row in enumerate(order)
        for j, column in enumerate(order)
    ]


def _decimals(comparison: Comparison) -> int:
    """Write as many decimals as show the least standard error, and that an interval lacks zero."""
    ends = [abs(end) for pair in comparison if _is_apart(pair) for end in pair.simultaneous]
    return decimals_of_least([*comparison.standard_error.tolist(), *ends], 1)


def _own(comparison: Comparison, name: str, decimals: int) -> Spec:
    score = comparison.scores[name]
    written = fixed(score.value, decimals)
    return {
        "text": written,
        "side": "own",
        "strength": 0,
        "told": f"{printable(name)}: score {written}",
        "interval": from_to(score.interval, decimals),
        "chance": "",
    }


def _cell(comparison: Comparison, pair: Pair, decimals: int) -> Spec:
    """Describe a cell; an infinite difference is as clear as any."""
    apart = _is_apart(pair)
    better = (pair.difference > 0) == comparison.higher_is_better
    z = min(_ratio(pair), MOST_ERRORS) / MOST_ERRORS
    return {
        "text": _written(pair.difference, decimals) + ("" if apart else " ?"),
        "side": "row" if better else "column",
        "strength": short(FAINT + (STRONG - FAINT) * z) if apart else OPEN,
        "told": pair.sentence,
        "interval": from_to(pair.simultaneous, decimals),
        "chance": chance(pair.adjusted_p_value, is_bound=pair.adjusted_p_is_bound),
    }


def _ratio(pair: Pair) -> float:
    if math.isinf(pair.difference):
        return MOST_ERRORS
    return abs(pair.difference) / pair.standard_error if pair.standard_error > 0 else 0.0


def _written(difference: float, decimals: int) -> str:
    return "both ∞" if math.isnan(difference) else fixed(difference, decimals, sign=True)


def _matrix_spec(names: list[str], cells: list[Spec], comparison: Comparison) -> Spec:
    axis: Spec = {"title": None, "ticks": False, "domain": False, "labelLimit": LONG_NAME}
    room = WHOLE if _is_wide(names) else HALF
    above = {"orient": "top", "labelAngle": 0, "labelLimit": max(room / len(names), 40)}
    x, y = (
        vega.category(field, sort={"field": by, "op": "min"}, axis=axis | more)
        for field, by, more in (("other", "column", above), ("model", "row", {}))
    )
    titles = {
        "told": "pair",
        "interval": interval_name(comparison),
        "chance": "adjusted p-value",
    }
    look = {
        "width": "container",
        "height": (CELL if len(names) <= MANY else CLOSE) * len(names),
        "encoding": {"x": x, "y": y, "tooltip": vega.hover(titles)},
        "layer": [
            _colored(),
            vega.layer(vega.mark("text", **INK), {"text": vega.category("text")}),
        ],
    }
    both = {"filter": "indexof(shown, datum.other) >= 0"}
    return vega.of_models(names, cells, both, **look)


def _colored() -> Spec:
    """Colour the cells by who is better, as strongly as that is clear; a gap sets them apart."""
    sides = {"domain": ["row", "column", "own"], "range": [BETTER, WORSE, "transparent"]}
    alone = {"domain": [0, 1], "range": [0, 1]}
    gap = {"xOffset": 1, "x2Offset": -1, "yOffset": 1, "y2Offset": -1}
    paint = {
        "color": vega.category("side", scale=sides, legend=None),
        "opacity": vega.measure("strength", scale=alone, legend=None),
    }
    return vega.layer(vega.mark("rect", cornerRadius=3, **gap), paint)


def _is_wide(names: Sequence[str]) -> bool:
    """Return whether names side by side need all of the page."""
    return len(names) > FEW_MODELS or max(map(len, names)) * LETTER > HALF / len(names)


def _is_apart(pair: Pair) -> bool:
    """Return whether one is better; an infinite score needs no test."""
    return is_significant(pair) or math.isinf(pair.difference)


def _matrix_alt(comparison: Comparison, score: str) -> str:
    best = by_score(comparison)[0]
    apart = [pair for pair in comparison if _is_apart(pair)]
    ahead = sum(best in (pair.first, pair.second) for pair in apart)
    return (
        f"{len(apart)} of {many(len(comparison.pairs), 'pair')} can be told apart by the "
        f"{score}. The best one has {printable(best)}, "
        f"{few(comparison.scores[best].value, 3)}, and it is told apart "
        f"from {ahead} of {many(len(comparison.models) - 1, 'other')}."
    )


def _matrix_table(comparison: Comparison) -> NumberTable:
    decimals, best = _decimals(comparison), by_score(comparison)[0]
    head = ("pair", "difference", interval_name(comparison), "adjusted p", "verdict")
    pairs = [x for x in comparison if len(comparison) <= MOST_ROWS or best in (x.first, x.second)]
    rows = tuple(
        (
            f"{printable(pair.first)} − {printable(pair.second)}",  # noqa: RUF001
            _written(pair.difference, decimals),
            from_to(pair.simultaneous, decimals),
            chance(pair.adjusted_p_value, is_bound=pair.adjusted_p_is_bound),
            pair.sentence,
        )
        for pair in pairs
    )
    return NumberTable(head, rows)


def time_chart(evaluation: Evaluation) -> Chart | None:
    """Draw scores in consecutive periods, and below them the event rate and mean forecasts."""
    by_model = evaluation.over_time
    if not by_model:
        return None
    one = next(iter(by_model.values()))
    score = score_in_words(evaluation, one.rule)
    lead = TIME_LEAD.format(level=f"{100 * one.level:g}", score=score)
    return Chart(
        name="time",
        title="Over time: do the forecasts keep their quality?",
        lead=lead if one.events is None else lead + BELOW,
        spec=_time_spec(by_model, one),
        alt=_time_alt(by_model, score),
        table=_time_table(by_model, one),
        wide=True,
    )


def _places(periods: OverTime) -> tuple[list[Any], Spec]:
    """Return where periods stand: in the middle of their times, or one beside the other."""
    start, end = periods.start, periods.end
    if len(periods) <= FEW_PERIODS:
        axis: Spec = {"labelAngle": 0, "labelLimit": vega.WIDE // len(periods), "grid": False}
        band = {"scale": {"type": "band", "padding": 0.2}, "axis": axis}
        return [printable(x) for x in periods.name], {"type": "ordinal", "sort": None} | band
    if start.dtype.kind == "O":
        start, end = (_as_dates(x) for x in (start, end))
    if start.dtype.kind == "M":
        return _dates(start, end)
    axis, scale = {"format": "~f", "grid": False}, {"zero": False, "padding": PADDING}
    numbers: list[Any] = list(range(1, len(periods) + 1))
    if start.dtype.kind in "iuf":
        numbers = [short(x) for x in ((start + end) / 2).tolist()]
        labelled = bool((start == end).all()) and len(start) <= MARKED
        axis |= {"values": numbers} if labelled else {}
    else:
        axis["title"] = "period"
    return numbers, {"type": "quantitative", "scale": scale | {"nice": False}, "axis": axis}


def _dates(start: Column, end: Column) -> tuple[list[Any], Spec]:
    """Return the middle of each period, and an axis of months, or of days if that is all."""
    first, last = (x.astype("datetime64[s]").astype(np.int64) for x in (start, end))
    middle = ((first + last) // 2).astype("datetime64[s]")
    days = (last[-1] - first[0]) / 86400
    axis = {"format": "%b %Y" if days > MONTHS else "%d %b %Y", "grid": False, "tickCount": 8}
    scale = {"type": "utc", "padding": PADDING}
    return [f"{x}Z" for x in middle], {"type": "temporal", "scale": scale, "axis": axis}


def _as_dates(time: Column) -> Column:
    """Read dates of Python as numpy does; those with a time zone become universal time."""
    zoned = [getattr(x, "tzinfo", None) is not None for x in time]
    plain = [
        x.astimezone(dt.UTC).replace(tzinfo=None) if is_zoned else x
        for x, is_zoned in zip(time, zoned, strict=True)
    ]
    try:
        return np.array(plain, dtype="datetime64[us]")
    except (TypeError, ValueError):
        return time


def _period_rows(name: str, periods: OverTime, places: list[Any]) -> list[Spec]:
    decimals = _period_decimals(periods)
    columns = {"score": periods.score, "lower": periods.lower, "upper": periods.upper}
    if periods.event_rate is not None and periods.mean_forecast is not None:
        columns |= {"rate": periods.event_rate, "forecast": periods.mean_forecast}
    return [
        {
            "model": name,
            "time": place,
            "period": printable(period),
            "cases": f"{periods.cases[k]:,}",
            "interval": from_to((float(periods.lower[k]), float(periods.upper[k])), decimals),
        }
        | {field: short(float(column[k])) for field, column in columns.items()}
        for k, (period, place) in enumerate(zip(periods.name, places, strict=True))
    ]


def _period_decimals(periods: OverTime) -> int:
    return decimals_of_least((periods.upper - periods.lower) / 2)


def _time_spec(by_model: dict[str, OverTime], one: OverTime) -> Spec:
    places, way = _places(one)
    rows = [row for name, record in by_model.items() for row in _period_rows(name, record, places)]
    x: Spec = {"field": "time", "title": None} | way
    names = list(by_model)
    spec = vega.of_models(names, rows)
    upper = _period_scores(names, x, one)
    if one.events is None:
        return spec | upper
    return spec | {"vconcat": [upper, _rates(names, x, rows[: len(one)])], "spacing": 18}


def _is_few(x: Spec) -> bool:
    return bool(x["type"] == "ordinal")


def _beside(names: list[str]) -> Spec:
    """Put models beside each other, in their order."""
    scale = {"domain": names, "paddingOuter": 1}
    return {"xOffset": vega.category("model", scale=scale)}


def _period_scores(names: list[str], x: Spec, one: OverTime) -> Spec:
    """Draw the scores, with ribbons for their intervals."""
    title = "mean score"
    y = vega.measure("score", title, scale={"zero": False})
    color, dash = vega.model_color(names), vega.model_dash(names)
    interval = f"{100 * one.level:g} % interval"
    tooltip = vega.hover(_where() | {"score": (title, ".4~g"), "interval": interval})
    place = {"x": x, "y": y, "color": color}
    ends = place | {"y": y | {"field": "lower"}, "y2": {"field": "upper"}}
    bounded = {"filter": "isValid(datum.lower)"}
    dots = vega.dot(45, opacity=1)
    size = {"width": vega.WIDE, "height": HIGH}
    if _is_few(x):
        aside = _beside(names)
        bars = vega.layer(vega.mark("rule", strokeWidth=2.2), ends | aside, bounded)
        return size | {"layer": [bars, vega.layer(dots, place | {"tooltip": tooltip} | aside)]}
    ribbon = vega.layer(vega.mark("area", opacity=0.13), ends, bounded)
    line = vega.layer(vega.mark("line", strokeWidth=1.8), place | {"strokeDash": dash})
    return size | {"layer": [ribbon, line, vega.layer(dots, place | {"tooltip": tooltip})]}


def _rates(names: list[str], x: Spec, rows: list[Spec]) -> Spec:
    """Draw the mean forecasts, and the event rate of all models alike."""
    title, rate = "mean forecast", {"rate": ("event rate", ".2%")}
    axis = {"format": "~%", "tickCount": 4}
    y = vega.measure("forecast", title, axis=axis, scale={"zero": True})
    place = {"x": x, "y": y, "color": vega.model_color(names)}
    tooltip = vega.hover(_where() | {"forecast": (title, ".2%")} | rate)
    observed = vega.hover({name: name for name in ("period", "cases")} | rate)
    happened = _happened({"x": x, "y": y | {"field": "rate"}}, rows, observed)
    points = place | {"tooltip": tooltip}
    size = {"width": vega.WIDE, "height": LOW}
    if _is_few(x):
        return size | {
            "layer": [*happened, vega.layer(vega.dot(30, opacity=1), points | _beside(names))]
        }
    lines = place | {"strokeDash": vega.model_dash(names)}
    forecasts = [
        vega.layer(vega.mark("line", strokeWidth=1.6), lines),
        vega.layer(vega.dot(30, opacity=1), points),
    ]
    return size | {"layer": [*forecasts, *happened]}


def _happened(at: Spec, rows: list[Spec], tooltip: list[Spec]) -> list[Spec]:
    """Draw the event rate of each period, and name it once."""
    fields = ("time", "period", "cases", "rate")
    data = [{key: row[key] for key in fields} for row in rows if row["rate"] is not None]
    look: Spec = {"opacity": 0.75} | INK
    few = _is_few(at["x"])
    above = {"align": "center" if few else "right", "baseline": "bottom", "dy": -7}
    words = at | {"text": {"value": "event rate"}}
    name = vega.layer(vega.mark("text", **above, **look), words, values=data[-1:])
    pointed = at | {"tooltip": tooltip}
    if few:
        # A line over the whole period, behind the forecasts.
        return [vega.layer(vega.mark("tick", thickness=2, **look), pointed, values=data), name]
    dashed = vega.mark("line", strokeDash=[5, 3], strokeWidth=1.6, **look)
    return [
        vega.layer(dashed, at, values=data),
        vega.layer(vega.dot(30, **look), pointed, values=data),
        name,
    ]


def _where() -> dict[str, Any]:
    return {field: field for field in ("model", "period", "cases")}


def _time_alt(by_model: dict[str, OverTime], score: str) -> str:
    one = next(iter(by_model.values()))
    ranges = []
    for name, record in by_model.items():
        finite = record.score[np.isfinite(record.score)]
        ends = [finite.min(), finite.max()] if finite.size else []
        texts = [fixed(float(x), _period_decimals(record)) for x in ends]
        ranges.append(f"{printable(name)} {' to '.join(texts) or NONE}")
    periods = f"{many(len(one), 'period')} from {words(one.start)[0]} to {words(one.end)[-1]}"
    said = f"The {score} in {periods}: {listed(ranges)}."
    if one.event_rate is None or not np.isfinite(one.event_rate).any():
        return said
    low, high = (percent(float(x)) for x in (np.nanmin(one.event_rate), np.nanmax(one.event_rate)))
    return f"{said} The event rate lies between {low} and {high}."


def _time_table(by_model: dict[str, OverTime], one: OverTime) -> NumberTable:
    """Give the score of each period and model; of many periods, the last ones."""
    rates = one.event_rate
    rows = []
    for k in range(max(0, len(one) - MOST_ROWS), len(one)):
        scores = [fixed(float(x.score[k]), _period_decimals(x)) for x in by_model.values()]
        rate = () if rates is None else (percent(float(rates[k]), 3),)
        rows.append((one.name[k], f"{one.cases[k]:,}", *rate, *scores))
    rate_head = () if rates is None else ("event rate",)
    return NumberTable(("period", "cases", *rate_head, *by_model), tuple(rows))
