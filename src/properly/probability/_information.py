"""Couplings, entropies as probabilities, and the spread of logarithms.

The coupling kappa of a distribution is one over the degrees of freedom of a Student t; 0 is
the normal distribution, and negative ones have compact support. In d dimensions it turns into the
power m of a mean in three ways, so that the convention must be named:

- "risk": m = -2 kappa / (1 + d kappa). Heavy tails belong to means that heed small probabilities;
  for d = 1 the powers -2/3 and 1 belong to 1/2 and -1/3, which are conjugate.
- "entropy": m = 2 kappa / (1 + d kappa), one less than the Tsallis order; Eq. 11 of [1]_.
- A coupling that is the power itself, as in [2]_, needs no conversion.

References
----------
.. [1] K. P. Nelson (2017). Assessing probabilistic inference by comparing the generalized mean of
   the model and source probabilities. Entropy 19:286.
   `doi:10.3390/e19060286 <https://doi.org/10.3390/e19060286>`__
.. [2] K. P. Nelson, B. J. Scannell, H. Landau (2011). A risk profile for information fusion
   algorithms. Entropy 13:1518-1532. `doi:10.3390/e13081518 <https://doi.org/10.3390/e13081518>`__
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Literal, get_args

import numpy as np

from properly._boundary._arrays import (
    as_column,
    as_numbers,
    check_amounts,
    check_length,
    check_weights,
    refuse,
)
from properly._boundary._classes import sum_slack
from properly._boundary._libraries import to_numpy
from properly._boundary._options import as_number, check_choice, check_whole
from properly._boundary._record import Record
from properly.errors import DataError
from properly.probability._power import mean_of_power

if TYPE_CHECKING:
    from properly.typing import ArrayLike, Column


Convention = Literal["risk", "entropy"]


def power_from_coupling(
    coupling: float, *, dimension: int = 1, convention: Convention = "risk"
) -> float:
    r"""Return the power of the mean that belongs to a coupling.

    .. math:: m = \frac{-2 \kappa}{1 + d \kappa} \ \text{(risk)}, \qquad
        m = \frac{2 \kappa}{1 + d \kappa} \ \text{(entropy)} .

    Parameters
    ----------
    coupling : float
        Kappa, finite and above ``-1 / dimension``.
    dimension : int
        The dimension d of what is distributed.
    convention : {"risk", "entropy"}
        The sign: that of the risk profile, or that of Nelson (2017), Eq. 11, with the power one
        less than the Tsallis order. Where kappa is the power itself there is nothing to convert.

    Returns
    -------
    float

    Examples
    --------
    >>> from properly import probability
    >>> probability.power_from_coupling(0.5)
    -0.6666666666666666
    >>> probability.power_from_coupling(0.5, convention="entropy")
    0.6666666666666666
    """
    k, d = _coupling(coupling, dimension)
    return float(_sign(convention) * 2 * _ratio(k, 1, d))


def coupling_from_power(
    power: float, *, dimension: int = 1, convention: Convention = "risk"
) -> float:
    r"""Return the coupling that belongs to the power of a mean.

    .. math:: \kappa = \frac{-m}{2 + d m} \ \text{(risk)}, \qquad
        \kappa = \frac{m}{2 - d m} \ \text{(entropy)} .

    Parameters
    ----------
    power : float
        Finite; above ``-2 / dimension`` in the risk convention, below ``2 / dimension`` in that of
        entropy. No coupling has a power beyond.
    dimension : int
        The dimension d of what is distributed.
    convention : {"risk", "entropy"}
        As for `power_from_coupling`.

    Returns
    -------
    float

    Examples
    --------
    >>> from properly import probability
    >>> probability.coupling_from_power(-2 / 3), probability.coupling_from_power(1)
    (0.49999999999999994, -0.3333333333333333)
    """
    m, d = as_number(power, "power"), check_whole(dimension, "dimension")
    sign = _sign(convention)
    # Written so that NaN, which compares as false, is refused too.
    if not -math.inf < sign * m < 2 / d:
        side = "above" if sign < 0 else "below"
        message = (
            f"in the {convention} convention and dimension {d} a power must be finite "
            f"and {side} {sign * 2 / d:.4g}; got {m:g}"
        )
        raise DataError(message, hint="powers only tend to that bound as the coupling grows.")
    return float(_ratio(sign * m, 2, -d))


def tsallis_from_coupling(coupling: float, *, dimension: int = 1) -> float:
    r"""Return the Tsallis order that belongs to a coupling.

    .. math:: q = 1 + \frac{2 \kappa}{1 + d \kappa} ,

    1 plus the power of the entropy convention, and 1 minus that of the risk convention. The coupled
    Gaussian of this coupling is the q-Gaussian of this order.

    Parameters
    ----------
    coupling : float
        Kappa, finite and above ``-1 / dimension``.
    dimension : int
        The dimension d of what is distributed.

    Returns
    -------
    float

    Examples
    --------
    >>> from properly import probability
    >>> probability.tsallis_from_coupling(0.5), probability.tsallis_from_coupling(1, dimension=2)
    (1.6666666666666667, 1.6666666666666667)
    """
    k, d = _coupling(coupling, dimension)
    return float(1 + 2 * _ratio(k, 1, d))


def conjugate_coupling(coupling: float, *, dimension: int = 1) -> float:
    r"""Return the coupling on the other side of 0 that belongs to another.

    .. math:: \hat\kappa = \frac{-\kappa}{1 + d \kappa} ,

    which undoes itself and pairs heavy tails with compact support. In the risk convention and one
    dimension it pairs the powers -2/3 and 1; in the entropy convention, 2/3 and -1.

    Parameters
    ----------
    coupling : float
        Kappa, finite and above ``-1 / dimension``.
    dimension : int
        The dimension d of what is distributed.

    Returns
    -------
    float

    Examples
    --------
    >>> from properly import probability
    >>> probability.conjugate_coupling(0.5)
    -0.3333333333333333
    """
    k, d = _coupling(coupling, dimension)
    return float(-_ratio(k, 1, d))


def _sign(convention: Convention) -> int:
    return -1 if check_choice(convention, get_args(Convention), "convention") == "risk" else 1


def _coupling(coupling: float, dimension: int) -> tuple[float, int]:
    k, d = as_number(coupling, "coupling"), check_whole(dimension, "dimension")
    if not -1 / d < k < math.inf:
        least = "-1" if d == 1 else f"-1/{d}"
        message = f"in dimension {d} a coupling must be finite and above {least}; got {k:g}"
        raise DataError(message, hint="1 + dimension * coupling must be positive.")
    return k, d


def _ratio(x: float, start: int, step: int) -> Fraction:
    """Return x / (start + step x) as a fraction, since near the bounds that sum cancels."""
    return Fraction(x) / (start + step * Fraction(x))


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
    >>> from properly import probability
    >>> probability.entropy_probability([0.25, 0.25, 0.25, 0.25])
    0.25
    """
    result, _ = _possible(p)
    return mean_of_power(result, 0.0, result)


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
    >>> from properly import probability
    >>> round(probability.cross_entropy_probability([0.5, 0.3, 0.2], [0.4, 0.4, 0.2]), 4)
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
    >>> from properly import probability
    >>> round(probability.divergence_probability([0.5, 0.3, 0.2], [0.4, 0.4, 0.2]), 4)
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
    >>> from properly import probability
    >>> [round(probability.renyi_entropy([0.5, 0.25, 0.25], a), 4) for a in (0, 1, float("inf"))]
    [1.0986, 1.0397, 0.6931]
    """
    result, log = _possible(p)
    a = as_number(order, "order")
    if math.isnan(a):
        message = f"an order must be a number or an infinity; got {order!r}"
        raise DataError(message)
    if a == 1 or math.isinf(a):
        entropy = result @ -log if a == 1 else -log.max() if a > 0 else -log.min()
        return max(0.0, float(entropy))
    excess = _excess(result, log, a)
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
    >>> from properly import probability
    >>> probability.tsallis_entropy([0.5, 0.25, 0.25], 2)
    0.625
    """
    result, log = _possible(p)
    a = as_number(order, "order")
    if not math.isfinite(a):
        message = f"the order of a Tsallis entropy must be finite; got {order!r}"
        raise DataError(message, hint="renyi_entropy takes infinite orders.")
    return max(0.0, float(result @ -log) if a == 1 else _excess(result, log, a) / (1 - a))


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
    result = _distribution(p, "p")
    result = result[result > 0]
    return result, np.log(result)


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


