"""Paths, patterns and addresses of files, on this machine and in stores, and their formats.

The name tells the format, else the first bytes do. What is no plain file, such as standard input,
is first written to one. Files that are not on this machine have addresses, which are left to
engines.
"""

from __future__ import annotations

import bz2
import gzip
import os
import shutil
import sys
import zlib
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from glob import glob
from importlib import import_module
from pathlib import Path, PurePosixPath
from typing import IO, TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

from properly._boundary._classes import nearest
from properly._boundary._notices import import_extra
from properly.errors import ArgumentTypeError, DataError, MissingExtraError

if TYPE_CHECKING:
    from _typeshed import SupportsRead


Paths: TypeAlias = "str | os.PathLike[str] | Iterable[str | os.PathLike[str]]"
Format = Literal["csv", "tsv", "parquet", "arrow", "json", "text"]
Compression = Literal["none", "gzip", "zstd"]

STANDARD_INPUT = "-"
SUFFIXES: dict[str, Format] = {
    ".csv": "csv",
    ".tsv": "tsv",
    ".tab": "tsv",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".arrow": "arrow",
    ".feather": "arrow",
    ".ipc": "arrow",
    ".json": "json",
    ".jsonl": "json",
    ".ndjson": "json",
}
COMPRESSED = (".gz", ".zst", ".bz2")
OPENINGS: dict[bytes, Format] = {
    b"PAR1": "parquet",
    b"ARROW1": "arrow",
    b"FEA1": "arrow",
    b"\xff\xff\xff\xff": "arrow",
}
PACKED: dict[str, Compression] = {".gz": "gzip", ".zst": "zstd"}
GZIP, BZIP2, ZSTD = b"\x1f\x8b", b"BZh", b"\x28\xb5\x2f\xfd"
# The package that reaches a store, by how addresses begin; the extra is called the same.
PACKAGES = {"s3": "s3fs"}
# What damaged or truncated compressed data raise.
DAMAGED = (EOFError, zlib.error, gzip.BadGzipFile)


class File(NamedTuple):
    """A file as it is called and where it lies; "text" is CSV or JSON, which its text will tell."""

    name: str
    path: Path
    format: Format
    compression: Compression

    def open(self) -> IO[bytes]:
        """Open what is in the file, which is on this machine."""
        opener: Callable[..., IO[bytes]] = gzip.open if self.compression == "gzip" else open  # type: ignore[assignment]
        return opener(self.path, "rb")


def listed_paths(paths: Paths) -> list[str | os.PathLike[str]]:
    """Take one path or several as a list."""
    return [paths] if isinstance(paths, str | os.PathLike) else list(paths)


def find_files(paths: Paths, folder: Path) -> list[File]:
    """Find all files that are meant: those of this machine, then those that have an address.

    Each in order; a folder takes what must be written out first.
    """
    given = listed_paths(paths)
    if not given:
        message = "at least one file is needed; got none"
        raise DataError(message)
    away = dict.fromkeys(str(path) for path in given if is_address(path))
    names = [name for path in given if not is_address(path) for name in _expanded(path)]
    _require_once(names, map(os.path.realpath, names))
    files = [_file_at(name, folder / f"{i}") for i, name in enumerate(names)]
    return [*files, *map(as_file, away)]


def _require_once(names: Iterable[str], places: Iterable[str]) -> None:
    """Refuse a file that is given twice, under one name or two."""
    seen: set[str] = set()
    for name, place in zip(names, places, strict=True):
        if place in seen:
            message = f"each file must be given once; got {name!r} again"
            raise DataError(message)
        seen.add(place)


