"""Optional packages, or the command that installs them."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from properly.errors import MissingExtraError


def import_extra(module: str, *, extra: str) -> Any:
    """Import a module of an optional package, or say which extra brings it."""
    try:
        return import_module(module)
    except ImportError:
        message = f"this needs {module.partition('.')[0]}, which is not installed"
        raise MissingExtraError(message, hint=f"pip install 'properly[{extra}]'") from None
