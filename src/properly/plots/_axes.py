"""The paper to draw on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from properly._extras import import_extra

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Okabe and Ito's palette: told apart by colour-blind readers too.
BLUE, GREY = "#0072B2", "#8A8A8A"
DIAGONAL = "diagonal"


def square_axes(ax: Axes | None) -> Axes:
    """Use the given Axes, or make one in a figure of its own."""
    if ax is None:
        matplotlib = import_extra("matplotlib.figure", extra="plots")
        # Not pyplot: a figure of our own enters no global list and needs no screen.
        figure: Figure = matplotlib.Figure(figsize=(4.2, 4.2), layout="constrained")
        ax = figure.add_subplot()
        ax.set(xlim=(-0.02, 1.02), ylim=(-0.02, 1.02), aspect="equal")
        ticks = [k / 5 for k in range(6)]
        ax.set(xticks=ticks, yticks=ticks)
        ax.spines[["top", "right"]].set_visible(False)
    return ax


def draw_diagonal(ax: Axes) -> None:
    """Draw the line of forecasts that can be taken at their word, once an Axes."""
    if all(line.get_gid() != DIAGONAL for line in ax.get_lines()):
        ax.plot([0, 1], [0, 1], color=GREY, linewidth=0.8, zorder=1, gid=DIAGONAL)
