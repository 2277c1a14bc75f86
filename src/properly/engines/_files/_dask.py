"""Files as a frame of Dask, on the cluster of a scheduler or on the cores of this machine."""

from __future__ import annotations

import asyncio
import logging
import re
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any

from properly._boundary._labels import require_columns
from properly._boundary._notices import import_extra
from properly.engines._files import _cluster_errors
from properly.engines._files._cluster_errors import translated
from properly.engines._files._dask_parts import (
    ANY,
    Part,
    as_frame,
    frame_of,
    look_at,
    plain_type,
    type_of,
)
from properly.engines._files._duckdb_tables import OPENING, decoded
from properly.engines._files._shards import (
    find_shards,
    kind_of,
    no_match,
    not_valid,
    require_one_type,
    unreachable,
)
from properly.errors import ArgumentTypeError, DataError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from properly.engines._files._dask_parts import Look
    from properly.engines._files._paths import Paths
    from properly.engines._files._shards import Shard

ADDRESS = re.compile(r"((tcp|tls|ws|wss|ucx|ucxx)://)?([\w.-]+|\[[\da-fA-F:.%]+\]):[0-9]{1,5}/?")
# How much a worker reads at once: bytes of text, or rows of Parquet.
BYTES, ROWS = 1 << 26, 1 << 21


@contextmanager
def open_dask(
    paths: Paths, columns: Mapping[str, str], scheduler: str | None = None
) -> Iterator[Any]:
    """Open columns of CSV, JSON lines or Parquet files as a frame of Dask.

    Columns are asked for by the names that they shall have, plain words such as ``c0``. Without
    the address of a scheduler, one is started here with a process for each core, and stopped.
    """
    address = None if scheduler is None else _as_address(scheduler)
    dask = import_extra("dask.dataframe", extra="dask")
    import_extra("distributed", extra="dask")
    shards = find_shards(paths, _Fsspec())
    with _client(address):
        with translated("dask"):
            parts, schema = _looked_at(shards, columns)
        meta = as_frame(schema.empty_table())
        read = partial(frame_of, columns=dict(columns), schema=schema)
        yield dask.from_map(read, parts, meta=meta, enforce_metadata=False, label="properly")


class _Fsspec:
    """Files elsewhere, through the packages that Dask reads them with."""

    def names(self, address: str) -> list[str]:
        """Find all files that an address stands for."""
        fsspec = import_extra("fsspec", extra="dask")
        try:
            system, _ = fsspec.url_to_fs(address)
            names = system.glob(address) if fsspec.core.has_magic(address) else [address]
            names = [system.unstrip_protocol(name) for name in names if not system.isdir(name)]
        except Exception as error:
            raise unreachable(address, "Dask", _reason(error)) from error
        if not names:
            raise no_match(address)
        return sorted(names)

    def opening(self, address: str) -> str:
        """Read the beginning of a file."""
        fsspec = import_extra("fsspec", extra="dask")
        try:
            with fsspec.open(address, "rb", compression="infer") as file:
                head = file.read(OPENING)
        except Exception as error:
            raise unreachable(address, "Dask", _reason(error)) from error
        return decoded(address, head)


def _reason(error: Exception) -> str:
    return str(error).partition("\n")[0] or type(error).__name__


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
        with distributed.Client(address, timeout=_cluster_errors.ANSWER):
            yield
        return
    with ExitStack() as stack:
        try:
            cluster = stack.enter_context(_own_cluster(distributed))
            stack.enter_context(distributed.Client(cluster, timeout=_cluster_errors.ANSWER))
        except (OSError, RuntimeError) as error:
            message = "workers of Dask must start on this machine; they do not"
            hint = 'a script must do its work under if __name__ == "__main__".'
            raise DataError(message, hint=hint) from error
        yield


def _require_answer(distributed: Any, address: str) -> None:
    """Shake hands with a scheduler; a client would wait forever for one who only listens."""
    seconds = _cluster_errors.ANSWER

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


def _looked_at(shards: Sequence[Shard], columns: Mapping[str, str]) -> tuple[list[Part], Any]:
    """Cut files into parts, and find of what type each column is."""
    where = "the file" if len(shards) == 1 else "each file"
    if shards[0].format == "parquet":
        footers = [_footer(shard) for shard in shards]
        schema = _schema_in_footers(shards, footers, columns, where)
        pairs = zip(shards, footers, strict=True)
        parts = [part for shard, footer in pairs for part in _groups(shard, footer)]
        return parts or [Part(shards[0], 0, 0)], schema
    if shards[0].header is not None:
        present = [name for name in shards[0].header.names if name]
        require_columns(columns.values(), present, where)
    parts = [part for shard in shards for part in _pieces(shard)]
    return parts, _schema_in_texts(parts, columns, where)


def _pieces(shard: Shard) -> list[Part]:
    """Cut text into pieces; what is packed can only be read as a whole."""
    fsspec = import_extra("fsspec", extra="dask")
    system, path = fsspec.url_to_fs(shard.place)
    size = int(system.size(path) or 0)
    if shard.packed or size <= BYTES:
        return [Part(shard, 0, None)]
    return [Part(shard, start, BYTES) for start in range(0, size, BYTES)]


def _groups(shard: Shard, footer: Any) -> list[Part]:
    """Gather groups of rows until they are enough for a part."""
    parts, start, rows = [], 0, 0
    for i in range(footer.num_row_groups):
        rows += footer.row_group(i).num_rows
        if rows >= ROWS or i == footer.num_row_groups - 1:
            parts.append(Part(shard, start, i + 1 - start))
            start, rows = i + 1, 0
    return parts


def _footer(shard: Shard) -> Any:
    fsspec = import_extra("fsspec", extra="dask")
    parquet = import_extra("pyarrow.parquet", extra="dask")
    pyarrow = import_extra("pyarrow", extra="dask")
    try:
        with fsspec.open(shard.place, "rb") as file:
            return parquet.read_metadata(file)
    except (pyarrow.ArrowException, OSError):
        raise not_valid(shard.name, "parquet") from None


def _schema_in_texts(parts: Sequence[Part], columns: Mapping[str, str], where: str) -> Any:
    """Let the workers look at all values, once."""
    pyarrow, dask = import_extra("pyarrow", extra="dask"), import_extra("dask", extra="dask")
    looks = dask.compute(*(dask.delayed(look_at)(part, dict(columns)) for part in parts))
    names = dict.fromkeys(name for look in looks for name in look.names)
    require_columns(columns.values(), list(names), where)
    return pyarrow.schema([(name, _type_seen(looks, name, columns[name])) for name in columns])


def _type_seen(looks: Sequence[Look], name: str, real: str) -> Any:
    """Choose a type that fits what was seen in all parts."""
    fitting = ANY.intersection(*(look.kinds[name] for look in looks if name in look.kinds))
    if not fitting:
        message = f"a column must hold values of one kind; {real!r} does not"
        raise DataError(message)
    return type_of(kind_of(fitting))


def _schema_in_footers(
    shards: Sequence[Shard], footers: Sequence[Any], columns: Mapping[str, str], where: str
) -> Any:
    """Take the types that Parquet files say they have."""
    schemas = [footer.schema.to_arrow_schema() for footer in footers]
    for schema in schemas:
        require_columns(columns.values(), schema.names, where)
    chosen = []
    for name, real in columns.items():
        types = [plain_type(schema.field(real).type) for schema in schemas]
        by_file = {shard.name: str(kind) for shard, kind in zip(shards, types, strict=True)}
        require_one_type(by_file, real)
        chosen.append((name, types[0]))
    return import_extra("pyarrow", extra="dask").schema(chosen)
