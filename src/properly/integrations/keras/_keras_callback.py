"""Scores of validation data after each epoch of Keras."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import keras
import numpy as np

from properly._boundary._arrays import as_array
from properly._boundary._options import check_flag
from properly.errors import ArgumentTypeError, DataError
from properly.integrations._named_rules import named_rules
from properly.integrations.keras._keras_backend import mask_of
from properly.integrations.keras._keras_rows import as_keras_rows
from properly.integrations.keras._keras_sums import checked_sums, on_host

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from properly.rules import Rule


class ScoreCallback(keras.callbacks.Callback):  # type: ignore[misc]
    """Score validation data after each epoch, for later callbacks to see.

    Parameters
    ----------
    validation_data : (x, y) or (x, y, sample_weight)
        Arrays, as ``fit`` takes them: what the model predicts from, what happened, and optionally
        case weights.
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
    >>> from properly.integrations.keras import ScoreCallback
    >>> from properly.rules import Bounded, Brier
    >>> x, y = np.array([[0.0], [1.0], [2.0]]), np.array([0, 0, 1])
    >>> model = keras.Sequential([keras.Input((1,)), keras.layers.Dense(1, "sigmoid")])
    >>> model.compile("adam", "binary_crossentropy")
    >>> callback = ScoreCallback((x, y), [Brier(), Bounded(Brier(), (0.05, 0.2))])
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
    found = f"{len(data)} things" if isinstance(data, tuple | list) else type(data).__name__
    message = f"validation_data must be (x, y) or (x, y, sample_weight); got {found}"
    raise ArgumentTypeError(message, hint="arrays are needed; join the batches of a data set.")
