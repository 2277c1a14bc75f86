# Where each public name lives; it is imported from there when it is first used.

from ._at_threshold import AtThreshold, at_budget, at_threshold, mean_net_benefit
from ._best_by_threshold import best_by_range, rank_by_threshold
from ._confusion import Confusion, confusion, macro_f1, quadratic_weighted_kappa, weighted_kappa
from ._dominance import Dominance, dominance
from ._hard_decisions import decide, expected_cost, hard_decisions
from ._murphy import (
    Money,
    MurphyCurve,
    murphy_curve,
    murphy_difference,
    regret_curve,
    regret_in_money,
)
from ._net_benefit import DecisionCurve, decision_curve, decision_difference
from ._recommend import recommend
from ._retention import Retention, rejection_scores, retention_curve, retention_study
from ._roc import RocCurve, predicted_roc_curve, ranking, roc_curve
from ._single_cases import cumulative_forecast, worst_cases

__all__ = [
    "AtThreshold",
    "Confusion",
    "DecisionCurve",
    "Dominance",
    "Money",
    "MurphyCurve",
    "Retention",
    "RocCurve",
    "at_budget",
    "at_threshold",
    "best_by_range",
    "confusion",
    "cumulative_forecast",
    "decide",
    "decision_curve",
    "decision_difference",
    "dominance",
    "expected_cost",
    "hard_decisions",
    "macro_f1",
    "mean_net_benefit",
    "murphy_curve",
    "murphy_difference",
    "predicted_roc_curve",
    "quadratic_weighted_kappa",
    "rank_by_threshold",
    "ranking",
    "recommend",
    "regret_curve",
    "regret_in_money",
    "rejection_scores",
    "retention_curve",
    "retention_study",
    "roc_curve",
    "weighted_kappa",
    "worst_cases",
]
