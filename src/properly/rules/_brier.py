"""The Brier score: squared error of probabilities."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal, get_args

from properly._boundary._classes import check_count
from properly._boundary._libraries import namespace
from properly._boundary._options import check_choice
from properly.rules._class_rule import DualRule, is_class, split_off, squares_of_others
from properly.rules._log_odds import both_sides
from properly.rules._rule import Propriety
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
