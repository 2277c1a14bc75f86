"""New columns of numbers at the end of a file; all that was there stays as it is written.

Rows come in pieces, which are small beside the memory. Lines of CSV and JSON are copied letter by
letter, so quotes, leading zeros, dates and empty cells stay. Parquet and Arrow are copied by
pyarrow: types, order, and what pandas keeps beside the columns stay. What does not: the way in
which Parquet is packed inside its columns, old times of 96 bits, which become times of 64, and
compression inside Arrow.
"""

from __future__ import annotations

import bz2
import csv
import gzip
import io
import json
import math
import re
from contextlib import contextmanager, nullcontext
from importlib import import_module
from itertools import islice, takewhile
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple

import numpy as np

from properly._boundary._record import printable
from properly.engines._files._arrow import BrokenArrowError, arrow_batches, open_arrow
from properly.engines._files._checks import NUMBER, no_number
from properly.engines._files._duckdb_tables import (
    MISSING,
    OPENING,
    SEPARATORS,
    SPELLED,
    decoded,
    header_of,
    no_utf8,
    refusal,
)
from properly.engines._files._paths import COMPRESSED, DAMAGED, SUFFIXES, damaged
from properly.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
    from contextlib import AbstractContextManager

    from properly.engines._files._paths import File
    from properly.typing import Column

# Lines of a piece.
LINES = 1 << 16
LACKING = re.compile(MISSING)


class Piece(NamedTuple):
    """Some rows of a file.

    Attributes
    ----------
    columns : list of numpy array
        Numbers, NaN where one is missing.
    place : callable
        Names a row of the piece by where it is in the file.
    write : callable
        Writes the rows with new columns, in which NaN is missing.
    """

    columns: list[Column]
    place: Callable[[int], str]
    write: Callable[[Sequence[Column]], None]


class Request(NamedTuple):
    """Which columns of a file are read as numbers, and what the new ones are called."""

    file: File
    numbers: tuple[str, ...]
    new: tuple[str, ...]


def pieces(request: Request, target: BinaryIO) -> Generator[Piece]:
    """Go through the rows of a file, each of which is to be written."""
    kind = request.file.format
    readers = {"json": _json_pieces, "parquet": _parquet_pieces, "arrow": _arrow_pieces}
    return readers.get(kind, _csv_pieces)(request, target)


def require_format(file: File, output: str) -> None:
    """Refuse a name that promises another format than that of the file, before any work."""
    kind = "csv" if file.format in ("tsv", "text") else file.format
    if file.compression == "zstd":
        message = f"a column can be added to text that zstd does not pack; {file.name!r} is packed"
        raise DataError(message, hint="unpack it first.")
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


def _place(file: File, row: int) -> str:
    return f"row {row} of {printable(file.name)}"


@contextmanager
def _text_of(file: File) -> Iterator[Iterator[str]]:
    """Go through the lines of a file as they are, ends included."""
    try:
        with file.open() as binary, io.TextIOWrapper(binary, "utf-8", newline="") as text:
            yield text
    except UnicodeDecodeError:
        with file.open() as binary:
            good = sum(1 for _ in takewhile(_is_utf8, binary))
        raise no_utf8(file.name, good + 1) from None
    except DAMAGED:
        raise damaged(file.name) from None


def _is_utf8(line: bytes) -> bool:
    try:
        line.decode()
    except UnicodeDecodeError:
        return False
    return True


# CSV.


class _Line(NamedTuple):
    """A record of CSV: its text with the end of the line, its fields, and the first line."""

    text: str
    fields: list[str]
    line: int


def _records(file: File, lines: Iterator[str], separator: str) -> Iterator[_Line]:
    """Read records, which may be several lines, beside their text."""
    taken: list[str] = []

    def feed() -> Iterator[str]:
        for line in lines:
            taken.append(line)
            yield line.removeprefix("\ufeff") if first == 1 else line

    first = 1
    reader = csv.reader(feed(), delimiter=separator, strict=True)
    try:
        for fields in reader:
            yield _Line("".join(taken), fields, first)
            taken.clear()
            first = reader.line_num + 1
    except csv.Error as error:
        message = f"a file must be valid CSV; line {first} of {file.name!r} is not: {error}"
        raise DataError(message, hint="a quote within a quoted field is written twice.") from None


