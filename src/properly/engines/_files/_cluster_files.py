"""Files of one format and the same columns, for the readers of a cluster.

Here only their names, headers and formats are looked at; their rows are never read here.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from properly._boundary._files import temporary_folder
from properly.engines._files._duckdb_tables import (
    DECIMAL,
    SPELLED,
    WHOLE,
    Header,
    opened,
    opening_of,
)
from properly.engines._files._paths import (
    DAMAGED,
    STANDARD_INPUT,
    File,
    Format,
    Paths,
    damaged,
    find_files,
    is_here,
    listed_paths,
)
from properly.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable


# The kinds that a column of text can have, narrowest first, and what all of its values then match.
# Whole numbers that 64 bits may not hold are ids, and stay text.
KINDS = {
    "whole": r"\s*[+-]?(0|[1-9][0-9]{0,17}|[1-8][0-9]{18})\s*",
    "text": WHOLE,
    "number": DECIMAL,
    "truth": r"\s*(?i:true|false)\s*",
}
PACKED = ".gz"


class ClusterFiles(NamedTuple):
    """Files as a cluster finds them, their format, and the header of CSV.

    Addresses, which may be patterns, are left to the cluster; paths are of just one file each.
    """

    files: list[File]
    format: Format
    header: Header | None

    @property
    def packed(self) -> bool:
        """Whether any is compressed, so that it can only be read from its beginning."""
        return any(file.name.endswith(PACKED) for file in self.files)

    @property
    def where(self) -> str:
        """Where columns are looked for, in words."""
        return "the file" if len(self.files) == 1 else "each file"


def find_cluster_files(paths: Paths, opening: Callable[[str], str]) -> ClusterFiles:
    """Find all files that are meant; `opening` reads the beginning of one at an address."""
    given = listed_paths(paths)
    if STANDARD_INPUT in given:
        raise _no_plain_file(STANDARD_INPUT)
    with temporary_folder() as folder:
        found = find_files(given, folder)
        for file in found:
            _require_plain(file)
    files = [_with_header(file, opening) for file in found]
    first = files[0]
    for each in files:
        name, other = each.files[0].name, first.files[0].name
        if each.format != first.format:
            message = (
                f"files for a cluster must be of one format; {other!r} is "
                f"{SPELLED[first.format]} and {name!r} {SPELLED[each.format]}"
            )
            raise DataError(message)
        if each.header and first.header and each.header[:2] != first.header[:2]:
            message = (
                "CSV files for a cluster must have the same first line; that of "
                f"{name!r} is not that of {other!r}"
            )
            raise DataError(message)
    return first._replace(files=found)


def kind_of(fitting: Iterable[str]) -> str:
    """Choose the narrowest of the kinds that fit a column of text."""
    some = set(fitting)
    return next((kind for kind in KINDS if kind in some), "text")


def _require_plain(file: File) -> None:
    """Refuse what workers cannot read: what had to be rewritten is not there for them."""
    if not is_here(file):
        return
    path = Path(file.name).absolute()
    is_named = {"none": not path.name.endswith(PACKED), "gzip": path.name.endswith(PACKED)}
    if not (is_named.get(file.compression) and path.is_file() and file.path.samefile(path)):
        raise _no_plain_file(file.name)


def _no_plain_file(name: str) -> DataError:
    message = (
        f"a file for a cluster must be plain, or text packed by gzip and called {PACKED}; "
        f"{name!r} is not"
    )
    return DataError(message, hint="unpack it, or write it to a file, first.")


def _with_header(file: File, opening: Callable[[str], str]) -> ClusterFiles:
    """Read the header of a CSV file, and recognize text of which the name says nothing."""
    text = ""
    if file.format not in ("parquet", "arrow"):
        try:
            text = opening_of(file) if is_here(file) else opening(file.name)
        except DAMAGED:
            raise damaged(file.name) from None
    if file.format == "arrow" or text.lstrip().startswith("["):
        shown = "Arrow" if file.format == "arrow" else "a list in JSON"
        message = (
            f"a file for a cluster must be CSV, Parquet or JSON lines; {file.name!r} is {shown}"
        )
        raise DataError(message)
    file, header = (file, None) if file.format == "parquet" else opened(file, text)
    return ClusterFiles([file], file.format, header)
