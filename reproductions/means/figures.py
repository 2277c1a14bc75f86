"""Figures 1 to 7 of the paper on means of probabilities."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from properly import plots
from properly.plots._axes import PALETTE
from properly.probability import Means, source_table
from properly.probability._power_means import ThreeMeans
from reproductions.means.coupled import NELSON_CASES
from reproductions.means.coupled_plot import coupled_classes
from reproductions.means.dimensions import MODELS
from reproductions.reproduction import sheet

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from matplotlib.figure import Figure

    from properly.probability._sources import Source
    from reproductions.means.dimensions import Cell
    from reproductions.means.figure1 import Figure1
    from reproductions.means.paper import NelsonReproduction
    from reproductions.means.samples import SampleTable
    from reproductions.reproduction import Figures


TAILS = {"normal": "κ = 0", "heavy": "κ = 0.162", "compact": "κ = −0.095"}  # noqa: RUF001
PRECISION = 0.01
FIGURE6 = {"6a": "variance 0.5", "6b": "variance 2", "6c": "tail over", "6d": "tail under"}
# As in the paper: the class at 2 is orange, that at 0 is green.
COLORS = {"event": PALETTE[1], "no event": PALETTE[2]}


def figures(estimates: Mapping[str, Source]) -> Figures:
    """Return what draws each figure; model against source by each estimate of the source."""

    def against(panels: Mapping[str, str]) -> Callable[[NelsonReproduction], Figure]:
        return lambda result: against_source(result.samples, panels, estimates)

    return {
        "figure1": lambda result: bars_of(result.figure1),
        "figure2": against({"2": "perfect"}),
        "figure3": lambda _: _classes("perfect"),
        "figure4": lambda _: _classes("mean 1"),
        "figure5": against({"5a": "mean 1", "5b": "mean 3"}),
        "figure6": against(FIGURE6),
        "figure7": against({"7": "tail over"}),
    }


def bars_of(found: Figure1) -> Figure:
    """Draw shares correct and means of each model, over the number of dimensions."""
    figure, axes = sheet(1, len(MODELS), sharey=True)
    figure.set_size_inches(11, 4.2)
    for ax, model in zip(axes.flat, MODELS, strict=True):
        bars = {str(d): _as_means(cell) for d, cell in found.of(model).items()}
        plots.means_bars(bars, ax)
        ax.set_title(f"{model}, {TAILS[model]}", fontsize="medium")
        ax.set_xlabel("dimensions")
        ax.label_outer()
    _share_legend(figure)
    return figure


def _share_legend(figure: Figure) -> None:
    """Say once, below, what every panel says where it hides something."""
    legends = [legend for ax in figure.axes if (legend := ax.get_legend()) is not None]
    handles = legends[0].legend_handles
    for legend in legends:
        legend.remove()
    figure.legend(
        handles=handles,
        labels=[text.get_text() for text in legends[0].get_texts()],
        loc="outside lower center",
        ncols=len(handles),
        frameon=False,
        fontsize="small",
    )


def _as_means(cell: Cell) -> Means:
    """Take averages over training sets as those of one; nothing is known of a source."""
    unknown = ThreeMeans(math.nan, math.nan, math.nan)
    return Means(
        cell.decisiveness,
        cell.mean_probability,
        cell.robustness,
        source=unknown,
        divergence=math.nan,
        angle=None,
        correct=cell.correct,
        classes={},
        precision=None,
        clipped=0,
        estimate="",
    )


def _classes(name: str) -> Figure:
    case = NELSON_CASES[name]
    return coupled_classes(case.source, case.model, precision=PRECISION)


def against_source(
    found: SampleTable, panels: Mapping[str, str], estimates: Mapping[str, Source]
) -> Figure:
    """Draw model against source, a case a row and an estimate of the source a column."""
    figure, axes = sheet(len(panels), len(estimates))
    figure.set_size_inches(5 * len(estimates), 4.2 * len(panels))
    for row, (panel, name) in zip(axes, panels.items(), strict=True):
        for ax, (words, source) in zip(row, estimates.items(), strict=True):
            bins = source_table(found.cases[name].tally, source=source)
            plots.model_source(bins, ax, color=COLORS)
            ax.set_title(f"{panel}: {name}, {words}", fontsize="medium")
    return figure
