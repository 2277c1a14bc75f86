"""The logarithmic score: minus the logarithm of the probability of what happened."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from properly._boundary._classes import check_count
from properly._boundary._libraries import infinities, is_numpy, namespace
from properly.rules._class_rule import DualRule, at, is_class
from properly.rules._log_odds import log_softmax, softmax, softplus
from properly.rules._rule import Propriety, wide
from properly.typing import Array


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
