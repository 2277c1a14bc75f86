"""Entropies on the scale of probabilities, and those of Rényi and Tsallis."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from properly._boundary._arrays import as_column, as_numbers, check_length, refuse
from properly._boundary._classes import sum_slack
from properly._boundary._libraries import to_numpy
from properly._boundary._options import as_number
from properly.errors import DataError
from properly.probability._power_means import mean_of_power

if TYPE_CHECKING:
    from properly.typing import ArrayLike

Column: TypeAlias = np.ndarray[Any, Any]


def entropy_probability(p: ArrayLike) -> float:
    r"""Return the geometric mean of probabilities, weighted by themselves.

    .. math:: P_{ent}(p) = \exp \sum_i p_i \log p_i = e^{-H(p)} ,

    with :math:`0 \log 0 = 0`: 1 if one outcome is certain, and one over their number if all
    are equally likely (Nelson 2017, Eqs. 6-7).

    Parameters
    ----------
    p : array-like
        A distribution: probabilities in [0, 1] that sum to 1. They are divided by their sum, which
        may be off 1 by rounding.

    Returns
    -------
    float

    Examples
    --------
    >>> from properly import information
    >>> information.entropy_probability([0.25, 0.25, 0.25, 0.25])
    0.25
    """
    found, _ = _possible(p)
    return mean_of_power(found, 0.0, found)


def cross_entropy_probability(p: ArrayLike, q: ArrayLike) -> float:
    r"""Return the geometric mean of the probabilities forecast for what happens.

    .. math:: P_{ce}(p, q) = \exp \sum_i p_i \log q_i = P_{ent}(p) \, P_{div}(p, q) ,

    which is 0 if anything that can happen is called impossible (Nelson 2017, Eq. 7).

    Parameters
    ----------
    p, q : array-like
        The distribution of what happens and that of the forecast, equally long.

    Returns
    -------
    float

    Examples
    --------
    >>> from properly import information
    >>> round(information.cross_entropy_probability([0.5, 0.3, 0.2], [0.4, 0.4, 0.2]), 4)
    0.3482
    """
    happening, forecast = _pair(p, q)
    return mean_of_power(forecast, 0.0, happening)


def divergence_probability(p: ArrayLike, q: ArrayLike) -> float:
    r"""Return how far a forecast falls short of the truth, as a probability ratio.

    .. math:: P_{div}(p, q) = \exp \sum_i p_i \log \frac{q_i}{p_i} = e^{-D(p \| q)} ,

    with the Kullback-Leibler divergence :math:`D`: at most 1, which only the truth attains, and 0
    if anything that can happen is called impossible (Nelson 2017, Eq. 8).

    Parameters
    ----------
    p, q : array-like
        The distribution of what happens and that of the forecast, equally long.

    Returns
    -------
    float

    Examples
    --------
    >>> from properly import information
    >>> round(information.divergence_probability([0.5, 0.3, 0.2], [0.4, 0.4, 0.2]), 4)
    0.975
    """
    happening, forecast = _pair(p, q)
    with np.errstate(divide="ignore"):
        return min(math.exp(happening @ (np.log(forecast) - np.log(happening))), 1.0)


def renyi_entropy(p: ArrayLike, order: float) -> float:
    r"""Return the Rényi entropy, with natural logarithms.

    .. math:: R_a(p) = \frac{1}{1 - a} \log \sum_{p_i > 0} p_i^a = -\log M_{a - 1}(p) ,

    with the mean :math:`M` of power :math:`a - 1` of the probabilities, weighted by themselves.

    Parameters
    ----------
    p : array-like
        A distribution. Outcomes of probability 0 are left out, whatever the order.
    order : float
        Any real number or an infinity: 0 for the logarithm of how many outcomes are possible, 1
        for Shannon's entropy, infinity for the surprise at the likeliest outcome.

    Returns
    -------
    float

    Examples
    --------
    >>> from properly import information
    >>> [round(information.renyi_entropy([0.5, 0.25, 0.25], a), 4) for a in (0, 1, float("inf"))]
    [1.0986, 1.0397, 0.6931]
    """
    found, log = _possible(p)
    a = as_number(order, "order")
    if math.isnan(a):
        message = f"an order must be a number or an infinity; got {order!r}"
        raise DataError(message)
    if a == 1 or math.isinf(a):
        entropy = found @ -log if a == 1 else -log.max() if a > 0 else -log.min()
        return max(0.0, float(entropy))
    excess = _excess(found, log, a)
    if abs(excess) < 0.5:
        return max(0.0, math.log1p(excess) / (1 - a))
    # The largest term is taken out, so that none overflows and not all of them vanish.
    last = log.max() if a > 0 else log.min()
    with np.errstate(over="ignore"):
        rest = np.log(np.exp(a * (log - last)).sum())
    return float(a / (1 - a) * last + rest / (1 - a))


def tsallis_entropy(p: ArrayLike, order: float) -> float:
    r"""Return the Tsallis entropy.

    .. math:: T_a(p) = \frac{1 - \sum_{p_i > 0} p_i^a}{a - 1} = \frac{1 - M_m(p)^m}{m} ,
        \quad m = a - 1 ,

    with the mean :math:`M` of power :math:`m` of the probabilities, weighted by themselves.

    Parameters
    ----------
    p : array-like
        A distribution. Outcomes of probability 0 are left out, whatever the order.
    order : float
        Any real number: 1 for Shannon's entropy in natural logarithms, 2 for the Gini impurity.

    Returns
    -------
    float
        Infinite where a power of a tiny probability is beyond all doubles.

    Examples
    --------
    >>> from properly import information
    >>> information.tsallis_entropy([0.5, 0.25, 0.25], 2)
    0.625
    """
    found, log = _possible(p)
    a = as_number(order, "order")
    if not math.isfinite(a):
        message = f"the order of a Tsallis entropy must be finite; got {order!r}"
        raise DataError(message, hint="renyi_entropy takes infinite orders.")
    return max(0.0, float(found @ -log) if a == 1 else _excess(found, log, a) / (1 - a))


def _distribution(p: ArrayLike, name: str) -> Column:
    """Check a distribution, and divide it by its sum."""
    given = to_numpy(as_numbers(as_column(p, name, "pass one distribution at a time."), name))
    slack = sum_slack(given)
    numbers = given.astype(np.float64)
    inside = (numbers >= 0) & (numbers <= 1)
    if not inside.all():
        refuse(numbers, ~inside, f"{name} must hold probabilities in [0, 1]")
    total = math.fsum(numbers)
    if abs(total - 1) > slack:
        message = f"{name} must sum to 1 within {slack:.2g}; the sum is {total:.7g}"
        raise DataError(message, hint="divide it by its sum first.")
    return numbers / total


def _possible(p: ArrayLike) -> tuple[Column, Column]:
    """Check a distribution; return the probabilities that are not 0, and their logarithms."""
    found = _distribution(p, "p")
    found = found[found > 0]
    return found, np.log(found)


def _pair(p: ArrayLike, q: ArrayLike) -> tuple[Column, Column]:
    """Check two distributions, and leave out of both what cannot happen."""
    happening, forecast = _distribution(p, "p"), _distribution(q, "q")
    check_length(forecast, happening, "q", "p")
    return happening[happening > 0], forecast[happening > 0]


def _excess(p: Column, log: Column, order: float) -> float:
    """Return the sum of powers of probabilities less 1, to all digits even where that is small."""
    m = order - 1
    with np.errstate(over="ignore"):
        terms = np.where(abs(m * log) < 1, p * np.expm1(m * log), np.exp(order * log) - p)
    return float(terms.sum())
