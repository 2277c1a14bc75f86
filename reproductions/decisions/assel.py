"""Appendix F: eight tests of one disease, judged by an area and six means.

A test is described by the distribution of its forecasts in two parts of the population, those who
will have the event and those who will not. The mean loss under any rule is then an integral, so
that the patients of Assel et al. have numbers without chance beside the simulated ones.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from properly._boundary._libraries import to_numpy
from properly._boundary._record import columns_of, plain
from properly._boundary._text import table
from properly.counts import Tally
from properly.counts._scoring import mean_score
from properly.decisions import at_threshold, mean_net_benefit, ranking
from properly.inference._variance import spread_of_means
from properly.rules import Bounded, Brier, Elementary, MissedBenefit
from reproductions.decisions.patients import EVENT_RATE, PROCESSES, VERDICTS, assel, expit
from reproductions.tables import Table, section

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from properly.rules import BinaryRule
    from properly.typing import Column
    from reproductions.decisions.patients import Process


THRESHOLDS = (0.05, 0.1, 0.2)
WITHIN = (0.05, 0.2)


class Mean(NamedTuple):
    """A metric that is the mean of a loss, times a factor; of a benefit, added to the event rate.

    The loss may jump or bend at forecasts that are breaks.
    """

    rule: BinaryRule
    factor: float = 1.0
    benefit: bool = False
    breaks: tuple[float, ...] = ()


MEANS = {
    "Brier": Mean(Brier()),
    **{
        f"NB {100 * c:.0f} %": Mean(Elementary(c), -1 / (1 - c), benefit=True, breaks=(c,))
        for c in THRESHOLDS
    },
    "Brier 5-20 %": Mean(Bounded(Brier(), WITHIN), breaks=WITHIN),
    "NB 5-20 %": Mean(Bounded(MissedBenefit(), WITHIN), -1.0, benefit=True, breaks=WITHIN),
}
METRICS = ("AUC", *MEANS)


def exact(test: Report | Verdict) -> list[float]:
    """Judge a test in the population, in all ways."""
    means = [
        m.factor * test.mean_loss(m.rule, m.breaks) + (test.event_rate if m.benefit else 0)
        for m in MEANS.values()
    ]
    return [test.auc, *means]


def estimates(tally: Tally) -> list[float]:
    """Judge a test by a sample, in all ways."""
    benefits = [at_threshold(tally, threshold).net_benefit for threshold in THRESHOLDS]
    bounded = mean_score(tally, Bounded(Brier(), WITHIN))
    scores = [mean_score(tally, Brier()), *benefits, bounded, mean_net_benefit(tally, WITHIN)]
    return [ranking(tally).auc, *scores]


def standard_errors(tally: Tally) -> list[float]:
    """Say how far off the estimates may be.

    All are means of what each case adds, the AUC but for smaller terms; so one covariance matrix
    has them all.
    """
    p = to_numpy(tally.value).astype(np.float64)
    event, none = ([x] for x in auc_influence(tally))
    for m in MEANS.values():
        event.append(m.benefit + m.factor * m.rule.loss_if_event(p))
        none.append(m.factor * m.rule.loss_if_none(p))
    covariance = spread_of_means(tally, np.stack(event), np.stack(none)).covariance
    return [float(x) for x in np.sqrt(np.diagonal(covariance))]


def auc_influence(tally: Tally) -> tuple[Column, Column]:
    """Return what an event, and what another case, at each forecast adds to the AUC.

    DeLong's placements: the share of the other kind that a case is on the right side of, less the
    AUC, per share of its own kind.
    """
    weight, events = (to_numpy(x).astype(np.float64) for x in (tally.weight, tally.events))
    others, rate = weight - events, events.sum() / weight.sum()
    below = (np.cumsum(others) - others / 2) / others.sum()
    above = 1 - (np.cumsum(events) - events / 2) / events.sum()
    area = ranking(tally).auc
    return (below - area) / rate, (above - area) / (1 - rate)


# Beyond these, normal markers of means 0 and 0.95 have less than 1e-30 of their mass.
LEAST, GREATEST = -12.0, 13.0
NODES = 24


@dataclass(frozen=True)
class Report:
    """The forecasts of a test that reports a risk, by the marker.

    Attributes
    ----------
    process : Process
        The population.
    shift : float
        What the test adds to the log-odds.
    """

    process: Process
    shift: float

    @property
    def event_rate(self) -> float:
        """Share of those who will have the event."""
        return float(_integral(self.events))

    @property
    def mean_forecast(self) -> float:
        """Return the mean forecast, which is the event rate if the test is calibrated."""
        return float(_integral(lambda x: (self.events(x) + self.others(x)) * self.forecast(x)))

    def forecast(self, x: Column) -> Column:
        """Turn markers into forecasts."""
        return expit(self.process.intercept + x + self.shift)

    def events(self, x: Column) -> Column:
        """Return the density of the marker among events, as a share of all cases."""
        if self.process.separation is None:
            return _normal(x) * expit(x + self.process.intercept)
        return EVENT_RATE * _normal(x - self.process.separation)

    def others(self, x: Column) -> Column:
        """Return the density of the marker among the others, as a share of all cases."""
        if self.process.separation is None:
            return _normal(x) * expit(-x - self.process.intercept)
        return (1 - EVENT_RATE) * _normal(x)

    def mean_loss(self, rule: BinaryRule, breaks: Iterable[float]) -> float:
        """Integrate the loss; it may jump or bend at forecasts that are breaks."""

        def loss(x: Column) -> Column:
            p = self.forecast(x)
            events: Column = self.events(x) * rule.loss_if_event(p)
            others: Column = self.others(x) * rule.loss_if_none(p)
            return events + others

        offset = self.process.intercept + self.shift
        return float(_integral(loss, (float(np.log(c / (1 - c))) - offset for c in breaks)))

    @property
    def auc(self) -> float:
        """Probability that of two patients the one with the event has the higher forecast."""

        def pairs(x: Column) -> Column:
            return self.others(x) * _tail(self.events, x)

        return float(_integral(pairs)) / (self.event_rate * (1 - self.event_rate))


@dataclass(frozen=True)
class Verdict:
    """The forecasts 1 and 0 of a test that says yes or no.

    Attributes
    ----------
    sensitivity, specificity : float
        How often it is right, with and without the event.
    """

    sensitivity: float
    specificity: float
    event_rate = EVENT_RATE

    @property
    def mean_forecast(self) -> float:
        """Return how often it says yes."""
        none = (1 - self.event_rate) * (1 - self.specificity)
        return self.event_rate * self.sensitivity + none

    def mean_loss(self, rule: BinaryRule, _: Iterable[float]) -> float:
        """Add up the losses of wrong verdicts."""
        zero, one = np.float64(0), np.float64(1)
        missed = self.event_rate * (1 - self.sensitivity) * float(rule.loss_if_event(zero))
        none = (1 - self.event_rate) * (1 - self.specificity)
        return missed + none * float(rule.loss_if_none(one))

    @property
    def auc(self) -> float:
        """Probability that the one with the event has the higher forecast, a tie counting half."""
        return (self.sensitivity + self.specificity) / 2


def the_eight(process: str) -> dict[str, Report | Verdict]:
    """Describe the eight tests of a process."""
    chosen = PROCESSES[process]
    found: dict[str, Report | Verdict] = {
        name: Report(chosen, shift) for name, shift in chosen.shifts.items()
    }
    return found | {name: Verdict(*rates) for name, rates in VERDICTS.items()}


def _integral(f: Callable[[Column], Column], breaks: Iterable[float] = ()) -> np.float64:
    """Integrate over all markers, smooth between breaks; no piece is longer than 1."""
    ends = np.union1d(np.arange(LEAST, GREATEST + 1), [x for x in breaks if LEAST < x < GREATEST])
    node, weight = _rule()
    half, middle = np.diff(ends) / 2, (ends[1:] + ends[:-1]) / 2
    x = middle[:, None] + half[:, None] * node
    found: np.float64 = np.sum(half * (f(x) @ weight))
    return found


def _tail(f: Callable[[Column], Column], x: Column) -> Column:
    """Integrate from each marker on: the rest of its piece of length 1, and all later pieces."""
    piece = np.arange(LEAST, GREATEST)
    node, weight = _rule()
    whole = f(piece[:, None] + (node + 1) / 2) @ weight / 2
    later = np.append(np.cumsum(whole[::-1])[::-1], 0.0)
    nth = np.floor(x).astype(int)
    half = (nth + 1 - x) / 2
    rest = half * (f(x[..., None] + half[..., None] * (node + 1)) @ weight)
    found: Column = rest + later[nth + 1 - int(LEAST)]
    return found


@cache
def _rule() -> tuple[Column, Column]:
    """Return Gauss and Legendre's nodes and weights on [-1, 1]."""
    return np.polynomial.legendre.leggauss(NODES)


def _normal(x: Column) -> Column:
    found: Column = np.exp(-(x**2) / 2) / np.sqrt(2 * np.pi)
    return found


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
class AsselTable(Table):
    """Eight tests judged in seven ways: exactly, in a sample, and as printed.

    Attributes
    ----------
    process : str
        As in `assel`.
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
        return section(
            TITLES[self.process],
            f"Beside each test the exact numbers; below, those of {self.n:,} simulated cases,",
            "± one standard error, and the printed ones. NB: net benefit; over 5-20 %: bounded",
            "Brier score, which is twice the mean regret, and mean net benefit.",
            "? on a rounding edge, so that a sample shows either; ! not the exact number.",
            table(["test", *METRICS], rows),
            *self._verdict(whose),
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
