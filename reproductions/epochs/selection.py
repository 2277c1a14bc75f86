"""Selection of epochs over several training runs: what the metrics that select are worth."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from statistics import fmean
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias, get_args

import numpy as np

from properly._boundary._arrays import as_column, check_length, require_present
from properly._boundary._classes import require_columns
from properly._boundary._libraries import to_numpy
from properly._boundary._options import as_generator, check_choice, check_level, check_whole
from properly._boundary._record import Record, columns_of
from properly._boundary._text import many, number, p_text, printable, table, wrapped
from properly.comparison._differences import sign_flip
from properly.comparison._epochs import EarlyStopping
from properly.comparison._pair_tests import FEW
from properly.counts._cases import numbered
from properly.errors import ArgumentTypeError, DataError
from properly.inference._design import Design
from properly.inference._multiplicity import holm, holm_bounds
from properly.inference._variance import covariance, of_mean
from reproductions.epochs.history import LARGER, as_larger, as_names, read_history

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from properly.comparison._epochs import Mode
    from properly.typing import ArrayLike, Column
    from reproductions.epochs.history import History


Way: TypeAlias = Literal["checkpoint", "early stopping"]

CHECKPOINT, EARLY = get_args(Way)
# Changes of sign that are drawn if there are too many to try all.
REPLICATES = 1999
SIGNS = "sign flips"
OVER_RUNS = "epoch, mean: over runs; sd: their standard deviation, which is no standard error."
ALONE = "One independent unit says nothing about chance: there are no intervals and no p-values."


@dataclass(frozen=True, repr=False)
class Selection:
    """What one metric tells on test data, at the epochs that another one selected.

    Attributes
    ----------
    way : {"checkpoint", "early stopping"}
        How epochs were selected.
    by, report : str
        The metric that selected them on validation data, and the one that is told on test data.
    mean, standard_deviation : float
        Over runs, each counting alike. NaN is the standard deviation of one run.
    difference : float
        The mean, less that of the epochs that the baseline selected; NaN for the baseline itself,
        and without one.
    interval : pair of floats
        The ends of its interval; NaN if there is one independent unit, and where nothing varied.
    p_value, adjusted_p_value : float
        Of no difference; adjusted by Holm's method for all differences of the report.
    method : str
        How the p-value was found; empty if there is none.
    epochs : tuple of int
        The epoch selected in each run, counted from 0.
    values : tuple of float
        What is told of each run.
    p_is_bound, adjusted_p_is_bound : bool
        Whether no change of sign that was drawn reached the difference: the p-value is then at most
        this.

    Examples
    --------
    >>> from reproductions.epochs.selection import TrainingRun, selection_report
    >>> run = TrainingRun({"log": [0.9, 0.7, 0.8]}, {"error": [0.6, 0.5, 0.4]})
    >>> (one,) = selection_report([run], by="log", report="error")
    >>> one
    Selection(error 0.5, checkpoint by log, 1 run)
    >>> one.epochs, one.values
    ((1,), (0.5,))
    """

    way: str
    by: str
    report: str
    mean: float
    standard_deviation: float
    difference: float
    interval: tuple[float, float]
    p_value: float
    adjusted_p_value: float
    method: str
    epochs: tuple[int, ...]
    values: tuple[float, ...]
    p_is_bound: bool = False
    adjusted_p_is_bound: bool = False

    def __repr__(self) -> str:
        text = f"{self.report} {self.mean:.4g}, {self.way} by {self.by}"
        return f"Selection({text}, {many(len(self.values), 'run')})"


@dataclass(frozen=True, repr=False)
class SelectionReport(Record):
    """What metrics that select the epoch are worth on test data.

    Iterating gives all selections, and ``report["checkpoint", "log", "macro_f1"]`` one of them.

    Attributes
    ----------
    selections : tuple of Selection
        One a way to select, a metric that selects and a metric that is told.
    by, report : tuple of str
        The metrics that select, and those that are told.
    larger : tuple of str
        The metrics for which larger was taken to be better.
    baseline : str or None
        What the others are compared with.
    patience : int or None
        That of early stopping.
    runs, units : int
        How many runs there were, and how many of them, or clusters of them, were independent.
    design : str
        The same in words.
    level : float
        How sure intervals are to hold the true differences.

    Examples
    --------
    >>> from reproductions.epochs.selection import TrainingRun, selection_report
    >>> run = TrainingRun({"log": [0.9, 0.7, 0.8]}, {"error": [0.6, 0.5, 0.4]})
    >>> found = selection_report([run], by="log", report="error")
    >>> found
    SelectionReport(1 selection, 1 independent run)
    >>> found["checkpoint", "log", "error"].mean
    0.5
    """

    selections: tuple[Selection, ...]
    by: tuple[str, ...]
    report: tuple[str, ...]
    larger: tuple[str, ...]
    baseline: str | None
    patience: int | None
    runs: int
    units: int
    design: str
    level: float

    def __len__(self) -> int:
        """Count the selections."""
        return len(self.selections)

    def __iter__(self) -> Iterator[Selection]:
        """Go through the selections."""
        return iter(self.selections)

    def __getitem__(self, key: tuple[str, str, str]) -> Selection:
        """Return the selection of a way, a metric that selects and one that is told."""
        for one in self.selections:
            if _key(one) == key:
                return one
        message = f"a selection is found by its way, by what selects and what is told; got {key!r}"
        raise DataError(message, hint=f"such as {_key(self.selections[0])!r}.")

    def __repr__(self) -> str:
        return f"SelectionReport({many(len(self), 'selection')}, {self.design})"

    def __str__(self) -> str:
        """Lay out a table for each metric that is told, and say what the numbers rest on."""
        parts = [f"at the epochs selected on validation data; {self.design}"]
        for name in self.report:
            better = "higher" if name in self.larger else "lower"
            title = f"{printable(name)} on test data ({better} is better)"
            parts.append(f"{title}\n{self._table(name)}")
        return "\n\n".join([*parts, "\n".join(map(wrapped, self._notes()))])

    def _table(self, name: str) -> str:
        head = ["way", "by", "epoch", "mean", "sd"]
        if self.baseline is not None:
            interval = f"{100 * self.level:g} % interval"
            head += [f"less {printable(self.baseline)}", interval, "adjusted p"]
        lines = [self._line(one)[: len(head)] for one in self if one.report == name]
        return table(head, lines, left=2)

    def _line(self, one: Selection) -> list[str]:
        low, high = one.interval
        ends = f"{low:.4f} to {high:.4f}" if low <= high else "-"
        numbers = map(number, (one.mean, one.standard_deviation, one.difference))
        p = "-"
        if not math.isnan(one.adjusted_p_value):
            p = p_text(one.adjusted_p_value, is_bound=one.adjusted_p_is_bound)
            p = p.removeprefix("p ").removeprefix("= ")
        return [one.way, one.by, f"{fmean(one.epochs):.1f}", *numbers, ends, p]

    def _notes(self) -> list[str]:
        """Say what the numbers rest on."""
        notes = [OVER_RUNS]
        if self.baseline is None:
            return notes
        if self.units < 2:
            return [*notes, ALONE]
        units = f"{self.units} independent units"
        notes.append(
            f"Differences are taken run by run; their intervals are Student's t over {units}. "
            f"p-values are adjusted by Holm's method for {many(self._compared, 'difference')}."
        )
        if all(one.method in ("", SIGNS) for one in self):
            least = max(2.0 ** (1 - self.units), 1 / (1 + REPLICATES))
            never = f"none can be below {least:.3g}"
            notes.append(f"They come from changes of sign: with {units}, {never}.")
        return notes

    @property
    def _compared(self) -> int:
        return sum(not math.isnan(one.p_value) for one in self)

    def _columns(self) -> dict[str, list[Any]]:
        """Return one row a selection, without its runs."""
        rows = [dict(vars(one)) for one in self]
        for row in rows:
            row["lower"], row["upper"] = row.pop("interval")
            del row["epochs"], row["values"]
        return columns_of(rows)


def _key(one: Selection) -> tuple[str, str, str]:
    return one.way, one.by, one.report


@dataclass(frozen=True, eq=False, repr=False, init=False)
class TrainingRun:
    """Metrics of one training run by epoch, on validation data and on test data.

    Parameters
    ----------
    validation, test : dict of array-like, or data frame
        Values by epoch of each metric, as many on test data as on validation data.

    Attributes
    ----------
    validation, test : dict of numpy array
        The same, by metric; they cannot be written to.

    Examples
    --------
    >>> from reproductions.epochs.selection import TrainingRun, selection_report
    >>> TrainingRun({"log": [0.9, 0.7, 0.8]}, {"macro_f1": [0.2, 0.4, 0.3]})
    TrainingRun(3 epochs)
    """

    validation: dict[str, Column]
    test: dict[str, Column]

    def __init__(self, validation: History, test: History) -> None:
        validation = read_history(validation, "a validation history")
        test = read_history(test, "a test history")
        lengths = [len(next(iter(x.values()))) for x in (validation, test)]
        if lengths[0] != lengths[1]:
            message = (
                "validation and test histories must be of the same epochs; "
                f"got {lengths[0]} and {lengths[1]}"
            )
            raise DataError(message)
        object.__setattr__(self, "validation", validation)
        object.__setattr__(self, "test", test)

    @property
    def epochs(self) -> int:
        """How many epochs there were."""
        return len(next(iter(self.validation.values())))

    def __repr__(self) -> str:
        return f"TrainingRun({many(self.epochs, 'epoch')})"


def selection_report(
    runs: Sequence[TrainingRun],
    *,
    by: str | Iterable[str],
    report: str | Iterable[str],
    larger: str | Iterable[str] = LARGER,
    patience: int | None = None,
    baseline: str | None = None,
    clusters: ArrayLike | None = None,
    level: float = 0.95,
    rng: int | np.random.Generator | None = None,
) -> SelectionReport:
    r"""Compare metrics by the test results of the epochs that they select.

    In each run, a metric selects the epoch at which it is best on validation data. What counts is
    what other metrics then say on test data, at that very epoch: its weights are put back.

    Parameters
    ----------
    runs : sequence of TrainingRun
        Training runs, each with metrics by epoch on validation data and on test data.
    by : str or sequence of str
        The metrics that select, from the validation histories.
    report : str or sequence of str
        The metrics to tell, from the test histories.
    larger : str or sequence of str
        The metrics for which larger is better. All others are losses.
    patience : int, optional
        Select in a second way too, by `properly.comparison.EarlyStopping` with this patience: the
        best epoch before training stops. The first way is the best of all epochs.
    baseline : str, optional
        Compare with the epochs that this metric selects in the same way; one of `by`.
    clusters : array-like, optional
        One label a run. Runs of one cluster depend on one another, as the folds of one seed do.
        Without labels, runs are taken to be independent.
    level : float
        How sure to be.
    rng : int or numpy Generator, optional
        Seed or source of the randomness, for changes of sign.

    Returns
    -------
    SelectionReport

    Notes
    -----
    With :math:`d_r` the difference of run :math:`r`, the difference is their mean. Its variance is
    that of `properly.score_interval`, from the sums of the deviations :math:`(d_r - \bar d) / R` of
    the runs of each cluster, and the interval is that of Student's t. One run, or one cluster, has
    none. With few clusters the interval is wide, and rests on differences that are about normal.

    If fewer than 20 independent units differ, the p-value is that of all changes of their signs, as
    if the two metrics might as well change places in a unit; else Student's. With n units it cannot
    be below :math:`2^{1 - n}`: three seeds prove nothing, however small their spread.

    A metric whose test value is infinite in some run has an infinite mean, and no interval.

    References
    ----------
    .. [1] R. Ahmadian, M. Ghatee, J. Wahlström (2024). Superior scoring rules for probabilistic
       evaluation of single-label multi-class classification tasks. `arXiv:2407.17697
       <https://arxiv.org/abs/2407.17697>`__, table 3.

    Examples
    --------
    >>> from reproductions.epochs.selection import TrainingRun, selection_report
    >>> runs = [
    ...     TrainingRun(
    ...         {"log": [0.9, 0.6, 0.7, 0.8], "error": [0.6, 0.5, 0.4, 0.45]},
    ...         {"macro_f1": [0.3, 0.4, 0.5 + 0.01 * seed, 0.4]},
    ...     )
    ...     for seed in range(3)
    ... ]
    >>> found = selection_report(
    ...     runs, by=["log", "error"], report="macro_f1", baseline="log"
    ... )
    >>> print(found)
    at the epochs selected on validation data; 3 independent runs
    <BLANKLINE>
    macro_f1 on test data (higher is better)
    way         by     epoch    mean      sd  less log     95 % interval  adjusted p
    checkpoint  log      1.0  0.4000  0.0000         -                 -           -
    checkpoint  error    2.0  0.5100  0.0100    0.1100  0.0852 to 0.1348        0.25
    <BLANKLINE>
    epoch, mean: over runs; sd: their standard deviation, which is no standard error.
    Differences are taken run by run; their intervals are Student's t over 3 independent
      units. p-values are adjusted by Holm's method for 1 difference.
    They come from changes of sign: with 3 independent units, none can be below 0.25.
    """
    given, selecting = _check_runs(runs), as_names(by, "by")
    reported = as_names(report, "report")
    _require_histories(given, selecting, reported)
    metrics = {name for run in given for name in (*run.validation, *run.test)}
    up = as_larger(larger, sorted(metrics), "the histories")
    if baseline is not None:
        check_choice(baseline, selecting, "baseline")
    if patience is not None:
        check_whole(patience, "patience")
    design = _design(len(given), clusters)
    options = _Options(baseline, design, check_level(level), as_generator(rng), up, patience)
    return SelectionReport(
        selections=_adjusted(_select(given, selecting, reported, options)),
        by=selecting,
        report=reported,
        larger=up,
        baseline=baseline,
        patience=patience,
        runs=len(given),
        units=design.units,
        design=_design_text(design),
        level=options.level,
    )


class _Options(NamedTuple):
    """What to compare with, how runs depend on one another, and how epochs are selected."""

    baseline: str | None
    design: Design
    level: float
    rng: np.random.Generator
    larger: Sequence[str]
    patience: int | None


def _require_histories(
    runs: Sequence[TrainingRun], selecting: Sequence[str], reported: Sequence[str]
) -> None:
    """Refuse metrics that a run has no history of."""
    for k, run in enumerate(runs):
        require_columns(selecting, list(run.validation), f"the validation history of run {k}")
        require_columns(reported, list(run.test), f"the test history of run {k}")


def _select(
    runs: Sequence[TrainingRun],
    selecting: Sequence[str],
    reported: Sequence[str],
    options: _Options,
) -> list[Selection]:
    """Select epochs by each metric, and early if there is a patience; report them by each."""
    ways: dict[str, int | None] = {CHECKPOINT: None}
    if options.patience is not None:
        ways[EARLY] = options.patience
    epochs = {
        way: {by: _choose(runs, by, options.larger, patience) for by in selecting}
        for way, patience in ways.items()
    }
    return [
        selection
        for report in reported
        for way, chosen in epochs.items()
        for selection in _selections(runs, report, way, chosen, options)
    ]


def _adjusted(selections: Sequence[Selection]) -> tuple[Selection, ...]:
    """Adjust the p-values of all differences together."""
    p = np.array([selection.p_value for selection in selections])
    is_bound = np.array([selection.p_is_bound for selection in selections], dtype=bool)
    rows = zip(selections, holm(p).tolist(), holm_bounds(p, is_bound).tolist(), strict=True)
    return tuple(replace(x, adjusted_p_value=q, adjusted_p_is_bound=b) for x, q, b in rows)


def _check_runs(runs: Sequence[TrainingRun]) -> list[TrainingRun]:
    result: list[Any] = list(runs) if hasattr(runs, "__iter__") else [runs]
    for k, run in enumerate(result):
        if not isinstance(run, TrainingRun):
            message = f"runs must be a list of TrainingRun; run {k} is of type {type(run).__name__}"
            raise ArgumentTypeError(message, hint="make them by TrainingRun(validation, test).")
    if not result:
        message = "there must be at least one training run; got none"
        raise DataError(message)
    return result


def _design(runs: int, clusters: ArrayLike | None) -> Design:
    """Let runs count alike, and give their clusters numbers; here one may be alone."""
    weight = np.ones(runs)
    if clusters is None:
        return Design(weight)
    label = to_numpy(as_column(clusters, "clusters", "one entry per run is needed in clusters."))
    check_length(label, weight, "clusters", "runs")
    require_present(label, "clusters")
    return Design(weight, numbered(label)[0])


def _design_text(design: Design) -> str:
    runs = len(design.weight)
    if design.cluster is None:
        return many(runs, "independent run")
    return f"{many(runs, 'run')} in {many(design.units, 'independent cluster')}"


def _choose(
    runs: Sequence[TrainingRun], metric: str, larger: Sequence[str], patience: int | None
) -> tuple[int, ...]:
    """Select an epoch of each run by what would have selected it during training."""
    mode: Mode = "max" if metric in larger else "min"
    result = []
    for run in runs:
        # As patient as there are epochs, training never stops before the last one.
        watch = EarlyStopping(patience or run.epochs, mode=mode)
        for epoch, value in enumerate(run.validation[metric].tolist()):
            if watch.update(epoch, value):
                break
        result.append(watch.best.epoch or 0)
    return tuple(result)


def _selections(
    runs: Sequence[TrainingRun],
    report: str,
    way: str,
    epochs: dict[str, tuple[int, ...]],
    options: _Options,
) -> list[Selection]:
    """Tell a metric on test data at the epochs that each metric selected."""
    values = {
        by: np.array([run.test[report][epoch] for run, epoch in zip(runs, at, strict=True)])
        for by, at in epochs.items()
    }
    result = []
    for by, column in values.items():
        compared = _no_difference()
        with np.errstate(invalid="ignore"):
            mean = float(column.mean())
            spread = float(column.std(ddof=1)) if len(column) > 1 else math.nan
            if options.baseline not in (None, by):
                compared = _compare(column - values[str(options.baseline)], options)
        result.append(
            Selection(
                way=way,
                by=by,
                report=report,
                mean=mean,
                standard_deviation=spread,
                epochs=epochs[by],
                values=tuple(column.tolist()),
                **compared,
            )
        )
    return result


def _no_difference() -> dict[str, Any]:
    ends = (math.nan, math.nan)
    unknown = dict.fromkeys(("difference", "p_value", "adjusted_p_value"), math.nan)
    return unknown | {"interval": ends, "method": ""}


def _compare(apart: Column, options: _Options) -> dict[str, Any]:
    """Put an interval around the mean of differences, one a run, and test it against zero."""
    from scipy.special import stdtr

    result = _no_difference() | {"difference": float(apart.mean())}
    if not np.isfinite(apart).all() or options.design.units < 2:
        return result
    mean, influence = of_mean(apart[None], options.design.weight)
    spread = covariance(influence, options.design)
    half = spread.half_widths(options.level)
    total = options.design.totals(apart[None])[0]
    # Differences that are all the same leave Student's t nothing to divide by.
    flip = np.count_nonzero(total) < FEW or not spread.errors[0] > 0
    if flip:
        p, is_bound = sign_flip(total, REPLICATES, options.rng)
    else:
        p, is_bound = float(2 * stdtr(spread.degrees, -abs(mean[0] / spread.errors[0]))), False
    return result | {
        "interval": (float((mean - half)[0]), float((mean + half)[0])),
        "p_value": p,
        "p_is_bound": is_bound,
        "method": SIGNS if flip else "Student's t",
    }
