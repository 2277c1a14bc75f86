"""The pipeline of an evaluation: what is made of each model, of all pairs, and what is noted."""

from __future__ import annotations

import math
from contextlib import nullcontext, suppress
from dataclasses import replace
from functools import cache, partial
from threading import Lock
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

from properly import calibration, comparison, decisions
from properly._boundary._chunks import one_blas_thread, share_out
from properly._boundary._interrupts import checked
from properly._boundary._notices import collected, notice
from properly._boundary._options import as_drawing, as_generator
from properly._boundary._progress import counted
from properly._boundary._text import printable
from properly.calibration._components import NullDraws
from properly.calibration._decomposition import Decomposition, decompose_by, find_intervals
from properly.calibration._reliability import reliability
from properly.calibration._statistics import certainties
from properly.counts._baselines import baselines
from properly.counts._cases import has_time, is_dependent, is_in_place, rows_in_use
from properly.counts._tally import as_tally
from properly.decisions._murphy import regret_curve
from properly.engines._summary import Summary
from properly.errors import DataError
from properly.evaluation._checkup._notes import doubts
from properly.evaluation._record import MOST_CLASSES, Curves, Evaluation
from properly.evaluation._source import COST, IMPROPER, RowSource, SumSource, has_parts
from properly.probability._means import means
from properly.rules import RPS, Brier

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from properly.calibration._calibration_summary import CalibrationSummary
    from properly.comparison._over_ranges import OverRanges
    from properly.comparison._periods import OverTime
    from properly.evaluation._repair import Repair
    from properly.evaluation._source import Asked
    from properly.rules._interval import Interval
    from properly.typing import Progress

    # By step and field, what makes the field of a model, given the fields that it has so far.
    Parts: TypeAlias = dict[str, Callable[[dict[str, Any]], Any]]
    Steps: TypeAlias = dict[str, Parts]
    Source: TypeAlias = RowSource | SumSource
    # A model, a step, and what is made in it.
    _Task: TypeAlias = tuple[str, str, Parts]
    from properly.calibration import CalibrationTest, GroupingError, Reliability
    from properly.comparison import Comparison
    from properly.counts import Cases, Tally
    from properly.decisions import Dominance, Retention
    from properly.inference import Estimate

# Of more models, bands between curves would take longer than they are worth.
MOST_PAIRED = 10
# Of more models, comparisons over all ranges would make a page too large to send.
MOST_OVER_RANGES = 8
# Of more classes, the tables of what is kept at each share no longer fit into memory.
MOST_RETAINED = 100
# Points of a smooth curve that is drawn.
SMOOTH_POINTS = 40
SHARES = "class shares"
PARTS = ("miscalibration", "discrimination")
# What is left out, with a note, where the data do not allow it.
IF_POSSIBLE = {
    True: ("aucs", "means", "calibration", "calibration_tests", "groups", "over_time", "repairs"),
    False: ("groups", "over_time", "repairs"),
}


def gather(data: Mapping[str, Cases] | Summary, request: Asked) -> Evaluation:
    """Evaluate models of an event or of classes, from their cases or from a summary.

    Parameters
    ----------
    data : dict of Cases, or Summary
        The cases of each model, or sums and counts of all. Without rows there are no `dominances`
        and no `over_time`, and of classes no `retention`, `worst`, `calibration_tests` and
        `groups`; notes say so.
    request : Asked
        The task, the rules and the options; the rules of a summary are its own.
    """
    with one_blas_thread(), collected() as said:
        kind: Any = SumSource if isinstance(data, Summary) else RowSource
        source = kind(data, request)
        fields = _fields(source)
    about = fields["scores"][source.models[0]][request.rules[0].name]
    notes = [*said, *source.notes, *source.closing_notes(fields.get("grouping", {}))]
    evaluation = Evaluation(
        task=request.task,
        rows=about.cases,
        design=about.design,
        rules=request.rules,
        primary=request.primary.name,
        within=request.within,
        level=request.level,
        replicates=request.replicates,
        seed=request.seed,
        summed=source.summed,
        **source.data(),
        **fields,
    )
    notes = [*doubts(evaluation, source.given), *dict.fromkeys(notes)]
    return replace(evaluation, notes=tuple(notes))


