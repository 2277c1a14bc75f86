"""Rows in their clusters, and what acting at thresholds costs each of these."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

from properly._cases import Cases, number_clusters, rows_in_use

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from properly._tally import Tally

Column: TypeAlias = np.ndarray[Any, Any]


class Rows(NamedTuple):
    """Cases of positive weight, and how much each of them is.

    Whole numbers are counts, so that a weight of 3 is three cases. Fractions enter squared, and
    count as one case. Clusters are numbered from 0.
    """

    p: Column
    happened: Column
    weight: Column
    square: Column
    number: Column
    cluster: Column

    @property
    def clusters(self) -> int:
        """The number of clusters."""
        return int(self.cluster.max()) + 1

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
        share = self.clusters / (self.clusters - 1) if self.clusters > 1 else np.nan
        found = []
        for cost in costs:
            mean = cost.sum() / total
            influence = (cost - mean * weight) / total
            found.append((mean, np.sqrt(share * np.sum(influence**2))))
        means, errors = np.array(found).T
        return means, errors


def clustered(x: Tally | Cases) -> Rows | None:
    """Take the rows of cases in clusters; there are none of a tally, or without clusters."""
    return rows_of(x) if isinstance(x, Cases) and x.clusters is not None else None


def rows_of(cases: Cases) -> Rows:
    """Take the rows of positive weight."""
    y, p, weight, used = rows_in_use(cases)
    cluster = np.arange(len(p)) if cases.clusters is None else number_clusters(cases, used)
    whole = bool(np.all(weight == np.floor(weight)))
    square, number = (weight, weight) if whole else (weight**2, np.ones_like(weight))
    p, happened = p.astype(np.float64), y.astype(np.float64)
    return Rows(p, happened, weight, square, number, cluster)
