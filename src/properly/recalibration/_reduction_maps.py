"""Maps that are made of maps for one event: for each class, for each cut, or for each group."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np

from properly._boundary._chunks import one_blas_thread
from properly._boundary._classes import check_labels
from properly._boundary._libraries import (
    count_true,
    infinities,
    is_numpy,
    namespace,
    to_library_of,
    to_numpy,
    without_gradient,
)
from properly._boundary._notices import collected, notice
from properly._boundary._options import as_number
from properly._boundary._text import many
from properly.counts._cases import Cases, numbered, require_event, require_groups, rows_in_use
from properly.counts._class_rows import rows_of
from properly.counts._reductions import cumulative, names_of_cuts, one_vs_rest, upper_tails
from properly.counts._tally import Tally
from properly.errors import ArgumentTypeError, DataError
from properly.inference._logistic import logit
from properly.recalibration._log_odds_maps import Logistic, LogOddsMap
from properly.recalibration._map import Map
from properly.recalibration._softmax_maps import ClassMap
from properly.recalibration._training import Training
from properly.rules._penalty import decide_by_mode
from properly.typing import Array, Column

# Of many maps, so many have what is to be noted about them said.
MOST_NOTES = 5


@dataclass(frozen=True, eq=False, repr=False)
class ReductionMap(ClassMap):
    """A map for classes that asks yes-or-no questions, and has a map for each."""

    parameters: ClassVar[tuple[str, ...]] = ("maps",)
    options: ClassVar[tuple[str, ...]] = ("labels",)
    # How many questions fewer than classes there are.
    _fewer: ClassVar[int] = 0
    map: Map | None = None
    maps: Any = None

    def __post_init__(self) -> None:
        if self.maps is not None:
            maps = tuple(self.maps)
            labels = range(len(maps) + self._fewer) if self.labels is None else self.labels
            checked = check_labels(labels, len(maps) + self._fewer)
            object.__setattr__(self, "maps", maps)
            object.__setattr__(self, "labels", checked)
        if self.map is None and self.maps:
            # A map that was fitted is fitted again with its options.
            object.__setattr__(self, "map", self.maps[0])
        require_event_maps(type(self).__name__, self.map, *(self.maps or ()))

    def _fit(self, source: Any) -> Self:
        table, questions = rows_of(source), self._questions(source)
        _require_answers(questions)
        with one_blas_thread():
            maps, notes = self._learn({name: one.tally() for name, one in questions.items()})
        fitted = replace(self, maps=maps, labels=source.labels)
        notes += fitted._notes_of(table.p, fitted._answers(table.p))  # noqa: SLF001
        return fitted.learnt(notes, training=Training.of_classes(source))

    def _questions(self, cases: Cases) -> dict[str, Cases]:
        """Make events of classes."""
        raise NotImplementedError

    def _learn(self, tallies: dict[str, Tally]) -> tuple[list[Map], list[str]]:
        """Fit a map to each question."""
        assert self.map is not None  # noqa: S101
        with collected() as notes:
            maps = []
            for name, tally in tallies.items():
                start = len(notes)
                maps.append(self.map.fit(tally))
                notes[start:] = [f"{name}: {text}" for text in notes[start:]]
        left = len(notes) - MOST_NOTES
        more = [f"{left} more notes of this kind"] if left > 0 else []
        return maps, notes[:MOST_NOTES] + more

    def _notes_of(self, p: Column, answers: list[Column]) -> list[str]:
        """Say what is odd about the rows that it was fitted to."""
        q = self._joined_answers(answers)
        changed = count_true(decide_by_mode(q) != decide_by_mode(p))
        note = f"it changes the likeliest class of {many(changed, 'row')} in {len(p):,}"
        return [note] if changed else []

    def _joined_answers(self, answers: list[Array]) -> Array:
        """Make class probabilities of recalibrated forecasts of each question."""
        raise NotImplementedError

    def mapped(self, p: Array) -> Array:
        return self._joined_answers(self._answers(p))

    def _columns(self, p: Array) -> list[Array]:
        """Return the forecasts of each question."""
        raise NotImplementedError

    def _names(self) -> list[str]:
        raise NotImplementedError

    def _answers(self, p: Array) -> list[Array]:
        """Return the recalibrated forecasts of each question."""
        pairs = zip(self.maps or (), self._columns(p), strict=True)
        return [one.mapped(column) for one, column in pairs]

    def inspect(self, p: Array) -> None:
        columns = self._columns(namespace(p).astype(without_gradient(p), namespace(p).float64))
        for name, one, column in zip(self._names(), self.maps or (), columns, strict=True):
            with collected() as notes:
                one.inspect(column)
            for text in notes:
                notice(f"{name}: {text}")


def require_event_maps(name: str, *maps: object) -> None:
    """Refuse what is no map for one event."""
    for one in maps:
        if not isinstance(one, Map) or one.of != "event" or one.needs_rows:
            message = f"{name} needs a map for one event; got {one!r}"
            raise ArgumentTypeError(message, hint=f"write {name}(Logistic()).")


def _require_answers(questions: dict[str, Cases]) -> None:
    """Refuse questions that always had the same answer, by name."""
    for name, cases in questions.items():
        happened = count_true(cases.y)
        if happened in (0, len(cases)):
            answer = "never" if happened == 0 else "always"
            message = f"each question needs cases with either answer; {name!r} {answer} happened"
            raise DataError(message, hint="Temperature() and Vector() do without.")


@dataclass(frozen=True, eq=False, repr=False)
class OneVsRest(ReductionMap):
    """A map for each class by itself, divided by the sum of the row.

    It keeps neither the order of the classes nor the likeliest one.

    Parameters
    ----------
    map : Map
        The map for one event, such as `Isotonic`.

    Attributes
    ----------
    maps : tuple of Map
        One for each class.

    Examples
    --------
    >>> from properly.recalibration import OneVsRest, Logistic
    >>> halved = OneVsRest(maps=[Logistic(0, 1), Logistic(0, 1), Logistic(-0.7, 1)])
    >>> halved.at([[0.2, 0.3, 0.5]]).round(4)
    array([[0.2404, 0.3607, 0.3989]])
    """

    def _questions(self, cases: Cases) -> dict[str, Cases]:
        return one_vs_rest(cases)

    def _names(self) -> list[str]:
        return [f"class {label!r}" for label in self.labels or ()]

    def _columns(self, p: Array) -> list[Array]:
        # Rows may sum to a little more than 1, and a column may be all of it.
        return [namespace(p).clip(p[:, k], 0.0, 1.0) for k in range(int(p.shape[1]))]

    def _joined_answers(self, answers: list[Array]) -> Array:
        xp = namespace(answers[0])
        q = xp.stack(answers, axis=1)
        total = xp.sum(q, axis=1, keepdims=True)
        if bool(xp.any(total == 0)):
            row = int(np.argmax(to_numpy(total)[:, 0] == 0))
            message = f"some class must stay possible in each row; in row {row} none does"
            raise DataError(message, hint="Isotonic() never gives 0.")
        return q / total


@dataclass(frozen=True, eq=False, repr=False)
class Cuts(ReductionMap):
    r"""A map for each cut between ordered classes: this one or higher.

    The cuts of a row are then made coherent: where a higher one became more probable than a lower
    one, both get their mean. That never raises the ranked probability score of any case, since
    outcomes themselves are in order, and this is the nearest point that is [1]_. The probability of
    a class is the difference of neighbouring cuts. It may be exactly 0.

    Parameters
    ----------
    map : Map
        The map for one event, such as `Logistic`. As `RPS` is the mean Brier score of the cuts,
        ``Cuts(Logistic(rule=Brier()))`` is fitted by `RPS`.

    Attributes
    ----------
    maps : tuple of Map
        One for each of the K - 1 cuts, the lowest first.

    References
    ----------
    .. [1] T. Robertson, F. T. Wright, R. L. Dykstra (1988). Order Restricted Statistical Inference.
       Wiley.

    Examples
    --------
    >>> from properly.recalibration import Cuts, Logistic
    >>> lower = Cuts(maps=[Logistic(-0.5, 1), Logistic(-0.5, 1)])
    >>> lower.at([[0.2, 0.3, 0.5]]).round(4)
    array([[0.2919, 0.3306, 0.3775]])
    """

    _fewer: ClassVar[int] = 1

    def _questions(self, cases: Cases) -> dict[str, Cases]:
        return cumulative(cases)

    def _names(self) -> list[str]:
        return names_of_cuts(self.labels or ())

    def _notes_of(self, p: Column, answers: list[Column]) -> list[str]:
        notes = super()._notes_of(p, answers)
        repaired = count_true(_out_of_order(answers))
        zeros = count_true(self._joined_answers(answers) == 0)
        if repaired:
            notes.append(f"cuts were out of order, and made coherent, in {many(repaired, 'row')}")
        return notes + ([_note_of_zeros(zeros)] if zeros else [])

    def _columns(self, p: Array) -> list[Array]:
        exact = upper_tails(p)
        if is_numpy(p):
            return exact
        # Gradients pass through the plain sums, which differ by rounding alone.
        xp = namespace(p)
        plain_sums = [xp.sum(p[:, k:], axis=1) for k in range(1, int(p.shape[1]))]
        sides = zip(plain_sums, exact, strict=True)
        return [xp.clip(x + (e - without_gradient(x)), 0.0, 1.0) for x, e in sides]

    def _joined_answers(self, answers: list[Array]) -> Array:
        cuts = coherent(answers)
        xp = namespace(cuts[0])
        ends = [xp.ones_like(cuts[0]), *cuts, xp.zeros_like(cuts[0])]
        return xp.stack([ends[k] - ends[k + 1] for k in range(len(ends) - 1)], axis=1)

    def inspect_made(self, q: Array) -> None:
        zeros = count_true(q == 0)
        if zeros:
            notice(_note_of_zeros(zeros))


def _note_of_zeros(count: int) -> str:
    shown = "1 probability becomes" if count == 1 else f"{count:,} probabilities become"
    return f"{shown} exactly 0: if that class happens, the log score is infinite"


def _out_of_order(cuts: Sequence[Array]) -> Array:
    """Tell the rows in which a higher cut is more probable than a lower one."""
    result = namespace(cuts[0]).zeros_like(cuts[0]) > 0
    for low, high in pairwise(cuts):
        result = result | (high > low)
    return result


def coherent(cuts: Sequence[Array]) -> list[Array]:
    """Return the nearest cuts of each row that never rise: neighbours out of order are pooled."""
    bad = _out_of_order(cuts)
    if not count_true(bad):
        return list(cuts)
    if not is_numpy(bad):
        return _pooled(cuts)
    some = _pooled([x[bad] for x in cuts])
    result = [x.copy() for x in cuts]
    for whole, part in zip(result, some, strict=True):
        whole[bad] = part
    return result


def _pooled(cuts: Sequence[Array]) -> list[Array]:
    """Pool all rows at once: the least over starts of the greatest mean up to any end."""
    xp, size = namespace(cuts[0]), len(cuts)
    result: list[Array] = []
    for start in range(size):
        total, means = xp.zeros_like(cuts[0]), []
        for end in range(start, size):
            total = total + cuts[end]
            means.append(total / (end - start + 1))
        for end in range(size - 2, start - 1, -1):
            means[end - start] = xp.maximum(means[end - start], means[end - start + 1])
        kept = [xp.minimum(x, y) for x, y in zip(result[start:], means, strict=False)]
        result = [*result[:start], *kept, *means[len(kept) :]]
    for k in range(1, size):
        # In order to the last digit.
        result[k] = xp.minimum(result[k - 1], result[k])
    return result


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
    require_groups(cases)
    return require_event(cases)


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
