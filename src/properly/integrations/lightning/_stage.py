"""What an epoch of Lightning hands over, batch by batch, and where figures of it go."""

from __future__ import annotations

import io
from abc import abstractmethod
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias, get_args

from lightning.pytorch import Callback

from properly._boundary._files import make_folder, write_whole
from properly._boundary._options import check_choice
from properly.errors import ArgumentTypeError, DataError

if TYPE_CHECKING:
    from pathlib import Path

    from matplotlib.figure import Figure

    from properly.typing import Array


# Enough for a screen, at 4.2 inches.
DOTS_PER_INCH = 120


class NamedFigure(NamedTuple):
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


def publish(drawn: NamedFigure, loggers: list[Any], folder: str | Path | None, usual: Path) -> None:
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


def _log(logger: Any, drawn: NamedFigure) -> bool:
    """Hand a figure to a logger if it takes figures as TensorBoard or as MLflow does."""
    experiment = logger.experiment
    if hasattr(experiment, "add_figure"):
        experiment.add_figure(drawn.name, drawn.figure, drawn.step)
        return True
    if hasattr(experiment, "log_figure") and hasattr(logger, "run_id"):
        experiment.log_figure(logger.run_id, drawn.figure, f"{drawn.name}/{drawn.file}")
        return True
    return False


Stage: TypeAlias = Literal["val", "test"]
# Lightning's own word for each stage, in the names of its steps.
WORD = {"val": "validation", "test": "test"}


class Keys(NamedTuple):
    """Under which keys a step returns forecasts, outcomes and, if any, weights."""

    preds: str
    target: str
    sample_weight: str | None

    def take(self, outputs: object, stage: str) -> tuple[Array, Array, Array | None]:
        """Take what was asked for from what a step returned."""
        keys = [key for key in self if key is not None]
        listed = " and ".join([", ".join(repr(key) for key in keys[:-1]), repr(keys[-1])])
        if not isinstance(outputs, Mapping):
            message = f"{WORD[stage]}_step must return a dict with {listed}; got {_kind(outputs)}"
            raise ArgumentTypeError(message)
        missing = [key for key in keys if key not in outputs]
        if missing:
            message = (
                f"{WORD[stage]}_step must return a dict with {listed}; it has "
                f"{sorted(map(str, outputs))} and lacks {missing[0]!r}"
            )
            raise DataError(message, hint="preds=, target= and sample_weight= name the keys.")
        preds, target = outputs[self.preds], outputs[self.target]
        return preds, target, None if self.sample_weight is None else outputs[self.sample_weight]


class StageCallback(Callback):  # type: ignore[misc]
    """A callback that looks at what each batch of one stage returned.

    A subclass says what to do when an epoch begins, with each batch, and when it has ended. Batches
    of Lightning's sanity check are looked at too, so that mistakes are found early; but they are no
    epoch, and nothing is left of them.
    """

    def __init__(self, stage: Stage, keys: Keys) -> None:
        super().__init__()
        self.stage = check_choice(stage, get_args(Stage), "stage")
        self.keys = keys

    @abstractmethod
    def begin(self, trainer: Any, module: Any, loaders: int) -> None:
        """Forget all, and make room for the batches of so many data loaders."""

    @abstractmethod
    def add(self, loader: int, preds: Array, target: Array, weight: Array | None) -> None:
        """Take the batch of a data loader."""

    @abstractmethod
    def finish(self, trainer: Any, module: Any) -> None:
        """Log what was found; called in all processes."""

    def on_validation_epoch_start(self, trainer: Any, pl_module: Any) -> None:
        """Begin a validation epoch."""
        if self.stage == "val":
            self.begin(trainer, pl_module, len(trainer.num_val_batches))

    def on_validation_batch_end(self, *args: Any) -> None:
        """Take what a validation step returned."""
        self._take("val", *args)

    def on_validation_epoch_end(self, trainer: Any, pl_module: Any) -> None:
        """End a validation epoch, unless it is a sanity check."""
        if self.stage == "val" and not trainer.sanity_checking:
            self.finish(trainer, pl_module)

    def on_test_epoch_start(self, trainer: Any, pl_module: Any) -> None:
        """Begin a test."""
        if self.stage == "test":
            self.begin(trainer, pl_module, len(trainer.num_test_batches))

    def on_test_batch_end(self, *args: Any) -> None:
        """Take what a test step returned."""
        self._take("test", *args)

    def on_test_epoch_end(self, trainer: Any, pl_module: Any) -> None:
        """End a test."""
        if self.stage == "test":
            self.finish(trainer, pl_module)

    def _take(self, stage: Stage, *args: Any) -> None:
        """Add what a step returned, the third of what Lightning gives; the sixth is the loader."""
        if self.stage == stage:
            self.add(args[5] if len(args) > 5 else 0, *self.keys.take(args[2], stage))


def numbered(name: str, loader: int, loaders: int) -> str:
    """Add the number of the data loader to a name, if there are several."""
    return name if loaders == 1 else f"{name}_{loader}"


def _kind(x: object) -> str:
    return "nothing" if x is None else type(x).__name__
