"""Shards: files of one format and the same columns, for a cluster to read.

Here only their names, headers and formats are looked at; their rows are never read here.
"""

from __future__ import annotations

import gzip
import os
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, NamedTuple, Protocol

from properly._boundary._files import temporary_folder
from properly.engines._files._duckdb_tables import (
    DECIMAL,
    OPENING,
    SEPARATORS,
    SPELLED,
    WHOLE,
    Header,
    decoded,
    header_of,
    is_here,
    require_different,
)
from properly.engines._files._paths import (
    DAMAGED,
    STANDARD_INPUT,
    SUFFIXES,
    File,
    Format,
    Paths,
    damaged,
    find_files,
)
from properly.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


# Whole numbers of 64 bits: those of fewer digits than the greatest, and those up to it.
GREATEST = str(2**63 - 1)
UP_TO_GREATEST = "|".join(
    [GREATEST, "[1-8][0-9]{18}"]
    + [
        f"{GREATEST[:i]}[0-{int(GREATEST[i]) - 1}][0-9]{{{18 - i}}}"
        for i in range(1, 19)
        if GREATEST[i] != "0"
    ]
)
# The kinds that a column of text can have, narrowest first, and what all of its values then match.
# Longer whole numbers are ids, and stay text.
KINDS = {
    "whole": rf"\s*[+-]?(0|[1-9][0-9]{{0,17}}|{UP_TO_GREATEST})\s*",
    "text": WHOLE,
    "number": DECIMAL,
    "truth": r"\s*(?i:true|false)\s*",
}
PACKED = ".gz"


class Elsewhere(Protocol):
    """How an engine looks at files that are not on this machine."""

    def names(self, address: str) -> list[str]:
        """Find all files that an address, which may be a pattern, stands for."""

    def opening(self, address: str) -> str:
        """Read the first line of a file, and some more."""


class Shard(NamedTuple):
    """A file: as it is called, where workers find it, and if it is CSV, its first line."""

    name: str
    place: str
    format: Format
    away: bool = False
    header: Header | None = None

    @property
    def packed(self) -> bool:
        """Whether it is compressed, so that it can only be read from its beginning."""
        return self.place.endswith(PACKED)


def find_shards(paths: Paths, elsewhere: Elsewhere) -> list[Shard]:
    """Find all files that are meant, all CSV, all JSON lines or all Parquet."""
    shards = [_with_header(shard, elsewhere) for shard in _locate(paths, elsewhere)]
    first = shards[0]
    for shard in shards:
        if shard.format != first.format:
            message = (
                f"files for a cluster must be of one format; {first.name!r} is "
                f"{SPELLED[first.format]} and {shard.name!r} {SPELLED[shard.format]}"
            )
            raise DataError(message)
        if shard.header and first.header and shard.header[:2] != first.header[:2]:
            message = (
                "CSV files for a cluster must have the same first line; that of "
                f"{shard.name!r} is not that of {first.name!r}"
            )
            raise DataError(message)
    return shards


def kind_of(fitting: Iterable[str]) -> str:
    """Choose the narrowest of the kinds that fit a column of text."""
    some = set(fitting)
    return next((kind for kind in KINDS if kind in some), "text")


def require_one_type(types: Mapping[str, str], name: str) -> None:
    """Refuse files, by name, in which a column is of several types."""
    (first, kind), *others = types.items()
    for file, other in others:
        if other != kind:
            message = (
                f"a column must be of one type in all files; {name!r} is {kind} in {first!r} "
                f"and {other} in {file!r}"
            )
            raise DataError(message, hint="write the files again with one type.")


def not_valid(name: str, kind: Format) -> DataError:
    """Refuse a file that is cut short, or is not what its name says."""
    message = f"a file must be whole and in one format; {name!r} is not valid {SPELLED[kind]}"
    return DataError(message, hint="it may be cut short.")


def unreachable(address: str, engine: str, reason: str) -> DataError:
    """Refuse the address of a file that an engine does not get at."""
    message = (
        f"a file elsewhere must be one that {engine} reaches; {address!r} is not: {reason[:200]}"
    )
    return DataError(message)


def no_match(pattern: str) -> DataError:
    """Refuse a pattern of addresses, as one of paths is."""
    message = f"a pattern must match a file; {pattern!r} matches none"
    return DataError(message)


def split_quotes(name: str | None) -> DataError:
    """Refuse CSV of which a row may go over several lines, since it is read in pieces."""
    shown = "one" if name is None else repr(name)
    message = (
        f"rows of CSV for a cluster must be one line each, quotes in pairs; {shown} has others"
    )
    return DataError(message, hint="write it as Parquet, or read it on one machine.")


def _locate(paths: Paths, elsewhere: Elsewhere) -> list[Shard]:
    given = [paths] if isinstance(paths, str | os.PathLike) else list(paths)
    if STANDARD_INPUT in given:
        raise _no_plain_file(STANDARD_INPUT)
    shards: list[Shard] = []
    with temporary_folder() as folder:
        for file in find_files(given, folder):
            if is_here(file):
                shards.append(_here(file))
            else:
                shards += [_away(place) for place in elsewhere.names(file.name)]
    return shards


def _here(file: File) -> Shard:
    """Take a file by its own path; what had to be rewritten to be read is not there for workers."""
    path = Path(file.name).absolute()
    rewritten = not path.is_file() or not file.path.samefile(path)
    if rewritten or file.compression not in ("none", "gzip"):
        raise _no_plain_file(file.name)
    if (file.compression == "gzip") != path.name.endswith(PACKED):
        packed = "" if file.compression == "gzip" else "not "
        message = (
            f"a file for a cluster must end in {PACKED} if and only if it is packed by gzip; "
            f"{file.name!r} is {packed}packed"
        )
        raise DataError(message)
    return Shard(file.name, os.fspath(path), file.format)


def _away(place: str) -> Shard:
    suffixes = [suffix.lower() for suffix in PurePosixPath(place.removesuffix(PACKED)).suffixes]
    return Shard(place, place, SUFFIXES.get(suffixes[-1] if suffixes else "", "text"), away=True)


def _no_plain_file(name: str) -> DataError:
    message = f"a file for a cluster must be plain, or text packed by gzip; {name!r} is not"
    return DataError(message, hint="unpack it, or write it to a file, first.")


def _with_header(shard: Shard, elsewhere: Elsewhere) -> Shard:
    """Read the header of a CSV file, and tell text of which the name says nothing."""
    if shard.format in ("parquet", "arrow"):
        return _allowed(shard, "")
    opening = elsewhere.opening(shard.place) if shard.away else _opening(shard)
    looks_json = opening.lstrip()[:1] in ("{", "[")
    if shard.format == "json" or (shard.format == "text" and looks_json):
        return _allowed(shard._replace(format="json"), opening)
    separators = "\t" if shard.format == "tsv" else SEPARATORS
    header = header_of(shard.name, opening, separators)
    require_different(shard, header.names)
    return shard._replace(format="csv", header=header)


def _allowed(shard: Shard, opening: str) -> Shard:
    if shard.format == "arrow" or opening.lstrip().startswith("["):
        shown = "Arrow" if shard.format == "arrow" else "a list in JSON"
        message = (
            f"a file for a cluster must be CSV, Parquet or JSON lines; {shard.name!r} is {shown}"
        )
        raise DataError(message)
    return shard


def _opening(shard: Shard) -> str:
    opener = gzip.open if shard.packed else open
    try:
        with opener(shard.place, "rb") as source:
            return decoded(shard.name, source.read(OPENING))
    except DAMAGED:
        raise damaged(shard.name) from None
