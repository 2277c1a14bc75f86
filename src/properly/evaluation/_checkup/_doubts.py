"""What an evaluation itself shows of mistakes in its data, at hardly any cost.

`properly.check` looks at every column. This looks at results that are there already, so that
nobody has to ask: the commonest mistakes leave traces in them.
"""

from __future__ import annotations

import math
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from properly._boundary._labels import names_of_labels
from properly._boundary._libraries import namespace
from properly._boundary._text import printable
from properly._boundary._tolerances import SAME_SUM
from properly.evaluation._checkup._classes import BETTER, MOST
from properly.evaluation._checkup._event import ENOUGH, SURE

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from properly.counts._cases import Cases
    from properly.evaluation._record import Evaluation

# Of that many rows, none is a probability: then all are looked at.
SOME = 1000
# No forecast is higher, where percentages were divided twice.
PERCENT = 0.01


def doubts(e: Evaluation, cases: Mapping[str, Cases]) -> Iterator[str]:
    """Say what looks like a mistake; there are no cases where rows were only summed."""
    if e.rows < ENOUGH:
        return
    for name in e.models:
        said = printable(name)
        if _is_hard(e, name, cases):
            yield (
                f"all forecasts of {said} are 0 or 1, as decisions are; scores and calibration "
                "need probabilities, such as those of predict_proba"
            )
        if e.task != "binary":
            yield from _order_of_columns(e, name, said)
        elif min(e.events, e.rows - e.events) >= ENOUGH:
            yield from _doubts_of_event(e, name, said)
    for name, copied in _copies(e, cases).items():
        both = f"{printable(name)} is a copy of {printable(copied)}"
        yield f"the model {both}: their forecasts are the same in every row"


def _doubts_of_event(e: Evaluation, name: str, said: str) -> Iterator[str]:
    """Find forecasts of the other outcome, and percentages that were divided by 100 twice."""
    area, record = e.aucs.get(name), e.reliability[name]
    if area is not None and area.value + SURE * area.standard_error < 0.5:
        yield (
            f"events have lower forecasts than non-events by {said}, with an AUC of "
            f"{area.value:.3f}: is it 1 - p, the probability of the other outcome?"
        )
    highest, scaled = float(record.bins.x_max[-1]), 100 * record.mean_forecast
    if highest <= PERCENT and e.event_rate / 2 <= scaled <= 2 * e.event_rate:
        yield (
            f"no forecast of {said} is above {highest:.2g}, and a hundred times their mean is near "
            f"the event rate, {e.event_rate:.2g}: were percentages divided by 100 twice?"
        )


def _order_of_columns(e: Evaluation, name: str, said: str) -> Iterator[str]:
    """Find columns in another order than the labels, such as that of the alphabet.

    As in `properly.check`, that must be right in a tenth more of the cases, and not by chance.
    """
    if len(e.labels) > MOST:
        return
    from scipy.optimize import linear_sum_assignment

    counts = np.asarray(e.decisions[name].argmax.confusion.counts, dtype=np.float64)
    truth, column = linear_sum_assignment(counts, maximize=True)
    moved = truth != column
    now, then = np.diag(counts)[moved].sum(), counts[truth, column][moved].sum()
    gain, total = then - now, counts.sum()
    if gain > BETTER * total and gain > SURE * math.sqrt(then + now):
        order = ", ".join(names_of_labels(e.labels[k] for k in truth[np.argsort(column)]))
        yield (
            f"{100 * gain / total:.0f} % more of the decisions by {said} would be right if its "
            f"columns were {printable(order)}: are they in the order of the labels?"
        )


def _is_hard(e: Evaluation, name: str, cases: Mapping[str, Cases]) -> bool:
    """Tell decisions: forecasts that are all 0 or 1."""
    if e.task == "binary":
        sure = e.certain[name]
        return math.isclose(sure.never + sure.always, e.total, rel_tol=SAME_SUM)
    if name not in cases:
        return False
    p = cases[name].p
    parts = (p[:SOME], p) if p.shape[0] > SOME else (p,)
    return all(bool(namespace(p).all((part == 0) | (part == 1))) for part in parts)


def _copies(e: Evaluation, cases: Mapping[str, Cases]) -> dict[str, str]:
    """Find models with the forecasts of one before; only those of the same score are compared."""
    result: dict[str, str] = {}
    for one, other in combinations(cases, 2):
        first, second = (e.scores[name][e.primary].value for name in (one, other))
        if other in result or not math.isclose(first, second, rel_tol=SAME_SUM):
            continue
        p, q = cases[one].p, cases[other].p
        if p.shape == q.shape and bool(namespace(p).all(p == q)):
            result[other] = one
    return result
