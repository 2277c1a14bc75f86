"""Draw the pictures of the guide to recalibration."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import properly
from properly import plots
from properly.recalibration import Beta, Intercept
from properly.rules import Brier
from studies.pictures.canvas import INK, NAMES, PALE, QUIET, figure_of, panels, save
from studies.pictures.landing import LANDING, PANELS, hang_histogram, spread_low_forecasts

if TYPE_CHECKING:
    from pathlib import Path

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from properly.recalibration import Map, Recalibrated

# What `recalibrate` chooses; None where it recommends none.
CHOSEN: dict[str, Map | None] = {
    "logistic": None,
    "balanced_boosting": Intercept(),
    "forest": Beta(),
}
WORDS = {
    "logistic": "left as it is: no map helps",
    "balanced_boosting": "repaired by a shift of the log odds",
    "forest": "repaired by a beta map",
}
BETTER = "#0072B2"


def cases_of(name: str) -> properly.Cases:
    crash = properly.datasets.crash()
    return properly.Cases(crash.died, crash.forecasts[name], clusters=crash.cluster)


def before_and_after() -> Figure:
    """Draw curves of forecasts as they are, and of cross-fitted ones."""
    axes = panels(11, 4.6, 3)
    titles = {name: title for name, title, _, _ in PANELS}
    for ax, (name, chosen) in zip(axes, CHOSEN.items(), strict=True):
        cases = cases_of(name)
        color = BETTER if chosen is None else PALE
        plots.reliability(properly.reliability(cases), ax, color=color, histogram=False)
        shown = cases if chosen is None else properly.cross_fit(cases, chosen)
        if chosen is not None:
            plots.reliability(properly.reliability(shown), ax, color=BETTER, histogram=False)
        spread_low_forecasts(ax)
        hang_histogram(ax, shown.p, BETTER)
        ax.set_title(titles[name], loc="left", pad=25, fontweight="bold", fontsize=13)
        ax.text(0, 1.035, WORDS[name], transform=ax.transAxes, color=BETTER, fontsize=12)
        ax.set(xlabel="", ylabel="", aspect="equal")
    axes[1].text(0.62, 0.045, "before", color=QUIET, fontsize=11)
    axes[1].text(0.3, 0.5, "after", color=BETTER, fontsize=11, ha="right")
    axes[0].set_ylabel("died, %", color=QUIET)
    return figure_of(axes[0])


def draw_gains(ax: Axes, found: Recalibrated, most: float) -> None:
    """Draw what maps seem to save on their own cases, and what they would on new ones."""
    for row, gain in enumerate(found.gains.values()):
        seeming = "on the cases of the fit" if row == 0 else None
        honest = "on new cases, with 95 % interval" if row == 0 else None
        look: dict[str, Any] = {"linestyle": "", "markerfacecolor": "white", "color": QUIET}
        ax.plot(gain.in_sample, row, marker="o", label=seeming, zorder=3, **look)
        ax.errorbar(
            gain.estimate,
            row,
            xerr=[[gain.estimate - gain.interval[0]], [gain.interval[1] - gain.estimate]],
            fmt="o",
            color=BETTER,
            label=honest,
        )
    ax.axvline(most, color=QUIET, linestyle="--", linewidth=1, label="miscalibration: at most")
    ax.axvline(0, color=PALE, linewidth=1)
    ax.set_yticks(range(len(found.gains)), [name.replace("_", "-") for name in found.gains])
    ax.invert_yaxis()
    ax.tick_params(axis="y", length=0)
    ax.set_xlabel("saved of the Brier score", color=QUIET)


def seeming_and_honest() -> Figure:
    """Show that the raw miscalibration promises more than a map keeps."""
    axes = panels(11, 3.9, 2)
    for ax, name in zip(axes, ("logistic", "forest"), strict=True):
        cases = cases_of(name)
        most = properly.decompose(cases, Brier()).miscalibration
        draw_gains(ax, properly.recalibrate(cases, rule=Brier()), most)
        ax.set_title(NAMES[name].capitalize(), loc="left", fontweight="bold", color=INK)
    figure = figure_of(axes[0])
    handles, labels = axes[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=3, frameon=False)
    return figure


PICTURES = {"recalibration": before_and_after, "recalibration_gains": seeming_and_honest}


def draw(folder: Path) -> None:
    """Save all pictures to a folder."""
    save(PICTURES, folder, style=LANDING, dpi=150, margin=0.12)
