"""Maps that laws hold for, random cases that all of them can be fitted to, and definitions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from hypothesis import strategies as st
from scipy.optimize import isotonic_regression
from tests.examples import examples

import properly
from properly import recalibration

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

# For laws repeated for every map, and for those that are not.
few, many = examples(5), examples(25)
seeds = st.integers(0, 2**32 - 1)

PLAIN_LINES: list[Any] = [
    recalibration.Intercept(smooth=False),
    recalibration.Temperature(smooth=False),
    recalibration.Logistic(smooth=False),
    recalibration.Beta(smooth=False),
]
LINES: list[Any] = [
    recalibration.Intercept(),
    recalibration.Temperature(),
    recalibration.Logistic(),
    recalibration.Beta(),
    *PLAIN_LINES,
]
RAW: list[Any] = [
    recalibration.Isotonic(shrink=0.0, interpolation="flat"),
    recalibration.Isotonic(shrink=0.0),
]
# Whatever the data, these never say 0 or 1.
UNCERTAIN: list[Any] = [
    recalibration.Isotonic(),
    recalibration.VennAbers(),
    recalibration.VennAbers(merge="brier"),
]
FITTED_BY_RANK = [*UNCERTAIN, *RAW]
EVENT_MAPS: list[Any] = [recalibration.Identity(), *LINES, *FITTED_BY_RANK]
CLASS_MAPS: list[Any] = [
    recalibration.Temperature(),
    recalibration.Vector(),
    recalibration.Dirichlet(),
    recalibration.OneVsRest(recalibration.Isotonic()),
    recalibration.OneVsRest(recalibration.Logistic()),
    recalibration.Cuts(recalibration.Logistic()),
    recalibration.Cuts(recalibration.Isotonic()),
]
# Forecasts are multiples of this, so that one less a forecast is exact.
PARTS = 64


class Drawn(NamedTuple):
    """Outcomes or class numbers, forecasts or class probabilities, weights or None."""

    y: NDArray[np.int64]
    p: Floats
    weight: NDArray[Any] | None = None

    @property
    def tally(self) -> properly.Tally:
        return properly.tally(self.y, self.p, weight=self.weight)

    @property
    def cases(self) -> properly.Cases:
        return properly.Cases(self.y, self.p, weight=self.weight)


def weights_of(rng: np.random.Generator, weights: str | None, cases: int) -> NDArray[Any] | None:
    """Draw counts, fractions or nothing."""
    if weights is None:
        return None
    if weights == "counts":
        return rng.integers(1, 6, cases)
    return np.asarray(rng.gamma(2, 1, cases) + 0.05)


def drawn(seed: int, *, certain: bool = False, weights: str | None = None) -> Drawn:
    """Draw cases with ties and both outcomes at three forecasts, so that no line is infinite."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(20, 80))
    p = rng.integers(1, PARTS, n) / PARTS
    slope, shift = rng.uniform(0.3, 2), rng.normal(0, 0.7)
    chance = 1 / (1 + np.exp(-(shift + slope * np.log(p / (1 - p)))))
    y = (rng.random(n) < chance).astype(int)
    p = np.append(p, np.repeat([0.25, 0.5, 0.75], 2))
    y = np.append(y, [0, 1] * 3)
    if certain:
        ends = rng.integers(0, 2, 12)
        p = np.append(p, ends)
        y = np.append(y, np.where(rng.random(12) < 0.25, 1 - ends, ends))
    return Drawn(y, p.astype(float), weights_of(rng, weights, len(y)))


def points(p: Floats) -> Floats:
    """Return forecasts seen, between them, outside of them, and exactly 0 and 1."""
    inside = np.linspace(0, 1, 4 * PARTS + 1)
    return np.unique(np.concatenate([p, inside, [1e-300, 1e-12, 1e-4, 1 - 1e-4, 1 - 1e-12]]))


def drawn_classes(seed: int, classes: int = 4, weights: str | None = None) -> Drawn:
    """Draw cases of classes, each of which happens, with ties and without zeros."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(60, 120))
    counts = rng.multinomial(PARTS - classes, rng.dirichlet(np.full(classes, 0.7), n)) + 1
    P = counts / PARTS
    truth = P**0.6
    truth /= truth.sum(axis=1, keepdims=True)
    y = (rng.random(n)[:, None] > truth.cumsum(axis=1)).sum(axis=1).clip(0, classes - 1)
    y[: 2 * classes] = np.tile(np.arange(classes), 2)
    return Drawn(y, P, weights_of(rng, weights, n))


# Definitions, written again


class Columns(NamedTuple):
    """The columns of a tally as floats, with the sums of squared weights of all cases."""

    value: Floats
    weight: Floats
    events: Floats
    squares: Floats


def columns_of(tally: properly.Tally) -> Columns:
    weight = np.asarray(tally.weight, float)
    squares = weight
    if tally.event_squares is not None:
        squares = np.asarray(tally.event_squares) + np.asarray(tally.nonevent_squares)
    return Columns(np.asarray(tally.value), weight, np.asarray(tally.events, float), squares)


def pooled_value(value: Floats, weight: Floats, events: Floats, at: float) -> float:
    fit = isotonic_regression(events / weight, weights=weight).x
    return float(fit[np.searchsorted(value, at)])


def pair_by_definition(tally: properly.Tally, x: float) -> tuple[float, float]:
    """Add a case without the event, and one with it; pool, and read the value off."""
    t = columns_of(tally)
    unit = float(t.squares.sum() / t.weight.sum())
    value = np.union1d(t.value, [x])
    old, new = np.searchsorted(value, t.value), np.searchsorted(value, x)
    weight, events = np.zeros(len(value)), np.zeros(len(value))
    weight[old], events[old] = t.weight, t.events
    weight[new] += unit
    without = pooled_value(value, weight, events, x)
    events[new] += unit
    return without, pooled_value(value, weight, events, x)


def knots_by_definition(
    tally: properly.Tally, shrink: float = 1.0, times: float = 1.0
) -> tuple[Floats, Floats]:
    """Pool, shrink each block towards the event rate, pool again; `times` multiplies counts."""
    t = columns_of(tally)
    bins = properly.reliability(tally).bins
    first = np.searchsorted(t.value, bins.x_min)
    weight = np.add.reduceat(t.weight, first)
    mean = np.add.reduceat(t.weight * t.value, first) / weight
    effective = times * weight**2 / np.add.reduceat(t.squares, first)
    rate = t.events.sum() / t.weight.sum()
    shrunk = (effective * bins.event_rate + shrink * rate) / (effective + shrink)
    return mean, np.asarray(isotonic_regression(shrunk, weights=effective + shrink).x)


def targets(tally: properly.Tally, *, smooth: bool) -> Floats:
    """Return Platt's targets, by effective numbers of events and of others; or the events."""
    t = columns_of(tally)
    if not smooth:
        return t.events
    others = t.weight - t.events
    if tally.event_squares is None:
        events_seen, others_seen = t.events.sum(), others.sum()
    else:
        events_seen = t.events.sum() ** 2 / np.asarray(tally.event_squares).sum()
        others_seen = others.sum() ** 2 / np.asarray(tally.nonevent_squares).sum()
    high, low = (events_seen + 1) / (events_seen + 2), 1 / (others_seen + 2)
    return np.asarray(high * t.events + low * others)
