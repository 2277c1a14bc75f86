"""Calibration curves (spline, isotonic, lowess), and how far forecasts lie from them.

A curve is fitted to the distinct forecasts and to their cases, which stay; what happened may be
drawn anew. So all that depends on the forecasts alone is found once, and many curves are fitted at
once. `find_distances` compares the distances with those of calibrated forecasts.

References
----------
.. [1] W. S. Cleveland (1979). Robust locally weighted regression and smoothing scatterplots.
   Journal of the American Statistical Association 74:829-836. doi:10.1080/01621459.1979.10481038.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import ClassVar, Literal, Self, TypeAlias

import numpy as np

from properly._boundary._interrupts import checked
from properly._boundary._libraries import infinities
from properly._boundary._notices import notice
from properly._boundary._options import Drawing
from properly._boundary._record import Record
from properly.calibration._line import Subject
from properly.counts._isotonic import refit
from properly.inference._cells import Draw, cell_starts
from properly.inference._draws import Sampler, sampler
from properly.inference._logistic import PIECE, fit_columns, logit, separating_line
from properly.inference._logistic import fit as fit_logistic
from properly.typing import Column

# The share of the cases in each window. Where these hardly differ they get a mean, and no line.
SPAN = 2 / 3
NARROW = 1e-3
# Entries of a table: what stays in the processor's cache, and what is worth a product of matrices.
CACHE = 1 << 17
TABLE = 1 << 22
# Of more forecasts than this, rough curves have lines of their own only as closely as this part of
# a window. That changes distances by less than a hundredth, and their mean by far less.
MANY = 1000
FINE = 200
SLACK = 1e-12
Fit: TypeAlias = Literal["spline", "isotonic", "lowess", "loess"]
FittedCurves: TypeAlias = "Lowess | IsotonicCurve | Spline"
# Where the knots lie among the cases: F. E. Harrell (2015). Regression modeling strategies.
FIVE = (0.05, 0.275, 0.5, 0.725, 0.95)
THREE = (0.1, 0.5, 0.9)
RANK = 1e-9
# Newton's steps that nearly all random outcomes come to rest by; the others are fitted by
# themselves. What is small is told by forecasts that weigh 1 on average. Where outcomes separate,
# each step moves the nearest log odds by 1; a step so far is that of rows hardly apart in doubles.
STEPS = 100
SMALL = 1e-10
LEAP = 0.5
FAR = 1e10
# Of very many forecasts, what a step after one that gains so little would change of a curve is its
# ninth digit.
ENOUGH = 1e-4
# Entries of a table of random events: some ten megabytes at a time.
ENTRIES = 1 << 21
# Of more distinct forecasts than these, random outcomes are counted in cells; for a spline, in so
# many cells, and single forecasts at either end.
LONG, FEW = 1 << 13, 1 << 11
SMOOTH = (1 << 9, 1 << 5)
WITHOUT_MAXIMUM = (
    "the likelihood of the spline has no maximum: distances are from its limit, which is 0 or 1 at "
    'some forecasts; fit="isotonic" and fit="loess" have no such limit'
)


@dataclass(frozen=True, eq=False)
class Lowess:
    """Lines through the neighbours of each forecast, the nearest counting most.

    A window holds two thirds of the cases. There are no steps to make it robust, which would take
    rare events for errors, and every forecast has its own line. A curve may leave [0, 1].
    """

    value: Column
    weight: Column
    width: Column
    span: ClassVar[float] = SPAN
    words: ClassVar[str] = "lowess with windows of two thirds of the cases"

    @classmethod
    def of(cls, value: Column, weight: Column, *, counted: bool) -> Self:
        """Find the width of each forecast's window."""
        total = float(weight.sum())
        needed = cls.span * total * (1 - SLACK)
        if counted:
            needed = min(max(math.floor(cls.span * total + 1e-7), 2.0), total)
        below = _reach(value, weight, needed)
        above = _reach(-value[::-1], weight[::-1], needed)[::-1]
        return cls(value, weight, np.minimum(below, above))

    def at(self, events: Column, *, rough: bool = False) -> Column:
        """Fit some forecasts at a time: what their neighbours count is the same for all curves.

        Rough curves of many forecasts are straight between some of these.
        """
        rate = (events / self.weight).T
        rows = self._anchors() if rough and len(self.value) > MANY else np.arange(len(self.value))
        result = np.concatenate(
            [self.weights(some) @ rate for some in _pieces(rows, TABLE, len(rate))]
        )
        if len(rows) == len(self.value):
            return result.T
        return np.stack([np.interp(self.value, self.value[rows], curve) for curve in result.T])

    def _anchors(self) -> Column:
        """Choose forecasts that are a small part of a window apart."""
        rows, last = [0], len(self.value) - 1
        while rows[-1] < last:
            furthest = self.value[rows[-1]] + self.width[rows[-1]] / FINE
            reached = int(np.searchsorted(self.value, furthest, side="right")) - 1
            rows.append(max(reached, rows[-1] + 1))
        return np.array(rows)

    def weights(self, some: Column) -> Column:
        """Return what each case counts in the lines of some forecasts."""
        pieces = _pieces(some, CACHE, len(self.value))
        return np.concatenate([self._fit(*self._window(piece)) for piece in pieces])

    def _window(self, some: Column) -> tuple[Column, Column, Column]:
        """Return how far all are from some forecasts, in widths, and how much they count."""
        width = self.width[some, None]
        # Without a width, only the forecast itself is in its window.
        reach = np.where(width > 0, width, 1)
        away = self.value - self.value[some, None]
        # What is outside counts nothing, however far it is; in widths that may be beyond doubles.
        np.clip(away, -reach, reach, out=away)
        away /= reach
        kernel: Column = np.abs(away)
        kernel[(width[:, 0] == 0)] = np.where(away[width[:, 0] == 0] == 0, 0, 1)
        np.minimum(kernel, 1, out=kernel)
        # In place, and products rather than powers: this is where the time goes.
        kernel *= kernel * kernel
        np.subtract(1, kernel, out=kernel)
        kernel *= kernel * kernel
        kernel *= self.weight
        kernel /= kernel.sum(axis=1, keepdims=True)
        return away, kernel, width

    def _fit(self, away: Column, kernel: Column, width: Column) -> Column:
        """Return what each case counts in lines through the windows."""
        mean = np.einsum("ij,ij->i", kernel, away)[:, None]
        away -= mean
        moved = kernel * away
        spread = np.einsum("ij,ij->i", moved, away)[:, None]
        is_line = np.sqrt(spread) * width > NARROW * (self.value[-1] - self.value[0])
        kernel -= moved * np.where(is_line, mean / np.where(is_line, spread, 1), 0)
        return kernel


