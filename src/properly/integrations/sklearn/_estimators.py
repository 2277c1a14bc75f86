"""Forecasts of estimators as cases of one event, also fold by fold of a cross-validation."""

from __future__ import annotations

from collections.abc import Mapping
from numbers import Real
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from properly._boundary._arrays import as_array, as_column, refuse, require_present
from properly._boundary._labels import as_labels
from properly._boundary._libraries import to_numpy
from properly._boundary._text import first_of
from properly.counts._cases import Cases
from properly.errors import ArgumentTypeError, DataError
from properly.integrations.sklearn._rows import (
    as_cases,
    event_among,
    position,
    require_named_in_order,
    rows_of_classes,
)
from properly.rules import ClassRule

if TYPE_CHECKING:
    from collections.abc import Sequence

    from properly._boundary._arrays import EventRows
    from properly.rules import Rule
    from properly.typing import ArrayLike


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
    result = to_numpy(as_column(y, "outcomes"))
    require_present(result, "outcomes")
    labels = set(forecasts.labels)
    unseen = np.array([label not in labels for label in result.tolist()])
    if unseen.any():
        listed = first_of(map(repr, forecasts.labels))
        rule = f"outcomes must be classes that {forecasts.name} has seen, {listed}"
        refuse(result, unseen, rule, STRATIFY)


def in_order(
    forecasts: EstimatorForecasts, rule: Rule, labels: Sequence[object] | None
) -> EstimatorForecasts:
    """Put columns in the order that was asked for, or that numbers have if a rule needs one."""
    p, classes, name = forecasts
    if labels is not None:
        order = as_labels(labels)
        _require_same(order, forecasts)
    elif not (isinstance(rule, ClassRule) and rule.needs_order):
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
    y = to_numpy(as_array(y, "outcomes"))
    weight = None if sample_weight is None else to_numpy(as_array(sample_weight, "weights"))
    # As cross_validate does: some kinds of sparse matrices have no rows to take.
    X = X.tocsr() if hasattr(X, "tocsr") else X
    _require_rows(tests, min(len(y), X.shape[0] if hasattr(X, "shape") else len(X)))
    folds = []
    for estimator, test in zip(estimators, tests, strict=True):
        some = None if weight is None else weight[test]
        rows, pos_label = _forecast(estimator, _some(X, test), y[test], some, pos_label)
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
    rows, _ = rows_of_classes(y, p, sample_weight, labels=labels)
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


def _some(X: Any, rows: np.ndarray[Any, Any]) -> Any:
    """Take some rows of an array, a sparse matrix, a list or a frame of any library."""
    import narwhals.stable.v2 as nw

    frame = nw.from_native(X, pass_through=True)
    if isinstance(frame, nw.DataFrame):
        return frame[rows.tolist()].to_native()
    return [X[i] for i in rows] if isinstance(X, list | tuple) else X[rows]
