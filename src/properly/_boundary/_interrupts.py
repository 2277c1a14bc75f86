"""Interrupts: threads stop soon after the call that they work for has been interrupted."""

from __future__ import annotations

import signal
import threading
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from threading import Event

Item = TypeVar("Item")
# Set on threads that do a share of the work of a call; the event says that nobody waits for it.
STOP: ContextVar[Event | None] = ContextVar("stop", default=None)


def checkpoint() -> None:
    """Stop this thread if the call that it works for was interrupted, or has failed elsewhere.

    Every loop that may take long calls this, or `checked`, several times per second.
    """
    stop = STOP.get()
    if stop is not None and stop.is_set():
        from concurrent.futures import CancelledError

        raise CancelledError


def checked(items: Iterable[Item]) -> Iterator[Item]:
    """Pass items on, with a `checkpoint` before each."""
    for item in items:
        checkpoint()
        yield item


@contextmanager
def deferred() -> Iterator[None]:
    """Let signals wait until this is left.

    Some libraries abort Python if their import fails, and a thread is lost that is only half begun.
    """
    if threading.current_thread() is not threading.main_thread():
        yield  # where no signal is handled
        return
    handlers = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    handlers = {number: handler for number, handler in handlers.items() if callable(handler)}
    received: list[int] = []
    try:
        for number in handlers:
            signal.signal(number, lambda number, _: received.append(number))
        yield
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
        if received:
            signal.raise_signal(received[0])
