r"""Random tallies in cells of forecasts, whatever the number of cases and however they depend.

A cell of cases with weights is drawn as its effective number of cases (Kish),
:math:`(\sum w)^2 / \sum w^2`, of equal weight: mean and variance of what is drawn are theirs.

The outcomes of a unit, a cluster or a run of times, share a normal number. One that is common to
all cases of a cell is :math:`Z = \sum_u w_u z_u / \sum_u w_u`, with :math:`w_u` the weight of each
unit in the cell, for all cells and many draws one product with a sparse matrix. Its variance is
:math:`\kappa = \sum_u w_u^2 / (\sum_u w_u)^2`, and the probability of the cell

.. math:: P = \Phi\Big(\frac{\Phi^{-1}(t) + \sqrt\rho Z}{\sqrt{1 - \rho \kappa}}\Big)

has the mean :math:`t`. With :math:`r` the correlation of two outcomes that share their number,
:math:`n (1 - \kappa r) / (1 - r)` cases that are independent given :math:`P` leave to the cell the
variance that is no unit's.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from properly._boundary._interrupts import checked
from properly._boundary._libraries import is_numpy, namespace, to_library_of, to_numpy
from properly._boundary._record import once
from properly.counts._cases import Cases, is_in_place
from properly.counts._device import stays
from properly.counts._pooling import differences
from properly.counts._tally import Tally, as_tally, sums_of, tally_of_sums
from properly.typing import Array, Column

# Draws of more distinct forecasts than `LONG` are counted in cells. Single cases matter only at
# either end, where a few of them make a step of an increasing curve.
LONG = 1 << 15
CELLS = 1 << 10
ENDS = 1 << 7
# Cells, and single forecasts at either end, that very long tensors are drawn from: far narrower
# than the cells above, and few to fetch. `ROWS` are grouped at a time, to spare the memory of the
# device.
FINE = (1 << 19, 1 << 11)
ROWS = 1 << 23
# More clusters than these are drawn a Poisson number of times each.
CLUSTERS = 1 << 15
QUANTILES = (np.arange(1 << 16) + 0.5) / (1 << 16)
# Counts that are held at a time, however many replicates are asked for. Numbers of units take less
# work each, and counts in dependent cells more.
AT_ONCE = 1 << 19
LESS, MORE = 8, 4
# Numbers of this variance or more are nearly normal, and far from 0; of others, less probable ones
# than these are left out.
WIDE, ALMOST = 10, 1 - 2**-32
# Outcomes that share all would leave nothing to the cases themselves.
MOST_SHARED = 0.99

Rng: TypeAlias = np.random.Generator
Known: TypeAlias = Column | None
Tables: TypeAlias = Iterator[tuple[Column, Column]]
Draws: TypeAlias = "Iterator[Draw]"
Growth: TypeAlias = Callable[[Column, int], Column]


class Draw(NamedTuple):
    """Cases, or their weight, and events at each distinct forecast; 0 where none was drawn."""

    weight: Column
    events: Column


def batches(replicates: int, units: int, at_once: int = AT_ONCE) -> Iterator[int]:
    """Share replicates out, so that memory does not grow with their number."""
    most = max(1, at_once // units)
    for done in checked(range(0, replicates, most)):
        yield min(most, replicates - done)


@dataclass(frozen=True, eq=False)
class RandomCells:
    """Independent cases in cells, each at its mean forecast.

    Attributes
    ----------
    value : numpy array
        The mean forecast of each cell.
    total : numpy array
        The weight of its cases.
    size : numpy array
        The effective number of its cases, a whole one.
    """

    value: Column
    total: Column
    size: Column

    @classmethod
    def of(cls, tally: Tally) -> RandomCells:
        """Find the effective number of cases in each cell."""
        value, weight = to_numpy(tally.value), to_numpy(tally.weight)
        size = weight
        if tally.event_squares is not None and tally.nonevent_squares is not None:
            squares = to_numpy(tally.event_squares) + to_numpy(tally.nonevent_squares)
            size = np.rint(weight**2 / squares).clip(1).astype(np.int64)
        return cls(value, weight, size)

    def draws(self, truth: Column, replicates: int, rng: Rng, fitted: Known = None) -> Draws:
        """Draw cases with replacement, and outcomes with the probability of their cell."""
        for table in self.tables(truth, replicates, rng, fitted):
            yield from map(Draw, *table)

    def tables(self, truth: Column, replicates: int, rng: Rng, fitted: Known = None) -> Tables:  # noqa: ARG002
        """Draw cases and events of each cell, many draws at a time, from Poisson distributions.

        Their sum is that of all cases but for its root, half a per cent at most, which means over
        cases do not notice.
        """
        sides = [CountsOfCells.poisson(self.size * x) for x in (truth, 1 - truth)]
        for rows in batches(replicates, len(self.value)):
            events, others = (x.draw(rows, rng) for x in sides)
            if self.size is not self.total:
                unit = self.total / self.size
                events, others = events * unit, others * unit
            yield events + others, events

    def outcomes(self, truth: Column, replicates: int, rng: Rng) -> Draws:
        """Draw the outcomes alone; the forecasts stay as they were."""
        likely = truth > 1 / 2
        rarer = CountsOfCells.binomial(self.size, np.where(likely, 1 - truth, truth))
        for rows in batches(replicates, len(self.value)):
            events = rarer.draw(rows, rng)
            events[:, likely] = self.size[likely] - events[:, likely]
            if self.size is not self.total:
                events = np.minimum(events * (self.total / self.size), self.total)
            yield from (Draw(self.total, row) for row in events)


class Units(NamedTuple):
    """What weight each unit has in each cell.

    Attributes
    ----------
    matrix : scipy sparse array
        A row a cell, a column a unit.
    squares : numpy array
        Sums of squares over the units of each cell.
    """

    matrix: Any
    squares: Column

    @classmethod
    def of(cls, cell: Column, unit: Column, weight: Column, cells: int) -> Units:
        """Add up the weights of cases in the same unit and cell."""
        from scipy.sparse import coo_array

        shape = cells, int(unit.max()) + 1
        # By units, so that what a product adds to stays in the processor's cache.
        matrix = coo_array((weight.astype(np.float32), (cell, unit)), shape=shape).tocsc()
        squares = np.bincount(matrix.indices, matrix.data.astype(np.float64) ** 2, cells)
        return cls(matrix, squares)

    def batches(self, replicates: int) -> Iterator[int]:
        """Share replicates out."""
        cells, units = self.matrix.shape
        return batches(replicates, max(units // LESS, MORE * cells))

    def sums(self, number: Column) -> Column:
        """Add up numbers of the units, a draw a column, over each cell: then a draw is a row."""
        return np.asarray(self.matrix @ number).T.astype(np.float64)


class Shared(NamedTuple):
    """What the units of a kind add to the cells of some draws.

    Attributes
    ----------
    units : Units
        The units.
    sums : numpy array
        The numbers of the units of each cell, times their weight there, added up; a row a draw.
    rho : numpy array or float
        How much the numbers of two cases of a unit are correlated.
    """

    units: Units
    sums: Column
    rho: Column | float


def draw_events(
    cells: RandomCells,
    weight: Column,
    probability: Column,
    shared: Sequence[Shared],
    rng: Rng,
) -> Column:
    """Draw the events of each cell, given its weight and what its units share."""
    from scipy.special import ndtr, ndtri

    total = np.maximum(weight, np.finfo(np.float32).tiny)
    place = ndtri(probability) + np.zeros_like(total)
    known, left = np.zeros_like(total), np.ones_like(total)
    variance = probability * (1 - probability)
    density = np.exp(-(ndtri(probability) ** 2)) / (2 * math.pi)
    together, before = 0.0, np.zeros(len(probability))
    for units, sums, rho in shared:
        kappa = np.minimum(units.squares / cells.total / total, 1.0)
        mean = float(np.mean(rho))
        together += mean
        after = agreement(probability, together)
        # The mean number of several units understates how much their outcomes agree.
        more = np.ones(len(probability))
        np.divide(variance * (after - before), density * mean, out=more, where=density * mean > 0)
        reach = rho * (more + kappa * (1 - more))
        place += np.sqrt(reach) * sums / total
        known += reach * kappa
        left -= kappa * (after - before)
        before = after
    chance = ndtr(place / np.sqrt(1 - np.minimum(known, MOST_SHARED)))
    count = weight * (cells.size / cells.total) * left / (1 - before)
    count = np.rint(count).clip(1)
    return np.minimum(_binomials(count, chance, rng) * (weight / count), weight)


def normal_numbers(shape: tuple[int, ...], rng: Rng) -> Column:
    """Draw from 65,536 quantiles, in a third of the time that normal numbers take."""
    return _looked_up(_normal_quantiles(), shape, rng)[0]


@cache
def _normal_quantiles() -> list[Column]:
    from scipy.special import ndtri

    return [ndtri(QUANTILES).astype(np.float32)]


@cache
def _poisson_quantiles() -> list[Column]:
    """Return those of Poisson numbers of mean 1, and of the sums of as many normal numbers."""
    from scipy.special import ndtri, pdtr

    times = np.searchsorted(pdtr(np.arange(20), 1), QUANTILES)
    first, size = np.searchsorted(times, times), np.bincount(times)[times]
    normal = ndtri((np.arange(len(times)) - first + 0.5) / size)
    return [times.astype(np.float32), (np.sqrt(times) * normal).astype(np.float32)]


def _looked_up(tables: Sequence[Column], shape: tuple[int, ...], rng: Rng) -> list[Column]:
    """Draw a place in tables of quantiles for each number."""
    place = rng.integers(0, len(QUANTILES), shape, dtype=np.uint16)
    return [np.take(table, place, mode="wrap") for table in tables]


def agreement(probability: Column, rho: float) -> Column:
    r"""Return the correlation of two outcomes whose normal numbers have the correlation rho.

    Both happen with the probability :math:`t - 2 T(\Phi^{-1}(t), \sqrt{(1 - \rho) / (1 + \rho)})`,
    with T that of Owen.
    """
    from scipy.special import ndtri, owens_t

    variance = probability * (1 - probability)
    apart = 2 * owens_t(ndtri(probability), np.sqrt((1 - rho) / (1 + rho)))
    result = 1 - np.divide(apart, variance, out=np.ones_like(apart), where=variance > 0)
    return np.asarray(result.clip(0.0, MOST_SHARED))


def shown_share(clusters: int, cases: float, bins: int) -> float:
    """Return the share of a covariance within clusters that residuals show.

    The mean of its bin is subtracted from each case. Bins hold all clusters, which takes away
    ``1 / clusters`` of the covariance of two cases; and each case is part of the mean of its own
    bin, which takes away one over the size of either bin, ``bins / cases`` on average.
    """
    return max(1 - 1 / clusters - 2 * bins / cases, 0.5)


@dataclass(frozen=True, eq=False)
class ClusteredCells(RandomCells):
    """Cells of cases in clusters, which are drawn as a whole.

    Attributes
    ----------
    units : Units
        The clusters.
    events : numpy array
        The weight of the events of each cell.
    in_unit : numpy array
        The weight of the events of each cluster.
    """

    units: Units
    events: Column
    in_unit: Column

    def tables(self, truth: Column, replicates: int, rng: Rng, fitted: Known = None) -> Tables:
        """Draw clusters with replacement, and outcomes that depend on one another within them."""
        rho = 0.0 if fitted is None else self.correlation(fitted)
        # The same clusters serve all curves that outcomes are drawn from.
        drawn = once(self, f"_{replicates}", lambda: list(self._draw_clusters(replicates, rng)))
        for weight, sums in drawn:
            shared = [Shared(self.units, sums, rho)]
            yield weight, draw_events(self, weight, truth, shared, rng)

    def _draw_clusters(self, replicates: int, rng: Rng) -> Tables:
        """Draw clusters, and add up their weights in each cell and their numbers."""
        clusters = len(self.in_unit)
        for rows in self.units.batches(replicates):
            if clusters > CLUSTERS:
                # How many are drawn varies by its root, which means over cases do not notice.
                times, number = _looked_up(_poisson_quantiles(), (clusters, rows), rng)
            else:
                drawn = (rng.integers(0, clusters, clusters) for _ in range(rows))
                columns = [np.bincount(some, minlength=clusters) for some in drawn]
                times = np.stack(columns, axis=1).astype(np.float32)
                number = normal_numbers(times.shape, rng) * np.sqrt(times)
            yield self.units.sums(times), self.units.sums(number)

    def correlation(self, recalibrated: Column) -> float:
        """Find the correlation of the normal numbers of a cluster that its outcomes suggest.

        What recalibrated forecasts leave unexplained agrees within clusters as much as drawn
        outcomes will.
        """
        from scipy.optimize import brentq

        matrix, each = self.units.matrix, self.total / self.size
        agreed = self._agreed(recalibrated, each)
        variance = recalibrated * (1 - recalibrated)

        def more(rho: float) -> float:
            # The covariance between two cells is about the geometric mean of those within them.
            shared = variance * agreement(recalibrated, rho)
            roots = matrix.T @ np.sqrt(shared)
            return float(roots @ roots - (self.total * each) @ shared) - agreed

        if more(0.0) >= 0:
            return 0.0
        return MOST_SHARED if more(MOST_SHARED) <= 0 else float(brentq(more, 0.0, MOST_SHARED))

    def _agreed(self, recalibrated: Column, each: Column) -> float:
        """Add up what is left unexplained of two cases of a cluster, times one another.

        The bins of a recalibration follow the outcomes. What is left of n independent ones adds up
        to 0 in each bin, so that two have the covariance :math:`-v / n`, which is added here.
        `shown_share` is what bins leave of dependence.
        """
        from scipy.sparse import csc_array

        left = self.in_unit - self.units.matrix.T @ recalibrated
        alone = self.events * (1 - recalibrated) ** 2
        alone += (self.total - self.events) * recalibrated**2
        rate, number = np.unique(recalibrated, return_inverse=True)
        matrix = self.units.matrix
        bins = csc_array((matrix.data, number[matrix.indices], matrix.indptr), copy=True)
        bins.sum_duplicates()
        squares = np.bincount(bins.indices, bins.data.astype(np.float64) ** 2, len(rate))
        total, own = (np.bincount(number, x) for x in (self.total, self.total * each))
        agreed = float(left @ left - alone @ each + rate * (1 - rate) / total @ (squares - own))
        return agreed / shown_share(len(left), float(self.size.sum()), len(rate))


class TimedUnits(NamedTuple):
    r"""Units of a kind, whose outcomes have the correlation :math:`a + b (\psi - 1)`."""

    units: Units
    a: float
    b: float


@dataclass(frozen=True, eq=False)
class TimedCells(RandomCells):
    r"""Cells of cases in time, in runs of neighbouring times that share a number.

    Forecasts stay where they are. A run is as long as outcomes depend on one another: L times of
    the correlation :math:`\gamma` of neighbours make sums vary as much as measured,
    :math:`\psi = 1 + (L - 1) \gamma`. Of several cases a time, some number is that of all cases of
    a run, and some that of those alone that go together from one time to the next.

    Attributes
    ----------
    kinds : sequence of TimedUnits
        The runs of times, and the cases of them that go together.
    psi, degrees : float
        By how much sums vary, and how well that is known.
    """

    kinds: Sequence[TimedUnits]
    psi: float
    degrees: float

    def tables(self, truth: Column, replicates: int, rng: Rng, fitted: Known = None) -> Tables:  # noqa: ARG002
        """Draw the outcomes alone: to draw times with replacement would tear them apart.

        Psi is known to a few degrees of freedom only, so each draw has one of its own.
        """
        for rows in self.kinds[-1].units.batches(replicates):
            psi = self.psi * self.degrees / rng.chisquare(self.degrees, (rows, 1))
            weight = np.broadcast_to(self.total, (rows, len(self.value))).astype(np.float64)
            shared = []
            for units, a, b in self.kinds:
                number = normal_numbers((units.matrix.shape[1], rows), rng)
                same = (a + b * np.maximum(psi - 1, 0)).clip(0.0, 1.0)
                shared.append(Shared(units, units.sums(number), np.sin(math.pi / 2 * same)))
            most = np.maximum(sum(x.rho for x in shared) / MOST_SHARED, 1.0)
            shared = [x._replace(rho=x.rho / most) for x in shared]
            yield weight, draw_events(self, weight, truth, shared, rng)

    def outcomes(self, truth: Column, replicates: int, rng: Rng) -> Draws:
        """Draw the outcomes alone."""
        for _, events in self.tables(truth, replicates, rng):
            yield from (Draw(self.total, row) for row in events)


@dataclass(frozen=True, eq=False)
class CountsOfCells:
    """What draws the same random numbers of cases again and again.

    Few cases are drawn by how many cumulative probabilities a uniform number reaches; of many, the
    number is nearly normal.

    Attributes
    ----------
    few, many : numpy array
        The cells of either kind; the former by how many probabilities they have, most first.
    limits : sequence of numpy arrays
        The probabilities of 0, of at most 1, and so on, of the cells that can have more; in units
        of 1 / 2 ** 32.
    moments : tuple of numpy arrays
        The mean, the variance and the third moment of each other cell.
    most : numpy array or float
        The greatest number of it.
    """

    few: Column
    many: Column
    limits: Sequence[Column]
    moments: tuple[Column, ...]
    most: Column | float

    @classmethod
    def of(
        cls,
        moments: tuple[Column, ...],
        share: Column,
        growth: Growth,
        most: Column | float = np.inf,
    ) -> CountsOfCells:
        """Add up the probabilities, given that of 0 and how each grows to the next."""
        narrow = moments[1] < WIDE
        few, total = np.flatnonzero(narrow), share[narrow]
        limits: list[Column] = []
        share, steps = total.copy(), np.zeros(len(few), dtype=np.intp)
        while (more := total < ALMOST).any():
            share *= growth(few, len(limits))
            limits.append(np.where(more, total, 1.0))
            total, steps = total + share, steps + more
        order = np.argsort(-steps, kind="stable")
        sorted_limits = [(x[order[x[order] < 1]] * 2**32).astype(np.uint32) for x in limits]
        wide = tuple(x[~narrow] for x in moments)
        most = most[~narrow] if isinstance(most, np.ndarray) else most
        return cls(few[order], np.flatnonzero(~narrow), sorted_limits, wide, most)

    @classmethod
    def poisson(cls, mean: Column) -> CountsOfCells:
        """Get ready to draw Poisson numbers."""
        return cls.of((mean, mean, mean), np.exp(-mean), lambda few, k: mean[few] / (k + 1))

    @classmethod
    def binomial(cls, cases: Column, probability: Column) -> CountsOfCells:
        """Get ready to draw binomial numbers of a probability of at most a half."""
        mean = cases * probability
        variance = mean * (1 - probability)
        moments = mean, variance, variance * (1 - 2 * probability)
        odds = probability / (1 - probability)
        none = np.exp(cases * np.log1p(-probability))
        return cls.of(moments, none, lambda few, k: (cases - k)[few] / (k + 1) * odds[few], cases)

    def draw(self, rows: int, rng: Rng) -> Column:
        """Draw a number for each cell, many times, a draw a row."""
        result = np.empty((rows, len(self.few) + len(self.many)), dtype=np.int64)
        number = rng.integers(0, 1 << 32, (rows, len(self.few)), dtype=np.uint32)
        count = np.zeros(number.shape, dtype=np.uint8)
        for limit in self.limits:
            count[:, : len(limit)] += number[:, : len(limit)] >= limit
        result[:, self.few] = count
        normal = _normals(self.moments, (rows, len(self.many)), rng)
        result[:, self.many] = np.clip(normal, 0.0, self.most, out=normal)
        return result


def _binomials(cases: Column, probability: Column, rng: Rng) -> Column:
    """Draw one binomial number of each number of cases and probability."""
    mean = cases * probability
    variance = mean * (1 - probability)
    narrow, result = variance < WIDE, np.empty(mean.shape)
    result[narrow] = rng.binomial(cases[narrow].astype(np.int64), probability[narrow])
    moments = mean, variance, variance * (1 - 2 * probability)
    wide = tuple(x[~narrow] for x in moments)
    number = _normals(wide, wide[0].shape, rng)
    result[~narrow] = np.clip(number, 0.0, cases[~narrow], out=number)
    return result


def _normals(moments: tuple[Column, ...], shape: Any, rng: Rng) -> Column:
    """Draw normal numbers of a mean, a variance and a third moment, skewed and rounded.

    Rounding adds a twelfth to their variance.
    """
    mean, variance, third = moments
    normal = normal_numbers(shape, rng)
    number = normal * np.sqrt(variance - 1 / 12)
    np.square(normal, out=normal)
    normal -= 1
    number += normal * (third / variance / 6)
    number += mean
    return np.asarray(np.rint(number, out=number))


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
