"""Estimates of several groups drawn together, and a test of whether the groups differ at all."""

from __future__ import annotations

from typing import Any, NamedTuple, TypeAlias

import numpy as np

Column: TypeAlias = np.ndarray[Any, Any]


class Shrunk(NamedTuple):
    """Estimates drawn towards their common mean, and how far off each may be.

    NaN where an estimate or its variance is not known. `between` is the variance of the true values
    of the groups, as far as it shows; `mean` what they are drawn towards.
    """

    value: Column
    error: Column
    mean: float
    between: float


class Homogeneity(NamedTuple):
    """Whether groups differ by more than chance.

    Attributes
    ----------
    statistic : float
        Cochran's Q: squared distances from the common mean, in units of their variances.
    degrees : float
        One less than the number of groups that took part.
    p_value : float
        Probability of at least as much if all groups have the same true value; of an F distribution
        that allows for how few cases, or clusters, the variances come from.

    Examples
    --------
    >>> import properly
    >>> from properly.rules import Brier
    >>> died, p = [1, 0] * 50, [0.8, 0.1] * 20 + [0.6, 0.3] * 30
    >>> cases = properly.Cases(died, p, groups=["a"] * 40 + ["b"] * 60)
    >>> found = properly.by_group(cases, Brier(), replicates=19, rng=1).homogeneity
    >>> found.degrees, found.p_value < 0.001
    (1.0, True)
    """

    statistic: float
    degrees: float
    p_value: float


def shrink(value: Column, variance: Column) -> Shrunk:
    r"""Draw estimates of groups towards their common mean, the more the less they tell.

    With :math:`a_g = 1 / V_g` and Cochran's :math:`Q`, the moment estimate of the variance between
    :math:`G` groups and what becomes of group :math:`g` are

    .. math:: \tau^2 = \max\Big(0, \frac{Q - (G - 1)}{\sum a - \sum a^2 / \sum a}\Big), \qquad
        \tilde S_g = \frac{\tau^2 S_g + V_g m}{\tau^2 + V_g},

    with :math:`m` the mean of the estimates, weighted by :math:`1 / (V_g + \tau^2)`. The variance
    is that of the compromise, and what the mean itself may be off:

    .. math:: \frac{\tau^2 V_g}{\tau^2 + V_g} + \Big(\frac{V_g}{\tau^2 + V_g}\Big)^2
        \Big/ \sum_h \frac1{V_h + \tau^2} .

    Parameters
    ----------
    value, variance : numpy array
        An estimate for each group, and its variance. Groups without a positive, finite variance
        take no part; nor do any if fewer than two are left.

    Notes
    -----
    Without the second part, groups of which no difference shows would be known exactly.

    References
    ----------
    .. [1] R. DerSimonian, N. Laird (1986). Meta-analysis in clinical trials. Controlled Clinical
       Trials 7:177-188. `doi:10.1016/0197-2456(86)90046-2
       <https://doi.org/10.1016/0197-2456(86)90046-2>`__

    Examples
    --------
    >>> import numpy as np
    >>> found = shrink(np.array([1.0, 5.0]), np.array([1.0, 1.0]))
    >>> found.between, found.mean, found.value
    (7.0, 3.0, array([1.25, 4.75]))
    """
    used = _in_use(value, variance)
    drawn, error = np.full((2, len(value)), np.nan)
    if used.sum() < 2:
        return Shrunk(drawn, error, np.nan, np.nan)
    s, v = value[used], variance[used]
    a = 1 / v
    spare = float(a.sum() - (a**2).sum() / a.sum())
    # Nothing is left if one group is known beyond comparison with the others.
    between = max(0.0, (cochran(s, v) - (len(s) - 1)) / spare) if spare > 0 else 0.0
    own = between / (between + v)
    weight = 1 / (between + v)
    mean = float(weight @ s / weight.sum())
    drawn[used] = own * s + (1 - own) * mean
    error[used] = np.sqrt(own * v + (1 - own) ** 2 / weight.sum())
    return Shrunk(drawn, error, mean, between)


def homogeneity(value: Column, covariance: Column, degrees: float = np.inf) -> Homogeneity:
    r"""Test whether all groups have the same true value.

    .. math:: Q = \min_m\, (S - m)^\top V^{-1} (S - m),

    which is :math:`\sum_g (S_g - m)^2 / V_g` if groups are independent. It is chi-squared with
    :math:`k = G - 1` degrees of freedom if the covariance is known well, and, with :math:`\nu`
    degrees of freedom behind the covariance, :math:`Q\,(\nu - k + 1) / (\nu k)` is F-distributed
    with :math:`k` and :math:`\nu - k + 1`.

    Parameters
    ----------
    value : numpy array
        An estimate for each group.
    covariance : numpy array
        Of the estimates. Groups without a positive, finite variance take no part.
    degrees : float
        Of freedom, behind the covariance.

    Examples
    --------
    >>> import numpy as np
    >>> found = homogeneity(np.array([1.0, 5.0]), np.diag([1.0, 1.0]))
    >>> found.statistic, found.degrees, round(found.p_value, 4)
    (8.0, 1.0, 0.0047)
    """
    used = _in_use(value, np.diagonal(covariance))
    k = float(used.sum() - 1)
    if k < 1 or degrees - k + 1 <= 0:
        return Homogeneity(np.nan, k, np.nan)
    statistic = _least_distance(value[used], covariance[np.ix_(used, used)])
    return Homogeneity(statistic, k, _p_value(statistic, k, degrees))


def cochran(value: Column, variance: Column) -> float:
    """Return Cochran's Q: squared distances from the weighted mean, in units of the variances."""
    a = 1 / variance
    return float(a @ (value - a @ value / a.sum()) ** 2)


def _in_use(value: Column, variance: Column) -> Column:
    return np.isfinite(value) & np.isfinite(variance) & (variance > 0)


def _least_distance(value: Column, covariance: Column) -> float:
    """Return Q; NaN if groups vary only together, which too few clusters bring about."""
    if not (covariance - np.diag(np.diagonal(covariance))).any():
        return cochran(value, np.diagonal(covariance))
    # Differences from the last group have the same distance, and need no common mean.
    apart = value[:-1] - value[-1]
    shared = covariance[:-1, -1]
    joint = covariance[:-1, :-1] - shared[:, None] - shared[None] + covariance[-1, -1]
    if np.linalg.matrix_rank(joint, hermitian=True) < len(apart):
        return float("nan")
    return float(apart @ np.linalg.solve(joint, apart))


def _p_value(statistic: float, k: float, degrees: float) -> float:
    from scipy.special import chdtrc, fdtrc

    if np.isinf(degrees):
        return float(chdtrc(k, statistic))
    spare = degrees - k + 1
    return float(fdtrc(k, spare, statistic * spare / (degrees * k)))
