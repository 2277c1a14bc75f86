# Where each public name lives; it is imported from there when it is first used.

from . import (
    calibration,
    comparison,
    counts,
    datasets,
    decisions,
    engines,
    errors,
    evaluation,
    inference,
    integrations,
    plots,
    probability,
    recalibration,
    report,
    rules,
)
from .calibration._calibration_curve import calibration_curve
from .calibration._calibration_summary import calibration_summary
from .calibration._calibration_test import calibration_test
from .calibration._decomposition import decompose
from .calibration._error import calibration_error
from .calibration._reliability import reliability
from .comparison._compare import compare
from .comparison._folds import by_fold
from .comparison._groups import by_group
from .comparison._leaderboard import leaderboard
from .comparison._periods import over_time
from .counts._answers import Answers
from .counts._cases import Cases
from .counts._reductions import cumulative, one_vs_rest, top_label
from .counts._tally import Tally
from .decisions._at_threshold import at_threshold
from .decisions._confusion import quadratic_weighted_kappa
from .decisions._hard_decisions import expected_cost
from .decisions._murphy import murphy_curve, regret_curve
from .decisions._net_benefit import decision_curve
from .decisions._recommend import recommend
from .decisions._retention import retention_curve
from .decisions._roc import roc_curve
from .engines._files._read import read
from .engines._summary import Summary
from .engines._tally import tally
from .evaluation._checkup._check import check
from .evaluation._evaluate import evaluate
from .evaluation._monitor._monitor import Monitor
from .evaluation._record import Evaluation
from .evaluation._stream import stream, summarize
from .evaluation._verdict._verdict import verdict
from .inference._intervals import score_interval, skill
from .inference._scores import auc, brier_score, log_loss
from .probability._means import means
from .probability._power_means import generalized_mean
from .recalibration._choice import recalibrate
from .recalibration._cross_fit import cross_fit
from .rules._audit import audit
from .rules._interval import Interval

__version__: str

__all__ = [
    "Answers",
    "Cases",
    "Evaluation",
    "Interval",
    "Monitor",
    "Summary",
    "Tally",
    "at_threshold",
    "auc",
    "audit",
    "brier_score",
    "by_fold",
    "by_group",
    "calibration",
    "calibration_curve",
    "calibration_error",
    "calibration_summary",
    "calibration_test",
    "check",
    "compare",
    "comparison",
    "counts",
    "cross_fit",
    "cumulative",
    "datasets",
    "decision_curve",
    "decisions",
    "decompose",
    "engines",
    "errors",
    "evaluate",
    "evaluation",
    "expected_cost",
    "generalized_mean",
    "inference",
    "integrations",
    "leaderboard",
    "log_loss",
    "means",
    "murphy_curve",
    "one_vs_rest",
    "over_time",
    "plots",
    "probability",
    "quadratic_weighted_kappa",
    "read",
    "recalibrate",
    "recalibration",
    "recommend",
    "regret_curve",
    "reliability",
    "report",
    "retention_curve",
    "roc_curve",
    "rules",
    "score_interval",
    "skill",
    "stream",
    "summarize",
    "tally",
    "top_label",
    "verdict",
]
