"""Files as a frame of Dask, on a cluster or on the cores of this machine.

Files are cut into parts: bytes of text, or groups of rows of Parquet. A look at all parts settles
the types of columns; workers then read each part into a frame of pandas. Its columns have types of
Arrow: those of pandas would make floats of whole numbers as soon as one is missing, and ids beyond
2**53 would merge.
"""

from __future__ import annotations

import asyncio
import io
import logging
import re
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple

from properly._boundary._labels import require_columns
from properly._boundary._notices import import_extra
from properly.engines._files import _cluster_errors
from properly.engines._files._cluster_errors import require_library, translated, unseen
from properly.engines._files._duckdb_tables import MISSING, OPENING, Header, decoded
from properly.engines._files._paths import DAMAGED, Paths, damaged
from properly.engines._files._shards import (
    KINDS,
    Shard,
    find_shards,
    kind_of,
    not_valid,
    require_one_type,
    split_quotes,
    unreachable,
)
from properly.engines._files._stores import names_in, package_for, reason_of, require_package
from properly.errors import ArgumentTypeError, DataError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence


ADDRESS = re.compile(r"((tcp|tls|ws|wss|ucx|ucxx)://)?([\w.-]+|\[[\da-fA-F:.%]+\]):[0-9]{1,5}/?")
# How much a worker reads at once: bytes of text, or rows of Parquet.
BYTES, ROWS = 1 << 26, 1 << 21
# Every kind, and that of text which fits none.
ANY = frozenset({*KINDS, "any"})


class Part(NamedTuple):
    """Bytes of text, or groups of rows of Parquet: where they begin, and how many they are."""

    shard: Shard
    start: int
    size: int | None


class Look(NamedTuple):
    """What a part tells of the columns: all names, and the kinds of those that are asked for."""

    names: tuple[str, ...]
    kinds: Mapping[str, frozenset[str]]


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
            require_library(__name__)
            for package in sorted({needed[0] for x in shards if (needed := package_for(x.place))}):
                require_library(package)
            parts, schema = _looked_at(shards, columns)
        meta = as_frame(schema.empty_table())
        # Called "columns", Dask would hand over those that it needs, in a list.
        read = partial(frame_of, real=dict(columns), schema=schema)
        yield dask.from_map(read, parts, meta=meta, enforce_metadata=False, label="properly")


class _Fsspec:
    """Files elsewhere, through the packages that Dask reads them with."""

    def names(self, address: str) -> list[str]:
        """Find all files that an address stands for."""
        fsspec = import_extra("fsspec", extra="dask")
        require_package(address)
        try:
            store, _ = fsspec.url_to_fs(address)
        except Exception as error:
            raise unreachable(address, "Dask", reason_of(error)) from error
        return names_in(store, address, "Dask")

    def opening(self, address: str) -> str:
        """Read the beginning of a file."""
        fsspec = import_extra("fsspec", extra="dask")
        try:
            with fsspec.open(address, "rb", compression="infer") as file:
                head = file.read(OPENING)
        except Exception as error:
            raise unreachable(address, "Dask", reason_of(error)) from error
        return decoded(address, head)


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


def look_at(part: Part, columns: Mapping[str, str]) -> Look:
    """Tell of what kinds columns may be, from all values of a part of text."""
    if part.shard.header is not None:
        table = _texts(part, part.shard.header, columns)
        kinds = {name: _fitting(table.column(name)) for name in columns}
        return Look(tuple(name for name in part.shard.header.names if name), kinds)
    table = _records(part, None)
    types = dict(zip(table.column_names, table.schema.types, strict=True))
    return Look(
        tuple(table.column_names),
        {name: _json_kinds(types[real]) for name, real in columns.items() if real in types},
    )


def frame_of(part: Part, real: Mapping[str, str], schema: Any) -> Any:
    """Read columns of a part into a frame, under the names and of the types of a schema."""
    if part.shard.header is not None:
        return as_frame(_typed_texts(part, part.shard.header, real, schema))
    read = _groups_of_rows if part.shard.format == "parquet" else _typed_records
    return as_frame(read(part, real, schema))


