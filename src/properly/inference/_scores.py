"""Scores by the names that everybody types first: a number each, or an estimate."""

from __future__ import annotations

from collections.abc import Callable

from properly._boundary._notices import collected
from properly._boundary._options import check_flag
from properly.counts._calls import takes_rows
from properly.counts._cases import Cases
from properly.counts._tally import Tally
from properly.inference._auc import auc_interval
from properly.inference._averages import Estimate
from properly.inference._intervals import score_interval


@takes_rows
def brier_score(
    cases: Tally | Cases, *, interval: bool = False, level: float = 0.95
) -> float | Estimate:
    """Return the mean squared distance from what happened: the lower, the better.

    Parameters
    ----------
    cases : Tally or Cases
        The forecasts and what happened. Of several classes, squares are added up over them.
    interval : bool
        Return an `Estimate`, with its standard error and interval, in place of the number.
    level : float
        How sure to be.

    Returns
    -------
    float or Estimate

    Examples
    --------
    >>> import properly
    >>> properly.brier_score([1, 0, 1, 0], [0.75, 0.25, 0.5, 0.5])
    0.15625
    """
    return _asked(lambda: score_interval(cases, "brier", level=level), interval=interval)


@takes_rows
def log_loss(
    cases: Tally | Cases, *, interval: bool = False, level: float = 0.95
) -> float | Estimate:
    """Return minus the mean log probability of what happened: the lower, the better.

    Parameters
    ----------
    cases : Tally or Cases
        The forecasts and what happened, of one event or of several classes.
    interval : bool
        Return an `Estimate`, with its standard error and interval, in place of the number.
    level : float
        How sure to be.

    Returns
    -------
    float or Estimate
        Infinite if something happened that had the probability 0.

    Examples
    --------
    >>> import properly
    >>> round(properly.log_loss([1, 0, 1, 0], [0.75, 0.25, 0.5, 0.5]), 4)
    0.4904
    """
    return _asked(lambda: score_interval(cases, "log", level=level), interval=interval)


@takes_rows
def auc(cases: Tally | Cases, *, interval: bool = False, level: float = 0.95) -> float | Estimate:
    """Return the area under the ROC curve: how well forecasts tell events apart.

    Parameters
    ----------
    cases : Tally or Cases
        The forecasts of one event and what happened.
    interval : bool
        Return an `Estimate`, with its standard error and interval, in place of the number.
    level : float
        How sure to be.

    Returns
    -------
    float or Estimate

    Examples
    --------
    >>> import properly
    >>> properly.auc([1, 0, 1, 0], [0.75, 0.25, 0.5, 0.5])
    0.875
    """
    return _asked(lambda: auc_interval(cases, level=level), interval=interval)


def _asked(estimate: Callable[[], Estimate], *, interval: bool) -> float | Estimate:
    """Return the estimate, or its value alone and nothing that is said of its interval."""
    if check_flag(interval, "interval"):
        return estimate()
    with collected():
        return estimate().value
