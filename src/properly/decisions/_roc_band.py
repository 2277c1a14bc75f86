"""How far off a ROC curve may be.

Act on a given share of the cases, those with the highest forecasts. How many alarms are then in
vain is, given the numbers of events and of alarms, the only unknown of a table with two rows and
two columns. So along each line of constant alarm rate the curve is bounded by a score interval for
one cell of such a table, which keeps its width where no alarm, or no missed event, was seen.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from properly._boundary._libraries import to_numpy
from properly._boundary._record import Record
from properly.counts._cases import has_clusters, number_clusters, require_no_time, rows_in_use
from properly.counts._tally import Tally, as_tally
from properly.inference._shares import bisect
from properly.inference._variance import effective_total

if TYPE_CHECKING:
    from collections.abc import Callable

    from properly.counts._cases import Cases
    from properly.typing import Column


# Alarm rates at which a band is given, at most: from counts, and from cases one by one.
RATES, RATES_OF_ROWS = 501, 101


@dataclass(frozen=True, eq=False, repr=False)
class RocBand(Record):
    """Bounds of a ROC curve, along lines of constant alarm rate.

    Attributes
    ----------
    alarm_rate : array
        Shares of the cases that one would act on, in increasing order.
    lower_false_positive_rate, lower_true_positive_rate : array
        The lower bound: less discrimination, that is more alarms in vain among as many.
    upper_false_positive_rate, upper_true_positive_rate : array
        The upper bound.
    level : float
        Coverage aimed at, at each alarm rate by itself.

    Examples
    --------
    >>> import properly
    >>> t = properly.tally([0, 1, 0, 1], [0.1, 0.3, 0.6, 0.9])
    >>> properly.roc_curve(t, band="confidence").band
    RocBand(90 % confidence, at 5 alarm rates)
    """

    alarm_rate: Column
    lower_false_positive_rate: Column
    lower_true_positive_rate: Column
    upper_false_positive_rate: Column
    upper_true_positive_rate: Column
    level: float

    _series = (
        "alarm_rate",
        *("lower_false_positive_rate", "lower_true_positive_rate"),
        *("upper_false_positive_rate", "upper_true_positive_rate"),
    )

    def __repr__(self) -> str:
        rates = f"{len(self.alarm_rate)} alarm rates"
        return f"RocBand({100 * self.level:.4g} % confidence, at {rates})"

    def outline(self) -> tuple[Column, Column]:
        """Return false and true positive rates of a closed polygon: there below, back above."""
        lower = self.lower_false_positive_rate, self.lower_true_positive_rate
        upper = self.upper_false_positive_rate, self.upper_true_positive_rate
        x, y = (np.append(a, b[::-1]) for a, b in zip(lower, upper, strict=True))
        return x, y


class Table(NamedTuple):
    """Cases by alarm and outcome, at each alarm rate: all cases, events, alarms, alarms in vain."""

    total: float
    events: float
    alarms: Column
    in_vain: Column

    def variance(self, in_vain: Column) -> tuple[Column, Column]:
        """Return the variance of the alarms in vain if so many are expected, for either side alone.

        Given how many events there are, what one side has the other lacks: the two variances
        combine as resistances in parallel do.
        """
        others = self.total - self.alarms
        missed = self.events - self.alarms + in_vain
        with np.errstate(divide="ignore", invalid="ignore"):
            acted = in_vain * (1 - in_vain / self.alarms)
            left = missed * (1 - missed / others)
        return np.nan_to_num(acted).clip(min=0), np.nan_to_num(left).clip(min=0)


def find_roc_band(source: Tally | Cases, level: float) -> RocBand:
    """Bound the curve at each alarm rate by itself."""
    t = as_tally(source)
    weight, events = (to_numpy(x)[::-1] for x in (t.weight, t.events))
    counted = t.event_squares is None and not has_clusters(source)
    most = min(int(weight.sum()), RATES - 1) if counted else RATES_OF_ROWS - 1
    alarm = np.linspace(0, 1, most + 1)
    reached, none = (np.append(0.0, np.cumsum(x)) for x in (weight, weight - events))
    alarms = alarm * reached[-1]
    table = Table(reached[-1], reached[-1] - none[-1], alarms, np.interp(alarms, reached, none))
    require_no_time(source, "the band of a ROC curve")
    critical = np.full(len(alarm), _quantile(source, level) ** 2)
    if not counted:
        critical *= _design_effect(source, weight, events, table)
    (upper, high), (lower, low) = (_rates(table, x) for x in _score_bounds(table, critical))
    return RocBand(alarm, lower, low, upper, high, level)


def _quantile(source: Tally | Cases, level: float) -> float:
    """Return the quantile of the normal distribution, or of Student's t if there are clusters."""
    from scipy.special import ndtri, stdtrit

    if isinstance(source, Tally) or source.clusters is None:
        return float(ndtri((1 + level) / 2))
    clusters = int(number_clusters(source, rows_in_use(source).used).max()) + 1
    return float(stdtrit(clusters - 1, (1 + level) / 2))


