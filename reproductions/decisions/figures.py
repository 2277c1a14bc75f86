"""Figures 2 to 6 of the paper on consequences."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import numpy as np

from properly import plots
from properly.rules import BetaWeighted, Brier, Log, Misclassification, Shifted
from reproductions.decisions.breast_cancer import RISKS
from reproductions.decisions.crash import DRAWN, MODEL, WITHIN
from reproductions.reproduction import sheet

if TYPE_CHECKING:
    from collections.abc import Mapping

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.legend import Legend

    from properly.plots._axes import Ends
    from properly.plots._threshold_scale import Axis
    from properly.rules import BinaryRule
    from reproductions.decisions.breast_cancer import Curves
    from reproductions.decisions.crash import CrashTable, Rescaled
    from reproductions.reproduction import Figures


AXES: tuple[Axis, ...] = ("linear", "log-odds")
# A little more than the range that matters: of crashes, and of breast cancer.
SHOWN = (0.005, 0.2)
SHOWN_RISKS = (0.005, 0.1)
# What needs the authors' forecasts.
OWN = ("figure2_breast_cancer", "figure3_breast_cancer")
ASSUMED = {"accuracy": Misclassification(), "Brier score": Brier(), "log score": Log()}
PRIORS = {
    "Beta(1, 1), Brier score": BetaWeighted(1, 1),
    "Beta(2, 2), Hand": BetaWeighted(2, 2),
    "Beta(2, 8), Zhu et al.": BetaWeighted(2, 8),
    "Brier score, moved to 0.1": Shifted(0.1),
}


def _figure2(found: CrashTable | Curves, within: Ends = WITHIN, limits: Ends = SHOWN) -> Figure:
    """Draw what the decisions of each model cost at each threshold."""
    figure, axes = sheet(1, 2)
    for ax, axis in zip(axes.flat, AXES, strict=True):
        plots.regret(
            found.regret,
            ax,
            within=within,
            axis=axis,
            limits=limits,
        )
        ax.set_title(f"{axis} axis", fontsize="medium")
    _one_legend(figure)
    return figure


def _figure3(found: CrashTable | Curves, within: Ends = WITHIN, limits: Ends = SHOWN) -> Figure:
    """Draw ranking, cost, and the parts of the score that reconcile the two."""
    figure, axes = sheet(1, 3)
    left, middle, right = axes.flat
    plots.roc(found.roc, left)
    plots.regret(
        found.regret,
        middle,
        within=within,
        axis="log-odds",
        limits=limits,
        baselines=False,
    )
    # Without the baselines, nothing is costly at low thresholds; or what treats nobody is.
    _legend(middle).set_loc("upper left" if limits == SHOWN else "lower right")
    plots.mcb_dsc(found.parts, right)
    titles = ("A. ROC curves", "B. Regret", f"C. Parts of the {DRAWN} score")
    for ax, title in zip(axes.flat, titles, strict=True):
        ax.set_title(title, fontsize="medium")
    return figure


def _figure4(found: Rescaled) -> Figure:
    """Draw one decision curve on three axes."""
    figure, axes = sheet(1, len(found.areas))
    figure.set_figheight(5)
    for ax, area in zip(axes.flat, found.areas, strict=True):
        plots.decision(
            {MODEL: found.curve},
            ax,
            within=WITHIN,
            axis=area.axis,
            limits=SHOWN,
        )
        # The area is what net benefit falls short of the event rate.
        c = np.linspace(*WITHIN, 2000)
        ax.fill_between(c, found.curve.at(c), found.curve.event_rate, alpha=0.18, linewidth=0)
        ax.set_title(f"{area.axis} axis: {area.what}", fontsize="medium")
        # Each has a legend of its own, and no corner to spare.
        _legend(ax).set_loc("upper center")
        _legend(ax).set_bbox_to_anchor((0.5, -0.16))
    return figure


def _weights(rules: Mapping[str, BinaryRule]) -> Figure:
    """Draw what rules assume, at even steps of the threshold and of its log-odds."""
    figure, axes = sheet(1, 2)
    for ax, axis in zip(axes.flat, AXES, strict=True):
        plots.threshold_weights(rules, ax, axis=axis)
        ax.set_title(f"{axis} axis", fontsize="medium")
    _one_legend(figure)
    return figure


def _one_legend(figure: Figure) -> None:
    """Keep one of several legends that say the same, beside the pictures."""
    figure.set_figwidth(10.4)
    *others, last = figure.axes
    for ax in others:
        _legend(ax).remove()
    _legend(last).set_loc("upper left")
    _legend(last).set_bbox_to_anchor((1, 1))


def _legend(ax: Axes) -> Legend:
    return cast("Legend", ax.get_legend())


FIGURES: Figures = {
    "figure2": lambda result: _figure2(result.crash),
    "figure3": lambda result: _figure3(result.crash),
    "figure4": lambda result: _figure4(result.figure4),
    OWN[0]: lambda result: _figure2(result.table2.curves, RISKS, SHOWN_RISKS),
    OWN[1]: lambda result: _figure3(result.table2.curves, RISKS, SHOWN_RISKS),
    "figure5": lambda _: _weights(ASSUMED),
    "figure6": lambda _: _weights(PRIORS),
}
