"""Figure 3, metrics over epochs: as published, and as trained here."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from reproductions.epochs.picture import training
from reproductions.epochs.text import TITLES
from reproductions.reproduction import sheet

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from reproductions.epochs.histories import Histories
    from reproductions.epochs.networks import Curves, Run, Training
    from reproductions.reproduction import Figures


COLUMNS = 3


def _figure3(found: Histories) -> Figure:
    """Draw one panel a history; the error rate is drawn too."""
    count = len(found.rows)
    figure, axes = sheet(-(-count // COLUMNS), min(count, COLUMNS))
    figure.set_size_inches(6 * min(count, COLUMNS), 4 * -(-count // COLUMNS))
    for ax, row in zip(axes.flat, found.rows, strict=False):
        names = {"brier": "Brier", "pbs": "PBS", "error": "error", "f1": "F1"}
        _draw(ax, {names[name]: x for name, x in row.curves.items()}, "F1", row.name)
    for ax in axes.flat[count:]:
        ax.set_visible(False)
    return figure


def _training(found: Training) -> Figure:
    """Draw one run of each set, of the first seed and a middle split, on validation data."""
    names = list(found.reports)
    figure, axes = sheet(len(names), 1)
    figure.set_size_inches(8, 4 * len(names))
    for ax, name in zip(axes.flat, names, strict=True):
        run = middle(found.of(name))
        title = f"{name}, seed {run.seed}, split {run.split}"
        _draw(ax, named(run.validation), TITLES["macro_f1"], title)
    return figure


def middle(runs: Sequence[Run]) -> Run:
    """Return the run of the first seed and of the split in the middle."""
    first = [run for run in runs if run.seed == runs[0].seed]
    return first[len(first) // 2]


def named(curves: Curves) -> Curves:
    """Give the metrics that select their names, in the order of the tables."""
    return {title: curves[name] for name, title in TITLES.items()}


def _draw(ax: Axes, history: Mapping[str, Any], reference: str, title: str) -> None:
    training(history, ax, reference=reference, larger=reference)
    ax.set_title(title, fontsize="medium", loc="left")


FIGURES: Figures = {
    "figure3": lambda result: _figure3(result.histories),
    "training": lambda result: _training(result.training),
}
