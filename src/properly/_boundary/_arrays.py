"""Validation of arrays: outcomes, forecasts, weights and columns, checked once.

Arrays of a library that follows the array API standard stay in that library and on their
device; everything else (lists, Series, columns) becomes numpy. Nothing is clipped, filled
or otherwise repaired.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple, NoReturn

import array_api_compat as compat
import numpy as np

from properly._boundary._libraries import (
    is_numpy,
    namespace,
    to_library_of,
    to_numpy,
    without_gradient,
)
from properly._boundary._text import first_of
from properly.errors import DataError
from properly.typing import Array, ArrayLike, Column

DROP = "drop those rows first."
CENSORED = (
    "did follow-up end before the outcome was known (censored)? Then neither dropping those rows "
    "nor counting them as no event is right; otherwise drop them first."
)
NO_FORECAST = "drop the rows without a forecast first."
SWAPPED = "outcomes come first, then forecasts; were the two swapped?"
SOFT = (
    "for soft labels, give each case a row with 1 and a row with 0, weighted: "
    "properly.evaluate(np.repeat([1, 0], len(y)), np.tile(p, 2), "
    "weight=np.append(y, np.subtract(1, y)), clusters=np.tile(np.arange(len(y)), 2))."
)
# Between these, fourth powers of weights, and sums of them, neither vanish nor overflow.
TINY, HUGE = 1e-30, 1e30
# Kinds of objects that can be compared without asking.
PLAIN = {float, int, bool, str, type(None)}
MOST = 2**63


class EventRows(NamedTuple):
    """Outcomes as booleans, forecasts as floats, weights or None: equally long, one library."""

    y: Array
    p: Array
    weight: Array | None


def used_rows(y: Array, p: Array, weight: Array) -> EventRows:
    """Leave out the rows of weight 0."""
    used = weight > 0
    if namespace(used).all(used):
        return EventRows(y, p, weight)
    return EventRows(y[used], p[used], weight[used])


def check_rows(
    y: ArrayLike,
    p: ArrayLike,
    weight: ArrayLike | None = None,
    *,
    pos_label: object = None,
    labels: Sequence[object] | None = None,
) -> EventRows:
    """Check outcomes, forecasts and weights, and bring them together in the forecasts' library."""
    p = check_forecasts(p)
    y = to_library_of(check_outcomes(y, pos_label=pos_label, labels=labels, beside=p), p)
    check_length(y, p, "outcomes")
    return EventRows(y, p, None if weight is None else weights_beside(p, weight))


def weights_beside(p: Array, weight: ArrayLike) -> Array:
    """Check weights, and bring them into the library of forecasts, of which there are as many."""
    weight = to_library_of(check_weights(weight), p)
    check_length(weight, p, "weights")
    return weight


def counts_beside(p: Array, count: ArrayLike) -> Array:
    """Check how many cases each row stands for, and bring that into the library of forecasts."""
    count = to_library_of(check_counts(count, "count"), p)
    check_length(count, p, "count")
    if not namespace(count).any(count > 0):
        message = f"at least one count must be positive; all {count.shape[0]} are 0"
        raise DataError(message)
    return count


def check_forecasts(p: ArrayLike, name: str = "forecasts") -> Array:
    """Check forecasts: one dimension, at least one, floats in [0, 1]."""
    p = as_column(
        p, name, "for class probabilities, see cumulative and one_vs_rest, or Ranked(rule)."
    )
    p = as_floats(as_numbers(p, name))
    xp = namespace(p)
    lowest, highest = xp.min(p), xp.max(p)
    # Written so that NaN, which compares as false, is refused too.
    if not (lowest >= 0 and highest <= 1):
        refuse_scale(p, name)
    # -0.0 would sort apart from 0.0 and turn the sign of an infinite slope.
    return p + 0.0 if lowest == 0 and xp.any(xp.signbit(p)) else p


