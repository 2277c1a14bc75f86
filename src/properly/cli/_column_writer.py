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
from contextlib import contextmanager, nullcontext, suppress
from importlib import import_module
from itertools import islice, takewhile
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple

import numpy as np

from properly._boundary._text import printable
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

    from properly.engines._files._duckdb_tables import Header
    from properly.engines._files._paths import File
    from properly.typing import Column

# Lines of a piece.
LINES = 1 << 16
LACKING = re.compile(MISSING)
PLAIN = frozenset("0123456789.+-eE \t")


class FilePiece(NamedTuple):
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


class NewColumns(NamedTuple):
    """Which columns of a file are read as numbers, and what the new ones are called."""

    file: File
    numbers: tuple[str, ...]
    new: tuple[str, ...]


def pieces(request: NewColumns, target: BinaryIO) -> Generator[FilePiece]:
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


class _Records(NamedTuple):
    """Records of CSV: their text with ends of lines, and of those that are not empty, the cells.

    Attributes
    ----------
    texts : list of str
        All records, the empty ones included.
    cells : list of list of str
        By column that is read, its cells.
    lines : list of int
        The line on which each record begins that is not empty.
    """

    texts: list[str]
    cells: list[list[str]]
    lines: list[int]


def _records(request: NewColumns, lines: Iterator[str], header: Header) -> Generator[_Records]:
    """Read records, which may be several lines, beside their text; the names come first."""
    taken: list[str] = []

    def feed() -> Iterator[str]:
        for line in lines:
            taken.append(line)
            yield line if texts or first > 1 else line.removeprefix("\ufeff")

    file, first, count, is_named = request.file, 1, len(header.names), False
    places = [header.names.index(name) for name in request.numbers]
    texts, cells, starts = _Records([], [[] for _ in places], [])
    reader = csv.reader(feed(), delimiter=header.separator, strict=True)
    try:
        for fields in reader:
            texts.append(taken[0] if len(taken) == 1 else "".join(taken))
            taken.clear()
            if fields:
                if len(fields) != count:
                    raise _uneven(file, first, len(fields), count)
                starts.append(first)
                for i, column in zip(places, cells, strict=True):
                    column.append(fields[i])
            first = reader.line_num + 1
            if (len(texts) == LINES) if is_named else fields:
                yield _Records(texts, cells, starts)
                is_named = True
                texts, cells, starts = _Records([], [[] for _ in places], [])
    except csv.Error as error:
        message = f"a file must be valid CSV; line {first} of {file.name!r} is not: {error}"
        raise DataError(message, hint="a quote within a quoted field is written twice.") from None
    yield _Records(texts, cells, starts)


def _csv_pieces(request: NewColumns, target: BinaryIO) -> Generator[FilePiece]:
    file, row = request.file, 0
    with file.open() as source:
        opening = decoded(file.name, source.read(OPENING))
    header = header_of(file.name, opening, "\t" if file.format == "tsv" else SEPARATORS)
    separator = header.separator
    with _text_of(file) as lines:
        parts = _records(request, lines, header)
        names = separator.join(_cell(name, separator) for name in request.new)
        *above, named = next(parts).texts
        target.write("".join([*above, _extended(named, names, separator)]).encode())
        for some in parts:
            place = _line_places(file, row, some.lines)
            pairs = zip(request.numbers, some.cells, strict=True)
            columns = [_numbers(cells, name, place) for name, cells in pairs]
            yield FilePiece(columns, place, _csv_writer(some.texts, separator, target))
            row += len(some.lines)


def _uneven(file: File, line: int, fields: int, count: int) -> DataError:
    message = (
        "each line of a CSV file must have as many fields as its header; "
        f"line {line} of {file.name!r} has {fields} instead of {count}"
    )
    return DataError(message, hint="text that contains the separator must be quoted.")


def _line_places(file: File, first: int, lines: list[int]) -> Callable[[int], str]:
    def place(row: int) -> str:
        return f"row {first + row} (line {lines[row]} of {printable(file.name)})"

    return place


def _numbers(cells: list[str], name: str, place: Callable[[int], str]) -> Column:
    """Read cells as numbers; NaN is what is missing."""
    # Of these letters Python makes the same numbers, and sooner.
    if PLAIN.issuperset("".join(cells)):
        with suppress(ValueError):
            return np.array(list(map(float, cells)), dtype=np.float64)
    numbers = [_number(cell, name, place, row) for row, cell in enumerate(cells)]
    return np.array(numbers, dtype=np.float64)


def _number(text: str, name: str, place: Callable[[int], str], row: int) -> float:
    if NUMBER.fullmatch(text):
        return float(text)
    if LACKING.fullmatch(text):
        return math.nan
    raise no_number(name, place(row), text, 1)


def _csv_writer(
    texts: list[str], separator: str, target: BinaryIO
) -> Callable[[Sequence[Column]], None]:
    def write(columns: Sequence[Column]) -> None:
        cells = map(separator.join, zip(*map(_texts, columns), strict=True))
        lines = [
            _extended(text, next(cells), separator) if text.strip("\r\n") else text
            for text in texts
        ]
        target.write("".join(lines).encode())

    return write


def _texts(column: Column, missing: str = "") -> list[str]:
    """Write numbers as the shortest text that reads back to the same number."""
    texts = list(map(repr, column.tolist()))
    return [missing if text == "nan" else text for text in texts] if "nan" in texts else texts


def _extended(text: str, cells: str, separator: str) -> str:
    """Add cells to a line, before its end."""
    end = len(text.rstrip("\r\n"))
    return f"{text[:end]}{separator}{cells}{text[end:]}"


def _cell(text: str, separator: str) -> str:
    """Quote a name where CSV asks for it."""
    written = io.StringIO(newline="")
    csv.writer(written, delimiter=separator, lineterminator="\r\n").writerow([text])
    return written.getvalue().removesuffix("\r\n")


# JSON lines.


def _json_pieces(request: NewColumns, target: BinaryIO) -> Generator[FilePiece]:
    file, row = request.file, 0
    with _text_of(file) as lines:
        while some := list(islice(lines, LINES)):
            first = row

            def place(k: int, first: int = first) -> str:
                return _place(file, first + k)

            texts = [line for line in some if line.strip()]
            records = [_object(file, text, first + k) for k, text in enumerate(texts)]
            columns = [
                np.array(
                    [_json_number(x.get(name), name, place, k) for k, x in enumerate(records)],
                    dtype=np.float64,
                )
                for name in request.numbers
            ]
            yield FilePiece(columns, place, _json_writer(some, request.new, target))
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


def _parquet_pieces(request: NewColumns, target: BinaryIO) -> Generator[FilePiece]:
    parquet = import_module("pyarrow.parquet")
    with _whole(request.file), parquet.ParquetFile(str(request.file.path)) as source:
        schema = _longer_schema(source.schema_arrow, request.new)
        codec = _codec(source.metadata)
        with parquet.ParquetWriter(target, schema, compression=codec) as sink:
            groups = range(source.num_row_groups)
            tables = (source.read_row_group(i) for i in groups)
            yield from _arrow_tables(request, schema, tables, sink.write_table)


def _arrow_pieces(request: NewColumns, target: BinaryIO) -> Generator[FilePiece]:
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
    request: NewColumns, schema: Any, tables: Iterable[Any], write: Callable[[Any], None]
) -> Iterator[FilePiece]:
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
        yield FilePiece(columns, place, extend)
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