def _fields(source: Source) -> dict[str, Any]:
    """Make the fields of all models, then those of pairs, and say how far this has come."""
    request, of_event = source.request, source.is_event
    by_model = {name: _steps(source, name) for name in source.models}
    compared = request.rules if len(source.models) > 1 else ()
    at_thresholds = of_event and not source.summed and len(compared) > 0
    total = sum(map(len, by_model.values())) + len(compared) + at_thresholds
    steps = _Steps(total, request.progress)
    fields: dict[str, Any] = {}
    results: dict[tuple[str, str], _Result] = {}
    for stage in _stages(by_model, request):
        done = share_out(partial(_do, source, steps, fields), stage, 2)
        for (name, step, _), result in zip(stage, done, strict=True):
            results[name, step] = result
            for what, record in result.fields.items():
                fields.setdefault(what, {}).update({} if record is None else {name: record})
    for result in (results[name, step] for name, parts in by_model.items() for step in parts):
        for message in result.notices:
            notice(message)
        source.notes += result.notes
    fields["comparisons"] = {}
    for rule in compared:
        steps.take(f"comparison by {rule.name}")
        fields["comparisons"][rule.name] = source.compare(rule)
    if not of_event:
        return fields | _class_fields(source, fields)
    fields["dominances"] = {}
    if at_thresholds:
        steps.take("thresholds")
        fields["dominances"] = _dominances(source, fields["scores"])
    if not source.summed:
        fields["pairs"] = _pairs(source, fields["scores"])
    source.notes += _about_times(fields["reliability"])
    return fields | _event_fields(source)


class _Steps:
    """Says what comes next, step by step; several threads may take steps."""

    def __init__(self, total: int, progress: Progress | None) -> None:
        self.total, self.progress, self.done, self.lock = total, progress, 0, Lock()

    def take(self, what: str) -> None:
        with self.lock:
            if self.progress is not None:
                self.progress(self.done, self.total, what)
            self.done += 1


def _stages(by_model: Mapping[str, Steps], request: Asked) -> list[list[_Task]]:
    """Put tasks together that need nothing of one another; each stage needs those before.

    With a seed, nothing depends on what was drawn before: then the first step of an event comes
    before all others. Without draws there is little to wait for, and memory to be saved.
    """
    tasks = [(name, *step) for name, parts in by_model.items() for step in parts.items()]
    if request.task != "binary" or request.seed is None or request.replicates == 0:
        return [[task] for task in tasks]
    order = list(by_model[tasks[0][0]])
    tasks.sort(key=lambda task: order.index(task[1]))
    return [tasks[: len(by_model)], tasks[len(by_model) :]]


class _Result(NamedTuple):
    """The fields of one task, what was noticed meanwhile, and why some cannot be had."""

    fields: dict[str, Any]
    notices: list[str]
    notes: list[str]


def _do(source: Source, steps: _Steps, fields: Mapping[str, Any], task: _Task) -> _Result:
    """Make some fields of one model; note why some cannot be had, rather than refuse the rest."""
    name, step, parts = task
    made = {what: records[name] for what, records in fields.items() if name in records}
    optional = IF_POSSIBLE[source.is_event]
    steps.take(f"{step} of {printable(name)}")
    with collected() as said:
        result = _Result({}, said, [])
        for what, make in checked(parts.items()):
            try:
                result.fields[what] = make(made | result.fields)
            except DataError as error:
                if what not in optional:
                    raise
                result.notes.append(_note(f"{what.replace('_', ' ')} of {name}", error))
                result.fields[what] = None
    return result


def _note(what: str, error: DataError) -> str:
    return f"{printable(what)}: {str(error).partition(chr(10))[0]}"


def _steps(source: Source, name: str) -> Steps:
    """Say how to make what there is of a model, each field from those before."""
    rules = source.request.rules
    reliability, calibration = (_event_parts if source.is_event else _class_parts)(source, name)
    both = cache(lambda: {rule.name: _score_and_skill(source, name, rule) for rule in rules})
    steps: Steps = {
        "scores": {
            "scores": lambda _: {rule: x[0] for rule, x in both().items()},
            "skills": lambda _: {rule: x[1] for rule, x in both().items()},
        },
        "reliability": reliability | {"worst": lambda _: source.worst(name)},
        "calibration": calibration
        | {
            "groups": lambda _: source.groups(name),
            "over_time": lambda _: _over_time(source, name),
        },
    }
    if source.request.recalibrate is not None:
        steps["recalibration"] = {"repairs": lambda _: _repaired(source, name)}
    return steps


def _score_and_skill(source: Source, name: str, rule: Any) -> tuple[Estimate, Estimate]:
    """Estimate a score and its skill; that by an improper rule has no interval."""
    score, skill = source.score_and_skill(name, rule)
    return score, skill if rule.is_proper else replace(skill, **IMPROPER)


