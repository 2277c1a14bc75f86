"""The counts of a summary as intervals and random draws take them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from properly._boundary._libraries import to_numpy
from properly.counts._tally import Tally
from properly.engines._digits import as_rounded

if TYPE_CHECKING:
    from properly.engines._exact import ScoreSums
    from properly.engines._summary import Summary

Column: TypeAlias = np.ndarray[Any, Any]


def in_runs(tally: Tally, most: int) -> Tally:
    """Put neighbouring forecasts together in about so many runs of equally many cases.

    Each run has its mean forecast. Forecasts of exactly 0 and 1 stay by themselves, and a tally
    that has no more forecasts than that stays as it is. The isotonic fit of n cases has about
    :math:`n^{1/3}` steps, so that its bias and its spread are seen from runs that are far shorter
    than these steps as they are from single forecasts.
    """
    if len(tally) <= most:
        return tally
    value = to_numpy(tally.value).astype(np.float64)
    squares = tally.event_squares, tally.nonevent_squares
    weight = to_numpy(tally.weight).astype(np.float64)
    share = (np.cumsum(weight) - weight / 2) / weight.sum()
    run = np.floor(share * most).astype(np.int64)
    run = np.where(value == 0, -1, np.where(value == 1, most, run))
    start = np.flatnonzero(np.diff(run, prepend=run[0] - 1))
    end = np.append(start[1:], len(run)) - 1
    mean = np.add.reduceat(weight * value, start) / np.add.reduceat(weight, start)
    # Rounding must not carry a mean out of its run, nor change the only value in it.
    mean = np.minimum(np.maximum(mean, value[start]), value[end])
    cases, events = (np.add.reduceat(to_numpy(x), start) for x in (tally.weight, tally.events))
    own, other = (None if x is None else np.add.reduceat(to_numpy(x), start) for x in squares)
    return Tally(mean, cases, events, own, other)


def is_weighted(sums: ScoreSums) -> bool:
    """Tell whether rows have other weights than 1."""
    rows, *others = (sums.totals[name,] for name in ("rows", "weight", "row_squares"))
    return any(other != rows for other in others)


def weighed(summary: Summary, model: str) -> Tally:
    """Return counts with the squares of the weights, by which a row is one case whatever it weighs.

    Counts of whole weights would be taken for as many cases. Where squares were added up for all
    forecasts together, they are shared out by weight.
    """
    tally, counts = summary.counts[model].tally(), summary.counts[model]
    if tally.event_squares is not None or not is_weighted(summary.sums):
        return tally
    value, cases, events = (
        to_numpy(x).astype(np.float64) for x in (tally.value, tally.weight, tally.events)
    )
    if counts.event_squares is not None and counts.nonevent_squares is not None:
        squares = as_rounded(counts.event_squares), as_rounded(counts.nonevent_squares)
    else:
        squares = _shared_out(summary.sums, events, cases - events)
    return Tally(value, cases, events, *squares, cells=tally.cells)


def _shared_out(sums: ScoreSums, events: Column, others: Column) -> tuple[Column, Column]:
    names = ("event", "event_squares", "weight", "row_squares")
    event, own, every, squares = (float(sums.totals[name,]) for name in names)
    heavy, rest = own / (event or 1.0), (squares - own) / ((every - event) or 1.0)
    return heavy * events, rest * others
