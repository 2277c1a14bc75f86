"""What is known of a formula's values holds of every value that it can have."""

from __future__ import annotations

from itertools import combinations_with_replacement, product
from typing import TYPE_CHECKING

import pytest

from properly.engines._terms import _arithmetic

if TYPE_CHECKING:
    from collections.abc import Callable

INTERVALS = list(combinations_with_replacement([-2.0, -0.5, 0.0, 1.0, 3.0], 2))
EXACT: dict[str, Callable[[float, float], float]] = {
    "add": lambda x, y: x + y,
    "sub": lambda x, y: x - y,
    "mul": lambda x, y: x * y,
}


@pytest.mark.parametrize("op", EXACT)
def test_bounds_of_two_numbers_are_those_of_their_corners(op: str) -> None:
    for a, b in product(INTERVALS, repeat=2):
        corners = [EXACT[op](x, y) for x, y in product(a, b)]
        assert _arithmetic(op, [a, b]) == (min(corners), max(corners))


def test_bounds_of_one_number_turn_with_its_sign() -> None:
    for a in INTERVALS:
        assert _arithmetic("neg", [a]) == (-a[1], -a[0])
        assert _arithmetic("abs", [a]) == (0.0, max(abs(a[0]), abs(a[1])))


def test_bounds_of_a_quotient_hold() -> None:
    for a, b in product(INTERVALS, repeat=2):
        low, high = _arithmetic("div", [a, b])
        for x, y in product((*a, sum(a) / 2), (*b, sum(b) / 2)):
            if y:
                assert low <= x / y <= high
