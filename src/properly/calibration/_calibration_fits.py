"""Curves of how often the event happened after each forecast, many at once.

A curve is fitted to the distinct forecasts and to their cases, which stay; what happened may be
drawn anew. So all that depends on the forecasts alone is found once.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeAlias

import numpy as np

from properly.calibration._lowess import Lowess
from properly.counts._isotonic import refit
from properly.inference._logistic import fit as fit_logistic
from properly.inference._logistic import logit, separating_line

if TYPE_CHECKING:
    from collections.abc import Sequence

Column: TypeAlias = np.ndarray[Any, Any]
Fit: TypeAlias = Literal["spline", "isotonic", "lowess"]

# Where the knots lie among the cases: F. E. Harrell (2015). Regression modeling strategies.
FIVE = (0.05, 0.275, 0.5, 0.725, 0.95)
THREE = (0.1, 0.5, 0.9)
RANK = 1e-9
# Newton's steps that nearly all random outcomes come to rest by; the others are fitted by
# themselves. A step that moves no log odds by more than the leap leads upward for certain. What is
# small is told by forecasts that weigh 1 on average.
STEPS = 25
LEAP = 0.5
SMALL = 1e-10
SLACK = 1e-12


class Curves(Protocol):
    """Forecasts with their cases, ready to have curves fitted to what happened."""

    @property
    def told(self) -> str:
        """The kind of the curve, in words."""

    def at(self, events: Column, *, rough: bool = False) -> Column:
        """Return the fitted probability at each forecast; a row of events is one curve.

        Rough will do for random events: to about a hundredth of what chance makes of them.
        """


def find_curves(fit: Fit, value: Column, weight: Column, *, counted: bool) -> Curves:
    """Get ready to fit curves to forecasts, none of which is certain if it is a spline."""
    if fit == "spline":
        return Spline.of(value, weight, counted=counted)
    if fit == "isotonic":
        return Isotonic(weight)
    return Lowess.of(value, weight, counted=counted)


def quantiles(x: Column, weight: Column, shares: Sequence[float], *, counted: bool) -> Column:
    """Find quantiles of numbers that stand for several cases each.

    Of counts they are straight lines between neighbouring cases, the first at 0 and the last at 1
    (type 7); of weights, the least number with so large a share at or below it.
    """
    order = np.argsort(x)
    x, upto = x[order], np.cumsum(weight[order])
    if not counted:
        reached = np.searchsorted(upto, np.multiply(shares, upto[-1] * (1 - SLACK)))
        found: Column = x[reached]
        return found
    place = np.multiply(shares, upto[-1] - 1)
    below = np.floor(place)
    pair = (below, np.minimum(below + 1, upto[-1] - 1))
    low, high = (x[np.searchsorted(upto, case, side="right")] for case in pair)
    between: Column = low + (place - below) * (high - low)
    return between


@dataclass(frozen=True, eq=False)
class Isotonic:
    """The best increasing curve."""

    weight: Column

    @property
    def told(self) -> str:
        """The kind of the curve, in words."""
        return "isotonic"

    def at(self, events: Column, *, rough: bool = False) -> Column:  # noqa: ARG002
        """Pool adjacent violators."""
        return np.stack([self._one(row) for row in events])

    def _one(self, events: Column) -> Column:
        bins = refit(self.weight, events)
        return np.repeat(bins.event_rate, bins.last - bins.first + 1)


@dataclass(frozen=True, eq=False)
class Spline:
    """Log odds as a restricted cubic spline of the forecast's log odds: straight beyond its knots.

    The spline is what the log odds differ by from those of the forecast, so that calibrated
    forecasts have the coefficients 0, where the search begins; and the columns are such that the
    information there is the unit matrix.
    """

    value: Column
    weight: Column
    axes: Column
    knots: Column

    @classmethod
    def of(cls, value: Column, weight: Column, *, counted: bool) -> Spline:
        """Place five knots; three where forecasts are too few for that, or else a line."""
        odds = logit(value)
        for shares in (FIVE, THREE, ()):
            knots = quantiles(odds, weight, shares, counted=counted) if shares else np.empty(0)
            if len(set(knots.tolist())) == len(shares):
                columns = spline_columns(odds, knots)
                if _are_independent(columns):
                    break
        else:
            columns, knots = np.ones((len(odds), 1)), np.empty(0)
        return cls(value, weight, _upright(columns, weight * value * (1 - value)), knots)

    @property
    def told(self) -> str:
        """The kind of the curve, in words."""
        if len(self.knots):
            return f"restricted cubic spline of the log odds with {len(self.knots)} knots"
        return "line of the log odds" if self.axes.shape[1] > 1 else "constant"

    def at(self, events: Column, *, rough: bool = False) -> Column:  # noqa: ARG002
        """Fit all at once, and those by themselves that do not come to rest."""
        odds, is_found = self._climb(events)
        found = _expit(odds)
        for row in np.flatnonzero(~is_found):
            found[row] = fit_or_limit(
                self.axes, events[row] / self.weight, self.weight, logit(self.value)
            )
        return found

    def _climb(self, events: Column) -> tuple[Column, Column]:
        """Take Newton's steps for many outcomes of the same forecasts; say which came to rest."""
        size = self.axes.shape[1]
        products = (self.axes[:, :, None] * self.axes[:, None, :]).reshape(-1, size * size)
        odds = np.tile(logit(self.value), (len(events), 1))
        is_found, active = np.zeros(len(events), dtype=bool), np.arange(len(events))
        small = SMALL * self.weight.mean()
        for _ in range(STEPS):
            mean = _expit(odds[active])
            slope = (events[active] - self.weight * mean) @ self.axes
            information = (self.weight * mean * (1 - mean)) @ products
            inverse = np.linalg.pinv(information.reshape(-1, size, size), hermitian=True)
            step = (inverse @ slope[:, :, None])[:, :, 0]
            move = step @ self.axes.T
            odds[active] = self._upward(odds[active], move, events[active])
            is_found[active] = (slope * step).sum(axis=1) <= small
            active = active[~is_found[active]]
            if not active.size:
                break
        return odds, is_found

    def _upward(self, odds: Column, move: Column, events: Column) -> Column:
        """Move the log odds; halve steps that are large until they lead upward."""
        large = np.flatnonzero(np.abs(move).max(axis=1) > LEAP)
        while large.size:
            before, trial = odds[large], odds[large] + move[large]
            is_lower = self._likelihood(trial, events[large]) < self._likelihood(
                before, events[large]
            )
            large = large[is_lower]
            move[large] /= 2
            large = large[np.abs(move[large]).max(axis=1) > LEAP]
        return odds + move

    def _likelihood(self, odds: Column, events: Column) -> Column:
        likely = events * odds - self.weight * np.logaddexp(0, odds)
        total: Column = likely.sum(axis=1)
        return total