def _rates(table: Table, in_vain: Column) -> tuple[Column, Column]:
    """Return false and true positive rates; without both kinds of cases there are none."""
    others = table.total - table.events
    if not (table.events > 0 and others > 0):
        return np.full(len(in_vain), np.nan), np.full(len(in_vain), np.nan)
    return in_vain / others, ((table.alarms - in_vain) / table.events).clip(0, 1)


def _score_bounds(table: Table, critical: Column) -> tuple[Column, Column]:
    """Return the least and the greatest number of alarms in vain that are not refused."""

    def refused(in_vain: Column) -> Column:
        acted, left = table.variance(in_vain)
        away = (table.in_vain - in_vain) ** 2 * (acted + left)
        # Where neither side varies nothing else is possible than what was seen.
        certain = (acted + left == 0) & (in_vain != table.in_vain)
        found: Column = certain | (away > critical * acted * left)
        return found

    least = np.maximum(table.alarms - table.events, 0)
    greatest = np.minimum(table.alarms, table.total - table.events)
    return bisect(refused, table.in_vain, least), bisect(refused, table.in_vain, greatest)


def _design_effect(source: Tally | Cases, weight: Column, events: Column, table: Table) -> Column:
    """Compare the variance of the alarms in vain with that of as many independent cases.

    Each case on the side of the alarms counts with the share of its own side in the uncertainty,
    each other case with the rest, and both by how far they are from the event rate of their side.
    """
    reached, in_vain = np.append(0.0, np.cumsum(weight)), _not_certain(source, table)
    acted, left = table.variance(in_vain)
    with np.errstate(divide="ignore", invalid="ignore"):
        lean = np.nan_to_num(acted / (acted + left))
        high = np.nan_to_num(1 - in_vain / table.alarms)
        missed = table.events - table.alarms + in_vain
        low = np.nan_to_num(missed / (table.total - table.alarms))
    found, summed = [], _summed_squares(source)
    for alarms, h, first, second in zip(table.alarms, lean, high, low, strict=True):
        inside = np.clip((alarms - reached[:-1]) / weight, 0, 1)
        up, down = inside * (1 - h), (1 - inside) * h
        if_event, if_none = up * (1 - first) - down * (1 - second), down * second - up * first
        alone = float(events @ if_event**2 + (weight - events) @ if_none**2)
        found.append(summed(if_event, if_none) / alone if alone > 0 else 1.0)
    return np.array(found)


def _not_certain(source: Tally | Cases, table: Table) -> Column:
    """Keep every cell of the table half a case away from being empty, so that it has a variance."""
    half = table.total / effective_total(as_tally(source)) / 2
    least = np.maximum(table.alarms - table.events, 0)
    greatest = np.minimum(table.alarms, table.total - table.events)
    room = np.minimum(half, (greatest - least) / 2)
    return np.clip(table.in_vain, least + room, greatest - room)


def _summed_squares(source: Tally | Cases) -> Callable[[Column, Column], float]:
    """Prepare to add up squares: of weighted amounts, or of their sums over clusters.

    Amounts are given for each distinct forecast, the highest first.
    """
    t = as_tally(source)
    if isinstance(source, Tally) or source.clusters is None:
        squares = [to_numpy(x)[::-1] for x in (t.event_squares, t.nonevent_squares)]
        return lambda event, none: float(squares[0] @ event**2 + squares[1] @ none**2)
    y, p, weight, used = rows_in_use(source)
    cluster = number_clusters(source, used)
    row = len(t) - 1 - np.unique(p, return_inverse=True)[1]
    clusters = int(cluster.max()) + 1

    def summed(event: Column, none: Column) -> float:
        total = np.bincount(cluster, weight * np.where(y, event[row], none[row]))
        return float(total @ total) * clusters / (clusters - 1)

    return summed
