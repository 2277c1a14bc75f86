"""Tables as CSV, Markdown and LaTeX."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from properly._boundary._record import plain
from properly._boundary._text import printable

if TYPE_CHECKING:
    Rows: TypeAlias = Sequence[Sequence[Any]]

# What LaTeX would take as an instruction, or print as another letter.
LATEX = {letter: f"\\{letter}" for letter in "{}$&#%_"} | {
    "\\": r"\textbackslash{}",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\textquotedbl{}",
    "[": "{[}",
    "]": "{]}",
}
# What Markdown would take as markup inside a cell.
MARKDOWN = {letter: f"\\{letter}" for letter in "\\`*_[]<>|~&$"}


def as_csv(head: Sequence[str], rows: Rows) -> str:
    """Write a table as CSV: numbers in full, infinity as a word, what does not exist as nothing.

    Names stay as they are, quoted where CSV asks for it.
    """
    # A float is written with all its digits, None as an empty cell.
    lines = [head, *([plain(cell) for cell in row] for row in rows)]
    return "".join(f"{csv_line(line)}\n" for line in lines)


def csv_line(cells: Sequence[Any], separator: str = ",") -> str:
    """Write a line, quoted where CSV asks for it, without its end."""
    # With these ends of lines, and no others, both of their letters are quoted inside cells.
    text = io.StringIO(newline="")
    csv.writer(text, delimiter=separator, lineterminator="\r\n").writerow(cells)
    return text.getvalue().removesuffix("\r\n")


def as_markdown(head: Sequence[str], rows: Rows) -> str:
    """Write a table as Markdown: names to the left, numbers to the right with five decimals."""
    cells = [[_cell_text(cell, MARKDOWN, "∞") for cell in row] for row in (head, *rows)]
    numeric = _numeric(head, rows)
    rule = ["---:" if right else "---" for right in numeric]
    lines = [cells[0], rule, *cells[1:]]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def as_latex(head: Sequence[str], rows: Rows) -> str:
    r"""Write a table as LaTeX, for the package booktabs."""
    first, *others = (
        [_cell_text(cell, LATEX, r"$\infty$") for cell in row] for row in (head, *rows)
    )
    columns = "".join("r" if right else "l" for right in _numeric(head, rows))
    lines = [
        r"% \usepackage{booktabs}",
        rf"\begin{{tabular}}{{{columns}}}",
        r"\toprule",
        rf"{' & '.join(first)} \\",
        r"\midrule",
        *(rf"{' & '.join(line)} \\" for line in others),
        r"\bottomrule",
        r"\end{tabular}",
    ]
    return "\n".join(lines) + "\n"


FORMATS: Mapping[str, Callable[[Sequence[str], Rows], str]] = {
    "csv": as_csv,
    "markdown": as_markdown,
    "latex": as_latex,
}


def references_for(layout: str, sources: Mapping[str, Iterable[str]]) -> str:
    """Cite what a table in LaTeX names, in comments above it; other formats have none."""
    from properly.report._methods import references_of

    named = sources.items() if layout == "latex" else ()
    return "".join(f"% {name}: {x}\n" for name, keys in named for x in references_of(keys))


def escaped(text: str, instead: Mapping[str, str]) -> str:
    """Write text so that LaTeX, or Markdown, prints it."""
    return "".join(instead.get(letter, letter) for letter in printable(text))


def _cell_text(cell: Any, instead: Mapping[str, str], infinity: str) -> str:
    """Write a cell for people: five decimals, infinity as a sign, a dash for what is not."""
    if cell is None or (isinstance(cell, float) and math.isnan(cell)):
        return "-"
    if not isinstance(cell, float):
        return escaped(str(cell), instead)
    if math.isinf(cell):
        return infinity if cell > 0 else f"-{infinity}"
    return f"{cell:.5f}"


def _numeric(head: Sequence[str], rows: Iterable[Sequence[Any]]) -> list[bool]:
    """Tell which columns hold numbers."""
    columns = list(zip(*rows, strict=True)) or [()] * len(head)
    return [any(isinstance(cell, float) for cell in column) for column in columns]
