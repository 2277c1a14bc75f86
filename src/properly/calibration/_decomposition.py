"""Decompositions: a mean score is miscalibration - discrimination + uncertainty.

`decompose` splits the score of one event by isotonic recalibration (CORP), that of classes question
by question; `find_intervals` says how far off the parts may be; `murphy_decomposition` is the
classical split at each distinct forecast.
"""

from __future__ import annotations

import math
import textwrap
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, TypedDict, Unpack, overload

import numpy as np

from properly._boundary._chunks import share_out
from properly._boundary._interrupts import checked
from properly._boundary._libraries import infinities, to_numpy
from properly._boundary._options import Drawing, as_drawing, check_choice, check_flag
from properly._boundary._record import Backend, Parts, Record, ends_apart, plain, to_frame
from properly._boundary._text import many, table_of_numbers
from properly._boundary._tolerances import SAME_SUM
from properly.calibration import _components
from properly.calibration._components import ForecastPrices, NullDraws, Pair, Worlds, p_value
from properly.counts._calls import OutcomeRows, takes_rows
from properly.counts._cases import (
    Cases,
    as_counted,
    has_classes,
    has_clusters,
    has_time,
    note_whole_weights,
)
from properly.counts._isotonic import recalibrate
from properly.counts._reductions import VIEWS, Plan, View, ask, plan_for, refuse_reduction
from properly.counts._scoring import mean_loss, mean_score, share_saved
from properly.counts._tally import Tally, as_tally
from properly.errors import ImproperRuleError
from properly.inference._averages import warn_of_few
from properly.inference._cells import in_fine_cells
from properly.inference._dependence import measure
from properly.inference._intervals import within_range
from properly.inference._moments import Spread
from properly.inference._shares import student, wilson
from properly.inference._variance import spread_of_means
from properly.rules import BinaryRule, Rule
from properly.rules._rule import as_rule, require_binary
from properly.typing import ArrayLike, Column, Floats

PARTS = ("score", "miscalibration", "discrimination", "uncertainty")
COLUMNS = ("score", "skill", *PARTS[1:])
# Points of an interval, and how often it shrinks to the neighbours of the best: by 32 each time,
# so that a maximum is found to the last digit.
POINTS, ZOOMS = 65, 10


@dataclass(frozen=True)
class PartIntervals:
    """How far off a score and its parts may be.

    Attributes
    ----------
    score, miscalibration, discrimination, uncertainty : pair of floats
        Lower and upper end; NaN where nothing can be said. That of the score is not cut at the
        ends of the rule's range.
    corrected_miscalibration, corrected_discrimination : float
        The two parts less their estimated bias. Both are too large as they stand, since the
        recalibration is fitted to the outcomes that it is judged by.
    miscalibration_if_calibrated : float
        The mean miscalibration of cases with the same forecasts if they were calibrated:
        independent ones, or of cases with times as dependent ones.
    p_value : float
        Of the calibration test, `properly.calibration_test`, with the same rule; NaN if cases
        have clusters alone, since the test takes them as independent, or if their dependence in
        time is too long.
    level : float
        Coverage aimed at by each interval.
    replicates : int
        Random draws for the test.
    p_is_bound : bool
        Whether no draw reached what was observed: the p-value is then at most this.

    Examples
    --------
    >>> import properly
    >>> from properly.rules import Brier
    >>> t = properly.Tally.from_counts([0.2, 0.5, 0.8], [90, 70, 40], [15, 38, 33])
    >>> parts = properly.decompose(t, Brier(), interval=True, rng=1)
    >>> low, high = parts.intervals.score
    >>> print(f"{parts.score:.3f} ({low:.3f} to {high:.3f})")
    0.180 (0.153 to 0.206)
    """

    score: Pair
    miscalibration: Pair
    discrimination: Pair
    uncertainty: Pair
    corrected_miscalibration: float
    corrected_discrimination: float
    miscalibration_if_calibrated: float
    p_value: float
    level: float
    replicates: int
    p_is_bound: bool = False


