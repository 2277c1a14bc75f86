"""Model and source probabilities of what happened, class by class."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from properly._boundary._libraries import infinities, to_numpy
from properly._boundary._tolerances import SAME_SUM
from properly.counts._cases import has_classes
from properly.counts._class_rows import EVENT, NO_EVENT, table_of
from properly.counts._pooling import exact_weights, pool
from properly.counts._reductions import complement, one_vs_rest
from properly.counts._tally import Tally, as_tally, sums_of, tally_of_sums
from properly.probability._power_means import sums_of_outcomes, sums_of_powers
from properly.probability._sources import Fit, IsotonicSource

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
        What happened at each forecast.
    fit : Fit
        The source, in bins of the tally's rows.
    """

    name: str
    tally: Tally
    fit: Fit

    def side(self) -> SourceSide:
        """Take the cases in which it happened."""
        value, events = (to_numpy(x) for x in (self.tally.value, self.tally.events))
        there, bins = events > 0, self.fit.events > 0
        t = value[there].astype(np.float64)
        return SourceSide(self.name, t, events[there], self.fit.rate[bins], self.fit.events[bins])

    def rows_at(self, q: Column) -> Column:
        """Return the rows of the tally that forecasts belong to."""
        return np.searchsorted(to_numpy(self.tally.value), q)


def sides(cases: Tally | Cases, source: Source) -> list[SourceSide]:
    """Find for every class that happened which probabilities it was given."""
    if not source.pooled:
        result = [question.side() for question in questions(cases, source)]
        return [side for side in result if len(side.t)]
    table = table_of(cases)
    question = _pooled(table, source)
    t, p, result = table.t, question.fit.spread()[question.rows_at(table.t)], []
    for k, name in enumerate(table.names):
        if (of := table.y == k).any():
            result.append(SourceSide(name, t[of], table.weight[of], p[of], table.weight[of]))
    return result


class SideSums(NamedTuple):
    """What the three means of one class are made of, by the model and by the source."""

    name: str
    model: PowerSums
    source: PowerSums


def sums_by_class(cases: Tally | Cases, source: Source) -> list[SideSums]:
    """Add up the powers of the probabilities that each class was given where it happened."""
    if source.pooled or has_classes(cases):
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
    model = sums_of_outcomes(tally.value, tally.weight, tally.events)
    none = _without(tally, fit)
    counts = (fit.rate, fit.events), (fit.rest_of(none), none)
    fitted = [sums_of_powers(rate[n > 0], n[n > 0]) for rate, n in counts]
    both = zip((EVENT, NO_EVENT), model, fitted, strict=True)
    return [SideSums(*result) for result in both if result[1].weight > 0]


def questions(cases: Tally | Cases, source: Source) -> list[SourceQuestion]:
    """Ask for each class whether it happened; of pooled columns there is a single question."""
    if source.pooled:
        return [_pooled(table_of(cases), source)]
    parts = one_vs_rest(cases) if has_classes(cases) else {EVENT: cases}
    tallies = {name: as_tally(part) for name, part in parts.items()}
    asked = [SourceQuestion(name, tally, source.fit(tally)) for name, tally in tallies.items()]
    return asked if has_classes(cases) else [*asked, _mirrored(asked[0])]


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
    return SourceQuestion(NO_EVENT, turned, backwards)


def _without(tally: Tally, fit: Fit) -> Column:
    """Add up the cases of each bin without the event; beside heavier events they would be lost."""
    if tally.event_squares is None:
        # Whole numbers lose nothing, and tensors of them stay where they are.
        return np.asarray(fit.weight - fit.events)
    none = to_numpy(tally.weight) - to_numpy(tally.events)
    return np.asarray(np.add.reduceat(none, np.append(0, fit.end[:-1])))


def _pooled(table: ClassTable, source: Source) -> SourceQuestion:
    """Ask of every probability in a table whether its class happened."""
    classes = table.p.shape[1]
    happened = (table.y[:, None] == np.arange(classes)).ravel()
    weight = exact_weights(np.repeat(table.weight, classes))
    columns = [weight, np.where(happened, weight, 0)]
    if not table.counted:
        square = np.repeat(table.square, classes)
        columns += [np.where(happened, square, 0), np.where(happened, 0, square)]
    tally = tally_of_sums(pool(table.p.ravel(), columns))
    return SourceQuestion(ALL, tally, source.fit(tally))


def divergence(model: Column | float, behind: Column | float, source: Source) -> Column:
    """Divide means of a model by those of its source; NaN where the latter are 0.

    What rounding leaves above a bound of 1 is 1, and nothing else.
    """
    with infinities():
        result = np.where(np.greater(behind, 0), np.divide(model, behind), np.nan)
    rounded = isinstance(source, IsotonicSource) & (result > 1) & (result <= 1 + SAME_SUM)
    return np.where(rounded, 1.0, result)
