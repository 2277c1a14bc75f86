"""Null distribution and bias of miscalibration and discrimination, by simulation.

Both components compare with the best of all increasing curves, and the best fits some of the
noise. So they are too large by an amount that shrinks more slowly than their standard error, and
drawing cases again only fits the noise twice. How large the excess is can be seen in simulated
outcomes, whose true curve is known.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from properly._boundary._libraries import to_numpy
from properly.counts._isotonic import refit
from properly.inference._draws import fast_stream

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from properly.counts._isotonic import Recalibration
    from properly.counts._tally import Tally
    from properly.inference._draws import Draw, Sampler
    from properly.rules import BinaryRule
    from properly.typing import Column


ROUNDING = 1e-12
FOR_BIAS = 200


@dataclass(frozen=True, eq=False)
class Prices:
    """What a rule charges at each distinct forecast, and for each event rate."""

    rule: BinaryRule
    if_event: Column
    if_none: Column

    @classmethod
    def at(cls, value: Column, rule: BinaryRule) -> Prices:
        """Look the prices up once, for all draws."""
        with np.errstate(divide="ignore"):
            return cls(rule, rule.loss_if_event(value), rule.loss_if_none(value))

    def mean(self, weight: Column, events: Column) -> float:
        """Return the mean loss, to which a price that nobody paid adds nothing."""
        none, total = weight - events, 0.0
        for price, paid in ((self.if_event, events), (self.if_none, none)):
            endless = np.isinf(price)
            if endless.any():
                if paid[endless].any():
                    return math.inf
                price, paid = price[~endless], paid[~endless]  # noqa: PLW2901
            total += float(price @ paid.astype(np.float64))
        return total / float(weight.sum())

    def entropy(self, rate: Column) -> Column:
        """Return the expected loss of forecasts that are the event rates themselves."""
        result: Column = self.rule.entropy(rate)
        return result


class Parts(NamedTuple):
    """Miscalibration and discrimination."""

    miscalibration: float
    discrimination: float


def components(draws: Iterable[Draw], prices: Prices) -> Column:
    """Return the miscalibration and the discrimination of each draw, one column each."""
    return components_by_rule(draws, [prices])[0]


def components_by_rule(draws: Iterable[Draw], by_rule: Sequence[Prices]) -> list[Column]:
    """Do so for several rules; a draw is recalibrated once, which is best for all of them."""
    scores: list[list[float]] = [[] for _ in by_rule]
    rates, shares, overall = [], [], []
    for weight, events in draws:
        fit = refit(weight, events)
        total = fit.weight.sum()
        for score, prices in zip(scores, by_rule, strict=True):
            score.append(prices.mean(weight, events))
        rates.append(fit.event_rate)
        shares.append(fit.weight / total)
        overall.append(fit.events.sum() / total)
    start = np.cumsum([0, *(len(rate) for rate in rates[:-1])])
    rate, share, constant = np.concatenate(rates), np.concatenate(shares), np.array(overall)
    result = []
    for score, prices in zip(scores, by_rule, strict=True):
        # All bins of all draws in one go: there are few in each, and a call has its price.
        best = np.add.reduceat(prices.entropy(rate) * share, start)
        parts = np.stack([np.array(score), prices.entropy(constant)]) - best
        # What rounding leaves of a difference that is 0 is 0.
        result.append(np.where(np.abs(parts) <= ROUNDING * best, 0.0, parts))
    return result


def true_components(weight: Column, truth: Column, prices: Prices) -> Parts:
    """Return the two components where the true event rates are known."""
    share = weight / weight.sum()
    best = float(prices.entropy(truth) @ share)
    # Shares need not add up to 1 but for rounding, and a rate may be no more than that.
    constant = float(prices.entropy(np.array([min(share @ truth, 1.0)]))[0])
    return Parts(prices.mean(weight, weight * truth) - best, constant - best)


def if_calibrated(
    sampler: Sampler, by_rule: Sequence[Prices], replicates: int, rng: np.random.Generator
) -> list[Column]:
    """Draw the miscalibration of forecasts whose outcomes come as they say, by several rules."""
    draws = sampler.outcomes(sampler.value, replicates, fast_stream(rng))
    return [parts[0] for parts in components_by_rule(draws, by_rule)]


def p_value(observed: float, drawn: Column, score: float) -> float:
    """Return the share of draws that reach what was observed, itself among them.

    A little slack, on the scale of the score it was subtracted from, lets draws that equal it but
    for rounding count as reaching it.
    """
    least = observed if math.isinf(observed) else observed - ROUNDING * score
    return (1 + int((drawn >= least).sum())) / (1 + len(drawn))


def increasing_fit(tally: Tally, fit: Recalibration, prices: Prices) -> Column:
    """Make of the recalibration a smoother curve, which rises from bin to bin and has no steps.

    Half an event and half a non-event are added to each bin, and the curve runs straight between
    the mean forecasts of the bins, constant beyond. Where a forecast is certain, was never wrong,
    and would cost infinity if it were, it is taken at its word.
    """
    value = to_numpy(tally.value).astype(np.float64)
    weight = to_numpy(tally.weight).astype(np.float64)
    start = np.append(0, fit.end[:-1])
    cases = fit.weight.astype(np.float64)
    if tally.event_squares is not None and tally.nonevent_squares is not None:
        squares = to_numpy(tally.event_squares) + to_numpy(tally.nonevent_squares)
        cases = cases**2 / np.add.reduceat(squares, start)
    rate = np.maximum.accumulate((fit.event_rate * cases + 0.5) / (cases + 1))
    mean = np.add.reduceat(weight * value, start) / np.add.reduceat(weight, start)
    curve = np.interp(value, mean, rate)
    recalibrated = fit.spread(fit.event_rate)
    sure = (np.isinf(prices.if_event) & (recalibrated == 0)) | (
        np.isinf(prices.if_none) & (recalibrated == 1)
    )
    return np.where(sure, recalibrated, curve)


@dataclass(frozen=True, eq=False)
class Correction:
    """How much too large the components are, and how they scatter.

    Attributes
    ----------
    least, greatest : numpy array
        The smaller and the larger bias found for each component, by the two fitted truths.
    mean : numpy array
        The mean of the two.
    deviation : numpy array
        The standard deviation of the draws from the smoother of the two curves.
    """

    least: Column
    greatest: Column
    mean: Column
    deviation: Column


def enough_for_bias(replicates: int) -> int:
    """Return how many draws tell a bias well enough; a test needs more of them."""
    return min(replicates, max(FOR_BIAS, replicates // 5))


def find_bias(
    sampler: Sampler,
    weight: Column,
    recalibrated: Column,
    by_rule: Sequence[tuple[Prices, Column]],
    *,
    replicates: int,
    rng: np.random.Generator,
) -> list[Correction]:
    """Draw cases and outcomes from two fitted curves, and compare with what is true there.

    One curve is the recalibration itself, which leaves too little bias; the other a
    smoother version of it, which leaves too much where the truth has steps, and goes with the
    prices of each rule. Clusters are drawn as a whole, with outcomes that depend on one another as
    much as the recalibration leaves unexplained: where they share forecasts, it fits what they have
    in common as well.
    """

    def drawn(truth: Column, some: Iterable[int]) -> list[Column]:
        draws = sampler.draws(truth, replicates, fast_stream(rng), recalibrated)
        return components_by_rule(draws, [by_rule[k][0] for k in some])

    rough = drawn(recalibrated, range(len(by_rule)))
    # Rules mostly share the smoother curve too, and what is drawn from it.
    curves: list[tuple[Column, list[int]]] = []
    for k, (_, truth) in enumerate(by_rule):
        for curve, rules in curves:
            if np.array_equal(curve, truth):
                rules.append(k)
                break
        else:
            curves.append((truth, [k]))
    result = {
        k: x for truth, rules in curves for k, x in zip(rules, drawn(truth, rules), strict=True)
    }
    smooth = [result[k] for k in range(len(by_rule))]
    return [
        _correction(weight, prices, (recalibrated, truth), both)
        for (prices, truth), *both in zip(by_rule, rough, smooth, strict=True)
    ]


def _correction(
    weight: Column, prices: Prices, truths: Iterable[Column], drawn: Iterable[Column]
) -> Correction:
    """Say how much larger than the truth the components came out of each curve."""
    biases, deviation = [], np.zeros(2)
    for truth, result in zip(truths, drawn, strict=True):
        # Where a certain forecast was wrong the miscalibration is infinite, here as there.
        with np.errstate(invalid="ignore"):
            biases.append(result.mean(axis=1) - true_components(weight, truth, prices))
            deviation = result.std(axis=1, ddof=1) if result.shape[1] > 1 else np.zeros(2)
    both = np.stack(biases)
    return Correction(both.min(axis=0), both.max(axis=0), both.mean(axis=0), deviation)