def _expanded(path: str | os.PathLike[str]) -> list[str]:
    """Return the files of a pattern; a file of just that name comes first."""
    if not isinstance(path, str | os.PathLike):
        message = f"a path must be text or a pathlib.Path; got {path!r}"
        raise ArgumentTypeError(message)
    name = os.fspath(path)
    if "\0" in name:
        message = f"a path must not contain a null character; got {name!r}"
        raise DataError(message)
    if name == STANDARD_INPUT or os.path.lexists(name):
        return [name]
    if not any(mark in name for mark in "*?["):
        folder = Path(name).parent
        present = sorted(each.name for each in folder.iterdir()) if folder.is_dir() else []
        near = nearest(Path(name).name, present, cutoff=0.75)
        hint = f"did you mean {os.fspath(folder / near[0])!r}?" if near else None
        message = f"a path must name a file that exists; {name!r} does not"
        raise DataError(message, hint=hint)
    matching = glob(name, recursive=True)  # noqa: PTH207 -- Path.glob refuses an absolute pattern
    names = sorted(each for each in matching if not Path(each).is_dir())
    if not names:
        raise no_match(name)
    return names


def _file_at(name: str, place: Path) -> File:
    """Look at the first bytes of a file; what cannot be read as it is goes to a new place."""
    path = Path(name)
    if path.is_dir() and name != STANDARD_INPUT:
        message = f"a path must name a file; {name!r} is a directory"
        raise DataError(message, hint=f"name the files in it: {os.path.join(name, '*.csv')!r}.")  # noqa: PTH118
    try:
        return _recognized(name, _plain_file(name, path, place), place)
    except DAMAGED:
        raise damaged(name) from None
    except OSError as error:
        if error.errno is None:  # of pyarrow
            raise damaged(name) from None
        message = f"a file must be readable; {name!r} is not: {error.strerror or error}"
        raise DataError(message) from None


def damaged(name: str) -> DataError:
    """Refuse a file that cannot be unpacked."""
    message = f"compressed data must be whole; {name!r} is damaged or cut short"
    return DataError(message)


def _plain_file(name: str, path: Path, place: Path) -> Path:
    """Return a path that can be read again and again, and that no one takes for a pattern."""
    if name == STANDARD_INPUT:
        return _written(sys.stdin.buffer, place)
    path = path.absolute()
    if not path.is_file():  # such as a pipe, which gives its bytes once
        with path.open("rb") as source:
            return _written(source, place)
    if any(mark in os.fspath(path) for mark in "*?["):
        with suppress(OSError):
            place.symlink_to(path)
            return place
        return Path(shutil.copyfile(path, place))  # where links are not allowed
    return path


def _written(source: SupportsRead[bytes], place: Path) -> Path:
    with place.open("wb") as target:
        shutil.copyfileobj(source, target)
    return place


def _recognized(name: str, path: Path, place: Path) -> File:
    """Recognize format and compression; undo all but that of text by gzip."""
    with path.open("rb") as source:
        head = source.read(4096)
    if not head:
        message = f"a file must have columns and rows; {name!r} is empty"
        raise DataError(message)
    if head.startswith(ZSTD):
        # duckdb reads what is cut short without complaint.
        with import_extra("pyarrow", extra="app").input_stream(path, "zstd") as source:
            return _recognized(name, *_unpacked(source, place))
    if head.startswith(BZIP2):
        with bz2.open(path) as source:
            return _recognized(name, *_unpacked(source, place))
    kind, _ = _by_suffix(name)
    if not head.startswith(GZIP):
        return File(name, path, kind or _format_of_bytes(name, head), "none")
    with gzip.open(path) as source:
        head = source.read(4096)
        if kind in ("parquet", "arrow") or _is_binary(head):
            source.seek(0)
            return _recognized(name, *_unpacked(source, place))
    return File(name, path, kind or "text", "gzip")


def _unpacked(source: SupportsRead[bytes], place: Path) -> tuple[Path, Path]:
    """Write what is packed, and return where that is and where the next can go."""
    target = place.with_name(f"{place.name}-unpacked")
    return _written(source, target), target


