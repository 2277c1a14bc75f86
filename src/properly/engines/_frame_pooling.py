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
from properly.engines._rows import WHOLE, Rows, collected, floor, is_sound

if TYPE_CHECKING:
    from properly.typing import ArrayLike, Column


class PooledRows(NamedTuple):
    """Rows that were counted in an engine, by forecast or cell, and outcome.

    Attributes
    ----------
    columns : dict of numpy arrays
        ``x``, the forecast, or the number of the cell; ``y``, whether the event happened; ``w``,
        how many cases, or their weight, int64 if that is whole. Where rows have weights, ``w2``,
        the sums of their squares, and ``low`` and ``high``, the least and the largest; of cells,
        ``m``, the sums of weight times forecast; ``g``, the group.
    """

    columns: dict[str, Column]

    def of_group(self, group: Any) -> PooledRows:
        """Keep the rows of one group."""
        return self.only(np.asarray(self.columns["g"] == group))

    def only(self, chosen: Column) -> PooledRows:
        """Keep some of the rows."""
        return PooledRows({name: x[chosen] for name, x in self.columns.items()})

    @property
    def unit(self) -> float | None:
        """What all cases weigh; None if they do not weigh the same, or were counted."""
        if "low" not in self.columns:
            return None
        least = float(self.columns["low"].min())
        return least if least == self.columns["high"].max() else None

    def tally(self, cells: int | None = None, kind: Any = np.float64) -> Tally:
        """Make a tally at distinct forecasts, or of cells; equal weights are divided out."""
        place, happened, weight = (self.columns[name] for name in "xyw")
        unit, squares = self.unit, self.columns.get("w2")
        if unit is not None:
            weight, squares = np.rint(weight / unit).astype(np.int64), None
        # What adds: weights, those of events, and the squares of both sides.
        added = [weight, weight * happened]
        if squares is not None:
            added += [squares * happened, squares * ~happened]
        if cells is not None:
            moments = [self.columns["m"], self.columns["w"]]
            cell, moment, weight, *sums = pool(place, moments + added)
            return tally_of_sums([_means(cell, moment / weight, cells), *sums], cells, unit)
        value = place.astype(kind, copy=False) + 0.0  # no -0.0
        if squares is None and (weight == 1).all():
            return tally_of_sums(count(happened, value), None, unit)
        return tally_of_sums(pool(value, added), None, unit)


def _means(cell: Column, mean: Column, cells: int) -> Column:
    """Return the mean forecasts of cells, which no rounding may lead out of them."""
    lower = np.maximum((cell - 1) / cells, np.nextafter(0.0, 1.0))
    mean = np.clip(mean, lower, np.nextafter(cell / cells, 0.0))
    return np.where(cell == 0, 0.0, np.where(cell > cells, 1.0, mean))


def tally_frame(rows: Rows, cells: int | None, snap: float | ArrayLike | None) -> Tally:
    """Count the forecasts of the first model, as they are, moved to a grid, or in cells."""
    if cells is not None and snap is None:
        return pool_cells(rows, "p0", cells).tally(cells)
    kind = np.float32 if "p0" in rows.narrow else np.float64
    pooled = _checked(rows, "p0", _counted(rows, rows.data, nw.col("p0"), None))
    tally = pooled.tally(kind=kind)
    tally = tally if snap is None else snapped(tally, snap)
    return tally if cells is None else tally.group(cells)


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
    sums = [nw.len().alias("n"), *(nw.col(name).sum() for name in added or ())]
    terms, used = rows.amounts(), rows.used
    if rows.weighted and used is not None:
        w = nw.col("w")
        fractions = ((w != floor(w)) & (w < WHOLE)).cast(nw.Int64)
        terms["broken"] = nw.lit(0) if rows.whole else fractions
        terms["w"] = terms["w"] if rows.repeated else w
        sums += [nw.col("low").min(), nw.col("high").max()]
        positive = nw.when(used).then(w)
        data = data.with_columns(positive.alias("low"), positive.alias("high"))
    data = data.with_columns(place.alias("x"), **terms)
    data = data.group_by("x", *rows.keys).agg(*sums, *(nw.col(name).sum() for name in terms))
    if rows.weighted and rows.whole and not rows.repeated:
        data = data.with_columns(nw.col("w").cast(nw.Int64))
    return collected(data if most is None else data.head(most + 1))


def _checked(rows: Rows, name: str, table: dict[str, Column]) -> PooledRows:
    """Refuse what cannot be counted, tell events from others, and leave out what weighs nothing."""
    if "s" in table:
        sound = int(table["s"].sum())
    else:
        with infinities():
            in_unit = (table["x"] >= 0) & (table["x"] <= 1)
        sound = int(table["n"][in_unit].sum())
    total = rows.require_sound(table, {name: sound})
    y = table["y"]
    # Truth values come as objects if some were missing.
    if y.dtype.kind == "O" and all(isinstance(x, bool | np.bool_) for x in y.tolist()):
        y = y.astype(bool)
    table["y"] = rows.numbers(y) == 1
    # Whole numbers, whatever they mean, are added up as such.
    if not rows.weighted:
        table["w"] = table["used"] if rows.repeated else table["n"]
    weight = table["w"].sum(dtype=np.float64)
    is_whole = not rows.weighted or (rows.whole and not rows.repeated)
    if is_whole or (weight < EXACT and not table["broken"].any()):
        require_countable(float(weight))
        table["w"] = table["w"].astype(np.int64, copy=False)
    else:
        table["w"] = table["w"].astype(np.float64, copy=False)
    if "used" not in table:
        return PooledRows(table)
    rows.require_some_weight(int(table["used"].sum()), total)
    return PooledRows(table).only(table["used"] > 0)
