"""Draw the pictures of the guide to reliability diagrams.

Two pictures show the forecasts of rain at Niamey that the paper on CORP uses. They are not part of
this repository: name their file in the environment variable PROPERLY_NIAMEY, or these two pictures
stay as they are.
"""

from __future__ import annotations

import csv
import os
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

import properly
from properly import plots
from properly.rules import Brier
from studies.pictures.canvas import NAMES, SEED, panels, save

if TYPE_CHECKING:
    from collections.abc import Callable

    from matplotlib.figure import Figure


def crash_tallies() -> dict[str, properly.Tally]:
    crash = properly.datasets.crash()
    return {NAMES[name]: properly.tally(crash.died, p) for name, p in crash.forecasts.items()}


def three_bands() -> Figure:
    """Show the same curve with each kind of band."""
    t = crash_tallies()["logistic regression"]
    axes = panels(11, 4.1, 3)
    kinds = ("consistency", "confidence", "simultaneous")
    said = (
        "Consistency: calibrated forecasts\nwould keep the curve in here",
        "Confidence: at each forecast,\nthe true rate may lie in here",
        "Simultaneous: all of the true curve\nlies in here",
    )
    for ax, kind, words in zip(axes, kinds, said, strict=True):
        record = properly.reliability(t, band=kind, rng=SEED)  # type: ignore[call-overload]
        plots.reliability(record, ax, limits=(0, 0.3))
        ax.set_title(words, loc="left")
    for ax in axes[1:]:
        ax.set_ylabel("")
    return axes[0].get_figure()  # type: ignore[return-value]


def two_views() -> Figure:
    """Show rare forecasts by a logarithmic histogram, and a curve from the event rate."""
    t = crash_tallies()["logistic regression"]
    record, parts = properly.reliability(t), properly.decompose(t, Brier())
    axes = panels(9, 4.3, 2)
    plots.reliability(record, axes[0], histogram="log")
    plots.reliability(record, axes[1], part="discrimination", decomposition=parts)
    titles = "Logarithmic histogram", "Discrimination"
    for ax, title in zip(axes, titles, strict=True):
        ax.set_title(title, loc="left", pad=18)
    return axes[0].get_figure()  # type: ignore[return-value]


def parts_by_threshold() -> Figure:
    """Show at which thresholds a model is miscalibrated, and at which it knows something."""
    tallies = crash_tallies()
    axes = panels(11, 3.7, 2)
    titles = {"miscalibration": "Miscalibration", "discrimination": "Discrimination"}
    for ax, (part, title) in zip(axes, titles.items(), strict=True):
        chosen = ("logistic regression", "boosting, balanced", "random forest")
        curves = {
            name: properly.murphy_curve(tallies[name], part=part)  # type: ignore[call-overload]
            for name in chosen
        }
        plots.murphy(curves, ax)
        ax.set_title(title, loc="left", fontweight="bold")
    axes[1].set_ylabel("")
    return axes[0].get_figure()  # type: ignore[return-value]


def plane() -> Figure:
    """Place five models by what they know and how far off they are."""
    parts = {
        name: properly.decompose(t, Brier(), interval=True, rng=SEED)
        for name, t in crash_tallies().items()
        if name != "boosting, balanced"
    }
    ax = panels(6.6, 5.2, 1)[0]
    plots.mcb_dsc(parts, ax)
    return ax.get_figure()  # type: ignore[return-value]


def crash_triptych() -> Figure:
    tallies = crash_tallies()
    chosen = {n: tallies[n] for n in ("logistic regression", "boosting, balanced", "random forest")}
    axes = plots.triptych(
        {name: properly.murphy_curve(t) for name, t in chosen.items()},
        {name: properly.reliability(t) for name, t in chosen.items()},
        {name: properly.roc_curve(t) for name, t in chosen.items()},
    )
    figure = axes[0].get_figure()
    figure.set_size_inches(11.4, 4.5)  # type: ignore[union-attr]
    return figure  # type: ignore[return-value]


def rain(path: str) -> dict[str, properly.Tally]:
    """Read the forecasts of rain at Niamey."""
    with Path(path).open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    y = np.array([int(row["obs"]) for row in rows])
    models = ("ENS", "EPC", "EMOS", "Logistic")
    return {m: properly.tally(y, np.array([float(row[m]) for row in rows])) for m in models}


def rain_by_corp(tallies: dict[str, properly.Tally]) -> Figure:
    """Draw the diagrams of the paper's first two figures."""
    axes = plots.reliability_grid(
        {m: properly.reliability(t, band="consistency", rng=SEED) for m, t in tallies.items()},
        decompositions={m: properly.decompose(t, Brier()) for m, t in tallies.items()},
        columns=4,
    )
    figure = axes[0].get_figure()
    figure.set_size_inches(13, 3.7)
    return figure  # type: ignore[no-any-return]


def rain_by_bins(tallies: dict[str, properly.Tally]) -> Figure:
    """Draw what 9, 10 and 11 bins make of the same forecasts, and what CORP does."""
    axes = panels(13, 3.7, 4)
    for ax, bins in zip(axes, (9, 10, 11), strict=False):
        plots.binned_reliability(
            properly.calibration.binned_reliability(tallies["EMOS"], bins=bins), ax
        )
        ax.set_title(f"{bins} bins", loc="left")
    record = properly.reliability(tallies["EMOS"], band="consistency", rng=SEED)
    plots.reliability(record, axes[3])
    axes[3].set_title("no choice of bins", loc="left")
    for ax in axes[1:]:
        ax.set_ylabel("")
    return axes[0].get_figure()  # type: ignore[return-value]


def pictures() -> dict[str, Callable[[], Figure]]:
    found: dict[str, Callable[[], Figure]] = {
        "bands": three_bands,
        "discrimination": two_views,
        "parts": parts_by_threshold,
        "plane": plane,
        "triptych": crash_triptych,
    }
    path = os.environ.get("PROPERLY_NIAMEY")
    if path:
        tallies = rain(path)
        found["rain"] = lambda: rain_by_corp(tallies)
        found["rain_binned"] = lambda: rain_by_bins(tallies)
    return found


def draw(folder: Path) -> None:
    """Save all pictures to a folder."""
    save(pictures(), folder)
