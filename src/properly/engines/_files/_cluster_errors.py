"""Failures of a cluster, each in one sentence, and a watch that ends waiting.

Neither dask nor pyspark is imported here: what is not loaded cannot have failed.
"""

from __future__ import annotations

import re
import sys
from contextlib import contextmanager, suppress
from pkgutil import resolve_name
from threading import Event, Thread
from time import monotonic
from typing import TYPE_CHECKING, Any, NamedTuple
from uuid import uuid4

from properly.errors import DataError, ProperlyError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

# Seconds: for an address to answer, without any worker until work is given up, between two looks.
ANSWER, PATIENCE, LOOK = 10.0, 120.0, 0.5
AGAIN = "nothing was counted; start the cluster again and repeat the command."
ENDED = "{} must run until the work is done; it ended before"
EVERYWHERE = "pip install 'properly[dask]', as it is here, for every worker and the scheduler."
SHARED = "put them where all workers find them under the same path."
# What readers raise over a file that is damaged, or is not what its name says.
UNREADABLE = frozenset(
    {"ArrowException", "ParserError", "JSONDecodeError", "UnicodeDecodeError", "BadGzipFile"}
    | {"EOFError", "KeyError"}
)
# By words that exceptions of Java contain, what is wrong and a hint; the first that match count.
JAVA: dict[tuple[str, ...], tuple[str, str]] = {
    ("SparkContext was shut down", "stopped SparkContext", "removed our application"): (
        ENDED.format("Spark"),
        AGAIN,
    ),
    ("OutOfMemoryError",): (
        "Spark must have the memory that the work needs; it ran out of it",
        "raise spark.driver.memory or spark.executor.memory.",
    ),
    ("JAVA_GATEWAY_EXITED",): (
        "Spark must start; Java ended before it did",
        "Spark needs Java 17 or later, which JAVA_HOME may name.",
    ),
    ("MALFORMED_CSV_RECORD",): (
        "each line of a CSV file must have as many fields as its header; {one_of} has not",
        "text that contains the separator must be quoted.",
    ),
    ("FILE_NOT_EXIST", "FileNotFoundException", "NoSuchFileException", "PATH_NOT_FOUND"): (
        "every worker of Spark must see the files; one does not see {a_file}",
        SHARED,
    ),
    ("CANNOT_MERGE_SCHEMA", "CANNOT_MERGE_INCOMPATIBLE", "ColumnConvertNotSupported"): (
        "a column must be of one type in all files; Spark found several",
        "write the files again with one type.",
    ),
    ("FAILED_READ_FILE", "MALFORMED_", "CORRUPT", "not a Parquet file", "EOFException"): (
        "a file must be whole and in one format; Spark cannot read {one}",
        "it may be cut short.",
    ),
}


class Watch(NamedTuple):
    """How to see that nobody works, how to end the waiting for it, and what to tidy up.

    Also whether workers came meanwhile, none of which stayed.
    """

    idle: Callable[[], bool]
    stop: Callable[[], object]
    tidy: Callable[[], object] = lambda: None
    came: Callable[[], bool] = lambda: False


@contextmanager
def translated(engine: str) -> Iterator[None]:
    """Say in our words what Dask ("dask") or Spark ("spark") says of a cluster that fails.

    Work that no worker has been there to do for `PATIENCE` seconds is given up. Other engines, and
    what the functions of a user raise, are let alone.
    """
    watch, explained = _watch_of(engine), EXPLAINED.get(engine)
    with _watched(watch) as lost:
        try:
            yield
        except ProperlyError:
            raise
        except Exception as error:
            if lost.is_set():
                came = watch is not None and watch.came()
                raise no_workers(engine, came=came) from error
            refusal = None if explained is None else explained(error)
            if refusal is None:
                raise
            raise refusal from error


