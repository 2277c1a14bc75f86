"""Figure 1: models with heavy, normal and no tails, fitted to few cases in many dimensions."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

from properly.probability._power_means import MEAN_PROBABILITY, ROBUSTNESS, mean_of_power
from reproductions.means.coupled import check_coupling, log_density_at, posterior_of

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence


Points: TypeAlias = np.ndarray[Any, np.dtype[np.float64]]
Fitted: TypeAlias = tuple[tuple[Points, Points], tuple[Points, Points]]

DIMENSIONS = (2, 4, 6, 8, 10)
MODELS = {"normal": 0.0, "heavy": 0.162, "compact": -0.095}
# Cases of each class that a fitted model is tried on.
TRIED = 2000
LIMIT = 0.01


class Reading(NamedTuple):
    """What the paper may mean: training cases of both classes, and how they are fitted."""

    sizes: tuple[int, int]
    fit: Callable[[Points, Points], Fitted]


def _pooled(first: Points, second: Points) -> Fitted:
    """Fit two means and one covariance matrix."""
    away = np.concatenate([x - x.mean(axis=0) for x in (first, second)])
    scale = away.T @ away / (len(away) - 2)
    return (first.mean(axis=0), scale), (second.mean(axis=0), scale)


def _variances(first: Points, second: Points) -> Fitted:
    """Fit a mean and a variance a dimension, each class by itself."""
    return _apart(first, second, lambda x: np.diag(x.var(axis=0, ddof=1)))


def _matrices(first: Points, second: Points) -> Fitted:
    """Fit a mean and a covariance matrix, each class by itself."""
    return _apart(first, second, lambda x: np.cov(x, rowvar=False))


def _apart(first: Points, second: Points, scale: Callable[[Points], Points]) -> Fitted:
    return (first.mean(axis=0), scale(first)), (second.mean(axis=0), scale(second))


POOLED = "one covariance matrix, 25 cases in all"
VARIANCES, COVARIANCES = "variances, by class", "covariances, by class"
READINGS = {
    POOLED: Reading((13, 12), _pooled),
    VARIANCES: Reading((25, 25), _variances),
    COVARIANCES: Reading((25, 25), _matrices),
}


class Trial(NamedTuple):
    """How one fitted model did: what it gave to what happened, and how often it gave nothing."""

    correct: float
    decisiveness: float
    mean_probability: float
    limited: float
    zeros: float
    undefined: float
    power: float


@dataclass(frozen=True)
class Cell:
    """A model in some dimensions, over all training sets.

    Attributes
    ----------
    dimensions : int
        How many are used.
    coupling : float
        Of the model.
    correct, correct_error : float
        Mean share of cases whose likelier class is the right one, and its standard error.
    decisiveness, mean_probability, mean_probability_error : float
        Means over training sets, the latter with its standard error.
    lower, upper : float
        Nine in ten training sets have an accuracy above the one, and below the other.
    limited : float
        Mean accuracy if forecasts are limited to [0.01, 0.99].
    robustness : float
        Of the cases of all training sets together; a single case may rule it.
    zeros, undefined : float
        Shares of cases that have a probability of 0, and of those outside both supports.
    """

    dimensions: int
    coupling: float
    correct: float
    correct_error: float
    decisiveness: float
    mean_probability: float
    mean_probability_error: float
    lower: float
    upper: float
    limited: float
    robustness: float
    zeros: float
    undefined: float


def study(
    reading: str,
    sets: int,
    rng: np.random.Generator,
    couplings: Collection[float] = MODELS.values(),
    dimensions: Collection[int] = DIMENSIONS,
) -> tuple[Cell, ...]:
    """Fit and try models, one training set after the other; all see the same cases."""
    chosen = READINGS[reading]
    trials: dict[tuple[int, float], list[Trial]] = {
        (d, k): [] for k in couplings for d in dimensions
    }
    for _ in range(sets):
        training = tuple(_draw(n, second, rng) for second, n in enumerate(chosen.sizes))
        tried = np.concatenate([_draw(TRIED, second, rng) for second in range(2)])
        for d in dimensions:
            fitted = chosen.fit(*(x[:, :d] for x in training))
            for k in couplings:
                trials[d, k].append(_try(fitted, k, tried[:, :d]))
    return tuple(_cell(d, k, found) for (d, k), found in trials.items())


def _draw(n: int, second: int, rng: np.random.Generator) -> Points:
    """Draw cases of a class, of which the second is 1 away from the first in each dimension."""
    return rng.standard_normal((n, DIMENSIONS[-1])) + second


def _try(fitted: Fitted, coupling: float, x: Points) -> Trial:
    """Try a model on cases of which the first half is of the first class."""
    logs = [log_density(x, *both, coupling) for both in fitted]
    found = posterior_of(np.stack(logs, axis=1), np.full(2, 0.5))
    half = len(x) // 2
    t = np.concatenate([found.p[:half, 0], found.p[half:, 1]])
    with np.errstate(divide="ignore"):
        power = float(np.mean(t**ROBUSTNESS))
    return Trial(
        float(np.mean(t > 0.5) + np.mean(t == 0.5) / 2),
        float(t.mean()),
        mean_of_power(t, MEAN_PROBABILITY),
        mean_of_power(t.clip(LIMIT, 1 - LIMIT), MEAN_PROBABILITY),
        float(np.mean(t == 0)),
        found.undefined / len(x),
        power,
    )


def log_density(x: Points, location: Points, scale: Points, coupling: float) -> Points:
    """Return the logarithm of a coupled density at rows, given the matrix of its squared scale."""
    root = np.linalg.cholesky(scale)
    r2 = (np.linalg.solve(root, (x - location).T) ** 2).sum(axis=0)
    k = check_coupling(coupling, len(root))
    return log_density_at(r2, k, len(root)) - float(np.log(np.diag(root)).sum())


def _cell(dimensions: int, coupling: float, trials: Sequence[Trial]) -> Cell:
    """Average over training sets, of which all tried as many cases."""
    columns = {name: np.array([getattr(t, name) for t in trials]) for name in Trial._fields}
    mean = {name: float(column.mean()) for name, column in columns.items()}
    lower, upper = np.quantile(columns["mean_probability"], [0.1, 0.9]).tolist()
    return Cell(
        dimensions,
        coupling,
        correct_error=_error(columns["correct"]),
        mean_probability_error=_error(columns["mean_probability"]),
        lower=lower,
        upper=upper,
        robustness=mean.pop("power") ** (1 / ROBUSTNESS),
        **mean,
    )


def _error(x: Points) -> float:
    """Return the standard error of a mean; of one number nothing is known."""
    return float(np.std(x, ddof=1)) / math.sqrt(len(x)) if len(x) > 1 else math.nan
