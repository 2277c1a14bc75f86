"""How displays share Axes: colours, the curves of folds, and what only a curve alone has."""

from __future__ import annotations

from typing import TYPE_CHECKING

from properly._boundary._plain import many
from properly.plots._axes import CURVE, PALETTE, curves
from properly.plots._words import legible

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D

# How the curve of one fold looks, and how much thicker the pooled one is than a curve alone.
FAINT = {"alpha": 0.4, "linewidth": 0.8, "zorder": 2.2}
STRONGER = 1.4
FOLD, POOLED = "fold", "pooled"
# The mark of what is drawn for a curve that is alone: numbers, bars, and a band.
ALONE = "of a curve alone"
# Marks by which plots know the areas that they fill.
FILLED = ("band", "missed")


def next_color(ax: Axes | None) -> str:
    """Return the first colour of the palette that no display has used here."""
    used = set() if ax is None else {str(line.get_color()) for line in curves(ax)}
    free = [color for color in PALETTE if color not in used]
    return free[0] if free else PALETTE[len(used) % len(PALETTE)]


def make_room(ax: Axes | None) -> bool:
    """Take away what belongs to a curve that is no longer alone; tell whether there is none yet."""
    if ax is None or not curves(ax):
        return True
    for artist in extras_of(ax):
        if artist.get_gid() == ALONE:
            artist.remove()
    return False


def extras_of(ax: Axes | None) -> set[Artist]:
    """Return what is drawn besides lines: texts, bars and ribbons."""
    if ax is None:
        return set()
    ribbons = [artist for artist in ax.collections if artist.get_gid() in (*FILLED, ALONE)]
    return {*ax.texts, *ax.patches, *ribbons}


def tell_apart(line: Line2D, folds: list[Line2D], name: str) -> None:
    """Name the pooled curve as such, and one of the others for all of them."""
    shown = legible(name)
    number = "" if str(line.get_label()).startswith("_child") else str(line.get_label())
    said = [shown, POOLED, number.removeprefix(shown).removeprefix(", ")]
    line.set(
        label=", ".join(word for word in said if word), linewidth=STRONGER * line.get_linewidth()
    )
    # By this mark the legend finds it.
    folds[0].set(gid=CURVE, label=f"each of {many(len(folds), 'fold')}")
