r"""Comparison of models by mean regret, over every range between some thresholds at once.

The integral of regret over a range, for one case, depends only on where the forecast p lies in it.
With p moved to the nearer end if it lies outside, it is :math:`\psi_0(p) - \psi_0(a)` if there was
no event, and :math:`\psi_1(b) - \psi_1(p)` if there was one, where

.. math:: \psi_0(p) = p^2 / 2, \qquad \psi_1(p) = p - p^2 / 2 .

So two models differ, in one case, by what of psi between their forecasts lies in the range; and a
model differs by its own regret from forecasts that are always right. Cells are the ranges between
neighbouring thresholds. How they vary together follows from counts of cases by the two cells that
the forecasts lie in; a longer range is a sum of cells.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import NamedTuple

import numpy as np

from properly._boundary._chunks import share_out
from properly._boundary._libraries import infinities
from properly._boundary._record import Record
from properly._boundary._tolerances import CANCELLED
from properly.comparison._differences import forecasts_of
from properly.comparison._pair_tests import FEW, most_signs, student_p
from properly.counts._cases import Cases, is_in_place, rows_in_use
from properly.inference._design import Design, is_alike
from properly.inference._shares import student
from properly.inference._variance import degrees_of, panel_parts, spread_of_totals
from properly.rules._interval import Interval
from properly.typing import Column

# The ends of ranges that readers choose between, in percent, and those of very many models.
LOW = (0, 0.1, 0.2, 0.3, 0.5, 0.7)
ENDS = (*LOW, *np.arange(1, 10, 0.5), *range(10, 21), 22, 25, 27.5, *range(30, 100, 5), 98, 99, 100)
FEWER = (0, 0.5, 1, 2, 5, 10, 15, 20, 30, 50, 75, 100)
# More numbers than this, clusters by cells, would take too much memory.
MOST = 1 << 22
# Cases of a piece, which stay in the cache.
PIECE = 1 << 15


@dataclass(frozen=True, eq=False)
class OverRanges(Record):
    """How sure mean regret is over every range between some thresholds, and who is better there.

    Attributes
    ----------
    models : tuple of str
        The names of the models.
    threshold : array
        The thresholds, from 0 to 1.
    standard_error : array
        Of the mean regret: a row a model, a column a range. Ranges are pairs of thresholds, in the
        order of the lower and then of the upper one.
    p_value : array
        Of the difference of two models: a row a pair, in the order of the models, a column a range;
        not adjusted for the number of pairs. It is that of `properly.compare`; but where fewer than
        20 cases differ, the greater of that of Student's t and the bound for changes of sign.
    quantile : float
        How many standard errors intervals reach on either side.
    level : float
        How sure intervals are.
    """

    models: tuple[str, ...]
    threshold: Column
    standard_error: Column
    p_value: Column
    quantile: float
    level: float


def ends_of_ranges(within: Interval | None, *, few: bool = False) -> Column:
    """Return thresholds between which ranges are compared, those of a given range among them."""
    ends = () if within is None else (within.lower, within.upper)
    # Rounded, so that an end that is among them already is not there twice.
    return np.unique(np.round([*np.array(FEWER if few else ENDS) / 100, *ends], 12))


class _ModelCells(NamedTuple):
    """The forecasts, the cell that each lies in, and sums over all cases.

    The sums are of the regret in each cell: with weights, with their squares, and by cluster.
    """

    p: Column
    cell: Column
    sums: Column
    squared: Column
    totals: Column | None


class _DifferenceMoments(NamedTuple):
    """A difference of two models over each range.

    Its mean and its variance, the sum of squares of its terms, and how many cases differ.
    """

    mean: Column
    variance: Column
    squares: Column
    differing: Column


def compare_over_ranges(
    models: dict[str, Cases], threshold: Column, *, level: float
) -> OverRanges | None:
    """Compare all pairs of models over all ranges.

    None of very many clusters or times, and of tensors, whose rows stay where they are.
    """
    cases = next(iter(models.values()))
    if is_in_place(cases):
        return None
    grid = _RangeCells(rows_in_use(cases).y, Design.of(cases), threshold)
    if grid.label is not None and grid.design.units * grid.cells > MOST:
        return None
    columns = share_out(grid.model, forecasts_of(models))
    right = grid.model(grid.y)
    alone = [(model, right) for model in columns]
    found = share_out(lambda pair: grid.moments(*pair), [*alone, *combinations(columns, 2)])
    error = [np.sqrt(x.variance) for x in found]
    tests = [grid.p_value(x, e) for x, e in zip(found, error, strict=True)]
    shape = (-1, len(error[0]))
    return OverRanges(
        tuple(models),
        threshold,
        np.reshape(error[: len(models)], shape),
        np.reshape(tests[len(models) :], shape),
        student(grid.degrees, level),
        level,
    )


class _RangeCells:
    """Thresholds, the cells between them, and the cases that forecasts are about."""

    def __init__(self, y: Column, design: Design, threshold: Column) -> None:
        self.y, self.design, self.threshold = y, design, threshold
        self.cells = len(threshold) - 1
        self.psi = np.stack([threshold * threshold / 2, threshold - threshold * threshold / 2])
        self.width = np.diff(self.psi)
        self.lower, self.upper = np.triu_indices(self.cells + 1, 1)
        self.length = threshold[self.upper] - threshold[self.lower]
        self.weight = None if is_alike(design.weight) else design.weight
        self.square = None if self.weight is None else self.weight**2
        self.total, self.squares = (
            float(len(y) if x is None else x.sum()) for x in (self.weight, self.square)
        )
        label = design.unit
        if label is None and design.stratum is not None:
            label = np.arange(len(y))
        self.label = label
        self.degrees = float(len(y) - 1)
        self.size: Column = np.zeros(0)
        if label is not None:
            self.degrees = degrees_of(design)
            self.size = np.bincount(label, self.weight, design.units)

    def model(self, p: Column) -> _ModelCells:
        """Say where forecasts lie; 1 lies in the last cell."""
        kind = np.uint8 if self.cells < 1 << 8 else np.intp
        cell = np.empty(len(p), dtype=kind)
        for start in range(0, len(p), PIECE):
            above = np.searchsorted(self.threshold, p[start : start + PIECE], side="right")
            cell[start : start + PIECE] = np.minimum(above - 1, self.cells - 1)
        sums = self._regret(p, cell, self.weight)[:, 0]
        squared = sums if self.square is None else self._regret(p, cell, self.square)[:, 0]
        if self.label is None:
            return _ModelCells(p, cell, sums, squared, None)
        totals = self._regret(p, cell, self.weight, self.label, self.design.units)
        return _ModelCells(p, cell, sums, squared, totals)

    def rows(self, outcome: int, size: int = PIECE) -> Iterator[Column]:
        """Go through the cases of an outcome, piece by piece."""
        for start in range(0, len(self.y), size):
            yield start + np.flatnonzero(self.y[start : start + size] == bool(outcome))

    def moments(self, one: _ModelCells, other: _ModelCells) -> _DifferenceMoments:
        """Find how one model differs from another, over all ranges."""
        mean = (one.sums - other.sums) / self.total
        squares, differing = self._products(one, other)
        if one.totals is None or other.totals is None:
            count = np.float64(len(self.y))
            tilt = np.outer(mean, one.squared - other.squared)
            varied = squares - tilt - tilt.T + self.squares * np.outer(mean, mean)
            with infinities():
                joint = varied / self.total**2 * (count / (count - 1))
        else:
            between = one.totals - other.totals
            squares = between @ between.T
            between -= np.outer(mean, self.size)
            joint = self._joint(between / self.total)
        # A sum over cells has a variance of its own: of a panel, the greatest of three.
        variance = np.max(
            [self._blocks(x) for x in np.reshape(joint, (-1, *squares.shape))], axis=0
        )
        squares = self._blocks(squares) / self.total**2
        # What differs by the same amount in all cases varies by rounding alone.
        variance[variance <= CANCELLED * squares] = 0.0
        value, length = self._ranges(mean) / self.length, self.length**2
        return _DifferenceMoments(value, variance / length, squares / length, differing)

    def _joint(self, total: Column) -> Column:
        """Find how totals of units vary together; of a panel, in three ways."""
        if self.design.is_panel:
            of_clusters, of_times, own = panel_parts(total, self.design)
            both = of_clusters.covariance + of_times.covariance - own
            return np.stack([both, of_clusters.covariance, of_times.covariance])
        return spread_of_totals(total, self.design).covariance

    def p_value(self, pair: _DifferenceMoments, error: Column) -> Column:
        """Test each difference against zero."""
        p = student_p(pair.mean, error, self.degrees, pair.differing)
        few = (pair.differing > 0) & (pair.differing < FEW) & (self.design.time is None)
        with infinities():
            bound = most_signs(pair.mean / np.sqrt(pair.squares))
        return np.where(few, np.maximum(p, bound), p)

    def _ranges(self, cells: Column) -> Column:
        """Add cells up to ranges."""
        return np.concatenate([np.cumsum(cells[k:]) for k in range(self.cells)])

    def _blocks(self, joint: Column) -> Column:
        """Add up what all pairs of cells of a range have together.

        Each range begins anew: differences of sums over all cells would lose digits.
        """
        parts = (joint[k:, k:].cumsum(axis=0).cumsum(axis=1) for k in range(self.cells))
        return np.concatenate([part.diagonal() for part in parts])

    def _regret(
        self,
        p: Column,
        cell: Column,
        weight: Column | None,
        label: Column | None = None,
        units: int = 1,
    ) -> Column:
        """Add up the regret of cases: a row a cell, a column a cluster or a time."""
        result = np.zeros((self.cells, units))
        for outcome in (0, 1):
            whole = np.zeros_like(result)
            for rows in self.rows(outcome, PIECE if label is None else len(p)):
                at = cell[rows].astype(np.intp)
                place = at if label is None else at * units + label[rows]
                part = np.abs(self.psi[outcome][at + outcome] - _psi(outcome, p[rows]))
                w = np.ones_like(part) if weight is None else weight[rows]
                whole += np.bincount(place, w, whole.size).reshape(whole.shape)
                result += np.bincount(place, w * part, whole.size).reshape(whole.shape)
            # A false alarm costs at all thresholds below, a missed event at all above.
            passed = _before(whole) if outcome else _after(whole)
            result += passed * self.width[outcome][:, None]
        return result

    def _products(self, one: _ModelCells, other: _ModelCells) -> tuple[Column, Column]:
        """Add up the products of what two models differ by in two cells, and count differences."""
        result = np.zeros((self.cells, self.cells))
        # How many cases differ: in all, up to each threshold, and from it on.
        counts = np.zeros((3, self.cells + 1), dtype=np.int64)
        for outcome in (0, 1):
            tables: Column = np.zeros((6, self.cells**2))
            alone = np.zeros(self.cells)
            for rows in self.rows(outcome):
                low, high = _sorted(*(x.cell[rows].astype(np.intp) for x in (one, other)))
                first, last = _sorted(*(_psi(outcome, x.p[rows]) for x in (one, other)))
                square = np.ones(len(rows)) if self.square is None else self.square[rows]
                case = _PairedCells(low, high, first, last, square)
                if self.label is None:
                    tables += case.tables(self.psi[outcome], self.cells)
                    alone += case.alone(self.cells)
                counts += case.counts(self.psi[outcome], self.cells)
            result += _from_tables(tables.reshape(6, self.cells, -1), self.width[outcome], alone)
        every, below, above = counts
        return result, every[self.lower] - below[self.lower] - above[self.upper]


class _PairedCells(NamedTuple):
    """Some cases: the cells of the lower and of the higher forecast, psi of both, and weights.

    Weights are squared.
    """

    low: Column
    high: Column
    first: Column
    last: Column
    weight: Column

    def tables(self, ends: Column, cells: int) -> Column:
        """Add up by both cells: how many, what is left in the lower, what is reached in the higher.

        Then the squares of these two, and their product.
        """
        w, place = self.weight, self.low * cells + self.high
        rest, reach = ends[self.low + 1] - self.first, self.last - ends[self.high]
        weighted, reached = w * rest, w * reach
        amounts = (w, weighted, reached, weighted * rest, reached * reach, weighted * reach)
        return np.stack([np.bincount(place, x, cells * cells) for x in amounts])

    def alone(self, cells: int) -> Column:
        """Add up squares of differences of forecasts in the same cell."""
        apart = (self.last - self.first) * (self.low == self.high)
        return np.bincount(self.low, self.weight * apart * apart, cells)

    def counts(self, ends: Column, cells: int) -> Column:
        """Count cases that differ: in all, up to each threshold, and from it on."""
        differs = self.first != self.last
        low, high = self.low[differs], self.high[differs]
        result = np.full((3, cells + 1), [[len(low)], [0], [0]])
        begins = high[self.last[differs] == ends[high]]
        result[1, :cells] = np.bincount(begins, minlength=cells)
        result[1, 1:] += np.cumsum(np.bincount(high, minlength=cells))
        result[2, :cells] = np.bincount(low, minlength=cells)[::-1].cumsum()[::-1]
        return result


def _from_tables(tables: Column, width: Column, same: Column) -> Column:
    """Make products of differences in two cells from what was added up by both cells."""
    count, rest, reach, rest_2, reach_2, both = tables
    inside = _before(_after(count.T).T)
    upper = np.outer(width, width) * inside + both
    upper += width * _after(rest.T).T + width[:, None] * _before(reach)
    upper = np.triu(upper, 1)
    alone = width**2 * inside.diagonal() + same
    alone += _after(rest_2.T).T.diagonal() + _before(reach_2).diagonal()
    return np.asarray(upper + upper.T + np.diag(alone))


def _sorted(one: Column, other: Column) -> tuple[Column, Column]:
    return np.minimum(one, other), np.maximum(one, other)


def _psi(outcome: int, p: Column) -> Column:
    half = p * p / 2
    return p - half if outcome else half


def _before(x: Column) -> Column:
    """Add up what stands before, along the first axis."""
    result: Column = np.concatenate([np.zeros_like(x[:1]), np.cumsum(x[:-1], axis=0)])
    return result


def _after(x: Column) -> Column:
    """Add up what stands after."""
    result: Column = _before(x[::-1])[::-1]
    return result
