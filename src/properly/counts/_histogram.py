"""Histograms and bins of forecasts: equally wide, equally full, or Freedman-Diaconis."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from properly._boundary._libraries import namespace, to_library_of, to_numpy
from properly._boundary._record import Record
from properly._boundary._text import many
from properly._boundary._tolerances import SAME_FORECAST
from properly.typing import Array, Column, Floats

# Products below this are exact in int64.
EXACT = 2**63
# Values such as 0.29 and 0.30 are a hundredth apart, though their difference in binary is less.
GAP = 0.01
NARROW = 1.5e-8
MOST = 400


def equal_width(value: Column, bins: int) -> Column:
    """Return the bin of each forecast: floor(bins * value), with 1 in the last bin.

    A forecast on an edge belongs to the bin above it. The product is that of floating-point
    numbers and nothing is added to it: 100 * 0.29 is a little less than 29, so 0.29 is in bin 28.
    """
    product = value.astype(np.float64) * bins
    return np.minimum(product.astype(np.int64), bins - 1)


def equal_count(weight: Column, bins: int) -> Column:
    """Return the bin of each forecast, in increasing order, so that bins are about equally full.

    A forecast belongs where the middle of its cases falls, and is never split. Bins are numbered
    without gaps.
    """
    before, total = np.cumsum(weight) - weight, weight.sum()
    if not np.issubdtype(weight.dtype, np.integer):
        middle = (before + weight / 2) / total
        cell = np.minimum((bins * middle).astype(np.int64), bins - 1)
    else:
        exact = np.int64 if 2 * bins * int(total) < EXACT else object
        before, weight = before.astype(exact), weight.astype(exact)
        cell = (bins * (2 * before + weight) // (2 * int(total))).astype(np.int64)
    return np.cumsum(np.diff(cell, prepend=cell[0]) > 0)


def equal_rank(weight: Column, bins: int) -> Column:
    """Return the bin of each forecast, in increasing order: floor(bins * cases below / cases).

    A forecast belongs where its first case falls, and is never split. Bins that nothing falls into
    keep their number.
    """
    before, total = np.cumsum(weight) - weight, weight.sum()
    if np.issubdtype(weight.dtype, np.integer):
        exact = np.int64 if bins * int(total) < EXACT else object
        return (bins * before.astype(exact) // int(total)).astype(np.int64)
    # Sums of fractions may fall short of an edge by rounding.
    cell: Column = (bins * (before / total) + SAME_FORECAST).astype(np.int64)
    return np.minimum(cell, bins - 1)


@dataclass(frozen=True, eq=False, repr=False)
class Histogram(Record):
    """How many forecasts there are, bar by bar.

    Attributes
    ----------
    lower, upper : array
        The ends of each bar.
    weight : array
        Cases, or their weight, in each bar.

    Examples
    --------
    >>> import properly
    >>> t = properly.tally([0, 1, 1], [0.2, 0.2, 0.7])
    >>> bars = properly.reliability(t).histogram
    >>> bars.weight
    array([2, 1])
    >>> bars.lower
    array([0.18, 0.68])
    """

    lower: Floats
    upper: Floats
    weight: Column

    _series: ClassVar = ("lower", "upper", "weight")

    def __repr__(self) -> str:
        bars = many(len(self.weight), "bar")
        return f"Histogram({bars} from {self.lower[0]:.4g} to {self.upper[-1]:.4g})"


def smallest_gap(value: Array) -> float:
    """Return how close two neighbouring forecasts are; infinite for a single one."""
    gaps = value[1:] - value[:-1]
    return float(namespace(value).min(gaps)) if gaps.shape[0] else float("inf")


def is_discrete(gap: float) -> bool:
    """Tell whether no two distinct forecasts are closer than a hundredth."""
    return gap >= GAP - SAME_FORECAST


def bar_a_value(value: Floats, weight: Column) -> Histogram:
    """Draw a narrow bar at each distinct forecast."""
    half = min(smallest_gap(value) / 8, 0.02)
    return Histogram(value - half, value + half, weight)


def freedman_diaconis(value: Array, weight: Array, cases: float) -> Histogram:
    """Choose the width of bars by the quartiles of the cases, which are of any library."""
    xp, reached = namespace(value), namespace(value).cumulative_sum(weight)
    is_whole = xp.isdtype(weight.dtype, "integral")
    place = np.array([0.25, 0.75]) * max(cases - 1, 0)
    below = np.floor(place)
    rank: Column = np.concatenate([below, below + 1]).astype(np.int64)
    side = "right"
    if float(reached[-1]) != cases:
        # Weights are measured in cases of the average weight, which leaves half a case of slack.
        rank, side = (rank + 0.5) * (float(reached[-1]) / cases), "left"
    row = to_numpy(xp.searchsorted(reached, to_library_of(rank, reached), side=side))
    ends = np.append(np.minimum(row, value.shape[0] - 1), [0, value.shape[0] - 1])
    x = to_numpy(xp.take(value, to_library_of(ends, reached)))
    low, high = x[:2] + (place - below) * (x[2:4] - x[:2])
    width = 2 * float(high - low) / np.cbrt(cases) if high - low > NARROW else 1 / 400
    # No more bars than a picture can show, whatever the spread of most forecasts suggests.
    bars = min(max(5, round(float(x[5] - x[4]) / width)), MOST)
    edges = np.linspace(float(x[4]), float(x[5]), bars + 1)
    # Forecasts are in order; one on the edge of two bars belongs to the lower one.
    end = xp.searchsorted(value, to_library_of(edges[1:-1], value), side="right")
    if is_whole:
        inner = to_numpy(xp.take(xp.concat([xp.zeros_like(reached[:1]), reached]), end))
        return Histogram(edges[:-1], edges[1:], np.diff(inner, prepend=0, append=int(reached[-1])))
    bar = np.repeat(np.arange(len(edges) - 1), np.diff(end, prepend=0, append=len(value)))
    return Histogram(edges[:-1], edges[1:], np.bincount(bar, weight, len(edges) - 1))
