"""Files as batches of a monitor: forecasts, outcomes, or both, and whose they are."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from properly._boundary._labels import require_columns
from properly._boundary._text import printable
from properly.cli._chosen import Places, as_outcomes, say, without_percent
from properly.engines._files._read import open_files
from properly.errors import DataError
from properly.evaluation._monitor._claims import Added

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from properly import Monitor
    from properly.engines._files._checks import FileRows
    from properly.engines._files._read import Files
    from properly.typing import Column

# Whole numbers that went through a column of floats.
WHOLE = re.compile(r"(-?[0-9]+)\.0+")


@dataclass(frozen=True)
class BatchColumns:
    """Which columns of a file hold what.

    Attributes
    ----------
    outcome : str
        The column of outcomes.
    forecast : tuple of str
        Those of forecasts, by which models are called.
    id, clusters, groups : str or None
        Those of what else is known of the cases.
    percent : bool
        Whether forecasts are in percent.
    """

    outcome: str
    forecast: tuple[str, ...]
    id: str | None = None
    clusters: str | None = None
    groups: str | None = None
    percent: bool = False

    def of(self, files: Files) -> BatchColumns:
        """Leave out what a file need not have; refuse one that lacks what it must have."""
        names = set(files.names)
        has_forecasts = bool(names & set(self.forecast))
        has_outcome = self.outcome in names
        beside = [x for x in (self.clusters, self.groups) if x is not None]
        needed = [] if self.id is None else [self.id]
        if self.id is None or has_forecasts or not has_outcome:
            needed += [*self.forecast, *beside]
        if self.id is None:
            needed.append(self.outcome)
        require_columns(needed, files.names, f"the file {printable(files.tables[0].file.name)}")
        kept = replace(self, outcome=self.outcome if has_outcome else "")
        return kept if has_forecasts else replace(kept, forecast=(), clusters=None, groups=None)

    @property
    def columns(self) -> list[str]:
        """All columns that are read, each once."""
        several = (self.id, self.outcome, *self.forecast, self.clusters, self.groups)
        return list(dict.fromkeys(name for name in several if name))


def feed(
    monitor: Monitor, reading: BatchColumns, paths: Sequence[str], missing: str
) -> Iterator[tuple[str, Added]]:
    """Add files in turn, each a batch; name each with what became of its rows."""
    for path in paths:
        with open_files(path) as files:
            for table in files.tables:
                one = replace(files, tables=(table,))
                yield printable(table.file.name), _add(monitor, reading.of(one), one, missing)


def _add(monitor: Monitor, reading: BatchColumns, files: Files, missing: str) -> Added:
    if not files.count():
        return Added()
    # What is 12e4 in one file must not be 120000 in another, where all ids look like numbers.
    for name in (reading.id, reading.groups):
        if name is not None:
            files.keep_text(name)
    rows = files.read(reading.columns)
    if reading.percent:
        rows = without_percent(rows, reading.forecast)
    rows = rows.with_numbers(reading.forecast)
    columns, places = _without_gaps(rows, reading, missing)
    y = None
    if reading.outcome:
        gone = rows.missing[reading.outcome][places.kept]
        y = _outcomes(columns[reading.outcome], gone, reading.outcome, monitor.options["pos_label"])
    labels = {
        "ids": _labels(columns, reading.id),
        "clusters": None if reading.clusters is None else columns[reading.clusters],
        "groups": _labels(columns, reading.groups),
    }
    forecasts = {name: columns[name] for name in reading.forecast} or None
    with places.naming():
        return monitor.add(y, forecasts, **labels, once=reading.id is None)


def _without_gaps(
    rows: FileRows, reading: BatchColumns, missing: str
) -> tuple[dict[str, Column], Places]:
    """Refuse or drop rows that lack a value; outcomes may lack one, and follow by their ids."""
    may_lack = () if missing == "drop" and reading.id is None else (reading.outcome,)
    others = {name: gone for name, gone in rows.missing.items() if name not in may_lack}
    needed = replace(rows, missing=others)
    columns, dropped = needed.complete(missing)
    say(dropped)
    return columns, Places.of(needed, missing)


def _outcomes(y: Column, gone: Column, column: str, event: object) -> Column:
    """Read outcomes; None where there is none yet."""
    result = np.full(len(y), None, object)
    text = None if event is None else str(event)
    if gone.all():
        return result
    values, _, label = as_outcomes(y[~gone], column, text, None)
    known = values.tolist()
    if isinstance(event, str):
        # The state holds the label as text, whatever outcomes are.
        known = [event if x == label else str(x) for x in known]
    result[~gone] = known
    return result if gone.any() else np.array(known)


def _labels(columns: dict[str, Column], name: str | None) -> Column | None:
    """Return a column of names as text, those that are whole numbers without a point."""
    if name is None:
        return None
    result = np.empty(len(columns[name]), object)
    result[:] = [_plain(str(x)) for x in columns[name].tolist()]
    return result


def _plain(text: str) -> str:
    text = text.strip()
    return match[1] if (match := WHOLE.fullmatch(text)) else text


def give_up(monitor: Monitor, reading: BatchColumns, ids: Sequence[str]) -> int:
    """Give up cases whose outcome will never be known, and count them."""
    if reading.id is None:
        message = "cases are given up by their ids; this state has none"
        raise DataError(message, hint="begin a state with --id COLUMN.")
    return monitor.drop(list(dict.fromkeys(map(_plain, ids))))
