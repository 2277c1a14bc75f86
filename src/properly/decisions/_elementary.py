"""Elementary scores: what acting at one threshold costs, at every threshold at once.

At the threshold t one acts if the forecast is t or more. On the Brier scale, acting in vain then
costs 2 t and an event without action 2 (1 - t). Means are straight lines in t but for jumps where
there are forecasts, so a curve is known from its limits at these knots. An array of limits has two
rows: from the left, which is the value at the threshold itself, and from the right.

Rows that depend on one another, and what acting at thresholds costs each cluster or time.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from properly._boundary._libraries import infinities, to_numpy
from properly.counts._cases import (
    has_clusters,
    has_time,
    is_dependent,
    number_clusters,
    rows_in_use,
)
from properly.inference._design import Design, number_times
from properly.inference._shares import ShareTerm
from properly.inference._variance import degrees_of, spread_of_totals

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from properly.counts._cases import Cases
    from properly.counts._tally import Tally
    from properly.typing import Column

# The limits of a curve at a threshold: that at which one acts on equal forecasts comes first.
LIMITS: tuple[Literal["left"], Literal["right"]] = ("left", "right")
# With fewer separate spells of a mistake, times say too little about how it depends.
SPELLS = 10


class CaseRows(NamedTuple):
    """Cases of positive weight, and how much each of them is.

    A row is one case, however much it weighs. What is added up before it is squared are units:
    clusters, times, or the cells of a panel, numbered from 0; if none are known, each row is one.
    """

    row: Column
    p: Column
    happened: Column
    weight: Column
    square: Column
    unit: Column
    design: Design

    @property
    def together(self) -> bool:
        """Whether rows depend on one another."""
        return self.design.unit is not None

    @property
    def units(self) -> int:
        """The number of units."""
        return self.design.units

    @property
    def degrees(self) -> float:
        """The degrees of freedom that the design leaves."""
        return degrees_of(self.design)

    @property
    def factor(self) -> float:
        """The factor of squared sums, corrected with clusters, in the variance of a mean.

        One case alone has none.
        """
        total = float(self.weight.sum())
        if self.together:
            return 1 / total**2
        spare = total**2 - float(self.square.sum())
        return 1 / spare if spare > 0 else np.nan

    def costs(self, p: Column, event: Column, grid: Column) -> Iterator[Column]:
        """Yield what the forecasts cost each unit, at one threshold of a grid after the other.

        Each case is an event to the given extent, and a non-event for the rest.
        """
        cell = np.searchsorted(grid, p, side="right")
        order = np.argsort(cell, kind="stable")
        start = np.searchsorted(cell[order], np.arange(grid.shape[0] + 1))
        none, event = self.weight * (1 - event), self.weight * event
        unit, size = self.unit, self.units
        in_vain, missed = np.bincount(unit, none, size), np.zeros(size)
        for threshold, first, last in zip(grid, start[:-1], start[1:], strict=True):
            below = order[first:last]
            in_vain -= np.bincount(unit[below], none[below], size)
            missed += np.bincount(unit[below], event[below], size)
            yield 2 * (threshold * in_vain + (1 - threshold) * missed)

    def products(self, kind: Column, kinds: int) -> Column:
        """Multiply the corrected weights of clusters in each kind of case, and add up."""
        place = self.unit * kinds + kind
        weight = np.bincount(place, self.weight, self.units * kinds).reshape(-1, kinds)
        corrected = self.design.correction.scaled(weight.T)
        return np.asarray(np.einsum("ig,jg->ij", corrected, corrected))

    def mean_and_error(self, costs: Iterable[Column]) -> tuple[Column, Column]:
        """Return the mean and its standard error of what the units cost, one after the other."""
        weight, total = np.bincount(self.unit, self.weight), self.weight.sum()
        factor, result = self.factor, []
        for cost in costs:
            mean = cost.sum() / total
            away = cost - mean * weight
            if self.together:
                error = spread_of_totals(away[None] / total, self.design).errors[0]
            else:
                error = np.sqrt(factor * np.sum(away**2))
            result.append((mean, error))
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
    if has_time(cases):
        design = Design.of(cases)
    else:
        # Bands of thresholds do not allow for strata.
        design = Design(weight, number_clusters(cases, used) if has_clusters(cases) else None)
    unit = np.arange(len(p)) if design.unit is None else design.unit
    p, happened = p.astype(np.float64), y.astype(np.float64)
    return CaseRows(np.flatnonzero(used), p, happened, weight, weight**2, unit, design)


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


def cost_at(threshold: Column, value: Column, nonevents: Column, events: Column) -> Column:
    """Return the mean elementary score at any thresholds, from outcomes at forecasts in order."""
    counts = OutcomeCounts(value, nonevents, events, nonevents, events)
    return np.asarray(split_at(counts, threshold).cost[0])


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
    y, p, _, used = rows_in_use(cases)
    time = number_times(to_numpy(cases.time)[used])
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
    for reach, at, side in sides:
        again = np.minimum(reach, np.append(-np.inf, reach[:-1]))
        counts = [times - np.searchsorted(np.sort(x), at, side=side) for x in (reach, again)]
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
