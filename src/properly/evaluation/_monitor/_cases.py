"""Cases of a monitor: batches that come, cases that wait for outcomes, and what is known of others.

Evidence follows forecasts, not outcomes. Where events are known sooner than their absence, evidence
in the order of outcomes would see too many of them at first; in the order of forecasts it waits.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any, NamedTuple

import numpy as np

from properly._boundary import _arrays
from properly._boundary._classes import is_table
from properly._boundary._files import require
from properly._boundary._libraries import infinities, to_numpy
from properly._boundary._stored import packed, unpacked
from properly._boundary._text import quoted
from properly.errors import DataError
from properly.typing import ArrayLike, Column

# What is written for an outcome that is not known yet.
OPEN = -1


class MonitorBatch(NamedTuple):
    """Rows that have been checked, all columns equally long; those that were not given are None.

    Forecasts have a column for each model, and none where only outcomes are given.
    """

    y: Column
    models: tuple[str, ...] | None
    p: Column
    ids: Column | None = None
    clusters: Column | None = None
    groups: Column | None = None

    def some(self, rows: Any) -> MonitorBatch:
        """Take some of the rows."""
        known = (None if x is None else x[rows] for x in self[2:])
        return MonitorBatch(self.y[rows], self.models, *known)  # type: ignore[arg-type]

    def as_bytes(self) -> Column:
        """Return the bytes by which each row is known again, models in the order of their names."""
        p = self.p[:, np.argsort(np.array(self.models or (), dtype=object))].astype("<f8")
        none = np.zeros(len(self.y), np.uint64)
        labels = [none if x is None else _numbers(x) for x in (self.clusters, self.groups)]
        columns = (np.ascontiguousarray(x).view(np.uint8) for x in (self.y, p, *labels))
        return np.ascontiguousarray(np.hstack([x.reshape(len(self.y), -1) for x in columns]))


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
    some = next(iter(models.values())) if models else to_numpy(_arrays.as_column(ids, "ids"))
    known = np.full(len(some), OPEN, np.int8)
    if y is not None:
        outcomes: Any = to_numpy(_arrays.as_column(y, "outcomes"))
        _arrays.check_length(outcomes, some, "outcomes", "forecasts" if models else "ids")
        missing = _arrays.missing_values(outcomes)
        if missing.any() and ids is None:
            hint = "give ids=, by which outcomes can follow later."
            _arrays.refuse(outcomes, missing, "outcomes must not be missing", hint)
        if not missing.all():
            outcomes = _arrays.check_outcomes(outcomes[~missing], pos_label=pos_label)
            known[~missing] = to_numpy(outcomes)
    texts = {what: x if x is None else _texts(x, what, some) for what, x in labels.items()}
    p = np.column_stack([*models.values()]) if models else np.zeros((len(some), 0))
    numbers = None if ids is None else read_ids(ids, some)
    return MonitorBatch(known, None if models is None else tuple(models), p, numbers, **texts)


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
        what = f"forecasts of {quoted(name)}"
        if is_table(given):
            message = f"{what} must be of one event; got several columns"
            raise DataError(message, hint="watch one class: p[:, 1], or properly.top_label.")
        p = to_numpy(_arrays.check_forecasts(given, what)).astype(np.float64)
        for first in list(result.values())[:1]:
            _arrays.check_length(p, first, what, "those of the first model")
        result[name] = p
    return result


def _texts(x: ArrayLike, what: str, beside: Column) -> Column:
    """Write labels as text; whole numbers without a point, whatever type they came in."""
    column = to_numpy(_arrays.check_column(x, what, beside))
    whole = (int(v) if isinstance(v, float) and v.is_integer() else v for v in column.tolist())
    return np.array([*map(str, whole)], dtype=object)


def _numbers(texts: Column) -> Column:
    """Make a number of 64 bits of each text."""
    data = (text.encode("utf-8", "surrogatepass") for text in texts.tolist())
    return np.frombuffer(b"".join(blake2b(x, digest_size=8).digest() for x in data), "<u8")


def read_ids(ids: ArrayLike, beside: Column | None = None) -> Column:
    """Make a number of 64 bits of each id; refuse ids that are there twice."""
    names = _texts(ids, "ids", _arrays.as_column(ids, "ids") if beside is None else beside)
    # The last bit is left for the outcome.
    numbers = _numbers(names) & ~LAST_BIT
    _, first, count = np.unique(numbers, return_index=True, return_counts=True)
    if len(first) < len(numbers):
        at = int(first[count > 1].min())
        rows = np.flatnonzero(numbers == numbers[at])[:2]
        found = f"{quoted(names[at])} is in row {rows[0]} and in row {rows[1]}"
        message = f"ids in a batch must differ, one a case; {found}"
        raise DataError(message)
    return numbers


# Cases by unit


def no_cases(models: int) -> Column:
    """Return an array of no cases, with a field for each thing that is known of a case.

    `unit` is the number of the case, or cluster of cases, in the order of forecasts, never falling;
    `ids` that of the id, 0 without; `y` the outcome, -1 if unknown; `group` the number of the
    group, 0 without; `forecasts` has an entry for each model.
    """
    fields = [("unit", np.int64), ("ids", np.uint64), ("y", np.int8), ("group", np.int64)]
    return np.zeros(0, np.dtype([*fields, ("forecasts", np.float64, (models,))], align=True))


def cases_of(batch: MonitorBatch, group: Column, first: int) -> Column:
    """Take the cases of a batch as units from a first one on."""
    number = np.arange(len(batch.y))
    if batch.clusters is not None:
        # In the order in which they first appear.
        _, start, label = np.unique(batch.clusters, return_index=True, return_inverse=True)
        number = np.argsort(np.argsort(start))[label]
    cases: Column = np.zeros(len(number), no_cases(batch.p.shape[1]).dtype)
    cases["unit"], cases["ids"] = first + number, 0 if batch.ids is None else batch.ids
    cases["y"], cases["group"], cases["forecasts"] = batch.y, group, batch.p
    return cases[np.argsort(number, kind="stable")]


def settled(cases: Column) -> int:
    """Count the cases before the first unit that has an open one."""
    still = np.flatnonzero(cases["y"] == OPEN)
    unit = cases["unit"]
    return int(np.searchsorted(unit, unit[still[0]])) if still.size else len(cases)


def without(cases: Column, gone: Column) -> Column:
    """Give up some cases; units are numbered on as if they had never been."""
    rest = cases[~gone]
    rest["unit"] = cases["unit"][:1] + np.unique(rest["unit"], return_inverse=True)[1]
    return rest


def stored_cases(cases: Column) -> dict[str, Any]:
    """Write cases as a file holds them; outcomes one larger, since they may be -1."""
    return {name: packed(cases[name] + (name == "y")) for name in cases.dtype.fields or ()}


@infinities()
def cases_from(stored: dict[str, Any], models: int, groups: int, units: int) -> Column:
    """Read what `stored_cases` has written, of cases behind so many units."""
    columns = {name: unpacked(x) for name, x in stored.items()}
    cases: Column = np.zeros(len(columns["y"]), no_cases(models).dtype)
    for name, x in columns.items():
        cases[name] = x
    cases["y"] -= 1
    unit, p = cases["unit"], cases["forecasts"]
    require((abs(cases["y"]) <= 1).all() and ((p >= 0) & (p <= 1)).all())
    require(((cases["group"] >= 0) & (cases["group"] < max(groups, 1))).all())
    require(np.isin(np.diff(unit, prepend=units), (0, 1)).all())
    require(not len(unit) or (unit[0] == units and settled(cases) == 0))
    require(not (cases["ids"] & LAST_BIT).any())
    return cases


LAST_BIT = np.uint64(1)
DIGEST = 16


class Matched(NamedTuple):
    """What to do about a batch: new cases, outcomes of rows that wait, and others put aside.

    `again` counts the rows that were known already, `changed` those of another outcome; `early` are
    outcomes without forecasts, `used` the ids of those that now have theirs.
    """

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

    @classmethod
    def of(cls, content: dict[str, Any], overlap: int) -> Register:
        """Read what `stored` has written."""
        counted, dropped, early = (unpacked(content[x]) for x in ("counted", "dropped", "early"))
        for ids in (counted & ~LAST_BIT, dropped, early & ~LAST_BIT):
            require(ids.ndim == 1 and (ids[1:] > ids[:-1]).all())
        batches: dict[int, set[str]] = {}
        for size, text in content["batches"]:
            require(type(size) is int and size > 0 and type(text) is str)
            batches.setdefault(size, set()).add(text)
        ids, outcomes = (early & ~LAST_BIT).tolist(), (early & LAST_BIT).tolist()
        return cls(counted, dropped, dict(zip(ids, outcomes, strict=True)), batches, overlap)

    def stored(self) -> dict[str, Any]:
        """Write it as a file holds it."""
        early = np.array(sorted(i | y for i, y in self.early.items()), np.uint64)
        ids = {"counted": self.counted, "dropped": self.dropped, "early": early}
        batches = sorted([n, text] for n, texts in self.batches.items() for text in texts)
        return {name: packed(x) for name, x in ids.items()} | {"batches": batches}

    def matched(self, batch: MonitorBatch, waiting: Column) -> Matched:
        """Find out which rows of a batch are of cases that are known; nothing is changed."""
        ids, y = np.asarray(batch.ids), batch.y
        # The first that is not below an id is the id itself, with its outcome, if it was counted.
        found = np.append(self.counted, LAST_BIT)[np.searchsorted(self.counted, ids)]
        outcome = (found & LAST_BIT).astype(np.int8)
        before = np.where((found & ~LAST_BIT) == ids, outcome, OPEN)
        row = _places(waiting["ids"], ids)
        is_known = (before > OPEN) | (row >= 0) | (_places(self.dropped, ids) >= 0)
        told = np.array([self.early.get(i, OPEN) for i in ids.tolist()], np.int8)
        was = np.where(is_known, before, told)
        was[row >= 0] = waiting["y"][row[row >= 0]]
        changed = int(((was > OPEN) & (y > OPEN) & (was != y)).sum())
        settles = (row >= 0) & (was == OPEN) & (y > OPEN)
        again = int((is_known & ~settles).sum())
        early, comes = told > OPEN, batch.models is not None
        new = ~is_known & ~early & (y > OPEN) & (not comes)
        put_aside = dict(zip(ids[new].tolist(), y[new].tolist(), strict=True))
        return Matched(
            batch._replace(y=np.where(early, told, y)).some(~is_known & comes),
            row[settles],
            y[settles],
            again if comes else again + int(early.sum()),
            changed,
            put_aside,
            set(ids[early & comes].tolist()),
        )

    def count(self, cases: Column) -> None:
        """Put down cases that no longer wait."""
        new = np.sort(cases["ids"] | cases["y"].astype(np.uint64))
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
        for length in sorted(x for x in self.batches if x <= len(rows)):
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
