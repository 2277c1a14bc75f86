"""Agreement of metrics over the epochs of a training run: correlations and shared best epochs."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from properly._boundary._classes import require_columns
from properly._boundary._options import check_whole
from properly._boundary._record import Record
from properly._boundary._text import many, printable, table, wrapped
from properly.errors import DataError
from reproductions.epochs.history import LARGER, as_larger, best_epochs, pearson, read_history

if TYPE_CHECKING:
    from collections.abc import Iterable

    from properly.typing import Column
    from reproductions.epochs.history import History


UNDEFINED = (
    "-: not defined, since one of the two metrics is the same at all epochs; or infinite at some, "
    "for Pearson's correlation."
)


@dataclass(frozen=True, repr=False)
class MetricAgreement(Record):
    """How well metrics agree with one of them over the epochs of a training run.

    Epochs are counted from 0. Dicts are by metric, without the reference.

    Attributes
    ----------
    metrics : tuple of str
        Their names.
    pearson, spearman : dict of float
        Correlations with the reference, both turned so that more is better: 1 is agreement. NaN
        where they are not defined.
    top_overlap : dict of float
        Which share of the `top` best epochs of the metric are among the `top` best ones of the
        reference.
    best_epoch : dict of int
        The epoch the metric would select.
    reference_at_best : dict of float
        What the reference is there.
    best_reference : float
        The best value of the reference.
    reference, reference_epoch : str, int
        The name of the reference, and the epoch at which it is best.
    larger : tuple of str
        The metrics, the reference included, for which larger was taken to be better.
    top, epochs : int
        How many best epochs were compared, and how many epochs there were.

    Examples
    --------
    >>> from reproductions.epochs.agreement import metric_agreement
    >>> history = {"log": [0.9, 0.7, 0.6, 0.8], "macro_f1": [0.2, 0.4, 0.5, 0.6]}
    >>> metric_agreement(history)
    MetricAgreement(1 metric with macro_f1 over 4 epochs)
    """

    metrics: tuple[str, ...]
    pearson: dict[str, float]
    spearman: dict[str, float]
    top_overlap: dict[str, float]
    best_epoch: dict[str, int]
    reference_at_best: dict[str, float]
    best_reference: float
    reference: str
    reference_epoch: int
    larger: tuple[str, ...]
    top: int
    epochs: int

    def __repr__(self) -> str:
        metrics, epochs = many(len(self.metrics), "metric"), many(self.epochs, "epoch")
        return f"MetricAgreement({metrics} with {printable(self.reference)} over {epochs})"

    def __str__(self) -> str:
        """Lay out one line a metric, below what the reference is at its best."""
        name, epochs = printable(self.reference), many(self.epochs, "epoch")
        best = f"at best {self.best_reference:.4f}, at epoch {self.reference_epoch}"
        better = f"{self._better(self.reference)} is better"
        said = wrapped(f"agreement with {name} ({better}) over {epochs}; {best}")
        shares = ["Pearson", "Spearman", f"top {self.top}"]
        head = ["metric", "better", *shares, "best epoch", f"{name} there"]
        rows = [self._line(metric) for metric in self.metrics]
        undefined = any(map(math.isnan, [*self.pearson.values(), *self.spearman.values()]))
        notes = [wrapped(UNDEFINED)] if undefined else []
        return "\n\n".join([said, table(head, rows, left=2), *notes])

    def _line(self, metric: str) -> list[str]:
        shares = (self.pearson, self.spearman, self.top_overlap)
        numbers = ["-" if math.isnan(x[metric]) else f"{x[metric]:.3f}" for x in shares]
        there = f"{self.reference_at_best[metric]:.4f}"
        return [metric, self._better(metric), *numbers, str(self.best_epoch[metric]), there]

    def _better(self, metric: str) -> str:
        return "higher" if metric in self.larger else "lower"

    def _columns(self) -> dict[str, list[Any]]:
        """Return one row a metric."""
        names = ("pearson", "spearman", "top_overlap", "best_epoch", "reference_at_best")
        columns: dict[str, list[Any]] = {"metric": list(self.metrics)}
        columns["larger"] = [metric in self.larger for metric in self.metrics]
        return columns | {name: list(getattr(self, name).values()) for name in names}


def metric_agreement(
    history: History,
    reference: str = "macro_f1",
    *,
    larger: str | Iterable[str] = LARGER,
    top: int = 3,
) -> MetricAgreement:
    """Say how well metrics agree with one of them over the epochs of a training run.

    Two metrics that rise and fall together would select much the same epoch. Correlation is a hint
    at that; which epochs are the best, and what the reference is there, says it outright.

    Parameters
    ----------
    history : dict of array-like, or data frame
        Values by epoch of each metric, on validation data. Of a frame, every column is a metric.
    reference : str
        The metric that others are compared with.
    larger : str or sequence of str
        The metrics for which larger is better, the reference among them if it is one. All others
        are losses.
    top : int
        How many of the best epochs to compare.

    Returns
    -------
    MetricAgreement

    Notes
    -----
    Losses are multiplied by -1 first, so that +1 is agreement. Of equal values the earlier epoch is
    the better one, as with `properly.comparison.BestEpoch`. The overlap is the number of epochs
    that are among the `top` best of both metrics, divided by `top`.

    The correlation with a metric that is the same at all epochs is not defined, and NaN. A loss
    may be infinite at some epochs: then Pearson's correlation is NaN, and Spearman's, which only
    looks at the order, is not. NaN in a history is refused.

    A penalised score is its unpenalised one plus a share of the error rate, and macro-F1 depends on
    the same hard decisions. So it agrees better with macro-F1 than the unpenalised score does, and
    the error rate does so as well: list it among the metrics.

    References
    ----------
    .. [1] R. Ahmadian, M. Ghatee, J. Wahlström (2024). Superior scoring rules for probabilistic
       evaluation of single-label multi-class classification tasks. `arXiv:2407.17697
       <https://arxiv.org/abs/2407.17697>`__, figure 3 and table 2.

    Examples
    --------
    >>> from reproductions.epochs.agreement import metric_agreement
    >>> history = {
    ...     "log": [0.9, 0.7, 0.6, 0.8],
    ...     "error": [0.7, 0.5, 0.4, 0.35],
    ...     "macro_f1": [0.2, 0.4, 0.5, 0.6],
    ... }
    >>> print(metric_agreement(history, top=1))
    agreement with macro_f1 (higher is better) over 4 epochs; at best 0.6000, at epoch 3
    <BLANKLINE>
    metric  better  Pearson  Spearman  top 1  best epoch  macro_f1 there
    log     lower     0.529     0.400  0.000           2          0.5000
    error   lower     0.993     1.000  1.000           3          0.6000
    """
    values = read_history(history)
    require_columns([reference], list(values), "a history")
    up = as_larger(larger, values)
    metrics = tuple(name for name in values if name != reference)
    if not metrics:
        message = f"agreement needs another metric beside the reference; got {reference!r} alone"
        raise DataError(message)
    oriented = {name: x if name in up else -x for name, x in values.items()}
    aim, epochs = oriented[reference], len(oriented[reference])
    first = {name: best_epochs(x, check_top(top, epochs)) for name, x in oriented.items()}
    best = {name: int(first[name][0]) for name in values}
    return MetricAgreement(
        metrics,
        {name: pearson(oriented[name], aim) for name in metrics},
        {name: _spearman(oriented[name], aim) for name in metrics},
        {name: len(np.intersect1d(first[name], first[reference])) / top for name in metrics},
        {name: best[name] for name in metrics},
        {name: float(values[reference][best[name]]) for name in metrics},
        float(values[reference][best[reference]]),
        reference,
        best[reference],
        up,
        int(top),
        epochs,
    )


def check_top(top: int, epochs: int) -> int:
    """Take a number of best epochs, not more than there are."""
    result = check_whole(top, "top")
    if result > epochs:
        message = (
            f"top must be at most the number of epochs; got {result} of {many(epochs, 'epoch')}"
        )
        raise DataError(message, hint="top=1 compares the best epochs alone.")
    return result


def _spearman(one: Column, other: Column) -> float:
    """Correlate the ranks, of which tied ones are averaged; infinity has a rank as well."""
    from scipy.stats import rankdata

    return pearson(rankdata(one), rankdata(other))
