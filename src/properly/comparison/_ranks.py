"""Ranks with intervals, and tiers of forecasters who cannot be told apart.

References
----------
.. [1] M. Mogstad, J. P. Romano, A. M. Shaikh, D. Wilhelm (2024). Inference for ranks with
   applications to mobility across neighbourhoods and academic achievement across countries. Review
   of Economic Studies 91:476-518. doi:10.1093/restud/rdad006.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from properly._boundary._infinities import infinities
from properly.comparison._pair_tests import student_quantiles
from properly.inference._multiplicity import max_t_of_pairs

if TYPE_CHECKING:
    from properly.comparison._two_way import TwoWay
    from properly.inference._multiplicity import MaxT
    from properly.typing import Column

# Scores that agree in so many digits are ties, which rounding may have parted.
DIGITS = 12


class Ranks(NamedTuple):
    """Ranks of some forecasters, from 1; the best has the lowest score.

    Attributes
    ----------
    order : numpy array
        The forecasters, the best first.
    rank, lowest, highest, tier : numpy array
        The rank of each, the best and the worst that it may have, and its tier.
    """

    order: Column
    rank: Column
    lowest: Column
    highest: Column
    tier: Column


class Apart(NamedTuple):
    """Differences of all pairs of some forecasters, and how far off they may be."""

    first: Column
    second: Column
    difference: Column
    error: Column
    degrees: Column

    @classmethod
    def of(cls, fit: TwoWay, some: Column) -> Apart:
        """Subtract effects."""
        i, j = np.triu_indices(len(some), 1)
        first, second = some[i], some[j]
        apart, error = fit.differences(first, second), fit.errors(first, second)
        return cls(i, j, apart, error, fit.degrees[first, second])

    def square(self, x: Column, *, turned: bool = False) -> Column:
        """Lay amounts of pairs out, row against column; some change sign with the order."""
        size = int(self.second.max(initial=0)) + 1
        result = np.full((size, size), np.nan)
        result[self.first, self.second] = x
        result[self.second, self.first] = -x if turned else x
        return result

    @property
    def fewest(self) -> float:
        """The fewest degrees of freedom of any pair that can be told."""
        some = self.degrees[self.error > 0]
        return float(some.min()) if len(some) else 0.0


def adjustment(fit: TwoWay, some: Column, apart: Apart, rng: np.random.Generator) -> MaxT:
    """Return what adjusts for the number of these pairs."""
    errors, degrees = np.nan_to_num(apart.error), np.nan_to_num(apart.degrees)
    joint = fit.covariance[np.ix_(some, some)]
    return max_t_of_pairs(joint, (apart.first, apart.second), errors, degrees, rng)


def reaches(apart: Apart, level: float) -> Column:
    """Lay out how far the intervals of all pairs reach, each at this level."""
    return apart.square(student_quantiles(np.nan_to_num(apart.degrees), level) * apart.error)


def ranks(apart: Apart, score: Column, reach: Column, own: Column | None = None) -> Ranks:
    """Rank scores; who is shown better or worse than how many bounds a rank [1]_.

    `own` has, row by row, how far intervals reach that hold for one forecaster each; tiers are made
    of those that hold for all.
    """
    size, away = len(score), apart.square(apart.difference, turned=True)
    # Differences that do not vary are not told apart: between copies, rounding would decide.
    reach, own = (np.where(x > 0, x, np.nan) for x in (reach, reach if own is None else own))
    with infinities():
        lowest = 1 + (away - own > 0).sum(axis=1)
        highest = size - (away + own < 0).sum(axis=1)
        # Row k, column j: j is shown to be worse than k.
        worse = away.T - reach > 0
    score = np.round(score / (np.abs(score).max(initial=0.0) or 1.0), DIGITS)
    order = np.argsort(score, kind="stable")
    rank = np.empty(size, dtype=np.intp)
    rank[order] = 1 + np.searchsorted(score[order], score[order])
    return Ranks(order, rank, lowest, highest, _tiers(order, worse))


def _tiers(order: Column, worse: Column) -> Column:
    """Let the best who has no tier open one, with all whom it is not shown to be better than."""
    tier = np.zeros(len(order), dtype=np.intp)
    number = 0
    for k in order.tolist():
        if tier[k]:
            continue
        number += 1
        joined = (tier == 0) & ~worse[k]
        joined[k] = True
        tier[joined] = number
    return tier
