"""Grids of thresholds, who is acted upon at each of them, and functions of the threshold.

One acts if the forecast is at the threshold or above. A forecast that was meant to be at it, and
misses it by rounding alone, is at it.
"""

from __future__ import annotations

import math
import numbers
from collections.abc import Callable
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from properly._boundary._arrays import check_forecasts
from properly._boundary._libraries import infinities, read_only, to_numpy
from properly._boundary._notices import notice
from properly._boundary._options import as_number, check_choice
from properly._boundary._tolerances import SAME_FORECAST
from properly.counts._cases import Cases, event_among
from properly.counts._tally import Tally
from properly.errors import DataError
from properly.rules._interval import Interval
from properly.typing import ArrayLike, Column

# What takes a threshold to a place on an axis.
Measure: TypeAlias = Callable[[Any], Any]
# Between its thresholds an exact curve bends; so many straight pieces look bent.
PIECES = 1000
EVERY = "every"
# Not np.arange(0.01, 1, 0.01), which drifts: k / 100 is what 0.07 is read as.
PERCENT: Column = read_only(np.arange(1, 100) / 100)
# Thresholds to look up: so many at most, at equal steps if a range begins above this share of its
# end; else on a ladder, the finest that has not too many rungs, from this share of the end on.
MOST_LOOKED_UP, NARROW, LEAST_SHARE = 40, 0.09, 0.001
# More thresholds than these are not looked up one by one.
FEW_THRESHOLDS = 1000
LADDERS = ((1, 1.5, 2, 2.5, 3, 4, 5, 6, 7, 8, 9), (1, 2, 3, 5, 7), (1, 2, 5), (1,))


def check_thresholds(thresholds: ArrayLike | str | None) -> Column | None:
    """Take one threshold in [0, 1) or several that increase; None means every one.

    Without any they are k / 100. The last of a grid may be 1, and is left out.
    """
    if thresholds is None:
        return PERCENT
    if isinstance(thresholds, str):
        check_choice(thresholds, (EVERY,), "thresholds in words")
        return None
    if isinstance(thresholds, numbers.Real):
        return np.array([check_threshold(float(thresholds))])
    result = check_increasing(thresholds, "thresholds")
    if len(result) > 1 and result[-1] == 1:
        notice("the threshold 1 is left out: no event is worth an action in vain there")
        return result[:-1]
    _require_finite_odds(result[-1])
    return result


def check_increasing(
    given: ArrayLike, name: str, *, least: int = 1, hint: str | None = None
) -> Column:
    """Check increasing numbers in [0, 1]; fewer than the least are refused."""
    result = _as_written(to_numpy(check_forecasts(given, name))) + 0.0
    falls = np.flatnonzero(np.diff(result) <= 0)
    if falls.size:
        row = int(falls[0]) + 1
        message = f"{name} must increase; row {row} is {result[row]:g}, after {result[row - 1]:g}"
        raise DataError(message, hint=hint)
    if len(result) < least:
        message = f"there must be at least {least} {name}; got only {result.tolist()}"
        raise DataError(message, hint=hint)
    return result


def check_threshold(threshold: float) -> float:
    """Take one threshold in [0, 1)."""
    result = as_number(threshold, "threshold")
    if isinstance(threshold, np.floating):
        result = float(_as_written(np.array([threshold]))[0])
    if not 0 <= result <= 1:
        message = f"a threshold must be a probability; got {result:g}"
        hint = f"write {result / 100:g} for {result:g} %." if 1 < result < 100 else None
        raise DataError(message, hint=hint)
    _require_finite_odds(result)
    # What was written as -0.0 is told as 0.0.
    return result + 0.0


def _as_written(thresholds: Column) -> Column:
    """Widen thresholds; those of single precision stand for the shortest decimals they print as."""
    if thresholds.dtype.itemsize >= 8:
        return thresholds.astype(np.float64)
    return np.array([float(str(t)) for t in thresholds])


def _require_finite_odds(threshold: float) -> None:
    if threshold >= 1:
        message = "a threshold must be less than 1, where the odds are infinite; got 1"
        raise DataError(message, hint="at 1 no event is worth an action in vain.")


