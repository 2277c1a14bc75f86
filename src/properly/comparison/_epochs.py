"""Epochs of a training run: the best one, and early stopping."""

from __future__ import annotations

import math
from typing import Any, Literal, TypeAlias, get_args

from properly._boundary._options import as_number, check_choice, check_whole
from properly._boundary._text import many
from properly.errors import DataError

Mode: TypeAlias = Literal["min", "max"]


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
