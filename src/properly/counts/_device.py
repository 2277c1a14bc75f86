"""Long tallies of tensors, reduced on their device to what a result needs.

Counted cases only: weights are added up on the host, run by run, where nothing cancels.
"""

from __future__ import annotations

import numpy as np

from properly._boundary._libraries import is_numpy, namespace, to_library_of, to_numpy
from properly.counts._scoring import EXACT, concordance
from properly.counts._tally import Tally
from properly.typing import Array, Column


def stays(tally: Tally) -> bool:
    """Tell whether a tally is made of tensors, and of cases that were counted."""
    return not is_numpy(tally.value) and tally.event_squares is None


def condense(tally: Tally, threshold: Column) -> Tally:
    """Pool the forecasts between thresholds, but for those next to one: for curves at these.

    Who is acted upon at a threshold is told by counts on both of its sides; what lies near it is
    kept, so that it can be said to be meant for the threshold.
    """
    value = tally.value
    xp, rows = namespace(value), len(tally)
    # Wider than single precision, so that no forecast that rounds to a threshold is left out.
    ends = [to_library_of(threshold + side, value) for side in (-1e-6, 1e-6)]
    wide = xp.astype(value, xp.float64)
    below = to_numpy(xp.searchsorted(wide, ends[0], side="left"))
    above = to_numpy(xp.searchsorted(wide, ends[1], side="right"))
    if int((above - below).sum()) + 2 * len(threshold) > rows // 2:
        return tally
    near = [np.arange(max(a - 1, 0), min(b + 1, rows)) for a, b in zip(below, above, strict=True)]
    kept = np.unique(np.concatenate([[0, rows - 1], *near]))
    # Each row that is kept ends a run; so does the row before it.
    last = np.unique(np.concatenate([kept, kept[1:] - 1]))
    return Tally.from_counts(*_runs(tally, last))


def fetch(column: Array, rows: Column) -> Column:
    """Bring some rows to the host, in double precision."""
    some = namespace(column).take(column, to_library_of(rows, column))
    return to_numpy(some).astype(np.float64, copy=False)


def murphy_limits(tally: Tally) -> tuple[Column, Column]:
    """Return knots, and the limits of the mean elementary score at them: from left and right."""
    xp = namespace(tally.value)
    value = xp.astype(tally.value, xp.float64)
    total, happened = tally.total, int(xp.sum(tally.events))
    events, cases = xp.cumulative_sum(tally.events), xp.cumulative_sum(tally.weight)
    sides = []
    for missed, acted in ((events - tally.events, cases - tally.weight), (events, cases)):
        in_vain = (total - happened) - (acted - missed)
        cost = value * xp.astype(in_vain, xp.float64)
        cost = cost + (1 - value) * xp.astype(missed, xp.float64)
        sides.append(to_numpy(cost / (total / 2)))
    knot, limits = to_numpy(value), np.stack(sides)
    # At 0 and at 1 nothing is lost by acting on all, or on nobody.
    before, after = int(knot[0] > 0), int(knot[-1] < 1)
    return (
        np.concatenate([np.zeros(before), knot, np.ones(after)]),
        np.concatenate([np.zeros((2, before)), limits, np.zeros((2, after))], axis=1),
    )


def rates(tally: Tally) -> tuple[Column, Column, Column, float]:
    """Return the rates of false and of true positives, the thresholds, and the area below."""
    xp = namespace(tally.value)
    none = tally.weight - tally.events
    columns = []
    for counts in (none, tally.events):
        reached = to_numpy(xp.cumulative_sum(xp.flip(counts)))
        result = np.append(0, reached)
        columns.append(result / result[-1] if result[-1] > 0 else np.full(result.shape, np.nan))
    threshold = np.append(np.inf, to_numpy(xp.flip(tally.value)).astype(np.float64))
    return columns[0], columns[1], threshold, _area(none, tally.events)


def _area(none: Array, events: Array) -> float:
    """Return the share of pairs whose event has the higher forecast, ties counted half."""
    xp = namespace(none)
    rectangle = 2 * int(xp.sum(none)) * int(xp.sum(events))
    if rectangle == 0:
        return float("nan")
    if rectangle >= EXACT:
        return concordance(to_numpy(none), to_numpy(events))
    below = xp.cumulative_sum(none) - none
    return min(int(xp.sum(events * (2 * below + none))) / rectangle, 1.0)


def _runs(tally: Tally, last: Column) -> tuple[Column, Column, Column]:
    """Return, of runs that end at given rows, the last forecast, the cases and the events."""
    xp = namespace(tally.value)
    row = to_library_of(last, tally.weight)
    columns = (xp.take(xp.cumulative_sum(x), row) for x in (tally.weight, tally.events))
    cases, events = (np.diff(to_numpy(x), prepend=0) for x in columns)
    return to_numpy(xp.take(tally.value, row)), cases, events
