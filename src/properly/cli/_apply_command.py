"""``properly recalibrate apply``: recalibrated forecasts as a new column, or as SQL."""

from __future__ import annotations

from typing import Any

import click
import numpy as np

from properly._boundary._files import open_whole
from properly._boundary._notices import notice
from properly._boundary._text import many, printable
from properly._boundary._tolerances import SAME_SUM
from properly.cli._chosen import WHOLE, Places, without_percent
from properly.cli._column_plan import models_of
from properly.cli._column_writer import packing, require_format, write_columns
from properly.cli._running import refuse, require_output, require_packages
from properly.engines._files._checks import FileRows
from properly.engines._files._read import open_files
from properly.errors import DataError
from properly.recalibration import Map, load
from properly.typing import Column

FLATTERS = "these forecasts are those that the map was fitted to; scores of them will flatter it"


def run(
    path: str | None,
    stored: str,
    forecast: str,
    *,
    name: str | None,
    dialect: str | None,
    output: str | None,
    force: bool,
    **reading: Any,
) -> None:
    if dialect is not None:
        given = {"output": output, **reading}
        for option in ("output", "percent", "normalize", "groups"):
            if given[option]:
                refuse(f"--sql prints an expression of the column as it is; leave out --{option}.")
        click.echo(load(stored).sql(forecast, dialect=dialect))
        return
    if path is None or output is None:
        refuse("Which file, and where to? Give FILE and --output FILE, or --sql.")
    require_packages(["duckdb"])
    require_output(output, force=force)
    use = load(stored)
    _require_sense(use, **reading)
    columns, new = names_of(use, forecast, name)
    rows = _rewrite(use, (path, output), columns, new, overwrite=force, **reading)
    listed = ", ".join(printable(each) for each in new)
    click.echo(f"{many(rows, 'row')} in {printable(output)}, recalibrated as {listed}.")


def _require_sense(use: Map, *, groups: str | None, normalize: bool, **_: Any) -> None:
    """Refuse options that the map has no use for, and ask for the one that it needs."""
    if normalize and use.of != "classes":
        refuse("--normalize is about classes; this map is for one event.")
    if use.needs_groups and groups is None:
        refuse("This map differs by group; give the column of groups by --groups.")
    if groups is not None and not use.needs_groups:
        refuse("--groups is about maps that differ by group; this one does not.")


def names_of(use: Map, forecast: str, name: str | None) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Name the columns that a map reads, and those that it writes."""
    labels = tuple(map(str, use.labels)) if use.of == "classes" else None
    ((short, columns),) = models_of((forecast,), labels).items()
    ((_, new),) = models_of((name or f"{short}_recalibrated",), labels).items()
    return columns, new


def _rewrite(
    use: Map,
    paths: tuple[str, str],
    columns: tuple[str, ...],
    new: tuple[str, ...],
    *,
    groups: str | None,
    percent: bool,
    overwrite: bool,
    **reading: Any,
) -> int:
    """Write the rows of a file with new columns, and count them."""
    path, output = paths
    with open_files(path) as files:
        if len(files.tables) > 1:
            message = f"one file is rewritten at a time; got {len(files.tables)}"
            raise DataError(message)
        file = files.tables[0].file
        require_format(file, output)
        files.require(columns)
        for name in new:
            if name in files.names:
                message = f"a new column needs a new name; there is {name!r} already"
                raise DataError(message, hint="give another one by --as.")
        made = np.empty((0, len(new)))
        if files.count():
            rows = files.read([*columns, *filter(None, [groups])]).with_numbers(columns)
            rows = without_percent(rows, columns) if percent else rows
            made = _recalibrated(use, rows, columns, groups, **reading)
        if percent:
            made *= WHOLE
        with open_whole(output, overwrite=overwrite) as whole, packing(output, whole) as target:
            write_columns(file, dict(zip(new, made.T, strict=True)), target)
    return len(made)


def _recalibrated(
    use: Map,
    rows: FileRows,
    columns: tuple[str, ...],
    groups: str | None,
    *,
    missing: str,
    normalize: bool,
) -> Column:
    """Recalibrate the forecasts of all rows; a row that is refused is named by its place."""
    if missing == "refuse" and rows.incomplete.any():
        row = int(rows.incomplete.argmax())
        name = next(name for name in rows.missing if rows.missing[name][row])
        what = repr(name) if name in columns else "its group"
        message = f"forecasts must not be missing; {rows.place(row)} lacks {what}"
        raise DataError(message, hint="--missing keep leaves the new one empty, too.")
    places = Places.of(rows, "drop")
    result = np.full((len(rows), len(columns)), np.nan)
    if len(places.kept):
        p = np.column_stack([rows.columns[name][places.kept] for name in columns])
        p = p / p.sum(axis=1, keepdims=True) if normalize else p.astype(np.float64, copy=False)
        group = None if groups is None else rows.columns[groups][places.kept]
        with places.naming():
            q = use.at(p if use.of == "classes" else p[:, 0], groups=group)
        result[places.kept] = q.reshape(p.shape)
        if _is_of_training(use, p, len(rows)):
            notice(FLATTERS)
    return result


def _is_of_training(use: Map, p: Column, rows: int) -> bool:
    """Return whether there are as many forecasts, as many distinct ones, and the same mean."""
    training = use.training
    if training is None or rows != training.cases:
        return False
    is_near = np.allclose(p.sum(axis=0) / rows, training.mean_forecast, rtol=SAME_SUM, atol=0)
    return bool(is_near) and len(np.unique(p, axis=0)) == training.distinct
