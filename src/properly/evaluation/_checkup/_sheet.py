"""All columns side by side, as they were handed in: read without refusing anything."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from properly._boundary._arrays import HUGE, TINY, as_array, missing_values
from properly._boundary._classes import column_names, numbers_are_classes
from properly._boundary._libraries import infinities, to_numpy, without_gradient
from properly._boundary._notices import collected
from properly.counts._cases import Cases
from properly.errors import DataError
from properly.evaluation._checkup._symptom import Flags
from properly.inference import Estimate
from properly.inference._auc import auc_interval
from properly.typing import Column, Floats

# Kinds of numbers, dates and spans of time, which sort fast.
NUMBERS = "biufmM"
# The values of what is no column, and which of them were masked.
NOTHING = np.empty(0), np.empty(0, dtype=bool)


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
    values: Column
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
        return self.masked | missing_values(self.values)

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
        values, codes = self._numbered
        often = np.bincount(codes[codes >= 0], minlength=len(values)).tolist()
        pairs = list(zip(values, often, strict=True))
        try:
            return dict(sorted(pairs))
        except TypeError:  # of several kinds, which have no order
            return dict(sorted(pairs, key=lambda item: (str(type(item[0])), repr(item[0]))))

    @property
    def distinct(self) -> list[Any]:
        """The distinct values, by their numbers."""
        return self._numbered[0]

    @property
    def codes(self) -> Column:
        """The number of each value, from 0 on, in no order; -1 for all that is missing."""
        return self._numbered[1]

    @cached_property
    def _numbered(self) -> tuple[list[Any], Column]:
        present = self.values[~self.missing]
        if present.dtype.kind in NUMBERS:
            distinct, code = np.unique(present, return_inverse=True)
            values = distinct.tolist()
        else:
            # Faster than to sort text, and kinds that have no order are no matter.
            items = _hashable(present)
            number = {item: k for k, item in enumerate(dict.fromkeys(items))}
            values = list(number)
            code = np.fromiter(map(number.__getitem__, items), np.intp, len(items))
        codes = np.full(self.values.shape, -1, dtype=np.intp)
        codes[~self.missing] = code.reshape(-1)
        return values, codes

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
        return RawColumn(name, *NOTHING, str(error).split("\n", maxsplit=1)[0])
    masked = np.zeros(values.shape, dtype=bool) if masked is None else masked
    if values.ndim == 2 and values.shape[1] == 1:
        fault = "it has two dimensions, of which the second has a single column"
        return RawColumn(name, values[:, 0], masked[:, 0], fault)
    if values.ndim not in (1, 2) or values.shape[1:] == (0,):
        return RawColumn(name, *NOTHING, f"it has the shape {values.shape}")
    return RawColumn(name, values, masked, "", column_names(x))


def _numbers(x: Column) -> Floats:
    """Make floats of what reads as a number, and NaN of everything else."""
    if x.dtype.kind not in "biufOSU":
        return np.full(x.shape, np.nan)
    with infinities(), suppress(TypeError, ValueError, OverflowError):
        return x.astype(np.float64)
    return np.array([_number(item) for item in x.flat], dtype=np.float64).reshape(x.shape)


def _number(item: Any) -> float:
    if getattr(item, "shape", ()) != ():
        return np.nan
    try:
        return float(item)
    except (TypeError, ValueError, OverflowError):
        return np.nan


def _hashable(x: Column) -> list[Any]:
    """List values: numbers as Python's own, and all as text if they cannot be looked up."""
    items: list[Any] = x.tolist()
    if x.dtype.kind == "O":
        items = [item.item() if isinstance(item, np.number | np.bool_) else item for item in items]
    try:
        set(items)
    except TypeError:
        return [repr(item) for item in items]
    return items


# Class numbers of outcomes that are missing, and of those that are no class.
MISSING, OUTSIDE = -1, -2


