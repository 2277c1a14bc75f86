r"""The gain of a map: what it would save on new cases, with an interval, by cross-fitting.

Each case is recalibrated by a map that was fitted without it. Folds hold whole clusters, or blocks
of time; a fold of single cases would leak what a cluster has in common. All maps are fitted on the
same folds, of which each training part is counted once.

The gain is a comparison, case by case, of forecasts as they are with cross-fitted ones. Its
interval reaches further upwards than downwards: :math:`g - t \cdot se` to
:math:`g + \omega t \cdot se` with :math:`\omega = \sqrt{1 + K / (K - 1)}` and K folds, since folds
that share training cases make the estimate too pessimistic where there is little to gain. Under
rules with point masses, at which few cases change sides, it reaches as far downwards.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Literal, NamedTuple, get_args

import numpy as np

from properly._boundary._arrays import check_column, require_present
from properly._boundary._chunks import one_blas_thread, share_out
from properly._boundary._libraries import to_library_of, to_numpy
from properly._boundary._notices import collected, notice
from properly._boundary._options import as_generator, check_choice, check_whole
from properly._boundary._record import Record
from properly._boundary._text import many, percent
from properly.comparison._differences import score_models
from properly.comparison._pair_tests import Options, PairScores, margins
from properly.counts._calls import takes_rows
from properly.counts._cases import Cases, numbered, some_cases, weights_of, with_forecasts
from properly.counts._pooling import order_of, pool_sorted
from properly.counts._tally import Tally, tally_of_sums
from properly.errors import ArgumentTypeError, DataError
from properly.inference._design import Design, number_times, one_dependence
from properly.inference._logistic import starts_of_neighbours
from properly.inference._shares import student
from properly.recalibration._map import Map
from properly.recalibration._training import Sample
from properly.rules import Brier, Interval, Log, Regret, Rule
from properly.typing import Array, ArrayLike, Column

Scheme = Literal["blocks", "forward"]
FOLDS, BLOCKS = 10, 5
# More clusters than this are as good as balanced by chance.
MANY_CLUSTERS = 1 << 17
# Three times as many distinct forecasts, and more, are joined into about as many cells.
CELLS = 1 << 13
# Cases of a tally that are written out one by one.
MOST_ROWS = 10**8


class FoldSplit(NamedTuple):
    """Which cases are judged together, and which ones their map is fitted to.

    Attributes
    ----------
    fold : numpy array
        The number of the fold of each case, from 0; -1 if it is in none.
    folds : int
        How many folds there are.
    parts : tuple of numpy arrays or None
        Which cases the map of each fold is fitted to; None: all that are not in it.
    """

    fold: Column
    folds: int
    parts: tuple[Column, ...] | None = None

    def training(self, k: int) -> Column:
        """Tell which cases the map of a fold is fitted to."""
        return self.fold != k if self.parts is None else self.parts[k]

    def judged(self, cases: Cases) -> tuple[Cases, Column | slice]:
        """Return the cases that are in a fold, and which of all they are."""
        rows = np.flatnonzero(self.fold >= 0)
        if len(rows) == len(cases):
            return cases, slice(None)
        return some_cases(cases, rows), rows


@dataclass(frozen=True)
class Folding:
    """How to fold: how many times or by which labels, and what to do with times."""

    folds: int | ArrayLike | None = None
    scheme: Scheme = "blocks"
    horizon: int = 1

    def __post_init__(self) -> None:
        check_choice(self.scheme, get_args(Scheme), "scheme")
        check_whole(self.horizon, "horizon")

    @property
    def labels(self) -> ArrayLike | None:
        """The label of each case's fold, if they were given."""
        return self.folds if hasattr(self.folds, "__len__") else None

    def of(self, cases: Cases, rng: np.random.Generator) -> FoldSplit:
        """Fold cases: by labels, blocks of time, whole clusters, or one by one."""
        if self.labels is not None:
            return _by_labels(cases, self.labels)
        # Of clusters by times, clusters stay whole; what a time has in common is on both sides.
        timed = cases.time is not None and cases.clusters is None
        usual = BLOCKS if timed else FOLDS
        count = usual if self.folds is None else check_whole(self.folds, "folds")
        if count < 2:
            message = f"folds must be two or more; got {count}"
            raise DataError(message)
        if self.scheme == "forward" and not timed:
            what, hint = (
                "needs the time of each case; these cases have none",
                "pass time= with them.",
            )
            if cases.time is not None:
                what = "cuts times, and folds keep clusters whole; these cases have both"
                hint = "make Cases with time alone."
            message = f'scheme="forward" {what}'
            raise DataError(message, hint=hint)
        count = min(count, _most_folds(cases))
        if timed:
            return _by_time(number_times(to_numpy(cases.time)), count, self)
        return _by_cluster(cases, count, rng)


