"""Halving: where a test begins to refuse."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

Column: TypeAlias = np.ndarray[Any, Any]

# Enough for any two doubles between 0 and 1 to meet.
HALVINGS = 60


def bisect(refused: Callable[[Column], Column], inside: Column, outside: Column) -> Column:
    """Find, for each entry, the last value not refused on the way from inside to outside.

    If nothing is refused on the way, that is the value outside itself.
    """
    end = outside
    for _ in range(HALVINGS):
        middle = (inside + outside) / 2
        bad = refused(middle)
        inside, outside = np.where(bad, inside, middle), np.where(bad, middle, outside)
    return np.where(refused(end), inside, end)
