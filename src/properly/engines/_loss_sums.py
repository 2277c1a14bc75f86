"""Sums of losses inside an engine: one pass over rows, and one over clusters.

`Summing` says what is summed, under names of columns; `sum_up` makes `ScoreSums` of what the engine
returns. An engine adds doubles one after the other: twenty million equal losses would be off in the
tenth digit. So each number is cut in two, of which one part adds up exactly, and `math.fsum` adds
what comes back for each outcome and group.
"""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING, Any

import narwhals.stable.v2 as nw

from properly.counts._cases import require_clusters
from properly.engines._rows import Rows, collected, is_sound
from properly.engines._score_sums import (
    COARSE,
    COUNTED,
    FINE,
    ScoreSums,
    keys_of,
    loss_terms,
    total_of,
)
from properly.engines._symbols import loss_of, with_formulas

if TYPE_CHECKING:
    from collections.abc import Iterator

    from properly.rules import Rule
    from properly.typing import Column

# Adding this rounds to a multiple of 2**-20. Sums of such are exact up to 2**33, in any order.
ROUND = 1.5 * 2.0**32


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
                yield f"whole_{i}", rows.sums_to_one(columns)
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
        return _sum_up(Summing(rows, rules))


def _sum_up(summing: Summing) -> tuple[ScoreSums, dict[Any, ScoreSums]]:
    data, rows = summing.priced(), summing.rows
    table = collected(summing.of_rows(data))
    number = _checked(summing, table)
    sums = ScoreSums(tuple(rows.forecasts), summing.rules, rows.classes, False, {})
    whole = sums.of_lines(table, number)
    # Groups without a row of positive weight are left out, as they are everywhere.
    used = table["used"] > 0 if "used" in table else slice(None)
    labels = sorted_labels(table["g"][used]) if "g" in table else []
    chosen = {g: table["g"] == g for g in labels}
    groups = {
        g: sums.of_lines({name: x[lines] for name, x in table.items()}, number[lines])
        for g, lines in chosen.items()
    }
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
    if rows.classes is not None:
        good = {m: int(table[f"whole_{i}"].sum()) for i, m in enumerate(rows.forecasts)}
        rows.require_sums(total, good)
    number = rows.numbers(table["y"])
    if "used" in table:
        rows.require_some_weight(int(table["used"].sum()), total)
    return number


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
    return replace(sums, clustered=True, totals=totals)
