"""The bootstrap: the distribution of an estimate over data drawn from themselves.

`bootstrap` returns a `Bootstrap` record. Rows are never drawn: counts of units are all that a mean
(`Mean`), an area under the ROC curve (`DrawnArea`) or a function of weights (`Own`) needs.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, get_args

import numpy as np

from properly._boundary._libraries import infinities, read_only, to_library_of, to_numpy
from properly._boundary._notices import notice
from properly._boundary._options import as_drawing, as_number, check_choice
from properly._boundary._record import Record
from properly._boundary._text import many
from properly._boundary._tolerances import CANCELLED
from properly.counts._calls import takes_rows
from properly.counts._cases import Cases, has_classes, replaced, require_event
from properly.counts._scoring import price
from properly.counts._tally import Tally, as_tally, tally_of_sums
from properly.errors import ArgumentTypeError, DataError
from properly.inference._averages import UNKNOWN, Pair, interval_text
from properly.inference._moments import Correction
from properly.inference._replicates import (
    BootstrapSample,
    Kind,
    best_block,
    quantiles,
    require_enough,
    sample_of,
)
from properly.inference._variance import of_auc, of_mean
from properly.rules import Rule
from properly.typing import Column

# Whole numbers up to this are exact in float64.
EXACT = 2**53
Method: TypeAlias = Literal["percentile", "basic", "studentized"]
Statistic: TypeAlias = Rule | Literal["auc"] | Callable[[Any], float]


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
    sample: BootstrapSample

    @classmethod
    def of(cls, sample: BootstrapSample, rule: Rule) -> Mean:
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
        with infinities():
            sums = np.column_stack([away, total, away**2, away * total, total**2])
        value = float(middle) if where is None else np.inf
        return cls(value, float(middle), sums, where, int(number[infinite].sum()), sample)

    @property
    def series(self) -> Column:
        """How much each unit moves the mean."""
        return np.asarray(self.sums[:, 0])

    def _changes(self, counts: Column) -> tuple[Column, Column]:
        """Return how far the mean of each replicate is off, and its weight."""
        away, weight = (counts @ self.sums[:, :2]).T
        return away / weight, weight

    def values(self, counts: Column) -> Column:
        """Return the mean of each replicate, one row of counts each."""
        result: Column = self.middle + self._changes(counts)[0]
        if self.infinite is not None:
            result[(counts @ self.infinite) > 0] = np.inf
        return result

    def pivots(self, counts: Column) -> Column:
        """Return how far each mean is from that of the data, in standard errors of its own."""
        with infinities():
            return np.asarray(self._changes(counts)[0] / self.errors(counts))

    def errors(self, counts: Column) -> Column:
        """Return the standard error of the mean of each replicate, from sums over units alone."""
        change, weight = self._changes(counts)
        variance = np.zeros(len(counts))
        for part in self.sample.strata:
            number = int(self.sample.number[part].sum())
            first, second, *squares = (counts[:, part] @ self.sums[part]).T
            terms = squares[0], -2 * change * squares[1], change**2 * squares[2]
            spread = sum(terms) - (first - change * second) ** 2 / number
            # What rounding leaves of units that do not vary is no spread.
            spread[spread <= CANCELLED * (terms[0] + terms[2])] = 0.0
            variance += Correction.from_count(number).factor * spread
        return np.asarray(np.sqrt(variance) / weight)


@dataclass(frozen=True, eq=False)
class DrawnArea:
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
    def of(cls, sample: BootstrapSample) -> DrawnArea:
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
    sample: BootstrapSample

    @classmethod
    def of(cls, sample: BootstrapSample, statistic: Callable[[Any], float]) -> Own:
        """Ask it about the data themselves, which always have weights."""
        return cls(_number(statistic(_replicate(sample, sample.number))), statistic, sample)

    def values(self, counts: Column) -> Column:
        """Return what it says of each replicate, a row of counts each."""
        drawn = (_replicate(self.sample, row) for row in counts)
        return np.array([_number(self.statistic(replicate)) for replicate in drawn])


def _number(value: Any) -> float:
    """Take what a statistic returned, if it is one number."""
    try:
        if np.ndim(value) == 0 and not isinstance(value, str):
            return float(value)
    except TypeError:
        pass
    message = f"a statistic must return one number; got {type(value).__name__}"
    raise ArgumentTypeError(message)


def _replicate(sample: BootstrapSample, count: Column) -> Tally | Cases:
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
    return replaced(cases, weight=read_only(to_library_of(weight, cases.p)))


def _recounted(tally: Tally, sample: BootstrapSample, count: Column) -> Tally:
    """Count cases and events at each forecast; those of which none was drawn are left out."""
    value = to_numpy(tally.value)
    place = np.searchsorted(value, sample.p)
    weight, events = np.zeros((2, len(value)), dtype=np.int64)
    np.add.at(weight, place, count)
    np.add.at(events, place[sample.y], count[sample.y])
    drawn = weight > 0
    columns = (to_library_of(x[drawn], tally.value) for x in (value, weight, events))
    return tally_of_sums(list(columns), tally.cells)


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
    if np.ptp(draws) <= CANCELLED * np.abs(draws).max():
        return 0.0, float(draws[0]) - value
    return float(draws.std(ddof=1)), float(draws.mean()) - value


def interval_of(measure: Measure, draws: Column, method: Method, level: float) -> Pair:
    """Take quantiles of the draws, or go from the value as far as they are off, the other way.

    To studentize, draws are in standard errors of their own, and so is the way back.
    """
    value, error = measure.value, 1.0
    if not math.isfinite(value):
        # What can be said around a value that is infinite or not defined.
        return -math.inf if value == -math.inf else math.nan, math.inf if value > 0 else math.nan
    lower, upper = quantiles(draws, level)
    if method == "percentile":
        return lower, upper
    if method == "basic":
        return 2 * value - upper, 2 * value - lower
    if isinstance(measure, Mean):
        error = float(measure.errors(measure.sample.number[None])[0])
    return value - upper * error, value - lower * error


Measure: TypeAlias = Mean | DrawnArea | Own


@dataclass(frozen=True, eq=False, repr=False)
class Bootstrap(Record):
    """How an estimate varies if the data are drawn again.

    Attributes
    ----------
    value : float
        The estimate from the data themselves.
    standard_error : float
        The standard deviation of the draws; NaN if any of them is infinite or undefined.
    interval : pair of floats
        Lower and upper end; NaN where nothing can be said. An undefined draw counts as lying beyond
        either end, so that an end may be infinite.
    bias : float
        The mean of the draws less the value.
    draws : array
        The estimate from each replicate, in the order in which they were drawn.
    level : float
        How sure the interval is to hold the true value.
    method : str
        How the interval was found: ``"percentile"``, ``"basic"`` or ``"studentized"``.
    kind : str
        What was drawn: ``"cases"``, ``"clusters"`` or ``"blocks"`` of times.
    replicates : int
        The number of draws.
    block_length : float or None
        The mean length of blocks of times.
    design : str
        How cases were taken to be sampled.
    infinite_cases : int
        Cases whose loss is infinite, if the estimate is a mean score.

    Examples
    --------
    >>> import properly
    >>> from properly.rules import Log
    >>> cases = properly.Cases([0, 1, 1, 0], [0.2, 0.7, 0.0, 0.4])
    >>> found = properly.inference.bootstrap(cases, Log(), rng=1)
    >>> print(found)
    inf (no interval: infinite in 67 % of 1,999 replicates; 4 independent cases)
    >>> found.interval, found.infinite_cases
    ((nan, inf), 1)
    """

    value: float
    standard_error: float
    interval: Pair
    bias: float
    draws: Column
    level: float
    method: Method
    kind: Kind
    replicates: int
    block_length: float | None
    design: str
    infinite_cases: int = 0

    def __repr__(self) -> str:
        return f"Bootstrap({self.value:.4g}, {interval_text(self)})"

    def __str__(self) -> str:
        return f"{self.value:.4g} ({self._words}; {self.design})"

    @property
    def _words(self) -> str:
        lower, upper = self.interval
        drawn = many(self.replicates, "replicate")
        if not math.isnan(lower + upper):
            ends = f"interval {lower:.4g} to {upper:.4g}"
            return f"{100 * self.level:g} % {self.method} {ends}, {drawn}"
        if not math.isinf(self.value):
            return "no interval"
        share = float(np.isinf(self.draws).mean())
        return f"no interval: infinite in {share:.0%} of {drawn}".replace("%", " %")

    def flat(self) -> dict[str, Any]:
        """Return the numbers of one row, without the draws."""
        return {name: x for name, x in super().flat().items() if name != "draws"}


@takes_rows
def bootstrap(
    cases: Tally | Cases,
    statistic: Statistic,
    *,
    level: float = 0.95,
    method: Method = "percentile",
    replicates: int = 1999,
    block_length: float | None = None,
    rng: int | np.random.Generator | None = None,
) -> Bootstrap:
    r"""Draw the data again from themselves, and see how an estimate varies.

    Parameters
    ----------
    cases : Tally or Cases
        The forecasts and what happened. What is drawn, with replacement, follows from what is
        known of the cases: whole clusters, blocks of times, or else the cases themselves; within
        strata, if there are any. A case keeps its weight.
    statistic : Rule, "auc" or callable
        A rule stands for its mean score. A function takes `Cases`, or a `Tally` if one was
        given, and returns a number. It is called with the same rows and other weights, of which
        some are 0; for the data themselves, weights that were not given are 1. What goes by the
        number of cases therefore sees weights, not repeated rows.
    level : float
        Coverage aimed at.
    method : {"percentile", "basic", "studentized"}
        How to make an interval of the draws; see the notes. The last is for a rule, and for cases
        without times.
    replicates : int
        How often to draw.
    block_length : float, optional
        The mean length of blocks, if cases have times; 1 means that times do not depend on one
        another. Left to itself, that of `block_length` for the influences that times have upon the
        statistic; a function has none that are known, and needs it.
    rng : int or numpy Generator, optional
        Seed or source of the randomness; without it, every call draws anew.

    Returns
    -------
    Bootstrap

    Warns
    -----
    DataWarning
        With fewer than 20 clusters, and if the statistic is undefined in some replicate, as an AUC
        is without events. ``Cases(y, p, strata=y)`` keeps as many events in all of them.

    Notes
    -----
    With :math:`\hat\theta` the value and :math:`\theta^*` a draw, the interval reaches

    - from a low to a high quantile of :math:`\theta^*`: ``"percentile"``;
    - from :math:`\hat\theta` less a high to :math:`\hat\theta` less a low quantile of
      :math:`\theta^* - \hat\theta`: ``"basic"``;
    - the same with :math:`(\theta^* - \hat\theta) / s^*`, times :math:`s`, the standard error:
      ``"studentized"``, which allows for skewness.

    The quantile is the draw at place :math:`(B + 1) (1 - \text{level}) / 2` among B draws, from
    below and from above; B must be large enough for there to be one.

    Blocks are those of the stationary bootstrap [2]_: each begins at any time and goes on with a
    probability of one less than one over the mean length; the first time follows the last. Cases
    of one time stay together.

    **What it is good for.** Means, ratios, the AUC, net benefit at a fixed threshold, and smooth
    functions of these. It is wrong for the miscalibration of `decompose`, for calibration errors
    near zero, for a recalibrated probability at one forecast, and for the best of many thresholds:
    what is fitted follows cases that were drawn twice. For a mean it has little to add to
    `score_interval` but skewness.

    References
    ----------
    .. [1] A. C. Davison, D. V. Hinkley (1997). Bootstrap methods and their application. Cambridge
       University Press.
    .. [2] D. N. Politis, J. P. Romano (1994). The stationary bootstrap. Journal of the American
       Statistical Association 89:1303-1313. `doi:10.1080/01621459.1994.10476870
       <https://doi.org/10.1080/01621459.1994.10476870>`__

    Examples
    --------
    >>> import properly
    >>> from properly.rules import Brier
    >>> crash = properly.datasets.crash()
    >>> cases = properly.Cases(crash.died, crash.forecasts["logistic"], clusters=crash.cluster)
    >>> print(properly.inference.bootstrap(cases, Brier(), rng=1))
    0.03302 (95 % percentile interval 0.0299 to 0.0362, 1,999 replicates; 4,973 clusters)

    Any function of weighted cases, such as how many events there were for each one expected:

    >>> def ratio(cases):
    ...     return (cases.weight * cases.y).sum() / (cases.weight * cases.p).sum()
    >>> found = properly.inference.bootstrap(cases, ratio, replicates=199, rng=1)
    >>> round(found.value, 2), round(found.standard_error, 2)
    (1.07, 0.05)
    """
    drawing = as_drawing(level, replicates, rng)
    check_choice(method, get_args(Method), "method")
    require_enough(drawing.level, drawing.replicates)
    sample = sample_of(cases if isinstance(cases, Cases) else as_tally(cases))
    measure = _measure_of(sample, statistic)
    if method == "studentized":
        _require_mean(measure, sample)
    length = _length_of_blocks(block_length, sample, measure)
    draws, pivots = [], []
    for counts in sample.counts(length, drawing.replicates, drawing.rng):
        draws.append(measure.values(counts))
        if method == "studentized" and isinstance(measure, Mean):
            pivots.append(measure.pivots(counts))
    every = np.concatenate(draws)
    standard_error, bias = spread_of_draws(measure.value, every)
    ends = interval_of(measure, np.concatenate(pivots or draws), method, drawing.level)
    return Bootstrap(
        value=measure.value,
        standard_error=standard_error,
        interval=UNKNOWN if standard_error == 0 else ends,
        bias=bias,
        draws=every,
        level=drawing.level,
        method=method,
        kind=sample.kind,
        replicates=drawing.replicates,
        block_length=length,
        design=sample.design,
        infinite_cases=measure.infinite_cases if isinstance(measure, Mean) else 0,
    )


def _measure_of(sample: BootstrapSample, statistic: object) -> Measure:
    """Get ready to find a statistic from counts."""
    if isinstance(statistic, Rule):
        return Mean.of(sample, statistic)
    if isinstance(statistic, str) and statistic == "auc":
        return DrawnArea.of(sample)
    if callable(statistic) and not isinstance(statistic, type):
        return Own.of(sample, statistic)
    message = f"a statistic is a rule, 'auc' or a function of the cases; got {statistic!r}"
    hint = "write the rule with parentheses, as in Brier()."
    raise ArgumentTypeError(message, hint=hint if isinstance(statistic, type | str) else None)


def _require_mean(measure: Measure, sample: BootstrapSample) -> None:
    """Refuse to studentize what has no standard error that could be found from counts."""
    if not isinstance(measure, Mean):
        message = 'method="studentized" is for a mean score; the statistic is not a rule'
        raise DataError(message, hint='use method="basic" or method="percentile".')
    if sample.kind == "blocks":
        message = 'method="studentized" is for cases or clusters; these cases have times'
        raise DataError(message, hint='use method="basic" or method="percentile".')


def _length_of_blocks(
    length: float | None, sample: BootstrapSample, measure: Measure
) -> float | None:
    """Check the length of blocks, or choose it; None if there are no times to draw."""
    if sample.kind != "blocks":
        if length is not None:
            message = f"block_length is for cases with times; got block_length={length!r}"
            raise DataError(message, hint="write properly.Cases(y, p, time=column).")
        return None
    times = len(sample.number)
    if length is not None:
        result = as_number(length, "block_length")
        if not 1 <= result <= times:
            message = f"block_length must be from 1 to the number of times, {times}; got {result:g}"
            raise DataError(message)
        return result
    if isinstance(measure, Own):
        message = "with times, a function of one's own needs block_length; got None"
        hint = "it is the mean length of blocks; the cube root of the number of times is a start."
        raise DataError(message, hint=hint)
    return max(1.0, best_block(measure.series)) if np.isfinite(measure.series).all() else 1.0
