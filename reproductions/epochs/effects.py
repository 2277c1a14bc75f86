"""The effect of a training loss on the numbers by which test forecasts are judged, seed by seed."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

from properly.comparison import compare
from properly.counts import Tally
from properly.counts._cases import numbered
from properly.counts._isotonic import recalibrate
from properly.counts._reductions import upper_tails
from properly.decisions import decide, quadratic_weighted_kappa
from properly.decisions._hard_decisions import priced
from properly.inference._design import correction_of
from properly.rules import Bounded, MissedBenefit

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from properly.rules import BinaryRule, ClassRule, Rule
    from properly.rules._penalty import NamedCost
    from properly.typing import Column


# Forecasts of all seeds, the first axis.
Seeds: TypeAlias = np.ndarray[Any, Any]

# What every other loss is compared with.
USUAL = "log"
# Below this p-value a difference counts as clear.
SURE = 0.05
# As good as infinitely many degrees of freedom.
MANY = 1e9


class Measure(NamedTuple):
    """A number by which forecasts are judged.

    Attributes
    ----------
    cases : callable
        From outcomes and forecasts, what each case adds: the mean of these is the number.
    rule : Rule or None
        The rule whose mean it is, up to a constant and the sign; None of what is no mean.
    larger : bool
        Whether larger is better.
    """

    cases: Callable[[Column, Column], Column]
    rule: Rule | None = None
    larger: bool = False


class Truth(NamedTuple):
    """What happened, and which cases belong together."""

    y: Column
    clusters: Column


@dataclass(frozen=True)
class Effect:
    """What a loss does to one number, compared with the log score, on the test cases.

    Attributes
    ----------
    model, loss, by, measure : str
        What was trained with which loss, by what the epoch was chosen, and the number.
    value, spread : float
        Mean and standard deviation over seeds.
    difference : float
        By how much the value is more than with the log score.
    error : float
        Its standard error for other cases, with these models; cases in one cluster may be alike.
    seeds : float
        Standard deviation over seeds of the difference; each seed is shared by all losses.
    better, runs : int
        Seeds in which it is better than with the log score, of how many.
    pooled, pooled_difference, pooled_error, p_value : float
        The same of the mean forecast of all seeds, and the p-value of no difference.
    """

    model: str
    loss: str
    by: str
    measure: str
    value: float
    spread: float
    difference: float
    error: float
    seeds: float
    better: int
    runs: int
    pooled: float
    pooled_difference: float
    pooled_error: float
    p_value: float

    @property
    def combined(self) -> float:
        """Standard error of the difference for other cases and other seeds."""
        return math.hypot(self.error, self._of_seeds)

    @property
    def chance(self) -> float:
        """P-value of no difference, for other cases and other seeds; the latter may be few."""
        if self.combined == 0:
            return math.nan
        share = (self._of_seeds / self.combined) ** 2
        degrees = min((self.runs - 1) / share**2, MANY) if share > 0 else MANY
        return two_sided(self.difference / self.combined, degrees)

    @property
    def _of_seeds(self) -> float:
        return 0.0 if math.isnan(self.seeds) else self.seeds / math.sqrt(self.runs)


def judged(
    model: str,
    by: str,
    forecasts: Mapping[str, Seeds],
    truth: Truth,
    measures: Mapping[str, Measure],
) -> list[Effect]:
    """Judge the forecasts of each loss by each number, beside those of the log score."""
    found = []
    for name, measure in measures.items():
        usual = by_seed(forecasts[USUAL], truth, measure)
        for loss, p in forecasts.items():
            cases = by_seed(p, truth, measure)
            values, gaps = cases.mean(axis=1), (cases - usual).mean(axis=1)
            one, other = p.mean(axis=0), forecasts[USUAL].mean(axis=0)
            better = gaps > 0 if measure.larger else gaps < 0
            found.append(
                Effect(
                    *(model, loss, by, name),
                    float(values.mean()),
                    spread_of(values),
                    float(gaps.mean()),
                    clustered_error((cases - usual).mean(axis=0), truth.clusters),
                    spread_of(gaps),
                    int(better.sum()),
                    len(gaps),
                    float(measure.cases(truth.y, one).mean()),
                    *paired(one, other, truth, measure),
                )
            )
    return found


def by_seed(p: Seeds, truth: Truth, measure: Measure) -> Column:
    """Return what each case adds, one row a seed."""
    return np.stack([measure.cases(truth.y, forecast) for forecast in p])


def spread_of(values: Column) -> float:
    """Return the standard deviation over seeds, which one seed has not."""
    return float(np.std(values, ddof=1)) if len(values) > 1 else math.nan


def paired(one: Column, other: Column, truth: Truth, measure: Measure) -> tuple[float, ...]:
    """Return the difference of two forecasts, its standard error, and the p-value of none."""
    if np.array_equal(one, other):
        return 0.0, 0.0, math.nan
    if measure.rule is not None:
        pair = compare(
            truth.y,
            {"one": one, "other": other},
            rule=measure.rule,
            clusters=truth.clusters,
            rng=0,
        )["one", "other"]
        sign = -1.0 if measure.larger else 1.0
        return sign * pair.difference, pair.standard_error, pair.p_value
    gaps = measure.cases(truth.y, one) - measure.cases(truth.y, other)
    error = clustered_error(gaps, truth.clusters)
    if error == 0:
        # Forecasts may differ and lead to the same decisions.
        return float(gaps.mean()), 0.0, math.nan
    degrees = correction_of(np.bincount(numbered(truth.clusters)[0])).degrees
    return float(gaps.mean()), error, two_sided(float(gaps.mean()) / error, degrees)


def clustered_error(x: Column, clusters: Column) -> float:
    """Return the standard error of a mean of cases in clusters, as the library corrects it."""
    number = numbered(clusters)[0]
    factor = correction_of(np.bincount(number)).factor
    totals = np.bincount(number, x - x.mean())
    return float(np.sqrt(np.sum(factor * totals**2)) / len(x))


def two_sided(t: float, degrees: float) -> float:
    """Return the p-value of Student's t."""
    from scipy.special import stdtr

    return float(2 * stdtr(degrees, -abs(t)))


