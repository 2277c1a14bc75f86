"""Which model is best over which range of thresholds, as a map."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, cast

import numpy as np

from properly._boundary._notices import import_extra
from properly._boundary._text import percent
from properly.counts._baselines import EVENT_RATE, TREAT_ALL, TREAT_NONE
from properly.decisions._best_by_range import RangeMap
from properly.errors import ArgumentTypeError, DataError
from properly.plots._axes import GREY, TEXT, digits_for, legible, number, plain_axes, set_as_text
from properly.plots._best_by_threshold import inks_of
from properly.plots._threshold_axis import show_thresholds, ticks

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from properly.plots._axes import Color, Limits
    from properly.plots._threshold_axis import Axis, Scale, View
    from properly.typing import Column


# What needs no model takes no colour of a model.
GREYS = {TREAT_ALL: "#4D4D4D", TREAT_NONE: "#9A9A9A", EVENT_RATE: "#8C6D46"}
# The palest tint, of a margin of nothing.
PALEST = 0.22
# With more winners than this, or longer names, the legend leaves the picture.
FEW, SHORT = 6, 22
HATCH = "/////"
UNDECIDED = "margin below 2 standard errors"


def range_map(
    record: RangeMap,
    ax: Axes | None = None,
    *,
    axis: Axis | None = None,
    color: Color | None = None,
    limits: Limits | None = None,
) -> Axes:
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
    axis : {"linear", "log-odds"}, optional
        Even steps in the bounds or in their log-odds, which make room for small thresholds. That
        of the Axes if left out; a new one is linear.
    color : str or dict of str by model, optional
        Colours of the models; those of `threshold_ranks` if left out.
    limits : Interval or pair of float, optional
        The thresholds to show; all edges if left out.

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
    if not isinstance(record, RangeMap):
        message = f"this picture is drawn from a RangeMap; got {type(record).__name__}"
        raise ArgumentTypeError(
            message, hint="make one with properly.decisions.best_by_range(models)."
        )
    own = ax is None
    ax = plain_axes(ax, 5.0, 4.6)
    view = show_thresholds(
        ax,
        axis,
        limits,
        choices=("linear", "log-odds"),
        thresholds=[record.edges],
        usual=(float(record.edges[0]), float(record.edges[-1])),
    )
    _make_square(ax, view)
    shown = _in_view(record, view)
    colors = _colors(record.models, color)
    _draw_winners(ax, shown, [colors[name] for name in record.models])
    _draw_undecided(ax, shown)
    winners = _winners(record, shown)
    # In a figure of our own, names that would cover the map stand beside it.
    few = len(winners) <= FEW and max(map(len, winners), default=0) <= SHORT
    if own and not few:
        longest = max(len(legible(name)) for name in [*winners, UNDECIDED])
        cast("Figure", ax.figure).set_figwidth(5.4 + 0.085 * longest)
    _draw_legend(ax, winners, shown, colors, inside=few or not own)
    return ax


class Shown(NamedTuple):
    """The part of a map that can be seen: borders of its cells, and what is in them."""

    border: Column
    best: Column
    margin: Column
    undecided: Column | None

    @property
    def widest(self) -> float:
        """The greatest margin that can be seen."""
        return float(np.max(self.margin, where=self.best >= 0, initial=0.0))


def _in_view(record: RangeMap, view: View) -> Shown:
    """Leave out the edges that are out of sight, or infinitely far away."""
    keep = (record.edges >= view.lower) & (record.edges <= view.upper)
    keep &= np.isfinite(view.scale.forward(record.edges))
    if keep.sum() < 2:
        message = f"at least two edges must be in view; got {keep.sum()} of {len(keep)}"
        raise DataError(message)
    block = np.ix_(keep, keep)
    undecided = None
    if record.standard_error is not None:
        # A margin whose error is not known is not decided either.
        sure = record.margin[block] > 2 * record.standard_error[block]
        undecided = (record.best[block] >= 0) & ~sure
    border = _borders(view.scale, record.edges[keep])
    return Shown(border, record.best[block], record.margin[block], undecided)


def _borders(scale: Scale, edges: Column) -> Column:
    """Return borders half way between edges, and as far outside the first and the last."""
    at = scale.forward(edges)
    middle = (at[1:] + at[:-1]) / 2
    ends = 2 * at[[0, -1]] - middle[[0, -1]]
    result: Column = scale.inverse(np.concatenate([ends[:1], middle, ends[1:]]))
    return result


def _make_square(ax: Axes, view: View) -> None:
    """Treat upper bounds as lower bounds were treated."""
    if ax.get_autoscaley_on():
        if view.scale.name != "linear":
            functions = view.scale.forward, view.scale.inverse
            ax.set_yscale("function", functions=functions)
        ax.set_ylim(ax.get_xlim())
        ax.set_yticks(ticks(view), [percent(t, 6) for t in ticks(view)])
    ax.set_box_aspect(1)
    scale = "" if view.scale.name == "linear" else f" ({view.scale.name} scale)"
    ax.set(xlabel=f"lower end of the range{scale}", ylabel=f"upper end of the range{scale}")


def _colors(models: tuple[str, ...], color: Color | None) -> dict[str, str]:
    ink = inks_of(models, color)
    return {
        name: GREYS[name] if name in GREYS and ink[name].color == GREY else ink[name].color
        for name in models
    }


def _tints(colors: list[str], best: Column, strength: Column) -> Column:
    """Mix colours with white, the less the stronger; what has no winner is transparent."""
    to_rgb = import_extra("matplotlib.colors", extra="plots").to_rgb
    full = np.array([to_rgb(color) for color in colors])[best]
    mixed = 1 - (PALEST + (1 - PALEST) * strength)[..., None] * (1 - full)
    return np.concatenate([mixed, (best >= 0)[..., None]], axis=-1)


def _draw_winners(ax: Axes, shown: Shown, colors: list[str]) -> None:
    share = np.nan_to_num(shown.margin) / (shown.widest or 1.0)
    tints = _tints(colors, shown.best, np.sqrt(share))
    ax.pcolormesh(
        shown.border, shown.border, tints.transpose(1, 0, 2), zorder=1, gid="best", rasterized=True
    )


def _draw_undecided(ax: Axes, shown: Shown) -> None:
    if shown.undecided is None or not shown.undecided.any():
        return
    ax.pcolor(
        shown.border,
        shown.border,
        np.ma.masked_where(~shown.undecided.T, shown.undecided.T),
        facecolor="none",
        edgecolor="white",
        hatch=HATCH,
        linewidth=0,
        zorder=1.5,
        gid="undecided",
    )


def _winners(record: RangeMap, shown: Shown) -> list[str]:
    """Return the models that are best in some range in view."""
    return [record.models[k] for k in np.unique(shown.best[shown.best >= 0]).tolist()]


def _draw_legend(
    ax: Axes, winners: list[str], shown: Shown, colors: dict[str, str], *, inside: bool
) -> None:
    """Name the winners, and say what tints and hatches are; the lower half has no ranges."""
    patches = import_extra("matplotlib.patches", extra="plots")
    handles = [patches.Patch(color=colors[name], label=legible(name)) for name in winners]
    if shown.undecided is not None and shown.undecided.any():
        look = {"facecolor": GREY, "edgecolor": "white", "hatch": HATCH}
        handles.append(patches.Patch(**look, label=UNDECIDED))
    legend = ax.legend(
        handles=handles,
        loc="lower right" if inside else "upper left",
        bbox_to_anchor=(1, 0.14) if inside else (1, 1),
        title="least mean regret",
        title_fontsize="small",
        alignment="left",
        frameon=False,
        fontsize="small",
    )
    set_as_text([legend.get_title(), *legend.get_texts()])
    if shown.widest > 0:
        _draw_key(ax, shown.widest)


def _draw_key(ax: Axes, widest: float) -> None:
    """Show how dark which margin is."""
    key = ax.inset_axes((0.6, 0.095, 0.36, 0.028))
    share = np.linspace(0, 1, 101)
    tints = _tints(
        [TEXT], np.zeros((1, 100), dtype=int), np.sqrt((share[1:] + share[:-1]) / 2)[None]
    )
    key.pcolormesh(widest * share, [0, 1], tints)
    digits = digits_for(widest)
    key.set(yticks=[], xlabel="margin in mean regret")
    key.set_xticks([0, widest], ["0", number(widest, digits)])
    key.tick_params(length=0, pad=2, labelsize="x-small")
    key.xaxis.label.set_fontsize("x-small")
    key.spines[:].set_visible(False)
