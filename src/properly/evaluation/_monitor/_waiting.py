"""Cases in the order of their forecasts, as long as they or earlier ones have no outcome.

Evidence follows forecasts, not outcomes. Where events are known sooner than their absence, evidence
in the order of outcomes would see too many of them at first; in the order of forecasts it waits.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from properly.evaluation._monitor._batch import OPEN

if TYPE_CHECKING:
    from properly.evaluation._monitor._batch import Batch
    from properly.typing import Column


@dataclass(frozen=True, eq=False)
class Waiting:
    """Cases by unit, which is a case or a cluster of cases.

    Attributes
    ----------
    unit : array of int
        Which unit a case is of, in the order of forecasts; never falling.
    ids : array of uint64
        Numbers of ids; 0 without ids.
    y : array of int8
        Outcomes, -1 if unknown.
    group : array of int
        Numbers of groups, from 0; all 0 without groups.
    forecasts : array of shape (cases, models)
        Forecasts, as they are watched.
    """

    unit: Column
    ids: Column
    y: Column
    group: Column
    forecasts: Column

    @classmethod
    def none(cls, models: int) -> Waiting:
        """Return no cases."""
        whole = np.zeros(0, np.int64)
        rows = np.zeros((0, models))
        return cls(whole, np.zeros(0, np.uint64), np.zeros(0, np.int8), whole, rows)

    @classmethod
    def of(cls, batch: Batch, group: Column, forecasts: Column, first: int) -> Waiting:
        """Take the cases of a batch as units from a first one on."""
        number = np.arange(len(batch.y)) if batch.clusters is None else _in_order(batch.clusters)
        ids = np.zeros(len(number), np.uint64) if batch.ids is None else batch.ids
        cases = cls(first + number, ids, batch.y, group, forecasts)
        return cases.some(np.argsort(number, kind="stable"))

    def __len__(self) -> int:
        """Count the cases."""
        return len(self.y)

    @property
    def open(self) -> int:
        """Count the cases without an outcome."""
        return int((self.y == OPEN).sum())

    def some(self, rows: Column | slice) -> Waiting:
        """Take some cases."""
        columns = (self.unit, self.ids, self.y, self.group, self.forecasts)
        return Waiting(*(x[rows] for x in columns))

    def joined(self, other: Waiting) -> Waiting:
        """Put later cases behind these."""
        pairs = zip(vars(self).values(), vars(other).values(), strict=True)
        return Waiting(*(np.concatenate(pair) for pair in pairs))

    def settled(self, rows: Column, y: Column) -> Waiting:
        """Put down outcomes that came later."""
        outcomes = self.y.copy()
        outcomes[rows] = y
        return replace(self, y=outcomes)

    def without(self, gone: Column) -> Waiting:
        """Give up some cases; units are numbered on as if they had never been."""
        rest = self.some(~gone)
        number = np.unique(rest.unit, return_inverse=True)[1]
        return replace(rest, unit=self.unit[:1] + number)

    def split(self) -> tuple[Waiting, Waiting]:
        """Return the cases before the first unit that has an open one, and the others."""
        still = np.flatnonzero(self.y == OPEN)
        end = len(self) if not still.size else int(np.searchsorted(self.unit, self.unit[still[0]]))
        return self.some(slice(end)), self.some(slice(end, None))


def _in_order(labels: Column) -> Column:
    """Return the number of each label, in the order in which they first appear."""
    _, first, number = np.unique(labels, return_index=True, return_inverse=True)
    rank = np.empty(len(first), np.int64)
    rank[np.argsort(first)] = np.arange(len(first))
    return rank[number]
