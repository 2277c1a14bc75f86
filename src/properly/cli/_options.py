"""The options that commands share, and the evaluation that they ask for."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import click
from click.shell_completion import CompletionItem

from properly.cli._columns import PLACE
from properly.cli._running import progress_bar
from properly.cli._wording import in_options
from properly.errors import ProperlyError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from properly import Evaluation, Interval
    from properly.cli._columns import Chosen
    from properly.cli._engine import Large
    from properly.engines._summary import Summary
    from properly.rules import Rule


class RuleType(click.ParamType):  # type: ignore[type-arg]  # generic in new versions only
    """A rule such as ``brier`` or ``"Bounded(Brier(), (0.05, 0.2))"``, or one more word."""

    name = "rule"

    def __init__(self, *words: str) -> None:
        self.words = words

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> Rule | str:
        """Read a rule; what is none is no way to use the command."""
        from properly.rules import parse_rule

        if not isinstance(value, str) or value in self.words:
            rule: Rule | str = value
            return rule
        try:
            return parse_rule(value)
        except ProperlyError as error:
            self.fail(str(error), param, ctx)

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """Offer the names of rules that need no numbers."""
        from properly.rules._registry import SHORT_NAMES

        del ctx, param
        names = (*SHORT_NAMES, *self.words)
        return [CompletionItem(name) for name in names if name.startswith(incomplete.lower())]


REPLICATES = 199
FILES = (
    "FILES are CSV, Parquet, Arrow or JSON lines, compressed or not; patterns such as '*.csv' are "
    "understood, and - is the standard input."
)


def file_options_but(*left_out: str) -> list[click.Parameter]:
    """Describe files and columns, except for what would be read and not used."""
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
        help="The thresholds that matter, such as 0.01 0.1, over which models are judged first, "
        "by mean regret.",
    )


def over_range(rule: Rule | None, within: Interval | None) -> Rule | None:
    """Look at a range of thresholds only, if there is a rule and a range."""
    from properly.rules import Bounded
    from properly.rules._rule import require_binary

    return rule if rule is None or within is None else Bounded(require_binary(rule), within)


def level_option() -> click.Option:
    """Describe ``--level``."""
    inside = click.FloatRange(0, 1, min_open=True, max_open=True)
    return click.Option(
        ["--level"], type=inside, default=0.95, show_default=True, help="How sure intervals are."
    )


def seed_option(about: str = "Seed of draws.") -> click.Option:
    """Describe ``--seed``."""
    number = click.IntRange(min=0)
    return click.Option(["--seed"], type=number, default=0, show_default=True, help=about)


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


def show_option() -> click.Option:
    """Describe ``--show``, of which ``--id`` is another name."""
    return _column(
        *("--show", "--id"),
        multiple=True,
        help="Column to show beside the worst cases, such as the patient's number; may be given "
        "several times.",
    )


def force_option() -> click.Option:
    """Describe ``--force``."""
    return click.Option(["--force"], is_flag=True, help="Overwrite what is there.")


def evaluated(chosen: Chosen | Large, *, seed: int, **options: Any) -> Evaluation:
    """Evaluate what was chosen, with progress on a terminal."""
    import properly
    from properly.cli._engine import Large
    from properly.evaluation._evaluate import rules_of_task

    with progress_bar() as progress:
        drawn = {**options, "rng": seed, "progress": progress, "task": chosen.task}
        if isinstance(chosen, Large):
            rules = rules_of_task(chosen.task, drawn.pop("rules"), drawn["within"])
            evaluation = properly.evaluate(summed(chosen, rules, progress), **drawn)
        else:
            arguments = {**chosen.arguments, "groups": chosen.groups, "show": chosen.show or None}
            evaluation = properly.evaluate(chosen.y, chosen.forecasts, **arguments, **drawn)
    # Whoever reads the result later has not seen what was printed.
    done = [said for said in (chosen.dropped, chosen.percent) if said is not None]
    notes = map(in_options, (*chosen.doubts, *evaluation.notes))
    return replace(evaluation, notes=(*notes, *done))


def summed(chosen: Large, rules: Sequence[Rule], progress: Any) -> Summary:
    """Sum up what is too large for memory, inside its engine."""
    from properly.engines._frame import summarize_frame

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


def _as_date_format(ctx: click.Context, param: click.Parameter, value: str | None) -> str | None:
    """Take a form of dates that can be written and read."""
    if value is None:
        return None
    written = datetime(2001, 12, 31, tzinfo=UTC).strftime(value)
    with suppress(ValueError):
        datetime.strptime(written, value)  # noqa: DTZ007
        if written != value:
            return value
    message = f"a form of dates is such as %d.%m.%Y, for 31.12.2001; got {value!r}."
    raise click.BadParameter(message, ctx, param)


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
        _column("--weight", help="Column of sampling weights; a row is one case."),
        _column("--count", help="Column of how many like cases each row stands for."),
        _column("--groups", "--group", help="Column of groups to evaluate apart."),
        _column("--clusters", "--cluster", help="Column of clusters of dependent cases."),
        _column("--strata", help="Column of strata that cases were drawn from."),
        _column("--time", help="Column of times: numbers, or dates such as 2024-05-31."),
        click.Option(
            ["--date-format"],
            metavar="FORM",
            callback=_as_date_format,
            help="How dates of --time are written, such as %d.%m.%Y, as strptime has it.",
        ),
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
        click.Option(["--percent"], is_flag=True, help="Forecasts are in percent, from 0 to 100."),
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
