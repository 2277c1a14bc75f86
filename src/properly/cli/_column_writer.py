"""New columns of numbers at the end of a file; all that was there stays as it is written.

Lines of CSV and JSON are copied letter by letter, so quotes, leading zeros, dates and empty cells
stay. Parquet and Arrow are copied by pyarrow: types, order, and what pandas keeps beside the
columns stay. What does not: the way in which Parquet is packed inside its columns, old times of 96
bits, which become times of 64, and compression inside Arrow. What is copied comes in pieces, which
are small beside the memory; only the new columns are held whole.
"""

from __future__ import annotations

import bz2
import csv
import gzip
import io
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from importlib import import_module
from itertools import chain
from pathlib import Path
from typing import Any, BinaryIO, TypeAlias

import numpy as np

from properly._boundary._text import printable
from properly.cli._formats import csv_line
from properly.engines._files import _duckdb_tables as duckdb_tables
from properly.engines._files._duckdb_tables import OPENING, SEPARATORS, SPELLED, BrokenArrowError
from properly.engines._files._paths import COMPRESSED, SUFFIXES, File
from properly.errors import DataError
from properly.typing import Column

# Rows whose numbers are written as text at a time.
LINES = 1 << 16
# The text of a record of CSV or JSON with the end of its line, and whether it is a row of the
# table; an empty line is none.
TextRecord: TypeAlias = tuple[str, bool]


def write_columns(file: File, new: Mapping[str, Column], target: BinaryIO) -> None:
    """Copy a file with new columns, in which NaN is missing."""
    writers = {"json": _write_json, "parquet": _write_parquet, "arrow": _write_arrow}
    writers.get(file.format, _write_csv)(file, new, target)


def require_format(file: File, output: str) -> None:
    """Refuse a name that promises another format than that of the file, before any work."""
    kind = "csv" if file.format in ("tsv", "text") else file.format
    suffixes = [suffix.lower() for suffix in Path(output).suffixes]
    packed = suffixes.pop() if suffixes and suffixes[-1] in COMPRESSED else ""
    given = SUFFIXES.get(suffixes[-1], kind) if suffixes else kind
    given = "csv" if given == "tsv" else given
    if given != kind:
        message = (
            f"what is written has the format of what is read; {output!r} is no {SPELLED[kind]}"
        )
        raise DataError(message, hint=f"{file.name!r} is {SPELLED[kind]}; give the same suffix.")
    if packed == ".zst" or (packed and kind in ("parquet", "arrow")):
        message = f"text can be packed by gzip and bzip2; {output!r} is to be packed otherwise"
        raise DataError(message, hint=f"leave out {packed}.")


def packing(output: str, target: BinaryIO) -> AbstractContextManager[Any]:
    """Pack what is written, if the name says so."""
    suffix = Path(output).suffix.lower()
    if suffix == ".gz":
        # Without a time, so that the same rows are the same bytes.
        return gzip.GzipFile(fileobj=target, mode="wb", filename="", mtime=0)
    return bz2.BZ2File(target, "wb") if suffix == ".bz2" else nullcontext(target)


# Text, which was read without a complaint before.


def _write_text(
    target: BinaryIO,
    records: Iterable[TextRecord],
    cells: Iterator[tuple[str, ...]],
    extended: Callable[[str, Iterable[str]], str],
) -> None:
    """Write records, those that are rows with new cells."""

    def longer() -> Iterator[str]:
        for text, is_row in records:
            if is_row and (new := next(cells, None)) is None:
                raise uneven
            yield extended(text, new) if is_row and new else text
        if next(cells, None) is not None:
            raise uneven

    # Nothing may be written beside a row that it is not of.
    message = "a file must have as many records as rows; this one has not"
    uneven = DataError(message, hint="leave out empty lines.")
    sink = io.TextIOWrapper(target, "utf-8", newline="")
    sink.writelines(longer())
    sink.detach()


def _cells(new: Mapping[str, Column], missing: str) -> Iterator[tuple[str, ...]]:
    """Write numbers as the shortest texts that read back to the same numbers, row by row."""
    columns = list(new.values())
    for start in range(0, len(columns[0]), LINES):
        texts = (map(repr, column[start : start + LINES].tolist()) for column in columns)
        yield from zip(
            *([missing if x == "nan" else x for x in each] for each in texts), strict=True
        )


def _write_csv(file: File, new: Mapping[str, Column], target: BinaryIO) -> None:
    with file.open() as source:
        opening = duckdb_tables.decoded(file.name, source.read(OPENING))
    header = duckdb_tables.header_of(
        file.name, opening, "\t" if file.format == "tsv" else SEPARATORS
    )
    separator = header.separator

    def extended(text: str, cells: Iterable[str]) -> str:
        """Add cells to a record, before its end."""
        end = len(text.rstrip("\r\n"))
        return f"{text[:end]}{separator}{separator.join(cells)}{text[end:]}"

    names = tuple(csv_line([name], separator) for name in new)
    with _text_of(file) as lines:
        records = _csv_records(lines, separator, is_one=len(header.names) == 1)
        _write_text(target, records, chain([names], _cells(new, "")), extended)


