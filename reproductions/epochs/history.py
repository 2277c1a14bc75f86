"""Histories of metrics by epoch: how they are handed in, and how they are compared."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from properly._boundary._arrays import as_column, as_numbers
from properly._boundary._classes import require_columns
from properly._boundary._libraries import read_only, to_numpy
from properly._boundary._record import as_models
from properly.errors import ArgumentTypeError, DataError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from properly.typing import ArrayLike, Column, IntoFrame

    History: TypeAlias = Mapping[str, ArrayLike] | IntoFrame


# Metrics for which larger is better, unless others are named.
LARGER = ("macro_f1",)


def read_history(history: History, what: str = "a history") -> dict[str, Column]:
    """Take metrics by epoch, of a dict or of any frame, as float arrays of one length."""
    columns: Any = history if isinstance(history, Mapping) else as_models(history)
    if not isinstance(history, Mapping) and columns.get("forecast") is history:
        kind = type(history).__name__
        message = f"{what} must be a dict of values by metric, or a data frame; got {kind}"
        raise ArgumentTypeError(message, hint="write {'log': [0.9, 0.7], 'macro_f1': [0.2, 0.4]}.")
    result = {
        str(name): _values(x, f"values of {str(name)!r} in {what}") for name, x in columns.items()
    }
    if not result or len(result) < len(columns):
        message = f"{what} must have metrics, with names that differ as text; got {list(columns)}"
        raise DataError(message)
    (first, values), *others = result.items()
    for name, other in others:
        if len(other) != len(values):
            message = (
                f"{what} must have as many values of each metric as there are epochs; "
                f"got {len(values)} of {first!r} and {len(other)} of {name!r}"
            )
            raise DataError(message)
    return result


def _values(values: ArrayLike, what: str) -> Column:
    column = to_numpy(as_column(values, what))
    # Told by epochs, and before as_numbers, which would tell of rows.
    lost = [(k, x) for k, x in enumerate(column.tolist()) if _is_missing(x)]
    if lost:
        (epoch, value), rest = lost[0], f" ({len(lost):,} such epochs)" * (len(lost) > 1)
        message = f"{what} must be known at every epoch; that of epoch {epoch} is {value}{rest}"
        raise DataError(message, hint="leave such epochs out of all metrics.")
    return read_only(to_numpy(as_numbers(column, what)).astype(np.float64))


def _is_missing(x: Any) -> bool:
    """Tell None and NaN, and what will not say whether it equals itself, as pandas.NA."""
    try:
        return x is None or bool(x != x)  # noqa: PLR0124
    except TypeError:
        return True


def as_names(names: str | Iterable[str], what: str) -> tuple[str, ...]:
    """Take the names of some metrics, or of a single one; at least one, each of them once."""
    try:
        result = (names,) if isinstance(names, str) else tuple(names)
    except TypeError:
        result = ()
    if not result or len(set(result)) < len(result) or not all(isinstance(x, str) for x in result):
        message = f"{what} must be names of metrics, each of them once; got {names!r}"
        raise DataError(message)
    return result


def as_larger(
    larger: str | Iterable[str], present: Iterable[str], where: str = "a history"
) -> tuple[str, ...]:
    """Take the names of metrics for which larger is better, and refuse one that is not there.

    A name that is misspelled would turn a metric round and say nothing. Only what is assumed where
    nothing is said may be absent.
    """
    result = () if not isinstance(larger, str) and not larger else as_names(larger, "larger")
    metrics = list(present)
    if result != LARGER:
        require_columns(result, metrics, where)
    return tuple(name for name in result if name in metrics)


def best_epochs(oriented: Column, count: int) -> Column:
    """Return the epochs of the largest values; of equal ones, the earlier."""
    return np.argsort(-oriented, kind="stable")[:count]


def pearson(one: Column, other: Column) -> float:
    """Correlate two columns; NaN if one never varies, or is infinite somewhere."""
    if not (np.isfinite(one).all() and np.isfinite(other).all()):
        return math.nan
    if (one == one[0]).all() or (other == other[0]).all():
        return math.nan
    # Divided by their size first: squares of large numbers are infinite, those of small ones 0.
    scaled = [x / np.abs(x).max() for x in (one, other)]
    return float(np.corrcoef(*scaled)[0, 1])
