# Where each public name lives; it is imported from there when it is first used.

from ._compare import compare
from ._confidence_set import confidence_set
from ._epochs import BestEpoch, EarlyStopping
from ._folds import Folds, by_fold
from ._groups import by_group
from ._groups_record import Groups
from ._leaderboard import leaderboard
from ._leaderboard_record import Leaderboard
from ._pairs import Comparison
from ._periods import over_time

__all__ = [
    "BestEpoch",
    "Comparison",
    "EarlyStopping",
    "Folds",
    "Groups",
    "Leaderboard",
    "by_fold",
    "by_group",
    "compare",
    "confidence_set",
    "leaderboard",
    "over_time",
]
