"""The pipeline of an evaluation: what is made of each model, of all pairs, and what is noted."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext, suppress
from dataclasses import replace
from functools import partial
from itertools import chain
from threading import Lock
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias

import numpy as np

from properly import calibration, comparison, decisions
from properly._boundary._chunks import one_blas_thread, share_out
from properly._boundary._interrupts import checked
from properly._boundary._notices import collected, notice
from properly._boundary._options import Drawing, as_drawing, as_generator
from properly._boundary._progress import counted
from properly._boundary._text import printable
from properly.calibration._components import NullDraws
from properly.calibration._decomposition import Decomposition, decompose_by, find_intervals
from properly.calibration._reliability import reliability
from properly.calibration._statistics import certainties
from properly.counts import _cases
from properly.counts._baselines import baselines
from properly.decisions._murphy import regret_curve
from properly.engines._summary import Summary
from properly.errors import DataError
from properly.evaluation._checkup._notes import doubts
from properly.evaluation._record import MOST_CLASSES, Curves, Evaluation
from properly.evaluation._source import COST, IMPROPER, Asked, RowSource, SumSource, has_parts
from properly.inference._dependence import measure
from properly.probability._means import means
from properly.rules import RPS, Brier
from properly.typing import Progress

if TYPE_CHECKING:
    from properly.calibration._calibration_summary import CalibrationSummary
    from properly.comparison._over_ranges import OverRanges
    from properly.comparison._periods import OverTime
    from properly.rules._interval import Interval

    Source: TypeAlias = RowSource | SumSource
    from properly.calibration import CalibrationTest, Certain, GroupingError, Reliability
    from properly.comparison import Comparison
    from properly.counts import Cases, Tally
    from properly.decisions import Retention
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
# What an evaluation keeps of what was asked for.
KEPT = ("task", "rules", "within", "level", "replicates", "seed")
PARTS = ("miscalibration", "discrimination")


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
    made = {"rows": about.cases, "design": about.design, "summed": source.summed} | source.data()
    made |= {name: getattr(request, name) for name in KEPT} | {"primary": request.primary.name}
    evaluation = Evaluation(**made, **fields)
    notes = [*doubts(evaluation, source.given), *dict.fromkeys(notes)]
    return replace(evaluation, notes=tuple(notes))


def _fields(source: Source) -> dict[str, Any]:
    """Make the fields of all models, then those of pairs, and say how far this has come."""
    request, models = source.request, (_EventModels if source.is_event else _ClassModels)(source)
    tasks = [(name, step) for name in source.models for step in models.steps]
    compared = request.rules if len(source.models) > 1 and models.makes("comparisons") else ()
    at_thresholds = source.is_event and not source.summed and len(compared) > 0
    steps = _Steps(len(tasks) + len(compared) + at_thresholds, request.progress)
    results: dict[tuple[str, str], tuple[list[str], list[str]]] = {}
    for stage in _stages(models):
        done = share_out(partial(models.do, steps), stage, 2)
        results |= dict(zip(stage, done, strict=True))
    for said, notes in (results[task] for task in tasks):
        for message in said:
            notice(message)
        source.notes += notes
    fields = models.fields() | {"comparisons": {}}
    for rule in compared:
        steps.take(f"comparison by {rule.name}")
        fields["comparisons"][rule.name] = source.compare(rule)
    if at_thresholds:
        steps.take("thresholds")
    return fields | models.together(fields)


class _Steps:
    """Says what comes next, step by step; several threads may take steps."""

    def __init__(self, total: int, progress: Progress | None) -> None:
        self.total, self.progress, self.done, self.lock = total, progress, 0, Lock()

    def take(self, what: str) -> None:
        with self.lock:
            if self.progress is not None:
                self.progress(self.done, self.total, what)
            self.done += 1


def _stages(models: _Models) -> list[list[tuple[str, str]]]:
    """Put tasks together that need nothing of one another; each stage needs those before.

    With a seed, nothing depends on what was drawn before: then the first step of an event comes
    before all others. Without draws there is little to wait for, and memory to be saved.
    """
    request, names, (first, *rest) = models.request, models.done, models.steps
    if request.task != "binary" or request.seed is None or request.replicates == 0:
        return [[(name, step)] for name in names for step in models.steps]
    return [[(name, first) for name in names], [(name, step) for step in rest for name in names]]


class _Models:
    """Makes the fields of models, each from those before it, by a method of its name.

    It is a method of the source if nothing has to be added to what that knows.
    """

    # Fields by step; those left out, with a note, where the data do not allow them.
    every: ClassVar[dict[str, tuple[str, ...]]]
    # Those that tables and notes need.
    least: tuple[str, ...] = ("scores", "decompositions", "decisions")
    optional: tuple[str, ...] = ("groups", "over_time", "repairs")

    def __init__(self, source: Source) -> None:
        self.source, self.request, self.primary = source, source.request, source.request.primary
        self.done: dict[str, dict[str, Any]] = {name: {} for name in source.models}
        repairs = {} if self.request.recalibrate is None else {"recalibration": ["repairs"]}
        self.steps = {k: [*filter(self.makes, x)] for k, x in self.every.items()} | repairs

    def makes(self, field: str) -> bool:
        """Return whether a field is to be made."""
        return self.request.fields is None or field in {*self.request.fields, *self.least}

    def do(self, steps: _Steps, task: tuple[str, str]) -> tuple[list[str], list[str]]:
        """Make some fields of one model; return what was noticed, and why some cannot be had."""
        (name, step), notes = task, []
        steps.take(f"{step} of {printable(name)}")
        with collected() as said:
            for what in checked(self.steps[step]):
                self.done[name][what] = None
                make = getattr(self, what, None) or getattr(self.source, what)
                try:
                    self.done[name][what] = make(name)
                except DataError as error:
                    if what not in self.optional:
                        raise
                    notes.append(_note(f"{what.replace('_', ' ')} of {name}", error))
        return said, notes

    def fields(self) -> dict[str, Any]:
        """Return each field by model, without the models that do not have it."""
        names = dict.fromkeys(chain(*self.every.values(), *self.done.values()))
        made = {what: {name: x.get(what) for name, x in self.done.items()} for what in names}
        return {k: {m: x for m, x in by.items() if x is not None} for k, by in made.items()}

    def together(self, fields: dict[str, Any]) -> dict[str, Any]:
        """Return the fields that all models have together."""
        raise NotImplementedError

    def scores(self, name: str) -> dict[str, Estimate]:
        """Estimate scores, and skills; the skill by an improper rule has no interval."""
        rules = self.request.rules
        scores, skills = zip(*(self.source.score_and_skill(name, x) for x in rules), strict=True)
        self.done[name]["skills"] = {
            rule.name: skill if rule.is_proper else replace(skill, **IMPROPER)
            for rule, skill in zip(rules, skills, strict=True)
        }
        return {rule.name: score for rule, score in zip(rules, scores, strict=True)}

    def over_time(self, name: str) -> OverTime | None:
        """Score consecutive periods, of times as they were given; sums have none."""
        cases = self.source.given.get(name)
        if cases is None or not _cases.has_time(cases):
            return None
        return comparison.over_time(cases, self.primary, level=self.request.level)

    def _curve(self, sampled: Any, plain: Any, **options: Any) -> Any:
        """Draw a curve, with a band if there are draws.

        There is no band of counts where weighted cases would be drawn one by one.
        """
        if self.request.draws("reliability") and self.source.has_bands:
            with suppress(DataError) if self.source.summed else nullcontext():
                level = self.request.level
                return reliability(sampled, band="consistency", level=level, **options)
        return reliability(plain)


def _note(what: str, error: DataError) -> str:
    return f"{printable(what)}: {str(error).partition(chr(10))[0]}"


class _EventModels(_Models):
    """Makes what there is of models of an event."""

    every: ClassVar = {
        "scores": ("scores",),
        "reliability": ("decompositions", "calibration_tests", "reliability", "certain"),
        "calibration": ("grouping", "worst", "aucs", "means", "calibration", "groups", "over_time"),
    }
    least = (*_Models.least, "reliability", "certain", "grouping", "aucs")
    optional = ("aucs", "means", "calibration", "calibration_tests", *_Models.optional)

    def together(self, fields: dict[str, Any]) -> dict[str, Any]:
        """Compare models by threshold, and say how to make their curves."""
        source, request, tallies = self.source, self.request, self.source.tallies
        pairs = {"dominances": {}} if source.summed else self._pairs(fields["scores"])
        source.notes += self._about_times()
        constants = baselines(tallies[source.models[0]])
        sampled = {name: source.sampled(name) for name in source.models}
        # Counts do not tell how clusters vary.
        level = request.level if source.has_bands else None
        return pairs | {
            "regret": Curves(regret_curve, tallies),
            "decision": Curves(partial(_drawn_later, "decision_curve", "every"), tallies),
            "roc": Curves(partial(_drawn_later, "roc_curve"), tallies),
            "at_thresholds": Curves(partial(_judge_at, request.within, level), sampled),
            "smooth": Curves(partial(_smooth, request.level), sampled),
            "baselines": {name: _by_rule(x, request.rules) for name, x in constants.items()},
            "baseline_regret": {name: regret_curve(x) for name, x in constants.items()},
        }

    def _drawn(self, field: str, name: str) -> Cases | Tally | None:
        """Return what is drawn from; None where nothing is."""
        return self.source.drawn(name) if self.request.draws(field) else None

    def decompositions(self, name: str) -> dict[str, Decomposition]:
        """Split the exact scores by all rules; draws say how far off the parts may be."""
        source, request, tally = self.source, self.request, self.source.tallies[name]
        drawn, scores = self._drawn("decompositions", name), self.done[name]["scores"]
        exact = parts = _by_rule(tally, request.rules)
        if tally.cells is not None:
            exact = {rule: _ungrouped(x, scores[rule].value) for rule, x in parts.items()}
        if drawn is None:
            return exact
        _cases.note_whole_weights(drawn)
        drawing = as_drawing(request.level, request.draws("decompositions"), request.rng)
        # What is drawn here is compared with once more, by the test of calibration.
        null = source.nulls[name] = NullDraws(drawn, [*request.rules, Brier()], drawing.rng)
        # Cells have a score of their own.
        is_grouped = tally.cells is not None or null.start is not None or len(drawn) < len(tally)
        own = [scores[rule].interval for rule in exact] if is_grouped else None
        counts = list(parts.values())
        null.exact.update((r, x.miscalibration) for r, x in zip(request.rules, counts, strict=True))
        around = find_intervals(drawn, request.rules, counts, drawing, null=null, scores=own)
        pairs = zip(exact.items(), around, strict=True)
        return {rule: replace(x, intervals=intervals) for (rule, x), intervals in pairs}

    def calibration_tests(self, name: str) -> CalibrationTest | None:
        """Test the calibration; of dependent cases, by another test."""
        from properly.calibration._calibration_test import combined_test, dependent_test

        drawn = self._drawn("calibration_tests", name)
        if drawn is None:
            return None
        if _cases.is_dependent(drawn):
            # Holm's method multiplies the smallest p-value by the number of models.
            return dependent_test(drawn, (1 - self.request.level) / len(self.done))
        null, rng = self.source.nulls.pop(name, None), self.request.rng
        return combined_test(drawn, self.request.draws("calibration_tests"), null, rng)

    def reliability(self, name: str) -> Any:
        """Draw the curve."""
        source = self.source
        return self._curve(source.sampled(name), source.tallies[name], rng=self.request.rng)

    def certain(self, name: str) -> Certain:
        """Count forecasts of exactly 0 and 1."""
        return certainties(self.source.tallies[name])

    def grouping(self, name: str) -> GroupingError | None:
        """Bound what grouping can have changed."""
        tally, score = self.source.tallies[name], self.done[name]["scores"][self.primary.name].value
        if tally.cells is None:
            return None
        error: GroupingError = calibration.grouping_error(tally, self.primary, score=score)
        return error

    def aucs(self, name: str) -> Estimate:
        """Estimate the area under the ROC curve."""
        return self.source.auc(name, self.done[name]["scores"][self.primary.name])

    def means(self, name: str) -> Any:
        """Put the forecasts on the scale of probabilities."""
        return means(self.source.tallies[name])

    def calibration(self, name: str) -> CalibrationSummary | None:
        """Summarize the calibration."""
        from properly.calibration._calibration_summary import summarize

        request, drawn = self.request, self._drawn("calibration", name)
        drawing = Drawing(request.level, request.draws("distances"), as_generator(request.rng))
        fit: Any = "spline" if self.makes("distances") else None
        return None if drawn is None else summarize(drawn, drawing, fit)

    def _about_times(self) -> list[str]:
        """Say how much dependence in time was allowed for."""
        tested = self.request.draws("calibration_tests")
        timed = {name: x for name, x in self.source.cases.items() if tested and _cases.has_time(x)}
        numbers = [
            f"of {printable(name)} {x.numbers} and {x.effective_times:,.0f} effective times"
            for name, x in zip(timed, map(measure, timed.values()), strict=True)
            if not x.is_too_long
        ]
        about = f"bands and tests allow for dependence in time: {'; '.join(numbers)}"
        return [about] if numbers else []

    def _pairs(self, scores: Mapping[str, Mapping[str, Estimate]]) -> dict[str, Any]:
        """Compare the best model with others at thresholds, and say how to compare further."""
        source, request, bands = self.source, self.request, {}
        value = {name: by_rule[self.primary.name].value for name, by_rule in scores.items()}
        order = sorted(value, key=lambda name: (math.isnan(value[name]), value[name]))
        options: dict[str, Any] = {"level": request.level, "rng": request.rng}
        best, *paired = order[: MOST_PAIRED if self.makes("dominances") else 1]
        for other in counted(paired, len(paired)):
            pair = source.cases[best], source.cases[other]
            try:
                bands[best, other] = decisions.dominance(*pair, within=request.within, **options)
            except DataError as error:
                source.notes.append(_note(f"thresholds of {best} and {other}", error))
        kept = {name: x for name, x in source.cases.items() if name in order[:MOST_OVER_RANGES]}
        how: dict[str, Any] = {"few": len(kept) < len(order), "level": request.level}
        # Draws are for simultaneous intervals alone. A generator of the user's is not drawn from
        # once the evaluation is made.
        areas = partial(_compare_areas, source.cases, request.level, request.seed or 0)
        over = partial(_compare_over_ranges, kept, within=request.within, **how)
        curves = Curves(_call, {"ranges": over, "areas": areas}, keep=True)
        return {"dominances": bands, "pairs": curves if self.makes("pairs") else {}}


# Modules that draw curves are not loaded before a curve is wanted.
def _drawn_later(curve: str, *options: Any) -> Any:
    *more, tally = options
    return getattr(decisions, curve)(tally, *more)


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


def _ungrouped(parts: Decomposition, score: float) -> Decomposition:
    """Split the score of the ungrouped forecasts.

    Recalibrated, they score no worse than the recalibrated cells, and no worse than themselves.
    """
    calibrated = min(parts.uncertainty - parts.discrimination, score)
    better = max(parts.uncertainty - calibrated, 0.0)
    return replace(parts, score=score, miscalibration=score - calibrated, discrimination=better)


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


def _compare_areas(models: dict[str, Cases], level: float, seed: int) -> Comparison | None:
    """Compare all pairs; none if there are no pairs, or the rows are not at hand, or too few."""
    if len(models) == 1 or _cases.is_in_place(next(iter(models.values()))):
        return None
    from properly.comparison._pair_tests import Options, compare_models

    with suppress(DataError):
        return compare_models(models, Options.of("auc", level, seed))
    return None


class _ClassModels(_Models):
    """Makes what there is of models of classes."""

    every: ClassVar = {
        "scores": ("scores",),
        "reliability": ("decompositions", "decisions", "reliability", "retention", "worst"),
        "calibration": ("calibration_tests", "groups", "over_time"),
    }

    def together(self, fields: dict[str, Any]) -> dict[str, Any]:
        """Score the class shares, and put each score of a model together with its parts."""
        source = self.source
        constant = {rule.name: source.constant(rule) for rule in self.request.rules}
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

    def decompositions(self, name: str) -> dict[str, Any]:
        """Split the scores that are sums over questions."""
        rules = filter(has_parts, self.request.rules)
        return {rule.name: self.source.decompose(name, rule) for rule in rules}

    def reliability(self, name: str) -> dict[str, Reliability]:
        """Draw the curve of each question, with a band; of many questions, some without."""
        source, request, shares = self.source, self.request, self.source.shares
        questions: Mapping[str, Any] = source.questions(name, request.reduction)
        banded = len(shares) <= MOST_CLASSES
        if not banded:
            rate = np.cumsum(shares)[:-1] if request.reduction == "cumulative" else shares
            # Those whose answers are the least clear beforehand.
            kept = np.sort(np.argsort(-rate * (1 - rate), kind="stable")[:MOST_CLASSES])
            every = list(questions.items())
            questions = dict(every[k] for k in kept)
            note = (
                f"of {len(shares)} classes, reliability is found for {len(kept)} questions only, "
                "those whose answers vary most, and without bands"
            )
            source.notes += [] if source.summed else [note]
        options: Any = {"rng": as_generator(request.rng)}
        options["replicates"] = request.draws("reliability")
        return {
            question: self._curve(x, x, **options) if banded else reliability(x)
            for question, x in counted(questions.items(), len(questions))
        }

    def _is_left_out(self, what: str, reasons: Mapping[str, bool]) -> bool:
        """Note the first reason that holds, if one does."""
        why = next((f"{what} {reason}" for reason, holds in reasons.items() if holds), None)
        self.source.notes += [] if why is None else [why]
        return why is not None

    def retention(self, name: str) -> Retention | None:
        """Refer the least certain cases to somebody else, and judge the decisions on the rest."""
        source, task = self.source, self.request.task
        if source.summed:
            return None
        y, p, weight, _ = _cases.rows_in_use(source.cases[name])
        reasons = {
            f"more than {MOST_RETAINED} classes": len(source.shares) > MOST_RETAINED,
            "cases with weights": bool(weight.min() < weight.max()),
        }
        if self._is_left_out("there are no retention curves of", reasons):
            return None
        how: Any = {} if task == "ordinal" else {"metric": "expected_cost", "cost": COST[task]}
        scores = decisions.rejection_scores(p, RPS() if task == "ordinal" else Brier())
        # Equal scores have no order, least of all that of the rows.
        return decisions.retention_curve(scores, y, p, ties="average", **how)

    def calibration_tests(self, name: str) -> CalibrationTest | None:
        """Test all questions together, where cases are independent and classes are not too many."""
        source = self.source
        if source.summed or not self.request.draws("calibration_tests"):
            return None
        cases = source.cases[name]
        clustered = cases.clusters is not None
        reasons = {
            f"there are more than {MOST_CLASSES} classes": len(source.shares) > MOST_CLASSES,
            "the test takes cases as independent, and these have clusters": clustered,
            "the test does not allow for dependence in time": cases.time is not None,
        }
        if self._is_left_out("calibration is not tested:", reasons):
            return None
        options: dict[str, Any] = {"statistic": "mcb", "reduction": self.request.reduction}
        options |= {"replicates": self.request.draws("calibration_tests"), "rng": self.request.rng}
        return calibration.calibration_test(cases, **options)
