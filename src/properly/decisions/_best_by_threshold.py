"""Which model is best where: ranks at every threshold, and the best over every range of them.

Between neighbouring edges lies a piece. What a range costs is the sum over its pieces, so cases are
looked at once and not once a range. Sums are added up and never subtracted from one another: a
piece of infinite weight spoils only the ranges that hold it, and a narrow range keeps its digits.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from properly._boundary._libraries import to_numpy
from properly._boundary._record import Record
from properly._boundary._text import many
from properly._boundary._tolerances import SAME_SUM
from properly.counts._baselines import EVENT_RATE, baselines
from properly.counts._calls import takes_models
from properly.counts._cases import Cases, by_name, require_no_time
from properly.counts._tally import Tally, as_tally
from properly.decisions import _elementary
from properly.decisions._elementary import CaseRows, OutcomeCounts, Split
from properly.decisions._grid import check_increasing
from properly.errors import ArgumentTypeError, DataError
from properly.rules import BinaryRule
from properly.rules._combinators import Prior, as_prior
from properly.rules._interval import Interval, as_interval
from properly.typing import ArrayLike, Column

Model: TypeAlias = Tally | Cases

# Decimals to which crossings are known if weights are fractions.
DIGITS = 12
# Rows looked at together: with fifty pieces, a table of a few megabytes for each model.
BLOCK = 1 << 13
HINT = "give tallies, made by Cases.tally(), to do without standard errors."


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
        best = self.rank == self.rank.min(axis=0)
        share = (best / best.sum(axis=0)) @ (mass / total)
        return dict(zip(self.models, share.tolist(), strict=True))

    def _columns(self) -> dict[str, list[Any]]:
        """Return one row a model and piece."""
        models, pieces = self.rank.shape
        return {
            "model": [name for name in self.models for _ in range(pieces)],
            "lower": np.tile(self.edges[:-1], models).tolist(),
            "upper": np.tile(self.edges[1:], models).tolist(),
            "rank": self.rank.ravel().tolist(),
        }


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
    >>> for lower, upper, rank in zip(ranks.edges, ranks.edges[1:], ranks.rank.T):
    ...     best = [name for name, x in zip(ranks.models, rank) if x == rank.min()]
    ...     print(f"{lower:.4f} to {upper:.4f}: {', '.join(best)}")
    0.0000 to 0.1000: model, treat all, event rate
    0.1000 to 0.3000: model
    0.3000 to 0.3333: treat all, event rate
    0.3333 to 0.5000: model
    0.5000 to 0.9000: model
    0.9000 to 1.0000: model, treat none, event rate
    """
    given, added, result = _contenders(models, with_baselines=baselines)
    ends = Interval(0, 1) if within is None else as_interval(within)
    value = np.unique(np.concatenate([x.value for x in result]))
    inside = value[(value > ends.lower) & (value < ends.upper)]
    knot = np.concatenate([[ends.lower], inside, [ends.upper]])
    edges, rank = _ranks_between(knot, result)
    changed = np.any(rank[:, 1:] != rank[:, :-1], axis=0)
    start = np.flatnonzero(np.append(True, changed))
    edges = np.append(edges[:-1][start], edges[-1])
    return ThresholdRanks((*given, *added), edges, rank[:, start], ends)


def _contenders(
    models: Mapping[str, Model], *, with_baselines: bool
) -> tuple[dict[str, Model], dict[str, Tally], list[OutcomeCounts]]:
    """Take models by name and baselines beside them, and what happened: the same for all."""
    if not isinstance(models, Mapping):
        message = f"models are given by name, in a dict; got {type(models).__name__}"
        raise ArgumentTypeError(message, hint="write {'name': properly.tally(y, p), ...}.")
    hint = "properly.counts.baselines(tally) makes three to compare with."
    given = by_name(models, 1 if with_baselines else 2, hint)
    added = baselines(next(iter(given.values()))) if with_baselines else {}
    if common := given.keys() & added:
        got = f"got a model called {min(common)!r}"
        message = f"baselines are added under names of their own; {got}"
        raise DataError(message, hint="baselines=False adds none.")
    result = {
        name: _elementary.outcomes(as_tally(model)) for name, model in {**given, **added}.items()
    }
    _elementary.require_same_totals(result)
    return given, added, list(result.values())


