"""``properly recalibrate apply``: recalibrated forecasts as a new column, or as SQL."""

from __future__ import annotations

import re
from contextlib import closing
from typing import TYPE_CHECKING, Any, NamedTuple

import click
import numpy as np

from properly._boundary._files import open_whole
from properly._boundary._notices import collected, notice
from properly._boundary._text import many, printable
from properly._boundary._tolerances import SAME_SUM
from properly.cli._chosen import WHOLE, no_percentage
from properly.cli._column_plan import models_of
from properly.cli._column_writer import NewColumns, packing, pieces, require_format
from properly.cli._running import require_output, require_packages
from properly.cli._wording import name_rows
from properly.engines._files._read import open_files
from properly.errors import DataError, ProperlyError
from properly.recalibration import load

if TYPE_CHECKING:
    from collections.abc import Sequence

    from properly.cli._column_writer import FilePiece
    from properly.engines._files._checks import FileRows
    from properly.engines._files._read import Files
    from properly.recalibration import Map
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


# The map at work on the rows, piece by piece.


class ForecastReading(NamedTuple):
    """How the columns of forecasts are read.

    Attributes
    ----------
    columns : tuple of str
        Their names, one a class.
    percent, normalize : bool
        Whether they are in percent, and whether rows are to be divided by their sums.
    missing : {"refuse", "keep"}
        What to do about rows without a forecast.
    """

    columns: tuple[str, ...]
    percent: bool
    normalize: bool
    missing: str


class RowMap:
    """A map for the pieces of a file; what is odd is told once, at the end.

    Parameters
    ----------
    use : Map
        The map.
    reading : ForecastReading
        How its forecasts are read.
    groups : FileRows, optional
        The groups of all rows, of a map by group.
    """

    def __init__(self, use: Map, reading: ForecastReading, groups: FileRows | None) -> None:
        self.use, self.reading = use, reading
        self.rows, self.total = 0, np.zeros(len(reading.columns))
        self.distinct: list[Column] = []
        self.notes: list[str] = []
        # Forecasts that are out of the way, and the groups of these.
        self.odd: list[Column] = []
        self.odd_groups: list[Column] = []
        self.groups, self.without = None, None
        if groups is not None:
            ((name, self.groups),) = groups.columns.items()
            self.without = groups.missing[name]

    def at(self, piece: FilePiece) -> list[Column]:
        """Recalibrate the forecasts of a piece."""
        p = np.column_stack(piece.columns)
        part = slice(self.rows, self.rows + len(p))
        lacks = np.isnan(p)
        if self.without is not None:
            self._require_rows(part.stop, is_last=False)
            lacks = np.column_stack([lacks, self.without[part]])
        self._require_present(lacks, piece)
        rows = np.flatnonzero(~lacks.any(axis=1))
        given = self._scaled(p[rows], rows, piece)
        groups = None if self.groups is None else self.groups[part][rows]
        self.rows = part.stop
        self._look(given, groups)
        result = np.full(p.shape, np.nan)
        result[rows] = self._mapped(given, groups, rows, piece)
        return list((result * WHOLE if self.reading.percent else result).T)

    def _require_present(self, lacks: Column, piece: FilePiece) -> None:
        if self.reading.missing == "keep" or not lacks.any():
            return
        row, column = np.argwhere(lacks)[0].tolist()
        what = (*map(repr, self.reading.columns), "its group")[column]
        message = f"forecasts must not be missing; {piece.place(row)} lacks {what}"
        raise DataError(message, hint="--missing keep leaves the new one empty, too.")

    def _require_rows(self, rows: int, *, is_last: bool) -> None:
        """Refuse a file in which lines are not told apart in one way only."""
        groups = 0 if self.groups is None else len(self.groups)
        if self.groups is None or (rows == groups if is_last else rows <= groups):
            return
        message = f"each row must have a group; there are {rows:,} rows and {groups:,} groups"
        raise DataError(message, hint="leave out empty lines.")

    def _scaled(self, p: Column, rows: Column, piece: FilePiece) -> Column:
        """Divide percentages by 100, and rows of classes by their sums, if that was asked for."""
        if self.reading.percent:
            outside = ~((p >= 0) & (p <= WHOLE))
            if outside.any():
                row, column = np.argwhere(outside)[0]
                first = f"{piece.place(int(rows[row]))} is {p[row, column]:g}"
                raise no_percentage(self.reading.columns[column], first)
            p = p / WHOLE
        return p / p.sum(axis=1, keepdims=True) if self.reading.normalize else p

    def _mapped(self, p: Column, groups: Column | None, rows: Column, piece: FilePiece) -> Column:
        """Apply the map; a row that it refuses is named by its place in the file."""
        if not len(p):
            return p
        by_group: dict[str, Any] = {} if groups is None else {"groups": groups}
        try:
            with collected() as notes:
                result: Column = self.use.at(p[:, 0] if self.use.of == "event" else p, **by_group)
        except ProperlyError as error:
            # Others may follow in later pieces.
            text = re.sub(r" \([\d,]+ such rows\)", "", str(error))
            raise type(error)(name_rows(text, lambda row: piece.place(int(rows[row])))) from None
        if self.use.of != "event":
            self.notes += notes
        return result.reshape(p.shape)

    def _look(self, p: Column, groups: Column | None) -> None:
        """Remember what is told in the end: forecasts out of the way, and whose they are."""
        self.total += p.sum(axis=0)
        training = self.use.training
        if training is not None and training.cases and self.rows <= training.cases:
            self.distinct.append(np.unique(p, axis=0))
        if self.use.of != "event":
            return
        low, high = self.use.range or (0.0, 1.0)
        x = p[:, 0]
        odd = (x < low) | (x > high) | (x == 0) | (x == 1)
        if groups is not None:
            from properly.recalibration._group_maps import group_names

            seen = self.use.shifts  # type: ignore[attr-defined]
            names = np.array(group_names(groups.tolist()), dtype=object)
            odd |= np.array([name not in seen for name in names], dtype=bool)
            self.odd_groups.append(names[odd])
        self.odd.append(x[odd])

    def tell(self) -> None:
        """Say once what is odd about all forecasts, and that the map may know them."""
        self._require_rows(self.rows, is_last=True)
        p = np.concatenate([*self.odd, np.zeros(0)])
        if len(p) and self.groups is None:
            self.use.inspect(p)
        elif len(p):
            groups = np.concatenate(self.odd_groups)
            names = list(dict.fromkeys(groups.tolist()))
            self.use.inspect_groups(names, [p[groups == name] for name in names])  # type: ignore[attr-defined]
        for text in dict.fromkeys(self.notes):
            notice(text)
        if self._is_of_training():
            notice(FLATTERS)

    def _is_of_training(self) -> bool:
        """Tell whether there are as many forecasts, as many distinct ones, and the same mean."""
        training = self.use.training
        if training is None or self.rows != training.cases or not self.distinct:
            return False
        mean, theirs = self.total / self.rows, np.atleast_1d(training.mean_forecast)
        is_near = len(mean) == len(theirs) and np.allclose(mean, theirs, rtol=SAME_SUM, atol=0)
        distinct = np.unique(np.concatenate(self.distinct), axis=0)
        return bool(is_near) and len(distinct) == training.distinct
