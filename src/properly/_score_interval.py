"""Score intervals: of a share, and of two shares of one whole put together."""

from __future__ import annotations

from typing import Any, NamedTuple, TypeAlias

import numpy as np

Column: TypeAlias = np.ndarray[Any, Any]


class Term(NamedTuple):
    """A share of all cases, how much it counts for, and where it could be more than zero."""

    amount: Any
    share: Any
    possible: Any


def wilson(share: Any, n: Any, level: float) -> tuple[Any, Any]:
    """Return Wilson's score interval of a share of n cases."""
    from scipy.special import ndtri

    z2 = float(ndtri((1 + level) / 2)) ** 2
    middle = (share + z2 / (2 * n)) / (1 + z2 / n)
    half = np.sqrt(z2 * (share * (1 - share) / n + z2 / (4 * n**2))) / (1 + z2 / n)
    # The ends 0 and 1 are exact if all of the cases, or none, are counted.
    lower = np.where(share == 0, 0.0, np.maximum(middle - half, 0))
    return lower, np.where(share == 1, 1.0, np.minimum(middle + half, 1))


def reach(first: Term, second: Term, n: float, level: float) -> tuple[Column, Column]:
    """Return how far below and above the sum of two terms its interval reaches.

    The distances to the ends of Wilson's intervals, times the amounts, add up as standard
    deviations do, with the correlation of two shares of a whole: the more of the one, the less of
    the other. If one amount is subtracted, both errors therefore go the same way.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        odds = first.share / (1 - first.share) * second.share / (1 - second.share)
    opposed = np.sqrt(np.nan_to_num(odds).clip(0, 1))
    correlation = -opposed * np.sign(first.amount) * np.sign(second.amount)
    below, above = [], []
    for amount, share, possible in (first, second):
        lower, upper = wilson(share, n, level)
        down, up = amount * (share - lower), amount * (upper - share)
        below.append(np.where(possible, np.where(amount < 0, -up, down), 0.0))
        above.append(np.where(possible, np.where(amount < 0, -down, up), 0.0))
    down, up = (
        np.sqrt(np.maximum(a**2 + b**2 + 2 * correlation * a * b, 0)) for a, b in (below, above)
    )
    return down, up


def student(spare: float, level: float) -> float:
    """Return the quantile of Student's t, NaN without a degree of freedom."""
    from scipy.special import stdtrit

    return float(stdtrit(spare, (1 + level) / 2)) if spare > 0 else np.nan
