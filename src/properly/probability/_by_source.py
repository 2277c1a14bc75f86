"""Model and source probabilities of what happened, class by class."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from properly._boundary._libraries import infinities, to_numpy
from properly._boundary._tolerances import SAME_SUM
from properly.counts._cases import has_classes, require_event
from properly.counts._class_rows import EVENT, NO_EVENT, rows_of, table_of
from properly.counts._pooling import exact_weights, pool
from properly.counts._reductions import complement, one_vs_rest
from properly.counts._tally import Tally, as_tally, sums_of, tally_of_sums
from properly.errors import DataError
from properly.probability._power_means import sums_of_outcomes, sums_of_powers
from properly.probability._sources import Fit, IsotonicSource, fit_source
from properly.rules._class_rule import at

if TYPE_CHECKING:
    from properly.counts._cases import Cases
    from properly.counts._class_rows import ClassTable
    from properly.probability._power_means import PowerSums
    from properly.probability._sources import Source
    from properly.typing import Column


ALL = "all"


class SourceSide(NamedTuple):
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


class SourceQuestion(NamedTuple):
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

    def side(self) -> SourceSide:
        """Take the cases in which it happened."""
        value, events = (to_numpy(x) for x in (self.tally.value, self.tally.events))
        there, bins = events > 0, self.fit.events > 0
        t = value[there].astype(np.float64)
        return SourceSide(self.name, t, events[there], self.fit.rate[bins], self.fit.events[bins])

    def at_rows(self, q: Column) -> Column:
        """Return the source's probability at the forecast of each row."""
        rate = self.fit.spread()
        if self.order is None:
            result: Column = rate[np.searchsorted(to_numpy(self.tally.value), q)]
            return result
        result = np.empty_like(rate)
        result[self.order] = rate
        return result


def sides(cases: Tally | Cases, source: Source) -> list[SourceSide]:
    """Find for every class that happened which probabilities it was given."""
    _require_rows(cases, source)
    if source.pooled:
        result = _pooled_sides(cases, source)
    else:
        result = [question.side() for question in questions(cases, source)]
    return [side for side in result if len(side.t)]


class SideSums(NamedTuple):
    """What the three means of one class are made of, by the model and by the source."""

    name: str
    model: PowerSums
    source: PowerSums


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
    fit = fit_source(source, tally)
    model = sums_of_outcomes(tally.value, tally.weight, tally.events)
    none = _without(tally, fit)
    counts = (fit.rate, fit.events), (fit.rest_of(none), none)
    fitted = [sums_of_powers(rate[n > 0], n[n > 0]) for rate, n in counts]
    both = zip((EVENT, NO_EVENT), model, fitted, strict=True)
    return [SideSums(*result) for result in both if result[1].weight > 0]


def questions(cases: Tally | Cases, source: Source) -> list[SourceQuestion]:
    """Ask for each class whether it happened; of pooled columns there is a single question."""
    _require_rows(cases, source)
    if source.pooled:
        return [_pooled(_table_for(cases, source), source)]
    if has_classes(cases):
        return [_ask(name, case, source) for name, case in one_vs_rest(cases).items()]
    question = _ask(EVENT, cases, source)
    return [question, _mirrored(question)]


def _require_rows(cases: Tally | Cases, source: Source) -> None:
    if isinstance(cases, Tally) and source.splits_ties:
        message = "ties are split in the order of the rows, which a tally has lost"
        raise DataError(message, hint="pass properly.Cases(y, p) instead of the tally.")


def _ask(name: str, cases: Tally | Cases, source: Source) -> SourceQuestion:
    if isinstance(cases, Tally) or not source.splits_ties:
        tally = as_tally(cases)
        return SourceQuestion(name, tally, fit_source(source, tally))
    rows = rows_of(require_event(cases))
    square = None if rows.counted else rows.square
    return _ask_rows(name, rows.y == 0, rows.p[:, 0], rows.weight, square, source=source)


def _ask_rows(
    name: str,
    happened: Column,
    p: Column,
    weight: Column,
    square: Column | None,
    *,
    source: Source,
) -> SourceQuestion:
    """Ask of probabilities, with weights and their squares, whether what they are of happened.

    Without squares, cases are counted.
    """
    weight = exact_weights(weight)
    columns = [weight, np.where(happened, weight, 0)]
    if square is not None:
        columns += [np.where(happened, square, 0), np.where(happened, 0, square)]
    order = np.argsort(p, kind="stable") if source.splits_ties else None
    # Each row is a forecast of its own if ties are split, in the order of forecasts, then of rows.
    laid = pool(p, columns) if order is None else [x[order] for x in (p, *columns)]
    tally = tally_of_sums(laid)
    return SourceQuestion(name, tally, fit_source(source, tally), order)


def _mirrored(question: SourceQuestion) -> SourceQuestion:
    """Ask for no event instead of the event."""
    tally, fit = question.tally, question.fit
    weight, events, *squares = map(to_numpy, sums_of(tally))
    value = to_numpy(tally.value).astype(np.float64)
    columns = [complement(value), weight, weight - events]
    turned = tally_of_sums([x[::-1] for x in (*columns, *squares[::-1])], tally.cells)
    end = len(tally) - np.append(0, fit.end[:-1])
    none = _without(tally, fit)
    backwards = Fit(end[::-1], fit.weight[::-1], none[::-1], fit.rest_of(none)[::-1])
    order = None if question.order is None else question.order[::-1]
    return SourceQuestion(NO_EVENT, turned, backwards, order)


def _without(tally: Tally, fit: Fit) -> Column:
    """Add up the cases of each bin without the event; beside heavier events they would be lost."""
    if tally.event_squares is None:
        # Whole numbers lose nothing, and tensors of them stay where they are.
        return np.asarray(fit.weight - fit.events)
    none = to_numpy(tally.weight) - to_numpy(tally.events)
    return np.asarray(np.add.reduceat(none, np.append(0, fit.end[:-1])))


def _table_for(cases: Tally | Cases, source: Source) -> ClassTable:
    """Keep the order of rows where it matters."""
    if isinstance(cases, Tally) or not source.splits_ties:
        return table_of(cases)
    return rows_of(cases)


def _pooled(table: ClassTable, source: Source) -> SourceQuestion:
    """Ask of every probability in a table whether its class happened."""
    classes = table.p.shape[1]
    happened = (table.y[:, None] == np.arange(classes)).ravel()
    weight = np.repeat(table.weight, classes)
    square = None if table.counted else np.repeat(table.square, classes)
    return _ask_rows(ALL, happened, table.p.ravel(), weight, square, source=source)


def _pooled_sides(cases: Tally | Cases, source: Source) -> list[SourceSide]:
    table = _table_for(cases, source)
    rate = _pooled(table, source).at_rows(table.p.ravel()).reshape(table.p.shape)
    t, p = table.t, at(rate, table.y)
    result = []
    for k, name in enumerate(table.names):
        of = table.y == k
        result.append(SourceSide(name, t[of], table.weight[of], p[of], table.weight[of]))
    return result


def divergence(model: Column | float, behind: Column | float, source: Source) -> Column:
    """Divide means of a model by those of its source; NaN where the latter are 0.

    What rounding leaves above a bound of 1 is 1, and nothing else.
    """
    with infinities():
        result = np.where(np.greater(behind, 0), np.divide(model, behind), np.nan)
    rounded = isinstance(source, IsotonicSource) & (result > 1) & (result <= 1 + SAME_SUM)
    return np.where(rounded, 1.0, result)
