"""The family of rules from the log score to the share of mistakes."""

from __future__ import annotations

import math
from decimal import Decimal, localcontext
from itertools import combinations
from typing import TYPE_CHECKING, Any

import array_api_strict
import numpy as np
import pytest

from properly import rules

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

# Enough to tell 1 - 1e-300 from 1.
DIGITS = 330
EPS = float(np.finfo(np.float64).eps)
POWERS = [-30.0, -3.0, -1.0, -2 / 3, -0.25, -1e-9, 1e-9, 0.25, 0.5, 0.8, 0.95]
every_power = pytest.mark.parametrize("power", POWERS)
# At one end a single float apart from 1, at the other not far below what laws draw.
EDGES = [
    0.0,
    1e-12,
    1e-9,
    0.02,
    0.1,
    0.1 + 1e-9,
    0.3,
    0.5,
    0.5 + 1e-12,
    0.7,
    0.999,
    1 - 2**-53,
    1.0,
]
GRID = np.linspace(0, 1, 65)
Y, P = np.repeat([0, 1], len(GRID)), np.tile(GRID, 2)
ROWS = np.random.default_rng(5).dirichlet(np.full(4, 0.4), 60)
CLASSES = np.arange(60) % 4


def exact(power: float, row: list[Decimal]) -> list[Decimal]:
    """Return what a row costs under every class, by the definition."""
    m = Decimal(power)
    powers = [x ** (1 / (1 - m)) for x in row]
    shares, worst = [x / sum(powers) for x in powers], 1 / m if m > 0 else Decimal("inf")
    return [(1 - s**m) / m if s else worst for s in shares]


def exact_losses(power: float, p: float) -> list[Decimal]:
    """Return what a forecast costs without the event, and with it, from the float as it is."""
    return exact(power, [1 - Decimal(p), Decimal(p)])


# What a rule says of itself


@pytest.mark.parametrize(
    ("power", "worst", "name"),
    [
        (-2 / 3, math.inf, "pseudospherical[-0.6666666666666666]"),
        (0, math.inf, "pseudospherical[0]"),
        (0.5, 2.0, "pseudospherical[0.5]"),
        (0.8, 1.25, "pseudospherical[0.8]"),
        (-3, math.inf, "pseudospherical[-3]"),
    ],
)
def test_a_rule_states_its_facts(power: float, worst: float, name: str) -> None:
    rule = rules.Pseudospherical(power)
    assert (
        rule.propriety is rule.propriety_for(2) is rule.propriety_for(7) is rules.Propriety.STRICT
    )
    assert (rule.is_proper, rule.needs_order, rule.atoms) == (True, False, ())
    assert rule.name == name
    assert rule.range == rule.range_for(2) == rule.range_for(9) == (0, worst)
    assert rule.exponent == 1 / (1 - power)


# Rules that it is


def test_power_0_is_the_log_score() -> None:
    rule = rules.Pseudospherical(0)
    close: dict[str, Any] = {"rtol": 4 * EPS, "atol": 0}
    np.testing.assert_allclose(rule.loss(Y, P), rules.Log().loss(Y, P), **close)
    np.testing.assert_allclose(rule.loss(CLASSES, ROWS), rules.Log().loss(CLASSES, ROWS), **close)
    np.testing.assert_allclose(rule.classwise(np.eye(3)), rules.Log().classwise(np.eye(3)), **close)
    np.testing.assert_allclose(rule.weight(GRID), rules.Log().weight(GRID), **close)
    np.testing.assert_allclose(rule.slope(Y, P), rules.Log().slope(Y, P), **close)
    z = np.linspace(-800, 800, len(Y))
    np.testing.assert_allclose(rule.logit_slope(Y, z), rules.Log().logit_slope(Y, z), **close)


def test_power_one_half_is_twice_spherical() -> None:
    rule = rules.Pseudospherical(0.5)
    close: dict[str, Any] = {"rtol": 4 * EPS, "atol": 0}
    for method, args in (
        ("loss", (Y, P)),
        ("loss", (CLASSES, ROWS)),
        ("weight", (GRID,)),
        ("slope", (Y, P)),
        ("false_positives", (0.1 * GRID, GRID)),
        ("false_negatives", (GRID, np.sqrt(GRID))),
    ):
        twice = 2 * np.asarray(getattr(rules.Spherical(), method)(*args))
        np.testing.assert_allclose(getattr(rule, method)(*args), twice, **close)


def test_near_power_1_it_is_the_share_of_mistakes() -> None:
    rule, p = rules.Pseudospherical(1 - 1e-12), np.delete(GRID, 32)
    for y in (0, 1):
        outcome = np.full(len(p), y)
        np.testing.assert_allclose(
            rule.loss(outcome, p), rules.Misclassification().loss(outcome, p), rtol=0, atol=2e-12
        )
    np.testing.assert_allclose(rule.loss([0, 1], [0.5, 0.5]), 0.5, rtol=1e-11)
    tied = [[0.4, 0.4, 0.2]]
    found = [rule.loss([y], tied)[0] for y in range(3)]
    np.testing.assert_allclose(found, [0.5, 0.5, 1], rtol=1e-11)


