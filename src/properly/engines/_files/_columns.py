"""Of what kind a column is: booleans, whole numbers, numbers, moments or text.

Columns of CSV files are text, and of the narrowest kind that fits all their values.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

from properly.engines._files._duckdb_tables import TEXT

if TYPE_CHECKING:
    from collections.abc import Sequence

    from properly.engines._files._duckdb_tables import Table

FEW = 10_000
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
# The letters of numpy for the kinds that are no moments.
LETTERS = {"BOOLEAN": "b", "BIGINT": "i", "DOUBLE": "f", "VARCHAR": "O"}


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
        there = f"{self.sql} IS NOT NULL"
        return f"({there} AND NOT isnan({self.sql}))" if self.kind == "DOUBLE" else f"({there})"


def values_of(connection: Any, table: Table, names: Sequence[str]) -> list[Value]:
    """Choose the kinds of columns by looking at the values, where the file does not tell."""
    numbers = [table.names.index(name) for name in names]
    if table.types[0] == TEXT:
        return _kinds_of_texts(connection, table, numbers)
    return [_converted(connection, table, i) for i in numbers]


def _kinds_of_texts(connection: Any, table: Table, numbers: Sequence[int]) -> list[Value]:
    """Choose the first kind that fits every value of a column of text."""
    kinds = {f"c{i}": list(KINDS) for i in numbers}
    # Most kinds are ruled out by few rows; only the first of what is left is tried on all of them.
    few = f"(SELECT * FROM {table.source} LIMIT {FEW})"  # noqa: S608
    count, unfit = _unfit(connection, few, [(c, kind) for c in kinds for kind in KINDS])
    for column, kind in unfit:
        kinds[column].remove(kind)
    doubtful = list(kinds) if count == FEW else []
    while tried := [(column, kinds[column][0]) for column in doubtful if kinds[column]]:
        _, unfit = _unfit(connection, table.source, tried)
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


def _converted(connection: Any, table: Table, i: int) -> Value:
    """Choose among few kinds for the many types of duckdb."""
    kind, column = table.types[i], f"c{i}"
    if re.fullmatch("BOOLEAN|BIGINT|DOUBLE|VARCHAR|DATE|TIMESTAMP.*", kind):
        return Value(column, kind)
    if kind == "JSON":
        return Value(f"({column} ->> '$')", "VARCHAR")
    if re.fullmatch("U?(TINY|SMALL)INT|U?INTEGER", kind):
        return _cast(column, "BIGINT")
    if re.fullmatch(r"U?HUGEINT|UBIGINT|DECIMAL\(\d+,0\)", kind):
        query = f"SELECT count({column}) = count(try_cast({column} AS BIGINT)) FROM {table.source}"  # noqa: S608
        ((fits,),) = connection.execute(query).fetchall()
        return _cast(column, "BIGINT" if fits else "VARCHAR")
    if re.fullmatch(r"FLOAT|DECIMAL\(.*\)", kind):
        return _cast(column, "DOUBLE")
    return _cast(column, "VARCHAR")


def _cast(column: str, kind: str) -> Value:
    return Value(f"CAST({column} AS {kind})", kind)
