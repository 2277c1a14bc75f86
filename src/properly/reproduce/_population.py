"""All the patients of Assel et al.: numbers without chance.

A test is known by how its forecasts are spread over two parts of the population, those who will
have the event and those who will not. The mean loss under any rule is then an integral.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from properly.datasets._assel import EVENT_RATE, PROCESSES, VERDICTS, expit

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from properly.datasets._assel import Process
    from properly.rules import BinaryRule
    from properly.typing import Column


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