@dataclass(frozen=True)
class Decomposition(Record):
    """A mean score and the three parts it is made of.

    ``score = miscalibration - discrimination + uncertainty``

    Attributes
    ----------
    score : float
        Mean loss of the forecasts.
    miscalibration : float
        What recalibration would save at most, since it is fitted to the outcomes that it is judged
        by; 0 for forecasts that mean what they say. `properly.recalibrate` finds what it would
        save on new cases.
    discrimination : float
        What the recalibrated forecasts save against the constant event rate.
    uncertainty : float
        Mean loss of the constant event rate: how hard the outcomes are, whatever the forecasts.
    intervals : PartIntervals or None
        How far off the four may be, if that was asked for.

    Examples
    --------
    >>> import properly
    >>> from properly.rules import Brier
    >>> parts = properly.decompose(properly.tally([0, 1], [0.25, 0.5]), Brier())
    >>> parts.score, parts.miscalibration, parts.discrimination, parts.uncertainty
    (0.15625, 0.15625, 0.25, 0.25)
    >>> parts.skill
    0.375
    """

    score: float
    miscalibration: float
    discrimination: float
    uncertainty: float
    intervals: PartIntervals | None = None

    _derived: ClassVar = ("skill",)
    _optional: ClassVar = ("intervals",)

    @property
    def skill(self) -> float:
        """One minus the score, as a share of that of the constant event rate: the uncertainty."""
        return share_saved(self.score, self.uncertainty)

    def _columns(self) -> dict[str, list[Any]]:
        return {name: [value] for name, value in _numbers(self).items()}


def _numbers(parts: Decomposition) -> dict[str, float]:
    """Return the parts, and the ends of their intervals if there are any."""
    columns = {name: getattr(parts, name) for name in (*PARTS, "skill")}
    around = {} if parts.intervals is None else vars(parts.intervals)
    return columns | ends_apart({name: around[name] for name in PARTS if name in around})


