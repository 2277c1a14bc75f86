"""Figure 5: how near the estimated event rates are to the truth."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from properly._boundary._record import columns_of
from properly._boundary._text import table
from properly.calibration import reliability
from properly.counts._histogram import equal_width
from reproductions.reliability.coverage import Setting, named, settings
from reproductions.tables import Table, prose, section

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from properly.counts import Tally

    Numbers = NDArray[np.float64]


VALUES = (10, 50, None)
WIDTHS = (5, 10, 50)
# The number of quantile-spaced bins is the least that is no less than this root of n.
ROOTS = (6, 3, 2)
METHODS = ("CORP", *(f"m={m}" for m in WIDTHS), *(f"n^1/{root}" for root in ROOTS))


@dataclass(frozen=True)
class EfficiencyCell:
    """The mean squared error of each method in one setting.

    Attributes
    ----------
    distribution, values, n
        As in `corp`.
    error : dict of str to float
        Mean squared error at the forecasts, averaged over repetitions, by method.
    excess : dict of str to float
        How much more than CORP's it is, by method.
    excess_error : dict of str to float
        Monte-Carlo standard error of the excess.
    """

    distribution: str
    values: int | None
    n: int
    error: dict[str, float]
    excess: dict[str, float]
    excess_error: dict[str, float]

    @property
    def better(self) -> tuple[str, ...]:
        """The methods with a smaller error than CORP; none, says the paper."""
        return tuple(name for name, more in self.excess.items() if more < 0)


@dataclass(frozen=True)
class Efficiency(Table):
    """Mean squared errors of CORP and of binning and counting.

    Attributes
    ----------
    cells : tuple of EfficiencyCell
        One a setting.
    repetitions : int
        Simulated data sets in each.
    """

    cells: tuple[EfficiencyCell, ...]
    repetitions: int

    def to_dict(self) -> dict[str, list[Any]]:
        """Return columns, one entry a setting."""
        return columns_of(
            {"distribution": c.distribution, "values": c.values, "n": c.n, **c.error}
            for c in self.cells
        )

    def __str__(self) -> str:
        """Print the errors, and for which settings the paper's claim holds."""
        rows = [
            [named(c.distribution, c.values), str(c.n), *(_marked(c, name) for name in METHODS)]
            for c in self.cells
        ]
        return section(
            "Figure 5: mean squared error of the estimated event rates, times 1000",
            f"{self.repetitions} repetitions; < marks an error smaller than CORP's.",
            table(["setting", "n", *(f"{name} " for name in METHODS)], rows),
            self._verdict(),
        )

    def _verdict(self) -> str:
        beaten = [c for c in self.cells if c.better]
        clear = [
            f"{Setting(c.distribution, c.values, c.n)} ({name})"
            for c in beaten
            for name in c.better
            if c.excess[name] < -2 * c.excess_error[name]
        ]
        held = f"Here it has in {len(self.cells) - len(beaten)} of {len(self.cells)} settings."
        lines = [f"The paper: CORP has the smallest error throughout. {held}"]
        if clear:
            lines.append(prose(f"Smaller by more than two standard errors: {'; '.join(clear)}."))
        elif beaten:
            lines.append("No other method is better by more than two standard errors.")
        return "\n".join(lines)


def efficiency(
    sizes: Sequence[int], repetitions: int, rng: np.random.Generator, step: Callable[[str], None]
) -> Efficiency:
    """Simulate every setting of Figure 5."""
    cells = []
    for setting in settings(VALUES, sizes):
        cells.append(_cell(setting, repetitions, rng))
        step(f"Figure 5: {setting}")
    return Efficiency(tuple(cells), repetitions)


def _cell(setting: Setting, repetitions: int, rng: np.random.Generator) -> EfficiencyCell:
    errors = np.array([squared_errors(setting.draw(rng)) for _ in range(repetitions)])
    excess = errors - errors[:, :1]
    spread = excess.std(axis=0, ddof=1) / math.sqrt(repetitions)
    columns = (errors.mean(axis=0), excess.mean(axis=0), spread)
    by_method = [dict(zip(METHODS, column.tolist(), strict=True)) for column in columns]
    return EfficiencyCell(*setting, *by_method)


def squared_errors(tally: Tally) -> list[float]:
    """Return each method's mean squared error over the cases of calibrated forecasts."""
    x, weight, events = (np.asarray(c) for c in (tally.value, tally.weight, tally.events))
    cases = np.repeat(x, weight)
    bins = [_least_root(len(cases), root) for root in ROOTS]
    index = [equal_width(x, m) for m in WIDTHS] + [_between_quantiles(x, cases, m) for m in bins]
    rates = [reliability(tally).recalibrated, *(_counted(i, weight, events) for i in index)]
    return [float(np.average((rate - x) ** 2, weights=weight)) for rate in rates]


def _counted(index: NDArray[np.int64], weight: Numbers, events: Numbers) -> Numbers:
    """Return the event rate of the bin of each forecast."""
    cases = np.bincount(index, weight)
    rate: Numbers = np.bincount(index, events)[index] / cases[index]
    return rate


def _between_quantiles(x: Numbers, cases: Numbers, bins: int) -> NDArray[np.int64]:
    """Find the bin between empirical quantiles at j / bins; a border belongs to the one below."""
    borders = np.unique(np.quantile(cases, np.arange(1, bins) / bins))
    return np.searchsorted(borders, x, side="left")


def _least_root(n: int, root: int) -> int:
    """Return the least whole number that is no less than the root of n, without rounding."""
    found = round(math.pow(n, 1 / root))
    return found if found**root >= n else found + 1


def _marked(cell: EfficiencyCell, name: str) -> str:
    return f"{1000 * cell.error[name]:.3f}{'<' if name in cell.better else ' '}"
