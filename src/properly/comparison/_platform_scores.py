"""Scores that platforms report: relative skill, peer scores, baseline scores; and the crowd.

None of them measures skill as adjusted scores do; `CAUTIONS` says why.

References
----------
.. [1] E. Y. Cramer et al. (2022). Evaluation of individual and ensemble probabilistic forecasts of
   COVID-19 mortality in the United States. Proceedings of the National Academy of Sciences
   119:e2113561119. doi:10.1073/pnas.2113561119.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Literal, NamedTuple, TypeAlias, get_args

import numpy as np

from properly._boundary._libraries import infinities
from properly._boundary._options import check_choice
from properly.counts._answers import Answers, Losses
from properly.counts._scoring import price
from properly.errors import DataError
from properly.inference._design import Design
from properly.inference._shares import student
from properly.inference._variance import covariance
from properly.rules import Log, Rule
from properly.typing import Column

CAUTIONS = (
    (
        "Peer scores are proper for each forecaster given the others, but they do not measure "
        "skill: the same forecaster has a higher one in weaker company."
    ),
    "With N forecasters, differences of peer scores are stretched by N / (N - 1).",
    "Whoever copies the mean of the others has a positive peer score.",
    "Sums of peer scores reward answering much, means reward answering what one knows.",
    "Any prize for rank is improper: it pays to be bolder than one believes.",
)
RATIO_CAUTION = (
    "Relative skill is a ratio of sums of losses on common questions, averaged over pairs."
)


class OtherScore(NamedTuple):
    """A score of a platform, and how far off it may be."""

    value: float
    standard_error: float
    interval: tuple[float, float]


class Dense(NamedTuple):
    """Losses laid out, a row a question and a column a forecaster; 0 where there is no answer."""

    loss: Column
    weight: Column
    unit: Column

    @property
    def there(self) -> Column:
        """Whether there is an answer."""
        return self.weight > 0


def laid_out(losses: Losses, forecasters: int, unit: Column) -> Dense:
    """Lay losses out by cells; `unit` is what is independent, for each question."""
    loss, weight = (losses.laid_out(x, forecasters) for x in (losses.loss, losses.weight))
    return Dense(loss, weight, unit[losses.question])


def relative_skill(table: Dense, baseline: int | None, level: float) -> dict[str, list[OtherScore]]:
    """Average ratios of sums of losses over all who have a question in common, oneself included.

    Returns these, and the same relative to a baseline if there is one.
    """
    if not (table.loss >= 0).all():
        message = "relative skill is a ratio of losses, which must not be negative; some are"
        raise DataError(message, hint="leave out relative_skill.")
    # Who lost infinitely is infinitely worse; the others are compared without.
    endless = np.isinf(table.loss).any(axis=0)
    there = (table.there & ~endless).astype(np.float64)
    loss = np.where(endless, 0.0, table.loss) * table.weight
    common = there.T @ there
    total = loss.T @ there
    met = common > 0
    with infinities():
        ratio = np.where(met, np.log(total / total.T), 0.0)
        np.fill_diagonal(ratio, 0.0)
        one = np.where(met, 1 / total, 0.0)
        mean = np.where(endless, np.inf, ratio.sum(axis=1) / met.sum(axis=1))
        # What a cell adds to the logarithms of the ratios, averaged over the others.
        influence = (loss * (there @ one.T) - there * (loss @ one)) / met.sum(axis=1)
    fewest = np.where(met & ~np.eye(len(met), dtype=bool), common, np.inf).min(axis=1) - 1
    result = {"relative_skill": _ratios(mean, influence, table, fewest, level)}
    if baseline is not None:
        with infinities():
            apart, away = influence - influence[:, [baseline]], mean - mean[baseline]
        least = np.minimum(fewest, fewest[baseline])
        result["scaled_relative_skill"] = _ratios(away, apart, table, least, level)
    return result


def _ratios(
    log_ratio: Column, influence: Column, table: Dense, degrees: Column, level: float
) -> list[OtherScore]:
    """Find intervals on the scale of logarithms; a ratio of nothing to nothing has none."""
    result = []
    for k, x in enumerate(log_ratio.tolist()):
        error = _error(influence[:, k], table.unit) if math.isfinite(x) else math.nan
        half = student(float(degrees[k]), level) * error if error > 0 else math.nan
        value = math.exp(x)
        ends = value * math.exp(-half), value * math.exp(half)
        result.append(OtherScore(value, value * error, ends))
    return result


def _error(influence: Column, unit: Column) -> float:
    """Return the standard error from what each cell adds, by the units that are independent."""
    label = np.unique(unit, return_inverse=True)[1]
    if label.max() < 1:
        return math.nan
    design = Design(np.ones(len(influence)), cluster=label)
    return float(covariance(influence[None], design).errors[0])


def peer_scores(answers: Answers, unit: Column, level: float) -> dict[str, list[OtherScore]]:
    """Compare logarithms of what each gave to what happened with those of the others.

    A hundred times these: the mean over the questions that each shares with anybody, while it
    stands, and their sum; against the median of the others; and against knowing nothing, over all
    questions it answered.
    """
    size = len(answers.forecasters)
    losses = answers.losses(Log())
    table = laid_out(losses, size, unit)
    there, count = table.there, table.there.sum(axis=1)
    endless = np.isinf(table.loss)
    finite = np.where(endless, 0.0, table.loss)
    # Infinite losses of others are counted, since they could not be taken off their sum.
    more = endless.sum(axis=1, keepdims=True) > endless
    others = np.where(more, np.inf, finite.sum(axis=1, keepdims=True) - finite)
    mean_of_others = others / np.maximum(count - 1, 1)[:, None]
    several = there & (count > 1)[:, None]
    classes = 2 if answers.labels is None else len(answers.labels)
    # For how much of its scheduled time each forecast stands.
    share = np.ones(len(losses.cell))
    if answers.stances.share is not None:
        share = losses.weight / answers.weights[losses.question[losses.cell]]
    stood = losses.laid_out(share, size)
    columns: dict[str, tuple[Callable[[], Column], Column]] = {
        "peer": (lambda: mean_of_others - table.loss, several),
        "peer_median": (lambda: _median_of_others(table) - table.loss, several),
        "baseline_score": (lambda: 1 - table.loss / math.log(classes), there),
    }
    result = {}
    for name, (score, kept) in columns.items():
        with infinities():
            value = np.where(kept, 100 * score() * stood, 0.0)
        total, had = _by_question(value, kept, losses.question)
        result[name] = _means(answers, total, had, unit, level)
        if name == "peer":
            counts = zip(had.sum(axis=0).tolist(), result[name], strict=True)
            result["peer_sum"] = [
                OtherScore(
                    n * x.value, n * x.standard_error, (n * x.interval[0], n * x.interval[1])
                )
                for n, x in counts
            ]
    return result


def _median_of_others(table: Dense) -> Column:
    """Return the loss of the median of what the others gave to what happened."""
    given = np.where(table.there, np.exp(-table.loss), np.nan)
    result = np.zeros(given.shape)
    with infinities():
        for k in range(given.shape[1]):
            others = np.delete(given, k, axis=1)
            some = ~np.isnan(others).all(axis=1)
            result[some, k] = -np.log(np.nanmedian(others[some], axis=1))
    return result


def _by_question(value: Column, kept: Column, question: Column) -> tuple[Column, Column]:
    """Add up over the cells of each question, and tell who had any."""
    size = int(question.max()) + 1
    total = np.zeros((size, value.shape[1]))
    had = np.zeros(total.shape, dtype=bool)
    np.add.at(total, question, value)
    np.logical_or.at(had, question, kept)
    return total, had


def _means(
    answers: Answers, total: Column, had: Column, unit: Column, level: float
) -> list[OtherScore]:
    """Average over the questions that each had, with their weights."""
    result = []
    for own, some in zip(total.T, had.T, strict=True):
        weight, value, error = answers.weights[some], math.nan, math.nan
        with infinities():
            share = weight / weight.sum()
            if len(share):
                value = float(share @ own[some])
            if math.isfinite(value):
                error = _error(share * (own[some] - value), unit[some])
        units = len(np.unique(unit[some]))
        half = student(units - 1, level) * error if error > 0 else math.nan
        result.append(OtherScore(value, error, (value - half, value + half)))
    return result


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
    if answers.labels is not None:
        return cells, _pooled(answers.p[rows], place, len(cells), kind)
    both = np.column_stack([1 - answers.p, answers.p])[rows]
    return cells, _pooled(both, place, len(cells), kind)[:, 1]


def _pooled(p: Column, place: Column, size: int, kind: Crowd) -> Column:
    """Average probabilities, or their logarithms, which are then made to sum to 1."""
    total = np.zeros((size, p.shape[1]))
    with infinities():
        np.add.at(total, place, p if kind == "mean" else np.log(p))
    mean = total / np.bincount(place, minlength=size)[:, None]
    if kind == "mean":
        return mean
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
