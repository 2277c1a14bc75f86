"""Arrow files as datasets, which give their rows batch by batch, again and again.

Nothing of a file is held in memory but the batches that are worked on.
"""

from __future__ import annotations

from contextlib import contextmanager
from importlib import import_module
from typing import TYPE_CHECKING, Any

from properly.errors import MissingExtraError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


class BrokenArrowError(Exception):
    """What pyarrow cannot read."""


def names_in(path: Path) -> list[str]:
    """Return the names of the columns, which may be there twice."""
    with open_arrow(path) as reader:
        return list(reader.schema.names)


def batches_in(path: Path, place: Path) -> Any:
    """Return a dataset of an Arrow file; a place takes a copy where none can be made of the file.

    A stream cannot be read again, and duckdb takes no floats of 16 bits.
    """
    pyarrow = _pyarrow()
    with open_arrow(path) as reader:
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
def open_arrow(path: Path) -> Iterator[Any]:
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
        for batch in arrow_batches(reader):
            target.write_batch(batch.cast(plain))


def arrow_batches(reader: Any) -> Iterator[Any]:
    """Go through the batches of a file or a stream."""
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
