"""Validation of labels, of class probabilities, of logits, and of outcomes of classes.

Classes are numbered from 0, in the order of the columns of the probabilities. Nothing is clipped,
and rows are rescaled on request only.
"""

from __future__ import annotations

import difflib
import math
import operator
import re
from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from numbers import Number
from typing import Any, NamedTuple

import numpy as np

from properly._boundary import _arrays
from properly._boundary._chunks import sweep
from properly._boundary._libraries import (
    infinities,
    is_numpy,
    namespace,
    to_library_of,
    to_numpy,
    without_gradient,
)
from properly._boundary._text import printable
from properly.errors import DataError
from properly.typing import Array, ArrayLike, Column

NAME, LOGITS = "class probabilities", "logits"
# Up to this many columns are added up one after the other, which is faster than row by row.
FEW = 16
# Where all sums are this far off 1, rows were not rounded: their columns are no classes.
FAR = 0.05
DISTRIBUTION = "an outcome is what happened, not a distribution."
IN_ORDER = "words need their order, by classes= or labels=; decide without labels= has numbers."

# Units of times below a microsecond.
FINER = ("ns", "ps", "fs", "as")


class ClassRows(NamedTuple):
    """Class numbers, class probabilities, weights or None: equally long, one library."""

    y: Array
    p: Array
    weight: Array | None


def is_table(p: object) -> bool:
    """Tell class probabilities, one column a class, from the probabilities of one event."""
    return _arrays.is_nested(p) or len(getattr(p, "shape", ())) == 2


def check_class_rows(
    y: ArrayLike,
    p: ArrayLike,
    weight: ArrayLike | None = None,
    *,
    labels: Sequence[object] | None = None,
    ordered: bool = False,
    normalize: bool = False,
    models: bool = False,
) -> ClassRows:
    """Check outcomes, class probabilities and weights, and bring them together in one library.

    Columns may be taken for `models` of one event only where a caller may mean several.
    """
    columns = column_names(p)
    require_order(column_names(y), columns, "outcomes in rows")
    labels = category_order(y, p) if labels is None else as_labels(labels)
    require_named_in_order(labels, columns_of(p))
    if labels is None and not ordered and columns is not None and are_among(y, columns):
        labels = columns
    try:
        p = check_probabilities(p, normalize=normalize)
    except DataError:
        # A class without a column, or models side by side, are why rows do not sum to 1.
        # So are several labels of one case.
        table, outcomes, present = as_table(p, NAME), _arrays.as_array(y, "outcomes"), []
        count = int(table.shape[1])
        if outcomes.ndim == 1:
            present = _arrays.distinct(to_numpy(outcomes))
        elif outcomes.ndim == 2 and int(outcomes.shape[1]) == count:
            _from_one_hot(outcomes, count)
        _require_column_of_each(present, count, labels or columns)
        if models and present and set(present) <= {0, 1}:
            _require_no_models(table)
        raise
    y = as_outcomes(y, int(p.shape[1]), labels, ordered=ordered)
    y = to_library_of(y, p)
    _arrays.check_length(y, p, "outcomes")
    return ClassRows(y, p, None if weight is None else _arrays.weights_beside(p, weight))


def check_probabilities(p: ArrayLike, *, normalize: bool = False, name: str = NAME) -> Array:
    """Check class probabilities: two dimensions, none negative, rows that sum to one."""
    p = _arrays.as_numbers(as_table(p, name), name)
    slack = sum_slack(p)
    p = _arrays.as_floats(p)
    ends = sweep(_ends, p)
    # Written so that NaN, which compares as false, is refused too.
    if not all(lowest >= 0 for lowest, _ in ends):
        host = to_numpy(without_gradient(p))
        logits = np.isfinite(host).all() and host.min() < -1e-3
        hint = "for logits, apply a softmax first." if logits else None
        _arrays.refuse(p, ~(p >= 0), f"{name} must be numbers, zero or more", hint)
    if normalize:
        return _normalized(p, name)
    if not all(off <= slack for _, off in ends):
        _require_sums(p, slack, name)
    return p


