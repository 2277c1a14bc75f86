"""Random counts from tables: their distributions are those of scipy, to the last of a trillion."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from properly.inference._random_counts import Tables, binomials, poisson

CASES = np.array([1, 1, 7, 40, 300, 5000])
PROBABILITY = np.array([0.3, 0.999, 0.5, 0.02, 0.97, 0.5])
ROWS = 20_000


def rows_of(tables: Tables, k: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the numbers of a table, and the chance of each of them or less."""
    start = tables.start[k]
    end = tables.start[k + 1] if k + 1 < len(tables.start) else len(tables.upto)
    return tables.least[k] + np.arange(end - start), np.minimum(tables.upto[start:end], 1.0)


@pytest.mark.parametrize("k", range(len(CASES)))
def test_a_table_has_the_distribution_function(k: int) -> None:
    number, upto = rows_of(binomials(CASES, PROBABILITY), k)
    expected = stats.binom.cdf(number, CASES[k], PROBABILITY[k])
    np.testing.assert_allclose(upto, expected, atol=1e-11)
    assert stats.binom.cdf(number[0] - 1, CASES[k], PROBABILITY[k]) < 1e-12


def test_a_uniform_number_leads_to_the_first_count_that_reaches_it() -> None:
    tables, rng = binomials(CASES, PROBABILITY), np.random.default_rng(1)
    drawn, uniform = tables.draw(500, rng), np.random.default_rng(1).random((500, len(CASES)))
    for k in range(len(CASES)):
        number, upto = rows_of(tables, k)
        place = np.minimum(np.searchsorted(upto, uniform[:, k], side="right"), len(number) - 1)
        assert (drawn[:, k] == number[place]).all()


def test_what_is_certain_does_not_vary() -> None:
    drawn = binomials(np.array([5, 5, 9]), np.array([0.0, 1.0, 0.0])).draw(
        100, np.random.default_rng(2)
    )
    assert (drawn == [0, 5, 0]).all()


@pytest.mark.parametrize("rows", [5, ROWS])
def test_poisson_numbers_have_their_means_and_variances(rows: int) -> None:
    mean = np.array([0.0, 0.1, 3.0, 31.0, 33.0, 900.0])
    some = -(-ROWS // rows)
    rng = np.random.default_rng(3)
    drawn = np.concatenate([poisson(mean, rows, rng) for _ in range(some)])
    assert drawn.dtype.kind == "i"
    assert drawn.min() >= 0
    assert (drawn[:, 0] == 0).all()
    error = 4.5 * np.sqrt(mean / len(drawn))
    assert (np.abs(drawn.mean(axis=0) - mean) <= error).all()
    spread = 4.5 * np.sqrt((2 * mean**2 + mean) / len(drawn))
    assert (np.abs(drawn.var(axis=0, ddof=1) - mean) <= spread).all()


@pytest.mark.parametrize("mean", [[0.5, 2.0], [50.0, 80.0]])
def test_means_may_all_be_small_or_all_large(mean: list[float]) -> None:
    drawn = poisson(np.array(mean), 64, np.random.default_rng(4))
    assert drawn.shape == (64, 2)
