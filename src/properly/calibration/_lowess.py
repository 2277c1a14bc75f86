"""Local lines through what happened at neighbouring forecasts (lowess), many at once.

References
----------
.. [1] W. S. Cleveland (1979). Robust locally weighted regression and smoothing scatterplots.
   Journal of the American Statistical Association 74:829-836. doi:10.1080/01621459.1979.10481038.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

Column: TypeAlias = np.ndarray[Any, Any]

# The share of the cases in each window. Where these hardly differ they get a mean, and no line.
SPAN = 2 / 3
NARROW = 1e-3
# Entries of a table: what stays in the processor's cache, and what is worth a product of matrices.
CACHE = 1 << 17
TABLE = 1 << 22
# Of more forecasts than this, rough curves have lines of their own only as closely as this part of
# a window. That changes distances by less than a hundredth, and their mean by far less.
MANY = 1000
FINE = 200
SLACK = 1e-12


@dataclass(frozen=True, eq=False)
class Lowess:
    """Lines through the neighbours of each forecast, the nearest counting most.

    A window holds two thirds of the cases. There are no steps to make it robust, which would take
    rare events for errors, and every forecast has its own line. A curve may leave [0, 1].
    """

    value: Column
    weight: Column
    width: Column

    @classmethod
    def of(cls, value: Column, weight: Column, *, counted: bool) -> Lowess:
        """Find the width of each forecast's window."""
        total = float(weight.sum())
        needed = SPAN * total * (1 - SLACK)
        if counted:
            needed = min(max(math.floor(SPAN * total + 1e-7), 2.0), total)
        below = _reach(value, weight, needed)
        above = _reach(-value[::-1], weight[::-1], needed)[::-1]
        return cls(value, weight, np.minimum(below, above))

    @property
    def told(self) -> str:
        """The kind of the curve, in words."""
        return "lowess with windows of two thirds of the cases"

    def at(self, events: Column, *, rough: bool = False) -> Column:
        """Fit some forecasts at a time: what their neighbours count is the same for all curves.

        Rough curves of many forecasts are straight between some of these.
        """
        rate = (events / self.weight).T
        rows = self._anchors() if rough and len(self.value) > MANY else np.arange(len(self.value))
        found = np.concatenate(
            [self._table(some) @ rate for some in _pieces(rows, TABLE, len(rate))]
        )
        if len(rows) == len(self.value):
            return found.T
        return np.stack([np.interp(self.value, self.value[rows], curve) for curve in found.T])

    def _anchors(self) -> Column:
        """Choose forecasts that are a small part of a window apart."""
        rows, last = [0], len(self.value) - 1
        while rows[-1] < last:
            furthest = self.value[rows[-1]] + self.width[rows[-1]] / FINE
            reached = int(np.searchsorted(self.value, furthest, side="right")) - 1
            rows.append(max(reached, rows[-1] + 1))
        return np.array(rows)

    def _table(self, some: Column) -> Column:
        """Return what each case counts in the lines of some forecasts."""
        pieces = _pieces(some, CACHE, len(self.value))
        return np.concatenate([self._weights(piece) for piece in pieces])

    def _weights(self, some: Column) -> Column:
        width = self.width[some, None]
        # Without a width, only the forecast itself is in its window.
        away = (self.value - self.value[some, None]) / np.where(width > 0, width, 1)
        kernel: Column = np.abs(away)
        kernel[(width[:, 0] == 0)] = np.where(away[width[:, 0] == 0] == 0, 0, 1)
        np.minimum(kernel, 1, out=kernel)
        # In place, and products rather than powers: this is where the time goes.
        kernel *= kernel * kernel
        np.subtract(1, kernel, out=kernel)
        kernel *= kernel * kernel
        kernel *= self.weight
        kernel /= kernel.sum(axis=1, keepdims=True)
        mean = np.einsum("ij,ij->i", kernel, away)[:, None]
        away -= mean
        moved = kernel * away
        spread = np.einsum("ij,ij->i", moved, away)[:, None]
        is_line = np.sqrt(spread) * width > NARROW * (self.value[-1] - self.value[0])
        kernel -= moved * np.where(is_line, mean / np.where(is_line, spread, 1), 0)
        return kernel


def _pieces(rows: Column, entries: int, columns: int) -> Iterator[Column]:
    """Cut rows into pieces that make tables of at most so many entries."""
    piece = max(1, entries // columns)
    return (rows[start : start + piece] for start in range(0, len(rows), piece))


def _reach(x: Column, weight: Column, needed: float) -> Column:
    """Find how far down the nearest cases of the needed weight reach, if they reach down furthest.

    Infinite where the lowest of all is not far enough. By bisection, for all points at once.
    """
    before = np.append(0, np.cumsum(weight))
    low, high = np.full(len(x), -1), np.arange(1, len(x) + 1)
    while (high - low > 1).any():
        middle = np.maximum((low + high) // 2, 0)
        end = np.searchsorted(x, x + (x - x[middle]) * (1 + SLACK), side="right")
        is_enough = before[end] - before[middle] >= needed
        low, high = np.where(is_enough, middle, low), np.where(is_enough, high, middle)
    return np.where(low >= 0, x - x[low], np.inf)
