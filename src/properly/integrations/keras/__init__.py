"""Keras 3: rules as metrics, and scores of validation data after each epoch.

`RuleMetric` is a metric for ``compile``; `ValidationScores` predicts validation data after each
epoch and writes scores that ``EarlyStopping`` and ``ModelCheckpoint`` can watch. Needs the extra
``keras`` and a backend of Keras: torch, jax or numpy.
"""

import os
from typing import Any

from properly._boundary._notices import import_extra
from properly.errors import MissingExtraError


def import_keras() -> Any:
    """Import Keras, or say what has to be installed or set."""
    try:
        return import_extra("keras", extra="keras")
    except MissingExtraError as error:
        # What Keras itself failed to import: the backend that it was set to use.
        missing = getattr(error.__context__, "name", None)
        if missing in (None, "keras"):
            raise
        setting = os.environ.get("KERAS_BACKEND")
        chosen = "its default" if setting is None else f"KERAS_BACKEND={setting}"
        message = f"Keras needs {missing}, which is not installed; {chosen} asks for it"
        hint = "set KERAS_BACKEND to torch, jax or numpy before Keras is imported."
        raise MissingExtraError(message, hint=hint) from None


import_keras()

from properly.integrations.keras._metric import RuleMetric, ValidationScores  # noqa: E402

__all__ = ["RuleMetric", "ValidationScores"]