def sum_slack(p: Array) -> float:
    """Return how far off 1 the sum of a row may be, in the type of the table."""
    xp = namespace(p)
    floating = p.dtype.kind == "f" if is_numpy(p) else xp.isdtype(p.dtype, "real floating")
    return slack_at(float(xp.finfo(p.dtype).eps)) if floating else slack_at(0.0)


def slack_at(precision: float) -> float:
    """Return how far off 1 a sum may be: 1e-6, or the root of the precision if that is larger."""
    return max(1e-6, math.sqrt(precision))


def row_sums(p: Array) -> Array:
    """Add up each row, in the type of the table."""
    if not is_numpy(p):
        return namespace(p).sum(p, axis=1)
    if p.shape[1] > FEW:
        return np.einsum("ij->i", p)
    total = p[:, 0].copy()
    for k in range(1, p.shape[1]):
        total += p[:, k]
    return total


def column_names(p: object) -> tuple[Any, ...] | None:
    """Return the names of a frame's columns if they are text."""
    names = columns_of(p)
    return names if names and isinstance(names[0], str) else None


def columns_of(p: object) -> tuple[Any, ...] | None:
    """Return the names of a frame's columns if all are text, or all are whole numbers."""
    columns = getattr(p, "column_names", None) or getattr(p, "columns", None)
    names = () if columns is None or callable(columns) else tuple(columns)
    kind = str if names and isinstance(names[0], str) else int | np.integer
    return names if names and all(isinstance(name, kind) for name in names) else None


def category_order(y: object, p: ArrayLike) -> tuple[Any, ...] | None:
    """Return the order that categorical outcomes state, if there is a column for each."""
    kind = getattr(y, "dtype", None)
    return order_of(kind, as_table(p, NAME).shape[1]) if _is_ordered(kind) else None


def order_of(kind: Any, classes: int) -> tuple[Any, ...] | None:
    """Return the categories of a type that orders them, if there are as many classes.

    Such are those of pandas that are ordered, and an Enum of polars.
    """
    order = tuple(kind.categories) if _is_ordered(kind) else ()
    return order if len(order) == classes > 1 else None


def _is_ordered(kind: Any) -> bool:
    return getattr(kind, "ordered", False) or type(kind).__name__ == "Enum"


def note_of_order(order: tuple[Any, ...]) -> str:
    """Say which order categorical outcomes have stated."""
    listed = ", ".join(printable(name) for name in names_of_labels(order))
    return f"classes and columns are in the order of the outcomes' categories: {listed}"


def _require_column_of_each(present: list[Any], count: int, labels: tuple[Any, ...] | None) -> None:
    """Refuse outcomes of more classes than there are columns."""
    if len(present) <= count:
        return
    numbers = all(isinstance(label, int | float) for label in present)
    known = set(range(count) if numbers and numbers_are_classes(labels or ()) else labels or ())
    missing = [label for label in present if label not in known] if known else []
    named = ", ".join(map(repr, (missing or present)[:4]))
    got = f"none of the {count} is for {named}" if missing else f"got {count} for {named}"
    message = f"every class needs a column; {got}"
    hint = "give one column a class, and name them in order: labels=, or --classes a,b,c."
    raise DataError(message, hint=hint)


def _require_no_models(p: Array) -> None:
    """Refuse probabilities of one event, side by side, of which no row sums to about 1."""
    host = to_numpy(without_gradient(_arrays.as_floats(_arrays.as_numbers(p, NAME))))
    far = (np.abs(host.sum(axis=1) - 1) > FAR).all()
    if far and (host <= 1).all() and (host >= 0).all():
        message = (
            "two dimensions are classes, one column each, and rows must sum to 1; got "
            f"{host.shape[1]} columns for outcomes of 0 and 1"
        )
        hint = "for models of one event, pass {'name': p, …}; for classes, see task= and labels=."
        raise DataError(message, hint=hint)


def require_named_in_order(labels: tuple[Any, ...] | None, columns: tuple[Any, ...] | None) -> None:
    """Refuse columns in another order than the labels or, without labels, than their numbers."""
    if columns is None or columns == tuple(range(len(columns))):
        return  # a frame without names numbers its columns
    require_order(labels, columns, "labels")
    _require_no_contradiction(labels, columns)
    if labels is None and not isinstance(columns[0], str) and columns != tuple(sorted(columns)):
        message = f"columns that are numbered must be in order; got {[int(x) for x in columns]}"
        hint = "write forecasts[sorted(forecasts.columns)], or name the classes by labels=."
        raise DataError(message, hint=hint)


