"""Rules made of other rules: bounded to a range, added up, averaged, shifted.

`Bounded` restricts a rule to the thresholds that matter. `SumOfRules` is the base of every rule
that is a weighted sum of others: `Mixture`, `Regret` and `Shifted` here, and those of other
modules. `Shifted` is a Brier score whose weight peaks at a threshold of choice.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import wraps
from typing import Any, ClassVar, Literal, get_args

import numpy as np

from properly._boundary._libraries import is_numpy, namespace
from properly._boundary._options import as_number, check_choice
from properly.errors import ArgumentTypeError, DataError, ImproperRuleError
from properly.rules._dual_rules import Brier, Log
from properly.rules._interval import Interval, as_interval
from properly.rules._log_odds import SMALL, atanh_excess, both_sides
from properly.rules._rule import BinaryRule, Propriety, require_binary
from properly.typing import Array

Scale = Literal["mean", "integral"]
Prior = Literal["uniform", "logit"]


@dataclass(frozen=True)
class Bounded(BinaryRule):
    r"""A rule that looks only at the thresholds that matter.

    The regret of the rule, added up over the thresholds between :math:`a` and :math:`b`: with
    :math:`p` moved to the nearer end if it lies outside,

    .. math::

        \int_a^b R(t)\, w(t)\, dt &= \text{mean of } y\, U_{ab}(p) + (1 - y)\, V_{ab}(p), \\
        V_{ab}(p) &= \int_a^p t\, w(t)\, dt, \qquad U_{ab}(p) = \int_p^b (1 - t)\, w(t)\, dt .

    Parameters
    ----------
    rule : BinaryRule
        The rule to restrict.
    within : Interval or pair of floats
        The thresholds that matter.
    scale : {"mean", "integral"}
        ``"integral"`` leaves the sum as it is, and gives the rule itself on (0, 1). ``"mean"``
        divides it by the length of the range: ``b - a`` for `Brier`, ``logit(b) - logit(a)`` for
        `Log`, the weight of the range for every other rule.

    Notes
    -----
    Two forecasts on the same side of the whole range are equally good, so the rule is proper, not
    strictly, unless the range is (0, 1). A range of infinite length, such as (0, 0.2) for `Log`,
    has no mean; its integral exists and may be infinite.

    Point masses count if they lie above `a`, up to and including `b`; that of `Misclassification`
    counts half at either end. The mean of a bounded or mixed rule divides by the weight of the
    range like that of any other: ``Bounded(Mixture([(1, Brier())]), within)`` is half of
    ``Bounded(Brier(), within)``, whose length is not its weight.

    References
    ----------
    .. [1] G. Flores, A. Schiff, A. H. Smith, J. A. Fukuyama, A. C. Wilson (2026). A
       consequentialist critique of binary classification evaluation: theory, practice, and tools.
       `arXiv:2504.04528
       <https://arxiv.org/abs/2504.04528>`__

    Examples
    --------
    >>> from properly.rules import Bounded, Brier
    >>> rule = Bounded(Brier(), (0.05, 0.2))
    >>> rule
    Bounded(rule=Brier(), within=Interval(lower=0.05, upper=0.2), scale='mean')
    >>> rule.loss([1, 1, 1], [0.0, 0.05, 0.2])
    array([1.75, 1.75, 0.  ])
    """

    rule: BinaryRule
    within: Interval
    scale: Scale = "mean"
    _factor: float = field(default=1.0, init=False, repr=False, compare=False)

    def __init__(
        self, rule: BinaryRule | str, within: Interval | tuple[float, float], scale: Scale = "mean"
    ) -> None:
        rule = require_binary(rule)
        if scale not in get_args(Scale):
            message = f"scale must be 'mean' or 'integral'; got {scale!r}"
            raise DataError(message)
        self._set(rule=rule, within=as_interval(within), scale=scale)
        length = 1.0 if scale == "integral" else rule.length(self.within.lower, self.within.upper)
        if not sys.float_info.min <= length < math.inf:
            message = (
                f"a mean needs a range of positive, finite length; for {rule!r} the length of "
                f"({self.within.lower}, {self.within.upper}) is {length}"
            )
            raise DataError(message, hint="use scale='integral', which does not divide.")
        self._set(_factor=1 / length)

    @property
    def propriety(self) -> Propriety:
        """Strict only on (0, 1); otherwise proper if the rule is."""
        strict = self.rule.propriety is Propriety.STRICT
        if strict and self.within != Interval(0, 1):
            return Propriety.PROPER
        return self.rule.propriety

    @property
    def name(self) -> str:
        """A short lower-case name with the range."""
        suffix = "" if self.scale == "mean" else "_integral"
        return f"bounded_{self.rule.name}{suffix}[{self.within.lower},{self.within.upper}]"

    def false_positives(self, lower: Array | float, upper: Array | float) -> Array:
        """Return the rule's own cost over the part of the range that lies inside."""
        return self._factor * self.rule.false_positives(self._clip(lower), self._clip(upper))

    def false_negatives(self, lower: Array | float, upper: Array | float) -> Array:
        """Return the rule's own cost over the part of the range that lies inside."""
        return self._factor * self.rule.false_negatives(self._clip(lower), self._clip(upper))

    def weight(self, p: Array) -> Array:
        """Return the rule's weight inside the range, 0 outside."""
        return self._inside(p, self.rule.weight(p))

    def logit_weight(self, p: Array, q: Array) -> Array:
        """Return the rule's weight on the log-odds scale inside the range, 0 outside."""
        return self._inside(p, self.rule.logit_weight(p, q))

    def slope_if_event(self, p: Array) -> Array:
        """Return the rule's slope inside the range, 0 outside."""
        return self._inside(p, self.rule.slope_if_event(p))

    def slope_if_none(self, p: Array) -> Array:
        """Return the rule's slope inside the range, 0 outside."""
        return self._inside(p, self.rule.slope_if_none(p))

    def price_logit(self, y: Array, logit: Array) -> Array:
        """Price log-odds; what is dear is the rule's own price, less that of the range's end.

        The probability would have lost its digits there. Elsewhere the difference would cancel.
        """
        if math.isfinite(self.range[1]):
            return super().price_logit(y, logit)
        xp, ends = namespace(logit), np.array([self.within.upper, self.within.lower])
        end = self.rule.price_event(np.array([True, False]), ends)
        end = xp.where(y, *(xp.full_like(logit, float(x)) for x in end))
        own, p = self.rule.price_logit(y, logit), both_sides(logit)[0]
        dear = self._holds(p) & (own >= 2 * end)
        # Priced there as if it were right, which costs nothing: the slope may be infinite.
        near = self.price_event(y, xp.where(dear, xp.astype(y, p.dtype), p))
        return xp.where(dear, self._factor * (own - end), near)

    def price_logit_slope(self, y: Array, logit: Array) -> Array:
        """Return the rule's own slope inside the range, 0 outside."""
        return self._inside(both_sides(logit)[0], self.rule.price_logit_slope(y, logit))

    def atoms_within(self, lower: float, upper: float) -> tuple[tuple[float, float], ...]:
        """Return the rule's point masses that lie in both ranges."""
        atoms = self.rule.atoms_within(max(lower, self.within.lower), min(upper, self.within.upper))
        return tuple((threshold, self._factor * mass) for threshold, mass in atoms)

    def _clip(self, p: Array | float) -> Array | float:
        return moved_into(p, self.within.lower, self.within.upper)

    def _inside(self, p: Array, x: Array) -> Array:
        xp = namespace(p)
        return self._factor * xp.where(self._holds(p), x, xp.zeros_like(x))

    def _holds(self, p: Array) -> Array:
        return (p >= self.within.lower) & (p <= self.within.upper)