def _ranks_between(knot: Column, models: Sequence[OutcomeCounts]) -> tuple[Column, Column]:
    """Return all edges, also where two models change places, and ranks on the pieces between."""
    # Those who are acted upon in vain, and those who are missed, just above the knots.
    place = [np.searchsorted(x.value, knot[None, :-1], side="right") for x in models]
    splits = [Split(*x) for x in zip(models, [knot[:-1]] * len(models), place, strict=True)]
    wrong = [np.concatenate([x.acted(x.counts.nonevents), x.left(x.counts.events)]) for x in splits]
    pairs = list(combinations(range(len(models)), 2))
    # Sums of weights may differ through rounding alone; counts by nothing.
    counted = all(x.nonevents.dtype.kind == "i" for x in models)
    terms = 0 if counted else sum(len(x.value) for x in models)
    slack = terms * models[0].total * float(np.finfo(np.float64).eps)
    apart = [wrong[i] - wrong[j] for i, j in pairs]
    apart = [np.where(np.abs(x) > slack, x, 0).astype(np.float64) for x in apart]
    crossings = [_crossings(knot, in_vain, missed, counted=counted) for in_vain, missed in apart]
    edges = np.unique(np.concatenate([knot, *crossings]))
    part = np.searchsorted(knot, edges[:-1], side="right") - 1
    middle, rank = (edges[:-1] + edges[1:]) / 2, np.ones((len(models), len(part)))
    for (i, j), (in_vain, missed) in zip(pairs, apart, strict=True):
        more = middle * in_vain[part] + (1 - middle) * missed[part]
        # Where rounding puts the middle on a crossing, mistakes above it decide.
        half = np.sign(np.where(more == 0, in_vain[part], more)) / 2
        rank[i] += 0.5 + half
        rank[j] += 0.5 - half
    return edges, rank


def _crossings(knot: Column, in_vain: Column, missed: Column, *, counted: bool) -> Column:
    """Find where inside pieces two models cost the same, given how they differ on each.

    On a piece the difference in regret is t times that of actions in vain plus 1 - t times that of
    events missed.
    """
    piece = np.flatnonzero(in_vain * missed < 0)
    result = missed[piece] / (missed[piece] - in_vain[piece])
    if not counted:
        # Rounded sums miss a forecast, or the crossing of two others, by their last digits.
        result = np.round(result, DIGITS)
    return np.asarray(result[(knot[piece] < result) & (result < knot[piece + 1])])


class RangePieces(NamedTuple):
    """Thresholds between neighbouring edges: their weight, and the cost of being wrong there.

    Where the weight is infinite the costs are 0, and nobody is to look at them.
    """

    rule: BinaryRule
    edge: Column
    mass: Column
    in_vain: Column
    missed: Column

    def place(self, p: Column) -> Column:
        """Return the piece of each forecast: -1 up to the first edge, one too many after the last.

        A forecast on an edge is in the piece below it, since one acts if p is the threshold.
        """
        return np.searchsorted(self.edge, p, side="left") - 1

    def own(self, p: Column, piece: Column, happened: Column) -> Column:
        """Return what a forecast costs at the thresholds of its own piece, 0 if it is in none."""
        cost = np.zeros(p.shape)
        inside = (piece >= 0) & (piece < len(self.mass))
        inside[inside] = np.isfinite(self.mass[piece[inside]])
        event, none = np.flatnonzero(inside & happened), np.flatnonzero(inside & ~happened)
        cost[event] = self.rule.false_negatives(p[event], self.edge[piece[event] + 1])
        cost[none] = self.rule.false_positives(self.edge[piece[none]], p[none])
        return cost

    def costs(self, p: Column, happened: Column) -> Column:
        """Return what each forecast costs in each piece."""
        piece, at = self.place(p), np.arange(len(self.mass))
        missed = np.where(at > piece[:, None], self.missed, 0.0)
        in_vain = np.where(at < piece[:, None], self.in_vain, 0.0)
        result = np.where(happened[:, None], missed, in_vain)
        inside = np.flatnonzero((piece >= 0) & (piece < len(at)))
        result[inside, piece[inside]] = self.own(p, piece, happened)[inside]
        return result


