"""Callbacks of Lightning: scores and reliability diagrams of each validation epoch."""

from __future__ import annotations

import io
from abc import abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from functools import partialmethod
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias, cast, get_args

import torch
from lightning.pytorch import Callback

from properly._boundary._files import make_folder, require_folder, write_whole
from properly._boundary._notices import import_extra
from properly._boundary._options import check_choice, check_flag, check_whole
from properly.calibration._decomposition import decompose
from properly.calibration._reliability import reliability
from properly.errors import ArgumentTypeError, DataError
from properly.integrations._named_rules import named_rules
from properly.integrations.torch import TallyMetric
from properly.integrations.torch._loss import Reader
from properly.plots import reliability as draw
from properly.rules import Brier, Rule
from properly.rules._log_odds import both_sides, softmax
from properly.typing import Array

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from properly.counts._tally import Tally

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

    def _start(self, stage: Stage, trainer: Any, pl_module: Any) -> None:
        """Begin an epoch."""
        if self.stage == stage:
            batches = trainer.num_val_batches if stage == "val" else trainer.num_test_batches
            self.begin(trainer, pl_module, len(batches))

    def _take(self, stage: Stage, *args: Any) -> None:
        """Add what a step returned, the third of what Lightning gives; the sixth is the loader."""
        if self.stage == stage:
            self.add(args[5] if len(args) > 5 else 0, *self.keys.take(args[2], stage))

    def _end(self, stage: Stage, trainer: Any, pl_module: Any) -> None:
        """End an epoch, unless it is a sanity check."""
        if self.stage == stage and not trainer.sanity_checking:
            self.finish(trainer, pl_module)

    on_validation_epoch_start = partialmethod(_start, "val")
    on_validation_batch_end = partialmethod(_take, "val")
    on_validation_epoch_end = partialmethod(_end, "val")
    on_test_epoch_start = partialmethod(_start, "test")
    on_test_batch_end = partialmethod(_take, "test")
    on_test_epoch_end = partialmethod(_end, "test")


def numbered(name: str, loader: int, loaders: int) -> str:
    """Add the number of the data loader to a name, if there are several."""
    return name if loaders == 1 else f"{name}_{loader}"


def _kind(x: object) -> str:
    return "nothing" if x is None else type(x).__name__


class ReliabilityCallback(StageCallback):
    """Draw the reliability diagram of each validation epoch.

    Parameters
    ----------
    from_logits : bool
        Whether the step returns logits, before the sigmoid or the softmax. Never guessed.
    stage : {"val", "test"}
        Which epochs are drawn: those of ``validation_step`` or of ``test_step``.
    preds, target : str
        The keys of forecasts and outcomes in the dict that the step returns, as in
        `ScoreCallback`.
    sample_weight : str, optional
        The key of sampling weights in that dict.
    name : str
        What figures are called, after the stage.
    every : int
        Draw the first epoch, and then every so many; validation only.
    folder : str or Path, optional
        Where to save PNG files, whatever the loggers do.
    cells : int
        How many equally wide cells forecasts are counted in, a power of two.

    Notes
    -----
    Forecasts of one event are compared with how often it happened. Of class probabilities the
    diagram shows the top label: how probable the likeliest class was called, and how often it
    happened. The curve is isotonic, without bins, as in `properly.reliability`, and the numbers in
    the corner are the parts of the Brier score, both of forecasts that are grouped into cells.

    A figure is handed to every logger that takes it, as those for TensorBoard and MLflow do, under
    the name ``val_reliability``. If none does, and no folder is named, PNG files are saved in the
    folder ``reliability`` under the trainer's ``default_root_dir``. A file appears
    whole or not at all. Figures are not pyplot's, so that none of them stays in memory. With
    several processes, counts are added up over all of them, and the first one draws.

    Examples
    --------
    >>> from properly.integrations.lightning import ReliabilityCallback
    >>> ReliabilityCallback(from_logits=True, every=5).every
    5
    """

    def __init__(
        self,
        *,
        from_logits: bool = False,
        stage: Stage = "val",
        preds: str = "preds",
        target: str = "target",
        sample_weight: str | None = None,
        name: str = "reliability",
        every: int = 1,
        folder: str | Path | None = None,
        cells: int = 1024,
    ) -> None:
        super().__init__(stage, Keys(preds, target, sample_weight))
        self.from_logits = check_flag(from_logits, "from_logits")
        self.name = f"{stage}_{name}"
        self.every = check_whole(every, "every")
        self.folder = folder
        # Now, and not after an epoch of training.
        import_extra("matplotlib.figure", extra="plots")
        if folder is not None:
            require_folder(folder)
        self.cells = TallyMetric(Brier(), cells=cells).cells
        self._metrics: list[TallyMetric] = []
        self._top = False

    def begin(self, trainer: Any, module: Any, loaders: int) -> None:
        """Make one metric a data loader, unless this epoch is left out."""
        counted = self.stage == "test" or trainer.current_epoch % self.every == 0
        self._metrics = [
            TallyMetric(Brier(), cells=self.cells).to(module.device)
            for _ in range(loaders if counted else 0)
        ]

    def add(self, loader: int, preds: Array, target: Array, weight: Array | None) -> None:
        """Count a batch."""
        if not self._metrics:
            return
        metric = self._metrics[loader]
        reader = Reader(Brier(), self.from_logits)
        batch = reader.read(preds, target, weight, metric.update_count, look=True)
        self._top = batch.has_classes
        x = batch.x.to(metric.device, metric.counts.dtype)
        if not batch.has_classes:
            p = both_sides(x)[0] if self.from_logits else x
            metric.update(p, batch.y, batch.weight)
            return
        p, decided = torch.max(softmax(x) if self.from_logits else x, dim=1)
        # Rows sum to 1 only nearly.
        metric.update(torch.clamp(p, max=1.0), decided == batch.y, batch.weight)

    def finish(self, trainer: Any, module: Any) -> None:  # noqa: ARG002
        """Draw what was counted, in the first process."""
        tallies = [metric.tally() for metric in self._metrics]
        self._metrics = []
        if not trainer.is_global_zero:
            return
        for loader, tally in enumerate(tallies):
            name = numbered(self.name, loader, len(tallies))
            title = numbered(WORD[self.stage], loader, len(tallies))
            figure = diagram(tally, f"{title}, epoch {trainer.current_epoch}", top=self._top)
            drawn = NamedFigure(figure, name, trainer.current_epoch, trainer.global_step)
            usual = Path(trainer.default_root_dir) / "reliability"
            publish(drawn, trainer.loggers, self.folder, usual)


