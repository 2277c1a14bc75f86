"""Rows of class probabilities; an event is one of two classes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from properly._boundary._classes import names_of_labels
from properly._boundary._libraries import to_numpy
from properly.counts._cases import Cases, has_classes, is_unweighted, rows_in_use
from properly.counts._reductions import complement
from properly.counts._tally import Tally, as_tally, sums_of
from properly.rules._class_rule import at
from properly.typing import Array, Column

EVENT, NO_EVENT = "event", "no event"


class ClassTable(NamedTuple):
    """What happened, and how probable every class was called.

    Attributes
    ----------
    y : numpy array
        The number of the class that happened.
    p : numpy array of float64
        The probabilities, one column a class, none above 1.
    weight : numpy array
        Numbers of cases, or weights; all above 0.
    square : numpy array
        What weights add to a variance: the sums of their squares, which of counts are the counts.
    names : sequence of str
        The classes.
    counted : bool
        Whether cases were counted, and not weighted.
    """

    y: Column
    p: Column
    weight: Column
    square: Column
    names: Sequence[str]
    counted: bool

    @property
    def t(self) -> Column:
        """The probability given to what happened, a row each."""
        result: Column = at(self.p, self.y)
        return result

    @property
    def impossible(self) -> int | float:
        """The number of cases whose outcome was given 0, or their weight."""
        total = self.weight[self.t == 0].sum()
        return int(total) if self.counted else float(total)

    def possible(self) -> tuple[Column, Column]:
        """Return all probabilities of what may happen, each weighted by itself."""
        amount = self.weight[:, None] * self.p
        return self.p[amount > 0], amount[amount > 0]


def table_of(cases: Tally | Cases) -> ClassTable:
    """Write cases as a table: one row a case of classes, or a forecast of an event and outcome."""
    if has_classes(cases):
        return rows_of(cases)
    tally = as_tally(cases)
    return two_classes(tally.value, *sums_of(tally))


def two_classes(
    value: Array, weight: Array, events: Array, *squares: Array, rest: Column | None = None
) -> ClassTable:
    """Write forecasts of an event as those of two classes, the event and none.

    Squares are those of the weights of events and of non-events; counts have no need of them. The
    probability of no event may be given, if one minus that of the event has too few digits.
    """
    value, weight, events = (to_numpy(x) for x in (value, weight, events))
    amount = np.concatenate([events, weight - events])
    square = np.concatenate([to_numpy(x) for x in squares]) if squares else amount
    y, used = np.repeat([0, 1], len(value)), amount > 0
    p = _both(value) if rest is None else np.stack([value, rest], axis=1)
    p = np.concatenate([p, p])[used]
    names = (EVENT, NO_EVENT)
    return ClassTable(y[used], p, amount[used], square[used], names, counted=not squares)


def rows_of(cases: Cases) -> ClassTable:
    """Write cases as a table, one row a case even of an event."""
    y, p, weight, _ = rows_in_use(cases)
    counted = is_unweighted(cases)
    if counted:
        weight = weight.astype(np.int64)
    square = weight * weight
    if cases.classes is None:
        y, p, names = np.where(y, 0, 1), _both(p), (EVENT, NO_EVENT)
        return ClassTable(y, p, weight, square, names, counted)
    p = np.minimum(p.astype(np.float64), 1.0)
    return ClassTable(y, p, weight, square, names_of_labels(cases.labels or ()), counted)


def count_impossible(cases: Tally | Cases) -> int | float:
    """Count the cases whose outcome was given 0, or add up their weight."""
    if has_classes(cases):
        return rows_of(cases).impossible
    t = as_tally(cases)
    # Values increase, so that only the first can be 0, and only the last 1.
    ends = [(t.value[i], t.weight[i], t.events[i]) for i in (0, -1)]
    (low, _, events), (high, weight, last) = ends
    total = events * (low == 0) + (weight - last) * (high == 1)
    return int(total) if t.event_squares is None else float(total)


def _both(p: Column) -> Column:
    """Return the probabilities of an event and of none, side by side in double precision."""
    p = p.astype(np.float64)
    return np.stack([p, complement(p)], axis=1)
