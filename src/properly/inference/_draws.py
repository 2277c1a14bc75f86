"""Random tallies: outcomes drawn from given probabilities, case by case or by count.

`sampler` is the one place that makes them. Of very many forecasts, cells are drawn; else `Counts`
of independent cases without weights, and `DrawnRows` of all others.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

import numpy as np

from properly._boundary._interrupts import checked
from properly._boundary._libraries import to_numpy
from properly._boundary._record import once
from properly.counts._cases import (
    Cases,
    has_clusters,
    has_time,
    is_unweighted,
    number_clusters,
    number_forecasts,
    rows_in_use,
)
from properly.counts._tally import Tally, as_tally
from properly.errors import DataError
from properly.inference._cells import (
    ClusteredCells,
    Draw,
    RandomCells,
    TimedCells,
    TimedUnits,
    Units,
    batches,
    in_cells,
    shown_share,
)
from properly.inference._dependence import TIMES, Latent, latent_of, measure
from properly.inference._design import is_alike
from properly.typing import Column

# With fewer cases a forecast than this, drawing cases is faster than drawing counts.
FEW = 8
# Entries of a table of draws that are taken in one go: what stays in the processor's cache.
BATCH = 1 << 17


def fast_stream(rng: np.random.Generator) -> np.random.Generator:
    """Begin a stream of random numbers of its own, of the quickest kind, that `rng` decides on."""
    return np.random.Generator(np.random.SFC64(rng.integers(0, 2**63, 4).tolist()))


class Sequences(NamedTuple):
    """Cases of some replicates, in the order of their forecasts, events first among equal ones.

    Attributes
    ----------
    forecast : numpy array
        The forecast of each case, as an index into the distinct ones; a replicate a row.
    happened : numpy array
        Their outcomes, with an event put before the first and a non-event after the last.
    """

    forecast: Column
    happened: Column


@dataclass(frozen=True, eq=False)
class Counts:
    """Cases of which only the number at each distinct forecast is known.

    Drawing counts at forecasts has the same distribution as drawing cases, for less work.
    """

    value: Column
    weight: Column

    def draws(
        self,
        probability: Column,
        replicates: int,
        rng: np.random.Generator,
        recalibrated: Column | None = None,  # noqa: ARG002
    ) -> Iterator[Draw]:
        """Draw cases with replacement, and outcomes with the probability of their forecast."""
        total, forecasts = int(self.weight.sum()), len(self.value)
        if not self.few_a_forecast:
            share = self.weight / total
            for _ in checked(range(replicates)):
                weight = rng.multinomial(total, share)
                yield Draw(weight, rng.binomial(weight, probability))
            return
        cell = np.repeat(np.arange(forecasts), self.weight) if self.has_ties else None
        for rows in batches(replicates, total, BATCH // 8):
            # The whole part of one uniform number says which case, the rest whether it has the
            # event. In place, since fresh memory costs as much as the arithmetic.
            place = rng.random((rows, total))
            place *= total
            row = place.astype(np.intp)
            place -= row
            drawn = row if cell is None else cell[row]
            happened = place < probability[drawn]
            drawn += forecasts * np.arange(rows)[:, None]
            drawn *= 2
            drawn += happened
            both = np.bincount(drawn.ravel(), minlength=2 * forecasts * rows)
            others, events = both.reshape(rows, forecasts, 2).transpose(2, 0, 1)
            yield from map(Draw, others + events, events)

    @property
    def total(self) -> Column:
        """The cases at each distinct forecast."""
        return self.weight

    @property
    def few_a_forecast(self) -> bool:
        """Whether there are so few cases at each forecast that they are best drawn in order."""
        return int(self.weight.sum()) <= FEW * len(self.value)

    def sequences(
        self, probability: Column, batches: Sequence[int], rng: np.random.Generator
    ) -> Iterator[Sequences]:
        """Draw cases with replacement, in order, and outcomes with their probability, in batches.

        Exponential gaps make places in order. The forecast that a place falls upon is drawn; how
        far into the forecast's share it falls decides about the event. The memory of a batch is
        used again for the next one, since fresh memory costs as much as the arithmetic.
        """
        total, most = int(self.weight.sum()), max(batches)
        cell = np.repeat(np.arange(len(self.value)), self.weight) if self.has_ties else None
        # One more than there are cases: the last place only says how far to stretch the others.
        limit = np.append(np.cumsum(self.weight) - self.weight * (1 - probability), 0)
        limit[:-1][probability == 1] = np.inf  # what is certain happens, whatever the rounding
        gap = np.empty((most, total + 1), dtype=np.float32)
        place, bound = np.empty(gap.shape), np.empty(gap.shape)
        forecast = np.empty(gap.shape, dtype=np.intp)
        happened = np.ones((most, total + 2), dtype=bool)
        happened[:, -1] = False
        for count in checked(batches):
            some = slice(count)
            rng.standard_exponential(out=gap[some], dtype=np.float32)
            np.cumsum(gap[some], axis=1, out=place[some])
            place[some] *= total / place[some, -1:]
            np.copyto(forecast[some], place[some], casting="unsafe")
            # A last gap of 0 would leave a place at the very end.
            np.minimum(forecast[some], total - 1, out=forecast[some])
            if cell is not None:
                np.take(cell, forecast[some], out=forecast[some], mode="clip")
            np.take(limit, forecast[some], out=bound[some], mode="clip")
            np.less(place[some, :-1], bound[some, :-1], out=happened[some, 1:-1])
            yield Sequences(forecast[some, :-1], happened[some])

    @property
    def has_ties(self) -> bool:
        """Whether any forecast was made more than once."""
        return int(self.weight.sum()) > len(self.value)

    def outcomes(
        self, probability: Column, replicates: int, rng: np.random.Generator
    ) -> Iterator[Draw]:
        """Draw the outcomes alone; the forecasts stay as they were."""
        n, p, single = self.weight, probability, self.weight.max() == 1
        for rows in batches(replicates, len(p), BATCH):
            shape = rows, len(p)
            drawn = rng.random(shape) < p if single else rng.binomial(n, p, shape)
            yield from (Draw(n, row) for row in drawn.astype(np.int64, copy=False))


@dataclass(frozen=True, eq=False)
class DrawnRows:
    """Cases one by one, with weights, in clusters or in time.

    Attributes
    ----------
    value : numpy array
        The distinct forecasts.
    cell : numpy array
        The forecast of each case, as an index into `value`. The cases of a cluster are neighbours.
    weight : numpy array
        The weight of each case.
    happened : numpy array
        The outcome of each case.
    start : numpy array or None
        The first case of each cluster, and the number of cases at the end.
    latent : Latent or None
        What draws the normal numbers that decide about outcomes that follow one another in time.
    """

    value: Column
    cell: Column
    weight: Column
    happened: Column
    start: Column | None = None
    latent: Latent | None = None

    def draws(
        self,
        probability: Column,
        replicates: int,
        rng: np.random.Generator,
        recalibrated: Column | None = None,
    ) -> Iterator[Draw]:
        """Draw cases, or whole clusters, with replacement, and outcomes for them.

        The outcomes of a cluster depend on one another, and so must the drawn ones. An outcome is
        an event if a uniform number falls below its probability; with the probability that the
        data suggest, a case takes the number of its cluster rather than one of its own. To draw
        times with replacement would tear them apart: of these, outcomes alone are drawn.
        """
        if self.latent is not None:
            yield from self.outcomes(probability, replicates, rng)
            return
        shared = 0.0
        if self.start is not None and recalibrated is not None:
            shared = math.sqrt(self._dependence(recalibrated[self.cell], np.diff(self.start)))
        for _ in checked(range(replicates)):
            row, size = self._draw_rows(rng)
            uniform = rng.random(len(row))
            if shared:
                common = np.repeat(rng.random(len(size)), size)
                uniform = np.where(rng.random(len(row)) < shared, common, uniform)
            yield self._draw(row, uniform < probability[self.cell[row]])

    def outcomes(
        self, probability: Column, replicates: int, rng: np.random.Generator
    ) -> Iterator[Draw]:
        """Draw the outcomes alone; the forecasts stay as they were.

        A case has the event if its number is below its probability, or below the quantile of that,
        which is infinite for 0 and 1: what is certain never changes.
        """
        limit = probability
        if self.latent is not None:
            from scipy.special import ndtri

            limit = ndtri(probability).astype(np.float32)
        limit = limit[self.cell]
        # In the order of forecasts, since to count from all over the memory takes longest.
        order = np.argsort(self.cell, kind="stable")
        first = np.flatnonzero(np.diff(self.cell[order], prepend=-1))
        counted = is_alike(self.weight) and self.weight[0] == 1
        weight = np.ones(len(order), dtype=np.int64) if counted else self.weight[order]
        total = np.add.reduceat(weight, first)
        for _ in checked(range(replicates)):
            number = rng.random(len(order)) if self.latent is None else self.latent.draw(rng)
            happened = (number < limit)[order]
            amount = happened.astype(np.int64) if counted else np.where(happened, weight, 0.0)
            yield Draw(
                total, amount if len(first) == len(order) else np.add.reduceat(amount, first)
            )

    @property
    def total(self) -> Column:
        """The weight of all cases at each distinct forecast."""
        return np.bincount(self.cell, self.weight)

    def _draw(self, row: Column, happened: Column) -> Draw:
        cell, weight, forecasts = self.cell[row], self.weight[row], len(self.value)
        total = np.bincount(cell, weight, forecasts)
        # Left out, not multiplied by 0: what is added up must be the same where all are events.
        events = np.bincount(cell[happened], weight[happened], forecasts)
        return Draw(total, np.minimum(events, total))

    def _draw_rows(self, rng: np.random.Generator) -> tuple[Column, Column]:
        """Draw rows, and say how many of them belong together each time."""
        cases = len(self.cell)
        if self.start is None:
            return rng.integers(0, cases, cases), np.ones(0)
        clusters = len(self.start) - 1
        drawn = rng.integers(0, clusters, clusters)
        size = np.diff(self.start)[drawn]
        before = np.cumsum(size) - size
        return np.arange(size.sum()) + np.repeat(self.start[drawn] - before, size), size

    def _dependence(self, fitted: Column, size: Column) -> float:
        """Find how often two cases of a cluster must share a number to agree as much as they do.

        If they share it, their outcomes have the covariance ``min(a, b) - a * b``, the largest
        there is; else none. What the bins of the fitted probabilities hide is allowed for as in
        `ClusteredCells`.
        """
        label = np.repeat(np.arange(len(size)), size)

        def pairs(column: Column) -> float:
            total, squares = (np.bincount(label, x) for x in (column, column**2))
            return float((total**2 - squares).sum())

        order = np.lexsort((fitted, label))
        above = np.repeat(np.cumsum(size), size) - 1 - np.arange(len(label))
        least = 2 * float(fitted[order] @ above)
        most = least - pairs(fitted)
        rate, number = np.unique(fitted, return_inverse=True)
        place, cases = np.unique(number * len(size) + label, return_counts=True)
        mates = np.bincount(place // len(size), cases * (cases - 1)) / np.bincount(number)
        agreed = pairs(self.happened - fitted) + float(rate * (1 - rate) @ mates)
        agreed /= shown_share(len(size), len(fitted), len(rate))
        return min(max(agreed / most, 0.0), 1.0) if most > 0 else 0.0


Sampler: TypeAlias = Counts | DrawnRows | RandomCells


def require_counts(tally: Tally) -> None:
    """Refuse to draw from sums of weights."""
    if tally.event_squares is not None:
        message = "weighted cases are taken one by one; a tally has only sums of their weights"
        hint = (
            "pass properly.Cases(y, p, weight=w); for numbers of like cases, a tally with count=."
        )
        raise DataError(message, hint=hint)


def sampler(x: Tally | Cases, *, clusters: bool = True, start: Column | None = None) -> Sampler:
    """Get ready to draw; clusters may be left out of account where only their cases matter.

    With the first forecasts of cells, as `cell_starts` finds them, these are drawn. Where cases
    have times, outcomes depend on one another.
    """
    grouped = clusters and has_clusters(x)
    cases = x if isinstance(x, Cases) and (has_time(x) or grouped or not is_unweighted(x)) else None
    if start is None and cases is not None:
        return _rows(cases, grouped=grouped)
    tally = as_tally(x)
    if cases is None:
        require_counts(tally)
    if start is None:
        value, weight = (to_numpy(column) for column in (tally.value, tally.weight))
        return Counts(value.astype(np.float64, copy=False), weight)
    cells = RandomCells.of(in_cells(tally, start))
    if cases is None or not (has_time(cases) or grouped):
        return cells
    size = np.diff(start, append=len(tally))
    return _dependent(cells, cases, np.repeat(np.arange(len(start)), size))


def _dependent(cells: RandomCells, cases: Cases, of_forecast: Column) -> RandomCells:
    """Draw clusters of cases, or runs of their times, given the cell of each forecast."""
    y, _, weight, used = rows_in_use(cases)
    columns, count = (cells.value, cells.total, cells.size), len(cells.value)
    cell = of_forecast[number_forecasts(cases)]
    if has_time(cases):
        found = measure(cases)
        kinds = [
            TimedUnits(Units.of(cell, unit, weight, count), a, b)
            for unit, a, b in once(cases, "_kinds", lambda: _kinds(latent_of(cases)))
        ]
        return TimedCells(*columns, kinds, found.psi, found.degrees)
    label = number_clusters(cases, used)
    happened = weight * y
    sums = np.bincount(cell, happened, count), np.bincount(label, happened)
    return ClusteredCells(*columns, Units.of(cell, label, weight, count), *sums)


def _kinds(latent: Latent) -> list[tuple[Column, float, float]]:
    """Put cases into runs of times, and the cases of a slot in each run together.

    The correlation within a unit is such that as much is shared as by the series that it stands
    for.
    """
    run = latent.time // latent.run
    in_times, in_runs = (_mates(x) for x in (latent.time, run))
    same = latent.same
    common = same * in_times / (in_runs - 1)
    kinds = [(run, common * (1 - 1 / in_times), common)]
    if same < 1 and latent.run > 1:
        # Neighbouring slots, whose forecasts are alike, go together where units would be very many.
        together = -(-int(latent.slot.max() + 1) * int(run.max() + 1) // TIMES)
        own = latent.slot // together * (run.max() + 1) + run
        own = np.unique(own, return_inverse=True)[1]
        kinds.append((own, 0.0, (1 - same) / (_mates(own) - 1)))
    return kinds


def _mates(unit: Column) -> float:
    """Return how many cases the unit of a case has on average, itself among them."""
    size = np.bincount(unit).astype(np.float64)
    return float(size @ size) / len(unit)


def _rows(cases: Cases, *, grouped: bool) -> DrawnRows:
    y, p, weight, used = rows_in_use(cases)
    order, start, latent = np.arange(len(p)), None, None
    if has_time(cases):
        latent = latent_of(cases)
        order = np.lexsort((p, latent.time))
        latent = latent.among(order)
    elif grouped:
        label = number_clusters(cases, used)
        order = np.argsort(label, kind="stable")
        start = np.append(0, np.cumsum(np.bincount(label)))
    value, cell = np.unique(p[order], return_inverse=True)
    return DrawnRows(value.astype(np.float64), cell, weight[order], y[order], start, latent)
