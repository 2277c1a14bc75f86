"""Shifted Brier scores, whose weight peaks at a threshold of choice."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import ClassVar, Literal

from properly._boundary._libraries import namespace
from properly._boundary._options import as_number, check_choice
from properly.errors import DataError
from properly.rules._brier import Brier
from properly.rules._combinators import SumOfRules
from properly.rules._log_odds import SMALL, atanh_excess
from properly.rules._rule import BinaryRule, Propriety
from properly.typing import Array

# Nearer to 0 or 1 no threshold is, and digits get lost.
LEAST = 1e-9
Form = Literal["regret", "classweighted", "published"]


@dataclass(frozen=True)
class Shifted(SumOfRules):
    r"""Brier score whose weight peaks at a threshold of one's choice.

    With the forecast shifted on the log-odds scale so that :math:`\mu` becomes one half,

    .. math:: s = \frac{p (1 - \mu)}{D(p)}, \qquad D(t) = \mu + (1 - 2 \mu) t,

    the three forms are

    .. math::

        \text{regret:} &\quad w(t) = \frac{2 \mu (1 - \mu)}{D(t)^2}, \\
        \text{classweighted:} &\quad S = \frac{(1 - s)^2}{2 \mu} \text{ if } y = 1, \quad
            \frac{s^2}{2 (1 - \mu)} \text{ if } y = 0, \qquad
            w(t) = \frac{\mu (1 - \mu)}{D(t)^3}, \\
        \text{published:} &\quad S = (y - s)^2 .

    Parameters
    ----------
    mu : float
        The threshold that matters most on the log-odds scale, strictly between 0 and 1.
    form : {"regret", "classweighted", "published"}
        ``"regret"`` moves the weight of the Brier score along the log-odds, and keeps its shape
        there. ``"classweighted"`` is the squared error of the shifted forecast, events and
        non-events weighted so that it is proper.
        ``"published"`` is the squared error alone, which is improper: it rewards forecasts
        that, once shifted, are the truth.

    Notes
    -----
    All three are `Brier` if ``mu`` is one half. The published form has no weight on thresholds:
    acting in vain at the threshold t costs what the shifted threshold says. `weight` then returns
    the sum of both costs.

    References
    ----------
    .. [1] G. Flores, A. Schiff, A. H. Smith, J. A. Fukuyama, A. C. Wilson (2026). A
       consequentialist critique of binary classification evaluation: theory, practice, and tools.
       `arXiv:2504.04528 <https://arxiv.org/abs/2504.04528>`__, appendix D.3, corrected.

    Examples
    --------
    >>> from properly.rules import Brier, Shifted
    >>> Shifted(0.1).loss([0, 1], [0.1, 0.1]).round(6)
    array([0.040315, 0.672346])
    >>> Shifted(0.5)([0, 1], [0.1, 0.5]), Brier()([0, 1], [0.1, 0.5])
    (0.13, 0.13)
    >>> Shifted(0.1, form="published").propriety
    <Propriety.IMPROPER: 'improper'>
    """

    mu: float
    form: Form = "regret"
    _rule: BinaryRule = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        mu = as_number(self.mu, "mu")
        if not LEAST <= mu <= 1 - LEAST:
            message = f"mu must lie between {LEAST:g} and 1 - {LEAST:g}; got {mu!r}"
            raise DataError(message, hint="it is a threshold, given as a probability.")
        forms: dict[str, Callable[[float], BinaryRule]] = {
            "regret": RegretForm,
            "classweighted": lambda mu: SquaredForm(mu, (0.5 / (1 - mu), 0.5 / mu)),
            "published": SquaredForm,
        }
        check_choice(self.form, tuple(forms), "form")
        self._set(mu=mu, _rule=forms[self.form](mu))

    @property
    def terms(self) -> tuple[tuple[float, BinaryRule], ...]:
        """The form, once."""
        return ((1.0, self._rule),)

    @property
    def propriety(self) -> Propriety:
        """Strict, unless the form is the published one."""
        return Propriety.IMPROPER if self.form == "published" else Propriety.STRICT

    @property
    def name(self) -> str:
        """A short lower-case name with mu, and the form unless it is regret."""
        kind = "shifted" if self.form == "regret" else f"shifted_{self.form}"
        return f"{kind}[{self.mu}]"


@dataclass(frozen=True)
class RegretForm(BinaryRule):
    """The weight ``2 mu (1 - mu) / D**2``."""

    mu: float

    propriety: ClassVar[Propriety] = Propriety.STRICT

    def false_positives(self, lower: Array | float, upper: Array | float) -> Array:
        """Integrate ``t / D**2`` from lower on."""
        width, start, end = upper - lower, divisor(self.mu, lower), divisor(self.mu, upper)
        part = lower * (width / (start * end)) + _moment(width, start, end, 1 - 2 * self.mu)
        return 2 * self.mu * (1 - self.mu) * part

    def false_negatives(self, lower: Array | float, upper: Array | float) -> Array:
        """Integrate ``(1 - t) / D**2`` from upper on, downwards."""
        width, start, end = upper - lower, divisor(self.mu, lower), divisor(self.mu, upper)
        part = (1 - upper) * (width / (start * end)) + _moment(width, end, start, 2 * self.mu - 1)
        return 2 * self.mu * (1 - self.mu) * part

    def weight(self, p: Array) -> Array:
        """Return ``2 mu (1 - mu) / D**2``."""
        return 2 * self.mu * (1 - self.mu) / divisor(self.mu, p) ** 2


@dataclass(frozen=True)
class SquaredForm(BinaryRule):
    """The squared error of the shifted forecast, each side with its cost.

    With costs of ``1 / (2 (1 - mu))`` and ``1 / (2 mu)`` the weight is ``mu (1 - mu) / D**3``, and
    the rule is strictly proper. With equal costs it is no mixture of regrets.
    """

    mu: float
    costs: tuple[float, float] = (1.0, 1.0)

    propriety: ClassVar[Propriety] = Propriety.IMPROPER

    def false_positives(self, lower: Array | float, upper: Array | float) -> Array:
        """Return the change of ``s**2``."""
        both = shifted(self.mu, lower) + shifted(self.mu, upper)
        return self.costs[0] * both * _change(self.mu, lower, upper)

    def false_negatives(self, lower: Array | float, upper: Array | float) -> Array:
        """Return the change of ``(1 - s)**2``."""
        both = _complement(self.mu, lower) + _complement(self.mu, upper)
        return self.costs[1] * both * _change(self.mu, lower, upper)

    def weight(self, p: Array) -> Array:
        """Return what both mistakes cost together."""
        return self.slope_if_none(p) - self.slope_if_event(p)

    def slope_if_event(self, p: Array) -> Array:
        """Differentiate ``(1 - s)**2``."""
        return -2 * self.costs[1] * _complement(self.mu, p) * self._slope(p)

    def slope_if_none(self, p: Array) -> Array:
        """Differentiate ``s**2``."""
        return 2 * self.costs[0] * shifted(self.mu, p) * self._slope(p)

    def price_logit_slope(self, y: Array, logit: Array) -> Array:
        """Differentiate the Brier score at the shifted log-odds."""
        slope = Brier().price_logit_slope(y, logit - math.log(self.mu / (1 - self.mu)))
        return namespace(slope).where(y, self.costs[1] * slope, self.costs[0] * slope)

    def _slope(self, p: Array) -> Array:
        return self.mu * (1 - self.mu) / divisor(self.mu, p) ** 2


def divisor(mu: float, p: Array | float) -> Array:
    """Return D, which moves from mu at 0 to 1 - mu at 1."""
    return mu * (1 - p) + (1 - mu) * p


def shifted(mu: float, p: Array | float) -> Array:
    """Shift a forecast on the log-odds scale so that mu becomes one half."""
    return p * (1 - mu) / divisor(mu, p)


def _complement(mu: float, p: Array | float) -> Array:
    return (1 - p) * mu / divisor(mu, p)


def _change(mu: float, lower: Array | float, upper: Array | float) -> Array:
    """Return how much a shifted forecast changes from lower to upper."""
    return mu * (1 - mu) * (upper - lower) / (divisor(mu, lower) * divisor(mu, upper))


def _moment(width: Array, start: Array, end: Array, slope: float) -> Array:
    """Integrate ``x / (start + slope x)**2`` from 0 to the width, at which D is the end."""
    xp = namespace(width)
    # The closed form, (log(end / start) - slope width / end) / slope**2, cancels for small changes.
    r = slope * width / (start + end)
    small = xp.abs(r) < SMALL
    near = xp.where(small, r, xp.zeros_like(r))
    flat = (width / start) ** 2 * (1 - near) ** 2 / 2 * (atanh_excess(near) + 1 / (1 + near))
    if slope == 0:
        return flat
    steep = (xp.log(end / start) - slope * width / end) / slope**2
    return xp.where(small, flat, steep)
