"""Spells of mistakes: one that is made at neighbouring times may be one mistake.

At the threshold t a time has an alarm in vain if the greatest forecast of its non-events is t or
more, and a missed event if the least forecast of its events is below t. A spell begins at a time
that has a mistake after one that has none.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

from properly._boundary._libraries import to_numpy
from properly.counts._cases import rows_in_use
from properly.inference._design import number_times

if TYPE_CHECKING:
    from properly.counts._cases import Cases
    from properly.typing import Column

# With fewer separate spells of a mistake, times say too little about how it depends.
ENOUGH = 10


class Spells(NamedTuple):
    """How many spells there are at thresholds, and at what share of the times a mistake is made."""

    spells: Column
    share: Column


def find_spells(cases: Cases, threshold: Column) -> tuple[Spells, Spells]:
    """Count spells of alarms in vain, and of missed events, of cases with times."""
    y, p, _, used = rows_in_use(cases)
    time = number_times(to_numpy(cases.time)[used])
    times = int(time.max()) + 1
    highest, lowest = np.full(times, -np.inf), np.full(times, np.inf)
    np.maximum.at(highest, time[~y], p[~y])
    np.minimum.at(lowest, time[y], p[y])
    # A missed event is one whose forecast does not reach the threshold: both are turned round.
    return _count(highest, threshold, "left"), _count(-lowest, -threshold, "right")


def _count(reach: Column, threshold: Column, side: Literal["left", "right"]) -> Spells:
    """Count the times that reach thresholds, and those after one that did not."""
    before = np.append(-np.inf, reach[:-1])
    every, again = (
        len(x) - np.searchsorted(np.sort(x), threshold, side=side)
        for x in (reach, np.minimum(reach, before))
    )
    return Spells(every - again, every / len(reach))


def has_few_spells(cases: Cases, threshold: Column) -> Column:
    """Tell at which thresholds a mistake that could be made comes in too few separate spells.

    What is made at most times has few spells because they meet, and is no rare mistake.
    """
    p = rows_in_use(cases).p
    in_vain, missed = find_spells(cases, threshold)
    possible = threshold <= p.max(), threshold > p.min()
    few = [
        could & (found.spells < ENOUGH) & (found.share < 0.5)
        for could, found in zip(possible, (in_vain, missed), strict=True)
    ]
    return np.asarray(few[0] | few[1])