def _require_no_contradiction(labels: tuple[Any, ...] | None, columns: tuple[Any, ...]) -> None:
    """Refuse a column that is named after the label of another, such as p_low for high."""
    if labels is None or len(labels) != len(columns) or not numbers_are_classes(labels):
        return
    known = {str(label).casefold(): label for label in labels}
    for label, column in zip(labels, columns, strict=True):
        words = {str(column).casefold(), *re.split(r"[\W_]+", str(column).casefold())}
        others = [known[word] for word in sorted(words) if word in known]
        if others and label not in others:
            message = (
                f"labels must say what each column stands for; {column!r} stands where "
                f"{label!r} is named"
            )
            hint = f"the columns are {list(columns)!r}: give labels= in their order."
            raise DataError(message, hint=hint)


def require_order(
    names: tuple[Any, ...] | None, columns: tuple[Any, ...] | None, what: str
) -> None:
    """Refuse names that are those of the columns in another order."""
    if names and columns and names != columns and set(names) == set(columns):
        message = (
            f"{what} must be in the order of the columns; the columns are {list(columns)!r}, "
            f"got {list(names)!r}"
        )
        raise DataError(message, hint="write forecasts[labels] to order the columns of a frame.")


def are_among(y: ArrayLike, columns: tuple[Any, ...]) -> bool:
    """Tell whether outcomes are words, and each of them the name of a column."""
    outcomes = _arrays.as_array(y, "outcomes")
    words = is_numpy(outcomes) and outcomes.ndim == 1 and outcomes.dtype.kind in "OSU"
    return words and set(columns).issuperset(
        item if isinstance(item, str) else None for item in outcomes.tolist()
    )


def as_table(p: ArrayLike, name: str) -> Array:
    """Make a table of whatever was handed in: one row a case, one column a class."""
    p = _arrays.as_array(p, name)
    shape = tuple(p.shape)
    if len(shape) != 2:
        message = f"{name} must have one row a case and one column a class; got shape {shape}"
        raise DataError(message, hint="a single forecast is a single row, such as [[0.2, 0.8]].")
    if shape[0] == 0 or shape[1] < 2:
        message = f"{name} must have at least one row and two columns; got shape {shape}"
        hint = "for the probability of one event, pass one dimension." if shape[1] == 1 else None
        raise DataError(message, hint=hint)
    return p


@infinities()
def _ends(p: Array) -> tuple[float, float]:
    """Return the smallest entry, and how far off 1 the worst row sums."""
    p = without_gradient(p)
    xp = namespace(p)
    return float(xp.min(p)), float(xp.max(xp.abs(row_sums(p) - 1)))


def _require_sums(p: Array, slack: float, name: str) -> None:
    """Look again in double precision, and name the row that is farthest from 1."""
    with infinities():
        sums = to_numpy(without_gradient(p)).sum(axis=1, dtype=np.float64)
    if np.isinf(sums).any() and bool(namespace(p).any(p == float("inf"))):
        _arrays.refuse(p, p == float("inf"), f"{name} must be finite")
    off = np.abs(sums - 1)
    bad = ~(off <= slack)
    if bad.any():
        worst = int(np.argmax(off))
        count = f" ({int(bad.sum())} such rows)" if bad.sum() > 1 else ""
        message = (
            f"rows of {name} must sum to 1 within {slack:.2g}; row {worst} sums to "
            f"{float(sums[worst])!r}{count}"
        )
        percent = "for percentages, divide by 100 first."
        other = "divide each row by its sum, or pass normalize=True to Cases or evaluate."
        raise DataError(message, hint=percent if np.allclose(sums, 100, rtol=1e-3) else other)


