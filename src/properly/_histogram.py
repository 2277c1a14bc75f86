"""How the forecasts are distributed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from properly._libraries import freeze
from properly._plain import many

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats: TypeAlias = NDArray[np.float64]
    Column: TypeAlias = np.ndarray[Any, Any]

# Values such as 0.29 and 0.30 are a hundredth apart, though their difference in binary is less.
GAP, TOLERANCE = 0.01, 1e-9
NARROW = 1.5e-8
MOST = 400


@dataclass(frozen=True, eq=False, repr=False)
class Histogram:
    """How many forecasts there are, bar by bar.

    Attributes
    ----------
    lower, upper : array
        The ends of each bar.
    weight : array
        Cases, or their weight, in each bar.

    Examples
    --------
    >>> import properly
    >>> t = properly.tally([0, 1, 1], [0.2, 0.2, 0.7])
    >>> bars = properly.reliability(t).histogram
    >>> bars.weight
    array([2, 1])
    >>> bars.lower
    array([0.18, 0.68])
    """

    lower: Floats
    upper: Floats
    weight: Column

    def __post_init__(self) -> None:
        freeze(self)

    def __repr__(self) -> str:
        bars = many(len(self.weight), "bar")
        return f"Histogram({bars} from {self.lower[0]:.4g} to {self.upper[-1]:.4g})"

    def to_dict(self) -> dict[str, Any]:
        """Return the bars as lists."""
        return {name: column.tolist() for name, column in vars(self).items()}


def is_discrete(value: Floats) -> bool:
    """Tell whether no two distinct forecasts are closer than a hundredth."""
    return len(value) == 1 or bool(np.diff(value).min() >= GAP - TOLERANCE)


def bar_a_value(value: Floats, weight: Column) -> Histogram:
    """Draw a narrow bar at each distinct forecast."""
    half = min(np.diff(value).min() / 8, 0.02) if len(value) > 1 else 0.02
    return Histogram(value - half, value + half, weight)


def freedman_diaconis(value: Floats, weight: Column, cases: float) -> Histogram:
    """Cut the range of the forecasts into bars as wide as their spread and number suggest."""
    lowest, highest = value[0], value[-1]
    reached = np.cumsum(weight) * (cases / weight.sum())
    low, high = (_quantile(value, reached, q) for q in (0.25, 0.75))
    width = 2 * (high - low) / np.cbrt(cases) if high - low > NARROW else 1 / 400
    # No more bars than a picture can show, whatever the spread of most forecasts suggests.
    bars = min(max(5, round((highest - lowest) / width)), MOST)
    edges = np.linspace(lowest, highest, bars + 1)
    # A forecast on the edge of two bars belongs to the lower one.
    bar = np.searchsorted(edges[1:-1], value, side="left")
    summed = np.bincount(bar, weight, bars)
    exact = np.issubdtype(weight.dtype, np.integer)
    return Histogram(edges[:-1], edges[1:], summed.astype(np.int64) if exact else summed)


def _quantile(value: Floats, reached: Floats, q: float) -> float:
    """Return a quantile of counted values, straight between order statistics."""
    place = q * max(reached[-1] - 1, 0)
    below = np.floor(place)
    # Half a case of slack: whole counts may have been rounded on their way here.
    rows = np.searchsorted(reached, [below + 0.5, below + 1.5])
    x1, x2 = value[np.minimum(rows, len(value) - 1)]
    return float(x1 + (place - below) * (x2 - x1))
