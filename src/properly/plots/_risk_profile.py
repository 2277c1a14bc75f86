"""Risk profiles: the mean probability of what happened, by the power of the mean."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from properly._boundary._notices import import_extra
from properly.plots._axes import (
    GREY,
    MINUS,
    PALE,
    TEXT,
    Color,
    Ink,
    by_name,
    curves,
    draw_curve,
    inks,
    number,
    plain_axes,
)
from properly.plots._names import TURNED, inches, name_ends
from properly.probability._power_means import LABELS, POWERS
from properly.probability._power_profiles import RiskProfile

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from matplotlib.axes import Axes

    from properly.typing import Column


MAKER = "properly.probability.risk_profile(cases)"
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
    records = by_name(profile, RiskProfile, MAKER, label)
    own = ax is None
    ax = plain_axes(ax, 6.4, 4.2)
    alone = len(records) == 1 and not curves(ax)
    ink = inks(records, color, sum(line.get_linestyle() == "-" for line in curves(ax)))
    span = _span(records.values())
    for name, record in records.items():
        _draw_model(ax, record, ink[name], span, _names(name, alone=alone))
    _mark_powers(ax)
    _show_powers(ax, span, records.values())
    _name_powers(ax, next(iter(records.values())) if alone else None)
    ax.set(xlabel="power of the mean", ylabel="mean probability of what happened")
    if not alone:
        _draw_key(ax)
    name_ends(ax, own=own)
    return ax


def _names(name: str, *, alone: bool) -> dict[str, str]:
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
    # An axis of their own, so that a title and the layout make room for the names.
    upper = ax.secondary_xaxis("top")
    upper.set_gid(NAMED)
    # The name in the middle has two lines, unless it is turned, and half of it must fit.
    words = LABELS["mean_probability"].split()
    narrow = _inches_apart(ax) < 0.65 * inches(words, "small")
    said = [_name_power(name, profile, " " if narrow else "\n") for name in POWERS]
    upper.set_xticks(list(POWERS.values()), said)
    upper.tick_params(length=3, color=PALE, labelsize="small", labelcolor=TEXT, pad=2)
    upper.spines[:].set_visible(False)
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
    lines = import_extra("matplotlib.lines", extra="plots")
    for old in [one for one in ax.artists if one.get_gid() == KEY]:
        old.remove()
    handles = [
        lines.Line2D([], [], color=GREY, linestyle=style, linewidth=width, label=part)
        for part, (style, width) in PARTS.items()
    ]
    key = legends.Legend(
        ax, handles, list(PARTS), loc="lower right", frameon=False, fontsize="small"
    )
    key.set_gid(KEY)
    ax.add_artist(key)