def check_logits(y: ArrayLike, logit: ArrayLike) -> EventRows:
    """Check outcomes and log-odds: equally long, real numbers; infinite ones are certainties."""
    logit = check_log_odds(logit)
    y = to_library_of(check_outcomes(y), logit)
    check_length(y, logit, "outcomes", "logits")
    return EventRows(y, logit, None)


def check_log_odds(logit: ArrayLike) -> Array:
    """Check log-odds: one dimension, at least one, none missing."""
    logit = as_column(logit, "logits", "one logit per outcome.")
    logit = as_floats(as_numbers(logit, "logits"))
    xp = namespace(logit)
    if xp.any(xp.isnan(logit)):
        refuse(logit, xp.isnan(logit), "logits must not be missing", DROP)
    return logit


def check_outcomes(
    y: ArrayLike,
    *,
    pos_label: object = None,
    labels: Sequence[object] | None = None,
    beside: Array | None = None,
) -> Array:
    """Check outcomes: one dimension, at least one, two labels at most; True where the event was.

    Forecasts beside them, if known, show whether fractions are soft labels or were swapped.
    """
    y = as_column(y, "outcomes", "one outcome per forecast is needed.")
    if is_numpy(y) and y.dtype.kind not in "biuf":
        return _outcomes_from_labels(y, pos_label, labels, beside)
    y = as_numbers(y, "outcomes")
    xp = namespace(y)
    if xp.isdtype(y.dtype, "real floating") and xp.any(xp.isnan(y)):
        refuse(y, xp.isnan(y), "outcomes must not be missing", CENSORED)
    if pos_label is not None or not _is_zero_one(y, xp):
        return _outcomes_from_labels(y, pos_label, labels, beside)
    return y if xp.isdtype(y.dtype, "bool") else y != 0


def check_amounts(x: ArrayLike, name: str) -> Array:
    """Check amounts: one dimension, finite, none negative."""
    x = as_numbers(as_column(x, name, "one entry per forecast is needed."), name)
    xp = namespace(x)
    if xp.isdtype(x.dtype, "bool"):
        x = xp.astype(x, xp.int64)
    lowest, highest = _extremes(x)
    if not (lowest >= 0 and highest < float("inf")):
        wide = xp.astype(x, xp.float64)
        good = (wide >= 0) & (wide < float("inf"))
        refuse(x, ~good, f"{name} must be finite and not negative")
    return x


def check_weights(weight: ArrayLike) -> Array:
    """Check weights: one dimension, finite, none negative, not all zero, not extreme."""
    weight = check_amounts(weight, "weights")
    xp = namespace(weight)
    lowest, highest = _extremes(weight)
    if highest == 0:
        message = f"at least one weight must be positive; all {weight.shape[0]} are 0"
        raise DataError(message)
    if lowest < TINY or highest > HUGE:
        wide = xp.astype(weight, xp.float64)
        extreme = ((wide > 0) & (wide < TINY)) | (wide > HUGE)
        if xp.any(extreme):
            rule = f"positive weights must lie between {TINY:g} and {HUGE:g}"
            refuse(weight, extreme, rule, "rescale them; only their ratios matter.")
    return weight


def _extremes(x: Array) -> tuple[float, float]:
    xp = namespace(x)
    lowest, highest = (float(without_gradient(end)) for end in (xp.min(x), xp.max(x)))
    return lowest, highest


def check_counts(x: ArrayLike, name: str) -> Array:
    """Check counts: one dimension, whole numbers, zero or more, less than 2**63 together."""
    x = as_numbers(as_column(x, name, f"one entry of {name} per value."), name)
    xp = namespace(x)
    floats = as_floats(x)
    bad = ~((floats >= 0) & (floats == xp.floor(floats)) & (floats < float("inf")))
    if xp.any(bad):
        hint = "weight= takes fractions." if name == "count" else None
        refuse(x, bad, f"{name} must be whole numbers, zero or more", hint)
    require_countable(float(xp.sum(xp.astype(floats, xp.float64))))
    return xp.astype(x, xp.int64)


