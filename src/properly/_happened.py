"""The probabilities that were given to what happened, and those that a source would have given."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

from properly._cases import has_classes, require_event, rows_in_use
from properly._labels import names_of_labels
from properly._libraries import namespace, to_numpy
from properly._pooling import weigh
from properly._power_means import sums_of_outcomes, sums_of_powers
from properly._reductions import complement, one_vs_rest
from properly._tally import Tally, as_tally
from properly.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from properly._cases import Cases
    from properly._power_means import Sums
    from properly.sources import Fit, Source

Column: TypeAlias = np.ndarray[Any, Any]

EVENT, NO_EVENT, ALL = "event", "no event", "all"


class Side(NamedTuple):
    """What one class was given where it happened.

    Attributes
    ----------
    name : str
        The class.
    t, weight : numpy array
        Probabilities by the model, and how often each of them was given.
    p, p_weight : numpy array
        The same by the source.
    """

    name: str
    t: Column
    weight: Column
    p: Column
    p_weight: Column


class Question(NamedTuple):
    """Forecasts of whether a class happens, with what the source makes of them.

    Attributes
    ----------
    name : str
        The class.
    tally : Tally
        What happened at each forecast; of single rows if ties are split.
    fit : Fit
        The source, in bins of the tally's rows.
    order : numpy array or None
        The rows in the order of the tally, if ties are split.
    """

    name: str
    tally: Tally
    fit: Fit
    order: Column | None = None

    def side(self) -> Side:
        """Take the cases in which it happened."""
        value, events = (to_numpy(x) for x in (self.tally.value, self.tally.events))
        there, bins = events > 0, self.fit.events > 0
        t = value[there].astype(np.float64)
        return Side(self.name, t, events[there], self.fit.rate[bins], self.fit.events[bins])

    def at_rows(self, q: Column) -> Column:
        """Return the source's probability at the forecast of each row."""
        rate = self.fit.spread()
        if self.order is None:
            found: Column = rate[np.searchsorted(to_numpy(self.tally.value), q)]
            return found
        found = np.empty_like(rate)
        found[self.order] = rate
        return found


def sides(cases: Tally | Cases, source: Source) -> list[Side]:
    """Find for every class that happened which probabilities it was given."""
    _require_rows(cases, source)
    if source.pooled:
        found = _pooled_sides(cases, source)
    else:
        found = [question.side() for question in questions(cases, source)]
    return [side for side in found if len(side.t)]


class SideSums(NamedTuple):
    """What the three means of one class are made of, by the model and by the source."""

    name: str
    model: Sums
    source: Sums


def sums_by_class(cases: Tally | Cases, source: Source) -> list[SideSums]:
    """Add up the powers of the probabilities that each class was given where it happened."""
    if source.pooled or source.splits_ties or has_classes(cases):
        return [
            SideSums(
                side.name,
                sums_of_powers(side.t, side.weight),
                sums_of_powers(side.p, side.p_weight),
            )
            for side in sides(cases, source)
        ]
    # The same, without laying out what the absence of the event was given.
    tally = as_tally(cases)
    fit = source.fit(tally)
    model = sums_of_outcomes(*(to_numpy(x) for x in (tally.value, tally.weight, tally.events)))
    fitted = sums_of_outcomes(fit.rate, fit.weight, fit.events)
    both = zip((EVENT, NO_EVENT), model, fitted, strict=True)
    return [SideSums(*found) for found in both if found[1].weight > 0]


def questions(cases: Tally | Cases, source: Source) -> list[Question]:
    """Ask for each class whether it happened; of pooled columns there is a single question."""
    _require_rows(cases, source)
    if source.pooled:
        return [_pooled(_table(cases), source)]
    if has_classes(cases):
        return [_ask(name, case, source) for name, case in one_vs_rest(cases).items()]
    asked = _ask(EVENT, cases, source)
    return [asked, _mirrored(asked)]


def _require_rows(cases: Tally | Cases, source: Source) -> None:
    if isinstance(cases, Tally) and source.splits_ties:
        message = "ties are split in the order of the rows, which a tally has lost"
        raise DataError(message, hint="pass properly.Cases(y, p) instead of the tally.")


