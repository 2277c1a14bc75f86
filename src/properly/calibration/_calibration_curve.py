"""Smooth calibration curves with pointwise bands: the curves behind ICI, to be drawn."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeAlias, get_args

import numpy as np

from properly._boundary._libraries import infinities
from properly._boundary._options import check_choice, check_level, check_whole
from properly._boundary._record import Record
from properly._boundary._text import many
from properly.calibration._curve_fits import Loess, Lowess, Spline
from properly.calibration._line import Subject
from properly.calibration._statistics import ForecastSample
from properly.counts._calls import takes_rows
from properly.counts._cases import Cases
from properly.counts._tally import Tally
from properly.errors import DataError
from properly.inference._averages import warn_of_few
from properly.inference._cells import cell_starts
from properly.inference._logistic import logit
from properly.inference._moments import Spread
from properly.typing import Column

SmoothFit: TypeAlias = Literal["spline", "lowess", "loess"]
# The curve, the ends of its band, and what was fitted, in words.
FittedBand: TypeAlias = "tuple[Column, Column, Column, str]"
# Entries of a table of what each forecast counts at some points.
TABLE = 1 << 21
# Points that are used unless another number is given.
POINTS = 60


@dataclass(frozen=True, eq=False, repr=False)
class CalibrationCurve(Record):
    """How often the event happened after forecasts, as a smooth curve.

    Attributes
    ----------
    forecast : array
        Some of the distinct forecasts, the lowest and the highest among them.
    event_rate : array
        The curve there. Local curves, lowess and loess, may leave [0, 1].
    lower, upper : array
        A pointwise band; NaN where nothing can be said.
    curve : str
        What was fitted, in words.
    level : float
        Coverage of the band at each point.

    Examples
    --------
    >>> import properly
    >>> crash = properly.datasets.crash()
    >>> t = properly.tally(crash.died, crash.forecasts["logistic"])
    >>> properly.calibration.calibration_curve(t)
    CalibrationCurve(60 points of a restricted cubic spline of the log odds with 5 knots)
    """

    forecast: Column
    event_rate: Column
    lower: Column
    upper: Column
    curve: str
    level: float

    _series = ("forecast", "event_rate", "lower", "upper")

    def __repr__(self) -> str:
        return f"CalibrationCurve({many(len(self.forecast), 'point')} of a {self.curve})"


@takes_rows
def calibration_curve(
    cases: Tally | Cases, *, fit: SmoothFit = "spline", level: float = 0.95, points: int = POINTS
) -> CalibrationCurve:
    r"""Fit a smooth calibration curve, and say how far off it may be at each point.

    It is the curve whose distances from the forecasts `calibration_summary` averages (ICI).

    Parameters
    ----------
    cases : Tally or Cases
        The forecasts and what happened. `Cases` say how they were sampled: weights, clusters,
        strata, time.
    fit : {"spline", "lowess", "loess"}
        A logistic regression on a restricted cubic spline of the log odds; local lines in windows
        of two thirds of the cases; or local parabolas in windows of three quarters of them, as R's
        ``loess`` has it with its defaults, ``span = 0.75, degree = 2, family = "gaussian"``, and
        ``surface = "direct"``.
    level : float
        Coverage of the band, at each point by itself.
    points : int
        How many of the distinct forecasts to return at most: half of them evenly among the cases,
        half evenly along the axis.

    Returns
    -------
    CalibrationCurve

    Notes
    -----
    Local curves weigh the neighbours of a forecast by :math:`(1 - (d / h)^3)^3`, with h the
    distance to the last of them, and are evaluated directly at each point; there is no
    interpolation, which is R's default and differs a little.

    A curve is, but for smaller terms, a sum over cases, of which each adds
    :math:`l (y - \hat g)`; the variance of the sum allows for the design (sandwich), with Student's
    t. Of a spline it is that of the log odds, so that the band stays inside [0, 1]. The bias of
    smoothing is not in the band.

    Forecasts of exactly 0 and 1 have no log odds, and are left out of a spline. Of more than 32,768
    distinct forecasts the curve is fitted to cells of them.

    References
    ----------
    .. [1] P. C. Austin, E. W. Steyerberg (2019). The Integrated Calibration Index (ICI) and related
       metrics for quantifying the calibration of logistic regression models. Statistics in Medicine
       38:4051-4065. `doi:10.1002/sim.8281 <https://doi.org/10.1002/sim.8281>`__
    .. [2] W. S. Cleveland, S. J. Devlin (1988). Locally weighted regression: an approach to
       regression analysis by local fitting. Journal of the American Statistical Association
       83:596-610. `doi:10.1080/01621459.1988.10478639
       <https://doi.org/10.1080/01621459.1988.10478639>`__

    Examples
    --------
    >>> import properly
    >>> t = properly.Tally.from_counts([0.1, 0.2, 0.5, 0.8], [80, 90, 70, 40], [6, 15, 38, 33])
    >>> found = properly.calibration.calibration_curve(t, fit="loess")
    >>> found.event_rate.round(3)
    array([0.075, 0.167, 0.543, 0.825])
    """
    check_choice(fit, get_args(SmoothFit), "fit")
    level, points = check_level(level), check_whole(points, "points")
    sample = _CurveSample.of(Subject.of(cases), fit)
    value = sample.cells.value
    if not len(value):
        message = "a spline needs forecasts that are not exactly 0 or 1; all of these are"
        raise DataError(message, hint='pass fit="loess".')
    warn_of_few(cases)
    at = _some(value, sample.cells.weight, points)
    fitted = _spline(sample, at, level) if fit == "spline" else _local(sample, at, fit, level)
    return CalibrationCurve(value[at], *fitted, level)


class _CurveSample(NamedTuple):
    """Forecasts, or cells of them, that a curve is fitted to; `subject` has one more cell.

    That holds what is left out, and adds nothing.
    """

    cells: ForecastSample
    subject: Subject

    @classmethod
    def of(cls, subject: Subject, fit: SmoothFit) -> _CurveSample:
        """Leave out what has no log odds, and group very many forecasts into cells."""
        sample = subject.sample
        used = sample.is_uncertain | (fit != "spline")
        cells, place = sample.among(used), np.cumsum(used) - 1
        start = cell_starts(cells.value, cells.weight, None)
        if start is not None:
            cells = cells.grouped(start)
            place = np.searchsorted(start, place, side="right") - 1
        rest = (np.append(x, y[~used].sum()) for x, y in zip(cells, sample, strict=True))
        row = None
        if subject.design is not None:
            row = np.where(used, place, len(cells.value))[subject.row]
        return cls(cells, subject._replace(sample=ForecastSample(*rest), row=row))

    def spread(self, piece: Column, fitted: Column) -> Spread:
        """Find how sums vary together, as the design says, given what each forecast adds."""
        share, away = np.pad(piece, ((0, 0), (0, 1))), np.append(fitted, 0.0)
        return self.subject.spread(share * (1 - away), -share * away)


def _some(value: Column, weight: Column, points: int) -> Column:
    """Choose forecasts, half of them evenly among the cases and half along the axis."""
    if len(value) <= points:
        return np.arange(len(value))
    half = max(points // 2, 2)
    upto = np.cumsum(weight)
    among = np.searchsorted(upto, np.linspace(0, upto[-1], half))
    along = np.searchsorted(value, np.linspace(value[0], value[-1], half))
    both = np.unique(np.minimum(np.append(among, along), len(value) - 1))
    # Where the two meet there is room for more.
    free = points - len(both)
    rest = np.setdiff1d(np.arange(len(value)), both)
    more = rest[np.linspace(0, len(rest) - 1, free).astype(np.intp)] if free > 0 else rest[:0]
    return np.union1d(both, more)


def _local(sample: _CurveSample, at: Column, fit: SmoothFit, level: float) -> FittedBand:
    """Fit lines or parabolas around each point."""
    value, weight, events, _ = sample.cells
    kind = Loess if fit == "loess" else Lowess
    curves = kind.of(value, weight, counted=sample.subject.is_counted)
    size = max(1, TABLE // len(sample.subject.source))
    pieces = [curves.weights(at[k : k + size]) for k in range(0, len(at), size)]
    curve = np.concatenate([piece @ (events / weight) for piece in pieces])
    fitted = np.interp(value, value[at], curve).clip(0, 1)
    half = [sample.spread(piece / weight, fitted).half_widths(level) for piece in pieces]
    return curve, curve - np.concatenate(half), curve + np.concatenate(half), curves.words


def _spline(sample: _CurveSample, at: Column, level: float) -> FittedBand:
    """Fit a logistic regression; the band is one of the log odds."""
    value, weight, events, _ = sample.cells
    curves = Spline.of(value, weight, counted=sample.subject.is_counted)
    if events.sum() in (0.0, weight.sum()):
        certain, unknown = np.full(len(at), float(events.any())), np.full(len(at), np.nan)
        return certain, unknown, unknown, curves.words
    fitted = curves.at(events[None])[0]
    axes = curves.axes
    information = np.einsum("ji,j,jk->ik", axes, weight * fitted * (1 - fitted), axes)
    turn = axes[at] @ np.linalg.pinv(information, hermitian=True)
    # Points are sums of a few axes: these alone are added up over clusters or times.
    joint, degrees = sample.spread(axes.T, fitted)
    square = np.einsum("ij,jk,ik->i", turn, joint, turn)
    half = Spread(np.diag(np.maximum(square, 0)), degrees).half_widths(level)
    curve = fitted[at]
    # Where the best coefficients are infinite, nothing says how far off they are.
    with infinities():
        odds = logit(curve)
        lower, upper = (1 / (1 + np.exp(-x)) for x in (odds - half, odds + half))
    return curve, lower, upper, curves.words
