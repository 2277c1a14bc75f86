"""Counts: what happened at each distinct forecast."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np

from properly._boundary import _arrays
from properly._boundary._libraries import (
    kept,
    namespace,
    read_only,
    to_library_of,
    to_numpy,
    without_gradient,
)
from properly._boundary._options import check_whole
from properly._boundary._record import Adds
from properly._boundary._text import many
from properly._boundary._tolerances import SAME_FORECAST
from properly.counts import _pooling
from properly.errors import ArgumentTypeError, DataError
from properly.typing import Array, ArrayLike, Floats


@dataclass(frozen=True, eq=False, repr=False)
class Tally(Adds):
    """What happened at each distinct forecast.

    Make one with `properly.tally`. Everything that can be said about binary forecasts of
    independent cases depends on the data only through this table. Tallies add, also with `sum`:
    those of the parts of a data set make that of the whole. Weights of all parts must then be on
    one scale; numbers of cases and weights do not add.

    Attributes
    ----------
    value : array
        The distinct forecasts, increasing.
    weight : array
        The number of cases at each forecast, or the sum of their weights. Sums of whole numbers are
        exact (int64).
    events : array
        How many of them, or how much of their weight, had the event.
    event_squares, nonevent_squares : array or None
        Sums of the squared weights of events and of non-events. None if cases were counted.
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

    def __post_init__(self) -> None:
        """Check and copy the columns of a tally that is written by hand."""
        # Without the sums of squares, cases can only have been counted.
        check = _arrays.check_counts if self.event_squares is None else _arrays.check_amounts
        value = _countable(_arrays.check_forecasts(self.value, "value"))
        columns = {"value": value}
        for name in ("weight", "events", "event_squares", "nonevent_squares"):
            column = getattr(self, name)
            if column is not None:
                columns[name] = to_library_of(check(column, name), value)
        _require_sound(columns)
        for name, column in columns.items():
            object.__setattr__(self, name, kept(column))

    @classmethod
    def from_arrays(
        cls,
        y: ArrayLike,
        p: ArrayLike,
        weight: ArrayLike | None = None,
        count: ArrayLike | None = None,
        *,
        pos_label: object = None,
        snap: float | ArrayLike | None = None,
    ) -> Tally:
        """Count outcomes at each distinct forecast, in one sort.

        Parameters
        ----------
        y, p, weight, count, pos_label, snap
            As in `properly.tally`.

        Examples
        --------
        >>> Tally.from_arrays([0, 1, 1], [0.2, 0.2, 0.7], weight=[0.5, 1.0, 1.0])
        Tally(weight 2.5 at 2 distinct forecasts, event rate 0.8)
        """
        y, p, weight = _arrays.check_rows(y, p, weight, pos_label=pos_label)
        p = _countable(p if snap is None else _snap(p, snap))
        times = None if count is None else _arrays.counts_beside(p, count)
        weight = None if weight is None else without_gradient(weight)
        rows: Any = (y, p, weight, times)
        for k in (2, 3):
            # Rows that weigh nothing, or stand for no case, are left out.
            if rows[k] is not None and not namespace(p).all(rows[k] > 0):
                used = rows[k] > 0
                rows = tuple(None if x is None else x[used] for x in rows)
        y, p, weight, times = rows
        require_some(p)
        if weight is not None and not _pooling.are_equal(weight):
            return tally_of_sums(_pooling.weigh(y, p, weight, times))
        columns = _pooling.count(y, p) if times is None else _pooling.count_repeated(y, p, times)
        return tally_of_sums(columns, unit=None if weight is None else float(weight[0]))

    @classmethod
    def from_counts(cls, value: ArrayLike, cases: ArrayLike, events: ArrayLike) -> Tally:
        """Make a tally from counts at forecasts, in any order, repeated or not.

        Parameters
        ----------
        value : array-like
            Forecasts in [0, 1].
        cases : array-like of int
            How many cases had that forecast.
        events : array-like of int
            How many of those had the event.

        Examples
        --------
        >>> Tally.from_counts([0.1, 0.3], [100, 50], [9, 20])
        Tally(150 cases at 2 distinct forecasts, event rate 0.1933)
        """
        value = _countable(_arrays.check_forecasts(value, "value"))
        columns = {"cases": cases, "events": events}
        number, happened = (_arrays.check_counts(x, name) for name, x in columns.items())
        _arrays.check_length(number, value, "cases", "values")
        _arrays.check_length(happened, value, "events", "values")
        number, happened = (to_library_of(x, value) for x in (number, happened))
        _require_events_within(number, happened)
        used = number > 0
        if not namespace(used).any(used):
            message = f"at least one count must be positive; all {value.shape[0]} are 0"
            raise DataError(message)
        return tally_of_sums(_pooling.pool(value[used], [number[used], happened[used]]))

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
        cells = check_whole(cells, "cells")
        if self.cells is not None and self.cells % cells:
            message = (
                f"{self.cells} cells cannot be grouped into {cells}, which does not divide them"
            )
            raise DataError(message, hint="group the tally of all forecasts instead.")
        xp = namespace(self.value)
        value = xp.astype(self.value, xp.float64)
        edges = to_library_of(np.arange(1, cells) / cells, value)
        cell = xp.searchsorted(edges, value, side="right") + 1
        cell = xp.where(value == 0, 0, xp.where(value == 1, cells + 1, cell))
        last = _pooling.run_ends(cell)
        first = xp.concat([xp.zeros_like(last[:1]), last[:-1] + 1])
        moment = value * xp.astype(self.weight, xp.float64)
        sums = [_pooling.add_runs(x, last) for x in (moment, *sums_of(self))]
        mean = sums[0] / xp.astype(sums[1], xp.float64)
        # Rounding must not carry a mean out of its cell, nor change the only value in it.
        mean = xp.maximum(xp.take(value, first), mean)
        mean = xp.minimum(xp.take(value, last), mean)
        return tally_of_sums([mean, *sums[1:]], cells, weight_of_each(self))

    @property
    def total(self) -> int | float:
        """Number of cases, or their total weight."""
        xp = namespace(self.weight)
        total = xp.sum(self.weight)
        return int(total) if xp.isdtype(self.weight.dtype, "integral") else float(total)

    @property
    def event_rate(self) -> float:
        """Share of the cases, or of their weight, that had the event."""
        return float(namespace(self.events).sum(self.events)) / self.total

    def __len__(self) -> int:
        """Count the distinct forecasts."""
        return int(self.value.shape[0])

    def __add__(self, other: object) -> Tally:
        """Add the counts of two parts of the data; the coarser grouping holds for both."""
        if not isinstance(other, Tally):
            return NotImplemented
        grouped = [t.cells for t in (self, other) if t.cells is not None]
        left, right = self, other
        if grouped:
            left, right = self.group(min(grouped)), other.group(min(grouped))
        left, right = _of_one_kind(left, right)
        xp, both = namespace(left.value), (left, right)
        # Whole numbers stay whole where their sums fit.
        whole = all(namespace(t.weight).isdtype(t.weight.dtype, "integral") for t in both)
        wide = None if whole and left.total + right.total < _arrays.MOST else xp.float64
        columns = [
            xp.concat(
                [xp.astype(x, wide or x.dtype, copy=False) for x in (one, to_library_of(two, one))]
            )
            for one, two in zip(*map(sums_of, both), strict=True)
        ]
        value = xp.concat([left.value, to_library_of(right.value, left.value)])
        unit = weight_of_each(left) if weight_of_each(left) == weight_of_each(right) else None
        total = tally_of_sums(_pooling.pool(value, columns), min(grouped, default=None), unit)
        return total.group(min(grouped)) if grouped else total

    def __repr__(self) -> str:
        cases = f"weight {self.total:,g}"
        if self.event_squares is None:
            cases = many(self.total, "case")
        forecasts = many(len(self), "distinct forecast")
        grouped = "" if self.cells is None else f", grouped into {self.cells} cells"
        return f"Tally({cases} at {forecasts}{grouped}, event rate {self.event_rate:.4g})"