def pieces_between(edge: Column, rule: BinaryRule) -> RangePieces:
    """Weigh the thresholds between neighbouring edges."""
    costs = (x(edge[:-1], edge[1:]) for x in (rule.false_positives, rule.false_negatives))
    in_vain, missed = (np.asarray(cost, dtype=np.float64) for cost in costs)
    mass = np.asarray(rule.mass(edge[:-1], edge[1:]), dtype=np.float64)
    finite = np.isfinite(mass)
    return RangePieces(
        rule, edge, mass, np.where(finite, in_vain, 0.0), np.where(finite, missed, 0.0)
    )


def piece_costs(pieces: RangePieces, counts: OutcomeCounts) -> Column:
    """Integrate the weighted regret of some forecasts over each piece."""
    value, none, events = counts.value, counts.nonevents, counts.events
    piece, size = pieces.place(value), len(pieces.mass)
    own = none * pieces.own(value, piece, np.full(value.shape, fill_value=False))
    own += events * pieces.own(value, piece, np.full(value.shape, fill_value=True))
    inside = (piece >= 0) & (piece < size)
    before = np.searchsorted(piece, np.arange(size + 1))
    acted, missed = (np.append(0, np.cumsum(x)) for x in (none[::-1], events))
    cost = np.bincount(piece[inside], own[inside], size) + missed[before[:-1]] * pieces.missed
    cost += acted[len(value) - before[1:]] * pieces.in_vain
    return np.asarray(cost / counts.total)


def over_ranges(added: Column) -> Column:
    """Add up pieces between all pairs of edges; NaN unless the first edge is the smaller one.

    The last two axes say what the piece k adds to a range that begins at the edge i; one of
    length 1 is the same for all.
    """
    size = added.shape[-1]
    later = np.tri(size, dtype=bool).T
    sums = np.cumsum(np.where(later, added, 0.0), axis=-1)
    result = np.full((*sums.shape[:-2], size + 1, size + 1), np.nan)
    result[..., :-1, 1:] = np.where(later, sums, np.nan)
    return result


def margin_errors(
    pieces: RangePieces,
    rows: CaseRows,
    models: Sequence[tuple[Column, Column]],
    first: Column,
    second: Column,
) -> Column:
    """Return standard errors of differences in cost between two models, which vary by range.

    Models are pairs of their forecasts, one per row, and their mean costs. `first` and `second`
    hold places of models, -1 where there are none.
    """
    low, high = np.minimum(first, second), np.maximum(first, second)
    pairs = np.unique(np.stack([low, high])[:, low >= 0], axis=1).T.tolist()
    covariances = np.zeros((len(pairs), len(pieces.mass), len(pieces.mass)))
    weight = rows.design.corrected(rows.weight) if rows.design.unit is not None else rows.weight
    order = np.argsort(rows.unit, kind="stable")
    start = np.flatnonzero(np.diff(rows.unit[order], prepend=-1))
    # Some rows after others, all of a cluster together.
    cut = start[np.searchsorted(start, np.arange(BLOCK, start[-1] + 1, BLOCK))]
    for part in np.split(order, np.unique(cut)):
        away = {
            k: pieces.costs(models[k][0][part], rows.happened[part] > 0) - models[k][1]
            for k in {k for pair in pairs for k in pair}
        }
        units = np.flatnonzero(np.diff(rows.unit[part], prepend=-1))
        for k, (i, j) in enumerate(pairs):
            apart = (away[i] - away[j]) * weight[part, None]
            if len(units) < len(apart):
                apart = np.add.reduceat(apart, units, axis=0)
            covariances[k] += apart.T @ apart
    result = np.full(first.shape, np.nan)
    for (i, j), covariance in zip(pairs, covariances * rows.factor, strict=True):
        chosen = (low == i) & (high == j)
        # The piece k adds its own variance and twice its covariance with the pieces before it.
        column = np.cumsum(np.triu(covariance)[::-1], axis=0)[::-1]
        squares = over_ranges(2 * column - np.diagonal(covariance))
        result[chosen] = np.sqrt(np.maximum(squares[chosen], 0.0))
    return result


