"""What is misprinted in a paper, and what is right.

Tables and headings for a terminal.

Sentences for a terminal.

A picture a figure, written whole or not at all.

How far a reproduction has come.
"""

from __future__ import annotations

import io
import itertools
import math
import os
import textwrap
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryFile
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, TypeVar

from properly._boundary._files import write_whole
from properly._boundary._notices import import_extra
from properly._boundary._record import columns_of, plain, to_frame
from properly._boundary._tables import table
from properly.errors import DataError
from properly.plots._axes import new_figure, open_frame

if TYPE_CHECKING:
    from collections.abc import Mapping

    from matplotlib.figure import Figure

    from properly._boundary._record import Backend
    from properly.typing import Progress


def heading(text: str) -> str:
    """Underline a heading."""
    return f"{text}\n{'-' * len(text)}"


WIDTH = 96


def prose(*sentences: str) -> str:
    """Fill lines with sentences, whatever numbers they contain."""
    return textwrap.fill(" ".join(sentences), WIDTH, break_on_hyphens=False)


ROUNDING, APART = 1e-12, 1e-3


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
class Errata:
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

    def to_dict(self) -> dict[str, list[Any]]:
        """Return columns, one entry a number."""
        found: dict[str, list[Any]] = plain(columns_of(self.rows))
        return found

    def to_frame(self, backend: Backend | None = None) -> Any:
        """Return one row a number as a polars, pandas or pyarrow frame."""
        return to_frame(self.to_dict(), backend)

    def __str__(self) -> str:
        """Print each number twice, and what is wrong."""
        about = [self.about] * bool(self.about)
        return "\n".join(
            [heading("Errata: what is printed, and what is right"), *about, self.table()]
        )

    def table(self) -> str:
        """Lay out the numbers, each with what is wrong below it."""
        numbers = [
            [f"{row.where}: {row.what}", _number(row.printed), _number(row.right)]
            for row in self.rows
        ]
        head, *lines = table(["", "printed", "right"], numbers).splitlines()
        told = [
            part
            for line, row in zip(lines, self.rows, strict=True)
            for part in (line, textwrap.indent(prose(row.why), "  "))
        ]
        return "\n".join([head, *told, *self._verdict()])

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


def prepare(output: str | Path) -> Path:
    """Make the folder, and see that there is something to draw with, before hours of work."""
    import_extra("matplotlib.figure", extra="plots")
    folder = Path(output)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with TemporaryFile(dir=folder):
            pass
    except OSError as error:
        message = f"output must be a folder to write to; {str(folder)!r} is not: {error.strerror}"
        raise DataError(message) from None
    return folder


def save_all(
    makers: Mapping[str, Callable[[], Figure]], folder: Path, step: Callable[[str], None]
) -> tuple[Path, ...]:
    """Draw and save every figure under its name."""
    pictures = []
    for name, make in makers.items():
        with import_extra("matplotlib.style", extra="plots").context("default"):
            pictures.append(write_whole(folder / f"{name}.png", _png(make())))
        step(f"picture of {name}")
    return tuple(pictures)


def tell(pictures: tuple[Path, ...]) -> str:
    """List the pictures; a file name need not be text that every terminal can show."""
    shown = (os.fsencode(path).decode("utf-8", "replace") for path in pictures)
    return "\n  ".join(["Pictures:", *shown])


def sheet(rows: int, columns: int, **shared: Any) -> tuple[Figure, Any]:
    """Make a figure and its Axes."""
    figure = new_figure(4 * columns, 4 * rows)
    axes = figure.subplots(rows, columns, squeeze=False, **shared)
    for ax in axes.flat:
        open_frame(ax)
    return figure, axes


def _png(figure: Figure) -> bytes:
    """Draw a figure in memory, so that nothing is written if that fails."""
    drawn = io.BytesIO()
    figure.savefig(drawn, format="png", dpi=150)
    return drawn.getvalue()


Step: TypeAlias = Callable[[str], None]
Part = TypeVar("Part")


class After(Protocol):
    """Passes a part on, once it has been told what it is."""

    def __call__(self, found: Part, what: str, /) -> Part:
        """Return the part."""


def counter(progress: Progress | None, total: int) -> Step:
    """Return what is to be called after each step, with what it was."""
    done = itertools.count(1)

    def step(what: str) -> None:
        if progress is not None:
            progress(next(done), total, what)

    return step


def tracked(step: Step) -> After:
    """Return what parts are to be passed through, as soon as they are there."""

    def after(found: Part, what: str, /) -> Part:
        step(what)
        return found

    return after
