"""Cases of a monitor: batches that come, cases that wait for outcomes, and what is known of others.

Evidence follows forecasts, not outcomes. Where events are known sooner than their absence, evidence
in the order of outcomes would see too many of them at first; in the order of forecasts it waits.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from properly._boundary._arrays import (
    as_column,
    check_column,
    check_forecasts,
    check_length,
    check_outcomes,
    missing_values,
    refuse,
)
from properly._boundary._classes import is_table
from properly._boundary._libraries import to_numpy
from properly._boundary._text import quoted
from properly.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from properly.typing import ArrayLike, Column

# What is written for an outcome that is not known yet.
OPEN = -1


class MonitorBatch(NamedTuple):
    """Rows that have been checked, all columns equally long; those that were not given are None."""

    y: Column
    forecasts: dict[str, Column] | None
    ids: Column | None = None
    clusters: Column | None = None
    groups: Column | None = None

    @property
    def is_open(self) -> Column:
        """Whether the outcome of each row is unknown."""
        return np.asarray(self.y == OPEN)

    def some(self, rows: Any) -> MonitorBatch:
        """Take some of the rows."""
        models = self.forecasts
        chosen = None if models is None else {name: p[rows] for name, p in models.items()}
        known = (None if x is None else x[rows] for x in self[2:])
        return MonitorBatch(self.y[rows], chosen, *known)

    def as_bytes(self) -> Column:
        """Return the bytes by which each row is known again, models in the order of their names."""
        models = [p.astype("<f8") for _, p in sorted((self.forecasts or {}).items())]
        none = np.zeros(len(self.y), np.uint64)
        labels = [none if x is None else _numbers(x) for x in (self.clusters, self.groups)]
        columns = (x.view(np.uint8).reshape(len(x), -1) for x in (self.y, *models, *labels))
        return np.ascontiguousarray(np.hstack(list(columns)))


def read_batch(
    y: ArrayLike | None,
    forecasts: Mapping[str, Any] | None,
    ids: ArrayLike | None,
    *,
    pos_label: object = None,
    **labels: ArrayLike | None,
) -> MonitorBatch:
    """Check a batch; clusters and groups are told apart as text, ids by a number made of theirs."""
    _require_parts(y, forecasts, ids, labels)
    models = None if forecasts is None else _checked(forecasts)
    some = next(iter(models.values())) if models else to_numpy(as_column(ids, "ids"))
    known = np.full(len(some), OPEN, np.int8)
    if y is not None:
        outcomes = to_numpy(as_column(y, "outcomes"))
        check_length(outcomes, some, "outcomes", "forecasts" if models else "ids")
        missing = missing_values(outcomes)
        if missing.any() and ids is None:
            hint = "give ids=, by which outcomes can follow later."
            refuse(outcomes, missing, "outcomes must not be missing", hint)
        if not missing.all():
            known[~missing] = to_numpy(check_outcomes(outcomes[~missing], pos_label=pos_label))
    texts = {what: x if x is None else _texts(x, what, some) for what, x in labels.items()}
    return MonitorBatch(known, models, None if ids is None else read_ids(ids, some), **texts)


def _require_parts(y: object, forecasts: object, ids: object, labels: Mapping[str, object]) -> None:
    """Refuse a batch that says nothing, or of which nobody knows whom it is about."""
    if y is None and forecasts is None:
        message = "a batch must have forecasts, outcomes or both; got neither"
        raise DataError(message, hint="write monitor.add(y, forecasts).")
    if ids is None and (y is None or forecasts is None):
        got = "outcomes" if forecasts is None else "forecasts"
        message = f"forecasts and outcomes that come apart need ids; got {got} alone, without"
        raise DataError(message, hint="write ids=..., with the same id in both batches.")
    given = [what for what, x in labels.items() if x is not None]
    if forecasts is None and given:
        message = f"{given[0]} are told with forecasts; got them with outcomes alone"
        raise DataError(message)


def _checked(forecasts: Mapping[str, Any]) -> dict[str, Column]:
    """Check the forecasts of all models, which must be equally many."""
    result: dict[str, Column] = {}
    for name, given in forecasts.items():
        if is_table(given):
            message = f"forecasts of {quoted(name)} must be of one event; got several columns"
            raise DataError(message, hint="watch one class: p[:, 1], or properly.top_label.")
        p = to_numpy(check_forecasts(given, f"forecasts of {quoted(name)}")).astype(np.float64)
        if result:
            first = next(iter(result.values()))
            check_length(p, first, f"forecasts of {quoted(name)}", "those of the first model")
        result[name] = p
    return result


def _texts(x: ArrayLike, what: str, beside: Column) -> Column:
    """Write labels as text; whole numbers without a point, whatever type they came in."""
    column = to_numpy(check_column(x, what, beside))
    result = np.empty(len(column), object)
    result[:] = [text_of(value) for value in column.tolist()]
    return result


def text_of(value: Any) -> str:
    """Write one label as text."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return str(value)


def _numbers(texts: Column) -> Column:
    """Make a number of 64 bits of each text."""
    data = (text.encode("utf-8", "surrogatepass") for text in texts.tolist())
    return np.frombuffer(b"".join(blake2b(x, digest_size=8).digest() for x in data), "<u8")


def read_ids(ids: ArrayLike, beside: Column | None = None) -> Column:
    """Make a number of 64 bits of each id; refuse ids that are there twice."""
    names = _texts(ids, "ids", to_numpy(as_column(ids, "ids")) if beside is None else beside)
    # The last bit is left for the outcome.
    numbers = _numbers(names) & ~np.uint64(1)
    _, first, count = np.unique(numbers, return_index=True, return_counts=True)
    if len(first) < len(numbers):
        at = int(first[count > 1].min())
        rows = np.flatnonzero(numbers == numbers[at])[:2]
        found = f"{quoted(names[at])} is in row {rows[0]} and in row {rows[1]}"
        message = f"ids in a batch must differ, one a case; {found}"
        raise DataError(message)
    return numbers


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
    def of(cls, batch: MonitorBatch, group: Column, forecasts: Column, first: int) -> Waiting:
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


LAST_BIT = np.uint64(1)
DIGEST = 16


class Matched(NamedTuple):
    """Rows of a batch, by what is to be done about them."""

    new: MonitorBatch
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

    def matched(self, batch: MonitorBatch, waiting: Waiting) -> Matched:
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

    def known_rows(self, batch: MonitorBatch) -> int:
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

    def put_down(self, batch: MonitorBatch) -> None:
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
