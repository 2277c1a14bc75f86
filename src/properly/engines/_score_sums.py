"""Sums over rows: all that the intervals of scores and the comparison of models need of them.

Counts are whole numbers, which add exactly. Sums are doubles: each piece of rows is added up
pairwise, and pieces by `math.fsum`, so that any order of rows, batches and shards agrees to a
relative 1e-12. Infinite losses are counted apart.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain, combinations
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from properly._boundary._chunks import share_out
from properly._boundary._record import Adds
from properly._boundary._text import many
from properly.counts._scoring import price
from properly.errors import DataError
from properly.rules import Rule
from properly.typing import Column

Key: TypeAlias = tuple[Any, ...]

# Forecasts of a piece of rows, of all models together: what is made of them takes some megabytes.
PIECE = 1 << 18
# What is counted, and therefore whole.
COUNTED = frozenset({"rows", "units", "event_rows", "class_rows", "infinite", "differing"})
# Of which amounts of rows the sums are that have another name; squares for what is of two factors.
SOURCES = {"rows": "used", "units": "used", "weight": "w", "weight2": "w2", "row_squares": "w2"}
SOURCES |= {"event_rows": "used", "event": "w", "class_rows": "used", "class": "w"}
SOURCES |= dict.fromkeys(("event2", "event_weight", "event_squares", "class_squares"), "w2")
SOURCES |= {"loss_event": "loss_weight", "loss_class": "loss_weight"}
# What stands for an amount that is left out: rows without weights weigh 1, and all are used.
INSTEAD = {"w": "used", "w2": "used", "used": "n", "loss_weight": "loss"}
INSTEAD |= {"infinite_weight": "infinite"}
# An engine adds up a number in two parts.
COARSE, FINE = "_coarse", "_fine"


@dataclass(frozen=True, eq=False, repr=False)
class ScoreSums(Adds):
    r"""All that scores and comparisons need of the rows, in sums that add.

    Let :math:`w_i` be the weight of a row, :math:`l_i` its loss, 0 where that is infinite, and
    :math:`y_i` whether the event happened. A unit u is a row, or a cluster, and
    :math:`W_u, Y_u, L_u` add up :math:`w_i, w_i y_i, w_i l_i` in it. Rows of weight 0 are left out.

    Attributes
    ----------
    models : tuple of str
        Whose forecasts they are.
    rules : tuple of Rule
        What they were priced by.
    classes : int or None
        The number of classes; None for one event.
    clustered : bool
        Whether units are clusters.
    totals : dict of int or float
        The sums by their keys, those of `keys_of`.

        * ``("rows",)``, ``("units",)``: how many there are.
        * ``("weight",)``, ``("weight2",)``: sums of :math:`W_u` and of :math:`W_u^2`;
          ``("row_squares",)`` of :math:`w_i^2`.
        * of an event: ``("event_rows",)``; sums of :math:`Y_u`, :math:`Y_u^2` and
          :math:`Y_u W_u` in ``("event",)``, ``("event2",)``, ``("event_weight",)``; of
          :math:`w_i^2 y_i` in ``("event_squares",)``.
        * of class k: ``("class", k)``, the weight of its rows; ``("class_rows", k)``, their number;
          ``("class_squares", k)``, the sum of their squared weights.
        * by rule r and model j: ``("loss", r, j)``, ``("loss2", r, j)``,
          ``("loss_weight", r, j)``: sums of :math:`L_u`, :math:`L_u^2` and :math:`L_u W_u`;
          ``("infinite", r, j)``, ``("infinite_weight", r, j)``: rows of infinite loss and their
          weight; of an event ``("loss_event", r, j)``, the sum of :math:`L_u Y_u`; of classes
          ``("loss_class", r, j, k)``, the sum of :math:`w_i^2 l_i` over the rows of class k.
        * by rule and pair of models j < k: ``("apart2", r, j, k)``, the sum of
          :math:`(L_{uj} - L_{uk})^2`, and ``("differing", r, j, k)``, rows whose losses differ.
        * of clusters, all squares and products but those in ``("weight2",)`` are divided by
          :math:`1 - h_u`, with :math:`h_u` the share of :math:`W_u` in all weight, as Bell and
          McCaffrey do; ``("corrected2",)`` and ``("corrected4",)`` are then the sums of
          :math:`W_u^2 / (1 - h_u)` and of its square.

    Examples
    --------
    >>> import numpy as np
    >>> from properly.engines._score_sums import ScoreSums
    >>> from properly.rules import Brier
    >>> y, p = np.array([False, True]), np.array([0.5, 0.25])
    >>> sums = ScoreSums.of_rows(["a"], [Brier()], y, {"a": p})
    >>> sums
    ScoreSums(2 rows, 1 model, 1 rule)
    >>> (sums + sums).mean("loss", 0, 0)
    0.40625
    """

    models: tuple[str, ...]
    rules: tuple[Rule, ...]
    classes: int | None
    clustered: bool
    totals: Mapping[Key, float] = field(repr=False)

    @classmethod
    def of_rows(
        cls,
        models: Sequence[str],
        rules: Sequence[Rule],
        y: Column,
        forecasts: Mapping[str, Column],
        weight: Column | None = None,
        *,
        times: Column | None = None,
    ) -> ScoreSums:
        """Price rows of one event that have been checked, piece by piece.

        Parameters
        ----------
        models : sequence of str
            Which forecasts to price, in order.
        rules : sequence of BinaryRule
            What they are priced by.
        y : numpy array
            Whether the event happened.
        forecasts : dict of numpy arrays
            Its probabilities, by model.
        weight : numpy array, optional
            The weight of each row; without it, each weighs 1.
        times : numpy array of int64, optional
            How many like cases each row stands for.
        """
        columns = [np.asarray(forecasts[name], dtype=np.float64) for name in models]
        rows = PricedRows(np.asarray(y, dtype=bool), columns, weight, times)
        used = rows_in_use(len(y), weight, times)
        rows = rows if len(used) == len(y) else rows.only(used)
        parts = share_out(partial(PricedRows.lines, rules=tuple(rules)), list(rows.pieces()))
        lines = [line for part in parts for line in part]
        table = {name: np.array([line[name] for line in lines]) for name in lines[0]}
        number = np.arange(len(lines)) % 2
        return cls(tuple(models), tuple(rules), None, False, {}).of_lines(table, number)

    def of_lines(self, table: Mapping[str, Column], number: Column) -> ScoreSums:
        """Make totals of lines that were summed up apart, given the outcome of each.

        A table has the amounts ``n`` or ``used``, ``w``, ``w2``, and those of `loss_terms`.
        """
        totals = {}
        for key in keys_of(self.models, self.rules, self.classes):
            name, *numbers = key
            only = 1 if "event" in name else numbers.pop() if "class" in name else None
            lines = slice(None) if only is None else number == only
            stem = str(SOURCES.get(name, name))
            while not (columns := _columns(table, stem, numbers)) and stem in INSTEAD:
                stem = INSTEAD[stem]
            totals[key] = total_of(key, (x for c in columns for x in table[c][lines].tolist()))
        return replace(self, totals=totals)

    def with_clusters(
        self, units: Mapping[str, Column], chosen: Column | slice = slice(None)
    ) -> ScoreSums:
        """Replace the squares and products of rows by those of clusters."""
        totals = {}
        for key in keys_of(self.models, self.rules, self.classes, clustered=True):
            column = units.get("_".join(map(str, key)))
            known = self.totals.get(key, 0)
            totals[key] = known if column is None else total_of(key, column[chosen].tolist())
        return replace(self, clustered=True, totals=totals)

    def mean(self, *key: Any) -> float:
        """Divide a sum by the weight of all rows."""
        return self.totals[key] / self.totals["weight",]

    def __add__(self, other: ScoreSums) -> ScoreSums:
        """Put the sums of different rows together."""
        if not isinstance(other, ScoreSums):
            return NotImplemented
        _require_alike(self, other)
        totals = {key: total + other.totals[key] for key, total in self.totals.items()}
        return ScoreSums(self.models, self.rules, self.classes, self.clustered, totals)

    def __repr__(self) -> str:
        rows = many(int(self.totals["rows",]), "row")
        clusters = f" in {many(int(self.totals['units',]), 'cluster')}" if self.clustered else ""
        sizes = f"{many(len(self.models), 'model')}, {many(len(self.rules), 'rule')}"
        return f"ScoreSums({rows}{clusters}, {sizes})"


def keys_of(
    models: Sequence[str], rules: Sequence[Rule], classes: int | None, *, clustered: bool = False
) -> list[Key]:
    """List the keys of all sums that are kept."""
    keys: list[Key] = [("rows",), ("units",), ("weight",), ("weight2",), ("row_squares",)]
    if classes is None:
        names = ("event_rows", "event", "event2", "event_weight", "event_squares")
        keys += [(name,) for name in names]
    else:
        for k in range(classes):
            keys += [("class", k), ("class_rows", k), ("class_squares", k)]
    for r in range(len(rules)):
        for j in range(len(models)):
            names = ("loss", "loss2", "loss_weight", "infinite", "infinite_weight")
            keys += [(name, r, j) for name in names]
            keys += [("loss_class", r, j, k) for k in range(classes or 0)]
            keys += [("loss_event", r, j)] if classes is None else []
        for j, k in combinations(range(len(models)), 2):
            keys += [("apart2", r, j, k), ("differing", r, j, k)]
    return keys + [("corrected2",), ("corrected4",)] * clustered


def total_of(key: Key, parts: Iterable[float]) -> float:
    """Add up what parts of the rows have of one sum."""
    return sum(map(int, parts)) if key[0] in COUNTED else math.fsum(parts)


def _columns(table: Mapping[str, Column], stem: str, numbers: Sequence[int]) -> list[str]:
    """Name the columns of an amount: one, both parts of it, or none."""
    name = "_".join([stem, *map(str, numbers)])
    return [column for column in (name, name + COARSE, name + FINE) if column in table]


def loss_terms(
    paid: Mapping[tuple[int, int], Any],
    w: Any | None,
    endless: Mapping[tuple[int, int], Any],
    differing: Mapping[tuple[int, int, int], Any],
) -> Iterator[tuple[str, Any]]:
    """Name what is added up of losses, which are arrays or expressions of an engine.

    Parameters
    ----------
    paid : dict
        By the numbers of rule and model, losses times weights, 0 where they are infinite.
    w : array or expression, optional
        Weights.
    endless : dict
        By rule and model, whether losses were infinite.
    differing : dict
        By rule and two models, whether losses differ.
    """
    for (r, j), loss in paid.items():
        at = f"{r}_{j}"
        yield f"loss_{at}", loss
        yield f"loss2_{at}", loss * loss
        if (r, j) in endless:
            yield f"infinite_{at}", endless[r, j]
        if w is not None:
            yield f"loss_weight_{at}", loss * w
        if w is not None and (r, j) in endless:
            yield f"infinite_weight_{at}", endless[r, j] * w
    for (r, j, k), apart in differing.items():
        difference = paid[r, j] - paid[r, k]
        yield f"apart2_{r}_{j}_{k}", difference * difference
        yield f"differing_{r}_{j}_{k}", apart


def _require_alike(one: ScoreSums, other: ScoreSums) -> None:
    """Refuse sums that do not belong together."""
    # Rules of one's own need not be comparable; what is written is.
    descriptions = {
        "the same models, in order": [", ".join(map(repr, x.models)) for x in (one, other)],
        "the same rules, in order": [", ".join(map(repr, x.rules)) for x in (one, other)],
        "one event, or of as many classes": [
            "one event" if x.classes is None else f"{x.classes} classes" for x in (one, other)
        ],
    }
    for what, (first, second) in descriptions.items():
        if first != second:
            message = f"sums that are added must be of {what}; got {first} and {second}"
            raise DataError(message)
    if one.clustered or other.clustered:
        message = "sums of clusters do not add; rows of one cluster may be in both"
        raise DataError(message, hint="sum all rows at once, or take cases as independent.")


def rows_in_use(size: int, weight: Column | None, times: Column | None) -> Column:
    """Return the numbers of the rows that weigh and count for anything."""
    used = np.full(size, True)
    for amount in (weight, times):
        if amount is not None:
            used &= amount > 0
    return np.flatnonzero(used)


class PricedRows(NamedTuple):
    """Rows of an event: outcomes, the forecasts of each model, weights, and numbers of cases."""

    y: Column
    forecasts: list[Column]
    weight: Column | None
    times: Column | None

    def only(self, rows: Any) -> PricedRows:
        """Keep some of the rows."""
        known = (None if x is None else x[rows] for x in (self.weight, self.times))
        return PricedRows(self.y[rows], [p[rows] for p in self.forecasts], *known)

    def pieces(self) -> Iterator[PricedRows]:
        """Cut the rows into pieces that need little memory."""
        size = max(PIECE // max(len(self.forecasts), 1), 1)
        for start in range(0, max(len(self.y), 1), size):
            yield self.only(slice(start, start + size))

    def lines(self, rules: tuple[Rule, ...]) -> list[dict[str, float]]:
        """Add up what the rows say: those without the event, and those with it."""
        return [self.only(rows).line(rules) for rows in (~self.y, self.y)]

    def line(self, rules: tuple[Rule, ...]) -> dict[str, float]:
        """Add up what each case says."""
        w = None if self.weight is None else self.weight.astype(np.float64)
        amounts = {} if w is None else {"w": w, "w2": w * w}
        terms = chain(amounts.items(), *(self._priced(r, rule, w) for r, rule in enumerate(rules)))
        line: dict[str, float] = {"n": len(self.y) if self.times is None else int(self.times.sum())}
        for name, x in terms:
            line[name] = (x if self.times is None else x * self.times).sum().item()
        return line

    def _priced(self, r: int, rule: Rule, w: Column | None) -> Iterator[tuple[str, Column]]:
        """Price the rows of each model by one rule."""
        loss = [price(rule, self.y, p, classes=False) for p in self.forecasts]
        endless = {(r, j): ~np.isfinite(x) for j, x in enumerate(loss)}
        paid = {(r, j): np.where(endless[r, j], 0.0, x) for j, x in enumerate(loss)}
        if w is not None:
            paid = {key: x * w for key, x in paid.items()}
        pairs = combinations(range(len(loss)), 2)
        return loss_terms(paid, w, endless, {(r, j, k): loss[j] != loss[k] for j, k in pairs})
