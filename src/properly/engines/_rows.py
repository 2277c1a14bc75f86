"""`Rows` of a frame where they lie, under fixed names, checked by the engine.

`Roles` say which columns of the frame are outcomes, forecasts, weights and so on.
Outcomes are ``y``, forecasts ``p0``, ``p1``, ..., weights ``w``, numbers of like cases ``k``,
groups ``g`` and clusters ``c``. What is missing is null; forecasts, weights and numbers of cases
may be NaN instead, which passes no check either.
Nothing is computed before `collected`, the one function that fetches numbers from an engine.

Of class probabilities, a view of the rows is "it was class k" or "it was above class k", with its
forecasts; a confusion matrix weighs outcomes against the likeliest class.
"""

from __future__ import annotations

import math
import operator
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from decimal import Decimal
from functools import reduce
from numbers import Number
from typing import TYPE_CHECKING, Any

import narwhals.stable.v2 as nw
import numpy as np
from narwhals.dependencies import (
    is_duckdb_relation,
    is_polars_lazyframe,
    is_pyarrow_table,
    is_pyspark_connect_dataframe,
    is_pyspark_dataframe,
)
from narwhals.exceptions import DuplicateError

from properly._boundary._arrays import (
    HUGE,
    TINY,
    check_outcomes,
    missing_hint,
    missing_values,
    scale_hint,
)
from properly._boundary._labels import class_numbers, numbers_are_classes, require_columns
from properly.counts._reductions import upper_tails
from properly.engines._files._cluster_errors import translated
from properly.engines._symbols import columns_of, only, with_formulas
from properly.errors import ArgumentTypeError, DataError
from properly.rules._costs import decide_by_mode
from properly.rules._log import at_most_one

if TYPE_CHECKING:
    from collections.abc import Sequence

    from properly.typing import Column

# More labels than this are not labels.
MOST_LABELS = 1000
# Rounded down, larger numbers are no whole numbers of 64 bits.
WHOLE = 2.0**62
# More than any double.
MOST = 1.7976931348623157e308
# What a number may be stored as besides; pandas keeps Decimals as objects.
NUMBERS = (nw.Boolean, nw.Decimal)
# Kinds of which a column says nothing of its entries.
MIXED = (nw.Object, nw.Unknown)


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
                f"column {roles.name(column)} must hold numbers; it holds {_words(kind, entry)}"
            )
            hint = "convert text to numbers first." if kind == nw.String else None
            raise DataError(message, hint=hint)
        if kind.is_nested() or not isinstance(entry, Hashable):
            message = (
                f"column {roles.name(column)} must hold labels; it holds {_words(kind, entry)}"
            )
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


def _words(kind: Any, entry: object) -> str:
    if entry is not None:
        return type(entry).__name__ if isinstance(entry, Hashable) else "list"
    return "text" if kind in (nw.String, nw.Categorical, nw.Enum) else type(kind).__name__.lower()


