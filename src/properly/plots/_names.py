"""Where names go: at the ends of curves, along an axis, above panels, and beside points."""

from __future__ import annotations

import math
import textwrap
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, cast

import numpy as np

from properly._boundary._notices import import_extra
from properly.plots._axes import curves, legible, set_as_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D
    from matplotlib.text import Annotation

    from properly.typing import Column


Size: TypeAlias = Literal["medium", "small", "x-small"]
Box: TypeAlias = tuple[float, float, float, float]

# The width of an average letter, in shares of the size of the font.
LETTER = 0.6
# Names that would need more lines than this are turned instead.
LINES = 3
TURNED = 35
# The share of a column that a name may fill.
ROOM = 0.94
# Points from the end of a curve to its name.
BESIDE = 16
# Lines of text from the middle of one name to that of the next.
APART = 1.3
NAME = "name at the end"
# Inches of a figure that names must leave to the picture.
LEAST = 4.6
HALF_DOT = 5
# Where a name may stand, the best first: how far from its point, and which side of it is there.
PLACES = (
    ((6, 0), "left", "center"),
    ((-6, 0), "right", "center"),
    ((0, 6), "center", "bottom"),
    ((0, -6), "center", "top"),
    ((4, 4), "left", "bottom"),
    ((4, -4), "left", "top"),
    ((-4, 4), "right", "bottom"),
    ((-4, -4), "right", "top"),
)


def names_of(labels: Iterable[object]) -> list[str]:
    """Write labels of classes as they are."""
    return [legible(str(label)) for label in labels]


def points(size: Size = "medium") -> float:
    """Return the size of letters, which the user of matplotlib may have changed."""
    fonts = import_extra("matplotlib.font_manager", extra="plots")
    result: float = fonts.FontProperties(size=size).get_size_in_points()
    return result


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
    # Letters are as wide as pixels allow, which is not quite in proportion to their size.
    room = width * ax.figure.dpi
    while (taken := title.get_window_extent().width) > room:
        title.set_fontsize(room / taken * float(title.get_fontsize()))


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


def name_ends(ax: Axes, *, own: bool) -> None:
    """Write the name of each curve at its right end.

    A figure of our own has room for all of them; elsewhere, more than fit stand in a legend.
    """
    for text in [text for text in ax.texts if text.get_gid() == NAME]:
        text.remove()
    ends = _ends(ax)
    if not ends:
        return
    texts = [_write(ax, line, end) for line, end in ends.items()]
    gap = APART * points()
    if own:
        _make_room(cast("Figure", ax.figure), [text.get_text() for text in texts], gap)
    height, bottom, top = _in_points(ax, list(ends.values()))
    if gap * (len(texts) - 1) > top - bottom:
        for text in texts:
            text.remove()
        _draw_legend(ax, ends)
        return
    moved = spread(height, gap, bottom, top)
    for text, before, after in zip(texts, height, moved, strict=True):
        text.set_position((BESIDE, after - before))


def spread(height: Column, gap: float, bottom: float, top: float) -> Column:
    """Move heights as little as possible, in squares, for all to be some gap apart.

    The order stays, and all stay between bottom and top.
    """
    from scipy.optimize import isotonic_regression

    order = np.argsort(height, kind="stable")
    # Of heights less the gaps below them, it is enough that they do not fall.
    below = gap * np.arange(len(height))
    level = isotonic_regression(height[order] - below).x
    result = np.empty(len(height))
    result[order] = np.clip(level, bottom, top - below[-1]) + below
    return result


def _ends(ax: Axes) -> dict[Line2D, tuple[float, float]]:
    """Return the last point that can be seen of each curve that has a name."""
    result = {}
    for line in curves(ax):
        x, y = np.asarray(line.get_xydata(), dtype=float).T
        finite = np.flatnonzero(np.isfinite(y))
        if finite.size and not str(line.get_label()).startswith("_"):
            result[line] = (float(x[finite[-1]]), float(y[finite[-1]]))
    return result


def _make_room(figure: Figure, names: list[str], gap: float) -> None:
    """Let long names widen a figure, and many make it higher; then lay it out."""
    figure.set_figwidth(max(figure.get_figwidth(), LEAST + inches(names)))
    figure.set_figheight(max(figure.get_figheight(), 1 + gap * len(names) / 72))
    # The layout makes room for the names, and decides how far apart the ends are.
    figure.draw_without_rendering()


def _in_points(ax: Axes, ends: list[tuple[float, float]]) -> tuple[Column, float, float]:
    """Return the heights of the ends, and of the lower and the upper edge of the picture."""
    ax.get_xlim(), ax.get_ylim()  # limits that are not settled yet, are now
    points = ax.figure.dpi / 72
    bottom, top = (float(edge) / points for edge in ax.get_window_extent().intervaly)
    return ax.transData.transform(ends)[:, 1] / points, bottom, top


def _write(ax: Axes, line: Line2D, end: tuple[float, float]) -> Any:
    color = line.get_color()
    text = ax.annotate(
        str(line.get_label()),
        end,
        (BESIDE, 0),
        textcoords="offset points",
        ha="left",
        va="center",
        color=color,
        annotation_clip=False,
        arrowprops={
            "arrowstyle": "-",
            "color": color,
            "linewidth": 0.7,
            "shrinkA": 1,
            "shrinkB": 2,
            "relpos": (0, 0.5),
        },
        gid=NAME,
    )
    set_as_text([text])
    return text


def _draw_legend(ax: Axes, ends: dict[Line2D, tuple[float, float]]) -> None:
    """Name the curves in the order of their ends, the highest first."""
    handles = sorted(ends, key=lambda line: -ends[line][1])
    legend = ax.legend(handles=handles, loc="best", frameon=False, fontsize="small")
    set_as_text(legend.get_texts())


def place_names(ax: Axes, texts: Sequence[Annotation], bars: Sequence[Box] = ()) -> None:
    """Put each name in the place where it covers least of points, other names and the margin.

    One after another, and none is moved again: what a hand would do first, not the best way of all.
    """
    frame = _box(ax)
    points = [ax.transData.transform(text.xy) for text in texts]
    taken = [(x - HALF_DOT, y - HALF_DOT, x + HALF_DOT, y + HALF_DOT) for x, y in points]
    for left, bottom, right, top in bars:
        (x, y), (end, height) = ax.transData.transform([(left, bottom), (right, top)])
        taken.append((x, y - 1, end, height + 1) if bottom == top else (x - 1, y, end + 1, height))
    for text in texts:
        covered = []
        for place in PLACES:
            _move(text, place)
            covered.append(cover(_box(text), frame, taken))
        _move(text, PLACES[covered.index(min(covered))])
        taken.append(_box(text))


def _move(text: Annotation, place: tuple[tuple[float, float], str, str]) -> None:
    offset, side, height = place
    text.set_position(offset)
    text.set(ha=side, va=height)


def _box(thing: Artist) -> Box:
    left, bottom, right, top = thing.get_window_extent().extents
    return float(left), float(bottom), float(right), float(top)


def cover(box: Box, frame: Box, taken: Sequence[Box]) -> float:
    """Measure what a box would cover, and what of it would lie outside the frame."""
    outside = overlap(box, box) - overlap(box, frame)
    return outside + sum(overlap(box, other) for other in taken)


def overlap(one: Box, other: Box) -> float:
    """Return the area that two boxes share."""
    width = min(one[2], other[2]) - max(one[0], other[0])
    height = min(one[3], other[3]) - max(one[1], other[1])
    return max(width, 0.0) * max(height, 0.0)
