"""Places of many forecasts among few knots, faster than by bisection of each."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from properly.typing import Column

# Equally wide cells of [0, 1], a power of two so that a product with it is exact.
CELLS = 1 << 14
# So many knots in a cell are passed one by one.
FEW = 4
# Fewer forecasts are found sooner by bisection.
SHORT = 1 << 12


class Lookup(NamedTuple):
    """Knots, and how many of them lie below each of many cells.

    Attributes
    ----------
    knots : numpy array
        Numbers in [0, 1], increasing, and infinity.
    below : numpy array
        How many knots lie below each cell.
    most : int
        The greatest number of knots in a cell.
    """

    knots: Column
    below: Column
    most: int

    @classmethod
    def of(cls, knots: Column) -> Lookup:
        """Count the knots below each cell."""
        cell = (knots * CELLS).astype(np.intp)
        inside = np.bincount(cell, minlength=CELLS + 1)
        below = (np.cumsum(inside) - inside).astype(np.int32)
        return cls(np.append(knots, np.inf), below, int(inside.max()))

    def count_below(self, p: Column) -> Column:
        """Count the knots below each number in [0, 1]."""
        if self.most > FEW or len(p) < SHORT:
            return np.searchsorted(self.knots[:-1], p, side="left")
        row = np.take(self.below, (p * CELLS).astype(np.int32))
        for _ in range(self.most):
            row += np.take(self.knots, row) < p
        return row

    def count_up_to(self, p: Column) -> Column:
        """Count the knots up to each number in [0, 1], itself included."""
        if self.most > FEW or len(p) < SHORT:
            return np.searchsorted(self.knots[:-1], p, side="right")
        row = np.take(self.below, (p * CELLS).astype(np.int32))
        for _ in range(self.most):
            row += np.take(self.knots, row) <= p
        return row
