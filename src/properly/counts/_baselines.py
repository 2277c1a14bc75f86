"""Baselines: constant forecasts, and the reference forecasts of a skill score."""

from __future__ import annotations

from numbers import Real
from typing import Any

import numpy as np

from properly._boundary._arrays import check_column, check_forecasts
from properly._boundary._classes import check_probabilities
from properly._boundary._libraries import count_true, namespace, to_numpy
from properly.counts._calls import takes_rows
from properly.counts._cases import Cases, has_classes, rows_in_use
from properly.counts._tally import Tally, as_tally, sums_of, tally_of_sums
from properly.errors import DataError
from properly.rules._class_rule import as_rows
from properly.typing import ArrayLike, Column

TREAT_ALL, TREAT_NONE, EVENT_RATE = "treat all", "treat none", "event rate"
NAME = "reference forecasts"


@takes_rows
def baselines(tally: Tally | Cases) -> dict[str, Tally]:
    r"""Give all cases the same forecast: 1, 0, or the event rate.

    A model that is no better than these is not worth having, however good its score may look.

    Parameters
    ----------
    tally : Tally or Cases
        The outcomes; the forecasts do not matter.

    Returns
    -------
    dict of str to Tally
        ``"treat all"`` forecasts 1, so that everybody is acted upon at every threshold;
        ``"treat none"`` forecasts 0; ``"event rate"`` forecasts the share of events, the best
        constant there is under every proper rule. Whatever takes a tally takes these.

    Notes
    -----
    At the threshold c, with the event rate :math:`\pi`, acting on all has the regret
    :math:`c (1 - \pi)`, acting on none :math:`(1 - c) \pi`, and the constant event rate the
    smaller of the two. A score that is infinite for certain forecasts that are wrong, such as
    `Log`, is infinite for the first two.

    Examples
    --------
    >>> import properly
    >>> t = properly.tally([0, 0, 0, 1], [0.1, 0.2, 0.2, 0.9])
    >>> for name, constant in properly.counts.baselines(t).items():
    ...     score = properly.decompose(constant, properly.rules.Brier()).score
    ...     print(name, constant.value, score)
    treat all [1.] 0.75
    treat none [0.] 0.25
    event rate [0.25] 0.1875
    """
    t = as_tally(tally)
    constants = {TREAT_ALL: 1.0, TREAT_NONE: 0.0, EVENT_RATE: t.event_rate}
    return {name: _constant(t, value) for name, value in constants.items()}


def _constant(tally: Tally, value: float) -> Tally:
    """Make the tally of the same outcomes after one forecast."""
    columns = sums_of(tally)
    xp = namespace(columns[0])
    sums = [xp.sum(column, keepdims=True) for column in columns]
    forecast = xp.full_like(sums[0], value, dtype=xp.float64)
    return tally_of_sums([forecast, *sums])


def reference_forecasts(source: Tally | Cases, reference: float | ArrayLike | None) -> Column:
    """Return a forecast for each case of positive weight, or one row that is for all of them.

    Without a reference it is the event rate, or how often each class happened.
    """
    if has_classes(source):
        return _of_classes(source, reference)
    if reference is None:
        return np.array([_event_rate(source)])
    if isinstance(reference, Real) or getattr(reference, "ndim", None) == 0:
        return np.asarray(check_forecasts([float(reference)], NAME))
    if not isinstance(source, Cases):
        message = "one reference forecast a case needs Cases; a tally no longer has the rows"
        raise DataError(message, hint="pass properly.Cases(y, p) instead of the tally.")
    column = check_column(check_forecasts(reference, NAME), NAME, source.p)
    return np.asarray(to_numpy(column)[rows_in_use(source).used])


def _event_rate(source: Tally | Cases) -> float:
    """Return the share of events; of cases, without counting them at each forecast."""
    if not isinstance(source, Cases):
        return as_tally(source).event_rate
    if source.weight is None:
        return count_true(source.y) / len(source)
    y, _, weight, _ = rows_in_use(source)
    return float(np.sum(weight, where=y)) / float(weight.sum())


def _of_classes(cases: Cases, reference: Any) -> Column:
    y, p, weight, used = rows_in_use(cases)
    if reference is None:
        counts = np.bincount(y, weight, p.shape[1])
        return np.asarray(counts / counts.sum())[None]
    result = to_numpy(check_probabilities(as_rows(reference), name="the reference"))
    if result.shape[1] != p.shape[1] or result.shape[0] not in (1, len(used)):
        message = f"a reference is one row of {p.shape[1]} probabilities, or one for each of "
        message += f"{len(used)} cases; got shape {result.shape}"
        raise DataError(message)
    return np.asarray(result if len(result) == 1 else result[used])
