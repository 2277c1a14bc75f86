"""The command ``properly``: its commands by name, each imported when it is called."""

from __future__ import annotations

import shlex
from collections.abc import MutableMapping
from importlib import import_module
from typing import TYPE_CHECKING, Any

import click

from properly import __version__
from properly.cli._running import refusals

if TYPE_CHECKING:
    from collections.abc import Iterator


ARGUMENTS = "properly.arguments"
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
            hint = f" Did you mean {option!r}?" if option in known else ""
            message = f"No such option {error.option_name!r}.{hint}"
            raise click.NoSuchOption(error.option_name, message, ctx=ctx) from None


class DescribedGroup(Described, click.Group):
    """A group of commands with examples at the end of its help."""


def command_line() -> str:
    """Return the command that runs as it was typed, quoted for a shell."""
    ctx = click.get_current_context()
    return f"{ctx.command_path} {shlex.join(ctx.meta[ARGUMENTS])}".rstrip()


# In the order of help. The command NAME is described by the function NAME of the file _NAME.
COMMANDS = {
    "report": "Write one page about forecasts: verdict, scores, pictures.",
    "score": "Score forecasts: a table, JSON, CSV, Markdown or LaTeX.",
    "compare": "Say whether one model is better than another.",
    "leaderboard": "Rank forecasters who answered different questions.",
    "monitor": "Watch a model in production; exits with 3 on an alarm.",
    "recalibrate": "Repair forecasts, if that can be done, by a map.",
    "check": "Look for what is wrong with data before scoring them.",
    "recommend": "Say which metric suits a decision, and why.",
    "audit": "Search for truths that another report beats.",
    "reproduce": "Compute published results again.",
    "demo": "Evaluate the bundled example, or write it as a file.",
}
EXAMPLES = """
properly demo --data crash.csv --force
properly score crash.csv --outcome died --forecast logistic --forecast forest
"""


def properly() -> click.Group:
    """Describe ``properly``."""
    group = Properly(
        "properly",
        help="How good are probability forecasts?",
        commands=Commands(),
        examples=EXAMPLES,
    )
    click.version_option(__version__, prog_name="properly")(group)
    return group


class Commands(MutableMapping[str, click.Command]):
    """Commands by name; looking one up imports it."""

    def __init__(self) -> None:
        self.added: dict[str, click.Command] = {}

    def __iter__(self) -> Iterator[str]:
        return iter(dict.fromkeys([*COMMANDS, *self.added]))

    def __len__(self) -> int:
        return len({*COMMANDS, *self.added})

    def __getitem__(self, name: str) -> click.Command:
        if name not in self.added and name in COMMANDS:
            describe = getattr(import_module(f"properly.cli._{name}"), name)
            self.added[name] = describe()
        return self.added[name]

    def __setitem__(self, name: str, command: click.Command) -> None:
        self.added[name] = command

    def __delitem__(self, name: str) -> None:
        del self.added[name]


class Properly(DescribedGroup):
    """The group of all commands, whose help imports none of them."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Name the commands in the order of help."""
        del ctx
        return list(self.commands)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write what each command is about."""
        del ctx
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command; what it refuses is said in words."""
        with refusals():
            return super().invoke(ctx)
