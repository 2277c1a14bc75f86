"""A file as a table that duckdb reads: its columns, and the kind of array each becomes.

Nothing here imports duckdb; what works takes a connection.
"""

from __future__ import annotations

import re
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from properly._files._header import SEPARATORS, decoded, header_of, no_utf8
from properly._files._paths import damaged
from properly.errors import DataError, MissingExtraError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from properly._files._paths import File
    from properly._files._rows import Column

OPENING, FEW = 1 << 20, 10_000
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
# Codes such as 007 stay text, and so do ids that are too long for a whole number.
WHOLE = r"\s*[+-]?(0|[1-9][0-9]*)\s*"
NUMBER = (
    r"\s*[+-]?((0|[1-9][0-9]*)(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?\s*"
    r"|\s*[+-]?(?i:inf|infinity)\s*"
)
DAY = "[0-9]{4}-[0-9]{2}-[0-9]{2}"
CLOCK = r"[ T][0-9]{2}:[0-9]{2}(:[0-9]{2}(\.[0-9]+)?)?"
MOMENT = f"{DAY}({CLOCK})?"
ZONED = f"{DAY}{CLOCK}(Z|[+-][0-9]{{2}}(:?[0-9]{{2}})?)"
# Each with the test that all its values pass, in which @ stands for the value.
KINDS = {
    "BIGINT": f"regexp_full_match(@, '{WHOLE}') AND try_cast(@ AS BIGINT) IS NOT NULL",
    "VARCHAR": f"regexp_full_match(@, '{WHOLE}')",
    "DOUBLE": f"regexp_full_match(@, '{NUMBER}')",
    "BOOLEAN": "regexp_full_match(@, '\\s*(?i:true|false)\\s*')",
    "TIMESTAMP": f"regexp_full_match(@, '{MOMENT}') AND try_cast(@ AS TIMESTAMP) IS NOT NULL",
    "TIMESTAMPTZ": f"regexp_full_match(@, '{ZONED}') AND try_cast(@ AS TIMESTAMPTZ) IS NOT NULL",
}


class Table(NamedTuple):
    """The columns of a file, with None for one without a name, and how to read them."""

    file: File
    names: tuple[str | None, ...]
    types: tuple[str, ...]
    scan: str
    parameters: list[str]

    @property
    def source(self) -> str:
        """What stands behind FROM; whatever the file calls its columns, they are c0, c1, ..."""
        return f"{self.scan} AS t({', '.join(_numbered(len(self.names)))})"


def table_of(connection: Any, file: File) -> Table:
    """Look at the columns of a file, but at none of its rows."""
    if file.format in ("csv", "tsv", "text"):
        opening = _opening(connection, file)
        if file.format != "text" or opening.lstrip()[:1] not in ("{", "["):
            return _csv_table(file, opening)
        file = file._replace(format="json")
    if file.format == "json":
        return _typed_table(connection, file, _scan("read_json", file, "sample_size = -1"))
    if file.format == "parquet":
        return _parquet_table(connection, file)
    return _arrow_table(connection, file)


def fetch(connection: Any, table: Table, names: Sequence[str]) -> tuple[list[Column], list[Column]]:
    """Read columns by name, in the order of the rows: their values, and where one is missing."""
    numbers = [table.names.index(name) for name in names]
    found = _expressions(connection, table, numbers)
    chosen = ", ".join(f"{each} AS v{i}" for i, each in enumerate(found))
    query = f"SELECT {chosen} FROM {table.source}"  # noqa: S608
    arrays = connection.execute(query, table.parameters).fetchnumpy()
    both = [(np.ma.getdata(x), _missing(x)) for x in (arrays[f"v{i}"] for i in range(len(names)))]
    return [column for column, _ in both], [mask for _, mask in both]


def _missing(column: Column) -> Column:
    mask = np.ma.getmaskarray(column)
    return mask | np.isnan(np.ma.getdata(column)) if column.dtype.kind == "f" else mask


