"""Files that are not on this machine: their addresses are left to duckdb."""

from __future__ import annotations

import os
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from properly.engines._files._paths import SUFFIXES, File, find_files

if TYPE_CHECKING:
    from properly.engines._files._paths import Compression, Paths

PACKED: dict[str, Compression] = {".gz": "gzip", ".zst": "zstd"}


def found_files(paths: Paths, folder: Path) -> list[File]:
    """Find all files that are meant: those of this machine, then those that have an address."""
    given = [paths] if isinstance(paths, str | os.PathLike) else list(paths)
    away = [path for path in given if _is_address(path)]
    here = [path for path in given if not _is_address(path)]
    files = find_files(here, folder) if here or not away else []
    return [*files, *(_as_file(str(address)) for address in dict.fromkeys(away))]


def _is_address(path: object) -> bool:
    """Tell an address such as s3://bucket/a.csv from a path; a file of that name comes first."""
    return isinstance(path, str) and "://" in path and not os.path.lexists(path)


def _as_file(address: str) -> File:
    """Tell the format of a file by its name alone; what has no suffix is text."""
    suffixes = [suffix.lower() for suffix in PurePosixPath(address.partition("?")[0]).suffixes]
    packed = PACKED.get(suffixes[-1]) if suffixes else None
    if packed is not None:
        suffixes.pop()
    kind = SUFFIXES.get(suffixes[-1], "text") if suffixes else "text"
    # No path begins so: what is not on this machine has none.
    return File(address, Path(address), kind, packed or "none")
