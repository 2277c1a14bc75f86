r"""Dependence of outcomes in time: how much there is, and random numbers that have as much.

What matters is neither how persistent outcomes are nor forecasts, but what recalibrated forecasts
leave unexplained. Two numbers say by how much sums of that vary more than of independent cases:
`phi` within bins of the reliability curve, `psi` over all cases. The first widens a band at a
point. The second is what drawn outcomes are given: normal numbers that follow an autoregression
decide about them. Psi is a long-run variance, whatever the kind of dependence; the autoregression
only gives it a shape. What is slower than the cosines of the variance see, none of this sees.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from properly._boundary._interrupts import checkpoint
from properly._boundary._notices import notice
from properly._boundary._record import Record, once
from properly.counts._cases import Cases, number_forecasts, rows_in_use
from properly.counts._isotonic import recalibrate
from properly.counts._pooling import order_of
from properly.inference._design import Design, is_alike
from properly.inference._moments import Spread
from properly.inference._variance import covariance, spread_of_totals
from properly.typing import Column

# Where sums vary by more than this, and times are worth fewer than these, tests refuse too often.
LONG = 2.0
FEW_TIMES, TOO_FEW_TIMES = 100, 30
LONG_SERIES = "dependence is long for this series; p-values and bands are too sure"
# Correlations from one time to the next that are drawn reach so far; psi is tabulated up to it.
MOST, TABULATED = 0.995, 400
# With more times than these, neighbouring ones are pooled: in `phi`, and in drawn outcomes.
TIMES = 1 << 15
# Correlations below rounding add nothing, in double and in single precision.
NOTHING, SINGLE = 1e-17, 1e-8


@dataclass(frozen=True)
class Dependence(Record):
    """How much outcomes depend on one another in time, beyond their recalibrated forecasts.

    Attributes
    ----------
    phi : float
        Variance of sums within bins of the reliability curve, over that of independent cases; of
        unweighted cases at least 1.
    psi : float
        The same of sums over all cases.
    rho : float
        Correlation from one time to the next of the normal numbers that decide about drawn
        outcomes, such that their sums vary by `psi`.
    times : int
        Different times.
    effective_times : float
        As many independent times would say as much. Clusters that are lastingly off are in `psi`,
        and not in this.
    degrees : float
        Degrees of freedom of `phi` and `psi`.
    """

    phi: float
    psi: float
    rho: float
    times: int
    effective_times: float
    degrees: float

    @property
    def is_long(self) -> bool:
        """Whether p-values and bands are too sure."""
        return LONG * self.effective_times < self.times and self.effective_times < FEW_TIMES

    @property
    def is_too_long(self) -> bool:
        """Whether there is too little to allow for dependence by."""
        return self.is_long and self.effective_times < TOO_FEW_TIMES

    @property
    def numbers(self) -> str:
        """The two numbers as they are printed."""
        return f"phi = {self.phi:.2f}, psi = {self.psi:.2f}"

    @property
    def text(self) -> str:
        """The numbers, and what they leave of the times."""
        return f"dependence in time {self.numbers}: {self.effective_times:,.0f} effective times"

    @property
    def draws(self) -> str:
        """How outcomes are drawn, in words."""
        return f"dependent draws (rho = {self.rho:.2f})"

    def warn(self) -> bool:
        """Say if times are too few for such dependence, and whether nothing can be said at all."""
        if self.is_too_long:
            notice(
                f"dependence is too long for this series: {self.times:,} times say as much as "
                f"{self.effective_times:.0f} independent ones, fewer than {TOO_FEW_TIMES}; "
                "there are no p-values and no bands"
            )
        elif self.is_long:
            notice(LONG_SERIES)
        return self.is_too_long


@dataclass(frozen=True, eq=False)
class Residuals:
    """What recalibrated forecasts leave unexplained, case by case, and when.

    Attributes
    ----------
    p : numpy array
        The forecasts.
    bin : numpy array
        The bin of the reliability curve that each lies in.
    left : numpy array
        Outcomes less the event rate of their bin.
    independent : float
        The variance of their weighted sum if cases were independent.
    design : Design
        How cases were sampled, times among it.
    """

    p: Column
    bin: Column
    left: Column
    independent: float
    design: Design

    @classmethod
    def of(cls, cases: Cases) -> Residuals:
        """Recalibrate the forecasts and compare them with what happened."""
        y, p, _, _ = rows_in_use(cases)
        fit = recalibrate(cases.tally())
        bins = np.searchsorted(fit.end, number_forecasts(cases), side="right")
        rate = fit.event_rate
        independent = float(fit.weight @ (rate * (1 - rate)))
        return cls(p.astype(np.float64), bins, y - rate[bins], independent, Design.of(cases))

    @property
    def time(self) -> Column:
        """The number of the time of each case."""
        return np.asarray(self.design.time)

    @cached_property
    def phi(self) -> float:
        """The variance of sums within bins, over that of independent cases.

        The bins follow the outcomes, which hides as much of it as there are bins. Outcomes that
        balance are no reason to be surer than of independent ones.
        """
        weight, times, bins = self.design.weight, self.design.times, int(self.bin.max()) + 1
        design = replace(self.design, time=in_runs(self.time))
        if not self.independent > 0:
            # If no outcome varied, those of one time are taken as one.
            size = np.bincount(self.time, weight)
            return float(size @ size / size.sum())
        left, variance = weight * self.left, 0.0
        alone = 1.0 if is_alike(weight) else float(left @ left) / self.independent
        order, unit = _in_order(self.bin), np.asarray(design.unit)
        for rows in np.split(order, np.cumsum(np.bincount(self.bin))[:-1]):
            total = np.bincount(unit[rows], left[rows], design.units)
            variance += float(spread_of_totals(total[None], design).covariance[0, 0])
        shown = max(times - bins, times / 2)
        return max(variance / self.independent * times / shown, alone)

    @cached_property
    def standardised(self) -> Column:
        """What is left, over its standard deviation if calibrated; 0 for certain forecasts.

        On a scale of its own, since only ratios of it are used and events may be next to
        impossible.
        """
        spread = np.sqrt(self.p * (1 - self.p))
        result: Column = self.left / np.where(spread > 0, spread, np.inf)
        return result / (np.abs(result).max() or 1.0)

    @cached_property
    def spread(self) -> Spread:
        """The variance of the sum of what is left, standardised."""
        return covariance(self.standardised[None], self.design)

    @cached_property
    def psi(self) -> float:
        """The same over that of independent times."""
        return self._over_independent_times(self.spread)

    def _over_independent_times(self, spread: Spread) -> float:
        total = np.bincount(self.time, self.standardised)
        squares = float(total @ total)
        return float(spread.covariance[0, 0]) / squares if squares > 0 else 1.0

    @property
    def effective_times(self) -> float:
        """As many independent times would say as much; what clusters add is no matter of time."""
        spread = self.spread
        if self.design.cluster is not None:
            spread = covariance(self.standardised[None], replace(self.design, cluster=None))
        return self.design.times / max(self._over_independent_times(spread), 1.0)

    @property
    def same(self) -> float:
        """How much the outcomes of two cases of one time are correlated; 1 if there are none."""
        total, squares, cases = (
            np.bincount(self.time, x)
            for x in (self.standardised, self.standardised**2, np.ones(len(self.p)))
        )
        pairs, mean = float((cases * (cases - 1)).sum()), float(squares.sum()) / len(self.p)
        if not (pairs and mean):
            return 0.0 if pairs else 1.0
        return min(max(float((total**2 - squares).sum()) / pairs / mean, 0.0), 1.0)

    @property
    def dependence(self) -> Dependence:
        """The numbers, for a record."""
        times, psi = self.design.times, self.psi
        about = rho_of(psi, times), times, self.effective_times, float(self.spread.degrees)
        return Dependence(self.phi, psi, *about)

    def latent(self) -> Latent:
        """Return what draws numbers that depend on one another as much."""
        checkpoint()
        time, cluster, times = self.time, self.design.cluster, self.design.times
        slot = np.zeros(len(time), dtype=np.intp)
        if cluster is not None:
            mean = np.bincount(cluster, self.p) / np.bincount(cluster)
            slot = np.argsort(np.argsort(mean))[cluster]
        elif times < len(time):
            # Without a name, the lowest forecast of one time goes with the lowest of the next.
            order, count = order_of(self.p), np.bincount(time)
            order = order[_in_order(time[order])]
            slot[order] = np.arange(len(time)) - np.repeat(np.cumsum(count) - count, count)
        return Latent(time, slot, times, self.same, self.psi, float(self.spread.degrees))


def _in_order(number: Column) -> Column:
    """Return the rows in the order of numbers: those of few bytes are sorted fastest."""
    return np.argsort(number.astype(np.min_scalar_type(number.max())), kind="stable")


def in_runs(time: Column) -> Column:
    """Take neighbours of very many times together: slow waves say as much about their sums.

    There are then as many runs as a power of two, whose waves are found fastest.
    """
    times = int(time.max()) + 1
    return time if times <= TIMES else np.asarray(time * TIMES // times)


def measure(cases: Cases) -> Dependence:
    """Say how much the outcomes of cases depend on one another in time, once for all who ask."""
    return _measured(cases)[0]


def latent_of(cases: Cases) -> Latent:
    """Return what draws numbers that depend on one another as much, once for all who ask."""
    return _measured(cases)[1]


def _measured(cases: Cases) -> tuple[Dependence, Latent]:
    def made() -> tuple[Dependence, Latent]:
        left = Residuals.of(cases)
        return left.dependence, left.latent()

    return once(cases, "_dependence", made)


def psi_of(rho: Column, times: int) -> Column:
    r"""Return by how much a sum of residuals varies more if normal numbers decide about outcomes.

    .. math:: \psi(\rho) = 1 + 2 \sum_{k=1}^{T-1} (1 - k / T) \frac{2}{\pi} \arcsin \rho^k

    with :math:`\rho^k` the correlation of numbers k times apart.
    """
    result = np.ones(len(rho))
    for i, r in enumerate(rho.tolist()):
        if r > 0:
            most = min(times - 1, math.ceil(math.log(NOTHING) / math.log(r)))
            k = np.arange(1, most + 1)
            result[i] += 4 / math.pi * float((1 - k / times) @ np.arcsin(r**k))
    return result


def rho_of(psi: float, times: int) -> float:
    """Return the correlation that makes sums vary so much; 0 if no more than independent ones."""
    from scipy.optimize import brentq

    if not psi > 1:
        return 0.0
    if psi >= psi_of(np.array([MOST]), times)[0]:
        return MOST
    return float(brentq(lambda r: psi_of(np.array([r]), times)[0] - psi, 0, MOST, xtol=1e-13))


@dataclass(frozen=True, eq=False)
class Latent:
    """Standard normal numbers, one a case, that depend on one another in time.

    A number is that of its time, in part, and one of its own. Both follow an autoregression: of the
    own ones, from the case of a slot to its next, a slot being a cluster, or a rank at each time.

    Attributes
    ----------
    time, slot : numpy array
        The time and the slot of each case.
    times : int
        The number of times.
    same : float
        The correlation of the outcomes of two cases of one time; 1 if there are none.
    psi, degrees : float
        By how much sums vary, and how well that is known.
    """

    time: Column
    slot: Column
    times: int
    same: float
    psi: float
    degrees: float

    @property
    def shared(self) -> float:
        r"""How much the normal numbers of two cases of one time are correlated.

        If theirs have the correlation s, their outcomes have about :math:`2 / \pi \arcsin s`.
        """
        return math.sin(math.pi / 2 * self.same)

    @cached_property
    def run(self) -> int:
        r"""How many neighbouring times depend on one another as a whole.

        Of so many times L with the correlation :math:`\gamma` of neighbours, sums vary as much:
        :math:`\psi = 1 + (L - 1) \gamma`. With no dependence three is the limit.
        """
        rho, least = rho_of(self.psi, self.times), -(-self.times // TIMES)
        if rho > 0:
            length = round(1 + (self.psi - 1) / (2 / math.pi * math.asin(rho)))
            return max(least, min(length, self.times // 2))
        return least if self.same < 1 else max(least, 3)

    @cached_property
    def _table(self) -> tuple[Column, Column]:
        """Tabulate psi, evenly in the logarithm of one minus the correlation."""
        rho = -np.expm1(np.linspace(0, math.log(1 - MOST), TABULATED))
        return psi_of(rho, self.times), rho

    @cached_property
    def _own_order(self) -> Column | None:
        """The order of own numbers; None if no time has two cases."""
        if not (np.diff(np.sort(self.time)) == 0).any():
            return None
        return np.lexsort((self.time, self.slot))

    @cached_property
    def _in_order(self) -> bool:
        return len(self.time) == self.times and bool((np.diff(self.time) == 1).all())

    def among(self, rows: Column) -> Latent:
        """Draw the numbers of some cases only."""
        return replace(self, time=self.time[rows], slot=self.slot[rows])

    def draw(self, rng: np.random.Generator) -> Column:
        """Draw a number for each case.

        Psi is known to a few degrees of freedom only, so each draw has one of its own.
        """
        psi = self.psi * self.degrees / rng.chisquare(self.degrees)
        rho = float(np.interp(psi, *self._table))
        common = _autoregression(self.times, rho, rng)
        if self._own_order is None:
            # One case a time is all that it shares with others.
            return common if self._in_order else common[self.time]
        own = np.empty(len(self.time), dtype=np.float32)
        own[self._own_order] = _autoregression(len(self.time), rho, rng)
        if self.shared:
            own *= np.float32(math.sqrt(1 - self.shared))
            own += (np.float32(math.sqrt(self.shared)) * common)[self.time]
        return own


def _autoregression(times: int, rho: float, rng: np.random.Generator) -> Column:
    r"""Draw a stationary series of normal numbers with a correlation from each to the next.

    With L what takes the number before, :math:`1 / (1 - \rho L)` is the product of all
    :math:`1 + \rho^k L^k` for k = 1, 2, 4, .., of which few matter. In single precision, which
    halves the work and moves a probability by less than 1e-7.
    """
    series = rng.standard_normal(times, dtype=np.float32)
    # The first number is as likely as any other, so it is not to be scaled down.
    series[1:] *= np.float32(math.sqrt(1 - rho * rho))
    k, factor = 1, rho
    while k < times and factor > SINGLE:
        series[k:] += np.float32(factor) * series[:-k]
        k, factor = 2 * k, factor * factor
    return series
