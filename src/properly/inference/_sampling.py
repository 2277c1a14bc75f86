"""What is drawn from, unit by unit: cases, kinds of cases, whole clusters, or times."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np

from properly._boundary._libraries import to_numpy
from properly._boundary._notice import notice
from properly._boundary._plain import many
from properly.counts._cases import rows_in_use
from properly.counts._tally import Tally
from properly.errors import DataError
from properly.inference._design import Design
from properly.inference._replicates import Kinds, Units

if TYPE_CHECKING:
    from properly.counts._cases import Cases

Column: TypeAlias = np.ndarray[Any, Any]
Kind: TypeAlias = Literal["cases", "clusters", "blocks"]

# With fewer clusters, or fewer times, drawing them says too little about how they vary.
FEWEST = 20


@dataclass(frozen=True, eq=False)
class Sample:
    """What is drawn from.

    Attributes
    ----------
    source : Tally or Cases
        Where it comes from.
    y, p, weight : numpy array
        The rows of positive weight. Those of a tally are kinds of cases, each of weight 1.
    unit : numpy array
        The number of the unit that each row belongs to; units of one stratum are neighbours.
    number : numpy array
        How often each unit is there.
    size : numpy array
        The number of units in each stratum.
    kind, design : str
        What is drawn, and how cases were taken to be sampled.
    """

    source: Tally | Cases
    y: Column
    p: Column
    weight: Column
    unit: Column
    number: Column
    size: Column
    kind: Kind
    design: str

    @property
    def sampler(self) -> Units | Kinds:
        """What draws units, if not in blocks."""
        return Kinds(self.number) if isinstance(self.source, Tally) else Units(self.size)

    @property
    def strata(self) -> list[slice]:
        """Where the units of each stratum are."""
        last = np.cumsum(self.size).tolist()
        return [slice(stop - size, stop) for stop, size in zip(last, self.size, strict=True)]

    def add_up(self, amount: Column) -> Column:
        """Add amounts of rows up over each unit."""
        return np.bincount(self.unit, amount, len(self.number))


def sample_of(source: Tally | Cases) -> Sample:
    """Give what is to be drawn numbers: kinds of cases, cases, whole clusters, or times."""
    if isinstance(source, Tally):
        return _kinds_of(source)
    y, p, weight, _ = rows_in_use(source)
    design = Design.of(source)
    unit, kind = _units_of(design)
    stratum = design.stratum_of_units()
    if design.stratum is not None:
        # Units move next to the others of their stratum.
        unit = np.argsort(np.argsort(stratum, kind="stable"), kind="stable")[unit]
    size = np.bincount(stratum)
    once = np.ones(design.units, dtype=np.int64)
    return Sample(source, y, p, weight, unit, once, size, kind, design.told)


def _units_of(design: Design) -> tuple[Column, Kind]:
    if design.time is not None:
        if design.units < FEWEST:
            message = f"blocks of times need at least {FEWEST} different times; got {design.units}"
            raise DataError(message, hint="leave out time to take the cases as independent.")
        return design.time, "blocks"
    if design.cluster is None:
        return np.arange(len(design.weight)), "cases"
    if design.units < FEWEST:
        message = (
            f"drawing clusters says too little with fewer than about {FEWEST}; got {design.units}"
        )
        notice(message)
    return design.cluster, "clusters"


def _kinds_of(tally: Tally) -> Sample:
    """Take cases of one forecast and one outcome as alike: events first, then all others."""
    if tally.event_squares is not None:
        message = "cases of fractional weight are drawn one by one; a tally has only their sums"
        raise DataError(message, hint="pass properly.Cases(y, p, weight=w) instead of the tally.")
    value, weight, events = map(to_numpy, (tally.value, tally.weight, tally.events))
    number = np.concatenate([events, weight - events])
    used = np.flatnonzero(number)
    kinds = len(used)
    y, p = used < len(value), value[used % len(value)]
    told = many(int(weight.sum()), "independent case")
    one, size = np.ones(kinds), np.array([kinds])
    return Sample(tally, y, p, one, np.arange(kinds), number[used], size, "cases", told)
