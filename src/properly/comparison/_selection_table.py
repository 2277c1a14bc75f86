"""The records of epochs that were selected, and what they are worth on test data."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from statistics import fmean
from typing import TYPE_CHECKING, Any

from properly._boundary._frames import to_frame
from properly._boundary._plain import many, plain, printable
from properly._boundary._tables import table, wrapped
from properly.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from properly._boundary._frames import Backend

# Changes of sign that are drawn if there are too many to try all.
REPLICATES = 1999
SIGNS = "sign flips"
ALONE = "One independent unit says nothing about chance: there are no intervals and no p-values."


@dataclass(frozen=True, repr=False)
class Selection:
    """What one metric tells on test data, at the epochs that another one selected.

    Attributes
    ----------
    way : {"checkpoint", "early stopping"}
        How epochs were selected.
    by, report : str
        The metric that selected them on validation data, and the one that is told on test data.
    mean, standard_deviation : float
        Over runs, each counting alike. NaN is the standard deviation of one run.
    difference : float
        The mean, less that of the epochs that the baseline selected; NaN for the baseline itself,
        and without one.
    interval : pair of floats
        The ends of its interval; NaN if there is one independent unit, and where nothing varied.
    p_value, adjusted_p_value : float
        Of no difference; adjusted by Holm's method for all differences of the report.
    method : str
        How the p-value was found; empty if there is none.
    epochs : tuple of int
        The epoch selected in each run, counted from 0.
    values : tuple of float
        What is told of each run.

    Examples
    --------
    >>> import properly
    >>> run = properly.TrainingRun({"log": [0.9, 0.7, 0.8]}, {"error": [0.6, 0.5, 0.4]})
    >>> (one,) = properly.selection_report([run], by="log", report="error")
    >>> one
    Selection(error 0.5, checkpoint by log, 1 run)
    >>> one.epochs, one.values
    ((1,), (0.5,))
    """

    way: str
    by: str
    report: str
    mean: float
    standard_deviation: float
    difference: float
    interval: tuple[float, float]
    p_value: float
    adjusted_p_value: float
    method: str
    epochs: tuple[int, ...]
    values: tuple[float, ...]

    def __repr__(self) -> str:
        told = f"{self.report} {self.mean:.4g}, {self.way} by {self.by}"
        return f"Selection({told}, {many(len(self.values), 'run')})"


@dataclass(frozen=True, repr=False)
class SelectionReport:
    """What metrics that select the epoch are worth on test data.

    Iterating gives all selections, and ``report["checkpoint", "log", "macro_f1"]`` one of them.

    Attributes
    ----------
    selections : tuple of Selection
        One a way to select, a metric that selects and a metric that is told.
    by, report : tuple of str
        The metrics that select, and those that are told.
    larger : tuple of str
        The metrics for which larger was taken to be better.
    baseline : str or None
        What the others are compared with.
    patience : int or None
        That of early stopping.
    runs, units : int
        How many runs there were, and how many of them, or clusters of them, were independent.
    design : str
        The same in words.
    level : float
        How sure intervals are to hold the true differences.

    Examples
    --------
    >>> import properly
    >>> run = properly.TrainingRun({"log": [0.9, 0.7, 0.8]}, {"error": [0.6, 0.5, 0.4]})
    >>> found = properly.selection_report([run], by="log", report="error")
    >>> found
    SelectionReport(1 selection, 1 independent run)
    >>> found["checkpoint", "log", "error"].mean
    0.5
    """

    selections: tuple[Selection, ...]
    by: tuple[str, ...]
    report: tuple[str, ...]
    larger: tuple[str, ...]
    baseline: str | None
    patience: int | None
    runs: int
    units: int
    design: str
    level: float

    def __len__(self) -> int:
        """Count the selections."""
        return len(self.selections)

    def __iter__(self) -> Iterator[Selection]:
        """Go through the selections."""
        return iter(self.selections)

    def __getitem__(self, key: tuple[str, str, str]) -> Selection:
        """Return the selection of a way, a metric that selects and one that is told."""
        for one in self.selections:
            if _key(one) == key:
                return one
        message = f"a selection is found by its way, by what selects and what is told; got {key!r}"
        raise DataError(message, hint=f"such as {_key(self.selections[0])!r}.")

    def __repr__(self) -> str:
        return f"SelectionReport({many(len(self), 'selection')}, {self.design})"

    def __str__(self) -> str:
        """Lay out a table for each metric that is told, and say what the numbers rest on."""
        parts = [f"at the epochs selected on validation data; {self.design}"]
        for name in self.report:
            better = "higher" if name in self.larger else "lower"
            title = f"{printable(name)} on test data ({better} is better)"
            parts.append(f"{title}\n{self._table(name)}")
        return "\n\n".join([*parts, "\n".join(map(wrapped, self._notes()))])

    def _table(self, name: str) -> str:
        head = ["way", "by", "epoch", "mean", "sd"]
        if self.baseline is not None:
            interval = f"{100 * self.level:g} % interval"
            head += [f"less {printable(self.baseline)}", interval, "adjusted p"]
        lines = [self._line(one)[: len(head)] for one in self if one.report == name]
        return table(head, lines, left=2)

    def _line(self, one: Selection) -> list[str]:
        known = one.interval[0] <= one.interval[1]
        ends = "{:.4f} to {:.4f}".format(*one.interval) if known else "-"
        numbers = map(_number, (one.mean, one.standard_deviation, one.difference))
        epoch, p = f"{fmean(one.epochs):.1f}", _number(one.adjusted_p_value, ".3g")
        return [one.way, one.by, epoch, *numbers, ends, p]

    def _notes(self) -> list[str]:
        """Say what the numbers rest on."""
        told = ["epoch, mean: over runs; sd: their standard deviation, which is no standard error."]
        if self.baseline is None:
            return told
        if self.units < 2:
            return [*told, ALONE]
        units = f"{self.units} independent units"
        told.append(
            f"Differences are taken run by run; their intervals are Student's t over {units}. "
            f"p-values are adjusted by Holm's method for {many(self._compared, 'difference')}."
        )
        if all(one.method in ("", SIGNS) for one in self):
            least = max(2.0 ** (1 - self.units), 1 / (1 + REPLICATES))
            never = f"none can be below {least:.3g}"
            told.append(f"They come from changes of sign: with {units}, {never}.")
        return told

    @property
    def _compared(self) -> int:
        return sum(not math.isnan(one.p_value) for one in self)

    def to_dict(self) -> dict[str, Any]:
        """Return all fields as JSON can hold them."""
        found: dict[str, Any] = plain(asdict(self))
        return found

    def to_frame(self, backend: Backend | None = None) -> Any:
        """Return one row a selection, without its runs, as a polars, pandas or pyarrow frame."""
        rows = [asdict(one) for one in self]
        for row in rows:
            row["lower"], row["upper"] = row.pop("interval")
            del row["epochs"], row["values"]
        return to_frame({name: [row[name] for row in rows] for name in rows[0]}, backend)


def _number(x: float, form: str = ".4f") -> str:
    return "-" if math.isnan(x) else f"{x:{form}}"


def _key(one: Selection) -> tuple[str, str, str]:
    return one.way, one.by, one.report
