"""Probabilities of a model against those of its source, bin by bin and on average."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias, cast

import numpy as np

from properly._boundary._notices import import_extra
from properly.errors import ArgumentTypeError
from properly.plots._axes import (
    DIAGONAL,
    GREY,
    MINUS,
    PALETTE,
    SLATE,
    TEXT,
    Color,
    Corner,
    Ink,
    inks,
    legible,
    new_figure,
    open_frame,
    set_as_text,
    square_axes,
)
from properly.plots._means import LARGE, SMALL, draw_three, name_three, set_off
from properly.plots._names import shorter_side
from properly.probability._power_means import POWERS
from properly.probability._source_table import SourceTable

if TYPE_CHECKING:
    from collections.abc import Mapping

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from properly.probability._means import ClassMeans, Means

Points: TypeAlias = np.ndarray[Any, Any]

MAKER = "properly.probability.source_table(cases)"
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
KEY = f"bubbles: bins, area by share of {MINUS}log mean probability"


class Bin(NamedTuple):
    """The bubble of one bin."""

    source: float
    mean_probability: float
    size: float


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
    if not isinstance(table, SourceTable):
        message = f"this picture is drawn from a SourceTable; got {type(table).__name__}"
        raise ArgumentTypeError(message, hint=f"make one with {MAKER}.")
    own = ax is None
    ax = _square(ax, table.means.divergence)
    ink = _inks(table, color)
    bubbles = _draw_bubbles(ax, table, ink)
    _draw_ray(ax, table.means)
    for name, one in table.means.classes.items():
        draw_three(ax, one.source, one.model, ink[name])
    draw_three(ax, table.means.source, table.means.model, Ink(TEXT, "-"), large=True)
    free = name_three(ax, table.means.source, table.means.model, _crowd(table.means, bubbles))
    ax.set(xlabel="source: how often it happened", ylabel="model: probability given to it")
    handles = _handles(ink, set(table.name))
    if own:
        _draw_legend_below(cast("Figure", ax.figure), handles)
    else:
        _draw_legend_in(ax, handles, free)
        _clip_to_part(ax)
    return ax


def _square(ax: Axes | None, divergence: float) -> Axes:
    """Make the picture square, or a little higher for a ray that rises above 1."""
    free = ax is None or ax.get_autoscaley_on()
    if ax is None:
        # Compressed, so that a picture that must be square leaves no gap to its legend.
        figure = new_figure(5.2, 5.0, layout="compressed")
        cast("Any", figure.get_layout_engine()).set(w_pad=MARGIN)
        ax = figure.add_subplot()
        open_frame(ax)
    ax = square_axes(ax)
    if free and divergence > 1:
        ax.set_ylim(top=min(divergence, HIGHEST) + 0.02)
    ax.plot([0, 1], [0, 1], "--", color=GREY, linewidth=0.9, zorder=1.5, gid=DIAGONAL)
    return ax


def _inks(table: SourceTable, color: Color | None) -> dict[str, Ink]:
    """Give each class an ink; bins of all classes together have one of their own."""
    result = inks(table.means.classes, color)
    return result | {
        name: POOLED for name in table.name if name not in result and _bins(table, name)
    }


def _bubble(ink: Mapping[str, Ink], name: str) -> tuple[str, float]:
    """Return the shape of the bubbles of a class: another where colours begin anew."""
    turn = 0 if ink[name] is POOLED else list(ink).index(name) // len(PALETTE)
    return BUBBLES[turn % len(BUBBLES)]


def _bins(table: SourceTable, name: str) -> list[Bin]:
    """Return the bins of a class in which it happened, the largest first."""
    columns = (table.name, table.source, table.mean_probability, table.size)
    result = [
        Bin(float(source), float(mean_probability), float(size))
        for of, source, mean_probability, size in zip(*columns, strict=True)
        if of == name and not np.isnan(mean_probability)
    ]
    return sorted(result, key=lambda one: -one.size)


def _draw_bubbles(ax: Axes, table: SourceTable, ink: Mapping[str, Ink]) -> Points:
    """Draw all bins; return where they are, and half their widths in points."""
    colors = import_extra("matplotlib.colors", extra="plots")
    bins = {name: _bins(table, name) for name in ink}
    every = [one for some in bins.values() for one in some]
    # In a small picture, bubbles are as small as it is.
    small = min(1.0, (shorter_side(ax) / USUAL) ** 2)
    scale = small * _scale([one.size for one in every if np.isfinite(one.size)])
    for name, some in bins.items():
        color, (marker, share) = ink[name].color, _bubble(ink, name)
        drawn = [one for one in some if np.isfinite(one.size)]
        ax.scatter(
            [one.source for one in drawn],
            [one.mean_probability for one in drawn],
            [scale * one.size / share for one in drawn],
            marker=cast("Any", marker),
            facecolor=colors.to_rgba(color, FILL),
            edgecolor=colors.to_rgba(color, EDGE),
            linewidth=0.7,
            zorder=1.7,
            clip_on=False,
            gid="bubbles",
        )
        look: dict[str, Any] = {
            "color": color,
            "markersize": CROSS,
            "zorder": 1.9,
            "gid": "infinite",
        }
        for one in some:
            if np.isinf(one.size):
                ax.plot(one.source, 0, "x", clip_on=False, **look)
    return np.array(
        [(one.source, one.mean_probability, _half_width(scale * one.size)) for one in every]
    )


def _half_width(area: float) -> float:
    """Return half the width of a bubble, or that of a cross."""
    return float(np.sqrt(area / np.pi)) if np.isfinite(area) else CROSS / 2


def _scale(sizes: list[float]) -> float:
    """Return square points for a size of 1; many bubbles are small, to be told apart."""
    if not any(sizes):
        return 1.0
    return min(LARGEST / max(sizes), TOGETHER / sum(sizes))


def _draw_ray(ax: Axes, means: Means) -> None:
    """Draw the line through the mean probability to the height of the divergence probability."""
    height = means.divergence
    if not np.isfinite(height):
        return
    end = min(1.0, (ax.get_ylim()[1] - 0.02) / height) if height > 1 else 1.0
    look: dict[str, Any] = {"color": TEXT, "clip_on": False}
    ax.plot([0, end], [0, end * height], linewidth=0.7, zorder=2.2, gid="ray", **look)
    cut = "^" if end < 1 else "o"
    ax.plot(end, end * height, cut, markersize=4.5, zorder=3, gid="divergence", **look)
    text = ax.annotate(
        f"P_div {height:.3f}",
        (end, end * height),
        (7, 0),
        textcoords="offset points",
        va="center",
        color=TEXT,
        gid="P_div",
    )
    set_as_text([text])
    set_off([text])


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
    lines = import_extra("matplotlib.lines", extra="plots")
    return [
        lines.Line2D(
            [],
            [],
            color=one.color,
            marker=_bubble(ink, name)[0] if name in drawn else "",
            linestyle="" if name in drawn else one.linestyle,
            markersize=8,
            alpha=0.6,
            markeredgewidth=0,
            label=legible(name),
        )
        for name, one in ink.items()
    ]


def _draw_legend_below(figure: Figure, handles: list[Any]) -> None:
    widest = max(len(handle.get_label()) for handle in handles)
    columns = min(len(handles), max(1, 52 // (widest + 5)))
    # The legend adds to the picture, and takes nothing away from it.
    more = -(-len(handles) // columns) - 1
    figure.set_figheight(figure.get_figheight() + LINE * more)
    legend = figure.legend(
        handles=handles,
        loc="outside lower center",
        ncols=columns,
        frameon=False,
        fontsize="small",
        title=KEY,
        title_fontsize="small",
        handletextpad=0.4,
        columnspacing=1.2,
    )
    set_as_text([*legend.get_texts(), legend.get_title()])


def _draw_legend_in(ax: Axes, handles: list[Any], corner: Corner) -> None:
    legend = ax.legend(
        handles=handles,
        loc=corner,
        framealpha=0.6,
        facecolor="white",
        edgecolor="none",
        fontsize="small",
        handletextpad=0.4,
    )
    set_as_text(legend.get_texts())


def _clip_to_part(ax: Axes) -> None:
    """Cut off what lies outside, where the owner of the Axes shows a part only."""
    shown = [*ax.get_xlim(), *ax.get_ylim()]
    if min(shown[1], shown[3]) < 1 or max(shown[0], shown[2]) > 0:
        for drawn in (*ax.get_lines(), *ax.collections):
            drawn.set_clip_on(True)
