"""Clusters of Dask and Spark: files that all workers can read, and failures in one sentence.

Files are of one format and the same columns. Only their names, headers and formats are looked at
here; their rows are never read. Neither dask nor pyspark is imported: what is not loaded cannot
have failed.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from pkgutil import resolve_name
from typing import NamedTuple

from properly._boundary._files import temporary_folder
from properly.engines._files import _duckdb_tables, _paths
from properly.errors import DataError, ProperlyError

# The kinds that a column of text can have, narrowest first, and what all of its values then match.
# Whole numbers that 64 bits may not hold are ids, and stay text.
KINDS = {
    "whole": r"\s*[+-]?(0|[1-9][0-9]{0,17}|[1-8][0-9]{18})\s*",
    "text": _duckdb_tables.WHOLE,
    "number": _duckdb_tables.DECIMAL,
    "truth": r"\s*(?i:true|false)\s*",
}
PACKED = ".gz"
# Seconds for an address to answer.
ANSWER = 10.0
EVERYWHERE = "pip install 'properly[dask]', as it is here, for every worker and the scheduler."
PACKAGES = "all of a cluster of Dask must have the packages of this machine"
# The packages whose exceptions an engine raises.
HOMES = {"dask": ("dask", "distributed"), "spark": ("py4j", "pyspark")}
# By names of exceptions, or words of theirs: what must be, and a hint. The first match counts.
FAILURES: dict[tuple[str, ...], tuple[str, str]] = {
    (
        *("CancelledError", "CommClosedError", "TimeoutError", "ClosedClientError"),
        *("ConnectionError", "Py4JNetworkError", "SparkContext was shut down"),
        *("stopped SparkContext", "removed our application"),
    ): (
        "{} must run until the work is done; it ended before",
        "nothing was counted; start the cluster again and repeat the command.",
    ),
    ("KilledWorker", "OutOfMemoryError"): (
        "workers of {} must have the memory that the work needs",
        "give each worker more, or fewer threads.",
    ),
    ("JAVA_GATEWAY_EXITED",): (
        "{} must start; Java ended before it did",
        "Spark needs Java 17 or later, which JAVA_HOME may name.",
    ),
    (
        *("FileNotFoundError", "FILE_NOT_EXIST", "FileNotFoundException"),
        *("NoSuchFileException", "PATH_NOT_FOUND"),
    ): (
        "every worker of {} must see the files",
        "put them where all workers find them under the same path.",
    ),
    ("ModuleNotFoundError",): (PACKAGES, EVERYWHERE),
    (
        *("ArrowException", "ParserError", "JSONDecodeError", "UnicodeDecodeError", "EOFError"),
        *("BadGzipFile", "KeyError", "MALFORMED_", "FAILED_READ_FILE", "CORRUPT"),
        *("not a Parquet file", "EOFException", "CANNOT_MERGE_", "ColumnConvertNotSupported"),
    ): (
        "{} must be able to read the files",
        "one may be cut short, or have other columns, or of other types, than the rest.",
    ),
}


class ClusterFiles(NamedTuple):
    """Files as a cluster finds them, their format, and the header of CSV.

    Addresses, which may be patterns, are left to the cluster; paths are of just one file each.
    """

    files: list[_paths.File]
    format: _paths.Format
    header: _duckdb_tables.Header | None

    @property
    def packed(self) -> bool:
        """Whether any is compressed, so that it can only be read from its beginning."""
        return any(file.name.endswith(PACKED) for file in self.files)

    @property
    def where(self) -> str:
        """Where columns are looked for, in words."""
        return "the file" if len(self.files) == 1 else "each file"


def find_cluster_files(paths: _paths.Paths, opening: Callable[[str], str]) -> ClusterFiles:
    """Find all files that are meant; `opening` reads the beginning of one at an address."""
    given = _paths.listed_paths(paths)
    if _paths.STANDARD_INPUT in given:
        raise _no_plain_file(_paths.STANDARD_INPUT)
    with temporary_folder() as folder:
        found = _paths.find_files(given, folder)
        for file in found:
            _require_plain(file)
        # Links in the folder lead to files whose names look like patterns.
        files = [_with_header(file, opening) for file in found]
    first = files[0]
    for each in files:
        name, other = each.files[0].name, first.files[0].name
        if each.format != first.format:
            kinds = [_duckdb_tables.SPELLED[x.format] for x in (first, each)]
            message = (
                f"files for a cluster must be of one format; {other!r} is {kinds[0]} and "
                f"{name!r} {kinds[1]}"
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


def _require_plain(file: _paths.File) -> None:
    """Refuse what workers cannot read: what had to be rewritten is not there for them."""
    if not _paths.is_here(file):
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


def _with_header(file: _paths.File, opening: Callable[[str], str]) -> ClusterFiles:
    """Read the header of a CSV file, and recognize text of which the name says nothing."""
    text = ""
    if file.format not in ("parquet", "arrow"):
        try:
            text = _duckdb_tables.opening_of(file) if _paths.is_here(file) else opening(file.name)
        except _paths.DAMAGED:
            raise _paths.damaged(file.name) from None
    if file.format == "arrow" or text.lstrip().startswith("["):
        shown = "Arrow" if file.format == "arrow" else "a list in JSON"
        message = (
            f"a file for a cluster must be CSV, Parquet or JSON lines; {file.name!r} is {shown}"
        )
        raise DataError(message)
    file, header = (file, None) if file.format == "parquet" else _duckdb_tables.opened(file, text)
    return ClusterFiles([file], file.format, header)


@contextmanager
def translated(engine: str, *, is_reading: bool = False) -> Iterator[None]:
    """Say in one sentence what Dask ("dask") or Spark ("spark") raises.

    Other engines, and what the functions of a user raise, are let alone, unless files are read.
    """
    try:
        yield
    except ProperlyError:
        raise
    except Exception as error:
        refusal = _refusal(engine, error, is_reading=is_reading) if engine in HOMES else None
        if refusal is None:
            raise
        raise refusal from error


def _refusal(engine: str, error: BaseException, *, is_reading: bool) -> DataError | None:
    """Explain an exception by its cause: a reader of Dask says itself only that it failed."""
    while is_reading and error.__cause__ is not None:
        error = error.__cause__
    names = {kind.__name__ for kind in type(error).__mro__}
    text = str(error) if type(error).__module__.partition(".")[0] in HOMES[engine] else ""
    name, said = engine.title(), first_line(str(error)) or type(error).__name__
    for words, (rule, hint) in FAILURES.items():
        if any(word in names or word in text for word in words):
            return DataError(f"{rule.format(name)}; {name} says: {said}", hint=hint)
    if text or is_reading:
        return DataError(f"{name} must be able to do the work; {name} says: {said}")
    return None


def first_line(text: str) -> str:
    """Return the first thing that an exception says; of Java without its name and its stack."""
    match = re.search(r"^(?:: )?(?:[\w$]+\.)+[\w$]+: (.+)", text, re.MULTILINE)
    return (match[1] if match else text.strip().partition("\n")[0])[:200].strip()


def require_library(module: str) -> None:
    """Refuse a cluster of Dask that lacks a module of this library, which it will be sent.

    A worker that is sent what it cannot import ends, and may be started again without end. What
    asks is a function of Python itself, which all have.
    """
    distributed, client = sys.modules.get("distributed"), None
    with suppress(ValueError):
        client = None if distributed is None else distributed.default_client()
    if client is None or client.asynchronous:
        return
    answers = client.run(resolve_name, f"{module}:__name__", on_error="return")
    try:
        answers["the scheduler"] = client.run_on_scheduler(resolve_name, f"{module}:__name__")
    except ImportError as error:
        answers["the scheduler"] = error
    for who, answer in answers.items():
        if isinstance(answer, ImportError):
            message = f"{PACKAGES}; {who} lacks {answer.name or 'some'!r}"
            raise DataError(message, hint=EVERYWHERE) from None
