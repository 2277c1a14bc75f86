"""Pictures: results in, matplotlib Axes out.

Nothing here computes, changes a global style or shows a window. Needs the extra ``plots``.
"""

from properly.plots._best_models import dominance, range_map, threshold_ranks
from properly.plots._board_plot import leaderboard
from properly.plots._case_plots import cumulative_forecast, retention, worst_cases
from properly.plots._courses import monitor, training
from properly.plots._diagrams import (
    binned_reliability,
    reliability,
    reliability_grid,
    roc,
    triptych,
)
from properly.plots._forest_plots import comparison, groups
from properly.plots._matrices import comparison_matrix, confusion, cost_matrix
from properly.plots._means_plots import means_bars, risk_profile
from properly.plots._model_source import model_source
from properly.plots._score_plane import mcb_dsc
from properly.plots._threshold_curves import decision, decision_difference, murphy, regret
from properly.plots._threshold_weights import threshold_weights

__all__ = [
    "binned_reliability",
    "comparison",
    "comparison_matrix",
    "confusion",
    "cost_matrix",
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
    "training",
    "triptych",
    "worst_cases",
]
