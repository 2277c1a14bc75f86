"""The results of one or several models of classes on one data set, gathered."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

import numpy as np

from properly._cases import require_classes
from properly._class_decomposition import ClassDecomposition, decompose_classes
from properly._decomposition import COLUMNS
from properly._frames import to_frame
from properly._hard_decisions import HardDecisions, hard_decisions
from properly._labels import names_of_labels
from properly._libraries import freeze, to_numpy
from properly._plain import count_of_cases, many, plain
from properly._scoring import class_shares, score_of_classes, share_saved
from properly._tables import table_of_numbers, width_of
from properly.errors import DataError
from properly.rules import PBS, RPS, Brier, ClassRule, Log, RankedLog
from properly.rules._class_rule import require_class_rule
from properly.rules._cuts import CutRule
from properly.rules._rule import as_rules

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from properly._cases import Cases
    from properly._costs import NamedCost
    from properly._frames import Backend
    from properly.rules import Rule

Task: TypeAlias = Literal["multiclass", "ordinal"]
# By model and name of the rule, whatever has a score, a skill and parts.
Scores: TypeAlias = "Mapping[str, Mapping[str, Any]]"
SHARES = "class shares"
DECIDED = ("accuracy", "macro_f1", "mean_absolute_error", "quadratic_kappa")


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
    >>> p = [[0.5, 0.25, 0.25], [0.0, 0.5, 0.5], [0.25, 0.25, 0.5]]
    >>> e = properly.evaluate([0, 1, 2], p, task="multiclass")
    >>> round(e.scores["forecast"]["brier"].skill, 4)
    0.375
    """

    score: float
    skill: float
    miscalibration: float
    discrimination: float
    uncertainty: float


@dataclass(frozen=True, eq=False, repr=False)
class ClassEvaluation:
    """The results of one or several models of classes on one data set.

    Attributes
    ----------
    task : {"multiclass", "ordinal"}
        Whether the classes are ordered.
    total : int or float
        Number of cases, or their total weight.
    labels : tuple
        The labels of the classes.
    shares : array
        How often each class happened.
    rules : tuple of ClassRule
        The rules that were asked for.
    scores : dict of dict
        A `ClassScore` by model and name of the rule: score, skill against the class shares,
        miscalibration, discrimination, uncertainty. Miscalibration and discrimination are NaN for a
        rule that is no sum over yes-or-no questions.
    baselines : dict of dict
        The same for the constant ``"class shares"``.
    decompositions : dict of dict
        A `ClassDecomposition` by model and name of the rule, where there is one.
    decisions : dict
        `HardDecisions` by model: at zero-one costs, or quadratic ones if the classes are ordered.
    normalized : bool
        Whether rows of probabilities were divided by their sums.

    Examples
    --------
    >>> import properly
    >>> p = [[0.5, 0.25, 0.25], [0.0, 0.5, 0.5], [0.25, 0.25, 0.5]]
    >>> e = properly.evaluate([0, 1, 2], {"model": p}, task="ordinal")
    >>> e
    ClassEvaluation(3 cases of 3 ordered classes, models: 1, rules: 3)
    >>> e.scores["model"]["rps"].score
    0.14583333333333334
    """

    task: Task
    total: int | float
    labels: tuple[Any, ...]
    shares: np.ndarray[Any, np.dtype[np.float64]]
    rules: tuple[ClassRule, ...]
    scores: dict[str, dict[str, ClassScore]]
    baselines: dict[str, dict[str, ClassScore]]
    decompositions: dict[str, dict[str, ClassDecomposition]]
    decisions: dict[str, HardDecisions]
    normalized: bool

    def __post_init__(self) -> None:
        freeze(self)

    @property
    def cases(self) -> str:
        """The number of cases, or their total weight, as a person would write it."""
        return count_of_cases(self.total)

    @property
    def about(self) -> str:
        """What was forecast, in a few words."""
        ordered = "ordered " if self.task == "ordinal" else ""
        return f"{many(self.total, 'case')} of {len(self.labels)} {ordered}classes"

    def __repr__(self) -> str:
        models, rules = len(self.scores), len(self.rules)
        return f"ClassEvaluation({self.about}, models: {models}, rules: {rules})"

    def to_dict(self) -> dict[str, Any]:
        """Return all numbers as JSON can hold them; an infinite one is the string "Infinity"."""
        classes = dict(zip(names_of_labels(self.labels), self.shares.tolist(), strict=True))
        data = {"cases": self.total, "task": self.task, "classes": classes}
        both = {"models": self.scores, "baselines": self.baselines}
        found: dict[str, Any] = {"data": data | {"normalized": self.normalized}}
        for kind, scores in both.items():
            found[kind] = {
                name: {rule: plain(score._asdict()) for rule, score in by_rule.items()}
                for name, by_rule in scores.items()
            }
        return found | {"decisions": {n: d.to_dict() for n, d in self.decisions.items()}}

    def to_frame(self, backend: Backend | None = None) -> Any:
        """Return one row a model, or baseline, and rule as a polars, pandas or pyarrow frame."""
        return frame_of_scores(self.scores, self.baselines, backend)

    def __str__(self) -> str:
        """Lay out a table a person can read."""
        tables = [f"{self.about}; lower scores are better"]
        tables += tables_of_scores(self.scores, self.baselines)
        width = width_of_names(self.scores, self.baselines)
        columns = DECIDED if self.task == "ordinal" else DECIDED[:2]
        decided = [
            (name, [getattr(found.argmax, column) for column in columns])
            for name, found in self.decisions.items()
        ]
        tables.append(table_of_numbers("argmax", columns, decided, width))
        return "\n\n".join(tables)


