"""`read`: columns of files as arrays, or as a relation of duckdb.

duckdb is imported here only. A path and the names of columns are data: paths are handed over as
parameters, and columns are counted (c0, c1, ...), so that nothing a user wrote is ever part of a
query. A limit of memory also limits the cores that duckdb works on.

For a relation, columns of text are first settled: written once as Parquet, which is read again and
again much sooner. Values are measured by one look at each file, and a query puts the rows of all
files below one another; they are never read into memory.
"""

from __future__ import annotations

import math
import os
import re
import shutil
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np

from properly._boundary._classes import require_columns, require_distinct
from properly._boundary._files import temporary_folder
from properly._boundary._notices import import_extra, notice
from properly._boundary._options import check_choice
from properly._boundary._text import many
from properly.engines._files import _checks, _duckdb_tables, _paths
from properly.engines._files._duckdb_tables import Table, Value
from properly.engines._files._paths import File, Paths
from properly.errors import ArgumentTypeError, DataError
from properly.typing import Column

SIZE = re.compile(r"\s*([0-9]+(?:\.[0-9]+)?)\s*([KMGT])(i?)B\s*", re.IGNORECASE)
# What duckdb asks for by core; with less it runs out of memory rather than use fewer.
PER_CORE = 125_000_000
# Moments are in UTC and without a zone, as they are in arrays.
UTC = "make_timestamp(epoch_us({}))"
# Numbers beside text are text, and are written as Python would.
WRITTEN = {
    "b": "CASE {} WHEN true THEN 'True' WHEN false THEN 'False' END",
    "M": f"strftime({UTC}, '%Y-%m-%dT%H:%M:%S.%f')",
}


class Profile(NamedTuple):
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


class MeasuredFile(NamedTuple):
    """A file whose values have been looked at."""

    table: Table
    rows: int
    complete: int
    columns: dict[str, Profile]


