"""Bands around a curve, and the quantiles of resampled curves."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Any, ClassVar, Literal, TypeAlias

import numpy as np

from properly._boundary._chunks import share_out
from properly._boundary._record import Record, plain
from properly._boundary._text import many
from properly.counts._isotonic import refit, refit_sequences
from properly.inference._cells import RandomCells
from properly.inference._draws import Counts, Sampler, fast_stream
from properly.typing import Floats

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from properly._boundary._options import Drawing


# Cases that are drawn together: enough to forget what a call costs.
BATCH = 1 << 19
# Shares of the work that may be done side by side.
SHARES = 4
Kind: TypeAlias = Literal["consistency", "confidence", "simultaneous"]


@dataclass(frozen=True, eq=False, repr=False)
class Band(Record):
    """Lower and upper bounds along a curve.

    Attributes
    ----------
    x : array
        Where the bounds are given, in increasing order.
    lower, upper : array
        The bounds at each `x`; NaN where there is nothing to be said.
    method : str
        How they were found.
    level : float
        Coverage aimed at: at each point, or of the whole curve if the band is simultaneous.
    kind : str
        ``"consistency"``: where a curve would lie if the forecasts were calibrated.
        ``"confidence"``: where the true curve may lie, point by point.
        ``"simultaneous"``: where all of the true curve lies at once.
    replicates : int or None
        Random replicates, if there were any.
    steps : bool
        Whether bounds are steps (an upper bound holds for all lower forecasts too, a lower bound
        for all higher ones) rather than straight lines between the points.

    Examples
    --------
    >>> import properly
    >>> t = properly.tally([0, 1, 0, 1], [0.1, 0.3, 0.6, 0.9])
    >>> band = properly.reliability(t, band="simultaneous").band
    >>> band
    Band(95 % simultaneous, cells, at 4 points)
    """

    x: Floats
    lower: Floats
    upper: Floats
    method: str
    level: float
    kind: Kind
    replicates: int | None = None
    steps: bool = False

    _series: ClassVar = ("x", "lower", "upper")

    def __repr__(self) -> str:
        return (
            f"Band({100 * self.level:.4g} % {self.kind}, {self.method}, "
            f"at {many(len(self.x), 'point')})"
        )

    def at(self, x: ArrayLike) -> tuple[Floats, Floats]:
        """Return the bounds at other points.

        Between its points a pointwise band is straight, and beyond them it is NaN. A simultaneous
        band holds everywhere: its upper bound is that of the next point at or above, its lower
        bound that of the last point at or below.
        """
        x = np.asarray(x, dtype=np.float64)
        if not self.steps:
            # At the end of a curve that jumps there, the limit from inside is the one that counts.
            end, last = self.x[-1], np.searchsorted(self.x, self.x[-1])
            lower, upper = (
                np.where(x == end, b[last], np.interp(x, self.x, b, left=np.nan, right=np.nan))
                for b in (self.lower, self.upper)
            )
            return lower, upper
        above = np.searchsorted(self.x, x, side="left")
        below = np.searchsorted(self.x, x, side="right")
        nowhere = np.isnan(x)
        lower, upper = np.append(0, self.lower)[below], np.append(self.upper, 1)[above]
        return np.where(nowhere, np.nan, lower), np.where(nowhere, np.nan, upper)

    def outline(self) -> tuple[Floats, Floats, Floats]:
        """Return x, lower and upper as corners to draw straight lines between."""
        if not self.steps:
            return self.x, self.lower, self.upper
        x = np.concatenate([[0], np.repeat(self.x, 2), [1]])
        return x, np.repeat(np.append(0, self.lower), 2), np.repeat(np.append(self.upper, 1), 2)

    def outside(self) -> list[tuple[float, float]]:
        """Return the ranges, with forecasts in them or not, in which the diagonal leaves the band.

        Where it leaves a simultaneous band, the forecasts are miscalibrated: all of these
        statements hold together with the confidence of the band's level.
        """
        x, lower, upper = self.outline()
        ranges = [r for bound in (x - upper, lower - x) for r in _positive(x, bound)]
        merged: list[tuple[float, float]] = []
        for start, stop in sorted(ranges):
            if merged and start <= merged[-1][1]:
                start, stop = merged[-1][0], max(stop, merged.pop()[1])  # noqa: PLW2901
            merged.append((start, stop))
        return merged

    def _columns(self) -> dict[str, list[Any]]:
        columns: dict[str, list[Any]] = plain(super()._columns())
        return columns


def _positive(x: Floats, height: Floats) -> list[tuple[float, float]]:
    """Find where a line through points is above zero, piece by piece."""
    result = []
    for x1, x2, h1, h2 in zip(x[:-1], x[1:], height[:-1], height[1:], strict=True):
        if x1 < x2 and max(h1, h2) > 0:
            zero = x1 if h1 == h2 else x1 - h1 * (x2 - x1) / (h2 - h1)
            result.append((x1 if h1 > 0 else zero, x2 if h2 > 0 else zero))
    return [(float(start), float(stop)) for start, stop in result if start < stop]


def resampled_bounds(
    sampler: Sampler, x: Floats, probability: Floats, recalibrated: Floats, drawing: Drawing
) -> tuple[Floats, Floats]:
    """Draw cases and outcomes, refit, and take quantiles of the curves at each x.

    A point beyond the forecasts of a replicate has no value there; the quantiles are of the others.
    """
    if isinstance(sampler, Counts) and sampler.few_a_forecast:
        curves = _curves_in_batches(sampler, x, probability, drawing)
    else:
        stream, count = fast_stream(drawing.rng), len(sampler.value)
        drawn: Iterable[Any] = (
            sampler.tables(probability, drawing.replicates, stream, recalibrated)
            if isinstance(sampler, RandomCells)
            else sampler.draws(probability, drawing.replicates, stream, recalibrated)
        )
        fits = (refit(*draw) for draw in drawn)
        each = (fit.curves(sampler.value[fit.corners % count], x) for fit in fits)
        curves = np.stack(list(chain.from_iterable(each)))
    return pointwise_bounds(curves, drawing.level)


def _curves_in_batches(counts: Counts, x: Floats, probability: Floats, drawing: Drawing) -> Floats:
    """Draw and refit many replicates at a time, and some of these side by side.

    Each share of the work has a stream of its own, so what is drawn does not depend on threads.
    """
    together = max(1, BATCH // int(counts.weight.sum()))
    shares = [
        (_even_parts(size, together), fast_stream(drawing.rng))
        for size in _even_parts(drawing.replicates, -(-drawing.replicates // SHARES))
    ]

    def curves(share: tuple[list[int], np.random.Generator]) -> list[Floats]:
        result = []
        for drawn in counts.sequences(probability, *share):
            fits = refit_sequences(drawn.happened)
            replicate, case = np.divmod(fits.corners, drawn.forecast.shape[1])
            result += fits.curves(counts.value[drawn.forecast[replicate, case]], x)
        return result

    return np.stack([curve for result in share_out(curves, shares) for curve in result])


def _even_parts(whole: int, most: int) -> list[int]:
    """Cut a number into parts as equal as can be, none of them larger than the most allowed."""
    count = -(-whole // most)
    return [(whole + i) // count for i in range(count)]


def pointwise_bounds(curves: Floats, level: float) -> tuple[Floats, Floats]:
    """Return the quantiles that leave out equal shares at either side, NaN left out of account."""
    tails = np.array([(1 - level) / 2, (1 + level) / 2])
    missing = np.isnan(curves).sum(axis=0)
    every, some = missing == 0, (missing > 0) & (missing < len(curves))
    bounds = np.full((2, curves.shape[1]), np.nan)
    place = tails * (len(curves) - 1)
    below = place.astype(int)
    above = np.minimum(below + 1, len(curves) - 1)

    def quantiles(columns: Floats) -> Floats:
        # Transposed, so that the replicates of a point are neighbours.
        ordered = np.ascontiguousarray(columns.T)
        ordered.partition(np.concatenate([below, above]), axis=1)
        low = ordered[:, below]
        result: Floats = (low + (place - below) * (ordered[:, above] - low)).T
        return result

    if every.any():
        # A curve lacks points at the ends alone; event rates of bins that lack some follow below.
        first, last = np.flatnonzero(every)[[0, -1]]
        inside = slice(first, last + 1)
        pieces = np.array_split(curves[:, inside], SHARES, axis=1)
        bounds[:, inside] = np.concatenate(share_out(quantiles, pieces), axis=1)
    bounds[:, some] = np.nanquantile(curves[:, some], tails, axis=0)
    return bounds[0], bounds[1]
