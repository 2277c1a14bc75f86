"""Every message about clusters that needs no cluster, word for word; Dask and Spark are hidden."""

from __future__ import annotations

import bz2
import gzip
import itertools
import os
import re
import socket
import sys
import threading
import time
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest
from pyarrow import feather

from properly.engines._files import _cluster_errors, _shards, _spark
from properly.engines._files._cluster_errors import Watch, translated
from properly.engines._files._dask import open_dask
from properly.engines._files._shards import KINDS, find_shards, kind_of
from properly.engines._files._spark import open_spark
from properly.errors import ArgumentTypeError, DataError, MissingExtraError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

AGAIN = "\n\nHint: nothing was counted; start the cluster again and repeat the command."
PLAIN = "\n\nHint: unpack it, or write it to a file, first."
ALONE = "\n\nHint: without a master, this machine works alone."


class Nowhere:
    """An engine that sees two files elsewhere."""

    def names(self, address: str) -> list[str]:
        return [address.replace("*", each) for each in "ab"]

    def opening(self, address: str) -> str:
        return f"y,{address[-6:-4]}\n"


def opened(*paths: str) -> list[_shards.Shard]:
    return find_shards(paths, Nowhere())


def arrow() -> bytes:
    sink = pa.BufferOutputStream()
    feather.write_feather(pa.table({"p": [0.5]}), sink)
    return bytes(sink.getvalue().to_pybytes())


# What the files hold, what is asked for, and what is said.
SAID: list[tuple[Mapping[str, bytes], Callable[[], Any], str]] = [
    ({}, opened, "at least one file is needed; got none"),
    (
        {"a.csv": b"y\n1\n"},
        lambda: opened("a.csv", "-"),
        "a file for a cluster must be plain, or text packed by gzip; '-' is not" + PLAIN,
    ),
    (
        {"a.csv.bz2": bz2.compress(b"y\n1\n")},
        lambda: opened("a.csv.bz2"),
        "a file for a cluster must be plain, or text packed by gzip; 'a.csv.bz2' is not" + PLAIN,
    ),
    (
        {"a.csv": gzip.compress(b"y\n1\n")},
        lambda: opened("a.csv"),
        "a file for a cluster must end in .gz if and only if it is packed by gzip; 'a.csv' is packed",
    ),
    (
        {"a.csv.gz": b"y\n1\n"},
        lambda: opened("a.csv.gz"),
        "a file for a cluster must end in .gz if and only if it is packed by gzip; 'a.csv.gz' is not packed",
    ),
    (
        {"a.arrow": arrow()},
        lambda: opened("a.arrow"),
        "a file for a cluster must be CSV, Parquet or JSON lines; 'a.arrow' is Arrow",
    ),
    (
        {"a.json": b'[{"p": 1}]'},
        lambda: opened("a.json"),
        "a file for a cluster must be CSV, Parquet or JSON lines; 'a.json' is a list in JSON",
    ),
    (
        {"a.csv": b"y\n1\n", "b": b'{"y": 1}\n'},
        lambda: opened("a.csv", "b"),
        "files for a cluster must be of one format; 'a.csv' is CSV and 'b' JSON lines",
    ),
    (
        {"a.csv": b"y,p\n1,0.5\n", "b.csv": b"p,y\n0.5,1\n"},
        lambda: opened("a.csv", "b.csv"),
        "CSV files for a cluster must have the same first line; that of 'b.csv' is not that of 'a.csv'",
    ),
    (
        {"a.csv": b"y,p\n1,0.5\n", "b.csv": b"y;p\n1;0.5\n"},
        lambda: opened("a.csv", "b.csv"),
        "CSV files for a cluster must have the same first line; that of 'b.csv' is not that of 'a.csv'",
    ),
    (
        {},
        lambda: opened("s3://bucket/*.csv"),
        "CSV files for a cluster must have the same first line; that of 's3://bucket/b.csv' is not that of 's3://bucket/a.csv'",
    ),
    (
        {"a.csv": b"p,p\n1,0.5\n"},
        lambda: opened("a.csv"),
        "names of columns must differ; 'a.csv' has 'p' 2 times",
    ),
    # addresses
    (
        {},
        lambda: open_dask("a.csv", {}, "the scheduler").__enter__(),
        "the address of a scheduler must look like tcp://HOST:8786; got 'the scheduler'",
    ),
    (
        {},
        lambda: open_dask("a.csv", {}, "tcp://127.0.0.1:70000").__enter__(),
        "the address of a scheduler must look like tcp://HOST:8786; got 'tcp://127.0.0.1:70000'",
    ),
    (
        {},
        lambda: open_spark("a.csv", {}, "spark:7077").__enter__(),
        "a master must be spark://HOST:7077, local[N], yarn or k8s://ADDRESS; got 'spark:7077'",
    ),
]


