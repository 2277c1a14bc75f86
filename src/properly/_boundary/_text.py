"""Numbers, names, lists and tables as text: one way to write each; tables also as HTML.

Only the standard library is imported, since the command line writes text before it loads numbers.
"""

from __future__ import annotations

import math
import sys
from decimal import ROUND_CEILING, Context, Decimal
from functools import cache
from html import escape
from itertools import chain, islice, repeat
from textwrap import fill
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from properly.typing import Column

    Row = tuple[str, Iterable[float | str]]

# Longer values of the user's are cut.
LETTERS = 40
# More names than these are not read.
NAMED = 5
WORDS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
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


@cache
def read_words(package: str, name: str = "words.toml") -> dict[str, Any]:
    """Read a table of words that stands beside the code of a package. All share what is read."""
    import tomllib
    from importlib.resources import files

    return tomllib.loads(files(package).joinpath(name).read_text(encoding="utf-8"))


def count_of_cases(total: float) -> str:
    """Write a number of cases, or their total weight, without a word for what they are."""
    return f"{total:,.2f}" if isinstance(total, float) else f"{total:,}"


def at_most(x: float) -> str:
    """Write a number with two digits, rounded up."""
    return f"{float(Context(prec=2, rounding=ROUND_CEILING).create_decimal(x)):g}"


def many(total: float, what: str) -> str:
    """Write a number with what it counts: 1 case, 2 cases."""
    return f"{count_of_cases(total)} {what}{'s' * (total != 1)}"


def amount_of(cases: float) -> str:
    """Write a number of cases, or a weight: 1 case, 2 cases, a weight of 0.5."""
    return f"a weight of {cases:,.4g}" if isinstance(cases, float) else many(cases, "case")


def printable(name: str) -> str:
    """Show a name in a terminal without obeying what it may contain."""
    return name if name.isprintable() else repr(name)[1:-1]


def capitalized(text: str) -> str:
    """Begin with a capital letter."""
    return text[:1].upper() + text[1:]


def quoted(value: object) -> str:
    """Write a value of the user's as code, so that a terminal does not obey it; not at length."""
    # Imported here, since the command line writes text without numbers.
    import numpy as np

    if isinstance(value, np.datetime64 | np.timedelta64):
        value = str(value)  # as Python's own it may be a mere number
    said = repr(value.item() if isinstance(value, np.generic) else value)
    return said if len(said) <= LETTERS else f"{said[: LETTERS - 1]}…"


# Smaller p-values are not distinguished: their digits depend on the tails of an approximation.
SMALLEST_P = 0.001


def p_text(p: float, *, is_bound: bool = False, digits: int = 3) -> str:
    """Write a p-value; that which no draw reached is at most the bound, which is rounded up.

    >>> p_text(0.0312), p_text(0.0)
    ('p = 0.0312', 'p < 0.001')
    >>> p_text(1 / 1001, is_bound=True)
    'p <= 0.001'
    """
    if not is_bound:
        return f"p < {SMALLEST_P}" if p < SMALLEST_P else f"p = {p:.{digits}g}"
    places = -math.floor(math.log10(p) + 1e-9)
    # Less than a thousandth of the last digit is rounding.
    return f"p <= {math.ceil(round(p * 10**places, 3)) / 10**places:g}"


def number(x: float, form: str = ".4f") -> str:
    """Write a number of a table; NaN is a dash."""
    return "-" if math.isnan(x) else f"{x:{form}}"


def numbers(x: Column, form: str = ".4f") -> list[str]:
    """Write each of several numbers."""
    return [number(value, form) for value in x.tolist()]


def chance(p: float, *, is_bound: bool = False) -> str:
    """Write a p-value."""
    if is_bound or p < SMALLEST_P:
        return p_text(p, is_bound=is_bound).removeprefix("p ")
    return number(p, ".3f")


def span(ends: Iterable[float], form: str = ".4f") -> str:
    """Write the two ends of an interval; without one of them it is a dash."""
    low, high = ends
    return "-" if math.isnan(low) or math.isnan(high) else f"{low:{form}} to {high:{form}}"


def ranges(ends: Column, form: str = ".4f") -> list[str]:
    """Write the two ends of each of several intervals."""
    return [span(pair, form) for pair in ends.tolist()]


def percent(share: float, digits: int = 4) -> str:
    """Write a share in percent, never with an exponent; no share below 1 is 100 %.

    >>> percent(0.015), percent(0.996, 2), percent(1, 2)
    ('1.5 %', '99.6 %', '100 %')
    """
    text = f"{100 * share:.{digits}g}"
    while share < 1 and float(text) == 100 and digits < sys.float_info.dig:
        digits += 1
        text = f"{100 * share:.{digits}g}"
    return f"{Decimal(text):f} %" if "e" in text else f"{text} %"


def counted(number: int) -> str:
    """Write a small number as a word.

    >>> counted(3), counted(1200)
    ('three', '1,200')
    """
    return WORDS[number] if number < len(WORDS) else f"{number:,}"


def listed(names: Iterable[str], most: int = NAMED) -> str:
    """Join names in a sentence: all, or the first and how many others there are.

    >>> listed(["a", "b", "c"]), listed("abcdefg", most=3)
    ('a, b and c', 'a, b and five others')
    """
    every = [printable(name) for name in names]
    if len(every) > most:
        every = [*every[: most - 1], f"{counted(len(every) - most + 1)} others"]
    *some, last = every
    return f"{', '.join(some)} and {last}" if some else last


def first_of(texts: Iterable[str], most: int = NAMED, *, count: int | None = None) -> str:
    """List texts after a colon: all, or the first and how many there are.

    With a count, no more of them are made than are shown.

    >>> first_of(["'a'", "'b'"]), first_of("abcdefg", most=2)
    ("'a', 'b'", 'a, b, … (7 in all)')
    """
    if count is None:
        texts = list(texts)
        count = len(texts)
    more = f", … ({count:,} in all)" if count > most else ""
    return ", ".join(islice(texts, most)) + more


# Tables


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
    >>> from properly._boundary._text import scores_as_html
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
