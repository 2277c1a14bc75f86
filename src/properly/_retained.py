"""Cases removed from the worst on, and a metric of the decisions on those that are kept."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

import numpy as np

from properly._arrays import as_array, check_counts, check_forecasts, check_length
from properly._classes import as_classes, check_class_rows, class_numbers, is_table
from properly._costs import cost_matrix, decide_by_mode
from properly._interval import as_number
from properly._libraries import read_only, to_numpy
from properly._options import check_choice
from properly.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from properly._costs import Cost, Matrix
    from properly._options import Drawing
    from properly.typing import ArrayLike

Column: TypeAlias = np.ndarray[Any, Any]
Ties: TypeAlias = Literal["stable", "average"]
NamedMetric: TypeAlias = Literal["quadratic_weighted_kappa", "expected_cost"]
Metric: TypeAlias = "NamedMetric | Callable[[Any, Any], float]"
# Values at some numbers of removed cases, given how many copies of each case there are.
Curve: TypeAlias = Callable[[Column, Column], Column]

KAPPA: NamedMetric = "quadratic_weighted_kappa"
COST: NamedMetric = "expected_cost"
# Not np.arange(0, 0.21, 0.01), which drifts: k / 100 is what 0.07 is read as.
PERCENT: Column = read_only(np.arange(21) / 100)
# A number of cases that is this close to a whole one, of its size, was meant to be whole.
ROUNDING = 1e-12


class Queue(NamedTuple):
    """Rows in the order in which they are removed, in blocks whose cases go in random order.

    Attributes
    ----------
    row : numpy array
        The rows, the first to be removed first.
    start : numpy array
        Where in that order each block begins, and the number of rows at the end.
    """

    row: Column
    start: Column


class Decided(NamedTuple):
    """Class and decision of each case, by number, the number of classes, and what mistakes cost."""

    y: Column
    d: Column
    classes: int
    cost: Matrix

    def hard_costs(self) -> Column:
        """Return what the decision on each case costs."""
        return self.cost[self.y, self.d]


def queue_by(scores: Column, ties: Ties) -> Queue:
    """Put the highest score first; of equal ones the last row, or a block of all of them."""
    row = np.argsort(scores, kind="stable")[::-1]
    if ties == "stable":
        return Queue(row, np.arange(len(row) + 1))
    falls = np.flatnonzero(np.diff(scores[row])) + 1
    return Queue(row, np.concatenate([[0], falls, [len(row)]]))


def check_removed(removed: ArrayLike | None) -> Column:
    """Take increasing shares of the cases, two at least; k / 100 up to 0.2 if there are none."""
    if removed is None:
        return PERCENT
    given = to_numpy(check_forecasts(removed, "shares of removed cases"))
    # Those of single precision stand for the decimals they print as.
    found = np.array([float(str(share)) for share in given])
    if len(found) < 2:
        message = f"an area needs two shares of removed cases or more; got {found.tolist()}"
        raise DataError(message)
    falls = np.flatnonzero(np.diff(found) <= 0)
    if falls.size:
        row = int(falls[0]) + 1
        after = f"row {row} is {found[row]:g}, after {found[row - 1]:g}"
        message = f"shares of removed cases must increase; {after}"
        raise DataError(message)
    return found


def numbers_removed(share: Column, cases: int) -> Column:
    """Round shares of the cases down to whole numbers of them, and keep one case at least."""
    exact = share * cases
    nearest = np.rint(exact)
    whole = np.abs(exact - nearest) <= ROUNDING * np.maximum(nearest, 1)
    rounded = np.where(whole, nearest, np.floor(exact)).astype(np.intp)
    found: Column = np.minimum(rounded, cases - 1)
    return found


def draw_copies(drawing: Drawing, cases: int, cluster: Column | None) -> Iterator[Column]:
    """Draw cases, or whole clusters, with replacement; yield how often each case was drawn."""
    units = cases if cluster is None else int(cluster.max()) + 1
    for _ in range(drawing.replicates):
        times = np.bincount(drawing.rng.integers(0, units, units), minlength=units)
        yield times if cluster is None else times[cluster]


def decided_on(
    y: ArrayLike,
    P_or_d: ArrayLike,
    labels: int | Iterable[object] | None,
    cost: Cost,
    metric: Metric,
) -> Decided:
    """Check outcomes and decisions; of class probabilities, the likeliest class is decided for."""
    count, names = (None, None) if labels is None else as_classes(labels)
    if is_table(P_or_d):
        found = _likeliest(y, P_or_d, count, names, cost)
    else:
        known = names or count or _classes_seen(y, P_or_d, cost)
        found = _given(y, P_or_d, known, cost, metric)
    columns, last = found.cost.shape[1], int(found.d.max())
    if last >= columns:
        message = f"costs must have a column for every decision; got {columns}, and decision {last}"
        raise DataError(message)
    return found


def _likeliest(
    y: ArrayLike, p: ArrayLike, count: int | None, names: tuple[Any, ...] | None, cost: Cost
) -> Decided:
    rows = check_class_rows(y, p, labels=names, ordered=True)
    classes = int(rows.p.shape[1])
    if count not in (None, classes):
        message = (
            f"class probabilities must have a column for each of {count} classes; got {classes}"
        )
        raise DataError(message)
    d = to_numpy(decide_by_mode(rows.p))
    return Decided(to_numpy(rows.y), d, classes, cost_matrix(cost, classes))


def _given(
    y: ArrayLike, d: ArrayLike, known: int | tuple[Any, ...], cost: Cost, metric: Metric
) -> Decided:
    classes = as_classes(known)[0]
    matrix = cost_matrix(cost, classes)
    # A matrix may price more decisions than there are classes, such as to abstain.
    more = metric == COST and matrix.shape[1] != classes
    number = class_numbers(y, known)
    decision = class_numbers(d, matrix.shape[1] if more else known, "decisions")
    check_length(number, decision, "outcomes", "decisions")
    return Decided(number, decision, classes, matrix)


def _classes_seen(y: ArrayLike, d: ArrayLike, cost: Cost) -> int:
    """Count classes up to the highest number, two at least, or the rows of a cost matrix."""
    if not isinstance(cost, str):
        return int(as_array(cost, "costs").shape[0])
    seen = check_counts(y, "outcomes"), check_counts(d, "decisions")
    return 1 + max(1, *(int(to_numpy(x).max()) for x in seen))


def curve_of(metric: Metric, decided: Decided, queue: Queue) -> Curve:
    """Return what computes a metric of the cases that are kept."""
    if callable(metric):
        return OfRows(queue, decided, metric)
    columns = decided.classes if metric == KAPPA else decided.cost.shape[1]
    cell = (decided.y * columns + decided.d)[queue.row]
    cost = None if metric == KAPPA else decided.cost
    return OfCounts(queue, cell, (decided.classes, columns), cost)


def check_metric(metric: Metric, ties: Ties) -> str:
    """Take a metric by its name, or a function; return what it is called."""
    check_choice(ties, ("stable", "average"), "ties")
    if not callable(metric):
        return check_choice(metric, (KAPPA, COST), "a metric that is no function")
    name = getattr(metric, "__name__", repr(metric))
    if ties == "average":
        message = f"a function needs cases in one order, so ties='stable'; got 'average' for {name}"
        raise DataError(message, hint=f"the mean is known for {KAPPA!r} and {COST!r}.")
    return str(name)


@dataclass(frozen=True, eq=False)
class OfCounts:
    """A metric of confusion counts, which are added up between the cuts: all cuts in one pass.

    Attributes
    ----------
    queue : Queue
        The order of the cases.
    cell : numpy array
        The cell of the confusion table that each case belongs to, in that order.
    shape : pair of int
        Numbers of classes and of decisions.
    cost : numpy array or None
        What mistakes cost; quadratic weighted kappa is computed if there is none.
    """

    queue: Queue
    cell: Column
    shape: tuple[int, int]
    cost: Matrix | None

    def __call__(self, copies: Column, removed: Column) -> Column:
        """Return the metric at each number of removed cases."""
        counts = self.kept(copies, removed).reshape(-1, *self.shape)
        if self.cost is None:
            return quadratic_kappas(counts)
        found: Column = np.einsum("gij,ij->g", counts, self.cost) / counts.sum(axis=(1, 2))
        return found

    def kept(self, copies: Column, removed: Column) -> Column:
        """Count the kept cases in each cell, a row for each number of removed ones.

        Of a block that is removed in part, each cell loses its share. A case whose copies are
        removed in part is such a block too, and its share is a whole number.
        """
        copies = copies[self.queue.row]
        passed = np.zeros(len(copies) + 1, dtype=np.intp)
        np.cumsum(copies, out=passed[1:])
        passed = passed[self.queue.start]
        block = np.searchsorted(passed, removed, side="right") - 1
        start, end = self.queue.start[block], self.queue.start[block + 1]
        before, after, total = self._counts_before(start, end, copies)
        size, staying = (passed[block + 1] - x for x in (passed[block], removed))
        # A sum of terms that are zero or more, so that nothing is left of what is gone.
        found: Column = (total - after) + (after - before) * staying[:, None] / size[:, None]
        return found

    def _counts_before(self, start: Column, end: Column, copies: Column) -> tuple[Column, ...]:
        """Count cases in each cell before some places in the order, and in all."""
        place = np.concatenate([start, end, [len(copies)]])
        edge, back = np.unique(place, return_inverse=True)
        segment = np.repeat(np.arange(len(edge)), np.diff(edge, prepend=0))
        cells = math.prod(self.shape)
        flat = np.bincount(segment * cells + self.cell, copies, len(edge) * cells)
        counts = flat.reshape(-1, cells).cumsum(axis=0)[back]
        return counts[: len(start)], counts[len(start) : -1], counts[-1]


@dataclass(frozen=True, eq=False)
class OfRows:
    """A metric of outcomes and decisions, computed anew of the rows that are kept at each cut.

    Attributes
    ----------
    queue : Queue
        The order of the cases, one by one.
    decided : Decided
        Their outcomes and decisions.
    metric : callable
        A function of both that returns a number.
    """

    queue: Queue
    decided: Decided
    metric: Callable[[Any, Any], float]

    def __call__(self, copies: Column, removed: Column) -> Column:
        """Return the metric at each number of removed cases."""
        return np.array([self._at(copies, int(gone)) for gone in removed])

    def _at(self, copies: Column, removed: int) -> float:
        drawn = copies[self.queue.row]
        kept = np.empty_like(drawn)
        kept[self.queue.row] = np.clip(np.cumsum(drawn) - removed, 0, drawn)
        y, d = (np.repeat(x, kept) for x in (self.decided.y, self.decided.d))
        return as_number(self.metric(y, d), "value of the metric")


def quadratic_kappas(counts: Column) -> Column:
    """Return quadratic weighted kappa of confusion tables, NaN where it is 0 / 0."""
    place = np.arange(counts.shape[1])
    apart = (place[:, None] - place) ** 2
    total, truth, decision = (counts.sum(axis=axes) for axes in ((1, 2), 2, 1))
    observed = np.einsum("gij,ij->g", counts, apart)
    by_chance = np.einsum("gi,ij,gj->g", truth, apart, decision) / total
    undefined = np.full(len(counts), np.nan)
    found: Column = 1 - np.divide(observed, by_chance, out=undefined, where=by_chance > 0)
    return found
