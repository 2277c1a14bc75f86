"""The results of one or several models of an event, gathered.

Scores by model and rule, to read and as a frame.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias

from properly._boundary._record import count_of_cases, many, plain, to_frame
from properly._boundary._tables import NUMBER, scores_as_html, table, width_of, wrapped

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from properly._boundary._record import Backend
    from properly.calibration._certain import Certain
    from properly.calibration._decomposition import Decomposition
    from properly.calibration._grouping_error import GroupingError
    from properly.calibration._reliability import Reliability
    from properly.calibration._summary import CalibrationSummary
    from properly.calibration._test_statistics import CalibrationTest
    from properly.comparison._groups_record import Groups
    from properly.comparison._pairs import Comparison
    from properly.comparison._periods import OverTime
    from properly.decisions._dominance import Dominance
    from properly.decisions._murphy import MurphyCurve
    from properly.decisions._net_benefit import DecisionCurve
    from properly.decisions._roc import RocCurve
    from properly.decisions._worst_cases import WorstCases
    from properly.inference._estimate import Estimate
    from properly.probability._means import Means
    from properly.rules import BinaryRule
    from properly.rules._interval import Interval

    Scores: TypeAlias = Mapping[str, Mapping[str, Any]]
    Intervals: TypeAlias = Mapping[str, Mapping[str, Estimate]]


# What is printed; the uncertainty is the score of the last baseline.
PRINTED = ("skill", "miscalibration", "discrimination")
FRAMED = ("score", "skill", "miscalibration", "discrimination", "uncertainty")


def frame_of_scores(
    models: Scores, baselines: Scores, intervals: Intervals, backend: Backend | None
) -> Any:
    """Return one row a model, or baseline, and rule; baselines have no interval."""
    rows = [
        (
            name,
            bool(is_baseline),
            rule,
            *(getattr(score, column) for column in FRAMED),
            *_ends(intervals, name, rule, baseline=bool(is_baseline)),
        )
        for is_baseline, found in enumerate((models, baselines))
        for name, by_rule in found.items()
        for rule, score in by_rule.items()
    ]
    names = ("model", "baseline", "rule", *FRAMED, "score_lower", "score_upper")
    return to_frame(dict(zip(names, zip(*rows, strict=True), strict=True)), backend)


def tables_of_scores(models: Scores, baselines: Scores, intervals: Intervals) -> list[str]:
    """Lay out one table a rule, with the models first and the baselines in brackets."""
    width = width_of_names(models, baselines)
    level = next(estimate.level for by_rule in intervals.values() for estimate in by_rule.values())
    return [
        table(
            head_of_scores(rule, level),
            rows_of_scores(models, baselines, intervals, rule),
            least=(width, NUMBER),
        )
        for rule in next(iter(models.values()))
    ]


def head_of_scores(first: str, level: float) -> tuple[str, ...]:
    """Name the columns."""
    return first, "score", f"{100 * level:g} % interval", *PRINTED


def rows_of_scores(
    models: Scores, baselines: Scores, intervals: Intervals, rule: str
) -> list[Sequence[str]]:
    """Write the scores of one rule as text: score, interval, skill and parts."""
    rows: list[Sequence[str]] = []
    for is_baseline, found in enumerate((models, baselines)):
        for name, by_rule in found.items():
            low, high = _ends(intervals, name, rule, baseline=bool(is_baseline))
            told = "-" if math.isnan(low + high) else f"{low:.5f} to {high:.5f}"
            numbers = [written(getattr(by_rule[rule], column)) for column in PRINTED]
            shown = f"({name})" if is_baseline else name
            rows.append((shown, written(by_rule[rule].score), told, *numbers))
    return rows


def written(x: float) -> str:
    """Write a number with five decimals; what does not exist is a dash."""
    return "-" if math.isnan(x) else f"{x:.5f}"


def width_of_names(models: Scores, baselines: Scores) -> int:
    """Return how wide the first column of all tables is."""
    rules = next(iter(models.values()))
    return width_of([*models, *(f"({name})" for name in baselines), *rules])


def _ends(intervals: Intervals, model: str, rule: str, *, baseline: bool) -> tuple[float, float]:
    """Return the interval of a score, if there is one."""
    if baseline:
        return math.nan, math.nan
    return intervals[model][rule].interval


# Records by model that are told as they are.
BY_MODEL = ("aucs", "calibration", "calibration_tests", "certain", "means", "groups", "over_time")


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Evaluation:
    """The results of one or several models on one data set.

    Attributes
    ----------
    total : int or float
        Number of cases, or their total weight.
    event_rate : float
        Share of events.
    rows, events : int
        Cases of positive weight, and those of them that had the event.
    design : str
        How cases were taken to be sampled.
    rules : tuple of BinaryRule
        The rules that were asked for.
    primary : str
        The name of the rule that models are judged by first: the one over the range of thresholds,
        if there is a range, else the first.
    within : Interval or None
        The range of thresholds.
    level, replicates, seed : float, int, int or None
        How sure intervals are, how many draws they took, and from which seed.
    decompositions : dict of dict
        A `Decomposition` by model and name of the rule.
    baselines : dict of dict
        The same for forecasts without a model: ``"treat all"``, ``"treat none"`` and the constant
        ``"event rate"``.
    scores, skills : dict of dict
        An `Estimate` of the mean score, and of the skill, by model and name of the rule.
    aucs : dict
        An `Estimate` of the area under the ROC curve by model; NaN if only one class was seen.
    comparisons : dict
        A `Comparison` of all pairs of models by name of the rule; none for a single model.
    dominances : dict
        By pair of names, the best model first: a `Dominance` over the range of thresholds.
    reliability : dict
        A `Reliability` by model, with a consistency band.
    regret, baseline_regret, decision, roc : dict
        Curves by model: a `MurphyCurve` on the regret scale, the same for the baselines, a
        `DecisionCurve` and a `RocCurve`.
    means : dict
        `Means` on the probability scale by model.
    calibration, calibration_tests : dict
        A `CalibrationSummary` and a `CalibrationTest` by model.
    certain : dict
        How often forecasts of exactly 0 and 1 were wrong, by model: `Certain`.
    groups, over_time : dict
        `Groups` and `OverTime` by model, if groups and times were given.
    worst : dict
        `WorstCases` by model.
    grouping : dict
        What grouping forecasts into cells can have changed, of the models of which that was done:
        `GroupingError`.
    summed : bool
        Whether it was made from sums and counts, without the rows.
    notes : tuple of str
        What the evaluation warned of, and what could not be had.
    backend : str or None
        The library of the frames that were given.

    Examples
    --------
    >>> import properly
    >>> e = properly.evaluate([0, 1], {"model": [0.25, 0.5]}, replicates=0)
    >>> e.decompositions["model"]["brier"].score
    0.15625
    >>> e.to_dict()["data"]["event_rate"]
    0.5
    """

    total: int | float
    event_rate: float
    rows: int
    events: int
    design: str
    rules: tuple[BinaryRule, ...]
    primary: str
    within: Interval | None
    level: float
    replicates: int
    seed: int | None
    decompositions: dict[str, dict[str, Decomposition]]
    baselines: dict[str, dict[str, Decomposition]]
    scores: dict[str, dict[str, Estimate]]
    skills: dict[str, dict[str, Estimate]]
    reliability: dict[str, Reliability]
    regret: dict[str, MurphyCurve]
    baseline_regret: dict[str, MurphyCurve]
    decision: dict[str, DecisionCurve]
    roc: dict[str, RocCurve]
    certain: dict[str, Certain]
    worst: dict[str, WorstCases]
    aucs: dict[str, Estimate] = field(default_factory=dict)
    comparisons: dict[str, Comparison] = field(default_factory=dict)
    dominances: dict[tuple[str, str], Dominance] = field(default_factory=dict)
    means: dict[str, Means] = field(default_factory=dict)
    calibration: dict[str, CalibrationSummary] = field(default_factory=dict)
    calibration_tests: dict[str, CalibrationTest] = field(default_factory=dict)
    groups: dict[str, Groups] = field(default_factory=dict)
    over_time: dict[str, OverTime] = field(default_factory=dict)
    grouping: dict[str, GroupingError] = field(default_factory=dict)
    summed: bool = False
    notes: tuple[str, ...] = ()
    backend: Backend | None = None

    @property
    def cases(self) -> str:
        """The number of cases, or their total weight, as a person would write it."""
        return count_of_cases(self.total)

    @property
    def models(self) -> tuple[str, ...]:
        """The names of the models."""
        return tuple(self.decompositions)

    @property
    def about(self) -> str:
        """What was forecast, in a few words."""
        return f"{many(self.total, 'case')}, event rate {self.event_rate:.4f}"

    def __repr__(self) -> str:
        models, rules = len(self.decompositions), len(self.rules)
        return f"Evaluation({many(self.total, 'case')}, models: {models}, rules: {rules})"

    def __str__(self) -> str:
        """Lay out a table a person can read."""
        tables = tables_of_scores(self.decompositions, self.baselines, self.scores)
        notes = ["\n".join(map(wrapped, self.notes))] if self.notes else []
        return "\n\n".join([f"{self.about}; lower scores are better", *tables, *notes])

    def _repr_html_(self) -> str:
        """Lay out the same table for a notebook."""
        tables = [
            (rule.name, rows_of_scores(self.decompositions, self.baselines, self.scores, rule.name))
            for rule in self.rules
        ]
        head = head_of_scores("model", self.level)
        return scores_as_html(f"{self.about}; lower scores are better", head, tables)

    def to_dict(self) -> dict[str, Any]:
        """Return all numbers but the curves as JSON can hold them; infinity is a word."""
        found: dict[str, Any] = {
            "data": self._data(),
            "models": {
                name: {rule: self._score(name, rule) for rule in by_rule}
                for name, by_rule in self.decompositions.items()
            },
            "baselines": {
                name: {rule: parts.to_dict() for rule, parts in by_rule.items()}
                for name, by_rule in self.baselines.items()
            },
        }
        for what in BY_MODEL:
            found[what] = {name: record.to_dict() for name, record in getattr(self, what).items()}
        if self.grouping:
            found["grouping"] = {name: x.to_dict() for name, x in self.grouping.items()}
        found["comparisons"] = {rule: x.to_dict() for rule, x in self.comparisons.items()}
        return found | {"primary": self.primary, "notes": list(self.notes)}

    def _data(self) -> dict[str, Any]:
        within = None if self.within is None else [self.within.lower, self.within.upper]
        names = ("rows", "events", "design", "summed", "level")
        known = {name: getattr(self, name) for name in names}
        drawn = {"replicates": self.replicates, "seed": self.seed}
        about = {"cases": self.total, "event_rate": self.event_rate}
        found: dict[str, Any] = plain(about | known | {"within": within} | drawn)
        return found

    def _score(self, model: str, rule: str) -> dict[str, Any]:
        """Return a score, its parts and how far off they may be."""
        score, skill = self.scores[model][rule], self.skills[model][rule]
        parts = self.decompositions[model][rule].to_dict()
        ends: dict[str, Any] = plain({"interval": score.interval, "skill_interval": skill.interval})
        return parts | ends | {"infinite_cases": score.infinite_cases}

    def to_json(self, indent: int | None = 2) -> str:
        """Return `to_dict` as text."""
        return json.dumps(self.to_dict(), indent=indent, ensure_ascii=False, allow_nan=False)

    def to_frame(self, backend: Backend | None = None) -> Any:
        """Return one row a model, or baseline, and rule.

        As a frame of the library that the forecasts came in, unless another is asked for; else of
        polars, pandas or pyarrow, whichever is installed.
        """
        models, baselines = self.decompositions, self.baselines
        return frame_of_scores(models, baselines, self.scores, backend or self.backend)
