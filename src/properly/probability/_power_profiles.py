"""Means by their power: proper ones, which reward neither hedging nor boasting; risk profiles."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from properly._boundary._arrays import refuse
from properly._boundary._chunks import share_out
from properly._boundary._libraries import infinities
from properly._boundary._record import Record
from properly._boundary._text import many, table_of_numbers
from properly.counts._calls import takes_rows
from properly.counts._cases import Cases, has_classes, rows_in_use
from properly.counts._class_rows import table_of, two_classes
from properly.counts._reductions import one_vs_rest
from properly.counts._tally import Tally
from properly.errors import DataError
from properly.probability import _power_means
from properly.probability._sources import Source, as_source, divergence, questions, sides
from properly.rules._class_rule import at
from properly.typing import ArrayLike, Column


class ByPower(Record):
    """A record with a row per power of a mean."""

    power: Column

    def __len__(self) -> int:
        """Count the powers."""
        return len(self.power)

    def __repr__(self) -> str:
        least, most = (f"{m:.4g}" for m in (self.power.min(), self.power.max()))
        return f"{type(self).__name__}({many(len(self), 'power')} from {least} to {most})"


@dataclass(frozen=True, eq=False, repr=False)
class ProperMeans(ByPower):
    """Means of the probability of what happened, made proper, by their power.

    Attributes
    ----------
    power : array
        The powers, as they were given.
    model : array
        The means of the model.
    source : array or None
        Those of the source; None if there are more than two classes, or pooled columns.
    divergence : array or None
        The first divided by the second.

    Examples
    --------
    >>> import properly
    >>> found = properly.probability.proper_means(properly.tally([0, 1, 0, 1], [0.1, 0.3, 0.6,
    ...     0.9]))
    >>> found
    ProperMeans(3 powers from -0.6667 to 0.5)
    >>> found.to_dict()["power"]
    [-0.6666666666666666, 0.0, 0.5]
    """

    power: Column
    model: Column
    source: Column | None
    divergence: Column | None

    def __str__(self) -> str:
        """Lay out one line a power."""
        columns = self._columns()
        power = [f"{m:.4g}" for m in columns.pop("power")]
        numbers = zip(*columns.values(), strict=True)
        return table_of_numbers("power", tuple(columns), zip(power, numbers, strict=True))

    def _columns(self) -> dict[str, list[float]]:
        return {name: x.tolist() for name, x in self._row().items() if x is not None}


@takes_rows
def proper_means(
    cases: Tally | Cases,
    powers: ArrayLike = (_power_means.ROBUSTNESS, _power_means.MEAN_PROBABILITY, 1 / 2),
    *,
    source: str | Source = "isotonic",
    precision: float | None = None,
) -> ProperMeans:
    r"""Average the probability of what happened, so that honesty pays best.

    .. math:: \text{PM}_m = \Big(\frac{\sum_i w_i s_i^m}{\sum_i w_i}\Big)^{1/m}, \qquad
        s_i = \frac{q_{i, y_i}^a}{\sum_j q_{ij}^a}, \qquad a = \frac{1}{1 - m} .

    Parameters
    ----------
    cases : Tally or Cases
        The forecasts and what happened; of one event, or of several classes.
    powers : array-like
        Powers up to 1. At 1 stands the limit, the share of the cases whose likeliest class
        happened; where several are likeliest, each counts for its part.
    source : str or Source
        How to estimate the probability with which things happened at each forecast: see
        `properly.probability._sources`.
    precision : float, optional
        Move forecasts into [precision, 1 - precision] first.

    Returns
    -------
    ProperMeans

    Notes
    -----
    **What raw means reward.** Of the means :math:`M_m` of the probabilities :math:`q` given to what
    happened, that of power 0 alone is proper. If classes happen with the probabilities :math:`p`,
    the report with the greatest :math:`M_m` is :math:`q_j \propto p_j^a`. The mean of power -2/3
    rewards hedging, :math:`a = 0.6`: if the truth is (0.7, 0.2, 0.1), it is 0.3710 for who says so,
    and 0.4024 for who says (0.561, 0.2645, 0.1745). The arithmetic mean rewards certainty: it is
    0.54 for the truth, and 0.7 for who calls the likeliest class certain. So the ratio of
    such a mean to that of the source is no divergence: even in a whole population it may be above
    1. In the population of two examples of [1]_ it is 1.040 at the power -2/3, for a model whose
    classes lie too close together, and 1.072 at the power 1, for one whose tails are too thin.

    **What is done about it.** :math:`s` is the report that a forecaster who believes :math:`q` is
    tempted to make. To make it for them leaves nothing to gain. The power 0 stays what it was, the
    mean probability of `properly.means`, and the truth above reaches 0.4024 at the power -2/3,
    which no other report does. Unlike raw means, these may fall as the power rises: forecasts that
    are often wrong fare better if hedged. The mean loss :math:`\bar S` of
    `properly.rules.Pseudospherical` of the same power says the same: :math:`\text{PM}_m = (1 - m
    \bar S)^{1/m}`.

    **Divergence.** Isotonic recalibration is best for every proper score of one event among all
    that keep the order of forecasts. So with the isotonic source the divergence is never above 1,
    at any power, and at powers below 1 it is 1 only if the forecasts are their own recalibration.
    With other sources it may be above 1.

    Of more than two classes, and of columns that are pooled, the source is None. The probabilities
    that are fitted do not add up to 1, and so are no forecast to be priced; however they are made
    to add up, nothing bounds what comes of it. At the power 0 alone the fits can be judged as they
    are: `properly.means` does that.

    References
    ----------
    .. [1] K. P. Nelson (2017). Assessing probabilistic inference by comparing the generalized mean
       of the model and source probabilities. Entropy 19:286.
       `doi:10.3390/e19060286 <https://doi.org/10.3390/e19060286>`__
    .. [2] T. Gneiting, A. E. Raftery (2007). Strictly proper scoring rules, prediction, and
       estimation. Journal of the American Statistical Association 102:359-378.
       `doi:10.1198/016214506000001437 <https://doi.org/10.1198/016214506000001437>`__

    Examples
    --------
    >>> import properly
    >>> t = properly.tally([1, 1, 0, 1, 0, 0], [0.9, 0.8, 0.7, 0.4, 0.3, 0.1])
    >>> found = properly.probability.proper_means(t)
    >>> found.model.round(4), found.source.round(4)
    (array([0.5792, 0.6156, 0.6469]), array([0.7647, 0.7937, 0.8143]))
    >>> found.divergence.round(4)
    array([0.7574, 0.7756, 0.7944])

    A raw mean rewards hedging:

    >>> truth, hedged = [0.7, 0.2, 0.1], [0.561, 0.2645, 0.1745]
    >>> [round(properly.generalized_mean(q, -2 / 3, truth), 4) for q in (truth, hedged)]
    [0.371, 0.4024]
    """
    power, chosen = _check_proper_powers(powers), as_source(source)
    limited = _power_means.limit(cases, precision).cases
    if has_classes(limited):
        if limited.classes != 2:
            y, p, weight, _ = rows_in_use(limited)
            return ProperMeans(power, _proper_means(y, p, weight, power), None, None)
        # Two classes are an event and its absence, whose fits do add up to 1.
        limited = list(one_vs_rest(limited).values())[1]
    rows = table_of(limited)
    model = _proper_means(rows.y, rows.p, rows.weight, power)
    if chosen.pooled:
        return ProperMeans(power, model, None, None)
    fit = questions(limited, chosen)[0].fit
    rows = two_classes(fit.rate, fit.weight, fit.events, rest=fit.rest)
    behind = _proper_means(rows.y, rows.p, rows.weight, power)
    return ProperMeans(power, model, behind, divergence(model, behind, chosen))


def _check_proper_powers(powers: ArrayLike) -> Column:
    result = _power_means.as_powers(powers)
    wrong = ~((result <= 1) & np.isfinite(result))
    if wrong.any():
        hint = "no mean of a greater power can be made proper; generalized_mean has them all."
        refuse(result, wrong, "powers of proper means must be finite and at most 1", hint)
    return result


def _proper_means(y: Column, p: Column, weight: Column, power: Column) -> Column:
    rows, weight = p.astype(np.float64), weight.astype(np.float64)
    result = [
        _power_means.mean_from_logs(at(_log_shares(rows, m), y), m, weight) for m in power.tolist()
    ]
    return np.array(result)


def _log_shares(rows: Column, power: float) -> Column:
    """Return the logarithms of what the rows would report to have the greatest mean."""
    top = rows.argmax(axis=1)[:, None]
    ratio = rows / np.take_along_axis(rows, top, axis=1)
    with infinities():
        log = np.log(ratio)
        # A power beyond all bounds leaves the likeliest alone.
        log = np.where(log < 0, -np.inf, 0.0) if power == 1 else log / (1 - power)
    others = np.exp(log)
    np.put_along_axis(others, top, 0.0, axis=1)
    return np.asarray(log - np.log1p(others.sum(axis=1, keepdims=True)))


# Powers that are shown, or the nearest to them that there are.
SHOWN = (-2.0, -1.0, *_power_means.POWERS.values(), 2.0)
# Not np.linspace, which drifts: k / 20 is what 0.35 is read as.
EVERY_TWENTIETH = np.arange(-60, 61) / 20


@dataclass(frozen=True, eq=False, repr=False)
class RiskProfile(ByPower):
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
        with infinities():
            finite = -self.power / (2 + self.power)
        result: Column = np.where(np.isposinf(self.power), -1.0, finite)
        # Not -0.0 at 0.
        return np.where(self.power < -2, np.nan, result) + 0.0

    def __str__(self) -> str:
        """Lay out some of the powers, with those that have names."""
        with infinities():
            near = [int(np.abs(self.power - m).argmin()) for m in SHOWN]
        row = sorted({0, *near, len(self) - 1})
        names = {m: _power_means.LABELS[name] for name, m in _power_means.POWERS.items()}
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
    power = _check_increasing_powers(powers)
    limited = _power_means.limit(cases, precision).cases
    result = sides(limited, as_source(source))
    t, weight, p, p_weight = (np.concatenate(x) for x in list(zip(*result, strict=True))[1:])
    model, behind = _raw_means(t, weight, power), _raw_means(p, p_weight, power)
    return RiskProfile(power, model, behind, _raw_means(*table_of(limited).possible(), power))


def _check_increasing_powers(powers: ArrayLike | None) -> Column:
    """Take increasing powers; without any, close ones that have those with names among them."""
    if powers is None:
        return np.union1d(EVERY_TWENTIETH, list(_power_means.POWERS.values()))
    result = _power_means.as_powers(powers)
    if np.isnan(result).any():
        refuse(result, np.isnan(result), "powers must be numbers or infinities")
    falls = np.flatnonzero(~(result[1:] > result[:-1]))
    if falls.size:
        row = int(falls[0]) + 1
        message = f"powers must increase; row {row} is {result[row]:g}, after {result[row - 1]:g}"
        raise DataError(message)
    return result


def _raw_means(t: Column, weight: Column, power: Column) -> Column:
    """Return the mean of each power; the logarithms are taken once for all of them."""
    with infinities():
        log = np.log(t)
    weight = weight.astype(np.float64)
    return np.array(
        share_out(lambda m: _power_means.mean_from_logs(log, m, weight), power.tolist())
    )