class Loess(Lowess):
    """Parabolas through the neighbours of each forecast, as R's loess has it by default.

    A window holds three quarters of the cases. Where it holds fewer than three forecasts, the
    smallest coefficients that fit are taken.
    """

    span: ClassVar[float] = 0.75
    words: ClassVar[str] = "loess of degree 2 with windows of three quarters of the cases"

    def _fit(self, away: Column, kernel: Column, width: Column) -> Column:  # noqa: ARG002
        """Return what each case counts in parabolas through the windows."""
        powers = [kernel]
        for _ in range(4):
            powers.append(powers[-1] * away)
        sums = np.stack([power.sum(axis=1) for power in powers], axis=1)
        moments = sums[:, np.add.outer(np.arange(3), np.arange(3))]
        first = np.linalg.pinv(moments, rcond=SLACK, hermitian=True)[:, 0, :, None]
        return np.asarray(sum(first[:, k] * powers[k] for k in range(3)))


def _pieces(rows: Column, entries: int, columns: int) -> Iterator[Column]:
    """Cut rows into pieces that make tables of at most so many entries."""
    piece = max(1, entries // columns)
    return (rows[start : start + piece] for start in checked(range(0, len(rows), piece)))


def _reach(x: Column, weight: Column, needed: float) -> Column:
    """Find how far down the nearest cases of the needed weight reach, if they reach down furthest.

    Infinite where the lowest of all is not far enough. By bisection, for all points at once.
    """
    before = np.append(0, np.cumsum(weight))
    low, high = np.full(len(x), -1), np.arange(1, len(x) + 1)
    while (high - low > 1).any():
        middle = np.maximum((low + high) // 2, 0)
        end = np.searchsorted(x, x + (x - x[middle]) * (1 + SLACK), side="right")
        is_enough = before[end] - before[middle] >= needed
        low, high = np.where(is_enough, middle, low), np.where(is_enough, high, middle)
    return np.where(low >= 0, x - x[low], np.inf)


def find_curves(
    fit: Fit,
    value: Column,
    weight: Column,
    *,
    counted: bool,
    cases: tuple[Column, Column] | None = None,
) -> FittedCurves:
    """Get ready to fit curves to forecasts, none of which is certain if it is a spline."""
    if fit == "spline":
        return Spline.of(value, weight, counted=counted, cases=cases)
    if fit == "isotonic":
        return IsotonicCurve(weight)
    return (Loess if fit == "loess" else Lowess).of(value, weight, counted=counted)


def quantiles(
    x: Column,
    weight: Column,
    shares: Sequence[float],
    *,
    counted: bool,
    scale: Callable[[Column], Column] = np.positive,
) -> Column:
    """Find quantiles of numbers that stand for several cases each, on a scale.

    Of counts they are straight lines between neighbouring cases, the first at 0 and the last at 1
    (type 7); of weights, the least number with so large a share at or below it.
    """
    if is_single := counted and weight.max() == 1:
        last = len(x) - 1
    else:
        order = np.argsort(x)
        x, upto = x[order], np.cumsum(weight[order])
        if not counted:
            reached = np.searchsorted(upto, np.multiply(shares, upto[-1] * (1 - SLACK)))
            return scale(x[reached])
        last = upto[-1] - 1
    place = np.multiply(shares, last)
    below = np.floor(place)
    pair = np.stack([below, np.minimum(below + 1, last)])
    if is_single:
        # No need to put all of them in order.
        pair = pair.astype(np.intp)
        x = np.partition(x, np.unique(pair))
    else:
        pair = np.searchsorted(upto, pair, side="right")
    low, high = scale(x[pair])
    return np.asarray(low + (place - below) * (high - low))


@dataclass(frozen=True, eq=False)
class IsotonicCurve:
    """The best increasing curve."""

    weight: Column
    words: ClassVar[str] = "isotonic"

    def at(self, events: Column, *, rough: bool = False) -> Column:  # noqa: ARG002
        """Pool adjacent violators."""
        fits = [refit(self.weight, row) for row in events]
        return np.stack([np.repeat(fit.event_rate, fit.last - fit.first + 1) for fit in fits])


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
    turn: Column

    @classmethod
    def of(
        cls,
        value: Column,
        weight: Column,
        *,
        counted: bool,
        cases: tuple[Column, Column] | None = None,
    ) -> Spline:
        """Place five knots; three where forecasts are too few for that, or else a line.

        They lie among other cases than those that are fitted if forecasts and weights of such are
        given.
        """
        odds, of_cases = logit(value), cases or (value, weight)
        for shares in (FIVE, THREE, ()):
            knots = quantiles(*of_cases, shares, counted=counted, scale=logit)
            if len(set(knots.tolist())) == len(shares):
                columns = spline_columns(odds, knots)
                scaled = columns / np.maximum(np.abs(columns).max(axis=0), np.finfo(float).tiny)
                if np.linalg.matrix_rank(scaled, tol=RANK * len(odds)) == scaled.shape[1]:
                    break
        else:
            columns, knots = np.ones((len(odds), 1)), np.empty(0)
        # Forecasts may all be next to 0: their variance counts among themselves.
        variance = value * (1 - value)
        turn = _upright(columns, weight * (variance / variance.max()))
        return cls(value, weight, columns @ turn, knots, turn)

    def curve_of(self, value: Column, weight: Column, events: Column) -> Column:
        """Fit very many forecasts, of which these are cells."""
        odds = logit(value)
        fitted = fit_columns(self._columns, odds, events, weight, ENOUGH)
        if not np.isfinite(fitted.coefficients).all():
            return fit_or_limit(self._columns(odds)[0], events / weight, weight, odds)
        for k in checked(range(0, len(odds), PIECE)):
            columns, some = self._columns(odds[k : k + PIECE])
            odds[k : k + PIECE] = _expit(some + columns @ fitted.coefficients)
        return odds

    def _columns(self, odds: Column) -> tuple[Column, Column]:
        """Return the columns of forecasts, turned as those of the cells are, and their log odds."""
        columns = spline_columns(odds, self.knots)[:, : len(self.turn)]
        return (self.turn.T @ columns.T).T, odds

    @property
    def words(self) -> str:
        """The kind of the curve, in words."""
        if len(self.knots):
            return f"restricted cubic spline of the log odds with {len(self.knots)} knots"
        return "line of the log odds" if self.axes.shape[1] > 1 else "constant"

    def at(self, events: Column, *, rough: bool = False) -> Column:
        """Fit many at once, and those by themselves that do not come to rest.

        Rough curves of outcomes that separate come near their limit. The others meet it.
        """
        pieces = _pieces(np.arange(len(events)), CACHE, len(self.value))
        climbs = [self._climb(events[some], rough=rough) for some in pieces]
        odds, converged = (np.concatenate(part) for part in zip(*climbs, strict=True))
        result = _expit(odds)
        for row in np.flatnonzero(~converged):
            result[row] = fit_or_limit(
                self.axes, events[row] / self.weight, self.weight, logit(self.value)
            )
        return result

    @infinities()
    def _climb(self, events: Column, *, rough: bool) -> tuple[Column, Column]:
        """Take Newton's steps for many outcomes of the same forecasts; say which came to rest.

        Each has axes of its own, which are turned upright wherever it stands. So steps are right
        also where outcomes separate: some log odds grow without end then, and the others settle.
        """
        odds, active = np.tile(logit(self.value), (len(events), 1)), np.arange(len(events))
        result, converged = odds.copy(), np.zeros(len(events), dtype=bool)
        axes = np.tile(self.axes.T, (len(events), 1, 1))
        move, gain = np.zeros_like(odds), np.zeros(len(events))
        small = SMALL * float(self.weight.mean())
        for _ in checked(range(STEPS)):
            mean = _expit(odds + move)
            left = events[active] - self.weight * mean
            # Beyond the summit, the step is halved.
            is_beyond = np.einsum("ij,ij->i", left, move) < -gain / 2
            odds = np.where(is_beyond[:, None], odds, odds + move)
            axes = _turned(axes, self.weight * mean * (1 - mean), ~is_beyond)
            slope = axes @ left[:, :, None]
            ahead = (slope.transpose(0, 2, 1) @ axes)[:, 0]
            move = np.where(is_beyond[:, None], move / 2, ahead)
            gain = np.where(is_beyond, gain / 2, (slope * slope).sum(axis=(1, 2)))
            size = np.abs(move).max(axis=1)
            is_far = ~(size <= FAR)
            move[is_far] = 0
            result[active] = odds + move
            rests = ~is_beyond & (gain <= small) | is_far
            converged[active[rests]] = rough | (size[rests] < LEAP)
            odds, axes, move, gain, active = (x[~rests] for x in (odds, axes, move, gain, active))
            if not active.size:
                break
        return result, converged


def spline_columns(x: Column, knots: Column) -> Column:
    """Return 1, x, and the cubic pieces that are straight beyond the first and the last knot."""
    columns = [np.ones_like(x), x]
    if len(knots):
        *inner, before, last = knots.tolist()
        one, other = _cube(x - before), _cube(x - last)
        for knot in inner:
            piece = _cube(x - knot) - one * (last - knot) / (last - before)
            piece += other * (before - knot) / (last - before)
            columns.append(piece / (last - inner[0]) ** 2)
    return np.stack(columns).T


def _turned(axes: Column, weight: Column, chosen: Column) -> Column:
    """Turn the chosen axes upright under weights; what next to nothing is known of grows slowly."""
    information = (axes * weight[:, None, :]) @ axes.transpose(0, 2, 1)
    unit = np.eye(axes.shape[1])
    size = np.trace(information, axis1=1, axis2=2)[:, None, None]
    root = np.linalg.cholesky(information + (SLACK * size + np.finfo(float).tiny) * unit)
    return np.asarray(np.where(chosen[:, None, None], np.linalg.inv(root), unit) @ axes)


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
    result: Column = (side > 0).astype(np.float64)
    if left.any():
        columns = Z[left] @ _upright(Z[left], np.ones(int(left.sum())))
        result[left] = fit_or_limit(columns, y[left], weight[left], offset[left])
    return result


@infinities()
def _expit(x: Column) -> Column:
    return np.asarray(1 / (1 + np.exp(-x)))


def _cube(x: Column) -> Column:
    above = np.maximum(x, 0)
    return np.asarray(above * above * above)


def _upright(columns: Column, weight: Column) -> Column:
    """Find what turns columns to right angles and length 1 under weights.

    What depends on others is dropped.
    """
    root = np.sqrt(weight)[:, None]
    largest = np.maximum(np.abs(columns).max(axis=0), np.finfo(float).tiny)
    _, size, turn = np.linalg.svd(root * (columns / largest), full_matrices=False)
    kept = size > RANK * size[0]
    return np.asarray(turn[kept].T / size[kept] / largest[:, None])


@dataclass(frozen=True)
class AbsoluteError(Record):
    """How far forecasts are from a fitted curve, and by chance alone.

    Attributes
    ----------
    value : float
        The distance.
    mean_if_calibrated : float
        Its mean if the forecasts are calibrated, which is not 0.
    upper_if_calibrated : float
        What calibrated forecasts stay below with the probability of the level.

    Examples
    --------
    >>> import properly
    >>> t = properly.Tally.from_counts([0.2, 0.5, 0.8], [90, 70, 40], [15, 38, 33])
    >>> found = properly.calibration_summary(t, rng=1)
    >>> print(f"{found.ici.value:.4f}")
    0.0350
    >>> found.ici.value < found.ici.upper_if_calibrated
    True
    """

    value: float
    mean_if_calibrated: float
    upper_if_calibrated: float


FourErrors: TypeAlias = tuple[AbsoluteError, AbsoluteError, AbsoluteError, AbsoluteError]


def find_distances(
    subject: Subject, fit: Fit, drawing: Drawing, *, compared: bool
) -> tuple[FourErrors, str]:
    """Fit a curve to what happened, and to outcomes that are drawn as the forecasts say.

    Return mean, median, 90 % quantile and maximum of the distances, and what was fitted.
    """
    sample, used = subject.sample, subject.sample.is_uncertain | (fit != "spline")
    value, weight, events, _ = sample.among(used)
    if not len(value):
        unknown = AbsoluteError(math.nan, math.nan, math.nan)
        return (unknown, unknown, unknown, unknown), "none: all forecasts are 0 or 1"
    counted = subject.is_counted
    sizes = (SMOOTH, FEW) if fit == "spline" else (None, LONG)
    start = every = cell_starts(value, weight, *sizes)
    if start is not None:
        # The forecasts 0 and 1 are cells of their own.
        every = np.union1d(np.flatnonzero(used)[start], np.flatnonzero(~used))
    draws = sampler(subject.source, clusters=False, start=every)
    drawn_at = used if every is None else used[every]
    cells = draws.value[drawn_at], draws.total[drawn_at]
    curves = find_curves(fit, *cells, counted=counted, cases=(value, weight))
    if isinstance(curves, Spline) and start is not None:
        curve = curves.curve_of(value, weight, events)
    else:
        curve = find_curves(fit, value, weight, counted=counted).at(events[None])[0]
    words = curves.words
    if fit == "spline" and 0 < events.sum() < weight.sum() and np.isin(curve, (0, 1)).any():
        notice(WITHOUT_MAXIMUM)
        words += ", at its limit"
    observed = _distances(curve[None], value, weight, counted=counted)
    drawn = np.full((1, 4), np.nan)
    if compared:
        drawn = np.concatenate(
            [
                _distances(curves.at(x, rough=True), *cells, counted=counted)
                for x in _events(draws, drawing, drawn_at)
            ]
        )
    columns = np.stack([observed[0], drawn.mean(axis=0), np.quantile(drawn, drawing.level, axis=0)])
    mean, median, most, largest = (AbsoluteError(*x) for x in columns.T.tolist())
    return (mean, median, most, largest), words


def _distances(curves: Column, value: Column, weight: Column, *, counted: bool) -> Column:
    """Return the four distances, a row for each curve."""
    away = curves - value
    np.abs(away, out=away)
    mean = np.einsum("ij,j->i", away, weight) / weight.sum()
    among = [quantiles(row, weight, (0.5, 0.9), counted=counted) for row in away]
    return np.column_stack([mean, np.stack(among), away.max(axis=1)])


def _events(draws: Sampler, drawing: Drawing, some: Column) -> Iterator[Column]:
    """Draw outcomes with the probabilities that were forecast, some replicates at a time."""
    rows = max(1, ENTRIES // len(draws.value))
    outcomes: Iterator[Draw] = draws.outcomes(draws.value, drawing.replicates, drawing.rng)
    while batch := [draw.events[some] for draw in islice(outcomes, rows)]:
        yield np.stack(batch).astype(np.float64)
