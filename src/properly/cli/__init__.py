"""The command line: ``properly --help``.

Needs the extra ``app``. A command is imported once it is called by its name, and what it works with
once it runs, so that help is quick.
"""

from __future__ import annotations

import atexit
import os
import signal
import sys
import threading
from collections.abc import Container, Iterator
from contextlib import contextmanager, nullcontext, suppress
from io import TextIOWrapper
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import click

__all__ = ["command", "main"]

INTERRUPTED = 130
# Seconds: half of what a person waits for a command that was interrupted; the rest is for the exit.
PATIENCE = 1.0


def main() -> None:
    """Run the command line, or say how to install what it needs.

    Examples
    --------
    >>> from properly import cli
    >>> cli.main()  # doctest: +SKIP
    """
    if isinstance(sys.stdout, TextIOWrapper):
        # A name may hold letters that the terminal does not have; they are spelled out.
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        with orderly():
            _run()
    except KeyboardInterrupt:
        # So early that click does not know of it.
        sys.exit(INTERRUPTED)
    finally:
        # While Python exits, Ctrl-C must not print a traceback.
        atexit.register(signal.signal, signal.SIGINT, signal.SIG_DFL)


def _run() -> None:
    # Imported once signals are handled: an interrupt during imports must not print a traceback.
    from properly._boundary._terminal import guarded
    from properly.errors import MissingExtraError

    try:
        with guarded():
            command()(prog_name="properly")
    except MissingExtraError as error:
        sys.stderr.write(str(error).replace("\n\n", "\n") + "\n")
        sys.exit(1)


@contextmanager
def orderly() -> Iterator[None]:
    """Clear up before leaving on Ctrl-C, on SIGTERM and as the terminal closes; exit with 128 + n.

    A run that has not left after `PATIENCE` seconds is ended by `_end_late`.
    """
    asked: list[int] = []

    def leave(number: int, _: Any) -> None:
        # A second signal must not interrupt clearing up.
        for other in handlers:
            signal.signal(other, signal.SIG_IGN)
        # A destructor may swallow the exception; Python would print its traceback.
        sys.unraisablehook = lambda _: None
        asked.append(number)
        raise SystemExit(128 + number)

    handlers, hook, once = _default_handlers(), sys.unraisablehook, threading.Lock()
    try:
        with _end_late(handlers, once) if handlers else nullcontext():
            for number in handlers:
                signal.signal(number, leave)
            try:
                yield
            except BaseException:
                # A library, as duckdb does, may have made another exception of it.
                if not asked:
                    raise
                if once.acquire(blocking=False):
                    _clear_up(asked[0])
                sys.exit(128 + asked[0])
    finally:
        sys.unraisablehook = hook
        for number, handler in handlers.items():
            signal.signal(number, handler)


def _default_handlers() -> dict[int, Any]:
    """Return the handlers to replace; a signal ignored, as by nohup, or handled stays so."""
    if threading.current_thread() is not threading.main_thread():
        return {}  # signals are not for other threads to handle
    names = ("SIGINT", "SIGTERM", "SIGHUP")
    numbers = [getattr(signal, name) for name in names if hasattr(signal, name)]
    handlers = {number: signal.getsignal(number) for number in numbers}
    defaults = (signal.SIG_DFL, signal.default_int_handler)
    return {number: handler for number, handler in handlers.items() if handler in defaults}


@contextmanager
def _end_late(numbers: Container[int], once: threading.Lock) -> Iterator[None]:
    """End the process `PATIENCE` seconds after one of the signals, unless this is left by then.

    The main thread may be in a long call of a library, which no signal handler interrupts, or have
    lost the exception in a destructor. Another thread reads the signal's number from a pipe. Who
    holds the lock `once` clears up; the main thread is given as long again to end that.
    """
    read, write = os.pipe()
    left = threading.Event()

    def watch() -> None:
        while byte := os.read(read, 1):
            if byte[0] in numbers and not left.wait(PATIENCE):
                try:
                    if once.acquire(timeout=PATIENCE):
                        _clear_up(byte[0])
                finally:
                    os._exit(128 + byte[0])
        os.close(read)

    if sys.platform != "win32":  # there, any pipe will do
        os.set_blocking(write, False)
    before = signal.set_wakeup_fd(write, warn_on_full_buffer=False)
    threading.Thread(target=watch, daemon=True).start()
    try:
        yield
    finally:
        left.set()
        signal.set_wakeup_fd(before)
        os.close(write)


def _clear_up(number: int) -> None:
    """Remove unfinished files; say that the run was interrupted, if a person did that."""
    # Without this module nothing was begun; to import it now might wait for another thread.
    if parts := sys.modules.get("properly._boundary._files"):
        parts.remove_all()
    if number == signal.SIGINT:
        # Not by sys.stderr, whose lock the thread that does not end may hold.
        with suppress(OSError):
            os.write(2, b"Interrupted.\n")


def command() -> click.Group:
    """Return the command ``properly`` with all that is below it.

    Examples
    --------
    >>> from properly import cli
    >>> " ".join(cli.command().list_commands(None))
    'report score compare leaderboard monitor recalibrate check recommend audit reproduce demo'
    >>> cli.command().get_command(None, "score").name
    'score'
    """
    from properly._boundary._notices import import_extra

    import_extra("click", extra="app")
    from properly.cli._command_table import properly

    return properly()
