"""Draw the pictures of the guide to ordered classes.

All pictures show forecasts of injuries in car crashes, which are part of the package, or forecasts
made up.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from matplotlib.figure import Figure

import properly
from properly import plots
from properly.rules import RPS, Brier, ClassRule, Log, SquaredAbsoluteRPS
from studies.pictures.canvas import SEED, figure_of, panels, save

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from matplotlib.axes import Axes

    from properly.decisions._retention import RetentionStudy


def injuries() -> dict[str, properly.Cases]:
    """Take the forecasts of injuries, and the same ones made overconfident."""
    crash = properly.datasets.crash()
    known = crash.severity_known
    y = np.array(crash.severity_labels)[crash.severity[known]]
    p = crash.severity_probabilities[known]
    sharpened = p**2 / np.sum(p**2, axis=1, keepdims=True)
    return {
        name: properly.Cases(y, q, labels=crash.severity_labels, clusters=crash.cluster[known])
        for name, q in {"logistic": p, "sharpened": sharpened}.items()
    }


def near_and_far() -> Figure:
    """Show two forecasts that differ only in how far off they are."""
    grades = ["mild", "moderate", "severe"]
    forecasts = {"one class off": [0.25, 0.75, 0], "two classes off": [0.25, 0, 0.75]}
    axes = plots.cumulative_forecast(
        {
            name: properly.decisions.cumulative_forecast("mild", p, grades)
            for name, p in forecasts.items()
        }
    )
    return figure_of(axes[0])


def cuts() -> Figure:
    """Show the reliability of both models, one above the other, at each cut."""
    curves: dict[str, properly.calibration.Reliability] = {}
    parts: dict[str, properly.calibration.Decomposition] = {}
    names: list[str] = []
    for model, cases in injuries().items():
        found = properly.reliability(cases, reduction="cumulative", band="consistency", rng=SEED)
        split = properly.decompose(cases, RPS())
        curves |= {f"{model}, {name}": curve for name, curve in found.items()}
        parts |= {f"{model}, {name}": part for name, part in split.items()}
        names += split
    axes = plots.reliability_grid(curves, decompositions=parts, columns=len(names) // 2)
    for ax, name in zip(axes, names, strict=True):
        ax.set_title(name, fontsize="small")
    for model, ax in zip(injuries(), axes[:: len(names) // 2], strict=True):
        ax.set_ylabel(model, fontweight="bold")
    return figure_of(axes[0])


def decisions() -> Figure:
    """Show what is decided for the likeliest class, and what at least expected cost."""
    found = properly.decisions.hard_decisions(injuries()["logistic"], "quadratic")
    figure = Figure(figsize=(7.2, 7.4), layout="constrained", facecolor="white")
    axes = figure.subplots(2, 1, sharex=True)
    ways = {"The likeliest grade": found.argmax, "The least expected cost": found.bayes}
    for ax, (name, scores) in zip(axes, ways.items(), strict=True):
        plots.confusion(scores.confusion, ax)
        numbers = f"cost {scores.expected_cost:.2f}, QWK {scores.quadratic_kappa:.2f}"
        ax.set_title(f"{name}: {numbers}", loc="left")
    axes[0].set_xlabel("")
    return figure


def removal() -> Figure:
    """Show retention curves, and their areas less that of the RPS."""
    cases = injuries()["logistic"]
    rules: dict[str, ClassRule] = {
        "Brier": Brier(),
        "log": Log(),
        "RPS": RPS(),
        "sa-RPS": SquaredAbsoluteRPS(),
    }
    scores = {name: rule.loss(cases.y, cases.p) for name, rule in rules.items()}
    scores["expected RPS"] = properly.decisions.rejection_scores(cases.p, RPS())
    scores["expected log"] = properly.decisions.rejection_scores(cases.p, Log())
    study = properly.decisions.retention_study(
        scores, cases.y, cases.p, metric="expected_cost", clusters=cases.clusters, rng=1
    )
    axes = panels(10.4, 4.1, 2)
    figure_of(axes[0]).set_layout_engine("constrained", w_pad=0.2)
    plots.retention(study, axes[0])
    axes[0].set_title("The cost of the cases that are left", loc="left")
    _draw_differences(axes[1], study)
    return figure_of(axes[0])


def _draw_differences(ax: Axes, study: RetentionStudy) -> None:
    """Draw the paired differences to the RPS as points with intervals."""
    others = [name for name in study.areas if name != "RPS"]
    for row, name in enumerate(others):
        first = ("RPS", name) not in study.differences
        found = study.differences[(name, "RPS") if first else ("RPS", name)]
        sign = 1 if first else -1
        ax.plot([sign * found.lower, sign * found.upper], [row, row], color="black", linewidth=1.4)
        ax.plot([sign * found.area], [row], "o", color="black", markersize=5)
    ax.axvline(0, color="0.6", linewidth=0.8, zorder=0)
    ax.set_yticks(range(len(others)), others)
    ax.invert_yaxis()
    ax.set_xlabel("mean cost, less that of RPS (paired)")
    ax.set_title("Left of 0: ranks more like the cost", loc="left")


def worst() -> Figure:
    """Show the cases that the RPS and the log score charge most for."""
    cases = injuries()["logistic"]
    figure = Figure(figsize=(8.2, 5.6), layout="constrained", facecolor="white")
    rules: dict[str, ClassRule] = {"RPS": RPS(), "log score": Log()}
    for ax, (name, rule) in zip(figure.subplots(2, 1), rules.items(), strict=True):
        plots.worst_cases(properly.decisions.worst_cases(cases, rule, k=5), ax)
        ax.set_ylabel(name, fontweight="bold", fontsize="large", labelpad=10)
    return figure


PICTURES: dict[str, Callable[[], Figure]] = {
    "ordered_distance": near_and_far,
    "ordered_reliability": cuts,
    "ordered_decisions": decisions,
    "ordered_retention": removal,
    "ordered_worst": worst,
}


def draw(folder: Path) -> None:
    """Save all pictures to a folder."""
    save(PICTURES, folder)
