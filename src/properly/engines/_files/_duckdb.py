"""A relation of duckdb: columns of several files as one table, never read into memory."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING, Any, NamedTuple

from properly.engines._files._checks import NUMBER, lacking, no_number, place_of, require_present
from properly.engines._files._duckdb_tables import LETTERS, Table, is_here, values_of

if TYPE_CHECKING:
    from collections.abc import Container, Mapping, Sequence
    from pathlib import Path

    from properly.engines._files._duckdb_tables import Value

# Moments are in UTC and without a zone, as they are in arrays.
UTC = "make_timestamp(epoch_us({}))"
# Numbers beside text are text, and are written as Python would.
WRITTEN = {
    "b": "CASE {} WHEN true THEN 'True' WHEN false THEN 'False' END",
    "M": f"strftime({UTC}, '%Y-%m-%dT%H:%M:%S.%f')",
}


class Column(NamedTuple):
    """A column of one file: how to select it, and what its values are like.

    The least and the greatest value, and whether all are 0 or 1, are known of numbers only.
    """

    value: Value
    present: int
    least: float | None
    greatest: float | None
    zero_one: bool | None
    unreadable: int


class Shape(NamedTuple):
    """A column of all files together: its kind as a letter of numpy, and its values, if any."""

    letter: str
    least: float | None
    greatest: float | None
    zero_one: bool


class Measured(NamedTuple):
    """A file whose values have been looked at."""

    table: Table
    rows: int
    complete: int
    columns: dict[str, Column]


def settled(
    connection: Any, table: Table, names: Sequence[str], place: Path, full: type[Exception]
) -> Table:
    """Write columns of text once as Parquet, which is read again and again much sooner.

    What does not fit into the temporary folder, as an exception tells, stays as it is.
    """
    if table.file.format not in ("csv", "json") or not _has_room(table, place.parent):
        return table
    values = values_of(connection, table, names)
    chosen = ", ".join(f"{value.sql} AS v{i}" for i, value in enumerate(values))
    rows = connection.sql(f"SELECT {chosen} FROM {table.source}")  # noqa: S608
    try:
        rows.write_parquet(str(place), compression="zstd")
    except full:
        place.unlink(missing_ok=True)
        return table
    variable = place.name
    connection.execute(f"SET VARIABLE {variable} = $1", [str(place)])
    scan = f"read_parquet(getvariable('{variable}'))"
    return Table(table.file, tuple(names), tuple(value.kind for value in values), scan)


def _has_room(table: Table, folder: Path) -> bool:
    """Tell whether what is read may fit into a folder; numbers are shorter than their text."""
    size = table.file.path.stat().st_size if is_here(table.file) else 0
    return shutil.disk_usage(folder).free > 2 * size


def measured(
    connection: Any, table: Table, names: Sequence[str], numbers: Container[str] = ()
) -> Measured:
    """Count rows, and in each column the values, by one look at the file."""
    values = values_of(connection, table, names)
    questions = [
        each
        for name, value in zip(names, values, strict=True)
        for each in _questions(value, number=name in numbers)
    ]
    whole = " AND ".join(value.present for value in values)
    counts = f"count(*), count(*) FILTER ({whole}), {', '.join(questions)}"
    query = f"SELECT {counts} FROM {table.source}"  # noqa: S608
    ((rows, complete, *answers),) = connection.execute(query).fetchall()
    columns = {
        name: Column(value, *answers[5 * i : 5 * i + 5])
        for i, (name, value) in enumerate(zip(names, values, strict=True))
    }
    return Measured(table, rows, complete, columns)


def _questions(value: Value, *, number: bool) -> list[str]:
    """Ask for what a `Column` knows of its values."""
    count = f"count(*) FILTER ({value.present})"
    if value.letter in "bif":
        x, there = f"CAST({value.sql} AS DOUBLE)", f"FILTER ({value.present})"
        ends = [f"min({x}) {there}", f"max({x}) {there}", f"bool_and({x} IN (0, 1)) {there}"]
        return [count, *ends, "0"]
    return [count, "NULL", "NULL", "NULL", f"count(*) FILTER ({_unread(value)})" if number else "0"]


def _unread(value: Value) -> str:
    """Whether there is a value that is no number."""
    if value.letter == "M":
        return value.present
    reads = f"regexp_full_match({value.sql}, '{NUMBER.pattern}', 'i')"
    return f"({value.present} AND NOT {reads})"


def require_numbers(connection: Any, files: Sequence[Measured], names: Sequence[str]) -> None:
    """Refuse columns that hold what is no number, with the first such row and its value."""
    for name in names:
        count = sum(each.columns[name].unreadable for each in files)
        first = next((each for each in files if each.columns[name].unreadable), None)
        if first is not None:
            value = first.columns[name].value
            rows = f"(SELECT *, row_number() OVER () - 1 AS row FROM {first.table.source})"  # noqa: S608
            query = f"SELECT min(row) AS row, arg_min({value.sql}, row) AS value FROM {rows}"  # noqa: S608
            there = connection.execute(f"{query} WHERE {_unread(value)}").fetchnumpy()
            place = place_of(first.table.file, int(there["row"][0]), first.rows)
            raise no_number(name, place, there["value"][0], count)


def kept(files: Sequence[Measured], names: Sequence[str], missing: str) -> str | None:
    """Refuse rows with a missing value, or say how many are dropped."""
    rows = sum(each.rows for each in files)
    gone = rows - sum(each.complete for each in files)
    gaps = {name: sum(each.rows - each.columns[name].present for each in files) for name in names}
    return require_present(rows, gone, lacking(gaps), missing)


def union(files: Sequence[Measured], columns: Mapping[str, str], numbers: Container[str]) -> str:
    """Write the query that puts the rows of all files below one another."""
    kinds = {name: _common(files, name, name in numbers) for name in columns.values()}
    selects = []
    for each in files:
        chosen = ", ".join(
            f"{_as_kind(each.columns[name], kinds[name])} AS {safe}"
            for safe, name in columns.items()
        )
        select = f"SELECT {chosen} FROM {each.table.source}"  # noqa: S608
        if each.complete < each.rows:
            whole = " AND ".join(column.value.present for column in each.columns.values())
            select += f" WHERE {whole}"
        selects.append(select)
    return " UNION ALL ".join(selects)


def shape_of(files: Sequence[Measured], name: str) -> Shape:
    """Say what a column of all files together is like."""
    columns = [each.columns[name] for each in files]
    kind = _common(files, name, number=False)
    filled = [column for column in columns if column.present]
    if not filled or LETTERS.get(kind, "M") not in "bif":
        return Shape(LETTERS.get(kind, "M"), None, None, zero_one=False)
    return Shape(
        LETTERS[kind],
        min(column.least for column in filled if column.least is not None),
        max(column.greatest for column in filled if column.greatest is not None),
        all(column.zero_one for column in filled),
    )


def _common(files: Sequence[Measured], name: str, number: bool) -> str:
    """Choose the kind of a column of several files; one without any value fits every kind."""
    columns = [each.columns[name] for each in files]
    filled = [column.value for column in columns if column.present] or [columns[0].value]
    letters = {value.letter for value in filled}
    if len(letters) == 1 and not (number and letters & {"O", "M"}):
        return "TIMESTAMP" if letters == {"M"} else filled[0].kind
    if number or letters <= set("bif"):
        return "BIGINT" if letters == set("bi") else "DOUBLE"
    return "VARCHAR"


def _as_kind(column: Column, kind: str) -> str:
    """Select a column of one file in the kind that it has in all of them."""
    value, letter = column.value, column.value.letter
    if not column.present:
        return f"CAST(NULL AS {kind})"
    if kind == "TIMESTAMP":
        return UTC.format(value.sql)
    if kind == "VARCHAR" and letter in WRITTEN:
        return WRITTEN[letter].format(value.sql)
    return value.sql if value.kind == kind else f"CAST({value.sql} AS {kind})"
