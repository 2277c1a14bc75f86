"""Risk profile: the mean of every power, from the worst cases to the best."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from properly._boundary._arrays import refuse
from properly._boundary._chunks import share_out
from properly._boundary._record import Record
from properly._boundary._tables import table_of_numbers
from properly._boundary._text import many
from properly.counts._calls import takes_rows
from properly.counts._class_rows import table_of
from properly.errors import DataError
from properly.probability._by_source import sides
from properly.probability._power import LABELS, POWERS, as_powers, limit, mean_from_logs
from properly.probability._sources import as_source

if TYPE_CHECKING:
    from properly.counts._cases import Cases
    from properly.counts._tally import Tally
    from properly.probability._sources import Source
    from properly.typing import ArrayLike, Column


# Powers that are shown, or the nearest to them that there are.
SHOWN = (-2.0, -1.0, *POWERS.values(), 2.0)
# Not np.linspace, which drifts: k / 20 is what 0.35 is read as.
EVERY_TWENTIETH = np.arange(-60, 61) / 20


@dataclass(frozen=True, eq=False, repr=False)
class RiskProfile(Record):
    """The mean of the probability of what happened, by the power of the mean.

    Low powers ask how the worst cases fared, high ones how the best did.

    Attributes
    ----------
    power : array
        The powers, increasing.
    model : array
        Means of the probabilities that the model gave to what happened.
    source : array
        Means of those that the source gave.
    expected : array
        Means that the forecasts themselves expect of the model: those of the probability of
        what happens, if it happens as they say.

    Examples
    --------
    >>> import properly
    >>> t = properly.tally([1, 1, 0, 1, 0, 0], [0.9, 0.8, 0.7, 0.4, 0.3, 0.1])
    >>> profile = properly.probability.risk_profile(t, [-2 / 3, 0, 1])
    >>> profile
    RiskProfile(3 powers from -0.6667 to 1)
    >>> profile.model.round(4), profile.source.round(4)
    (array([0.5779, 0.6156, 0.6667]), array([0.7647, 0.7937, 0.8333]))
    """

    power: Column
    model: Column
    source: Column
    expected: Column

    _series: ClassVar = ("power", "coupling", "model", "source", "expected")

    @property
    def coupling(self) -> Column:
        """The coupling of each power, -m / (2 + m); at -2 infinite and below it NaN.

        In one dimension, and by the convention in which a positive coupling is averse to risk:
        -2/3 has the coupling 1/2, 0 has 0 and 1 has -1/3. Couplings are above -1, and none of them
        has a power of -2 or below.
        """
        with np.errstate(divide="ignore", invalid="ignore"):
            finite = -self.power / (2 + self.power)
        result: Column = np.where(np.isposinf(self.power), -1.0, finite)
        # Not -0.0 at 0.
        return np.where(self.power < -2, np.nan, result) + 0.0

    def __len__(self) -> int:
        """Count the powers."""
        return len(self.power)

    def __repr__(self) -> str:
        first, last = (f"{m:.4g}" for m in self.power[[0, -1]])
        return f"RiskProfile({many(len(self), 'power')} from {first} to {last})"

    def __str__(self) -> str:
        """Lay out some of the powers, with those that have names."""
        with np.errstate(invalid="ignore"):
            near = [int(np.abs(self.power - m).argmin()) for m in SHOWN]
        row = sorted({0, *near, len(self) - 1})
        names = {m: LABELS[name] for name, m in POWERS.items()}
        power = [f"{m:.4g} {names.get(m, '')}".rstrip() for m in self.power[row].tolist()]
        columns = ("model", "source", "expected")
        numbers = zip(*(getattr(self, name)[row].tolist() for name in columns), strict=True)
        return table_of_numbers("power", columns, zip(power, numbers, strict=True))


@takes_rows
def risk_profile(
    cases: Tally | Cases,
    powers: ArrayLike | None = None,
    *,
    source: str | Source = "isotonic",
    precision: float | None = None,
) -> RiskProfile:
    r"""Trace the mean of the probability of what happened over all powers.

    With :math:`t_i` the probability that the model gave to what happened,

    .. math:: M_m(t) = \Big(\frac1n \sum_i t_i^m\Big)^{1/m}, \qquad
        E_m = \Big(\frac1n \sum_i \sum_j q_{ij}^{1 + m}\Big)^{1/m},

    the latter being what the forecasts :math:`q` expect of themselves, over what is possible,
    :math:`q_{ij} > 0`. At the power 0 both are geometric means, at the infinities the least and the
    greatest value.

    Parameters
    ----------
    cases : Tally or Cases
        Forecasts of an event or of classes, and what happened.
    powers : array-like, optional
        Increasing powers, infinite ones among them if need be; -3 to 3 in steps of 0.05, and -2/3,
        if left out.
    source : str or Source
        How to estimate the probabilities behind the model: see `properly.probability._sources`.
    precision : float, optional
        Move forecasts into ``[precision, 1 - precision]`` first.

    Returns
    -------
    RiskProfile

    Notes
    -----
    All three increase with the power, and agree with `properly.means` and
    `properly.probability.confidence_test` at decisiveness, 1, mean probability, 0, and robustness,
    -2/3. A model that lies below what it expects has promised too much, out of over-confidence or
    bias; `properly.probability.confidence_test` says whether that may be chance.

    What was called impossible and happened makes the model's mean 0 at all powers up to 0. What is
    expected never is 0: what is impossible is not expected to happen. At the power -1 it is 1 over
    the mean number of possible classes, whatever else the forecasts say, and below that it is
    ruled by the least probable of what may happen, whether it has or not.

    Only at the power 0 is the mean proper: at lower powers it rewards hedging, and at higher ones
    certainty. `properly.probability.proper_means` are those that reward neither.

    References
    ----------
    .. [1] K. P. Nelson (2017). Assessing probabilistic inference by comparing the generalized mean
       of the model and source probabilities. Entropy 19:286.
       `doi:10.3390/e19060286 <https://doi.org/10.3390/e19060286>`__

    Examples
    --------
    >>> import numpy as np
    >>> import properly
    >>> t = properly.tally([0, 1, 1, 0], [0.2, 0.6, 0.9, 0.7])
    >>> properly.probability.risk_profile(t, [-np.inf, 0, np.inf]).model.round(4)
    array([0.3, 0.6, 0.9])
    """
    power = _check_powers(powers)
    limited = limit(cases, precision).cases
    result = sides(limited, as_source(source))
    t, weight, p, p_weight = (np.concatenate(x) for x in list(zip(*result, strict=True))[1:])
    model, behind = _means(t, weight, power), _means(p, p_weight, power)
    return RiskProfile(power, model, behind, _means(*table_of(limited).possible(), power))


def _check_powers(powers: ArrayLike | None) -> Column:
    """Take increasing powers; without any, close ones that have those with names among them."""
    if powers is None:
        return np.union1d(EVERY_TWENTIETH, list(POWERS.values()))
    result = as_powers(powers)
    if np.isnan(result).any():
        refuse(result, np.isnan(result), "powers must be numbers or infinities")
    falls = np.flatnonzero(~(result[1:] > result[:-1]))
    if falls.size:
        row = int(falls[0]) + 1
        message = f"powers must increase; row {row} is {result[row]:g}, after {result[row - 1]:g}"
        raise DataError(message)
    return result


def _means(t: Column, weight: Column, power: Column) -> Column:
    """Return the mean of each power; the logarithms are taken once for all of them."""
    with np.errstate(divide="ignore"):
        log = np.log(t)
    weight = weight.astype(np.float64)
    return np.array(share_out(lambda m: mean_from_logs(log, m, weight), power.tolist()))
