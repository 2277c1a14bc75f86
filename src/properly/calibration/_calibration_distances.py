"""How far forecasts lie from a curve of what happened, and how far calibrated ones would."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

from properly._boundary._plain import plain
from properly.calibration._calibration_fits import find_curves, quantiles
from properly.inference._draws import Counts, Rows

if TYPE_CHECKING:
    from collections.abc import Iterator

    from properly._boundary._options import Drawing
    from properly.calibration._calibration_fits import Curves, Fit
    from properly.calibration._line import Subject
    from properly.inference._draws import Draw, Sampler

Column: TypeAlias = np.ndarray[Any, Any]

# Entries of a table of random events: some ten megabytes at a time.
ENTRIES = 1 << 21
# Of more forecasts than this, random outcomes are counted in so many cells of about as many cases.
# Single cases matter at either end only, where few make a step of an increasing curve.
MANY = 1 << 15
CELLS = 1 << 14
ENDS = 1 << 11


@dataclass(frozen=True)
class AbsoluteError:
    """How far forecasts are from a fitted curve, and by chance alone.

    Attributes
    ----------
    value : float
        The distance.
    mean_if_calibrated : float
        Its mean if the forecasts are calibrated, which is not 0.
    upper_if_calibrated : float
        What calibrated forecasts stay below with the probability of the level.

    Examples
    --------
    >>> import properly
    >>> t = properly.Tally.from_counts([0.2, 0.5, 0.8], [90, 70, 40], [15, 38, 33])
    >>> found = properly.calibration_summary(t, rng=1)
    >>> print(f"{found.ici.value:.4f}")
    0.0350
    >>> found.ici.value < found.ici.upper_if_calibrated
    True
    """

    value: float
    mean_if_calibrated: float
    upper_if_calibrated: float

    def to_dict(self) -> dict[str, Any]:
        """Return the numbers by name, as JSON can hold them."""
        found: dict[str, Any] = plain(asdict(self))
        return found


class Distances(NamedTuple):
    """Mean, median, 90 % quantile and maximum of distances, and which curve they are from."""

    mean: AbsoluteError
    median: AbsoluteError
    most: AbsoluteError
    largest: AbsoluteError
    curve: str


def find_distances(subject: Subject, fit: Fit, drawing: Drawing) -> Distances:
    """Fit a curve to what happened, and to outcomes that are drawn as the forecasts say."""
    sample, draws = subject.sample, subject.draws
    used = sample.is_uncertain if fit == "spline" else np.full(len(sample.value), fill_value=True)
    if not used.any():
        unknown = AbsoluteError(math.nan, math.nan, math.nan)
        return Distances(unknown, unknown, unknown, unknown, "none: all forecasts are 0 or 1")
    value, weight = sample.value[used], sample.weight[used].astype(np.float64)
    ruler = _Ruler.of(fit, value, weight, counted=subject.is_counted)
    observed = ruler.measure(sample.events[used][None])[0]
    drawn = _if_calibrated(_among(draws, used), fit, ruler, drawing)
    means, limits = drawn.mean(axis=0), np.quantile(drawn, drawing.level, axis=0)
    columns = (observed.tolist(), means.tolist(), limits.tolist())
    mean, median, most, largest = (AbsoluteError(*x) for x in zip(*columns, strict=True))
    return Distances(mean, median, most, largest, ruler.curves.told)


class _Ruler(NamedTuple):
    curves: Curves
    value: Column
    weight: Column
    counted: bool

    @classmethod
    def of(cls, fit: Fit, value: Column, weight: Column, *, counted: bool) -> _Ruler:
        """Get ready to fit curves to some forecasts."""
        return cls(find_curves(fit, value, weight, counted=counted), value, weight, counted)

    def measure(self, events: Column, *, rough: bool = False) -> Column:
        """Return the four distances, a row for each row of events."""
        away = np.abs(self.curves.at(events, rough=rough) - self.value)
        mean = away @ self.weight / self.weight.sum()
        among = [quantiles(row, self.weight, (0.5, 0.9), counted=self.counted) for row in away]
        return np.column_stack([mean, np.stack(among), away.max(axis=1)])


def _if_calibrated(draws: Sampler, fit: Fit, ruler: _Ruler, drawing: Drawing) -> Column:
    """Measure the distances of random outcomes; of very many forecasts, in cells."""
    if len(draws.value) > MANY:
        draws = in_cells(draws)
        weight = _weight_of(draws).astype(np.float64)
        ruler = _Ruler.of(fit, draws.value, weight, counted=ruler.counted)
    return np.concatenate([ruler.measure(x, rough=True) for x in _events(draws, drawing)])


def in_cells(draws: Sampler) -> Sampler:
    """Take neighbouring forecasts as one, their mean, but for those near either end."""
    weight = _weight_of(draws)
    share = (np.cumsum(weight) - weight / 2) / weight.sum()
    is_new = np.diff(np.floor(share * CELLS), prepend=-1) > 0
    is_new[: ENDS + 1] = is_new[-ENDS:] = True
    cell = np.cumsum(is_new) - 1
    total = np.bincount(cell, weight)
    value = np.bincount(cell, weight * draws.value) / total
    if isinstance(draws, Counts):
        return Counts(value, total.astype(np.int64))
    return Rows(value, cell[draws.cell], draws.weight, draws.happened)


def _weight_of(draws: Sampler) -> Column:
    """Return the weight at each forecast."""
    if isinstance(draws, Counts):
        return draws.weight
    return np.bincount(draws.cell, draws.weight)


def _events(draws: Sampler, drawing: Drawing) -> Iterator[Column]:
    """Draw outcomes with the probabilities that were forecast, some replicates at a time."""
    some = max(1, ENTRIES // len(draws.value))
    outcomes: Iterator[Draw] = draws.outcomes(draws.value, drawing.replicates, drawing.rng)
    while batch := [draw.events for draw in islice(outcomes, some)]:
        yield np.stack(batch).astype(np.float64)


def _among(draws: Sampler, used: Column) -> Sampler:
    """Draw at some of the forecasts only."""
    if used.all():
        return draws
    if isinstance(draws, Counts):
        return Counts(draws.value[used], draws.weight[used])
    rows, number = used[draws.cell], np.cumsum(used) - 1
    cell = number[draws.cell[rows]]
    return Rows(draws.value[used], cell, draws.weight[rows], draws.happened[rows])
