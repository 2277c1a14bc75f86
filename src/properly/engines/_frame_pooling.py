"""Pooling inside an engine: rows counted at distinct forecasts, or in cells.

A `Pooled` is what comes back from the engine, checked; a tally or counts are made of it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import narwhals.stable.v2 as nw
import numpy as np

from properly._boundary._arrays import missing_values, require_countable
from properly.counts._pooling import EXACT, count, pool
from properly.counts._tally import Tally, snapped
from properly.engines._cell_counts import Counts
from properly.engines._rows import WHOLE, Rows, collected, floor, is_sound_forecast, is_sound_weight

if TYPE_CHECKING:
    from properly.typing import ArrayLike, Column


class Pooled(NamedTuple):
    """Rows that were counted in an engine, by forecast or cell, and outcome.

    Attributes
    ----------
    place : numpy array
        The forecast, or the number of the cell.
    happened : numpy array of bool
        Whether the event did.
    weight : numpy array
        How many rows, or their weight: int64 if weights are whole numbers.
    squares : numpy array or None
        The sums of squared weights, if weights are fractions.
    moment : numpy array or None
        The sums of weight times forecast, of cells.
    group : numpy array or None
        The group.
    """

    place: Column
    happened: Column
    weight: Column
    squares: Column | None
    moment: Column | None
    group: Column | None

    def of_group(self, group: Any) -> Pooled:
        """Keep the rows of one group."""
        return self.only(np.asarray(self.group == group))

    def only(self, chosen: Column) -> Pooled:
        """Keep some of the rows."""
        columns: Any = (None if x is None else x[chosen] for x in self)
        return Pooled(*columns)

    def columns(self) -> list[Column]:
        """Return what adds: weights, those of events, and the squares of both sides."""
        columns = [self.weight, self.weight * self.happened]
        if self.squares is not None:
            columns += [self.squares * self.happened, self.squares * ~self.happened]
        return columns

    def by_cell(self) -> list[Any]:
        """Add up both outcomes, and all groups, in each cell."""
        moments = np.zeros(len(self.place)) if self.moment is None else self.moment
        cell, moment, *columns = pool(self.place, [moments, *self.columns()])
        squares = [None, None] if self.squares is None else []
        return [cell.astype(np.int64), *columns, *squares, moment]

    def tally(self, kind: Any = np.float64) -> Tally:
        """Make a tally of counts at distinct forecasts."""
        value = self.place.astype(kind, copy=False) + 0.0  # no -0.0
        if self.squares is None and (self.weight == 1).all():
            return Tally._of(count(self.happened, value))  # noqa: SLF001
        return Tally._of(pool(value, self.columns()))  # noqa: SLF001


def tally_frame(rows: Rows, cells: int | None, snap: float | ArrayLike | None) -> Tally:
    """Count the forecasts of the first model, as they are, moved to a grid, or in cells."""
    if cells is not None and snap is None:
        return Counts.of_cells(cells, *pool_cells(rows, "p0", cells).by_cell()).tally()
    tally = pool_values(rows, "p0").tally(np.float32 if "p0" in rows.narrow else np.float64)
    tally = tally if snap is None else snapped(tally, snap)
    return tally if cells is None else tally.group(cells)


def pool_values(rows: Rows, name: str) -> Pooled:
    """Count rows at each distinct forecast."""
    return _checked(rows, name, _counted(rows, rows.data, nw.col(name), None))


def pool_few_values(rows: Rows, name: str, most: int) -> Pooled | None:
    """Count rows at each distinct forecast; None if there are more than `most` of them.

    A forecast takes a line for each outcome. Twice `most` are fetched; groups have to share them.
    """
    table = _counted(rows, rows.data, nw.col(name), 2 * most)
    if len(table["n"]) > 2 * most or len(np.unique(table["x"])) > most:
        return None
    return _checked(rows, name, table)


def pool_cells(rows: Rows, name: str, cells: int) -> Pooled:
    """Count rows in equally wide cells, those of `Tally.group`, and add up their forecasts."""
    p = nw.col(name)
    moment = p * nw.col("w") if rows.weighted else p
    # No constant: polars divides by those by multiplying with their rounded inverses.
    data = rows.data.with_columns((p * 0 + cells).alias("cells"), moment.alias("m"))
    data = data.with_columns(is_sound_forecast(name).alias("s"))
    table = _counted(rows, data, cell_of(p, cells), None, ["m", "s"])
    rows.require_sound(int(table["n"].sum()), {name: int(table["s"].sum())})
    return _checked(rows, name, table)


def cell_of(p: nw.Expr, cells: int) -> nw.Expr:
    """Return the number of the cell of a forecast: 0 of exactly 0, the last of exactly 1.

    A column ``cells`` has the number of cells.
    """
    near, many = floor(p * cells), nw.col("cells")
    # Rounding may have carried the product over a border, which belongs to the cell above it.
    near = nw.when(p < near / many).then(near - 1).otherwise(near)
    near = nw.when(p >= (near + 1) / many).then(near + 1).otherwise(near)
    inside = nw.when(p == 1).then(nw.lit(cells + 1.0)).otherwise(near + 1)
    return nw.when(p == 0).then(nw.lit(0.0)).otherwise(inside)


def _counted(
    rows: Rows,
    data: nw.LazyFrame[Any],
    place: nw.Expr,
    most: int | None,
    added: list[str] | None = None,
) -> dict[str, Column]:
    """Group rows by place and outcome inside the engine."""
    keys = ["x", "y", *(["g"] if rows.roles.groups is not None else [])]
    sums = [nw.len().alias("n"), *(nw.col(name).sum() for name in added or ())]
    data = data.with_columns(place.alias("x"))
    if rows.weighted:
        data = data.with_columns(**_of_weights(rows))
        sums += [nw.col(name).sum() for name in ("w", "w2", "used", "sound", "broken")]
    data = data.group_by(*keys).agg(*sums)
    if rows.weighted and rows.whole:
        data = data.with_columns(nw.col("w").cast(nw.Int64))
    return collected(data if most is None else data.head(most + 1))


def _of_weights(rows: Rows) -> dict[str, nw.Expr]:
    """Return what is to be known of weights besides their sum."""
    w = nw.col("w")
    wide = w.cast(nw.Float64)
    broken = nw.lit(0) if rows.whole else ((w != floor(w)) & (w < WHOLE)).cast(nw.Int64)
    used = (w > 0).cast(nw.Int64)
    return {"w2": wide * wide, "used": used, "sound": is_sound_weight(), "broken": broken}


def _checked(rows: Rows, name: str, table: dict[str, Column]) -> Pooled:
    """Refuse what cannot be counted, and tell events from others."""
    number = int(table["n"].sum())
    sound = {}
    if "s" not in table:
        with np.errstate(invalid="ignore"):
            in_unit = (table["x"] >= 0) & (table["x"] <= 1)
        sound[name] = int(table["n"][in_unit].sum())
    present = ~missing_values(table["y"])
    sound["y"] = int(table["n"][present].sum())
    if rows.weighted:
        sound["w"] = int(table["sound"].sum())
    group = table.get("g")
    if group is not None:
        sound["g"] = int(table["n"][~missing_values(group)].sum())
    rows.require_sound(number, sound)
    y = table["y"]
    # Truth values come as objects if some were missing.
    if y.dtype.kind == "O" and all(isinstance(x, bool | np.bool_) for x in y.tolist()):
        y = y.astype(bool)
    happened = rows.happened(y)
    if not rows.weighted:
        weight = table["n"].astype(np.int64, copy=False)
        return Pooled(table["x"], happened, weight, None, table.get("m"), group)
    return _weighed(rows, table, happened, group)


def _weighed(
    rows: Rows, table: dict[str, Column], happened: Column, group: Column | None
) -> Pooled:
    """Leave out what weighs nothing; whole numbers are counts."""
    total = float(table["w"].sum(dtype=np.float64))
    rows.require_some_weight(int(table["used"].sum()), int(table["n"].sum()))
    whole = rows.whole or (total < EXACT and not table["broken"].any())
    if whole:
        require_countable(total)
    weight = table["w"].astype(np.int64 if whole else np.float64, copy=False)
    pooled = Pooled(
        table["x"], happened, weight, None if whole else table["w2"], table.get("m"), group
    )
    used = table["used"] > 0
    return pooled if used.all() else pooled.only(used)
