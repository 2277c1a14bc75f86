"""Prices: rules that turn a forecast and an outcome into a loss.

Every rule is a frozen value that states its own facts: `propriety`, `range`, `weight`, `atoms`. All
are losses, so lower is better.
"""

from properly.rules._binary import Brier, Elementary, Log, Misclassification, Spherical
from properly.rules._combinators import Bounded, Mixture
from properly.rules._regret import Regret
from properly.rules._rule import BinaryRule, Propriety, Rule
from properly.rules._shifted import Shifted
from properly.rules._weighted import (
    BetaWeighted,
    HistogramWeighted,
    MissedBenefit,
    PointWeighted,
)

__all__ = [
    "BetaWeighted",
    "BinaryRule",
    "Bounded",
    "Brier",
    "Elementary",
    "HistogramWeighted",
    "Log",
    "Misclassification",
    "MissedBenefit",
    "Mixture",
    "PointWeighted",
    "Propriety",
    "Regret",
    "Rule",
    "Shifted",
    "Spherical",
]