@dataclass(frozen=True, eq=False)
class Sheet:
    """Outcomes, forecasts by model, and what else is known of each case.

    Attributes
    ----------
    outcome : RawColumn
        What happened.
    models : dict of RawColumn
        Forecasts.
    task : str
        ``"binary"``, ``"multiclass"`` or ``"ordinal"``.
    labels : tuple, optional
        Labels of the classes, as they were given.
    pos_label : label
        The label of the event, as it was given.
    beside : dict of RawColumn
        Weights, counts, clusters, groups and times, if given.
    """

    outcome: RawColumn
    models: dict[str, RawColumn]
    task: str
    labels: tuple[Any, ...] | None
    pos_label: object
    beside: dict[str, RawColumn]

    @property
    def of_event(self) -> bool:
        """Whether one event is forecast, not classes."""
        return self.task == "binary"

    @property
    def columns(self) -> list[RawColumn]:
        """Everything that was handed in."""
        return [self.outcome, *self.models.values(), *self.beside.values()]

    @cached_property
    def observed(self) -> Flags:
        """Whether the outcome of each row is known."""
        return ~self.outcome.rows_with(self.outcome.missing)

    @cached_property
    def happened(self) -> Flags | None:
        """Whether the event happened; None if the outcomes do not say so without a guess."""
        labels = self.outcome.labels if self.of_event and not self.outcome.is_table else {}
        event = 1 if self.pos_label is None else self.pos_label
        plain = self.pos_label is not None or set(labels) <= {0, 1}
        if not labels or len(labels) > 2 or not plain or (event not in labels and len(labels) == 2):
            return None
        flags = np.zeros(len(self.outcome), dtype=bool)
        if event in labels:
            flags[self.observed] = self.outcome.values[self.observed] == event
        return flags

    @cached_property
    def weight(self) -> Floats | None:
        """The weights, if they can be used: as many as outcomes, not extreme, some positive."""
        w = self._amounts("weight")
        good = w is not None and ((w == 0) | ((w >= TINY) & (w <= HUGE))).all() and w.any()
        return w if good else None

    @cached_property
    def times(self) -> Floats:
        """How many cases each row stands for: one, unless counts are given that can be used."""
        k = self._amounts("count")
        good = k is not None and ((k >= 0) & (k < np.inf) & (k == np.floor(k))).all() and k.any()
        return np.ones(len(self.outcome)) if k is None or not good else k

    def _amounts(self, name: str) -> Floats | None:
        column = self.beside.get(name)
        fits = column is not None and len(column) == len(self.outcome) and not column.is_table
        return column.numbers if column is not None and fits else None

    @cached_property
    def events(self) -> tuple[EventForecast, ...]:
        """The forecasts of an event, each beside what happened."""
        models = [x for x in self.models.values() if self.of_event and not x.is_table and len(x)]
        return tuple(EventForecast(column, self) for column in models)

    @cached_property
    def classes(self) -> tuple[ClassForecast, ...]:
        """The forecasts of classes, each beside what happened."""
        models = [x for x in self.models.values() if not self.of_event and x.is_table and len(x)]
        return tuple(ClassForecast(column, self) for column in models)


@dataclass(frozen=True, eq=False)
class RawForecast:
    """The forecasts of one model, beside all else."""

    column: RawColumn
    sheet: Sheet

    @property
    def name(self) -> str:
        """The model's name."""
        return self.column.name


