"""`Counts` at forecasts, or in cells, that add to the same in any order.

Below the record stands the counting: forecasts put into cells, weights multiplied and added up in
digits (`_digits`), without rounding whole numbers.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from properly._boundary._arrays import MOST, require_countable
from properly._boundary._libraries import freeze, to_numpy
from properly._boundary._options import check_whole
from properly._boundary._text import many
from properly.counts._pooling import EXACT, count, count_repeated, run_ends
from properly.counts._tally import Tally, require_one_kind
from properly.engines._exact_sums import UNIT, Total
from properly.engines._long_integers import (
    BITS,
    Digits,
    as_rounded,
    as_whole_numbers,
    carried,
    digits_of_counts,
    digits_of_floats,
    lengthened,
    over,
    product,
)
from properly.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from properly.typing import Column

# The least and the largest weight: numbers as they were given, compared without rounding.
Range: TypeAlias = "tuple[float, float]"

# Up to this many distinct forecasts are kept as they are; more are grouped into cells.
MOST_DISTINCT = 1_000_000
CELLS = 100_000
# Digits of a count, of a forecast that is not in the first cell, and so of their product; of a
# square. Counts add up to less than 2**63.
WHOLE, BEHIND = 3, 4
MOMENT, SQUARE = WHOLE + BEHIND, 2 * WHOLE


@dataclass(frozen=True, eq=False, repr=False)
class Counts:
    """Cases counted at each distinct forecast, or in cells, so that they add exactly.

    Where a `Tally` in cells keeps the mean forecast of each, which is rounded, counts keep the sum
    of all forecasts. If weights are whole numbers every sum is exact: what comes out never depends
    on how the rows were ordered or shared out, bit for bit. Sums of fractions are floats.

    Attributes
    ----------
    place : array
        The distinct forecasts, or the numbers of the cells that have cases, increasing. Cell 0 is
        exactly 0, the last is exactly 1.
    weight, events : array
        The cases there and those with the event: int64 if weights are whole numbers.
    event_squares, nonevent_squares : array or None
        The sums of squared weights. None if cases were counted; digits, one column a place, if
        weights are whole numbers, which fractions may follow; else floats.
    moment : array or None
        The sums of weight times forecast in cells: digits, four of them behind the
        point, or floats.
    least : Total
        The moment of cell 1 if weights are whole numbers: forecasts there may be as small as can
        be, and its digits are 0.
    cells : int or None
        The number of cells, None if every forecast is kept.
    weights : tuple of numbers or None
        The least and the largest weight of a row. None if cases were counted, or if it is not
        known; weights are then taken to differ.

    Examples
    --------
    >>> import numpy as np
    >>> from properly.engines._cell_counts import Counts
    >>> counts = Counts.of_rows(np.array([False, True, True]), np.array([0.2, 0.2, 0.7]))
    >>> counts
    Counts(3 cases at 2 distinct forecasts)
    >>> (counts + counts).grouped(4)
    Counts(6 cases in 2 of 4 cells)
    """

    place: Column
    weight: Column
    events: Column
    event_squares: Column | None = None
    nonevent_squares: Column | None = None
    moment: Column | None = None
    least: Total = field(default_factory=Total, kw_only=True)
    cells: int | None = field(default=None, kw_only=True)
    weights: Range | None = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        freeze(self)

    @classmethod
    def of_rows(
        cls,
        y: Column,
        p: Column,
        weight: Column | None = None,
        cells: int | None = None,
        *,
        times: Column | None = None,
    ) -> Counts:
        """Count rows that have been checked.

        Parameters
        ----------
        y : numpy array of bool
            Whether the event happened.
        p : numpy array
            Probabilities of the event.
        weight : numpy array, optional
            Sampling weights. Rows of weight 0 are left out.
        cells : int, optional
            Group forecasts into so many cells.
        times : numpy array of int64, optional
            How many like cases each row stands for. Rows that stand for none are left out.
        """
        p = p.astype(np.float64, copy=False)
        for amount in (weight, times):
            if amount is not None and not (amount > 0).all():
                used = amount > 0
                weight, times = (None if x is None else x[used] for x in (weight, times))
                return cls.of_rows(y[used], p[used], weight, cells, times=times)
        if weight is not None:
            columns = weighed_columns(y, as_exact(weight), times)
            counts = cls(*added_up(p, columns), weights=range_of(weight, weight))
        else:
            counts = cls(*(count(y, p) if times is None else count_repeated(y, p, times)))
        return counts if cells is None else counts.grouped(cells)

    @classmethod
    def of_tally(cls, tally: Tally, weights: Range | None = None) -> Counts:
        """Take the counts of a tally; of one in cells, their mean forecasts."""
        value = to_numpy(tally.value).astype(np.float64)
        weight, events = to_numpy(tally.weight), to_numpy(tally.events)
        both = tally.event_squares, tally.nonevent_squares
        squares = exact_squares([None if x is None else to_numpy(x) for x in both], weight)
        counts = cls(value, weight, events, *squares, weights=weights)
        return counts if tally.cells is None else counts.grouped(tally.cells)

    @classmethod
    def of_cells(  # noqa: PLR0917
        cls,
        cells: int,
        cell: Column,
        weight: Column,
        events: Column,
        event_squares: Column | None,
        nonevent_squares: Column | None,
        moment: Column,
        *,
        weights: Range | None = None,
    ) -> Counts:
        """Take sums over cells, in any order, repeated or not, which somebody else has added up.

        Parameters
        ----------
        cells : int
            The number of cells.
        cell : numpy array
            Cell numbers, from 0 to ``cells + 1``.
        weight, events : numpy array
            Cases, and those with the event; or sums of their weights.
        event_squares, nonevent_squares : numpy array or None
            Sums of squared weights; None if cases were counted.
        moment : numpy array of float
            Sums of weight times forecast.
        weights : tuple of numbers, optional
            The least and the largest weight of a row.
        """
        cell = cell.astype(np.int64, copy=False)
        if weight.dtype.kind == "f":
            columns: list[Any] = [weight, events, event_squares, nonevent_squares, moment]
            return cls(*added_up(cell, columns), cells=cells, weights=weights)
        squares = exact_squares([event_squares, nonevent_squares], weight)
        lowest, least = cell == 1, Total.of(moment[cell == 1])
        moments = digits_of_floats(np.where(lowest, 0.0, moment), WHOLE, BEHIND)
        columns = added_up(cell, [weight, events, *squares, moments])
        return cls(*columns, least=least, cells=cells, weights=weights)

    def grouped(self, cells: int) -> Counts:
        """Group forecasts into equally wide cells, as `Tally.group` does."""
        cells = check_whole(cells, "cells")
        if cells == self.cells:
            return self
        cell = cell_of(self.place, cells) if self.cells is None else self._coarser(cells)
        moment, least = self._moments(cell)
        squares = self.event_squares, self.nonevent_squares
        columns = added_up(cell, [self.weight, self.events, *squares, moment])
        return Counts(*columns, least=least, cells=cells, weights=self.weights)

    def bounded(self, most: int | None = None, cells: int | None = None) -> Counts:
        """Group forecasts if there are too many distinct ones, MOST_DISTINCT or fewer."""
        if self.cells is not None or len(self) <= (MOST_DISTINCT if most is None else most):
            return self
        return self.grouped(CELLS if cells is None else cells)

    def tally(self, *, divided: bool = True) -> Tally:
        """Make a tally of the counts; weights that are all the same are divided out, or kept."""
        columns, unit = [self.place, self.weight, self.events], None
        if self.cells is not None and self.moment is not None:
            columns[0] = self._means(self.moment, self.cells)
        if divided and self.weights is not None and self.has_equal_weights:
            unit = float(self.weights[0])
            columns[1:] = [times_of(x, self.weights[0]) for x in columns[1:]]
        elif self.event_squares is not None and self.nonevent_squares is not None:
            squares = self.event_squares, self.nonevent_squares
            columns += squares if self.is_fractional else map(as_rounded, squares)
        return Tally._of(columns, self.cells, unit)  # noqa: SLF001

    @property
    def is_weighted(self) -> bool:
        """Whether rows had weights, equal or not; else cases were counted."""
        return self.event_squares is not None

    @property
    def has_equal_weights(self) -> bool:
        """Whether all rows are known to weigh the same, which says nothing."""
        return self.weights is not None and self.weights[0] == self.weights[1]

    @property
    def is_fractional(self) -> bool:
        """Whether there were weights that are no whole numbers."""
        return bool(self.weight.dtype.kind == "f")

    @property
    def total(self) -> int | float:
        """Number of cases, or their total weight."""
        return float(self.weight.sum()) if self.is_fractional else int(self.weight.sum())

    def __len__(self) -> int:
        """Count the distinct forecasts, or the cells that have cases."""
        return len(self.place)

    def __add__(self, other: object) -> Counts:
        """Add the counts of other rows; the coarser grouping holds for both."""
        if not isinstance(other, Counts):
            return NotImplemented
        one, two = self, other
        require_one_kind(not one.is_weighted, not two.is_weighted)
        cells = min((x.cells for x in (one, two) if x.cells is not None), default=None)
        if cells is not None:
            one, two = one.grouped(cells), two.grouped(cells)
        if one.is_fractional or two.is_fractional:
            one, two = one._as_fractions(), two._as_fractions()
        else:
            require_countable(one.total + two.total)
        columns = together((one.place, *one._columns()), (two.place, *two._columns()))
        ends = range_of_both(one.weights, two.weights)
        return Counts(*columns, least=one.least + two.least, cells=cells, weights=ends)

    def __radd__(self, other: object) -> Counts:
        """Let `sum` begin with its 0."""
        return self if other == 0 else NotImplemented

    def __repr__(self) -> str:
        total = self.total
        cases = f"weight {total:,g}" if self.is_weighted else many(total, "case")
        if self.cells is None:
            return f"Counts({cases} at {many(len(self), 'distinct forecast')})"
        return f"Counts({cases} in {len(self):,} of {many(self.cells, 'cell')})"

    def _columns(self) -> tuple[Column | None, ...]:
        """Return what adds."""
        squares = self.event_squares, self.nonevent_squares
        return self.weight, self.events, *squares, self.moment

    def _as_fractions(self) -> Counts:
        """Round what was exact, to add it to what is not."""
        if self.is_fractional:
            return self
        columns: list[Any] = [x.astype(np.float64) for x in (self.weight, self.events)]
        columns += [as_rounded(x) for x in (self.event_squares, self.nonevent_squares)]  # type: ignore[arg-type]
        if self.moment is not None:
            moment = as_rounded(self.moment, BEHIND)
            moment[self.place == 1] = float(self.least)
            columns.append(moment)
        return Counts(self.place, *columns, cells=self.cells, weights=self.weights)

    def _coarser(self, cells: int) -> Column:
        """Give the cells other numbers, if borders of the coarser ones are borders of these."""
        old = self.cells or cells
        if old % cells:
            message = f"{old} cells cannot be grouped into {cells}, which does not divide them"
            raise DataError(message, hint="group the counts of all forecasts instead.")
        inside = (self.place - 1) // (old // cells) + 1
        return np.where(self.place == 0, 0, np.where(self.place > old, cells + 1, inside))

    def _moments(self, cell: Column) -> tuple[Column, Total]:
        """Multiply forecasts by weights, as the cells that they come into need it."""
        low = cell == 1
        if self.is_fractional:
            moment = self.place * self.weight if self.moment is None else self.moment
            return moment, Total()
        if self.moment is None:
            high = moments_of(np.where(low, 0.0, self.place), self.weight)
            return high, small_moment(self.place[low], self.weight[low])
        moved = int(as_whole_numbers(self.moment[:, low].sum(axis=1, keepdims=True))[0])
        unit = UNIT >> BITS * BEHIND
        return np.where(low, 0, self.moment), self.least + Total(moved * unit)

    def _means(self, moment: Column, cells: int) -> Column:
        """Divide moments by weights, rounded once; no rounding may lead out of a cell."""
        if self.is_fractional:
            mean = moment / self.weight
        else:
            mean, low = over(moment, self.weight), self.place == 1
            mean[low] = [self.least.scaled / (x * UNIT) for x in self.weight[low].tolist()]
        lower = np.maximum((self.place - 1) / cells, np.nextafter(0.0, 1.0))
        upper = np.nextafter(self.place / cells, 0.0)
        mean = np.minimum(np.maximum(mean, lower), upper)
        return np.where(self.place == 0, 0.0, np.where(self.place > cells, 1.0, mean))


def cell_of(p: Column, cells: int) -> Column:
    """Return the number of each forecast's cell: 1 and the number of borders that it reaches."""
    near = np.floor(p * cells)
    # Rounding may have carried the product over a border, which belongs to the cell above it.
    near -= p < near / cells
    near += p >= (near + 1) / cells
    inside = near.astype(np.int64) + 1
    return np.where(p == 0, 0, np.where(p == 1, cells + 1, inside))


