"""The range of thresholds that matters, what needs no model, and the names of both."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, TypeAlias, TypeVar, cast

import numpy as np

from properly._boundary._extras import import_extra
from properly.counts._baselines import EVENT_RATE, TREAT_ALL, TREAT_NONE
from properly.errors import DataError
from properly.plots._axes import (
    GREY,
    PALE,
    ZERO,
    Banded,
    bands_to_draw,
    curves,
    draw_band,
    draw_curve,
    set_as_text,
)
from properly.plots._scales import bend_band, percent
from properly.plots._words import digits_for, legible, number

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D

    from properly.inference._band import Band
    from properly.plots._axes import Ink
    from properly.plots._scales import Corners, View
    from properly.rules._interval import Interval

Corner: TypeAlias = Literal["upper left", "upper right", "lower left"]
Record = TypeVar("Record", bound="Banded[Band]")

RANGE = "range"
PERFECT = "perfect forecasts"
# Sums of fractional weights differ by less than this.
ROUNDING = 1e-9
# Of a figure with names beside the picture.
WIDTH = 6.6
# What needs no model is grey, thin, and told apart by its dashes.
PLAIN = {TREAT_ALL: "-", TREAT_NONE: "--", EVENT_RATE: ":", PERFECT: ":"}


def one_event_rate(rates: Iterable[float]) -> float:
    """Return the share of events, which is the same for all models of the same cases."""
    found = sorted(rates)
    if found[-1] - found[0] > ROUNDING:
        message = (
            "models are compared on the same cases, which have one event rate; "
            f"got {found[0]:.6g} to {found[-1]:.6g}"
        )
        raise DataError(message, hint="draw the models of each data set on Axes of their own.")
    return found[0]


def draw_curves(
    ax: Axes,
    view: View,
    records: Mapping[str, Record],
    ink: Mapping[str, Ink],
    corners: Callable[[View, Record], Corners],
    *,
    band: bool | None,
) -> list[Corners]:
    """Draw the curves, and the band of one that is alone; return the edges of all bands."""
    ribbons = {
        name: bend_band(view, found) for name, found in bands_to_draw(ax, records, band).items()
    }
    for name, record in records.items():
        if name in ribbons:
            draw_band(ax, ribbons[name], ink[name].color)
        draw_curve(ax, corners(view, record), ink[name], name)
    return [(x.x, edge) for x in ribbons.values() for edge in (x.lower, x.upper)]


def draw_range(ax: Axes, view: View, within: Interval) -> None:
    """Shade the thresholds that matter, once."""
    mark = f"{RANGE} {within.lower} {within.upper}"
    if all(patch.get_gid() != mark for patch in ax.patches):
        part = view.within(within)
        ax.axvspan(
            part.lower, part.upper, color=PALE, alpha=0.35, linewidth=0, zorder=0.4, gid=mark
        )


def draw_plain(ax: Axes, name: str, corners: Corners, rate: float, said: str = "") -> None:
    """Draw what needs no model, once an event rate; it has no say in how high the picture is."""
    mark = f"{name} {rate:.9g}"
    if any(line.get_gid() == mark for line in ax.get_lines()):
        return
    lines = import_extra("matplotlib.lines", extra="plots")
    line = lines.Line2D(
        *corners,
        color=GREY,
        linestyle=PLAIN[name],
        linewidth=0.9,
        zorder=2,
        label=f"{name}{said}",
        gid=mark,
    )
    # Not add_line: a line to minus infinity would take the models with it.
    ax.add_artist(line)


def draw_zero(ax: Axes) -> None:
    """Draw the line at zero, once an Axes."""
    if not _has_zero(ax):
        ax.axhline(0, color=GREY, linewidth=0.8, zorder=1.5, gid=ZERO)


def name_curves(ax: Axes, values: Mapping[str, float], before: int, digits: int) -> None:
    """Put a number behind the name of each new curve."""
    for line, (name, value) in zip(curves(ax)[before:], values.items(), strict=True):
        printed = number(value, digits)
        line.set_label(f"{legible(name)}  {printed}" if name else printed)


def digits_of(values: Iterable[float]) -> int:
    """Count the decimals in which values can be told apart."""
    return digits_for(max((abs(value) for value in values), default=0.0))


def title_of(what: str, within: Interval) -> str:
    """Say what the numbers in a legend are."""
    return f"{what},\n{percent(within.lower)} to {percent(within.upper)}"


def draw_names(
    ax: Axes, *, own: bool, title: str | None = None, corner: Corner = "upper right"
) -> None:
    """Name the curves, then what needs no model: beside a picture of our own, else in a corner."""
    handles = [
        line for line in [*curves(ax), *_plain(ax)] if not str(line.get_label()).startswith("_")
    ]
    if not handles:
        return
    had = ax.get_legend()
    place: dict[str, Any] = {"loc": "upper left" if own else corner}
    if own:
        place["bbox_to_anchor"] = (1, 1)
        longest = max(len(str(line.get_label())) for line in handles)
        # Long names widen the figure, rather than leave the picture a narrow strip.
        cast("Figure", ax.figure).set_figwidth(max(WIDTH, 5.4 + 0.065 * longest))
    legend = ax.legend(
        handles=handles,
        title=title or (had.get_title().get_text() if had else None) or None,
        title_fontsize="small",
        alignment="left",
        fontsize="small",
        # In a corner, names may stand on lines: paper behind them keeps them legible.
        frameon=not own,
        framealpha=0.6,
        facecolor="white",
        edgecolor="none",
        **place,
    )
    set_as_text([legend.get_title(), *legend.get_texts()])


def highest(ax: Axes, view: View, more: Iterable[Corners] = ()) -> tuple[float, float]:
    """Return the least and the greatest height of the curves in view, and of more corners."""
    seen = [(line.get_xdata(), line.get_ydata()) for line in curves(ax)]
    heights = [_in_view(view, *np.asarray(corners)) for corners in [*seen, *more]]
    found = np.concatenate(heights)
    return float(np.nanmin(found)), float(np.nanmax(found))


def set_height(ax: Axes, view: View, more: Iterable[Corners] = ()) -> None:
    """Make room for zero and for what is in view, unless the owner of the Axes has decided."""
    if not ax.get_autoscaley_on():
        return
    least, most = highest(ax, view, more)
    least, most = min(least, 0.0), max(most, 0.0)
    air = 0.05 * (most - least) or 0.05
    # A line at zero is not to lie on the frame.
    floor = least - air if least < 0 or _has_zero(ax) else 0
    # The limits stay free, so that the next curve makes room for itself.
    ax.set_ylim(floor, most + air, auto=None)


def _has_zero(ax: Axes) -> bool:
    return any(line.get_gid() == ZERO for line in ax.get_lines())


def _in_view(view: View, x: Any, y: Any) -> Any:
    ends = np.interp([view.lower, view.upper], x, y)
    return np.concatenate([y[(x >= view.lower) & (x <= view.upper)], ends])


def _plain(ax: Axes) -> list[Line2D]:
    return [line for line in ax.get_lines() if str(line.get_gid()).startswith(tuple(PLAIN))]
