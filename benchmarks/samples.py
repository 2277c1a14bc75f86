"""The data that rows are measured on."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

import properly
from properly.rules import RPS, Brier, Log, SquaredAbsoluteRPS

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

SEED = 20211
PIECE = 1 << 16
# Models of a leaderboard, and no more than one for so many cases.
LEADERBOARD, PER_MODEL = 1000, 10
# The thresholds that a job asks about.
WITHIN = (0.01, 0.1)


class Sample(NamedTuple):
    """Outcomes and forecasts."""

    y: NDArray[np.bool_]
    p: NDArray[np.float64]

    @property
    def bytes(self) -> int:
        """Memory of both columns."""
        return self.y.nbytes + self.p.nbytes


class NumericSample(NamedTuple):
    """Outcomes as numbers and distinct forecasts, for peers that do not take booleans."""

    y: NDArray[np.bool_]
    p: NDArray[np.float64]
    outcome: NDArray[np.float64]


class WeightedSample(NamedTuple):
    """Outcomes, distinct forecasts, and weights that are not whole numbers."""

    y: NDArray[np.bool_]
    p: NDArray[np.float64]
    weight: NDArray[np.float64]


class TalliedSample(NamedTuple):
    """Outcomes and distinct forecasts, with their tally."""

    y: NDArray[np.bool_]
    p: NDArray[np.float64]
    tally: properly.Tally


class FramedSample(NamedTuple):
    """Outcomes and distinct forecasts, with a frame of both for peers that want one."""

    y: NDArray[np.bool_]
    p: NDArray[np.float64]
    frame: Any


class ClassSample(NamedTuple):
    """Class numbers, and class probabilities, one column a class."""

    y: NDArray[np.int64]
    p: NDArray[Any]


class ScoredSample(NamedTuple):
    """Class numbers and class probabilities, with the losses of each case under several rules."""

    y: NDArray[np.int64]
    p: NDArray[Any]
    scores: dict[str, NDArray[np.float64]]

    @property
    def half(self) -> ScoredSample:
        """The first half of the cases."""
        n = len(self.y) // 2
        return ScoredSample(self.y[:n], self.p[:n], {k: x[:n] for k, x in self.scores.items()})


class RivalSample(NamedTuple):
    """Outcomes, the forecasts of several models, and their tallies."""

    y: NDArray[np.bool_]
    models: dict[str, NDArray[np.float64]]
    tallies: dict[str, properly.Tally]


class Job(NamedTuple):
    """Outcomes, and the forecasts of several models."""

    y: NDArray[np.bool_]
    forecasts: dict[str, NDArray[np.float64]]

    @property
    def bytes(self) -> int:
        """Memory of all columns."""
        return self.y.nbytes + sum(p.nbytes for p in self.forecasts.values())


class DesignedJob(NamedTuple):
    """A job with more options of `evaluate`, and a plain job with the same number of cases."""

    y: NDArray[Any]
    forecasts: dict[str, NDArray[np.float64]]
    options: dict[str, Any]
    plain: Job

    @property
    def bytes(self) -> int:
        """Memory of all columns."""
        columns = (self.y, *self.forecasts.values(), *self.options.values())
        return sum(x.nbytes for x in columns if isinstance(x, np.ndarray))


def make_sample(cases: int) -> Sample:
    """Draw uniform forecasts, of which the event follows with the probability ``sqrt(p)``.

    Piece by piece: temporary arrays of the size of the data would raise the peak of memory that
    the memory of a computation is measured from.
    """
    rng = np.random.default_rng(SEED)
    y, p = np.empty(cases, dtype=np.bool_), np.empty(cases)
    for start in range(0, cases, PIECE):
        piece = slice(start, min(start + PIECE, cases))
        size = piece.stop - piece.start
        p[piece] = rng.random(size)
        y[piece] = rng.random(size) < np.sqrt(p[piece])
    return Sample(y, p)


def make_rounded(cases: int) -> Sample:
    """Round forecasts to as many digits as the number of cases has: six in ten values remain."""
    y, p = make_sample(cases)
    return Sample(y, np.round(p, round(math.log10(cases))))


def make_numeric(cases: int) -> NumericSample:
    """Turn outcomes into numbers before the clock runs."""
    sample = make_sample(cases)
    return NumericSample(*sample, sample.y.astype(np.float64))


def make_weighted(cases: int) -> WeightedSample:
    """Draw weights between a half and three halves besides."""
    weight = np.random.default_rng(SEED + 1).random(cases) + 0.5
    return WeightedSample(*make_sample(cases), weight)


def make_tallied(cases: int) -> TalliedSample:
    """Tally before the clock runs."""
    sample = make_sample(cases)
    return TalliedSample(*sample, properly.tally(*sample))


def make_framed(cases: int) -> FramedSample:
    """Make a pandas frame before the clock runs."""
    import pandas as pd

    y, p = make_sample(cases)
    return FramedSample(y, p, pd.DataFrame({"y": y, "p": p}))


def make_rivals(cases: int) -> RivalSample:
    """Blur the log-odds of the forecasts, for each of five models more."""
    y, p = make_sample(cases)
    rng = np.random.default_rng(SEED + 2)
    odds = p / (1 - p)
    blurred = (odds * np.exp(0.3 * k * rng.standard_normal(cases)) for k in range(5))
    models = {f"model {k}": x / (1 + x) for k, x in enumerate(blurred)}
    return RivalSample(y, models, {name: properly.tally(y, x) for name, x in models.items()})


def make_grades(cases: int) -> ClassSample:
    """Draw forecasts of five ordered classes, in double precision."""
    return _make_classes(cases, 5, np.float64)


def make_many_classes(cases: int) -> ClassSample:
    """Draw forecasts of a thousand classes, in single precision."""
    return _make_classes(cases, 1000, np.float32)


def make_scored(cases: int) -> ScoredSample:
    """Price the forecasts of five ordered classes before the clock runs."""
    y, p = make_grades(cases)
    rules = (Brier(), Log(), RPS(), SquaredAbsoluteRPS())
    return ScoredSample(y, p, {rule.name: rule.loss(y, p) for rule in rules})


def make_job(cases: int) -> Job:
    """Draw events of which one in ten happens, a model that is right and two that are not."""
    rng = np.random.default_rng(SEED)
    odds = rng.normal(-3, 1.3, cases)
    right = 1 / (1 + np.exp(-odds))
    y = rng.random(cases) < right
    noisy = {
        name: 1 / (1 + np.exp(-slope * odds - rng.normal(0, noise, cases)))
        for name, slope, noise in (("vague", 0.9, 0.3), ("noisy", 1.0, 0.6))
    }
    return Job(y, {"right": right, **noisy})


DESIGNS: dict[str, Callable[[NDArray[np.intp], np.random.Generator], dict[str, Any]]] = {
    "clusters of ten": lambda row, _: {"clusters": row // 10},
    "100 clusters": lambda row, _: {"clusters": row % 100},
    "weights": lambda row, rng: {"weight": rng.gamma(2, 1, len(row))},
    "weights and clusters of ten": lambda row, rng: {
        "weight": rng.gamma(2, 1, len(row)),
        "clusters": row // 10,
    },
    "20 groups": lambda row, rng: {"groups": rng.integers(0, 20, len(row))},
    "1,000 days": lambda row, rng: {"time": np.sort(rng.integers(0, 1000, len(row)))},
    "distinct times": lambda row, _: {"time": row},
    '`recalibrate="auto"`': lambda *_: {"recalibrate": "auto"},
}
CLASS_TASKS = {"ten classes": "multiclass", "ten grades": "ordinal"}


def make_designed(design: str, cases: int) -> DesignedJob:
    """Put the cases of the job into a design, or draw ten classes and blur a second model."""
    plain, rng = make_job(cases), np.random.default_rng(SEED + 4)
    if design not in CLASS_TASKS:
        options = DESIGNS[design](np.arange(cases), rng)
        return DesignedJob(*plain, {"within": WITHIN, **options}, plain)
    y, right = _make_classes(cases, 10, np.float64)
    noisy = right * np.exp(rng.normal(0, 0.3, right.shape))
    noisy /= noisy.sum(axis=1, keepdims=True)
    return DesignedJob(y, {"right": right, "noisy": noisy}, {"task": CLASS_TASKS[design]}, plain)


def make_tumours(cases: int) -> Job:
    """Forecast 569 tumours, nearly separable, by logistic regressions fitted to the others."""
    from sklearn.datasets import load_breast_cancer
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import cross_val_predict
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    x, y = load_breast_cancer(return_X_y=True)

    def forecasts(penalty: float) -> NDArray[np.float64]:
        model = make_pipeline(StandardScaler(), LogisticRegression(C=penalty, max_iter=1000))
        found: NDArray[Any] = cross_val_predict(model, x, y, cv=5, method="predict_proba")
        return found[:cases, 1]

    names = {"logistic": 1.0, "penalized": 0.1, "nearly free": 10.0}
    return Job(y[:cases] == 1, {name: forecasts(c) for name, c in names.items()})


def make_leaderboard(cases: int) -> Job:
    """Blur the forecasts of one model in a thousand ways."""
    y, forecasts = make_job(cases)
    odds = np.log(forecasts["right"] / (1 - forecasts["right"]))
    models = min(LEADERBOARD, cases // PER_MODEL)
    noise = np.random.default_rng(SEED + 1).normal(0, 0.5, (models, cases))
    return Job(y, {f"model {k}": 1 / (1 + np.exp(-odds - x)) for k, x in enumerate(noise)})


def make_nothing(cases: int) -> Any:  # noqa: ARG001
    """Make no data, for what needs none."""
    return None


def _make_classes(cases: int, classes: int, dtype: type[np.floating[Any]]) -> ClassSample:
    """Draw from all distributions alike, and outcomes from the forecasts, piece by piece."""
    rng = np.random.default_rng(SEED + 3)
    y, p = np.empty(cases, dtype=np.int64), np.empty((cases, classes), dtype=dtype)
    size = PIECE // classes
    for start in range(0, cases, size):
        drawn = rng.standard_exponential((min(size, cases - start), classes))
        drawn /= drawn.sum(axis=1, keepdims=True)
        piece = slice(start, start + len(drawn))
        p[piece] = drawn
        y[piece] = (drawn.cumsum(axis=1)[:, :-1] < rng.random((len(drawn), 1))).sum(axis=1)
    return ClassSample(y, p)
