"""Tables of the worst cases."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from properly.report._chart import Table
from properly.report._score_sections import number

if TYPE_CHECKING:
    from properly._class_evaluation import ClassEvaluation
    from properly._event_evaluation import Evaluation
    from properly._worst_cases import WorstCases


def worst_tables(evaluation: Evaluation | ClassEvaluation) -> list[tuple[str, Table]]:
    """Lay out the cases that cost each model most."""
    return [(name, _table(found)) for name, found in evaluation.worst.items()]


def _table(found: WorstCases) -> Table:
    columns = found.columns()
    rows = zip(*([_text(x) for x in column] for column in columns.values()), strict=True)
    return Table(tuple(columns), tuple(rows))


def _text(x: Any) -> str:
    return number(x) if isinstance(x, float) else str(x)
