"""Rules as metric functions of scikit-learn: the same numbers, or the same words."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import pytest
from sklearn.calibration import calibration_curve

import properly
from properly import rules
from properly.errors import ImproperRuleError
from properly.integrations import sklearn as door
from sklearn import metrics

if TYPE_CHECKING:
    from numpy.typing import NDArray

N = 400


def event_rows() -> tuple[NDArray[Any], NDArray[np.float64], NDArray[np.float64]]:
    """Return outcomes in words, probabilities of "yes", and fractional weights."""
    rng = np.random.default_rng(1)
    p = rng.uniform(0.01, 0.99, N)
    return np.where(rng.random(N) < p**2, "yes", "no"), p, rng.uniform(0.1, 3, N)


def class_rows() -> tuple[NDArray[Any], NDArray[np.float64], NDArray[np.float64]]:
    """Return outcomes a, b and c, their probabilities, and fractional weights."""
    rng = np.random.default_rng(2)
    p = rng.dirichlet([1.0, 2.0, 1.0], N)
    y = np.array(["a", "b", "c"])[(rng.random(N)[:, None] > np.cumsum(p, axis=1)).sum(axis=1)]
    return y, p, rng.uniform(0.1, 3, N)


# Conformance with scikit-learn


of_classes = pytest.mark.skipif(
    "scale_by_half" not in inspect.signature(metrics.brier_score_loss).parameters,
    reason="scikit-learn has no Brier score of classes before 1.7",
)


@of_classes
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("event", ["yes", "no"])
def test_the_brier_score_of_an_event_is_that_of_scikit_learn(event: str, weighted: bool) -> None:
    y, p, w = event_rows()
    known: dict[str, Any] = {"sample_weight": w if weighted else None, "pos_label": event}
    expected = metrics.brier_score_loss(y, p, **known)
    assert door.brier_loss(y, p, **known) == pytest.approx(expected, rel=1e-15, abs=1e-15)
    both = np.stack([1 - p, p], axis=1)
    two = door.brier_loss(y, both, sample_weight=known["sample_weight"])
    expected = metrics.brier_score_loss(y, both, sample_weight=known["sample_weight"])
    assert two == pytest.approx(expected, rel=1e-15, abs=1e-15)


@of_classes
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("half", ["auto", True, False])
def test_the_brier_score_of_classes_is_that_of_scikit_learn(half: Any, weighted: bool) -> None:
    y, p, w = class_rows()
    known: dict[str, Any] = {"sample_weight": w if weighted else None, "scale_by_half": half}
    expected = metrics.brier_score_loss(y, p, **known)
    assert door.brier_loss(y, p, **known) == pytest.approx(expected, rel=1e-15, abs=1e-15)
    y, q, w = event_rows()
    known["sample_weight"] = w if weighted else None
    expected = metrics.brier_score_loss(y, q, pos_label="yes", **known)
    assert door.brier_loss(y, q, pos_label="yes", **known) == pytest.approx(expected, rel=1e-15)


@pytest.mark.parametrize("weighted", [False, True])
def test_the_log_loss_is_that_of_scikit_learn_where_that_clips_nothing(weighted: bool) -> None:
    y, p, w = class_rows()
    weight = w if weighted else None
    expected = metrics.log_loss(y, p, sample_weight=weight)
    assert door.log_loss(y, p, sample_weight=weight) == pytest.approx(expected, rel=1e-14)
    y, q, w = event_rows()
    weight = w if weighted else None
    expected = metrics.log_loss(y == "yes", q, sample_weight=weight)
    found = door.log_loss(y, q, sample_weight=weight, pos_label="yes")
    assert found == pytest.approx(expected, rel=1e-14)


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.float16])
def test_the_log_loss_of_what_was_called_impossible_is_infinite_in_every_type(dtype: Any) -> None:
    p = np.array([0.5, 0.0], dtype=dtype)
    assert math.isfinite(metrics.log_loss([0, 1], p.astype(np.float64)))
    assert door.log_loss([0, 1], p) == math.inf
    assert door.log_loss([0, 1], np.stack([1 - p, p], axis=1)) == math.inf


def test_two_columns_keep_the_digits_that_one_minus_the_other_has_lost() -> None:
    both = np.array([[1e-20, 1.0]])
    assert door.log_loss([0], both, labels=[0, 1]) == pytest.approx(20 * math.log(10))
    assert door.log_loss([0], [1.0]) == math.inf


def test_a_class_without_outcomes_still_has_its_column() -> None:
    y, p, _ = class_rows()
    seen = y != "b"
    known: dict[str, Any] = {"labels": ["a", "b", "c"]}
    expected = metrics.log_loss(y[seen], p[seen], **known)
    assert door.log_loss(y[seen], p[seen], **known) == pytest.approx(expected, rel=1e-14)


# Rules

BINARY = [
    rules.Brier(),
    rules.Log(),
    rules.Spherical(),
    rules.Pseudospherical(-2),
    rules.Misclassification(),
    rules.Elementary(0.3),
    rules.Regret((0.1, 0.5)),
    rules.Bounded(rules.Brier(), (0.1, 0.5)),
    rules.BetaWeighted(2, 5),
]


@pytest.mark.parametrize("rule", BINARY, ids=repr)
def test_one_column_and_two_are_the_same_event(rule: Any) -> None:
    y, p, w = event_rows()
    both = np.stack([1 - p, p], axis=1)
    expected = rule(y == "yes", p, w)
    for event in ("yes", "no"):
        column = p if event == "yes" else 1 - p
        one = door.rule_loss(y, column, rule=rule, sample_weight=w, pos_label=event)
        two = door.rule_loss(y, both, rule=rule, sample_weight=w, pos_label=event)
        assert one == pytest.approx(two, rel=1e-14)
    assert door.rule_loss(y, both, rule=rule, sample_weight=w) == pytest.approx(expected, rel=1e-14)
    each = door.score_samples(y, both, rule=rule)
    assert np.average(each, weights=w) == pytest.approx(expected, rel=1e-13)


NAMED: list[tuple[Callable[..., float], Any]] = [
    (door.brier_loss, rules.Brier()),
    (door.log_loss, rules.Log()),
    (door.spherical_loss, rules.Spherical()),
    (door.ranked_probability_loss, rules.RPS()),
    (door.ranked_log_loss, rules.RankedLog()),
    (door.penalized_brier_loss, rules.PBS()),
    (door.penalized_log_loss, rules.PLL()),
]


@pytest.mark.parametrize(("metric", "rule"), NAMED, ids=lambda x: getattr(x, "__name__", None))
def test_named_metrics_are_the_rules_of_their_name(metric: Any, rule: Any) -> None:
    y, p, w = class_rows()
    labels = ["c", "a", "b"]
    expected = rule(y, p, w, labels=labels)
    assert metric(y, p, sample_weight=w, labels=labels) == expected
    assert door.rule_loss(y, p, rule=rule, sample_weight=w, labels=labels) == expected
    assert isinstance(metric(y, p, labels=labels), float)
    each = door.score_samples(y, p, rule=rule, labels=labels)
    np.testing.assert_array_equal(each, rule.loss(y, p, labels=labels))


def test_bounded_metrics_look_at_their_range_alone() -> None:
    y, p, w = event_rows()
    within = (0.1, 0.4)
    known: dict[str, Any] = {"sample_weight": w, "pos_label": "yes", "within": within}
    for metric, rule in (
        (door.bounded_brier_loss, rules.Brier()),
        (door.bounded_log_loss, rules.Log()),
    ):
        assert metric(y, p, **known) == rules.Bounded(rule, within)(y == "yes", p, w)
        assert metric(y, np.clip(p, *within), **known) == pytest.approx(metric(y, p, **known))


def test_parts_of_a_score_are_those_of_the_decomposition() -> None:
    y, p, w = event_rows()
    parts = properly.decompose(properly.tally(y == "yes", p, weight=w), rules.Log())
    known: dict[str, Any] = {"rule": rules.Log(), "sample_weight": w, "pos_label": "yes"}
    assert door.miscalibration(y, p, **known) == parts.miscalibration
    assert door.discrimination(y, p, **known) == parts.discrimination
    both = np.stack([1 - p, p], axis=1)
    assert door.miscalibration(y, both, **known) == pytest.approx(parts.miscalibration, rel=1e-12)


@pytest.mark.parametrize("strategy", ["uniform", "quantile"])
def test_norms_of_calibration_errors_are_those_of_the_bins_of_scikit_learn(strategy: Any) -> None:
    y, p, _ = event_rows()
    rate, mean = calibration_curve(y == "yes", p, n_bins=8, strategy=strategy)
    edges = np.linspace(0, 1, 9) if strategy == "uniform" else np.quantile(p, np.linspace(0, 1, 9))
    share = np.bincount(np.searchsorted(edges[1:-1], p)) / N
    known: dict[str, Any] = {"n_bins": 8, "strategy": strategy, "pos_label": "yes"}
    expected: dict[tuple[Any, bool], float] = {
        ("l1", False): share @ np.abs(rate - mean),
        ("l2", False): math.sqrt(share @ (rate - mean) ** 2),
        ("l2", True): share @ (rate - mean) ** 2,
        ("max", False): np.abs(rate - mean).max(),
    }
    both = np.stack([1 - p, p], axis=1)
    for (norm, squared), value in expected.items():
        for forecasts in (p, both):
            got = door.calibration_error(y, forecasts, norm=norm, squared=squared, **known)
            assert got == pytest.approx(value, rel=1e-12)


def test_calibration_errors_are_weighted() -> None:
    y, p, w = event_rows()
    cases = properly.Cases(y == "yes", p, weight=w)
    got = door.calibration_error(y, p, sample_weight=w, pos_label="yes")
    assert got == properly.calibration.calibration_error(cases).expected


@pytest.mark.parametrize(
    "rule",
    [rules.Brier(), rules.RPS(), rules.Ranked(rules.Bounded(rules.Brier(), (0.1, 0.5)))],
    ids=repr,
)
def test_parts_of_a_score_of_classes_are_sums_over_questions(rule: Any) -> None:
    y, p, w = class_rows()
    labels = ["c", "a", "b"]
    cases = properly.Cases(y, p, weight=w, labels=labels)
    parts = properly.decompose(cases, rule)
    known: dict[str, Any] = {"rule": rule, "sample_weight": w, "labels": labels}
    assert door.miscalibration(y, p, **known) == parts.miscalibration
    assert door.discrimination(y, p, **known) == parts.discrimination


def test_two_ordered_classes_have_parts_too() -> None:
    y, p, _ = event_rows()
    both = np.stack([1 - p, p], axis=1)
    found = door.miscalibration(y, both, rule=rules.RPS(), labels=["no", "yes"])
    assert found == pytest.approx(door.miscalibration(y, p, pos_label="yes"), rel=1e-12)


def test_an_improper_rule_has_no_parts() -> None:
    with pytest.raises(ImproperRuleError):
        door.miscalibration([0, 1], [0.2, 0.4], rule=properly.rules.Shifted(0.1, "published"))


def test_net_benefit_is_that_of_the_decision_curve() -> None:
    y, p, w = event_rows()
    curve = properly.decision_curve(properly.tally(y == "yes", p, weight=w), "every")
    for t in (0.05, 0.2, 0.5):
        found = door.net_benefit(y, p, threshold=t, sample_weight=w, pos_label="yes")
        assert found == pytest.approx(float(curve.at(t)), rel=1e-12)


# What goes in


def test_outcomes_of_minus_one_and_one_have_the_event_one_as_in_scikit_learn() -> None:
    y, p, _ = event_rows()
    signs = np.where(y == "yes", 1, -1)
    expected = metrics.brier_score_loss(signs, p)
    assert door.brier_loss(signs, p) == pytest.approx(expected, rel=1e-15)


def test_numbers_stand_for_columns_in_sorted_order_whatever_they_are() -> None:
    y, p, _ = class_rows()
    grades = np.searchsorted(["a", "b", "c"], y) * 10 + 5
    expected = rules.RPS()(y, p, labels=["a", "b", "c"])
    assert door.rule_loss(grades, p, rule=rules.RPS()) == expected
    assert door.rule_loss(grades.astype(float), p, rule=rules.RPS()) == expected


def test_columns_of_a_frame_are_known_by_their_names() -> None:
    y, p, _ = class_rows()
    frame = pd.DataFrame(p, columns=["a", "b", "c"])
    expected = door.log_loss(y, p)
    assert door.log_loss(pd.Series(y), frame[["b", "c", "a"]]) == pytest.approx(expected, rel=1e-14)
    event, q, _ = event_rows()
    two = pd.DataFrame({"yes": q, "no": 1 - q})
    found = door.rule_loss(event, two, rule=rules.Regret((0.1, 0.5)), pos_label="yes")
    assert found == rules.Regret((0.1, 0.5))(event == "yes", q)


def test_rows_with_a_single_one_are_outcomes_too() -> None:
    y, p, _ = class_rows()
    rows = (y[:, None] == np.array(["a", "b", "c"])).astype(int)
    assert door.log_loss(rows, p) == door.log_loss(y, p)


def test_lists_are_as_good_as_arrays() -> None:
    assert door.brier_loss(["no", "yes"], [[0.9, 0.1], [0.5, 0.5]]) == 0.13
    assert door.brier_loss([0, 1, 2], [[0.5, 0.5, 0.0]] * 3, labels=(0, 1, 2)) == 2.5 / 3


def test_a_certain_forecast_above_one_by_rounding_is_certain() -> None:
    both = np.array([[0.0, 1.0 + 2e-16], [0.5, 0.5]])
    assert both[0, 1] > 1
    assert door.rule_loss([1, 0], both, rule=rules.Elementary(0.75)) == 0


def test_rows_without_weight_do_not_count_whatever_their_loss() -> None:
    p = [[0.5, 0.5], [1.0, 0.0]]
    assert door.log_loss([0, 1], p, sample_weight=[1, 0]) == math.log(2)
