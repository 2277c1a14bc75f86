"""Generalized means of the probability given to what happened: model and source."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from properly._boundary._libraries import namespace, to_numpy
from properly._boundary._options import as_drawing, check_flag
from properly._boundary._record import Record
from properly._boundary._tables import table
from properly._boundary._text import amount_of
from properly._boundary._tolerances import SAME_SUM
from properly.counts._calls import takes_rows
from properly.counts._cases import has_classes
from properly.counts._class_rows import count_impossible
from properly.counts._tally import as_tally
from properly.probability._by_source import ALL, divergence, sums_by_class
from properly.probability._power_means import (
    LABELS,
    MEAN_PROBABILITY,
    POWERS,
    PowerSums,
    ThreeMeans,
    limit,
    mean_of_power,
)
from properly.probability._sources import as_source
from properly.rules import Misclassification

if TYPE_CHECKING:
    from properly.counts._cases import Cases
    from properly.counts._tally import Tally
    from properly.probability._by_source import SideSums
    from properly.probability._mean_intervals import MeansIntervals
    from properly.probability._sources import Source


@dataclass(frozen=True)
class ClassMeans:
    """Averages over the cases in which one class happened.

    Attributes
    ----------
    weight : float
        How many cases these are, or their weight.
    model : ThreeMeans
        Of the probabilities that the model gave to the class.
    source : ThreeMeans
        Of those that the source gives it.
    divergence : float
        The mean probability of the model, divided by that of the source. For a single class it may
        be above 1: a model that always says yes is better than the source where the answer is yes.

    Examples
    --------
    >>> import properly
    >>> found = properly.means(properly.tally([0, 1, 0, 1], [0.1, 0.3, 0.6, 0.9]))
    >>> round(found.classes["event"].model.decisiveness, 6)
    0.6
    """

    weight: float
    model: ThreeMeans
    source: ThreeMeans
    divergence: float


@dataclass(frozen=True, repr=False)
class Means(Record):
    """Averages of the probability that was given to what happened.

    ``mean_probability = source.mean_probability * divergence``

    Attributes
    ----------
    decisiveness, mean_probability, robustness : float
        The arithmetic mean, the geometric mean and the mean of power -2/3, in falling order.
    source : ThreeMeans
        The same three of the probabilities that the source gives to what happened: what the
        forecasts would reach if they meant what they say.
    divergence : float
        The mean probability divided by that of the source: what is lost because they do not.
    angle : float or None
        The direction from robustness to decisiveness, with the source on the x-axis and the model
        on the y-axis, in degrees. None where neither of them varies.
    correct : float
        Share of the cases whose likeliest class happened; where several are likeliest, each counts
        for its part.
    classes : dict of ClassMeans
        The same by what happened: ``"event"`` and ``"no event"``, or the classes that happened.
    precision : float or None
        The limit that forecasts were moved to, if any.
    clipped : int or float
        How many cases were moved, or how much of their weight.
    estimate : str
        How the source was estimated.
    impossible : int or float
        How many cases had an outcome that was given 0, or how much of their weight: mean
        probability and robustness are 0 if there is any.
    intervals : MeansIntervals or None
        How far off the numbers may be, if that was asked for.

    Examples
    --------
    >>> import properly
    >>> properly.means(properly.tally([0, 1, 0, 1], [0.1, 0.3, 0.6, 0.9]))
    Means(mean probability 0.5584 = source 0.7071 x divergence 0.7896)
    """

    decisiveness: float
    mean_probability: float
    robustness: float
    source: ThreeMeans
    divergence: float
    angle: float | None
    correct: float
    classes: dict[str, ClassMeans]
    precision: float | None
    clipped: int | float
    estimate: str
    impossible: int | float = 0
    intervals: MeansIntervals | None = None

    _optional: ClassVar = ("intervals",)

    @property
    def model(self) -> ThreeMeans:
        """The three means of the model."""
        return ThreeMeans(self.decisiveness, self.mean_probability, self.robustness)

    @property
    def baseline(self) -> float:
        r"""The mean probability if every forecast were the shares of the classes.

        With the isotonic source of one event, :math:`e^{-\text{UNC}}`.
        """
        weight = np.array([part.weight for part in self.classes.values()])
        return mean_of_power(weight / weight.sum(), MEAN_PROBABILITY, weight)

    @property
    def ratio(self) -> ThreeMeans:
        """The three means of the model, each divided by that of the source.

        Only that of the mean probability is a divergence; the others may well be above 1.
        """
        return _ratio(self.model, self.source)

    def _columns(self) -> dict[str, list[Any]]:
        """Return a row for all cases, and one a class."""
        rows: list[Means | ClassMeans] = [self, *self.classes.values()]
        columns: dict[str, list[Any]] = {"class": [ALL, *self.classes]}
        for name in POWERS:
            columns[name] = [getattr(row.model, name) for row in rows]
            columns[f"source_{name}"] = [getattr(row.source, name) for row in rows]
        columns["divergence"] = [row.divergence for row in rows]
        return columns

    def __repr__(self) -> str:
        return (
            f"Means(mean probability {self.mean_probability:.4g} = "
            f"source {self.source.mean_probability:.4g} x divergence {self.divergence:.4g})"
        )

    def __str__(self) -> str:
        """Lay the averages out: model, source, and how far off they may be."""
        return "\n".join([_layout(self), *_remarks(self)])


@takes_rows
def means(
    cases: Tally | Cases,
    *,
    source: str | Source = "isotonic",
    precision: float | None = None,
    interval: bool = False,
    level: float = 0.95,
    replicates: int = 1000,
    rng: int | np.random.Generator | None = None,
) -> Means:
    r"""Average the probability that was given to what happened, three ways.

    .. math:: M_m(t) = \Big(\frac{\sum_i w_i t_i^m}{\sum_i w_i}\Big)^{1/m}, \qquad
        t_i = q_{i, y_i},

    for decisiveness (:math:`m = 1`), the mean probability of the outcome (:math:`m = 0`, the limit,
    which is the geometric mean; Nelson calls it accuracy) and robustness (:math:`m = -2/3`). The
    mean probability is the log score on the scale of probabilities, :math:`M_0 = \exp(-\bar S)`;
    its reciprocal is called perplexity.

    Parameters
    ----------
    cases : Tally or Cases
        The forecasts and what happened; of one event, or of several classes.
    source : str or Source
        How to estimate the probability with which things happened at each forecast:
        ``"isotonic"``, ``"equal_count"`` (or ``"hist"``), ``"equal_width"``, ``"neighbours"``,
        ``"kernel"``, or one of `properly.probability._sources` with options.
    precision : float, optional
        How finely the model can tell probabilities: move forecasts into [precision,
        1 - precision] first, and count those that moved. Rows of more than two classes are divided
        by their sums after that. It has nothing to do with the precision of precision and recall.
    interval : bool
        Say how far off the numbers may be.
    level : float
        Coverage aimed at by each interval.
    replicates : int
        Random draws for the test of calibration; a fifth of them tell the bias of the divergence,
        or 200 if that is more, but never more than all.
    rng : int or numpy Generator, optional
        Seed or source of the randomness; without it, every call draws anew.

    Returns
    -------
    Means

    Notes
    -----
    With the isotonic source the divergence probability is :math:`\exp(-\text{MCB})`, with the
    miscalibration of the log score, and the mean probability of the source :math:`\exp(\text{DSC} -
    \text{UNC})`; the divergence is never above 1, for several classes either, each fitted by
    itself, but for as much as their probabilities fail to sum to 1. With bins it may be above 1,
    since what forecasts say within a bin is lost. Bins of two classes in two columns are cut in
    each column, and need not be those of one event.

    The interval of the divergence allows for the bias of a source that is fitted to the outcomes
    it is judged by: outcomes are drawn from the source and from the model, and the source fitted
    again to each. Clusters of cases of one event are drawn as a whole.

    A forecast of 0 for what happened makes mean probability and robustness 0. It is not replaced by
    something small unless a `precision` says so.

    Only the mean probability is proper. The arithmetic mean rewards forecasts that are surer than
    the truth, and the mean of power -2/3 those that hedge; see `properly.probability.proper_means`.
    An angle above 45 degrees is a sign of over-confidence, but a biased forecast may have one as
    well, and in small samples anything may: `properly.probability.confidence_test` tests it.

    References
    ----------
    .. [1] K. P. Nelson (2017). Assessing probabilistic inference by comparing the generalized mean
       of the model and source probabilities. Entropy 19:286.
       `doi:10.3390/e19060286 <https://doi.org/10.3390/e19060286>`__

    Examples
    --------
    >>> import properly
    >>> crash = properly.datasets.crash()
    >>> t = properly.tally(crash.died, crash.forecasts["logistic"])
    >>> found = properly.means(t)
    >>> round(found.mean_probability, 4), round(found.source.mean_probability, 4)
    (0.8847, 0.8879)
    >>> print(found)
                       model  source   ratio
    decisiveness      0.9351  0.9353  0.9998
    mean probability  0.8847  0.8879  0.9964
    robustness        0.7392  0.7407  0.9979
    baseline, the shares of what happened: 0.8407
    """
    chosen, interval = as_source(source), check_flag(interval, "interval")
    drawing = as_drawing(level, replicates, rng)
    limited, clipped, least = limit(cases, precision)
    result = sums_by_class(limited, chosen)
    overall = PowerSums.of_all(part.model for part in result).means()
    behind = PowerSums.of_all(part.source for part in result).means()
    averages = Means(
        **asdict(overall),
        source=behind,
        divergence=float(divergence(overall.mean_probability, behind.mean_probability, chosen)),
        angle=_angle(overall, behind),
        correct=_correct(limited),
        classes={part.name: _of_class(part) for part in result},
        precision=least,
        clipped=clipped,
        impossible=count_impossible(limited),
        estimate=chosen.words + ", all classes together" * chosen.pooled,
    )
    if not interval:
        return averages
    from properly.probability._mean_intervals import find_mean_intervals

    intervals = find_mean_intervals(limited, chosen, overall, averages.divergence, drawing)
    return replace(averages, intervals=intervals)


def _of_class(part: SideSums) -> ClassMeans:
    weight, model, source = part.model.weight, part.model.means(), part.source.means()
    return ClassMeans(weight, model, source, _ratio(model, source).mean_probability)


def _ratio(model: ThreeMeans, source: ThreeMeans) -> ThreeMeans:
    pairs = [(getattr(model, name), getattr(source, name)) for name in POWERS]
    return ThreeMeans(*(a / b if b > 0 else math.nan for a, b in pairs))


def _angle(model: ThreeMeans, source: ThreeMeans) -> float | None:
    """Return the direction of the three marks; differences made of rounding have none."""
    rise, run = (_spread(averages) for averages in (model, source))
    return None if rise == run == 0 else math.degrees(math.atan2(rise, run))


def _spread(averages: ThreeMeans) -> float:
    difference = averages.decisiveness - averages.robustness
    return 0.0 if difference < SAME_SUM else difference


def _correct(cases: Tally | Cases) -> float:
    """Return the share of the cases whose likeliest class happened."""
    if has_classes(cases):
        weight = None if cases.weight is None else to_numpy(cases.weight)
        wrong = Misclassification().mean_price(to_numpy(cases.y), to_numpy(cases.p), weight)
        return 1 - float(wrong)
    # Forecasts are in order, so that sums of counts are enough and none need be priced.
    t = as_tally(cases)
    xp, weight, events = namespace(t.value), t.weight, t.events
    half = xp.full_like(t.value[:1], 0.5)
    below, above = (int(xp.searchsorted(t.value, half, side=x)[0]) for x in ("left", "right"))
    parts = weight[:below] - events[:below], weight[below:above], events[above:]
    none, even, happened = (float(xp.sum(x)) for x in parts)
    return (none + even / 2 + happened) / t.total


def _layout(record: Means) -> str:
    """Write the three means of model and source, with intervals if there are any."""
    head, rows = ["", "model", "source", "ratio"], []
    for name in POWERS:
        numbers = (getattr(part, name) for part in (record.model, record.source, record.ratio))
        rows.append([LABELS[name], *(f"{x:.4f}" for x in numbers)])
    if record.intervals is not None:
        head.insert(2, f"{100 * record.intervals.level:g}% interval")
        for name, row in zip(POWERS, rows, strict=True):
            ends = getattr(record.intervals, name)
            low, high = ("-" if math.isnan(x) else f"{x:.4f}" for x in ends)
            row.insert(2, f"{low} to {high}" if low != "-" else "-")
    return table(head, rows)


def _remarks(record: Means) -> list[str]:
    lines = [f"baseline, the shares of what happened: {record.baseline:.4f}"]
    if record.clipped:
        were = "was" if record.clipped == 1 or isinstance(record.clipped, float) else "were"
        moved = f"{amount_of(record.clipped)} {were} moved"
        lines.append(f"{moved} by a precision of {record.precision:g}")
    if record.impossible:
        cases = amount_of(record.impossible)
        said = f"{cases} had an outcome that was given 0: mean probability is 0; see precision"
        lines.append(said)
    if record.intervals is not None:
        lines += record.intervals.remarks()
    return lines
