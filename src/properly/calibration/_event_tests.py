"""Tests of calibration for one event, one by one: from cases to a p-value.

Exact ones keep the forecasts and draw outcomes as they say. A certain forecast that was wrong
refutes calibration outright. No draw contradicts one, so that is beyond all of them. Cox's tests
ask whether the fitted recalibration line is the diagonal.
"""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from itertools import islice
from typing import TYPE_CHECKING

import numpy as np

from properly._boundary._options import as_generator
from properly._boundary._text import amount_of, many
from properly._boundary._tolerances import SAME_SUM
from properly.calibration._components import (
    Decision,
    NullDraws,
    decide,
    least_of,
    miscalibration_of,
    p_value,
)
from properly.calibration._line import Subject, line_test, score_over_time
from properly.calibration._statistics import (
    CalibrationTest,
    Combined,
    ForecastSample,
    clustered_score,
    combine,
    hosmer_lemeshow,
    path_of,
    path_scale,
    range_tail,
    reach_tail,
    score_axes,
    score_statistic,
    share_reaching,
    slack_of,
    spiegelhalter,
)
from properly.counts._cases import (
    has_clusters,
    has_time,
    is_dependent,
    number_clusters,
    rows_in_use,
)
from properly.counts._tally import Tally, as_tally
from properly.errors import DataError
from properly.inference._dependence import measure
from properly.inference._design import Design
from properly.inference._draws import fast_stream

if TYPE_CHECKING:
    from collections.abc import Callable

    from properly.counts._cases import Cases
    from properly.inference._dependence import Dependence
    from properly.rules import BinaryRule
    from properly.typing import Column


# A p-value at which calibration is commonly refused.
SMALL = 0.05


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
    tally: Tally = field(init=False)
    sample: ForecastSample = field(init=False)

    def __post_init__(self) -> None:
        """Count the cases, once."""
        object.__setattr__(self, "tally", as_tally(self.source))
        object.__setattr__(self, "sample", ForecastSample.of(self.tally))

    @cached_property
    def null(self) -> NullDraws:
        """Outcomes as the forecasts say, drawn by others before or here."""
        return self.given or NullDraws(self.source, [self.rule], as_generator(self.rng))

    @property
    def counts(self) -> bool:
        """Whether cases are independent and counted, rather than weighed."""
        return self.tally.event_squares is None and not is_dependent(self.source)

    @cached_property
    def miscalibration(self) -> float:
        """That of all forecasts, at least 0 whatever the rounding."""
        exact = self.null.exact.get(self.rule)
        return max(miscalibration_of(self.tally, self.rule)[1] if exact is None else exact, 0.0)

    @cached_property
    def dependence(self) -> Dependence | None:
        """How much cases depend on one another in time, if they have times."""
        return measure(self.source) if has_time(self.source) else None

    @property
    def drawn(self) -> str:
        """How outcomes are drawn."""
        return "Monte Carlo" if self.dependence is None else self.dependence.draws

    def decide(self, compare: Callable[[int], float]) -> Decision:
        """Compare with draws, all of which a refuted forecast is beyond."""
        return decide(least_of if self.sample.is_refuted else compare, self.replicates)

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
            total = self.tally.total
            if self.tally.event_squares is None:
                return many(total, "independent case")
            return f"cases of {amount_of(float(total))}"
        return Design.of(self.source).text


def by_miscalibration(trial: Trial) -> CalibrationTest:
    """Compare the miscalibration with that of drawn outcomes."""
    score, drawn_from = trial.null.observed(trial.rule)

    def compare(replicates: int) -> float:
        return p_value(drawn_from, trial.null.miscalibration(trial.rule, replicates), score)

    p, replicates, is_bound = trial.decide(compare)
    return CalibrationTest(
        "mcb",
        trial.miscalibration,
        p,
        trial.drawn,
        miscalibration=trial.miscalibration,
        mean_if_calibrated=trial.null.mean(trial.rule, replicates),
        replicates=replicates,
        p_is_bound=is_bound,
    )