@pytest.mark.parametrize(("files", "ask", "said"), SAID)
def test_files_and_addresses(
    folder: Path, files: Mapping[str, bytes], ask: Callable[[], Any], said: str
) -> None:
    for name, data in files.items():
        (folder / name).write_bytes(data)
    with pytest.raises(DataError) as caught:
        ask()
    assert str(caught.value) == said


@pytest.mark.parametrize(
    ("ask", "said"),
    [
        (
            lambda: open_dask("a.csv", {}, 8786),  # type: ignore[arg-type]
            "a scheduler must be given by its address; got 8786",
        ),
        (
            lambda: open_spark("a.csv", {}, 7077),  # type: ignore[arg-type]
            "a master must be given by its address; got 7077",
        ),
    ],
)
def test_addresses_of_another_kind(ask: Callable[[], Any], said: str) -> None:
    with pytest.raises(ArgumentTypeError) as caught:
        ask().__enter__()
    assert str(caught.value) == said


@pytest.mark.parametrize("address", ["tcp://127.0.0.1:8786", "host-1.lan:8786", "tls://[::1]:8786"])
def test_an_address_that_looks_like_one_is_tried(
    address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "dask.dataframe", None)
    with pytest.raises(MissingExtraError):
        open_dask("a.csv", {}, address).__enter__()


