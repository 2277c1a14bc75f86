"""The one place where an engine is asked for numbers."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Any

import numpy as np

from properly.engines._files._cluster_errors import translated

if TYPE_CHECKING:
    import narwhals.stable.v2 as nw

    Column = np.ndarray[Any, Any]


def collected(data: nw.LazyFrame[Any]) -> dict[str, Column]:
    """Compute a small table in its engine, and return its columns as arrays."""
    with translated("spark" if data.implementation.is_spark_like() else str(data.implementation)):
        found = data.collect()
    return {column.name: _array(column) for column in found.iter_columns()}


def _array(column: Any) -> Column:
    """Make an array of a column; whole numbers that an engine sums in 128 bits become int64."""
    found: Column = column.to_numpy()
    if found.dtype.kind == "O" and len(found) and all(isinstance(x, Decimal) for x in found):
        whole = all(x == x.to_integral_value() for x in found)
        return found.astype(np.int64 if whole else np.float64)
    return found
