"""Draw the picture of the guide to models in production."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy.special import expit

import properly
from properly import plots
from studies.pictures.canvas import figure_of, save

if TYPE_CHECKING:
    from pathlib import Path

    from matplotlib.figure import Figure

CASES, CHANGE, DRIFT = 6000, 3000, 0.8
REGIONS = ("north", "east", "south", "west")


def monitor() -> Figure:
    """Show a model of which the forecasts become too low in one of four regions."""
    rng = np.random.default_rng(11)
    log_odds = rng.normal(-2, 1, CASES)
    region = rng.choice(REGIONS, CASES)
    moved = (np.arange(CASES) >= CHANGE) & (region == "south")
    y = rng.random(CASES) < expit(log_odds + DRIFT * moved)
    watch = properly.Monitor()
    watch.add(y, {"model": expit(log_odds)}, groups=region)
    ax = plots.monitor(watch)
    ax.axvline(CHANGE, color="#9aa3ad", linewidth=0.8, zorder=0)
    return figure_of(ax)


def draw(folder: Path) -> None:
    save({"monitor": monitor}, folder)