@infinities()
def _normalized(p: Array, name: str) -> Array:
    """Divide each row by its sum, in double precision where numpy holds the table."""
    xp = namespace(p)
    p = p.astype(np.float64) if is_numpy(p) else p
    sums = xp.sum(p, axis=1, keepdims=True)
    good = to_numpy(without_gradient((sums > 0) & (sums < float("inf"))))[:, 0]
    if not good.all():
        row = int(np.argmin(good))
        message = f"rows of {name} must have a positive, finite sum; row {row} sums to "
        message += repr(float(sums[row, 0]))
        raise DataError(message)
    return p / sums


def as_outcomes(
    y: ArrayLike, count: int, labels: Iterable[object] | None, *, ordered: bool
) -> Array:
    """Make class numbers of outcomes: numbers, labels of any kind, or rows with a single 1."""
    names = None if labels is None else check_labels(labels, count)
    y = _arrays.as_array(y, "outcomes")
    if y.ndim == 2:
        return _from_one_hot(y, count)
    y = _arrays.as_column(y, "outcomes")
    if names is not None:
        return to_library_of(numbers_of_labels(to_numpy(y), names, "outcomes"), y)
    if not is_numpy(y) or y.dtype.kind in "biuf":
        return as_class_numbers(y, count, "outcomes")
    _arrays.require_present(y, "outcomes")
    if all(isinstance(item, int | float | np.number) for item in y.flat):
        return as_class_numbers(_arrays.as_numbers(y, "outcomes"), count, "outcomes")
    return numbers_of_labels(y, _in_order(y, count, ordered=ordered), "outcomes")


def _in_order(y: Column, count: int, *, ordered: bool) -> tuple[Any, ...]:
    """Take the distinct labels in sorted order, where that is what everybody expects."""
    labels = _arrays.distinct(y)
    if ordered:
        message = f"outcomes in words need labels=, in order; got outcomes such as {labels[0]!r}"
        raise DataError(message, hint="labels= names the columns; the alphabet knows no grades.")
    says = "labels= says what each column stands for."
    if len(labels) != count:
        message = (
            f"without labels=, outcomes must have as many labels as there are columns; "
            f"got {len(labels)} labels and {count} columns"
        )
        raise DataError(message, hint=says)
    try:
        return as_labels(sorted(labels))
    except TypeError:
        listed = ", ".join(repr(label) for label in labels[:4])
        message = f"without labels=, outcomes must be of one kind; got {listed}"
        raise DataError(message, hint=says) from None


def _from_one_hot(y: Array, count: int) -> Array:
    """Make class numbers of rows that have a 1 at the class that happened and 0 elsewhere."""
    y = _arrays.as_numbers(y, "outcomes")
    xp = namespace(y)
    if tuple(y.shape)[1] != count:
        message = (
            f"outcomes in rows must have as many columns as the forecasts; "
            f"got {y.shape[1]} and {count}"
        )
        raise DataError(message)
    y = xp.astype(y, xp.int64) if xp.isdtype(y.dtype, "bool") else y
    ones = xp.astype(y == 1, xp.int64)
    good = xp.all((y == 0) | (y == 1), axis=1) & (xp.sum(ones, axis=1) == 1)
    if not bool(xp.all(good)):
        row = int(np.flatnonzero(~to_numpy(good))[0])
        message = (
            f"outcomes in rows must have a single 1 and otherwise 0; "
            f"row {row} is {to_numpy(y)[row].tolist()}"
        )
        zero_one = bool(xp.all((y == 0) | (y == 1)))
        raise DataError(message, hint=several_labels(count) if zero_one else DISTRIBUTION)
    return xp.argmax(ones, axis=1)


def several_labels(count: int) -> str:
    """Return what to do with cases that may have several labels, or none."""
    return (
        "where a case may have several labels or none, score each by itself, as y[:, 0], or stack "
        "them: properly.evaluate(np.ravel(y), np.ravel(p), "
        f"clusters=np.repeat(np.arange(len(y)), {count}))."
    )


def check_class_logits(
    y: ArrayLike,
    logits: ArrayLike,
    *,
    labels: Sequence[object] | None = None,
    ordered: bool = False,
) -> ClassRows:
    """Check outcomes and logits, and bring them together in one library."""
    logits = check_logit_table(logits)
    y = to_library_of(as_outcomes(y, int(logits.shape[1]), labels, ordered=ordered), logits)
    _arrays.check_length(y, logits, "outcomes", LOGITS)
    return ClassRows(y, logits, None)


