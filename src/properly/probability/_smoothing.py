"""Event rates around each forecast: among the nearest cases, or weighted by how near they are.

Both are functions of a table of distinct forecasts, so that the order of rows cannot matter. Each
case counts itself: where an event happened the rate is never 0, and where one failed to happen it
is never 1, however light the case. So their logarithms are finite.
"""

from __future__ import annotations

import math
from typing import Any, TypeAlias

import numpy as np

Column: TypeAlias = np.ndarray[Any, Any]

# 0.1 and 0.3 are equally far from 0.2, though not once rounded to binary. Distances in [0, 1] that
# differ by less are equal, unless they are themselves hardly larger.
TIE, TINY_TIE = 4 * float(np.finfo(np.float64).eps), 1e-6
# What rounding may do to a share of the total weight. It concerns fractions; counts are exact.
LOST = 1e-12
# Table rows up to which every forecast is compared with every other.
PAIRS_UP_TO = 1_000
# How many pairs to hold in memory at a time.
BLOCK = 2**21
# The share of a case's own weight that forecasts too far away to be looked at may add up to.
NEGLIGIBLE = 1e-12
# The standard normal kernel is 0 in float64 from here on.
FARTHEST = 39.0
# Products of two offsets from the middle of a unit box are at most a quarter, where so many terms
# of the exponential series leave an error below 1e-14.
TERMS = 11
NARROWEST = 1e-300
LEAST, BELOW_ONE = float(np.finfo(np.float64).tiny), float(np.nextafter(1.0, 0.0))


def nearest(
    value: Column, weight: Column, events: Column, neighbours: float | None = None
) -> Column:
    r"""Return the share of events among the cases nearest to each forecast.

    .. math:: r_i = \min \{r : n_i(r) \ge k\}, \qquad
        n_i(r) = \sum_{|q_j - q_i| \le r} w_j, \qquad
        \hat p_i = \frac1{n_i(r_i)} \sum_{|q_j - q_i| \le r_i} e_j.

    All cases that are as near as the last one needed are counted, so there may be more than
    :math:`k`. Distances are compared as they were before forecasts were rounded to binary.

    Parameters
    ----------
    value : numpy array of float64
        Distinct forecasts in [0, 1], increasing.
    weight, events : numpy array
        Cases at each forecast and events among them: counts, or positive sums of weights.
    neighbours : float, optional
        How many cases (how much weight) to ask for, the case itself included;
        :math:`n^{3/4}`, rounded, of all :math:`n` if left out. All if there are fewer.
    """
    own = np.stack([events, weight - events])
    radius = _radius(value, weight, neighbours)
    slack = np.minimum(TIE, radius * TINY_TIE)
    first = np.searchsorted(value, value - radius - slack, side="left")
    stop = np.searchsorted(value, value + radius + slack, side="right")
    # Events and non-events are cumulated apart: where one is missing, its difference is exactly 0.
    upto = np.cumsum(np.pad(own, ((0, 0), (1, 0))), axis=1)
    return _share(upto[:, stop] - upto[:, first], own)


def smooth(
    value: Column,
    weight: Column,
    events: Column,
    bandwidth: float | None = None,
    cases: float | None = None,
) -> Column:
    r"""Return the event rate around each forecast, under a normal kernel on the log-odds scale.

    With :math:`x` the log-odds of the forecasts,

    .. math:: \hat p_i = \frac{\sum_j e_j K((x_i - x_j) / h)}{\sum_j w_j K((x_i - x_j) / h)},
        \qquad K(u) = \exp(-u^2 / 2), \qquad h = 1.06\, s\, n^{-1/5},

    the regression of Nadaraya and Watson (1964) with the normal-reference bandwidth (Silverman
    1986, Eq. 3.28). Here :math:`n` is the number of cases whose forecast is neither 0 nor 1, and
    :math:`s` the standard deviation of their log-odds, with the denominator :math:`n - 1`.

    A forecast of exactly 0 or 1 is infinitely far from all others, which are infinitely far from
    it: its rate is its own, and it has no part in the bandwidth. If all other cases share one
    forecast then :math:`h = 0`, and its rate, too, is its own, as it is with every bandwidth.

    Parameters
    ----------
    value : numpy array of float64
        Distinct forecasts in [0, 1], increasing.
    weight, events : numpy array
        Cases at each forecast and events among them: counts, or positive sums of weights.
    bandwidth : float, optional
        The standard deviation :math:`h` of the kernel. Towards 0 rates become each forecast's own,
        towards infinity the overall rate.
    cases : float, optional
        How many cases all the weight stands for; the total weight if left out, which is right for
        counts. Of fractional weights only the caller knows, since their squares are lost here.
    """
    own = np.stack([events, weight - events])
    rate = _share(own, own)
    inside = (value > 0) & (value < 1)
    if not inside.any():
        return rate
    # Increasing by construction; rounding must not make it otherwise.
    log_odds = np.maximum.accumulate(np.log(value[inside]) - np.log1p(-value[inside]))
    if bandwidth is None:
        all_weight = float(weight.sum())
        each = 1.0 if cases is None else cases / all_weight
        bandwidth = _bandwidth(log_odds, weight[inside], each)
    own = own[:, inside].astype(np.float64)
    add = _add_pairs if len(log_odds) <= PAIRS_UP_TO else _add_boxes
    rate[inside] = _share(add(log_odds / max(bandwidth, NARROWEST), own), own)
    return rate


