"""Rules that price one event and several classes by one formula: Brier, log, spherical.

`Brier` is the squared error of probabilities, `Log` minus the logarithm of the probability of what
happened, `Spherical` one minus the cosine of the angle between forecast and outcome.
`Pseudospherical` is the family of one power that leads from the log score past the spherical one to
the share of mistakes.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar, Literal, get_args

import numpy as np

from properly._boundary._classes import check_count
from properly._boundary._libraries import count_up, infinities, is_numpy, namespace
from properly._boundary._options import as_number, check_choice
from properly.errors import DataError
from properly.rules._class_rule import DualRule, at, is_class, split_off, squares_of_others
from properly.rules._log_odds import both_sides, log_softmax, softmax, softplus
from properly.rules._rule import Propriety, in_name, wide
from properly.typing import Array

Scale = Literal["sum", "mean", "half"]


@dataclass(frozen=True, repr=False)
class Brier(DualRule):
    r"""Squared error of the probability.

    For the probability of one event, and for those of several classes,

    .. math:: S(p, y) = (p - y)^2 \quad (w(t) = 2), \qquad
        S(p, y) = \sum_k (p_k - 1\{y = k\})^2 .

    Parameters
    ----------
    scale : {"sum", "mean", "half"}
        How the squared errors of several classes are put together: their sum, between 0 and 2; the
        sum divided by the number of classes; or half of the sum, between 0 and 1. Forecasts of one
        event have no classes to add up, and no scale.

    Notes
    -----
    The scale of an event is that of the event alone: between 0 and 1; a forecast of one half costs
    1/4. The same event as two columns is summed over both, as Brier himself did, and costs twice as
    much unless the scale is ``"half"`` or ``"mean"``.

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
    >>> Brier().loss([0, 2], [[0.5, 0.25, 0.25], [0.0, 0.0, 1.0]])
    array([0.375, 0.   ])

    Two columns, as ``predict_proba`` has them, cost twice as much as that of the event alone:

    >>> Brier()([0, 1], [[0.9, 0.1], [0.5, 0.5]])
    0.26
    >>> Brier(scale="half")([0, 1], [[0.9, 0.1], [0.5, 0.5]])
    0.13
    """

    scale: Scale = "sum"

    propriety: ClassVar[Propriety] = Propriety.STRICT

    def __post_init__(self) -> None:
        check_choice(self.scale, get_args(Scale), "scale")

    @property
    def name(self) -> str:
        """A short lower-case name, with the scale if it is not the sum."""
        return "brier" if self.scale == "sum" else f"brier_{self.scale}"

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

    def price_event_logit(self, y: Array, logit: Array) -> Array:
        """Return the square of the probability of what did not happen, however small."""
        p, q = both_sides(logit)
        wrong = namespace(logit).where(y, q, p)
        return wrong * wrong

    def length(self, lower: float, upper: float) -> float:
        """Return ``upper - lower``, so that a mean over a range stays on the Brier scale."""
        return upper - lower

    def factor(self, classes: int) -> float:
        """Return what the sum over so many classes is multiplied by."""
        return {"sum": 1.0, "mean": 1 / classes, "half": 0.5}[self.scale]

    def range_for(self, classes: int) -> tuple[float, float]:
        """Return 0 and the loss of a certain, wrong forecast."""
        return 0.0, 2 * self.factor(check_count(classes))

    def classwise(self, p: Array) -> Array:
        """Return ``(1 - p_k) ** 2`` and the squares of all other probabilities, added up."""
        q = 1 - p
        return self.factor(p.shape[1]) * (q * q + squares_of_others(p))

    def price(self, y: Array, p: Array) -> Array:
        """Return the same for the class that happened, without cancellation."""
        chosen, rest = split_off(p, y)
        q = 1 - chosen
        return self.factor(p.shape[1]) * (q * q + rest)

    def class_slope(self, y: Array, p: Array) -> Array:
        """Return ``2 (p_k - 1)`` for the class that happened and ``2 p_k`` for others."""
        happened = namespace(p).astype(is_class(y, p), p.dtype)
        return 2 * self.factor(p.shape[1]) * (p - happened)

    def class_curvature(self, p: Array) -> Array:
        """Return ``2 p_k**2`` times the squared distance from the forecast to the class."""
        q = 1 - p
        return 2 * self.factor(p.shape[1]) * p * p * (q * q + squares_of_others(p))


@dataclass(frozen=True)
class Log(DualRule):
    r"""Negative natural logarithm of the probability of what happened.

    .. math:: S(p, y) = -\log(p) \text{ if } y = 1, \quad -\log(1 - p) \text{ if } y = 0,
        \qquad w(t) = \frac{1}{t (1 - t)} ,

    and :math:`S(p, y) = -\log(p_y)` if there are several classes.

    Notes
    -----
    Only the probability of what happened counts: the score is local, and blind to any order of the
    classes.

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
    >>> Log().loss(["b", "c"], [[0.25, 0.5, 0.25], [0.0, 1.0, 0.0]], labels=["a", "b", "c"])
    array([0.69314718,        inf])
    """

    propriety: ClassVar[Propriety] = Propriety.STRICT

    @infinities()
    def false_positives(self, lower: Array | float, upper: Array | float) -> Array:
        """Return ``log((1 - lower) / (1 - upper))``."""
        return namespace(lower, upper).log1p((upper - lower) / (1 - upper))

    @infinities()
    def false_negatives(self, lower: Array | float, upper: Array | float) -> Array:
        """Return ``log(upper / lower)``."""
        xp = namespace(lower, upper)
        if isinstance(upper, float) and isinstance(lower, np.ndarray) and lower.ndim:
            # The same, but each logarithm only where it is needed.
            result = np.log(upper) - np.log(lower)
            row = np.flatnonzero(upper - lower < lower)
            result[row] = np.log1p((upper - lower[row]) / lower[row])
            return result
        lower, upper = lower + 0.0 * upper, upper + 0.0 * lower
        # Not the mirror image of the above: close to 0 that quotient could overflow.
        near = upper - lower < lower
        close = xp.where(near, lower, upper)
        far = xp.where(near, upper, lower)
        narrow = xp.log1p((upper - close) / close)
        return narrow + (xp.log(upper) - xp.log(far))

    @infinities()
    def loss_if_event(self, p: Array) -> Array:
        """Return ``-log(p)``."""
        return 0.0 - namespace(p).log(p)

    @infinities()
    def loss_if_none(self, p: Array) -> Array:
        """Return ``-log(1 - p)``."""
        return -namespace(p).log1p(-p)

    @infinities()
    def weight(self, p: Array) -> Array:
        """Return ``1 / (p (1 - p))``: the same for every log-odds."""
        return 1 / (p * (1 - p))

    def logit_weight(self, p: Array, q: Array) -> Array:  # noqa: ARG002
        """Return 1."""
        return namespace(p).ones_like(p)

    @infinities()
    def slope_if_event(self, p: Array) -> Array:
        """Return ``-1 / p``."""
        return -1 / p

    @infinities()
    def slope_if_none(self, p: Array) -> Array:
        """Return ``1 / (1 - p)``."""
        return 1 / (1 - p)

    def price_event_logit(self, y: Array, logit: Array) -> Array:
        """Return ``log(1 + exp(logit))``, of minus the logit if the event happened."""
        return softplus(namespace(logit).where(y, -logit, logit))

    def price_class_logit(self, y: Array, logits: Array) -> Array:
        """Return minus the logarithm of the softmax."""
        return 0.0 - at(log_softmax(logits), y)

    def price_class_logit_slope(self, y: Array, logits: Array) -> Array:
        """Return ``p_k - 1`` for the class that happened and ``p_k`` for others."""
        p = softmax(logits)
        return p - namespace(p).astype(is_class(y, p), p.dtype)

    def class_slope(self, y: Array, p: Array) -> Array:
        """Return ``-1 / p_k`` for the class that happened and 0 for others."""
        xp = namespace(p)
        happened = is_class(y, p)
        return xp.where(happened, -1 / xp.where(happened, p, xp.ones_like(p)), xp.zeros_like(p))

    def class_curvature(self, p: Array) -> Array:
        """Return ``p_k (1 - p_k)``."""
        return p * (1 - p)

    def range_for(self, classes: int) -> tuple[float, float]:
        """Return 0 and infinity."""
        check_count(classes)
        return 0.0, math.inf

    def classwise(self, p: Array) -> Array:
        """Return ``-log(p_k)``."""
        return minus_log(p)

    def price(self, y: Array, p: Array) -> Array:
        """Return ``-log(p_y)``."""
        return self.loss_if_event(at_most_one(wide(at(p, y))))


def at_most_one(p: Array) -> Array:
    """Cut off what is above 1, which rows that sum to 1 only nearly may have."""
    xp = namespace(p)
    return xp.where(p <= 1, p, xp.ones_like(p))


@infinities()
def minus_log(p: Array) -> Array:
    """Return ``-log(p)``, of which a tensor's slope at 0 is 0: what costs infinity has none."""
    p = at_most_one(p)
    if is_numpy(p):
        return 0.0 - np.log(p)
    xp = namespace(p)
    possible = p > 0
    # The inner where keeps the infinite slope, which times 0 is NaN, from ever being formed.
    loss = 0.0 - xp.log(xp.where(possible, p, xp.ones_like(p)))
    return xp.where(possible, loss, xp.full_like(loss, math.inf))


