"""Files as a frame of Dask, on a cluster or on the cores of this machine, by Dask's own readers.

CSV and JSON lines are read as text. One look at all values settles the types of columns, which are
those of Arrow: pandas would make floats of whole numbers as soon as one is missing, and ids beyond
2**53 would merge. Workers need Dask, pandas and pyarrow, but not this library.
"""

from __future__ import annotations

import asyncio
import csv
import json
import logging
import operator
import os
import re
import reprlib
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from functools import partial
from glob import escape
from pathlib import Path
from typing import Any

from properly._boundary._classes import require_columns
from properly._boundary._notices import import_extra
from properly.engines._files import _clusters, _paths
from properly.engines._files._duckdb_tables import MISSING, OPENING, Header, decoded
from properly.engines._files._paths import Paths
from properly.errors import ArgumentTypeError, DataError

ADDRESS = re.compile(r"((tcp|tls|ws|wss|ucx|ucxx)://)?([\w.-]+|\[[\da-fA-F:.%]+\]):[0-9]{1,5}/?")
# How many bytes of text a worker reads at once.
BYTES = 1 << 26
TEXT = "string[pyarrow]"
TYPES = {"whole": "int64[pyarrow]", "number": "double[pyarrow]", "truth": "bool[pyarrow]"}


@contextmanager
def open_dask(
    paths: Paths, columns: Mapping[str, str], scheduler: str | None = None
) -> Iterator[Any]:
    """Open columns of CSV, JSON lines or Parquet files as a frame of Dask.

    Columns are asked for by the names that they shall have, plain words such as ``c0``. Without
    the address of a scheduler, one is started here with a process for each core, and stopped.
    """
    address = None if scheduler is None else _as_address(scheduler)
    import_extra("dask.dataframe", extra="dask")
    import_extra("distributed", extra="dask")
    files = _clusters.find_cluster_files(_expanded(paths), _opening)
    with _client(address):
        with _clusters.translated("dask", is_reading=True):
            frame = _frame_of(files, columns)
        yield frame


def _expanded(paths: Paths) -> list[str | os.PathLike[str]]:
    """Find the files that patterns of addresses stand for."""
    fsspec = import_extra("fsspec", extra="dask")
    found: list[str | os.PathLike[str]] = []
    for path in _paths.listed_paths(paths):
        if not _paths.is_address(path):
            found.append(path)
            continue
        address = str(path)
        _paths.require_package(address)
        try:
            store, _ = fsspec.url_to_fs(address)
        except Exception as error:
            raise _paths.unreachable(address, "Dask", _paths.reason_of(error)) from error
        found += _paths.names_in(store, address, "Dask")
    return found


def _opening(address: str) -> str:
    """Read the beginning of a file that is not on this machine."""
    fsspec = import_extra("fsspec", extra="dask")
    try:
        with fsspec.open(address, "rb", compression="infer") as file:
            return decoded(address, file.read(OPENING))
    except Exception as error:
        raise _paths.unreachable(address, "Dask", _paths.reason_of(error)) from error


def _as_address(scheduler: str) -> str:
    if not isinstance(scheduler, str):
        message = f"a scheduler must be given by its address; got {scheduler!r}"
        raise ArgumentTypeError(message)
    if not ADDRESS.fullmatch(scheduler) or int(scheduler.strip("/").rpartition(":")[2]) > 65535:
        message = f"the address of a scheduler must look like tcp://HOST:8786; got {scheduler!r}"
        raise DataError(message)
    return scheduler


@contextmanager
def _client(address: str | None) -> Iterator[None]:
    """Connect to a scheduler, or to one of our own that goes with the connection."""
    distributed = import_extra("distributed", extra="dask")
    if address is not None:
        _require_answer(distributed, address)
        with distributed.Client(address, timeout=_clusters.ANSWER):
            yield
        return
    with ExitStack() as stack:
        try:
            cluster = stack.enter_context(_own_cluster(distributed))
            stack.enter_context(distributed.Client(cluster, timeout=_clusters.ANSWER))
        except (OSError, RuntimeError) as error:
            message = "workers of Dask must start on this machine; they do not"
            hint = 'a script must do its work under if __name__ == "__main__".'
            raise DataError(message, hint=hint) from error
        yield


