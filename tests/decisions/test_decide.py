"""Decisions of least expected cost, and what decisions cost."""

from __future__ import annotations

import math
import warnings
from typing import Any

import array_api_strict
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from sklearn.metrics import accuracy_score, balanced_accuracy_score, mean_squared_error

from properly.decisions import decide, expected_cost
from properly.decisions._hard_decisions import priced
from properly.errors import DataWarning

GRADES = ["mild", "moderate", "severe"]
ABSTAIN = np.array([[0, 1, 1, 0.3], [1, 0, 1, 0.3], [1, 1, 0, 0.3]])
Y, D = [0, 0, 1, 2], [0, 1, 1, 0]


@st.composite
def forecasts(draw: st.DrawFn) -> Any:
    """Draw class probabilities in twelfths, so that many are equal."""
    classes = draw(st.integers(2, 6))
    shares = hnp.arrays(np.int64, (draw(st.integers(1, 8)), classes), elements=st.integers(0, 3))
    parts = draw(shares)
    parts[:, 0] += parts.sum(axis=1) == 0
    return parts / parts.sum(axis=1, keepdims=True)


# Decisions


@given(forecasts())
def test_without_costs_the_first_of_the_likeliest_classes_is_decided_for(P: Any) -> None:
    np.testing.assert_array_equal(decide(P), np.argmax(P, axis=1))
    np.testing.assert_array_equal(decide(P, "zero_one"), np.argmax(P, axis=1))


def test_equal_probabilities_tie_however_the_others_add_up() -> None:
    # As sums of the others, 0.1 + 0.2 + 0.35 and 0.35 + 0.1 + 0.2 differ in the last digit.
    assert (0.1 + 0.2) + 0.35 != (0.35 + 0.1) + 0.2
    assert decide([[0.35, 0.1, 0.2, 0.35]]).tolist() == [0]


@given(forecasts())
def test_absolute_costs_make_medians_and_quadratic_ones_rounded_means(P: Any) -> None:
    median = decide(P, "linear")
    below = np.array([P[i, :d].sum() for i, d in enumerate(median)])
    up_to = below + P[np.arange(len(P)), median]
    assert (below <= 0.5 + 1e-12).all()
    assert (up_to >= 0.5 - 1e-12).all()
    mean = P @ np.arange(P.shape[1])
    assert (np.abs(decide(P, "quadratic") - mean) <= 0.5 + 1e-12).all()


def test_the_first_of_several_best_decisions_is_taken() -> None:
    assert decide([[0.5, 0.5], [0.25, 0.75]], "quadratic").tolist() == [0, 1]
    assert decide([[0.5, 0, 0.5]], "linear").tolist() == [0]
    assert decide([[0.5, 0.5]], [[2, 2], [2, 2]]).tolist() == [0]


def test_rows_of_a_matrix_are_classes_and_columns_decisions() -> None:
    # Missing class 1 costs ten times as much as deciding for it in vain.
    cost = [[0, 1], [10, 0]]
    assert decide([[0.95, 0.05], [0.9, 0.1], [0.5, 0.5]], cost).tolist() == [0, 1, 1]


def test_abstaining_is_a_decision_and_so_is_one_action_for_several_classes() -> None:
    P = [[0.8, 0.1, 0.1], [0.4, 0.3, 0.3], [0.1, 0.2, 0.7]]
    assert decide(P, ABSTAIN).tolist() == [0, 3, 2]
    # Two actions for three classes, and one that leaves no choice.
    assert decide(P, [[0, 1], [1, 0], [3, 0]]).tolist() == [0, 1, 1]
    assert decide(P, [[1], [2], [3]]).tolist() == [0, 0, 0]


def test_decisions_have_the_labels_they_are_given() -> None:
    P = [[0.8, 0.1, 0.1], [0.4, 0.3, 0.3]]
    assert decide(P, labels=GRADES).tolist() == ["mild", "mild"]
    assert decide(P, "quadratic", GRADES).tolist() == ["mild", "moderate"]
    assert decide(P, ABSTAIN, labels=[*GRADES, "ask"]).tolist() == ["mild", "ask"]
    numbers = decide(P, labels=[10, 20, 30])
    assert (numbers.dtype.kind, numbers.tolist()) == ("i", [10, 10])


def test_decisions_stay_in_the_library_of_the_forecasts() -> None:
    P = array_api_strict.asarray([[0.4, 0.25, 0.35], [0.1, 0.2, 0.7]])
    found = decide(P, "quadratic")
    assert isinstance(found, type(P))
    assert np.asarray(found).tolist() == [1, 2]
    y = array_api_strict.asarray([0, 2])
    assert expected_cost(y, found, classes=3) == 0.5
    assert decide(P, labels=GRADES).tolist() == ["mild", "severe"]


@given(forecasts())
def test_no_decision_is_expected_to_cost_less(P: Any) -> None:
    classes = P.shape[1]
    for p, d in zip(P, decide(P, "quadratic"), strict=True):
        seen = np.flatnonzero(p)
        cost = [
            expected_cost(seen, [k] * len(seen), classes=classes, priors=p) for k in range(classes)
        ]
        assert cost[d] <= min(cost) + 1e-12


# Costs


def test_expected_cost_by_hand() -> None:
    assert priced(Y, D, "quadratic", 3).paid().tolist() == [0, 1, 0, 4]
    assert priced(Y, D, "linear", 3).paid().tolist() == [0, 1, 0, 2]
    assert priced(Y, D, "zero_one", 3).paid().tolist() == [0, 1, 0, 1]
    assert expected_cost(Y, D, classes=3) == 5 / 4
    assert expected_cost(Y, D, "linear", classes=3) == 3 / 4
    assert expected_cost(Y, D, "zero_one", classes=3) == 2 / 4
    # Always deciding for class 0 costs 0, 0, 1, 4, for class 1 it costs 1, 1, 0, 1.
    assert expected_cost(Y, D, classes=3, normalized=True) == pytest.approx((5 / 4) / (3 / 4))


