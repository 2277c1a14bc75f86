"""Columns as they were handed in, read without refusing anything."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from properly._boundary._arrays import as_array
from properly._boundary._classes import column_names
from properly._boundary._libraries import to_numpy, without_gradient
from properly.errors import DataError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Flags: TypeAlias = NDArray[np.bool_]
    Floats: TypeAlias = NDArray[np.float64]

Values: TypeAlias = np.ndarray[Any, Any]
# Kinds of objects that can be compared without asking, and those of them that are numbers.
PLAIN = {float, int, bool, str, type(None)}
PLAIN_NUMBERS = PLAIN - {str}
# Kinds of numbers, dates and spans of time, which sort fast.
NUMBERS = "biufmM"


@dataclass(frozen=True, eq=False)
class RawColumn:
    """One column, or a table of them, as numpy holds it, and what is in it.

    Attributes
    ----------
    name : str
        What it is called.
    values : numpy array
        What was handed in, of one or two dimensions; nothing if it could not be read.
    masked : numpy array
        What was handed in as missing.
    fault : str
        Why it is no column; empty if it is one.
    heads : tuple of str, optional
        Names of the columns of a table.
    """

    name: str
    values: Values
    masked: Flags
    fault: str = ""
    heads: tuple[Any, ...] | None = None

    def __len__(self) -> int:
        return len(self.values)

    @property
    def is_table(self) -> bool:
        """Whether it has several columns."""
        return self.values.ndim == 2

    @cached_property
    def missing(self) -> Flags:
        """Whether there is no value: None, NaN, NaT, or what frame libraries have for it."""
        return self.masked | _missing(self.values)

    @cached_property
    def numbers(self) -> Floats:
        """The numbers, also if they were written as text; NaN where there is none."""
        return np.where(self.masked, np.nan, _numbers(self.values))

    @cached_property
    def text(self) -> Flags:
        """Whether there is something that is not a number, though text may read as one."""
        kind = self.values.dtype.kind
        if kind in "biuf":
            return np.zeros(self.values.shape, dtype=bool)
        if kind != "O":
            return ~self.missing
        written = [isinstance(item, str | bytes) for item in self.values.ravel().tolist()]
        as_text = np.array(written, dtype=bool).reshape(self.values.shape)
        return ~self.missing & (as_text | np.isnan(self.numbers))

    @cached_property
    def labels(self) -> dict[Any, int]:
        """How often each value is there, in order; missing ones do not count."""
        found = _counted(self.values[~self.missing])
        try:
            return dict(sorted(found.items()))
        except TypeError:  # of several kinds, which have no order
            return dict(sorted(found.items(), key=lambda item: (str(type(item[0])), repr(item[0]))))

    @cached_property
    def count(self) -> int:
        """The number of distinct values."""
        present = self.values[~self.missing]
        if present.dtype.kind not in NUMBERS:
            return len(set(_hashable(present)))
        return len(distinct_values(present))

    @cached_property
    def codes(self) -> NDArray[np.intp]:
        """The number of each value, from 0 on, in no order; -1 for all that is missing."""
        found = np.full(self.values.shape, -1, dtype=np.intp)
        present = self.values[~self.missing]
        if present.dtype.kind in NUMBERS:
            code = np.unique(present, return_inverse=True)[1].reshape(-1)
        else:
            # Faster than to sort text, and kinds that have no order are no matter.
            items = _hashable(present)
            number = {item: k for k, item in enumerate(dict.fromkeys(items))}
            code = np.fromiter(map(number.__getitem__, items), np.intp, len(items))
        found[~self.missing] = code
        return found

    def rows_with(self, flags: Flags) -> Flags:
        """Tell in which rows a flag is up."""
        return np.asarray(flags.any(axis=1)) if flags.ndim == 2 else flags


def read_raw(x: Any, name: str) -> RawColumn:
    """Read whatever was handed in; what is no column is empty, and says why."""
    masked = np.ma.getmaskarray(x) if isinstance(x, np.ma.MaskedArray) else None
    try:
        values = to_numpy(
            without_gradient(as_array(np.ma.getdata(x) if masked is not None else x, "it"))
        )
    except DataError as error:
        return _faulty(name, str(error).split("\n", maxsplit=1)[0])
    masked = np.zeros(values.shape, dtype=bool) if masked is None else masked
    if values.ndim == 2 and values.shape[1] == 1:
        fault = "it has two dimensions, of which the second has a single column"
        return RawColumn(name, values[:, 0], masked[:, 0], fault)
    if values.ndim not in (1, 2) or values.shape[1:] == (0,):
        return _faulty(name, f"it has the shape {values.shape}")
    return RawColumn(name, values, masked, "", column_names(x))


def distinct_values(x: Values) -> Values:
    """Return the distinct values, in order; numpy's own way to them is slower if all differ."""
    x = np.sort(x)
    new = np.ones(len(x), dtype=bool)
    new[1:] = x[1:] != x[:-1]
    return np.asarray(x[new])


def _faulty(name: str, fault: str) -> RawColumn:
    return RawColumn(name, np.empty(0), np.empty(0, dtype=bool), fault)


def _missing(x: Values) -> Flags:
    if x.dtype.kind in "fc":
        return np.isnan(x)
    if x.dtype.kind in "mM":
        return np.isnat(x)
    if x.dtype.kind != "O":
        return np.zeros(x.shape, dtype=bool)
    items = x.ravel().tolist()
    if set(map(type, items)) <= PLAIN:
        found = [item is None or item != item for item in items]  # noqa: PLR0124
    else:
        found = [_is_missing(item) for item in items]
    return np.array(found, dtype=bool).reshape(x.shape)


def _is_missing(item: Any) -> bool:
    """Tell a missing value by what it does: it differs from itself, or will not say."""
    try:
        return item is None or not bool(item == item)  # noqa: PLR0124
    except (TypeError, ValueError, ArithmeticError):
        return True


def _numbers(x: Values) -> Floats:
    """Make floats of what reads as a number, and NaN of everything else."""
    kinds = set(map(type, x.ravel().tolist())) if x.dtype.kind == "O" else set()
    if x.dtype.kind in "biufSU" or (kinds and kinds <= PLAIN_NUMBERS):
        try:
            with np.errstate(over="ignore"):
                return x.astype(np.float64)
        except (ValueError, OverflowError):
            pass
    if x.dtype.kind not in "OSU":
        return np.full(x.shape, np.nan)
    found = [_number(item) for item in x.flat]
    return np.array(found, dtype=np.float64).reshape(x.shape)


def _number(item: Any) -> float:
    if getattr(item, "shape", ()) != ():
        return np.nan
    try:
        return float(item)
    except (TypeError, ValueError, OverflowError):
        return np.nan


def _counted(x: Values) -> Counter[Any]:
    if x.dtype.kind in "OSU":
        return Counter(_hashable(x))
    found, count = np.unique(x, return_counts=True)
    return Counter(dict(zip(found.tolist(), count.tolist(), strict=True)))


def _hashable(x: Values) -> list[Any]:
    """List values: numbers as Python's own, and all as text if they cannot be looked up."""
    items: list[Any] = x.tolist()
    if x.dtype.kind == "O":
        items = [item.item() if isinstance(item, np.number | np.bool_) else item for item in items]
    try:
        set(items)
    except TypeError:
        return [repr(item) for item in items]
    return items
