"""Means of the probability of what happened: as bars, and by the power of the mean."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from properly._boundary._options import check_flag
from properly.plots import _axes, _names
from properly.plots._axes import GREY, PALE, PALETTE, TEXT, Color, Ink, Picture, by_name
from properly.plots._evaluation import draws_evaluation
from properly.plots._names import columns_for, fold, inches, legible, number, points
from properly.probability._means import Means
from properly.probability._power_means import LABELS, POWERS
from properly.probability._power_profiles import RiskProfile

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from matplotlib.axes import Axes

    from properly.plots._axes import Ends
    from properly.typing import Column


# How a mean is drawn: its name, its marker, and its size against the others. The widest is the
# first, so that the others can be seen on it.
MARKS = (("mean_probability", "D", 1.1), ("robustness", "v", 1.0), ("decisiveness", "^", 1.0))
# As they are stacked if all are equal.
STACKED = ("robustness", "mean_probability", "decisiveness")
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
# Whose probabilities are averaged: how its line is drawn, and how wide.
PARTS = {"model": ("-", 1.8), "source": ("--", 1.3), "expected": (":", 1.6)}
# From the last finite power to the place of an infinite one, as a share of the picture.
APART = 0.1
# On which side of its tick the name of each power has room.
SIDES = {"robustness": "right", "mean_probability": "center", "decisiveness": "left"}
DOTS: dict[str, dict[str, Any]] = {
    "model": {"markersize": 5},
    "source": {"markersize": 5, "markerfacecolor": "white"},
    "expected": {"markersize": 2.5},
}
NAMED, KEY = "named power", "key"


class Bars(Picture):
    """A picture of bars that stand, or lie if there is no room for their names below them.

    Attributes
    ----------
    lying : bool
        Whether the bars lie.
    """

    def __init__(self, ax: Axes | None, names: list[str], *, lying: bool | None) -> None:
        step, depth = columns_for(names, NARROW, WIDE)
        if lying is None:
            folded = [fold(name, _names.ROOM * step) for name in names]
            lying = step * len(names) > PAGE or inches(folded) > _names.ROOM * step
        width, height = max(4.6, 1.0 + step * len(names)), 4.0 + depth
        if lying:
            width, height = 4.6 + inches(names), 1.3 + ROW * len(names) * points() / 10
        super().__init__(ax, width, height, w_pad=MARGIN)
        self.lying = lying

    def plot(self, along: Any, across: Any, **look: Any) -> None:
        """Draw along the bars and across them."""
        self.ax.plot(*((along, across) if self.lying else (across, along)), **look)


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
    records = by_name(means, Means, "properly.means(cases)")
    names, rows = [legible(name) for name in records], list(records.values())
    lying = None if horizontal is None else check_flag(horizontal, "horizontal")
    picture = Bars(ax, names, lying=lying)
    draw = picture.ax.barh if picture.lying else picture.ax.bar
    look: dict[str, Any] = {"color": PALE, "linewidth": 0, "zorder": 1, "gid": "correct"}
    draw(range(len(rows)), [one.correct for one in rows], THICK, **look)
    color = color or PALETTE[0]
    _draw_means(picture, rows, color)
    _show_probabilities(picture, len(rows))
    _write_means(picture, rows, names)
    _draw_legend(picture, color)
    return picture.ax


def _draw_means(picture: Bars, rows: list[Means], color: str) -> None:
    """Draw the three marks of each model, and a thin line that joins them."""
    look = {"color": color, "clip_on": False}
    edge = {"markeredgecolor": "white", "markeredgewidth": 0.7, "zorder": 3} | look
    for k, one in enumerate(rows):
        ends = one.robustness, one.decisiveness
        picture.plot(ends, (k, k), linewidth=0.9, zorder=2.5, gid="reach", **look)
        for name, marker, factor in MARKS:
            shape = {"marker": marker, "markersize": SIZE * factor, "gid": name}
            picture.plot(getattr(one, name), k, **shape, **edge)


def _show_probabilities(picture: Bars, count: int) -> None:
    """Show probabilities from 0 to 1, and the bars in their order, the first on top if they lie."""
    ax, ends = picture.ax, np.linspace(0, 1, 6).round(1)
    said = "probability, share of cases"
    if picture.lying:
        ax.set(xlim=(0, 1), xticks=ends, xlabel=said, ylim=(count - 0.5, -0.5))
    else:
        # One bar or two leave air on either side, else they would be as wide as the picture.
        air = max(0.5, 2 - count / 2)
        ax.set(ylim=(0, 1), yticks=ends, ylabel=said, xlim=(-air, count - 1 + air))
    # Away from marks that stand at 0.
    ax.tick_params(axis="y" if picture.lying else "x", length=0, pad=9)


def _write_means(picture: Bars, rows: list[Means], names: list[str]) -> None:
    """Write the names on one side, and the mean probabilities on the other, with a heading."""
    printed = {k: f"{one.mean_probability:.3f}" for k, one in enumerate(rows)}
    if picture.lying:
        picture.ax.set_yticks(range(len(names)), names)
        _axes.set_as_text(picture.ax.get_yticklabels())
        at, offset, side = (1.0, 1.0), (NUMBERS, 2.0), "left"
    else:
        picture.name_columns(names)
        at, offset, side = (0.0, 1.0), (-2.0, NUMBERS), "right"
    look = {"labelsize": "small", "labelcolor": TEXT, "pad": NUMBERS}
    picture.write_side("right" if picture.lying else "top", printed, **look)
    heading = {"ha": side, "va": "bottom", "fontsize": "small", "annotation_clip": False}
    picture.write(LABELS["mean_probability"], at, offset, "axes fraction", **heading)


def _draw_legend(picture: Bars, color: str) -> None:
    """Say what is what, below a picture of our own, else where there is room."""
    shapes = {name: shape for name, shape, _ in MARKS}
    handles = [_axes.legend_patch(color=PALE, label="share correct")]
    for name in reversed(STACKED):
        mark = {"marker": shapes[name], "linestyle": "", "label": LABELS[name]}
        handles.append(_axes.legend_line(color=color, **mark))
    look = {"handlelength": 1.4, "handletextpad": 0.5, "columnspacing": 1.2}
    picture.legend_below(handles, "best", paper=0.7, wide=0.45, **look)


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
    maker = "properly.probability.risk_profile(cases)"
    records = by_name(profile, RiskProfile, maker, label)
    picture = Picture(ax, 6.4, 4.2)
    alone = len(records) == 1 and not picture.curves
    first = sum(line.get_linestyle() == "-" for line in picture.curves)
    ink, span = _axes.inks(records, color, first), _span(records.values())
    for name, record in records.items():
        # The lines of a model that is alone are named by what they are.
        names = {part: part for part in PARTS} if alone else {}
        names |= {"model": name or names.get("model", "")}
        _draw_model(picture, record, ink[name], span, names)
    if not picture.has(NAMED):
        for power in POWERS.values():
            picture.ax.axvline(power, color=PALE, linewidth=0.8, zorder=0.8, gid=NAMED)
    _show_powers(picture, span, records.values())
    _name_powers(picture, next(iter(records.values())) if alone else None)
    picture.ax.set(xlabel="power of the mean", ylabel="mean probability of what happened")
    if not alone:
        _draw_key(picture.ax)
    picture.name_ends()
    return picture.ax


def _span(records: Iterable[RiskProfile]) -> Ends:
    """Return the least and the greatest finite power of all."""
    power = np.concatenate([record.power for record in records])
    finite = power[np.isfinite(power)]
    return (float(finite.min()), float(finite.max())) if finite.size else (-1.0, 1.0)


def _edges(span: tuple[float, float]) -> tuple[float, float]:
    """Return where infinite powers stand."""
    step = APART * (span[1] - span[0] or 2.0)
    return span[0] - step, span[1] + step


def _draw_model(
    picture: Picture, record: RiskProfile, ink: Ink, span: Ends, names: Mapping[str, str]
) -> None:
    power = record.power
    x = np.clip(power, *_edges(span))
    named = np.isclose(power[:, None], list(POWERS.values()), atol=1e-9).any(axis=1)
    for part, (style, width) in PARTS.items():
        y = getattr(record, part)
        corners, look = (_with_gaps(power, x), _with_gaps(power, y)), Ink(ink.color, style)
        picture.draw_curve(corners, look, names.get(part, ""), width=width)
        dots = np.isinf(power) | (named & (part == "model"))
        dot: dict[str, Any] = {"color": ink.color, "zorder": 3, "clip_on": False} | DOTS[part]
        # One by one: no dots at all, unclipped, would count as one in the corner of the figure.
        for place in zip(x[dots], y[dots], strict=True):
            picture.ax.plot(*place, "o", gid=f"dot of {part}", **dot)


def _with_gaps(power: Column, column: Column) -> Column:
    """Set what belongs to infinite powers apart from the rest, so that no line joins them."""
    pieces = [column[power == -np.inf], column[np.isfinite(power)], column[power == np.inf]]
    spaced = [part for piece in pieces if piece.size for part in ([np.nan], piece)]
    return np.concatenate(spaced[1:])


def _show_powers(picture: Picture, span: Ends, records: Iterable[RiskProfile]) -> None:
    """Show all powers and probabilities, unless the owner of the Axes has decided."""
    ax = picture.ax
    if ax.get_autoscaley_on():
        ax.set_ylim(0, 1, auto=None)
    if not ax.get_autoscalex_on():
        return
    x = np.concatenate([np.asarray(line.get_xdata(), dtype=float) for line in picture.curves])
    least, greatest = float(np.nanmin(x)), float(np.nanmax(x))
    air = 0.02 * (greatest - least or 2.0)
    # The limits stay free, so that the next model makes room for itself.
    ax.set_xlim(least - air, greatest + air, auto=None)
    powers = np.concatenate([record.power for record in records])
    places = zip(_edges(span), (-np.inf, np.inf), strict=True)
    infinite = {place: number(power) for place, power in places if power in powers}
    if infinite:
        inside = _axes.round_steps(6).tick_values(*span)
        round_ = [float(tick) for tick in inside if span[0] <= tick <= span[1]]
        shown = {tick: f"{tick:g}".replace("-", _names.MINUS) for tick in round_} | infinite
        ax.set_xticks(list(shown), list(shown.values()))


def _name_powers(picture: Picture, profile: RiskProfile | None) -> None:
    """Name the three powers above the picture, with the means of a model that is alone."""
    ax = picture.ax
    for old in [child for child in ax.child_axes if child.get_gid() == NAMED]:
        old.remove()
    # The name in the middle has two lines, unless it is turned, and half of it must fit.
    left, right = ax.get_xlim()
    gap = abs(POWERS["mean_probability"] - POWERS["robustness"]) / abs(right - left)
    words = LABELS["mean_probability"].split()
    narrow = picture.size[0] * gap < 0.65 * inches(words, "small")
    between = " " if narrow else "\n"
    said = {power: _name_power(name, profile, between) for name, power in POWERS.items()}
    look = {"color": PALE, "labelsize": "small", "labelcolor": TEXT, "pad": 2}
    upper = picture.write_side("top", said, length=3, **look)
    upper.set_gid(NAMED)
    for label, name in zip(upper.get_xticklabels(), POWERS, strict=True):
        label.set_horizontalalignment("left" if narrow else SIDES[name])
        if narrow:
            label.set(rotation=_names.TURNED, rotation_mode="anchor")


def _name_power(name: str, profile: RiskProfile | None, between: str) -> str:
    """Write the name of a power, and the mean of a model if it has one."""
    words = LABELS[name].split()
    if profile is not None:
        here = np.flatnonzero(np.isclose(profile.power, POWERS[name], atol=1e-9))
        words += [f"{mean:.3f}" for mean in profile.model[here[:1]]]
    return between.join(words)


def _draw_key(ax: Axes) -> None:
    """Say which line is which, in a legend beside that of the names."""
    for old in [one for one in ax.artists if one.get_gid() == KEY]:
        old.remove()
    handles = [
        _axes.legend_line(color=GREY, linestyle=style, linewidth=width)
        for style, width in PARTS.values()
    ]
    look = {"loc": "lower right", "frameon": False, "fontsize": "small"}
    key = _names.from_matplotlib("legend").Legend(ax, handles, list(PARTS), **look)
    key.set_gid(KEY)
    ax.add_artist(key)