def frame_of_scores(models: Scores, baselines: Scores, backend: Backend | None) -> Any:
    """Return one row a model, or baseline, and rule."""
    rows = [
        (name, bool(is_baseline), rule, *(getattr(score, column) for column in COLUMNS))
        for is_baseline, found in enumerate((models, baselines))
        for name, by_rule in found.items()
        for rule, score in by_rule.items()
    ]
    names = ("model", "baseline", "rule", *COLUMNS)
    return to_frame(dict(zip(names, zip(*rows, strict=True), strict=True)), backend)


def tables_of_scores(models: Scores, baselines: Scores) -> list[str]:
    """Lay out one table a rule, with the models first and the baselines in brackets."""
    shown = [*models.items(), *((f"({name})", found) for name, found in baselines.items())]
    width = width_of_names(models, baselines)
    return [
        table_of_numbers(
            rule,
            COLUMNS,
            [(n, [getattr(found[rule], column) for column in COLUMNS]) for n, found in shown],
            width,
        )
        for rule in next(iter(models.values()))
    ]


def width_of_names(models: Scores, baselines: Scores) -> int:
    """Return how wide the first column of all tables is."""
    rules = next(iter(models.values()))
    return width_of([*models, *(f"({name})" for name in baselines), *rules])


def evaluate_classes(
    cases: Mapping[str, Cases], task: Task, rules: Iterable[Rule] | Rule | None
) -> ClassEvaluation:
    """Score every model by every rule, and decide by it."""
    _require_same_classes(cases)
    first = next(iter(cases.values()))
    asked = _asked(rules, task)
    shares = class_shares(first.y, first.weight, len(first.labels or ()))
    constant = {rule.name: score_of_classes(rule, first.y, shares, first.weight) for rule in asked}
    parts = {name: _decompositions(model, asked) for name, model in cases.items()}
    cost: NamedCost = "quadratic" if task == "ordinal" else "zero_one"
    return ClassEvaluation(
        task,
        _total(first),
        tuple(first.labels or ()),
        shares,
        asked,
        {name: _scores(model, asked, constant, parts[name]) for name, model in cases.items()},
        {SHARES: {name: _constant(score) for name, score in constant.items()}},
        parts,
        {name: hard_decisions(model, cost) for name, model in cases.items()},
        first.normalized,
    )


def _asked(rules: Iterable[Rule] | Rule | None, task: Task) -> tuple[ClassRule, ...]:
    """Take the rules that were asked for, or those that suit the task."""
    if rules is None:
        return (RPS(), RankedLog(), Log()) if task == "ordinal" else (Brier(), Log(), PBS())
    asked = tuple(require_class_rule(rule) for rule in as_rules(rules))
    for rule in asked:
        if rule.needs_order and task == "multiclass":
            message = f"{rule!r} needs ordered classes; the task is 'multiclass'"
            raise DataError(message, hint="task='ordinal' takes the columns in their order.")
    return asked


def _scores(
    cases: Cases,
    rules: Iterable[ClassRule],
    constant: Mapping[str, float],
    parts: Mapping[str, ClassDecomposition],
) -> dict[str, ClassScore]:
    found = {}
    for rule in rules:
        score, unsure = float(rule.mean_price(cases.y, cases.p, cases.weight)), constant[rule.name]
        part = parts.get(rule.name)
        both = (math.nan,) * 2 if part is None else (part.miscalibration, part.discrimination)
        found[rule.name] = ClassScore(score, share_saved(score, unsure), *both, unsure)
    return found


def _constant(score: float) -> ClassScore:
    return ClassScore(score, share_saved(score, score), 0.0, 0.0, score)


def _decompositions(cases: Cases, rules: Iterable[ClassRule]) -> dict[str, ClassDecomposition]:
    """Decompose what adds up scores of yes-or-no questions, and is proper."""
    return {
        rule.name: decompose_classes(cases, rule)
        for rule in rules
        if isinstance(rule, CutRule | Brier) and rule.is_proper
    }


def _total(cases: Cases) -> int | float:
    """Count the cases, or add up their weights; whole numbers stay whole."""
    if cases.weight is None:
        return len(cases)
    total = to_numpy(cases.weight).sum()
    return int(total) if isinstance(total, np.integer) else float(total)


def _require_same_classes(cases: Mapping[str, Cases]) -> None:
    """Refuse forecasts of one event, and of other classes than those of the first model."""
    for model in cases.values():
        require_classes(model)
    (first, known), *others = cases.items()
    for name, other in others:
        if other.classes != known.classes:
            found = f"{first!r} with {known.classes} and {name!r} with {other.classes}"
            message = f"models must have the same classes; got {found}"
            raise DataError(message)
