"""A rule as a metric of Keras, and a callback that scores validation data after each epoch.

Batches become rows, and rows are added up: checked, or else marked by NaN. What the backend of
Keras can do decides whether numbers can be looked at yet.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from importlib import import_module
from typing import Any, Literal, NamedTuple, TypeAlias, TypeVar, cast

import array_api_compat as compat
import keras
import numpy as np
from keras import ops

from properly._boundary._arrays import as_array, check_amounts
from properly._boundary._classes import sum_slack
from properly._boundary._libraries import (
    infinities,
    namespace,
    to_library_of,
    to_numpy,
    without_gradient,
)
from properly._boundary._options import check_flag
from properly.errors import ArgumentTypeError, DataError, ProperlyError
from properly.integrations._named_rules import named_rules, one_name, require_rule
from properly.rules import BinaryRule, ClassRule, Rule, parse_rule
from properly.typing import Array, ArrayLike

Method = TypeVar("Method", bound="Callable[..., Any]")

SUPPORTED = ("torch", "jax", "numpy")


def require_backend() -> None:
    """Refuse a backend whose tensors the rules cannot price."""
    result = keras.backend.backend()
    if result not in SUPPORTED:
        message = f"RuleMetric needs Keras on torch, jax or numpy; its backend is {result!r}"
        hint = "ValidationScores works on every backend; or set KERAS_BACKEND before importing it."
        raise ArgumentTypeError(message, hint=hint)


def widest_float() -> Literal["float64", "float32"]:
    """Return the widest type of number that the backend has."""
    result = keras.backend.backend()
    if result == "jax":
        return "float64" if import_module("jax").config.jax_enable_x64 else "float32"
    if result == "torch":
        # Keras computes on Apple's processor where there is one, and that has no double precision.
        return "float32" if import_module("torch").backends.mps.is_available() else "float64"
    return "float64"


def is_symbolic() -> bool:
    """Tell whether Keras only asks for shapes: it then hands over numbers that mean nothing."""
    with suppress(ImportError):
        scope = import_module("keras.src.backend.common.symbolic_scope")
        return bool(scope.in_symbolic_scope())
    return False


def mask_of(x: object) -> Any:
    """Return which steps of a tensor count, as Keras marks them where layers mask some; or None."""
    with suppress(ImportError):
        return import_module("keras.src.backend.common.masking").get_keras_mask(x)
    return getattr(x, "_keras_mask", None)


def is_concrete(x: Array) -> bool:
    """Tell numbers from placeholders of a step that jax is compiling."""
    return not (compat.is_jax_array(x) and isinstance(x, import_module("jax").core.Tracer))


def uncompiled(method: Method) -> Method:
    """Keep a method out of what torch compiles; it is called as it is, between compiled parts."""
    if keras.backend.backend() != "torch":
        return method
    kept: Method = import_module("torch").compiler.disable(method)
    return kept


class KerasRows(NamedTuple):
    """Outcomes, forecasts, weights or None; one row a case, and classes are columns."""

    y: Array
    p: Array
    weight: Array | None

    @property
    def has_classes(self) -> bool:
        """Whether forecasts have one column a class, and not one number for an event."""
        return len(self.p.shape) == 2


def as_keras_rows(
    rule: Rule, y: Array, p: Array, weight: Array | None, mask: Array | None = None
) -> KerasRows:
    """Bring arrays into rows; the last axis of forecasts is the classes, or has length 1."""
    shape = tuple(p.shape)
    columns = shape[-1] if len(shape) > 1 else 1
    cases = shape[:-1] if len(shape) > 1 else shape
    _require_kind(rule, shape, columns)
    one_hot = columns > 1 and tuple(y.shape) == shape
    if not one_hot:
        _require_shape("y_true", "outcome", tuple(y.shape), cases, shape if columns > 1 else None)
    if weight is not None:
        _require_shape("sample_weight", "weight", tuple(weight.shape), cases)
        weight = weight.reshape(-1)
    if mask is not None:
        _require_shape("the mask of y_pred", "entry", tuple(mask.shape), cases)
        weight = _without_masked(weight, mask.reshape(-1))
    return KerasRows(
        y.reshape(-1, columns) if one_hot else y.reshape(-1),
        p.reshape(-1, columns) if columns > 1 else p.reshape(-1),
        weight,
    )


def _without_masked(weight: Array | None, mask: Array) -> Array:
    """Give the weight 0 to steps that are masked."""
    xp = namespace(mask)
    if weight is None:
        return xp.astype(mask, xp.float32)
    weight = to_library_of(weight, mask)
    return xp.where(xp.astype(mask, xp.bool), weight, xp.zeros_like(weight))


def _require_kind(rule: Rule, shape: tuple[int, ...], columns: int) -> None:
    """Refuse forecasts of an event by a rule for classes, and the other way round."""
    if not shape or (columns > 1 and not isinstance(rule, ClassRule)):
        message = f"{rule!r} prices one event: y_pred must be of shape (n,) or (n, 1); got {shape}"
        raise DataError(message, hint="Ranked(rule) prices ordered classes.")
    if columns == 1 and not isinstance(rule, BinaryRule):
        message = f"{rule!r} prices classes: y_pred must have a column for each; got shape {shape}"
        raise DataError(message, hint="for one event, take a rule such as Brier().")


def _require_shape(
    name: str,
    what: str,
    shape: tuple[int, ...],
    cases: tuple[int, ...],
    one_hot: tuple[int, ...] | None = None,
) -> None:
    """Refuse arrays that do not have one entry a case."""
    if shape not in (cases, (*cases, 1)):
        rows = "" if one_hot is None else f", or {one_hot} with a single 1 in each row"
        message = (
            f"{name} must have one {what} for each forecast, shape {cases} or {(*cases, 1)}{rows}; "
            f"got {shape}"
        )
        raise DataError(message)


# A rule for one event or for classes; which of both methods it has, the shape of the rows decides.
AnyRule: TypeAlias = Any


class BatchSums(NamedTuple):
    """The weighted sum of losses, and the sum of the weights."""

    loss: Array
    weight: Array


def price_rows(rule: AnyRule, rows: KerasRows, *, from_logits: bool) -> Array:
    """Price rows that need no check, one loss each."""
    return (rule.price_logit if from_logits else rule.prices)(rows.y, rows.p)


def checked_sums(rule: AnyRule, rows: KerasRows, *, from_logits: bool) -> BatchSums:
    """Add up the losses of rows whose numbers are known; rows of weight 0 do not count."""
    rows = rows._replace(p=without_gradient(rows.p))
    if rows.weight is not None:
        weight = to_library_of(check_amounts(rows.weight, "weights"), rows.p)
        rows = _without_unused(rows._replace(weight=weight), from_logits=from_logits)
    y, p, _ = rule.checked(rows.y, rows.p, logits=from_logits)
    loss = price_rows(rule, rows._replace(y=y, p=_widened(p)), from_logits=from_logits)
    xp = namespace(loss)
    if rows.weight is None:
        return BatchSums(xp.sum(loss), xp.sum(xp.ones_like(loss)))
    weight = xp.astype(rows.weight, loss.dtype)
    # A rule of one's own may price even a harmless forecast at infinity, and 0 times that is NaN.
    paid = xp.where(weight > 0, loss, xp.zeros_like(loss)) * weight
    return BatchSums(xp.sum(paid), xp.sum(weight))


def _without_unused(rows: KerasRows, *, from_logits: bool) -> KerasRows:
    """Put harmless numbers where the weight is 0, such as at steps that are masked."""
    xp, weight = namespace(rows.p), cast("Array", rows.weight)
    used = weight > 0
    if bool(xp.all(used)):
        return rows
    harmless = 0.0 if from_logits else 1 / rows.p.shape[1] if rows.has_classes else 0.5
    y, p = to_library_of(rows.y, rows.p), rows.p
    kept = used[:, None] if rows.has_classes else used
    p = xp.where(kept, p, xp.full_like(p, harmless))
    if len(y.shape) == 1:
        return rows._replace(y=xp.where(used, y, xp.zeros_like(y)), p=p)
    first = xp.concat([xp.ones_like(y[:, :1]), xp.zeros_like(y[:, 1:])], axis=1)
    return rows._replace(y=xp.where(kept, y, first), p=p)


def traced_sums(rule: AnyRule, rows: KerasRows, *, from_logits: bool) -> BatchSums:
    """Add up the losses of rows that cannot be looked at; what is to be refused makes them NaN."""
    xp = namespace(rows.p)
    good = _good_logits(rows) if from_logits else _good_forecasts(rows)
    y, valid = _numbered(rows)
    # Half precision overflows in sums.
    p = rows.p if rows.p.dtype == xp.float64 else xp.astype(rows.p, xp.float32)
    loss = _traced_losses(rule, rows._replace(y=y, p=p), from_logits=from_logits)
    weight = xp.ones_like(loss) if rows.weight is None else xp.astype(rows.weight, loss.dtype)
    good = ((good & valid) | (weight == 0)) & (weight >= 0) & (weight < float("inf"))
    paid = xp.where(weight > 0, loss, xp.zeros_like(loss)) * weight
    return BatchSums(xp.sum(xp.where(good, paid, xp.full_like(paid, np.nan))), xp.sum(weight))


def _traced_losses(rule: AnyRule, rows: KerasRows, *, from_logits: bool) -> Array:
    if rows.has_classes:
        rule.require_classes(int(rows.p.shape[1]))
    try:
        with warnings.catch_warnings():
            # jax has no wide whole numbers unless asked; classes are few.
            warnings.filterwarnings("ignore", "Explicitly requested dtype", UserWarning)
            return price_rows(rule, rows, from_logits=from_logits)
    except TypeError as error:
        if "Tracer" not in type(error).__name__:
            raise
        message = f"{rule!r} computes with numpy and cannot be part of a compiled step"
        hint = "pass jit_compile=False to compile, or use ValidationScores."
        raise ArgumentTypeError(message, hint=hint) from None


def _widened(p: Array) -> Array:
    """Widen forecasts to double precision, where their device has it."""
    xp, device = namespace(p), getattr(compat.device(p), "type", "")
    return xp.astype(p, xp.float32 if device == "mps" else xp.float64, copy=False)


def on_host(rows: KerasRows) -> KerasRows:
    """Copy rows to numpy."""
    p = to_numpy(rows.p)
    return rows._replace(
        y=to_numpy(rows.y),
        # numpy knows bfloat16 by name only.
        p=p.astype(np.float32) if p.dtype.name == "bfloat16" else p,
        weight=None if rows.weight is None else to_numpy(rows.weight),
    )


def _good_forecasts(rows: KerasRows) -> Array:
    """Tell which rows are probabilities."""
    xp, p = namespace(rows.p), rows.p
    if not rows.has_classes:
        return (p >= 0) & (p <= 1)
    return xp.all(p >= 0, axis=1) & (xp.abs(xp.sum(p, axis=1) - 1) <= sum_slack(p))


def _good_logits(rows: KerasRows) -> Array:
    """Tell which rows are logits."""
    xp, p = namespace(rows.p), rows.p
    if not rows.has_classes:
        return ~xp.isnan(p)
    possible = xp.any(p > -float("inf"), axis=1)
    return possible & xp.all(p < float("inf"), axis=1)


def _numbered(rows: KerasRows) -> tuple[Array, Array]:
    """Return what happened, as booleans or class numbers, and which rows say it."""
    xp, y = namespace(rows.p), rows.y
    if not rows.has_classes:
        return y == 1, (y == 0) | (y == 1)
    if len(y.shape) == 2:
        ones = xp.astype(y == 1, xp.int32)
        valid = xp.all((y == 0) | (y == 1), axis=1) & (xp.sum(ones, axis=1) == 1)
        return xp.argmax(ones, axis=1), valid
    number = xp.astype(y, xp.int32)
    valid = (y >= 0) & (y < rows.p.shape[1]) & (xp.astype(number, y.dtype) == y)
    return xp.where(valid, number, xp.zeros_like(number)), valid


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
        rules: Rule | str | Iterable[Rule | str],
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

    def __init__(
        self, rule: Rule | str, *, from_logits: bool = False, name: str | None = None
    ) -> None:
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
        if concrete:
            self._add(self._checked(rows))
        else:
            self._add(traced_sums(self.rule, rows, from_logits=self.from_logits))

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