@dataclass(frozen=True, eq=False, repr=False)
class ClassDecomposition(Parts[Decomposition]):
    """A mean score of classes, split question by question.

    A mapping from the questions to a `Decomposition` each, with their sums:
    ``score = miscalibration - discrimination + uncertainty``, of each part and of all together.

    Attributes
    ----------
    reduction : str
        Which questions: ``"cumulative"``, ``"one_vs_rest"`` or ``"top_label"``.
    rule : Rule
        The rule that was decomposed.
    parts : dict of Decomposition
        The score of each question, such as ``"3 or higher"``, and what it is made of.
    weights : array
        What each part is multiplied by before they are added up.
    score, miscalibration, discrimination, uncertainty : float
        The sums, each of its weighted parts.
    statement : str
        What the numbers mean, in a sentence.

    Examples
    --------
    >>> import properly
    >>> from properly.rules import RPS
    >>> cases = properly.Cases([0, 2, 1], [[0.5, 0.5, 0], [0, 0.5, 0.5], [0.5, 0, 0.5]])
    >>> record = properly.decompose(cases, RPS())
    >>> record
    ClassDecomposition(rps by 2 parts, cumulative: 0.1667 = 0.0000 - 0.0556 + 0.2222)
    >>> list(record), record.weights
    (['1 or higher', '2'], array([0.5, 0.5]))
    >>> record["1 or higher"].score
    0.16666666666666666
    >>> print(record)
    rps              score      skill  miscalibration  discrimination  uncertainty
    1 or higher    0.16667    0.25000         0.00000         0.05556      0.22222
    2              0.16667    0.25000         0.00000         0.05556      0.22222
    total          0.16667    0.25000         0.00000         0.05556      0.22222
    <BLANKLINE>
    the score of the question 'this grade or higher?' at each cut, averaged;
    recalibrated cuts need not fit together into one distribution
    """

    reduction: View
    rule: Rule
    parts: dict[str, Decomposition]
    weights: Floats
    score: float
    miscalibration: float
    discrimination: float
    uncertainty: float
    statement: str

    def __repr__(self) -> str:
        score, worse, better, unsure = (f"{getattr(self, name):.4f}" for name in PARTS)
        parts = many(len(self), "part")
        sums = f"{score} = {worse} - {better} + {unsure}"
        return f"ClassDecomposition({self.rule.name} by {parts}, {self.reduction}: {sums})"

    def __str__(self) -> str:
        """Lay out one line a part and one for their sum, and below what they mean."""
        rows = [
            (name, [getattr(x, column) for column in COLUMNS])
            for name, x in (*self.items(), ("total", self))
        ]
        text = table_of_numbers(self.rule.name, COLUMNS, rows)
        width = text.index("\n")
        lines = [text, "", textwrap.fill(self.statement, width, break_on_hyphens=False)]
        if any(part.intervals is not None for part in self.values()):
            lines.append("to_frame() has the intervals of the parts")
        return "\n".join(lines)

    @property
    def skill(self) -> float:
        """One minus the score, as a share of that of the constant class frequencies."""
        return share_saved(self.score, self.uncertainty)

    def to_dict(self) -> dict[str, Any]:
        """Return all numbers as JSON can hold them: the sums, and the parts by question."""
        weighted = zip(self.items(), self.weights.tolist(), strict=True)
        parts = {name: {"weight": weight} | part.to_dict() for (name, part), weight in weighted}
        sums = {name: plain(getattr(self, name)) for name in (*PARTS, "skill")}
        about = {"reduction": self.reduction, "rule": self.rule.name, "statement": self.statement}
        return about | sums | {"parts": parts}

    def to_frame(self, backend: Backend | None = None) -> Any:
        """Return a polars, pandas or pyarrow frame: one row a part, and one for their sum.

        The sum has no weight, and no intervals where its parts have them.
        """
        rows = [_numbers(part) for part in self.values()]
        columns = {"part": [*self, "total"], "weight": [*self.weights.tolist(), None]}
        for name in rows[0]:
            columns[name] = [*(row[name] for row in rows), getattr(self, name, None)]
        return to_frame(columns, backend)


class DecompositionOptions(TypedDict, total=False):
    """The options of `decompose` whatever is asked."""

    interval: bool
    level: float
    replicates: int
    rng: int | np.random.Generator | None
    allow_improper: bool


