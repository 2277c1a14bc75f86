"""Stored things in one format: maps, summaries, states of monitors.

A file is a JSON object of a format, its version, what made it, the SHA-256 of the content, and the
content: numbers, text, and arrays in base64, with nothing in it to run. The checksum reveals that
a file was cut or changed. A forged file has a checksum that fits; it is checked by the constructors
of what it holds, which must be written again as it was read.
"""

from __future__ import annotations

import json
import os
from base64 import b64decode, b64encode
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from hashlib import sha256
from typing import Any, NamedTuple, NoReturn, TypeVar

import numpy as np

from properly._boundary._files import ODD, Damaged, read_bytes, require
from properly._boundary._text import printable
from properly.errors import ArgumentTypeError, DataError, ProperlyError
from properly.typing import Column

VERSION = 1
NAMES = ("format", "version", "made_with", "sha256", "content")
# Each entry takes more memory than its few letters in the file.
ENTRIES, LISTS = 16_000_000, 4_000_000
UPGRADE = "pip install --upgrade properly"
Made = TypeVar("Made")


class StoredKind(NamedTuple):
    """What is stored, and the words for it in refusals.

    Attributes
    ----------
    noun : str
        What it is called; its format is ``properly-noun``.
    writers : str
        What writes such files: the hint where a file is something else.
    remedy : str
        What to do about a damaged one.
    smaller : str
        What to do about one that is too large.
    largest : int
        How many bytes it may have.
    """

    noun: str
    writers: str
    remedy: str
    smaller: str
    largest: int

    @property
    def format(self) -> str:
        """The name of the format."""
        return f"properly-{self.noun}"

    def require_size(self, size: int) -> None:
        """Refuse more bytes than it may have."""
        if size > self.largest:
            most = f"{self.largest >> 20:,} MiB"
            message = f"a {self.noun} can have at most {most} in a file; this one has more"
            raise DataError(message, hint=self.smaller)

    def written(self, content: dict[str, Any]) -> tuple[str, str]:
        """Return the text of a file, and the checksum of its content."""
        import properly

        text = canonical(content)
        checksum, made = sha256(text).hexdigest(), f"properly {properly.__version__}"
        head = json.dumps(dict(zip(NAMES, (self.format, VERSION, made, checksum), strict=False)))
        self.require_size(len(head) + len(text))
        return f'{head[:-1]}, "content": {text.decode()}}}', checksum

    def read(self, path: str | os.PathLike[str]) -> tuple[dict[str, Any], str]:
        """Read a file as `parsed` reads text."""
        data = read_bytes(path, self.noun, self.largest)
        return self.parsed(data, printable(str(path)))

    def parsed(self, text: str | bytes, shown: str = "") -> tuple[dict[str, Any], str]:
        """Return the content and its checksum; refuse what is foreign, newer, cut or changed."""
        if not isinstance(text, str | bytes):
            message = f"a stored {self.noun} must be text; got {type(text).__name__}"
            raise ArgumentTypeError(message, hint="load reads a file.")
        data = text.encode("utf-8", "backslashreplace") if isinstance(text, str) else text
        self.require_size(len(data))
        if self.format.encode() not in data:
            message = f"{shown or 'the text'} is not a {self.noun} that properly has written"
            raise DataError(message, hint=self.writers)
        with self.undamaged(shown):
            require(data.count(b",") <= ENTRIES)
            require(data.count(b"[") + data.count(b"{") <= LISTS)
            record = json.loads(data, parse_constant=_refuse_constant)
            require(record["format"] == self.format and type(record["version"]) is int)
            _require_version(record)
            require(tuple(sorted(record)) == tuple(sorted(NAMES)))
            content, checksum = record["content"], record["sha256"]
            require(type(content) is dict)
            require(sha256(canonical(content)).hexdigest() == checksum)
        return content, checksum

    def made(
        self,
        content: dict[str, Any],
        shown: str,
        make: Callable[[Any], Made],
        written: Callable[[Made], Any],
    ) -> Made:
        """Make what was stored; it must be written again as it was read."""
        with self.undamaged(shown):
            result = make(content)
            require(canonical(written(result)) == canonical(content))
        return result

    @contextmanager
    def undamaged(self, shown: str) -> Iterator[None]:
        """Say that a file was cut or changed, or what in it is refused."""
        named = f"the {self.noun} {shown}".rstrip()
        try:
            yield
        except ProperlyError as error:
            what, _, hint = str(error).partition("\n\nHint: ")
            message = f"{named} cannot be used: {what}"
            raise DataError(message, hint=UPGRADE if hint == UPGRADE else self.remedy) from None
        except (Damaged, RecursionError, *ODD):
            message = f"{named} was cut or changed after it was written; it is not used"
            raise DataError(message, hint=self.remedy) from None


def canonical(content: Any) -> bytes:
    """Write a content in the one way that its checksum is of."""
    return json.dumps(content, sort_keys=True, allow_nan=False).encode()


def _require_version(record: dict[str, Any]) -> None:
    require(record["version"] >= 1)
    if record["version"] > VERSION:
        made = printable(str(record.get("made_with", "a newer version")))
        message = f"its format is {record['version']}, of {made}; this version reads {VERSION}"
        raise DataError(message, hint=UPGRADE)


def _refuse_constant(_: str) -> NoReturn:
    raise Damaged


def packed(column: Column) -> dict[str, Any]:
    """Write an array; whole numbers, none negative, in as few bytes as the largest needs."""
    kind = "<f8" if column.dtype.kind == "f" else np.min_scalar_type(int(column.max(initial=0)))
    array = np.ascontiguousarray(column, np.dtype(kind).newbyteorder("<"))
    text = b64encode(array.tobytes()).decode()
    return {"dtype": array.dtype.str, "shape": list(array.shape), "base64": text}


def unpacked(x: dict[str, Any]) -> Column:
    """Read an array that `packed` has written: numbers alone, whole ones as 64 bits."""
    kind = np.dtype(x["dtype"])
    require(kind.kind in "uf" and set(x) == {"dtype", "shape", "base64"})
    column = np.frombuffer(b64decode(x["base64"], validate=True), kind).reshape(x["shape"])
    return column.astype(np.float64 if kind.kind == "f" else np.uint64)
