"""scikit-learn: rules as metric functions and as scorers, and curves as displays.

Metric functions take ``y_true`` and ``y_proba`` as those of scikit-learn do. Scorers go wherever
``scoring=`` is: they ask for probabilities, have the right sign, know the classes of the estimator
and take sample weights. Displays draw curves of an estimator, of predictions or of all folds of a
cross-validation. Needs the extra ``sklearn``, and displays the extra ``plots``.
"""

from properly._boundary._notices import import_extra

import_extra("sklearn", extra="sklearn")

from properly.integrations.sklearn._displays import (  # noqa: E402
    DecisionDisplay,
    MurphyDisplay,
    ReliabilityDisplay,
    RocDisplay,
)
from properly.integrations.sklearn._metrics import (  # noqa: E402  # noqa: E402  # noqa: E402
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
from properly.integrations.sklearn._recalibrated_estimator import RecalibratedClassifier  # noqa: E402
from properly.integrations.sklearn._scorers import (  # noqa: E402
    make_rule_scorer,
    rule_scorers,
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
