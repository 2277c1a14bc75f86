"""Draw the pictures of the guides to decisions and to thresholds.

All pictures show forecasts of death in car crashes, which are part of the package, or rules alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

import properly
from properly import plots
from properly.rules import (
    BetaWeighted,
    Brier,
    HistogramWeighted,
    Log,
    Misclassification,
    PointWeighted,
    Regret,
)
from studies.pictures.canvas import NAMES, figure_of, panels, save

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

WITHIN = (0.01, 0.1)


def crash_cases() -> dict[str, properly.Cases]:
    """Take the five models, people of one crash together."""
    crash = properly.datasets.crash()
    return {
        NAMES[name]: properly.Cases(crash.died, p, clusters=crash.cluster)
        for name, p in crash.forecasts.items()
    }


def name_beside(ax: Axes) -> None:
    """Move the legend out of the way of the curves."""
    legend: Any = ax.get_legend()
    legend.set_loc("upper left")
    legend.set_bbox_to_anchor((1, 1), transform=ax.transAxes)


def decision_curves() -> Figure:
    """Show the net benefit of all models and of doing without one, with the mean over the range."""
    curves = {name: properly.decision_curve(c, "every") for name, c in crash_cases().items()}
    ax = panels(8.6, 4.2, 1)[0]
    plots.decision(curves, ax, within=WITHIN, limits=(0, 0.15))
    name_beside(ax)
    return figure_of(ax)


def regret_curves() -> Figure:
    """Show what mistakes cost, with the mean over the range."""
    curves = {name: properly.regret_curve(c) for name, c in crash_cases().items()}
    ax = panels(8.6, 4.2, 1)[0]
    plots.regret(curves, ax, within=WITHIN, limits=(0, 0.15))
    name_beside(ax)
    return figure_of(ax)


def ranks() -> Figure:
    cases = crash_cases()
    constants = properly.counts.baselines(cases["logistic regression"])
    # At each threshold the constant event rate does as one of the other two.
    del constants["event rate"]
    found = properly.decisions.rank_by_threshold({**cases, **constants}, within=WITHIN)
    ax = panels(7.4, 3.6, 1)[0]
    plots.threshold_ranks(found, ax)
    return figure_of(ax)


def best_models() -> Figure:
    found = properly.decisions.best_by_range(crash_cases(), edges=np.arange(51) / 200)
    ax = panels(5.6, 5.2, 1)[0]
    plots.range_map(found, ax)
    return figure_of(ax)


def assumptions() -> Figure:
    """Show which thresholds common metrics are about."""
    rules = {
        "accuracy": Misclassification(),
        "Brier": Brier(),
        "log score": Log(),
        "H-measure, Beta(2, 2)": BetaWeighted(2, 2),
        "mean regret, 1 to 10 %": Regret(WITHIN),
    }
    ax = panels(7.4, 3.9, 1)[0]
    plots.threshold_weights(rules, ax, axis="log-odds")
    return figure_of(ax)


def beliefs() -> Figure:
    """Show what four people might say about the thresholds that matter to them."""
    rules = {
        "a range, 1 to 10 %": Regret(WITHIN),
        "three colleagues": PointWeighted([0.02, 0.05, 0.1], [1, 2, 1]),
        "ten chips": HistogramWeighted([0.01, 0.02, 0.05, 0.1, 0.2], [2, 5, 2, 1]),
        "Beta(2, 38)": BetaWeighted(2, 38),
    }
    ax = panels(7.4, 3.9, 1)[0]
    plots.threshold_weights(rules, ax, limits=(0, 0.25))
    return figure_of(ax)


PICTURES: dict[str, Callable[[], Figure]] = {
    "decision_curve": decision_curves,
    "regret_curve": regret_curves,
    "threshold_ranks": ranks,
    "range_map": best_models,
    "threshold_weights": assumptions,
    "threshold_beliefs": beliefs,
}


def draw(folder: Path) -> None:
    """Save all pictures to a folder."""
    save(PICTURES, folder)
