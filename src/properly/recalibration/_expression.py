"""Maps where the rows are: as an expression of narwhals, as SQL, and as a table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import narwhals.stable.v2 as nw

    from properly.recalibration._map import Map


def expression(mapping: Map, column: str) -> nw.Expr:
    """Write a map as an expression of narwhals."""
    raise NotImplementedError


def sql(mapping: Map, column: str, dialect: str) -> str:
    """Write a map as an expression of SQL."""
    raise NotImplementedError


def table(mapping: Map, backend: Any) -> Any:
    """Return a map as a frame of forecasts and what they become."""
    raise NotImplementedError
