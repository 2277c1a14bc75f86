"""Tally x rule -> number."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from properly._libraries import namespace
from properly._pooling import is_one_each
from properly._sweep import sweep

if TYPE_CHECKING:
    from properly._tally import Tally
    from properly.rules import BinaryRule
    from properly.typing import Array


def mean_score(tally: Tally, rule: BinaryRule) -> float:
    """Return the mean loss of all cases in a tally."""
    return mean_loss(tally.value, tally.weight, tally.events, rule)


def mean_loss(value: Array, weight: Array, events: Array, rule: BinaryRule) -> float:
    """Return the mean loss, given how many cases and events there were at each forecast.

    Each side is priced only where it happened, so an infinite price that nobody paid does no harm.
    """

    def total_loss(value: Array, weight: Array, events: Array) -> float:
        xp = namespace(value)
        value = xp.astype(value, xp.float64, copy=False)
        if is_one_each(weight):
            event = events > 0
            return float(
                xp.sum(rule.loss_if_event(xp.take(value, xp.nonzero(event)[0])))
                + xp.sum(rule.loss_if_none(xp.take(value, xp.nonzero(~event)[0])))
            )
        paid = 0.0
        for count, price in ((events, rule.loss_if_event), (weight - events, rule.loss_if_none)):
            happened = xp.nonzero(count > 0)[0]
            cases = xp.astype(xp.take(count, happened), xp.float64)
            paid += float(xp.sum(cases * price(xp.take(value, happened))))
        return paid

    total = float(namespace(weight).sum(weight))
    return math.fsum(sweep(total_loss, value, weight, events)) / total
