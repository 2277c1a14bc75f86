"""The customs house: what a user hands in becomes checked arrays, once.

Arrays of a library that follows the array API standard stay in that library and on their
device; everything else (lists, Series, columns) becomes numpy. Nothing is clipped, filled
or otherwise repaired.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

import array_api_compat as compat
import numpy as np

from properly.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from properly.typing import Array, ArrayLike

DROP = "drop those rows first."


class Rows(NamedTuple):
    """Outcomes as booleans, forecasts as floats, weights or None: equally long, one library."""

    y: Array
    p: Array
    weight: Array | None


def namespace(*arrays: Array) -> Any:
    """Return the array library that the arrays share, numpy if there are only plain numbers."""
    found = [x for x in arrays if not isinstance(x, bool | int | float)]
    return compat.array_namespace(*found) if found else compat.array_namespace(np.empty(0))


def is_numpy(x: Array) -> bool:
    """Tell whether an array is numpy's own."""
    return isinstance(x, np.ndarray)


def to_numpy(x: Array) -> np.ndarray[Any, Any]:
    """Copy an array of any library to the host, or pass a numpy array through."""
    if isinstance(x, np.ndarray):
        return x
    if compat.is_torch_array(x):
        x = x.detach()
        if x.is_floating_point() and x.itemsize < 4:
            x = x.float()  # exact; numpy has no bfloat16
    return np.asarray(compat.to_device(x, "cpu"))


def to_library_of(x: Array, like: Array) -> Array:
    """Move an array to the library and device of another one."""
    if is_numpy(like):
        return to_numpy(x)
    xp = namespace(like)
    if is_numpy(x) or namespace(x) is not xp:
        return xp.asarray(to_numpy(x).copy(), device=compat.device(like))
    return compat.to_device(x, compat.device(like))


def check_rows(
    y: ArrayLike, p: ArrayLike, weight: ArrayLike | None = None, *, pos_label: object = None
) -> Rows:
    """Check outcomes, forecasts and weights, and bring them together in the forecasts' library."""
    p = check_forecasts(p)
    y = to_library_of(check_outcomes(y, pos_label=pos_label), p)
    _check_length(y, p, "outcomes")
    if weight is not None:
        weight = to_library_of(check_weights(weight), p)
        _check_length(weight, p, "weights")
    return Rows(y, p, weight)


def check_forecasts(p: ArrayLike) -> Array:
    """Check forecasts: one dimension, at least one, floats in [0, 1]."""
    p = _as_column(p, "forecasts", "for class probabilities, pass one column at a time.")
    xp = namespace(p)
    p = _as_floats(p, "forecasts")
    if xp.isdtype(p.dtype, ("bool", "integral")):
        p = xp.astype(p, xp.float64)
    lowest, highest = xp.min(p), xp.max(p)
    # Written so that NaN, which compares as false, is refused too.
    if not (lowest >= 0 and highest <= 1):
        _refuse(
            p, ~((p >= 0) & (p <= 1)), "forecasts must be probabilities in [0, 1]", _scale_hint(p)
        )
    # -0.0 would sort apart from 0.0 and turn the sign of an infinite slope.
    return p + 0.0 if lowest == 0 else p


def check_logits(y: ArrayLike, logit: ArrayLike) -> tuple[Array, Array]:
    """Check outcomes and log-odds: equally long, real numbers; infinite ones are certainties."""
    logit = _as_floats(_as_column(logit, "logits", "one logit per outcome."), "logits")
    xp = namespace(logit)
    if not xp.isdtype(logit.dtype, "real floating"):
        logit = xp.astype(logit, xp.float64)
    if xp.any(xp.isnan(logit)):
        _refuse(logit, xp.isnan(logit), "logits must not be missing", DROP)
    y = to_library_of(check_outcomes(y), logit)
    _check_length(y, logit, "outcomes", "logits")
    return y, logit


