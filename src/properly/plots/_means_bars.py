"""Shares that were right, and averages of the probability of what happened, side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias, cast

import numpy as np

from properly._boundary._extras import import_extra
from properly._boundary._options import check_flag
from properly.plots._axes import PALE, PALETTE, TEXT, new_figure, open_frame, set_as_text
from properly.plots._fitting import ROOM, columns_for, fold, inches, name_columns, points
from properly.plots._three_marks import MARKS, NAMES
from properly.plots._words import by_name, legible
from properly.probability._means import Means

if TYPE_CHECKING:
    from collections.abc import Mapping

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Column: TypeAlias = np.ndarray[Any, Any]

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


def means_bars(
    means: Means | Mapping[str, Means],
    ax: Axes | None = None,
    *,
    horizontal: bool | None = None,
    color: str | None = None,
) -> Axes:
    """Draw the share of right answers beside three averages of the probabilities.

    The pale bar is the share of cases whose likeliest class happened. The marks are those of
    `model_source`: the diamond is the accuracy, the geometric mean of the probabilities of what
    happened, whose number stands at the end of the bar; the triangle that points up is the
    decisiveness, the one that points down the robustness. They are means of the same probabilities,
    and the line that joins them is no interval of confidence. A model may be right ever more often
    while its accuracy falls: then it is too sure where it is wrong.

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
    An accuracy of 0, of a model that called impossible what happened, is a diamond at 0.

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
    """Write the names on one side, and the accuracies on the other."""
    printed = [f"{one.accuracy:.3f}" for one in rows]
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
        "accuracy",
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
    return [(name, marker[name]) for name in reversed(NAMES)]
