"""Keras 3: rules as metrics, and scores of validation data after each epoch.

`RuleMetric` is a metric for ``compile``; `ValidationScores` predicts validation data after each
epoch and writes scores that ``EarlyStopping`` and ``ModelCheckpoint`` can watch. Needs the extra
``keras`` and a backend of Keras: torch, jax or numpy.
"""

from properly.integrations.keras._installed import import_keras

import_keras()

from properly.integrations.keras._metric import (  # noqa: E402
    RuleMetric,
    ValidationScores,
)

__all__ = ["RuleMetric", "ValidationScores"]
