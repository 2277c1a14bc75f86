"""Rows of class probabilities inside an engine: class numbers, row sums, and events of classes.

A view of the rows is "it was class k" or "it was above class k", with its forecasts; a confusion
matrix weighs outcomes against the likeliest class.
"""

from __future__ import annotations

from dataclasses import replace
from functools import reduce
from typing import TYPE_CHECKING, Any

import narwhals.stable.v2 as nw
import numpy as np

from properly._boundary._labels import class_numbers, numbers_are_classes
from properly.counts._reductions import ALMOST_ONE, DECIMALS, PRECISION
from properly.engines._rows import Rows, collected
from properly.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from properly.typing import Column


def classes_of(rows: Rows) -> int | None:
    """Return the number of classes; None for one event."""
    count = len(next(iter(rows.forecasts.values())))
    return None if count == 1 else count


def class_number(rows: Rows) -> nw.Expr:
    """Return the number of the class that happened; null of what is no class."""
    number: Any = None
    for k in reversed(range(classes_of(rows) or 0)):
        label = k if _by_number(rows) or rows.labels is None else rows.labels[k]
        here = nw.when(rows.is_label(label)).then(nw.lit(k))
        number = here if number is None else here.otherwise(number)
    return nw.lit(0) if number is None else number


def numbers_of_classes(rows: Rows, y: Column) -> Column:
    """Make class numbers of labels that were collected, once they are known to do."""
    if not len(y):
        message = "outcomes must not be empty; got 0 rows"
        raise DataError(message)
    labels = range(classes_of(rows) or 0) if _by_number(rows) else rows.labels or ()
    strange = sorted({label for label in y.tolist() if label not in labels}, key=repr)
    if strange:
        listed = ", ".join(repr(label) for label in list(labels)[:8])
        message = f"outcomes must be one of {listed}; found {strange[0]!r}"
        hint = None if rows.labels is not None else "labels= says what each column stands for."
        raise DataError(message, hint=hint)
    numbers: Column = class_numbers(y, rows.labels or (classes_of(rows) or 0))
    return numbers


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
            extremes = collected(table)
            low, high = float(extremes["a"][0]), float(extremes["b"][0])
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


def class_views(rows: Rows) -> dict[tuple[str, Any], Rows]:
    """Return, by model, "it was class k" and "it was above class k" as events with forecasts."""
    count, number = classes_of(rows) or 0, class_number(rows)
    views = {}
    for model, names in rows.forecasts.items():
        for k, name in enumerate(names):
            # A row may sum to a little more than 1, and one class may have all of it.
            p = nw.when(nw.col(name) > 1).then(nw.lit(1.0)).otherwise(nw.col(name))
            views[model, ("class", k)] = rows.event_of(number == k, p)
        for k in range(count - 1):
            views[model, ("above", k)] = _above(rows, number, names, k)
    return views


def _above(rows: Rows, number: nw.Expr, names: Sequence[str], k: int) -> Rows:
    """Judge the probability above a cut, taken from the smaller side, as `upper_tails` does."""
    slack = len(names) * PRECISION
    sides = {"lo": sum_of(names[: k + 1]), "up": sum_of(names[:k:-1])}
    # No constant: polars divides by those by multiplying with their rounded inverses.
    many = nw.col(names[0]) * 0 + 10.0**DECIMALS
    data = rows.data.with_columns(happened=number > k, many=many, **sides)
    data = data.with_columns(
        lo=_as_decimal(nw.col("lo"), nw.col("lo") * slack),
        up=_as_decimal(nw.col("up"), nw.col("up") * slack),
    )
    lower, upper = nw.col("lo"), nw.col("up")
    likely = _as_decimal(1 - lower, lower * slack + (1 - ALMOST_ONE))
    data = data.with_columns(likely=likely)
    likely = nw.col("likely")
    uncertain = nw.when(likely < 1).then(likely).otherwise(nw.lit(ALMOST_ONE))
    mostly = nw.when(lower > 0).then(uncertain).otherwise(likely)
    p = nw.when(upper <= lower).then(upper).otherwise(mostly)
    return replace(rows, data=data).event_of(nw.col("happened"), p)


def _as_decimal(p: nw.Expr, slack: nw.Expr) -> nw.Expr:
    """Write a sum as the decimal that it stands for, if it may well be one."""
    nearest = (p * 10.0**DECIMALS + 0.5).floor() / nw.col("many")
    return nw.when((nearest - p).abs() <= slack).then(nearest).otherwise(p)


def confusion_of(rows: Rows) -> dict[str, Column]:
    """Weigh, by model, outcomes (rows) against likeliest classes (columns), the first of ties."""
    count, matrices = classes_of(rows) or 0, {}
    for model, names in rows.forecasts.items():
        data = rows.data.with_columns(e=class_number(rows), d=_likeliest(names))
        weight = nw.col("w").sum() if rows.weighted else nw.len()
        table = collected(data.group_by("e", "d").agg(weight.alias("n")))
        kind = np.float64 if rows.weighted and not rows.whole else np.int64
        confusion = np.zeros((count, count), dtype=kind)
        np.add.at(confusion, (table["e"].astype(int), table["d"].astype(int)), table["n"])
        matrices[model] = confusion
    return matrices


def _likeliest(names: Sequence[str]) -> nw.Expr:
    """Return the number of the largest of some columns, the lowest where several are."""
    best, top = nw.lit(0), nw.col(names[0])
    for k, name in enumerate(names[1:], start=1):
        higher = nw.col(name) > top
        best = nw.when(higher).then(nw.lit(k)).otherwise(best)
        top = nw.when(higher).then(nw.col(name)).otherwise(top)
    return best
