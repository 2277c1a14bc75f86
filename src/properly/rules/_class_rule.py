"""Rules for class probabilities: `ClassRule`, and `DualRule` for events as well.

A new rule for several classes derives from `ClassRule`; one that prices an event and classes by
the same formula from `DualRule`. Both need `classwise`, `range_for`, `propriety` and a name.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, ClassVar, NoReturn

import array_api_compat as compat
import numpy as np

from properly._boundary import _classes
from properly._boundary._chunks import sweep
from properly._boundary._classes import is_table
from properly._boundary._libraries import count_up, is_numpy, namespace, to_library_of
from properly.errors import ArgumentTypeError, DataError
from properly.rules._log_odds import softmax
from properly.rules._rule import BinaryRule, Propriety, Rule, as_rule, mean_of, wide
from properly.typing import Array, ArrayLike


class ClassRule(Rule):
    r"""A rule for the probabilities of several classes.

    Forecasts are rows of probabilities, one column a class. Classes are numbered from 0 in the
    order of the columns, or have names, given as ``labels``. A subclass writes what each forecast
    would cost under every class, :meth:`classwise`, and states its `propriety`, `name` and
    :meth:`range_for`; all else follows, but for slopes and curvatures of logits, which need
    :meth:`class_slope` and :meth:`class_curvature`. If the classes happen with
    the probabilities :math:`q`, a forecast :math:`p` costs on average

    .. math:: S(p; q) = \sum_k q_k\, S(p, k),

    and the rule is proper if no :math:`p` costs less than :math:`q` itself.

    Forecasts that numpy can hold are priced in float64; a tensor of another library is priced in
    its own type, on its own device, and can be differentiated.

    Examples
    --------
    A rule of one's own, the absolute error, which is not proper:

    >>> import numpy as np
    >>> from properly.rules import ClassRule, Propriety
    >>> class Absolute(ClassRule):
    ...     propriety = Propriety.IMPROPER
    ...     name = "absolute"
    ...
    ...     def classwise(self, p):
    ...         return 2 * (1 - p)
    ...
    ...     def range_for(self, classes):
    ...         return 0.0, 2.0
    >>> Absolute().loss([0, 2], [[0.5, 0.25, 0.25], [0.0, 0.5, 0.5]])
    array([1., 1.])
    >>> Absolute().expected_loss([0.5, 0.25, 0.25], [[0.5, 0.25, 0.25], [1.0, 0.0, 0.0]])
    array([1.25, 1.  ])
    """

    needs_order: ClassVar[bool] = False
    """Whether the order of the classes matters."""

    @abstractmethod
    def classwise(self, p: Array) -> Array:
        """Return what each row would cost under every class: one column a class. Not checked."""

    def price(self, y: Array, p: Array) -> Array:
        """Price rows of class probabilities, given class numbers. The arrays are not checked."""
        return at(self.price_table(p), y)

    def propriety_for(self, classes: int) -> Propriety:
        """Return what holds for so many classes; some rules are better with two."""
        _classes.check_count(classes)
        return self.propriety

    def require_classes(self, classes: int) -> None:
        """Refuse a number of classes that the rule was not made for; most were made for any."""

    @property
    def range(self) -> tuple[float, float]:
        """The least and the greatest loss of two classes; see `range_for` for more."""
        return self.range_for(2)

    def checked(self, *rows: Any, labels: Any = None, logits: bool = False) -> Any:
        """Check outcomes of classes, probabilities or logits, and weights."""
        check = _classes.check_class_logits if logits else _classes.check_class_rows
        result = check(*rows, labels=labels, ordered=self.needs_order)
        self.require_classes(int(result.p.shape[1]))
        return result

    def prices(self, y: Array, p: Array) -> Array:
        """Price rows that have been checked, piece by piece."""
        self.require_classes(int(p.shape[1]))
        if not is_numpy(p):
            return self.price(y, p)
        return np.concatenate(sweep(lambda p, y: self.price(y, p), p, y))

    def mean_price(self, y: Array, p: Array, weight: Array | None = None) -> Any:
        """Return the mean loss of rows that have been checked."""
        self.require_classes(int(p.shape[1]))
        return mean_of(self.price, self._sum_rows, y, p, weight)

    def logit_curvature(self, logits: ArrayLike) -> Array:
        """Return how fast each logit's own slope grows, on average if the forecast is the truth.

        The diagonal of the expected second derivative; never negative for a proper rule.

        Parameters
        ----------
        logits : array-like of shape (n, K)
            Real numbers, one column a class; minus infinity is an impossible class.
        """
        logits = wide(_classes.check_logit_table(logits))
        self.require_classes(int(logits.shape[1]))
        return self.class_curvature(softmax(logits))

    def price_logit(self, y: Array, logits: Array) -> Array:
        """Price logits, given class numbers. The arrays are not checked."""
        return self.price(y, softmax(logits))

    def price_logit_slope(self, y: Array, logits: Array) -> Array:
        """Differentiate the loss with respect to logits. The arrays are not checked."""
        p = softmax(logits)
        slope = self.class_slope(y, p)
        return p * (slope - namespace(p).sum(p * slope, axis=1, keepdims=True))

    def class_slope(self, y: Array, p: Array) -> Array:  # noqa: ARG002
        """Differentiate the loss with respect to every probability. Not checked."""
        self._refuse_unknown("slope", "class_slope(y, p)")

    def class_curvature(self, p: Array) -> Array:  # noqa: ARG002
        """Return the expected second derivative with respect to each logit. Not checked."""
        self._refuse_unknown("curvature", "class_curvature(p)")

    def _refuse_unknown(self, what: str, method: str) -> NoReturn:
        """Refuse what a rule has not stated."""
        message = f"{self!r} does not tell its {what}; its class has no class_{what}"
        hint = f"write {method}, one column a class."
        if not self.differentiable:
            hint = "slopes do not see its jumps; train with a rule that has none"
            hint += ", and judge by this one."
        raise ArgumentTypeError(message, hint=hint)

    def entropy(self, p: ArrayLike) -> Array:
        """Return what each forecast costs on average if it is the truth."""
        p = _classes.check_probabilities(p)
        self.require_classes(int(p.shape[1]))
        if not is_numpy(p):
            return self._own_loss(p)
        return np.concatenate(sweep(self._own_loss, p))

    def expected_loss(self, truth: ArrayLike, report: ArrayLike) -> Any:
        """Return what a report costs on average if classes happen as the truth says.

        Parameters
        ----------
        truth, report : array-like of shape (K,) or (n, K)
            Probabilities of the classes. One row of either goes with every row of the other.

        Returns
        -------
        float or array
            A number for two vectors. A class that cannot happen costs nothing, even if its loss is
            infinite.
        """
        q = _classes.check_probabilities(as_rows(truth), name="the truth")
        p = _classes.check_probabilities(as_rows(report), name="the report")
        if q.shape[1] != p.shape[1]:
            sizes = f"{q.shape[1]} and {p.shape[1]}"
            message = f"truth and report must have the same number of classes; got {sizes}"
            raise DataError(message)
        if q.shape[0] != p.shape[0] and 1 not in (q.shape[0], p.shape[0]):
            sizes = f"{q.shape[0]} and {p.shape[0]}"
            message = (
                f"truth and report must have equally many rows, or one a single row; got {sizes}"
            )
            raise DataError(message)
        self.require_classes(int(p.shape[1]))
        q = to_library_of(q, p)
        mean = _mean_by_class(wide(q), self.price_table(wide(p)))
        return mean if is_table(truth) or is_table(report) else float(mean[0])

    def _own_loss(self, p: Array) -> Array:
        p = wide(p)
        return _mean_by_class(p, self.price_table(p))

    def price_table(self, p: Array) -> Array:
        """Return `classwise`; refuse a table of another shape, which a new rule may make."""
        table = self.classwise(p)
        if getattr(table, "shape", None) != p.shape:
            shape = getattr(table, "shape", type(table).__name__)
            message = f"classwise must return one loss for each entry of p, {p.shape}; got {shape}"
            raise DataError(message)
        return table

    def _sum_rows(self, p: Array, y: Array, weight: Array | None = None) -> float:
        """Add up the losses of rows."""
        loss = self.price(y, p)
        return float(np.sum(loss if weight is None else loss * weight))


class DualRule(BinaryRule, ClassRule):
    """A rule for the probability of one event, and for the probabilities of several classes.

    Forecasts of one dimension are probabilities of an event, those of two are class probabilities.
    """

    # A rule that may cost infinity, or is infinitely steep, replaces these.
    price_event_logit = BinaryRule.price_logit
    price_event_logit_slope = BinaryRule.price_logit_slope
    price_class_logit = ClassRule.price_logit
    price_class_logit_slope = ClassRule.price_logit_slope

    def checked(self, *rows: Any, labels: Any = None, logits: bool = False) -> Any:
        """Check rows of classes if forecasts are a table, else of one event."""
        return _kind(rows[1]).checked(self, *rows, labels=labels, logits=logits)

    def prices(self, y: Array, p: Array) -> Array:
        """Price rows that have been checked."""
        return _kind(p).prices(self, y, p)

    def mean_price(self, y: Array, p: Array, weight: Array | None = None) -> Any:
        """Return the mean loss of rows that have been checked."""
        return _kind(p).mean_price(self, y, p, weight)

    def price_logit(self, y: Array, logit: Array) -> Array:
        """Price log-odds, or logits before the softmax. The arrays are not checked."""
        return (self.price_class_logit if is_table(logit) else self.price_event_logit)(y, logit)

    def price_logit_slope(self, y: Array, logit: Array) -> Array:
        """Differentiate with respect to log-odds, or to logits. The arrays are not checked."""
        several = is_table(logit)
        return (self.price_class_logit_slope if several else self.price_event_logit_slope)(y, logit)

    def logit_curvature(self, logit: ArrayLike) -> Array:
        """Return how fast slopes grow, on average if the forecast is the truth."""
        return _kind(logit).logit_curvature(self, logit)

    def entropy(self, p: ArrayLike) -> Array:
        """Return what each forecast costs on average if it is the truth."""
        return _kind(p).entropy(self, p)

    def range_for(self, classes: int) -> tuple[float, float]:
        """Return the least and the greatest loss of class probabilities."""
        _classes.check_count(classes)
        return 0.0, 1.0


def _kind(p: object) -> Any:
    return ClassRule if is_table(p) else BinaryRule


def require_class_rule(rule: object) -> ClassRule:
    """Refuse what is not a rule for class probabilities, or the name of one."""
    rule = as_rule(rule)
    if isinstance(rule, ClassRule):
        return rule
    message = f"this needs a rule for class probabilities; got {rule!r}"
    forgot = "write the rule with parentheses, as in Brier()."
    other = "Ranked(rule) makes one for ordered classes; for others, one_vs_rest makes events."
    raise ArgumentTypeError(message, hint=other if isinstance(rule, BinaryRule) else forgot)


def at(table: Array, y: Array) -> Array:
    """Take from each row the entry of the class that happened."""
    rows, classes = table.shape
    if is_numpy(table):
        return table[np.arange(rows), y]
    xp = namespace(table)
    return xp.take(xp.reshape(table, (-1,)), count_up(rows, y) * classes + y)


def is_class(y: Array, p: Array) -> Array:
    """Tell, for each row and class, whether it is the class that happened."""
    return y[:, None] == count_up(p.shape[1], y)


def split_off(p: Array, y: Array) -> tuple[Array, Array]:
    """Return the probability of what happened, and the sum of the squares of all others."""
    if is_numpy(p):
        rest = p.astype(np.float64)
        rows = np.arange(rest.shape[0])
        chosen = rest[rows, y]
        rest[rows, y] = 0
        return chosen, np.einsum("ij,ij->i", rest, rest)
    xp = namespace(p)
    rest = xp.where(is_class(y, p), xp.zeros_like(p), p)
    return at(p, y), xp.sum(rest * rest, axis=1)


def squares_of_others(p: Array) -> Array:
    """Return for every class the sum of the squares of all other probabilities of its row."""
    xp = namespace(p)
    squares = p * p
    rest = xp.sum(squares, axis=1, keepdims=True) - squares
    return xp.where(rest > 0, rest, xp.zeros_like(rest))


def _mean_by_class(q: Array, loss: Array) -> Array:
    """Average over classes; what cannot happen costs nothing."""
    xp = namespace(q, loss)
    possible = q > 0
    return xp.sum(q * xp.where(possible, loss, xp.zeros_like(loss)), axis=1)


def as_rows(x: ArrayLike) -> ArrayLike:
    """Take one vector of probabilities for one row."""
    if is_table(x) or isinstance(x, list | tuple):
        return x if is_table(x) else [x]
    return x[None, ...] if compat.is_array_api_obj(x) else np.asarray(x)[None]