@dataclass(frozen=True, eq=False)
class Files:
    """Files with the same columns, open to be read."""

    connection: Any
    tables: tuple[Table, ...]
    folder: Path
    kinds: dict[tuple[str, str], Value] = field(default_factory=dict)

    @property
    def names(self) -> list[str]:
        """The names of the columns, in the order of the first file."""
        return [name for name in self.tables[0].names if name is not None]

    def require(self, names: Iterable[str]) -> None:
        """Refuse a column that is not there."""
        require_columns(names, self.names, "the file" if len(self.tables) == 1 else "each file")

    def read(self, columns: Iterable[str] | None = None) -> _checks.FileRows:
        """Read some columns, or all; a value that is missing has no meaning but is marked."""
        names = self.names if columns is None else _as_names(columns)
        self.require(names)
        fetched = [self._fetched(table, names) for table in self.tables]
        parts = tuple(
            _checks.FilePart(table.file, len(masks[0]))
            for table, (_, masks) in zip(self.tables, fetched, strict=True)
        )
        values: dict[str, Column] = {}
        missing: dict[str, Column] = {}
        for i, name in enumerate(names):
            masks = [masks[i] for _, masks in fetched]
            values[name] = _checks.stacked([columns[i] for columns, _ in fetched], masks)
            missing[name] = np.concatenate(masks)
        return _checks.FileRows(values, missing, parts)

    def keep_text(self, name: str) -> None:
        """Leave a column of CSV files as it is written."""
        for table in self.tables:
            if table.is_text:
                value = Value(f"c{table.names.index(name)}", "VARCHAR")
                self.kinds[table.scan, name] = value

    def count(self) -> int:
        """Count the rows of all files; Parquet files know theirs."""
        return sum(self._counted(table, table.scan) for table in self.tables)

    def exceed(self, most: int) -> bool:
        """Tell whether there are more than `most` rows, without counting much further."""
        if sum(map(_most_rows, self.tables)) <= most:
            return False
        left = most
        for table in self.tables:
            some = f"(SELECT 1 FROM {table.scan} LIMIT {left + 1})"  # noqa: S608
            left -= self._counted(table, some)
            if left < 0:
                return True
        return False

    def shapes(self, names: Iterable[str]) -> dict[str, Shape]:
        """Say of what kind columns are and how far their values reach, without reading them."""
        columns = _as_names(names)
        files = self._measured(columns, ())
        return {name: shape_of(files, name) for name in columns}

    def relation(
        self,
        columns: Mapping[str, str],
        *,
        numbers: Iterable[str] = (),
        missing: Literal["refuse", "drop"] = "refuse",
    ) -> tuple[Any, str | None]:
        """Put columns of all files below one another in duckdb, without reading their rows.

        Columns are asked for by the names that they shall have, plain words such as ``c0``; some
        must hold numbers. Returns a relation, in no order and open as long as the files are, and
        what was said of dropped rows.
        """
        names = _as_names(columns.values())
        self.require(names)
        needed = set(numbers)
        full, tables = import_extra("duckdb", extra="app").IOException, []
        for i, table in enumerate(self.tables):
            place = self.folder / f"settled_{i}"
            with _in_one_sentence(table.file):
                values = self._values(table, names)
                tables.append(settled(self.connection, table, values, place, full))
        files = self._measured(names, needed, tables)
        require_numbers(self.connection, files, [name for name in names if name in needed])
        dropped = kept(files, names, missing)
        return self.connection.sql(union(files, columns, needed)), dropped

    def _measured(
        self, names: list[str], numbers: Container[str], tables: Iterable[Table] | None = None
    ) -> list[MeasuredFile]:
        files = []
        for table in self.tables if tables is None else tables:
            with _in_one_sentence(table.file):
                values = self._values(table, names)
                files.append(measured(self.connection, table, values, numbers))
            self._require_rows(table, files[-1].rows)
        return files

    def _counted(self, table: Table, rows: str) -> int:
        with _in_one_sentence(table.file):
            ((count,),) = self.connection.execute(f"SELECT count(*) FROM {rows}").fetchall()  # noqa: S608
        return int(count)

    def _fetched(self, table: Table, names: list[str]) -> tuple[list[Column], list[Column]]:
        """Read columns of a file, in the order of its rows, and where a value is missing."""
        with _in_one_sentence(table.file):
            selected = enumerate(self._values(table, names).values())
            chosen = ", ".join(f"{value.sql} AS v{i}" for i, value in selected)
            query = f"SELECT {chosen} FROM {table.source(names)}"  # noqa: S608
            arrays = self.connection.execute(query).fetchnumpy()
        columns = [arrays[f"v{i}"] for i in range(len(names))]
        self._require_rows(table, len(columns[0]))
        values, masks = zip(*map(_parted, columns), strict=True)
        return list(values), list(masks)

    def _values(self, table: Table, names: Sequence[str]) -> dict[str, Value]:
        """Choose the kinds of columns, each once: of text, that takes looks at all rows."""
        new = [name for name in names if (table.scan, name) not in self.kinds]
        if new:
            values = _duckdb_tables.values_of(self.connection, table, new)
            self.kinds.update(zip([(table.scan, name) for name in new], values, strict=True))
        return {name: self.kinds[table.scan, name] for name in names}

    def _require_rows(self, table: Table, rows: int) -> None:
        if not rows:
            shown = many(len(self.names), "column")
            message = f"a file must have rows; {table.file.name!r} has {shown} and no rows"
            raise DataError(message)


@contextmanager
def open_files(paths: Paths, memory: str | None = None) -> Iterator[Files]:
    """Find files and look at their columns; what is written meanwhile goes when they close.

    As much memory is used, such as ``"1GB"``; what does not fit goes to the temporary folder.
    """
    duckdb = import_extra("duckdb", extra="app")
    limits = {} if memory is None else limits_of(memory)
    with temporary_folder() as folder:
        files, stores = _paths.in_stores(_paths.find_files(paths, folder))
        # Without these it would write into the working directory, or fetch code from the network;
        # code that was fetched by hand is needed to reach files elsewhere.
        config = {
            "temp_directory": str(folder),
            "autoinstall_known_extensions": "false",
            "autoload_known_extensions": str(not all(map(_paths.is_here, files))).lower(),
        }
        with _enough(duckdb, memory), duckdb.connect(config=config | limits) as connection:
            # It would draw between our own lines.
            connection.execute("SET enable_progress_bar = false")
            for store in stores:
                connection.register_filesystem(store)
            tables: list[Table] = []
            for number, file in enumerate(files):
                with _in_one_sentence(file):
                    tables.append(_duckdb_tables.table_of(connection, file, number, folder))
                require_distinct(tables[-1].names, repr(file.name))
            for table in tables:
                _duckdb_tables.require_same(table, tables[0])
            yield Files(connection, tuple(tables), folder)


