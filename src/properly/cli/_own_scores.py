"""Scores of forecasters, each on the questions that it answered: not to be compared."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any

from properly.cli._formats import FORMATS
from properly.cli._long import read_long
from properly.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from properly import Answers, Cases
    from properly.rules import Rule

HEAD = ("rule", "forecaster", "answered", "score", "lower", "upper", "note")
NOTE = "not comparable; see leaderboard"


def own_scores(
    own: Mapping[str, Any],
    layout: str,
    *,
    rules: Sequence[Rule] | None,
    level: float,
    **options: Any,
) -> str:
    """Score each forecaster of a long table by itself, and lay the scores out."""
    from properly.evaluation._evaluate import rules_of_task

    table = read_long(own, **options)
    answers = table.answers()
    rows = list(_rows(answers, rules_of_task(table.task, rules, None), level))
    if layout == "json":
        from properly._boundary._record import plain

        scores = [dict(zip(HEAD, plain(row), strict=True)) for row in rows]
        record = {"questions": len(answers.questions), "level": level, "scores": scores}
        return json.dumps(record, indent=2, ensure_ascii=False, allow_nan=False) + "\n"
    return _as_text(answers, rows, level) if layout == "table" else FORMATS[layout](HEAD, rows)


def _rows(answers: Answers, rules: Sequence[Rule], level: float) -> Iterator[tuple[Any, ...]]:
    """Go through rules and forecasters, in the order of their names."""
    answered = {name: count for name, count in answers.answered.items() if count}
    cases = {name: answers.cases(name) for name in answered}
    for rule in rules:
        for name, count in answered.items():
            yield rule.name, name, count, *_interval(cases[name], rule, level), NOTE


def _interval(cases: Cases, rule: Rule, level: float) -> tuple[float, float, float]:
    """Score, with an interval where there is more than one family of questions."""
    from properly import Cases
    from properly.inference import score_interval

    try:
        found = score_interval(cases, rule, level=level)
    except DataError:
        alone = Cases(cases.y, cases.p, weight=cases.weight, labels=cases.labels)
        return float(score_interval(alone, rule, level=level).value), math.nan, math.nan
    low, high = found.interval
    return float(found.value), float(low), float(high)


def _as_text(answers: Answers, rows: Sequence[Sequence[Any]], level: float) -> str:
    from properly._boundary._tables import table
    from properly._boundary._text import many

    asked = many(len(answers.questions), "question")
    head = ("rule", "forecaster", "answered", "score", f"{100 * level:g} %", "")
    lines = [
        (rule, name, str(count), _number(score), _range(low, high), note)
        for rule, name, count, score, low, high, note in rows
    ]
    shown = table(head, lines, left=2)
    return f"{asked}; each forecaster is scored on those it answered\n\n{shown}\n"


def _number(x: float) -> str:
    return f"{x:.5f}" if math.isfinite(x) else "∞" if x > 0 else "-"


def _range(low: float, high: float) -> str:
    return "-" if math.isnan(low) else f"{_number(low)} to {_number(high)}"
