"""Sums over rows: all that the intervals of scores and the comparison of models need of them.

Counts are whole numbers, which add exactly. Sums are doubles: each piece of rows is added up
pairwise, and pieces by `math.fsum`, so that any order of rows, batches and shards agrees to a
relative 1e-12. Infinite losses are counted apart.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import partial
from itertools import combinations, pairwise
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

from properly._boundary._chunks import share_out
from properly._boundary._text import many
from properly.counts._cases import number_ids
from properly.counts._scoring import price
from properly.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from properly.rules import Rule
    from properly.typing import Column

Key: TypeAlias = tuple[Any, ...]

# Forecasts of a piece of rows, of all models together: what is made of them takes some megabytes.
PIECE = 1 << 18
# What is counted, and therefore whole.
COUNTED = frozenset({"rows", "units", "event_rows", "class_rows", "infinite", "differing"})


@dataclass(frozen=True, eq=False, repr=False)
class ScoreSums:
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
    >>> sums = ScoreSums.of_rows(["a"], [Brier()], y, {"a": p}, None)
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
        weight: Column | None,
        *,
        classes: int | None = None,
        clusters: Column | None = None,
        times: Column | None = None,
    ) -> ScoreSums:
        """Price rows that have been checked, piece by piece.

        Parameters
        ----------
        models : sequence of str
            Which forecasts to price, in order.
        rules : sequence of Rule
            Rules for an event, or for classes.
        y : numpy array
            Booleans, or class numbers.
        forecasts : dict of numpy arrays
            By model, of shape (n,) or (n, K).
        weight : numpy array, optional
            The weight of each row; without it, each weighs 1.
        classes : int, optional
            The number of classes; left out of an event.
        clusters : numpy array, optional
            The cluster of each row.
        times : numpy array of int64, optional
            How many like cases each row stands for; not with clusters.
        """
        columns = [np.asarray(forecasts[name], dtype=np.float64) for name in models]
        outcomes = np.asarray(y, dtype=bool if classes is None else np.intp)
        cluster = None if clusters is None else np.asarray(clusters)
        rows = PricedRows(outcomes, columns, weight, times, cluster).in_use()
        summed = partial(
            PricedRows.sums,
            rules=tuple(rules),
            classes=classes,
            whole=None if cluster is None else math.fsum(rows.weights),
        )
        parts: list[dict[Key, float]] = share_out(summed, list(rows.pieces()))
        keys = keys_of(models, rules, classes, clustered=cluster is not None)
        totals = {key: total_of(key, (part[key] for part in parts)) for key in keys}
        return cls(tuple(models), tuple(rules), classes, clusters is not None, totals)

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

    def __radd__(self, other: int) -> ScoreSums:
        """Let `sum` start from 0."""
        return self if isinstance(other, int) and other == 0 else NotImplemented

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


class PricedRows(NamedTuple):
    """Rows: outcomes, the forecasts of each model, weights, how often they count, and clusters."""

    y: Column
    forecasts: list[Column]
    weight: Column | None
    times: Column | None
    cluster: Column | None

    def only(self, rows: Any) -> PricedRows:
        """Keep some of the rows."""
        known = (None if x is None else x[rows] for x in (self.weight, self.times, self.cluster))
        return PricedRows(self.y[rows], [p[rows] for p in self.forecasts], *known)

    def in_use(self) -> PricedRows:
        """Leave out rows that weigh or count nothing; put clusters together."""
        rows = self
        for amount in ("weight", "times"):
            column = getattr(rows, amount)
            if column is not None and not (column > 0).all():
                rows = rows.only(column > 0)
        if rows.cluster is None:
            return rows
        cluster = number_ids(rows.cluster)
        return rows._replace(cluster=cluster).only(np.argsort(cluster, kind="stable"))

    def pieces(self) -> Iterator[PricedRows]:
        """Cut the rows, but no cluster, into pieces that need little memory."""
        wide = sum(p.shape[1] if p.ndim > 1 else 1 for p in self.forecasts)
        size = max(PIECE // max(wide, 1), 1)
        ends = list(range(size, len(self.y), size))
        if self.cluster is not None:
            ends = sorted(set(np.searchsorted(self.cluster, self.cluster[ends], "left").tolist()))
        for start, stop in pairwise([0, *(x for x in ends if x), len(self.y)]):
            yield self.only(slice(start, stop))

    @property
    def weights(self) -> Column:
        """The weight of each row."""
        ones = np.ones(len(self.y))
        return ones if self.weight is None else self.weight.astype(np.float64)

    def gathered(self, x: Column) -> Column:
        """Add up over each cluster; single rows stay as they are."""
        if self.cluster is None:
            return x
        first = np.flatnonzero(np.diff(self.cluster, prepend=-1))
        return np.asarray(np.add.reduceat(x, first))

    def count(self, some: Column) -> int:
        """Count the cases of some rows."""
        return int(np.count_nonzero(some) if self.times is None else self.times[some].sum())

    def total(self, x: Column, some: Column | None = None) -> float:
        """Add up what each case adds, or each cluster; or the cases of some rows."""
        x = x if self.times is None else x * self.times
        return float((x if some is None else x[some]).sum())

    def sums(
        self, rules: tuple[Rule, ...], classes: int | None, whole: float | None
    ) -> dict[Key, float]:
        """Find all sums; of clusters, given the weight of all."""
        w, every = self.weights, np.full(len(self.y), True)
        unit = self.gathered(w)
        totals: dict[Key, float] = {
            ("rows",): self.count(every),
            ("units",): self.count(every) if self.cluster is None else len(unit),
            ("weight",): self.total(unit),
            ("weight2",): self.total(unit * unit),
            ("row_squares",): self.total(w * w),
        }
        root = np.ones(1) if whole is None else _roots(unit, whole)
        unit = unit * root
        if whole is not None:
            totals["corrected2",] = self.total(unit**2)
            totals["corrected4",] = self.total(unit**4)
        totals |= self._outcomes(w, unit, root) if classes is None else self._classes(w, classes)
        for r, rule in enumerate(rules):
            totals |= self._losses(w, (unit, root), r, rule, classes)
        return totals

    def _outcomes(self, w: Column, unit: Column, root: Column) -> dict[Key, float]:
        event = self.gathered(np.where(self.y, w, 0.0))
        own = event * root
        return {
            ("event_rows",): self.count(self.y),
            ("event",): self.total(event),
            ("event2",): self.total(own * own),
            ("event_weight",): self.total(own * unit),
            ("event_squares",): self.total(w * w, self.y),
        }

    def _classes(self, w: Column, classes: int) -> dict[Key, float]:
        totals: dict[Key, float] = {}
        for k in range(classes):
            own = self.y == k
            totals["class", k] = self.total(w, own)
            totals["class_rows", k] = self.count(own)
            totals["class_squares", k] = self.total(w * w, own)
        return totals

    def _losses(
        self, w: Column, units: tuple[Column, Column], r: int, rule: Rule, classes: int | None
    ) -> dict[Key, float]:
        """Price the rows of each model, and add up what a rule says.

        Units have their weights, and the roots that their sums are multiplied by.
        """
        totals: dict[Key, float] = {}
        unit, root = units
        loss = [price(rule, self.y, p, classes=classes is not None) for p in self.forecasts]
        paid, event = [], None if classes else self.gathered(np.where(self.y, w, 0.0)) * root
        for j, row in enumerate(loss):
            endless = ~np.isfinite(row)
            amount = w * np.where(endless, 0.0, row)
            amounts = self.gathered(amount)
            paid.append(amounts * root)
            totals["infinite", r, j] = self.count(endless)
            totals["infinite_weight", r, j] = self.total(w, endless)
            totals["loss", r, j] = self.total(amounts)
            totals["loss2", r, j] = self.total(paid[j] * paid[j])
            totals["loss_weight", r, j] = self.total(paid[j] * unit)
            if event is not None:
                totals["loss_event", r, j] = self.total(paid[j] * event)
            for k in range(classes or 0):
                totals["loss_class", r, j, k] = self.total(amount * w, self.y == k)
        for j, k in combinations(range(len(loss)), 2):
            apart = paid[j] - paid[k]
            totals["apart2", r, j, k] = self.total(apart * apart)
            totals["differing", r, j, k] = self.count(loss[j] != loss[k])
        return totals


def _roots(unit: Column, whole: float) -> Column:
    """Return the roots of one over one minus the share of each cluster; 0 if it has all weight."""
    rest = 1 - unit / whole
    return np.sqrt(np.divide(1.0, rest, out=np.zeros(len(rest)), where=rest > 0))
