"""Multiple testing: Holm's p-values, single-step max-t, and simultaneous intervals.

References
----------
.. [1] S. Holm (1979). A simple sequentially rejective multiple test procedure. Scandinavian Journal
   of Statistics 6:65-70.
.. [2] J. L. Montiel Olea, M. Plagborg-Møller (2019). Simultaneous confidence bands: theory,
   implementation, and an application to SVARs. Journal of Applied Econometrics 34:1-17.
   doi:10.1002/jae.2656.
.. [3] P. H. Westfall, S. S. Young (1993). Resampling-based multiple testing: examples and methods
   for p-value adjustment. Wiley.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from properly._boundary._tolerances import SAME_SUM
from properly.inference._draws import fast_stream
from properly.typing import Column

# Draws for the quantile of a maximum: its Monte-Carlo error is then below a hundredth.
DRAWS = 20_000
# Adjusted p-values below 0.2 use all pairs of each draw; larger ones decide nothing.
EXACT = 0.8
# Of more estimates than this, draws have as many digits as a quantile of them needs.
FEW = 64
# Numbers of a piece of work, which stay in the cache.
PIECE = 1 << 17


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


def holm_bounds(p: Column, is_bound: Column) -> Column:
    """Return which adjusted p-values are bounds: those that would be lower if a bound were."""
    return holm(np.where(is_bound & ~np.isnan(p), 0.0, p)) < holm(p)


class MaxT(NamedTuple):
    """Adjust for several comparisons by the single-step max-t method [3]_.

    The distribution of the largest of all t statistics gives both the adjusted p-values and the
    level of each simultaneous interval. So an adjusted p-value is at most 1 - level where the
    interval excludes zero, and nowhere else. Both go by the p-value of a single comparison, which
    allows for degrees of freedom of its own.

    Attributes
    ----------
    largest : array
        Draws of the largest absolute t statistic, ascending; empty for Bonferroni's method.
    degrees : float
        Degrees of freedom of these draws.
    comparisons : int
        How many they adjust for.
    """

    largest: Column
    degrees: float
    comparisons: int

    def adjust(self, p: Column) -> Column:
        """Adjust p-values; NaN stays NaN.

        Neither below the p-value itself nor above Bonferroni's: draws are few in the far tail.
        """
        from scipy.special import stdtrit

        size = len(self.largest)
        reached = size - np.searchsorted(self.largest, -stdtrit(self.degrees, p / 2))
        share = (1 + reached) / (1 + size)
        return np.asarray(np.minimum(np.maximum(share, p), np.minimum(self.comparisons * p, 1.0)))

    def level_of_each(self, level: float) -> float:
        """Return the level of single intervals that are to hold simultaneously at this level."""
        from scipy.special import stdtr

        if self.comparisons < 2:
            return level
        alpha, size = 1 - level, len(self.largest)
        # As many draws at most may reach a statistic whose adjusted p-value is alpha.
        allowed = math.floor(alpha * (1 + size)) - 1
        each = 0.0 if allowed < 0 else 2 * stdtr(self.degrees, -self.largest[size - 1 - allowed])
        return 1 - max(min(float(each), alpha), alpha / self.comparisons)


def bonferroni(count: int) -> MaxT:
    """Adjust for so many comparisons, however they are correlated."""
    return MaxT(np.zeros(0), np.inf, max(count, 1))


def max_t(covariance: Column, degrees: Column | float, rng: np.random.Generator) -> MaxT:
    """Return the distribution of the largest t of estimates; those that do not vary are left out.

    Estimates of unequal degrees of freedom are drawn with the most, which is conservative: their
    dependence is then least.
    """
    error = np.sqrt(np.maximum(np.diagonal(covariance), 0))
    vary = np.flatnonzero((error > 0) & (np.asarray(degrees) > 0))
    if len(vary) < 2:
        return bonferroni(len(vary))
    most, draw = float(np.max(np.broadcast_to(degrees, error.shape)[vary])), fast_stream(rng)
    correlation = covariance[np.ix_(vary, vary)] / np.outer(error[vary], error[vary])
    largest = np.abs(_normals(correlation, draw)).max(axis=1) / _scale(most, draw)
    return MaxT(np.sort(largest), most, len(vary))


def max_t_of_pairs(
    covariance: Column,
    ends: tuple[Column, Column],
    errors: Column,
    degrees: Column,
    rng: np.random.Generator,
) -> MaxT:
    """Do the same for differences of pairs of estimates, of which there are many more.

    The estimates are drawn, and subtracted: with 1,000 models there are 499,500 pairs. Errors that
    all estimates share cancel and are left out first, so that scores with and without them, such as
    means and two-way effects, have the same draws.
    """
    vary = (errors > 0) & (degrees > 0)
    if vary.sum() < 2:
        return bonferroni(int(vary.sum()))
    some, place = np.unique(np.concatenate([x[vary] for x in ends]), return_inverse=True)
    first, second = np.split(place, 2)
    # Pairs that are not compared are no number of standard errors apart.
    error = np.full((len(some), len(some)), np.inf)
    error[first, second] = error[second, first] = errors[vary]
    most, draw = float(degrees[vary].max()), fast_stream(rng)
    apart = covariance[np.ix_(some, some)]
    apart = apart - apart.mean(axis=0)
    drawn = _normals(apart - apart.mean(axis=1, keepdims=True), draw)
    largest = _largest_apart(drawn, error.astype(drawn.dtype), _scale(most, draw))
    return MaxT(np.sort(largest), most, int(vary.sum()))


def _largest_apart(drawn: Column, error: Column, scale: Column) -> Column:
    """Return how far apart, at most, any two of some drawn estimates are, in standard errors.

    Those that are highest and lowest in a draw are compared with all others first. Another one need
    only be compared where it could still be farther from either end, and where that could reach the
    quantile of the draws so far: below it, draws may be left too small, which no p-value below
    1 - EXACT shows.
    """
    shrink = 1 / error
    every = np.arange(len(drawn))
    ends = drawn.argmin(axis=1), drawn.argmax(axis=1)
    bottom, top = (drawn[every, end] for end in ends)
    largest = np.zeros(len(drawn))
    for end in ends:
        _compare(drawn, shrink, every, end, largest)
    least = np.maximum(largest, np.quantile(largest / scale, EXACT) * scale)
    left = np.flatnonzero((top - bottom) * shrink.max() >= least)
    nearest = shrink.max(axis=0)
    for few in np.array_split(left, 1 + drawn.shape[1] * len(left) // PIECE):
        own = drawn[few]
        far = np.maximum(top[few, None] - own, own - bottom[few, None]) * nearest
        draw, one = np.nonzero(far >= least[few, None])
        _compare(drawn, shrink, few[draw], one, largest)
    return np.asarray(largest / scale)


def _compare(drawn: Column, shrink: Column, draw: Column, one: Column, largest: Column) -> None:
    """Compare one estimate of some draws with all others, and keep what is farthest."""
    step = max(1, PIECE // drawn.shape[1])
    for start in range(0, len(draw), step):
        some, own = draw[start : start + step], one[start : start + step]
        apart = drawn[some]
        apart -= apart[np.arange(len(some)), own][:, None]
        np.abs(apart, out=apart)
        apart *= shrink[own]
        np.maximum.at(largest, some, apart.max(axis=1))


def _normals(covariance: Column, draw: np.random.Generator) -> Column:
    """Draw normal variables of a covariance, one row per draw.

    The signs of eigenvectors differ from machine to machine; a symmetric root of the covariance
    does not depend on them. With many estimates only the directions that vary are drawn.
    """
    value, vector = np.linalg.eigh(covariance)
    some = value > SAME_SUM * value[-1]
    root = vector[:, some] * np.sqrt(value[some])
    is_small = len(root) <= FEW
    root = root @ vector[:, some].T if is_small else root
    kind = np.float64 if is_small else np.float32
    drawn = draw.standard_normal((root.shape[1], DRAWS), dtype=kind)
    return np.asarray(drawn.T @ root.T.astype(kind))


def _scale(degrees: float, draw: np.random.Generator) -> Column:
    """Draw a common standard error, which is estimated; 1 if it is known."""
    if not np.isfinite(degrees):
        return np.ones(DRAWS)
    return np.sqrt(draw.chisquare(degrees, DRAWS) / degrees)
