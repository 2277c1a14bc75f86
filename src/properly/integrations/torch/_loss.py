"""A rule as a loss that torch minimises, and what a batch of tensors must be.

A batch is read and flattened, or refused with its number and the row. Everything that depends on
the data is looked at in one glance. Only if something is wrong is it looked for, so that a good
batch is read quickly, and a device is waited for once.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, NoReturn, cast, get_args

import numpy as np
import torch
from torch.nn.functional import softplus

from properly._boundary._classes import slack_at
from properly._boundary._libraries import infinities, is_numpy, namespace, to_numpy
from properly._boundary._options import check_choice, check_flag
from properly.errors import ArgumentTypeError, DataError, ImproperRuleError
from properly.integrations._named_rules import require_rule
from properly.rules import RPS, BinaryRule, ClassRule, Log, Penalized, Rule
from properly.rules._class_rule import DualRule
from properly.rules._ranked_probability import CutRule
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
        """Say what is wrong with a batch, and where it is first."""
        for bad, x, rule, hint in self._faults(batch):
            _refuse_where(batch, bad, x, rule, hint)

    def _faults(self, batch: TensorBatch) -> Iterator[tuple[Array, Array, str, str | None]]:
        """Yield where values are wrong, the values, the rule and a hint.

        Weights come first, since they decide which rows count.
        """
        targets, x, weight = batch.targets, batch.x.detach(), batch.weight
        if weight is not None:
            fine = (weight >= 0) & (weight < math.inf)
            yield ~fine, weight, "weights must be finite and not negative", None
        if not self.from_logits:
            name = "class probabilities" if batch.has_classes else "forecasts"
            yield x.isnan(), x, f"{name} must not be NaN", None
        if not self.from_logits and batch.has_classes:
            yield x < 0, x, "class probabilities must be zero or more", LOGITS
            sums, slack = x.sum(1, dtype=torch.float64), slack_at(torch.finfo(batch.dtype).eps)
            rule = f"sums of class probabilities must be 1 within {slack:.2g}"
            yield (x.sum(1) - 1).abs() > slack, sums, rule, LOGITS
        elif not self.from_logits:
            yield ~((x >= 0) & (x <= 1)), x, "forecasts must be probabilities in [0, 1]", LOGITS
        if batch.has_classes:
            last = x.shape[1] - 1
            fine = (targets >= 0) & (targets <= last)
            yield ~fine, targets, f"targets must be class numbers from 0 to {last}", None
        else:
            fine, hint = (targets == 0) | (targets == 1), None
            if not targets.is_floating_point():
                hint = "classes need a rule that prices them, and forecasts with a column for each."
            elif bool(((targets > 0) & (targets < 1)).any()):
                hint = SOFT
            yield ~fine, targets, "targets of one event must be 0 or 1", hint

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


def refuse_nan(batch: TensorBatch, loss: Array, from_logits: bool) -> None:
    """Name the first row whose loss is not a number, and what it was made of."""
    x, loss = batch.x.detach(), loss.detach().reshape(-1)
    what = "logits" if from_logits else "forecasts"
    _refuse_where(batch, x.isnan(), x, f"{what} must not be NaN")
    bad = loss.isnan()
    given = f"what was given there is {x[int(bad.nonzero()[0])].tolist()!r}."
    _refuse_where(batch, bad, loss, "the loss must not be NaN", given)


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
    count, what = int(rows.sum()), "rows" if len(batch.shape) < 2 else "entries"
    such = f" ({count} such {what})" if count > 1 else ""
    message = f"{rule}; {place} is {shown}{such}"
    raise DataError(message, hint=hint)


Reduction = Literal["mean", "sum", "none"]
# A longer row does not fit into what one program of the kernel holds.
MOST_CLASSES = 1 << 14
TALLY = (
    "such rules are for evaluation: TallyMetric(rule) follows one while Log() or Brier() trains."
)


class RuleLoss(torch.nn.Module):  # type: ignore[misc]
    r"""A rule as a loss function of torch.

    .. math:: \frac{\sum_i w_i\, S(p_i, y_i)}{\sum_i w_i}

    Parameters
    ----------
    rule : Rule
        A rule without jumps: a gradient does not see those of decisions and penalties.
    from_logits : bool
        Whether the input is logits: log-odds of one event, or numbers before the softmax, of
        classes. If not, it is probabilities. Nothing is guessed.
    reduction : {"mean", "sum", "none"}
        What to return of a batch: the mean, weighted if there are weights; the sum; or each loss,
        times its weight.
    compile : bool
        Whether `torch.compile` joins the operations of the pricing. Checks stay outside.
    allow_improper : bool
        Train with a rule under which some forecast beats the true probability.

    Notes
    -----
    Arguments come in the order of torch: input, target, weight. Of one event, the input and the
    target have the same shape, whatever it is, and the target is 0 and 1, or truth values. Of
    classes, the input has shape (n, K) or (n, K, d1, …), and the target is class numbers without
    the class dimension. A rule that prices both tells them apart by the shapes.

    Logits are differentiated by the rule's own slope, in a form that a saturated sigmoid or softmax
    does not spoil, and that can be differentiated again. Half precision is priced in single
    precision, and the loss is then a number in single precision.

    Rows of weight 0 do not count, whatever they hold. Everything else that is wrong is refused, and
    the message names the batch, counted from 0 since the loss was made or `reset`, and the row.
    Inside a graph of `torch.compile`, values are not looked at.

    Examples
    --------
    >>> import torch
    >>> from properly.integrations.torch import RuleLoss
    >>> from properly.rules import Brier
    >>> logit = torch.tensor([0.0, 2.0], requires_grad=True)
    >>> loss = RuleLoss(Brier(), from_logits=True)(logit, torch.tensor([0, 1]))
    >>> loss.backward()
    >>> print(loss, logit.grad)
    tensor(0.1321, grad_fn=<MeanBackward0>) tensor([ 0.1250, -0.0125])
    """

    def __init__(
        self,
        rule: Rule | str,
        *,
        from_logits: bool = False,
        reduction: Reduction = "mean",
        compile: bool = False,  # noqa: A002
        allow_improper: bool = False,
    ) -> None:
        super().__init__()
        self.rule = require_trainable(
            rule, allow_improper=check_flag(allow_improper, "allow_improper")
        )
        self.from_logits = check_flag(from_logits, "from_logits")
        self.reduction = check_choice(reduction, get_args(Reduction), "reduction")
        self.compiled = check_flag(compile, "compile")
        self.batches = 0
        self._kernel: Any = None
        self._shares: dict[Any, Array] = {}

    def forward(self, input: Array, target: Array, weight: Array | None = None) -> Array:  # noqa: A002
        """Price a batch.

        Parameters
        ----------
        input : Tensor
            Probabilities, or logits with ``from_logits=True``.
        target : Tensor
            What happened: truth values, or 0 and 1; of classes, their numbers.
        weight : Tensor, optional
            Case weights, of the shape of the target; those of value 0 do not count.

        Returns
        -------
        Tensor
            Without dimensions; of the shape of the target if nothing is reduced.
        """
        look = not torch.compiler.is_compiling()
        # A GPU prices while the values are looked at, and is waited for once.
        later = look and is_on_gpu(input)
        reader = Reader(self.rule, self.from_logits)
        batch = reader.read(input, target, weight, self.batches, look=look and not later)
        if look and self.reduction == "mean":
            require_some_weight(batch)
        loss = self._price(within_classes(batch) if later else batch.targets, batch.x)
        result = _reduce(loss, batch, self.reduction)
        if look:
            fine = ~(result if result.ndim == 0 else result.sum()).isnan()
            if not bool(fine & reader.glance(batch) if later else fine):
                reader.look(batch)
                refuse_nan(batch, loss, self.from_logits)
            self.batches += 1
        return result

    def reset(self) -> None:
        """Count batches from 0 again."""
        self.batches = 0

    def extra_repr(self) -> str:
        """Write the arguments."""
        return f"{self.rule!r}, from_logits={self.from_logits}, reduction={self.reduction!r}"

    def _price(self, targets: Array, x: Array) -> Array:
        if not self.compiled or torch.compiler.is_compiling():
            return _price(self.rule, targets, x, from_logits=self.from_logits)
        if self.from_logits and fits_kernel(self.rule, x):
            return self._price_by_kernel(targets, x)
        if self._kernel is None:
            self._kernel = torch.compile(_price)
        with warnings.catch_warnings():
            # The compiler warns of caches in a library that finds out whose arrays it is given.
            warnings.filterwarnings("ignore", "Dynamo detected a call to a `functools.lru_cache`")
            return self._kernel(self.rule, targets, x, from_logits=self.from_logits)

    def _price_by_kernel(self, targets: Array, x: Array) -> Array:
        """Price ranked classes in one pass over their logits."""
        from properly.integrations.torch._kernels import FusedRPS

        place = x.shape[1], x.device
        if place not in self._shares:
            result = cast("RPS", self.rule).shares(x.shape[1])
            self._shares = {place: torch.tensor(result, dtype=torch.float32, device=x.device)}
        return FusedRPS.apply(outcomes(targets, x), x, self._shares[place])

    def __getstate__(self) -> dict[str, Any]:
        # What torch compiled stays in the process.
        return {**super().__getstate__(), "_kernel": None, "_shares": {}}


def require_trainable(rule: object, *, allow_improper: bool) -> Rule:
    """Refuse a rule that a gradient does not see all of, and an improper one unless allowed."""
    result = require_rule(rule)
    if not result.differentiable:
        penalty = isinstance(result, Penalized) and result.rule.differentiable
        what = f"the penalty of {result!r} has" if penalty else f"the jumps of {result!r} have"
        message = f"a loss for training must not jump; {what} no gradient"
        raise DataError(message, hint=TALLY)
    if not (result.is_proper or allow_improper):
        message = (
            f"a loss for training must be proper; under {result!r} some other forecast beats "
            "the true probability"
        )
        raise ImproperRuleError(message, hint="allow_improper=True trains with it all the same.")
    return result


class LogitPrice(torch.autograd.Function):  # type: ignore[misc]
    """The price of logits, differentiated by the rule's own slope.

    The slope is written in operations of torch, so it can be differentiated in turn; but not that
    of ranked rules, which adds up logarithms of zeros.
    """

    generate_vmap_rule = True

    @staticmethod
    def forward(rule: Any, y: Array, logit: Array) -> Array:
        """Price each row."""
        return rule.price_logit(y, logit)

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, Array, Array], output: Array) -> None:  # noqa: ARG004
        """Keep what the slope needs."""
        ctx.rule, *tensors = inputs
        ctx.save_for_backward(*tensors)

    @staticmethod
    def backward(ctx: Any, grad: Array) -> tuple[None, None, Array]:
        """Multiply by the slope."""
        y, logit = ctx.saved_tensors
        if torch.is_grad_enabled() and isinstance(ctx.rule, CutRule):
            loss = ctx.rule.price_logit(y, logit)
            return None, None, *torch.autograd.grad(loss, logit, grad, create_graph=True)
        slope = ctx.rule.price_logit_slope(y, logit)
        return None, None, (grad if slope.ndim == 1 else grad[:, None]) * slope


def _price(rule: Any, targets: Array, x: Array, *, from_logits: bool) -> Array:
    """Price rows of one event, or of classes, so that the price can be differentiated."""
    if from_logits and x.ndim == 1 and type(rule) is Log:
        return _log_price(targets, x)
    y = outcomes(targets, x)
    if not from_logits:
        return rule.price_event(y, x) if x.ndim == 1 else rule.price(y, x)
    if x.ndim == 2 and not _tells_slope(rule):
        return rule.price_logit(y, x)
    return LogitPrice.apply(rule, y, x)


def _tells_slope(rule: Any) -> bool:
    """Whether a rule of classes states its slope; that of others torch finds, by the softmax."""
    kind = type(rule)
    if isinstance(rule, DualRule) and (
        kind.price_class_logit_slope is not DualRule.price_class_logit_slope
    ):
        return True
    own = kind.price_logit_slope not in (ClassRule.price_logit_slope, DualRule.price_logit_slope)
    return own or kind.class_slope is not ClassRule.class_slope


def is_on_gpu(x: Any) -> bool:
    """Tell whether a tensor is on a device that one has to wait for."""
    return isinstance(x, torch.Tensor) and x.is_cuda


def fits_kernel(rule: Any, x: Array) -> bool:
    """Tell whether logits are those of ranked classes on a GPU for which there is a kernel."""
    if type(rule) is not RPS or not x.is_cuda or x.dtype == torch.float64:
        return False
    return find_spec("triton") is not None and x.shape[1] <= MOST_CLASSES


def _log_price(targets: Array, logit: Array) -> Array:
    """Return the log score of log-odds, as torch has it in one pass, and its slope in another.

    Beyond the threshold ``log(1 + exp(x))`` is ``x`` in any precision.
    """
    sign = torch.rsub(targets.to(logit.dtype), 1, alpha=2)
    return softplus(sign * logit, threshold=50)


def _reduce(loss: Array, batch: TensorBatch, reduction: str) -> Array:
    """Weigh and add up; rows of weight 0 have a harmless loss already."""
    if batch.weight is None:
        if reduction == "none":
            return loss.reshape(batch.shape)
        return loss.mean() if reduction == "mean" else loss.sum()
    # In the wider of the two types: the sum of half precision soon overflows.
    weight = batch.weight.to(torch.promote_types(batch.weight.dtype, loss.dtype))
    if reduction == "mean":
        return ((weight / weight.sum()).to(loss.dtype) * loss).sum()
    weighed = (weight * loss).to(loss.dtype)
    return weighed.sum() if reduction == "sum" else weighed.reshape(batch.shape)
