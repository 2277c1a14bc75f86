"""Digits: numbers of any length, column by column."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from properly.engines._long_integers import (
    BASE,
    as_rounded,
    as_whole_numbers,
    carried,
    digits_of_counts,
    digits_of_floats,
    lengthened,
    over,
    product,
)

COUNTS = np.array([0, 1, BASE - 1, BASE, 2**53 + 1, 2**63 - 1])
FORECASTS = np.array([0.0, 1.0, 0.1, 1 / 3, 1e-5, 1 - 2**-53])


def test_whole_numbers_survive_their_digits() -> None:
    assert as_whole_numbers(digits_of_counts(COUNTS)).tolist() == COUNTS.tolist()
    assert len(digits_of_counts(COUNTS)) == 3
    assert len(digits_of_counts(np.array([BASE - 1]))) == 1


def test_floats_survive_their_digits() -> None:
    found = as_whole_numbers(digits_of_floats(FORECASTS, 0, 4))
    assert [Fraction(x, BASE**4) for x in found] == [Fraction(x) for x in FORECASTS]
    large = np.array([2.0**100 + 2.0**60, 3.0])
    assert as_whole_numbers(digits_of_floats(large, 6, 0)).tolist() == [2**100 + 2**60, 3]


def test_products_are_exact() -> None:
    found = as_whole_numbers(product(digits_of_counts(COUNTS), digits_of_floats(FORECASTS, 0, 4)))
    exact = [int(n) * Fraction(p) for n, p in zip(COUNTS, FORECASTS, strict=True)]
    assert [Fraction(x, BASE**4) for x in found] == exact
    squares = product(digits_of_counts(COUNTS), digits_of_counts(COUNTS))
    assert as_whole_numbers(squares).tolist() == [int(n) ** 2 for n in COUNTS]


def test_what_is_too_much_is_carried() -> None:
    found = carried(np.array([[3 * BASE + 5], [BASE - 1], [0]]))
    np.testing.assert_array_equal(found, [[5], [2], [1]])


def test_zeros_in_front_change_nothing() -> None:
    digits = digits_of_counts(COUNTS)
    assert lengthened(digits, 7).shape == (7, len(COUNTS))
    assert as_whole_numbers(lengthened(digits, 7)).tolist() == COUNTS.tolist()


def test_rounded_digits_are_the_floats_they_came_from() -> None:
    np.testing.assert_array_equal(as_rounded(digits_of_floats(FORECASTS, 0, 4), 4), FORECASTS)
    np.testing.assert_array_equal(as_rounded(digits_of_counts(COUNTS)), COUNTS.astype(float))


@pytest.mark.parametrize("most", [9, 2**37, 2**52])
def test_a_quotient_is_rounded_once(most: int) -> None:
    rng = np.random.default_rng(1)
    weight, p = rng.integers(1, most, (2, 2000)), 0.001 + 0.9 * rng.random((2, 2000))
    p[:, :3] = [[0.5, 0.25, 0.0]] * 2
    moments = [
        product(digits_of_counts(w), digits_of_floats(x, 0, 4))
        for w, x in zip(weight, p, strict=True)
    ]
    moment = carried(lengthened(moments[0], 7) + lengthened(moments[1], 7))
    total = weight.sum(axis=0)
    pairs = zip(as_whole_numbers(moment), total.tolist(), strict=True)
    # Python divides whole numbers so that the quotient is rounded once.
    assert over(moment, total).tolist() == [x / (n << 96) for x, n in pairs]
