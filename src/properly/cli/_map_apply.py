"""``properly recalibrate apply``: recalibrated forecasts as a new column, or as SQL."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING, Any

import click

from properly._boundary._text import many, printable
from properly.cli._columns import PLACE, models_of
from properly.cli._commands import Described
from properly.cli._options import force_option
from properly.cli._running import require_output, require_packages
from properly.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from properly.engines._files._read import Files
    from properly.recalibration import Map

# Whose SQL there is. A test keeps them those of the library.
DIALECTS = ("duckdb", "postgres", "bigquery", "snowflake", "spark")
EXAMPLES = r"""
properly recalibrate apply crash.csv --map map.json --forecast logistic \
    --output new.csv
properly recalibrate apply crash.csv --map map.json --forecast logistic \
    --as better --output better.csv
properly recalibrate apply --map map.json --forecast logistic --sql duckdb
"""


def apply() -> click.Command:
    """Describe ``properly recalibrate apply``."""
    return Described(
        "apply",
        callback=_apply,
        short_help="Recalibrate the forecasts of a file, or print SQL that does.",
        help=(
            "Recalibrate the forecasts of a file, row by row: what is written has the format of "
            "FILE and one more column, or one a class. All other columns stay as they are written. "
            "Or print the map as SQL. FILE is CSV, Parquet, Arrow or JSON lines; - is the standard "
            "input."
        ),
        params=_options(),
        examples=EXAMPLES,
    )


def _options() -> list[click.Parameter]:
    return [
        click.Argument(["path"], metavar="[FILE]", required=False, type=click.Path()),
        click.Option(["--map", "stored"], metavar="FILE", required=True, help="The map, as JSON."),
        click.Option(
            ["--forecast"],
            metavar="COLUMN",
            required=True,
            help="Column of probabilities. For classes, what columns begin with, or a pattern such "
            f"as 'p({PLACE})'.",
        ),
        click.Option(
            ["--as", "name"],
            metavar="COLUMN",
            show_default="COLUMN_recalibrated",
            help="What to call the new column; for classes, what new columns begin with.",
        ),
        click.Option(
            ["--groups", "--group", "groups"],
            metavar="COLUMN",
            help="Column of groups, for a map that differs by group.",
        ),
        *_row_options(),
        click.Option(
            ["--sql", "dialect"],
            type=click.Choice(DIALECTS),
            help="Print the map as an expression of SQL, and write nothing.",
        ),
        click.Option(["--output"], metavar="FILE", help="Where to write the rows."),
        force_option(),
    ]


def _row_options() -> list[click.Parameter]:
    """Describe how forecasts are read."""
    return [
        click.Option(["--percent"], is_flag=True, help="Forecasts are in percent, from 0 to 100."),
        click.Option(
            ["--normalize"], is_flag=True, help="Divide rows of class probabilities by their sums."
        ),
        click.Option(
            ["--missing"],
            type=click.Choice(["refuse", "keep"]),
            default="refuse",
            show_default=True,
            help="What to do about rows without a forecast: keep leaves the new one empty.",
        ),
    ]


def _apply(
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
    from properly.recalibration import load

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
    from properly._boundary._files import open_whole
    from properly.cli._column_writer import Request, packing, pieces, require_format
    from properly.cli._row_maps import Reading, RowMap
    from properly.engines._files._read import open_files

    path, output = paths
    with open_files(path) as files:
        file = _only_file(files)
        require_format(file, output)
        files.require(columns)
        _require_new(files.names, new)
        # Labels are read as they were for the fit, where 7 and 7.0 are one group.
        labels = None if groups is None else files.read([groups])
        applied = RowMap(use, Reading(columns, **reading), labels)
        with (
            open_whole(output, overwrite=overwrite) as whole,
            packing(output, whole) as target,
            closing(pieces(Request(file, columns, new), target)) as parts,
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
