"""How far a reproduction has come."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol, TypeAlias, TypeVar

if TYPE_CHECKING:
    from properly.typing import Progress

Step: TypeAlias = Callable[[str], None]
Part = TypeVar("Part")


class After(Protocol):
    """Passes a part on, once it has been told what it is."""

    def __call__(self, found: Part, what: str, /) -> Part:
        """Return the part."""


def counter(progress: Progress | None, total: int) -> Step:
    """Return what is to be called after each step, with what it was."""
    done = itertools.count(1)

    def step(what: str) -> None:
        if progress is not None:
            progress(next(done), total, what)

    return step


def tracked(step: Step) -> After:
    """Return what parts are to be passed through, as soon as they are there."""

    def after(found: Part, what: str, /) -> Part:
        step(what)
        return found

    return after
