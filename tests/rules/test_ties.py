"""What a decision costs, and what counts as right if several decisions are best."""

from __future__ import annotations

from typing import Any, get_args

import array_api_strict
import numpy as np
import pytest

from properly.rules._penalty import Ties, costs_of, mistakes

ONE, TWO, ALL = [True, False, False], [True, True, False], [True, True, True]
BEST = np.array([ONE, TWO, ALL, TWO[::-1]])
P = np.array([[0.5, 0.25, 0.25], [0.5, 0.5, 0.0], [1 / 3, 1 / 3, 1 / 3], [0.0, 0.5, 0.5]])
THIRD = 1 - 1 / 3

# Three classes and two decisions.
COST = np.array([[0.0, 4.0], [1.0, 2.0], [6.0, 3.0]])
DECISIONS = np.array([[True, False], [False, True], [True, True]])
ROWS = np.full((3, 3), 1 / 3)
FIRST, SECOND = [0.0, 1.0, 6.0], [4.0, 2.0, 3.0]

by_ties = pytest.mark.parametrize("ties", get_args(Ties))


@pytest.mark.parametrize(
    ("ties", "expected"),
    [
        ("split", [[0, 1, 1], [0.5, 0.5, 1], [THIRD, THIRD, THIRD], [1, 0.5, 0.5]]),
        ("first", [[0, 1, 1], [0, 1, 1], [0, 1, 1], [1, 0, 1]]),
        ("any_correct", [[0, 1, 1], [0, 0, 1], [0, 0, 0], [1, 0, 0]]),
        ("unique_only", [[0, 1, 1], [1, 1, 1], [1, 1, 1], [1, 1, 1]]),
    ],
)
def test_mistakes_by_hand(ties: Ties, expected: list[list[float]]) -> None:
    assert mistakes(P, BEST, None, ties).tolist() == expected


@by_ties
def test_other_libraries_count_the_same_mistakes(ties: Ties) -> None:
    p, best = (array_api_strict.asarray(x) for x in (P, BEST))
    y = np.array([0, 1, 2, 0])
    for happened in (None, y):
        there = None if happened is None else array_api_strict.asarray(happened)
        found: Any = mistakes(p, best, there, ties)
        np.testing.assert_array_equal(np.asarray(found), mistakes(P, BEST, happened, ties))


@pytest.mark.parametrize(
    ("ties", "tied"),
    [
        ("split", [2.0, 1.5, 4.5]),
        ("first", FIRST),
        ("any_correct", [0.0, 1.0, 3.0]),
        ("unique_only", [4.0, 2.0, 6.0]),
    ],
)
def test_costs_by_hand(ties: Ties, tied: list[float]) -> None:
    assert costs_of(DECISIONS, ROWS, COST, ties).tolist() == [FIRST, SECOND, tied]


@by_ties
def test_costs_may_be_gains(ties: Ties) -> None:
    mirrored: dict[str, Ties] = {"any_correct": "unique_only", "unique_only": "any_correct"}
    gains = costs_of(DECISIONS, ROWS, -COST, ties)
    np.testing.assert_array_equal(gains, -costs_of(DECISIONS, ROWS, COST, mirrored.get(ties, ties)))


@by_ties
def test_zero_one_costs_are_mistakes(ties: Ties) -> None:
    found = costs_of(BEST, P, 1 - np.eye(3), ties)
    np.testing.assert_allclose(found, mistakes(P, BEST, None, ties), rtol=1e-15)


@by_ties
def test_other_libraries_have_the_same_costs(ties: Ties) -> None:
    best, p = (array_api_strict.asarray(x) for x in (DECISIONS, ROWS))
    found: Any = costs_of(best, p, COST, ties)
    np.testing.assert_array_equal(np.asarray(found), costs_of(DECISIONS, ROWS, COST, ties))
