"""What boosted trees are told: slopes, curvatures, and rounds. No library is needed."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
import pytest
from tests.integrations.boosted_cases import told

from properly.integrations._boosting import EVENTS, FAR, Metric, Objective, Start
from properly.rules import (
    PBS,
    PLL,
    RPS,
    Bounded,
    Brier,
    Elementary,
    Log,
    Mixture,
    Ranked,
    RankedLog,
    Spherical,
)

HERE = Start(event="start inside.", classes="start elsewhere.", missing="look at the start.")
EVENT_RULES = [
    Brier(),
    Log(),
    Spherical(),
    Bounded(Brier(), (0.05, 0.9)),
    Bounded(Log(), (0.05, 0.9)),
    Mixture([(1, Brier()), (0.5, Log())]),
]
CLASS_RULES = [Brier(), Log(), Spherical(), RPS(), RankedLog(), Ranked(Spherical())]
EDGE = 1e-5


def objective(rule: Any) -> Objective:
    return Objective(rule, HERE)


def event_rows() -> tuple[np.ndarray, np.ndarray]:
    """Log-odds inside the range of every rule above, each with both outcomes."""
    margin = np.repeat(np.linspace(-2.5, 2.0, 19), 2)
    return np.tile([0.0, 1.0], 19), margin


def class_rows(classes: int = 4) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(3)
    return np.tile(np.arange(classes), 6).astype(np.float32), rng.normal(
        size=(6 * classes, classes)
    )


class Sheet:
    """A data set as libraries have them."""

    def __init__(self, label: Any, weight: Any = None) -> None:
        self.label, self.weight = label, weight

    def get_label(self) -> Any:
        return self.label

    def get_weight(self) -> Any:
        return self.weight


@pytest.mark.parametrize("rule", CLASS_RULES, ids=repr)
def test_the_gradient_of_classes_is_the_numerical_derivative_of_the_loss(rule: Any) -> None:
    y, margin = class_rows()
    for k in range(margin.shape[1]):
        step = EDGE * (np.arange(margin.shape[1]) == k)
        rise = rule.logit_loss(y, margin + step) - rule.logit_loss(y, margin - step)
        found = objective(rule)(y, margin)[0]
        np.testing.assert_allclose(found[:, k], rise / (2 * EDGE), atol=1e-6)


@pytest.mark.parametrize("rule", CLASS_RULES, ids=repr)
def test_the_curvature_of_classes_is_the_derivative_of_the_expected_slope(rule: Any) -> None:
    y, margin = class_rows()
    share = np.exp(margin)
    p = share / share.sum(axis=1, keepdims=True)
    curvature = objective(rule)(y, margin)[1]
    for k in range(margin.shape[1]):
        step = EDGE * (np.arange(margin.shape[1]) == k)
        expected = [
            sum(p[:, j] * rule.logit_slope(np.full(len(y), j), z)[:, k] for j in range(4))
            for z in (margin + step, margin - step)
        ]
        rise = (expected[0] - expected[1]) / (2 * EDGE)
        np.testing.assert_allclose(curvature[:, k], rise, atol=1e-6)
    assert (curvature >= 0).all()


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_slopes_are_single_precision_in_the_order_of_the_margins(order: Any, kind: Any) -> None:
    y, margin = class_rows()
    stored = np.asarray(margin, dtype=kind, order=order)
    for found in objective(Brier())(y, stored):
        assert found.dtype == np.float32
        assert found.flags[order]


@pytest.mark.parametrize("weighted", [False, True])
def test_long_data_are_priced_like_short_ones(weighted: bool) -> None:
    rng = np.random.default_rng(0)
    rows = 8 * EVENTS + 17
    y, margin = (rng.random(rows) < 0.3).astype(np.float32), rng.normal(size=rows)
    weight: Any = rng.random(rows) if weighted else None
    long = objective(Brier())(y, margin, weight)
    for edge in (EVENTS, rows // 4, rows // 2, rows - 5):
        some = slice(edge - 5, edge + 5)
        short = objective(Brier())(y[some], margin[some], weight[some] if weighted else None)
        for a, b in zip(long, short, strict=True):
            np.testing.assert_array_equal(a[some], b)


@pytest.mark.parametrize("kind", [np.float32, np.float64])
@pytest.mark.parametrize("rule", EVENT_RULES, ids=repr)
@pytest.mark.parametrize("far", [0.5, 0.999 * FAR, 100.0, 800.0])
def test_margins_near_and_far_have_the_slopes_of_the_rule(rule: Any, far: float, kind: Any) -> None:
    margin = np.linspace(-far, far, 41).astype(kind)
    for y in (np.zeros(41), np.ones(41)):
        slope, curvature = objective(rule)(y, margin)
        exact = margin.astype(np.float64)
        # What is below the normal numbers of single precision has lost digits on the way.
        close: Any = {"rtol": 2e-6, "atol": 1e-37}
        np.testing.assert_allclose(slope, rule.logit_slope(y, exact), **close)
        np.testing.assert_allclose(curvature, rule.logit_curvature(exact), **close)


@pytest.mark.parametrize(("rule", "rows"), [(Brier(), event_rows()), (RPS(), class_rows())])
def test_weights_multiply_slopes_and_curvatures(rule: Any, rows: Any) -> None:
    y, margin = rows
    weight = np.linspace(0, 3, len(y)).astype(np.float32)
    column = weight if margin.ndim == 1 else weight[:, None]
    plain, weighted = objective(rule)(y, margin), objective(rule)(y, margin, weight)
    for a, b in zip(plain, weighted, strict=True):
        np.testing.assert_allclose(a * column, b, rtol=1e-6)


def test_the_two_ways_to_call_are_one() -> None:
    y, margin = event_rows()
    weight = np.linspace(1, 2, len(y))
    for label in (y, list(y)):
        for given in (None, weight):
            by_data = objective(Log())(margin, Sheet(label, given))
            by_arrays = objective(Log())(y, margin, given)
            np.testing.assert_array_equal(by_data, by_arrays)
    without = objective(Log())(margin, Sheet(y, np.array([])))
    np.testing.assert_array_equal(without, objective(Log())(y, margin))


def test_a_rule_for_classes_alone_learns_an_event_as_two_classes() -> None:
    y, margin = event_rows()
    # Two classes have one cut, and RPS is the Brier score of the event beyond it.
    for a, b in zip(objective(RPS())(y, margin), objective(Brier())(y, margin), strict=True):
        np.testing.assert_allclose(a, b, atol=1e-7)


def test_objectives_are_values() -> None:
    one = objective(Bounded(Brier(), (0.1, 0.3)))
    assert one == objective(Bounded(Brier(), (0.1, 0.3))) != objective(Brier())
    assert hash(one) == hash(objective(Bounded(Brier(), (0.1, 0.3))))
    assert pickle.loads(pickle.dumps(one)) == copy.deepcopy(one) == one  # noqa: S301
    assert repr(objective(Brier())) == "objective(Brier())"


@pytest.mark.parametrize("from_logits", [True, False])
@pytest.mark.parametrize("weighted", [False, True])
def test_the_score_is_the_mean_of_the_rule(from_logits: bool, weighted: bool) -> None:
    y, margin = event_rows()
    p = 1 / (1 + np.exp(-margin))
    weight = np.linspace(0, 1, len(y)) if weighted else None
    said = margin if from_logits else p
    for rule in (*EVENT_RULES, Elementary(0.3)):
        found = Metric(rule, from_logits, "mean").mean(said, Sheet(y, weight))
        assert found == pytest.approx(rule(y, p, weight), rel=1e-12)


@pytest.mark.parametrize("from_logits", [True, False])
def test_penalized_scores_price_an_event_as_two_classes(from_logits: bool) -> None:
    y, margin = event_rows()
    p = 1 / (1 + np.exp(-margin))
    said = margin if from_logits else p
    for rule in (PBS(), PLL()):
        found = Metric(rule, from_logits, "mean").mean(y, said)
        assert found == pytest.approx(rule(y, np.column_stack([1 - p, p])), rel=1e-12)


@pytest.mark.parametrize("kind", [np.float32, np.float64])
@pytest.mark.parametrize("from_logits", [True, False])
def test_the_score_of_classes_is_the_mean_of_the_rule(from_logits: bool, kind: Any) -> None:
    y, margin = class_rows()
    share = np.exp(margin)
    p = share / share.sum(axis=1, keepdims=True)
    said = (margin if from_logits else p).astype(kind)
    for rule in (*CLASS_RULES, PBS(), PLL()):
        found = Metric(rule, from_logits, "mean").mean(said, Sheet(y))
        assert found == pytest.approx(rule(y.astype(int), p), rel=1e-5)


def test_rows_of_weight_zero_do_not_count_whatever_they_cost() -> None:
    y, margin = np.array([0.0, 1.0]), np.array([0.0, -np.inf])
    assert Metric(Log(), True, "mean").mean(y, margin, np.array([2, 0])) == np.log(2)
    assert Metric(Log(), True, "mean").mean(y, margin) == np.inf


def test_a_training_that_has_learnt_all_there_is_may_go_on() -> None:
    learn = objective(Bounded(Brier(), (0.05, 0.2)))
    y = np.array([0, 1, 1])
    learn(y, np.full(3, -2.0))
    gradient, curvature = learn(y, np.array([-4.0, 1.0, 1.0]))
    assert not gradient.any()
    assert not curvature.any()


def test_margins_without_values_name_the_round() -> None:
    learn = objective(Brier())
    y = np.array([0, 1, 1])
    one, other = Sheet(y), Sheet(y)
    good, bad = np.array([0.0, 0.5, 1.0]), np.array([0.0, np.nan, np.inf])
    said = (
        "margins of boosting round {} must be finite; row 1 is nan (2 such rows)\n\n"
        "Hint: look at the start."
    )
    assert told(lambda: learn(bad, one)) == said.format(0)
    learn(np.zeros(3), one)
    # Data sets take turns, as the folds of a cross-validation do.
    learn(np.zeros(3), other)
    learn(good, one)
    learn(good, other)
    assert told(lambda: learn(bad, one)) == said.format(2)
    learn(np.zeros(3), one)
    assert told(lambda: learn(bad, one)) == said.format(1)
    assert told(lambda: learn(bad, other)) == said.format(2)
    learn(y, good)
    assert told(lambda: learn(y, bad)) == said.format(1)
