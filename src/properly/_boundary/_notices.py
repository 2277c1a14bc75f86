"""Warnings to a user, and imports of optional packages."""

from __future__ import annotations

import inspect
import warnings
from contextlib import contextmanager
from importlib import import_module
from typing import TYPE_CHECKING, Any

from properly.errors import DataWarning, MissingExtraError

if TYPE_CHECKING:
    from collections.abc import Iterator


def import_extra(module: str, *, extra: str) -> Any:
    """Import a module of an optional package, or say which extra brings it."""
    try:
        return import_module(module)
    except ImportError:
        message = f"this needs {module.partition('.')[0]}, which is not installed"
        raise MissingExtraError(message, hint=f"pip install 'properly[{extra}]'") from None


def notice(message: str) -> None:
    """Warn, and point at the line outside this package that asked."""
    frame, level = inspect.currentframe(), 1
    while frame is not None and str(frame.f_globals.get("__name__")).startswith("properly."):
        frame, level = frame.f_back, level + 1
    warnings.warn(message, DataWarning, stacklevel=level)


@contextmanager
def collected() -> Iterator[list[str]]:
    """Keep what would be said meanwhile, each message once; the list is filled at the end."""
    messages: list[str] = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield messages
    for warning in caught:
        if issubclass(warning.category, DataWarning):
            if str(warning.message) not in messages:
                messages.append(str(warning.message))
        else:
            warnings.warn_explicit(
                warning.message, warning.category, warning.filename, warning.lineno
            )
