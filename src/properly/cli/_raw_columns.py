"""The columns that options choose as they are in the files, also where scoring refuses them."""

from __future__ import annotations

from contextlib import nullcontext, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from properly.cli._columns import Places, follow_up, largest_divided, planned, read_columns, say
from properly.cli._outcome_labels import as_outcomes
from properly.engines._files._read import open_files
from properly.errors import DataError

if TYPE_CHECKING:
    from properly.cli._columns import Plan, Task
    from properly.engines._files._checks import FileRows
    from properly.engines._files._read import Files
    from properly.evaluation import Symptom


@dataclass(frozen=True, eq=False)
class RawColumns:
    """What `properly.check` looks at; arrays are masked where a value is missing."""

    y: Any
    forecasts: dict[str, Any]
    roles: dict[str, Any]
    labels: tuple[Any, ...] | None
    pos_label: object
    task: Task
    places: Places
    follow_up: list[Symptom]


def raw_columns(*, paths: tuple[str, ...], **options: Any) -> RawColumns:
    """Read the columns that the options choose, and refuse none for what is in it."""
    with open_files(paths) as files:
        plan = planned(files, paths=paths, any_numbers=True, **options)
        return _read(files, plan, read_columns(files, plan))


def _read(files: Files, plan: Plan, rows: FileRows) -> RawColumns:
    if "time" in plan.roles:
        # Times that are no dates are what is looked for, unless it was said how to read them.
        with suppress(DataError) if plan.date_format is None else nullcontext():
            rows = rows.with_dates(plan.roles["time"], plan.date_format)
    columns = _masked(rows, plan.missing)
    say(largest_divided(plan, columns))
    y, places = columns[plan.outcome], Places.of(rows, plan.missing)
    read: tuple[tuple[Any, ...] | None, object] = (None, None)
    if plan.classes is not None or plan.event is not None:
        outcomes = as_outcomes(y.compressed(), plan.outcome, plan.event, plan.classes)
        read = outcomes.labels, outcomes.event
    return RawColumns(
        y,
        {name: _together(plan, [columns[c] for c in taken]) for name, taken in plan.models.items()},
        {role: columns[column] for role, column in plan.roles.items()},
        *read,
        plan.task,
        places,
        follow_up(files, plan, y, read[1], places.kept),
    )


def _masked(rows: FileRows, missing: str) -> dict[str, Any]:
    """Mark what is missing, or drop its row if that was asked for, and say so."""
    if missing == "drop":
        columns, dropped = rows.complete(missing)
        say(dropped)
        return {name: np.ma.masked_array(x, False) for name, x in columns.items()}
    return {name: np.ma.masked_array(x, rows.missing[name]) for name, x in rows.columns.items()}


def _together(plan: Plan, columns: list[Any]) -> Any:
    return columns[0] if plan.classes is None else np.ma.column_stack(columns)
