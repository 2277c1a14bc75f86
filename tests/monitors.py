"""Monitors in tests: cases for them, and all that they know."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from properly.comparison import _bets as bets
from properly.evaluation._monitor._monitor import STATES

if TYPE_CHECKING:
    from properly import Monitor
    from properly.rules import BinaryRule

Column = np.ndarray[Any, Any]


class Drawn(NamedTuple):
    """Cases in the order of their forecasts, by two models, of which the first is calibrated."""

    y: Column
    p: Column
    q: Column
    ids: Column
    clusters: Column
    groups: Column

    @property
    def models(self) -> dict[str, Column]:
        """Return the forecasts by model."""
        return {"p": self.p, "q": self.q}

    def some(self, rows: Any) -> Drawn:
        """Take some of the cases."""
        return Drawn(*(x[rows] for x in self))


def drawn(n: int = 300, seed: int = 1) -> Drawn:
    """Draw cases, some of them in clusters of neighbours."""
    rng = np.random.default_rng(seed)
    p = np.round(rng.beta(1, 2, n), 3).clip(0.001, 0.999)
    y = (rng.random(n) < p).astype(int)
    q = np.round(p ** rng.choice([0.5, 1, 1.5], n), 3).clip(0.001, 0.999)
    ids = np.array([f"case {k}" for k in range(n)])
    clusters = np.cumsum(rng.random(n) < 0.6).astype(str)
    return Drawn(y, p, q, ids, clusters, rng.choice(["north", "south", "west"], n))


def state(monitor: Monitor) -> str:
    """Write down all that a monitor knows, as it is saved."""
    return STATES.written(monitor._content())[0]


class Evidence(NamedTuple):
    """The logarithm of the evidence after the last case, and the greatest after any."""

    last: float
    greatest: float

    def rejects(self, level: float) -> bool:
        """Return whether the evidence ever reached one over what the level leaves."""
        return bool(self.greatest >= -np.log1p(-level))


def evidence(gains: Column) -> Evidence:
    """Add up what bets gain, case by case."""
    path = bets.log_mean(np.cumsum(gains, axis=0))
    return Evidence(float(path[-1]), max(0.0, float(path.max())))


def against_calibration(y: Any, p: Any) -> Evidence:
    """Find the evidence that forecasts are miscalibrated."""
    return evidence(bets.recalibration_gains(np.asarray(y) == 1, np.asarray(p, dtype=np.float64)))


def for_the_second(rule: BinaryRule, y: Any, first: Any, second: Any) -> Evidence:
    """Find the evidence that the second forecast is better at times."""
    columns = (np.asarray(p, dtype=np.float64) for p in (first, second))
    gain = bets.relative_gain(rule, np.asarray(y) == 1, *columns)
    return evidence(bets.log_factors(gain[:, np.newaxis], bets.BETS))
