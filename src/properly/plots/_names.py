"""Where names go: at the ends of curves, along an axis, above panels, and beside points."""

from __future__ import annotations

import math
import textwrap
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias, cast

import numpy as np

from properly._boundary._notices import import_extra
from properly.plots._axes import curves, legible, set_as_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

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
HALF_DOT = 5.0
# That the name of a lower point stands above that of a higher one is worse than to cover so much.
SWAPPED = 50.0


class Stand(NamedTuple):
    """How a name stands beside its point, in pixels and words of Vega-Lite."""

    dx: float
    dy: float
    align: Literal["left", "center", "right"]
    baseline: Literal["top", "middle", "bottom"]

    def box(self, point: tuple[float, float], size: tuple[float, float]) -> Box:
        """Return what a name of this size covers, from the upper left corner of the picture."""
        left = {"left": 0.0, "center": -size[0] / 2, "right": -size[0]}[self.align]
        top = {"top": 0.0, "middle": -size[1] / 2, "bottom": -size[1]}[self.baseline]
        x, y = point[0] + self.dx + left, point[1] + self.dy + top
        return x, y, x + size[0], y + size[1]


# Where a name may stand, the best first.
STANDS = (
    Stand(8, 0, "left", "middle"),
    Stand(-8, 0, "right", "middle"),
    Stand(6, -3, "left", "bottom"),
    Stand(6, 3, "left", "top"),
    Stand(-6, -3, "right", "bottom"),
    Stand(-6, 3, "right", "top"),
    Stand(0, -8, "center", "bottom"),
    Stand(0, 8, "center", "top"),
    Stand(8, 16, "left", "top"),
    Stand(8, -16, "left", "bottom"),
    Stand(-8, 16, "right", "top"),
    Stand(-8, -16, "right", "bottom"),
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


def label_places(
    points: Sequence[tuple[float, float]],
    sizes: Sequence[tuple[float, float]],
    frame: Box,
    taken: Iterable[Box] = (),
) -> list[Stand]:
    """Put each name where it covers least of points, other names and the margin.

    Points and boxes are in pixels from the upper left corner. Names are placed one after another,
    and none is moved again. The highest point comes first, so that of names one above the other
    each is beside its own point.
    """
    dots = [(x - HALF_DOT, y - HALF_DOT, x + HALF_DOT, y + HALF_DOT) for x, y in points]
    covered, written = [*dots, *taken], list[Box]()
    result = [STANDS[0]] * len(points)
    for k in sorted(range(len(points)), key=lambda k: points[k][1]):
        boxes = [stand.box(points[k], sizes[k]) for stand in STANDS]
        costs = [
            _overlap(box, box)
            - _overlap(box, frame)
            + sum(_overlap(box, other) for other in covered + written)
            + SWAPPED * sum(_is_above(box, other) for other in written)
            for box in boxes
        ]
        best = costs.index(min(costs))
        result[k] = STANDS[best]
        written.append(boxes[best])
    return result


def _overlap(one: Box, other: Box) -> float:
    """Return the area that two boxes share."""
    width = min(one[2], other[2]) - max(one[0], other[0])
    height = min(one[3], other[3]) - max(one[1], other[1])
    return max(width, 0.0) * max(height, 0.0)


def _is_above(one: Box, other: Box) -> bool:
    return one[1] < other[1] and one[0] < other[2] and other[0] < one[2]


def place_names(ax: Axes, texts: Sequence[Annotation], bars: Sequence[Box] = ()) -> None:
    """Put each name where it covers least of points, bars, other names and the margin."""
    frame, scale = ax.get_window_extent(), 72 / ax.figure.dpi

    def pixels(x: float, y: float) -> tuple[float, float]:
        """Return points of print, from the upper left corner."""
        right, up = ax.transData.transform((x, y))
        return float(right - frame.x0) * scale, float(frame.y1 - up) * scale

    boxes = (text.get_window_extent() for text in texts)
    # A point of air above and below: what is drawn is rounded to pixels.
    sizes = [(float(box.width) * scale, float(box.height) * scale + 2) for box in boxes]
    taken = []
    for left, bottom, right, top in bars:
        (x, low), (end, high) = pixels(left, bottom), pixels(right, top)
        taken.append((x - 1, high - 1, end + 1, low + 1))
    whole = (0.0, 0.0, float(frame.width) * scale, float(frame.height) * scale)
    points = [pixels(*text.xy) for text in texts]
    stands = label_places(points, sizes, whole, taken)
    for text, stand in zip(texts, stands, strict=True):
        text.set_position((stand.dx, -stand.dy))
        text.set(ha=stand.align, va="center" if stand.baseline == "middle" else stand.baseline)
