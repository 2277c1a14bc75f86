"""Draw the pictures of the gallery, each from the lines that the page shows above it."""

from __future__ import annotations

import re
from io import BytesIO
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from matplotlib import rc_context
from PIL import Image
from PIL.PngImagePlugin import PngInfo

from studies.pictures.canvas import STATIC

if TYPE_CHECKING:
    from pathlib import Path

    from matplotlib.figure import Figure

PAGE = STATIC.parent / "gallery.md"
FOLDER = "gallery"
ENTRY = re.compile(
    r"^### [^\n]+\n\n[^`]+?\n\n```python\n(?P<own>.*?)^```\n\n"
    rf"!\[[^\]]+\]\(_static/{FOLDER}/(?P<name>\w+)\.png\)$",
    re.MULTILINE | re.DOTALL,
)
FIRST = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
# The key under which a picture keeps the lines that drew it.
KEY = "Source"
COLORS, MOST_BYTES = 128, 60_000


class Entry(NamedTuple):
    """A picture of the gallery: its name, the lines it shares with others, and its own."""

    name: str
    shared: str
    own: str

    @property
    def code(self) -> str:
        """All lines that draw it."""
        return self.shared + self.own


def entries(page: Path = PAGE) -> list[Entry]:
    """Read the pictures of the page; each is drawn by the first lines of the page and its own."""
    text = page.read_text(encoding="utf-8")
    first = FIRST.search(text)
    shared = "" if first is None else first[1]
    return [Entry(m["name"], shared, m["own"]) for m in ENTRY.finditer(text)]


def figure_of(code: str) -> Figure:
    """Run the lines, and return the figure of the Axes that the last one names."""
    names: dict[str, Any] = {}
    exec(compile(code, str(PAGE), "exec"), names)  # noqa: S102 - the page is our own
    drawn = np.ravel(np.asarray(names.get("ax", names.get("axes")), dtype=object))
    figure: Figure = drawn[0].figure
    return figure


def keep(path: Path, figure: Figure, code: str) -> None:
    """Save a picture in few colours, with the lines that drew it."""
    drawn = BytesIO()
    figure.savefig(drawn, format="png", dpi=144, bbox_inches="tight", facecolor="white")
    image = Image.open(drawn).convert("RGB")
    image = image.quantize(COLORS, Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE)
    source = PngInfo()
    source.add_itxt(KEY, code, zip=True)
    image.save(path, optimize=True, pnginfo=source)
    if path.stat().st_size >= MOST_BYTES:
        message = f"{path} has {path.stat().st_size:,} bytes"
        raise RuntimeError(message)


def draw(folder: Path) -> None:
    """Save all pictures to a folder."""
    (folder / FOLDER).mkdir(parents=True, exist_ok=True)
    with rc_context():
        for entry in entries():
            keep(folder / FOLDER / f"{entry.name}.png", figure_of(entry.code), entry.code)
