"""Sums of losses inside an engine: one pass over rows, and one over clusters.

`Summing` says what is summed, under names of columns; `sum_up` makes `ScoreSums` of what the engine
returns. An engine adds doubles one after the other: twenty million equal losses would be off in the
tenth digit. So each number is cut in two, of which one part adds up exactly, and `math.fsum` adds
what comes back for each outcome and group.
"""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING, Any

import narwhals.stable.v2 as nw
import numpy as np

from properly.counts._cases import require_clusters
from properly.engines._rows import (
    Rows,
    class_number,
    classes_of,
    collected,
    is_sound,
    numbers_of_classes,
    require_sums,
    sums_to_one,
)
from properly.engines._score_sums import Key, ScoreSums, keys_of, total_of
from properly.engines._symbols import loss_of, with_formulas

if TYPE_CHECKING:
    from collections.abc import Iterator

    from properly.rules import Rule
    from properly.typing import Column

# Adding this rounds to a multiple of 2**-20. Sums of such are exact up to 2**33, in any order.
ROUND = 1.5 * 2.0**32
COARSE, FINE = "_coarse", "_fine"


@dataclass(frozen=True)
class Summing:
    """What is summed, for some rules, of the rows of a frame.

    Columns are named after the keys of `ScoreSums`: ``loss_0_1`` of rule 0 and model 1.
    """

    rows: Rows
    rules: tuple[Rule, ...]

    @property
    def classes(self) -> int | None:
        """The number of classes; None for one event."""
        return classes_of(self.rows)

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

    def is_endless(self, r: int) -> bool:
        """Tell whether a rule may charge infinity."""
        rule = self.rules[r]
        ends = rule.range if self.classes is None else rule.range_for(self.classes)
        return math.isinf(ends[1])

    def priced(self) -> nw.LazyFrame[Any]:
        """Price all forecasts: ``l_0_1``, finite, and whether they were infinite: ``i_0_1``."""
        happened = self.rows.event if self.classes is None else class_number(self.rows)
        data, columns = self.rows.data.with_columns(e=happened), list(self.rows.forecasts.values())
        losses = {f"l_{r}_{j}": loss_of(self.rules[r], "e", columns[j]) for r, j in self.numbers}
        data = _with(with_formulas(data, losses), dict(self._differing()))
        endless = {
            f"i_{r}_{j}": nw.col(f"l_{r}_{j}") == math.inf
            for r, j in self.numbers
            if self.is_endless(r)
        }
        finite = {
            name.replace("i", "l", 1): nw.when(nw.col(name)).then(0.0).otherwise(
                nw.col(name.replace("i", "l", 1))
            )
            for name in endless
        }  # fmt: skip
        return _with(_with(data, endless), finite)

    def _differing(self) -> Iterator[tuple[str, nw.Expr]]:
        used = self.rows.used
        for r, j, k in self.pairs:
            apart = nw.col(f"l_{r}_{j}") != nw.col(f"l_{r}_{k}")
            yield f"differing_{r}_{j}_{k}", (apart if used is None else apart & used).cast(nw.Int64)

    def _weighed(self, r: int, j: int) -> nw.Expr:
        loss = nw.col(f"l_{r}_{j}")
        return loss * nw.col("w") if self.rows.weighted else loss

    def of_rows(self, data: nw.LazyFrame[Any]) -> nw.LazyFrame[Any]:
        """Add up what rows say, by outcome and group."""
        weighed = {f"loss_{r}_{j}": self._weighed(r, j) for r, j in self.numbers}
        data = _with(data, weighed)
        terms = dict(self._terms())
        keys = ["y", *(["g"] if self.rows.roles.groups is not None else [])]
        sums = [nw.col(name).sum() for name in terms]
        return _with(data, terms).group_by(*keys).agg(nw.len().alias("n"), *sums)

    def _terms(self) -> Iterator[tuple[str, nw.Expr]]:
        for i in range(len(self.rows.roles.probabilities)):
            yield f"p{i}", is_sound(f"p{i}")
        weighted, w, times = self.rows.weighted, nw.col("w"), self.rows.times
        if weighted:
            wide = w.cast(nw.Float64)
            yield "sound", is_sound("w")
            yield from _split("w2", times(wide * wide))
            yield from _split("w", times(wide))
        if self.rows.repeated:
            yield "sound_k", is_sound("k")
        if self.rows.used is not None:
            yield "used", times(self.rows.used.cast(nw.Int64))
        if self.rows.roles.clusters is not None:
            yield "c", (~nw.col("c").is_null()).cast(nw.Int64)
        if self.classes is not None:
            for i, columns in enumerate(self.rows.forecasts.values()):
                yield f"whole_{i}", sums_to_one(self.rows, columns)
        for r, j in self.numbers:
            yield from self._terms_of(r, j)
        for r, j, k in self.pairs:
            apart = nw.col(f"loss_{r}_{j}") - nw.col(f"loss_{r}_{k}")
            yield from _split(f"apart2_{r}_{j}_{k}", times(apart * apart))
            yield f"differing_{r}_{j}_{k}", times(nw.col(f"differing_{r}_{j}_{k}"))

    def _terms_of(self, r: int, j: int) -> Iterator[tuple[str, nw.Expr]]:
        loss, w, times = nw.col(f"loss_{r}_{j}"), nw.col("w"), self.rows.times
        yield from _split(f"loss_{r}_{j}", times(loss))
        yield from _split(f"loss2_{r}_{j}", times(loss * loss))
        if self.rows.weighted:
            yield from _split(f"loss_weight_{r}_{j}", times(loss * w))
        if self.is_endless(r):
            endless, used = nw.col(f"i_{r}_{j}"), self.rows.used
            if self.rows.weighted:
                lost = nw.when(endless).then(w.cast(nw.Float64)).otherwise(0.0)
                yield f"infinite_weight_{r}_{j}", times(lost)
            endless = endless if used is None else endless & used
            yield f"infinite_{r}_{j}", times(endless.cast(nw.Int64))

    def of_clusters(self, data: nw.LazyFrame[Any], *within: str) -> nw.LazyFrame[Any]:
        """Add up within clusters, then the corrected squares and products of these sums."""
        times = self.rows.times
        w = times(nw.col("w").cast(nw.Float64) if self.rows.weighted else nw.lit(1.0))
        inside = {"unit_w": w, "unit_y": nw.when(nw.col("e")).then(w).otherwise(0.0)}
        if self.classes is not None:
            inside.pop("unit_y")
        inside |= {f"unit_{r}_{j}": times(self._weighed(r, j)) for r, j in self.numbers}
        sums = (nw.col(name).sum() for name in inside)
        units = data.with_columns(**inside).group_by("c", *within).agg(*sums)
        units = units.filter(nw.col("unit_w") > 0).with_columns(one=nw.lit(1))
        weights = units.group_by("one", *within).agg(nw.col("unit_w").sum().alias("whole"))
        units = units.join(weights, on=["one", *within])
        rest = 1 - nw.col("unit_w") / nw.col("whole")
        units = units.with_columns(factor=nw.when(rest > 0).then(1 / rest).otherwise(0.0))
        products = {"corrected2": nw.col("unit_w") * nw.col("unit_w")}
        if self.classes is None:
            products["event2"] = nw.col("unit_y") * nw.col("unit_y")
            products["event_weight"] = nw.col("unit_y") * nw.col("unit_w")
        for r, j in self.numbers:
            loss = nw.col(f"unit_{r}_{j}")
            products[f"loss2_{r}_{j}"] = loss * loss
            products[f"loss_weight_{r}_{j}"] = loss * nw.col("unit_w")
            if self.classes is None:
                products[f"loss_event_{r}_{j}"] = loss * nw.col("unit_y")
        for r, j, k in self.pairs:
            apart = nw.col(f"unit_{r}_{j}") - nw.col(f"unit_{r}_{k}")
            products[f"apart2_{r}_{j}_{k}"] = apart * apart
        products = {name: nw.col("factor") * product for name, product in products.items()}
        products["weight2"] = nw.col("unit_w") * nw.col("unit_w")
        products["corrected4"] = (products["weight2"] * nw.col("factor")) ** 2
        units = units.with_columns(**products)
        return units.group_by("one", *within).agg(
            nw.len().alias("units"), *(nw.col(name).sum() for name in products)
        )


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
        return _sum_up(Summing(rows, rules))


