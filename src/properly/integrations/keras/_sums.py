"""Batches of Keras as rows, and the sums of their losses: checked, or else marked by NaN.

What the backend of Keras can do decides whether numbers can be looked at yet.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from contextlib import suppress
from importlib import import_module
from typing import Any, Literal, NamedTuple, TypeAlias, TypeVar, cast

import array_api_compat as compat
import keras
import numpy as np

from properly._boundary._arrays import check_amounts, check_logits, check_rows
from properly._boundary._classes import check_class_logits, check_class_rows, sum_slack
from properly._boundary._libraries import (
    is_numpy,
    namespace,
    to_library_of,
    to_numpy,
    without_gradient,
)
from properly.errors import ArgumentTypeError, DataError
from properly.rules import BinaryRule, ClassRule, Rule
from properly.typing import Array

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
    weight = to_library_of(weight, mask) if is_numpy(weight) else weight
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
    if from_logits:
        return rule.price_logit(rows.y, rows.p)
    return rule.price(rows.y, rows.p) if rows.has_classes else rule.price_event(rows.y, rows.p)


def checked_sums(rule: AnyRule, rows: KerasRows, *, from_logits: bool) -> BatchSums:
    """Add up the losses of rows whose numbers are known; rows of weight 0 do not count."""
    rows = rows._replace(p=without_gradient(rows.p))
    if rows.weight is not None:
        weight = to_library_of(check_amounts(rows.weight, "weights"), rows.p)
        rows = _without_unused(rows._replace(weight=weight), from_logits=from_logits)
    loss = _checked_losses(rule, rows, from_logits=from_logits)
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


def _checked_losses(rule: AnyRule, rows: KerasRows, *, from_logits: bool) -> Array:
    """Check rows as every function of the library does, and price them in double precision."""
    y, p = rows.y, rows.p
    if rows.has_classes and from_logits:
        y, p, _ = check_class_logits(y, p, ordered=rule.needs_order)
    elif rows.has_classes:
        y, p, _ = check_class_rows(y, p, ordered=rule.needs_order)
    elif from_logits:
        y, p, _ = check_logits(y, p)
    else:
        y, p, _ = check_rows(y, p)
    if rows.has_classes:
        rule.require_classes(int(p.shape[1]))
    return price_rows(rule, rows._replace(y=y, p=_widened(p)), from_logits=from_logits)


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
    if is_numpy(p):
        return p.astype(np.float64, copy=False)
    xp = namespace(p)
    return xp.astype(p, xp.float32 if p.device.type == "mps" else xp.float64, copy=False)


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
