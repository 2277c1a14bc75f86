"""Tally x rule -> number."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from properly._libraries import namespace
from properly._pooling import is_one_each
from properly._sweep import sweep
from properly.rules._rule import paid

if TYPE_CHECKING:
    from properly._tally import Tally
    from properly.rules import BinaryRule
    from properly.typing import Array


def mean_score(tally: Tally, rule: BinaryRule) -> float:
    """Return the mean loss of all cases in a tally."""
    return mean_loss(tally.value, tally.weight, tally.events, rule)


def mean_loss(value: Array, weight: Array, events: Array, rule: BinaryRule) -> float:
    """Return the mean loss, given how many cases and events there were at each forecast."""

    def total_loss(value: Array, weight: Array, events: Array) -> float:
        sides = (rule.loss_if_event, events), (rule.loss_if_none, weight - events)
        one_each = is_one_each(weight)
        return sum(paid(price, value, n > 0, None if one_each else n) for price, n in sides)

    total = float(namespace(weight).sum(weight))
    return math.fsum(sweep(total_loss, value, weight, events)) / total