def by_both(trial: Trial) -> CalibrationTest:
    """Compare the miscalibration and the score statistic with those of the same drawn outcomes."""
    null, sample = trial.null, ForecastSample.of(trial.null.tally)
    score, first = null.observed(trial.rule)
    second = score_statistic(score_axes(sample), sample.excess)

    def compared(replicates: int) -> Combined:
        if trial.sample.is_refuted:
            return Combined(*(least_of(replicates),) * 3)
        drawn = np.append(first, null.miscalibration(trial.rule, replicates))
        others = np.append(second, null.score(replicates))
        return combine(drawn, others, (SAME_SUM * score, slack_of(others)))

    # The smaller of the two is at its floor before both together can be.
    least, replicates, is_bound = trial.decide(lambda draws: min(compared(draws)[1:]))
    p, *alone = compared(replicates)
    return CalibrationTest(
        "combined",
        least,
        p,
        trial.drawn,
        parts=dict(zip(("mcb", "score"), alone, strict=True)),
        miscalibration=trial.miscalibration,
        mean_if_calibrated=null.mean(trial.rule, replicates),
        replicates=replicates,
        certain=trial.certain,
        p_is_bound=is_bound,
    )


def by_score(trial: Trial) -> CalibrationTest:
    """Test the logistic recalibration without fitting it: by draws, or by sums over a design."""
    from scipy.special import chdtrc

    if has_time(trial.source):
        return _by_times(trial, trial.source)
    if has_clusters(trial.source):
        return _by_clusters(trial, trial.source)
    statistic = partial(_score_of, trial)
    observed, degrees = statistic(trial.sample), len(score_axes(trial.sample))
    # What is always 0 is never more.
    approximate = float(chdtrc(degrees, observed) if degrees else observed == 0)
    drawn_from = statistic(ForecastSample.of(trial.null.tally))

    def draw(replicates: int) -> Column:
        trial.null.miscalibration(trial.rule, replicates)
        return trial.null.score(replicates)

    result = _by_draws(trial, "score", (observed, drawn_from), approximate, draw)
    return replace(result, degrees=float(degrees), certain=trial.certain)


def _score_of(trial: Trial, sample: ForecastSample) -> float:
    return (
        math.inf if trial.sample.is_refuted else score_statistic(score_axes(sample), sample.excess)
    )


def _by_clusters(trial: Trial, cases: Cases) -> CalibrationTest:
    y, p, weight, used = rows_in_use(cases)
    cluster = number_clusters(cases, used)
    result = clustered_score(p.astype(np.float64), y, weight, cluster)
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
    scale, total = path_scale(trial.sample), float(trial.sample.weight.sum())

    def measure(excess: Column) -> float:
        result = path_of(excess, total)[which]
        return result / scale if scale else math.inf if result else 0.0

    sampler, drawn = trial.null.sampler, np.empty(0)
    outcomes = sampler.outcomes(sampler.value, sys.maxsize, fast_stream(as_generator(trial.rng)))

    def draw(replicates: int) -> Column:
        nonlocal drawn
        more = islice(outcomes, replicates - len(drawn))
        drawn = np.append(drawn, [measure(x.events - x.weight * sampler.value) for x in more])
        return drawn

    observed, drawn_from = (
        measure(x.excess) for x in (trial.sample, ForecastSample.of(trial.null.tally))
    )
    return _by_draws(trial, name, (observed, drawn_from), tail(observed), draw)


def _by_draws(
    trial: Trial,
    name: str,
    observed: tuple[float, float],
    approximate: float,
    draw: Callable[[int], Column],
) -> CalibrationTest:
    """Compare a statistic of all forecasts, and the same of what is drawn, with draws."""
    statistic, drawn_from = observed
    p, replicates, is_bound = trial.decide(lambda draws: share_reaching(drawn_from, draw(draws)))
    return CalibrationTest(
        name,
        statistic,
        p,
        trial.drawn,
        # What is known of many cases is known of independent ones.
        parts={"asymptotic": approximate} if trial.dependence is None else {},
        replicates=replicates,
        p_is_bound=is_bound,
    )


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
        message = (
            "the test of Hosmer and Lemeshow on training data needs 3 groups of different "
            f"forecasts or more; got {groups}"
        )
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
    if isinstance(trial.source, Tally) and not trial.counts:
        message = "a line is fitted to weighted cases one by one; a tally has only their sums"
        hint = (
            "pass properly.Cases(y, p, weight=w); for numbers of like cases, a tally with count=."
        )
        raise DataError(message, hint=hint)
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
