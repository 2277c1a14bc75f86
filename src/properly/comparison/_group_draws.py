"""Random draws for many groups at once, which cost what those of one data set do.

The forecasts of all groups stand one after the other. A draw is one of all of them, and is
recalibrated in one go: adding 2 to the event rates from one group to the next keeps groups apart.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from properly._boundary._infinities import infinities
from properly._boundary._libraries import to_numpy
from properly._boundary._tolerances import SAME_SUM
from properly.calibration._components import (
    ENOUGH,
    ForecastPrices,
    components_of,
    enough_for_bias,
    increasing_fit,
    least_of,
    miscalibration_of,
    p_value,
    true_components,
)
from properly.calibration._statistics import (
    ForecastSample,
    combine,
    score_axes,
    score_statistic,
    slack_of,
)
from properly.counts._cases import Cases
from properly.counts._isotonic import Bins, recalibrate
from properly.counts._tally import as_tally
from properly.inference._draws import (
    Counts,
    Draw,
    DrawnRows,
    cell_starts,
    fast_stream,
    in_cells,
    sampler,
)
from properly.inference._variance import has_design, spread_of_means
from properly.rules import Brier

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from properly._boundary._options import Drawing
    from properly.counts._tally import Tally
    from properly.inference._draws import Sampler
    from properly.rules import BinaryRule
    from properly.typing import Column


# Draws whose bins are priced together: few numbers for each, and a call has its price.
BATCH = 32

SLACK = 1 + 1e-12


class DrawnGroup(NamedTuple):
    """A group, what is counted of it, and what draws its outcomes."""

    source: Tally | Cases
    tally: Tally
    draws: Sampler

    @classmethod
    def of(cls, source: Tally | Cases) -> DrawnGroup:
        """Count a group."""
        return cls(source, as_tally(source), sampler(source, clusters=False))

    def in_cells(self) -> DrawnGroup:
        """Put very many forecasts of independent cases that are counted into cells."""
        designed = isinstance(self.source, Cases) and has_design(self.source)
        if designed or self.tally.event_squares is not None:
            return self
        value, weight = (
            to_numpy(x).astype(np.float64) for x in (self.tally.value, self.tally.weight)
        )
        start = cell_starts(value, weight)
        return self if start is None else DrawnGroup.of(in_cells(self.tally, start))


@dataclass(frozen=True, eq=False)
class Stack:
    """Groups of which all are counted, or all are drawn case by case."""

    parts: Sequence[DrawnGroup]

    @cached_property
    def start(self) -> Column:
        """The first forecast of each group."""
        return np.cumsum([0, *(len(part.tally) for part in self.parts[:-1])])

    @cached_property
    def group(self) -> Column:
        """The group of each forecast."""
        return np.repeat(np.arange(len(self.parts)), [len(part.tally) for part in self.parts])

    @cached_property
    def draws(self) -> Sampler:
        """What draws the outcomes of all groups, or cases of all of them."""
        each = [part.draws for part in self.parts]
        value, weight = (np.concatenate([getattr(x, n) for x in each]) for n in ("value", "weight"))
        if all(isinstance(x, Counts) for x in each):
            return Counts(value, weight)
        rows = [x for x in each if isinstance(x, DrawnRows)]
        cell = np.concatenate([x.cell + i for x, i in zip(rows, self.start, strict=True)])
        return DrawnRows(value, cell, weight, np.concatenate([x.happened for x in rows]))

    def each(self, price: ForecastPrices) -> Iterator[tuple[DrawnGroup, slice, ForecastPrices]]:
        """Go through the groups, with their places among the forecasts and their prices there."""
        ends = np.append(self.start[1:], len(self.group))
        for part, *place in zip(self.parts, self.start.tolist(), ends.tolist(), strict=True):
            some = slice(*place)
            own = ForecastPrices(price.rule, price.if_event[some], price.if_none[some])
            yield part, some, own

    def prices(self, rules: Iterable[BinaryRule]) -> list[ForecastPrices]:
        """Look up what each rule charges, for all draws."""
        return [ForecastPrices.at(self.draws.value, rule) for rule in rules]

    def miscalibration(self, draws: Iterable[Draw], by_rule: Sequence[ForecastPrices]) -> Column:
        """Return that of each rule, draw and group."""
        result, draws = [], iter(draws)
        while some := list(islice(draws, BATCH)):
            bins = self._bins(some)
            losses = [[self._loss(price, *draw) for draw in some] for price in by_rule]
            result.append(
                [
                    components_of(bins, price.rule, np.concatenate(loss))[0].reshape(len(some), -1)
                    for price, loss in zip(by_rule, losses, strict=True)
                ]
            )
        return np.concatenate(result, axis=1)

    def _bins(self, draws: Sequence[Draw]) -> Bins:
        """Recalibrate some draws; a group of a draw is to the bins what a draw is."""
        rate, share, start, total, constant, count = [], [], [], [], [], 0
        for draw in draws:
            weight, events, first = self._refit(*draw)
            cases = np.add.reduceat(weight, first)
            rate.append(events / weight)
            share.append(weight / np.repeat(cases, np.diff(first, append=len(weight))))
            start.append(first + count)
            total.append(cases)
            constant.append(np.add.reduceat(events, first) / cases)
            count += len(weight)
        return Bins(*(np.concatenate(x) for x in (rate, share, start, total, constant)))

    def _refit(self, weight: Column, events: Column) -> tuple[Column, Column, Column]:
        """Pool adjacent violators within groups; return bins, and the first one of each group."""
        from scipy.optimize import isotonic_regression

        group = self.group
        if not weight.all():
            row = np.flatnonzero(weight)
            weight, events, group = weight[row], events[row], group[row]
        # A bin can only end where the row before has a non-event and the row after an event.
        rise = (events[:-1] < weight[:-1]) & (events[1:] > 0)
        rise |= group[1:] != group[:-1]
        edge = np.append(0, np.flatnonzero(rise) + 1)
        weight, events = (np.add.reduceat(x, edge) for x in (weight, events))
        group = group[edge]
        begin = isotonic_regression(events / weight + 2 * group, weights=weight).blocks[:-1]
        weight, events = (np.add.reduceat(x, begin) for x in (weight, events))
        return weight, events, np.searchsorted(group[begin], np.arange(len(self.parts)))

    def _loss(self, prices: ForecastPrices, weight: Column, events: Column) -> Column:
        """Add up what each group pays; a price that nobody paid adds nothing."""
        with infinities():
            paid = prices.if_event * events + prices.if_none * (weight - events)
        if np.isnan(paid).any():
            paid = np.where(events > 0, prices.if_event, 0.0) * events
            paid += np.where(events < weight, prices.if_none, 0.0) * (weight - events)
        return np.add.reduceat(paid, self.start)


class Null:
    """Outcomes of all groups, drawn as their forecasts say."""

    def __init__(self, stack: Stack, rules: list[BinaryRule], rng: np.random.Generator) -> None:
        self.stack, self.rules = stack, rules
        self._stream, self._prices = fast_stream(rng), stack.prices(rules)
        self._miscalibration = np.empty((len(rules), 0, len(stack.parts)))
        self._score = np.empty((0, len(stack.parts)))

    def miscalibration(self, rule: BinaryRule, replicates: int) -> Column:
        """Return the miscalibration of so many draws, a column a group."""
        self._draw(replicates)
        return self._miscalibration[self.rules.index(rule), :replicates]

    def score(self, replicates: int) -> Column:
        """Return the score statistic of so many draws, a column a group."""
        self._draw(replicates)
        return self._score[:replicates]

    def _draw(self, replicates: int) -> None:
        missing = replicates - len(self._score)
        if missing <= 0:
            return
        stack, value, score = self.stack, self.stack.draws.value, []

        def watched() -> Iterator[Draw]:
            for draw in stack.draws.outcomes(value, missing, self._stream):
                excess = self._axes * (draw.events - draw.weight * value)
                score.append((np.add.reduceat(excess, stack.start, axis=1) ** 2).sum(axis=0))
                yield draw

        drawn = stack.miscalibration(watched(), self._prices)
        self._miscalibration = np.concatenate([self._miscalibration, drawn], axis=1)
        self._score = np.concatenate([self._score, score])

    @cached_property
    def _axes(self) -> Column:
        axes = np.zeros((2, len(self.stack.group)))
        for part, i in zip(self.stack.parts, self.stack.start.tolist(), strict=True):
            own = score_axes(ForecastSample.of(part.tally))
            axes[: len(own), i : i + own.shape[1]] = own
        return axes


def combined_p_values(stack: Stack, null: Null, replicates: int) -> tuple[Column, Column]:
    """Return the p-value of the combined test of each group, and whether it is a bound.

    They are those of `calibration_test`. Where no draw reaches what was observed in some group
    there are 1,000 for all of them.
    """
    result, is_bound = np.full(len(stack.parts), np.nan), np.ones(len(stack.parts), dtype=bool)
    for g, part in enumerate(stack.parts):
        sample, brier = ForecastSample.of(part.tally), Brier()
        score, first = miscalibration_of(part.tally, brier)
        second = score_statistic(score_axes(sample), sample.excess)
        for draws in (replicates, max(replicates, ENOUGH)):
            result[g] = alone = least_of(draws)
            if not sample.is_refuted:
                others = np.append(second, null.score(draws)[:, g])
                own = np.append(first, null.miscalibration(brier, draws)[:, g])
                result[g], *both = combine(own, others, (SAME_SUM * score, slack_of(others)))
                alone = min(both)
            is_bound[g] = alone <= least_of(draws)
            if not is_bound[g]:
                break
    return result, is_bound


def corrected_miscalibrations(
    stack: Stack, null: Column, rule: BinaryRule, drawing: Drawing
) -> Column:
    """Return the corrected miscalibration of each group and both ends of its interval.

    `null` has that of calibrated draws, a column a group.
    They are those of `decompose`. Cases are drawn from all groups together, so that how many a
    group has is itself random, which means over its cases do not notice.
    """
    from scipy.special import ndtri

    price, replicates = stack.prices([rule])[0], enough_for_bias(drawing.replicates)
    truths, observed = _truths(stack, price), []
    biases, deviation = [], np.zeros(len(stack.parts))
    for truth in truths:
        draws = stack.draws.draws(truth, replicates, fast_stream(drawing.rng))
        drawn = stack.miscalibration(draws, [price])[0]
        with infinities():
            biases.append(drawn.mean(axis=0) - _true_miscalibration(stack, truth, price))
            if replicates > 1:
                deviation = drawn.std(axis=0, ddof=1)
    least, greatest, mean = np.min(biases, axis=0), np.max(biases, axis=0), np.mean(biases, axis=0)
    for g, (part, some, own) in enumerate(stack.each(price)):
        score, raw = miscalibration_of(part.tally, rule)
        if not np.isfinite(score):
            observed.append((np.inf, np.nan, np.inf))
            continue
        error = _error(part, own, truths[0][some])
        reach = ndtri((1 + drawing.level) / 2) * np.fmax(error, deviation[g])
        low, high = max(raw - greatest[g] - reach, 0.0), max(raw - least[g] + reach, 0.0)
        if not p_value(raw, null[:, g], score) <= (1 - drawing.level) * SLACK:
            low = 0.0
        observed.append((max(raw - mean[g], 0.0), low, high))
    return np.array(observed)


def _truths(stack: Stack, price: ForecastPrices) -> tuple[Column, Column]:
    """Fit two curves to each group: its recalibration, and a smoother version of it."""
    rough, smooth = [], []
    for part, _, own in stack.each(price):
        fit = recalibrate(part.tally)
        rough.append(fit.spread(fit.event_rate))
        smooth.append(increasing_fit(part.tally, fit, own))
    return np.concatenate(rough), np.concatenate(smooth)


def _true_miscalibration(stack: Stack, truth: Column, price: ForecastPrices) -> Column:
    weights = (to_numpy(part.tally.weight) for part in stack.parts)
    parts = zip(weights, stack.each(price), strict=True)
    return np.array([true_components(x, truth[some], own)[0] for x, (_, some, own) in parts])


def _error(part: DrawnGroup, price: ForecastPrices, best: Column) -> float:
    """Find the standard error of a miscalibration, from what each case adds to it."""
    with infinities():
        if_event = price.if_event - price.rule.loss_if_event(best)
        if_none = price.if_none - price.rule.loss_if_none(best)
    return float(spread_of_means(part.source, if_event[None], if_none[None]).errors[0])


def draw_groups(
    parts: Mapping[int, DrawnGroup], large: Sequence[int], rule: BinaryRule, drawing: Drawing
) -> tuple[Column, Column, Column]:
    """Test groups by draws, and correct the miscalibration of the large ones by the same draws.

    Returns p-values; whether they are bounds; and for each large group its miscalibration and both
    ends of the interval.
    """
    parts = {g: part.in_cells() for g, part in parts.items()}
    stack, brier = Stack(list(parts.values())), Brier()
    also = rule.is_proper and not isinstance(rule, Brier)
    null = Null(stack, [brier, rule] if also else [brier], drawing.rng)
    p, is_bound = combined_p_values(stack, null, drawing.replicates)
    if not large:
        return p, is_bound, np.empty((0, 3))
    place = [list(parts).index(g) for g in large]
    own = null.miscalibration(rule, drawing.replicates)[:, place]
    some = Stack([parts[g] for g in large])
    return p, is_bound, corrected_miscalibrations(some, own, rule, drawing)
