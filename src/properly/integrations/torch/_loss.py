"""A rule as a loss that torch minimises."""

from __future__ import annotations

import warnings
from importlib.util import find_spec
from typing import Any, Literal, cast, get_args

import torch
from torch.nn.functional import softplus

from properly._boundary._options import check_choice, check_flag
from properly.errors import DataError, ImproperRuleError
from properly.integrations._named_rules import require_rule
from properly.integrations.torch._checks import (
    Reader,
    TensorBatch,
    outcomes,
    refuse_nan,
    require_some_weight,
    within_classes,
)
from properly.rules import RPS, ClassRule, Log, Penalized, Rule
from properly.rules._class_rule import DualRule
from properly.rules._ranked_probability import CutRule
from properly.typing import Array

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
        rule: Rule,
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
