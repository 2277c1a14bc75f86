"""Retention curves: how good decisions are on the cases that are left."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from properly._boundary._extras import import_extra
from properly._boundary._options import check_flag
from properly.decisions._retention import ORACLE
from properly.decisions._retention_areas import Retention, RetentionStudy
from properly.errors import DataError
from properly.plots._axes import (
    GREY,
    RIBBON,
    Color,
    Ink,
    curves,
    draw_curve,
    inks,
    plain_axes,
    set_as_text,
)
from properly.plots._ends import name_ends
from properly.plots._words import by_name, legible

if TYPE_CHECKING:
    from collections.abc import Mapping

    from matplotlib.axes import Axes

Bounds: TypeAlias = tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]

# Of more than two, nobody can tell whose a ribbon is.
BANDS = 2
MAKER = "properly.retention_curve(scores, y, P)"
# What is drawn upwards, and which way is better.
HEIGHT = {
    "quadratic_weighted_kappa": "quadratic weighted kappa\n(higher is better)",
    "expected_cost": "expected cost\n(lower is better)",
}


def retention(
    record: RetentionStudy | Retention | Mapping[str, Retention],
    ax: Axes | None = None,
    *,
    color: Color | None = None,
    label: str | None = None,
    band: bool = False,
) -> Axes:
    """Draw a metric of the cases that are left once the worst are removed.

    The worst are those with the highest scores. One line is one score by which cases were removed.
    The oracle, which removes them by the cost of the decision itself, is a dashed grey line: how
    close a line comes to it says how alike the score and that cost rank the cases, not how good a
    score it is.

    Parameters
    ----------
    record : RetentionStudy, Retention or dict of Retention by score
        From `properly.retention_study` or `properly.retention_curve`, of one metric.
    ax : matplotlib Axes, optional
        Where to draw, as often as there are curves; a new figure if left out. Limits that its
        owner has set stay.
    color : str or dict of str by score, optional
        Colour of the curves; the next of Okabe and Ito's palette if left out.
    label : str, optional
        Name of a single curve.
    band : bool
        Draw the bands of a study, pale, behind the curves of its first two scores; of more, they
        could not be told apart. They say where a curve may lie at one share, not all along.

    Returns
    -------
    matplotlib Axes

    Notes
    -----
    Names stand at the right ends of the curves. More of them than fit there stand in a legend, in
    the order of the ends. Where the metric is not defined, a curve has a gap.

    Curves of the same cases rise and fall together. Whether one area is larger than another is
    said by `differences` of a study, which pairs them, and not by how far apart two lines are.

    References
    ----------
    .. [1] A. Galdran (2023). Performance metrics for probabilistic ordinal classifiers. Medical
       Image Computing and Computer Assisted Intervention. `arXiv:2309.08701
       <https://arxiv.org/abs/2309.08701>`__, figure 4.

    Examples
    --------
    >>> import properly
    >>> from properly import plots
    >>> y, d = [0, 1, 2, 1, 0, 2], [0, 1, 1, 0, 0, 2]
    >>> curve = properly.retention_curve([1, 2, 6, 5, 3, 4], y, d, removed=[0, 0.25, 0.5])
    >>> ax = plots.retention({"mine": curve})
    >>> [text.get_text() for text in ax.texts]
    ['mine']
    """
    given = record.curves if isinstance(record, RetentionStudy) else record
    records = by_name(given, Retention, MAKER, label)
    metrics = sorted({one.metric for one in records.values()})
    if len(metrics) > 1:
        message = f"curves in one picture must be of one metric; got {', '.join(metrics)}"
        raise DataError(message, hint="draw those of each metric on Axes of their own.")
    bands = _bands_to_draw(record) if check_flag(band, "band") else {}
    own = ax is None
    ax = plain_axes(ax, 6.2, 4.0)
    ink = _inks(ax, list(records), color)
    for name, (lower, upper) in bands.items():
        _draw_band(ax, (100 * records[name].removed, lower, upper), ink[name].color)
    for name, one in records.items():
        draw_curve(ax, (100 * one.removed, one.value), ink[name], name, width=1.6)
    _show_shares(ax)
    ax.set(xlabel="cases removed, in percent", ylabel=HEIGHT.get(metrics[0]) or legible(metrics[0]))
    set_as_text([ax.yaxis.label])
    name_ends(ax, own=own)
    return ax


def _bands_to_draw(record: object) -> dict[str, Bounds]:
    """Take the bands of the first two scores of a study; the oracle is none."""
    if not isinstance(record, RetentionStudy):
        message = f"only a RetentionStudy has bands; got {type(record).__name__} and band=True"
        raise DataError(message, hint="properly.retention_study computes them.")
    names = [name for name in record.bands if name != ORACLE]
    return {name: record.bands[name] for name in names[:BANDS]}


def _draw_band(ax: Axes, corners: tuple[Any, Any, Any], color: str) -> None:
    ax.fill_between(*corners, color=color, alpha=RIBBON, linewidth=0, zorder=1, gid="band")


def _show_shares(ax: Axes) -> None:
    """Show all shares that were removed, also where the metric has no value."""
    if ax.get_autoscalex_on():
        ticker = import_extra("matplotlib.ticker", extra="plots")
        removed = np.concatenate([np.asarray(line.get_xdata()) for line in curves(ax)])
        # The limits stay free, so that the next curve makes room for itself.
        ax.set_xlim(removed.min(), removed.max(), auto=None)
        ax.xaxis.set_major_locator(ticker.MaxNLocator(nbins=5, steps=[1, 2, 5, 10]))


def _inks(ax: Axes, names: list[str], color: Color | None) -> dict[str, Ink]:
    """Give each score an ink of the palette, but grey dashes to the oracle."""
    first = sum(line.get_label() != ORACLE for line in curves(ax))
    found = inks([name for name in names if name != ORACLE], color, first)
    return found | ({ORACLE: Ink(GREY, "--")} if ORACLE in names else {})
