"""How good are probability forecasts, where do they go wrong, and which model is for me.

A rule prices one forecast; a tally counts what happened at each forecast; every evaluation is a
function of the two.
"""

from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING

from properly import errors, rules, typing
from properly._advice import Advice, recommend
from properly._auc_interval import auc_interval
from properly._audit import Audit, audit, is_superior
from properly._bands import Band
from properly._baselines import baselines
from properly._binned import BinnedReliability, binned_reliability
from properly._bootstrap import Bootstrap, block_length, bootstrap
from properly._budget import AtBudget, at_budget
from properly._calibration import Bins, Reliability, reliability
from properly._calibration_distances import AbsoluteError
from properly._calibration_error import (
    CalibrationError,
    SmoothError,
    calibration_error,
    smooth_calibration_error,
)
from properly._calibration_summary import calibration_summary
from properly._calibration_table import CalibrationSummary, ClassCalibrationSummary
from properly._calibration_test import calibration_test
from properly._calibration_verdict import CalibrationTest
from properly._cases import Cases
from properly._class_decomposition import ClassDecomposition, class_reliability, decompose_classes
from properly._class_evaluation import ClassEvaluation, ClassScore
from properly._comparison import compare
from properly._confidence import ConfidenceTest, confidence_test
from properly._confidence_set import ConfidenceSet, confidence_set
from properly._confusion import Confusion, confusion, macro_f1, mean_absolute_error
from properly._contrasts import Contrast
from properly._counterexamples import Counterexample
from properly._cumulative_forecast import CumulativeForecast, cumulative_forecast
from properly._curves import murphy_curve, murphy_difference, regret_curve, regret_difference
from properly._decision import decision_curve, decision_difference
from properly._decomposition import (
    Decomposition,
    MurphyDecomposition,
    decompose,
    murphy_decomposition,
)
from properly._deployment import with_event_rate
from properly._dominance import Dominance, dominance
from properly._estimates import Estimate
from properly._evaluation import Evaluation, evaluate
from properly._findings import Finding
from properly._fold_table import Folds, FoldScores
from properly._folds import by_fold
from properly._frames import tally
from properly._group_table import GroupCalibration, Groups
from properly._group_words import WorstGroup
from properly._groups import by_group
from properly._hard import decide, expected_cost, hard_costs
from properly._hard_decisions import HardDecisions, HardScores, hard_decisions
from properly._histogram import Histogram
from properly._interval import Interval
from properly._kappa import quadratic_weighted_kappa, weighted_kappa
from properly._mean_intervals import MeansIntervals
from properly._means import ClassMeans, Means, means
from properly._money import Money, regret_in_money
from properly._monitoring import CalibrationMonitor, ComparisonMonitor
from properly._murphy import MurphyCurve
from properly._net_benefit import DecisionCurve, DecisionDifference
from properly._pair import Pair
from properly._pairs import Comparison
from properly._part_intervals import PartIntervals
from properly._power_means import ThreeMeans, generalized_mean
from properly._proper_means import ProperMeans, proper_means
from properly._range_map import RangeMap, best_by_range
from properly._ranking import Ranking, ranking
from properly._reductions import cumulative, one_vs_rest, top_label
from properly._retention import rejection_scores, retention_curve, retention_study
from properly._retention_areas import AreaEstimate, Retention, RetentionStudy
from properly._risk_profile import RiskProfile, risk_profile
from properly._roc import RocCurve, predicted_roc_curve, roc_curve
from properly._roc_band import RocBand
from properly._running_difference import RunningDifference, running_difference
from properly._score_intervals import net_benefit_interval, score_interval, skill_interval
from properly._shrinkage import Homogeneity
from properly._skill import h_measure, skill
from properly._source_table import SourceTable, source_table
from properly._switching import switching_penalty
from properly._tally import Tally
from properly._threshold_ranks import ThresholdRanks, rank_by_threshold
from properly._thresholds import AtThreshold, at_threshold, mean_net_benefit
from properly._worst_cases import WorstCases, worst_cases

