"""Reliability diagrams, ROC curves, the triptych, and miscalibration against discrimination."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias, get_args

import numpy as np

from properly._boundary._options import check_choice, check_whole
from properly.calibration._decomposition import Decomposition
from properly.calibration._reliability import BinnedReliability, Reliability
from properly.decisions._grid import round_step, step_decimals
from properly.decisions._murphy import MurphyCurve
from properly.decisions._roc import RocCurve
from properly.errors import DataError
from properly.plots import _axes
from properly.plots._axes import GREY, PALE, Color, Ink, Limits, Picture, by_name, inks
from properly.plots._evaluation import draws_evaluation
from properly.plots._names import Box, digits_for, legible, number, title_lines
from properly.plots._threshold_curves import draw_scores

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.text import Annotation


Part: TypeAlias = Literal["miscalibration", "discrimination"]
RELIABILITY_MAKER = "properly.reliability(tally)"
ROC_MAKER = "properly.roc_curve(tally)"
# Inches of a square picture.
SQUARE = 4.2, 4.2
# Powers of ten that are named beside a logarithmic histogram; points across a bar of a band.
NAMED, BAR = 4, 5
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
    histogram: bool | Literal["log"] | None = None,
    part: Part = "miscalibration",
    color: Color | None = None,
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
    histogram : bool or {"log"}, optional
        Whether to show the distribution of the forecasts; its tallest bar has a fifth of the height
        of the picture. On the scale ``"log"``, white lines at 1, 10, 100, … cases cross the bars,
        so that forecasts that are rare can be seen too. By default only a single model has one.
    part : {"miscalibration", "discrimination"}
        Whether to look at the distance of the curve from the diagonal, or from a flat line: the
        latter has no consistency band, but lines at the event rate (dashed) and, for a single
        model, at the mean forecast; on the right it has the distribution of the recalibrated
        forecasts, one bar per bin of the curve. The further they are from the event rate, the more
        the forecasts discriminate.
    color : str or dict of str by model, optional
        Colour of the curve; the next of Okabe and Ito's palette if left out.
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
    >>> record = properly.reliability(t)
    >>> plots.reliability(record).get_xlabel()
    'forecast'
    >>> ax = plots.reliability(record, part="discrimination", histogram="log")
    >>> [text.get_text() for text in ax.texts]
    ['1 case']
    """
    records = by_name(record, Reliability, RELIABILITY_MAKER)
    if decomposition is not None and len(records) > 1:
        message = f"one decomposition belongs to one curve; got {len(records)} curves"
        raise DataError(message, hint="reliability_grid gives each model a diagram of its own.")
    check_choice(part, get_args(Part), "part")
    if isinstance(histogram, str):
        check_choice(histogram, ("log",), "histogram")
    picture = Picture(ax, *SQUARE)
    picture.square(limits, _axes.reach_of(records.values()))
    draw_rates(picture, records, inks(records, color, len(picture.curves)), histogram, part)
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
    histogram: bool | Literal["log"] | None = None,
    part: Part = "miscalibration",
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
    histogram, part
        As in `reliability`.
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
    limits = limits or (0, _axes.reach_of(models.values()))
    if columns is not None:
        columns = check_whole(columns, "columns")
    names, size = list(models), (2.4, 2.43 + 0.17 * title_lines(models, TITLE))
    look: dict[str, Any] = {"title": TITLE, "layout": "compressed", "sharex": True}
    axes = _axes.panels(names, columns, size, (0.5, 0.5), **look)
    printed = {str(name): parts for name, parts in (decompositions or {}).items()}
    look = {"histogram": histogram, "part": part, "limits": limits}
    for ax, (name, record) in zip(axes, models.items(), strict=True):
        reliability(record, ax, decomposition=printed.get(name), **look)
        ax.set(xlabel="", ylabel="")
    figure = axes[0].figure
    figure.supxlabel("forecast", fontsize="medium")
    figure.supylabel("event rate", fontsize="medium")
    return axes


