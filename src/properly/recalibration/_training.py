"""What a map was fitted to: totals, effective numbers and a checksum, never the rows."""

from __future__ import annotations

import hashlib
import math
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from properly._boundary._chunks import sweep
from properly._boundary._libraries import to_numpy
from properly._boundary._record import Record, once
from properly.counts._cases import Cases
from properly.counts._class_rows import ClassTable, rows_of
from properly.counts._tally import Tally, as_tally, sums_of
from properly.errors import DataError
from properly.inference._logistic import logit
from properly.typing import Column


@dataclass(frozen=True, eq=False)
class Sample:
    """The rows of a tally as numpy's arrays, with the squared weights of both outcomes.

    Attributes
    ----------
    value, weight, events : numpy array
        Forecasts in double precision; cases and events, or sums of their weights.
    event_squares, none_squares : numpy array or None
        Sums of squared weights of events and of others; None if cases were counted.
    """

    value: Column
    weight: Column
    events: Column
    event_squares: Column | None = None
    none_squares: Column | None = None

    @classmethod
    def of(cls, tally: Tally) -> Sample:
        """Take the columns of a tally, once: several maps are fitted to the same."""

        def made() -> Sample:
            value, *counts = map(to_numpy, (tally.value, *sums_of(tally)))
            return cls(value.astype(np.float64, copy=False), *counts)

        return once(tally, "_sample", made)

    @cached_property
    def log_odds(self) -> Column:
        """The log odds of the forecasts."""
        result = np.empty_like(self.value)
        sweep(lambda out, value: np.copyto(out, logit(value)), result, self.value)
        return result

    @cached_property
    def logarithms(self) -> tuple[Column, Column]:
        """The logarithms of the forecasts, and minus those of their complements."""
        log = np.log(self.value)
        return log, self.log_odds - log

    @property
    def squares(self) -> Column:
        """The sums of squared weights; of counts, the counts themselves."""
        if self.event_squares is None or self.none_squares is None:
            return self.weight
        return self.event_squares + self.none_squares

    @cached_property
    def totals(self) -> tuple[float, float]:
        """The weight of all cases, and that of events."""
        return float(self.weight.sum()), float(self.events.sum())

    @cached_property
    def event_numbers(self) -> tuple[float, float]:
        """How many events and how many others there are; of weighted ones, effectively."""
        total, events = self.totals
        if self.event_squares is None or self.none_squares is None:
            return events, total - events
        none = float((self.weight - self.events).sum())
        return _effective(events, self.event_squares), _effective(none, self.none_squares)

    @property
    def effective(self) -> float:
        """As many cases of equal weight would say as much."""
        return _effective(self.totals[0], self.squares)

    def some(self, rows: Column | slice) -> Sample:
        """Keep some of the rows."""
        columns = (self.value, self.weight, self.events, self.event_squares, self.none_squares)
        return Sample(*(None if x is None else x[rows] for x in columns))  # type: ignore[arg-type]

    def inside(self) -> Sample:
        """Keep the forecasts that are not certain, which are between the first and the last."""
        certain = self.value[0] == 0, self.value[-1] == 1
        if not any(certain):
            return self
        return self.some(slice(int(certain[0]), len(self.value) - int(certain[1])))


def _effective(total: float, squares: Column) -> float:
    square = float(squares.sum())
    return total**2 / square if square else 0.0


def as_event_tally(
    source: object, p: object = None, columns: dict[str, Any] | None = None
) -> Tally:
    """Take a tally, cases of an event, or outcomes and forecasts."""
    if p is not None and set(columns or {}) <= {"weight", "count", "pos_label"}:
        # Rows that are only counted need no copy, and no repetition.
        return Tally.from_arrays(source, p, **(columns or {}))
    return as_tally(source if p is None else Cases(source, p, **(columns or {})))