def no_workers(engine: str, *, came: bool = False) -> DataError:
    """Refuse a cluster without workers, or of which all end as soon as they come."""
    if came:
        message = f"workers of {engine.title()} must stay; for {PATIENCE:g} seconds none did"
        return DataError(message, hint=f"they may lack what they are sent: {EVERYWHERE}")
    message = f"a cluster must have workers; that of {engine.title()} has had none for "
    return DataError(f"{message}{PATIENCE:g} seconds", hint=AGAIN)


def require_library(module: str) -> None:
    """Refuse a cluster of Dask that lacks a module of this library, which it will be sent.

    A worker that is sent what it cannot import ends, and may be started again without end. What
    asks is a function of Python itself, which all have.
    """
    client = _dask_client()
    if client is None or client.asynchronous:
        return
    answers = client.run(resolve_name, f"{module}:__name__", on_error="return")
    for worker, answer in answers.items():
        if isinstance(answer, ImportError):
            who = f"the worker at {worker!r}"
            raise _no_library(who, answer.name) from None
    try:
        client.run_on_scheduler(resolve_name, f"{module}:__name__")
    except ImportError as error:
        who = "the scheduler"
        raise _no_library(who, error.name) from None


def _no_library(who: str, lacking: str | None) -> DataError:
    message = (
        "all of a cluster of Dask must have the packages of this machine; "
        f"{who} lacks {'some' if lacking is None else repr(lacking)}"
    )
    return DataError(message, hint=EVERYWHERE)


def unseen(place: str | None, engine: str) -> DataError:
    """Refuse files that a worker does not find where they were found here."""
    shown = "a file" if place is None else repr(place)
    message = f"every worker of {engine.title()} must see the files; one does not see {shown}"
    return DataError(message, hint=SHARED)


def _explain_dask(error: Exception) -> DataError | None:
    """Explain an exception of dask, or one that it brought from a worker."""
    kinds = {kind.__name__ for kind in type(error).__mro__}
    if "KilledWorker" in kinds:
        message = "workers of Dask must survive their work; several died at the same part of it"
        hint = "most often memory ran out: give each worker more, or fewer threads."
        return DataError(message, hint=hint)
    if kinds & {"CancelledError", "CommClosedError", "TimeoutError", "ClosedClientError"}:
        return DataError(ENDED.format("Dask"), hint=AGAIN)
    if isinstance(error, FileNotFoundError):
        return unseen(error.filename, "dask")
    return _explain_sent(error, kinds)


def is_explained(error: BaseException) -> bool:
    """Return whether there is more to say of what Dask raised than what it says itself."""
    return isinstance(error, Exception) and _explain_dask(error) is not None


def unreadable(error: BaseException) -> DataError:
    """Refuse files of which a reader of Dask says something."""
    said = str(error).strip().partition("\n")[0] or type(error).__name__
    message = f"Dask must be able to read the files; it says: {said[:200]}"
    return DataError(message, hint="one may be cut short, or have other columns than the rest.")


def _explain_sent(error: Exception, kinds: set[str]) -> DataError | None:
    """Explain what came of work that was sent: packages that lack, files that cannot be read."""
    if isinstance(error, ModuleNotFoundError):
        return _no_library("a worker", error.name)
    if kinds & UNREADABLE:
        return unreadable(error)
    if "deserialization of the task graph" in str(error):
        return _no_library("the scheduler", None)
    return None


def _explain_spark(error: Exception) -> DataError | None:
    """Explain an exception of Spark, most often one of Java."""
    home = type(error).__module__.partition(".")[0]
    if isinstance(error, ConnectionError) or type(error).__name__ == "Py4JNetworkError":
        return DataError(ENDED.format("Spark"), hint=AGAIN)
    if home not in ("py4j", "pyspark"):
        return None
    text = str(error)
    place = _file_in(text)
    shown = {
        "one": "one" if place is None else repr(place),
        "one_of": "one" if place is None else f"one of {place!r}",
        "a_file": "a file" if place is None else repr(place),
    }
    for words, (message, hint) in JAVA.items():
        if any(word in text for word in words):
            return DataError(message.format(**shown), hint=hint)
    message = f"Spark must be able to do the work; it says: {first_line(text)}"
    return DataError(message)


