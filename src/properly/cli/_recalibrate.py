"""``properly recalibrate``: maps from forecasts to better ones, fitted, applied and shown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from properly.cli._commands import DescribedGroup
from properly.cli._map_apply import apply
from properly.cli._map_fit import fit
from properly.cli._map_show import show

if TYPE_CHECKING:
    import click

EXAMPLES = r"""
properly recalibrate fit crash.csv --outcome died \
    --forecast balanced_boosting --clusters cluster --output new.json
properly recalibrate apply crash.csv --map map.json \
    --forecast balanced_boosting --output better.csv
properly recalibrate show map.json
"""


class InOrder(DescribedGroup):
    """Commands in the order in which they are used."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Name the commands in their own order."""
        del ctx
        return list(self.commands)


def recalibrate() -> click.Group:
    """Describe ``properly recalibrate`` and the commands below it."""
    return InOrder(
        "recalibrate",
        help=(
            "Repair forecasts, if that can be done: fit a map from forecasts to better ones, with "
            "what it would save on new cases; apply it to a file; show what it does."
        ),
        commands=[fit(), apply(), show()],
        examples=EXAMPLES,
    )
