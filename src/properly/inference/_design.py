"""How cases were sampled: by themselves, in clusters, from strata, or one after the other."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, TypeAlias, get_args

import numpy as np

from properly._boundary._libraries import to_numpy
from properly._boundary._options import check_choice
from properly._boundary._record import many
from properly.counts._cases import is_in_place, number_clusters, numbered, rows_in_use, without_time
from properly.errors import DataError

if TYPE_CHECKING:
    from properly.counts._cases import Cases
    from properly.typing import Column

Serial: TypeAlias = Literal["cosines", "newey-west", "newey-west-auto"]

# Fewer times say too little about dependence between them.
TIMES = 20


@dataclass(frozen=True, eq=False)
class Design:
    """How the cases of positive weight were sampled.

    Attributes
    ----------
    weight : numpy array
        The weight of each.
    cluster, stratum, time : numpy array or None
        The number of its cluster, of its stratum and of its time, each from 0, in order.
    serial : str
        How dependence in time is allowed for.
    """

    weight: Column
    cluster: Column | None = None
    stratum: Column | None = None
    time: Column | None = None
    serial: Serial = "cosines"

    @classmethod
    def of(cls, cases: Cases, serial: Serial = "cosines") -> Design:
        """Give clusters, strata and times numbers; refuse what does not go together."""
        check_choice(serial, get_args(Serial), "serial")
        _require_one_design(cases)
        if is_in_place(cases):
            return cls(np.broadcast_to(1.0, len(cases)), serial=serial)
        _, _, weight, used = rows_in_use(cases)
        cluster = None if cases.clusters is None else number_clusters(cases, used)
        stratum = None if cases.strata is None else numbered(to_numpy(cases.strata)[used])[0]
        if cluster is not None and stratum is not None:
            _require_nested(cases, np.flatnonzero(used), cluster, stratum)
        time = None if cases.time is None else number_times(to_numpy(cases.time)[used])
        return cls(weight, cluster, stratum, time, serial)

    @property
    def units(self) -> int:
        """The number of what is independent, or nearly so: cases, clusters or times."""
        label = self.cluster if self.time is None else self.time
        return len(self.weight) if label is None else int(label.max()) + 1

    @property
    def effective_cases(self) -> float:
        """As many cases of equal weight would say as much."""
        return effective_number(self.weight)

    @property
    def effective_units(self) -> float:
        """As many clusters of equal weight would say as much; of single cases, their number."""
        if self.cluster is None:
            return float(self.units)
        total = np.bincount(self.cluster, self.weight / self.weight.max())
        return float(total.sum() ** 2 / (total @ total))

    @property
    def text(self) -> str:
        """The design in words."""
        if self.time is not None:
            return many(self.units, "time")
        units = many(self.units, "independent case" if self.cluster is None else "cluster")
        if self.stratum is None:
            return units
        strata = int(self.stratum.max()) + 1
        return f"{units} in {strata} {'stratum' if strata == 1 else 'strata'}"

    def stratified(self, stratum: Column) -> Design:
        """Take the cases as drawn from other strata, one number a case."""
        return replace(self, stratum=stratum)

    def totals(self, influence: Column) -> Column:
        """Add influences up over each cluster, or each time."""
        label = self.cluster if self.time is None else self.time
        if label is None:
            return influence
        return np.stack([np.bincount(label, u, self.units) for u in influence])

    def stratum_of_units(self) -> Column:
        """Return the stratum of each cluster, which lies in one; of each case without any."""
        stratum = self.stratum
        if stratum is None:
            return np.zeros(self.units, dtype=np.intp)
        if self.cluster is None:
            return _with_two_each(stratum)
        result = np.zeros(self.units, dtype=np.intp)
        result[self.cluster] = stratum
        return _with_two_each(result)


def effective_number(weight: Column) -> float:
    """Return how many cases of equal weight would say as much."""
    if not len(weight) or is_alike(weight):
        return float(len(weight))
    scaled = weight / weight.max()
    return float(scaled.sum() ** 2 / (scaled @ scaled))


def is_alike(weight: Column) -> bool:
    """Tell whether all weights are the same; of tensors, a single 1 is seen from every row."""
    return weight.strides == (0,) or bool((weight == weight[0]).all())


def _with_two_each(stratum: Column) -> Column:
    """Refuse a stratum with one unit, which does not say how units vary."""
    units = np.bincount(stratum)
    alone = int((units == 1).sum())
    if alone:
        message = (
            "each stratum needs two cases, or two clusters, to vary; "
            f"got {alone} of {len(units)} strata with one"
        )
        raise DataError(message, hint="put strata with one together with others.")
    return stratum


def one_dependence(cases: Cases) -> Cases:
    """Forget times where clusters or strata are known, which say more, and where they are few."""
    if cases.time is None:
        return cases
    is_grouped = cases.clusters is not None or cases.strata is not None
    return without_time(cases) if is_grouped or few_times(cases) else cases


def few_times(cases: Cases) -> str | None:
    """Say that dependence in time is not allowed for, if there are too few times to do so."""
    if cases.time is None or cases.clusters is not None or cases.strata is not None:
        return None
    times = 1 + int(number_times(to_numpy(cases.time)[rows_in_use(cases).used]).max())
    if times >= TIMES:
        return None
    text = f"{many(times, 'time')}, fewer than {TIMES}"
    return f"with {text}, intervals do not allow for dependence in time"


def number_times(time: Column) -> Column:
    """Give times numbers from 0, in order."""
    is_ordered = time.dtype.kind in "biufmM"
    if time.dtype.kind == "O":
        # Dates of Python and of pandas, with or without time zones.
        is_ordered = not any(isinstance(x, str | bytes) for x in time)
    try:
        result: Column | None = np.unique(time, return_inverse=True)[1] if is_ordered else None
    except TypeError:
        result = None
    if result is None:
        message = f"times must be numbers or dates, which have an order; got {_kinds(time)}"
        raise DataError(message, hint="text would be put in the order of letters.")
    return result


def _kinds(column: Column) -> str:
    """Name the types of a column of objects, or its one type."""
    if column.dtype.kind != "O":
        return str(column.dtype)
    return " and ".join(sorted({type(x).__name__ for x in column}))


def _require_nested(cases: Cases, used: Column, cluster: Column, stratum: Column) -> None:
    """Refuse a cluster that lies in several strata; `used` are the places of the rows in use."""
    last = np.zeros(int(cluster.max()) + 1, dtype=np.intp)
    last[cluster] = np.arange(len(cluster))
    astray = np.flatnonzero(stratum[last[cluster]] != stratum)
    if astray.size:
        rows = used[[astray[0], last[cluster[astray[0]]]]]
        (name, _), strata = (to_numpy(x)[rows].tolist() for x in (cases.clusters, cases.strata))
        message = (
            f"a cluster must lie in one stratum; cluster {name!r} lies in {strata[0]!r} "
            f"(row {rows[0]}) and in {strata[1]!r} (row {rows[1]})"
        )
        raise DataError(message, hint="give clusters of different strata different names.")


def _require_one_design(source: Cases) -> None:
    for name in ("clusters", "strata"):
        if source.time is not None and getattr(source, name) is not None:
            message = f"a variance allows for {name} or for times; these cases have both"
            raise DataError(message, hint="make Cases with one of the two.")
