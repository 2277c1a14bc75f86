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

    def after(self, last: int) -> Fed:
        """Take the units after one of them."""
        begin = int(np.searchsorted(self.unit, last, side="right"))
        return Fed(*(x[begin:] for x in self))


class Look(NamedTuple):
    """What units make of the evidence: of each bet, and of all, as logarithms after each unit."""

    fed: Fed
    path: Column
    level: Column

    def upto(self, last: int) -> Look:
        """Take the units up to one of them."""
        end = int(np.searchsorted(self.fed.unit, last, side="right"))
        return Look(Fed(*(x[:end] for x in self.fed)), self.path[:end], self.level[:end])

    def at(self, units: Column, before: float) -> list[float]:
        """Return the evidence after some units; before the first, what it was before."""
        place = np.searchsorted(self.fed.unit, units, side="right")
        return list(np.append(before, self.level)[place].tolist())


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
    now, greatest : float
        The logarithm of the evidence, and its greatest since the beginning or the last alarm.
    path : list of float
        Logarithms of the evidence at the times that the monitor remembers.
    """

    sums: Column
    units: int = 0
    cases: int = 0
    events: int = 0
    total: float = 0.0
    now: float = 0.0
    greatest: float = 0.0
    path: list[float] = field(default_factory=list)

    @classmethod
    def new(cls, about: About, *, restarts: bool, times: int = 0) -> Track:
        """Begin: with a capital of 1, or with none yet in the sum of a detector."""
        return cls(_begin(BETS_ABOUT[about], restarts=restarts), path=[0.0] * times)

    def look(self, fed: Fed, *, restarts: bool) -> Look:
        """Say what units would make of the evidence; nothing is changed."""
        path = fed.gains.copy()
        if restarts:
            # Each unit may be the first of a change: evidence from every beginning is added up.
            last = self.sums
            for row in path:
                last = np.add(row, np.logaddexp(0, last), out=row)
        else:
            path[0] += self.sums
            path = np.cumsum(path, axis=0)
        # The mean over bets; of a detector, one more than that.
        level = np.logaddexp.reduce(path, axis=-1) - math.log(path.shape[-1])
        return Look(fed, path, np.logaddexp(0, level) if restarts else level)

    def count(self, look: Look) -> None:
        """Put down units that were looked at."""
        fed = look.fed
        if not len(fed.unit):
            return
        self.sums, self.now = look.path[-1].copy(), float(look.level[-1])
        self.greatest = max(self.greatest, float(look.level.max()))
        self.units += len(fed.unit)
        self.cases += int(fed.cases.sum())
        self.events += int(fed.events.sum())
        # One after the other, so that it does not matter which came together.
        self.total = float(np.cumsum(np.append(self.total, fed.forecasts))[-1])

    def restart(self) -> None:
        """Forget the evidence, not the counts."""
        self.sums, self.now, self.greatest = _begin(len(self.sums), restarts=True), 0.0, 0.0


def _begin(bets: int, *, restarts: bool) -> Column:
    return np.full(bets, -math.inf if restarts else 0.0)


def gains_of(
    about: About, rule: BinaryRule, y: Column, p: Column, against: Column | None
) -> Column:
    """Return the logarithms of what each bet gains in each case."""
    happened = y == 1
    if about == "calibration" or against is None:
        return recalibration_gains(happened, p)
    gain = relative_gain(rule, happened, p, against)
    return log_factors(gain[:, np.newaxis], BETS)
