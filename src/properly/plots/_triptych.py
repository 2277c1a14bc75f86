"""Three pictures of the same models: scores, calibration, discrimination."""

from __future__ import annotations

from typing import TYPE_CHECKING

from properly._boundary._notices import import_extra
from properly.calibration._reliability import Reliability
from properly.decisions._murphy import MurphyCurve
from properly.decisions._roc import RocCurve
from properly.plots import _murphy, _reliability, _roc
from properly.plots._axes import (
    Ink,
    Limits,
    by_name,
    curves,
    draw_legend,
    inks,
    legible,
    new_figure,
    open_frame,
    reach_of,
    set_as_text,
    show_limits,
    square_axes,
)
from properly.plots._evaluation import draws_evaluation

if TYPE_CHECKING:
    from collections.abc import Mapping

    from matplotlib.axes import Axes


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
    rates = by_name(reliability, Reliability, _reliability.MAKER)
    hits = by_name(roc, RocCurve, "properly.roc_curve(tally)")
    left, middle, right = _three_panels()
    # One ink a model, whatever the order of each dict.
    ink = inks(dict.fromkeys([*scores, *rates, *hits]))
    _murphy.draw_models(left, scores, ink)
    show_limits(left, limits)
    middle = square_axes(middle, limits, reach_of(rates.values()))
    _reliability.draw_models(middle, rates, ink)
    _roc.draw_models(square_axes(right), hits, ink)
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
        line.set_label(_roc.area(record))
    draw_legend(ax, "lower right", handlelength=0, handletextpad=0, labelcolor="linecolor")


def _draw_names(ax: Axes, ink: Mapping[str, Ink]) -> None:
    """Name the models once, below all panels."""
    lines = import_extra("matplotlib.lines", extra="plots")
    handles = [
        lines.Line2D([], [], color=color, linestyle=style, linewidth=1.6, label=legible(name))
        for name, (color, style) in ink.items()
    ]
    legend = ax.figure.legend(
        handles=handles,
        loc="outside lower center",
        ncols=min(len(handles), max(1, 120 // max(len(h.get_label()) + 6 for h in handles))),
        frameon=False,
    )
    set_as_text(legend.get_texts())
