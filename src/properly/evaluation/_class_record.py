"""The results of one or several models of classes on one data set, gathered.

Scores of classes: which rules, which models go together, and what each scores.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

import numpy as np

from properly._boundary._labels import names_of_labels
from properly._boundary._libraries import freeze, to_numpy
from properly._boundary._notices import collected
from properly._boundary._options import as_generator, check_level, check_replicates
from properly._boundary._record import count_of_cases, many, plain
from properly._boundary._tables import scores_as_html, table_of_numbers, wrapped
from properly.counts._cases import require_classes
from properly.counts._scoring import class_shares, score_of_classes, share_saved
from properly.errors import DataError
from properly.evaluation._class_gathering import MOST, Wanted, gather
from properly.evaluation._record import (
    frame_of_scores,
    head_of_scores,
    rows_of_scores,
    tables_of_scores,
    width_of_names,
)
from properly.rules import PBS, RPS, Brier, ClassRule, Log, RankedLog
from properly.rules._class_rule import require_class_rule
from properly.rules._rule import as_rules

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from properly._boundary._record import Backend
    from properly.calibration._class_decomposition import ClassDecomposition
    from properly.calibration._reliability import Reliability
    from properly.calibration._test_statistics import CalibrationTest
    from properly.comparison._groups_record import Groups
    from properly.comparison._pairs import Comparison
    from properly.comparison._periods import OverTime
    from properly.counts._cases import Cases
    from properly.decisions._hard_decisions import HardDecisions
    from properly.decisions._retention import Retention
    from properly.decisions._worst_cases import WorstCases
    from properly.inference._estimate import Estimate
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


SHARES = "class shares"
DECIDED = ("accuracy", "macro_f1", "mean_absolute_error", "quadratic_kappa")
# Records by model that are told as they are.
BY_MODEL = ("retention", "calibration_tests", "groups", "over_time", "worst")


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class ClassEvaluation:
    """The results of one or several models of classes on one data set.

    Attributes
    ----------
    task : {"multiclass", "ordinal"}
        Whether the classes are ordered.
    total : int or float
        Number of cases, or their total weight.
    rows : int
        Cases of positive weight.
    design : str
        How cases were taken to be sampled.
    labels : tuple
        The labels of the classes.
    shares : array
        How often each class happened.
    rules : tuple of ClassRule
        The rules that were asked for.
    primary : str
        The name of the rule that models are judged by first.
    level, replicates, seed : float, int, int or None
        How sure intervals are, how many draws bands and tests took, and from which seed.
    scores : dict of dict
        A `ClassScore` by model and name of the rule: score, skill against the class shares,
        miscalibration, discrimination, uncertainty. Miscalibration and discrimination are NaN for a
        rule that is no sum over yes-or-no questions.
    baselines : dict of dict
        The same for the constant ``"class shares"``.
    intervals, skills : dict of dict
        An `Estimate` of the mean score, and of the skill, by model and name of the rule. The skill
        by an improper rule has no interval.
    decompositions : dict of dict
        A `ClassDecomposition` by model and name of the rule, where there is one.
    decisions : dict
        `HardDecisions` by model: at zero-one costs, or quadratic ones if the classes are ordered.
    comparisons : dict
        A `Comparison` of all pairs of models by name of the rule; none for a single model.
    reliability : dict of dict
        A `Reliability` by model and question, with a consistency band: of each cut if the classes
        are ordered, else of each class; of more than twelve classes, of twelve questions without
        bands.
    retention : dict
        A `Retention` by model: quadratic weighted kappa, or the error rate of classes without an
        order, as the cases that a model is least sure of are referred to somebody else. None of
        cases with weights.
    calibration_tests : dict
        A `CalibrationTest` by model, of all questions together; none of cases with clusters or
        times, nor of more than twelve classes.
    groups, over_time : dict
        `Groups` and `OverTime` by model, if groups and times were given.
    worst : dict
        `WorstCases` by model; none without the rows.
    summed : bool
        Whether it was made from sums and counts, without the rows.
    notes : tuple of str
        What the evaluation warned of, and what could not be had.
    normalized : bool
        Whether rows of probabilities were divided by their sums.
    backend : str or None
        The library of the frames that were given.

    Examples
    --------
    >>> import properly
    >>> crash = properly.datasets.crash()
    >>> known, labels = crash.severity_known, crash.severity_labels
    >>> y, p = crash.severity[known], crash.severity_probabilities[known]
    >>> e = properly.evaluate(y, {"logistic": p}, task="ordinal", labels=labels, replicates=0)
    >>> e
    ClassEvaluation(8,746 cases of 5 ordered classes, models: 1, rules: 3)
    >>> print(e.intervals["logistic"]["rps"])
    0.1466 (95 % interval 0.1445 to 0.1487; 8,746 independent cases)
    >>> list(e.reliability["logistic"])[-2:]
    ['incapacitating or higher', 'killed']
    """

    task: Task
    total: int | float
    rows: int
    design: str
    labels: tuple[Any, ...]
    shares: np.ndarray[Any, np.dtype[np.float64]]
    rules: tuple[ClassRule, ...]
    primary: str
    level: float
    replicates: int
    seed: int | None
    scores: dict[str, dict[str, ClassScore]]
    baselines: dict[str, dict[str, ClassScore]]
    intervals: dict[str, dict[str, Estimate]]
    skills: dict[str, dict[str, Estimate]]
    decompositions: dict[str, dict[str, ClassDecomposition]]
    decisions: dict[str, HardDecisions]
    reliability: dict[str, dict[str, Reliability]]
    worst: dict[str, WorstCases]
    comparisons: dict[str, Comparison] = field(default_factory=dict)
    retention: dict[str, Retention] = field(default_factory=dict)
    calibration_tests: dict[str, CalibrationTest] = field(default_factory=dict)
    groups: dict[str, Groups] = field(default_factory=dict)
    over_time: dict[str, OverTime] = field(default_factory=dict)
    summed: bool = False
    notes: tuple[str, ...] = ()
    normalized: bool = False
    backend: Backend | None = None

    def __post_init__(self) -> None:
        freeze(self)

    @property
    def cases(self) -> str:
        """The number of cases, or their total weight, as a person would write it."""
        return count_of_cases(self.total)

    @property
    def models(self) -> tuple[str, ...]:
        """The names of the models."""
        return tuple(self.scores)

    @property
    def about(self) -> str:
        """What was forecast, in a few words."""
        ordered = "ordered " if self.task == "ordinal" else ""
        return f"{many(self.total, 'case')} of {len(self.labels)} {ordered}classes"

    def __repr__(self) -> str:
        models, rules = len(self.scores), len(self.rules)
        return f"ClassEvaluation({self.about}, models: {models}, rules: {rules})"

    def to_dict(self) -> dict[str, Any]:
        """Return all numbers but the curves as JSON can hold them; infinity is a word.

        Of more than twelve classes, confusion tables and costs are left out as well.
        """
        found: dict[str, Any] = {
            "data": self._data(),
            "models": {
                name: {rule: self._score(name, rule) for rule in by_rule}
                for name, by_rule in self.scores.items()
            },
            "baselines": {
                name: {rule: plain(score._asdict()) for rule, score in by_rule.items()}
                for name, by_rule in self.baselines.items()
            },
            "decisions": {name: self._decision(name) for name in self.decisions},
        }
        for what in BY_MODEL:
            found[what] = {name: record.to_dict() for name, record in getattr(self, what).items()}
        found["comparisons"] = {rule: x.to_dict() for rule, x in self.comparisons.items()}
        return found | {"primary": self.primary, "notes": list(self.notes)}

    def _data(self) -> dict[str, Any]:
        classes = dict(zip(names_of_labels(self.labels), self.shares.tolist(), strict=True))
        about = {"cases": self.total, "task": self.task, "classes": classes}
        known = ("normalized", "rows", "design", "summed", "level", "replicates", "seed")
        found: dict[str, Any] = plain(about | {name: getattr(self, name) for name in known})
        return found

    def _score(self, model: str, rule: str) -> dict[str, Any]:
        """Return a score, its parts and how far off they may be."""
        score, skill = self.intervals[model][rule], self.skills[model][rule]
        ends = {"interval": score.interval, "skill_interval": skill.interval}
        lost = {"infinite_cases": score.infinite_cases}
        found: dict[str, Any] = plain(self.scores[model][rule]._asdict() | ends | lost)
        return found

    def _decision(self, model: str) -> dict[str, Any]:
        found = self.decisions[model]
        if len(self.labels) <= MOST:
            return found.to_dict()
        numbers = {way: scores.numbers() for way, scores in found.ways.items()}
        told: dict[str, Any] = plain(numbers | {"decision_loss": found.decision_loss})
        return told

    def to_json(self, indent: int | None = 2) -> str:
        """Return `to_dict` as text."""
        return json.dumps(self.to_dict(), indent=indent, ensure_ascii=False, allow_nan=False)

    def to_frame(self, backend: Backend | None = None) -> Any:
        """Return one row a model, or baseline, and rule.

        As a frame of the library that the forecasts came in, unless another is asked for; else of
        polars, pandas or pyarrow, whichever is installed.
        """
        chosen = backend or self.backend
        return frame_of_scores(self.scores, self.baselines, self.intervals, chosen)

    def __str__(self) -> str:
        """Lay out tables a person can read, and below what there is to note."""
        tables = [f"{self.about}; lower scores are better"]
        tables += tables_of_scores(self.scores, self.baselines, self.intervals)
        width = width_of_names(self.scores, self.baselines)
        columns = DECIDED if self.task == "ordinal" else DECIDED[:2]
        decided = [
            (name, [getattr(found.argmax, column) for column in columns])
            for name, found in self.decisions.items()
        ]
        tables.append(table_of_numbers("argmax", columns, decided, width))
        notes = ["\n".join(map(wrapped, self.notes))] if self.notes else []
        return "\n\n".join([*tables, *notes])

    def _repr_html_(self) -> str:
        """Lay out the scores for a notebook."""
        tables = [
            (rule.name, rows_of_scores(self.scores, self.baselines, self.intervals, rule.name))
            for rule in self.rules
        ]
        head = head_of_scores("model", self.level)
        return scores_as_html(f"{self.about}; lower scores are better", head, tables)


def evaluate_classes(
    cases: Mapping[str, Cases],
    task: Task,
    rules: Iterable[Rule] | Rule | None,
    *,
    level: float = 0.95,
    replicates: int = 199,
    rng: int | np.random.Generator | None = None,
    progress: Callable[[int, int, str], object] | None = None,
) -> ClassEvaluation:
    """Score every model by every rule, decide by it, and compare it with the others."""
    require_same_classes(cases)
    first = next(iter(cases.values()))
    asked = asked_rules(rules, task)
    shares = class_shares(first.y, first.weight, len(first.labels or ()))
    seed = int(rng) if isinstance(rng, int | np.integer) else as_generator(rng)
    drawing = check_level(level), check_replicates(replicates), seed
    wanted = Wanted(task, asked, shares, *drawing, progress)
    with collected() as said:
        found: dict[str, Any] = gather(cases, wanted)
    about = next(iter(found["intervals"].values()))[asked[0].name]
    return ClassEvaluation(
        task=task,
        total=total_of(first),
        rows=about.cases,
        design=about.design,
        labels=tuple(first.labels or ()),
        shares=shares,
        rules=asked,
        primary=asked[0].name,
        level=wanted.level,
        replicates=wanted.replicates,
        seed=wanted.seed,
        notes=(*said, *wanted.notes),
        normalized=first.normalized,
        **_scored(cases, wanted, found["decompositions"]),
        **found,
    )


def _scored(
    cases: Mapping[str, Cases], wanted: Wanted, parts: Mapping[str, Mapping[str, Any]]
) -> dict[str, Any]:
    """Score the models, and the constant class shares that they are measured against."""
    first, shares = next(iter(cases.values())), wanted.shares
    constant = {
        rule.name: score_of_classes(rule, first.y, shares, first.weight) for rule in wanted.rules
    }
    scores = {
        name: score_classes(model, wanted.rules, constant, parts[name])
        for name, model in cases.items()
    }
    known = {name: score_of_constant(score) for name, score in constant.items()}
    return {"scores": scores, "baselines": {SHARES: known}}
