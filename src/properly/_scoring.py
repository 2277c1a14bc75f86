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


def share_saved(score: float, reference: float) -> float:
    """Return one minus the ratio of two scores, also where one is 0 or infinite."""
    if reference == 0:
        return math.nan if score == 0 else -math.inf
    if math.isinf(score):
        return math.nan if math.isinf(reference) else -math.inf
    return 1 - score / reference
