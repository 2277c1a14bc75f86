"""Pictures: results in, matplotlib Axes out.

Nothing here computes, changes a global style or shows a window. Needs the extra ``plots``.
"""

from properly.plots._best_by_range import range_map
from properly.plots._best_by_threshold import threshold_ranks
from properly.plots._board_plot import leaderboard
from properly.plots._cumulative_forecast import cumulative_forecast
from properly.plots._decision import decision, decision_difference
from properly.plots._dominance import dominance
from properly.plots._forest_plots import comparison, groups
from properly.plots._matrices import comparison_matrix, confusion, cost_matrix
from properly.plots._means import means_bars
from properly.plots._model_source import model_source
from properly.plots._monitor import monitor
from properly.plots._murphy import murphy, regret
from properly.plots._reliability import binned_reliability, reliability, reliability_grid
from properly.plots._retention import retention, worst_cases
from properly.plots._risk_profile import risk_profile
from properly.plots._roc import roc
from properly.plots._score_plane import mcb_dsc
from properly.plots._threshold_weights import threshold_weights
from properly.plots._training import training
from properly.plots._triptych import triptych

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
