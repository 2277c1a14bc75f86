"""The command line: ``properly --help``.

Needs the extra ``cli``. What a command works with is imported once it runs, so that help is quick.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from properly import __version__
from properly._extras import import_extra
from properly.errors import MissingExtraError

if TYPE_CHECKING:
    import click

__all__ = ["command", "main"]


def main() -> None:
    """Run the command line, or say how to install what it needs.

    Examples
    --------
    >>> from properly import cli
    >>> cli.main()  # doctest: +SKIP
    """
    try:
        properly = command()
    except MissingExtraError as error:
        sys.stderr.write(str(error).replace("\n\n", "\n") + "\n")
        sys.exit(1)
    properly(prog_name="properly")


def command() -> click.Group:
    """Return the command ``properly`` with all that is below it.

    Examples
    --------
    >>> from properly import cli
    >>> sorted(cli.command().commands)
    ['audit', 'recommend', 'reproduce']
    """
    import_extra("click", extra="cli")
    import click

    from properly.cli._audit import audit
    from properly.cli._recommend import recommend
    from properly.cli._reproduce import reproduce

    group = click.Group(
        "properly",
        help="How good are probability forecasts?",
        commands=[audit(), recommend(), reproduce()],
    )
    click.version_option(__version__, prog_name="properly")(group)
    return group
