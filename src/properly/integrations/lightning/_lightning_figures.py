"""Where figures go: to loggers that take them, or into files."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any, NamedTuple

from properly._boundary._writing import make_folder, write_whole

if TYPE_CHECKING:
    from pathlib import Path

    from matplotlib.figure import Figure

# Enough for a screen, at 4.2 inches.
DOTS_PER_INCH = 120


class Named(NamedTuple):
    """A figure, its name, and when it was drawn."""

    figure: Figure
    name: str
    epoch: int
    step: int

    @property
    def file(self) -> str:
        """A name for a file, that sorts by epoch and by step."""
        name = self.name.replace("/", "_")
        return f"{name}_epoch_{self.epoch:04d}_step_{self.step:06d}.png"


def publish(drawn: Named, loggers: list[Any], folder: str | Path | None, usual: Path) -> None:
    """Hand a figure to all loggers that take one; save it if a folder is named, or if none does."""
    taken = [_log(logger, drawn) for logger in loggers]
    if folder is None and not any(taken):
        usual.parent.mkdir(parents=True, exist_ok=True)
        folder = usual
    if folder is not None:
        write_whole(make_folder(folder) / drawn.file, as_png(drawn.figure))


def as_png(figure: Figure) -> bytes:
    """Draw a figure as a picture."""
    file = io.BytesIO()
    figure.savefig(file, format="png", dpi=DOTS_PER_INCH)
    return file.getvalue()


def _log(logger: Any, drawn: Named) -> bool:
    """Hand a figure to a logger if it takes figures as TensorBoard or as MLflow does."""
    experiment = logger.experiment
    if hasattr(experiment, "add_figure"):
        experiment.add_figure(drawn.name, drawn.figure, drawn.step)
        return True
    if hasattr(experiment, "log_figure") and hasattr(logger, "run_id"):
        experiment.log_figure(logger.run_id, drawn.figure, f"{drawn.name}/{drawn.file}")
        return True
    return False
