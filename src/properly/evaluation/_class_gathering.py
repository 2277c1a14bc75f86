"""What is found out about models of classes: intervals, comparisons, curves and tests."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from properly._boundary._libraries import to_numpy
from properly._boundary._record import printable
from properly.calibration._class_decomposition import class_reliability, decompose_classes
from properly.calibration._reliability import reliability
from properly.calibration._test import calibration_test
from properly.comparison._compare import compare_cases
from properly.comparison._groups import by_group
from properly.comparison._periods import over_time
from properly.counts._cases import rows_in_use, with_forecasts
from properly.counts._reductions import ask
from properly.counts._scoring import class_shares
from properly.decisions._hard_decisions import hard_decisions
from properly.decisions._retention import rejection_scores, retention_curve
from properly.decisions._worst_cases import worst_cases
from properly.errors import DataError
from properly.inference._design import few_times, one_dependence
from properly.inference._intervals import score_interval, skill_interval
from properly.rules import RPS, Brier, ClassRule, Log
from properly.rules._ranked_probability import CutRule

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from properly.calibration._class_decomposition import ClassDecomposition
    from properly.calibration._reliability import Reliability
    from properly.calibration._test_statistics import CalibrationTest
    from properly.comparison._groups_record import Groups
    from properly.counts._cases import Cases
    from properly.counts._reductions import View
    from properly.decisions._retention import Retention
    from properly.evaluation._class_record import Task
    from properly.inference._estimate import Estimate
    from properly.rules._costs import NamedCost
    from properly.typing import Progress

    Part: TypeAlias = Callable[[Cases], Any]

# Classes that can be looked at one by one.
MOST = 12
# Of more classes, the tables of what is kept at each share no longer fit into memory.
MOST_RETAINED = 100
BAND_LEVEL = 0.9
# What is made in the library of the arrays, and of times that stand for themselves.
AS_GIVEN = ("decompositions", "decisions", "over_time")
# What is left out, with a note, where the data do not allow it.
IF_POSSIBLE = ("groups", "over_time")
# What a wrong decision costs: the squared distance of classes that have an order.
COST: dict[str, NamedCost] = {"ordinal": "quadratic", "multiclass": "zero_one"}


@dataclass(frozen=True)
class Wanted:
    """What was asked for, and where to note what was left out.

    Attributes
    ----------
    task : str
        Whether the classes are ordered.
    rules : tuple of ClassRule
        The rules; groups and times are judged by the first.
    shares : array
        How often each class happened.
    level : float
        How sure intervals are to be.
    replicates : int
        Random draws; 0 leaves out what needs them.
    rng : int or numpy Generator
        Seed of each part, or source of the randomness of all.
    progress : callable, optional
        Told how many steps are done, of how many, and what comes next.
    notes : list of str
        What was left out, and why.
    """

    task: Task
    rules: tuple[ClassRule, ...]
    shares: np.ndarray[Any, np.dtype[np.float64]]
    level: float
    replicates: int
    rng: int | np.random.Generator
    progress: Progress | None = None
    notes: list[str] = field(default_factory=list)

    @property
    def seed(self) -> int | None:
        """The seed, if there is one to repeat everything by."""
        return self.rng if isinstance(self.rng, int) else None

    @property
    def view(self) -> View:
        """Which yes-or-no questions to ask: about cuts if there is an order, else about classes."""
        return "cumulative" if self.task == "ordinal" else "one_vs_rest"

    def note(self, message: str) -> None:
        """Note what was left out, once for all models."""
        if message not in self.notes:
            self.notes.append(message)


def gather(models: Mapping[str, Cases], wanted: Wanted) -> dict[str, dict[str, Any]]:
    """Find everything about each model, part by part, and compare them all."""
    parts, compared = _parts(wanted), wanted.rules if len(models) > 1 else ()
    known = {name: _as_sampled(cases, wanted) for name, cases in models.items()}
    found: dict[str, dict[str, Any]] = {part: {} for part in (*parts, "comparisons")}
    told = {name: printable(name) for name in models}
    words = [f"{part.replace('_', ' ')} of {told[name]}" for name in models for part in parts]
    words += [f"comparison by {rule.name}" for rule in compared]
    steps = _steps(words, wanted.progress)
    for name, cases in models.items():
        for part, make in parts.items():
            next(steps)
            source = cases if part in AS_GIVEN else known[name]
            record = _tried(part, name, wanted, partial(make, source))
            found[part] |= {} if record is None else {name: record}
    for rule in compared:
        next(steps)
        options: dict[str, Any] = {"level": wanted.level, "rng": wanted.rng}
        found["comparisons"][rule.name] = compare_cases(known, rule, **options)
    return found


def _tried(part: str, name: str, wanted: Wanted, work: Callable[[], Any]) -> Any:
    """Work; note why groups or times cannot be had of these data, rather than refuse the rest."""
    try:
        return work()
    except DataError as error:
        if part not in IF_POSSIBLE:
            raise
        reason = str(error).partition("\n")[0]
        wanted.note(f"{part.replace('_', ' ')} of {printable(name)}: {reason}")
        return None


def _steps(words: list[str], progress: Progress | None) -> Iterator[None]:
    """Say what comes next, step by step."""
    for done, what in enumerate(words):
        if progress is not None:
            progress(done, len(words), what)
        yield


def _parts(wanted: Wanted) -> dict[str, Part]:
    """Name what is made of the cases of each model; what cannot be made is None."""
    level, rules, first = wanted.level, wanted.rules, wanted.rules[0]
    severe = next((rule for rule in rules if isinstance(rule, Log)), first)
    return {
        "decompositions": lambda cases: _decompositions(cases, rules),
        "decisions": lambda cases: hard_decisions(cases, COST[wanted.task]),
        "intervals": lambda cases: {r.name: score_interval(cases, r, level=level) for r in rules},
        "skills": lambda cases: {r.name: _skill(cases, r, level) for r in rules},
        "reliability": lambda cases: _reliability(cases, wanted),
        "retention": lambda cases: _retention(cases, wanted),
        "worst": lambda cases: worst_cases(cases, severe),
        "groups": lambda cases: _groups(cases, wanted),
        "over_time": lambda c: None if c.time is None else over_time(c, first, level=level),
        "calibration_tests": lambda cases: _calibration_test(cases, wanted),
    }


def _as_sampled(cases: Cases, wanted: Wanted) -> Cases:
    """Bring cases to numpy, with times only if intervals are to allow for dependence in time."""
    if few := few_times(cases):
        wanted.note(few)
    found = one_dependence(with_forecasts(cases, to_numpy(cases.p)))
    for name in ("y", "weight", "clusters", "strata", "time", "groups"):
        column = getattr(found, name)
        object.__setattr__(found, name, None if column is None else to_numpy(column))
    return found


def _decompositions(cases: Cases, rules: tuple[ClassRule, ...]) -> dict[str, ClassDecomposition]:
    """Decompose what adds up scores of yes-or-no questions, and is proper."""
    return {
        rule.name: decompose_classes(cases, rule)
        for rule in rules
        if isinstance(rule, CutRule | Brier) and rule.is_proper
    }


def _skill(cases: Cases, rule: ClassRule, level: float) -> Estimate:
    """Estimate a skill; that of an improper rule has no interval."""
    if rule.is_proper:
        return skill_interval(cases, rule, level=level)
    shares = class_shares(cases.y, cases.weight, cases.classes or 0)
    found = skill_interval(cases, rule, reference=shares, level=level)
    unknown = (math.nan, math.nan)
    return replace(found, standard_error=math.nan, interval=unknown, method="an improper rule")


def _groups(cases: Cases, wanted: Wanted) -> Groups | None:
    if cases.groups is None:
        return None
    drawing: dict[str, Any] = {"replicates": max(wanted.replicates, 1), "rng": wanted.rng}
    return by_group(cases, wanted.rules[0], level=wanted.level, calibration=False, **drawing)


def _reliability(cases: Cases, wanted: Wanted) -> dict[str, Reliability]:
    """Find the curve of each question, with a band; of many questions, some without."""
    if len(wanted.shares) > MOST:
        return _reliability_of_some(cases, wanted)
    has_band = wanted.replicates > 0 and cases.time is None
    if cases.time is not None:
        wanted.note("reliability has no bands: they do not allow for dependence in time")
    return class_reliability(
        cases,
        view=wanted.view,
        band="consistency" if has_band else None,
        level=BAND_LEVEL,
        replicates=max(wanted.replicates, 1),
        rng=wanted.rng,
    )


def _reliability_of_some(cases: Cases, wanted: Wanted) -> dict[str, Reliability]:
    """Find the curves of those questions whose answers are the least clear beforehand."""
    below, shares = np.cumsum(wanted.shares)[:-1], wanted.shares
    rate = below if wanted.view == "cumulative" else shares
    chosen = np.sort(np.argsort(-rate * (1 - rate), kind="stable")[:MOST])
    wanted.note(
        f"of {len(shares)} classes, reliability is found for {len(chosen)} questions only, those "
        "whose answers vary most, and without bands"
    )
    questions = list(ask(cases, wanted.view).items())
    return {name: reliability(question) for name, question in (questions[k] for k in chosen)}


def _retention(cases: Cases, wanted: Wanted) -> Retention | None:
    """Refer the least certain cases to somebody else, and judge the decisions on the rest."""
    y, p, weight, _ = rows_in_use(cases)
    if len(wanted.shares) > MOST_RETAINED:
        wanted.note(f"there are no retention curves of more than {MOST_RETAINED} classes")
        return None
    if weight.min() < weight.max():
        wanted.note("there are no retention curves of cases with weights")
        return None
    # Equal scores have no order, least of all that of the rows.
    if wanted.task == "ordinal":
        return retention_curve(rejection_scores(p, RPS()), y, p, ties="average")
    scores = rejection_scores(p, Brier())
    return retention_curve(
        scores, y, p, metric="expected_cost", cost=COST[wanted.task], ties="average"
    )


def _calibration_test(cases: Cases, wanted: Wanted) -> CalibrationTest | None:
    """Test all questions together, where cases are independent and classes are not too many."""
    if not wanted.replicates:
        return None
    astray = {
        f"there are more than {MOST} classes": len(wanted.shares) > MOST,
        "the test takes cases as independent, and these have clusters": cases.clusters is not None,
        "the test does not allow for dependence in time": cases.time is not None,
    }
    for why, holds in astray.items():
        if holds:
            wanted.note(f"calibration is not tested: {why}")
            return None
    return calibration_test(
        cases,
        statistic="mcb",
        reduction=wanted.view,
        replicates=wanted.replicates,
        rng=wanted.rng,
    )
