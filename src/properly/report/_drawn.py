"""Which models are drawn: all of a few, the best of many."""

from __future__ import annotations

import math
from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any

from properly.evaluation._event_evaluation import Evaluation
from properly.report._chart import PALETTE

if TYPE_CHECKING:
    from properly.evaluation._class_evaluation import ClassEvaluation

# More curves cannot be told apart, and would make the page too large to send.
MOST_MODELS = 8


def drawn_models(evaluation: Evaluation | ClassEvaluation) -> tuple[str, ...]:
    """Name the models with the lowest scores, in the order that they were given in."""
    if len(evaluation.models) <= MOST_MODELS:
        return evaluation.models
    scores = evaluation.scores if isinstance(evaluation, Evaluation) else evaluation.intervals
    value = {name: by_rule[evaluation.primary].value for name, by_rule in scores.items()}
    best = sorted(value, key=lambda name: (math.isnan(value[name]), value[name]))[:MOST_MODELS]
    return tuple(name for name in evaluation.models if name in best)


def drawn_part(evaluation: Any) -> Any:
    """Leave out of an evaluation what belongs to models that are not drawn."""
    kept, every = drawn_models(evaluation), set(evaluation.models)
    if len(kept) == len(every):
        return evaluation
    parts = {}
    for field in fields(evaluation):
        part = getattr(evaluation, field.name)
        if isinstance(part, dict) and part and set(part) <= every:
            parts[field.name] = {name: part[name] for name in kept if name in part}
    return replace(evaluation, **parts)


def inks_of(evaluation: Evaluation | ClassEvaluation) -> dict[str, int]:
    """Give each model that is drawn the number of its colour."""
    return {name: k % len(PALETTE) for k, name in enumerate(drawn_models(evaluation))}
