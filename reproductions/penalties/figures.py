"""Pictures: which truths a tie beats, and what the shares of a simulation depend on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from properly._boundary._notices import import_extra
from properly.plots._axes import GREY, PALE, PALETTE, inks
from properly.rules._penalty import likeliest
from reproductions.penalties.constants import MAKERS
from reproductions.penalties.simulation import FEW, PRINTED
from reproductions.penalties.ties import best_tie
from reproductions.reproduction import sheet

if TYPE_CHECKING:
    from collections.abc import Mapping

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from properly.plots._axes import Ink
    from reproductions.penalties.simulation import Count, Simulation
    from reproductions.reproduction import Figures


# Triangles a side, so many that borders look smooth; with a multiple of three, some middles could
# lie on the border of two colours.
FINENESS = 400
BEST = {1: ("the truth", PALE), 2: ("two classes tied", PALETTE[4]), 3: ("all tied", PALETTE[1])}
# A corner for each class: the first is to the left, the third on top.
CORNERS = np.array([[0.0, 0.0], [1.0, 0.0], [0.5, np.sqrt(3) / 2]])


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
        title="what it is best to report, by where the truth is",
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
    tied = np.maximum(best_tie(name, middle), likeliest(middle).sum(axis=1))
    x, y = (point @ CORNERS).T
    ax.tripcolor(
        *(x, y, triangles),
        facecolors=tied,
        cmap=colors.ListedColormap([color for _, color in BEST.values()]),
        vmin=0.5,
        vmax=len(BEST) + 0.5,
    )
    ax.plot(*CORNERS[[0, 1, 2, 0]].T, color=GREY, linewidth=0.8)
    for k, ((right, up), below) in enumerate(zip(CORNERS, (True, True, False), strict=True)):
        side, away = ("top", -5) if below else ("bottom", 5)
        ax.annotate(
            f"class {k} certain",
            (right, up),
            (0, away),
            textcoords="offset points",
            ha="center",
            va=side,
            fontsize="small",
        )
    ax.set(aspect="equal")
    ax.set_axis_off()


def _mesh(steps: int) -> tuple[Any, Any]:
    """Cut the laws of three classes into triangles that point up and down."""
    number = np.arange(steps + 1)
    i, j = np.nonzero(np.add.outer(number, number) <= steps)
    place = np.zeros((steps + 1, steps + 1), dtype=np.int64)
    place[i, j] = np.arange(len(i))
    up, down = i + j < steps, i + j < steps - 1
    corners = ((up, 0, 0), (up, 1, 0), (up, 0, 1)), ((down, 1, 0), (down, 1, 1), (down, 0, 1))
    triangles = [
        np.stack([place[i[at] + right, j[at] + above] for at, right, above in three], axis=1)
        for three in corners
    ]
    return np.stack([i, j, steps - i - j], axis=1) / steps, np.concatenate(triangles)


def _simulation(found: Simulation) -> Figure:
    """Draw the shares over the number of classes, beside the numbers of the paper."""
    figure, axes = sheet(1, len(PRINTED))
    figure.set_figwidth(11)
    schemes = inks(dict.fromkeys(cell.scheme for cell in found.cells))
    for ax, (which, printed) in zip(axes.flat, PRINTED.items(), strict=True):
        ax.axhline(printed, color=GREY, linewidth=0.8, linestyle="--", label="the paper")
        for scheme, ink in schemes.items():
            cells = [cell for cell in found.cells if cell.scheme == scheme]
            _draw_shares(ax, {cell.classes: getattr(cell, which) for cell in cells}, ink, scheme)
        ax.set_title(f"the wrong one gives the truth {which}", fontsize="medium")
        classes = list(dict.fromkeys(cell.classes for cell in found.cells))
        ax.set(xscale="log", xlabel="classes", xticks=classes, xticklabels=classes)
        ax.minorticks_off()
    axes.flat[0].set_ylabel("wrong one has the larger Brier score, %")
    axes.flat[-1].legend(frameon=False, fontsize="small", loc="upper left", bbox_to_anchor=(1, 1))
    return figure


def _convergence(found: Simulation, which: str) -> Figure:
    """Draw the share over the number of comparisons so far, as the paper does."""
    figure, axes = sheet(1, 1)
    figure.set_size_inches(8, 4.5)
    (ax,) = axes.flat
    ax.axhline(PRINTED[which], color=GREY, linewidth=0.8, linestyle="--", label="the paper")
    for scheme, ink in inks(dict.fromkeys(cell.scheme for cell in found.cells)).items():
        compared, share = found.cumulative(scheme, which)
        look = {"color": ink.color, "linestyle": ink.linestyle, "linewidth": 1.2}
        ax.plot(compared, 100 * share, label=scheme, **look)
    # Few of the wrong ones give the truth more: of some schemes hundreds, of others thousands.
    ax.set(xscale="log", xlabel="comparisons so far")
    ax.set_ylabel("wrong one has the larger Brier score, %")
    ax.set_title(f"the wrong one gives the truth {which}", fontsize="medium")
    ax.legend(frameon=False, fontsize="small", loc="upper left", bbox_to_anchor=(1, 1))
    return figure


def _draw_shares(ax: Axes, counts: Mapping[int, Count], ink: Ink, name: str) -> None:
    """Draw shares with their standard errors, but none of few pairs."""
    shown = {c: count for c, count in counts.items() if count.compared >= FEW}
    ax.errorbar(
        list(shown),
        [100 * count.share for count in shown.values()],
        [100 * count.error for count in shown.values()],
        color=ink.color,
        linestyle=ink.linestyle,
        linewidth=1.2,
        marker="o",
        markersize=3,
        elinewidth=0.8,
        label=name,
    )


FIGURES: Figures = {
    "ties": lambda _: _ties(),
    "simulation": lambda result: _simulation(result.simulation),
    "figure4": lambda result: _convergence(result.simulation, "less"),
    "figure5": lambda result: _convergence(result.simulation, "more"),
}
