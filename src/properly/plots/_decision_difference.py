"""Differences of decision curves: which of two models is better, and where."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, get_args

from properly.decisions._net_benefit import DecisionDifference
from properly.plots._axes import Color, Limits, curves, inks, plain_axes
from properly.plots._range import WIDTH, draw_models, draw_names, draw_zero, set_height
from properly.plots._scales import Axis, bend_steps, show_thresholds
from properly.plots._words import by_name

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MAKER = "properly.decision_difference(first, second)"


def decision_difference(
    difference: DecisionDifference | Mapping[str, DecisionDifference],
    ax: Axes | None = None,
    *,
    axis: Axis | None = None,
    band: bool | None = None,
    color: Color | None = None,
    label: str | None = None,
    limits: Limits | None = None,
) -> Axes:
    """Draw how much more net benefit one model has than another, at each threshold.

    Above the line at zero the first model is better, below it the second.

    Parameters
    ----------
    difference : DecisionDifference or dict of DecisionDifference by name
        From `properly.decision_difference`.
    ax : matplotlib Axes, optional
        Where to draw; a new figure if left out. Limits that its owner has set stay.
    axis : {"linear", "log-odds", "quadratic", "logarithmic"}, optional
        As in `properly.plots.decision`.
    band : bool, optional
        Whether to show the band, if there is one. Unless said otherwise, only a difference that is
        alone has one. Where too few cases are judged differently, it has a gap.
    color : str or dict of str by name, optional
        Colour of the curve; the next of Okabe and Ito's palette if left out.
    label : str, optional
        Name of a single curve in the legend.
    limits : Interval or pair of float, optional
        The thresholds to show; unless said otherwise, those that there are.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> import properly
    >>> from properly import plots
    >>> y = [0, 1, 0, 1]
    >>> first = properly.tally(y, [0.1, 0.6, 0.3, 0.9])
    >>> second = properly.tally(y, [0.1, 0.3, 0.6, 0.9])
    >>> ax = plots.decision_difference(properly.decision_difference(first, second))
    >>> ax.get_ylabel()
    'difference in net benefit'
    """
    records = by_name(difference, DecisionDifference, MAKER, label)
    named = isinstance(difference, Mapping) or label is not None
    own = ax is None
    ax = plain_axes(ax, width=WIDTH if named else 5.2)
    knots = [record.threshold for record in records.values()]
    usual = min(float(t[0]) for t in knots), max(float(t[-1]) for t in knots)
    view = show_thresholds(
        ax,
        axis,
        limits,
        choices=get_args(Axis),
        thresholds=knots,
        usual=usual if usual[0] < usual[1] else (0, 1),
    )
    ink = inks(records, color, len(curves(ax)))
    edges = draw_models(ax, view, records, ink, bend_steps, band=band)
    draw_zero(ax)
    ax.set_ylabel("difference in net benefit")
    set_height(ax, view, edges)
    if named:
        draw_names(ax, own=own)
    return ax
