"""Places of many forecasts among knots, faster than by bisection of each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from properly.typing import Column

# Equally wide cells of [0, 1], at least so many and no more: a power of two, so that a product
# with it is exact. There are about as many as knots, and few of these in a cell.
LEAST, GREATEST = 14, 20
# Fewer forecasts are found sooner by bisection.
SHORT = 1 << 12


class Lookup(NamedTuple):
    """Knots, and how many of them lie below each of many cells.

    Attributes
    ----------
    knots : numpy array
        Numbers in [0, 1], increasing, and infinity often enough that no cell is read beyond them.
    below : numpy array
        How many knots lie below each cell.
    steps : tuple of ints
        Powers of two, falling: taken or left, they lead past any number of knots in a cell.
    """

    knots: Column
    below: Column
    steps: tuple[int, ...]

    @classmethod
    def of(cls, knots: Column) -> Lookup:
        """Count the knots below each cell."""
        cells = 1 << min(max(len(knots).bit_length(), LEAST), GREATEST)
        inside = np.bincount((knots * cells).astype(np.intp), minlength=cells + 1)
        below = (np.cumsum(inside) - inside).astype(np.int32)
        steps = tuple(1 << k for k in reversed(range(int(inside.max()).bit_length())))
        return cls(np.append(knots, np.full(sum(steps) + 1, np.inf)), below, steps)

    def before(self, p: Column, side: Literal["left", "right"]) -> Column:
        """Count the knots below each number in [0, 1]; on the right, those equal to it as well."""
        if len(p) < SHORT:
            return np.searchsorted(self.knots, p, side=side)
        is_before = np.less if side == "left" else np.less_equal
        row = np.take(self.below, (p * (len(self.below) - 1)).astype(np.int32))
        for step in self.steps:
            row += is_before(np.take(self.knots[step - 1 :], row), p) * np.int32(step)
        return row
