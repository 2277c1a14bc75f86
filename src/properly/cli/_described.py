"""How commands are described: examples below their help, sections of options, near misses."""

from __future__ import annotations

import shlex
from typing import Any

import click

ARGUMENTS = "properly.arguments"
# The command that reads what those take that have no option --long.
LONG = "properly leaderboard"
# Options that people type, as other programs call them, and those that do the same here.
INSTEAD = {
    **dict.fromkeys(("--threshold", "--thresholds", "--cutoff", "--range"), "--within"),
    **dict.fromkeys(("--y", "--target", "--truth", "--label", "--outcomes"), "--outcome"),
    **dict.fromkeys(
        ("--p", "--prediction", "--predictions", "--prob", "--probability"), "--forecast"
    ),
    **dict.fromkeys(("--forecasts", "--model", "--models"), "--forecast"),
    **dict.fromkeys(("--pos-label", "--positive"), "--event"),
    **dict.fromkeys(("--metric", "--score", "--loss", "--rules"), "--rule"),
    **dict.fromkeys(("--weights", "--sample-weight"), "--weight"),
    **dict.fromkeys(("--alpha", "--confidence", "--ci"), "--level"),
    **dict.fromkeys(("--bootstrap", "--draws", "--samples"), "--replicates"),
    **dict.fromkeys(("--date", "--dates", "--times"), "--time"),
    **dict.fromkeys(("--out", "--save"), "--output"),
    "--long": LONG,
}


class Described(click.Command):
    """A command with examples at the end of its help."""

    def __init__(self, *values: Any, examples: str, **named: Any) -> None:
        super().__init__(*values, **named)
        self.examples = examples.strip()

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the examples as they are, so that each can be copied."""
        del ctx
        with formatter.section("Examples"):
            for line in self.examples.splitlines():
                formatter.write(f"{'':{formatter.current_indent}}{line}\n")

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write options, those of a section of their own below the others."""
        sections: dict[str, list[tuple[str, str]]] = {}
        for option in self.get_params(ctx):
            record = option.get_help_record(ctx)
            if record is not None and isinstance(option, click.Option):
                sections.setdefault(getattr(option, "section", "Options"), []).append(record)
        if len(sections) == 1:
            # A group writes its commands below.
            super().format_options(ctx, formatter)
            return
        for name, records in sections.items():
            with formatter.section(name):
                formatter.write_dl(records)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Keep the arguments as they were given."""
        ctx.meta[ARGUMENTS] = tuple(args)
        try:
            return super().parse_args(ctx, args)
        except click.NoSuchOption as error:
            option = INSTEAD.get(error.option_name)
            if option is None:
                raise
            known = {name for each in self.params for name in each.opts}
            hint = f" Did you mean {option!r}?" if option in {*known, LONG} else ""
            message = f"No such option {error.option_name!r}.{hint}"
            raise click.NoSuchOption(error.option_name, message, ctx=ctx) from None


class DescribedGroup(Described, click.Group):
    """A group of commands with examples at the end of its help."""


def command_line() -> str:
    """Return the command that runs as it was typed, quoted for a shell."""
    ctx = click.get_current_context()
    return f"{ctx.command_path} {shlex.join(ctx.meta[ARGUMENTS])}".rstrip()