# Cases do not say in their type whether they are of classes; a reduction says so.
@overload
def decompose(
    tally: Tally | Cases,
    rule: BinaryRule | str = ...,
    *,
    reduction: None = ...,
    **options: Unpack[DecompositionOptions],
) -> Decomposition: ...
@overload
def decompose(
    tally: Cases,
    rule: Rule | str = ...,
    *,
    reduction: View | None = ...,
    **options: Unpack[DecompositionOptions],
) -> ClassDecomposition: ...
@overload
def decompose(y: OutcomeRows, p: ArrayLike, *args: Any, **columns_and_options: Any) -> Any: ...
@takes_rows
def decompose(
    tally: Tally | Cases,
    rule: Rule | str = "brier",
    *,
    reduction: View | None = None,
    interval: bool = False,
    level: float = 0.95,
    replicates: int = 1000,
    rng: int | np.random.Generator | None = None,
    allow_improper: bool = False,
) -> Decomposition | ClassDecomposition:
    r"""Split a mean score into miscalibration, discrimination and uncertainty.

    .. math:: \bar S = (\bar S - \bar S_C) - (\bar S_R - \bar S_C) + \bar S_R
        = \text{MCB} - \text{DSC} + \text{UNC},

    with :math:`\bar S_C` the mean score of the isotonically recalibrated forecasts and
    :math:`\bar S_R` that of the constant event rate. A score of classes that adds up scores of
    yes-or-no questions is split question by question, and the parts are added up with its weights.

    Parameters
    ----------
    tally : Tally or Cases
        The forecasts of one event, or of classes, and what happened.
    rule : Rule or str
        A proper rule for one event, or its name. Of classes: `RPS`, `RankedLog` or `Ranked`,
        `Brier` or `Log`; or any rule for one event, together with a reduction.
    reduction : {"cumulative", "one_vs_rest", "top_label"}, optional
        Which questions to ask of classes, as `properly.cumulative`, `properly.one_vs_rest` and
        `properly.top_label` do. Left to itself: the cuts for a ranked rule, each class against the
        rest for `Brier` and `Log`.
    interval : bool
        Say how far off each number may be; of classes each number of each part, not the sums.
    level : float
        Coverage aimed at by each interval.
    replicates : int
        Random draws for the calibration test behind the interval of the miscalibration; a fifth of
        them, 200 at least if there are so many, tell the bias.
    rng : int or numpy Generator, optional
        Seed or source of the randomness; without it, every call draws anew.
    allow_improper : bool
        Decompose an improper rule all the same. Its parts may then be negative and mean nothing.

    Returns
    -------
    Decomposition or ClassDecomposition
        The latter of classes.

    Notes
    -----
    The recalibration is the same for every proper rule, and optimal for each. Miscalibration and
    discrimination are therefore never negative; a rounding error below zero is returned as 0.
    A certain forecast that turned out wrong has an infinite log score, and so an infinite
    miscalibration; discrimination and uncertainty stay finite.

    The interval of the score is that of a mean, by Student's t. That of the uncertainty is Wilson's
    interval of the event rate, mapped by the entropy of the rule, whose maximum may lie inside.
    Clusters and times in `Cases` are allowed for. Miscalibration and discrimination are biased
    upwards, and the bootstrap doubles that bias. Their intervals therefore subtract a bias, found
    by drawing outcomes in two worlds whose true curve is known: the fitted recalibration, and a
    smoother version of it without steps. They reach from the larger bias to the smaller, each with
    the larger of two standard errors, and are cut at 0. That of the miscalibration begins at 0
    unless the calibration test refuses calibration at the level; with clusters, which the test
    cannot allow for, always. Of cases with times, outcomes are drawn that depend on one another as
    much as these do, see `properly.calibration_test`.

    **Very many forecasts.** Of more than 8,192 distinct ones, what is drawn for bias, intervals
    and tests is counted in cells. The score and its parts stay those of all forecasts; what is
    tested is counted in the same cells as its draws. Over 50 data sets, the study of coverage found
    no mean difference beyond chance but one, of 0.4 %; of a single set, a p-value near calibration
    may differ by some 0.06.

    Cases of a cell that have weights are drawn as the number of equal weight that says as much,
    :math:`(\sum w)^2 / \sum w^2`. Clusters are drawn whole, and outcomes of a cluster, or of
    neighbouring times, share a normal number, as much as those that were observed agree.

    **Several classes.**

    - **Ranked rules**, at the cuts, with the rule's own weights. The sums are exact: the score is
      that of the rule. For `RPS` the uncertainty is the mean of :math:`\bar F_k (1 - \bar F_k)`
      over the cuts, with :math:`\bar F_k` the share of cases up to class :math:`k`.
    - **Brier**, each class against the rest. The sums are exact, on the scale of the rule.
    - **Log**, each class against the rest. The score is the sum of K log scores of one event each,
      which is not the log score of the class; that one is no such sum.
    - **Any rule for one event, with a reduction.** The score is the mean over the cuts, the sum
      over the classes, or that of the one question about the likeliest class.

    Exact means up to rounding. Sums of probabilities are taken as the decimals that they stand for,
    see `properly.cumulative`; a rule that jumps at 0.3 may find 0.1 + 0.2 on the other side of it.
    And a double that is not 1 is at least 1e-16 away from it, so a cut that was all but certain and
    did not happen costs at most 37 by its log score, where `RankedLog` itself may say more.

    Each question is recalibrated on its own. The recalibrated cuts may cross, and recalibrated
    classes need not add up to 1: this tells where forecasts go wrong, it does not mend them.

    The squared absolute RPS is improper, and no sum over cuts either; it is refused.

    References
    ----------
    .. [1] T. Dimitriadis, T. Gneiting, A. I. Jordan (2021). Stable reliability diagrams for
       probabilistic classifiers. Proceedings of the National Academy of Sciences 118:e2016191118.
       `doi:10.1073/pnas.2016191118 <https://doi.org/10.1073/pnas.2016191118>`__
    .. [2] E. S. Epstein (1969). A scoring system for probability forecasts of ranked categories.
       Journal of Applied Meteorology 8:985-987.

    Examples
    --------
    >>> import properly
    >>> from properly.rules import Brier
    >>> t = properly.tally([0, 0, 1, 0, 1], [0.1, 0.3, 0.3, 0.6, 0.9])
    >>> parts = properly.decompose(t, Brier())
    >>> print({name: round(value, 4) for name, value in parts.to_dict().items()})
    {'score': 0.192, 'miscalibration': 0.0587, 'discrimination': 0.1067, 'uncertainty': 0.24,
     'skill': 0.2}

    >>> from properly.rules import RPS
    >>> y = [0, 2, 1]
    >>> P = [[0.5, 0.5, 0.0], [0.0, 0.5, 0.5], [0.5, 0.0, 0.5]]
    >>> record = properly.decompose(properly.Cases(y, P), RPS())
    >>> round(record.score, 4), round(RPS()(y, P), 4)
    (0.1667, 0.1667)
    >>> record.statement
    "the score of the question 'this grade or higher?' at each cut, averaged; recalibrated cuts
     need not fit together into one distribution"
    >>> properly.decompose(properly.Cases(y, P), Brier())
    ClassDecomposition(brier by 3 parts, one_vs_rest: 0.8333 = 0.2778 - 0.1111 + 0.6667)
    """
    if check_flag(interval, "interval"):
        allow_improper = False
    drawing = as_drawing(level, replicates, rng)
    if interval:
        note_whole_weights(tally)
    options = (drawing if interval else None, allow_improper)
    if has_classes(tally):
        return _decompose_classes(tally, as_rule(rule), reduction, *options)
    refuse_reduction(reduction)
    return _decompose_event(tally, require_binary(rule), *options)


