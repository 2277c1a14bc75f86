"""Arrow files as something that gives its rows batch by batch, again and again.

Nothing of a file is held in memory but the batches that are worked on.

Whether data compressed by zstd are whole; duckdb reads what is cut short without a word.

The frames are walked from header to header, as RFC 8878 lays them out; nothing is unpacked.
"""

from __future__ import annotations

import os
from contextlib import contextmanager
from importlib import import_module
from typing import TYPE_CHECKING, Any, BinaryIO

from properly.errors import MissingExtraError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


class BrokenArrowError(Exception):
    """What pyarrow cannot read."""


def names_in(path: Path) -> list[str]:
    """Return the names of the columns, which may be there twice."""
    with _reader(path) as reader:
        return list(reader.schema.names)


def batches_in(path: Path, place: Path) -> Any:
    """Return a dataset of an Arrow file; a place takes a copy where none can be made of the file.

    A stream cannot be read again, and duckdb takes no floats of 16 bits.
    """
    pyarrow = _pyarrow()
    with _reader(path) as reader:
        halves = any(pyarrow.types.is_float16(field.type) for field in reader.schema)
        if halves or not hasattr(reader, "num_record_batches"):
            _rewrite(pyarrow, reader, place)
            path = place
    files = import_module("pyarrow.fs").LocalFileSystem(use_mmap=True)
    with _in_our_words(pyarrow):
        return import_module("pyarrow.dataset").dataset([str(path)], format="ipc", filesystem=files)


def _pyarrow() -> Any:
    try:
        import_module("pyarrow.ipc")
        return import_module("pyarrow")
    except ImportError:
        message = "an Arrow file needs pyarrow, which is not installed"
        raise MissingExtraError(message, hint="pip install pyarrow") from None


@contextmanager
def _reader(path: Path) -> Iterator[Any]:
    """Open an Arrow file, or a stream of batches in one."""
    pyarrow = _pyarrow()
    with _in_our_words(pyarrow), pyarrow.memory_map(str(path)) as source:
        whole = source.read(6) == b"ARROW1"
        source.seek(0)
        yield pyarrow.ipc.open_file(source) if whole else pyarrow.ipc.open_stream(source)


@contextmanager
def _in_our_words(pyarrow: Any) -> Iterator[None]:
    try:
        yield
    except (pyarrow.ArrowException, OSError) as error:
        raise BrokenArrowError(str(error)) from error


def _rewrite(pyarrow: Any, reader: Any, place: Path) -> None:
    """Copy batches into a file, with types that duckdb takes and that all batches share."""
    plain = pyarrow.schema(
        [field.with_type(_plain(pyarrow, field.type)) for field in reader.schema]
    )
    with pyarrow.OSFile(str(place), "wb") as sink, pyarrow.ipc.new_file(sink, plain) as target:
        for batch in _batches(reader):
            target.write_batch(batch.cast(plain))


def _batches(reader: Any) -> Iterator[Any]:
    if not hasattr(reader, "num_record_batches"):
        yield from reader
        return
    for i in range(reader.num_record_batches):
        yield reader.get_batch(i)


def _plain(pyarrow: Any, kind: Any) -> Any:
    """Return doubles for halves, and values for categories, which may differ by batch."""
    if pyarrow.types.is_float16(kind):
        return pyarrow.float64()
    return kind.value_type if pyarrow.types.is_dictionary(kind) else kind


MAGIC = b"\x28\xb5\x2f\xfd"
# The last three of four bytes that begin a frame to be skipped; the first is 0x50 to 0x5f.
SKIPPED = b"\x2a\x4d\x18"


def is_whole(path: Path) -> bool:
    """Tell whether the last frame ends where the file does."""
    size = path.stat().st_size
    with path.open("rb") as source:
        while source.tell() < size:
            if not _pass_frame(source):
                return False
        return source.tell() == size


def _pass_frame(source: BinaryIO) -> bool:
    """Go to the end of a frame; False if there is none, or the file ends within its headers."""
    magic = source.read(4)
    if magic[1:] == SKIPPED:
        size = source.read(4)
        _pass(source, int.from_bytes(size, "little"))
        return len(size) == 4
    if magic != MAGIC:
        return False
    descriptor = int.from_bytes(source.read(1), "little")
    single, checksum = descriptor >> 5 & 1, descriptor >> 2 & 1
    content = (single, 2, 4, 8)[descriptor >> 6]
    _pass(source, (1 - single) + (0, 1, 2, 4)[descriptor & 3] + content)
    last = False
    while not last:
        header = source.read(3)
        if len(header) < 3:
            return False
        number = int.from_bytes(header, "little")
        last, kind = bool(number & 1), number >> 1 & 3
        _pass(source, 1 if kind == 1 else number >> 3)
    _pass(source, 4 * checksum)
    return True


def _pass(source: BinaryIO, count: int) -> None:
    source.seek(count, os.SEEK_CUR)
