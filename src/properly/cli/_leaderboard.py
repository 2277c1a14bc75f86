"""``properly leaderboard``: forecasters in order, though they answered different questions."""

from __future__ import annotations

import datetime as dt
import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from properly._boundary._text import printable
from properly.cli._commands import Described, command_line
from properly.cli._formats import as_csv
from properly.cli._long import FORM, long_options, read_long, taken_long
from properly.cli._options import (
    FILES,
    RuleType,
    file_options_but,
    force_option,
    format_option,
    level_option,
    seed_option,
)
from properly.cli._running import emit, require_output, require_packages
from properly.cli._wording import in_options

if TYPE_CHECKING:
    from collections.abc import Mapping

    from properly.comparison import Leaderboard
    from properly.rules import Rule

WIDE = ("outcome", "forecast", "count", "groups", "missing", "normalize")
# Options that have the names of arguments.
SETTINGS = (
    *("reference", "missing", "level", "ranks", "least", "relative_skill"),
    *("baseline", "peer", "crowd", "scaled_to", "bounds", "fair"),
)
PICTURES = ("svg", "png", "pdf")
KINDS = {"html": "page", **dict.fromkeys(PICTURES, "picture")}
CROWDS = ("mean", "median", "log-odds")
EXAMPLES = rf"""
properly leaderboard tournament.csv \
    --long {FORM}
properly leaderboard tournament.csv --rule log --reference Ada \
    --long {FORM}
properly leaderboard tournament.csv --crowd median --format csv \
    --long {FORM}
properly leaderboard tournament.csv --output board.html --force \
    --long {FORM}
"""


def leaderboard() -> click.Command:
    """Describe ``properly leaderboard``."""
    return Described(
        "leaderboard",
        callback=_leaderboard,
        help=(
            "Rank forecasters who answered different questions: what each would have scored on all "
            "of them, with intervals of scores and of ranks. Whoever takes hard questions is not "
            f"punished for it. {FILES}"
        ),
        params=[*file_options_but(*WIDE), *long_options(), *_options()],
        examples=EXAMPLES,
    )


def _options() -> list[click.Parameter]:
    return [
        *_ranking_options(),
        format_option("text", "json", "csv"),
        level_option(),
        seed_option(),
        click.Option(
            ["--output"],
            metavar="FILE",
            help="Where to write, rather than print: a page if it ends in .html, a picture if in "
            ".svg, .png or .pdf.",
        ),
        force_option(),
        *_more_options(),
    ]


def _ranking_options() -> list[click.Parameter]:
    """Describe by what forecasters are ranked, and how."""
    return [
        click.Option(
            ["--rule"],
            type=RuleType(),
            metavar="RULE",
            help="Rule to score by, such as brier or log. Left out, brier, or rps for ordered "
            "classes.",
        ),
        click.Option(
            ["--reference"],
            metavar="NAME",
            help="Forecaster to whom differences are, rather than to the leader.",
        ),
        click.Option(
            ["--missing"],
            type=click.Choice(["two-way", "complete"]),
            default="two-way",
            show_default=True,
            help="How to allow for gaps: by effects of questions and forecasters, or by the "
            "questions that all answered.",
        ),
        click.Option(
            ["--ranks"],
            type=click.Choice(["joint", "each"]),
            default="joint",
            show_default=True,
            help="Whether intervals of ranks hold for all at once, or each by itself.",
        ),
        click.Option(
            ["--least"],
            type=click.IntRange(min=0),
            default=10,
            show_default=True,
            help="Who shares fewer questions with others is listed, not ranked.",
        ),
    ]


