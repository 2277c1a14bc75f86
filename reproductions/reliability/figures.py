"""Figures 1 to 5 of the paper on CORP."""

from __future__ import annotations

from typing import TYPE_CHECKING

from properly import plots
from properly.plots._axes import GREY, PALETTE
from reproductions.reliability import coverage as bands
from reproductions.reliability import efficiency as errors
from reproductions.reliability.coverage import named
from reproductions.reliability.niamey import LEVEL
from reproductions.reliability.simulation import DISTRIBUTIONS
from reproductions.reproduction import sheet

if TYPE_CHECKING:
    from collections.abc import Mapping

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from reproductions.reliability.coverage import Panel
    from reproductions.reliability.niamey import Diagram
    from reproductions.reproduction import Figures


MARKERS = {"r": "o", "d": "s", "c": "^"}


def _figure1(diagrams: Mapping[str, Diagram]) -> Figure:
    figure, axes = sheet(len(diagrams), 2)
    for (name, diagram), (left, right) in zip(diagrams.items(), axes, strict=True):
        _draw_counted(left, diagram, 10, name)
        _draw_corp(right, diagram, name)
    return figure


def _figure2(diagram: Diagram) -> Figure:
    figure, axes = sheet(2, 2)
    for ax, bins in zip(axes.flat, diagram.binned, strict=False):
        _draw_counted(ax, diagram, bins, "EMOS")
    _draw_corp(axes[1, 1], diagram, "EMOS")
    return figure


def _figure3(panels: Mapping[str, Panel]) -> Figure:
    figure, axes = sheet(2, 2)
    for (name, panel), ax in zip(panels.items(), axes.flat, strict=True):
        plots.reliability(panel.record, ax, decomposition=panel.decomposition)
        band = panel.record.band
        ax.set_title(f"({name}) {'no' if band is None else band.kind} band")
    return figure


def _figure4(coverage: bands.Coverage) -> Figure:
    figure, axes = sheet(len(bands.STUDIES), len(DISTRIBUTIONS), sharex=True, sharey=True)
    for row, study in zip(axes, bands.STUDIES, strict=True):
        for ax, distribution in zip(row, DISTRIBUTIONS, strict=True):
            cells = [
                c for c in coverage.cells if (c.band, c.distribution) == (study.name, distribution)
            ]
            _draw_coverage(ax, cells)
            ax.set_title(f"{study.name}\n{distribution}", fontsize="medium")
    axes[-1, 0].legend(title="distinct forecasts", fontsize="small", loc="lower right")
    figure.supxlabel(
        "sample size (circles: resampling, squares: discrete, triangles: continuous asymptotics, "
        "diamonds: likelihood)"
    )
    figure.supylabel("coverage, ± two standard errors")
    return figure


def _figure5(efficiency: errors.Efficiency) -> Figure:
    figure, axes = sheet(len(errors.VALUES), len(DISTRIBUTIONS), sharex=True, sharey=True)
    for row, values in zip(axes, errors.VALUES, strict=True):
        for ax, distribution in zip(row, DISTRIBUTIONS, strict=True):
            cells = [
                c for c in efficiency.cells if (c.distribution, c.values) == (distribution, values)
            ]
            for name, color in zip(errors.METHODS, PALETTE, strict=True):
                size, error = [c.n for c in cells], [c.error[name] for c in cells]
                style = "-" if name == "CORP" else "--" if name.startswith("m") else ":"
                ax.plot(size, error, style, marker=".", color=color, label=name)
            ax.set_xscale("log", base=2)
            ax.set_yscale("log")
            ax.set_title(named(distribution, values), fontsize="medium")
    axes[0, 0].legend(fontsize="small")
    figure.supxlabel("sample size")
    figure.supylabel("mean squared error")
    return figure


def _draw_corp(ax: Axes, diagram: Diagram, name: str) -> None:
    plots.reliability(diagram.corp, ax, decomposition=diagram.decomposition)
    ax.set_title(f"{name}, CORP")


def _draw_counted(ax: Axes, diagram: Diagram, bins: int, name: str) -> None:
    plots.binned_reliability(diagram.binned[bins], ax)
    ax.set_title(f"{name}, {bins} bins")


def _draw_coverage(ax: Axes, cells: list[bands.CoverageCell]) -> None:
    ax.axhline(LEVEL, color=GREY, linewidth=0.8)
    for values, color in zip(bands.VALUES, PALETTE, strict=False):
        line = [c for c in cells if c.values == values]
        label = "continuous" if values is None else str(values)
        ax.plot([c.n for c in line], [c.coverage for c in line], color=color, label=label)
        for c in line:
            marker = MARKERS.get(c.method[:1], "D")
            ax.errorbar(c.n, c.coverage, 2 * c.error, color=color, marker=marker, capsize=2)
    ax.set_xscale("log", base=2)


FIGURES: Figures = {
    "figure1": lambda result: _figure1(result.figure1),
    "figure2": lambda result: _figure2(result.figure2["EMOS"]),
    "figure3": lambda result: _figure3(result.figure3),
    "figure4": lambda result: _figure4(result.figure4),
    "figure5": lambda result: _figure5(result.figure5),
}
