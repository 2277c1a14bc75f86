"""Elementary scores: what acting at one threshold costs, at every threshold at once.

At the threshold t one acts if the forecast is t or more. On the Brier scale, acting in vain then
costs 2 t and an event without action 2 (1 - t). Means are straight lines in t but for jumps where
there are forecasts, so a curve is known from its limits at these knots. An array of limits has two
rows: from the left, which is the value at the threshold itself, and from the right.

Rows that depend on one another, and what acting at thresholds costs each cluster or time.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from properly._boundary._infinities import infinities
from properly._boundary._libraries import to_numpy
from properly.counts._cases import (
    has_clusters,
    has_time,
    is_dependent,
    number_clusters,
    rows_in_use,
)
from properly.inference._design import Design
from properly.inference._variance import degrees_of, spread_of_totals

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from properly.counts._cases import Cases
    from properly.counts._tally import Tally
    from properly.typing import Column


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


class Weights(NamedTuple):
    """Sums of weights, and of squared weights."""

    weight: Column
    squares: Column

    @property
    def heavy(self) -> Column:
        """The squared weight over the weight."""
        return self.squares / self.weight


class OutcomeCounts(NamedTuple):
    """Non-events and events at increasing forecasts, and the sums of their squared weights."""

    value: Column
    nonevents: Column
    events: Column
    nonevent_squares: Column
    event_squares: Column

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

    def squared(self) -> OutcomeCounts:
        """Take the squared weights for weights."""
        squares = self.nonevent_squares, self.event_squares
        return OutcomeCounts(self.value, *squares, *squares)

    def heavy(self, some: Weights, action: Weights, *, event: bool) -> Column:
        """Return squared weight over weight of some with the same outcome, 1 as it is of all.

        Where there are none, they might be as heavy as those with the same outcome, or as those of
        the same action; the heavier of the two is on the safe side.
        """
        alike = Weights(self.events, self.event_squares)
        if not event:
            alike = Weights(self.nonevents, self.nonevent_squares)
        whole = Weights(alike.weight.sum(), alike.squares.sum())
        with infinities():
            if_none = np.fmax(whole.heavy, action.heavy)
            result = np.where(some.weight > 0, some.heavy, if_none)
        # Without anybody alike, nothing is known of them.
        return np.nan_to_num(result * (self.total / self.squares), nan=1.0)


class Mistakes(NamedTuple):
    """The weight of the cases that are misjudged, as limits at thresholds."""

    in_vain: Column
    missed: Column


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


def on_knots(knot: Column, value: Column, column: Column) -> Column:
    """Spread a column over all knots; it is 0 where no forecast is."""
    spread = np.zeros(knot.shape, dtype=column.dtype)
    first = int(np.searchsorted(knot, value[0]))
    run = slice(first, first + value.shape[0])
    if np.array_equal(knot[run], value):
        spread[run] = column
    else:
        np.add.at(spread, np.searchsorted(knot, value), column)
    return spread


def mistakes(nonevents: Column, events: Column) -> Mistakes:
    """Add up the non-events from each knot on and the events before it."""
    return Mistakes(_limits(nonevents[::-1])[::-1, ::-1], _limits(events))


def mean_cost(knot: Column, wrong: Mistakes, total: float) -> Column:
    """Return the mean elementary score; counts are divided only here."""
    cost = knot * wrong.in_vain
    cost += (1 - knot) * wrong.missed
    cost /= total / 2
    return cost


def curve_of(knot: Column, counts: OutcomeCounts) -> Column:
    """Return the limits of the mean elementary score at knots that include all forecasts."""
    columns = (on_knots(knot, counts.value, x) for x in (counts.nonevents, counts.events))
    return mean_cost(knot, mistakes(*columns), counts.total)


def cost_at(threshold: Column, value: Column, nonevents: Column, events: Column) -> Column:
    """Return the mean elementary score at any thresholds, from outcomes at forecasts in order."""
    below = np.searchsorted(value, threshold, side="left")
    none, happened = (np.append(0, np.cumsum(x)) for x in (nonevents, events))
    wrong = Mistakes(none[-1] - none[below], happened[below])
    return mean_cost(threshold, wrong, none[-1] + happened[-1])


class Shares(NamedTuple):
    """Shares of all cases at thresholds: misjudged in either way, and acted upon or not.

    How heavy those are who were misjudged is told in multiples of the same of all cases.
    """

    in_vain: Column
    missed: Column
    acted: Column
    left: Column
    heavy_in_vain: Column | float = 1.0
    heavy_missed: Column | float = 1.0


def shares(knot: Column, counts: OutcomeCounts) -> Shares:
    """Return how many cases are misjudged, and how many could have been, as limits at knots."""

    def count(nonevents: Column, events: Column) -> Mistakes:
        return mistakes(*(on_knots(knot, counts.value, x) for x in (nonevents, events)))

    return _shares(counts, count)


def shares_at(threshold: Column, counts: OutcomeCounts) -> Shares:
    """Return the same at any thresholds, of those who are acted upon there."""
    below = np.searchsorted(counts.value, threshold, side="left")

    def count(nonevents: Column, events: Column) -> Mistakes:
        return Mistakes(
            np.append(0, np.cumsum(nonevents[::-1]))[::-1][below],
            np.append(0, np.cumsum(events))[below],
        )

    return _shares(counts, count)


def _shares(counts: OutcomeCounts, count: Callable[[Column, Column], Mistakes]) -> Shares:
    wrong, everyone = count(counts.nonevents, counts.events), counts.nonevents + counts.events
    possible = count(everyone, everyone)
    result = Shares(*(x / counts.total for x in (*wrong, *possible)))
    if not counts.weighted:
        return result
    squares = count(counts.nonevent_squares, counts.event_squares)
    everyone = counts.nonevent_squares + counts.event_squares
    acted, left = (Weights(*x) for x in zip(possible, count(everyone, everyone), strict=True))
    in_vain, missed = (Weights(*x) for x in zip(wrong, squares, strict=True))
    return result._replace(
        heavy_in_vain=counts.heavy(in_vain, acted, event=False),
        heavy_missed=counts.heavy(missed, left, event=True),
    )


def if_calibrated(knot: Column, counts: OutcomeCounts) -> tuple[Column, Column]:
    """Return mean and standard deviation if each event had the probability that was forecast."""
    weight = on_knots(knot, counts.value, counts.nonevents + counts.events)
    square = on_knots(knot, counts.value, counts.nonevent_squares + counts.event_squares)
    mean = mean_cost(knot, mistakes(weight * (1 - knot), weight * knot), counts.total)
    spread = square * knot * (1 - knot)
    wrong = mistakes(spread, spread)
    variance = knot**2 * wrong.in_vain + (1 - knot) ** 2 * wrong.missed
    return mean, 2 * np.sqrt(variance) / counts.total


def effective(total: Any, squares: Any) -> float:
    """Return the number of cases that equal weights would need to be as precise."""
    return float(total**2 / squares)


def _limits(x: Column) -> Column:
    """Cumulate: what lies before each row, and what lies before the next."""
    before = np.zeros(x.shape[0] + 1, dtype=x.dtype)
    np.cumsum(x, out=before[1:])
    return np.lib.stride_tricks.sliding_window_view(before, x.shape[0])
