"""Names of curves at their right ends, moved apart where they would touch."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias, cast

import numpy as np

from properly.plots._axes import curves, set_as_text
from properly.plots._fitting import inches, points

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D

Column: TypeAlias = np.ndarray[Any, Any]

# Points from the end of a curve to its name.
BESIDE = 16
# Lines of text from the middle of one name to that of the next.
APART = 1.3
NAME = "name at the end"
# Inches of a figure that names must leave to the picture.
LEAST = 4.6


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
    found = np.empty(len(height))
    found[order] = np.clip(level, bottom, top - below[-1]) + below
    return found


def _ends(ax: Axes) -> dict[Line2D, tuple[float, float]]:
    """Return the last point that can be seen of each curve that has a name."""
    found = {}
    for line in curves(ax):
        x, y = np.asarray(line.get_xydata(), dtype=float).T
        known = np.flatnonzero(np.isfinite(y))
        if known.size and not str(line.get_label()).startswith("_"):
            found[line] = (float(x[known[-1]]), float(y[known[-1]]))
    return found


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
