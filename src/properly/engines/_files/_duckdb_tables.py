"""A file as a table that duckdb reads: its header, columns and their kinds.

Columns of CSV files are text, and of the narrowest kind that fits all their values: booleans, whole
numbers, numbers, moments or text. Nothing here imports duckdb; what works takes a connection. Where
a file lies is a variable of the connection, so that a query may be repeated, or become a part of
another.
"""

from __future__ import annotations

import codecs
import csv
import io
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

from properly._boundary._classes import require_distinct
from properly._boundary._notices import import_extra
from properly._boundary._text import first_of
from properly.engines._files._checks import NUMBER
from properly.engines._files._paths import File, damaged, is_here, unreachable
from properly.errors import DataError

SEPARATORS = ",;\t|"
OPENING = 1 << 20
TEXT = "text of a CSV file"
# Asked of a list, duckdb would join the rows with it and lose their order.
MISSING = r"\s*(NA|NaN|nan|NULL|null)?\s*"
SPELLED = {
    "csv": "CSV",
    "tsv": "CSV",
    "text": "CSV",
    "json": "JSON lines",
    "parquet": "Parquet",
    "arrow": "Arrow",
}
# Rows that rule out most kinds of a column of text.
FEW = 10_000
# Codes such as 007 stay text, and so do ids that are too long for a whole number.
WHOLE = r"\s*[+-]?(0|[1-9][0-9]*)\s*"
DECIMAL = (
    r"\s*[+-]?((0|[1-9][0-9]*)(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?\s*"
    r"|\s*[+-]?(?i:inf|infinity)\s*"
)
DAY = "[0-9]{4}-[0-9]{2}-[0-9]{2}"
CLOCK = r"[ T][0-9]{2}:[0-9]{2}(:[0-9]{2}(\.[0-9]+)?)?"
MOMENT = f"{DAY}({CLOCK})?"
ZONED = f"{DAY}{CLOCK}(Z|[+-][0-9]{{2}}(:?[0-9]{{2}})?)"
# Each with the test that all its values pass, in which @ stands for the value. What fails the first
# half is not cast, which AND would do; to cast what is no moment takes long.
CAST = "CASE WHEN regexp_full_match(@, '{}') THEN try_cast(@ AS {}) IS NOT NULL ELSE false END"
# The first duckdb wants seconds before a zone.
SECONDS = r"regexp_replace(@, '([ T][0-9]{2}:[0-9]{2})([Z+-])', '\1:00\2')"
KINDS = {
    "BIGINT": CAST.format(WHOLE, "BIGINT"),
    "VARCHAR": f"regexp_full_match(@, '{WHOLE}')",
    "DOUBLE": f"regexp_full_match(@, '{DECIMAL}')",
    "BOOLEAN": "regexp_full_match(@, '\\s*(?i:true|false)\\s*')",
    "TIMESTAMP": CAST.format(MOMENT, "TIMESTAMP"),
    "TIMESTAMPTZ": CAST.format(ZONED, "TIMESTAMPTZ").replace("cast(@", f"cast({SECONDS}"),
}
# The letters of numpy for the kinds that are no moments.
LETTERS = {"BOOLEAN": "b", "BIGINT": "i", "DOUBLE": "f", "VARCHAR": "O"}


class Header(NamedTuple):
    """The names of the columns, None for one without, the separator, and empty lines above."""

    names: tuple[str | None, ...]
    separator: str
    blank: int


def header_of(name: str, text: str, separators: str = SEPARATORS) -> Header:
    """Find the header in the beginning of a CSV file."""
    candidates = [(_first_records(text, separator), separator) for separator in separators]
    (first, *_), separator = max(candidates, key=lambda pair: _plausible(pair[0]))
    if not first:
        message = f"a file must have columns and rows; {name!r} is empty"
        raise DataError(message)
    names = tuple(field.strip() or None for field in first)
    if all(field is None or NUMBER.fullmatch(field) for field in names):
        message = (
            f"the first line of a CSV file must name its columns; that of {name!r} is "
            f"{separator.join(first)[:40]!r}"
        )
        raise DataError(message)
    above = text[: len(text) - len(text.lstrip("\r\n"))]
    return Header(names, separator, len(above.splitlines()))


