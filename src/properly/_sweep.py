"""Go over long columns in pieces that stay in the processor's cache."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, TypeVar

from properly._arrays import is_numpy

if TYPE_CHECKING:
    from collections.abc import Callable

    from properly.typing import Array

PIECE = 1 << 17
# Fewer pieces than this are done sooner than threads are started.
MANY = 8
Result = TypeVar("Result")


def sweep(function: Callable[..., Result], *columns: Array) -> list[Result]:
    """Apply a function to the columns piece by piece; the results come in row order.

    Temporary arrays then have the size of a piece, not of the data, and the pieces of long columns
    are shared out to a few threads, since numpy computes without the interpreter's lock. The arrays
    of other libraries are one piece: a GPU wants few large kernels.
    """
    rows = columns[0].shape[0]
    if not is_numpy(columns[0]) or rows <= PIECE:
        return [function(*columns)]
    pieces = [tuple(x[i : i + PIECE] for x in columns) for i in range(0, rows, PIECE)]
    if len(pieces) < MANY:
        return [function(*piece) for piece in pieces]
    with ThreadPoolExecutor(min(4, os.cpu_count() or 1)) as pool:
        return list(pool.map(lambda piece: function(*piece), pieces))
