"""The numbers of a summary, to be compared to twelve digits."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from properly.counts._tally import weight_of_each
from properly.engines._summary import COLUMNS, Summary

if TYPE_CHECKING:
    from properly.evaluation._stream import Stream


def numbers_of(source: Stream | Summary) -> dict[Any, Any]:
    """List all sums and counts by what they are of."""
    summary = source if isinstance(source, Summary) else source.summary()
    numbers: dict[Any, Any] = dict(summary.sums.totals)
    for key, tally in summary.tallies.items():
        numbers[key, "cells"] = tally.cells or 0
        numbers[key, "each"] = weight_of_each(tally) or 0.0
        for name in COLUMNS:
            column = getattr(tally, name)
            listed = [] if column is None else column.tolist()
            numbers |= {(key, name, place): x for place, x in enumerate(listed)}
    for label, group in summary.groups.items():
        numbers |= {("group", label, key): x for key, x in numbers_of(group).items()}
    return numbers


def nearly(source: Stream | Summary) -> Any:
    """Return what is equal to the same numbers in another order of summation."""
    return pytest.approx(numbers_of(source), rel=1e-12, abs=1e-300)