def as_exact(weight: Column) -> Column:
    """Make int64 of whole numbers, whatever others there may be, and float64 of others."""
    total = float(weight.sum(dtype=np.float64))
    whole = weight.dtype.kind in "iu"
    if whole:
        require_countable(total)
    else:
        # Each for itself, so that it does not matter which rows come together.
        whole = bool((weight == np.floor(weight)).all()) and weight.max() < EXACT and total < MOST
    return weight.astype(np.int64 if whole else np.float64)


def moments_of(p: Column, weight: Column) -> Digits:
    """Multiply forecasts, 0 or such as are not in the first cell, by whole weights."""
    digits = product(digits_of_counts(weight), digits_of_floats(p, 0, BEHIND))
    return lengthened(digits, MOMENT)


def weighed_columns(y: Column, weight: Column, times: Column | None) -> list[Column]:
    """Return weights, those of events, and squares of both sides; of rows for so many cases."""
    if weight.dtype.kind == "f":
        square = weight * weight
        if times is not None:
            weight, square = weight * times, square * times
    else:
        digits = digits_of_counts(weight)
        square = product(digits, digits)
        if times is not None:
            require_countable(float(weight.astype(np.float64) @ times.astype(np.float64)))
            weight, square = weight * times, product(digits_of_counts(times), square)
        square = lengthened(square, max(SQUARE, len(square)))[:SQUARE]
    return [weight, weight * y, square * y, square * ~y]


