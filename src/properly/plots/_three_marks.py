"""Marks of three means, and their names in the emptier corner of a square picture."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from properly.plots._axes import GREY, TEXT, Corner, Ink, set_as_text
from properly.plots._ends import spread
from properly.plots._fitting import points, shorter_side

if TYPE_CHECKING:
    from collections.abc import Callable

    from matplotlib.axes import Axes

    from properly._power_means import ThreeMeans

Points: TypeAlias = np.ndarray[Any, Any]

# How a mean is drawn: its name, its marker, and its size against the others.
MARKS = (("robustness", "v", 1.0), ("decisiveness", "^", 1.0), ("accuracy", "D", 1.1))
LARGE, SMALL = 8.5, 5.0
# The least distance of two names, as a share of the picture.
ROW = 0.065
NAME = "name"
# Where names may stand: between which heights, and what is in the way there; in shares too.
CORNERS: dict[Corner, tuple[tuple[float, float], Callable[[Points, Points], Points]]] = {
    "upper left": ((0.58, 0.95), lambda x, y: (x < 0.5) & (y > 0.55)),
    "lower right": ((0.05, 0.42), lambda x, y: (x > 0.5) & (y < 0.45)),
}
LEADER = {"arrowstyle": "-", "color": GREY, "linewidth": 0.7, "shrinkA": 2, "shrinkB": 5}


def draw_three(
    ax: Axes, source: ThreeMeans, model: ThreeMeans, ink: Ink, *, large: bool = False
) -> None:
    """Draw three marks, and the line whose direction is the orientation."""
    front = 3.0 if large else 2.4
    ax.plot(
        [source.robustness, source.decisiveness],
        [model.robustness, model.decisiveness],
        color=ink.color,
        linestyle=ink.linestyle,
        linewidth=1.3 if large else 0.8,
        zorder=front,
        gid="orientation",
    )
    for name, marker, factor in MARKS:
        ax.plot(
            getattr(source, name),
            getattr(model, name),
            marker,
            color=ink.color,
            markersize=factor * (LARGE if large else SMALL),
            markeredgecolor="white",
            markeredgewidth=0.8 if large else 0.5,
            zorder=front + 0.2,
            clip_on=False,
            gid=name,
        )


def name_three(ax: Axes, source: ThreeMeans, model: ThreeMeans, crowd: Points) -> Corner:
    """Write what three marks are, as near to their heights as fits in the emptier corner.

    The other corner is returned.
    """
    names = ("robustness", "accuracy", "decisiveness")  # as they are stacked if all are equal
    marks = {name: (getattr(source, name), getattr(model, name)) for name in names}
    height = _share(ax, np.array(list(marks.values())))[:, 1]
    row = max(ROW, 1.3 * points() / shorter_side(ax))
    moved = {corner: spread(height, row, *between) for corner, (between, _) in CORNERS.items()}

    def cover(corner: Corner) -> tuple[int, float]:
        taken = int(CORNERS[corner][1](*_share(ax, crowd).T).sum())
        return taken, float(np.abs(moved[corner] - height).sum())

    corner, other = sorted(CORNERS, key=cover)
    for (name, mark), at in zip(marks.items(), moved[corner].tolist(), strict=True):
        _write_name(ax, name, mark, at, right=corner == "lower right")
    return other


def _write_name(
    ax: Axes, name: str, mark: tuple[float, float], height: float, *, right: bool
) -> None:
    text = ax.annotate(
        f"{name} {mark[1]:.2f}",
        mark,
        (0.97 if right else 0.03, height),
        textcoords="axes fraction",
        ha="right" if right else "left",
        va="center",
        fontweight="bold" if name == "accuracy" else "normal",
        color=TEXT,
        zorder=4,
        arrowprops=LEADER | {"relpos": (0 if right else 1, 0.5)},
        gid=NAME,
    )
    set_as_text([text])


def _share(ax: Axes, places: Points) -> Points:
    """Return places as shares of the width and the height of the picture."""
    (left, right), (bottom, top) = ax.get_xlim(), ax.get_ylim()
    found: Points = (places - [left, bottom]) / [right - left, top - bottom]
    return found