class EventForecast(RawForecast):
    """The forecasts of one model, beside the outcomes."""

    @cached_property
    def p(self) -> Floats:
        """The forecasts that are there."""
        return self.column.numbers[~np.isnan(self.column.numbers)]

    @cached_property
    def inside(self) -> bool:
        """Whether all forecasts that are there are probabilities."""
        return len(self.p) > 0 and bool(self.p.min() >= 0) and bool(self.p.max() <= 1)

    @cached_property
    def used(self) -> Flags | None:
        """Rows that can be scored: None if there are none, or if it is not known what happened."""
        happened = self.sheet.happened
        if happened is None or len(happened) != len(self.column) or not self.inside:
            return None
        rows = self.sheet.observed & ~np.isnan(self.column.numbers)
        return rows if rows.any() else None

    @cached_property
    def scored(self) -> tuple[Flags, Floats] | None:
        """What happened, and the forecasts, in the rows that can be scored."""
        if self.used is None or self.sheet.happened is None:
            return None
        return self.sheet.happened[self.used], self.column.numbers[self.used]

    @cached_property
    def is_outcome(self) -> bool:
        """Whether the forecasts are the outcomes, of which there are both."""
        if self.area is None or self.scored is None:
            return False
        return bool((self.scored[0] == self.scored[1]).all())

    @cached_property
    def distinct(self) -> Floats:
        """The distinct forecasts, in order."""
        return np.unique(self.p)

    @cached_property
    def area(self) -> Estimate | None:
        """The area under the ROC curve with DeLong's standard error; None if there is none."""
        if self.scored is None:
            return None
        y, p = self.scored
        if min(y.sum(), (~y).sum()) < 2:
            return None
        with collected():
            return auc_interval(Cases(y, p).tally())


class ClassForecast(RawForecast):
    """The class probabilities of one model, beside the outcomes."""

    @property
    def count(self) -> int:
        """The number of classes."""
        return int(self.column.values.shape[1])

    @cached_property
    def labels(self) -> tuple[Any, ...] | None:
        """What the columns stand for; None if that would be a guess."""
        if self.sheet.labels is not None:
            return self.sheet.labels
        outcomes, heads = self.sheet.outcome.labels, self.column.heads
        words = any(isinstance(label, str | bytes) for label in outcomes)
        if self.sheet.outcome.is_table or not words:
            return tuple(range(self.count))
        if self.sheet.task == "ordinal":
            return None
        if heads is not None and set(outcomes) <= set(heads):
            return heads
        return tuple(outcomes) if len(outcomes) == self.count else None

    @cached_property
    def happened(self) -> Column | None:
        """The class that happened, by its column; negative where there is none."""
        outcome, labels = self.sheet.outcome, self.labels
        if len(outcome) != len(self.column) or labels is None or len(labels) != self.count:
            return None
        if outcome.is_table:
            return _from_one_hot(outcome, self.count)
        if numbers_are_classes(labels):
            words = any(isinstance(label, str | bytes) for label in outcome.labels)
            labels = labels if words else tuple(range(self.count))
        return _looked_up(outcome, labels)

    @property
    def outside(self) -> Flags:
        """Whether the outcome of each row is none of the classes."""
        return np.zeros(0, dtype=bool) if self.happened is None else self.happened == OUTSIDE

    @cached_property
    def has_several_labels(self) -> bool:
        """Whether outcomes are rows of 0 and 1, not always a single 1."""
        y = self.sheet.outcome.numbers
        return y.ndim == 2 and bool(self.outside.any() and np.isin(y, (0, 1)).all())


def _from_one_hot(outcome: RawColumn, count: int) -> Column | None:
    """Find the single 1 of each row."""
    y = outcome.numbers
    if y.shape[1] != count:
        return None
    good = ((y == 0) | (y == 1)).all(axis=1) & ((y == 1).sum(axis=1) == 1)
    missing = outcome.missing.any(axis=1)
    return np.where(good, (y == 1).argmax(axis=1), np.where(missing, MISSING, OUTSIDE))


def _looked_up(outcome: RawColumn, labels: tuple[Any, ...]) -> Column:
    """Look each outcome up among the labels."""
    number = {label: k for k, label in enumerate(labels)}
    table = [number.get(value, OUTSIDE) for value in outcome.distinct]
    return np.array([*table, MISSING], dtype=np.intp)[outcome.codes]