def check_logit_table(logits: ArrayLike) -> Array:
    """Check logits: two dimensions, no NaN, none infinite but for impossible classes."""
    logits = _arrays.as_floats(_arrays.as_numbers(as_table(logits, LOGITS), LOGITS))
    xp = namespace(logits)
    good = logits < float("inf")
    if not bool(xp.all(good)):
        _arrays.refuse(logits, ~good, "logits must be less than infinity, and not missing")
    possible = xp.any(logits > -float("inf"), axis=1)
    if not bool(xp.all(possible)):
        _arrays.refuse(logits[:, 0], ~possible, "some class must be possible in each row of logits")
    return logits


# Labels of classes and their numbers; names of columns, and the nearest to them


def as_labels(labels: object, name: str = "labels") -> tuple[Any, ...]:
    """Take labels in order: no text, which is a sequence of letters, and nothing without order."""
    if isinstance(labels, str | bytes | AbstractSet | Mapping) or not isinstance(labels, Iterable):
        number = "" if name == "labels" else "their number, or "
        message = f"{name} must be {number}a list of labels in order; got {labels!r}"
        raise DataError(message)
    values = tuple(in_microseconds(x).item() if isinstance(x, np.generic) else x for x in labels)
    try:
        twice = len(set(values)) < len(values)
    except TypeError:
        message = f"{name} must be plain values such as text or numbers; got {values!r}"
        raise DataError(message) from None
    if twice:
        message = f"{name} must differ from one another; got {values!r}"
        raise DataError(message)
    return values


def as_classes(
    classes: int | Iterable[object], name: str = "classes"
) -> tuple[int, tuple[Any, ...] | None]:
    """Take the number of classes, or their labels in order; return both, labels or None."""
    try:
        count = operator.index(classes)  # type: ignore[arg-type]
    except TypeError:
        labels = as_labels(classes, name)
        return check_count(len(labels)), labels
    return check_count(count), None


def check_labels(labels: Iterable[object], count: int) -> tuple[Any, ...]:
    """Check labels of the columns of class probabilities: as many as columns, no two alike."""
    names = as_labels(labels, "labels")
    if len(names) != count:
        message = (
            f"labels must name each column of the class probabilities; got {len(names)} "
            f"labels for {count} columns"
        )
        raise DataError(message)
    return names


def check_count(classes: int) -> int:
    """Take a number of classes, two or more."""
    if not isinstance(classes, int | np.integer):
        message = f"the number of classes must be a whole number; got {classes!r}"
        raise DataError(message)
    if classes < 2:
        message = f"there must be at least two classes; got {classes!r}"
        raise DataError(message)
    return int(classes)


def class_numbers(y: ArrayLike, classes: int | Iterable[object], name: str = "outcomes") -> Any:
    """Turn labels into class numbers, as int64 of numpy; `classes` is K, or the labels in order."""
    count, labels = as_classes(classes)
    outcomes = to_numpy(_arrays.as_column(y, name))
    if labels is not None:
        return numbers_of_labels(outcomes, labels, name)
    if outcomes.dtype.kind in "SU":
        _arrays.refuse(
            outcomes, np.ones(outcomes.shape, bool), f"{name} must be class numbers", IN_ORDER
        )
    return to_numpy(as_class_numbers(outcomes, count, name))


def as_class_numbers(y: Array, count: int, name: str) -> Array:
    """Check whole numbers from 0 to one below the number of classes."""
    y = _arrays.as_numbers(y, name)
    xp = namespace(y)
    if xp.isdtype(y.dtype, ("bool", "integral")):
        # First of all: small types cannot even be compared with a large number of classes.
        y = xp.astype(y, xp.int64, copy=False)
    if xp.isdtype(y.dtype, "real floating") and bool(xp.any(xp.isnan(y))):
        _arrays.refuse(y, xp.isnan(y), f"{name} must not be missing", _arrays.missing_hint(name))
    good = (y >= 0) & (y < count)
    if xp.isdtype(y.dtype, "real floating"):
        good = good & (y == xp.floor(y))
    if not bool(xp.all(good)):
        rule = f"{name} must be class numbers from 0 to {count - 1}"
        _arrays.refuse(y, ~good, rule, "other labels are given in order, by labels= or classes=.")
    return xp.astype(y, xp.int64, copy=False)


