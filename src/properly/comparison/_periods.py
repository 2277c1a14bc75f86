"""Times cut into consecutive periods."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

from properly._boundary._options import check_whole
from properly._boundary._plain import many
from properly.errors import DataError
from properly.inference._design import number_times

if TYPE_CHECKING:
    from properly.typing import ArrayLike

Column: TypeAlias = np.ndarray[Any, Any]

# So many times are periods by themselves; more are put together into so many periods.
NATURAL, USUAL = 24, 12


class Periods(NamedTuple):
    """First and last time of each period, and the number of that of each case."""

    start: Column
    end: Column
    number: Column


def cut(time: Column, periods: int | ArrayLike | None) -> Periods:
    """Divide times into so many periods, or at edges; without either, as their number suggests."""
    at = number_times(time)
    known = np.unique(time)
    if periods is None:
        return _together(known, at, NATURAL if len(known) <= NATURAL else USUAL)
    try:
        count = operator.index(periods)
    except TypeError:
        return _between(time, periods)
    return _together(known, at, check_whole(count, "periods"))


def words(time: Column) -> list[str]:
    """Write times without hours if there are none."""
    if time.dtype.kind == "M":
        days = time.astype("datetime64[D]")
        whole = bool((days == time).all())
        return [str(x) for x in (days if whole else time.astype("datetime64[s]"))]
    if time.dtype.kind == "f":
        return [f"{x:.10g}" for x in time.tolist()]
    return [str(x) for x in (time if time.dtype.kind == "m" else time.tolist())]


def as_objects(time: Column) -> list[Any]:
    """Return times that any frame can hold: dates in microseconds, not in whole numbers."""
    return [*(time.astype(f"{time.dtype.kind}8[us]") if time.dtype.kind in "mM" else time).tolist()]


def _together(known: Column, at: Column, most: int) -> Periods:
    """Put neighbouring times together, so that periods have about equal numbers of cases."""
    count = np.bincount(at)
    # A time belongs to the period in which the middle one of its cases would be.
    middle = np.cumsum(count) - count / 2
    place = (middle * most / count.sum()).astype(np.intp)
    if len(known) <= most:
        place = np.arange(len(known))
    first = np.flatnonzero(np.diff(place, prepend=-1))
    last = np.append(first[1:] - 1, len(known) - 1)
    number = np.searchsorted(first, at, side="right") - 1
    return Periods(known[first], known[last], number)


def _between(time: Column, given: ArrayLike) -> Periods:
    """Take edges around all times."""
    edges = _as_edges(time, given)
    outside = int(((time < edges[0]) | (time > edges[-1])).sum())
    if outside:
        message = (
            f"edges of periods must reach around all times; {many(outside, 'case')} of "
            f"{len(time):,} {'lies' if outside == 1 else 'lie'} outside"
        )
        raise DataError(message, hint=f"times reach {' to '.join(words(_ends(time)))}.")
    number = np.searchsorted(edges, time, side="right") - 1
    return Periods(edges[:-1], edges[1:], np.minimum(number, len(edges) - 2))


def _as_edges(time: Column, given: ArrayLike) -> Column:
    """Read edges as times are read; they must go up."""
    try:
        edges = np.asarray(given)
        if time.dtype.kind == "M" and edges.dtype.kind in "SUO":
            # Dates may be written as text.
            edges = edges.astype("datetime64[us]")
        known = edges.ndim == 1 and len(edges) > 1 and edges.dtype.kind in "iufmMO"
        # Of another kind, such as numbers beside dates, they could not be compared with times.
        rising = known and bool((edges[:-1] < edges[1:]).all()) and (edges > time[0]).size > 0
    except (TypeError, ValueError):
        rising = False
    if not rising:
        message = f"periods must be a whole number, or two or more edges in order; got {given!r}"
        raise DataError(message)
    return edges


def _ends(time: Column) -> Column:
    return np.unique(time)[[0, -1]]
