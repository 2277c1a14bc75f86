"""Labels of classes and their numbers; names of columns, and the nearest to them."""

from __future__ import annotations

import difflib
import operator
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from numbers import Number
from typing import TYPE_CHECKING, Any

import numpy as np

from properly._boundary._arrays import (
    as_column,
    as_numbers,
    missing_hint,
    refuse,
    require_present,
)
from properly._boundary._libraries import namespace, to_numpy
from properly.errors import DataError

if TYPE_CHECKING:
    from properly.typing import Array, ArrayLike


IN_ORDER = "words need their order, by classes= or labels=; decide without labels= has numbers."

# Units of times below a microsecond.
FINER = ("ns", "ps", "fs", "as")


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
    outcomes = to_numpy(as_column(y, name))
    if labels is not None:
        return numbers_of_labels(outcomes, labels, name)
    if outcomes.dtype.kind in "SU":
        refuse(outcomes, np.ones(outcomes.shape, bool), f"{name} must be class numbers", IN_ORDER)
    return to_numpy(as_class_numbers(outcomes, count, name))


def as_class_numbers(y: Array, count: int, name: str) -> Array:
    """Check whole numbers from 0 to one below the number of classes."""
    y = as_numbers(y, name)
    xp = namespace(y)
    if xp.isdtype(y.dtype, ("bool", "integral")):
        # First of all: small types cannot even be compared with a large number of classes.
        y = xp.astype(y, xp.int64, copy=False)
    if xp.isdtype(y.dtype, "real floating") and bool(xp.any(xp.isnan(y))):
        refuse(y, xp.isnan(y), f"{name} must not be missing", missing_hint(name))
    good = (y >= 0) & (y < count)
    if xp.isdtype(y.dtype, "real floating"):
        good = good & (y == xp.floor(y))
    if not bool(xp.all(good)):
        rule = f"{name} must be class numbers from 0 to {count - 1}"
        refuse(y, ~good, rule, "other labels are given in order, by labels= or classes=.")
    return xp.astype(y, xp.int64, copy=False)


def numbers_of_labels(y: np.ndarray[Any, Any], labels: tuple[Any, ...], name: str) -> Any:
    """Look each outcome up among the labels; if none is a number, numbers are class numbers."""
    require_present(y, name)
    y = in_microseconds(y)
    if y.dtype.kind == "O" and all(type(item) is int for item in y.flat):
        y = y.astype(np.int64)
    if y.dtype.kind in "iu" and numbers_are_classes(labels):
        return to_numpy(as_class_numbers(y, len(labels), name))
    number = {label: k for k, label in enumerate(labels)}
    try:
        values, where = np.unique(y, return_inverse=True)
        codes = np.array([number.get(label, -1) for label in values.tolist()], dtype=np.int64)
        numbers = codes[where.reshape(-1)]
    except TypeError:
        # Labels of several kinds have no order, but they can be looked up one by one.
        numbers = np.array([_look_up(label, number, name) for label in y.tolist()], np.int64)
    if (numbers < 0).any():
        listed = ", ".join(repr(label) for label in labels[:6]) + ", …" * (len(labels) > 6)
        refuse(y, numbers < 0, f"{name} must be among the labels {listed}")
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


def _look_up(label: object, number: Mapping[object, int], name: str) -> int:
    try:
        return number.get(label, -1)
    except TypeError:
        message = f"{name} must be labels such as numbers or text; got {type(label).__name__}"
        raise DataError(message) from None


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


def nearest(name: str, present: Iterable[str], cutoff: float = 0.6) -> list[str]:
    """Return up to three names that are spelled much like another, whatever their case."""
    by_fold: dict[str, list[str]] = {}
    for each in present:
        by_fold.setdefault(each.casefold(), []).append(each)
    near = difflib.get_close_matches(name.casefold(), by_fold, n=3, cutoff=cutoff)
    return [each for fold in near for each in by_fold[fold]][:3]
