"""Tables of text for a terminal, and tables of HTML for a notebook."""

from __future__ import annotations

from html import escape
from itertools import chain, islice, repeat
from textwrap import fill
from typing import TYPE_CHECKING

from properly._boundary._text import number, printable

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    Row = tuple[str, Iterable[float | str]]


# Widths in letters: of a number such as -12.34567, and of a line.
NUMBER, LINE = 9, 88
# Letters in a line of a screen, and its lines.
SCREEN, HEIGHT = 100, 24
# Notebooks are light or dark: nothing has a colour of its own, and lines have that of the text.
TABLE = (
    "color:inherit;border-collapse:collapse;margin:0 0 1.2em 0;font-variant-numeric:tabular-nums"
)
CAPTION = "caption-side:top;text-align:left;font-weight:bold;padding:.2em 0"
HEAD = "text-align:{};font-weight:normal;opacity:.75;border-bottom:1px solid;padding:.25em .8em"
CELL = "text-align:{};font-weight:normal;padding:.25em .8em;white-space:nowrap"


def scores_as_html(
    title: str, head: Sequence[str], tables: Sequence[tuple[str, Sequence[Sequence[str]]]]
) -> str:
    """Lay out tables of the same columns one below the other.

    Parameters
    ----------
    title : str
        What they are about.
    head : sequence of str
        The names of the columns, the first of them that of the names of the rows.
    tables : sequence of pairs
        What each table is called, and its rows: the name of the row, then its cells.

    Returns
    -------
    str
        HTML in which everything that was handed in is text.

    Examples
    --------
    >>> from properly._boundary._tables import scores_as_html
    >>> "<caption" in scores_as_html("2 cases", ["model", "score"], [("brier", [["<b>", ".25"]])])
    True
    """
    shown = "".join(_table(name, head, rows) for name, rows in tables)
    # A box of its own, in which a wide table moves and the notebook around it does not.
    return f'<div style="overflow-x:auto"><p>{_text(title)}</p>{shown}</div>'


def _table(name: str, head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    caption = f'<caption style="{CAPTION}">{_text(name)}</caption>'
    columns = "".join(_cell(text, HEAD, k, "col") for k, text in enumerate(head))
    cells = (
        "".join(_cell(text, CELL, k, "" if k else "row") for k, text in enumerate(row))
        for row in rows
    )
    body = "".join(f"<tr>{row}</tr>" for row in cells)
    inner = f"{caption}<thead><tr>{columns}</tr></thead><tbody>{body}</tbody>"
    return f'<table style="{TABLE}">{inner}</table>'


def _cell(text: str, style: str, column: int, scope: str) -> str:
    """Make one cell: names on the left, numbers on the right, headers with what they head."""
    look = style.format("right" if column else "left")
    if not scope:
        return f'<td style="{look}">{_text(text)}</td>'
    return f'<th scope="{scope}" style="{look}">{_text(text)}</th>'


def _text(text: str) -> str:
    return escape(printable(text))


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
    widths = islice(chain(least, repeat(least[-1])), len(head))
    columns = zip(*lines, strict=True)
    width = [max(w, *map(len, column)) for w, column in zip(widths, columns, strict=True)]
    return "\n".join(
        "  ".join(
            cell.ljust(w) if i < left else cell.rjust(w)
            for i, (cell, w) in enumerate(zip(line, width, strict=True))
        ).rstrip()
        for line in lines
    )


def table_of_numbers(name: str, columns: Sequence[str], rows: Iterable[Row], first: int = 0) -> str:
    """Lay out numbers below the names of their columns; NaN is a dash, and text stays.

    `first` says how wide the names of rows are at least, so that several tables line up.
    """
    lines = [
        (row, *(x if isinstance(x, str) else number(x, ".5f") for x in numbers))
        for row, numbers in rows
    ]
    return table((name, *columns), lines, least=(first, NUMBER))


def wrapped(text: str) -> str:
    """Break a long sentence into lines, of which all but the first stand a little to the right."""
    return fill(text, LINE, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False)


def width_of(names: Iterable[str]) -> int:
    """Return how wide the longest of some names is, as it is shown."""
    return max(len(printable(name)) for name in names)


def shortened(text: str, width: int) -> str:
    """Leave out the middle of what is too long for a line."""
    last = width // 2 - 1
    return text if len(text) <= width else f"{text[: width - last - 1]}…{text[-last:]}"


def few_lines(sentences: Sequence[str], most: int, where: str) -> str:
    """Give each sentence one line, up to so many, and say where to find them in full."""
    lines = [x if len(x) <= SCREEN else f"{x[: SCREEN - 1]}…" for x in sentences]
    if len(lines) > most or lines != list(sentences):
        left = len(lines) - (most - 1)
        lines = [*lines[: most - 1], f"… {left} more: {where}" if left > 0 else f"… see {where}"]
    return "\n".join(lines)
