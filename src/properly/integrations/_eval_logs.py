"""Logs of evaluations of language models: read by name, entry by entry, and never run.

Sizes are bounded, so that no small file fills the memory, whoever wrote it. What is damaged, cut
short or something else is refused in words.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from struct import unpack
from typing import TYPE_CHECKING, Any, BinaryIO, TypeAlias
from zlib import crc32

import numpy as np

from properly._boundary._files import ODD, Damaged, opened, require
from properly._boundary._notices import import_extra
from properly._boundary._text import printable
from properly.errors import ArgumentTypeError, DataError
from properly.typing import Column

if TYPE_CHECKING:
    from zipfile import ZipFile, ZipInfo


PathOf: TypeAlias = "str | os.PathLike[str]"
# So many bytes of one sample are read, and of a log that is one text.
MOST_OF_SAMPLE = 1 << 28
MOST_OF_TEXT = 1 << 29
# How a zip file says that an entry is compressed by Zstandard, which zipfile knows from 3.14 on.
ZSTANDARD = 93
KNOWS_ZSTANDARD = sys.version_info >= (3, 14)


def paths_of(logs: PathOf | Iterable[PathOf]) -> list[Path]:
    """Take the name of one log, or of several."""
    given = [logs] if isinstance(logs, str | os.PathLike) else logs
    named = list(given) if isinstance(given, Iterable) else [given]
    for path in named:
        if not isinstance(path, str | os.PathLike):
            message = f"logs must be a path, or a list of paths; got {type(path).__name__}"
            raise ArgumentTypeError(message)
    if not named:
        message = "there must be a log to read; got an empty list"
        raise DataError(message, hint="if it came from a pattern, no file has such a name.")
    return [Path(path) for path in named]


@contextmanager
def open_log(path: Path, kind: str, hint: str) -> Iterator[BinaryIO]:
    """Open a log, and say that it is damaged or of another kind, whatever it is that shows it."""
    with opened(path, "log") as file:
        try:
            yield file
        except DataError:
            raise
        except (Damaged, *ODD):
            message = f"{printable(str(path))} is damaged, or is not a log of {kind}"
            raise DataError(message, hint=hint) from None


def json_of(content: bytes) -> dict[str, Any]:
    """Read a JSON object."""
    found = json.loads(content)
    require(isinstance(found, dict))
    return dict(found)


def entry_of(archive: ZipFile, file: BinaryIO, entry: ZipInfo) -> dict[str, Any]:
    """Read one entry of an archive, a JSON object of bounded size."""
    if entry.file_size > MOST_OF_SAMPLE:
        message = (
            f"a sample may have up to {MOST_OF_SAMPLE >> 20} MiB; "
            f"{printable(entry.filename)} has {entry.file_size >> 20}"
        )
        raise DataError(message)
    if entry.compress_type == ZSTANDARD and not KNOWS_ZSTANDARD:
        return json_of(_unpacked(file, entry))
    with archive.open(entry) as source:
        return json_of(source.read(entry.file_size + 1))


def _unpacked(file: BinaryIO, entry: ZipInfo) -> bytes:
    """Unpack what zipfile does not know how to, with the decoder of pyarrow."""
    arrow = import_extra("pyarrow", extra="app")
    file.seek(entry.header_offset)
    local = file.read(30)
    require(local.startswith(b"PK\x03\x04"))
    # The name and what follows it may be longer here than in the list of entries.
    file.seek(sum(unpack("<HH", local[26:30])), os.SEEK_CUR)
    packed = file.read(entry.compress_size)
    try:
        with arrow.CompressedInputStream(arrow.BufferReader(packed), "zstd") as source:
            content: bytes = source.read(entry.file_size + 1)
    except OSError:
        raise Damaged from None
    require(len(content) == entry.file_size and crc32(content) == entry.CRC)
    return content


def columns_of_rows(rows: list[dict[str, Any]]) -> dict[str, Column]:
    """Turn rows into a column for each name that all of them have."""
    names = [name for name in rows[0] if all(name in row for row in rows)]
    return {name: np.array([row[name] for row in rows]) for name in names}
