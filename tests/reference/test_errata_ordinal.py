"""What a paper on ordered classes prints, what is right, and which of the two we compute.

The paper: A. Galdran, "Performance metrics for probabilistic ordinal classifiers", MICCAI 2023. A
test is named after the equation or the section that it corrects: it shows that what is printed is
not what the package says, and that the package says what is right. Slips of words are left out.
"""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from tests.laws.class_draws import as_floats
from tests.laws.class_oracles import (
    Row,
    distance,
    expected,
    grid,
    mean_and_variance,
    rounding_of,
    squared_distance,
)

import properly
from properly.errors import ImproperRuleError
from properly.rules import RPS, Brier, Log, Propriety, SquaredAbsoluteRPS
from properly.rules._distance import SquaredMeanError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from properly.rules import ClassRule

    Floats = NDArray[np.float64]

CLOSE: dict[str, Any] = {"rel": 0, "abs": 1e-13}
THIRD = Fraction(1, 3)
# Forty forecasts of four grades, among the reference numbers.
SAMPLE = json.loads(
    (Path(__file__).parents[1] / "reference" / "ordinal" / "dataset.json").read_text(
        encoding="utf-8"
    )
)
Y, P = np.array(SAMPLE["y"]), np.array(SAMPLE["P_float"])


def price(rule: ClassRule, y: int, *p: float) -> float:
    return float(rule.loss([y], [p])[0])


def printed_sum(p: Floats, y: int, last: int) -> float:
    """Add up the distances of the two step functions up to and including a class."""
    steps = np.arange(len(p)) >= y
    return float(np.abs(np.cumsum(p) - steps)[: last + 1].sum())


# Brier and RPS


def test_below_equation_1_zero_at_the_truth_does_not_make_a_rule_proper() -> None:
    """Both are never negative, and zero at a certain and right forecast; one is improper."""
    for rule in (Brier(), SquaredAbsoluteRPS()):
        table = np.asarray(rule.classwise(np.eye(3)))
        assert (table.diagonal() == 0).all()
        assert (table >= 0).all()
    assert Brier().propriety is Propriety.STRICT
    assert SquaredAbsoluteRPS().propriety is Propriety.IMPROPER


@pytest.mark.parametrize("classes", [2, 3, 4])
def test_below_equation_1_what_a_wrong_report_costs(classes: int) -> None:
    reports = as_floats(grid(classes, 5))
    for truth in as_floats(grid(classes, 4)):
        lost = Brier().expected_loss(truth, reports) - Brier().entropy(truth[None, :])
        np.testing.assert_allclose(lost, np.sum((reports - truth) ** 2, axis=1), atol=1e-13)
        lost = RPS().expected_loss(truth, reports) - RPS().entropy(truth[None, :])
        apart = np.cumsum(reports - truth, axis=1)[:, :-1]
        np.testing.assert_allclose(lost, np.mean(apart**2, axis=1), atol=1e-13)


def test_below_equation_4_both_numbers() -> None:
    near, far = (0.25, 0.75, 0.0), (0.25, 0.0, 0.75)
    assert price(RPS(), 0, *near) == pytest.approx(9 / 32, **CLOSE)
    assert price(RPS(), 0, *far) == pytest.approx(9 / 16, **CLOSE)
    # Printed are 1/8 and 1/4, which belong to other forecasts.
    assert price(RPS(), 0, 0.5, 0.5, 0.0) == pytest.approx(1 / 8, **CLOSE)
    assert price(RPS(), 0, 0.5, 0.0, 0.5) == pytest.approx(1 / 4, **CLOSE)
    assert price(RPS(normalized=False), 0, *near) == pytest.approx(0.5625, **CLOSE)
    # The order of the two stands; neither Brier nor the logarithm sees it. The former forecast, not
    # the latter, gives more to the second class.
    for rule in (Brier(), Log()):
        assert price(rule, 0, *near) == price(rule, 0, *far)
    assert near[1] > far[1]


def test_below_equation_4_of_two_classes_rps_is_half_of_equation_1() -> None:
    for tenths in range(11):
        p = tenths / 10
        assert price(Brier(), 0, p, 1 - p) == pytest.approx(2 * (1 - p) ** 2, **CLOSE)
        assert price(RPS(), 0, p, 1 - p) == pytest.approx((1 - p) ** 2, **CLOSE)
        assert price(RPS(), 0, p, 1 - p) == pytest.approx(
            price(Brier("half"), 0, p, 1 - p), **CLOSE
        )
    # One half is right, and so is one event; the sum as printed in equation 1 is not.
    assert price(RPS(), 0, 0.5, 0.5) != pytest.approx(price(Brier(), 0, 0.5, 0.5), abs=0.2)
    assert price(RPS(), 0, 0.5, 0.5) == Brier().loss([1], [0.5])[0]


