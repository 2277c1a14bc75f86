"""Prevalence shift: the same forecasts where the event is rarer, or more frequent."""

from __future__ import annotations

import math
import sys
from typing import Any, NamedTuple, overload

from properly._boundary._libraries import infinities, namespace
from properly._boundary._options import check_inside
from properly.counts._calls import OutcomeRows, takes_rows
from properly.counts._cases import Cases, event_among, is_unweighted
from properly.counts._pooling import pool
from properly.counts._tally import Tally, as_tally, sums_of, tally_of_sums
from properly.errors import DataError
from properly.typing import Array, ArrayLike

# The greatest and the least probability that is not certainty.
ALMOST, HARDLY = 1 - sys.float_info.epsilon / 2, math.ulp(0)


class Factors(NamedTuple):
    """By how much the weights of events and of non-events change, and the odds of forecasts."""

    event: float
    none: float
    odds: float


@overload
def with_event_rate(
    tally: Tally, event_rate: float, *, forecasts_for: float | None = None
) -> Tally: ...


@overload
def with_event_rate(
    tally: Cases, event_rate: float, *, forecasts_for: float | None = None
) -> Cases: ...


@overload
def with_event_rate(
    y: OutcomeRows, p: ArrayLike, *args: Any, **columns_and_options: Any
) -> Cases: ...
@takes_rows
def with_event_rate(
    tally: Tally | Cases, event_rate: float, *, forecasts_for: float | None = None
) -> Tally | Cases:
    r"""Evaluate as if the event had another rate where the forecasts are used.

    Events are weighted by :math:`\pi_d / \pi_s` and non-events by
    :math:`(1 - \pi_d) / (1 - \pi_s)`, with the rate :math:`\pi_d` where the forecasts are used and
    :math:`\pi_s` in the sample. If the forecasts were made for another rate :math:`\pi_m`, they
    are shifted:

    .. math:: \text{logit}\, p' = \text{logit}\, p + \text{logit}\, \pi_d - \text{logit}\, \pi_m .

    Parameters
    ----------
    tally : Tally or Cases
        The forecasts and what happened, such as a case-control sample.
    event_rate : float
        The event rate where the forecasts are used, ``0 < event_rate < 1``.
    forecasts_for : float, optional
        The event rate that the forecasts were made for, often that of the training data. Without
        it the forecasts stay as they are.

    Returns
    -------
    Tally or Cases
        What was given: of a tally the reweighted one, of cases the reweighted rows, with their
        clusters, times and groups. The total weight does not change.

    Notes
    -----
    The assumption is that what forecasts look like given the outcome is the same here and there, as
    under case-control sampling. Rates of true and false positives and the AUC then do not change;
    scores, skill, calibration and net benefit do.

    Shift the forecasts only if the model does not already aim at the new rate; a forecast that
    does would be miscalibrated by it. Certain forecasts stay certain, and no other becomes so.
    Forecasts that differ by less than a double can tell after the shift are pooled; those of a
    grouped tally are the means of its cells.

    Thresholds do not move: a range such as (0.05, 0.2) is one of probabilities where the forecasts
    are used.

    Cases that were counted become weighted ones: three of them stay three, each of its new weight.
    Standard errors and intervals take the reweighted cases as a sample whose event rate is subject
    to chance as well. They are too wide where the new rate is known: the more so, the more the
    losses with and without the event differ. Of 100 events, half of them found, and 9,900 others,
    5 % of them taken for events, weighted to an event rate of 0.2, the interval of net benefit at
    the threshold 0.1 is 1.25 times as wide as need be. Rates of true and of false positives are not
    concerned.

    Examples
    --------
    Everybody with the event was examined but only one in nine of the others, and the model is one
    for this half-and-half sample; in the population one in ten has the event:

    >>> import properly
    >>> t = properly.Tally.from_counts([0.25, 0.75], [40, 40], [10, 30])
    >>> there = properly.counts.with_event_rate(t, 0.1, forecasts_for=0.5)
    >>> there
    Tally(weight 80 at 2 distinct forecasts, event rate 0.1)
    >>> there.value, (there.events / there.weight)
    (array([0.03571429, 0.25      ]), array([0.03571429, 0.25      ]))
    >>> properly.roc_curve(t).area, properly.roc_curve(there).area
    (0.75, 0.75)
    """
    rate = check_inside(event_rate, "event_rate")
    made_for = rate if forecasts_for is None else check_inside(forecasts_for, "forecasts_for")
    counts = as_tally(tally)
    xp, total = namespace(counts.weight), float(counts.total)
    # The rest is added up by itself: subtracting sums of weights might leave less than none.
    events, none = (float(xp.sum(x)) for x in (counts.events, counts.weight - counts.events))
    if events == 0 or none == 0:
        message = "another event rate needs cases with the event and cases without; "
        message += f"got {'no' if events == 0 else 'only'} events"
        raise DataError(message, hint="what was never seen cannot be weighted.")
    # Exactly 1 if nothing is to be shifted; a quotient might be rounded.
    odds = rate / (1 - rate) / (made_for / (1 - made_for))
    odds = 1.0 if made_for == rate else min(odds, sys.float_info.max)
    factors = Factors(rate * total / events, (1 - rate) * total / none, odds)
    return _cases(tally, factors) if isinstance(tally, Cases) else _tally(counts, factors)


def _tally(tally: Tally, factors: Factors) -> Tally:
    xp = namespace(tally.value)
    columns = (xp.astype(x, xp.float64) for x in sums_of(tally))
    weight, events, *squares = columns
    # A case that was counted weighs 1, and so does its square.
    event_squares, none_squares = squares or (events, weight - events)
    none, events = (weight - events) * factors.none, events * factors.event
    squares = [event_squares * factors.event**2, none_squares * factors.none**2]
    result = [tally.value, none + events, events, *squares]
    if factors.odds != 1:
        result = pool(_shift(tally.value, factors.odds), result[1:])
    return tally_of_sums(result, tally.cells)


def _cases(cases: Cases, factors: Factors) -> Cases:
    xp = namespace(cases.p)
    weight = xp.ones_like(cases.p, dtype=xp.float64)
    if cases.weight is not None:
        # Equal weights are none, as in the tally.
        amount = cases.weight > 0 if is_unweighted(cases) else cases.weight
        weight = xp.astype(amount, xp.float64)
    p = cases.p if factors.odds == 1 else _shift(cases.p, factors.odds)
    weight = xp.where(cases.y, weight * factors.event, weight * factors.none)
    return event_among(cases, cases.y, p, weight)


@infinities()
def _shift(p: Array, odds: float) -> Array:
    """Multiply the odds of forecasts; 0 and 1 stay, and nothing else gets there.

    Each step is monotone also when it is rounded, so that no two forecasts change places, which
    they might if p were in the numerator and in the denominator.
    """
    xp = namespace(p)
    p = xp.astype(p, xp.float64)
    inside = (p > 0) & (p < 1)
    some = xp.where(inside, p, xp.full_like(p, 0.5))
    moved = 1 / (1 + (1 - some) / some / odds)
    moved = xp.minimum(xp.full_like(p, ALMOST), xp.maximum(xp.full_like(p, HARDLY), moved))
    return xp.where(inside, moved, p)
