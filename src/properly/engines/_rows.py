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
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from functools import reduce
from numbers import Number
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
from narwhals.exceptions import DuplicateError

from properly._boundary import _arrays, _classes
from properly.counts._reductions import upper_tails
from properly.engines._files._clusters import translated
from properly.engines._symbols import columns_of, only, with_formulas
from properly.errors import ArgumentTypeError, DataError
from properly.rules._dual_rules import at_most_one
from properly.rules._penalty import decide_by_mode
from properly.typing import Column

# Rounded down, larger numbers are no whole numbers of 64 bits.
WHOLE = 2.0**62
# More than any double.
MOST = 1.7976931348623157e308
# Kinds of which a column says nothing of its entries.
MIXED = (nw.Object, nw.Unknown)
# What a number may be stored as besides; pandas keeps Decimals as objects.
NUMBERS = (nw.Boolean, nw.Decimal, *MIXED)
# What a column of `Rows` holds, by the first letter of its name.
WHAT = {"y": "outcomes", "p": "forecasts", "w": "weights", "k": "counts"}
WHAT |= {"g": "groups", "c": "clusters"}


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
    def design(self) -> dict[str, str]:
        """The other columns that are there, by their names in `Rows`."""
        design = {"w": self.weight, "k": self.count, "g": self.groups, "c": self.clusters}
        return {name: column for name, column in design.items() if column is not None}

    @property
    def held(self) -> dict[str, str]:
        """All columns that are needed, by their names in `Rows`."""
        forecasts = {f"p{i}": column for i, column in enumerate(self.probabilities)}
        return {"y": self.outcome} | forecasts | self.design


def distinct_names(frame: Any) -> tuple[Any, dict[str, str]]:
    """Give columns names that Spark and duckdb can distinguish; return them by their own names.

    Spark knows no upper case. It takes a dot for a part of a column, as duckdb 1 does, which takes
    a quotation mark for the end of a name besides.
    """
    kind, frame = as_lazy(frame).implementation, nw.to_native(frame, pass_through=True)
    spark = kind.is_pyspark() or kind.is_pyspark_connect()
    if not spark and not (kind.is_duckdb() and set('".') & set("".join(frame.columns))):
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
        _classes.require_distinct(getattr(frame, "column_names", None) or frame.columns)
        raise
    if not isinstance(data, nw.DataFrame | nw.LazyFrame):
        message = f"forecasts are missing; got only {type(frame).__name__}"
        raise ArgumentTypeError(
            message, hint="pass tally(y, p), or a frame with outcome= and forecast=."
        )
    # Names of polars differ, and to ask a lazy frame for them warns in some versions.
    if not (isinstance(data, nw.LazyFrame) and data.implementation.is_polars()):
        _classes.require_distinct(data.columns)
    lazy: nw.LazyFrame[Any] = data.lazy()
    return lazy


def require_roles(
    data: nw.LazyFrame[Any], roles: Roles, names: Mapping[str, str]
) -> dict[str, Any]:
    """Refuse columns that are not there, or hold what cannot be counted with; return all kinds."""
    schema: dict[str, Any] = dict(data.collect_schema())
    schema = {column: schema[name] for column, name in names.items()} if names else schema
    _classes.require_columns(roles.held.values(), list(schema))
    for name, column in roles.held.items():
        kind = schema[column]
        # Of any other kind, the entries are what the column says.
        entry = first_entry(data, names.get(column, column)) if kind == nw.Object else None
        is_number = kind.is_numeric() or kind in NUMBERS
        is_label = not kind.is_nested() and isinstance(entry, Hashable)
        if name[0] in "pwk" and not (is_number and isinstance(entry, Number | None)):
            wanted = "numbers"
        elif not is_label:
            wanted = "labels"
        else:
            continue
        held = "text" if kind in (nw.String, nw.Categorical, nw.Enum) else type(kind).__name__
        if entry is not None:
            held = type(entry).__name__ if is_label else "list"
        held = held if entry is not None else held.lower()
        message = f"column {roles.name(column)} must hold {wanted}; it holds {held}"
        hint = "convert text to numbers first." if kind == nw.String else None
        raise DataError(message, hint=hint)
    return schema


