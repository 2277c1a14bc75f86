"""Figure 1: three models in two to ten dimensions."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from reproductions.means.dimensions import (
    COVARIANCES,
    DIMENSIONS,
    MODELS,
    POOLED,
    READINGS,
    VARIANCES,
    Cell,
    study,
)
from reproductions.means.figure1 import Readings
from reproductions.means.reference import FIGURE1, OTHER_READINGS, ZEROS

SETS = 12
TWO = (2, 6)


@pytest.fixture(scope="module")
def found() -> dict[tuple[int, float], Cell]:
    cells = study(POOLED, SETS, np.random.default_rng(1), dimensions=TWO)
    return {(cell.dimensions, cell.coupling): cell for cell in cells}


def test_readings_fit_what_they_say() -> None:
    rng = np.random.default_rng(3)
    first, second = rng.normal(size=(13, 3)), rng.normal(size=(12, 3)) + 1
    (mean, scale), (other, same) = READINGS[POOLED].fit(first, second)
    assert mean == pytest.approx(first.mean(axis=0))
    assert other == pytest.approx(second.mean(axis=0))
    assert same is scale
    pooled = (12 * np.cov(first.T) + 11 * np.cov(second.T)) / 23
    assert scale == pytest.approx(pooled)
    (_, scale), (_, other) = READINGS[VARIANCES].fit(first, second)
    assert scale == pytest.approx(np.diag(np.diag(np.cov(first.T))))
    assert other == pytest.approx(np.diag(np.diag(np.cov(second.T))))
    (_, scale), (_, other) = READINGS[COVARIANCES].fit(first, second)
    assert scale == pytest.approx(np.cov(first.T))
    assert other == pytest.approx(np.cov(second.T))
    assert [READINGS[name].sizes for name in READINGS] == [(13, 12), (25, 25), (25, 25)]


@pytest.mark.parametrize("model", ["normal", "heavy"])
@pytest.mark.parametrize("d", TWO)
def test_accuracies_are_those_found_before(
    found: dict[tuple[int, float], Cell], model: str, d: int
) -> None:
    cell, before = found[d, MODELS[model]], FIGURE1[model][d]
    assert 0 < cell.mean_probability_error < 0.05
    error = math.hypot(cell.mean_probability_error, before.error)
    assert abs(cell.mean_probability - before.mean_probability) < 3.5 * error
    assert cell.zeros == cell.undefined == 0
    assert cell.robustness < cell.mean_probability < cell.decisiveness < cell.correct + 0.02
    assert cell.lower < cell.mean_probability < cell.upper


def test_tails_do_not_change_who_is_likelier_if_the_matrix_is_shared(
    found: dict[tuple[int, float], Cell],
) -> None:
    for d in TWO:
        assert found[d, 0.0].correct == found[d, 0.162].correct
        assert found[d, 0.0].mean_probability < found[d, 0.162].mean_probability


def test_the_compact_model_calls_what_happens_impossible(
    found: dict[tuple[int, float], Cell],
) -> None:
    for d in TWO:
        cell = found[d, -0.095]
        assert cell.mean_probability < 0.15
        assert cell.robustness == 0
        assert cell.zeros == pytest.approx(ZEROS[d], abs=0.01)
        # With the limit of the other figures it would not have been at 0.
        assert 0.5 < cell.limited < 0.62
    assert found[6, -0.095].mean_probability == 0
    assert 0 < found[2, -0.095].undefined < found[6, -0.095].undefined


def test_averages_are_over_training_sets() -> None:
    rng = np.random.default_rng(4)
    both = study(POOLED, 2, rng, (0.162,), (4,))[0]
    rng = np.random.default_rng(4)
    one, other = (study(POOLED, 2, rng, (0.162,), (4,))[0] for _ in range(2))
    assert both == one
    assert other != one
    rng = np.random.default_rng(4)
    first, second = (study(POOLED, 1, rng, (0.162,), (4,))[0] for _ in range(2))
    assert math.isnan(first.mean_probability_error)
    assert both.mean_probability == pytest.approx(
        (first.mean_probability + second.mean_probability) / 2
    )
    assert both.mean_probability_error == pytest.approx(
        abs(first.mean_probability - second.mean_probability) / 2
    )
    power = (first.robustness ** (-2 / 3) + second.robustness ** (-2 / 3)) / 2
    assert both.robustness == pytest.approx(power**-1.5)


def test_other_readings_have_their_best_elsewhere() -> None:
    blank = Cell(2, 0.0, 0.7, 0.01, 0.7, 0.5, 0.01, 0.4, 0.6, 0.5, 0.3, 0.0, 0.0)
    cells = {
        name: tuple(
            replace(blank, dimensions=d, mean_probability=x)
            for d, x in zip(DIMENSIONS, known, strict=True)
        )
        for name, known in OTHER_READINGS.items()
    }
    found = Readings(cells, 400)
    assert (found.best(VARIANCES), found.best(COVARIANCES)) == (10, 4)
    assert f"{VARIANCES}: highest in 10 dimensions" in str(found)
    assert found.to_dict()["reading"] == [VARIANCES] * 5 + [COVARIANCES] * 5
    assert found.to_frame("pandas").shape == (10, 14)
