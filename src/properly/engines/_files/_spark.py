"""Files as a frame of Spark, on a cluster or on the cores of this machine."""

from __future__ import annotations

import os
import re
import shutil
import socket
import subprocess
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from properly._boundary._classes import require_columns
from properly._boundary._notices import import_extra
from properly.engines._files import _clusters, _paths
from properly.engines._files._duckdb_tables import MISSING, Header
from properly.engines._files._paths import Paths
from properly.errors import ArgumentTypeError, DataError, MissingExtraError, ProperlyError

MASTER = re.compile(
    r"local(\[(\d+|\*)(,\s*\d+)?\])?|yarn|k8s://\S+|spark://[^\s:,/]+:\d+(,[^\s:,/]+:\d+)*"
)
# What would be taken for a pattern in the name of a file.
MARKS = re.compile(r"[\\*?\[\]{}^]")
TYPES = {"whole": "bigint", "number": "double", "truth": "boolean"}


@contextmanager
def open_spark(
    paths: Paths, columns: Mapping[str, str], master: str | None = None
) -> Iterator[Any]:
    """Open columns of CSV, JSON lines or Parquet files as a frame of Spark.

    Columns are asked for by the names that they shall have, plain words such as ``c0``. Spark is
    used as it runs in this process; else it is started, and stopped at the end, on a master that
    is given by its address, or else on the cores of this machine.
    """
    address = None if master is None else _as_master(master)
    _import_spark()
    with _session(address) as session:
        with _clusters.translated("spark"):
            frame = read_files(session, paths, columns)
        yield frame


def read_files(session: Any, paths: Paths, columns: Mapping[str, str]) -> Any:
    """Read columns of files by a session of Spark."""

    def opening(address: str) -> str:
        lines = session.read.text(address).limit(5).collect()
        return "\n".join(row["value"] for row in lines)

    given = _paths.listed_paths(paths)
    away = [path for path in given if _paths.is_address(path)]
    try:
        return _frame_of(session, _clusters.find_cluster_files(given, opening), columns)
    except ProperlyError:
        raise
    except Exception as error:
        if not away:
            raise
        address = str(away[0])
        if "PATH_NOT_FOUND" in str(error) and MARKS.search(address):
            raise _paths.no_match(address) from None
        raise _paths.unreachable(address, "Spark", _clusters.first_line(str(error))) from error


