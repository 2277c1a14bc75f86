"""Power means: the arithmetic, the geometric, and all between and beyond them.

A precision limits how near forecasts are to 0 and 1, and how many had to move is counted.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from properly._boundary._arrays import (
    as_column,
    as_numbers,
    check_amounts,
    check_length,
    check_weights,
)
from properly._boundary._chunks import sweep
from properly._boundary._libraries import infinities, is_numpy, namespace, to_numpy
from properly._boundary._options import as_number
from properly._boundary._record import Record
from properly.counts._cases import Cases, is_unweighted, with_forecasts
from properly.counts._pooling import is_one_each, pool
from properly.counts._tally import Tally, as_tally, sums_of, tally_of_sums
from properly.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from properly.typing import Array, ArrayLike, Column


DECISIVENESS, MEAN_PROBABILITY, ROBUSTNESS = 1.0, 0.0, -2 / 3
# Smaller powers are 0 to the last digit of any mean.
NONE = 1e-100
POWERS = {
    "decisiveness": DECISIVENESS,
    "mean_probability": MEAN_PROBABILITY,
    "robustness": ROBUSTNESS,
}
# Names as tables and figures print them.
LABELS = {name: name.replace("_", " ") for name in POWERS}


@dataclass(frozen=True)
class ThreeMeans(Record):
    """Three means of the same probabilities, the greatest first.

    Attributes
    ----------
    decisiveness : float
        The arithmetic mean, of power 1: near 1 where what happened was called all but certain,
        and hardly moved by a few cases that were called all but impossible.
    mean_probability : float
        The geometric mean, of power 0: the log score on the scale of probabilities, which Nelson
        calls accuracy. It is not the share of correct decisions.
    robustness : float
        The mean of power -2/3, which a few cases that were called all but impossible pull down.

    Examples
    --------
    >>> from properly.probability._power_means import ThreeMeans
    >>> ThreeMeans(0.7, 0.6, 0.5).mean_probability
    0.6
    """

    decisiveness: float
    mean_probability: float
    robustness: float


def generalized_mean(values: ArrayLike, power: float, weight: ArrayLike | None = None) -> float:
    r"""Return the (weighted) mean of a power.

    .. math:: M_m(t) = \Big(\frac{\sum_i w_i t_i^m}{\sum_i w_i}\Big)^{1/m}, \qquad
        M_0(t) = \exp \frac{\sum_i w_i \log t_i}{\sum_i w_i}, \qquad
        M_{\pm\infty}(t) = \max_i t_i, \ \min_i t_i .

    Parameters
    ----------
    values : array-like
        Numbers, none negative; probabilities as a rule.
    power : float
        Any real number, or an infinity. 1 is the arithmetic mean, 0 the geometric, -1 the harmonic.
    weight : array-like, optional
        Weights, none negative; values of weight 0 are left out.

    Returns
    -------
    float

    Notes
    -----
    The mean increases with the power. A single 0 makes it 0 for every power up to 0, and is
    an ordinary value for those above. Powers are taken of logarithms and scaled by the largest, so
    that nothing overflows.

    References
    ----------
    .. [1] G. H. Hardy, J. E. Littlewood, G. Pólya (1952). Inequalities, 2nd edition. Cambridge
       University Press, chapter II.

    Examples
    --------
    >>> import properly
    >>> [round(properly.generalized_mean([0.9, 0.8, 0.3], m), 4) for m in (1, 0, -2 / 3)]
    [0.6667, 0.6, 0.5508]
    >>> properly.generalized_mean([0.9, 0.0], 0), properly.generalized_mean([0.9, 0.0], 1)
    (0.0, 0.45)
    """
    t = to_numpy(check_amounts(values, "values")).astype(np.float64)
    m = as_number(power, "power")
    if math.isnan(m):
        message = f"a power must be a number or an infinity; got {power!r}"
        raise DataError(message)
    if weight is None:
        return mean_of_power(t, m)
    w = to_numpy(check_weights(weight))
    check_length(w, t, "weights", "values")
    return mean_of_power(t[w > 0], m, w[w > 0])


def as_powers(powers: ArrayLike) -> Column:
    """Take a list of numbers; what was written as -0.0 is told as 0.0."""
    result = to_numpy(as_numbers(as_column(powers, "powers"), "powers"))
    return result.astype(np.float64) + 0.0


def mean_of_power(t: Column, power: float, weight: Column | None = None) -> float:
    """Return the mean of a power of numbers, none negative, with positive weights."""
    if power == DECISIVENESS:
        return _average(t, weight)
    with infinities():
        result = mean_from_logs(np.log(t), power, weight)
    # Equal numbers have that very number as their mean.
    return min(max(result, float(t.min())), float(t.max()))


def mean_from_logs(log: Column, power: float, weight: Column | None = None) -> float:
    """Return the mean of a power of numbers whose logarithms are given; that of 0 is infinite."""
    if abs(power) < NONE:
        return math.exp(_average(log, weight))
    last = float(log.max() if power > 0 else log.min())
    if math.isinf(power) or math.isinf(last):
        return math.exp(last)
    with infinities():
        # Relative to the number that counts most, whose power is then 1.
        below = power * (log - last)
    if below.min() < -1:
        rest = math.log(_average(np.exp(below), weight))
    else:
        # A small power leaves next to nothing, which must not be lost beside 1.
        rest = math.log1p(_average(np.expm1(below), weight))
    return math.exp(last + rest / power)


def three_means(t: Column, weight: Column) -> ThreeMeans:
    """Return the arithmetic, the geometric and the -2/3 mean, in one pass."""
    return sums_of_powers(t, weight).means()


class PowerSums(NamedTuple):
    """What three means are made of; the sums of parts add up to those of the whole."""

    weight: float
    value: float
    log: float
    power: float

    @classmethod
    def of_all(cls, parts: Iterable[PowerSums]) -> PowerSums:
        """Add up what the parts of the data sum to."""
        return cls(*map(math.fsum, zip(*parts, strict=True)))

    def means(self) -> ThreeMeans:
        """Divide by the weight, and undo the powers."""
        return ThreeMeans(*(float(mean) for mean in divide_sums(*self)))


def divide_sums(weight: Any, value: Any, log: Any, power: Any) -> tuple[Any, Any, Any]:
    """Return the three means that sums, or columns of sums, stand for, the greatest first."""
    robustness = (power / weight) ** (1 / ROBUSTNESS)
    # Rounding must not turn their order round.
    mean_probability = np.maximum(np.exp(log / weight), robustness)
    return np.maximum(value / weight, mean_probability), mean_probability, robustness


def sums_of_powers(t: Column, weight: Column) -> PowerSums:
    """Add up numbers, their logarithms and their powers of -2/3, each times its weight."""
    return sums_in_pieces(lambda t, weight: [_sums(t, weight)], t, weight)[0]


def sums_in_pieces(
    function: Callable[..., Sequence[PowerSums]], *columns: Array
) -> tuple[PowerSums, ...]:
    """Add up, part by part, what a function finds in pieces of the columns."""
    parts = zip(*sweep(function, *columns), strict=True)
    return tuple(PowerSums.of_all(part) for part in parts)


def sums_of_outcomes(value: Array, weight: Array, events: Array) -> tuple[PowerSums, ...]:
    """Add up what events were given, and what the absence of an event was, at each forecast."""
    one_each = is_one_each(weight)

    def sums(value: Array, weight: Array, events: Array) -> list[PowerSums]:
        xp = namespace(value)
        event, none = (xp.nonzero(x)[0] for x in (events > 0, events < weight))
        happened = None if one_each else xp.take(events, event)
        missing = None if one_each else xp.take(weight - events, none)
        others = 1.0 - xp.astype(xp.take(value, none), xp.float64)
        return [_sums(xp.take(value, event), happened), _sums(others, missing)]

    return sums_in_pieces(sums, value, weight, events)


def _sums(t: Array, weight: Array | None) -> PowerSums:
    """Add up three powers in place, since fresh memory costs as much as the arithmetic."""
    xp = namespace(t)
    weight = None if weight is None else xp.astype(weight, xp.float64)

    def add(x: Array) -> float:
        return float(xp.sum(x) if weight is None else weight.dot(x))

    t = xp.astype(t, xp.float64, copy=False)
    with infinities():
        x = xp.log(t)
    log = add(x)
    x *= ROBUSTNESS
    power = add(np.exp(x, out=x) if is_numpy(x) else xp.exp(x))
    total = float(len(t) if weight is None else weight.sum())
    return PowerSums(total, add(t), log, power)


def _average(x: Column, weight: Column | None) -> float:
    if weight is None:
        return float(x.mean())
    weight = weight.astype(np.float64)
    return float(weight @ x / weight.sum())


class Limited(NamedTuple):
    """Forecasts within the limits, how many cases or how much weight moved, and the precision."""

    cases: Tally | Cases
    clipped: int | float
    precision: float | None


def limit(cases: Tally | Cases, precision: float | None) -> Limited:
    """Move forecasts below the precision up to it, and those above one minus it down to that.

    Rows of more than two classes are then divided by their sums, since what is moved at one class
    is missing at the others. No precision moves nothing.
    """
    classes = cases.classes if isinstance(cases, Cases) else None
    if not isinstance(cases, Cases):
        cases = as_tally(cases)
    least = check_precision(precision, classes or 2)
    if least is None:
        return Limited(cases, 0, None)
    if isinstance(cases, Tally):
        return _limit_tally(cases, least)
    p, moved = _clip(cases.p, least)
    if classes is not None:
        xp = namespace(p)
        moved = xp.any(moved, axis=1)
        # In order of size, so that rows of the same numbers have the same sum.
        total = xp.sum(xp.sort(p, axis=1), axis=1, keepdims=True)
        p = xp.where(moved[:, None], p / total, p)
    return Limited(with_forecasts(cases, p), _amount_of_cases(moved, cases), least)


def check_precision(precision: float | None, classes: int) -> float | None:
    """Take a precision that leaves every class its share if all are alike; None is none."""
    if precision is None:
        return None
    result = as_number(precision, "precision")
    if not 0 <= result < 1 / classes:
        message = (
            f"precision must be 0 or more and below 1/{classes}, the probability of each of "
            f"{classes} classes if all are alike; got {result:g}"
        )
        raise DataError(message)
    return result + 0.0


def _clip(p: Array, least: float) -> tuple[Array, Array]:
    """Return probabilities within the limits, in double precision, and which of them moved."""
    xp = namespace(p)
    p = xp.astype(p, xp.float64)
    within = xp.clip(p, least, 1 - least)
    return within, within != p


def _limit_tally(tally: Tally, least: float) -> Limited:
    within, moved = _clip(tally.value, least)
    if not namespace(moved).any(moved):
        return Limited(tally, 0, least)
    columns = pool(within, sums_of(tally))
    amount = namespace(moved).sum(tally.weight[moved])
    amount = int(amount) if tally.event_squares is None else float(amount)
    return Limited(tally_of_sums(columns, tally.cells), amount, least)


def _amount_of_cases(moved: Array, cases: Cases) -> int | float:
    """Count cases, or add up their weight; equal weights are none."""
    xp, weight = namespace(moved), cases.weight
    if weight is None:
        return int(xp.count_nonzero(moved))
    if is_unweighted(cases):
        return int(xp.count_nonzero(moved & (weight > 0)))
    return float(xp.sum(xp.astype(weight[moved], xp.float64)))