def opened(file: File, text: str) -> tuple[File, Header | None]:
    """Tell CSV from JSON by the beginning of a text; return also the header of CSV."""
    if file.format == "json" or (file.format == "text" and text.lstrip()[:1] in ("{", "[")):
        return file._replace(format="json"), None
    header = header_of(file.name, text, "\t" if file.format == "tsv" else SEPARATORS)
    require_distinct(header.names, repr(file.name))
    return file._replace(format="csv"), header


def opening_of(file: File) -> str:
    """Read the beginning of the text of a file that is on this machine."""
    with file.open() as source:
        return decoded(file.name, source.read(OPENING))


def decoded(name: str, head: bytes) -> str:
    """Take the first bytes of a file as text in UTF-8, the only encoding that is read."""
    try:
        return codecs.getincrementaldecoder("utf-8-sig")().decode(head)
    except UnicodeDecodeError as error:
        line = head.count(b"\n", 0, error.start) + 1
        raise no_utf8(name, line) from None


def no_utf8(name: str, line: int) -> DataError:
    """Refuse a file that is in another encoding."""
    message = f"a CSV file must be text in UTF-8; line {line} of {name!r} is not"
    return DataError(message, hint='save it again; spreadsheets call this "CSV UTF-8".')


def _first_records(text: str, separator: str) -> list[list[str]]:
    """Return the header and the record below it; a header is empty where nothing can be read."""
    records: list[list[str]] = []
    with suppress(csv.Error):
        for record in csv.reader(io.StringIO(text.lstrip("\r\n"), newline=""), delimiter=separator):
            records.append(record)
            if len(records) == 2:
                break
    return records or [[]]


def _plausible(records: list[list[str]]) -> tuple[bool, int]:
    """Prefer a separator that occurs, and as often in the first record as in the header."""
    counts = [len(record) for record in records]
    return len(set(counts)) == 1 and counts[0] > 1, counts[0]


class Table(NamedTuple):
    """The columns of a file, with None for one without a name, and how to read them.

    Types are None where the file tells those of the columns that are asked for.
    """

    file: File
    names: tuple[str | None, ...]
    types: tuple[str, ...] | None
    scan: str

    @property
    def is_text(self) -> bool:
        """Whether all columns are text, in which what is missing is written in several ways."""
        return self.types is not None and self.types[0] == TEXT

    def places(self, names: Iterable[str]) -> list[int]:
        """Return the places of columns in the file."""
        found = {name: i for i, name in enumerate(self.names)}
        return [found[name] for name in names]

    def source(self, names: Iterable[str]) -> str:
        """Return what stands behind FROM, so that the columns of these names can be selected.

        Whatever the file calls its columns, they are c0, c1, ... by their places. A file may have
        thousands: of no other column does a query say what to do with it.
        """
        places = self.places(names)
        if not self.is_text:
            return f"{self.scan} AS t({', '.join(_numbered(max(places) + 1))})"
        return f"(SELECT {', '.join(map(_present, places))} FROM {self.scan})"  # noqa: S608


def _present(place: int) -> str:
    """Select a column of text, as nothing where its value is missing."""
    # Most values begin like numbers, which is quickly seen; nothing that is missing does.
    x = f"c{place}"
    return (
        f"CASE WHEN {x} >= '+' AND {x} < ':' THEN {x} "
        f"WHEN NOT regexp_full_match({x}, '{MISSING}') THEN {x} END AS {x}"
    )


def table_of(connection: Any, file: File, number: int, folder: Path) -> Table:
    """Look at the columns of a file, but at none of its rows; a folder takes what is rewritten."""
    place, location = f"place_{number}", str(file.path) if is_here(file) else file.name
    connection.execute(f"SET VARIABLE {place} = $1", [location])
    path = f"getvariable('{place}')"
    if file.format in ("csv", "tsv", "text"):
        file, header = opened(file, _opening(connection, file, path))
        if header is not None:
            return _csv_table(file, path, header)
    if file.format == "json":
        # However many keys an object has, each is a column.
        options = "sample_size = -1, map_inference_threshold = -1"
        scan = _scan("read_json", file, path, options)
        described = connection.execute(f"DESCRIBE SELECT * FROM {scan}").fetchall()  # noqa: S608
        names, types = zip(*(row[:2] for row in described), strict=True)
        return Table(file, names, types, scan)
    if file.format == "parquet":
        return _parquet_table(connection, file, path)
    return _arrow_table(connection, file, number, folder)


