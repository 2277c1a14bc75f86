"""How good are probability forecasts, where do they go wrong, and which model is for me.

A rule prices one forecast; a tally counts what happened at each forecast; every evaluation is a
function of the two.
"""

from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING

from properly import errors, rules, typing
from properly._advice import Advice, recommend
from properly._bands import Band
from properly._baselines import baselines
from properly._binned import BinnedReliability, binned_reliability
from properly._budget import AtBudget, at_budget
from properly._calibration import Bins, Reliability, reliability
from properly._calibration_test import CalibrationTest, calibration_test
from properly._cases import Cases
from properly._curves import murphy_curve, murphy_difference, regret_curve, regret_difference
from properly._decision import decision_curve, decision_difference
from properly._decomposition import (
    Decomposition,
    MurphyDecomposition,
    decompose,
    murphy_decomposition,
)
from properly._deployment import with_event_rate
from properly._evaluation import Evaluation, evaluate
from properly._frames import tally
from properly._histogram import Histogram
from properly._interval import Interval
from properly._money import Money, regret_in_money
from properly._murphy import MurphyCurve
from properly._net_benefit import DecisionCurve, DecisionDifference
from properly._part_intervals import PartIntervals
from properly._range_map import RangeMap, best_by_range
from properly._ranking import Ranking, ranking
from properly._roc import RocCurve, roc_curve
from properly._roc_band import RocBand
from properly._skill import h_measure, skill
from properly._tally import Tally
from properly._threshold_ranks import ThresholdRanks, rank_by_threshold
from properly._thresholds import AtThreshold, at_threshold, mean_net_benefit

__version__ = "0.1.0"

__all__ = [
    "Advice",
    "AtBudget",
    "AtThreshold",
    "Band",
    "BinnedReliability",
    "Bins",
    "CalibrationTest",
    "Cases",
    "DecisionCurve",
    "DecisionDifference",
    "Decomposition",
    "Evaluation",
    "Histogram",
    "Interval",
    "Money",
    "MurphyCurve",
    "MurphyDecomposition",
    "PartIntervals",
    "RangeMap",
    "Ranking",
    "Reliability",
    "RocBand",
    "RocCurve",
    "Tally",
    "ThresholdRanks",
    "at_budget",
    "at_threshold",
    "baselines",
    "best_by_range",
    "binned_reliability",
    "calibration_test",
    "datasets",
    "decision_curve",
    "decision_difference",
    "decompose",
    "errors",
    "evaluate",
    "h_measure",
    "mean_net_benefit",
    "murphy_curve",
    "murphy_decomposition",
    "murphy_difference",
    "plots",
    "rank_by_threshold",
    "ranking",
    "recommend",
    "regret_curve",
    "regret_difference",
    "regret_in_money",
    "reliability",
    "report",
    "reproduce",
    "roc_curve",
    "rules",
    "simulate",
    "skill",
    "tally",
    "typing",
    "with_event_rate",
]


if TYPE_CHECKING:
    from properly import datasets, plots, report, reproduce, simulate
else:

    def __getattr__(name: str) -> ModuleType:
        """Open the doors that few sessions need only when they are asked for."""
        if name in {"datasets", "plots", "report", "reproduce", "simulate"}:
            return import_module(f"properly.{name}")
        message = f"module 'properly' has no attribute {name!r}"
        raise AttributeError(message)


def __dir__() -> list[str]:
    """List the lazy doors too."""
    return sorted({*globals(), *__all__})