@dataclass(frozen=True)
class Rows:
    """Columns of a frame under known names, and what they are called by those who gave them."""

    data: nw.LazyFrame[Any]
    roles: Roles
    kind: Any
    whole: bool
    narrow: frozenset[str]
    pos_label: object = None
    labels: tuple[Any, ...] | None = None

    @classmethod
    def of(
        cls,
        frame: Any,
        roles: Roles,
        *,
        pos_label: object = None,
        labels: Sequence[object] | None = None,
        others: Mapping[str, str] | None = None,
    ) -> Rows:
        """Name the columns of a frame, and make their kinds those that are counted with."""
        frame, names = distinct_names(frame)
        if names:
            require_columns(roles.columns, list(names))
            roles = roles.renamed(names)
            others = {name: names[column] for name, column in (others or {}).items()}
        data = as_lazy(frame)
        schema = require_roles(data, roles)
        extra = [nw.col(column).alias(name) for name, column in (others or {}).items()]
        kind = _kind(data, roles.outcome, schema[roles.outcome])
        chosen = [_outcome(data, roles.outcome, kind).alias("y")]
        numbers = {f"p{i}": column for i, column in enumerate(roles.probabilities)}
        chosen += [_float(data, c, schema[c]).alias(name) for name, c in numbers.items()]
        whole = roles.weight is None or schema[roles.weight].is_integer()
        if roles.weight is not None:
            real = _float(data, roles.weight, schema[roles.weight])
            chosen.append((nw.col(roles.weight).cast(nw.Int64) if whole else real).alias("w"))
        if roles.count is not None:
            chosen.append(_float(data, roles.count, schema[roles.count]).alias("k"))
        for name, column in (("g", roles.groups), ("c", roles.clusters)):
            if column is not None:
                chosen.append(_outcome(data, column, schema[column]).alias(name))
        label_names = None if labels is None else tuple(labels)
        narrow = frozenset(name for name, c in numbers.items() if schema[c] == nw.Float32)
        try:
            data = data.select(*chosen, *extra)
        except (TypeError, ValueError):
            _refuse_mixed(roles, schema)
            raise
        return cls(data, roles, kind, whole, narrow, pos_label, label_names)

    @property
    def weighted(self) -> bool:
        """Whether rows have weights."""
        return self.roles.weight is not None

    @property
    def repeated(self) -> bool:
        """Whether rows stand for numbers of like cases."""
        return self.roles.count is not None

    @property
    def used(self) -> nw.Expr | None:
        """Return whether a row weighs anything and counts for any case; None if all do."""
        positive = [nw.col(name) > 0 for name in ("w", "k") if self._has(name)]
        return reduce(operator.and_, positive) if positive else None

    def times(self, x: nw.Expr) -> nw.Expr:
        """Multiply what a case adds by the number of like cases."""
        return x * nw.col("k") if self.repeated else x

    @property
    def forecasts(self) -> dict[str, tuple[str, ...]]:
        """By model, the names of its columns here."""
        numbers = iter(range(len(self.roles.probabilities)))
        return {
            model: tuple(f"p{next(numbers)}" for _ in columns)
            for model, columns in self.roles.forecasts.items()
        }

    def slack(self, columns: Sequence[str]) -> float:
        """Return how far off 1 class probabilities may sum."""
        halved = self.narrow.issuperset(columns)
        return max(1e-6, float(np.finfo(np.float32).eps) ** 0.5) if halved else 1e-6

    def only(self, column: str) -> Rows:
        """Keep one of the forecasts, as ``p0``."""
        kept = [name for name in ("y", "w", "k", "g") if name == "y" or self._has(name)]
        number = int(column.removeprefix("p"))
        roles = replace(self.roles, forecasts={"": (self.roles.probabilities[number],)})
        narrow = frozenset({"p0"}) if column in self.narrow else frozenset()
        data = self.data.select(*kept, nw.col(column).alias("p0"))
        return replace(self, data=data, roles=roles, narrow=narrow)

    def event_of(self, happened: nw.Expr, p: nw.Expr) -> Rows:
        """Judge forecasts of another event on the same rows, which have been checked."""
        kept = [name for name in ("w", "k", "g") if self._has(name)]
        data = self.data.select(*kept, happened.alias("y"), p.alias("p0"))
        roles = replace(self.roles, forecasts={"": (self.roles.probabilities[0],)})
        return replace(self, data=data, roles=roles, kind=nw.Boolean(), pos_label=None, labels=None)

    def _has(self, name: str) -> bool:
        roles = self.roles
        return {"w": roles.weight, "k": roles.count, "g": roles.groups}[name] is not None

    def is_label(self, label: Any) -> nw.Expr:
        """Return whether the outcome is a label; a label of another kind is nowhere."""
        y, numeric = nw.col("y"), self.kind.is_numeric() or self.kind == nw.Decimal
        if self.kind == nw.Boolean:
            return y if label == 1 else ~y if label == 0 else ~(y | ~y)
        if self.kind not in MIXED and isinstance(label, Number) != numeric:
            return y != y  # noqa: PLR0124
        label = int(label) if isinstance(label, bool | np.bool_) else label
        # A Decimal is equal to a float, but to none of the whole numbers of numpy.
        mixed = self.kind in MIXED and isinstance(label, Number)
        same: nw.Expr = y == (float(label) if mixed else label)
        return same

    @property
    def event(self) -> nw.Expr:
        """Return whether the event happened."""
        return self.is_label(1 if self.pos_label is None else self.pos_label)

    def happened(self, y: Column) -> Column:
        """Tell events from others among labels that were collected, once they are known to do."""
        if not len(y):
            message = "outcomes must not be empty; got 0 rows"
            raise DataError(message)
        events: Column = check_outcomes(y, pos_label=self.pos_label, labels=self.labels)
        return events

    def require_sound(self, table: dict[str, Column], sound: dict[str, int]) -> int:
        """Refuse columns of which some entries are missing or impossible; else count the rows.

        A table of counted rows has ``n``, and of each line how many entries are sound: of forecasts
        they may be given.
        """
        n = table["n"]
        rows, sums = int(n.sum()), {"w": "sound", "k": "sound_k", "c": "c"}
        sound |= {x: int(n[~missing_values(table[x])].sum()) for x in ("y", "g") if x in table}
        sound |= {x: int(table[name].sum()) for x, name in sums.items() if name in table}
        for name, (what, column) in self._held().items():
            if sound.get(name, rows) < rows:
                self._refuse(name, what, column, rows)
        return rows

    def _held(self) -> dict[str, tuple[str, str]]:
        """Return by their names here what columns hold, and what their owner calls them."""
        roles = self.roles
        held = {f"p{i}": ("forecasts", c) for i, c in enumerate(roles.probabilities)}
        others = {"y": ("outcomes", roles.outcome), "w": ("weights", roles.weight)}
        others |= {"k": ("counts", roles.count), "g": ("groups", roles.groups)}
        others["c"] = "clusters", roles.clusters
        return held | {name: (what, c) for name, (what, c) in others.items() if c is not None}

    def require_some_weight(self, used: int, rows: int) -> None:
        """Refuse weights, or numbers of cases, that are all 0."""
        if used:
            return
        what = "weight" if self.weighted else "count"
        message = f"at least one {what} must be positive; all {rows} are 0"
        if self.weighted and self.repeated:
            message = "at least one row must have a weight and a count above 0; none has both"
        raise DataError(message)

    def _refuse(self, name: str, what: str, column: str, rows: int) -> None:
        """Refuse a column of which some entries are missing, or break a rule."""
        x = nw.col(name)
        is_float = name[0] in "pk" or (name == "w" and not self.whole)
        gone = (x.is_null() | x.is_nan()) if is_float else x.is_null()
        data = self.data.select(gone.cast(nw.Int64).alias("n")).with_columns(one=nw.lit(1))
        table = collected(data.group_by("one").agg(nw.col("n").sum()))
        if missing := int(table["n"][0]):
            verb = "is" if missing == 1 else "are"
            message = (
                f"{what} must not be missing; {missing:,} of {rows:,} rows of column "
                f"{self.roles.name(column)} {verb}"
            )
            raise DataError(message, hint=missing_hint(what))
        for rule, is_broken in RULES.get(name[0], {}).items():
            self._refuse_values(nw.when(is_broken(x)).then(x), rule, column, rows)

    def _refuse_values(self, bad: nw.Expr, rule: str, column: str, rows: int) -> None:
        """Refuse values that break a rule: how many there are, and the lowest."""
        v = nw.col("v")
        values = self.data.select(bad.alias("v")).with_columns(one=nw.lit(1))
        ends = (v.count().alias("n"), v.min().alias("a"), v.max().alias("b"))
        table = collected(values.group_by("one").agg(*ends))
        count = int(table["n"][0])
        if count:
            low, high = float(table["a"][0]), float(table["b"][0])
            verb = "is" if count == 1 else "are"
            message = (
                f"{rule}; {count:,} of {rows:,} rows of column {self.roles.name(column)} "
                f"{verb} not, such as {low:g}"
            )
            hints = {"positive": "rescale them; only their ratios matter."}
            hints |= {"forecasts": scale_hint(low, high), "counts": "weight= takes fractions."}
            raise DataError(message, hint=hints.get(rule.split(maxsplit=1)[0]))


