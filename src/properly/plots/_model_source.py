"""Probabilities of a model against those of its source, bin by bin and on average."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias, cast

import numpy as np

from properly.plots import _axes
from properly.plots._axes import DIAGONAL, GREY, PALETTE, SLATE, TEXT, Ink, Picture
from properly.plots._means_plots import MARKS, STACKED
from properly.plots._names import MINUS, from_matplotlib, inches, legible, points, spread
from properly.probability._means import SourceTable
from properly.probability._power_means import LABELS, POWERS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from matplotlib.axes import Axes
    from matplotlib.text import Text

    from properly.plots._axes import Color, Corner
    from properly.probability._means import ClassMeans, Means
    from properly.probability._power_means import ThreeMeans
    from properly.typing import Column

Points: TypeAlias = np.ndarray[Any, Any]

# Bubbles of the first classes, and of those whose colour has been used before; and the share of
# its square that each covers, so that areas can be compared.
BUBBLES = (("o", np.pi / 4), ("s", 1.0), ("D", 1.0))
# Square points of the largest bubble, and of all of them together, at most.
LARGEST, TOGETHER = 700.0, 9000.0
# Points of the side of a picture that has these.
USUAL = 230.0
FILL, EDGE = 0.22, 0.75
CROSS = 8.0
# Inches on either side, so that words keep away from the edges of the paper.
MARGIN = 0.12
# The height of a line of the legend, in inches.
LINE = 0.19
# Of bins of all classes together, whose bubbles are of none.
POOLED = Ink(SLATE, "-")
# The highest divergence probability whose ray is drawn to its end.
HIGHEST = 1.25
LARGE, SMALL = 8.5, 5.0
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
KEY = f"bubbles: bins, area by share of {MINUS}log mean probability"


class NameColumn(NamedTuple):
    """Where a column of names begins, on which side of the marks, and how high each name is."""

    edge: float
    right: bool
    height: Column


class Surroundings(NamedTuple):
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

    def places(self) -> list[NameColumn]:
        """Return columns of names on either side, as high as their marks are or a little off."""
        left, bottom, right, top = self.frame
        row = self.size[1]
        edges = left + ACROSS * (right - left)
        aims = [self.marks[:, 1] + up * (top - bottom) for up in UP]
        heights = [spread(some, row, bottom + 1.1 * row, top - 0.5 * row) for some in aims]
        return [NameColumn(*one) for one in product(edges.tolist(), (False, True), heights)]

    def boxes(self, place: NameColumn) -> Points:
        """Return left, bottom, right and top of each name."""
        width, row = self.size
        start = place.edge if place.right else place.edge - width
        low = place.height - row / 2
        return np.stack([low * 0 + start, low, low * 0 + start + width, low + row], axis=1)

    def cost(self, place: NameColumn) -> float:
        """Measure how much names would cover, stick out, and be away from their marks."""
        left, bottom, right, top = self.frame
        boxes = self.boxes(place)
        outside = max(left - boxes[0, 0], 0.0) + max(boxes[0, 2] - right, 0.0)
        # A leader leaves a name on the side where its mark should be.
        away = self.marks[:, 0] - place.edge
        room = LEADS * self.size[1] / APART
        behind = np.maximum(room - (-away if place.right else away), 0.0).sum()
        length = np.hypot(away, self.marks[:, 1] - place.height).sum()
        wide = max(right - left, top - bottom)
        covered = _covered(boxes, self.crowd) + CROSSED * self.crossed(place)
        return float(covered + (OUTSIDE * outside + BACK * behind + LONG * length) / wide)

    def crossed(self, place: NameColumn) -> int:
        """Count how often a leader passes over the mark of another."""
        near = 0.7 * self.size[1] / APART
        start = np.stack([place.height * 0 + place.edge, place.height], axis=1)[:, None]
        mark, other = self.marks[:, None], self.marks[None]
        way, there = mark - start, other - start
        # From each other mark to the nearest point of the leader.
        share = np.sum(there * way, axis=2) / np.maximum(np.sum(way * way, axis=2), 1e-12)
        gap = there - np.clip(share, 0, 1)[..., None] * way
        # Marks in one place have leaders that end there.
        apart = np.hypot(*(mark - other).transpose(2, 0, 1)) > near
        return int(np.sum(apart & (np.hypot(*gap.transpose(2, 0, 1)) < near)))

    def emptier_corner(self, names: Points) -> Corner:
        """Return the corner in which a legend covers least."""
        left, bottom, right, top = self.frame
        middle = (names[:, :2] + names[:, 2:]) / 2
        taken = [(x, y, self.size[0] / 2, 10) for x, y in middle]
        crowd, wide = np.concatenate([self.crowd, np.array(taken)]), (right - left, top - bottom)

        def cover(corner: Corner) -> float:
            ends = np.reshape(CORNERS[corner], (2, 2)) * wide + (left, bottom)
            return _covered(ends.reshape(1, 4), crowd)

        return min(CORNERS, key=cover)


def _covered(boxes: Points, crowd: Points) -> float:
    """Add up what it costs to cover what lies in some boxes, each thing once."""
    x, y, half, cost = crowd.T
    left, bottom, right, top = boxes.T[..., None]
    # Of round things, the corners of their boxes are empty.
    inside = (x > left - 0.8 * half) & (x < right + 0.8 * half)
    inside &= (y > bottom - 0.8 * half) & (y < top + 0.8 * half)
    return float(cost[inside.any(axis=0)].sum())


def model_source(table: SourceTable, ax: Axes | None = None, *, color: Color | None = None) -> Axes:
    r"""Draw what a model called probable against what happened that often.

    A bubble is one bin of forecasts of one class: to the right how often the class happened, up
    the geometric mean of the forecasts of those that did, and its area is what the bin
    adds to :math:`-\log` mean probability. On the dashed line, both probabilities are equal.

    The large dark marks are the means of all cases: a triangle that points up is the decisiveness,
    a diamond the mean probability, a triangle that points down the robustness. The direction of the
    line that joins the triangles is the orientation, 45 degrees if the model varies as its source
    does. The same marks, small and in the colour of a class, are the means of the cases of that
    class.

    The thin ray from the origin through the mean probability ends at x = 1, at the height of the
    divergence probability, the mean probability of the model divided by that of the source.

    Parameters
    ----------
    table : SourceTable
        From `properly.probability.source_table`.
    ax : matplotlib Axes, optional
        Where to draw; a new figure if left out. Limits that its owner has set stay.
    color : str or dict of str by class, optional
        Colours of the classes; Okabe and Ito's palette if left out.

    Returns
    -------
    matplotlib Axes

    Notes
    -----
    The source is to the right and the model up, so that the model is judged by its height. Bins in
    which nothing happened have no bubble. A forecast of 0 for what happened makes the mean
    probability of its bin 0 and its share of :math:`-\log` mean probability infinite: a cross marks
    such a bin.

    The last bins of an isotonic source hold few cases. Tiny bubbles at a source of 0 or 1, or near
    it, are often one or two of them, however far they are from the line.

    A divergence probability above 1 comes from bins in which forecasts differ. Beyond 1.25, its
    ray is cut off where it leaves the picture.

    Forecasts that are too sure raise the orientation above 45 degrees. So does a bias and, among
    few cases, chance: `properly.probability.confidence_test` says how surprising the three means
    are.

    References
    ----------
    .. [1] K. P. Nelson (2017). Assessing probabilistic inference by comparing the generalized mean
       of the model and source probabilities. Entropy 19:286. `doi:10.3390/e19060286
       <https://doi.org/10.3390/e19060286>`__, figures 2 and 5 to 7.

    Examples
    --------
    >>> import properly
    >>> from properly import plots
    >>> cases = properly.tally([0, 1, 0, 1, 1], [0.1, 0.3, 0.6, 0.9, 0.9])
    >>> ax = plots.model_source(properly.probability.source_table(cases))
    >>> ax.get_xlabel(), ax.get_ylabel()
    ('source: how often it happened', 'model: probability given to it')
    """
    _axes.require(table, SourceTable, "properly.probability.source_table(cases)")
    picture = _square(ax, table.means.divergence)
    ink = _inks(table, color)
    bubbles = _draw_bubbles(picture, table, ink)
    _draw_ray(picture, table.means)
    for name, one in table.means.classes.items():
        _draw_three(picture.ax, one.source, one.model, ink[name])
    both = table.means.source, table.means.model
    _draw_three(picture.ax, *both, Ink(TEXT, "-"), large=True)
    free = _name_three(picture, *both, _crowd(table.means, bubbles))
    picture.ax.set(xlabel="source: how often it happened", ylabel="model: probability given to it")
    _draw_legend(picture, _handles(ink, set(table.name)), free)
    if not picture.own:
        _clip_to_part(picture.ax)
    return picture.ax


def _draw_three(
    ax: Axes, source: ThreeMeans, model: ThreeMeans, ink: Ink, *, large: bool = False
) -> None:
    """Draw three marks, and the line whose direction is the orientation.

    Large marks lie on small ones, but for those at a height of 0, where many may meet.
    """
    front, size, width, edge = (3.0, LARGE, 1.3, 0.8) if large else (2.4, SMALL, 0.8, 0.5)
    corners = [(x.robustness, x.decisiveness) for x in (source, model)]
    line: dict[str, Any] = {"linestyle": ink.linestyle, "linewidth": width, "zorder": front}
    ax.plot(*corners, color=ink.color, gid="orientation", **line)
    look: dict[str, Any] = {"color": ink.color, "markeredgecolor": "white", "clip_on": False}
    for name, marker, factor in MARKS:
        x, y = getattr(source, name), getattr(model, name)
        order = 3.4 if not large and y == 0 else front + 0.2
        shape = look | {"markersize": factor * size, "markeredgewidth": edge, "zorder": order}
        ax.plot(x, y, marker, gid=name, **shape)


def _name_three(picture: Picture, source: ThreeMeans, model: ThreeMeans, crowd: Points) -> Corner:
    """Write what three marks are beside them, where the names cover least.

    The crowd is a row for each bubble and mark: to the right, up, and half its width in points.
    The emptier corner is returned.
    """
    marks = np.array([(getattr(source, name), getattr(model, name)) for name in STACKED])
    pairs = zip(STACKED, marks[:, 1].tolist(), strict=True)
    words = [f"{LABELS[name]} {height:.2f}" for name, height in pairs]
    page = _page(picture, marks, crowd, words)
    place = min(page.places(), key=page.cost)
    leader = LEADER | {"relpos": (0 if place.right else 1, 0.5)}
    look = {"ha": "left" if place.right else "right", "va": "center", "zorder": 4, "gid": NAME}
    for word, mark, height in zip(words, marks.tolist(), place.height.tolist(), strict=True):
        bold = {"fontweight": "bold"} if word.startswith("mean probability") else {}
        style = look | bold | {"textcoords": "data", "arrowprops": leader}
        _set_off(picture.write(word, mark, (place.edge, height), **style))
    return page.emptier_corner(page.boxes(place))


def _set_off(text: Text) -> None:
    """Put a white halo behind words, so that they can be read on bubbles."""
    halo = from_matplotlib("patheffects").withStroke
    text.set_path_effects([halo(linewidth=3, foreground="white", alpha=0.85)])


def _page(picture: Picture, marks: Points, crowd: Points, words: Sequence[str]) -> Surroundings:
    (left, right), (bottom, top) = picture.ax.get_xlim(), picture.ax.get_ylim()
    wide, high = picture.size
    # Points of one unit of the picture, which is as long to the right as up.
    unit = 72 * min(wide / (right - left), high / (top - bottom))
    size = inches(words) * 72 / unit, APART * points() / unit
    # The diagonal, the line that joins the marks, and the ray beyond the mean probability.
    start = marks[0] * 0
    lines = ((start, start + 1), (marks[0], marks[2]), (start, marks[1]), (marks[1], 2 * marks[1]))
    stretches = [
        (x, y, 0.0, STRETCH) for first, last in lines for x, y in np.linspace(first, last, 31)
    ]
    in_the_way = [(x, y, half / unit, BUBBLE) for x, y, half in crowd]
    every = np.array(in_the_way + stretches)
    return Surroundings((left, bottom, right, top), marks, every, size)


def _square(ax: Axes | None, divergence: float) -> Picture:
    """Make the picture square, or a little higher for a ray that rises above 1."""
    free = ax is None or ax.get_autoscaley_on()
    # Compressed, so that a picture that must be square leaves no gap to its legend.
    picture = Picture(ax, 5.2, 5.0, layout="compressed", w_pad=MARGIN)
    picture.square()
    if free and divergence > 1:
        picture.ax.set_ylim(top=min(divergence, HIGHEST) + 0.02)
    picture.ax.plot([0, 1], [0, 1], "--", color=GREY, linewidth=0.9, zorder=1.5, gid=DIAGONAL)
    return picture


def _inks(table: SourceTable, color: Color | None) -> dict[str, Ink]:
    """Give each class an ink; bins of all classes together have one of their own."""
    result = _axes.inks(table.means.classes, color)
    more = [name for name in table.name if name not in result and _bins(table, name).size]
    return result | dict.fromkeys(more, POOLED)


def _bubble(ink: Mapping[str, Ink], name: str) -> tuple[str, float]:
    """Return the shape of the bubbles of a class: another where colours begin anew."""
    turn = 0 if ink[name] is POOLED else list(ink).index(name) // len(PALETTE)
    return BUBBLES[turn % len(BUBBLES)]


def _bins(table: SourceTable, name: str) -> Points:
    """Return source, mean probability and size of bins in which a class happened, by size."""
    there = (np.array(table.name) == name) & ~np.isnan(table.mean_probability)
    rows = np.stack([table.source, table.mean_probability, table.size], axis=1)[there]
    result: Points = rows[np.argsort(-rows[:, 2], kind="stable")]
    return result


def _draw_bubbles(picture: Picture, table: SourceTable, ink: Mapping[str, Ink]) -> Points:
    """Draw all bins; return where they are, and half their widths in points."""
    ax, rgba = picture.ax, from_matplotlib("colors").to_rgba
    bins = {name: _bins(table, name) for name in ink}
    every = np.concatenate(list(bins.values()))
    # In a small picture, bubbles are as small as it is.
    small = min(1.0, (72 * min(picture.size) / USUAL) ** 2)
    scale = small * _scale(every[np.isfinite(every[:, 2]), 2])
    for name, rows in bins.items():
        color, (marker, share) = ink[name].color, _bubble(ink, name)
        x, y, size = rows[np.isfinite(rows[:, 2])].T
        look: dict[str, Any] = {"clip_on": False, "zorder": 1.7, "linewidth": 0.7, "marker": marker}
        look |= {"facecolor": rgba(color, FILL), "edgecolor": rgba(color, EDGE)}
        ax.scatter(x, y, scale * size / share, gid="bubbles", **look)
        cross: dict[str, Any] = {"color": color, "markersize": CROSS, "zorder": 1.9}
        for x in rows[np.isinf(rows[:, 2]), 0]:
            ax.plot(x, 0, "x", clip_on=False, gid="infinite", **cross)
    # Half the width of a bubble, or that of a cross.
    area = scale * every[:, 2]
    half = np.where(np.isfinite(area), np.sqrt(area / np.pi), CROSS / 2)
    return np.column_stack([every[:, :2], half])


def _scale(sizes: Points) -> float:
    """Return square points for a size of 1; many bubbles are small, to be told apart."""
    if not sizes.any():
        return 1.0
    return float(min(LARGEST / sizes.max(), TOGETHER / sizes.sum()))


def _draw_ray(picture: Picture, means: Means) -> None:
    """Draw the line through the mean probability to the height of the divergence probability."""
    ax, height = picture.ax, means.divergence
    if not np.isfinite(height):
        return
    end = min(1.0, (ax.get_ylim()[1] - 0.02) / height) if height > 1 else 1.0
    place, look = (end, end * height), cast("Any", {"color": TEXT, "clip_on": False})
    ax.plot([0, end], [0, end * height], linewidth=0.7, zorder=2.2, gid="ray", **look)
    cut = "^" if end < 1 else "o"
    ax.plot(*place, cut, markersize=4.5, zorder=3, gid="divergence", **look)
    _set_off(picture.write(f"P_div {height:.3f}", place, (7, 0), va="center", gid="P_div"))


def _crowd(means: Means, bubbles: Points) -> Points:
    """Return what names should not cover: where it is, and half its width in points."""
    every: list[tuple[Means | ClassMeans, float]] = [(means, LARGE)]
    every += [(one, SMALL) for one in means.classes.values()]
    marks = [
        (getattr(one.source, name), getattr(one.model, name), size / 2)
        for one, size in every
        for name in POWERS
    ]
    return np.concatenate([bubbles, marks])


def _handles(ink: Mapping[str, Ink], drawn: set[str]) -> list[Any]:
    """Return what stands for each class: its bubble, or its line if bubbles are of no class."""
    look: dict[str, Any] = {"markersize": 8, "alpha": 0.6, "markeredgewidth": 0}
    result = []
    for name, one in ink.items():
        marker, style = (_bubble(ink, name)[0], "") if name in drawn else ("", one.linestyle)
        shape = {"marker": marker, "linestyle": style}
        result.append(_axes.legend_line(color=one.color, label=legible(name), **shape, **look))
    return result


def _draw_legend(picture: Picture, handles: list[Any], corner: Corner) -> None:
    """Say whose the bubbles are, below a picture of our own, else in its emptier corner."""
    if not picture.own:
        picture.legend(handles, corner, paper=0.6, handletextpad=0.4)
        return
    figure, widest = picture.figure, max(len(handle.get_label()) for handle in handles)
    columns = min(len(handles), max(1, 52 // (widest + 5)))
    # The legend adds to the picture, and takes nothing away from it.
    more = -(-len(handles) // columns) - 1
    figure.set_figheight(figure.get_figheight() + LINE * more)
    look: dict[str, Any] = {
        "title": KEY,
        "handletextpad": 0.4,
        "columnspacing": 1.2,
        "ncols": columns,
    }
    picture.legend(handles, "outside lower center", **look)


def _clip_to_part(ax: Axes) -> None:
    """Cut off what lies outside, where the owner of the Axes shows a part only."""
    shown = [*ax.get_xlim(), *ax.get_ylim()]
    if min(shown[1], shown[3]) < 1 or max(shown[0], shown[2]) > 0:
        for drawn in (*ax.get_lines(), *ax.collections):
            drawn.set_clip_on(True)
