"""Results as JSON can hold them, and as a person would write them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import fields
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable


def plain(x: Any) -> Any:
    """Write what is not a number as None and infinity as a word, inside lists and dicts too.

    What JSON does not know, such as a date that is the label of a class, becomes text.
    """
    if isinstance(x, dict):
        return {key: plain(value) for key, value in x.items()}
    if isinstance(x, list | tuple):
        return [plain(value) for value in x]
    if not isinstance(x, float):
        return x if isinstance(x, str | int | None) else str(x)
    if math.isinf(x):
        return "Infinity" if x > 0 else "-Infinity"
    return None if math.isnan(x) else x


def columns_of(rows: Iterable[Any], *extra: str) -> dict[str, list[Any]]:
    """Turn rows, dicts or records, into columns; of records also the properties named besides."""
    rows = list(rows)
    if isinstance(rows[0], Mapping):
        return {name: [row[name] for row in rows] for name in rows[0]}
    names = [*(field.name for field in fields(rows[0])), *extra]
    return {name: [getattr(row, name) for row in rows] for name in names}


def count_of_cases(total: float) -> str:
    """Write a number of cases, or their total weight, without a word for what they are."""
    return f"{total:,.2f}" if isinstance(total, float) else f"{total:,}"


def many(total: float, what: str) -> str:
    """Write a number with what it counts: 1 case, 2 cases."""
    return f"{count_of_cases(total)} {what}{'s' * (total != 1)}"


def amount_of(cases: float) -> str:
    """Write a number of cases, or a weight: 1 case, 2 cases, a weight of 0.5."""
    return f"a weight of {cases:,.4g}" if isinstance(cases, float) else many(cases, "case")


def printable(name: str) -> str:
    """Show a name in a terminal without obeying what it may contain."""
    return name if name.isprintable() else repr(name)[1:-1]
