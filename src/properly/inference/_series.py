"""The variance of a sum over times that depend on their neighbours.

References
----------
.. [1] E. Lazarus, D. J. Lewis, J. H. Stock, M. W. Watson (2018). HAR inference: recommendations for
   practice. Journal of Business & Economic Statistics 36:541-559.
   doi:10.1080/07350015.2018.1506926.
.. [2] W. K. Newey, K. D. West (1994). Automatic lag selection in covariance matrix estimation.
   Review of Economic Studies 61:631-653. doi:10.2307/2297912.
"""

from __future__ import annotations

import math
from typing import Any, TypeAlias

import numpy as np

Column: TypeAlias = np.ndarray[Any, Any]


def by_cosines(total: Column) -> tuple[Column, int]:
    """Find the covariance of sums over times by equally weighted cosines.

    With T times, the first ``0.4 T**(2/3)`` cosine sums are about independent and equally spread,
    which leaves as many degrees of freedom. A row of `total` is one series of mean 0.
    """
    from scipy.fft import dct

    times = total.shape[1]
    cosines = math.floor(0.4 * times ** (2 / 3))
    waves = dct(total, axis=1)[:, 1 : cosines + 1] / math.sqrt(2 * times)
    return waves @ waves.T * times / cosines, cosines


def by_lags(total: Column, lag: int) -> Column:
    """Find it by autocovariances up to a lag, which count the less the farther they reach."""
    found = total @ total.T
    for j in range(1, lag + 1):
        both = total[:, j:] @ total[:, :-j].T
        found = found + (1 - j / (lag + 1)) * (both + both.T)
    return found


def rule_lag(times: int) -> int:
    """Return the lag that goes by the number of times alone."""
    return math.floor(4 * math.pow(times / 100, 2 / 9))


def data_lag(series: Column) -> float:
    """Return the lag that also goes by how long dependence lasts; its whole part is used."""
    times = len(series)
    most = rule_lag(times)
    found = autocovariances(series, most)
    level = found[0] + 2 * found[1:].sum()
    slope = 2 * np.arange(1, most + 1) @ found[1:]
    if level == 0:
        return 0.0
    return float(1.1447 * np.cbrt((slope / level) ** 2) * times ** (1 / 3))


def autocovariances(series: Column, most: int) -> Column:
    """Return autocovariances of a series of mean 0, from lag 0 on, each over its length."""
    times = len(series)
    return np.array([series[j:] @ series[: times - j] for j in range(most + 1)]) / times
