"""What commands that evaluate share: their options, and how these reach the library."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from properly.cli._rule_type import RuleType
from properly.cli._running import progress_bar
from properly.errors import ProperlyError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from properly import ClassEvaluation, Evaluation, Interval
    from properly.cli._columns import Chosen
    from properly.cli._engine import Large
    from properly.engines._summary import Summary
    from properly.rules import Rule

REPLICATES = 199
FILES = (
    "FILES are CSV, Parquet, Arrow or JSON lines, compressed or not; patterns such as '*.csv' are "
    "understood, and - is the standard input."
)


def file_options_but(*left_out: str) -> list[click.Parameter]:
    """Describe files and columns, except for what would be read and not used."""
    from properly.cli._file_options import file_options

    return [option for option in file_options() if option.name not in left_out]


def rule_option() -> click.Option:
    """Describe ``--rule``, which may be given several times."""
    return click.Option(
        ["--rule", "rules"],
        type=RuleType(),
        multiple=True,
        metavar="RULE",
        help='Rule such as brier, log, rps or "Bounded(Brier(), (0.01, 0.1))"; may be given '
        "several times. Left out, those that suit the outcome.",
    )


def within_option() -> click.Option:
    """Describe ``--within``."""
    return click.Option(
        ["--within"],
        type=float,
        nargs=2,
        metavar="LOWER UPPER",
        callback=_as_range,
        help="The thresholds that matter, such as 0.01 0.1: each rule also looks at these only.",
    )


def level_option() -> click.Option:
    """Describe ``--level``."""
    inside = click.FloatRange(0, 1, min_open=True, max_open=True)
    return click.Option(
        ["--level"], type=inside, default=0.95, show_default=True, help="How sure intervals are."
    )


def seed_option() -> click.Option:
    """Describe ``--seed``."""
    number = click.IntRange(min=0)
    return click.Option(
        ["--seed"], type=number, default=0, show_default=True, help="Seed of draws."
    )


def format_option(*formats: str) -> click.Option:
    """Describe ``--format``; the first is the default."""
    return click.Option(
        ["--format", "layout"],
        type=click.Choice(formats),
        default=formats[0],
        show_default=True,
        help="How to print.",
    )


def replicates_option(about: str) -> click.Option:
    """Describe ``--replicates``."""
    return click.Option(
        ["--replicates"],
        type=click.IntRange(min=0),
        default=REPLICATES,
        show_default=True,
        help=about,
    )


def force_option() -> click.Option:
    """Describe ``--force``."""
    return click.Option(["--force"], is_flag=True, help="Overwrite what is there.")


def evaluated(chosen: Chosen | Large, *, seed: int, **options: Any) -> Evaluation | ClassEvaluation:
    """Evaluate what was chosen, with progress on a terminal."""
    import properly
    from properly.cli._engine import Large
    from properly.evaluation._asking import rules_of_task

    with progress_bar() as progress:
        drawn = {**options, "rng": seed, "progress": progress, "task": chosen.task}
        found: Evaluation | ClassEvaluation
        if isinstance(chosen, Large):
            rules = rules_of_task(chosen.task, drawn.pop("rules"), drawn["within"])
            found = properly.evaluate(summed(chosen, rules, progress), **drawn)
        else:
            known = {**chosen.known, "groups": chosen.groups}
            found = properly.evaluate(chosen.y, chosen.forecasts, **known, **drawn)
    # Whoever reads the result later has not seen what was printed.
    return found if chosen.dropped is None else replace(found, notes=(*found.notes, chosen.dropped))


def summed(chosen: Large, rules: Sequence[Rule], progress: Any) -> Summary:
    """Sum up what is too large for memory, inside its engine."""
    from properly.engines._summarize import summarize_frame

    return summarize_frame(
        chosen.frame,
        chosen.roles,
        rules,
        pos_label=chosen.pos_label,
        labels=chosen.labels,
        progress=progress,
    )


def _as_range(
    ctx: click.Context, param: click.Parameter, value: tuple[float, float] | None
) -> Interval | None:
    """Take two ends as a range; what is none is no way to use the command."""
    from properly import Interval

    try:
        return None if value is None else Interval(*value)
    except ProperlyError as error:
        raise click.BadParameter(str(error), ctx, param) from None