def test_equation_5_holds_as_printed() -> None:
    certain = np.eye(3)
    np.testing.assert_array_equal(RPS().loss([0, 0, 0], certain), [0, 0.5, 1])
    np.testing.assert_array_equal(SquaredAbsoluteRPS().loss([0, 0, 0], certain), [0, 0.25, 1])


def test_equation_6_uses_another_forecast_than_the_text() -> None:
    symmetric, lopsided = (0.3, 0.4, 0.3), (0.45, 0.5, 0.05)
    assert price(RPS(), 1, *symmetric) == pytest.approx(9 / 100, **CLOSE)
    assert price(RPS(), 1, *lopsided) == pytest.approx(41 / 400, **CLOSE)
    # In the text is (0.1, 0.5, 0.9), whose sum is 1.5: that is no forecast.
    with pytest.raises(properly.errors.DataError):
        RPS().loss([1], [[0.1, 0.5, 0.9]])
    # With 0.4 at its end it is one, but then RPS prefers it, and the point is lost.
    assert price(RPS(), 1, 0.1, 0.5, 0.4) == pytest.approx(0.085, **CLOSE)
    assert price(RPS(), 1, 0.1, 0.5, 0.4) < price(RPS(), 1, *symmetric)
    for rule, prices in (
        (SquaredAbsoluteRPS(), (9 / 100, 1 / 16)),
        (SquaredAbsoluteRPS("printed"), (9 / 50, 1 / 8)),
    ):
        found = price(rule, 1, *symmetric), price(rule, 1, *lopsided)
        assert found == pytest.approx(prices, **CLOSE)


# The squared absolute RPS


@pytest.mark.parametrize("classes", [2, 3, 5, 9])
def test_equation_7_needs_the_square_of_its_divisor(classes: int) -> None:
    worst = np.eye(classes)[-1]
    # Printed: varies between 0 and 1.
    assert price(SquaredAbsoluteRPS("printed"), 0, *worst) == classes - 1
    assert SquaredAbsoluteRPS("printed").range_for(classes) == (0, classes - 1)
    assert price(SquaredAbsoluteRPS(), 0, *worst) == 1
    assert SquaredAbsoluteRPS().range_for(classes) == (0, 1)
    rng = np.random.default_rng(classes)
    y, rows = rng.integers(0, classes, 20), rng.dirichlet(np.ones(classes), 20)
    printed = np.asarray(SquaredAbsoluteRPS("printed").loss(y, rows))
    scaled = np.asarray(SquaredAbsoluteRPS().loss(y, rows)) * (classes - 1)
    np.testing.assert_allclose(printed, scaled, rtol=1e-14)


def test_equation_7_is_the_mean_distance_from_what_happened() -> None:
    for row in grid(4, 5):
        p = np.array([float(x) for x in row])
        for y in range(4):
            wanted = float(distance(row, y))
            assert printed_sum(p, y, 2) == pytest.approx(wanted, **CLOSE)
            found = 3 * np.sqrt(price(SquaredAbsoluteRPS(), y, *p))
            assert found == pytest.approx(wanted, abs=1e-7)
            assert price(SquaredAbsoluteRPS(), y, *p) == pytest.approx((wanted / 3) ** 2, **CLOSE)


def test_equation_7_has_one_summand_too_many() -> None:
    whole = np.array([0.125, 0.25, 0.625])
    assert printed_sum(whole, 2, 2) == printed_sum(whole, 2, 1)
    # Without a difference for forecasts that sum to one, but a rounded one does so only nearly.
    rounded = np.array([0.3333333, 0.3333333, 0.3333333])
    right, printed = ((printed_sum(rounded, 2, last) / 2) ** 2 for last in (1, 2))
    found = price(SquaredAbsoluteRPS(), 2, *rounded)
    assert found == pytest.approx(right, rel=0, abs=1e-12)
    assert printed - found > 4e-8


def report(q: Row) -> tuple[Row, Fraction, Fraction]:
    """Return the rounding of the mean, what it is expected to cost, and what honesty costs."""
    best = rounding_of(mean_and_variance(q)[0], len(q))
    return best, expected(squared_distance, q, best), expected(squared_distance, q, q)  # type: ignore[return-value]


