"""Means of the probability of what happened: as bars, and by the power of the mean."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, cast

import numpy as np

from properly._boundary._notices import import_extra
from properly._boundary._options import check_flag
from properly.plots._axes import (
    GREY,
    MINUS,
    PALE,
    PALETTE,
    TEXT,
    Color,
    Ink,
    annotated,
    by_name,
    curves,
    draw_curve,
    inks,
    legend_line,
    legend_patch,
    legible,
    new_figure,
    number,
    open_frame,
    plain_axes,
    set_as_text,
    side_axis,
)
from properly.plots._evaluation import draws_evaluation
from properly.plots._names import (
    ROOM,
    TURNED,
    columns_for,
    fold,
    inches,
    name_columns,
    name_ends,
    points,
)
from properly.probability._means import Means
from properly.probability._power_means import LABELS, POWERS
from properly.probability._power_profiles import RiskProfile

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from properly.typing import Column


# How a mean is drawn: its name, its marker, and its size against the others. The widest is the
# first, so that the others can be seen on it.
MARKS = (("mean_probability", "D", 1.1), ("robustness", "v", 1.0), ("decisiveness", "^", 1.0))
# As they are stacked if all are equal.
STACKED = ("robustness", "mean_probability", "decisiveness")
MEANS_MAKER = "properly.means(cases)"
# Inches of an upright bar with its air: at least for a number above it, at most for a picture.
NARROW, WIDE = 0.62, 1.1
# Inches that upright bars may have together; more lie.
PAGE = 8.0
ROW = 0.4
# The part of its row that a bar has.
THICK = 0.66
# Points of a mark, and from the picture to the numbers.
SIZE, NUMBERS = 7.5, 7.0
# Inches on either side, so that words keep away from the edges of the paper.
MARGIN = 0.1
PROFILE_MAKER = "properly.probability.risk_profile(cases)"
# Whose probabilities are averaged: how its line is drawn, and how wide.
PARTS = {"model": ("-", 1.8), "source": ("--", 1.3), "expected": (":", 1.6)}
# From the last finite power to the place of an infinite one, as a share of the picture.
APART = 0.1
# The names of powers, and on which side of its tick each has room.
SIDES: dict[str, Literal["left", "center", "right"]] = {
    "robustness": "right",
    "mean_probability": "center",
    "decisiveness": "left",
}
DOTS: dict[str, dict[str, Any]] = {
    "model": {"markersize": 5, "clip_on": False},
    "source": {"markersize": 5, "clip_on": False, "markerfacecolor": "white"},
    "expected": {"markersize": 2.5, "clip_on": False},
}
NAMED, KEY = "named power", "key"


@draws_evaluation
def means_bars(
    means: Means | Mapping[str, Means],
    ax: Axes | None = None,
    *,
    horizontal: bool | None = None,
    color: str | None = None,
) -> Axes:
    """Draw the share of right answers beside three averages of the probabilities.

    The pale bar is the share of cases whose likeliest class happened. The marks are those of
    `model_source`: the diamond is the mean probability, the geometric mean of the probabilities of
    what happened, whose number stands at the end of the bar; the triangle that points up is the
    decisiveness, the one that points down the robustness. They are means of the same probabilities,
    and the line that joins them is no interval of confidence. A model may be right ever more often
    while its mean probability falls: then it is too sure where it is wrong.

    Parameters
    ----------
    means : Means or dict of Means by model
        From `properly.means`. Up to about fifteen stay legible.
    ax : matplotlib Axes, optional
        Where to draw; a new figure if left out. Its limits are set.
    horizontal : bool, optional
        Whether the bars lie. Unless said otherwise they stand if all names fit below them.
    color : str, optional
        Colour of marks and lines; the first of Okabe and Ito's palette if left out.

    Returns
    -------
    matplotlib Axes

    Notes
    -----
    A mean probability of 0, of a model that called impossible what happened, is a diamond at 0.

    References
    ----------
    .. [1] K. P. Nelson (2017). Assessing probabilistic inference by comparing the generalized mean
       of the model and source probabilities. Entropy 19:286. `doi:10.3390/e19060286
       <https://doi.org/10.3390/e19060286>`__, figure 1.

    Examples
    --------
    >>> import properly
    >>> from properly import plots
    >>> y = [0, 1, 0, 1]
    >>> timid, bold = properly.tally(y, [0.4, 0.4, 0.6, 0.7]), properly.tally(y, [0, 1, 1, 1])
    >>> ax = plots.means_bars({"timid": properly.means(timid), "bold": properly.means(bold)})
    >>> [label.get_text() for label in ax.get_xticklabels()]
    ['timid', 'bold']
    """
    records = by_name(means, Means, MEANS_MAKER)
    names = [legible(name) for name in records]
    lying = _is_lying(names) if horizontal is None else check_flag(horizontal, "horizontal")
    own = ax is None
    if ax is None:
        ax = _new_axes(names, lying=lying)
    rows = list(records.values())
    _draw_bars(ax, rows, lying=lying)
    _draw_means(ax, rows, color or PALETTE[0], lying=lying)
    _show_probabilities(ax, len(rows), lying=lying)
    _write_means(ax, rows, names, lying=lying)
    _draw_legend(ax, color or PALETTE[0], own=own)
    return ax


def _is_lying(names: list[str]) -> bool:
    """Return whether names do not fit below upright bars on a page."""
    step, _ = columns_for(names, NARROW, WIDE)
    folded = [fold(name, ROOM * step) for name in names]
    return step * len(names) > PAGE or inches(folded) > ROOM * step


def _new_axes(names: list[str], *, lying: bool) -> Axes:
    if lying:
        height = 1.3 + ROW * len(names) * points() / 10
        figure = new_figure(4.6 + inches(names), height)
    else:
        step, depth = columns_for(names, NARROW, WIDE)
        figure = new_figure(max(4.6, 1.0 + step * len(names)), 4.0 + depth)
    cast("Any", figure.get_layout_engine()).set(w_pad=MARGIN)
    ax = figure.add_subplot()
    open_frame(ax)
    return ax


def _draw_bars(ax: Axes, rows: list[Means], *, lying: bool) -> None:
    draw = ax.barh if lying else ax.bar
    correct = [one.correct for one in rows]
    draw(range(len(rows)), correct, THICK, color=PALE, linewidth=0, zorder=1, gid="correct")


def _draw_means(ax: Axes, rows: list[Means], color: str, *, lying: bool) -> None:
    """Draw the three marks of each model, and a thin line that joins them."""
    look: dict[str, Any] = {"color": color, "clip_on": False}
    edge: dict[str, Any] = {"markeredgecolor": "white", "markeredgewidth": 0.7, "zorder": 3}
    for k, one in enumerate(rows):
        reach = (one.robustness, one.decisiveness), (k, k)
        ax.plot(*(reach if lying else reach[::-1]), linewidth=0.9, zorder=2.5, gid="reach", **look)
        for name, marker, factor in MARKS:
            place = getattr(one, name), k
            shape: dict[str, Any] = {"marker": marker, "markersize": SIZE * factor, "gid": name}
            ax.plot(*(place if lying else place[::-1]), **shape, **edge, **look)


def _show_probabilities(ax: Axes, count: int, *, lying: bool) -> None:
    """Show probabilities from 0 to 1, and the bars in their order, the first on top if they lie."""
    ends = np.linspace(0, 1, 6).round(1)
    said = "probability, share of cases"
    if lying:
        ax.set(xlim=(0, 1), xticks=ends, xlabel=said, ylim=(count - 0.5, -0.5))
    else:
        # One bar or two leave air on either side, else they would be as wide as the picture.
        air = max(0.5, 2 - count / 2)
        ax.set(ylim=(0, 1), yticks=ends, ylabel=said, xlim=(-air, count - 1 + air))
    # Away from marks that stand at 0.
    ax.tick_params(axis="y" if lying else "x", length=0, pad=9)


def _write_means(ax: Axes, rows: list[Means], names: list[str], *, lying: bool) -> None:
    """Write the names on one side, and the mean probabilities on the other, with a heading."""
    printed = {k: f"{one.mean_probability:.3f}" for k, one in enumerate(rows)}
    look: dict[str, Any] = {"labelsize": "small", "labelcolor": TEXT, "pad": NUMBERS}
    if lying:
        ax.set_yticks(range(len(names)), names)
        set_as_text(ax.get_yticklabels())
    else:
        name_columns(ax, names)
    side_axis(ax, "right" if lying else "top", printed, **look)
    at, offset = ((1, 1), (NUMBERS, 2)) if lying else ((0, 1), (-2, NUMBERS))
    heading: dict[str, Any] = {"ha": "left" if lying else "right", "va": "bottom"}
    heading |= {"fontsize": "small", "annotation_clip": False}
    annotated(ax, LABELS["mean_probability"], at, offset, "axes fraction", **heading)


def _draw_legend(ax: Axes, color: str, *, own: bool) -> None:
    """Say what is what, below a picture of our own, else where there is room."""
    shapes = {name: shape for name, shape, _ in MARKS}
    marks = [(LABELS[name], shapes[name]) for name in reversed(STACKED)]
    handles = [
        legend_patch(color=PALE, label="share correct"),
        *(legend_line(color=color, marker=x, linestyle="", label=name) for name, x in marks),
    ]
    look: dict[str, Any] = {"handles": handles, "fontsize": "small", "handlelength": 1.4}
    look |= {"handletextpad": 0.5, "columnspacing": 1.2}
    if own:
        figure = cast("Figure", ax.figure)
        wide = figure.get_figwidth() > 0.45 * points()
        figure.legend(loc="outside lower center", ncols=4 if wide else 2, frameon=False, **look)
    else:
        ax.legend(loc="best", framealpha=0.7, facecolor="white", edgecolor="none", **look)


def risk_profile(
    profile: RiskProfile | Mapping[str, RiskProfile],
    ax: Axes | None = None,
    *,
    color: Color | None = None,
    label: str | None = None,
) -> Axes:
    """Draw the mean probability of what happened against the power of the mean.

    Low powers, on the left, are ruled by the cases that were called least probable, high ones by
    those that were called most probable. The solid line is the model, the dashed one its source,
    and the dotted one what the forecasts expect of themselves. Where the solid line falls below
    the dotted one, what happened was less probable than forecast.

    Robustness, mean probability and decisiveness are the means of the powers -2/3, 0 and 1; dots
    mark them.

    Parameters
    ----------
    profile : RiskProfile or dict of RiskProfile by model
        From `properly.probability.risk_profile`.
    ax : matplotlib Axes, optional
        Where to draw; a new figure if left out. Limits that its owner has set stay.
    color : str or dict of str by model, optional
        Colour of all lines of a model; the next of Okabe and Ito's palette if left out.
    label : str, optional
        Name of a single model.

    Returns
    -------
    matplotlib Axes

    Notes
    -----
    The lines of a model that is alone are named at their ends. Several models are named there, and
    a legend says which line is which. Infinite powers, at which the mean is the least or the
    greatest value, are dots beyond either end: full for the model, hollow for the source, small for
    what is expected.

    References
    ----------
    .. [1] K. P. Nelson, B. J. Scannell, H. Landau (2011). A risk profile for information fusion
       algorithms. Entropy 13:1518-1532. `doi:10.3390/e13081518
       <https://doi.org/10.3390/e13081518>`__
    .. [2] K. P. Nelson (2017). Assessing probabilistic inference by comparing the generalized mean
       of the model and source probabilities. Entropy 19:286. `doi:10.3390/e19060286
       <https://doi.org/10.3390/e19060286>`__

    Examples
    --------
    >>> import properly
    >>> from properly import plots
    >>> t = properly.tally([0, 1, 0, 1], [0.1, 0.3, 0.6, 0.9])
    >>> ax = plots.risk_profile(properly.probability.risk_profile(t))
    >>> [text.get_text() for text in ax.texts]
    ['model', 'source', 'expected']
    """
    records = by_name(profile, RiskProfile, PROFILE_MAKER, label)
    own = ax is None
    ax = plain_axes(ax, 6.4, 4.2)
    alone = len(records) == 1 and not curves(ax)
    ink = inks(records, color, sum(line.get_linestyle() == "-" for line in curves(ax)))
    span = _span(records.values())
    for name, record in records.items():
        _draw_model(ax, record, ink[name], span, _line_names(name, alone=alone))
    _mark_powers(ax)
    _show_powers(ax, span, records.values())
    _name_powers(ax, next(iter(records.values())) if alone else None)
    ax.set(xlabel="power of the mean", ylabel="mean probability of what happened")
    if not alone:
        _draw_key(ax)
    name_ends(ax, own=own)
    return ax


def _line_names(name: str, *, alone: bool) -> dict[str, str]:
    """Return what is written at the end of each line: of a model that is alone, what it is."""
    if alone:
        return {part: part for part in PARTS} | ({"model": name} if name else {})
    return {"model": name}


def _span(records: Iterable[RiskProfile]) -> tuple[float, float]:
    """Return the least and the greatest finite power of all."""
    power = np.concatenate([record.power for record in records])
    finite = power[np.isfinite(power)]
    if not finite.size:
        return -1.0, 1.0
    return float(finite.min()), float(finite.max())


def _edges(span: tuple[float, float]) -> tuple[float, float]:
    """Return where infinite powers stand."""
    step = APART * (span[1] - span[0] or 2.0)
    return span[0] - step, span[1] + step


def _draw_model(
    ax: Axes, record: RiskProfile, ink: Ink, span: tuple[float, float], names: Mapping[str, str]
) -> None:
    power = record.power
    x = np.clip(power, *_edges(span))
    named = np.isclose(power[:, None], list(POWERS.values()), atol=1e-9).any(axis=1)
    for part, (style, width) in PARTS.items():
        y = getattr(record, part)
        corners = _with_gaps(power, x), _with_gaps(power, y)
        draw_curve(ax, corners, Ink(ink.color, style), names.get(part, ""), width=width)
        dots = np.isinf(power) | (named & (part == "model"))
        # One by one: no dots at all, unclipped, would count as one in the corner of the figure.
        for place in zip(x[dots], y[dots], strict=True):
            ax.plot(*place, "o", color=ink.color, zorder=3, gid=f"dot of {part}", **DOTS[part])


def _with_gaps(power: Column, column: Column) -> Column:
    """Set what belongs to infinite powers apart from the rest, so that no line joins them."""
    pieces = [column[power == -np.inf], column[np.isfinite(power)], column[power == np.inf]]
    spaced = [part for piece in pieces if piece.size for part in ([np.nan], piece)]
    return np.concatenate(spaced[1:])


def _show_powers(ax: Axes, span: tuple[float, float], records: Iterable[RiskProfile]) -> None:
    """Show all powers and probabilities, unless the owner of the Axes has decided."""
    if ax.get_autoscaley_on():
        ax.set_ylim(0, 1, auto=None)
    if not ax.get_autoscalex_on():
        return
    x = np.concatenate([np.asarray(line.get_xdata(), dtype=float) for line in curves(ax)])
    least, greatest = float(np.nanmin(x)), float(np.nanmax(x))
    air = 0.02 * (greatest - least or 2.0)
    # The limits stay free, so that the next model makes room for itself.
    ax.set_xlim(least - air, greatest + air, auto=None)
    infinite = {
        place: number(power)
        for place, power in zip(_edges(span), (-np.inf, np.inf), strict=True)
        if any(power in record.power for record in records)
    }
    if infinite:
        ticker = import_extra("matplotlib.ticker", extra="plots")
        inside = ticker.MaxNLocator(nbins=6, steps=[1, 2, 5, 10]).tick_values(*span)
        round_ = [float(tick) for tick in inside if span[0] <= tick <= span[1]]
        shown = {tick: f"{tick:g}".replace("-", MINUS) for tick in round_} | infinite
        ax.set_xticks(list(shown), list(shown.values()))


def _mark_powers(ax: Axes) -> None:
    """Draw thin lines at the three powers, once an Axes."""
    if all(line.get_gid() != NAMED for line in ax.get_lines()):
        for power in POWERS.values():
            ax.axvline(power, color=PALE, linewidth=0.8, zorder=0.8, gid=NAMED)


def _name_powers(ax: Axes, profile: RiskProfile | None) -> None:
    """Name the three powers above the picture, with the means of a model that is alone."""
    for old in [child for child in ax.child_axes if child.get_gid() == NAMED]:
        old.remove()
    # The name in the middle has two lines, unless it is turned, and half of it must fit.
    words = LABELS["mean_probability"].split()
    narrow = _inches_apart(ax) < 0.65 * inches(words, "small")
    between = " " if narrow else "\n"
    said = {power: _name_power(name, profile, between) for name, power in POWERS.items()}
    look: dict[str, Any] = {"color": PALE, "labelsize": "small", "labelcolor": TEXT, "pad": 2}
    upper = side_axis(ax, "top", said, length=3, **look)
    upper.set_gid(NAMED)
    for label, name in zip(upper.get_xticklabels(), POWERS, strict=True):
        label.set_horizontalalignment("left" if narrow else SIDES[name])
        if narrow:
            label.set(rotation=TURNED, rotation_mode="anchor")


def _inches_apart(ax: Axes) -> float:
    """Return how far the nearest two of the named powers are from each other on paper."""
    left, right = ax.get_xlim()
    width = ax.get_window_extent().width / ax.figure.dpi
    gap = abs(POWERS["mean_probability"] - POWERS["robustness"])
    return float(width * gap / abs(right - left))


def _name_power(name: str, profile: RiskProfile | None, between: str) -> str:
    """Write the name of a power, and the mean of a model if it has one."""
    words = LABELS[name].split()
    if profile is not None:
        here = np.flatnonzero(np.isclose(profile.power, POWERS[name], atol=1e-9))
        words += [f"{mean:.3f}" for mean in profile.model[here[:1]]]
    return between.join(words)


def _draw_key(ax: Axes) -> None:
    """Say which line is which, in a legend beside that of the names."""
    legends = import_extra("matplotlib.legend", extra="plots")
    for old in [one for one in ax.artists if one.get_gid() == KEY]:
        old.remove()
    handles = [
        legend_line(color=GREY, linestyle=style, linewidth=width, label=part)
        for part, (style, width) in PARTS.items()
    ]
    look: dict[str, Any] = {"loc": "lower right", "frameon": False, "fontsize": "small"}
    key = legends.Legend(ax, handles, list(PARTS), **look)
    key.set_gid(KEY)
    ax.add_artist(key)
