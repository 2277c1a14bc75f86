"""Outcomes of several classes, and class probabilities, inside an engine."""

from __future__ import annotations

from functools import reduce
from typing import TYPE_CHECKING, Any

import narwhals.stable.v2 as nw

from properly._boundary._labels import class_numbers, numbers_are_classes
from properly.engines._collecting import collected
from properly.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np

    from properly.engines._rows import Rows

    Column = np.ndarray[Any, Any]


def classes_of(rows: Rows) -> int | None:
    """Return the number of classes; None for one event."""
    count = len(next(iter(rows.forecasts.values())))
    return None if count == 1 else count


def class_number(rows: Rows) -> nw.Expr:
    """Return the number of the class that happened; null of what is no class."""
    found: Any = None
    for k in reversed(range(classes_of(rows) or 0)):
        here = nw.when(rows.is_label(_label(rows, k))).then(nw.lit(k))
        found = here if found is None else here.otherwise(found)
    return nw.lit(0) if found is None else found


def numbers_of_classes(rows: Rows, y: Column) -> Column:
    """Make class numbers of labels that were collected, once they are known to do."""
    if not len(y):
        message = "outcomes must not be empty; got 0 rows"
        raise DataError(message)
    known = range(classes_of(rows) or 0) if _by_number(rows) else rows.labels or ()
    strange = sorted({label for label in y.tolist() if label not in known}, key=repr)
    if strange:
        listed = ", ".join(repr(label) for label in list(known)[:8])
        message = f"outcomes must be one of {listed}; found {strange[0]!r}"
        hint = None if rows.labels is not None else "labels= says what each column stands for."
        raise DataError(message, hint=hint)
    found: Column = class_numbers(y, rows.labels or (classes_of(rows) or 0))
    return found


def sums_to_one(rows: Rows, columns: Sequence[str]) -> nw.Expr:
    """Return 1 where class probabilities sum to one, 0 or null elsewhere."""
    off = sum_of(columns) - 1
    slack = rows.slack(columns)
    return ((off <= slack) & (off >= -slack)).cast(nw.Int64)


def require_sums(rows: Rows, total: int, good: dict[str, int]) -> None:
    """Refuse class probabilities that do not sum to one."""
    for model, columns in rows.forecasts.items():
        bad = total - good[model]
        if bad:
            ends = rows.data.select(sum_of(columns).alias("s")).with_columns(one=nw.lit(1))
            table = ends.group_by("one").agg(
                nw.col("s").min().alias("a"), nw.col("s").max().alias("b")
            )
            found = collected(table)
            low, high = float(found["a"][0]), float(found["b"][0])
            worst = low if abs(low - 1) >= abs(high - 1) else high
            verb = "does" if bad == 1 else "do"
            message = (
                f"rows of class probabilities must sum to 1 within {rows.slack(columns):.2g}; "
                f"{bad:,} of {total:,} rows of model {model!r} {verb} not, such as one with "
                f"{worst:g}"
            )
            raise DataError(message, hint="divide each row by its sum.")


def sum_of(columns: Sequence[str]) -> nw.Expr:
    """Add up columns, from the first on."""
    return reduce(lambda a, b: a + b, [nw.col(name) for name in columns])


def _by_number(rows: Rows) -> bool:
    """Tell whether outcomes are class numbers: without labels, or if no label is a number."""
    if rows.labels is None:
        return True
    return rows.kind.is_integer() and numbers_are_classes(rows.labels)


def _label(rows: Rows, k: int) -> Any:
    return k if _by_number(rows) or rows.labels is None else rows.labels[k]