def _over_time(source: Source, name: str) -> OverTime | None:
    """Score consecutive periods, of times as they were given; sums have none."""
    cases, request = source.given.get(name), source.request
    if cases is None or not has_time(cases):
        return None
    return comparison.over_time(cases, request.primary, level=request.level)


def _repaired(source: Source, name: str) -> Repair:
    """Find what recalibration would do for a model, which takes folds of rows."""
    from properly.evaluation._repair import repair

    return repair(source.given[name], source.request, name)


# An event


def _event_parts(source: Source, name: str) -> tuple[Parts, Parts]:
    """Say how to make what only models of an event have."""
    tally, request, primary = source.tallies[name], source.request, source.request.primary
    drawn = source.drawn(name) if request.replicates else None

    def grouping(made: dict[str, Any]) -> GroupingError | None:
        score = made["scores"][primary.name].value
        if tally.cells is None:
            return None
        error: GroupingError = calibration.grouping_error(tally, primary, score=score)
        return error

    def summary(_: dict[str, Any]) -> CalibrationSummary | None:
        options: dict[str, Any] = {"level": request.level, **request.draws}
        return None if drawn is None else calibration.calibration_summary(drawn, **options)

    return {
        "decompositions": lambda made: _decompositions(source, name, drawn, made["scores"]),
        "calibration_tests": lambda _: _event_test(source, name, drawn),
        "reliability": lambda _: _curve(
            source, source.sampled(name), source.tallies[name], rng=request.rng
        ),
        "certain": lambda _: certainties(tally),
        "grouping": grouping,
    }, {
        "aucs": lambda made: source.auc(name, made["scores"][primary.name]),
        "means": lambda _: means(tally),
        "calibration": summary,
    }


def _event_test(source: Source, name: str, drawn: Cases | Tally | None) -> CalibrationTest | None:
    """Test the calibration of an event; of dependent cases, by another test."""
    from properly.calibration._calibration_test import combined_test, dependent_test

    if drawn is None:
        return None
    if is_dependent(drawn):
        # Holm's method multiplies the smallest p-value by the number of models.
        return dependent_test(drawn, (1 - source.request.level) / len(source.models))
    return combined_test(drawn, source.request.replicates, source.nulls.pop(name))


def _event_fields(source: Source) -> dict[str, Any]:
    """Score the forecasts that need no model, and say how to make the curves of models."""
    tallies, constants = source.tallies, baselines(source.tallies[source.models[0]])
    request, sampled = source.request, {name: source.sampled(name) for name in source.models}
    level = request.level if source.has_bands else None
    return {
        "regret": Curves(regret_curve, tallies),
        "decision": Curves(_decision_curve, tallies),
        "roc": Curves(_roc_curve, tallies),
        # Counts do not tell how clusters vary.
        "at_thresholds": Curves(partial(_judge_at, request.within, level), sampled),
        "smooth": Curves(partial(_smooth, request.level), sampled),
        "baselines": {name: _by_rule(x, request.rules) for name, x in constants.items()},
        "baseline_regret": {name: regret_curve(x) for name, x in constants.items()},
    }


# Modules that draw curves are not loaded before a curve is wanted.
def _decision_curve(tally: Tally) -> Any:
    return decisions.decision_curve(tally, thresholds="every")


def _roc_curve(tally: Tally) -> Any:
    return decisions.roc_curve(tally)


def _judge_at(within: Interval | None, level: float | None, sampled: Tally | Cases) -> Any:
    from properly.decisions._at_threshold import at_thresholds
    from properly.decisions._grid import round_thresholds

    # At 0 one acts on all, which needs no model.
    return at_thresholds(sampled, np.append(0.0, round_thresholds(within)), level)


def _smooth(level: float, sampled: Tally | Cases) -> Any:
    """Fit a smooth curve; none if all forecasts are certain."""
    # Few events are among the notes already.
    with suppress(DataError), collected():
        return calibration.calibration_curve(sampled, level=level, points=SMOOTH_POINTS)
    return None


def _by_rule(tally: Tally, rules: Sequence[Any]) -> dict[str, Decomposition]:
    return {rule.name: parts for rule, parts in zip(rules, decompose_by(tally, rules), strict=True)}


