"""Sums of losses, row by row: what the sums of arrays and of engines are held against."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from properly.counts._scoring import price
from properly.engines._score_sums import ScoreSums, keys_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from properly.engines._score_sums import Key
    from properly.rules import Rule


def sum_rows(
    models: Sequence[str],
    rules: Sequence[Rule],
    y: Any,
    forecasts: Mapping[str, Any],
    weight: Any = None,
    *,
    classes: int | None = None,
    clusters: Any = None,
) -> ScoreSums:
    """Sum up rows of an event or of classes, of independent cases or of clusters."""
    used = slice(None) if weight is None else np.asarray(weight) > 0
    y = np.asarray(y, dtype=bool if classes is None else np.intp)[used]
    w = np.ones(len(y)) if weight is None else np.asarray(weight, dtype=float)[used]
    unit = np.arange(len(y))
    if clusters is not None:
        unit = np.unique(np.asarray(clusters)[used], return_inverse=True)[1]
    size = np.bincount(unit, w)
    alone = 1 - size / size.sum()
    factor = np.divide(1, alone, out=np.zeros(len(size)), where=alone > 0)
    if clusters is None:
        factor = np.ones(len(size))

    def product(one: Any, other: Any) -> float:
        return float((factor * np.bincount(unit, one) * np.bincount(unit, other)).sum())

    totals: dict[Key, float] = {("rows",): len(y), ("units",): len(size), ("weight",): w.sum()}
    totals |= {("weight2",): (size**2).sum(), ("row_squares",): (w**2).sum()}
    totals |= {("corrected2",): product(w, w), ("corrected4",): (factor**2 * size**4).sum()}
    event = w * y
    totals |= {("event_rows",): int(np.sum(y)), ("event",): event.sum()}
    totals |= {("event2",): product(event, event), ("event_weight",): product(event, w)}
    totals["event_squares",] = (w * event).sum()
    for k in range(classes or 0):
        totals |= {("class", k): w[y == k].sum(), ("class_rows", k): int((y == k).sum())}
        totals["class_squares", k] = (w[y == k] ** 2).sum()
    for r, rule in enumerate(rules):
        loss = [
            price(rule, y, np.asarray(forecasts[name], dtype=float)[used], classes=bool(classes))
            for name in models
        ]
        paid = [w * np.where(np.isfinite(row), row, 0) for row in loss]
        for j, amount in enumerate(paid):
            lost = np.isinf(loss[j])
            totals |= {
                ("infinite", r, j): int(lost.sum()),
                ("infinite_weight", r, j): w[lost].sum(),
            }
            totals |= {("loss", r, j): amount.sum(), ("loss2", r, j): product(amount, amount)}
            totals |= {("loss_weight", r, j): product(amount, w)}
            totals["loss_event", r, j] = product(amount, event)
            for k in range(classes or 0):
                totals["loss_class", r, j, k] = (amount * w)[y == k].sum()
        for j, k in combinations(range(len(loss)), 2):
            apart = paid[j] - paid[k]
            totals["apart2", r, j, k] = product(apart, apart)
            totals["differing", r, j, k] = int((loss[j] != loss[k]).sum())
    clustered = clusters is not None
    keys = keys_of(models, rules, classes, clustered=clustered)
    known = {key: totals[key] for key in keys}
    return ScoreSums(tuple(models), tuple(rules), classes, clustered, known)
