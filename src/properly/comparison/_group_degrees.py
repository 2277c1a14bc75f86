"""Degrees of freedom of groups that have few cases, or few clusters, of their own.

References
----------
.. [1] F. E. Satterthwaite (1946). An approximate distribution of estimates of variance components.
   Biometrics Bulletin 2:110-114. doi:10.2307/3002019.
.. [2] J. E. Pustejovsky, E. Tipton (2018). Small-sample methods for cluster-robust variance
   estimation and hypothesis testing in fixed effects models. Journal of Business & Economic
   Statistics 36:672-683. doi:10.1080/07350015.2016.1247004.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from properly.inference._design import Design

Column: TypeAlias = np.ndarray[Any, Any]


class Units(NamedTuple):
    """How many units each group has, and each rest: cases, clusters or times.

    `inside` and `outside` count the units with a case there, `both` those with cases on either
    side, and `common` those that two groups share. `free_inside` and `free_outside` are degrees of
    freedom: one less, or as many less as strata lie there as a whole.
    """

    inside: Column
    outside: Column
    both: Column
    common: Column
    free_inside: Column
    free_outside: Column


def count_units(number: Column, design: Design) -> Units:
    """Count the units of each group and of its rest; `number` is the group of each case."""
    label = design.cluster if design.time is None else design.time
    if label is None:
        inside = np.bincount(number)
        outside, both = len(number) - inside, np.zeros_like(inside)
        common = np.diag(inside)
    else:
        cases = _crossed(number, label)
        here, there = cases > 0, cases < cases.sum(axis=0)
        inside, outside, both = (x.sum(axis=1) for x in (here, there, here & there))
        common = here.astype(np.int64) @ here.T
    lost = np.ones((2, len(inside)))
    if design.stratum is not None:
        cases = _crossed(number, design.stratum)
        whole = [(cases == side).sum(axis=1) for side in (cases.sum(axis=0), 0)]
        lost = np.maximum(whole, 1)
    return Units(inside, outside, both, common, inside - lost[0], outside - lost[1])


def _crossed(number: Column, label: Column) -> Column:
    """Count the cases of each group in each cluster, time or stratum."""
    shape = int(number.max()) + 1, int(label.max()) + 1
    found: Column = np.bincount(number * shape[1] + label, minlength=shape[0] * shape[1])
    return found.reshape(shape)


def of_differences(inside: Column, outside: Column, units: Units) -> Column:
    r"""Return the degrees of freedom of each group's difference from the rest.

    With variances V and v of a group and of its rest, that have :math:`\nu` and :math:`\mu` degrees
    of freedom from N and n units, c of them in both,

    .. math:: \frac{(V + v)^2}{V^2 / \nu + v^2 / \mu + 2 c V v / \sqrt{N \nu n \mu}} .

    It is that of Welch for separate units, and one less than their number if each is in both. If
    the variance of a small group comes out low by chance this is too high, so it is taken from
    variances of units that are all alike as well, and the lower of the two is returned.
    """
    estimated = _satterthwaite(inside, outside, units)
    with np.errstate(divide="ignore"):
        alike = _satterthwaite(1 / units.inside, 1 / units.outside, units)
    return np.minimum(estimated, alike)


def _satterthwaite(inside: Column, outside: Column, units: Units) -> Column:
    free, other = units.free_inside, units.free_outside
    with np.errstate(divide="ignore", invalid="ignore"):
        crossed = units.both / np.sqrt(units.inside * free * units.outside * other)
        below = inside**2 / free + outside**2 / other + 2 * crossed * inside * outside
        found: Column = (inside + outside) ** 2 / below
    return found


def of_groups(variance: Column, units: Units, used: Column) -> float:
    r"""Return the degrees of freedom behind the covariance of several groups.

    They are those of the Wishart distribution that varies as much as the covariance does, after it
    is scaled to be 1 on average. With :math:`h_g` the share of group g in :math:`\sum 1 / V`,
    :math:`P = I - \sqrt{h} \sqrt{h}^\top` and k one less than the number of groups,

    .. math:: k (k + 1) \Big/ \sum_{g, h} \frac{c_{gh}}{\sqrt{N_g \nu_g N_h \nu_h}}
        (P_{gg} P_{hh} + P_{gh}^2)

    with c the number of common units. For two groups it is that of their difference.
    """
    both = (variance[used], 1 / units.inside[used])
    return min(_of_wishart(x, units, used) for x in both)


def _of_wishart(variance: Column, units: Units, used: Column) -> float:
    share = 1 / variance / (1 / variance).sum()
    root = np.sqrt(units.inside[used] * units.free_inside[used])
    away = np.eye(len(share)) - np.sqrt(np.outer(share, share))
    size = np.diagonal(away)
    crossed = units.common[np.ix_(used, used)] / np.outer(root, root)
    k = len(share) - 1
    return float(k * (k + 1) / (crossed * (np.outer(size, size) + away**2)).sum())
