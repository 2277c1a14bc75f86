"""Scoring rules: `Rule`, the base of all, and `BinaryRule` for one event.

A rule is a price for one forecast, and the facts about that price, among them its `Propriety`. A
new rule for one event derives from `BinaryRule` and writes two integrals and a weight.
"""

from __future__ import annotations

import enum
import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import Field, fields, is_dataclass
from typing import Any

import numpy as np

from properly._boundary import _arrays
from properly._boundary._chunks import sweep
from properly._boundary._libraries import is_numpy, namespace
from properly.errors import ArgumentTypeError, DataError
from properly.rules._log_odds import both_sides
from properly.typing import Array, ArrayLike


class Propriety(enum.Enum):
    """Whether a rule rewards saying what one believes.

    Examples
    --------
    >>> from properly.rules import Brier, Misclassification
    >>> Brier().propriety
    <Propriety.STRICT: 'strictly proper'>
    >>> Misclassification().propriety
    <Propriety.PROPER: 'proper'>
    """

    STRICT = "strictly proper"
    """The true probability alone has the least expected loss."""

    PROPER = "proper"
    """No forecast beats the true probability, but some may equal it."""

    IMPROPER = "improper"
    """Some forecast beats the true probability."""

    @classmethod
    def least(cls, claims: Collection[Propriety]) -> Propriety:
        """Return the weakest of several claims."""
        order = (cls.IMPROPER, cls.PROPER, cls.STRICT)
        return next(propriety for propriety in order if propriety in claims)


