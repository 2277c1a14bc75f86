"""How far a reproduction has come."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import TypeAlias

Progress: TypeAlias = Callable[[int, int, str], object]


def counter(progress: Progress | None, total: int) -> Callable[[str], None]:
    """Return what is to be called after each step, with what it was."""
    done = itertools.count(1)

    def step(what: str) -> None:
        if progress is not None:
            progress(next(done), total, what)

    return step
