"""Cases of one event: of an estimator, of predictions, and of the folds of a cross-validation."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from properly._boundary._arrays import as_array
from properly._boundary._libraries import to_numpy
from properly.counts._cases import Cases
from properly.errors import ArgumentTypeError, DataError
from properly.integrations.sklearn._rows import event_among, position, rows_of_classes
from properly.integrations.sklearn._sklearn_estimators import forecasts_of, require_seen

if TYPE_CHECKING:
    from collections.abc import Sequence

    from properly._boundary._arrays import Rows
    from properly.typing import ArrayLike

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
    return Gathered(_cases(rows), (), event, type(estimator).__name__)


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
    return Gathered(cases, tuple(_cases(fold) for fold in folds), pos_label, name)


def _forecast(
    estimator: Any, X: Any, y: ArrayLike, sample_weight: ArrayLike | None, pos_label: object
) -> tuple[Rows, Any]:
    """Return the probabilities of the event, and what the event is."""
    forecasts = forecasts_of(estimator, X)
    p, labels, name = forecasts
    if len(labels) != 2:
        message = f"a display is of one event, which makes two classes; {name} has {len(labels)}"
        hint = "properly.class_reliability asks about each class, plots.reliability_grid draws it."
        raise DataError(message, hint=hint)
    require_seen(y, forecasts)
    event = position(pos_label, labels)
    rows, _ = rows_of_classes(y, p, sample_weight, labels=labels)
    return event_among(rows, event), labels[event]


def _cases(rows: Rows) -> Cases:
    return Cases(rows.y, rows.p, weight=rows.weight)


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
