"""Bands from the large-sample distribution of isotonic estimates.

With few distinct forecasts the estimate at each of them is in the limit that of its own cases
alone, and normal. With forecasts from a density it converges at the rate of a cube root, to the
distribution of Chernoff: that of the place at which two-sided Brownian motion minus a parabola is
highest.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from properly._boundary._chunks import sweep
from properly._boundary._libraries import to_numpy

if TYPE_CHECKING:
    from properly.counts._tally import Tally

Column: TypeAlias = np.ndarray[Any, Any]

GRID = np.arange(101) / 100
# Rows of a piece of the kernel sums: with a hundred columns of doubles it stays in the cache.
PIECE = 1 << 11


def normal_half_width(mean: Column, cases: Column, level: float) -> Column:
    """Return the half width of a normal interval for event rates from so many cases each."""
    from scipy.special import ndtri

    width: Column = -ndtri((1 - level) / 2) * np.sqrt(mean * (1 - mean) / cases)
    return width


def chernoff_half_width(mean: Column, density: Column, cases: float, level: float) -> Column:
    """Return the half width of an interval for an isotonic estimate where its curve has slope 1."""
    variance = mean * (1 - mean)
    # Far from all forecasts the density may be 0: anything between 0 and 1 is possible there.
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        scale = np.where(variance > 0, np.cbrt(4 * variance / (cases * density)), 0.0)
    width: Column = chernoff_quantile((1 - level) / 2) * scale
    return width


def effective_cases(tally: Tally) -> Column:
    """Return how many cases of equal weight would say as much at each distinct forecast."""
    weight: Column = to_numpy(tally.weight).astype(np.float64)
    if tally.event_squares is None or tally.nonevent_squares is None:
        return weight
    weight **= 2
    weight /= to_numpy(tally.event_squares) + to_numpy(tally.nonevent_squares)
    return weight


def kernel_density(value: Column, weight: Column, cases: float) -> Column:
    r"""Estimate the density of forecasts at 0, 0.01, …, 1 with Chen's first beta kernel.

    .. math:: \hat f(x) = \frac1n \sum_i \mathrm{Beta}(x_i;\; x / b + 1,\; (1 - x) / b + 1),
        \qquad b = n^{-2/5}.

    It is not rescaled to integrate to one.
    """
    from scipy.special import betaln

    b = cases ** (-2 / 5)
    powers = np.stack([GRID / b, (1 - GRID) / b])
    constant = betaln(powers[0] + 1, powers[1] + 1)

    def add_up(value: Column, weight: Column) -> Column:
        total = np.zeros(len(GRID))
        for start in range(0, len(value), PIECE):
            x, w = value[start : start + PIECE], weight[start : start + PIECE]
            with np.errstate(divide="ignore"):
                logs = np.stack([np.log(x), np.log1p(-x)])
            # At the ends of the grid one power is 0, and 0 * log(0) must count as 0. Logarithms
            # may be infinite, which a matrix product would multiply by the zeros of its padding.
            inner = np.multiply.outer(logs[0], powers[0, 1:-1])
            inner += np.multiply.outer(logs[1], powers[1, 1:-1])
            inner -= constant[1:-1]
            total[1:-1] += w @ np.exp(inner, out=inner)
            total[0] += w @ np.exp(logs[1] * powers[1, 0] - constant[0])
            total[-1] += w @ np.exp(logs[0] * powers[0, -1] - constant[-1])
        return total

    columns = value.astype(np.float64, copy=False), weight.astype(np.float64, copy=False)
    density: Column = np.sum(sweep(add_up, *columns), axis=0) / weight.sum()
    return density


def chernoff_quantile(tail: float) -> float:
    r"""Return the point that Chernoff's distribution exceeds with a given probability, up to 1/2.

    Its density is :math:`g(z)\, g(-z) / 2`, where :math:`g` has the Fourier transform
    :math:`2^{1/3} / \mathrm{Ai}(2^{-1/3} i s)` (Groeneboom 1989). Both the sum over :math:`s` and
    the polynomial through the density converge at once, so the quantile is right to nine digits.
    """
    from numpy.polynomial import Chebyshev
    from scipy.optimize import brentq

    # Nothing that a level can ask for lies above 4.
    below: Any = Chebyshev.interpolate(_chernoff_density, 100, domain=[-1, 4]).integ(lbnd=4)
    return float(brentq(lambda z: below(z) + tail, -1, 4, xtol=1e-12))


def _chernoff_density(z: Column) -> Column:
    from scipy.special import airy

    step = 0.1
    s = np.arange(0, 40, step)
    transform = 2 ** (1 / 3) / airy(2 ** (-1 / 3) * 1j * s)[0] * step / np.pi
    transform[0] /= 2
    angle = np.outer(z, s)
    even = np.sum(np.cos(angle) * transform.real, axis=1)
    odd = np.sum(np.sin(angle) * transform.imag, axis=1)
    # g(z) is their sum and g(-z) their difference.
    density: Column = (even**2 - odd**2) / 2
    return density
