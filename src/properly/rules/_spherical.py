"""The angle between forecast and outcome."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from properly._boundary._libraries import namespace
from properly.rules._class_rule import at, is_class, split_off, squares_of_others
from properly.rules._dual_rule import DualRule
from properly.rules._log_odds import both_sides
from properly.rules._propriety import Propriety

if TYPE_CHECKING:
    from properly.typing import Array


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
