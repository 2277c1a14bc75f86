"""Reliability: what happened after each forecast, isotonically estimated."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from properly._frames import to_frame
from properly._isotonic import recalibrate
from properly._libraries import to_numpy
from properly._tally import Tally, as_tally

if TYPE_CHECKING:
    from properly._cases import Cases
    from properly._frames import Backend


@dataclass(frozen=True, eq=False)
class Bins:
    """Runs of forecasts with one recalibrated probability, lowest first.

    Attributes
    ----------
    x_min, x_max : array
        The least and the greatest forecast of each bin.
    weight : array
        Cases, or their weight, in each bin.
    event_rate : array
        Share of events in each bin: the recalibrated probability. It strictly increases.

    Examples
    --------
    >>> import properly
    >>> bins = properly.reliability(properly.tally([0, 1, 0, 1], [0.1, 0.3, 0.6, 0.9])).bins
    >>> bins.x_min, bins.x_max, bins.weight
    (array([0.1, 0.3, 0.9]), array([0.1, 0.6, 0.9]), array([1, 2, 1]))
    """

    x_min: np.ndarray[Any, Any]
    x_max: np.ndarray[Any, Any]
    weight: np.ndarray[Any, Any]
    event_rate: np.ndarray[Any, Any]

    def __len__(self) -> int:
        """Count the bins."""
        return int(self.weight.shape[0])


@dataclass(frozen=True, eq=False, repr=False)
class Reliability:
    """What happened after each forecast.

    Attributes
    ----------
    bins : Bins
        The bins of the isotonic fit.
    recalibrated : array
        The recalibrated probability of each distinct forecast of the tally.
    band : None
        No band was asked for.

    Examples
    --------
    >>> import properly
    >>> record = properly.reliability(properly.tally([0, 1, 0, 1], [0.1, 0.3, 0.6, 0.9]))
    >>> x, rate = record.curve()
    >>> x
    array([0.1, 0.1, 0.3, 0.6, 0.9, 0.9])
    >>> rate
    array([0. , 0. , 0.5, 0.5, 1. , 1. ])
    """

    bins: Bins
    recalibrated: np.ndarray[Any, Any]
    band: None = None

    def __repr__(self) -> str:
        forecasts = self.recalibrated.shape[0]
        return f"Reliability({forecasts:,} distinct forecasts in {len(self.bins)} bins)"

    def curve(self) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
        """Return the corners of the curve: flat on bins, straight between, undefined outside."""
        x = np.stack([self.bins.x_min, self.bins.x_max], axis=1).ravel()
        return x, np.repeat(self.bins.event_rate, 2)

    def to_dict(self) -> dict[str, Any]:
        """Return the bins as lists, one entry a bin."""
        return {name: column.tolist() for name, column in vars(self.bins).items()}

    def to_frame(self, backend: Backend | None = None) -> Any:
        """Return the bins as a polars, pandas or pyarrow frame."""
        return to_frame(self.to_dict(), backend)


def reliability(tally: Tally | Cases) -> Reliability:
    """Estimate how often the event happens after each forecast.

    The estimate is the increasing function of the forecast that fits best under every proper rule
    at once (pool adjacent violators). It needs no choice of bins: they follow from the data.

    Parameters
    ----------
    tally : Tally or Cases
        The forecasts and what happened.

    Returns
    -------
    Reliability

    References
    ----------
    .. [1] T. Dimitriadis, T. Gneiting, A. I. Jordan (2021). Stable reliability diagrams for
       probabilistic classifiers. Proceedings of the National Academy of Sciences 118:e2016191118.
       `doi:10.1073/pnas.2016191118 <https://doi.org/10.1073/pnas.2016191118>`__

    Examples
    --------
    >>> import properly
    >>> r = properly.reliability(properly.tally([0, 1, 0, 1], [0.1, 0.3, 0.6, 0.9]))
    >>> r.bins.event_rate
    array([0. , 0.5, 1. ])
    >>> r.recalibrated
    array([0. , 0.5, 0.5, 1. ])
    """
    t = as_tally(tally)
    fit = recalibrate(t)
    value = to_numpy(t.value)
    size = np.diff(fit.end, prepend=0)
    bins = Bins(value[fit.end - size], value[fit.end - 1], fit.weight, fit.event_rate)
    return Reliability(bins, np.repeat(fit.event_rate, size))
