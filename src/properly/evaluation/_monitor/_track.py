"""Evidence for one claim, unit after unit, and the block of cases that it is fed with."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

from properly.comparison._evidence import (
    BETS,
    SLOPE,
    log_factors,
    log_mean,
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
    """Units of one claim in a block: by number, with the logarithms of what each bet gains.

    `worst` is the least that each bet could have gained, whatever the outcome.
    """

    unit: Column
    gains: Column
    worst: Column
    cases: Column
    events: Column
    forecasts: Column

    @classmethod
    def of(cls, cases: Waiting, gains: Column, worst: Column, p: Column) -> Fed:
        """Join the cases of each unit: a mean of factors, however they depend, is a factor."""
        unit, begin, size = np.unique(cases.unit, return_index=True, return_counts=True)
        if len(unit) < len(gains):
            gains, worst = (
                np.logaddexp.reduceat(x, begin, axis=0) - np.log(size)[:, np.newaxis]
                for x in (gains, worst)
            )
        events, total = (np.add.reduceat(x, begin) for x in (cases.y.astype(np.int64), p))
        return cls(unit, gains, worst, size, events, total)

    def after(self, last: int) -> Fed:
        """Take the units after one of them."""
        begin = int(np.searchsorted(self.unit, last, side="right"))
        return Fed(*(x[begin:] for x in self))


class Look(NamedTuple):
    """The evidence after each unit, as logarithms.

    Attributes
    ----------
    fed : Fed
        The units.
    path, floors : array
        Sums and floors of a track, followed by those of each unit.
    level : array
        The evidence after each unit.
    """

    fed: Fed
    path: Column
    floors: Column
    level: Column

    def upto(self, last: int) -> Look:
        """Take the units up to one of them."""
        end = int(np.searchsorted(self.fed.unit, last, side="right"))
        both = end + len(self.path) - len(self.fed.unit)
        fed = Fed(*(x[:end] for x in self.fed))
        return Look(fed, self.path[:both], self.floors[:both], self.level[:end])

    def at(self, units: Column, before: float) -> list[float]:
        """Return the evidence after some units; before the first, what it was before."""
        place = np.searchsorted(self.fed.unit, units, side="right")
        return list(np.append(before, self.level)[place].tolist())


@dataclass(eq=False)
class Track:
    """The state of one claim.

    With a lag, units take turns in lag + 1 series, so that a unit is forecast when the outcomes of
    its series are known. The evidence is the mean of the series, in which the last units, as many
    as the lag, count as if they had come out worst. It is that of the time when they were open, and
    at most the mean once they are settled, whose expectation is at most 1 if one stops by what was
    known then. So it ever reaches 1 / alpha with a probability of at most alpha.

    Attributes
    ----------
    sums : array of shape (lag + 1, bets)
        The logarithm of the evidence of each bet, in each series; the next unit's series first.
    floors : array of shape (lag + 1,)
        The logarithm of the evidence of each series, had its last unit come out worst.
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
    floors: Column
    units: int = 0
    cases: int = 0
    events: int = 0
    total: float = 0.0
    now: float = 0.0
    greatest: float = 0.0
    path: list[float] = field(default_factory=list)

    @classmethod
    def new(cls, about: About, *, lag: int, restarts: bool, times: int = 0) -> Track:
        """Begin: with a capital of 1, or with none yet in the sum of a detector."""
        sums = _begin((lag + 1, BETS_ABOUT[about]), restarts=restarts)
        return cls(sums, sums[:, 0].copy(), path=[0.0] * times)

    def look(self, fed: Fed, *, restarts: bool) -> Look:
        """Return the evidence that units would lead to; nothing is changed."""
        series, units = len(self.sums), len(fed.unit)
        path = np.concatenate([self.sums, fed.gains])
        if restarts:
            # Each unit may be the first of a change: evidence from every beginning is added up.
            for last, row in zip(path, path[series:], strict=False):
                np.add(row, np.logaddexp(0, last), out=row)
        else:
            for k in range(series):
                path[k::series] = np.cumsum(path[k::series], axis=0)
        level, floors = log_mean(path)[1 : units + 1], self.floors
        if series > 1:
            before = np.logaddexp(0, path[:units]) if restarts else path[:units]
            floors = np.concatenate([floors, log_mean(before + fed.worst)])
            for k in range(1, series):
                level = np.logaddexp(level, floors[k + 1 : k + 1 + units])
        # The mean of the series. A detector adds them up, since each sees only some of the units.
        level = np.logaddexp(0, level) if restarts else level - math.log(series)
        return Look(fed, path, floors, level)

    def count(self, look: Look) -> None:
        """Put down units that were looked at."""
        fed = look.fed
        if not len(fed.unit):
            return
        series = len(self.sums)
        self.sums, self.floors = look.path[-series:].copy(), look.floors[-series:].copy()
        self.now = float(look.level[-1])
        self.greatest = max(self.greatest, float(look.level.max()))
        self.units += len(fed.unit)
        self.cases += int(fed.cases.sum())
        self.events += int(fed.events.sum())
        # One after the other, so that it does not matter which came together.
        self.total = float(np.cumsum(np.append(self.total, fed.forecasts))[-1])

    def restart(self) -> None:
        """Forget the evidence, not the counts."""
        self.sums, self.now, self.greatest = _begin(self.sums.shape, restarts=True), 0.0, 0.0
        self.floors = self.sums[:, 0].copy()


def _begin(shape: tuple[int, ...], *, restarts: bool) -> Column:
    return np.full(shape, -math.inf if restarts else 0.0)


def gains_of(
    about: About, rule: BinaryRule, happened: Column, p: Column, against: Column | None
) -> Column:
    """Return the logarithms of what each bet gains in each case."""
    if about == "calibration" or against is None:
        return recalibration_gains(happened, p)
    gain = relative_gain(rule, happened, p, against)
    return log_factors(gain[:, np.newaxis], BETS)
