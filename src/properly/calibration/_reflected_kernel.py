r"""Residuals of forecasts under a normal kernel that is reflected at 0 and at 1.

The kernel is diagonal in cosines,

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
from typing import Any, NamedTuple, TypeAlias

import numpy as np

Column: TypeAlias = np.ndarray[Any, Any]

# Cells of a grid: enough of them a scale, and never so few that more would cost nothing.
CELLS_A_SCALE = 32
FEWEST_CELLS = 2**12
# Scales between which to look for one, each a quarter of the one before.
SCALES = tuple(2.0**-k for k in range(7, 18, 2))
LEAST_SCALE = SCALES[-1]
# So many standard deviations away, a normal density is lost in rounding.
REACH = 9.0


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
            found = float(brentq(excess, least, most, xtol=1e-13))
            return found, found
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
    with np.errstate(divide="ignore", invalid="ignore"):
        root = -(half + np.copysign(np.sqrt(half**2 - bend * a), half))
        u = np.stack([root / bend, a / root])
    # What is not a turn within the cell is put at one of its ends, where it does no harm.
    u = np.sort(np.clip(np.nan_to_num(u, posinf=1, neginf=0), 0, 1), axis=0)
    corner = a * u + half * u**2 + bend * u**3 / 3
    path = np.concatenate([np.zeros((1, len(a))), corner, rise[turns][np.newaxis]])
    straight = np.abs(rise[~turns]).sum()
    return float(straight + np.abs(np.diff(path, axis=0)).sum())
