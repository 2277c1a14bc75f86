"""Which charts stand on the page, in order."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from properly.evaluation._event_evaluation import Evaluation
from properly.report._class_reliability_chart import class_reliability_chart
from properly.report._class_scores_chart import class_scores_chart
from properly.report._confusion_chart import confusion_chart
from properly.report._decision import decision_chart
from properly.report._drawn import drawn_part
from properly.report._groups import groups_chart
from properly.report._matrix import matrix_chart
from properly.report._means import source_chart
from properly.report._periods import time_chart
from properly.report._regret_chart import regret_chart
from properly.report._reliability_chart import reliability_chart
from properly.report._retention_chart import retention_chart
from properly.report._roc import roc_chart
from properly.report._scores_plane import plane_chart

if TYPE_CHECKING:
    from collections.abc import Callable

    from properly.evaluation._class_evaluation import ClassEvaluation
    from properly.report._chart import Chart

OF_AN_EVENT: tuple[Callable[[Any], Chart | None], ...] = (
    regret_chart,
    decision_chart,
    reliability_chart,
    plane_chart,
    roc_chart,
    source_chart,
    matrix_chart,
    groups_chart,
    time_chart,
)
OF_CLASSES: tuple[Callable[[Any], Chart | None], ...] = (
    class_reliability_chart,
    class_scores_chart,
    confusion_chart,
    retention_chart,
    matrix_chart,
    groups_chart,
    time_chart,
)


def charts_of(evaluation: Evaluation | ClassEvaluation) -> list[Chart]:
    """Draw what there is to draw."""
    kinds = OF_AN_EVENT if isinstance(evaluation, Evaluation) else OF_CLASSES
    part = drawn_part(evaluation)
    return [chart for draw in kinds if (chart := draw(part)) is not None]
