"""Reliability diagrams, ROC curves, and the triptych that has both beside a Murphy diagram."""

from __future__ import annotations

from collections.abc import Mapping
from operator import attrgetter
from typing import TYPE_CHECKING, Any

import numpy as np

from properly._boundary._options import check_whole
from properly.calibration._reliability import BinnedReliability, Reliability
from properly.decisions._murphy import MurphyCurve
from properly.decisions._roc import RocCurve
from properly.errors import DataError
from properly.plots import _axes
from properly.plots._axes import PALE, Color, Ink, Limits, Picture, by_name, inks, reach_of
from properly.plots._evaluation import draws_evaluation
from properly.plots._names import digits_for, legible, number, title_lines
from properly.plots._threshold_curves import draw_scores

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from properly.calibration._decomposition import Decomposition


RELIABILITY_MAKER = "properly.reliability(tally)"
ROC_MAKER = "properly.roc_curve(tally)"
# Inches of a square picture.
SQUARE = 4.2, 4.2
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
    picture = Picture(ax, *SQUARE)
    picture.square(limits, reach_of(records.values()))
    draw_rates(picture, records, inks(records, color, len(picture.curves)), histogram, band)
    if decomposition is not None:
        draw_numbers(picture, decomposition)
    if isinstance(record, Mapping):
        picture.name_curves(picture.emptier_corner() if decomposition is None else "center right")
    return picture.ax


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
    names, size = list(models), (2.4, 2.43 + 0.17 * title_lines(models, TITLE))
    look: dict[str, Any] = {"title": TITLE, "layout": "compressed", "sharex": True}
    axes = _axes.panels(names, columns, size, (0.5, 0.5), **look)
    printed = {str(name): parts for name, parts in (decompositions or {}).items()}
    for ax, (name, record) in zip(axes, models.items(), strict=True):
        reliability(record, ax, decomposition=printed.get(name), limits=limits)
        ax.set(xlabel="", ylabel="")
    figure = axes[0].figure
    figure.supxlabel("forecast", fontsize="medium")
    figure.supylabel("event rate", fontsize="medium")
    return axes


def draw_rates(
    picture: Picture,
    records: Mapping[str, Reliability],
    ink: Mapping[str, Ink],
    histogram: bool | None = None,
    band: bool | None = None,
) -> None:
    """Draw the curves of all models, and of one that is alone its band and its histogram too."""
    alone = len(records) == 1 and not picture.curves
    ribbons = picture.bands(records, band)
    picture.draw_diagonal()
    for name, record in records.items():
        if alone if histogram is None else histogram:
            bars = record.histogram
            draw_bars(picture.ax, bars.lower, bars.upper, bars.weight)
        if name in ribbons:
            picture.draw_band(ribbons[name], ink[name].color)
        _draw_rate(picture, record, ink[name], name)
    picture.ax.set(xlabel="forecast", ylabel="event rate")


def draw_bars(ax: Axes, lower: Any, upper: Any, weight: Any) -> None:
    """Stand bars on the lower edge of the picture, wherever that is."""
    # White lines set bars apart, unless they would hide them.
    set_apart = len(weight) < MANY_BARS and np.allclose(lower[1:], upper[:-1])
    height, width = TALLEST * np.asarray(weight) / np.max(weight), np.subtract(upper, lower)
    look: dict[str, Any] = {"facecolor": PALE, "edgecolor": "white" if set_apart else PALE}
    look |= {"linewidth": 0.5, "zorder": 0.5, "transform": ax.get_xaxis_transform()}
    ax.bar(lower, height, width, align="edge", **look)


def draw_numbers(picture: Picture, parts: Decomposition) -> None:
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
        picture.write(text, (0.02, 0.98), (points, -2), "axes fraction", ha=side, **look)


