"""`Roles`: which columns of a frame are outcomes, forecasts, weights and so on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass, field
from numbers import Number
from typing import Any

import narwhals.stable.v2 as nw
from narwhals.dependencies import (
    is_duckdb_relation,
    is_polars_lazyframe,
    is_pyarrow_table,
    is_pyspark_connect_dataframe,
    is_pyspark_dataframe,
)
from narwhals.exceptions import DuplicateError

from properly._boundary._labels import require_columns
from properly.errors import ArgumentTypeError, DataError

# What a number may be stored as besides; pandas keeps Decimals as objects.
NUMBERS = (nw.Boolean, nw.Decimal)


@dataclass(frozen=True)
class Roles:
    """Which columns of a frame hold what.

    Attributes
    ----------
    outcome : str
        The column of outcomes.
    forecasts : dict of tuple of str
        By model, the column of its forecasts; of classes, one column each.
    weight, count, groups, clusters : str or None
        The other columns, where there are such: a count tells how many like cases a row is.
    labels : dict
        What columns are called in messages, where that is not their name.
    """

    outcome: str
    forecasts: Mapping[str, tuple[str, ...]]
    weight: str | None = None
    groups: str | None = None
    clusters: str | None = None
    labels: Mapping[str, str] = field(default_factory=dict)
    count: str | None = None

    def name(self, column: str) -> str:
        """Return what a column is called, in quotes."""
        return repr(self.labels.get(column, column))

    @property
    def probabilities(self) -> list[str]:
        """The columns of all forecasts."""
        return [column for columns in self.forecasts.values() for column in columns]

    @property
    def columns(self) -> list[str]:
        """All columns that are needed."""
        others = (self.groups, self.clusters)
        present = [column for column in others if column is not None]
        return list(dict.fromkeys([self.outcome, *self.probabilities, *self.amounts, *present]))

    @property
    def amounts(self) -> list[str]:
        """The columns of weights and of counts."""
        return [column for column in (self.weight, self.count) if column is not None]

    def renamed(self, names: Mapping[str, str]) -> Roles:
        """Take columns under other names, and tell of them by their own."""
        design = {what: getattr(self, what) for what in ("weight", "count", "groups", "clusters")}
        return Roles(
            names[self.outcome],
            {model: tuple(names[c] for c in taken) for model, taken in self.forecasts.items()},
            **{what: None if column is None else names[column] for what, column in design.items()},
            labels={names[column]: self.labels.get(column, column) for column in self.columns},
        )


def distinct_names(frame: Any) -> tuple[Any, dict[str, str]]:
    """Give columns names that Spark and duckdb can distinguish; return them by their own names.

    Spark knows no upper case. It takes a dot for a part of a column, as duckdb 1 does, which takes
    a quotation mark for the end of a name besides.
    """
    as_lazy(frame)
    spark = is_pyspark_dataframe(frame) or is_pyspark_connect_dataframe(frame)
    if not spark and not (is_duckdb_relation(frame) and set('".') & set("".join(frame.columns))):
        return frame, {}
    names = {column: f"c{place}" for place, column in enumerate(frame.columns)}
    if spark:
        return frame.toDF(*names.values()), names
    quoted = {column.replace('"', '""'): name for column, name in names.items()}
    return frame.project(", ".join(f'"{c}" AS {name}' for c, name in quoted.items())), names


def as_lazy(frame: Any) -> nw.LazyFrame[Any]:
    """Take a frame of any library, without reading it."""
    try:
        data = nw.from_native(frame, pass_through=True)
    except DuplicateError:
        _require_distinct(frame.column_names if is_pyarrow_table(frame) else frame.columns)
        raise
    if not isinstance(data, nw.DataFrame | nw.LazyFrame):
        message = f"forecasts are missing; got only {type(frame).__name__}"
        raise ArgumentTypeError(
            message, hint="pass tally(y, p), or a frame with outcome= and forecast=."
        )
    # Names of polars differ, and to ask a lazy frame for them warns in some versions.
    if not is_polars_lazyframe(frame):
        _require_distinct(data.columns)
    return data.lazy()


def _require_distinct(names: Iterable[str]) -> None:
    """Refuse columns of the same name; databases have such tables as well."""
    for name, count in Counter(names).items():
        if count > 1:
            message = f"names of columns must differ; the frame has {name!r} {count} times"
            raise DataError(message) from None


def require_roles(data: nw.LazyFrame[Any], roles: Roles) -> dict[str, Any]:
    """Refuse columns that are not there, or hold what cannot be counted with."""
    schema = dict(data.collect_schema())
    require_columns(roles.columns, list(schema))
    numbers = [*roles.probabilities, *roles.amounts]
    for column in roles.columns:
        kind = schema[column]
        # Of any other kind, the entries are what the column says.
        entry = first_entry(data, column) if kind == nw.Object else None
        if column in numbers and not _is_number(kind, entry):
            message = (
                f"column {roles.name(column)} must hold numbers; it holds {_kind(kind, entry)}"
            )
            hint = "convert text to numbers first." if kind == nw.String else None
            raise DataError(message, hint=hint)
        if kind.is_nested() or not isinstance(entry, Hashable):
            message = f"column {roles.name(column)} must hold labels; it holds {_kind(kind, entry)}"
            raise DataError(message)
    return schema


def first_entry(data: nw.LazyFrame[Any], column: str) -> object:
    """Return the first entry of a column that is not missing; None if all are."""
    entries = data.select(nw.col(column).alias("x")).filter(~nw.col("x").is_null())
    values = entries.head(1).collect()["x"].to_list()
    return values[0] if values else None


def _is_number(kind: Any, entry: object) -> bool:
    if kind == nw.Object:
        return entry is None or isinstance(entry, Number)
    return bool(kind.is_numeric()) or isinstance(kind, NUMBERS) or kind == nw.Unknown


def _kind(kind: Any, entry: object) -> str:
    if entry is not None:
        return type(entry).__name__ if isinstance(entry, Hashable) else "list"
    return "text" if kind in (nw.String, nw.Categorical, nw.Enum) else type(kind).__name__.lower()
