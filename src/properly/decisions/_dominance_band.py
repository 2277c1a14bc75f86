"""Two forecasts of the same cases at some thresholds: who is judged differently, and how sure.

With the threshold between its two forecasts, a case is acted upon by one and not by the other. Its
cost there differs by plus or minus what a mistake costs, and elsewhere by nothing. So cases with
the same outcome and the same thresholds between their forecasts are alike, and sums over cases are
cumulated from where each begins and ends to differ: no case needs a number for each threshold.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from properly._boundary._arrays import check_forecasts
from properly._boundary._libraries import to_numpy
from properly._boundary._options import check_choice
from properly.decisions._murphy_bands import ENOUGH, GRID
from properly.errors import DataError
from properly.inference._replicates import best_block
from properly.inference._variance import covariance

if TYPE_CHECKING:
    from collections.abc import Iterator

    from properly._boundary._options import Drawing
    from properly.inference._design import Design
    from properly.rules._interval import Interval
    from properly.typing import ArrayLike, Column


# More thresholds than this show hardly more, and take memory squared.
MOST = 200
# A range that holds fewer points of the usual grid gets one of its own.
ENOUGH_POINTS = 100
# With fewer blocks of times, their spread is hardly known.
LEAST_BLOCKS = 10
# A variance smaller than this, on the scale of that of a mean cost, is one of rounding alone.
ROUNDING = 1e-12
# Clusters whose sums are held at a time, each with as many numbers as there are thresholds.
BATCH = 4096


@dataclass(frozen=True, eq=False)
class Pairs:
    """Two forecasts of each case, as seen from thresholds.

    Attributes
    ----------
    threshold : numpy array
        In increasing order. One acts if the forecast is the threshold or more.
    begin, end : numpy array
        The first threshold above the smaller forecast, and above the greater one: from the one to
        before the other, the case is judged differently. Both are 0 if it never is.
    sign : numpy array
        1 if the first forecast is the greater one, else -1.
    happened : numpy array
        Whether the event happened.
    """

    threshold: Column
    begin: Column
    end: Column
    sign: Column
    happened: Column

    @classmethod
    def of(cls, threshold: Column, first: Column, second: Column, happened: Column) -> Pairs:
        """Find the thresholds between two forecasts."""
        one, other = (np.searchsorted(threshold, p, side="right") for p in (first, second))
        begin, end = np.minimum(one, other), np.maximum(one, other)
        # Cases that never differ are all alike.
        begin[one == other] = end[one == other] = 0
        return cls(threshold, begin, end, np.where(one > other, 1, -1), happened)

    def differing(self, unit: Column | None = None) -> tuple[Column, Column]:
        """Count the non-events, and the events, that are judged differently at each threshold.

        Of units, such as clusters, they count as so many as there would be units if each had as
        many of them: the square of their sum over the sum of their squares.
        """
        label = self.happened.astype(np.intp)
        counts = self.between(np.ones(len(label)), label, 2)
        if unit is not None:
            squares = np.zeros_like(counts)
            for rows, here, size in _batches(unit):
                number = self.some(rows).between(
                    np.ones(len(rows)), 2 * here + label[rows], 2 * size
                )
                squares += np.square(number).reshape(size, 2, -1).sum(axis=0)
            counts = counts**2 / np.maximum(squares, 1)
        return counts[0], counts[1]

    def sums(self, amount: Column, label: Column, size: int) -> Column:
        """Add up by how much the first forecast costs more: a row a label, a column a threshold."""
        signed = amount * self.sign
        in_vain = self.between(np.where(self.happened, 0.0, signed), label, size)
        caught = self.between(np.where(self.happened, signed, 0.0), label, size)
        return np.asarray(2 * (self.threshold * in_vain - (1 - self.threshold) * caught))

    def over_thresholds(self) -> Column:
        """Return by how much the first forecast of each case costs more, in the mean."""
        upto = (np.append(0, np.cumsum(x)) for x in (self.threshold, 1 - self.threshold))
        in_vain, caught = (2 * self.sign * (x[self.end] - x[self.begin]) for x in upto)
        return np.asarray(np.where(self.happened, -caught, in_vain) / len(self.threshold))

    def some(self, rows: Column) -> Pairs:
        """Keep some of the cases."""
        kept = (x[rows] for x in (self.begin, self.end, self.sign, self.happened))
        return Pairs(self.threshold, *kept)

    def at(self, which: Column) -> Pairs:
        """Keep some of the thresholds."""
        place = np.append(0, np.cumsum(which))
        begin, end = place[self.begin], place[self.end]
        never = begin == end
        begin[never] = end[never] = 0
        return replace(self, threshold=self.threshold[which], begin=begin, end=end)

    def between(self, amount: Column, label: Column, size: int) -> Column:
        wide = len(self.threshold) + 1
        net = np.bincount(label * wide + self.begin, amount, size * wide)
        net -= np.bincount(label * wide + self.end, amount, size * wide)
        found: Column = np.cumsum(net.reshape(size, wide), axis=1)[:, :-1]
        return found


@dataclass(frozen=True, eq=False)
class Sampled:
    """Pairs, the share of each case in all weight, and the mean by which costs differ."""

    pairs: Pairs
    share: Column
    mean: Column

    @classmethod
    def of(cls, pairs: Pairs, weight: Column) -> Sampled:
        """Take the mean of the cases; it is 0 where all are judged alike, without rounding."""
        label, total = np.zeros(len(weight), dtype=np.intp), weight.sum()
        mean = pairs.sums(weight, label, 1)[0] / total
        mean[sum(pairs.differing()) == 0] = 0.0
        return cls(pairs, weight / total, mean)

    def influences(self) -> Column:
        """Return how much each case adds to the mean difference over all thresholds."""
        much = self.pairs.over_thresholds()
        return np.asarray(self.share * (much - self.share @ much))

    def most(self) -> Column:
        """Return the variance of independent costs that always differ as much as they can."""
        cost = 2 * np.maximum(self.pairs.threshold, 1 - self.pairs.threshold)
        return np.asarray(cost**2 * (self.share @ self.share))

    def covariance(self, unit: Column | None, stratum: Column | None) -> Column:
        """Find the covariance of the mean differences at any two thresholds.

        It is the one of `properly.inference._variance.covariance`, which would need an influence
        for each case and threshold.

        Parameters
        ----------
        unit : numpy array or None
            The number of each case's cluster, or block of times; None if cases are independent.
        stratum : numpy array or None
            The number of its stratum, in which there are at least two units.
        """
        first = slice(None) if unit is None else np.unique(unit, return_index=True)[1]
        group = np.zeros(len(self.share), dtype=np.intp) if stratum is None else stratum
        units = np.bincount(group[first])
        amount = self.share * np.sqrt(units / (units - 1))[group]
        found = self._alike(amount) if unit is None else self.squares(amount, unit)
        if stratum is None:
            return found
        # That strata differ in their means is not what makes units vary.
        return found - self.squares(amount / np.sqrt(units)[group], group)

    def _alike(self, amount: Column) -> Column:
        """Add up the squares of independent cases, of all those that are alike at once."""
        pairs, wide = self.pairs, len(self.mean) + 1
        kind = ((pairs.begin * wide + pairs.end) * 2 + (pairs.sign > 0)) * 2 + pairs.happened
        _, row, label = np.unique(kind, return_index=True, return_inverse=True)
        together = np.sqrt(np.bincount(label, amount**2))
        return replace(self, pairs=pairs.some(row)).squares(together, np.arange(len(row)))

    def squares(self, amount: Column, label: Column) -> Column:
        """Add up the squares of the sums over the cases of a label, for any two thresholds."""
        found = np.zeros((len(self.mean),) * 2)
        for rows, here, size in _batches(label):
            total = self.pairs.some(rows).sums(amount[rows], here, size)
            total -= np.outer(np.bincount(here, amount[rows], size), self.mean)
            found += total.T @ total
        return found


def _batches(label: Column) -> Iterator[tuple[Column, Column, int]]:
    """Yield the cases of some labels at a time: their rows, and labels from 0 to how many."""
    labels, order = int(label.max()) + 1, np.argsort(label, kind="stable")
    edges = range(0, labels, BATCH)
    start = np.searchsorted(label[order], edges)
    for edge, rows in zip(edges, np.split(order, start[1:]), strict=True):
        yield rows, label[rows] - edge, min(BATCH, labels - edge)


class Contrast(NamedTuple):
    """The difference at each threshold, its standard error, and how far all of them may be off.

    The error is NaN where too few cases are judged differently, or where these do not vary.
    """

    difference: Column
    standard_error: Column
    quantile: float
    degrees: float
    block_length: int | None


def contrast(pairs: Pairs, design: Design, drawing: Drawing, length: int | None) -> Contrast:
    """Compare two forecasts at each threshold, and find a quantile for all of these at once."""
    sample = Sampled.of(pairs, design.weight)
    influence = sample.influences()
    # This also refuses designs that cannot say how far off an estimate may be.
    degrees, unit = covariance(influence[None], design).degrees, design.cluster
    if design.time is not None:
        series = np.bincount(design.time, influence)
        length = _length(series) if length is None else length
        blocks = max(len(series) // length, 2)
        unit, degrees = design.time * blocks // len(series), blocks - 1
    if unit is not None and unit.max() + 1 == len(unit):
        unit = None  # a cluster of one case is a case
    error, quantile = np.full(len(sample.mean), np.nan), math.nan
    enough = np.minimum(*pairs.differing(unit)) >= ENOUGH
    if enough.any():
        some = Sampled.of(pairs.at(enough), design.weight)
        matrix = some.covariance(unit, design.stratum)
        known = np.diagonal(matrix) > ROUNDING * some.most()
        matrix = matrix[np.ix_(known, known)]
        error[np.flatnonzero(enough)[known]] = np.sqrt(np.diagonal(matrix))
        if known.any():
            quantile = greatest(matrix, degrees, drawing)
    return Contrast(sample.mean, error, quantile, degrees, length)


def _length(series: Column) -> int:
    """Choose how many times to take together, from how the mean difference depends on time."""
    chosen = math.ceil(best_block(series, circular=True))
    return max(1, min(chosen, len(series) // LEAST_BLOCKS))


def greatest(matrix: Column, degrees: float, drawing: Drawing) -> float:
    """Return the quantile of the greatest of several errors, each in multiples of its own spread.

    Sums of influences with normal factors are normal with the covariance of the influences, so
    they are drawn from that. A common divisor makes each of them one of Student's t, which the
    greatest of them exceeds. The square root of the matrix is the symmetric one, which does not
    depend on the signs of eigenvectors.
    """
    from scipy.special import stdtrit

    level, replicates, rng = drawing
    alone, error = float(stdtrit(degrees, (1 + level) / 2)), np.sqrt(np.diagonal(matrix))
    if len(error) == 1:
        return alone
    value, vector = np.linalg.eigh(matrix / np.outer(error, error))
    root = (vector * np.sqrt(np.maximum(value, 0))) @ vector.T
    drawn = np.abs(rng.standard_normal((replicates, len(error))) @ root).max(axis=1)
    drawn /= np.sqrt(rng.chisquare(degrees, replicates) / degrees)
    return max(alone, float(np.quantile(drawn, level, method="weibull")))


def choose_thresholds(
    thresholds: ArrayLike | str | None, within: Interval, forecasts: Column
) -> Column:
    """Choose thresholds, or check the user's: in order, inside of the range, and not too many."""
    if isinstance(thresholds, str):
        check_choice(thresholds, ("quantiles",), "thresholds, unless they are numbers,")
        inside = _inside(forecasts, within)
        share = (np.arange(MOST) + 0.5) / MOST
        return np.unique(np.quantile(inside, share, method="inverted_cdf"))
    if thresholds is not None:
        found = np.unique(to_numpy(check_forecasts(thresholds, "thresholds")).astype(np.float64))
        if len(found) > MOST:
            message = f"there must be at most {MOST} thresholds; got {len(found):,}"
            raise DataError(message, hint='thresholds="quantiles" chooses from the forecasts.')
        return _inside(found, within)
    found = np.array([t for t in GRID if t in within])
    if len(found) < ENOUGH_POINTS:
        evenly = np.linspace(within.lower, within.upper, ENOUGH_POINTS + 1)
        found = np.clip(np.round(evenly, 12), within.lower, within.upper)
    return _inside(found, within)


def _inside(threshold: Column, within: Interval) -> Column:
    """Leave out what lies outside of the range, and 0 and 1, where there is nothing to decide."""
    low, high = within.lower, within.upper
    found = threshold[(threshold >= low) & (threshold <= high) & (threshold > 0) & (threshold < 1)]
    if not len(found):
        message = (
            f"thresholds must lie in the range from {low:g} to {high:g}, 0 and 1 left out; "
            f"got none of {len(threshold):,} there"
        )
        raise DataError(message)
    return found