def test_section_2_3_sa_rps_is_improper() -> None:
    """The paper counts it among proper scoring rules; a uniform truth shows that it is none."""
    best, cost, honest = report((THIRD, THIRD, THIRD))
    assert [*best] == [0, 1, 0]
    assert (cost, honest) == (Fraction(2, 3), Fraction(22, 27))
    rule, truth = SquaredAbsoluteRPS(), [1 / 3] * 3
    assert rule.expected_loss(truth, [0, 1, 0]) == pytest.approx(2 / 3 / 4, **CLOSE)
    assert rule.entropy([truth])[0] == pytest.approx(22 / 27 / 4, **CLOSE)
    assert rule.propriety is Propriety.IMPROPER
    assert rule.propriety_for(2) is Propriety.STRICT
    assert not rule.is_proper
    # RPS and the error of the mean are what they are said to be.
    assert RPS().expected_loss(truth, [0, 1, 0]) > RPS().entropy([truth])[0]
    assert SquaredMeanError().expected_loss(truth, [0, 1, 0]) == SquaredMeanError().entropy([truth])


def test_section_2_3_two_far_grades_tie_with_two_near_ones() -> None:
    half = Fraction(1, 2)
    q: Row = (half, Fraction(0), Fraction(0), half)
    best, cost, honest = report(q)
    assert [*best] == [0, half, half, 0]
    assert cost == honest == Fraction(9, 4)
    found = SquaredAbsoluteRPS("printed").expected_loss([0.5, 0, 0, 0.5], [0, 0.5, 0.5, 0])
    assert found == pytest.approx(9 / 4 / 3, **CLOSE)


@pytest.mark.parametrize("classes", [2, 3, 4, 5])
def test_section_2_3_sa_rps_asks_for_the_mean_alone(classes: int) -> None:
    for q in grid(classes, 6):
        truth = [float(x) for x in q]
        best, cost, honest = report(q)
        scale = (classes - 1) ** 2
        assert cost == mean_and_variance(q)[1]
        found = SquaredAbsoluteRPS().expected_loss(truth, [float(x) for x in best])
        assert found == pytest.approx(float(cost / scale), **CLOSE)
        assert (honest > cost) == (sum(x > 0 for x in q) > 2)
        assert SquaredAbsoluteRPS().entropy([truth])[0] == pytest.approx(
            float(honest / scale), **CLOSE
        )


def test_section_2_3_an_improper_rule_is_refused_where_propriety_matters() -> None:
    cases = properly.Cases(Y, P)
    with pytest.raises(ImproperRuleError):
        properly.decompose(cases, SquaredAbsoluteRPS(), reduction="cumulative")


# Relation to calibration, and the experiment


def test_section_1_a_score_is_calibration_and_resolution_and_uncertainty() -> None:
    parts = []
    for k in range(3):
        above, tail = k < Y, P[:, k + 1 :].sum(axis=1)
        parts.append(properly.decompose(properly.tally(above, tail), Brier()))
    miscalibration, discrimination, uncertainty = (
        float(np.mean([getattr(part, name) for part in parts]))
        for name in ("miscalibration", "discrimination", "uncertainty")
    )
    score = RPS()(Y, P)
    assert miscalibration - discrimination + uncertainty == pytest.approx(score, **CLOSE)
    # Printed are two parts; they would make this score negative.
    assert miscalibration - discrimination < 0 < score
    whole = properly.decompose(properly.Cases(Y, P), RPS())
    found = whole.miscalibration, whole.discrimination, whole.uncertainty
    assert found == pytest.approx((miscalibration, discrimination, uncertainty), **CLOSE)


RIVALS = [Brier(), Log(), RPS(), SquaredAbsoluteRPS(), SquaredMeanError(), RPS([1, 2, 3])]


@pytest.mark.parametrize("rule", RIVALS, ids=repr)
def test_section_2_4_no_score_removes_better_than_the_hard_cost(rule: ClassRule) -> None:
    """Rank by the cost that is measured, and no score of forecasts can do better: a tautology."""
    cost = (np.argmax(P, axis=1) - Y) ** 2
    ranked = cost[np.argsort(rule.loss(Y, P), kind="stable")]
    oracle = np.sort(cost)
    kept = np.arange(1, len(Y) + 1)
    assert (np.cumsum(oracle) / kept <= np.cumsum(ranked) / kept + 1e-12).all()
    assert (np.cumsum(oracle) < np.cumsum(ranked)).any()


def test_section_2_4_the_ranking_without_labels_is_the_entropy() -> None:
    below = np.cumsum(P, axis=1)[:, :-1]
    wanted = np.mean(below * (1 - below), axis=1)
    np.testing.assert_allclose(RPS().entropy(P), wanted, rtol=0, atol=1e-15)
    order = np.argsort(RPS().entropy(P))
    assert order.tolist() != np.argsort(RPS().loss(Y, P)).tolist()
