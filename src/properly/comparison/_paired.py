"""Tests of a mean difference that do not rest on Student's t of independent cases.

References
----------
.. [1] F. X. Diebold, R. S. Mariano (1995). Comparing predictive accuracy. Journal of Business &
   Economic Statistics 13:253-263. doi:10.1080/07350015.1995.10524599.
.. [2] D. Harvey, S. Leybourne, P. Newbold (1997). Testing the equality of prediction mean squared
   errors. International Journal of Forecasting 13:281-291. doi:10.1016/S0169-2070(96)00719-4.
"""

from __future__ import annotations

import math
from itertools import product
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from properly.errors import DataError
from properly.inference._variance import autocovariances

if TYPE_CHECKING:
    from properly.typing import Column


# Up to so many units that differ, all changes of sign are tried.
ALL_SIGNS = 12
# Signs that are drawn at a time.
BATCH = 1 << 22
ROUNDING = 1e-12


class LongRun(NamedTuple):
    """The standard error of a mean over a series, and how it was found."""

    error: float
    degrees: float
    method: str


def sign_flip(total: Column, replicates: int, rng: np.random.Generator) -> float:
    """Return the p-value of a sum, if the sign of each term might as well be the other one.

    It is exact if both models may change places in each case or cluster. All signs are tried if
    the terms that are not 0 are few, else so many are drawn at random, the observed ones among
    them.
    """
    some = total[total != 0]
    least = abs(float(some.sum())) * (1 - ROUNDING)
    if len(some) <= ALL_SIGNS:
        signs = np.array(list(product((-1.0, 1.0), repeat=len(some))))
        return float((np.abs(signs @ some) >= least).mean())
    reached, step = 0, max(1, BATCH // len(some))
    for start in range(0, replicates, step):
        size = (min(step, replicates - start), len(some))
        signs = rng.integers(0, 2, size, dtype=np.int8)
        # Twice the sum of the positive ones, less the sum of all.
        reached += int((np.abs(2 * (signs @ some) - some.sum()) >= least).sum())
    return (1 + reached) / (1 + replicates)


def long_run(series: Column, horizon: int, *, bartlett: bool = False) -> LongRun:
    r"""Return the standard error of Diebold and Mariano, with its correction for small samples.

    Forecasts h steps ahead depend on one another for h - 1 steps. `series` has one term a time,
    its mean 0, which adds up to the deviation of a mean: the variance is

    .. math:: V = T \Big(\gamma_0 + 2 \sum_{j < h} \gamma_j\Big)
        \Big/ \frac{T + 1 - 2 h + h (h - 1) / T}{T} .

    If it is not positive, autocovariances are multiplied by 1 - j / h.
    """
    times = len(series)
    if horizon >= times:
        message = f"a horizon must be shorter than the series; got {horizon} of {times} times"
        raise DataError(message)
    found = autocovariances(series, horizon - 1)
    taper = 1 - np.arange(horizon) / horizon
    method = "Diebold-Mariano"
    square = found[0] + 2 * found[1:].sum()
    if bartlett or square <= 0:
        square = found[0] + 2 * taper[1:] @ found[1:]
        method += ", Bartlett weights"
    correction = (times + 1 - 2 * horizon + horizon * (horizon - 1) / times) / times
    return LongRun(math.sqrt(max(times * square / correction, 0.0)), times - 1, method)
