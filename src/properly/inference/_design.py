"""How cases were sampled: alone, in clusters, from strata, one after the other, or in a panel.

References
----------
.. [1] R. M. Bell, D. F. McCaffrey (2002). Bias reduction in standard errors for linear regression
   with multi-stage samples. Survey Methodology 28:169-181.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal, NamedTuple, TypeAlias, get_args

import numpy as np

from properly._boundary._libraries import infinities, to_numpy
from properly._boundary._options import check_choice
from properly._boundary._record import once
from properly._boundary._text import many
from properly.counts._cases import (
    Cases,
    is_in_place,
    number_clusters,
    numbered,
    rows_in_use,
    without_time,
)
from properly.errors import DataError
from properly.inference._moments import Correction
from properly.typing import Column

Serial: TypeAlias = Literal["cosines", "newey-west", "newey-west-auto"]

# Fewer times say too little about dependence between them.
TIMES = 20


class PanelCells(NamedTuple):
    """The cells of a panel that have cases: the cell of each case, and what each cell lies in."""

    number: Column
    cluster: Column
    time: Column


def correction_of(weight: Column) -> Correction:
    r"""Return the correction of Bell and McCaffrey for the mean of clusters of some weights [1]_.

    With :math:`h_g` the share of a cluster in all weight, which is its leverage, the factor is
    :math:`1 / (1 - h_g)`. If cases were independent and equally spread, the variance would have

    .. math:: \nu = 1 \Big/ \Big(\sum_g h_g^2 + \Big(\sum_g q_g\Big)^2 - \sum_g q_g^2\Big),
        \qquad q_g = \frac{h_g^2}{1 - h_g},

    degrees of freedom. For G clusters of equal weight these are :math:`G / (G - 1)` and
    :math:`G - 1`. Clusters of weight 0 count for nothing; a single one has neither.
    """
    count = int(np.count_nonzero(weight))
    if count < 2:
        return Correction(np.nan, 0.0)
    if count == len(weight) and is_alike(weight):
        return Correction.from_count(count)
    share = weight / weight.sum()
    with infinities():
        factor = 1 / (1 - share)
        lost = share**2 * factor
        if not np.isfinite(factor).all():
            # All others together weigh less than rounding leaves of the heaviest.
            return Correction(np.nan, 0.0)
    # The largest apart: the square of the sum and the sum of squares would cancel.
    most = lost.argmax()
    rest = np.delete(lost, most)
    products = 2 * lost[most] * rest.sum() + max(rest.sum() ** 2 - rest @ rest, 0.0)
    return Correction(factor, 1 / float(share @ share + products))


@dataclass(frozen=True, eq=False)
class Design:
    """How the cases of positive weight were sampled.

    Clusters that are seen at several times, such as stations day by day, are a panel.

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
        _require_together(cases, serial)
        if is_in_place(cases):
            return cls(np.broadcast_to(1.0, len(cases)), serial=serial)
        _, _, weight, used = rows_in_use(cases)
        cluster = None if cases.clusters is None else number_clusters(cases, used)
        stratum = None if cases.strata is None else numbered(to_numpy(cases.strata)[used])[0]
        if cluster is not None and stratum is not None:
            _require_nested(cases, np.flatnonzero(used), cluster, stratum)
        time = None if cases.time is None else times_of(cases)
        return cls(weight, cluster, stratum, time, serial)

    @property
    def is_panel(self) -> bool:
        """Tell whether clusters are seen at times, so that either may depend."""
        return self.cluster is not None and self.time is not None

    @cached_property
    def cells(self) -> PanelCells:
        """The cells of a panel, in order of their clusters and then of their times."""
        (cluster, time), times = map(np.asarray, (self.cluster, self.time)), self.times
        place, number = np.unique(cluster * times + time, return_inverse=True)
        return PanelCells(number, *np.divmod(place, times))

    @property
    def unit(self) -> Column | None:
        """The number of what each case is added up in: cluster, time or cell; None if in none."""
        if self.is_panel:
            return self.cells.number
        return self.cluster if self.time is None else self.time

    @cached_property
    def units(self) -> int:
        """How many of these there are; of single cases, their number."""
        return len(self.weight) if self.unit is None else int(self.unit.max()) + 1

    @cached_property
    def clusters(self) -> int:
        """The number of clusters, 0 without."""
        return 0 if self.cluster is None else int(self.cluster.max()) + 1

    @cached_property
    def times(self) -> int:
        """The number of times, 0 without."""
        return 0 if self.time is None else int(self.time.max()) + 1

    @property
    def effective_cases(self) -> float:
        """As many cases of equal weight would say as much."""
        return effective_number(self.weight)

    @property
    def effective_units(self) -> float:
        """As many clusters of equal weight would say as much; of single cases, their number."""
        if self.cluster is None:
            return float(self.units)
        return effective_number(np.bincount(self.cluster, self.weight))

    @cached_property
    def correction(self) -> Correction:
        """What makes the squared sums of clusters, or of single cases, a variance."""
        if self.cluster is None and self.units > 1:
            return Correction.from_count(self.units)
        if self.cluster is None:
            return correction_of(np.ones(self.units))
        return correction_of(np.bincount(self.cluster, self.weight))

    @property
    def text(self) -> str:
        """The design in words."""
        if self.time is not None:
            times = many(self.times, "time")
            return f"{many(self.clusters, 'cluster')} by {times}" if self.is_panel else times
        units = many(self.units, "independent case" if self.cluster is None else "cluster")
        if self.stratum is None:
            return units
        strata = int(self.stratum.max()) + 1
        return f"{units} in {strata} {'stratum' if strata == 1 else 'strata'}"

    def stratified(self, stratum: Column) -> Design:
        """Take the cases as drawn from other strata, one number a case."""
        return replace(self, stratum=stratum)

    def among(self, kept: Column) -> tuple[Design, Column]:
        """Return the design of some cases, and which cases it is of.

        Strata and times stay whole, as does the panel: cases left out stay there without weight.
        """
        if self.stratum is not None or self.time is not None:
            weight = np.where(kept, self.weight, 0.0)
            return replace(self, weight=weight), np.arange(len(kept))
        cluster = None if self.cluster is None else numbered(self.cluster[kept])[0]
        return Design(self.weight[kept], cluster), np.flatnonzero(kept)

    def totals(self, influence: Column) -> Column:
        """Add influences up over each cluster, each time, or each cell of a panel."""
        return influence if self.unit is None else add_up(influence, self.unit, self.units)

    def corrected(self, amount: Column) -> Column:
        """Multiply amounts of cases by the roots of the factors of their clusters."""
        factor = self.correction.factor
        if isinstance(factor, np.ndarray):
            factor = factor[self.cluster]
        return np.asarray(amount * np.sqrt(factor))

    def of_units(self) -> Design:
        """Return the same design with one case per cluster, time or cell, of all their weight."""
        weight = self.weight if self.unit is None else np.bincount(self.unit, self.weight)
        if self.is_panel:
            return Design(weight, self.cells.cluster, None, self.cells.time, self.serial)
        stratum = None if self.stratum is None else self.stratum_of_units()
        number = np.arange(self.units)
        cluster = None if self.cluster is None else number
        return Design(weight, cluster, stratum, None if self.time is None else number, self.serial)

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