def _sum_up(summing: Summing) -> tuple[ScoreSums, dict[Any, ScoreSums]]:
    data, rows = summing.priced(), summing.rows
    table = collected(summing.of_rows(data))
    number = _checked(summing, table)
    whole = _sums(summing, table, number, np.ones(len(number), dtype=bool))
    # Groups without a row of positive weight are left out, as they are everywhere.
    used = table["used"] > 0 if "used" in table else slice(None)
    labels = sorted_labels(table["g"][used]) if "g" in table else []
    groups = {g: _sums(summing, table, number, table["g"] == g) for g in labels}
    if rows.roles.clusters is None:
        return whole, groups
    units = collected(summing.of_clusters(data))
    require_clusters(int(units["units"][0]))
    whole = _with_clusters(whole, units)
    if groups:
        units = collected(summing.of_clusters(data, "g"))
        groups = {g: _with_clusters(groups[g], units, units["g"] == g) for g in groups}
    return whole, groups


def sorted_labels(group: Column) -> list[Any]:
    """Return the distinct labels, in order where they have one."""
    labels = list(dict.fromkeys(group.tolist()))
    try:
        return sorted(labels)
    except TypeError:
        return labels


def _checked(summing: Summing, table: dict[str, Column]) -> Column:
    """Refuse rows that cannot be judged; return which outcome each line of the table is of."""
    rows = summing.rows
    columns = [f"p{i}" for i in range(len(rows.roles.probabilities))]
    total = rows.require_sound(table, {name: int(table[name].sum()) for name in columns})
    if summing.classes is None:
        number = rows.happened(table["y"]).astype(np.intp)
    else:
        good = {m: int(table[f"whole_{i}"].sum()) for i, m in enumerate(rows.forecasts)}
        require_sums(rows, total, good)
        number = numbers_of_classes(rows, table["y"])
    if "used" in table:
        rows.require_some_weight(int(table["used"].sum()), total)
    return number