class Rule(ABC):
    """A price for one forecast once the outcome is known: a loss, so lower is better.

    A rule is a frozen value without data. It is called with outcomes, forecasts and optional
    weights and returns their mean loss.

    Examples
    --------
    >>> from properly.rules import Brier, Rule
    >>> isinstance(Brier(), Rule)
    True
    >>> Brier()([0, 1], [0.25, 0.5], weight=[1, 3])
    0.203125
    """

    @property
    @abstractmethod
    def propriety(self) -> Propriety:
        """Whether the rule rewards saying what one believes."""

    @property
    @abstractmethod
    def range(self) -> tuple[float, float]:
        """The least and the greatest loss."""

    @property
    @abstractmethod
    def name(self) -> str:
        """A short lower-case name for tables and files."""

    def loss(self, y: ArrayLike, p: ArrayLike, *, labels: Sequence[object] | None = None) -> Array:
        """Price each forecast.

        Parameters
        ----------
        y : array-like
            Outcomes. For an event, booleans or 0 and 1; for classes, their numbers or labels, or
            rows with a single 1.
        p : array-like of shape (n,) or (n, K)
            Probabilities of the event, or of the classes, one column each. Rows sum to 1.
        labels : sequence, optional
            What each column stands for. Without it, or if none of the labels is a number, numbers
            are class numbers. Text without labels is sorted, as scikit-learn does, unless the rule
            needs an order.

        Returns
        -------
        array
            One loss per case, in the library of `p`. Infinity is a possible loss; NaN is not.
        """
        rows = self.checked(y, p, labels=labels)
        return self.prices(rows.y, rows.p)

    def __call__(
        self,
        y: ArrayLike,
        p: ArrayLike,
        weight: ArrayLike | None = None,
        *,
        labels: Sequence[object] | None = None,
    ) -> Any:
        """Return the (weighted) mean loss.

        Parameters
        ----------
        y : array-like
            Outcomes. For an event, booleans or 0 and 1; for classes, their numbers or labels, or
            rows with a single 1.
        p : array-like of shape (n,) or (n, K)
            Probabilities of the event, or of the classes, one column each. Rows sum to 1.
        weight : array-like, optional
            Case weights; rows of weight 0 do not count, whatever their loss.
        labels : sequence, optional
            What each column stands for.

        Returns
        -------
        float
            The mean; for a tensor, a tensor without dimensions that can be differentiated.
        """
        return self.mean_price(*self.checked(y, p, weight, labels=labels))

    def logit_loss(
        self, y: ArrayLike, logit: ArrayLike, *, labels: Sequence[object] | None = None
    ) -> Array:
        """Price forecasts that are given as log-odds, or as logits before the softmax.

        Parameters
        ----------
        y : array-like
            Outcomes. For an event, booleans or 0 and 1; for classes, their numbers or labels, or
            rows with a single 1.
        logit : array-like of shape (n,) or (n, K)
            Log-odds of the event, any real number; or one column per class, where minus infinity
            is an impossible class.
        labels : sequence, optional
            What each column stands for.

        Notes
        -----
        The loss of ``sigmoid(logit)``, without the rounding of a saturated sigmoid: the log score
        of 800 against an event that did not happen is 800, not infinity.
        """
        rows = self.checked(y, logit, labels=labels, logits=True)
        return self.price_logit(rows.y, wide(rows.p))

    def logit_slope(
        self, y: ArrayLike, logit: ArrayLike, *, labels: Sequence[object] | None = None
    ) -> Array:
        r"""Differentiate the loss with respect to the log-odds, or to every logit.

        .. math:: \frac{\partial S}{\partial z_j} = p_j \Big( s_j - \sum_k p_k s_k \Big),
            \qquad s_k = \frac{\partial S}{\partial p_k} .

        Parameters
        ----------
        y : array-like
            Outcomes. For an event, booleans or 0 and 1; for classes, their numbers or labels, or
            rows with a single 1.
        logit : array-like of shape (n,) or (n, K)
            Log-odds of the event, any real number; or one column per class, where minus infinity
            is an impossible class.
        labels : sequence, optional
            What each column stands for.

        Notes
        -----
        Computed from the logit itself, so that a saturated sigmoid loses nothing: for the log score
        it is ``sigmoid(logit) - y`` to the last digit.
        """
        rows = self.checked(y, logit, labels=labels, logits=True)
        return self.price_logit_slope(rows.y, wide(rows.p))

    @abstractmethod
    def checked(self, *rows: Any, labels: Any = None, logits: bool = False) -> Any:
        """Check outcomes, forecasts or logits, and weights, and bring them into one library."""

    @abstractmethod
    def prices(self, y: Array, p: Array) -> Array:
        """Price rows that have been checked."""

    @abstractmethod
    def mean_price(self, y: Array, p: Array, weight: Array | None = None) -> Any:
        """Return the mean loss of rows that have been checked."""

    @abstractmethod
    def price_logit(self, y: Array, logit: Array) -> Array:
        """Price log-odds, or logits before the softmax. The arrays are not checked."""

    @abstractmethod
    def price_logit_slope(self, y: Array, logit: Array) -> Array:
        """Differentiate with respect to log-odds, or to logits. The arrays are not checked."""

    @abstractmethod
    def range_for(self, classes: int) -> tuple[float, float]:
        """Return the least and the greatest loss if there are so many classes."""

    def propriety_for(self, classes: int) -> Propriety:  # noqa: ARG002
        """Return what holds for so many classes; some rules are better with two."""
        return self.propriety

    def __repr__(self) -> str:
        """Write the call that makes the rule, without what was left as it is usually."""
        own: tuple[Field[Any], ...] = fields(self) if is_dataclass(self) else ()
        values = {f.name: (getattr(self, f.name), f.default) for f in own if f.repr}
        # The usual value is found by its repr: a rule of one's own may hold an array.
        written = [f"{n}={x!r}" for n, (x, usual) in values.items() if repr(x) != repr(usual)]
        return f"{type(self).__name__}({', '.join(written)})"

    def _set(self, **values: object) -> None:
        """Fill fields of a rule that is frozen, while it is made."""
        for name, value in values.items():
            object.__setattr__(self, name, value)

    @property
    def differentiable(self) -> bool:
        """Whether gradients see all of the rule: it has no jumps, such as those of decisions."""
        return True

    @property
    def is_proper(self) -> bool:
        """Whether no forecast beats the true probability."""
        return self.propriety is not Propriety.IMPROPER


