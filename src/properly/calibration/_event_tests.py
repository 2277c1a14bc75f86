"""Tests of calibration for one event, one by one: from cases to a p-value.

Exact ones keep the forecasts and draw outcomes as they say. A certain forecast that was wrong
refutes calibration outright. No draw contradicts one, so that is beyond all of them. Cox's tests
ask whether the fitted recalibration line is the diagonal.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import islice
from typing import Any, TypeAlias

import numpy as np

from properly._boundary._libraries import infinities
from properly._boundary._options import as_generator
from properly._boundary._text import many
from properly._boundary._tolerances import SAME_SUM
from properly.calibration import _statistics as statistics
from properly.calibration._components import (
    NullDraws,
    Pair,
    decide,
    least_of,
    miscalibration_of,
    p_value,
)
from properly.calibration._line import Subject, line_test, score_over_time
from properly.calibration._statistics import CalibrationTest, ForecastSample
from properly.counts._cases import (
    Cases,
    has_clusters,
    has_time,
    is_dependent,
    number_clusters,
    rows_in_use,
)
from properly.counts._tally import Tally, as_tally
from properly.errors import DataError
from properly.inference._averages import about_tally
from properly.inference._dependence import Dependence, measure
from properly.inference._design import Design
from properly.inference._draws import fast_stream
from properly.rules import BinaryRule
from properly.typing import Column

PValues: TypeAlias = tuple[float, float, float]
# A p-value at which calibration is commonly refused.
SMALL = 0.05
# Terms of the series below, of which far fewer matter.
TERMS = 100
# A range this small is as good as never undercut.
SMALLEST_RANGE = 0.3


def spiegelhalter(sample: ForecastSample) -> float:
    r"""Return :math:`\sum (y - x)(1 - 2x) / \sqrt{\sum (1 - 2x)^2 x (1 - x)}`, 0 if it is 0 / 0."""
    slope = 1 - 2 * sample.value
    result, variance = float(slope @ sample.excess), float(slope**2 @ sample.variance)
    if variance > 0:
        return result / math.sqrt(variance)
    return math.copysign(math.inf, result) if result else 0.0


def path_of(excess: Column, total: float) -> Pair:
    r"""Add up :math:`y - x` over all forecasts up to each distinct one, and divide by the cases.

    Return how far the sums go from 0, and in all. The greatest distance from 0 is the statistic of
    Kolmogorov and Smirnov; the greatest less the least, with the 0 before the first forecast, that
    of Kuiper.
    """
    walk = np.cumsum(excess) / total
    high, low = max(float(walk.max()), 0.0), min(float(walk.min()), 0.0)
    return max(high, -low), high - low


def reach_tail(a: float) -> float:
    """Return how likely a Brownian path on [0, 1] goes farther than `a` from 0."""
    from scipy.special import ndtr

    k = np.arange(TERMS)
    sign = 1.0 - 2 * (k % 2)
    if a >= 1:
        return min(4 * float(sign @ ndtr(-(2 * k + 1) * a)), 1.0)
    if a <= 0:
        return 1.0
    # Next to 0 they vanish.
    with infinities():
        terms = np.exp(-((2 * k + 1) ** 2) * math.pi**2 / 8 / a / a) / (2 * k + 1)
    return 1 - 4 / math.pi * float(sign @ terms)


def range_tail(a: float) -> float:
    """Return how likely a Brownian path on [0, 1] has a range of more than `a`."""
    from scipy.special import ndtr

    if a <= SMALLEST_RANGE:
        return 1.0
    k = np.arange(1, TERMS + 1)
    sign = 2.0 * (k % 2) - 1
    return min(8 * float((sign * k) @ ndtr(-k * a)), 1.0)


def hosmer_lemeshow(sample: ForecastSample, groups: int) -> tuple[float, int]:
    r"""Return :math:`\sum (O - E)^2 / (E (1 - E / n))` over groups of forecasts, and their number.

    Groups lie between the quantiles 0, 1/g, .., 1 of the forecasts, interpolated between the cases
    on either side; a forecast on an edge belongs below it. Equal edges are one.
    """
    ends = np.cumsum(sample.weight)
    # In whole numbers: 70 * 0.1 is not 7 to a computer.
    place, rest = np.divmod(np.arange(groups + 1) * (int(ends[-1]) - 1), groups)
    row = np.searchsorted(ends, place, side="right")
    above = np.searchsorted(ends, np.minimum(place + 1, ends[-1] - 1), side="right")
    low, high = sample.value[row], sample.value[above]
    edges = np.unique(low + (high - low) * (rest / groups))
    cell = np.searchsorted(edges[1:-1], sample.value, side="left")
    expected, cases, excess = (
        np.bincount(cell, x) for x in (sample.weight * sample.value, sample.weight, sample.excess)
    )
    expected, cases, excess = (x[cases > 0] for x in (expected, cases, excess))
    variance = expected * (1 - expected / cases)
    with infinities():
        result = np.where(excess == 0, 0.0, excess**2 / variance)
    return float(result.sum()), len(result)


def combine(first: Column, second: Column, slack: tuple[Any, Any]) -> PValues:
    """Take the smaller p-value of two statistics of each row, and rank the first row by it.

    Return the p-value of both tests together, and of each of them.
    The first row is what was observed, the others are draws; all are treated alike, so the rank is
    that of one of so many equals if the forecasts are calibrated, and the p-value is exact.
    """
    pairs = zip((first, second), slack, strict=True)
    with infinities():
        least_alike = [(x, np.where(np.isinf(x), x, x - s)) for x, s in pairs]
    ranks = [len(x) - np.searchsorted(np.sort(x), low, side="left") for x, low in least_alike]
    least = np.minimum(*ranks)
    rows = len(first)
    first_alone, second_alone = (int(rank[0]) / rows for rank in ranks)
    return int((least <= least[0]).sum()) / rows, first_alone, second_alone


@dataclass(frozen=True, eq=False)
class Trial:
    """The cases, and what a user chose."""

    source: Tally | Cases
    rule: BinaryRule
    replicates: int
    rng: np.random.Generator | None = None
    groups: int = 10
    training: bool = False
    given: NullDraws | None = None
    small: float = SMALL

    @cached_property
    def tally(self) -> Tally:
        """The counts at each forecast."""
        return as_tally(self.source)

    @cached_property
    def sample(self) -> ForecastSample:
        """The same as columns of numpy."""
        return ForecastSample.of(self.tally)

    @cached_property
    def null(self) -> NullDraws:
        """Outcomes as the forecasts say, drawn by others before or here."""
        return self.given or NullDraws(self.source, [self.rule], as_generator(self.rng))

    @property
    def counts(self) -> bool:
        """Whether cases are independent and counted, rather than weighed."""
        return self.tally.event_squares is None and not is_dependent(self.source)

    @cached_property
    def dependence(self) -> Dependence | None:
        """How much cases depend on one another in time, if they have times."""
        return measure(self.source) if has_time(self.source) else None

    def by_draws(
        self, name: str, statistic: float, compare: Callable[[int], float], **known: Any
    ) -> CalibrationTest:
        """Compare with draws, all of which a refuted forecast is beyond."""
        p = decide(least_of if self.sample.is_refuted else compare, self.replicates)
        method = "Monte Carlo" if self.dependence is None else self.dependence.draws
        drawn = {"replicates": p.replicates, "p_is_bound": p.is_bound}
        return CalibrationTest(name, statistic, p.p_value, method, **drawn | known)

    def measured(self, test: CalibrationTest) -> CalibrationTest:
        """Add the miscalibration of all forecasts, at least 0 whatever the rounding."""
        exact = self.null.exact.get(self.rule)
        size = miscalibration_of(self.tally, self.rule)[1] if exact is None else exact
        mean = self.null.mean(self.rule, test.replicates or 0)
        return replace(
            test, miscalibration=max(size, 0.0), mean_if_calibrated=mean, rule=self.rule.name
        )

    @property
    def certain(self) -> int:
        """How many forecasts are 0 or 1."""
        if self.counts or isinstance(self.source, Tally):
            return int(self.sample.weight[~self.sample.is_uncertain].sum())
        p = rows_in_use(self.source).p
        return int(((p == 0) | (p == 1)).sum())

    @property
    def design(self) -> str:
        """How many cases there are, and how they were sampled."""
        if self.counts or isinstance(self.source, Tally):
            return str(about_tally(self.tally)["design"])
        return Design.of(self.source).text


def by_miscalibration(trial: Trial) -> CalibrationTest:
    """Compare the miscalibration with that of drawn outcomes."""
    score, drawn_from = trial.null.observed(trial.rule)

    def compare(replicates: int) -> float:
        return p_value(drawn_from, trial.null.miscalibration(trial.rule, replicates), score)

    test = trial.measured(trial.by_draws("mcb", math.nan, compare))
    return replace(test, statistic=test.miscalibration or 0.0)


def by_both(trial: Trial) -> CalibrationTest:
    """Compare the miscalibration and the score statistic with those of the same drawn outcomes."""
    null, sample = trial.null, ForecastSample.of(trial.null.tally)
    score, first = null.observed(trial.rule)
    second = statistics.score_statistic(statistics.score_axes(sample), sample.excess)

    def compared(replicates: int) -> PValues:
        if trial.sample.is_refuted:
            return (least_of(replicates),) * 3
        drawn = np.append(first, null.miscalibration(trial.rule, replicates))
        others = np.append(second, null.score(replicates))
        return combine(drawn, others, (SAME_SUM * score, SAME_SUM * (1 + others)))

    # The smaller of the two is at its floor before both together can be.
    test = trial.by_draws("combined", math.nan, lambda draws: min(compared(draws)[1:]))
    p, *alone = compared(test.replicates or 0)
    parts = dict(zip(("mcb", "score"), alone, strict=True))
    found = replace(test, statistic=test.p_value, p_value=p, parts=parts, certain=trial.certain)
    return trial.measured(found)


def by_score(trial: Trial) -> CalibrationTest:
    """Test the logistic recalibration without fitting it: by draws, or by sums over a design."""
    from scipy.special import chdtrc

    if has_time(trial.source):
        return _by_times(trial, trial.source)
    if has_clusters(trial.source):
        return _by_clusters(trial, trial.source)
    axes, sample = statistics.score_axes(trial.sample), ForecastSample.of(trial.null.tally)
    observed, degrees = statistics.score_statistic(axes, trial.sample.excess), len(axes)
    drawn_from = statistics.score_statistic(statistics.score_axes(sample), sample.excess)
    if trial.sample.is_refuted:
        observed = math.inf
    # What is always 0 is never more.
    approximate = float(chdtrc(degrees, observed) if degrees else observed == 0)

    def compare(replicates: int) -> float:
        trial.null.miscalibration(trial.rule, replicates)
        return p_value(drawn_from, trial.null.score(replicates), 1 + drawn_from)

    known = {"degrees": float(degrees), "certain": trial.certain}
    return trial.by_draws("score", observed, compare, parts={"asymptotic": approximate}, **known)


def _by_clusters(trial: Trial, cases: Cases) -> CalibrationTest:
    y, p, weight, used = rows_in_use(cases)
    cluster = number_clusters(cases, used)
    result = statistics.clustered_score(p.astype(np.float64), y, weight, cluster)
    statistic, tail, few_clusters = result.statistic, result.asymptotic, result.p_value
    method = "chi-squared"
    if trial.sample.is_refuted:
        statistic, tail, few_clusters = math.inf, 0.0, 0.0
    elif result.least_p_value > trial.small / 2:
        # At the least p-value that there is, a test hardly ever rejects.
        method = f"none: {many(result.clusters, 'cluster')} are too few for this test"
        tail = math.nan
    elif math.isnan(few_clusters):
        tail = math.nan
    parts = {"F": few_clusters}
    degrees = float(result.degrees)
    return CalibrationTest("score", statistic, tail, method, degrees, parts, certain=trial.certain)


def _by_times(trial: Trial, cases: Cases) -> CalibrationTest:
    y, p, _, _ = rows_in_use(cases)
    statistic, degrees, tail = score_over_time(p.astype(np.float64), y, Design.of(cases))
    if trial.sample.is_refuted:
        statistic, tail = math.inf, 0.0
    return CalibrationTest("score", statistic, tail, "F", degrees, certain=trial.certain)


def _by_path(
    trial: Trial, name: str, which: int, tail: Callable[[float], float]
) -> CalibrationTest:
    """Test by the excess of events, added up: its reach from 0, or its range."""
    total = float(trial.sample.weight.sum())
    # The standard deviation of the end of the path if the forecasts are calibrated.
    scale = math.sqrt(float(trial.sample.variance.sum())) / total

    def measured(excess: Column) -> float:
        result = path_of(excess, total)[which]
        return result / scale if scale else math.inf if result else 0.0

    sampler, drawn = trial.null.sampler, np.empty(0)
    outcomes = sampler.outcomes(sampler.value, sys.maxsize, fast_stream(as_generator(trial.rng)))
    drawn_from = measured(ForecastSample.of(trial.null.tally).excess)

    def compare(replicates: int) -> float:
        nonlocal drawn
        more = islice(outcomes, replicates - len(drawn))
        drawn = np.append(drawn, [measured(x.events - x.weight * sampler.value) for x in more])
        return p_value(drawn_from, drawn, 1 + drawn_from)

    observed = measured(trial.sample.excess)
    # What is known of many cases is known of independent ones.
    parts = {"asymptotic": tail(observed)} if trial.dependence is None else {}
    return trial.by_draws(name, observed, compare, parts=parts)


def by_spiegelhalter(trial: Trial) -> CalibrationTest:
    """Test one contrast, which is that of the Brier score with its expectation."""
    from scipy.special import ndtr

    z = spiegelhalter(trial.sample)
    return CalibrationTest("spiegelhalter", z, 2 * float(ndtr(-abs(z))), "normal")


def by_groups(trial: Trial) -> CalibrationTest:
    """Test the counts of groups of forecasts."""
    from scipy.special import chdtrc

    if trial.tally.event_squares is not None:
        message = "the test of Hosmer and Lemeshow counts cases; these have weights"
        hint = "statistic='score' allows for weights; for numbers of like cases pass count=."
        raise DataError(message, hint=hint)
    statistic, groups = hosmer_lemeshow(trial.sample, trial.groups)
    degrees = groups - 2 if trial.training else groups
    if degrees < 1:
        message = "the test of Hosmer and Lemeshow on training data needs 3 groups of different "
        message += f"forecasts or more; got {groups}"
        raise DataError(message)
    p = float(chdtrc(degrees, statistic))
    return CalibrationTest("hosmer-lemeshow", statistic, p, "chi-squared", float(degrees))


def _by_cox(trial: Trial, name: str, *, joint: bool) -> CalibrationTest:
    """Fit a line; where none fits best since the data separate, the score test needs no fit."""
    method, used = "chi-squared" if trial.counts else "F", trial.sample.is_uncertain
    if trial.sample.is_refuted:
        # Its likelihood is 0, and that of every line next to it is not.
        return CalibrationTest(name, math.inf, 0.0, method, certain=trial.certain)
    if not used.any():
        return CalibrationTest(name, math.nan, math.nan, method, certain=trial.certain)
    line = line_test(Subject.of(trial.tally if trial.counts else trial.source), joint=joint)
    if line is None:
        return by_score(trial)
    parts = {} if math.isnan(line.slope) else {"citl": line.in_the_large, "slope": line.slope}
    tested = line.statistic, line.p_value, method, line.degrees, parts
    return CalibrationTest(name, *tested, certain=trial.certain)


TRIALS: dict[str, Callable[[Trial], CalibrationTest]] = {
    "combined": by_both,
    "mcb": by_miscalibration,
    "score": by_score,
    "spiegelhalter": by_spiegelhalter,
    "cox": partial(_by_cox, name="cox", joint=True),
    "citl": partial(_by_cox, name="citl", joint=False),
    "ks": partial(_by_path, name="ks", which=0, tail=reach_tail),
    "kuiper": partial(_by_path, name="kuiper", which=1, tail=range_tail),
    "hosmer-lemeshow": by_groups,
}
