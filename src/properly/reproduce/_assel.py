"""Appendix F: eight tests of one disease, judged in seven ways."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from properly._boundary._record import columns_of, plain, to_frame
from properly.counts._tally import Tally
from properly.datasets import assel
from properly.reproduce._columns import MEANS, METRICS, estimates, exact, standard_errors
from properly.reproduce._layout import heading, table
from properly.reproduce._population import Report, the_eight

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy as np

    from properly._boundary._record import Backend

# As printed: of the paper, the first six columns; of Assel et al., the first five.
PAPER = {
    "Highly sensitive": ("0.73", "0.41", "0.17", "0.15", "0.09", "0.12"),
    "Underestimating risk": ("0.75", "0.15", "0.16", "0.12", "0.06", "0.16"),
    "Well calibrated": ("0.75", "0.17", "0.16", "0.12", "0.05", "0.17"),
    "Overestimating risk": ("0.75", "0.20", "0.16", "0.11", "0.03", "0.18"),
    "Assume all positive": ("0.50", "0.80", "0.16", "0.11", "0.00", "0.20"),
    "Highly specific": ("0.73", "0.14", "0.10", "0.10", "0.09", "0.18"),
    "Severely underestimating risk": ("0.75", "0.18", "0.09", "0.04", "0.01", "0.29"),
    "Assume all negative": ("0.50", "0.20", "0.00", "0.00", "0.00", "0.35"),
}
ORIGINAL = {
    "Well calibrated": ("0.75", "0.1386", "0.1595", "0.1236", "0.0716"),
    "Overestimating risk": ("0.75", "0.1708", "0.1583", "0.1160", "0.0423"),
    "Underestimating risk": ("0.75", "0.1540", "0.1483", "0.0986", "0.0413"),
    "Severely underestimating risk": ("0.75", "0.1760", "0.0921", "0.0372", "0.0076"),
    "Highly sensitive": ("0.725", "0.4100", "0.1689", "0.1456", "0.0900"),
    "Assume all positive": ("0.500", "0.8000", "0.1579", "0.1111", "0.0000"),
    "Highly specific": ("0.725", "0.1400", "0.0979", "0.0956", "0.0900"),
    "Assume all negative": ("0.500", "0.2000", "0.0000", "0.0000", "0.0000"),
}
PRINTED: Mapping[str, Mapping[str, tuple[str, ...]]] = {"paper": PAPER, "original": ORIGINAL}
TITLES = {
    "paper": "Appendix F: eight tests, from the process that makes the paper's table",
    "original": "Appendix F: the same, from the process that fits Assel et al. (2017)",
}
# The largest standard deviation of a cell, and the number of cases, according to the paper.
CLAIMED_ERROR, CLAIMED_CASES = 0.00035, 1_000_000
YES_OR_NO = (
    "The exact numbers of the four tests that say yes or no are those at an event rate of 0.2."
)
ROUNDING = 1e-9


@dataclass(frozen=True)
class AsselCell:
    """One test, judged in one way.

    Attributes
    ----------
    test, metric : str
        Which, and how.
    exact : float
        The number in the population.
    simulated, error : float
        The number in a sample, and its standard error.
    printed : str or None
        What was printed.
    """

    test: str
    metric: str
    exact: float
    simulated: float
    error: float
    printed: str | None

    @property
    def agrees(self) -> bool | None:
        """Whether the exact number can be rounded to the printed one; None if none was."""
        return None if self.printed is None else self._distance <= self._half + ROUNDING

    @property
    def coin_flip(self) -> bool:
        """Whether the exact number lies on a rounding edge, so that a sample shows either."""
        return self.printed is not None and abs(self._distance - self._half) <= ROUNDING

    @property
    def mark(self) -> str:
        """The mark behind the printed number."""
        return "?" if self.coin_flip else "!" if self.agrees is False else " "

    @property
    def off(self) -> float:
        """How many standard errors the simulated number is away from the exact one."""
        away = abs(self.simulated - self.exact)
        return 0.0 if away < ROUNDING else away / self.error if self.error > 0 else math.inf

    @property
    def _distance(self) -> float:
        return abs(self.exact - float(self.printed or "nan"))

    @property
    def _half(self) -> float:
        """Half a unit of the last decimal that was printed."""
        return float(10.0 ** -len((self.printed or "").partition(".")[2])) / 2


@dataclass(frozen=True)
class AsselTable:
    """Eight tests judged in seven ways: exactly, in a sample, and as printed.

    Attributes
    ----------
    process : str
        As in `properly.datasets.assel`.
    n : int
        How many cases were simulated.
    cells : tuple of AsselCell
        Test by test.
    mean_forecast, event_rate : float
        Of the test that is called well calibrated, in the population.
    """

    process: str
    n: int
    cells: tuple[AsselCell, ...]
    mean_forecast: float
    event_rate: float

    def to_dict(self) -> dict[str, list[Any]]:
        """Return columns, one entry a test and metric."""
        found: dict[str, list[Any]] = plain(columns_of(self.cells))
        return found

    def to_frame(self, backend: Backend | None = None) -> Any:
        """Return one row a test and metric as a polars, pandas or pyarrow frame."""
        return to_frame(self.to_dict(), backend)

    def exact(self, metric: str) -> dict[str, float]:
        """Return the exact numbers of one metric by test, the best first."""
        found = {c.test: c.exact for c in self.cells if c.metric == metric}
        higher_is_better = metric == "AUC" or MEANS[metric].benefit
        return dict(sorted(found.items(), key=lambda item: item[1], reverse=higher_is_better))

    @property
    def swapped(self) -> list[tuple[str, str]]:
        """The pairs that net benefit at 5 % and the bounded Brier score order differently."""
        benefit, bounded = list(self.exact("NB 5 %")), self.exact("Brier 5-20 %")
        return [
            (better, worse)
            for i, better in enumerate(benefit)
            for worse in benefit[i + 1 :]
            if bounded[better] > bounded[worse]
        ]

    @property
    def better(self) -> list[str]:
        """The tests that beat the one called well calibrated in every column but the AUC.

        They are functions of the same marker. None could, if its name were true.
        """
        orders = [list(self.exact(metric)) for metric in MEANS]
        return [
            test
            for test, found in the_eight(self.process).items()
            if isinstance(found, Report)
            and all(order.index(test) < order.index("Well calibrated") for order in orders)
        ]

    def __str__(self) -> str:
        """Print every number: exact, simulated and as printed."""
        whose = "the paper" if self.process == "paper" else "Assel et al."
        rows = [line for test in PRINTED[self.process] for line in self._lines(test, whose)]
        return "\n".join(
            [
                heading(TITLES[self.process]),
                f"Beside each test the exact numbers; below, those of {self.n:,} simulated cases,",
                "± one standard error, and the printed ones. NB: net benefit; over 5-20 %: bounded",
                "Brier score, which is twice the mean regret, and mean net benefit.",
                "? on a rounding edge, so that a sample shows either; ! not the exact number.",
                table(["test", *METRICS], rows),
                *self._verdict(whose),
            ]
        )

    def _lines(self, test: str, whose: str) -> list[list[str]]:
        cells = [c for c in self.cells if c.test == test]
        return [
            [test, *(f"{_shown(c.exact)} " for c in cells)],
            ["  simulated", *(f"{_shown(c.simulated)} " for c in cells)],
            ["  ±", *(f"{_shown(c.error)} " for c in cells)],
            [f"  {whose}", *((c.printed or "") + c.mark for c in cells)],
        ]

    def _verdict(self, whose: str) -> list[str]:
        printed = [c for c in self.cells if c.printed is not None]
        wrong = [c for c in printed if not c.agrees]
        right, flips = len(printed) - len(wrong), sum(c.coin_flip for c in printed)
        off, mean, rate = max(c.off for c in self.cells), self.mean_forecast, self.event_rate
        found = [
            f"Of the {len(printed)} numbers that {whose} printed, {right} can be the exact ones,",
            f"rounded; {flips} of these lie on a rounding edge.",
            *(_not_exact(metric, [c for c in wrong if c.metric == metric]) for metric in METRICS),
            f"Simulated numbers are {off:.1f} standard errors off, or less.",
            f"Well calibrated has the mean forecast {mean:.5f} at an event rate of {rate:.5f}.",
        ]
        for test in self.better:
            found.append(f"{test} beats it in every column but the AUC, which no function of a")
            found.append("calibrated forecast could.")
        found.append("The paper: NB 5 % and Brier 5-20 % order the tests alike, but for one pair.")
        found.append("Ordered differently here:")
        found += [f"  {a} and {b}" for a, b in self.swapped]
        found += self._largest_error() if self.process == "paper" else [YES_OR_NO]
        return [line for line in found if line]

    def _largest_error(self) -> list[str]:
        worst = max(self.cells, key=lambda c: c.error)
        error = worst.error * math.sqrt(self.n / CLAIMED_CASES)
        return [
            f"The paper: with {CLAIMED_CASES:,} cases no standard error exceeds {CLAIMED_ERROR}.",
            f"That of {worst.test}, {worst.metric}, is {error:.5f}.",
        ]


def appendix_f(process: str, n: int, rng: np.random.Generator) -> AsselTable:
    """Compute a table, exactly and by simulation."""
    sample = assel(n, process=process, rng=rng)
    population = the_eight(process)
    cells = []
    for test, printed in PRINTED[process].items():
        tally = Tally.from_arrays(sample.y, sample.forecasts[test])
        columns = zip(
            METRICS,
            exact(population[test]),
            estimates(tally),
            standard_errors(tally),
            [*printed, *[None] * (len(METRICS) - len(printed))],
            strict=True,
        )
        cells += [AsselCell(test, *column) for column in columns]
    called = population["Well calibrated"]
    return AsselTable(process, n, tuple(cells), called.mean_forecast, called.event_rate)


def _shown(x: float) -> str:
    """Write four decimals, and no zero with a minus."""
    return f"{round(x, 4) + 0.0:.4f}"


def _not_exact(metric: str, cells: list[AsselCell]) -> str:
    exact = ", ".join(sorted({_shown(c.exact) for c in cells}))
    return f"Not the exact number, {exact}: the {metric} of {len(cells)} tests." if cells else ""