def _csv_pieces(request: Request, target: BinaryIO) -> Generator[Piece]:
    file = request.file
    with file.open() as source:
        opening = decoded(file.name, source.read(OPENING))
    header = header_of(file.name, opening, "\t" if file.format == "tsv" else SEPARATORS)
    places = [header.names.index(name) for name in request.numbers]
    with _text_of(file) as lines:
        records = _records(file, lines, header.separator)
        for record in records:
            # Empty lines above the names stay.
            named = [_cell(name, header.separator) for name in request.new] if record.fields else []
            target.write(_extended(record.text, named, header.separator).encode())
            if record.fields:
                break
        row = 0
        while some := list(islice(records, LINES)):
            rows = [each for each in some if each.fields]
            _require_fields(file, rows, len(header.names))
            place = _line_places(file, row, rows)
            columns = [
                np.array([_number(each.fields[i], name, place, k) for k, each in enumerate(rows)])
                for name, i in zip(request.numbers, places, strict=True)
            ]
            yield Piece(columns, place, _csv_writer(some, header.separator, target))
            row += len(rows)


def _require_fields(file: File, rows: list[_Line], count: int) -> None:
    for each in rows:
        if len(each.fields) != count:
            message = (
                "each line of a CSV file must have as many fields as its header; "
                f"line {each.line} of {file.name!r} has {len(each.fields)} instead of {count}"
            )
            raise DataError(message, hint="text that contains the separator must be quoted.")


def _line_places(file: File, first: int, rows: list[_Line]) -> Callable[[int], str]:
    def place(row: int) -> str:
        return f"row {first + row} (line {rows[row].line} of {printable(file.name)})"

    return place


def _number(text: str, name: str, place: Callable[[int], str], row: int) -> float:
    """Read a cell as a number; NaN is what is missing."""
    if NUMBER.fullmatch(text):
        return float(text)
    if LACKING.fullmatch(text):
        return math.nan
    raise no_number(name, place(row), text, 1)


def _csv_writer(
    records: list[_Line], separator: str, target: BinaryIO
) -> Callable[[Sequence[Column]], None]:
    def write(columns: Sequence[Column]) -> None:
        values = iter(zip(*(_texts(column) for column in columns), strict=True))
        lines = [
            _extended(each.text, next(values), separator) if each.fields else each.text
            for each in records
        ]
        target.write("".join(lines).encode())

    return write


def _texts(column: Column, missing: str = "") -> list[str]:
    """Write numbers as the shortest text that reads back to the same number."""
    return [missing if math.isnan(x) else repr(x) for x in column.tolist()]


def _extended(text: str, cells: Iterable[str], separator: str) -> str:
    """Add cells to a line, before its end."""
    line = text.rstrip("\r\n")
    return "".join([line, *(separator + cell for cell in cells), text[len(line) :]])


def _cell(text: str, separator: str) -> str:
    """Quote a name where CSV asks for it."""
    written = io.StringIO(newline="")
    csv.writer(written, delimiter=separator, lineterminator="\r\n").writerow([text])
    return written.getvalue().removesuffix("\r\n")


# JSON lines.


def _json_pieces(request: Request, target: BinaryIO) -> Generator[Piece]:
    file, row = request.file, 0
    with _text_of(file) as lines:
        while some := list(islice(lines, LINES)):
            first = row

            def place(k: int, first: int = first) -> str:
                return _place(file, first + k)

            texts = [line for line in some if line.strip()]
            records = [_object(file, text, first + k) for k, text in enumerate(texts)]
            columns = [
                np.array([_json_number(x.get(name), name, place, k) for k, x in enumerate(records)])
                for name in request.numbers
            ]
            yield Piece(columns, place, _json_writer(some, request.new, target))
            row += len(texts)


def _object(file: File, text: str, row: int) -> dict[str, Any]:
    try:
        value = json.loads(text)
    except ValueError:
        value = None
    if not isinstance(value, dict):
        message = f"each line must be one JSON object; that of {_place(file, row)} is none"
        raise DataError(message, hint="lists, and objects over several lines, are not rewritten.")
    return value


def _json_number(value: object, name: str, place: Callable[[int], str], row: int) -> float:
    if value is None:
        return math.nan
    if isinstance(value, str):
        return _number(value, name, place, row)
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise no_number(name, place(row), value, 1)
    return float(value)


