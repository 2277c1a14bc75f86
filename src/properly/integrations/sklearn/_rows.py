"""Outcomes and probabilities as scikit-learn hands them over, checked."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from properly._boundary._arrays import (
    EventRows,
    as_array,
    as_column,
    check_rows,
    distinct,
    require_present,
)
from properly._boundary._classes import (
    ClassRows,
    check_class_rows,
    column_names,
    is_table,
    require_order,
)
from properly._boundary._labels import as_labels
from properly._boundary._libraries import to_numpy
from properly.counts._cases import Cases
from properly.errors import ArgumentTypeError, DataError
from properly.integrations._named_rules import require_rule
from properly.rules import Brier, ClassRule
from properly.rules._class_rule import require_class_rule
from properly.rules._log import at_most_one
from properly.rules._rule import require_binary

if TYPE_CHECKING:
    from collections.abc import Sequence

    from properly.rules import Rule
    from properly.typing import ArrayLike

COLUMNS = (
    "labels= says what each column stands for; where there is none, pass one column and pos_label=."
)


def judged(
    y_true: ArrayLike,
    y_proba: ArrayLike,
    rule: Rule,
    sample_weight: ArrayLike | None = None,
    *,
    labels: Sequence[object] | None = None,
    pos_label: object = None,
) -> tuple[Any, EventRows | ClassRows]:
    """Take rows as the rule prices them: as an event, or as classes."""
    require_rule(rule)
    if not is_table(y_proba):
        result = rows_of_event(y_true, y_proba, sample_weight, labels=labels, pos_label=pos_label)
        return require_binary(rule), result
    ordered = isinstance(rule, ClassRule) and rule.needs_order
    rows, names = rows_of_classes(y_true, y_proba, sample_weight, labels=labels, ordered=ordered)
    if len(names) > 2:
        require_no_event(pos_label, len(names))
        return require_class_rule(rule), rows
    event = position(pos_label, names)
    if not isinstance(rule, ClassRule):
        return rule, event_among(rows, event)
    # As two classes both probabilities keep their digits: one minus that of the event has few
    # left if it is small. Halved, the Brier score of two classes is that of the event.
    return replace(rule, scale="half") if isinstance(rule, Brier) else rule, rows


def rows_of_event(
    y_true: ArrayLike,
    y_proba: ArrayLike,
    sample_weight: ArrayLike | None = None,
    *,
    labels: Sequence[object] | None = None,
    pos_label: object = None,
) -> EventRows:
    """Take the probabilities of one event: all there are, or one of two columns."""
    if not is_table(y_proba):
        names = None if labels is None else as_labels(labels)
        if names is not None:
            _require_two(len(names))
        event = _usual_event(y_true) if names is None else names[1]
        if pos_label is not None:
            event = pos_label if names is None else names[position(pos_label, names)]
        return check_rows(y_true, y_proba, sample_weight, pos_label=event, labels=names)
    _require_table(y_proba)
    _require_two(columns_of_table(y_proba))
    rows, names = rows_of_classes(y_true, y_proba, sample_weight, labels=labels)
    return event_among(rows, position(pos_label, names))


def as_cases(rows: EventRows | ClassRows) -> Cases:
    """Make cases of checked rows."""
    return Cases(rows.y, rows.p, weight=rows.weight)


def cases_of_event(*columns: Any, **options: Any) -> Cases:
    """Take the cases of one event, as `rows_of_event` does."""
    return as_cases(rows_of_event(*columns, **options))


def rows_of_classes(
    y_true: ArrayLike,
    y_proba: ArrayLike,
    sample_weight: ArrayLike | None = None,
    *,
    labels: Sequence[object] | None = None,
    ordered: bool = False,
) -> tuple[ClassRows, tuple[Any, ...]]:
    """Take class probabilities, one column a class, and what the columns stand for."""
    _require_table(y_proba)
    names = _names(y_true, y_proba, ordered=ordered) if labels is None else as_labels(labels)
    if names is not None:
        require_named_in_order(names, y_proba, "labels")
    rows = check_class_rows(y_true, y_proba, sample_weight, labels=names, ordered=ordered)
    return rows, tuple(range(int(rows.p.shape[1]))) if names is None else names


def event_among(rows: ClassRows, column: int) -> EventRows:
    """Take one of two classes as the event."""
    # Rows sum to 1 nearly: a certain forecast may be above 1 by as much, and is then certain.
    return EventRows(rows.y == column, at_most_one(rows.p[:, column]), rows.weight)


def position(pos_label: object, names: Sequence[object]) -> int:
    """Find the column of the event among two: that of its label, or the last."""
    if pos_label is None:
        return 1
    if pos_label not in names:
        message = (
            f"pos_label must be one of the labels, {names[0]!r} and {names[1]!r}; got {pos_label!r}"
        )
        raise DataError(message)
    return list(names).index(pos_label)


def require_no_event(pos_label: object, classes: int) -> None:
    """Refuse the label of an event where several classes are judged."""
    if pos_label is not None:
        message = f"pos_label is the label of one of two classes; got {pos_label!r} for {classes}"
        raise ArgumentTypeError(message, hint="labels= names the columns.")


def columns_of_table(y_proba: ArrayLike) -> int:
    """Count the columns of class probabilities, which may be a list of rows."""
    return int(y_proba.shape[1]) if hasattr(y_proba, "shape") else len(y_proba[0])


def require_named_in_order(labels: tuple[Any, ...], p: object, what: str) -> None:
    """Refuse a frame whose columns are named by the labels, words or numbers, in another order."""
    result = getattr(p, "columns", None)
    columns = () if result is None or callable(result) else tuple(result)
    # A frame without names numbers its columns; some libraries name them by text alone.
    if columns != tuple(range(len(columns))):
        require_order(tuple(map(str, labels)), tuple(map(str, columns)), what)


def _require_table(y_proba: ArrayLike) -> None:
    """Refuse a table of one column, which is of one event but does not say so."""
    if columns_of_table(y_proba) == 1:
        message = "probabilities of one event must be one-dimensional; got a table of one column"
        raise DataError(message, hint="pass the column itself, as in y_proba[:, 0].")


def _require_two(classes: int) -> None:
    """Refuse several classes where one event is judged."""
    if classes != 2:
        message = f"this judges one event, which makes two classes; got {classes}"
        hint = "pass one column and pos_label, or a rule for several classes."
        raise DataError(message, hint=hint)


def _usual_event(y_true: ArrayLike) -> int | None:
    """Take 1 as the event if outcomes are -1 and 1, as scikit-learn does; else leave it open."""
    y = to_numpy(as_column(y_true, "outcomes"))
    return 1 if y.dtype.kind in "if" and set(y.tolist()) <= {-1, 1} else None


def _names(y_true: ArrayLike, y_proba: ArrayLike, *, ordered: bool) -> tuple[Any, ...] | None:
    """Name the columns by the outcomes in sorted order, as scikit-learn does.

    None stands for what is refused or understood without names: rows with a single 1, labels of
    several kinds, and words that need an order.
    """
    y = to_numpy(as_array(y_true, "outcomes"))
    if y.ndim != 1 or y.shape[0] == 0:
        return None
    require_present(y, "outcomes")
    result = distinct(y)
    words = any(isinstance(label, str | bytes) for label in result)
    if len({type(label) for label in result}) > 1 or (words and ordered):
        return None
    columns = column_names(y_proba)
    if columns is not None and set(columns).issuperset(result):
        return columns
    count = columns_of_table(y_proba)
    if len(result) != count:
        message = (
            f"without labels=, y_true must have as many labels as y_proba has columns; "
            f"got {len(result)} labels and {count} columns"
        )
        raise DataError(message, hint=COLUMNS)
    return tuple(result)
