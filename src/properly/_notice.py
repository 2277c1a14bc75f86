"""What is said to a user without refusing anything."""

from __future__ import annotations

import inspect
import warnings

from properly.errors import DataWarning


def notice(message: str) -> None:
    """Warn, and point at the line outside this package that asked."""
    frame, level = inspect.currentframe(), 1
    while frame is not None and str(frame.f_globals.get("__name__")).startswith("properly."):
        frame, level = frame.f_back, level + 1
    warnings.warn(message, DataWarning, stacklevel=level)