def first_entry(data: nw.LazyFrame[Any], column: str) -> object:
    """Return the first entry of a column that is not missing; None if all are."""
    entries = data.select(nw.col(column).alias("x")).filter(~nw.col("x").is_null())
    values = entries.head(1).collect()["x"].to_list()
    return values[0] if values else None


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
        data = as_lazy(frame)
        schema = require_roles(data, roles, names)
        chosen, kind = [], _kind(data, names, roles.outcome, schema[roles.outcome])
        whole = roles.weight is None or schema[roles.weight].is_integer()
        for name, column in roles.held.items():
            x, own = nw.col(names.get(column, column)), schema[column] if name != "y" else kind
            if name in ("y", "g", "c"):
                x = _outcome(data, x, own)
            else:
                x = x.cast(nw.Int64) if name == "w" and whole else _float(data, x, own)
            chosen.append(x.alias(name))
        for name, column in (others or {}).items():
            chosen.append(nw.col(names.get(column, column)).alias(name))
        label_names = None if labels is None else tuple(labels)
        narrow = {name for name, c in roles.held.items() if schema[c] == nw.Float32}
        try:
            data = data.select(*chosen)
        except (TypeError, ValueError):
            mixed = [c for x, c in roles.held.items() if x[0] in "pwk" and schema[c] in MIXED]
            if not mixed:
                raise
            message = f"column {roles.name(mixed[0])} must hold numbers; it holds several kinds"
            raise DataError(message, hint="convert text to numbers first.") from None
        return cls(data, roles, kind, whole, frozenset(narrow), pos_label, label_names)

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
        positive = [nw.col(name) > 0 for name in self.roles.design if name in "wk"]
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

    @property
    def classes(self) -> int | None:
        """The number of classes; None for one event."""
        count = len(next(iter(self.forecasts.values())))
        return None if count == 1 else count

    @property
    def keys(self) -> list[str]:
        """What rows are summed up by: their outcome, and their group."""
        return ["y", *(name for name in self.roles.design if name == "g")]

    def amounts(self) -> dict[str, nw.Expr]:
        """Return how many cases rows are, whether that is sound, their weights and squares."""
        amounts = {}
        if self.used is not None:
            amounts["used"] = self.times(self.used.cast(nw.Int64))
        if self.repeated:
            amounts["sound_k"] = is_sound("k")
        if self.weighted:
            wide = nw.col("w").cast(nw.Float64)
            amounts |= {"sound": is_sound("w"), "w": self.times(wide)}
            amounts["w2"] = self.times(wide * wide)
        return amounts

    def only(self, column: str) -> Rows:
        """Keep one of the forecasts, as ``p0``."""
        narrow = frozenset({"p0"} if column in self.narrow else ())
        name = self.roles.held[column]
        return self.event_of(nw.col("y"), nw.col(column), name, narrow=narrow)

    def event_of(self, y: nw.Expr, p: nw.Expr, column: str, **changes: Any) -> Rows:
        """Judge forecasts of an event on the same rows, which have been checked, as ``p0``."""
        roles = replace(self.roles, forecasts={"": (column,)})
        kept = [name for name in self.roles.design if name != "c"]
        data = self.data.select(*kept, y.alias("y"), p.alias("p0"))
        return replace(self, data=data, roles=roles, **changes)

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
    def number(self) -> nw.Expr:
        """Return whether the event happened, or the number of the class; null of what is none."""
        if self.classes is None:
            return self.is_label(1 if self.pos_label is None else self.pos_label)
        labels = range(self.classes) if self._by_number else self.labels or ()
        # As a float, since pandas 2 has no whole number that is missing.
        here = [nw.when(self.is_label(x)).then(nw.lit(float(k))) for k, x in enumerate(labels)]
        number: nw.Expr = here.pop()
        for before in reversed(here):
            number = before.otherwise(number)
        return number

    @property
    def _by_number(self) -> bool:
        """Whether outcomes are class numbers: without labels, or if no label is a number."""
        if self.labels is None:
            return True
        return self.kind.is_integer() and _classes.numbers_are_classes(self.labels)

    def numbers(self, y: Column) -> Column:
        """Make numbers of labels that were collected, once they are known to do: 1 is an event."""
        if not len(y):
            message = "outcomes must not be empty; got 0 rows"
            raise DataError(message)
        if self.classes is None:
            events = _arrays.check_outcomes(y, pos_label=self.pos_label, labels=self.labels)
            return np.asarray(events, dtype=np.intp)
        labels = range(self.classes) if self._by_number else self.labels or ()
        strange = sorted({label for label in y.tolist() if label not in labels}, key=repr)
        if strange:
            listed = ", ".join(repr(label) for label in list(labels)[:8])
            message = f"outcomes must be one of {listed}; found {strange[0]!r}"
            hint = None if self.labels is not None else "labels= says what each column stands for."
            raise DataError(message, hint=hint)
        numbers: Column = _classes.class_numbers(y, self.labels or self.classes)
        return numbers

    def slack(self, columns: Sequence[str]) -> float:
        """Return how far off 1 class probabilities may sum."""
        return _classes.slack_at(float(np.finfo(np.float32).eps) * self.narrow.issuperset(columns))

    def require_sums(self, total: int, good: dict[str, int]) -> None:
        """Refuse class probabilities that do not sum to one."""
        for model, columns in self.forecasts.items():
            bad = total - good[model]
            if bad:
                ends = nw.col("s").min().alias("a"), nw.col("s").max().alias("b")
                low, high = one_row(self.data.select(s=sum_of(columns)), *ends)
                worst = low if abs(low - 1) >= abs(high - 1) else high
                verb = "does" if bad == 1 else "do"
                message = (
                    f"rows of class probabilities must sum to 1 within {self.slack(columns):.2g}; "
                    f"{bad:,} of {total:,} rows of model {model!r} {verb} not, such as one with "
                    f"{worst:g}"
                )
                raise DataError(message, hint="divide each row by its sum.")

    def require_sound(self, table: dict[str, Column], sound: dict[str, int]) -> int:
        """Refuse columns of which some entries are missing or impossible; else count the rows.

        A table of counted rows has ``n``, and of each line how many entries are sound: of forecasts
        they may be given.
        """
        n = table["n"]
        rows, sums = int(n.sum()), {"w": "sound", "k": "sound_k", "c": "c"}
        sound |= {
            x: int(n[~_arrays.missing_values(table[x])].sum()) for x in ("y", "g") if x in table
        }
        sound |= {x: int(table[name].sum()) for x, name in sums.items() if name in table}
        for name, column in self.roles.held.items():
            if sound.get(name, rows) < rows:
                self._refuse(name, WHAT[name[0]], column, rows)
        return rows

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
        """Refuse a column of which entries are missing, or break a rule: how many, the lowest."""
        x, v = nw.col(name), nw.col("v")
        is_float = name[0] in "pk" or (name == "w" and not self.whole)
        gone = (x.is_null() | x.is_nan()) if is_float else x.is_null()
        broken = {f"{what} must not be missing": nw.when(gone).then(nw.lit(0.0))}
        rules = RULES.get(name[0], {}).items()
        broken |= {rule: nw.when(~is_kept(x)).then(x) for rule, is_kept in rules}
        for rule, bad in broken.items():
            ends = v.count().alias("n"), v.min().alias("a"), v.max().alias("b")
            count, low, high = one_row(self.data.select(v=bad), *ends)
            if count:
                message = (
                    f"{rule}; {int(count):,} of {rows:,} rows of column "
                    f"{self.roles.name(column)} {'is' if count == 1 else 'are'}"
                )
                if rule.endswith("missing"):
                    raise DataError(message, hint=_arrays.missing_hint(what))
                hints = {"positive": "rescale them; only their ratios matter."}
                hints |= {
                    "forecasts": _arrays.scale_hint(low, high),
                    "counts": "weight= takes fractions.",
                }
                message += f" not, such as {low:g}"
                raise DataError(message, hint=hints.get(rule.split(maxsplit=1)[0]))


