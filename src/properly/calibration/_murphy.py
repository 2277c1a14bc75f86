"""The classical decomposition of Murphy, from the event rates at each forecast."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from properly._boundary._libraries import to_numpy
from properly._boundary._record import Record
from properly.counts._calls import takes_rows
from properly.counts._scoring import mean_score
from properly.counts._tally import as_tally
from properly.rules import Brier

if TYPE_CHECKING:
    from properly.counts._cases import Cases
    from properly.counts._tally import Tally


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
