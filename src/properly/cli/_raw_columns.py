"""The columns that options choose as they are in the files, also where scoring refuses them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click
import numpy as np

from properly.cli._columns import (
    ROLES,
    as_labels,
    models_of,
    require_other_columns,
    require_sense,
)
from properly.cli._guessing import Guess
from properly.cli._outcome_labels import as_outcomes
from properly.engines._files._read import open_files

if TYPE_CHECKING:
    from collections.abc import Mapping

    from properly.cli._columns import Task
    from properly.engines._files._checks import FileRows


@dataclass(frozen=True, eq=False)
class RawColumns:
    """What `properly.check` looks at; arrays are masked where a value is missing."""

    y: Any
    forecasts: dict[str, Any]
    roles: dict[str, Any]
    labels: tuple[Any, ...] | None
    pos_label: object
    task: Task


def raw_columns(
    *,
    paths: tuple[str, ...],
    outcome: str | None,
    forecast: tuple[str, ...],
    classes: str | None,
    ordered: bool,
    event: str | None,
    missing: str,
    **roles: str | None,
) -> RawColumns:
    """Read the columns that the options choose, and refuse none for what is in it."""
    labels = as_labels(classes)
    require_sense(labels, event, ordered=ordered, normalize=False)
    role_columns = {role: column for role in ROLES if (column := roles.get(role)) is not None}
    with open_files(paths) as files:
        models = models_of(forecast, labels)
        named = [column for columns in models.values() for column in columns]
        given = [*role_columns.values(), *named, *([] if outcome is None else [outcome])]
        files.require(given)
        guess = Guess(files, given)
        outcome = guess.outcome(binary=labels is None) if outcome is None else outcome
        models = models or guess.models(labels, any_numbers=True)
        named = [column for columns in models.values() for column in columns]
        require_other_columns(outcome, named)
        columns = _masked(files.read([outcome, *role_columns.values(), *named]), missing)
    y = columns[outcome]
    read: tuple[tuple[Any, ...] | None, object] = (None, None)
    if labels is not None or event is not None:
        outcomes = as_outcomes(y.compressed(), outcome, event, labels)
        read = outcomes.labels, outcomes.event
    return RawColumns(
        y,
        {name: _together([columns[c] for c in taken], labels) for name, taken in models.items()},
        {role: columns[column] for role, column in role_columns.items()},
        *read,
        "binary" if labels is None else "ordinal" if ordered else "multiclass",
    )


def _masked(rows: FileRows, missing: str) -> Mapping[str, Any]:
    """Mark what is missing, or drop its row if that was asked for, and say so."""
    if missing == "drop":
        columns, dropped = rows.complete(missing)
        if dropped is not None:
            click.echo(f"{dropped[0].upper()}{dropped[1:]}.", err=True)
        return {name: np.ma.masked_array(x, False) for name, x in columns.items()}
    return {name: np.ma.masked_array(x, rows.missing[name]) for name, x in rows.columns.items()}


def _together(columns: list[Any], labels: tuple[str, ...] | None) -> Any:
    return columns[0] if labels is None else np.ma.column_stack(columns)
