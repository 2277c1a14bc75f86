"""Which rows are new: by the ids of cases, or by checksums of whole batches."""

from __future__ import annotations

from dataclasses import dataclass, field
from hashlib import blake2b
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from properly.evaluation._monitor._batch import OPEN

if TYPE_CHECKING:
    from properly.evaluation._monitor._batch import Batch
    from properly.evaluation._monitor._waiting import Waiting
    from properly.typing import Column

LAST_BIT = np.uint64(1)
DIGEST = 16


class Matched(NamedTuple):
    """Rows of a batch, by what is to be done about them."""

    new: Batch
    rows: Column
    y: Column
    again: int
    changed: int
    early: dict[int, int]
    used: set[int]


def _none() -> Column:
    return np.zeros(0, np.uint64)


@dataclass(eq=False)
class Register:
    """What is known of cases that no longer wait, and of outcomes that came before forecasts.

    Attributes
    ----------
    counted : array of uint64
        Ids of cases that were counted, sorted, with the outcome as their last bit.
    dropped : array of uint64
        Ids of cases that were given up, sorted.
    early : dict of int
        Outcomes without forecasts, by id.
    batches : dict of set
        Checksums of batches without ids, by the number of their rows.
    overlap : int
        The most later units that had been forecast when the outcome of a unit came.
    """

    counted: Column = field(default_factory=_none)
    dropped: Column = field(default_factory=_none)
    early: dict[int, int] = field(default_factory=dict)
    batches: dict[int, set[str]] = field(default_factory=dict)
    overlap: int = 0

    def matched(self, batch: Batch, waiting: Waiting) -> Matched:
        """Find out which rows of a batch are of cases that are known; nothing is changed."""
        ids, y = np.asarray(batch.ids), batch.y
        before = self._counted_as(ids)
        row = _places(waiting.ids, ids)
        is_known = (before > OPEN) | (row >= 0) | (_places(self.dropped, ids) >= 0)
        at = np.maximum(row, 0)
        was = np.where(row >= 0, waiting.y[at], before) if len(waiting) else before
        told = np.array([self.early.get(i, OPEN) for i in ids.tolist()], np.int8)
        was = np.where(is_known, was, told)
        changed = int(((was > OPEN) & (y > OPEN) & (was != y)).sum())
        settles = (row >= 0) & (was == OPEN) & (y > OPEN)
        if batch.forecasts is None:
            new = ~is_known & (told == OPEN) & (y > OPEN)
            again = int((is_known & ~settles).sum() + (told > OPEN).sum())
            early = dict(zip(ids[new].tolist(), y[new].tolist(), strict=True))
            none = batch.some(slice(0))
            return Matched(none, row[settles], y[settles], again, changed, early, set())
        rest = batch._replace(y=np.where(told > OPEN, told, y)).some(~is_known)
        again, used = int((is_known & ~settles).sum()), set(ids[told > OPEN].tolist())
        return Matched(rest, row[settles], y[settles], again, changed, {}, used)

    def _counted_as(self, ids: Column) -> Column:
        """Return the outcome with which each case was counted; -1 if it was not."""
        if not len(self.counted):
            return np.full(len(ids), OPEN, np.int8)
        # The first that is not below an id is the id itself, with its outcome, if it was counted.
        at = np.minimum(np.searchsorted(self.counted, ids), len(self.counted) - 1)
        found = self.counted[at]
        outcome = (found & LAST_BIT).astype(np.int8)
        return np.where((found & ~LAST_BIT) == ids, outcome, OPEN)

    def count(self, cases: Waiting) -> None:
        """Put down cases that no longer wait."""
        new = np.sort(cases.ids | cases.y.astype(np.uint64))
        self.counted = np.insert(self.counted, np.searchsorted(self.counted, new), new)

    def known_rows(self, batch: Batch) -> int:
        """Count the rows at the beginning that are earlier batches, one after the other.

        So a file that only grows is known again as far as it was read.
        """
        rows, known = batch.as_bytes() if self.batches else batch.y[:0], 0
        while more := self._longest(rows[known:]):
            known += more
        return known

    def _longest(self, rows: Column) -> int:
        """Return the length of the longest batch that rows begin with; 0 if there is none."""
        checksum, begin, found = blake2b(digest_size=DIGEST), 0, 0
        for length in sorted(self.batches):
            if length > len(rows):
                break
            checksum.update(rows[begin:length].data)
            begin = length
            found = length if checksum.hexdigest() in self.batches[length] else found
        return found

    def put_down(self, batch: Batch) -> None:
        """Remember a batch without ids."""
        checksum = blake2b(batch.as_bytes().data, digest_size=DIGEST).hexdigest()
        self.batches.setdefault(len(batch.y), set()).add(checksum)


def _places(sought: Column, ids: Column) -> Column:
    """Return where each id is among those that are sought; -1 if it is not there."""
    if not len(sought):
        return np.full(len(ids), -1)
    order = np.argsort(sought, kind="stable")
    at = np.minimum(np.searchsorted(sought, ids, sorter=order), len(sought) - 1)
    return np.where(sought[order[at]] == ids, order[at], -1)
