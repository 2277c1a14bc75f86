"""Tables and headings for a terminal."""

from __future__ import annotations

from properly._boundary._tables import table

__all__ = ["heading", "table"]


def heading(text: str) -> str:
    """Underline a heading."""
    return f"{text}\n{'-' * len(text)}"