def collected(data: nw.LazyFrame[Any]) -> dict[str, Column]:
    """Compute a small table in its engine, and return its columns as arrays."""
    with translated("spark" if data.implementation.is_spark_like() else str(data.implementation)):
        table = data.collect()
    return {column.name: _array(column) for column in table.iter_columns()}


def one_row(data: nw.LazyFrame[Any], *ends: nw.Expr) -> list[float]:
    """Compute some numbers of all rows of a frame; 0 or NaN where there is none."""
    table = collected(data.with_columns(one=nw.lit(1)).group_by("one").agg(*ends))
    del table["one"]
    return [float(x[0]) if len(x) and x[0] is not None else 0.0 for x in table.values()]


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


# By the first letter of a column, what is sound, and rules with what keeps them.
SOUND: dict[str, Callable[[nw.Expr], nw.Expr]] = {
    "p": lambda p: (p >= 0) & (p <= 1),
    "w": lambda w: (w == 0) | ((w >= _arrays.TINY) & (w <= _arrays.HUGE)),
    "k": lambda k: (k >= 0) & (k < WHOLE) & (k == floor(k)),
}
RULES = {
    "p": {"forecasts must be probabilities in [0, 1]": SOUND["p"]},
    "w": {
        "weights must be finite and not negative": lambda w: (w >= 0) & (w <= MOST),
        f"positive weights must lie between {_arrays.TINY:g} and {_arrays.HUGE:g}": SOUND["w"],
    },
    "k": {"counts must be whole numbers, zero or more": SOUND["k"]},
}


