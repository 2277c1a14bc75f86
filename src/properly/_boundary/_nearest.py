"""Names that are asked for, and the nearest that there are."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING

from properly.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


def require_columns(names: Iterable[str], present: Sequence[str], where: str = "the frame") -> None:
    """Refuse a column that is not there, and name those that are spelled most like it."""
    for name in names:
        if name not in present:
            near = nearest(name, map(str, present)) or list(present)[:5]
            shown = ", ".join(repr(column) for column in near)
            message = f"{where} must have the column {name!r}; it has {len(present)} others"
            raise DataError(message, hint=f"did you mean one of {shown}?" if shown else None)


def nearest(name: str, present: Iterable[str], cutoff: float = 0.6) -> list[str]:
    """Return up to three names that are spelled much like another, whatever their case."""
    by_fold: dict[str, list[str]] = {}
    for each in present:
        by_fold.setdefault(each.casefold(), []).append(each)
    near = difflib.get_close_matches(name.casefold(), by_fold, n=3, cutoff=cutoff)
    return [each for fold in near for each in by_fold[fold]][:3]
