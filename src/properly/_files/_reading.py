"""Columns of files, as arrays; the only file that imports duckdb.

A path and the names of columns are data: paths are handed over as parameters, and columns are
counted (c0, c1, ...), so that nothing a user wrote is ever part of a query.
"""

from __future__ import annotations

from collections import Counter
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from properly._extras import import_extra
from properly._files._paths import DAMAGED, damaged, find_files
from properly._files._rows import FileRows, Part, stacked
from properly._files._tables import fetch, refusal, table_of
from properly._nearest import require_columns
from properly._notice import notice
from properly._options import check_choice
from properly._plain import many
from properly.errors import ArgumentTypeError, DataError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from properly._files._paths import File, Paths
    from properly._files._rows import Column
    from properly._files._tables import Table


@dataclass(frozen=True, eq=False)
class Files:
    """Files with the same columns, open to be read."""

    connection: Any
    tables: tuple[Table, ...]

    @property
    def names(self) -> list[str]:
        """The names of the columns, in the order of the first file."""
        return [name for name in self.tables[0].names if name is not None]

    def require(self, names: Iterable[str]) -> None:
        """Refuse a column that is not there."""
        require_columns(names, self.names, "the file" if len(self.tables) == 1 else "each file")

    def read(self, columns: Iterable[str] | None = None) -> FileRows:
        """Read some columns, or all; a value that is missing has no meaning but is marked."""
        names = self.names if columns is None else _as_names(columns)
        self.require(names)
        found = [self._fetched(table, names) for table in self.tables]
        parts = tuple(
            Part(table.file, len(masks[0]))
            for table, (_, masks) in zip(self.tables, found, strict=True)
        )
        values: dict[str, Column] = {}
        missing: dict[str, Column] = {}
        for i, name in enumerate(names):
            masks = [masks[i] for _, masks in found]
            values[name] = stacked([columns[i] for columns, _ in found], masks)
            missing[name] = np.concatenate(masks)
        return FileRows(values, missing, parts)

    def _fetched(self, table: Table, names: list[str]) -> tuple[list[Column], list[Column]]:
        with _in_one_sentence(table.file):
            columns, masks = fetch(self.connection, table, names)
        if not len(masks[0]):
            shown = many(len(self.names), "column")
            message = f"a file must have rows; {table.file.name!r} has {shown} and no rows"
            raise DataError(message)
        return columns, masks


@contextmanager
def open_files(paths: Paths) -> Iterator[Files]:
    """Find files and look at their columns; what is written meanwhile goes when they close."""
    duckdb = import_extra("duckdb", extra="duckdb")
    with TemporaryDirectory(prefix="properly-") as folder:
        # Without these it would write into the working directory, or fetch code from the network.
        config = {
            "temp_directory": folder,
            "autoinstall_known_extensions": "false",
            "autoload_known_extensions": "false",
        }
        found = find_files(paths, Path(folder))
        with duckdb.connect(config=config) as connection:
            tables = [_opened(connection, file) for file in found]
            for table in tables:
                _require_same_columns(table, tables[0])
            yield Files(connection, tuple(tables))


def read(
    paths: Paths,
    columns: Iterable[str] | None = None,
    *,
    missing: Literal["refuse", "drop"] = "refuse",
) -> dict[str, np.ndarray[Any, Any]]:
    r"""Read columns of files into arrays.

    Needs the extra ``duckdb``, and Arrow files also pyarrow.

    Parameters
    ----------
    paths : str, Path, or several of them
        CSV or TSV, Parquet, Arrow (Feather, IPC) or JSON lines, which their suffixes tell, else
        their first bytes; also compressed by gzip, bzip2 or zstd. A pattern such as
        ``"scores/*.csv"`` stands for all files that it matches, in order of their names, unless a
        file has just that name. ``"-"`` is standard input.
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
        found, dropped = files.read(columns).complete(missing)
    if dropped is not None:
        notice(dropped)
    return found


def _opened(connection: Any, file: File) -> Table:
    with _in_one_sentence(file):
        table = table_of(connection, file)
    counts = Counter(name for name in table.names if name is not None)
    for name, count in counts.items():
        if count > 1:
            message = f"names of columns must differ; {file.name!r} has {name!r} {count} times"
            raise DataError(message)
    return table


@contextmanager
def _in_one_sentence(file: File) -> Iterator[None]:
    """Refuse a file that duckdb cannot read."""
    duckdb = import_extra("duckdb", extra="duckdb")
    try:
        yield
    except DAMAGED:
        raise damaged(file.name) from None
    except duckdb.Error as error:
        raise refusal(file, str(error)) from error


def _require_same_columns(table: Table, first: Table) -> None:
    lacking = [name for name in first.names if name is not None and name not in table.names]
    beyond = [name for name in table.names if name is not None and name not in first.names]
    if lacking or beyond:
        said = [f"lacks {_listed(lacking)}"] * bool(lacking)
        said += [f"has {_listed(beyond)} besides"] * bool(beyond)
        message = (
            f"files must have the same columns; compared with {first.file.name!r}, "
            f"{table.file.name!r} {' and '.join(said)}"
        )
        raise DataError(message)


def _listed(names: Sequence[str]) -> str:
    return ", ".join(repr(name) for name in names[:5]) + ", …" * (len(names) > 5)


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
