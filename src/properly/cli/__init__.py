"""The command line: ``properly --help``.

Needs the extra ``app``. A command is imported once it is called by its name, and what it works with
once it runs, so that help is quick.
"""

from __future__ import annotations

import sys
from io import TextIOWrapper
from typing import TYPE_CHECKING

from properly._boundary._notices import import_extra
from properly.errors import MissingExtraError

if TYPE_CHECKING:
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
        command()(prog_name="properly")
    except MissingExtraError as error:
        sys.stderr.write(str(error).replace("\n\n", "\n") + "\n")
        sys.exit(1)
    except KeyboardInterrupt:
        # So early that click does not know of it.
        sys.exit(INTERRUPTED)


def command() -> click.Group:
    """Return the command ``properly`` with all that is below it.

    Examples
    --------
    >>> from properly import cli
    >>> " ".join(cli.command().commands)
    'report score compare leaderboard recalibrate check recommend audit reproduce demo'
    >>> cli.command().commands["score"].name
    'score'
    """
    import_extra("click", extra="app")
    from properly.cli._commands import properly

    return properly()