def _by_suffix(name: str) -> tuple[Format | None, Compression]:
    """Tell format and compression by a name alone."""
    suffixes = [suffix.lower() for suffix in PurePosixPath(name).suffixes]
    packed = suffixes.pop() if suffixes and suffixes[-1] in COMPRESSED else ""
    return SUFFIXES.get(suffixes[-1]) if suffixes else None, PACKED.get(packed, "none")


def _format_of_bytes(name: str, head: bytes) -> Format:
    for opening, kind in OPENINGS.items():
        if head.startswith(opening):
            return kind
    if _is_binary(head):
        message = f"a file must be CSV, TSV, Parquet, Arrow or JSON lines; {name!r} is none of them"
        raise DataError(message, hint="save it as one of these, with its suffix.")
    return "text"


def _is_binary(head: bytes) -> bool:
    return b"\0" in head or head.startswith(tuple(OPENINGS))


def is_address(path: object) -> bool:
    """Tell an address such as s3://bucket/a.csv from a path; a file of that name comes first."""
    return isinstance(path, str) and "://" in path and not os.path.lexists(path)


def as_file(address: str) -> File:
    """Tell the format of a file by its name alone; what has no suffix is text."""
    # Elsewhere a question mark is a part of a pattern.
    plain = address.partition("?")[0] if address.startswith("http") else address
    kind, packed = _by_suffix(plain)
    # No path begins so: what is not on this machine has none.
    return File(address, Path(address), kind or "text", packed)


def is_here(file: File) -> bool:
    """Return whether a file is on this machine; one that an engine is to fetch has no path."""
    return file.path.is_absolute()


# Stores such as S3. duckdb fetches files by an extension, which it would have to download. Where
# the package of fsspec for a store is installed, duckdb reads through that: with its settings, and
# the keys that the user has.


def require_package(address: str) -> str | None:
    """Refuse an address whose package is not installed; return the name of the kind of store."""
    store = address.partition("://")[0]
    if store not in PACKAGES:
        return None
    import_extra(PACKAGES[store], extra=store)
    return store


def unreachable(address: str, engine: str, reason: str, hint: str | None = None) -> DataError:
    """Refuse the address of a file that an engine does not get at."""
    message = (
        f"a file elsewhere must be one that {engine} reaches; {address!r} is not: {reason[:200]}"
    )
    return DataError(message, hint=hint)


def no_match(pattern: str) -> DataError:
    """Refuse a pattern of addresses, as one of paths is."""
    message = f"a pattern must match a file; {pattern!r} matches none"
    return DataError(message)


def names_in(store: Any, address: str, engine: str) -> list[str]:
    """Find all files that an address, which may be a pattern, stands for."""
    try:
        if import_module("fsspec.core").has_magic(address):
            found = store.glob(address, detail=True)
        else:
            found = {address: store.info(address)}
        names = [name for name, about in found.items() if about["type"] != "directory"]
    except Exception as error:
        raise unreachable(address, engine, reason_of(error)) from error
    if not names:
        raise no_match(address)
    return sorted(store.unstrip_protocol(name) for name in names)


def reason_of(error: Exception) -> str:
    """Say in one line why a file is not reached."""
    if isinstance(error, FileNotFoundError) and error.errno is None:
        return "there is no such file"
    return str(error).partition("\n")[0] or type(error).__name__


def in_stores(files: Sequence[File]) -> tuple[list[File], list[Any]]:
    """Find the files that addresses in stores stand for; return also those stores.

    An address whose package is not installed is left to duckdb.
    """
    found: list[File] = []
    stores: list[Any] = []
    for file in files:
        store = kind = None
        with suppress(MissingExtraError):
            kind = None if is_here(file) else require_package(file.name)
        if kind is not None:
            # What was listed a while ago may have changed.
            store = import_module("fsspec").filesystem(kind, use_listings_cache=False)
        if store is None:
            found.append(file)
        else:
            found += [as_file(name) for name in names_in(store, file.name, "duckdb")]
            stores += [] if store in stores else [store]
    away = [file.name for file in found if not is_here(file)]
    _require_once(away, away)
    return found, stores