def draw_rates(
    picture: Picture,
    records: Mapping[str, Reliability],
    ink: Mapping[str, Ink],
    histogram: bool | Literal["log"] | None = None,
    part: Part = "miscalibration",
) -> None:
    """Draw the curves of all models, and of one that is alone its band and its histogram too."""
    alone, log = len(records) == 1 and not picture.curves, histogram == "log"
    ribbons, shown = picture.bands(records), alone if histogram is None else bool(histogram)
    picture.draw_diagonal()
    for name, record in records.items():
        if shown:
            bars = record.histogram
            draw_bars(picture.ax, bars.lower, bars.upper, bars.weight, log=log)
            if log and alone:
                # Left of the bars that the right edge has then.
                _name_decades(picture, bars.weight, 1 - TALLEST * (part == "discrimination"))
        if part == "discrimination":
            _draw_discrimination(picture, record, ink[name], alone=alone, shown=shown, log=log)
        if name in ribbons and (part, ribbons[name].kind) != ("discrimination", "consistency"):
            picture.draw_band(ribbons[name], ink[name].color)
        _draw_rate(picture, record, ink[name], name)
    picture.ax.set(xlabel="forecast", ylabel="event rate")


def draw_bars(ax: Axes, lower: Any, upper: Any, weight: Any, *, log: bool = False) -> None:
    """Stand bars on the lower edge of the picture, wherever that is."""
    # White lines set bars apart, unless they would hide them.
    set_apart = len(weight) < MANY_BARS and np.allclose(lower[1:], upper[:-1])
    height, width = _heights(weight, weight, log=log), np.subtract(upper, lower)
    look: dict[str, Any] = {"facecolor": PALE, "edgecolor": "white" if set_apart else PALE}
    look |= {"linewidth": 0.5, "zorder": 0.5, "transform": ax.get_xaxis_transform()}
    ax.bar(lower, height, width, align="edge", **look)


def _heights(amount: Any, weight: Any, *, log: bool) -> Any:
    """Return shares of the picture for amounts, the largest of the weights having `TALLEST`.

    A logarithmic scale begins at half a case, or at half of the least weight that is below 1.
    """
    amount, most = np.asarray(amount), np.max(weight)
    if not log:
        return TALLEST * amount / most
    least = np.min(weight, where=np.greater(weight, 0), initial=1.0) / 2
    return TALLEST * np.log(np.maximum(amount, least) / least) / math.log(most / least)


def _name_decades(picture: Picture, weight: Any, right: float) -> None:
    """Draw white lines across logarithmic bars at powers of ten, and name about four of these."""
    powers = 10.0 ** np.arange(-9, 16)
    height = _heights(powers, weight, log=True)
    inside = (height > 0) & (height <= TALLEST)
    powers, height = powers[inside], height[inside]
    look: dict[str, Any] = {"color": "white", "linewidth": 0.5, "zorder": 0.6}
    picture.ax.hlines(height, 0, 1, transform=picture.ax.transAxes, **look)
    look = {"fontsize": "x-small", "ha": "right", "va": "center", "zorder": 4}
    step = max(1, math.ceil(len(powers) / NAMED))
    for k, (power, up) in enumerate(zip(powers[::-step], height[::-step], strict=True)):
        unit = "" if k else " case" if power == 1 else " cases"
        picture.write(f"{power:,.12g}{unit}", (right, up), (-2, 0), "axes fraction", **look)


