"""Outcomes and probabilities as scikit-learn hands them over, and as its estimators make them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from numbers import Real
from typing import Any, NamedTuple, TypedDict

import numpy as np
from sklearn.utils import _safe_indexing

from properly._boundary import _arrays as arrays
from properly._boundary import _classes
from properly._boundary._arrays import EventRows
from properly._boundary._classes import ClassRows, as_labels
from properly._boundary._libraries import to_numpy
from properly._boundary._text import first_of
from properly.counts._cases import Cases
from properly.errors import ArgumentTypeError, DataError
from properly.integrations._named_rules import require_rule
from properly.rules import Brier, ClassRule, Rule
from properly.rules._class_rule import require_class_rule
from properly.rules._dual_rules import at_most_one
from properly.rules._rule import require_binary
from properly.typing import ArrayLike

COLUMNS = (
    "labels= says what each column stands for; where there is none, pass one column and pos_label=."
)


class RowColumns(TypedDict, total=False):
    """What metric functions take besides outcomes and probabilities."""

    sample_weight: ArrayLike | None
    labels: Sequence[object] | None
    pos_label: object


class GivenRows(NamedTuple):
    """What a metric function was handed, to be checked as an event or as classes."""

    y: ArrayLike
    p: ArrayLike
    sample_weight: ArrayLike | None = None
    labels: Sequence[object] | None = None
    pos_label: object = None

    def judged(self, rule: Rule | str) -> tuple[Any, EventRows | ClassRows]:
        """Take rows as the rule prices them: as an event, or as classes."""
        rule = require_rule(rule)
        if not _classes.is_table(self.p):
            return require_binary(rule), self.event()
        rows, names = self.classes(ordered=needs_order(rule))
        if len(names) > 2:
            require_no_event(self.pos_label, len(names))
            return require_class_rule(rule), rows
        event = position(self.pos_label, names)
        if not isinstance(rule, ClassRule):
            return rule, event_among(rows, event)
        # As two classes both probabilities keep their digits: one minus that of the event has few
        # left if it is small. Halved, the Brier score of two classes is that of the event.
        return replace(rule, scale="half") if isinstance(rule, Brier) else rule, rows

    def event(self) -> EventRows:
        """Take the probabilities of one event: all there are, or one of two columns."""
        if _classes.is_table(self.p):
            _require_table(self.p)
            _require_two(columns_of_table(self.p))
            rows, classes = self.classes()
            return event_among(rows, position(self.pos_label, classes))
        names = None if self.labels is None else as_labels(self.labels)
        if names is not None:
            _require_two(len(names))
        event = _usual_event(self.y) if names is None else names[1]
        if self.pos_label is not None:
            event = self.pos_label if names is None else names[position(self.pos_label, names)]
        return arrays.check_rows(self.y, self.p, self.sample_weight, pos_label=event, labels=names)

    def cases(self) -> Cases:
        """Take the cases of one event."""
        return as_cases(self.event())

    def classes(self, *, ordered: bool = False) -> tuple[ClassRows, tuple[Any, ...]]:
        """Take class probabilities, one column a class, and what the columns stand for."""
        _require_table(self.p)
        names = None if self.labels is None else as_labels(self.labels)
        names = _names(self.y, self.p, ordered=ordered) if names is None else names
        if names is not None:
            require_named_in_order(names, self.p, "labels")
        rows = _classes.check_class_rows(
            self.y, self.p, self.sample_weight, labels=names, ordered=ordered
        )
        return rows, tuple(range(int(rows.p.shape[1]))) if names is None else names


def needs_order(rule: Rule) -> bool:
    """Return whether a rule prices ordered classes alone."""
    return isinstance(rule, ClassRule) and rule.needs_order


def as_cases(rows: EventRows | ClassRows) -> Cases:
    """Make cases of checked rows."""
    return Cases(rows.y, rows.p, weight=rows.weight)


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


def require_named_in_order(labels: tuple[Any, ...], p: object, what: str) -> None:
    """Refuse a frame whose columns are named by the labels, words or numbers, in another order."""
    result = getattr(p, "columns", None)
    columns = () if result is None or callable(result) else tuple(result)
    # A frame without names numbers its columns; some libraries name them by text alone.
    if columns != tuple(range(len(columns))):
        _classes.require_order(tuple(map(str, labels)), tuple(map(str, columns)), what)


def columns_of_table(y_proba: ArrayLike) -> int:
    """Count the columns of class probabilities, which may be a list of rows."""
    return int(y_proba.shape[1]) if hasattr(y_proba, "shape") else len(y_proba[0])


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
    y = to_numpy(arrays.as_column(y_true, "outcomes"))
    return 1 if y.dtype.kind in "if" and set(y.tolist()) <= {-1, 1} else None


def _names(y_true: ArrayLike, y_proba: ArrayLike, *, ordered: bool) -> tuple[Any, ...] | None:
    """Name the columns by the outcomes in sorted order, as scikit-learn does.

    None stands for what is refused or understood without names: rows with a single 1, labels of
    several kinds, and words that need an order.
    """
    y = to_numpy(arrays.as_array(y_true, "outcomes"))
    if y.ndim != 1 or y.shape[0] == 0:
        return None
    arrays.require_present(y, "outcomes")
    result = arrays.distinct(y)
    words = any(isinstance(label, str | bytes) for label in result)
    if len({type(label) for label in result}) > 1 or (words and ordered):
        return None
    columns = _classes.column_names(y_proba)
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


STRATIFY = (
    "a class that was not seen in training has no column; stratify the folds, so that each "
    "training set has every class."
)


class EstimatorForecasts(NamedTuple):
    """Probabilities, one column a class, the classes, and the name of the estimator."""

    p: np.ndarray[Any, Any]
    labels: tuple[Any, ...]
    name: str


def forecasts_of(estimator: Any, X: Any) -> EstimatorForecasts:
    """Ask an estimator for its probabilities; refuse one that has none to give."""
    name = type(estimator).__name__
    if not hasattr(estimator, "predict_proba"):
        message = f"a rule judges probabilities; {name} has no predict_proba"
        hint = "CalibratedClassifierCV makes probabilities of what other classifiers say."
        raise ArgumentTypeError(message, hint=hint)
    p = estimator.predict_proba(X)
    if not hasattr(estimator, "classes_"):
        message = f"classes_ must say what the columns of predict_proba stand for; {name} has none"
        raise ArgumentTypeError(message)
    if isinstance(p, list):
        message = f"predict_proba must return one table; {name} returns {len(p)}, one an output"
        raise DataError(message, hint="score each output by itself.")
    labels = as_labels(estimator.classes_, "classes_")
    require_named_in_order(labels, p, "classes_")
    p = np.asarray(p)
    if len(labels) < 2:
        message = f"an estimator must have seen two classes or more; {name} has seen {labels[0]!r}"
        raise DataError(message, hint=STRATIFY)
    if p.ndim != 2 or p.shape[1] != len(labels):
        message = (
            f"predict_proba must have one column for each of {len(labels)} classes_; "
            f"that of {name} has shape {p.shape}"
        )
        raise DataError(message)
    return EstimatorForecasts(p, labels, name)


def require_seen(y: ArrayLike, forecasts: EstimatorForecasts) -> None:
    """Refuse outcomes for which the estimator has no probability."""
    result = to_numpy(arrays.as_column(y, "outcomes"))
    arrays.require_present(result, "outcomes")
    labels = set(forecasts.labels)
    unseen = np.array([label not in labels for label in result.tolist()])
    if unseen.any():
        listed = first_of(map(repr, forecasts.labels))
        rule = f"outcomes must be classes that {forecasts.name} has seen, {listed}"
        arrays.refuse(result, unseen, rule, STRATIFY)


def in_order(
    forecasts: EstimatorForecasts, rule: Rule, labels: Sequence[object] | None
) -> EstimatorForecasts:
    """Put columns in the order that was asked for, or that numbers have if a rule needs one."""
    p, classes, name = forecasts
    if labels is not None:
        order = as_labels(labels)
        _require_same(order, forecasts)
    elif not needs_order(rule):
        return forecasts
    elif all(isinstance(label, Real) for label in classes):
        order = tuple(sorted(classes))
    else:
        message = (
            f"{rule!r} needs the order of the classes; {name} has {first_of(map(repr, classes))}"
        )
        hint = "labels= gives the order, as in make_rule_scorer(rule, labels=[…])."
        raise DataError(message, hint=hint)
    return EstimatorForecasts(p[:, [classes.index(label) for label in order]], order, name)


def _require_same(labels: tuple[Any, ...], forecasts: EstimatorForecasts) -> None:
    """Refuse labels that are not the classes of the estimator: folds would not be comparable."""
    _, classes, name = forecasts
    unseen = [label for label in labels if label not in classes]
    if unseen:
        listed = first_of(map(repr, classes))
        message = f"labels must be classes that {name} has seen, {listed}; got {unseen[0]!r}"
        raise DataError(message, hint=STRATIFY)
    left_out = [label for label in classes if label not in labels]
    if left_out:
        message = f"labels must have every class that {name} has seen; there is no {left_out[0]!r}"
        raise DataError(message)


RETURN = "cross_validate(…, return_estimator=True, return_indices=True) returns both."


class Gathered(NamedTuple):
    """All cases, those of each fold if there are any, the event, and the name of the model."""

    cases: Cases
    folds: tuple[Cases, ...]
    event: Any
    name: str | None


def cases_of_estimator(
    estimator: Any, X: Any, y: ArrayLike, sample_weight: ArrayLike | None, pos_label: object
) -> Gathered:
    """Ask an estimator how probable the event was."""
    rows, event = _forecast(estimator, X, y, sample_weight, pos_label)
    return Gathered(as_cases(rows), (), event, type(estimator).__name__)


def cases_of_folds(
    cv_results: Any, X: Any, y: ArrayLike, sample_weight: ArrayLike | None, pos_label: object
) -> Gathered:
    """Ask the estimator of each fold about the rows that it was not trained on, and pool these."""
    estimators, tests = _folds(cv_results)
    y = to_numpy(arrays.as_array(y, "outcomes"))
    weight = None if sample_weight is None else to_numpy(arrays.as_array(sample_weight, "weights"))
    # As cross_validate does: some kinds of sparse matrices have no rows to take.
    X = X.tocsr() if hasattr(X, "tocsr") else X
    _require_rows(tests, min(len(y), X.shape[0] if hasattr(X, "shape") else len(X)))
    folds = []
    for estimator, test in zip(estimators, tests, strict=True):
        some = None if weight is None else weight[test]
        rows, pos_label = _forecast(estimator, _safe_indexing(X, test), y[test], some, pos_label)
        folds.append(rows)
    pooled = (np.concatenate([fold[i] for fold in folds]) for i in (0, 1))
    row = np.concatenate(tests)
    # A row of several test folds is one case: bands are to know that its forecasts are related.
    clusters = row if len(np.unique(row)) < len(row) else None
    whole = None if weight is None else weight[row]
    cases = Cases(*pooled, weight=whole, clusters=clusters)
    name = type(estimators[0]).__name__
    return Gathered(cases, tuple(as_cases(fold) for fold in folds), pos_label, name)


def _forecast(
    estimator: Any, X: Any, y: ArrayLike, sample_weight: ArrayLike | None, pos_label: object
) -> tuple[EventRows, Any]:
    """Return the probabilities of the event, and what the event is."""
    forecasts = forecasts_of(estimator, X)
    p, labels, name = forecasts
    if len(labels) != 2:
        message = f"a display is of one event, which makes two classes; {name} has {len(labels)}"
        hint = (
            "properly.reliability of Cases of all classes asks about each of them; "
            "plots.reliability_grid draws it."
        )
        raise DataError(message, hint=hint)
    require_seen(y, forecasts)
    event = position(pos_label, labels)
    rows, _ = GivenRows(y, p, sample_weight, labels).classes()
    return event_among(rows, event), labels[event]


def _folds(cv_results: Any) -> tuple[Sequence[Any], list[np.ndarray[Any, Any]]]:
    """Take the estimators and the test rows out of the results of a cross-validation."""
    if not isinstance(cv_results, Mapping):
        message = f"cv_results must be what cross_validate returns; got {type(cv_results).__name__}"
        raise ArgumentTypeError(message, hint=RETURN)
    for name in ("estimator", "indices"):
        if name not in cv_results:
            message = f"cv_results must have the estimators and the indices; there is no {name!r}"
            raise DataError(message, hint=RETURN)
    return cv_results["estimator"], [np.asarray(x) for x in cv_results["indices"]["test"]]


def _require_rows(tests: Sequence[np.ndarray[Any, Any]], rows: int) -> None:
    last = max(int(test.max()) for test in tests)
    if last >= rows:
        message = (
            f"X and y must be the rows that were cross-validated; got {rows} rows, and a fold has "
            f"row {last}"
        )
        raise DataError(message)
