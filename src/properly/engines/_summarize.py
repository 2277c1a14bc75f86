"""A frame, summed up inside its engine: what is left fits in memory, whatever the frame."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import narwhals.stable.v2 as nw

from properly.engines._class_rows import class_views, classes_of, confusion_of
from properly.engines._counts import CELLS, MOST_DISTINCT, Counts
from properly.engines._pooling import pool_cells, pool_few_values
from properly.engines._rows import Rows, collected
from properly.engines._summary import Summary
from properly.engines._sums import sum_up
from properly.engines._symbols import is_expressible
from properly.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from properly.engines._pooling import Pooled
    from properly.engines._roles import Roles
    from properly.rules import Rule
    from properly.typing import Progress


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
    views = _views(rows)
    say = _saying(progress, 1 + len(views))
    say("the sums of losses")
    sums, by_group = sum_up(rows, tuple(rules))
    total = int(float(sums.totals["rows",]))
    counts: dict[Any, Counts] = {}
    within: dict[Any, dict[Any, Counts]] = {group: {} for group in by_group}
    for (model, view), viewed in views.items():
        say(f"the forecasts of {model}")
        key = model if view is None else (model, view)
        pooled, grouped = _pooled(viewed, total, cells)
        counts[key] = _counts(pooled, grouped)
        for group, group_counts in within.items():
            group_counts[key] = _counts(pooled.of_group(group), grouped)
    class_labels = None if classes is None else rows.labels or tuple(range(classes))
    return Summary(
        sums=sums,
        counts=counts,
        groups={
            g: Summary(sums=by_group[g], counts=within[g], labels=class_labels) for g in by_group
        },
        labels=class_labels,
        confusion={} if classes is None else confusion_of(rows),
    )


def _views(rows: Rows) -> dict[tuple[str, Any], Rows]:
    """Return the events whose forecasts are counted, by model: one, or several made of classes."""
    if classes_of(rows) is not None:
        return class_views(rows)
    return {(model, None): rows.only(column) for model, (column,) in rows.forecasts.items()}


def _pooled(rows: Rows, total: int, cells: int | None) -> tuple[Pooled, int | None]:
    """Count each distinct forecast if there are not too many, else cells."""
    if cells is None:
        if total > 4 * MOST_DISTINCT and _opens_with_many(rows):
            return pool_cells(rows, "p0", CELLS), CELLS
        pooled = pool_few_values(rows, "p0", MOST_DISTINCT)
        if pooled is not None:
            return pooled, None
    cells = CELLS if cells is None else cells
    return pool_cells(rows, "p0", cells), cells


def _opens_with_many(rows: Rows) -> bool:
    """Tell by the first rows alone that there are too many distinct forecasts to keep them all."""
    opening = rows.data.select("p0").head(2 * MOST_DISTINCT).group_by("p0").agg(nw.len().alias("n"))
    counted = opening.with_columns(one=nw.lit(1)).group_by("one").agg(nw.len().alias("n"))
    return int(collected(counted)["n"][0]) > MOST_DISTINCT


def _counts(pooled: Pooled, cells: int | None) -> Counts:
    if cells is None:
        return Counts.of_tally(pooled.tally())
    return Counts.of_cells(cells, *pooled.by_cell())


def _require_expressible(rules: Sequence[Rule], classes: int | None) -> None:
    for rule in rules:
        if not is_expressible(rule, classes):
            message = f"{rule!r} cannot be computed inside the engine of a frame"
            hint = "read the columns into memory, and pass them as arrays."
            raise DataError(message, hint=hint)


def _saying(progress: Progress | None, steps: int) -> Callable[[str], None]:
    done = iter(range(steps))

    def say(what: str) -> None:
        if progress is not None:
            progress(next(done), steps, what)

    return say
