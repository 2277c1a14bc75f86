"""Cumulative probabilities of a forecast against those of the outcome: what the RPS measures."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, cast, overload

import numpy as np

from properly._boundary._notices import import_extra
from properly._boundary._options import check_whole
from properly.decisions._cumulative_forecast import CumulativeForecast
from properly.errors import DataError
from properly.plots._axes import (
    CURVE,
    PALETTE,
    TEXT,
    Color,
    Corner,
    by_name,
    new_figure,
    number,
    open_frame,
    plain_axes,
)
from properly.plots._names import (
    columns_for,
    name_columns,
    names_of,
    points,
    title_lines,
    title_panel,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    Panels: TypeAlias = np.ndarray[Any, Any]

MAKER = "properly.decisions.cumulative_forecast(y, p)"
OUTCOME = "outcome"
# How far the lines go on before the first class and behind the last.
AIR = 0.35
# Inches of one step between classes: at least for a number above it, at most for a picture.
NARROW, WIDE = 0.6, 1.15
# Inches that panels in one row may have.
PAGE = 10.5
AREA, SQUARE = 0.18, 0.5


@overload
def cumulative_forecast(
    record: CumulativeForecast,
    ax: Axes | None = None,
    *,
    absolute: bool = False,
    color: Color | None = None,
    columns: int | None = None,
) -> Axes: ...
@overload
def cumulative_forecast(
    record: Mapping[str, CumulativeForecast],
    ax: None = None,
    *,
    absolute: bool = False,
    color: Color | None = None,
    columns: int | None = None,
) -> Panels: ...
def cumulative_forecast(
    record: CumulativeForecast | Mapping[str, CumulativeForecast],
    ax: Axes | None = None,
    *,
    absolute: bool = False,
    color: Color | None = None,
    columns: int | None = None,
) -> Axes | Panels:
    r"""Draw the cumulative probabilities of a forecast and of the outcome as steps.

    Between class :math:`k` and the next, the forecast stands at :math:`P_k = p_0 + \dots + p_k`
    and the outcome at :math:`Y_k`, which is 0 before the class that happened and 1 from there on.
    The pale area between the steps is the sum of :math:`|P_k - Y_k|`. Each dark block has
    this distance for its height and, in shares of the column, for its width too: it covers
    :math:`(P_k - Y_k)^2` of the column, which is written above. Their mean, the share of all
    columns that is dark, is the ranked probability score:

    .. math:: \mathrm{RPS} = \frac{1}{K - 1} \sum_{k=0}^{K-2} (P_k - Y_k)^2.

    Parameters
    ----------
    record : CumulativeForecast or dict of CumulativeForecast by name
        From `properly.decisions.cumulative_forecast`. Several have panels side by side, on the same
        scales.
    ax : matplotlib Axes, optional
        Where to draw a single forecast; a new figure if left out. Its limits are set.
    absolute : bool
        Whether to give the squared absolute RPS too: the square of the share that is shaded at
        all, pale or dark. With three classes or more it is not a proper rule.
    color : str or dict of str by name, optional
        Colour of the forecast; the first of Okabe and Ito's palette if left out.
    columns : int, optional
        Panels in a row.

    Returns
    -------
    matplotlib Axes, or an array of them
        For a dict, one a forecast, in its order.

    References
    ----------
    .. [1] E. S. Epstein (1969). A scoring system for probability forecasts of ranked categories.
       Journal of Applied Meteorology 8:985-987.
    .. [2] A. Galdran (2023). Performance metrics for probabilistic ordinal classifiers. Medical
       Image Computing and Computer Assisted Intervention. `arXiv:2309.08701
       <https://arxiv.org/abs/2309.08701>`__, figures 1 and 2.

    Examples
    --------
    Two forecasts with the same probability of what happened, the second farther off with the rest:

    >>> import properly
    >>> from properly import plots
    >>> near = properly.decisions.cumulative_forecast(0, [0.25, 0.75, 0])
    >>> far = properly.decisions.cumulative_forecast(0, [0.25, 0, 0.75])
    >>> axes = plots.cumulative_forecast({"near": near, "far": far})
    >>> [ax.get_title() for ax in axes]
    ['near', 'far']
    >>> near.rps, far.rps
    (0.28125, 0.5625)
    """
    records = by_name(record, CumulativeForecast, MAKER)
    if columns is not None:
        columns = check_whole(columns, "columns")
    if not isinstance(record, Mapping):
        return _draw_alone(record, ax, _color(color, ""), absolute=absolute)
    if ax is not None:
        message = f"several forecasts have panels of their own; got one Axes for {len(records)}"
        raise DataError(message, hint="draw each of them on an Axes of its own.")
    axes = _panels(records, columns)
    for panel, (name, one) in zip(axes, records.items(), strict=True):
        _draw(panel, one, _color(color, name), absolute=absolute)
    axes[0].figure.supylabel("cumulative probability", fontsize="medium")
    _draw_legend(axes[0], _color(color, next(iter(records))), "below")
    return axes


def _draw_alone(record: CumulativeForecast, ax: Axes | None, color: str, *, absolute: bool) -> Axes:
    own = ax is None
    width, depth = _size(record)
    ax = plain_axes(ax, max(4.4, 0.8 + 1.2 * width), 3.6 + depth)
    _draw(ax, record, color, absolute=absolute)
    ax.set_ylabel("cumulative probability")
    # Below the steps if these rise early, above them if late.
    corner: Corner = "lower right" if 2 * record.outcome < len(record.labels) else "upper left"
    _draw_legend(ax, color, "below" if own else corner)
    return ax


def _color(color: Color | None, name: str) -> str:
    own = color.get(name) if isinstance(color, Mapping) else color
    return own or PALETTE[0]


def _draw(ax: Axes, record: CumulativeForecast, color: str, *, absolute: bool) -> None:
    """Draw both steps, the area between them, and the squares of their distances."""
    last = len(record.labels) - 1
    x = np.concatenate([[-AIR], np.arange(last + 1), [last + AIR]])
    forecast, outcome = (
        np.concatenate([[0.0], steps, steps[-1:]]) for steps in (record.cumulative, record.step)
    )
    pale: dict[str, Any] = {"color": color, "alpha": AREA, "linewidth": 0}
    ax.fill_between(x, forecast, outcome, step="post", zorder=1, gid="difference", **pale)
    bottom = np.minimum(record.cumulative, record.step)[:-1]
    ax.bar(
        np.arange(last) + 0.5,
        record.absolute,
        record.absolute,
        bottom,
        color=color,
        alpha=SQUARE,
        linewidth=0,
        zorder=1.2,
        gid="squares",
    )
    steps: dict[str, Any] = {"drawstyle": "steps-post", "solid_joinstyle": "miter"}
    ax.plot(x, outcome, color=TEXT, linewidth=3.2, zorder=2.3, gid=OUTCOME, **steps)
    ax.plot(x, forecast, color=color, linewidth=1.6, zorder=2.5, gid=CURVE, **steps)
    ax.set(xlim=(-AIR, last + AIR), ylim=(-0.02, 1.02), yticks=np.linspace(0, 1, 5))
    name_columns(ax, names_of(record.labels))
    ax.get_xticklabels()[record.outcome].set_fontweight("bold")
    _write_squares(ax, record, absolute=absolute)


def _write_squares(ax: Axes, record: CumulativeForecast, *, absolute: bool) -> None:
    """Write the squares above their columns, and their mean before them."""
    # An axis of their own, so that a title and the layout make room for them.
    upper = ax.secondary_xaxis("top")
    printed = [number(value) for value in record.squared]
    upper.set_xticks(np.arange(len(printed)) + 0.5, printed)
    upper.tick_params(length=0, labelsize="x-small", labelcolor=TEXT, pad=1)
    upper.spines[:].set_visible(False)
    said = f"RPS {number(record.rps)} is the mean of"
    if absolute:
        said = f"sa-RPS {number(record.squared_absolute_rps)}\n{said}"
    upper.set_xlabel(said, fontsize="medium", loc="left", labelpad=5, linespacing=1.4)


def _draw_legend(ax: Axes, color: str, place: Corner | Literal["below"]) -> None:
    """Say what is what, below the picture or in one of its corners."""
    patches = import_extra("matplotlib.patches", extra="plots")
    lines = import_extra("matplotlib.lines", extra="plots")
    both = 1 - (1 - AREA) * (1 - SQUARE)
    handles = [
        lines.Line2D([], [], color=color, linewidth=1.6, label="forecast"),
        lines.Line2D([], [], color=TEXT, linewidth=3.2, label=OUTCOME),
        patches.Patch(color=color, alpha=AREA, linewidth=0, label="difference"),
        patches.Patch(color=color, alpha=both, linewidth=0, label="its square"),
    ]
    look: dict[str, Any] = {"handles": handles, "fontsize": "small", "handlelength": 1.4}
    if place == "below":
        figure = cast("Figure", ax.figure)
        columns = 4 if figure.get_figwidth() > 0.42 * points() else 2
        figure.legend(loc="outside lower center", ncols=columns, frameon=False, **look)
    else:
        ax.legend(loc=place, framealpha=0.6, facecolor="white", edgecolor="none", **look)


def _size(record: CumulativeForecast) -> tuple[float, float]:
    """Return how wide a panel should be, and how deep the names of its classes hang below it."""
    names = names_of(record.labels)
    step, depth = columns_for(names, NARROW, WIDE)
    return max(2.2, step * (len(names) - 1 + 2 * AIR)), depth


def _panels(records: Mapping[str, CumulativeForecast], columns: int | None) -> Panels:
    """Lay out panels of one size with their names, in rows that fit a page."""
    count, sizes = len(records), [_size(record) for record in records.values()]
    width, depth = (max(values) for values in zip(*sizes, strict=True))
    nearest = count if count <= 3 else math.ceil(math.sqrt(count))
    wide = min(count, columns or max(1, min(nearest, int(PAGE / width))))
    high = math.ceil(count / wide)
    height = 2.8 + depth + 0.17 * title_lines(records, width)
    figure = new_figure(0.8 + width * wide, 0.5 + height * high)
    grid = figure.subplots(high, wide, sharey=True, squeeze=False).ravel()
    for ax, name in zip(grid[:count], records, strict=True):
        open_frame(ax)
        title_panel(ax, name, width)
    for ax in grid[count:]:
        ax.remove()
    return cast("Panels", grid[:count])
