"""Retention curves, and the cases with the greatest losses."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from properly._boundary._notices import import_extra
from properly._boundary._options import check_flag
from properly._boundary._text import amount_of
from properly.decisions._retention import ORACLE, Retention, RetentionStudy
from properly.decisions._worst_cases import WorstCases
from properly.errors import ArgumentTypeError, DataError
from properly.plots._axes import (
    GREY,
    PALE,
    RIBBON,
    TEXT,
    Color,
    Ink,
    by_name,
    class_colors,
    curves,
    draw_curve,
    ink_on,
    inks,
    legible,
    new_figure,
    number,
    plain_axes,
    set_as_text,
)
from properly.plots._evaluation import draws_evaluation
from properly.plots._names import columns_for, name_columns, name_ends, names_of, points

if TYPE_CHECKING:
    from collections.abc import Mapping

    from matplotlib.axes import Axes

    from properly.typing import Column


Bounds: TypeAlias = tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]

# Of more than two, nobody can tell whose a ribbon is.
BANDS = 2
MAKER = "properly.retention_curve(scores, y, P)"
# What is drawn upwards, and which way is better.
HEIGHT = {
    "quadratic_weighted_kappa": "quadratic weighted kappa\n(higher is better)",
    "expected_cost": "expected cost\n(lower is better)",
    "error_rate": "error rate\n(lower is better)",
}
# Of the classes of one event, unless they have labels.
EVENT = ("no event", "event")
# Inches of a column of worst cases: at least for a number beside half a bar, at most for a picture.
NARROW, WIDE = 0.66, 1.3
ROW = 0.34
# The part of its row that a bar has.
THICK = 0.62
KEY = "bars: probability", "frame: outcome"
# A longer bar has its number inside.
INSIDE = 0.5


@draws_evaluation
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
        From `properly.decisions.retention_study` or `properly.retention_curve`, of one metric.
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
        raise DataError(message, hint="properly.decisions.retention_study computes them.")
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
    result = inks([name for name in names if name != ORACLE], color, first)
    return result | ({ORACLE: Ink(GREY, "--")} if ORACLE in names else {})


@draws_evaluation
def worst_cases(record: WorstCases, ax: Axes | None = None, *, color: str | None = None) -> Axes:
    """Draw the forecasts of the cases with the greatest losses, the worst on top.

    One row is one case, one column one class. The length of a bar, and the number beside it, are
    the probability of the class: a bar as long as its column means certainty. What happened is
    framed, and the loss stands at the end of the row. The farther the frame is from the long bars,
    the farther off the forecast was.

    Parameters
    ----------
    record : WorstCases
        From `properly.decisions.worst_cases`.
    ax : matplotlib Axes, optional
        Where to draw; a new figure if left out. Its limits are set.
    color : str, optional
        Colour of all bars; if left out, the later the class, the darker.

    Returns
    -------
    matplotlib Axes

    Notes
    -----
    Ten classes and ten cases can be read; more of either make a large figure.

    References
    ----------
    .. [1] A. Galdran (2023). Performance metrics for probabilistic ordinal classifiers. Medical
       Image Computing and Computer Assisted Intervention. `arXiv:2309.08701
       <https://arxiv.org/abs/2309.08701>`__, figure 3.

    Examples
    --------
    >>> import properly
    >>> from properly import plots
    >>> from properly.rules import RPS
    >>> cases = properly.Cases([0, 2, 1], [[0.8, 0.1, 0.1], [0.7, 0.2, 0.1], [0.2, 0.5, 0.3]])
    >>> ax = plots.worst_cases(properly.decisions.worst_cases(cases, RPS(), k=2))
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['row 1', 'row 2']
    """
    if not isinstance(record, WorstCases):
        message = f"this picture is drawn from WorstCases; got {type(record).__name__}"
        raise ArgumentTypeError(
            message, hint="make them with properly.decisions.worst_cases(cases, rule)."
        )
    names, p = _names(record), _table(record)
    if ax is None:
        ax = _new_axes(names, len(p))
    colors = class_colors(len(names)) if color is None else [color] * len(names)
    ax.set(xlim=(-0.5, len(names) - 0.5), ylim=(len(p) - 0.5, -0.5))
    _draw_bars(ax, p, colors)
    _frame_outcomes(ax, np.asarray(record.outcome))
    _write_sides(ax, record)
    name_columns(ax, names, side="top", size="small")
    join = "\n" if len(names) <= 3 else "; "
    ax.set_xlabel(join.join(KEY), fontsize="small", loc="left")
    return ax


def _names(record: WorstCases) -> list[str]:
    labels = record.labels
    return names_of(EVENT if labels is None else labels)


def _table(record: WorstCases) -> Column:
    """Return one row a case and one column a class, for one event too."""
    p = np.asarray(record.p, dtype=float)
    return p if p.ndim == 2 else np.stack([1 - p, p], axis=1)


def _new_axes(names: list[str], cases: int) -> Axes:
    step, depth = columns_for(names, NARROW, WIDE, "small")
    width = max(3.2, 1.7 + step * len(names))
    return new_figure(width, 0.9 + depth + ROW * cases * points() / 10).add_subplot()


def _draw_bars(ax: Axes, p: Column, colors: Any) -> None:
    """Draw bars from the left end of each column, on lines that mark the columns."""
    cases, classes = p.shape
    ax.spines[:].set_visible(False)
    ax.tick_params(length=0)
    ax.vlines(np.arange(classes) - 0.5, -0.5, cases - 0.5, color=PALE, linewidth=0.8, zorder=0.5)
    for k in range(classes):
        ax.barh(range(cases), p[:, k], THICK, k - 0.5, color=colors[k], linewidth=0, zorder=2)
        for row in range(cases):
            _write_share(ax, float(p[row, k]), (k - 0.5, row), colors[k])


def _write_share(ax: Axes, share: float, place: tuple[float, float], color: Any) -> None:
    inside = share > INSIDE
    ax.annotate(
        _printed(share),
        (place[0] + share, place[1]),
        (-3 if inside else 3, 0),
        textcoords="offset points",
        ha="right" if inside else "left",
        va="center_baseline",
        fontsize="x-small",
        color=ink_on(color) if inside else TEXT,
        zorder=3,
    )


def _printed(share: float) -> str:
    """Write a probability in two decimals, but none as if it were certain that is not."""
    if share in (0, 1):
        return f"{share:.0f}"
    if share < 0.005:
        return "<.01"
    return ">.99" if share >= 0.995 else number(share, 2)


def _frame_outcomes(ax: Axes, outcome: Column) -> None:
    """Frame the class that happened."""
    rows = np.arange(len(outcome))
    ax.bar(
        outcome,
        0.88,
        1,
        rows - 0.44,
        facecolor="none",
        edgecolor="black",
        linewidth=1.4,
        zorder=4,
        clip_on=False,
        gid="outcome",
    )


def _sources(record: WorstCases) -> list[str]:
    """Name the rows; of counts, say how many cases there are."""
    if record.cases is None:
        return [f"row {row}" for row in np.asarray(record.row).tolist()]
    return [amount_of(x) for x in np.asarray(record.cases).tolist()]


def _write_sides(ax: Axes, record: WorstCases) -> None:
    """Write the rows, or how many they are, on the left, and the losses on the right."""
    cases = range(len(record))
    ax.set_yticks(cases, _sources(record))
    # An axis of their own, so that the layout makes room for them.
    side = ax.secondary_yaxis("right")
    losses = np.asarray(record.loss, dtype=float).tolist()
    side.set_yticks(cases, [number(loss) for loss in losses])
    side.tick_params(length=0, pad=6)
    side.spines[:].set_visible(False)
    name = ax.annotate(
        f"loss ({legible(record.rule)})",
        (1, 0),
        (6, -5),
        xycoords="axes fraction",
        textcoords="offset points",
        ha="left",
        va="top",
        fontsize="small",
    )
    set_as_text([name])