def as_frame(table: Any) -> Any:
    """Make a frame of pandas of a table, in types of Arrow."""
    return table.to_pandas(types_mapper=import_module("pandas").ArrowDtype)


def type_of(kind: str) -> Any:
    """Return the type of Arrow for a kind of column."""
    pa = import_module("pyarrow")
    types = {"whole": pa.int64(), "text": pa.string(), "number": pa.float64(), "truth": pa.bool_()}
    return types[kind]


def plain_type(kind: Any) -> Any:
    """Choose among few types for the many of Parquet; others stay what they are."""
    types = import_module("pyarrow").types
    if types.is_dictionary(kind):
        return plain_type(kind.value_type)
    if types.is_integer(kind) and not types.is_uint64(kind):
        return type_of("whole")
    if types.is_floating(kind) or types.is_decimal(kind) or types.is_null(kind):
        return type_of("number")
    return type_of("text") if types.is_large_string(kind) else kind


def _bytes_of(part: Part) -> bytes:
    """Read whole lines: all that begin within the part, the first of a file always."""
    fsspec, block = import_module("fsspec"), import_module("fsspec.utils")
    shard = part.shard
    try:
        with fsspec.open(shard.place, "rb", compression="gzip" if shard.packed else None) as file:
            content: bytes = block.read_block(file, part.start, part.size, delimiter=b"\n")
    except FileNotFoundError:
        raise unseen(shard.name, "dask") from None
    except DAMAGED:
        raise damaged(shard.name) from None
    return content


def _texts(part: Part, header: Header, columns: Mapping[str, str]) -> Any:
    """Read columns of CSV as text, null where a value is missing."""
    pa, pc = import_module("pyarrow"), import_module("pyarrow.compute")
    lines, shard = _bytes_of(part), part.shard
    if lines.count(b'"') % 2:
        raise split_quotes(shard.name)
    if part.start == 0:
        lines = [*lines.split(b"\n", header.blank + 1), b""][header.blank + 1]
    places = [header.names.index(real) for real in columns.values()]
    try:
        arrays = _fields(lines, header, places)
    except pa.ArrowInvalid as error:
        raise _broken_lines(shard, str(error)) from None
    gone = [pc.match_substring_regex(x, f"^(?:{MISSING})$") for x in arrays]
    none = pa.scalar(None, pa.string())
    values = [pc.if_else(mask, none, x) for mask, x in zip(gone, arrays, strict=True)]
    return pa.table(dict(zip(columns, values, strict=True)))


def _fields(lines: bytes, header: Header, places: list[int]) -> list[Any]:
    """Take fields out of lines, by their places."""
    pa, csv = import_module("pyarrow"), import_module("pyarrow.csv")
    numbered = {f"c{i}": pa.string() for i in range(len(header.names))}
    if not lines.strip():
        return [pa.chunked_array([], pa.string()) for _ in places]
    table = csv.read_csv(
        io.BytesIO(lines),
        csv.ReadOptions(use_threads=False, column_names=list(numbered), block_size=len(lines) + 1),
        csv.ParseOptions(delimiter=header.separator, newlines_in_values=True),
        csv.ConvertOptions(column_types=numbered, null_values=[]),
    )
    return [table.column(i) for i in places]


def _broken_lines(shard: Shard, text: str) -> DataError:
    """Say what is wrong with a CSV file; lines cannot be counted in its midst."""
    if "columns, got" in text:
        line = text.partition(": ")[2].rpartition(": ")[2][:40]
        message = (
            "each line of a CSV file must have as many fields as its header; "
            f"one of {shard.name!r} has not: {line!r}"
        )
        return DataError(message, hint="text that contains the separator must be quoted.")
    if "UTF8" in text:
        message = f"a CSV file must be text in UTF-8; {shard.name!r} is not"
        return DataError(message, hint='save it again; spreadsheets call this "CSV UTF-8".')
    return not_valid(shard.name, "csv")


