"""Tournaments that laws of gaps are held against, and the effects of one with every dummy."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

import properly
from properly.comparison._gaps import effects

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from properly import Answers
    from properly.comparison._two_way import TwoWay
    from properly.counts._answers import Losses

    Floats = NDArray[np.float64]

QUESTIONS = 48  # with 24 events: fewer than 20 would be warned of
NAMES = "abcd"


@dataclass(frozen=True, eq=False)
class Tournament:
    """What happened to questions, what forecasters said of some of them, and what is known."""

    y: Any
    forecasts: dict[str, Any]
    known: dict[str, Any] = field(default_factory=dict)

    def wide(self, **known: Any) -> Answers:
        """Hand it in as a table with a column a forecaster."""
        return properly.Answers.from_wide(self.y, self.forecasts, **known)

    def rows(self, *names: str) -> dict[str, Any]:
        """Lay it out with a row an answer, with what is named of what is known."""
        size = len(self.y)
        probability = np.concatenate(list(self.forecasts.values()))
        there = ~np.isnan(probability if probability.ndim == 1 else probability[:, 0])
        question = np.tile(np.arange(size), len(self.forecasts))
        columns: dict[str, Any] = {
            "question": question,
            "forecaster": np.repeat(list(self.forecasts), size),
            "probability": probability,
            "outcome": np.asarray(self.y)[question],
        }
        columns |= {name: np.asarray(self.known[name])[question] for name in names}
        return {name: column[there] for name, column in columns.items()}

    def answers(self, *names: str) -> Answers:
        return properly.Answers(**self.rows(*names))


def tournament(
    seed: int,
    *,
    gaps: float = 0.35,
    questions: int = QUESTIONS,
    forecasters: str = NAMES,
    classes: int | None = None,
) -> Tournament:
    """Draw forecasts of which none is certain, a share of them missing, in families and strata."""
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.arange(questions) % (classes or 2))
    forecasts = {}
    for name in forecasters:
        p = rng.dirichlet(np.ones(classes or 2), questions) * 0.96 + 0.04 / (classes or 2)
        p = p if classes else p[:, 1]
        p[rng.random(questions) < gaps] = np.nan
        forecasts[name] = p
    known = {
        "weight": rng.choice([0.25, 1.0, 2.5], questions),
        "clusters": rng.permutation(questions) % 12,
        "when": rng.permutation(questions),
    }
    known["strata"] = known["clusters"] % 3
    return Tournament(y, forecasts, known)


def fit_of(answers: Answers, rule: Any) -> TwoWay:
    return effects(answers, answers.losses(rule)).fit


def pairs_of(fit: TwoWay) -> tuple[Any, Any]:
    return np.triu_indices(len(fit.effect), 1)


def told(fit: TwoWay) -> dict[str, Floats]:
    """Return all that effects say of pairs and of forecasters."""
    pairs = pairs_of(fit)
    return {
        "difference": fit.differences(*pairs),
        "standard_error": fit.errors(*pairs),
        "degrees": fit.degrees[pairs],
        "score": fit.score,
        "score_error": np.sqrt(np.diagonal(fit.score_covariance)),
    }


def assert_alike(one: dict[str, Floats], two: dict[str, Floats], rounding: float = 1e-10) -> None:
    assert one.keys() == two.keys()
    for name, x in one.items():
        np.testing.assert_allclose(x, two[name], rtol=rounding, atol=1e-12, err_msg=name)


class Dense(NamedTuple):
    """Differences, standard errors and degrees of freedom of all pairs, by dense algebra."""

    difference: Floats
    standard_error: Floats
    degrees: Floats


def with_every_dummy(losses: Losses, forecasters: int, cluster: Any) -> Dense:
    """Fit a dummy for each cell and each forecaster, and correct clusters one by one.

    Nothing is swept out, and no matrix is smaller than it could be.
    """
    s = np.sqrt(losses.weight)
    cells = np.eye(len(losses.question))[losses.cell]
    x = np.hstack([cells, np.eye(forecasters)[losses.forecaster][:, 1:]]) * s[:, None]
    inverse = np.linalg.pinv(x.T @ x, rcond=1e-12, hermitian=True)
    hat = x @ inverse @ x.T
    left = np.eye(len(s)) - hat
    away = left @ (s * losses.loss)
    effect = np.zeros((forecasters, x.shape[1]))
    effect[1:, -(forecasters - 1) :] = np.eye(forecasters - 1)
    pull = effect @ inverse @ x.T
    group = np.asarray(cluster)[losses.cell]
    corrected = []
    for g in np.unique(group):
        rows = np.flatnonzero(group == g)
        value, vector = np.linalg.eigh(left[np.ix_(rows, rows)])
        root = np.where(value > 1e-9, 1 / np.sqrt(np.maximum(value, 1e-9)), 0.0)
        corrected.append((pull[:, rows] @ (vector * root) @ vector.T, rows))
    first, second = np.triu_indices(forecasters, 1)
    errors, degrees = [], []
    for i, j in zip(first, second, strict=True):
        rows_of = [(a[i] - a[j], rows) for a, rows in corrected]
        errors.append(np.sqrt(sum((a @ away[rows]) ** 2 for a, rows in rows_of)))
        spread = np.array([a @ left[rows] for a, rows in rows_of])
        gram = spread @ spread.T
        degrees.append(np.trace(gram) ** 2 / (gram**2).sum())
    b = pull @ (s * losses.loss)
    return Dense(b[first] - b[second], np.array(errors), np.array(degrees))
