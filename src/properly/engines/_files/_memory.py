"""How much memory duckdb may take, and on how many cores it can work with it."""

from __future__ import annotations

import os
import re

from properly.errors import DataError

SIZE = re.compile(r"\s*([0-9]+(?:\.[0-9]+)?)\s*([KMGT])(i?)B\s*", re.IGNORECASE)
# What duckdb asks for by core; with less it runs out of memory rather than use fewer.
PER_CORE = 125_000_000


def as_size(memory: str) -> int:
    """Take a size such as "1GB" as bytes; duckdb takes some that are none for no limit at all."""
    size = SIZE.fullmatch(memory) if isinstance(memory, str) else None
    if size is None:
        message = f"memory must be a size such as '500MB', '1GB' or '2GiB'; got {memory!r}"
        raise DataError(message)
    base = 1024 if size[3] else 1000
    return int(float(size[1]) * base ** (1 + "KMGT".index(size[2].upper())))


def limits_of(memory: str) -> dict[str, str]:
    """Return the settings of duckdb for so much memory."""
    size = as_size(memory)
    limits = {"memory_limit": f"{size}B"}
    cores = max(1, size // PER_CORE)
    return limits | ({"threads": str(cores)} if cores < (os.cpu_count() or 1) else {})