__version__ = "0.1.0"

__all__ = [
    "AbsoluteError",
    "Advice",
    "AreaEstimate",
    "AtBudget",
    "AtThreshold",
    "Audit",
    "Band",
    "BinnedReliability",
    "Bins",
    "Bootstrap",
    "CalibrationError",
    "CalibrationMonitor",
    "CalibrationSummary",
    "CalibrationTest",
    "Cases",
    "ClassCalibrationSummary",
    "ClassDecomposition",
    "ClassEvaluation",
    "ClassMeans",
    "ClassScore",
    "Comparison",
    "ComparisonMonitor",
    "ConfidenceSet",
    "ConfidenceTest",
    "Confusion",
    "Contrast",
    "Counterexample",
    "CumulativeForecast",
    "DecisionCurve",
    "DecisionDifference",
    "Decomposition",
    "Dominance",
    "Estimate",
    "Evaluation",
    "Finding",
    "FoldScores",
    "Folds",
    "GroupCalibration",
    "Groups",
    "HardDecisions",
    "HardScores",
    "Histogram",
    "Homogeneity",
    "Interval",
    "Means",
    "MeansIntervals",
    "Money",
    "MurphyCurve",
    "MurphyDecomposition",
    "Pair",
    "PartIntervals",
    "ProperMeans",
    "RangeMap",
    "Ranking",
    "Reliability",
    "Retention",
    "RetentionStudy",
    "RiskProfile",
    "RocBand",
    "RocCurve",
    "RunningDifference",
    "SmoothError",
    "SourceTable",
    "Tally",
    "ThreeMeans",
    "ThresholdRanks",
    "WorstCases",
    "WorstGroup",
    "at_budget",
    "at_threshold",
    "auc_interval",
    "audit",
    "baselines",
    "best_by_range",
    "binned_reliability",
    "block_length",
    "bootstrap",
    "by_fold",
    "by_group",
    "calibration_error",
    "calibration_summary",
    "calibration_test",
    "class_reliability",
    "compare",
    "confidence_set",
    "confidence_test",
    "confusion",
    "cumulative",
    "cumulative_forecast",
    "datasets",
    "decide",
    "decision_curve",
    "decision_difference",
    "decompose",
    "decompose_classes",
    "dominance",
    "errors",
    "evaluate",
    "expected_cost",
    "generalized_mean",
    "h_measure",
    "hard_costs",
    "hard_decisions",
    "information",
    "is_superior",
    "macro_f1",
    "mean_absolute_error",
    "mean_net_benefit",
    "means",
    "murphy_curve",
    "murphy_decomposition",
    "murphy_difference",
    "net_benefit_interval",
    "one_vs_rest",
    "plots",
    "predicted_roc_curve",
    "proper_means",
    "quadratic_weighted_kappa",
    "rank_by_threshold",
    "ranking",
    "recommend",
    "regret_curve",
    "regret_difference",
    "regret_in_money",
    "rejection_scores",
    "reliability",
    "report",
    "reproduce",
    "retention_curve",
    "retention_study",
    "risk_profile",
    "roc_curve",
    "rules",
    "running_difference",
    "score_interval",
    "simulate",
    "skill",
    "skill_interval",
    "smooth_calibration_error",
    "source_table",
    "sources",
    "switching_penalty",
    "tally",
    "top_label",
    "typing",
    "weighted_kappa",
    "with_event_rate",
    "worst_cases",
]


DOORS = ("datasets", "information", "plots", "report", "reproduce", "simulate", "sources")

if TYPE_CHECKING:
    from properly import datasets, information, plots, report, reproduce, simulate, sources
else:

    def __getattr__(name: str) -> ModuleType:
        """Open the doors that few sessions need only when they are asked for."""
        if name in DOORS:
            return import_module(f"properly.{name}")
        message = f"module 'properly' has no attribute {name!r}"
        raise AttributeError(message)


def __dir__() -> list[str]:
    """List the lazy doors too."""
    return sorted({*globals(), *__all__})
