"""A rule as a metric of Keras, and a callback that scores validation data after each epoch."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterable, Sequence
from typing import Any

import array_api_compat as compat
import keras
import numpy as np
from keras import ops

from properly._boundary._arrays import as_array
from properly._boundary._libraries import infinities, namespace
from properly._boundary._options import check_flag
from properly.errors import ArgumentTypeError, DataError, ProperlyError
from properly.integrations._named_rules import named_rules, one_name, require_rule
from properly.integrations.keras._sums import (
    BatchSums,
    KerasRows,
    as_keras_rows,
    checked_sums,
    is_concrete,
    is_symbolic,
    mask_of,
    on_host,
    require_backend,
    traced_sums,
    uncompiled,
    widest_float,
)
from properly.rules import Rule, parse_rule
from properly.typing import Array, ArrayLike


class ValidationScores(keras.callbacks.Callback):  # type: ignore[misc]
    """Score validation data after each epoch, for later callbacks to see.

    Parameters
    ----------
    validation_data : (x, y) or (x, y, sample_weight)
        Arrays, as ``fit`` takes them: what the model predicts from, what happened, and optionally
        sampling weights.
    rules : Rule or iterable of Rule
        Rules of `properly.rules`. All are losses: lower is better.
    from_logits : bool
        Whether the model returns logits, before the sigmoid or the softmax. Never guessed.
    prefix : str
        What goes before each name in the logs.
    names : str or sequence of str, optional
        Names in place of the rules' own, which may have brackets and commas that the file names of
        ``ModelCheckpoint`` cannot show.
    batch_size : int, optional
        How many rows are predicted at once; as ``predict`` chooses if left out.

    Notes
    -----
    It must stand before ``EarlyStopping`` and ``ModelCheckpoint`` in the list of callbacks: Keras
    calls them in order, and those that come earlier do not see what it writes. Keras does not know
    in which direction these scores improve; pass ``mode="min"``.

    All of the data are predicted, checked as everywhere in the library, and scored in double
    precision, on every backend. That costs one more pass over the data than `RuleMetric`, which
    sees the batches that Keras evaluates anyway. ``predict`` returns all steps, masked or not: if
    layers mask some, weights must say which steps count.

    Examples
    --------
    >>> import keras, numpy as np
    >>> from properly.integrations.keras import ValidationScores
    >>> from properly.rules import Bounded, Brier
    >>> x, y = np.array([[0.0], [1.0], [2.0]]), np.array([0, 0, 1])
    >>> model = keras.Sequential([keras.Input((1,)), keras.layers.Dense(1, "sigmoid")])
    >>> model.compile("adam", "binary_crossentropy")
    >>> callback = ValidationScores((x, y), [Brier(), Bounded(Brier(), (0.05, 0.2))])
    >>> history = model.fit(x, y, epochs=2, callbacks=[callback], verbose=0).history
    >>> [name for name in history if name.startswith("val_")]
    ['val_brier', 'val_bounded_brier[0.05,0.2]']
    >>> callback.scores()["val_brier"] == history["val_brier"][1]
    True
    """

    def __init__(
        self,
        validation_data: Any,
        rules: Rule | Iterable[Rule],
        *,
        from_logits: bool = False,
        prefix: str = "val_",
        names: str | Sequence[str] | None = None,
        batch_size: int | None = None,
    ) -> None:
        super().__init__()
        self.x, self.y, self.sample_weight = _unpacked(validation_data)
        self.rules = named_rules(rules, names, prefix)
        self.from_logits = check_flag(from_logits, "from_logits")
        self.batch_size = batch_size

    def on_epoch_end(self, epoch: int, logs: dict[str, Any] | None = None) -> None:  # noqa: ARG002
        """Write the scores into the logs of this epoch."""
        if logs is not None:
            logs.update(self.scores())

    def scores(self) -> dict[str, float]:
        """Return the scores of the model as it is, by the names they are logged under."""
        with warnings.catch_warnings():
            # Keras copies tensors in a way that numpy will refuse one day: no one's concern here.
            warnings.filterwarnings("ignore", "__array__ implementation", DeprecationWarning)
            p = self.model.predict(self.x, batch_size=self.batch_size, verbose=0)
        if not isinstance(p, np.ndarray):
            message = f"a model with one output is needed; predict returned {type(p).__name__}"
            raise ArgumentTypeError(message)
        self._require_weights_of_masked()
        return {name: self._score(rule, p) for name, rule in self.rules.items()}

    def _require_weights_of_masked(self) -> None:
        """Refuse masked steps without weights: ``predict`` does not say which they are."""
        outputs = getattr(self.model, "outputs", None)
        if outputs and mask_of(outputs[0]) is not None and self.sample_weight is None:
            message = "steps that a model masks need a weight of 0; got validation_data without any"
            raise DataError(message, hint="pass (x, y, sample_weight); RuleMetric sees masks.")

    def _score(self, rule: Rule, p: Any) -> float:
        y, weight = as_array(self.y, "outcomes"), self.sample_weight
        weight = None if weight is None else as_array(weight, "weights")
        rows = on_host(as_keras_rows(rule, y, p, weight))
        sums = checked_sums(rule, rows, from_logits=self.from_logits)
        if sums.weight == 0:
            message = f"at least one weight must be positive; all {rows.p.shape[0]} are 0"
            raise DataError(message)
        return float(sums.loss / sums.weight)


def _unpacked(data: Any) -> tuple[Any, Any, Any]:
    """Take a pair, or a triple with weights."""
    if isinstance(data, tuple | list) and len(data) in (2, 3):
        x, y, *rest = data
        return x, y, rest[0] if rest else None
    result = f"{len(data)} things" if isinstance(data, tuple | list) else type(data).__name__
    message = f"validation_data must be (x, y) or (x, y, sample_weight); got {result}"
    raise ArgumentTypeError(message, hint="arrays are needed; join the batches of a data set.")


@keras.saving.register_keras_serializable(package="properly")
class RuleMetric(keras.metrics.Metric):  # type: ignore[misc]
    r"""The mean loss of a rule over all rows of an epoch, as a metric of Keras.

    .. math:: \frac{\sum_i w_i\, S(p_i, y_i)}{\sum_i w_i} .

    Parameters
    ----------
    rule : Rule
        A rule of `properly.rules`. All are losses: lower is better.
    from_logits : bool
        Whether the model returns logits, before the sigmoid or the softmax. Never guessed.
    name : str, optional
        The name in the logs of Keras, to which it adds ``val_`` for validation data. The rule's own
        name if left out.

    Notes
    -----
    For one event, forecasts are of shape (n,) or (n, 1), as a model with one unit returns them; for
    classes, of shape (n, K), and outcomes are class numbers or rows with a single 1. Further axes
    before the last, such as steps in time, are cases like all others; those that layers of Keras
    have masked do not count. The order of the classes is that of the columns.

    Sums are kept over all batches and divided at the end, so that batches of different sizes or
    weights do no harm; a mean of means would not be the mean. They are kept in double precision
    where the backend has it, and carry along what rounding loses where it has not. Without any rows
    the result is NaN. Infinity is a possible result.

    Forecasts and outcomes are checked, as everywhere in the library, if they can be looked at: on
    the backends torch and numpy, and on jax with ``run_eagerly=True`` or ``jit_compile=False``. In
    a step that jax compiles no error can be raised. There, a row that would be refused makes the
    result NaN.

    Keras cannot train on metrics. A metric reported with training data is one of a model that
    changes from batch to batch; compare models on validation data.

    Examples
    --------
    >>> from properly.integrations.keras import RuleMetric
    >>> from properly.rules import PBS
    >>> metric = RuleMetric(PBS())
    >>> metric.update_state([1, 1], [[0.25, 0.5, 0.25], [0.5, 0.5, 0.0]])
    >>> metric.update_state([2], [[0.0, 0.5, 0.5]], sample_weight=[2.0])
    >>> float(metric.result()) == PBS()(
    ...     [1, 1, 2], [[0.25, 0.5, 0.25], [0.5, 0.5, 0.0], [0.0, 0.5, 0.5]], [1, 1, 2]
    ... )
    True
    """

    def __init__(self, rule: Rule, *, from_logits: bool = False, name: str | None = None) -> None:
        require_backend()
        self.rule = require_rule(rule)
        self.from_logits = check_flag(from_logits, "from_logits")
        super().__init__(dtype=widest_float(), name=one_name(self.rule, name))
        # Read by Keras' callbacks with mode="auto".
        self._direction = "down"
        self._batches = 0
        # Of losses and of weights.
        self.sums = self.add_variable((2,), "zeros", dtype=self.dtype, name="sums")
        self.rests = None
        if self.dtype != "float64":
            self.rests = self.add_variable((2,), "zeros", dtype=self.dtype, name="rests")

    @uncompiled
    def update_state(
        self, y_true: ArrayLike, y_pred: ArrayLike, sample_weight: ArrayLike | None = None
    ) -> None:
        """Add the rows of a batch.

        Parameters
        ----------
        y_true : array-like of shape (n,), (n, 1) or (n, K)
            What happened: 0 or 1 for an event; class numbers, or rows with a single 1.
        y_pred : array-like of shape (n,), (n, 1) or (n, K)
            Probabilities, or logits if the metric was told so.
        sample_weight : array-like of shape (n,) or (n, 1), optional
            Sampling weights; rows of weight 0 do not count, whatever they hold.
        """
        if is_symbolic():
            return
        y, p = as_array(y_true, "outcomes"), as_array(y_pred, "forecasts")
        weight = None if sample_weight is None else as_array(sample_weight, "weights")
        rows = as_keras_rows(self.rule, y, p, weight, mask_of(y_pred))
        concrete = all(is_concrete(x) for x in rows if x is not None)
        self._add(self._checked(rows) if concrete else self._traced(rows))

    def result(self) -> Array:
        """Return the mean loss so far, as a tensor without dimensions."""
        # Not by Keras' own addition, which rounds to single precision on some backends.
        sums = ops.convert_to_tensor(self.sums)
        sums = sums if self.rests is None else sums + ops.convert_to_tensor(self.rests)
        xp, loss, weight = namespace(sums), sums[0], sums[1]
        seen = weight > 0
        mean = loss / xp.where(seen, weight, xp.ones_like(weight))
        return xp.where(seen, mean, xp.full_like(mean, math.nan))

    def get_config(self) -> dict[str, Any]:
        """Return what makes the metric again, as text and numbers; the rule as it is written."""
        text = repr(self.rule)
        try:
            readable = parse_rule(text) == self.rule
        except ProperlyError:
            readable = False
        if not readable:
            message = f"a metric is saved with a rule that parse_rule reads; {text} is none"
            hint = "rules of your own are not saved; keep the metric out of what is saved."
            raise ArgumentTypeError(message, hint=hint)
        return {"name": self.name, "rule": text, "from_logits": self.from_logits}

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> RuleMetric:
        """Make the metric that was saved."""
        return cls(parse_rule(config["rule"]), **{k: v for k, v in config.items() if k != "rule"})

    def reset_state(self) -> None:
        """Forget all rows."""
        super().reset_state()
        self._batches = 0

    def _checked(self, rows: KerasRows) -> BatchSums:
        # numpy is quicker with small batches, and has the double precision that jax may lack. But
        # it does not have all kinds of half precision, whose rows sum to 1 less exactly.
        torch = compat.is_torch_array(rows.p)
        rows = rows if torch and not (rows.p.is_cpu and rows.p.itemsize > 2) else on_host(rows)
        try:
            sums = checked_sums(self.rule, rows, from_logits=self.from_logits)
        except DataError as error:
            message = f"batch {self._batches}: {error}"
            raise DataError(message) from None
        self._batches += 1
        return sums

    def _traced(self, rows: KerasRows) -> BatchSums:
        return traced_sums(self.rule, rows, from_logits=self.from_logits)

    @infinities()
    def _add(self, record: BatchSums) -> None:
        """Add the sums of a batch, and what is lost by that to the rests (Neumaier)."""
        x = ops.convert_to_tensor(namespace(record.loss).stack(record), dtype=self.dtype)
        before = ops.convert_to_tensor(self.sums)
        after = before + x
        if self.rests is not None:
            xp = namespace(x)
            larger = xp.abs(before) >= xp.abs(x)
            lost = xp.where(larger, (before - after) + x, (x - after) + before)
            # Of an infinite sum nothing is lost, and infinity minus infinity is not a number.
            lost = xp.where(xp.isfinite(after), lost, xp.zeros_like(lost))
            self.rests.assign(ops.convert_to_tensor(self.rests) + lost)
        self.sums.assign(after)
