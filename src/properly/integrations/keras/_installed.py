"""Keras, or what is missing: the package, or the backend that it was set to use."""

from __future__ import annotations

import os
from typing import Any

from properly._boundary._notices import import_extra
from properly.errors import MissingExtraError


def import_keras() -> Any:
    """Import Keras, or say what has to be installed or set."""
    try:
        return import_extra("keras", extra="keras")
    except MissingExtraError as error:
        missing = _missing_backend(error)
        if missing is None:
            raise
        setting = os.environ.get("KERAS_BACKEND")
        chosen = "its default" if setting is None else f"KERAS_BACKEND={setting}"
        message = f"Keras needs {missing}, which is not installed; {chosen} asks for it"
        hint = "set KERAS_BACKEND to torch, jax or numpy before Keras is imported."
        raise MissingExtraError(message, hint=hint) from None


def _missing_backend(error: MissingExtraError) -> str | None:
    """Return what Keras itself failed to import."""
    cause = error.__context__
    name = cause.name if isinstance(cause, ImportError) else None
    return None if name in (None, "keras") else name
