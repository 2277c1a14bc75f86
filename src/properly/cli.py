"""The command line: ``properly --help``.

Needs the extra ``cli``. What a command works with is imported once it runs, so that help is quick.
"""

from __future__ import annotations

import json
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from properly import __version__
from properly._extras import import_extra
from properly.errors import MissingExtraError, ProperlyError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import click

__all__ = ["command", "main"]

YES_OR_NO = {
    "ordered": "Has the outcome more than two classes, in order, such as grades?",
    "costs": "Do you know, in money, what acting costs and what a missed event loses?",
}


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
    ['recommend', 'reproduce']
    """
    import_extra("click", extra="cli")
    import click

    reproduce = click.Group(
        "reproduce",
        help="Compute published results again.",
        commands=[_corp(), _consequentialist()],
    )
    group = click.Group(
        "properly", help="How good are probability forecasts?", commands=[_recommend(), reproduce]
    )
    click.version_option(__version__, prog_name="properly")(group)
    return group


def _consequentialist() -> click.Command:
    """Describe ``properly reproduce consequentialist``."""
    import click

    return click.Command(
        "consequentialist",
        callback=_reproduce_consequentialist,
        help="The tables and figures of the paper on decisions, beside what it prints and claims.",
        params=[
            click.Option(["--full"], is_flag=True, help="Simulate as much as the paper."),
            *_pictures_and_seed(),
        ],
    )


def _recommend() -> click.Command:
    """Describe ``properly recommend``."""
    import click

    from properly._advice import DECISIONS, THRESHOLDS

    return click.Command(
        "recommend",
        callback=_give_advice,
        help="Which metric suits a decision, and why. On a terminal, what is missing is asked for.",
        params=[
            click.Option(
                ["--decisions"],
                type=click.Choice(DECISIONS),
                help="Each case on its own, or only so many can be acted on.",
            ),
            click.Option(
                ["--threshold"],
                type=click.Choice(THRESHOLDS),
                help="What is known of the risk at which one begins to act, or of the budget.",
            ),
            click.Option(
                ["--ordered/--no-ordered"], default=None, help="Grades instead of an event."
            ),
            click.Option(
                ["--costs/--no-costs"],
                default=None,
                help="The cost of acting and the loss of a missed event are known in money.",
            ),
            click.Option(
                ["--format", "layout"],
                type=click.Choice(["text", "json"]),
                default="text",
                show_default=True,
                help="A page and a call, or JSON.",
            ),
        ],
    )


def _give_advice(layout: str, **answers: Any) -> None:
    import click

    from properly._advice import recommend

    if answers["decisions"] is None or answers["threshold"] is None:
        answers = _ask(answers)
    advice = recommend(
        decisions=answers["decisions"],
        threshold=answers["threshold"],
        ordered=bool(answers["ordered"]),
        costs=bool(answers["costs"]),
    )
    if layout == "json":
        click.echo(json.dumps(advice.to_dict(), indent=2))
    else:
        click.echo(str(advice))


def _ask(answers: dict[str, Any]) -> dict[str, Any]:
    """Ask for what is missing, apart from the results; without a terminal, refuse."""
    import click

    from properly._advice import DECISIONS, THRESHOLDS

    if not sys.stdin.isatty():
        choices = {"decisions": DECISIONS, "threshold": THRESHOLDS}
        flags = [f"--{n} {'|'.join(c)}" for n, c in choices.items() if answers[n] is None]
        message = f"Off a terminal nothing can be asked; give {' and '.join(flags)}."
        raise click.UsageError(message, click.get_current_context())
    found = dict(answers)
    if found["decisions"] is None:
        question = "Is each case decided on its own, or can only so many be acted on?"
        found["decisions"] = click.prompt(question, type=click.Choice(DECISIONS), err=True)
    if found["threshold"] is None:
        budget = found["decisions"] == "budget"
        what = "number that can be acted on" if budget else "risk at which one begins to act"
        question = f"The {what}: one number, a range, or unknown?"
        found["threshold"] = click.prompt(question, type=click.Choice(THRESHOLDS), err=True)
    for name, question in YES_OR_NO.items():
        if found[name] is None:
            found[name] = click.confirm(question, err=True)
    return found


def _corp() -> click.Command:
    """Describe ``properly reproduce corp``."""
    import click

    file = click.Path(exists=True, dir_okay=False)
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
            *_pictures_and_seed(),
        ],
    )


def _pictures_and_seed() -> list[click.Parameter]:
    """Describe the options that every reproduction has."""
    import click

    folder, number = click.Path(file_okay=False), click.IntRange(min=0)
    return [
        click.Option(["--output"], type=folder, help="Folder for one picture a figure."),
        click.Option(["--seed"], type=number, default=0, show_default=True, help="Seed."),
    ]


def _reproduce_consequentialist(full: bool, output: str | None, seed: int) -> None:
    import click

    from properly import reproduce

    with _refusals(), _progress_bar() as progress:
        result = reproduce.consequentialist(full=full, output=output, rng=seed, progress=progress)
    click.echo(str(result))


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
