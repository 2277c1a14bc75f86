"""Scores of classes: which rules, which models go together, and what each scores."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

import numpy as np

from properly._boundary._libraries import to_numpy
from properly.counts._cases import require_classes
from properly.counts._scoring import share_saved
from properly.errors import DataError
from properly.rules import PBS, RPS, Brier, ClassRule, Log, RankedLog
from properly.rules._class_rule import require_class_rule
from properly.rules._rule import as_rules

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from properly.calibration._class_decomposition import ClassDecomposition
    from properly.counts._cases import Cases
    from properly.rules import Rule

Task: TypeAlias = Literal["multiclass", "ordinal"]


class ClassScore(NamedTuple):
    """A mean score of class probabilities, its skill, and its parts.

    Attributes
    ----------
    score : float
        Mean loss of the forecasts.
    skill : float
        One minus the score, as a share of that of the constant class shares.
    miscalibration, discrimination : float
        Parts of the score, NaN for a rule that is no sum over yes-or-no questions.
    uncertainty : float
        Mean loss of the constant class shares.

    Examples
    --------
    >>> import properly
    >>> y, p = [0, 1, 2] * 10, [[0.5, 0.25, 0.25], [0.0, 0.5, 0.5], [0.25, 0.25, 0.5]] * 10
    >>> e = properly.evaluate(y, p, task="multiclass", replicates=0)
    >>> round(e.scores["forecast"]["brier"].skill, 4)
    0.375
    """

    score: float
    skill: float
    miscalibration: float
    discrimination: float
    uncertainty: float


def asked_rules(rules: Iterable[Rule] | Rule | None, task: Task) -> tuple[ClassRule, ...]:
    """Take the rules that were asked for, or those that suit the task."""
    if rules is None:
        return (RPS(), RankedLog(), Log()) if task == "ordinal" else (Brier(), Log(), PBS())
    asked = tuple(require_class_rule(rule) for rule in as_rules(rules))
    require_distinct("rules", [rule.name for rule in asked])
    for rule in asked:
        if rule.needs_order and task == "multiclass":
            message = f"{rule!r} needs ordered classes; the task is 'multiclass'"
            raise DataError(message, hint="task='ordinal' takes the columns in their order.")
    return asked


def score_classes(
    cases: Cases,
    rules: Iterable[ClassRule],
    constant: Mapping[str, float],
    parts: Mapping[str, ClassDecomposition],
) -> dict[str, ClassScore]:
    """Score a model by each rule, given the scores of the class shares and what has parts."""
    found = {}
    for rule in rules:
        score, unsure = float(rule.mean_price(cases.y, cases.p, cases.weight)), constant[rule.name]
        part = parts.get(rule.name)
        both = (math.nan,) * 2 if part is None else (part.miscalibration, part.discrimination)
        found[rule.name] = ClassScore(score, share_saved(score, unsure), *both, unsure)
    return found


def score_of_constant(score: float) -> ClassScore:
    """Gather what is known of a constant forecast: it is calibrated and tells nothing apart."""
    return ClassScore(score, share_saved(score, score), 0.0, 0.0, score)


def total_of(cases: Cases) -> int | float:
    """Count the cases, or add up their weights; whole numbers stay whole."""
    if cases.weight is None:
        return len(cases)
    total = to_numpy(cases.weight).sum()
    return int(total) if isinstance(total, np.integer) else float(total)


def require_same_classes(cases: Mapping[str, Cases]) -> None:
    """Refuse forecasts of one event, and of other classes than those of the first model."""
    for model in cases.values():
        require_classes(model)
    (first, known), *others = cases.items()
    for name, other in others:
        if other.classes != known.classes:
            found = f"{first!r} with {known.classes} and {name!r} with {other.classes}"
            message = f"models must have the same classes; got {found}"
            raise DataError(message)


def require_distinct(what: str, names: Sequence[str]) -> None:
    """Refuse none, and two of one name, of which one would be lost."""
    twice = [name for name in names if names.count(name) > 1]
    if not names or twice:
        found = f"{twice[0]!r} twice" if twice else "none"
        message = f"{what} must have names that differ, and there must be at least one; got {found}"
        raise DataError(message)
