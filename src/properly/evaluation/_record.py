"""The record of an evaluation: its fields, its tables, its dict and its frame."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, Literal, NamedTuple, TypeAlias, TypeVar

from properly._boundary import _text
from properly._boundary._classes import names_of_labels
from properly._boundary._options import check_choice
from properly._boundary._record import Backend, Record, columns_of, plain, to_frame
from properly.errors import ArgumentTypeError
from properly.rules import Rule
from properly.typing import Column

if TYPE_CHECKING:
    from properly.calibration import (
        CalibrationTest,
        Certain,
        Decomposition,
        GroupingError,
        Reliability,
    )
    from properly.calibration._calibration_curve import CalibrationCurve
    from properly.calibration._calibration_summary import CalibrationSummary
    from properly.comparison import Comparison, Groups
    from properly.comparison._over_ranges import OverRanges
    from properly.comparison._periods import OverTime
    from properly.decisions import AtThreshold, DecisionCurve, MurphyCurve, Retention, RocCurve
    from properly.decisions._dominance import Dominance
    from properly.decisions._hard_decisions import HardDecisions
    from properly.decisions._single_cases import WorstCases
    from properly.evaluation._phrases import Verdict
    from properly.inference import Estimate
    from properly.probability import Means
    from properly.recalibration._choice import Recalibrated
    from properly.recalibration._cross_fit import Gain
    from properly.rules._interval import Interval

Curve = TypeVar("Curve")
Task: TypeAlias = Literal["binary", "multiclass", "ordinal"]

# The value of a field that only the other task has; of any type, so that users need not check.
ABSENT: Any = None
# Classes that can be looked at one by one.
MOST_CLASSES = 12
# What is printed; the uncertainty is the score of the last baseline.
PRINTED = ("skill", "miscalibration", "discrimination")
PARTS = ("score", *PRINTED, "uncertainty")
SAVED = ("gain", "gain_lower", "gain_upper")
DECIDED = ("accuracy", "macro_f1", "mean_absolute_error", "quadratic_kappa", "expected_cost")
# What the dict says of the data, and the records by model that it has as they are, by task.
DATA = {
    True: ("task", "event_rate", "rows", "events", "design", "summed", "level", "within"),
    False: ("task", "classes", "normalized", "rows", "design", "summed", "level"),
}
BY_MODEL = {
    True: ("aucs", "calibration", "calibration_tests", "certain", "means", "groups", "over_time"),
    False: ("decisions", "retention", "calibration_tests", "groups", "over_time", "worst"),
}


# Letters that the name of a model keeps on a screen.
NARROWEST = 12


class ScoreRow(NamedTuple):
    """The score of a model, or of a baseline, by one rule; a baseline has no interval."""

    model: str
    baseline: bool
    rule: str
    parts: Decomposition
    interval: tuple[float, float] = (math.nan, math.nan)


def score_rows(evaluation: Evaluation) -> Iterator[ScoreRow]:
    """Go through models and rules, then through the baselines."""
    for model, by_rule in evaluation.parts.items():
        for rule, parts in by_rule.items():
            ends = evaluation.scores[model][rule].interval
            yield ScoreRow(model, False, rule, parts, ends)
    for name, constant in evaluation.baselines.items():
        for rule, parts in constant.items():
            yield ScoreRow(name, True, rule, parts)


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Evaluation(Record):
    """The results of models of an event, of classes or of grades, on one data set.

    Fields that a task does not have are None; those that it has, but not of these data, are empty.

    Attributes
    ----------
    task : {"binary", "multiclass", "ordinal"}
        Whether the forecasts are of one event, of classes, or of ordered classes.
    total : int or float
        Number of cases, or their total weight.
    rows : int
        Cases of positive weight.
    design : str
        How cases were taken to be sampled.
    rules : tuple of Rule
        The rules that were asked for.
    primary : str
        The name of the rule that models are judged by first: the one over the range of thresholds,
        if there is a range, else the first.
    level, replicates, seed : float, int, int or None
        How sure intervals are, how many draws they took, and from which seed.
    scores, skills : dict of dict
        An `Estimate` of the mean score, and of the skill, by model and name of the rule. The skill
        by an improper rule has no interval.
    decompositions : dict of dict
        By model and name of the rule: a `Decomposition` of an event; a `ClassDecomposition` of
        classes, where the rule is a sum over yes-or-no questions.
    baselines : dict of dict
        A `Decomposition` of forecasts without a model, by their name and that of the rule:
        ``"treat all"``, ``"treat none"`` and the constant ``"event rate"``; of classes the constant
        ``"class shares"``.
    reliability : dict
        By model: a `Reliability` of an event, or one for each question about the class, with
        consistency bands. Questions are the cuts between ordered classes, else the classes; of more
        than twelve classes, twelve of them without bands.
    comparisons : dict
        A `Comparison` of all pairs of models by name of the rule; none for a single model.
    calibration_tests : dict
        A `CalibrationTest` by model; of classes, of all questions together. There is none of times,
        nor of classes with clusters, nor of more than twelve classes.
    groups, over_time : dict
        `Groups` and `OverTime` by model, if groups and times were given.
    worst : dict
        `WorstCases` by model; of classes only if there are rows.
    repairs : dict
        A `Repair` by model, if that was asked for by `recalibrate`: what recalibration would save
        on new cases.
    event_rate, events : float, int
        Share of events, and number of cases of positive weight that had it.
    within : Interval or None
        The range of thresholds.
    aucs : dict
        An `Estimate` of the area under the ROC curve by model; NaN if only one outcome was seen.
    means : dict
        `Means` on the probability scale by model.
    calibration : dict
        A `CalibrationSummary` by model.
    certain : dict
        How often forecasts of exactly 0 and 1 were wrong, by model: `Certain`.
    regret, baseline_regret, decision, roc : dict
        Curves by model: a `MurphyCurve` on the regret scale, the same for the baselines, a
        `DecisionCurve` and a `RocCurve`. Those of models are made whenever one is asked for.
    at_thresholds : dict
        By model, what acting at a few dozen round thresholds comes to, those in the range if there
        is one: `AtThreshold` with intervals, made whenever it is asked for. The first is at 0,
        where one acts on all.
    smooth : dict
        A smooth `CalibrationCurve` by model, with a band, made whenever it is asked for; None if
        all forecasts are 0 or 1.
    dominances : dict
        By pair of names, the best model first: a `Dominance` over the range of thresholds.
    over_ranges : OverRanges or None
        How sure mean regret is over many ranges of thresholds, and which models can be told apart
        there, for the eight models of the lowest scores. Made once, when it is asked for.
    auc_differences : Comparison or None
        How the areas under the ROC curve differ, of all pairs of models. Made once, when it is
        asked for.
    grouping : dict
        What grouping forecasts into cells can have changed, of the models of which that was done:
        `GroupingError`.
    labels, shares : tuple, array
        The labels of the classes, and how often each happened.
    totals : dict of dict
        Of classes, a `Decomposition` by model and name of the rule: the score as the rule itself
        adds it up, and its parts summed over the questions, NaN for a rule that has none.
    decisions : dict
        `HardDecisions` by model: at zero-one costs, or quadratic ones if the classes are ordered.
    retention : dict
        A `Retention` by model: quadratic weighted kappa, or the error rate of classes without an
        order, as the cases that a model is least sure of are referred to somebody else. None of
        cases with weights.
    normalized : bool
        Whether rows of class probabilities were divided by their sums.
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

    Of classes:

    >>> crash = properly.datasets.crash()
    >>> known, labels = crash.severity_known, crash.severity_labels
    >>> y, p = crash.severity[known], crash.severity_probabilities[known]
    >>> e = properly.evaluate(y, {"logistic": p}, task="ordinal", labels=labels, replicates=0)
    >>> e
    Evaluation(8,746 cases of 5 ordered classes, models: 1, rules: 3)
    >>> print(e.scores["logistic"]["rps"])
    0.1466 (95 % interval 0.1445 to 0.1487; 8,746 independent cases)
    >>> list(e.reliability["logistic"])[-2:]
    ['incapacitating or higher', 'killed']
    """

    task: Task
    total: int | float
    rows: int
    design: str
    rules: tuple[Rule, ...]
    primary: str
    level: float
    replicates: int
    seed: int | None
    scores: dict[str, dict[str, Estimate]]
    skills: dict[str, dict[str, Estimate]]
    decompositions: dict[str, dict[str, Any]]
    baselines: dict[str, dict[str, Decomposition]]
    reliability: dict[str, Any]
    comparisons: dict[str, Comparison]
    calibration_tests: dict[str, CalibrationTest]
    groups: dict[str, Groups]
    over_time: dict[str, OverTime]
    worst: dict[str, WorstCases]
    repairs: dict[str, Repair] = field(default_factory=dict)
    # Of an event.
    event_rate: float = ABSENT
    events: int = ABSENT
    within: Interval | None = None
    aucs: dict[str, Estimate] = ABSENT
    means: dict[str, Means] = ABSENT
    calibration: dict[str, CalibrationSummary] = ABSENT
    certain: dict[str, Certain] = ABSENT
    regret: Mapping[str, MurphyCurve] = ABSENT
    baseline_regret: dict[str, MurphyCurve] = ABSENT
    decision: Mapping[str, DecisionCurve] = ABSENT
    roc: Mapping[str, RocCurve] = ABSENT
    at_thresholds: Mapping[str, tuple[AtThreshold, ...]] = ABSENT
    smooth: Mapping[str, CalibrationCurve | None] = ABSENT
    dominances: dict[tuple[str, str], Dominance] = ABSENT
    pairs: Mapping[str, Any] = ABSENT
    grouping: dict[str, GroupingError] = ABSENT
    # Of classes.
    labels: tuple[Any, ...] = ABSENT
    shares: Column = ABSENT
    totals: dict[str, dict[str, Decomposition]] = ABSENT
    decisions: dict[str, HardDecisions] = ABSENT
    retention: dict[str, Retention] = ABSENT
    normalized: bool = ABSENT
    summed: bool = False
    notes: tuple[str, ...] = ()
    backend: Backend | None = None

    @property
    def cases(self) -> str:
        """The number of cases, or their total weight, as a person would write it."""
        return _text.count_of_cases(self.total)

    @property
    def over_ranges(self) -> OverRanges | None:
        """The comparison of models by mean regret over ranges of thresholds, made when asked for.

        None of summaries, tensors, and very many clusters or times.
        """
        return (self.pairs or {}).get("ranges")

    @property
    def auc_differences(self) -> Comparison | None:
        """The comparison of models by the area under the ROC curve, made when asked for.

        None of a single model, of summaries and tensors, and of fewer than two cases with the event
        or without.
        """
        return (self.pairs or {}).get("areas")

    @property
    def models(self) -> tuple[str, ...]:
        """The names of the models."""
        return tuple(self.scores)

    @property
    def parts(self) -> dict[str, dict[str, Decomposition]]:
        """The score, the skill and their parts by model and name of the rule, as in tables."""
        return self.decompositions if self.totals is None else self.totals

    @property
    def about(self) -> str:
        """What was forecast, in a few words."""
        cases = _text.many(self.total, "case")
        if self.task == "binary":
            return f"{cases}, event rate {self.event_rate:.4f}"
        return f"{cases} of {len(self.labels)} {'ordered ' * (self.task == 'ordinal')}classes"

    def __repr__(self) -> str:
        cases = _text.many(self.total, "case") if self.task == "binary" else self.about
        return f"Evaluation({cases}, models: {len(self.models)}, rules: {len(self.rules)})"

    def __str__(self) -> str:
        """Lay out the scores by the first rule to judge by, as they fit a screen."""
        tables = self._tables([self.primary], _text.SCREEN)
        others = [rule.name for rule in self.rules if rule.name != self.primary]
        if others:
            see = f"e.table({others[0]!r}), or e.table() for all"
            also = f"also by {', '.join(map(_text.printable, others))}: {see}"
            tables.append(_text.shortened(also, _text.SCREEN))
        shown = "\n\n".join([f"{self.about}; lower scores are better", *tables])
        if not self.notes:
            return shown
        # Beside them, an empty line, and one for what is typed next.
        room = _text.HEIGHT - shown.count("\n") - 3
        return f"{shown}\n\n{_text.few_lines(self.notes, max(2, room), 'e.notes')}"

    def table(self, rule: str | None = None) -> str:
        """Lay out the scores as text: by one rule, or by all rules and with all notes.

        Parameters
        ----------
        rule : str, optional
            The name of the rule, such as ``"log"``.
        """
        if rule is not None:
            return self._tables([check_choice(rule, [each.name for each in self.rules], "rule")])[0]
        tables = self._tables([each.name for each in self.rules])
        notes = ["\n".join(map(_text.wrapped, self.notes))] if self.notes else []
        return "\n\n".join([f"{self.about}; lower scores are better", *tables, *notes])

    def verdict(self, **words: str) -> Verdict:
        """Say in sentences what the evaluation shows; see `properly.verdict`."""
        said: Verdict = _door("evaluation").verdict(self, **words)
        return said

    def report(self, path: str | Path, **options: Any) -> Path:
        """Write the evaluation as one HTML page; see `properly.report.write`."""
        written: Path = _door("report").write(path, self, **options)
        return written

    def plot(self, kind: str, *args: Any, **options: Any) -> Any:
        """Draw one kind of picture, such as ``"reliability"``; see `properly.plots`.

        Parameters
        ----------
        kind : str
            The name of a function of `properly.plots` that draws an evaluation.
        *args, **options
            What else that function takes; `model` names one of several models.
        """
        plots = _door("plots")
        name = check_choice(str(kind).replace("-", "_"), plots.__all__, "kind")
        return getattr(plots, name)(self, *args, **options)

    def _tables(self, rules: Sequence[str], most: int | None = None) -> list[str]:
        """Lay out a table a rule, and one of what was decided of classes, all in line.

        Long names lose their middle where lines would be longer than so many letters.
        """
        rows = {rule: [self._head(rule), *self._rows(rule)] for rule in rules}
        width = _text.width_of([*(row[0] for row in chain(*rows.values())), *self.models])
        columns = {"ordinal": DECIDED, "multiclass": DECIDED[:2]}.get(self.task, ())
        if most is not None:
            beside = [*zip(*chain(*rows.values()), strict=True)][1:], [(x,) for x in columns]
            wide = (sum(max(_text.NUMBER, _text.width_of(x)) + 2 for x in y) for y in beside)
            width = min(width, max(NARROWEST, most - max(wide)))
        tables = [
            _text.table(cells[0], cells[1:], least=(width, _text.NUMBER))
            for cells in ([(_cut(name, width), *x) for name, *x in y] for y in rows.values())
        ]
        if columns:
            decided = [
                (_cut(name, width), [getattr(found.argmax, x) for x in columns])
                for name, found in self.decisions.items()
            ]
            tables.append(_text.table_of_numbers("argmax", columns, decided, width))
        return tables

    def _repr_html_(self) -> str:
        """Lay out the scores for a notebook."""
        tables = [(rule.name, self._rows(rule.name)) for rule in self.rules]
        title = f"{self.about}; lower scores are better"
        return _text.scores_as_html(title, self._head("model"), tables)

    def _head(self, first: str) -> tuple[str, ...]:
        return first, "score", f"{100 * self.level:g} % interval", *PRINTED

    def _rows(self, rule: str) -> list[Sequence[str]]:
        """Write the scores of one rule as text, the baselines in brackets."""
        rows: list[Sequence[str]] = []
        for row in score_rows(self):
            if row.rule == rule:
                low, high = row.interval
                ends = "-" if math.isnan(low + high) else f"{low:.5f} to {high:.5f}"
                name = f"({row.model})" if row.baseline else row.model
                numbers = (getattr(row.parts, x) for x in ("score", *PRINTED))
                score, *others = (_text.number(x, ".5f") for x in numbers)
                rows.append((name, score, ends, *others))
        return rows

    def to_dict(self) -> dict[str, Any]:
        """Return all numbers but the curves as JSON can hold them; infinity is a word.

        Of more than twelve classes, confusion tables and costs are left out as well.
        """
        numbers: dict[str, Any] = {
            "data": self._data(),
            "models": {
                name: {rule: self._score(name, rule) for rule in by_rule}
                for name, by_rule in self.parts.items()
            },
            "baselines": plain(self.baselines),
        }
        for what in BY_MODEL[self.task == "binary"]:
            numbers[what] = plain(getattr(self, what))
        if self.task != "binary" and len(self.labels) > MOST_CLASSES:
            numbers["decisions"] = {name: _few(x) for name, x in self.decisions.items()}
        # Otherwise the numbers of an event are the same whether rows are known or only counts.
        if self.task == "binary" and any(x.beside for x in self.worst.values()):
            numbers["worst"] = plain(self.worst)
        for what in ("grouping", "repairs"):
            if getattr(self, what):
                numbers[what] = plain(getattr(self, what))
        numbers["comparisons"] = plain(self.comparisons)
        if self.auc_differences is not None:
            numbers["auc_differences"] = plain(self.auc_differences)
        return numbers | {"primary": self.primary, "notes": list(self.notes)}

    def _data(self) -> dict[str, Any]:
        values = {name: getattr(self, name, None) for name in DATA[self.task == "binary"]}
        if self.within is not None:
            values["within"] = [self.within.lower, self.within.upper]
        elif self.task != "binary":
            names = names_of_labels(self.labels)
            values["classes"] = dict(zip(names, self.shares.tolist(), strict=True))
        values |= {"replicates": self.replicates, "seed": self.seed}
        data: dict[str, Any] = plain({"cases": self.total} | values)
        return data

    def _score(self, model: str, rule: str) -> dict[str, Any]:
        """Return a score, its parts and how far off they may be."""
        score, skill = self.scores[model][rule], self.skills[model][rule]
        ends: dict[str, Any] = plain({"interval": score.interval, "skill_interval": skill.interval})
        parts = self.parts[model][rule].to_dict()
        return parts | ends | {"infinite_cases": score.infinite_cases}

    def to_json(self, indent: int | None = 2) -> str:
        """Return `to_dict` as text."""
        return json.dumps(self.to_dict(), indent=indent, ensure_ascii=False, allow_nan=False)

    def to_frame(self, backend: Backend | None = None) -> Any:
        """Return one row a model, or baseline, and rule.

        As a frame of the library that the forecasts came in, unless another is asked for; else of
        polars, pandas or pyarrow, whichever is installed. With `repairs` there are columns of what
        recalibration would save.
        """
        rows = [
            {"model": row.model, "baseline": row.baseline, "rule": row.rule}
            | {name: getattr(row.parts, name) for name in PARTS}
            | dict(zip(("score_lower", "score_upper"), row.interval, strict=True))
            | (self._saved(row) if self.repairs else {})
            for row in score_rows(self)
        ]
        return to_frame(columns_of(rows), backend or self.backend)

    def _saved(self, row: ScoreRow) -> dict[str, float]:
        """Return what recalibration would save of a score, with its interval."""
        repair = None if row.baseline else self.repairs.get(row.model)
        numbers = (math.nan,) * len(SAVED)
        if repair is not None and repair.by_rule:
            gain = repair.gain(row.rule)
            numbers = gain.estimate, *gain.interval
        return dict(zip(SAVED, numbers, strict=True))


class Curves(Mapping[str, Curve], Generic[Curve]):
    """Curves by model, made from the counts, or the cases, whenever one is asked for.

    Those of very many forecasts together take several times the memory of the data: they are kept
    only if `keep` says so. The counts of tensors stay on their device.
    """

    def __init__(
        self, make: Callable[[Any], Curve], tallies: Mapping[str, Any], *, keep: bool = False
    ) -> None:
        self._make, self._tallies = make, tallies
        self._kept: dict[str, Curve] | None = {} if keep else None

    def __getitem__(self, name: str) -> Curve:
        """Make the curve of a model."""
        if self._kept is None:
            return self._make(self._tallies[name])
        if name not in self._kept:
            self._kept[name] = self._make(self._tallies[name])
        return self._kept[name]

    def __contains__(self, name: object) -> bool:
        """Tell whether there is such a model, without making its curve."""
        return name in self._tallies

    def __iter__(self) -> Iterator[str]:
        """Go through the names of the models."""
        return iter(self._tallies)

    def __len__(self) -> int:
        """Count the models."""
        return len(self._tallies)

    def __repr__(self) -> str:
        return repr(dict(self))


# What is written of each gain beside the estimate and its interval.
ALSO = ("standard_error", "mean_change", "in_sample")


@dataclass(frozen=True, eq=False, repr=False)
class Repair(Record):
    """What recalibration would do for a model, on new cases.

    Attributes
    ----------
    result : Recalibrated
        The answer of `properly.recalibrate`, by the rule that models are judged by first.
    kind : str
        The kind of map that is looked at in all that follows: the chosen one. If none was chosen,
        the one that would save most, which is not worth using either.
    before, after : Reliability or None
        Curves of the forecasts as they are, and of the cross-fitted ones; None of classes.
    by_rule : dict of Gain
        What that map would save, by name of the rule, for each rule of the evaluation.
    net_benefit : dict of Gain
        By threshold, the net benefit that it would add; empty of classes.

    Examples
    --------
    >>> import properly
    >>> crash = properly.datasets.crash()
    >>> model = {"balanced": crash.forecasts["balanced_boosting"]}
    >>> e = properly.evaluate(
    ...     crash.died, model, within=(0.01, 0.1), recalibrate="auto", replicates=0, rng=0
    ... )
    >>> e.repairs["balanced"]
    Repair(intercept, recommended)
    >>> e.repairs["balanced"].result.map
    Intercept(intercept=-2.719)
    """

    result: Recalibrated
    kind: str
    before: Reliability | None
    after: Reliability | None
    by_rule: dict[str, Gain]
    net_benefit: dict[float, Gain]
    # The difference is made when it is asked for: of very many cases it takes more memory than
    # they do.
    _curves: Mapping[str, MurphyCurve] = field(default_factory=dict, repr=False)

    def __repr__(self) -> str:
        advice = "recommended" if self.result.recommended else "not recommended"
        return f"Repair({self.kind}, {advice})"

    @property
    def recommended(self) -> bool:
        """Whether the map is worth using."""
        return self.result.recommended

    @property
    def difference(self) -> MurphyCurve | None:
        """The regret that the map would save at each threshold, with a band where there is one.

        None of classes. It is made whenever it is asked for.
        """
        return self._curves.get("difference")

    def gain(self, rule: str) -> Gain:
        """Return what recalibration would save by a rule; by the one judged by, choice included."""
        whole = self.result.gain
        return whole if whole.rule == rule and self.recommended else self.by_rule[rule]

    def _row(self) -> dict[str, Any]:
        """Return the numbers; maps are saved by themselves, and what all gains share is told once.

        How a gain was found stands in the first of them.
        """
        result = self.result
        return {
            "recommended": result.recommended,
            "chosen": result.chosen,
            "kind": self.kind,
            "gain": result.gain,
            "before_the_choice": {kind: _numbers(x) for kind, x in result.gains.items()},
            "by_rule": {rule: _numbers(x) for rule, x in self.by_rule.items()},
            "net_benefit": {f"{t:g}": _numbers(x) for t, x in self.net_benefit.items()},
            "reasons": result.reasons,
            "sentence": result.sentence,
        }

    def to_frame(self, backend: Backend | None = None) -> Any:
        """Return one row per map, before the choice."""
        return self.result.to_frame(backend)


def require_evaluation(given: object, rule: str) -> Evaluation:
    """Refuse what is no evaluation."""
    if isinstance(given, Evaluation):
        return given
    message = f"{rule}; got {type(given).__name__}"
    raise ArgumentTypeError(message, hint="make one with properly.evaluate(y, forecasts).")


def _numbers(gain: Gain) -> dict[str, Any]:
    return {name: getattr(gain, name) for name in ("estimate", "interval", *ALSO)}


def _door(name: str) -> Any:
    """Return a package that draws, prints or judges evaluations: no other line here knows them."""
    return import_module(f"properly.{name}")


def _few(decision: HardDecisions) -> dict[str, Any]:
    """Write what decisions come to without the tables of all classes."""
    numbers = {way: scores.numbers() for way, scores in decision.ways.items()}
    few: dict[str, Any] = plain(numbers | {"decision_loss": decision.decision_loss})
    return few


def _cut(name: str, width: int) -> str:
    """Shorten a name that is too wide."""
    return _text.shortened(_text.printable(name), width)