def test_powers_near_0_lose_no_digit() -> None:
    # (1 - s**m) / m = -log(s) - m log(s)**2 / 2 - ..., and s moves with the power as well.
    for power in (1e-9, -1e-9, 1e-13, -1e-13):
        for p in (0.999, 0.5, 0.01, 1e-9, 1e-300):
            with localcontext() as context:
                context.prec = DIGITS
                none, event = (float(x) for x in exact_losses(power, p))
            # At 1e-300 the exponent, which is rounded, meets a logarithm of -690.
            rounding = 690 * EPS if p == 1e-300 else 32 * EPS
            found = rules.Pseudospherical(power).loss([0, 1], [p, p])
            np.testing.assert_allclose(found, [none, event], rtol=rounding)


# Prices


def test_one_case_costs_what_the_definition_says() -> None:
    # a = 0.6: at one half the share is one half, and 2 ** (2 / 3) - 1 is to be divided by 2 / 3.
    assert rules.Pseudospherical().loss([1], [0.5])[0] == pytest.approx(1.5 * (2 ** (2 / 3) - 1))
    # a = 1/2: the shares of 0.8 and 0.2 are 2/3 and 1/3.
    np.testing.assert_allclose(
        rules.Pseudospherical(-1).loss([1, 0], [0.8, 0.8]), [0.5, 2], rtol=1e-15
    )
    # a = 2: 9/14, 4/14, 1/14.
    np.testing.assert_allclose(
        rules.Pseudospherical(0.5).classwise(np.array([[0.5, 1 / 3, 1 / 6]]))[0],
        2 * (1 - np.sqrt(np.array([9, 4, 1]) / 14)),
        rtol=1e-15,
    )


@pytest.mark.slow
@every_power
def test_the_cost_between_any_two_thresholds_is_exact(power: float) -> None:
    rule = rules.Pseudospherical(power)
    with localcontext() as context:
        context.prec = DIGITS
        losses = {p: exact_losses(power, p) for p in EDGES}
        for low, high in combinations(EDGES, 2):
            none, event = losses[high][0] - losses[low][0], losses[low][1] - losses[high][1]
            ends = np.float64(low), np.float64(high)
            # A power of -30 multiplies what was rounded by 30.
            close: dict[str, Any] = {"rel": 64 * EPS * max(1, -power), "abs": 0}
            assert float(rule.false_positives(*ends)) == pytest.approx(float(none), **close)
            assert float(rule.false_negatives(*ends)) == pytest.approx(float(event), **close)


@every_power
def test_nothing_lies_between_a_threshold_and_itself(power: float) -> None:
    rule, ends = rules.Pseudospherical(power), np.array([0.0, 1e-300, 0.3, 0.5, 1 - 2**-53, 1.0])
    np.testing.assert_array_equal(rule.false_positives(ends, ends), 0)
    np.testing.assert_array_equal(rule.false_negatives(ends, ends), 0)


@every_power
def test_a_narrow_range_keeps_every_digit(power: float) -> None:
    low, high = 0.3, 0.3 + 1e-9
    bounded = rules.Bounded(rules.Pseudospherical(power), (low, high), scale="integral")
    with localcontext() as context:
        context.prec = DIGITS
        (none_low, event_low), (none_high, event_high) = (
            exact_losses(power, end) for end in (low, high)
        )
        wanted = [float(none_high - none_low), float(event_low - event_high)]
    np.testing.assert_allclose(bounded.loss([0, 1], [0.9, 0.1]), wanted, rtol=64 * EPS)


@pytest.mark.slow
@every_power
def test_classes_are_priced_by_the_definition(power: float) -> None:
    rows = [*ROWS[:2].tolist(), [1 - 2e-8, 1e-8, 1e-8, 0.0], [0.25] * 4, [0.5, 0.5, 0.0, 0.0]]
    rule = rules.Pseudospherical(power)
    for row in rows:
        with localcontext() as context:
            context.prec = DIGITS
            wanted = [float(x) for x in exact(power, [Decimal(x) for x in row])]
        close: dict[str, Any] = {"rtol": 64 * EPS * max(1, -power)}
        np.testing.assert_allclose(rule.loss([0, 1, 2, 3], [row] * 4), wanted, **close)
        np.testing.assert_allclose(rule.classwise(np.array([row]))[0], wanted, **close)


# What certainty costs


