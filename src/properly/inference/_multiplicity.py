"""Multiple testing: Holm's p-values, and critical values of simultaneous intervals.

References
----------
.. [1] S. Holm (1979). A simple sequentially rejective multiple test procedure. Scandinavian Journal
   of Statistics 6:65-70.
.. [2] J. L. Montiel Olea, M. Plagborg-Møller (2019). Simultaneous confidence bands: theory,
   implementation, and an application to SVARs. Journal of Applied Econometrics 34:1-17.
   doi:10.1002/jae.2656.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from properly.inference._draws import fast_stream

if TYPE_CHECKING:
    from properly.typing import Column


# Draws for the quantile of a maximum: its Monte-Carlo error is then below a hundredth.
DRAWS = 20_000
ROUNDING = 1e-12


def holm(p: Column) -> Column:
    """Adjust p-values by Holm's method, so that any false rejection is as rare as a single one.

    NaN stays NaN and does not count.
    """
    result = np.full(len(p), np.nan)
    defined = np.flatnonzero(~np.isnan(p))
    order = defined[np.argsort(p[defined], kind="stable")]
    times = np.arange(len(order), 0, -1)
    result[order] = np.minimum(np.maximum.accumulate(p[order] * times), 1.0)
    return result


def sup_t_quantile(
    covariance: Column, level: float, degrees: float, rng: np.random.Generator
) -> float:
    """Return how many standard errors either side all intervals must reach to hold at once.

    It is the quantile of the largest of some variables of Student's t that are correlated as the
    estimates are; never less than that of one of them. Estimates that do not vary are left out.
    """
    alone = _alone(level, degrees)
    error = np.sqrt(np.maximum(np.diagonal(covariance), 0))
    vary = np.flatnonzero(error > 0)
    if len(vary) < 2 or not degrees > 0:
        return alone
    draw = fast_stream(rng)
    correlation = covariance[np.ix_(vary, vary)] / np.outer(error[vary], error[vary])
    largest = np.abs(_normals(correlation, draw)).max(axis=0)
    return max(alone, _quantile(largest, level, degrees, draw))


def sup_t_of_pairs(
    covariance: Column,
    ends: tuple[Column, Column],
    errors: Column,
    *,
    level: float,
    degrees: float,
    rng: np.random.Generator,
) -> float:
    """Do the same for differences of pairs of estimates, of which there are many more.

    The estimates are drawn, and subtracted: with 200 models there are 19,900 pairs.
    """
    alone = _alone(level, degrees)
    pairs = [(i, j, e) for i, j, e in zip(*ends, errors, strict=True) if e > 0]
    if len(pairs) < 2 or not degrees > 0:
        return alone
    some = np.unique([x for i, j, _ in pairs for x in (i, j)])
    place = {x: k for k, x in enumerate(some.tolist())}
    draw = fast_stream(rng)
    drawn = _normals(covariance[np.ix_(some, some)], draw)
    largest = np.zeros(DRAWS)
    for i, j, error in pairs:
        np.maximum(largest, np.abs(drawn[place[i]] - drawn[place[j]]) / error, out=largest)
    return max(alone, _quantile(largest, level, degrees, draw))


def _alone(level: float, degrees: float) -> float:
    from scipy.special import stdtrit

    return float(stdtrit(degrees, (1 + level) / 2)) if degrees > 0 else np.nan


def _normals(covariance: Column, draw: np.random.Generator) -> Column:
    """Draw normal variables of a covariance, a row each; most directions may not vary."""
    value, vector = np.linalg.eigh(covariance)
    some = value > ROUNDING * value[-1]
    root = vector[:, some] * np.sqrt(value[some])
    return np.asarray(root @ draw.standard_normal((root.shape[1], DRAWS)))


def _quantile(largest: Column, level: float, degrees: float, draw: np.random.Generator) -> float:
    """Divide by a common standard error, which is estimated, and take the quantile."""
    if np.isfinite(degrees):
        largest = largest / np.sqrt(draw.chisquare(degrees, DRAWS) / degrees)
    return float(np.quantile(largest, level))
