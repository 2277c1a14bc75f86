"""Replicates of the bootstrap: how often each case, cluster or time is drawn.

Data drawn with replacement are the same data with other weights, so a replicate is a row of counts.
A `BootstrapSample` says what is drawn from, unit by unit, and draws the counts.

References
----------
.. [1] D. N. Politis, J. P. Romano (1994). The stationary bootstrap. Journal of the American
   Statistical Association 89:1303-1313. doi:10.1080/01621459.1994.10476870.
.. [2] D. N. Politis, H. White (2004). Automatic block-length selection for the dependent bootstrap.
   Econometric Reviews 23:53-70. doi:10.1081/ETC-120028836. Corrected by A. Patton, D. N. Politis,
   H. White (2009), Econometric Reviews 28:372-375. doi:10.1080/07474930802459016.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from properly._boundary._libraries import infinities, to_numpy
from properly._boundary._notices import notice
from properly._boundary._text import many
from properly._boundary._tolerances import CANCELLED
from properly.counts._cases import Cases, rows_in_use
from properly.counts._tally import Tally
from properly.errors import DataError
from properly.inference._cells import batches
from properly.inference._design import Design
from properly.inference._draws import require_counts
from properly.inference._variance import autocovariances
from properly.typing import Column

# With fewer cases a kind than this, drawing cases is faster than drawing counts.
FEW = 8
# So many small autocorrelations in a row say that dependence has ended.
RUN = 5
# A level such as 0.9 is not exact, and must not cost a place among the draws.
SLACK = 1e-12
Kind: TypeAlias = Literal["cases", "clusters", "blocks"]
# With fewer clusters, or fewer times, drawing them says too little about how they vary.
FEWEST = 20


def counts_of_units(size: Column, replicates: int, rng: np.random.Generator) -> Iterator[Column]:
    """Yield how often each unit is drawn, a row a replicate, some rows at a time.

    Of each stratum as many are drawn as it has, which is its entry of `size`; those of a stratum
    are neighbours.
    """
    units = int(size.sum())
    first, last = np.zeros((), dtype=np.int64), np.asarray(units)
    if len(size) > 1:
        last = np.repeat(np.cumsum(size), size)
        first = last - np.repeat(size, size)
    for some in batches(replicates, units):
        yield _counted(rng.integers(first, last, (some, units)), units)


def counts_of_kinds(number: Column, replicates: int, rng: np.random.Generator) -> Iterator[Column]:
    """Do the same for kinds of cases that are alike, of which there are so many each."""
    total, kinds = int(number.sum()), len(number)
    if total > FEW * kinds:
        share = number / total
        for some in batches(replicates, kinds):
            yield rng.multinomial(total, share, some)
        return
    kind = np.repeat(np.arange(kinds), number)
    for some in batches(replicates, total):
        yield _counted(kind[rng.integers(0, total, (some, total))], kinds)


def counts_of_blocks(
    times: int, length: float, replicates: int, rng: np.random.Generator
) -> Iterator[Column]:
    """Do the same for times in blocks: each goes on with the next, or begins anew at any time.

    The first time follows the last one, so that all are drawn equally often. Blocks end with one
    over their mean length as probability.
    """
    place = np.arange(times)
    for some in batches(replicates, times):
        begins = rng.random((some, times)) < 1 / length
        begins[:, 0] = True
        start = rng.integers(0, times, (some, times))
        # A place belongs to the block that began last.
        began = np.maximum.accumulate(np.where(begins, place, 0), axis=1)
        drawn = np.take_along_axis(start, began, axis=1) + place - began
        yield _counted(drawn % times, times)


def _counted(drawn: Column, units: int) -> Column:
    """Count how often each unit is in each row; the array of what was drawn is used up."""
    some = len(drawn)
    drawn += np.arange(some)[:, None] * units
    return np.bincount(drawn.ravel(), minlength=some * units).reshape(some, units)


def best_block(series: Column) -> float:
    r"""Return the mean length of blocks that serves the mean of a series best.

    It is not rounded, and below 1 if values hardly depend on those before. Let :math:`R(k)` be the
    autocovariance at lag k of T values, and m the first lag from which 5 autocorrelations in a row
    are smaller than :math:`2 \sqrt{\log_{10} T / T}` in size. With :math:`M = 2 m`, at most
    :math:`\lceil \sqrt T \rceil + 5`, and :math:`\lambda(a) = \min(1, 2 (1 - a))`,

    .. math::

        b = \Big(\frac{\sum_k \lambda(|k| / M) \, |k| \, R(k)}{\sum_k \lambda(|k| / M) \, R(k)}
        \Big)^{2/3} T^{1/3} , \qquad |k| \le M ,

    at most :math:`\lceil \min(3 \sqrt T, T / 3) \rceil` [1]_ [2]_. This is what the package arch
    computes; the m of the paper is one less, and its autocorrelations are :math:`R(k) / R(0)`.

    Examples
    --------
    >>> import numpy as np
    >>> weekly = np.repeat(np.random.default_rng(1).normal(size=30), 7)
    >>> round(best_block(weekly), 1)
    10.5
    """
    times = len(series)
    run = max(RUN, int(math.log10(times)))
    most = math.ceil(math.sqrt(times)) + run
    away = series - series.mean()
    if np.abs(away).max() <= CANCELLED * np.abs(series).max():
        return 1.0  # what does not vary does not depend either
    covariance = autocovariances(away, most)
    lags = min(2 * _end_of_dependence(away, covariance * times, run), most)
    lag = np.arange(1, lags + 1)
    part = np.minimum(1, 2 * (1 - lag / lags)) * covariance[1 : lags + 1]
    level, slope = covariance[0] + 2 * part.sum(), 2 * lag @ part
    longest = float(math.ceil(min(3 * math.sqrt(times), times / 3)))
    if level == 0:
        return longest
    return min(float(np.cbrt((slope / level) ** 2 * times)), longest)


def _end_of_dependence(away: Column, products: Column, run: int) -> int:
    """Find the first lag, 1 or more, of a run of small autocorrelations; all lags if none is.

    Products of values so many places apart are divided by what the squares of both stretches add
    up to, the last pair left out, as the package arch does.
    """
    times, most = len(away), len(products)
    stretches = [np.cumsum(x**2)[times - 2 :: -1][:most] for x in (away, away[::-1])]
    with infinities():
        correlation = np.abs(products) / np.sqrt(stretches[0] * stretches[1])
    small = correlation[1:-1] < 2 * math.sqrt(math.log10(times) / times)
    runs = np.lib.stride_tricks.sliding_window_view(small, run).all(axis=1)
    return int(runs.argmax()) + 1 if runs.any() else most


def require_enough(
    level: float, replicates: int, *, ends: int = 2, what: str = "an interval"
) -> None:
    """Refuse so few replicates that none would lie beyond the end of an interval, or either end."""
    if _rank(level, replicates, ends) < 1:
        least = math.ceil(ends / (1 - level) * (1 - SLACK)) - 1
        message = (
            f"{what} of level {level:g} needs {least:,} replicates or more; got {replicates:,}"
        )
        raise DataError(message)


def quantiles(draws: Column, level: float) -> tuple[float, float]:
    """Return the draws as many places from the least and the greatest as the level asks for.

    What is undefined may lie beyond either end, and is taken to.
    """
    rank, undefined = _rank(level, len(draws)), np.isnan(draws)
    lower, upper = (np.sort(np.where(undefined, x, draws)) for x in (-math.inf, math.inf))
    return float(lower[rank - 1]), float(upper[-rank])


def _rank(level: float, replicates: int, ends: int = 2) -> int:
    """Return the place of the lower quantile among the draws, from 1; 0 if they are too few."""
    return math.floor((replicates + 1) * (1 - level) / ends * (1 + SLACK))


@dataclass(frozen=True, eq=False)
class BootstrapSample:
    """What is drawn from.

    Attributes
    ----------
    source : Tally or Cases
        Where it comes from.
    y, p, weight : numpy array
        The rows of positive weight. Those of a tally are kinds of cases, each of weight 1.
    unit : numpy array
        The number of the unit that each row belongs to; units of one stratum are neighbours.
    number : numpy array
        How often each unit is there.
    size : numpy array
        The number of units in each stratum.
    kind, design : str
        What is drawn, and how cases were taken to be sampled.
    """

    source: Tally | Cases
    y: Column
    p: Column
    weight: Column
    unit: Column
    number: Column
    size: Column
    kind: Kind
    design: str

    def counts(
        self, length: float | None, replicates: int, rng: np.random.Generator
    ) -> Iterator[Column]:
        """Yield how often each unit is drawn, if need be in blocks of a mean length."""
        if length is not None:
            return counts_of_blocks(len(self.number), length, replicates, rng)
        if isinstance(self.source, Tally):
            return counts_of_kinds(self.number, replicates, rng)
        return counts_of_units(self.size, replicates, rng)

    @property
    def strata(self) -> list[slice]:
        """Where the units of each stratum are."""
        last = np.cumsum(self.size).tolist()
        return [slice(stop - size, stop) for stop, size in zip(last, self.size, strict=True)]

    def add_up(self, amount: Column) -> Column:
        """Add amounts of rows up over each unit."""
        return np.bincount(self.unit, amount, len(self.number))


def sample_of(source: Tally | Cases) -> BootstrapSample:
    """Give what is to be drawn numbers: kinds of cases, cases, whole clusters, or times."""
    if isinstance(source, Tally):
        return _kinds_of(source)
    y, p, weight, _ = rows_in_use(source)
    design = Design.of(source)
    if design.is_panel:
        message = "what is drawn is whole clusters or blocks of times; these cases have both"
        raise DataError(message, hint="give one of the two.")
    unit, kind = _units_of(design)
    stratum = design.stratum_of_units()
    if design.stratum is not None:
        # Units move next to the others of their stratum.
        unit = np.argsort(np.argsort(stratum, kind="stable"), kind="stable")[unit]
    size = np.bincount(stratum)
    once = np.ones(design.units, dtype=np.int64)
    return BootstrapSample(source, y, p, weight, unit, once, size, kind, design.text)


def _units_of(design: Design) -> tuple[Column, Kind]:
    if design.time is not None:
        if design.units < FEWEST:
            message = f"blocks of times need at least {FEWEST} different times; got {design.units}"
            raise DataError(message, hint="leave out time= to take the cases as independent.")
        return design.time, "blocks"
    if design.cluster is None:
        return np.arange(len(design.weight)), "cases"
    if design.units < FEWEST:
        message = (
            f"drawing clusters says too little with fewer than about {FEWEST}; got {design.units}"
        )
        notice(message)
    return design.cluster, "clusters"


def _kinds_of(tally: Tally) -> BootstrapSample:
    """Take cases of one forecast and one outcome as alike: events first, then all others."""
    require_counts(tally)
    value, weight, events = map(to_numpy, (tally.value, tally.weight, tally.events))
    number = np.concatenate([events, weight - events])
    used = np.flatnonzero(number)
    kinds = len(used)
    y, p = used < len(value), value[used % len(value)]
    text = many(int(weight.sum()), "independent case")
    one, size = np.ones(kinds), np.array([kinds])
    return BootstrapSample(tally, y, p, one, np.arange(kinds), number[used], size, "cases", text)
