"""Names that fit: of classes along an axis, and of panels above them."""

from __future__ import annotations

import math
import textwrap
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from properly._boundary._extras import import_extra
from properly.plots._axes import set_as_text
from properly.plots._words import legible

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from matplotlib.axes import Axes

Size: TypeAlias = Literal["medium", "small", "x-small"]

# The width of an average letter, in shares of the size of the font.
LETTER = 0.6
# Names that would need more lines than this are turned instead.
LINES = 3
TURNED = 35
# The share of a column that a name may fill.
ROOM = 0.94


def names_of(labels: Iterable[object]) -> list[str]:
    """Write labels of classes as they are."""
    return [legible(str(label)) for label in labels]


def points(size: Size = "medium") -> float:
    """Return the size of letters, which the user of matplotlib may have changed."""
    fonts = import_extra("matplotlib.font_manager", extra="plots")
    found: float = fonts.FontProperties(size=size).get_size_in_points()
    return found


def inches(names: Iterable[str], size: Size = "medium") -> float:
    """Estimate how much room the longest name needs."""
    letters = max((len(line) for name in names for line in name.split("\n")), default=0)
    return max(letters, 1) * LETTER * points(size) / 72


def shorter_side(ax: Axes) -> float:
    """Return the shorter side of a picture in points."""
    box = ax.get_window_extent()
    return float(min(box.width, box.height)) * 72 / float(ax.figure.dpi)


def fold(name: str, width: float, size: Size = "medium") -> str:
    """Break a name between words, so that its lines are not wider than some inches."""
    letters = max(1, int(width * 72 / (LETTER * points(size))))
    lines = textwrap.wrap(name, letters, break_long_words=False, break_on_hyphens=False)
    return "\n".join(lines) if len(lines) > 1 else name


def title_panel(ax: Axes, name: str, width: float) -> None:
    """Put a name above a panel, in lines and letters that do not reach into the next one."""
    title = ax.set_title(fold(legible(name), width), fontsize="medium")
    set_as_text([title])
    room, taken = width * ax.figure.dpi, title.get_window_extent().width
    if taken > room:
        title.set_fontsize(room / taken * points())


def title_lines(names: Iterable[str], width: float) -> int:
    """Count the lines that the longest of several names has above a panel."""
    return max(fold(legible(name), width).count("\n") + 1 for name in names)


def columns_for(
    names: Sequence[str], narrow: float, wide: float, size: Size = "medium"
) -> tuple[float, float]:
    """Choose how wide columns should be for names to fit, and how deep those hang otherwise."""
    steps = [narrow + share * (wide - narrow) for share in (0, 0.25, 0.5, 0.75, 1)]
    for step in steps:
        folded = [fold(name, ROOM * step, size) for name in names]
        lines = max(name.count("\n") for name in folded)
        if inches(folded, size) <= ROOM * step and lines < LINES:
            return step, lines * 1.2 * points(size) / 72
    return narrow, inches(names, size) * math.sin(math.radians(TURNED))


def name_columns(
    ax: Axes,
    names: Sequence[str],
    *,
    side: Literal["bottom", "top"] = "bottom",
    size: Size = "medium",
) -> None:
    """Name 0, 1, ... along the x axis: broken between words, or turned, where room is short."""
    below = side == "bottom"
    ax.tick_params(axis="x", labelbottom=below, labeltop=not below, labelsize=size)
    room = ROOM * _column_width(ax)
    labels = _set_names(ax, [fold(name, room, size) for name in names], below=below)
    if _fit(ax, labels, room):
        return
    for label in _set_names(ax, names, below=below):
        label.set(rotation=TURNED, rotation_mode="anchor")
        label.set(ha="right" if below else "left", va="center" if below else "bottom")


def _set_names(ax: Axes, names: Sequence[str], *, below: bool) -> list[Any]:
    ax.set_xticks(range(len(names)), names)
    ticks = ax.xaxis.get_major_ticks()
    labels = [tick.label1 if below else tick.label2 for tick in ticks]
    set_as_text(labels)
    return labels


def _fit(ax: Axes, labels: Sequence[Any], room: float) -> bool:
    """Tell whether names are as narrow as their column, and not too tall."""
    widest = max(label.get_window_extent().width for label in labels)
    lines = max(label.get_text().count("\n") + 1 for label in labels)
    return bool(widest <= room * ax.figure.dpi) and lines <= LINES


def _column_width(ax: Axes) -> float:
    """Return the width of one step along the x axis in inches."""
    (left, _), (right, _) = ax.transData.transform([(0, 0), (1, 0)])
    dpi: float = ax.figure.dpi
    return float(abs(right - left)) / dpi
