"""Draw the pictures of the guide to penalized scores.

One picture shows forecasts of injuries in car crashes, which are part of the package, the other
rules alone: it is one of those that ``reproductions.penalized`` draws.
"""

from __future__ import annotations

import shutil
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import numpy as np

import properly
import reproductions
from properly.rules import PBS, Brier, Misclassification
from studies.pictures.canvas import QUIET, panels, save

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from numpy.typing import NDArray

    Forecasts = NDArray[np.float64]

# Three colours of Okabe and Ito's palette.
COLORS = {"model": "#009E73", "sharpened": "#D55E00", "class shares": "#0072B2"}
GREATEST = 1.5


def injuries() -> tuple[NDArray[np.int64], dict[str, Forecasts]]:
    """Take what happened, a model, the same far too sure, and what is said of everybody."""
    crash = properly.datasets.crash()
    known = crash.severity_known
    y, p = crash.severity[known], crash.severity_probabilities[known]
    sharp = p**4 / np.sum(p**4, axis=1, keepdims=True)
    shares = np.tile(np.bincount(y) / len(y), (len(y), 1))
    return y, dict(zip(COLORS, (p, sharp, shares), strict=True))


def switching() -> Figure:
    """Draw PBS as a function of the penalty: lines, two of which cross."""
    y, forecasts = injuries()
    ax = panels(7.4, 4.1, 1)[0]
    lines = {name: (Brier()(y, p), Misclassification()(y, p)) for name, p in forecasts.items()}
    for name, (brier, error) in lines.items():
        ends = np.array([0, GREATEST])
        ax.plot(ends, brier + error * ends, color=COLORS[name], linewidth=1.8)
        ax.text(GREATEST, brier + error * GREATEST, f"  {name}", color=COLORS[name], va="center")
    _, (brier, error), (other_brier, other_error) = lines.values()
    switch = (brier - other_brier) / (other_error - error)
    mark(ax, switch, brier + error * switch)
    for said in ("minimal", "paper"):
        penalty = PBS(penalty=said).penalty_for(5)
        ax.axvline(penalty, color=QUIET, linewidth=0.8, linestyle=":")
        ax.text(penalty, 0.66, f' "{said}"', color=QUIET)
    ax.set(xlim=(0, GREATEST), xlabel="penalty", ylabel="penalized Brier score", ylim=(0.65, None))
    return ax.get_figure()  # type: ignore[return-value]


def mark(ax: Axes, x: float, y: float) -> None:
    """Say where the lines cross."""
    ax.plot([x], [y], "o", color=QUIET, markersize=6, zorder=3)
    place: dict[str, Any] = {"xytext": (x - 0.17, y + 0.2), "ha": "right", "color": QUIET}
    ax.annotate(
        f"switching penalty {x:.2f}",
        (x, y),
        arrowprops={"arrowstyle": "-", "color": QUIET, "shrinkB": 5},
        **place,
    )


def draw(folder: Path) -> None:
    """Save both pictures to a folder."""
    with TemporaryDirectory() as made:
        reproductions.penalized(output=made)
        shutil.copyfile(Path(made) / "ties.png", folder / "tied_reports.png")
    save({"switching_penalty": switching}, folder)
