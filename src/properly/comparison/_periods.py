"""Scores in consecutive periods of time, and how times are cut into periods."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from properly._boundary._libraries import to_numpy
from properly._boundary._notices import notice
from properly._boundary._options import check_level, check_whole
from properly._boundary._record import Record
from properly._boundary._text import many, numbers, ranges, table, wrapped
from properly.comparison._groups import about_event
from properly.counts._calls import takes_rows
from properly.counts._cases import Cases, numbered, rows_in_use
from properly.counts._scoring import losses, unit_of
from properly.errors import ArgumentTypeError, DataError
from properly.inference._design import TIMES, Design, times_of
from properly.inference._intervals import loss_range
from properly.inference._variance import covariance, of_mean
from properly.rules import Rule
from properly.rules._class_rule import require_class_rule
from properly.rules._rule import require_binary
from properly.typing import Column

# So many times are periods by themselves; more are put together into so many periods.
NATURAL, USUAL = 24, 12
# With fewer cases, a period is counted and nothing else is said of it.
FEWEST = 10
# With fewer events, or non-events, intervals cover a few per cent less than they say.
FEW = 20
METHODS = {
    "clusters": "Student's t over the clusters of a period",
    "clusters by times": (
        "Student's t, allowing for the clusters of a period and for dependence between its times"
    ),
    "times": "Student's t, allowing for dependence between the times of a period",
    "independent cases": (
        "Student's t; cases of a period are taken as independent, since most periods have fewer "
        f"than {TIMES} times"
    ),
}
COLUMNS = ("cases", "events", "score", "lower", "upper", "event_rate", "mean_forecast")


class Periods(NamedTuple):
    """First and last time of each period, and the number of that of each case."""

    start: Column
    end: Column
    number: Column


def cut(time: Column, at: Column, periods: int | None) -> Periods:
    """Put neighbouring times together, so that periods have about equal numbers of cases.

    Without a number of periods it follows from that of the times, whose numbers are given too.
    """
    count = np.bincount(at)
    times = np.empty(len(count), time.dtype)
    times[at] = time
    usual = NATURAL if len(times) <= NATURAL else USUAL
    most = usual if periods is None else check_whole(periods, "periods")
    # A time belongs to the period in which the middle one of its cases would be.
    middle = np.cumsum(count) - count / 2
    place = (middle * most / count.sum()).astype(np.intp)
    if len(times) <= most:
        place = np.arange(len(times))
    first = np.flatnonzero(np.diff(place, prepend=-1))
    last = np.append(first[1:] - 1, len(times) - 1)
    number = np.searchsorted(first, at, side="right") - 1
    return Periods(times[first], times[last], number)


def words(time: Column) -> list[str]:
    """Write times without hours if there are none."""
    if time.dtype.kind == "M":
        days = time.astype("datetime64[D]")
        whole = bool((days == time).all())
        return [str(x) for x in (days if whole else time.astype("datetime64[s]"))]
    if time.dtype.kind == "f":
        return [f"{x:.10g}" for x in time.tolist()]
    return [str(x) for x in (time if time.dtype.kind == "m" else time.tolist())]


def as_objects(time: Column) -> list[Any]:
    """Return times that any frame can hold: dates in microseconds, not in whole numbers."""
    return [*(time.astype(f"{time.dtype.kind}8[us]") if time.dtype.kind in "mM" else time).tolist()]


@dataclass(frozen=True, eq=False, repr=False)
class OverTime(Record):
    """Scores in consecutive periods of time, one entry a period.

    Attributes
    ----------
    start, end : array
        The first and the last time of each period.
    cases : array
        Cases of positive weight.
    events : array or None
        How many of them had the event; None for classes.
    score, lower, upper : array
        The mean score, and its interval; NaN with fewer than ten cases.
    event_rate, mean_forecast : array or None
        The share of the weight that had the event, and the mean probability forecast; None for
        classes.
    rule, unit : str
        The name of the rule, and the rule as it is written.
    design : str
        What is independent within a period: ``"clusters"``, ``"times"``, nearly so, both, or
        ``"independent cases"``.
    method : str
        How the intervals were found.
    level : float
        Coverage aimed at by the interval of one period.

    Examples
    --------
    >>> import properly
    >>> from properly.rules import Brier
    >>> cases = properly.Cases([0, 1] * 50, [0.2, 0.6] * 50, time=[1] * 40 + [2] * 60)
    >>> found = properly.over_time(cases, Brier())
    >>> found
    OverTime(2 periods, brier)
    >>> found.start, found.cases
    (array([1, 2]), array([40, 60]))
    """

    start: Column
    end: Column
    cases: Column
    events: Column | None
    score: Column
    lower: Column
    upper: Column
    event_rate: Column | None
    mean_forecast: Column | None
    rule: str
    unit: str
    design: str
    method: str
    level: float

    _optional = ("events", "event_rate", "mean_forecast")

    def __len__(self) -> int:
        """Count the periods."""
        return len(self.cases)

    def __repr__(self) -> str:
        return f"OverTime({many(len(self), 'period')}, {self.rule})"

    @property
    def name(self) -> list[str]:
        """The periods in words: a time, or the first and the last of them."""
        both = zip(words(self.start), words(self.end), strict=True)
        return [start if start == end else f"{start} to {end}" for start, end in both]

    def __str__(self) -> str:
        """Lay out the periods, one line each, and say how the intervals were found."""
        columns = {"period": self.name, "cases": [f"{n:,}" for n in self.cases.tolist()]}
        if self.events is not None:
            columns["events"] = [f"{n:,}" for n in self.events.tolist()]
        if self.event_rate is not None and self.mean_forecast is not None:
            columns["event rate"] = numbers(self.event_rate)
            columns["mean forecast"] = numbers(self.mean_forecast)
        columns[self.unit] = numbers(self.score)
        ends = np.stack([self.lower, self.upper], axis=1)
        columns[f"{100 * self.level:g} % interval"] = ranges(ends)
        laid_out = table([*columns], zip(*columns.values(), strict=True))
        return f"{laid_out}\n\n{wrapped(f'{self.method}.')}"

    def to_dict(self) -> dict[str, Any]:
        """Return all numbers by name, as JSON can hold them; dates become text."""
        result = super().to_dict()
        if self.start.dtype.kind in "mM":
            result |= {name: words(x) for name, x in (("start", self.start), ("end", self.end))}
        return result

    def _columns(self) -> dict[str, list[Any]]:
        """Return one row a period."""
        arrays = ((name, getattr(self, name)) for name in COLUMNS)
        columns = {name: x.tolist() for name, x in arrays if x is not None}
        return {"start": as_objects(self.start), "end": as_objects(self.end)} | columns


@takes_rows
def over_time(
    cases: Cases,
    rule: Rule | str = "brier",
    *,
    periods: int | None = None,
    level: float = 0.95,
) -> OverTime:
    r"""Score cases in consecutive periods of time.

    The mean score of a period has the interval :math:`\bar S \pm t_\nu \sqrt V` of
    `properly.score_interval`, from the cases of that period alone.

    Parameters
    ----------
    cases : Cases
        With ``time=``, numbers or dates. Weights and clusters are allowed for.
    rule : Rule or str
        Any rule, for an event or for classes, or its name.
    periods : int, optional
        At most so many periods of about equal numbers of cases. Without it, every time is a period
        if there are no more than 24 of them, else there are 12 periods.
    level : float
        Coverage aimed at by the interval of one period.

    Returns
    -------
    OverTime

    Notes
    -----
    A time is never split between periods. With fewer than ten cases a period is only counted.

    *Within a period* cases are taken to depend on one another as their clusters say. Dependence
    between times is allowed for if most periods have 20 of them, and others then have no interval.
    Else, without clusters, cases of a period are taken as independent; give ``clusters=`` equal to
    the times if cases of one time are not. Strata are left out of account.

    *Between periods* nothing is compared. Scores go up and down with the event rate, so look at
    that before calling forecasts worse than they were. Some interval in twenty misses by chance;
    `properly.Monitor` is made for watching.

    Examples
    --------
    >>> import properly
    >>> from properly.rules import Brier
    >>> crash = properly.datasets.crash()
    >>> cases = properly.Cases(
    ...     crash.died,
    ...     crash.forecasts["logistic"],
    ...     clusters=crash.cluster,
    ...     time=crash.year,
    ... )
    >>> print(properly.over_time(cases, Brier()))
    period  cases  events  event rate  mean forecast   Brier     95 % interval
    2001    4,115     172      0.0418         0.0411  0.0328  0.0282 to 0.0375
    2002    4,764     199      0.0418         0.0372  0.0332  0.0288 to 0.0376
    <BLANKLINE>
    Student's t over the clusters of a period.
    """
    _require_time(cases)
    rule = require_class_rule(rule) if cases.classes else require_binary(rule)
    level = check_level(level)
    _, _, weight, used = rows_in_use(cases)
    at = times_of(cases)
    result = cut(to_numpy(cases.time)[used], at, periods)
    cluster = None if cases.clusters is None else numbered(to_numpy(cases.clusters)[used])[0]
    sampled, loss = Design(weight, cluster, None, at), losses(cases, rule)
    count = np.bincount(result.number)
    members = np.split(np.argsort(result.number, kind="stable"), np.cumsum(count)[:-1])
    design = _words(sampled, members)
    score, *ends = np.array([_score(loss, some, sampled, design, level) for some in members]).T
    lower, upper = np.clip(ends, *loss_range(rule, cases.classes))
    about = about_event(cases, result.number, count, fewest=FEWEST)
    _warn(about["events"], count, ~np.isnan(lower))
    return OverTime(
        start=result.start,
        end=result.end,
        cases=count,
        score=score,
        lower=lower,
        upper=upper,
        **about,
        rule=rule.name,
        unit=unit_of(rule),
        design=design,
        method=METHODS[design],
        level=level,
    )


def _require_time(cases: object) -> None:
    hint = "write properly.Cases(y, p, time=column)."
    if not isinstance(cases, Cases):
        message = f"this needs Cases with times; got {type(cases).__name__}"
        raise ArgumentTypeError(message, hint=hint)
    if cases.time is None:
        message = "this needs the time of each case; these cases have none"
        raise DataError(message, hint=hint)


def _words(design: Design, members: Iterable[Column]) -> str:
    """Say what to take as independent within periods; a few times do not tell how they depend."""
    time = np.asarray(design.time)
    # A period has all times from its first to its last.
    times = [np.ptp(time[some]) + 1 for some in members if len(some) >= FEWEST]
    is_long = bool(times) and np.median(times) >= TIMES
    if design.cluster is not None:
        return "clusters by times" if is_long else "clusters"
    return "times" if is_long else "independent cases"


def _score(
    loss: Column, some: Column, whole: Design, words: str, level: float
) -> tuple[float, float, float]:
    """Return the mean score of some cases, and its interval."""
    if len(some) < FEWEST:
        return np.nan, np.nan, np.nan
    (value,), influence = of_mean(loss[None, some], whole.weight[some])
    if np.isinf(value):
        return value, np.nan, value
    cluster = None if whole.cluster is None else numbered(whole.cluster[some])[0]
    at = np.asarray(whole.time)[some]
    time = at - at.min() if "times" in words else None
    own = Design(whole.weight[some], cluster, None, time)
    if time is not None and own.times < TIMES:
        return value, np.nan, np.nan
    half = covariance(influence, own).half_widths(level)[0]
    return value, value - half, value + half


def _warn(events: Column | None, count: Column, bounded: Column) -> None:
    """Warn of periods whose intervals cover less than they say."""
    rarer = count if events is None else np.minimum(events, count - events)
    few = int((bounded & (rarer < FEW)).sum())
    if few:
        what = "cases" if events is None else "events, or non-events"
        message = (
            f"in {few} of {many(len(count), 'period')} there are fewer than {FEW} {what}: "
            "intervals there may cover a few per cent less than their level"
        )
        notice(message)
