"""A picture a figure, written whole or not at all."""

from __future__ import annotations

import io
import os
from pathlib import Path
from tempfile import TemporaryFile
from typing import TYPE_CHECKING, Any

from properly._boundary._files import write_whole
from properly._boundary._notices import import_extra
from properly.errors import DataError
from properly.plots._axes import new_figure, open_frame

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from matplotlib.figure import Figure


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