def _json_writer(
    lines: list[str], new: tuple[str, ...], target: BinaryIO
) -> Callable[[Sequence[Column]], None]:
    names = [json.dumps(name, ensure_ascii=False) for name in new]

    def extended(line: str, values: Iterable[str]) -> str:
        body = line.rstrip()
        before = body[:-1].rstrip()
        cells = [f"{name}: {value}" for name, value in zip(names, values, strict=True)]
        comma = "" if before.endswith("{") else ", "
        return f"{before}{comma}{', '.join(cells)}}}{line[len(body) :]}"

    def write(columns: Sequence[Column]) -> None:
        values = iter(zip(*(_texts(column, "null") for column in columns), strict=True))
        written = [extended(line, next(values)) if line.strip() else line for line in lines]
        target.write("".join(written).encode())

    return write


# Parquet and Arrow.


def _parquet_pieces(request: Request, target: BinaryIO) -> Generator[Piece]:
    parquet = import_module("pyarrow.parquet")
    with _whole(request.file), parquet.ParquetFile(str(request.file.path)) as source:
        schema = _longer_schema(source.schema_arrow, request.new)
        codec = _codec(source.metadata)
        with parquet.ParquetWriter(target, schema, compression=codec) as sink:
            groups = range(source.num_row_groups)
            tables = (source.read_row_group(i) for i in groups)
            yield from _arrow_tables(request, schema, tables, sink.write_table)


def _arrow_pieces(request: Request, target: BinaryIO) -> Generator[Piece]:
    ipc = import_module("pyarrow.ipc")
    with _whole(request.file), open_arrow(request.file.path) as source:
        schema = _longer_schema(source.schema, request.new)
        is_stream = not hasattr(source, "num_record_batches")
        with (ipc.new_stream if is_stream else ipc.new_file)(target, schema) as sink:
            yield from _arrow_tables(request, schema, arrow_batches(source), sink.write)


def _codec(metadata: Any) -> str:
    """Return how the first column is packed; without rows there is nothing to pack."""
    if not metadata.num_row_groups or not metadata.num_columns:
        return "snappy"
    name = str(metadata.row_group(0).column(0).compression).lower()
    return "none" if name == "uncompressed" else name


def _longer_schema(schema: Any, new: tuple[str, ...]) -> Any:
    pyarrow = import_module("pyarrow")
    for name in new:
        schema = schema.append(pyarrow.field(name, pyarrow.float64()))
    return schema


def _arrow_tables(
    request: Request, schema: Any, tables: Iterable[Any], write: Callable[[Any], None]
) -> Iterator[Piece]:
    """Go through tables, or batches, and write longer ones."""
    pyarrow, row = import_module("pyarrow"), 0
    for table in tables:

        def place(k: int, first: int = row) -> str:
            return _place(request.file, first + k)

        def extend(columns: Sequence[Column], table: Any = table) -> None:
            made = [pyarrow.array(x, mask=np.isnan(x), type=pyarrow.float64()) for x in columns]
            arrays = [*table.columns, *made]
            write(type(table).from_arrays(arrays, schema=schema))

        columns = [_arrow_numbers(table.column(name), name) for name in request.numbers]
        yield Piece(columns, place, extend)
        row += table.num_rows


def _arrow_numbers(column: Any, name: str) -> Column:
    """Take a column as numbers, with NaN where a value is missing."""
    pyarrow = import_module("pyarrow")
    try:
        # An array of numpy needs no gaps: what is missing is filled before.
        numbers = column.cast(pyarrow.float64(), safe=False).fill_null(math.nan)
    except pyarrow.ArrowException:
        message = f"column {name!r} must hold numbers; it holds {column.type}"
        raise DataError(message) from None
    return np.asarray(numbers.to_numpy(zero_copy_only=False) if _is_array(numbers) else numbers)


def _is_array(x: Any) -> bool:
    return not hasattr(x, "num_chunks")


@contextmanager
def _whole(file: File) -> Iterator[None]:
    """Refuse a file that pyarrow cannot read to its end."""
    pyarrow = import_module("pyarrow")
    try:
        yield
    except (BrokenArrowError, pyarrow.ArrowException) as error:
        raise refusal(file, str(error)) from error