def _most_folds(cases: Cases) -> int:
    """Return how many folds leave both outcomes, or all classes but rare ones, in every part."""
    y = to_numpy(cases.y)[weights_of(cases) > 0]
    if cases.classes is not None:
        least, what = len(y) // 2, "cases"
    else:
        events = int(np.count_nonzero(y))
        least = min(events, len(y) - events)
        what = "events" if events == least else "non-events"
    if least // 2 < 2:
        message = f"with {least} {what if least != 1 else what[:-1]} no map can be judged"
        raise DataError(message, hint="two folds with two of each outcome are the least.")
    return least // 2


def _by_labels(cases: Cases, labels: ArrayLike) -> FoldSplit:
    label = to_numpy(check_column(labels, "folds", cases.p))
    require_present(label, "folds")
    fold, names = numbered(label)
    if len(names) < 2:
        message = "cross-fitting needs two folds or more; got one"
        raise DataError(message)
    if cases.clusters is not None:
        cluster = numbered(to_numpy(cases.clusters))[0]
        last = np.zeros(cluster.max() + 1, dtype=np.intp)
        last[cluster] = fold
        if (last[cluster] != fold).any():
            name = to_numpy(cases.clusters).tolist()[np.flatnonzero(last[cluster] != fold)[0]]
            message = f"a cluster must lie in one fold; cluster {name!r} lies in several"
            raise DataError(message, hint="folds that cut clusters leak what they have in common.")
    return FoldSplit(fold, len(names))


def _by_cluster(cases: Cases, count: int, rng: np.random.Generator) -> FoldSplit:
    """Shuffle clusters, or cases, into folds of about equally many cases."""
    if cases.clusters is None:
        fold = np.empty(len(cases), dtype=np.int16)
        fold[rng.permutation(len(cases))] = np.arange(len(cases)) % count
        return FoldSplit(fold, count)
    cluster, names = numbered(to_numpy(cases.clusters))
    if len(names) < 2:
        message = "cross-fitting needs two clusters or more; got one"
        raise DataError(message)
    count = min(count, len(names))
    order, size = rng.permutation(len(names)), np.bincount(cluster)
    place = np.arange(len(names)) % count
    if len(names) <= MANY_CLUSTERS:
        # Each goes to the fold that has the fewest cases so far.
        heap = [(0, k) for k in range(count)]
        for i, cases_of_it in enumerate(size[order].tolist()):
            total, k = heap[0]
            place[i] = k
            heapq.heapreplace(heap, (total + cases_of_it, k))
    fold = np.empty(len(names), dtype=np.int16)
    fold[order] = place
    return FoldSplit(fold[cluster], count)


def _by_time(time: Column, count: int, folding: Folding) -> FoldSplit:
    """Cut times into blocks of about equally many cases; ties stay together."""
    size = np.bincount(time)
    count = min(count, len(size))
    if count < 2:
        message = "blocks of time need two times or more; got one"
        raise DataError(message)
    middle = np.cumsum(size) - size / 2
    block = np.minimum((middle * count / size.sum()).astype(np.intp), count - 1)
    block = np.unique(block, return_inverse=True)[1]
    count, fold, gap = int(block.max()) + 1, block[time], folding.horizon - 1
    parts = []
    for k in range(count):
        first, last = np.flatnonzero(block == k)[[0, -1]]
        before, after = time < first - gap, time > last + gap
        parts.append(before if folding.scheme == "forward" else before | after)
    if folding.scheme == "forward":
        return FoldSplit(fold - 1, count - 1, tuple(parts[1:]))
    return FoldSplit(fold, count, tuple(parts))


