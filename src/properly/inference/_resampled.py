"""What an estimate would be if each unit had been drawn so many times.

Rows are never drawn: counts of units are all that a mean, an area or a function of weights needs.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from properly._boundary._libraries import read_only, to_library_of, to_numpy
from properly._boundary._notice import notice
from properly.counts._cases import Cases, has_classes, require_event
from properly.counts._losses import price
from properly.counts._tally import Tally
from properly.errors import ArgumentTypeError
from properly.inference._influences import of_auc, of_mean
from properly.inference._replicates import quantiles

if TYPE_CHECKING:
    from collections.abc import Callable

    from properly.inference._sampling import Sample
    from properly.rules import Rule

Column: TypeAlias = np.ndarray[Any, Any]
Pair: TypeAlias = tuple[float, float]

ROUNDING = 1e-14
# Whole numbers up to this are exact in float64.
EXACT = 2**53
UNKNOWN: Pair = (math.nan, math.nan)


@dataclass(frozen=True, eq=False)
class Mean:
    """A mean score, of which only sums over units are kept.

    Attributes
    ----------
    value : float
        The mean, which may be infinite.
    middle : float
        The mean, with infinite losses taken as like the others.
    sums : numpy array
        Of each unit the sum of weighted differences from the middle and the sum of weights; the
        square of the first, the product of both, the square of the second.
    infinite : numpy array or None
        Whether a unit has a case of infinite loss; None if there is none at all.
    sample : Sample
        What is drawn from.
    """

    value: float
    middle: float
    sums: Column
    infinite: Column | None
    infinite_cases: int
    sample: Sample

    @classmethod
    def of(cls, sample: Sample, rule: Rule) -> Mean:
        """Price each row once."""
        loss = price(rule, sample.y, sample.p, classes=has_classes(sample.source))
        number = sample.number[sample.unit]
        infinite, where = np.isinf(loss), None
        if infinite.any():
            loss = np.where(infinite, loss[~infinite].mean() if not infinite.all() else 0.0, loss)
            where = sample.add_up(infinite) > 0
        weight = sample.weight * number
        # Differences from the mean, since sums of the losses would lose digits.
        middle, influence = of_mean(loss, weight)
        away = sample.add_up(influence * (weight.sum() / number))
        total = sample.add_up(sample.weight)
        sums = np.stack([away, total, away**2, away * total, total**2], axis=1)
        value = float(middle) if where is None else np.inf
        return cls(value, float(middle), sums, where, int(number[infinite].sum()), sample)

    @property
    def series(self) -> Column:
        """How much each unit moves the mean."""
        found: Column = self.sums[:, 0]
        return found

    def values(self, counts: Column) -> Column:
        """Return the mean of each replicate, a row of counts each."""
        drawn = counts @ self.sums[:, :2]
        found: Column = self.middle + drawn[:, 0] / drawn[:, 1]
        if self.infinite is not None:
            found[(counts @ self.infinite) > 0] = np.inf
        return found

    def pivots(self, counts: Column) -> Column:
        """Return how far each mean is from that of the data, in standard errors of its own."""
        drawn = counts @ self.sums[:, :2]
        change = drawn[:, 0] / drawn[:, 1]
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.asarray(change / self.errors(counts))

    def errors(self, counts: Column) -> Column:
        """Return the standard error of the mean of each replicate, from sums over units alone."""
        drawn = counts @ self.sums[:, :2]
        change = drawn[:, 0] / drawn[:, 1]
        variance = np.zeros(len(counts))
        for part in self.sample.strata:
            number = int(self.sample.number[part].sum())
            if number < 2:
                return np.full(len(counts), np.nan)
            first, second, *squares = (counts[:, part] @ self.sums[part]).T
            terms = squares[0], -2 * change * squares[1], change**2 * squares[2]
            spread = sum(terms) - (first - change * second) ** 2 / number
            # What rounding leaves of units that do not vary is no spread.
            spread[spread <= ROUNDING * (terms[0] + terms[2])] = 0.0
            variance += number / (number - 1) * spread
        return np.asarray(np.sqrt(variance) / drawn[:, 1])


@dataclass(frozen=True, eq=False)
class Area:
    """The area under the ROC curve, of rows that are sorted once.

    Attributes
    ----------
    value : float
        The area; NaN without events, or without others.
    series : numpy array
        How much each unit moves it.
    event, none : pair of numpy arrays
        The unit and the weight of each event, and of each non-event, by increasing forecast.
    below, up_to : numpy array
        For each event, the non-events of lower forecasts, and of forecasts that are not higher.
    """

    value: float
    series: Column
    event: tuple[Column, Column]
    none: tuple[Column, Column]
    below: Column
    up_to: Column

    @classmethod
    def of(cls, sample: Sample) -> Area:
        """Sort events and non-events."""
        if isinstance(sample.source, Cases):
            require_event(sample.source)
        value, influence = of_auc(sample.y, sample.p, sample.weight * sample.number[sample.unit])
        rows = (np.flatnonzero(case) for case in (sample.y, ~sample.y))
        event, none = (row[np.argsort(sample.p[row], kind="stable")] for row in rows)
        p = sample.p[none]
        below, up_to = (np.searchsorted(p, sample.p[event], side) for side in ("left", "right"))
        # Whole numbers are added up faster than fractions, and exactly.
        whole = bool((sample.weight == 1).all())
        weight = np.ones_like(sample.unit) if whole else sample.weight
        sides = [(sample.unit[row], weight[row]) for row in (event, none)]
        return cls(value, sample.add_up(influence), sides[0], sides[1], below, up_to)

    def values(self, counts: Column) -> Column:
        """Return the area of each replicate, a row of counts each."""
        return np.array([self._area(row) for row in counts])

    def _area(self, count: Column) -> float:
        event, none = (count[unit] * weight for unit, weight in (self.event, self.none))
        so_far = np.zeros(len(none) + 1, dtype=none.dtype)
        np.cumsum(none, out=so_far[1:])
        pairs = 2.0 * float(event.sum()) * float(so_far[-1])
        twice = float(event @ (so_far[self.below] + so_far[self.up_to]))
        return min(twice / pairs, 1.0) if pairs else np.nan


@dataclass(frozen=True, eq=False)
class Own:
    """A function of one's own, called with other weights.

    Attributes
    ----------
    value : float
        What it says of the data themselves.
    statistic : callable
        The function.
    sample : Sample
        What is drawn from.
    """

    value: float
    statistic: Callable[[Any], float]
    sample: Sample

    @classmethod
    def of(cls, sample: Sample, statistic: Callable[[Any], float]) -> Own:
        """Ask it about the data themselves, which always have weights."""
        return cls(_number(statistic(_replicate(sample, sample.number))), statistic, sample)

    def values(self, counts: Column) -> Column:
        """Return what it says of each replicate, a row of counts each."""
        drawn = (_replicate(self.sample, row) for row in counts)
        return np.array([_number(self.statistic(replicate)) for replicate in drawn])


def _number(found: Any) -> float:
    """Take what a statistic returned, if it is one number."""
    try:
        if np.ndim(found) == 0 and not isinstance(found, str):
            return float(found)
    except TypeError:
        pass
    message = f"a statistic must return one number; got {type(found).__name__}"
    raise ArgumentTypeError(message)


def _replicate(sample: Sample, count: Column) -> Tally | Cases:
    if isinstance(sample.source, Cases):
        return _reweighted(sample.source, count[sample.unit])
    return _recounted(sample.source, sample, count)


def _reweighted(cases: Cases, count: Column) -> Cases:
    """Multiply weights by how often rows in use were drawn; nothing else needs a check."""
    weight = count
    if cases.weight is not None:
        old = to_numpy(cases.weight)
        exact = float(old.sum()) * float(count.max()) < EXACT
        weight = np.zeros(len(old), dtype=np.result_type(old, count) if exact else np.float64)
        weight[old > 0] = old[old > 0].astype(weight.dtype) * count
    found = object.__new__(Cases)
    for name in Cases.__dataclass_fields__:
        object.__setattr__(found, name, getattr(cases, name))
    object.__setattr__(found, "weight", read_only(to_library_of(weight, cases.p)))
    return found


def _recounted(tally: Tally, sample: Sample, count: Column) -> Tally:
    """Count cases and events at each forecast; those of which none was drawn are left out."""
    value = to_numpy(tally.value)
    place = np.searchsorted(value, sample.p)
    weight, events = np.zeros((2, len(value)), dtype=np.int64)
    np.add.at(weight, place, count)
    np.add.at(events, place[sample.y], count[sample.y])
    drawn = weight > 0
    columns = (to_library_of(x[drawn], tally.value) for x in (value, weight, events))
    return Tally._of(list(columns), tally.cells)  # noqa: SLF001


def spread_of_draws(value: float, draws: Column) -> Pair:
    """Return the standard deviation of the draws and their mean less the value."""
    undefined = int(np.isnan(draws).sum())
    if undefined and not math.isnan(value):
        message = (
            f"the statistic is undefined in {undefined:,} of {len(draws):,} replicates, which "
            "count as lying beyond either end of the interval"
        )
        notice(message)
    if not np.isfinite(draws).all() or math.isinf(value):
        return UNKNOWN
    if np.ptp(draws) <= ROUNDING * np.abs(draws).max():
        return 0.0, float(draws[0]) - value
    return float(draws.std(ddof=1)), float(draws.mean()) - value


def plain_interval(value: float, draws: Column, level: float, *, basic: bool) -> Pair:
    """Take quantiles of the draws, or turn them round the value."""
    if not math.isfinite(value):
        return _beside(value)
    lower, upper = quantiles(draws, level)
    return (2 * value - upper, 2 * value - lower) if basic else (lower, upper)


def studentized_interval(mean: Mean, pivots: Column, level: float) -> Pair:
    """Go from the mean as many standard errors as the means of replicates are off."""
    error = float(mean.errors(mean.sample.number[None])[0])
    if not math.isfinite(mean.value):
        return _beside(mean.value)
    lower, upper = quantiles(pivots, level)
    return mean.value - upper * error, mean.value - lower * error


def _beside(value: float) -> Pair:
    """Return what can be said around a value that is infinite or not defined."""
    return (-math.inf if value == -math.inf else math.nan, math.inf if value > 0 else math.nan)
