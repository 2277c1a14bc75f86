"""How commands run: refusals and warnings in words, progress on a terminal."""

from __future__ import annotations

import sys
import warnings
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from properly._extras import import_extra
from properly.errors import DataWarning, ProperlyError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


@contextmanager
def refusals() -> Iterator[None]:
    """Print what is refused without a traceback, and exit with 2; print warnings as they are."""
    import click

    class Refusal(click.ClickException):
        exit_code = 2

    def say(message: Warning | str, *_: Any, **__: Any) -> None:
        click.echo(f"Warning: {message}", err=True)

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("always", DataWarning)
            warnings.showwarning = say
            yield
    except (ProperlyError, OSError) as error:
        raise Refusal(str(error)) from None


@contextmanager
def progress_bar() -> Iterator[Callable[[int, int, str], None] | None]:
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
