"""Class probabilities judged by their decisions, and the penalty at which models change places."""

from __future__ import annotations

import math
from typing import Any, Literal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from properly import Cases, decisions
from properly.decisions._hard_decisions import HardScores
from properly.errors import DataWarning

Y = [0, 1, 2, 2]

P = [[0.6, 0.4, 0], [0.2, 0.5, 0.3], [0.5, 0, 0.5], [0.1, 0.1, 0.8]]


@st.composite
def drawn(draw: st.DrawFn) -> Cases:
    """Draw cases with weights, some of them 0."""
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    classes, rows = draw(st.integers(2, 5)), draw(st.integers(2, 40))
    weight = rng.choice([0, 0.5, 1, 3], size=rows)
    weight[0] = 1
    p = rng.dirichlet(np.ones(classes), rows)
    return Cases(rng.integers(classes, size=rows), p, weight=weight)


@pytest.mark.filterwarnings("ignore:kappa is 0 / 0")
@pytest.mark.parametrize("cost", ["zero_one", "linear", "quadratic", "matrix"])
@given(cases=drawn())
def test_every_number_is_that_of_the_function_of_its_name(cost: Any, cases: Cases) -> None:
    y, p, w, count = cases.y, cases.p, cases.weight, cases.classes or 0
    if cost == "matrix":
        cost = np.add.outer(np.arange(count), 2 * np.arange(count)) + 1.0
        np.fill_diagonal(cost, 0)
    found = decisions.hard_decisions(cases, cost)
    for scores, d in (
        (found.argmax, decisions.decide(p)),
        (found.bayes, decisions.decide(p, cost)),
    ):
        np.testing.assert_array_equal(
            scores.confusion.counts, decisions.confusion(y, d, count, weight=w).counts
        )
        expected = HardScores(
            scores.confusion,
            scores.confusion.accuracy,
            decisions.macro_f1(y, d, count, weight=w),
            scores.confusion.mean_absolute_error,
            decisions.weighted_kappa(y, d, count, "linear", weight=w),
            decisions.weighted_kappa(y, d, count, "quadratic", weight=w),
            decisions.expected_cost(y, d, cost, classes=count, weight=w),
            scores.normalized_cost,
        )
        np.testing.assert_equal(scores.numbers(), expected.numbers())
        best = min(
            decisions.expected_cost(y, np.full(len(y), k), cost, classes=count, weight=w)
            for k in range(count)
        )
        if best > 0:
            assert scores.normalized_cost == pytest.approx(scores.expected_cost / best, rel=1e-12)
    assert found.decision_loss == found.argmax.expected_cost - found.bayes.expected_cost


def true_forecasts() -> Cases:
    """Draw forecasts, and outcomes as they say."""
    rng = np.random.default_rng(3)
    p = rng.dirichlet(np.full(5, 0.7), 4000)
    return Cases((rng.random(4000)[:, None] > np.cumsum(p, axis=1)).sum(axis=1), p)


@pytest.mark.parametrize("cost", ["linear", "quadratic"])
def test_decisions_that_look_at_costs_cost_less_if_the_forecasts_are_true(
    cost: Literal["linear", "quadratic"],
) -> None:
    found = decisions.hard_decisions(true_forecasts(), cost)
    assert found.decision_loss > 0.05
    assert found.bayes.normalized_cost < found.argmax.normalized_cost
    assert found.argmax.accuracy > found.bayes.accuracy


def test_the_least_quadratic_cost_need_not_be_the_greatest_kappa() -> None:
    # Decisions next to the mean vary less, and kappa is measured by how much decisions vary.
    found = decisions.hard_decisions(true_forecasts(), "quadratic")
    assert found.bayes.expected_cost < 0.7 * found.argmax.expected_cost
    assert found.bayes.quadratic_kappa < found.argmax.quadratic_kappa


def test_zero_one_costs_make_both_ways_the_same() -> None:
    found = decisions.hard_decisions(Cases(Y, P), "zero_one")
    assert found.decision_loss == 0
    assert found.argmax.to_dict() == found.bayes.to_dict()
    assert found.argmax.expected_cost == 1 - found.argmax.accuracy


def test_cases_of_weight_zero_do_not_count() -> None:
    kept = decisions.hard_decisions(Cases(Y[:3], P[:3])).to_dict()
    assert decisions.hard_decisions(Cases(Y, P, weight=[1, 1, 1, 0])).to_dict() == kept


def test_what_is_undefined_is_nan_without_a_warning() -> None:
    found = decisions.hard_decisions(Cases([1, 1], [[0.1, 0.9], [0.2, 0.8]]))
    for scores in (found.argmax, found.bayes):
        assert math.isnan(scores.linear_kappa)
        assert math.isnan(scores.quadratic_kappa)
        assert math.isnan(scores.normalized_cost)
        assert scores.expected_cost == 0
    assert found.to_dict()["bayes"]["normalized_cost"] is None


def test_a_gain_cannot_be_normalized_but_is_a_gain() -> None:
    found = decisions.hard_decisions(Cases(Y, P), [[-1, 0, 0], [0, -1, 0], [0, 0, -1]])
    assert found.bayes.expected_cost == -found.bayes.accuracy == -0.75
    assert math.isnan(found.bayes.normalized_cost)


def test_a_mistake_cheaper_than_the_right_answer_is_worth_one_warning() -> None:
    with pytest.warns(DataWarning, match="a mistake should not cost less") as said:
        decisions.hard_decisions(Cases(Y, P), np.eye(3))
    assert len(said) == 1


def test_the_record_as_text() -> None:
    found = decisions.hard_decisions(Cases(Y, P, weight=[1, 1, 1, 0.5]))
    assert repr(found) == (
        "HardDecisions(3 classes, expected cost 1.143 by argmax, 0.2857 by Bayes)"
    )
    assert repr(found.bayes) == (
        "HardScores(accuracy 0.7143, quadratic kappa 0.7586, expected cost 0.2857)"
    )
    lines = str(found).splitlines()
    assert lines[0] == "3.50 cases in 3 classes, decision loss 0.8571"
    assert lines[1] == "                       argmax     Bayes"
    assert lines[2] == "accuracy               0.7143    0.7143"
    assert lines[3].startswith("macro F1 ")
    assert len({len(line) for line in lines[1:]}) == 1
