"""Elementary scores: what acting at one threshold costs, at every threshold at once.

At the threshold t one acts if the forecast is t or more. On the Brier scale, acting in vain then
costs 2 t and an event without action 2 (1 - t). Means are straight lines in t but for jumps where
there are forecasts, so a curve is known from its limits at these knots. An array of limits has two
rows: from the left, which is the value at the threshold itself, and from the right.

Rows that depend on one another, and what acting at thresholds costs each cluster or time. Bounds of
means at thresholds: of one forecast from two shares, of the difference of two from their rows.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np

from properly._boundary._libraries import infinities, namespace, read_only, to_library_of, to_numpy
from properly.counts._cases import (
    Cases,
    has_clusters,
    has_time,
    is_dependent,
    require_event,
    rows_in_use,
    weights_of,
)
from properly.counts._tally import Tally
from properly.decisions._grid import odds
from properly.errors import ArgumentTypeError, DataError
from properly.inference._design import Design, times_of
from properly.inference._shares import ShareTerm, design_effect, normal, reach, student, variance
from properly.inference._variance import degrees_of, spread_of_totals
from properly.typing import Column

Bounds: TypeAlias = tuple[Column, Column, Column]

# The limits of a curve at a threshold: that at which one acts on equal forecasts comes first.
LIMITS: tuple[Literal["left"], Literal["right"]] = ("left", "right")
# With fewer separate spells of a mistake, times say too little about how it depends.
SPELLS = 10
# Clusters whose sums are held at a time, each with as many numbers as there are thresholds.
BATCH = 4096
# Where dependent cases are looked at: only independent ones have a closed form everywhere.
GRID: Column = read_only(np.arange(1, 200) / 200)
# Fewer events or non-events than this, judged differently by two forecasts, carry no bounds.
ENOUGH = 10


class CaseRows(NamedTuple):
    """Cases of positive weight, and how much each of them is.

    A row is one case, however much it weighs. What is added up before it is squared are units:
    clusters, times, or the cells of a panel, numbered from 0; if none are known, each row is one.
    """

    row: Column
    p: Column
    happened: Column
    weight: Column
    unit: Column
    design: Design

    @property
    def factor(self) -> float:
        """The factor of squared sums, corrected with clusters, in the variance of a mean.

        One case alone has none.
        """
        total = float(self.weight.sum())
        if self.design.unit is not None:
            return 1 / total**2
        spare = total**2 - float(self.weight @ self.weight)
        return 1 / spare if spare > 0 else np.nan

    def costs(self, p: Column, event: Column, grid: Column) -> Iterator[Column]:
        """Yield what the forecasts cost each unit, at one threshold of a grid after the other.

        Each case is an event to the given extent, and a non-event for the rest.
        """
        cell = np.searchsorted(grid, p, side="right")
        order = np.argsort(cell, kind="stable")
        start = np.searchsorted(cell[order], np.arange(grid.shape[0] + 1))
        none, event = self.weight * (1 - event), self.weight * event
        unit, size = self.unit, self.design.units
        in_vain, missed = np.bincount(unit, none, size), np.zeros(size)
        for threshold, first, last in zip(grid, start[:-1], start[1:], strict=True):
            below = order[first:last]
            in_vain -= np.bincount(unit[below], none[below], size)
            missed += np.bincount(unit[below], event[below], size)
            yield 2 * (threshold * in_vain + (1 - threshold) * missed)

    def mean_and_error(self, costs: Iterable[Column]) -> tuple[Column, Column]:
        """Return the mean and its standard error of what the units cost, one after the other."""
        weight, total, result = np.bincount(self.unit, self.weight), self.weight.sum(), []
        for cost in costs:
            mean = cost.sum() / total
            away = (cost - mean * weight)[None] / total
            result.append((mean, spread_of_totals(away, self.design).errors[0]))
        means, errors = np.array(result).T
        return means, errors


def dependent(x: Tally | Cases) -> CaseRows | None:
    """Take the rows of cases that depend on one another; there are none of a tally."""
    return rows_of(x) if is_dependent(x) else None


def dependence(x: Tally | Cases) -> str | None:
    """Name what makes cases depend on one another."""
    named = {"clusters": has_clusters(x), "times": has_time(x)}
    return " by ".join(name for name, known in named.items() if known) or None


def rows_of(cases: Cases) -> CaseRows:
    """Take the rows of positive weight."""
    y, p, weight, used = rows_in_use(cases)
    # Bands of thresholds do not allow for strata.
    design = replace(Design.of(cases), stratum=None)
    unit = np.arange(len(p)) if design.unit is None else design.unit
    p, happened = p.astype(np.float64), y.astype(np.float64)
    return CaseRows(np.flatnonzero(used), p, happened, weight, unit, design)


class OutcomeCounts(NamedTuple):
    """Non-events and events at increasing forecasts, and the sums of their squared weights."""

    value: Column
    nonevents: Column
    events: Column
    nonevent_squares: Column
    event_squares: Column

    def pooled(self, threshold: Column) -> OutcomeCounts:
        """Put forecasts together that lie on the same side of all thresholds."""
        first = np.concatenate([np.searchsorted(self.value, threshold, x) for x in LIMITS])
        start = np.unique(np.append(0, first[first < len(self.value)]))
        columns = [np.add.reduceat(x, start) for x in self[1:3]]
        if not self.weighted:
            return OutcomeCounts(self.value[start], *columns, *columns)
        squares = [np.add.reduceat(x, start) for x in self[3:]]
        return OutcomeCounts(self.value[start], *columns, *squares)

    def constant(self) -> OutcomeCounts:
        """Give all cases the same forecast, the event rate."""
        columns = [column.sum(keepdims=True) for column in self[1:]]
        return OutcomeCounts(columns[1] / (columns[0] + columns[1]), *columns)

    @property
    def total(self) -> float:
        """All cases, or all of their weight."""
        return float(self.nonevents.sum() + self.events.sum())

    @property
    def squares(self) -> float:
        """The sum of all squared weights."""
        return float(self.nonevent_squares.sum() + self.event_squares.sum())

    @property
    def weighted(self) -> bool:
        """Whether cases have weights; squares of counts are the counts themselves."""
        return self.event_squares is not self.events

    @property
    def effective(self) -> float:
        """The number of cases that equal weights would need to be as precise."""
        return self.total**2 / self.squares


class Split(NamedTuple):
    """Who is acted upon at thresholds, and who is left.

    `first` has a row for each side of the thresholds: how many distinct forecasts are left there.
    None stands for both sides of the first knots, which need no search.
    """

    counts: OutcomeCounts
    threshold: Column
    first: Column | None = None

    def acted(self, column: Column) -> Column:
        """Add up a column over the forecasts that are acted upon."""
        return self._at(from_each_on(column))

    def left(self, column: Column) -> Column:
        """Add up a column over the forecasts that are left."""
        return self._at(np.append(0, np.cumsum(column)))

    def _at(self, sums: Column) -> Column:
        sums = sums.astype(np.float64, copy=False)
        if self.first is not None:
            return sums[self.first]
        value = self.counts.value
        sums = np.pad(sums, (int(value[0] > 0), int(value[-1] < 1)), mode="edge")
        return np.lib.stride_tricks.sliding_window_view(sums, len(self.threshold))[:2]

    @property
    def cost(self) -> Column:
        """The mean elementary score."""
        in_vain, missed = self.acted(self.counts.nonevents), self.left(self.counts.events)
        return mean_cost(self.threshold, in_vain, missed, self.counts.total)

    def term(self, amount: Any, *, acted: bool, event: bool) -> ShareTerm:
        """Return the share of all cases with an action and an outcome, and how heavy they are.

        The weight is the squared weight over the weight, in multiples of the same of all cases.
        Where there are none, they might be as heavy as those with the same outcome, or as those of
        the same action; the heavier of the two is on the safe side.
        """
        counts, add_up = self.counts, self.acted if acted else self.left
        alike = counts.events if event else counts.nonevents
        weight, possible = add_up(alike), add_up(counts.nonevents + counts.events)
        heavy: Any = 1.0
        if counts.weighted:
            square = counts.event_squares if event else counts.nonevent_squares
            everyone = add_up(counts.nonevent_squares + counts.event_squares)
            with infinities():
                if_none = np.fmax(square.sum() / alike.sum(), everyone / possible)
                heavy = np.where(weight > 0, add_up(square) / weight, if_none)
            # Without anybody alike, nothing is known of them.
            heavy = np.nan_to_num(heavy * (counts.total / counts.squares), nan=1.0)
        return ShareTerm(amount, weight / counts.total, possible > 0, heavy)


def split_at(counts: OutcomeCounts, threshold: Column, *, both: bool = False) -> Split:
    """Find who is acted upon at thresholds, and with both sides also just above them."""
    first = [np.searchsorted(counts.value, threshold)]
    if both:
        last = len(counts.value) - 1
        first.append(first[0] + (counts.value[np.minimum(first[0], last)] == threshold))
    return Split(counts, threshold, np.stack(first))


@dataclass(frozen=True, eq=False)
class ForecastPairs:
    """Two forecasts of each case, as seen from thresholds.

    Attributes
    ----------
    threshold : numpy array
        In increasing order. One acts if the forecast is the threshold or more.
    begin, end : numpy array
        The first threshold above the smaller forecast, and above the greater one: from the one to
        before the other, the case is judged differently. Both are 0 if it never is.
    sign : numpy array
        1 if the first forecast is the greater one, else -1.
    happened : numpy array
        Whether the event happened.
    """

    threshold: Column
    begin: Column
    end: Column
    sign: Column
    happened: Column

    @classmethod
    def of(
        cls,
        threshold: Column,
        first: Column,
        second: Column,
        happened: Column,
        side: Literal["left", "right"] = "right",
    ) -> ForecastPairs:
        """Find the thresholds between two forecasts; with the left side, who acts just above them.

        Few thresholds have numbers of few bytes.
        """
        pair = (np.searchsorted(threshold, p, side=side) for p in (first, second))
        one, other = (x.astype(np.min_scalar_type(-len(threshold))) for x in pair)
        begin, end = np.minimum(one, other), np.maximum(one, other)
        # Cases that never differ are all alike.
        begin[one == other] = end[one == other] = 0
        sign = 2 * (one > other).astype(np.int8) - 1
        return cls(threshold, begin, end, sign, happened)

    def alike(self, *amounts: Column) -> tuple[ForecastPairs, list[Column]]:
        """Put cases together that are alike, and add up amounts of theirs."""
        wide = len(self.threshold) + 1
        kind = self.begin.astype(np.int64)
        for digit, base in ((self.end, wide), (self.sign > 0, 2), (self.happened, 2)):
            kind *= base
            kind += digit
        some = np.flatnonzero(np.bincount(kind))
        begin, end = np.divmod(some // 4, wide)
        sign, happened = np.where(some // 2 % 2, 1, -1), some % 2 == 1
        pairs = ForecastPairs(self.threshold, begin, end, sign, happened)
        return pairs, [np.bincount(kind, x)[some] for x in amounts]

    def differing(self, number: Column) -> Column:
        """Count the non-events, and the events, that are judged differently at each threshold."""
        return self.between(number, self.happened.astype(np.intp), 2)

    def enough(self, counts: Column, unit: Column) -> Column:
        """Tell at which thresholds enough units, such as clusters, are judged differently.

        Their effective number is the square of the sum of their cases, which is given, over the
        sum of the squares.
        """
        # If all were as large as the largest, they would be the fewest.
        result: Column = counts.min(axis=0) >= ENOUGH * np.bincount(unit).max()
        unsure = ~result
        if not unsure.any():
            return result
        some, squares = self.at(unsure), np.zeros((2, np.count_nonzero(unsure)))
        for rows, here, size in _batches(unit):
            kinds = 2 * here + self.happened[rows]
            sums = some.some(rows).between(np.ones(len(rows)), kinds, 2 * size)
            squares += np.square(sums).reshape(size, 2, -1).sum(axis=0)
        effective = counts[:, unsure] ** 2 / np.maximum(squares, 1)
        result[unsure] = effective.min(axis=0) >= ENOUGH
        return result

    def sums(self, amount: Column, label: Column, size: int) -> Column:
        """Add up by how much the first forecast costs more: a row a label, a column a threshold."""
        signed = amount * self.sign
        in_vain = self.between(np.where(self.happened, 0.0, signed), label, size)
        caught = self.between(np.where(self.happened, signed, 0.0), label, size)
        in_vain *= 2 * self.threshold
        in_vain -= np.multiply(2 * (1 - self.threshold), caught, out=caught)
        return in_vain

    def mean(self, number: Column, weight: Column) -> Column:
        """Return the mean of the sums; it is 0 where all are judged alike, without rounding."""
        mean = self.sums(weight, np.zeros(len(weight), dtype=np.intp), 1)[0] / weight.sum()
        mean[self.differing(number).sum(axis=0) == 0] = 0.0
        return np.asarray(mean)

    def squares(self, mean: Column, amount: Column, label: Column) -> Column:
        """Add up the squares of the sums over the cases of a label, for any two thresholds."""
        result = np.zeros((len(mean),) * 2)
        for rows, here, size in _batches(label):
            total = self.some(rows).sums(amount[rows], here, size)
            total -= np.outer(np.bincount(here, amount[rows], size), mean)
            result += total.T @ total
        return result

    def squares_of_cases(self, mean: Column, square: Column) -> Column:
        """Add up the squares of single cases, given the sum of the squared amounts of each row."""
        return self.squares(mean, np.sqrt(square), np.arange(len(square)))

    def some(self, rows: Column) -> ForecastPairs:
        """Keep some of the cases."""
        kept = (x[rows] for x in (self.begin, self.end, self.sign, self.happened))
        return ForecastPairs(self.threshold, *kept)

    def at(self, which: Column) -> ForecastPairs:
        """Keep some of the thresholds."""
        place = np.append(0, np.cumsum(which))
        begin, end = place[self.begin], place[self.end]
        never = begin == end
        begin[never] = end[never] = 0
        return replace(self, threshold=self.threshold[which], begin=begin, end=end)

    def between(self, amount: Column, label: Column, size: int) -> Column:
        """Add up amounts of the cases with each threshold between their forecasts, by label."""
        wide = len(self.threshold) + 1
        net = np.bincount(label * wide + self.begin, amount, size * wide)
        net -= np.bincount(label * wide + self.end, amount, size * wide)
        sums = net.reshape(size, wide)
        return np.asarray(np.cumsum(sums, axis=1, out=sums)[:, :-1])


def _batches(label: Column) -> Iterator[tuple[Column, Column, int]]:
    """Yield the cases of some labels at a time: their rows, and labels from 0 to how many."""
    labels, order = int(label.max()) + 1, np.argsort(label, kind="stable")
    edges = range(0, labels, BATCH)
    start = np.searchsorted(label[order], edges)
    for edge, rows in zip(edges, np.split(order, start[1:]), strict=True):
        yield rows, label[rows] - edge, min(BATCH, labels - edge)


def dependent_split(source: Tally | Cases, split: Split) -> Split:
    """Find who is acted upon at the points of a grid, if cases depend on one another."""
    return split_at(split.counts, GRID) if is_dependent(source) else split


def outcomes(tally: Tally) -> OutcomeCounts:
    """Take what happened out of a tally, as numpy arrays."""
    value, weight, events = (to_numpy(x) for x in (tally.value, tally.weight, tally.events))
    nonevents, squares = weight - events, (tally.nonevent_squares, tally.event_squares)
    if tally.event_squares is None:
        squares = (nonevents, events)
    value = value.astype(np.float64, copy=False)
    return OutcomeCounts(value, nonevents, events, *(to_numpy(x) for x in squares))


def knots(*values: Column) -> Column:
    """Return all thresholds where something may happen, 0 and 1 among them."""
    if len(values) > 1:
        return np.unique(np.concatenate([*values, [0.0, 1.0]]))
    value = values[0]
    return np.concatenate([np.zeros(int(value[0] > 0)), value, np.ones(int(value[-1] < 1))])


def from_each_on(column: Column) -> Column:
    """Add up a column from each row to the end, and after the end."""
    sums = np.zeros(len(column) + 1, dtype=column.dtype)
    np.cumsum(column[::-1], out=sums[:-1][::-1])
    return sums


def mean_cost(threshold: Column, in_vain: Column, missed: Column, total: float) -> Column:
    """Return the mean elementary score; counts are divided only here."""
    cost = threshold * in_vain
    cost += (1 - threshold) * missed
    cost /= total / 2
    return cost


def if_calibrated(split: Split) -> tuple[Column, Column]:
    """Return mean and standard deviation if each event had the probability that was forecast."""
    t, (value, *columns) = split.threshold, split.counts
    weight, square = columns[0] + columns[1], columns[2] + columns[3]
    total = split.counts.total
    mean = mean_cost(t, split.acted(weight * (1 - value)), split.left(weight * value), total)
    spread = square * value * (1 - value)
    variance = t**2 * split.acted(spread) + (1 - t) ** 2 * split.left(spread)
    return mean, 2 * np.sqrt(variance) / total


def find_spells(cases: Cases, threshold: Column) -> tuple[Column, Column]:
    """Count spells of alarms in vain, and of missed events, and the share of times with either.

    At the threshold t a time has an alarm in vain if the greatest forecast of its non-events is t
    or more, and a missed event if the least forecast of its events is below t. A spell begins at a
    time that has a mistake after one that has none: at neighbouring times it may be one mistake.
    """
    y, p, _, _ = rows_in_use(cases)
    time = times_of(cases)
    times = int(time.max()) + 1
    highest, lowest = np.full(times, -np.inf), np.full(times, np.inf)
    np.maximum.at(highest, time[~y], p[~y])
    np.minimum.at(lowest, time[y], p[y])
    # A missed event is one whose forecast does not reach the threshold: both are turned round.
    sides: tuple[tuple[Column, Column, Literal["left", "right"]], ...] = (
        (highest, threshold, "left"),
        (-lowest, -threshold, "right"),
    )
    spells, every = [], []
    for most, at, side in sides:
        again = np.minimum(most, np.append(-np.inf, most[:-1]))
        counts = [times - np.searchsorted(np.sort(x), at, side=side) for x in (most, again)]
        spells.append(counts[0] - counts[1])
        every.append(counts[0] / times)
    return np.stack(spells), np.stack(every)


def has_few_spells(cases: Cases, threshold: Column) -> Column:
    """Return at which thresholds a mistake that could be made comes in too few separate spells.

    What is made at most times has few spells because they meet, and is no rare mistake.
    """
    p = rows_in_use(cases).p
    spells, share = find_spells(cases, threshold)
    possible = np.stack([threshold <= p.max(), threshold > p.min()])
    return np.asarray((possible & (spells < SPELLS) & (share < 0.5)).any(axis=0))


def score_bounds(
    source: Tally | Cases, split: Split, level: float, *, benefit: bool = False
) -> tuple[Column, Column]:
    """Bound the mean elementary score, or net benefit, at thresholds: a sum of two shares.

    The costs of clusters, or times, are bounded as if these were fewer, but independent cases.
    """
    t, rows = split.threshold, dependent(source)
    n: Any = split.counts.effective
    # Where nobody is acted upon, no alarm can be in vain; where all are, no event is missed.
    if benefit:
        other, price = split.term(1.0, acted=True, event=True), -odds(t)
    else:
        other, price = split.term(2 - 2 * t, acted=False, event=True), 2 * t
    in_vain = split.term(price, acted=True, event=False)
    mean = in_vain.amount * in_vain.share + other.amount * other.share
    unknown: Any = np.nan
    if rows is not None:
        costs = rows.costs(rows.p, rows.happened, t)
        if benefit:
            events = np.bincount(rows.unit, rows.weight * rows.happened, rows.design.units)
            # The costs are on the Brier scale, twice the regret.
            costs = (events - cost / r for r, cost in zip(2 * (1 - t), costs, strict=True))
        error, quantile = rows.mean_and_error(costs)[1], student(degrees_of(rows.design), level)
        n, unknown = n / design_effect(error**2, variance(in_vain, other, n)), error * quantile
    else:
        quantile = normal(level)
        n = n if n > 1 else np.nan
    down, up = (
        np.where(np.isfinite(n), margin, unknown) for margin in reach(in_vain, other, n, quantile)
    )
    # No forecasts can cost more, or less.
    ends = (price, 1.0) if benefit else (0.0, 2 * np.maximum(t, 1 - t))
    return np.maximum(mean - down, ends[0]), np.minimum(mean + up, ends[1])


def consistency_bounds(x: Tally | Cases, split: Split, level: float) -> Bounds:
    """Return thresholds, and bounds there of the mean elementary score of calibrated forecasts.

    The outcomes of a cluster, or of neighbouring times, may depend on one another even then, so it
    is their deviations from the forecasts that are added up before they are squared.
    """
    from scipy.special import ndtri

    rows = dependent(x)
    if rows is None:
        mean, error = if_calibrated(split)
        return _bounds(split.threshold, mean, error * ndtri((1 + level) / 2), least=0)
    mean, _ = rows.mean_and_error(rows.costs(rows.p, rows.p, GRID))
    expected = rows.costs(rows.p, rows.p, GRID)
    surprises = map(np.subtract, rows.costs(rows.p, rows.happened, GRID), expected)
    _, error = rows.mean_and_error(surprises)
    return _bounds(GRID, mean, error * student(degrees_of(rows.design), level), least=0)


def paired_bounds(
    first: Tally | Cases,
    second: Tally | Cases,
    knot: Column,
    mean: Column,
    level: float,
    *,
    grid: Column = GRID,
) -> Bounds:
    """Return thresholds, and bounds there of a mean difference, NaN where too few cases differ.

    Independent cases are looked at on both sides of each knot, others at each point of the grid.
    """
    one, other = map(rows_of, require_pair(first, second, "the band of a difference"))
    once, happened, square = np.ones_like(one.weight), one.happened > 0, one.weight**2
    if one.design.unit is not None:
        costs = map(np.subtract, *(x.costs(x.p, x.happened, grid) for x in (one, other)))
        mean, error = one.mean_and_error(costs)
        few = ForecastPairs.of(grid, one.p, other.p, happened).differing(once).min(axis=0) < ENOUGH
        margin = error * student(degrees_of(one.design), level)
        return _bounds(grid, mean, np.where(few, np.nan, margin), least=-np.inf)
    margins = []
    for side, limit in zip(reversed(LIMITS), mean, strict=True):
        pairs = ForecastPairs.of(knot, one.p, other.p, happened, side)
        # A case differs only where the threshold lies between its two forecasts, and by plus or
        # minus what a mistake costs there.
        in_vain, missed = pairs.differing(square)
        deviation = 4 * (knot**2 * in_vain + (1 - knot) ** 2 * missed)
        sums = pairs.sums(square, np.zeros(len(once), dtype=np.intp), 1)[0]
        deviation += limit * (square.sum() * limit - 2 * sums)
        few = pairs.differing(once).min(axis=0) < ENOUGH
        margins.append(np.where(few, np.nan, np.sqrt(np.maximum(deviation, 0) * one.factor)))
    quantile = student(float(one.weight.sum() ** 2 / square.sum()) - 1, level)
    return _bounds(knot, mean, np.stack(margins) * quantile, least=-np.inf)


def _bounds(threshold: Column, mean: Column, margin: Column, least: float) -> Bounds:
    """Lay both limits of each threshold side by side."""
    return laid_out(threshold, np.maximum(mean - margin, least), mean + margin)


def laid_out(threshold: Column, lower: Column, upper: Column) -> Bounds:
    """Repeat thresholds for both limits, and lay these side by side."""
    sides = lower.size // len(threshold)
    return np.repeat(threshold, sides), lower.T.ravel(), upper.T.ravel()


def require_same_totals(models: Mapping[str, OutcomeCounts]) -> None:
    """Refuse models of which one has more cases, or more events, than the first."""
    counts = {name: (x.total, float(x.events.sum())) for name, x in models.items()}
    (first, total), *others = counts.items()
    for name, count in others:
        if not np.allclose(count, total, rtol=1e-9, atol=0):
            pairs = ((first, total), (name, count))
            got = " and ".join(f"{n!r} with {e:g} events of {t:g}" for n, (t, e) in pairs)
            message = f"models are compared on the same cases; got {got}"
            raise DataError(message)


def require_same_rows(models: Mapping[str, Cases], hint: str | None = None) -> None:
    """Refuse models whose rows do not belong together; a hint may say how to do without rows."""
    (first, cases), *others = models.items()
    for name, other in others:
        if result := _unlike(cases, other, f"{first!r} and {name!r}"):
            message = f"Cases are compared row by row; {result}"
            raise DataError(message, hint=hint)


def require_pair(first: object, second: object, what: str) -> tuple[Cases, Cases]:
    """Take two forecasts of one event, row by row the same cases, of the same design."""
    if not (isinstance(first, Cases) and isinstance(second, Cases)):
        got = " and ".join(type(x).__name__ for x in (first, second))
        message = f"{what} needs Cases twice, row by row the same; got {got}"
        raise ArgumentTypeError(message, hint="tallies no longer know which rows belong together.")
    require_event(first)
    require_event(second)
    require_same_rows({"first": first, "second": second})
    return first, second


def _unlike(one: Cases, other: Cases, names: str) -> str | None:
    """Say what two models do not have in common, and where."""
    if len(one) != len(other):
        return f"{names} have {len(one)} and {len(other)} rows"
    if one.labels != other.labels:
        return f"{names} have the classes {one.labels} and {other.labels}"
    columns = {"outcomes": (one.y, to_library_of(other.y, one.y))}
    if one.weight is not None or other.weight is not None:
        columns["weights"] = weights_of(one), weights_of(other)
    for what in ("clusters", "strata", "time"):
        pair = getattr(one, what), getattr(other, what)
        if sum(x is None for x in pair) == 1:
            return f"of {names}, only one has {what}"
        if pair[0] is not None:
            columns[what] = to_numpy(pair[0]), to_numpy(pair[1])
    for what, (first, second) in columns.items():
        differ = namespace(first).nonzero(first != second)[0]
        if differ.shape[0]:
            row = int(differ[0])
            got = " and ".join(repr(x[row : row + 1].tolist()[0]) for x in (first, second))
            return f"in row {row}, {names} have the {what} {got}"
    return None
