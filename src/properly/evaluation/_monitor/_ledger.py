"""All claims of a monitor, their shares of the error rate, and what has been found so far."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from properly.evaluation._monitor._track import Claim, Fed, Track, gains_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from properly.evaluation._monitor._track import About, Look
    from properly.evaluation._monitor._waiting import Waiting
    from properly.rules import BinaryRule
    from properly.typing import Column

# So many times are remembered for a picture; then every second one.
MOST_TIMES = 400
# So many units are looked at together, and fewer where each alarm makes one look again.
BLOCK, BLOCK_TO_RESTART = 2**13, 2**6


class Plan(NamedTuple):
    """What is watched, and how sure an alarm is to be.

    Attributes
    ----------
    models : tuple of str
        Names of the models, in the order of their columns.
    against : str or float or None
        What every other model is compared with: one of them, or a constant forecast.
    rule : BinaryRule
        The rule that says which is better.
    level : float
        One minus the probability of any false alarm, ever.
    run_length : float or None
        The least mean number of units between false alarms, of a monitor that restarts.
    lag : int
        The number of units before a unit whose outcomes are still open when it is forecast.
    """

    models: tuple[str, ...]
    against: str | float | None
    rule: BinaryRule
    level: float
    run_length: float | None
    lag: int = 0

    @property
    def restarts(self) -> bool:
        """Whether evidence begins anew after an alarm."""
        return self.run_length is not None

    @property
    def claims(self) -> list[tuple[str, About]]:
        """What is claimed about each model."""
        calibration: list[tuple[str, About]] = [(name, "calibration") for name in self.models]
        if self.against is None:
            return calibration
        others = (name for name in self.models if name != self.against)
        return [*calibration, *((name, "comparison") for name in others)]

    def threshold(self, share: float) -> float:
        """Return the logarithm of the evidence that is an alarm, with a share of the error rate."""
        if self.run_length is None:
            return -math.log1p(-self.level) - math.log(share)
        return math.log1p(self.run_length / share)


def share_of_group(number: int, first: int) -> float:
    """Return the share of a group: equal among the first ones, and as much for all later ones.

    >>> [share_of_group(number, 3) for number in range(5)]
    [0.25, 0.25, 0.25, 0.125, 0.041666666666666664]
    """
    if number < first:
        return 1 / (first + 1)
    later = number - first + 1
    return 1 / (first + 1) / (later * (later + 1))


class Found(NamedTuple):
    """An alarm: of which claim, after how many cases, with how much evidence, as a logarithm."""

    claim: Claim
    case: int
    log_e: float


@dataclass(eq=False)
class Ledger:
    """The evidence of a monitor, which follows cases in the order of their forecasts.

    Attributes
    ----------
    plan : Plan
        What is watched.
    groups : list of str
        Names of groups, in the order in which they came; empty without groups.
    first_groups : int
        How many of them the first batch had.
    tracks : dict of Track
        The state of each claim.
    units, cases : int
        What has been counted.
    times : list of int
        After how many cases the evidence is remembered.
    step : int
        Every so many units.
    alarms : list of Found
        What was found, in its order.
    """

    plan: Plan
    groups: list[str] = field(default_factory=list)
    first_groups: int = 0
    tracks: dict[Claim, Track] = field(default_factory=dict)
    units: int = 0
    cases: int = 0
    times: list[int] = field(default_factory=list)
    step: int = 1
    alarms: list[Found] = field(default_factory=list)
    _thresholds: dict[Claim, float] = field(default_factory=dict, init=False)

    def __post_init__(self) -> None:
        if not self.tracks:
            self._begin(None)

    def meet(self, names: list[str]) -> None:
        """Take in the groups of a batch that are new, in the order of their names."""
        new = sorted({*names} - {*self.groups})
        if not self.groups:
            self.first_groups = len(new)
            self._thresholds.clear()
        self.groups.extend(new)
        for name in new:
            self._begin(name)

    def _begin(self, group: str | None) -> None:
        for model, about in self.plan.claims:
            track = Track.new(
                about, lag=self.plan.lag, restarts=self.plan.restarts, times=len(self.times)
            )
            self.tracks[Claim(model, about, group)] = track

    def share(self, claim: Claim) -> float:
        """Return the share of the error rate that a claim has."""
        each = 1 / len(self.plan.claims)
        if not self.groups:
            return each
        if claim.group is None:
            return each / 2
        return each / 2 * share_of_group(self.groups.index(claim.group), self.first_groups)

    def threshold(self, claim: Claim) -> float:
        """Return the logarithm of the evidence at which a claim is an alarm."""
        if claim not in self._thresholds:
            self._thresholds[claim] = self.plan.threshold(self.share(claim))
        return self._thresholds[claim]

    def follow(self, cases: Waiting) -> None:
        """Count cases that are settled, in their order, whichever come together."""
        ends = np.append(np.flatnonzero(np.diff(cases.unit)) + 1, len(cases))
        most, begin = BLOCK_TO_RESTART if self.plan.restarts else BLOCK, 0
        for end in [*ends[most - 1 :: most].tolist(), len(cases)]:
            self._count(cases.some(slice(begin, end)))
            begin = end

    def _count(self, block: Waiting) -> None:
        """Count the cases of a block, anew after each alarm if evidence then begins anew."""
        fed = dict(self._fed(block))
        while len(block):
            looks = {
                claim: self.tracks[claim].look(x, restarts=self.plan.restarts)
                for claim, x in fed.items()
            }
            reached, last = self._reached(looks), int(block.unit[-1])
            begins_anew = self.plan.restarts and bool(reached)
            if begins_anew:
                last = min(reached.values())
                reached = {claim: unit for claim, unit in reached.items() if unit == last}
            self._alarm(block, reached, looks)
            end = int(np.searchsorted(block.unit, last, side="right"))
            unit, size = np.unique(block.unit[:end], return_counts=True)
            self._remember(unit, size, looks, begins_anew=begins_anew)
            for claim, look in looks.items():
                self.tracks[claim].count(look.upto(last))
            self.units += len(unit)
            self.cases += end
            for track in self.tracks.values() if begins_anew else ():
                track.restart()
            block = block.some(slice(end, None))
            fed = {claim: x.after(last) for claim, x in fed.items() if x.unit[-1] > last}

    def _fed(self, block: Waiting) -> Iterator[tuple[Claim, Fed]]:
        """Go through the claims that a block says something about."""
        present = np.unique(block.group).tolist() if self.groups else []
        for model, about in self.plan.claims:
            p = block.forecasts[:, self.plan.models.index(model)]
            others, happened = self._against(block), block.y == 1
            gains = worst = gains_of(about, self.plan.rule, happened, p, others)
            if self.plan.lag:
                worst = np.minimum(gains, gains_of(about, self.plan.rule, ~happened, p, others))
                # A certain forecast that was wrong needs no confirmation.
                worst[np.isinf(gains)] = np.inf
            yield Claim(model, about), Fed.of(block, gains, worst, p)
            for number in present:
                rows = np.flatnonzero(block.group == number)
                claim = Claim(model, about, self.groups[number])
                yield claim, Fed.of(block.some(rows), gains[rows], worst[rows], p[rows])

    def _against(self, block: Waiting) -> Column | None:
        """Return the forecasts that others are compared with."""
        against = self.plan.against
        if against is None:
            return None
        if isinstance(against, str):
            return block.forecasts[:, self.plan.models.index(against)]
        return np.full(len(block), against)

    def _reached(self, looks: dict[Claim, Look]) -> dict[Claim, int]:
        """Return the unit at which each claim is an alarm for the first time, if it is one."""
        known = set() if self.plan.restarts else {found.claim for found in self.alarms}
        result = {}
        for claim, look in looks.items():
            beyond = np.flatnonzero(look.level >= self.threshold(claim))
            if beyond.size and claim not in known:
                result[claim] = int(look.fed.unit[beyond[0]])
        return result

    def _alarm(self, block: Waiting, reached: dict[Claim, int], looks: dict[Claim, Look]) -> None:
        """Put down alarms in the order in which they came."""
        for claim, unit in sorted(reached.items(), key=lambda item: item[1]):
            case = self.cases + int(np.searchsorted(block.unit, unit, side="right"))
            level = looks[claim].upto(unit).level[-1]
            self.alarms.append(Found(claim, case, float(level)))

    def _remember(
        self, unit: Column, size: Column, looks: dict[Claim, Look], *, begins_anew: bool
    ) -> None:
        """Remember the evidence after some of the units; of too many times, every second one."""
        number = self.units + np.arange(1, len(unit) + 1)
        while number[-1] // self.step >= MOST_TIMES:
            self.step *= 2
            self.times = self.times[1::2]
            for track in self.tracks.values():
                track.path = track.path[1::2]
        at = np.flatnonzero(number % self.step == 0)
        self.times += (self.cases + np.cumsum(size)[at]).tolist()
        for claim, track in self.tracks.items():
            levels = (
                looks[claim].at(unit[at], track.now) if claim in looks else [track.now] * len(at)
            )
            if begins_anew and number[-1] % self.step == 0:
                levels[-1] = 0.0
            track.path += levels
