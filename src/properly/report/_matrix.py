"""Differences between any two models, as a matrix."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeAlias

from properly._boundary._text import many, printable
from properly.comparison._pairs import interval_name, is_significant
from properly.report._chart import PALETTE, Chart, Table, only_shown, short, shown
from properly.report._words import chance, decimals_of_least, few, fixed, from_to, score_in_words

if TYPE_CHECKING:
    from properly.comparison._pairs import Comparison, Pair
    from properly.evaluation._record import Evaluation
    from properly.report._chart import Spec

Row: TypeAlias = dict[str, Any]

# Where the model of the row is better, and where that of the column is.
BETTER, WORSE = PALETTE[0], PALETTE[1]
# Differences of more standard errors than this have the strongest colour.
MOST = 4.0
# How strong colours are: of the clearest difference, of the least that is told apart, and of one
# that is not; the page shines through, so that both light and dark pages have letters to read.
STRONG, FAINT, OPEN = 0.7, 0.3, 0.1
# Pixels of the height of a cell, of few models and of many, and of a name.
CELL, CLOSE, MANY, LONGEST = 44, 30, 8, 120
# Pixels beside the names of rows, on half of the page and on all of it, and those of a letter.
HALF, WHOLE, LETTER = 370, 880, 6.5
# Models that fit on half of the page, whatever their names.
FEW = 6
# Pairs that the table has; of more, only those with the best model.
MOST_ROWS = 30
LEAD = (
    "A cell has the {score} of the model in its row less that of its column. Blue: the "
    "row is better; orange: the column is. The stronger the colour, the more standard errors the "
    "two are apart. Pale cells with a question mark cannot be told apart, adjusted for the number "
    "of pairs. The scores themselves stand on the diagonal."
)


def matrix_chart(evaluation: Evaluation) -> Chart | None:
    """Draw the difference between any two models as a cell of a matrix, the best first."""
    comparison = evaluation.comparisons.get(evaluation.primary)
    if comparison is None or len(comparison.models) < 2:
        return None
    order = [name for name in _order(comparison) if name in evaluation.models]
    score = score_in_words(evaluation, evaluation.primary)
    # The score is named above the chart, and needs no name in every sentence.
    comparison = replace(comparison, unit="")
    return Chart(
        name="comparisons",
        title="Every model against every other",
        lead=LEAD.format(score=score),
        spec=_spec(list(evaluation.models), _cells(comparison, order), comparison),
        alt=_alt(comparison, score),
        table=_table(comparison),
        wide=_is_wide(order),
    )


def _cells(comparison: Comparison, order: list[str]) -> list[Row]:
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


def _own(comparison: Comparison, name: str, decimals: int) -> Row:
    score = comparison.scores[name]
    ends = from_to(score.interval, decimals)
    return {
        "text": fixed(score.value, decimals),
        "side": "own",
        "strength": 0,
        "told": f"{printable(name)}: score {fixed(score.value, decimals)}",
        "interval": ends,
        "chance": "",
    }


def _cell(comparison: Comparison, pair: Pair, decimals: int) -> Row:
    """Describe a cell; an infinite difference is as clear as any."""
    apart = _is_apart(pair)
    better = (pair.difference > 0) == comparison.higher_is_better
    z = min(_ratio(pair), MOST) / MOST
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
        return MOST
    return abs(pair.difference) / pair.standard_error if pair.standard_error > 0 else 0.0


def _written(difference: float, decimals: int) -> str:
    return "both ∞" if math.isnan(difference) else fixed(difference, decimals, sign=True)


def _spec(names: list[str], cells: list[Row], comparison: Comparison) -> Spec:
    axis: Spec = {"title": None, "ticks": False, "domain": False, "labelLimit": LONGEST}
    y = {"field": "model", "type": "nominal", "sort": {"field": "row", "op": "min"}, "axis": axis}
    room = WHOLE if _is_wide(names) else HALF
    above = {"orient": "top", "labelAngle": 0, "labelLimit": max(room / len(names), 40)}
    x = {
        "field": "other",
        "type": "nominal",
        "sort": {"field": "column", "op": "min"},
        "axis": axis | above,
    }
    tooltip = [
        {"field": "told", "type": "nominal", "title": "pair"},
        {"field": "interval", "type": "nominal", "title": interval_name(comparison)},
        {"field": "chance", "type": "nominal", "title": "adjusted p-value"},
    ]
    written: Spec = {
        "mark": {"type": "text", "color": "currentColor"},
        "encoding": {"text": {"field": "text", "type": "nominal"}},
    }
    return {
        "params": [shown(names)],
        "data": {"values": cells},
        "transform": [only_shown(), {"filter": "indexof(shown, datum.other) >= 0"}],
        "width": "container",
        "height": (CELL if len(names) <= MANY else CLOSE) * len(names),
        "encoding": {"x": x, "y": y, "tooltip": tooltip},
        "layer": [_colored(), written],
    }


def _colored() -> Spec:
    """Colour the cells by who is better, as strongly as that is clear; a gap sets them apart."""
    sides = {"domain": ["row", "column", "own"], "range": [BETTER, WORSE, "transparent"]}
    strength = {
        "field": "strength",
        "type": "quantitative",
        "scale": {"domain": [0, 1], "range": [0, 1]},
        "legend": None,
    }
    gap: Spec = {"xOffset": 1, "x2Offset": -1, "yOffset": 1, "y2Offset": -1}
    return {
        "mark": {"type": "rect", "cornerRadius": 3} | gap,
        "encoding": {
            "color": {"field": "side", "type": "nominal", "scale": sides, "legend": None},
            "opacity": strength,
        },
    }


def _is_wide(names: list[str]) -> bool:
    """Tell whether names side by side need all of the page."""
    return len(names) > FEW or max(map(len, names)) * LETTER > HALF / len(names)


def _order(comparison: Comparison) -> list[str]:
    """Sort models by their scores, the best first."""
    sign = -1 if comparison.higher_is_better else 1
    return sorted(comparison.models, key=lambda name: sign * comparison.scores[name].value)


def _is_apart(pair: Pair) -> bool:
    """Return whether one is better; an infinite score needs no test."""
    return is_significant(pair) or math.isinf(pair.difference)


def _alt(comparison: Comparison, score: str) -> str:
    best = _order(comparison)[0]
    apart = [pair for pair in comparison if _is_apart(pair)]
    ahead = sum(best in (pair.first, pair.second) for pair in apart)
    return (
        f"{len(apart)} of {many(len(comparison.pairs), 'pair')} can be told apart by the "
        f"{score}. The best one has {printable(best)}, "
        f"{few(comparison.scores[best].value, 3)}, and it is told apart "
        f"from {ahead} of {many(len(comparison.models) - 1, 'other')}."
    )


def _table(comparison: Comparison) -> Table:
    decimals = _decimals(comparison)
    head = ("pair", "difference", interval_name(comparison), "adjusted p", "verdict")
    best = _order(comparison)[0]
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
    return Table(head, rows)
