"""A forecaster made of all others: the mean, the median or the mean log-odds of a question."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias, get_args

import numpy as np

from properly._boundary._infinities import infinities
from properly._boundary._options import check_choice
from properly.counts._scoring import price
from properly.errors import DataError

if TYPE_CHECKING:
    from properly.counts._answers import Answers, Losses
    from properly.rules import Rule
    from properly.typing import Column

Crowd: TypeAlias = Literal["mean", "median", "log-odds"]
# Fewer forecasters are no crowd.
LEAST = 3


def crowd_forecasts(answers: Answers, kind: Crowd) -> tuple[Column, Column]:
    """Pool the forecasts of each cell that has three or more; return cells and forecasts."""
    check_choice(kind, get_args(Crowd), "crowd")
    found = answers.stances
    if answers.repeated == "mean-loss":
        message = 'a crowd needs forecasts that stand at the same time; repeated is "mean-loss"'
        raise DataError(message, hint='make Answers with repeated="moments" or "last".')
    if kind == "median" and answers.labels is not None:
        message = "the median of class probabilities is no forecast: its parts do not sum to 1"
        raise DataError(message, hint='pass crowd="mean" or crowd="log-odds".')
    size = np.bincount(found.cell)
    cells = np.flatnonzero(size >= LEAST)
    if not len(cells):
        message = f"a crowd needs {LEAST} forecasts of a question; no question has as many"
        raise DataError(message)
    start = np.searchsorted(found.cell, cells)
    if kind == "median":
        ends = zip(start, start + size[cells], strict=True)
        return cells, np.array([np.median(answers.p[first:last]) for first, last in ends])
    rows = np.isin(found.cell, cells)
    place = np.searchsorted(cells, found.cell[rows])
    p = (
        answers.p[rows]
        if answers.labels is not None
        else np.column_stack([1 - answers.p, answers.p])[rows]
    )
    pooled = _pooled(p, place, len(cells), kind)
    return cells, pooled if answers.labels is not None else pooled[:, 1]


def _pooled(p: Column, place: Column, size: int, kind: Crowd) -> Column:
    """Average probabilities, or their logarithms, which are then made to sum to 1."""
    count = np.bincount(place, minlength=size)[:, None]
    with infinities():
        x = p if kind == "mean" else np.log(p)
    total = np.zeros((size, p.shape[1]))
    np.add.at(total, place, x)
    if kind == "mean":
        return np.asarray(total / count)
    mean = total / count
    top = mean.max(axis=1, keepdims=True)
    if not np.isfinite(top).all():
        message = "forecasters who are certain of opposite outcomes have no mean of log-odds"
        raise DataError(message, hint='pass crowd="mean" or crowd="median".')
    weight = np.exp(mean - top)
    return np.asarray(weight / weight.sum(axis=1, keepdims=True))


def joined(answers: Answers, losses: Losses, rule: Rule, kind: Crowd) -> Losses:
    """Add the losses of the crowd, as those of one more forecaster."""
    cells, p = crowd_forecasts(answers, kind)
    happened = answers.y[losses.question[cells]]
    loss = price(rule, happened, p, classes=answers.labels is not None)
    number = np.full(len(cells), len(answers.forecasters), dtype=np.intp)
    more = {"cell": cells, "forecaster": number, "loss": loss, "weight": losses.level[cells]}
    every = {name: np.concatenate([getattr(losses, name), x]) for name, x in more.items()}
    order = np.argsort(every["cell"], kind="stable")
    return losses._replace(**{name: x[order] for name, x in every.items()})
