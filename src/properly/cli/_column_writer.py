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
from functools import partial
from importlib import import_module
from itertools import islice, takewhile
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple, TypeAlias

import numpy as np

from properly._boundary._text import printable
from properly.engines._files._checks import NUMBER, no_number
from properly.engines._files._duckdb_tables import (
    MISSING,
    OPENING,
    SEPARATORS,
    SPELLED,
    BrokenArrowError,
    arrow_batches,
    decoded,
    header_of,
    no_utf8,
    open_arrow,
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


# Text.


# The text of a record of CSV or JSON with the end of its line, the line on which it begins, and
# the values of the columns that are read, or None if the record is empty.
TextRecord: TypeAlias = tuple[str, int, "list[Any] | None"]


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


def _text_pieces(
    request: NewColumns,
    records: Iterator[TextRecord],
    write: Callable[[str, Iterable[str]], str],
    target: BinaryIO,
) -> Generator[FilePiece]:
    """Read numbers of records, and write each with new cells, by piece."""
    row, missing = 0, "null" if request.file.format == "json" else ""
    while True:
        texts: list[str] = []
        cells: list[list[Any]] = [[] for _ in request.numbers]
        lines, empty = [], set()
        for text, line, values in islice(records, LINES):
            if values is None:
                empty.add(len(texts))
            else:
                lines.append(line)
                for column, value in zip(cells, values, strict=True):
                    column.append(value)
            texts.append(text)
        if not texts:
            return
        place = partial(_place, request.file, row, lines)

        def extend(
            columns: Sequence[Column], texts: list[str] = texts, empty: set[int] = empty
        ) -> None:
            new = zip(*(_texts(column, missing) for column in columns), strict=True)
            written = (x if k in empty else write(x, next(new)) for k, x in enumerate(texts))
            target.write("".join(written if empty else map(write, texts, new)).encode())

        columns = [_numbers(x, name, place) for name, x in zip(request.numbers, cells, strict=True)]
        yield FilePiece(columns, place, extend)
        row += len(lines)


def _place(file: File, first: int, lines: Sequence[int], row: int) -> str:
    return f"row {first + row} (line {lines[row]} of {printable(file.name)})"


def _numbers(cells: Sequence[Any], name: str, place: Callable[[int], str]) -> Column:
    """Read cells as numbers; NaN is what is missing."""
    kinds = set(map(type, cells))
    if kinds <= {float, int}:
        return np.array(cells, dtype=np.float64)
    # Of these letters Python makes the same numbers, and sooner.
    if kinds == {str} and PLAIN.issuperset("".join(cells)):
        with suppress(ValueError):
            return np.array(list(map(float, cells)), dtype=np.float64)
    return np.array([_number(x, name, place, row) for row, x in enumerate(cells)], np.float64)


def _number(value: Any, name: str, place: Callable[[int], str], row: int) -> float:
    is_text = isinstance(value, str)
    if value is None or (is_text and LACKING.fullmatch(value)):
        return math.nan
    if (is_text and NUMBER.fullmatch(value)) or type(value) in (int, float):
        return float(value)
    raise no_number(name, place(row), value, 1)


def _texts(column: Column, missing: str) -> list[str]:
    """Write numbers as the shortest text that reads back to the same number."""
    texts = list(map(repr, column.tolist()))
    return [missing if text == "nan" else text for text in texts] if "nan" in texts else texts


def _csv_pieces(request: NewColumns, target: BinaryIO) -> Generator[FilePiece]:
    file = request.file
    with file.open() as source:
        opening = decoded(file.name, source.read(OPENING))
    header = header_of(file.name, opening, "\t" if file.format == "tsv" else SEPARATORS)

    separator = header.separator

    def extended(text: str, cells: Iterable[str]) -> str:
        """Add cells to a record, before its end."""
        end = len(text.rstrip("\r\n"))
        return f"{text[:end]}{separator}{separator.join(cells)}{text[end:]}"

    with _text_of(file) as lines:
        records = _csv_records(request, lines, header)
        names = [_quoted(name, separator) for name in request.new]
        for text, _, cells in records:
            target.write((text if cells is None else extended(text, names)).encode())
            if cells is not None:
                break
        yield from _text_pieces(request, records, extended, target)


def _csv_records(request: NewColumns, lines: Iterator[str], header: Header) -> Iterator[TextRecord]:
    """Read records, which may be several lines, beside their text."""
    file, first, taken, count = request.file, 1, [], len(header.names)
    places = [header.names.index(name) for name in request.numbers]

    def feed() -> Iterator[str]:
        for line in lines:
            taken.append(line)
            yield line.removeprefix("\ufeff") if first == 1 else line

    reader = csv.reader(feed(), delimiter=header.separator, strict=True)
    try:
        for fields in reader:
            if fields and len(fields) != count:
                raise _uneven(file, first, len(fields), count)
            cells = [fields[i] for i in places] if fields else None
            yield taken[0] if len(taken) == 1 else "".join(taken), first, cells
            taken.clear()
            first = reader.line_num + 1
    except csv.Error as error:
        message = f"a file must be valid CSV; line {first} of {file.name!r} is not: {error}"
        raise DataError(message, hint="a quote within a quoted field is written twice.") from None


def _uneven(file: File, line: int, fields: int, count: int) -> DataError:
    message = (
        "each line of a CSV file must have as many fields as its header; "
        f"line {line} of {file.name!r} has {fields} instead of {count}"
    )
    return DataError(message, hint="text that contains the separator must be quoted.")


def _quoted(text: str, separator: str) -> str:
    """Quote a name where CSV asks for it."""
    written = io.StringIO(newline="")
    csv.writer(written, delimiter=separator, lineterminator="\r\n").writerow([text])
    return written.getvalue().removesuffix("\r\n")


def _json_pieces(request: NewColumns, target: BinaryIO) -> Generator[FilePiece]:
    labels = [f"{json.dumps(name, ensure_ascii=False)}: " for name in request.new]

    def extended(text: str, values: Iterable[str]) -> str:
        """Add entries to an object, before its end."""
        body = text.rstrip()
        before = body[:-1].rstrip()
        cells = ", ".join(map(str.__add__, labels, values))
        comma = "" if before.endswith("{") else ", "
        return f"{before}{comma}{cells}}}{text[len(body) :]}"

    with _text_of(request.file) as lines:
        records = (_json_record(request, *numbered) for numbered in enumerate(lines, 1))
        yield from _text_pieces(request, records, extended, target)


def _json_record(request: NewColumns, line: int, text: str) -> TextRecord:
    if not text.strip():
        return text, line, None
    try:
        value = json.loads(text)
    except ValueError:
        value = None
    if not isinstance(value, dict):
        message = (
            "each line must be one JSON object; "
            f"line {line} of {printable(request.file.name)} is none"
        )
        raise DataError(message, hint="lists, and objects over several lines, are not rewritten.")
    return text, line, [value.get(name) for name in request.numbers]


# Parquet and Arrow.


def _parquet_pieces(request: NewColumns, target: BinaryIO) -> Generator[FilePiece]:
    parquet = import_module("pyarrow.parquet")
    with _whole(request.file), parquet.ParquetFile(str(request.file.path)) as source:
        schema = _longer_schema(source.schema_arrow, request.new)
        codec = _codec(source.metadata)
        with parquet.ParquetWriter(target, schema, compression=codec) as sink:
            tables = map(source.read_row_group, range(source.num_row_groups))
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
            return f"row {first + k} of {printable(request.file.name)}"

        def extend(columns: Sequence[Column], table: Any = table) -> None:
            made = [pyarrow.array(x, mask=np.isnan(x), type=pyarrow.float64()) for x in columns]
            write(type(table).from_arrays([*table.columns, *made], schema=schema))

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
    return np.asarray(numbers)


@contextmanager
def _whole(file: File) -> Iterator[None]:
    """Refuse a file that pyarrow cannot read to its end."""
    pyarrow = import_module("pyarrow")
    try:
        yield
    except (BrokenArrowError, pyarrow.ArrowException) as error:
        raise refusal(file, str(error)) from error
