# Where each public name lives; it is imported from there when it is first used.

from ._agreement import MetricAgreement, metric_agreement
from ._blocks import BlockCrossValidation, BlockSplit
from ._compare import compare
from ._confidence_set import ConfidenceSet, confidence_set
from ._contrasts import Contrast
from ._epochs import BestEpoch, EarlyStopping
from ._folds import Folds, FoldScores, by_fold
from ._group_variance import Homogeneity
from ._groups import by_group
from ._groups_record import GroupCalibration, Groups, WorstGroup
from ._leaderboard import leaderboard
from ._leaderboard_record import Leaderboard, Standing
from ._pairs import Comparison, Pair
from ._periods import OverTime, over_time
from ._selection import Selection, SelectionReport, TrainingRun, selection_report

__all__ = [
    "BestEpoch",
    "BlockCrossValidation",
    "BlockSplit",
    "Comparison",
    "ConfidenceSet",
    "Contrast",
    "EarlyStopping",
    "FoldScores",
    "Folds",
    "GroupCalibration",
    "Groups",
    "Homogeneity",
    "Leaderboard",
    "MetricAgreement",
    "OverTime",
    "Pair",
    "Selection",
    "SelectionReport",
    "Standing",
    "TrainingRun",
    "WorstGroup",
    "by_fold",
    "by_group",
    "compare",
    "confidence_set",
    "leaderboard",
    "metric_agreement",
    "over_time",
    "selection_report",
]