# Below this even a forecast of one half costs more than a double holds, if classes are many.
LEAST = -100.0
# A power nearer to 0, or of a number nearer to 1, changes no loss by as much as a rounding.
TINY = 1e-20


@dataclass(frozen=True)
class Spherical(DualRule):
    r"""One minus the cosine of the angle between forecast and outcome.

    .. math:: S(p, y) = 1 - \frac{y p + (1 - y)(1 - p)}{s(p)}, \qquad
        s(p) = \sqrt{p^2 + (1 - p)^2}, \qquad w(t) = s(t)^{-3} ,

    and :math:`S(p, y) = 1 - p_y / \lVert p \rVert` if there are several classes.

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
    >>> Spherical().loss([0, 1], [[0.6, 0.4, 0.0], [0.5, 0.0, 0.5]])
    array([0.16794971, 1.        ])
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

    def price_event_logit(self, y: Array, logit: Array) -> Array:
        """Return one minus the cosine from both probabilities, however small."""
        xp = namespace(logit)
        p, q = both_sides(logit)
        wrong = xp.where(y, q, p)
        return _one_minus_cosine(xp.where(y, p, q), wrong * wrong)

    def classwise(self, p: Array) -> Array:
        """Return one minus the cosine of the angle to the axis of each class."""
        return _one_minus_cosine(p, squares_of_others(p))

    def price(self, y: Array, p: Array) -> Array:
        """Return the same for the class that happened."""
        return _one_minus_cosine(*split_off(p, y))

    def class_slope(self, y: Array, p: Array) -> Array:
        """Differentiate ``-p_y / norm``."""
        xp = namespace(p)
        norm = xp.sum(p * p, axis=1, keepdims=True) ** 0.5
        share = at(p, y)[:, None] / norm
        return (share * (p / norm) - xp.astype(is_class(y, p), p.dtype)) / norm

    def class_curvature(self, p: Array) -> Array:
        """Return the second derivative of the norm along the softmax's columns."""
        square = namespace(p).sum(p * p, axis=1, keepdims=True)
        return p * p * squares_of_others(p) / square**1.5


