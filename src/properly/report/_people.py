"""In people: of 1,000 cases, how many alarms, how many of them right, how many events missed."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from properly._boundary._text import percent
from properly.counts._baselines import TREAT_ALL, TREAT_NONE
from properly.decisions._at_threshold import PEOPLE, RATES, in_people, round_number
from properly.evaluation._repair import round_middle
from properly.report._chart import inks_of
from properly.report._page_words import NONE, fixed
from properly.report._score_tables import ScoreTableRow
from properly.report._screen import TableCell

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from properly.decisions._at_threshold import AtThreshold
    from properly.evaluation._record import Evaluation


HEAD = ("alarms", "right", "missed", *RATES)
# Drawn of all, whatever the number that is spoken of.
DOTS = 1000
# Rows that are kept for the reader to choose from, of all models together.
MOST_ROWS = 200


def people(evaluation: Evaluation, cases: str, event: str) -> dict[str, Any] | None:
    """Lay out what models of an event come to in people; of classes there is nothing to say.

    Without scripts there are tables at three thresholds; `numbers` has all of them.
    """
    if not evaluation.at_thresholds:
        return None
    per = round_number(evaluation.event_rate)
    # The first is at 0, where one acts on all.
    everyone = next(iter(evaluation.at_thresholds.values()))[0]
    models = {name: _fewer(x[1:], evaluation) for name, x in evaluation.at_thresholds.items()}
    thresholds = [at.threshold for at in next(iter(models.values()))]
    start = _nearest(thresholds, round_middle(evaluation.within, evaluation.event_rate))
    shown = sorted({start, *_sides(evaluation, thresholds)})
    cells = {name: [_cells(at, per) for at in x] for name, x in models.items()}
    # What needs no model is the same at every threshold.
    plain = dict(zip((TREAT_ALL, TREAT_NONE), _without_model(everyone, per), strict=True))
    inks = inks_of(evaluation)
    ends = [ScoreTableRow(name, _as_cells(row), baseline=True) for name, row in plain.items()]
    percents = [percent(t) for t in thresholds]
    tables = [
        [ScoreTableRow(name, _as_cells(x[k]), ink=inks[name]) for name, x in cells.items()] + ends
        for k in shown
    ]
    rows = [[_joined(row) for row in x] for x in (*cells.values(), *([x] for x in plain.values()))]
    return {
        "per": f"{per:,}",
        "cases": cases,
        "event": event,
        "head": HEAD,
        "ends": (_number(thresholds[0]), _number(thresholds[-1])),
        "start": _number(thresholds[start]),
        "last": len(thresholds) - 1,
        "place": start,
        "tables": [(percents[k], k == start, x) for k, x in zip(shown, tables, strict=True)],
        "dot": "" if per == DOTS else f"{per // DOTS:,}",
        "numbers": {
            "percent": [100 * t for t in thresholds],
            "labels": percents,
            "rows": rows,
            "dots": [[_dots(at) for at in x] for x in models.values()]
            + [[_dots(everyone)], [[0, 0, _dots(everyone)[0]]]],
        },
    }


def _fewer(by_threshold: Sequence[AtThreshold], evaluation: Evaluation) -> tuple[AtThreshold, ...]:
    """Keep every second threshold, or fewer, of many models; both ends stay."""
    step = math.ceil(len(by_threshold) * len(evaluation.at_thresholds) / MOST_ROWS)
    return *by_threshold[:-1:step], by_threshold[-1]


def _number(threshold: float) -> str:
    return f"{100 * threshold:.6g}"


def _sides(evaluation: Evaluation, thresholds: Sequence[float]) -> list[int]:
    """Return the places of both ends of the range, or else half and double the event rate."""
    if evaluation.within is not None:
        return [0, len(thresholds) - 1]
    return [_nearest(thresholds, x * evaluation.event_rate) for x in (0.5, 2)]


def _nearest(thresholds: Sequence[float], x: float) -> int:
    return int(np.argmin(np.abs(np.array(thresholds) - x)))


def _cells(at: AtThreshold, per: int) -> list[list[str]]:
    """Write each number, and its interval if there is one."""
    counts = [_cell(at.estimate(name), lambda x: in_people(x, per)) for name in PEOPLE]
    return counts + [_cell(at.estimate(word), _rate) for word in RATES]


def _cell(estimate: tuple[float, float, float], text: Callable[[float], str]) -> list[str]:
    """Write a number, and both ends of its interval if there is one."""
    if math.isnan(estimate[0]):
        return [NONE]
    return [text(x) for x in estimate if not math.isnan(x)]


def _as_cells(row: list[list[str]]) -> list[TableCell]:
    """Lay out the texts of a row; rates are in per cent."""
    cells = []
    for k, (number, *ends) in enumerate(row):
        unit = " %" if k >= len(PEOPLE) and number != NONE else ""
        cells.append(TableCell(f"{number}{unit}", f"{' to '.join(ends)}{unit}" if ends else ""))
    return cells


def _joined(row: list[list[str]]) -> str:
    """Write a row as a short text, since there are many of them."""
    return "|".join("/".join(texts) for texts in row)


def _rate(x: float) -> str:
    return fixed(100 * x, 1)


def _without_model(everyone: AtThreshold, per: int) -> tuple[list[list[str]], list[list[str]]]:
    """Act on all, then on nobody: only how frequent the event is can be other than it was."""
    rate, low, high = everyone.estimate("true_positives")
    events = _cell((rate, low, high), lambda x: in_people(x, per))
    right, left = (_cell(x, _rate) for x in ((rate, low, high), (1 - rate, 1 - high, 1 - low)))
    whole, nothing, all_of, none_of = [f"{per:,}"], ["0"], [_rate(1.0)], [_rate(0.0)]
    return (
        [whole, events, nothing, all_of, none_of, right, [NONE]],
        [nothing, nothing, events, none_of, all_of, [NONE], left],
    )


def _dots(at: AtThreshold) -> list[int]:
    """Count dots: alarms that are right, alarms in vain, and events that are missed."""
    shares = np.array([at.true_positives, at.false_positives, at.false_negatives])
    dots: list[int] = (DOTS * shares).round().astype(int).tolist()
    return dots
