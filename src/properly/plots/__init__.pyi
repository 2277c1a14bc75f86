# Where each public name lives; it is imported from there when it is first used.

from ._best_models import dominance, range_map, threshold_ranks
from ._board_plot import leaderboard
from ._case_plots import cumulative_forecast, monitor, retention, worst_cases
from ._diagrams import (
    binned_reliability,
    mcb_dsc,
    reliability,
    reliability_grid,
    roc,
    triptych,
)
from ._forest_plots import comparison, groups
from ._matrices import comparison_matrix, confusion
from ._means_plots import means_bars, model_source, risk_profile, two_classes
from ._threshold_curves import decision, decision_difference, murphy, regret
from ._threshold_scale import threshold_weights

__all__ = [
    "binned_reliability",
    "comparison",
    "comparison_matrix",
    "confusion",
    "cumulative_forecast",
    "decision",
    "decision_difference",
    "dominance",
    "groups",
    "leaderboard",
    "mcb_dsc",
    "means_bars",
    "model_source",
    "monitor",
    "murphy",
    "range_map",
    "regret",
    "reliability",
    "reliability_grid",
    "retention",
    "risk_profile",
    "roc",
    "threshold_ranks",
    "threshold_weights",
    "triptych",
    "two_classes",
    "worst_cases",
]
