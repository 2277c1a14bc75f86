"""The numbers of an evaluation under names that MLflow takes."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, Any

from properly.evaluation._class_evaluation import DECIDED
from properly.evaluation._event_evaluation import Evaluation
from properly.report._figures import slugs_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from properly.evaluation._class_evaluation import ClassEvaluation

    Named = Iterator[tuple[str, float]]

PARTS = ("miscalibration", "discrimination", "uncertainty")
# MLflow takes 250 letters; the longest ending and a model come on top.
LONGEST = 160


def metrics_of(evaluation: Evaluation | ClassEvaluation, prefix: str = "") -> dict[str, float]:
    """Name all numbers that there are; what has no value is left out.

    Of several models each has its name in front, as far as it is letters and digits, and a slash.
    """
    found = {f"{prefix}cases": float(evaluation.total)}
    if isinstance(evaluation, Evaluation):
        found[f"{prefix}event_rate"] = float(evaluation.event_rate)
    slugs = slugs_of(evaluation.models)
    for model in evaluation.models:
        place = f"{prefix}{slugs[model]}/" if len(evaluation.models) > 1 else prefix
        for name, value in _of_model(evaluation, model):
            if not math.isnan(value):
                found[_distinct(f"{place}{name}", found)] = float(value)
    return found


def metric_name(name: str) -> str:
    """Write the name of a rule in letters, digits, points, dashes and low lines.

    Examples
    --------
    >>> from properly.rules import Bounded, Brier
    >>> metric_name(Bounded(Brier(), (0.05, 0.2)).name)
    'bounded_brier_0.05_0.2'
    """
    return re.sub(r"[^\w.\-]+", "_", name, flags=re.ASCII)[:LONGEST].strip("._-") or "rule"


def _of_model(evaluation: Evaluation | ClassEvaluation, model: str) -> Named:
    for rule in evaluation.rules:
        for ending, value in _of_rule(evaluation, model, rule.name):
            yield f"{metric_name(rule.name)}{ending}", value
    if isinstance(evaluation, Evaluation):
        if model in evaluation.aucs:
            yield from _around("auc", evaluation.aucs[model])
    else:
        hard = evaluation.decisions[model].argmax
        for name in DECIDED if evaluation.task == "ordinal" else DECIDED[:2]:
            yield name, getattr(hard, name)
    if model in evaluation.calibration_tests:
        yield "calibration_test_p_value", evaluation.calibration_tests[model].p_value


def _of_rule(evaluation: Evaluation | ClassEvaluation, model: str, rule: str) -> Named:
    """Give a score, its interval, skill and parts, each with the ending of its name."""
    parts: Any
    if isinstance(evaluation, Evaluation):
        score, parts = evaluation.scores[model][rule], evaluation.decompositions[model][rule]
    else:
        score, parts = evaluation.intervals[model][rule], evaluation.scores[model][rule]
    yield from _around("", score)
    yield from _around("_skill", evaluation.skills[model][rule])
    for part in PARTS:
        yield f"_{part}", getattr(parts, part)
    around = getattr(parts, "intervals", None)
    for part in PARTS[:2] if around is not None else ():
        yield f"_{part}_corrected", getattr(around, f"corrected_{part}")
        yield from _ends(f"_{part}", *getattr(around, part))
    if score.infinite_cases:
        yield "_infinite_cases", float(score.infinite_cases)


def _around(name: str, estimate: Any) -> Named:
    yield name, estimate.value
    yield from _ends(name, *estimate.interval)


def _ends(name: str, lower: float, upper: float) -> Named:
    yield f"{name}_lower", lower
    yield f"{name}_upper", upper


def _distinct(name: str, taken: dict[str, float]) -> str:
    """Add a number to a name that two rules would share."""
    found, number = name, 1
    while found in taken:
        number += 1
        found = f"{name}_{number}"
    return found
