"""Ranks of models at each threshold."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from properly.decisions._best_by_threshold import ThresholdRanks
from properly.errors import ArgumentTypeError
from properly.plots._axes import CURVE, GREY, Ink, inks, legible, plain_axes, set_as_text
from properly.plots._threshold_axis import PLAIN, show_thresholds

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from matplotlib.axes import Axes

    from properly.plots._axes import Color, Limits
    from properly.plots._threshold_axis import Axis, View
    from properly.typing import Column


# Models that share a rank run side by side, this far apart.
BESIDE = 0.13


def threshold_ranks(
    ranks: ThresholdRanks,
    ax: Axes | None = None,
    *,
    axis: Axis | None = None,
    color: Color | None = None,
    limits: Limits | None = None,
) -> Axes:
    """Draw the rank of each model at each threshold, the best on top.

    Parameters
    ----------
    ranks : ThresholdRanks
        From `properly.decisions.rank_by_threshold`.
    ax : matplotlib Axes, optional
        Where to draw; a new figure if left out. Limits of its thresholds that its owner has set
        stay.
    axis : {"linear", "log-odds"}, optional
        Even steps in the threshold or in its log-odds, which make room for small thresholds. That
        of the Axes if left out; a new one is linear.
    color : str or dict of str by model, optional
        Colours of the models; Okabe and Ito's palette if left out, and grey for baselines.
    limits : Interval or pair of float, optional
        The thresholds to show; those that were ranked if left out. On the log-odds axis, an
        end at 0 or 1, which is infinitely far away, is cut to where ranks change.

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
    >>> plots.threshold_ranks(ranks, limits=(0.1, 0.5)).get_ylabel()
    'rank by regret'
    """
    if not isinstance(ranks, ThresholdRanks):
        message = f"this picture is drawn from a ThresholdRanks; got {type(ranks).__name__}"
        raise ArgumentTypeError(
            message, hint="make one with properly.decisions.rank_by_threshold(models)."
        )
    models = len(ranks.models)
    ax = plain_axes(ax, 6.6, 1.3 + 0.34 * models)
    view = show_thresholds(
        ax,
        axis,
        limits,
        choices=("linear", "log-odds"),
        thresholds=[ranks.edges],
        usual=ranks.within,
    )
    height, edges = _side_by_side(ranks.rank), _within_reach(ranks.edges, view)
    ink = inks_of(ranks.models, color)
    for name, row in zip(ranks.models, height, strict=True):
        _draw_model(ax, edges, row, name, ink[name])
    ax.set(ylabel="rank by regret", ylim=(models + 0.6, 0.4), yticks=range(1, models + 1))
    last = int(np.searchsorted(ranks.edges, view.upper, side="left")) - 1
    _name_ends(ax, ranks.models, height[:, min(max(last, 0), height.shape[1] - 1)], ink)
    return ax


def inks_of(models: Iterable[str], color: Color | None = None) -> dict[str, Ink]:
    """Give each model an ink: one of the palette, but grey for what needs no model."""
    names = list(models)
    result = inks([name for name in names if name not in PLAIN], color)
    for name in names:
        if name in PLAIN:
            own = color.get(name) if isinstance(color, Mapping) else color
            result[name] = Ink(own or GREY, PLAIN[name])
    return result


def _within_reach(edges: Column, view: View) -> Column:
    """Move ends that are infinitely far away to where the picture begins and ends."""
    result = edges.copy()
    far = ~np.isfinite(view.scale.forward(edges))
    if far[0]:
        result[0] = min(view.lower, edges[1])
    if far[-1]:
        result[-1] = max(view.upper, edges[-2])
    return result


def _side_by_side(rank: Column) -> Column:
    """Move models that share a rank a little apart, in the order of their names."""
    tied = rank[:, None] == rank[None]
    before = np.tri(len(rank), k=-1, dtype=bool)[:, :, None]
    place = np.sum(tied & before, axis=1) - (np.sum(tied, axis=1) - 1) / 2
    result: Column = rank + BESIDE * place
    return result


def _draw_model(ax: Axes, edges: Column, height: Column, name: str, ink: Ink) -> None:
    """Draw a level from change to change, and thin lines between levels."""
    first = np.flatnonzero(np.append(True, np.diff(height) != 0))
    edges, height = np.append(edges[first], edges[-1]), height[first]
    ax.plot(
        np.repeat(edges, 2)[1:-1],
        np.repeat(height, 2),
        color=ink.color,
        linewidth=0.7,
        alpha=0.45,
        zorder=2,
    )
    gap = np.full(len(height), np.nan)
    ax.plot(
        np.stack([edges[:-1], edges[1:], gap], axis=1).ravel(),
        np.stack([height, height, gap], axis=1).ravel(),
        color=ink.color,
        linestyle=ink.linestyle,
        linewidth=1.6 if name in PLAIN else 3,
        solid_capstyle="butt",
        dash_capstyle="butt",
        zorder=2.3 if name in PLAIN else 2.5,
        label=legible(name),
        gid=CURVE,
    )


def _name_ends(ax: Axes, models: Sequence[str], last: Column, ink: Mapping[str, Ink]) -> None:
    """Write the names at the right end, in the order of the ranks there."""
    order = np.argsort(last, kind="stable").tolist()
    # An axis of their own, so that the layout makes room for them.
    side = ax.secondary_yaxis("right")
    side.set_yticks(range(1, len(order) + 1), [legible(models[k]) for k in order])
    side.tick_params(length=0, pad=4)
    side.spines[:].set_visible(False)
    labels = side.get_yticklabels()
    set_as_text(labels)
    for label, k in zip(labels, order, strict=True):
        label.set_color(ink[models[k]].color)
