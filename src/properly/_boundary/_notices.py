"""Warnings to a user, and imports of optional packages."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from importlib import import_module
from typing import Any

from properly._boundary._interrupts import deferred
from properly.errors import DataWarning, MissingExtraError


def import_extra(module: str, *, extra: str) -> Any:
    """Import a module of an optional package, or say which extra brings it."""
    try:
        with deferred():
            return import_module(module)
    except ImportError:
        message = f"this needs {module.partition('.')[0]}, which is not installed"
        raise MissingExtraError(message, hint=f"pip install 'properly[{extra}]'") from None


def notice(message: str) -> None:
    """Warn, and point at the line outside this package that asked; or keep it, see `collected`."""
    messages = _MESSAGES.get()
    if messages is not None:
        messages.append(message)
        return
    frame, level = inspect.currentframe(), 1
    while frame is not None and str(frame.f_globals.get("__name__")).startswith("properly."):
        frame, level = frame.f_back, level + 1
    warnings.warn(message, DataWarning, stacklevel=level)


_MESSAGES: ContextVar[list[str] | None] = ContextVar("messages", default=None)


@contextmanager
def collected() -> Iterator[list[str]]:
    """Keep what would be said meanwhile, by this thread and those that it shares work out to."""
    messages: list[str] = []
    token = _MESSAGES.set(messages)
    try:
        yield messages
    finally:
        _MESSAGES.reset(token)
        messages[:] = dict.fromkeys(messages)
