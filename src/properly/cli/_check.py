"""``properly check``: what is wrong with data, before they are scored."""

from __future__ import annotations

import json
from typing import Any

import click

from properly.cli._commands import Described
from properly.cli._options import FILES, file_options_but, format_option

EXAMPLES = """
properly check crash.csv --outcome died --forecast logistic
properly check crash.csv --outcome died --forecast forest --format json
"""


def check() -> click.Command:
    """Describe ``properly check``."""
    return Described(
        "check",
        callback=_check,
        help=(
            "Look data over before they are scored: percentages or logits instead of "
            "probabilities, missing values, one class only, rows that repeat, forecasts that are "
            f"too good to be true. Exits with 1 if there is a problem. {FILES}"
        ),
        params=[*file_options_but("strata", "normalize"), format_option("text", "json")],
        examples=EXAMPLES,
    )


def _check(layout: str, **options: Any) -> None:
    import properly
    from properly.cli._raw_columns import raw_columns

    columns = raw_columns(**options)
    checkup = properly.check(
        columns.y,
        columns.forecasts,
        task=columns.task,
        labels=columns.labels,
        pos_label=columns.pos_label,
        **columns.roles,
    )
    as_json = layout == "json"
    click.echo(json.dumps(checkup.to_dict(), indent=2) if as_json else str(checkup))
    if not checkup.is_fine:
        click.get_current_context().exit(1)