def _more_options() -> list[click.Parameter]:
    """Describe what else is scored."""
    return [
        click.Option(
            ["--relative-skill"],
            is_flag=True,
            help="Add ratios of losses on common questions, averaged over pairs.",
        ),
        click.Option(
            ["--baseline"], metavar="NAME", help="Forecaster to whom relative skill is relative."
        ),
        click.Option(
            ["--peer"], is_flag=True, help="Add peer and baseline scores, as platforms have them."
        ),
        click.Option(
            ["--crowd"],
            type=click.Choice(CROWDS),
            help="Add a forecaster made of all of them, which is not ranked.",
        ),
        click.Option(
            ["--scaled-to"],
            metavar="NAME=VALUE",
            callback=_as_scale,
            help="Add a constant to all scores, so that this forecaster has this one.",
        ),
        click.Option(
            ["--bounds"],
            is_flag=True,
            help="Add scores with missing losses as low, and as high, as can be.",
        ),
        click.Option(
            ["--fair"],
            is_flag=True,
            help="With --repeated pool: Brier scores as large ensembles would have them.",
        ),
    ]


def _leaderboard(
    layout: str,
    output: str | None,
    rule: Rule | None,
    *,
    force: bool,
    seed: int,
    **options: Any,
) -> None:
    kind = _kind(output, layout)
    require_packages({"html": ["jinja2"], "text": []}.get(kind, ["matplotlib"]))
    require_output(output, force=force)
    settings = {name: options.pop(name) for name in SETTINGS}
    own = taken_long(options, *(str(option.name) for option in _options()))
    if own is None:
        message = f"Which columns? Name them by --long {FORM}."
        raise click.UsageError(message)
    board = board_of(own, options, rule=rule, rng=seed, **settings)
    if output is None or kind == "text":
        emit(_laid_out(board, layout), output, force=force)
        return
    if kind == "html":
        write_page(output, board, force=force)
    else:
        from properly._boundary._files import write_whole
        from properly.report._figures import picture

        write_whole(output, picture(board, kind), overwrite=force)
    click.echo(f"The {KINDS[kind]} is in {printable(output)}.")


def board_of(
    own: Mapping[str, Any], options: Mapping[str, Any], rule: Rule | None, **settings: Any
) -> Leaderboard:
    """Rank the forecasters of a long table; notes speak of options."""
    import properly
    from properly.rules import RPS

    table = read_long(own, **options)
    answers = table.answers()
    rule = RPS() if rule is None and table.task == "ordinal" else rule
    board = properly.leaderboard(answers, rule=rule, **settings)
    return replace(board, notes=tuple(map(in_options, board.notes)))


def write_page(path: str, board: Leaderboard, *, force: bool, title: str | None = None) -> None:
    """Write the page of a board, with the command that made it."""
    import properly

    day = dt.date.today().isoformat()  # noqa: DTZ011 - the reader's own day
    command = command_line()
    properly.report.write(path, board, title=title, command=command, date=day, overwrite=force)


def _kind(output: str | None, layout: str) -> str:
    """Tell by its ending whether a file is a page, a picture, or text."""
    ending = "" if output is None else output.rpartition(".")[2].lower()
    if ending not in ("html", *PICTURES):
        return "text"
    if layout != "text":
        message = f"--format {layout} is text; {printable(str(output))} is a {KINDS[ending]}."
        raise click.UsageError(message)
    return ending


def _laid_out(board: Leaderboard, layout: str) -> str:
    if layout == "text":
        return f"{board}\n"
    if layout == "json":
        return json.dumps(board.to_dict(), indent=2, allow_nan=False) + "\n"
    rows = [row.flat() for row in (*board.standings, *board.crowd)]
    head = tuple(rows[0])
    return as_csv(head, [tuple(row.get(name) for name in head) for row in rows])


def _as_scale(
    ctx: click.Context, param: click.Parameter, value: str | None
) -> tuple[str, float] | None:
    """Take a forecaster and a score; a name may have an equals sign itself."""
    if value is None:
        return None
    name, _, number = value.rpartition("=")
    try:
        return name, float(number)
    except ValueError:
        message = f"a forecaster and its score are such as 'always half=0.25'; got {value!r}."
        raise click.BadParameter(message, ctx, param) from None
