"""The table of model against source probabilities, bin by bin."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias, get_args

import numpy as np

from properly._boundary._infinities import infinities
from properly._boundary._libraries import to_numpy
from properly._boundary._options import check_choice
from properly._boundary._record import Record
from properly._boundary._tables import table
from properly._boundary._text import many
from properly.counts._calls import takes_rows
from properly.errors import DataError
from properly.probability._by_source import questions
from properly.probability._means import Means, means
from properly.probability._power_means import (
    POWERS,
    ROBUSTNESS,
    ThreeMeans,
    divide_sums,
    limit,
    mean_of_power,
    three_means,
)
from properly.probability._sources import Kernel, Neighbours, as_source

if TYPE_CHECKING:
    from properly.counts._cases import Cases
    from properly.counts._tally import Tally
    from properly.probability._by_source import SourceQuestion
    from properly.probability._sources import Source
    from properly.typing import Column

# Bins that are laid out at most.
SHOWN = 24
Weights: TypeAlias = Literal["true", "equal"]


class Overall(NamedTuple):
    """Three means of the model and of the source, from the bins of a table."""

    model: ThreeMeans
    source: ThreeMeans


@dataclass(frozen=True, eq=False, repr=False)
class SourceTable(Record):
    """How probable a class was called, and how often it happened, bin by bin.

    One row a bin of its forecasts. Those of a class follow one another, with the lowest forecasts
    first.

    Attributes
    ----------
    name : list of str
        The class that was forecast: ``"event"`` and ``"no event"``, the classes, or ``"all"`` if
        their columns were pooled.
    number : array
        The bin within its class, from 0.
    lower, upper : array
        The least and the greatest forecast in the bin.
    weight, happened : array
        Cases in the bin, or their weight, and those of them in which the class happened.
    source : array
        The share of these: how often it happened.
    decisiveness, mean_probability, robustness : array
        Means of the forecasts in the bin for what happened; NaN where nothing did.
    size : array
        What the bin adds to minus the logarithm of the mean probability of all.
    means : Means
        The averages of all cases, and by class.

    Examples
    --------
    >>> import properly
    >>> t = properly.tally([0, 1, 0, 1], [0.1, 0.3, 0.6, 0.9])
    >>> found = properly.probability.source_table(t)
    >>> found
    SourceTable(6 bins, isotonic recalibration)
    >>> found.source
    array([0. , 0.5, 1. , 0. , 0.5, 1. ])
    """

    name: list[str]
    number: Column
    lower: Column
    upper: Column
    weight: Column
    happened: Column
    source: Column
    decisiveness: Column
    mean_probability: Column
    robustness: Column
    size: Column
    means: Means

    def __len__(self) -> int:
        """Count the bins."""
        return len(self.name)

    def __repr__(self) -> str:
        return f"SourceTable({many(len(self), 'bin')}, {self.means.estimate})"

    def __str__(self) -> str:
        """Lay out the bins, those in the middle left out if there are many."""
        rows = list(range(len(self)))
        if len(rows) > SHOWN:
            rows = [*rows[: SHOWN // 2], *rows[-(SHOWN // 2) :]]
        head = ("class", "forecasts", "cases", "happened", "source", "mean probability", "size")
        lines = [self._line(row) for row in rows]
        if len(self) > SHOWN:
            lines.insert(SHOWN // 2, [f"… {len(self) - len(rows)} more", *[""] * 6])
        return table(head, lines, left=2)

    def _line(self, row: int) -> list[str]:
        between = f"{self.lower[row]:.4f} to {self.upper[row]:.4f}"
        counts = [f"{x:,.10g}" for x in (self.weight[row].item(), self.happened[row].item())]
        numbers = (self.source[row], self.mean_probability[row], self.size[row])
        shares = ["-" if np.isnan(x) else f"{x:.4f}" for x in numbers]
        return [self.name[row], between, *counts, *shares]

    def overall(self, weights: Weights = "true") -> Overall:
        r"""Average over the bins in which anything happened.

        Parameters
        ----------
        weights : {"true", "equal"}
            Weigh bins by how often it happened in them, which gives the means of all cases; or all
            alike, as published, which is right only if it happened equally often in each.

        Returns
        -------
        Overall
            Two `ThreeMeans`: `model` and `source`.
        """
        check_choice(weights, get_args(Weights), "weights")
        there = self.happened > 0
        weight = self.happened[there] if weights == "true" else np.ones(int(there.sum()))
        model = {
            name: mean_of_power(getattr(self, name)[there], power, weight)
            for name, power in POWERS.items()
        }
        return Overall(ThreeMeans(**model), three_means(self.source[there], weight))

    def _columns(self) -> dict[str, list[Any]]:
        arrays = {name: x for name, x in vars(self).items() if isinstance(x, np.ndarray)}
        return {"name": self.name} | {name: x.tolist() for name, x in arrays.items()}


@takes_rows
def source_table(
    cases: Tally | Cases, *, source: str | Source = "isotonic", precision: float | None = None
) -> SourceTable:
    r"""Set how probable things were called beside how often they happened, bin by bin.

    In bin :math:`k` of the forecasts of a class, with :math:`N_k` cases of which :math:`N^*_k` had
    that class:

    .. math:: Q_k^{(m)} = \Big(\frac1{N^*_k} \sum_{i \in k,\, \text{true}} q_i^m\Big)^{1/m}, \qquad
        P_k = \frac{N^*_k}{N_k}, \qquad
        \text{size}_k = -\frac{N^*_k}{\sum_l N^*_l} \log Q_k^{(0)} .

    Parameters
    ----------
    cases : Tally or Cases
        The forecasts and what happened; of one event, or of several classes.
    source : str or Source
        How to choose bins: ``"isotonic"``, ``"equal_count"`` (or ``"hist"``), ``"equal_width"``,
        or one of `properly.probability._sources` with options.
    precision : float, optional
        Move forecasts into [precision, 1 - precision] first, as in `properly.means`.

    Returns
    -------
    SourceTable

    Notes
    -----
    Forecasts of one event are forecasts of none as well: both have their rows, so that every case
    counts once, where its outcome was. Sizes add up to minus the logarithm of the mean probability.
    In the paper they are weighed by :math:`P_k / \sum_l P_l`, which is the same if bins are equally
    full; and its bins are averaged with equal weights, which is right only if the same number of
    true events is in each: ``overall("equal")`` does that.

    References
    ----------
    .. [1] K. P. Nelson (2017). Assessing probabilistic inference by comparing the generalized mean
       of the model and source probabilities. Entropy 19:286, equations 15 to 19.
       `doi:10.3390/e19060286 <https://doi.org/10.3390/e19060286>`__

    Examples
    --------
    >>> import properly
    >>> t = properly.tally([0, 0, 1, 0, 1, 1], [0.1, 0.2, 0.3, 0.6, 0.7, 0.9])
    >>> found = properly.probability.source_table(t, source=properly.probability.EqualCount(bins=2))
    >>> found.name
    ['event', 'event', 'no event', 'no event']
    >>> found.source.round(3), found.mean_probability.round(3)
    (array([0.333, 0.667, 0.333, 0.667]), array([0.3  , 0.794, 0.4  , 0.849]))
    """
    chosen = as_source(source)
    if isinstance(chosen, Kernel | Neighbours):
        message = f"{chosen.words} has no bins to make a table of"
        hint = 'use "isotonic", "equal_count" or "equal_width"; means takes every source.'
        raise DataError(message, hint=hint)
    limited = limit(cases, precision).cases
    by_class = questions(limited, chosen)
    rows = [_rows(question) for question in by_class]
    columns = {name: np.concatenate([row[name] for row in rows]) for name in rows[0]}
    with infinities():
        log = np.log(columns["mean_probability"])
    share = columns["happened"] / columns["happened"].sum()
    size = np.where(columns["happened"] > 0, -share * log + 0.0, 0.0)
    names = [question.name for question in by_class for _ in question.fit.end]
    result = means(cases, source=chosen, precision=precision)
    return SourceTable(names, **columns, size=size, means=result)


def _rows(question: SourceQuestion) -> dict[str, Column]:
    fit = question.fit
    value, events = (to_numpy(x) for x in (question.tally.value, question.tally.events))
    value, first = value.astype(np.float64), np.append(0, fit.end[:-1])
    averages = _averages(value, events, first)
    return {
        "number": np.arange(len(fit.end)),
        "lower": value[first],
        "upper": value[fit.end - 1],
        "weight": fit.weight,
        "happened": fit.events,
        "source": fit.rate,
        **averages,
    }


def _averages(value: Column, events: Column, first: Column) -> dict[str, Column]:
    """Return three means of the forecasts in each bin, weighted by how often it happened."""
    there = events > 0
    weight = np.add.reduceat(events, first)
    with infinities():
        # What did not happen is left out, not multiplied by 0: its logarithm may be infinite.
        log = np.where(there, np.log(value), 0.0)
        columns = value, log, np.exp(ROBUSTNESS * log)
        sums = (np.add.reduceat(events * x, first) for x in columns)
        return dict(zip(POWERS, divide_sums(weight, *sums), strict=True))
