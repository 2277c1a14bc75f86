r"""Two-way effects: how forecasters differ where each answered other questions.

A loss is the sum of an effect of its question and an effect of its forecaster, and what is left:
:math:`L_{ij} = a_i + b_j + e_{ij}`. Questions are swept out: each says how those who answered it
differ from one another. Only differences within a connected part of forecasters can be told.

Variances allow for what the losses of one question, or of one family of questions, have in common.
In the coordinates in which the normal equations are the identity, a cluster g has the score
:math:`t_g` and the leverage :math:`K_g`, and its score is corrected to :math:`(I - K_g)^{-1/2}
t_g` [1]_, [2]_.

References
----------
.. [1] R. M. Bell, D. F. McCaffrey (2002). Bias reduction in standard errors for linear regression
   with multi-stage samples. Survey Methodology 28:169-181.
.. [2] J. E. Pustejovsky, E. Tipton (2018). Small-sample methods for cluster-robust variance
   estimation and hypothesis testing in fixed effects models. Journal of Business & Economic
   Statistics 36:672-683. doi:10.1080/07350015.2016.1247004.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from properly._boundary._libraries import infinities
from properly._boundary._tolerances import SAME_SUM
from properly.counts._answers import Losses
from properly.typing import Column

# Numbers of a piece of work, which stay in the cache.
PIECE = 1 << 20
# With more clusters times forecasters to the fourth, degrees of freedom are bounded from below.
MOST_WORK = 4 * 10**9
# A leverage this close to 1: without the cluster, the contrast could not be told at all.
WHOLE = 1e-9
# Where leverages add up to less, a series finds the correction.
SMALL = 0.75
TERMS = 200
# Numbers that are held of clusters with large leverages.
MOST_HELD = 1 << 24
# Contrasts this small are what rounding left.
LOADS = 1e-6
# So are differences of losses that are this small beside them: copies do not differ.
EQUAL = 1e-13
# Of a sum of variances this little is left where effects are copies.
CANCELS = 1e-14
# Pairs among which the fewest degrees of freedom are looked for: one, more if that is little work.
CANDIDATES, PAIRS_OF_ALL = 64, 10**8
# What leverages take from degrees of freedom, as a share, that does not matter.
HARDLY = 0.05


@dataclass(frozen=True, eq=False)
class TwoWay:
    """Effects of forecasters, and how far off their differences may be.

    Attributes
    ----------
    effect : numpy array
        What each forecaster adds to a loss; those of a part add up to 0.
    part : numpy array
        The number of the connected part of each, from 0.
    covariance : numpy array
        Of the effects, corrected for leverages.
    inverse : numpy array
        The pseudo-inverse of the normal equations.
    score, score_covariance : numpy array
        What each would have scored on all questions of its part, and the covariance of these.
    level : numpy array
        The effect of each cell, weighted as the answers to it are.
    degrees : numpy array
        Degrees of freedom of each difference, forecasters by forecasters.
    units : numpy array
        The number of each cluster, in order.
    compares : numpy array
        Whether each cluster compares anybody.
    bridges : numpy array
        Clusters without which a part falls apart.
    loads : numpy array
        For each bridge, what it adds to the effects; a difference that has some of it rests on it.
    influence, score_influence : numpy array or None
        What each cluster adds to the effects and to the scores, a row a forecaster, if asked for.
    """

    effect: Column
    part: Column
    covariance: Column
    inverse: Column
    score: Column
    score_covariance: Column
    level: Column
    degrees: Column
    units: Column
    compares: Column
    bridges: Column
    loads: Column
    influence: Column | None = None
    score_influence: Column | None = None

    @cached_property
    def parts(self) -> int:
        """The number of connected parts."""
        return int(self.part.max()) + 1

    @cached_property
    def _least(self) -> float:
        """Beside the losses, anything smaller is what rounding left."""
        return EQUAL * float(np.abs(self.level).max() + np.abs(self.effect).max())

    def differences(self, first: Column, second: Column) -> Column:
        """Subtract effects; between parts there is no difference to tell."""
        apart = self.effect[first] - self.effect[second]
        apart = np.where(np.abs(apart) > self._least, apart, 0.0)
        return np.where(self.part[first] == self.part[second], apart, np.nan)

    def errors(self, first: Column, second: Column) -> Column:
        """Return the standard errors of differences, NaN where they rest on one cluster."""
        c = self.covariance
        whole = c[first, first] + c[second, second]
        square = whole - 2 * c[first, second]
        error = np.sqrt(np.where(square > CANCELS * whole, square, 0.0))
        error = np.where(error > self._least, error, 0.0)
        told = self.part[first] == self.part[second]
        return np.where(told & ~self.rests_on_bridge(first, second), error, np.nan)

    def rests_on_bridge(self, first: Column, second: Column) -> Column:
        """Tell which differences rest on a single cluster."""
        if not len(self.loads):
            return np.zeros(np.shape(first), dtype=bool)
        m = self.inverse
        size = np.sqrt(np.maximum(m[first, first] + m[second, second] - 2 * m[first, second], 0))
        moved = np.abs(self.loads[:, first] - self.loads[:, second]) > LOADS * size
        return np.asarray(moved.any(axis=0))


class ClusterWeights(NamedTuple):
    """Some clusters: the weights of their cells, a row a cell, and the first cell of each."""

    weight: Column
    starts: Column

    def added(self, rows: Column) -> Column:
        """Add rows up over each cluster."""
        if len(self.starts) == len(rows):
            return rows
        return np.asarray(np.add.reduceat(rows, self.starts, axis=0))

    def leveraged(self, x: Column) -> Column:
        """Weigh how far each answer lies from the mean of its cell.

        A row of `x` is what all cells of one cluster have in common.
        """
        w = self.weight
        if len(self.starts) < len(w):
            x = np.repeat(x, np.diff(self.starts, append=len(w)), axis=0)
        mean = np.einsum("ij,ij->i", w, x) / w.sum(axis=1)
        return np.asarray(w * (x - mean[:, None]))

    def spreads(self, contrast: Column) -> Column:
        """Return how much each cluster says about contrasts, a column each."""
        w = self.weight
        mean = w @ contrast
        return self.added(w @ contrast**2 - mean**2 / w.sum(axis=1)[:, None])

    def information(self, some: Column) -> Column:
        """Return what some clusters add to the normal equations, a matrix each."""
        ends = np.append(self.starts, len(self.weight))
        result = np.zeros((len(some), self.weight.shape[1], self.weight.shape[1]))
        for k, cluster in enumerate(some.tolist()):
            w = self.weight[ends[cluster] : ends[cluster + 1]]
            result[k] = np.diag(w.sum(axis=0)) - (w / w.sum(axis=1)[:, None]).T @ w
        return result


@dataclass(frozen=True, eq=False)
class SortedLosses:
    """Losses in the order of their clusters.

    Attributes
    ----------
    losses : Losses
        The losses, sorted by cluster and cell.
    forecasters : int
        How many there are.
    cluster : numpy array
        The cluster of each cell, from 0, in order.
    units : numpy array
        What each cluster was called.
    """

    losses: Losses
    forecasters: int
    cluster: Column
    units: Column

    @classmethod
    def of(cls, losses: Losses, forecasters: int, cluster: Column) -> SortedLosses:
        """Sort by cluster; cells of one cluster stay together."""
        if not (cluster[1:] >= cluster[:-1]).all():
            order = np.argsort(cluster, kind="stable")
            losses, cluster = losses.in_order(order), cluster[order]
        first = np.diff(cluster, prepend=-1) > 0
        return cls(losses, forecasters, np.cumsum(first) - 1, cluster[first])

    @property
    def clusters(self) -> int:
        """How many there are."""
        return int(self.cluster[-1]) + 1

    @property
    def is_small(self) -> bool:
        """Whether degrees of freedom can be found for each pair."""
        return self.clusters * self.forecasters**4 <= MOST_WORK

    @cached_property
    def total(self) -> Column:
        """The weight of the answers to each cell."""
        return np.bincount(self.losses.cell, self.losses.weight)

    def means(self, x: Column) -> Column:
        """Average over the answers to each cell."""
        return np.bincount(self.losses.cell, self.losses.weight * x) / self.total

    @cached_property
    def pieces(self) -> list[tuple[slice, slice]]:
        """The cells of as many whole clusters as fit in a piece, and their rows, each."""
        start, rows = (
            np.append(0, np.bincount(x).cumsum()) for x in (self.cluster, self.losses.cell)
        )
        # Of few forecasters, a matrix a cluster is held.
        width = self.forecasters ** (2 if self.is_small else 1)
        step, first, pieces = max(1, PIECE // width), 0, []
        while first < self.clusters:
            last = int(np.searchsorted(start, start[first] + step, side="right")) - 1
            last = min(max(last, first + 1), self.clusters)
            cells = slice(int(start[first]), int(start[last]))
            pieces.append((cells, slice(int(rows[cells.start]), int(rows[cells.stop]))))
            first = last
        return pieces

    def grid(self, cells: slice, rows: slice) -> ClusterWeights:
        """Lay out weights."""
        number = self.cluster[cells] - self.cluster[cells.start]
        weight = self.laid_out(cells, rows, self.losses.weight)
        return ClusterWeights(weight, np.searchsorted(number, np.arange(number[-1] + 1)))

    def laid_out(self, cells: slice, rows: slice, x: Column) -> Column:
        """Lay out amounts of answers, a row a cell and a column a forecaster."""
        result = np.zeros((cells.stop - cells.start, self.forecasters))
        losses = self.losses
        result[losses.cell[rows] - cells.start, losses.forecaster[rows]] = x[rows]
        return result


class Normal(NamedTuple):
    """Normal equations, solved: the pseudo-inverse, a root of it, the way back, and the parts."""

    root: Column
    inverse: Column
    back: Column
    part: Column


def two_way(
    losses: Losses,
    forecasters: int,
    cluster: Column,
    *,
    among: Column | None = None,
    influences: bool = False,
) -> TwoWay:
    """Fit effects of questions and forecasters.

    Parameters
    ----------
    losses : Losses
        Finite losses; every forecaster has some.
    forecasters : int
        How many there are.
    cluster : numpy array
        The number of the cluster of each cell: its question, or a family of questions.
    among : numpy array, optional
        Those whose pairs matter most: of very many, all pairs have the fewest degrees of freedom of
        any, and these the fewest of theirs.
    influences : bool
        Keep what each cluster adds to the effects and to the scores.

    Returns
    -------
    TwoWay
    """
    table = SortedLosses.of(losses, forecasters, cluster)
    rows, normal = table.losses, _solved(table)
    right = rows.weight * (rows.loss - table.means(rows.loss)[rows.cell])
    effect = normal.inverse @ np.bincount(rows.forecaster, right, forecasters)
    away = rows.loss - effect[rows.forecaster]
    level = table.means(away)
    sums = _ClusterSums(table, normal, effect, level, rows.weight * (away - level[rows.cell]))
    for cells, some in table.pieces:
        sums.add(cells, some, keep=influences)
    among = np.arange(forecasters) if among is None else among
    return sums.result(among)


def _solved(table: SortedLosses) -> Normal:
    """Set up the normal equations and solve them, each connected part by itself."""
    from scipy.linalg import cholesky, inv
    from scipy.sparse.csgraph import connected_components

    rows, size = table.losses, table.forecasters
    matrix: Column = np.diag(np.bincount(rows.forecaster, rows.weight, size))
    for cells, some in table.pieces:
        w = table.laid_out(cells, some, rows.weight)
        w /= np.sqrt(table.total[cells, None])
        matrix -= w.T @ w
    count, part = connected_components(matrix != 0, directed=False)
    roots = []
    for k in range(count):
        inside = np.flatnonzero(part == k)
        root = np.zeros((size, len(inside) - 1))
        if len(inside) > 1:
            # All effects of a part may move together: one is left out, then they are centred.
            own = matrix[np.ix_(inside[1:], inside[1:])]
            root[inside[1:]] = inv(cholesky(own, lower=True)).T
            root[inside] -= root[inside].mean(axis=0)
        roots.append(root)
    root = np.concatenate(roots, axis=1)
    return Normal(root, root @ root.T, root.T @ matrix, part.astype(np.intp))


class _ClusterSums:
    """What is added up over clusters, piece by piece."""

    def __init__(
        self, table: SortedLosses, normal: Normal, effect: Column, level: Column, gradient: Column
    ) -> None:
        self.table, self.normal, self.effect = table, normal, effect
        self.level, self.gradient = level, gradient
        size, rows, part = table.forecasters, table.losses, normal.part
        self.side = np.eye(int(part.max()) + 1)[part]
        begin = np.flatnonzero(np.diff(rows.cell, prepend=-1))
        place = part[rows.forecaster[begin]]
        share = rows.level / np.bincount(place, rows.level)[place]
        self.middle = np.bincount(place, share * level)
        # What each cell adds to the mean effect of the questions of its part.
        pull = share * (level - self.middle[place])
        self.pull = np.eye(self.side.shape[1])[place] * pull[:, None]
        taken = (share / table.total)[rows.cell] * rows.weight
        self.popularity = np.bincount(rows.forecaster, taken, size)
        self.scores, self.spread = np.zeros((2, size, size))
        self.leverage = np.zeros(table.clusters)
        self.kept: list[tuple[Column, Column]] = []
        # Roots of clusters with large leverages, which are asked for again.
        self.known: dict[int, tuple[Column, Column]] = {}
        self.held = 0
        # What is moved by a cluster without which a part falls apart.
        self.loads: dict[int, Column] = {}
        self.degrees = _Degrees(normal.root) if table.is_small else None

    def add(self, cells: slice, rows: slice, *, keep: bool) -> None:
        """Add some clusters."""
        grid, first = self.table.grid(cells, rows), int(self.table.cluster[cells.start])
        own = self.table.laid_out(cells, rows, self.gradient)
        gradient = grid.added(own)
        moved = gradient @ self.normal.inverse
        pull = grid.added(self.pull[cells]) - (moved * self.popularity) @ self.side
        influence = moved + pull @ self.side.T
        self.scores += influence.T @ influence
        if keep:
            self.kept.append((moved, influence))
        if self.degrees is None:
            # The sum of the leverages of each cluster is bounded from above.
            bound = grid.weight @ np.diagonal(self.normal.inverse)
            self.leverage[first : first + len(gradient)] = grid.added(bound[:, None])[:, 0]
        score = self.corrected(grid, own, moved, first)
        self.spread += score.T @ score

    def corrected(self, grid: ClusterWeights, own: Column, moved: Column, first: int) -> Column:
        """Divide the scores of clusters by the roots of one minus their leverages.

        `own` are the scores of cells, `moved` those of clusters times the inverse.
        """
        gradient = grid.added(own)
        if self.degrees is not None:
            return self._by_eigenvalues(grid, np.arange(len(gradient)), gradient, first)
        leverage = self.leverage[first : first + len(gradient)]
        large = np.flatnonzero(leverage > SMALL)
        # Each term is smaller than the last by this factor, or by less.
        shrinks = float(leverage[leverage <= SMALL].max(initial=0.0))
        total, factor = gradient.copy(), 1.0
        least = SAME_SUM * float(np.abs(gradient).max(initial=0.0))
        for k in range(1, TERMS):
            term = grid.added(grid.leveraged(moved))
            term[large] = 0.0
            factor *= (2 * k - 1) / (2 * k)
            total += factor * term
            if float(np.abs(term).max(initial=0.0)) * shrinks <= least:
                break
            moved = term @ self.normal.inverse
        for k in large.tolist():
            total[k] = self._alone(grid, k, own, first)
        return np.asarray(total)

    def _alone(self, grid: ClusterWeights, k: int, own: Column, first: int) -> Column:
        """Do so for one cluster, by its answers if these are fewer than forecasters."""
        cells = slice(*np.append(grid.starts, len(own))[k : k + 2])
        weight = grid.weight[cells]
        cell, who = np.nonzero(weight)
        if len(who) >= self.normal.root.shape[1]:
            alone = self._by_eigenvalues(grid, np.array([k]), grid.added(own), first)
            return np.asarray(alone[0])
        size = np.sqrt(weight[cell, who])
        known = self.known.get(first + k)
        if known is None:
            share = weight / weight.sum(axis=1)[:, None]
            design = -size[:, None] * share[cell]
            design[np.arange(len(who)), who] += size
            known = self._eigenvalues(design, first + k)
            self.held += known[1].size
            if self.held <= MOST_HELD:
                self.known[first + k] = known
        factor, vector = known
        turned = vector @ (factor * (vector.T @ (own[cells][cell, who] / size)))
        return np.bincount(who, size * turned, weight.shape[1])

    def _eigenvalues(self, design: Column, cluster: int) -> tuple[Column, Column]:
        """Return what directions of a cluster's answers are multiplied with, and these."""
        half = design @ self.normal.inverse
        value, vector = np.linalg.eigh(half @ design.T)
        whole = 1 - value <= WHOLE
        if whole.any():
            self.loads[cluster] = vector[:, whole].T @ half
        return np.where(whole, 0.0, 1 / np.sqrt(np.maximum(1 - value, WHOLE))), vector

    def _by_eigenvalues(
        self, grid: ClusterWeights, some: Column, gradient: Column, first: int
    ) -> Column:
        """Do so for some clusters; what rests on one alone has no spread to tell."""
        root = self.normal.root
        own = root.T @ grid.information(some) @ root
        value, vector = np.linalg.eigh((own + own.transpose(0, 2, 1)) / 2)
        whole = 1 - value <= WHOLE
        factor = np.where(whole, 0.0, 1 / np.sqrt(np.maximum(1 - value, WHOLE)))
        for k in np.flatnonzero(whole.any(axis=1)).tolist():
            self.loads[first + int(some[k])] = (root @ vector[k][:, whole[k]]).T
        turned = vector.transpose(0, 2, 1)
        if self.degrees is not None:
            self.degrees.add(own, (vector * (value * factor)[:, None, :]) @ turned)
        score = factor[:, :, None] * (turned @ (gradient[some] @ root)[:, :, None])
        return np.asarray((vector @ score)[:, :, 0] @ self.normal.back)

    def result(self, among: Column) -> TwoWay:
        """Gather everything."""
        table, normal = self.table, self.normal
        answers = np.bincount(table.losses.cell)
        compares = np.zeros(table.clusters, dtype=bool)
        compares[table.cluster[answers > 1]] = True
        size = table.forecasters
        loads = [np.zeros((0, size)), *self.loads.values()]
        of_all = self.degrees
        degrees = self._few_degrees(among) if of_all is None else of_all.of_pairs(size)
        kept = [np.concatenate(x).T for x in zip(*self.kept, strict=True)]
        return TwoWay(
            effect=self.effect,
            part=normal.part,
            covariance=normal.inverse @ self.spread @ normal.inverse,
            inverse=normal.inverse,
            score=self.effect + self.middle[normal.part],
            score_covariance=self.scores * table.clusters / max(table.clusters - 1, 1),
            level=self.level,
            degrees=degrees,
            units=table.units,
            compares=compares,
            bridges=np.array(list(self.loads), dtype=np.intp),
            loads=np.concatenate(loads),
            influence=kept[0] if kept else None,
            score_influence=kept[1] if kept else None,
        )

    def _few_degrees(self, among: Column) -> Column:
        """Give all pairs the fewest degrees of freedom of any; some, the fewest of these."""
        every = np.arange(self.table.forecasters)
        result = np.full((len(every),) * 2, self._fewest(every))
        if len(among) < len(every):
            result[np.ix_(among, among)] = self._fewest(among)
        return result

    def _fewest(self, some: Column) -> float:
        """Find the degrees of freedom of the pair that seems to have the fewest.

        Were all answers independent, those of a pair would follow from how many each of both gave:
        by that it is chosen.
        """
        rows, size = self.table.losses, self.table.forecasters
        compares = (np.bincount(rows.cell) > 1)[rows.cell]
        weight, square = (
            np.bincount(rows.forecaster, compares * rows.weight**k, size) for k in (1, 2)
        )
        first, second = (some[k] for k in np.triu_indices(len(some), 1))
        same = self.normal.part[first] == self.normal.part[second]
        first, second = first[same], second[same]
        with infinities():
            own = square / weight**2
            rough = (own[first] + own[second]) ** 2 / (own[first] ** 3 + own[second] ** 3)
        # Large leverages make each of them more work.
        large = bool((self.leverage > SMALL).any())
        work = self.table.clusters * size ** (3 if large else 2)
        few = np.argsort(rough)[: min(max(PAIRS_OF_ALL // work, 1), CANDIDATES)]
        contrasts = (self.normal.inverse[:, first[few]] - self.normal.inverse[:, second[few]]).T
        return min((self._degrees_of(x, exact=large) for x in contrasts), default=np.nan)

    def _looks(self, contrast: Column) -> Iterator[tuple[ClusterWeights, int, Column, Column]]:
        """Go through what the clusters say about a contrast, piece by piece.

        Some clusters, the first of them, how much each says, and scores of their cells.
        """
        for cells, rows in self.table.pieces:
            grid, first = self.table.grid(cells, rows), int(self.table.cluster[cells.start])
            told = grid.spreads(contrast[:, None])[:, 0]
            every = np.broadcast_to(contrast, (len(told), len(contrast)))
            yield grid, first, told, grid.leveraged(every)

    def _degrees_of(self, contrast: Column, *, exact: bool) -> float:
        """Find the degrees of freedom of one contrast, given as the inverse times it.

        The formula is that of Bell and McCaffrey. Where leverages hardly matter they are bounded
        from below, and that is all that is needed unless `exact`.
        """
        inverse = self.normal.inverse
        spread: Column = np.zeros(inverse.shape)
        told = squares = lost = 0.0
        for grid, first, own, alone in self._looks(contrast):
            score = grid.added(alone)
            told += float(own.sum())
            squares += float(own @ own)
            if exact:
                score = self.corrected(grid, alone, score @ inverse, first)
                spread += score.T @ score
            turned = np.einsum("ij,ij->i", score @ inverse, score)
            rest = 1 - self.leverage[first : first + len(score)]
            lost += float((turned**2 if exact else turned / rest).sum())
        if exact:
            joint = inverse @ spread
            return float(told**2 / (squares + np.einsum("ij,ji->", joint, joint) - lost))
        if lost**2 < HARDLY * squares:
            return told**2 / (squares + lost**2)
        return self._degrees_of(contrast, exact=True)


class _Degrees:
    """Degrees of freedom of each pair, by Bell and McCaffrey."""

    def __init__(self, root: Column) -> None:
        self.first, self.second = np.triu_indices(len(root), 1)
        self.contrast = (root[self.first] - root[self.second]).T
        rank, pairs = self.contrast.shape
        self.squares, self.lost = np.zeros((2, pairs))
        self.spread = np.zeros((pairs, rank, rank))

    def add(self, own: Column, corrected: Column) -> None:
        """Add clusters: their leverages, and these over the roots of one minus them."""
        told = np.einsum("rp,crp->cp", self.contrast, own @ self.contrast)
        score = corrected @ self.contrast
        self.squares += (told**2).sum(axis=0)
        self.lost += (np.einsum("crp,crp->cp", score, score) ** 2).sum(axis=0)
        by_pair = score.transpose(2, 1, 0)
        self.spread += by_pair @ by_pair.transpose(0, 2, 1)

    def of_pairs(self, size: int) -> Column:
        """Return them, forecasters by forecasters; NaN beside oneself."""
        whole = (self.contrast**2).sum(axis=0)
        below = self.squares + (self.spread**2).sum(axis=(1, 2)) - self.lost
        result = np.full((size, size), np.nan)
        with infinities():
            result[self.first, self.second] = whole**2 / below
        return np.asarray(np.fmax(result, result.T))