def numbers_of_labels(y: np.ndarray[Any, Any], labels: tuple[Any, ...], name: str) -> Any:
    """Look each outcome up among the labels; if none is a number, numbers are class numbers."""
    _arrays.require_present(y, name)
    y = in_microseconds(y)
    if y.dtype.kind == "O" and all(type(item) is int for item in y.flat):
        y = y.astype(np.int64)
    if y.dtype.kind in "iu" and numbers_are_classes(labels):
        return to_numpy(as_class_numbers(y, len(labels), name))
    number = {label: k for k, label in enumerate(labels)}
    try:
        values, where = np.unique(y, return_inverse=True)
    except TypeError:
        # Labels of several kinds have no order, but they can be looked up one by one.
        values, where = y, np.arange(len(y))
    try:
        codes = np.array([number.get(label, -1) for label in values.tolist()], dtype=np.int64)
    except TypeError:
        odd = next(label for label in values.tolist() if not isinstance(label, Hashable))
        message = f"{name} must be labels such as numbers or text; got {type(odd).__name__}"
        raise DataError(message) from None
    numbers = codes[where.reshape(-1)]
    if (numbers < 0).any():
        listed = ", ".join(repr(label) for label in labels[:6]) + ", …" * (len(labels) > 6)
        _arrays.refuse(y, numbers < 0, f"{name} must be among the labels {listed}")
    return numbers


def in_microseconds(x: Any) -> Any:
    """Make times as fine as those of Python, which takes finer ones for numbers; if exact."""
    if x.dtype.kind not in "mM" or np.datetime_data(x.dtype)[0] not in FINER:
        return x
    coarse = x.astype(f"{x.dtype.kind}8[us]")
    return coarse if np.all(coarse == x) else x


def numbers_are_classes(labels: Iterable[object]) -> bool:
    """Tell whether whole numbers stand for classes in their order: if no label is a number."""
    return not any(_reads_as_number(label) for label in labels)


def _reads_as_number(label: object) -> bool:
    try:
        float(str(label))
    except ValueError:
        return isinstance(label, Number)
    return True


def names_of_labels(labels: Iterable[object]) -> list[str]:
    """Write labels as text; as code if two of them read the same, such as 1 and "1"."""
    labels = tuple(labels)
    names = [str(label) for label in labels]
    if len(set(names)) < len(names):
        names = [repr(label) for label in labels]
    return names if len(set(names)) == len(names) else [f"class {k}" for k in range(len(labels))]


def one_kind(labels: Iterable[object]) -> list[Any]:
    """Make labels fit one column of a frame, which holds one kind of thing: text if they differ."""
    labels = list(labels)
    return labels if len({type(label) for label in labels}) == 1 else names_of_labels(labels)


def require_columns(names: Iterable[str], present: Sequence[str], where: str = "the frame") -> None:
    """Refuse a column that is not there, and name those that are spelled most like it."""
    for name in names:
        if name not in present:
            near = nearest(name, map(str, present)) or list(present)[:5]
            shown = ", ".join(repr(column) for column in near)
            message = f"{where} must have the column {name!r}; it has {len(present)} others"
            raise DataError(message, hint=f"did you mean one of {shown}?" if shown else None)


def require_distinct(names: Iterable[Any], where: str = "the frame") -> None:
    """Refuse columns of the same name; those without a name are left out of account."""
    for name, count in Counter(names).items():
        if count > 1 and name is not None:
            message = f"names of columns must differ; {where} has {name!r} {count} times"
            raise DataError(message) from None


def nearest(name: str, present: Iterable[str], cutoff: float = 0.6) -> list[str]:
    """Return up to three names that are spelled much like another, whatever their case."""
    by_fold: dict[str, list[str]] = {}
    for each in present:
        by_fold.setdefault(each.casefold(), []).append(each)
    near = difflib.get_close_matches(name.casefold(), by_fold, n=3, cutoff=cutoff)
    return [each for fold in near for each in by_fold[fold]][:3]
