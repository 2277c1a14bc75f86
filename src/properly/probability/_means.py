"""Generalized means of the probability given to what happened, on average and bin by bin."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple, TypeAlias, cast

import numpy as np

from properly._boundary._classes import names_of_labels
from properly._boundary._libraries import infinities, namespace, to_numpy
from properly._boundary._options import as_drawing, check_choice, check_flag
from properly._boundary._record import Record
from properly._boundary._text import amount_of, many, number, printable, ranges, table, wrapped
from properly._boundary._tolerances import SAME_SUM
from properly.counts._calls import takes_rows
from properly.counts._cases import Cases, has_classes, require_groups
from properly.counts._class_rows import count_impossible
from properly.counts._scoring import score_of_classes
from properly.counts._tally import Tally, as_tally
from properly.errors import DataError
from properly.probability import _power_means, _sources
from properly.probability._power_means import LABELS, POWERS, ROBUSTNESS, ThreeMeans
from properly.probability._sources import ALL, SideSums, Source, SourceQuestion, divergence
from properly.rules import Misclassification
from properly.typing import Column

if TYPE_CHECKING:
    from properly.probability._mean_intervals import MeansIntervals


# Bins that are laid out at most.
SHOWN = 24
Weights: TypeAlias = Literal["true", "equal"]
WEIGHTS = ("true", "equal")
Columns: TypeAlias = dict[str, list[Any]]


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


class Grouped(Record):
    """A record of all cases, which may have the same record of each group beside it."""

    groups: Mapping[str, Any] | None
    _optional: ClassVar[tuple[str, ...]] = ("groups",)

    def columns(self) -> Columns:
        """Return the rows of all cases."""
        raise NotImplementedError

    def group_texts(self) -> list[str]:
        """Lay out the record of each group below its name."""
        return [f"\n{printable(name)}\n{one}" for name, one in (self.groups or {}).items()]

    def _columns(self) -> Columns:
        """Add the rows of groups below those of all cases, and a column that names them."""
        whole = self.columns()
        if self.groups is None:
            return whole
        parts = [(ALL, whole), *((name, one.columns()) for name, one in self.groups.items())]
        group = [name for name, part in parts for _ in next(iter(part.values()))]
        return {"group": group} | {x: [v for _, part in parts for v in part[x]] for x in whole}


@dataclass(frozen=True, repr=False)
class Means(Grouped):
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
    groups : dict of Means or None
        The same for each group of cases, if that was asked for, each with a source of its own.

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
    groups: dict[str, Means] | None = None

    _optional: ClassVar = ("intervals", "groups")

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
        return _power_means.mean_of_power(weight / weight.sum(), 0.0, weight)

    @property
    def ratio(self) -> ThreeMeans:
        """The three means of the model, each divided by that of the source.

        Only that of the mean probability is a divergence; the others may well be above 1.
        """
        return _ratio(self.model, self.source)

    def columns(self) -> Columns:
        """Return a row for all cases, and one per class."""
        rows: list[Means | ClassMeans] = [self, *self.classes.values()]
        columns: Columns = {"class": [ALL, *self.classes]}
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
        return "\n".join([_layout(self), *_remarks(self), *self.group_texts()])


@takes_rows
def means(
    cases: Tally | Cases,
    *,
    source: str | Source = "isotonic",
    precision: float | None = None,
    by_group: bool = False,
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
    by_group : bool
        Average over each group of `Cases` as well, with a source fitted to the group alone.
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
    chosen, interval = _sources.as_source(source), check_flag(interval, "interval")
    in_groups = check_flag(by_group, "by_group")
    drawing = as_drawing(level, replicates, rng)
    limited, clipped, least = _power_means.limit(cases, precision)
    result = _sources.sums_by_class(limited, chosen)
    overall = _power_means.PowerSums.of_all(part.model for part in result).means()
    behind = _power_means.PowerSums.of_all(part.source for part in result).means()
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
        estimate=chosen.in_words(),
    )
    if interval:
        from properly.probability._mean_intervals import find_mean_intervals

        intervals = find_mean_intervals(limited, chosen, overall, averages.divergence, drawing)
        averages = replace(averages, intervals=intervals)
    if not in_groups:
        return averages
    options = {"source": chosen, "precision": precision, "interval": interval}
    groups = _by_group(means, cases, **options, **drawing._asdict())
    return replace(averages, groups=groups)


def _by_group(function: Callable[..., Any], cases: Tally | Cases, **options: Any) -> Any:
    """Make a record of each group with cases of positive weight by itself."""
    require_groups(cases)
    groups = cast("Cases", cases).by_group().items()
    parts = {x: one for x, one in groups if one.weight is None or to_numpy(one.weight).any()}
    found = (function(part, **options) for part in parts.values())
    return dict(zip(names_of_labels(parts), found, strict=True))


def _of_class(part: SideSums) -> ClassMeans:
    weight, model, source = part.model.weight, part.model.means(), part.source.means()
    return ClassMeans(weight, model, source, _ratio(model, source).mean_probability)


def _ratio(model: ThreeMeans, source: ThreeMeans) -> ThreeMeans:
    pairs = [(getattr(model, name), getattr(source, name)) for name in POWERS]
    return ThreeMeans(*(a / b if b > 0 else math.nan for a, b in pairs))


def _angle(model: ThreeMeans, source: ThreeMeans) -> float | None:
    """Return the direction of the three marks; differences made of rounding have none."""
    spreads = (side.decisiveness - side.robustness for side in (model, source))
    rise, run = (0.0 if spread < SAME_SUM else spread for spread in spreads)
    return None if rise == run == 0 else math.degrees(math.atan2(rise, run))


def _correct(cases: Tally | Cases) -> float:
    """Return the share of the cases whose likeliest class happened."""
    if has_classes(cases):
        p = to_numpy(cases.p)
        return 1 - score_of_classes(Misclassification(), cases.y, p, cases.weight)
    # Forecasts are in order: counts below, at and above a half are enough, and none is priced.
    t = as_tally(cases)
    xp = namespace(t.value)
    half = xp.full_like(t.value[:1], 0.5)
    below, above = (int(xp.searchsorted(t.value, half, side=side)[0]) for side in ("left", "right"))
    parts = t.weight[:below] - t.events[:below], t.weight[below:above], t.events[above:]
    none, even, happened = (float(xp.sum(part)) for part in parts)
    return (none + even / 2 + happened) / t.total


def _layout(record: Means) -> str:
    """Write the three means of model and source, with intervals if there are any."""
    head, rows = ["", "model", "source", "ratio"], []
    for name in POWERS:
        numbers = (getattr(part, name) for part in (record.model, record.source, record.ratio))
        rows.append([LABELS[name], *(f"{x:.4f}" for x in numbers)])
    if record.intervals is not None:
        head.insert(2, f"{100 * record.intervals.level:g}% interval")
        ends = np.array([getattr(record.intervals, name) for name in POWERS])
        for row, text in zip(rows, ranges(ends), strict=True):
            row.insert(2, text)
    return table(head, rows)


def _remarks(record: Means) -> list[str]:
    lines = [f"baseline, the shares of what happened: {record.baseline:.4f}"]
    if record.clipped:
        were = "was" if record.clipped == 1 or isinstance(record.clipped, float) else "were"
        moved = f"{amount_of(record.clipped)} {were} moved by a precision of {record.precision:g}"
        lines.append(moved)
    if record.impossible:
        said = "had an outcome that was given 0: mean probability is 0; see precision"
        lines.append(f"{amount_of(record.impossible)} {said}")
    if record.intervals is not None:
        lines += record.intervals.remarks()
    return lines


class Overall(NamedTuple):
    """Three means of the model and of the source, from the bins of a table."""

    model: ThreeMeans
    source: ThreeMeans


@dataclass(frozen=True, eq=False, repr=False)
class SourceTable(Grouped):
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
        The share of these: how often it happened. With pseudo-counts, their rate.
    decisiveness, mean_probability, robustness : array
        Means of the forecasts in the bin for what happened; NaN where nothing did.
    size : array
        What the bin adds to minus the logarithm of the mean probability of all.
    means : Means
        The averages of all cases, and by class.
    groups : dict of SourceTable or None
        The table of each group of cases, if that was asked for.

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
    groups: dict[str, SourceTable] | None = None

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
        parts = [table(head, lines, left=2), *self._few(), *self.group_texts()]
        return "\n".join(parts)

    def _few(self) -> list[str]:
        """Note the bins whose rates are known less finely than the bins are wide."""
        _, of, bins = np.unique(self.name, return_inverse=True, return_counts=True)
        few = int((self.weight < bins[of]).sum())
        note = (
            f"{few:,} of {many(len(self), 'bin')} hold fewer cases than their class has bins: a "
            "rate of n cases moves in steps of 1/n, wider than such bins."
        )
        return [wrapped(note)] if few and self.weight.dtype.kind != "f" else []

    def _line(self, row: int) -> list[str]:
        between = f"{self.lower[row]:.4f} to {self.upper[row]:.4f}"
        counts = [f"{x:,.10g}" for x in (self.weight[row].item(), self.happened[row].item())]
        numbers = (self.source[row], self.mean_probability[row], self.size[row])
        return [self.name[row], between, *counts, *map(number, numbers)]

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
        check_choice(weights, WEIGHTS, "weights")
        there = self.happened > 0
        weight = self.happened[there] if weights == "true" else np.ones(int(there.sum()))
        bins = ((getattr(self, name)[there], power) for name, power in POWERS.items())
        model = ThreeMeans(*(_power_means.mean_of_power(t, power, weight) for t, power in bins))
        return Overall(model, _power_means.three_means(self.source[there], weight))

    def columns(self) -> Columns:
        """Return a row per bin."""
        arrays = {name: x for name, x in vars(self).items() if isinstance(x, np.ndarray)}
        return {"name": self.name} | {name: x.tolist() for name, x in arrays.items()}


@takes_rows
def source_table(
    cases: Tally | Cases,
    *,
    source: str | Source = "isotonic",
    precision: float | None = None,
    by_group: bool = False,
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
    by_group : bool
        Make a table of each group of `Cases` as well, in bins of its own.

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
    chosen = _sources.as_source(source)
    if isinstance(chosen, _sources.SmoothSource):
        message = f"{chosen.words} has no bins to make a table of"
        hint = 'use "isotonic", "equal_count" or "equal_width"; means takes every source.'
        raise DataError(message, hint=hint)
    limited = _power_means.limit(cases, precision).cases
    by_class = _sources.questions(limited, chosen)
    rows = [_rows(question) for question in by_class]
    columns = {name: np.concatenate([row[name] for row in rows]) for name in rows[0]}
    with infinities():
        log = np.log(columns["mean_probability"])
    share = columns["happened"] / columns["happened"].sum()
    size = np.where(columns["happened"] > 0, -share * log + 0.0, 0.0)
    names = [question.name for question in by_class for _ in question.fit.end]
    options: dict[str, Any] = {"source": chosen, "precision": precision}
    is_asked = check_flag(by_group, "by_group")
    groups = _by_group(source_table, cases, **options) if is_asked else None
    return SourceTable(names, **columns, size=size, means=means(cases, **options), groups=groups)


def _rows(question: SourceQuestion) -> dict[str, Column]:
    fit = question.fit
    value, events = (to_numpy(x) for x in (question.tally.value, question.tally.events))
    value, first = value.astype(np.float64), np.append(0, fit.end[:-1])
    about = {"number": np.arange(len(fit.end)), "lower": value[first], "upper": value[fit.end - 1]}
    about |= {"weight": fit.weight, "happened": fit.events, "source": fit.rate}
    return about | _averages(value, events, first)


def _averages(value: Column, events: Column, first: Column) -> dict[str, Column]:
    """Return three means of the forecasts in each bin, weighted by how often it happened."""
    there = events > 0
    weight = np.add.reduceat(events, first)
    with infinities():
        # What did not happen is left out, not multiplied by 0: its logarithm may be infinite.
        log = np.where(there, np.log(value), 0.0)
        columns = value, log, np.exp(ROBUSTNESS * log)
        sums = (np.add.reduceat(events * x, first) for x in columns)
        return dict(zip(POWERS, _power_means.divide_sums(weight, *sums), strict=True))
