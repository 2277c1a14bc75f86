"""Cases removed from the worst on, and a metric of the decisions on those that are kept.

Records of retention curves and of the areas under them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

import numpy as np

from properly._boundary._arrays import as_array, as_floats, as_numbers, check_counts, refuse
from properly._boundary._classes import check_class_rows, is_table
from properly._boundary._labels import as_classes
from properly._boundary._libraries import read_only, to_numpy
from properly._boundary._options import as_number, check_choice
from properly._boundary._record import Record, columns_of, many, plain, printable
from properly.decisions._confusion import kappa_of
from properly.decisions._hard import priced
from properly.errors import DataError
from properly.rules._costs import as_matrix, decide_by_mode
from properly.typing import Column

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from properly._boundary._options import Drawing
    from properly.decisions._hard import Priced
    from properly.rules._costs import Cost, Matrix
    from properly.typing import ArrayLike


Ties: TypeAlias = Literal["stable", "average"]
NamedMetric: TypeAlias = Literal["quadratic_weighted_kappa", "expected_cost"]
Metric: TypeAlias = "NamedMetric | Callable[[Any, Any], float]"
# One number a confusion table, given the tables and what their cells cost.
OfTables: TypeAlias = Callable[[Column, Column], Column]
# Values at some numbers of removed cases, given how many copies of each case there are.
Curve: TypeAlias = Callable[[Column, Column], Column]

KAPPA: NamedMetric = "quadratic_weighted_kappa"
COST: NamedMetric = "expected_cost"
# Not np.arange(0, 0.21, 0.01), which drifts: k / 100 is what 0.07 is read as.
PERCENT: Column = read_only(np.arange(21) / 100)
SHARES = "shares of removed cases"
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


def queue_by(scores: Column, ties: Ties) -> Queue:
    """Put the highest score first; of equal ones the last row, or a block of all of them."""
    row = np.argsort(scores, kind="stable")[::-1]
    if ties == "stable":
        return Queue(row, np.arange(len(row) + 1))
    # Not by differences, which of two infinite scores there are none.
    falls = np.flatnonzero(scores[row][1:] != scores[row][:-1]) + 1
    return Queue(row, np.concatenate([[0], falls, [len(row)]]))


def check_removed(removed: ArrayLike | None) -> Column:
    """Take increasing shares of the cases, two at least; k / 100 up to 0.2 if there are none."""
    if removed is None:
        return PERCENT
    given = to_numpy(as_floats(as_numbers(as_array(removed, SHARES), SHARES)))
    if given.ndim != 1 or len(given) < 2:
        message = f"an area needs a list of two {SHARES} or more; got {given.tolist()}"
        raise DataError(message)
    # Those of single precision stand for the decimals they print as, and -0.0 for 0.
    found = np.array([float(str(share)) for share in given]) + 0.0
    outside = ~((found >= 0) & (found <= 1))
    if outside.any():
        hint = "for percentages, divide by 100 first." if found.max() > 1 else None
        refuse(found, outside, f"{SHARES} must lie between 0 and 1", hint)
    falls = np.flatnonzero(np.diff(found) <= 0)
    if falls.size:
        row = int(falls[0]) + 1
        after = f"row {row} is {found[row]:g}, after {found[row - 1]:g}"
        message = f"{SHARES} must increase; {after}"
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
) -> Priced:
    """Check outcomes and decisions; of class probabilities, the likeliest class is decided for.

    For kappa, which uses no costs, decisions are classes, and squared distances take their place.
    """
    count, names = (None, None) if labels is None else as_classes(labels)
    price: Cost = "quadratic" if metric == KAPPA else cost
    if not is_table(P_or_d):
        return priced(y, P_or_d, price, names or count or _classes_seen(y, P_or_d, cost))
    rows = check_class_rows(y, P_or_d, labels=names, ordered=True)
    classes = int(rows.p.shape[1])
    if count not in (None, classes):
        message = (
            f"class probabilities must have a column for each of {count} classes; got {classes}"
        )
        raise DataError(message)
    return priced(rows.y, decide_by_mode(rows.p), price, classes)


def costs_of(decided: Priced, cost: Cost, metric: Metric) -> Column:
    """Return what the decision on each case costs, also if the metric knows no costs."""
    if metric == KAPPA:
        decided = priced(decided.y, decided.d, cost, len(decided.cost))
    return decided.paid()


def _classes_seen(y: ArrayLike, d: ArrayLike, cost: Cost) -> int:
    """Count classes up to the highest number, two at least, or the rows of a cost matrix."""
    given = {"outcomes": y, "decisions": d}
    for name, column in given.items():
        _refuse_words(column, name)
    if not isinstance(cost, str):
        return int(as_matrix(cost).shape[0])
    return 1 + max(1, *(int(to_numpy(check_counts(x, name)).max()) for name, x in given.items()))


def _refuse_words(column: ArrayLike, name: str) -> None:
    """Refuse labels of classes that nobody has put in order."""
    found = to_numpy(as_array(column, name))
    if found.dtype.kind not in "OSU":
        return
    words = np.array([isinstance(x, str | bytes) for x in found.flat]).reshape(found.shape)
    if words.any():
        refuse(found, words, f"{name} must be class numbers", "labels= gives the classes in order.")


def curve_of(metric: Metric, decided: Priced, queue: Queue) -> Curve:
    """Return what computes a metric of the cases that are kept."""
    if callable(metric):
        return OfRows(queue, decided, metric)
    cell = (decided.y * decided.cost.shape[1] + decided.d)[queue.row]
    return OfCounts(queue, cell, decided.cost, kappa_of if metric == KAPPA else _mean_costs)


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
    cost : numpy array
        What each decision costs, one row a class.
    metric : callable
        A function of confusion tables and the costs of their cells.
    """

    queue: Queue
    cell: Column
    cost: Matrix
    metric: OfTables

    def __call__(self, copies: Column, removed: Column) -> Column:
        """Return the metric at each number of removed cases."""
        return self.metric(self.kept(copies, removed).reshape(-1, *self.cost.shape), self.cost)

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
        cells = self.cost.size
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
    decided : Priced
        Their outcomes and decisions.
    metric : callable
        A function of both that returns a number.
    """

    queue: Queue
    decided: Priced
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


def _mean_costs(counts: Column, cost: Column) -> Column:
    """Return the mean cost in each of several confusion tables."""
    found: Column = np.einsum("gij,ij->g", counts, cost) / counts.sum(axis=(1, 2))
    return found


@dataclass(frozen=True, eq=False, repr=False)
class Retention(Record):
    """A metric of decisions, as the cases with the worst scores are removed.

    Attributes
    ----------
    removed : array
        Shares of the cases that are removed.
    value : array
        The metric of those that are kept.
    kept : array
        How many these are.
    metric : str
        The name of the metric.
    ties : str
        ``"stable"`` or ``"average"``: how cases with equal scores were removed.

    Examples
    --------
    >>> import properly
    >>> curve = properly.retention_curve(
    ...     [0.1, 0.2, 0.9, 0.3], [0, 1, 2, 1], [0, 1, 0, 0], metric="expected_cost",
    ...     removed=[0, 0.25, 0.5]
    ... )
    >>> curve
    Retention(expected_cost with 0 to 50 % removed, area 0.4792)
    >>> curve.kept, curve.value
    (array([4, 3, 2]), array([1.25      , 0.33333333, 0.        ]))
    """

    removed: Column
    value: Column
    kept: Column
    metric: str
    ties: str

    _series = ("removed", "kept", "value")

    @property
    def area(self) -> float:
        """Area under the curve divided by the range of `removed`: a mean of the metric."""
        return area_under(self.removed, self.value)

    @property
    def area_percent(self) -> float:
        """Area under the curve with the removed share in percent, as the paper prints it."""
        return self.area * _width(self.removed)

    def __repr__(self) -> str:
        return f"Retention({_told(self)}, area {self.area:.4g})"

    def to_dict(self) -> dict[str, Any]:
        """Return the curve as lists, its areas, and what was computed."""
        names = (*self._series, "area", "area_percent", "metric", "ties")
        return dict(plain({name: getattr(self, name) for name in names}))


@dataclass(frozen=True)
class AreaEstimate:
    """An area, or the difference of two, and what it is in random replicates.

    Attributes
    ----------
    area : float
        Of the cases themselves.
    mean, standard_deviation : float
        Of the replicates; the squares are divided by one less than their number.
    lower, upper : float
        Quantiles of the replicates: an interval that leaves out equally many on both sides.

    Examples
    --------
    >>> from properly.decisions import AreaEstimate
    >>> AreaEstimate(area=0.5, mean=0.51, standard_deviation=0.02, lower=0.47, upper=0.55)
    AreaEstimate(area=0.5, mean=0.51, standard_deviation=0.02, lower=0.47, upper=0.55)
    """

    area: float
    mean: float
    standard_deviation: float
    lower: float
    upper: float


@dataclass(frozen=True, eq=False, repr=False)
class RetentionStudy(Record):
    """Retention curves of several scores on the same cases and replicates.

    Attributes
    ----------
    curves : dict of Retention by name
        The curve of each score.
    bands : dict of two arrays by name
        For each score, quantiles of the replicates at each removed share, the lower and the upper
        one: between them lie `level` of the values at any one share, not of the whole curves.
    areas : dict of AreaEstimate by name
        The area of each, divided by the range of removed shares.
    differences : dict of AreaEstimate by two names
        For each pair of scores, the area of the first minus that of the second, paired: both are
        computed from the same replicates, so what these have in common cancels.
    drawn_areas : array, one row a replicate, one column a score
        The areas that all means, deviations and intervals are computed from.
    level : float
        Share of the replicates that lie within each interval.
    clusters : int or None
        The number of clusters that were drawn from; None if cases were drawn one by one.

    Examples
    --------
    >>> import properly
    >>> from properly.rules import RPS
    >>> y = [0, 1, 2, 1, 0, 2]
    >>> P = [[0.6, 0.3, 0.1], [0.2, 0.5, 0.3], [0.5, 0.3, 0.2],
    ...      [0.5, 0.4, 0.1], [0.8, 0.1, 0.1], [0.1, 0.4, 0.5]]
    >>> study = properly.decisions.retention_study({"RPS": RPS().loss(y, P)}, y, P, removed=[0,
    ...     0.5], rng=1)
    >>> study
    RetentionStudy(2 scores, quadratic_weighted_kappa with 0 to 50 % removed, 50 replicates)
    >>> study.differences["RPS", "oracle (hard cost)"].area
    0.0
    """

    curves: dict[str, Retention]
    bands: dict[str, tuple[Column, Column]]
    areas: dict[str, AreaEstimate]
    differences: dict[tuple[str, str], AreaEstimate]
    drawn_areas: Column
    level: float
    clusters: int | None = None

    @property
    def area_percent(self) -> dict[str, AreaEstimate]:
        """The areas with the removed share in percent, as the paper prints them."""
        width = _width(self._any.removed)
        return {
            name: AreaEstimate(*(width * x for x in vars(area).values()))
            for name, area in self.areas.items()
        }

    def __repr__(self) -> str:
        scores = many(len(self.curves), "score")
        whole = "" if self.clusters is None else f" of {many(self.clusters, 'cluster')}"
        return f"RetentionStudy({scores}, {_told(self._any)}, {self._drawn}{whole})"

    def __str__(self) -> str:
        shown = {name: printable(name) for name in self.areas}
        wide = max(len(name) for name in shown.values())
        lowest, highest = _percents(self._any)
        below = f"{self._any.metric} over the removed share in percent, {lowest} to {highest}"
        rows = (
            f"{shown[name]:<{wide}}  {area.mean:8.2f} ± {area.standard_deviation:.2f}"
            for name, area in self.area_percent.items()
        )
        return "\n".join([f"Area under {below}: mean ± sd of {self._drawn}", *rows])

    def to_dict(self) -> dict[str, Any]:
        """Return curves, bands, areas, differences and drawn areas as JSON can hold them."""
        numbers = {
            "level": self.level,
            "clusters": self.clusters,
            "curves": self.curves,
            "bands": {
                name: dict(zip(("lower", "upper"), ends, strict=True))
                for name, ends in self.bands.items()
            },
            "areas": self.areas,
            "differences": [
                {"first": first, "second": second} | vars(area)
                for (first, second), area in self.differences.items()
            ],
            "drawn_areas": self.drawn_areas,
        }
        return dict(plain(numbers))

    def _columns(self) -> dict[str, list[Any]]:
        """Return one row a score, with its area."""
        rows = [{"score": name} | vars(area) for name, area in self.areas.items()]
        return columns_of(rows)

    @property
    def _any(self) -> Retention:
        return next(iter(self.curves.values()))

    @property
    def _drawn(self) -> str:
        return many(len(self.drawn_areas), "replicate")


def area_under(share: Column, value: Column) -> float:
    """Return the mean height of the straight lines through points: their area over the range."""
    area = np.diff(share) @ (value[1:] + value[:-1]) / 2
    return float(area / (share[-1] - share[0]))


def study_of(
    curves: dict[str, Retention], values: Column, level: float, clusters: int | None
) -> RetentionStudy:
    """Say how far off areas and their differences may be, given the curves of the replicates.

    The values are those of each replicate, score and removed share, in this order of axes.
    """
    area = {name: curve.area for name, curve in curves.items()}
    drawn, bands = {}, {}
    for (name, curve), found in zip(curves.items(), values.swapaxes(0, 1), strict=True):
        drawn[name] = np.array([area_under(curve.removed, value) for value in found])
        lower, upper = np.quantile(found, _ends(level), axis=0)
        bands[name] = (read_only(lower), read_only(upper))
    areas = {name: _estimate(area[name], drawn[name], level) for name in curves}
    differences = {
        (a, b): _estimate(area[a] - area[b], drawn[a] - drawn[b], level)
        for a, b in combinations(curves, 2)
    }
    columns = np.column_stack(list(drawn.values()))
    return RetentionStudy(curves, bands, areas, differences, columns, level, clusters)


def _estimate(area: float, drawn: Column, level: float) -> AreaEstimate:
    lower, upper = np.quantile(drawn, _ends(level)).tolist()
    return AreaEstimate(area, float(drawn.mean()), float(drawn.std(ddof=1)), lower, upper)


def _ends(level: float) -> tuple[float, float]:
    """Leave out equally many on both sides."""
    return (1 - level) / 2, (1 + level) / 2


def _width(share: Column) -> float:
    """Return how many percent lie between the least and the greatest removed share."""
    return 100 * float(share[-1] - share[0])


def _percents(curve: Retention) -> tuple[str, str]:
    """Write the least and the greatest removed share in percent."""
    lowest, highest = (f"{100 * share:.4g}" for share in curve.removed[[0, -1]])
    return lowest, highest


def _told(curve: Retention) -> str:
    lowest, highest = _percents(curve)
    return f"{curve.metric} with {lowest} to {highest} % removed"