def _fitting(column: Any) -> frozenset[str]:
    """Find the kinds that fit all values of a column of text."""
    pc = import_module("pyarrow.compute")
    fits = {
        kind: pc.all(pc.match_substring_regex(column, f"^(?:{pattern})$")).as_py()
        for kind, pattern in KINDS.items()
    }
    return ANY - {kind for kind, all_fit in fits.items() if all_fit is False}


def _typed_texts(part: Part, header: Header, columns: Mapping[str, str], schema: Any) -> Any:
    """Read columns of CSV, and make numbers of those that hold numbers only."""
    pa, pc = import_module("pyarrow"), import_module("pyarrow.compute")
    table = _texts(part, header, columns)
    arrays = {}
    for name, kind in zip(schema.names, schema.types, strict=True):
        values = table.column(name)
        if kind != pa.string():
            values = pc.utf8_lower(pc.utf8_trim_whitespace(values))
            values = pc.replace_substring_regex(values, r"^\+", "").cast(kind)
        arrays[name] = values
    return pa.table(arrays)


def _records(part: Part, schema: Any) -> Any:
    """Read JSON lines; without a schema, columns are of the types that their values have."""
    pa, json = import_module("pyarrow"), import_module("pyarrow.json")
    text = _bytes_of(part)
    if not text.strip():
        return pa.table({}) if schema is None else schema.empty_table()
    beyond = "infer" if schema is None else "ignore"
    try:
        return json.read_json(
            io.BytesIO(text),
            json.ReadOptions(use_threads=False, block_size=len(text) + 1),
            json.ParseOptions(explicit_schema=schema, unexpected_field_behavior=beyond),
        )
    except pa.ArrowInvalid as error:
        raise _broken_records(part.shard, str(error)) from None


def _broken_records(shard: Shard, text: str) -> DataError:
    name = text.partition("Column(/")[2].partition(")")[0]
    if not name or " changed from " not in text:
        return not_valid(shard.name, "json")
    message = f"a column must hold values of one kind; {name!r} of {shard.name!r} does not"
    return DataError(message)


def _json_kinds(kind: Any) -> frozenset[str]:
    """Allow for what other parts may hold: whole numbers are numbers, and null is anything."""
    types = import_module("pyarrow").types
    if types.is_null(kind):
        return ANY
    if types.is_integer(kind):
        return frozenset({"whole", "number"})
    if types.is_floating(kind):
        return frozenset({"number"})
    # Text that looks like a date is taken for one; lists and records are none of the kinds.
    texts = types.is_string(kind) or types.is_timestamp(kind)
    return frozenset({"truth"} if types.is_boolean(kind) else {"text"} if texts else ())


def _typed_records(part: Part, columns: Mapping[str, str], schema: Any) -> Any:
    pa = import_module("pyarrow")
    request = pa.schema([(columns[field.name], field.type) for field in schema])
    records = _records(part, request)
    return pa.table([records.column(name) for name in request.names], schema=schema)


def _groups_of_rows(part: Part, columns: Mapping[str, str], schema: Any) -> Any:
    """Read groups of rows of a Parquet file."""
    pa, parquet, fsspec = map(import_module, ("pyarrow", "pyarrow.parquet", "fsspec"))
    chosen = range(part.start, part.start + (part.size or 0))
    try:
        with fsspec.open(part.shard.place, "rb") as file:
            table = parquet.ParquetFile(file).read_row_groups(
                chosen, columns=list(dict.fromkeys(columns.values())), use_threads=False
            )
    except FileNotFoundError:
        raise unseen(part.shard.name, "dask") from None
    except (pa.ArrowException, OSError):
        raise not_valid(part.shard.name, "parquet") from None
    arrays = [table.column(columns[name]) for name in schema.names]
    return pa.table(
        [x.cast(kind) for x, kind in zip(arrays, schema.types, strict=True)], schema=schema
    )
