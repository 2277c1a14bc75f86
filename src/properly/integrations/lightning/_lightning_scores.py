"""Scores of each validation epoch of Lightning."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from properly._boundary._options import check_flag
from properly.integrations._named_rules import named_rules
from properly.integrations.lightning._lightning_stage import Keys, StageCallback, numbered
from properly.integrations.torch import TallyMetric

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from properly.integrations.lightning._lightning_stage import Stage
    from properly.rules import Rule
    from properly.typing import Array


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
        The key of case weights in that dict.
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
        rules: Rule | Iterable[Rule],
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
        self._metrics = [
            {name: self._metric(rule).to(module.device) for name, rule in self.rules.items()}
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
                told = numbered(name, loader, len(self._metrics))
                # All processes have the same value by now. Their greatest is it, to the last digit;
                # their mean might be rounded.
                module.log(told, metric.compute(), reduce_fx="max", sync_dist=True)
        self._metrics = []

    def _metric(self, rule: Rule) -> TallyMetric:
        # The fewest cells: nothing is asked for but the mean.
        return TallyMetric(rule, from_logits=self.from_logits, cells=1)
