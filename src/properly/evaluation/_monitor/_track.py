"""Evidence for one claim, unit after unit, and the block of cases that it is fed with."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

from properly.comparison._monitoring import (
    BETS,
    SLOPE,
    log_factors,
    recalibration_gains,
    relative_gain,
)

if TYPE_CHECKING:
    from properly.evaluation._monitor._waiting import Waiting
    from properly.rules import BinaryRule
    from properly.typing import Column

About = Literal["calibration", "comparison"]
BETS_ABOUT = {"calibration": len(SLOPE), "comparison": len(BETS)}


class Claim(NamedTuple):
    """What evidence is for: a model is miscalibrated, or another is better; for all or a group."""

    model: str
    about: About
    group: str | None = None


class Fed(NamedTuple):
    """Units of one claim in a block: by number, with the logarithms of what each bet gains."""

    unit: Column
    gains: Column
    cases: Column
    events: Column
    forecasts: Column

    @classmethod
    def of(cls, cases: Waiting, gains: Column, p: Column) -> Fed:
        """Join the cases of each unit: a mean of factors, however they depend, is a factor."""
        unit, begin, size = np.unique(cases.unit, return_index=True, return_counts=True)
        if len(unit) < len(gains):
            several = np.logaddexp.reduceat(gains, begin, axis=0)
            gains = several - np.log(size)[:, np.newaxis]
        events, total = (np.add.reduceat(x, begin) for x in (cases.y.astype(np.int64), p))
        return cls(unit, gains, size, events, total)

    def upto(self, last: int) -> Fed:
        """Take the units up to one of them."""
        end = int(np.searchsorted(self.unit, last, side="right"))
        return Fed(*(x[:end] for x in self))

    def after(self, last: int) -> Fed:
        """Take the units after one of them."""
        begin = int(np.searchsorted(self.unit, last, side="right"))
        return Fed(*(x[begin:] for x in self))


@dataclass(eq=False)
class Track:
    """The state of one claim.

    Attributes
    ----------
    sums : array
        The logarithm of the evidence of each bet.
    units, cases, events : int
        What has been counted since the beginning.
    total : float
        The sum of the forecasts.
    greatest : float
        The greatest logarithm of the evidence since the beginning, or since the last alarm.
    path : list of float
        Logarithms of the evidence at the times that the monitor remembers.
    """

    sums: Column
    units: int = 0
    cases: int = 0
    events: int = 0
    total: float = 0.0
    greatest: float = 0.0
    path: list[float] = field(default_factory=list)

    @classmethod
    def new(cls, about: About, *, restarts: bool, times: int = 0) -> Track:
        """Begin: with a capital of 1, or with none yet in the sum of a detector."""
        return cls(_begin(BETS_ABOUT[about], restarts=restarts), path=[0.0] * times)

    def follow(self, fed: Fed, *, restarts: bool) -> Column:
        """Return the logarithm of each bet's evidence after each unit; nothing is changed."""
        if not restarts:
            path = fed.gains.copy()
            path[0] += self.sums
            return np.cumsum(path, axis=0)
        # Each unit may be the first of a change: evidence from every beginning is added up.
        path, last = np.empty_like(fed.gains), self.sums
        for row, gain in zip(path, fed.gains, strict=True):
            row[:] = gain + np.logaddexp(0, last)
            last = row
        return path

    def count(self, fed: Fed, sums: Column, greatest: float) -> None:
        """Put down units that were followed."""
        self.sums, self.greatest = sums, max(self.greatest, greatest)
        self.units += len(fed.unit)
        self.cases += int(fed.cases.sum())
        self.events += int(fed.events.sum())
        # One after the other, so that it does not matter which came together.
        self.total = float(np.cumsum(np.concatenate([[self.total], fed.forecasts]))[-1])

    def restart(self) -> None:
        """Forget the evidence, not the counts."""
        self.sums, self.greatest = _begin(len(self.sums), restarts=True), 0.0


def _begin(bets: int, *, restarts: bool) -> Column:
    return np.full(bets, -math.inf if restarts else 0.0)


def log_mean(path: Column, *, restarts: bool) -> Column:
    """Return the logarithm of the mean over bets; of a detector, of one more than that."""
    result = np.logaddexp.reduce(path, axis=-1) - math.log(path.shape[-1])
    return np.asarray(np.logaddexp(0, result) if restarts else result)


def gains_of(
    about: About, rule: BinaryRule, y: Column, p: Column, against: Column | None
) -> Column:
    """Return the logarithms of what each bet gains in each case."""
    happened = y == 1
    if about == "calibration" or against is None:
        return recalibration_gains(happened, p)
    gain = relative_gain(rule, happened, p, against)
    return log_factors(gain[:, np.newaxis], BETS)