def exact_squares(squares: Sequence[Column | None], weight: Column) -> list[Column | None]:
    """Write sums of squares as digits if weights are whole numbers."""
    if weight.dtype.kind == "f":
        return list(squares)
    return [
        None if x is None else digits_of_floats(x.astype(np.float64), SQUARE, 0) for x in squares
    ]


def times_of(weight: Column, each: float) -> Column:
    """Tell how many rows of the same weight add up to others; rounding has added to fractions."""
    if weight.dtype.kind != "f":
        return weight // int(each)
    return np.rint(weight / each).astype(np.int64)


def range_of(least: Column, largest: Column) -> Range:
    """Return the least and the largest weight; whole numbers as such, however they were given."""
    ends = least.min().item(), largest.max().item()
    low, high = (int(x) if x == int(x) else float(x) for x in ends)
    return low, high


def range_of_both(one: Range | None, other: Range | None) -> Range | None:
    """Return the least and the largest weight of two parts, if both are known."""
    if one is None or other is None:
        return None
    return min(one[0], other[0]), max(one[1], other[1])


def small_moment(p: Column, weight: Column) -> Total:
    """Add up weights times forecasts that may be as small as can be."""
    if not len(p):
        return Total()
    # Numbers of 27 bits, times digits of 24, are doubles without rounding.
    leading = (p.view(np.int64) & ~((1 << 27) - 1)).view(np.float64)
    total = Total()
    for k, digit in enumerate(digits_of_counts(weight)):
        part = Total.of(leading * digit) + Total.of((p - leading) * digit)
        total += Total(part.scaled << BITS * k)
    return total