def moved_into(p: Array | float, start: float, end: float, *, closed: bool = True) -> Array:
    """Move thresholds into a range; at an open end, the gradient is that of the next range."""
    if isinstance(p, int | float):
        inside = min(max(p, start), end)
        return np.float64(inside) if isinstance(p, np.floating) else float(inside)
    if is_numpy(p):
        return np.clip(p, start, end)
    # Not xp.clip, whose gradient at the ends is 0 in some libraries.
    xp = namespace(p)
    above = xp.where(p >= start, p, start)
    return xp.where(p <= end if closed else p < end, above, end)


def _summed(name: str) -> Any:
    """Return a method that adds up what the parts of a sum return, with their coefficients."""

    @wraps(getattr(BinaryRule, name), updated=())
    def method(self: SumOfRules, *args: Array | float) -> Array:
        # A coefficient of 0 is left out, not multiplied: the part may be infinite.
        terms = [c * getattr(rule, name)(*args) for c, rule in self.terms if c > 0]
        return sum(terms[1:], start=terms[0])

    return method


@dataclass(frozen=True)
class SumOfRules(BinaryRule):
    """A rule whose every price is a weighted sum of the prices of other rules.

    Its terms are pairs of a coefficient, zero or more, and a rule.
    """

    terms: tuple[tuple[float, BinaryRule], ...] = field(init=False, repr=False, compare=False)

    @property
    def propriety(self) -> Propriety:
        """What follows from the parts that take part."""
        claims = {rule.propriety for coefficient, rule in self.terms if coefficient > 0}
        order = (Propriety.IMPROPER, Propriety.STRICT, Propriety.PROPER)
        return next(propriety for propriety in order if propriety in claims)

    false_positives = _summed("false_positives")
    false_negatives = _summed("false_negatives")
    loss_if_event = _summed("loss_if_event")
    loss_if_none = _summed("loss_if_none")
    weight = _summed("weight")
    logit_weight = _summed("logit_weight")
    slope_if_event = _summed("slope_if_event")
    slope_if_none = _summed("slope_if_none")
    price_logit = _summed("price_logit")
    price_logit_slope = _summed("price_logit_slope")

    def atoms_within(self, lower: float, upper: float) -> tuple[tuple[float, float], ...]:
        """Return the parts' point masses, added up where thresholds coincide."""
        masses: dict[float, float] = {}
        for coefficient, rule in self.terms:
            for threshold, mass in rule.atoms_within(lower, upper):
                masses[threshold] = masses.get(threshold, 0.0) + coefficient * mass
        return tuple(sorted((threshold, mass) for threshold, mass in masses.items() if mass))


