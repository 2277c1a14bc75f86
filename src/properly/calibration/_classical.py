"""Reliability in bins chosen beforehand, and the decomposition of Murphy at each forecast."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal, TypeAlias, get_args

import numpy as np

from properly._boundary._libraries import to_numpy
from properly._boundary._options import check_choice, check_whole
from properly._boundary._record import Record
from properly._boundary._text import many
from properly.counts._calls import takes_rows
from properly.counts._histogram import equal_count, equal_width
from properly.counts._scoring import mean_score
from properly.counts._tally import Tally, as_tally
from properly.rules import Brier

if TYPE_CHECKING:
    from properly.counts._cases import Cases
    from properly.typing import Column


Scheme: TypeAlias = Literal["width", "count"]


@dataclass(frozen=True, eq=False, repr=False)
class BinnedReliability(Record):
    """What happened after forecasts in bins that were chosen beforehand.

    Attributes
    ----------
    lower, upper : array
        The ends of each bin; of equally full bins, the least and the greatest forecast in it.
    mean_forecast : array
        The mean of the forecasts in each bin, which need not be its middle.
    weight : array
        Cases, or their weight, in each bin.
    event_rate : array
        Share of events in each bin.
    scheme : str
        ``"width"`` or ``"count"``.

    Examples
    --------
    >>> import properly
    >>> t = properly.tally([0, 1, 0, 1], [0.1, 0.3, 0.6, 0.9])
    >>> record = properly.calibration.binned_reliability(t, bins=2)
    >>> record
    BinnedReliability(2 bins of equal width)
    >>> record.upper, record.mean_forecast, record.event_rate
    (array([0.5, 1. ]), array([0.2 , 0.75]), array([0.5, 0.5]))
    """

    lower: Column
    upper: Column
    mean_forecast: Column
    weight: Column
    event_rate: Column
    scheme: Scheme

    _series: ClassVar = ("lower", "upper", "mean_forecast", "weight", "event_rate")

    def __repr__(self) -> str:
        bins = many(len(self), "bin")
        return f"BinnedReliability({bins} of equal {self.scheme})"

    def __len__(self) -> int:
        """Count the bins."""
        return int(self.weight.shape[0])


@takes_rows
def binned_reliability(
    tally: Tally | Cases, *, bins: int = 10, scheme: Scheme = "width"
) -> BinnedReliability:
    r"""Count how often the event happened after forecasts in bins.

    Bins that someone chose can hide miscalibration or show some that is not there, and another
    number of them tells another story; `properly.reliability` needs no such choice.

    Parameters
    ----------
    tally : Tally or Cases
        The forecasts and what happened.
    bins : int
        How many bins. Empty ones are left out.
    scheme : {"width", "count"}
        Bins of equal width, or with about equally many cases each.

    Returns
    -------
    BinnedReliability

    Notes
    -----
    Of `m` bins of equal width, a forecast `p` is in that number :math:`\min(\lfloor m p \rfloor,
    m - 1)`, counted from 0: an edge belongs to the bin above it, and 1 to the last bin. This is
    computed in floating point, where 100 · 0.29 is a little less than 29.

    Of bins of equal count, a forecast that `w` of all `n` cases had, with `b` cases below it, is in
    that number :math:`\lfloor m (b + w / 2) / n \rfloor`. Equal forecasts stay together.

    Examples
    --------
    >>> import properly
    >>> t = properly.Tally.from_counts([0.1, 0.2, 0.7], [50, 30, 20], [2, 6, 16])
    >>> record = properly.calibration.binned_reliability(t, bins=2, scheme="count")
    >>> record.lower, record.upper, record.event_rate
    (array([0.1, 0.2]), array([0.1, 0.7]), array([0.04, 0.44]))
    """
    check_choice(scheme, get_args(Scheme), "scheme")
    bins, t = check_whole(bins, "bins"), as_tally(tally)
    value = to_numpy(t.value).astype(np.float64)
    weight, events = to_numpy(t.weight), to_numpy(t.events)
    cell = equal_width(value, bins) if scheme == "width" else equal_count(weight, bins)
    first = np.flatnonzero(np.diff(cell, prepend=-1))
    least, greatest = value[first], value[np.append(first[1:], len(value)) - 1]
    moment, weight, events = (np.add.reduceat(x, first) for x in (value * weight, weight, events))
    # Rounding must not carry a mean beyond its forecasts.
    mean = np.clip(moment / weight, least, greatest)
    if scheme == "width":
        least, greatest = cell[first] / bins, (cell[first] + 1) / bins
    return BinnedReliability(least, greatest, mean, weight, events / weight, scheme)


@dataclass(frozen=True)
class MurphyDecomposition(Record):
    """The classical parts of a Brier score, from the event rates at each forecast.

    ``score = reliability - resolution + uncertainty``

    Attributes
    ----------
    score : float
        The mean Brier score.
    reliability : float
        Mean squared difference between the forecasts and the event rates.
    resolution : float
        Mean squared difference between the event rates and the overall one.
    uncertainty : float
        The variance of the outcomes.

    Examples
    --------
    >>> import properly
    >>> t = properly.tally([0, 1, 1, 1], [0.25, 0.25, 0.75, 0.75])
    >>> properly.calibration.murphy_decomposition(t)
    MurphyDecomposition(score=0.1875, reliability=0.0625, resolution=0.0625, uncertainty=0.1875)
    """

    score: float
    reliability: float
    resolution: float
    uncertainty: float


@takes_rows
def murphy_decomposition(tally: Tally | Cases) -> MurphyDecomposition:
    r"""Split a Brier score the classical way, for comparison.

    .. math:: \text{REL} = \frac1n \sum_j n_j (o_j / n_j - z_j)^2, \quad
        \text{RES} = \frac1n \sum_j n_j (o_j / n_j - \bar y)^2, \quad
        \text{UNC} = \bar y (1 - \bar y),

    over the distinct forecasts :math:`z_j` with :math:`n_j` cases and :math:`o_j` events.

    Parameters
    ----------
    tally : Tally or Cases
        The forecasts and what happened.

    Returns
    -------
    MurphyDecomposition

    Notes
    -----
    If the event rates increase with the forecasts, these are the parts that `properly.decompose`
    finds. If not, both are larger by the same amount; and if all forecasts differ, the event rates
    are the outcomes themselves, the reliability is the score and the resolution is the uncertainty.
    That is why the forecasts were binned in former times, and why everything depended on the bins.

    References
    ----------
    .. [1] A. H. Murphy (1973). A new vector partition of the probability score. Journal of Applied
       Meteorology 12:595-600.
    .. [2] T. Dimitriadis, T. Gneiting, A. I. Jordan (2021). Stable reliability diagrams for
       probabilistic classifiers. Proceedings of the National Academy of Sciences 118:e2016191118,
       appendix C. `doi:10.1073/pnas.2016191118 <https://doi.org/10.1073/pnas.2016191118>`__

    Examples
    --------
    >>> import properly
    >>> from properly.rules import Brier
    >>> t = properly.Tally.from_counts([0.2, 0.5, 0.8], [10, 10, 10], [4, 3, 9])
    >>> classical = properly.calibration.murphy_decomposition(t)
    >>> round(classical.reliability, 4), round(classical.resolution, 4)
    (0.03, 0.0689)
    >>> parts = properly.decompose(t, Brier())
    >>> round(parts.miscalibration, 4), round(parts.discrimination, 4)
    (0.0283, 0.0672)
    """
    t = as_tally(tally)
    value, weight, events = (to_numpy(x).astype(np.float64) for x in (t.value, t.weight, t.events))
    rate, share, overall = events / weight, weight / weight.sum(), t.event_rate
    reliability = float(share @ (rate - value) ** 2)
    resolution = float(share @ (rate - overall) ** 2)
    return MurphyDecomposition(
        mean_score(t, Brier()), reliability, resolution, overall * (1 - overall)
    )