def collected(data: nw.LazyFrame[Any]) -> dict[str, Column]:
    """Compute a small table in its engine, and return its columns as arrays."""
    with translated("spark" if data.implementation.is_spark_like() else str(data.implementation)):
        table = data.collect()
    return {column.name: _array(column) for column in table.iter_columns()}


def _array(column: Any) -> Column:
    """Make an array of a column; whole numbers that an engine sums in 128 bits become int64."""
    values: Column = column.to_numpy()
    if values.dtype.kind == "O" and len(values) and all(isinstance(x, Decimal) for x in values):
        whole = all(x == x.to_integral_value() for x in values)
        return values.astype(np.int64 if whole else np.float64)
    return values


def is_sound(name: str) -> nw.Expr:
    """Return 1 where an entry of forecasts, weights or counts can be used, 0 or null elsewhere."""
    return SOUND[name[0]](nw.col(name)).cast(nw.Int64)


def floor(x: nw.Expr) -> nw.Expr:
    """Round down; to 0 what is more than the whole numbers of Spark, which would fail."""
    return nw.when((x < WHOLE) & (x > -WHOLE)).then(x).otherwise(0.0).floor()


# By the first letter of a column, what is sound, and rules with what breaks them; NaN does neither.
SOUND: dict[str, Callable[[nw.Expr], nw.Expr]] = {
    "p": lambda p: (p >= 0) & (p <= 1),
    "w": lambda w: (w == 0) | ((w >= TINY) & (w <= HUGE)),
    "k": lambda k: (k >= 0) & (k < WHOLE) & (k == floor(k)),
}
RULES: dict[str, dict[str, Callable[[nw.Expr], nw.Expr]]] = {
    "p": {"forecasts must be probabilities in [0, 1]": lambda p: (p < 0) | (p > 1)},
    "w": {
        "weights must be finite and not negative": lambda w: (w < 0) | (w > MOST),
        f"positive weights must lie between {TINY:g} and {HUGE:g}": lambda w: (
            ((w > 0) & (w < TINY)) | (w > HUGE)
        ),
    },
    "k": {
        "counts must be whole numbers, zero or more": lambda k: (
            (k < 0) | (k >= WHOLE) | (k != floor(k))
        ),
    },
}