def round_thresholds(within: Interval | None) -> Column:
    """Return round thresholds to look up, at most forty, with the ends of the range below 1.

    They are equally far apart where the range is narrow, and few to a power of ten where it is
    wide, as the whole range is, of which small thresholds matter most.
    """
    lower, upper = (0.0, 1.0) if within is None else (within.lower, within.upper)
    ends = [x for x in (lower, upper) if 0 < x < 1]
    if lower > NARROW * upper:
        inner = round_multiples(lower, upper, MOST_LOOKED_UP)
    else:
        powers = range(math.floor(math.log10(lower or upper * LEAST_SHARE)), 1)
        inner = []
        for tens in LADDERS:
            inner = [float(f"{x}e{k}") for k in powers for x in tens]
            inner = [x for x in inner if lower <= x <= upper]
            if len(inner) < MOST_LOOKED_UP - 1:
                break
        # Of a range over very many powers of ten, not even each power.
        inner = inner[:: 1 + len(inner) // MOST_LOOKED_UP]
    return np.array(sorted({x for x in inner if x < 1} | {*ends}))


def round_middle(within: Interval | None, event_rate: float) -> float:
    """Return a round threshold in the middle of the range, or else near the event rate."""
    middle = event_rate
    if within is not None:
        middle = math.sqrt(within.lower * within.upper) or within.upper / 2
    return float(f"{middle:.1g}")


def round_multiples(lower: float, upper: float, most: int) -> list[float]:
    """Return the multiples of a round step between two ends, about so many, as people write."""
    step = round_step((upper - lower) / most)
    first, last = math.ceil(lower / step), math.floor(upper / step)
    return [float(f"{k * step:.12g}") for k in range(first, last + 1)]


def round_step(least: float) -> float:
    """Return 1, 2, 2.5 or 5 times a power of ten, no less than this."""
    power = math.floor(math.log10(least))
    steps = (float(f"{x}e{k}") for k in (power, power + 1) for x in (1, 2, 2.5, 5))
    return next(x for x in steps if x >= least * (1 - 1e-9))


def step_decimals(step: float) -> int:
    """Return how many decimals tell multiples of a round step apart."""
    return next(d for d in range(325) if abs(step - round(step, d)) < 1e-3 * step)


def settle(p: Column, threshold: Column) -> Column:
    """Move forecasts that are meant to be at a threshold to it; an order stays as it is.

    These are forecasts within a billionth of the threshold and, in single precision, those that
    it would be rounded to.
    """
    if p.dtype == np.float32:
        rounded = threshold.astype(np.float32)
        place = np.minimum(np.searchsorted(rounded, p), len(rounded) - 1)
        p = np.where(rounded[place] == p, threshold[place], p.astype(np.float64))
    slack = SAME_FORECAST * threshold
    if len(threshold) < FEW_THRESHOLDS and bool((p[1:] >= p[:-1]).all()):
        # Of forecasts in order, those between two thresholds need not be looked at.
        ends = np.searchsorted(p, threshold - slack), np.searchsorted(p, threshold + slack, "right")
        rows = np.concatenate([np.arange(*pair) for pair in zip(*ends, strict=True)])
        if not len(rows):
            return p
        result = p.copy()
        result[rows] = _at_nearest(p[rows], threshold, slack)
        return result
    return _at_nearest(p, threshold, slack)


def _at_nearest(p: Column, threshold: Column, slack: Column) -> Column:
    """Move forecasts to the nearest threshold, if that is near enough."""
    place = np.searchsorted((threshold[1:] + threshold[:-1]) / 2, p)
    return np.where(np.abs(p - threshold[place]) <= slack[place], threshold[place], p)


def settled(source: Tally | Cases, threshold: Column | None) -> Tally | Cases:
    """Move the forecasts of rows likewise; all thresholds are met as it is, and so is a tally."""
    if threshold is None or not isinstance(source, Cases):
        return source
    return event_among(source, source.y, settle(to_numpy(source.p), threshold))


def check_harm(harm: float) -> float:
    """Take what a forecast itself costs, in net benefit."""
    result = as_number(harm, "harm")
    if not 0 <= result < np.inf:
        message = f"a harm must be zero or more, and finite; got {result:g}"
        raise DataError(message, hint="it is subtracted: 0.01 is one event found in 100 cases.")
    return result


def odds(threshold: Column) -> Column:
    """Return how many actions in vain an event found is worth."""
    return np.asarray(threshold / (1 - threshold))


class CurveSteps(NamedTuple):
    """A function of the threshold that jumps at some and is straight along an axis between them.

    Net benefit is straight in the odds, and so are differences of it: between forecasts the shares
    of true and false positives do not change. Elementary scores are straight in the threshold.
    After the last threshold it falls by `beyond` as the axis rises by 1. If that is None, there may
    be jumps at thresholds that are not known.
    """

    threshold: Column
    value: Column
    right: Column
    beyond: float | None
    axis: Measure = odds

    def at(self, t: ArrayLike) -> Column:
        """Return the values at any thresholds in [0, 1), NaN outside; at 1 if that is the last."""
        if self.beyond is None:
            message = "between thresholds that were chosen, net benefit is not known"
            raise DataError(message, hint='ask for thresholds="every", or for those themselves.')
        t = np.asarray(t, dtype=np.float64)
        inside = (t >= 0) & ((t < 1) | (t == self.threshold[-1]))
        t = np.where(inside, t, 0.0)
        last = len(self.threshold) - 1
        after = np.searchsorted(self.threshold, t)
        before, after = np.maximum(after - 1, 0), np.minimum(after, last)
        ends = self.threshold[before], self.threshold[after], t, self.threshold[last]
        start, end, here, stop = map(self.axis, ends)
        share = (here - start) / np.where(end > start, end - start, 1.0)
        value = (1 - share) * self.right[before] + share * self.value[after]
        value = np.where(t == self.threshold[after], self.value[after], value)
        later = self.right[last] - self.beyond * (here - stop)
        value = np.where(t > self.threshold[last], later, value)
        return np.where(inside, value, np.nan)

    def curve(self) -> tuple[Column, Column]:
        """Return points to draw straight lines between: both limits, and what lies between."""
        if self.beyond is None:
            return self.threshold, self.value
        between = np.setdiff1d(np.arange(1, PIECES) / PIECES, self.threshold)
        t = np.concatenate([np.repeat(self.threshold, 2), between])
        jumps = np.stack([self.value, self.right], axis=1).ravel()
        order = np.argsort(t, kind="stable")
        return t[order], np.concatenate([jumps, self.at(between)])[order]

    def pieces(self, within: Interval) -> tuple[Column, Column, Column]:
        """Return the edges of the pieces in a range, and the limits at both ends of each piece."""
        t, (lower, upper) = self.threshold, (within.lower, within.upper)
        inside = (t > lower) & (t < upper)
        # The value is the limit from the left; at the lower end that from the right is wanted.
        first = self.right[t == lower] if (t == lower).any() else self.at([lower])
        start = np.concatenate([first, self.right[inside]])
        end = np.concatenate([self.value[inside], self.at([upper])])
        return np.concatenate([[lower], t[inside], [upper]]), start, end

    def mean(
        self, within: Interval, forward: Measure, odds_area: Measure, length: Measure
    ) -> float:
        """Integrate over a range, piece by piece, and divide by its length.

        Parameters
        ----------
        within : Interval
            The range of thresholds.
        forward : callable
            Where thresholds stand on the axis along which to integrate.
        odds_area : callable
            The integral of the odds along that axis, from anywhere.
        length : callable
            The function by whose change over the range the integral is divided.
        """
        c, start, end = self.pieces(within)
        steps = np.diff(self.axis(c))
        # Forecasts a rounding error apart may have the same odds; nothing lies between them.
        rise = np.divide(end - start, steps, where=steps > 0, out=np.zeros_like(start))
        base = start - rise * self.axis(c[:-1])
        with infinities():  # an end may be infinitely far away
            area = base * np.diff(forward(c)) + rise * np.diff(odds_area(c))
            result = np.sum(area) / np.diff(length(c[[0, -1]]))
        return float(result[0])