def _import_spark() -> Any:
    """Import Spark, without what it has to say about the version of pandas."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)
        return import_extra("pyspark.sql", extra="spark")


def _as_master(master: str) -> str:
    if not isinstance(master, str):
        message = f"a master must be given by its address; got {master!r}"
        raise ArgumentTypeError(message)
    if not MASTER.fullmatch(master):
        message = (
            f"a master must be spark://HOST:7077, local[N], yarn or k8s://ADDRESS; got {master!r}"
        )
        raise DataError(message)
    return master


@contextmanager
def _session(master: str | None) -> Iterator[Any]:
    """Take a session with settings of its own, in the Spark of this process or a new one."""
    builder = _import_spark().SparkSession.builder
    running = import_extra("pyspark", extra="spark").SparkContext._active_spark_context  # noqa: SLF001
    if running is not None and master not in (None, running.master):
        message = f"one process has one Spark; it runs on {running.master!r}, not on {master!r}"
        raise DataError(message, hint="stop it first, or leave the master out.")
    started = _started(master or "local[*]") if running is None else builder.getOrCreate()
    try:
        session = started.newSession()
        # Columns that differ in upper and lower case only are two columns.
        session.conf.set("spark.sql.caseSensitive", "true")
        yield session
    finally:
        if running is None:
            with suppress(Exception):  # it may have ended by itself
                started.stop()


def _started(master: str) -> Any:
    """Start Spark without its page for browsers, and without a word."""
    _require_java()
    settings = {
        "spark.master": master,
        "spark.app.name": "properly",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.log.level": "OFF",
    }
    local = "127.0.0.1" if master.startswith("local") else _own_address(master)
    if local is not None and local.startswith("127."):
        settings |= {"spark.driver.host": local, "spark.driver.bindAddress": local}
    pyspark, sql = import_extra("pyspark", extra="spark"), _import_spark()
    conf = pyspark.SparkConf().setAll(list(settings.items()))
    with _clusters.translated("spark"), warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)
        _start_java(pyspark, conf)
        try:
            return sql.SparkSession.builder.config(conf=conf).getOrCreate()
        except Exception as error:
            if master.startswith("spark://"):  # who answered was no master
                raise _no_answer(master) from error
            raise


def _start_java(pyspark: Any, conf: Any) -> None:
    """Start the machine of Java, whose own words are about nothing that went wrong."""
    if pyspark.SparkContext._gateway is None:  # noqa: SLF001
        launch = import_extra("pyspark.java_gateway", extra="spark").launch_gateway
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        gateway = launch(conf, popen_kwargs=quiet)
        pyspark.SparkContext._ensure_initialized(gateway=gateway)  # noqa: SLF001


def _require_java() -> None:
    home = os.environ.get("JAVA_HOME")
    java = shutil.which("java") if home is None else shutil.which(str(Path(home, "bin", "java")))
    if java is None and "PYSPARK_GATEWAY_PORT" not in os.environ:
        where = "" if home is None else f" in JAVA_HOME = {home!r}"
        message = f"Spark needs Java, which is not installed{where}"
        raise MissingExtraError(message, hint="install Java 17 or later, or set JAVA_HOME to it.")


def _own_address(master: str) -> str | None:
    """Return the address by which a master sees this machine; it must answer."""
    if not master.startswith("spark://"):
        return None
    for place in master.removeprefix("spark://").split(","):
        host, _, port = place.rpartition(":")
        with (
            suppress(OSError, OverflowError),
            socket.create_connection((host, int(port)), _clusters.ANSWER) as link,
        ):
            return str(link.getsockname()[0])
    raise _no_answer(master)


def _no_answer(master: str) -> DataError:
    message = (
        f"a master of Spark must answer within {_clusters.ANSWER:g} seconds; "
        f"that at {master!r} does not"
    )
    return DataError(message, hint="without a master, this machine works alone.")


def _frame_of(session: Any, files: _clusters.ClusterFiles, columns: Mapping[str, str]) -> Any:
    """Read columns under other names; nothing is read before a number is asked for, but for CSV."""
    # Just that file; an address may be a pattern.
    places = [
        MARKS.sub(r"\\\g<0>", f"file:{Path(file.name).absolute()}")
        if _paths.is_here(file)
        else file.name
        for file in files.files
    ]
    # A folder such as year=2024 would else become a column.
    reader = session.read.option("recursiveFileLookup", "true").option("mode", "FAILFAST")
    if (header := files.header) is not None:
        require_columns(columns.values(), [name for name in header.names if name], files.where)
        texts = _texts(reader, header, places)
        chosen = {name: texts[f"c{header.names.index(real)}"] for name, real in columns.items()}
        return _typed(texts, chosen)
    if files.format == "json":
        frame = reader.json(places)
    else:
        frame = reader.option("mergeSchema", "true").parquet(*places)
    require_columns(columns.values(), frame.columns, files.where)
    # By number, since names mean what the settings of some session say: a.b, or A for a.
    numbers = {real: f"c{i}" for i, real in enumerate(frame.columns)}
    frame = frame.toDF(*numbers.values())
    return frame.select(*(frame[numbers[real]].alias(name) for name, real in columns.items()))


def _texts(reader: Any, header: Header, places: list[str]) -> Any:
    """Read CSV as columns of text, c0, c1, ..., whose first line is known to be that of each."""
    dialect = {"sep": header.separator, "quote": '"', "escape": '"', "header": "true"}
    schema = ", ".join(f"c{i} string" for i in range(len(header.names)))
    # Of fields that it leaves out, Spark would not notice that they are too many or too few.
    return reader.options(columnPruning="false", **dialect).schema(schema).csv(places)


def _typed(texts: Any, chosen: Mapping[str, Any]) -> Any:
    """Let the workers look at all values, once, and make numbers of columns of numbers."""
    functions = import_extra("pyspark.sql.functions", extra="spark")
    gone = {name: text.rlike(f"^(?:{MISSING})$") for name, text in chosen.items()}
    frame = texts.select(
        *(functions.when(~gone[name], text).alias(name) for name, text in chosen.items())
    )
    fits = [
        functions.min(frame[name].rlike(f"^(?:{pattern})$")).alias(f"{name} {kind}")
        for name in chosen
        for kind, pattern in _clusters.KINDS.items()
    ]
    row = frame.agg(*fits).collect()[0]
    kinds = {
        name: _clusters.kind_of(
            kind for kind in _clusters.KINDS if row[f"{name} {kind}"] is not False
        )
        for name in chosen
    }
    return frame.select(
        *(
            (
                frame[name] if kind == "text" else functions.trim(frame[name]).cast(TYPES[kind])
            ).alias(name)
            for name, kind in kinds.items()
        )
    )
