"""What may be wrong with any column: it cannot be read, is too short, or holds no numbers."""

from __future__ import annotations

from hashlib import blake2b
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from properly._boundary._plain import many
from properly.evaluation._checkup._symptom import Symptom, of_column, of_rows, quoted, so_many

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from properly.evaluation._checkup._raw import RawColumn
    from properly.evaluation._checkup._sheet import Sheet

    Flags: TypeAlias = NDArray[np.bool_]

ONE_ROW = "Every column needs one row a case, in the same order. Were rows filtered in one of them?"


def unreadable(sheet: Sheet) -> Iterator[Symptom]:
    """Find what is no column at all, such as a single number or rows of unequal length."""
    for column in sheet.columns:
        if column.fault:
            advice = "Pass a list, an array or a column of one dimension, with one entry a case."
            yield of_column("problem", column.name, len(column), column.fault, advice)


def wrong_shape(sheet: Sheet) -> Iterator[Symptom]:
    """Find several columns where one is needed, or one where there should be one a class."""
    for column in sheet.models.values():
        if column.fault and not len(column):
            continue
        if sheet.of_event and column.is_table:
            what = f"it has {column.values.shape[1]} columns, though one event is forecast"
            advice = "Pass the column of the event, such as p[:, 1], or task='multiclass'."
            yield of_column("problem", column.name, len(column), what, advice)
        elif not sheet.of_event and not column.is_table:
            what = "it has one column, though several classes are forecast"
            advice = "Pass one column a class, or task='binary' for all models."
            yield of_column("problem", column.name, len(column), what, advice)
    tables = [sheet.outcome] if sheet.of_event else []
    for column in (*tables, *sheet.beside.values()):
        if column.is_table:
            what = f"it has {column.values.shape[1]} columns instead of one"
            advice = "Pass one entry a case."
            yield of_column("problem", column.name, len(column), what, advice)


def no_rows(sheet: Sheet) -> Iterator[Symptom]:
    """Find a table without rows: a filter that let nothing through."""
    if not sheet.outcome.fault and not len(sheet.outcome):
        advice = "Is this the right file, and did a filter let nothing through?"
        yield of_column("problem", "outcome", 0, "there are no rows", advice)


def lengths(sheet: Sheet) -> Iterator[Symptom]:
    """Find columns of different lengths: rows that do not belong together."""
    rows = len(sheet.outcome)
    if sheet.outcome.fault and not rows:
        return
    others = [x for x in sheet.columns[1:] if len(x) or not x.fault]
    models = {len(x) for x in others if x.name in sheet.models}
    if len(models) == 1 and models != {rows} and len(sheet.models) > 1:
        what = f"it has {many(rows, 'row')}, every model {many(models.pop(), 'row')}"
        yield of_column("problem", "outcome", rows, what, ONE_ROW)
        others = [x for x in others if x.name not in sheet.models]
    for column in others:
        if len(column) != rows:
            what = f"it has {many(len(column), 'row')}, the outcome {many(rows, 'row')}"
            yield of_column("problem", column.name, len(column), what, ONE_ROW)


def missing(sheet: Sheet) -> Iterator[Symptom]:
    """Find missing values: nothing is filled in or left out in silence."""
    for column in sheet.columns:
        bad = column.rows_with(column.missing)
        if bad.any():
            what = _some(bad, column, sheet, "missing")
            them = "that row" if bad.sum() == 1 else "those rows"
            advice = f"Drop {them} first; on the command line, --missing drop."
            yield of_rows("problem", column.name, bad, what, advice)


def text(sheet: Sheet) -> Iterator[Symptom]:
    """Find text where numbers should be; if all is text, the entries that read as none."""
    for column in _of_numbers(sheet):
        if column.text.any():
            yield _about_text(column)


def infinite(sheet: Sheet) -> Iterator[Symptom]:
    """Find infinite numbers, as a division by zero leaves them."""
    for column in _of_numbers(sheet):
        bad = column.rows_with(np.isinf(column.numbers))
        if bad.any():
            what = _some(bad, column, sheet, "infinite")
            advice = "Find where they come from, such as a division by zero or an overflow."
            yield of_rows("problem", column.name, bad, what, advice)


def identical(sheet: Sheet) -> Iterator[Symptom]:
    """Find models with the same forecasts: a column that was copied, or read twice."""
    first: dict[bytes, str] = {}
    for column in sheet.models.values():
        if not len(column):
            continue
        other = first.setdefault(_digest(column), column.name)
        if other != column.name:
            what = f"its forecasts are those of {quoted(other)}, to the last digit"
            advice = "Was a column copied or read twice? Leave one of the two out."
            yield of_column("oddity", column.name, len(column), what, advice)


COLUMNS = (unreadable, wrong_shape, no_rows, lengths, missing, text, infinite, identical)


def column_symptoms(sheet: Sheet) -> Iterator[Symptom]:
    """Look at each column by itself."""
    for check in COLUMNS:
        yield from check(sheet)


def _of_numbers(sheet: Sheet) -> list[RawColumn]:
    """Name the columns that must hold numbers."""
    weight = sheet.beside.get("weight")
    return [*sheet.models.values(), *([] if weight is None else [weight])]


def _some(bad: Flags, column: RawColumn, sheet: Sheet, what: str) -> str:
    """Say how many entries are missing or infinite, and call them by what they are."""
    count = int(bad.sum())
    if column.is_table:
        has = "has" if count == 1 else "have"
        return f"{count:,} of {many(len(column), 'row')} {has} {what} entries"
    name = column.name if column.name in ("outcome", "weight") else "value"
    entry = "forecast" if sheet.models.get(column.name) is column else name
    return f"{so_many(count, len(column), entry)} {what}"


def _about_text(column: RawColumn) -> Symptom:
    strange = column.text & np.isnan(column.numbers)
    everything = bool((column.text | column.missing).all())
    flags = strange if everything and strange.any() else column.text
    bad, value = column.rows_with(flags), column.values[flags][0]
    has = "has" if bad.sum() == 1 else "have"
    what = f"{bad.sum():,} of {many(len(column), 'row')} {has} no number but {quoted(value)}"
    if everything and not strange.any():
        what = f"all numbers are written as text, such as {quoted(value)}"
    advice = "Convert text to numbers first."
    if isinstance(value, str) and _reads_with_point(value):
        advice = "Write decimals with a point, not a comma, and without a percent sign."
    return of_rows("problem", column.name, bad, what, advice)


def _reads_with_point(value: str) -> bool:
    """Tell numbers with a decimal comma or a percent sign."""
    try:
        float(value.replace(",", ".").rstrip(" %"))
    except ValueError:
        return False
    return "," in value or "%" in value


def _digest(column: RawColumn) -> bytes:
    shape = repr(column.values.shape).encode()
    # Adding 0 makes -0.0 and 0.0 one number, as they are to any rule.
    return blake2b(shape + (column.numbers + 0.0).tobytes()).digest()
