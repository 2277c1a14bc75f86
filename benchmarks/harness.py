"""Rows of the benchmark, and how one is measured: alternately, in rounds, as a ratio."""

from __future__ import annotations

import gc
import math
import statistics
import time
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

Data = TypeVar("Data")

# A round of a cheap row is repeated for about so many seconds, and no row more often than this.
ROUND_SECONDS = 1.0
MOST_REPEATS = 50
# Sides that take longer than this together run once a round.
SLOW_SECONDS = 5.0


@dataclass(frozen=True)
class Quantity:
    """What is compared: how one call is measured, and in which unit."""

    unit: str
    of: Callable[[Callable[[Any], Any], Any], float]


def _elapsed(function: Callable[[Any], Any], data: Any) -> float:
    start = time.perf_counter()
    function(data)
    return time.perf_counter() - start


def _returned(function: Callable[[Any], Any], data: Any) -> float:
    return float(function(data))


TIME = Quantity("seconds", _elapsed)
# For what a clock around the call cannot see: the call measures and returns the number itself.
REPORTED_TIME = Quantity("seconds", _returned)
REPORTED_MEMORY = Quantity("bytes", _returned)


@dataclass(frozen=True)
class Row(Generic[Data]):
    """One comparison.

    Attributes
    ----------
    name, against : str
        What is measured, and what it is held against.
    make : callable
        Makes the data, given the number of cases.
    ours, peer : callable
        The two things to compare, each given the data.
    target : str or None
        Such as ``"<= 2.2"`` or ``">= 5"``; None for a number that is only recorded. A least
        target asks for the peer divided by us (how many times faster we are), any other for us
        divided by the peer.
    cases : int
        The size of the data, unless the command line asks for another; 0 for a row without data.
    quantity : Quantity
        What is compared, the time of a call if nothing is said.
    needs : tuple of str
        Modules without which the row is left out.
    tolerance : float or None
        Set if both return the same numbers: a test then holds them together, to so much.
    """

    name: str
    against: str
    make: Callable[[int], Data]
    ours: Callable[[Data], Any]
    peer: Callable[[Data], Any]
    target: str | None = None
    cases: int = 10_000_000
    quantity: Quantity = TIME
    needs: tuple[str, ...] = ()
    tolerance: float | None = None

    @property
    def label(self) -> str:
        """Both names without their markup, for messages and for choosing rows."""
        return f"{self.name} / {self.against}".replace("`", "")

    @property
    def is_times_faster(self) -> bool:
        """Whether the ratio is the peer's divided by ours."""
        return self.target is not None and self.target.startswith(">=")

    @property
    def missing(self) -> tuple[str, ...]:
        """Modules that the row needs and that are not installed."""
        return tuple(module for module in self.needs if find_spec(module) is None)

    def ratio(self, ours: float, peer: float) -> float:
        """Divide in the direction of the target."""
        return peer / ours if self.is_times_faster else ours / peer

    def holds(self, ratio: float) -> bool | None:
        """Hold a ratio against the target, if there is one."""
        if self.target is None:
            return None
        bound = float(self.target.removeprefix("<=").removeprefix(">="))
        return ratio >= bound if self.is_times_faster else ratio <= bound


@dataclass(frozen=True)
class Result:
    """What was measured for one row.

    Attributes
    ----------
    row : Row
        The comparison.
    cases : int
        The size of the data.
    repeats : int
        How often each side ran in a round.
    ours, peer : tuple of float
        Medians of the rounds.
    """

    row: Row[Any]
    cases: int
    repeats: int
    ours: tuple[float, ...]
    peer: tuple[float, ...]

    @property
    def ratios(self) -> tuple[float, ...]:
        """One ratio a round."""
        return tuple(map(self.row.ratio, self.ours, self.peer))

    @property
    def median(self) -> float:
        """Median of the rounds' ratios, which is what a target is held against."""
        return statistics.median(self.ratios)

    @property
    def spread(self) -> tuple[float, float]:
        """Least and greatest ratio of a round."""
        return min(self.ratios), max(self.ratios)

    @property
    def holds(self) -> bool | None:
        """Whether the target holds; None without a target."""
        return self.row.holds(self.median)

    def to_dict(self) -> dict[str, object]:
        """Return everything for the JSON file."""
        return {
            "name": self.row.name,
            "against": self.row.against,
            "ratio": "peer / ours" if self.row.is_times_faster else "ours / peer",
            "target": self.row.target,
            "holds": self.holds,
            "median": self.median,
            "spread": list(self.spread),
            "ratios": list(self.ratios),
            "unit": self.row.quantity.unit,
            "ours": list(self.ours),
            "peer": list(self.peer),
            "cases": self.cases,
            "repeats": self.repeats,
        }


def measure(
    row: Row[Data], *, rounds: int, cases: int | None = None, round_seconds: float = ROUND_SECONDS
) -> Result:
    """Measure both sides of a row in turn.

    Machines slow down and speed up while one measures. Both sides run alternately and only ratios
    within a round are formed, so that a drift meets both; the side that goes first changes from
    round to round.

    Parameters
    ----------
    row : Row
        The comparison.
    rounds : int
        How many ratios to form.
    cases : int, optional
        The size of the data, if not the row's own.
    round_seconds : float
        Sides that are quick run more than twice in a round, for about so long; those that are slow
        run once.
    """
    cases = row.cases if cases is None or row.cases == 0 else cases
    data = row.make(cases)
    start = time.perf_counter()
    row.quantity.of(row.ours, data)
    row.quantity.of(row.peer, data)
    warm_up = time.perf_counter() - start
    least = 1 if warm_up > SLOW_SECONDS else 2
    repeats = min(MOST_REPEATS, max(least, math.ceil(round_seconds / warm_up)))
    medians = [_round(row, data, repeats, ours_first=i % 2 == 0) for i in range(rounds)]
    ours, peer = zip(*medians, strict=True)
    return Result(row, cases, repeats, ours, peer)


def _round(row: Row[Data], data: Data, repeats: int, *, ours_first: bool) -> tuple[float, float]:
    """Run A B A B or B A B A, and return the median of each side, ours first."""
    sides = (row.ours, row.peer) if ours_first else (row.peer, row.ours)
    with _without_garbage_collection():
        runs = [[row.quantity.of(side, data) for side in sides] for _ in range(repeats)]
    first, second = (statistics.median(side) for side in zip(*runs, strict=True))
    return (first, second) if ours_first else (second, first)


@contextmanager
def _without_garbage_collection() -> Iterator[None]:
    """Collect before, not while, one measures."""
    was_enabled = gc.isenabled()
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()
