"""Maps by group: one line of the log odds, with a shift for each group."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Self

import numpy as np

from properly._boundary._libraries import infinities, namespace, to_library_of, to_numpy
from properly._boundary._notices import collected, notice
from properly._boundary._options import as_number
from properly._boundary._text import many
from properly.counts._cases import Cases, numbered, require_event, require_groups, rows_in_use
from properly.errors import ArgumentTypeError, DataError
from properly.inference._logistic import logit
from properly.recalibration._log_odds_maps import Logistic, LogOddsMap
from properly.typing import Array, Column

if TYPE_CHECKING:
    from properly.recalibration._map import Map

STEPS = 200
# No step moves a shift by more than this, and after one of less than the second none is taken.
LEAP, NOTHING = 1.0, 1e-12


def group_names(groups: Sequence[Any]) -> list[str]:
    """Write groups as text, as a file of a map has them: 7, 7.0 and "7" are one group."""
    whole = (int(x) if isinstance(x, float) and x.is_integer() else x for x in groups)
    return [str(x) for x in whole]


def as_grouped_cases(source: Any, p: Any, columns: dict[str, Any]) -> Cases:
    """Take cases of an event that have groups, or outcomes, forecasts and groups."""
    cases = source if p is None else Cases(source, p, **columns)
    if not isinstance(cases, Cases):
        message = f"this map needs the group of each case; got {type(cases).__name__}"
        raise ArgumentTypeError(message, hint="write properly.Cases(y, p, groups=column).")
    require_groups(require_event(cases))
    return cases


class _GroupedRows(NamedTuple):
    """Cases whose forecasts are not certain: outcome, log odds on the line, weight, group."""

    y: Column
    odds: Column
    weight: Column
    group: Column


@dataclass(frozen=True, eq=False, repr=False)
class GroupShift(LogOddsMap):
    r"""A line of the log odds for all, and a shift for each group, drawn towards none.

    .. math:: \operatorname{logit} q = a + b \operatorname{logit} p + \delta_g

    The shift of each group is found by itself, and then multiplied by
    :math:`\tau^2 / (\tau^2 + V_g)`: the more uncertain it is, and the less groups differ, the more
    it is drawn to 0. The variance :math:`\tau^2` between groups is that of DerSimonian and
    Laird [1]_. A group that was not seen is not shifted.

    Parameters
    ----------
    intercept, slope : float, optional
        The line for all, if it is known already.
    groups : mapping, optional
        The shift of each group, likewise.
    between : float, optional
        The variance between groups.
    smooth : bool
        Draw outcomes a little towards the other side, as Platt does. With it, a group without
        events has a shift as well.
    certain : {"learn", "keep", "refuse"}
        What to do with forecasts of exactly 0 and 1, which have no shift.

    References
    ----------
    .. [1] R. DerSimonian, N. Laird (1986). Meta-analysis in clinical trials. Controlled Clinical
       Trials 7:177-188. `doi:10.1016/0197-2456(86)90046-2
       <https://doi.org/10.1016/0197-2456(86)90046-2>`__

    Examples
    --------
    >>> from properly.recalibration import GroupShift
    >>> line = GroupShift(0.0, 1.0, {"north": 0.7, "south": -0.7})
    >>> line.at([0.5, 0.5], groups=["north", "south"]).round(4)
    array([0.6682, 0.3318])
    >>> line.for_group("north")
    Logistic(intercept=0.7, slope=1)
    """

    needs_rows: ClassVar[bool] = True
    needs_groups: ClassVar[bool] = True
    _source = staticmethod(as_grouped_cases)
    parameters: ClassVar[tuple[str, ...]] = ("intercept", "slope", "groups")
    options: ClassVar[tuple[str, ...]] = (*LogOddsMap.options, "between")
    intercept: float | None = None
    slope: float | None = None
    groups: Mapping[str, float] | None = field(default=None, repr=False)
    between: float | None = None

    def __post_init__(self) -> None:
        # What a line does not take is refused as there.
        line = self._line_with(self.intercept)
        for name in ("intercept", "slope", "atoms"):
            object.__setattr__(self, name, getattr(line, name))
        if self.between is not None:
            object.__setattr__(self, "between", as_number(self.between, "between"))
        if self.groups is not None:
            shifts = {str(name): as_number(x, "shift") for name, x in self.groups.items()}
            object.__setattr__(self, "groups", shifts)
        for x in (*self.shifts.values(), self.between or 0.0):
            if not math.isfinite(x):
                message = f"shifts of groups and their variance must be finite; got {x!r}"
                raise DataError(message)

    @property
    def shifts(self) -> Mapping[str, float]:
        """The shift of each group."""
        return self.groups or {}

    def for_group(self, group: object) -> Map:
        """Return the line of one group; of one that was not seen, the line for all."""
        shift = self.shifts.get(group_names([group])[0], 0.0)
        return self._line_with((self.intercept or 0.0) + shift)

    def _line_with(self, intercept: float | None) -> Logistic:
        names = ("slope", "smooth", "certain", "atoms", "range")
        return Logistic(intercept, **{name: getattr(self, name) for name in names})

    def _fit(self, source: Any) -> Self:
        with collected() as notes:
            line = Logistic(smooth=self.smooth, certain=self.certain).fit(source.tally())
        rows, names = _rows_of(source, line)
        shift, variance = _group_shifts(rows, names, smooth=self.smooth)
        between = variance_between(shift, variance)
        if not between:
            notes.append("groups differ no more than by chance: they have one map")
        drawn = shift * between / (between + variance)
        groups = dict(zip(names, drawn.tolist(), strict=True))
        own = ("intercept", "slope", "range", "training", "atoms", "separated")
        learnt = {name: getattr(line, name) for name in own}
        return self.learnt(notes, **learnt, groups=groups, between=between)

    def mapped_by_group(self, p: Array, groups: Array) -> Array:
        xp = namespace(p)
        number, labels = numbered(to_numpy(groups))
        names, order = group_names(labels), np.argsort(number, kind="stable")
        rows = np.split(order, np.cumsum(np.bincount(number))[:-1])
        parts = [xp.take(p, to_library_of(row, p), axis=0) for row in rows]
        self.inspect(p)
        unseen = {n: len(x) for n, x in zip(names, parts, strict=True) if n not in self.shifts}
        if unseen:
            count, first = sum(unseen.values()), next(iter(unseen))
            text = f"{many(count, 'forecast')} of groups that this map was not fitted to, "
            notice(f"{text}such as {first!r}: not shifted")
        pairs = zip(names, parts, strict=True)
        made = xp.concat([self.for_group(name).mapped(part) for name, part in pairs])
        return xp.take(made, to_library_of(np.argsort(order), p), axis=0)

    def on_cases(self, cases: Cases) -> Array:
        with collected():
            p = to_numpy(cases.p).astype(np.float64)
            return self.mapped_by_group(p, require_groups(cases))

    def require_event(self, what: str) -> None:
        message = f"{what} needs a map without groups; this one has some"
        raise DataError(message, hint="map.for_group(name) is that of one group.")


def _rows_of(cases: Cases, line: Logistic) -> tuple[_GroupedRows, list[str]]:
    """Take the forecasts that are not certain, and number the groups of all."""
    y, p, weight, used = rows_in_use(cases)
    number, labels = numbered(to_numpy(require_groups(cases))[used])
    names = group_names(labels)
    if len(set(names)) < len(names):
        message = f"groups must differ when they are written as text; got {labels!r}"
        raise DataError(message)
    inside = (p > 0) & (p < 1)
    slope, _, intercept = line.coefficients
    odds = intercept + slope * logit(p[inside].astype(np.float64))
    return _GroupedRows(y[inside], odds, weight[inside], number[inside]), names


@infinities()
def _group_shifts(rows: _GroupedRows, names: list[str], *, smooth: bool) -> tuple[Column, Column]:
    """Return the shift of each group that fits it best, and its variance."""

    def total(x: Column) -> Column:
        result: Column = np.bincount(rows.group, x, minlength=len(names))
        return result

    event, none = (total(rows.weight * side) for side in (rows.y, ~rows.y))
    if not smooth and not ((event > 0) & (none > 0)).all():
        lacking = [name for name, x, z in zip(names, event, none, strict=True) if not x or not z]
        shown = ", ".join(map(repr, lacking[:5]))
        message = f"without smoothing each group needs events and non-events; not so {shown}"
        raise DataError(message, hint="smooth=True draws outcomes a little together.")
    target = rows.y.astype(np.float64)
    if smooth:
        squares = (total(rows.weight**2 * side) for side in (rows.y, ~rows.y))
        counts = [x**2 / np.where(s > 0, s, 1) for x, s in zip((event, none), squares, strict=True)]
        upper, lower = (counts[0] + 1) / (counts[0] + 2), 1 / (counts[1] + 2)
        target = np.where(rows.y, upper[rows.group], lower[rows.group])
    shift = np.zeros(len(names))
    for _ in range(STEPS):
        q = 1 / (1 + np.exp(-(rows.odds + shift[rows.group])))
        information = total(rows.weight * q * (1 - q))
        some = np.where(information > 0, information, 1)
        step = np.clip(total(rows.weight * (target - q)) / some, -LEAP, LEAP)
        shift = shift + step
        if np.abs(step).max() <= NOTHING:
            break
    # Weights count through the effective number of cases, so that their unit does not.
    square = total(rows.weight**2)
    unit = (event + none) / np.where(square > 0, square, 1)
    with infinities():
        return shift, 1 / (information * unit)


def variance_between(shift: Column, variance: Column) -> float:
    """Return the variance between groups by DerSimonian and Laird, 0 if chance explains all."""
    weight = 1 / variance[np.isfinite(variance)]
    if len(weight) < 2:
        return 0.0
    shift = shift[np.isfinite(variance)]
    mean = weight @ shift / weight.sum()
    excess = weight @ (shift - mean) ** 2 - (len(weight) - 1)
    return max(0.0, float(excess / (weight.sum() - (weight**2).sum() / weight.sum())))
