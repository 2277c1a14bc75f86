"""Couplings, and the powers of means that belong to them."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Literal, get_args

from properly._boundary._options import as_number, check_choice, check_whole
from properly.errors import DataError

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
    >>> from properly import information
    >>> information.power_from_coupling(0.5)
    -0.6666666666666666
    >>> information.power_from_coupling(0.5, convention="entropy")
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
    >>> from properly import information
    >>> information.coupling_from_power(-2 / 3), information.coupling_from_power(1)
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
    >>> from properly import information
    >>> information.tsallis_from_coupling(0.5), information.tsallis_from_coupling(1, dimension=2)
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
    >>> from properly import information
    >>> information.conjugate_coupling(0.5)
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
