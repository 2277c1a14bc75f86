"""A paper, computed again: the result, the way there, and its pictures.

`Reproduction` is what every paper's result is: its parts, printed, as JSON, and with pictures.
`Work` is the way there: the folder of the pictures, and how far it has come.
"""

from __future__ import annotations

import io
import itertools
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from tempfile import TemporaryFile
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

import numpy as np

from properly._boundary._files import make_folder, together, write_whole
from properly._boundary._notices import import_extra
from properly._boundary._options import as_generator
from properly._boundary._record import plain
from properly.errors import DataError
from properly.plots._axes import new_figure, open_frame

if TYPE_CHECKING:
    from collections.abc import Iterable

    from matplotlib.figure import Figure

    from properly.typing import Progress


Step: TypeAlias = Callable[[str], None]
Figures: TypeAlias = Mapping[str, Callable[[Any], "Figure"]]
Part = TypeVar("Part")


@dataclass(frozen=True, eq=False, repr=False)
class Reproduction:
    """The parts of a paper, computed again.

    A subclass has one field a part, None for what is left out. ``print`` shows all of it beside the
    paper's numbers and claims.

    Attributes
    ----------
    pictures : tuple of Path
        The pictures that were saved.
    """

    pictures: tuple[Path, ...] = field(default=(), kw_only=True)

    @property
    def parts(self) -> dict[str, Any]:
        """The parts by name."""
        names = (x.name for x in fields(self) if x.name != "pictures")
        return {name: getattr(self, name) for name in names}

    def to_dict(self) -> dict[str, Any]:
        """Return the columns of each table, None for what is left out."""
        columns: dict[str, Any] = plain(self.parts)
        return columns

    def sections(self) -> Iterable[object]:
        """Return what is printed, in this order."""
        return self.parts.values()

    def size(self) -> str:
        """Say how much was computed."""
        return ""

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.size()})"

    def __str__(self) -> str:
        """Print everything beside what the paper says."""
        listed = [list_pictures(self.pictures)] * bool(self.pictures)
        return "\n\n".join([*map(str, self.sections()), *listed])


Result = TypeVar("Result", bound=Reproduction)


class Work:
    """How far a reproduction has come, and the folder of its pictures.

    The folder is made, and matplotlib looked for, before anything is computed.
    """

    def __init__(self, output: str | Path | None, progress: Progress | None) -> None:
        self.folder = None if output is None else prepare(output)
        self.figures: Figures = {}
        self._progress, self._done, self._total = progress, itertools.count(1), 0

    def plan(self, steps: int, figures: Figures) -> None:
        """Say how many steps there are, and what is drawn after them."""
        self.figures = {} if self.folder is None else figures
        self._total = steps + len(self.figures)

    def step(self, what: str) -> None:
        """Report a step that is done."""
        if self._progress is not None:
            self._progress(next(self._done), self._total, what)

    def after(self, part: Part, what: str) -> Part:
        """Report a part, and pass it on."""
        self.step(what)
        return part

    def draw(self, result: Result) -> Result:
        """Draw what was planned, and return the result with its pictures."""
        if self.folder is None:
            return result
        makers = {name: lambda make=make: make(result) for name, make in self.figures.items()}
        return replace(result, pictures=save_all(makers, self.folder, self.step))


def seeds(rng: int | np.random.Generator | None, count: int) -> list[int]:
    """Draw a seed for each part, so that no part depends on another."""
    return [int(seed) for seed in as_generator(rng).integers(2**63, size=count)]


def streams(rng: int | np.random.Generator | None, count: int) -> list[np.random.Generator]:
    """Make sources of randomness of which none depends on how much another one gave."""
    return [np.random.default_rng(seed) for seed in seeds(rng, count)]


def prepare(output: str | Path) -> Path:
    """Require a folder to write to, and something to draw with, before hours of work.

    The folder is made with its first picture: an interrupted run leaves none behind.
    """
    import_extra("matplotlib.figure", extra="plots")
    folder = Path(output)
    try:
        nearest = next(path for path in (folder, *folder.absolute().parents) if path.exists())
        with TemporaryFile(dir=nearest):
            pass
    except OSError as error:
        message = f"output must be a folder to write to; {str(folder)!r} is not: {error.strerror}"
        raise DataError(message) from None
    return folder


def save_all(
    makers: Mapping[str, Callable[[], Figure]], folder: Path, step: Callable[[str], None]
) -> tuple[Path, ...]:
    """Draw every figure and save it under its name: all of them, or none."""
    pictures = []
    with together():
        for path in reversed((folder, *folder.parents)):
            if not path.exists():
                make_folder(path)
        for name, make in makers.items():
            with import_extra("matplotlib.style", extra="plots").context("default"):
                pictures.append(write_whole(folder / f"{name}.png", _png(make())))
            step(f"picture of {name}")
    return tuple(pictures)


def list_pictures(pictures: tuple[Path, ...]) -> str:
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
