"""Tables 2 and 3: networks trained on windows of activities, judged after every epoch.

The network is a small convolutional one, in PyTorch. What agrees with macro-F1 over epochs, and
what selects an epoch well, is computed from the runs.
"""

from __future__ import annotations

import math
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

from properly._boundary._notices import import_extra
from properly._boundary._record import columns_of, plain
from properly.calibration import decompose
from properly.comparison import BestEpoch, EarlyStopping
from properly.counts import Cases, top_label
from properly.decisions import confusion
from properly.rules import PBS, PLL, Brier, Log
from reproductions.epochs.agreement import metric_agreement
from reproductions.epochs.blocks import BlockCrossValidation
from reproductions.epochs.data import KINDS
from reproductions.epochs.selection import CHECKPOINT, EARLY, TrainingRun, selection_report
from reproductions.epochs.text import tell_training
from reproductions.tables import Table

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from properly.rules import ClassRule
    from properly.typing import Column
    from reproductions.epochs.blocks import BlockSplit
    from reproductions.epochs.data import ActivitySet
    from reproductions.epochs.selection import SelectionReport


# The batches are too small for several threads to pay, and with one the numbers are the same
# wherever there are more.
THREADS = 1


class Recipe(NamedTuple):
    """How a network is built and trained.

    Attributes
    ----------
    epochs, batch : int
        Passes through the training windows, and windows of a step.
    learning_rate : float
        That of Nadam, as in the authors' notebook.
    width : int
        Channels of the first two convolutions; the third has twice as many.
    dropout : float
        Share of the features that are left out at each step of training.
    """

    epochs: int = 40
    batch: int = 64
    learning_rate: float = 0.001
    width: int = 24
    dropout: float = 0.3


class Learner:
    """A fresh network and the windows that it learns from, one epoch after the other.

    Parameters
    ----------
    x, y : array
        Windows of shape (windows, channels, moments), and their classes from 0.
    classes : int
        How many classes there are.
    recipe : Recipe
        How to build and train it.

    Notes
    -----
    Three convolutions, each with batch normalization: the first one takes every second moment, and
    pooling halves their number after the first two. What the third finds is averaged over quarters
    of the window, and a linear layer makes logits of it. The loss is the cross-entropy.
    """

    def __init__(self, x: Column, y: Column, classes: int, recipe: Recipe) -> None:
        self._torch = torch = import_torch()
        self._recipe = recipe
        self._x = torch.as_tensor(x, dtype=torch.float32)
        self._y = torch.tensor(y, dtype=torch.int64)
        self._network = _build(torch.nn, x.shape[1], classes, recipe)
        self._optimizer = torch.optim.NAdam(
            self._network.parameters(), lr=recipe.learning_rate, betas=(0.9, 0.999)
        )
        self._loss = torch.nn.CrossEntropyLoss()

    def learn(self) -> None:
        """Go through all training windows once, in a new order."""
        self._network.train()
        for rows in self._torch.randperm(len(self._x)).split(self._recipe.batch):
            self._optimizer.zero_grad()
            self._loss(self._network(self._x[rows]), self._y[rows]).backward()
            self._optimizer.step()

    def logits(self, x: Column) -> Column:
        """Return the logits of other windows, as doubles."""
        torch = self._torch
        self._network.eval()
        with torch.no_grad():
            found = self._network(torch.as_tensor(x, dtype=torch.float32))
        as_doubles: Column = found.numpy().astype(np.float64)
        return as_doubles

    def state(self) -> dict[str, Any]:
        """Copy the weights, and what batch normalization has gathered."""
        return {name: value.clone() for name, value in self._network.state_dict().items()}

    def restore(self, state: dict[str, Any]) -> None:
        """Put such a copy back."""
        self._network.load_state_dict(state)


def import_torch() -> Any:
    """Import torch, or say how to install it."""
    return import_extra("torch", extra="torch")


@contextmanager
def seeded(seed: int) -> Iterator[None]:
    """Seed torch and take one thread; leave it as it was."""
    torch = import_torch()
    threads = torch.get_num_threads()
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        torch.set_num_threads(THREADS)
        try:
            yield
        finally:
            torch.set_num_threads(threads)


def _build(nn: Any, channels: int, classes: int, recipe: Recipe) -> Any:
    width = recipe.width
    return nn.Sequential(
        *_convolution(nn, channels, width, 5, stride=2),
        nn.MaxPool1d(2),
        *_convolution(nn, width, width, 5),
        nn.MaxPool1d(2),
        *_convolution(nn, width, 2 * width, 3),
        nn.AdaptiveAvgPool1d(4),
        nn.Flatten(),
        nn.Dropout(recipe.dropout),
        nn.Linear(8 * width, classes),
    )


def _convolution(nn: Any, taken: int, given: int, moments: int, stride: int = 1) -> tuple[Any, ...]:
    padding = moments // 2
    convolution = nn.Conv1d(taken, given, moments, stride=stride, padding=padding)
    return convolution, nn.BatchNorm1d(given), nn.ReLU()


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
        """The metrics by epoch, as `selection_report` takes them."""
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


WAYS = (EARLY, CHECKPOINT)
# What is told on test data.
REPORTED = ("macro_f1", "log", "miscalibration")
# What others are compared with: it is the paper's proposal.
BASELINE = "pbs"
REFERENCE = "macro_f1"


class Correlation(NamedTuple):
    """A correlation with macro-F1 over epochs: mean and standard deviation over runs.

    Runs in which it is not defined, since macro-F1 never changed, are left out and counted.
    """

    mean: float
    standard_deviation: float
    undefined: int