def _ask(name: str, cases: Tally | Cases, source: Source) -> Question:
    if isinstance(cases, Tally) or not source.splits_ties:
        tally = as_tally(cases)
        return Question(name, tally, source.fit(tally))
    y, p, weight, _ = rows_in_use(require_event(cases))
    return _row_by_row(name, y, p, weight, source)


def _row_by_row(name: str, y: Column, p: Column, weight: Column, source: Source) -> Question:
    """Take each row as a forecast of its own, in the order of forecasts and then of rows."""
    order = np.argsort(p, kind="stable")
    if np.all(weight == np.floor(weight)):
        weight = weight.astype(np.int64)
    weight, events = weight[order], np.where(y, weight, 0)[order]
    columns = [p[order], weight, events]
    if weight.dtype.kind == "f":
        columns += [events**2, (weight - events) ** 2]
    tally = Tally._of(columns)  # noqa: SLF001
    return Question(name, tally, source.fit(tally), order)


def _mirrored(asked: Question) -> Question:
    """Ask for no event instead of the event."""
    tally, fit = asked.tally, asked.fit
    weight, events, *squares = tally._columns()  # noqa: SLF001
    value = namespace(tally.value).astype(tally.value, np.float64)
    columns = [complement(value), weight, weight - events]
    turned = Tally._of([x[::-1] for x in (*columns, *squares[::-1])], tally.cells)  # noqa: SLF001
    end = len(tally) - np.append(0, fit.end[:-1])
    backwards = type(fit)(
        end[::-1], fit.weight[::-1], (fit.weight - fit.events)[::-1], 1 - fit.rate[::-1]
    )
    order = None if asked.order is None else asked.order[::-1]
    return Question(NO_EVENT, turned, backwards, order)


class Table(NamedTuple):
    """Class numbers, the probabilities of all classes, weights, and the names of the classes."""

    y: Column
    p: Column
    weight: Column
    names: Sequence[str]

    @property
    def t(self) -> Column:
        """The probability given to what happened, a row each."""
        found: Column = self.p[np.arange(len(self.y)), self.y]
        return found


def _table(cases: Tally | Cases) -> Table:
    """Write forecasts of an event as probabilities of two classes."""
    if isinstance(cases, Tally):
        value, weight, events = (to_numpy(x) for x in (cases.value, cases.weight, cases.events))
        value, count = np.concatenate([value, value]), np.concatenate([events, weight - events])
        y, used = np.repeat([0, 1], len(weight)), count > 0
        y, value, count = y[used], value[used].astype(np.float64), count[used]
        return Table(y, np.stack([value, complement(value)], axis=1), count, (EVENT, NO_EVENT))
    y, p, weight, _ = rows_in_use(cases)
    p = p.astype(np.float64)
    if cases.classes is not None:
        return Table(y, np.minimum(p, 1.0), weight, names_of_labels(cases.labels or ()))
    return Table(np.where(y, 0, 1), np.stack([p, complement(p)], axis=1), weight, (EVENT, NO_EVENT))


def _pooled(table: Table, source: Source) -> Question:
    """Ask of every probability in a table whether its class happened."""
    classes = table.p.shape[1]
    happened = (table.y[:, None] == np.arange(classes)).ravel()
    p, weight = table.p.ravel(), np.repeat(table.weight, classes)
    if source.splits_ties:
        return _row_by_row(ALL, happened, p, weight, source)
    tally = Tally._of(weigh(happened, p, weight))  # noqa: SLF001
    return Question(ALL, tally, source.fit(tally))


def _pooled_sides(cases: Tally | Cases, source: Source) -> list[Side]:
    table = _table(cases)
    rate = _pooled(table, source).at_rows(table.p.ravel()).reshape(table.p.shape)
    t, p = table.t, rate[np.arange(len(table.y)), table.y]
    found = []
    for k, name in enumerate(table.names):
        of = table.y == k
        found.append(Side(name, t[of], table.weight[of], p[of], table.weight[of]))
    return found