def refusal(file: File, said: str) -> DataError:
    """Say in one sentence what duckdb says in an essay."""
    first = said.partition("\n")[0]
    at = re.search(r"CSV Error on Line: (\d+)", first)
    fields = re.search(r"^Expected Number of Columns: (\d+) Found: (\d+)", said, re.MULTILINE)
    if "stream" in first and file.compression != "none":
        return damaged(file.name)
    if at and fields:
        message = (
            "each line of a CSV file must have as many fields as its header; "
            f"line {at[1]} of {file.name!r} has {fields[2]} instead of {fields[1]}"
        )
        return DataError(message, hint="text that contains the separator must be quoted.")
    if at and "unterminated quote" in said:
        message = (
            "a field that begins with a quote must end with one; "
            f"that on line {at[1]} of {file.name!r} does not"
        )
        return DataError(message, hint="a quote within a quoted field is written twice.")
    if at and "not utf-8" in said:
        return no_utf8(file.name, int(at[1]))
    line = at or re.search(r" in line (\d+)", first)
    where = f", line {line[1]}," if line else ""
    kind = SPELLED[file.format]
    message = f"a file must be whole and in one format; {file.name!r}{where} is not valid {kind}"
    ends = "invalid state" in first
    return DataError(message, hint="line ends may be mixed." if ends else "it may be cut short.")


def _opening(connection: Any, file: File) -> str:
    """Return the beginning of the text of a file."""
    if file.compression != "zstd":
        with file.open() as source:
            return decoded(file.name, source.read(OPENING))
    options = "auto_detect = false, header = false, delim = '\x01', quote = '', escape = ''"
    scan = _scan("read_csv", file, options, "columns = {'line': 'VARCHAR'}")
    query = f"SELECT line FROM {scan} LIMIT 100"  # noqa: S608
    lines = connection.execute(query, [str(file.path)]).fetchall()
    return "\n".join(line or "" for (line,) in lines).removeprefix("\ufeff")


def _csv_table(file: File, opening: str) -> Table:
    """Read all columns as text, in which what is missing is written in several ways."""
    header = header_of(file.name, opening, "\t" if file.format == "tsv" else SEPARATORS)
    file = file._replace(format="csv")
    columns = _numbered(len(header.names))
    texts = ", ".join(f"'{column}': 'VARCHAR'" for column in columns)
    options = f"auto_detect = false, header = true, skip = {header.blank}, columns = {{{texts}}}"
    dialect = f"delim = '{header.separator}', quote = '\"', escape = '\"'"
    present = ", ".join(
        f"CASE WHEN NOT regexp_full_match({column}, '{MISSING}') THEN {column} END"
        for column in columns
    )
    scan = f"(SELECT {present} FROM {_scan('read_csv', file, options, dialect)})"  # noqa: S608
    return Table(file, header.names, (TEXT,) * len(columns), scan, [str(file.path)])


def _parquet_table(connection: Any, file: File) -> Table:
    found = _typed_table(connection, file, "read_parquet($1, hive_partitioning = false)")
    # duckdb knows no upper and lower case and renames columns; the file has their own names.
    query = "SELECT name, num_children FROM parquet_schema($1)"
    root, *below = connection.execute(query, found.parameters).fetchall()
    names = []
    for _ in range(root[1]):
        names.append(below[0][0])
        below = below[_size(below) :]
    return found._replace(names=tuple(names))


def _size(schema: list[tuple[str, int | None]]) -> int:
    """Count the first column of a schema and all that is nested in it."""
    size = 1
    for _ in range(schema[0][1] or 0):
        size += _size(schema[size:])
    return size


def _arrow_table(connection: Any, file: File) -> Table:
    try:
        pyarrow = import_module("pyarrow")
        ipc = import_module("pyarrow.ipc")
    except ImportError:
        message = "an Arrow file needs pyarrow, which is not installed"
        raise MissingExtraError(message, hint="pip install pyarrow") from None
    try:
        with pyarrow.memory_map(str(file.path)) as source:
            whole = source.read(6) == b"ARROW1"
            source.seek(0)
            reader = ipc.open_file(source) if whole else ipc.open_stream(source)
            table = _without_halves(pyarrow, reader.read_all())
    except (pyarrow.ArrowException, OSError) as error:
        raise refusal(file, str(error)) from error
    view = f"arrow_{len(connection.execute('SHOW TABLES').fetchall())}"
    connection.register(view, table)
    found = _typed_table(connection, file, view, [])
    return found._replace(names=tuple(table.column_names))