def _draw_discrimination(
    picture: Picture, record: Reliability, ink: Ink, *, alone: bool, shown: bool, log: bool
) -> None:
    """Draw what a curve is above and below, and how recalibrated forecasts are distributed."""
    ax, bins = picture.ax, record.bins
    # Several models of the same cases have one event rate.
    look: dict[str, Any] = {"color": ink.color if alone else GREY, "zorder": 1.6, "linewidth": 1.0}
    ax.axhline(record.event_rate, linestyle="--", **look)
    if alone:
        ax.axvline(record.mean_forecast, **look | {"color": PALE})
        x, y = record.mean_forecast, record.event_rate
        words = {mean: f"mean {number(mean, digits_for(mean) - 1)}" for mean in (x, y)}
        picture.write_side("top", {x: words[x]}, labelsize="small")
        picture.write_side("right", {y: words[y]}, labelsize="small")
    if shown:
        left = 1 - _heights(bins.weight, bins.weight, log=log)
        look |= {"color": ink.color, "linewidth": 2, "alpha": 0.5}
        ax.hlines(bins.event_rate, left, 1, transform=ax.get_yaxis_transform(), **look)


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
    picture.draw_curve(record.curve(), ink, name, linewidth=1.0)
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
    record: BinnedReliability | Mapping[str, BinnedReliability], ax: Axes | None = None
) -> Axes:
    """Draw the event rate of each bin against its mean forecast.

    A consistency band, of bins that are alone, is drawn as a bar per bin: calibrated forecasts
    would have their event rate in there.

    Parameters
    ----------
    record : BinnedReliability or dict of BinnedReliability by name
        From `properly.calibration.binned_reliability`. Several show how much the choice of bins
        decides.
    ax : matplotlib Axes, optional
        Where to draw; a new figure if left out. Limits that its owner has set stay.

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
    records = by_name(record, BinnedReliability, maker)
    picture = Picture(ax, *SQUARE)
    picture.square()
    alone = len(records) == 1 and not picture.curves
    ink, bands = inks(records, None, len(picture.curves)), picture.bands(records)
    picture.draw_diagonal()
    for name, one in records.items():
        if name in bands:
            picture.draw_band(bands[name], ink[name].color, BAR)
        if alone:
            upper = np.maximum(one.upper, one.lower + THINNEST)
            draw_bars(picture.ax, one.lower, upper, one.weight)
        corners = one.mean_forecast, one.event_rate
        picture.draw_curve(corners, ink[name], name, linewidth=1.0)
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
    color: Color | None = None,
    precision_recall: bool = False,
) -> Axes:
    """Draw hits against false alarms (ROC), or precision against recall.

    The legend gives the area under the curve, and says whether it is that of the raw curve (AUC) or
    of its concave hull, which is the curve of the recalibrated forecasts and never has the lesser
    area. The area under a precision-recall curve is the average precision; its steps are not
    joined by straight lines, which no forecasts reach. Grey is what forecasts have that say
    nothing: the diagonal, and the event rate.

    Parameters
    ----------
    curve : RocCurve or dict of RocCurve by model
        From `properly.roc_curve`.
    ax : matplotlib Axes, optional
        Where to draw; a new figure if left out. Limits that its owner has set stay.
    color : str or dict of str by model, optional
        Colour of the curve; the next of Okabe and Ito's palette if left out.
    precision_recall : bool
        Draw the precision-recall curve of the same cases.

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
    records = by_name(curve, RocCurve, ROC_MAKER)
    picture = Picture(ax, *SQUARE)
    picture.square()
    draw, say = (draw_precision, average) if precision_recall else (draw_hits, area)
    draw(picture, records, inks(records, color, len(picture.curves)))
    for line, (name, record) in zip(picture.curves[-len(records) :], records.items(), strict=True):
        line.set_label(f"{legible(name)}, {say(record)}" if name else say(record))
    # Where precision is low, the curves leave the upper half free.
    low = precision_recall and max(x.average_precision for x in records.values()) < 0.5
    picture.name_curves("upper right" if low else "lower right")
    return picture.ax


def draw_hits(picture: Picture, records: Mapping[str, RocCurve], ink: Mapping[str, Ink]) -> None:
    """Draw the curves of all models, and the band of one that is alone."""
    ribbons = picture.bands(records)
    picture.draw_diagonal()
    rates = attrgetter("false_positive_rate", "true_positive_rate")
    picture.draw_curves(records, ink, rates, ribbons)
    picture.ax.set(xlabel="false positive rate", ylabel="true positive rate")


def draw_precision(
    picture: Picture, records: Mapping[str, RocCurve], ink: Mapping[str, Ink]
) -> None:
    """Draw precision against recall, in steps, and the event rate."""
    for name, band in picture.bands(records).items():
        # Both ends of the polygon are those without alarms, which have no precision.
        x, y = (corners[1:-1] for corners in band.outline())
        picture.draw_band(band, ink[name].color, 0, y, records[name].precision_at(x, y))
    for name, record in records.items():
        picture.ax.axhline(record.event_rate, color=GREY, linewidth=0.8, zorder=1.5)
        corners = record.true_positive_rate, record.precision
        picture.draw_curve(corners, ink[name], name, drawstyle="steps-pre")
    picture.ax.set(xlabel="recall (true positive rate)", ylabel="precision")


def average(record: RocCurve) -> str:
    """Say how large the average precision is."""
    return f"average precision {number(record.average_precision, 3)}"


def area(record: RocCurve) -> str:
    """Say how large the area is, and of which curve."""
    return f"{'hull area' if record.hull else 'AUC'} {number(record.area, 3)}"


