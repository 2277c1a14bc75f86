"""How commands run: refusals and warnings in words, progress on a terminal."""

from __future__ import annotations

import sys
import warnings
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

from properly._boundary._extras import import_extra
from properly._boundary._plain import printable
from properly.cli import INTERRUPTED
from properly.errors import DataWarning, ProperlyError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


@contextmanager
def refusals() -> Iterator[None]:
    """Print what is refused without a traceback, and exit with 1; print each warning once."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("always", DataWarning)
            warnings.showwarning = _said_once()
            yield
    except BrokenPipeError:
        # Whoever reads has had enough; click knows what to do.
        raise
    except (ProperlyError, OSError) as error:
        raise click.ClickException(_told(error)) from None
    except (KeyboardInterrupt, click.Abort):
        click.echo("Interrupted.", err=True)
        click.get_current_context().exit(INTERRUPTED)


def _told(error: ProperlyError | OSError) -> str:
    """Return a message, that of the system without its number."""
    if isinstance(error, OSError) and error.filename and error.strerror:
        reason = error.strerror
        return f"{printable(str(error.filename))}: {reason[0].lower()}{reason[1:]}"
    return str(error)


def _said_once() -> Callable[..., None]:
    """Return what prints a warning unless it has printed the same one before."""
    said: set[str] = set()

    def say(message: Warning | str, *_: Any, **__: Any) -> None:
        if str(message) not in said:
            said.add(str(message))
            click.echo(f"Warning: {message}", err=True)

    return say


@contextmanager
def progress_bar() -> Iterator[Callable[[int, int, str], None] | None]:
    """Show progress on a terminal; elsewhere only results are of interest."""
    if not sys.stderr.isatty():
        yield None
        return
    console = import_extra("rich.console", extra="cli").Console(stderr=True)
    progress = import_extra("rich.progress", extra="cli").Progress(console=console, transient=True)
    escape = import_extra("rich.markup", extra="cli").escape
    with progress:
        task = progress.add_task("")

        def show(done: int, total: int, what: str) -> None:
            # What is worked on may have the name of a model, which is no markup.
            said = escape(printable(what))
            progress.update(task, completed=done, total=total, description=said)

        yield show
