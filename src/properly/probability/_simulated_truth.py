"""Simulated outcomes for fixed forecasts, from a truth that is known."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Protocol

import numpy as np

from properly._boundary._libraries import to_numpy
from properly.calibration._components import Prices, components
from properly.counts._cases import (
    Cases,
    has_classes,
    has_clusters,
    has_time,
    is_dependent,
)
from properly.counts._class_rows import rows_of, table_of
from properly.counts._isotonic import refit
from properly.counts._tally import Tally, as_tally
from properly.inference._draws import fast_stream, sampler
from properly.inference._variance import spread_of_means, spread_of_rows
from properly.probability._by_source import questions
from properly.probability._power import ROBUSTNESS
from properly.probability._sources import IsotonicSource
from properly.rules import Log
from properly.rules._class_rule import at

if TYPE_CHECKING:
    from collections.abc import Iterator

    from properly.inference._moments import Spread
    from properly.probability._sources import Fit
    from properly.typing import Column


class Simulation(Protocol):
    """What can be asked of forecasts and their isotonic source.

    A loss is minus the logarithm of the divergence: the miscalibration of the log score.
    """

    @property
    def can_draw(self) -> bool:
        """Whether outcomes can be drawn that depend on each other as those of the cases do."""

    def spread(self, unit: float) -> Spread:
        """Find the spread of the means behind three averages and the log divergence.

        Powers of -2/3 are those of probabilities in a unit, such as their own mean, without which
        the squares of some would be too large for a double.
        """

    def losses_if_calibrated(self, replicates: int, rng: np.random.Generator) -> Column:
        """Draw outcomes as the model says, and fit the source to each draw."""

    def losses_by_fitting(self, replicates: int, rng: np.random.Generator) -> Column:
        """Draw outcomes as the source says, and find how much better than it each new fit seems."""

    def largest_share(self) -> float:
        """Find how much of the sum of powers of -2/3 a single case makes up."""


def simulation_of(cases: Tally | Cases) -> Simulation:
    """Get ready to draw outcomes."""
    if has_classes(cases):
        return ClassSimulation.of(cases)
    return EventSimulation.of(cases)


@dataclass(frozen=True, eq=False)
class EventSimulation:
    """Forecasts of an event.

    Attributes
    ----------
    cases : Tally or Cases
        What they came with.
    value : numpy array
        The distinct forecasts.
    fit : Fit
        The isotonic source.
    """

    cases: Tally | Cases
    value: Column
    fit: Fit

    @classmethod
    def of(cls, cases: Tally | Cases) -> EventSimulation:
        """Fit the source."""
        tally = as_tally(cases)
        return cls(cases, to_numpy(tally.value).astype(np.float64), IsotonicSource().fit(tally))

    @property
    def can_draw(self) -> bool:
        """Whether outcomes can be drawn that depend on each other as those of the cases do."""
        return not has_time(self.cases)

    def spread(self, unit: float) -> Spread:
        """Find the spread of the means behind three averages and the log divergence."""
        event = _amounts(self.value, self.fit.spread(), unit)
        none = _amounts(1 - self.value, self.fit.spread(self.fit.rest), unit)
        return spread_of_means(self.cases, event, none)

    def losses_if_calibrated(self, replicates: int, rng: np.random.Generator) -> Column:
        """Draw outcomes as the model says, and fit the source to each draw."""
        return self._losses(self.value, replicates, rng)

    def losses_by_fitting(self, replicates: int, rng: np.random.Generator) -> Column:
        """Draw outcomes as the source says, and find how much better than it each new fit seems."""
        return self._losses(self.fit.spread(), replicates, rng)

    def _losses(self, truth: Column, replicates: int, rng: np.random.Generator) -> Column:
        draws, stream = sampler(self.cases), fast_stream(rng)
        if has_clusters(self.cases):
            # Whole clusters are drawn, with outcomes that agree within them as they did.
            drawn = draws.draws(truth, replicates, stream, self.fit.spread())
        else:
            drawn = draws.outcomes(truth, replicates, stream)
        result: Column = components(drawn, Prices.at(truth, Log()))[0]
        return result

    def largest_share(self) -> float:
        """Find how much of the sum of powers of -2/3 a single case makes up."""
        return _largest_share(self.cases)


@dataclass(frozen=True, eq=False)
class ClassSimulation:
    """Forecasts of classes.

    Attributes
    ----------
    cases : Cases
        What they came with.
    y, p : numpy array
        What happened, and the probabilities, one column a class.
    weight : numpy array
        What each case weighs.
    fitted : numpy array
        The probability that the isotonic source gives each class, by itself.
    cells, totals : list of numpy arrays
        For each class, the place of each case among the distinct forecasts, and the weight there.
    """

    cases: Cases
    y: Column
    p: Column
    weight: Column
    fitted: Column
    cells: list[Column]
    totals: list[Column]

    @classmethod
    def of(cls, cases: Cases) -> ClassSimulation:
        """Fit the source to each class."""
        rows, by_class = rows_of(cases), questions(cases, IsotonicSource())
        columns = list(zip(by_class, rows.p.T, strict=True))
        cells = [np.searchsorted(to_numpy(one.tally.value), q) for one, q in columns]
        fitted = [one.fit.spread()[cell] for one, cell in zip(by_class, cells, strict=True)]
        totals = [np.bincount(cell, rows.weight) for cell in cells]
        return cls(cases, rows.y, rows.p, rows.weight, np.stack(fitted, axis=1), cells, totals)

    @property
    def can_draw(self) -> bool:
        """Whether outcomes can be drawn that depend on each other as those of the cases do."""
        return not is_dependent(self.cases)

    def spread(self, unit: float) -> Spread:
        """Find the spread of the means behind three averages and the log divergence."""
        given = _amounts(at(self.p, self.y), at(self.fitted, self.y), unit)
        return spread_of_rows(self.cases, given)

    def losses_if_calibrated(self, replicates: int, rng: np.random.Generator) -> Column:
        """Draw outcomes as the model says, and fit the source to each draw."""
        return self._losses(self.p, replicates, fast_stream(rng))

    def losses_by_fitting(self, replicates: int, rng: np.random.Generator) -> Column:
        """Draw outcomes as the source says, and find how much better than it each new fit seems.

        Each class is fitted by itself, so that the probabilities of a case need not sum to 1; they
        are divided by their sum to be drawn from.
        """
        return self._losses(self.fitted, replicates, fast_stream(rng))

    def largest_share(self) -> float:
        """Find how much of the sum of powers of -2/3 a single case makes up."""
        return _largest_share(self.cases)

    def _losses(self, truth: Column, replicates: int, rng: np.random.Generator) -> Column:
        truth = truth / truth.sum(axis=1, keepdims=True)
        with np.errstate(divide="ignore"):
            log = np.log(truth)
        drawn = [self._loss(classes, log) for classes in self._draws(truth, replicates, rng)]
        return np.array(drawn) - self._loss_of_truth(truth, log)

    def _draws(self, truth: Column, replicates: int, rng: np.random.Generator) -> Iterator[Column]:
        """Draw one class for each row, which is a case however much it weighs."""
        row, upto = np.arange(len(truth)), np.cumsum(truth, axis=1)
        # Of all rows laid end to end, each a little higher than the one before.
        ladder = (upto / upto[:, -1:] + row[:, None]).ravel()
        for _ in range(replicates):
            # Adding the number of the row must not round a place up to the next one.
            place = np.minimum(row + rng.random(len(row)), np.nextafter(row + 1.0, 0.0))
            yield np.searchsorted(ladder, place, side="right") - row * truth.shape[1]

    def _loss(self, drawn: Column, log: Column) -> float:
        order = np.argsort(drawn, kind="stable")
        start = np.searchsorted(drawn[order], np.arange(len(self.cells) + 1))
        parts = (order[first:last] for first, last in pairwise(start.tolist()))
        cells = zip(self.cells, self.totals, parts, strict=True)
        events = [np.bincount(cell[of], self.weight[of], len(n)) for cell, n, of in cells]
        return self._fitted(events) - float(self.weight @ at(log, drawn)) / float(self.weight.sum())

    def _loss_of_truth(self, truth: Column, log: Column) -> float:
        """Return how much better class by class would be if each class came as often as expected.

        Nothing, if the truth is the model. Rows that were divided by their sums are no longer what
        the fit of each class by itself has found, and would seem to be miscalibrated.
        """
        amount = self.weight[:, None] * truth
        cells = zip(self.cells, self.totals, amount.T, strict=True)
        events = [np.bincount(cell, part, len(n)) for cell, n, part in cells]
        there = amount > 0
        return self._fitted(events) - float(amount[there] @ log[there]) / float(self.weight.sum())

    def _fitted(self, events: list[Column]) -> float:
        """Return the mean logarithm that fits of each class by itself give to its events."""
        total = 0.0
        for weight, happened in zip(self.totals, events, strict=True):
            # Sums of shares may exceed the weight by rounding.
            fit = refit(weight, np.minimum(happened, weight))
            some = fit.events > 0
            total += float(fit.events[some] @ np.log(fit.event_rate[some]))
        return total / float(self.weight.sum())


def _amounts(t: Column, p: Column, unit: float) -> Column:
    """Return what four means are means of: value, logarithm, power of -2/3, and log ratio."""
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        log = np.log(t)
        power = np.exp(ROBUSTNESS * (log - math.log(unit)))
        return np.stack([t, log, power, log - np.log(p)])


def _largest_share(cases: Tally | Cases) -> float:
    """Compare the largest power with the sum of them; a tally knows cases by their mean weight."""
    rows = rows_of(cases) if isinstance(cases, Cases) else table_of(cases)
    with np.errstate(divide="ignore"):
        power = rows.t**ROBUSTNESS
    if np.isinf(power).any():
        return 1.0
    # Counts are their own squares, so that each of their cases weighs 1.
    each = power * (rows.square / rows.weight)
    return float(each.max() / (rows.weight @ power))