@dataclass(frozen=True, eq=False, repr=False)
class RangeMap(Record):
    """The best model over every range of thresholds between two of some edges.

    In all matrices, the row is the lower end of the range and the column the upper one.

    Attributes
    ----------
    models : tuple of str
        The names of the models, baselines last.
    prior : str
        How thresholds were weighed: ``"uniform"``, ``"logit"``, or the name of a rule.
    edges : array
        The ends that ranges may have.
    best, second : matrix of int
        The models with the least mean regret and the next one, as places in `models`; -1 where
        there is no range, or none of positive, finite weight.
    margin : matrix
        By how much the mean regret of the second is greater; NaN where there is none.
    mean_regret : array of one matrix a model
        Mean regret over each range.
    standard_error : matrix or None
        Of the margin, from paired differences; None unless all models are `properly.Cases`.

    Examples
    --------
    >>> import properly
    >>> y = [0, 0, 1, 1]
    >>> bold = properly.tally(y, [0.1, 0.6, 0.6, 0.9])
    >>> shy = properly.tally(y, [0.1, 0.2, 0.2, 0.9])
    >>> models = {"bold": bold, "shy": shy}
    >>> found = properly.decisions.best_by_range(models, edges=[0.2, 0.5, 0.6], baselines=False)
    >>> found
    RangeMap(2 models over 3 ranges)
    >>> found.best
    array([[-1,  0,  0],
           [-1, -1,  1],
           [-1, -1, -1]])
    >>> found.margin.round(4)
    array([[  nan, 0.075, 0.05 ],
           [  nan,   nan, 0.025],
           [  nan,   nan,   nan]])
    """

    models: tuple[str, ...]
    prior: str
    edges: Column
    best: Column
    second: Column
    margin: Column
    mean_regret: Column
    standard_error: Column | None

    def __repr__(self) -> str:
        ranges = many(int(np.sum(self.best >= 0)), "range")
        return f"RangeMap({len(self.models)} models over {ranges})"

    def _columns(self) -> dict[str, list[Any]]:
        """Return one row a range and its two best models."""
        at = np.nonzero(self.best >= 0)
        lower, upper = (self.edges[k].tolist() for k in at)
        columns: dict[str, list[Any]] = {"lower": lower, "upper": upper}
        for name, place in (("best", self.best[at]), ("second", self.second[at])):
            columns[name] = [self.models[k] for k in place.tolist()]
            columns[f"mean_regret_of_{name}"] = self.mean_regret[(place, *at)].tolist()
        columns["margin"] = self.margin[at].tolist()
        if self.standard_error is not None:
            columns["standard_error"] = self.standard_error[at].tolist()
        return columns


