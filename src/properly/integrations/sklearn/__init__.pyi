# Where each public name lives; it is imported from there when it is first used.

from ._displays import (
    DecisionDisplay,
    MurphyDisplay,
    ReliabilityDisplay,
    RocDisplay,
)
from ._estimators import (
    RecalibratedClassifier,
    make_rule_scorer,
    rule_scorers,
)
from ._metrics import (
    bounded_brier_loss,
    bounded_log_loss,
    brier_loss,
    calibration_error,
    discrimination,
    log_loss,
    miscalibration,
    net_benefit,
    penalized_brier_loss,
    penalized_log_loss,
    ranked_log_loss,
    ranked_probability_loss,
    rule_loss,
    score_samples,
    spherical_loss,
)

__all__ = [
    "DecisionDisplay",
    "MurphyDisplay",
    "RecalibratedClassifier",
    "ReliabilityDisplay",
    "RocDisplay",
    "bounded_brier_loss",
    "bounded_log_loss",
    "brier_loss",
    "calibration_error",
    "discrimination",
    "log_loss",
    "make_rule_scorer",
    "miscalibration",
    "net_benefit",
    "penalized_brier_loss",
    "penalized_log_loss",
    "ranked_log_loss",
    "ranked_probability_loss",
    "rule_loss",
    "rule_scorers",
    "score_samples",
    "spherical_loss",
]
