"""The cases of Nelson's figures against the means of their populations.

Seeds are fixed. A mean is accepted within five standard errors.
"""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest
from reproductions.means.coupled import NELSON_CASES, nelson

if TYPE_CHECKING:
    from reproductions.means.coupled import Simulation

FILE = Path(__file__).parents[1] / "reference" / "means" / "population_cases.json"
N = 20_000

POPULATION: dict[str, tuple[str, float | None]] = {
    "perfect_kappa_0.5": ("perfect", None),
    "mean1": ("mean 1", None),
    "mean3": ("mean 3", None),
    "variance0.5": ("variance 0.5", None),
    "variance2": ("variance 2", None),
    "tail_over_both_qlim0.01": ("tail over", 0.01),
    "tail_under_both": ("tail under", None),
}
# Decisiveness, accuracy, robustness of the others to four digits, forecasts within [0.01, 0.99].
FOUR_DIGITS = {
    "tail over, one class": (0.7005, 0.5432, 0.2924),
    "tail under, one class": (0.7511, 0.6882, 0.6121),
    "prior 0.8": (0.6446, 0.5293, 0.3955),
    "gaussian": (0.7747, 0.7001, 0.5961),
    "gaussian, mean 1": (0.6903, 0.6512, 0.6157),
    "gaussian, mean 3": (0.7819, 0.6319, 0.3849),
    "gaussian, variance 0.5": (0.7988, 0.6841, 0.4812),
    "gaussian, variance 2": (0.7388, 0.6876, 0.6268),
}


def assert_means(s: Simulation, wanted: tuple[float, float, float], digits: float) -> None:
    """Compare power means of the probability of what happened; errors by the delta method."""
    happened = np.where(s.y, s.p, 1 - s.p)
    for power, mean in zip((1, 0, -2 / 3), wanted, strict=True):
        values = np.log(happened) if power == 0 else happened**power
        expected = math.log(mean) if power == 0 else mean**power
        slope = 1 / mean if power == 0 else abs(power) * mean ** (power - 1)
        error = values.std(ddof=1) / math.sqrt(len(s))
        assert abs(values.mean() - expected) < 5 * error + slope * digits


def test_the_reference_has_no_other_cases() -> None:
    read = json.loads(FILE.read_text())
    assert set(read) == set(POPULATION)
    assert {case for case, _ in POPULATION.values()} | set(FOUR_DIGITS) == set(NELSON_CASES)


@pytest.mark.parametrize("name", POPULATION)
def test_means_are_those_of_the_population(name: str) -> None:
    case, precision = POPULATION[name]
    read = json.loads(FILE.read_text())[name]
    wanted = tuple(float(read[key]) for key in ("decisiveness", "mean_probability", "robustness"))
    s = nelson(N, case, precision=precision, rng=10)
    assert_means(s, wanted, digits=1e-12)  # type: ignore[arg-type]


@pytest.mark.parametrize("case", FOUR_DIGITS)
def test_means_of_further_cases_are_those_of_the_population(case: str) -> None:
    assert_means(nelson(N, case, rng=11), FOUR_DIGITS[case], digits=5e-5)


@pytest.mark.parametrize("case", NELSON_CASES)
def test_outcomes_follow_the_truth(case: str) -> None:
    s = nelson(N, case, rng=12)
    tenth = np.minimum((10 * s.truth).astype(int), 9)
    cases = np.bincount(tenth, minlength=10)
    excess = np.bincount(tenth, s.y - s.truth, minlength=10)
    variance = np.bincount(tenth, s.truth * (1 - s.truth), minlength=10)
    assert (np.abs(excess[cases > 0]) < 5 * np.sqrt(variance[cases > 0])).all()


def test_forecasts_of_a_perfect_model_are_the_truth() -> None:
    for case in ("perfect", "gaussian"):
        s = nelson(500, case, precision=None, rng=13)
        assert np.array_equal(s.p, s.truth)
        limited = nelson(500, case, precision=0.2, rng=13)
        assert np.array_equal(limited.p, np.clip(s.truth, 0.2, 0.8))
        assert np.array_equal(limited.truth, s.truth)


def test_a_model_does_not_move_outcomes_or_truth() -> None:
    one, other = (nelson(500, case, rng=14) for case in ("perfect", "tail over"))
    assert np.array_equal(one.y, other.y)
    assert np.array_equal(one.truth, other.truth)
    assert not np.array_equal(one.p, other.p)
    assert np.array_equal(one.p, nelson(500, rng=np.random.default_rng(14)).p)
    assert other.p.min() == 0.01
    assert other.p.max() == 0.99
    assert one.y.dtype == bool


def test_a_prior_of_four_fifths_multiplies_the_odds_by_four() -> None:
    s = nelson(500, "prior 0.8", precision=None, rng=15)
    odds = s.p / (1 - s.p)
    np.testing.assert_allclose(odds, 4 * s.truth / (1 - s.truth), rtol=1e-12)
