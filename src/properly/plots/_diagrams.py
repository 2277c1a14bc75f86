"""Reliability diagrams, ROC curves, and the triptych that has both beside a Murphy diagram."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from properly._boundary._options import check_whole
from properly.calibration._classical import BinnedReliability
from properly.calibration._reliability import Reliability
from properly.decisions._murphy import MurphyCurve
from properly.decisions._roc import RocCurve
from properly.errors import DataError
from properly.plots._axes import (
    PALE,
    RIBBON,
    Color,
    Ink,
    Limits,
    annotated,
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
    legend_line,
    legible,
    new_figure,
    number,
    open_frame,
    reach_of,
    set_as_text,
    show_limits,
    square_axes,
)
from properly.plots._evaluation import draws_evaluation
from properly.plots._names import title_lines, title_panel
from properly.plots._threshold_curves import draw_scores

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from properly.calibration._decomposition import Decomposition
    from properly.decisions._roc import RocBand


RELIABILITY_MAKER = "properly.reliability(tally)"
BINNED_MAKER = "properly.calibration.binned_reliability(tally)"
ROC_MAKER = "properly.roc_curve(tally)"
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
    records = by_name(record, Reliability, RELIABILITY_MAKER, label)
    if decomposition is not None and len(records) > 1:
        message = f"one decomposition belongs to one curve; got {len(records)} curves"
        raise DataError(message, hint="reliability_grid gives each model a diagram of its own.")
    ax = square_axes(ax, limits, reach_of(records.values()))
    draw_rates(ax, records, inks(records, color, len(curves(ax))), histogram, band)
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
    models = by_name(records, Reliability, RELIABILITY_MAKER)
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


def draw_rates(
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
    height, width = TALLEST * np.asarray(weight) / np.max(weight), np.subtract(upper, lower)
    look: dict[str, Any] = {"facecolor": PALE, "edgecolor": "white" if set_apart else PALE}
    look |= {"linewidth": 0.5, "zorder": 0.5, "transform": ax.get_xaxis_transform()}
    ax.bar(lower, height, width, align="edge", **look)


def draw_numbers(ax: Axes, parts: Decomposition) -> None:
    """Print the three parts in the upper left corner, points below points."""
    digits = digits_for(parts.uncertainty)
    values = (parts.miscalibration, parts.discrimination, parts.uncertainty)
    printed = [number(value, digits) for value in values]
    columns = {
        "MCB\nDSC\nUNC": (4, "left"),
        "\n".join(printed): (30 + 5.4 * max(map(len, printed)), "right"),
    }
    look: dict[str, Any] = {"va": "top", "fontsize": "small", "linespacing": 1.4, "zorder": 4}
    for text, (points, side) in columns.items():
        annotated(ax, text, (0.02, 0.98), (points, -2), "axes fraction", ha=side, **look)


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
    records = by_name(record, BinnedReliability, BINNED_MAKER, label)
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


@draws_evaluation
def roc(
    curve: RocCurve | Mapping[str, RocCurve],
    ax: Axes | None = None,
    *,
    band: bool | None = None,
    color: Color | None = None,
    label: str | None = None,
) -> Axes:
    """Draw the true positive rate against the false positive rate.

    The legend gives the area under the curve, and says whether it is that of the raw curve (AUC) or
    of its concave hull, which is the curve of the recalibrated forecasts and never has the lesser
    area.

    Parameters
    ----------
    curve : RocCurve or dict of RocCurve by model
        From `properly.roc_curve`.
    ax : matplotlib Axes, optional
        Where to draw; a new figure if left out. Limits that its owner has set stay.
    band : bool, optional
        Whether to show the band of the curve, if it has one. Unless said otherwise, only a curve
        that is alone has one.
    color : str or dict of str by model, optional
        Colour of the curve; the next of Okabe and Ito's palette if left out.
    label : str, optional
        Name of a single curve in the legend.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> import properly
    >>> from properly import plots
    >>> t = properly.tally([0, 1, 0, 1], [0.1, 0.3, 0.6, 0.9])
    >>> ax = plots.roc({"raw": properly.roc_curve(t), "hull": properly.roc_curve(t, hull=True)})
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['raw, AUC .750', 'hull, hull area .875']
    """
    records = by_name(curve, RocCurve, ROC_MAKER, label)
    ax = square_axes(ax)
    before = len(curves(ax))
    draw_hits(ax, records, inks(records, color, before), band)
    for line, (name, record) in zip(curves(ax)[before:], records.items(), strict=True):
        line.set_label(f"{legible(name)}, {area(record)}" if name else area(record))
    draw_legend(ax, "lower right")
    return ax


def draw_hits(
    ax: Axes, records: Mapping[str, RocCurve], ink: Mapping[str, Ink], band: bool | None = None
) -> None:
    """Draw the curves of all models, and the band of one that is alone."""
    ribbons = bands_to_draw(ax, records, band)
    draw_diagonal(ax)
    for name, record in records.items():
        if name in ribbons:
            _draw_roc_band(ax, ribbons[name], ink[name].color)
        draw_curve(ax, (record.false_positive_rate, record.true_positive_rate), ink[name], name)
    ax.set(xlabel="false positive rate", ylabel="true positive rate")


def area(record: RocCurve) -> str:
    """Say how large the area is, and of which curve."""
    return f"{'hull area' if record.hull else 'AUC'} {number(record.area, 3)}"


def _draw_roc_band(ax: Axes, band: RocBand, color: str) -> None:
    says = f"{100 * band.level:.4g} % confidence band"
    ax.fill(
        *band.outline(), color=color, alpha=RIBBON, linewidth=0, zorder=1, label=says, gid="band"
    )


@draws_evaluation
def triptych(
    murphy: MurphyCurve | Mapping[str, MurphyCurve],
    reliability: Reliability | Mapping[str, Reliability],
    roc: RocCurve | Mapping[str, RocCurve],
    *,
    limits: Limits | None = None,
) -> tuple[Axes, Axes, Axes]:
    """Draw Murphy, reliability and ROC diagrams side by side.

    Parameters
    ----------
    murphy : MurphyCurve or dict of MurphyCurve by model
        How good the forecasts are, at each threshold.
    reliability : Reliability or dict of Reliability by model
        Whether they mean what they say.
    roc : RocCurve or dict of RocCurve by model
        How well they tell events from non-events.
    limits : Interval or pair of float, optional
        The part of the thresholds and of the forecasts to show; the ROC diagram is always whole.

    Returns
    -------
    tuple of three matplotlib Axes

    Notes
    -----
    A model has one colour in all three, and there is one legend. Bands and the histogram of the
    forecasts are drawn for a model that is alone.

    References
    ----------
    .. [1] T. Dimitriadis, T. Gneiting, A. I. Jordan, P. Vogel (2024). Evaluating probabilistic
       classifiers: the triptych. International Journal of Forecasting 40:1101-1122.
       `doi:10.1016/j.ijforecast.2023.09.007 <https://doi.org/10.1016/j.ijforecast.2023.09.007>`__

    Examples
    --------
    >>> import properly
    >>> from properly import plots
    >>> t = properly.tally([0, 1, 0, 1], [0.1, 0.3, 0.6, 0.9])
    >>> axes = plots.triptych(
    ...     properly.murphy_curve(t), properly.reliability(t), properly.roc_curve(t)
    ... )
    >>> [ax.get_title() for ax in axes]
    ['Murphy diagram', 'Reliability diagram', 'ROC curve']
    """
    scores = by_name(murphy, MurphyCurve, "properly.murphy_curve(tally)")
    rates = by_name(reliability, Reliability, RELIABILITY_MAKER)
    hits = by_name(roc, RocCurve, ROC_MAKER)
    left, middle, right = _three_panels()
    # One ink a model, whatever the order of each dict.
    ink = inks(dict.fromkeys([*scores, *rates, *hits]))
    draw_scores(left, scores, ink)
    show_limits(left, limits)
    middle = square_axes(middle, limits, reach_of(rates.values()))
    draw_rates(middle, rates, ink)
    draw_hits(square_axes(right), hits, ink)
    _draw_areas(right, hits)
    if any(ink):
        _draw_names(right, ink)
    return left, middle, right


def _three_panels() -> tuple[Axes, Axes, Axes]:
    left, middle, right = new_figure(10.5, 4.1, layout="compressed").subplots(1, 3)
    titles = ("Murphy diagram", "Reliability diagram", "ROC curve")
    for ax, title in zip((left, middle, right), titles, strict=True):
        open_frame(ax)
        ax.set_title(title, fontsize="medium")
    left.set_box_aspect(1)
    return left, middle, right


def _draw_areas(ax: Axes, records: Mapping[str, RocCurve]) -> None:
    """Print the areas in the colours of their curves, which are named elsewhere."""
    for line, record in zip(curves(ax), records.values(), strict=True):
        line.set_label(area(record))
    draw_legend(ax, "lower right", handlelength=0, handletextpad=0, labelcolor="linecolor")


def _draw_names(ax: Axes, ink: Mapping[str, Ink]) -> None:
    """Name the models once, below all panels."""
    handles = [
        legend_line(color=color, linestyle=style, linewidth=1.6, label=legible(name))
        for name, (color, style) in ink.items()
    ]
    columns = min(len(handles), max(1, 120 // max(len(h.get_label()) + 6 for h in handles)))
    place: dict[str, Any] = {"loc": "outside lower center", "ncols": columns, "frameon": False}
    legend = ax.figure.legend(handles=handles, **place)
    set_as_text(legend.get_texts())
