"""Rows in their clusters, and what acting at thresholds costs each of these."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

from properly.counts._cases import has_clusters, number_clusters, rows_in_use

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from properly.counts._cases import Cases
    from properly.counts._tally import Tally

Column: TypeAlias = np.ndarray[Any, Any]


class Rows(NamedTuple):
    """Cases of positive weight, and how much each of them is.

    Whole numbers are counts, so that a weight of 3 is three cases. Fractions enter squared, and
    count as one case. Clusters are numbered from 0; if none are known, each row is one.
    """

    row: Column
    p: Column
    happened: Column
    weight: Column
    square: Column
    number: Column
    cluster: Column
    together: bool

    @property
    def clusters(self) -> int:
        """The number of clusters."""
        return int(self.cluster.max()) + 1

    @property
    def unit(self) -> Column:
        """What the deviation of a row is multiplied by, to be added up in its cluster."""
        return self.weight if self.together else np.sqrt(self.square)

    @property
    def factor(self) -> float:
        """What the squares of these sums are multiplied by, to add up to the variance of a mean.

        One case alone has none, nor has one cluster.
        """
        total = float(self.weight.sum())
        if self.together:
            return self.clusters / (self.clusters - 1) / total**2 if self.clusters > 1 else np.nan
        spare = total**2 - float(self.square.sum())
        return 1 / spare if spare > 0 else np.nan

    def costs(self, p: Column, event: Column, grid: Column) -> Iterator[Column]:
        """Yield what the forecasts cost each cluster, at one threshold of a grid after the other.

        Each case is an event to the given extent, and a non-event for the rest.
        """
        cell = np.searchsorted(grid, p, side="right")
        order = np.argsort(cell, kind="stable")
        start = np.searchsorted(cell[order], np.arange(grid.shape[0] + 1))
        none, event = self.weight * (1 - event), self.weight * event
        clusters, size = self.cluster, self.clusters
        in_vain, missed = np.bincount(clusters, none, size), np.zeros(size)
        for threshold, first, last in zip(grid, start[:-1], start[1:], strict=True):
            below = order[first:last]
            in_vain -= np.bincount(clusters[below], none[below], size)
            missed += np.bincount(clusters[below], event[below], size)
            yield 2 * (threshold * in_vain + (1 - threshold) * missed)

    def mean_and_error(self, costs: Iterable[Column]) -> tuple[Column, Column]:
        """Return the mean and its standard error of what the clusters cost, one after the other."""
        weight, total = np.bincount(self.cluster, self.weight), self.weight.sum()
        factor, found = self.factor, []
        for cost in costs:
            mean = cost.sum() / total
            found.append((mean, np.sqrt(factor * np.sum((cost - mean * weight) ** 2))))
        means, errors = np.array(found).T
        return means, errors


def clustered(x: Tally | Cases) -> Rows | None:
    """Take the rows of cases in clusters; there are none of a tally, or without clusters."""
    return rows_of(x) if has_clusters(x) else None


def rows_of(cases: Cases) -> Rows:
    """Take the rows of positive weight."""
    y, p, weight, used = rows_in_use(cases)
    together = has_clusters(cases)
    cluster = number_clusters(cases, used) if together else np.arange(len(p))
    whole = bool(np.all(weight == np.floor(weight)))
    square, number = (weight, weight) if whole else (weight**2, np.ones_like(weight))
    p, happened = p.astype(np.float64), y.astype(np.float64)
    return Rows(np.flatnonzero(used), p, happened, weight, square, number, cluster, together)