def _sums(
    summing: Summing, columns: dict[str, Column], number: Column, chosen: Column
) -> ScoreSums:
    """Make totals of the lines of a table that are chosen."""
    table = {name: column[chosen] for name, column in columns.items() if name not in ("y", "g")}
    models = tuple(summing.rows.forecasts)
    totals: dict[Key, float] = dict.fromkeys(keys_of(models, summing.rules, summing.classes), 0)
    lines = _Lines(table, summing.rows.weighted)
    named = _totals(summing, lines, number[chosen])
    totals |= {key: total_of(key, lines.column(*rest)) for key, *rest in named}
    return ScoreSums(models, summing.rules, summing.classes, False, totals)


@dataclass(frozen=True)
class _Lines:
    """Sums by outcome, as they came from the engine."""

    table: dict[str, Column]
    weighted: bool

    def column(self, name: str, only: Column | None = None) -> list[float]:
        """Return the lines of a column, or both parts of one that was cut in two."""
        parts = [name] if name in self.table else [name + COARSE, name + FINE]
        lines = slice(None) if only is None else only
        return [x for p in parts for x in self.table[p][lines].tolist()]

    @property
    def rows(self) -> str:
        """Where cases are counted."""
        return "used" if "used" in self.table else "n"

    @property
    def weight(self) -> str:
        return "w" if self.weighted else self.rows

    @property
    def squares(self) -> str:
        return "w2" if self.weighted else self.rows


def _totals(summing: Summing, lines: _Lines, number: Column) -> Iterator[tuple[Any, ...]]:
    """Name what each sum is the total of: a column, and perhaps some of its lines."""
    yield ("rows",), lines.rows
    yield ("units",), lines.rows
    yield ("weight",), lines.weight
    yield ("weight2",), lines.squares
    yield ("row_squares",), lines.squares
    event = number == 1
    if summing.classes is None:
        yield ("event_rows",), lines.rows, event
        yield ("event",), lines.weight, event
        for name in ("event2", "event_weight", "event_squares"):
            yield (name,), lines.squares, event
    for k in range(summing.classes or 0):
        yield ("class", k), lines.weight, number == k
        yield ("class_rows", k), lines.rows, number == k
        yield ("class_squares", k), lines.squares, number == k
    for r, j in summing.numbers:
        yield from _totals_of(summing, lines, number, r, j)
    for r, j, k in summing.pairs:
        for name in ("apart2", "differing"):
            yield (name, r, j, k), f"{name}_{r}_{j}_{k}"


def _totals_of(
    summing: Summing, lines: _Lines, number: Column, r: int, j: int
) -> Iterator[tuple[Any, ...]]:
    squared = f"loss_weight_{r}_{j}" if lines.weighted else f"loss_{r}_{j}"
    yield ("loss", r, j), f"loss_{r}_{j}"
    yield ("loss2", r, j), f"loss2_{r}_{j}"
    yield ("loss_weight", r, j), squared
    if summing.classes is None:
        yield ("loss_event", r, j), squared, number == 1
    for k in range(summing.classes or 0):
        yield ("loss_class", r, j, k), squared, number == k
    if summing.is_endless(r):
        yield ("infinite", r, j), f"infinite_{r}_{j}"
        lost = f"infinite_weight_{r}_{j}" if lines.weighted else f"infinite_{r}_{j}"
        yield ("infinite_weight", r, j), lost


def _with_clusters(
    sums: ScoreSums, units: dict[str, Column], chosen: Column | slice = slice(None)
) -> ScoreSums:
    """Replace the squares and products of rows by those of clusters."""
    keys = keys_of(sums.models, sums.rules, sums.classes, clustered=True)
    totals = {key: sums.totals.get(key, 0) for key in keys}
    for key in totals:
        name = "_".join(str(part) for part in key)
        if name in units:
            totals[key] = total_of(key, units[name][chosen].tolist())
    return ScoreSums(sums.models, sums.rules, sums.classes, True, totals)
