"""Bins that were chosen beforehand: equally wide, or equally full."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np

Column: TypeAlias = np.ndarray[Any, Any]

# Products below this are exact in int64.
EXACT = 2**63
ROUNDING = 1e-9


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
    cell: Column = (bins * (before / total) + ROUNDING).astype(np.int64)
    return np.minimum(cell, bins - 1)
