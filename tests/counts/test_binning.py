"""Bins that were chosen beforehand."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from properly.counts._histogram import equal_count, equal_rank, equal_width


def test_an_edge_belongs_to_the_bin_above_it_and_one_to_the_last() -> None:
    value = np.array([0, 0.24, 0.25, 0.5, 0.75, 0.99, 1])
    np.testing.assert_array_equal(equal_width(value, 4), [0, 0, 1, 2, 3, 3, 3])


def test_nothing_is_added_to_a_product_in_floating_point() -> None:
    np.testing.assert_array_equal(equal_width(np.array([0.28, 0.29, 0.3]), 100), [28, 28, 30])


@given(
    st.lists(st.integers(1, 50), min_size=1, max_size=30),
    st.integers(1, 20),
    st.sampled_from([1, 2**50]),
)
def test_a_forecast_is_where_the_middle_of_its_cases_falls(
    counts: list[int], bins: int, factor: int
) -> None:
    weight = np.array(counts) * factor
    total = sum(counts)
    middle = [Fraction(2 * sum(counts[:i]) + n, 2 * total) for i, n in enumerate(counts)]
    cells = [int(bins * x) for x in middle]
    numbers = {cell: number for number, cell in enumerate(sorted(set(cells)))}
    expected = [numbers[cell] for cell in cells]
    np.testing.assert_array_equal(equal_count(weight, bins), expected)


def test_fractional_weights_fill_bins_too() -> None:
    np.testing.assert_array_equal(equal_count(np.array([0.5, 0.5, 0.5, 0.5]), 2), [0, 0, 1, 1])
    # Rounding makes the last forecast lie at the very end; it needs no bin of its own.
    np.testing.assert_array_equal(equal_count(np.array([1.0, 0.5e-17]), 1), [0, 0])


def test_counts_beyond_64_bits_still_fill_bins() -> None:
    weight = np.full(4, 2**60)
    np.testing.assert_array_equal(equal_count(weight, 4), [0, 1, 2, 3])


def test_a_heavy_forecast_is_never_split() -> None:
    np.testing.assert_array_equal(equal_count(np.array([1, 100, 1]), 10), [0, 1, 2])


# By rank


@given(
    st.lists(st.integers(1, 50), min_size=1, max_size=30),
    st.integers(1, 20),
    st.sampled_from([1, 2**50]),
)
def test_a_forecast_is_where_the_first_of_its_cases_falls(
    counts: list[int], bins: int, factor: int
) -> None:
    first = [Fraction(sum(counts[:i]), sum(counts)) for i in range(len(counts))]
    expected = [int(bins * x) for x in first]
    np.testing.assert_array_equal(equal_rank(np.array(counts) * factor, bins), expected)


def test_ranks_fill_bins_equally() -> None:
    np.testing.assert_array_equal(equal_rank(np.ones(6, dtype=np.int64), 3), [0, 0, 1, 1, 2, 2])
    np.testing.assert_array_equal(equal_rank(np.ones(5, dtype=np.int64), 2), [0, 0, 0, 1, 1])
    np.testing.assert_array_equal(equal_rank(np.ones(2, dtype=np.int64), 5), [0, 2])


def test_a_bin_that_nothing_falls_into_keeps_its_number() -> None:
    np.testing.assert_array_equal(equal_rank(np.array([1, 8, 1]), 5), [0, 0, 4])
    np.testing.assert_array_equal(equal_rank(np.array([0.5, 4.0, 0.5]), 5), [0, 0, 4])


def test_ranks_of_counts_beyond_64_bits() -> None:
    np.testing.assert_array_equal(equal_rank(np.full(4, 2**60), 4), [0, 1, 2, 3])
    # One case less, and the last forecast would begin in the bin below.
    weight = np.array([2**61, 2**61 - 1, 2**61 + 1])
    np.testing.assert_array_equal(equal_rank(weight, 3), [0, 1, 1])


def test_ranks_of_fractions() -> None:
    np.testing.assert_array_equal(equal_rank(np.array([0.5, 0.25, 0.25, 1.0]), 2), [0, 0, 0, 1])
    # Rounding makes the last forecast begin at the very end; it needs no bin of its own.
    np.testing.assert_array_equal(equal_rank(np.array([1.0, 0.5e-17]), 1), [0, 0])


@pytest.mark.parametrize("weight", [0.1, 0.3, 0.7, 1 / 3, 2.5])
def test_a_weight_that_all_share_does_not_change_the_bins(weight: float) -> None:
    for n in (8, 9, 10, 20, 60):
        for bins in (2, 4, 5, n):
            found = equal_rank(np.full(n, weight), bins)
            np.testing.assert_array_equal(found, np.arange(n) * bins // n)
