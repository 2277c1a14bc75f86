"""Frames of forecasts: read if they fit in memory, else summed up where they are.

`Framed` knows what the columns are, and does either; `summarize_frame` makes a `Summary` of sums
and counts that the engine of the frame computes.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np

from properly._boundary import _classes
from properly._boundary._arrays import event_label
from properly.counts._tally import Tally
from properly.engines import _rows, _summary
from properly.engines._frame_sums import PooledRows, pool_cells, pool_few_values, sum_up
from properly.engines._rows import Roles, Rows
from properly.engines._summary import Summary
from properly.engines._symbols import is_expressible
from properly.errors import ArgumentTypeError, DataError
from properly.rules import Rule
from properly.typing import Column, Progress

# Frames with more rows are summed up where they are, and never read into memory.
MOST_ROWS = 1_000_000
# What sums can be split by; all else needs the rows.
BY_SUMS = ("weight", "count", "groups", "clusters")
# What columns begin with that are to be shown beside the worst cases.
SHOW = "show "


def count_rows(frame: Any, count: str | None = None) -> int:
    """Count the rows of a frame inside its engine, or the cases that they stand for, if more."""
    data, names = _rows.distinct_names(frame)
    data = _rows.as_lazy(data)
    schema = data.collect_schema()
    if not schema:
        message = "a frame must have columns; this one has none"
        raise DataError(message)
    column = next(iter(schema)) if count is None else names.get(count, count)
    # What is no number is refused later.
    is_number = count is not None and schema[column].is_numeric()
    cases = nw.col(column).cast(nw.Float64) if is_number else nw.lit(0.0)
    ends = nw.len().alias("n"), nw.col("k").sum()
    rows, total = _rows.one_row(data.select(column).with_columns(k=cases), *ends)
    return int(max(rows, total) if math.isfinite(total) else rows)


def _models(forecasts: Any, task: str) -> dict[str, tuple[str, ...]]:
    """Take the columns of models, or of classes by model, of each model as many."""
    if not isinstance(forecasts, Mapping):
        names = _names(forecasts)
        if task in ("multiclass", "ordinal"):
            return {"forecast": names}
        return {name: (name,) for name in names}
    models = {str(name): _names(columns) for name, columns in forecasts.items()}
    (one, first), *others = models.items() or [("", _names(()))]
    for other, columns in others:
        if len(columns) != len(first):
            got = f"{one!r} has {len(first)}, {other!r} has {len(columns)}"
            message = f"models must have as many columns; {got}"
            raise DataError(message)
    return models


def _names(columns: Any) -> tuple[str, ...]:
    """Take names of columns, at least one."""
    names = (columns,) if isinstance(columns, str) else tuple(columns or ())
    for name in names or (None,):
        if not isinstance(name, str):
            got = "none" if name is None else repr(name)
            message = f"forecasts of a frame are names of columns; got {got}"
            raise ArgumentTypeError(message)
    return names


@dataclass(frozen=True, eq=False)
class Framed:
    """A frame, and what its columns are.

    Attributes
    ----------
    frame : data frame
        Of any library, eager or lazy.
    roles : Roles
        The columns of outcomes, forecasts, weights, groups and clusters.
    others : dict of str
        The columns of what only rows can tell: times, strata, and what is to be shown.
    labels : tuple or None
        Of classes, what each column stands for; of an event, both labels.
    pos_label : label or None
        The label of the event.
    order : tuple or None
        The order that categorical outcomes state, where no labels were given.
    """

    frame: Any
    roles: Roles
    others: Mapping[str, str] = field(default_factory=dict)
    labels: tuple[Any, ...] | None = None
    pos_label: object = None
    order: tuple[Any, ...] | None = None

    @classmethod
    def of(
        cls,
        frame: Any,
        outcome: str | None,
        forecasts: Any,
        *,
        task: str,
        design: Mapping[str, Any],
        labels: Sequence[object] | None = None,
        pos_label: object = None,
    ) -> Framed:
        """Take the names of columns, and refuse those that are not there."""
        show = design.get("show")
        shown: Any = [show] if isinstance(show, str) else () if show is None else show
        if not (isinstance(shown, list | tuple) and all(isinstance(x, str) for x in shown)):
            message = f"columns of a frame are shown by their names; got {type(show).__name__}"
            raise ArgumentTypeError(message)
        named = {"outcome": outcome} | {what: x for what, x in design.items() if what != "show"}
        named = {what: name for what, name in named.items() if name is not None}
        for what, name in named.items():
            if not isinstance(name, str):
                message = f"{what} of a frame is the name of a column; got {type(name).__name__}"
                raise ArgumentTypeError(message)
        schema, models = _rows.as_lazy(frame).collect_schema(), _models(forecasts, task)
        roles = Roles(str(outcome), models, **{x: named[x] for x in BY_SUMS if x in named})
        _classes.require_columns([*roles.probabilities, *named.values(), *shown], schema.names())
        others = {x: name for x, name in named.items() if x not in ("outcome", *BY_SUMS)}
        others |= {f"{SHOW}{column}": column for column in shown}
        if task == "binary" and any(len(columns) > 1 for columns in roles.forecasts.values()):
            message = "a model of one event has one column of forecasts; the task is 'binary'"
            raise DataError(message)
        classes = len(next(iter(roles.forecasts.values())))
        order = _classes.order_of(schema[roles.outcome], classes) if labels is None else None
        label_names = order if labels is None else tuple(labels)
        if label_names is not None and classes > 1:
            _classes.check_labels(label_names, classes)
            for columns in roles.forecasts.values():
                _classes.require_named_in_order(label_names, columns)
        elif label_names is not None:
            pos_label = event_label(label_names, pos_label)
        return cls(frame, roles, others, label_names, pos_label, order)

    @property
    def names(self) -> list[str]:
        """The names of all columns."""
        return _rows.as_lazy(self.frame).collect_schema().names()

    def read_as_is(self, names: Sequence[str]) -> dict[str, Column]:
        """Read some columns, which need not be sound."""
        frame, own = _rows.distinct_names(self.frame)
        chosen = [nw.col(own.get(name, name)).alias(f"x{i}") for i, name in enumerate(names)]
        columns = _rows.collected(_rows.as_lazy(frame).select(*chosen))
        return dict(zip(names, columns.values(), strict=True))

    @cached_property
    def rows(self) -> int:
        """How many rows there are, or cases that they stand for."""
        return count_rows(self.frame, self.roles.count)

    @property
    def fits(self) -> bool:
        """Whether the rows are read into memory."""
        return self.rows <= MOST_ROWS

    @property
    def has_classes(self) -> bool:
        """Whether forecasts are of several classes."""
        return any(len(columns) > 1 for columns in self.roles.forecasts.values())

    def checked(self, others: Mapping[str, str] | None = None) -> Rows:
        """Name the columns of the rows, and others besides, as the engine counts with them."""
        kinds: Any = {"pos_label": self.pos_label, "labels": self.labels, "others": others}
        return Rows.of(self.frame, self.roles, **kinds)

    def read(self) -> tuple[Any, dict[str, Any], dict[str, Any]]:
        """Read outcomes, forecasts by model, and what else is known, as arrays.

        The engine has checked them: refusals are in the same words wherever the rows are.
        """
        rows = self.checked({f"x{i}": column for i, column in enumerate(self.others.values())})
        sum_up(rows, ())
        columns = _rows.collected(rows.data)
        forecasts = {
            model: columns[names[0]]
            if len(names) == 1
            else np.column_stack([columns[n] for n in names])
            for model, names in rows.forecasts.items()
        }
        design: dict[str, Any] = {}
        show: dict[str, Any] = {}
        for i, what in enumerate(self.others):
            some = show if what.startswith(SHOW) else design
            some[what.removeprefix(SHOW)] = columns[f"x{i}"]
        known = {"weight": "w", "count": "k", "groups": "g", "clusters": "c"}
        design |= {what: columns[name] for what, name in known.items() if name in columns}
        return columns["y"], forecasts, design | ({"show": show} if show else {})

    def summary(
        self, rules: Sequence[Rule], cells: int | None = None, progress: Progress | None = None
    ) -> Summary:
        """Sum up rows inside their engine: losses by rule and model, and counts by model."""
        for what in (other.partition(" ")[0] for other in self.others):
            message = (
                f"{what} needs the rows in memory, up to {MOST_ROWS:,}; the frame has {self.rows:,}"
            )
            raise DataError(message, hint=f"leave out {what}, or take a part of the rows.")
        rows = self.checked()
        _require_expressible(rules, rows.classes)
        # The events whose forecasts are counted, by model: one, or several made of classes.
        views: dict[Any, Rows] = (
            _rows.class_views(rows)
            if rows.classes is not None
            else {model: rows.only(column) for model, (column,) in rows.forecasts.items()}
        )
        models = (key if isinstance(key, str) else key[0] for key in views)
        steps = _steps(progress, ["the sums of losses", *(f"the forecasts of {x}" for x in models)])
        next(steps)
        sums, by_group = sum_up(rows, tuple(rules))
        tallies: dict[Any, Tally] = {}
        within: dict[Any, dict[Any, Tally]] = {group: {} for group in by_group}
        for key, viewed in views.items():
            next(steps)
            pooled, grouped = _pooled(viewed, int(sums.totals["rows",]), cells)
            tallies[key] = pooled.tally(grouped)
            for group, own in within.items():
                own[key] = pooled.only(pooled.columns["g"] == group).tally(grouped)
        labels = None if rows.classes is None else rows.labels or tuple(range(rows.classes))
        return Summary(
            sums=sums,
            tallies=tallies,
            groups={g: Summary(by_group[g], within[g], labels=labels) for g in by_group},
            labels=labels,
            confusion={} if labels is None else _rows.confusion_of(rows),
            notes=() if self.order is None else (_classes.note_of_order(self.order),),
        )


def _steps(progress: Progress | None, steps: Sequence[str]) -> Iterator[None]:
    """Say which step comes next, each time that the next is asked for."""
    for done, what in enumerate(steps):
        if progress is not None:
            progress(done, len(steps), what)
        yield


def _require_expressible(rules: Sequence[Rule], classes: int | None) -> None:
    for rule in rules:
        if not is_expressible(rule, classes):
            message = f"{rule!r} cannot be computed inside the engine of a frame"
            raise DataError(message, hint="read the columns into memory, and pass them as arrays.")


def _pooled(rows: Rows, total: int, cells: int | None) -> tuple[PooledRows, int | None]:
    """Count each distinct forecast if there are not too many, else cells."""
    if cells is None:
        many = total > 4 * _summary.MOST_DISTINCT and _opens_with_many(rows)
        pooled = None if many else pool_few_values(rows, "p0", _summary.MOST_DISTINCT)
        if pooled is not None:
            return pooled, None
        cells = _summary.CELLS
    return pool_cells(rows, "p0", cells), cells


def _opens_with_many(rows: Rows) -> bool:
    """Tell by the first rows alone that there are too many distinct forecasts to keep them all."""
    opening = rows.data.select("p0").head(2 * _summary.MOST_DISTINCT)
    (many,) = _rows.one_row(opening.group_by("p0").agg(nw.len().alias("n")), nw.len().alias("n"))
    return many > _summary.MOST_DISTINCT
