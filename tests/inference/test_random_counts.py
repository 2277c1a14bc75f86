"""Random counts: tables have the distributions of scipy, and what is normal nearly has them."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from properly.inference._draws import MANY, WIDE, Tables, binomials, poisson

CASES = np.array([1, 1, 7, 40, 300, 39])
PROBABILITY = np.array([0.3, 0.999, 0.5, 0.02, 0.97, 0.5])
ROWS = 20_000


def tables_of_events() -> Tables:
    """Return the tables; none of the counts varies so widely as to do without."""
    tables = binomials(CASES, PROBABILITY).tables
    assert len(tables.start) == len(CASES)
    return tables


def rows_of(tables: Tables, k: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the numbers of a table, and the chance of each of them or less."""
    start = tables.start[k]
    end = tables.start[k + 1] if k + 1 < len(tables.start) else len(tables.upto)
    return tables.least[k] + np.arange(end - start), np.minimum(tables.upto[start:end], 1.0)


@pytest.mark.parametrize("k", range(len(CASES)))
def test_a_table_has_the_distribution_function(k: int) -> None:
    number, upto = rows_of(tables_of_events(), k)
    expected = stats.binom.cdf(number, CASES[k], PROBABILITY[k])
    np.testing.assert_allclose(upto, expected, atol=1e-11)
    assert stats.binom.cdf(number[0] - 1, CASES[k], PROBABILITY[k]) < 1e-12


def test_what_is_certain_does_not_vary() -> None:
    drawn = binomials(np.array([5, 5, 9]), np.array([0.0, 1.0, 0.0])).draw(
        100, np.random.default_rng(2)
    )
    assert (drawn == [0, 5, 0]).all()


@pytest.mark.parametrize(
    ("cases", "probability"),
    [(41, 0.5), (350, 0.03), (129, 0.5), (1100, 0.03), (4000, 0.991), (10**8, 0.2)],
)
def test_what_varies_widely_has_nearly_the_distribution_function(
    cases: int, probability: float
) -> None:
    variance = cases * probability * (1 - probability)
    assert variance >= WIDE
    columns = np.array([cases, 3]), np.array([probability, 0.5])
    drawn = binomials(*columns).draw(10 * ROWS, np.random.default_rng(5))
    assert set(np.unique(drawn[:, 1])) == {0, 1, 2, 3}
    mean, deviation = cases * probability, np.sqrt(variance)
    number = np.unique(np.rint(mean + deviation * np.linspace(-4, 4, 65)))
    upto = np.searchsorted(np.sort(drawn[:, 0]), number, side="right") / len(drawn)
    expected = stats.binom.cdf(number, cases, probability)
    # What chance does to so many draws, and a little more.
    error = 4 * np.sqrt(expected * (1 - expected) / len(drawn)) + 0.02 / variance
    assert (np.abs(upto - expected) <= error).all()


@pytest.mark.parametrize("rows", [MANY - 1, ROWS])
def test_poisson_numbers_have_their_means_and_variances(rows: int) -> None:
    mean, rng = np.array([0.0, 0.1, 3.0, 15.0, 17.0, 900.0]), np.random.default_rng(3)
    numbers = poisson(mean)
    drawn = np.concatenate([numbers.draw(rows, rng) for _ in range(-(-ROWS // rows))])
    assert drawn.dtype.kind == "i"
    assert drawn.min() >= 0
    assert (drawn[:, 0] == 0).all()
    error = 4.5 * np.sqrt(mean / len(drawn))
    assert (np.abs(drawn.mean(axis=0) - mean) <= error).all()
    spread = 4.5 * np.sqrt((2 * mean**2 + mean) / len(drawn))
    assert (np.abs(drawn.var(axis=0, ddof=1) - mean) <= spread).all()
