"""Counts: what happened at each distinct forecast."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from properly._arrays import check_forecasts, check_rows, namespace, to_library_of, to_numpy
from properly.errors import ArgumentTypeError, DataError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from properly.typing import Array, ArrayLike

# Counts kept as float64 are whole numbers below this.
EXACT = 2**53


@dataclass(frozen=True, eq=False, repr=False)
class Tally:
    """What happened at each distinct forecast.

    Make one with `properly.tally`. Everything that can be said about binary forecasts of
    independent cases depends on the data only through this table. Tallies add: those of two
    parts of the data sum to that of the whole.

    Attributes
    ----------
    value : array
        The distinct forecasts, increasing.
    weight : array
        The cases at each forecast: whole numbers (int64) if the weights are, else sums of weights.
    events : array
        How many of them, or how much of their weight, had the event.
    event_squares, nonevent_squares : array or None
        Sums of the squared weights of events and of non-events. None if the weights are whole
        numbers: then a case of weight 3 is three cases.
    cells : int or None
        The number of cells that forecasts were grouped into, None if every value is kept.

    Examples
    --------
    >>> import properly
    >>> t = properly.tally([0, 1, 1], [0.2, 0.2, 0.7])
    >>> t
    Tally(3 cases at 2 distinct forecasts, event rate 0.6667)
    >>> t.value, t.weight, t.events
    (array([0.2, 0.7]), array([2, 1]), array([1, 1]))
    >>> t + t
    Tally(6 cases at 2 distinct forecasts, event rate 0.6667)
    """

    value: Array
    weight: Array
    events: Array
    event_squares: Array | None = None
    nonevent_squares: Array | None = None
    cells: int | None = None

    @classmethod
    def from_arrays(
        cls,
        y: ArrayLike,
        p: ArrayLike,
        weight: ArrayLike | None = None,
        *,
        pos_label: object = None,
    ) -> Tally:
        """Count outcomes at each distinct forecast, in one sort.

        Parameters
        ----------
        y, p, weight, pos_label
            As in `properly.tally`.
        """
        y, p, weight = check_rows(y, p, weight, pos_label=pos_label)
        xp = namespace(p)
        if p.dtype not in (xp.float32, xp.float64):
            p = xp.astype(p, xp.float32)  # half precision; exact
        if weight is None:
            return cls._of(_count(y, p))
        used = weight > 0
        return cls._of(_weigh(y[used], p[used], weight[used]))

    @classmethod
    def from_counts(cls, value: ArrayLike, weight: ArrayLike, events: ArrayLike) -> Tally:
        """Make a tally from counts at forecasts, in any order, repeated or not.

        Parameters
        ----------
        value : array-like
            Forecasts in [0, 1].
        weight : array-like of int
            How many cases had that forecast.
        events : array-like of int
            How many of those had the event.

        Examples
        --------
        >>> Tally.from_counts([0.1, 0.3], [100, 50], [9, 20])
        Tally(150 cases at 2 distinct forecasts, event rate 0.1933)
        """
        value = check_forecasts(value)
        counts = [_check_counts(x, value, n) for x, n in ((weight, "weight"), (events, "events"))]
        xp = namespace(value)
        bad = xp.nonzero(counts[1] > counts[0])[0]
        if bad.shape[0]:
            row = int(bad[0])
            message = (
                "events must not be more than the cases; "
                f"row {row} has {int(counts[1][row])} of {int(counts[0][row])}"
            )
            raise DataError(message)
        used = counts[0] > 0
        if not xp.any(used):
            message = "at least one count must be positive; all are 0"
            raise DataError(message)
        return cls._of(_pool_rows(value[used], [x[used] for x in counts]))

    def group(self, cells: int) -> Tally:
        """Group forecasts into equally wide cells; each keeps its mean forecast.

        Forecasts of exactly 0 and of exactly 1 are never mixed with others, since a certain
        forecast may cost infinity.

        Parameters
        ----------
        cells : int
            How many cells to cut [0, 1] into. A forecast on a border belongs to the cell above it.

        Examples
        --------
        >>> t = Tally.from_counts([0.0, 0.1, 0.3, 0.6], [1, 1, 3, 1], [0, 0, 1, 1])
        >>> t.group(2).value
        array([0.  , 0.25, 0.6 ])
        """
        if isinstance(cells, bool) or not isinstance(cells, int) or cells < 1:
            message = f"cells must be a whole number, 1 or more; got {cells!r}"
            raise DataError(message)
        xp = namespace(self.value)
        edges = xp.asarray([k / cells for k in range(1, cells)], dtype=self.value.dtype)
        edges = to_library_of(edges, self.value)
        cell = xp.searchsorted(edges, self.value, side="right") + 1
        cell = xp.where(self.value == 0, 0, xp.where(self.value == 1, cells + 1, cell))
        last = _last_of_runs(cell)
        first = xp.concat([xp.zeros_like(last[:1]), last[:-1] + 1])
        columns = [_sums(x, last) for x in (self.value * self.weight, *self._columns())]
        mean = columns[0] / columns[1]
        # Rounding must not carry a mean out of its cell, nor change the only value in it.
        mean = xp.maximum(xp.take(self.value, first), mean)
        mean = xp.minimum(xp.take(self.value, last), mean)
        return Tally._of([mean, *columns[1:]], cells)

    @property
    def total(self) -> float:
        """Number of cases, or their total weight."""
        return namespace(self.weight).sum(self.weight).item()  # type: ignore[no-any-return]

    @property
    def event_rate(self) -> float:
        """Share of the cases, or of their weight, that had the event."""
        return float(namespace(self.events).sum(self.events).item() / self.total)

    def __len__(self) -> int:
        """Count the distinct forecasts."""
        return int(self.value.shape[0])

    def __add__(self, other: object) -> Tally:
        """Add the counts of two parts of the data."""
        if not isinstance(other, Tally):
            return NotImplemented
        xp = namespace(self.value)
        squared = not (self.event_squares is None and other.event_squares is None)
        columns = [
            xp.concat([x, to_library_of(z, x)])
            for x, z in zip(self._columns(squared), other._columns(squared), strict=True)
        ]
        value = xp.concat([self.value, to_library_of(other.value, self.value)])
        cells = max(self.cells or 0, other.cells or 0) or None
        return Tally._of(_pool_rows(value, columns), cells)

    def __repr__(self) -> str:
        cases = f"{self.total:g} cases" if self.event_squares is None else f"weight {self.total:g}"
        grouped = "" if self.cells is None else f", grouped into {self.cells} cells"
        return (
            f"Tally({cases} at {len(self)} distinct forecasts{grouped}, "
            f"event rate {self.event_rate:.4g})"
        )

    @classmethod
    def _of(cls, columns: Sequence[Array], cells: int | None = None) -> Tally:
        """Make a tally of its value and the columns that add."""
        value, weight, events, *squares = columns
        event_squares, nonevent_squares = squares or (None, None)
        return cls(value, weight, events, event_squares, nonevent_squares, cells)

    def _columns(self, squared: bool | None = None) -> tuple[Array, ...]:
        """Return the columns that add; whole numbers are sums of squares of ones."""
        if squared is None:
            squared = self.event_squares is not None
        if not squared:
            return self.weight, self.events
        if self.event_squares is not None:
            return self.weight, self.events, self.event_squares, self.nonevent_squares
        return self.weight, self.events, self.events, self.weight - self.events


def as_tally(x: Any) -> Tally:
    """Take a tally as it is, and ask anything else that can for its tally."""
    if isinstance(x, Tally):
        return x
    if callable(getattr(x, "tally", None)):
        return x.tally()  # type: ignore[no-any-return]
    message = f"this needs a Tally or Cases; got {type(x).__name__}"
    raise ArgumentTypeError(message, hint="make one with properly.tally(y, p).")


def is_one_each(weight: Array) -> bool:
    """Tell whether every forecast was made once, in which case much can be left out."""
    xp = namespace(weight)
    return bool(xp.isdtype(weight.dtype, "integral")) and int(xp.sum(weight)) == weight.shape[0]


def snap_to(p: Array, snap: float | ArrayLike) -> Array:
    """Move forecasts to the nearest value of a grid; a midpoint goes up."""
    grid = _grid(snap)
    xp = namespace(p)
    middle = to_library_of((grid[1:] + grid[:-1]) / 2, p)
    nearest = xp.searchsorted(middle, xp.astype(p, middle.dtype), side="right")
    return xp.take(to_library_of(grid, p), nearest)


def _grid(snap: float | ArrayLike) -> np.ndarray[Any, Any]:
    if not isinstance(snap, bool | int | float):
        grid = to_numpy(check_forecasts(snap)).astype(np.float64)
        if not (np.diff(grid) > 0).all():
            message = "the values of a snapping grid must increase"
            raise DataError(message)
        return grid
    steps = round(1 / snap) if 0 < snap <= 1 else 0
    if steps < 1 or abs(steps * snap - 1) > 1e-9:
        message = f"a snapping step must divide 1; got {snap!r}"
        raise DataError(message, hint="use a step such as 0.01, or the values themselves.")
    return np.arange(steps + 1) / steps  # k / m, not k * step: the grid that decimals round to


def _count(y: Array, p: Array) -> list[Array]:
    """Count unweighted cases.

    The label rides in the lowest bit of the forecast's bit pattern, which is an integer that sorts
    as the forecast does: sorting these keys is several times faster than sorting indices.
    Forecasts in [0, 1] leave the two highest bits of their pattern free.
    """
    xp = namespace(p)
    integer = xp.int32 if p.dtype == xp.float32 else xp.int64
    key = xp.sort((p.view(integer) << 1) | xp.astype(y, integer), stable=False)
    new = (key[1:] ^ key[:-1]) > 1
    if xp.all(new):
        events = xp.astype(key & 1, xp.int64)
        return [(key >> 1).view(p.dtype), xp.ones_like(events), events]
    last = _last(new)
    total = last + 1
    label = xp.astype(key & 1, xp.int32 if key.shape[0] < 2**31 else xp.int64)
    events = xp.astype(xp.take(xp.cumulative_sum(label, dtype=label.dtype), last), xp.int64)
    return [(xp.take(key, last) >> 1).view(p.dtype), _differences(total), _differences(events)]


def _weigh(y: Array, p: Array, weight: Array) -> list[Array]:
    """Add up weights; whole numbers are counts, and stay exact."""
    xp = namespace(p)
    whole = xp.isdtype(weight.dtype, "integral") or bool(xp.all(weight == xp.floor(weight)))
    if whole and float(xp.sum(xp.astype(weight, xp.float64))) < EXACT:
        weight = xp.astype(weight, xp.int64)
        return _pool_rows(p, [weight, weight * xp.astype(y, xp.int64)])
    weight = xp.astype(weight, xp.float64)
    event = xp.astype(y, xp.float64)
    square = weight * weight
    columns = [weight, weight * event, square * event, square * (1 - event)]
    return _pool_rows(p, columns)


def _pool_rows(value: Array, columns: Sequence[Array]) -> list[Array]:
    """Sort rows by value and add up the columns where values are equal."""
    xp = namespace(value)
    order = xp.argsort(value, stable=True)
    value = xp.take(value, order)
    last = _last_of_runs(value)
    if last.shape[0] == value.shape[0]:
        return [value, *(xp.take(x, order) for x in columns)]
    return [xp.take(value, last), *(_sums(xp.take(x, order), last) for x in columns)]


def _last_of_runs(x: Array) -> Array:
    """Return the index of the last row of each run of equal values."""
    return _last(x[1:] != x[:-1])


def _last(new: Array) -> Array:
    """Return the index of the last row of each run, given which rows after the first begin one."""
    xp = namespace(new)
    return xp.nonzero(xp.concat([new, xp.ones_like(new[:1]) if new.shape[0] else _true(new)]))[0]


def _true(like: Array) -> Array:
    xp = namespace(like)
    return to_library_of(xp.asarray([True]), like)


def _sums(x: Array, last: Array) -> Array:
    """Add up runs of rows, given the last row of each."""
    xp = namespace(x)
    if xp.isdtype(x.dtype, "integral"):
        return _differences(xp.take(xp.cumulative_sum(x), last))
    # Differences of cumulated floats would cancel, so fractions are added run by run, on the host.
    first = np.concatenate([[0], to_numpy(last)[:-1] + 1])
    return to_library_of(np.add.reduceat(to_numpy(x), first), x)


def _differences(x: Array) -> Array:
    xp = namespace(x)
    return x - xp.concat([xp.zeros_like(x[:1]), x[:-1]])


def _check_counts(x: ArrayLike, value: Array, name: str) -> Array:
    x = to_library_of(np.asarray(x) if isinstance(x, list | tuple) else x, value)
    xp = namespace(x)
    if x.shape != value.shape:
        message = (
            f"{name} and value must be equally long; got {tuple(x.shape)} and {tuple(value.shape)}"
        )
        raise DataError(message)
    if not xp.isdtype(x.dtype, "integral") or (x.shape[0] and bool(xp.min(x) < 0)):
        message = f"{name} must be whole numbers, zero or more; got {x!r}"
        raise DataError(message)
    return xp.astype(x, xp.int64)