@draws_evaluation
def triptych(
    murphy: MurphyCurve | Mapping[str, MurphyCurve],
    reliability: Reliability | Mapping[str, Reliability],
    roc: RocCurve | Mapping[str, RocCurve],
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
    left.show_limits(None)
    middle.square(None, _axes.reach_of(rates.values()))
    draw_rates(middle, rates, ink)
    right.square()
    draw_hits(right, hits, ink)
    # The areas, in the colours of their curves, which are named below all panels.
    for line, record in zip(right.curves, hits.values(), strict=True):
        line.set_label(area(record))
    look = {"handlelength": 0, "handletextpad": 0, "labelcolor": "linecolor"}
    right.name_curves("lower right", **look)
    if any(ink):
        # The models are named once, below all panels.
        handles = [
            _axes.legend_line(color=color, linestyle=style, linewidth=1.6, label=legible(name))
            for name, (color, style) in ink.items()
        ]
        Picture(right.ax, own=True).draw_key(handles, in_rows=True, fontsize=None)
    return left.ax, middle.ax, right.ax


def _three_panels() -> tuple[Picture, Picture, Picture]:
    axes = _axes.new_figure(10.5, 4.1, layout="compressed").subplots(1, 3)
    titles = ("Murphy diagram", "Reliability diagram", "ROC curve")
    for ax, title in zip(axes, titles, strict=True):
        _axes.open_frame(ax)
        ax.set_title(title, fontsize="medium")
    axes[0].set_box_aspect(1)
    return Picture(axes[0]), Picture(axes[1]), Picture(axes[2])


FAINT = "#C9CCD1"
# Beyond the farthest point, and lines of equal score at most.
BEYOND, LINES = 1.12, 7


class Isoline(NamedTuple):
    """A line of equal score: its ends, its score, and the decimals that show it."""

    start: tuple[float, float]
    end: tuple[float, float]
    score: float
    digits: int


class ScorePlane(NamedTuple):
    """What a picture shows: from 0 to these, with lines around the score of no skill."""

    right: float
    top: float
    uncertainty: float

    def isolines(self) -> list[Isoline]:
        """Choose round scores, none so near to that of no skill that two labels would collide."""
        least, most = max(self.uncertainty - self.top, 0.0), self.uncertainty + self.right
        step = round_step((most - least) / LINES)
        digits = step_decimals(step)
        first, last = math.ceil(least / step - 1e-9), math.floor(most / step + 1e-9)
        scores = [k * step for k in range(first, last + 1)]
        apart = [x for x in scores if abs(x - self.uncertainty) > 0.6 * step]
        lines = [self._isoline(x, digits) for x in apart]
        return [*lines, self._isoline(self.uncertainty, digits_for(self.uncertainty))]

    def _isoline(self, score: float, digits: int) -> Isoline:
        height = self.uncertainty - score  # of the line, where the miscalibration is zero
        start, end = max(0.0, -height), min(self.right, self.top - height)
        return Isoline((start, start + height), (end, end + height), score, digits)

    def bars(self, parts: Decomposition) -> list[Box]:
        """Return left, bottom, right and top of the bars across a point, if it has intervals."""
        if parts.intervals is None:
            return []
        x, y = min(parts.miscalibration, self.right), parts.discrimination
        left, right = (min(max(end, 0.0), self.right) for end in parts.intervals.miscalibration)
        bottom, top = (min(max(end, 0.0), self.top) for end in parts.intervals.discrimination)
        bars = [(left, y, right, y), (x, bottom, x, top)]
        return [bar for bar in bars if not any(map(math.isnan, bar))]


def plane_of(models: Iterable[Decomposition]) -> ScorePlane:
    """Make room for all finite points and intervals."""
    models = list(models)
    ends = [x.intervals for x in models if x.intervals is not None]
    right = _farthest([x.miscalibration for x in models] + [x.miscalibration[1] for x in ends])
    top = _farthest([x.discrimination for x in models] + [x.discrimination[1] for x in ends])
    uncertainty = max(x.uncertainty for x in models)
    other = right or top or uncertainty or 1.0
    return ScorePlane(BEYOND * (right or other), BEYOND * (top or other), uncertainty)


def _farthest(values: Iterable[float]) -> float:
    return max((value for value in values if math.isfinite(value)), default=0.0)


@draws_evaluation
def mcb_dsc(
    decompositions: Decomposition | Mapping[str, Decomposition], ax: Axes | None = None
) -> Axes:
    """Draw the miscalibration of each model against its discrimination.

    Good models lie high and to the left. Models on one grey line have the same mean score, which is
    written at its end: ``score = MCB - DSC + UNC``. The thicker line through the origin is that of
    the constant event rate (UNC); forecasts below it are worse than that. A triangle on the right
    edge is a model whose miscalibration is infinite.

    Parameters
    ----------
    decompositions : dict of Decomposition by model
        From `properly.decompose`, with one rule and the same cases. Intervals, where there are
        any, are thin bars. They allow for the noise that recalibration fits too; a point that lies
        outside its bar for this reason is joined to it by dots.
    ax : matplotlib Axes, optional
        Where to draw; a new figure if left out. Its limits are set.

    Returns
    -------
    matplotlib Axes

    References
    ----------
    .. [1] T. Dimitriadis, T. Gneiting, A. I. Jordan, P. Vogel (2024). Evaluating probabilistic
       classifiers: the triptych. International Journal of Forecasting 40:1101-1122.
       `doi:10.1016/j.ijforecast.2023.09.007 <https://doi.org/10.1016/j.ijforecast.2023.09.007>`__

    Examples
    --------
    >>> import properly
    >>> from properly import plots
    >>> e = properly.evaluate([0, 1, 1], {"good": [0.1, 0.8, 0.7], "poor": [0.5, 0.5, 0.6]})
    >>> ax = plots.mcb_dsc({name: rules["brier"] for name, rules in e.decompositions.items()})
    >>> [text.get_text() for text in ax.texts]
    ['good', 'poor']
    """
    models = by_name(decompositions, Decomposition, "properly.decompose(tally, rule)")
    picture = Picture(ax, 4.9, 4.4)
    uncertainty = (parts.uncertainty for parts in models.values())
    _axes.require_one(uncertainty, "uncertainty", relative=True)
    plane = plane_of(models.values())
    picture.ax.set(xlim=(0, plane.right), ylim=(0, plane.top))
    picture.ax.set(xlabel="miscalibration (MCB)", ylabel="discrimination (DSC)")
    _draw_isolines(picture, plane)
    texts = [
        _draw_model(picture, plane, name, models[name], ink.color)
        for name, ink in inks(models).items()
    ]
    picture.place_names(texts, [box for parts in models.values() for box in plane.bars(parts)])
    return picture.ax


def _draw_isolines(picture: Picture, plane: ScorePlane) -> None:
    """Draw lines of equal score, with the score where each leaves the picture."""
    # Above the picture and beside it.
    sides: tuple[dict[float, str], dict[float, str]] = {}, {}
    for line in plane.isolines():
        no_skill = line.score == plane.uncertainty
        color, width = (GREY, 1.2) if no_skill else (FAINT, 0.6)
        corners: Any = zip(line.start, line.end, strict=True)
        picture.ax.plot(*corners, zorder=1, gid="isoline", color=color, linewidth=width)
        side = line.end[0] >= plane.right
        sides[side][line.end[side]] = "UNC " * no_skill + number(line.score, line.digits)
    look = {"labelsize": "x-small", "labelcolor": GREY, "pad": 2}
    upper = picture.write_side("top", sides[0], **look)
    picture.write_side("right", sides[1], **look)
    upper.set_xlabel("mean score", fontsize="x-small", color=GREY, loc="left")


def _draw_model(
    picture: Picture, plane: ScorePlane, name: str, parts: Decomposition, color: str
) -> Annotation:
    """Draw one point with its bars, and return its name, which is yet to be placed."""
    ax, infinite = picture.ax, math.isinf(parts.miscalibration)
    x, y = plane.right if infinite else parts.miscalibration, parts.discrimination
    thin: dict[str, Any] = {"color": color, "linewidth": 0.8, "zorder": 2}
    for left, bottom, right, top in plane.bars(parts):
        ax.plot([left, right], [bottom, top], gid="interval", **thin)
        nearest = min(max(x, left), right), min(max(y, bottom), top)
        if nearest != (x, y):
            ax.plot([nearest[0], x], [nearest[1], y], linestyle=":", **thin)
    marker, size = (">", 7) if infinite else ("o", 5.5)
    look: dict[str, Any] = {"color": color, "zorder": 3, "clip_on": False, "gid": "model"}
    ax.plot(x, y, marker=marker, markersize=size, **look)
    paper = {"boxstyle": "square,pad=0.1", "facecolor": "white", "alpha": 0.8, "linewidth": 0}
    said = legible(name) + " (MCB ∞)" * infinite
    return picture.write(said, (x, y), fontsize="small", bbox=paper)