@dataclass(frozen=True)
class Mixture(SumOfRules):
    """A weighted sum of rules.

    Parameters
    ----------
    components : iterable of (float, BinaryRule)
        Pairs of a coefficient, zero or more, and a rule. At least one coefficient is positive.

    Notes
    -----
    Strictly proper if all rules are proper and one of those with a positive coefficient is strict.
    A rule with the coefficient 0 takes no part.

    Examples
    --------
    >>> from properly.rules import Brier, Elementary, Mixture
    >>> rule = Mixture([(0.5, Brier()), (1, Elementary(0.1))])
    >>> rule
    Mixture(components=((0.5, Brier()), (1.0, Elementary(threshold=0.1))))
    >>> rule([0, 1], [0.1, 0.5])
    0.115
    """

    components: tuple[tuple[float, BinaryRule], ...]

    def __init__(self, components: Iterable[tuple[float, BinaryRule]]) -> None:
        if not isinstance(components, Iterable):
            message = f"a mixture is made of pairs (coefficient, rule); got {components!r}"
            raise ArgumentTypeError(message)
        pairs = tuple(_component(pair) for pair in components)
        if not any(coefficient > 0 for coefficient, _ in pairs):
            message = f"a mixture needs at least one positive coefficient; got {pairs!r}"
            raise DataError(message)
        self._set(components=pairs, terms=pairs)

    @property
    def name(self) -> str:
        """The names of the parts, each with its coefficient."""
        parts = (f"{coefficient}*{rule.name}" for coefficient, rule in self.components)
        return f"mixture[{'+'.join(parts)}]"


def _component(pair: tuple[float, BinaryRule]) -> tuple[float, BinaryRule]:
    try:
        coefficient, rule = pair
    except (TypeError, ValueError):
        message = f"a mixture is made of pairs (coefficient, rule); got {pair!r}"
        raise ArgumentTypeError(message) from None
    coefficient = as_number(coefficient, "coefficient")
    rule = require_binary(rule)
    if not 0 <= coefficient < math.inf:
        message = f"coefficients must be finite and not negative; got {coefficient!r} for {rule!r}"
        raise DataError(message, hint="with a negative coefficient a mixture may be improper.")
    return coefficient, rule


