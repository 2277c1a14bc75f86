"""Counts as words and columns that a file can hold, and back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from properly._boundary._archive import require
from properly._boundary._arrays import MOST
from properly.engines._counted_columns import MOMENT, SQUARE
from properly.engines._counts import Counts
from properly.engines._digits import BASE
from properly.engines._exact import Total

if TYPE_CHECKING:
    from collections.abc import Mapping

    from properly.engines._digits import Column

COLUMNS = ("place", "weight", "events", "event_squares", "nonevent_squares", "moment")


def text_of(total: Total) -> str:
    """Write an exact sum: its digits to the base 16, and how many binary zeros follow."""
    zeros = max((total.scaled & -total.scaled).bit_length() - 1, 0)
    return f"{total.scaled >> zeros:x}p{zeros}"


def total_of(text: str) -> Total:
    """Read an exact sum."""
    digits, zeros = text.split("p")
    require(len(zeros) <= 4)  # no short text stands for a number that fills the memory
    return Total(int(digits, 16) << int(zeros))


def words_of(counts: Counts) -> dict[str, Any]:
    """Say what the columns do not."""
    return {"cells": counts.cells, "least": text_of(counts.least)}


def columns_of(counts: Counts) -> dict[str, Column]:
    """Return the columns that there are."""
    columns = {name: getattr(counts, name) for name in COLUMNS}
    return {name: column for name, column in columns.items() if column is not None}


def stored_counts(words: Mapping[str, Any], columns: Mapping[str, Column]) -> Counts:
    """Make counts of words and columns; refuse what no counting could have given."""
    cells = words["cells"]
    least = total_of(words["least"])
    require(cells is None or (type(cells) is int and cells > 0))
    require(least.scaled >= 0)
    found = Counts(**columns, least=least, cells=cells)
    _require_places(found.place, cells)
    _require_counts(found)
    _require_sums(found)
    return found


def _require_places(place: Column, cells: int | None) -> None:
    """Ask for forecasts, or numbers of cells, that increase."""
    require(place.ndim == 1 and len(place))
    require(place.dtype.kind == ("f" if cells is None else "i"))
    require(place[0] >= 0 and place[-1] <= (1 if cells is None else cells + 1))
    require((np.diff(place) > 0).all())


def _require_counts(counts: Counts) -> None:
    """Ask for cases everywhere, and no more events."""
    weight, events = counts.weight, counts.events
    require(weight.shape == events.shape == counts.place.shape)
    require(weight.dtype == events.dtype)
    require((weight > 0).all() and (events >= 0).all() and (events <= weight).all())
    require(weight.sum(dtype=np.float64) < (np.inf if counts.is_fractional else MOST))


def _require_sums(counts: Counts) -> None:
    """Ask for the sums that go with the weights: both squares or none, moments in cells only."""
    squares = counts.event_squares, counts.nonevent_squares
    missing = [x is None for x in squares]
    require(all(missing) or not any(missing))
    require((counts.moment is None) == (counts.cells is None))
    require(not (counts.is_fractional and all(missing)))
    for x, digits in ((squares[0], SQUARE), (squares[1], SQUARE), (counts.moment, MOMENT)):
        if x is None:
            continue
        if counts.is_fractional:
            require(x.dtype.kind == "f" and x.shape == counts.place.shape)
            require((x >= 0).all() and (x < np.inf).all())
        else:
            require(x.dtype.kind == "i" and x.shape == (digits, len(counts)))
            require((x >= 0).all() and (x[:-1] < BASE).all())