def check_outcomes(y: ArrayLike, *, pos_label: object = None) -> Array:
    """Check outcomes: one dimension, at least one, two labels at most; True where the event was."""
    y = _as_column(y, "outcomes", "one outcome per forecast is needed.")
    xp = namespace(y)
    if is_numpy(y) and y.dtype.kind not in "biuf":
        return _outcomes_from_labels(y, pos_label)
    if xp.isdtype(y.dtype, "real floating") and xp.any(xp.isnan(y)):
        _refuse(y, xp.isnan(y), "outcomes must not be missing", DROP)
    if pos_label is not None or not _is_zero_one(y, xp):
        return _outcomes_from_labels(y, pos_label)
    return y if xp.isdtype(y.dtype, "bool") else y != 0


def check_weights(weight: ArrayLike) -> Array:
    """Check weights: one dimension, finite, none negative, not all zero."""
    weight = _as_floats(_as_column(weight, "weights", "one weight per forecast."), "weights")
    xp = namespace(weight)
    if xp.isdtype(weight.dtype, "bool"):
        weight = xp.astype(weight, xp.int64)
    lowest, highest = xp.min(weight), xp.max(weight)
    if not (lowest >= 0 and highest < float("inf")):
        good = (weight >= 0) & (weight < float("inf"))
        _refuse(weight, ~good, "weights must be finite and not negative")
    if highest == 0:
        message = f"at least one weight must be positive; all {weight.shape[0]} are 0"
        raise DataError(message)
    return weight


def check_column(x: ArrayLike, name: str, length: int) -> Array:
    """Check a column of ids or labels: one dimension, the given length, nothing missing."""
    x = _as_column(x, name, f"one entry per forecast is needed in {name}.")
    if x.shape[0] != length:
        message = f"{name} and forecasts must be equally long; got {x.shape[0]} and {length}"
        raise DataError(message)
    missing = _missing(to_numpy(x))
    if missing.any():
        _refuse(x, missing, f"{name} must not be missing", DROP)
    return x


def _as_column(x: ArrayLike, name: str, hint: str) -> Array:
    """Make one non-empty, one-dimensional array of whatever was handed in."""
    if isinstance(x, np.ma.MaskedArray):
        if np.ma.is_masked(x):
            _refuse(x, np.ma.getmaskarray(x), f"{name} must not be missing", DROP)
        x = np.asarray(x)
    if not compat.is_array_api_obj(x):
        x = _as_numpy(x, name)
    if x.ndim != 1:
        message = f"{name} must be one-dimensional; got an array of shape {tuple(x.shape)}"
        raise DataError(message, hint=hint)
    if x.shape[0] == 0:
        message = f"{name} must not be empty; got 0 rows"
        raise DataError(message)
    return x


def _as_numpy(x: Any, name: str) -> np.ndarray[Any, Any]:
    try:
        return np.asarray(x)
    except (TypeError, ValueError) as error:
        message = f"{name} must be a list, an array or a column; got {type(x).__name__}"
        raise DataError(message, hint=f"numpy said: {error}") from None


def _as_floats(x: Array, name: str) -> Array:
    """Turn numbers of any other kind into float64; refuse text, missing values, complex numbers."""
    if not is_numpy(x):
        return x
    if x.dtype.kind in "OSU":
        return _floats_from_objects(x, name)
    if x.dtype.kind not in "biuf":
        message = f"{name} must be numbers; got an array of {x.dtype}"
        raise DataError(message)
    if x.dtype == np.float16:
        return x.astype(np.float32)  # exact, and all that follows is faster
    if x.dtype.kind == "f" and x.dtype.itemsize > 8:
        return x.astype(np.float64)
    return x if x.dtype.isnative else x.astype(x.dtype.newbyteorder("="))


def _floats_from_objects(x: np.ndarray[Any, Any], name: str) -> np.ndarray[Any, Any]:
    missing = _missing(x)
    if missing.any():
        _refuse(x, missing, f"{name} must not be missing", DROP)
    text = np.array([isinstance(item, str | bytes) for item in x])
    if text.any():
        _refuse(x, text, f"{name} must be numbers", "convert text to numbers first.")
    try:
        return x.astype(np.float64)
    except (TypeError, ValueError):
        message = f"{name} must be numbers; got {type(x[0]).__name__} objects"
        raise DataError(message) from None


