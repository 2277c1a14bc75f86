"""Grouping error: bounds on what counting forecasts in cells can have changed."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from properly._boundary._options import as_number, check_whole
from properly._boundary._record import Record, ends_apart
from properly._boundary._text import at_most, many
from properly._boundary._tolerances import UNIT_SUM
from properly.calibration._statistics import ForecastSample
from properly.counts._calls import takes_rows
from properly.counts._cases import Cases
from properly.counts._isotonic import Recalibration, recalibrate
from properly.counts._scoring import mean_loss, mean_score
from properly.counts._tally import Tally, as_tally, tally_of_sums
from properly.errors import DataError, ImproperRuleError
from properly.rules import BinaryRule, Brier
from properly.rules._rule import paid, require_binary
from properly.typing import Column

Pair: TypeAlias = tuple[float, float]

# The least forecast above 0, which is apart: a loss below it may be infinite, at it none is.
LEAST = 5e-324


@dataclass(frozen=True, repr=False)
class GroupingError(Record):
    """What grouping forecasts into cells can have changed.

    Pairs are the least and the greatest value that the ungrouped forecasts can have had; single
    numbers say how far off a result of the grouped tally is at most.

    Attributes
    ----------
    cells : int or None
        The number of cells, None if every forecast was kept and nothing was changed.
    score : tuple of float
        The mean score. Both are equal if it was given.
    calibrated : tuple of float
        The mean score of the recalibrated forecasts. The upper end is that of the grouped ones, or
        the score itself if that is less.
    miscalibration, discrimination : tuple of float
        The parts of the score. The uncertainty is never changed.
    regret : float
        How far off the regret is at any threshold, at most; 0 at the borders of cells. A Murphy
        curve is off by at most twice this, and net benefit at the threshold t by
        ``regret / (1 - t)``.
    auc : float
        How far off the area under the ROC curve is, at most.
    recalibrated : float
        How far off recalibrated forecasts are, at most: the root of the mean square over cases,
        each of which has the recalibrated probability of its cell.

    Examples
    --------
    >>> import properly
    >>> t = properly.tally([0, 1, 0, 1, 1, 1], [0.12, 0.18, 0.4, 0.6, 0.61, 0.64], cells=10)
    >>> found = properly.calibration.grouping_error(t)
    >>> found
    GroupingError(10 cells, miscalibration within 0.097, discrimination within 0.028)
    >>> print([round(x, 4) for x in found.discrimination])
    [0.1111, 0.1389]
    """

    cells: int | None
    score: Pair
    calibrated: Pair
    miscalibration: Pair
    discrimination: Pair
    regret: float
    auc: float
    recalibrated: float

    def __repr__(self) -> str:
        if self.cells is None:
            return "GroupingError(not grouped, exact)"
        widths = (at_most(_width(x)) for x in (self.miscalibration, self.discrimination))
        parts = "miscalibration within {}, discrimination within {}".format(*widths)
        return f"GroupingError({many(self.cells, 'cell')}, {parts})"

    @property
    def told(self) -> str:
        """The same in a sentence, with figures that are rounded up."""
        if self.cells is None:
            return "forecasts were not grouped: all numbers are exact"
        widths = [_width(x) for x in (self.score, self.miscalibration, self.discrimination)]
        known = "the score is known to within {}, miscalibration to within {}, discrimination to"
        parts = f"{known} within {{}}".format(*map(at_most, widths))
        if widths[0] == 0:
            known = "the score is exact, miscalibration and discrimination are known to within"
            parts = f"{known} {at_most(max(widths))}"
        return (
            f"forecasts were grouped into {many(self.cells, 'cell')}: {parts}; "
            f"the AUC is off by at most {at_most(self.auc)}; curves are exact at multiples of "
            f"1/{self.cells:,}, and between these the regret is off by at most "
            f"{at_most(self.regret)}"
        )

    def _columns(self) -> dict[str, list[Any]]:
        return {name: [value] for name, value in ends_apart(self._row()).items()}


@takes_rows
def grouping_error(
    tally: Tally | Cases, rule: BinaryRule | str | None = None, *, score: float | None = None
) -> GroupingError:
    r"""Bound what grouping forecasts into cells can have changed.

    Parameters
    ----------
    tally : Tally or Cases
        The grouped forecasts and what happened. If they were not grouped, nothing was changed.
    rule : BinaryRule or str, optional
        A proper rule, or its name; the Brier score if left out.
    score : float, optional
        The mean score of the ungrouped forecasts, where it is known from adding up all losses. The
        miscalibration is then known as closely as the discrimination.

    Returns
    -------
    GroupingError

    Notes
    -----
    The bounds hold for whatever forecasts there were. A cell has :math:`e` events and :math:`n`
    non-events of mean forecast :math:`m`, all at :math:`a` or above and below :math:`b`, its
    borders. Two things are known exactly: forecasts of 0 and of 1, which have cells of their own,
    and the forecast of a case that is alone in its cell. With many cases, the bounds of scores,
    parts, regret and AUC shrink as the cells do, that of recalibrated forecasts as the root.

    *Score.* The loss :math:`U` of an event falls as the forecast rises, the loss :math:`V` of a
    non-event rises with it. So the score is least if, in each cell, events are at the upper and
    non-events at the lower end, and greatest if it is the other way round. Ends are floats of the
    cell: the least float above 0 has a large log score, but not an infinite one.

    *Calibrated score.* An increasing function of the grouped forecasts is one of the ungrouped ones
    too, and the best of these costs no more: that is the upper end. So is the score, since
    forecasts may stay as they are, if it is known and less. For the lower end, keep the best
    function :math:`f` where it is, and in each cell move the outcomes, non-events to the front and
    events to the back. Since :math:`U(f) - V(f)` falls as :math:`f` rises, that costs no more, and
    the best increasing fit to outcomes in this order costs no more again. Both ends can be reached.
    Cells that are cut into finer ones never have a wider interval.

    *Miscalibration* is the score minus the calibrated score, and *discrimination* the uncertainty,
    which is exact, minus the calibrated score.

    *Curves.* A threshold on a border parts no cell, and there regret, net benefit and both rates
    of the ROC curve are exact. At a threshold :math:`t` inside a cell, grouping puts all of its
    cases on the side of :math:`m`, while :math:`e'` events and :math:`n'` non-events were on the
    other. The regret, times the number of all cases, is then wrong by
    :math:`|e' (1 - t) - n' t| \le \max\{e' (1 - t), n' t\}`. Since their mean is :math:`m`, no more
    than :math:`(e + n)(b - m)/(b - t)` of the cases can be below a :math:`t \le m`, and no more
    than :math:`(e + n)(m - a)/(t - a)` at or above a :math:`t > m`. With the worst :math:`t` of
    each kind, that is at most the larger of

    .. math:: \min\{e (1-a),\; e (1-b) + (e+n)(b-m)\} \quad\text{and}\quad
        \min\{n b,\; n a + (e+n)(m-a)\} .

    *AUC.* Only pairs inside a cell are not known. They were counted half, so it is off by at most
    :math:`\sum_k e_k n_k / (2 \sum_k e_k \sum_k n_k)`; above, over cells with unknown forecasts.

    *Recalibrated forecasts* are, of all increasing functions of the forecasts, the nearest to the
    outcomes in squared distance. These functions are a convex set, in which those of the grouped
    forecasts lie. So the mean square of the difference is at most the difference of the two
    calibrated Brier scores, which is at most that of the ends of their interval.

    Examples
    --------
    >>> import properly
    >>> from properly.rules import Brier
    >>> y, p = [0, 1, 0, 1, 1, 1], [0.12, 0.18, 0.4, 0.6, 0.61, 0.64]
    >>> found = properly.calibration.grouping_error(properly.tally(y, p, cells=10),
    ...     score=Brier()(y, p))
    >>> print([round(x, 4) for x in found.miscalibration])
    [0.1036, 0.1314]
    >>> print(found.told)
    forecasts were grouped into 10 cells: the score is exact, miscalibration and discrimination are
    known to within 0.028; the AUC is off by at most 0.063; curves are exact at multiples of 1/10,
    and between these the regret is off by at most 0.2
    >>> properly.calibration.grouping_error(properly.tally(y, p))
    GroupingError(not grouped, exact)
    """
    rule = Brier() if rule is None else require_binary(rule)
    if not rule.is_proper:
        message = f"only a proper rule has bounds; {rule!r} is improper, "
        message += "so its price need not rise with the distance from what happened"
        raise ImproperRuleError(message)
    t = as_tally(tally)
    cells, fit = _cells(t), recalibrate(t)
    scores = _scores(cells, rule) if t.cells else (mean_score(t, rule),) * 2
    if score is not None:
        scores = (_within(scores, score),) * 2
    fits = recalibrate(_luckiest(cells)) if t.cells else fit, fit
    constant = mean_loss(*fit.pooled(), rule)
    # Recalibrated, forecasts are no worse than themselves.
    upper = min(_calibrated(fits[1], rule), scores[1])
    lower = min(_calibrated(fits[0], rule), upper)
    most = max(_calibrated(fits[1], Brier()) - _calibrated(fits[0], Brier()), 0.0)
    return GroupingError(
        t.cells,
        scores,
        (lower, upper),
        (max(scores[0] - upper, 0.0), max(scores[1] - lower, 0.0)),
        (max(constant - upper, 0.0), max(constant - lower, 0.0)),
        _most_regret(cells),
        _most_pairs(cells),
        math.sqrt(most),
    )


class _Cells(NamedTuple):
    """What happened in each cell, and between which forecasts; of known cells the only one."""

    mean: Column
    nonevents: Column
    events: Column
    lower: Column
    upper: Column

    @property
    def spread(self) -> Column:
        """Whether forecasts of the cell may differ."""
        return self.lower < self.upper


def _cells(tally: Tally) -> _Cells:
    """Find the least and the greatest float in the cell of each mean forecast."""
    mean, weight, events, square = ForecastSample.of(tally)
    if tally.cells is None:
        return _Cells(mean, weight - events, events, mean, mean)
    cells = check_whole(tally.cells, "cells")
    place = np.floor(mean * cells)
    # Rounding may carry a product over a border; quotients are what the borders are.
    place -= place / cells > mean
    place += (place + 1) / cells <= mean
    inside = (mean > 0) & (mean < 1)
    _require_one_each(place[inside], cells)
    # A case that is alone in its cell: only then is the square of a sum the sum of squares.
    exact = ~inside | ((square == weight**2) & ((events == 0) | (events == weight)))
    lower = np.where(exact, mean, np.maximum(place / cells, LEAST))
    upper = np.where(exact, mean, np.nextafter((place + 1) / cells, 0))
    return _Cells(mean, weight - events, events, lower, upper)


def _require_one_each(place: Column, cells: int) -> None:
    row = np.nonzero(place[1:] == place[:-1])[0]
    if len(row):
        start = place[row[0]] / cells
        message = f"a tally grouped into {cells:,} cells has one forecast in each; "
        message += f"the one from {start:g} on has more"
        hint = "ask of the tally as it was grouped, before its forecasts were changed."
        raise DataError(message, hint=hint)


def _scores(cells: _Cells, rule: BinaryRule) -> Pair:
    """Return the score with events at the upper and non-events at the lower ends, or the reverse.

    Both are added up in the same order, so that they are equal if nothing is unknown.
    """
    sides = (rule.loss_if_event, cells.events), (rule.loss_if_none, cells.nonevents)
    total = float((cells.events + cells.nonevents).sum())
    lower, upper = (
        math.fsum(paid(price, p, n > 0, n) for p, (price, n) in zip(ends, sides, strict=True))
        for ends in ((cells.upper, cells.lower), (cells.lower, cells.upper))
    )
    return min(lower, upper) / total, upper / total


def _luckiest(cells: _Cells) -> Tally:
    """Put the non-events of each cell before its events; equal forecasts stay one group."""
    spread, nothing = cells.spread, np.zeros_like(cells.events)
    together = cells.nonevents + cells.events
    weight = np.where(spread, (cells.nonevents, cells.events), (together, nothing))
    events = np.where(spread, (nothing, cells.events), (cells.events, nothing))
    columns = [x.T.ravel() for x in (np.stack([cells.lower, cells.upper]), weight, events)]
    used = columns[1] > 0
    return tally_of_sums([x[used] for x in columns])


def _calibrated(fit: Recalibration, rule: BinaryRule) -> float:
    return mean_loss(fit.event_rate, fit.weight, fit.events, rule)


def _most_regret(cells: _Cells) -> float:
    """Return by how much the regret at a threshold inside a cell may be wrong."""
    mean, none, events, a, b = (x[cells.spread].astype(np.float64) for x in cells)
    weight = none + events
    missed = np.minimum(events * (1 - a), events * (1 - b) + weight * (b - mean))
    in_vain = np.minimum(none * b, none * a + weight * (mean - a))
    total = float(cells.nonevents.sum()) + float(cells.events.sum())
    return float(np.max(np.maximum(missed, in_vain), initial=0.0)) / total


def _most_pairs(cells: _Cells) -> float:
    """Return half of the share of pairs that lie in one cell; without pairs, none does."""
    none, events = (x.astype(np.float64) for x in (cells.nonevents, cells.events))
    every = none.sum() * events.sum()
    return float(none[cells.spread] @ events[cells.spread] / (2 * every)) if every else 0.0


def _within(scores: Pair, score: object) -> float:
    """Refuse a score that these cases cannot have had."""
    result, (lower, upper) = as_number(score, "score"), scores
    near = any(math.isclose(result, end, rel_tol=UNIT_SUM, abs_tol=UNIT_SUM) for end in scores)
    if not (lower <= result <= upper or near):
        message = (
            f"the score of these cases lies between {lower:.6g} and {upper:.6g}; got {result:.6g}"
        )
        hint = "pass the mean loss of the ungrouped forecasts, by the same rule and weights."
        raise DataError(message, hint=hint)
    return result


def _width(ends: Pair) -> float:
    """Return the length of an interval; infinity is known exactly."""
    return 0.0 if ends[0] == ends[1] else ends[1] - ends[0]
