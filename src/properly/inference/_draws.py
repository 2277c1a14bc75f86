"""Random tallies: outcomes drawn from given probabilities, case by case or by count.

`sampler` is the one place that makes them: `Counts` of independent cases without weights, at each
forecast or in cells of forecasts, and `DrawnRows` of all others.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from properly._boundary._interrupts import checked
from properly._boundary._libraries import is_numpy, namespace, to_library_of, to_numpy
from properly.counts._cases import (
    Cases,
    has_clusters,
    has_time,
    is_in_place,
    is_unweighted,
    number_clusters,
    rows_in_use,
)
from properly.counts._device import stays
from properly.counts._pooling import differences
from properly.counts._tally import Tally, as_tally, sums_of, tally_of_sums
from properly.errors import DataError
from properly.inference._dependence import Latent, Residuals
from properly.inference._design import is_alike
from properly.typing import Array, Column

# With fewer cases a forecast than this, drawing cases is faster than drawing counts.
FEW = 8
# Of more distinct forecasts than this, what is drawn is counted in so many cells. Single cases
# matter at either end only, where few make a step of an increasing curve.
LONG = 1 << 15
CELLS = 1 << 10
ENDS = 1 << 7
# Tensors of more distinct forecasts than can be made of these are drawn from so many cells, and
# single forecasts at either end: far narrower than the cells above, and few to fetch. They are
# made of so many rows at a time, for the memory of the device.
FINE = (1 << 19, 1 << 11)
ROWS = 1 << 24
# Entries of a table of draws that are taken in one go: what stays in the processor's cache.
BATCH = 1 << 17
# Counts that are held at a time, however many replicates are asked for.
AT_ONCE = 1 << 19
# Numbers of this variance or more are nearly normal, and far from 0.
WIDE = 10


def fast_stream(rng: np.random.Generator) -> np.random.Generator:
    """Begin a stream of random numbers of its own, of the quickest kind, that `rng` decides on."""
    return np.random.Generator(np.random.SFC64(rng.integers(0, 2**63, 4).tolist()))


def batches(replicates: int, units: int, at_once: int = AT_ONCE) -> Iterator[int]:
    """Share replicates out, so that memory does not grow with their number."""
    most = max(1, at_once // units)
    for done in checked(range(0, replicates, most)):
        yield min(most, replicates - done)


class Draw(NamedTuple):
    """Cases, or their weight, and events at each distinct forecast; 0 where none was drawn."""

    weight: Column
    events: Column


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

    Drawing counts at forecasts has the same distribution as drawing cases, for less work. Of very
    many forecasts, those of each cell are taken as one: how many cases are drawn is then random.
    """

    value: Column
    weight: Column
    in_cells: bool = False

    def draws(
        self,
        probability: Column,
        replicates: int,
        rng: np.random.Generator,
        recalibrated: Column | None = None,  # noqa: ARG002
    ) -> Iterator[Draw]:
        """Draw cases with replacement, and outcomes with the probability of their forecast."""
        if self.in_cells:
            for table in self.tables(probability, replicates, rng):
                yield from map(Draw, *table)
            return
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

    def tables(
        self, probability: Column, replicates: int, rng: np.random.Generator
    ) -> Iterator[tuple[Column, Column]]:
        """Draw cases and events of each cell, many draws at a time, from Poisson distributions.

        Their sum is that of all cases but for its root, half a per cent at most, which means over
        cases do not notice.
        """
        means = self.weight * probability, self.weight * (1 - probability)
        for rows in batches(replicates, len(self.value)):
            events, others = (_poisson(x, rows, rng) for x in means)
            yield events + others, events

    def grouped(self, start: Column) -> Counts:
        """Take the forecasts of each cell as one, their mean."""
        return Counts(*means_of_cells(self.value, self.weight, start), in_cells=True)

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
        if self.in_cells:
            for rows in batches(replicates, len(self.value)):
                events = _binomial(self.weight, probability, rows, rng)
                yield from (Draw(self.weight, row) for row in events)
            return
        n, p, single = self.weight, probability, self.weight.max() == 1
        for rows in batches(replicates, len(p), BATCH):
            shape = rows, len(p)
            drawn = rng.random(shape) < p if single else rng.binomial(n, p, shape)
            yield from (Draw(n, row) for row in drawn.astype(np.int64, copy=False))