def read(
    paths: Paths,
    columns: Iterable[str] | None = None,
    *,
    missing: Literal["refuse", "drop"] = "refuse",
) -> dict[str, np.ndarray[Any, Any]]:
    r"""Read columns of files into arrays.

    Needs the extra ``app``.

    Parameters
    ----------
    paths : str, Path, or several of them
        CSV or TSV, Parquet, Arrow (Feather, IPC) or JSON lines, which their suffixes tell, else
        their first bytes; also compressed by gzip, bzip2 or zstd. A pattern such as
        ``"scores/*.csv"`` stands for all files that it matches, in order of their names, unless a
        file has just that name. ``"-"`` is standard input. An address such as
        ``"s3://bucket/*.parquet"`` needs the extra ``s3``.
    columns : str or several, optional
        Names of columns. If left out, all are read.
    missing : {"refuse", "drop"}
        Whether a missing value is an error, or its row is dropped with a warning that says how
        many were. Missing are: in CSV nothing, NA, NaN, nan, NULL and null; elsewhere null and NaN.

    Returns
    -------
    dict of array
        By name, in the order that was asked for; rows in the order of the files. Numbers are int64
        or float64, true and false bool, dates datetime64 (in UTC if they had a zone), and all else
        is text.

    Notes
    -----
    The first line of a CSV file names its columns; a column without a name is left out. Fields are
    separated by commas, semicolons, tabs or bars, whichever fits the first two lines, and the text
    is UTF-8. A column is of the narrowest kind that fits all its values; codes with leading zeros
    and ids beyond 64 bits stay text. Several files must have the same columns, in any order.

    Examples
    --------
    >>> import properly
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder) / "forecasts.csv"
    ...     _ = path.write_text("died,logistic,forest\n0,0.1,0.0\n1,0.4,0.75\n")
    ...     data = properly.read(path, ["died", "forest"])
    >>> data
    {'died': array([0, 1]), 'forest': array([0.  , 0.75])}
    >>> properly.rules.Brier()(data["died"], data["forest"])
    0.03125
    """
    check_choice(missing, ("refuse", "drop"), "missing")
    with open_files(paths) as files:
        data, dropped = files.read(columns).complete(missing)
    if dropped is not None:
        notice(dropped)
    return data


def as_size(memory: str) -> int:
    """Take a size such as "1GB" as bytes; duckdb takes some that are none for no limit at all."""
    size = SIZE.fullmatch(memory) if isinstance(memory, str) else None
    if size is None:
        message = f"memory must be a size such as '500MB', '1GB' or '2GiB'; got {memory!r}"
        raise DataError(message)
    base = 1024 if size[3] else 1000
    return int(float(size[1]) * base ** (1 + "KMGT".index(size[2].upper())))


