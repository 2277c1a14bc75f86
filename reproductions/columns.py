"""Columns of numbers in a file that a user hands in: of a CSV file, or of a table of R."""

from __future__ import annotations

import csv
import lzma
import warnings
import zlib
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from properly._boundary._notices import import_extra
from properly.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from properly.typing import Column


Table: TypeAlias = dict[str, list[Any]]

# Endings of files of R.
OF_R = (".rda", ".rdata")
# What is raised for files that are damaged, or are something else.
UNREADABLE = (
    *(OSError, EOFError, ValueError, TypeError, LookupError, AttributeError, AssertionError),
    *(MemoryError, OverflowError, RuntimeError, csv.Error, zlib.error, lzma.LZMAError),
)


def read_columns(path: str | Path, names: Sequence[str]) -> Table:
    """Read columns of a CSV file, or of a table in an ``.rda`` file of R, as they stand there."""
    place = Path(path)
    is_of_r = place.suffix.lower() in OF_R
    read = _reader_of_r() if is_of_r else _read_csv
    try:
        tables = read(place)
    except UNREADABLE as error:
        reason = getattr(error, "strerror", None) or error
        kind = "an .rda file of R" if is_of_r else "a CSV file"
        message = f"the data must be {kind} that can be read; {str(path)!r} cannot: {reason}"
        raise DataError(message) from None
    return _require(tables, names, str(path))


def numbers(columns: Mapping[str, Sequence[Any]], name: str) -> Column:
    """Take the entries of a column as numbers."""
    found = np.empty(len(columns[name]))
    for row, entry in enumerate(columns[name]):
        try:
            found[row] = float(entry)
        except (TypeError, ValueError):
            message = f"the data must be numbers; row {row} of {name} is {entry!r}"
            raise DataError(message) from None
    return found


def _read_csv(path: Path) -> list[Table]:
    with path.open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    return [{name: [row[name] for row in rows] for name in rows[0]}] if rows else []


def _reader_of_r() -> Callable[[Path], list[Table]]:
    """Look for what reads files of R, and runs nothing in them."""
    rdata = import_extra("rdata", extra="rdata")

    def read(path: Path) -> list[Table]:
        with warnings.catch_warnings():
            # About classes of R that are not needed, such as dates.
            warnings.simplefilter("ignore")
            frames = [x for x in rdata.read_rda(path).values() if hasattr(x, "columns")]
        return [{str(name): x[name].tolist() for name in x.columns} for x in frames]

    return read


def _require(tables: Sequence[Table], names: Sequence[str], path: str) -> Table:
    """Take the first table that has the columns, and rows."""
    missing = [[name for name in names if not table.get(name)] for table in tables]
    if [] in missing:
        return tables[missing.index([])]
    found = f"no {', '.join(missing[0])}" if missing else "no rows"
    message = f"the data must have rows with the columns {', '.join(names)}; {path!r} has {found}"
    raise DataError(message)