def _one_minus_cosine(chosen: Array, rest: Array) -> Array:
    """Return ``1 - p_y / norm`` without cancellation, from p_y and the squares of the rest."""
    norm = (chosen * chosen + rest) ** 0.5
    return rest / (norm * (norm + chosen))


def _norm(p: Array | float) -> Array:
    return (p * p + (1 - p) * (1 - p)) ** 0.5


def _half_angle_tangent(lower: Array | float, upper: Array | float) -> Array:
    """Tangent of half the angle between the forecast vectors of two probabilities."""
    dot = lower * upper + (1 - lower) * (1 - upper)
    return (upper - lower) / (_norm(lower) * _norm(upper) + dot)


@dataclass(frozen=True)
class Pseudospherical(DualRule):
    r"""Loss whose mean is a mean of any power of probabilities, made proper.

    .. math:: S(p, y) = \frac{1 - s_y^m}{m}, \qquad s_y = \frac{p_y^a}{\sum_k p_k^a}, \qquad
        a = \frac{1}{1 - m},

    and for one event, with :math:`D(t) = t^a + (1 - t)^a`,

    .. math:: w(t) = a\, \frac{(t (1 - t))^{a - 2}}{D(t)^{1 + m}} .

    Parameters
    ----------
    power : float
        The power :math:`m`, from -100 on and less than 1. The lower it is, the more a single
        forecast that was badly wrong decides.

    Notes
    -----
    The mean of power :math:`m` of the probabilities of what happened is no proper score: it is
    greatest if one reports :math:`s`, not :math:`p`. So the rule makes the report :math:`s`
    of a forecast :math:`p`, and prices that. With the mean loss :math:`\bar S`,
    :math:`(1 - m \bar S)^{1/m}` is the mean of power :math:`m` of :math:`s_y`, which
    `properly.probability.proper_means` returns.

    A power of 0 is `Log`, 1/2 is twice `Spherical`, and the limit at 1 is `Misclassification`. A
    certain forecast that turns out wrong costs :math:`1 / m` if the power is positive, else
    infinity. If it is negative, the loss of a certain and right forecast has an infinite slope; a
    tensor is given the gradient 0 there.

    References
    ----------
    .. [1] T. Gneiting, A. E. Raftery (2007). Strictly proper scoring rules, prediction, and
       estimation. Journal of the American Statistical Association 102:359-378.
       `doi:10.1198/016214506000001437 <https://doi.org/10.1198/016214506000001437>`__

    Examples
    --------
    >>> from properly.rules import Pseudospherical
    >>> Pseudospherical().loss([0, 1, 1], [0.0, 0.5, 0.0]).round(6)
    array([0.      , 0.881102,      inf])
    >>> Pseudospherical(0.5).loss([0, 1], [[0.6, 0.4, 0.0], [0.5, 0.0, 0.5]]).round(6)
    array([0.335899, 2.      ])
    """

    power: float = -2 / 3

    propriety: ClassVar[Propriety] = Propriety.STRICT

    def __post_init__(self) -> None:
        power = as_number(self.power, "power")
        if not LEAST <= power < 1:
            message = f"the power must be less than 1, and not below {LEAST:g}; got {power:g}"
            hint = "the limit at 1 is Misclassification()." if power >= 1 else None
            raise DataError(message, hint=hint)
        self._set(power=0.0 if abs(power) < TINY else power)

    @property
    def name(self) -> str:
        """A short lower-case name with the power."""
        return f"pseudospherical[{in_name(self.power)}]"

    @property
    def exponent(self) -> float:
        """What a forecast is raised to before it is priced: ``1 / (1 - power)``."""
        return 1 / (1 - self.power)

    def false_positives(self, lower: Array | float, upper: Array | float) -> Array:
        """Return the fall of ``s ** m / m`` of the other side, from lower to upper."""
        return self._cost(lower, upper, event=False)

    def false_negatives(self, lower: Array | float, upper: Array | float) -> Array:
        """Return the rise of ``s ** m / m``, from lower to upper."""
        return self._cost(lower, upper, event=True)

    def loss_if_event(self, p: Array) -> Array:
        """Return ``(1 - s ** m) / m``."""
        return self._loss(*_shares(p, 1 - p, self.exponent))

    def loss_if_none(self, p: Array) -> Array:
        """Return the same with ``1 - s``."""
        return self._loss(*_shares(1 - p, p, self.exponent))

    @infinities()
    def weight(self, p: Array) -> Array:
        """Return ``a (p (1 - p)) ** (a - 2) / D ** (1 + m)``."""
        odds, likelier = _odds(p, 1 - p)
        return self._density(odds, odds ** (self.exponent - 2)) / likelier**3

    @infinities()
    def logit_weight(self, p: Array, q: Array) -> Array:
        """Return ``p q`` times the weight."""
        odds, likelier = _odds(p, q)
        # Infinity at a saturated logit would make NaN of the side that costs nothing.
        least = namespace(odds).finfo(odds.dtype).smallest_normal
        odds = namespace(odds).where(odds > least, odds, least)
        return self._density(odds, odds ** (self.exponent - 1)) / likelier

    @infinities()
    def slope_if_event(self, p: Array) -> Array:
        """Return ``-(1 - p)`` times the weight, with its limits at 0 and 1."""
        return -self._slope(p, 1 - p)

    @infinities()
    def slope_if_none(self, p: Array) -> Array:
        """Return ``p`` times the weight, with its limits at 0 and 1."""
        return self._slope(1 - p, p)

    @infinities()
    def price_event_logit(self, y: Array, logit: Array) -> Array:
        """Return ``(1 - s ** m) / m``; the logit of the share s is a times that of p."""
        return self._loss_of_log(-softplus(self._log_odds_of_the_other(y, logit)))

    @infinities()
    def price_event_logit_slope(self, y: Array, logit: Array) -> Array:
        """Return ``a s ** m (1 - s)``, with a minus if the event happened."""
        if self.power == 0:
            return Log().price_event_logit_slope(y, logit)
        xp = namespace(logit)
        other = self._log_odds_of_the_other(y, logit)
        # Added up before the exponential: of two factors one may vanish, the other overflow.
        size = self.exponent * xp.exp(self._raised(-softplus(other)) - softplus(-other))
        return xp.where(y, -size, size)

    @infinities()
    def price_class_logit(self, y: Array, logits: Array) -> Array:
        """Return the same; shares are the softmax of a times the logits."""
        return self._loss_of_log(at(log_softmax(self.exponent * logits), y))

    @infinities()
    def price_class_logit_slope(self, y: Array, logits: Array) -> Array:
        """Return ``a s_y ** m s_k`` for others, and minus their sum for the class that happened."""
        xp, a = namespace(logits), self.exponent
        log = log_softmax(a * logits)
        happened, zero = is_class(y, log), xp.zeros_like(log)
        other = (log > -math.inf) & ~happened
        product = self._raised(at(log, y))[:, None] + xp.where(other, log, zero)
        size = a * xp.exp(xp.where(other, product, xp.full_like(log, -math.inf)))
        return xp.where(happened, -xp.sum(size, axis=1, keepdims=True), size)

    def class_curvature(self, p: Array) -> Array:
        """Return ``a s_k (1 - s_k)`` times the mean of ``s ** m`` over what may happen."""
        xp = namespace(p)
        powers = p**self.exponent
        total = xp.sum(powers, axis=1, keepdims=True)
        share = powers / total
        return self.exponent * total ** (1 - self.power) * share * (1 - share)

    def range_for(self, classes: int) -> tuple[float, float]:
        """Return 0, and 1 / m if the power is positive, else infinity."""
        check_count(classes)
        return 0.0, 1 / self.power if self.power > 0 else math.inf

    def classwise(self, p: Array) -> Array:
        """Return ``(1 - s_k ** m) / m``."""
        ratio, others = _class_shares(p, self.exponent)
        return self._loss(ratio, others[:, None])

    def price(self, y: Array, p: Array) -> Array:
        """Return the same for the class that happened."""
        ratio, others = _class_shares(wide(p), self.exponent)
        return self._loss(at(ratio, y), others)

    @infinities()
    def _loss(self, ratio: Array, others: Array) -> Array:
        """Price the share ``ratio ** a / (1 + others)``."""
        xp, a, m = namespace(ratio), self.exponent, self.power
        gone, one = ratio <= 0, xp.ones_like(ratio)
        # The inner wheres keep infinite slopes, which times 0 are NaN, from ever being formed.
        possible = xp.where(gone, one, ratio)
        log = a * xp.log(possible) - xp.log1p(others)
        if m == 0:
            return xp.where(gone, xp.full_like(log, math.inf), 0.0 - log)
        # The logarithm keeps the digits of small losses, the power those of great ones.
        small = (xp.abs(m * log) < 0.5) & ~gone
        near = self._loss_of_log(xp.where(small, log, xp.zeros_like(log)))
        power = _power(ratio if m > 0 else possible, a * m) / (1 + others) ** m
        loss = xp.where(small, near, (1 - power) / m)
        return loss if m > 0 else xp.where(gone, xp.full_like(log, math.inf), loss)

    def _log_odds_of_the_other(self, y: Array, logit: Array) -> Array:
        """Return the log-odds of the share of what did not happen."""
        scaled = self.exponent * logit
        return namespace(logit).where(y, -scaled, scaled)

    def _raised(self, log: Array) -> Array:
        """Return the logarithm of ``s ** m`` from that of s, which may be minus infinity."""
        return self.power * log if self.power else namespace(log).zeros_like(log)

    def _loss_of_log(self, log: Array) -> Array:
        """Return ``(1 - s ** m) / m`` from the logarithm of s."""
        xp = namespace(log)
        # Subtracted from 0, so that no zero has a minus before it.
        if self.power == 0:
            return 0.0 - log
        changed = self.power * log
        return 0.0 - xp.where(xp.abs(changed) < TINY, log, xp.expm1(changed) / self.power)

    @infinities()
    def _cost(self, lower: Array | float, upper: Array | float, *, event: bool) -> Array:
        """Return how much a loss changes from lower to upper, without cancellation.

        The ratio of the probabilities that are priced, at the dearer end and at the cheaper one,
        turns the change into the loss of that ratio.
        """
        xp = namespace(lower, upper)
        lower, upper = lower + 0.0 * upper, upper + 0.0 * lower
        # Both ends are 0, or both are 1: nothing lies between, and logarithms are infinite.
        empty = (upper <= 0) | (lower >= 1)
        half = 0.5 * xp.ones_like(lower)
        lower, upper = xp.where(empty, half, lower), xp.where(empty, half, upper)
        low, high = (lower, 1 - lower), (upper, 1 - upper)
        cheap, dear = (high, low) if event else (low[::-1], high[::-1])
        ratio = _log_ratio(*dear, _log_odds_between(lower, upper), self.exponent)
        return self._power_of_share(*cheap) * self._loss_of_log(ratio)

    def _power_of_share(self, p: Array, q: Array) -> Array:
        """Return ``s ** m``; the power a times m, of the odds, is a - 1."""
        ratio, other = _shares(p, q, self.exponent)
        return _power(ratio, self.exponent * self.power) / (1 + other) ** self.power

    def _slope(self, p: Array, q: Array) -> Array:
        """Return ``q`` times the weight, where p is the side that is priced."""
        odds, likelier = _odds(p, q)
        a = self.exponent
        odd = namespace(p).where(p < q, odds ** (a - 2), odds ** (a - 1))
        return self._density(odds, odd) / likelier**2

    def _density(self, odds: Array, factor: Array) -> Array:
        return self.exponent * factor / (1 + odds**self.exponent) ** (1 + self.power)


