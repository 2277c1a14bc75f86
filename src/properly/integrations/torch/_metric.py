"""Scores that are added up batch by batch, with the counts that their parts follow from."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from typing import Any, ClassVar, NamedTuple

import array_api_compat as compat
import numpy as np
import torch
from torchmetrics import Metric

from properly._boundary._chunks import kept_threads
from properly._boundary._classes import check_count
from properly._boundary._libraries import infinities, is_numpy, namespace, to_numpy
from properly._boundary._options import check_flag
from properly.calibration._decomposition import decompose_by
from properly.counts._pooling import EXACT
from properly.counts._reductions import Plan, plan_for, upper_tails
from properly.counts._tally import Tally, tally_of_sums
from properly.errors import DataError, ImproperRuleError
from properly.integrations._named_rules import require_rule
from properly.integrations.torch import _loss as losses
from properly.integrations.torch._loss import Reader, TensorBatch
from properly.rules import BinaryRule, Brier, ClassRule, Rule
from properly.rules._class_rule import is_class
from properly.rules._log_odds import both_sides, softmax
from properly.rules._ranked_probability import CutRule, is_above
from properly.rules._rule import paid
from properly.typing import Array

# Fewer entries are done sooner than threads are started, and more would take too much memory.
FEW, MANY = 1 << 16, 1 << 20
# Below this, keys are as short as can be.
SMALL = 1 << 15


class Counting(NamedTuple):
    """How a batch is added up: how it is read, which questions it answers, in how many cells.

    The arithmetic is that of any library: torch's on a GPU; elsewhere numpy's, which has the
    quicker comparisons and conversions.
    """

    reader: Reader
    view: str | None
    cells: int
    dtype: Any

    def of(self, batch: TensorBatch) -> tuple[list[float], list[float], Array | None]:
        """Return what the batch adds to sums, extremes and counts; refuse it if it is wrong.

        Sums are those of losses and weights, and the number of fractional weights. Extremes are
        the largest weight, and minus the smallest positive one. Counts are sums of weights, of
        weighted forecasts and of squared weights, by question, cell and outcome.
        """
        pieces = self._share_out(batch)
        if None in pieces:
            self.reader.refuse(batch)
            losses.refuse_nan(batch, self.price(batch.y, batch.x), self.reader.from_logits)
        columns = [list(column) for column in zip(*pieces, strict=True)]
        sums = [float(sum(column)) for column in columns[:3]]
        extremes = [float(max(column)) for column in columns[3:5]]
        if self.view is None:
            return sums, extremes, None
        weight, *others = (torch.stack(column).sum(0) for column in columns[5:])
        weight = weight.to(self.dtype)
        # Cases without weights have the weight 1, and so has its square.
        counts = torch.stack([weight, *others, *([weight] if len(others) == 1 else ())])
        place = {"device": batch.x.device, "dtype": self.dtype}
        return sums, extremes, counts.reshape(3, -1, self.cells + 2, 2).to(**place)

    def price(self, y: Array, x: Array) -> Array:
        """Price each row, in double precision where the device has it."""
        rule: Any = self.reader.rule
        wide = self._wide(x)
        if self.reader.from_logits:
            return rule.price_logit(y, wide)
        return rule.price_event(y, wide) if x.ndim == 1 else rule.price(y, wide)

    @infinities()
    def _piece(
        self, dtype: Any, targets: Array, x: Array, weight: Array | None
    ) -> list[Any] | None:
        """Add up losses, weights and fractions; and counts, forecasts and squares by key.

        Between them are the extremes of weights. None if something is wrong with the rows.
        """
        y = losses.outcomes(targets, x)
        if not self.reader.is_fine(targets, y, x, weight, dtype):
            return None
        weight = None if weight is None else self._wide(weight)
        sums = [float(self._loss(y, x, weight)), len(y), 0, 1, -1]
        if math.isnan(sums[0]):
            return None
        if weight is not None:
            fractions = (weight != namespace(weight).floor(weight)).sum()
            sums[1:] = weight.sum(), fractions, *_extremes(weight)
        if self.view is None:
            return sums
        happened, p = self._answers(y, x)
        # In single precision, forecasts are in the same cell, and sooner there.
        key, p = self._keys(happened, p), self._wide(p.reshape(-1))
        size = 2 * (self.cells + 2) * (len(p) // len(y))
        if weight is None:
            return [*sums, _add_by(key, None, size), _add_by(key, p, size)]
        if len(p) > len(y):
            xp = namespace(weight)
            weight = xp.reshape(xp.broadcast_to(weight[:, None], happened.shape), (-1,))
        columns = weight, weight * p, weight * weight
        return [*sums, *(_add_by(key, column, size) for column in columns)]

    def _loss(self, y: Array, x: Array, weight: Array | None) -> Any:
        """Add up losses; on a CPU, of one event, in as few passes as the rule allows.

        Wide copies of a batch are made one at a time: memory that is asked for and given back
        all the time costs as much as the arithmetic.
        """
        rule: Any = self.reader.rule
        if self.reader.from_logits or x.ndim == 2 or not is_numpy(x):
            loss = self.price(y, x)
            return (loss if weight is None else loss * weight).sum()
        if type(rule) is Brier:
            off = np.subtract(x, y, dtype=np.float64)
            return np.einsum("i,i->", off, off if weight is None else off * weight)
        x = self._wide(x)
        # Each case on its own side only: a logarithm costs more than to sort the cases out.
        event = paid(rule.loss_if_event, x, y, weight)
        return event + paid(rule.loss_if_none, x, ~y, weight)

    def _answers(self, y: Array, x: Array) -> tuple[Array, Array]:
        """Return what happened and the probability of it, of each question."""
        if self.view == "event" and not self.reader.from_logits:
            return y, x
        x = self._wide(x)
        if self.view == "event":
            return y, both_sides(x)[0]
        p = softmax(x) if self.reader.from_logits else x
        xp = namespace(p)
        if self.view == "one_vs_rest":
            return is_class(y, p), xp.where(p > 1, xp.ones_like(p), p)
        return is_above(y, p), xp.stack(upper_tails(p), axis=1)

    def _keys(self, happened: Array, p: Array) -> Array:
        """Make one number of the cell and the outcome, and of the question if there are many.

        A product with a power of two is exact, so a forecast on a border is in the cell above it.
        """
        xp, size = namespace(p), 2 * (self.cells + 2)
        key = xp.astype(p * self.cells, xp.int16 if size < SMALL else xp.int32)
        key *= 2
        key += happened
        if is_numpy(p) and p.min() > 0:
            key += 2
        else:
            key += 2 * xp.astype(p > 0, key.dtype)
        if p.ndim == 2:
            key = key + size * xp.arange(p.shape[1], dtype=xp.int64, device=compat.device(p))
        return key.reshape(-1)

    def _wide(self, x: Array) -> Array:
        return x.astype(np.float64, copy=False) if is_numpy(x) else x.to(self.dtype)

    def _share_out(self, batch: TensorBatch) -> list[Any]:
        """Add up a batch on a GPU; or in pieces, one for each of the threads that torch has."""
        columns = (batch.targets, batch.x, batch.weight)
        if not batch.x.is_cpu and self.dtype == torch.float64:
            return [self._piece(batch.dtype, *columns)]
        host = [None if x is None else to_numpy(x) for x in columns]
        rows, width = len(batch.targets), batch.x.shape[1] if batch.has_classes else 1
        step = min(max(-(-rows // torch.get_num_threads()), FEW // width), max(MANY // width, 1))

        def piece(start: int) -> list[Any] | None:
            some = slice(start, start + step)
            return self._piece(batch.dtype, *(None if x is None else x[some] for x in host))

        starts = range(0, rows, step)
        threads = min(torch.get_num_threads(), len(starts))
        if threads == 1:
            return [piece(start) for start in starts]
        return list(kept_threads(threads).map(piece, starts))


def _extremes(weight: Array) -> tuple[Any, Any]:
    """Return the largest weight, and minus the smallest positive one: both grow with more rows."""
    xp = namespace(weight)
    return weight.max(), -xp.where(weight > 0, weight, xp.full_like(weight, math.inf)).min()


def _add_by(key: Array, weight: Array | None, size: int) -> Array:
    """Count keys, or add up weights by key; in a fixed order if torch was asked for that."""
    if is_numpy(key):
        key = torch.from_numpy(key)
        weight = None if weight is None else torch.from_numpy(weight)
    elif weight is not None and torch.are_deterministic_algorithms_enabled():
        sums = torch.zeros(size, dtype=weight.dtype, device=weight.device)
        return sums.index_put_((key.long(),), weight, accumulate=True)
    return torch.bincount(key, weights=weight, minlength=size)


def tally_of_cells(counts: Array, cells: int, *, unit: float | None, whole: bool) -> Tally:
    """Make a tally of the counts of one question, empty cells left out.

    If every case weighs one unit, cases are counted. If not, weights are kept with the sums of
    their squares, and whole ones as whole numbers: that is exact, and says nothing else.
    """
    weight, moment, _ = counts.sum(2)
    used = weight > 0
    weight, moment, events, *squares = (
        x[used] for x in (weight, moment, counts[0, :, 1], counts[2, :, 1], counts[2, :, 0])
    )
    cell = torch.arange(cells + 2, dtype=moment.dtype, device=moment.device)[used]
    nothing = torch.zeros_like(moment)
    least = torch.nextafter(nothing, nothing + 1)
    lower, upper = (cell - 1) / cells, torch.nextafter(cell / cells, nothing)
    # Rounding must not carry a mean out of its cell.
    mean = torch.minimum(torch.maximum(moment / weight, torch.maximum(lower, least)), upper)
    mean = torch.where(cell == 0, nothing, torch.where(cell > cells, nothing + 1, mean))
    if unit is not None:
        cases = [(x / unit).round().long() for x in (weight, events)]
        return tally_of_sums([mean, *cases], cells, unit)
    if whole:
        weight, events = weight.long(), events.long()
    return tally_of_sums([mean, weight, events, *squares], cells)


# Kinds of devices that have no double precision.
SINGLE = ("mps",)


def precision_on(device: Any) -> Any:
    """Return double precision, or single precision for a device that has no other."""
    return torch.float32 if device.type in SINGLE else torch.float64


MOST_CELLS = 1 << 24


class TallyMetric(Metric):  # type: ignore[misc]
    """The mean loss of all batches, and the counts of one event.

    Parameters
    ----------
    rule : Rule
        What forecasts are priced by; jumps and penalties are welcome.
    from_logits : bool
        Whether forecasts are logits: log-odds of one event, or numbers before the softmax, of
        classes. If not, they are probabilities. Nothing is guessed.
    cells : int
        How many equally wide cells forecasts of one event are counted in, a power of two. Forecasts
        of exactly 0 and of exactly 1 have cells of their own.
    **kwargs
        As in ``torchmetrics.Metric``.

    Notes
    -----
    States are sums
    and extremes of a fixed size, in double precision: batches, merged metrics and processes add up,
    in any order, to what all rows at once give. The mean loss comes from every single loss and not
    from the cells, and is priced in double precision, logits without a saturated sigmoid.

    Shapes and targets are those of `RuleLoss`, in the order of torch: forecasts, targets, weights.
    Rows of weight 0 do not count, whatever they hold. Weights are sampling weights, whole or not,
    and rows without any weigh 1. If all weigh the same, the tally is that of so many cases; if not,
    it keeps the sums of squared weights.

    Examples
    --------
    >>> import torch
    >>> from properly.integrations.torch import TallyMetric
    >>> from properly.rules import Brier
    >>> metric = TallyMetric(Brier())
    >>> metric.update(torch.tensor([0.25, 0.5]), torch.tensor([0, 1]))
    >>> metric.update(torch.tensor([0.75]), torch.tensor([1]))
    >>> metric.compute()
    tensor(0.1250, dtype=torch.float64)
    >>> metric.tally()
    Tally(3 cases at 3 distinct forecasts, grouped into 1024 cells, event rate 0.6667)
    """

    is_differentiable: ClassVar[bool] = False
    higher_is_better: ClassVar[bool] = False
    full_state_update: ClassVar[bool] = False
    classes: int | None = None

    def __init__(
        self, rule: Rule | str, *, from_logits: bool = False, cells: int = 1024, **kwargs: Any
    ) -> None:
        super().__init__(**kwargs)
        self.rule = require_rule(rule)
        self.from_logits = check_flag(from_logits, "from_logits")
        self.cells = _check_cells(cells)
        # Named after the rule: torchmetrics takes metrics with the same states for the same metric.
        self._sums = "sums_of_" + re.sub(r"\W+", "_", repr(rule)).strip("_")
        self._kind: str | None = None
        self._before = 0
        self.counts: Array
        self.extremes: Array
        place = {"device": self.device, "dtype": precision_on(self.device)}
        self.add_state(self._sums, torch.zeros(3, **place), "sum")
        if self.questions:
            shape = 3, self.questions, self.cells + 2, 2
            self.add_state("counts", torch.zeros(shape, **place), "sum")
            self.add_state("extremes", torch.full((2,), -math.inf, **place), "max")

    @property
    def questions(self) -> int:
        """How many yes-or-no questions are counted: one of an event, none of classes."""
        return int(isinstance(self.rule, BinaryRule))

    @property
    def number(self) -> int:
        """How many batches there were before the one that is being added."""
        return int(self._before + self._update_count - 1)

    def __repr__(self) -> str:
        name, classes = type(self).__name__, f", classes={self.classes}" if self.classes else ""
        return f"{name}({self.rule!r}, from_logits={self.from_logits}, cells={self.cells}{classes})"

    def update(self, preds: Array, target: Array, sample_weight: Array | None = None) -> None:
        """Add a batch.

        Parameters
        ----------
        preds : Tensor
            Probabilities, or logits with ``from_logits=True``.
        target : Tensor
            What happened: truth values, or 0 and 1; of classes, their numbers.
        sample_weight : Tensor, optional
            Sampling weights, of the shape of the target.
        """
        reader = Reader(self.rule, self.from_logits)
        given = preds.detach() if isinstance(preds, torch.Tensor) else preds
        # The values are looked at in pieces, by the threads that add them up.
        batch = reader.read(given, target, sample_weight, self.number, look=False)
        losses.require_device(batch.x.device, self.device)
        total = getattr(self, self._sums)
        counting = Counting(reader, self._view(batch), self.cells, total.dtype)
        sums, extremes, counts = counting.of(batch)
        # Not in place: a state that was made in inference mode could not be changed outside of it.
        setattr(self, self._sums, total + total.new_tensor(sums))
        if counts is not None:
            self.counts = self.counts + counts
            self.extremes = torch.maximum(self.extremes, total.new_tensor(extremes))

    def compute(self) -> Any:
        """Return the mean loss of all batches, over all processes; a tensor without dimensions."""
        return self._mean()

    def tally(self) -> Tally:
        """Return what happened at each forecast of one event, over all processes.

        Returns
        -------
        Tally
            Grouped into the cells of the metric, each with its mean forecast; for
            `properly.decompose`, `properly.reliability` and whatever else takes one.
        """
        gather = getattr(self, "dist_sync_fn", None)
        with self.sync_context(dist_sync_fn=gather, should_sync=self.sync_on_compute):
            self._mean()
            if self.classes is not None or not self.questions or not bool(self.counts.any()):
                message = f"a tally is that of one event; {self!r} was given classes"
                hint = "DecompositionMetric(rule, classes=K) splits a score of classes."
                raise DataError(message, hint=hint)
            return self._tallies()[0]

    def _mean(self) -> Array:
        loss, weight, _ = getattr(self, self._sums)
        if not bool(weight > 0):
            message = "a score needs at least one case; there was none since the last reset"
            raise DataError(message, hint="call update(preds, target) first.")
        return loss / weight

    def _tallies(self) -> list[Tally]:
        """Return the tally of each question."""
        _, weight, fractions = getattr(self, self._sums)
        whole = bool(fractions == 0) and bool(weight < EXACT)
        largest, smallest = self.extremes.tolist()
        unit = largest if largest == -smallest else None
        return [
            tally_of_cells(x, self.cells, unit=unit, whole=whole) for x in self.counts.unbind(1)
        ]

    def _view(self, batch: TensorBatch) -> str | None:
        """Say which questions are counted; a metric is either of one event or of classes."""
        kind = "classes" if batch.has_classes else "one event"
        if self._kind not in (None, kind):
            message = f"a metric is of one event or of classes; got {kind} after {self._kind}"
            raise DataError(message, hint="make one metric for each.")
        self._kind = kind
        return None if batch.has_classes else "event"

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """Add a batch, and return what the metric is for this batch alone.

        If the batch is refused, what was added before is still there.
        """
        before, count = self.metric_state, self._update_count
        self.reset()
        self._before = count
        self._to_sync = getattr(self, "dist_sync_on_step", False)
        try:
            self.update(*args, **kwargs)
            self._forward_cache = self.compute()
        finally:
            self._before = 0
            self._to_sync = self.sync_on_compute
            self._add(before, count)
        return self._forward_cache

    def merge_state(self, incoming_state: TallyMetric | Mapping[str, Array]) -> None:
        """Add the sums of another metric of the same kind, such as one of other batches.

        Parameters
        ----------
        incoming_state : metric or dict of tensors
            A metric with the same rule and the same arguments, or its ``metric_state``.
        """
        if isinstance(incoming_state, TallyMetric):
            if repr(incoming_state) != repr(self):
                message = f"metrics are merged if they are alike; got {self} and {incoming_state}"
                raise DataError(message)
            self._add(incoming_state.metric_state, incoming_state.update_count)
            return
        missing = [name for name in self._defaults if name not in incoming_state]
        if missing:
            all_of = "a state to be merged must have all sums and extremes of the metric"
            message = f"{all_of}; it lacks {missing!r}"
            raise DataError(message, hint="metric.metric_state has them.")
        self._add(incoming_state, 1)

    def _add(self, states: Mapping[str, Array], count: int) -> None:
        for name in self._defaults:
            own = getattr(self, name)
            other = states[name].to(own)
            joined = torch.maximum(own, other) if name == "extremes" else own + other
            setattr(self, name, joined)
        self._update_count += count
        self._computed = None

    def _load_from_state_dict(self, state_dict: dict[str, Any], prefix: str, *args: Any) -> None:
        # What was added up before it was saved counts as one batch.
        loaded = any(prefix + name in state_dict for name in self._defaults)
        super()._load_from_state_dict(state_dict, prefix, *args)
        self._update_count += loaded
        self._computed = None

    def _apply(self, fn: Callable[[Array], Array], *args: Any, **kwargs: Any) -> Any:
        """Move the states to where the module goes; they are never rounded to its type."""
        super()._apply(fn, *args, **{**kwargs, "exclude_state": tuple(self._defaults)})
        place = {"device": self.device, "dtype": precision_on(self.device)}
        for name, default in self._defaults.items():
            self._defaults[name] = default.to(**place)
            setattr(self, name, getattr(self, name).to(**place))
        # Nor is what was computed from them, which torchmetrics keeps and converts.
        self._computed = None
        return self


class DecompositionMetric(TallyMetric):
    r"""The mean loss of all batches, and what it is made of.

    ``score = miscalibration - discrimination + uncertainty``

    Parameters
    ----------
    rule : Rule
        A proper rule for one event; or, with `classes`, one that adds up scores of yes-or-no
        questions: `RPS`, `RankedLog`, `Ranked` or `Brier`.
    from_logits : bool
        Whether forecasts are logits, as in `TallyMetric`.
    cells : int
        How many equally wide cells forecasts are counted in, a power of two.
    classes : int, optional
        How many classes there are. Left out for one event.
    **kwargs
        As in `TallyMetric`.

    Notes
    -----
    The parts are those of `properly.decompose`,
    with forecasts grouped into cells before they are recalibrated. The score and the uncertainty
    are exact. Up to rounding, miscalibration and discrimination are at most those of ungrouped
    forecasts, and both lack the same: what telling forecasts inside a cell apart would have saved.

    Examples
    --------
    >>> import torch
    >>> from properly.integrations.torch import DecompositionMetric
    >>> from properly.rules import Brier
    >>> metric = DecompositionMetric(Brier())
    >>> parts = metric(torch.tensor([0.25, 0.5]), torch.tensor([0, 1]))
    >>> {name: part.item() for name, part in parts.items()}
    {'score': 0.15625, 'miscalibration': 0.15625, 'discrimination': 0.25, 'uncertainty': 0.25}
    """

    def __init__(
        self,
        rule: Rule | str,
        *,
        from_logits: bool = False,
        cells: int = 1024,
        classes: int | None = None,
        **kwargs: Any,
    ) -> None:
        # First of all: they say how many counts there are to be.
        self.classes, self._plan = classes, _plan(require_rule(rule), classes)
        super().__init__(rule, from_logits=from_logits, cells=cells, **kwargs)

    @property
    def questions(self) -> int:
        """How many yes-or-no questions the score adds up."""
        return len(self._plan.rules)

    def compute(self) -> dict[str, Array]:
        """Return the score and its parts, over all processes; tensors without dimensions."""
        score = float(self._mean())
        parts = [
            decompose_by(tally, [rule])[0]
            for tally, rule in zip(self._tallies(), self._plan.rules, strict=True)
        ]
        weights = self._plan.weights
        uncertainty, discrimination = (
            math.fsum(w * getattr(x, name) for w, x in zip(weights, parts, strict=True) if w > 0)
            for name in ("uncertainty", "discrimination")
        )
        # Recalibrated, forecasts score no worse than recalibrated cells, nor than themselves.
        calibrated = min(uncertainty - discrimination, score)
        result = {
            "score": score,
            "miscalibration": score - calibrated,
            "discrimination": max(uncertainty - calibrated, 0.0),
            "uncertainty": uncertainty,
        }
        like = getattr(self, self._sums)
        return {name: like.new_tensor(value) for name, value in result.items()}

    def _view(self, batch: TensorBatch) -> str:
        columns = batch.x.shape[1] if batch.has_classes else None
        if columns != self.classes:
            given = "one event" if columns is None else f"{columns} classes"
            expected = "one event" if self.classes is None else f"{self.classes} classes"
            message = f"this metric was made for {expected}; batch {batch.number} has {given}"
            raise DataError(message, hint="classes= says how many there are; None is one event.")
        return str(self._plan.view)


def _plan(rule: Rule, classes: int | None) -> Plan:
    """Find the questions whose scores add up to that of the rule, or refuse it."""
    if not rule.is_proper:
        message = (
            f"only a proper rule can be decomposed; {rule!r} is improper, so the parts would have "
            "no meaning"
        )
        raise ImproperRuleError(message, hint="TallyMetric(rule) follows its mean.")
    if classes is None:
        if isinstance(rule, BinaryRule):
            return Plan("event", [rule], [1.0], "")  # type: ignore[arg-type]
        message = f"{rule!r} prices classes, whose number must be known; got classes=None"
        raise DataError(message, hint=f"write DecompositionMetric({rule!r}, classes=K).")
    check_count(classes)
    if not isinstance(rule, ClassRule):
        message = f"{rule!r} prices one event, which has no classes; got classes={classes}"
        raise DataError(message, hint="Ranked(rule) prices ordered classes.")
    if not isinstance(rule, CutRule | Brier):
        message = (
            f"a score of classes can be decomposed if it adds up scores of yes-or-no questions; "
            f"{rule!r} is no such sum"
        )
        raise DataError(message, hint="RPS(), RankedLog(), Ranked(rule) and Brier() are.")
    return plan_for(rule, "auto", classes)


def _check_cells(cells: object) -> int:
    if isinstance(cells, int) and 1 <= cells <= MOST_CELLS and cells & (cells - 1) == 0:
        return cells
    message = f"cells must be a power of two, {MOST_CELLS} at most; got {cells!r}"
    raise DataError(message, hint="then no forecast is rounded into another cell.")