def require_same(table: Table, first: Table) -> None:
    """Refuse a file that has other columns than the first."""
    here, there = set(table.names), set(first.names)
    lacking = [name for name in first.names if name is not None and name not in here]
    beyond = [name for name in table.names if name is not None and name not in there]
    if lacking or beyond:
        differences = [f"lacks {first_of(map(repr, lacking))}"] * bool(lacking)
        differences += [f"has {first_of(map(repr, beyond))} besides"] * bool(beyond)
        message = (
            f"files must have the same columns; compared with {first.file.name!r}, "
            f"{table.file.name!r} {' and '.join(differences)}"
        )
        raise DataError(message)


def refusal(file: File, text: str) -> DataError:
    """Say in one sentence why duckdb cannot read a file."""
    first = text.partition("\n")[0]
    if not is_here(file) and not first.startswith("Invalid Input Error"):
        return _out_of_reach(file, text)
    at = re.search(r"CSV Error on Line: (\d+)", first)
    fields = re.search(r"^Expected Number of Columns: (\d+) Found: (\d+)", text, re.MULTILINE)
    if "stream" in first and file.compression != "none":
        return damaged(file.name)
    if at and fields:
        message = (
            "each line of a CSV file must have as many fields as its header; "
            f"line {at[1]} of {file.name!r} has {fields[2]} instead of {fields[1]}"
        )
        return DataError(message, hint="text that contains the separator must be quoted.")
    if at and "unterminated quote" in text:
        message = (
            "a field that begins with a quote must end with one; "
            f"that on line {at[1]} of {file.name!r} does not"
        )
        return DataError(message, hint="a quote within a quoted field is written twice.")
    if at and "not utf-8" in text:
        return no_utf8(file.name, int(at[1]))
    line = at or re.search(r" in line (\d+)", first)
    where = f", line {line[1]}," if line else ""
    kind = SPELLED[file.format]
    message = f"a file must be whole and in one format; {file.name!r}{where} is not valid {kind}"
    ends = "invalid state" in first
    return DataError(message, hint="line ends may be mixed." if ends else "it may be cut short.")


def _out_of_reach(file: File, text: str) -> DataError:
    """Say why a file elsewhere cannot be read; most often duckdb lacks an extension for it."""
    lacking = re.search(r"extension '?\"?(\w+)", text)
    # What a package of Python raised stands below its stack.
    raised = re.search(r"^[\w.]+: .+", text, re.MULTILINE) if text.startswith("Trace") else None
    reason = raised[0] if raised else text.partition("\n")[0]
    if not lacking:
        return unreachable(file.name, "duckdb", reason)
    hint = f"INSTALL {lacking[1]} is the command of duckdb that fetches it."
    if file.name.startswith("s3://"):
        hint = f"pip install 'properly[s3]', or {hint}"
    return unreachable(file.name, "duckdb", f"its extension {lacking[1]} is not there", hint)


def _opening(connection: Any, file: File, path: str) -> str:
    """Return the beginning of the text of a file."""
    if is_here(file):
        return opening_of(file)
    options = "auto_detect = false, header = false, delim = '\x01', quote = '', escape = ''"
    scan = _scan("read_csv", file, path, options, "columns = {'line': 'VARCHAR'}")
    lines = connection.execute(f"SELECT line FROM {scan} LIMIT 100").fetchall()  # noqa: S608
    return "\n".join(line or "" for (line,) in lines).removeprefix("\ufeff")


def _csv_table(file: File, path: str, header: Header) -> Table:
    """Read all columns as text, in which what is missing is written in several ways."""
    columns = _numbered(len(header.names))
    texts = ", ".join(f"'{column}': 'VARCHAR'" for column in columns)
    options = f"auto_detect = false, header = true, skip = {header.blank}, columns = {{{texts}}}"
    dialect = f"delim = '{header.separator}', quote = '\"', escape = '\"'"
    scan = _scan("read_csv", file, path, options, dialect)
    return Table(file, header.names, (TEXT,) * len(columns), scan)


