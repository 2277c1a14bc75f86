"""Forecasts of classes, and those of injuries in car crashes, which come with this package.

Figures 1 to 4 of the paper on ordered classes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, cast

import numpy as np

from properly import plots
from properly.counts._cases import Cases
from properly.datasets import crash
from reproductions._output import save_all, sheet

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    import numpy.typing as npt
    from matplotlib.figure import Figure

    from properly.decisions._cumulative_forecast import CumulativeForecast
    from reproductions.ordinal.paper import OrdinalReproduction
    from reproductions.ordinal.retention import RetentionTable
    from reproductions.ordinal.temperatures import Worst


class Forecasts(NamedTuple):
    """What happened, the probabilities of all classes, and which cases belong together, if any."""

    y: npt.NDArray[np.int64]
    p: npt.NDArray[np.float64]
    clusters: npt.NDArray[np.int64] | None = None

    @property
    def classes(self) -> int:
        """Number of classes."""
        return int(self.p.shape[1])

    @property
    def likeliest(self) -> npt.NDArray[np.int64]:
        """The likeliest class, the lowest if there are several."""
        found: npt.NDArray[np.int64] = np.argmax(self.p, axis=1)
        return found

    @property
    def accuracy(self) -> float:
        """Share of cases in which it happened."""
        return float(np.mean(self.likeliest == self.y))


def severity() -> Forecasts:
    """Return the injuries that are known, their forecasts, and the accidents they are from."""
    data = crash()
    known = data.severity_known
    return Forecasts(data.severity[known], data.severity_probabilities[known], data.cluster[known])


def severity_cases() -> Cases:
    """Return the same as cases with labels."""
    found, labels = severity(), crash().severity_labels
    return Cases(np.array(labels)[found.y], found.p, labels=labels, clusters=found.clusters)


def save(
    result: OrdinalReproduction, folder: Path, step: Callable[[str], None]
) -> tuple[Path, ...]:
    """Draw and save every figure."""
    makers: dict[str, Callable[[], Figure]] = {
        "figure1": lambda: _cumulative(result.examples.figure1, absolute=False),
        "figure2": lambda: _cumulative(result.examples.figure2, absolute=True),
        "figure3": lambda: _figure3(result.worst),
        "figure4": lambda: _figure4(result.table1),
    }
    return save_all(makers, folder, step)


def _cumulative(forecasts: Mapping[str, CumulativeForecast], *, absolute: bool) -> Figure:
    """Draw two forecasts side by side."""
    return cast("Figure", plots.cumulative_forecast(forecasts, absolute=absolute)[0].figure)


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
