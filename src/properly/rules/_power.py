"""The power score, whose least mean is the entropy of Tsallis: it leads from the log score on."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from properly._boundary._labels import check_count
from properly._boundary._libraries import namespace
from properly._boundary._options import as_number
from properly.errors import DataError
from properly.rules._class_rule import DualRule, at, is_class
from properly.rules._log import at_most_one
from properly.rules._log_odds import BetaDensity, both_sides, softmax
from properly.rules._rule import Propriety, in_name, wide

if TYPE_CHECKING:
    from properly.typing import Array

# Closer to 1 the losses of unlikely events lose digits; beyond 100 only certainty matters.
LEAST, MOST = 1.01, 100.0


@dataclass(frozen=True)
class Power(DualRule):
    r"""Loss of a power of probabilities: the family of the log and Brier scores.

    .. math:: S(p, y) = \sum_k p_k^\alpha - \frac{\alpha\, p_y^{\alpha - 1} - 1}{\alpha - 1} ,

    and for one event, of which both sides are priced,

    .. math:: w(t) = \alpha \left( t^{\alpha - 2} + (1 - t)^{\alpha - 2} \right) .

    Parameters
    ----------
    alpha : float
        The power, from 1.01 to 100. The lower it is, the more unlikely events weigh.

    Notes
    -----
    A power of 2 is `Brier` of classes, the sum of squares over both sides if there is one event;
    the limit at 1 is `Log`. If the forecast is the truth, it costs
    :math:`(1 - \sum_k p_k^\alpha) / (\alpha - 1)` on average, the entropy of Tsallis [1]_. A
    certain forecast that turns out wrong costs :math:`\alpha / (\alpha - 1)`: unlike that of `Log`,
    the loss is finite.

    Only differences that do not cancel are formed: the loss is what other classes were given,
    raised to the power, and an integral that vanishes with what is missing from :math:`p_y`.

    A tensor is priced through numpy, and its gradient is exact; there is no second derivative. The
    slope of an impossible class that happened, infinite if the power is below 2, is then 0.

    References
    ----------
    .. [1] C. Tsallis (1988). Possible generalization of Boltzmann-Gibbs statistics. Journal of
       Statistical Physics 52:479-487. `doi:10.1007/BF01016429
       <https://doi.org/10.1007/BF01016429>`__
    .. [2] T. Gneiting, A. E. Raftery (2007). Strictly proper scoring rules, prediction, and
       estimation. Journal of the American Statistical Association 102:359-378.
       `doi:10.1198/016214506000001437 <https://doi.org/10.1198/016214506000001437>`__

    Examples
    --------
    >>> from properly.rules import Power
    >>> Power(1.5).loss([0, 1, 1], [0.0, 0.5, 0.0]).round(6)
    array([0.      , 0.585786, 3.      ])
    >>> Power(2).loss([0, 1], [[0.6, 0.4, 0.0], [0.5, 0.0, 0.5]]).round(6)
    array([0.32, 1.5 ])
    """

    alpha: float
    _event: BetaDensity = field(init=False, repr=False, compare=False)
    _none: BetaDensity = field(init=False, repr=False, compare=False)
    _of_event: BetaDensity = field(init=False, repr=False, compare=False)
    _of_none: BetaDensity = field(init=False, repr=False, compare=False)

    propriety: ClassVar[Propriety] = Propriety.STRICT

    def __post_init__(self) -> None:
        alpha = as_number(self.alpha, "alpha")
        if not LEAST <= alpha <= MOST:
            message = f"alpha must lie between {LEAST:g} and {MOST:g}; got {alpha:g}"
            hint = "the limit at 1 is Log()." if alpha < LEAST else None
            raise DataError(message, hint=hint)
        self._set(alpha=alpha, _event=BetaDensity(alpha - 1, 2), _none=BetaDensity(2, alpha - 1))
        self._set(_of_event=BetaDensity(alpha, 1), _of_none=BetaDensity(1, alpha))

    @property
    def name(self) -> str:
        """A short lower-case name with the power."""
        return f"power[{in_name(self.alpha)}]"

    def false_positives(self, lower: Array | float, upper: Array | float) -> Array:
        """Return the rise of ``p ** alpha``, and what the absence is given less."""
        given = self._none.mass(lower, upper) / (self.alpha - 1)
        return self._of_event.mass(lower, upper) + given

    def false_negatives(self, lower: Array | float, upper: Array | float) -> Array:
        """Return the fall of ``(1 - p) ** alpha``, and what the event is given more."""
        given = self._event.mass(lower, upper) / (self.alpha - 1)
        return self._of_none.mass(lower, upper) + given

    @np.errstate(divide="ignore", over="ignore")
    def weight(self, p: Array) -> Array:
        """Return ``alpha (p ** (alpha - 2) + (1 - p) ** (alpha - 2))``."""
        return self.alpha * (p ** (self.alpha - 2) + (1 - p) ** (self.alpha - 2))

    def logit_weight(self, p: Array, q: Array) -> Array:
        """Return ``alpha (p ** (alpha - 1) q + p q ** (alpha - 1))``."""
        return self.alpha * (p ** (self.alpha - 1) * q + p * q ** (self.alpha - 1))

    def slope_if_event(self, p: Array) -> Array:
        """Return ``-(1 - p)`` times the weight, with its limits at 0 and 1."""
        return -self._slope(p, 1 - p)

    def slope_if_none(self, p: Array) -> Array:
        """Return ``p`` times the weight, with its limits at 0 and 1."""
        return self._slope(1 - p, p)

    def price_event_logit(self, y: Array, logit: Array) -> Array:
        """Return the loss from both probabilities, however small."""
        xp = namespace(logit)
        p, q = both_sides(logit)
        wrong = xp.where(y, q, p)
        return wrong**self.alpha + self._withheld(xp.where(y, p, q), wrong)

    def price_class_logit_slope(self, y: Array, logits: Array) -> Array:
        """Return the product of probabilities and slopes, of which none is infinite."""
        xp, a = namespace(logits), self.alpha
        p = softmax(logits)
        happened = xp.where(is_class(y, p), p ** (a - 1), xp.zeros_like(p))
        product = a * (p**a - happened)
        return product - p * xp.sum(product, axis=1, keepdims=True)

    @np.errstate(divide="ignore", over="ignore")
    def class_slope(self, y: Array, p: Array) -> Array:
        """Differentiate the powers of all classes, and what the one that happened was given."""
        xp, a = namespace(p), self.alpha
        given = -(1 - p) * p ** (a - 2)
        return a * xp.where(is_class(y, p), given, p ** (a - 1))

    def class_curvature(self, p: Array) -> Array:
        """Return the second derivative of the sum of powers along the softmax's columns."""
        powers = p**self.alpha
        others = namespace(p).sum(powers, axis=1, keepdims=True) - powers
        return self.alpha * (powers * (1 - p) ** 2 + p * p * others)

    def range_for(self, classes: int) -> tuple[float, float]:
        """Return 0 and ``alpha / (alpha - 1)``."""
        check_count(classes)
        return 0.0, self.alpha / (self.alpha - 1)

    def classwise(self, p: Array) -> Array:
        """Return the powers of all other classes, and what each class was not given."""
        xp = namespace(p)
        p = wide(p)
        powers = self._powers(p)
        others = xp.sum(powers, axis=1, keepdims=True) - powers
        p = at_most_one(p)
        return xp.where(others > 0, others, xp.zeros_like(p)) + self._withheld(p, 1 - p)

    def price(self, y: Array, p: Array) -> Array:
        """Return the same for the class that happened."""
        xp = namespace(p)
        p = wide(p)
        others = xp.sum(xp.where(is_class(y, p), xp.zeros_like(p), self._powers(p)), axis=1)
        chosen = at_most_one(at(p, y))
        return others + self._withheld(chosen, 1 - chosen)

    def _powers(self, p: Array) -> Array:
        """Raise to the power, from a copy: numpy rounds the powers of spaced numbers otherwise."""
        return (p * 1.0) ** self.alpha

    def _withheld(self, p: Array, q: Array) -> Array:
        """Integrate ``alpha (1 - t) t ** (alpha - 2)`` from p to 1, given q, which is 1 - p."""
        xp = namespace(p)
        likely, zero = p > q, xp.zeros_like(p)
        far = self._event.mass(xp.where(likely, xp.ones_like(p), p), 1.0)
        return (far + self._none.mass(0.0, xp.where(likely, q, zero))) / (self.alpha - 1)

    @np.errstate(divide="ignore", over="ignore")
    def _slope(self, p: Array, q: Array) -> Array:
        """Return ``q`` times the weight, where p is the side that is priced."""
        return self.alpha * (q * p ** (self.alpha - 2) + q ** (self.alpha - 1))
