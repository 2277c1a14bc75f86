"""The paper to draw on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from properly.errors import MissingExtraError

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Okabe and Ito's palette: told apart by colour-blind readers too.
BLUE, VERMILION, GREY = "#0072B2", "#D55E00", "#8A8A8A"


def square_axes(ax: Axes | None) -> Axes:
    """Use the given Axes, or make one in a figure of its own."""
    if ax is None:
        try:
            from matplotlib.figure import Figure  # noqa: PLC0415
        except ImportError:
            missing = MissingExtraError.of("matplotlib", extra="plots")
            raise missing from None
        # Not pyplot: a figure of our own enters no global list and needs no screen.
        ax = Figure(figsize=(4.2, 4.2), layout="constrained").add_subplot()
    ax.set(xlim=(-0.02, 1.02), ylim=(-0.02, 1.02), aspect="equal")
    return ax
