"""One row a thing, the first on top: names at the sides, a dot and its intervals between them."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias, cast

import numpy as np

from properly._boundary._notices import import_extra
from properly.plots._axes import (
    annotated,
    legend_line,
    new_figure,
    open_frame,
    set_as_text,
    side_axis,
)
from properly.plots._names import LETTER, fold, inches, points

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Ends: TypeAlias = tuple[float, float]

# Shares of the picture across, numbers of rows up.
MIXED = ("axes fraction", "data")

# Inches of a row: of a few, and of so many that a page must hold them.
ROW, CLOSE, MANY = 0.34, 0.21, 16
# Inches between the sides, and above and below the rows.
MIDDLE, AROUND = 4.4, 1.25
# Inches on all sides, so that words keep away from the edges of the paper.
MARGIN = 0.1
# Behind every other row, so that the eye finds the way from one side to the other.
STRIPE = "#F4F6F8"
STRIPED = 5
# Points of a dot, of an interval, and of one that holds for all rows at once.
DOT, THICK, THIN = 6.0, 3.4, 1.0
# The size of letters in shares of the height of a row, and the least that can be read.
FULL, LEAST = 0.62, 4.0
# Points from the rows to what stands beside them.
SIDE = 6
MOST_DECIMALS = 8
# The logarithm of 5.
FINE = 0.7
# At either end of the numbers, as a share of them all.
AIR = 0.04
# How long the lines in a key are, in sizes of letters.
HANDLE = 1.8
# How far apart numbers below the rows are, in sizes of their letters.
TICK = 5.5


class DotLook(NamedTuple):
    """How a dot looks: its colour, its shape, and whether it is filled."""

    color: str
    marker: str = "o"
    filled: bool = True


def row_axes(count: int, sides: Iterable[str], key: int) -> Axes:
    """Make a figure for so many rows, with these words beside them and lines of a key below."""
    step = (ROW if count <= MANY else CLOSE) * points() / 10
    width = MIDDLE + sum(inches([side], "small") + 0.15 for side in sides)
    height = AROUND + step * count + 1.5 * key * points("small") / 72
    figure = new_figure(width, height)
    cast("Any", figure.get_layout_engine()).set(w_pad=MARGIN, h_pad=MARGIN)
    ax = figure.add_subplot()
    open_frame(ax)
    ax.spines["left"].set_visible(False)
    return ax


def show_rows(ax: Axes, count: int, *, striped: bool = True) -> float:
    """Make room for so many rows, and return a size of letters that fits between two of them."""
    ax.set_ylim(count - 0.5, -0.5)
    ax.tick_params(axis="y", length=0, pad=SIDE)
    if striped and count > STRIPED:
        for row in range(1, count, 2):
            ax.axhspan(row - 0.5, row + 0.5, color=STRIPE, linewidth=0, zorder=0.1, gid="stripe")
    height = ax.get_window_extent().height * 72 / ax.figure.dpi
    return float(np.clip(FULL * height / count, LEAST, points("small")))


def name_rows(ax: Axes, names: Sequence[str], size: float) -> None:
    """Write names to the left of their rows."""
    ax.set_yticks(range(len(names)), names, fontsize=size)
    set_as_text(ax.get_yticklabels())


def name_rows_right(ax: Axes, names: Sequence[str], size: float) -> None:
    """Write names to the right; on an axis of their own, so that the layout makes room for them."""
    side_axis(ax, "right", dict(enumerate(names)), pad=SIDE, labelsize=size)


def write_columns(
    ax: Axes, columns: Mapping[str, Sequence[str]], size: float, before: float | None = None
) -> float:
    """Write columns of numbers to the right of the rows, flush right, with their headings.

    Or to their left, if told how many points are taken there. Return how far they reach in points.
    """
    right = before is None
    edge, gap = float(SIDE if before is None else before), 2 * LETTER * size
    for heading, column in [*columns.items()][:: 1 if right else -1]:
        wide = max(map(len, [heading, *column])) * LETTER * size
        edge += wide if right else gap
        cells = [((int(right), row), 0, "center", text) for row, text in enumerate(column)]
        for place, lift, height, text in [*cells, ((int(right), -0.5), 3, "bottom", heading)]:
            look: dict[str, Any] = {"ha": "right", "va": height, "fontsize": size, "gid": heading}
            offset = (edge if right else -edge, lift)
            annotated(ax, text, place, offset, MIXED, annotation_clip=False, **look)
        edge += gap if right else wide
    return edge


def draw_ends(ax: Axes, row: float, ends: Ends, look: DotLook, *, gid: str, width: float) -> None:
    """Draw a line from end to end, if both are known."""
    if all(map(math.isfinite, ends)):
        line: dict[str, Any] = {"color": look.color, "linewidth": width, "gid": gid, "zorder": 2}
        ax.plot(ends, (row, row), solid_capstyle="butt", **line)


def draw_dot(ax: Axes, row: float, value: float, look: DotLook, size: float) -> None:
    """Draw the dot of a row, as small as its letters are."""
    marker = _marker(look) | {"markersize": DOT * size / points("small")}
    ax.plot(value, row, linestyle="", zorder=3, gid="value", **marker)


def say_in_row(ax: Axes, row: int, words: str, size: float) -> None:
    """Write words in the middle of a row in which there is nothing to draw."""
    paper = {"boxstyle": "square,pad=0.15", "facecolor": "white", "linewidth": 0}
    look: dict[str, Any] = {"ha": "center", "va": "center", "fontsize": size, "zorder": 4}
    annotated(ax, words, (0.5, row), (0, 0), MIXED, bbox=paper, gid="words", **look)


def say_beside(ax: Axes, row: int, value: float, words: str, size: float) -> None:
    """Write words beside a dot that has no interval, on the side that has more room."""
    right = value <= sum(ax.get_xlim()) / 2
    offset = (DOT + 1 if right else -DOT - 1, 0)
    paper = {"boxstyle": "square,pad=0.1", "facecolor": "white", "alpha": 0.7, "linewidth": 0}
    look = {"ha": "left" if right else "right", "va": "center", "fontsize": size, "zorder": 4}
    annotated(ax, words, (value, row), offset, bbox=paper, gid="words", **look)


def show_span(ax: Axes, numbers: Iterable[Any], side: float = 0.0) -> None:
    """Show all finite numbers, with round ones on the axis, no more than can stand side by side.

    Zero has at least this share of the width on either side, if a share is asked for.
    """
    least, most = span_of(numbers)
    if side:
        reach = max(-least, most) * side / (1 - side)
        least, most = min(least, -reach), max(most, reach)
    air = AIR * (most - least)
    ax.set_xlim(least - air, most + air)
    ticker = import_extra("matplotlib.ticker", extra="plots")
    wide = ax.get_window_extent().width * 72 / ax.figure.dpi
    bins = int(np.clip(wide / (TICK * points()), 2, 6))
    ax.xaxis.set_major_locator(ticker.MaxNLocator(nbins=bins, steps=[1, 2, 2.5, 5, 10]))


def span_of(numbers: Iterable[Any]) -> Ends:
    """Return the least and the greatest of all finite numbers; two equal ones are moved apart."""
    result = np.concatenate([np.ravel(np.asarray(x, dtype=float)) for x in numbers])
    result = result[np.isfinite(result)]
    if not result.size:
        return 0.0, 1.0
    least, most = float(result.min()), float(result.max())
    if least < most:
        return least, most
    apart = abs(least) / 10 or 1.0
    return least - apart, most + apart


def draw_key(ax: Axes, handles: Sequence[Any], *, own: bool) -> None:
    """Say what is what: below the picture where a layout makes room, else inside.

    Names and ticks must have been drawn: the key stands below them.
    """
    if not handles:
        return
    figure = cast("Figure", ax.figure)
    below = figure.get_layout_engine() is not None
    room: Any = figure.bbox if own else ax.get_tightbbox() if below else ax.get_window_extent()
    for handle in handles:
        wide = room.width / figure.dpi - (HANDLE + 3) * points("small") / 72
        handle.set_label(fold(handle.get_label(), wide, "small"))
    look: dict[str, Any] = {"handles": handles, "fontsize": "small", "handlelength": HANDLE}
    if own:
        legend = figure.legend(loc="outside lower center", frameon=False, **look)
    elif below:
        look |= {"bbox_to_anchor": (0.5, 0), "bbox_transform": _below(ax), "borderpad": 0.2}
        legend = ax.legend(loc="upper center", frameon=False, **look)
    else:
        legend = ax.legend(loc="best", framealpha=0.8, facecolor="white", edgecolor="none", **look)
    set_as_text(legend.get_texts())


def _below(ax: Axes) -> Any:
    """Return how to place things below an Axes and its labels, whatever size the layout gives."""
    shift = import_extra("matplotlib.transforms", extra="plots").ScaledTranslation
    words: Any = ax.get_tightbbox()
    depth = (ax.get_window_extent().y0 - words.y0) / ax.figure.dpi
    return ax.transAxes + shift(0, -depth, cast("Figure", ax.figure).dpi_scale_trans)


def decimals(half_widths: Any) -> int:
    """Count the decimals in which most intervals can be seen: to a fifth of half their width."""
    half = np.asarray(half_widths, dtype=float)
    half = half[np.isfinite(half) & (half > 0)]
    if not half.size:
        return 4
    return min(max(math.ceil(FINE - math.log10(np.median(half))), 0), MOST_DECIMALS)


def key_dot(look: DotLook, label: str) -> Any:
    """Make the entry of a dot."""
    return legend_line(linestyle="", label=label, **_marker(look))


def key_line(color: str, width: float, label: str, style: str = "-") -> Any:
    """Make the entry of a line."""
    return legend_line(color=color, linewidth=width, label=label, linestyle=style)


def _marker(look: DotLook) -> dict[str, Any]:
    return {
        "color": look.color,
        "marker": look.marker,
        "markersize": DOT,
        "markerfacecolor": look.color if look.filled else "white",
        "markeredgewidth": 1.3,
    }


def draw_value(
    ax: Axes, row: int, value: float, ends: Ends, look: DotLook, *, size: float, words: str = ""
) -> None:
    """Draw a dot and its interval; where there is none, say so."""
    draw_ends(ax, row, ends, look, gid="interval", width=THICK * size / points("small"))
    draw_dot(ax, row, value, look, size)
    words = words or ("no interval" if math.isnan(ends[0]) else "")
    if words:
        say_beside(ax, row, value, words, size)


def hide_empty(ax: Axes, values: Any, label: str) -> None:
    """Name the axis, which has no numbers where none is finite."""
    if not np.isfinite(values).any():
        ax.set_xticks([])
    ax.set_xlabel(label)
    set_as_text([ax.xaxis.label])