def told_p(p_value: float) -> str:
    """Write a p-value; a dash if there is nothing to test."""
    return "-" if math.isnan(p_value) else f"{p_value:.3f}"


def counted(effects: list[Effect], measures: Mapping[str, Measure]) -> str:
    """Say how many differences are clear, and which way."""
    clear = [e for e in effects if e.chance < SURE]
    better = [e for e in clear if (e.difference > 0) == measures[e.measure].larger]
    names = dict.fromkeys(f"{e.measure}, {e.model}, {e.loss}" for e in better)
    which = f" ({'; '.join(names)})" * bool(names)
    return (
        f"Of {len(effects)} differences from the log score, {len(better)} are for the better{which}"
        f" and {len(clear) - len(better)} for the worse with p < {SURE:g}, of accidents and seeds "
        f"together; by chance alone there would be {SURE * len(effects):.1f}."
    )


def score(rule: BinaryRule | ClassRule) -> Measure:
    """Measure the mean of a rule."""
    return Measure(rule.loss, rule)


def decision_cost(way: NamedCost, classes: int) -> Measure:
    """Measure the squared distance of decisions: the likeliest class, or that of least cost."""

    def cases(y: Column, p: Column) -> Column:
        return priced(y, decide(p, way), "quadratic", classes).paid()

    return Measure(cases)


def agreement(way: NamedCost, classes: int) -> Measure:
    """Measure quadratic weighted kappa of these decisions."""

    def cases(y: Column, p: Column) -> Column:
        return kappa_cases(y, np.asarray(decide(p, way)), classes)

    return Measure(cases, larger=True)


def kappa_cases(y: Column, d: Column, classes: int) -> Column:
    """Return kappa plus the influence of each case on it.

    Kappa is no mean, but these numbers have it as their mean, and their variance is the one that
    kappa has in large samples.
    """
    kappa = quadratic_weighted_kappa(y, d, classes)
    truth, decided = y.astype(np.float64), d.astype(np.float64)
    mean, other = truth.mean(), decided.mean()
    paid = (truth - decided) ** 2
    # What is to be expected of a truth and a decision that are drawn apart, case by case.
    apart = truth**2 + decided**2 - 2 * (other * truth + mean * decided) + 2 * mean * other
    chance = apart.mean()
    gained = (1 - kappa) * (apart - chance) - (paid - paid.mean())
    found: Column = kappa + gained / chance
    return found


def miscalibration() -> Measure:
    """Measure the part of RPS that recalibrating each cut would save."""
    return Measure(miscalibration_cases)


def miscalibration_cases(y: Column, p: Column) -> Column:
    """Return what each case would save, averaged over the cuts between classes.

    The recalibration is fitted to the same cases and has the least mean loss, so that to the first
    order its own chance plays no part in the variance.
    """
    saved = np.zeros(len(y))
    tails = upper_tails(p)
    for k, forecast in enumerate(tails):
        above = y > k
        tally = Tally.from_arrays(above, forecast)
        bins = recalibrate(tally)
        rate = np.repeat(bins.event_rate, np.diff(bins.end, prepend=0))
        recalibrated = rate[np.searchsorted(tally.value, forecast)]
        saved += (forecast - above) ** 2 - (recalibrated - above) ** 2
    return saved / len(tails)


def mean_benefit(within: tuple[float, float]) -> Measure:
    """Measure the mean net benefit over a range of thresholds."""
    missed = Bounded(MissedBenefit(), within)

    def cases(y: Column, p: Column) -> Column:
        return np.subtract(y, missed.loss(y, p))

    return Measure(cases, missed, larger=True)
