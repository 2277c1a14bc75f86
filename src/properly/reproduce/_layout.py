"""Tables and headings for a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Lay out columns: the first to the left, the others to the right."""
    lines = [head, *rows]
    width = [max(len(line[i]) for line in lines) for i in range(len(head))]
    return "\n".join(
        "  ".join(
            cell.rjust(w) if i else cell.ljust(w)
            for i, (cell, w) in enumerate(zip(line, width, strict=True))
        ).rstrip()
        for line in lines
    )


def heading(text: str) -> str:
    """Underline a heading."""
    return f"{text}\n{'-' * len(text)}"
