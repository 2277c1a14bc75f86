"""What the pictures share: style, sheets of panels, and where they are saved."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from matplotlib import rc_context
from matplotlib.figure import Figure

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from matplotlib.axes import Axes

STATIC = Path(__file__).resolve().parents[2] / "docs" / "_static"
STYLE: dict[Any, Any] = {"font.size": 10.5, "axes.titlesize": 11.5}
INK, QUIET, PALE = "#1b1f24", "#5c6570", "#9aa3ad"
NAMES = {
    "logistic": "logistic regression",
    "boosting": "boosting",
    "balanced_boosting": "boosting, balanced",
    "forest": "random forest",
    "naive_bayes": "naive Bayes",
}
SEED = 20211216


def save(
    pictures: Mapping[str, Callable[[], Figure]],
    folder: Path,
    *,
    style: Mapping[Any, Any] = STYLE,
    dpi: int = 150,
    margin: float = 0.1,
) -> None:
    """Draw every picture, and save it under its name."""
    with rc_context(dict(style)):
        for name, draw in pictures.items():
            path = folder / f"{name}.png"
            draw().savefig(path, dpi=dpi, bbox_inches="tight", pad_inches=margin)


def panels(width: float, height: float, count: int) -> list[Axes]:
    figure = Figure(figsize=(width, height), layout="constrained", facecolor="white")
    axes = list(figure.subplots(1, count, squeeze=False)[0])
    for ax in axes:
        ax.spines[["top", "right"]].set_visible(False)
    return axes


def figure_of(ax: Axes) -> Figure:
    return ax.get_figure()  # type: ignore[return-value]
