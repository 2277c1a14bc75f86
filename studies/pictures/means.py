"""Draw the pictures of the guide to the scale of probabilities.

All pictures show forecasts of what happened in car crashes, which are part of the package, or two
classes made up.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import numpy as np
from matplotlib.figure import Figure
from reproductions.means.coupled import NELSON_CASES
from reproductions.means.coupled_plot import coupled_classes
from reproductions.means.population import line

import properly
from properly import plots
from properly.plots._axes import PALETTE
from properly.probability._power_means import POWERS, mean_of_power
from properly.probability._power_profiles import RiskProfile
from studies.pictures.canvas import INK, PALE, figure_of, panels, save
from studies.pictures.classes import injuries
from studies.pictures.reliability import crash_tallies

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from matplotlib.legend import Legend

THREE = ("logistic regression", "random forest", "boosting, balanced")
# The lowest forecast of the forest that is not 0.
PRECISION = 0.001
# How each line of a spectrum is drawn.
SIDES = {"source": ("--", PALETTE[0]), "expected": (":", INK), "model": ("-", PALETTE[1])}


def bars() -> Figure:
    """Show how often each model is right beside its three means."""
    found = {name: properly.means(t) for name, t in crash_tallies().items()}
    return figure_of(plots.means_bars(found))


def model_source() -> Figure:
    """Show a model that is as good as its word, one with surprises and a biased one."""
    tallies = crash_tallies()
    axes = panels(12.8, 4.4, len(THREE))
    for ax, name in zip(axes, THREE, strict=True):
        table = properly.probability.source_table(tallies[name], precision=PRECISION)
        plots.model_source(table, ax)
        ax.set_title(name, loc="left", fontweight="bold")
        ax.set_title(f"angle {table.means.angle:.0f}°", loc="right", fontsize="medium")
    for ax in axes[1:]:
        ax.set_ylabel("")
        cast("Legend", ax.get_legend()).remove()
    return figure_of(axes[0])


def profiles() -> Figure:
    """Show the means of all powers of the same three models, each beside its source."""
    tallies = crash_tallies()
    axes = panels(12.8, 4.4, len(THREE))
    for ax, name in zip(axes, THREE, strict=True):
        found = properly.probability.risk_profile(tallies[name], precision=PRECISION)
        plots.risk_profile(found, ax)
        ax.set_title(name, loc="left", fontweight="bold", pad=8)
    for ax in axes[1:]:
        ax.set_ylabel("")
    return figure_of(axes[0])


def classes() -> Figure:
    """Show model and source of five grades of injury."""
    ax = panels(6.8, 6.4, 1)[0]
    plots.model_source(properly.probability.source_table(injuries()["logistic"]), ax)
    return figure_of(ax)


def promised() -> Figure:
    """Show the ROC curves that the same three models have, and those that they predict."""
    tallies = crash_tallies()
    axes = panels(11, 4.1, len(THREE))
    for ax, name in zip(axes, THREE, strict=True):
        t = tallies[name]
        curves = {
            "actual": properly.roc_curve(t),
            "predicted": properly.decisions.predicted_roc_curve(t),
        }
        plots.roc(curves, ax)
        ax.set_title(name, loc="left", fontweight="bold")
    for ax in axes[1:]:
        ax.set_ylabel("")
    return figure_of(axes[0])


def coupled() -> Figure:
    """Show classes with heavy tails, and a model that does not believe in them."""
    case = NELSON_CASES["tail over"]
    return coupled_classes(case.source, case.model, precision=0.01)


def profile_of(name: str) -> RiskProfile:
    """Find the means of all powers without chance: of all cases that there are."""
    found = line(NELSON_CASES[name], points=20_001)
    cells, q = found.cells(found.levels()), found.forecast
    power = np.union1d(np.linspace(-3, 3, 25), list(POWERS.values()))
    sides = {
        "model": ((q, 1 - q), found.masses),
        "source": (cells.shares(), cells),
        "expected": ((q, 1 - q), (found.masses.total * q, found.masses.total * (1 - q))),
    }
    columns = {}
    for side, amounts in sides.items():
        t, weight = map(np.concatenate, amounts)
        there = weight > 0
        means = (mean_of_power(t[there], m, weight[there]) for m in power.tolist())
        columns[side] = np.array([*means])
    return RiskProfile(power, **columns)


def spectra() -> Figure:
    """Show the means of all powers of two classes, for fifteen models of them."""
    figure = Figure(figsize=(11, 7.2), layout="constrained", facecolor="white")
    axes = figure.subplots(3, 5, sharex=True, sharey=True)
    for ax, name in zip(axes.flat, NELSON_CASES, strict=True):
        for power in POWERS.values():
            ax.axvline(power, color=PALE, linewidth=0.8)
        profile = profile_of(name)
        for side, (style, color) in SIDES.items():
            ax.plot(profile.power, getattr(profile, side), style, color=color, label=side)
        ax.spines[["top", "right"]].set_visible(False)
        ax.set_title(name, loc="left", fontsize="medium")
        ax.set(ylim=(0, 1), xticks=range(-3, 4))
    figure.supxlabel("power of the mean", fontsize="medium")
    figure.supylabel("mean probability of what happens", fontsize="medium")
    handles, labels = axes[0, 0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper center", ncols=3, frameon=False)
    return figure


PICTURES: dict[str, Callable[[], Figure]] = {
    "mean_bars": bars,
    "mean_model_source": model_source,
    "mean_risk_profile": profiles,
    "mean_classes": classes,
    "mean_roc": promised,
    "mean_coupled_classes": coupled,
    "mean_spectra": spectra,
}


def draw(folder: Path) -> None:
    """Save all pictures to a folder."""
    save(PICTURES, folder)