def _parquet_table(connection: Any, file: File, path: str) -> Table:
    # duckdb knows no upper and lower case and renames columns; the file has their own names.
    query = f"SELECT name, num_children FROM parquet_schema({path})"  # noqa: S608
    root, *below = connection.execute(query).fetchall()
    names, at = [], 0
    for _ in range(root[1]):
        names.append(below[at][0])
        at = _after(below, at)
    return Table(file, tuple(names), None, f"read_parquet({path}, hive_partitioning = false)")


def _after(schema: list[tuple[str, int | None]], at: int) -> int:
    """Return where the next column of a schema begins, behind all that is nested in this one."""
    end = at + 1
    for _ in range(schema[at][1] or 0):
        end = _after(schema, end)
    return end


def _arrow_table(connection: Any, file: File, number: int, folder: Path) -> Table:
    if not is_here(file):
        message = f"an Arrow file must lie on this machine; got {file.name!r}"
        raise DataError(message)
    view = f"arrow_{number}"
    try:
        with open_arrow(file.path) as reader:
            names = list(reader.schema.names)
        require_distinct(names, repr(file.name))
        connection.register(view, batches_in(file.path, folder / view))
    except BrokenArrowError as error:
        raise refusal(file, str(error)) from error
    return Table(file, tuple(names), None, view)


def _scan(function: str, file: File, path: str, *options: str) -> str:
    # A folder such as year=2024 would else become a column.
    packed = "uncompressed" if file.compression == "none" else file.compression
    always = f"compression = '{packed}', hive_partitioning = false"
    return f"{function}({path}, {', '.join(options)}, {always})"


def _numbered(count: int) -> list[str]:
    return [f"c{i}" for i in range(count)]


class Value(NamedTuple):
    """What to select so that a column has one of few kinds, and which that is in duckdb."""

    sql: str
    kind: str

    @property
    def letter(self) -> str:
        """The letter that numpy has for the kind: b, i, f, M or O."""
        return LETTERS.get(self.kind, "M")

    @property
    def present(self) -> str:
        """Whether there is a value; what is not a number is none."""
        if self.kind != "DOUBLE":
            return f"({self.sql} IS NOT NULL)"
        # Of Parquet, duckdb answers isnan by statistics that leave NaN out.
        return f"coalesce(isfinite({self.sql}) OR isinf({self.sql}), false)"


def values_of(connection: Any, table: Table, names: Sequence[str]) -> list[Value]:
    """Choose the kinds of columns by looking at the values, where the file does not tell."""
    source, places = table.source(names), table.places(names)
    if table.is_text:
        return _kinds_of_texts(connection, source, places)
    if table.types is not None:
        types = [table.types[i] for i in places]
    else:
        columns = ", ".join(f"c{i}" for i in places)
        described = connection.execute(f"DESCRIBE SELECT {columns} FROM {source}").fetchall()  # noqa: S608
        types = [row[1] for row in described]
    return [
        _converted(connection, source, f"c{i}", kind) for i, kind in zip(places, types, strict=True)
    ]


def _kinds_of_texts(connection: Any, source: str, numbers: Sequence[int]) -> list[Value]:
    """Choose the first kind that fits every value of a column of text."""
    kinds = {f"c{i}": list(KINDS) for i in numbers}
    # Most kinds are ruled out by few rows; only the first of what is left is tried on all of them.
    few = f"(SELECT * FROM {source} LIMIT {FEW})"  # noqa: S608
    count, unfit = _unfit(connection, few, [(c, kind) for c in kinds for kind in KINDS])
    for column, kind in unfit:
        kinds[column].remove(kind)
    doubtful = list(kinds) if count == FEW else []
    while tried := [(column, kinds[column][0]) for column in doubtful if kinds[column]]:
        _, unfit = _unfit(connection, source, tried)
        doubtful = [column for column, _ in unfit]
        for column in doubtful:
            kinds[column].pop(0)
    return [_cast(column, (*some, "VARCHAR")[0]) for column, some in kinds.items()]


def _unfit(
    connection: Any, rows: str, tried: list[tuple[str, str]]
) -> tuple[int, list[tuple[str, str]]]:
    """Count rows, and return the columns and kinds that do not fit all values."""
    tests = [
        f"bool_and({column} IS NULL OR {KINDS[kind].replace('@', column)})"
        for column, kind in tried
    ]
    query = f"SELECT {', '.join(['count(*)', *tests])} FROM {rows}"  # noqa: S608
    ((count, *passed),) = connection.execute(query).fetchall()
    return int(count), [t for t, fits in zip(tried, passed, strict=True) if fits is False]