def _refuse_mixed(roles: Roles, schema: Mapping[str, Any]) -> None:
    """Refuse a column of objects that are not all numbers."""
    for column in [*roles.probabilities, *roles.amounts]:
        if schema[column] in MIXED:
            message = f"column {roles.name(column)} must hold numbers; it holds several kinds"
            raise DataError(message, hint="convert text to numbers first.") from None


def _float(data: nw.LazyFrame[Any], column: str, kind: Any) -> nw.Expr:
    """Make floats of a column; decimals go by text, as Arrow rounds them badly."""
    x = nw.col(column)
    x = (x.cast(nw.String) if isinstance(kind, nw.Decimal) else x).cast(nw.Float64)
    if not (kind.is_float() and data.implementation.is_duckdb()):
        return x
    # By the statistics of Parquet, which leave NaN out, duckdb takes any test for NaN as passed.
    return nw.when(x.is_finite() | (x.abs() == math.inf)).then(x)


def _kind(data: nw.LazyFrame[Any], column: str, kind: Any) -> Any:
    """Return the kind of a column; categories of pandas may be numbers, which count as such."""
    if kind not in (nw.Categorical, nw.Enum) or not data.implementation.is_pandas_like():
        return kind
    return nw.Float64() if isinstance(first_entry(data, column), Number) else kind


def _outcome(data: nw.LazyFrame[Any], column: str, kind: Any) -> nw.Expr:
    """Make of labels what can be compared: text of categories, and numbers of decimals."""
    if kind.is_float() or isinstance(kind, nw.Decimal):
        x = _float(data, column, kind)
        return nw.when(~x.is_nan()).then(x)
    return nw.col(column).cast(nw.String) if kind in (nw.Categorical, nw.Enum) else nw.col(column)


def classes_of(rows: Rows) -> int | None:
    """Return the number of classes; None for one event."""
    count = len(next(iter(rows.forecasts.values())))
    return None if count == 1 else count


def class_number(rows: Rows) -> nw.Expr:
    """Return the number of the class that happened; null of what is no class."""
    number: Any = None
    for k in reversed(range(classes_of(rows) or 0)):
        label = k if _by_number(rows) or rows.labels is None else rows.labels[k]
        # As a float, since pandas 2 has no whole number that is missing.
        here = nw.when(rows.is_label(label)).then(nw.lit(float(k)))
        number = here if number is None else here.otherwise(number)
    return nw.lit(0) if number is None else number


