"""ROC curves: which errors can be had at which price, whatever the forecasts are called."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np

from properly._boundary._frames import to_frame
from properly._boundary._libraries import freeze, to_numpy
from properly._boundary._options import check_choice, check_level
from properly._boundary._plain import plain
from properly.counts._concordance import concordance
from properly.counts._device import rates, stays
from properly.counts._isotonic import recalibrate
from properly.counts._tally import Tally, as_tally
from properly.decisions._roc_band import RocBand, find_roc_band

if TYPE_CHECKING:
    from properly._boundary._frames import Backend
    from properly.counts._cases import Cases

Column: TypeAlias = np.ndarray[Any, Any]


@dataclass(frozen=True, eq=False, repr=False)
class RocCurve:
    """How many events are found, at the price of how many alarms in vain.

    Attributes
    ----------
    false_positive_rate : array
        Share of the non-events at or above each distinct forecast, the highest first: from 0 to 1.
    true_positive_rate : array
        Share of the events there. Between its points the curve is straight.
    threshold : array
        Acting at this threshold gives the point: the distinct forecasts, the highest first, after
        infinity, at which nobody is acted upon. Of the hull, the recalibrated forecasts.
    area : float
        The area under the curve. Without `hull`, it is the AUC: the probability that an event has a
        higher forecast than a non-event, with ties counted half.
    hull : bool
        Whether the curve is that of the recalibrated forecasts, whose area is never smaller.
    band : RocBand or None
        Bounds, if they were asked for.

    Examples
    --------
    >>> import properly
    >>> t = properly.tally([0, 1, 0, 1], [0.1, 0.3, 0.6, 0.9])
    >>> properly.roc_curve(t)
    RocCurve(AUC 0.75)
    >>> properly.roc_curve(t, hull=True)
    RocCurve(area 0.875 under the hull, not the AUC)
    """

    false_positive_rate: Column
    true_positive_rate: Column
    threshold: Column
    area: float
    hull: bool
    band: RocBand | None = None

    def __post_init__(self) -> None:
        freeze(self)

    def __repr__(self) -> str:
        if self.hull:
            return f"RocCurve(area {self.area:.4g} under the hull, not the AUC)"
        return f"RocCurve(AUC {self.area:.4g})"

    def to_dict(self) -> dict[str, Any]:
        """Return the points as lists, the area, and what it is the area of."""
        found: dict[str, Any] = plain(self._columns() | {"area": self.area, "hull": self.hull})
        return found if self.band is None else found | {"band": self.band.to_dict()}

    def to_frame(self, backend: Backend | None = None) -> Any:
        """Return one row a point as a polars, pandas or pyarrow frame."""
        return to_frame(self._columns(), backend)

    def _columns(self) -> dict[str, list[float]]:
        names = ("false_positive_rate", "true_positive_rate", "threshold")
        return {name: getattr(self, name).tolist() for name in names}


def roc_curve(
    tally: Tally | Cases,
    *,
    hull: bool = False,
    band: Literal["confidence"] | None = None,
    level: float = 0.9,
) -> RocCurve:
    r"""Trace the rates of true and false positives over all thresholds.

    .. math:: \text{FPR}(t) = \frac{\#\{p_i \ge t,\, y_i = 0\}}{\#\{y_i = 0\}}, \qquad
        \text{TPR}(t) = \frac{\#\{p_i \ge t,\, y_i = 1\}}{\#\{y_i = 1\}} .

    Parameters
    ----------
    tally : Tally or Cases
        The forecasts and what happened.
    hull : bool
        Trace the isotonically recalibrated forecasts instead: the upper hull of the curve. Its area
        is larger than the AUC unless the curve is concave already.
    band : {"confidence"}, optional
        Where the curve of the population may lie, at each alarm rate by itself.
    level : float
        Coverage of the band.

    Returns
    -------
    RocCurve

    Notes
    -----
    Without events the true positive rate is NaN, without non-events the false positive rate, and
    without either the area.

    A ROC curve says nothing about calibration: any increasing change of the forecasts leaves it as
    it is.

    The band is given along lines of constant alarm rate :math:`R`, the share of cases acted on.
    Given also how many events there are, only one number is unknown, the alarms in vain; a score
    interval bounds it, with the variance at the bound and not at the estimate. So the band has a
    width where no alarm was in vain, and it is right at both ends of the curve, where drawing
    cases again is not. It is a band of the curve of the forecasts as they are, also with `hull`;
    the hull lies above that curve and may leave the band. Where the curve is far from concave,
    the band is somewhat too narrow. Fractional weights and clusters, in `Cases`, multiply the
    variance by how much they change it.

    References
    ----------
    .. [1] T. Fawcett (2006). An introduction to ROC analysis. Pattern Recognition Letters
       27:861-874. `doi:10.1016/j.patrec.2005.10.010
       <https://doi.org/10.1016/j.patrec.2005.10.010>`__
    .. [2] T. Dimitriadis, T. Gneiting, A. I. Jordan, P. Vogel (2024). Evaluating probabilistic
       classifiers: the triptych. International Journal of Forecasting 40:1101-1122.
       `doi:10.1016/j.ijforecast.2023.09.007 <https://doi.org/10.1016/j.ijforecast.2023.09.007>`__

    Examples
    --------
    >>> import properly
    >>> curve = properly.roc_curve(properly.tally([0, 1, 0, 1], [0.1, 0.3, 0.6, 0.9]))
    >>> curve.false_positive_rate, curve.true_positive_rate
    (array([0. , 0. , 0.5, 0.5, 1. ]), array([0. , 0.5, 0.5, 1. , 1. ]))
    >>> curve.threshold
    array([inf, 0.9, 0.6, 0.3, 0.1])
    """
    t = as_tally(tally)
    found = None
    if band is not None:
        check_choice(band, ("confidence",), "band")
        found = find_roc_band(tally, check_level(level))
    if stays(t) and not hull:
        return RocCurve(*rates(t), hull, found)
    value, weight, events = (to_numpy(x) for x in (t.value, t.weight, t.events))
    if hull:
        fit = recalibrate(t)
        value, weight, events = fit.event_rate, fit.weight, fit.events
    none, threshold = weight - events, np.append(np.inf, value[::-1].astype(np.float64))
    area = concordance(none, events)
    return RocCurve(_rate(none), _rate(events), threshold, area, hull, found)


def predicted_roc_curve(tally: Tally | Cases) -> RocCurve:
    r"""Trace the ROC curve that the forecasts promise, whatever happened.

    Each case counts as an event with its probability :math:`p_i`, and as a non-event with the rest:

    .. math:: \text{FPR}(t) = \frac{\sum_{p_i \ge t} w_i (1 - p_i)}{\sum_i w_i (1 - p_i)}, \qquad
        \text{TPR}(t) = \frac{\sum_{p_i \ge t} w_i p_i}{\sum_i w_i p_i} .

    Parameters
    ----------
    tally : Tally or Cases
        The forecasts; of what happened nothing is used.

    Returns
    -------
    RocCurve
        Its area is the predicted AUC.

    Notes
    -----
    If forecasts are calibrated, the curve of `roc_curve` differs from this one by chance alone. A
    predicted curve above the actual one promises more than the forecasts keep, as over-confident
    ones do; one below promises less. The predicted curve is always concave, since a higher
    forecast is one with more of the event. A case is compared with itself too, as a tie.

    References
    ----------
    .. [1] K. P. Nelson (2017). Assessing probabilistic inference by comparing the generalized mean
       of the model and source probabilities. Entropy 19:286. `doi:10.3390/e19060286
       <https://doi.org/10.3390/e19060286>`__

    Examples
    --------
    >>> import properly
    >>> t = properly.tally([0, 1, 0, 1], [0.1, 0.3, 0.6, 0.9])
    >>> properly.predicted_roc_curve(t), properly.roc_curve(t)
    (RocCurve(AUC 0.8383), RocCurve(AUC 0.75))
    """
    t = as_tally(tally)
    value, weight = to_numpy(t.value).astype(np.float64), to_numpy(t.weight)
    events, none = weight * value, weight * (1 - value)
    threshold = np.append(np.inf, value[::-1])
    return RocCurve(_rate(none), _rate(events), threshold, concordance(none, events), hull=False)


def _rate(cases: Column) -> Column:
    """Return the share of cases from each forecast on, the highest first."""
    found = np.append(0, np.cumsum(cases[::-1]))
    return found / found[-1] if found[-1] > 0 else np.full(found.shape, np.nan)
