"""Rules for the probability of one event."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from properly._interval import as_number
from properly._libraries import namespace
from properly.errors import DataError
from properly.rules._rule import BinaryRule, Propriety

if TYPE_CHECKING:
    from properly.typing import Array


@dataclass(frozen=True)
class Brier(BinaryRule):
    r"""Squared error of the probability.

    .. math:: S(p, y) = (p - y)^2, \qquad w(t) = 2 .

    Notes
    -----
    The scale is that of the event alone: between 0 and 1; a forecast of one half costs 1/4.
    Brier's own score, summed over both classes, is twice this one.

    References
    ----------
    .. [1] G. W. Brier (1950). Verification of forecasts expressed in terms of probability.
       Monthly Weather Review 78:1-3. `doi:10.1175/1520-0493(1950)078<0001:VOFEIT>2.0.CO;2
       <https://doi.org/10.1175/1520-0493(1950)078%3C0001:VOFEIT%3E2.0.CO;2>`__

    Examples
    --------
    >>> from properly.rules import Brier
    >>> Brier()([0, 1], [0.1, 0.5])
    0.13
    >>> Brier().loss([0, 1], [0.1, 0.5])
    array([0.01, 0.25])
    """

    propriety: ClassVar[Propriety] = Propriety.STRICT

    def false_positives(self, lower: Array | float, upper: Array | float) -> Array:
        """Return ``upper ** 2 - lower ** 2``."""
        return (upper - lower) * (upper + lower)

    def false_negatives(self, lower: Array | float, upper: Array | float) -> Array:
        """Return ``(1 - lower) ** 2 - (1 - upper) ** 2``."""
        return (upper - lower) * ((1 - lower) + (1 - upper))

    def loss_if_event(self, p: Array) -> Array:
        """Return ``(1 - p) ** 2``."""
        q = 1 - p
        return q * q

    def loss_if_none(self, p: Array) -> Array:
        """Return ``p ** 2``."""
        return p * p

    def weight(self, p: Array) -> Array:
        """Return 2: every threshold counts the same."""
        return 2 * namespace(p).ones_like(p)

    def length(self, lower: float, upper: float) -> float:
        """Return ``upper - lower``, so that a mean over a range stays on the Brier scale."""
        return upper - lower


@dataclass(frozen=True)
class Log(BinaryRule):
    r"""Negative natural logarithm of the probability of what happened.

    .. math:: S(p, y) = -\log(p) \text{ if } y = 1, \quad -\log(1 - p) \text{ if } y = 0,
        \qquad w(t) = \frac{1}{t (1 - t)} .

    Notes
    -----
    A certain forecast that turns out wrong costs infinity. Nothing is clipped: a clipped log score
    depends on the floating-point type and hides the one case that matters most.

    References
    ----------
    .. [1] I. J. Good (1952). Rational decisions. Journal of the Royal Statistical Society B
       14:107-114. `doi:10.1111/j.2517-6161.1952.tb00104.x
       <https://doi.org/10.1111/j.2517-6161.1952.tb00104.x>`__

    Examples
    --------
    >>> from properly.rules import Log
    >>> Log().loss([0, 1, 1], [0.5, 1.0, 0.0])
    array([0.69314718, 0.        ,        inf])
    """

    propriety: ClassVar[Propriety] = Propriety.STRICT

    @np.errstate(divide="ignore", over="ignore")
    def false_positives(self, lower: Array | float, upper: Array | float) -> Array:
        """Return ``log((1 - lower) / (1 - upper))``."""
        return namespace(lower, upper).log1p((upper - lower) / (1 - upper))

    @np.errstate(divide="ignore", over="ignore")
    def false_negatives(self, lower: Array | float, upper: Array | float) -> Array:
        """Return ``log(upper / lower)``."""
        xp = namespace(lower, upper)
        lower, upper = lower + 0.0 * upper, upper + 0.0 * lower
        # Not the mirror image of the above: close to 0 that quotient could overflow.
        near = upper - lower < lower
        close = xp.where(near, lower, upper)
        far = xp.where(near, upper, lower)
        narrow = xp.log1p((upper - close) / close)
        return narrow + (xp.log(upper) - xp.log(far))

    @np.errstate(divide="ignore", over="ignore")
    def loss_if_event(self, p: Array) -> Array:
        """Return ``-log(p)``."""
        return 0.0 - namespace(p).log(p)

    @np.errstate(divide="ignore", over="ignore")
    def loss_if_none(self, p: Array) -> Array:
        """Return ``-log(1 - p)``."""
        return -namespace(p).log1p(-p)

    @np.errstate(divide="ignore", over="ignore")
    def weight(self, p: Array) -> Array:
        """Return ``1 / (p (1 - p))``: the same for every log-odds."""
        return 1 / (p * (1 - p))

    def logit_weight(self, p: Array, q: Array) -> Array:  # noqa: ARG002
        """Return 1."""
        return namespace(p).ones_like(p)

    @np.errstate(divide="ignore", over="ignore")
    def slope_if_event(self, p: Array) -> Array:
        """Return ``-1 / p``."""
        return -1 / p

    @np.errstate(divide="ignore", over="ignore")
    def slope_if_none(self, p: Array) -> Array:
        """Return ``1 / (1 - p)``."""
        return 1 / (1 - p)


@dataclass(frozen=True)
class Spherical(BinaryRule):
    r"""One minus the cosine of the angle between forecast and outcome.

    .. math:: S(p, y) = 1 - \frac{y p + (1 - y)(1 - p)}{s(p)}, \qquad
        s(p) = \sqrt{p^2 + (1 - p)^2}, \qquad w(t) = s(t)^{-3} .

    Notes
    -----
    The forecast is the vector ``(1 - p, p)``, the outcome ``(1, 0)`` or ``(0, 1)``: the loss is one
    minus the probability of what happened, divided by the length of the forecast vector.
    Differences are formed by the half angle, without cancellation.

    References
    ----------
    .. [1] T. Gneiting, A. E. Raftery (2007). Strictly proper scoring rules, prediction, and
       estimation. Journal of the American Statistical Association 102:359-378.
       `doi:10.1198/016214506000001437 <https://doi.org/10.1198/016214506000001437>`__

    Examples
    --------
    >>> from properly.rules import Spherical
    >>> Spherical().loss([0, 1, 1], [0.0, 0.5, 0.0])
    array([0.        , 0.29289322, 1.        ])
    """

    propriety: ClassVar[Propriety] = Propriety.STRICT

    def false_positives(self, lower: Array | float, upper: Array | float) -> Array:
        """Return the fall of the cosine ``(1 - t) / s(t)`` from lower to upper."""
        sines = lower / _norm(lower) + upper / _norm(upper)
        return sines * _half_angle_tangent(lower, upper)

    def false_negatives(self, lower: Array | float, upper: Array | float) -> Array:
        """Return the rise of the sine ``t / s(t)`` from lower to upper."""
        cosines = (1 - lower) / _norm(lower) + (1 - upper) / _norm(upper)
        return cosines * _half_angle_tangent(lower, upper)

    def weight(self, p: Array) -> Array:
        """Return ``s(p) ** -3``: most for thresholds near one half."""
        return _norm(p) ** -3


@dataclass(frozen=True)
class Misclassification(BinaryRule):
    r"""One if the likelier side did not happen, a half if the forecast is exactly 1/2.

    .. math:: S(p, y) = 1\{p > 1/2\} (1 - y) + 1\{p < 1/2\}\, y + \tfrac12\, 1\{p = 1/2\}.

    Notes
    -----
    All of the weight sits at the threshold 1/2, so every forecast on the right side of it is as
    good as any other: the rule is proper, not strictly.

    Examples
    --------
    >>> from properly.rules import Misclassification
    >>> Misclassification().loss([0, 0, 0], [0.4, 0.5, 0.6])
    array([0. , 0.5, 1. ])
    """

    propriety: ClassVar[Propriety] = Propriety.PROPER

    def false_positives(self, lower: Array | float, upper: Array | float) -> Array:
        """Count the threshold 1/2 if it lies inside, half if it is an end."""
        return _step(upper) - _step(lower)

    def false_negatives(self, lower: Array | float, upper: Array | float) -> Array:
        """Count the threshold 1/2 if it lies inside, half if it is an end."""
        return _step(upper) - _step(lower)

    def weight(self, p: Array) -> Array:
        """Return 0: there is no weight away from the point mass."""
        return namespace(p).zeros_like(p)

    def atoms_within(self, lower: float, upper: float) -> tuple[tuple[float, float], ...]:
        """Return the mass at 1/2: 2, or 1 if 1/2 is an end of the range."""
        mass = 2 * float(_step(upper) - _step(lower))
        return ((0.5, mass),) if mass else ()


@dataclass(frozen=True)
class Elementary(BinaryRule):
    r"""Regret at one threshold.

    .. math:: S(p, y) = c\, (1 - y)\, 1\{p \ge c\} + (1 - c)\, y\, 1\{p < c\}.

    Parameters
    ----------
    threshold : float
        The probability c at which one acts, ``0 < c < 1``.

    Notes
    -----
    One acts if and only if ``p >= c``. The mean is the regret R(c); net benefit is the event rate
    minus ``R(c) / (1 - c)``. Only the side of c that a forecast lies on matters, so the rule is
    proper, not strictly.

    References
    ----------
    .. [1] W. Ehm, T. Gneiting, A. Jordan, F. Krüger (2016). Of quantiles and expectiles: consistent
       scoring functions, Choquet representations and forecast rankings. Journal of the Royal
       Statistical Society B 78:505-562. `doi:10.1111/rssb.12154
       <https://doi.org/10.1111/rssb.12154>`__

    Examples
    --------
    >>> from properly.rules import Elementary
    >>> Elementary(0.2).loss([0, 0, 1, 1], [0.1, 0.2, 0.1, 0.2])
    array([0. , 0.2, 0.8, 0. ])
    """

    threshold: float

    propriety: ClassVar[Propriety] = Propriety.PROPER

    def __post_init__(self) -> None:
        object.__setattr__(self, "threshold", as_number(self.threshold, "threshold"))
        if not 0 < self.threshold < 1:
            message = f"a threshold must lie strictly between 0 and 1; got {self.threshold!r}"
            raise DataError(message, hint="at 0 one always acts, at 1 never; nothing is decided.")

    def false_positives(self, lower: Array | float, upper: Array | float) -> Array:
        """Return the threshold if it lies above lower, up to and including upper."""
        return self.threshold * self._inside(lower, upper)

    def false_negatives(self, lower: Array | float, upper: Array | float) -> Array:
        """Return one minus the threshold if it lies above lower, up to and including upper."""
        return (1 - self.threshold) * self._inside(lower, upper)

    def weight(self, p: Array) -> Array:
        """Return 0: there is no weight away from the point mass."""
        return namespace(p).zeros_like(p)

    def atoms_within(self, lower: float, upper: float) -> tuple[tuple[float, float], ...]:
        """Return the unit mass at the threshold, if it lies inside."""
        return ((self.threshold, 1.0),) if lower < self.threshold <= upper else ()

    @property
    def name(self) -> str:
        """A short lower-case name with the threshold."""
        return f"elementary[{self.threshold}]"

    def _inside(self, lower: Array | float, upper: Array | float) -> Array:
        return _at_least(upper, self.threshold) - _at_least(lower, self.threshold)


def _norm(p: Array | float) -> Array:
    return (p * p + (1 - p) * (1 - p)) ** 0.5


def _half_angle_tangent(lower: Array | float, upper: Array | float) -> Array:
    """Tangent of half the angle between the forecast vectors of two probabilities."""
    dot = lower * upper + (1 - lower) * (1 - upper)
    return (upper - lower) / (_norm(lower) * _norm(upper) + dot)


def _at_least(p: Array | float, threshold: float) -> Array | float:
    """Return 1 where one acts, else 0, in the type of `p`."""
    if isinstance(p, int | float):
        return float(p >= threshold)
    return namespace(p).astype(p >= threshold, p.dtype)


def _step(p: Array | float) -> Array | float:
    """Return 0 below one half, 1 above, and a half between."""
    above = 1 - _at_least(1 - p, 0.5)  # 1 - p is exact wherever it matters, near one half
    return 0.5 * (_at_least(p, 0.5) + above)
