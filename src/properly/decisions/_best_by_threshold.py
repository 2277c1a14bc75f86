"""Ranks of models by regret at every threshold."""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass
from itertools import combinations, pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from properly._boundary._record import Record
from properly._boundary._text import many
from properly.counts._calls import takes_models
from properly.decisions._same_outcomes import baselines_beside, by_model, same_outcomes
from properly.errors import DataError
from properly.rules._combinators import as_prior
from properly.rules._interval import Interval, as_interval

if TYPE_CHECKING:
    from collections.abc import Mapping

    from properly.decisions._elementary import OutcomeCounts
    from properly.decisions._same_outcomes import Model
    from properly.rules import BinaryRule
    from properly.rules._combinators import Prior
    from properly.typing import Column


# Decimals to which crossings are known if weights are fractions.
DIGITS = 12


@dataclass(frozen=True, eq=False, repr=False)
class ThresholdRanks(Record):
    """The rank of each model at every threshold, by regret.

    Attributes
    ----------
    models : tuple of str
        The names of the models.
    edges : array
        Where ranks change, from the lower to the upper end of `within`.
    rank : array, one row a model
        The ranks between neighbouring edges. The least regret has rank 1; models with the same
        regret share the mean of their ranks. Ties at single thresholds are left out.
    within : Interval
        The thresholds that were looked at.

    Examples
    --------
    >>> import properly
    >>> y = [0, 0, 1, 1]
    >>> bold = properly.tally(y, [0.1, 0.6, 0.6, 0.9])
    >>> shy = properly.tally(y, [0.1, 0.2, 0.2, 0.9])
    >>> ranks = properly.decisions.rank_by_threshold({"bold": bold, "shy": shy})
    >>> ranks
    ThresholdRanks(2 models on 4 pieces of (0, 1))
    >>> ranks.edges
    array([0. , 0.2, 0.5, 0.6, 1. ])
    >>> ranks.rank
    array([[1.5, 1. , 2. , 1.5],
           [1.5, 2. , 1. , 1.5]])
    """

    models: tuple[str, ...]
    edges: Column
    rank: Column
    within: Interval

    def __repr__(self) -> str:
        pieces = many(self.rank.shape[1], "piece")
        ends = f"({self.within.lower:g}, {self.within.upper:g})"
        return f"ThresholdRanks({len(self.models)} models on {pieces} of {ends})"

    def share_best(self, prior: Prior | BinaryRule = "uniform") -> dict[str, float]:
        """Return the share of thresholds at which each model is best.

        Parameters
        ----------
        prior : {"uniform", "logit"} or BinaryRule
            How much each threshold matters: all alike, all alike in log-odds, or as the weight of a
            rule says, such as `properly.rules.BetaWeighted`. Its mass on `within` must be finite;
            that of ``"logit"`` is not if 0 or 1 is an end.

        Returns
        -------
        dict of str to float
            Shares that sum to 1. Where several models are best, each has an equal part.

        Notes
        -----
        This is the idea of Adams and Hand's LC index: a belief about costs, and where each model
        is superior, without by how much. A point mass at an edge belongs to the piece below it, as
        the regret at a threshold is its limit from below.

        References
        ----------
        .. [1] N. M. Adams, D. J. Hand (1999). Comparing classifiers when the misallocation costs
           are uncertain. Pattern Recognition 32:1139-1147. `doi:10.1016/S0031-3203(98)00154-X
           <https://doi.org/10.1016/S0031-3203(98)00154-X>`__

        Examples
        --------
        >>> import properly
        >>> y = [0, 0, 1, 1]
        >>> bold = properly.tally(y, [0.1, 0.6, 0.6, 0.9])
        >>> shy = properly.tally(y, [0.1, 0.2, 0.2, 0.9])
        >>> ranks = properly.decisions.rank_by_threshold({"bold": bold, "shy": shy}, within=(0.2,
        ...     0.6))
        >>> {name: round(share, 12) for name, share in ranks.share_best().items()}
        {'bold': 0.75, 'shy': 0.25}
        """
        mass = as_prior(prior).mass(self.edges[:-1], self.edges[1:])
        total = float(mass.sum())
        if not sys.float_info.min <= total < math.inf:
            ends = f"({self.within.lower}, {self.within.upper})"
            message = (
                f"shares need a prior of positive, finite mass; that of {prior!r} on {ends} is "
                f"{total}"
            )
            hint = "rank the models within=(a, b), a range strictly between 0 and 1."
            raise DataError(message, hint=hint)
        best = self._is_best()
        share = (best / best.sum(axis=0)) @ (mass / total)
        return dict(zip(self.models, share.tolist(), strict=True))

    def winners(self) -> list[tuple[float, float, tuple[str, ...]]]:
        """Return from where to where which models are best, as (lower, upper, names).

        Examples
        --------
        >>> import properly
        >>> y = [0, 0, 1, 1]
        >>> bold = properly.tally(y, [0.1, 0.6, 0.6, 0.9])
        >>> shy = properly.tally(y, [0.1, 0.2, 0.2, 0.9])
        >>> properly.decisions.rank_by_threshold({"bold": bold, "shy": shy}, within=(0.2,
        ...     0.6)).winners()
        [(0.2, 0.5, ('bold',)), (0.5, 0.6, ('shy',))]
        """
        best = self._is_best()
        start = _first_of_runs(best)
        edges = [*self.edges[:-1][start].tolist(), float(self.edges[-1])]
        names = [
            tuple(name for name, is_best in zip(self.models, column, strict=True) if is_best)
            for column in best[:, start].T
        ]
        return [(*ends, who) for ends, who in zip(pairwise(edges), names, strict=True)]

    def _columns(self) -> dict[str, list[Any]]:
        """Return one row a model and piece."""
        models, pieces = self.rank.shape
        return {
            "model": [name for name in self.models for _ in range(pieces)],
            "lower": np.tile(self.edges[:-1], models).tolist(),
            "upper": np.tile(self.edges[1:], models).tolist(),
            "rank": self.rank.ravel().tolist(),
        }

    def _is_best(self) -> Column:
        return np.asarray(self.rank == self.rank.min(axis=0))