@dataclass(frozen=True, eq=False)
class Training(Table):
    """Networks trained on activities, and what each metric would have selected.

    Attributes
    ----------
    runs : tuple of Run
        Metrics by epoch, of each set, seed and split.
    reports : dict of SelectionReport
        By set: test metrics at the selected epochs, with differences from PBS. Seeds are
        independent, splits of one seed are not.
    overall : SelectionReport
        The same of all sets together.
    correlations : dict of Correlation
        By set, way and metric: agreement with macro-F1 on validation data.
    """

    runs: tuple[Run, ...]
    reports: dict[str, SelectionReport]
    overall: SelectionReport
    correlations: dict[tuple[str, str, str], Correlation]

    @property
    def seeds(self) -> int:
        """How many seeds there were."""
        return len({run.seed for run in self.runs})

    @property
    def epochs(self) -> int:
        """How many epochs a run had."""
        return self.runs[0].history.epochs

    @property
    def best_f1(self) -> dict[str, float]:
        """The mean of the best macro-F1 of any epoch on test data, by set: no one can select it."""
        return {
            name: float(np.mean([max(run.test[REFERENCE]) for run in self.of(name)]))
            for name in self.reports
        }

    @property
    def restored(self) -> float:
        """By how much a test metric changed, at most, when selected weights were put back."""
        return max(run.restored for run in self.runs)

    def of(self, name: str) -> list[Run]:
        """Return the runs of one set."""
        return [run for run in self.runs if run.data == name]

    def compared(self, first: str, second: str) -> tuple[int, int, int]:
        """Count sets and ways where one selector has a higher, the same or a lower mean F1."""
        apart = [
            report[way, first, REFERENCE].mean - report[way, second, REFERENCE].mean
            for report in self.reports.values()
            for way in WAYS
        ]
        signs = np.sign(apart)
        return int((signs > 0).sum()), int((signs == 0).sum()), int((signs < 0).sum())

    def ordered(self, score: str, penalized: str) -> int:
        """Count sets and ways where the error rate agrees best, then the penalized score."""
        rows = [
            [self.correlations[name, way, metric].mean for metric in (score, penalized, "error")]
            for name in self.reports
            for way in WAYS
        ]
        return sum(first < second < third for first, second, third in rows)

    def to_dict(self) -> dict[str, Any]:
        """Return the numbers of all tables."""
        agreement = [
            {"data": data, "way": way, "metric": metric, **found._asdict()}
            for (data, way, metric), found in self.correlations.items()
        ]
        found: dict[str, Any] = plain(
            {
                "correlations": agreement,
                "reports": {name: one.to_dict() for name, one in self.reports.items()},
                "overall": self.overall.to_dict(),
                "best_f1": self.best_f1,
                "seeds": self.seeds,
                "epochs": self.epochs,
                "restored": self.restored,
            }
        )
        return found

    def _columns(self) -> Any:
        """Return one row a set, way, selector and reported metric."""
        rows = []
        for name, report in (*self.reports.items(), ("all", self.overall)):
            for one in report:
                row = asdict(one) | {"data": name}
                row["lower"], row["upper"] = row.pop("interval")
                rows.append({k: x for k, x in row.items() if k not in ("epochs", "values")})
        return columns_of(rows)

    def __str__(self) -> str:
        """Print all tables, with the paper's numbers beside them."""
        return tell_training(self)


def training(runs: Sequence[Run], rng: np.random.Generator) -> Training:
    """Compare what metrics select, over runs that are done."""
    names = list(dict.fromkeys(run.data for run in runs))
    reports = {name: _report([run for run in runs if run.data == name], rng) for name in names}
    correlations = {
        (name, way, metric): _correlation([r for r in runs if r.data == name], way, metric)
        for name in names
        for way in WAYS
        for metric in SELECTORS
        if metric != REFERENCE
    }
    return Training(tuple(runs), reports, _report(runs, rng), correlations)


def _report(runs: Sequence[Run], rng: np.random.Generator) -> SelectionReport:
    return selection_report(
        [run.history for run in runs],
        by=SELECTORS,
        report=REPORTED,
        larger=LARGER,
        patience=PATIENCE,
        baseline=BASELINE,
        clusters=[run.seed for run in runs],
        rng=rng,
    )


def _correlation(runs: Sequence[Run], way: str, metric: str) -> Correlation:
    found = [_pearson(run, way, metric) for run in runs]
    known = [x for x in found if not math.isnan(x)]
    spread = float(np.std(known, ddof=1)) if len(known) > 1 else math.nan
    mean = float(np.mean(known)) if known else math.nan
    return Correlation(mean, spread, len(found) - len(known))


def _pearson(run: Run, way: str, metric: str) -> float:
    """Correlate a metric with macro-F1, up to where training by it would have stopped."""
    end = None if way == CHECKPOINT else _stop(run.validation[metric], metric)
    history = {name: run.validation[name][:end] for name in (metric, REFERENCE)}
    return metric_agreement(history, REFERENCE, larger=LARGER, top=1).pearson[metric]


def _stop(values: Sequence[float], metric: str) -> int:
    """Count the epochs until early stopping stops, all of them if it never does."""
    mode: Any = mode_of(metric)
    watch = EarlyStopping(PATIENCE, mode=mode)
    for epoch, value in enumerate(values):
        if watch.update(epoch, value):
            return epoch + 1
    return len(values)
