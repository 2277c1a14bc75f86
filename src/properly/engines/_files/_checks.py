"""Checks of rows read from files: what is missing, what is no number, and where."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import NamedTuple

import numpy as np

from properly._boundary._text import first_of, many, printable
from properly.engines._files._paths import File
from properly.errors import DataError
from properly.typing import Column

# As columns of text are read; Python's own float would also take 1_000 and nan.
NUMBER = re.compile(
    r"\s*[+-]?((\d+\.?\d*|\.\d+)(e[+-]?\d+)?|inf|infinity)\s*", re.ASCII | re.IGNORECASE
)
# Files know days as such, but not months, nor days beside months.
ISO = ("%Y-%m", "%Y-%m-%d")
# What else dates are often written like; those that fit are named.
DATES = ("%d.%m.%Y", "%d/%m/%Y", "%m/%d/%Y", "%d-%m-%Y", "%d.%m.%y", "%d %b %Y", "%d.%m.%Y %H:%M")


class FilePart(NamedTuple):
    """How many of the rows come from a file."""

    file: File
    rows: int


@dataclass(frozen=True, eq=False)
class FileRows:
    """Columns of one or several files, one after the other, and where values are missing."""

    columns: Mapping[str, Column]
    missing: Mapping[str, Column]
    parts: tuple[FilePart, ...]

    def __len__(self) -> int:
        """Count the rows."""
        return sum(part.rows for part in self.parts)

    def with_numbers(self, names: Iterable[str]) -> FileRows:
        """Refuse these columns if they hold what is no number, with the row and the value."""
        numbers = {name: self._numbers(name) for name in names}
        return replace(self, columns={**self.columns, **numbers})

    def _numbers(self, name: str) -> Column:
        column, missing = self.columns[name], self.missing[name]
        if column.dtype.kind in "biuf":
            return column
        present = np.flatnonzero(~missing)
        bad = [row for row in present.tolist() if not _reads_as_number(column[row])]
        if bad:
            raise no_number(name, self.place(bad[0]), column[bad[0]], len(bad))
        numbers = np.full(len(column), np.nan)
        numbers[present] = column[present].astype(np.float64)
        return numbers

    def with_dates(self, name: str, form: str | None) -> FileRows:
        """Read a column of text as dates, written in a form or in ISO; numbers are times, too."""
        column, present = self.columns[name], ~self.missing[name]
        if column.dtype.kind == "M" and form is not None:
            message = f"column {name!r} must hold text to be read as {form!r}; it holds dates"
            raise DataError(message, hint="leave out --date-format.")
        if form is None and column.dtype.kind != "O":
            return self
        texts, place = np.unique(column[present].astype(str), return_inverse=True)
        read = [_date(text, ISO if form is None else (form,)) for text in texts.tolist()]
        bad = np.array([date is None for date in read], dtype=bool)[place]
        if bad.any():
            raise self._no_dates(name, form, np.flatnonzero(present)[bad], texts.tolist())
        dates = np.full(len(column), np.datetime64("NaT", "us"))
        dates[present] = np.array(read, dtype="datetime64[us]")[place]
        return replace(self, columns={**self.columns, name: dates})

    def _no_dates(self, name: str, form: str | None, bad: Column, texts: list[str]) -> DataError:
        """Refuse a column for the first of the values that are no dates."""
        such = f" ({len(bad):,} such rows)" if len(bad) > 1 else ""
        what = "numbers, or dates such as 2024-05-31" if form is None else f"dates as {form!r}"
        first = f"{self.place(int(bad[0]))} is {str(self.columns[name][bad[0]])!r}{such}"
        fitting = [each for each in DATES if all(_date(text, (each,)) for text in texts)]
        options = " or ".join(f"--date-format '{each}'" for each in fitting or DATES[:1])
        hint = f"say how dates are written, such as {options}."
        return DataError(f"column {name!r} must hold {what}; {first}", hint=hint)

    @property
    def incomplete(self) -> Column:
        """Flag the rows that lack a value."""
        gone = np.zeros(len(self), dtype=bool)
        for mask in self.missing.values():
            gone |= mask
        return gone

    def with_gaps(self, rows: Column) -> dict[str, Column]:
        """Return some rows of all columns, with None or NaT where a value is missing."""
        filled = {}
        for name, column in self.columns.items():
            is_date = column.dtype.kind == "M"
            none = np.array("NaT", column.dtype) if is_date else np.array(None)
            mask = self.missing[name]
            filled[name] = (np.where(mask, none, column) if mask.any() else column)[rows]
        return filled

    def complete(self, missing: str) -> tuple[dict[str, Column], str | None]:
        """Refuse rows with a missing value or drop them; return the columns, and what was done."""
        gone = self.incomplete
        if not gone.any():
            return dict(self.columns), None
        first = self.place(int(gone.argmax())) if missing == "refuse" else None
        gaps = {name: int(mask.sum()) for name, mask in self.missing.items()}
        dropped = require_present(len(self), int(gone.sum()), lacking(gaps), missing, first)
        return {name: column[~gone] for name, column in self.columns.items()}, dropped

    def place(self, row: int) -> str:
        """Name a row, counted from 0 in its file, and for CSV also the line where that is sure."""
        part, row = self._part(row)
        return place_of(part.file, row, part.rows)

    def lines(self, rows: Iterable[int]) -> list[tuple[str, int]] | None:
        """Give the file and the line of rows; None where that is not sure."""
        places = [self._part(row) for row in rows]
        parts = {part for part, _ in places}
        if not all(_has_a_line_a_row(part.file, part.rows) for part in parts):
            return None
        return [(printable(part.file.name), row + 2) for part, row in places]

    def _part(self, row: int) -> tuple[FilePart, int]:
        """Find the file that a row is from, and its place there."""
        part = self.parts[0]
        for part in self.parts:
            if row < part.rows:
                break
            row -= part.rows
        return part, row


def place_of(file: File, row: int, rows: int) -> str:
    """Name a row of a file, given the number of its rows."""
    name = printable(file.name)
    line = f" (line {row + 2} of {name})" if _has_a_line_a_row(file, rows) else f" of {name}"
    return f"row {row}{line}"


def no_number(name: str, place: str, value: object, count: int) -> DataError:
    """Refuse a column for the first of the values that are no numbers."""
    shown = repr(value) if isinstance(value, str) else str(value)
    such = f" ({count:,} such rows)" if count > 1 else ""
    message = f"column {name!r} must hold numbers; {place} is {shown}{such}"
    return DataError(message, hint=_number_hint(shown))


def lacking(gaps: Mapping[str, int]) -> str:
    """Say how many rows lack each column."""
    listed = [f"{n:,} lack{'s' * (n == 1)} {name!r}" for name, n in gaps.items() if n]
    return first_of(listed)


def require_present(
    rows: int, gone: int, gaps: str, missing: str, first: str | None = None
) -> str | None:
    """Refuse rows with missing values, or say how many are dropped; the first, where known."""
    if not gone:
        return None
    counted = many(rows, "row")
    if missing == "refuse":
        where = "" if first is None else f"; the first is {first}"
        message = f"values must not be missing; of {counted}, {gaps}{where}"
        hint = (
            'missing="drop" leaves such rows out, which biases results where '
            "an outcome is missing because follow-up ended (censored)."
        )
        raise DataError(message, hint=hint)
    if gone == rows:
        message = f"some rows must have no missing values; of {counted}, {gaps}"
        raise DataError(message)
    return f"dropped {gone:,} of {counted} for missing values: {gaps}"


def stacked(columns: list[Column], missing: list[Column]) -> Column:
    """Put the same column of several files below one another; numbers beside text become text."""
    pairs = list(zip(columns, missing, strict=True))
    types = [column.dtype for column, mask in pairs if not mask.all()]
    if len(columns) == 1 or not types:
        return np.concatenate(columns)
    kinds = {dtype.kind for dtype in types}
    if kinds <= set("biuf") or len(kinds) == 1:
        target = np.result_type(*types)
        # A column without any value fits every kind.
        return np.concatenate(
            [np.zeros(len(x), target) if mask.all() else x.astype(target) for x, mask in pairs]
        )
    return np.concatenate([np.array([str(value) for value in x], object) for x in columns])


def _reads_as_number(value: object) -> bool:
    return isinstance(value, str) and NUMBER.fullmatch(value) is not None


def _date(text: str, forms: Iterable[str]) -> datetime | None:
    """Read a date in the first form that fits, in UTC if it has a zone."""
    for form in forms:
        with suppress(ValueError):
            date = datetime.strptime(text.strip(), form)  # noqa: DTZ007
            return date if date.tzinfo is None else date.astimezone(UTC).replace(tzinfo=None)
    return None


def _number_hint(shown: str) -> str:
    text = shown.strip("'\" ")
    if re.fullmatch(r"[+-]?\d*,\d+", text):
        return "write numbers with a decimal point."
    if re.fullmatch(r"[+-]?[\d.,]+\s*%", text):
        return "for percentages, leave out the sign and divide by 100 first."
    return "a missing value is written as NA, or as nothing."


def _has_a_line_a_row(file: File, rows: int) -> bool:
    """Tell whether each row of a CSV file has a line of its own below the header."""
    if file.format not in ("csv", "tsv"):
        return False
    lines, last = 0, b"\n"
    # The lines are counted for a message only; without the file it does without them.
    with suppress(OSError, EOFError), file.open() as source:
        while chunk := source.read(1 << 20):
            lines, last = lines + chunk.count(b"\n"), chunk[-1:]
        return lines + (last != b"\n") == rows + 1
    return False