class BinaryRule(Rule):
    r"""A rule for the probability of one event.

    Such a rule is a weight :math:`w` on thresholds: it adds up, over all thresholds :math:`t`, the
    regret of the decision "act if and only if :math:`p \ge t`". A false positive costs
    :math:`t`, a false negative :math:`1 - t`. So a rule is two integrals, and a subclass writes
    only these, in a shape without cancellation:

    .. math::

        \text{false positives}(a, b) &= \int_a^b t\, w(t)\, dt, \\
        \text{false negatives}(a, b) &= \int_a^b (1 - t)\, w(t)\, dt .

    The loss is :math:`V(p) = \text{false positives}(0, p)` if the event did not happen and
    :math:`U(p) = \text{false negatives}(p, 1)` if it did. A weight may have point masses
    (:attr:`atoms`) besides its density (:meth:`weight`).

    The arithmetic is written against the array API standard. Forecasts that numpy can hold are
    priced in float64; a tensor of another library is priced in its own type, on its own device, and
    can be differentiated.

    Examples
    --------
    A rule of one's own, for which a threshold matters the more the higher it is:

    >>> from properly.rules import BinaryRule, Propriety
    >>> class Rising(BinaryRule):
    ...     propriety = Propriety.STRICT
    ...
    ...     def weight(self, p):
    ...         return p
    ...
    ...     def false_positives(self, lower, upper):
    ...         return (upper**3 - lower**3) / 3
    ...
    ...     def false_negatives(self, lower, upper):
    ...         return (upper**2 - lower**2) / 2 - self.false_positives(lower, upper)
    >>> Rising().loss([0, 1], [0.75, 0.5])
    array([0.140625  , 0.08333333])
    >>> Rising().name, Rising().range
    ('rising', (0.0, 0.3333333333333333))
    """

    @abstractmethod
    def false_positives(self, lower: Array | float, upper: Array | float) -> Array:
        """Cost of false positives at thresholds above `lower`, up to and including `upper`."""

    @abstractmethod
    def false_negatives(self, lower: Array | float, upper: Array | float) -> Array:
        """Cost of false negatives at thresholds above `lower`, up to and including `upper`."""

    @abstractmethod
    def weight(self, p: Array) -> Array:
        """Density of the rule's weight at the threshold `p`, point masses left out."""

    def logit_weight(self, p: Array, q: Array) -> Array:
        """Density on the log-odds scale, ``p * q * weight(p)``, from both probabilities.

        A rule whose weight is infinite at 0 or 1 replaces this product by its limit.
        """
        return p * q * self.weight(p)

    def atoms_within(self, lower: float, upper: float) -> tuple[tuple[float, float], ...]:  # noqa: ARG002
        """Point masses at thresholds above `lower`, up to and including `upper`."""
        return ()

    def mass(self, lower: Array | float, upper: Array | float) -> Array:
        """Weight of all thresholds above `lower`, up to and including `upper`; may be infinite."""
        if isinstance(lower, int | float) and isinstance(upper, int | float):
            # Numbers of numpy divide by zero without an exception.
            lower, upper = np.float64(lower), np.float64(upper)
        return self.false_positives(lower, upper) + self.false_negatives(lower, upper)

    def length(self, lower: float, upper: float) -> float:
        """Return what a mean over a range divides by: the weight, unless the rule has a scale."""
        return float(self.mass(lower, upper))

    def loss_if_event(self, p: Array) -> Array:
        """Price forecasts of an event that happened: U. The array is not checked."""
        return self.false_negatives(p, 1.0)

    def loss_if_none(self, p: Array) -> Array:
        """Price forecasts of an event that did not happen: V. The array is not checked."""
        return self.false_positives(0.0, p)

    def slope_if_event(self, p: Array) -> Array:
        """Differentiate U. A rule of infinite weight replaces the product by its limit."""
        return -(1 - p) * self.weight(p)

    def slope_if_none(self, p: Array) -> Array:
        """Differentiate V. A rule of infinite weight replaces the product by its limit."""
        return p * self.weight(p)

    @property
    def differentiable(self) -> bool:
        """Whether the weight has no point masses, at which the loss would jump."""
        return not self.atoms

    @property
    def atoms(self) -> tuple[tuple[float, float], ...]:
        """Pairs of a threshold and the point mass of the weight there."""
        return self.atoms_within(0.0, 1.0)

    @property
    def range(self) -> tuple[float, float]:
        """The least and the greatest loss; the greatest is that of a certain, wrong forecast."""
        worst = self.loss_if_event(np.float64(0)), self.loss_if_none(np.float64(1))
        return 0.0, float(max(worst))

    def range_for(self, classes: int) -> tuple[float, float]:
        """Return the range; an event makes two classes, and there are no others."""
        if classes != 2:
            message = f"{self!r} prices one event, which makes two classes; got {classes!r}"
            raise DataError(message, hint="Ranked(rule) prices ordered classes.")
        return self.range

    @property
    def name(self) -> str:
        """A short lower-case name for tables and files."""
        return type(self).__name__.lower()

    def checked(self, *rows: Any, labels: Any = None, logits: bool = False) -> Any:
        """Check outcomes of one event, forecasts or log-odds, and weights."""
        require_no_labels(labels)
        return _arrays.check_logits(*rows) if logits else _arrays.check_rows(*rows)

    def prices(self, y: Array, p: Array) -> Array:
        """Price rows that have been checked."""
        return self.price_event(y, wide(p))

    def mean_price(self, y: Array, p: Array, weight: Array | None = None) -> Any:
        """Return the mean loss of rows that have been checked."""
        return mean_of(self.price_event, self._sum, y, p, weight)

    def slope(self, y: ArrayLike, p: ArrayLike) -> Array:
        """Differentiate the loss with respect to the forecast: ``(p - y) * weight(p)``.

        At a point mass of the weight, where the loss jumps, the slope ignores the jump.
        """
        y, p, _ = _arrays.check_rows(y, p)
        return self.price_slope(y, wide(p))

    def logit_curvature(self, logit: ArrayLike) -> Array:
        r"""Return how fast the slope on the log-odds scale grows, on average.

        .. math:: E_{y \sim p}\, \frac{\partial^2 S}{\partial x^2} = p^2 (1 - p)^2\, w(p),
            \qquad p = \text{sigmoid}(x) .

        Parameters
        ----------
        logit : array-like
            Log-odds of the event, any real number.

        Notes
        -----
        The mean over outcomes, if the forecast is the truth. Never negative for a proper rule,
        unlike the second derivative of a single loss.
        """
        p, q = both_sides(wide(_arrays.check_log_odds(logit)))
        return p * q * self.logit_weight(p, q)

    def price_slope(self, y: Array, p: Array) -> Array:
        """Differentiate the loss with respect to forecasts. The arrays are not checked."""
        return namespace(p).where(y, self.slope_if_event(p), self.slope_if_none(p))

    def price_logit(self, y: Array, logit: Array) -> Array:
        """Price log-odds. The arrays are not checked.

        A rule that may cost infinity replaces this: a probability that is 1 by rounding alone has
        a finite price.
        """
        return self.price_event(y, both_sides(logit)[0])

    def price_logit_slope(self, y: Array, logit: Array) -> Array:
        """Differentiate the loss with respect to log-odds. The arrays are not checked."""
        p, q = both_sides(logit)
        return namespace(p).where(y, -q, p) * self.logit_weight(p, q)

    def entropy(self, p: ArrayLike) -> Array:
        """Return the expected loss of the true probability: ``p U(p) + (1 - p) V(p)``."""
        p = wide(_arrays.check_forecasts(p))
        xp = namespace(p)
        # The inner wheres keep 0 * infinity, and its gradient, from ever being formed.
        event = p * self.loss_if_event(xp.where(p > 0, p, xp.ones_like(p)))
        none = (1 - p) * self.loss_if_none(xp.where(p < 1, p, xp.zeros_like(p)))
        return event + none

    def price_event(self, y: Array, p: Array) -> Array:
        """Price checked forecasts.

        The side that did not happen is priced at the forecast that costs nothing, since U(1) = 0
        and V(0) = 0; selecting after the fact would leave NaN gradients at forecasts of 0 and 1.
        """
        xp = namespace(p)
        none = self.loss_if_none(xp.where(y, xp.zeros_like(p), p))
        if is_numpy(p) and y.shape == p.shape:
            # Events are fewer as a rule, and there are no gradients.
            loss, row = none + 0.0, np.nonzero(y)
            loss[row] += self.loss_if_event(p[row])
            return loss
        return self.loss_if_event(xp.where(y, p, xp.ones_like(p))) + none

    def _sum(self, p: Array, y: Array, weight: Array | None = None) -> float:
        """Add up the losses of forecasts; each case is priced on its own side only."""
        return paid(self.loss_if_event, p, y, weight) + paid(self.loss_if_none, p, ~y, weight)