def _poisson(mean: Column, rows: int, rng: np.random.Generator) -> Column:
    """Draw rows of Poisson numbers."""
    narrow = mean < WIDE
    # In this order, since the routine prepares for a mean that differs from the last.
    exact = rng.poisson(mean[narrow, None], (int(narrow.sum()), rows))
    return _with_normals(narrow, exact, (mean, mean, mean), np.inf, rng)


def _binomial(cases: Column, probability: Column, rows: int, rng: np.random.Generator) -> Column:
    """Draw rows of binomial numbers."""
    mean = cases * probability
    variance = mean * (1 - probability)
    narrow = variance < WIDE
    columns = cases[narrow, None], probability[narrow, None]
    exact = rng.binomial(*columns, (int(narrow.sum()), rows))
    moments = mean, variance, variance * (1 - 2 * probability)
    return _with_normals(narrow, exact, moments, cases[~narrow], rng)


def _with_normals(
    narrow: Column,
    exact: Column,
    moments: tuple[Column, Column, Column],
    most: Column | float,
    rng: np.random.Generator,
) -> Column:
    """Put rows of exact numbers together with normal ones, skewed and rounded.

    Rounding adds a twelfth to their variance.
    """
    result = np.empty((exact.shape[1], len(narrow)), dtype=np.int64)
    result[:, narrow] = exact.T
    mean, variance, third = (x[~narrow] for x in moments)
    normal = rng.standard_normal((len(result), len(mean)), dtype=np.float32)
    number = normal * np.sqrt(variance - 1 / 12)
    np.square(normal, out=normal)
    normal -= 1
    number += normal * (third / variance / 6)
    number += mean
    np.rint(number, out=number)
    result[:, ~narrow] = np.clip(number, 0.0, most, out=number)
    return result


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

    def grouped(self, start: Column) -> DrawnRows:
        """Take the forecasts of each cell as one, their mean."""
        value, _ = means_of_cells(self.value, self.total, start)
        return replace(self, value=value, cell=np.searchsorted(start, self.cell, "right") - 1)

    def among(self, rows: Column, value: Column, cell: Column) -> DrawnRows:
        """Draw the outcomes of some of the cases only, at some of the forecasts."""
        latent = None if self.latent is None else self.latent.among(rows)
        return DrawnRows(value, cell, self.weight[rows], self.happened[rows], latent=latent)

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
        there is; else none. The fitted probabilities follow the outcomes, the closer the more bins
        there are, which hides some of the dependence.
        """
        clusters, label = len(size), np.repeat(np.arange(len(size)), size)

        def pairs(column: Column) -> float:
            total, squares = (np.bincount(label, x) for x in (column, column**2))
            return float((total**2 - squares).sum())

        order = np.lexsort((fitted, label))
        above = np.repeat(np.cumsum(size), size) - 1 - np.arange(len(label))
        least = 2 * float(fitted[order] @ above)
        most = least - pairs(fitted)
        hidden = clusters / max(clusters - len(np.unique(fitted)), clusters / 2)
        result = hidden * pairs(self.happened - fitted) / most if most > 0 else 0.0
        return min(max(result, 0.0), 1.0)


Sampler: TypeAlias = Counts | DrawnRows


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
    draws: Sampler
    grouped = clusters and has_clusters(x)
    if not isinstance(x, Tally) and (has_time(x) or grouped or not is_unweighted(x)):
        draws = _rows(x, grouped=grouped)
    else:
        tally = as_tally(x)
        require_counts(tally)
        value, weight = (to_numpy(column) for column in (tally.value, tally.weight))
        draws = Counts(value.astype(np.float64, copy=False), weight)
    return draws if start is None else draws.grouped(start)


def _rows(cases: Cases, *, grouped: bool) -> DrawnRows:
    y, p, weight, used = rows_in_use(cases)
    order, start, latent = np.arange(len(p)), None, None
    if has_time(cases):
        latent = Residuals.of(cases).latent()
        order = np.lexsort((p, latent.time))
        latent = latent.among(order)
    elif grouped:
        label = number_clusters(cases, used)
        order = np.argsort(label, kind="stable")
        start = np.append(0, np.cumsum(np.bincount(label)))
    value, cell = np.unique(p[order], return_inverse=True)
    return DrawnRows(value.astype(np.float64), cell, weight[order], y[order], start, latent)


def in_fine_cells(source: Tally | Cases) -> Tally | Cases:
    """Put very many tensors of independent cases into fine cells on their device, and fetch these.

    What is drawn from, and compared with draws, is then in numpy, and as good as all forecasts.
    """
    if isinstance(source, Cases) and not is_in_place(source):
        return source
    tally = as_tally(source)
    if not stays(tally) or len(tally) <= 2 * FINE[0]:
        return source
    pieces = -(-len(tally) // ROWS)
    ends = np.linspace(0, len(tally), pieces + 1).astype(int).tolist()
    columns = tally.value, *sums_of(tally)
    parts = []
    for some in map(slice, ends[:-1], ends[1:]):
        piece = tally_of_sums([x[some] for x in columns])
        start = cell_starts(piece.value, piece.weight, (FINE[0] // pieces, FINE[1]), 1)
        cells = piece if start is None else in_cells(piece, start)
        parts.append([to_numpy(x) for x in (cells.value, *sums_of(cells))])
    return tally_of_sums([np.concatenate(x) for x in zip(*parts, strict=True)])


def cell_starts(
    value: Array, weight: Array, sizes: tuple[int, int] | None = None, most: int | None = None
) -> Column | None:
    """Find the first forecast of each cell; None if forecasts are few enough to be drawn as is.

    Sizes are the number of cells, and of single forecasts at either end.

    Cells have the same share of the cases and of the variance of their outcomes together, so that
    rare events have cells of their own; forecasts near either end, among them 0 and 1, stay single.
    """
    xp, (cells, ends) = namespace(value), sizes or (CELLS, ENDS)
    if value.shape[0] <= max(most or LONG, 2 * ends):
        return None
    # In place, since forecasts are many.
    part = xp.astype(weight, xp.float64)
    share = 1 - xp.astype(value, xp.float64, copy=False)
    share *= value
    share *= part
    share /= xp.sum(share) or 1.0
    part /= xp.sum(part)
    share += part
    del part
    share = xp.cumulative_sum(share)
    share *= cells / share[-1]
    number = xp.astype(share, xp.int32)
    single = xp.ones_like(number[: ends + 1], dtype=xp.bool)
    others = number[ends + 1 : -ends] != number[ends : -ends - 1]
    start: Column = xp.nonzero(xp.concat([single, others, single[1:]]))[0]
    return start


def in_cells(tally: Tally, start: Array) -> Tally:
    """Take the forecasts of each cell as one, their mean, where the cells were found."""
    value, weight, *sums = (to_library_of(x, start) for x in (tally.value, *sums_of(tally)))
    cells = means_of_cells(value, weight, start)
    return tally_of_sums([*cells, *(add_cells(x, start) for x in sums)])


def means_of_cells(value: Array, weight: Array, start: Array) -> tuple[Any, Any]:
    """Return the mean forecast of each cell, and its cases."""
    xp, rows, total = namespace(value), _rows_of(value, start), add_cells(weight, start)
    value = xp.astype(value, xp.float64, copy=False)
    first, last = xp.take(value, start), xp.take(value, start + rows - 1)
    # Distances from the first forecast are small, so that running sums of them are exact enough.
    away = value - xp.repeat(first, rows)
    away *= weight
    mean = first + add_cells(away, start) / total
    # Rounding must not carry a mean out of its cell, nor change the only value in it.
    return xp.minimum(xp.maximum(mean, first), last), total


def add_cells(x: Array, start: Array) -> Any:
    """Add up each cell: of tensors from running sums, on their device."""
    if is_numpy(x):
        return np.add.reduceat(x, start)
    xp = namespace(x)
    return differences(xp.take(xp.cumulative_sum(x), start + _rows_of(x, start) - 1))


def _rows_of(x: Array, start: Array) -> Any:
    """Count the rows of each cell."""
    xp = namespace(start)
    return xp.concat([start[1:], xp.full_like(start[:1], x.shape[0])]) - start