def tally_of_sums(
    columns: Sequence[Array], cells: int | None = None, unit: float | None = None
) -> Tally:
    """Make a tally of columns that were just counted, which need no check."""
    value, weight, events, *squares = columns
    event_squares, nonevent_squares = squares or (None, None)
    if nonevent_squares is not None:
        weight = _keep_nonevents(weight, events, nonevent_squares)
    result = Tally.__new__(Tally)
    row = (value, weight, events, event_squares, nonevent_squares, cells)
    for name, column in zip(Tally.__dataclass_fields__, row, strict=True):
        object.__setattr__(result, name, read_only(column))
    if unit is not None:
        vars(result)["_weight_of_each"] = unit
    return result


def sums_of(tally: Tally) -> tuple[Array, ...]:
    """Return the columns that add: cases, events and, if they are weights, sums of squares."""
    if tally.event_squares is None:
        return tally.weight, tally.events
    return tally.weight, tally.events, tally.event_squares, tally.nonevent_squares


def weight_of_each(tally: Tally) -> float | None:
    """Return what each case weighed before equal weights were divided out; None without those."""
    return vars(tally).get("_weight_of_each")


def require_some(rows: Array) -> None:
    """Refuse rows none of which has both a weight and a count."""
    if not rows.shape[0]:
        message = "at least one row must have a weight and a count above 0; none has both"
        raise DataError(message)


def as_tally(x: Any) -> Tally:
    """Take a tally as it is, and ask anything else that can for its tally."""
    if isinstance(x, Tally):
        return x
    if callable(getattr(x, "tally", None)):
        return x.tally()  # type: ignore[no-any-return]
    message = f"this needs a Tally or Cases; got {type(x).__name__}"
    raise ArgumentTypeError(message, hint="make one with properly.tally(y, p).")


