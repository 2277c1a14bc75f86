"""Pictures: which truths a tie beats, and how the shares of a simulation settle."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from properly._extras import import_extra
from properly.plots._axes import GREY, PALE, PALETTE, inks
from properly.reproduce._penalized_constants import MAKERS
from properly.reproduce._penalized_laws import leading
from properly.reproduce._penalized_simulation import FEW, PRINTED
from properly.reproduce._penalized_ties import best_tie
from properly.reproduce._pictures import save_all, sheet

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from properly.reproduce._penalized import PenalizedReproduction
    from properly.reproduce._penalized_simulation import Count, Simulation

# Triangles a side; with 150, some middles would lie on the border of two colours.
FINENESS = 152
BEST = {1: ("the truth", PALE), 2: ("two classes tied", PALETTE[4]), 3: ("all tied", PALETTE[1])}
SHOWN = 5
# A corner for each class: the first is to the left, the third on top.
CORNERS = np.array([[0.0, 0.0], [1.0, 0.0], [0.5, np.sqrt(3) / 2]])


def save(
    result: PenalizedReproduction, folder: Path, step: Callable[[str], None]
) -> tuple[Path, ...]:
    """Draw and save every picture."""
    makers: dict[str, Callable[[], Figure]] = {
        "ties": _ties,
        "simulation": lambda: _simulation(result.simulation),
    }
    return save_all(makers, folder, step)


def _ties() -> Figure:
    """Colour every law of three classes by the best report, if every tied class is right."""
    figure, axes = sheet(1, len(MAKERS))
    for ax, name in zip(axes.flat, MAKERS, strict=True):
        _draw_simplex(ax, name)
        ax.set_title(f"{name}, every tied class right", fontsize="medium")
    patches = import_extra("matplotlib.patches", extra="plots")
    handles = [patches.Patch(color=color, label=label) for label, color in BEST.values()]
    figure.legend(
        handles=handles,
        title="best report",
        loc="outside lower center",
        ncols=len(handles),
        frameon=False,
        fontsize="small",
    )
    return figure


def _draw_simplex(ax: Axes, name: str) -> None:
    colors = import_extra("matplotlib.colors", extra="plots")
    point, triangles = _mesh(FINENESS)
    middle = point[triangles].mean(axis=1)
    # A truth that is tied by itself is its own best report.
    tied = np.maximum(best_tie(name, middle), leading(middle).sum(axis=1))
    x, y = (point @ CORNERS).T
    ax.tripcolor(
        *(x, y, triangles),
        facecolors=tied,
        cmap=colors.ListedColormap([color for _, color in BEST.values()]),
        vmin=0.5,
        vmax=len(BEST) + 0.5,
    )
    ax.plot(*CORNERS[[0, 1, 2, 0]].T, color=GREY, linewidth=0.8)
    for k, ((right, up), side) in enumerate(zip(CORNERS, ("top", "top", "bottom"), strict=True)):
        ax.text(right, up, f"class {k} certain", ha="center", va=side, fontsize="small")
    ax.set(aspect="equal")
    ax.set_axis_off()


def _mesh(steps: int) -> tuple[Any, Any]:
    """Cut the laws of three classes into triangles that point up and down."""
    place = {
        (i, j): n
        for n, (i, j) in enumerate((i, j) for i in range(steps + 1) for j in range(steps + 1 - i))
    }
    point = np.array([(i, j, steps - i - j) for i, j in place]) / steps
    up = [[(i, j), (i + 1, j), (i, j + 1)] for i, j in place if i + j < steps]
    down = [[(i + 1, j), (i + 1, j + 1), (i, j + 1)] for i, j in place if i + j < steps - 1]
    return point, np.array([[place[corner] for corner in corners] for corners in up + down])


def _simulation(found: Simulation) -> Figure:
    """Draw the running shares of one number of classes beside the numbers of the paper."""
    figure, axes = sheet(1, len(PRINTED))
    cells = [cell for cell in found.cells if cell.classes == SHOWN]
    colors = inks(cell.scheme for cell in cells)
    for ax, (which, printed) in zip(axes.flat, PRINTED.items(), strict=True):
        ax.axhline(printed, color=GREY, linewidth=0.8, label="the paper")
        for cell in cells:
            _draw_running(ax, getattr(cell, which), colors[cell.scheme], cell.scheme)
        ax.set_title(f"{SHOWN} classes: wrong gives the truth {which}", fontsize="medium")
        ax.set(xscale="log", xlabel="comparisons", ylabel="wrong has the larger Brier score, %")
    figure.set_figwidth(11)
    axes.flat[-1].legend(frameon=False, fontsize="small", loc="upper left", bbox_to_anchor=(1, 1))
    return figure


def _draw_running(ax: Axes, counts: tuple[Count, ...], ink: Any, name: str) -> None:
    line = [count for count in counts if count.compared >= FEW]
    ax.plot(
        [count.compared for count in line],
        [100 * count.share for count in line],
        color=ink.color,
        linestyle=ink.linestyle,
        linewidth=1.2,
        label=name,
    )
