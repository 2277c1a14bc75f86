"""Isotonic maps: straight lines through the centres of the bins of a reliability diagram."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple, Self, get_args

import numpy as np

from properly._boundary._infinities import infinities
from properly._boundary._libraries import is_numpy, namespace, read_only, to_library_of, to_numpy
from properly._boundary._options import as_number, check_choice
from properly.counts._isotonic import recalibrate
from properly.errors import DataError
from properly.recalibration._log_odds_maps import few_notes
from properly.recalibration._map import Map
from properly.recalibration._training import (
    Sample,
    Training,
    require_both_outcomes,
)

if TYPE_CHECKING:
    from properly.counts._tally import Tally
    from properly.typing import Array, Column

Interpolation = Literal["linear", "step", "flat"]


class Knots(NamedTuple):
    """Forecasts, increasing, and what they become."""

    p: Column
    q: Column


def as_knots(make: Any, given: Any) -> Any:
    """Take columns of probabilities, by name or in order; the first increases, no other falls."""
    columns = make(**given) if isinstance(given, Mapping) else make(*given)
    columns = make(*(read_only(np.array(x, dtype=np.float64)) for x in columns))
    shapes = [x.shape for x in columns]
    if len(set(shapes)) > 1 or len(shapes[0]) != 1 or shapes[0] == (0,):
        message = f"knots must be columns of equally many numbers, at least one; got {shapes}"
        raise DataError(message)
    for name, column in columns._asdict().items():
        steps = np.diff(column)
        falls = np.append(False, steps <= 0 if name == "p" else steps < 0)
        order = "increasing" if name == "p" else "never falling"
        outside = ~((column >= 0) & (column <= 1))
        for bad, rule in ((outside, "in [0, 1]"), (falls, order)):
            if bad.any():
                row = int(np.argmax(bad))
                message = f"knots must be {rule}; {name} has {column[row]} in row {row}"
                raise DataError(message)
    return columns


class PooledBins(NamedTuple):
    """The bins of the best increasing recalibration.

    Attributes
    ----------
    first, last : numpy array
        The least and the greatest forecast of each.
    weight, events : numpy array
        Totals of each.
    mean : numpy array
        The mean forecast of each.
    effective : numpy array
        As many cases of equal weight would say as much.
    """

    first: Column
    last: Column
    weight: Column
    events: Column
    mean: Column
    effective: Column


def find_blocks(tally: Tally, sample: Sample) -> PooledBins:
    """Pool adjacent violators, and add up what is in each bin."""
    bins = recalibrate(tally)
    end = to_numpy(bins.end)
    start = np.append(0, end[:-1])
    total, events = (x.astype(np.float64) for x in (bins.weight, bins.events))
    first, last = sample.value[start], sample.value[end - 1]
    mean = np.add.reduceat(sample.weight * sample.value, start) / total
    effective = total
    if tally.event_squares is not None:
        effective = total**2 / np.add.reduceat(sample.squares, start)
    return PooledBins(first, last, total, events, np.clip(mean, first, last), effective)


def shrunk_rates(blocks: PooledBins, shrink: float) -> Column:
    """Draw the rate of each bin towards that of all by some cases; what then falls is pooled."""
    from scipy.optimize import isotonic_regression

    rate = blocks.events / blocks.weight
    if not shrink:
        return rate
    overall = blocks.events.sum() / blocks.weight.sum()
    size = blocks.effective + shrink
    drawn = (blocks.effective * rate + shrink * overall) / size
    result: Column = isotonic_regression(drawn, weights=size).x
    return result


# Equally wide cells of [0, 1], at least so many and no more: a power of two, so that a product
# with it is exact. There are about as many as knots, and few of these in a cell.
LEAST, GREATEST = 14, 20
# Fewer forecasts are found sooner by bisection.
SHORT = 1 << 12


class Lookup(NamedTuple):
    """Knots, and how many of them lie below each of many cells.

    Attributes
    ----------
    knots : numpy array
        Numbers in [0, 1], increasing, and infinity often enough that no cell is read beyond them.
    below : numpy array
        How many knots lie below each cell.
    steps : tuple of ints
        Powers of two, falling: taken or left, they lead past any number of knots in a cell.
    """

    knots: Column
    below: Column
    steps: tuple[int, ...]

    @classmethod
    def of(cls, knots: Column) -> Lookup:
        """Count the knots below each cell."""
        cells = 1 << min(max(len(knots).bit_length(), LEAST), GREATEST)
        inside = np.bincount((knots * cells).astype(np.intp), minlength=cells + 1)
        below = (np.cumsum(inside) - inside).astype(np.int32)
        steps = tuple(1 << k for k in reversed(range(int(inside.max()).bit_length())))
        return cls(np.append(knots, np.full(sum(steps) + 1, np.inf)), below, steps)

    def before(self, p: Column, side: Literal["left", "right"]) -> Column:
        """Count the knots below each number in [0, 1]; on the right, those equal to it as well."""
        if len(p) < SHORT:
            return np.searchsorted(self.knots, p, side=side)
        is_before = np.less if side == "left" else np.less_equal
        row = np.take(self.below, (p * (len(self.below) - 1)).astype(np.int32))
        for step in self.steps:
            row += is_before(np.take(self.knots[step - 1 :], row), p) * np.int32(step)
        return row


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class KnotMap(Map):
    """A map that is a table of forecasts, increasing, and what they become."""

    parameters: ClassVar[tuple[str, ...]] = ("knots",)
    knots: Any = None

    def _fit(self, tally: Tally) -> Self:
        require_fine(tally)
        sample = Sample.of(tally)
        require_both_outcomes(sample)
        knots, notes = self._knots_of(tally, sample)
        return self.learnt(
            few_notes(sample) + notes,
            knots=knots,
            range=(float(sample.value[0]), float(sample.value[-1])),
            training=Training.of(tally),
        )

    def _knots_of(self, tally: Tally, sample: Sample) -> tuple[Any, list[str]]:
        """Find the table, and what is to be noted about it."""
        raise NotImplementedError

    def turns(self) -> Column:
        """Return the forecasts where the map turns, or jumps."""
        return np.empty(0) if self.knots is None else self.knots.p

    def __repr__(self) -> str:
        if self.knots is None:
            return super().__repr__()
        return f"{type(self).__name__}({len(self.knots.p)} knots)"


@dataclass(frozen=True, eq=False, repr=False)
class Isotonic(KnotMap):
    """The best increasing curve, made continuous and never certain.

    The bins of the reliability diagram are joined by straight lines through their mean forecasts,
    as in centred isotonic regression [1]_. Each bin's event rate is first drawn one case towards
    the rate of all, so that none is 0 or 1. Beyond the first and the last bin the map is constant.
    Forecasts of exactly 0 and 1 are numbers like others.

    Parameters
    ----------
    interpolation : {"linear", "step", "flat"}
        Straight lines through the centres of bins; the rate of the nearest bin; or bins as they
        are, with lines between their ends.
    shrink : float
        By how many cases the rate of each bin is drawn towards that of all. With 0 the map may
        give 0 and 1.

    Attributes
    ----------
    knots : Knots or None
        Forecasts, increasing, and what they become.

    References
    ----------
    .. [1] A. P. Oron, N. Flournoy (2017). Centered isotonic regression: point and interval
       estimation for dose-response studies. Statistics in Biopharmaceutical Research 9:258-267.
       `doi:10.1080/19466315.2017.1286256 <https://doi.org/10.1080/19466315.2017.1286256>`__

    Examples
    --------
    >>> import properly
    >>> from properly.recalibration import Isotonic
    >>> tally = properly.Tally.from_counts([0.2, 0.4, 0.7], [19, 19, 19], [3, 9, 15])
    >>> curve = Isotonic().fit(tally)
    >>> curve
    Isotonic(3 knots)
    >>> curve.at([0.0, 0.2, 0.3, 1.0]).round(4)
    array([0.1737, 0.1737, 0.3237, 0.7737])
    """

    kind: ClassVar[str] = "isotonic"
    options: ClassVar[tuple[str, ...]] = ("interpolation", "shrink")
    interpolation: Interpolation = "linear"
    shrink: float = 1.0

    def __post_init__(self) -> None:
        check_choice(self.interpolation, get_args(Interpolation), "interpolation")
        shrink = as_number(self.shrink, "shrink")
        if not 0 <= shrink < np.inf:
            message = f"shrink must be a number of cases, 0 or more; got {self.shrink!r}"
            raise DataError(message)
        object.__setattr__(self, "shrink", shrink)
        if self.knots is not None:
            object.__setattr__(self, "knots", as_knots(Knots, self.knots))

    def _knots_of(self, tally: Tally, sample: Sample) -> tuple[Knots, list[str]]:
        blocks = find_blocks(tally, sample)
        rate = shrunk_rates(blocks, self.shrink)
        sure = rate[0] == 0 or rate[-1] == 1
        note = "some forecasts become exactly 0 or 1: a single error costs infinity"
        return self._through(blocks, rate), [note] if sure else []

    def _through(self, blocks: PooledBins, rate: Column) -> Knots:
        """Return the points that the map goes through."""
        if self.interpolation == "linear":
            p = blocks.mean
        elif self.interpolation == "flat":
            p, rate = np.stack(blocks[:2], axis=1).ravel(), np.repeat(rate, 2)
        else:
            # From halfway between neighbouring bins on, the upper one is the nearer.
            p = np.append(blocks.first[0], (blocks.last[:-1] + blocks.first[1:]) / 2)
        # Rounding may leave two knots at one forecast.
        new = np.append(True, np.diff(p) > 0)
        return Knots(p[new], rate[new])

    def mapped(self, p: Array) -> Array:
        assert self.knots is not None  # noqa: S101, `at` has asked
        x, q = self.knots
        if self.interpolation == "step" or len(x) == 1:
            row = np.maximum(self._table.before(to_numpy(p), "right") - 1, 0)
            return to_library_of(q[row], p)
        if not is_numpy(p):
            return _interpolated(p, x, q)
        if not np.isfinite(self._slopes).all():
            # From one subnormal forecast to the next a rise is steeper than any double.
            return _interpolated(p.astype(np.float64), x, q)
        row = np.clip(self._table.before(p, "right") - 1, 0, len(x) - 2)
        result: Column = np.take(self._slopes, row)
        result *= p - np.take(x, row)
        result += np.take(q, row)
        # Beyond the ends the map is constant, and rounding carries nothing beyond them.
        return np.clip(result, q[0], q[-1], out=result)

    @cached_property
    def _table(self) -> Lookup:
        assert self.knots is not None  # noqa: S101
        return Lookup.of(self.knots.p)

    @cached_property
    def _slopes(self) -> Column:
        assert self.knots is not None  # noqa: S101
        x, q = self.knots
        with infinities():
            slopes: Column = np.diff(q) / np.diff(x)
        return slopes

    def pieces(self) -> list[Any] | None:
        from properly.recalibration._expression import straight_pieces

        if self.interpolation == "step" or self.knots is None:
            return super().pieces()
        return list(straight_pieces(self.knots))

    def _why_no_inverse(self) -> str:
        assert self.knots is not None  # noqa: S101
        x, q = self.knots
        flat = np.flatnonzero(np.diff(q) == 0)
        if len(flat) == 0:
            return f"the map is flat below {x[0]:.4g} and above {x[-1]:.4g}"
        return f"the map is flat between {x[flat[0]]:.4g} and {x[flat[0] + 1]:.4g}"


def _interpolated(p: Array, x: Column, q: Column) -> Array:
    """Interpolate tensors on their device, with gradients."""
    xp = namespace(p)
    knots, values = (xp.astype(to_library_of(v, p), p.dtype) for v in (x, q))
    row = xp.clip(xp.searchsorted(knots, p, side="right") - 1, 0, len(x) - 2)
    left, right = xp.take(knots, row), xp.take(knots, row + 1)
    low, high = xp.take(values, row), xp.take(values, row + 1)
    share = xp.clip((p - left) / (right - left), 0.0, 1.0)
    return low + share * (high - low)


# Forecasts of a cell are taken for their mean: within cells this narrow it hardly matters.
FINE = 1000


def require_fine(tally: Tally) -> None:
    """Refuse forecasts that were grouped into wide cells, whose order inside is lost."""
    if tally.cells is not None and tally.cells < FINE:
        message = (
            "a curve through all forecasts needs them one by one, or in at least "
            f"{FINE} cells; these were grouped into {tally.cells} cells"
        )
        raise DataError(message, hint="Logistic() can be fitted to cells.")
