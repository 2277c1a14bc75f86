"""Draw the pictures of the README and of the landing page."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.figure import Figure

import properly
from properly import plots
from properly.rules import Brier
from studies.pictures.canvas import INK, PALE, QUIET, SEED, save

if TYPE_CHECKING:
    from pathlib import Path

    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    from properly.datasets import Crash

    Forecasts = NDArray[np.float64]

# Model, title, what to see, a colour of Okabe and Ito's palette.
PANELS = (
    ("logistic", "Logistic regression", "close to what happened", "#0072B2"),
    ("forest", "Random forest", "too sure at both ends", "#009E73"),
    ("balanced_boosting", "Boosting, balanced classes", "far too high", "#D55E00"),
)
PERCENTS = (0, 1, 5, 20, 50, 100)
CELLS = 48
LANDING: dict[Any, Any] = {
    "axes.edgecolor": PALE,
    "font.size": 11,
    "text.color": INK,
    "xtick.color": QUIET,
    "ytick.color": QUIET,
}


def spread_low_forecasts(ax: Axes) -> None:
    """Give both axes a square-root scale: deaths are rare, and a log scale has no place for 0."""
    scale = (lambda x: np.sign(x) * np.sqrt(np.abs(x)), lambda x: np.sign(x) * x * x)
    ax.set_xscale("function", functions=scale)
    ax.set_yscale("function", functions=scale)
    ax.set(xlim=(-0.0004, 1.02), ylim=(-0.0004, 1.02))
    ticks = [percent / 100 for percent in PERCENTS]
    ax.set_xticks(ticks, [""] * len(ticks))
    ax.set_yticks(ticks, [str(percent) for percent in PERCENTS])
    ax.tick_params(length=3)


def hang_histogram(ax: Axes, p: Forecasts, color: str) -> None:
    """Hang the distribution of the forecasts below the diagram, in cells as wide as they look."""
    strip = ax.inset_axes((0, -0.19, 1, 0.16), transform=ax.transAxes)
    edges = np.linspace(0, 1, CELLS + 1)
    cases, _ = np.histogram(np.sqrt(p), edges)
    strip.bar(edges[:-1], cases, width=1 / CELLS, align="edge", color=color, alpha=0.4)
    low, high = (np.sign(x) * np.sqrt(abs(x)) for x in ax.get_xlim())
    strip.set(xlim=(low, high), yticks=[])
    strip.set_xticks(np.sqrt(PERCENTS) / 10, [str(percent) for percent in PERCENTS])
    strip.tick_params(length=3)
    strip.spines[["top", "right", "left"]].set_visible(False)
    strip.set_xlabel("forecast, %", color=QUIET)


def draw_panel(ax: Axes, crash: Crash, panel: tuple[str, str, str, str]) -> None:
    model, title, reading, color = panel
    p = crash.forecasts[model]
    tally = properly.tally(crash.died, p)
    # Resampled, since a grid of whole percents is too coarse for so many forecasts near 0.
    record = properly.reliability(tally, band="consistency", method="resampling", rng=SEED)
    plots.reliability(record, ax, color=color, histogram=False)
    spread_low_forecasts(ax)
    hang_histogram(ax, p, color)
    parts = properly.decompose(tally, Brier())
    numbers = f"MCB  {parts.miscalibration:.4f}\nDSC  {parts.discrimination:.4f}"
    ax.text(0.05, 0.95, numbers, transform=ax.transAxes, va="top", linespacing=1.5, color=QUIET)
    ax.set_title(title, loc="left", pad=25, fontweight="bold", fontsize=13)
    ax.text(0, 1.035, reading, transform=ax.transAxes, color=color, fontsize=12)
    ax.set(xlabel="", ylabel="", aspect="equal")
    ax.spines[["top", "right"]].set_visible(False)


def add_notes(left: Axes, middle: Axes, crash: Crash) -> None:
    """Say how to read a diagram, and where the forest is most wrong."""
    small: dict[str, Any] = {"color": QUIET, "fontsize": 10}
    reading = "above the line: forecasts too low\nbelow the line: forecasts too high"
    left.text(0.98, 0.05, reading, transform=left.transAxes, ha="right", linespacing=1.5, **small)
    certain = int(((crash.forecasts["forest"] == 0) & crash.died).sum())
    middle.annotate(
        f"0 % was said of {certain} who died",
        xy=(0.004, 0.0083),
        xytext=(0.04, 0.0083),
        va="center",
        arrowprops={"arrowstyle": "-", "color": PALE, "shrinkA": 2, "shrinkB": 3},
        **small,
    )


def reliability_of_crash_models() -> Figure:
    crash = properly.datasets.crash()
    figure = Figure(figsize=(11, 5), layout="constrained", facecolor="white")
    axes = figure.subplots(1, len(PANELS), sharey=True)
    for ax, panel in zip(axes, PANELS, strict=True):
        draw_panel(ax, crash, panel)
    add_notes(axes[0], axes[1], crash)
    axes[0].set_ylabel("died, %", color=QUIET)
    return figure


def lower_hull() -> Figure:
    """Draw how bins come about: the cumulated counts, their lower hull, and the curve it makes."""
    tally = properly.Tally.from_counts(
        [0.05, 0.15, 0.25, 0.4, 0.5, 0.7, 0.85], [4, 3, 3, 2, 3, 2, 3], [0, 1, 0, 1, 1, 2, 2]
    )
    record = properly.reliability(tally, forecasts="continuous")
    figure = Figure(figsize=(8.6, 3.9), layout="constrained", facecolor="white")
    left, right = figure.subplots(1, 2)
    cases, events = (np.cumsum([0, *column]) for column in (tally.weight, tally.events))
    corner = np.cumsum([0, *record.bins.weight])
    height = events[np.searchsorted(cases, corner)]
    left.plot(cases, events, "o-", color=PALE, linewidth=1, markerfacecolor="white", zorder=1)
    left.plot(corner, height, "o-", color="#0072B2", linewidth=2.6, markersize=6, zorder=2)
    for i, rate in enumerate(record.bins.event_rate):
        place = (corner[i : i + 2].mean(), height[i : i + 2].mean())
        left.annotate(
            f"{rate:.2g}", place, (7, -12), textcoords="offset points", color="#0072B2", fontsize=10
        )
    left.set_title("Slopes of the lower hull …", loc="left", fontweight="bold", fontsize=12)
    left.set_xlabel("cases so far, lowest forecasts first", color=QUIET)
    left.set_ylabel("events so far", color=QUIET)
    left.set(xlim=(-0.6, 21.5), ylim=(-0.6, 7.6))
    left.spines[["top", "right"]].set_visible(False)
    plots.reliability(record, right, histogram=False)
    right.set(xlim=(-0.02, 1.02), ylim=(-0.02, 1.02), aspect="equal")
    right.spines[["top", "right"]].set_visible(False)
    right.plot(tally.value, tally.events / tally.weight, "o", color=PALE, markerfacecolor="white")
    right.set_title("… are the reliability curve", loc="left", fontweight="bold", fontsize=12)
    right.set_xlabel("forecast", color=QUIET)
    right.set_ylabel("event rate", color=QUIET)
    return figure


PICTURES = {"reliability": reliability_of_crash_models, "hull": lower_hull}


def draw(folder: Path) -> None:
    """Save all pictures to a folder."""
    save(PICTURES, folder, style=LANDING, dpi=160, margin=0.12)
