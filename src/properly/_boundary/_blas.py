"""Products of matrices on one thread, where many small ones are made."""

from __future__ import annotations

from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

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