def test_priors_take_the_place_of_the_shares_in_the_data() -> None:
    # The classes cost 1/2, 0 and 4 on average.
    assert expected_cost(Y, D, classes=3, priors="uniform") == pytest.approx(4.5 / 3)
    assert expected_cost(Y, D, classes=3, priors=[0.5, 0.5, 0]) == 0.25
    assert expected_cost(Y, D, classes=3, priors=[0, 1, 0]) == 0
    # Of the shares 1/2, 1/2, 0, the best constant decision is 0 or 1, for 1/2.
    found = expected_cost(Y, D, classes=3, priors=[0.5, 0.5, 0], normalized=True)
    assert found == pytest.approx(0.5)
    assert expected_cost(Y, D, classes=3, priors=[0.5, 0.25, 0.25]) == expected_cost(
        Y, D, classes=3
    )


def test_uniform_priors_are_those_of_the_classes_that_occur() -> None:
    assert expected_cost([0, 0, 0, 1], [0, 1, 0, 0], "zero_one", classes=5, priors="uniform") == (
        pytest.approx((1 / 3 + 1) / 2)
    )
    weight = [1, 1, 1, 0]
    assert expected_cost(
        [0, 0, 0, 1], [0, 1, 0, 0], "zero_one", classes=5, priors="uniform", weight=weight
    ) == pytest.approx(1 / 3)


def test_scikit_learn_has_special_cases_of_it() -> None:
    rng = np.random.default_rng(5)
    y, d, weight = rng.integers(4, size=90), rng.integers(4, size=90), rng.exponential(size=90)
    errors = expected_cost(y, d, "zero_one", classes=4, weight=weight)
    assert errors == pytest.approx(1 - accuracy_score(y, d, sample_weight=weight), rel=1e-13)
    squares = expected_cost(y, d, "quadratic", classes=4, weight=weight)
    assert squares == pytest.approx(mean_squared_error(y, d, sample_weight=weight), rel=1e-13)
    balanced = expected_cost(y, d, "zero_one", classes=4, weight=weight, priors="uniform")
    recall = balanced_accuracy_score(y, d, sample_weight=weight)
    assert balanced == pytest.approx(1 - recall, rel=1e-13)


def test_a_mean_of_whole_weights_is_that_of_copies_and_no_weight_is_no_case() -> None:
    rows = np.repeat([0, 1, 2], [3, 1, 2])
    for cost in ("quadratic", "linear", "zero_one"):
        once = expected_cost(np.array(Y)[rows], np.array(D)[rows], cost, classes=3)
        assert expected_cost(Y, D, cost, classes=3, weight=[3, 1, 2, 0]) == once
        halves = expected_cost(Y, D, cost, classes=3, weight=[1.5, 0.5, 1, 0])
        assert halves == pytest.approx(once, rel=1e-14)


def test_the_cost_of_constant_decisions_is_the_measure_of_all_others() -> None:
    y = [0, 1, 1, 3, 3]
    costs = [expected_cost(y, [k] * 5, classes=4, normalized=True) for k in range(4)]
    assert min(costs) == 1
    assert costs[0] > 1
    assert expected_cost(y, y, classes=4, normalized=True) == 0


def test_decisions_beyond_the_classes_are_columns_of_the_costs() -> None:
    assert priced(Y, [0, 3, 1, 3], ABSTAIN, None).paid().tolist() == [0, 0.3, 0, 0.3]
    assert expected_cost(Y, [0, 3, 1, 3], ABSTAIN) == pytest.approx(0.15)
    labels = [GRADES[k] for k in Y]
    assert expected_cost(labels, [0, 3, 1, 3], ABSTAIN, classes=GRADES) == pytest.approx(0.15)
    # The best constant decision is to abstain always.
    assert expected_cost(Y, [3] * 4, ABSTAIN, normalized=True) == 1
    assert priced(Y, [0, 1, 1, 0], [[0, 1], [1, 0], [3, 0]], None).paid().tolist() == [0, 1, 0, 3]
    assert priced(Y, [0, 0, 0, 0], [[1], [2], [3]], None).paid().tolist() == [1, 1, 2, 3]


def test_costs_of_nothing_over_nothing_are_undefined() -> None:
    with pytest.warns(DataWarning, match="^a normalized cost is 0 / 0 where") as said:
        assert math.isnan(expected_cost([1, 1], [1, 1], classes=3, normalized=True))
    assert [warning.filename for warning in said] == [__file__]
    assert expected_cost([1, 1], [1, 1], classes=3) == 0
    # A mistake where a constant decision makes none.
    assert expected_cost([1, 1], [1, 0], classes=3, normalized=True) == math.inf


def test_a_mistake_cheaper_than_the_right_answer_is_worth_one_warning() -> None:
    gains = [[1, 0], [0, 1]]
    for call in (
        lambda: decide([[0.3, 0.7]], gains),
        lambda: expected_cost([0, 1], [0, 1], gains),
    ):
        with pytest.warns(DataWarning, match="a mistake should not cost less than") as said:
            call()
        assert len(said) == 1


def test_an_extra_decision_may_cost_less_than_the_right_answer() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert decide([[0.3, 0.7]], [[1, 2, 0], [2, 1, 0]]).tolist() == [2]


def test_a_huge_cost_of_what_cannot_happen_ties_nothing() -> None:
    assert decide([[0.1, 0.9, 0.0]], [[0, 1, 1e16], [1, 0, 1e16], [1, 1, 0]]).tolist() == [1]
