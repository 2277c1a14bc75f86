"""Rules that are another rule under a name of their own."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING

from properly.rules._rule import BinaryRule

if TYPE_CHECKING:
    from properly.rules._propriety import Propriety
    from properly.typing import Array


class Alias(BinaryRule):
    """A rule that leaves every price to another one."""

    @property
    @abstractmethod
    def priced_by(self) -> BinaryRule:
        """The rule that does the pricing."""

    @property
    def propriety(self) -> Propriety:
        """That of the rule that does the pricing."""
        return self.priced_by.propriety

    def false_positives(self, lower: Array | float, upper: Array | float) -> Array:
        """Return what the rule that does the pricing returns."""
        return self.priced_by.false_positives(lower, upper)

    def false_negatives(self, lower: Array | float, upper: Array | float) -> Array:
        """Return what the rule that does the pricing returns."""
        return self.priced_by.false_negatives(lower, upper)

    def loss_if_event(self, p: Array) -> Array:
        """Return what the rule that does the pricing returns."""
        return self.priced_by.loss_if_event(p)

    def loss_if_none(self, p: Array) -> Array:
        """Return what the rule that does the pricing returns."""
        return self.priced_by.loss_if_none(p)

    def weight(self, p: Array) -> Array:
        """Return what the rule that does the pricing returns."""
        return self.priced_by.weight(p)

    def logit_weight(self, p: Array, q: Array) -> Array:
        """Return what the rule that does the pricing returns."""
        return self.priced_by.logit_weight(p, q)

    def slope_if_event(self, p: Array) -> Array:
        """Return what the rule that does the pricing returns."""
        return self.priced_by.slope_if_event(p)

    def slope_if_none(self, p: Array) -> Array:
        """Return what the rule that does the pricing returns."""
        return self.priced_by.slope_if_none(p)

    def price_logit(self, y: Array, logit: Array) -> Array:
        """Return what the rule that does the pricing returns."""
        return self.priced_by.price_logit(y, logit)

    def price_logit_slope(self, y: Array, logit: Array) -> Array:
        """Return what the rule that does the pricing returns."""
        return self.priced_by.price_logit_slope(y, logit)

    def atoms_within(self, lower: float, upper: float) -> tuple[tuple[float, float], ...]:
        """Return what the rule that does the pricing returns."""
        return self.priced_by.atoms_within(lower, upper)