def _decompositions(
    source: Source, name: str, drawn: Cases | Tally | None, scores: Mapping[str, Estimate]
) -> dict[str, Decomposition]:
    """Split the exact scores by all rules; draws say how far off the parts may be."""
    request, tally = source.request, source.tallies[name]
    exact = parts = _by_rule(tally, request.rules)
    if tally.cells is not None:
        exact = {rule: _ungrouped(x, scores[rule].value) for rule, x in parts.items()}
    if drawn is None:
        return exact
    drawing = as_drawing(request.level, request.replicates, request.rng)
    # What is drawn here is compared with once more, by the test of calibration.
    null = source.nulls[name] = NullDraws(drawn, [*request.rules, Brier()], drawing.rng)
    # Cells have a score of their own.
    is_grouped = tally.cells is not None or null.start is not None
    own = [scores[rule].interval for rule in exact] if is_grouped else None
    if drawn is not tally:
        parts = _by_rule(as_tally(drawn), request.rules)
    counts = list(parts.values())
    null.exact.update((r, x.miscalibration) for r, x in zip(request.rules, counts, strict=True))
    around = find_intervals(drawn, request.rules, counts, drawing, null=null, scores=own)
    pairs = zip(exact.items(), around, strict=True)
    return {rule: replace(x, intervals=intervals) for (rule, x), intervals in pairs}


def _ungrouped(parts: Decomposition, score: float) -> Decomposition:
    """Split the score of the ungrouped forecasts.

    Recalibrated, they score no worse than the recalibrated cells, and no worse than themselves.
    """
    calibrated = min(parts.uncertainty - parts.discrimination, score)
    discrimination = max(parts.uncertainty - calibrated, 0.0)
    return replace(
        parts, score=score, miscalibration=score - calibrated, discrimination=discrimination
    )


def _curve(
    source: Source, sampled: Cases | Tally, plain: Cases | Tally, **options: Any
) -> Reliability:
    """Draw a curve, with a band if there are draws.

    There is no band of counts where weighted cases would be drawn one by one.
    """
    if source.request.replicates and source.has_bands:
        with suppress(DataError) if source.summed else nullcontext():
            level = source.request.level
            return reliability(sampled, band="consistency", level=level, **options)
    return reliability(plain)


def _about_times(curves: Mapping[str, Reliability]) -> list[str]:
    """Say how much dependence in time was allowed for."""
    found = {name: x.dependence for name, x in curves.items() if x.band is not None}
    numbers = [
        f"of {printable(name)} {x.numbers} and {x.effective_times:,.0f} effective times"
        for name, x in found.items()
        if x is not None
    ]
    about = f"bands and tests allow for dependence in time: {'; '.join(numbers)}"
    return [about] if numbers else []


def _dominances(
    source: Source, scores: Mapping[str, Mapping[str, Estimate]]
) -> dict[tuple[str, str], Dominance]:
    """Compare the best model with each other one, threshold by threshold."""
    request, bands = source.request, {}
    options: dict[str, Any] = {"level": request.level, "rng": request.rng}
    best, *others = sorted(scores, key=lambda name: scores[name][request.primary.name].value)
    paired = others[: MOST_PAIRED - 1]
    for other in counted(paired, len(paired)):
        pair = source.cases[best], source.cases[other]
        try:
            bands[best, other] = decisions.dominance(*pair, within=request.within, **options)
        except DataError as error:
            source.notes.append(_note(f"thresholds of {best} and {other}", error))
    return bands


def _pairs(source: Source, scores: Mapping[str, Mapping[str, Estimate]]) -> Curves[Any]:
    """Get ready to compare areas, and the best models over all ranges of thresholds."""
    request = source.request
    value = {name: by_rule[request.primary.name].value for name, by_rule in scores.items()}
    order = sorted(value, key=lambda name: (math.isnan(value[name]), value[name]))
    kept = {name: x for name, x in source.cases.items() if name in order[:MOST_OVER_RANGES]}
    few, level = len(kept) < len(order), request.level
    compare = {
        "ranges": partial(_compare_over_ranges, kept, within=request.within, level=level, few=few),
        # Draws are for simultaneous intervals alone. A generator of the user's is not drawn from
        # once the evaluation is made.
        "areas": partial(_compare_areas, source.cases, level=level, seed=request.seed or 0),
    }
    return Curves(_call, compare, keep=True)


def _call(compare: Callable[[], Any]) -> Any:
    with one_blas_thread(), collected():
        return compare()


def _compare_over_ranges(
    models: dict[str, Cases], *, within: Interval | None, level: float, few: bool
) -> OverRanges | None:
    """Compare over ranges between many thresholds; of very many clusters, between a few."""
    from properly.comparison._over_ranges import compare_over_ranges, ends_of_ranges

    over = compare_over_ranges(models, ends_of_ranges(within, few=few), level=level)
    if over is not None or few:
        return over
    return compare_over_ranges(models, ends_of_ranges(within, few=True), level=level)


