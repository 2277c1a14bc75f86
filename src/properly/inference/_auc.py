"""The interval of the area under the ROC curve."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from properly._boundary._libraries import is_numpy, namespace
from properly._boundary._options import check_choice, check_level
from properly.counts._calls import takes_rows
from properly.counts._cases import Cases, is_dependent, require_event, rows_in_use
from properly.counts._tally import as_tally
from properly.inference._design import Design
from properly.inference._estimate import Estimate
from properly.inference._means import about_design, about_tally, warn_of_clusters, warn_of_few
from properly.inference._shares import student
from properly.inference._variance import covariance, of_auc, places_of_counts

if TYPE_CHECKING:
    from properly.counts._tally import Tally
    from properly.inference._design import Serial

UNKNOWN = (math.nan, math.nan)


@takes_rows
def auc_interval(
    cases: Tally | Cases,
    *,
    level: float = 0.95,
    method: Literal["logit", "wald"] = "logit",
    serial: Serial = "cosines",
) -> Estimate:
    r"""Say how far off the area under the ROC curve may be.

    An event's influence is :math:`w_i (V_i - A) / W_1`, with :math:`V_i` the share of non-events
    below its forecast, ties counted half; a non-event's likewise. Of independent cases, events and
    non-events are strata: this is DeLong's variance, from ranks rather than from all pairs.

    Parameters
    ----------
    cases : Tally or Cases
        The forecasts of one event and what happened.
    level : float
        How sure to be.
    method : {"logit", "wald"}
        Symmetric on the scale of log-odds, which covers better, or on the plain scale.
    serial : {"cosines", "newey-west", "newey-west-auto"}
        As in `properly.score_interval`.

    Returns
    -------
    Estimate

    Notes
    -----
    An area of 0 or 1 has the standard error 0 and no interval. With clusters the variance is
    Obuchowski's.

    References
    ----------
    .. [1] E. R. DeLong, D. M. DeLong, D. L. Clarke-Pearson (1988). Comparing the areas under two or
       more correlated receiver operating characteristic curves: a nonparametric approach.
       Biometrics 44:837-845. `doi:10.2307/2531595 <https://doi.org/10.2307/2531595>`__
    .. [2] N. A. Obuchowski (1997). Nonparametric analysis of clustered ROC curve data. Biometrics
       53:567-578. `doi:10.2307/2533958 <https://doi.org/10.2307/2533958>`__

    Examples
    --------
    >>> import properly
    >>> crash = properly.datasets.crash()
    >>> cases = properly.Cases(crash.died, crash.forecasts["logistic"], clusters=crash.cluster)
    >>> print(properly.inference.auc_interval(cases))
    0.8923 (95 % interval 0.8747 to 0.9076; 4,973 clusters)
    """
    level = check_level(level)
    check_choice(method, ("logit", "wald"), "method")
    warn_of_few(cases)
    result = _of_rows(cases, serial) if isinstance(cases, Cases) else _of_counts(as_tally(cases))
    area, error, degrees, about = result
    quantile = student(degrees, level)
    interval = UNKNOWN
    if error > 0 and method == "wald":
        interval = area - quantile * error, area + quantile * error
    elif method == "logit":
        interval = logit_interval(area, error, quantile)
    label = {"logit": "DeLong, logit", "wald": "DeLong"}[method]
    return Estimate(area, error, interval, level, degrees, label, **about)


def logit_interval(share: float, error: float, quantile: float) -> tuple[float, float]:
    """Return an interval that is symmetric on the scale of log-odds; none without an error."""
    # What rounding leaves at the ends of the scale is no error.
    if not (error > 0 and 0 < share < 1):
        return UNKNOWN
    middle, half = math.log(share / (1 - share)), quantile * error / (share * (1 - share))
    low, high = (1 / (1 + math.exp(-min(max(middle + x, -700.0), 700.0))) for x in (-half, half))
    return low, high


class Area(NamedTuple):
    """The area, its standard error, the degrees of freedom, and what is known of the cases."""

    value: float
    error: float
    degrees: float
    about: dict[str, Any]


def _of_rows(cases: Cases, serial: Serial) -> Area:
    y, p, weight, _ = rows_in_use(require_event(cases))
    design = Design.of(cases, serial)
    warn_of_clusters(design)
    area, influence = of_auc(y, p, weight)
    alone = not is_dependent(cases) and cases.strata is None
    if alone and not min(y.sum(), (~y).sum()) > 1:
        return Area(area, math.nan, math.inf, about_design(design))
    spread = covariance(influence[None], design.stratified(y.astype(np.intp)) if alone else design)
    degrees = math.inf if alone else spread.degrees
    return Area(area, float(spread.errors[0]), degrees, about_design(design))


def _of_counts(tally: Tally) -> Area:
    """Add up over distinct forecasts: cases at the same one with the same outcome are alike."""
    weight, events, *squares = tally._columns()  # noqa: SLF001
    xp, sums = namespace(weight), [events, weight - events]
    area, *places = places_of_counts(sums[1], sums[0])
    variance = 0.0
    for mine, square, place in zip(sums, squares or sums, places, strict=True):
        total = float(xp.sum(mine))
        cases = total**2 / float(xp.sum(square)) if total > 0 else 0.0
        if not cases > 1:
            return Area(area, math.nan, math.inf, about_tally(tally))
        if is_numpy(place):
            away = np.subtract(place, area, out=place)
            summed = float(np.einsum("i,i,i->", square, away, away))
        else:
            summed = float(xp.sum(square * (place - area) ** 2))
        variance += summed / total**2 * cases / (cases - 1)
    return Area(area, math.sqrt(variance), math.inf, about_tally(tally))