def _odds(p: Array, q: Array) -> tuple[Array, Array]:
    """Return the odds of the unlikelier side, at most 1, and the probability of the other."""
    xp = namespace(p)
    likelier = xp.where(p < q, q, p)
    return xp.where(p < q, p, q) / likelier, likelier


def _shares(p: Array, q: Array, a: float) -> tuple[Array, Array]:
    """Return p over the likelier of p and q, and the power of the odds of the other."""
    odds, _ = _odds(p, q)
    return namespace(p).where(p < q, odds, namespace(p).ones_like(odds)), _power(odds, a)


def _log_ratio(p: Array, q: Array, distance: Array, a: float) -> Array:
    """Return the logarithm of the share of p, over that at log-odds higher by the distance."""
    xp = namespace(p)
    gone, zero = p <= 0, xp.zeros_like(p)
    mine, power = _shares(p, q, a)
    # Not from _shares(q, p): at one half, a tensor's slope would be that of another function.
    other = xp.where(p < q, xp.ones_like(p), _odds(p, q)[0])
    lost = -_power(other, a) / (1 + power) * xp.expm1(-a * distance)
    near = xp.log1p(-xp.where(lost <= 0.5, lost, zero))
    # What is left is a sum, which does not cancel where most is lost.
    left = xp.logaddexp(_log_power(mine, a), _log_power(other, a) - a * distance) - xp.log1p(power)
    ratio = xp.where(lost <= 0.5, near, xp.where(gone, zero, left))
    return xp.where(gone, xp.full_like(p, -math.inf), ratio)


