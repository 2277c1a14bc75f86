"""What decisions cost."""

from __future__ import annotations

import warnings
from typing import Any

import array_api_strict
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from properly.errors import DataWarning
from properly.rules._penalty import (
    cost_matrix,
    decide_by_cost,
    decide_by_mode,
    expected_costs,
    likeliest,
    optimal,
)

# A matrix whose truths are rows: what is severe and called mild costs most; the last is to abstain.
COSTS = np.array([[0.0, 2.0, 4.0, 1.0], [3.0, 0.0, 2.0, 1.0], [9.0, 3.0, 0.0, 1.0]])


# Matrices


def test_costs_by_name() -> None:
    assert cost_matrix("zero_one", 3).tolist() == [[0, 1, 1], [1, 0, 1], [1, 1, 0]]
    assert cost_matrix("linear", 3).tolist() == [[0, 1, 2], [1, 0, 1], [2, 1, 0]]
    assert cost_matrix("quadratic", 4).tolist() == [
        [0, 1, 4, 9],
        [1, 0, 1, 4],
        [4, 1, 0, 1],
        [9, 4, 1, 0],
    ]
    for name in ("zero_one", "linear", "quadratic"):
        assert cost_matrix(name, 2).tolist() == [[0, 1], [1, 0]]
        assert cost_matrix(name, 5).dtype == np.float64


@pytest.mark.parametrize(
    "cost",
    [
        COSTS.tolist(),
        COSTS.astype(int),
        COSTS.astype(np.float32),
        pd.DataFrame(COSTS),
        array_api_strict.asarray(COSTS),
        np.array(COSTS, dtype=object),
    ],
    ids=["list", "whole", "single", "pandas", "strict", "objects"],
)
def test_a_matrix_is_taken_as_it_is(cost: Any) -> None:
    found = cost_matrix(cost, 3)
    assert type(found) is np.ndarray
    assert found.dtype == np.float64
    np.testing.assert_array_equal(found, COSTS)


def test_a_mistake_that_is_cheaper_than_the_right_answer_is_warned_of() -> None:
    with pytest.warns(DataWarning) as caught:
        found = cost_matrix([[0, 1, 2], [1, 3, 2], [2, 1, 0]], 3)
    assert found[1].tolist() == [1, 3, 2]
    assert len(caught) == 1
    assert str(caught[0].message) == (
        "a mistake should not cost less than the right answer; if class 1 happens, decision 0 "
        "costs 1, decision 1 costs 3"
    )


def test_what_is_as_cheap_or_another_kind_of_decision_is_not_warned_of() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        cost_matrix([[1, 1], [1, 1]], 2)
        cost_matrix([[1, 2, 0], [2, 1, 0]], 2)  # to abstain may be cheaper than to be right
        cost_matrix([[5], [0], [1]], 3)  # fewer decisions than classes are no classes


# Decisions


def test_expected_costs_by_hand() -> None:
    p = np.array([[0.5, 0.25, 0.25], [0.0, 0.0, 1.0]])
    expected = [[0.75 + 2.25, 1 + 0.75, 2 + 0.5, 1], [9, 3, 0, 1]]
    np.testing.assert_array_equal(expected_costs(p, COSTS), expected)
    assert decide_by_cost(p, COSTS).tolist() == [3, 2]


def test_of_several_best_decisions_the_first_is_taken() -> None:
    p = np.array([[0.5, 0.5, 0.0], [0.25, 0.375, 0.375], [0.5, 0.0, 0.5]])
    assert decide_by_mode(p).tolist() == [0, 1, 0]
    assert decide_by_cost(p, cost_matrix("zero_one", 3)).tolist() == [0, 1, 0]
    assert optimal(p, cost_matrix("linear", 3)).tolist() == [
        [True, True, False],
        [False, True, False],
        [True, True, True],
    ]
    assert decide_by_cost(p, cost_matrix("linear", 3)).tolist() == [0, 1, 0]
    assert decide_by_cost(p, cost_matrix("quadratic", 3)).tolist() == [0, 1, 1]


def test_sums_that_differ_by_rounding_are_tied() -> None:
    # 0.1 + 0.2 is not 0.3: the middle two have equal costs, their sums have not.
    p = np.array([[0.1, 0.2, 0.4, 0.3]])
    cost = np.array([[0.0, 1, 1, 0], [1, 0, 1, 0], [1, 1, 0, 0], [1, 1, 0, 1]])
    expected = expected_costs(p, cost)[0]
    assert expected[2] != expected[3]
    assert expected[2] == pytest.approx(expected[3], rel=1e-15)
    assert optimal(p, cost).tolist() == [[False, False, True, True]]


@given(st.integers(0, 2**32 - 1))
def test_of_zero_one_costs_the_likeliest_class_is_best(seed: int) -> None:
    p = np.random.default_rng(seed).dirichlet(np.ones(4), 20)
    cost = cost_matrix("zero_one", 4)
    np.testing.assert_array_equal(decide_by_cost(p, cost), decide_by_mode(p))
    np.testing.assert_array_equal(optimal(p, cost), likeliest(p))


@given(st.integers(0, 2**32 - 1))
def test_of_absolute_costs_the_median_is_best_and_of_quadratic_ones_the_rounded_mean(
    seed: int,
) -> None:
    p = np.random.default_rng(seed).dirichlet(np.ones(5), 20)
    median = (np.cumsum(p, axis=1) < 0.5).sum(axis=1)
    np.testing.assert_array_equal(decide_by_cost(p, cost_matrix("linear", 5)), median)
    mean = np.floor(p @ np.arange(5) + 0.5)
    np.testing.assert_array_equal(decide_by_cost(p, cost_matrix("quadratic", 5)), mean)


def test_the_likeliest_classes_are_those_of_the_largest_probability() -> None:
    p = np.array([[0.4, 0.35, 0.25], [0.25, 0.375, 0.375]])
    assert likeliest(p).tolist() == [[True, False, False], [False, True, True]]
    # What is less by the tolerance, or by less, is tied.
    assert likeliest(p, 0.125).tolist() == [[True, True, False], [True, True, True]]
    assert likeliest(p, 0.01).tolist() == likeliest(p).tolist()


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_many_classes_do_not_make_costs_tie(dtype: Any) -> None:
    p = np.random.default_rng(3).dirichlet(np.ones(200), 200)
    cost = cost_matrix("linear", 200)
    exact = np.argmin(p @ cost, axis=1)
    assert np.mean(np.abs(decide_by_cost(p.astype(dtype), cost) - exact)) < 0.05
