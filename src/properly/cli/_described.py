"""Commands that end their help with examples, and remember what they were asked."""

from __future__ import annotations

import shlex
from typing import Any

import click

ARGUMENTS = "properly.arguments"


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

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Keep the arguments as they were given."""
        ctx.meta[ARGUMENTS] = tuple(args)
        return super().parse_args(ctx, args)


class DescribedGroup(Described, click.Group):
    """A group of commands with examples at the end of its help."""


def command_line() -> str:
    """Return the command that runs as it was typed, quoted for a shell."""
    ctx = click.get_current_context()
    return f"{ctx.command_path} {shlex.join(ctx.meta[ARGUMENTS])}".rstrip()