def snapped(tally: Tally, snap: float | ArrayLike) -> Tally:
    """Move forecasts that were counted already to a grid."""
    columns, unit = sums_of(tally), weight_of_each(tally)
    return tally_of_sums(_pooling.pool(_countable(_snap(tally.value, snap)), columns), unit=unit)


def _snap(p: Array, snap: float | ArrayLike) -> Array:
    """Move forecasts to the nearest value of a grid; a midpoint goes up."""
    grid, middle = _grid(snap)
    xp = namespace(p)
    # Compared in the forecasts' own precision, in which half way is what was written as half way.
    middle = xp.astype(to_library_of(middle, p), p.dtype)
    return xp.take(to_library_of(grid, p), xp.searchsorted(middle, p, side="right"))


def _grid(snap: float | ArrayLike) -> tuple[Floats, Floats]:
    """Return the values of a grid and the midpoints between them."""
    if not isinstance(snap, Real):
        grid = to_numpy(_arrays.check_forecasts(snap, "snapping values")).astype(np.float64)
        if not (np.diff(grid) > 0).all():
            message = "snapping values must increase"
            raise DataError(message)
        return grid, (grid[1:] + grid[:-1]) / 2
    step = float(snap)
    steps = round(1 / step) if SAME_FORECAST <= step <= 1 else 0
    if steps < 1 or abs(steps * step - 1) > SAME_FORECAST:
        message = f"a snapping step must divide 1; got {snap!r}"
        raise DataError(message, hint="use a step such as 0.01, or the values themselves.")
    # k / m, not k * step: the grid, and the midpoints, that decimals are read as.
    return np.arange(steps + 1) / steps, np.arange(1, 2 * steps, 2) / (2 * steps)


def _countable(p: Array) -> Array:
    """Make of forecasts what can be counted: float32 or float64, without a gradient."""
    xp = namespace(p)
    p = without_gradient(p)
    return p if p.dtype in (xp.float32, xp.float64) else xp.astype(p, xp.float32)  # exact


def _keep_nonevents(weight: Array, events: Array, squares: Array) -> Array:
    """Let the total exceed the events wherever there was a non-event, however light.

    Its weight may be lost in rounding; that it happened must not be, since its price may be
    infinite.
    """
    xp = namespace(weight)
    if xp.isdtype(weight.dtype, "integral"):
        return weight
    lost = (weight <= events) & (squares > 0)
    return xp.where(lost, xp.nextafter(events, xp.full_like(events, float("inf"))), weight)


def _require_events_within(weight: Array, events: Array) -> None:
    outside = namespace(weight).nonzero((events > weight) | (events < 0))[0]
    if outside.shape[0]:
        row = int(outside[0])
        result = f"{float(events[row]):g} of {float(weight[row]):g}"
        message = f"events must be between 0 and all of the cases; row {row} has {result}"
        raise DataError(message)


def _of_one_kind(*tallies: Tally) -> list[Tally]:
    """Refuse to add numbers of cases to sums of weights, and more cases than can be counted.

    Equal weights were divided out of a part, but those of another part may be others: there they
    are weights again.
    """
    is_counted = [t.event_squares is None for t in tallies]
    units = {weight_of_each(t) for t in tallies}
    if all(is_counted) and (len(units) == 1 or None in units):
        _arrays.require_countable(sum(t.total for t in tallies))
        return list(tallies)
    require_one_kind(*(t.event_squares is None and weight_of_each(t) is None for t in tallies))
    return [weighed(t) for t in tallies]


def require_one_kind(*is_counted: bool) -> None:
    """Refuse to add numbers of cases to sums of weights."""
    if len(set(is_counted)) > 1:
        message = "tallies must both be of counted cases, or both of weighted ones, to add up"
        hint = "make one tally of all rows, with their weights: equal ones are only counted."
        raise DataError(message, hint=hint)


def weighed(tally: Tally) -> Tally:
    """Give cases the weight that was divided out, if they had one."""
    unit = weight_of_each(tally)
    if unit is None:
        return tally
    xp = namespace(tally.value)
    counts = tally.weight, tally.events, tally.events, tally.weight - tally.events
    columns = [xp.astype(x, xp.float64) for x in counts]
    columns = [
        x * factor for x, factor in zip(columns, (unit, unit, unit**2, unit**2), strict=True)
    ]
    if unit.is_integer() and tally.total * unit < _pooling.EXACT:
        columns[:2] = [xp.astype(x, xp.int64) for x in columns[:2]]
    return tally_of_sums([tally.value, *columns], tally.cells)


def _require_sound(columns: Mapping[str, Array]) -> None:
    """Refuse columns that no counting could have given."""
    value, weight = columns["value"], columns["weight"]
    for name, column in columns.items():
        _arrays.check_length(column, value, name, "values")
    xp = namespace(value)
    if not xp.all(value[1:] > value[:-1]) or not xp.all(weight > 0):
        message = "the values of a tally must increase, and all of its weights must be positive"
        raise DataError(message, hint="Tally.from_counts sorts, pools and drops for you.")
    _require_events_within(weight, columns["events"])
