"""Ways to estimate how often it happened at each forecast: the source behind a model.

`IsotonicSource` is the default of `properly.means`: nothing to choose, and a divergence that is
never above 1; only with it has the divergence an interval. `EqualCount` and `EqualWidth` are the
bins of the paper. `Neighbours` and `Kernel` have the least bias, but no bins for a `source_table`.

Neighbours and kernel are functions of a table of distinct forecasts, so that the order of rows
cannot matter. Each case counts itself: where an event happened the rate is never 0, and where one
failed to happen it is never 1, however light the case. So their logarithms are finite.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from properly._boundary._libraries import infinities, to_numpy
from properly._boundary._options import as_number, check_choice, check_flag, check_whole
from properly._boundary._tolerances import SAME_SUM
from properly.counts._cases import Cases, has_classes
from properly.counts._class_rows import EVENT, NO_EVENT, ClassTable, table_of
from properly.counts._histogram import equal_rank, equal_width
from properly.counts._isotonic import recalibrate
from properly.counts._pooling import exact_weights, pool
from properly.counts._reductions import complement, one_vs_rest
from properly.counts._tally import Tally, as_tally, sums_of, tally_of_sums
from properly.errors import ArgumentTypeError, DataError
from properly.inference._variance import effective_total
from properly.probability._power_means import PowerSums, sums_of_outcomes, sums_of_powers
from properly.typing import Column

# What pooled columns are called.
ALL = "all"
# 0.1 and 0.3 are equally far from 0.2, though not once rounded to binary. Distances in [0, 1] that
# differ by less are equal, unless they are themselves hardly larger.
TIE, TINY_TIE = 4 * float(np.finfo(np.float64).eps), 1e-6
# What rounding may do to a share of the total weight. It concerns fractions; counts are exact.
LOST = 1e-12
# The share of a case's own weight that forecasts too far away to be looked at may add up to.
NEGLIGIBLE = 1e-15
# The standard normal kernel is 0 in float64 from here on.
FARTHEST = 39.0
# Products of two offsets from the middle of a unit box are at most a quarter, where so many terms
# of the exponential series leave an error below 1e-14.
TERMS = 11
NARROWEST = 1e-300
LEAST, BELOW_ONE = float(np.finfo(np.float64).tiny), float(np.nextafter(1.0, 0.0))
# Beyond this, bins are narrower than what forecasts can tell apart.
MOST_BINS = 10**9


def nearest(value: Column, weight: Column, events: Column, neighbours: float) -> Column:
    r"""Return the share of events among the cases nearest to each forecast.

    .. math:: r_i = \min \{r : n_i(r) \ge k\}, \qquad
        n_i(r) = \sum_{|q_j - q_i| \le r} w_j, \qquad
        \hat p_i = \frac1{n_i(r_i)} \sum_{|q_j - q_i| \le r_i} e_j.

    All cases that are as near as the last one needed are counted, so there may be more than
    :math:`k`. Distances are compared as they were before forecasts were rounded to binary.

    Parameters
    ----------
    value : numpy array of float64
        Distinct forecasts in [0, 1], increasing.
    weight, events : numpy array
        Cases at each forecast and events among them: counts, or positive sums of weights.
    neighbours : float
        How many cases (how much weight) to ask for, the case itself included; all if there are
        fewer.
    """
    own = np.stack([events, weight - events])
    radius = _radius(value, weight, neighbours)
    slack = np.minimum(TIE, radius * TINY_TIE)
    first = np.searchsorted(value, value - radius - slack, side="left")
    stop = np.searchsorted(value, value + radius + slack, side="right")
    # Events and non-events are cumulated apart: where one is missing, its difference is exactly 0.
    upto = np.cumsum(np.pad(own, ((0, 0), (1, 0))), axis=1)
    return _share(upto[:, stop] - upto[:, first], own)


def smooth(
    value: Column, weight: Column, events: Column, bandwidth: float | None, cases: float
) -> Column:
    r"""Return the event rate around each forecast, under a normal kernel on the log-odds scale.

    With :math:`x` the log-odds of the forecasts,

    .. math:: \hat p_i = \frac{\sum_j e_j K((x_i - x_j) / h)}{\sum_j w_j K((x_i - x_j) / h)},
        \qquad K(u) = \exp(-u^2 / 2), \qquad h = 1.06\, s\, n^{-1/5},

    the regression of Nadaraya and Watson (1964) with the normal-reference bandwidth (Silverman
    1986, Eq. 3.28). Here :math:`n` is the number of cases whose forecast is neither 0 nor 1, and
    :math:`s` the standard deviation of their log-odds, with the denominator :math:`n - 1`.

    A forecast of exactly 0 or 1 is infinitely far from all others, which are infinitely far from
    it: its rate is its own, and it has no part in the bandwidth. If all other cases share one
    forecast then :math:`h = 0`, and its rate, too, is its own, as it is with every bandwidth.

    Parameters
    ----------
    value : numpy array of float64
        Distinct forecasts in [0, 1], increasing.
    weight, events : numpy array
        Cases at each forecast and events among them: counts, or positive sums of weights.
    bandwidth : float or None
        The standard deviation :math:`h` of the kernel, if not as above. Towards 0 rates become each
        forecast's own, towards infinity the overall rate.
    cases : float
        How many cases all the weight stands for: the total weight, if it counts them.
    """
    own = np.stack([events, weight - events])
    rate = _share(own, own)
    inside = (value > 0) & (value < 1)
    if not inside.any():
        return rate
    # Increasing by construction; rounding must not make it otherwise.
    log_odds = np.maximum.accumulate(np.log(value[inside]) - np.log1p(-value[inside]))
    if bandwidth is None:
        bandwidth = _bandwidth(log_odds, weight[inside], cases / float(weight.sum()))
    own = own[:, inside].astype(np.float64)
    rate[inside] = _share(_add_boxes(log_odds / max(bandwidth, NARROWEST), own), own)
    return rate


def _share(around: Column, own: Column) -> Column:
    """Divide events by events and non-events; rounding must not lose what is at the place itself.

    Both arguments hold events in their first row and non-events in their second.
    """
    events, rest = np.maximum(around, own)
    least, most = np.where(own[0] > 0, LEAST, 0.0), np.where(own[1] > 0, BELOW_ONE, 1.0)
    return np.asarray(np.clip(events / (events + rest), least, most))


def _radius(value: Column, weight: Column, neighbours: float) -> Column:
    """Return the smallest distance from each forecast within which there is weight enough.

    With the first forecast of a window given, weight enough decides the last. The earlier the
    first, the farther it is and the nearer the last can be; bisect for where the two are level.
    """
    upto = np.cumsum(np.append(weight[:1] * 0, weight))
    # No more weight than there is; sums of fractions are compared but for rounding.
    needed: float = min(neighbours, upto[-1]) - LOST * upto[-1]
    if isinstance(upto[-1], np.integer):
        needed = min(math.ceil(neighbours), int(upto[-1]))
    row = np.arange(len(value))
    last_value = np.append(value, np.inf)

    def right(first: Column) -> Column:
        last = np.searchsorted(upto, upto[first] + needed, side="left") - 1
        return np.asarray(last_value[np.maximum(last, row)] - value)

    # The last first-of-window that is as far as what it needs on the right, and the next, nearer.
    far, near = np.full(len(value), -1), row + 1
    while (near - far > 1).any():
        middle = (far + near) // 2
        first = np.maximum(middle, 0)
        is_far = (middle < 0) | (value - value[first] >= right(first))
        far, near = np.where(is_far, middle, far), np.where(is_far, near, middle)
    by_far = np.where(far < 0, np.inf, value - value[np.maximum(far, 0)])
    by_near = np.where(near > row, np.inf, right(np.minimum(near, row)))
    return np.asarray(np.minimum(by_far, by_near))


def _bandwidth(x: Column, weight: Column, each: float) -> float:
    """Return the normal-reference bandwidth, where a unit of weight stands for `each` cases."""
    total = float(weight.sum())
    n = each * total
    squares = float(np.dot(weight, (x - np.dot(weight, x) / total) ** 2))
    # Less than one case is possible only of fractions whose number of cases was not told.
    variance = squares / (total * (1 - 1 / n) if n > 1 else total)
    return float(1.06 * math.sqrt(variance) * n**-0.2)


def _add_boxes(x: Column, columns: Column) -> Column:
    r"""Add up the same sums box by box, to twelve digits: a fast Gauss transform.

    Cut the line into boxes of width 1. For a place :math:`a` from the middle of its box, a case
    :math:`b` from the middle of its own, and boxes :math:`D` apart,

    .. math:: e^{-(D + a - b)^2 / 2} = e^{-(D + a)^2 / 2} \; e^{D b - b^2 / 2} \;
        \sum_p a^p \, \frac{b^p}{p!},

    so that cases enter only through a few sums a box. All large factors are positive and the series
    is near 1: unlike on a grid, or by Fourier transform, small sums are as precise as large ones.
    """
    box = np.floor(x)
    middle = x - box - 0.5
    start = np.flatnonzero(np.diff(box, prepend=-np.inf))
    box, size = box[start], np.diff(start, append=len(x))
    sums = np.zeros_like(columns)
    for step in _steps(columns):
        source = np.minimum(np.searchsorted(box, box - step), len(box) - 1)
        met = box[source] == box - step
        if not met.any():
            continue
        case = columns * np.exp(step * middle - middle**2 / 2)
        place = np.exp(-((step + middle) ** 2) / 2)
        for term in range(1, TERMS + 1):
            of_box = np.add.reduceat(case, start, axis=1)[:, source] * met
            sums += place * np.repeat(of_box, size, axis=1)
            case *= middle / term
            place *= middle
    return sums


def _steps(columns: Column) -> range:
    """Return how far apart boxes may be and still matter to the lightest case."""
    weight = columns.sum(axis=0)
    ratio = weight.sum() / (weight.min() * NEGLIGIBLE)
    reach = math.ceil(min(math.sqrt(2 * math.log(ratio)), FARTHEST))
    return range(-reach, reach + 1)


class Fit(NamedTuple):
    """How often it happened, in bins of neighbouring forecasts.

    Attributes
    ----------
    end : array
        One past the last row of the tally that belongs to each bin.
    weight, events : array
        The cases of each bin, and the events among them.
    rate : array
        The probability that the source has there.

    Examples
    --------
    >>> import properly
    >>> t = properly.tally([0, 1, 0, 1], [0.1, 0.3, 0.6, 0.9])
    >>> fit = properly.probability.IsotonicSource().fit(t)
    >>> fit.rate, fit.spread()
    (array([0. , 0.5, 1. ]), array([0. , 0.5, 0.5, 1. ]))
    """

    end: Column
    weight: Column
    events: Column
    rate: Column

    @property
    def rest(self) -> Column:
        """The probability of no event; of a share, from the cases without one, not as 1 - rate.

        A share next to 1 would leave nothing, where there is a little.
        """
        share = (self.weight - self.events) / self.weight
        return np.where(self.rate == self.events / self.weight, share, 1 - self.rate)

    def spread(self, column: Column | None = None) -> Column:
        """Return the probability, or what else is known of bins, at every row of the tally."""
        column = self.rate if column is None else column
        return np.repeat(column, np.diff(self.end, prepend=0))


class Source(ABC):
    """How to estimate the probability of the event at each forecast."""

    pooled: bool = False
    pseudo_count: float = 0.0
    words: ClassVar[str]

    def __post_init__(self) -> None:
        check_flag(self.pooled, "pooled")

    def in_words(self) -> str:
        """Say what the source is."""
        more = f", pseudo-counts of {self.pseudo_count:g}" if self.pseudo_count else ""
        return self.words + ", all classes together" * self.pooled + more

    @abstractmethod
    def fit(self, tally: Tally) -> Fit:
        """Estimate the probability of the event at each forecast of a tally."""


@dataclass(frozen=True)
class BinnedSource(Source):
    """Event rates in a number of bins."""

    bins: int | None = None
    pooled: bool = False
    pseudo_count: float = 0.0

    def __post_init__(self) -> None:
        super().__post_init__()
        count = as_number(self.pseudo_count, "pseudo_count")
        if not 0 <= count <= MOST_BINS:
            message = f"pseudo_count must be between 0 and {MOST_BINS:,}; got {count:g}"
            raise DataError(message, hint="1 is Laplace's rule, 0.5 the prior of Jeffreys.")
        if self.bins is not None and check_whole(self.bins, "bins") > MOST_BINS:
            message = f"bins must not be more than {MOST_BINS:,}; got {self.bins:,}"
            raise DataError(message)

    def fit(self, tally: Tally) -> Fit:
        """Add up the rows of each bin."""
        cases = effective_total(tally)
        usual = max(round(cases ** (1 / 3)), 1)
        cell = self._cells(tally, usual if self.bins is None else self.bins)
        first = np.flatnonzero(np.diff(cell, prepend=-1))
        weight, events = (np.add.reduceat(to_numpy(x), first) for x in (tally.weight, tally.events))
        # Weights are measured in cases of the average weight.
        more = self.pseudo_count * (float(tally.total) / cases)
        rate = (events + more) / (weight + 2 * more)
        return Fit(np.append(first[1:], len(cell)), weight, events, rate)

    @abstractmethod
    def _cells(self, tally: Tally, bins: int) -> Column:
        """Return the bin of each row."""


class SmoothSource(Source):
    """Event rates around each forecast, which is a bin by itself."""

    def fit(self, tally: Tally) -> Fit:
        """Look around each forecast."""
        value, weight, events = map(to_numpy, (tally.value, tally.weight, tally.events))
        rate = self._rate(tally, value.astype(np.float64), weight, events)
        return Fit(np.arange(1, len(rate) + 1), weight, events, rate)

    @abstractmethod
    def _rate(self, tally: Tally, value: Column, weight: Column, events: Column) -> Column:
        """Return the rate at each forecast."""


@dataclass(frozen=True)
class IsotonicSource(Source):
    """The best increasing recalibration: no bins to choose, nothing to tune.

    With it the divergence probability is never above 1, and is the exponential of minus the
    miscalibration part of the log score.

    Parameters
    ----------
    pooled : bool
        Of several classes: fit all columns of probabilities together, instead of each by itself.

    Examples
    --------
    >>> import properly
    >>> t = properly.tally([0, 1, 0, 1], [0.1, 0.3, 0.6, 0.9])
    >>> properly.means(t, source=properly.probability.IsotonicSource()).source.decisiveness
    0.75
    """

    pooled: bool = False
    words: ClassVar[str] = "isotonic recalibration"

    def fit(self, tally: Tally) -> Fit:
        """Pool adjacent violators."""
        fit = recalibrate(tally)
        return Fit(fit.end, fit.weight, fit.events, fit.event_rate)


class EqualCount(BinnedSource):
    r"""Event rates in bins that hold about equally many cases.

    Of :math:`n` cases in the order of their forecasts, the one with :math:`r` cases before it
    belongs to bin :math:`\lfloor r B / n \rfloor`.

    Parameters
    ----------
    bins : int, optional
        How many bins; :math:`n^{1/3}`, rounded, if left out. Of weighted cases, :math:`n` is
        the number of those that would say as much, :math:`(\sum w)^2 / \sum w^2`.
    pooled : bool
        Of several classes: bin all columns of probabilities together, instead of each by itself.
    pseudo_count : float
        How many cases with the event, and as many without it, are added to each bin:
        :math:`(N^* + c) / (N + 2c)`. This is the mean of the rate under a Beta(c, c) prior; 1 is
        Laplace's rule, and 1/2 the prior of Jeffreys [1]_. None are added if left out.

    Notes
    -----
    Equal forecasts share the bin of the first of them. What the forecasts say within a bin is lost,
    so that the divergence probability may be above 1.

    References
    ----------
    .. [1] L. D. Brown, T. T. Cai, A. DasGupta (2001). Interval estimation for a binomial
       proportion. Statistical Science 16:101-133. `doi:10.1214/ss/1009213286
       <https://doi.org/10.1214/ss/1009213286>`__

    Examples
    --------
    >>> import properly
    >>> t = properly.tally([0, 1], [0.1, 0.9])
    >>> round(properly.means(t, source=properly.probability.EqualCount(bins=1)).divergence, 12)
    1.8
    """

    words: ClassVar[str] = "bins of equal count"

    def _cells(self, tally: Tally, bins: int) -> Column:
        """Cut the cases, in the order of their forecasts, into equal parts."""
        return equal_rank(to_numpy(tally.weight), bins)


class EqualWidth(BinnedSource):
    r"""Event rates in bins of equal width.

    A forecast :math:`q` belongs to bin :math:`\min(\lfloor B q \rfloor, B - 1)`.

    Parameters
    ----------
    bins : int, optional
        How many bins; :math:`n^{1/3}`, rounded, if left out. Of weighted cases, :math:`n` is
        the number of those that would say as much, :math:`(\sum w)^2 / \sum w^2`.
    pooled : bool
        Of several classes: bin all columns of probabilities together, instead of each by itself.
    pseudo_count : float
        How many cases with the event, and as many without it, are added to each bin:
        :math:`(N^* + c) / (N + 2c)`. This is the mean of the rate under a Beta(c, c) prior; 1 is
        Laplace's rule, and 1/2 the prior of Jeffreys [1]_. None are added if left out.

    Notes
    -----
    What the forecasts say within a bin is lost, so that the divergence probability may be above 1.

    References
    ----------
    .. [1] L. D. Brown, T. T. Cai, A. DasGupta (2001). Interval estimation for a binomial
       proportion. Statistical Science 16:101-133. `doi:10.1214/ss/1009213286
       <https://doi.org/10.1214/ss/1009213286>`__

    Examples
    --------
    >>> import properly
    >>> t = properly.tally([0, 1, 0, 1], [0.1, 0.3, 0.6, 0.9])
    >>> properly.probability.EqualWidth(bins=2).fit(t).rate
    array([0.5, 0.5])
    >>> properly.probability.EqualWidth(bins=4, pseudo_count=1).fit(t).rate.round(3)
    array([0.333, 0.667, 0.333, 0.667])
    """

    words: ClassVar[str] = "bins of equal width"

    def _cells(self, tally: Tally, bins: int) -> Column:
        """Cut the scale of probabilities into equal parts."""
        return equal_width(to_numpy(tally.value), bins)


@dataclass(frozen=True)
class Neighbours(SmoothSource):
    """The event rate among the cases whose forecasts are nearest.

    Parameters
    ----------
    neighbours : int, optional
        How many cases, the case itself and all that are as near as the last one included;
        the number of cases to the power 0.75, rounded, if left out.
    pooled : bool
        Of several classes: look among all columns of probabilities, instead of in each by itself.

    Examples
    --------
    >>> import properly
    >>> t = properly.tally([0, 1, 0, 1], [0.1, 0.2, 0.7, 0.9])
    >>> properly.probability.Neighbours(2).fit(t).rate
    array([0.5, 0.5, 0.5, 0.5])
    """

    neighbours: int | None = None
    pooled: bool = False
    words: ClassVar[str] = "nearest neighbours"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.neighbours is not None:
            check_whole(self.neighbours, "neighbours")

    def _rate(self, tally: Tally, value: Column, weight: Column, events: Column) -> Column:
        """Count the events among the nearest."""
        cases = effective_total(tally)
        chosen = max(round(cases**0.75), 1) if self.neighbours is None else self.neighbours
        # Weights are measured in cases of the average weight.
        amount = chosen * (float(tally.total) / cases)
        if tally.event_squares is not None:
            # That amount is rounded, so that whole numbers too are compared but for rounding.
            weight, events = weight.astype(np.float64), events.astype(np.float64)
        return nearest(value, weight, events, amount)


@dataclass(frozen=True)
class Kernel(SmoothSource):
    r"""The event rate nearby on the scale of log-odds, the nearest weighted most.

    Parameters
    ----------
    bandwidth : float, optional
        The standard deviation of the normal kernel;
        :math:`1.06\, s\, n^{-1/5}` if left out, with :math:`s` the standard deviation of the
        log-odds of the forecasts that are not certain.
    pooled : bool
        Of several classes: look at all columns of probabilities, instead of each by itself.

    Notes
    -----
    Forecasts of exactly 0 and 1 are infinitely far from all others, and are judged by themselves.

    Examples
    --------
    >>> import properly
    >>> t = properly.tally([0, 0, 1, 1], [0.1, 0.4, 0.6, 0.9])
    >>> properly.probability.Kernel(bandwidth=1.0).fit(t).rate.round(3)
    array([0.027, 0.386, 0.614, 0.973])
    """

    bandwidth: float | None = None
    pooled: bool = False
    words: ClassVar[str] = "a kernel on log-odds"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.bandwidth is not None:
            result = as_number(self.bandwidth, "bandwidth")
            if not 0 < result < np.inf:
                message = f"a bandwidth must be positive and finite; got {result:g}"
                raise DataError(message)

    def _rate(self, tally: Tally, value: Column, weight: Column, events: Column) -> Column:
        """Weigh each case by how near it is."""
        return smooth(value, weight, events, self.bandwidth, cases=effective_total(tally))


NAMES: dict[str, Callable[[], Source]] = {
    "isotonic": IsotonicSource,
    "equal_count": EqualCount,
    "hist": EqualCount,
    "equal_width": EqualWidth,
    "neighbours": Neighbours,
    "kernel": Kernel,
}


def as_source(source: str | Source) -> Source:
    """Take a source as it is, and the name of one as that with its defaults."""
    if isinstance(source, Source):
        return source
    if not isinstance(source, str):
        message = f"a source is a name or one of properly.probability; got {source!r}"
        raise ArgumentTypeError(message, hint=_meant(source))
    return NAMES[check_choice(source, tuple(NAMES), "source")]()


def _meant(source: object) -> str | None:
    if isinstance(source, int) and source > 1:
        return f"write properly.probability.EqualCount({source})."
    if isinstance(source, type) and issubclass(source, Source):
        return f"write {source.__name__}()."
    return None


class SourceSide(NamedTuple):
    """What one class was given where it happened.

    Attributes
    ----------
    name : str
        The class.
    t, weight : numpy array
        Probabilities by the model, and how often each of them was given.
    p, p_weight : numpy array
        The same by the source.
    """

    name: str
    t: Column
    weight: Column
    p: Column
    p_weight: Column


class SourceQuestion(NamedTuple):
    """Forecasts of whether a class happens, with what the source makes of them.

    Attributes
    ----------
    name : str
        The class.
    tally : Tally
        What happened at each forecast.
    fit : Fit
        The source, in bins of the tally's rows.
    """

    name: str
    tally: Tally
    fit: Fit

    def side(self) -> SourceSide:
        """Take the cases in which it happened."""
        value, events = (to_numpy(x) for x in (self.tally.value, self.tally.events))
        there, bins = events > 0, self.fit.events > 0
        t = value[there].astype(np.float64)
        return SourceSide(self.name, t, events[there], self.fit.rate[bins], self.fit.events[bins])

    def rows_at(self, q: Column) -> Column:
        """Return the rows of the tally that forecasts belong to."""
        return np.searchsorted(to_numpy(self.tally.value), q)


def sides(cases: Tally | Cases, source: Source) -> list[SourceSide]:
    """Find for every class that happened which probabilities it was given."""
    if not source.pooled:
        result = [question.side() for question in questions(cases, source)]
        return [side for side in result if len(side.t)]
    table = table_of(cases)
    question = _pooled(table, source)
    t, p, result = table.t, question.fit.spread()[question.rows_at(table.t)], []
    for k, name in enumerate(table.names):
        if (of := table.y == k).any():
            result.append(SourceSide(name, t[of], table.weight[of], p[of], table.weight[of]))
    return result


class SideSums(NamedTuple):
    """What the three means of one class are made of, by the model and by the source."""

    name: str
    model: PowerSums
    source: PowerSums


def sums_by_class(cases: Tally | Cases, source: Source) -> list[SideSums]:
    """Add up the powers of the probabilities that each class was given where it happened."""
    if source.pooled or has_classes(cases):
        return [
            SideSums(name, sums_of_powers(t, weight), sums_of_powers(p, p_weight))
            for name, t, weight, p, p_weight in sides(cases, source)
        ]
    # The same, without laying out what the absence of the event was given.
    tally = as_tally(cases)
    fit = source.fit(tally)
    model = sums_of_outcomes(tally.value, tally.weight, tally.events)
    counts = (fit.rate, fit.events), (fit.rest, fit.weight - fit.events)
    fitted = [sums_of_powers(rate[n > 0], n[n > 0]) for rate, n in counts]
    both = zip((EVENT, NO_EVENT), model, fitted, strict=True)
    return [SideSums(*result) for result in both if result[1].weight > 0]


def questions(cases: Tally | Cases, source: Source) -> list[SourceQuestion]:
    """Ask for each class whether it happened; of pooled columns there is a single question."""
    if source.pooled:
        return [_pooled(table_of(cases), source)]
    parts = one_vs_rest(cases) if has_classes(cases) else {EVENT: cases}
    tallies = {name: as_tally(part) for name, part in parts.items()}
    asked = [SourceQuestion(name, tally, source.fit(tally)) for name, tally in tallies.items()]
    return asked if has_classes(cases) else [*asked, _mirrored(asked[0])]


def _mirrored(question: SourceQuestion) -> SourceQuestion:
    """Ask for no event instead of the event."""
    tally, fit = question.tally, question.fit
    weight, events, *squares = map(to_numpy, sums_of(tally))
    value = to_numpy(tally.value).astype(np.float64)
    columns = [complement(value), weight, weight - events]
    turned = tally_of_sums([x[::-1] for x in (*columns, *squares[::-1])], tally.cells)
    end = len(tally) - np.append(0, fit.end[:-1])
    none = fit.weight - fit.events
    backwards = Fit(end[::-1], fit.weight[::-1], none[::-1], fit.rest[::-1])
    return SourceQuestion(NO_EVENT, turned, backwards)


def _pooled(table: ClassTable, source: Source) -> SourceQuestion:
    """Ask of every probability in a table whether its class happened."""
    classes = table.p.shape[1]
    happened = (table.y[:, None] == np.arange(classes)).ravel()
    weight = exact_weights(np.repeat(table.weight, classes))
    columns = [weight, np.where(happened, weight, 0)]
    if not table.counted:
        square = np.repeat(table.square, classes)
        columns += [np.where(happened, square, 0), np.where(happened, 0, square)]
    tally = tally_of_sums(pool(table.p.ravel(), columns))
    return SourceQuestion(ALL, tally, source.fit(tally))


def divergence(model: Column | float, behind: Column | float, source: Source) -> Column:
    """Divide means of a model by those of its source; NaN where the latter are 0.

    What rounding leaves above a bound of 1 is 1, and nothing else.
    """
    with infinities():
        result = np.where(np.greater(behind, 0), np.divide(model, behind), np.nan)
    rounded = isinstance(source, IsotonicSource) & (result > 1) & (result <= 1 + SAME_SUM)
    return np.where(rounded, 1.0, result)
