# Where each public name lives; it is imported from there when it is first used.

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

__all__ = [
    "BestEpoch",
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
    "OverTime",
    "Pair",
    "Standing",
    "WorstGroup",
    "by_fold",
    "by_group",
    "compare",
    "confidence_set",
    "leaderboard",
    "over_time",
]
