"""The command line: ``properly --help``.

Needs the extra ``app``. A command is imported once it is called by its name, and what it works with
once it runs, so that help is quick.
"""

from __future__ import annotations

import signal
import sys
import threading
from contextlib import contextmanager
from io import TextIOWrapper
from typing import TYPE_CHECKING, Any

from properly._boundary._notices import import_extra
from properly._boundary._terminal import guarded
from properly.errors import MissingExtraError

if TYPE_CHECKING:
    from collections.abc import Iterator

    import click

__all__ = ["command", "main"]

INTERRUPTED = 130


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
        with guarded(), orderly():
            command()(prog_name="properly")
    except MissingExtraError as error:
        sys.stderr.write(str(error).replace("\n\n", "\n") + "\n")
        sys.exit(1)
    except KeyboardInterrupt:
        # So early that click does not know of it.
        sys.exit(INTERRUPTED)


@contextmanager
def orderly() -> Iterator[None]:
    """Clear up before leaving when the system asks to end, by SIGTERM or as the terminal closes."""
    asked: list[int] = []

    def leave(number: int, _: Any) -> None:
        # Asked once more, clearing up goes on.
        signal.signal(number, signal.SIG_IGN)
        asked.append(number)
        raise SystemExit

    names = ("SIGTERM", "SIGHUP")
    numbers = [getattr(signal, name) for name in names if hasattr(signal, name)]
    # What is ignored, as by nohup, or handled by someone else, stays so.
    taken = [number for number in numbers if signal.getsignal(number) is signal.SIG_DFL]
    if threading.current_thread() is not threading.main_thread():
        taken = []  # signals are not for other threads to handle
    for number in taken:
        signal.signal(number, leave)
    try:
        yield
    except BaseException:
        # A library, as duckdb does, may have made another exception of it.
        if not asked:
            raise
        from properly._boundary._parts import remove_all

        remove_all()
        sys.exit(128 + asked[0])
    finally:
        for number in taken:
            signal.signal(number, signal.SIG_DFL)


def command() -> click.Group:
    """Return the command ``properly`` with all that is below it.

    Examples
    --------
    >>> from properly import cli
    >>> " ".join(cli.command().commands)
    'report score compare leaderboard monitor recalibrate check recommend audit reproduce demo'
    >>> cli.command().commands["score"].name
    'score'
    """
    import_extra("click", extra="app")
    from properly.cli._commands import properly

    return properly()