def _decompose_event(
    tally: Tally | Cases, rule: BinaryRule, drawing: Drawing | None, allow_improper: bool
) -> Decomposition:
    if not allow_improper:
        require_proper(rule)
    parts = decompose_by(as_tally(tally), [rule])
    if drawing is None:
        return parts[0]
    intervals = find_intervals(in_fine_cells(tally), [rule], parts, drawing)[0]
    warn_of_few(tally)
    return replace(parts[0], intervals=intervals)


def _decompose_classes(
    cases: Cases, rule: Rule, reduction: View | None, drawing: Drawing | None, allow_improper: bool
) -> ClassDecomposition:
    if reduction is not None:
        check_choice(reduction, VIEWS, "reduction")
    plan = plan_for(rule, reduction or "auto", cases.classes or 0)
    parts = {
        name: _decompose_event(question, judge, drawing, allow_improper)
        for (name, question), judge in zip(ask(cases, plan.view).items(), plan.rules, strict=True)
    }
    return add_parts(plan, rule, parts)


def add_parts(plan: Plan, rule: Rule, parts: dict[str, Decomposition]) -> ClassDecomposition:
    """Add up the parts of the questions, with the weights that they have.

    What has no weight adds nothing, even if it is infinite.
    """
    weights = np.array(plan.weights, dtype=np.float64)
    pairs = [(w, x) for w, x in zip(weights.tolist(), parts.values(), strict=True) if w > 0]
    score, miscalibration, discrimination, uncertainty = (
        math.fsum(w * getattr(part, name) for w, part in pairs) for name in PARTS
    )
    sums = (score, miscalibration, discrimination, uncertainty)
    return ClassDecomposition(plan.view, rule, parts, weights, *sums, plan.statement)


