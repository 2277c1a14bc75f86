# Where each public name lives; it is imported from there when it is first used.

from ._auc import auc_interval
from ._averages import Estimate
from ._band import Band
from ._bootstrap import bootstrap
from ._intervals import h_measure, net_benefit_interval, score_interval, skill, skill_interval
from ._scores import auc, brier_score, log_loss

__all__ = [
    "Band",
    "Estimate",
    "auc",
    "auc_interval",
    "bootstrap",
    "brier_score",
    "h_measure",
    "log_loss",
    "net_benefit_interval",
    "score_interval",
    "skill",
    "skill_interval",
]
