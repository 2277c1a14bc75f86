"""Regret over ranges of thresholds: between all pairs of edges, and how far off it may be.

Between neighbouring edges lies a piece. What a range costs is the sum over its pieces, so cases are
looked at once and not once a range. Sums are added up and never subtracted from one another: a
piece of infinite weight spoils only the ranges that hold it, and a narrow range keeps its digits.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

from properly._boundary._libraries import to_numpy

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from properly.decisions._clusters import Rows
    from properly.decisions._elementary import Outcomes
    from properly.rules import BinaryRule

Column: TypeAlias = np.ndarray[Any, Any]

# Rows looked at together: with fifty pieces, a table of a few megabytes for each model.
BLOCK = 1 << 13


class Pieces(NamedTuple):
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


def pieces_between(edge: Column, rule: BinaryRule) -> Pieces:
    """Weigh the thresholds between neighbouring edges."""
    costs = (x(edge[:-1], edge[1:]) for x in (rule.false_positives, rule.false_negatives))
    in_vain, missed = (np.asarray(cost, dtype=np.float64) for cost in costs)
    mass = np.asarray(rule.mass(edge[:-1], edge[1:]), dtype=np.float64)
    finite = np.isfinite(mass)
    return Pieces(rule, edge, mass, np.where(finite, in_vain, 0.0), np.where(finite, missed, 0.0))


def piece_costs(pieces: Pieces, found: Outcomes) -> Column:
    """Integrate the weighted regret of some forecasts over each piece."""
    value, none, events = found.value, found.nonevents, found.events
    piece, size = pieces.place(value), len(pieces.mass)
    own = none * pieces.own(value, piece, np.full(value.shape, fill_value=False))
    own += events * pieces.own(value, piece, np.full(value.shape, fill_value=True))
    inside = (piece >= 0) & (piece < size)
    before = np.searchsorted(piece, np.arange(size + 1))
    acted, missed = (np.append(0, np.cumsum(x)) for x in (none[::-1], events))
    cost = np.bincount(piece[inside], own[inside], size) + missed[before[:-1]] * pieces.missed
    cost += acted[len(value) - before[1:]] * pieces.in_vain
    return np.asarray(cost / found.total)


def over_ranges(added: Column) -> Column:
    """Add up pieces between all pairs of edges; NaN unless the first edge is the smaller one.

    The last two axes say what the piece k adds to a range that begins at the edge i; one of
    length 1 is the same for all.
    """
    size = added.shape[-1]
    later = np.tri(size, dtype=bool).T
    sums = np.cumsum(np.where(later, added, 0.0), axis=-1)
    found = np.full((*sums.shape[:-2], size + 1, size + 1), np.nan)
    found[..., :-1, 1:] = np.where(later, sums, np.nan)
    return found


class Sample(NamedTuple):
    """Rows in the order of their clusters, and how deviations make a variance.

    The deviation of a row, times its unit, is added up within its cluster and squared; the sum of
    these, times the factor, is the variance. Without clusters each row is one.
    """

    row: Column
    happened: Column
    unit: Column
    start: Column
    factor: float

    def blocks(self) -> Iterator[tuple[slice, Column]]:
        """Yield some rows after others, all of a cluster together, and where clusters begin."""
        rows = len(self.row)
        first = np.unique(np.searchsorted(self.start, np.arange(0, rows, BLOCK)))
        for a, b in pairwise([*first[first < len(self.start)].tolist(), len(self.start)]):
            begin, end = int(self.start[a]), int(self.start[b]) if b < len(self.start) else rows
            yield slice(begin, end), self.start[a:b] - begin


def sample_of(rows: Rows) -> Sample:
    """Put rows in the order of their clusters."""
    order = np.argsort(rows.cluster, kind="stable")
    start = np.flatnonzero(np.diff(rows.cluster[order], prepend=-1))
    happened = rows.happened[order] > 0
    return Sample(rows.row[order], happened, rows.unit[order], start, rows.factor)


class Priced(NamedTuple):
    """The piece of each row's forecast, and what it costs there."""

    piece: Column
    own: Column

    def losses(self, pieces: Pieces, rows: slice, happened: Column) -> Column:
        """Return what each row costs in each piece: all of it, nothing, or its own."""
        piece, size = self.piece[rows], len(pieces.mass)
        at = np.arange(size)
        missed = np.where(at > piece[:, None], pieces.missed, 0.0)
        in_vain = np.where(at < piece[:, None], pieces.in_vain, 0.0)
        found = np.where(happened[:, None], missed, in_vain)
        inside = np.flatnonzero((piece >= 0) & (piece < size))
        found[inside, piece[inside]] = self.own[rows][inside]
        return found


def priced(pieces: Pieces, sample: Sample, p: Column) -> Priced:
    """Price the forecasts of a sample."""
    p = to_numpy(p)[sample.row].astype(np.float64)
    piece = pieces.place(p)
    return Priced(piece, pieces.own(p, piece, sample.happened))


class Rival(NamedTuple):
    """A model to be compared: its forecast of each row, and its mean cost in each piece."""

    p: Column
    cost: Column


def difference_errors(
    pieces: Pieces, sample: Sample, rivals: Sequence[Rival], first: Column, second: Column
) -> Column:
    """Return standard errors of differences in cost between two models, which vary by range.

    The two are given by their places among the rivals, -1 for none.
    """
    low, high = np.minimum(first, second), np.maximum(first, second)
    pairs = np.unique(np.stack([low, high])[:, low >= 0], axis=1).T.tolist()
    found = np.full(first.shape, np.nan)
    for (i, j), covariance in zip(pairs, _covariances(pieces, sample, rivals, pairs), strict=True):
        chosen = (low == i) & (high == j)
        found[chosen] = np.sqrt(np.maximum(_over_squares(covariance)[chosen], 0.0))
    return found


def _covariances(
    pieces: Pieces, sample: Sample, rivals: Sequence[Rival], pairs: Sequence[Sequence[int]]
) -> Column:
    """Return for each pair the covariances, between pieces, of its mean difference in cost."""
    model = {k: priced(pieces, sample, rivals[k].p) for pair in pairs for k in pair}
    found = np.zeros((len(pairs), len(pieces.mass), len(pieces.mass)))
    for rows, start in sample.blocks():
        happened, unit = sample.happened[rows], sample.unit[rows, None]
        away = {k: x.losses(pieces, rows, happened) - rivals[k].cost for k, x in model.items()}
        for k, (i, j) in enumerate(pairs):
            apart = (away[i] - away[j]) * unit
            if len(start) < len(apart):
                apart = np.add.reduceat(apart, start, axis=0)
            found[k] += apart.T @ apart
    return found * sample.factor


def _over_squares(covariance: Column) -> Column:
    """Add up the squares of a matrix that begin and end, in both directions, at two edges.

    The piece k adds its own variance and twice its covariance with the pieces before it.
    """
    column = np.cumsum(np.triu(covariance)[::-1], axis=0)[::-1]
    return over_ranges(2 * column - np.diagonal(covariance))
