"""Murphy diagrams: the mean elementary score at each threshold."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING

from properly.decisions._murphy import MurphyCurve
from properly.plots._axes import (
    Color,
    Ink,
    Limits,
    bands_to_draw,
    curves,
    draw_band,
    draw_curve,
    draw_legend,
    inks,
    plain_axes,
    show_limits,
)
from properly.plots._range import draw_zero
from properly.plots._words import by_name

if TYPE_CHECKING:
    from matplotlib.axes import Axes

HEIGHT = {
    "brier": {
        "score": "mean elementary score",
        "difference": "difference in mean elementary score",
    },
    "regret": {"score": "regret", "difference": "difference in regret"},
}


def murphy(
    curve: MurphyCurve | Mapping[str, MurphyCurve],
    ax: Axes | None = None,
    *,
    band: bool | None = None,
    color: Color | None = None,
    label: str | None = None,
    limits: Limits | None = None,
) -> Axes:
    """Draw the mean elementary score at each threshold.

    A model whose curve is nowhere above that of another has the lower mean score under every proper
    rule. Where curves cross, it depends on the thresholds that matter. The area below a
    curve is the mean Brier score, or the part of it that the curve shows.

    Parameters
    ----------
    curve : MurphyCurve or dict of MurphyCurve by model
        From `properly.murphy_curve`, or `properly.murphy_difference`, which comes with a line at
        zero: below it the first model is better. On the regret scale, the height is named so.
    ax : matplotlib Axes, optional
        Where to draw; a new figure if left out. Limits that its owner has set stay.
    band : bool, optional
        Whether to show the band of the curve, if it has one. Unless said otherwise, only a curve
        that is alone has one.
    color : str or dict of str by model, optional
        Colour of the curve; the next of Okabe and Ito's palette if left out.
    label : str, optional
        Name of a single curve in a legend.
    limits : Interval or pair of float, optional
        The thresholds to show.

    Returns
    -------
    matplotlib Axes

    References
    ----------
    .. [1] W. Ehm, T. Gneiting, A. Jordan, F. Krüger (2016). Of quantiles and expectiles: consistent
       scoring functions, Choquet representations and forecast rankings. Journal of the Royal
       Statistical Society B 78:505-562. `doi:10.1111/rssb.12154 <https://doi.org/10.1111/rssb.12154>`__

    Examples
    --------
    >>> import properly
    >>> from properly import plots
    >>> t = properly.tally([0, 1, 0, 1], [0.1, 0.3, 0.6, 0.9])
    >>> plots.murphy(properly.murphy_curve(t)).get_ylabel()
    'mean elementary score'
    """
    records = by_name(curve, MurphyCurve, "properly.murphy_curve(tally)", label)
    several = isinstance(curve, Mapping)
    own = ax is None
    ax = plain_axes(ax, width=6.6 if several else 5.2)
    draw_models(ax, records, inks(records, color, len(curves(ax))), band)
    show_limits(ax, limits)
    if several and own:
        # Murphy curves fill their picture: in a figure of our own the names stand beside it.
        draw_legend(ax, "upper left", bbox_to_anchor=(1, 1))
    elif several:
        draw_legend(ax, "upper right")
    return ax


def draw_models(
    ax: Axes,
    records: Mapping[str, MurphyCurve],
    ink: Mapping[str, Ink],
    band: bool | None = None,
) -> None:
    """Draw the curves of all models, and the band of one that is alone."""
    ribbons = bands_to_draw(ax, records, band)
    for name, record in records.items():
        if name in ribbons:
            draw_band(ax, ribbons[name], ink[name].color)
        draw_curve(ax, record.curve(), ink[name], name)
    if any(record.part == "difference" for record in records.values()):
        draw_zero(ax)
    else:
        # A score is never below zero; where curves touch it, the picture ends.
        curves(ax)[-1].sticky_edges.y.append(0)
    ax.set(xlabel="threshold", ylabel=height_of(records.values()))


def height_of(records: Collection[MurphyCurve]) -> str:
    """Name what is drawn upwards: the part that all curves show, or the score that they add to."""
    scales, parts = ({getattr(r, name) for r in records} for name in ("scale", "part"))
    part = parts.pop() if len(parts) == 1 else "score"
    return HEIGHT["regret" if scales == {"regret"} else "brier"].get(part, part)