@takes_models
def rank_by_threshold(
    models: Mapping[str, Model],
    *,
    within: Interval | tuple[float, float] | None = None,
    baselines: bool = False,
) -> ThresholdRanks:
    r"""Rank models by their regret at every threshold.

    .. math:: R(t) = t \cdot \text{FP}(t) + (1 - t) \cdot \text{FN}(t),

    with the shares of all cases that are false positives and false negatives if one acts if and
    only if :math:`p \ge t`.

    Parameters
    ----------
    models : dict of Tally or Cases by name
        Forecasts of the same outcomes; at least two, or one if baselines are added.
    within : Interval or pair of floats, optional
        The thresholds that matter; all of them if left out.
    baselines : bool
        Whether those of `properly.counts.baselines` are ranked too. The constant event rate shares
        the rank of the better of the other two.

    Returns
    -------
    ThresholdRanks

    Notes
    -----
    Regret is straight between forecasts and jumps at them, so ranks change only at forecasts and
    where two straight pieces cross; these crossings are computed, not searched on a grid. Models
    are tied where they make as many mistakes of either kind, which is a comparison of whole
    numbers. Only the sums of fractional weights are rounded; such sums are equal if rounding may
    have told them apart.

    A rank says nothing about by how much a model is better, nor whether it would be on other data.

    Examples
    --------
    >>> import properly
    >>> t = properly.tally([0, 0, 1, 1], [0.1, 0.3, 0.3, 0.9])
    >>> ranks = properly.decisions.rank_by_threshold({"model": t}, baselines=True)
    >>> for lower, upper, names in ranks.winners():
    ...     print(f"{lower:.4f} to {upper:.4f}: {', '.join(names)}")
    0.0000 to 0.1000: model, treat all, event rate
    0.1000 to 0.3000: model
    0.3000 to 0.3333: treat all, event rate
    0.3333 to 0.9000: model
    0.9000 to 1.0000: model, treat none, event rate
    """
    named = by_model(models, least=1 if baselines else 2)
    if baselines:
        named |= baselines_beside(named)
    result = same_outcomes(named)
    ends = Interval(0, 1) if within is None else as_interval(within)
    value = np.unique(np.concatenate([x.value for x in result]))
    inside = value[(value > ends.lower) & (value < ends.upper)]
    knot = np.concatenate([[ends.lower], inside, [ends.upper]])
    wrong = [_mistakes(knot[:-1], x) for x in result]
    leads = {
        (i, j): _lead(knot, wrong[i], wrong[j], _slack(result[i], result[j]))
        for i, j in combinations(range(len(result)), 2)
    }
    edges = np.unique(np.concatenate([knot, *(lead.crossing for lead in leads.values())]))
    rank = _rank(knot, edges, len(result), leads)
    start = _first_of_runs(rank)
    edges = np.append(edges[:-1][start], edges[-1])
    return ThresholdRanks(tuple(named), edges, rank[:, start], ends)