@dataclass(frozen=True)
class Regret(SumOfRules):
    r"""Mean regret over a range of thresholds.

    .. math:: \frac{\int_a^b R(t)\, w(t)\, dt}{\int_a^b w(t)\, dt}, \qquad
        R(t) = t \cdot \text{FP}(t) + (1 - t) \cdot \text{FN}(t),

    with the shares of all cases that are false positives and false negatives if one acts if and
    only if :math:`p \ge t`.

    Parameters
    ----------
    within : Interval or pair of floats
        The thresholds that matter.
    prior : {"uniform", "logit"} or BinaryRule
        How much each of them matters: all alike, all alike in log-odds, or as the weight of a rule
        says, such as `BetaWeighted` or `HistogramWeighted`.

    Notes
    -----
    This is what a decision costs on average, in units of the loss that acting averts, compared with
    knowing the outcome. ``Regret(within)`` is half of ``Bounded(Brier(), within)``, and with the
    prior ``"logit"`` it is ``Bounded(Log(), within)``. A prior must have a finite mass on the
    range; ``"logit"`` has none up to 0 or 1.

    References
    ----------
    .. [1] J. Hernández-Orallo, P. Flach, C. Ferri (2012). A unified view of performance metrics:
       translating threshold choice into expected classification loss. Journal of Machine Learning
       Research 13:2813-2869. `<https://jmlr.org/papers/v13/hernandez-orallo12a.html>`__
    .. [2] G. Flores, A. Schiff, A. H. Smith, J. A. Fukuyama, A. C. Wilson (2026). A
       consequentialist critique of binary classification evaluation: theory, practice, and tools.
       `arXiv:2504.04528 <https://arxiv.org/abs/2504.04528>`__

    Examples
    --------
    >>> from properly.rules import BetaWeighted, Regret
    >>> Regret((0.05, 0.2)).loss([1, 1, 1], [0.0, 0.05, 0.2])
    array([0.875, 0.875, 0.   ])
    >>> Regret((0.05, 0.2), prior=BetaWeighted(2, 8))
    Regret(within=Interval(lower=0.05, upper=0.2), prior=BetaWeighted(alpha=2.0, beta=8.0))
    """

    within: Interval
    prior: Prior | BinaryRule = "uniform"

    def __init__(
        self, within: Interval | tuple[float, float], prior: Prior | BinaryRule = "uniform"
    ) -> None:
        rule, ends = as_prior(prior), as_interval(within)
        mass = float(rule.mass(ends.lower, ends.upper))
        if not sys.float_info.min <= mass < math.inf:
            message = (
                f"a mean needs a prior of positive, finite mass; that of {prior!r} on "
                f"({ends.lower}, {ends.upper}) is {mass}"
            )
            no_mass = "the prior has no weight there; a point mass at the lower end does not count."
            beyond = "choose a range strictly between 0 and 1."
            raise DataError(message, hint=no_mass if mass < 1 else beyond)
        bounded = Bounded(rule, ends, scale="integral")
        self._set(within=ends, prior=prior, terms=((1 / mass, bounded),))

    @property
    def name(self) -> str:
        """A short lower-case name with the range, and the prior unless it is uniform."""
        prior = self.prior if isinstance(self.prior, str) else self.prior.name
        kind = "regret" if prior == "uniform" else f"regret_{prior}"
        return f"{kind}[{self.within.lower},{self.within.upper}]"


def as_prior(prior: Prior | BinaryRule) -> BinaryRule:
    """Take a prior by its name, or as the rule whose weight it is."""
    if isinstance(prior, str):
        named: Mapping[str, BinaryRule] = {"uniform": Brier(), "logit": Log()}
        return named[check_choice(prior, tuple(named), "prior")]
    if not require_binary(prior).is_proper:
        message = f"a prior is the weight of a proper rule on thresholds; {prior!r} is improper"
        raise ImproperRuleError(message)
    return prior


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
        self._set(mu=mu, terms=((1.0, forms[self.form](mu)),))

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
