"""``properly recalibrate apply``: recalibrated forecasts as a new column, or as SQL."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING, Any

import click

from properly._boundary._files import open_whole
from properly._boundary._text import many, printable
from properly.cli._column_plan import models_of
from properly.cli._column_writer import NewColumns, packing, pieces, require_format
from properly.cli._row_maps import ForecastReading, RowMap
from properly.cli._running import require_output, require_packages
from properly.engines._files._read import open_files
from properly.errors import DataError
from properly.recalibration import load

if TYPE_CHECKING:
    from collections.abc import Sequence

    from properly.engines._files._read import Files
    from properly.recalibration import Map


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
        given = ("percent", "normalize", "groups")
        refused = {f"--{option}": bool(reading[option]) for option in given}
        _refuse_with_sql({"--output": output is not None, **refused})
        click.echo(load(stored).sql(forecast, dialect=dialect))
        return
    if path is None or output is None:
        message = "Which file, and where to? Give FILE and --output FILE, or --sql."
        raise click.UsageError(message)
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
        message = "--normalize is about classes; this map is for one event."
        raise click.UsageError(message)
    if use.needs_groups and groups is None:
        message = "This map differs by group; give the column of groups by --groups."
        raise click.UsageError(message)
    if groups is not None and not use.needs_groups:
        message = "--groups is about maps that differ by group; this one does not."
        raise click.UsageError(message)


def _refuse_with_sql(given: dict[str, bool]) -> None:
    for option, is_given in given.items():
        if is_given:
            message = f"--sql prints an expression of the column as it is; leave out {option}."
            raise click.UsageError(message)


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
    overwrite: bool,
    **reading: Any,
) -> int:
    """Write the rows of a file with new columns, and count them."""
    path, output = paths
    with open_files(path) as files:
        file = _only_file(files)
        require_format(file, output)
        files.require(columns)
        _require_new(files.names, new)
        # Labels are read as they were for the fit, where 7 and 7.0 are one group.
        labels = None if groups is None else files.read([groups])
        applied = RowMap(use, ForecastReading(columns, **reading), labels)
        with (
            open_whole(output, overwrite=overwrite) as whole,
            packing(output, whole) as target,
            closing(pieces(NewColumns(file, columns, new), target)) as parts,
        ):
            for piece in parts:
                piece.write(applied.at(piece))
            applied.tell()
    return applied.rows


def _only_file(files: Files) -> Any:
    if len(files.tables) > 1:
        message = f"one file is rewritten at a time; got {len(files.tables)}"
        raise DataError(message)
    return files.tables[0].file


def _require_new(names: Sequence[str], new: Sequence[str]) -> None:
    for name in new:
        if name in names:
            message = f"a new column needs a new name; there is {name!r} already"
            raise DataError(message, hint="give another one by --as.")
