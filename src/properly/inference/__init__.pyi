# Where each public name lives; it is imported from there when it is first used.

from ._auc import auc_interval
from ._averages import Estimate
from ._band import Band
from ._bootstrap import bootstrap
from ._intervals import h_measure, net_benefit_interval, score_interval, skill, skill_interval

__all__ = [
    "Band",
    "Estimate",
    "auc_interval",
    "bootstrap",
    "h_measure",
    "net_benefit_interval",
    "score_interval",
    "skill",
    "skill_interval",
]
