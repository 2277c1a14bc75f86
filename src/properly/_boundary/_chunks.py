"""Chunks: long columns in pieces of the processor's cache, shared out to threads."""

from __future__ import annotations

import os
from contextlib import contextmanager
from contextvars import ContextVar, copy_context
from functools import cache
from itertools import pairwise
from threading import Event
from typing import TYPE_CHECKING, TypeVar

from properly._boundary._interrupts import STOP, checked, checkpoint, deferred
from properly._boundary._libraries import is_numpy

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from concurrent.futures import Future, ThreadPoolExecutor

    from properly.typing import Array

PIECE = 1 << 16
# Rows of a tensor: enough for a device.
LARGE = 1 << 21
# Entries of a table, not rows: a table is read in order, and its pieces need not be as small.
TABLE = 1 << 20
# Fewer pieces than this are done sooner than threads are started.
MANY = 3
# Fewer rows than this are done sooner than threads that are there already are woken.
FEW = 1 << 16
Piece = TypeVar("Piece")
Result = TypeVar("Result")
# Seconds between two looks for an interrupt: where a wait cannot be interrupted, it must end.
LOOK = 0.1


def sweep(
    function: Callable[..., Result],
    *columns: Array,
    keep: Callable[[Array, int], int] | None = None,
) -> list[Result]:
    """Apply a function to the columns piece by piece; the results come in row order.

    Temporary arrays then have the size of a piece, not of the data, and the pieces of long columns
    are shared out to a few threads, since numpy computes without the interpreter's lock. The arrays
    of other libraries have few pieces: a GPU wants large kernels. Rows that belong together are
    kept together by `keep`, which moves a cut of the first column onwards.
    """
    checkpoint()
    rows = columns[0].shape[0]
    # Cuts do not depend on who calls, so that sums are the same to the last bit.
    piece = PIECE if columns[0].ndim == 1 else max(1, TABLE // columns[0].shape[1])
    if not is_numpy(columns[0]):
        piece = LARGE
    if rows <= piece:
        return [function(*columns)]
    if not is_numpy(columns[0]):
        starts = checked(range(0, rows, piece))
        return [function(*(x[start : start + piece] for x in columns)) for start in starts]
    cuts = range(piece, rows, piece)
    moved = cuts if keep is None else (keep(columns[0], cut) for cut in cuts)
    ends = sorted({0, *moved, rows})
    pieces = [tuple(x[start:stop] for x in columns) for start, stop in pairwise(ends)]
    # Threads hinder one another where they fetch pieces: each has a run of them.
    run = -(-len(pieces) // _few_threads()) if len(pieces) >= MANY else len(pieces)
    runs = [pieces[k : k + run] for k in range(0, len(pieces), run)]
    done = share_out(lambda some: [function(*piece) for piece in checked(some)], runs, 2)
    return [result for results in done for result in results]


def share_out(
    function: Callable[[Piece], Result], pieces: Sequence[Piece], many: int = MANY
) -> list[Result]:
    """Apply a function to each of some pieces of work, on a few threads if there are many.

    A piece that is shared out further is done by its own thread: the others have pieces of theirs.
    An interrupt, or the error of one piece, stops the others at their next `checkpoint`.
    """
    if len(pieces) < many or STOP.get() is not None:
        return [function(piece) for piece in checked(pieces)]
    from concurrent.futures import wait

    stop, pool = Event(), kept_threads(_few_threads())
    futures: list[Future[Result]] = []
    results: list[Result] = []
    try:
        # Interrupted as it starts, a thread would not be told of the end, and wait for more work.
        with deferred():
            for piece in pieces:
                # What is set for this call, such as a bar of progress, is set for its threads.
                context = copy_context()
                context.run(STOP.set, stop)
                futures.append(pool.submit(context.run, function, piece))
        for future in futures:
            while not wait([future], LOOK).done:
                pass
            results.append(future.result())
    except BaseException:
        stop.set()
        for future in futures:
            future.cancel()
        wait(futures)
        raise
    return results


def spread(function: Callable[..., object], *columns: Array) -> None:
    """Apply a function to the columns of numpy, one piece a thread, for what is done many times.

    The threads are kept, so nothing that they do may wait for them.
    """
    rows, threads = columns[0].shape[0], _few_threads()
    if rows < FEW or threads == 1:
        function(*columns)
        return
    step = -(-rows // threads)
    pieces = [tuple(x[start : start + step] for x in columns) for start in range(0, rows, step)]
    with deferred():
        work = [kept_threads(threads).submit(function, *piece) for piece in pieces]
    for done in work:
        done.result()


def _few_threads() -> int:
    return min(4, os.cpu_count() or 1)


def kept_threads(count: int) -> ThreadPoolExecutor:
    """Return threads that are there already, if this process has had as many before."""
    return _threads(count, os.getpid())


@cache
def _threads(count: int, process: int) -> ThreadPoolExecutor:  # noqa: ARG001
    """Start threads once a process: one that was forked off has none of its parent's.

    Whatever they do they do alone: a thread that waited for the others might wait for itself.
    """
    from concurrent.futures import ThreadPoolExecutor

    return ThreadPoolExecutor(count, initializer=STOP.set, initargs=(Event(),))


_IS_LIMITED: ContextVar[bool] = ContextVar("blas", default=False)


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Let BLAS compute on the calling thread meanwhile.

    Its own threads are woken for vectors of ten thousand numbers and wait for one another. Where
    cores are shared, that takes a hundred times as long as the sum itself.
    """
    if _IS_LIMITED.get():
        yield
        return
    from threadpoolctl import threadpool_limits

    token = _IS_LIMITED.set(True)
    try:
        with threadpool_limits(limits=1, user_api="blas"):
            yield
    finally:
        _IS_LIMITED.reset(token)
