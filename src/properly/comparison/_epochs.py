"""Epochs of a training run: the best one, early stopping, and histories of metrics by epoch."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, get_args

import numpy as np

from properly._boundary._arrays import as_column, as_numbers
from properly._boundary._classes import require_columns
from properly._boundary._libraries import read_only, to_numpy
from properly._boundary._options import as_number, check_choice, check_whole
from properly._boundary._record import as_models
from properly._boundary._text import many
from properly.errors import ArgumentTypeError, DataError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from properly.typing import ArrayLike, Column, IntoFrame

    History: TypeAlias = Mapping[str, ArrayLike] | IntoFrame


Mode: TypeAlias = Literal["min", "max"]
# Metrics for which larger is better, unless others are named.
LARGER = ("macro_f1",)


class BestEpoch:
    """Remember the best epoch of a training run, and the weights it had.

    A trained model is the one of its best epoch, not of its last: without a call that puts the
    weights back, a checkpoint changes nothing.

    Parameters
    ----------
    mode : {"min", "max"}
        Whether the smallest value is the best one, as of a loss, or the largest.
    min_delta : float
        By how much a value must be exceeded to be replaced; by anything if 0.

    Attributes
    ----------
    epoch : int or None
        The best epoch so far; None before the first.
    value : float or None
        Its value.
    state : object
        What was handed in with it.
    mode, min_delta
        As above.

    Notes
    -----
    Of equal values the earlier epoch stays. Infinity is a value like others: an infinite loss is
    beaten by any finite one. NaN has no place in an order and is refused.

    Examples
    --------
    >>> import properly
    >>> best = properly.comparison.BestEpoch()
    >>> weights = [0.0]
    >>> for epoch, loss in enumerate([0.9, 0.4, 0.4, 0.6]):
    ...     weights[0] += 1.0
    ...     _ = best.update(epoch, loss, state=lambda: list(weights))
    >>> best.epoch, best.value, best.state
    (1, 0.4, [2.0])
    >>> weights[:] = best.state  # put the best weights back
    """

    def __init__(self, *, mode: Mode = "min", min_delta: float = 0.0) -> None:
        self.mode = check_choice(mode, get_args(Mode), "mode")
        self.min_delta = as_number(min_delta, "min_delta")
        if not 0 <= self.min_delta < math.inf:
            message = f"min_delta must be zero or more, and finite; got {self.min_delta:g}"
            raise DataError(message)
        self.epoch: int | None = None
        self.value: float | None = None
        self.state: Any = None
        self._fed: list[tuple[int, float]] = []

    def __repr__(self) -> str:
        if self.value is None:
            return "BestEpoch(no epoch yet)"
        return (
            f"BestEpoch({self.value:.4g} at epoch {self.epoch}, of {many(len(self._fed), 'value')})"
        )

    @property
    def history(self) -> tuple[tuple[int, float], ...]:
        """All epochs so far and their values."""
        return tuple(self._fed)

    def update(self, epoch: int, value: float, state: Any = None) -> bool:
        """Take the value of an epoch, and keep its state if it is the best so far.

        Parameters
        ----------
        epoch : int
            The number of the epoch, greater than those before.
        value : float
            What the metric was on data that are not trained on.
        state : object, optional
            What to keep of the epoch, such as its weights. It is kept as it is: weights that
            training goes on to change must be copied. A function without arguments is called
            instead, and only if its result is to be kept.

        Returns
        -------
        bool
            Whether the epoch is the best so far.
        """
        epoch = self._check_epoch(epoch)
        result = as_number(value, f"value of epoch {epoch}")
        if math.isnan(result):
            message = f"the best epoch needs values that can be ordered; got NaN at epoch {epoch}"
            raise DataError(message, hint="training has diverged: stop it, or take smaller steps.")
        sign = 1 if self.mode == "min" else -1
        better = self.value is None or sign * result < sign * self.value - self.min_delta
        if better:
            # Called first, so that nothing has changed if it fails.
            kept = state() if callable(state) else state
            self.epoch, self.value, self.state = epoch, result, kept
        self._fed.append((epoch, result))
        return better

    def _check_epoch(self, epoch: object) -> int:
        result = check_whole(epoch, "an epoch", 0)
        if self._fed and result <= self._fed[-1][0]:
            message = (
                "epochs must come in order, each of them once; "
                f"epoch {result} came after epoch {self._fed[-1][0]}"
            )
            raise DataError(message, hint="each training run needs an object of its own.")
        return result


class EarlyStopping:
    """Say when to stop training, and remember the best epoch.

    Training stops once so many values in a row were no better than the best one before them. The
    model to use is that of the best epoch, `best.state`, and not that of the epoch it stopped at.

    Parameters
    ----------
    patience : int
        How many values in a row may be no better.
    mode : {"min", "max"}
        Whether the smallest value is the best one, as of a loss, or the largest.
    min_delta : float
        By how much a value must be exceeded to be replaced; by anything if 0.

    Attributes
    ----------
    patience : int
        As above.
    best : BestEpoch
        The best epoch so far.
    stopped : int or None
        The epoch at which to stop; None before.

    Examples
    --------
    >>> import properly
    >>> stopping = properly.comparison.EarlyStopping(patience=2)
    >>> for epoch, loss in enumerate([0.9, 0.4, 0.5, 0.6, 0.1]):
    ...     if stopping.update(epoch, loss, state=f"weights of epoch {epoch}"):
    ...         break
    >>> stopping.stopped, stopping.best.epoch, stopping.best.state
    (3, 1, 'weights of epoch 1')
    """

    def __init__(self, patience: int, *, mode: Mode = "min", min_delta: float = 0.0) -> None:
        self.patience = check_whole(patience, "patience")
        self.best = BestEpoch(mode=mode, min_delta=min_delta)
        self.stopped: int | None = None
        self._waited = 0

    def __repr__(self) -> str:
        state = "going on" if self.stopped is None else f"stopped at epoch {self.stopped}"
        return f"EarlyStopping({state}, patience {self.patience}, {self.best!r})"

    def update(self, epoch: int, value: float, state: Any = None) -> bool:
        """Take the value of an epoch, and say whether to stop now.

        Parameters
        ----------
        epoch, value, state
            As `BestEpoch.update` takes them.

        Returns
        -------
        bool
            Whether to stop.
        """
        if self.stopped is not None:
            message = f"training was to stop at epoch {self.stopped}; got epoch {epoch!r} after it"
            raise DataError(message, hint="leave the loop as soon as update returns True.")
        self._waited = 0 if self.best.update(epoch, value, state) else self._waited + 1
        if self._waited >= self.patience:
            self.stopped = self.best.history[-1][0]
        return self.stopped is not None


def read_history(history: History, what: str = "a history") -> dict[str, Column]:
    """Take metrics by epoch, of a dict or of any frame, as float arrays of one length."""
    columns: Any = history if isinstance(history, Mapping) else as_models(history)
    if not isinstance(history, Mapping) and columns.get("forecast") is history:
        kind = type(history).__name__
        message = f"{what} must be a dict of values by metric, or a data frame; got {kind}"
        raise ArgumentTypeError(message, hint="write {'log': [0.9, 0.7], 'macro_f1': [0.2, 0.4]}.")
    result = {
        str(name): _values(x, f"values of {str(name)!r} in {what}") for name, x in columns.items()
    }
    if not result or len(result) < len(columns):
        message = f"{what} must have metrics, with names that differ as text; got {list(columns)}"
        raise DataError(message)
    (first, values), *others = result.items()
    for name, other in others:
        if len(other) != len(values):
            message = (
                f"{what} must have as many values of each metric as there are epochs; "
                f"got {len(values)} of {first!r} and {len(other)} of {name!r}"
            )
            raise DataError(message)
    return result


def _values(values: ArrayLike, what: str) -> Column:
    column = to_numpy(as_column(values, what))
    # Told by epochs, and before as_numbers, which would tell of rows.
    lost = [(k, x) for k, x in enumerate(column.tolist()) if _is_missing(x)]
    if lost:
        (epoch, value), rest = lost[0], f" ({len(lost):,} such epochs)" * (len(lost) > 1)
        message = f"{what} must be known at every epoch; that of epoch {epoch} is {value}{rest}"
        raise DataError(message, hint="leave such epochs out of all metrics.")
    return read_only(to_numpy(as_numbers(column, what)).astype(np.float64))


def _is_missing(x: Any) -> bool:
    """Tell None and NaN, and what will not say whether it equals itself, as pandas.NA."""
    try:
        return x is None or bool(x != x)  # noqa: PLR0124
    except TypeError:
        return True


def as_names(names: str | Iterable[str], what: str) -> tuple[str, ...]:
    """Take the names of some metrics, or of a single one; at least one, each of them once."""
    try:
        result = (names,) if isinstance(names, str) else tuple(names)
    except TypeError:
        result = ()
    if not result or len(set(result)) < len(result) or not all(isinstance(x, str) for x in result):
        message = f"{what} must be names of metrics, each of them once; got {names!r}"
        raise DataError(message)
    return result


def as_larger(
    larger: str | Iterable[str], present: Iterable[str], where: str = "a history"
) -> tuple[str, ...]:
    """Take the names of metrics for which larger is better, and refuse one that is not there.

    A name that is misspelled would turn a metric round and say nothing. Only what is assumed where
    nothing is said may be absent.
    """
    result = () if not isinstance(larger, str) and not larger else as_names(larger, "larger")
    metrics = list(present)
    if result != LARGER:
        require_columns(result, metrics, where)
    return tuple(name for name in result if name in metrics)


def best_epochs(oriented: Column, count: int) -> Column:
    """Return the epochs of the largest values; of equal ones, the earlier."""
    return np.argsort(-oriented, kind="stable")[:count]


def pearson(one: Column, other: Column) -> float:
    """Correlate two columns; NaN if one never varies, or is infinite somewhere."""
    if not (np.isfinite(one).all() and np.isfinite(other).all()):
        return math.nan
    if (one == one[0]).all() or (other == other[0]).all():
        return math.nan
    # Divided by their size first: squares of large numbers are infinite, those of small ones 0.
    scaled = [x / np.abs(x).max() for x in (one, other)]
    return float(np.corrcoef(*scaled)[0, 1])
