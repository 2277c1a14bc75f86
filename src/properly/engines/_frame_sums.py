"""Sums inside an engine: rows counted at distinct forecasts or in cells, and losses added up.

A `PooledRows` is what comes back from counting, checked; a tally is made of it.

`Summing` says which losses are summed, under names of columns, in one pass over rows and one over
clusters; `sum_up` makes `ScoreSums` of what the engine returns. An engine adds doubles one after
the other: twenty million equal losses would be off in the tenth digit. So each number is cut in
two, of which one part adds up exactly, and `math.fsum` adds what comes back for each outcome and
group.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any, NamedTuple

import narwhals.stable.v2 as nw
import numpy as np

from properly._boundary._arrays import require_countable
from properly._boundary._libraries import infinities
from properly.counts._cases import require_clusters
from properly.counts._pooling import EXACT, count, pool
from properly.counts._tally import Tally, snapped, tally_of_sums
from properly.engines._rows import WHOLE, Rows, collected, floor, is_sound, sum_of
from properly.engines._score_sums import COARSE, COUNTED, FINE, ScoreSums, loss_terms
from properly.engines._symbols import loss_of, with_formulas
from properly.rules import Rule
from properly.typing import ArrayLike, Column

# Adding this rounds to a multiple of 2**-20. Sums of such are exact up to 2**33, in any order.
ROUND = 1.5 * 2.0**32


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
    pooled = _checked_rows(rows, "p0", _counted(rows, rows.data, nw.col("p0"), None))
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
    return _checked_rows(rows, name, table)


def pool_cells(rows: Rows, name: str, cells: int) -> PooledRows:
    """Count rows in equally wide cells, those of `Tally.group`, and add up their forecasts."""
    p = nw.col(name)
    moment = rows.times(p * nw.col("w") if rows.weighted else p)
    # No constant: polars divides by those by multiplying with their rounded inverses.
    data = rows.data.with_columns((p * 0 + cells).alias("cells"), moment.alias("m"))
    data = data.with_columns(is_sound(name).alias("s"))
    return _checked_rows(rows, name, _counted(rows, data, cell_of(p, cells), None, ["m", "s"]))


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


def _checked_rows(rows: Rows, name: str, table: dict[str, Column]) -> PooledRows:
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


@dataclass(frozen=True)
class Summing:
    """What is summed, for some rules, of the rows of a frame.

    Columns are named after the keys of `ScoreSums`: ``loss_0_1`` of rule 0 and model 1.
    """

    rows: Rows
    rules: tuple[Rule, ...]

    @cached_property
    def numbers(self) -> list[tuple[int, int]]:
        """All pairs of the number of a rule and that of a model."""
        models = range(len(self.rows.forecasts))
        return [(r, j) for r in range(len(self.rules)) for j in models]

    @cached_property
    def pairs(self) -> list[tuple[int, int, int]]:
        """The number of a rule, and those of two models."""
        models = combinations(range(len(self.rows.forecasts)), 2)
        return [(r, j, k) for j, k in models for r in range(len(self.rules))]

    @cached_property
    def endless(self) -> list[tuple[int, int]]:
        """The pairs of a rule that may charge infinity."""
        rules, classes = self.rules, self.rows.classes
        ends = [(x.range if classes is None else x.range_for(classes))[1] for x in rules]
        return [(r, j) for r, j in self.numbers if math.isinf(ends[r])]

    def priced(self) -> nw.LazyFrame[Any]:
        """Price all forecasts: weighed losses, finite, and which were infinite or differed."""
        data, columns = self.rows.data, list(self.rows.forecasts.values())
        losses = {f"l_{r}_{j}": loss_of(self.rules[r], "e", columns[j]) for r, j in self.numbers}
        data = with_formulas(data.with_columns(e=self.rows.number), losses)
        loss = {(r, j): nw.col(f"l_{r}_{j}") for r, j in self.numbers}
        marks = {f"i_{r}_{j}": loss[r, j] == math.inf for r, j in self.endless}
        marks |= {f"d_{r}_{j}_{k}": loss[r, j] != loss[r, k] for r, j, k in self.pairs}
        data = _with(data, marks)
        for r, j in self.endless:
            loss[r, j] = nw.when(nw.col(f"i_{r}_{j}")).then(0.0).otherwise(loss[r, j])
        if self.rows.weighted:
            loss = {key: x * nw.col("w") for key, x in loss.items()}
        paid = {f"l_{r}_{j}": x for (r, j), x in loss.items()}
        used = self.rows.used
        counted = {name: nw.col(name) if used is None else nw.col(name) & used for name in marks}
        return _with(data, paid | {name: x.cast(nw.Int64) for name, x in counted.items()})

    def of_rows(self, data: nw.LazyFrame[Any]) -> nw.LazyFrame[Any]:
        """Add up what rows say, by outcome and group."""
        terms = dict(self._terms())
        sums = [nw.col(name).sum() for name in terms]
        return _with(data, terms).group_by(*self.rows.keys).agg(nw.len().alias("n"), *sums)

    def _terms(self) -> Iterator[tuple[str, nw.Expr]]:
        rows = self.rows
        for i in range(len(rows.roles.probabilities)):
            yield f"p{i}", is_sound(f"p{i}")
        if rows.roles.clusters is not None:
            yield "c", (~nw.col("c").is_null()).cast(nw.Int64)
        if rows.classes is not None:
            for i, columns in enumerate(rows.forecasts.values()):
                off, slack = sum_of(columns) - 1, rows.slack(columns)
                yield f"whole_{i}", ((off <= slack) & (off >= -slack)).cast(nw.Int64)
        for name, x in rows.amounts().items():
            yield from _split(name, x) if name in ("w", "w2") else [(name, x)]
        w = nw.col("w").cast(nw.Float64) if rows.weighted else None
        paid = {(r, j): nw.col(f"l_{r}_{j}") for r, j in self.numbers}
        endless = {(r, j): nw.col(f"i_{r}_{j}") for r, j in self.endless}
        differing = {(r, j, k): nw.col(f"d_{r}_{j}_{k}") for r, j, k in self.pairs}
        for name, x in loss_terms(paid, w, endless, differing):
            is_count = name[: name.index("_")] in COUNTED and "weight" not in name
            yield from [(name, rows.times(x))] if is_count else _split(name, rows.times(x))

    def of_clusters(self, data: nw.LazyFrame[Any], *within: str) -> nw.LazyFrame[Any]:
        """Add up within clusters, then the corrected squares and products of these sums."""
        times, is_event = self.rows.times, self.rows.classes is None
        w = times(nw.col("w").cast(nw.Float64) if self.rows.weighted else nw.lit(1.0))
        inside = {"unit_w": w}
        if is_event:
            inside["unit_y"] = nw.when(nw.col("e")).then(w).otherwise(0.0)
        inside |= {f"unit_{r}_{j}": times(nw.col(f"l_{r}_{j}")) for r, j in self.numbers}
        sums = (nw.col(name).sum() for name in inside)
        units = data.with_columns(**inside).group_by("c", *within).agg(*sums)
        units = units.filter(nw.col("unit_w") > 0).with_columns(one=nw.lit(1))
        weights = units.group_by("one", *within).agg(nw.col("unit_w").sum().alias("whole"))
        units = units.join(weights, on=["one", *within])
        rest = 1 - nw.col("unit_w") / nw.col("whole")
        units = units.with_columns(factor=nw.when(rest > 0).then(1 / rest).otherwise(0.0))
        w, y = nw.col("unit_w"), nw.col("unit_y")
        paid = {(r, j): nw.col(f"unit_{r}_{j}") for r, j in self.numbers}
        apart = {(r, j, k): nw.lit(0) for r, j, k in self.pairs}
        # Losses themselves, and how often they differ, are sums over rows.
        terms = loss_terms(paid, w, {}, apart)
        products = {x: value for x, value in terms if x[:5] not in ("loss_", "diffe")}
        products |= {f"loss_weight_{r}_{j}": x * w for (r, j), x in paid.items()}
        products["corrected2"] = w * w
        if is_event:
            products |= {"event2": y * y, "event_weight": y * w}
            products |= {f"loss_event_{r}_{j}": x * y for (r, j), x in paid.items()}
        products = {name: nw.col("factor") * product for name, product in products.items()}
        products |= {"weight2": w * w, "corrected4": (w * w * nw.col("factor")) ** 2}
        sums = (nw.col(name).sum() for name in products)
        lines = units.with_columns(**products).group_by("one", *within)
        return lines.agg(nw.len().alias("units"), *sums)


def _with(data: nw.LazyFrame[Any], columns: dict[str, nw.Expr]) -> nw.LazyFrame[Any]:
    return data.with_columns(**columns) if columns else data


def _split(name: str, x: nw.Expr) -> Iterator[tuple[str, nw.Expr]]:
    """Cut a number in two: what adds up exactly in any order, and what is left."""
    coarse = (x + ROUND) - ROUND
    yield name + COARSE, coarse
    yield name + FINE, x - coarse


def sum_up(rows: Rows, rules: tuple[Rule, ...]) -> tuple[ScoreSums, dict[Any, ScoreSums]]:
    """Sum losses over all rows, and over those of each group; refuse what cannot be judged."""
    with warnings.catch_warnings():
        # Of pandas, which is slow with tables of very many rows and columns; this has few rows.
        warnings.filterwarnings("ignore", message="DataFrame is highly fragmented")
        summing = Summing(rows, rules)
        data = summing.priced()
        table = collected(summing.of_rows(data))
        number = _checked(rows, table)
        sums = ScoreSums(tuple(rows.forecasts), rules, rows.classes, False, {})
        whole = sums.of_lines(table, number)
        # Groups without a row of positive weight are left out, as they are everywhere.
        used = table["used"] > 0 if "used" in table else slice(None)
        groups = {}
        for g in sorted_labels(table["g"][used]) if "g" in table else ():
            lines = table["g"] == g
            groups[g] = sums.of_lines({k: x[lines] for k, x in table.items()}, number[lines])
        if rows.roles.clusters is None:
            return whole, groups
        units = collected(summing.of_clusters(data))
        require_clusters(int(units["units"][0]))
        whole = whole.with_clusters(units)
        if groups:
            units = collected(summing.of_clusters(data, "g"))
            groups = {g: x.with_clusters(units, units["g"] == g) for g, x in groups.items()}
        return whole, groups


def sorted_labels(group: Column) -> list[Any]:
    """Return the distinct labels, in order where they have one."""
    labels = list(dict.fromkeys(group.tolist()))
    try:
        return sorted(labels)
    except TypeError:
        return labels


def _checked(rows: Rows, table: dict[str, Column]) -> Column:
    """Refuse rows that cannot be judged; return which outcome each line of the table is of."""
    columns = [f"p{i}" for i in range(len(rows.roles.probabilities))]
    total = rows.require_sound(table, {name: int(table[name].sum()) for name in columns})
    if rows.classes is not None:
        good = {m: int(table[f"whole_{i}"].sum()) for i, m in enumerate(rows.forecasts)}
        rows.require_sums(total, good)
    number = rows.numbers(table["y"])
    if "used" in table:
        rows.require_some_weight(int(table["used"].sum()), total)
    return number
