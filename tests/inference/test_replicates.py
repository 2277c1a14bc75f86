"""Drawing units again: every outcome as likely as it should be, and blocks of the right length."""

from __future__ import annotations

import math
from collections import Counter
from itertools import pairwise, product
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from tests.inference_numbers import P1, P2, TIME, VALUES, Y

from properly.inference._replicates import (
    best_block,
    counts_of_blocks,
    counts_of_kinds,
    counts_of_units,
    quantiles,
)
from properly.rules import Brier

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

REPLICATES = 40_000


def drawn(counts: Callable[..., Any], *units: Any) -> NDArray[np.int64]:
    return np.concatenate(list(counts(*units, REPLICATES, np.random.default_rng(7))))


def assert_as_likely(counts: NDArray[np.int64], expected: dict[tuple[int, ...], float]) -> None:
    """Hold the share of each row of counts to its probability, to 4 standard errors."""
    assert sum(expected.values()) == pytest.approx(1)
    found = Counter(map(tuple, counts.tolist()))
    assert set(found) <= set(expected)
    for row, probability in expected.items():
        error = math.sqrt(probability * (1 - probability) / len(counts))
        assert abs(found[row] / len(counts) - probability) <= 4 * error, row


def enumerated(units: int, probability: Callable[..., float]) -> dict[tuple[int, ...], float]:
    """Add up the probabilities of all sequences of units that have the same counts."""
    found: dict[tuple[int, ...], float] = {}
    for sequence in product(range(units), repeat=units):
        row = tuple(np.bincount(sequence, minlength=units).tolist())
        found[row] = found.get(row, 0.0) + probability(sequence)
    return found


def test_units_are_drawn_as_a_multinomial_draws_them() -> None:
    assert_as_likely(drawn(counts_of_units, np.array([4])), enumerated(4, lambda _: 4**-4))


def test_each_stratum_keeps_its_number_of_units_and_is_drawn_by_itself() -> None:
    counts = drawn(counts_of_units, np.array([2, 3]))
    np.testing.assert_array_equal(counts[:, :2].sum(axis=1), 2)
    np.testing.assert_array_equal(counts[:, 2:].sum(axis=1), 3)
    two, three = enumerated(2, lambda _: 2**-2), enumerated(3, lambda _: 3**-3)
    expected = {(*a, *b): two[a] * three[b] for a in two for b in three}
    assert_as_likely(counts, expected)


@pytest.mark.parametrize("number", [[1, 2], [2, 1, 1], [20, 10]])
def test_kinds_are_drawn_in_proportion_to_how_many_there_are(number: list[int]) -> None:
    total = sum(number)
    counts = drawn(counts_of_kinds, np.array(number))
    np.testing.assert_array_equal(counts.sum(axis=1), total)
    share = np.array(number) / total
    variance = total * share * (1 - share)
    error = np.sqrt(variance / REPLICATES)
    assert np.all(np.abs(counts.mean(axis=0) - number) <= 4 * error)
    np.testing.assert_allclose(counts.var(axis=0), variance, rtol=4 * math.sqrt(2 / REPLICATES))


@pytest.mark.parametrize("length", [1.0, 1.5, 4.0])
def test_blocks_go_on_with_the_next_time_and_the_first_follows_the_last(length: float) -> None:
    times = 4

    def probability(sequence: tuple[int, ...]) -> float:
        found = 1 / times
        for before, after in pairwise(sequence):
            goes_on = (1 - 1 / length) * (after == (before + 1) % times)
            found *= goes_on + 1 / length / times
        return found

    assert_as_likely(drawn(counts_of_blocks, times, length), enumerated(times, probability))


# The length of blocks


def losses(forecast: Floats) -> Floats:
    found: Floats = Brier().loss(Y, forecast)[np.argsort(TIME)]
    return found


@pytest.mark.parametrize(("which", "series"), [("db", losses(P1) - losses(P2)), ("b1", losses(P1))])
def test_the_length_of_blocks_is_the_published_one(which: str, series: Floats) -> None:
    expected, tolerance = VALUES[f"block_length.stationary.{which}"]
    assert best_block(series) == pytest.approx(expected, abs=tolerance)


def autoregression(dependence: float, times: int, seed: int) -> Floats:
    series = np.random.default_rng(seed).standard_normal(times)
    for t in range(1, times):
        series[t] += dependence * series[t - 1]
    return series


@pytest.mark.slow
@pytest.mark.parametrize("dependence", [-0.4, 0.0, 0.5, 0.8])
@pytest.mark.parametrize("times", [20, 103, 400])
def test_the_length_of_blocks_is_that_of_arch(dependence: float, times: int) -> None:
    arch = pytest.importorskip("arch.bootstrap", reason="`make test-peers` installs it")
    for seed in range(10):
        series = autoregression(dependence, times, seed)
        expected = arch.optimal_block_length(series)["stationary"].item()
        assert best_block(series) == pytest.approx(expected, rel=1e-9)


# Quantiles of draws


def test_quantiles_are_draws_at_whole_places_from_either_end() -> None:
    draws = np.random.default_rng(1).permutation(np.arange(1.0, 2000.0))
    assert quantiles(draws, 0.95) == (50, 1950)
    assert quantiles(draws, 0.9) == (100, 1900)
    assert quantiles(draws[draws < 40], 0.95) == (1, 39)


def test_an_undefined_draw_lies_beyond_either_end() -> None:
    draws = np.arange(1.0, 2000.0)
    draws[:49] = np.nan
    assert quantiles(draws, 0.95) == (50, 1999)
    draws[49] = np.nan
    assert quantiles(draws, 0.95) == (-math.inf, math.inf)
