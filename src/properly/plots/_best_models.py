"""Which model is best at which thresholds: as a map, as ranks, and for two models with a band."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from properly._boundary._text import percent
from properly.counts._baselines import EVENT_RATE, TREAT_ALL, TREAT_NONE
from properly.decisions._best_by_threshold import RangeMap, ThresholdRanks
from properly.decisions._dominance import Dominance
from properly.decisions._elementary import ENOUGH
from properly.errors import DataError
from properly.plots import _axes
from properly.plots._axes import GREY, PALETTE, RIBBON, TEXT, Ink, inks, legend_patch, require
from properly.plots._evaluation import draws_evaluation
from properly.plots._names import digits_for, fold, inches, legible, number
from properly.plots._threshold_scale import PLAIN, WIDTH, Axis, Thresholds, ticks
from properly.typing import Column

if TYPE_CHECKING:
    from matplotlib.axes import Axes


Names: TypeAlias = tuple[str, str]

# What needs no model takes no colour of a model.
GREYS = {TREAT_ALL: "#4D4D4D", TREAT_NONE: "#9A9A9A", EVENT_RATE: "#8C6D46"}
# The palest tint, of a margin of nothing.
PALEST = 0.22
# With more winners than this, or longer names, the legend leaves the picture.
FEW, SHORT = 6, 22
HATCH = "/////"
UNDECIDED = "margin below 2 standard errors"
# Models that share a rank run side by side, this far apart.
BESIDE = 0.13
HEIGHT = {
    "brier": "difference in mean elementary score",
    "regret": "difference in regret",
    "net benefit": "difference in net benefit",
}
# Of the ranges in which the first is better, and the second.
COLORS = PALETTE[:2]
SHADE = 0.13
AIR = 0.05
# The least share of the height on either side of zero, for the names beside it.
LEAST_SIDE = 0.13
# The share of the height that a line of its label may take, before a key takes some of it.
LABEL = 0.9
# Letters of a name beside a picture that is not ours to widen.
LONGEST_BESIDE = 18


def range_map(record: RangeMap, ax: Axes | None = None) -> Axes:
    """Draw which model is best over each range of thresholds.

    The place of a range is its lower bound across and its upper bound up. The farther from the
    diagonal, the wider it is. Its colour is that of the model with the least mean regret, the paler
    the smaller its margin over the next model.

    Parameters
    ----------
    record : RangeMap
        From `properly.decisions.best_by_range`. If it knows standard errors, ranges are hatched in
        which the margin is less than two of them.
    ax : matplotlib Axes, optional
        Where to draw; a new figure if left out.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> import properly
    >>> from properly import plots
    >>> t = properly.tally([0, 0, 1, 1], [0.1, 0.3, 0.3, 0.9])
    >>> ax = plots.range_map(properly.decisions.best_by_range({"mine": t}))
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['mine', 'treat all', 'treat none']
    """
    require(record, RangeMap, "properly.decisions.best_by_range(models)")
    edges, best, margin, error = record.edges, record.best, record.margin, record.standard_error
    picture = Thresholds(ax, 5.0, 4.6, usual=(float(edges[0]), float(edges[-1])))
    if picture.ax.get_autoscaley_on():
        # Upper bounds are treated as lower bounds were treated.
        round_ones = ticks(picture.view)
        picture.ax.set(ylim=picture.ax.get_xlim())
        picture.ax.set_yticks(round_ones, [percent(t, 6) for t in round_ones])
    picture.ax.set_box_aspect(1)
    picture.ax.set(xlabel="lower end of the range", ylabel="upper end of the range")
    ink = inks(record.models, own={name: Ink(grey, "-") for name, grey in GREYS.items()})
    widest = float(np.max(margin, where=best >= 0, initial=0.0))
    strength = np.sqrt(np.nan_to_num(margin) / (widest or 1.0))
    tints = _tints([ink[name].color for name in record.models], best, strength)
    # Borders are half way between edges, and as far outside the first and the last.
    middle = (edges[1:] + edges[:-1]) / 2
    ends = 2 * edges[[0, -1]] - middle[[0, -1]]
    border = np.concatenate([ends[:1], middle, ends[1:]])
    look: dict[str, Any] = {"zorder": 1, "gid": "best", "rasterized": True}
    picture.ax.pcolormesh(border, border, tints.transpose(1, 0, 2), **look)
    winners = [record.models[k] for k in np.unique(best[best >= 0]).tolist()]
    handles = [legend_patch(color=ink[name].color, label=legible(name)) for name in winners]
    # A margin whose error is not known is not decided either.
    is_open = np.zeros(best.shape, dtype=bool) if error is None else ~(margin > 2 * error)
    if (is_open := is_open & (best >= 0)).any():
        cells = np.ma.masked_where(~is_open.T, is_open.T)
        look = {"facecolor": "none", "edgecolor": "white", "hatch": HATCH, "linewidth": 0}
        picture.ax.pcolor(border, border, cells, zorder=1.5, gid="undecided", **look)
        hatched = {"facecolor": GREY, "edgecolor": "white", "hatch": HATCH}
        handles.append(legend_patch(**hatched, label=UNDECIDED))
    _draw_legend(picture, handles, winners)
    if widest > 0:
        _draw_scale(picture.ax, widest)
    return picture.ax


def _tints(colors: list[str], best: Column, strength: Column) -> Column:
    """Mix colours with white, the less the stronger; what has no winner is transparent."""
    full = np.array([_axes.rgb(color) for color in colors])[best]
    mixed = 1 - (PALEST + (1 - PALEST) * strength)[..., None] * (1 - full)
    return np.concatenate([mixed, (best >= 0)[..., None]], axis=-1)


def _draw_legend(picture: Thresholds, handles: list[Any], winners: list[str]) -> None:
    """Name the winners, and say what tints and hatches are; the lower half has no ranges."""
    loc, anchor = "lower right", (1, 0.14)
    few = len(winners) <= FEW and max(map(len, winners), default=0) <= SHORT
    if picture.own and not few:
        # In a figure of our own, names that would cover the map stand beside it.
        longest = max(len(legible(name)) for name in [*winners, UNDECIDED])
        picture.figure.set_figwidth(5.4 + 0.085 * longest)
        loc, anchor = "upper left", (1, 1)
    look: dict[str, Any] = {"alignment": "left", "bbox_to_anchor": anchor}
    picture.legend(handles, loc, title="least mean regret", **look)


def _draw_scale(ax: Axes, widest: float) -> None:
    """Show how dark which margin is."""
    key = ax.inset_axes((0.6, 0.095, 0.36, 0.028))
    share = np.linspace(0, 1, 101)
    middle = np.sqrt((share[1:] + share[:-1]) / 2)[None]
    key.pcolormesh(widest * share, [0, 1], _tints([TEXT], np.zeros((1, 100), dtype=int), middle))
    key.set(yticks=[], xlabel="margin in mean regret")
    key.set_xticks([0, widest], ["0", number(widest, digits_for(widest))])
    key.tick_params(length=0, pad=2, labelsize="x-small")
    key.xaxis.label.set_fontsize("x-small")
    key.spines[:].set_visible(False)


def threshold_ranks(ranks: ThresholdRanks, ax: Axes | None = None) -> Axes:
    """Draw the rank of each model at each threshold, the best on top.

    Parameters
    ----------
    ranks : ThresholdRanks
        From `properly.decisions.rank_by_threshold`.
    ax : matplotlib Axes, optional
        Where to draw; a new figure if left out. Limits of its thresholds that its owner has set
        stay.

    Returns
    -------
    matplotlib Axes

    Notes
    -----
    Models that share a rank run side by side, at the mean of their ranks. The names stand at the
    right end, in the order of the ranks there.

    References
    ----------
    .. [1] N. M. Adams, D. J. Hand (1999). Comparing classifiers when the misallocation costs are
       uncertain. Pattern Recognition 32:1139-1147. `doi:10.1016/S0031-3203(98)00154-X
       <https://doi.org/10.1016/S0031-3203(98)00154-X>`__

    Examples
    --------
    >>> import properly
    >>> from properly import plots
    >>> t = properly.tally([0, 1, 0, 1], [0.1, 0.3, 0.6, 0.9])
    >>> ranks = properly.decisions.rank_by_threshold({"mine": t}, baselines=True)
    >>> plots.threshold_ranks(ranks).get_ylabel()
    'rank by regret'
    """
    require(ranks, ThresholdRanks, "properly.decisions.rank_by_threshold(models)")
    models = len(ranks.models)
    picture = Thresholds(ax, WIDTH, 1.3 + 0.34 * models, usual=ranks.within)
    # Models that share a rank are moved a little apart, in the order of their names.
    tied = ranks.rank[:, None] == ranks.rank[None]
    before = np.sum(tied & np.tri(models, k=-1, dtype=bool)[:, :, None], axis=1)
    height = ranks.rank + BESIDE * (before - (np.sum(tied, axis=1) - 1) / 2)
    ink = inks(ranks.models, own=PLAIN)
    for name, row in zip(ranks.models, height, strict=True):
        _draw_ranks(picture, ranks.edges, row, name, ink[name])
    ends = {"ylim": (models + 0.6, 0.4), "yticks": range(1, models + 1)}
    picture.ax.set(ylabel="rank by regret", **ends)
    # The names stand at the right end, in the order of the ranks there.
    last = int(np.searchsorted(ranks.edges, picture.view.upper, side="left")) - 1
    final = height[:, min(max(last, 0), height.shape[1] - 1)]
    order = [ranks.models[k] for k in np.argsort(final, kind="stable").tolist()]
    names = {place: legible(name) for place, name in enumerate(order, 1)}
    side = picture.write_side("right", names, pad=4)
    for label, name in zip(side.get_yticklabels(), order, strict=True):
        label.set_color(ink[name].color)
    return picture.ax


def _draw_ranks(picture: Thresholds, edges: Column, height: Column, name: str, ink: Ink) -> None:
    """Draw a level from change to change, and thin lines between levels."""
    first = np.flatnonzero(np.append(True, np.diff(height) != 0))
    edges, height = np.append(edges[first], edges[-1]), height[first]
    faint: dict[str, Any] = {"color": ink.color, "linewidth": 0.7, "alpha": 0.45, "zorder": 2}
    picture.ax.plot(np.repeat(edges, 2)[1:-1], np.repeat(height, 2), **faint)
    levels = [(edges[:-1], edges[1:]), (height, height)]
    gap = np.full(len(height), np.nan)
    x, y = (np.stack([*ends, gap], axis=1).ravel() for ends in levels)
    width, front = (1.6, 2.3) if name in PLAIN else (3, 2.5)
    ends = {"solid_capstyle": "butt", "dash_capstyle": "butt"}
    picture.draw_curve((x, y), ink, name, linewidth=width, zorder=front, **ends)


@draws_evaluation
def dominance(
    record: Dominance,
    ax: Axes | None = None,
    *,
    names: Sequence[str] = ("first model", "second model"),
    axis: Axis | None = None,
) -> Axes:
    r"""Draw the difference of two models over thresholds, with one band for all.

    Where the band lies on one side of zero the model that is named there is better, and these
    thresholds are shaded in its colour. The band holds for all thresholds together, so one may
    look for them. There is none where too few cases are judged differently by the two models: there
    the line is dotted.

    Parameters
    ----------
    record : Dominance
        From `properly.decisions.dominance`; on any of its scales.
    ax : matplotlib Axes, optional
        Where to draw; a new figure if left out. Limits that its owner has set stay.
    names : two str
        Names of the first model and of the second.
    axis : {"linear", "log-odds"}, optional
        Even steps in the threshold or in its log-odds, which make room for small thresholds. That
        of the Axes if left out; a new one is linear.

    Returns
    -------
    matplotlib Axes

    Notes
    -----
    Between the thresholds at which the models were compared nothing is claimed; lines join them.

    References
    ----------
    .. [1] W. Ehm, T. Gneiting, A. Jordan, F. Krüger (2016). Of quantiles and expectiles: consistent
       scoring functions, Choquet representations and forecast rankings. Journal of the Royal
       Statistical Society B 78:505-562. `doi:10.1111/rssb.12154 <https://doi.org/10.1111/rssb.12154>`__

    Examples
    --------
    >>> import properly
    >>> from properly import plots
    >>> crash = properly.datasets.crash()
    >>> first, second = (
    ...     properly.Cases(crash.died, crash.forecasts[name], clusters=crash.cluster)
    ...     for name in ("logistic", "forest")
    ... )
    >>> found = properly.decisions.dominance(first, second, within=(0.01, 0.3), rng=1)
    >>> ax = plots.dominance(found, names=("logistic", "forest"))
    >>> [text.get_text() for text in ax.texts]
    ['forest\nbetter', 'logistic\nbetter']
    """
    require(record, Dominance, "properly.decisions.dominance(first, second)")
    both, edges = _two(names), [record.threshold]
    first, last = float(record.threshold[0]), float(record.threshold[-1])
    usual, wide = (first, last) if first < last else (0, 1), inches(map(legible, both), "small")
    picture = Thresholds(ax, 5.2 + wide, 4.6, axis=axis, thresholds=edges, usual=usual)
    picture.ax.set_ylabel(fold(HEIGHT[record.scale], LABEL * picture.size[1]))
    for color, runs in zip(COLORS, (record.better, record.worse), strict=True):
        for first, last in runs:
            # A border of one point, so that a threshold that is alone can be seen.
            look: dict[str, Any] = {"color": color, "alpha": SHADE, "linewidth": 1, "zorder": 0.5}
            picture.ax.axvspan(first, last, gid="better", **look)
    _draw_gap_band(picture.ax, record)
    x, y = record.threshold, record.difference
    solid = np.where(np.isfinite(record.upper), y, np.nan)
    picture.ax.plot(x, y, ":", color=TEXT, linewidth=1, zorder=2, gid="no band")
    picture.ax.plot(x, solid, color=TEXT, linewidth=1.6, zorder=2.5, gid=_axes.CURVE)
    picture.draw_zero()
    left, right = sorted(picture.ax.get_xlim())
    seen: Column = (x >= left) & (x <= right)
    if picture.ax.get_autoscaley_on():
        heights = [column[seen] for column in (y, record.lower, record.upper)]
        least, most = _axes.span_of([*heights, [0.0]], LEAST_SIDE)
        air = AIR * (most - least)
        picture.ax.set_ylim(least - air, most + air)
    sides = both if record.scale == "net benefit" else both[::-1]
    # At the right end stands which model is better above zero, and which below.
    for name, lift, height in zip(sides, (1, -1), ("bottom", "top"), strict=True):
        if not picture.own and len(name) > LONGEST_BESIDE:
            # The middle of a name would take the room from the picture.
            name = f"{name[: LONGEST_BESIDE - 7]}…{name[-6:]}"  # noqa: PLW2901
        words = legible(name)
        place = {"ha": "left", "va": height, "fontsize": "small", "annotation_clip": False}
        picture.write(f"{words}\nbetter", (1, 0), (6, 3 * lift), _axes.MIXED, gid="side", **place)
    picture.draw_key(_dominance_key(record, seen, both))
    return picture.ax


def _two(names: Sequence[str]) -> Names:
    """Take the names of two models."""
    if isinstance(names, str) or not isinstance(names, Sequence) or len(names) != 2:
        message = f"names must be those of the first and of the second model; got {names!r}"
        raise DataError(message)
    first, second = map(str, names)
    return first, second


def _draw_gap_band(ax: Axes, record: Dominance) -> None:
    """Draw the band where there is one; where it is one at a single threshold, as a line."""
    x, finite = record.threshold, np.isfinite(record.upper)
    look: dict[str, Any] = {"color": GREY, "gid": "band"}
    pale = look | {"alpha": 2 * RIBBON}
    ax.fill_between(x, record.lower, record.upper, where=finite.tolist(), linewidth=0, **pale)
    beside = np.concatenate([[False], finite, [False]])
    alone = finite & ~beside[:-2] & ~beside[2:]
    if alone.any():
        ax.vlines(x[alone], record.lower[alone], record.upper[alone], **pale)
        ax.plot(x[alone], record.difference[alone], ".", color=TEXT, zorder=2.5, gid="alone")


def _dominance_key(record: Dominance, seen: Column, names: Names) -> list[Any]:
    """Say what is what, as far as it can be seen."""
    handles = [
        legend_patch(color=color, alpha=2 * SHADE, label=f"{legible(name)} better")
        for name, color, runs in zip(names, COLORS, (record.better, record.worse), strict=True)
        if runs
    ]
    finite = np.isfinite(record.upper[seen])
    if finite.any():
        said = f"{100 * record.level:.4g} % band for all thresholds at once"
        handles.append(legend_patch(color=GREY, alpha=2 * RIBBON, label=said))
    if not finite.all():
        said = f"no band: fewer than {ENOUGH} events, or non-events, judged differently"
        look = {"color": TEXT, "linewidth": 1, "linestyle": ":"}
        handles.append(_axes.legend_line(label=said, **look))
    return handles