def _without_halves(pyarrow: Any, table: Any) -> Any:
    """Make the floats of 16 bits, which duckdb does not take, ones that it does."""
    fields = [
        field.with_type(pyarrow.float64()) if pyarrow.types.is_float16(field.type) else field
        for field in table.schema
    ]
    return table.cast(pyarrow.schema(fields))


def _typed_table(
    connection: Any, file: File, scan: str, parameters: list[str] | None = None
) -> Table:
    """Ask for names and types where a file has types of its own."""
    parameters = [str(file.path)] if parameters is None else parameters
    described = connection.execute(f"DESCRIBE SELECT * FROM {scan}", parameters).fetchall()  # noqa: S608
    names, types = zip(*(row[:2] for row in described), strict=True)
    return Table(file, names, types, scan, parameters)


def _scan(function: str, file: File, *options: str) -> str:
    # A folder such as year=2024 would else become a column.
    always = f"compression = '{file.compression}', hive_partitioning = false"
    return f"{function}($1, {', '.join(options)}, {always})"


def _numbered(count: int) -> list[str]:
    return [f"c{i}" for i in range(count)]


def _expressions(connection: Any, table: Table, numbers: Sequence[int]) -> list[str]:
    """Return what to select so that columns become booleans, int64, float64, dates or text."""
    if table.types[0] == TEXT:
        return _kinds_of_texts(connection, table, numbers)
    return [_converted(connection, table, i) for i in numbers]


def _kinds_of_texts(connection: Any, table: Table, numbers: Sequence[int]) -> list[str]:
    """Choose the first kind that fits every value of a column of text."""
    kinds = {f"c{i}": list(KINDS) for i in numbers}
    # Most kinds are ruled out by few rows; only what is left is tried on all of them.
    few = f"(SELECT * FROM {table.source} LIMIT {FEW})"  # noqa: S608
    if _keep_fitting(connection, table, few, kinds) == FEW:
        _keep_fitting(connection, table, table.source, kinds)
    return [f"CAST({column} AS {(*some, 'VARCHAR')[0]})" for column, some in kinds.items()]


def _keep_fitting(connection: Any, table: Table, rows: str, kinds: dict[str, list[str]]) -> int:
    """Count rows, and keep of the kinds of each column those that fit all of its values."""
    tried = [(column, kind) for column, some in kinds.items() for kind in some]
    tests = [
        f"bool_and({column} IS NULL OR {KINDS[kind].replace('@', column)})"
        for column, kind in tried
    ]
    query = f"SELECT {', '.join(['count(*)', *tests])} FROM {rows}"  # noqa: S608
    count, *passed = connection.execute(query, table.parameters).fetchone()
    for (column, kind), fits in zip(tried, passed, strict=True):
        if fits is False:
            kinds[column].remove(kind)
    return int(count)


def _converted(connection: Any, table: Table, i: int) -> str:
    """Choose among few kinds for the many types of duckdb."""
    kind, column = table.types[i], f"c{i}"
    if re.fullmatch("BOOLEAN|BIGINT|DOUBLE|VARCHAR|DATE|TIMESTAMP.*", kind):
        return column
    if kind == "JSON":
        return f"{column} ->> '$'"
    if re.fullmatch("U?(TINY|SMALL)INT|U?INTEGER", kind):
        return f"CAST({column} AS BIGINT)"
    if re.fullmatch(r"U?HUGEINT|UBIGINT|DECIMAL\(\d+,0\)", kind):
        query = f"SELECT count({column}) = count(try_cast({column} AS BIGINT)) FROM {table.source}"  # noqa: S608
        (fits,) = connection.execute(query, table.parameters).fetchone()
        return f"CAST({column} AS {'BIGINT' if fits else 'VARCHAR'})"
    if re.fullmatch(r"FLOAT|DECIMAL\(.*\)", kind):
        return f"CAST({column} AS DOUBLE)"
    return f"CAST({column} AS VARCHAR)"
