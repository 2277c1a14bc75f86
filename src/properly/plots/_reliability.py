"""Reliability diagrams: isotonic (CORP), and with bins chosen beforehand."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from properly._boundary._options import check_whole
from properly.calibration._classical import BinnedReliability
from properly.calibration._reliability import Reliability
from properly.errors import DataError
from properly.plots._axes import (
    PALE,
    TEXT,
    Color,
    Ink,
    Limits,
    bands_to_draw,
    by_name,
    curves,
    digits_for,
    draw_band,
    draw_curve,
    draw_diagonal,
    draw_legend,
    emptier_corner,
    inks,
    new_figure,
    number,
    open_frame,
    reach_of,
    square_axes,
)
from properly.plots._evaluation import draws_evaluation
from properly.plots._names import title_lines, title_panel

if TYPE_CHECKING:
    from typing import Any

    from matplotlib.axes import Axes

    from properly.calibration._decomposition import Decomposition


MAKER = "properly.reliability(tally)"
# The tallest bar of the histogram, as a share of the height of the picture.
TALLEST = 0.2
# More bars than this are too thin to be set apart by white lines.
MANY_BARS = 60
# Inches of a title in a grid.
TITLE = 2.35
# A bin of one value has no width; its bar has.
THINNEST = 0.004


@draws_evaluation
def reliability(
    record: Reliability | Mapping[str, Reliability],
    ax: Axes | None = None,
    *,
    decomposition: Decomposition | None = None,
    histogram: bool | None = None,
    band: bool | None = None,
    color: Color | None = None,
    label: str | None = None,
    limits: Limits | None = None,
) -> Axes:
    """Draw how often the event happened after each forecast.

    Bins are thick, the straight lines between them thin; a bin of a single forecast is a dot, and
    where forecasts are discrete each of them is. A curve on the diagonal means that forecasts can
    be taken at their word; a curve inside a consistency band is one that such forecasts could have
    given by chance.

    Parameters
    ----------
    record : Reliability or dict of Reliability by model
        From `properly.reliability`.
    ax : matplotlib Axes, optional
        Where to draw, as often as there are models; a new figure if left out. That figure is not
        pyplot's: save it with ``ax.figure.savefig``. Limits that its owner has set stay.
    decomposition : Decomposition, optional
        Print its miscalibration (MCB), discrimination (DSC) and uncertainty (UNC).
    histogram : bool, optional
        Whether to show the distribution of the forecasts; its tallest bar has a fifth of the height
        of the picture. Unless said otherwise, only a model that is alone has one.
    band : bool, optional
        Whether to show the band of the record, if it has one. Unless said otherwise, only a model
        that is alone has one: several bands hide one another.
    color : str or dict of str by model, optional
        Colour of the curve; the next of Okabe and Ito's palette if left out.
    label : str, optional
        Name of a single record in a legend.
    limits : Interval or pair of float, optional
        The part of both axes to show. Unless said otherwise, from 0 to 1; or as far as forecasts
        and event rates reach, where events are rare.

    Returns
    -------
    matplotlib Axes

    References
    ----------
    .. [1] T. Dimitriadis, T. Gneiting, A. I. Jordan (2021). Stable reliability diagrams for
       probabilistic classifiers. Proceedings of the National Academy of Sciences 118:e2016191118.
       `doi:10.1073/pnas.2016191118 <https://doi.org/10.1073/pnas.2016191118>`__

    Examples
    --------
    >>> import properly
    >>> from properly import plots
    >>> t = properly.tally([0, 1, 0, 1], [0.1, 0.3, 0.6, 0.9])
    >>> plots.reliability(properly.reliability(t)).get_xlabel()
    'forecast'
    """
    records = by_name(record, Reliability, MAKER, label)
    if decomposition is not None and len(records) > 1:
        message = f"one decomposition belongs to one curve; got {len(records)} curves"
        raise DataError(message, hint="reliability_grid gives each model a diagram of its own.")
    ax = square_axes(ax, limits, reach_of(records.values()))
    draw_models(ax, records, inks(records, color, len(curves(ax))), histogram, band)
    if decomposition is not None:
        draw_numbers(ax, decomposition)
    if isinstance(record, Mapping):
        draw_legend(ax, emptier_corner(ax) if decomposition is None else "center right")
    return ax


@draws_evaluation
def reliability_grid(
    records: Mapping[str, Reliability],
    *,
    decompositions: Mapping[str, Decomposition] | None = None,
    columns: int | None = None,
    limits: Limits | None = None,
) -> np.ndarray[Any, Any]:
    """Draw one reliability diagram a model, side by side on the same scales.

    Parameters
    ----------
    records : dict of Reliability by model
        From `properly.reliability`.
    decompositions : dict of Decomposition by model, optional
        The numbers to print, as in `reliability`; models without an entry have none.
    columns : int, optional
        Diagrams in a row.
    limits : Interval or pair of float, optional
        The part of both axes to show.

    Returns
    -------
    array of matplotlib Axes
        One a model, in the order of `records`.

    Examples
    --------
    >>> import properly
    >>> from properly import plots
    >>> e = properly.evaluate([0, 1, 1], {"good": [0.1, 0.8, 0.7], "poor": [0.5, 0.5, 0.6]})
    >>> [ax.get_title() for ax in plots.reliability_grid(e.reliability)]
    ['good', 'poor']
    """
    models = by_name(records, Reliability, MAKER)
    limits = limits or (0, reach_of(models.values()))
    if columns is not None:
        columns = check_whole(columns, "columns")
    axes = _panels(list(models), columns)
    printed = {str(name): parts for name, parts in (decompositions or {}).items()}
    for ax, (name, record) in zip(axes, models.items(), strict=True):
        reliability(record, ax, decomposition=printed.get(name), limits=limits)
        ax.set(xlabel="", ylabel="")
        title_panel(ax, name, TITLE)
    figure = axes[0].figure
    figure.supxlabel("forecast", fontsize="medium")
    figure.supylabel("event rate", fontsize="medium")
    return axes


def draw_models(
    ax: Axes,
    records: Mapping[str, Reliability],
    ink: Mapping[str, Ink],
    histogram: bool | None = None,
    band: bool | None = None,
) -> None:
    """Draw the curves of all models, and of one that is alone its band and its histogram too."""
    alone = len(records) == 1 and not curves(ax)
    ribbons = bands_to_draw(ax, records, band)
    draw_diagonal(ax)
    for name, record in records.items():
        if alone if histogram is None else histogram:
            bars = record.histogram
            draw_bars(ax, bars.lower, bars.upper, bars.weight)
        if name in ribbons:
            draw_band(ax, ribbons[name], ink[name].color)
        _draw_one(ax, record, ink[name], name)
    ax.set(xlabel="forecast", ylabel="event rate")


def draw_bars(ax: Axes, lower: Any, upper: Any, weight: Any) -> None:
    """Stand bars on the lower edge of the picture, wherever that is."""
    # White lines set bars apart, unless they would hide them.
    set_apart = len(weight) < MANY_BARS and np.allclose(lower[1:], upper[:-1])
    ax.bar(
        lower,
        TALLEST * np.asarray(weight) / np.max(weight),
        width=np.subtract(upper, lower),
        align="edge",
        transform=ax.get_xaxis_transform(),
        facecolor=PALE,
        edgecolor="white" if set_apart else PALE,
        linewidth=0.5,
        zorder=0.5,
    )


def draw_numbers(ax: Axes, parts: Decomposition) -> None:
    """Print the three parts in the upper left corner, points below points."""
    digits = digits_for(parts.uncertainty)
    values = (parts.miscalibration, parts.discrimination, parts.uncertainty)
    printed = [number(value, digits) for value in values]
    columns = {
        "MCB\nDSC\nUNC": (4, "left"),
        "\n".join(printed): (30 + 5.4 * max(map(len, printed)), "right"),
    }
    for text, (points, side) in columns.items():
        ax.annotate(
            text,
            (0.02, 0.98),
            (points, -2),
            xycoords="axes fraction",
            textcoords="offset points",
            ha=side,
            va="top",
            fontsize="small",
            linespacing=1.4,
            color=TEXT,
            zorder=4,
        )


def _draw_one(ax: Axes, record: Reliability, ink: Ink, name: str) -> None:
    draw_curve(ax, record.curve(), ink, name, width=1.0)
    bins = record.bins
    if record.discrete:
        dots, height = record.value, record.recalibrated
    else:
        ax.hlines(bins.event_rate, bins.x_min, bins.x_max, color=ink.color, linewidth=2.6, zorder=3)
        single = bins.x_min == bins.x_max
        dots, height = bins.x_min[single], bins.event_rate[single]
    ax.plot(dots, height, "o", color=ink.color, markersize=3.5, zorder=3)


def _panels(names: list[str], columns: int | None) -> np.ndarray[Any, Any]:
    """Lay out square panels, as near to a square as there are models."""
    models, lines = len(names), title_lines(names, TITLE)
    wide = min(models, columns or (models if models <= 3 else math.ceil(math.sqrt(models))))
    high = math.ceil(models / wide)
    height = 2.6 + 0.17 * (lines - 1)
    figure = new_figure(0.5 + 2.4 * wide, 0.5 + height * high, layout="compressed")
    grid = figure.subplots(high, wide, sharex=True, sharey=True, squeeze=False).ravel()
    for ax in grid[:models]:
        open_frame(ax)
    for ax in grid[models:]:
        ax.remove()
    for ax in grid[models - wide : models]:
        ax.tick_params(labelbottom=True)
    return grid[:models]


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
        From `properly.calibration.binned_reliability`. Several show how much the choice of bins
        decides.
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
    >>> plots.binned_reliability(properly.calibration.binned_reliability(t, bins=2)).get_ylabel()
    'event rate'
    """
    records = by_name(
        record, BinnedReliability, "properly.calibration.binned_reliability(tally)", label
    )
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
