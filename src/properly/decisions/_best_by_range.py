"""The best model over every range of thresholds, by mean regret, with its standard error.

Between neighbouring edges lies a piece. What a range costs is the sum over its pieces, so cases are
looked at once and not once a range. Sums are added up and never subtracted from one another: a
piece of infinite weight spoils only the ranges that hold it, and a narrow range keeps its digits.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from properly._boundary._arrays import check_forecasts
from properly._boundary._libraries import to_numpy
from properly._boundary._record import Record
from properly._boundary._text import many
from properly._boundary._tolerances import SAME_SUM
from properly.counts._baselines import EVENT_RATE
from properly.counts._calls import takes_models
from properly.counts._cases import Cases, require_no_time
from properly.decisions._elementary import rows_of
from properly.decisions._same_outcomes import (
    baselines_beside,
    by_model,
    require_same_rows,
    same_outcomes,
)
from properly.errors import DataError
from properly.rules._combinators import as_prior

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from properly.decisions._elementary import CaseRows, OutcomeCounts
    from properly.decisions._same_outcomes import Model
    from properly.rules import BinaryRule
    from properly.rules._combinators import Prior
    from properly.typing import ArrayLike, Column


# Rows looked at together: with fifty pieces, a table of a few megabytes for each model.
BLOCK = 1 << 13
HINT = "give tallies, made by Cases.tally(), to do without standard errors."


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


class OrderedRows(NamedTuple):
    """Rows in the order of their clusters, and how deviations make a variance.

    The deviation of a row, times its weight, is added up within its cluster and squared; the sum of
    these, times the factor, is the variance. Weights contain the correction of clusters. Without
    clusters each row is one.
    """

    row: Column
    happened: Column
    weight: Column
    start: Column
    factor: float

    def blocks(self) -> Iterator[tuple[slice, Column]]:
        """Yield some rows after others, all of a cluster together, and where clusters begin."""
        rows = len(self.row)
        first = np.unique(np.searchsorted(self.start, np.arange(0, rows, BLOCK)))
        for a, b in pairwise([*first[first < len(self.start)].tolist(), len(self.start)]):
            begin, end = int(self.start[a]), int(self.start[b]) if b < len(self.start) else rows
            yield slice(begin, end), self.start[a:b] - begin


def sample_of(rows: CaseRows) -> OrderedRows:
    """Put rows in the order of their clusters."""
    order = np.argsort(rows.unit, kind="stable")
    start = np.flatnonzero(np.diff(rows.unit[order], prepend=-1))
    weight = rows.design.corrected(rows.weight) if rows.together else rows.weight
    happened = rows.happened[order] > 0
    return OrderedRows(rows.row[order], happened, weight[order], start, rows.factor)


class PricedForecasts(NamedTuple):
    """The piece of each row's forecast, and what it costs there."""

    piece: Column
    own: Column

    def losses(self, pieces: RangePieces, rows: slice, happened: Column) -> Column:
        """Return what each row costs in each piece: all of it, nothing, or its own."""
        piece, size = self.piece[rows], len(pieces.mass)
        at = np.arange(size)
        missed = np.where(at > piece[:, None], pieces.missed, 0.0)
        in_vain = np.where(at < piece[:, None], pieces.in_vain, 0.0)
        result = np.where(happened[:, None], missed, in_vain)
        inside = np.flatnonzero((piece >= 0) & (piece < size))
        result[inside, piece[inside]] = self.own[rows][inside]
        return result


def priced(pieces: RangePieces, sample: OrderedRows, p: Column) -> PricedForecasts:
    """Price the forecasts of a sample."""
    p = to_numpy(p)[sample.row].astype(np.float64)
    piece = pieces.place(p)
    return PricedForecasts(piece, pieces.own(p, piece, sample.happened))


class PricedModel(NamedTuple):
    """A model to be compared: its forecast of each row, and its mean cost in each piece."""

    p: Column
    cost: Column


def difference_errors(
    pieces: RangePieces,
    sample: OrderedRows,
    models: Sequence[PricedModel],
    first: Column,
    second: Column,
) -> Column:
    """Return standard errors of differences in cost between two models, which vary by range.

    The two are given by their places among the models, -1 for none.
    """
    low, high = np.minimum(first, second), np.maximum(first, second)
    pairs = np.unique(np.stack([low, high])[:, low >= 0], axis=1).T.tolist()
    result = np.full(first.shape, np.nan)
    for (i, j), covariance in zip(pairs, _covariances(pieces, sample, models, pairs), strict=True):
        chosen = (low == i) & (high == j)
        result[chosen] = np.sqrt(np.maximum(_over_squares(covariance)[chosen], 0.0))
    return result


