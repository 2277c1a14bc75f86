"""An estimate with its standard error and confidence interval."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from properly._boundary._record import Record
from properly._boundary._text import many

# Weights that leave fewer effective cases than this share of all are worth a word.
ALL = 0.95


@dataclass(frozen=True, repr=False)
class Estimate(Record):
    """A number, and how far off it may be.

    Attributes
    ----------
    value : float
        The number.
    standard_error : float
        Its standard error; NaN if it cannot be told.
    interval : pair of floats
        Lower and upper end; NaN where nothing can be said.
    level : float
        How sure the interval is to hold the true value.
    degrees : float
        Degrees of freedom of the standard error; infinite for a normal interval.
    method : str
        How the interval was found.
    design : str
        How cases were taken to be sampled.
    cases : int
        Cases of positive weight.
    effective_cases : float
        As many cases of equal weight would say as much.
    infinite_cases : int
        Cases whose loss is infinite.
    infinite_share : float
        Their share of the weight.

    Examples
    --------
    >>> import properly
    >>> from properly.rules import Brier
    >>> crash = properly.datasets.crash()
    >>> cases = properly.Cases(crash.died, crash.forecasts["logistic"], clusters=crash.cluster)
    >>> print(properly.score_interval(cases, Brier()))
    0.03302 (95 % interval 0.02983 to 0.03621; 4,973 clusters)
    """

    value: float
    standard_error: float
    interval: tuple[float, float]
    level: float
    degrees: float
    method: str
    design: str
    cases: int
    effective_cases: float
    infinite_cases: int = 0
    infinite_share: float = 0.0

    def __repr__(self) -> str:
        lower, upper = self.interval
        text = f"{100 * self.level:g} % interval {lower:.4g} to {upper:.4g}"
        return f"Estimate({self.value:.4g}, {text if lower <= upper else 'no interval'})"

    def __str__(self) -> str:
        """Say it in a line."""
        lower, upper = self.interval
        if self.infinite_cases:
            lost = f"{many(self.infinite_cases, 'case')} of infinite loss"
            return f"{self.value:.4g} ({lost}; {self.design})"
        if math.isnan(lower) or math.isnan(upper):
            return f"{self.value:.4g} (no interval; {self.design})"
        text = f"{100 * self.level:g} % interval {lower:.4g} to {upper:.4g}; {self.design}"
        if self.effective_cases < ALL * self.cases:
            text += f", worth {self.effective_cases:,.0f} of equal weight"
        return f"{self.value:.4g} ({text})"

    def _columns(self) -> dict[str, list[Any]]:
        lower, upper = self.interval
        row = self._row() | {"interval": lower}
        names = ("lower" if name == "interval" else name for name in row)
        return {name: [x] for name, x in zip(names, row.values(), strict=True)} | {"upper": [upper]}
