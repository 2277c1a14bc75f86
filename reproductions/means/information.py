"""Couplings, entropies as probabilities, and the spread of logarithms, as the paper has them.

The coupling kappa of a distribution is one over the degrees of freedom of a Student t; 0 is the
normal distribution, and negative ones have compact support. In d dimensions it turns into the power
m of a mean in three ways, so that the convention must be named:

- "risk": m = -2 kappa / (1 + d kappa). Heavy tails belong to means that heed small probabilities;
  for d = 1 the powers -2/3 and 1 belong to 1/2 and -1/3, which are conjugate.
- "entropy": m = 2 kappa / (1 + d kappa), one less than the Tsallis order; Eq. 11.
- A coupling that is the power itself needs no conversion.

The numeral 2 is that of normal distributions. It is 1 for exponential ones and any number for those
of Lévy, as the paper says below Eq. 11.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

from properly import generalized_mean

if TYPE_CHECKING:
    from properly.typing import ArrayLike

Convention = Literal["risk", "entropy"]
SIGN = {"risk": -1, "entropy": 1}


def power_from_coupling(
    coupling: float, *, dimension: int = 1, convention: Convention = "risk", numeral: float = 2
) -> float:
    """Return the power of the mean that belongs to a coupling above ``-1 / dimension``."""
    return SIGN[convention] * numeral * coupling / (1 + dimension * coupling)


def coupling_from_power(
    power: float, *, dimension: int = 1, convention: Convention = "risk", numeral: float = 2
) -> float:
    """Return the coupling that belongs to the power of a mean."""
    m = SIGN[convention] * power
    return m / (numeral - dimension * m)


def tsallis_from_coupling(coupling: float, *, dimension: int = 1) -> float:
    """Return the Tsallis order, 1 plus the power of the entropy convention."""
    return 1 + power_from_coupling(coupling, dimension=dimension, convention="entropy")


def conjugate_coupling(coupling: float, *, dimension: int = 1) -> float:
    """Return the coupling on the other side of 0 that pairs heavy tails with compact support."""
    return -coupling / (1 + dimension * coupling)


def entropy_probability(p: ArrayLike) -> float:
    """Return the geometric mean of probabilities, weighted by themselves; Eqs. 6-7."""
    return generalized_mean(p, 0.0, p)


def cross_entropy_probability(p: ArrayLike, q: ArrayLike) -> float:
    """Return the geometric mean of the probabilities forecast for what happens; Eq. 7."""
    return generalized_mean(q, 0.0, p)


def divergence_probability(p: ArrayLike, q: ArrayLike) -> float:
    """Return how far a forecast falls short of the truth, as a ratio; Eq. 8."""
    return cross_entropy_probability(p, q) / entropy_probability(p)


def renyi_entropy(p: ArrayLike, order: float) -> float:
    """Return the Rényi entropy of a distribution, with natural logarithms."""
    return -math.log(generalized_mean(p, order - 1, p))


def tsallis_entropy(p: ArrayLike, order: float) -> float:
    """Return the Tsallis entropy of a distribution; Shannon's at order 1."""
    m = order - 1
    mean = generalized_mean(p, m, p)
    return -math.log(mean) if m == 0 else -math.expm1(m * math.log(mean)) / m


class LogSpread(NamedTuple):
    """A geometric mean, and one standard deviation of the logarithms to both sides.

    The centre is the geometric mean. Divided by the factor it is the lower end, times the factor
    the upper one, which may exceed 1 even for probabilities.
    """

    lower: float
    centre: float
    upper: float
    factor: float


def log_spread(values: ArrayLike) -> LogSpread:
    """Return the geometric mean and the spread of the logarithms; Eq. 10, put right."""
    log = np.log(np.asarray(values))
    centre, factor = math.exp(log.mean()), math.exp(log.std())
    return LogSpread(centre / factor, centre, centre * factor, factor)