class _Lead(NamedTuple):
    """The sign of the difference in regret of two models on each piece.

    On some pieces it changes, at a crossing and to another sign.
    """

    sign: Column
    piece: Column
    crossing: Column
    sign_after: Column

    def on(self, part_of: Column, lower: Column) -> Column:
        """Return the sign on parts of pieces, given where each of them begins."""
        crossing, after = np.full(self.sign.shape, np.inf), self.sign.copy()
        crossing[self.piece], after[self.piece] = self.crossing, self.sign_after
        return np.where(lower < crossing[part_of], self.sign[part_of], after[part_of])


def _mistakes(threshold: Column, counts: OutcomeCounts) -> tuple[Column, Column]:
    """Count who is acted upon in vain and who is missed just above thresholds."""
    below = np.searchsorted(counts.value, threshold, side="right")
    none, events = (np.append(0, np.cumsum(x)) for x in (counts.nonevents, counts.events))
    return none[-1] - none[below], events[below]


def _slack(one: OutcomeCounts, other: OutcomeCounts) -> float:
    """Return by how much sums of weights may differ through rounding alone; counts, by nothing."""
    if one.nonevents.dtype.kind == other.nonevents.dtype.kind == "i":
        return 0.0
    terms = len(one.value) + len(other.value)
    return terms * one.total * float(np.finfo(np.float64).eps)


def _lead(
    knot: Column, one: tuple[Column, Column], other: tuple[Column, Column], slack: float
) -> _Lead:
    """Compare two models on all pieces.

    With a more in vain and m more missed, the difference is ``c a + (1 - c) m``. If a and m have
    opposite signs, it is zero at ``m / (m - a)``, has the sign of m before and that of a after.
    """
    a, m = (first - second for first, second in zip(one, other, strict=True))
    sign_a, sign_m = (np.where(np.abs(x) > slack, np.sign(x), 0).astype(np.int8) for x in (a, m))
    sign = np.where(sign_m == 0, sign_a, sign_m)
    piece = np.flatnonzero(sign_a * sign_m < 0)
    a, m = a[piece].astype(np.float64), m[piece].astype(np.float64)
    crossing = m / (m - a)
    if slack:
        # Rounded sums miss a forecast, or the crossing of two others, by their last digits.
        crossing = np.round(crossing, DIGITS)
    passed = crossing <= knot[piece]
    sign[piece[passed]] = sign_a[piece[passed]]
    inside = ~passed & (crossing < knot[piece + 1])
    return _Lead(sign, piece[inside], crossing[inside], sign_a[piece[inside]])


def _rank(knot: Column, edges: Column, models: int, leads: dict[tuple[int, int], _Lead]) -> Column:
    """Count for each model how many others are better, and half of those that are as good."""
    lower = edges[:-1]
    part_of = np.searchsorted(knot, lower, side="right") - 1
    rank = np.ones((models, len(lower)))
    for (i, j), lead in leads.items():
        half = lead.on(part_of, lower) / 2
        rank[i] += 0.5 + half
        rank[j] += 0.5 - half
    return rank


def _first_of_runs(columns: Column) -> Column:
    """Return where a column differs from the one before it."""
    changed = np.any(columns[:, 1:] != columns[:, :-1], axis=0)
    return np.flatnonzero(np.append(True, changed))
