"""Forecasts to compare with: one for all cases, or one for each."""

from __future__ import annotations

from numbers import Real
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from properly._boundary._arrays import check_column, check_forecasts
from properly._boundary._classes import check_probabilities
from properly._boundary._libraries import to_numpy
from properly.counts._cases import Cases, has_classes, rows_in_use
from properly.counts._tally import as_tally
from properly.errors import DataError
from properly.rules._class_rule import as_rows

if TYPE_CHECKING:
    from properly.counts._tally import Tally
    from properly.typing import ArrayLike

Column: TypeAlias = np.ndarray[Any, Any]
NAME = "reference forecasts"


def reference_forecasts(source: Tally | Cases, reference: float | ArrayLike | None) -> Column:
    """Return a forecast for each case of positive weight, or one row that is for all of them.

    Without a reference it is the event rate, or how often each class happened.
    """
    if has_classes(source):
        return _of_classes(source, reference)
    if reference is None:
        return np.array([as_tally(source).event_rate])
    if isinstance(reference, Real) or getattr(reference, "ndim", None) == 0:
        return np.asarray(check_forecasts([float(reference)], NAME))
    if not isinstance(source, Cases):
        message = "one reference forecast a case needs Cases; a tally no longer has the rows"
        raise DataError(message, hint="pass properly.Cases(y, p) instead of the tally.")
    column = check_column(check_forecasts(reference, NAME), NAME, source.p)
    return np.asarray(to_numpy(column)[rows_in_use(source).used])


def _of_classes(cases: Cases, reference: Any) -> Column:
    y, p, weight, used = rows_in_use(cases)
    if reference is None:
        counts = np.bincount(y, weight, p.shape[1])
        return np.asarray(counts / counts.sum())[None]
    found = to_numpy(check_probabilities(as_rows(reference), name="the reference"))
    if found.shape[1] != p.shape[1] or found.shape[0] not in (1, len(used)):
        message = (
            f"a reference is one row of {p.shape[1]} probabilities, or one for each of "
            f"{len(used)} cases; got shape {found.shape}"
        )
        raise DataError(message)
    return np.asarray(found if len(found) == 1 else found[used])
