"""The settings that are simulated."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, NamedTuple

from properly.counts._tally import Tally
from properly.datasets._corp import DISTRIBUTIONS, corp

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np


class Setting(NamedTuple):
    """Calibrated forecasts, as in `properly.datasets.corp`."""

    distribution: str
    values: int | None
    n: int

    def draw(self, rng: np.random.Generator) -> Tally:
        """Simulate one data set."""
        s = corp(self.n, distribution=self.distribution, values=self.values, rng=rng)
        return Tally.from_arrays(s.y, s.p)

    def __str__(self) -> str:
        return f"{named(self.distribution, self.values)}, n = {self.n}"


def settings(values: Sequence[int | None], sizes: Sequence[int]) -> list[Setting]:
    """List every setting, the sample sizes changing fastest."""
    return [Setting(*chosen) for chosen in product(DISTRIBUTIONS, values, sizes)]


def named(distribution: str, values: int | None) -> str:
    """Name a distribution of forecasts."""
    return f"{distribution}, {'continuous' if values is None else f'k = {values}'}"
