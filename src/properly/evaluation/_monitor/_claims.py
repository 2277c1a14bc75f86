"""Evidence of a monitor: the claims, what each has come to unit after unit, and records of it."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

import numpy as np

from properly._boundary._files import require
from properly._boundary._libraries import infinities
from properly._boundary._record import Record
from properly._boundary._stored import packed, unpacked
from properly._boundary._text import many, quoted
from properly.comparison import _bets
from properly.rules import BinaryRule
from properly.typing import Column

About = Literal["calibration", "comparison"]
BETS_ABOUT = {"calibration": len(_bets.SLOPE), "comparison": len(_bets.BETS)}


class Claim(NamedTuple):
    """What evidence is for: a model is miscalibrated, or another is better; for all or a group."""

    model: str
    about: About
    group: str | None = None


class TrackLook(NamedTuple):
    """Units of one claim in a block, and the evidence after each of them, as logarithms.

    Attributes
    ----------
    unit, cases, events, forecasts : array
        The number of each unit, its cases, the events among them, and the sum of their forecasts.
    path, floors : array
        Sums and floors of a track, followed by those of each unit.
    level : array
        The evidence after each unit.
    """

    unit: Column
    cases: Column
    events: Column
    forecasts: Column
    path: Column
    floors: Column
    level: Column

    def at(self, units: Column | int, before: float = 0.0) -> Any:
        """Return the evidence after some units; before the first, what it was before."""
        place = np.searchsorted(self.unit, units, side="right")
        return np.append(before, self.level)[place].tolist()


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
    def new(cls, about: About, plan: MonitorPlan, times: int = 0) -> Track:
        """Begin: with a capital of 1, or with none yet in the sum of a detector."""
        sums = np.full((plan.lag + 1, BETS_ABOUT[about]), -math.inf if plan.restarts else 0.0)
        return cls(sums, sums[:, 0].copy(), path=[0.0] * times)

    @classmethod
    def of(cls, numbers: Column, about: About, plan: MonitorPlan, times: int) -> Track:
        """Read what `numbers` has written, and require that it can have come about."""
        series = plan.lag + 1
        places = np.cumsum([series * BETS_ABOUT[about], series, 6])
        sums, floors, ends, path = np.split(numbers, places)
        units, cases, events = map(int, ends[:3])
        total, now, greatest = ends[3:].tolist()
        require(len(path) == times and len(floors) == series)
        require(plan.restarts or (numbers[: sums.size + series] > -np.inf).all())
        require(0 <= events <= cases and 0 <= units <= cases)
        require(0 <= total <= cases * (1 + 1e-9) and greatest >= max(now, 0.0))
        sums = sums.reshape(series, -1)
        return cls(sums, floors, units, cases, events, total, now, greatest, path.tolist())

    def numbers(self) -> Column:
        """Write the state as one column of numbers."""
        ends = (self.units, self.cases, self.events, self.total, self.now, self.greatest)
        return np.concatenate([np.ravel(self.sums), self.floors, ends, self.path])

    def look(
        self, cases: Column, gains: Column, worst: Column, p: Column, *, restarts: bool
    ) -> TrackLook:
        """Return the evidence that cases would lead to; nothing is changed.

        `gains` are the logarithms of what each bet gains, `worst` the least that it could have
        gained, whatever the outcome.
        """
        unit, begin, size = np.unique(cases["unit"], return_index=True, return_counts=True)
        if len(unit) < len(gains):
            # The mean of factors, however they depend, is a factor.
            gains, worst = (
                np.logaddexp.reduceat(x, begin, axis=0) - np.log(size)[:, np.newaxis]
                for x in (gains, worst)
            )
        series, units = len(self.sums), len(unit)
        path = np.concatenate([self.sums, gains])
        if restarts:
            # Each unit may be the first of a change: evidence from every beginning is added up.
            for last, row in zip(path, path[series:], strict=False):
                np.add(row, np.logaddexp(0, last), out=row)
        else:
            for k in range(series):
                path[k::series] = np.cumsum(path[k::series], axis=0)
        level, floors = _bets.log_mean(path)[1 : units + 1], self.floors
        if series > 1:
            before = np.logaddexp(0, path[:units]) if restarts else path[:units]
            floors = np.concatenate([floors, _bets.log_mean(before + worst)])
            for k in range(1, series):
                level = np.logaddexp(level, floors[k + 1 : k + 1 + units])
        # The mean of the series. A detector adds them up, since each sees only some of the units.
        level = np.logaddexp(0, level) if restarts else level - math.log(series)
        events, total = (np.add.reduceat(x, begin) for x in (cases["y"].astype(np.int64), p))
        return TrackLook(unit, size, events, total, path, floors, level)

    def count(self, look: TrackLook) -> None:
        """Put down units that were looked at."""
        series = len(self.sums)
        self.sums, self.floors = look.path[-series:].copy(), look.floors[-series:].copy()
        self.now = float(look.level[-1])
        self.greatest = max(self.greatest, float(look.level.max()))
        self.units += len(look.unit)
        self.cases += int(look.cases.sum())
        self.events += int(look.events.sum())
        # One after the other, so that it does not matter which came together.
        self.total = float(np.cumsum(np.append(self.total, look.forecasts))[-1])

    def restart(self) -> None:
        """Forget the evidence, not the counts."""
        self.sums, self.now, self.greatest = np.full_like(self.sums, -math.inf), 0.0, 0.0
        self.floors = self.sums[:, 0].copy()


def gains_of(about: About, rule: BinaryRule, happened: Column, p: Column, against: Any) -> Column:
    """Return the logarithms of what each bet gains in each case."""
    if about == "calibration":
        return _bets.recalibration_gains(happened, p)
    gain = _bets.relative_gain(rule, happened, p, np.broadcast_to(against, p.shape))
    return _bets.log_factors(gain[:, np.newaxis], _bets.BETS)


# So many times are remembered for a picture; then every second one.
MOST_TIMES = 400
# More than is ever counted, and less than arithmetic can hold.
MOST = 2**53
# So many units are looked at together, and fewer where each alarm makes one look again.
BLOCK, BLOCK_TO_RESTART = 2**13, 2**6


class MonitorPlan(NamedTuple):
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

    def in_words(self, claim: Claim) -> str:
        """Say what there is evidence for."""
        within = "" if claim.group is None else f" in group {quoted(claim.group)}"
        if claim.about == "calibration":
            return f"forecasts of {quoted(claim.model)} are miscalibrated{within}"
        named = isinstance(self.against, str)
        other = quoted(self.against) if named else f"always forecasting {self.against:g}"
        return f"{other} is better than {quoted(claim.model)} at times{within}"

    def alarm(self, claim: Claim, case: int, evidence: float) -> Alarm:
        """Make the record of an alarm."""
        return Alarm(*claim, case, evidence, self.in_words(claim))


def share_of_group(number: int, first: int) -> float:
    """Return the share of a group: equal among the first ones, and as much for all later ones.

    >>> [share_of_group(number, 3) for number in range(5)]
    [0.25, 0.25, 0.25, 0.125, 0.041666666666666664]
    """
    if number < first:
        return 1 / (first + 1)
    later = number - first + 1
    return 1 / (first + 1) / (later * (later + 1))


@dataclass(eq=False)
class Ledger:
    """The evidence of a monitor, which follows cases in the order of their forecasts.

    Attributes
    ----------
    plan : MonitorPlan
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
    alarms : list of Alarm
        What was found, in its order.
    """

    plan: MonitorPlan
    groups: list[str] = field(default_factory=list)
    first_groups: int = 0
    tracks: dict[Claim, Track] = field(default_factory=dict)
    units: int = 0
    cases: int = 0
    times: list[int] = field(default_factory=list)
    step: int = 1
    alarms: list[Alarm] = field(default_factory=list)

    def __post_init__(self) -> None:
        if not self.tracks:
            self._begin(None)

    @classmethod
    def of(cls, content: dict[str, Any], plan: MonitorPlan) -> Ledger:
        """Read what `stored` has written: of each claim about all cases, then about each group."""
        groups, times = content["groups"], counts_from(content["times"])
        first, units, cases, step, _ = counts_from(content["counts"])
        require(type(groups) is list and all(type(x) is str for x in groups))
        require(first <= len(groups) and units <= cases and step >= 1)
        require(len(times) == units // step < MOST_TIMES and times[-1:] <= [cases])
        claims = [Claim(*x, group) for group in (None, *groups) for x in plan.claims]
        tracks = {
            claim: Track.of(_floats(x), claim.about, plan, len(times))
            for claim, x in zip(claims, content["tracks"], strict=True)
        }
        require(all(x.cases <= cases and x.units <= units for x in tracks.values()))
        require(all(tracks[Claim(*x)].cases == cases for x in plan.claims))
        rows = zip(unpacked(content["alarms"]).tolist(), _floats(content["evidence"]), strict=True)
        alarms = [plan.alarm(claims[k], case, float(evidence)) for (k, case), evidence in rows]
        require(all(x.case <= cases for x in alarms))
        return cls(plan, groups, first, tracks, units, cases, times, step, alarms)

    def stored(self, overlap: int) -> dict[str, Any]:
        """Write it as a file holds it, with the overlap among the counts."""
        claims = list(self.tracks)
        counts = (self.first_groups, self.units, self.cases, self.step, overlap)
        alarms = [(claims.index(claim_of(x)), x.case) for x in self.alarms]
        return {
            "models": list(self.plan.models),
            "groups": self.groups,
            "counts": packed(np.array(counts, np.uint64)),
            "times": packed(np.array(self.times, np.uint64)),
            "tracks": [packed(track.numbers()) for track in self.tracks.values()],
            "alarms": packed(np.array(alarms, np.uint64).reshape(-1, 2)),
            "evidence": packed(np.array([x.evidence for x in self.alarms], np.float64)),
        }

    def meet(self, names: list[str]) -> None:
        """Take in the groups of a batch that are new, in the order of their names."""
        new = sorted({*names} - {*self.groups})
        if not self.groups:
            self.first_groups = len(new)
        self.groups.extend(new)
        for name in new:
            self._begin(name)

    def _begin(self, group: str | None) -> None:
        for model, about in self.plan.claims:
            self.tracks[Claim(model, about, group)] = Track.new(about, self.plan, len(self.times))

    def threshold(self, claim: Claim) -> float:
        """Return the logarithm of the evidence that is an alarm, by its share of the error rate."""
        share, plan = 1 / len(self.plan.claims), self.plan
        if self.groups:
            share /= 2
        if claim.group is not None:
            share *= share_of_group(self.groups.index(claim.group), self.first_groups)
        if plan.run_length is None:
            return -math.log1p(-plan.level) - math.log(share)
        return math.log1p(plan.run_length / share)

    def follow(self, cases: Column) -> None:
        """Count cases that are settled, in their order, whichever come together."""
        ends = np.append(np.flatnonzero(np.diff(cases["unit"])) + 1, len(cases))
        most, begin = BLOCK_TO_RESTART if self.plan.restarts else BLOCK, 0
        for end in [*ends[most - 1 :: most].tolist(), len(cases)]:
            self._count(cases[begin:end])
            begin = end

    def _count(self, block: Column) -> None:
        """Count the cases of a block, anew after each alarm if evidence then begins anew."""
        while len(block):
            looks, rest = self._looks(block), block[:0]
            reached = self._reached(looks)
            begins_anew = self.plan.restarts and bool(reached)
            if begins_anew:
                last = min(reached.values())
                reached = {claim: unit for claim, unit in reached.items() if unit == last}
                end = int(np.searchsorted(block["unit"], last, side="right"))
                block, rest = block[:end], block[end:]
                looks = self._looks(block)
            for claim, unit in sorted(reached.items(), key=lambda item: item[1]):
                case = self.cases + int(np.searchsorted(block["unit"], unit, side="right"))
                self.alarms.append(self.plan.alarm(claim, case, exp(looks[claim].at(unit))))
            units, size = np.unique(block["unit"], return_counts=True)
            self._remember(units, size, looks, begins_anew=begins_anew)
            for claim, look in looks.items():
                self.tracks[claim].count(look)
            self.units += len(units)
            self.cases += len(block)
            for track in self.tracks.values() if begins_anew else ():
                track.restart()
            block = rest

    def _looks(self, block: Column) -> dict[Claim, TrackLook]:
        """Return the evidence that a block would lead to, for each claim that it is about."""
        plan, looks = self.plan, {}
        parts: dict[str | None, Any] = {None: slice(None)}
        for number in np.unique(block["group"]).tolist() if self.groups else ():
            parts[self.groups[number]] = np.flatnonzero(block["group"] == number)
        columns: dict[Any, Column] = dict(zip(plan.models, block["forecasts"].T, strict=True))
        others: Any = columns.get(plan.against, plan.against)
        happened = block["y"] == 1
        for model, about in plan.claims:
            p = columns[model]
            gains = worst = gains_of(about, plan.rule, happened, p, others)
            if plan.lag:
                worst = np.minimum(gains, gains_of(about, plan.rule, ~happened, p, others))
                # A certain forecast that was wrong needs no confirmation.
                worst[np.isinf(gains)] = np.inf
            for group, rows in parts.items():
                claim, own = Claim(model, about, group), (x[rows] for x in (block, gains, worst, p))
                looks[claim] = self.tracks[claim].look(*own, restarts=plan.restarts)
        return looks

    def evidence_of(self, claim: Claim) -> Evidence:
        """Return the evidence for a claim."""
        track = self.tracks[claim]
        # What is remembered last, if anything is, may be a while ago.
        beside = self.times[-1:] != [self.cases]
        times = np.array([*self.times, *[self.cases] * beside], np.int64)
        path = np.array([*track.path, *[track.now] * beside])
        with infinities():
            mean, rate = np.divide([track.total, track.events], track.cases).tolist()
        logs = (track.now, track.greatest, self.threshold(claim))
        counts = (track.cases, track.events, mean, rate)
        return Evidence(times, path, *claim, *counts, *logs, self.plan.in_words(claim))

    def _reached(self, looks: dict[Claim, TrackLook]) -> dict[Claim, int]:
        """Return the unit at which each claim is an alarm for the first time, if it is one."""
        known = set() if self.plan.restarts else set(map(claim_of, self.alarms))
        result = {}
        for claim, look in looks.items():
            beyond = np.flatnonzero(look.level >= self.threshold(claim))
            if beyond.size and claim not in known:
                result[claim] = int(look.unit[beyond[0]])
        return result

    def _remember(
        self, unit: Column, size: Column, looks: dict[Claim, TrackLook], *, begins_anew: bool
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
            levels = [track.now] * len(at)
            if claim in looks:
                levels = looks[claim].at(unit[at], track.now)
            if begins_anew and number[-1] % self.step == 0:
                levels[-1] = 0.0
            track.path += levels


def counts_from(stored: dict[str, Any]) -> list[int]:
    """Read whole numbers that arithmetic can hold."""
    column = unpacked(stored)
    require(column.ndim == 1 and column.dtype == np.uint64 and (column < MOST).all())
    return list(column.tolist())


def _floats(stored: dict[str, Any]) -> Column:
    column = unpacked(stored)
    require(column.ndim == 1 and not np.isnan(column).any())
    return column


class Added(NamedTuple):
    """What became of the rows of a batch.

    Attributes
    ----------
    forecasts : int
        Cases that are new.
    outcomes : int
        Cases, of this batch or an earlier one, whose outcome is new.
    again : int
        Rows that were known already, and are not counted twice.
    early : int
        Outcomes that were put aside, since their forecasts have not come yet.

    Examples
    --------
    >>> import properly
    >>> monitor = properly.Monitor()
    >>> monitor.add([1, 0], [0.2, 0.3], ids=["a", "b"])
    Added(forecasts=2, outcomes=2, again=0, early=0)
    >>> monitor.add([1, 0, 1], [0.2, 0.3, 0.4], ids=["a", "b", "c"])
    Added(forecasts=1, outcomes=1, again=2, early=0)
    """

    forecasts: int = 0
    outcomes: int = 0
    again: int = 0
    early: int = 0

    def __str__(self) -> str:
        """Say it in a line."""
        said = [f"{many(self.forecasts, 'new case')}", f"{many(self.outcomes, 'new outcome')}"]
        if self.again:
            said.append(f"{many(self.again, 'row')} known already")
        if self.early:
            said.append(f"{many(self.early, 'outcome')} without a forecast yet")
        return ", ".join(said)


@dataclass(frozen=True, eq=False, repr=False)
class Alarm(Record):
    """An alarm, and what it was about.

    Attributes
    ----------
    model : str
        Name of the model.
    about : {"calibration", "comparison"}
        Whether its forecasts are miscalibrated, or others are better at times.
    group : str or None
        The group of cases; None for all.
    case : int
        After how many cases it was raised, in the order of forecasts.
    evidence : float
        The evidence at that time.
    claim : str
        What it says, in words.

    Examples
    --------
    >>> import properly
    >>> monitor = properly.Monitor()
    >>> _ = monitor.add([1, 1, 1, 1, 1], [0.2, 0.3, 0.1, 0.1, 0.2])
    >>> print(monitor.alarms[0])
    Alarm after 5 cases: forecasts of 'forecast' are miscalibrated (evidence 22.18).
    """

    model: str
    about: About
    group: str | None
    case: int
    evidence: float
    claim: str

    def __repr__(self) -> str:
        return f"Alarm({self.claim!r}, after {many(self.case, 'case')})"

    def __str__(self) -> str:
        """Say it in a sentence."""
        said = f"evidence {self.evidence:.4g}"
        if math.isinf(self.evidence):
            said = "what had been called impossible happened"
        return f"Alarm after {many(self.case, 'case')}: {self.claim} ({said})."


@dataclass(frozen=True, eq=False, repr=False)
class Evidence(Record):
    """Evidence for one claim about a model, valid whenever it is looked at.

    Attributes
    ----------
    times, path : array
        After how many cases of the monitor the logarithm of the evidence is remembered, and it; up
        to 400 times, and the last one.
    model : str
        Name of the model.
    about : {"calibration", "comparison"}
        Whether its forecasts are miscalibrated, or others are better at times.
    group : str or None
        The group of cases; None for all.
    cases, events : int
        The cases that were counted, and how often the event happened.
    mean_forecast, event_rate : float
        The mean of the forecasts that are watched, and the share of events; NaN without cases.
    log_evidence : float
        The natural logarithm of the evidence now.
    log_greatest : float
        The greatest so far; of a monitor that restarts, since the last alarm.
    log_threshold : float
        The logarithm of the evidence that is an alarm.
    claim : str
        What there is evidence for, in words.

    Examples
    --------
    >>> import properly
    >>> monitor = properly.Monitor()
    >>> _ = monitor.add([1, 1, 1, 1], [0.2, 0.3, 0.1, 0.1])
    >>> monitor.evidence[0]
    Evidence("forecasts of 'forecast' are miscalibrated", 9.63 of 20)
    """

    times: Column
    path: Column
    model: str
    about: str
    group: str | None
    cases: int
    events: int
    mean_forecast: float
    event_rate: float
    log_evidence: float
    log_greatest: float
    log_threshold: float
    claim: str

    _series = ("times", "path")
    _derived = ("evidence", "threshold")

    @property
    def evidence(self) -> float:
        """The evidence now: 1 at the start; infinite also if a float cannot hold it."""
        return exp(self.log_evidence)

    @property
    def threshold(self) -> float:
        """The evidence that is an alarm."""
        return exp(self.log_threshold)

    @property
    def rates(self) -> str:
        """What was forecast and what happened, in words."""
        said, happened = 100 * self.mean_forecast, 100 * self.event_rate
        return f"{said:.2f} % forecast on average, {happened:.2f} % happened"

    def __repr__(self) -> str:
        return f"Evidence({self.claim!r}, {self.evidence:.4g} of {self.threshold:.4g})"

    def __str__(self) -> str:
        """Say it in a sentence."""
        rates = f": {self.rates}" if self.cases else ""
        most = f"{exp(self.log_greatest):.4g} at most, {self.threshold:.4g} is an alarm"
        return (
            f"Evidence {self.evidence:.4g} that {self.claim} ({most}); "
            f"{many(self.cases, 'case')}{rates}."
        )


def exp(log: float) -> float:
    """Return the exponential, or infinity if that is too much."""
    with infinities():
        return float(np.exp(log))


def claim_of(alarm: Alarm) -> Claim:
    """Return the claim that an alarm was about."""
    return Claim(alarm.model, alarm.about, alarm.group)
