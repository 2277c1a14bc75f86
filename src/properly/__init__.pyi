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
from .calibration._binned import BinnedReliability, binned_reliability
from .calibration._calibration_distances import AbsoluteError
from .calibration._calibration_error import (
    CalibrationError,
    SmoothError,
    calibration_error,
    smooth_calibration_error,
)
from .calibration._calibration_summary import calibration_summary
from .calibration._calibration_table import CalibrationSummary, ClassCalibrationSummary
from .calibration._calibration_verdict import CalibrationTest
from .calibration._certain import Certain
from .calibration._class_decomposition import (
    ClassDecomposition,
    class_reliability,
    decompose_classes,
)
from .calibration._decomposition import (
    Decomposition,
    MurphyDecomposition,
    decompose,
    murphy_decomposition,
)
from .calibration._grouping_error import GroupingError, grouping_error
from .calibration._part_intervals import PartIntervals
from .calibration._reliability import Bins, Reliability, reliability
from .calibration._test import calibration_test
from .comparison._agreement import MetricAgreement, metric_agreement
from .comparison._best_epoch import BestEpoch, EarlyStopping
from .comparison._blocks import BlockCrossValidation, BlockSplit
from .comparison._comparison import compare
from .comparison._confidence_set import ConfidenceSet, confidence_set
from .comparison._contrasts import Contrast
from .comparison._fold_table import Folds, FoldScores
from .comparison._folds import by_fold
from .comparison._group_table import GroupCalibration, Groups
from .comparison._group_words import WorstGroup
from .comparison._groups import by_group
from .comparison._monitoring import CalibrationMonitor, ComparisonMonitor
from .comparison._over_time import OverTime, over_time
from .comparison._pair import Pair
from .comparison._pairs import Comparison
from .comparison._running_difference import RunningDifference, running_difference
from .comparison._selection import TrainingRun, selection_report
from .comparison._selection_table import Selection, SelectionReport
from .comparison._shrinkage import Homogeneity
from .counts._baselines import baselines
from .counts._cases import Cases
from .counts._event_rate import with_event_rate
from .counts._histogram import Histogram
from .counts._reductions import cumulative, one_vs_rest, top_label
from .counts._tally import Tally
from .decisions._best_by_threshold import ThresholdRanks, rank_by_threshold
from .decisions._budget import AtBudget, at_budget
from .decisions._confusion import Confusion, confusion, macro_f1, mean_absolute_error
from .decisions._cumulative_forecast import CumulativeForecast, cumulative_forecast
from .decisions._curve import decision_curve, decision_difference
from .decisions._curves import murphy_curve, murphy_difference, regret_curve, regret_difference
from .decisions._dominance import Dominance, dominance
from .decisions._hard import decide, expected_cost, hard_costs
from .decisions._hard_decisions import HardDecisions, HardScores, hard_decisions
from .decisions._kappa import quadratic_weighted_kappa, weighted_kappa
from .decisions._money import Money, regret_in_money
from .decisions._murphy import MurphyCurve
from .decisions._net_benefit import DecisionCurve, DecisionDifference
from .decisions._range_map import RangeMap, best_by_range
from .decisions._ranking import Ranking, ranking
from .decisions._recommend import Advice, recommend
from .decisions._retention import rejection_scores, retention_curve, retention_study
from .decisions._retention_areas import AreaEstimate, Retention, RetentionStudy
from .decisions._roc import RocCurve, predicted_roc_curve, roc_curve
from .decisions._roc_band import RocBand
from .decisions._switching import switching_penalty
from .decisions._thresholds import AtThreshold, at_threshold, mean_net_benefit
from .decisions._worst_cases import WorstCases, worst_cases
from .engines._files import read
from .engines._summary import Summary
from .engines._tallying import tally
from .evaluation._checkup import Checkup, Symptom, check
from .evaluation._class_evaluation import ClassEvaluation
from .evaluation._class_scores import ClassScore
from .evaluation._evaluation import evaluate
from .evaluation._event_evaluation import Evaluation
from .evaluation._stream import Stream, stream
from .evaluation._summarizing import summarize
from .evaluation._verdict import Sentence, Verdict, verdict
from .inference._auc import auc_interval
from .inference._band import Band
from .inference._bootstrap import Bootstrap, block_length, bootstrap
from .inference._estimate import Estimate
from .inference._score_intervals import net_benefit_interval, score_interval, skill_interval
from .inference._skill import h_measure, skill
from .probability._confidence import ConfidenceTest, confidence_test
from .probability._intervals import MeansIntervals
from .probability._means import ClassMeans, Means, means
from .probability._power_means import ThreeMeans, generalized_mean
from .probability._proper import ProperMeans, proper_means
from .probability._risk_profile import RiskProfile, risk_profile
from .probability._source_table import SourceTable, source_table
from .rules._audit import Audit, audit, is_superior
from .rules._counterexamples import Counterexample
from .rules._findings import Finding
from .rules._interval import Interval

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
