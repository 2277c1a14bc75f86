"""Variances between groups: degrees of freedom, shrinkage, and the test of homogeneity.

References
----------
.. [1] F. E. Satterthwaite (1946). An approximate distribution of estimates of variance components.
   Biometrics Bulletin 2:110-114. doi:10.2307/3002019.
.. [2] J. E. Pustejovsky, E. Tipton (2018). Small-sample methods for cluster-robust variance
   estimation and hypothesis testing in fixed effects models. Journal of Business & Economic
   Statistics 36:672-683. doi:10.1080/07350015.2016.1247004.

Estimates of several groups drawn together, and a test of whether the groups differ at all.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from properly._boundary._libraries import infinities
from properly.inference._design import Design
from properly.typing import Column


class UnitCounts(NamedTuple):
    """How many units each group has, and each rest: cases, clusters or times; of panels, clusters.

    `inside` and `outside` count the units with a case there. `free_inside` and `free_outside` are
    degrees of freedom. `shared` and `common` say how far the variances of a group and its rest, and
    those of two groups, vary together because they share units: 0 if they share none, and one over
    the degrees of freedom if they share all, equally.
    """

    inside: Column
    outside: Column
    shared: Column
    common: Column
    free_inside: Column
    free_outside: Column

    @classmethod
    def of_cases(cls, inside: Column) -> UnitCounts:
        """Return the counts of independent cases, of which each group has so many."""
        outside = inside.sum() - inside
        with infinities():
            common = np.diag(1 / (inside - 1.0))
        return cls(inside, outside, 0.0 * inside, common, inside - 1.0, outside - 1.0)


def count_units(number: Column, design: Design) -> UnitCounts:
    """Count the units of each group and of its rest; `number` is the group of each case."""
    label = design.time if design.cluster is None else design.cluster
    if label is None and design.stratum is None:
        return UnitCounts.of_cases(np.bincount(number))
    if label is None:
        here = there = np.zeros((int(number.max()) + 1, 0), dtype=bool)
        inside = np.bincount(number)
        outside = len(number) - inside
    else:
        cases = _crossed(number, label)
        here, there = cases > 0, cases < cases.sum(axis=0)
        inside, outside = (x.sum(axis=1) for x in (here, there))
        if design.cluster is not None and design.stratum is None:
            weight = _crossed(number, label, design.weight / design.weight.max())
            rest = np.where(there, weight.sum(axis=0) - weight, 0.0)
            return _weighted_units(inside, outside, weight, rest)
    lost = np.ones((2, len(inside)))
    if design.stratum is not None:
        cases = _crossed(number, design.stratum)
        whole = [(cases == side).sum(axis=1) for side in (cases.sum(axis=0), 0)]
        lost = np.maximum(whole, 1)
    free = np.stack([inside, outside]) - lost
    with infinities():
        root, other = np.sqrt(np.maximum([inside, outside] * free, 0))
        common = here.astype(np.int64) @ here.T / np.outer(root, root)
        np.fill_diagonal(common, 1 / free[0])
        shared = (here & there).sum(axis=1) / (root * other)
    return UnitCounts(inside, outside, shared, common, *free)


def _weighted_units(inside: Column, outside: Column, weight: Column, rest: Column) -> UnitCounts:
    """Return the units of clusters by Bell and McCaffrey, given their weights in each group.

    As in `properly.inference._design.correction_of`, for two means that may share clusters.
    """
    with infinities():
        own, other = (x / x.sum(axis=1, keepdims=True) for x in (weight, rest))
        lost, gone = (x / np.sqrt(1 - x) for x in (own, other))
        common = own @ own.T + (lost @ lost.T) ** 2 - lost**2 @ (lost**2).T
        alone = (other**2).sum(axis=1) + (gone**2).sum(axis=1) ** 2 - (gone**4).sum(axis=1)
        both = lost * gone
        shared = (own * other).sum(axis=1) + both.sum(axis=1) ** 2 - (both**2).sum(axis=1)
        free = np.where(inside > 1, 1 / np.diagonal(common), 0.0)
        free_rest = np.where(outside > 1, 1 / alone, 0.0)
    return UnitCounts(inside, outside, shared, common, free, free_rest)


def _crossed(number: Column, label: Column, weight: Column | None = None) -> Column:
    """Count the cases of each group in each cluster, time or stratum, or add up their weights."""
    shape = int(number.max()) + 1, int(label.max()) + 1
    result: Column = np.bincount(number * shape[1] + label, weight, shape[0] * shape[1])
    return result.reshape(shape)


def of_differences(inside: Column, outside: Column, units: UnitCounts) -> Column:
    r"""Return the degrees of freedom of each group's difference from the rest.

    With variances V and v of a group and of its rest, that have :math:`\nu` and :math:`\mu` degrees
    of freedom, and c the number `shared`,

    .. math:: \frac{(V + v)^2}{V^2 / \nu + v^2 / \mu + 2 c V v} .

    It is that of Welch for separate units, and one less than their number if each is in both. If
    the variance of a small group comes out low by chance this is too high, so it is taken from
    variances of units that are all alike as well, and the lower of the two is returned.
    """
    with infinities():
        alike = 1 / units.inside, 1 / units.outside
    return np.minimum(_satterthwaite(inside, outside, units), _satterthwaite(*alike, units))


def _satterthwaite(inside: Column, outside: Column, units: UnitCounts) -> Column:
    free, other = units.free_inside, units.free_outside
    with infinities():
        shared = np.where(units.shared > 0, units.shared, 0.0)
        below = inside**2 / free + outside**2 / other + 2 * shared * inside * outside
        result: Column = (inside + outside) ** 2 / below
    return result


def of_groups(variance: Column, units: UnitCounts, used: Column) -> float:
    r"""Return the degrees of freedom behind the covariance of several groups.

    They are those of the Wishart distribution that varies as much as the covariance does, after it
    is scaled to be 1 on average. With :math:`h_g` the share of group g in :math:`\sum 1 / V`,
    :math:`P = I - \sqrt{h} \sqrt{h}^\top` and k one less than the number of groups,

    .. math:: k (k + 1) \Big/ \sum_{g, h} c_{gh} (P_{gg} P_{hh} + P_{gh}^2)

    with c the matrix `common`. For two groups it is that of their difference.
    """
    both = (variance[used], 1 / units.inside[used])
    common, k, result = units.common[np.ix_(used, used)], int(used.sum()) - 1, []
    for x in both:
        share = 1 / x / (1 / x).sum()
        away = np.eye(k + 1) - np.sqrt(np.outer(share, share))
        size = np.diagonal(away)
        result.append(k * (k + 1) / (common * (np.outer(size, size) + away**2)).sum())
    return float(min(result))


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
    >>> died, p = [1, 0] * 100, [0.8, 0.1] * 40 + [0.6, 0.3] * 60
    >>> cases = properly.Cases(died, p, groups=["a"] * 80 + ["b"] * 120)
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
    from scipy.special import chdtrc, fdtrc

    statistic = _least_distance(value[used], covariance[np.ix_(used, used)])
    if np.isinf(degrees):
        return Homogeneity(statistic, k, float(chdtrc(k, statistic)))
    spare = degrees - k + 1
    p = fdtrc(k, spare, statistic * spare / (degrees * k))
    return Homogeneity(statistic, k, float(p))


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
