"""Tables of text, laid out for a terminal."""

from __future__ import annotations

import math
from itertools import chain, islice, repeat
from textwrap import fill
from typing import TYPE_CHECKING

from properly._boundary._plain import printable

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    Row = tuple[str, Iterable[float]]

# A number such as -12.34567.
NUMBER = 9
# Letters of a line.
LINE = 88


def table(
    head: Sequence[str],
    rows: Iterable[Sequence[str]],
    *,
    left: int = 1,
    least: Sequence[int] = (0,),
) -> str:
    """Lay out columns two spaces apart: the first ones to the left, the others to the right.

    `left` says how many are to the left; `least` how wide columns are at least, with its last
    number for all that follow.
    """
    lines = [[printable(cell) for cell in line] for line in (head, *rows)]
    wanted = islice(chain(least, repeat(least[-1])), len(head))
    columns = zip(*lines, strict=True)
    width = [max(w, *map(len, column)) for w, column in zip(wanted, columns, strict=True)]
    return "\n".join(
        "  ".join(
            cell.ljust(w) if i < left else cell.rjust(w)
            for i, (cell, w) in enumerate(zip(line, width, strict=True))
        ).rstrip()
        for line in lines
    )


def table_of_numbers(name: str, columns: Sequence[str], rows: Iterable[Row], first: int = 0) -> str:
    """Lay out numbers below the names of their columns; what does not exist is a dash.

    `first` says how wide the names of rows are at least, so that several tables line up.
    """
    told = [
        (row, *("-" if math.isnan(x) else f"{x:.5f}" for x in numbers)) for row, numbers in rows
    ]
    return table((name, *columns), told, least=(first, NUMBER))


def wrapped(text: str) -> str:
    """Break a long sentence into lines, of which all but the first stand a little to the right."""
    return fill(text, LINE, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False)


def width_of(names: Iterable[str]) -> int:
    """Return how much room names need, as they are shown."""
    return max(len(printable(name)) for name in names)