def require_countable(total: float) -> None:
    """Refuse more cases than 64 bits can count."""
    if total >= MOST:
        message = f"counts must add up to less than 2**63; got about {total:.3g}"
        raise DataError(message)


def check_column(x: ArrayLike, name: str, p: Array, against: str = "forecasts") -> Array:
    """Check a column of ids or labels: one dimension, as long as p, nothing missing."""
    x = as_column(x, name, f"one entry per forecast is needed in {name}.")
    check_length(x, p, name, against)
    require_present(to_numpy(x), name)
    return x


def as_column(x: ArrayLike, name: str, hint: str | None = None) -> Array:
    """Make one non-empty, one-dimensional array of whatever was handed in."""
    x = as_array(x, name)
    if x.ndim != 1:
        message = f"{name} must be one-dimensional; got an array of shape {tuple(x.shape)}"
        raise DataError(message, hint=hint if x.ndim == 2 else None)
    if x.shape[0] == 0:
        message = f"{name} must not be empty; got 0 rows"
        raise DataError(message)
    return x


def as_array(x: ArrayLike, name: str) -> Array:
    """Leave the arrays of a library in it, and make a numpy array of anything else."""
    # The first question spares most calls the second, which imports numpy.ma.
    if type(x) is not np.ndarray and isinstance(x, np.ma.MaskedArray):
        if np.ma.is_masked(x):
            refuse(x, np.ma.getmaskarray(x), f"{name} must not be missing", missing_hint(name))
        x = np.asarray(x)
    if not compat.is_array_api_obj(x) or compat.is_dask_array(x):
        x = as_numpy(x, name)
    return x


def as_numpy(x: Any, name: str) -> Column:
    try:
        array = np.asarray(x)
    except (TypeError, ValueError):
        array = np.asarray(None)
    if array.ndim == 0:
        kind = type(x).__name__ + " of unequal rows" * isinstance(x, list | tuple)
        message = f"{name} must be a list, an array or a column of equal things; got {kind}"
        rows = "every row needs as many entries as the first."
        single = "write a single case as a list, and wrap others in list(…)."
        raise DataError(message, hint=rows if is_nested(x) else single)
    if array.dtype.kind in "US" and isinstance(x, list | tuple):
        same = str if array.dtype.kind == "U" else bytes
        # numpy would turn a missing value or a number among texts into text.
        if not all(isinstance(item, same) for item in x):
            return np.array(x, dtype=object)
    return array


def is_nested(x: object) -> bool:
    """Tell a list of rows from a list of numbers."""
    if not isinstance(x, list | tuple) or not x:
        return False
    return isinstance(x[0], list | tuple) or bool(getattr(x[0], "shape", ()))


def as_numbers(x: Array, name: str) -> Array:
    """Refuse what is not a real number or a truth value; make plain numbers of odd kinds."""
    xp = namespace(x)
    if is_numpy(x) and x.dtype.kind in "OSU":
        return _numbers_from_objects(x, name)
    try:
        real = xp.isdtype(x.dtype, ("bool", "integral", "real floating"))
    except TypeError:
        real = is_numpy(x) and x.dtype.kind in "biuf"  # such as longdouble, not in the standard
    if not real:
        message = f"{name} must be numbers; got an array of {x.dtype}"
        raise DataError(message)
    if is_numpy(x):
        return x if x.dtype.isnative else x.astype(x.dtype.newbyteorder("="))
    # Other libraries can hardly compute with the wide unsigned types.
    wide = xp.isdtype(x.dtype, "unsigned integer") and x.dtype != xp.uint8
    return xp.astype(x, xp.int64) if wide else x


def as_floats(x: Array) -> Array:
    """Make floats of numbers: those of a tensor stay, numpy's become float32 or float64."""
    xp = namespace(x)
    if not is_numpy(x):
        return x if xp.isdtype(x.dtype, "real floating") else xp.astype(x, xp.float64)
    if x.dtype == np.float16:
        return x.astype(np.float32)  # exact, and all that follows is faster
    return x if x.dtype in (np.float32, np.float64) else x.astype(np.float64)


