"""Prices: rules that turn a forecast and an outcome into a loss.

Every rule is a frozen value that states its own facts: `propriety` and `range`, and, if it is for
one event, `weight` and `atoms`. All are losses, so lower is better. A `BinaryRule` prices the
probability of one event, a `ClassRule` the probabilities of several classes; `Brier`, `Log`,
`Spherical`, `Pseudospherical` and `Misclassification` do both.
"""

from properly.rules._brier import Brier
from properly.rules._class_rule import ClassRule
from properly.rules._combinators import Bounded, Mixture
from properly.rules._distance import QuadraticRPS, SquaredAbsoluteRPS, SquaredMeanError
from properly.rules._log import Log
from properly.rules._parse import parse_rule
from properly.rules._penalized import PBS, PLL, Penalized
from properly.rules._propriety import Propriety
from properly.rules._pseudospherical import Pseudospherical
from properly.rules._ranked import RPS, Ranked, RankedLog
from properly.rules._regret import Regret
from properly.rules._rule import BinaryRule, Rule
from properly.rules._shifted import Shifted
from properly.rules._spherical import Spherical
from properly.rules._superior import superior_penalty
from properly.rules._threshold import Elementary, Misclassification
from properly.rules._weighted import (
    BetaWeighted,
    HistogramWeighted,
    MissedBenefit,
    PointWeighted,
)

__all__ = [
    "PBS",
    "PLL",
    "RPS",
    "BetaWeighted",
    "BinaryRule",
    "Bounded",
    "Brier",
    "ClassRule",
    "Elementary",
    "HistogramWeighted",
    "Log",
    "Misclassification",
    "MissedBenefit",
    "Mixture",
    "Penalized",
    "PointWeighted",
    "Propriety",
    "Pseudospherical",
    "QuadraticRPS",
    "Ranked",
    "RankedLog",
    "Regret",
    "Rule",
    "Shifted",
    "Spherical",
    "SquaredAbsoluteRPS",
    "SquaredMeanError",
    "parse_rule",
    "superior_penalty",
]
