# Where each public name lives; it is imported from there when it is first used.

from . import (
    datasets,
    errors,
    information,
    plots,
    report,
    reproduce,
    rules,
    simulate,
    sources,
    typing,
)
from ._advice import Advice, recommend
from ._agreement import MetricAgreement, metric_agreement
from ._auc_interval import auc_interval
from ._audit import Audit, audit, is_superior
from ._bands import Band
from ._baselines import baselines
from ._best_epoch import BestEpoch, EarlyStopping
from ._binned import BinnedReliability, binned_reliability
from ._blocks import BlockCrossValidation, BlockSplit
from ._bootstrap import Bootstrap, block_length, bootstrap
from ._budget import AtBudget, at_budget
from ._calibration import Bins, Reliability, reliability
from ._calibration_distances import AbsoluteError
from ._calibration_error import (
    CalibrationError,
    SmoothError,
    calibration_error,
    smooth_calibration_error,
)
from ._calibration_summary import calibration_summary
from ._calibration_table import CalibrationSummary, ClassCalibrationSummary
from ._calibration_test import calibration_test
from ._calibration_verdict import CalibrationTest
from ._cases import Cases
from ._certain import Certain
from ._checkup import Checkup, Symptom, check
from ._class_decomposition import ClassDecomposition, class_reliability, decompose_classes
from ._class_evaluation import ClassEvaluation
from ._class_scores import ClassScore
from ._comparison import compare
from ._confidence import ConfidenceTest, confidence_test
from ._confidence_set import ConfidenceSet, confidence_set
from ._confusion import Confusion, confusion, macro_f1, mean_absolute_error
from ._contrasts import Contrast
from ._counterexamples import Counterexample
from ._cumulative_forecast import CumulativeForecast, cumulative_forecast
from ._curves import murphy_curve, murphy_difference, regret_curve, regret_difference
from ._decision import decision_curve, decision_difference
from ._decomposition import Decomposition, MurphyDecomposition, decompose, murphy_decomposition
from ._deployment import with_event_rate
from ._dominance import Dominance, dominance
from ._estimates import Estimate
from ._evaluation import evaluate
from ._event_evaluation import Evaluation
from ._files import read
from ._findings import Finding
from ._fold_table import Folds, FoldScores
from ._folds import by_fold
from ._group_table import GroupCalibration, Groups
from ._group_words import WorstGroup
from ._grouping_error import GroupingError, grouping_error
from ._groups import by_group
from ._hard import decide, expected_cost, hard_costs
from ._hard_decisions import HardDecisions, HardScores, hard_decisions
from ._histogram import Histogram
from ._interval import Interval
from ._kappa import quadratic_weighted_kappa, weighted_kappa
from ._mean_intervals import MeansIntervals
from ._means import ClassMeans, Means, means
from ._money import Money, regret_in_money
from ._monitoring import CalibrationMonitor, ComparisonMonitor
from ._murphy import MurphyCurve
from ._net_benefit import DecisionCurve, DecisionDifference
from ._over_time import OverTime, over_time
from ._pair import Pair
from ._pairs import Comparison
from ._part_intervals import PartIntervals
from ._power_means import ThreeMeans, generalized_mean
from ._proper_means import ProperMeans, proper_means
from ._range_map import RangeMap, best_by_range
from ._ranking import Ranking, ranking
from ._reductions import cumulative, one_vs_rest, top_label
from ._retention import rejection_scores, retention_curve, retention_study
from ._retention_areas import AreaEstimate, Retention, RetentionStudy
from ._risk_profile import RiskProfile, risk_profile
from ._roc import RocCurve, predicted_roc_curve, roc_curve
from ._roc_band import RocBand
from ._running_difference import RunningDifference, running_difference
from ._score_intervals import net_benefit_interval, score_interval, skill_interval
from ._selection import TrainingRun, selection_report
from ._selection_table import Selection, SelectionReport
from ._shrinkage import Homogeneity
from ._skill import h_measure, skill
from ._source_table import SourceTable, source_table
from ._stream import Stream, stream
from ._summarizing import summarize
from ._summary import Summary
from ._switching import switching_penalty
from ._tally import Tally
from ._tallying import tally
from ._threshold_ranks import ThresholdRanks, rank_by_threshold
from ._thresholds import AtThreshold, at_threshold, mean_net_benefit
from ._verdict import Sentence, Verdict, verdict
from ._worst_cases import WorstCases, worst_cases

__version__: str

__all__ = [
    "AbsoluteError",
    "Advice",
    "AreaEstimate",
    "AtBudget",
    "AtThreshold",
    "Audit",
    "Band",
    "BestEpoch",
    "BinnedReliability",
    "Bins",
    "BlockCrossValidation",
    "BlockSplit",
    "Bootstrap",
    "CalibrationError",
    "CalibrationMonitor",
    "CalibrationSummary",
    "CalibrationTest",
    "Cases",
    "Certain",
    "Checkup",
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
    "EarlyStopping",
    "Estimate",
    "Evaluation",
    "Finding",
    "FoldScores",
    "Folds",
    "GroupCalibration",
    "GroupingError",
    "Groups",
    "HardDecisions",
    "HardScores",
    "Histogram",
    "Homogeneity",
    "Interval",
    "Means",
    "MeansIntervals",
    "MetricAgreement",
    "Money",
    "MurphyCurve",
    "MurphyDecomposition",
    "OverTime",
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
    "Selection",
    "SelectionReport",
    "Sentence",
    "SmoothError",
    "SourceTable",
    "Stream",
    "Summary",
    "Symptom",
    "Tally",
    "ThreeMeans",
    "ThresholdRanks",
    "TrainingRun",
    "Verdict",
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
    "check",
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
    "grouping_error",
    "h_measure",
    "hard_costs",
    "hard_decisions",
    "information",
    "is_superior",
    "macro_f1",
    "mean_absolute_error",
    "mean_net_benefit",
    "means",
    "metric_agreement",
    "murphy_curve",
    "murphy_decomposition",
    "murphy_difference",
    "net_benefit_interval",
    "one_vs_rest",
    "over_time",
    "plots",
    "predicted_roc_curve",
    "proper_means",
    "quadratic_weighted_kappa",
    "rank_by_threshold",
    "ranking",
    "read",
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
    "selection_report",
    "simulate",
    "skill",
    "skill_interval",
    "smooth_calibration_error",
    "source_table",
    "sources",
    "stream",
    "summarize",
    "switching_penalty",
    "tally",
    "top_label",
    "typing",
    "verdict",
    "weighted_kappa",
    "with_event_rate",
    "worst_cases",
]
