"""Rules as values of options: names and calls, with completion."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click
from click.shell_completion import CompletionItem

from properly.errors import ProperlyError

if TYPE_CHECKING:
    from properly.rules import Rule

# As they are printed above tables. A test keeps them those of the library.
NAMES = (
    "brier",
    "log",
    "spherical",
    "pseudospherical",
    "misclassification",
    "missed_benefit",
    "rps",
    "ranked_log",
    "pbs",
    "pll",
    "sa-rps",
    "squared_mean_error",
    "quadratic_rps",
)


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
            found: Rule | str = value
            return found
        try:
            return parse_rule(value)
        except ProperlyError as error:
            self.fail(str(error), param, ctx)

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """Offer the names of rules that need no numbers."""
        del ctx, param
        names = (*NAMES, *self.words)
        return [CompletionItem(name) for name in names if name.startswith(incomplete.lower())]
