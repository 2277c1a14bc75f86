"""The results of one or several models on one data set, gathered."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, cast, overload

from properly._arrays import event_label
from properly._baselines import baselines
from properly._calibration import Reliability, reliability
from properly._cases import Cases, require_classes_to_normalize
from properly._class_evaluation import (
    ClassEvaluation,
    evaluate_classes,
    frame_of_scores,
    tables_of_scores,
)
from properly._classes import column_names, is_table, require_order
from properly._decomposition import Decomposition, decompose
from properly._frames import as_models, tally
from properly._interval import Interval, as_interval
from properly._labels import as_labels
from properly._options import check_choice, check_flag
from properly._plain import count_of_cases, many
from properly._tally import Tally
from properly.errors import ArgumentTypeError, DataError
from properly.rules import BinaryRule, Bounded, Brier, Log, Regret
from properly.rules._rule import as_rules, require_binary

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from properly._frames import Backend
    from properly.rules import Rule
    from properly.typing import ArrayLike, IntoFrame

    Forecasts: TypeAlias = Mapping[str, ArrayLike] | IntoFrame | ArrayLike

Task: TypeAlias = Literal["binary", "multiclass", "ordinal"]
TASKS = ("auto", "binary", "multiclass", "ordinal")


@dataclass(frozen=True, eq=False, repr=False)
class Evaluation:
    """The results of one or several models on one data set.

    Attributes
    ----------
    total : int or float
        Number of cases, or their total weight.
    event_rate : float
        Share of events.
    rules : tuple of BinaryRule
        The rules that were asked for.
    decompositions : dict of dict
        A `Decomposition` by model and name of the rule.
    baselines : dict of dict
        The same for forecasts without a model: ``"treat all"``, ``"treat none"`` and the constant
        ``"event rate"``.
    reliability : dict
        A `Reliability` by model.

    Examples
    --------
    >>> import properly
    >>> e = properly.evaluate([0, 1], {"model": [0.25, 0.5]})
    >>> e.to_dict()["data"]
    {'cases': 2, 'event_rate': 0.5}
    >>> e.decompositions["model"]["brier"].score
    0.15625
    """

    total: int | float
    event_rate: float
    rules: tuple[BinaryRule, ...]
    decompositions: dict[str, dict[str, Decomposition]]
    baselines: dict[str, dict[str, Decomposition]]
    reliability: dict[str, Reliability]

    @property
    def cases(self) -> str:
        """The number of cases, or their total weight, as a person would write it."""
        return count_of_cases(self.total)

    def __repr__(self) -> str:
        models, rules = len(self.decompositions), len(self.rules)
        return f"Evaluation({many(self.total, 'case')}, models: {models}, rules: {rules})"

    def to_dict(self) -> dict[str, Any]:
        """Return all numbers as JSON can hold them; an infinite one is the string "Infinity"."""
        both = {"models": self.decompositions, "baselines": self.baselines}
        found: dict[str, Any] = {"data": {"cases": self.total, "event_rate": self.event_rate}}
        for kind, decompositions in both.items():
            found[kind] = {
                name: {rule: parts.to_dict() for rule, parts in by_rule.items()}
                for name, by_rule in decompositions.items()
            }
        return found

    def to_frame(self, backend: Backend | None = None) -> Any:
        """Return one row a model, or baseline, and rule as a polars, pandas or pyarrow frame."""
        return frame_of_scores(self.decompositions, self.baselines, backend)

    def __str__(self) -> str:
        """Lay out a table a person can read."""
        about = f"{many(self.total, 'case')}, event rate {self.event_rate:.4f}"
        tables = tables_of_scores(self.decompositions, self.baselines)
        return "\n\n".join([f"{about}; lower scores are better", *tables])


@overload
def evaluate(
    y: ArrayLike,
    forecasts: Forecasts,
    *,
    weight: ArrayLike | None = None,
    task: Literal["binary"],
    labels: Sequence[object] | None = None,
    pos_label: object = None,
    rules: Iterable[Rule] | Rule | None = None,
    within: Interval | tuple[float, float] | None = None,
    normalize: bool = False,
) -> Evaluation: ...


@overload
def evaluate(
    y: ArrayLike,
    forecasts: Forecasts,
    *,
    weight: ArrayLike | None = None,
    task: Literal["multiclass", "ordinal"],
    labels: Sequence[object] | None = None,
    pos_label: object = None,
    rules: Iterable[Rule] | Rule | None = None,
    within: Interval | tuple[float, float] | None = None,
    normalize: bool = False,
) -> ClassEvaluation: ...


# What comes back depends on the dimensions of the forecasts, which no type tells.
@overload
def evaluate(
    y: ArrayLike,
    forecasts: Forecasts,
    *,
    weight: ArrayLike | None = None,
    task: Literal["auto"] = "auto",
    labels: Sequence[object] | None = None,
    pos_label: object = None,
    rules: Iterable[Rule] | Rule | None = None,
    within: Interval | tuple[float, float] | None = None,
    normalize: bool = False,
) -> Any: ...


def evaluate(
    y: ArrayLike,
    forecasts: Forecasts,
    *,
    weight: ArrayLike | None = None,
    task: Literal["auto", "binary", "multiclass", "ordinal"] = "auto",
    labels: Sequence[object] | None = None,
    pos_label: object = None,
    rules: Iterable[Rule] | Rule | None = None,
    within: Interval | tuple[float, float] | None = None,
    normalize: bool = False,
) -> Evaluation | ClassEvaluation:
    """Evaluate one or several models on the same cases.

    Parameters
    ----------
    y : array-like
        Outcomes: booleans, 0 and 1, or two labels of any kind with `pos_label`. Of several classes,
        their numbers, labels of any kind with `labels`, or rows with a single 1.
    forecasts : dict of array-like, data frame, or array-like
        Probabilities of the event, by model; or of the classes, one column each. A frame has one
        column a model, unless the task says that its columns are classes; a single array is called
        ``"forecast"``.
    weight : array-like, optional
        Case weights.
    task : {"auto", "binary", "multiclass", "ordinal"}
        Forecasts of one dimension are of one event, those of two of several classes. That classes
        are ordered is never guessed.
    labels : sequence of labels, optional
        What each column of class probabilities stands for, in order. Of an event, both labels, the
        event last.
    pos_label : label, optional
        The label of the event.
    rules : rule or iterable of rules, optional
        Unless said otherwise, `Brier` and `Log`; of classes `PBS` as well; of ordered ones `RPS`,
        `RankedLog` and `Log`.
    within : Interval or pair of floats, optional
        The thresholds that matter, for one event: each rule is followed by its `Bounded` form,
        unless it looks at a range of its own.
    normalize : bool
        Divide rows of class probabilities by their sums, and say so.

    Returns
    -------
    Evaluation or ClassEvaluation

    Notes
    -----
    Below the models stand three forecasts that need none: to treat all, to treat none, and to say
    the event rate each time; of classes only one, to say how often each class happened. Skill is
    measured against the last of them. A model with a negative skill is worse than no model, at the
    thresholds that the rule looks at.

    A range that begins at 0 or ends at 1 is infinitely long for `Log`. Where a rule has no mean
    over the range, its integral is given.

    Examples
    --------
    >>> import properly
    >>> from properly.rules import RPS
    >>> e = properly.evaluate([0, 1, 1], {"good": [0.1, 0.8, 0.7], "poor": [0.5, 0.5, 0.6]})
    >>> print(e)
    3 cases, event rate 0.6667; lower scores are better
    <BLANKLINE>
    brier             score      skill  miscalibration  discrimination  uncertainty
    good            0.04667    0.79000         0.04667         0.22222      0.22222
    poor            0.22000    0.01000         0.05333         0.05556      0.22222
    (treat all)     0.33333   -0.50000         0.11111         0.00000      0.22222
    (treat none)    0.66667   -2.00000         0.44444         0.00000      0.22222
    (event rate)    0.22222    0.00000         0.00000         0.00000      0.22222
    <BLANKLINE>
    log               score      skill  miscalibration  discrimination  uncertainty
    good            0.22839    0.64118         0.22839         0.63651      0.63651
    poor            0.63237    0.00651         0.17028         0.17442      0.63651
    (treat all)         inf       -inf             inf         0.00000      0.63651
    (treat none)        inf       -inf             inf         0.00000      0.63651
    (event rate)    0.63651    0.00000         0.00000         0.00000      0.63651

    Grades are ordered classes:

    >>> p = [[0.75, 0.25, 0.0], [0.25, 0.5, 0.25], [0.0, 0.5, 0.5]]
    >>> print(properly.evaluate([0, 1, 2], p, task="ordinal", rules=RPS()))
    3 cases of 3 ordered classes; lower scores are better
    <BLANKLINE>
    rps                 score      skill  miscalibration  discrimination  uncertainty
    forecast          0.07292    0.67188         0.07292         0.22222      0.22222
    (class shares)    0.22222    0.00000         0.00000         0.00000      0.22222
    <BLANKLINE>
    argmax           accuracy   macro_f1  mean_absolute_error  quadratic_kappa
    forecast          0.66667    0.55556              0.33333          0.66667
    """
    check_choice(task, TASKS, "task")
    normalize = check_flag(normalize, "normalize")
    labels = None if labels is None else as_labels(labels)
    models = _models(forecasts, task)
    chosen = _task(task, models)
    if chosen != "binary":
        _require_of_an_event(within, pos_label)
        _require_one_order(models)
        options: dict[str, Any] = {"labels": labels, "weight": weight, "normalize": normalize}
        cases = {name: Cases(y, p, **options) for name, p in models.items()}
        found = evaluate_classes(cases, chosen, rules)
        _require_distinct("rules", [rule.name for rule in found.rules])
        return found
    asked = _asked(rules, within)
    require_classes_to_normalize(normalize)
    if labels is not None:
        pos_label = event_label(labels, pos_label)
    tallies = {name: tally(y, p, weight=weight, pos_label=pos_label) for name, p in models.items()}
    first = next(iter(tallies.values()))
    return Evaluation(
        first.total,
        first.event_rate,
        asked,
        {name: _decompose(t, asked) for name, t in tallies.items()},
        {name: _decompose(t, asked) for name, t in baselines(first).items()},
        {name: reliability(t) for name, t in tallies.items()},
    )


def _models(forecasts: Any, task: str) -> dict[str, Any]:
    """Take forecasts by the names of models, which must differ as text."""
    if isinstance(forecasts, Mapping):
        models = forecasts
    elif task in ("multiclass", "ordinal"):
        models = {"forecast": forecasts}
    else:
        models = as_models(forecasts)
    _require_forecasts(models)
    named = [str(name) for name in models]
    _require_distinct("models", named)
    return dict(zip(named, models.values(), strict=True))


def _require_one_order(models: Mapping[str, Any]) -> None:
    """Refuse frames of which one has the columns of the first in another order."""
    (_, first), *others = models.items()
    for name, p in others:
        require_order(column_names(p), column_names(first), f"classes of {name!r}")


def _task(task: str, models: Mapping[str, Any]) -> Task:
    """Tell an event from classes by the dimensions of the forecasts."""
    if task != "auto":
        return cast("Task", task)
    tables = {name: is_table(p) for name, p in models.items()}
    if len(set(tables.values())) > 1:
        one, several = (next(n for n, t in tables.items() if t is kind) for kind in (False, True))
        message = (
            f"models must all forecast one event, or all the same classes; {one!r} has one "
            f"column, {several!r} has several"
        )
        raise DataError(message)
    return "multiclass" if all(tables.values()) else "binary"


def _require_of_an_event(within: object, pos_label: object) -> None:
    """Refuse what makes sense for one event only."""
    for name, value in (("within", within), ("pos_label", pos_label)):
        if value is not None:
            message = f"{name} is for forecasts of one event; these are of several classes"
            hint = "pass rules=Ranked(Bounded(Brier(), within))." if name == "within" else None
            raise DataError(message, hint=hint)


def _decompose(tally: Tally, rules: Iterable[BinaryRule]) -> dict[str, Decomposition]:
    return {rule.name: decompose(tally, rule) for rule in rules}


def _asked(
    rules: Iterable[Rule] | Rule | None,
    within: Interval | tuple[float, float] | None,
) -> tuple[BinaryRule, ...]:
    if rules is None:
        rules = Brier(), Log()
    asked = tuple(require_binary(rule) for rule in as_rules(rules))
    if within is not None:
        ends = as_interval(within)
        asked = tuple(form for rule in asked for form in _forms(rule, ends))
    _require_distinct("rules", [rule.name for rule in asked])
    return asked


def _forms(rule: BinaryRule, within: Interval) -> tuple[BinaryRule, ...]:
    """Put the mean of a rule over a range behind it, or its integral if there is no mean."""
    if isinstance(rule, Bounded | Regret):
        return (rule,)
    has_mean = 0 < rule.length(within.lower, within.upper) < math.inf
    return rule, Bounded(rule, within, "mean" if has_mean else "integral")


def _require_forecasts(models: Mapping[Any, Any]) -> None:
    for name, p in models.items():
        if isinstance(p, Tally | Cases):
            message = f"models are given by their forecasts; {name!r} is a {type(p).__name__}"
            raise ArgumentTypeError(message, hint="write evaluate(y, {'name': p, …}).")


def _require_distinct(what: str, names: Sequence[str]) -> None:
    """Refuse none, and two of one name, of which one would be lost."""
    twice = [name for name in names if names.count(name) > 1]
    if not names or twice:
        found = f"{twice[0]!r} twice" if twice else "none"
        message = f"{what} must have names that differ, and there must be at least one; got {found}"
        raise DataError(message)
