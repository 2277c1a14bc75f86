"""What a decision costs, and what counts as right if several decisions are best."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from properly._boundary._libraries import beside, count_up, is_numpy, namespace
from properly.rules._class_rule import at
from properly.rules._costs import first_of
from properly.rules._rule import wide

if TYPE_CHECKING:
    from properly.typing import Array

Ties = Literal["split", "first", "any_correct", "unique_only"]


def mistakes(p: Array, best: Array, y: Array | None, ties: str) -> Array:
    """Return 0 if the best class was right, 1 if not, and a share if it was one of several."""
    xp = namespace(p)
    if ties == "first":
        first = first_of(best)
        right = first == y if y is not None else first[:, None] == count_up(p.shape[1], first)
    else:
        right = best if y is None else at(best, y)
    hit = wide(xp.astype(right, p.dtype))
    if ties in ("first", "any_correct"):
        return 1 - hit
    tied = wide(xp.astype(_count(best), p.dtype))
    share = 1 / tied if ties == "split" else xp.astype(tied == 1, tied.dtype)
    return 1 - hit * (share[:, None] if y is None else share)


def _count(chosen: Array) -> Array:
    if is_numpy(chosen):
        return np.count_nonzero(chosen, axis=1)
    xp = namespace(chosen)
    return xp.sum(xp.astype(chosen, xp.int64), axis=1)


def costs_of(best: Array, p: Array, cost: np.ndarray[Any, Any], ties: str) -> Array:
    """Return, for every class, the cost of the best decision, or what `ties` makes of several."""
    xp = namespace(p)
    matrix = beside(cost, p)
    chosen = xp.astype(best, p.dtype)
    if ties == "first":
        chosen = chosen * xp.astype(xp.cumulative_sum(chosen, axis=1) == 1, p.dtype)
    if ties in ("split", "first"):
        return (chosen @ matrix.T) / xp.sum(chosen, axis=1, keepdims=True)
    worst = ties == "unique_only"
    found = xp.full_like(p, -math.inf if worst else math.inf)
    for d in range(matrix.shape[1]):
        column = matrix[None, :, d]
        better = column > found if worst else column < found
        found = xp.where(best[:, d, None] & better, column, found)
    return found
