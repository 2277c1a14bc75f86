"""Reliability diagrams of the older kind, with bins chosen beforehand."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from properly.calibration._binned import BinnedReliability
from properly.plots._axes import (
    Color,
    Limits,
    curves,
    draw_curve,
    draw_diagonal,
    draw_legend,
    emptier_corner,
    inks,
    square_axes,
)
from properly.plots._reliability import draw_bars
from properly.plots._words import by_name

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# A bin of one value has no width; its bar has.
THINNEST = 0.004


def binned_reliability(
    record: BinnedReliability | Mapping[str, BinnedReliability],
    ax: Axes | None = None,
    *,
    histogram: bool | None = None,
    color: Color | None = None,
    label: str | None = None,
    limits: Limits | None = None,
) -> Axes:
    """Draw the event rate of each bin against its mean forecast.

    Parameters
    ----------
    record : BinnedReliability or dict of BinnedReliability by name
        From `properly.binned_reliability`. Several show how much the choice of bins decides.
    ax : matplotlib Axes, optional
        Where to draw; a new figure if left out. Limits that its owner has set stay.
    histogram : bool, optional
        Whether to show the weight of each bin; the tallest bar has a fifth of the height of the
        picture. Unless said otherwise, only a record that is alone has one.
    color : str or dict of str by name, optional
        Colour of the points; the next of Okabe and Ito's palette if left out.
    label : str, optional
        Name of a single record in a legend.
    limits : Interval or pair of float, optional
        The part of both axes to show.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> import properly
    >>> from properly import plots
    >>> t = properly.tally([0, 1, 0, 1], [0.1, 0.3, 0.6, 0.9])
    >>> plots.binned_reliability(properly.binned_reliability(t, bins=2)).get_ylabel()
    'event rate'
    """
    records = by_name(record, BinnedReliability, "properly.binned_reliability(tally)", label)
    ax = square_axes(ax, limits)
    alone = len(records) == 1 and not curves(ax)
    ink = inks(records, color, len(curves(ax)))
    draw_diagonal(ax)
    for name, one in records.items():
        if alone if histogram is None else histogram:
            draw_bars(ax, one.lower, np.maximum(one.upper, one.lower + THINNEST), one.weight)
        draw_curve(ax, (one.mean_forecast, one.event_rate), ink[name], name, width=1.0)
        ax.plot(one.mean_forecast, one.event_rate, "o", color=ink[name].color, markersize=4)
    ax.set(xlabel="forecast", ylabel="event rate")
    if isinstance(record, Mapping):
        draw_legend(ax, emptier_corner(ax))
    return ax