def _float(data: nw.LazyFrame[Any], x: nw.Expr, kind: Any) -> nw.Expr:
    """Make floats of a column; decimals go by text, as Arrow rounds them badly."""
    x = (x.cast(nw.String) if isinstance(kind, nw.Decimal) else x).cast(nw.Float64)
    if not (kind.is_float() and data.implementation.is_duckdb()):
        return x
    # By the statistics of Parquet, which leave NaN out, duckdb takes any test for NaN as passed.
    return nw.when(x.is_finite() | (x.abs() == math.inf)).then(x)


def _kind(data: nw.LazyFrame[Any], names: Mapping[str, str], column: str, kind: Any) -> Any:
    """Return the kind of a column; categories of pandas may be numbers, which count as such."""
    if kind not in (nw.Categorical, nw.Enum) or not data.implementation.is_pandas_like():
        return kind
    entry = first_entry(data, names.get(column, column))
    return nw.Float64() if isinstance(entry, Number) else kind


def _outcome(data: nw.LazyFrame[Any], x: nw.Expr, kind: Any) -> nw.Expr:
    """Make of labels what can be compared: text of categories, and numbers of decimals."""
    if kind.is_float() or isinstance(kind, nw.Decimal):
        x = _float(data, x, kind)
        return nw.when(~x.is_nan()).then(x)
    return x.cast(nw.String) if kind in (nw.Categorical, nw.Enum) else x


def sum_of(columns: Sequence[str]) -> nw.Expr:
    """Add up columns, from the first on."""
    return reduce(lambda a, b: a + b, [nw.col(name) for name in columns])


def class_views(rows: Rows) -> dict[tuple[str, Any], Rows]:
    """Return, by model, "it was class k" and "it was above class k" as events with forecasts."""
    number, views = rows.number, {}
    event: dict[str, Any] = {"kind": nw.Boolean(), "pos_label": None, "labels": None}
    for model, names in rows.forecasts.items():
        p = columns_of(names)
        of_class = {k: (number == k, at_most_one(p[:, k])) for k in range(len(names))}
        above = {k: (number > k, tail) for k, tail in enumerate(upper_tails(p))}
        for view, questions in (("class", of_class), ("above", above)):
            for k, (happened, tail) in questions.items():
                data = with_formulas(rows.data, {"tail": only(tail)})
                viewed, column = replace(rows, data=data), rows.roles.probabilities[0]
                views[model, (view, k)] = viewed.event_of(happened, nw.col("tail"), column, **event)
    return views


def confusion_of(rows: Rows) -> dict[str, Column]:
    """Weigh, by model, outcomes (rows) against likeliest classes (columns), the first of ties."""
    count, matrices = rows.classes or 0, {}
    for model, names in rows.forecasts.items():
        data = with_formulas(rows.data, {"d": only(decide_by_mode(columns_of(names)))})
        data = data.with_columns(e=rows.number)
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