def diagram(tally: Tally, title: str, *, top: bool) -> Figure:
    """Draw a reliability diagram with its numbers."""
    ax = draw(reliability(tally), decomposition=decompose(tally, Brier()))
    ax.set_title(title, fontsize="medium")
    if top:
        ax.set(xlabel="probability of the likeliest class", ylabel="how often it happened")
    return cast("Figure", ax.figure)


class ScoreCallback(StageCallback):
    """Log the mean loss of each validation epoch, by any rules.

    Parameters
    ----------
    rules : Rule or iterable of Rule
        Rules of `properly.rules`. All are losses: lower is better, which is also what
        ``ModelCheckpoint`` and ``EarlyStopping`` take for granted.
    from_logits : bool
        Whether the step returns logits, before the sigmoid or the softmax. Never guessed.
    stage : {"val", "test"}
        Which epochs are scored: those of ``validation_step`` or of ``test_step``. Each name that is
        logged begins with it, as in ``val_pbs``.
    preds, target : str
        The keys of forecasts and outcomes in the dict that the step returns.
    sample_weight : str, optional
        The key of sampling weights in that dict.
    names : str or sequence of str, optional
        Names in place of the rules' own.

    Notes
    -----
    The step returns a dict of tensors, ``{"preds": p, "target": y}``: for one event two of the same
    shape; for classes probabilities of shape (n, K) and whole numbers of shape (n,). They are
    checked as everywhere in the library, and scored by `properly.integrations.torch.TallyMetric`:
    exactly, in double precision, and over all processes. Lightning's sampler for several processes
    repeats a few rows so that all have equally many; those count twice, as they do for any metric.

    Scores are logged when the epoch ends. Checkpoints and early stopping act later, so that the
    order of the callbacks does not matter. Lightning's sanity check is not logged. With several
    data loaders, each has scores of its own, and names end with its number: ``val_pbs_0``.

    The names of some rules have brackets and commas, as in ``bounded_brier[0.05,0.2]``. Such a name
    can be monitored, but not be part of the ``filename`` of a checkpoint, and MLflow leaves out
    some of its characters; give a plain one by `names`.

    ``EarlyStopping`` ends training at an infinite value unless it has ``check_finite=False``. The
    log score is infinite if what happened was called impossible.

    Examples
    --------
    >>> from lightning.pytorch.callbacks import EarlyStopping, ModelCheckpoint
    >>> from properly.integrations.lightning import ScoreCallback
    >>> from properly.rules import PBS, Bounded, Brier
    >>> callbacks = [
    ...     ScoreCallback([PBS(), Brier()], from_logits=True),
    ...     ModelCheckpoint(monitor="val_pbs", filename="{epoch}-{val_pbs:.4f}"),
    ...     EarlyStopping(monitor="val_brier", patience=5),
    ... ]
    >>> list(ScoreCallback(Bounded(Brier(), (0.05, 0.2)), names="bounded").rules)
    ['val_bounded']
    """

    def __init__(
        self,
        rules: Rule | str | Iterable[Rule | str],
        *,
        from_logits: bool = False,
        stage: Stage = "val",
        preds: str = "preds",
        target: str = "target",
        sample_weight: str | None = None,
        names: str | Sequence[str] | None = None,
    ) -> None:
        super().__init__(stage, Keys(preds, target, sample_weight))
        self.rules = named_rules(rules, names, f"{stage}_")
        self.from_logits = check_flag(from_logits, "from_logits")
        self._metrics: list[dict[str, TallyMetric]] = []

    def begin(self, trainer: Any, module: Any, loaders: int) -> None:  # noqa: ARG002
        """Make one metric a rule and data loader, where the module is."""
        # The fewest cells: nothing is asked for but the mean.
        how: dict[str, Any] = {"from_logits": self.from_logits, "cells": 1}
        usual = {name: TallyMetric(rule, **how) for name, rule in self.rules.items()}
        self._metrics = [
            {name: metric.clone().to(module.device) for name, metric in usual.items()}
            for _ in range(loaders)
        ]

    def add(self, loader: int, preds: Array, target: Array, weight: Array | None) -> None:
        """Add a batch to all metrics of a data loader."""
        for metric in self._metrics[loader].values():
            metric.update(preds, target, weight)

    def finish(self, trainer: Any, module: Any) -> None:  # noqa: ARG002
        """Log all scores."""
        for loader, metrics in enumerate(self._metrics):
            for name, metric in metrics.items():
                key = numbered(name, loader, len(self._metrics))
                # All processes have the same value by now. Their greatest is it, to the last digit;
                # their mean might be rounded.
                module.log(key, metric.compute(), reduce_fx="max", sync_dist=True)
        self._metrics = []
