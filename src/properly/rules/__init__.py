"""Prices: rules that turn a forecast and an outcome into a loss.

Every rule is a frozen value that states its own facts: `propriety`, `range`, `weight`, `atoms`. All
are losses, so lower is better.
"""

from properly.rules._binary import Brier, Elementary, Log, Misclassification, Spherical
from properly.rules._combinators import Bounded, Mixture
from properly.rules._rule import BinaryRule, Propriety, Rule

__all__ = [
    "BinaryRule",
    "Bounded",
    "Brier",
    "Elementary",
    "Log",
    "Misclassification",
    "Mixture",
    "Propriety",
    "Rule",
    "Spherical",
]
