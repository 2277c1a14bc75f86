"""Scores that are added up batch by batch, with the counts that their parts follow from."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, Any, NamedTuple

import torch

from properly._boundary._labels import check_count
from properly._boundary._options import check_flag
from properly.calibration._decomposition import decompose_by
from properly.counts._pooling import EXACT
from properly.counts._reductions import plan_for
from properly.errors import DataError, ImproperRuleError
from properly.integrations._named_rules import require_rule
from properly.integrations.torch._checks import Reader, require_device
from properly.integrations.torch._state import Counting, RunningSums, tally_of_cells
from properly.rules import BinaryRule, Brier, ClassRule
from properly.rules._ranked_probability import CutRule

if TYPE_CHECKING:
    from collections.abc import Sequence

    from properly.counts._tally import Tally
    from properly.integrations.torch._checks import TensorBatch
    from properly.rules import Rule
    from properly.typing import Array

MOST_CELLS = 1 << 24


class TallyMetric(RunningSums):
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

    classes: int | None = None

    def __init__(
        self, rule: Rule, *, from_logits: bool = False, cells: int = 1024, **kwargs: Any
    ) -> None:
        super().__init__(**kwargs)
        self.rule = require_rule(rule)
        self.from_logits = check_flag(from_logits, "from_logits")
        self.cells = _check_cells(cells)
        # Named after the rule: torchmetrics takes metrics with the same states for the same metric.
        self._sums = "sums_of_" + re.sub(r"\W+", "_", repr(rule)).strip("_")
        self._kind: str | None = None
        self.counts: Array
        self.extremes: Array
        self.add_sums(self._sums, 3)
        if self.questions:
            self.add_sums("counts", 3, self.questions, self.cells + 2, 2)
            self.add_maxima("extremes", 2)

    @property
    def questions(self) -> int:
        """How many yes-or-no questions are counted: one of an event, none of classes."""
        return int(isinstance(self.rule, BinaryRule))

    @property
    def identity(self) -> str:
        """Write the call that makes the metric."""
        return (
            f"{type(self).__name__}({self.rule!r}, from_logits={self.from_logits}, "
            f"cells={self.cells})"
        )

    def __repr__(self) -> str:
        return self.identity

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
        require_device(batch.x.device, self.device)
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
        rule: Rule,
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

    @property
    def identity(self) -> str:
        """Write the call that makes the metric."""
        classes = "" if self.classes is None else f", classes={self.classes}"
        return f"{super().identity[:-1]}{classes})"

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


class QuestionParts(NamedTuple):
    """The questions that a score adds up: which, judged by what rules, and with what weights."""

    view: str
    rules: Sequence[BinaryRule]
    weights: Sequence[float]


def _plan(rule: Rule, classes: int | None) -> QuestionParts:
    """Find the questions whose scores add up to that of the rule, or refuse it."""
    if not rule.is_proper:
        message = (
            f"only a proper rule can be decomposed; {rule!r} is improper, so the parts would have "
            "no meaning"
        )
        raise ImproperRuleError(message, hint="TallyMetric(rule) follows its mean.")
    if classes is None:
        if isinstance(rule, BinaryRule):
            return QuestionParts("event", [rule], [1.0])
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
    plan = plan_for(rule, "auto", classes)
    return QuestionParts(plan.view, plan.rules, plan.weights)


def _check_cells(cells: object) -> int:
    if isinstance(cells, int) and 1 <= cells <= MOST_CELLS and cells & (cells - 1) == 0:
        return cells
    message = f"cells must be a power of two, {MOST_CELLS} at most; got {cells!r}"
    raise DataError(message, hint="then no forecast is rounded into another cell.")