def require_no_labels(labels: object) -> None:
    """Refuse labels of columns that are not there."""
    if labels is not None:
        message = f"labels name the columns of class probabilities; these have none, got {labels!r}"
        raise ArgumentTypeError(message, hint="for one event, compare y with its label.")


def mean_of(
    price: Callable[[Array, Array], Array],
    add_up: Callable[..., float],
    y: Array,
    p: Array,
    weight: Array | None,
) -> Any:
    """Average what checked rows cost: of numpy's, sums of pieces; of a tensor's, its own mean."""
    if weight is not None:
        # Left out rather than multiplied by 0: the loss of an unused row may be infinite.
        y, p, weight = _arrays.used_rows(y, p, weight)
    if not is_numpy(p):
        return mean_tensor(price(y, p), weight)
    if weight is None:
        return math.fsum(sweep(add_up, p, y)) / p.shape[0]
    return math.fsum(sweep(add_up, p, y, weight)) / float(weight.sum(dtype=np.float64))


def mean_tensor(loss: Array, weight: Array | None) -> Array:
    """Average the losses of a tensor, in their own type."""
    xp = namespace(loss)
    if weight is None:
        return xp.mean(loss)
    # Shares of the total, not the weights themselves: half precision soon overflows. Double
    # precision only where it is there already: some devices have none.
    double = xp.float64 in (loss.dtype, weight.dtype)
    weight = xp.astype(weight, xp.float64 if double else xp.float32)
    share = weight / xp.sum(weight)
    return xp.astype(xp.sum(loss * share), loss.dtype)