def require_proper(rule: BinaryRule) -> BinaryRule:
    """Refuse a rule whose score has no parts."""
    if not rule.is_proper:
        message = f"only a proper rule can be decomposed; {rule!r} is improper, "
        message += "so a recalibrated forecast need not be better and the parts have no meaning"
        hint = "allow_improper=True computes them all the same, without intervals."
        raise ImproperRuleError(message, hint=hint)
    return rule


def decompose_by(t: Tally, rules: Sequence[BinaryRule]) -> list[Decomposition]:
    """Split the mean scores of several proper rules."""
    fit, results = recalibrate(t), []
    for rule in rules:
        score, constant = mean_score(t, rule), mean_loss(*fit.pooled(), rule)
        recalibrated = mean_loss(fit.event_rate, fit.weight, fit.events, rule)
        parts = _difference(score, recalibrated), _difference(constant, recalibrated)
        results.append(Decomposition(score, *parts, constant))
    return results


def _difference(worse: float, better: float) -> float:
    """Subtract; what rounding leaves below zero is zero, but nothing more is hidden."""
    difference = worse - better
    return 0.0 if -SAME_SUM * better < difference < 0 else difference


def find_intervals(
    source: Tally | Cases,
    rules: Sequence[BinaryRule],
    parts: Sequence[Decomposition],
    drawing: Drawing,
    *,
    null: NullDraws | None = None,
    scores: Sequence[Pair] | None = None,
) -> list[PartIntervals]:
    """Put intervals around scores, their miscalibration, discrimination and uncertainty.

    Those who have drawn already say what calibrated forecasts have, and who has intervals of the
    scores gives these. All rules are asked about the same draws, which takes little longer than
    for one. Very many forecasts are drawn in cells; the parts that are corrected are then those of
    narrow cells.
    """
    from scipy.special import ndtri

    source, (level, replicates, rng) = as_counted(source), drawing
    # What the test draws is independent, or a series. The bias is that of clusters, drawn as a
    # whole, or of series.
    is_tested = not (measure(source).warn() if has_time(source) else has_clusters(source))
    null = null or NullDraws(source, rules, rng)
    worlds = Worlds.of(source, null.cells)
    prices = [ForecastPrices.at(worlds.sampler.value, rule) for rule in rules]
    fit = recalibrate(worlds.tally)
    recalibrated = fit.spread(fit.event_rate)
    truths = [(price, _components.increasing_fit(worlds.tally, fit, price)) for price in prices]
    enough = _components.enough_for_bias(replicates)
    pairs = zip(rules, parts, strict=True)
    # What is drawn comes from streams of their own.
    makers: tuple[Callable[[], Any], ...] = (
        lambda: null.miscalibration(rules[0], replicates),
        lambda: null.finer,
        lambda: _components.find_bias(worlds, recalibrated, truths, replicates=enough, rng=rng),
        lambda: scores or [_score_interval(source, rule, x.score, level) for rule, x in pairs],
    )
    _, _, biases, around = share_out(lambda make: make(), makers, 2)
    own = parts if worlds.fine is None else decompose_by(worlds.tally, rules)
    by_rule, results = zip(own, prices, biases, around, strict=True), []
    for x, price, bias, score in checked(by_rule):
        rule, event_rate = price.rule, worlds.tally.event_rate
        spread = _spread(source, worlds, _amounts(price, recalibrated, event_rate))
        reach = ndtri((1 + level) / 2) * np.fmax(spread.errors[:2], bias.deviation)
        scale, observed = null.observed(rule)
        drawn = null.miscalibration(rule, replicates)
        p = p_value(observed, drawn, scale) if is_tested else math.nan
        ends, corrected = _corrected(x, bias, reach, is_refused=p <= (1 - level) * (1 + 1e-12))
        unsure = _of_rate(rule, event_rate, spread, level)
        sure = within_range(score, rule.range, x.score)
        chance = null.mean(rule, replicates), p
        is_bound = p <= _components.least_of(replicates)
        results.append(
            PartIntervals(sure, *ends, unsure, *corrected, *chance, level, replicates, is_bound)
        )
    return results


