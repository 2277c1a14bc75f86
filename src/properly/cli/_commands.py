"""The command ``properly``: its commands by name, each imported when it is called."""

from __future__ import annotations

from collections.abc import MutableMapping
from typing import TYPE_CHECKING, Any

import click

from properly import __version__
from properly.cli._described import DescribedGroup
from properly.cli._running import refusals

if TYPE_CHECKING:
    from collections.abc import Iterator


# In the order of help. The command NAME is described by the function NAME of the file _NAME.
COMMANDS = {
    "report": "Write one page about forecasts: verdict, scores, pictures.",
    "score": "Score forecasts: a table, JSON, CSV, Markdown or LaTeX.",
    "compare": "Say whether one model is better than another.",
    "leaderboard": "Rank forecasters who answered different questions.",
    "monitor": "Watch a model in production; exits with 3 on an alarm.",
    "recalibrate": "Fit a recalibration map, prove its gain, apply it.",
    "check": "Look for what is wrong with data before scoring them.",
    "recommend": "Say which metric suits a decision, and why.",
    "audit": "Check that a scoring rule is proper.",
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
            from properly.cli._command_table import described

            self.added[name] = described(name)
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