def numbers_of_classes(rows: Rows, y: Column) -> Column:
    """Make class numbers of labels that were collected, once they are known to do."""
    if not len(y):
        message = "outcomes must not be empty; got 0 rows"
        raise DataError(message)
    labels = range(classes_of(rows) or 0) if _by_number(rows) else rows.labels or ()
    strange = sorted({label for label in y.tolist() if label not in labels}, key=repr)
    if strange:
        listed = ", ".join(repr(label) for label in list(labels)[:8])
        message = f"outcomes must be one of {listed}; found {strange[0]!r}"
        hint = None if rows.labels is not None else "labels= says what each column stands for."
        raise DataError(message, hint=hint)
    numbers: Column = class_numbers(y, rows.labels or (classes_of(rows) or 0))
    return numbers


def sums_to_one(rows: Rows, columns: Sequence[str]) -> nw.Expr:
    """Return 1 where class probabilities sum to one, 0 or null elsewhere."""
    off = sum_of(columns) - 1
    slack = rows.slack(columns)
    return ((off <= slack) & (off >= -slack)).cast(nw.Int64)


def require_sums(rows: Rows, total: int, good: dict[str, int]) -> None:
    """Refuse class probabilities that do not sum to one."""
    for model, columns in rows.forecasts.items():
        bad = total - good[model]
        if bad:
            ends = rows.data.select(sum_of(columns).alias("s")).with_columns(one=nw.lit(1))
            table = ends.group_by("one").agg(
                nw.col("s").min().alias("a"), nw.col("s").max().alias("b")
            )
            extremes = collected(table)
            low, high = float(extremes["a"][0]), float(extremes["b"][0])
            worst = low if abs(low - 1) >= abs(high - 1) else high
            verb = "does" if bad == 1 else "do"
            message = (
                f"rows of class probabilities must sum to 1 within {rows.slack(columns):.2g}; "
                f"{bad:,} of {total:,} rows of model {model!r} {verb} not, such as one with "
                f"{worst:g}"
            )
            raise DataError(message, hint="divide each row by its sum.")


def sum_of(columns: Sequence[str]) -> nw.Expr:
    """Add up columns, from the first on."""
    return reduce(lambda a, b: a + b, [nw.col(name) for name in columns])


def _by_number(rows: Rows) -> bool:
    """Tell whether outcomes are class numbers: without labels, or if no label is a number."""
    if rows.labels is None:
        return True
    return rows.kind.is_integer() and numbers_are_classes(rows.labels)


def class_views(rows: Rows) -> dict[tuple[str, Any], Rows]:
    """Return, by model, "it was class k" and "it was above class k" as events with forecasts."""
    number, views = class_number(rows), {}
    for model, names in rows.forecasts.items():
        p = columns_of(names)
        of_class = {k: (number == k, at_most_one(p[:, k])) for k in range(len(names))}
        above = {k: (number > k, tail) for k, tail in enumerate(upper_tails(p))}
        for view, questions in (("class", of_class), ("above", above)):
            for k, (happened, tail) in questions.items():
                data = with_formulas(rows.data, {"tail": only(tail)})
                viewed = replace(rows, data=data)
                views[model, (view, k)] = viewed.event_of(happened, nw.col("tail"))
    return views


def confusion_of(rows: Rows) -> dict[str, Column]:
    """Weigh, by model, outcomes (rows) against likeliest classes (columns), the first of ties."""
    count, matrices = classes_of(rows) or 0, {}
    for model, names in rows.forecasts.items():
        data = with_formulas(rows.data, {"d": only(decide_by_mode(columns_of(names)))})
        data = data.with_columns(e=class_number(rows))
        if rows.weighted or rows.repeated:
            each = rows.times(nw.col("w") if rows.weighted else nw.lit(1.0))
            data, amount = data.with_columns(each.alias("n")), nw.col("n").sum()
        else:
            amount = nw.len()
        table = collected(data.group_by("e", "d").agg(amount.alias("n")))
        kind = np.int64 if rows.whole else np.float64
        confusion = np.zeros((count, count), dtype=kind)
        at = table["e"].astype(int), table["d"].astype(int)
        np.add.at(confusion, at, table["n"].astype(kind))
        matrices[model] = confusion
    return matrices