def _share(around: Column, own: Column) -> Column:
    """Divide events by events and non-events; rounding must not lose what is at the place itself.

    Both arguments hold events in their first row and non-events in their second.
    """
    events, rest = np.maximum(around, own)
    least, most = np.where(own[0] > 0, LEAST, 0.0), np.where(own[1] > 0, BELOW_ONE, 1.0)
    rate: Column = np.clip(events / (events + rest), least, most)
    return rate


def _radius(value: Column, weight: Column, neighbours: float | None) -> Column:
    """Return the smallest distance from each forecast within which there is weight enough.

    With the first forecast of a window given, weight enough decides the last. The earlier the
    first, the farther it is and the nearer the last can be; bisect for where the two are level.
    """
    upto = np.cumsum(np.append(weight[:1] * 0, weight))
    needed = _needed(upto[-1], neighbours)
    row = np.arange(len(value))
    last_value = np.append(value, np.inf)

    def right(first: Column) -> Column:
        last = np.searchsorted(upto, upto[first] + needed, side="left") - 1
        distance: Column = last_value[np.maximum(last, row)] - value
        return distance

    # The last first-of-window that is as far as what it needs on the right, and the next, nearer.
    far, near = np.full(len(value), -1), row + 1
    while (near - far > 1).any():
        middle = (far + near) // 2
        first = np.maximum(middle, 0)
        is_far = (middle < 0) | (value - value[first] >= right(first))
        far, near = np.where(is_far, middle, far), np.where(is_far, near, middle)
    by_far = np.where(far < 0, np.inf, value - value[np.maximum(far, 0)])
    by_near = np.where(near > row, np.inf, right(np.minimum(near, row)))
    radius: Column = np.minimum(by_far, by_near)
    return radius


def _needed(total: Any, neighbours: float | None) -> float:
    """Return how much weight to ask for: no more than there is, and fractions but for rounding."""
    asked = max(round(float(total) ** 0.75), 1) if neighbours is None else neighbours
    if isinstance(total, np.integer):
        return min(math.ceil(asked), int(total))
    return float(min(asked, total) - LOST * total)


def _bandwidth(x: Column, weight: Column, each: float) -> float:
    """Return the normal-reference bandwidth, where a unit of weight stands for `each` cases."""
    total = float(weight.sum())
    n = each * total
    squares = float(np.dot(weight, (x - np.dot(weight, x) / total) ** 2))
    # Less than one case is possible only of fractions whose number of cases was not told.
    variance = squares / (total * (1 - 1 / n) if n > 1 else total)
    return float(1.06 * math.sqrt(variance) * n**-0.2)


def _add_pairs(x: Column, columns: Column) -> Column:
    """Add up each row of columns under the kernel around each place: every pair, in blocks."""
    sums = np.empty_like(columns)
    rows = max(BLOCK // len(x), 1)
    for begin in range(0, len(x), rows):
        apart = np.abs(x[begin : begin + rows, np.newaxis] - x)
        kernel = np.exp(-(np.minimum(apart, FARTHEST) ** 2) / 2)
        sums[:, begin : begin + rows] = columns @ kernel.T
    return sums


def _add_boxes(x: Column, columns: Column) -> Column:
    r"""Add up the same sums box by box, to twelve digits: a fast Gauss transform.

    Cut the line into boxes of width 1. For a place :math:`a` from the middle of its box, a case
    :math:`b` from the middle of its own, and boxes :math:`D` apart,

    .. math:: e^{-(D + a - b)^2 / 2} = e^{-(D + a)^2 / 2} \; e^{D b - b^2 / 2} \;
        \sum_p a^p \, \frac{b^p}{p!},

    so that cases enter only through a few sums a box. All large factors are positive and the series
    is near 1: unlike on a grid, or by Fourier transform, small sums are as precise as large ones.
    """
    box = np.floor(x)
    middle = x - box - 0.5
    start = np.flatnonzero(np.diff(box, prepend=-np.inf))
    box, size = box[start], np.diff(start, append=len(x))
    sums = np.zeros_like(columns)
    for step in _steps(columns):
        source = np.minimum(np.searchsorted(box, box - step), len(box) - 1)
        met = box[source] == box - step
        if not met.any():
            continue
        case = columns * np.exp(step * middle - middle**2 / 2)
        place = np.exp(-((step + middle) ** 2) / 2)
        for term in range(1, TERMS + 1):
            of_box = np.add.reduceat(case, start, axis=1)[:, source] * met
            sums += place * np.repeat(of_box, size, axis=1)
            case *= middle / term
            place *= middle
    return sums


def _steps(columns: Column) -> range:
    """Return how far apart boxes may be and still matter to the lightest case."""
    weight = columns.sum(axis=0)
    # As a difference of logarithms, which no ratio of weights can overflow.
    ratio = math.log(weight.sum()) - math.log(weight.min()) - math.log(NEGLIGIBLE)
    reach = math.ceil(min(math.sqrt(2 * ratio), FARTHEST))
    return range(-reach, reach + 1)