def together(one: Sequence[Column | None], other: Sequence[Column | None]) -> list[Any]:
    """Add columns to columns, of which the first are places in order."""
    # A stable sort goes through two columns that are in order once.
    both = np.sort(np.concatenate([one[0], other[0]]), kind="stable")
    place = both[run_ends(both)]
    at = [np.searchsorted(place, x[0]) for x in (one, other)]  # type: ignore[arg-type]
    return [place, *(_spread(x, at, len(place)) for x in zip(one[1:], other[1:], strict=True))]


def _spread(columns: tuple[Column | None, ...], at: Sequence[Column], size: int) -> Column | None:
    """Add up a column and another one, each at its places."""
    one, other = columns
    if one is None or other is None:
        return None
    if one.shape[-1] == size:
        sums = one.copy()
    else:
        sums = np.zeros((*one.shape[:-1], size), dtype=one.dtype)
        sums[..., at[0]] = one
    sums[..., at[1]] += other
    return carried(sums) if one.ndim == 2 else sums


def added_up(place: Column, columns: Sequence[Column | None]) -> list[Any]:
    """Put rows in order and add them up where places are equal."""
    if (place[1:] < place[:-1]).any():
        order = np.argsort(place, kind="stable")
        place = place[order]
        columns = [None if x is None else x[..., order] for x in columns]
    last = run_ends(place)
    first = np.concatenate([[0], last[:-1] + 1])
    return [place[last], *(None if x is None else _sums(x, first) for x in columns)]


def _sums(x: Column, first: Column) -> Column:
    """Add up runs of numbers, or of digits."""
    sums: Digits = np.add.reduceat(x, first, axis=-1)
    return carried(sums) if x.ndim == 2 else sums
