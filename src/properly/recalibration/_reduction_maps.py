"""Maps for classes that are made of maps for events: each class by itself, or each cut."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from properly._boundary._chunks import one_blas_thread
from properly._boundary._classes import check_labels
from properly._boundary._libraries import (
    count_true,
    is_numpy,
    namespace,
    to_numpy,
    without_gradient,
)
from properly._boundary._notices import collected, notice
from properly._boundary._text import many
from properly.counts._class_rows import rows_of
from properly.counts._reductions import cumulative, names_of_cuts, one_vs_rest, upper_tails
from properly.errors import ArgumentTypeError, DataError
from properly.recalibration._map import Map
from properly.recalibration._softmax_maps import ClassMap
from properly.recalibration._training import Training
from properly.rules._costs import decide_by_mode
from properly.typing import Array, Column

if TYPE_CHECKING:
    from properly.counts._cases import Cases
    from properly.counts._tally import Tally

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
        return fitted.learnt(notes, training=Training.of_classes(table))

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
        The map for one event, such as `Logistic`.

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
