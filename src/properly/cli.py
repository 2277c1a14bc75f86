"""The command line: ``properly --help``.

Needs the extra ``cli``. What a command works with is imported once it runs, so that help is quick.
"""

from __future__ import annotations

import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

from properly import __version__
from properly._extras import import_extra
from properly.errors import MissingExtraError, ProperlyError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

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
    ['reproduce']
    """
    import_extra("click", extra="cli")
    import click

    reproduce = click.Group(
        "reproduce", help="Compute published results again.", commands=[_corp()]
    )
    group = click.Group(
        "properly", help="How good are probability forecasts?", commands=[reproduce]
    )
    click.version_option(__version__, prog_name="properly")(group)
    return group


def _corp() -> click.Command:
    """Describe ``properly reproduce corp``."""
    import click

    file, folder = click.Path(exists=True, dir_okay=False), click.Path(file_okay=False)
    return click.Command(
        "corp",
        callback=_reproduce_corp,
        help="The tables and figures of the paper on CORP, beside what it prints and claims.",
        params=[
            click.Option(
                ["--data"],
                type=file,
                help="CSV file of rain at Niamey: date, Logistic, EMOS, ENS, EPC, obs.",
            ),
            click.Option(["--full"], is_flag=True, help="Simulate as much as the paper: hours."),
            click.Option(["--output"], type=folder, help="Folder for one picture a figure."),
            click.Option(
                ["--seed"], type=click.IntRange(min=0), default=0, show_default=True, help="Seed."
            ),
        ],
    )


def _reproduce_corp(data: str | None, full: bool, output: str | None, seed: int) -> None:
    import click

    from properly import reproduce

    with _refusals(), _progress_bar() as progress:
        result = reproduce.corp(data, full=full, output=output, rng=seed, progress=progress)
    click.echo(str(result))


@contextmanager
def _refusals() -> Iterator[None]:
    """Print what is refused without a traceback, and exit with 2."""
    import click

    class Refusal(click.ClickException):
        exit_code = 2

    try:
        yield
    except (ProperlyError, OSError) as error:
        raise Refusal(str(error)) from None


@contextmanager
def _progress_bar() -> Iterator[Callable[[int, int, str], None] | None]:
    """Show progress on a terminal; elsewhere only results are of interest."""
    if not sys.stderr.isatty():
        yield None
        return
    console = import_extra("rich.console", extra="cli").Console(stderr=True)
    progress = import_extra("rich.progress", extra="cli").Progress(console=console, transient=True)
    with progress:
        task = progress.add_task("")

        def show(done: int, total: int, what: str) -> None:
            progress.update(task, completed=done, total=total, description=what)

        yield show