def _missing(x: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Flag None, NaN, NaT and the missing values of frame libraries."""
    if x.dtype.kind in "fcmM":
        return np.asarray(np.isnan(x) if x.dtype.kind in "fc" else np.isnat(x))
    if x.dtype.kind != "O":
        return np.zeros(x.shape, dtype=bool)
    # A missing value is None, differs from itself (NaN, NaT) or will not say so (pandas.NA).
    return np.array([item is None or (item == item) is not True for item in x], dtype=bool)  # noqa: PLR0124


def _is_zero_one(y: Array, xp: Any) -> bool:
    if xp.isdtype(y.dtype, "bool"):
        return True
    if xp.isdtype(y.dtype, "integral"):
        return bool(xp.min(y) >= 0) and bool(xp.max(y) <= 1)
    return bool(xp.all((y == 0) | (y == 1)))


def _outcomes_from_labels(y: Array, pos_label: object) -> Array:
    """Compare labels with the positive one, once they are known to be two at most."""
    host = to_numpy(y)
    missing = _missing(host)
    if missing.any():
        _refuse(host, missing, "outcomes must not be missing", DROP)
    labels = _distinct(host)
    if len(labels) > 2:
        shown = ", ".join(repr(label) for label in labels[:4])
        more = f", … ({len(labels)} in all)" if len(labels) > 4 else ""
        message = f"outcomes must have at most two labels; found {shown}{more}"
        raise DataError(message, hint="binary rules judge one event; compare y with its label.")
    if pos_label is None:
        return _zero_one_objects(host, labels)
    if pos_label not in labels and len(labels) == 2:
        shown = " and ".join(repr(label) for label in labels)
        message = f"pos_label must be one of the labels of y, {shown}; got {pos_label!r}"
        raise DataError(message)
    if pos_label not in labels:
        return to_library_of(np.zeros(host.shape, dtype=bool), y)
    return to_library_of(np.asarray(host == pos_label, dtype=bool), y)


def _zero_one_objects(y: np.ndarray[Any, Any], labels: Sequence[object]) -> np.ndarray[Any, Any]:
    if set(labels) <= {0, 1}:
        return np.asarray(y == 1, dtype=bool)
    shown = " and ".join(repr(label) for label in labels)
    message = f"outcomes must be 0 and 1, or False and True; found {shown}"
    raise DataError(message, hint=f"say which label is the event, as in pos_label={labels[-1]!r}.")


def _distinct(x: np.ndarray[Any, Any]) -> list[Any]:
    if x.dtype.kind != "O":
        return list(np.unique(x).tolist())
    found = dict.fromkeys(x.tolist())
    return sorted(found, key=lambda label: (type(label).__name__, label))


def _check_length(x: Array, p: Array, name: str, against: str = "forecasts") -> None:
    if x.shape[0] != p.shape[0]:
        message = f"{name} and {against} must be equally long; got {x.shape[0]} and {p.shape[0]}"
        raise DataError(message)


def _scale_hint(p: Array) -> str:
    """Guess, for the hint only, how numbers outside [0, 1] came about."""
    host = to_numpy(p)
    finite = host[np.isfinite(host)]
    if finite.size < host.size:
        return "drop the rows without a forecast first."
    if finite.min() < 0:
        return "for logits, apply a sigmoid first."
    if 2 < finite.max() <= 100:
        return "for percentages, divide by 100 first."
    return "nothing is clipped for you; mend those rows first."


def _refuse(x: Array, bad: Array, rule: str, hint: str | None = None) -> NoReturn:
    """Raise with the first offending row, its value, and how many more there are."""
    rows = np.flatnonzero(to_numpy(bad))
    value = to_numpy(x)[rows[0]]
    shown = repr(value.item() if isinstance(value, np.generic) else value)
    count = f" ({rows.size} such rows)" if rows.size > 1 else ""
    message = f"{rule}; row {rows[0]} is {shown}{count}"
    raise DataError(message, hint=hint)
