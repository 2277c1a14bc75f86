"""Marks of three means, and their names where they cover least of a square picture."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

from properly._boundary._extras import import_extra
from properly.plots._axes import GREY, TEXT, Corner, Ink, set_as_text
from properly.plots._ends import spread
from properly.plots._fitting import inches, points

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from matplotlib.axes import Axes
    from matplotlib.text import Text

    from properly.probability._power_means import ThreeMeans

Column: TypeAlias = np.ndarray[Any, Any]
Points: TypeAlias = np.ndarray[Any, Any]

# How a mean is drawn: its name, its marker, and its size against the others. The widest is the
# first, so that the others can be seen on it.
MARKS = (("accuracy", "D", 1.1), ("robustness", "v", 1.0), ("decisiveness", "^", 1.0))
LARGE, SMALL = 8.5, 5.0
# As they are stacked if all are equal.
NAMES = ("robustness", "accuracy", "decisiveness")
NAME = "name"
# Lines of text from the middle of one name to that of the next, and those that a leader needs.
APART, LEADS = 1.3, 1.4
# Where names are tried: shares of the picture to the right, and of it up or down from their marks.
ACROSS, UP = np.linspace(0.02, 0.98, 33), np.linspace(-0.4, 0.4, 9)
# What it costs to cover a bubble or a mark, a stretch of a line, and a mark by a leader; and, for
# the width of the picture, to stand outside, to have leaders that turn back, and to have long ones.
BUBBLE, STRETCH, CROSSED = 1.0, 0.4, 1.5
OUTSIDE, BACK, LONG = 200.0, 18.0, 3.0
# What is in the way of a legend in each corner, in shares of the picture.
CORNERS: dict[Corner, tuple[float, float, float, float]] = {
    "lower right": (0.6, 0.0, 1.0, 0.3),
    "upper left": (0.0, 0.7, 0.4, 1.0),
}
LEADER = {"arrowstyle": "-", "color": GREY, "linewidth": 0.7, "shrinkA": 2, "shrinkB": 5}


class Place(NamedTuple):
    """Where a column of names begins, on which side of the marks, and how high each name is."""

    edge: float
    right: bool
    height: Column


class Page(NamedTuple):
    """What names must fit in: the limits of a picture, its marks, and the size of a name.

    Attributes
    ----------
    frame : tuple of float
        Left, bottom, right and top.
    marks : (3, 2) array
    crowd : (n, 4) array
        What should not be covered: to the right, up, half its width, and what covering it costs.
    size : tuple of float
        Width and height of a name, in units of the picture.
    """

    frame: tuple[float, float, float, float]
    marks: Points
    crowd: Points
    size: tuple[float, float]


def draw_three(
    ax: Axes, source: ThreeMeans, model: ThreeMeans, ink: Ink, *, large: bool = False
) -> None:
    """Draw three marks, and the line whose direction is the orientation.

    Large marks lie on small ones, but for those at a height of 0, where many may meet.
    """
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
            zorder=3.4 if not large and getattr(model, name) == 0 else front + 0.2,
            clip_on=False,
            gid=name,
        )


def name_three(ax: Axes, source: ThreeMeans, model: ThreeMeans, crowd: Points) -> Corner:
    """Write what three marks are beside them, where the names cover least.

    The crowd is a row for each bubble and mark: to the right, up, and half its width in points.
    The emptier corner is returned.
    """
    marks = np.array([(getattr(source, name), getattr(model, name)) for name in NAMES])
    words = [f"{name} {height:.2f}" for name, (_, height) in zip(NAMES, marks, strict=True)]
    page = _page(ax, marks, crowd, words)
    place = min(_places(page), key=lambda place: _cost(place, page))
    for word, mark, height in zip(words, marks.tolist(), place.height.tolist(), strict=True):
        _write_name(ax, word, mark, height, place)
    return _emptier_corner(page, _boxes(place, page.size))


def set_off(texts: Iterable[Text]) -> None:
    """Put a white halo behind words, so that they can be read on bubbles."""
    effects = import_extra("matplotlib.patheffects", extra="plots")
    for text in texts:
        text.set_path_effects([effects.withStroke(linewidth=3, foreground="white", alpha=0.85)])


def _page(ax: Axes, marks: Points, crowd: Points, words: Sequence[str]) -> Page:
    (left, right), (bottom, top) = ax.get_xlim(), ax.get_ylim()
    box = ax.get_window_extent()
    # Points of one unit of the picture, which is as long to the right as up.
    unit = min(box.width / (right - left), box.height / (top - bottom)) * 72 / ax.figure.dpi
    size = inches(words) * 72 / unit, APART * points() / unit
    # The diagonal, the line that joins the marks, and the ray as far as the accuracy and beyond.
    start = marks[0] * 0
    lines = ((start, start + 1), (marks[0], marks[2]), (start, marks[1]), (marks[1], 2 * marks[1]))
    stretches = [
        (x, y, 0.0, STRETCH) for first, last in lines for x, y in np.linspace(first, last, 31)
    ]
    in_the_way = [(x, y, half / unit, BUBBLE) for x, y, half in crowd]
    every = np.array(in_the_way + stretches)
    return Page((left, bottom, right, top), marks, every, size)


def _places(page: Page) -> list[Place]:
    """Return columns of names on either side, as high as their marks are or a little off."""
    left, bottom, right, top = page.frame
    row = page.size[1]
    edges = left + ACROSS * (right - left)
    wanted = [page.marks[:, 1] + up * (top - bottom) for up in UP]
    heights = [spread(some, row, bottom + 1.1 * row, top - 0.5 * row) for some in wanted]
    return [Place(*one) for one in product(edges.tolist(), (False, True), heights)]


def _cost(place: Place, page: Page) -> float:
    """Measure how much names would cover, stick out, and be away from their marks."""
    left, bottom, right, top = page.frame
    boxes = _boxes(place, page.size)
    outside = max(left - boxes[0, 0], 0.0) + max(boxes[0, 2] - right, 0.0)
    # A leader leaves a name on the side where its mark should be.
    away = page.marks[:, 0] - place.edge
    room = LEADS * page.size[1] / APART
    behind = np.maximum(room - (-away if place.right else away), 0.0).sum()
    length = np.hypot(away, page.marks[:, 1] - place.height).sum()
    wide = max(right - left, top - bottom)
    covered = _covered(boxes, page.crowd) + CROSSED * _crossed(place, page)
    return float(covered + (OUTSIDE * outside + BACK * behind + LONG * length) / wide)


def _boxes(place: Place, size: tuple[float, float]) -> Points:
    """Return left, bottom, right and top of each name."""
    width, row = size
    start = place.edge if place.right else place.edge - width
    low = place.height - row / 2
    return np.stack([low * 0 + start, low, low * 0 + start + width, low + row], axis=1)


def _covered(boxes: Points, crowd: Points) -> float:
    """Add up what it costs to cover what lies in some boxes, each thing once."""
    x, y, half, cost = crowd.T
    left, bottom, right, top = boxes.T[..., None]
    # Of round things, the corners of their boxes are empty.
    inside = (x > left - 0.8 * half) & (x < right + 0.8 * half)
    inside &= (y > bottom - 0.8 * half) & (y < top + 0.8 * half)
    return float(cost[inside.any(axis=0)].sum())


def _crossed(place: Place, page: Page) -> int:
    """Count how often a leader passes over the mark of another."""
    near = 0.7 * page.size[1] / APART
    start = np.stack([place.height * 0 + place.edge, place.height], axis=1)[:, None]
    mark, other = page.marks[:, None], page.marks[None]
    way, there = mark - start, other - start
    # From each other mark to the nearest point of the leader.
    share = np.sum(there * way, axis=2) / np.maximum(np.sum(way * way, axis=2), 1e-12)
    gap = there - np.clip(share, 0, 1)[..., None] * way
    # Marks in one place have leaders that end there.
    apart = np.hypot(*(mark - other).transpose(2, 0, 1)) > near
    return int(np.sum(apart & (np.hypot(*gap.transpose(2, 0, 1)) < near)))


def _emptier_corner(page: Page, names: Points) -> Corner:
    """Return the corner in which a legend covers least."""
    left, bottom, right, top = page.frame
    taken = [((box[0] + box[2]) / 2, (box[1] + box[3]) / 2, page.size[0] / 2, 10) for box in names]
    crowd = np.concatenate([page.crowd, np.array(taken)])
    width, height = right - left, top - bottom

    def cover(corner: Corner) -> float:
        a, b, c, d = CORNERS[corner]
        box = (left + a * width, bottom + b * height, left + c * width, bottom + d * height)
        return _covered(np.array([box]), crowd)

    return min(CORNERS, key=cover)


def _write_name(
    ax: Axes, word: str, mark: tuple[float, float], height: float, place: Place
) -> None:
    text = ax.annotate(
        word,
        mark,
        (place.edge, height),
        textcoords="data",
        ha="left" if place.right else "right",
        va="center",
        fontweight="bold" if word.startswith("accuracy") else "normal",
        color=TEXT,
        zorder=4,
        arrowprops=LEADER | {"relpos": (0 if place.right else 1, 0.5)},
        gid=NAME,
    )
    set_as_text([text])
    set_off([text])