def _numbers_from_objects(x: Column, name: str) -> Column:
    require_present(x, name)
    text = np.array([isinstance(item, str | bytes) for item in x.flat]).reshape(x.shape)
    if text.any():
        refuse(x, text, f"{name} must be numbers", "convert text to numbers first.")
    try:
        return x.astype(np.float64)
    except (TypeError, ValueError, OverflowError):
        message = f"{name} must be numbers; got {type(x.flat[0]).__name__} objects"
        raise DataError(message) from None


def require_present(x: Column, name: str) -> None:
    missing = missing_values(x)
    if missing.any():
        refuse(x, missing, f"{name} must not be missing", missing_hint(name))


def missing_hint(name: str) -> str:
    """Return what to do about missing values; outcomes may be censored."""
    return CENSORED if name == "outcomes" else DROP


def with_gaps(x: Any) -> Any:
    """Take what is masked as missing."""
    if not isinstance(x, np.ma.MaskedArray):
        return x
    values = np.array(x.data, dtype=object)
    values[np.ma.getmaskarray(x)] = None
    return values


def missing_values(x: Column) -> Column:
    """Flag None, NaN, NaT and the missing values of frame libraries."""
    if x.dtype.kind in "fcmM":
        return np.asarray(np.isnan(x) if x.dtype.kind in "fc" else np.isnat(x))
    if x.dtype.kind != "O":
        return np.zeros(x.shape, dtype=bool)
    items = x.ravel().tolist()
    if set(map(type, items)) <= PLAIN:
        flags = [item is None or item != item for item in items]  # noqa: PLR0124
    else:
        flags = [_is_missing(item) for item in items]
    return np.array(flags, dtype=bool).reshape(x.shape)


def _is_missing(item: Any) -> bool:
    """Tell a missing value by what it does: it differs from itself, or will not say (pandas.NA)."""
    try:
        return item is None or not bool(item == item)  # noqa: PLR0124
    except (TypeError, ValueError, ArithmeticError):
        return True


def _is_zero_one(y: Array, xp: Any) -> bool:
    if xp.isdtype(y.dtype, "bool"):
        return True
    if xp.isdtype(y.dtype, "integral"):
        return bool(xp.min(y) >= 0) and bool(xp.max(y) <= 1)
    return bool(xp.all((y == 0) | (y == 1)))


def _outcomes_from_labels(
    y: Array, pos_label: object, labels: Sequence[object] | None, beside: Array | None
) -> Array:
    """Compare labels with the positive one, once they are known to be two at most."""
    host = to_numpy(y)
    require_present(host, "outcomes")
    present = distinct(host)
    found = " and ".join(map(repr, present))
    if len(present) > 2:
        message = f"outcomes must have at most two labels; found {first_of(map(repr, present))}"
        raise DataError(message, hint=_label_hint(host, present, beside))
    if pos_label is None and not set(present) <= {0, 1}:
        message = f"outcomes must be 0 and 1, or False and True; found {found}"
        raise DataError(message, hint=_label_hint(host, present, beside))
    if labels is not None and not set(present) <= set(labels):
        allowed = " and ".join(map(repr, labels))
        message = f"outcomes must be one of labels, {allowed}; found {found}"
        raise DataError(message)
    event = 1 if pos_label is None else pos_label
    if event not in present and len(present) == 2:
        message = f"pos_label must be one of the labels of y, {found}; got {pos_label!r}"
        folded = str(pos_label).casefold()
        alike = [x for x in present if str(x).casefold() == folded]
        raise DataError(message, hint=f"write pos_label={alike[0]!r}." if alike else None)
    happened = host == event if event in present else np.zeros(host.shape, dtype=bool)
    return to_library_of(np.asarray(happened, dtype=bool), y)


