"""Numbers by which forecasts of grades and of deaths are judged, as means over cases."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from properly.counts._isotonic import recalibrate
from properly.counts._reductions import upper_tails
from properly.counts._tally import Tally
from properly.decisions._confusion import quadratic_weighted_kappa
from properly.decisions._hard import decide, hard_costs
from properly.reproduce._selection_judged import Measure
from properly.rules import Bounded, MissedBenefit

if TYPE_CHECKING:
    from properly.rules import BinaryRule, ClassRule
    from properly.rules._costs import NamedCost
    from properly.typing import Column


def score(rule: BinaryRule | ClassRule) -> Measure:
    """Measure the mean of a rule."""
    return Measure(rule.loss, rule)


def decision_cost(way: NamedCost, classes: int) -> Measure:
    """Measure the squared distance of decisions: the likeliest class, or that of least cost."""

    def cases(y: Column, p: Column) -> Column:
        return hard_costs(y, decide(p, way), "quadratic", classes=classes)

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