def _compare_areas(models: dict[str, Cases], *, level: float, seed: int) -> Comparison | None:
    """Compare all pairs; none if there are no pairs, or the rows are not at hand, or too few."""
    if len(models) == 1 or is_in_place(next(iter(models.values()))):
        return None
    from properly.comparison._pair_tests import compare_cases

    with suppress(DataError):
        return compare_cases(models, "auc", level=level, rng=seed)
    return None


# Classes


def _class_parts(source: Source, name: str) -> tuple[Parts, Parts]:
    """Say how to make what only models of classes have."""
    rules = source.request.rules
    return {
        "decompositions": lambda _: {
            rule.name: source.decompose(name, rule) for rule in rules if has_parts(rule)
        },
        "decisions": lambda _: source.decisions(name),
        "reliability": lambda _: _class_reliability(source, name),
        "retention": lambda _: _retention(source, name),
    }, {"calibration_tests": lambda _: _class_test(source, name)}


def _class_fields(source: Source, fields: Mapping[str, Any]) -> dict[str, Any]:
    """Score the class shares, and put each score of a model together with its parts."""
    constant = {rule.name: source.constant(rule) for rule in source.request.rules}
    totals: dict[str, dict[str, Decomposition]] = {}
    for name, scores in fields["scores"].items():
        totals[name] = {}
        for rule, score in scores.items():
            split = fields["decompositions"][name].get(rule)
            worse, better = (getattr(split, x, math.nan) for x in PARTS)
            total = Decomposition(score.value, worse, better, constant[rule])
            grouped = split is not None and name in source.cells
            totals[name][rule] = _ungrouped(total, score.value) if grouped else total
    shares = {rule: Decomposition(score, 0.0, 0.0, score) for rule, score in constant.items()}
    return {"totals": totals, "baselines": {SHARES: shares}}


def _class_reliability(source: Source, name: str) -> dict[str, Reliability]:
    """Draw the curve of each question, with a band; of many questions, some without."""
    request, shares = source.request, source.shares
    questions: Mapping[str, Any] = source.questions(name, request.reduction)
    banded = len(shares) <= MOST_CLASSES
    if not banded:
        rate = np.cumsum(shares)[:-1] if request.reduction == "cumulative" else shares
        # Those whose answers are the least clear beforehand.
        kept = np.sort(np.argsort(-rate * (1 - rate), kind="stable")[:MOST_CLASSES])
        every = list(questions.items())
        questions = dict(every[k] for k in kept)
        note = (
            f"of {len(shares)} classes, reliability is found for {len(kept)} questions only, those "
            "whose answers vary most, and without bands"
        )
        source.notes += [] if source.summed else [note]
    options: dict[str, Any] = {"rng": as_generator(request.rng), "replicates": request.replicates}
    return {
        question: _curve(source, x, x, **options) if banded else reliability(x)
        for question, x in counted(questions.items(), len(questions))
    }


def _retention(source: Source, name: str) -> Retention | None:
    """Refer the least certain cases to somebody else, and judge the decisions on the rest."""
    if source.summed:
        return None
    y, p, weight, _ = rows_in_use(source.cases[name])
    if len(source.shares) > MOST_RETAINED:
        source.notes.append(f"there are no retention curves of more than {MOST_RETAINED} classes")
        return None
    if weight.min() < weight.max():
        source.notes.append("there are no retention curves of cases with weights")
        return None
    task = source.request.task
    how: Any = {} if task == "ordinal" else {"metric": "expected_cost", "cost": COST[task]}
    scores = decisions.rejection_scores(p, RPS() if task == "ordinal" else Brier())
    # Equal scores have no order, least of all that of the rows.
    return decisions.retention_curve(scores, y, p, ties="average", **how)


def _class_test(source: Source, name: str) -> CalibrationTest | None:
    """Test all questions together, where cases are independent and classes are not too many."""
    if source.summed or not source.request.replicates:
        return None
    cases = source.cases[name]
    reasons = {
        f"there are more than {MOST_CLASSES} classes": len(source.shares) > MOST_CLASSES,
        "the test takes cases as independent, and these have clusters": cases.clusters is not None,
        "the test does not allow for dependence in time": cases.time is not None,
    }
    for why, holds in reasons.items():
        if holds:
            source.notes.append(f"calibration is not tested: {why}")
            return None
    options: dict[str, Any] = {"statistic": "mcb", "reduction": source.request.reduction}
    return calibration.calibration_test(cases, **options, **source.request.draws)
