"""Cox's tests of calibration: whether the fitted recalibration line is the diagonal."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

from properly.inference._logistic import fit, logit
from properly.inference._variance import Spread, covariance

if TYPE_CHECKING:
    from properly.calibration._calibration_statistics import Sample
    from properly.inference._design import Design

Column: TypeAlias = np.ndarray[Any, Any]

# Estimates that are correlated more closely than this are one but for rounding.
ALIKE = 1e-13


class Line(NamedTuple):
    """A test of a fitted line, and of its parts alone.

    Attributes
    ----------
    statistic : float
        The likelihood ratio, or Wald's divided by what makes it an F.
    degrees : float or pair of floats
        Degrees of freedom, of the denominator too if the statistic is an F.
    p_value : float
        Of both coefficients together, or of the only one.
    in_the_large, slope : float
        The p-value of the intercept with the slope held at 1, and of the slope; NaN without a
        slope.
    """

    statistic: float
    degrees: float | tuple[float, float]
    p_value: float
    in_the_large: float
    slope: float


def by_likelihood(sample: Sample, *, joint: bool) -> Line | None:
    """Compare the likelihood of a fitted line with that of the diagonal; None if none fits best."""
    odds, rate, weight = logit(sample.value), sample.events / sample.weight, sample.weight
    ones = np.ones((len(odds), 1))
    shifted = fit(ones, rate, weight, odds)
    free = fit(np.column_stack([ones, odds]), rate, weight) if joint and _varies(odds) else None
    if shifted.separated or (free is not None and free.separated):
        return None
    price = sample.events @ np.log(sample.value) + (weight - sample.events) @ np.log1p(
        -sample.value
    )
    large = max(2 * (shifted.log_likelihood - float(price)), 0.0)
    p_large = _chi_squared_tail(1, large)
    if free is None:
        return Line(large, 1.0, p_large, p_large, math.nan)
    slope = max(2 * (free.log_likelihood - shifted.log_likelihood), 0.0)
    both = large + slope
    tails = (_chi_squared_tail(d, x) for d, x in ((2, both), (1, large), (1, slope)))
    return Line(both, 2.0, *tails)


def by_sandwich(p: Column, happened: Column, design: Design, *, joint: bool) -> Line | None:
    """Compare the coefficients of a fitted line with 0 and 1, by what cases or clusters add up to.

    For weights, clusters and strata, with which likelihoods say nothing. A p-value is NaN if the
    coefficients, or some line through them, did not vary.
    """
    odds = logit(p)
    ones = np.ones((len(odds), 1))
    shifted = _estimate(ones, happened, design, odds)
    if shifted is None:
        return None
    large = wald(*shifted)
    if not (joint and _varies(odds)):
        return Line(*large, large[2], math.nan)
    free = _estimate(np.column_stack([ones, odds]), happened, design, np.zeros(len(odds)))
    if free is None:
        return None
    away, spread = free[0] - (0.0, 1.0), free[1]
    slope = wald(away[1:], Spread(spread.covariance[1:, 1:], spread.degrees))
    return Line(*wald(away, spread), large[2], slope[2])


def _estimate(
    Z: Column, happened: Column, design: Design, offset: Column
) -> tuple[Column, Spread] | None:
    """Fit a line, and say how far its coefficients may be off."""
    from scipy.special import expit

    fitted = fit(Z, happened, design.weight, offset)
    if fitted.separated:
        return None
    left = design.weight * (happened - expit(offset + Z @ fitted.coefficients))
    influence = fitted.information_inverse @ (Z * left[:, None]).T
    return fitted.coefficients, covariance(influence, design)


def wald(away: Column, spread: Spread) -> tuple[float, tuple[float, float], float]:
    """Return the F statistic of coefficients, its degrees of freedom and its p-value."""
    from scipy.special import fdtrc

    size = len(away)
    degrees = (float(size), float(spread.degrees) - size + 1)
    if degrees[1] <= 0 or not _varies_all_ways(spread):
        return math.nan, degrees, math.nan
    distance = float(away @ np.linalg.pinv(spread.covariance, hermitian=True) @ away)
    statistic = distance / size * degrees[1] / spread.degrees
    return statistic, degrees, float(fdtrc(*degrees, statistic))


def _varies_all_ways(spread: Spread) -> bool:
    """Tell whether no estimate, nor any sum of them, is known without error."""
    error = spread.errors
    if not (error > 0).all():
        return False
    correlation = spread.covariance / np.outer(error, error)
    return bool(np.linalg.eigvalsh(correlation)[0] > ALIKE)


def _varies(odds: Column) -> bool:
    return bool(np.ptp(odds) > 0)


def _chi_squared_tail(degrees: float, statistic: float) -> float:
    from scipy.special import chdtrc

    return float(chdtrc(degrees, statistic))
