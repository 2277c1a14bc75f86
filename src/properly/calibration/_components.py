"""Null distribution and bias of miscalibration and discrimination, by simulation.

Both components compare with the best of all increasing curves, and the best fits some of the
noise. So they are too large by an amount that shrinks more slowly than their standard error, and
drawing cases again only fits the noise twice. How large the excess is can be seen in simulated
outcomes, whose true curve is known.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import NamedTuple, TypeAlias

import numpy as np

from properly._boundary._libraries import infinities, to_numpy
from properly._boundary._progress import counted
from properly._boundary._tolerances import SAME_SUM
from properly.calibration._statistics import ForecastSample, score_axes
from properly.counts._cases import Cases
from properly.counts._isotonic import Bins, Recalibration, recalibrate, refit_all
from properly.counts._scoring import mean_loss, mean_score
from properly.counts._tally import Tally, as_tally
from properly.inference._cells import Draw, cell_starts, in_cells
from properly.inference._draws import BATCH, Sampler, fast_stream, sampler
from properly.rules import BinaryRule
from properly.typing import Column

Pair: TypeAlias = tuple[float, float]

FOR_BIAS = 200
# If no draw reaches what was observed there are so many, and the p-value is below 0.001.
ENOUGH = 1000
# Draws that tell how much grouping takes from a mean: both sides come from the same outcomes, so
# that their difference hardly varies.
FOR_MEAN = 5
# Of more distinct forecasts than this, draws are counted in cells.
MANY = 1 << 13
# Narrow cells that stand for all forecasts where cases are drawn with replacement, and single
# forecasts at either end.
NARROW = (1 << 14, 1 << 11)


class CellSizes(NamedTuple):
    """How many cells, and single forecasts at either end, stand for more than `most` forecasts.

    The narrow ones stand for twice as many as there are of them. None is what is usual.
    """

    rough: tuple[int, int] | None = None
    most: int | None = None
    narrow: tuple[int, int] | None = None


USUAL = CellSizes()


@dataclass(frozen=True, eq=False)
class ForecastPrices:
    """What a rule charges at each distinct forecast, and for each event rate."""

    rule: BinaryRule
    if_event: Column
    if_none: Column

    @classmethod
    def at(cls, value: Column, rule: BinaryRule) -> ForecastPrices:
        """Look the prices up once, for all draws."""
        with infinities():
            return cls(rule, rule.loss_if_event(value), rule.loss_if_none(value))

    @cached_property
    def sides(self) -> list[tuple[Column, Column]]:
        """The finite prices of events and of non-events, and where the others are."""
        places = [np.flatnonzero(np.isinf(price)) for price in (self.if_event, self.if_none)]
        pairs = zip((self.if_event, self.if_none), places, strict=True)
        return [(np.where(np.isinf(x), 0.0, x) if len(k) else x, k) for x, k in pairs]

    def losses(self, *counts: Column) -> Column:
        """Add up what each row of events and of non-events costs; what nobody paid adds nothing."""
        total = np.zeros(len(counts[0]))
        for count, (price, endless) in zip(counts, self.sides, strict=True):
            # Not a product of matrices, which wakes a thread a core for each draw.
            total += np.einsum("jk,k->j", count, price)
            total[(count[:, endless] > 0).any(axis=1)] = np.inf
        return total

    def mean(self, weight: Column, events: Column) -> float:
        """Return the mean loss of so many cases and events at each forecast."""
        return float(self.losses(events[None], (weight - events)[None])[0]) / float(weight.sum())


def components(draws: Iterable[Draw], prices: ForecastPrices) -> Column:
    """Return the miscalibration and the discrimination of each draw, one column each."""
    return components_by_rule(draws, [prices])[0]


def components_by_rule(
    draws: Iterable[Draw],
    by_rule: Sequence[ForecastPrices],
    watch: Callable[[Draw], object] | None = None,
) -> list[Column]:
    """Do so for several rules; a draw is recalibrated once, which is best for all of them.

    Who watches is shown the draws as they come, some rows at a time.
    """
    parts = []
    for weight, events in _in_batches(draws):
        if watch is not None:
            watch(Draw(weight, events))
        parts.append(_components_of_rows(weight, events, by_rule))
    return [np.concatenate(batches, axis=1) for batches in zip(*parts, strict=True)]


def _components_of_rows(
    weight: Column, events: Column, by_rule: Sequence[ForecastPrices]
) -> list[Column]:
    bins, others = refit_all(weight, events), weight - events
    return [components_of(bins, x.rule, x.losses(events, others)) for x in by_rule]


def _in_batches(draws: Iterable[Draw]) -> Iterator[Draw]:
    """Put draws together, one a row, as many as are worth a call."""
    draws = iter(draws)
    for first in draws:
        more = islice(draws, max(BATCH // len(first.weight) - 1, 0))
        weights, events = zip(first, *more, strict=True)
        # The forecasts themselves may stay as they were.
        same = all(x is first.weight for x in weights)
        weight = first.weight[None] if same else np.concatenate(weights).reshape(len(weights), -1)
        yield Draw(weight, np.concatenate(events).reshape(len(events), -1))


def components_of(bins: Bins, rule: BinaryRule, loss: Column) -> Column:
    """Return the miscalibration and the discrimination of each draw, given its loss."""
    best = np.add.reduceat(rule.entropy(bins.rate) * bins.share, bins.start)
    parts = np.stack([loss / bins.total, rule.entropy(bins.constant)]) - best
    # What rounding leaves of a difference that is 0 is 0.
    return np.where(np.abs(parts) <= SAME_SUM * best, 0.0, parts)


def true_components(weight: Column, truth: Column, prices: ForecastPrices) -> Pair:
    """Return the two components where the true event rates are known."""
    share = weight / weight.sum()
    best = float(prices.rule.entropy(truth) @ share)
    # Shares need not add up to 1 but for rounding, and a rate may be no more than that.
    constant = float(prices.rule.entropy(np.array([min(share @ truth, 1.0)]))[0])
    return prices.mean(weight, weight * truth) - best, constant - best


def miscalibration_of(tally: Tally, rule: BinaryRule) -> Pair:
    """Return the score and the miscalibration, which may be below 0 by rounding."""
    fit, score = recalibrate(tally), mean_score(tally, rule)
    return score, score - mean_loss(fit.event_rate, fit.weight, fit.events, rule)


class NullDraws:
    """Outcomes drawn as the forecasts say, by all rules at once, for all that needs them.

    Of very many forecasts, cells are drawn, and what was observed is counted in the same cells:
    what grouping changes is the same on either side. Only the mean is compared with that of single
    forecasts, and therefore corrected by a few draws of these.

    Attributes
    ----------
    tally : Tally
        What was observed, in cells if these are drawn.
    sampler : Counts or Rows
        What draws.
    """

    def __init__(
        self,
        source: Tally | Cases,
        rules: Sequence[BinaryRule],
        rng: np.random.Generator,
        cells: CellSizes = USUAL,
    ) -> None:
        every = as_tally(source)
        start = _starts(every, *cells[:2])
        self.source, self.rules, self.start = source, list(dict.fromkeys(rules)), start
        self.cells = cells
        self.tally = every if start is None else in_cells(every, start)
        self.sampler = sampler(source, clusters=False, start=start)
        self._prices = [ForecastPrices.at(self.sampler.value, rule) for rule in self.rules]
        self._stream = fast_stream(rng)
        self._single = None if start is None else fast_stream(rng)
        self._miscalibration = [np.empty(0) for _ in self.rules]
        self._score = np.empty(0)
        # The miscalibration of all forecasts, for those who know it already.
        self.exact: dict[BinaryRule, float] = {}

    def observed(self, rule: BinaryRule) -> Pair:
        """Return the score and the miscalibration that draws are compared with."""
        return miscalibration_of(self.tally, rule)

    def miscalibration(self, rule: BinaryRule, replicates: int) -> Column:
        """Return the miscalibration of so many draws; once there are some, more are of one rule."""
        which = self.rules.index(rule)
        self._draw(replicates, which)
        return self._miscalibration[which][:replicates]

    def score(self, replicates: int) -> Column:
        """Return the score statistic of the draws, of which there are so many."""
        return self._score[:replicates]

    def mean(self, rule: BinaryRule, replicates: int) -> float:
        """Return the mean miscalibration of single forecasts."""
        drawn = self.miscalibration(rule, replicates)
        return float(drawn.mean()) + self.finer[self.rules.index(rule)]

    def _draw(self, replicates: int, which: int) -> None:
        """Draw what is missing."""
        missing = replicates - len(self._score)
        if missing <= 0:
            return
        some = [which] if len(self._score) else range(len(self.rules))
        value, axes = self.sampler.value, score_axes(ForecastSample.of(self.tally))
        score: list[Column] = []

        def watch(draw: Draw) -> None:
            happened, expected = (
                np.einsum("ik,jk->ij", axes, x) for x in (draw.events, draw.weight * value)
            )
            score.append(((happened - expected) ** 2).sum(axis=0))

        draws = counted(self.sampler.outcomes(value, missing, self._stream), missing)
        parts = components_by_rule(draws, [self._prices[k] for k in some], watch)
        for k, (drawn, _) in zip(some, parts, strict=True):
            self._miscalibration[k] = np.append(self._miscalibration[k], drawn)
        self._score = np.concatenate([self._score, *score])

    @cached_property
    def finer(self) -> list[float]:
        """How much more the mean is of single forecasts than of cells, by the same draws."""
        if self.start is None or self._single is None:
            return [0.0] * len(self.rules)
        every = as_tally(self.source)
        # Forecasts of one cell come from many times, and depend little on one another.
        source = every if every.event_squares is None else self.source
        single = sampler(source, clusters=False)
        prices = [ForecastPrices.at(single.value, rule) for rule in self.rules]
        draws = single.outcomes(single.value, FOR_MEAN, self._single)
        return [float(x[0]) for x in _finer(draws, self.start, prices, self._prices)]


def _finer(
    draws: Iterable[Draw],
    start: Column,
    by_rule: Sequence[ForecastPrices],
    rough: Sequence[ForecastPrices],
) -> list[Column]:
    """Return how much larger the mean components are of forecasts than of cells of them.

    Both are of the same few draws.
    """
    coarse = []

    def watch(draw: Draw) -> None:
        weight, events = (np.add.reduceat(x, start, axis=1) for x in draw)
        # Rounding must not lead beyond certainty.
        coarse.append(_components_of_rows(weight, np.minimum(events, weight), rough))

    fine = components_by_rule(draws, by_rule, watch)
    # Where a certain forecast was wrong the miscalibration is infinite on either side.
    with infinities():
        means = (np.concatenate(x, axis=1).mean(axis=1) for x in zip(*coarse, strict=True))
        return [x.mean(axis=1) - mean for x, mean in zip(fine, means, strict=True)]


def p_value(observed: float, drawn: Column, score: float) -> float:
    """Return the share of draws that reach what was observed, itself among them.

    A little slack, on the scale of the score it was subtracted from, lets draws that equal it but
    for rounding count as reaching it.
    """
    least = observed if math.isinf(observed) else observed - SAME_SUM * score
    return (1 + int((drawn >= least).sum())) / (1 + len(drawn))


class Decision(NamedTuple):
    """A p-value, the draws behind it, and whether none of them reached what was observed."""

    p_value: float
    replicates: int
    is_bound: bool


def decide(compare: Callable[[int], float], replicates: int, *, enough: int = ENOUGH) -> Decision:
    """Compare with as many draws as were chosen; if none reaches the data, with more."""
    while True:
        p, least = compare(replicates), least_of(replicates)
        if p > least or replicates >= enough:
            return Decision(p, replicates, p <= least)
        replicates = enough


def least_of(replicates: int) -> float:
    """Return the p-value of what is beyond all draws."""
    return 1 / (1 + replicates)


def increasing_fit(tally: Tally, fit: Recalibration, prices: ForecastPrices) -> Column:
    """Make of the recalibration a smoother curve, which rises from bin to bin and has no steps.

    Half an event and half a non-event are added to each bin, and the curve runs straight between
    the mean forecasts of the bins, constant beyond. Where a forecast is certain, was never wrong,
    and would cost infinity if it were, it is taken at its word.
    """
    sample, start = ForecastSample.of(tally), np.append(0, fit.end[:-1])
    value, bins = sample.value, sample.grouped(start)
    mean, cases = bins.value, bins.effective
    rate = np.maximum.accumulate((fit.event_rate * cases + 0.5) / (cases + 1))
    curve = np.interp(value, mean, rate)
    # Between subnormal forecasts there is no slope, only a step.
    steep = ~np.isfinite(curve)
    curve[steep] = rate[np.searchsorted(mean, value[steep], side="right") - 1]
    recalibrated = fit.spread(fit.event_rate)
    sure = (np.isinf(prices.if_event) & (recalibrated == 0)) | (
        np.isinf(prices.if_none) & (recalibrated == 1)
    )
    return np.where(sure, recalibrated, curve)


class BiasCorrection(NamedTuple):
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


class Worlds(NamedTuple):
    """What is drawn to find a bias: forecasts and, where these are very many, cells of them.

    Attributes
    ----------
    tally : Tally
        The forecasts and what happened.
    sampler : Counts or Rows
        What draws them.
    fine : numpy array or None
        Which of all forecasts these begin with, where they are themselves narrow cells.
    start : numpy array or None
        The first forecast of each cell.
    cells : Counts or Rows or None
        What draws the cells.
    """

    tally: Tally
    sampler: Sampler
    fine: Column | None
    start: Column | None = None
    cells: Sampler | None = None

    @classmethod
    def of(cls, source: Tally | Cases, cells: CellSizes = USUAL) -> Worlds:
        """Group very many forecasts: finely, and these cells roughly."""
        tally = as_tally(source)
        narrow = cells.narrow or NARROW
        fine = _starts(tally, narrow, 2 * narrow[0])
        if fine is not None:
            tally = in_cells(tally, fine)
        start = _starts(tally, cells.rough, cells.most if fine is None else 1)
        if start is None:
            return cls(tally, sampler(source, start=fine), fine)
        rough = start if fine is None else fine[start]
        return cls(tally, sampler(source, start=fine), fine, start, sampler(source, start=rough))

    def draws(
        self,
        truth: Column,
        recalibrated: Column,
        by_rule: Sequence[ForecastPrices],
        replicates: int,
        rng: np.random.Generator,
    ) -> list[Column]:
        """Draw cases, and outcomes from a curve; return the components by each rule.

        Cells make most of the draws. Few draws of the forecasts themselves, counted in cells as
        well, say how far apart the means of both are.
        """
        if self.cells is None or self.start is None:
            draws = self.sampler.draws(truth, replicates, rng, recalibrated)
            return components_by_rule(counted(draws, replicates), by_rule)
        rough = [ForecastPrices.at(self.cells.value, prices.rule) for prices in by_rule]
        curve, fitted = (self._mean(x, self.start) for x in (truth, recalibrated))
        draws = self.cells.draws(curve, replicates, rng, fitted)
        many = components_by_rule(counted(draws, replicates), rough)
        few = self.sampler.draws(truth, FOR_MEAN, rng, recalibrated)
        shifts = _finer(few, self.start, by_rule, rough)
        with infinities():
            return [x + shift[:, None] for x, shift in zip(many, shifts, strict=True)]

    def _mean(self, curve: Column, start: Column) -> Column:
        """Average a curve over each cell."""
        weight = to_numpy(self.tally.weight)
        total, share = (np.add.reduceat(x, start) for x in (weight, weight * curve))
        # Rounding must not lead beyond certainty.
        return np.asarray(share / total).clip(0.0, 1.0)


def _starts(
    tally: Tally, sizes: tuple[int, int] | None = None, most: int | None = None
) -> Column | None:
    return cell_starts(to_numpy(tally.value), to_numpy(tally.weight), sizes, most or MANY)


def find_bias(
    worlds: Worlds,
    recalibrated: Column,
    by_rule: Sequence[tuple[ForecastPrices, Column]],
    *,
    replicates: int,
    rng: np.random.Generator,
) -> list[BiasCorrection]:
    """Draw cases and outcomes from two fitted curves, and compare with what is true there.

    One curve is the recalibration itself, which leaves too little bias; the other a
    smoother version of it, which leaves too much where the truth has steps, and goes with the
    prices of each rule. Clusters are drawn as a whole, with outcomes that depend on one another as
    much as the recalibration leaves unexplained: where they share forecasts, it fits what they have
    in common as well. Series stay in order, with outcomes that depend on their neighbours.
    """

    def drawn(truth: Column, some: Iterable[int]) -> list[Column]:
        prices = [by_rule[k][0] for k in some]
        return worlds.draws(truth, recalibrated, prices, replicates, fast_stream(rng))

    # Rules mostly share the smoother curve too, and what is drawn from it.
    curves: dict[bytes, list[int]] = {}
    for k, (_, truth) in enumerate(by_rule):
        curves.setdefault(truth.tobytes(), []).append(k)
    rough = drawn(recalibrated, range(len(by_rule)))
    smooth: dict[int, Column] = {}
    for some in curves.values():
        smooth |= zip(some, drawn(by_rule[some[0]][1], some), strict=True)
    weight, result = to_numpy(worlds.tally.weight), []
    for k, (prices, truth) in enumerate(by_rule):
        # Where a certain forecast was wrong the miscalibration is infinite, here as there.
        with infinities():
            pairs = (recalibrated, rough[k]), (truth, smooth[k])
            biases = np.stack(
                [x.mean(axis=1) - true_components(weight, curve, prices) for curve, x in pairs]
            )
            deviation = smooth[k].std(axis=1, ddof=1) if replicates > 1 else np.zeros(2)
        ends = biases.min(axis=0), biases.max(axis=0)
        result.append(BiasCorrection(*ends, biases.mean(axis=0), deviation))
    return result