@takes_models
def best_by_range(
    models: Mapping[str, Model],
    *,
    edges: ArrayLike | None = None,
    prior: Prior | BinaryRule = "uniform",
    baselines: bool = True,
) -> RangeMap:
    r"""Find the model with the least mean regret over every range of thresholds.

    .. math:: \frac{\int_a^b R(t)\, w(t)\, dt}{\int_a^b w(t)\, dt}, \qquad
        R(t) = t \cdot \text{FP}(t) + (1 - t) \cdot \text{FN}(t),

    with the shares of all cases that are false positives and false negatives if one acts if and
    only if :math:`p \ge t`. Nothing is approximated: each value is the mean of the rule
    ``properly.rules.Regret((a, b), prior)``.

    Parameters
    ----------
    models : dict of Tally or Cases by name
        Forecasts of the same outcomes; at least two, or one if baselines are added.
    edges : array-like, optional
        The ends that ranges may have, increasing, in [0, 1]; 0, 0.02, …, 1 if left out.
    prior : {"uniform", "logit"} or BinaryRule
        How much each threshold matters: all alike, all alike in log-odds, or as the weight of a
        rule says, such as `properly.rules.BetaWeighted`.
    baselines : bool
        Whether those of `properly.counts.baselines` compete too.

    Returns
    -------
    RangeMap

    Notes
    -----
    A tie goes to the model that comes later, so that one that is no better than a baseline does not
    win. The constant event rate competes only in ranges that have weight on both sides of it;
    elsewhere it acts on all or on none.

    If all models are `properly.Cases`, which must have the same rows, the margin has the standard
    error of paired differences, allowing for clusters. Two models are compared that were
    chosen for being the best on these very data, so a margin is somewhat too large: one
    of less than two standard errors says little.

    Examples
    --------
    >>> import properly
    >>> t = properly.tally([0, 0, 1, 1], [0.1, 0.3, 0.3, 0.9])
    >>> found = properly.decisions.best_by_range({"model": t}, edges=[0.1, 0.3, 0.32])
    >>> found.models
    ('model', 'treat all', 'treat none', 'event rate')
    >>> found.best
    array([[-1,  0,  0],
           [-1, -1,  1],
           [-1, -1, -1]])
    >>> found.mean_regret[:2, 0, 1]
    array([0.05, 0.1 ])
    """
    given, added, result = _contenders(models, with_baselines=baselines)
    hint = "k / m, for whole numbers k, makes edges without drift."
    edge = np.arange(51) / 50
    if edges is not None:
        edge = check_increasing(edges, "edges", least=2, hint=hint)
    names = (*given, *added)
    pieces = pieces_between(edge, as_prior(prior))
    mass = over_ranges(pieces.mass[None, :])
    usable = (mass >= sys.float_info.min) & (mass < np.inf)
    mass[~usable] = np.nan
    cost = np.stack([piece_costs(pieces, x) for x in result])
    mean = over_ranges(cost[:, None, :]) / mass
    competing = np.broadcast_to(usable, mean.shape).copy()
    if EVENT_RATE in added:
        place = names.index(EVENT_RATE)
        competing[place] &= _on_both_sides(pieces, float(result[place].value[0]))
    best, second, margin = _two_best(mean, competing)
    error = None
    rows = {name: model for name, model in given.items() if isinstance(model, Cases)}
    if len(rows) == len(given):
        for cases in rows.values():
            require_no_time(cases, "the standard error of a margin")
        _elementary.require_same_rows(rows, HINT)
        paired = _elementary.rows_of(next(iter(rows.values())))
        forecasts = [to_numpy(x.p)[paired.row].astype(np.float64) for x in rows.values()]
        forecasts += [np.full(len(paired.p), x.value[0]) for x in result[len(given) :]]
        pairs = list(zip(forecasts, cost, strict=True))
        error = margin_errors(pieces, paired, pairs, best, second) / mass
    return RangeMap(
        models=names,
        prior=prior if isinstance(prior, str) else prior.name,
        edges=edge,
        best=best,
        second=second,
        margin=margin,
        mean_regret=mean,
        standard_error=error,
    )


def _on_both_sides(pieces: RangePieces, rate: float) -> Column:
    """Tell which ranges have weight below the event rate as well as above it."""
    edge, mass = pieces.edge, pieces.rule.mass
    below, above = np.zeros(len(edge), dtype=bool), np.zeros(len(edge), dtype=bool)
    low, high = edge[edge < rate], edge[edge > rate]
    below[edge < rate] = mass(low, np.full_like(low, rate)) > 0
    above[edge > rate] = mass(np.full_like(high, rate), high) > 0
    return below[:, None] & above


def _two_best(mean: Column, competing: Column) -> tuple[Column, Column, Column]:
    """Return the place of the least mean and of the next, of equals the last, and their margin."""
    left = np.where(competing, mean, np.inf)
    none, places, values = ~competing.any(axis=0), [], []
    for _ in range(2):
        bar = left.min(axis=0) * (1 + SAME_SUM)
        place = len(left) - 1 - np.argmax((left <= bar)[::-1], axis=0)
        np.put_along_axis(left, place[None], np.inf, axis=0)
        places.append(np.where(none, -1, place))
        values.append(np.take_along_axis(mean, places[-1][None], axis=0)[0])
    margin = values[1] - values[0]
    # What differs by rounding alone does not differ.
    return places[0], places[1], np.where(margin <= SAME_SUM * values[0], 0.0, margin)