def paid(
    price: Callable[[Array], Array], p: Array, happened: Array, weight: Array | None = None
) -> float:
    """Add up a price where it was paid; elsewhere it may be infinite and does no harm."""
    xp = namespace(p)
    chosen = xp.nonzero(happened)[0]
    loss = price(xp.astype(xp.take(p, chosen), xp.float64, copy=False))
    if weight is not None:
        loss = loss * xp.astype(xp.take(weight, chosen), xp.float64, copy=False)
    return float(xp.sum(loss))


def as_rule(rule: Any) -> Rule:
    """Read a rule from its name; what is neither is refused where its kind is known."""
    if not isinstance(rule, str):
        return rule  # type: ignore[no-any-return]
    from properly import rules

    return rules.parse_rule(rule)


def require_binary(rule: object) -> BinaryRule:
    """Refuse what is not a rule for the probability of one event, or the name of one."""
    rule = as_rule(rule)
    if isinstance(rule, BinaryRule):
        return rule
    message = f"this needs a rule for the probability of one event; got {rule!r}"
    forgot = "write the rule with parentheses, as in Brier()."
    other = "this one prices class probabilities; pass a rule such as Brier()."
    raise ArgumentTypeError(message, hint=other if isinstance(rule, Rule) else forgot)


def as_rules(rules: Any) -> tuple[Any, ...]:
    """Take one rule, or several in anything that lists them, or their names; check nothing."""
    several = isinstance(rules, Iterable) and not isinstance(rules, str)
    return tuple(map(as_rule, rules if several else (rules,)))


def wide(p: Array) -> Array:
    """Widen numpy forecasts to float64; a tensor's type is its owner's choice."""
    return p.astype(np.float64, copy=False) if is_numpy(p) else p


def in_name(x: float) -> str:
    """Write a number in a name, so that other numbers make other names."""
    return repr(x).removesuffix(".0")
