"""A band that holds for the whole curve at once, whatever the sample size.

Assumed are independent outcomes and a curve that does not fall, nothing else. In any run of
neighbouring forecasts, decided on without looking at the outcomes, the number of events is then
stochastically at least binomial with the curve's value at the lowest of them, and at most binomial
with its value at the highest. So an exact upper limit (Clopper and Pearson) from the run bounds
the curve at its lowest forecast and everywhere below, and a lower limit at its highest and above.
Sharing the error probability evenly among all runs and both sides makes all limits hold together.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from properly.counts._histogram import equal_count
from properly.inference._band import Band

if TYPE_CHECKING:
    from properly.typing import Column, Floats

# A bound is not to be missed by the rounding of a few products.
ROUNDING = 1e-9


def honest_band(
    value: Floats, weight: Column, events: Column, level: float, *, grouped: bool
) -> Band:
    """Bound the curve at all forecasts at once.

    Grouping the forecasts into cells of about equal size, by the forecasts alone, leaves fewer
    runs to share the error among: the band is narrower for it, and soon computed for any number of
    cases.
    """
    first = np.arange(len(value))
    if grouped:
        cells = math.ceil(2 * float(weight.sum()) ** 0.4)
        first = np.unique(equal_count(weight, cells), return_index=True)[1]
    cases, happened = (np.add.reduceat(x, first) for x in (weight, events))
    last = np.append(first[1:], len(value)) - 1
    share = (1 - level) / (len(first) * (len(first) + 1))
    upper = upper_bounds(cases, happened, share)
    lower = 1 - upper_bounds(cases[::-1], (cases - happened)[::-1], share)[::-1]
    row, low, high = _at_both_ends(first, last, lower, upper)
    method = "cells" if grouped else "ungrouped"
    return Band(value[row], low, high, method, level, "simultaneous", steps=True)


def _at_both_ends(
    first: Column, last: Column, lower: Floats, upper: Floats
) -> tuple[Column, Floats, Floats]:
    """Give the bounds at both ends of each cell, at which they are tightest.

    The upper bound of a cell holds at its least forecast and below, the lower bound at its greatest
    and above; at the other end of a cell of several forecasts, those of its neighbours hold.
    """
    several = first < last
    at_first = np.stack([np.where(several, np.append(0, lower[:-1]), lower), upper])
    at_last = np.stack([lower, np.append(upper[1:], 1)])
    row = np.concatenate([first, last[several]])
    bounds = np.concatenate([at_first, at_last[:, several]], axis=1)
    order = np.argsort(row, kind="stable")
    low, high = bounds[:, order]
    return row[order], low, high


def upper_bounds(cases: Column, events: Column, share: float) -> Floats:
    r"""Return the least upper limit of all runs that begin at each cell or after it.

    A run can only help if its first cell has a non-event and the cell after its last has an event,
    since others are contained in better ones. One that lowers the limit :math:`u` so far must have
    an event rate :math:`q < u`, and :math:`N \operatorname{KL}(q, u) + \log(8 N q (1 - q)) / 2 >
    -\log \text{share}`, as the binomial tail is no smaller than that. Only for those is the limit
    computed.
    """
    total = np.append(0, np.cumsum(cases))
    happened = np.append(0, np.cumsum(events))
    stop = np.nonzero(np.append(events[1:] > 0, True))[0] + 1
    after = np.searchsorted(stop, np.arange(len(cases)), side="right")
    ends = total[stop], happened[stop]
    bound = np.ones(len(cases))
    least = 1.0
    for i in range(len(cases) - 1, -1, -1):
        if events[i] < cases[i]:
            n, o = ends[0][after[i] :] - total[i], ends[1][after[i] :] - happened[i]
            least = min(least, _least_limit(n, o, least, share))
        bound[i] = least
    return bound


def _least_limit(n: Column, o: Column, so_far: float, share: float) -> float:
    """Return the least limit of some runs: of the most promising one, and of what that leaves."""
    from scipy.special import betaincinv

    n, o, excess = _promising(n, o, so_far, share)
    if len(n) > 1 and so_far < 1:
        best = int(np.argmax(excess))
        so_far = min(so_far, float(1 - betaincinv(n[best] - o[best], o[best] + 1, share)))
        n, o, _ = _promising(n, o, so_far, share)
    if not len(n):
        return so_far
    return min(so_far, float((1 - betaincinv(n - o, o + 1, share)).min()))


def _promising(n: Column, o: Column, so_far: float, share: float) -> tuple[Column, Column, Column]:
    r"""Leave the runs that may have a lower limit, and say how much speaks for each.

    Most are ruled out without a logarithm, since :math:`8 q (1 - q)` is at most 2, and
    :math:`\operatorname{KL}(q, u)` at most :math:`(u - q)^2` over :math:`u (1 - u)`, and over
    twice the least :math:`x (1 - x)` between q and u.
    """
    from scipy.special import xlogy

    least, spread = -math.log(share), so_far * (1 - so_far)
    q = o / n
    short = so_far - q
    scale = np.maximum(2 * np.minimum(q * (1 - q), spread), spread)
    enough = (least - math.log(2 * float(n[-1])) / 2) * (1 - ROUNDING)
    some = np.flatnonzero((short > 0) & (n * short * short >= enough * scale))
    n, o, q = n[some], o[some], q[some]
    # At a limit of 1 the distance is infinite wherever there was a non-event.
    with np.errstate(divide="ignore", invalid="ignore"):
        distance = xlogy(q, q / so_far) + xlogy(1 - q, (1 - q) / (1 - so_far))
        slack = np.where((q > 0) & (q < 1), np.log(8 * n * q * (1 - q)) / 2, 0.0)
    excess = n * distance + slack - least
    some = np.flatnonzero(excess > 0)
    return n[some], o[some], excess[some]
