"""Progress: a bar that shows how far work has come, step by step and within the draws of a step.

A loop over draws says so by `counted`, wherever it is; it need not know who looks on:

>>> from properly._boundary._progress import counted
>>> [k * k for k in counted(range(3), 3)]
[0, 1, 4]
"""

from __future__ import annotations

import os
import sys
from contextlib import contextmanager
from contextvars import ContextVar
from importlib.util import find_spec
from threading import Lock
from time import monotonic
from typing import TYPE_CHECKING, Any, TypeVar

from properly._boundary._interrupts import checked
from properly._boundary._terminal import Guarded, guard
from properly._boundary._text import printable
from properly.errors import ArgumentTypeError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from properly.typing import Progress

Item = TypeVar("Item")
# Seconds: what is done sooner needs no bar, and more than ten looks a second nobody has.
WAIT = 2.0
PAUSE = 0.1


class ProgressBar:
    """A bar that appears once the work has taken a while; called as ``bar(done, total, what)``.

    Parameters
    ----------
    display : callable
        Makes what the bar is drawn on, as `RichDisplay` is, once it appears.
    wait : float
        Seconds before it does.
    clock : callable
        Returns seconds.
    """

    def __init__(
        self, display: Callable[[], Any], wait: float = WAIT, clock: Callable[[], float] = monotonic
    ) -> None:
        self.make, self.clock = display, clock
        self.display: Any = None
        self.step: tuple[int, int, str] = (0, 1, "")
        # How much of the step is done, and whether a loop is counted now.
        self.part, self.is_counting = 0.0, False
        self.due = clock() + wait
        self.lock = Lock()

    def __call__(self, done: int, total: int, what: str) -> None:
        """Say which step comes next."""
        with self.lock:
            self.step, self.part = (done, total, what), 0.0
            self._show(new=True)

    def count(self, items: Iterable[Item], number: int) -> Iterator[Item]:
        """Pass items on, and move along.

        How many loops a step has is not known: each takes half of what is left of it. A loop within
        a loop, or beside it in another thread, moves nothing; nor does one that the next step has
        overtaken.
        """
        with self.lock:
            first, self.is_counting = not self.is_counting, True
            step, start = self.step, self.part
        if not first:
            yield from items
            return
        try:
            for k, item in enumerate(items, start=1):
                yield item
                with self.lock:
                    if self.step is step:
                        self.part = start + (1 - start) / 2 * min(k / max(number, 1), 1.0)
                        self._show()
        finally:
            self.is_counting = False

    def close(self) -> None:
        """Remove the bar."""
        if self.display is not None:
            self.display.close()

    def _show(self, *, new: bool = False) -> None:
        now = self.clock()
        if now < self.due and not (new and self.display is not None):
            return
        self.due = now + PAUSE
        if self.display is None:
            self.display = self.make()
        done, total, what = self.step
        self.display.update(done + self.part, total, what)


_BAR: ContextVar[ProgressBar | None] = ContextVar("bar", default=None)


def counted(items: Iterable[Item], number: int) -> Iterator[Item]:
    """Pass draws on, each after a `checkpoint`, and move the bar along, if there is one.

    Parameters
    ----------
    items : iterable
        The draws, or pieces of them.
    number : int
        How many there are.
    """
    bar, items = _BAR.get(), checked(items)
    return items if bar is None else bar.count(items, number)


@contextmanager
def shown(
    progress: Progress | bool | None, *, wait: float = WAIT, watched: bool | None = None
) -> Iterator[Progress | None]:
    """Show a bar if nothing else was said, and somebody may be looking: see `is_watched`."""
    if progress is not None and progress is not False:
        if not callable(progress):
            message = f"progress must be a function or False; got {progress!r}"
            raise ArgumentTypeError(message, hint="without it, a terminal shows a bar.")
        yield progress
        return
    if (
        progress is False
        or _BAR.get() is not None
        or not (is_watched() if watched is None else watched)
    ):
        yield None
        return
    bar = ProgressBar(RichDisplay, wait)
    token = _BAR.set(bar)
    try:
        yield bar
    finally:
        _BAR.reset(token)
        bar.close()


def is_watched() -> bool:
    """Tell whether there is a terminal or a notebook, and the library that draws on it."""
    if {"CI", "PYTEST_CURRENT_TEST"} & os.environ.keys() or find_spec("rich") is None:
        return False
    ipython = sys.modules.get("IPython")
    if getattr(ipython and ipython.get_ipython(), "kernel", None) is not None:
        return find_spec("ipywidgets") is not None
    return sys.stderr is not None and sys.stderr.isatty()


class RichDisplay:
    """A bar drawn by rich, on the stream of errors, or below the cell of a notebook."""

    def __init__(self, **options: Any) -> None:
        from rich.console import Console
        from rich.progress import Progress

        stream = sys.stderr
        if isinstance(stream, Guarded):
            # The bar must move the cursor. What others print meanwhile goes through it, guarded.
            options = {"file": stream.terminal} | options
        console = Console(**({"stderr": True} | options))
        self.progress = Progress(console=console, transient=True)
        self.task = self.progress.add_task("")
        self.progress.start()
        if isinstance(stream, Guarded):
            guard()

    def update(self, done: float, total: int, what: str) -> None:
        """Draw the bar anew."""
        from rich.markup import escape

        # What is worked on may have the name of a model, which is no markup.
        said = escape(printable(what))
        self.progress.update(self.task, completed=done, total=total, description=said)

    def close(self) -> None:
        """Remove the bar."""
        self.progress.stop()