def _draw_rate(picture: Picture, record: Reliability, ink: Ink, name: str) -> None:
    picture.draw_curve(record.curve(), ink, name, width=1.0)
    ax, bins = picture.ax, record.bins
    look: dict[str, Any] = {"color": ink.color, "zorder": 3}
    if record.discrete:
        dots, height = record.value, record.recalibrated
    else:
        ax.hlines(bins.event_rate, bins.x_min, bins.x_max, linewidth=2.6, **look)
        single = bins.x_min == bins.x_max
        dots, height = bins.x_min[single], bins.event_rate[single]
    ax.plot(dots, height, "o", markersize=3.5, **look)


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
    maker = "properly.calibration.binned_reliability(tally)"
    records = by_name(record, BinnedReliability, maker, label)
    picture = Picture(ax, *SQUARE)
    picture.square(limits)
    alone = len(records) == 1 and not picture.curves
    ink = inks(records, color, len(picture.curves))
    picture.draw_diagonal()
    for name, one in records.items():
        if alone if histogram is None else histogram:
            upper = np.maximum(one.upper, one.lower + THINNEST)
            draw_bars(picture.ax, one.lower, upper, one.weight)
        corners = one.mean_forecast, one.event_rate
        picture.draw_curve(corners, ink[name], name, width=1.0)
        picture.ax.plot(*corners, "o", color=ink[name].color, markersize=4)
    picture.ax.set(xlabel="forecast", ylabel="event rate")
    if isinstance(record, Mapping):
        picture.name_curves(picture.emptier_corner())
    return picture.ax


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
    picture = Picture(ax, *SQUARE)
    picture.square()
    draw_hits(picture, records, inks(records, color, len(picture.curves)), band)
    for line, (name, record) in zip(picture.curves[-len(records) :], records.items(), strict=True):
        line.set_label(f"{legible(name)}, {area(record)}" if name else area(record))
    picture.name_curves("lower right")
    return picture.ax


def draw_hits(
    picture: Picture,
    records: Mapping[str, RocCurve],
    ink: Mapping[str, Ink],
    band: bool | None = None,
) -> None:
    """Draw the curves of all models, and the band of one that is alone."""
    ribbons = picture.bands(records, band)
    picture.draw_diagonal()
    rates = attrgetter("false_positive_rate", "true_positive_rate")
    picture.draw_curves(records, ink, rates, ribbons)
    picture.ax.set(xlabel="false positive rate", ylabel="true positive rate")


def area(record: RocCurve) -> str:
    """Say how large the area is, and of which curve."""
    return f"{'hull area' if record.hull else 'AUC'} {number(record.area, 3)}"


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
    left.show_limits(limits)
    middle.square(limits, reach_of(rates.values()))
    draw_rates(middle, rates, ink)
    right.square()
    draw_hits(right, hits, ink)
    # The areas, in the colours of their curves, which are named below all panels.
    for line, record in zip(right.curves, hits.values(), strict=True):
        line.set_label(area(record))
    look = {"handlelength": 0, "handletextpad": 0, "labelcolor": "linecolor"}
    right.name_curves("lower right", **look)
    if any(ink):
        _draw_names(right, ink)
    return left.ax, middle.ax, right.ax


def _three_panels() -> tuple[Picture, Picture, Picture]:
    axes = _axes.new_figure(10.5, 4.1, layout="compressed").subplots(1, 3)
    titles = ("Murphy diagram", "Reliability diagram", "ROC curve")
    for ax, title in zip(axes, titles, strict=True):
        _axes.open_frame(ax)
        ax.set_title(title, fontsize="medium")
    axes[0].set_box_aspect(1)
    return Picture(axes[0]), Picture(axes[1]), Picture(axes[2])


def _draw_names(picture: Picture, ink: Mapping[str, Ink]) -> None:
    """Name the models once, below all panels."""
    handles = [
        _axes.legend_line(color=color, linestyle=style, linewidth=1.6, label=legible(name))
        for name, (color, style) in ink.items()
    ]
    columns = min(len(handles), max(1, 120 // max(len(h.get_label()) + 6 for h in handles)))
    picture.legend(handles, "outside lower center", ncols=columns, fontsize=None)
