"""What an evaluation is made from: rows, or sums and counts of them.

`RowSource` and `SumSource` have the same methods, of an event and of classes; what one of them does
not know is None. `EvaluationSource` has what both do alike, and `Asked` what was asked for. What
few evaluations need is imported by those alone: a command that scores one model would wait for it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from properly import calibration, comparison, decisions
from properly._boundary._classes import names_of_labels
from properly._boundary._libraries import count_true, to_numpy
from properly._boundary._notices import collected
from properly._boundary._options import as_generator
from properly._boundary._text import at_most, listed, many, printable
from properly.calibration._decomposition import ClassDecomposition, add_parts, decompose_by
from properly.calibration._reliability import reliability
from properly.counts import Cases, Tally, _cases
from properly.counts._reductions import View, ask, names_of_cuts, plan_for
from properly.counts._scoring import class_shares, score_of_classes
from properly.counts._tally import as_tally
from properly.decisions._elementary import SPELLS, has_few_spells
from properly.decisions._grid import round_middle, round_thresholds
from properly.decisions._single_cases import WorstCases, show_beside, worst_cases, worst_forecasts
from properly.evaluation._phrases import at_thresholds, runs
from properly.inference._auc import auc_interval
from properly.inference._cells import in_fine_cells
from properly.inference._design import few_times, one_dependence
from properly.inference._intervals import score_and_skill
from properly.rules import Brier, Elementary, Log, Rule
from properly.rules._ranked_probability import CutRule
from properly.typing import Column, Progress

if TYPE_CHECKING:
    from properly.calibration import GroupingError
    from properly.calibration._components import NullDraws
    from properly.comparison import Comparison, Groups
    from properly.decisions import MurphyCurve
    from properly.decisions._hard_decisions import HardDecisions
    from properly.engines import Summary
    from properly.evaluation._record import Repair, Task
    from properly.inference import Estimate
    from properly.recalibration._cross_fit import Gain
    from properly.rules._interval import Interval
    from properly.rules._penalty import NamedCost

UNKNOWN: dict[str, Any] = {"standard_error": math.nan, "interval": (math.nan, math.nan)}
IMPROPER = UNKNOWN | {"method": "an improper rule"}
AREA = "no interval: counts do not tell how cases of a cluster depend on one another"
# What a wrong decision costs: the squared distance of classes that have an order.
COST: dict[str, NamedCost] = {"ordinal": "quadratic", "multiclass": "zero_one"}
# The questions of a reduction, as counts are kept.
KEPT = {"cumulative": "above", "one_vs_rest": "class"}
# What a summary of an event, and one of classes, leaves out, and which of its facts are the reason.
LEFT_OUT = {
    "binary": {
        (
            "models are not compared at single thresholds: that takes the forecasts of both for "
            "each row, which a summary does not keep"
        ): "several",
        (
            "bands, calibration tests, and intervals of miscalibration, discrimination and AUC are "
            "left out: a summary does not tell how forecasts and outcomes of a cluster go together"
        ): "clustered",
        (
            "groups are left out: a summary does not tell which clusters have cases in several of "
            "them"
        ): "clustered grouped",
        (
            "calibration is not tested, and miscalibration and discrimination have no intervals: "
            "rows of unequal weight are drawn one by one, and a summary does not keep them"
        ): "independent weighted drawing",
    },
    "classes": {
        (
            "reliability has no bands: a summary does not tell how cases of a cluster go together"
        ): "clustered drawing",
        (
            "groups are left out: a summary of classes does not tell how skewed their losses are"
        ): "grouped",
        (
            "there are no retention curves and no worst cases: they take all probabilities of each "
            "row, which a summary does not keep"
        ): "",
        (
            "calibration is not tested: that draws classes from all probabilities of each row, "
            "which a summary does not keep"
        ): "drawing",
        (
            "decisions are those for the likeliest class; what decisions of least expected cost "
            "come to takes all probabilities of each row"
        ): "ordered",
    },
}


# The fields that a command needs, and the draws of each; None if it needs all.
NEEDED: ContextVar[Mapping[str, int] | None] = ContextVar("NEEDED", default=None)


@contextmanager
def only(fields: Mapping[str, int] | None) -> Iterator[int]:
    """Make no other fields of evaluations here; the number is that of the most draws of any."""
    token = NEEDED.set(fields)
    try:
        yield max((fields or {}).values(), default=0)
    finally:
        NEEDED.reset(token)


@dataclass(frozen=True)
class Asked:
    """The options of an evaluation, checked.

    `rng` is a seed of each part, or the source of the randomness of all.
    """

    task: Task
    rules: tuple[Any, ...]
    primary: Any
    within: Interval | None
    level: float
    replicates: int
    rng: int | np.random.Generator
    progress: Progress | None = None
    # Columns of all rows to be shown beside the worst cases.
    show: Mapping[str, Column] = field(default_factory=dict)
    # The number of the row that each case was given as, if rows count several times.
    given: Column | None = None
    # The map to repair models with, or how to choose it.
    recalibrate: Any = None
    # The fields to make, with the draws of each; None for all.
    fields: Mapping[str, int] | None = None

    @property
    def seed(self) -> int | None:
        """The seed, if there is one to repeat everything by."""
        return self.rng if isinstance(self.rng, int) else None

    @property
    def reduction(self) -> View:
        """Which yes-or-no questions to ask: about cuts if there is an order, else about classes."""
        return "cumulative" if self.task == "ordinal" else "one_vs_rest"

    def draws(self, field: str) -> int:
        """Return how many draws a field takes."""
        return self.replicates if self.fields is None else self.fields.get(field, 0)

    @property
    def severe(self) -> Any:
        """The rule that worst cases go by: the log score if it is among the rules."""
        return next((rule for rule in self.rules if isinstance(rule, Log)), self.rules[0])

    @property
    def group_options(self) -> dict[str, Any]:
        """The options of groups, which are calibrated for an event alone."""
        draws = self.draws("groups")
        options = {"level": self.level, "replicates": max(draws, 1), "rng": self.rng}
        return {"calibration": self.task == "binary" and draws > 0, **options}


def has_parts(rule: Rule) -> bool:
    """Tell whether a rule of classes adds up scores of yes-or-no questions, and is proper."""
    return isinstance(rule, CutRule | Brier) and rule.is_proper


class EvaluationSource:
    """The cases or counts of each model, the request, and what has been noted so far."""

    summed = False
    # Bands of rows allow for whatever is known of them.
    has_bands = True

    def __init__(self, models: Sequence[str], request: Asked) -> None:
        self.models, self.request = tuple(models), request
        self.is_event = request.task == "binary"
        # Rows as given, and as sampled; there are none of sums.
        self.given: Mapping[str, Cases] = {}
        self.cases: dict[str, Cases] = {}
        # Of an event; of classes, how often each happened.
        self.tallies: Mapping[str, Tally] = {}
        self.shares: Column = np.zeros(0)
        self.notes: list[str] = []
        self.nulls: dict[str, NullDraws] = {}
        # Of classes, by model, if forecasts of any question were grouped.
        self.cells: dict[str, int] = {}

    def questions(self, name: str, reduction: View) -> Mapping[str, Any]:
        """Return the questions of a reduction about the class, by name."""
        raise NotImplementedError

    def decompose(self, name: str, rule: Any) -> ClassDecomposition:
        """Split a score of classes question by question."""
        plan = plan_for(rule, "auto", len(self.shares))
        pairs = zip(self.questions(name, plan.view).items(), plan.rules, strict=True)
        parts = {text: decompose_by(as_tally(x), [judge])[0] for (text, x), judge in pairs}
        return add_parts(plan, rule, parts)

    def constant(self, rule: Any) -> float:
        """Score the class shares as a forecast for every case."""
        seen = np.flatnonzero(self.shares > 0)
        return score_of_classes(rule, seen, self.shares, self.shares[seen])


class RowSource(EvaluationSource):
    """Cases of each model, row by row: as given, and as sampled.

    Times that intervals do not allow for are left out of the latter.
    """

    def __init__(self, given: Mapping[str, Cases], request: Asked) -> None:
        super().__init__(tuple(given), request)
        self.given, self.first = given, given[self.models[0]]
        few = few_times(self.first)
        self.notes = [few] if few else []
        plain = (lambda x: x) if self.is_event else _cases.in_numpy
        self.cases = {name: one_dependence(plain(cases)) for name, cases in given.items()}
        if self.is_event:
            self.tallies = {name: cases.tally() for name, cases in given.items()}
        else:
            self.shares = class_shares(self.first.y, self.first.weight, self.first.classes or 0)

    def data(self) -> dict[str, Any]:
        """Describe the data."""
        first = self.first
        if self.is_event:
            y = first.y if first.weight is None else _cases.rows_in_use(first).y
            tally, events = self.tallies[self.models[0]], count_true(y)
            return {"total": tally.total, "event_rate": tally.event_rate, "events": events}
        classes = {"labels": tuple(first.labels or ()), "shares": self.shares}
        return classes | {"total": _total(first), "normalized": first.normalized}

    def closing_notes(self, grouping: Mapping[str, GroupingError]) -> Iterator[str]:  # noqa: ARG002
        """Say where times tell too little about mistakes; what could not be had has been noted."""
        if self.is_event and _cases.has_time(self.cases[self.models[0]]):
            yield from _about_spells(self.cases, round_thresholds(self.request.within))

    def score_and_skill(self, name: str, rule: Any) -> tuple[Estimate, Estimate]:
        """Estimate a mean score and its skill; each case is priced once."""
        reference = None if rule.is_proper else self.shares
        return score_and_skill(self.cases[name], rule, reference, self.request.level)

    def compare(self, rule: Any) -> Comparison:
        """Compare all pairs of models."""
        from properly.comparison._pair_tests import Options, compare_models

        return compare_models(self.cases, Options.of(rule, self.request.level, self.request.rng))

    def groups(self, name: str) -> Groups | None:
        """Compare each group of cases with the rest."""
        cases, request = self.cases[name], self.request
        if cases.groups is None:
            return None
        return comparison.by_group(cases, request.primary, **request.group_options)

    def worst(self, name: str) -> WorstCases:
        """List the cases that cost most."""
        worst, given = worst_cases(self.cases[name], self.request.severe), self.request.given
        rows = worst.row if given is None else given[worst.row]
        return show_beside(replace(worst, row=rows), self.request.show)

    def drawn(self, name: str) -> Tally | Cases:
        """Return the counts, or cases: weights say how far off parts are, as those of a sample."""
        return in_fine_cells(self._counted(name))

    def _counted(self, name: str) -> Tally | Cases:
        return self.tallies[name] if _cases.is_counted(self.cases[name]) else self.cases[name]

    def sampled(self, name: str) -> Cases | Tally:
        """Return what curves of an event, and their bands, are made from: cases if dependent."""
        return self.cases[name] if _cases.is_dependent(self.cases[name]) else self.tallies[name]

    def auc(self, name: str, about: Estimate) -> Estimate:  # noqa: ARG002 - as of sums
        """Estimate the area under the ROC curve."""
        return auc_interval(self._counted(name), level=self.request.level)

    def questions(self, name: str, reduction: View) -> Mapping[str, Cases]:
        """Return the questions of a reduction about the class, by name."""
        return ask(self.cases[name], reduction)

    def repairs(self, name: str) -> Repair:
        """Find what recalibration would do for a model."""
        return _repair(self.given[name], self.request, name)

    def decisions(self, name: str) -> HardDecisions:
        """Decide for classes by their probabilities."""
        return decisions.hard_decisions(self.given[name], COST[self.request.task])


def _about_spells(models: Mapping[str, Cases], threshold: Column) -> Iterator[str]:
    """Say at which thresholds of the page a mistake comes in too few spells."""
    few = {name: runs(threshold, has_few_spells(x, threshold)) for name, x in models.items()}
    where = [f"of {printable(name)} {at_thresholds(ends)}" for name, ends in few.items() if ends]
    if where:
        yield (
            f"a kind of mistake comes in fewer than {SPELLS} separate spells, and intervals may be "
            f"too narrow there: {'; '.join(where)}"
        )


def _total(cases: Cases) -> int | float:
    """Add up weights; rows that all weigh the same are only counted. Whole numbers stay whole."""
    if cases.weight is None:
        return len(cases)
    weight = to_numpy(cases.weight)
    total: int | float = ((weight > 0) if _cases.is_unweighted(cases) else weight).sum().item()
    return total


class SumSource(EvaluationSource):
    """Exact sums and counts of all models.

    Scores, skills and comparisons come from the sums; all that depends on the forecasts of one
    model alone comes from its counts. Of independent cases that are counted one by one the numbers
    are those of the rows, and so are draws.
    """

    summed = True

    def __init__(self, summary: Summary, request: Asked) -> None:
        super().__init__(summary.models, request)
        self.summary, self.sums, self.labels = summary, summary.sums, tuple(summary.labels or ())
        if self.is_event:
            self.tallies = summary.tallies
        else:
            counts = ((key[0], x.cells) for key, x in summary.tallies.items())
            self.cells = {name: cells for name, cells in counts if cells is not None}
            shares = (self.sums.mean("class", k) for k in range(self.sums.classes or 0))
            self.shares = np.array(list(shares))
        # Curves can have bands if cases are independent.
        self.has_bands = not self.sums.clustered

    def data(self) -> dict[str, Any]:
        """Describe the data."""
        total = {"total": self.summary.total}
        if self.is_event:
            rate, events = self.sums.mean("event"), self.sums.totals["event_rows",]
            return total | {"event_rate": rate, "events": events}
        return total | {"labels": self.labels, "shares": self.shares, "normalized": False}

    def closing_notes(self, grouping: Mapping[str, GroupingError]) -> Iterator[str]:
        """Say what takes rows to be found, one sentence each, and what was grouped."""
        yield from self.summary.notes
        if self.cells:
            within = max(map(self._grouping_error, self.cells))
            yield f"{_about_grouping(self.cells)} {at_most(within)}"
        if grouping:
            bounds = grouping.values()
            parts = [x for error in bounds for x in (error.miscalibration, error.discrimination)]
            # Infinity is known exactly.
            within = max(0.0 if low == high else high - low for low, high in parts)
            known = _about_grouping({name: x.cells or 1 for name, x in grouping.items()})
            auc = at_most(max(x.auc for x in bounds))
            yield f"{known} {at_most(within)}, AUC to within {auc}"
        facts = {
            "several": len(self.models) > 1,
            "clustered": self.sums.clustered,
            "independent": not self.sums.clustered,
            "grouped": bool(self.summary.groups),
            "weighted": self.summary.is_weighted,
            "drawing": self.request.replicates > 0,
            "ordered": self.request.task == "ordinal",
        }
        for sentence, reasons in LEFT_OUT["binary" if self.is_event else "classes"].items():
            if all(facts[reason] for reason in reasons.split()):
                yield sentence

    def _grouping_error(self, name: str) -> float:
        """Bound what grouping can have changed of the parts by any rule that has them."""
        errors = [0.0]
        for rule in filter(has_parts, self.request.rules):
            plan = plan_for(rule, "auto", len(self.shares))
            tallies = self.questions(name, plan.view).values()
            parts = [x for x in zip(plan.weights, plan.rules, tallies, strict=True) if x[0]]
            ends = (calibration.grouping_error(x, judge).discrimination for _, judge, x in parts)
            pairs = zip(parts, ends, strict=True)
            errors.append(sum(weight * (high - low) for (weight, *_), (low, high) in pairs))
        return max(errors)

    def score_and_skill(self, name: str, rule: Any) -> tuple[Estimate, Estimate]:
        """Estimate a mean score and its skill."""
        from properly.evaluation._summed_scores import summed_score_and_skill

        return summed_score_and_skill(self.sums, name, rule, self.request.level)

    def compare(self, rule: Any) -> Comparison:
        """Compare all pairs of models."""
        from properly.evaluation._summed_scores import compare_sums

        return compare_sums(self.sums, rule, level=self.request.level, rng=self.request.rng)

    def groups(self, name: str) -> Groups | None:
        """Compare each group of cases with the rest; sums do not tell that of clusters."""
        from properly.evaluation._summed_scores import summed_groups

        if not self.summary.groups or self.sums.clustered or not self.is_event:
            return None
        return summed_groups(self.summary, name, self.request.primary, **self.request.group_options)

    def worst(self, name: str) -> WorstCases | None:
        """List the forecasts that cost most; of classes that takes rows."""
        if not self.is_event:
            return None
        return worst_forecasts(self.tallies[name], self.request.severe)

    def drawn(self, name: str) -> Tally | None:
        """Return the counts to draw from; None where draws would have to be of rows."""
        by_row = self.sums.clustered or self.summary.is_weighted
        return None if by_row else self.tallies[name]

    def sampled(self, name: str) -> Tally:
        """Return the counts."""
        return self.tallies[name]

    def auc(self, name: str, about: Estimate) -> Estimate:
        """Estimate the area under the ROC curve; counts do not tell how clusters vary."""
        known = {x: getattr(about, x) for x in ("design", "cases", "effective_cases")}
        area = replace(auc_interval(self.tallies[name], level=self.request.level), **known)
        return replace(area, method=AREA, **UNKNOWN) if self.sums.clustered else area

    def questions(self, name: str, reduction: View) -> Mapping[str, Tally]:
        """Return the counts of each question of a reduction about the class, by name."""
        names = (names_of_cuts if reduction == "cumulative" else names_of_labels)(self.labels)
        tallies, kind = self.summary.tallies, KEPT[reduction]
        return {question: tallies[name, (kind, k)] for k, question in enumerate(names)}

    def decisions(self, name: str) -> HardDecisions:
        """Read decisions for the likeliest class from their table."""
        from properly.decisions._hard_decisions import decisions_of_table

        table = decisions.Confusion(self.summary.confusion[name], self.labels)
        return decisions_of_table(table, COST[self.request.task])


def _about_grouping(cells: Mapping[str, int]) -> str:
    """Begin to say what grouping can have changed, for all models together."""
    return (
        f"forecasts of {listed(cells)} were grouped into {many(min(cells.values()), 'cell')}: "
        "scores are exact, miscalibration and discrimination are known to within"
    )


# Seeds that are drawn if there is none.
SEEDS = 2**32


def _repair(cases: Cases, request: Asked, name: str) -> Repair:
    """Recalibrate a model as asked, and look at its forecasts before and after.

    What stands there as "after" was made by cross-fitting: each forecast by a map that was fitted
    without its case. The curve of a map on the very cases that it was fitted to would flatter.
    """
    from properly.evaluation._record import Curves, Repair
    from properly.recalibration._choice import NONE, recalibrate
    from properly.recalibration._cross_fit import cross_fit, in_sample_gain, of_forecasts

    seed = request.seed
    if seed is None:
        seed = int(as_generator(request.rng).integers(SEEDS))
    options: dict[str, Any] = {"rule": request.primary if request.primary.is_proper else None}
    options |= {"level": request.level, "rng": seed, "name": name, "progress": False}
    with collected():
        result = recalibrate(cases, request.recalibrate, **options)
        kind = result.best
        if kind == NONE:
            return Repair(result, kind, None, None, {}, {})
        mapping = result.maps[kind]
        after = cross_fit(cases, mapping, rng=seed)
        how: dict[str, Any] = {"name": kind, "folds": result.gain.folds, "level": request.level}

        def gain(rule: Any) -> Gain:
            found = of_forecasts(cases, to_numpy(after.p), rule, **how)
            return replace(found, in_sample=in_sample_gain(cases, mapping, rule))

        by_rule = {rule.name: gain(rule) for rule in request.rules}
        if cases.classes is not None:
            return Repair(result, kind, None, None, by_rule, {})
        every = _chosen_thresholds(request.within, cases.tally().event_rate)
        benefit = {t: _in_net_benefit(gain(Elementary(t)), t) for t in every}
    before_it, after_it = (reliability(x.tally()) for x in (cases, after))
    pair = one_dependence(cases), one_dependence(after)
    curves = Curves(partial(_difference, request.level), {"difference": pair})
    return Repair(result, kind, before_it, after_it, by_rule, benefit, curves)


def _difference(level: float, pair: tuple[Cases, Cases]) -> MurphyCurve:
    """Subtract regret after from regret before."""
    from properly.decisions._murphy import murphy_difference

    return murphy_difference(*pair, band="confidence", level=level).on_regret_scale()


def _in_net_benefit(gain: Gain, t: float) -> Gain:
    """Regret at a threshold over 1 - t is net benefit that is lost."""
    numbers = ("estimate", "standard_error", "in_sample")
    scaled = {name: getattr(gain, name) / (1 - t) for name in numbers}
    low, high = (end / (1 - t) for end in gain.interval)
    return replace(gain, rule=f"net_benefit[{t:g}]", interval=(low, high), **scaled)


def _chosen_thresholds(within: Interval | None, event_rate: float) -> tuple[float, ...]:
    """Return both ends of the range and its middle; or else around the event rate."""
    sides = (event_rate / 2, 2 * event_rate)
    ends = [float(f"{x:.1g}") for x in sides] if within is None else [within.lower, within.upper]
    every = {*ends, round_middle(within, event_rate)}
    return tuple(sorted(t for t in every if 0 < t < 1))
