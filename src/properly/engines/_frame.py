"""Frames of forecasts: read if they fit in memory, else summed up where they are.

`Framed` knows what the columns are, and does either; `summarize_frame` makes a `Summary` of sums
and counts that the engine of the frame computes.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import narwhals.stable.v2 as nw
import numpy as np

from properly._boundary._arrays import event_label
from properly._boundary._classes import note_of_order, order_of, require_named_in_order
from properly._boundary._labels import check_labels, require_columns
from properly.engines import _summary
from properly.engines._frame_pooling import PooledRows, pool_cells, pool_few_values
from properly.engines._loss_sums import sum_up
from properly.engines._rows import (
    Roles,
    Rows,
    as_lazy,
    class_views,
    classes_of,
    collected,
    confusion_of,
    distinct_names,
)
from properly.engines._summary import Summary
from properly.engines._symbols import is_expressible
from properly.errors import ArgumentTypeError, DataError

if TYPE_CHECKING:
    from properly.counts._tally import Tally
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
    data, names = distinct_names(frame)
    data = as_lazy(data)
    first = data.collect_schema().names()[:1]
    if not first:
        message = "a frame must have columns; this one has none"
        raise DataError(message)
    counted = data.select(*first).with_columns(one=nw.lit(1))
    rows = collected(counted.group_by("one").agg(nw.len().alias("n")))["n"]
    number = int(rows[0]) if len(rows) else 0
    return number if count is None else max(number, _cases(data, names.get(count, count)))


def _cases(data: nw.LazyFrame[Any], column: str) -> int:
    """Add up how many cases rows stand for; none if that is no number, which is refused later."""
    kind = data.collect_schema()[column]
    if not kind.is_numeric():
        return 0
    k = nw.col(column).cast(nw.Float64).alias("k")
    sums = data.select(k).with_columns(one=nw.lit(1)).group_by("one").agg(nw.col("k").sum())
    total = collected(sums)["k"]
    return int(total[0]) if len(total) and math.isfinite(total[0]) else 0


def as_roles(frame: Any, outcome: object, forecasts: Any, task: str, **design: object) -> Roles:
    """Take the names of columns; forecasts are those of models, or of classes by model."""
    columns = as_lazy(frame).collect_schema().names()
    models = _models(forecasts, task)
    for what, name in ({"outcome": outcome} | design).items():
        if name is not None and not isinstance(name, str):
            message = f"{what} of a frame is the name of a column; got {type(name).__name__}"
            raise ArgumentTypeError(message)
    named = [x for x in (outcome, *design.values()) if isinstance(x, str)]
    require_columns([*(c for taken in models.values() for c in taken), *named], columns)
    chosen: Any = {name: design.get(name) for name in BY_SUMS}
    return Roles(str(outcome), models, **chosen)


def _models(forecasts: Any, task: str) -> dict[str, tuple[str, ...]]:
    if isinstance(forecasts, Mapping):
        models = {str(name): _names(columns) for name, columns in forecasts.items()}
        _require_alike(models)
        return models
    names = _names(forecasts)
    if task in ("multiclass", "ordinal"):
        return {"forecast": names}
    return {name: (name,) for name in names}


def _require_alike(models: Mapping[str, tuple[str, ...]]) -> None:
    """Refuse models of which one has more columns than another, and none at all."""
    counts = {name: len(columns) for name, columns in models.items()}
    if len(set(counts.values())) > 1:
        (one, columns), *others = counts.items()
        other, width = next((name, count) for name, count in others if count != columns)
        message = f"models must have as many columns; {one!r} has {columns}, {other!r} has {width}"
        raise DataError(message)
    if not counts:
        _names(())


def _names_to_show(show: Any) -> tuple[str, ...]:
    names = (show,) if isinstance(show, str) else () if show is None else show
    if not isinstance(names, list | tuple) or not all(isinstance(name, str) for name in names):
        message = f"columns of a frame are shown by their names; got {type(show).__name__}"
        raise ArgumentTypeError(message)
    return tuple(names)


def _names(columns: Any) -> tuple[str, ...]:
    names = (columns,) if isinstance(columns, str) else tuple(columns or ())
    for name in names:
        if not isinstance(name, str):
            message = f"forecasts of a frame are names of columns; got {name!r}"
            raise ArgumentTypeError(message)
    if not names:
        message = "forecasts of a frame are names of columns; got none"
        raise ArgumentTypeError(message)
    return names


def read_frame(
    frame: Any,
    roles: Roles,
    others: Mapping[str, str],
    *,
    pos_label: object = None,
    labels: Sequence[object] | None = None,
) -> tuple[Column, dict[str, Column], dict[str, Column]]:
    """Read outcomes, forecasts by model, and what else is known, once the engine has checked them.

    Refusals are the engine's: they are in the same words wherever the rows are.
    """
    extra = {f"x{i}": column for i, column in enumerate(others.values())}
    rows = Rows.of(frame, roles, pos_label=pos_label, labels=labels, others=extra)
    sum_up(rows, ())
    columns = collected(rows.data)
    y = columns["y"]
    forecasts = {
        model: columns[names[0]]
        if len(names) == 1
        else np.column_stack([columns[n] for n in names])
        for model, names in rows.forecasts.items()
    }
    design = {what: columns[f"x{i}"] for i, what in enumerate(others)}
    for what, name in (("weight", "w"), ("count", "k"), ("groups", "g"), ("clusters", "c")):
        if name in columns:
            design[what] = columns[name]
    return y, forecasts, design


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
    others: dict[str, str]
    labels: tuple[Any, ...] | None
    pos_label: object
    order: tuple[Any, ...] | None

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
        shown = _names_to_show(design.get("show"))
        design = {what: column for what, column in design.items() if what != "show"}
        roles = as_roles(frame, outcome, forecasts, task, **design)
        require_columns(shown, as_lazy(frame).collect_schema().names())
        others = {
            what: column
            for what, column in design.items()
            if what not in BY_SUMS and column is not None
        }
        others |= {f"{SHOW}{column}": column for column in shown}
        if task == "binary" and any(len(columns) > 1 for columns in roles.forecasts.values()):
            message = "a model of one event has one column of forecasts; the task is 'binary'"
            raise DataError(message)
        classes = len(next(iter(roles.forecasts.values())))
        kind = as_lazy(frame).collect_schema()[roles.outcome]
        order = order_of(kind, classes) if labels is None else None
        label_names = order if labels is None else tuple(labels)
        if label_names is not None and classes > 1:
            check_labels(label_names, classes)
            for columns in roles.forecasts.values():
                require_named_in_order(label_names, columns)
        elif label_names is not None:
            pos_label = event_label(label_names, pos_label)
        return cls(frame, roles, others, label_names, pos_label, order)

    @property
    def names(self) -> list[str]:
        """The names of all columns."""
        return as_lazy(self.frame).collect_schema().names()

    def read_as_is(self, names: Sequence[str]) -> dict[str, Column]:
        """Read some columns, which need not be sound."""
        frame, own = distinct_names(self.frame)
        chosen = [nw.col(own.get(name, name)).alias(f"x{i}") for i, name in enumerate(names)]
        return dict(zip(names, collected(as_lazy(frame).select(*chosen)).values(), strict=True))

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

    def read(self) -> tuple[Any, dict[str, Any], dict[str, Any]]:
        """Read outcomes, forecasts by model, and what else is known, as arrays."""
        kinds: Any = {"pos_label": self.pos_label, "labels": self.labels}
        y, forecasts, design = read_frame(self.frame, self.roles, self.others, **kinds)
        shown = [what for what in design if what.startswith(SHOW)]
        show = {what.removeprefix(SHOW): design.pop(what) for what in shown}
        return y, forecasts, design | ({"show": show} if show else {})

    def summary(
        self,
        rules: Sequence[Rule],
        cells: int | None = None,
        progress: Progress | None = None,
    ) -> Summary:
        """Sum up rows inside their engine."""
        for what in (other.partition(" ")[0] for other in self.others):
            message = (
                f"{what} needs the rows in memory, up to {MOST_ROWS:,}; the frame has {self.rows:,}"
            )
            raise DataError(message, hint=f"leave out {what}, or take a part of the rows.")
        summary = summarize_frame(
            self.frame,
            self.roles,
            rules,
            pos_label=self.pos_label,
            labels=self.labels,
            cells=cells,
            progress=progress,
        )
        return replace(summary, notes=() if self.order is None else (note_of_order(self.order),))


def summarize_frame(
    frame: Any,
    roles: Roles,
    rules: Sequence[Rule],
    *,
    pos_label: object = None,
    labels: Sequence[object] | None = None,
    cells: int | None = None,
    progress: Progress | None = None,
) -> Summary:
    """Sum up a frame: losses by rule and model, and counts by model, also of each group."""
    rows = Rows.of(frame, roles, pos_label=pos_label, labels=labels)
    classes = classes_of(rows)
    _require_expressible(rules, classes)
    # The events whose forecasts are counted, by model: one, or several made of classes.
    views: dict[tuple[str, Any], Rows] = (
        class_views(rows)
        if classes is not None
        else {(model, None): rows.only(column) for model, (column,) in rows.forecasts.items()}
    )
    say = _saying(progress, 1 + len(views))
    say("the sums of losses")
    sums, by_group = sum_up(rows, tuple(rules))
    total = int(sums.totals["rows",])
    tallies: dict[Any, Tally] = {}
    within: dict[Any, dict[Any, Tally]] = {group: {} for group in by_group}
    for (model, view), viewed in views.items():
        say(f"the forecasts of {model}")
        key = model if view is None else (model, view)
        pooled, grouped = _pooled(viewed, total, cells)
        tallies[key] = pooled.tally(grouped)
        for group, own in within.items():
            own[key] = pooled.of_group(group).tally(grouped)
    class_labels = None if classes is None else rows.labels or tuple(range(classes))
    return Summary(
        sums=sums,
        tallies=tallies,
        groups={
            g: Summary(sums=by_group[g], tallies=within[g], labels=class_labels) for g in by_group
        },
        labels=class_labels,
        confusion={} if classes is None else confusion_of(rows),
    )


def _require_expressible(rules: Sequence[Rule], classes: int | None) -> None:
    for rule in rules:
        if not is_expressible(rule, classes):
            message = f"{rule!r} cannot be computed inside the engine of a frame"
            hint = "read the columns into memory, and pass them as arrays."
            raise DataError(message, hint=hint)


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
    opening = (
        rows.data.select("p0")
        .head(2 * _summary.MOST_DISTINCT)
        .group_by("p0")
        .agg(nw.len().alias("n"))
    )
    counted = opening.with_columns(one=nw.lit(1)).group_by("one").agg(nw.len().alias("n"))
    return int(collected(counted)["n"][0]) > _summary.MOST_DISTINCT


def _saying(progress: Progress | None, steps: int) -> Callable[[str], None]:
    done = iter(range(steps))

    def say(what: str) -> None:
        if progress is not None:
            progress(next(done), steps, what)

    return say