def event_label(labels: Sequence[object], pos_label: object) -> object:
    """Take the label of the event: the last of both labels, which a single one must not deny."""
    if len(labels) != 2 or labels[0] == labels[1]:
        message = f"labels must be the two labels of a binary outcome; got {labels!r}"
        raise DataError(message)
    if pos_label is not None and pos_label != labels[1]:
        message = f"pos_label must be the last of labels, {labels[1]!r}; got {pos_label!r}"
        raise DataError(message)
    return labels[1]


def _label_hint(y: Column, labels: Sequence[Any], beside: Array | None) -> str:
    # Also percentages: no label has so many digits.
    if y.dtype.kind == "f" and y.min() >= 0 and (y.max() <= 1 or (y % 1).any()):
        soft = y.max() <= 1 and beside is not None and not _is_zero_one(beside, namespace(beside))
        return SOFT if soft else SWAPPED
    if len(labels) > 2:
        one = "binary rules judge one event; compare y with its label, or forecast all classes"
        return f"{one}, one column each: task='multiclass' or 'ordinal'; --classes a,b,c."
    label = repr(labels[-1])
    by_hand = f"numpy.asarray(y) == {label}"
    return f"say which label is the event: pos_label={label}, or, for a rule, {by_hand}."


def distinct(x: Column) -> list[Any]:
    if x.dtype.kind in "mM":
        return list(np.unique(x))
    if x.dtype.kind != "O":
        return list(np.unique(x).tolist())
    try:
        values = dict.fromkeys(x.tolist())
    except TypeError:
        message = f"outcomes must be labels such as numbers or text; got {type(x[0]).__name__}"
        raise DataError(message) from None
    try:
        return sorted(values)
    except TypeError:  # of several kinds, which have no order; only for messages
        return sorted(values, key=lambda label: (type(label).__name__, repr(label)))


def check_length(x: Array, p: Array, name: str, against: str = "forecasts") -> None:
    if x.shape[0] != p.shape[0]:
        message = f"{name} and {against} must be equally long; got {x.shape[0]} and {p.shape[0]}"
        raise DataError(message)


def refuse_scale(p: Array, name: str) -> NoReturn:
    """Refuse forecasts outside [0, 1], of which some are; missing ones only if no other is."""
    host, rule = to_numpy(p), f"{name} must be probabilities in [0, 1]"
    gaps, outside = np.isnan(host), (host < 0) | (host > 1)
    if not outside.any():
        refuse(p, gaps, rule, NO_FORECAST)
    hint = scale_hint(float(host[~gaps].min()), float(host[~gaps].max()))
    if gaps.any() and hint != NO_FORECAST:
        hint = f"{hint[:-1]}, and drop the rows without a forecast."
    refuse(p, outside, rule, hint)


def scale_hint(lowest: float, highest: float) -> str:
    """Guess, for the hint only, how numbers outside [0, 1] came about."""
    if not (math.isfinite(lowest) and math.isfinite(highest)):
        return NO_FORECAST
    if lowest < -1e-6:
        return "for logits, apply a sigmoid first."
    if 2 < highest <= 100:
        return "for percentages, divide by 100 first."
    return "nothing is clipped for you; mend those rows first."


def refuse(x: Array, bad: Array, rule: str, hint: str | None = None) -> NoReturn:
    """Raise with the first offending row, its value, and how many more there are."""
    bad = to_numpy(bad)
    first = np.argwhere(bad)[0]
    value = to_numpy(x)[tuple(first)]
    shown = repr(value.item() if isinstance(value, np.generic) else value)
    rows = int(bad.sum() if bad.ndim == 1 else bad.any(axis=1).sum())
    count = f" ({rows} such rows)" if rows > 1 else ""
    column = f", column {first[1]}" if bad.ndim == 2 else ""
    message = f"{rule}; row {first[0]}{column} is {shown}{count}"
    raise DataError(message, hint=hint)
