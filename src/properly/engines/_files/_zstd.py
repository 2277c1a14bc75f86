"""Whether data compressed by zstd are whole; duckdb reads what is cut short without a word.

The frames are walked from header to header, as RFC 8878 lays them out; nothing is unpacked.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, BinaryIO

if TYPE_CHECKING:
    from pathlib import Path

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
