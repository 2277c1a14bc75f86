"""What a monitor tells: the evidence for each claim, alarms, and what became of a batch."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from properly._boundary._record import Record
from properly._boundary._text import many, quoted

if TYPE_CHECKING:
    from properly.evaluation._monitor._ledger import Ledger
    from properly.evaluation._monitor._track import Claim
    from properly.typing import Column


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
        said = [
            f"{many(self.forecasts, 'new case')}",
            f"{many(self.outcomes, 'new outcome')}",
        ]
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
    about: str
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
    with np.errstate(over="ignore"):
        return float(np.exp(log))


def claim_in_words(ledger: Ledger, claim: Claim) -> str:
    """Say what there is evidence for."""
    within = "" if claim.group is None else f" in group {quoted(claim.group)}"
    if claim.about == "calibration":
        return f"forecasts of {quoted(claim.model)} are miscalibrated{within}"
    against = ledger.plan.against
    other = quoted(against) if isinstance(against, str) else f"always forecasting {against:g}"
    return f"{other} is better than {quoted(claim.model)} at times{within}"


def evidence_of(ledger: Ledger, claim: Claim) -> Evidence:
    """Tell the evidence for a claim."""
    track = ledger.tracks[claim]
    cases = max(track.cases, 1)
    # What is remembered last, if anything is, may be a while ago.
    beside = ledger.times[-1:] != [ledger.cases]
    return Evidence(
        times=np.array([*ledger.times, *[ledger.cases] * beside], np.int64),
        path=np.array([*track.path, *[track.now] * beside]),
        model=claim.model,
        about=claim.about,
        group=claim.group,
        cases=track.cases,
        events=track.events,
        mean_forecast=track.total / cases if track.cases else math.nan,
        event_rate=track.events / cases if track.cases else math.nan,
        log_evidence=track.now,
        log_greatest=track.greatest,
        log_threshold=ledger.threshold(claim),
        claim=claim_in_words(ledger, claim),
    )