def spline_columns(x: Column, knots: Column) -> Column:
    """Return 1, x, and the cubic pieces that are straight beyond the first and the last knot."""
    *inner, before, last = knots.tolist() or (0.0, 0.0)
    columns = [np.ones_like(x), x]
    for knot in inner:
        piece = _cube(x - knot) - _cube(x - before) * (last - knot) / (last - before)
        piece += _cube(x - last) * (before - knot) / (last - before)
        columns.append(piece / (last - inner[0]) ** 2)
    return np.stack(columns, axis=1)


def fit_or_limit(Z: Column, y: Column, weight: Column, offset: Column) -> Column:
    """Return fitted probabilities, also where the best coefficients are infinite.

    Rows that a line tells apart then have the probabilities 0 and 1, and the others, which lie on
    the line, are fitted by themselves.
    """
    if y.max() == 0 or y.min() == 1:
        return np.array(y, dtype=np.float64)
    fitted = fit_logistic(Z, y, weight, offset)
    line = separating_line(Z, y) if fitted.separated else None
    if line is None:
        return _expit(offset + Z @ fitted.coefficients)
    side = Z / np.abs(Z).max(axis=0) @ line
    left = np.abs(side) <= RANK
    found: Column = (side > 0).astype(np.float64)
    if left.any():
        columns = _upright(Z[left], np.ones(int(left.sum())))
        found[left] = fit_or_limit(columns, y[left], weight[left], offset[left])
    return found


def _expit(x: Column) -> Column:
    from scipy.special import expit

    found: Column = expit(x)
    return found


def _cube(x: Column) -> Column:
    found: Column = np.maximum(x, 0) ** 3
    return found


def _are_independent(columns: Column) -> bool:
    columns = columns / np.maximum(np.abs(columns).max(axis=0), np.finfo(float).tiny)
    return bool(np.linalg.matrix_rank(columns, tol=RANK * len(columns)) == columns.shape[1])


def _upright(columns: Column, weight: Column) -> Column:
    """Turn columns to right angles and length 1 under weights, and drop what depends on others."""
    root = np.sqrt(weight)[:, None]
    columns = columns / np.maximum(np.abs(columns).max(axis=0), np.finfo(float).tiny)
    _, size, turn = np.linalg.svd(root * columns, full_matrices=False)
    kept = size > RANK * size[0]
    found: Column = columns @ turn[kept].T / size[kept]
    return found
