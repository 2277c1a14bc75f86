"""What a batch of tensors must be: read and flattened, or refused with the batch and the row.

Everything that depends on the data is looked at in one glance. Only if something is wrong is it
looked for, so that a good batch is read quickly, and a device is waited for once.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

import numpy as np
import torch

from properly._boundary._classes import slack_at
from properly._boundary._libraries import infinities, is_numpy, namespace, to_numpy
from properly.errors import ArgumentTypeError, DataError
from properly.rules import BinaryRule, ClassRule, Rule
from properly.typing import Array

if TYPE_CHECKING:
    Shape = tuple[int, ...]

LOGITS = "for logits, pass from_logits=True; nothing is guessed."
SOFT = "soft labels are refused: a rule prices what happened, not a mixture of it."
NUMBERS = "rows with a single 1 become class numbers by targets.argmax(1)."
SWAPPED = "forecasts come first, then targets, as in torch; were the two swapped?"


class TensorBatch(NamedTuple):
    """Targets, forecasts or logits, and weights or None; one row a case, and classes are columns.

    `shape` is what the targets had, `dtype` that of the forecasts, and `number` says how many
    batches there were before.
    """

    targets: Array
    x: Array
    weight: Array | None
    shape: Shape
    dtype: Any
    number: int

    @property
    def y(self) -> Array:
        """What happened: truth values, or class numbers."""
        return outcomes(self.targets, self.x)

    @property
    def has_classes(self) -> bool:
        """Whether forecasts have a column a class."""
        return bool(self.x.ndim == 2)

    def place(self, row: int) -> str:
        """Name the batch and the row in it."""
        index = [int(i) for i in np.unravel_index(row, self.shape or (1,))]
        inside = f", position {tuple(index[1:])}" if len(index) > 2 else ""
        column = f", column {index[1]}" if len(index) == 2 else ""
        return f"batch {self.number}, row {index[0]}{column}{inside}"


def _on_host(x: Array | None) -> Array | None:
    """Let numpy look at what is on the host, which is quicker; torch has everything else."""
    if x is None or not x.is_cpu:
        return x
    try:
        return to_numpy(x)
    except RuntimeError:  # while torch differentiates functions, there are only stand-ins
        return x.detach()


def outcomes(targets: Array, x: Array) -> Array:
    """Make truth values of the targets of one event, and int64 of class numbers."""
    if is_numpy(targets):
        return targets.astype(np.int64, copy=False) if x.ndim == 2 else targets != 0
    return targets.to(torch.int64 if x.ndim == 2 else torch.bool)


def within_classes(batch: TensorBatch) -> Array:
    """Keep class numbers that are yet to be looked at from pointing beyond their row."""
    if not batch.has_classes:
        return batch.targets
    return batch.targets.clamp(0, batch.x.shape[1] - 1)


class Reader(NamedTuple):
    """How batches are read: what prices them, and whether they are logits."""

    rule: Rule
    from_logits: bool

    def read(
        self, forecasts: Array, targets: Array, weight: Array | None, number: int, *, look: bool
    ) -> TensorBatch:
        """Check shapes, types and devices, and flatten a batch; look at its values if told to."""
        _require_tensors(forecasts, targets, weight)
        classes = self._has_classes(forecasts, targets)
        shape = tuple(targets.shape)
        if weight is not None and tuple(weight.shape) != shape:
            result = tuple(weight.shape)
            message = f"weights must have the shape of the targets, {shape}; got {result}"
            raise DataError(message)
        if forecasts.numel() == 0:
            result = tuple(forecasts.shape)
            message = f"a batch must not be empty; batch {number} has forecasts of shape {result}"
            raise DataError(message)
        x = forecasts.movedim(1, -1) if classes else forecasts
        x = x.reshape(-1, forecasts.shape[1]) if classes else x.reshape(-1)
        targets = targets.detach().reshape(-1)
        if weight is not None:
            weight = weight.detach().reshape(-1)
            # Truth values count as 0 and 1.
            weight = weight.to(torch.float32) if weight.dtype == torch.bool else weight
            x, targets = self._without_unused(x, targets, weight)
        # Half precision is priced in single precision, as torch does under autocast.
        x = x.to(torch.float32) if x.itemsize < 4 else x
        batch = TensorBatch(targets, x, weight, shape, forecasts.dtype, number)
        if look:
            self.look(batch)
        return batch

    def look(self, batch: TensorBatch) -> None:
        """Refuse a batch whose values are not what they must be."""
        if not bool(self.glance(batch)):
            self.refuse(batch)

    def glance(self, batch: TensorBatch) -> Array:
        """Tell whether they are, without waiting for the device that they are on."""
        targets, x, weight = (_on_host(part) for part in (batch.targets, batch.x, batch.weight))
        return self.is_fine(targets, outcomes(targets, x), x, weight, batch.dtype)

    @infinities()
    def is_fine(
        self, targets: Array, y: Array, x: Array, weight: Array | None, dtype: Any
    ) -> Array:
        """Tell in one glance whether the values of some rows are what they must be."""
        fine = [_are_outcomes(targets, y, x)]
        if not self.from_logits:
            fine.append(_are_probabilities(x, dtype))
        if weight is not None:
            low, high = _ends(weight)
            fine.append((low >= 0) & (high < math.inf))
        return all(fine) if is_numpy(x) else torch.stack(fine).all()

    def refuse(self, batch: TensorBatch) -> None:
        """Say what is wrong; weights first, since they tell which rows count."""
        targets, weight = batch.targets, batch.weight
        if weight is not None:
            fine = (weight >= 0) & (weight < math.inf)
            _refuse_where(batch, ~fine, weight, "weights must be finite and not negative")
        if not self.from_logits:
            _refuse_forecasts(batch)
        if batch.has_classes:
            last = batch.x.shape[1] - 1
            fine = (targets >= 0) & (targets <= last)
            _refuse_where(batch, ~fine, targets, f"targets must be class numbers from 0 to {last}")
            return
        fine = (targets == 0) | (targets == 1)
        hint = _hint_for_outcomes(targets)
        _refuse_where(batch, ~fine, targets, "targets of one event must be 0 or 1", hint)

    def _has_classes(self, forecasts: Array, targets: Array) -> bool:
        """Tell classes from one event by the shapes, if the rule prices both; check the shapes."""
        columns = tuple(forecasts.shape)
        if isinstance(self.rule, BinaryRule) and columns == tuple(targets.shape):
            return False
        without = (columns[0], *columns[2:]) if len(columns) > 1 else None
        fits = without == tuple(targets.shape) and columns[1] > 1
        if not isinstance(self.rule, ClassRule) or (isinstance(self.rule, BinaryRule) and not fits):
            _refuse_event_shapes(columns, tuple(targets.shape), self.rule)
        if not fits:
            _refuse_class_shapes(columns, tuple(targets.shape))
        if targets.is_floating_point():
            message = f"targets of classes must be whole numbers; got {targets.dtype}"
            raise ArgumentTypeError(message, hint=f"{SOFT} Class numbers are targets.long().")
        self.rule.require_classes(columns[1])
        return True

    def _without_unused(self, x: Array, targets: Array, weight: Array) -> tuple[Array, Array]:
        """Put harmless numbers where the weight is 0: what is there does not count."""
        used = weight != 0
        harmless = 0.0 if self.from_logits else 0.5 if x.ndim == 1 else 1 / x.shape[1]
        # Selected before anything is computed, so that no slope of it is formed either.
        kept = used if x.ndim == 1 else used[:, None]
        return torch.where(kept, x, harmless), torch.where(used, targets, 0)


def refuse_nan(batch: TensorBatch, loss: Array, from_logits: bool) -> NoReturn:
    """Name the first row whose loss is not a number, and what it was made of."""
    rows = batch.x.detach().reshape(len(batch.targets), -1)
    missing = rows.isnan().any(1)
    what = "logits" if from_logits else "forecasts"
    _refuse_where(batch, missing, torch.full_like(rows[:, 0], math.nan), f"{what} must not be NaN")
    bad = loss.detach().isnan().reshape(-1)
    first = int(bad.nonzero()[0])
    given = rows[first].tolist()
    count = _such(int(bad.sum()), batch)
    message = f"the loss must not be NaN; that of {batch.place(first)} is{count}"
    shown = given if batch.has_classes else given[0]
    raise DataError(message, hint=f"what was given there is {shown!r}.")


def require_some_weight(batch: TensorBatch) -> None:
    """Refuse a batch without weight, of which there is no mean."""
    if batch.weight is not None and not bool(batch.weight.any()):
        result = f"all {len(batch.weight)} of batch {batch.number} are 0"
        message = f"a mean needs at least one positive weight; {result}"
        raise DataError(message)


def require_device(batch_device: Any, device: Any) -> None:
    """Refuse a batch on another device than the sums that it is to be added to."""
    if batch_device != device:
        message = f"a metric and its batches must be on one device; got {device} and {batch_device}"
        raise DataError(message, hint=f"move the metric: metric.to({str(batch_device)!r}).")


def _require_tensors(forecasts: Any, targets: Any, weight: Any) -> None:
    """Refuse what is no tensor, what holds no numbers, and what is spread over devices."""
    given = {"forecasts": forecasts, "targets": targets, "weights": weight}
    given = {name: x for name, x in given.items() if name != "weights" or x is not None}
    for name, x in given.items():
        if not isinstance(x, torch.Tensor):
            message = f"{name} must be a tensor; got {type(x).__name__}"
            raise ArgumentTypeError(message, hint="torch.as_tensor makes one.")
        if x.is_complex() or (name == "forecasts" and not x.is_floating_point()):
            kind = "floating-point numbers" if name == "forecasts" else "real numbers"
            message = f"{name} must be {kind}; got {x.dtype}"
            raise ArgumentTypeError(message, hint=SWAPPED if name == "forecasts" else None)
    devices = list(dict.fromkeys(str(x.device) for x in given.values()))
    if len(devices) > 1:
        *names, last = given
        message = (
            f"{', '.join(names)} and {last} must be on one device; got {' and '.join(devices)}"
        )
        raise DataError(message, hint="move them with .to(forecasts.device).")


def _refuse_event_shapes(forecasts: Shape, targets: Shape, rule: Rule) -> NoReturn:
    result = f"{forecasts} and {targets}"
    message = f"forecasts and targets of one event must have the same shape; got {result}"
    hint = None
    if forecasts == (*targets, 1) or targets == (*forecasts, 1):
        name = "forecasts" if len(forecasts) > len(targets) else "targets"
        hint = f"write {name}.squeeze(-1); side by side, each row would meet all others."
    elif not isinstance(rule, ClassRule) and len(forecasts) == len(targets) + 1:
        hint = f"{rule!r} prices one event; Ranked(rule) prices ordered classes."
    raise DataError(message, hint=hint)


def _refuse_class_shapes(forecasts: Shape, targets: Shape) -> NoReturn:
    if len(forecasts) < 2 or forecasts[1] < 2:
        message = (
            f"forecasts of classes must have shape (n, K) or (n, K, …), with K of 2 or more; "
            f"got {forecasts}"
        )
        hint = "for the probability of one event, take a rule such as Brier()."
        raise DataError(message, hint=hint)
    expected = (forecasts[0], *forecasts[2:])
    message = (
        f"targets of classes must have the shape of the forecasts without the class dimension, "
        f"{expected}; got {targets}"
    )
    raise DataError(message, hint=f"{SOFT} And {NUMBERS}" if targets == forecasts else None)


def _ends(x: Array) -> tuple[Array, Array]:
    return (x.min(), x.max()) if is_numpy(x) else torch.aminmax(x)


def _are_outcomes(targets: Array, y: Array, x: Array) -> Array:
    """Tell whether targets are class numbers, or 0 and 1."""
    kind = targets.dtype.kind if is_numpy(targets) else _kind(targets)
    if kind == "b":
        return np.True_ if is_numpy(targets) else torch.ones_like(targets[0])
    if kind != "f":
        low, high = _ends(targets)
        return (low >= 0) & (high < (x.shape[1] if x.ndim == 2 else 2))
    if is_numpy(targets):
        return ((targets == 1) == y).all()
    # Zero only at 0 and 1, and not a number where there is none.
    return torch.linalg.vector_norm((targets - 1).mul_(targets), 1) == 0


def _kind(targets: Array) -> str:
    if targets.is_floating_point():
        return "f"
    return "b" if targets.dtype == torch.bool else "i"


def _are_probabilities(x: Array, dtype: Any) -> Array:
    low, high = _ends(x)
    # Written so that NaN, which compares as false, is found too.
    if x.ndim == 1:
        return (low >= 0) & (high <= 1)
    off = namespace(x).abs(x.sum(1) - 1)
    return (low >= 0) & (off.max() <= slack_at(torch.finfo(dtype).eps))


def _refuse_forecasts(batch: TensorBatch) -> None:
    x = batch.x.detach()
    if not batch.has_classes:
        missing, outside = x.isnan(), ~((x >= 0) & (x <= 1))
        _refuse_where(batch, missing, x, "forecasts must not be NaN")
        _refuse_where(batch, outside, x, "forecasts must be probabilities in [0, 1]", LOGITS)
        return
    _refuse_where(batch, x.isnan(), x, "class probabilities must not be NaN")
    _refuse_where(batch, x < 0, x, "class probabilities must be zero or more", LOGITS)
    sums, slack = x.sum(1, dtype=torch.float64), slack_at(torch.finfo(batch.dtype).eps)
    bad = (x.sum(1) - 1).abs() > slack
    if bool(bad.any()):
        worst = int((sums - 1).abs().argmax())
        count = _such(int(bad.sum()), batch)
        result = f"{batch.place(worst)} sums to {float(sums[worst]):.6g}{count}"
        message = f"rows of class probabilities must sum to 1 within {slack:.2g}; {result}"
        raise DataError(message, hint=LOGITS)


def _refuse_where(
    batch: TensorBatch, bad: Array, x: Array, rule: str, hint: str | None = None
) -> None:
    """Raise with the first offending entry, its value, and how many more rows there are."""
    if not bool(bad.any()):
        return
    rows = bad if bad.ndim == 1 else bad.any(1)
    row = int(rows.nonzero()[0])
    k = int(bad[row].nonzero()[0]) if bad.ndim == 2 else None
    value = (x[row] if k is None else x[row, k]).item()
    place = batch.place(row) if k is None else f"{batch.place(row)}, class {k}"
    shown = f"{value:.6g}" if isinstance(value, float) else repr(value)
    message = f"{rule}; {place} is {shown}{_such(int(rows.sum()), batch)}"
    raise DataError(message, hint=hint)


def _such(count: int, batch: TensorBatch) -> str:
    what = "rows" if len(batch.shape) < 2 else "entries"
    return f" ({count} such {what})" if count > 1 else ""


def _hint_for_outcomes(targets: Array) -> str | None:
    if not targets.is_floating_point():
        return "classes need a rule that prices them, and forecasts with a column for each."
    inside = (targets > 0) & (targets < 1)
    return SOFT if bool(inside.any()) else None
