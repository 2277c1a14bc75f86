"""A rule as an evaluation metric of boosted trees."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from properly._boundary._arrays import refuse
from properly.integrations._boosting import Checked, as_pairs, check_batch, read_batch
from properly.rules import BinaryRule

if TYPE_CHECKING:
    from properly.integrations._boosting import Floats
    from properly.rules import Rule

MARGINS = "with a custom objective the trees return margins: pass from_logits=True."


def mean_score(
    rule: Rule, first: Any, second: Any, weight: Any = None, *, from_logits: bool
) -> float:
    """Return the (weighted) mean loss, from either way in which a library calls its metrics."""
    rows = check_batch(rule, read_batch(first, second, weight))
    if not from_logits:
        _check_probabilities(rows.output)
    if rows.output.ndim == 1 and not isinstance(rule, BinaryRule):
        pairs = as_pairs(rows.output, from_logits=from_logits)
        rows = Checked(rows.y.astype(np.int64), pairs, rows.weight)
    if from_logits:
        return _mean_of_logits(rule, rows)
    return float(rule(rows.y, rows.output, rows.weight))


def _mean_of_logits(rule: Any, rows: Checked) -> float:
    y, margin, weight = rows
    if weight is None:
        return float(rule.logit_loss(y, margin).mean())
    # Left out rather than multiplied by 0: the loss of an unused row may be infinite.
    used = weight > 0
    loss = rule.logit_loss(y[used], margin[used])
    return float(np.average(loss, weights=weight[used]))


def _check_probabilities(p: Floats) -> None:
    inside = (p >= 0) & (p <= 1)
    if not inside.all():
        refuse(p, ~inside, "with from_logits=False trees must return probabilities", MARGINS)