class SortedRows(NamedTuple):
    """Rows of an event in the order of their forecasts, so that each part is counted in a pass.

    Attributes
    ----------
    order : numpy array
        The rows in the order of their forecasts.
    y, p : numpy array
        Outcomes and forecasts in that order.
    weight : numpy array or None
        The weight of each row, as they came.
    value : numpy array
        The distinct forecasts; of very many the means of cells, but for those at either end.
    outcome : numpy array
        Twice the number of the cell of each row, as they came, plus 1 for an event.
    """

    order: Column
    y: Column
    p: Column
    weight: Column | None
    value: Column
    outcome: Column

    @classmethod
    def of(cls, cases: Cases) -> SortedRows:
        p = to_numpy(cases.p).astype(np.float64)
        order = order_of(p)
        p, y = p[order], to_numpy(cases.y)[order]
        is_new = np.append(True, p[1:] > p[:-1])
        value, outcome = p[is_new], np.empty(len(p), dtype=np.int32)
        starts = starts_of_neighbours(len(value), max(1, len(value) // CELLS - 1))
        size = np.diff(starts, append=len(value))
        cell = np.repeat(np.arange(len(size), dtype=np.int32), size)
        outcome[order] = 2 * cell[np.cumsum(is_new) - 1] + y
        mean = np.add.reduceat(value, starts) / size
        mean = np.clip(mean, value[starts], value[starts + size - 1])
        weight = None if cases.weight is None else weights_of(cases)
        return cls(order, y, p, weight, mean, outcome)

    def tally(self, rows: Column | slice) -> Tally:
        """Count some of the rows, given which ones in their sorted order."""
        y, p = self.y[rows], self.p[rows]
        if self.weight is not None:
            return Tally.from_arrays(y, p, self.weight[self.order[rows]])
        ones = np.broadcast_to(np.int64(1), p.shape)
        return tally_of_sums(pool_sorted(p, [ones, y.astype(np.int64)]))

    def in_cells(self, rows: Column) -> Tally:
        """Count some of the rows by cells, given which ones as they came."""
        outcome = self.outcome[rows]
        if self.weight is not None:
            return Tally.from_arrays(outcome % 2, self.value[outcome // 2], self.weight[rows])
        sums = np.bincount(outcome, minlength=2 * len(self.value)).reshape(-1, 2)
        columns = (self.value, sums.sum(axis=1), sums[:, 1])
        return tally_of_sums([x[columns[1] > 0] for x in columns])


class Attempt(NamedTuple):
    """Cross-fitted forecasts of a map, or why there are none; and the map fitted to all cases."""

    forecasts: Column | None
    reason: str
    fitted: Map | None


def need_rows(cases: Cases, maps: Sequence[Map]) -> bool:
    """Tell whether counts of outcomes at each forecast are not enough for some of the maps."""
    return cases.classes is not None or any(one.needs_rows for one in maps)


def cross_forecasts(
    cases: Cases, maps: Sequence[Map], split: FoldSplit, *, are_near: bool = False
) -> list[Attempt]:
    """Fit each map on the cases outside each fold, and apply it to those inside.

    Lines of the log odds are fitted to cells. Fits of the folds begin at those to all cases, which
    are near; or at the maps as they are, if these were fitted to nearly the same cases.
    """
    rows = None if need_rows(cases, maps) else SortedRows.of(cases)
    results = [np.full(np.shape(cases.p), np.nan) for _ in maps]
    reasons = [""] * len(maps)
    with one_blas_thread(), collected():
        whole = cases if rows is None else rows.tally(slice(None))
        fitted = [one if are_near else _fit(one, whole) for one in maps]

    def fill(k: int) -> None:
        inside, training = split.fold == k, split.training(k)
        judged = some_cases(cases, np.flatnonzero(inside))
        part: Tally | Cases
        cells: Tally | Cases
        if rows is None:
            part = cells = some_cases(cases, np.flatnonzero(training))
        else:
            part, cells = rows.tally(training[rows.order]), rows.in_cells(training)
        for i, one in enumerate(maps):
            if reasons[i]:
                continue
            try:
                near = (fitted[i] or one).fit(cells if one.fits_cells else part)
                results[i][inside] = near.on_cases(judged)
            except DataError as error:
                reasons[i] = str(error).partition("\n")[0]

    with one_blas_thread(), collected():
        share_out(fill, range(split.folds), 2)
    return [
        Attempt(None if reason else q, reason, one)
        for q, reason, one in zip(results, reasons, fitted, strict=True)
    ]


def _fit(one: Map, whole: Tally | Cases) -> Map | None:
    """Fit a map to all cases, if that can be done; its folds will say why not."""
    try:
        return one.fit(whole)
    except DataError:
        return None


def as_rows(source: object) -> Cases:
    """Take cases; write the counts of a tally out, as independent cases."""
    if isinstance(source, Cases):
        return source
    if not isinstance(source, Tally):
        message = f"folds need Cases; got {type(source).__name__}"
        raise ArgumentTypeError(message, hint="write properly.Cases(y, p).")
    if source.event_squares is not None or int(source.total) > MOST_ROWS:
        message = "folds need cases one by one; this tally has weights or is too large"
        raise DataError(message, hint="write properly.Cases(y, p, weight=weight).")
    notice("cases of a tally are taken as independent: clusters and times are lost")
    sample = Sample.of(source)
    none = sample.weight - sample.events
    value, times = np.tile(sample.value, 2), np.append(sample.events, none).astype(np.intp)
    y = np.repeat([True, False], [int(sample.events.sum()), int(none.sum())])
    return Cases(y, np.repeat(value, times))


@dataclass(frozen=True, eq=False, repr=False, init=False)
class CrossFitted(Cases):
    """Cases with forecasts that a map has made which was fitted without them.

    Attributes
    ----------
    folds : numpy array
        The number of each case's fold.

    Examples
    --------
    >>> import properly
    >>> crash = properly.datasets.crash()
    >>> shift = properly.recalibration.Intercept()
    >>> properly.cross_fit(crash.died, crash.forecasts["forest"], shift, folds=5).folds.max()
    np.int16(4)
    """

    folds: Any = None

    @classmethod
    def of(cls, cases: Cases, p: Array, folds: Column) -> CrossFitted:
        """Replace the forecasts of cases, and remember their folds."""
        result = object.__new__(cls)
        for name, value in vars(with_forecasts(cases, p)).items():
            object.__setattr__(result, name, value)
        object.__setattr__(result, "folds", folds)
        return result

    def __repr__(self) -> str:
        text = super().__repr__().removeprefix("Cases(").removesuffix(")")
        return f"CrossFitted({text}; {many(int(self.folds.max()) + 1, 'fold')})"


@takes_rows
def cross_fit(
    cases: Cases,
    map: Map,  # noqa: A002
    *,
    folds: int | ArrayLike | None = None,
    scheme: Scheme = "blocks",
    horizon: int = 1,
    rng: int | np.random.Generator | None = 0,
) -> CrossFitted:
    """Recalibrate each case by a map that was fitted without it.

    The result is made of honest forecasts: whatever is evaluated with them, by `decompose`,
    `compare`, `decision_curve` and others, is what the map does on new cases.

    Parameters
    ----------
    cases : Cases
        Outcomes and forecasts, with clusters or times if there are any. With both, folds hold whole
        clusters.
    map : Map
        The map to fit, such as ``Isotonic()`` of `properly.recalibration`.
    folds : int or array-like, optional
        How many folds, or the label of each case's fold. Unless said otherwise 10, or 5 blocks of
        time; fewer if there are fewer clusters, or few events.
    scheme : {"blocks", "forward"}
        With times: fit on all other blocks, or on those before alone. The first block then has no
        map, and its cases are left out.
    horizon : int
        With times: how many periods ahead forecasts are. As many less one are left out of the fit
        on both sides of a block.
    rng : int or numpy Generator, optional
        Seed or source of the randomness of folds.

    Returns
    -------
    CrossFitted
        The same cases with other forecasts, and their `folds`.

    Examples
    --------
    >>> import properly
    >>> from properly.recalibration import Logistic
    >>> crash = properly.datasets.crash()
    >>> cases = properly.Cases(crash.died, crash.forecasts["balanced_boosting"],
    ...     clusters=crash.cluster)
    >>> repaired = properly.cross_fit(cases, Logistic())
    >>> repaired
    CrossFitted(8879 rows with clusters; 10 folds)
    >>> round(properly.decompose(repaired, properly.rules.Brier()).score, 5)
    0.03386
    """
    cases, map_ = as_rows(cases), require_map(map)
    split = Folding(folds, scheme, horizon).of(cases, as_generator(rng))
    (attempt,) = cross_forecasts(cases, [map_], split)
    if attempt.forecasts is None:
        raise DataError(attempt.reason, hint="so it was in a fold; take fewer folds.")
    q = to_library_of(attempt.forecasts, cases.p)
    judged, rows = split.judged(cases)
    return CrossFitted.of(judged, q[rows], split.fold[rows])


def require_map(x: object) -> Map:
    """Refuse what is no map, and the class of one."""
    if isinstance(x, Map):
        return x
    if isinstance(x, type) and issubclass(x, Map):
        message = f"a map is an object; got the class {x.__name__}"
        raise ArgumentTypeError(message, hint=f"write {x.__name__}().")
    message = f"this needs a map; got {x!r}"
    raise ArgumentTypeError(message, hint="write Logistic() of properly.recalibration.")


# Forecasts exactly at a threshold, as a share of the cases, that are worth a word.
AT_THRESHOLD = 0.01


@dataclass(frozen=True, eq=False, repr=False)
class Gain(Record):
    """What a map would save on new cases.

    Attributes
    ----------
    map : str
        The kind of map.
    rule : str
        The rule.
    estimate : float
        The mean loss that it saves; negative if it does harm.
    standard_error, degrees : float
        Its standard error, and the degrees of freedom of that.
    interval : pair of floats
        Its interval; NaN if nothing changes, or if losses are infinite.
    level : float
        The confidence level of the interval, which is of the expected gain.
    folds : int
        The number of folds.
    design : str
        How cases were taken to be sampled.
    mean_change : float
        By how much forecasts change, on average.
    in_sample : float
        What it would seem to save on the very cases that it was fitted to.
    nested : bool
        Whether the choice of the map was repeated in each fold, so that it does not flatter.

    Examples
    --------
    >>> import properly
    >>> from properly.recalibration import Isotonic, recalibration_gain
    >>> crash = properly.datasets.crash()
    >>> gain = recalibration_gain(crash.died, crash.forecasts["logistic"], Isotonic())
    >>> round(gain.in_sample, 5), round(gain.estimate, 5)
    (0.00163, 3e-05)
    """

    map: str
    rule: str
    estimate: float
    standard_error: float
    degrees: float
    interval: tuple[float, float]
    level: float
    folds: int
    design: str
    mean_change: float
    in_sample: float
    nested: bool = False

    @property
    def is_clear(self) -> bool:
        """Whether the whole interval is above zero."""
        return self.interval[0] > 0

    def stored(self) -> dict[str, Any] | None:
        """Return what a map's file says about it; an infinite gain it does not."""
        low, high = self.interval
        if not all(map(math.isfinite, (self.estimate, low, high))):
            return None
        names = ("rule", "folds", "design", "estimate", "nested")
        return {name: getattr(self, name) for name in names} | {"low": low, "high": high}

    def __repr__(self) -> str:
        return f"Gain({self.map}: {self})"

    def __str__(self) -> str:
        """Say it in a line."""
        low, high = self.interval
        if math.isnan(low):
            return f"{self.estimate:.4g} of the {self.rule} score, no interval"
        sure = f"{100 * self.level:g} % interval"
        return f"{self.estimate:.4g} of the {self.rule} score ({sure} {low:.4g} to {high:.4g})"


class Differences(NamedTuple):
    """Mean losses of forecasts of the same cases, their differences and standard errors.

    Attributes
    ----------
    score : numpy array
        The mean loss of each.
    value, error : numpy array
        Row minus column.
    degrees : float
        Degrees of freedom.
    """

    score: Column
    value: Column
    error: Column
    degrees: float


def differences(cases: Cases, forecasts: Sequence[Column], rule: Rule) -> Differences:
    """Compare forecasts of the same cases, all with all, as `properly.compare` does."""
    cases = one_dependence(cases)
    models = {str(k): with_forecasts(cases, q, lent=True) for k, q in enumerate(forecasts)}
    pairs = tuple(combinations(range(len(forecasts)), 2))
    scored = score_models(models, rule, Design.of(cases), pairs)
    compared = PairScores(pairs, scored, Options.of(rule, 0.95, 0))
    margin, difference = margins(compared), compared.differences()
    size = len(forecasts)
    value, error = np.zeros((size, size)), np.zeros((size, size))
    first, second = compared.ends
    value[first, second], value[second, first] = difference, -difference
    error[first, second] = error[second, first] = margin.error
    return Differences(scored.value, value, error, float(compared.degrees))


def default_rule(cases: Cases, within: Interval | tuple[float, float] | None) -> Rule:
    """Return mean regret over a range; else the log score, unless a certain forecast was wrong."""
    if within is not None:
        return Regret(within)
    y, p = to_numpy(cases.y), to_numpy(cases.p)
    if cases.classes is None:
        wrong = ((p == 0) & y) | ((p == 1) & ~y)
    else:
        wrong = np.take_along_axis(p, y[:, None].astype(np.intp), axis=1)[:, 0] == 0
    return Brier() if wrong.any() else Log()


def fitted_to(one: Map, cases: Cases) -> Map:
    """Fit a map to cases, or to their tally if that will do."""
    return one.fit(cases if need_rows(cases, [one]) else cases.tally())


def in_sample_gain(cases: Cases, fitted: Map, rule: Rule) -> float:
    """Return what a map would seem to save on the cases that it was fitted to."""
    forecasts = [to_numpy(cases.p), fitted.on_cases(cases)]
    return float(differences(cases, forecasts, rule).value[0, 1])


def warn_of_ties(cases: Cases, rule: Rule) -> None:
    """Say that many forecasts lie exactly at a threshold at which the rule has a point mass."""
    p = to_numpy(cases.p)
    for threshold, _ in getattr(rule, "atoms", ()):
        share = float(np.mean(p == threshold)) if p.ndim == 1 else 0.0
        if share > AT_THRESHOLD:
            notice(
                f"{percent(share, 2)} of the forecasts are exactly at the threshold {threshold:g}: "
                "one tie decides, and intervals hold less often than they say"
            )


def of_forecasts(
    cases: Cases,
    forecasts: Column,
    rule: Rule,
    *,
    name: str,
    folds: int,
    level: float,
    nested: bool = False,
) -> Gain:
    """Compare cases as they are with cross-fitted forecasts."""
    result = differences(cases, [to_numpy(cases.p), forecasts], rule)
    gain, error = float(result.value[0, 1]), float(result.error[0, 1])
    interval = (math.nan, math.nan)
    if math.isfinite(gain) and error > 0:
        # The upper end is further off: training parts overlap.
        reach, wide = student(result.degrees, level) * error, math.sqrt(1 + folds / (folds - 1))
        interval = gain - (1.0 if rule.differentiable else wide) * reach, gain + wide * reach
    change = np.abs(forecasts - to_numpy(cases.p))
    change = change.sum(axis=1) / 2 if change.ndim == 2 else change
    kept = one_dependence(cases)
    # What is independent, or nearly so.
    units = "cases" if kept.time is None else "times"
    if kept.clusters is not None:
        units = "clusters" if kept.time is None else "clusters by times"
    return Gain(
        map=name,
        rule=rule.name,
        estimate=gain,
        standard_error=error,
        degrees=result.degrees,
        interval=interval,
        level=level,
        folds=folds,
        design=units,
        mean_change=float(np.average(change, weights=weights_of(cases))),
        in_sample=math.nan,
        nested=nested,
    )
