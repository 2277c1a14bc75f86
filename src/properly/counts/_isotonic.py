"""Isotonic recalibration: pooling adjacent violators as an exact lower hull.

Plot the cumulated events against the cumulated cases, forecast by forecast. The best increasing
recalibration is the slope of the lower convex hull of these points: one bin an edge. With counts,
every comparison of slopes is one of whole numbers, so bins are exact: no tolerance, no rounding,
and neighbours of equal event rate are one bin.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from array_api_compat import device

from properly._boundary._chunks import sweep
from properly._boundary._libraries import namespace, to_numpy
from properly._boundary._record import once
from properly.counts._pooling import differences, is_one_each
from properly.counts._tally import Tally
from properly.typing import Array, Column

# Products of two counts below this are exact in int64.
PRODUCTS_FIT = math.isqrt(2**63 - 1)
# Enough for any data that was not built to need more; then comes the walk, as it does once a pass
# keeps more than this share of the points.
PASSES = 64
SLOW = 0.95
# Passes over a piece of the rows: few points remain, and the rest is done for all pieces together.
FEW = 3


@dataclass(frozen=True, eq=False)
class Recalibration:
    """Bins of the best increasing recalibration, lowest event rate first.

    Attributes
    ----------
    end : numpy array
        One past the last row of the tally that belongs to each bin.
    weight, events : numpy array
        Totals of each bin.
    """

    end: Column
    weight: Column
    events: Column

    @property
    def event_rate(self) -> Column:
        """The recalibrated probability of each bin; but for rounding, it strictly increases."""
        return np.divide(self.events, self.weight)

    def spread(self, column: Column) -> Column:
        """Repeat what is known of each bin at every forecast in it."""
        return np.repeat(column, np.diff(self.end, prepend=0))

    def pooled(self) -> tuple[Column, Column, Column]:
        """Return the event rate, the cases and the events of all bins as one."""
        weight, events = self.weight.sum(keepdims=True), self.events.sum(keepdims=True)
        return events / weight, weight, events


def recalibrate(tally: Tally) -> Recalibration:
    """Pool adjacent violators, once a tally: many questions begin with its bins."""
    return once(tally, "_bins", lambda: _pool(tally))


def _pool(tally: Tally) -> Recalibration:
    if not namespace(tally.weight).isdtype(tally.weight.dtype, "integral"):
        return _pool_fractions(to_numpy(tally.weight), to_numpy(tally.events))
    points = _prune(*_join(sweep(_hull_of_rows, tally.weight, tally.events)))
    end, cases, events = _walk(*(to_numpy(x) for x in points))
    return Recalibration(end, np.diff(cases, prepend=0), np.diff(events, prepend=0))


class Refit(NamedTuple):
    """Bins of random tallies, or of sequences of cases, one replicate after the other.

    Attributes
    ----------
    row : numpy array
        The replicate of each bin.
    first, last : numpy array
        The first and the last forecast, or case, of each bin, counted through all replicates.
    weight, events : numpy array
        Totals of each bin.
    """

    row: Column
    first: Column
    last: Column
    weight: Column
    events: Column

    @property
    def event_rate(self) -> Column:
        """The recalibrated probability of each bin."""
        return np.divide(self.events, self.weight)

    @property
    def corners(self) -> Column:
        """The first and the last forecast of each bin in turn."""
        return np.stack([self.first, self.last], axis=1).ravel()

    def curves(self, at: Column, x: Column) -> list[Column]:
        """Return the curve of each replicate at points x, given the forecasts at all corners.

        It is straight between bins, and NaN beyond them.
        """
        rate, rows = np.repeat(self.event_rate, 2), np.arange(1, self.row[-1] + 1)
        ends = [0, *(2 * np.searchsorted(self.row, rows)).tolist(), len(rate)]
        return [
            np.interp(x, at[a:b], rate[a:b], left=np.nan, right=np.nan) for a, b in pairwise(ends)
        ]


class Bins(NamedTuple):
    """The bins of recalibrated draws, one draw after the other.

    Attributes
    ----------
    rate, share : numpy array
        The event rate of each bin, and its share of the cases of its draw.
    start : numpy array
        The first bin of each draw.
    total, constant : numpy array
        The cases of each draw, and their event rate.
    """

    rate: Column
    share: Column
    start: Column
    total: Column
    constant: Column


def _blocks(weight: Column, events: Column, rise: Column | int = 0) -> tuple[Column, ...]:
    """Return the first row of each block of scipy's fit, and the totals of the blocks.

    Its routine is the fastest for many small fits; that neighbours of equal event rate may stay two
    bins does not matter to curves and scores.
    """
    from scipy.optimize import isotonic_regression

    rate = events / weight
    rate += rise
    fit = isotonic_regression(rate, weights=weight)
    first = fit.blocks[:-1]
    # Fractions are added up as events are: another order could lead beyond certainty.
    is_whole = np.issubdtype(weight.dtype, np.integer)
    total = fit.weights if is_whole else np.add.reduceat(weight, first)
    return first, total, np.add.reduceat(events, first)


def refit(weight: Column, events: Column) -> Refit:
    """Pool the adjacent violators of a random tally, or of several, one a row, in one go.

    A tally may lack some of the forecasts. All rows may have the same weights, given once. Adding 2
    to the event rates from one row to the next keeps them apart.
    """
    events = np.atleast_2d(events)
    rows, forecasts = events.shape
    weight = weight if weight.size == events.size else np.broadcast_to(weight, events.shape)
    weight, events = weight.reshape(-1), events.reshape(-1)
    drawn, edges = None, np.arange(rows) * forecasts
    if not weight.all():
        drawn = np.flatnonzero(weight != 0)
        weight, events = weight[drawn], events[drawn]
        edges = np.searchsorted(drawn, edges)
    # A bin can only begin where the row before has a non-event and the row itself an event.
    begins, size = np.empty(len(weight), dtype=bool), len(weight)
    np.logical_and(events[:-1] < weight[:-1], events[1:] > 0, out=begins[1:])
    begins[edges] = True
    start = np.flatnonzero(begins)
    # Where most rows may begin one, sums save nothing.
    if 4 * len(start) > 3 * size:
        start = np.arange(size)
    else:
        weight, events = (np.add.reduceat(x, start) for x in (weight, events))
    row = np.repeat(np.arange(rows), np.diff(np.searchsorted(start, edges), append=len(start)))
    blocks, weight, events = _blocks(weight, events, 2 * row)
    first = start[blocks]
    last = np.append(first[1:], size) - 1
    if drawn is not None:
        first, last = drawn[first], drawn[last]
    return Refit(row[blocks], first, last, weight, events)


def refit_all(weight: Column, events: Column) -> Bins:
    """Recalibrate random tallies, one a row; all may have the same weights, given once."""
    rows, forecasts = events.shape
    total, overall = np.broadcast_to(weight.sum(axis=1), rows), events.sum(axis=1)
    if len(weight) == 1 and (weight == 1).all():
        happened = np.ones((rows, forecasts + 2), dtype=bool)
        happened[:, 1:-1], happened[:, -1] = events, False
        fit = refit_sequences(happened)
    else:
        fit = refit(weight, events)
    first = np.searchsorted(fit.row, np.arange(rows))
    return Bins(fit.event_rate, fit.weight / total[fit.row], first, total, overall / total)


def refit_sequences(happened: Column) -> Refit:
    """Pool the adjacent violators of outcomes in order, a replicate a row, in one go.

    Each row has an event before its first and a non-event after its last case. So, read as one
    sequence, outcomes change from events to non-events and back in turn, and a bin can only end
    where events begin. Adding 2 to the event rates from one replicate to the next keeps them
    apart.
    """
    replicates, padded = happened.shape
    flat = happened.ravel()
    change = np.nonzero(flat[1:] != flat[:-1])[0] + 1
    edge = np.append(0, np.append(change[1::2], flat.shape[0]))
    start, end = edge[:-1], edge[1:]
    events, cases = change[::2] - start, end - start
    # The first run of each replicate, and the runs that replicates have.
    first = np.searchsorted(start, padded * np.arange(replicates))
    runs = np.diff(np.append(first, len(start)))
    events[first] -= 1
    cases[first] -= 1
    cases[first + runs - 1] -= 1
    row = np.repeat(np.arange(replicates), runs)
    begin, total, events = _blocks(cases, events, 2 * row)
    # Cases are counted without what was put before and after each replicate.
    total = total.astype(cases.dtype)
    stop = np.cumsum(total)
    return Refit(row[begin], stop - total, stop - 1, total, events)


def _hull_of_rows(weight: Array, events: Array) -> tuple[Array, Array, Array]:
    """Find most of the hull of consecutive rows: row ends, cumulated cases, cumulated events.

    The slope can only rise where the row before has a non-event and the row after an event; the
    others, three in four where forecasts are distinct, are never looked at again.
    """
    xp = namespace(weight)
    if is_one_each(weight):
        return _prune(*_rises_of_single_cases(events), passes=FEW)
    rise = (events[:-1] < weight[:-1]) & (events[1:] > 0)
    row = xp.nonzero(xp.concat([rise, xp.ones_like(weight[:1], dtype=xp.bool)]))[0]
    cases, events = (xp.take(xp.cumulative_sum(x), row) for x in (weight, events))
    return _prune(row + 1, cases, events, passes=FEW)


def _rises_of_single_cases(events: Array) -> tuple[Array, Array, Array]:
    """Find where a 0 is followed by a 1, from the places of the ones alone."""
    xp = namespace(events)
    place = xp.nonzero(events > 0)[0]
    before = xp.nonzero(place[1:] - place[:-1] > 1)[0] + 1
    if place.shape[0] and int(place[0]) > 0:
        before = xp.concat([xp.zeros_like(place[:1]), before])
    ends = (events.shape[0], place.shape[0])
    rows, ones = (xp.asarray([x], dtype=place.dtype, device=device(events)) for x in ends)
    end = xp.concat([xp.take(place, before), rows])
    return end, end, xp.concat([before, ones])


def _join(pieces: list[tuple[Array, Array, Array]]) -> tuple[Array, Array, Array]:
    """Lay the hulls of consecutive pieces end to end."""
    if len(pieces) == 1:
        return pieces[0]
    ends = np.array([[int(column[-1]) for column in piece] for piece in pieces])
    before = (np.cumsum(ends, axis=0) - ends).tolist()
    columns = (
        [piece[i] + shift[i] for piece, shift in zip(pieces, before, strict=True)] for i in range(3)
    )
    xp = namespace(pieces[0][0])
    end, cases, events = (xp.concat(column) for column in columns)
    return end, cases, events


def _prune(
    end: Array, cases: Array, events: Array, passes: int = PASSES
) -> tuple[Array, Array, Array]:
    """Drop every point at which the slope before is not smaller than the slope after.

    All drops of one pass are made together: a corner of the hull has a smaller slope before than
    after it whichever points remain, so it is never dropped.
    """
    xp = namespace(end)
    if int(cases[-1]) >= PRODUCTS_FIT:
        return end, cases, events
    for _ in range(passes):
        before = end.shape[0]
        wide, high = differences(cases), differences(events)
        corner = high[:-1] * wide[1:] < high[1:] * wide[:-1]
        kept = xp.nonzero(xp.concat([corner, xp.ones_like(end[:1], dtype=xp.bool)]))[0]
        end, cases, events = (xp.take(x, kept) for x in (end, cases, events))
        if kept.shape[0] > SLOW * before:
            break
    return end, cases, events


def _walk(end: Column, cases: Column, events: Column) -> tuple[Column, Column, Column]:
    """Walk along the points in whole numbers of any size; each is put on and taken off once."""
    corners = [(0, 0, 0)]
    for row, n, o in zip(end.tolist(), cases.tolist(), events.tolist(), strict=True):
        while len(corners) > 1:
            (_, n1, o1), (_, n2, o2) = corners[-2:]
            if (o2 - o1) * (n - n2) < (o - o2) * (n2 - n1):
                break
            corners.pop()
        corners.append((row, n, o))
    columns = np.array(corners[1:], dtype=np.int64).T
    return columns[0], columns[1], columns[2]


def _pool_fractions(weight: Array, events: Array) -> Recalibration:
    """Pool fractional weights with scipy, whose blocks are sums and not differences of sums.

    Rates are recomputed from the blocks' own sums. Where rounding leaves two neighbours out of
    order or equal they are pooled again, so that rates strictly increase here too.
    """
    end = np.arange(1, weight.shape[0] + 1)
    while True:
        first, cases, happened = _blocks(weight, events)
        if len(first) == len(weight):
            return Recalibration(end, weight, events)
        end = end[np.append(first[1:], len(end)) - 1]
        weight, events = cases, happened
