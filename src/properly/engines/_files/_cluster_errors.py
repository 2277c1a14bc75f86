"""Failures of a cluster, each in one sentence.

Neither dask nor pyspark is imported here: what is not loaded cannot have failed.
"""

from __future__ import annotations

import re
import sys
from contextlib import contextmanager, suppress
from pkgutil import resolve_name
from typing import TYPE_CHECKING

from properly.errors import DataError, ProperlyError

if TYPE_CHECKING:
    from collections.abc import Iterator

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
