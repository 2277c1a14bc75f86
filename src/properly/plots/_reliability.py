"""Reliability diagrams."""

from __future__ import annotations

from typing import TYPE_CHECKING

from properly.plots._axes import BLUE, draw_diagonal, square_axes

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from properly._calibration import Reliability


def reliability(
    record: Reliability, ax: Axes | None = None, *, color: str = BLUE, label: str | None = None
) -> Axes:
    """Draw how often the event happened after each forecast.

    Bins are thick, the straight lines between them thin; a bin of a single forecast is a dot.
    A curve on the diagonal means that forecasts can be taken at their word.

    Parameters
    ----------
    record : Reliability
        From `properly.reliability`.
    ax : matplotlib Axes, optional
        Where to draw, as often as there are models; a new figure if left out. That figure is not
        pyplot's: save it with ``ax.figure.savefig``.
    color : str
        Colour of the curve.
    label : str, optional
        Name in a legend.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> import properly
    >>> from properly import plots
    >>> t = properly.tally([0, 1, 0, 1], [0.1, 0.3, 0.6, 0.9])
    >>> plots.reliability(properly.reliability(t)).get_xlabel()
    'forecast'
    """
    ax = square_axes(ax)
    draw_diagonal(ax)
    x, rate = record.curve()
    ax.plot(x, rate, color=color, linewidth=0.9, zorder=2, label=label)
    bins = record.bins
    ax.hlines(bins.event_rate, bins.x_min, bins.x_max, color=color, linewidth=2.6, zorder=3)
    single = bins.x_min == bins.x_max
    ax.plot(bins.x_min[single], bins.event_rate[single], "o", color=color, markersize=3.5, zorder=3)
    ax.set(xlabel="forecast", ylabel="event rate")
    return ax
