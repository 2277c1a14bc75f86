"""Words and columns of numbers in one file that holds nothing to run.

The file is a zip archive of a JSON text and of ``.npy`` arrays. None of them is compressed, so that
no small file fills the memory, whoever wrote it; and the same content has the same bytes.
"""

from __future__ import annotations

import json
import struct
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any
from zipfile import ZIP_STORED, BadZipFile, ZipFile, ZipInfo

import numpy as np

from properly._boundary._plain import printable
from properly.errors import DataError

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator, Mapping

    Column = np.ndarray[Any, Any]

# The name says what the file is, within its first bytes.
HEADER = "properly-summary.json"
VERSION = 1
# What is raised over a file that is not what it seems.
ODD = (
    ArithmeticError,
    AttributeError,
    BadZipFile,
    EOFError,
    LookupError,
    MemoryError,
    RuntimeError,
    TypeError,
    ValueError,
    struct.error,
)


class Damaged(Exception):  # noqa: N818
    """The content of a file is not what it must be."""


def pack(header: Mapping[str, Any], columns: Mapping[str, Column]) -> bytes:
    """Write a header and columns as the bytes of a file, each column in its smallest type."""
    file = BytesIO()
    with ZipFile(file, "w", ZIP_STORED) as archive:
        text = json.dumps({"version": VERSION, **header}, sort_keys=True)
        archive.writestr(_entry(HEADER), text)
        for name, column in columns.items():
            content = BytesIO()
            np.lib.format.write_array(content, _narrowed(column), (1, 0), allow_pickle=False)
            archive.writestr(_entry(f"{name}.npy"), content.getvalue())
    return file.getvalue()


def unpack(path: str | os.PathLike[str]) -> tuple[dict[str, Any], dict[str, Column]]:
    """Read a header and columns, whole numbers as int64; refuse what `pack` has not written."""
    shown = printable(str(path))
    try:
        with Path(path).open("rb") as file:
            start = file.read(128)
            known = HEADER.encode() in start and start.startswith(b"PK")
            size = file.seek(0, 2)
            with refusing(path, known=known), ZipFile(file) as archive:
                return _header(archive, size, shown), _columns(archive)
    except OSError as error:
        message = f"cannot read {shown}: {(error.strerror or 'it failed').lower()}"
        raise DataError(message) from None
    except ValueError as error:
        if isinstance(error, DataError):
            raise
        message = f"cannot read {shown}: no file can have such a name"
        raise DataError(message) from None


@contextmanager
def refusing(path: str | os.PathLike[str], *, known: bool = True) -> Iterator[None]:
    """Say that a file is damaged, or of another kind, whatever it is that shows it."""
    try:
        yield
    except DataError:
        raise
    except (Damaged, *ODD):
        shown = printable(str(path))
        if known:
            message = f"the summary {shown} is damaged and cannot be read"
            raise DataError(message, hint="save it, or copy it, once more.") from None
        message = f"{shown} is not a summary that properly has saved"
        raise DataError(message, hint="Summary.save and Stream.save write them.") from None


def require(sound: object) -> None:
    """Refuse content that is not what it must be."""
    if not sound:
        raise Damaged


def _entry(name: str) -> ZipInfo:
    found = ZipInfo(name)  # of 1980, whatever the time is
    found.create_system = 3  # and whatever the system
    return found


def _narrowed(x: Column) -> Column:
    """Write whole numbers, none negative, in as few bytes as the largest needs."""
    kind = "<f8" if x.dtype.kind == "f" else np.min_scalar_type(int(x.max(initial=0)))
    return np.ascontiguousarray(x, np.dtype(kind).newbyteorder("<"))


def _header(archive: ZipFile, size: int, shown: str) -> dict[str, Any]:
    # Nothing is compressed, and no two names stand for the same bytes.
    entries = archive.infolist()
    require(all(entry.compress_type == ZIP_STORED for entry in entries))
    require(sum(entry.file_size for entry in entries) <= size)
    found = json.loads(archive.read(HEADER))
    version = found["version"]
    require(type(version) is int)
    if version > VERSION:
        message = (
            f"{shown} was written by a newer version of properly; its format is {version}, this "
            f"version reads up to {VERSION}"
        )
        raise DataError(message, hint="pip install --upgrade properly")
    require(version == VERSION)
    return dict(found)


def _columns(archive: ZipFile) -> dict[str, Column]:
    names = [name for name in archive.namelist() if name != HEADER]
    return {name.removesuffix(".npy"): _column(archive.read(name)) for name in names}


def _column(content: bytes) -> Column:
    """Read an array of plain numbers, which must be all that there is."""
    file = BytesIO(content)
    require(np.lib.format.read_magic(file) == (1, 0))
    shape, by_column, kind = np.lib.format.read_array_header_1_0(file)
    require(kind.kind in "uf" and not by_column)
    found = np.frombuffer(content, kind, offset=file.tell()).reshape(shape)
    return found.astype(np.float64 if kind.kind == "f" else np.int64)
