"""Text, tables and errata of a paper, for a terminal."""

from __future__ import annotations

import math
import textwrap
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from properly._boundary._record import columns_of, plain, to_frame
from properly._boundary._text import table

if TYPE_CHECKING:
    from properly._boundary._record import Backend


WIDTH = 96
ROUNDING, APART = 1e-12, 1e-3


def heading(text: str) -> str:
    """Underline a heading."""
    return f"{text}\n{'-' * len(text)}"


def section(title: str, *lines: str) -> str:
    """Put lines below a heading."""
    return "\n".join([heading(title), *lines])


def prose(*sentences: str) -> str:
    """Fill lines with sentences, whatever numbers they contain."""
    return textwrap.fill(" ".join(sentences), WIDTH, break_on_hyphens=False)


class Table:
    """Numbers of a paper: columns for JSON, and a frame of any library.

    A subclass is a dataclass whose field ``rows`` has the records that it lists, or says itself
    what its columns are.
    """

    def to_dict(self) -> dict[str, Any]:
        """Return the columns, one entry a row."""
        columns: dict[str, Any] = plain(columns_of(getattr(self, "rows", ())))
        return columns

    def to_frame(self, backend: Backend | None = None) -> Any:
        """Return the columns as a polars, pandas or pyarrow frame."""
        return to_frame(self._columns(), backend)

    def _columns(self) -> Any:
        return self.to_dict()


@dataclass(frozen=True)
class Erratum:
    """A number as a paper has it, and as it is.

    Attributes
    ----------
    where, what : str
        Its place in the paper, and what it is the number of.
    printed, right : float
        As printed, or as it follows from what is printed, NaN if nothing does; and as corrected.
    why : str
        What is wrong.
    value : float or None
        If a formula is corrected: the number, found without it.
    """

    where: str
    what: str
    printed: float
    right: float
    why: str
    value: float | None = None

    @property
    def shown(self) -> bool:
        """Whether the corrected formula gives the number and the printed one does not."""
        if self.value is None:
            return False
        return (
            abs(self.right - self.value) < ROUNDING and not abs(self.printed - self.value) < APART
        )


@dataclass(frozen=True)
class Errata(Table):
    """The numbers that are corrected.

    Attributes
    ----------
    rows : tuple of Erratum
        In the order of the paper.
    about : str
        What formulas are evaluated on.
    """

    rows: tuple[Erratum, ...]
    about: str = ""

    def __str__(self) -> str:
        """Print each number twice, and what is wrong."""
        about = [self.about] * bool(self.about)
        return section("Errata: what is printed, and what is right", *about, self.table())

    def table(self) -> str:
        """Lay out the numbers, each with what is wrong below it."""
        numbers = [
            [f"{row.where}: {row.what}", _number(row.printed), _number(row.right)]
            for row in self.rows
        ]
        head, *lines = table(["", "printed", "right"], numbers).splitlines()
        text = [
            part
            for line, row in zip(lines, self.rows, strict=True)
            for part in (line, textwrap.indent(prose(row.why), "  "))
        ]
        return "\n".join([head, *text, *self._verdict()])

    def _verdict(self) -> list[str]:
        formulas = [row for row in self.rows if row.value is not None]
        if not formulas:
            return []
        shown = sum(row.shown for row in formulas)
        return [
            prose(
                f"In {shown} of {len(formulas)} the corrected formula gives the number that is",
                "found without it, and the printed one does not.",
            )
        ]


def formula(
    where: str, what: str, value: float, printed: tuple[str, float], right: tuple[str, float]
) -> Erratum:
    """Describe a formula: its number, and both right-hand sides with what they give."""
    why = f"printed: {printed[0]}; right: {right[0]}"
    return Erratum(where, what, printed[1], right[1], why, value)


def _number(x: float) -> str:
    return "nothing" if math.isnan(x) else f"{x:.6g}"