def add_up(rows: Column, label: Column, count: int) -> Column:
    """Add the columns of each row up by their labels, numbers below `count`."""
    return np.stack([np.bincount(label, row, count) for row in rows])


def effective_number(weight: Column) -> float:
    """Return how many cases of equal weight would say as much."""
    if not len(weight) or is_alike(weight):
        return float(len(weight))
    return float(weight.sum() ** 2 / (weight @ weight))


def is_alike(weight: Column) -> bool:
    """Tell whether all weights are the same; of tensors, a single 1 is seen from every row."""
    return weight.strides == (0,) or bool((weight == weight[0]).all())


def _with_two_each(stratum: Column) -> Column:
    """Refuse a stratum with one unit, which does not say how units vary."""
    units = np.bincount(stratum)
    alone = int((units == 1).sum())
    if alone:
        message = "each stratum needs two cases, or two clusters, to vary; "
        message += f"got {alone} of {len(units)} strata with one"
        raise DataError(message, hint="put strata with one together with others.")
    return stratum


def one_dependence(cases: Cases) -> Cases:
    """Forget times where strata are known, which say more, and where they are few."""
    if cases.time is None:
        return cases
    forgotten = cases.strata is not None or _count_times(cases) < TIMES
    return without_time(cases) if forgotten else cases


def few_times(cases: Cases) -> str | None:
    """Say that dependence in time is not allowed for, if there are too few times to do so.

    Where clusters or strata are known, these are.
    """
    if cases.time is None or cases.clusters is not None or cases.strata is not None:
        return None
    times = _count_times(cases)
    if times >= TIMES:
        return None
    text = f"{many(times, 'time')}, fewer than {TIMES}"
    return f"with {text}, intervals do not allow for dependence in time"


def _count_times(cases: Cases) -> int:
    return 1 + int(times_of(cases).max())


def times_of(cases: Cases) -> Column:
    """Give the times of the cases in use numbers from 0, in order, once."""
    return once(
        cases, "_times", lambda: number_times(to_numpy(cases.time)[rows_in_use(cases).used])
    )


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
        kinds = {type(x).__name__ for x in time} if time.dtype.kind == "O" else {str(time.dtype)}
        got = " and ".join(sorted(kinds))
        message = f"times must be numbers or dates, which have an order; got {got}"
        raise DataError(message, hint="text would be put in the order of letters.")
    return result


def _require_nested(cases: Cases, used: Column, cluster: Column, stratum: Column) -> None:
    """Refuse a cluster that lies in several strata; `used` are the places of the rows in use."""
    last = np.zeros(int(cluster.max()) + 1, dtype=np.intp)
    last[cluster] = np.arange(len(cluster))
    astray = np.flatnonzero(stratum[last[cluster]] != stratum)
    if astray.size:
        rows = used[[astray[0], last[cluster[astray[0]]]]]
        (name, _), strata = (to_numpy(x)[rows].tolist() for x in (cases.clusters, cases.strata))
        message = f"a cluster must lie in one stratum; cluster {name!r} lies in {strata[0]!r} "
        message += f"(row {rows[0]}) and in {strata[1]!r} (row {rows[1]})"
        raise DataError(message, hint="give clusters of different strata different names.")


def _require_together(source: Cases, serial: Serial) -> None:
    """Refuse strata that come with times, and lags in a panel."""
    if source.time is None:
        return
    if source.strata is not None:
        message = "a variance allows for strata or for times; these cases have both"
        raise DataError(message, hint="give one of the two.")
    if source.clusters is not None and serial != "cosines":
        message = f"clusters by times are allowed for by cosines; got serial={serial!r}"
        raise DataError(message, hint="leave out serial, or make Cases with time alone.")
