"""What a metric that selects the epoch is worth on test data, over several training runs."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias, get_args

import numpy as np

from properly._boundary._arrays import as_column, check_length, require_present
from properly._boundary._libraries import to_numpy
from properly._boundary._nearest import require_columns
from properly._boundary._options import as_generator, check_choice, check_level, check_whole
from properly._boundary._plain import many
from properly.comparison._best_epoch import EarlyStopping
from properly.comparison._contest import FEW
from properly.comparison._histories import LARGER, as_larger, as_names, read_history
from properly.comparison._paired import sign_flip
from properly.comparison._selection_table import REPLICATES, SIGNS, Selection, SelectionReport
from properly.counts._cases import numbered
from properly.errors import ArgumentTypeError, DataError
from properly.inference._design import Design
from properly.inference._influences import of_mean
from properly.inference._multiplicity import holm
from properly.inference._variance import covariance

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from properly.comparison._best_epoch import Mode
    from properly.comparison._histories import History
    from properly.typing import ArrayLike

Column: TypeAlias = np.ndarray[Any, Any]
Way: TypeAlias = Literal["checkpoint", "early stopping"]

CHECKPOINT, EARLY = get_args(Way)


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
    >>> import properly
    >>> properly.TrainingRun({"log": [0.9, 0.7, 0.8]}, {"macro_f1": [0.2, 0.4, 0.3]})
    TrainingRun(3 epochs)
    """

    validation: dict[str, Column]
    test: dict[str, Column]

    def __init__(self, validation: History, test: History) -> None:
        found = read_history(validation, "a validation history")
        told = read_history(test, "a test history")
        lengths = [len(next(iter(x.values()))) for x in (found, told)]
        if lengths[0] != lengths[1]:
            message = (
                "validation and test histories must be of the same epochs; "
                f"got {lengths[0]} and {lengths[1]}"
            )
            raise DataError(message)
        object.__setattr__(self, "validation", found)
        object.__setattr__(self, "test", told)

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
        Select in a second way too, by `properly.EarlyStopping` with this patience: the best epoch
        before training stops. The first way is the best of all epochs.
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
    :math:`G / (G - 1) \sum_g t_g^2`, where :math:`t_g` adds up the deviations :math:`(d_r - \bar
    d) / R` of the runs of cluster :math:`g`, and the interval is that of Student's t with G - 1
    degrees of freedom. One run, or one cluster, has none. With few clusters the interval is
    wide, and rests on differences that are about normal.

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
    >>> import properly
    >>> runs = [
    ...     properly.TrainingRun(
    ...         {"log": [0.9, 0.6, 0.7, 0.8], "error": [0.6, 0.5, 0.4, 0.45]},
    ...         {"macro_f1": [0.3, 0.4, 0.5 + 0.01 * seed, 0.4]},
    ...     )
    ...     for seed in range(3)
    ... ]
    >>> found = properly.selection_report(
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
    given, selecting, told = _check_runs(runs), as_names(by, "by"), as_names(report, "report")
    _require_metrics(given, selecting, told)
    known = {name for run in given for name in (*run.validation, *run.test)}
    up = as_larger(larger, sorted(known), "the histories")
    if baseline is not None:
        check_choice(baseline, selecting, "baseline")
    if patience is not None:
        check_whole(patience, "patience")
    design = _design(len(given), clusters)
    asked = _Asked(baseline, design, check_level(level), as_generator(rng))
    chosen = {
        wait: {by: _choose(given, by, up, wait) for by in selecting}
        for wait in ((None,) if patience is None else (None, patience))
    }
    found = [
        one
        for name in told
        for wait, epochs in chosen.items()
        for one in _tell(given, name, CHECKPOINT if wait is None else EARLY, epochs, asked)
    ]
    adjusted = holm(np.array([one.p_value for one in found])).tolist()
    return SelectionReport(
        selections=tuple(
            replace(one, adjusted_p_value=p) for one, p in zip(found, adjusted, strict=True)
        ),
        by=selecting,
        report=told,
        larger=up,
        baseline=baseline,
        patience=patience,
        runs=len(given),
        units=design.units,
        design=_told(design),
        level=asked.level,
    )


class _Asked(NamedTuple):
    """What to compare with, how runs depend on one another, and how sure to be."""

    baseline: str | None
    design: Design
    level: float
    rng: np.random.Generator


def _check_runs(runs: Sequence[TrainingRun]) -> list[TrainingRun]:
    found: list[Any] = list(runs) if hasattr(runs, "__iter__") else [runs]
    for k, run in enumerate(found):
        if not isinstance(run, TrainingRun):
            message = f"runs must be a list of TrainingRun; run {k} is of type {type(run).__name__}"
            raise ArgumentTypeError(message, hint="make them by TrainingRun(validation, test).")
    if not found:
        message = "there must be at least one training run; got none"
        raise DataError(message)
    return found


def _require_metrics(
    runs: Sequence[TrainingRun], selecting: Iterable[str], told: Iterable[str]
) -> None:
    for k, run in enumerate(runs):
        require_columns(selecting, list(run.validation), f"the validation history of run {k}")
        require_columns(told, list(run.test), f"the test history of run {k}")


def _design(runs: int, clusters: ArrayLike | None) -> Design:
    """Let runs count alike, and give their clusters numbers; here one may be alone."""
    weight = np.ones(runs)
    if clusters is None:
        return Design(weight)
    label = to_numpy(as_column(clusters, "clusters", "one entry per run is needed in clusters."))
    check_length(label, weight, "clusters", "runs")
    require_present(label, "clusters")
    return Design(weight, numbered(label)[0])


def _told(design: Design) -> str:
    runs = len(design.weight)
    if design.cluster is None:
        return many(runs, "independent run")
    return f"{many(runs, 'run')} in {many(design.units, 'independent cluster')}"


def _choose(
    runs: Sequence[TrainingRun], metric: str, larger: Sequence[str], patience: int | None
) -> tuple[int, ...]:
    """Select an epoch of each run by what would have selected it during training."""
    mode: Mode = "max" if metric in larger else "min"
    found = []
    for run in runs:
        # As patient as there are epochs, training never stops before the last one.
        watch = EarlyStopping(patience or run.epochs, mode=mode)
        for epoch, value in enumerate(run.validation[metric].tolist()):
            if watch.update(epoch, value):
                break
        found.append(watch.best.epoch or 0)
    return tuple(found)


def _tell(
    runs: Sequence[TrainingRun],
    report: str,
    way: str,
    epochs: dict[str, tuple[int, ...]],
    asked: _Asked,
) -> list[Selection]:
    """Tell a metric on test data at the epochs that each metric selected."""
    values = {
        by: np.array([run.test[report][epoch] for run, epoch in zip(runs, at, strict=True)])
        for by, at in epochs.items()
    }
    found = []
    for by, told in values.items():
        compared = _no_difference()
        with np.errstate(invalid="ignore"):
            mean, spread = (
                float(told.mean()),
                float(told.std(ddof=1)) if len(told) > 1 else math.nan,
            )
            if asked.baseline not in (None, by):
                compared = _compare(told - values[str(asked.baseline)], asked)
        found.append(
            Selection(
                way=way,
                by=by,
                report=report,
                mean=mean,
                standard_deviation=spread,
                epochs=epochs[by],
                values=tuple(told.tolist()),
                **compared,
            )
        )
    return found


def _no_difference() -> dict[str, Any]:
    ends = (math.nan, math.nan)
    unknown = dict.fromkeys(("difference", "p_value", "adjusted_p_value"), math.nan)
    return unknown | {"interval": ends, "method": ""}


def _compare(apart: Column, asked: _Asked) -> dict[str, Any]:
    """Put an interval around the mean of differences, one a run, and test it against zero."""
    known = _no_difference() | {"difference": float(apart.mean())}
    if not np.isfinite(apart).all() or asked.design.units < 2:
        return known
    mean, influence = of_mean(apart[None], asked.design.weight)
    spread = covariance(influence, asked.design)
    half = spread.half_widths(asked.level)
    total = asked.design.totals(apart[None])[0]
    # Differences that are all the same leave Student's t nothing to divide by.
    flip = np.count_nonzero(total) < FEW or not spread.errors[0] > 0
    return known | {
        "interval": (float((mean - half)[0]), float((mean + half)[0])),
        "p_value": (
            sign_flip(total, REPLICATES, asked.rng)
            if flip
            else _student(mean[0] / spread.errors[0], spread.degrees)
        ),
        "method": SIGNS if flip else "Student's t",
    }


def _student(t: float, degrees: float) -> float:
    from scipy.special import stdtr

    return float(2 * stdtr(degrees, -abs(t)))