EXPLAINED: dict[str, Callable[[Exception], DataError | None]] = {
    "dask": _explain_dask,
    "spark": _explain_spark,
}


def _file_in(text: str) -> str | None:
    match = re.search(r"\b(?:file|hdfs|s3a?|gs|abfss?):/[^\n]*?(?=\.?\s|[\"'`]|$)", text)
    return None if match is None else re.sub("^file:/+", "/", match[0])


def first_line(text: str) -> str:
    """Return the first thing that an exception of Java says, without its name and its stack."""
    match = re.search(r"^(?:: )?(?:[\w$]+\.)+[\w$]+: (.+)", text, re.MULTILINE)
    return (match[1] if match else text.strip().partition("\n")[0])[:200]


@contextmanager
def _watched(watch: Watch | None) -> Iterator[Event]:
    """Look now and then whether anyone works, and stop if nobody has for too long."""
    lost, done = Event(), Event()
    if watch is None:
        yield lost
        return

    def look() -> None:
        since = monotonic()
        while not done.wait(LOOK):
            if not watch.idle():
                since = monotonic()
            elif monotonic() - since > PATIENCE:
                lost.set()
                watch.stop()
                return

    thread = Thread(target=look, name="properly-watch", daemon=True)
    thread.start()
    try:
        yield lost
    finally:
        done.set()
        thread.join(LOOK)
        watch.tidy()


def _watch_of(engine: str) -> Watch | None:
    if engine == "dask" and "distributed" in sys.modules:
        return _dask_watch(sys.modules["distributed"])
    if engine == "spark" and "pyspark" in sys.modules:
        return _spark_watch(sys.modules["pyspark"])
    return None


def _dask_client() -> Any:
    """Return the client that work goes to; None if threads of this process do it."""
    distributed = sys.modules.get("distributed")
    if distributed is None:
        return None
    with suppress(ValueError):
        return distributed.default_client()
    return None


def _dask_watch(distributed: Any) -> Watch | None:
    """Watch the workers of the current client, and cancel only what was asked for since."""
    client = _dask_client()
    if client is None or client.asynchronous:
        return None
    before = set(client.futures)
    looks: list[set[str]] = [set()]

    def idle() -> bool:
        """Tell that none has stayed since the last look; who is started again is another."""
        found: set[str] = set()
        with suppress(Exception):  # whatever it is, nobody can be seen to work
            found = set(client.nthreads())
        stayed = found & looks[-1]
        looks[:] = [found] if stayed else [*looks, found]
        return not stayed

    def stop() -> None:
        with suppress(Exception):  # without a scheduler, the client cancels by itself
            since = [key for key in list(client.futures) if key not in before]
            client.cancel([distributed.Future(key, client) for key in since], force=True)

    return Watch(idle, stop, came=lambda: any(looks[1:]))


def _spark_watch(pyspark: Any) -> Watch | None:
    """Watch the executors of Spark, and cancel only the jobs that this thread starts."""
    context = getattr(getattr(pyspark, "SparkContext", None), "_active_spark_context", None)
    if context is None or context.master.startswith("local"):
        return None
    tag = f"properly-{uuid4().hex}"
    context.addJobTag(tag)

    def idle() -> bool:
        with suppress(Exception):  # the thread that waits will hear of it too
            # The driver counts as one.
            return bool(context._jsc.sc().getExecutorMemoryStatus().size() <= 1)  # noqa: SLF001
        return False

    def stop() -> None:
        with suppress(Exception):
            context.cancelJobsWithTag(tag)

    def tidy() -> None:
        with suppress(Exception):
            context.removeJobTag(tag)

    return Watch(idle, stop, tidy)
