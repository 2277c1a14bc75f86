"""How a command runs: progress, refusals, what is evaluated, and where results go."""

from __future__ import annotations

import json
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import TYPE_CHECKING, Any, NoReturn

import click

from properly._boundary._progress import shown
from properly._boundary._text import printable
from properly.cli import INTERRUPTED
from properly.cli._wording import in_options
from properly.errors import DataWarning, ProperlyError

# Not at run time: help needs neither numbers nor rules.
if TYPE_CHECKING:
    from properly import Interval
    from properly.rules import Rule
    from properly.typing import Progress


def require_output(path: str | None, *, force: bool) -> None:
    """Refuse, before long work, what could not be written after it."""
    from properly._boundary._files import require_writable

    if path is not None:
        require_writable(path, overwrite=force)


def require_packages(names: Iterable[str]) -> None:
    """Refuse, before long work, what would need a package in the end; name the extra of all."""
    from properly._boundary._notices import import_extra

    for name in names:
        import_extra(name, extra="app")


def emit(text: str, path: str | None = None, *, force: bool = False) -> None:
    """Print a text as it is, or write it to a file."""
    from properly._boundary._files import write_whole

    if path is not None:
        write_whole(path, text, overwrite=force)
        return
    # Not click's echo, which takes letters of names for colours and leaves them out.
    sys.stdout.write(text)
    sys.stdout.flush()


def as_json(record: Any) -> str:
    """Write a record as JSON, which has no NaN and no infinity."""
    return json.dumps(record, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def over_range(rule: Rule | None, within: Interval | None) -> Rule | None:
    """Look at a range of thresholds only, if there is a rule and a range."""
    from properly.rules import Bounded
    from properly.rules._rule import require_binary

    return rule if rule is None or within is None else Bounded(require_binary(rule), within)


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
        raise click.ClickException(_message(error)) from None
    except (KeyboardInterrupt, click.Abort):
        click.echo("Interrupted.", err=True)
        click.get_current_context().exit(INTERRUPTED)


def _message(error: ProperlyError | OSError) -> str:
    """Return a message, that of the system without its number."""
    if isinstance(error, OSError) and error.filename and error.strerror:
        reason = error.strerror
        return f"{printable(str(error.filename))}: {reason[0].lower()}{reason[1:]}"
    return in_options(str(error))


def _said_once() -> Callable[..., None]:
    """Return what prints a warning unless it has printed the same one before."""
    said: set[str] = set()

    def say(message: Warning | str, *_: Any, **__: Any) -> None:
        if str(message) not in said:
            said.add(str(message))
            click.echo(f"Warning: {in_options(str(message))}", err=True)

    return say


def progress_bar() -> AbstractContextManager[Progress | None]:
    """Show progress on a terminal; elsewhere only results are of interest."""
    return shown(None, wait=0.0, watched=sys.stderr.isatty())


def refuse(message: str) -> NoReturn:
    """Refuse how a command is used."""
    raise click.UsageError(message, click.get_current_context(silent=True))


def refuse_unknown(message: str, name: str, choices: Iterable[str]) -> NoReturn:
    """Refuse a name; say what is near, or all there is."""
    from properly._boundary._classes import nearest

    names = list(choices)
    near = nearest(name, names)
    listed = ", ".join(map(repr, names))
    hint = f"did you mean {near[0]!r}?" if near else f"known: {listed}."
    refuse(f"{message}\n\nHint: {hint}")
