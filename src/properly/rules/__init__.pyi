# Where each public name lives; it is imported from there when it is first used.

from ._audit import Audit, audit, is_superior
from ._class_rule import ClassRule
from ._combinators import Bounded, Mixture, Regret, Shifted
from ._distance import QuadraticRPS, SquaredAbsoluteRPS
from ._dual_rules import Brier, Log, Pseudospherical, Spherical
from ._interval import Interval
from ._parse import parse_rule
from ._penalty import PBS, PLL, Penalized, superior_penalty
from ._ranked_probability import RPS, Ranked, RankedLog
from ._rule import BinaryRule, Propriety, Rule
from ._threshold import (
    BetaWeighted,
    Elementary,
    HistogramWeighted,
    Misclassification,
    MissedBenefit,
    PointWeighted,
)

__all__ = [
    "PBS",
    "PLL",
    "RPS",
    "Audit",
    "BetaWeighted",
    "BinaryRule",
    "Bounded",
    "Brier",
    "ClassRule",
    "Elementary",
    "HistogramWeighted",
    "Interval",
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
    "audit",
    "is_superior",
    "parse_rule",
    "superior_penalty",
]
