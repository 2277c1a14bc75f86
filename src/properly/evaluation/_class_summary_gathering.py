"""All that is to be said of models of classes, from sums and counts alone.

Scores, skills and comparisons come from exact sums, decisions from the table of what happened and
what was likeliest, and what is asked class by class, or cut by cut, from the counts of each
question.
"""

from __future__ import annotations

import math
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from properly._boundary._labels import names_of_labels
from properly._boundary._notices import collected
from properly._boundary._options import as_generator
from properly._boundary._record import printable
from properly.calibration._class_decomposition import add_parts
from properly.calibration._decomposition import decompose_by
from properly.calibration._grouping_error import grouping_error
from properly.calibration._reliability import reliability
from properly.counts._reductions import names_of_cuts, plan_for
from properly.counts._scoring import score_of_classes, share_saved
from properly.decisions._confusion import Confusion
from properly.decisions._hard_decisions import decisions_of_table
from properly.errors import DataError
from properly.evaluation._class_gathering import BAND_LEVEL, COST, MOST
from properly.evaluation._class_record import SHARES, ClassEvaluation, ClassScore, score_of_constant
from properly.evaluation._summary_notes import about_class_cells, about_classes
from properly.evaluation._summed_scores import compare_sums, score_of, skill_of
from properly.inference._estimate import Estimate
from properly.rules import Brier
from properly.rules._class_rule import require_class_rule
from properly.rules._ranked_probability import CutRule

if TYPE_CHECKING:
    from collections.abc import Iterable

    from properly.calibration._class_decomposition import ClassDecomposition
    from properly.calibration._reliability import Reliability
    from properly.counts._tally import Tally
    from properly.engines._summary import Summary
    from properly.evaluation._class_record import Task
    from properly.rules import BinaryRule, ClassRule
    from properly.typing import Column, Progress


# The questions of a view, as counts are kept.
ASKED = {"cumulative": "above", "one_vs_rest": "class"}


class Wanted(NamedTuple):
    """What was asked for."""

    summary: Summary
    rules: tuple[ClassRule, ...]
    task: Task
    shares: Column
    level: float
    replicates: int
    rng: int | np.random.Generator

    @property
    def view(self) -> str:
        """Which yes-or-no questions to ask: about cuts if there is an order, else about classes."""
        return "cumulative" if self.task == "ordinal" else "one_vs_rest"

    def tallies(self, model: str, view: str) -> dict[str, Tally]:
        """Return the counts of each question of a view, by its name."""
        labels = self.summary.labels or ()
        names = names_of_cuts(labels) if view == "cumulative" else names_of_labels(labels)
        counts, kind = self.summary.counts, ASKED[view]
        return {name: counts[model, (kind, k)].tally() for k, name in enumerate(names)}


def gather_classes(
    summary: Summary,
    task: str,
    *,
    level: float,
    replicates: int,
    rng: int | np.random.Generator,
    progress: Progress | None = None,
) -> ClassEvaluation:
    """Find everything that there is for models of classes without their rows.

    Parameters
    ----------
    summary : Summary
        Of classes.
    task : {"auto", "multiclass", "ordinal"}
        Whether classes are ordered; left to itself, they are if a rule needs it.
    level, replicates, rng, progress
        As in `properly.evaluate`.

    Returns
    -------
    ClassEvaluation
        Without `retention`, `worst`, `calibration_tests` and `groups`, which need the rows.
    """
    totals, classes = summary.sums.totals, summary.sums.classes or 0
    shares = np.array([totals["class", k].over(totals["weight",]) for k in range(classes)])
    rules = tuple(require_class_rule(rule) for rule in summary.rules)
    chosen = _task(rules, task, classes)
    wanted = Wanted(summary, rules, chosen, shares, level, replicates, rng)
    with collected() as said:
        found = _found(wanted, progress)
    about = next(iter(found["intervals"].values()))[rules[0].name]
    return ClassEvaluation(
        task=wanted.task,
        total=summary.total,
        rows=summary.rows,
        design=about.design,
        labels=tuple(summary.labels or ()),
        shares=shares,
        rules=rules,
        primary=rules[0].name,
        level=level,
        replicates=replicates,
        seed=rng if isinstance(rng, int) else None,
        worst={},
        summed=True,
        notes=tuple(dict.fromkeys([*said, *summary.notes, *_notes(wanted)])),
        **found,
    )


def _task(rules: Iterable[ClassRule], task: str, classes: int) -> Task:
    """Take classes as ordered if that is said, or needed."""
    ordered = next((rule for rule in rules if rule.needs_order), None)
    if task == "binary":
        message = f"the summary is of {classes} classes; the task is 'binary'"
        raise DataError(message)
    if task == "multiclass" and ordered is not None:
        message = f"{ordered!r} needs ordered classes; the task is 'multiclass'"
        raise DataError(message, hint="task='ordinal' takes the columns in their order.")
    return "ordinal" if task == "ordinal" or ordered is not None else "multiclass"


def _notes(wanted: Wanted) -> list[str]:
    ordered, draws = wanted.task == "ordinal", wanted.replicates > 0
    cells = _cells(wanted.summary)
    found = [about_class_cells(cells, max(_off(wanted, name) for name in cells))] if cells else []
    return [*found, *about_classes(wanted.summary, ordered=ordered, draws=draws)]


def _off(wanted: Wanted, name: str) -> float:
    """Bound what grouping can have changed of the parts by any rule that has them."""
    most = 0.0
    for rule in filter(_has_parts, wanted.rules):
        plan = plan_for(rule, "auto", len(wanted.shares))
        asked = zip(plan.weights, plan.rules, wanted.tallies(name, plan.view).values(), strict=True)
        most = max(
            most, sum(share * _width(tally, judge) for share, judge, tally in asked if share)
        )
    return most


