"""The first line of a CSV file: what separates its fields, and how its columns are called."""

from __future__ import annotations

import codecs
import csv
import io
from contextlib import suppress
from typing import NamedTuple

from properly.engines._files._checks import NUMBER
from properly.errors import DataError

SEPARATORS = ",;\t|"


class Header(NamedTuple):
    """The names of the columns, None for one without, the separator, and empty lines above."""

    names: tuple[str | None, ...]
    separator: str
    blank: int


def header_of(name: str, text: str, separators: str = SEPARATORS) -> Header:
    """Find the header in the beginning of a CSV file."""
    found = [(_first_records(text, separator), separator) for separator in separators]
    (first, *_), separator = max(found, key=lambda pair: _plausible(pair[0]))
    if not first:
        message = f"a file must have columns and rows; {name!r} is empty"
        raise DataError(message)
    names = tuple(field.strip() or None for field in first)
    if all(field is None or NUMBER.fullmatch(field) for field in names):
        message = (
            f"the first line of a CSV file must name its columns; that of {name!r} is "
            f"{separator.join(first)[:40]!r}"
        )
        raise DataError(message)
    above = text[: len(text) - len(text.lstrip("\r\n"))]
    return Header(names, separator, len(above.splitlines()))


def decoded(name: str, head: bytes) -> str:
    """Take the first bytes of a file as text in UTF-8, the only encoding that is read."""
    try:
        return codecs.getincrementaldecoder("utf-8-sig")().decode(head)
    except UnicodeDecodeError as error:
        line = head.count(b"\n", 0, error.start) + 1
        raise no_utf8(name, line) from None


def no_utf8(name: str, line: int) -> DataError:
    """Refuse a file that is in another encoding."""
    message = f"a CSV file must be text in UTF-8; line {line} of {name!r} is not"
    return DataError(message, hint='save it again; spreadsheets call this "CSV UTF-8".')


def _first_records(text: str, separator: str) -> list[list[str]]:
    """Return the header and the record below it; a header is empty where nothing can be read."""
    records: list[list[str]] = []
    with suppress(csv.Error):
        for record in csv.reader(io.StringIO(text.lstrip("\r\n"), newline=""), delimiter=separator):
            records.append(record)
            if len(records) == 2:
                break
    return records or [[]]


def _plausible(records: list[list[str]]) -> tuple[bool, int]:
    """Prefer a separator that occurs, and as often in the first record as in the header."""
    counts = [len(record) for record in records]
    return len(set(counts)) == 1 and counts[0] > 1, counts[0]
