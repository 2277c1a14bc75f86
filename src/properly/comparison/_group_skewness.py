"""Differences of means of skewed cases.

References
----------
.. [1] P. Hall (1992). On the removal of skewness by transformation. Journal of the Royal
   Statistical Society B 54:221-228. doi:10.1111/j.2517-6161.1992.tb01876.x.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np

Column: TypeAlias = np.ndarray[Any, Any]


def skewness(influence: Column) -> float:
    """Return the skewness of a sum of influences, each of a unit of its own; 0 if none varied."""
    square = float(influence @ influence)
    return float(influence @ influence**2) / square**1.5 if square > 0 else 0.0


def straighten(t: Column, skew: Column) -> Column:
    r"""Take the skewness out of a mean in units of its standard error.

    If cases are skewed to the right, a mean that is low by chance has a low standard error as well,
    and seems too far off. With :math:`a = \sum u^3 / (\sum u^2)^{3/2}` of the influences,

    .. math:: \frac{(1 + a t / 3)^3 - 1}{a} = t + \frac{a}{3} t^2 + \frac{a^2}{27} t^3

    has hardly any; Hall's constant a / 6 is left out, so that no difference stays none.
    """
    found: Column = t + skew * t**2 / 3 + skew**2 * t**3 / 27
    return found


def bend(x: Column, skew: Column) -> Column:
    """Undo `straighten`."""
    root = np.cbrt(1 + skew * x)
    found: Column = 3 * x / (1 + root + root**2)
    return found