@pytest.mark.parametrize(
    "master", ["local", "local[2]", "local[*]", "yarn", "k8s://https://h:6443", "spark://h:1,k:2"]
)
def test_a_master_that_looks_like_one_is_tried(
    master: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pyspark.sql", None)
    with pytest.raises(MissingExtraError):
        open_spark("a.csv", {}, master).__enter__()


@pytest.mark.parametrize(
    ("hidden", "ask", "said"),
    [
        (
            "dask.dataframe",
            lambda: open_dask("a.csv", {}),
            "this needs dask, which is not installed\n\nHint: pip install 'properly[dask]'",
        ),
        (
            "pyspark.sql",
            lambda: open_spark("a.csv", {}),
            "this needs pyspark, which is not installed\n\nHint: pip install 'properly[spark]'",
        ),
    ],
)
def test_an_engine_that_is_not_installed(
    hidden: str, ask: Callable[[], Any], said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, hidden, None)
    with pytest.raises(MissingExtraError) as caught:
        ask().__enter__()
    assert str(caught.value) == said


def test_java_that_is_not_installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    hint = "\n\nHint: install Java 17 or later, or set JAVA_HOME to it."
    monkeypatch.delenv("PYSPARK_GATEWAY_PORT", raising=False)
    monkeypatch.setenv("PATH", os.fspath(tmp_path))
    monkeypatch.delenv("JAVA_HOME", raising=False)
    with pytest.raises(MissingExtraError) as caught:
        _spark._require_java()
    assert str(caught.value) == "Spark needs Java, which is not installed" + hint
    monkeypatch.setenv("JAVA_HOME", "/nowhere")
    with pytest.raises(MissingExtraError) as caught:
        _spark._require_java()
    said = "Spark needs Java, which is not installed in JAVA_HOME = '/nowhere'"
    assert str(caught.value) == said + hint


def answer_once(there: socket.socket) -> None:
    with there.accept()[0] as link:
        link.sendall(link.recv(1))


def test_a_master_that_does_not_answer() -> None:
    with socket.socket() as link:
        link.bind(("127.0.0.1", 0))
        master = f"spark://127.0.0.1:{link.getsockname()[1]}"
        with pytest.raises(DataError) as caught:
            _spark._own_address(master)
        said = f"a master of Spark must answer within 10 seconds; that at {master!r} does not"
        assert str(caught.value) == said + ALONE
        # One of several is enough.
        with socket.create_server(("127.0.0.1", 0)) as there:
            several = f"{master},127.0.0.1:{there.getsockname()[1]}"
            answer = threading.Thread(target=answer_once, args=(there,))
            answer.start()
            assert _spark._own_address(several) == "127.0.0.1"
            answer.join()
    assert _spark._own_address("yarn") is None


def test_a_master_that_only_listens(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_cluster_errors, "ANSWER", 0.2)
    with socket.create_server(("127.0.0.1", 0)) as there:
        master = f"spark://127.0.0.1:{there.getsockname()[1]}"
        with pytest.raises(DataError) as caught:
            _spark._own_address(master)
        link, _ = there.accept()
        with link:
            assert link.recv(64) == b"\0\0\0\0\0\0\0\x15\x06\0\0\0\x08properly"
    said = f"a master of Spark must answer within 0.2 seconds; that at {master!r} does not"
    assert str(caught.value) == said + ALONE


def exception(module: str, name: str, said: str, base: type[Exception] = Exception) -> Exception:
    """Make an exception as an engine that is not loaded would raise it."""
    made: Exception = type(name, (base,), {"__module__": module})(said)
    return made


def dask_says(name: str, said: str = "") -> Exception:
    return exception("distributed.somewhere", name, said)


def java_says(said: str) -> Exception:
    opening = (
        "An error occurred while calling o1.collectToPython.\n: org.apache.spark.SparkException: "
    )
    return exception("py4j.protocol", "Py4JJavaError", f"{opening}{said}\n\tat org.apache.Spark(1)")


ENDED = " must run until the work is done; it ended before" + AGAIN
EVERYWHERE = (
    "\n\nHint: pip install 'properly[dask]', as it is here, for every worker and the scheduler."
)
UNSEEN = "\n\nHint: put them where all workers find them under the same path."
SHORT = "\n\nHint: it may be cut short."
LOST = FileNotFoundError(2, "No such file or directory", "/data/a.csv")
RAISED: list[tuple[str, Exception, str]] = [
    (
        "dask",
        dask_says("KilledWorker"),
        (
            "workers of Dask must survive their work; several died at the same part of it\n\n"
            "Hint: most often memory ran out: give each worker more, or fewer threads."
        ),
    ),
    ("dask", dask_says("CommClosedError"), "Dask" + ENDED),
    ("dask", TimeoutError(), "Dask" + ENDED),
    (
        "dask",
        exception("d", "FuturesCancelledError", "", type("CancelledError", (Exception,), {})),
        "Dask" + ENDED,
    ),
    (
        "dask",
        LOST,
        "every worker of Dask must see the files; one does not see '/data/a.csv'" + UNSEEN,
    ),
    (
        "dask",
        FileNotFoundError("no name"),
        "every worker of Dask must see the files; one does not see a file" + UNSEEN,
    ),
    (
        "dask",
        ModuleNotFoundError("No module named 'properly'", name="properly"),
        "all of a cluster of Dask must have the packages of this machine; a worker lacks 'properly'"
        + EVERYWHERE,
    ),
    (
        "dask",
        RuntimeError("Error during deserialization of the task graph. This frequently occurs if"),
        "all of a cluster of Dask must have the packages of this machine; the scheduler lacks some"
        + EVERYWHERE,
    ),
    ("spark", ConnectionRefusedError(111, "Connection refused"), "Spark" + ENDED),
    ("spark", exception("py4j.protocol", "Py4JNetworkError", "closed"), "Spark" + ENDED),
    ("spark", java_says("Job 1 cancelled because SparkContext was shut down"), "Spark" + ENDED),
    (
        "spark",
        java_says("[FAILED_READ_FILE.FILE_NOT_EXIST] File file:///data/a.csv does not exist."),
        "every worker of Spark must see the files; one does not see '/data/a.csv'" + UNSEEN,
    ),
    (
        "spark",
        java_says("Task failed: java.io.FileNotFoundException: gone"),
        "every worker of Spark must see the files; one does not see a file" + UNSEEN,
    ),
    (
        "spark",
        java_says("[MALFORMED_CSV_RECORD] Malformed CSV record: 1"),
        (
            "each line of a CSV file must have as many fields as its header; one has not\n\n"
            "Hint: text that contains the separator must be quoted."
        ),
    ),
    (
        "spark",
        java_says("[FAILED_READ_FILE.NO_HINT] error while reading file s3://b/a.parquet. "),
        "a file must be whole and in one format; Spark cannot read 's3://b/a.parquet'" + SHORT,
    ),
    (
        "spark",
        java_says("[CANNOT_MERGE_SCHEMAS] Failed merging schemas"),
        (
            "a column must be of one type in all files; Spark found several\n\n"
            "Hint: write the files again with one type."
        ),
    ),
    (
        "spark",
        java_says("Job aborted: java.lang.OutOfMemoryError: Java heap space"),
        (
            "Spark must have the memory that the work needs; it ran out of it\n\n"
            "Hint: raise spark.driver.memory or spark.executor.memory."
        ),
    ),
    (
        "spark",
        exception("pyspark.errors", "PySparkRuntimeError", "[JAVA_GATEWAY_EXITED] Java exited"),
        (
            "Spark must start; Java ended before it did\n\n"
            "Hint: Spark needs Java 17 or later, which JAVA_HOME may name."
        ),
    ),
    (
        "spark",
        java_says("[DIVIDE_BY_ZERO] Division by zero."),
        "Spark must be able to do the work; it says: [DIVIDE_BY_ZERO] Division by zero.",
    ),
    (
        "spark",
        exception("pyspark.errors.exceptions", "AnalysisException", "[X] No.\nJVM stacktrace:"),
        "Spark must be able to do the work; it says: [X] No.",
    ),
]


@pytest.mark.parametrize(("engine", "error", "said"), RAISED)
def test_what_an_engine_raises(engine: str, error: Exception, said: str) -> None:
    with pytest.raises(DataError) as caught, translated(engine):
        raise error
    assert str(caught.value) == said
    assert caught.value.__cause__ is error


@pytest.mark.parametrize("engine", ["dask", "spark", "polars"])
def test_what_is_left_alone(engine: str) -> None:
    for error in (ZeroDivisionError("mine"), DataError("ours"), KeyboardInterrupt()):
        with pytest.raises(type(error)) as caught, translated(engine):
            raise error
        assert caught.value is error


class TestTheWatch:
    """Work ends if nobody has been there to do it, and only then."""

    @pytest.fixture(autouse=True)
    def _little_patience(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(_cluster_errors, "PATIENCE", 0.05)
        monkeypatch.setattr(_cluster_errors, "LOOK", 0.005)

    def test_work_that_nobody_does_is_stopped(self, monkeypatch: pytest.MonkeyPatch) -> None:
        stopped = threading.Event()
        monkeypatch.setattr(
            _cluster_errors, "_watch_of", lambda _: Watch(lambda: True, stopped.set)
        )

        def work() -> None:
            assert stopped.wait(30)
            cancelled = dask_says("CancelledError")
            raise cancelled

        with pytest.raises(DataError) as caught, translated("dask"):
            work()
        said = "a cluster must have workers; that of Dask has had none for 0.05 seconds"
        assert str(caught.value) == said + AGAIN

    def test_workers_that_end_as_soon_as_they_come_do_no_work(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        stopped, numbers = threading.Event(), itertools.count()
        client = SimpleNamespace(
            asynchronous=False,
            futures={},
            nthreads=lambda: {f"tcp://127.0.0.1:{next(numbers)}": 1},
            cancel=lambda *_, **__: stopped.set(),
        )
        fake = SimpleNamespace(default_client=lambda: client)
        monkeypatch.setitem(sys.modules, "distributed", fake)

        def work() -> None:
            assert stopped.wait(30)
            cancelled = dask_says("CancelledError")
            raise cancelled

        with pytest.raises(DataError) as caught, translated("dask"):
            work()
        assert str(caught.value) == (
            "workers of Dask must stay; for 0.05 seconds none did\n\nHint: they may lack what they "
            "are sent: pip install 'properly[dask]', as it is here, for every worker and the scheduler."
        )
        assert next(numbers) > 2

    def test_work_that_somebody_does_goes_on(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """A moment without workers, as when they are started again, is not yet the end."""
        looks = []

        def idle() -> bool:
            looks.append(time.monotonic())
            return len(looks) % 3 != 0

        def never() -> None:
            pytest.fail("it was stopped")

        monkeypatch.setattr(_cluster_errors, "PATIENCE", 5.0)
        monkeypatch.setattr(_cluster_errors, "_watch_of", lambda _: Watch(idle, never))
        with translated("dask"):
            while len(looks) < 10:
                time.sleep(0.005)
        seen = len(looks)
        assert seen >= 10
        assert not any(thread.name == "properly-watch" for thread in threading.enumerate())

    def test_an_engine_that_is_not_loaded_is_not_watched(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.delitem(sys.modules, "distributed", raising=False)
        monkeypatch.delitem(sys.modules, "pyspark", raising=False)
        assert _cluster_errors._watch_of("dask") is None
        assert _cluster_errors._watch_of("spark") is None
        assert _cluster_errors._watch_of("polars") is None
        assert "distributed" not in sys.modules
        assert "pyspark" not in sys.modules


def fitting(*values: str) -> str:
    """Choose the kind of a column of these texts, as workers do."""
    fits = (k for k, pattern in KINDS.items() if all(re.fullmatch(pattern, x) for x in values))
    return kind_of(fits)


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        (["1", " -2 ", "+3"], "whole"),
        (["0", "9223372036854775807", "-9223372036854775807"], "whole"),
        (["9223372036854775808"], "text"),
        (["12345678901234567890123"], "text"),
        (["007"], "text"),
        (["0.5", "1", ".5", "5.", "1e-3", "-Inf"], "number"),
        (["true", "FALSE"], "truth"),
        (["true", "1"], "text"),
        (["1_000"], "text"),
        (["nan"], "text"),
        ([], "whole"),
    ],
)
def test_the_narrowest_kind_is_chosen(values: list[str], kind: str) -> None:
    assert fitting(*values) == kind
