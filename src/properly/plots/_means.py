"""Mean probability, decisiveness and robustness as bars, and as marks in a square picture."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias, cast

import numpy as np

from properly._boundary._notices import import_extra
from properly._boundary._options import check_flag
from properly.plots._axes import (
    GREY,
    PALE,
    PALETTE,
    TEXT,
    Corner,
    Ink,
    by_name,
    legible,
    new_figure,
    open_frame,
    set_as_text,
)
from properly.plots._evaluation import draws_evaluation
from properly.plots._names import ROOM, columns_for, fold, inches, name_columns, points, spread
from properly.probability._means import Means
from properly.probability._power_means import LABELS

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.text import Text

    from properly.probability._power_means import ThreeMeans
    from properly.typing import Column


Points: TypeAlias = np.ndarray[Any, Any]

# How a mean is drawn: its name, its marker, and its size against the others. The widest is the
# first, so that the others can be seen on it.
MARKS = (("mean_probability", "D", 1.1), ("robustness", "v", 1.0), ("decisiveness", "^", 1.0))
LARGE, SMALL = 8.5, 5.0
# As they are stacked if all are equal.
NAMES = ("robustness", "mean_probability", "decisiveness")
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
MAKER = "properly.means(cases)"
# Inches of an upright bar with its air: at least for a number above it, at most for a picture.
NARROW, WIDE = 0.62, 1.1
# Inches that upright bars may have together; more lie.
PAGE = 8.0
ROW = 0.4
# The part of its row that a bar has.
THICK = 0.66
# Points of a mark, and from the picture to the numbers.
SIZE, NUMBERS = 7.5, 7.0
# Inches on either side, so that words keep away from the edges of the paper.
MARGIN = 0.1


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
    words = [f"{LABELS[name]} {height:.2f}" for name, (_, height) in zip(NAMES, marks, strict=True)]
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
    # The diagonal, the line that joins the marks, and the ray beyond the mean probability.
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
    aims = [page.marks[:, 1] + up * (top - bottom) for up in UP]
    heights = [spread(some, row, bottom + 1.1 * row, top - 0.5 * row) for some in aims]
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
        fontweight="bold" if word.startswith("mean probability") else "normal",
        color=TEXT,
        zorder=4,
        arrowprops=LEADER | {"relpos": (0 if place.right else 1, 0.5)},
        gid=NAME,
    )
    set_as_text([text])
    set_off([text])


@draws_evaluation
def means_bars(
    means: Means | Mapping[str, Means],
    ax: Axes | None = None,
    *,
    horizontal: bool | None = None,
    color: str | None = None,
) -> Axes:
    """Draw the share of right answers beside three averages of the probabilities.

    The pale bar is the share of cases whose likeliest class happened. The marks are those of
    `model_source`: the diamond is the mean probability, the geometric mean of the probabilities of
    what happened, whose number stands at the end of the bar; the triangle that points up is the
    decisiveness, the one that points down the robustness. They are means of the same probabilities,
    and the line that joins them is no interval of confidence. A model may be right ever more often
    while its mean probability falls: then it is too sure where it is wrong.

    Parameters
    ----------
    means : Means or dict of Means by model
        From `properly.means`. Up to about fifteen stay legible.
    ax : matplotlib Axes, optional
        Where to draw; a new figure if left out. Its limits are set.
    horizontal : bool, optional
        Whether the bars lie. Unless said otherwise they stand if all names fit below them.
    color : str, optional
        Colour of marks and lines; the first of Okabe and Ito's palette if left out.

    Returns
    -------
    matplotlib Axes

    Notes
    -----
    A mean probability of 0, of a model that called impossible what happened, is a diamond at 0.

    References
    ----------
    .. [1] K. P. Nelson (2017). Assessing probabilistic inference by comparing the generalized mean
       of the model and source probabilities. Entropy 19:286. `doi:10.3390/e19060286
       <https://doi.org/10.3390/e19060286>`__, figure 1.

    Examples
    --------
    >>> import properly
    >>> from properly import plots
    >>> y = [0, 1, 0, 1]
    >>> timid, bold = properly.tally(y, [0.4, 0.4, 0.6, 0.7]), properly.tally(y, [0, 1, 1, 1])
    >>> ax = plots.means_bars({"timid": properly.means(timid), "bold": properly.means(bold)})
    >>> [label.get_text() for label in ax.get_xticklabels()]
    ['timid', 'bold']
    """
    records = by_name(means, Means, MAKER)
    names = [legible(name) for name in records]
    lying = _lies(names) if horizontal is None else check_flag(horizontal, "horizontal")
    own = ax is None
    if ax is None:
        ax = _new_axes(names, lying=lying)
    rows = list(records.values())
    _draw_bars(ax, rows, lying=lying)
    _draw_means(ax, rows, color or PALETTE[0], lying=lying)
    _show_probabilities(ax, len(rows), lying=lying)
    _write_sides(ax, rows, names, lying=lying)
    _draw_legend(ax, color or PALETTE[0], own=own)
    return ax


def _lies(names: list[str]) -> bool:
    """Tell whether names do not fit below upright bars on a page."""
    step, _ = columns_for(names, NARROW, WIDE)
    folded = [fold(name, ROOM * step) for name in names]
    return step * len(names) > PAGE or inches(folded) > ROOM * step


def _new_axes(names: list[str], *, lying: bool) -> Axes:
    if lying:
        height = 1.3 + ROW * len(names) * points() / 10
        figure = new_figure(4.6 + inches(names), height)
    else:
        step, depth = columns_for(names, NARROW, WIDE)
        figure = new_figure(max(4.6, 1.0 + step * len(names)), 4.0 + depth)
    cast("Any", figure.get_layout_engine()).set(w_pad=MARGIN)
    ax = figure.add_subplot()
    open_frame(ax)
    return ax


def _draw_bars(ax: Axes, rows: list[Means], *, lying: bool) -> None:
    draw = ax.barh if lying else ax.bar
    correct = [one.correct for one in rows]
    draw(range(len(rows)), correct, THICK, color=PALE, linewidth=0, zorder=1, gid="correct")


def _draw_means(ax: Axes, rows: list[Means], color: str, *, lying: bool) -> None:
    """Draw the three marks of each model, and a thin line that joins them."""
    look: dict[str, Any] = {"color": color, "clip_on": False}
    for k, one in enumerate(rows):
        reach = (one.robustness, one.decisiveness), (k, k)
        ax.plot(*(reach if lying else reach[::-1]), linewidth=0.9, zorder=2.5, gid="reach", **look)
        for name, marker, factor in MARKS:
            place = getattr(one, name), k
            ax.plot(
                *(place if lying else place[::-1]),
                marker=marker,
                markersize=SIZE * factor,
                markeredgecolor="white",
                markeredgewidth=0.7,
                zorder=3,
                gid=name,
                **look,
            )


def _show_probabilities(ax: Axes, count: int, *, lying: bool) -> None:
    """Show probabilities from 0 to 1, and the bars in their order, the first on top if they lie."""
    ends = np.linspace(0, 1, 6).round(1)
    said = "probability, share of cases"
    if lying:
        ax.set(xlim=(0, 1), xticks=ends, xlabel=said, ylim=(count - 0.5, -0.5))
    else:
        # One bar or two leave air on either side, else they would be as wide as the picture.
        air = max(0.5, 2 - count / 2)
        ax.set(ylim=(0, 1), yticks=ends, ylabel=said, xlim=(-air, count - 1 + air))
    # Away from marks that stand at 0.
    ax.tick_params(axis="y" if lying else "x", length=0, pad=9)


def _write_sides(ax: Axes, rows: list[Means], names: list[str], *, lying: bool) -> None:
    """Write the names on one side, and the mean probabilities on the other."""
    printed = [f"{one.mean_probability:.3f}" for one in rows]
    # An axis of their own, so that a title and the layout make room for them.
    if lying:
        ax.set_yticks(range(len(names)), names)
        set_as_text(ax.get_yticklabels())
        side: Any = ax.secondary_yaxis("right")
        side.set_yticks(range(len(rows)), printed)
    else:
        name_columns(ax, names)
        side = ax.secondary_xaxis("top")
        side.set_xticks(range(len(rows)), printed)
    side.tick_params(length=0, labelsize="small", labelcolor=TEXT, pad=NUMBERS)
    side.spines[:].set_visible(False)
    _write_heading(ax, lying=lying)


def _write_heading(ax: Axes, *, lying: bool) -> None:
    """Say what the numbers are: above those of lying bars, to the left of those of upright ones."""
    ax.annotate(
        LABELS["mean_probability"],
        (1, 1) if lying else (0, 1),
        (NUMBERS, 2) if lying else (-2, NUMBERS),
        xycoords="axes fraction",
        textcoords="offset points",
        ha="left" if lying else "right",
        va="bottom",
        fontsize="small",
        color=TEXT,
        annotation_clip=False,
    )


def _draw_legend(ax: Axes, color: str, *, own: bool) -> None:
    """Say what is what, below a picture of our own, else where there is room."""
    patches = import_extra("matplotlib.patches", extra="plots")
    lines = import_extra("matplotlib.lines", extra="plots")
    handles = [
        patches.Patch(color=PALE, linewidth=0, label="share correct"),
        *(
            lines.Line2D([], [], color=color, marker=marker, linestyle="", label=name)
            for name, marker in _from_the_top()
        ),
    ]
    look: dict[str, Any] = {"handles": handles, "fontsize": "small", "handlelength": 1.4}
    look |= {"handletextpad": 0.5, "columnspacing": 1.2}
    if own:
        figure = cast("Figure", ax.figure)
        wide = figure.get_figwidth() > 0.45 * points()
        figure.legend(loc="outside lower center", ncols=4 if wide else 2, frameon=False, **look)
    else:
        ax.legend(loc="best", framealpha=0.7, facecolor="white", edgecolor="none", **look)


def _from_the_top() -> list[tuple[str, str]]:
    """Return the means with their markers, the greatest first."""
    marker = {name: shape for name, shape, _ in MARKS}
    return [(LABELS[name], marker[name]) for name in reversed(NAMES)]
