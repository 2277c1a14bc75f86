"""Which column of a table is the event, or which class each is: known, asked or refused."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from properly._boundary._arrays import distinct, event_label
from properly._boundary._labels import check_labels
from properly.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from properly.integrations.mlflow._mlflow_config import Config
    from properly.integrations.mlflow._mlflow_forecasts import Table

YES_AND_NO = (0, 1)
TRUTH = {"False": False, "True": True}


class Forecasts(NamedTuple):
    """Forecasts as `properly.evaluate` takes them: by model, with labels if any are needed."""

    models: dict[str, Any]
    labels: tuple[Any, ...] | None
    pos_label: object


def forecasts_of(tables: Mapping[str, Table], y: Any, config: Config) -> Forecasts:
    """Turn tables into probabilities of one event, or of the classes in order."""
    found = {name: _of_table(table, y, config) for name, table in tables.items()}
    labels = next(iter(found.values())).labels
    models = {name: _in_order(each, labels) for name, each in found.items()}
    # The last of two labels is the event, so that no other need be named.
    known = labels is not None and labels != config.labels
    return Forecasts(models, labels, None if known else config.pos_label)


class _Labelled(NamedTuple):
    p: Any
    labels: tuple[Any, ...] | None


def _of_table(table: Table, y: Any, config: Config) -> _Labelled:
    if table.p.ndim == 1:
        return _Labelled(table.p, config.labels)
    classes = _classes(table, y, config)
    if table.p.shape[1] == 2 and not config.ordered:
        return _event(table.p, classes, config)
    order = config.labels or classes
    if order is None:
        return _Labelled(table.p, None)
    if config.ordered and config.labels is None:
        _require_numbers(order)
        order = tuple(sorted(order))
    return _Labelled(table.p[:, _places(order, classes)], order)


def _in_order(found: _Labelled, labels: tuple[Any, ...] | None) -> Any:
    """Put the classes of a model in the order of those of the first one."""
    if found.p.ndim == 1 or labels is None or found.labels in (None, labels):
        return found.p
    return found.p[:, _places(labels, found.labels)]


def _classes(table: Table, y: Any, config: Config) -> tuple[Any, ...] | None:
    """Say what columns stand for: the model's classes, else the labels in order, else names."""
    count = table.p.shape[1]
    if table.classes is not None:
        return check_labels(table.classes, count)
    if config.labels is not None:
        named = _read(table.names, config.labels)
        same = named is not None and set(named) == set(config.labels)
        return named if same else check_labels(config.labels, count)
    seen = distinct(np.asarray(y))
    named = _read(table.names, seen)
    if named is not None:
        return named
    return YES_AND_NO if count == 2 and all(label in YES_AND_NO for label in seen) else None


def _read(names: tuple[str, ...], labels: Collection[Any]) -> tuple[Any, ...] | None:
    """Read the names of columns as labels, in words or in numbers; None if a label has none."""
    for known in (names, tuple(map(_as_number, names))):
        if known and all(label in known for label in labels):
            return known
    return None


def _as_number(name: str) -> object:
    """Read a number or a truth value that is written as text; other text stays as it is."""
    if name in TRUTH:
        return TRUTH[name]
    try:
        number = float(name)
    except ValueError:
        return name
    return int(number) if number.is_integer() else number


def _event(p: Any, classes: tuple[Any, ...] | None, config: Config) -> _Labelled:
    """Take the column of the event, of two."""
    if classes is None:
        message = "two columns of forecasts need labels, which say what each stands for; got none"
        raise DataError(message, hint='evaluator_config={"labels": [the other, the event]}')
    if config.labels is not None:
        event = event_label(config.labels, config.pos_label)
        _places(config.labels, classes)
    elif config.pos_label is not None:
        event = config.pos_label
        _places((event,), classes)
    elif set(classes) == set(YES_AND_NO):
        event = 1
    else:
        first, last = classes
        message = "pos_label must say which class is the event, unless they are 0 and 1; "
        message += f"they are {first!r} and {last!r}"
        raise DataError(message, hint=f'evaluator_config={{"pos_label": {last!r}}}')
    column = classes.index(event)
    other = classes[1 - column]
    return _Labelled(p[:, column], None if (other, event) == YES_AND_NO else (other, event))


def _places(labels: tuple[Any, ...], classes: tuple[Any, ...] | None) -> list[int]:
    """Find the column of each label."""
    known = labels if classes is None else classes
    for label in labels:
        if label not in known:
            listed = ", ".join(map(repr, known))
            message = f"labels must be those of the model's classes, {listed}; got {label!r}"
            raise DataError(message)
    return [known.index(label) for label in labels]


def _require_numbers(classes: tuple[Any, ...]) -> None:
    """Refuse an order that the alphabet, or that of the columns, would have to know."""
    for label in classes:
        if not isinstance(label, int | float):
            message = f"ordered classes in words need labels, in order; a class is {label!r}"
            hint = 'evaluator_config={"ordered": True, "labels": [lowest, …, highest]}'
            raise DataError(message, hint=hint)
