"""Pooling inside an engine: rows counted at distinct forecasts, or in cells.

A `PooledRows` is what comes back from the engine, checked; a tally is made of it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import narwhals.stable.v2 as nw
import numpy as np

from properly._boundary._arrays import require_countable
from properly._boundary._libraries import infinities
from properly.counts._pooling import EXACT, count, pool
from properly.counts._tally import Tally, snapped, tally_of_sums
from properly.engines._rows import (
    WHOLE,
    Rows,
    collected,
    floor,
    is_sound,
)

if TYPE_CHECKING:
    from properly.typing import ArrayLike, Column


class PooledRows(NamedTuple):
    """Rows that were counted in an engine, by forecast or cell, and outcome.

    Attributes
    ----------
    place : numpy array
        The forecast, or the number of the cell.
    happened : numpy array of bool
        Whether the event did.
    weight : numpy array
        How many cases, or their weight: int64 if weights are whole numbers.
    squares : numpy array or None
        The sums of squared weights; None if cases were counted.
    least, largest : numpy array or None
        The least and the largest weight; None if cases were counted.
    moment : numpy array or None
        The sums of weight times forecast, of cells.
    group : numpy array or None
        The group.
    """

    place: Column
    happened: Column
    weight: Column
    squares: Column | None
    least: Column | None
    largest: Column | None
    moment: Column | None
    group: Column | None

    def of_group(self, group: Any) -> PooledRows:
        """Keep the rows of one group."""
        return self.only(np.asarray(self.group == group))

    def only(self, chosen: Column) -> PooledRows:
        """Keep some of the rows."""
        columns: Any = (None if x is None else x[chosen] for x in self)
        return PooledRows(*columns)

    @property
    def unit(self) -> float | None:
        """What all cases weigh; None if they do not weigh the same, or were counted."""
        if self.least is None or self.largest is None:
            return None
        least = float(self.least.min())
        return least if least == self.largest.max() else None

    def columns(self) -> list[Column]:
        """Return what adds: weights, those of events, and the squares of both sides."""
        columns = [self.weight, self.weight * self.happened]
        if self.squares is not None:
            columns += [self.squares * self.happened, self.squares * ~self.happened]
        return columns

    def tally(self, cells: int | None = None, kind: Any = np.float64) -> Tally:
        """Make a tally at distinct forecasts, or of cells; equal weights are divided out."""
        counts, unit = self, self.unit
        if unit is not None:
            times = np.rint(self.weight / unit).astype(np.int64)
            counts = self._replace(weight=times, squares=None)
        if cells is not None:
            added = [self.moment, self.weight, *counts.columns()]
            cell, moment, weight, *columns = pool(self.place, added)
            return tally_of_sums([_means(cell, moment / weight, cells), *columns], cells, unit)
        value = self.place.astype(kind, copy=False) + 0.0  # no -0.0
        if counts.squares is None and (counts.weight == 1).all():
            return tally_of_sums(count(self.happened, value), None, unit)
        return tally_of_sums(pool(value, counts.columns()), None, unit)


def _means(cell: Column, mean: Column, cells: int) -> Column:
    """Return the mean forecasts of cells, which no rounding may lead out of them."""
    lower = np.maximum((cell - 1) / cells, np.nextafter(0.0, 1.0))
    mean = np.clip(mean, lower, np.nextafter(cell / cells, 0.0))
    return np.where(cell == 0, 0.0, np.where(cell > cells, 1.0, mean))


def tally_frame(rows: Rows, cells: int | None, snap: float | ArrayLike | None) -> Tally:
    """Count the forecasts of the first model, as they are, moved to a grid, or in cells."""
    if cells is not None and snap is None:
        pooled = pool_cells(rows, "p0", cells)
        return pooled.tally(cells)
    kind = np.float32 if "p0" in rows.narrow else np.float64
    tally = pool_values(rows, "p0").tally(kind=kind)
    tally = tally if snap is None else snapped(tally, snap)
    return tally if cells is None else tally.group(cells)


def pool_values(rows: Rows, name: str) -> PooledRows:
    """Count rows at each distinct forecast."""
    return _checked(rows, name, _counted(rows, rows.data, nw.col(name), None))


def pool_few_values(rows: Rows, name: str, most: int) -> PooledRows | None:
    """Count rows at each distinct forecast; None if there are more than `most` of them.

    A forecast takes a line for each outcome. Twice `most` are fetched; groups have to share them.
    """
    table = _counted(rows, rows.data, nw.col(name), 2 * most)
    if len(table["n"]) > 2 * most or len(np.unique(table["x"])) > most:
        return None
    return _checked(rows, name, table)


def pool_cells(rows: Rows, name: str, cells: int) -> PooledRows:
    """Count rows in equally wide cells, those of `Tally.group`, and add up their forecasts."""
    p = nw.col(name)
    moment = rows.times(p * nw.col("w") if rows.weighted else p)
    # No constant: polars divides by those by multiplying with their rounded inverses.
    data = rows.data.with_columns((p * 0 + cells).alias("cells"), moment.alias("m"))
    data = data.with_columns(is_sound(name).alias("s"))
    return _checked(rows, name, _counted(rows, data, cell_of(p, cells), None, ["m", "s"]))


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
    used = rows.used
    if used is not None:
        terms = {"used": rows.times(used.cast(nw.Int64)), **_of_counts(rows)}
        terms |= _of_weights(rows, used) if rows.weighted else {}
        data = data.with_columns(**terms)
        sums += [nw.col(name).sum() for name in terms if name not in ("low", "high")]
    if rows.weighted:
        sums += [nw.col("low").min(), nw.col("high").max()]
    data = data.group_by(*keys).agg(*sums)
    if rows.weighted and rows.whole and not rows.repeated:
        data = data.with_columns(nw.col("w").cast(nw.Int64))
    return collected(data if most is None else data.head(most + 1))


def _of_counts(rows: Rows) -> dict[str, nw.Expr]:
    """Return what is to be known of how many cases rows stand for."""
    return {"sound_k": is_sound("k")} if rows.repeated else {}


def _of_weights(rows: Rows, used: nw.Expr) -> dict[str, nw.Expr]:
    """Return what is to be known of weights: their sum, that of their squares, and their ends."""
    w = nw.col("w")
    wide = w.cast(nw.Float64)
    broken = nw.lit(0) if rows.whole else ((w != floor(w)) & (w < WHOLE)).cast(nw.Int64)
    terms = {"w2": rows.times(wide * wide), "sound": is_sound("w"), "broken": broken}
    terms["w"] = rows.times(wide) if rows.repeated else w
    positive = nw.when(used).then(w)
    return terms | {"low": positive, "high": positive}


def _checked(rows: Rows, name: str, table: dict[str, Column]) -> PooledRows:
    """Refuse what cannot be counted, and tell events from others."""
    if "s" in table:
        sound = int(table["s"].sum())
    else:
        with infinities():
            in_unit = (table["x"] >= 0) & (table["x"] <= 1)
        sound = int(table["n"][in_unit].sum())
    rows.require_sound(table, {name: sound})
    y = table["y"]
    # Truth values come as objects if some were missing.
    if y.dtype.kind == "O" and all(isinstance(x, bool | np.bool_) for x in y.tolist()):
        y = y.astype(bool)
    happened = rows.happened(y)
    about: dict[str, Any]
    about = {"place": table["x"], "happened": happened, "moment": table.get("m")}
    about["group"] = table.get("g")
    if "used" not in table:
        weight = table["n"].astype(np.int64, copy=False)
        return PooledRows(**about, weight=weight, squares=None, least=None, largest=None)
    return _in_use(rows, table, about)


def _in_use(rows: Rows, table: dict[str, Column], about: dict[str, Any]) -> PooledRows:
    """Leave out what weighs nothing, or counts for nothing."""
    rows.require_some_weight(int(table["used"].sum()), int(table["n"].sum()))
    used = table["used"] > 0
    name = "w" if rows.weighted else "used"
    total = float(table[name].sum(dtype=np.float64))
    # Whole numbers, whatever they mean, are added up as such.
    whole = not rows.weighted or (rows.whole and not rows.repeated)
    whole = whole or (total < EXACT and not table["broken"].any())
    if whole:
        require_countable(total)
    weight = table[name].astype(np.int64 if whole else np.float64, copy=False)
    known: dict[str, Any]
    known = {"squares": table.get("w2"), "least": table.get("low"), "largest": table.get("high")}
    pooled = PooledRows(**about, weight=weight, **known)
    return pooled if used.all() else pooled.only(used)