@dataclass(frozen=True, eq=False)
class Training(Record):
    """What a map was fitted to.

    Attributes
    ----------
    cases : int or None
        How many cases; None of weighted ones, whose tally does not say.
    weight, effective : float
        Their weight, and how many cases of equal weight would say as much.
    events : float or tuple of floats
        How many of them, or how much of their weight, had the event; or each of the classes.
    distinct : int
        Distinct forecasts, or rows of them.
    mean_forecast : float or tuple of floats
        The mean forecast, or that of each class.
    sha256 : str
        The checksum of the table of forecasts, cases and events.

    Examples
    --------
    >>> import properly
    >>> tally = properly.Tally.from_counts([0.2, 0.7], [40, 40], [10, 30])
    >>> training = properly.recalibration.Logistic().fit(tally).training
    >>> training.cases, training.events, training.sha256[:8]
    (80, 40.0, 'eb43cb17')
    """

    cases: int | None
    weight: float
    effective: float
    events: Any
    distinct: int
    mean_forecast: Any
    _checksum: str | None = field(default=None, repr=False)
    _tally: Tally | ClassTable | None = field(default=None, repr=False)

    @classmethod
    def of(cls, tally: Tally) -> Training:
        """Add up a tally; the checksum takes longer than a fit, and waits until it is needed."""
        sample = Sample.of(tally)
        weight, events = sample.totals
        counted = tally.event_squares is None
        sums = sweep(lambda w, p: float((w * p).sum()), sample.weight, sample.value)
        return cls(
            cases=int(tally.total) if counted else None,
            weight=weight,
            effective=weight if counted else sample.effective,
            events=events,
            distinct=len(tally),
            mean_forecast=math.fsum(sums) / weight,
            _tally=tally,
        )

    @classmethod
    def of_classes(cls, cases: Cases) -> Training:
        """Add up cases of several classes, once for all maps that are fitted to them."""
        return once(cases, "_training", lambda: cls._of_table(rows_of(cases)))

    @classmethod
    def _of_table(cls, table: ClassTable) -> Training:
        weight = float(table.weight.sum())
        events = np.bincount(table.y, table.weight, minlength=len(table.names))
        # Zeros have one sign, and whole rows are told apart at once.
        row = np.dtype((np.void, table.p.itemsize * len(table.names)))
        rows = np.ascontiguousarray(table.p + 0.0).view(row)
        return cls(
            cases=int(weight) if table.counted else None,
            weight=weight,
            effective=weight**2 / float(table.square.sum()),
            events=tuple(events.tolist()),
            distinct=len(np.unique(rows)),
            mean_forecast=tuple((table.weight @ table.p / weight).tolist()),
            _tally=table,
        )

    @property
    def sha256(self) -> str:
        """The checksum of the table of forecasts, cases and events."""
        if self._checksum is None and self._tally is not None:
            object.__setattr__(self, "_checksum", checksum(self._tally))
            # Rows are not kept longer than they are needed.
            object.__setattr__(self, "_tally", None)
        return self._checksum or ""

    def is_of(self, tally: Tally | ClassTable) -> bool:
        """Tell whether these are the very cases that the map was fitted to."""
        if isinstance(tally, Tally) and self.distinct != len(tally):
            return False
        return self.weight == float(tally.weight.sum()) and self.sha256 == checksum(tally)

    def _row(self) -> dict[str, Any]:
        names = ("cases", "weight", "effective", "events", "distinct", "mean_forecast", "sha256")
        return {name: getattr(self, name) for name in names}

    def __getstate__(self) -> dict[str, Any]:
        """Leave the rows behind."""
        return {**vars(self), "_checksum": self.sha256, "_tally": None}


def checksum(tally: Tally | ClassTable) -> str:
    """Return SHA-256 of the lines of forecast, cases and events, as Python writes floats.

    Of classes they are lines of forecasts, class and cases.
    """
    if isinstance(tally, ClassTable):
        columns = _class_columns(tally)
    else:
        sample = Sample.of(tally)
        columns = [sample.value, *(x.astype(float) for x in (sample.weight, sample.events))]
    lines = (" ".join(map(repr, row)) for row in zip(*(x.tolist() for x in columns), strict=True))
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


def _class_columns(table: ClassTable) -> list[Column]:
    """Sort rows by forecasts and class, and add up the weights of equal ones."""
    keys = [*(table.p + 0.0).T, table.y]
    order = np.lexsort(keys[::-1])
    keys = [x[order] for x in keys]
    new = np.append(True, np.any([x[1:] != x[:-1] for x in keys], axis=0))
    start = np.flatnonzero(new)
    weight = np.add.reduceat(table.weight[order].astype(np.float64), start)
    return [*(x[start] for x in keys), weight]


def require_both_outcomes(sample: Sample, where: str = "") -> None:
    """Refuse events alone, and none."""
    events, none = sample.event_numbers
    if events == 0 or none == 0:
        what = "no events" if events == 0 else "only events"
        message = f"a map needs events and non-events; got {what}{where}"
        raise DataError(message, hint="what was never seen cannot be learnt; take more cases.")
