"""Events made of classes, counted inside an engine: each class, each cut, and hard decisions."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import narwhals.stable.v2 as nw
import numpy as np

from properly.counts._reductions import ALMOST_ONE, DECIMALS, PRECISION
from properly.engines._class_outcomes import class_number, classes_of, sum_of
from properly.engines._collecting import collected

if TYPE_CHECKING:
    from collections.abc import Sequence

    from properly.engines._rows import Rows

    Column = np.ndarray[Any, Any]


def class_views(rows: Rows) -> dict[tuple[str, Any], Rows]:
    """Return, by model, "it was class k" and "it was above class k" as events with forecasts."""
    count, number = classes_of(rows) or 0, class_number(rows)
    found = {}
    for model, names in rows.forecasts.items():
        for k, name in enumerate(names):
            found[model, ("class", k)] = rows.event_of(number == k, _at_most_one(nw.col(name)))
        for k in range(count - 1):
            found[model, ("above", k)] = _above(rows, number, names, k)
    return found


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


def _at_most_one(p: nw.Expr) -> nw.Expr:
    """Cut at 1: a row may sum to a little more, and one class may have all of it."""
    return nw.when(p > 1).then(nw.lit(1.0)).otherwise(p)


def confusion_of(rows: Rows) -> dict[str, Column]:
    """Weigh, by model, outcomes (rows) against likeliest classes (columns), the first of ties."""
    count, found = classes_of(rows) or 0, {}
    for model, names in rows.forecasts.items():
        data = rows.data.with_columns(e=class_number(rows), d=_likeliest(names))
        weight = nw.col("w").sum() if rows.weighted else nw.len()
        table = collected(data.group_by("e", "d").agg(weight.alias("n")))
        kind = np.float64 if rows.weighted and not rows.whole else np.int64
        confusion = np.zeros((count, count), dtype=kind)
        np.add.at(confusion, (table["e"].astype(int), table["d"].astype(int)), table["n"])
        found[model] = confusion
    return found


def _likeliest(names: Sequence[str]) -> nw.Expr:
    """Return the number of the largest of some columns, the lowest where several are."""
    best, top = nw.lit(0), nw.col(names[0])
    for k, name in enumerate(names[1:], start=1):
        higher = nw.col(name) > top
        best = nw.when(higher).then(nw.lit(k)).otherwise(best)
        top = nw.when(higher).then(nw.col(name)).otherwise(top)
    return best
