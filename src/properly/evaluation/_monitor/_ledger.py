"""All claims of a monitor, their shares of the error rate, and what has been found so far."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from properly.evaluation._monitor._track import Claim, Fed, Track, gains_of, log_mean

if TYPE_CHECKING:
    from collections.abc import Iterator

    from properly.evaluation._monitor._track import About
    from properly.evaluation._monitor._waiting import Waiting
    from properly.rules import BinaryRule
    from properly.typing import Column

# So many times are remembered for a picture; then every second one.
MOST_TIMES = 400


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
    """

    models: tuple[str, ...]
    against: str | float | None
    rule: BinaryRule
    level: float
    run_length: float | None

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
            return -math.log((1 - self.level) * share)
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

    def __post_init__(self) -> None:
        if not self.tracks:
            self._begin(None)

    def meet(self, names: list[str]) -> None:
        """Take in the groups of a batch that are new, in their order."""
        new = [name for name in dict.fromkeys(names) if name not in set(self.groups)]
        if not self.groups:
            self.first_groups = len(new)
        self.groups.extend(new)
        for name in new:
            self._begin(name)

    def _begin(self, group: str | None) -> None:
        for model, about in self.plan.claims:
            track = Track.new(about, restarts=self.plan.restarts, times=len(self.times))
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
        return self.plan.threshold(self.share(claim))

    def follow(self, cases: Waiting) -> None:
        """Count cases that are settled, in their order, whichever come together."""
        for block in self._blocks(cases):
            self._count(block)
            if self.units % self.step == 0:
                self._remember()

    def _blocks(self, cases: Waiting) -> Iterator[Waiting]:
        """Cut cases where the evidence is to be remembered."""
        begin = np.flatnonzero(np.diff(cases.unit, prepend=-1))
        ends, unit = [*begin[1:].tolist(), len(cases)], 0
        while unit < len(begin):
            last = min(unit + self.step - self.units % self.step, len(begin))
            yield cases.some(slice(int(begin[unit]), ends[last - 1]))
            unit = last

    def _count(self, block: Waiting) -> None:
        """Count the cases of a block, up to the first alarm if evidence begins anew after it."""
        fed, rest = dict(self._fed(block)), block
        restarts = self.plan.restarts
        while len(rest):
            paths = {
                claim: self.tracks[claim].follow(x, restarts=restarts) for claim, x in fed.items()
            }
            levels = {claim: log_mean(path, restarts=restarts) for claim, path in paths.items()}
            reached = self._reached(fed, levels)
            last = int(rest.unit[-1])
            if restarts and reached:
                last = min(reached.values())
                reached = {claim: unit for claim, unit in reached.items() if unit == last}
            self._alarm(rest, reached, fed, levels)
            for claim, x in fed.items():
                part = x.upto(last)
                if size := len(part.unit):
                    greatest = float(levels[claim][:size].max())
                    self.tracks[claim].count(part, paths[claim][size - 1].copy(), greatest)
            end = int(np.searchsorted(rest.unit, last, side="right"))
            self.units += int(np.unique(rest.unit[:end]).size)
            self.cases += end
            rest = rest.some(slice(end, None))
            if restarts and reached:
                for track in self.tracks.values():
                    track.restart()
            fed = {claim: y for claim, x in fed.items() if len((y := x.after(last)).unit)}

    def _fed(self, block: Waiting) -> Iterator[tuple[Claim, Fed]]:
        """Go through the claims that a block says something about."""
        present = np.unique(block.group).tolist() if self.groups else []
        for model, about in self.plan.claims:
            p = block.forecasts[:, self.plan.models.index(model)]
            gains = gains_of(about, self.plan.rule, block.y, p, self._against(block))
            yield Claim(model, about), Fed.of(block, gains, p)
            for number in present:
                rows = np.flatnonzero(block.group == number)
                claim = Claim(model, about, self.groups[number])
                yield claim, Fed.of(block.some(rows), gains[rows], p[rows])

    def _against(self, block: Waiting) -> Column | None:
        """Return the forecasts that others are compared with."""
        against = self.plan.against
        if against is None:
            return None
        if isinstance(against, str):
            return block.forecasts[:, self.plan.models.index(against)]
        return np.full(len(block), against)

    def _reached(self, fed: dict[Claim, Fed], levels: dict[Claim, Column]) -> dict[Claim, int]:
        """Return the unit at which each claim is an alarm for the first time, if it is one."""
        known = set() if self.plan.restarts else {found.claim for found in self.alarms}
        result = {}
        for claim, level in levels.items():
            beyond = np.flatnonzero(level >= self.threshold(claim))
            if beyond.size and claim not in known:
                result[claim] = int(fed[claim].unit[beyond[0]])
        return result

    def _alarm(
        self,
        block: Waiting,
        reached: dict[Claim, int],
        fed: dict[Claim, Fed],
        levels: dict[Claim, Column],
    ) -> None:
        """Put down alarms in the order in which they came."""
        for claim, unit in sorted(reached.items(), key=lambda item: item[1]):
            case = self.cases + int(np.searchsorted(block.unit, unit, side="right"))
            at = int(np.searchsorted(fed[claim].unit, unit))
            self.alarms.append(Found(claim, case, float(levels[claim][at])))

    def _remember(self) -> None:
        """Remember the evidence of this time; of too many times, every second one."""
        self.times.append(self.cases)
        for track in self.tracks.values():
            track.path.append(float(log_mean(track.sums, restarts=self.plan.restarts)))
        if len(self.times) == MOST_TIMES:
            self.step *= 2
            self.times = self.times[1::2]
            for track in self.tracks.values():
                track.path = track.path[1::2]