def _log_odds_between(lower: Array, upper: Array) -> Array:
    """Return by how much the log-odds differ: without an end at 0 or 1, the mass of `Log`."""
    xp = namespace(lower)
    inside = (lower > 0) & (upper < 1)
    half = 0.5 * xp.ones_like(lower)
    distance = Log().mass(xp.where(inside, lower, half), xp.where(inside, upper, half))
    return xp.where(inside, distance, xp.full_like(distance, math.inf))


def _class_shares(p: Array, a: float) -> tuple[Array, Array]:
    """Return probabilities over the greatest of their row, and the powers of all but that one."""
    xp = namespace(p)
    top = xp.argmax(p, axis=1)
    ratio = p / at(p, top)[:, None]
    is_top = top[:, None] == count_up(p.shape[1], top)
    return ratio, xp.sum(xp.where(is_top, xp.zeros_like(p), _power(ratio, a)), axis=1)


def _power(x: Array, a: float) -> Array:
    """Return ``x ** a``; a tensor's slope at 0, infinite if a is less than 1, is then 0."""
    if a >= 1:
        return x**a
    xp = namespace(x)
    power = xp.where(x > 0, x, xp.ones_like(x)) ** a
    return xp.where(x > 0, power, xp.full_like(x, 0.0 if a > 0 else math.inf))


def _log_power(x: Array, a: float) -> Array:
    """Return the logarithm of ``x ** a``; a tensor's slope at 0, which is infinite, is then 0."""
    xp = namespace(x)
    log = a * xp.log(xp.where(x > 0, x, xp.ones_like(x)))
    return xp.where(x > 0, log, xp.full_like(log, -math.inf))