def _covariances(
    pieces: RangePieces,
    sample: OrderedRows,
    models: Sequence[PricedModel],
    pairs: Sequence[Sequence[int]],
) -> Column:
    """Return for each pair the covariances, between pieces, of its mean difference in cost."""
    model = {k: priced(pieces, sample, models[k].p) for pair in pairs for k in pair}
    result = np.zeros((len(pairs), len(pieces.mass), len(pieces.mass)))
    for rows, start in sample.blocks():
        happened, weight = sample.happened[rows], sample.weight[rows, None]
        away = {k: x.losses(pieces, rows, happened) - models[k].cost for k, x in model.items()}
        for k, (i, j) in enumerate(pairs):
            apart = (away[i] - away[j]) * weight
            if len(start) < len(apart):
                apart = np.add.reduceat(apart, start, axis=0)
            result[k] += apart.T @ apart
    return result * sample.factor


def _over_squares(covariance: Column) -> Column:
    """Add up the squares of a matrix that begin and end, in both directions, at two edges.

    The piece k adds its own variance and twice its covariance with the pieces before it.
    """
    column = np.cumsum(np.triu(covariance)[::-1], axis=0)[::-1]
    return over_ranges(2 * column - np.diagonal(covariance))


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
        columns: dict[str, list[Any]] = dict(
            zip(("lower", "upper"), (self.edges[k].tolist() for k in at), strict=True)
        )
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
    given = by_model(models, least=1 if baselines else 2)
    added = baselines_beside(given) if baselines else {}
    names = (*given, *added)
    result = same_outcomes({**given, **added})
    edge = _edges(edges)
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
    best, second = _two_best(mean, competing)
    error = None
    rows = {name: model for name, model in given.items() if isinstance(model, Cases)}
    if len(rows) == len(given):
        constants = [float(x.value[0]) for x in added.values()]
        sample, forecasts = _paired_rows(rows, constants)
        compared = [PricedModel(*pair) for pair in zip(forecasts, cost, strict=True)]
        error = difference_errors(pieces, sample, compared, best, second)
    return RangeMap(
        models=names,
        prior=prior if isinstance(prior, str) else prior.name,
        edges=edge,
        best=best,
        second=second,
        margin=_margin(mean, best, second),
        mean_regret=mean,
        standard_error=None if error is None else error / mass,
    )


def _edges(edges: ArrayLike | None) -> Column:
    """Take increasing thresholds in [0, 1]."""
    if edges is None:
        return np.arange(51) / 50
    result = to_numpy(check_forecasts(edges, "edges")).astype(np.float64)
    fall = np.flatnonzero(~(np.diff(result) > 0))
    if len(result) < 2 or len(fall):
        got = "only one"
        if len(fall):
            row = int(fall[0])
            got = f"{result[row]:g} before {result[row + 1]:g} at row {row}"
        message = f"edges must increase, and there must be at least two; got {got}"
        raise DataError(message, hint="k / m, for whole numbers k, makes edges without drift.")
    return result


def _on_both_sides(pieces: RangePieces, rate: float) -> Column:
    """Tell which ranges have weight below the event rate as well as above it."""
    edge, mass = pieces.edge, pieces.rule.mass
    below, above = np.zeros(len(edge), dtype=bool), np.zeros(len(edge), dtype=bool)
    low, high = edge[edge < rate], edge[edge > rate]
    below[edge < rate] = mass(low, np.full_like(low, rate)) > 0
    above[edge > rate] = mass(np.full_like(high, rate), high) > 0
    return below[:, None] & above


def _two_best(mean: Column, competing: Column) -> tuple[Column, Column]:
    """Return the place of the least mean and of the next; of equals, that of the last."""
    left = np.where(competing, mean, np.inf)
    none, result = ~competing.any(axis=0), []
    for _ in range(2):
        bar = left.min(axis=0) * (1 + SAME_SUM)
        place = len(left) - 1 - np.argmax((left <= bar)[::-1], axis=0)
        np.put_along_axis(left, place[None], np.inf, axis=0)
        result.append(np.where(none, -1, place))
    return result[0], result[1]


def _margin(mean: Column, best: Column, second: Column) -> Column:
    """Subtract the least mean from the next; what differs by rounding alone does not differ."""
    least, other = (np.take_along_axis(mean, x[None], axis=0)[0] for x in (best, second))
    margin = other - least
    return np.where(margin <= SAME_SUM * least, 0.0, margin)


def _paired_rows(
    rows: Mapping[str, Cases], constants: Sequence[float]
) -> tuple[OrderedRows, list[Column]]:
    """Take the rows that all models have, and the forecasts of each; some are constant."""
    for cases in rows.values():
        require_no_time(cases, "the standard error of a margin")
    require_same_rows(rows, HINT)
    first = next(iter(rows.values()))
    forecasts = [cases.p for cases in rows.values()]
    forecasts += [np.full(len(first), constant) for constant in constants]
    return sample_of(rows_of(first)), forecasts
