"""ROC curves."""

from __future__ import annotations

from typing import TYPE_CHECKING

from properly.decisions._roc import RocCurve
from properly.plots._axes import (
    RIBBON,
    Color,
    Ink,
    bands_to_draw,
    by_name,
    curves,
    draw_curve,
    draw_diagonal,
    draw_legend,
    inks,
    legible,
    number,
    square_axes,
)
from properly.plots._evaluation import draws_evaluation

if TYPE_CHECKING:
    from collections.abc import Mapping

    from matplotlib.axes import Axes

    from properly.decisions._roc import RocBand


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
    records = by_name(curve, RocCurve, "properly.roc_curve(tally)", label)
    ax = square_axes(ax)
    before = len(curves(ax))
    draw_models(ax, records, inks(records, color, before), band)
    for line, (name, record) in zip(curves(ax)[before:], records.items(), strict=True):
        line.set_label(f"{legible(name)}, {area(record)}" if name else area(record))
    draw_legend(ax, "lower right")
    return ax


def draw_models(
    ax: Axes, records: Mapping[str, RocCurve], ink: Mapping[str, Ink], band: bool | None = None
) -> None:
    """Draw the curves of all models, and the band of one that is alone."""
    ribbons = bands_to_draw(ax, records, band)
    draw_diagonal(ax)
    for name, record in records.items():
        if name in ribbons:
            _draw_band(ax, ribbons[name], ink[name].color)
        draw_curve(ax, (record.false_positive_rate, record.true_positive_rate), ink[name], name)
    ax.set(xlabel="false positive rate", ylabel="true positive rate")


def area(record: RocCurve) -> str:
    """Say how large the area is, and of which curve."""
    return f"{'hull area' if record.hull else 'AUC'} {number(record.area, 3)}"


def _draw_band(ax: Axes, band: RocBand, color: str) -> None:
    says = f"{100 * band.level:.4g} % confidence band"
    ax.fill(
        *band.outline(), color=color, alpha=RIBBON, linewidth=0, zorder=1, label=says, gid="band"
    )
