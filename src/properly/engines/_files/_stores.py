"""Files in a store such as S3, found and read through packages of fsspec.

duckdb fetches files by an extension, which it would have to download. Where the package for a store
is installed, duckdb reads through that: with its settings, and the keys that the user has.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from properly._boundary._notices import import_extra
from properly.engines._files._duckdb_tables import is_here
from properly.engines._files._paths import File, as_file
from properly.errors import DataError, MissingExtraError

if TYPE_CHECKING:
    from collections.abc import Sequence

# The package that reaches a store, by how addresses begin; the extra is called the same.
PACKAGES = {"s3": "s3fs"}


def package_for(address: str) -> tuple[str, str] | None:
    """Return the package that an address needs and the extra that brings it, if it is known."""
    extra = address.partition("://")[0]
    return (PACKAGES[extra], extra) if extra in PACKAGES else None


def require_package(address: str) -> None:
    """Refuse an address whose package is not installed."""
    if (needed := package_for(address)) is not None:
        import_extra(needed[0], extra=needed[1])


def unreachable(address: str, engine: str, reason: str) -> DataError:
    """Refuse the address of a file that an engine does not get at."""
    message = (
        f"a file elsewhere must be one that {engine} reaches; {address!r} is not: {reason[:200]}"
    )
    return DataError(message)


def no_match(pattern: str) -> DataError:
    """Refuse a pattern of addresses, as one of paths is."""
    message = f"a pattern must match a file; {pattern!r} matches none"
    return DataError(message)


def names_in(store: Any, address: str, engine: str) -> list[str]:
    """Find all files that an address, which may be a pattern, stands for."""
    try:
        if import_module("fsspec.core").has_magic(address):
            found = store.glob(address, detail=True)
        else:
            found = {address: store.info(address)}
        names = [name for name, about in found.items() if about["type"] != "directory"]
    except Exception as error:
        raise unreachable(address, engine, reason_of(error)) from error
    if not names:
        raise no_match(address)
    return sorted(store.unstrip_protocol(name) for name in names)


def reason_of(error: Exception) -> str:
    """Say in one line why a file is not reached."""
    if isinstance(error, FileNotFoundError) and error.errno is None:
        return "there is no such file"
    return str(error).partition("\n")[0] or type(error).__name__


def in_stores(files: Sequence[File]) -> tuple[list[File], list[Any]]:
    """Find the files that addresses in stores stand for; return also those stores.

    An address whose package is not installed is left to duckdb.
    """
    found: list[File] = []
    stores: list[Any] = []
    for file in files:
        store = None if is_here(file) else _store_of(file.name)
        if store is None:
            found.append(file)
        else:
            found += [as_file(name) for name in names_in(store, file.name, "duckdb")]
            stores += [] if store in stores else [store]
    _require_different(found)
    return found, stores


def _store_of(address: str) -> Any:
    needed = package_for(address)
    try:
        require_package(address)
    except MissingExtraError:
        return None
    if needed is None:
        return None
    # What was listed a while ago may have changed.
    return import_module("fsspec").filesystem(needed[1], use_listings_cache=False)


def _require_different(files: Sequence[File]) -> None:
    names = [file.name for file in files if not is_here(file)]
    for i, name in enumerate(names):
        if name in names[:i]:
            message = f"each file must be given once; got {name!r} again"
            raise DataError(message)
