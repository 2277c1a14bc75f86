"""Monitors in tests: cases for them, and all that they know."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from properly.evaluation._monitor import _stored

if TYPE_CHECKING:
    from properly import Monitor

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
    return _stored.written(monitor._content())[0]
