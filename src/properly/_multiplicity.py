"""Many comparisons at once.

References
----------
.. [1] S. Holm (1979). A simple sequentially rejective multiple test procedure. Scandinavian Journal
   of Statistics 6:65-70.
.. [2] J. L. Montiel Olea, M. Plagborg-Møller (2019). Simultaneous confidence bands: theory,
   implementation, and an application to SVARs. Journal of Applied Econometrics 34:1-17.
   doi:10.1002/jae.2656.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np

from properly._resampling import fast_stream

Column: TypeAlias = np.ndarray[Any, Any]

# Draws for the quantile of a maximum: its Monte-Carlo error is then below a hundredth.
DRAWS = 20_000
ROUNDING = 1e-12


def holm(p: Column) -> Column:
    """Adjust p-values by Holm's method, so that any false rejection is as rare as a single one.

    NaN stays NaN and does not count.
    """
    found = np.full(len(p), np.nan)
    known = np.flatnonzero(~np.isnan(p))
    order = known[np.argsort(p[known], kind="stable")]
    times = np.arange(len(order), 0, -1)
    found[order] = np.minimum(np.maximum.accumulate(p[order] * times), 1.0)
    return found


def sup_t_quantile(
    covariance: Column, level: float, degrees: float, rng: np.random.Generator
) -> float:
    """Return how many standard errors either side all intervals must reach to hold at once.

    It is the quantile of the largest of some variables of Student's t that are correlated as the
    estimates are; never less than that of one of them. Estimates that do not vary are left out.
    """
    from scipy.special import stdtrit

    alone = float(stdtrit(degrees, (1 + level) / 2)) if degrees > 0 else np.nan
    error = np.sqrt(np.maximum(np.diagonal(covariance), 0))
    vary = np.flatnonzero(error > 0)
    if len(vary) < 2 or not degrees > 0:
        return alone
    correlation = covariance[np.ix_(vary, vary)] / np.outer(error[vary], error[vary])
    value, vector = np.linalg.eigh(correlation)
    # Of differences of a few models, most directions do not vary.
    some = value > ROUNDING * value[-1]
    root = (vector[:, some] * np.sqrt(value[some])).T
    draw = fast_stream(rng)
    largest = np.abs(draw.standard_normal((DRAWS, len(root))) @ root).max(axis=1)
    if np.isfinite(degrees):
        largest /= np.sqrt(draw.chisquare(degrees, DRAWS) / degrees)
    return max(alone, float(np.quantile(largest, level)))