@dataclass(frozen=True, repr=False)
class LogSpread(Record):
    """A geometric mean, and one standard deviation of the logarithms to both sides.

    Attributes
    ----------
    lower, centre, upper : float
        The centre is the geometric mean. Divided by the factor it is the lower end, times the
        factor the upper one, which may exceed 1 even for probabilities.
    factor : float
        The exponential of the standard deviation of the logarithms.

    Examples
    --------
    >>> from properly import probability
    >>> probability.log_spread([0.99, 0.99, 0.99, 0.2])
    LogSpread(0.3321 to 1.327 around 0.6637)
    """

    lower: float
    centre: float
    upper: float
    factor: float

    def __repr__(self) -> str:
        return f"LogSpread({self.lower:.4g} to {self.upper:.4g} around {self.centre:.4g})"


def log_spread(values: ArrayLike, weight: ArrayLike | None = None) -> LogSpread:
    r"""Return the geometric mean and the spread of the logarithms around it.

    .. math:: M_0(t) \, e^{\pm s}, \qquad
        s^2 = \frac{\sum_i w_i (\log t_i - \log M_0(t))^2}{\sum_i w_i} .

    Nelson (2017), Eq. 10, put right: the mean of the logarithms is squared, and the root taken
    before the exponential. For comparison only, since the upper end may exceed 1; means of other
    powers, see `properly.generalized_mean`, stay among the values.

    Parameters
    ----------
    values : array-like
        Positive numbers; probabilities as a rule.
    weight : array-like, optional
        Weights, none negative; values of weight 0 are left out.

    Returns
    -------
    LogSpread

    Examples
    --------
    >>> from properly import probability
    >>> probability.log_spread([0.5, 0.5, 0.5]).factor
    1.0
    """
    t, w = _positive(values, weight)
    log = np.log(t)
    log -= log[0]  # so that equal values have no spread at all, not even by rounding
    deviation = math.sqrt(np.average((log - np.average(log, weights=w)) ** 2, weights=w))
    with np.errstate(over="ignore"):
        factor = float(np.exp(deviation))
    centre = mean_of_power(t, 0.0, w)
    return LogSpread(centre / factor, centre, centre * factor, factor)


def _positive(values: ArrayLike, weight: ArrayLike | None) -> tuple[Column, Column]:
    """Check positive values and their weights, and leave out those of weight 0."""
    t = to_numpy(check_amounts(values, "values")).astype(np.float64)
    w = np.ones(len(t)) if weight is None else to_numpy(check_weights(weight)).astype(np.float64)
    check_length(w, t, "weights", "values")
    zero = (t == 0) & (w > 0)
    if zero.any():
        hint = "limit the forecasts first, or leave those rows out."
        refuse(t, zero, "values must be positive to have logarithms", hint)
    return t[w > 0], w[w > 0]