def _require_answer(distributed: Any, address: str) -> None:
    """Shake hands with a scheduler; a client would wait forever for one who only listens."""
    seconds = _clusters.ANSWER

    async def greet() -> None:
        keys = distributed.Security().get_connection_args("client")
        link = distributed.core.connect(address, timeout=seconds, **keys)
        (await asyncio.wait_for(link, seconds)).abort()

    try:
        with ThreadPoolExecutor(1) as pool:  # this thread may have a loop of its own
            pool.submit(asyncio.run, greet()).result()
    except (OSError, TimeoutError, ValueError):
        message = (
            f"a scheduler of Dask must answer within {seconds:g} seconds; that at {address!r} "
            "does not"
        )
        raise DataError(message, hint="without an address, this machine works alone.") from None


def _own_cluster(distributed: Any) -> Any:
    return distributed.LocalCluster(
        processes=True,
        threads_per_worker=1,
        host="127.0.0.1",
        dashboard_address="127.0.0.1:0",
        silence_logs=logging.CRITICAL,
    )


def _frame_of(files: _clusters.ClusterFiles, columns: Mapping[str, str]) -> Any:
    """Read columns under other names: those of text of the types that fit all their values."""
    # A mark of a pattern in the name of a file is none.
    places = [
        escape(str(Path(file.name).absolute())) if _paths.is_here(file) else file.name
        for file in files.files
    ]
    if files.format == "parquet":
        frames = import_extra("dask.dataframe", extra="dask")
        frame = frames.read_parquet(places, dtype_backend="pyarrow", split_row_groups="adaptive")
        require_columns(columns.values(), list(frame.columns), files.where)
        return frame[list(columns.values())].rename(columns={x: c for c, x in columns.items()})
    size = None if files.packed else BYTES
    if files.header is None:
        return _typed(_records(places, size, columns, files.where))
    return _typed(_texts(places, size, columns, files.header, files.where))


def _texts(
    places: list[str], size: int | None, columns: Mapping[str, str], header: Header, where: str
) -> Any:
    """Read columns of CSV as text."""
    require_columns(columns.values(), [name for name in header.names if name], where)
    _require_fields(places, size, header)
    options = {"skiprows": header.blank or None, "dtype": TEXT, "na_filter": False}
    frames = import_extra("dask.dataframe", extra="dask")
    frame = frames.read_csv(places, sep=header.separator, blocksize=size, **options)
    frame.columns = [f"f{i}" for i in range(len(header.names))]
    chosen = {f"f{header.names.index(real)}": name for name, real in columns.items()}
    return frame[list(chosen)].rename(columns=chosen)


def _require_fields(places: list[str], size: int | None, header: Header) -> None:
    """Refuse lines that are cut short, or too long, which pandas would fill up or shift."""
    lines = import_extra("dask.bag", extra="dask").read_text(places, blocksize=size)
    rows = lines.map_partitions(csv.reader, delimiter=header.separator).distinct(len).compute()
    for row in rows:
        found = f"one has {len(row)} instead of {len(header.names)}: {reprlib.repr(row)}"
        message = f"each line of a CSV file must have as many fields as its header; {found}"
        if len(row) not in (0, len(header.names)):
            raise DataError(message, hint="text that contains the separator must be quoted.")


def _records(places: list[str], size: int | None, columns: Mapping[str, str], where: str) -> Any:
    """Read columns of JSON lines as text, numbers as they are written."""
    bag = import_extra("dask.bag", extra="dask")
    lines = bag.read_text(places, blocksize=size).map(str.strip).remove(operator.not_)
    records = lines.map(partial(json.loads, parse_int=str, parse_float=str))
    names = records.map(list).flatten().distinct().compute()
    require_columns(columns.values(), names, where)
    frame = records.to_dataframe(meta=dict.fromkeys(columns.values(), TEXT))
    return frame.rename(columns={real: name for name, real in columns.items()})


def _typed(texts: Any) -> Any:
    """Let the workers look at all values, once, and make numbers of columns of numbers."""
    gone = {name: texts[name].isna() | texts[name].str.fullmatch(MISSING) for name in texts.columns}
    flags = {
        f"{name} {kind}": gone[name] | texts[name].str.fullmatch(pattern)
        for name in gone
        for kind, pattern in _clusters.KINDS.items()
    }
    fits = texts.assign(**flags)[list(flags)].all().compute()
    typed = {}
    for name, missing in gone.items():
        kind = _clusters.kind_of(kind for kind in _clusters.KINDS if fits[f"{name} {kind}"])
        typed[name] = texts[name].mask(missing)
        if kind != "text":
            plain = typed[name].str.strip().str.lower().str.replace(r"^\+", "", regex=True)
            truths = (plain == "true").mask(missing) if kind == "truth" else plain
            typed[name] = truths.astype(TYPES[kind])
    return texts.assign(**typed)[list(typed)]
