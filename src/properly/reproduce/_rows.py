"""Rows of a table as columns."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from typing import TYPE_CHECKING, Any

from properly._plain import plain

if TYPE_CHECKING:
    from collections.abc import Iterable


def columns(rows: Iterable[Any], *extra: str) -> dict[str, list[Any]]:
    """Return one list a field of the records, and one for each property named besides."""
    rows = list(rows)
    names = [field.name for field in fields(rows[0])] if is_dataclass(rows[0]) else []
    return {name: plain([getattr(row, name) for row in rows]) for name in [*names, *extra]}
