"""The options that say which columns of which files are meant."""

from __future__ import annotations

from typing import Any

import click

from properly.cli._columns import PLACE


def file_options() -> list[click.Parameter]:
    """Describe the files and columns that report, score, compare and check share."""
    return [
        click.Argument(
            ["paths"],
            metavar="FILES...",
            nargs=-1,
            required=True,
            type=click.Path(allow_dash=True),
        ),
        _column("--outcome", help="Column of what happened."),
        _column(
            "--forecast",
            multiple=True,
            help="Column of probabilities; may be given several times, for several models. With "
            f"--classes, what columns begin with, or a pattern such as 'p({PLACE})'.",
        ),
        _column("--weight", help="Column of case weights."),
        _column("--groups", "--group", help="Column of groups to evaluate apart."),
        _column("--clusters", "--cluster", help="Column of clusters of dependent cases."),
        _column("--strata", help="Column of strata that cases were drawn from."),
        _column("--time", help="Column of times, numbers or dates."),
        *_outcome_options(),
    ]


def _outcome_options() -> list[click.Parameter]:
    return [
        click.Option(
            ["--classes"],
            metavar="A,B,C",
            help="Labels of classes: --forecast NAME is then NAME_A, NAME_B, NAME_C.",
        ),
        click.Option(["--ordered"], is_flag=True, help="The classes are in order, such as grades."),
        click.Option(["--event"], metavar="LABEL", help="The label of the event."),
        click.Option(
            ["--missing"],
            type=click.Choice(["refuse", "drop"]),
            default="refuse",
            show_default=True,
            help="What to do about rows with a missing value.",
        ),
        click.Option(
            ["--normalize"], is_flag=True, help="Divide rows of class probabilities by their sums."
        ),
    ]


def _column(*names: str, **described: Any) -> click.Option:
    return click.Option([*names, names[0].removeprefix("--")], metavar="COLUMN", **described)
