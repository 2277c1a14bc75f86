r"""Binned (ECE) and smooth calibration errors, to match numbers that others have published.

The smooth error smooths the residuals by a normal kernel that is reflected at 0 and at 1. It is
diagonal in cosines,

.. math:: K_s(t, x) = 1 + 2 \sum_{k \ge 1} e^{-(\pi k s)^2 / 2} \cos(\pi k t) \cos(\pi k x) ,

so smoothing is a fast transform once the residuals lie on a grid. They are brought there by sharing
each out to its four nearest points, as the cubic through these would: with cells of width `h` the
smoothed function is then off by no more than 3/128 (h/s)**4 M4 times the sum of the absolute
residuals, in the mean over [0, 1]. Its indefinite integral G is another transform, exact but for
rounding, and the integral of the absolute value is how far G goes up and down. That is taken from
the cubics that have the heights and slopes of G on the grid: off by no more than 1/96 (h/s)**3 M3
times the same sum. M3 < 1.52 and M4 < 2.81 are the mean absolute values of two Hermite polynomials.
With `h` at most s/32, all is off by less than 6e-7 times the sum, which is never above 1.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np

from properly._boundary._libraries import infinities
from properly._boundary._options import as_number
from properly._boundary._record import Record
from properly._boundary._text import amount_of, many, wrapped
from properly.calibration._reliability import BinnedReliability, Scheme, bins_of
from properly.calibration._statistics import ForecastSample
from properly.counts._calls import takes_rows
from properly.counts._cases import Cases, has_classes
from properly.counts._reductions import top_label
from properly.counts._tally import Tally, as_tally
from properly.errors import DataError

if TYPE_CHECKING:
    from properly.typing import Column


# Cells of a grid: enough of them a scale, and never so few that more would cost nothing.
CELLS_A_SCALE = 32
FEWEST_CELLS = 2**12
# Scales between which to look for one, each a quarter of the one before.
SCALES = tuple(2.0**-k for k in range(7, 18, 2))
LEAST_SCALE = SCALES[-1]
# So many standard deviations away, a normal density is lost in rounding.
REACH = 9.0
# Effective cases of a bin whose variance can be told: more than one, rounding apart.
ALONE = 1 + 1e-9
BIASED = (
    "Chance makes binned errors too large, averaging within bins makes them too small, and "
    "another number of bins makes another number."
)


class Waves(NamedTuple):
    """Residuals as sums of cosines: how much of each number of half waves between 0 and an end."""

    amount: Column
    end: float


def error_at(value: Column, residual: Column, scale: float) -> float:
    """Return the integral of the absolute value of smoothed residuals.

    Parameters
    ----------
    value : numpy array of float64
        Forecasts in [0, 1], in any order.
    residual : numpy array of float64
        What is to be smoothed: shares of all cases, forecast less outcome.
    scale : float
        Standard deviation of the kernel, not less than `LEAST_SCALE`.
    """
    return _area(_waves(value, residual, scale, scale), scale)


def fixed_point(value: Column, residual: Column) -> tuple[float, float]:
    """Return the error and the scale where the two are equal.

    The error does not increase with the scale, since more smoothing is smoothing of what was
    smoothed. So there is one such scale. Below the least scale, return the error at that.
    """
    from scipy.optimize import brentq

    def excess(scale: float) -> float:
        return _area(waves, scale) - scale

    if (residual >= 0).all() or (residual <= 0).all():
        # Nothing cancels, at any scale.
        total = abs(float(residual.sum()))
        return total, total
    # No error is above 1, so the scale 2 is too large.
    least = 2.0
    for scale in SCALES:
        most, least = least, scale
        waves = _waves(value, residual, least, most)
        if excess(least) >= 0:
            result = float(brentq(excess, least, most, xtol=1e-13))
            return result, result
    return _area(waves, least), least


def _waves(value: Column, residual: Column, least: float, most: float) -> Waves:
    """Write residuals as sums of cosines, on a grid for scales from the least to the most.

    If no forecast comes near 1, the grid ends sooner: what is beyond the reach of all forecasts
    might as well be reflected. So rare events, whose scales are small, need no large grid.
    """
    from scipy.fft import dct

    end = min(1.0, float(value.max()) + REACH * most)
    cells = 2 ** math.ceil(math.log2(max(CELLS_A_SCALE * end / least, FEWEST_CELLS)))
    place = value * (cells / end)
    left = np.minimum(place.astype(np.int64), cells - 1)
    u = place - left
    shares = (
        u * (1 - u) * (u - 2) / 6,
        (u + 1) * (1 - u) * (2 - u) / 2,
        u * (u + 1) * (2 - u) / 2,
        u * (u + 1) * (u - 1) / 6,
    )
    mass = np.zeros(cells + 1)
    for step, share in zip((-1, 0, 1, 2), shares, strict=True):
        # Beyond both ends everything is reflected, as the kernel is.
        node = cells - np.abs(cells - np.abs(left + step))
        mass += np.bincount(node, residual * share, cells + 1)
    mass[1:-1] /= 2
    return Waves(dct(mass, type=1), end)


def _area(waves: Waves, scale: float) -> float:
    """Smooth at a scale, and integrate the absolute value."""
    from scipy.fft import dct, dst

    cells = len(waves.amount) - 1
    angle = np.pi * np.arange(cells + 1)
    smooth = waves.amount * np.exp(-((angle * (scale / waves.end)) ** 2) / 2)
    slope = dct(smooth, type=1) / cells
    height = np.linspace(0, smooth[0], cells + 1)
    height[1:-1] += dst(smooth[1:-1] / angle[1:-1], type=1)
    return variation(height, slope)


def variation(height: Column, slope: Column) -> float:
    """Add up how far the cubics with these heights and slopes, one step apart, go up and down."""
    rise, before, after = np.diff(height), slope[:-1], slope[1:]
    # The slope of a cubic is a parabola, and the three are its Bernstein coefficients: where they
    # have one sign, so has the slope.
    bernstein = np.stack([before, 3 * rise - before - after, after])
    turns = (bernstein.min(axis=0) < 0) & (bernstein.max(axis=0) > 0)
    a, b, c = bernstein[:, turns]
    bend, half = a - 2 * b + c, b - a
    with infinities():
        root = -(half + np.copysign(np.sqrt(half**2 - bend * a), half))
        u = np.stack([root / bend, a / root])
    # What is not a turn within the cell is put at one of its ends, where it does no harm.
    u = np.sort(np.clip(np.nan_to_num(u, posinf=1, neginf=0), 0, 1), axis=0)
    corner = a * u + half * u**2 + bend * u**3 / 3
    path = np.concatenate([np.zeros((1, len(a))), corner, rise[turns][np.newaxis]])
    straight = np.abs(rise[~turns]).sum()
    return float(straight + np.abs(np.diff(path, axis=0)).sum())


@dataclass(frozen=True, eq=False, repr=False)
class CalibrationError(Record):
    """How far event rates are from mean forecasts, bin by bin.

    All of these numbers depend on the bins, and none of them says whether a model is calibrated:
    see the notes of `properly.calibration.calibration_error`.

    Attributes
    ----------
    expected : float
        The mean distance, weighted by cases (ECE). Of calibrated forecasts it is not 0 either.
    averaged : float
        The mean distance over bins, each of which counts the same (ACE).
    signed : float
        The mean difference, weighted by cases, without absolute values: positive if more happened
        than was forecast. It is the event rate less the mean forecast, whatever the bins.
    maximum : float
        The greatest distance (MCE), which is that of a small bin as a rule.
    maximum_cases : int or float
        The cases, or their weight, of the bin with the greatest distance.
    squared : float
        The mean squared distance.
    debiased : float
        The same, less what chance adds to it. It may be negative.
    root : float
        The square root of `debiased`, 0 if that is negative.
    expected_if_calibrated : float
        About what `expected` would be of calibrated forecasts.
    bins : BinnedReliability
        The bins.
    classes : int or None
        Of how many classes the likeliest was judged and the others ignored; None for an event.

    Examples
    --------
    >>> import properly
    >>> y, p = [0, 1, 0, 1, 1, 1], [0.25, 0.25, 0.5, 0.5, 0.75, 0.75]
    >>> found = properly.calibration.calibration_error(properly.tally(y, p), bins=4)
    >>> found
    CalibrationError(0.1667 in 3 filled bins of equal width)
    >>> found.maximum, round(found.debiased, 3), found.root
    (0.25, -0.125, 0.0)
    """

    expected: float
    averaged: float
    signed: float
    maximum: float
    maximum_cases: int | float
    squared: float
    debiased: float
    root: float
    expected_if_calibrated: float
    bins: BinnedReliability
    classes: int | None = None

    _optional: ClassVar = ("bins",)

    def __repr__(self) -> str:
        return f"CalibrationError({self.expected:.4g} in {self._bins()})"

    def __str__(self) -> str:
        """Give the numbers, and what is wrong with them."""
        usual = f"calibrated forecasts would have about {self.expected_if_calibrated:.4g}"
        result = f"{self.maximum:.4g}, in a bin of {amount_of(self.maximum_cases)}"
        lines = [
            f"Expected calibration error {self.expected:.4g} in {self._bins()}; {usual}.",
            f"Greatest error {result}.",
            f"Squared error {self.squared:.4g}, {self.debiased:.4g} without its bias.",
            BIASED,
        ]
        return "\n".join(map(wrapped, lines + _note_of_classes(self.classes)))

    def _columns(self) -> dict[str, list[Any]]:
        return {name: column for name, column in super()._columns().items() if name != "bins"}

    def _bins(self) -> str:
        return f"{many(len(self.bins), 'filled bin')} of equal {self.bins.scheme}"


@dataclass(frozen=True)
class SmoothError(Record):
    """A calibration error without bins, and the scale at which it was found.

    Attributes
    ----------
    value : float
        The error; ``float(record)`` is the same.
    scale : float
        The standard deviation of the kernel.
    classes : int or None
        Of how many classes the likeliest was judged and the others ignored; None for an event.

    Examples
    --------
    >>> import properly
    >>> t = properly.tally([0, 1, 0, 1], [0.1, 0.3, 0.6, 0.9])
    >>> print(f"{float(properly.calibration.smooth_calibration_error(t, scale=0.1)):.6f}")
    0.283162
    """

    value: float
    scale: float
    classes: int | None = None

    def __float__(self) -> float:
        return self.value

    def __str__(self) -> str:
        """Give the number, and what is wrong with it."""
        lines = [
            f"Smooth calibration error {self.value:.4g} at the scale {self.scale:.4g}.",
            "Chance makes it too large: it is not 0 of calibrated forecasts either.",
        ]
        return "\n".join(lines + _note_of_classes(self.classes))


@takes_rows
def calibration_error(
    cases: Tally | Cases, *, bins: int = 15, scheme: Scheme = "width"
) -> CalibrationError:
    r"""Average how far event rates are from mean forecasts, over bins.

    .. math:: \text{ECE} = \sum_b \frac{n_b}{n} |\bar y_b - \bar x_b|, \qquad
        \text{MCE} = \max_b |\bar y_b - \bar x_b|,

    with :math:`\bar x_b` the mean forecast of a bin, not its middle. This is for matching a number
    that someone else has published, with the number of bins and the scheme that they used.

    Parameters
    ----------
    cases : Tally or Cases
        The forecasts and what happened. Of several classes, the likeliest of each case is judged
        and the others are ignored. `properly.one_vs_rest` asks about each class: the mean of their
        expected errors is the class-wise ECE [2]_.
    bins : int
        How many bins. Empty ones are left out.
    scheme : {"width", "count"}
        Bins of equal width, or with about equally many cases each. See
        `properly.calibration.binned_reliability`: 1 is in the last bin, and equal forecasts stay
        together.

    Returns
    -------
    CalibrationError

    Notes
    -----
    **Bias.** Event rates of calibrated forecasts differ from the forecasts by chance, and absolute
    values of chance add up. If differences are nearly normal, the mean error of calibrated
    forecasts is

    .. math:: \frac1n \sum_b \sqrt{\frac2\pi n_b \bar x_b (1 - \bar x_b)} ,

    `expected_if_calibrated`, which grows with the number of bins. On the other side, errors of both
    signs within a bin cancel. The result jumps as a forecast crosses the edge of a bin, and models
    may change places as the number of bins does. The squared error can be freed of its bias,
    within bins, by what chance adds to it [1]_:

    .. math:: \sum_{b: n_b \ge 2} \frac{n_b}{n} \Big[ (\bar y_b - \bar x_b)^2 -
        \frac{\bar y_b (1 - \bar y_b)}{n_b - 1} \Big] .

    It may be negative, and is then left so. `properly.decompose` needs no bins: its
    miscalibration belongs to a proper score, with an interval that allows for its bias.

    **Weights.** :math:`n_b / n` are shares of the weight; where chance is judged, :math:`n_b` is
    the effective number of cases, :math:`(\sum w)^2 / \sum w^2`. Whole numbers in a `Tally` are
    counts.

    References
    ----------
    .. [1] A. Kumar, P. Liang, T. Ma (2019). Verified uncertainty calibration. Advances in Neural
       Information Processing Systems 32. `arXiv:1909.10155 <https://arxiv.org/abs/1909.10155>`__
    .. [2] M. Kull, M. Perello-Nieto, M. Kängsepp, T. Silva Filho, H. Song, P. Flach (2019). Beyond
       temperature scaling: obtaining well-calibrated multiclass probabilities with Dirichlet
       calibration. Advances in Neural Information Processing Systems 32. `arXiv:1910.12656
       <https://arxiv.org/abs/1910.12656>`__

    Examples
    --------
    >>> import properly
    >>> t = properly.tally([1, 0], [0.95, 1.0])
    >>> round(properly.calibration.calibration_error(t, bins=10).expected, 3)
    0.475
    """
    source, classes = _of_one_event(cases)
    result, n = bins_of(source, bins, scheme)
    rate, mean = result.event_rate, result.mean_forecast
    share, distance = result.weight / result.weight.sum(), np.abs(rate - mean)
    several = n > ALONE
    chance = np.divide(rate * (1 - rate), n - 1, out=np.zeros(len(n)), where=several)
    debiased = float(share[several] @ (distance**2 - chance)[several])
    greatest = int(distance.argmax())
    return CalibrationError(
        expected=float(share @ distance),
        averaged=float(distance.mean()),
        signed=float(share @ (rate - mean)),
        maximum=float(distance[greatest]),
        maximum_cases=result.weight[greatest].item(),
        squared=float(share @ distance**2),
        debiased=debiased,
        root=math.sqrt(max(debiased, 0.0)),
        expected_if_calibrated=float(share @ np.sqrt(2 / np.pi * mean * (1 - mean) / n)),
        bins=result,
        classes=classes,
    )


@takes_rows
def smooth_calibration_error(cases: Tally | Cases, *, scale: float | None = None) -> SmoothError:
    r"""Average how far outcomes are from forecasts, without bins.

    .. math:: \text{smECE}_s = \int_0^1 \Big| \frac1W \sum_i w_i (x_i - y_i) K_s(t, x_i) \Big| dt ,

    with :math:`K_s` the normal density of standard deviation :math:`s`, reflected at 0 and at 1.
    The scale is the one at which the error equals it, :math:`\text{smECE}_s = s` [1]_: there is
    exactly one, since the error does not increase with the scale.

    Parameters
    ----------
    cases : Tally or Cases
        The forecasts and what happened. Of several classes, the likeliest of each case is judged
        and the others are ignored; `properly.one_vs_rest` and `properly.cumulative` ignore none.
    scale : float, optional
        Another scale, from :math:`2^{-17}` to 1.

    Returns
    -------
    SmoothError

    Notes
    -----
    **Bias.** The error is continuous in the forecasts, and small if and only if some calibrated
    forecasts are near. But absolute values of chance add up here too: of :math:`n` calibrated
    forecasts that are spread evenly it is about :math:`0.3\, n^{-1/3}`, not 0. It belongs to no
    proper score and to no decision.

    **Accuracy.** The kernel is diagonal in cosines, so that smoothing is a fast transform once the
    residuals lie on a grid. The error is off by less than :math:`6 \cdot 10^{-7}`, by a bound
    that holds for all data, and as a rule by no more than some :math:`10^{-8}`. The scale is found
    to :math:`10^{-13}`. One below :math:`2^{-17}` is not looked for: the error is then that at
    :math:`2^{-17}`, which is less than :math:`8 \cdot 10^{-6}` from the one asked for.

    References
    ----------
    .. [1] J. Błasiok, P. Nakkiran (2024). Smooth ECE: principled reliability diagrams via kernel
       smoothing. International Conference on Learning Representations. `arXiv:2309.12236
       <https://arxiv.org/abs/2309.12236>`__

    Examples
    --------
    >>> import properly
    >>> t = properly.Tally.from_counts([0.2, 0.5, 0.8], [90, 70, 40], [15, 38, 33])
    >>> found = properly.calibration.smooth_calibration_error(t)
    >>> print(f"{found.value:.6f}, {found.scale:.6f}")
    0.034999, 0.034999
    """
    source, classes = _of_one_event(cases)
    sample = ForecastSample.of(as_tally(source))
    value, residual = sample.value, -sample.excess / sample.weight.sum()
    if scale is None:
        return SmoothError(*fixed_point(value, residual), classes)
    scale = as_number(scale, "scale")
    if not LEAST_SCALE <= scale <= 1:
        message = f"scale must lie between {LEAST_SCALE:.3g} and 1; got {scale:g}"
        raise DataError(message, hint="without scale, the error finds its own.")
    return SmoothError(error_at(value, residual, scale), scale, classes)


def _of_one_event(cases: Tally | Cases) -> tuple[Tally | Cases, int | None]:
    return (top_label(cases), cases.classes) if has_classes(cases) else (cases, None)


def _note_of_classes(classes: int | None) -> list[str]:
    if classes is None:
        return []
    return [f"Of {classes} classes the likeliest of each case is judged; the others are ignored."]
