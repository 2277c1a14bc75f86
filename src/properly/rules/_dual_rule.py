"""Rules for one event that price several classes as well."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from properly._boundary._classes import is_table
from properly._boundary._labels import check_count
from properly.rules._class_rule import ClassRule, require_no_labels
from properly.rules._rule import BinaryRule

if TYPE_CHECKING:
    from collections.abc import Sequence

    from properly.typing import Array, ArrayLike


class DualRule(BinaryRule, ClassRule):
    """A rule for the probability of one event, and for the probabilities of several classes.

    Forecasts of one dimension are probabilities of an event, those of two are class probabilities.
    """

    def loss(self, y: ArrayLike, p: ArrayLike, *, labels: Sequence[object] | None = None) -> Array:
        """Price each forecast.

        Parameters
        ----------
        y : array-like
            Outcomes. For an event, booleans or 0 and 1; for classes, their numbers or labels, or
            rows with a single 1.
        p : array-like of shape (n,) or (n, K)
            Probabilities of the event, or of the classes, one column each.
        labels : sequence, optional
            What each column stands for.

        Returns
        -------
        array
            One loss a case, in the library of `p`. Infinity is a possible loss; NaN is not.
        """
        if is_table(p):
            return ClassRule.loss(self, y, p, labels=labels)
        require_no_labels(labels)
        return BinaryRule.loss(self, y, p)

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
            Probabilities of the event, or of the classes, one column each.
        weight : array-like, optional
            Case weights; rows of weight 0 do not count, whatever their loss.
        labels : sequence, optional
            What each column stands for.

        Returns
        -------
        float
            The mean; for a tensor, a tensor without dimensions that can be differentiated.
        """
        if is_table(p):
            return ClassRule.__call__(self, y, p, weight, labels=labels)
        require_no_labels(labels)
        return BinaryRule.__call__(self, y, p, weight)

    def logit_loss(
        self, y: ArrayLike, logit: ArrayLike, *, labels: Sequence[object] | None = None
    ) -> Array:
        """Price forecasts given as log-odds of the event, or as logits before the softmax."""
        if is_table(logit):
            return ClassRule.logit_loss(self, y, logit, labels=labels)
        require_no_labels(labels)
        return BinaryRule.logit_loss(self, y, logit)

    def logit_slope(
        self, y: ArrayLike, logit: ArrayLike, *, labels: Sequence[object] | None = None
    ) -> Array:
        """Differentiate the loss with respect to log-odds, or to logits before the softmax."""
        if is_table(logit):
            return ClassRule.logit_slope(self, y, logit, labels=labels)
        require_no_labels(labels)
        return BinaryRule.logit_slope(self, y, logit)

    def logit_curvature(self, logit: ArrayLike) -> Array:
        """Return how fast slopes grow, on average if the forecast is the truth."""
        kind = ClassRule if is_table(logit) else BinaryRule
        return kind.logit_curvature(self, logit)

    def price_logit(self, y: Array, logit: Array) -> Array:
        """Price log-odds, or logits before the softmax. The arrays are not checked."""
        if len(logit.shape) == 2:
            return self.price_class_logit(y, logit)
        return self.price_event_logit(y, logit)

    def price_logit_slope(self, y: Array, logit: Array) -> Array:
        """Differentiate with respect to log-odds, or to logits. The arrays are not checked."""
        if len(logit.shape) == 2:
            return self.price_class_logit_slope(y, logit)
        return self.price_event_logit_slope(y, logit)

    def price_event_logit(self, y: Array, logit: Array) -> Array:
        """Price log-odds; a rule that may cost infinity replaces this."""
        return BinaryRule.price_logit(self, y, logit)

    def price_event_logit_slope(self, y: Array, logit: Array) -> Array:
        """Differentiate with respect to log-odds; a rule of infinite slope replaces this."""
        return BinaryRule.price_logit_slope(self, y, logit)

    def price_class_logit(self, y: Array, logits: Array) -> Array:
        """Price logits before the softmax; a rule that may cost infinity replaces this."""
        return ClassRule.price_logit(self, y, logits)

    def price_class_logit_slope(self, y: Array, logits: Array) -> Array:
        """Differentiate with respect to logits; a rule of infinite slope replaces this."""
        return ClassRule.price_logit_slope(self, y, logits)

    def entropy(self, p: ArrayLike) -> Array:
        """Return what each forecast costs on average if it is the truth."""
        return ClassRule.entropy(self, p) if is_table(p) else BinaryRule.entropy(self, p)

    def range_for(self, classes: int) -> tuple[float, float]:
        """Return the least and the greatest loss of class probabilities."""
        check_count(classes)
        return 0.0, 1.0
