"""A batch of cases: forecasts, outcomes as far as they are known, and who the cases are."""

from __future__ import annotations

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


class Batch(NamedTuple):
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

    def some(self, rows: Any) -> Batch:
        """Take some of the rows."""
        models = self.forecasts
        chosen = None if models is None else {name: p[rows] for name, p in models.items()}
        known = (None if x is None else x[rows] for x in self[2:])
        return Batch(self.y[rows], chosen, *known)

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
) -> Batch:
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
            hint = "give ids, by which outcomes can follow later."
            refuse(outcomes, missing, "outcomes must not be missing", hint)
        if not missing.all():
            known[~missing] = to_numpy(check_outcomes(outcomes[~missing], pos_label=pos_label))
    texts = {what: x if x is None else _texts(x, what, some) for what, x in labels.items()}
    return Batch(known, models, None if ids is None else read_ids(ids, some), **texts)


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