@every_power
def test_certainty_costs_nothing_or_all(power: float) -> None:
    rule = rules.Pseudospherical(power)
    worst = 1 / power if power > 0 else math.inf
    wanted = np.where(np.eye(3) == 1, 0.0, worst)
    for library in (np, array_api_strict):
        found = np.asarray(rule.classwise(library.asarray(np.eye(3))))
        np.testing.assert_array_equal(found, wanted)
        assert not np.signbit(found).any()
    corners = rule.loss([0, 0, 1, 1], [0.0, 1.0, 0.0, 1.0])
    np.testing.assert_array_equal(corners, [0, worst, worst, 0])
    assert not np.signbit(corners).any()
    np.testing.assert_array_equal(rule.entropy([0.0, 1.0]), 0)
    assert np.isinf(rule([1, 0], [0.0, 0.5])) == (power < 0)


@every_power
def test_slopes_have_their_limits_at_certain_forecasts(power: float) -> None:
    rule = rules.Pseudospherical(power)
    right, wrong = (
        [float(x) for x in rule.slope(y, p)]
        for y, p in (([0, 1], [0.0, 1.0]), ([0, 1], [1.0, 0.0]))
    )
    # Proportional to the odds to the a - 1 and to the a - 2.
    assert np.abs(right).tolist() == [0 if power > 0 else math.inf] * 2
    steep = math.inf if power < 0.5 else 2.0 if power == 0.5 else 0
    assert np.abs(wrong).tolist() == [steep] * 2
    assert np.sign(wrong).tolist() in ([1, -1], [0, 0])


@pytest.mark.parametrize("power", [-100.0, *POWERS, 1 - 1e-12])
def test_nothing_is_not_a_number(power: float) -> None:
    p = np.array([0.0, 5e-324, 1e-300, 1e-17, 0.3, 0.5, 1 - 2**-53, 1.0])
    y, both = np.repeat([0, 1], len(p)), np.tile(p, 2)
    z = np.array([-1e308, -800.0, -745.2, 0.0, 36.8, 709.8, 800.0, 1e308])
    rule = rules.Pseudospherical(power)
    mixture = rules.Mixture([(1, rule), (1, rules.Log())])
    for found in (
        rule.loss(y, both),
        rule.slope(y, both),
        rule.weight(p),
        rule.entropy(p),
        mixture.loss(y, both),
        mixture.logit_slope(y, np.tile(z, 2)),
        rule.logit_slope(y, np.tile(z, 2)),
        rules.Ranked(rule).classwise(ROWS),
    ):
        assert not np.isnan(found).any()
    assert np.isfinite(rule.entropy(p[2:])).all()
    assert (np.asarray(rule.loss(y, both)) >= 0).all()


def test_the_slope_of_log_odds_is_that_of_the_share() -> None:
    # The log-odds of s are a times those of p, so the slope is -a s**m (1 - s), saturated or not.
    z = np.array([-30.0, -2.0, 0.0, 1.0, 40.0, 300.0])
    for power in (-2 / 3, 0.25, 0.5):
        rule = rules.Pseudospherical(power)
        s, rest = 1 / (1 + np.exp(-rule.exponent * z)), 1 / (1 + np.exp(rule.exponent * z))
        np.testing.assert_allclose(
            rule.logit_slope(np.ones(6, int), z), -rule.exponent * s**power * rest, rtol=1e-13
        )


# Propriety


@pytest.mark.parametrize("power", [power for power in POWERS if power < 0.9])
def test_honesty_is_the_best_report(power: float) -> None:
    truth, rule = GRID[1:-1], rules.Pseudospherical(power)
    event, none = (np.asarray(x) for x in (rule.loss_if_event(truth), rule.loss_if_none(truth)))
    cost = truth[:, None] * event + (1 - truth[:, None]) * none
    np.testing.assert_array_equal(cost.argmin(axis=1), np.arange(len(truth)))
    np.testing.assert_allclose(cost.diagonal(), rule.entropy(truth), rtol=8 * EPS)


@every_power
def test_the_least_expected_loss_is_that_of_an_entropy_of_renyi(power: float) -> None:
    # A report s = p**a has the mean of power m equal to exp(-Renyi entropy of order a).
    a, truth = 1 / (1 - power), ROWS[:8]
    with np.errstate(divide="ignore"):
        least = np.sum(truth**a, axis=1) ** (1 / (a - 1))
    mean = (1 - power * np.asarray(rules.Pseudospherical(power).entropy(truth))) ** (1 / power)
    # The power 1 / m magnifies rounding near power 0.
    np.testing.assert_allclose(mean, least, rtol=max(1e-13, 8 * EPS / abs(power)))


def test_the_weight_is_the_closed_form() -> None:
    t = GRID[1:-1]
    for power in POWERS:
        a = 1 / (1 - power)
        both = t**a + (1 - t) ** a
        wanted = a * (t * (1 - t)) ** (a - 2) / both ** (1 + power)
        np.testing.assert_allclose(rules.Pseudospherical(power).weight(t), wanted, rtol=1e-13)
