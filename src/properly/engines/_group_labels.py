"""Labels of groups that batches, shards and files agree on, whichever comes first."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from properly.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

Part = TypeVar("Part")

# In the order in which one of several equal labels is kept, such as 1, 1.0 and True.
KINDS = (int, float, bool, str)


def plain_labels(labels: Iterable[Any], kind: np.dtype[Any] | None = None) -> list[Any]:
    """Take text, numbers and truth values as labels: what a file can hold, and give back."""
    # numpy would make numbers of dates.
    found = [] if kind is not None and kind.kind in "mM" else [_plain(label) for label in labels]
    other = next((label for label in found if type(label) not in KINDS), None)
    if not found or other is not None:
        got = type(other).__name__ if found else kind
        message = f"labels of groups must be text, numbers or truth values; got {got}"
        raise DataError(message, hint="make text of them first.")
    return found


def in_order(parts: Mapping[Any, Part]) -> dict[Any, Part]:
    """Put parts in the order of their labels, numbers before text."""
    return {label: parts[label] for label in sorted(parts, key=_rank)}


def joined(one: Mapping[Any, Part], other: Mapping[Any, Part]) -> dict[Any, Part]:
    """Put parts of different rows together, and add those of the same label."""
    names = {label: label for label in one}
    for label in other:
        names[label] = min(names.get(label, label), label, key=_preference)
    found: dict[Any, Any] = {
        names[label]: sum(x[label] for x in (one, other) if label in x) for label in names
    }
    return in_order(found)


def _plain(label: Any) -> Any:
    """Make Python's values of numpy's; and one zero of two."""
    found = label.item() if isinstance(label, np.generic) else label
    return found + 0.0 if type(found) is float else found


def _rank(label: Any) -> tuple[str, Any]:
    # Of other kinds, such as dates, each is in order for itself; "" comes before all names.
    number = isinstance(label, int | float)
    return "" if number else type(label).__name__, label


def _preference(label: Any) -> int:
    return KINDS.index(type(label)) if type(label) in KINDS else len(KINDS)
