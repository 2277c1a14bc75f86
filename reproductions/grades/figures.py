"""Figures 1 to 4 of the paper on ordered classes."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from properly import plots
from reproductions.reproduction import sheet

if TYPE_CHECKING:
    from collections.abc import Mapping

    from matplotlib.figure import Figure

    from properly.decisions._single_cases import CumulativeForecast
    from reproductions.grades.retention import RetentionTable
    from reproductions.grades.temperatures import Worst
    from reproductions.reproduction import Figures


def _cumulative(forecasts: Mapping[str, CumulativeForecast], *, absolute: bool) -> Figure:
    """Draw two forecasts side by side, and write the score of the paper below them if asked to."""
    axes = plots.cumulative_forecast(forecasts)
    for ax, found in zip(axes, forecasts.values(), strict=True):
        if absolute:
            ax.set_xlabel(f"sa-RPS {found.squared_absolute_rps:.4f}")
    return cast("Figure", axes[0].figure)


def _figure3(found: Worst) -> Figure:
    """Draw the worst forecasts by each score, one score a row."""
    figure, axes = sheet(len(found.cases), 1)
    figure.set_size_inches(8, 2.2 * len(found.cases))
    for ax, (name, cases) in zip(axes.flat, found.cases.items(), strict=True):
        plots.worst_cases(cases, ax)
        ax.set_title(f"worst by {name}", fontsize="medium", loc="left")
    # What bars and frames are, is said once.
    for ax in axes.flat[:-1]:
        ax.set_xlabel("")
    return figure


def _figure4(found: RetentionTable) -> Figure:
    """Draw both metrics as the worst cases are removed, with labels and without."""
    # One scale for both columns: how little is left without labels is what there is to see.
    figure, axes = sheet(2, 2, sharey="row")
    figure.set_size_inches(10, 8)
    for row, (metric, ranked) in zip(axes, found.metrics.items(), strict=True):
        for ax, study, title in zip(
            row,
            (ranked.study, ranked.unlabelled),
            (f"{metric}, ranked with labels", f"{metric}, ranked without labels"),
            strict=True,
        ):
            plots.retention(study, ax)
            ax.set_title(title, fontsize="medium")
            ax.label_outer()
    return figure


FIGURES: Figures = {
    "figure1": lambda result: _cumulative(result.examples.figure1, absolute=False),
    "figure2": lambda result: _cumulative(result.examples.figure2, absolute=True),
    "figure3": lambda result: _figure3(result.worst),
    "figure4": lambda result: _figure4(result.table1),
}