def limits_of(memory: str) -> dict[str, str]:
    """Return the settings of duckdb for a limit of memory."""
    size = as_size(memory)
    limits = {"memory_limit": f"{size}B"}
    cores = max(1, size // PER_CORE)
    return limits | ({"threads": str(cores)} if cores < (os.cpu_count() or 1) else {})


@contextmanager
def _enough(duckdb: Any, memory: str | None) -> Iterator[None]:
    """Refuse work for which there is not enough memory."""
    try:
        yield
    except duckdb.OutOfMemoryException as error:
        had = "that of this machine" if memory is None else repr(memory)
        message = f"the work must fit into the memory and the temporary folder; {had} does not do"
        hint = "give more by --memory, or name a folder with more space by TMPDIR."
        raise DataError(message, hint=hint) from error
    except duckdb.Error as error:
        reason = str(error).partition("\n")[0]
        message = f"duckdb must be able to work on the files to their end; it says: {reason}"
        raise DataError(message) from error


@contextmanager
def _in_one_sentence(file: File) -> Iterator[None]:
    """Refuse a file that duckdb cannot read."""
    duckdb = import_extra("duckdb", extra="app")
    try:
        yield
    except _paths.DAMAGED:
        raise _paths.damaged(file.name) from None
    except duckdb.OutOfMemoryException:
        raise
    except duckdb.Error as error:
        raise _duckdb_tables.refusal(file, str(error)) from error


def _parted(column: Column) -> tuple[Column, Column]:
    """Return values, and where one is missing; numpy.ma is imported by duckdb if one is null."""
    masked = type(column) is not np.ndarray
    values = np.ma.getdata(column) if masked else column
    mask = np.ma.getmaskarray(column) if masked else np.zeros(len(column), dtype=bool)
    return values, mask | np.isnan(values) if values.dtype.kind == "f" else mask


def _as_names(columns: Iterable[str]) -> list[str]:
    names = [columns] if isinstance(columns, str) else list(dict.fromkeys(columns))
    for name in names:
        if not isinstance(name, str):
            message = f"columns must be names; got {name!r}"
            raise ArgumentTypeError(message)
    if not names:
        message = "columns must name at least one; got none"
        raise DataError(message)
    return names


def settled(
    connection: Any, table: Table, values: Mapping[str, Value], place: Path, full: type[Exception]
) -> Table:
    """Write columns of text once as Parquet, which is read again and again much sooner.

    What does not fit into the temporary folder, as an exception tells, stays as it is.
    """
    if table.file.format not in ("csv", "json") or not _has_room(table, place.parent):
        return table
    chosen = ", ".join(f"{value.sql} AS v{i}" for i, value in enumerate(values.values()))
    rows = connection.sql(f"SELECT {chosen} FROM {table.source(values)}")  # noqa: S608
    try:
        rows.write_parquet(str(place), compression="zstd")
    except full:
        place.unlink(missing_ok=True)
        return table
    variable = place.name
    connection.execute(f"SET VARIABLE {variable} = $1", [str(place)])
    scan = f"read_parquet(getvariable('{variable}'))"
    return Table(table.file, tuple(values), tuple(value.kind for value in values.values()), scan)


def _has_room(table: Table, folder: Path) -> bool:
    """Tell whether what is read may fit into a folder; numbers are shorter than their text."""
    size = table.file.path.stat().st_size if _paths.is_here(table.file) else 0
    return shutil.disk_usage(folder).free > 2 * size


def _most_rows(table: Table) -> float:
    """Return how many rows a file may have: a row of text has a separator or an end a column."""
    if not table.is_text or table.file.compression != "none" or not _paths.is_here(table.file):
        return math.inf
    size = table.file.path.stat().st_size
    # A pipe says that it is empty.
    return size // len(table.names) + 1 if size else math.inf


def measured(
    connection: Any, table: Table, values: Mapping[str, Value], numbers: Container[str] = ()
) -> MeasuredFile:
    """Count rows, and in each column the values, by one look at the file."""
    questions = [
        each for name, value in values.items() for each in _questions(value, number=name in numbers)
    ]
    whole = " AND ".join(value.present for value in values.values())
    counts = f"count(*), count(*) FILTER ({whole}), {', '.join(questions)}"
    query = f"SELECT {counts} FROM {table.source(values)}"  # noqa: S608
    ((rows, complete, *answers),) = connection.execute(query).fetchall()
    columns = {
        name: Profile(value, *answers[5 * i : 5 * i + 5])
        for i, (name, value) in enumerate(values.items())
    }
    return MeasuredFile(table, rows, complete, columns)


def _questions(value: Value, *, number: bool) -> list[str]:
    """Ask for what a `Profile` knows of its values."""
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
    reads = f"regexp_full_match({value.sql}, '{_checks.NUMBER.pattern}', 'i')"
    return f"({value.present} AND NOT {reads})"


def require_numbers(connection: Any, files: Sequence[MeasuredFile], names: Sequence[str]) -> None:
    """Refuse columns that hold what is no number, with the first such row and its value."""
    for name in names:
        count = sum(each.columns[name].unreadable for each in files)
        first = next((each for each in files if each.columns[name].unreadable), None)
        if first is not None:
            value, source = first.columns[name].value, first.table.source([name])
            rows = f"(SELECT *, row_number() OVER () - 1 AS row FROM {source})"  # noqa: S608
            query = f"SELECT min(row) AS row, arg_min({value.sql}, row) AS value FROM {rows}"  # noqa: S608
            there = connection.execute(f"{query} WHERE {_unread(value)}").fetchnumpy()
            place = _checks.place_of(first.table.file, int(there["row"][0]), first.rows)
            raise _checks.no_number(name, place, there["value"][0], count)


def kept(files: Sequence[MeasuredFile], names: Sequence[str], missing: str) -> str | None:
    """Refuse rows with a missing value, or say how many are dropped."""
    rows = sum(each.rows for each in files)
    gone = rows - sum(each.complete for each in files)
    gaps = {name: sum(each.rows - each.columns[name].present for each in files) for name in names}
    return _checks.require_present(rows, gone, _checks.lacking(gaps), missing)


def union(
    files: Sequence[MeasuredFile], columns: Mapping[str, str], numbers: Container[str]
) -> str:
    """Write the query that puts the rows of all files below one another."""
    kinds = {name: _common(files, name, name in numbers) for name in columns.values()}
    selects = []
    for each in files:
        chosen = ", ".join(
            f"{_as_kind(each.columns[name], kinds[name])} AS {safe}"
            for safe, name in columns.items()
        )
        select = f"SELECT {chosen} FROM {each.table.source(each.columns)}"  # noqa: S608
        if each.complete < each.rows:
            whole = " AND ".join(column.value.present for column in each.columns.values())
            select += f" WHERE {whole}"
        selects.append(select)
    return " UNION ALL ".join(selects)


def shape_of(files: Sequence[MeasuredFile], name: str) -> Shape:
    """Say what a column of all files together is like."""
    columns = [each.columns[name] for each in files]
    kind = _common(files, name, number=False)
    filled = [column for column in columns if column.present]
    if not filled or _duckdb_tables.LETTERS.get(kind, "M") not in "bif":
        return Shape(_duckdb_tables.LETTERS.get(kind, "M"), None, None, zero_one=False)
    return Shape(
        _duckdb_tables.LETTERS[kind],
        min(column.least for column in filled if column.least is not None),
        max(column.greatest for column in filled if column.greatest is not None),
        all(column.zero_one for column in filled),
    )


def _common(files: Sequence[MeasuredFile], name: str, number: bool) -> str:
    """Choose the kind of a column of several files; one without any value fits every kind."""
    columns = [each.columns[name] for each in files]
    filled = [column.value for column in columns if column.present] or [columns[0].value]
    letters = {value.letter for value in filled}
    if len(letters) == 1 and not (number and letters & {"O", "M"}):
        return "TIMESTAMP" if letters == {"M"} else filled[0].kind
    if number or letters <= set("bif"):
        return "BIGINT" if letters == set("bi") else "DOUBLE"
    return "VARCHAR"


def _as_kind(column: Profile, kind: str) -> str:
    """Select a column of one file in the kind that it has in all of them."""
    value, letter = column.value, column.value.letter
    if not column.present:
        return f"CAST(NULL AS {kind})"
    if kind == "TIMESTAMP":
        return UTC.format(value.sql)
    if kind == "VARCHAR" and letter in WRITTEN:
        return WRITTEN[letter].format(value.sql)
    return value.sql if value.kind == kind else f"CAST({value.sql} AS {kind})"
