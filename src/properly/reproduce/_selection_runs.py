"""Networks trained on windows of activities, and judged after every epoch."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

from properly.calibration._decomposition import decompose
from properly.comparison._blocks import BlockCrossValidation
from properly.comparison._epochs import BestEpoch, EarlyStopping
from properly.comparison._selection import TrainingRun
from properly.counts._cases import Cases
from properly.counts._reductions import top_label
from properly.decisions._confusion import confusion
from properly.reproduce._selection_data import KINDS
from properly.reproduce._selection_network import Learner, Recipe, seeded
from properly.rules import PBS, PLL, Brier, Log

if TYPE_CHECKING:
    from collections.abc import Mapping

    from properly.comparison._blocks import BlockSplit
    from properly.reproduce._selection_data import ActivitySet
    from properly.rules import ClassRule
    from properly.typing import Column

Curves: TypeAlias = dict[str, list[float]]

RULES: dict[str, ClassRule] = {"brier": Brier(), "log": Log(), "pbs": PBS(), "pll": PLL()}
# What selects, on validation data; the error rate by itself is what penalties add.
SELECTORS = (*RULES, "error", "macro_f1")
LARGER = ("macro_f1",)
BLOCKS, VALIDATION, TEST = 10, 0.2, 0.3
# The first, a middle one and the last of the six splits; neighbours share most of their data.
SPLITS = (0, 2, 5)
PATIENCE = 10


class Task(NamedTuple):
    """The windows of one split of a set: those to train on, to validate on and to test on.

    Attributes
    ----------
    x : tuple of arrays
        Of shape (windows, channels, moments), standardized by what is trained on.
    y : tuple of arrays
        Their classes, from 0.
    classes : int
        How many classes there are.
    """

    x: tuple[Column, ...]
    y: tuple[Column, ...]
    classes: int


@dataclass(frozen=True, eq=False)
class Run:
    """One network, judged after every epoch.

    Attributes
    ----------
    data : str
        The set.
    seed, split : int
        Which repetition, and which split.
    validation, test : dict of lists
        Metrics by epoch.
    windows : tuple of int
        How many windows were trained on, validated on and tested on.
    restored : float
        By how much a test metric of a selected epoch changed, at most, when its weights were put
        back at the end.
    """

    data: str
    seed: int
    split: int
    validation: Curves
    test: Curves
    windows: tuple[int, ...]
    restored: float

    @property
    def history(self) -> TrainingRun:
        """The metrics by epoch, as `properly.comparison.selection_report` takes them."""
        return TrainingRun(self.validation, self.test)


def blocks_of(found: ActivitySet) -> BlockCrossValidation:
    """Say how a set is split: in blocks, with windows inside and a window's gap between."""
    window, step = found.kind.window, found.kind.step
    return BlockCrossValidation(
        BLOCKS, validation=VALIDATION, test=TEST, gap=window, window=window, step=step
    )


def splits_of(found: ActivitySet) -> list[BlockSplit]:
    """Say where the windows of each split start, or that the series are too short for that."""
    return list(blocks_of(found).splits([len(one) for one in found.series]))


def task_of(found: ActivitySet, split: int) -> Task:
    """Cut the windows of one split, and standardize them by those to train on."""
    splits = splits_of(found)
    windows = [_cut(found, starts) for starts in splits[split]]
    centre = windows[0].mean(axis=(0, 2), keepdims=True)
    spread = windows[0].std(axis=(0, 2), keepdims=True)
    # What never varies is zero after centring, whatever it is divided by.
    spread[spread == 0] = 1.0
    return Task(
        tuple((one - centre) / spread for one in windows),
        tuple(starts[:, 0] for starts in splits[split]),
        len(found.series),
    )


def _cut(found: ActivitySet, starts: Column) -> Column:
    views = [
        np.lib.stride_tricks.sliding_window_view(one, found.kind.window, axis=0)
        for one in found.series
    ]
    return np.stack([views[number][start] for number, start in starts.tolist()])


def seed_of(root: int, data: str, seed: int, split: int) -> int:
    """Make a seed that no other run has, and that does not depend on how many there are."""
    words = np.random.SeedSequence([root, list(KINDS).index(data), seed, split])
    return int(words.generate_state(1)[0])


def train(task: Task, data: str, seed: int, split: int, *, root: int, recipe: Recipe) -> Run:
    """Train a fresh network, judge it after every epoch, and put selected weights back."""
    with seeded(seed_of(root, data, seed, split)):
        learner = Learner(task.x[0], task.y[0], task.classes, recipe)
        keepers = [_Keeper(name) for name in SELECTORS]
        curves: tuple[list[dict[str, float]], ...] = ([], [])
        for epoch in range(recipe.epochs):
            learner.learn()
            for place, found in enumerate(curves, 1):
                found.append(judge(task.y[place], learner.logits(task.x[place])))
            for keeper in keepers:
                keeper.update(epoch, curves[0][-1], learner)
        restored = max(
            _changed(learner, task, best, curves[1]) for keeper in keepers for best in keeper.found
        )
    validation, test = ({name: [row[name] for row in rows] for name in rows[0]} for rows in curves)
    return Run(data, seed, split, validation, test, tuple(map(len, task.y)), restored)


def judge(y: Column, logits: Column) -> dict[str, float]:
    """Judge the forecasts of one epoch in all ways.

    Miscalibration is that of the likeliest class: how much the Brier score of whether it happened
    would gain by recalibration.
    """
    p = _softmax(logits)
    counts = confusion(y, p.argmax(axis=1), p.shape[1])
    found = {name: float(np.mean(rule.loss(y, p))) for name, rule in RULES.items()}
    found |= {"error": 1 - counts.accuracy, "macro_f1": counts.macro_f1}
    calibration = decompose(top_label(Cases(y, p)), Brier()).miscalibration
    return found | {"miscalibration": float(calibration)}


class _Keeper:
    """Keeps the weights that a metric selects, by checkpointing and by early stopping."""

    def __init__(self, name: str) -> None:
        mode: Any = mode_of(name)
        self._name = name
        self._checkpoint = BestEpoch(mode=mode)
        self._stopping = EarlyStopping(PATIENCE, mode=mode)

    @property
    def found(self) -> tuple[BestEpoch, BestEpoch]:
        return self._checkpoint, self._stopping.best

    def update(self, epoch: int, metrics: Mapping[str, float], learner: Learner) -> None:
        value = metrics[self._name]
        self._checkpoint.update(epoch, value, learner.state)
        if self._stopping.stopped is None:
            self._stopping.update(epoch, value, learner.state)


def mode_of(name: str) -> str:
    """Say whether the smallest or the largest value of a metric is the best."""
    return "max" if name in LARGER else "min"


def _changed(learner: Learner, task: Task, best: BestEpoch, told: list[dict[str, float]]) -> float:
    """Put the weights of an epoch back, and compare with what was found at its end."""
    learner.restore(best.state)
    again = judge(task.y[2], learner.logits(task.x[2]))
    return max(abs(again[name] - value) for name, value in told[best.epoch or 0].items())


def _softmax(logits: Column) -> Column:
    powers = np.exp(logits - logits.max(axis=1, keepdims=True))
    found: Column = powers / powers.sum(axis=1, keepdims=True)
    return found
