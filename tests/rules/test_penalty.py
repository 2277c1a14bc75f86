"""Rules with a penalty for the wrong decision, and when every correct forecast is better."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from properly.errors import DataError
from properly.rules import (
    PBS,
    PLL,
    RPS,
    Brier,
    Log,
    Misclassification,
    Penalized,
    Propriety,
    Spherical,
    SquaredAbsoluteRPS,
    superior_penalty,
)
from properly.rules._penalty import greatest_if_correct, least_if_wrong

STRICT, PROPER, IMPROPER = Propriety.STRICT, Propriety.PROPER, Propriety.IMPROPER

COSTS = ((0.0, 2.0, 4.0), (3.0, 0.0, 2.0), (8.0, 3.0, 0.0))

P = np.array([[0.5, 0.25, 0.25], [0.375, 0.375, 0.25], [0.25, 0.375, 0.375]])


def test_names_of_options_that_differ_differ() -> None:
    rules = [
        PBS(0.1),
        PBS(0.1 + 1e-9),
        PBS(tolerance=0.1),
        PBS(tolerance=0.1 + 1e-9),
        PBS(0.0),
        PBS(1, cost="linear"),
        PBS(1, cost="quadratic"),
        PBS(1, cost=COSTS),
        PBS(1, cost=np.array(COSTS) + 1e-9),
    ]
    assert len(set(rules)) == len(rules)
    assert len({rule.name for rule in rules}) == len(rules)


@pytest.mark.parametrize(
    ("rule", "propriety"),
    [
        (PBS(), STRICT),
        (PBS(ties="first"), STRICT),
        (PBS(ties="any_correct"), IMPROPER),
        (PBS(ties="unique_only"), IMPROPER),
        (PBS(tolerance=0.01), IMPROPER),
        (PBS(0, ties="any_correct"), STRICT),
        (Penalized(Misclassification(), 1), PROPER),
        (Penalized(SquaredAbsoluteRPS(), 1), IMPROPER),
        (Penalized(Brier(), 1, cost=COSTS), STRICT),
        (Penalized(Brier(), 1, "any_correct", cost=COSTS), IMPROPER),
    ],
    ids=repr,
)
def test_a_penalty_costs_no_propriety_if_ties_are_shared_or_in_a_fixed_order(
    rule: Penalized, propriety: Propriety
) -> None:
    assert rule.propriety is rule.propriety_for(3) is propriety
    assert rule.is_proper == (propriety is not IMPROPER)


def test_some_rules_are_better_with_two_classes() -> None:
    assert Penalized(SquaredAbsoluteRPS(), 1).propriety_for(2) is STRICT
    # The minimal penalty of two classes is none.
    assert PBS("minimal", ties="any_correct").propriety_for(2) is STRICT
    assert PBS("minimal", ties="any_correct").propriety_for(3) is IMPROPER


@pytest.mark.parametrize(
    ("rule", "needed"),
    [
        (PBS(), False),
        (Penalized(RPS()), True),
        (PBS(1, cost="zero_one"), False),
        (PBS(1, cost="linear"), True),
        (PBS(1, cost="quadratic"), True),
        (PBS(1, cost=COSTS), False),
    ],
    ids=repr,
)
def test_an_order_is_needed_by_the_rule_or_by_the_costs(rule: Penalized, needed: bool) -> None:
    assert rule.needs_order is needed


def test_the_penalty_by_name() -> None:
    for classes in (2, 3, 7):
        assert PBS().penalty_for(classes) == (classes - 1) / classes
        assert PLL().penalty_for(classes) == math.log(classes)
        assert PBS(2).penalty_for(classes) == 2
        for rule in (Brier(), Log(), RPS()):
            minimal = Penalized(rule, "minimal").penalty_for(classes)
            assert minimal == superior_penalty(rule, classes)
    assert Penalized(RPS()).penalty_for(3) == pytest.approx(5 / 18, rel=1e-14)
    with pytest.raises(DataError, match="there must be at least two classes; got 1"):
        PBS(2).penalty_for(1)


@pytest.mark.parametrize(
    ("rule", "largest"),
    [
        (PBS(), 2 + 2 / 3),
        (PBS(5), 7),
        (PBS(scale="algorithm2"), (2 + 2 / 3) / 3),
        (PBS(scale="published_code"), 2 / 3 + 2 / 3),
        (PLL(), math.inf),
        (Penalized(Spherical(), 0.5, cost="quadratic"), 1 + 0.5 * 4),
        (Penalized(Spherical(), 0.5, cost=COSTS), 1 + 0.5 * 8),
    ],
    ids=repr,
)
def test_the_greatest_loss_is_that_of_a_certain_wrong_forecast(
    rule: Penalized, largest: float
) -> None:
    lowest, highest = rule.range_for(3)
    assert lowest == 0
    assert highest == pytest.approx(largest, rel=1e-15)


def test_no_forecast_costs_more_than_the_range_says() -> None:
    # To abstain is best between the first two classes, and costs most if the third one happens.
    cost = [[0, 1, 1, 0.25], [1, 0, 1, 0.25], [1, 1, 0, 2]]
    rule = Penalized(Brier(), 1, cost=cost)
    worst = rule.loss([2], [[0.5, 0.5, 0.0]])[0]
    assert worst == 1.5 + 2
    lowest, highest = rule.range_for(3)
    assert lowest == 0
    assert worst <= highest


def test_probabilities_within_the_tolerance_are_tied() -> None:
    p = [[0.5, 0.375, 0.125]]
    assert PBS(1, "any_correct").loss([1], p)[0] == Brier().loss([1], p)[0] + 1
    wide = PBS(1, "any_correct", tolerance=0.125)
    assert wide.loss([1], p)[0] == Brier().loss([1], p)[0]
    assert PBS(1, tolerance=0.125).loss([0], p)[0] == Brier().loss([0], p)[0] + 0.5


def test_scales_by_hand() -> None:
    right, wrong = Brier().loss([0, 1], P[[0, 0]])
    assert (right, wrong) == (0.375, 0.875)
    for scale, wanted in (
        ("sum", [right, wrong + 2 / 3]),
        ("algorithm2", [right / 3, (wrong + 2 / 3) / 3]),
        ("published_code", [right / 3, wrong / 3 + 2 / 3]),
    ):
        found = PBS(scale=scale).loss([0, 1], P[[0, 0]])  # type: ignore[arg-type]
        np.testing.assert_allclose(found, wanted, rtol=1e-15)


def test_the_mean_is_that_of_the_rule_and_the_error_rate() -> None:
    rng = np.random.default_rng(6)
    p, y = rng.dirichlet(np.ones(4), 100), rng.integers(0, 4, 100)
    weight = rng.integers(0, 3, 100)
    for rule in (Brier(), Log(), RPS(), Spherical()):
        mean = rule(y, p, weight) + 0.5 * Misclassification()(y, p, weight)
        assert Penalized(rule, 0.5)(y, p, weight) == pytest.approx(mean, rel=1e-13)


COUNTS = (2, 3, 4, 5, 10, 100)


def test_of_brier_it_is_by_formula() -> None:
    for classes in COUNTS:
        assert greatest_if_correct(Brier(), classes) == (classes - 1) / classes
        assert least_if_wrong(Brier(), classes) == 1 / 2
        minimal = Fraction(classes - 2, 2 * classes)
        assert superior_penalty(Brier(), classes) == pytest.approx(float(minimal), abs=1e-16)


@pytest.mark.parametrize("scale", ["mean", "half"])
def test_a_scale_of_brier_scales_the_penalty(scale: Any) -> None:
    for classes in COUNTS:
        factor = Brier(scale).factor(classes)
        for bound in (greatest_if_correct, least_if_wrong, superior_penalty):
            wanted = factor * bound(Brier(), classes)
            assert bound(Brier(scale), classes) == pytest.approx(wanted, rel=1e-15, abs=1e-16)


def test_of_log_it_is_by_formula() -> None:
    for classes in COUNTS:
        assert greatest_if_correct(Log(), classes) == math.log(classes)
        assert least_if_wrong(Log(), classes) == math.log(2)
        assert superior_penalty(Log(), classes) == pytest.approx(math.log(classes / 2), abs=1e-15)


def test_of_rps_it_is_by_the_table() -> None:
    greatest = {2: Fraction(1, 4), 3: Fraction(5, 18), 4: Fraction(1, 3), 5: Fraction(13, 36)}
    for classes, wanted in greatest.items():
        least = Fraction(1, 4) if classes == 2 else Fraction(1, 5 * (classes - 1))
        assert greatest_if_correct(RPS(), classes) == pytest.approx(float(wanted), rel=1e-14)
        assert least_if_wrong(RPS(), classes) == pytest.approx(float(least), rel=1e-15)
        assert superior_penalty(RPS(), classes) == pytest.approx(float(wanted - least), abs=1e-15)
        plain = superior_penalty(RPS(normalized=False), classes)
        assert plain == pytest.approx((classes - 1) * float(wanted - least), abs=1e-15)


@pytest.mark.parametrize("rule", [Brier(), Log(), RPS()], ids=repr)
def test_two_classes_need_no_penalty(rule: Any) -> None:
    assert superior_penalty(rule, 2) == pytest.approx(0, abs=1e-16)


@pytest.mark.parametrize("classes", [3, 4, 5])
@pytest.mark.parametrize("rule", [Brier(), Log(), RPS()], ids=repr)
def test_no_drawn_forecast_lies_beyond_the_bounds(rule: Any, classes: int) -> None:
    rng = np.random.default_rng(classes)
    p = np.concatenate([rng.dirichlet(np.full(classes, a), 20_000) for a in (0.2, 1, 20)])
    for y in range(classes):
        loss = rule.loss(np.full(len(p), y), p)
        others = np.delete(p, y, axis=1).max(axis=1)
        assert loss[p[:, y] > others].max() <= greatest_if_correct(rule, classes)
        assert loss[others > p[:, y]].min() >= least_if_wrong(rule, classes)
