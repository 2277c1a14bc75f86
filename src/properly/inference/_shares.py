"""Score intervals (Wilson) of a share, and of two shares of one whole put together.

Each share has a number of cases of its own: as many, all of the same weight, as would tell it as
precisely. Let n be the square of all weight over the sum of squared weights, p a share of the
weight, and h how heavy those are who are counted: their sum of squared weights over their weight,
as a multiple of the same of all cases. The linearised variance of the share, and its covariance
with another share of other cases, are

    V = p ((1 - p) + (h - 1) (1 - 2 p)) / n,    C = p1 p2 (1 - h1 - h2) / n,

so that p (1 - p) / V is its own number of cases. It is n if h is 1, whatever the share.

References
----------
.. [1] E. B. Wilson (1927). Probable inference, the law of succession, and statistical inference.
   Journal of the American Statistical Association 22:209-212.
.. [2] E. L. Korn, B. I. Graubard (1998). Confidence intervals for proportions with small expected
   number of positive counts estimated from survey data. Survey Methodology 24:193-201.
.. [3] G. Y. Zou, A. Donner (2008). Construction of confidence limits about effect measures: a
   general approach. Statistics in Medicine 27:1693-1702. doi:10.1002/sim.3095.
.. [4] R. A. Fisher, E. A. Cornish (1960). The percentile points of distributions having known
   cumulants. Technometrics 2:209-225. doi:10.1080/00401706.1960.10489895.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from properly._boundary._libraries import infinities
from properly._boundary._tolerances import SAME_SUM
from properly.typing import Column

# Enough for any two doubles between 0 and 1 to meet.
HALVINGS = 60
# As many cases as an interval can tell from no end of them.
MOST = 1e300
# From so many degrees of freedom on, and up to this level, a series is as exact as scipy, which
# takes longer to import than some files to be scored.
MANY, SURE = 1000, 0.9999
# Its terms by powers of the degrees of freedom: a divisor, and factors of odd powers of z [4]_.
TERMS = (
    (4, (1, 1)),
    (96, (5, 16, 3)),
    (384, (3, 19, 17, -15)),
    (92160, (79, 776, 1482, -1920, -945)),
    (368640, (27, 339, 930, -1782, -765, 17955)),
)


def bisect(refused: Callable[[Column], Column], inside: Column, outside: Column) -> Column:
    """Find, for each entry, the last value not refused on the way from inside to outside.

    If nothing is refused on the way, that is the value outside itself.
    """
    end = outside
    for _ in range(HALVINGS):
        middle = (inside + outside) / 2
        bad = refused(middle)
        inside, outside = np.where(bad, inside, middle), np.where(bad, middle, outside)
    return np.where(refused(end), inside, end)


class ShareTerm(NamedTuple):
    """A share of all cases, how much it counts for, and where it could be more than zero.

    `heavy` is 1 if the cases counted have the weights of all; where there are none, it is to say
    how heavy they would be.
    """

    amount: Any
    share: Any
    possible: Any
    heavy: Any = 1.0

    @property
    def spare(self) -> Any:
        """The variance, times the number of all cases, over the share."""
        rest = 1 - self.share
        # Those who are counted vary by as much alone, which rounding must not take away.
        return np.maximum(rest + (self.heavy - 1) * (rest - self.share), self.heavy * rest**2)

    def cases(self, n: Any) -> Any:
        """Return the share's own number of cases, given that of the whole."""
        rest = 1 - self.share
        with infinities():
            return np.where(rest > SAME_SUM, n * (rest / self.spare), n)


def wilson(share: Any, n: Any, quantile: float) -> tuple[Any, Any]:
    """Return Wilson's score interval of a share of n cases."""
    # In cases over z squared, where neither none nor no end of them has an infinite term.
    cases = np.minimum(n / quantile**2, MOST)
    middle = (cases * share + 0.5) / (cases + 1)
    half = np.sqrt(cases * share * (1 - share) + 0.25) / (cases + 1)
    # The ends 0 and 1 are exact if all of the cases, or none, are counted.
    lower = np.where(share == 0, 0.0, np.maximum(middle - half, 0))
    return lower, np.where(share == 1, 1.0, np.minimum(middle + half, 1))


def reach(first: ShareTerm, second: ShareTerm, n: Any, quantile: float) -> tuple[Column, Column]:
    """Return how far below and above the sum of two terms its interval reaches.

    The distances to the ends of Wilson's intervals, times the amounts, add up as standard
    deviations do. Of equal weights, two shares of a whole oppose one another: the more of the one,
    the less of the other. If one amount is subtracted, both errors therefore go the same way.
    """
    below, above = [], []
    for term in (first, second):
        lower, upper = wilson(term.share, term.cases(n), quantile)
        down, up = term.amount * (term.share - lower), term.amount * (upper - term.share)
        below.append(np.where(term.possible, np.where(term.amount < 0, -up, down), 0.0))
        above.append(np.where(term.possible, np.where(term.amount < 0, -down, up), 0.0))
    # Distances have no sign, so their correlation has that of the amounts.
    correlation = _correlation(first, second) * np.sign(first.amount) * np.sign(second.amount)
    down, up = (together(one, other, correlation) for one, other in (below, above))
    return down, up


def together(one: Any, other: Any, correlation: Any) -> Column:
    """Add two distances as standard deviations add up."""
    square = one**2 + other**2 + 2 * correlation * one * other
    return np.asarray(np.sqrt(np.maximum(square, 0)))


def _correlation(first: ShareTerm, second: ShareTerm) -> Any:
    """Return the correlation of two shares; 0 if one of them does not vary."""
    with infinities():
        square = first.share / first.spare * second.share / second.spare
    size = np.sqrt(np.nan_to_num(square).clip(0))
    return ((1 - first.heavy - second.heavy) * size).clip(-1, 1)


def variance(first: ShareTerm, second: ShareTerm, n: float) -> Any:
    """Return the linearised variance of the sum of two terms, if cases are independent."""
    alone = [term.amount**2 * term.share * term.spare for term in (first, second)]
    both = 2 * first.amount * first.share * second.amount * second.share
    result = alone[0] + alone[1] + both * (1 - first.heavy - second.heavy)
    return np.where(result > SAME_SUM * (alone[0] + alone[1]), result, 0.0) / n


def design_effect(actual: Any, if_independent: Any) -> Any:
    """Return how many dependent cases tell as much as an independent one; NaN if nothing varied."""
    with infinities():
        return np.where(if_independent > 0, np.maximum(actual / if_independent, 1), np.nan)


def normal(level: float) -> float:
    """Return the quantile of the normal distribution."""
    # It is loaded sooner than scipy.
    from statistics import NormalDist

    return NormalDist().inv_cdf((1 + level) / 2)


def student(spare: float, level: float) -> float:
    """Return the quantile of Student's t, NaN without a degree of freedom."""
    if spare >= MANY and 0.5 <= level <= SURE:
        z = normal(level)
        terms = (z * float(np.polyval(powers, z * z)) / by for by, powers in TERMS)
        return z + sum(term / spare**k for k, term in enumerate(terms, 1))
    if math.isinf(spare):
        return normal(level)
    from scipy.special import stdtrit

    return float(stdtrit(spare, (1 + level) / 2)) if spare > 0 else np.nan