def _converted(connection: Any, source: str, column: str, kind: str) -> Value:
    """Choose among few kinds for the many types of duckdb."""
    if re.fullmatch("BOOLEAN|BIGINT|DOUBLE|VARCHAR|DATE|TIMESTAMP.*", kind):
        return Value(column, kind)
    if kind == "JSON":
        return Value(f"({column} ->> '$')", "VARCHAR")
    if re.fullmatch("U?(TINY|SMALL)INT|U?INTEGER", kind):
        return _cast(column, "BIGINT")
    if re.fullmatch(r"U?HUGEINT|UBIGINT|DECIMAL\(\d+,0\)", kind):
        query = f"SELECT count({column}) = count(try_cast({column} AS BIGINT)) FROM {source}"  # noqa: S608
        ((fits,),) = connection.execute(query).fetchall()
        return _cast(column, "BIGINT" if fits else "VARCHAR")
    if re.fullmatch(r"FLOAT|DECIMAL\(.*\)", kind):
        return _cast(column, "DOUBLE")
    return _cast(column, "VARCHAR")


def _cast(column: str, kind: str) -> Value:
    if kind == "TIMESTAMPTZ":
        column = SECONDS.replace("@", column)
    return Value(f"CAST({column} AS {kind})", kind)


# Arrow files as datasets, which give their rows batch by batch, again and again. Nothing of a file
# is held in memory but the batches that are worked on.


class BrokenArrowError(Exception):
    """What pyarrow cannot read."""


def batches_in(path: Path, place: Path) -> Any:
    """Return a dataset of an Arrow file; a place takes a copy where none can be made of the file.

    A stream cannot be read again, and duckdb takes no floats of 16 bits.
    """
    pyarrow = import_extra("pyarrow", extra="app")
    with open_arrow(path) as reader:
        halves = any(pyarrow.types.is_float16(field.type) for field in reader.schema)
        if halves or not hasattr(reader, "num_record_batches"):
            _rewrite(pyarrow, reader, place)
            path = place
    files = import_module("pyarrow.fs").LocalFileSystem(use_mmap=True)
    with _in_our_words(pyarrow):
        return import_module("pyarrow.dataset").dataset([str(path)], format="ipc", filesystem=files)


@contextmanager
def open_arrow(path: Path) -> Iterator[Any]:
    """Open an Arrow file, or a stream of batches in one."""
    pyarrow = import_extra("pyarrow", extra="app")
    with _in_our_words(pyarrow), pyarrow.memory_map(str(path)) as source:
        whole = source.read(6) == b"ARROW1"
        source.seek(0)
        yield pyarrow.ipc.open_file(source) if whole else pyarrow.ipc.open_stream(source)


@contextmanager
def _in_our_words(pyarrow: Any) -> Iterator[None]:
    try:
        yield
    except (pyarrow.ArrowException, OSError) as error:
        raise BrokenArrowError(str(error)) from error


def _rewrite(pyarrow: Any, reader: Any, place: Path) -> None:
    """Copy batches into a file, with types that duckdb takes and that all batches share."""
    plain = pyarrow.schema(
        [field.with_type(_plain(pyarrow, field.type)) for field in reader.schema]
    )
    with pyarrow.OSFile(str(place), "wb") as sink, pyarrow.ipc.new_file(sink, plain) as target:
        for batch in arrow_batches(reader):
            target.write_batch(batch.cast(plain))


def arrow_batches(reader: Any) -> Iterator[Any]:
    """Go through the batches of a file or a stream."""
    if not hasattr(reader, "num_record_batches"):
        yield from reader
        return
    for i in range(reader.num_record_batches):
        yield reader.get_batch(i)


def _plain(pyarrow: Any, kind: Any) -> Any:
    """Return doubles for halves, and values for categories, which may differ by batch."""
    if pyarrow.types.is_float16(kind):
        return pyarrow.float64()
    return kind.value_type if pyarrow.types.is_dictionary(kind) else kind