def _width(tally: Tally, rule: BinaryRule) -> float:
    lower, upper = grouping_error(tally, rule).discrimination
    return upper - lower


def _has_parts(rule: ClassRule) -> bool:
    return isinstance(rule, CutRule | Brier) and rule.is_proper


def _cells(summary: Summary) -> dict[str, int]:
    """Return how many cells forecasts were grouped into, of the models of which that was done."""
    known = [(model, counts.cells) for (model, _), counts in summary.counts.items()]
    return {model: cells for model, cells in known if cells is not None}


def _found(wanted: Wanted, progress: Progress | None) -> dict[str, Any]:
    """Gather the results of each model, and compare them all."""
    sums, models = wanted.summary.sums, wanted.summary.models
    compared = wanted.rules if len(models) > 1 else ()
    words = [f"scores of {printable(name)}" for name in models]
    words += [f"comparison by {rule.name}" for rule in compared]
    steps = _steps(words, progress)
    found: dict[str, Any] = {"baselines": {SHARES: _constant(wanted)}}
    for name in models:
        next(steps)
        for what, record in _of_model(wanted, name).items():
            found.setdefault(what, {})[name] = record
    comparisons = {}
    for rule in compared:
        next(steps)
        comparisons[rule.name] = compare_sums(sums, rule, level=wanted.level, rng=wanted.rng)
    return found | {"comparisons": comparisons}


def _steps(words: list[str], progress: Progress | None) -> Any:
    for done, what in enumerate(words):
        if progress is not None:
            progress(done, len(words), what)
        yield


def _constant(wanted: Wanted) -> dict[str, ClassScore]:
    """Score the class shares as a forecast for every case."""
    seen = np.flatnonzero(wanted.shares > 0)
    return {
        rule.name: score_of_constant(
            score_of_classes(rule, seen, wanted.shares, wanted.shares[seen])
        )
        for rule in wanted.rules
    }


def _of_model(wanted: Wanted, name: str) -> dict[str, Any]:
    sums, level, constant = wanted.summary.sums, wanted.level, _constant(wanted)
    rules, grouped = wanted.rules, name in _cells(wanted.summary)
    table = Confusion(wanted.summary.confusion[name], tuple(wanted.summary.labels or ()))
    intervals = {rule.name: score_of(sums, name, rule, level) for rule in rules}
    decompositions = {r.name: _decompose(wanted, name, r) for r in rules if _has_parts(r)}
    scores = {
        rule: _score(found.value, constant[rule].score, decompositions.get(rule), grouped=grouped)
        for rule, found in intervals.items()
    }
    return {
        "intervals": intervals,
        "skills": {r.name: _skill(wanted, name, r, scores[r.name], intervals) for r in rules},
        "decompositions": decompositions,
        "scores": scores,
        "decisions": decisions_of_table(table, COST[wanted.task]),
        "reliability": _reliability(wanted, name),
    }


def _decompose(wanted: Wanted, name: str, rule: ClassRule) -> ClassDecomposition:
    """Split a score question by question, from the counts of each."""
    plan = plan_for(rule, "auto", wanted.summary.sums.classes or 0)
    questions = wanted.tallies(name, plan.view)
    asked = zip(questions.values(), plan.rules, strict=True)
    parts = tuple(decompose_by(tally, [judge])[0] for tally, judge in asked)
    return add_parts(plan, rule, tuple(questions), parts)


def _score(
    score: float, constant: float, parts: ClassDecomposition | None, *, grouped: bool
) -> ClassScore:
    """Put the exact score together with its parts, which add up to it.

    Recalibrated, forecasts score no worse than recalibrated cells, and no worse than themselves.
    """
    both = math.nan, math.nan
    if parts is not None and not grouped:
        both = parts.miscalibration, parts.discrimination
    elif parts is not None:
        calibrated = min(constant - parts.discrimination, score)
        both = max(score - calibrated, 0.0), max(constant - calibrated, 0.0)
    return ClassScore(score, share_saved(score, constant), *both, constant)


def _skill(
    wanted: Wanted, name: str, rule: ClassRule, score: ClassScore, known: dict[str, Estimate]
) -> Estimate:
    """Estimate a skill; that of an improper rule has no interval."""
    if rule.is_proper:
        return skill_of(wanted.summary.sums, name, rule, wanted.level)
    about = known[rule.name]
    return Estimate(
        score.skill,
        math.nan,
        (math.nan, math.nan),
        wanted.level,
        about.degrees,
        "an improper rule",
        about.design,
        about.cases,
        about.effective_cases,
        about.infinite_cases,
        about.infinite_share,
    )


def _reliability(wanted: Wanted, name: str) -> dict[str, Reliability]:
    """Find the curve of each question, with a band; of many questions, some without."""
    questions = wanted.tallies(name, wanted.view)
    rng = as_generator(wanted.rng)
    banded = wanted.replicates > 0 and not wanted.summary.sums.clustered
    if len(wanted.shares) > MOST:
        below = np.cumsum(wanted.shares)[:-1]
        rate = below if wanted.view == "cumulative" else wanted.shares
        kept = np.sort(np.argsort(-rate * (1 - rate), kind="stable")[:MOST])
        every = list(questions.items())
        questions, banded = dict(every[k] for k in kept), False
    options: dict[str, Any] = {"level": BAND_LEVEL, "replicates": max(wanted.replicates, 1)}
    found = {}
    for question, tally in questions.items():
        if banded:
            # A few cases of fractional weight would have to be drawn one by one.
            with suppress(DataError):
                found[question] = reliability(tally, band="consistency", rng=rng, **options)
        if question not in found:
            found[question] = reliability(tally)
    return found
