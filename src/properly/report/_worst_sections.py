"""Tables of the worst cases."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from properly.report._chart import Table
from properly.report._rule_words import score_in_words
from properly.report._score_sections import number

if TYPE_CHECKING:
    from properly.decisions._worst_cases import WorstCases
    from properly.evaluation._class_evaluation import ClassEvaluation
    from properly.evaluation._event_evaluation import Evaluation

# Of grouped forecasts.
CELLS = " Of forecasts that were grouped, the mean of their cell is shown."


def worst_tables(evaluation: Evaluation | ClassEvaluation) -> list[tuple[str, Table]]:
    """Lay out the cases that cost each model most."""
    return [(name, _table(found)) for name, found in evaluation.worst.items()]


def worst_lead(evaluation: Evaluation | ClassEvaluation) -> str:
    """Say what is listed: cases that one can look at, or forecasts where rows are not known."""
    if not evaluation.worst:
        return ""
    first = next(iter(evaluation.worst.values()))
    rule = score_in_words(evaluation, first.rule)
    if first.cases is not None:
        return (
            f"The forecasts that cost each model most by the {rule}, with what happened then and "
            "for how many cases; a summary does not keep which rows they were."
            f"{CELLS if getattr(evaluation, 'grouping', {}) else ''}"
        )
    dropped = any(note.startswith("dropped ") for note in evaluation.notes)
    return (
        f"The cases that cost each model most by the {rule}, to look at by eye: a wrong outcome, a "
        "strange case, or an overconfident forecast. Rows are counted from 0"
        f"{', those that were dropped left out' if dropped else ''}."
    )


def _table(found: WorstCases) -> Table:
    columns = found.columns()
    told = ([_text(x, name) for x in column] for name, column in columns.items())
    rows = zip(*told, strict=True)
    return Table(tuple(columns), tuple(rows))


def _text(x: Any, name: str) -> str:
    if isinstance(x, float):
        return number(x)
    return f"{x:,}" if name == "cases" else str(x)