def _score_interval(source: Tally | Cases, rule: BinaryRule, score: float, level: float) -> Pair:
    """Put an interval around the score of the forecasts as they are, all of them."""
    if not math.isfinite(score):
        return math.nan, math.inf
    prices = ForecastPrices.at(to_numpy(as_tally(source).value).astype(np.float64), rule)
    spread = spread_of_means(source, prices.if_event[None], prices.if_none[None])
    half = float(spread.half_widths(level)[0])
    return score - half, score + half


def _spread(source: Tally | Cases, worlds: Worlds, amounts: tuple[Column, Column]) -> Spread:
    """Find the spread of the four numbers; of rows in cells, each has the amount of its cell."""
    source = as_counted(source)
    if worlds.fine is None:
        return spread_of_means(source, *amounts)
    if isinstance(source, Tally):
        return spread_of_means(worlds.tally, *amounts)
    forecasts = np.diff(worlds.fine, append=len(as_tally(source)))
    return spread_of_means(source, *amounts, np.repeat(np.arange(len(forecasts)), forecasts))


def _corrected(
    parts: Decomposition, bias: _components.BiasCorrection, reach: Column, *, is_refused: bool
) -> tuple[tuple[Pair, Pair], tuple[float, float]]:
    """Put intervals around miscalibration and discrimination, and take off the mean bias."""
    raw = np.array([parts.miscalibration, parts.discrimination])
    with infinities():
        lower = np.maximum(raw - bias.greatest - reach, 0).tolist()
        upper = np.maximum(raw - bias.least + reach, 0).tolist()
        corrected = np.maximum(raw - bias.mean, 0).tolist()
    # Where the test would refuse calibration too often, it does not take part.
    if not is_refused:
        lower[0] = 0.0
    if not math.isfinite(parts.score):
        lower[0], upper[0], corrected[0] = math.nan, math.inf, math.inf
    both = (lower[0], upper[0]), (lower[1], upper[1])
    return both, (corrected[0], corrected[1])


def _of_rate(rule: BinaryRule, rate: float, spread: Spread, level: float) -> Pair:
    """Map Wilson's interval of the event rate by the entropy, whose maximum may lie inside."""
    variance = float(spread.covariance[2, 2])
    if not variance > 0:
        return math.nan, math.nan
    # As many independent cases would tell the event rate as precisely.
    cases = rate * (1 - rate) / variance
    ends = wilson(rate, cases, student(spread.degrees, level))
    x = np.array(ends, dtype=np.float64)
    lowest = float(rule.entropy(x).min())
    for _ in range(ZOOMS):
        x = np.linspace(x[0], x[-1], POINTS)
        # An entropy is concave: the maximum lies next to the highest point.
        k = int(np.argmax(rule.entropy(x)))
        x = x[max(k - 1, 0) : k + 2]
    return lowest, float(rule.entropy(x).max())


def _amounts(
    prices: ForecastPrices, recalibrated: Column, event_rate: float
) -> tuple[Column, Column]:
    """Return what a case adds to two numbers and to the event rate, with an event and without.

    The numbers are miscalibration and discrimination, at each forecast.
    """
    known, rates = np.array([event_rate]), np.ones(len(recalibrated))
    best, overall = (ForecastPrices.at(x, prices.rule) for x in (recalibrated, known))
    with infinities():
        event, none = (
            np.stack([score - own, constant - own, happened])
            for score, own, constant, happened in (
                (prices.if_event, best.if_event, overall.if_event, rates),
                (prices.if_none, best.if_none, overall.if_none, 0 * rates),
            )
        )
    return event, none