def _csv_records(lines: Iterable[str], separator: str, *, is_one: bool) -> Iterator[TextRecord]:
    """Split lines into records, of which one may be several lines.

    Below the header an empty line is a row where there is one column.
    """
    taken: list[str] = []
    is_header = True

    def feed() -> Iterator[str]:
        for line in lines:
            taken.append(line)
            yield line.removeprefix("\ufeff")

    for fields in csv.reader(feed(), delimiter=separator):
        yield "".join(taken), bool(fields) or (is_one and not is_header)
        is_header = is_header and not fields
        taken.clear()


def _write_json(file: File, new: Mapping[str, Column], target: BinaryIO) -> None:
    labels = [f"{json.dumps(name, ensure_ascii=False)}: " for name in new]

    def extended(text: str, values: Iterable[str]) -> str:
        """Add entries to an object, before its end."""
        body = text.rstrip()
        before = body[:-1].rstrip()
        cells = ", ".join(map(str.__add__, labels, values))
        comma = "" if before.endswith("{") else ", "
        return f"{before}{comma}{cells}}}{text[len(body) :]}"

    with _text_of(file) as lines:
        records = (_json_record(file, *numbered) for numbered in enumerate(lines, 1))
        _write_text(target, records, _cells(new, "null"), extended)


def _json_record(file: File, line: int, text: str) -> TextRecord:
    try:
        value = json.loads(text) if text.strip() else None
    except ValueError:
        value = text
    if value is not None and not isinstance(value, dict):
        message = (
            f"each line must be one JSON object; line {line} of {printable(file.name)} is none"
        )
        raise DataError(message, hint="lists, and objects over several lines, are not rewritten.")
    return text, value is not None


@contextmanager
def _text_of(file: File) -> Iterator[Iterator[str]]:
    """Go through the lines of a file as they are, ends included."""
    with file.open() as binary, io.TextIOWrapper(binary, "utf-8", newline="") as text:
        yield text


# Parquet and Arrow.


def _write_parquet(file: File, new: Mapping[str, Column], target: BinaryIO) -> None:
    parquet = import_module("pyarrow.parquet")
    with _whole(file), parquet.ParquetFile(str(file.path)) as source:
        schema = _longer_schema(source.schema_arrow, new)
        codec = _codec(source.metadata)
        with parquet.ParquetWriter(target, schema, compression=codec) as sink:
            tables = map(source.read_row_group, range(source.num_row_groups))
            _write_tables(tables, new, schema, sink.write_table)


def _write_arrow(file: File, new: Mapping[str, Column], target: BinaryIO) -> None:
    ipc = import_module("pyarrow.ipc")
    with _whole(file), duckdb_tables.open_arrow(file.path) as source:
        schema = _longer_schema(source.schema, new)
        is_stream = not hasattr(source, "num_record_batches")
        with (ipc.new_stream if is_stream else ipc.new_file)(target, schema) as sink:
            _write_tables(duckdb_tables.arrow_batches(source), new, schema, sink.write)


def _codec(metadata: Any) -> str:
    """Return how the first column is packed; without rows there is nothing to pack."""
    if not metadata.num_row_groups or not metadata.num_columns:
        return "snappy"
    name = str(metadata.row_group(0).column(0).compression).lower()
    return "none" if name == "uncompressed" else name


def _longer_schema(schema: Any, new: Iterable[str]) -> Any:
    pyarrow = import_module("pyarrow")
    for name in new:
        schema = schema.append(pyarrow.field(name, pyarrow.float64()))
    return schema


def _write_tables(
    tables: Iterable[Any], new: Mapping[str, Column], schema: Any, write: Callable[[Any], None]
) -> None:
    """Write tables, or batches, with their rows of the new columns."""
    pyarrow, start = import_module("pyarrow"), 0
    for table in tables:
        rows = slice(start, start + table.num_rows)
        made = [pyarrow.array(x[rows], mask=np.isnan(x[rows])) for x in new.values()]
        write(type(table).from_arrays([*table.columns, *made], schema=schema))
        start = rows.stop


@contextmanager
def _whole(file: File) -> Iterator[None]:
    """Refuse a file that pyarrow cannot read to its end."""
    pyarrow = import_module("pyarrow")
    try:
        yield
    except (BrokenArrowError, pyarrow.ArrowException) as error:
        raise duckdb_tables.refusal(file, str(error)) from error
